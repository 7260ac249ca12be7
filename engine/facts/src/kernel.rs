//! Kernel variants: named sets of features.
//!
//! Modelled: the rules that decide watermarks, reserves, zonelists, the buddy allocator's choices
//! and the printed files in the kernels 2.6.37, 3.0, 3.1, 3.16, 5.10, 5.15, 6.1 and 6.12.
//! Left out: everything a configuration option other than the distributions' could change.
//! Who could tell: a kernel between two of these releases mixes their features.
//! Invariants: no code compares versions; every difference is a field of [`Features`], and a
//! kernel is written as its changes against the one before it.

mod mechanisms;
pub mod patches;

use serde::Serialize;

use crate::arch::{Arch, ZoneSet};

/// What a watermark test subtracts from the free pages for the request itself
/// (`__zone_watermark_ok`, mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Slack {
    /// `(1 << order) - 1`: 2.6.37, and again from before 3.16 on.
    OrderMinusOne,
    /// `(1 << order) + 1`: the slip of 3.0 and 3.1.
    OrderPlusOne,
}

/// How a request above order 0 is checked beyond the order-0 test (`__zone_watermark_ok`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum OrderCheck {
    /// Take away each too small order's pages and halve the mark: to 3.16.
    HalvingLoop,
    /// One suitable free block must exist: from 4.4.
    SuitableBlock,
}

/// Which pageblocks are kept for high-order atomic requests (mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum BlockReserve {
    /// `MIGRATE_RESERVE`: up to two blocks a zone, set with the watermarks
    /// (`setup_zone_migrate_reserve`): to 3.16.
    MigrateReserve,
    /// `MIGRATE_HIGHATOMIC`: grown on demand (`reserve_highatomic_pageblock`): from 4.4.
    HighAtomic,
}

/// What becomes of a block taken from another migrate type (`__rmqueue_fallback`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum FallbackRule {
    /// The remainder goes to the asking type whenever pages were moved: 2.6.37 to 3.1.
    LargestAlwaysStart,
    /// The remainder goes to the asking type only with the whole block: 3.16
    /// (`try_to_steal_freepages`).
    LargestClaimed,
    /// Pages of a compatible type count for the claim: 5.x to 6.9 (`steal_suitable_fallback`).
    AlikePages,
    /// As above, but free pages move only with the whole pageblock; else the block is split where
    /// it is: 6.10 on.
    ClaimOrSplit,
}

/// The shape of `__alloc_pages_slowpath`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Slowpath {
    /// 2.6.37: the MIN attempt is made once a restart, before the `rebalance` label.
    RestartRebalance2637,
    /// 3.0 to 3.16: the MIN attempt is repeated at `rebalance`.
    RestartRebalance30,
    /// 5.x, 6.x: `retry` with `should_reclaim_retry` and `should_compact_retry`.
    Retry6,
}

/// Size of the per-cpu lists (`zone_batchsize`, `setup_pageset`, `zone_highsize`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum PcpRule {
    /// Batch from at most 512 KiB, high = 6 * batch: to 4.19.
    SixBatches512K,
    /// Batch from at most 1 MiB, high = 6 * batch: 5.10.
    SixBatches1M,
    /// Batch as above, high = max(low mark / cpus of the node, 4 * batch): 5.14 to 6.1.
    LowMarkPerCpu,
    /// As above but only the lower bound (`high_min`); the value tunes itself: 6.12.
    SelfTuning,
}

/// Which orders the per-cpu lists hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum PcpOrders {
    /// Order 0 only: to 5.13.
    Zero,
    /// Orders 0 to 3 and the huge page's order: from 5.14.
    UpTo3AndThp,
}

/// What `numa_zonelist_order` may be (`build_zonelists`, mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZonelistOrder {
    /// The kernel chooses node or zone order (`default_zonelist_order`), a person can override
    /// it: to 4.13.
    Auto,
    /// Node order only: from 4.14.
    NodeOnly,
}

/// How `find_next_best_node` weighs distance against `node_load`, and how a chosen node's load
/// grows (`build_zonelists`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NodeLoad {
    /// Distance times `nr_online_nodes * MAX_NUMNODES`; the load is set to a counter that falls
    /// from the number of online nodes: to 3.16 (read), to 5.15 (believed).
    Falling,
    /// Distance times `MAX_NUMNODES`; the load rises by one: 6.1, 6.12.
    Rising,
}

/// Whom the slow path wakes (`wake_all_kswapds`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum KswapdWake {
    /// `wakeup_kswapd` for every zone of the zonelist, if it is below its low mark: to 3.11.
    PerZoneLow,
    /// The same against the high mark: 3.12 to 4.7.
    PerZoneHigh,
    /// Once for each distinct node of the zonelist, if no zone of it is above its high mark: from
    /// 4.10.
    PerNode,
}

