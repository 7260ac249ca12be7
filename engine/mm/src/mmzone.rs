//! Page frames, zones, free lists and per-cpu lists (linux/mmzone.h).
//!
//! Modelled: one 16-byte record per page frame, free areas per zone, order and migrate type,
//! pageblock types, per-cpu lists, the watermarks of a zone, LRU lists owned by the zone or by the
//! node.
//! Left out: struct page fields that nothing reads.
//! Invariants: every existing frame is in exactly one block; only a block's head has a kind other
//! than `Tail`. `nr_free_pages` equals the sum of the free blocks, plus what a locked section has
//! taken off a list and not yet counted (`free.rs`). `kinds` counts every page.
//!
//! Frames are numbered densely. Each zone has a range of its own, aligned so that `frame XOR (1 <<
//! order)` is the buddy, as with page frame numbers. Large holes have no records. [`Memory::pfn`]
//! converts a dense frame to the kernel's page frame number.

use facts::amount::Pages;
use facts::index::{
    CpuIndex, FrameIndex, GroupIndex, IndexVec, ListIndex, LruvecIndex, NodeIndex, ZoneIndex,
};
use facts::state::{CloneFrom, State, StateHasher};

mod boot;
mod free;
mod lru_gen;
mod page;

pub use boot::memmap_init;
pub(crate) use lru_gen::type_of;
pub use lru_gen::{
    GenBits, Joining, LruGen, MAX_NR_GENS, MIN_NR_GENS, TIERS, WalkState, gen_of_seq, tier_of,
};
pub use page::{ALL_KINDS, KINDS, Page, PageKind, SWAP_OWNER, flag};

use crate::gfp::{PCP_TYPES, TYPES};
use crate::list::Lists;
use crate::touched::Touched;

/// Maximum number of orders in the engine: ppc64 with 4 KiB pages has 13.
pub const MAX_ORDERS: usize = 13;
/// Maximum number of zone types in the engine (DMA DMA32 Normal HighMem Movable Device).
pub const MAX_ZONE_TYPES: usize = 6;

/// Index of an LRU list (`enum lru_list`).
pub const LRU_INACTIVE_ANON: u8 = 0;
/// Index of an LRU list.
pub const LRU_ACTIVE_ANON: u8 = 1;
/// Index of an LRU list.
pub const LRU_INACTIVE_FILE: u8 = 2;
/// Index of an LRU list.
pub const LRU_ACTIVE_FILE: u8 = 3;
/// Index of the LRU list of pages locked in memory.
pub const LRU_UNEVICTABLE: u8 = 4;
/// Number of LRU lists of an owner.
pub const LRU_LISTS: usize = 5;

/// A page count of a zone (`enum zone_stat_item`, `node_stat_item`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Gauge {
    /// NR_FILE_DIRTY.
    Dirty,
    /// NR_WRITEBACK, including swap writes.
    Writeback,
    /// NR_FILE_MAPPED: file pages mapped by a page table.
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
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Lruvec {
    /// Node of the lists.
    pub node: NodeIndex,
    /// Zone that owns the lists, `u8::MAX` if the node owns them.
    pub zone: ZoneIndex,
    /// Number of pages on each list.
    pub nr: [u32; LRU_LISTS],
    /// Number of isolated pages, anonymous and file.
    pub isolated: [u32; 2],
    /// Pages scanned or added recently, anonymous and file (`recent_scanned`; per-zone era).
    pub recent_scanned: [u64; 2],
    /// Number of these pages that reclaim put back (`recent_rotated`; per-zone era).
    pub recent_rotated: [u64; 2],
    /// Pages to scan on each list, accumulated until there are 32 (`nr_saved_scan`; up to 2.6.38).
    pub saved_scan: [u32; 4],
    /// Pages scanned since a page of the zone was last freed (`pages_scanned`; per-zone era).
    pub pages_scanned: u32,
    /// True if kswapd gave up on the zone (`all_unreclaimable`; per-zone era).
    pub all_unreclaimable: bool,
    /// ZONE_CONGESTED, LRUVEC_CONGESTED.
    pub congested: bool,
    /// True while a `zone_reclaim` is running (ZONE_RECLAIM_LOCKED, PGDAT_RECLAIM_LOCKED).
    pub reclaim_locked: bool,
    /// ZONE_TAIL_LRU_DIRTY: all pages of a batch were dirty, and no flusher had begun to write them
    /// (3.11 to 4.7; later a flag of the node).
    pub tail_dirty: bool,
    /// ZONE_WRITEBACK: all pages of a batch were under writeback (3.11 to 4.7; later a flag of the
    /// node).
    pub writeback: bool,
    /// Cost of reclaiming anonymous memory and files (`anon_cost`, `file_cost`; from 5.8).
    pub cost: [u64; 2],
    /// WORKINGSET_ACTIVATE_ANON and _FILE at the end of the last full reclaim (`refaults`).
    pub refaults: [u64; 2],
    /// Refaulted pages that were activated, anonymous and file (`WORKINGSET_ACTIVATE_BASE`).
    pub activated: [u64; 2],
    /// Evictions and activations so far (`nonresident_age`).
    pub nonresident_age: u64,
    /// Generations of the owner (`lrugen`); set once the multi-generational LRU was first switched
    /// on.
    pub lru_gen: Option<LruGen>,
    /// Pages on each list by zone type; empty without memory cgroups, where the zones count them
    /// (`lru_zone_size`).
    pub by_zone: Vec<[u32; LRU_LISTS]>,
}

