//! Counter names and dirty limits against real files.

use crate::support;

use facts::arch::{Arch, ZoneType};
use facts::kernel;
use facts::vmstat::names;
use support::features;

const FILES: [(&str, Arch, &str); 9] = [
    (
        "5.10",
        Arch::X86_64,
        include_str!("../../mm/tests/data/x86_64-5.10-1g-1n/vmstat.txt"),
    ),
    (
        "6.1",
        Arch::X86_64,
        include_str!("../../mm/tests/data/x86_64-6.1-1g-1n/vmstat.txt"),
    ),
    (
        "6.1",
        Arch::X86_64,
        include_str!("../../mm/tests/data/x86_64-6.1-256m-1n-nothp/vmstat.txt"),
    ),
    (
        "6.1",
        Arch::X86_64,
        include_str!("../../mm/tests/data/x86_64-6.1-3g-1n/vmstat.txt"),
    ),
    (
        "6.1",
        Arch::X86_64,
        include_str!("../../mm/tests/data/x86_64-6.1-4x512m-4n/vmstat.txt"),
    ),
    (
        "6.1",
        Arch::X86_64,
        include_str!("../../mm/tests/data/x86_64-6.1-512m512m-2n/vmstat.txt"),
    ),
    (
        "6.1",
        Arch::Ppc64,
        include_str!("../../mm/tests/data/ppc64el-6.1-p8-1g-1n/vmstat.txt"),
    ),
    (
        "6.1",
        Arch::Ppc64,
        include_str!("../../mm/tests/data/ppc64el-6.1-p8-1g1g-2n/vmstat.txt"),
    ),
    (
        "6.12",
        Arch::Ppc64,
        include_str!("../../mm/tests/data/ppc64el-6.12-p8-2g-1n/vmstat.txt"),
    ),
];

fn zone_types(kernel: &str, arch: Arch) -> Vec<ZoneType> {
    let borders = features(kernel).zone_set.borders(arch);
    borders.iter().map(|border| border.kind).collect()
}

#[test]
fn counter_names_equal_those_of_real_kernels() {
    for (kernel, arch, text) in FILES {
        let counters = names(features(kernel), arch, &zone_types(kernel, arch));
        let expected: Vec<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
        let counters: Vec<&str> = counters.all().collect();
        for (got, expected) in counters.iter().zip(&expected) {
            assert_eq!(got, expected, "{kernel} {arch:?}");
        }
        assert_eq!(counters.len(), expected.len(), "{kernel} {arch:?}");
    }
}

#[test]
fn every_list_has_the_expected_length_and_unique_names() {
    let mut lengths = Vec::new();
    for kernel in kernel::kernels() {
        for arch in [Arch::X86_64, Arch::Ppc64] {
            let counters = names(&kernel.features, arch, &zone_types(kernel.id, arch));
            let mut all: Vec<&str> = counters.all().collect();
            lengths.push((kernel.id, all.len()));
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), lengths.last().expect("just pushed").1);
        }
    }
    assert_eq!(
        lengths,
        [
            ("2.6.37", 89),
            ("2.6.37", 84),
            ("lumpyreclaim-traceonly", 83),
            ("lumpyreclaim-traceonly", 78),
            ("traceonly", 89),
            ("traceonly", 84),
            ("blindcompact", 89),
            ("blindcompact", 84),
            ("obeysync", 89),
            ("obeysync", 84),
            ("fastscan", 89),
            ("fastscan", 84),
            ("compacthint", 89),
            ("compacthint", 84),
            ("2.6.38", 90),
            ("2.6.38", 85),
            ("3.0", 95),
            ("3.0", 90),
            ("zlcfirst", 95),
            ("zlcfirst", 90),
            ("zlcreconsider", 95),
            ("zlcreconsider", 90),
            ("3.1", 95),
            ("3.1", 90),
            ("3.7", 100),
            ("3.7", 94),
            ("autonuma-28", 100),
            ("autonuma-28", 94),
            ("numacore-17", 100),
            ("numacore-17", 94),
            ("numacore-18", 100),
            ("numacore-18", 94),
            ("3.8", 108),
            ("3.8", 102),
            ("mainline-3.13", 108),
            ("mainline-3.13", 102),
            ("3.10", 120),
            ("3.10", 114),
            ("3.16", 114),
            ("3.16", 108),
            ("checklow-v2r14", 114),
            ("checklow-v2r14", 108),
            ("4.4", 118),
            ("4.4", 112),
            ("4.9", 126),
            ("4.9", 123),
            ("4.14", 133),
            ("4.14", 129),
            ("4.19", 133),
            ("4.19", 126),
            ("5.4", 138),
            ("5.4", 131),
            ("5.10", 154),
            ("5.10", 147),
            ("5.15", 159),
            ("5.15", 152),
            ("mm-reclaimcongest-v5r4", 160),
            ("mm-reclaimcongest-v5r4", 153),
            ("6.1", 173),
            ("6.1", 163),
            ("6.6", 176),
            ("6.6", 166),
            ("6.12", 185),
            ("6.12", 178),
        ]
    );
}

/// From mm/vmstat.c of 3.7.2 and 3.8.3.
#[test]
fn counters_of_numa_balancing_exist_from_3_8_on() {
    let events = |kernel: &str| {
        let arch = Arch::X86_64;
        names(features(kernel), arch, &zone_types(kernel, arch)).events
    };
    let between = |kernel: &str, from: &str, to: &str| {
        let events = events(kernel);
        let at = |name: &str| events.iter().position(|event| event == name);
        let (from, to) = (at(from).expect("a counter"), at(to).expect("a counter"));
        events[from + 1..to].join(" ")
    };
    assert_eq!(
        between("3.7", "pgrotated", "compact_stall"),
        "compact_blocks_moved compact_pages_moved compact_pagemigrate_failed"
    );
    assert_eq!(
        between("3.8", "pgrotated", "compact_stall"),
        "numa_pte_updates numa_hint_faults numa_hint_faults_local numa_pages_migrated \
         pgmigrate_success pgmigrate_fail compact_migrate_scanned compact_free_scanned \
         compact_isolated"
    );
    for kernel in ["3.7", "3.8"] {
        assert!(events(kernel).contains(&"kswapd_skip_congestion_wait".to_string()));
        assert!(events(kernel).contains(&"pgscan_direct_throttle".to_string()));
    }
}