/// Who owns the LRU lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum LruOwner {
    /// `struct zone`: to 4.7.
    Zone,
    /// `struct pglist_data`: from 4.8.
    Node,
}

/// How read-ahead moves its window (`ondemand_readahead`, mm/readahead.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ReadaheadRule {
    /// Any cached page before a miss is the trace of a stream: to 3.10.
    Classic,
    /// More cached pages are needed than are read, and the window follows them: 3.11 to 4.18.
    CarefulContext,
    /// As above; a window that would be merged with its successor stays within the limit: from
    /// 4.19.
    CappedMerge,
}

/// Numbers and print order of the migrate types (`enum migratetype`, linux/mmzone.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Migratetypes {
    /// Unmovable Reclaimable Movable Reserve Isolate: 2.6.37 to 3.1.
    ReclaimableSecond,
    /// The same, with CMA before Isolate where configured: 3.16.
    ReclaimableSecondCma,
    /// Unmovable Movable Reclaimable HighAtomic, with CMA where configured, Isolate: 5.x, 6.x.
    MovableSecond,
}

/// Which pages of a zone the watermark rules count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum WatermarkBase {
    /// `present_pages`, which then excluded memmap and boot reservations: to 3.8.
    Present,
    /// `managed_pages`: from 3.9.
    Managed,
}

/// Which zones count as low memory in `setup_per_zone_wmarks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum LowMemory {
    /// Every zone but HighMem: to about 6.5.
    ExceptHighMem,
    /// Every zone but HighMem and Movable: from about 6.6; Movable gets a clamped min.
    ExceptHighMemAndMovable,
}

/// Distance between the marks (`setup_per_zone_wmarks`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Gaps {
    /// low = min + share / 4, high = min + share / 2: to 4.5.
    QuarterAndHalf,
    /// Steps of max(share / 4, pages * `watermark_scale_factor` / 10000): from 4.6.
    ScaleFactor,
}

/// How `lowmem_reserve` follows from the ratios (`setup_per_zone_lowmem_reserve`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ReserveRule {
    /// A ratio under 1 is set to 1; empty zones keep a row: to 4.17.
    RatioAtLeastOne,
    /// A ratio under 1 or an empty zone clears the row: from 4.18.
    ZeroClears,
    /// As `ZeroClears`, and the pages of a cleared zone are missing from the rows below it:
    /// 5.8 to early 5.10 releases. No ready-made kernel has it; toggle it for such a dump.
    ZeroClearsAndSkips,
}

/// When huge pages raise `min_free_kbytes` (`set_recommended_min_free_kbytes`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ThpRaise {
    /// No transparent huge pages: 2.6.37.
    Never,
    /// 11 pageblocks for every populated zone: 2.6.38 to 3.16.
    EveryZone,
    /// 11 pageblocks for every populated zone up to Normal: 5.10 on.
    UpToNormal,
    /// As `UpToNormal`; with huge pages off the square root is taken once more with the high
    /// marks subtracted: 6.1, 6.12.
    UpToNormalOrRecompute,
}

/// How `nr_dirty_threshold` follows from free and cached pages (`global_dirty_limits`,
/// mm/page-writeback.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum DirtyRule {
    /// Percent of free and all reclaimable pages: 2.6.37 to 3.1.
    FreeAndReclaimable,
    /// Percent of free pages above the total reserve and file pages: 3.16.
    FreeAboveReserve,
    /// As above, the percentage first turned into parts of a page's bytes: 5.x, 6.x.
    FreeAboveReserveByPageSize,
}

/// What a writer does when too much is dirty (`balance_dirty_pages`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum DirtyThrottle {
    /// It writes half as much again as it dirtied, or sleeps: to 3.1.
    WriterWrites,
    /// It pauses so that it is as slow as its share of the device: from 3.2.
    Pause,
}

/// What a write() through the page cache does to the age of a page (`generic_perform_write`,
/// `mark_page_accessed`; mm/filemap.c, mm/swap.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum WriteMarks {
    /// Every call marks it accessed; the second makes it active if it is on a list by then, which
    /// one that waits in its CPU's vector is not: to 3.10.
    OnLists,
    /// The second makes it active wherever it is (`__lru_cache_activate_page`): 3.11 to 4.6.
    Anywhere,
    /// Nothing: from 4.7.
    Never,
}

/// Where a page that is about to be written to may lie (`__GFP_WRITE`): the first walk of the
/// zonelist passes over what holds too many dirty pages (mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum DirtySpread {
    /// Anywhere: to 3.2.
    Nowhere,
    /// Zones within their share of the dirty limit (`zone_dirty_ok`): 3.3 to 4.7.
    Zone,
    /// Zones of nodes within theirs (`node_dirty_ok`): from 4.8.
    Node,
}

