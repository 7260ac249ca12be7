//! The rules in which kernels differ. Each rule lists what the releases did.
//!
//! Source: the functions named at each rule, read in the releases named.

use serde::Serialize;

/// What the watermark check subtracts from the free pages for the request itself (`__zone_watermark_ok`,
/// mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Slack {
    /// `(1 << order) - 1`: 2.6.37, and again from 3.7 or before on (read in 3.7.2).
    OrderMinusOne,
    /// `(1 << order) + 1`: the mistake of 3.0 and 3.1.
    OrderPlusOne,
}

/// How a request above order 0 is checked in addition to the check for order 0 (`__zone_watermark_ok`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum OrderCheck {
    /// Subtract the pages of each order that is too small, and halve the watermark each time: to 3.16.
    HalvingLoop,
    /// One suitable free block must exist: from 4.4.
    SuitableBlock,
}

/// Which pageblocks are reserved for high-order atomic requests (mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum BlockReserve {
    /// `MIGRATE_RESERVE`: up to two blocks a zone, set with the watermarks
    /// (`setup_zone_migrate_reserve`): to 3.16.
    MigrateReserve,
    /// `MIGRATE_HIGHATOMIC`: reserved on demand (`reserve_highatomic_pageblock`): from 4.4.
    HighAtomic,
}

/// What happens to a block taken from another migrate type (`__rmqueue_fallback`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum FallbackRule {
    /// The remainder goes to the requested type whenever pages were moved: 2.6.37 to 3.8 (read).
    LargestAlwaysStart,
    /// The remainder goes to the requested type only with the whole block: 3.16
    /// (`try_to_steal_freepages`).
    LargestClaimed,
    /// The remainder always goes to the requested type, even if no other page moved: the distribution's
    /// 3.10.
    LargestRestMoves,
    /// As above, and an unmovable request may take a pageblock as a reclaimable request does: read in 4.4 and
    /// 4.9.
    LargestUnmovableToo,
    /// Pages of a compatible type count for the claim: 4.14 (read) to 6.9 (`steal_suitable_fallback`).
    AlikePages,
    /// As above, but free pages move only with the whole pageblock; otherwise the block is split where
    /// it is: 6.10 on.
    ClaimOrSplit,
}

/// Whether an allocation tries again after reclaim freed too little (`__alloc_pages_slowpath`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum AllocRetry {
    /// Low orders always try again (`should_alloc_retry`). After reclaim without progress, the allocation
    /// first tries once at the high watermark: to 4.5.
    Always,
    /// 16 times without progress, while some zone could pass the check if all its reclaimable pages were
    /// free (`should_reclaim_retry`): from 4.7.
    WhileReclaimable,
}

/// What an allocation waits for before it tries again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum RetryWait {
    /// A congested queue, HZ/50 (`wait_iff_congested`): to 4.5.
    CongestedQueue,
    /// HZ/10 (`congestion_wait`) after reclaim without progress, if more than half of a zone's
    /// reclaimable pages await I/O (`should_reclaim_retry`): 4.7 to 5.15.
    WritePending,
    /// Nothing: from 5.16.
    Nothing,
}

/// Size of the per-cpu lists (`zone_batchsize`, `setup_pageset`, `zone_highsize`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum PcpRule {
    /// Batch from at most 512 KiB, high = 6 * batch: to 4.14 (read).
    SixBatches512K,
    /// Batch from at most 1 MiB, high = 6 * batch: 4.19 (read) to 5.13.
    SixBatches1M,
    /// Batch as above, high = max(low watermark / CPUs of the node, 4 * batch): 5.14 to 6.6.
    LowMarkPerCpu,
    /// As above, but this is only the lower limit (`high_min`); the kernel tunes the value: 6.12.
    SelfTuning,
}

/// The orders that per-cpu lists hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum PcpOrders {
    /// Order 0 only: to 5.13.
    Zero,
    /// Orders 0 to 3 and the order of a huge page: from 5.14.
    UpTo3AndThp,
}

/// The possible values of `numa_zonelist_order` (`build_zonelists`, mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZonelistOrder {
    /// The kernel chooses node or zone order (`default_zonelist_order`), and a user can override the choice:
    /// to 4.13.
    Auto,
    /// Only node order: from 4.14.
    NodeOnly,
}

