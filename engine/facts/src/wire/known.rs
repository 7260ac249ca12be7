//! What crosses of this crate's types: their fields, and their variants in order.

use crate::arch::{Arch, Geometry, ZoneSet, ZoneType};
use crate::costs::Costs;
use crate::gfp::Gfp;
use crate::intervention::Deed;
use crate::kernel::*;
use crate::layout::{Layout, NodeLayout, PfnRange, ZoneLayout};
use crate::profile::{DeviceModel, DeviceProfile, Thp, ZonelistChoice};
use crate::tunables::Tunables;
use crate::wire::{Source, Wire, put_number};
use crate::workload::{Op, Pattern, Program};
use crate::{wire_enum, wire_struct};

wire_enum! {
    Arch { X86_64, Ppc64 }
    ZoneType { Dma, Dma32, Normal, HighMem, Movable, Device }
    ZoneSet { AllDmaOnPpc, DeviceOnX86, DeviceEverywhere }
    Thp { Always, Madvise, Never }
    ZonelistChoice { Default, Node, Zone }
    DeviceModel { Disk2010, Disk2014, Ssd2021, Nvme2021, Throttled }
    Pattern { Sequential, Random }
    Slack { OrderMinusOne, OrderPlusOne }
    OrderCheck { HalvingLoop, SuitableBlock }
    BlockReserve { MigrateReserve, HighAtomic }
    FallbackRule { LargestAlwaysStart, LargestClaimed, AlikePages, ClaimOrSplit }
    Slowpath { RestartRebalance2637, RestartRebalance30, Retry6 }
    PcpRule { SixBatches512K, SixBatches1M, LowMarkPerCpu, SelfTuning }
    PcpOrders { Zero, UpTo3AndThp }
    ZonelistOrder { Auto, NodeOnly }
    NodeLoad { Falling, Rising }
    KswapdWake { PerZoneLow, PerZoneHigh, PerNode }
    LruOwner { Zone, Node }
    ReadaheadRule { Classic, CarefulContext, CappedMerge }
    SlabShrinkers { Caches, Super, SuperOfNode, SuperAtLeastOne }
    Migratetypes { ReclaimableSecond, ReclaimableSecondCma, MovableSecond }
    WatermarkBase { Present, Managed }
    LowMemory { ExceptHighMem, ExceptHighMemAndMovable }
    Gaps { QuarterAndHalf, ScaleFactor }
    ReserveRule { RatioAtLeastOne, ZeroClears, ZeroClearsAndSkips }
    ThpRaise { Never, EveryZone, UpToNormal, UpToNormalOrRecompute }
    DirtyRule { FreeAndReclaimable, FreeAboveReserve, FreeAboveReserveByPageSize }
    DirtyThrottle { WriterWrites, Pause }
    WriteMarks { OnLists, Anywhere, Never }
    DirtySpread { Nowhere, Zone, Node }
    ZoneinfoStyle { Zone, Node }
    VmstatNames { V2_6_37, V3_0, V3_16, V5_10, V5_15, V6_1, V6_12 }
    ZonelistCache { FirstZoneIgnored, FirstZoneChecked, FirstZoneCheckedMinOrSome, Removed }
    ZoneReclaimReach { Anywhere, Nearer, UpTo }
    ZoneReclaimDefault { DistanceAbove20, DistanceAbove30, Off }
    ReclaimWrites { Both, KswapdIfFlagged }
    ReferencedRule { Anon30, TwoVisits }
    ScanMinimum { Batch, Share, GivenUp }
    Throttle { CongestionWait30, CongestionWait311, CongestionWait515, ReclaimThrottle }
    KswapdLoop { Harder, SleepFirst }
    PriorityRule { ResetAt32, RaiseUnlessScanned }
}

