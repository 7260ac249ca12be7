//! Page frames, zones, free lists and per-cpu lists (linux/mmzone.h).
//!
//! Modelled: one 16-byte record a page frame, free areas per zone, order and migrate type,
//! pageblock types, per-cpu lists, the watermarks a zone is compared with, LRU lists owned by the
//! zone or by the node.
//! Left out: struct page fields nothing reads.
//! Invariants: every frame that exists is in exactly one block; only a block's head has a kind
//! other than `Tail`; `nr_free_pages` equals the sum of its free blocks; `kinds` counts every page.
//!
//! Frames are numbered densely: each zone has a run of its own, aligned so that
//! `frame XOR (1 << order)` is the buddy as it is with page frame numbers, and large holes take
//! no records. [`Memory::pfn`] translates for people.

use crate::gfp::{PCP_TYPES, TYPES};
use crate::kernel::LruOwner;
use crate::layout::Layout;
use crate::list::{ListId, Lists};
use crate::touched::Touched;

/// Orders the engine has room for: ppc64 with 4 KiB pages has 13.
pub const MAX_ORDERS: usize = 13;
/// Zone types the engine has room for (DMA DMA32 Normal HighMem Movable Device).
pub const MAX_ZONE_TYPES: usize = 6;

/// What a block of frames is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum PageKind {
    /// No memory at this frame.
    Absent = 0,
    /// Not managed: firmware, memmap, kernel image.
    Reserved,
    /// Part of a block whose head is at a lower frame.
    Tail,
    /// Head of a block on a buddy free list.
    Free,
    /// On a per-cpu list.
    Pcp,
    /// In somebody's hand: allocated, not yet put to use, or being freed.
    InFlight,
    /// Anonymous memory of a process; `owner` is its space, `index` its place there.
    Anon,
    /// Anonymous huge page.
    HugeAnon,
    /// A page table; `owner` is its space.
    PageTable,
    /// A block some kernel user holds; `owner` is the pool.
    Kernel,
    /// A page of a file in the page cache; `owner` is the file, `index` its place there.
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

/// Owner of an anonymous page in the swap cache: its `index` is the swap slot, which knows the
/// one page table entry that refers to it.
pub const SWAP_OWNER: u32 = u32::MAX - 1;

/// Page flags (linux/page-flags.h), as bits of [`Page::meta`].
pub mod flag {
    /// PG_lru: on an LRU list.
    pub const LRU: u32 = 1 << 16;
    /// PG_active: belongs to an active list.
    pub const ACTIVE: u32 = 1 << 17;
    /// PG_referenced: touched once.
    pub const REFERENCED: u32 = 1 << 18;
    /// PG_dirty.
    pub const DIRTY: u32 = 1 << 19;
    /// PG_writeback: being written.
    pub const WRITEBACK: u32 = 1 << 20;
    /// PG_reclaim: to the tail of the inactive list when its write ends.
    pub const RECLAIM: u32 = 1 << 21;
    /// PG_swapcache.
    pub const SWAPCACHE: u32 = 1 << 22;
    /// PG_workingset: was active when it was deactivated.
    pub const WORKINGSET: u32 = 1 << 23;
    /// PG_unevictable.
    pub const UNEVICTABLE: u32 = 1 << 24;
    /// PG_mlocked.
    pub const MLOCKED: u32 = 1 << 25;
    /// PG_locked: being read, or in a reclaimer's hand.
    pub const LOCKED: u32 = 1 << 26;
    /// At least one page table entry maps it (`page_mapped`).
    pub const MAPPED: u32 = 1 << 27;
    /// PG_readahead: reaching it starts the next read-ahead.
    pub const READAHEAD: u32 = 1 << 28;
    /// In a reclaimer's private list (counted in nr_isolated).
    pub const ISOLATED: u32 = 1 << 29;
    /// Read from a device again after reclaim had taken it; a note of the engine's own.
    pub const REREAD: u32 = 1 << 30;
    /// All flags.
    pub const ALL: u32 = 0xffff << 16;
}

/// The record of one page frame: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Page {
    /// Slot on the list it is on, `u32::MAX` when on none.
    pub slot: u32,
    /// Place in the owner: page of the region, page of the file, swap slot.
    pub index: u32,
    /// Owner: space and region (16 bits each) of anonymous memory, [`SWAP_OWNER`] while it is in
    /// the swap cache, a file, a pool; `u32::MAX` when none.
    pub owner: u32,
    /// kind (4 bits), order (4), zone (8), page flags (16, see [`flag`]).
    pub meta: u32,
}