/// How `find_next_best_node` weights distance against `node_load`, and how the load of a chosen node grows
/// (`build_zonelists`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NodeLoad {
    /// Distance times `nr_online_nodes * MAX_NUMNODES`. The load is set to a counter that starts at the
    /// number of online nodes and decreases: to 3.16 (read), to 5.15 (believed).
    Falling,
    /// Distance times `MAX_NUMNODES`. The load increases by one: 6.1, 6.12.
    Rising,
}

/// For which zones the slow path wakes kswapd (`wake_all_kswapds`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum KswapdWake {
    /// `wakeup_kswapd` for every zone of the zonelist: 2.6.37. kswapd gets the order only for a zone below
    /// its low watermark. A trace record is written even while kswapd is awake.
    NeedyZones,
    /// `wakeup_kswapd` for every zone of the zonelist: 2.6.38 to 3.11. kswapd gets the order for all of them.
    /// It is woken if it sleeps and the zone is below its low watermark.
    PerZoneLow,
    /// The same with the high watermark: 3.12 to 4.7.
    PerZoneHigh,
    /// Once for each node of the zonelist, if no zone of the node is above its high watermark: from 4.9
    /// (read).
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

/// How read-ahead advances its window (`ondemand_readahead`, mm/readahead.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ReadaheadRule {
    /// Any cached page before a miss counts as part of a sequential stream: to 3.10.
    Classic,
    /// There must be more cached pages than the read requests, and the window follows them: 3.11 to 4.18.
    CarefulContext,
    /// As above, and a window that would be merged with the next one stays within the limit: from 4.19.
    CappedMerge,
    /// As above, and the next window of a sequential stream is never smaller than the last one: from 6.1.124
    /// and 6.13. The limit depends on the pages that the read still needs, so it falls within a large read.
    NoShrink,
}

/// Which cached pages a read fault on a mapped file maps in addition to its own, up to `fault_around_bytes`
/// (`do_fault_around`, mm/memory.c; `filemap_map_pages`, mm/filemap.c). Pages that are locked or have the
/// read-ahead flag are left to their own faults. On x86 and ppc64 the new entries are marked as used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum FaultAround {
    /// None: to 3.14.
    Never,
    /// All. Each page that the fault maps counts as a hit for read-ahead (`mmap_miss`): from 3.15 (read in
    /// 3.16).
    MappedAreHits,
    /// All. Each page that the fault finds counts as a hit, even if it was mapped before: read in 5.10 and
    /// 6.1.
    FoundAreHits,
    /// All. Pages that reclaim once evicted while they were in use (`PG_workingset`) are no hits: from 6.10
    /// (`filemap_map_order0_folio`).
    RefaultsAreNoHits,
}

/// When a fault on a mapped file releases the lock of its address space and is therefore retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum FaultRetry {
    /// Not modelled. x86 retries from 2.6.37 on, but to 3.14 a retry changes nothing besides pgfault.
    Never,
    /// Before it waits for a locked page (`lock_page_or_retry`): read in 3.16.
    ToWait,
    /// Before it starts any read, and before it waits (`maybe_unlock_mmap_for_io`): from 5.1.
    ForIo,
}

/// Which allocator of kernel objects is built in (`CONFIG_SLAB`, `CONFIG_SLUB`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum SlabAllocator {
    /// mm/slab.c: it first requests pages of the CPU's own node, without fallback to other nodes and without
    /// reclaim after the zonelist walk. A distribution's configurations of July 2011 have it.
    Slab,
    /// mm/slub.c: the kernel's default from 2.6.23 on.
    Slub,
}

/// Which shrinkers shrink the caches of dentries and inodes, and which lists contain the unused ones
/// (fs/dcache.c, fs/inode.c, fs/super.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum SlabShrinkers {
    /// One shrinker for dentries and one for inodes, each with one list for all nodes: to 3.0.
    Caches,
    /// One shrinker for each file system, `prune_super`, with one list of dentries and one of inodes: 3.1
    /// to 3.11.
    Super,
    /// As above, with lists for each node: 3.12 to 3.19.
    SuperOfNode,
    /// As above, and every pass scans at least one object of each list: from 4.0.
    SuperAtLeastOne,
}