/// The general shape of `/proc/zoneinfo` (`zoneinfo_show_print`, mm/vmstat.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZoneinfoStyle {
    /// Populated zones only, counters before protection, `all_unreclaimable`: to 3.16.
    Zone,
    /// All zones, per-node block, protection before counters, `node_unreclaimable`: 5.x, 6.x.
    Node,
}

/// Which list of counter names `/proc/vmstat` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[allow(missing_docs)]
pub enum VmstatNames {
    V2_6_37,
    V3_0,
    V3_16,
    V5_10,
    V5_15,
    V6_1,
    V6_12,
}

/// The zonelist cache (`zlc_setup` and its kin, mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZonelistCache {
    /// It is set up behind the first zone of a walk, so that zone is never looked up; whatever
    /// zone_reclaim refuses for want of pages is marked full as well: 2.6.37, 3.0.
    FirstZoneIgnored,
    /// It is set up before the first zone_reclaim, so the first zone is looked up too; only a
    /// zone that was reclaimed from in vain is marked ("zlcfirst"): 3.1.
    FirstZoneChecked,
    /// As above, and a reclaim that freed what was asked for marks the zone only below its min
    /// mark: 3.16.
    FirstZoneCheckedMinOrSome,
    /// Removed in 4.4.
    Removed,
}

/// Which zones a request may have reclaimed by `zone_reclaim` (`zone_allows_reclaim`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZoneReclaimReach {
    /// Any: to 3.7.
    Anywhere,
    /// Zones of nodes nearer to the preferred one than RECLAIM_DISTANCE: 3.16.
    Nearer,
    /// Zones of nodes at most `node_reclaim_distance` away: 5.x, 6.x.
    UpTo,
}

/// When `zone_reclaim_mode` is switched on at boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZoneReclaimDefault {
    /// Some distance is above 20: 2.6.37.
    DistanceAbove20,
    /// Some distance is above 30: 3.0, 3.1.
    DistanceAbove30,
    /// Never: from 3.16.
    Off,
}

/// Who writes dirty pages found at the end of the inactive list (`shrink_page_list`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ReclaimWrites {
    /// Direct reclaim and kswapd alike: to 3.1.
    Both,
    /// kswapd, and only where the node is flagged dirty and the page was seen before: from 3.11.
    KswapdIfFlagged,
}

/// What a used page at the end of the inactive list gets (`page_check_references`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ReferencedRule {
    /// An anonymous page is activated at once, a file page at its second visit: to 5.8.
    Anon30,
    /// Both at their second visit, or when two mappings used them: from 5.9.
    TwoVisits,
}

/// What a list too small for the priority gets of kswapd (`get_scan_count`, per-zone era).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ScanMinimum {
    /// 32 pages, in a zone with fewer than that to scan: 3.0.
    Batch,
    /// Its type's share of 32 pages: 3.1.
    Share,
    /// 32 pages, or all it has, in a zone given up, and only if no list of it would be scanned
    /// otherwise: 3.16.
    GivenUp,
}

/// How reclaimers wait when I/O does not keep up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Throttle {
    /// `congestion_wait` and `wait_iff_congested` on queues the block layer marks, between
    /// priorities: to 3.10.
    CongestionWait30,
    /// The same queues, but who waits is decided after each batch: direct reclaimers for a congested
    /// zone, kswapd where writes are met again (`shrink_inactive_list`, from 3.11).
    CongestionWait311,
    /// The same calls, but nothing marks a queue any more: 5.x to 5.15.
    CongestionWait515,
    /// `reclaim_throttle`: from 5.16.
    ReclaimThrottle,
}

/// When kswapd scans harder (`balance_pgdat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum PriorityRule {
    /// After a pass with fewer than 32 pages reclaimed; with 32 it starts over at 12: to 3.10.
    ResetAt32,
    /// After a pass in which no zone, or not the node, had as much scanned as was aimed at, or
    /// nothing was reclaimed: from 3.11.
    RaiseUnlessScanned,
}

/// The main loop of kswapd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum KswapdLoop {
    /// Goes on at once when something harder was asked for meanwhile: to 4.7.
    Harder,
    /// Always tries to sleep first: from 4.8.
    SleepFirst,
}