impl Lruvec {
    /// A set of empty lists.
    pub(crate) fn new(node: NodeIndex, zone: ZoneIndex) -> Self {
        Self {
            node,
            zone,
            nr: [0; LRU_LISTS],
            isolated: [0; 2],
            recent_scanned: [0; 2],
            recent_rotated: [0; 2],
            saved_scan: [0; 4],
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
            lru_gen: None,
            by_zone: Vec::new(),
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

/// Index of the min watermark.
pub const WMARK_MIN: u8 = 0;
/// Index of the low watermark.
pub const WMARK_LOW: u8 = 1;
/// Index of the high watermark.
pub const WMARK_HIGH: u8 = 2;

/// One populated zone.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Zone {
    /// Node id.
    pub node: NodeIndex,
    /// Index into the layout's zone types.
    pub kind: u8,
    /// First dense frame.
    pub first: FrameIndex,
    /// Number of dense frames, holes included.
    pub frames: u32,
    /// Number of pages the buddy allocator manages.
    pub managed: u32,
    /// Number of pages that exist.
    pub present: u32,
    /// The watermarks min, low and high in pages, without boost.
    pub wmark: [Pages; 3],
    /// Binary logarithm of the number of requests for which compaction is deferred
    /// (`compact_defer_shift`).
    pub compact_defer_shift: u8,
    /// How often compaction was requested since it last failed (`compact_considered`).
    pub compact_considered: u32,
    /// Boost in pages, added to every watermark.
    pub boost: Pages,
    /// Pages the zone may still hand out before the other zones have their turn (NR_ALLOC_BATCH;
    /// 3.12 to 4.7). May become negative; 0 without the fair zone policy.
    pub alloc_batch: i32,
    /// True while kswapd is balancing the zone (ZONE_RECLAIM_ACTIVE, from 5.14).
    pub reclaim_active: bool,
    /// lowmem_reserve for each class zone, in pages.
    pub protection: [Pages; MAX_ZONE_TYPES],
    /// NR_FREE_PAGES.
    pub nr_free_pages: u32,
    /// Number of pages in HighAtomic blocks.
    pub nr_reserved_highatomic: u32,
    /// Number of free blocks of each order.
    pub nr_free: [u32; MAX_ORDERS],
    /// Number of pages of each [`PageKind`]; each page of a block counts.
    pub kinds: [u32; KINDS],
    /// Limit of the per-cpu lists: pages a CPU may hold.
    pub pcp_high: u32,
    /// Pages moved between a per-cpu list and the buddy lists in one batch.
    pub pcp_batch: u32,
    /// NUMA statistics, see [`NUMA_COUNTERS`].
    pub numa: [u64; 6],
    /// Owner of the zone's LRU lists, an index into `Memory::lruvecs`.
    pub lruvec: LruvecIndex,
    /// Pages of this zone on each LRU list.
    pub lru: [u32; LRU_LISTS],
    /// Pages of this zone by [`Gauge`].
    pub gauge: [u32; GAUGES],
    /// Pages of this zone by generation, anonymous and file (`lrugen.nr_pages`); 0 with memory cgroups,
    /// whose generations have numbers of their own.
    pub gen_pages: [[u32; 2]; MAX_NR_GENS],
}

impl Zone {
    /// The first frame above the zone.
    #[inline]
    pub const fn end(&self) -> FrameIndex {
        self.first.plus(self.frames)
    }

    /// Whether the zone spans this frame.
    #[inline]
    pub fn spans(&self, frame: FrameIndex) -> bool {
        (self.first..self.end()).contains(&frame)
    }

    /// All frames that the zone spans, holes included, in order.
    pub fn all_frames(&self) -> impl DoubleEndedIterator<Item = FrameIndex> + Clone + use<> {
        self.first.until(self.end())
    }

    /// Makes a page of this zone the head of a block of `order`, used for `kind`.
    #[inline(always)]
    fn turn(&mut self, page: &mut Page, kind: PageKind, order: u8) {
        self.kinds[page.kind_bits()] -= 1 << order;
        self.kinds[kind as usize] += 1 << order;
        page.head(kind, order);
    }

    /// The watermark plus boost, as every reader of a watermark sees it (`wmark_pages`).
    #[inline]
    pub fn mark(&self, index: u8) -> Pages {
        self.wmark[index as usize] + self.boost
    }
    /// Pages counted by a gauge.
    #[inline]
    pub fn gauge(&self, gauge: Gauge) -> u32 {
        self.gauge[gauge as usize]
    }
}

/// A range of frames with consecutive page frame numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Segment {
    /// First dense frame.
    pub frame: FrameIndex,
    /// Page frame number of that frame.
    pub pfn: u64,
    /// Length in frames.
    pub len: u32,
}

/// All physical memory.
#[derive(Debug, PartialEq, Eq, State, CloneFrom)]
#[state(also = hash_list_ends)]
pub struct Memory {
    /// Page records by dense frame.
    pub pages: Touched<Page, FrameIndex>,
    /// Free lists and per-cpu lists.
    pub lists: Lists,
    /// Migrate type per dense pageblock.
    pub blocks: Vec<u8>,
    /// Populated zones by node, then type.
    pub zones: IndexVec<ZoneIndex, Zone>,
    /// LRU lists, one set per zone or one per node. With memory cgroups, a set for each cgroup and
    /// node; those of the root come first.
    pub lruvecs: IndexVec<LruvecIndex, Lruvec>,
    /// The memory cgroup that each page is charged to, 0 for none; empty without cgroups.
    pub groups: Touched<u8, FrameIndex>,
    /// Number of sets of LRU lists per cgroup; 0 without cgroups.
    pub lists_each: u8,
    /// Pages that each (zone, cpu) holds on its per-cpu lists.
    pub pcp_count: Vec<u32>,
    /// How often each (zone, cpu) freed pages since a page was last taken from its lists
    /// (`free_factor`, from 5.14).
    pub pcp_free_factor: Vec<u8>,
    /// Maps dense frames to page frame numbers; both ascend within a zone.
    pub segments: Vec<Segment>,
    /// Number of orders.
    pub orders: u8,
    /// Order of a pageblock.
    pub pageblock_order: u8,
    /// Number of CPUs.
    pub cpus: u16,
    /// Highest order with per-cpu lists, plus one; 0 if per-cpu lists are off.
    pub pcp_orders: u8,
    /// True if there is also a per-cpu list for huge pages.
    pub pcp_huge: bool,
    /// True if pages join the lists of generations (`lru_gen_enabled`).
    pub lru_gen_on: bool,
    /// Generation and use of each page; empty until the multi-generational LRU is first switched
    /// on.
    pub gen_bits: Touched<GenBits, FrameIndex>,
}

impl Memory {
    /// The node a page frame is on.
    #[inline]
    pub fn node_of(&self, frame: FrameIndex) -> NodeIndex {
        let zone = self.pages[frame].zone();
        self.zones[zone].node
    }