/// Numbers and print order of the migrate types (`enum migratetype`, linux/mmzone.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Migratetypes {
    /// Unmovable Reclaimable Movable Reserve Isolate: 2.6.37 to 3.8. 3.8 also has CMA if configured, which no
    /// distribution did yet.
    ReclaimableSecond,
    /// The same, with CMA before Isolate where configured: 3.16.
    ReclaimableSecondCma,
    /// Unmovable Movable Reclaimable HighAtomic, with CMA where configured, Isolate: from 4.4 (read).
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

/// Distance between the watermarks (`setup_per_zone_wmarks`).
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
    /// A ratio under 1 is set to 1; empty zones keep a protection row: to 4.17.
    RatioAtLeastOne,
    /// A ratio under 1 clears the row; empty zones keep their row: 4.18 to 5.7.
    ZeroRatioClears,
    /// A ratio under 1 or an empty zone clears the row: from 5.8.
    ZeroClears,
    /// As `ZeroClears`, and the pages of a cleared zone are missing from the rows below it:
    /// 5.8 to early 5.10 releases. No ready-made kernel has this rule; toggle it for such a dump.
    ZeroClearsAndSkips,
}

/// When huge pages raise `min_free_kbytes` (`set_recommended_min_free_kbytes`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ThpRaise {
    /// No transparent huge pages: 2.6.37.
    Never,
    /// 11 pageblocks for every populated zone: 2.6.38 to 4.14 (read).
    EveryZone,
    /// 11 pageblocks for every populated zone up to Normal: from 4.19 (read).
    UpToNormal,
    /// As `UpToNormal`. With huge pages off, the kernel recomputes the square root after subtracting the high
    /// watermarks: 6.1, 6.12.
    UpToNormalOrRecompute,
}

/// How `nr_dirty_threshold` follows from free and cached pages (`global_dirty_limits`,
/// mm/page-writeback.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum DirtyRule {
    /// Percent of free and all reclaimable pages: 2.6.37 to 3.1.
    FreeAndReclaimable,
    /// Percent of free and all reclaimable pages minus the total reserve: read in 3.7.2 and 3.8.3.
    ReclaimableAboveReserve,
    /// Percent of free pages minus the total reserve, plus file pages: 3.16.
    FreeAboveReserve,
    /// As `FreeAboveReserve`, with `min_free_kbytes` subtracted once more: the distribution's 3.10.
    FreeAboveReserveAndMin,
    /// As `FreeAboveReserve`, with the percentage first converted to parts of a page's bytes: from 4.4
    /// (read).
    FreeAboveReserveByPageSize,
}

/// What a writer does when too many pages are dirty (`balance_dirty_pages`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum DirtyThrottle {
    /// It writes 1.5 times what it dirtied, or sleeps: to 3.1.
    WriterWrites,
    /// It pauses so that it does not write faster than its share of the device: from 3.2.
    Pause,
}

/// How a write() through the page cache affects the age of a page (`generic_perform_write`,
/// `mark_page_accessed`; mm/filemap.c, mm/swap.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum WriteMarks {
    /// Every call marks the page accessed. The second call activates the page if it is already on a list, but
    /// not while it waits in its CPU's vector: to 3.10.
    OnLists,
    /// The second call activates the page wherever it is (`__lru_cache_activate_page`): 3.11 to 4.6.
    Anywhere,
    /// It does not affect the age: from 4.7.
    Never,
}

/// Where a page that is about to be dirtied may come from (`__GFP_WRITE`): the first walk over the zonelist
/// skips zones or nodes with too many dirty pages (mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum DirtySpread {
    /// Any zone: to 3.2.
    Nowhere,
    /// Zones within their share of the dirty limit (`zone_dirty_ok`): 3.3 to 4.7.
    Zone,
    /// Zones of nodes within their share (`node_dirty_ok`): from 4.8.
    Node,
}

/// The general form of `/proc/zoneinfo` (`zoneinfo_show_print`, mm/vmstat.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZoneinfoStyle {
    /// Populated zones only, counters before protection, `all_unreclaimable`: to 4.7 (read in 4.4).
    Zone,
    /// All zones, per-node block, protection before counters, `node_unreclaimable`: from 4.8 (read in
    /// 4.9).
    Node,
}