/// Everything in which the modelled kernels differ. A combination that no release had is a
/// kernel that never existed, and works like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Features {
    /// Slack of the watermark test.
    pub slack: Slack,
    /// Test for orders above 0.
    pub order_check: OrderCheck,
    /// Pageblocks for high-order atomic requests.
    pub block_reserve: BlockReserve,
    /// Stealing between migrate types.
    pub fallback: FallbackRule,
    /// Shape of the slow path.
    pub slowpath: Slowpath,
    /// Transparent huge pages exist (2.6.38).
    pub thp: bool,
    /// Watermark boost on fragmenting fallbacks (5.0, `boost_watermark`).
    pub boost: bool,
    /// First attempts avoid mixing pageblocks (5.0, `ALLOC_NOFRAGMENT`).
    pub nofragment: bool,
    /// Size of the per-cpu lists.
    pub pcp: PcpRule,
    /// Orders on the per-cpu lists.
    pub pcp_orders: PcpOrders,
    /// `numa_zonelist_order`.
    pub zonelist_order: ZonelistOrder,
    /// Tie-breaking between equally near nodes.
    pub node_load: NodeLoad,
    /// Whom the slow path wakes.
    pub kswapd_wake: KswapdWake,
    /// Memory handed over at boot joins its free lists at the tail, so that low addresses are used
    /// first: from 5.10 (`FPI_TO_TAIL`, seen in the 6.1 guests); before, at the head.
    pub boot_frees_to_tail: bool,
    /// Free blocks that change migrate type go to the tail of
    /// their new list: from 5.10 (`move_to_free_list`); before, to the head.
    pub moved_blocks_to_tail: bool,
    /// From a pageblock up, HighAtomic blocks merge only with their like: from 5.18
    /// (`migratetype_is_mergeable`).
    pub highatomic_stays_apart: bool,
    /// The reserve that guards a zone is that of the highest zone type a request may use: from 5.8
    /// (`highest_zoneidx`); before, that of the first zone it may use (`classzone_idx`).
    pub classzone_is_highest: bool,
    /// A page drained from a per-cpu list goes to the lists of the type it had when it joined: to
    /// 6.9; since, to those of its pageblock.
    pub pcp_keeps_type: bool,
    /// `free_pcppages_bulk` empties the list just added to first: from 5.18; before, the lists
    /// take turns from the second on.
    pub pcp_drains_own_list: bool,
    /// While kswapd runs a CPU keeps at most four batches, and frees in a row give back twice as
    /// many each time (5.14, `nr_pcp_high`, `nr_pcp_free`, mm/page_alloc.c).
    pub pcp_gives_way: bool,
    /// A page just faulted in joins the active anonymous list: to 5.8; the inactive one since.
    pub new_anon_is_active: bool,
    /// A fault may reclaim for a huge page (`defrag` "always"): to 4.5; since then only where asked
    /// for with `madvise` (mm/huge_memory.c).
    pub thp_defrag_always: bool,
    /// Who writes dirty pages from reclaim.
    pub reclaim_writes: ReclaimWrites,
    /// What a used page gets.
    pub referenced: ReferencedRule,
    /// What small lists get of kswapd.
    pub scan_minimum: ScanMinimum,
    /// How reclaimers wait.
    pub throttle: Throttle,
    /// kswapd's main loop.
    pub kswapd_loop: KswapdLoop,
    /// When kswapd scans harder.
    pub kswapd_priority: PriorityRule,
    /// kswapd leaves zones alone that are above their high mark, whatever is kept back there for
    /// higher zones: a patch of June 2014 that no release took.
    pub skip_balanced_lower_zones: bool,
    /// Once its goal is met, reclaim of a zone cuts the targets of anonymous and file pages in
    /// proportion and stops when one type is done (3.11, `shrink_lruvec`); before, at once.
    pub scan_in_proportion: bool,
    /// While the inactive file list is not short, a zone's anonymous pages are left alone
    /// (3.8 to 4.7, `get_scan_count`).
    pub cache_first: bool,
    /// Others may hold an eighth of what is left on a list before a reclaimer that may use file
    /// systems and I/O waits (3.7, `too_many_isolated`); before, as much as is left.
    pub isolated_eighth: bool,
    /// Pages that reclaim leaves to be written join the active list, out of the way: from 4.11;
    /// before, the inactive one's head (`shrink_page_list`).
    pub unwritten_activated: bool,
    /// Evicted pages leave shadow entries (`workingset_eviction`): files from 3.15, anonymous
    /// memory from 5.9.
    pub workingset: bool,
    /// Anonymous pages leave shadow entries as well: from 5.9.
    pub workingset_anon: bool,
    /// How read-ahead moves its window.
    pub readahead: ReadaheadRule,
    /// Pages read ahead are allocated without calling into file systems: from 5.8
    /// (`page_cache_readahead_unbounded`; seen in the 6.1 guests).
    pub readahead_nofs: bool,
    /// A read larger than the read-ahead limit raises it, up to a request of the device: from 4.10
    /// (`ondemand_readahead`).
    pub readahead_whole_reads: bool,
    /// Swap-in reads as many slots ahead as the last read-ahead was good for (3.14,
    /// `swapin_nr_pages`); before, those in use around the slot, in a row.
    pub swap_ra_adaptive: bool,
    /// Unused inodes with cached pages are kept out of the shrinker's sight: from 5.16
    /// (`mapping_shrinkable`); before, scanning one dropped its clean pages.
    pub inodes_with_pages_stay: bool,
    /// Requests come from a set of tags, and buffered writes are kept from making reads slow
    /// (`blk-wbt`): from 5.0, where only blk-mq is left.
    pub blk_mq: bool,
    /// Reclaim holds its writes back for merging (`blk_start_plug` in `shrink_zone`): from 3.1.
    pub reclaim_plug: bool,
    /// A tree's node is allocated with the page's own flags before the tree is locked
    /// (`radix_tree_preload`): to 4.19; since, under the lock without waiting, and only if that
    /// failed with those flags.
    pub tree_nodes_preloaded: bool,
    /// A slab of more than the least order may be waited and reclaimed for: to 4.3
    /// (`allocate_slab`).
    pub slab_orders_wait: bool,
    /// A page whose write ended goes to the inactive tail even if it is active
    /// (`rotate_reclaimable_page`).
    pub rotate_active: bool,
    /// Direct reclaimers wait for kswapd while reserves are half used up (3.6,
    /// `throttle_direct_reclaim`).
    pub pfmemalloc_throttle: bool,
    /// kswapd leaves zones alone that are a gap above their high mark (2.6.39); before, eight
    /// times the mark.
    pub balance_gap: bool,
    /// Whether write() marks pages accessed.
    pub write_marks: WriteMarks,
    /// Migrate types.
    pub migratetypes: Migratetypes,
    /// LRU owner.
    pub lru_owner: LruOwner,
    /// The zonelist cache.
    pub zonelist_cache: ZonelistCache,
    /// A direct reclaim that freed something clears the zonelist cache ("zlcreconsider"): from 3.1
    /// (`__alloc_pages_direct_reclaim`).
    pub zlc_reconsider: bool,
    /// zone_reclaim may write to congested devices (PF_SWAPWRITE, `__zone_reclaim`).
    pub zone_reclaim_swapwrite: bool,
    /// Zones `zone_reclaim` is called for.
    pub zone_reclaim_reach: ZoneReclaimReach,
    /// The fair zone policy (3.12 to 4.7, `ALLOC_FAIR`).
    pub fair_zone_policy: bool,
    /// Default of `zone_reclaim_mode`.
    pub zone_reclaim: ZoneReclaimDefault,
    /// Zone types built in.
    pub zone_set: ZoneSet,
    /// Pages counted by the watermark rules.
    pub watermark_base: WatermarkBase,
    /// Zones counted as low memory.
    pub low_memory: LowMemory,
    /// Distance between the marks.
    pub gaps: Gaps,
    /// Largest `watermark_scale_factor`, in 1/10000; 0 where it is missing. 1000 until 5.17, but
    /// later stable releases of 5.10 take 3000 as 5.18 does (a 5.10.262 guest did).
    pub watermark_scale_max: u64,
    /// Protection rule.
    pub reserve: ReserveRule,
    /// Largest automatic `min_free_kbytes`, KiB (65536; 262144 from 5.8).
    pub min_free_cap_kib: u64,
    /// Raise of `min_free_kbytes` by huge pages.
    pub thp_raise: ThpRaise,
    /// Dirty limits.
    pub dirty: DirtyRule,
    /// What writers do when too much is dirty.
    pub dirty_throttle: DirtyThrottle,
    /// Where pages to be written to come from.
    pub dirty_spread: DirtySpread,
    /// Pages of an extent are under writeback until all of it is written: from 5.6, where ext4
    /// writes so unless told otherwise (`dioread_nolock`; seen in the 6.1 guests).
    pub writeback_by_extent: bool,
    /// `/proc/zoneinfo` in general.
    pub zoneinfo: ZoneinfoStyle,
    /// `/proc/zoneinfo` has a `managed` row (3.9).
    pub zoneinfo_managed: bool,
    /// `/proc/zoneinfo` has a `boost` row (5.16).
    pub zoneinfo_boost: bool,
    /// `/proc/zoneinfo` has a `promo` row (6.12; not in 6.1).
    pub zoneinfo_promo: bool,
    /// `/proc/zoneinfo` has a `cma` row (5.12).
    pub zoneinfo_cma: bool,
    /// Whether a zone is given up follows from the pages scanned there since one was freed
    /// (`zone_reclaimable`), for reclaim as for `/proc/zoneinfo` (3.16); before, a flag kswapd sets.
    pub unreclaimable_computed: bool,
    /// `/proc/pagetypeinfo` cuts free counts at this number of blocks (100000, 5.5); 0 = never.
    pub pagetypeinfo_cut: u64,
    /// Counter names.
    pub vmstat: VmstatNames,
}