impl std::hash::Hash for Page {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.slot) | u64::from(self.index) << 32);
        state.write_u64(u64::from(self.owner) | u64::from(self.meta) << 32);
    }
}

impl Page {
    /// A frame without memory.
    pub const fn absent() -> Self {
        Self {
            slot: u32::MAX,
            index: 0,
            owner: u32::MAX,
            meta: 0,
        }
    }
    /// What it is used for.
    #[inline]
    pub fn kind(self) -> PageKind {
        ALL_KINDS[(self.meta & 15) as usize]
    }
    /// Order of the block it heads.
    #[inline]
    pub const fn order(self) -> u8 {
        (self.meta >> 4 & 15) as u8
    }
    /// Zone index.
    #[inline]
    pub const fn zone(self) -> u8 {
        (self.meta >> 8) as u8
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
    /// Clears these flags; were they all set (`TestClearPage...`)?
    #[inline]
    pub const fn test_clear(&mut self, flags: u32) -> bool {
        let had = self.has(flags);
        self.clear(flags);
        had
    }
    /// Swap-backed: belongs on the anonymous lists (`page_is_file_lru` negated).
    #[inline]
    pub fn is_anon(self) -> bool {
        matches!(self.kind(), PageKind::Anon | PageKind::HugeAnon)
    }
    /// On the LRU lists, or isolated from them, but of no use to anybody: the process or file it
    /// was for is gone (`page_count(page) == 1`).
    #[inline]
    pub fn is_orphan(self) -> bool {
        self.owner == u32::MAX && matches!(self.kind(), PageKind::Anon | PageKind::File)
    }
    /// The LRU list it belongs on (`page_lru`).
    #[inline]
    pub fn lru(self) -> u8 {
        if self.has(flag::UNEVICTABLE) {
            return LRU_UNEVICTABLE;
        }
        let file = if self.is_anon() { 0 } else { 2 };
        file + u8::from(self.has(flag::ACTIVE))
    }
}

/// Index of an LRU list (`enum lru_list`).
pub const LRU_INACTIVE_ANON: u8 = 0;
/// Index of an LRU list.
pub const LRU_ACTIVE_ANON: u8 = 1;
/// Index of an LRU list.
pub const LRU_INACTIVE_FILE: u8 = 2;
/// Index of an LRU list.
pub const LRU_ACTIVE_FILE: u8 = 3;
/// Index of an LRU list: locked in memory.
pub const LRU_UNEVICTABLE: u8 = 4;
/// LRU lists of an owner.
pub const LRU_LISTS: usize = 5;

/// A page count a zone keeps (`enum zone_stat_item`, `node_stat_item`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Gauge {
    /// NR_FILE_DIRTY.
    Dirty,
    /// NR_WRITEBACK, swap writes included.
    Writeback,
    /// NR_FILE_MAPPED: pages of files some page table maps.
    FileMapped,
    /// NR_SWAPCACHE.
    SwapCache,
    /// NR_SLAB_RECLAIMABLE.
    SlabReclaimable,
    /// NR_SLAB_UNRECLAIMABLE.
    SlabUnreclaimable,
    /// NR_MLOCK.
    Mlock,
}
/// Number of [`Gauge`]s.
pub const GAUGES: usize = 7;