/// Which list of counter names `/proc/vmstat` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[allow(missing_docs)] // each variant is the release that has these names
pub enum VmstatNames {
    V2_6_37,
    V2_6_38,
    V3_0,
    V3_7,
    V3_8,
    V3_10,
    V3_16,
    V4_4,
    V4_9,
    V4_14,
    V4_19,
    V5_4,
    V5_10,
    V5_15,
    V6_1,
    V6_6,
    V6_12,
}

/// The zonelist cache (`zlc_setup` and related functions, mm/page_alloc.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZonelistCache {
    /// The cache is set up after the first zone of a walk, so that zone is never looked up. A zone that
    /// zone_reclaim skips for lack of pages is also marked full: 2.6.37, 3.0.
    FirstZoneIgnored,
    /// The cache is set up before the first zone_reclaim, so the first zone is looked up too. Only a zone
    /// where reclaim failed is marked ("zlcfirst"): 3.1 to 3.8 (read).
    FirstZoneChecked,
    /// As above, but after a reclaim that freed the requested pages, the zone is marked only if it is below
    /// its min watermark: 3.16.
    FirstZoneCheckedMinOrSome,
    /// Removed in 4.4.
    Removed,
}

/// In which zones a request may call `zone_reclaim` (`zone_allows_reclaim`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZoneReclaimReach {
    /// All zones: to 3.1 or later.
    Anywhere,
    /// Zones of nodes nearer to the preferred one than RECLAIM_DISTANCE: 3.16, 4.4.
    Nearer,
    /// Zones of nodes at most RECLAIM_DISTANCE away (`node_reclaim_distance` from 5.4): from 4.9 (read), in
    /// the distribution's 3.10, and in 3.7.2 and 3.8.3 (`init_zone_allows_reclaim`).
    UpTo,
}

/// When `zone_reclaim_mode` is switched on at boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZoneReclaimDefault {
    /// If any distance is above 20: 2.6.37.
    DistanceAbove20,
    /// If any distance is above 30: 3.0 to 3.8.
    DistanceAbove30,
    /// Never: from 3.16.
    Off,
}

/// Who writes dirty pages found at the end of the inactive list (`shrink_page_list`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ReclaimWrites {
    /// Both direct reclaim and kswapd: to 3.1.
    Both,
    /// File pages: only kswapd, below priority 10; otherwise they are marked to be freed when they have been
    /// written. Other pages: both (`shrink_page_list`, read in 3.7.2 and 3.8.3).
    KswapdBelow10,
    /// Only kswapd, if the node is flagged as dirty and the page was seen before: from 3.11.
    KswapdIfFlagged,
}

impl ReclaimWrites {
    /// Whether dirty pages and pages under writeback at the tail are counted in order to flag the zone or
    /// node (from 3.11). Before, pages whose queue was congested were counted.
    pub const fn counts_tail(self) -> bool {
        matches!(self, ReclaimWrites::KswapdIfFlagged)
    }
}

/// When a page that was used is activated at the end of the inactive list (`page_check_references`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ReferencedRule {
    /// An anonymous page is activated immediately, a file page at its second visit: to 5.8.
    Anon30,
    /// Both are activated at their second visit, or when two mappings used the page: from 5.9.
    TwoVisits,
}

/// Memory compaction (mm/compaction.c), as far as the engine models it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Compaction {
    /// Not built in (`CONFIG_COMPACTION`).
    NotBuilt,
    /// Two scanners that start at the ends of the zone in every run: 2.6.35 to 2.6.38 (read; this form
    /// existed until 3.2).
    Whole,
    /// A compaction that the engine does not model: here nothing is compacted. Also 3.0 and 3.1.
    NotModelled,
}

impl Compaction {
    /// Why all memory cannot be compacted (`/proc/sys/vm/compact_memory`); none if it can.
    pub const fn refused(self) -> Option<&'static str> {
        match self {
            Compaction::Whole => None,
            Compaction::NotBuilt => Some("this kernel is built without compaction"),
            Compaction::NotModelled => Some(crate::intervention::NO_COMPACTION),
        }
    }
}