const V2_6_37: Features = Features {
    slack: Slack::OrderMinusOne,
    order_check: OrderCheck::HalvingLoop,
    block_reserve: BlockReserve::MigrateReserve,
    fallback: FallbackRule::LargestAlwaysStart,
    slowpath: Slowpath::RestartRebalance2637,
    thp: false,
    boost: false,
    nofragment: false,
    pcp: PcpRule::SixBatches512K,
    pcp_orders: PcpOrders::Zero,
    zonelist_order: ZonelistOrder::Auto,
    node_load: NodeLoad::Falling,
    kswapd_wake: KswapdWake::PerZoneLow,
    boot_frees_to_tail: false,
    moved_blocks_to_tail: false,
    highatomic_stays_apart: false,
    classzone_is_highest: false,
    pcp_keeps_type: true,
    pcp_drains_own_list: false,
    pcp_gives_way: false,
    thp_defrag_always: true,
    new_anon_is_active: true,
    reclaim_writes: ReclaimWrites::Both,
    referenced: ReferencedRule::Anon30,
    scan_minimum: ScanMinimum::Batch,
    throttle: Throttle::CongestionWait30,
    kswapd_loop: KswapdLoop::Harder,
    kswapd_priority: PriorityRule::ResetAt32,
    skip_balanced_lower_zones: false,
    scan_in_proportion: false,
    cache_first: false,
    isolated_eighth: false,
    unwritten_activated: false,
    workingset: false,
    workingset_anon: false,
    readahead: ReadaheadRule::Classic,
    readahead_nofs: false,
    readahead_whole_reads: false,
    swap_ra_adaptive: false,
    inodes_with_pages_stay: false,
    blk_mq: false,
    reclaim_plug: false,
    tree_nodes_preloaded: true,
    slab_orders_wait: true,
    rotate_active: false,
    pfmemalloc_throttle: false,
    balance_gap: false,
    write_marks: WriteMarks::OnLists,
    migratetypes: Migratetypes::ReclaimableSecond,
    lru_owner: LruOwner::Zone,
    zonelist_cache: ZonelistCache::FirstZoneIgnored,
    zlc_reconsider: false,
    zone_reclaim_swapwrite: true,
    zone_reclaim_reach: ZoneReclaimReach::Anywhere,
    fair_zone_policy: false,
    zone_reclaim: ZoneReclaimDefault::DistanceAbove20,
    zone_set: ZoneSet::AllDmaOnPpc,
    watermark_base: WatermarkBase::Present,
    low_memory: LowMemory::ExceptHighMem,
    gaps: Gaps::QuarterAndHalf,
    watermark_scale_max: 0,
    reserve: ReserveRule::RatioAtLeastOne,
    min_free_cap_kib: 65536,
    thp_raise: ThpRaise::Never,
    dirty: DirtyRule::FreeAndReclaimable,
    dirty_throttle: DirtyThrottle::WriterWrites,
    dirty_spread: DirtySpread::Nowhere,
    writeback_by_extent: false,
    zoneinfo: ZoneinfoStyle::Zone,
    zoneinfo_managed: false,
    zoneinfo_boost: false,
    zoneinfo_promo: false,
    zoneinfo_cma: false,
    unreclaimable_computed: false,
    pagetypeinfo_cut: 0,
    vmstat: VmstatNames::V2_6_37,
};