/// One set of LRU lists, owned by a zone or by a node (`struct lruvec`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lruvec {
    /// Node.
    pub node: u8,
    /// Zone that owns it, `u8::MAX` when the node does.
    pub zone: u8,
    /// Pages on each list.
    pub nr: [u32; LRU_LISTS],
    /// Isolated pages, anonymous and file.
    pub isolated: [u32; 2],
    /// Pages scanned or added lately, anonymous and file (`recent_scanned`; per-zone era).
    pub recent_scanned: [u64; 2],
    /// Of these, found worth keeping (`recent_rotated`; per-zone era).
    pub recent_rotated: [u64; 2],
    /// Pages scanned since a page of it was last freed (`pages_scanned`; per-zone era).
    pub pages_scanned: u32,
    /// kswapd gave up on it (`all_unreclaimable`; per-zone era).
    pub all_unreclaimable: bool,
    /// ZONE_CONGESTED, LRUVEC_CONGESTED.
    pub congested: bool,
    /// A `zone_reclaim` is under way (ZONE_RECLAIM_LOCKED, PGDAT_RECLAIM_LOCKED).
    pub reclaim_locked: bool,
    /// ZONE_TAIL_LRU_DIRTY: a batch was all dirty pages no flusher had begun to write (3.11 to
    /// 4.7; since, the node's).
    pub tail_dirty: bool,
    /// ZONE_WRITEBACK: a batch was all pages under writeback (3.11 to 4.7; since, the node's).
    pub writeback: bool,
    /// Cost of reclaiming anonymous memory and files (`anon_cost`, `file_cost`; from 5.8).
    pub cost: [u64; 2],
    /// WORKINGSET_ACTIVATE_ANON and _FILE when the last full reclaim ended (`refaults`).
    pub refaults: [u64; 2],
    /// Refaults that were activated, anonymous and file (`WORKINGSET_ACTIVATE_BASE`).
    pub activated: [u64; 2],
    /// Evictions and activations so far (`nonresident_age`).
    pub nonresident_age: u64,
}

impl Lruvec {
    /// Empty lists.
    pub(crate) fn new(node: u8, zone: u8) -> Self {
        Self {
            node,
            zone,
            nr: [0; LRU_LISTS],
            isolated: [0; 2],
            recent_scanned: [0; 2],
            recent_rotated: [0; 2],
            pages_scanned: 0,
            all_unreclaimable: false,
            congested: false,
            reclaim_locked: false,
            tail_dirty: false,
            writeback: false,
            cost: [0; 2],
            refaults: [0; 2],
            activated: [0; 2],
            nonresident_age: 0,
        }
    }
}

/// Names of a zone's NUMA statistics, in the order of [`Zone::numa`].
pub const NUMA_COUNTERS: [&str; 6] = [
    "numa_hit",
    "numa_miss",
    "numa_foreign",
    "numa_interleave",
    "numa_local",
    "numa_other",
];

/// Watermarks, by index.
pub const WMARK_MIN: u8 = 0;
/// Index of the low mark.
pub const WMARK_LOW: u8 = 1;
/// Index of the high mark.
pub const WMARK_HIGH: u8 = 2;

/// One populated zone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Zone {
    /// Node id.
    pub node: u8,
    /// Index into the layout's zone types.
    pub kind: u8,
    /// First dense frame.
    pub first: u32,
    /// Dense frames, holes included.
    pub frames: u32,
    /// Pages in the buddy allocator.
    pub managed: u32,
    /// Pages that exist.
    pub present: u32,
    /// min, low, high in pages, without boost.
    pub wmark: [u32; 3],
    /// Boost in pages, added to every mark.
    pub boost: u32,
    /// Pages it may still give before it is other zones' turn (NR_ALLOC_BATCH; 3.12 to 4.7). May go
    /// negative; 0 without the fair zone policy.
    pub alloc_batch: i32,
    /// kswapd is balancing it (ZONE_RECLAIM_ACTIVE, from 5.14).
    pub reclaim_active: bool,
    /// lowmem_reserve per class zone, pages.
    pub protection: [u32; MAX_ZONE_TYPES],
    /// NR_FREE_PAGES.
    pub nr_free_pages: u32,
    /// Pages in HighAtomic blocks.
    pub nr_reserved_highatomic: u32,
    /// Free blocks per order.
    pub nr_free: [u32; MAX_ORDERS],
    /// Pages per [`PageKind`] (blocks count whole).
    pub kinds: [u32; KINDS],
    /// Per-cpu list limits: pages a CPU may hold, pages moved at once.
    pub pcp_high: u32,
    /// Pages moved at once.
    pub pcp_batch: u32,
    /// See [`NUMA_COUNTERS`].
    pub numa: [u64; 6],
    /// Its LRU lists' owner, index into `Memory::lruvecs`.
    pub lruvec: u8,
    /// Pages of this zone on each LRU list.
    pub lru: [u32; LRU_LISTS],
    /// Pages of this zone by [`Gauge`].
    pub gauge: [u32; GAUGES],
}

impl Zone {
    /// Mark plus boost, as every reader of a mark sees it (`wmark_pages`).
    #[inline]
    pub fn mark(&self, index: u8) -> u32 {
        self.wmark[index as usize] + self.boost
    }
    /// Pages counted by a gauge.
    #[inline]
    pub fn gauge(&self, gauge: Gauge) -> u32 {
        self.gauge[gauge as usize]
    }
}

