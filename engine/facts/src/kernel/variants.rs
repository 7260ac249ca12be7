//! The features of each modelled release, as changes against the release before it.

mod numa;

use crate::arch::ZoneSet;
use crate::kernel::features::Features;
use crate::kernel::numa::NumaBalancing;
use crate::kernel::rules::*;
use numa::*;
pub(super) use numa::{AUTONUMA_28, NUMA_3_13, NUMACORE_17};

/// The timeouts that the callers of `reclaim_throttle` passed at first.
pub(super) const SHORT_TIMEOUTS: ThrottleTimeouts = ThrottleTimeouts {
    writeback: Timeout::PerSecond(10),
    isolated: Timeout::PerSecond(10),
    noprogress: Timeout::PerSecond(10),
};

pub(super) const V2_6_37: Features = Features {
    slack: Slack::OrderMinusOne,
    order_check: OrderCheck::HalvingLoop,
    block_reserve: BlockReserve::MigrateReserve,
    fallback: FallbackRule::LargestAlwaysStart,
    alloc_retry: AllocRetry::Always,
    retry_wait: RetryWait::CongestedQueue,
    min_tried_again: false,
    oom_panics_deadlocked: false,
    thp: false,
    thp_counts_split_pages: false,
    thp_swap: false,
    boost: false,
    nofragment: false,
    pcp: PcpRule::SixBatches512K,
    pcp_orders: PcpOrders::Zero,
    zonelist_order: ZonelistOrder::Auto,
    node_load: NodeLoad::Falling,
    kswapd_wake: KswapdWake::NeedyZones,
    boot_frees_to_tail: false,
    moved_blocks_to_tail: false,
    highatomic_stays_apart: false,
    classzone_is_highest: false,
    pcp_keeps_type: true,
    pcp_drains_own_list: false,
    pcp_gives_way: false,
    thp_defrag_always: true,
    thp_starts_io: false,
    new_anon_is_active: true,
    reclaim_writes: ReclaimWrites::Both,
    referenced: ReferencedRule::Anon30,
    scan_minimum: ScanMinimum::Saved,
    queues_marked: true,
    stall_site: StallSite::Priority,
    writeback_wait: WritebackWait::CongestedQueue,
    writepages_throttled: false,
    isolated_wait: IsolatedWait::CongestedQueue,
    noprogress_wait: NoProgressWait::Never,
    noprogress_wake: NoProgressWake::Any,
    throttle_timeouts: SHORT_TIMEOUTS,
    flusher_kick: FlusherKick::Scanned,
    kswapd_loop: KswapdLoop::Forgets,
    kswapd_priority: PriorityRule::ResetAt32,
    skip_balanced_lower_zones: false,
    scan_in_proportion: false,
    balanced_by_rotation: false,
    cache_first: false,
    isolated_eighth: false,
    isolation_by_blocks: true,
    high_order_reclaim: HighOrderReclaim::Lumpy,
    lumpy_ignores_references: true,
    lru_gen: LruGenRule::NotBuilt,
    multi_gen_lru: false,
    memcg: MemcgRule::Absent,
    compaction: Compaction::Whole,
    reclaim_compaction: ReclaimCompaction::Apart,
    compaction_traced: false,
    compaction_for_small_orders: false,
    compaction_async: false,
    compaction_fast_scan: false,
    compaction_hint: false,
    compaction_stops_at_low: false,
    compaction_is_reclaim: false,
    compaction_after_reclaim: false,
    kswapd_compacts: false,
    isolation_has_status: false,
    migration_counts_freed: false,
    unwritten_activated: false,
    workingset: false,
    workingset_anon: false,
    rewritten_refaults: true,
    fault_around: FaultAround::Never,
    fault_retry: FaultRetry::Never,
    retries_are_faults: true,
    readahead: ReadaheadRule::Classic,
    readahead_nofs: false,
    readahead_whole_reads: false,
    swap_ra_adaptive: false,
    swap_cpu_clusters: false,
    inodes_with_pages_stay: false,
    slab_allocator: SlabAllocator::Slub,
    thisnode_gives_up: true,
    slab_shrinkers: SlabShrinkers::Caches,
    slab_remainders: false,
    last_put_references: true,
    inode_steals_count: false,
    blk_mq: false,
    throttle_vm_writeout: true,
    reclaim_plug: false,
    tree_nodes_preloaded: true,
    slab_orders_wait: true,
    rotate_active: false,
    pfmemalloc_throttle: false,
    balance_gap: false,
    quarter_balanced: false,
    quarter_exceeded: false,
    sleep_test_reversed: false,
    slab_for_all_zones: true,
    dead_zone_leaves_pass: false,
    search_clears_congested: false,
    slab_step_capped: false,
    direct_counts_scans: true,
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
    numa_balancing: NumaBalancing::Absent,
    anon_vma_lock: AnonVmaLock::Spinlock,
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
    zoneinfo_node_scanned: false,
    zoneinfo_node_ratio: false,
    zoneinfo_boost: false,
    zoneinfo_promo: false,
    zoneinfo_cma: false,
    unreclaimable_computed: false,
    pagetypeinfo_cut: 0,
    vmstat: VmstatNames::V2_6_37,
};

