//! The record of a page frame: its kind, order, zone and flags (linux/page-flags.h).
//!
//! Modelled: the flags that the engine reads.
//! Left out: reference counts and links; lists have slots of their own.
//! Invariants: 16 bytes; flags are above the kind, order and zone.

use crate::mmzone::LRU_UNEVICTABLE;
use facts::index::{ListSlot, SwapSlot, ZoneIndex};
use facts::state::{State, StateHasher, Walk};

/// What a block of frames is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum PageKind {
    /// No memory at this frame.
    Absent = 0,
    /// Not managed: firmware, memmap or kernel image.
    Reserved,
    /// Part of a block whose head is at a lower frame.
    Tail,
    /// Head of a block on a buddy free list.
    Free,
    /// Head of a block on a per-cpu list.
    Pcp,
    /// Held by a task: allocated and not yet in use, or being freed.
    InFlight,
    /// Anonymous memory of a process; `owner` is its space, `index` its page there.
    Anon,
    /// Anonymous huge page.
    HugeAnon,
    /// A page table; `owner` is its space.
    PageTable,
    /// A block held by a kernel user; `owner` is the pool.
    Kernel,
    /// A file page in the page cache; `owner` is the file, `index` its page there.
    File,
    /// A page of a slab cache; `owner` is the cache.
    Slab,
}

/// Number of [`PageKind`]s.
pub const KINDS: usize = 12;
/// All kinds, by discriminant.
pub const ALL_KINDS: [PageKind; KINDS] = {
    use PageKind::*;
    [
        Absent, Reserved, Tail, Free, Pcp, InFlight, Anon, HugeAnon, PageTable, Kernel, File, Slab,
    ]
};

/// Owner of an anonymous page in the swap cache. The `index` of the page is then its swap slot,
/// which stores the one page table entry that refers to it.
pub const SWAP_OWNER: u32 = u32::MAX - 1;

/// Page flags (linux/page-flags.h), as bits of [`Page::meta`].
pub mod flag {
    /// PG_lru: on an LRU list.
    pub const LRU: u32 = 1 << 16;
    /// PG_active: belongs to an active list.
    pub const ACTIVE: u32 = 1 << 17;
    /// PG_referenced: accessed once.
    pub const REFERENCED: u32 = 1 << 18;
    /// PG_dirty.
    pub const DIRTY: u32 = 1 << 19;
    /// PG_writeback: being written.
    pub const WRITEBACK: u32 = 1 << 20;
    /// PG_reclaim: moves to the tail of the inactive list when its write ends.
    pub const RECLAIM: u32 = 1 << 21;
    /// PG_swapcache.
    pub const SWAPCACHE: u32 = 1 << 22;
    /// PG_workingset: was active before it was deactivated.
    pub const WORKINGSET: u32 = 1 << 23;
    /// PG_unevictable.
    pub const UNEVICTABLE: u32 = 1 << 24;
    /// PG_mlocked.
    pub const MLOCKED: u32 = 1 << 25;
    /// PG_locked: being read, or locked by a reclaimer.
    pub const LOCKED: u32 = 1 << 26;
    /// At least one page table entry maps it (`page_mapped`).
    pub const MAPPED: u32 = 1 << 27;
    /// PG_readahead: reaching it starts the next read-ahead.
    pub const READAHEAD: u32 = 1 << 28;
    /// On a reclaimer's private list (counted in nr_isolated).
    pub const ISOLATED: u32 = 1 << 29;
    /// Read from a device again after reclaim had evicted it; recorded by the engine only.
    pub const REREAD: u32 = 1 << 30;
    /// All flags.
    pub const ALL: u32 = 0xffff << 16;
}

/// The record of one page frame: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Page {
    /// Slot on the page's list, [`ListSlot::NONE`] if it is on none.
    pub slot: ListSlot,
    /// Index within the owner: page of the region, page of the file, swap slot.
    pub index: u32,
    /// Owner: space and region (16 bits each) of anonymous memory, [`SWAP_OWNER`] for a page in the
    /// swap cache, a file, a pool; `u32::MAX` if none.
    pub owner: u32,
    /// kind (4 bits), order (4), zone (8), page flags (16, see [`flag`]).
    pub meta: u32,
}