/// A run of frames whose page frame numbers are consecutive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment {
    /// First dense frame.
    pub frame: u32,
    /// Page frame number of that frame.
    pub pfn: u64,
    /// Length in frames.
    pub len: u32,
}

/// All physical memory.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// Page records by dense frame.
    pub pages: Touched<Page>,
    /// Free lists and per-cpu lists.
    pub lists: Lists,
    /// Migrate type per dense pageblock.
    pub blocks: Vec<u8>,
    /// Populated zones by node, then type.
    pub zones: Vec<Zone>,
    /// LRU lists, one set a zone or one a node.
    pub lruvecs: Vec<Lruvec>,
    /// Pages each (zone, cpu) holds on its per-cpu lists.
    pub pcp_count: Vec<u32>,
    /// How often each (zone, cpu) gave pages back since it last took one (`free_factor`, from 5.14).
    pub pcp_free_factor: Vec<u8>,
    /// Dense frames to page frame numbers, ascending in both per zone.
    pub segments: Vec<Segment>,
    /// Number of orders.
    pub orders: u8,
    /// Order of a pageblock.
    pub pageblock_order: u8,
    /// CPUs.
    pub cpus: u16,
    /// Highest order with per-cpu lists plus one; 0 when per-cpu lists are off.
    pub pcp_orders: u8,
    /// True when there is a per-cpu list for huge pages as well.
    pub pcp_huge: bool,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self {
            pages: self.pages.clone(),
            lists: self.lists.clone(),
            blocks: self.blocks.clone(),
            zones: self.zones.clone(),
            lruvecs: self.lruvecs.clone(),
            pcp_count: self.pcp_count.clone(),
            pcp_free_factor: self.pcp_free_factor.clone(),
            segments: self.segments.clone(),
            ..*self
        }
    }
    /// Copies into memory already there: what makes rewinding a big machine quick.
    fn clone_from(&mut self, from: &Self) {
        self.pages.clone_from(&from.pages);
        self.lists.clone_from(&from.lists);
        self.blocks.clone_from(&from.blocks);
        self.zones.clone_from(&from.zones);
        self.lruvecs.clone_from(&from.lruvecs);
        self.pcp_count.clone_from(&from.pcp_count);
        self.pcp_free_factor.clone_from(&from.pcp_free_factor);
        self.segments.clone_from(&from.segments);
        self.orders = from.orders;
        self.pageblock_order = from.pageblock_order;
        self.cpus = from.cpus;
        self.pcp_orders = from.pcp_orders;
        self.pcp_huge = from.pcp_huge;
    }
}

impl Memory {
    /// Per-cpu lists of one (zone, cpu).
    fn pcp_lists(&self) -> u32 {
        u32::from(self.pcp_orders) * u32::from(PCP_TYPES) + u32::from(self.pcp_huge)
    }

    /// The free list of a zone, order and migrate type.
    #[inline]
    pub fn free_list(&self, zone: u8, order: u8, migratetype: u8) -> ListId {
        (u32::from(zone) * u32::from(self.orders) + u32::from(order)) * u32::from(TYPES)
            + u32::from(migratetype)
    }

    /// True when blocks of this order go through the per-cpu lists (`pcp_allowed_order`).
    #[inline]
    pub fn pcp_allowed(&self, order: u8) -> bool {
        order < self.pcp_orders || (self.pcp_huge && order == self.pageblock_order)
    }

    /// The per-cpu list of a zone, CPU, order and migrate type (`order_to_pindex`).
    #[inline]
    pub fn pcp_list(&self, zone: u8, cpu: u16, order: u8, migratetype: u8) -> ListId {
        let within = if order < self.pcp_orders {
            u32::from(order) * u32::from(PCP_TYPES) + u32::from(migratetype)
        } else {
            self.pcp_lists() - 1
        };
        self.free_lists() + self.pcp_at(zone, cpu) as u32 * self.pcp_lists() + within
    }

    /// Index of a (zone, cpu) pair in `pcp_count`.
    #[inline]
    pub fn pcp_at(&self, zone: u8, cpu: u16) -> usize {
        usize::from(zone) * usize::from(self.cpus) + usize::from(cpu)
    }

    fn free_lists(&self) -> u32 {
        self.zones.len() as u32 * u32::from(self.orders) * u32::from(TYPES)
    }