/// The features of 3.0.
pub const V3_0: Features = Features {
    slack: Slack::OrderPlusOne,
    slowpath: Slowpath::RestartRebalance30,
    thp: true,
    thp_raise: ThpRaise::EveryZone,
    zone_reclaim: ZoneReclaimDefault::DistanceAbove30,
    balance_gap: true,
    vmstat: VmstatNames::V3_0,
    ..V2_6_37
};

const V3_1: Features = Features {
    zonelist_cache: ZonelistCache::FirstZoneChecked,
    zlc_reconsider: true,
    scan_minimum: ScanMinimum::Share,
    reclaim_plug: true,
    ..V3_0
};

const V3_16: Features = Features {
    slack: Slack::OrderMinusOne,
    fallback: FallbackRule::LargestClaimed,
    kswapd_wake: KswapdWake::PerZoneHigh,
    reclaim_writes: ReclaimWrites::KswapdIfFlagged,
    scan_minimum: ScanMinimum::GivenUp,
    throttle: Throttle::CongestionWait311,
    kswapd_priority: PriorityRule::RaiseUnlessScanned,
    scan_in_proportion: true,
    cache_first: true,
    isolated_eighth: true,
    write_marks: WriteMarks::Anywhere,
    workingset: true,
    readahead: ReadaheadRule::CarefulContext,
    swap_ra_adaptive: true,
    rotate_active: true,
    pfmemalloc_throttle: true,
    migratetypes: Migratetypes::ReclaimableSecondCma,
    fair_zone_policy: true,
    zonelist_cache: ZonelistCache::FirstZoneCheckedMinOrSome,
    zone_reclaim: ZoneReclaimDefault::Off,
    zone_reclaim_reach: ZoneReclaimReach::Nearer,
    watermark_base: WatermarkBase::Managed,
    dirty: DirtyRule::FreeAboveReserve,
    dirty_throttle: DirtyThrottle::Pause,
    dirty_spread: DirtySpread::Zone,
    zoneinfo_managed: true,
    unreclaimable_computed: true,
    vmstat: VmstatNames::V3_16,
    ..V3_1
};

