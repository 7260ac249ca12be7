//! Event counters (mm/vmstat.c), by the names /proc/vmstat prints.
//!
//! Modelled: the events of allocating, freeing, faulting, reclaiming, swapping and I/O. Left out:
//! every other event; its count stays 0 because nothing here causes it. Invariants: `pgalloc` minus
//! `pgfree` equals the pages allocated, where pages on per-cpu lists count as free.

use facts::state::State;

use crate::arch::ZoneType;
use crate::mmzone::MAX_ZONE_TYPES;
use crate::view::CounterPer;

/// The place of a counter in [`Counters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// One counter for the whole machine.
    Plain(u8),
    /// One counter for each zone type.
    Zone(u8, u8),
    /// One counter each for anonymous memory (0) and files (1).
    Pair(u8, u8),
}

macro_rules! counters {
    ({ $(#[doc = $doc:literal] $name:ident;)+ } zones { $(#[doc = $zdoc:literal] $zone:ident $prefix:literal;)+ } types { $(#[doc = $tdoc:literal] $pair:ident;)+ }) => {
        /// Event counts since boot.
        #[derive(Debug, Clone, PartialEq, Eq, Default, State)]
        pub struct Counters {
            $(#[doc = $doc] pub $name: u64,)+
            $(#[doc = $zdoc] pub $zone: [u64; MAX_ZONE_TYPES],)+
            $(#[doc = $tdoc] pub $pair: [u64; 2],)+
        }

        /// All counters in `Counters`: name, unit of counting, and a sentence that explains it. Not
        /// compiled into the module of the page.
        pub const ABOUT: &[(&str, CounterPer, &str)] = &[
            $((stringify!($name), CounterPer::Machine, $doc),)+
            $(($prefix, CounterPer::ZoneType, $zdoc),)+
            $((stringify!($pair), CounterPer::Memory, $tdoc),)+
        ];

        impl Counters {
            /// The counter at a place in [`ABOUT`]. If a place stands for several counters, `which`
            /// is the zone type, or 0 for anonymous memory and 1 for files.
            pub fn counter(place: usize, which: usize) -> Option<Counter> {
                let plain = [$(stringify!($name)),+].len();
                let zones = plain + [$($prefix),+].len();
                let all = zones + [$(stringify!($pair)),+].len();
                if place < plain {
                    Some(Counter::Plain(place as u8))
                } else if place < zones && which < MAX_ZONE_TYPES {
                    Some(Counter::Zone((place - plain) as u8, which as u8))
                } else if place >= zones && place < all && which < 2 {
                    Some(Counter::Pair((place - zones) as u8, which as u8))
                } else {
                    None
                }
            }

            /// Value of a counter.
            pub fn count(&self, counter: Counter) -> u64 {
                const PLAIN: &[fn(&Counters) -> u64] = &[$(|c| c.$name),+];
                const ZONES: &[fn(&Counters) -> &[u64; MAX_ZONE_TYPES]] = &[$(|c| &c.$zone),+];
                const PAIRS: &[fn(&Counters) -> &[u64; 2]] = &[$(|c| &c.$pair),+];
                match counter {
                    Counter::Plain(i) => PLAIN[i as usize](self),
                    Counter::Zone(i, zone) => ZONES[i as usize](self)[zone as usize],
                    Counter::Pair(i, side) => PAIRS[i as usize](self)[side as usize],
                }
            }

            /// (name, value) of every counter, for a set of zone types.
            pub fn named(&self, zone_types: &[ZoneType]) -> Vec<(String, u64)> {
                let mut out = Vec::new();
                $(add_zones(&mut out, $prefix, zone_types, &self.$zone);)+
                $(add(&mut out, stringify!($name), self.$name);)+
                $(add(&mut out, concat!(stringify!($pair), "_anon"), self.$pair[0]);
                add(&mut out, concat!(stringify!($pair), "_file"), self.$pair[1]);)+
                out
            }
        }

        type Named = Vec<(String, u64)>;

        #[inline(never)]
        fn add(out: &mut Named, name: &str, n: u64) {
            out.push((name.to_string(), n));
        }

        fn add_zones(out: &mut Named, prefix: &str, types: &[ZoneType], counts: &[u64]) {
            for (z, &n) in types.iter().zip(counts) {
                out.push((format!("{prefix}_{}", z.suffix()), n));
            }
        }
    };
}

counters! {{
    /// KiB read from devices.
    pgpgin;
    /// KiB written to devices.
    pgpgout;
    /// Pages swapped in.
    pswpin;
    /// Pages swapped out.
    pswpout;
    /// Pages freed.
    pgfree;
    /// Pages activated.
    pgactivate;
    /// Pages deactivated.
    pgdeactivate;
    /// Page faults.
    pgfault;
    /// Page faults that waited for I/O.
    pgmajfault;
    /// Pages of active lists scanned.
    pgrefill;
    /// Pages reclaimed by kswapd.
    pgsteal_kswapd;
    /// Pages reclaimed by direct reclaim.
    pgsteal_direct;
    /// Pages scanned by kswapd.
    pgscan_kswapd;
    /// Pages scanned by direct reclaim.
    pgscan_direct;
    /// Pages scanned by `zone_reclaim`, also counted in the pages scanned directly; a count that only the engine has.
    scan_zone_reclaim;
    /// Pages reclaimed by `zone_reclaim`, also counted in the pages reclaimed directly; a count that only the engine has.
    steal_zone_reclaim;
    /// Time tasks spent in direct reclaim, including waits, in ns, counted when the reclaim ends; a count that only the engine has.
    stall_direct_ns;
    /// Time tasks spent in passes of `zone_reclaim`, in ns, counted when the pass ends; a count that only the engine has.
    stall_zone_reclaim_ns;
    /// Pages of files read again after reclaim had evicted them from the cache; a count that only the engine has.
    reread;
    /// Passes of `zone_reclaim` that freed fewer pages than requested.
    zone_reclaim_failed;
    /// Waits of direct reclaimers for kswapd.
    pgscan_direct_throttle;
    /// Anonymous pages scanned.
    pgscan_anon;
    /// File pages scanned.
    pgscan_file;
    /// Anonymous pages reclaimed.
    pgsteal_anon;
    /// File pages reclaimed.
    pgsteal_file;
    /// Pages reclaimed by kswapd, under the name used up to 3.x.
    kswapd_steal;
    /// Slab objects scanned.
    slabs_scanned;
    /// Pages dropped with inodes by kswapd.
    kswapd_inodesteal;
    /// Pages dropped with inodes by direct reclaim.
    pginodesteal;
    /// Sleeps of kswapd that were cut short.
    kswapd_low_wmark_hit_quickly;
    /// Sleeps of kswapd after which the node was no longer balanced.
    kswapd_high_wmark_hit_quickly;
    /// Waits that kswapd skipped because a zone was below its min watermark.
    kswapd_skip_congestion_wait;
    /// Times kswapd started to balance its node.
    pageoutrun;
    /// Direct reclaims.
    allocstall;
    /// Pages moved to the tail of the inactive list after their write.
    pgrotated;
    /// Pages written by reclaim.
    nr_vmscan_write;
    /// Dirty pages that reclaim left to the flushers, marked to be freed once they are written.
    nr_vmscan_immediate_reclaim;
    /// Pages dirtied.
    nr_dirtied;
    /// Pages written.
    nr_written;
    /// Pages moved to the unevictable list.
    unevictable_pgs_culled;
    /// Pages moved back from the unevictable list.
    unevictable_pgs_rescued;
    /// Pages locked in memory.
    unevictable_pgs_mlocked;
    /// Pages unlocked in memory.
    unevictable_pgs_munlocked;
    /// Pages read by swap read-ahead.
    swap_ra;
    /// Pages of swap read-ahead that were used.
    swap_ra_hit;
    /// Tasks the OOM killer killed.
    oom_kill;
    /// Batches of pages that compaction tried to move.
    compact_blocks_moved;
    /// Pages that compaction moved.
    compact_pages_moved;
    /// Pages that compaction tried to move but could not.
    compact_pagemigrate_failed;
    /// Requests that compacted memory.
    compact_stall;
    /// Requests that compacted memory but got no block.
    compact_fail;
    /// Requests that compacted memory and got a block.
    compact_success;
    /// Free pages that compaction took from the buddy lists, which no allocation counts; a count that only the engine has.
    compact_free_taken;
    /// Write faults that only made a page table entry writable again.
    pgreuse;
    /// Pages moved to other page frames.
    pgmigrate_success;
    /// Pages that could not be moved.
    pgmigrate_fail;
    /// Page table entries marked so that their next access faults; a huge entry counts once for each of its pages.
    numa_pte_updates;
    /// Huge page table entries marked.
    numa_huge_pte_updates;
    /// Faults on marked entries.
    numa_hint_faults;
    /// Faults on marked entries whose page was on the node of the faulting CPU.
    numa_hint_faults_local;
    /// Pages moved to the node that used them.
    numa_pages_migrated;
    /// Huge pages mapped on a fault.
    thp_fault_alloc;
    /// Faults that fell back to single pages.
    thp_fault_fallback;
    /// Huge pages split (up to 4.4).
    thp_split;
    /// Huge pages split (from 4.5).
    thp_split_page;
    /// Huge pages split because swap could not take them whole.
    thp_swpout_fallback;
    } zones {
    /// Pages allocated, by zone type.
    pgalloc "pgalloc";
    /// Direct reclaims by the first zone of the request.
    allocstall_zone "allocstall";
    /// Pages skipped because their zone is too high for the request.
    pgskip "pgskip";
    /// Pages of active lists scanned, by zone (per-zone era).
    pgrefill_zone "pgrefill";
    /// Pages reclaimed, by zone (per-zone era).
    pgsteal_zone "pgsteal";
    /// Pages scanned by kswapd, by zone (per-zone era).
    pgscan_kswapd_zone "pgscan_kswapd";
    /// Pages scanned directly, by zone (per-zone era).
    pgscan_direct_zone "pgscan_direct";
    } types {
    /// Evicted pages that came back.
    workingset_refault;
    /// Evicted pages that came back and started on the active list.
    workingset_activate;
    /// Evicted pages that came back and had been active before.
    workingset_restore;
}}