    /// Lists below the LRU lists.
    fn first_lru_list(&self) -> u32 {
        self.free_lists() + self.zones.len() as u32 * u32::from(self.cpus) * self.pcp_lists()
    }

    /// Lists needed in all.
    fn list_count(&self) -> u32 {
        self.first_lru_list() + (self.lruvecs.len() * LRU_LISTS) as u32
    }

    /// An LRU list of an owner.
    #[inline]
    pub fn lru_list(&self, lruvec: u8, lru: u8) -> ListId {
        self.first_lru_list() + u32::from(lruvec) * LRU_LISTS as u32 + u32::from(lru)
    }

    /// Owner of the LRU lists a frame belongs to.
    #[inline]
    pub fn lruvec_of(&self, frame: u32) -> u8 {
        self.zones[self.pages[frame as usize].zone() as usize].lruvec
    }

    /// A page of a zone has come back to the buddy lists: reclaim there is not in vain
    /// (`free_one_page` and `free_pcppages_bulk` with per-zone lists).
    #[inline]
    pub fn forgive(&mut self, zone: u8) {
        let owner = self.zones[zone as usize].lruvec as usize;
        if let Some(l) = self.lruvecs.get_mut(owner).filter(|l| l.zone == zone) {
            (l.pages_scanned, l.all_unreclaimable) = (0, false);
        }
    }

    /// Counts pages of a frame's zone.
    #[inline]
    pub fn count(&mut self, frame: u32, gauge: Gauge, by: i32) {
        let zone = self.pages[frame as usize].zone();
        let g = &mut self.zones[zone as usize].gauge[gauge as usize];
        *g = g.wrapping_add_signed(by);
    }

    /// Migrate type of the pageblock a frame lies in.
    #[inline]
    pub fn block_type(&self, frame: u32) -> u8 {
        self.blocks[(frame >> self.pageblock_order) as usize]
    }

    /// Sets the migrate type of the pageblock a frame lies in.
    #[inline]
    pub fn set_block_type(&mut self, frame: u32, migratetype: u8) {
        self.blocks[(frame >> self.pageblock_order) as usize] = migratetype;
    }

    /// Makes `frame` the head of a block of `order` used for `kind`, and keeps the zone's counts.
    #[inline]
    pub fn set_kind(&mut self, frame: u32, kind: PageKind, order: u8) {
        let page = &mut self.pages[frame as usize];
        let zone = &mut self.zones[page.zone() as usize];
        zone.kinds[page.kind() as usize] -= 1 << order;
        zone.kinds[kind as usize] += 1 << order;
        page.meta = page.meta & !0xff | u32::from(order) << 4 | kind as u32;
    }

    /// The page frame number of a dense frame.
    pub fn pfn(&self, frame: u32) -> u64 {
        let i = self.segments.partition_point(|s| s.frame <= frame);
        match i.checked_sub(1).map(|i| self.segments[i]) {
            Some(s) => s.pfn + u64::from(frame - s.frame),
            None => u64::from(frame),
        }
    }

    /// The dense frame of a page frame number, if memory is there.
    pub fn frame(&self, pfn: u64) -> Option<u32> {
        let s = self
            .segments
            .iter()
            .find(|s| s.pfn <= pfn && pfn - s.pfn < u64::from(s.len))?;
        let frame = s.frame + (pfn - s.pfn) as u32;
        (self.pages[frame as usize].kind() != PageKind::Absent).then_some(frame)
    }

    /// What is written from here on is noted anew; see [`Touched::rebase`].
    pub fn rebase(&mut self) {
        self.pages.rebase();
        self.lists.rebase();
    }

    /// Bytes one copy of all this takes.
    pub fn bytes(&self) -> usize {
        self.pages.len() * size_of::<Page>()
            + self.lists.bytes()
            + self.blocks.len()
            + self.zones.len() * size_of::<Zone>()
            + self.pcp_count.len() * 4
    }

    /// Puts a block on a free list and counts it: at the head, or at the tail.
    #[inline]
    pub fn add_free(&mut self, frame: u32, order: u8, migratetype: u8, to_tail: bool) {
        let zone = self.pages[frame as usize].zone();
        let list = self.free_list(zone, order, migratetype);
        self.set_kind(frame, PageKind::Free, order);
        if to_tail {
            self.lists.push_tail(&mut self.pages, list, frame);
        } else {
            self.lists.push_head(&mut self.pages, list, frame);
        }
        let zone = &mut self.zones[zone as usize];
        zone.nr_free[order as usize] += 1;
        zone.nr_free_pages += 1 << order;
    }

