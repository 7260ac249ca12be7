//! Names of the counters in `/proc/vmstat` and `/proc/zoneinfo`, in order (mm/vmstat.c, `vmstat_text`).
//!
//! Modelled: every name that the modelled kernels print in distribution builds, for each architecture.
//! Left out: counters of debug builds (`nr_tlb_*`, `vmacache_*`) and of other options.
//! Visible difference: a kernel with another configuration has more or fewer lines.
//! Invariants: three lists are written out (2.6.37, 4.9 and 5.10); the lists of all other kernels are written
//! as changes. A change whose anchor is missing panics in the first test that uses the list.

use std::collections::BTreeMap;

use crate::arch::{Arch, ZoneType};
use crate::kernel::{Compaction, DirtyRule, Features, VmstatNames, WritebackWait};
use crate::tunables::Tunables;

/// The counters of one kernel in print order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CounterNames {
    /// `enum zone_stat_item`: the zone block of zoneinfo. Kernels to 4.7 count everything here.
    pub zone: Vec<&'static str>,
    /// `enum numa_stat_item`: after the zone block; empty where it is part of `zone`.
    pub numa: Vec<&'static str>,
    /// `enum node_stat_item`: the per-node block of zoneinfo, from 4.8.
    pub node: Vec<&'static str>,
    /// Limits and machine-wide sums, only in vmstat.
    pub limits: Vec<&'static str>,
    /// `enum vm_event_item`, with a name for each zone of a per-zone event.
    pub events: Vec<String>,
    /// Lines at the end that exist only for old readers.
    pub last: Vec<&'static str>,
}

impl CounterNames {
    /// Every line of `/proc/vmstat`.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        let fixed = [&self.zone, &self.numa, &self.node, &self.limits];
        fixed
            .into_iter()
            .flatten()
            .copied()
            .chain(self.events.iter().map(String::as_str))
            .chain(self.last.iter().copied())
    }
}

/// Values by counter name; a missing name has the value 0.
pub type Counters = BTreeMap<String, u64>;

/// A per-zone event, `pgalloc` in `pgalloc_dma32`, is written with this ending in the lists.
const PER_ZONE: &str = "@zones";