    /// Number of per-cpu lists of one (zone, cpu).
    fn pcp_lists(&self) -> u32 {
        u32::from(self.pcp_orders) * u32::from(PCP_TYPES) + u32::from(self.pcp_huge)
    }

    /// Hashes where each list starts and ends. The name under which a list is hashed does not
    /// depend on other lists: one more migrate type or kind of LRU list changes only its number.
    fn hash_list_ends(&self, hasher: &mut StateHasher) {
        let (free, lru) = (self.free_lists(), self.first_lru_list());
        let (orders, per_cpu) = (u32::from(self.orders), self.pcp_lists());
        let name = |kind: u64, of: [u32; 3]| {
            let [owner, at, which] = of.map(u64::from);
            kind << 56 | owner << 32 | at << 16 | which
        };
        self.lists.hash_ends(hasher, |list| {
            let list = list.get();
            if list < free {
                let (block, t) = (list / u32::from(TYPES), list % u32::from(TYPES));
                name(1, [block / orders, block % orders, t])
            } else if list < lru {
                let (pcp, within) = ((list - free) / per_cpu, (list - free) % per_cpu);
                let cpus = u32::from(self.cpus);
                if within + 1 == per_cpu && self.pcp_huge {
                    name(3, [pcp / cpus, pcp % cpus, 0])
                } else {
                    name(2, [pcp / cpus, pcp % cpus, within])
                }
            } else if list < self.first_gen_list() {
                let lists = LRU_LISTS as u32;
                name(4, [(list - lru) / lists, 0, (list - lru) % lists])
            } else {
                let (gens, lists) = (list - self.first_gen_list(), 2 * MAX_NR_GENS as u32);
                name(5, [gens / lists, gens % lists / 2, gens % 2])
            }
        });
    }