wire_struct! {
    PfnRange { start, pages }
    ZoneLayout { node, kind, start_pfn, spanned, present, managed, ranges }
    NodeLayout { id, cpus, zones }
    Layout { geometry, hz, zone_types, nodes, distances }
    Geometry { arch, page_shift, orders, pageblock_order }
    DeviceProfile { id, model, bytes_per_s, capacity_kib, files, swap }
    Program { name, count, node, start_ns, ops, regions, pools, files, own, marks }
    Tunables { min_free_kbytes, watermark_scale_factor, watermark_boost_factor, lowmem_reserve_ratio, numa_zonelist_order, percpu_pagelist_fraction, swappiness, page_cluster, zone_reclaim_mode, min_unmapped_ratio, min_slab_ratio, dirty_expire_centisecs, dirty_writeback_centisecs, dirty_ratio, dirty_background_ratio, transparent_hugepage }
    Costs { lru_isolate_page, page_ladder_free, page_ladder_keep, rmap_check, unmap, swap_out, lru_move, batch_overhead, reclaim_visit, pcp_page, buddy_page_move, zone_walk, slowpath_entry, minor_fault, major_fault, zero_4k, zero_64k, zero_2m, copy_4k, copy_64k, copy_2m, cache_copy_kib, cache_lookup, cache_add, fs_write_page, syscall, context_switch, tlb_flush_page, tlb_flush_all, tlb_remote_first, tlb_remote_more, wake, wake_to_run, timer_tick, slab_scan, dentry_free, inode_free, compact_skip, compact_isolate, compact_take_free, migrate_page, numa_mark, numa_fault, fork }
    Features { slack, order_check, block_reserve, fallback, slowpath, thp, boost, nofragment, pcp, pcp_orders, zonelist_order, node_load, kswapd_wake, boot_frees_to_tail, moved_blocks_to_tail, highatomic_stays_apart, classzone_is_highest, pcp_keeps_type, pcp_drains_own_list, pcp_gives_way, new_anon_is_active, thp_defrag_always, reclaim_writes, referenced, scan_minimum, throttle, kswapd_loop, kswapd_priority, skip_balanced_lower_zones, scan_in_proportion, cache_first, isolated_eighth, unwritten_activated, workingset, workingset_anon, readahead, readahead_nofs, readahead_whole_reads, swap_ra_adaptive, inodes_with_pages_stay, slab_shrinkers, slab_remainders, last_put_references, inode_steals_count, blk_mq, reclaim_plug, tree_nodes_preloaded, slab_orders_wait, rotate_active, pfmemalloc_throttle, balance_gap, write_marks, migratetypes, lru_owner, zonelist_cache, zlc_reconsider, zone_reclaim_swapwrite, zone_reclaim_reach, fair_zone_policy, zone_reclaim, zone_set, watermark_base, low_memory, gaps, watermark_scale_max, reserve, min_free_cap_kib, thp_raise, dirty, dirty_throttle, dirty_spread, writeback_by_extent, zoneinfo, zoneinfo_managed, zoneinfo_boost, zoneinfo_promo, zoneinfo_cma, unreclaimable_computed, pagetypeinfo_cut, vmstat }
}

impl Wire for Gfp {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(from: &mut Source) -> Self {
        Gfp(Wire::take(from))
    }
}

/// Gives enums whose variants have fields their [`Wire`]: each variant has its number, all of them
/// from 0 on; there are `$count`. A number beyond is no plan.
macro_rules! wire_variants {
    ($of:ident $count:literal or $other:expr; $($number:literal $variant:ident { $($field:ident),* })+) => {
        impl Wire for $of {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $($of::$variant { $($field),* } => {
                        put_number($number, out);
                        $($field.put(out);)*
                    })+
                }
            }
            fn take(from: &mut Source) -> Self {
                match from.number($count - 1) {
                    $($number => $of::$variant { $($field: Wire::take(from)),* },)+
                    _ => $other,
                }
            }
        }
    };
}

wire_variants! {
    Op 21 or Op::Exit;
    0 Map { region, pages, huge, fd }
    1 Touch { region, count, pattern, write }
    2 Lock { region }
    3 Transfer { fd, write, sectors, chunk, pattern }
    4 Fsync { fd }
    5 Unlink { fd }
    6 Create { count, pages, chunk, fd }
    7 DropCaches {}
    8 Free { region }
    9 Alloc { pool, order, count, gfp }
    10 Release { pool, every }
    11 Spawn { program, count }
    12 Bind { node, strict }
    13 Think { ns }
    14 Loop { times, end }
    15 EndLoop { start }
    16 Exit {}
    17 Copy { from, to, sectors, chunk }
    18 Wait { every_ns }
    19 Mark { name }
    20 Stop {}
}

wire_variants! {
    Deed 5 or Deed::DropCaches {};
    0 Set { values }
    1 DropCaches {}
    2 Start { program }
    3 Kill { program, instance }
    4 Slow { device, percent }
}