pub(super) const V2_6_38: Features = Features {
    slack: Slack::OrderPlusOne,
    thp: true,
    thp_raise: ThpRaise::EveryZone,
    kswapd_wake: KswapdWake::PerZoneLow,
    kswapd_loop: KswapdLoop::Harder,
    quarter_balanced: true,
    quarter_exceeded: true,
    sleep_test_reversed: true,
    high_order_reclaim: HighOrderReclaim::Compaction,
    reclaim_compaction: ReclaimCompaction::Continues,
    compaction_traced: true,
    compaction_for_small_orders: true,
    compaction_async: true,
    compaction_fast_scan: true,
    compaction_stops_at_low: true,
    compaction_is_reclaim: true,
    compaction_after_reclaim: true,
    kswapd_compacts: true,
    isolation_has_status: true,
    migration_counts_freed: true,
    vmstat: VmstatNames::V2_6_38,
    ..V2_6_37
};

/// The features of 3.0, with the configuration that a distribution used in July 2011.
pub const V3_0: Features = Features {
    anon_vma_lock: AnonVmaLock::Mutex,
    slab_allocator: SlabAllocator::Slab,
    min_tried_again: true,
    zone_reclaim: ZoneReclaimDefault::DistanceAbove30,
    scan_minimum: ScanMinimum::Batch,
    compaction: Compaction::NotModelled,
    reclaim_compaction: ReclaimCompaction::Apart,
    kswapd_compacts: false,
    balance_gap: true,
    quarter_exceeded: false,
    sleep_test_reversed: false,
    slab_for_all_zones: false,
    dead_zone_leaves_pass: true,
    direct_counts_scans: false,
    vmstat: VmstatNames::V3_0,
    ..V2_6_38
};

pub(super) const V3_1: Features = Features {
    slab_shrinkers: SlabShrinkers::Super,
    zonelist_cache: ZonelistCache::FirstZoneChecked,
    zlc_reconsider: true,
    scan_minimum: ScanMinimum::Share,
    search_clears_congested: true,
    slab_step_capped: true,
    throttle_vm_writeout: false,
    reclaim_plug: true,
    ..V3_0
};

/// Read in 3.7.2, unless the rule names another release.
pub(super) const V3_7: Features = Features {
    slab_allocator: SlabAllocator::Slub,
    slack: Slack::OrderMinusOne,
    reclaim_writes: ReclaimWrites::KswapdBelow10,
    scan_minimum: ScanMinimum::ShareGivenUp,
    stall_site: StallSite::PriorityAndBatch,
    isolation_by_blocks: false,
    high_order_reclaim: HighOrderReclaim::Plain,
    inode_steals_count: true,
    pfmemalloc_throttle: true,
    zone_reclaim_reach: ZoneReclaimReach::UpTo,
    dirty: DirtyRule::ReclaimableAboveReserve,
    dirty_throttle: DirtyThrottle::Pause,
    dirty_spread: DirtySpread::Zone,
    vmstat: VmstatNames::V3_7,
    ..V3_1
};

/// Read in 3.8.3.
pub(super) const V3_8: Features = Features {
    isolated_eighth: true,
    cache_first: true,
    numa_balancing: NumaBalancing::Modelled(NUMA_3_8),
    anon_vma_lock: AnonVmaLock::ReadSemaphore,
    zoneinfo_managed: true,
    vmstat: VmstatNames::V3_8,
    ..V3_7
};

