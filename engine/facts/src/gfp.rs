//! gfp flags, allocation flags and migrate types (linux/gfp.h, mm/internal.h, linux/mmzone.h).
//!
//! Modelled: the flags on which the allocator's decisions depend, by their kernel names.
//! Left out: flags that affect only reclaim or accounting, because nothing uses them yet.
//! Invariants: the engine numbers migrate types the same for all eras; the order in which they are printed is
//! a feature of the kernel.

use std::fmt;

/// Migrate type: kernel objects.
pub const UNMOVABLE: u8 = 0;
/// Migrate type: user memory and page cache.
pub const MOVABLE: u8 = 1;
/// Migrate type: reclaimable slab.
pub const RECLAIMABLE: u8 = 2;
/// Migrate type: MIGRATE_RESERVE (to 4.3) or MIGRATE_HIGHATOMIC (from 4.4).
pub const RESERVED: u8 = 3;
/// Number of migrate types for which the engine has lists.
pub const TYPES: u8 = 4;
/// Migrate types that have per-cpu lists (MIGRATE_PCPTYPES).
pub const PCP_TYPES: u8 = 3;

/// Names as /proc/pagetypeinfo prints them; the fourth depends on the kernel.
pub const fn migratetype_name(t: u8, highatomic: bool) -> &'static str {
    match t {
        UNMOVABLE => "Unmovable",
        MOVABLE => "Movable",
        RECLAIMABLE => "Reclaimable",
        _ if highatomic => "HighAtomic",
        _ => "Reserve",
    }
}

macro_rules! flag_set {
    ($(#[$doc:meta])* $set:ident { $($(#[$fdoc:meta])* $name:ident = $bit:literal $text:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, crate::state::State)]
        pub struct $set(pub u16);
        impl $set {
            $($(#[$fdoc])* pub const $name: $set = $set(1 << $bit);)+
            const NAMES: &'static [(u16, &'static str)] = &[$((1 << $bit, $text)),+];
            /// Whether all of `flags` are set.
            #[inline]
            pub const fn has(self, flags: $set) -> bool {
                self.0 & flags.0 == flags.0
            }
            /// The flags of both.
            #[inline]
            pub const fn with(self, flags: $set) -> $set {
                $set(self.0 | flags.0)
            }
            /// These flags without `flags`.
            #[inline]
            pub const fn without(self, flags: $set) -> $set {
                $set(self.0 & !flags.0)
            }
            /// Names of the set flags.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                Self::NAMES.iter().filter(move |(bit, _)| self.0 & bit != 0).map(|&(_, name)| name)
            }
        }
    };
}

flag_set! {
    /// gfp flags of a request.
    Gfp {
        /// May sleep and reclaim (`__GFP_WAIT`, later `__GFP_DIRECT_RECLAIM`).
        DIRECT_RECLAIM = 0 "__GFP_DIRECT_RECLAIM";
        /// May wake kswapd (always before 4.4, unless `__GFP_NO_KSWAPD`).
        KSWAPD_RECLAIM = 1 "__GFP_KSWAPD_RECLAIM";
        /// `__GFP_HIGH`: may use part of the reserves.
        HIGH = 2 "__GFP_HIGH";
        /// May use ZONE_MOVABLE; the migrate type is MOVABLE.
        MOVABLE = 3 "__GFP_MOVABLE";
        /// The migrate type is reclaimable, as for reclaimable slab.
        RECLAIMABLE = 4 "__GFP_RECLAIMABLE";
        /// Gives up early instead of retrying.
        NORETRY = 5 "__GFP_NORETRY";
        /// Zeroes the page.
        ZERO = 6 "__GFP_ZERO";
        /// Compound page.
        COMP = 7 "__GFP_COMP";
        /// Only zone DMA.
        DMA = 8 "__GFP_DMA";
        /// Only zones DMA and DMA32.
        DMA32 = 9 "__GFP_DMA32";
        /// Only the given node.
        THISNODE = 10 "__GFP_THISNODE";
        /// May start I/O.
        IO = 11 "__GFP_IO";
        /// May call into file systems.
        FS = 12 "__GFP_FS";
        /// The page will be written to: its zone or node must be below its dirty limit (3.3 on).
        WRITE = 13 "__GFP_WRITE";
        /// Tries again after a reclaim that freed pages, until the freed pages are as many as the request
        /// needs. From 4.13 `__GFP_RETRY_MAYFAIL`: as long as a zone could serve the request.
        REPEAT = 14 "__GFP_REPEAT";
    }
}