    /// The free list of a zone, order and migrate type.
    #[inline]
    pub fn free_list(&self, zone: ZoneIndex, order: u8, migratetype: u8) -> ListIndex {
        let block = u32::from(zone.get()) * u32::from(self.orders) + u32::from(order);
        ListIndex::new(block * u32::from(TYPES) + u32::from(migratetype))
    }

    /// Do blocks of this order go through the per-cpu lists (`pcp_allowed_order`)?
    #[inline]
    pub fn pcp_allowed(&self, order: u8) -> bool {
        order < self.pcp_orders || (self.pcp_huge && order == self.pageblock_order)
    }

    /// The per-cpu list of a zone, CPU, order and migrate type (`order_to_pindex`).
    #[inline]
    pub fn pcp_list(
        &self,
        zone: ZoneIndex,
        cpu: CpuIndex,
        order: u8,
        migratetype: u8,
    ) -> ListIndex {
        let within = if order < self.pcp_orders {
            u32::from(order) * u32::from(PCP_TYPES) + u32::from(migratetype)
        } else {
            self.pcp_lists() - 1
        };
        ListIndex::new(
            self.free_lists() + self.pcp_at(zone, cpu) as u32 * self.pcp_lists() + within,
        )
    }

    /// All CPUs, in order.
    pub fn cpus(&self) -> impl DoubleEndedIterator<Item = CpuIndex> + Clone + use<> {
        CpuIndex::all(self.cpus.into())
    }

    /// Index of a (zone, cpu) pair in `pcp_count`.
    #[inline]
    pub fn pcp_at(&self, zone: ZoneIndex, cpu: CpuIndex) -> usize {
        zone.index() * usize::from(self.cpus) + cpu.index()
    }

    fn free_lists(&self) -> u32 {
        self.zones.len() as u32 * u32::from(self.orders) * u32::from(TYPES)
    }

    /// Number of lists before the LRU lists.
    fn first_lru_list(&self) -> u32 {
        self.free_lists() + self.zones.len() as u32 * u32::from(self.cpus) * self.pcp_lists()
    }

    /// Number of lists before the lists of generations.
    fn first_gen_list(&self) -> u32 {
        self.first_lru_list() + (self.lruvecs.len() * LRU_LISTS) as u32
    }

    /// Total number of lists; `generations` is true if the kernel has the multi-generational LRU.
    fn list_count(&self, generations: bool) -> u32 {
        let of_generations = if generations {
            let owners = self.lruvecs.len();
            let groups = owners.checked_div(self.lists_each.into()).unwrap_or(1);
            groups * self.zones.len() * 2 * MAX_NR_GENS
        } else {
            0
        };
        self.first_gen_list() + of_generations as u32
    }

    /// An LRU list of an owner.
    #[inline]
    pub fn lru_list(&self, lruvec: LruvecIndex, lru: u8) -> ListIndex {
        let first = self.first_lru_list();
        ListIndex::new(first + u32::from(lruvec.get()) * LRU_LISTS as u32 + u32::from(lru))
    }

    /// Owner of the LRU lists a frame belongs to.
    #[inline]
    pub fn lruvec_of(&self, frame: FrameIndex) -> LruvecIndex {
        let lists = self.zones[self.pages[frame].zone()].lruvec;
        self.lists_of_group(lists, self.group_of(frame))
    }

    /// The memory cgroup that a page is charged to.
    #[inline]
    pub fn group_of(&self, frame: FrameIndex) -> GroupIndex {
        let found = self.groups.at(frame);
        GroupIndex::new(found.copied().unwrap_or(0))
    }