    /// Takes a block off its free list; it is in flight then.
    #[inline]
    pub fn del_free(&mut self, frame: u32) -> u8 {
        let page = self.pages[frame as usize];
        let order = page.order();
        self.lists.remove(&mut self.pages, frame);
        let zone = &mut self.zones[page.zone() as usize];
        zone.nr_free[order as usize] -= 1;
        zone.nr_free_pages -= 1 << order;
        self.set_kind(frame, PageKind::InFlight, order);
        order
    }

    /// Is `frame` the head of a free block of exactly `order` in zone `zone` (`page_is_buddy`)?
    #[inline]
    pub fn is_free_block(&self, frame: u32, order: u8, zone: u8) -> bool {
        let want = u32::from(zone) << 8 | u32::from(order) << 4 | PageKind::Free as u32;
        self.pages
            .get(frame as usize)
            .is_some_and(|p| p.meta & 0xffff == want)
    }

    /// Two in-flight buddies become one block of `order + 1`; returns its head.
    #[inline]
    pub fn join(&mut self, frame: u32, order: u8) -> u32 {
        let low = frame & !(1 << order);
        let high = low | 1 << order;
        self.pages[high as usize].meta =
            self.pages[high as usize].meta & !0xff | PageKind::Tail as u32;
        let page = &mut self.pages[low as usize];
        page.meta = page.meta & !0xff | u32::from(order + 1) << 4 | PageKind::InFlight as u32;
        low
    }

    /// Halves an in-flight block of `order`; returns the head of its upper half.
    #[inline]
    pub fn halve(&mut self, frame: u32, order: u8) -> u32 {
        let upper = frame + (1 << (order - 1));
        for half in [frame, upper] {
            let page = &mut self.pages[half as usize];
            page.meta = page.meta & !0xff | u32::from(order - 1) << 4 | PageKind::InFlight as u32;
        }
        upper
    }
}

/// Lays out physical memory: every managed page free in the largest blocks, all pageblocks
/// movable, blocks listed ascending (`to_tail`, from 5.10) or descending (before).
pub fn memmap_init(
    layout: &Layout,
    cpus: u16,
    pcp: (u8, bool),
    to_tail: bool,
    lru_owner: LruOwner,
) -> Memory {
    let (orders, pageblock_order) = (layout.geometry.orders, layout.geometry.pageblock_order);
    let mut mem = Memory {
        pages: Touched::default(),
        lists: Lists::new(0, 0),
        blocks: Vec::new(),
        zones: Vec::new(),
        lruvecs: Vec::new(),
        pcp_count: Vec::new(),
        pcp_free_factor: Vec::new(),
        segments: Vec::new(),
        orders,
        pageblock_order,
        cpus,
        pcp_orders: pcp.0,
        pcp_huge: pcp.1,
    };
    let mut managed = Vec::new();
    for (zone, kind) in layout.nodes.iter().flat_map(|n| n.zones.iter().zip(0..)) {
        if zone.is_populated() {
            managed.push(add_zone(&mut mem, zone, kind));
        }
    }
    add_lruvecs(&mut mem, lru_owner);
    mem.lists = Lists::new(mem.list_count() as usize, mem.pages.len());
    mem.blocks = block_types(layout, &mem);
    mem.pcp_count = vec![0; mem.zones.len() * usize::from(cpus)];
    mem.pcp_free_factor = vec![0; mem.pcp_count.len()];
    for runs in managed {
        for (start, end) in runs {
            free_run(&mut mem, start, end, to_tail);
        }
    }
    mem
}

/// Pageblocks are movable, but those whose first page is no memory: they keep the type that is
/// number 0 (`memmap_init_range`). Mostly that is the first one, as page 0 belongs to the firmware.
fn block_types(layout: &Layout, mem: &Memory) -> Vec<u8> {
    let mut ranges = Vec::new();
    for node in &layout.nodes {
        for zone in &node.zones {
            ranges.extend_from_slice(&zone.ranges);
        }
    }
    let is_memory = |pfn: u64| {
        let mut ranges = ranges.iter();
        ranges.any(|r| (r.start..r.start + r.pages).contains(&pfn))
    };
    let firsts = (0..mem.pages.len()).step_by(1 << mem.pageblock_order);
    let first_pfns = firsts.map(|frame| mem.pfn(frame as u32));
    first_pfns
        .map(|pfn| match is_memory(pfn) {
            true => crate::gfp::MOVABLE,
            false => crate::gfp::UNMOVABLE,
        })
        .collect()
}