flag_set! {
    /// ALLOC_* flags of one walk; the watermark index is a separate value.
    AllocFlags {
        /// Ignore the watermarks.
        NO_WATERMARKS = 0 "ALLOC_NO_WATERMARKS";
        /// Lower the watermark by a quarter (ALLOC_HARDER; from 6.1 ALLOC_NON_BLOCK).
        HARDER = 1 "ALLOC_HARDER";
        /// Halve the watermark (ALLOC_HIGH; from 6.1 ALLOC_MIN_RESERVE).
        HIGH = 2 "ALLOC_HIGH";
        /// Do not mix migrate types in a pageblock (5.0 on).
        NOFRAGMENT = 3 "ALLOC_NOFRAGMENT";
        /// May wake kswapd (5.0 on).
        KSWAPD = 4 "ALLOC_KSWAPD";
        /// Respect cpusets. The flag is set and displayed, but the engine has no cpusets.
        CPUSET = 5 "ALLOC_CPUSET";
        /// Alternate between the zones of the preferred node (3.12 to 4.7).
        FAIR = 6 "ALLOC_FAIR";
    }
}

impl Gfp {
    const RECLAIM: Gfp = Gfp::DIRECT_RECLAIM.with(Gfp::KSWAPD_RECLAIM).with(Gfp::IO);
    /// May sleep and do I/O, but must not call into file systems.
    pub const GFP_NOFS: Gfp = Gfp::RECLAIM;
    /// Ordinary kernel memory.
    pub const GFP_KERNEL: Gfp = Gfp::RECLAIM.with(Gfp::FS);
    /// Must not sleep, may use part of the reserves.
    pub const GFP_ATOMIC: Gfp = Gfp::HIGH.with(Gfp::KSWAPD_RECLAIM);
    /// User memory.
    pub const GFP_HIGHUSER_MOVABLE: Gfp = Gfp::GFP_KERNEL.with(Gfp::MOVABLE);
    /// Huge page without side effects: it neither reclaims nor wakes kswapd.
    pub const GFP_TRANSHUGE_LIGHT: Gfp = Gfp::GFP_HIGHUSER_MOVABLE
        .without(Gfp::DIRECT_RECLAIM)
        .without(Gfp::KSWAPD_RECLAIM)
        .with(Gfp::COMP);
    /// Huge page that may reclaim once, without waking kswapd (`__GFP_NO_KSWAPD`).
    pub const GFP_TRANSHUGE: Gfp = Gfp::GFP_TRANSHUGE_LIGHT
        .with(Gfp::DIRECT_RECLAIM)
        .with(Gfp::NORETRY);

    /// [`Gfp::GFP_TRANSHUGE`] and [`Gfp::GFP_TRANSHUGE_LIGHT`] in kernels for which the engine lets a fault
    /// for a huge page start no I/O ([`crate::kernel::Features::thp_starts_io`]).
    pub const HUGE_WITHOUT_IO: [Gfp; 2] = [
        Gfp::GFP_TRANSHUGE.without(Gfp::IO).without(Gfp::FS),
        Gfp::GFP_TRANSHUGE_LIGHT.without(Gfp::IO).without(Gfp::FS),
    ];

    /// A page of one node for the pool of huge pages (`alloc_fresh_huge_page_node`, mm/hugetlb.c): not
    /// movable unless `hugepages_treat_as_movable` is set.
    pub const GFP_HUGETLB: Gfp = Gfp::GFP_KERNEL
        .with(Gfp::COMP)
        .with(Gfp::THISNODE)
        .with(Gfp::REPEAT);

    /// Only one node, tried once (`GFP_THISNODE`, to 4.0).
    pub const GFP_THISNODE: Gfp = Gfp::THISNODE.with(Gfp::NORETRY);

    /// Sets of flags that have a name. A request that contains several of them is printed with the first.
    pub const KNOWN: [(Gfp, &str); 8] = [
        (Gfp::GFP_HIGHUSER_MOVABLE, "GFP_HIGHUSER_MOVABLE"),
        (Gfp::GFP_TRANSHUGE, "GFP_TRANSHUGE"),
        (Gfp::GFP_TRANSHUGE_LIGHT, "GFP_TRANSHUGE_LIGHT"),
        (Gfp::HUGE_WITHOUT_IO[0], "GFP_TRANSHUGE"),
        (Gfp::HUGE_WITHOUT_IO[1], "GFP_TRANSHUGE_LIGHT"),
        (Gfp::GFP_KERNEL, "GFP_KERNEL"),
        (Gfp::GFP_NOFS, "GFP_NOFS"),
        (Gfp::GFP_ATOMIC, "GFP_ATOMIC"),
    ];

    /// Migrate type of the request (`gfpflags_to_migratetype`).
    pub const fn migratetype(self) -> u8 {
        if self.has(Gfp::MOVABLE) {
            MOVABLE
        } else if self.has(Gfp::RECLAIMABLE) {
            RECLAIMABLE
        } else {
            UNMOVABLE
        }
    }
}

impl fmt::Display for Gfp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = *self;
        let mut first = true;
        for (set, name) in Gfp::KNOWN {
            if rest.has(set) {
                f.write_str(name)?;
                rest = rest.without(set);
                first = false;
                break;
            }
        }
        for name in rest.names() {
            if !first {
                f.write_str("|")?;
            }
            f.write_str(name)?;
            first = false;
        }
        if first { f.write_str("0") } else { Ok(()) }
    }
}