/// 3.16 with the patch that let kswapd pass over lower zones above their high mark.
const CHECKLOW: Features = Features {
    skip_balanced_lower_zones: true,
    ..V3_16
};

const V5_10: Features = Features {
    order_check: OrderCheck::SuitableBlock,
    block_reserve: BlockReserve::HighAtomic,
    fallback: FallbackRule::AlikePages,
    slowpath: Slowpath::Retry6,
    boost: true,
    tree_nodes_preloaded: false,
    readahead_whole_reads: true,
    blk_mq: true,
    slab_orders_wait: false,
    nofragment: true,
    pcp: PcpRule::SixBatches1M,
    zonelist_order: ZonelistOrder::NodeOnly,
    kswapd_wake: KswapdWake::PerNode,
    boot_frees_to_tail: true,
    moved_blocks_to_tail: true,
    classzone_is_highest: true,
    thp_defrag_always: false,
    new_anon_is_active: false,
    workingset_anon: true,
    readahead: ReadaheadRule::CappedMerge,
    readahead_nofs: true,
    referenced: ReferencedRule::TwoVisits,
    throttle: Throttle::CongestionWait515,
    kswapd_loop: KswapdLoop::SleepFirst,
    cache_first: false,
    unwritten_activated: true,
    write_marks: WriteMarks::Never,
    migratetypes: Migratetypes::MovableSecond,
    lru_owner: LruOwner::Node,
    zonelist_cache: ZonelistCache::Removed,
    zone_reclaim_reach: ZoneReclaimReach::UpTo,
    fair_zone_policy: false,
    zone_set: ZoneSet::DeviceOnX86,
    gaps: Gaps::ScaleFactor,
    watermark_scale_max: 3000,
    reserve: ReserveRule::ZeroClears,
    min_free_cap_kib: 262_144,
    thp_raise: ThpRaise::UpToNormal,
    dirty: DirtyRule::FreeAboveReserveByPageSize,
    dirty_spread: DirtySpread::Node,
    writeback_by_extent: true,
    zoneinfo: ZoneinfoStyle::Node,
    unreclaimable_computed: false,
    pagetypeinfo_cut: 100_000,
    vmstat: VmstatNames::V5_10,
    ..V3_16
};

const V5_15: Features = Features {
    pcp: PcpRule::LowMarkPerCpu,
    pcp_orders: PcpOrders::UpTo3AndThp,
    pcp_gives_way: true,
    zoneinfo_cma: true,
    vmstat: VmstatNames::V5_15,
    ..V5_10
};

/// The features of 6.1.
pub const V6_1: Features = Features {
    thp_raise: ThpRaise::UpToNormalOrRecompute,
    inodes_with_pages_stay: true,
    throttle: Throttle::ReclaimThrottle,
    node_load: NodeLoad::Rising,
    highatomic_stays_apart: true,
    pcp_drains_own_list: true,
    zoneinfo_boost: true,
    vmstat: VmstatNames::V6_1,
    ..V5_15
};

const V6_12: Features = Features {
    pcp: PcpRule::SelfTuning,
    fallback: FallbackRule::ClaimOrSplit,
    pcp_keeps_type: false,
    low_memory: LowMemory::ExceptHighMemAndMovable,
    zone_set: ZoneSet::DeviceEverywhere,
    zoneinfo_promo: true,
    vmstat: VmstatNames::V6_12,
    ..V6_1
};

const ZLCFIRST: Features = Features {
    zonelist_cache: ZonelistCache::FirstZoneChecked,
    ..V3_0
};

const ZLCRECONSIDER: Features = Features {
    zlc_reconsider: true,
    ..ZLCFIRST
};

/// A kernel a person can choose.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Kernel {
    /// Stable id: a plain release or a published name.
    pub id: &'static str,
    /// Other names of the same record.
    pub aliases: &'static [&'static str],
    /// For people.
    pub title: &'static str,
    /// What it does.
    pub features: Features,
}

