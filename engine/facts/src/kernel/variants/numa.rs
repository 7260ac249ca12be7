//! NUMA balancing of each release that has it, as changes against another.

use crate::kernel::numa::*;

/// NUMA balancing as it came with 3.8 (3.8.3 read).
pub(super) const NUMA_3_8: NumaRules = NumaRules {
    period: ScanPeriod::Fixed,
    exclusive: Exclusive::MappedOnce,
    filter: NumaFilter::SameNodeTwice,
    remembers_local: true,
    rate_limited: true,
    whole_tables: true,
    counts_not_moved: false,
    huge_apart: true,
    saves_write: true,
    placement: NumaPlacement::Later,
    swaps_with_room: false,
    prefers_cpus: false,
    vector: 14,
    core: None,
    auto: None,
};

/// NUMA balancing of 3.13, as posted in autumn 2013. The rule for pages that have another user was not
/// read; it is taken from 5.10.
pub(in crate::kernel) const NUMA_3_13: NumaRules = NumaRules {
    period: ScanPeriod::ByResidentSize,
    exclusive: Exclusive::ByMapCount,
    filter: NumaFilter::SameNodeUnlessDeferred,
    whole_tables: false,
    placement: NumaPlacement::V3_13,
    ..NUMA_3_8
};

/// NUMA balancing of 5.10, as its later stable releases have it.
pub(super) const NUMA_5_10: NumaRules = NumaRules {
    period: ScanPeriod::ByResidentSize,
    exclusive: Exclusive::ByReferences,
    filter: NumaFilter::SameTaskOrNode,
    remembers_local: true,
    rate_limited: false,
    whole_tables: false,
    counts_not_moved: true,
    huge_apart: true,
    saves_write: true,
    placement: NumaPlacement::Later,
    swaps_with_room: true,
    prefers_cpus: false,
    vector: 15,
    core: None,
    auto: None,
};

/// NUMA balancing of 6.1.
pub(super) const NUMA_6_1: NumaRules = NumaRules {
    remembers_local: false,
    huge_apart: false,
    swaps_with_room: false,
    prefers_cpus: true,
    ..NUMA_5_10
};

/// NUMA balancing of 6.12.
pub(super) const NUMA_6_12: NumaRules = NumaRules {
    exclusive: Exclusive::ByMapCount,
    saves_write: false,
    vector: 31,
    ..NUMA_6_1
};

/// NUMA balancing of numa/core v17, as posted on 22 November 2012.
pub(in crate::kernel) const NUMACORE_17: NumaRules = NumaRules {
    period: ScanPeriod::Core,
    exclusive: Exclusive::AnonMappedOnce,
    filter: NumaFilter::Core,
    rate_limited: false,
    whole_tables: false,
    core: Some(CoreRules {
        buddies: true,
        directed: false,
        flips: false,
        groups: false,
        strength: false,
        veto: false,
        adaptive_scan: false,
        clustered_faults: false,
        many_buddies: false,
        nice_alloc: false,
    }),
    ..NUMA_3_8
};

/// NUMA balancing of AutoNUMA 28 (October and November 2012), with huge pages that move whole.
pub(in crate::kernel) const AUTONUMA_28: NumaRules = NumaRules {
    period: ScanPeriod::Daemon,
    filter: NumaFilter::Auto,
    auto: Some(AutoRules {
        first_fault: true,
        strict: false,
    }),
    ..NUMA_3_8
};