pub(super) const V3_16: Features = Features {
    fallback: FallbackRule::LargestClaimed,
    kswapd_wake: KswapdWake::PerZoneHigh,
    reclaim_writes: ReclaimWrites::KswapdIfFlagged,
    scan_minimum: ScanMinimum::GivenUp,
    stall_site: StallSite::Batch,
    kswapd_priority: PriorityRule::RaiseUnlessScanned,
    scan_in_proportion: true,
    write_marks: WriteMarks::Anywhere,
    workingset: true,
    fault_around: FaultAround::MappedAreHits,
    fault_retry: FaultRetry::ToWait,
    readahead: ReadaheadRule::CarefulContext,
    slab_shrinkers: SlabShrinkers::SuperOfNode,
    slab_remainders: true,
    swap_ra_adaptive: true,
    swap_cpu_clusters: true,
    rotate_active: true,
    migratetypes: Migratetypes::ReclaimableSecondCma,
    fair_zone_policy: true,
    zonelist_cache: ZonelistCache::FirstZoneCheckedMinOrSome,
    zone_reclaim: ZoneReclaimDefault::Off,
    zone_reclaim_reach: ZoneReclaimReach::Nearer,
    numa_balancing: NumaBalancing::NotModelled,
    watermark_base: WatermarkBase::Managed,
    dirty: DirtyRule::FreeAboveReserve,
    unreclaimable_computed: true,
    vmstat: VmstatNames::V3_16,
    ..V3_8
};

/// 3.10 as a distribution maintained it for ten years: read in 3.10.0-1160, which has many features of later
/// releases.
pub(super) const V3_10: Features = Features {
    fallback: FallbackRule::LargestRestMoves,
    kswapd_wake: KswapdWake::PerZoneLow,
    scan_minimum: ScanMinimum::ShareGivenUp,
    isolated_wait: IsolatedWait::Sleep,
    rotate_active: false,
    fault_around: FaultAround::Never,
    fault_retry: FaultRetry::Never,
    readahead: ReadaheadRule::Classic,
    slab_shrinkers: SlabShrinkers::Super,
    slab_remainders: false,
    thp_starts_io: true,
    zone_reclaim_reach: ZoneReclaimReach::UpTo,
    min_free_cap_kib: 262_144,
    dirty: DirtyRule::FreeAboveReserveAndMin,
    pagetypeinfo_cut: 100_000,
    vmstat: VmstatNames::V3_10,
    ..V3_16
};

/// Read in 4.4.50.
pub(super) const V4_4: Features = Features {
    order_check: OrderCheck::SuitableBlock,
    block_reserve: BlockReserve::HighAtomic,
    fallback: FallbackRule::LargestUnmovableToo,
    slab_shrinkers: SlabShrinkers::SuperAtLeastOne,
    thisnode_gives_up: false,
    slab_orders_wait: false,
    thp_starts_io: true,
    rotate_active: false,
    migratetypes: Migratetypes::MovableSecond,
    zonelist_cache: ZonelistCache::Removed,
    dirty: DirtyRule::FreeAboveReserveByPageSize,
    vmstat: VmstatNames::V4_4,
    ..V3_16
};

/// Read in 4.9.229.
pub(super) const V4_9: Features = Features {
    alloc_retry: AllocRetry::WhileReclaimable,
    retry_wait: RetryWait::WritePending,
    reclaim_compaction: ReclaimCompaction::Yields,
    thp_counts_split_pages: true,
    thp_defrag_always: false,
    kswapd_wake: KswapdWake::PerNode,
    kswapd_loop: KswapdLoop::SleepFirst,
    cache_first: false,
    balanced_by_rotation: true,
    rewritten_refaults: false,
    write_marks: WriteMarks::Never,
    lru_owner: LruOwner::Node,
    zone_reclaim_reach: ZoneReclaimReach::UpTo,
    fair_zone_policy: false,
    gaps: Gaps::ScaleFactor,
    watermark_scale_max: 1000,
    dirty_spread: DirtySpread::Node,
    zoneinfo: ZoneinfoStyle::Node,
    zoneinfo_node_scanned: true,
    zoneinfo_node_ratio: true,
    unreclaimable_computed: false,
    vmstat: VmstatNames::V4_9,
    ..V4_4
};

/// Read in 4.14.67.
pub(super) const V4_14: Features = Features {
    fallback: FallbackRule::AlikePages,
    thp_swap: true,
    zonelist_order: ZonelistOrder::NodeOnly,
    isolated_wait: IsolatedWait::Sleep,
    flusher_kick: FlusherKick::AllDirty,
    unwritten_activated: true,
    rotate_active: true,
    readahead_whole_reads: true,
    last_put_references: false,
    zoneinfo_node_scanned: false,
    vmstat: VmstatNames::V4_14,
    ..V4_9
};