/// One change against an older kernel's list.
enum Change {
    /// New names after a known one.
    After(&'static str, &'static [&'static str]),
    /// Names that were removed.
    Removed(&'static [&'static str]),
    /// One name replaced by others.
    Became(&'static str, &'static [&'static str]),
}
use Change::{After, Became, Removed};

/// The lists during their construction.
#[derive(Clone)]
struct Lists {
    zone: Vec<&'static str>,
    numa: Vec<&'static str>,
    node: Vec<&'static str>,
    limits: Vec<&'static str>,
    events: Vec<&'static str>,
    last: Vec<&'static str>,
}

fn words(text: &'static str) -> Vec<&'static str> {
    text.split_whitespace().collect()
}

fn apply(list: &mut Vec<&'static str>, changes: &[Change]) {
    let at = |list: &[&str], name: &str| {
        let found = list.iter().position(|known| *known == name);
        found.unwrap_or_else(|| panic!("no counter {name} to change"))
    };
    for change in changes {
        match change {
            After(anchor, names) => {
                let index = at(list, anchor) + 1;
                list.splice(index..index, names.iter().copied());
            }
            Removed(names) => {
                for name in *names {
                    let index = at(list, name);
                    list.remove(index);
                }
            }
            Became(old, names) => {
                let index = at(list, old);
                list.splice(index..=index, names.iter().copied());
            }
        }
    }
}

const ZONE_2_6_37: &str = "nr_free_pages nr_inactive_anon nr_active_anon nr_inactive_file \
    nr_active_file nr_unevictable nr_mlock nr_anon_pages nr_mapped nr_file_pages nr_dirty \
    nr_writeback nr_slab_reclaimable nr_slab_unreclaimable nr_page_table_pages nr_kernel_stack \
    nr_unstable nr_bounce nr_vmscan_write nr_writeback_temp nr_isolated_anon nr_isolated_file \
    nr_shmem nr_dirtied nr_written numa_hit numa_miss numa_foreign numa_interleave numa_local \
    numa_other";

const LIMITS: &str = "nr_dirty_threshold nr_dirty_background_threshold";

const EVENTS_2_6_37: &str = "pgpgin pgpgout pswpin pswpout pgalloc@zones pgfree pgactivate \
    pgdeactivate pgfault pgmajfault pgrefill@zones pgsteal@zones pgscan_kswapd@zones \
    pgscan_direct@zones zone_reclaim_failed pginodesteal slabs_scanned kswapd_steal \
    kswapd_inodesteal kswapd_low_wmark_hit_quickly kswapd_high_wmark_hit_quickly \
    kswapd_skip_congestion_wait pageoutrun allocstall pgrotated compact_blocks_moved \
    compact_pages_moved compact_pagemigrate_failed compact_stall compact_fail compact_success \
    htlb_buddy_alloc_success htlb_buddy_alloc_fail unevictable_pgs_culled \
    unevictable_pgs_scanned unevictable_pgs_rescued unevictable_pgs_mlocked \
    unevictable_pgs_munlocked unevictable_pgs_cleared unevictable_pgs_stranded \
    unevictable_pgs_mlockfreed";

const ZONE_2_6_38: &[Change] = &[After("numa_other", &["nr_anon_transparent_hugepages"])];
const EVENTS_3_0: &[Change] = &[After(
    "unevictable_pgs_mlockfreed",
    &[
        "thp_fault_alloc",
        "thp_fault_fallback",
        "thp_collapse_alloc",
        "thp_collapse_alloc_failed",
        "thp_split",
    ],
)];

const ZONE_3_7: &[Change] = &[
    After("nr_vmscan_write", &["nr_vmscan_immediate_reclaim"]),
    After("nr_anon_transparent_hugepages", &["nr_free_cma"]),
];
const EVENTS_3_7: &[Change] = &[
    Became(
        "pgsteal@zones",
        &["pgsteal_kswapd@zones", "pgsteal_direct@zones"],
    ),
    After("pgscan_direct@zones", &["pgscan_direct_throttle"]),
    Removed(&["kswapd_steal", "unevictable_pgs_mlockfreed"]),
];
const EVENTS_3_8: &[Change] = &[
    After(
        "pgrotated",
        &[
            "numa_pte_updates",
            "numa_hint_faults",
            "numa_hint_faults_local",
            "numa_pages_migrated",
            "pgmigrate_success",
            "pgmigrate_fail",
        ],
    ),
    Became("compact_blocks_moved", &["compact_migrate_scanned"]),
    Became("compact_pages_moved", &["compact_free_scanned"]),
    Became("compact_pagemigrate_failed", &["compact_isolated"]),
    After(
        "thp_split",
        &["thp_zero_page_alloc", "thp_zero_page_alloc_failed"],
    ),
];

const ZONE_3_16: &[Change] = &[
    After("nr_free_pages", &["nr_alloc_batch"]),
    After(
        "numa_other",
        &[
            "workingset_refault",
            "workingset_activate",
            "workingset_nodereclaim",
        ],
    ),
];
const EVENTS_3_16: &[Change] = &[
    Removed(&["kswapd_skip_congestion_wait"]),
    After("pgrotated", &["drop_pagecache", "drop_slab"]),
    After("numa_pte_updates", &["numa_huge_pte_updates"]),
];

/// The distribution's 3.10 has these besides the names of 3.16.
const EVENTS_3_10: &[Change] = &[
    After("pgmajfault", &["pglazyfreed"]),
    After(
        "thp_zero_page_alloc_failed",
        &[
            "balloon_inflate",
            "balloon_deflate",
            "balloon_migrate",
            "swap_ra",
            "swap_ra_hit",
        ],
    ),
];

const ZONE_4_4: &[Change] = &[After("nr_written", &["nr_pages_scanned"])];
const EVENTS_4_4: &[Change] = &[After(
    "thp_zero_page_alloc_failed",
    &["balloon_inflate", "balloon_deflate", "balloon_migrate"],
)];

const ZONE_4_9: &str = "nr_free_pages nr_zone_inactive_anon nr_zone_active_anon \
    nr_zone_inactive_file nr_zone_active_file nr_zone_unevictable nr_zone_write_pending nr_mlock \
    nr_slab_reclaimable nr_slab_unreclaimable nr_page_table_pages nr_kernel_stack nr_overhead \
    nr_bounce nr_zspages numa_hit numa_miss numa_foreign numa_interleave numa_local numa_other \
    nr_free_cma";

const NODE_4_9: &str = "nr_inactive_anon nr_active_anon nr_inactive_file nr_active_file \
    nr_unevictable nr_isolated_anon nr_isolated_file nr_pages_scanned workingset_refault \
    workingset_activate workingset_nodereclaim nr_anon_pages nr_mapped nr_file_pages nr_dirty \
    nr_writeback nr_writeback_temp nr_shmem nr_shmem_hugepages nr_shmem_pmdmapped \
    nr_anon_transparent_hugepages nr_unstable nr_vmscan_write nr_vmscan_immediate_reclaim \
    nr_dirtied nr_written";

const EVENTS_4_9: &str = "pgpgin pgpgout pswpin pswpout pgalloc@zones allocstall@zones \
    pgskip@zones pgfree pgactivate pgdeactivate pgfault pgmajfault pglazyfreed pgrefill \
    pgsteal_kswapd pgsteal_direct pgscan_kswapd pgscan_direct pgscan_direct_throttle \
    zone_reclaim_failed pginodesteal slabs_scanned kswapd_inodesteal \
    kswapd_low_wmark_hit_quickly kswapd_high_wmark_hit_quickly pageoutrun pgrotated \
    drop_pagecache drop_slab numa_pte_updates numa_huge_pte_updates numa_hint_faults \
    numa_hint_faults_local numa_pages_migrated pgmigrate_success pgmigrate_fail \
    compact_migrate_scanned compact_free_scanned compact_isolated compact_stall compact_fail \
    compact_success compact_daemon_wake htlb_buddy_alloc_success htlb_buddy_alloc_fail \
    unevictable_pgs_culled unevictable_pgs_scanned unevictable_pgs_rescued \
    unevictable_pgs_mlocked unevictable_pgs_munlocked unevictable_pgs_cleared \
    unevictable_pgs_stranded thp_fault_alloc thp_fault_fallback thp_collapse_alloc \
    thp_collapse_alloc_failed thp_file_alloc thp_file_mapped thp_split_page \
    thp_split_page_failed thp_deferred_split_page thp_split_pmd thp_zero_page_alloc \
    thp_zero_page_alloc_failed balloon_inflate balloon_deflate balloon_migrate";

const ZONE_4_14: &[Change] = &[Removed(&[
    "nr_slab_reclaimable",
    "nr_slab_unreclaimable",
    "nr_overhead",
    "numa_hit",
    "numa_miss",
    "numa_foreign",
    "numa_interleave",
    "numa_local",
    "numa_other",
])];
const NODE_4_14: &[Change] = &[
    After(
        "nr_unevictable",
        &["nr_slab_reclaimable", "nr_slab_unreclaimable"],
    ),
    Removed(&["nr_pages_scanned"]),
];
const EVENTS_4_14: &[Change] = &[
    After("pgdeactivate", &["pglazyfree"]),
    After("drop_slab", &["oom_kill"]),
    After(
        "compact_daemon_wake",
        &[
            "compact_daemon_migrate_scanned",
            "compact_daemon_free_scanned",
        ],
    ),
    After("thp_split_pmd", &["thp_split_pud"]),
    After(
        "thp_zero_page_alloc_failed",
        &["thp_swpout", "thp_swpout_fallback"],
    ),
    After("balloon_migrate", &["swap_ra", "swap_ra_hit"]),
];

const NODE_5_4: &[Change] = &[
    Became(
        "workingset_refault",
        &["workingset_nodes", "workingset_refault"],
    ),
    After("workingset_activate", &["workingset_restore"]),
    After(
        "nr_shmem_pmdmapped",
        &["nr_file_hugepages", "nr_file_pmdmapped"],
    ),
    After("nr_written", &["nr_kernel_misc_reclaimable"]),
];

const ZONE_5_10: &str = "nr_free_pages nr_zone_inactive_anon nr_zone_active_anon \
    nr_zone_inactive_file nr_zone_active_file nr_zone_unevictable nr_zone_write_pending nr_mlock \
    nr_page_table_pages nr_bounce nr_zspages nr_free_cma";

const NUMA: &str = "numa_hit numa_miss numa_foreign numa_interleave numa_local numa_other";

const NODE_5_10: &str = "nr_inactive_anon nr_active_anon nr_inactive_file nr_active_file \
    nr_unevictable nr_slab_reclaimable nr_slab_unreclaimable nr_isolated_anon nr_isolated_file \
    workingset_nodes workingset_refault_anon workingset_refault_file workingset_activate_anon \
    workingset_activate_file workingset_restore_anon workingset_restore_file \
    workingset_nodereclaim nr_anon_pages nr_mapped nr_file_pages nr_dirty nr_writeback \
    nr_writeback_temp nr_shmem nr_shmem_hugepages nr_shmem_pmdmapped nr_file_hugepages \
    nr_file_pmdmapped nr_anon_transparent_hugepages nr_vmscan_write nr_vmscan_immediate_reclaim \
    nr_dirtied nr_written nr_kernel_misc_reclaimable nr_foll_pin_acquired nr_foll_pin_released \
    nr_kernel_stack";

const EVENTS_5_10: &str = "pgpgin pgpgout pswpin pswpout pgalloc@zones allocstall@zones \
    pgskip@zones pgfree pgactivate pgdeactivate pglazyfree pgfault pgmajfault pglazyfreed \
    pgrefill pgreuse pgsteal_kswapd pgsteal_direct pgscan_kswapd pgscan_direct \
    pgscan_direct_throttle pgscan_anon pgscan_file pgsteal_anon pgsteal_file zone_reclaim_failed \
    pginodesteal slabs_scanned kswapd_inodesteal kswapd_low_wmark_hit_quickly \
    kswapd_high_wmark_hit_quickly pageoutrun pgrotated drop_pagecache drop_slab oom_kill \
    numa_pte_updates numa_huge_pte_updates numa_hint_faults numa_hint_faults_local \
    numa_pages_migrated pgmigrate_success pgmigrate_fail thp_migration_success \
    thp_migration_fail thp_migration_split compact_migrate_scanned compact_free_scanned \
    compact_isolated compact_stall compact_fail compact_success compact_daemon_wake \
    compact_daemon_migrate_scanned compact_daemon_free_scanned htlb_buddy_alloc_success \
    htlb_buddy_alloc_fail unevictable_pgs_culled unevictable_pgs_scanned \
    unevictable_pgs_rescued unevictable_pgs_mlocked unevictable_pgs_munlocked \
    unevictable_pgs_cleared unevictable_pgs_stranded thp_fault_alloc thp_fault_fallback \
    thp_fault_fallback_charge thp_collapse_alloc thp_collapse_alloc_failed thp_file_alloc \
    thp_file_fallback thp_file_fallback_charge thp_file_mapped thp_split_page \
    thp_split_page_failed thp_deferred_split_page thp_split_pmd thp_split_pud \
    thp_zero_page_alloc thp_zero_page_alloc_failed thp_swpout thp_swpout_fallback \
    balloon_inflate balloon_deflate balloon_migrate swap_ra swap_ra_hit";

const NODE_5_15: &[Change] = &[After(
    "nr_kernel_stack",
    &["nr_page_table_pages", "nr_swapcached"],
)];
const EVENTS_5_15: &[Change] = &[
    After("pgsteal_direct", &["pgdemote_kswapd", "pgdemote_direct"]),
    After(
        "htlb_buddy_alloc_fail",
        &["cma_alloc_success", "cma_alloc_fail"],
    ),
    After(
        "swap_ra_hit",
        &["direct_map_level2_splits", "direct_map_level3_splits"],
    ),
];

const NODE_6_1: &[Change] = &[
    After("nr_page_table_pages", &["nr_sec_page_table_pages"]),
    After(
        "nr_swapcached",
        &["pgpromote_success", "pgpromote_candidate"],
    ),
];
const EVENTS_6_1: &[Change] = &[
    After(
        "thp_split_pmd",
        &[
            "thp_scan_exceed_none_pte",
            "thp_scan_exceed_swap_pte",
            "thp_scan_exceed_share_pte",
        ],
    ),
    After(
        "swap_ra_hit",
        &["ksm_swpin_copy", "cow_ksm", "zswpin", "zswpout"],
    ),
];

const EVENTS_6_6: &[Change] = &[
    Removed(&["pgdemote_kswapd", "pgdemote_direct"]),
    After(
        "pgsteal_direct",
        &[
            "pgsteal_khugepaged",
            "pgdemote_kswapd",
            "pgdemote_direct",
            "pgdemote_khugepaged",
        ],
    ),
    After("pgscan_direct", &["pgscan_khugepaged"]),
];

const ZONE_6_12: &[Change] = &[After("nr_free_cma", &["nr_unaccepted"])];
const NODE_6_12: &[Change] = &[
    After("nr_sec_page_table_pages", &["nr_iommu_pages"]),
    After(
        "pgpromote_candidate",
        &["pgdemote_kswapd", "pgdemote_direct", "pgdemote_khugepaged"],
    ),
];
const LIMITS_6_12: &[Change] = &[After(
    "nr_dirty_background_threshold",
    &["nr_memmap_pages", "nr_memmap_boot_pages"],
)];
const EVENTS_6_12: &[Change] = &[
    Removed(&["pgdemote_kswapd", "pgdemote_direct", "pgdemote_khugepaged"]),
    Became(
        "zone_reclaim_failed",
        &["zone_reclaim_success", "zone_reclaim_failed"],
    ),
    After("thp_deferred_split_page", &["thp_underused_split_page"]),
    After("swap_ra_hit", &["swpin_zero", "swpout_zero"]),
    After("zswpout", &["zswpwb"]),
];

/// The lists of per-zone LRU kernels: 2.6.37 and its changes.
fn old_lists(names: VmstatNames) -> Lists {
    let mut lists = Lists {
        zone: words(ZONE_2_6_37),
        numa: Vec::new(),
        node: Vec::new(),
        limits: words(LIMITS),
        events: words(EVENTS_2_6_37),
        last: Vec::new(),
    };
    if names >= VmstatNames::V2_6_38 {
        apply(&mut lists.zone, ZONE_2_6_38);
    }
    if names >= VmstatNames::V3_0 {
        apply(&mut lists.events, EVENTS_3_0);
    }
    if names >= VmstatNames::V3_7 {
        apply(&mut lists.zone, ZONE_3_7);
        apply(&mut lists.events, EVENTS_3_7);
    }
    if names >= VmstatNames::V3_8 {
        apply(&mut lists.events, EVENTS_3_8);
    }
    if names >= VmstatNames::V3_10 {
        apply(&mut lists.zone, ZONE_3_16);
        apply(&mut lists.events, EVENTS_3_16);
    }
    if names == VmstatNames::V3_10 {
        apply(&mut lists.events, EVENTS_3_10);
    }
    if names >= VmstatNames::V4_4 {
        apply(&mut lists.zone, ZONE_4_4);
        apply(&mut lists.events, EVENTS_4_4);
    }
    lists
}

/// The lists of the first kernels with per-node LRU lists: 4.9 and its changes.
fn first_node_lists(names: VmstatNames) -> Lists {
    let mut lists = Lists {
        zone: words(ZONE_4_9),
        numa: Vec::new(),
        node: words(NODE_4_9),
        limits: words(LIMITS),
        events: words(EVENTS_4_9),
        last: Vec::new(),
    };
    if names >= VmstatNames::V4_14 {
        apply(&mut lists.zone, ZONE_4_14);
        lists.numa = words(NUMA);
        apply(&mut lists.node, NODE_4_14);
        apply(&mut lists.events, EVENTS_4_14);
    }
    if names >= VmstatNames::V5_4 {
        apply(&mut lists.node, NODE_5_4);
    }
    lists
}

/// The lists of later kernels: 5.10 and its changes.
fn new_lists(names: VmstatNames) -> Lists {
    let mut lists = Lists {
        zone: words(ZONE_5_10),
        numa: words(NUMA),
        node: words(NODE_5_10),
        limits: words(LIMITS),
        events: words(EVENTS_5_10),
        last: words("nr_unstable"),
    };
    if names >= VmstatNames::V5_15 {
        apply(&mut lists.zone, &[Removed(&["nr_page_table_pages"])]);
        apply(&mut lists.node, NODE_5_15);
        apply(&mut lists.events, EVENTS_5_15);
    }
    if names >= VmstatNames::V6_1 {
        apply(&mut lists.node, NODE_6_1);
        apply(&mut lists.events, EVENTS_6_1);
    }
    if names >= VmstatNames::V6_6 {
        apply(&mut lists.events, EVENTS_6_6);
    }
    if names >= VmstatNames::V6_12 {
        apply(&mut lists.zone, ZONE_6_12);
        apply(&mut lists.node, NODE_6_12);
        apply(&mut lists.limits, LIMITS_6_12);
        apply(&mut lists.events, EVENTS_6_12);
    }
    lists
}

/// Writes that ended while a reclaimer waited for them.
const NODE_THROTTLED: &[Change] = &[After("nr_written", &["nr_throttled_written"])];

/// Counters that only one architecture's builds have.
fn is_built(features: &Features, arch: Arch, counter: &str) -> bool {
    match counter {
        "cma_alloc_success" | "cma_alloc_fail" => arch == Arch::Ppc64,
        "direct_map_level2_splits" | "direct_map_level3_splits" | "nr_unaccepted" => {
            arch == Arch::X86_64
        }
        name if name.starts_with("compact_") => features.compaction != Compaction::NotBuilt,
        "thp_split_pud" => arch == Arch::X86_64 || features.vmstat >= VmstatNames::V6_12,
        _ => true,
    }
}

/// Device has per-zone events only from 6.1 on (`FOR_ALL_ZONES`, linux/vm_event_item.h).
fn is_counted(features: &Features, kind: ZoneType) -> bool {
    kind != ZoneType::Device || features.vmstat >= VmstatNames::V6_1
}

/// The counters a kernel prints on an architecture, with the zone types it was built with.
pub fn names(features: &Features, arch: Arch, zone_types: &[ZoneType]) -> CounterNames {
    let mut lists = match features.vmstat {
        old @ (VmstatNames::V2_6_37
        | VmstatNames::V2_6_38
        | VmstatNames::V3_0
        | VmstatNames::V3_7
        | VmstatNames::V3_8
        | VmstatNames::V3_10
        | VmstatNames::V3_16
        | VmstatNames::V4_4) => old_lists(old),
        first @ (VmstatNames::V4_9
        | VmstatNames::V4_14
        | VmstatNames::V4_19
        | VmstatNames::V5_4) => first_node_lists(first),
        new => new_lists(new),
    };
    if features.writeback_wait != WritebackWait::CongestedQueue {
        apply(&mut lists.node, NODE_THROTTLED);
    }
    let mut events = Vec::new();
    for event in lists.events {
        match event.strip_suffix(PER_ZONE) {
            Some(stem) => {
                let spelled = |kind: &ZoneType| format!("{stem}_{}", kind.suffix());
                let counted = zone_types
                    .iter()
                    .filter(|kind| is_counted(features, **kind));
                events.extend(counted.map(spelled));
            }
            None if is_built(features, arch, event) => events.push(event.to_string()),
            None => {}
        }
    }
    lists
        .zone
        .retain(|counter| is_built(features, arch, counter));
    CounterNames {
        zone: lists.zone,
        numa: lists.numa,
        node: lists.node,
        limits: lists.limits,
        events,
        last: lists.last,
    }
}

/// The pages of which `nr_dirty_threshold` is a share, and the pages subtracted from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DirtyableMemory {
    /// Free pages of all zones.
    pub free: u64,
    /// Pages on the file lists of all zones or nodes.
    pub file: u64,
    /// Pages on the anon lists, 0 without swap; only kernels to 3.8 count them.
    pub anon: u64,
    /// `totalreserve_pages`; kernels to 3.1 do not subtract it.
    pub totalreserve: u64,
    /// `min_free_kbytes` in pages; only the distribution's 3.10 subtracts it.
    pub min_free: u64,
}

/// `global_dirty_limits`: (`nr_dirty_threshold`, `nr_dirty_background_threshold`) in pages.
pub fn dirty_limits(
    features: &Features,
    tunables: &Tunables,
    page_size: u64,
    memory: DirtyableMemory,
) -> (u64, u64) {
    let available = match features.dirty {
        DirtyRule::FreeAndReclaimable => memory.free + memory.file + memory.anon,
        DirtyRule::ReclaimableAboveReserve => {
            (memory.free + memory.file + memory.anon).saturating_sub(memory.totalreserve)
        }
        DirtyRule::FreeAboveReserve | DirtyRule::FreeAboveReserveByPageSize => {
            memory.free - memory.free.min(memory.totalreserve) + memory.file
        }
        DirtyRule::FreeAboveReserveAndMin => {
            let above = memory.free - memory.free.min(memory.totalreserve) + memory.file;
            above.saturating_sub(memory.min_free)
        }
    };
    // One page more, so that the number of dirtyable pages is never 0.
    let part = |percent: u64| match features.dirty {
        DirtyRule::FreeAboveReserveByPageSize => {
            let parts = percent * page_size / 100;
            parts * (available + 1) / page_size
        }
        _ => percent * (available + 1) / 100,
    };
    let threshold = part(tunables.dirty_ratio);
    let background = part(tunables.dirty_background_ratio);
    if background >= threshold {
        (threshold, threshold / 2)
    } else {
        (threshold, background)
    }
}