/// Gives every zone, or every node, its LRU lists.
fn add_lruvecs(mem: &mut Memory, owner: LruOwner) {
    let Memory { zones, lruvecs, .. } = mem;
    for (z, zone) in (0u8..).zip(zones) {
        match lruvecs.last() {
            Some(last) if owner == LruOwner::Node && last.node == zone.node => {}
            _ => {
                let owner = if owner == LruOwner::Node { u8::MAX } else { z };
                lruvecs.push(Lruvec::new(zone.node, owner));
            }
        }
        zone.lruvec = lruvecs.len() as u8 - 1;
    }
}

/// Gives a zone its frames; returns its runs of managed frames.
fn add_zone(mem: &mut Memory, zone: &crate::layout::ZoneLayout, kind: u8) -> Vec<(u32, u32)> {
    let block = 1u64 << (mem.orders - 1);
    let index = mem.zones.len() as u32;
    let first = mem.pages.len() as u32;
    let present: u64 = zone.ranges.iter().map(|r| r.pages).sum();
    let mut reserved = zone.reserved();
    let mut runs = Vec::new();
    for range in &zone.ranges {
        let (start, end) = (range.start, range.start + range.pages);
        let aligned = start & !(block - 1);
        // A range that begins in the block the last one ended in shares that block's records.
        let frame_of = match mem.segments.last() {
            Some(s) if s.frame >= first && aligned < s.pfn + u64::from(s.len) => {
                let s = *s;
                s.frame + (aligned - s.pfn) as u32
            }
            _ => mem.pages.len() as u32,
        };
        let padded = (end.next_multiple_of(block) - aligned) as u32;
        let need = (frame_of + padded) as usize;
        if need > mem.pages.len() {
            let mut page = Page::absent();
            page.meta = index << 8;
            mem.pages.grow(need, page);
        }
        mem.segments.push(Segment {
            frame: frame_of,
            pfn: aligned,
            len: padded,
        });
        let from = frame_of + (start - aligned) as u32;
        let to = from + (end - start) as u32;
        let kept = reserved.min(u64::from(to - from)) as u32;
        reserved -= u64::from(kept);
        for frame in from..to {
            let kind = if frame < from + kept {
                PageKind::Reserved
            } else {
                PageKind::Tail
            };
            mem.pages[frame as usize].meta = index << 8 | kind as u32;
        }
        runs.push((from + kept, to));
    }
    let mut kinds = [0; KINDS];
    kinds[PageKind::Reserved as usize] = (present - zone.managed) as u32;
    kinds[PageKind::InFlight as usize] = zone.managed as u32;
    mem.zones.push(Zone {
        node: zone.node as u8,
        kind,
        first,
        frames: mem.pages.len() as u32 - first,
        managed: zone.managed as u32,
        present: present as u32,
        wmark: [0; 3],
        boost: 0,
        alloc_batch: 0,
        reclaim_active: false,
        protection: [0; MAX_ZONE_TYPES],
        nr_free_pages: 0,
        nr_reserved_highatomic: 0,
        nr_free: [0; MAX_ORDERS],
        kinds,
        pcp_high: 0,
        pcp_batch: 1,
        numa: [0; 6],
        lruvec: 0,
        lru: [0; LRU_LISTS],
        gauge: [0; GAUGES],
    });
    runs
}

/// Frees a run of frames in the largest aligned blocks, ascending.
fn free_run(mem: &mut Memory, start: u32, end: u32, to_tail: bool) {
    let mut frame = start;
    while frame < end {
        let aligned = if frame == 0 {
            mem.orders - 1
        } else {
            frame.trailing_zeros().min(31) as u8
        };
        let fits = (end - frame).ilog2() as u8;
        let order = aligned.min(fits).min(mem.orders - 1);
        let page = &mut mem.pages[frame as usize];
        page.meta = page.meta & !0xff | u32::from(order) << 4 | PageKind::InFlight as u32;
        mem.add_free(frame, order, mem.block_type(frame), to_tail);
        frame += 1 << order;
    }
}