    /// The LRU lists of a cgroup that correspond to lists of the root.
    #[inline]
    pub fn lists_of_group(&self, of_root: LruvecIndex, group: GroupIndex) -> LruvecIndex {
        LruvecIndex::new(of_root.get() + group.get() * self.lists_each)
    }

    /// The cgroup to which LRU lists belong.
    pub fn group_of_lists(&self, lists: LruvecIndex) -> GroupIndex {
        GroupIndex::new(lists.get().checked_div(self.lists_each).unwrap_or(0))
    }

    /// The LRU lists of the root on the node of these lists.
    pub fn lists_of_root(&self, lists: LruvecIndex) -> LruvecIndex {
        let of_root = lists.get().checked_rem(self.lists_each);
        of_root.map_or(lists, LruvecIndex::new)
    }

    /// Gives each of this many memory cgroups besides the root its own LRU lists, one set per node.
    pub fn add_groups(&mut self, groups: usize, zone_types: usize) {
        let of_root: Vec<Lruvec> = self.lruvecs.iter().cloned().collect();
        self.lists_each = of_root.len() as u8;
        for lists in (0..groups).flat_map(|_| &of_root) {
            self.lruvecs.push(lists.clone());
        }
        for lists in self.lruvecs.as_mut_slice() {
            lists.by_zone = vec![[0; LRU_LISTS]; zone_types];
        }
        self.groups.grow(self.pages.len(), 0);
    }

    /// Records that a page of a zone was returned to the buddy lists: reclaim there is making
    /// progress (`free_one_page` and `free_pcppages_bulk` with per-zone lists).
    #[inline]
    pub fn forgive(&mut self, zone: ZoneIndex) {
        let owner = self.zones[zone].lruvec;
        if let Some(l) = self.lruvecs.at_mut(owner).filter(|l| l.zone == zone) {
            (l.pages_scanned, l.all_unreclaimable) = (0, false);
        }
    }

    /// Adds to a page count of a frame's zone.
    #[inline]
    pub fn count(&mut self, frame: FrameIndex, gauge: Gauge, by: i32) {
        let zone = self.pages[frame].zone();
        let g = &mut self.zones[zone].gauge[gauge as usize];
        *g = g.wrapping_add_signed(by);
    }

    /// Migrate type of the pageblock that contains a frame.
    #[inline]
    pub fn block_type(&self, frame: FrameIndex) -> u8 {
        self.blocks[frame.block(self.pageblock_order)]
    }

    /// Sets the migrate type of the pageblock that contains a frame.
    #[inline]
    pub fn set_block_type(&mut self, frame: FrameIndex, migratetype: u8) {
        self.blocks[frame.block(self.pageblock_order)] = migratetype;
    }

    /// Makes `frame` the head of a block of `order`, used for `kind`, and updates the zone's
    /// counts. Returns the page record.
    #[inline(always)]
    pub fn set_kind(&mut self, frame: FrameIndex, kind: PageKind, order: u8) -> &mut Page {
        let page = &mut self.pages[frame];
        self.zones[page.zone()].turn(page, kind, order);
        page
    }

    /// The page frame number of a dense frame.
    pub fn pfn(&self, frame: FrameIndex) -> u64 {
        let i = self.segments.partition_point(|s| s.frame <= frame);
        match i.checked_sub(1).map(|i| self.segments[i]) {
            Some(s) => s.pfn + u64::from(frame.since(s.frame)),
            None => u64::from(frame.get()),
        }
    }

    /// The dense frame of a page frame number, if there is memory.
    pub fn frame(&self, pfn: u64) -> Option<FrameIndex> {
        let s = self
            .segments
            .iter()
            .find(|s| s.pfn <= pfn && pfn - s.pfn < u64::from(s.len))?;
        let frame = s.frame.plus((pfn - s.pfn) as u32);
        (self.pages[frame].kind() != PageKind::Absent).then_some(frame)
    }

    /// Makes the current state the base for tracking writes; see [`Touched::rebase`].
    pub fn rebase(&mut self) {
        self.pages.rebase();
        self.lists.rebase();
        self.groups.rebase();
        self.gen_bits.rebase();
    }

    /// Size of one copy in bytes.
    pub fn bytes(&self) -> usize {
        self.pages.len() * size_of::<Page>()
            + self.lists.bytes()
            + self.blocks.len()
            + self.zones.len() * size_of::<Zone>()
            + self.pcp_count.len() * 4
            + self.groups.len()
            + self.gen_bits.len()
    }
}