static KERNELS: [Kernel; 11] = [
    kernel("2.6.37", &[], "Linux 2.6.37 (January 2011)", V2_6_37),
    kernel(
        "3.0",
        &["3.0-rc6-vanilla", "3.0.0-vanilla"],
        "Linux 3.0 (July 2011): per-zone LRU lists",
        V3_0,
    ),
    kernel(
        "zlcfirst",
        &[],
        "3.0 with zlcfirst: the zonelist cache is asked before zone_reclaim",
        ZLCFIRST,
    ),
    kernel(
        "zlcreconsider",
        &[],
        "3.0 with zlcfirst and zlcreconsider: direct reclaim clears the cache",
        ZLCRECONSIDER,
    ),
    kernel("3.1", &[], "Linux 3.1 (October 2011)", V3_1),
    kernel(
        "3.16",
        &["3.16.0-rc2-vanilla"],
        "Linux 3.16 (August 2014): fair zone policy",
        V3_16,
    ),
    kernel(
        "checklow-v2r14",
        &[],
        "Linux 3.16 whose kswapd skips lower zones above their high mark (patch of June 2014)",
        CHECKLOW,
    ),
    kernel("5.10", &[], "Linux 5.10 (December 2020)", V5_10),
    kernel("5.15", &[], "Linux 5.15 (October 2021)", V5_15),
    kernel(
        "6.1",
        &[],
        "Linux 6.1 (December 2022): per-node LRU lists",
        V6_1,
    ),
    kernel("6.12", &[], "Linux 6.12 (November 2024)", V6_12),
];

const fn kernel(
    id: &'static str,
    aliases: &'static [&'static str],
    title: &'static str,
    features: Features,
) -> Kernel {
    Kernel {
        id,
        aliases,
        title,
        features,
    }
}

/// Every kernel variant, oldest first.
pub fn kernels() -> &'static [Kernel] {
    &KERNELS
}

/// The variant with this id or alias.
pub fn find(id: &str) -> Option<&'static Kernel> {
    KERNELS
        .iter()
        .find(|kernel| kernel.id == id || kernel.aliases.contains(&id))
}

impl Throttle {
    /// The block layer marks queues as congested.
    pub fn marks_queues(self) -> bool {
        matches!(
            self,
            Throttle::CongestionWait30 | Throttle::CongestionWait311
        )
    }
}

impl Features {
    /// kswapd walks the zones of a node, lowest first, and scans harder unless enough was scanned
    /// (`balance_pgdat` of 3.16).
    pub const fn kswapd_counts_scans(&self) -> bool {
        matches!(self.lru_owner, LruOwner::Zone)
            && matches!(self.kswapd_priority, PriorityRule::RaiseUnlessScanned)
    }

    /// The migrate types as `/proc/pagetypeinfo` names them, by index. CMA is built in on ppc64
    /// from 3.16 on (KVM needs it) and not on the distributions' x86_64.
    pub fn migratetype_names(&self, arch: Arch) -> &'static [&'static str] {
        match (self.migratetypes, arch) {
            (Migratetypes::ReclaimableSecond, _)
            | (Migratetypes::ReclaimableSecondCma, Arch::X86_64) => {
                &["Unmovable", "Reclaimable", "Movable", "Reserve", "Isolate"]
            }
            (Migratetypes::ReclaimableSecondCma, Arch::Ppc64) => &[
                "Unmovable",
                "Reclaimable",
                "Movable",
                "Reserve",
                "CMA",
                "Isolate",
            ],
            (Migratetypes::MovableSecond, Arch::X86_64) => &[
                "Unmovable",
                "Movable",
                "Reclaimable",
                "HighAtomic",
                "Isolate",
            ],
            (Migratetypes::MovableSecond, Arch::Ppc64) => &[
                "Unmovable",
                "Movable",
                "Reclaimable",
                "HighAtomic",
                "CMA",
                "Isolate",
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_aliases_are_unique_and_found() {
        let mut names: Vec<&str> = Vec::new();
        for kernel in kernels() {
            names.push(kernel.id);
            names.extend(kernel.aliases);
            assert_eq!(find(kernel.id), Some(kernel));
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(find("3.0-rc6-vanilla").map(|kernel| kernel.id), Some("3.0"));
        assert_eq!(find("k3_0"), None);
        let same = |id, of| assert_eq!(find(id).map(|kernel| kernel.id), Some(of));
        same("3.0.0-vanilla", "3.0");
        same("3.16.0-rc2-vanilla", "3.16");
    }

    /// The patch is one switch, so that a comparison with 3.16 shows nothing else.
    #[test]
    fn checklow_differs_in_one_thing() {
        let [with, without] = ["checklow-v2r14", "3.16"].map(|id| find(id).map(|k| k.features));
        let taken_back = with.map(|features| Features {
            skip_balanced_lower_zones: false,
            ..features
        });
        assert_ne!(with, without);
        assert_eq!(taken_back, without);
    }
}
