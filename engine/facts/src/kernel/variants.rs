//! The features of each modelled release and patched kernel, as changes against the one before.

use crate::arch::ZoneSet;
use crate::kernel::features::Features;
use crate::kernel::rules::*;

pub(super) const V2_6_37: Features = Features {
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

pub(super) const V3_1: Features = Features {
    slab_shrinkers: SlabShrinkers::Super,
    zonelist_cache: ZonelistCache::FirstZoneChecked,
    zlc_reconsider: true,
    scan_minimum: ScanMinimum::Share,
    throttle_vm_writeout: false,
    reclaim_plug: true,
    ..V3_0
};

pub(super) const V3_16: Features = Features {
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
    slab_shrinkers: SlabShrinkers::SuperOfNode,
    slab_remainders: true,
    inode_steals_count: true,
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
pub(super) const CHECKLOW: Features = Features {
    skip_balanced_lower_zones: true,
    ..V3_16
};

pub(super) const V5_10: Features = Features {
    order_check: OrderCheck::SuitableBlock,
    block_reserve: BlockReserve::HighAtomic,
    fallback: FallbackRule::AlikePages,
    slowpath: Slowpath::Retry6,
    boost: true,
    slab_shrinkers: SlabShrinkers::SuperAtLeastOne,
    last_put_references: false,
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

pub(super) const V6_12: Features = Features {
    pcp: PcpRule::SelfTuning,
    fallback: FallbackRule::ClaimOrSplit,
    pcp_keeps_type: false,
    low_memory: LowMemory::ExceptHighMemAndMovable,
    zone_set: ZoneSet::DeviceEverywhere,
    zoneinfo_promo: true,
    vmstat: VmstatNames::V6_12,
    ..V6_1
};

pub(super) const ZLCFIRST: Features = Features {
    zonelist_cache: ZonelistCache::FirstZoneChecked,
    ..V3_0
};

pub(super) const ZLCRECONSIDER: Features = Features {
    zlc_reconsider: true,
    ..ZLCFIRST
};