/// The record is hashed as two words, because there are millions of records.
impl State for Page {
    fn flip(&mut self, walk: &mut Walk) {
        walk.field("Page.slot", &mut self.slot);
        walk.field("Page.index", &mut self.index);
        walk.field("Page.owner", &mut self.owner);
        walk.field("Page.meta", &mut self.meta);
    }
    #[inline]
    fn hash(&self, hasher: &mut StateHasher) {
        hasher.word(u64::from(self.slot.get()) | u64::from(self.index) << 32);
        hasher.word(u64::from(self.owner) | u64::from(self.meta) << 32);
    }
    fn is_at_rest(&self) -> bool {
        *self == Self::absent()
    }
}

impl Page {
    /// A frame without memory.
    pub const fn absent() -> Self {
        Self {
            slot: ListSlot::NONE,
            index: 0,
            owner: u32::MAX,
            meta: 0,
        }
    }
    /// Removes the page from its list; returns its former slot, for
    /// [`Lists::vacate`](crate::list::Lists::vacate).
    #[inline(always)]
    pub const fn leave_list(&mut self) -> ListSlot {
        std::mem::replace(&mut self.slot, ListSlot::NONE)
    }
    /// Makes the page the head of a block of `order`, used for `kind`. The caller updates the
    /// zone's counts.
    #[inline(always)]
    pub fn head(&mut self, kind: PageKind, order: u8) {
        self.meta = self.meta & !0xff | u32::from(order) << 4 | kind as u32;
    }
    /// Use of the page.
    #[inline]
    pub fn kind(self) -> PageKind {
        ALL_KINDS[self.kind_bits()]
    }
    /// Use of the page as a number.
    #[inline(always)]
    pub const fn kind_bits(self) -> usize {
        (self.meta & 15) as usize
    }
    /// Does the page have this use?
    #[inline(always)]
    pub const fn is(self, kind: PageKind) -> bool {
        self.kind_bits() == kind as usize
    }
    /// Order of the block that the page heads.
    #[inline]
    pub const fn order(self) -> u8 {
        (self.meta >> 4 & 15) as u8
    }
    /// The swap slot of a page in the swap cache: its owner is [`SWAP_OWNER`].
    #[inline]
    pub const fn swap_slot(self) -> SwapSlot {
        SwapSlot::new(self.index)
    }
    /// Zone index.
    #[inline]
    pub const fn zone(self) -> ZoneIndex {
        ZoneIndex::new((self.meta >> 8) as u8)
    }
    /// Are all of these [`flag`]s set?
    #[inline]
    pub const fn has(self, flags: u32) -> bool {
        self.meta & flags == flags
    }
    /// Sets these flags.
    #[inline]
    pub const fn set(&mut self, flags: u32) {
        self.meta |= flags;
    }
    /// Clears these flags.
    #[inline]
    pub const fn clear(&mut self, flags: u32) {
        self.meta &= !flags;
    }
    /// Clears these flags; returns true if all were set (`TestClearPage...`).
    #[inline]
    pub const fn test_clear(&mut self, flags: u32) -> bool {
        let had = self.has(flags);
        self.clear(flags);
        had
    }
    /// Swap-backed: the page belongs on the anonymous lists (`page_is_file_lru` negated).
    #[inline]
    pub fn is_anon(self) -> bool {
        self.is(PageKind::Anon) || self.is(PageKind::HugeAnon)
    }
    /// Is the page on the LRU lists, or isolated from them, but without a user, because its process
    /// or file no longer exists (`page_count(page) == 1`)?
    #[inline]
    pub fn is_orphan(self) -> bool {
        self.owner == u32::MAX && (self.is(PageKind::Anon) || self.is(PageKind::File))
    }
    /// The LRU list on which the page belongs (`page_lru`).
    #[inline]
    pub fn lru(self) -> u8 {
        if self.has(flag::UNEVICTABLE) {
            return LRU_UNEVICTABLE;
        }
        let file = if self.is_anon() { 0 } else { 2 };
        file + u8::from(self.has(flag::ACTIVE))
    }
}