/// How reclaim itself uses compaction (mm/vmscan.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ReclaimCompaction {
    /// It does not use it: 2.6.37.
    Apart,
    /// It compacts a zone after a batch of its inactive lists (`reclaimcompact_zone_order`): the series
    /// of November 2010 as posted.
    AfterBatch,
    /// It shrinks a zone until compaction could work (`should_continue_reclaim`): 2.6.38.
    Continues,
    /// It shrinks a node until compaction could work in one of its zones. For an order above 3, a direct
    /// reclaimer skips the zones where compaction could already work, and ends if there was one
    /// (`compaction_ready`): read in 5.10, 6.1 and 6.12.
    Yields,
}

/// How reclaim processes its batches for a request above order 3, or above order 0 below priority 10
/// (`set_reclaim_mode`, mm/vmscan.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum HighOrderReclaim {
    /// As for order 0: from 3.7 (read in 3.7.2, 3.8.3, 3.16).
    Plain,
    /// Lumpy: it takes the block around each page from the lists of all types and ages, even if pages of it
    /// were used. A second pass waits for writes: 2.6.37, with or without compaction.
    Lumpy,
    /// It takes pages from one list and does not reclaim used pages. A second pass waits for writes, and
    /// compaction does the rest: 2.6.38 to 3.1 (read) if compaction is built in.
    Compaction,
}

/// How many pages are scanned of a list that is too small for the priority (`get_scan_count`, kernels with
/// per-zone lists). Except in the oldest kernels, only kswapd has this minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ScanMinimum {
    /// No minimum. A count below 32 pages is saved in the zone for the next scan, until the sum reaches 32
    /// (`nr_saved_scan`): to 2.6.38.
    Saved,
    /// 32 pages, in a zone with fewer than 32 pages to scan: 3.0.
    Batch,
    /// The share of 32 pages that belongs to the list's type: 3.1.
    Share,
    /// The same, but only in a zone that was given up: read in 3.7.2, 3.8.3 and the distribution's 3.10.
    ShareGivenUp,
    /// 32 pages, or the whole list if it is shorter. Only in a zone that was given up, and only if no other
    /// list of the zone would be scanned: 3.16, 4.4.
    GivenUp,
}

/// Where reclaimers wait that found too many pages under writeback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum StallSite {
    /// Between two priorities (`do_try_to_free_pages`, `balance_pgdat`): to 3.1.
    Priority,
    /// There, and after a batch with enough pages under writeback (`shrink_inactive_list`). At priority 12
    /// the whole batch must be under writeback, at 11 half of it, and so on: read in 3.7.2 and 3.8.3, to
    /// 3.10.
    PriorityAndBatch,
    /// After a batch: direct reclaimers in a congested zone, and kswapd when it finds pages under writeback a
    /// second time (`shrink_inactive_list`): 3.11 to 4.14 (read).
    Batch,
    /// After a pass over a node, in the same two cases (`shrink_node`): 4.19 (read) on.
    Node,
}

/// What reclaimers wait for that found too many pages under writeback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum WritebackWait {
    /// The end of congestion of a queue: kswapd always waits (`congestion_wait`), other tasks only if a queue
    /// is congested (`wait_iff_congested`): to 5.15.
    CongestedQueue,
    /// The end of writes of the node's pages (`reclaim_throttle` for WRITEBACK): 5.16-rc1.
    Written,
    /// kswapd waits for the end of those writes, other tasks for one tick (CONGESTED): from 5.16.
    WrittenOrTick,
}

/// What a reclaimer does when others have isolated too many pages (`too_many_isolated`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum IsolatedWait {
    /// `congestion_wait` for HZ/10, until the isolated pages are within the limit: to 4.9 (read).
    CongestedQueue,
    /// It sleeps 100 ms (`msleep`), once: 4.14 (read) to 5.15, and in the distribution's 3.10.
    Sleep,
    /// `reclaim_throttle` for ISOLATED, once: from 5.16.
    Throttle,
}

/// When a direct reclaimer that makes no progress is throttled (`consider_reclaim_throttle`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NoProgressWait {
    /// Never: to 5.15.
    Never,
    /// After each node, below priority 10: 5.16-rc1.
    EachNode,
    /// Once per priority, for the first node of the zonelist: from 5.16. Only at priority 1, with nothing
    /// reclaimed, and if more than half of the reclaimable pages await I/O.
    FirstNode,
}