/// Read in 4.19.0.
pub(super) const V4_19: Features = Features {
    oom_panics_deadlocked: true,
    pcp: PcpRule::SixBatches1M,
    stall_site: StallSite::Node,
    readahead: ReadaheadRule::CappedMerge,
    zone_set: ZoneSet::DeviceOnX86,
    reserve: ReserveRule::ZeroRatioClears,
    thp_raise: ThpRaise::UpToNormal,
    zoneinfo_node_ratio: false,
    vmstat: VmstatNames::V4_19,
    ..V4_14
};

/// Read in 5.4.273.
pub(super) const V5_4: Features = Features {
    boost: true,
    nofragment: true,
    tree_nodes_preloaded: false,
    blk_mq: true,
    queues_marked: false,
    fault_around: FaultAround::FoundAreHits,
    fault_retry: FaultRetry::ForIo,
    pagetypeinfo_cut: 100_000,
    vmstat: VmstatNames::V5_4,
    ..V4_19
};

pub(super) const V5_10: Features = Features {
    numa_balancing: NumaBalancing::Modelled(NUMA_5_10),
    boot_frees_to_tail: true,
    moved_blocks_to_tail: true,
    classzone_is_highest: true,
    new_anon_is_active: false,
    balanced_by_rotation: false,
    workingset_anon: true,
    readahead_nofs: true,
    referenced: ReferencedRule::TwoVisits,
    watermark_scale_max: 3000,
    reserve: ReserveRule::ZeroClears,
    min_free_cap_kib: 262_144,
    writeback_by_extent: true,
    vmstat: VmstatNames::V5_10,
    ..V5_4
};

pub(super) const V5_15: Features = Features {
    pcp: PcpRule::LowMarkPerCpu,
    pcp_orders: PcpOrders::UpTo3AndThp,
    pcp_gives_way: true,
    zoneinfo_cma: true,
    vmstat: VmstatNames::V5_15,
    ..V5_10
};

/// The features of 6.1.
pub const V6_1: Features = Features {
    numa_balancing: NumaBalancing::Modelled(NUMA_6_1),
    thp_raise: ThpRaise::UpToNormalOrRecompute,
    readahead: ReadaheadRule::NoShrink,
    inodes_with_pages_stay: true,
    retry_wait: RetryWait::Nothing,
    writeback_wait: WritebackWait::WrittenOrTick,
    writepages_throttled: true,
    isolated_wait: IsolatedWait::Throttle,
    noprogress_wait: NoProgressWait::FirstNode,
    noprogress_wake: NoProgressWake::AboveEighth,
    throttle_timeouts: ThrottleTimeouts {
        writeback: Timeout::PerSecond(10),
        isolated: Timeout::PerSecond(50),
        noprogress: Timeout::Tick,
    },
    node_load: NodeLoad::Rising,
    highatomic_stays_apart: true,
    pcp_drains_own_list: true,
    lru_gen: LruGenRule::AgesBefore,
    zoneinfo_boost: true,
    vmstat: VmstatNames::V6_1,
    memcg: MemcgRule::WholeTree,
    ..V5_15
};

/// Read in 6.6.87.
pub(super) const V6_6: Features = Features {
    numa_balancing: NumaBalancing::NotModelled,
    lru_gen: LruGenRule::NotModelled,
    retries_are_faults: false,
    low_memory: LowMemory::ExceptHighMemAndMovable,
    memcg: MemcgRule::Absent,
    vmstat: VmstatNames::V6_6,
    ..V6_1
};

pub(super) const V6_12: Features = Features {
    numa_balancing: NumaBalancing::Modelled(NUMA_6_12),
    lru_gen: LruGenRule::AgesWithin,
    multi_gen_lru: true,
    pcp: PcpRule::SelfTuning,
    fault_around: FaultAround::RefaultsAreNoHits,
    fallback: FallbackRule::ClaimOrSplit,
    pcp_keeps_type: false,
    zone_set: ZoneSet::DeviceEverywhere,
    zoneinfo_promo: true,
    memcg: MemcgRule::SharedWalk,
    vmstat: VmstatNames::V6_12,
    ..V6_6
};