/// Which reclaimer wakes tasks that wait because they made no progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NoProgressWake {
    /// A direct reclaimer that has reclaimed anything.
    Any,
    /// A direct reclaimer that has reclaimed more than an eighth of what it scanned.
    AboveEighth,
}

/// The maximum sleep of a throttled reclaimer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Timeout {
    /// HZ divided by this number.
    PerSecond(u8),
    /// One tick.
    Tick,
}

impl Timeout {
    /// The number of ticks.
    pub fn jiffies(self, hz: u32) -> u32 {
        match self {
            Timeout::PerSecond(n) => hz / u32::from(n),
            Timeout::Tick => 1,
        }
    }
}

/// The timeouts of `reclaim_throttle`, by reason. At first the callers passed them; later the function has a
/// table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct ThrottleTimeouts {
    /// Too many pages at the tail are under writeback.
    pub writeback: Timeout,
    /// Too many pages are isolated.
    pub isolated: Timeout,
    /// Nothing was reclaimed.
    pub noprogress: Timeout,
}

/// When reclaim wakes the flushers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum FlusherKick {
    /// When a direct reclaim has scanned more than 48 pages (`do_try_to_free_pages`): to 4.10.
    Scanned,
    /// After a batch in which all pages were dirty and none was queued (`shrink_inactive_list`): from 4.11.
    AllDirty,
}

/// When kswapd raises the priority (`balance_pgdat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum PriorityRule {
    /// After a pass with fewer than 32 pages reclaimed; with 32 it starts over at priority 12: to 3.10.
    ResetAt32,
    /// After a pass that scanned fewer pages than its goal in every zone, or in the node, or that reclaimed
    /// nothing: from 3.11.
    RaiseUnlessScanned,
}

/// The main loop of kswapd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum KswapdLoop {
    /// kswapd continues immediately if a higher order was requested meanwhile, and discards other requests.
    /// Before it tries to sleep, it resets the requested order to 0, whatever the order at the end of the
    /// run: 2.6.37.
    Forgets,
    /// kswapd continues immediately if a more demanding request arrived meanwhile: 2.6.38 to 4.7.
    Harder,
    /// kswapd always tries to sleep first: from 4.8.
    SleepFirst,
}

/// The lock of an `anon_vma` tree, which a walk from a page to the entries that map it takes
/// (include/linux/rmap.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum AnonVmaLock {
    /// A spinlock: to 2.6.39.
    Spinlock,
    /// A mutex. Tasks that walk at the same time spin or sleep until they get it: 3.0 to 3.7 (read in 3.7.2).
    Mutex,
    /// A reader-writer semaphore: from 3.8 (`anon_vma_lock_read`). The two walks of a migration are readers.
    ReadSemaphore,
}

/// The multi-generational LRU (mm/vmscan.c, `CONFIG_LRU_GEN`; from 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum LruGenRule {
    /// The kernel does not have it: to 6.0.
    NotBuilt,
    /// The kernel has it, but the engine does not model the version of that release: 6.6.
    NotModelled,
    /// kswapd ages all lists before each pass (`lru_gen_age_node`), direct reclaim ages and evicts in one
    /// pass, and the rest of `shrink_node` follows: read in 6.1.176.
    AgesBefore,
    /// Any reclaimer ages within a pass, which ends the pass (`get_nr_to_scan`), and reclaim at the root has
    /// its own function (`lru_gen_shrink_node`): read in 6.12.107, without the flusher patch of 6.12.104.
    AgesWithin,
}

impl LruGenRule {
    /// Whether the engine models it.
    pub const fn is_modelled(self) -> bool {
        matches!(self, Self::AgesBefore | Self::AgesWithin)
    }
}

/// Memory cgroups of version 2, in the kernels whose sources were read (6.1 and 6.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum MemcgRule {
    /// Not modelled.
    Absent,
    /// Each reclaimer walks all cgroups below its target at each priority (6.1).
    WholeTree,
    /// Direct and limit reclaimers share one position in the tree and stop at their goal. If nothing was
    /// reclaimed, a full walk follows (6.12).
    SharedWalk,
}
