//! If all memory of a process is in huge pages, the kernel splits and swaps them before it kills a
//! process.

use mm::check::check;
use mm::experiment::Experiment;
use mm::machine::Machine;
use serde_json::json;

/// A process that fills `size` of memory with huge pages, while a driver takes `driver` of it for
/// the kernel. The process then touches its memory once more. The swap area has `swap_kib`.
fn hog(kernel: &str, [size, driver]: [&str; 2], swap_kib: u64) -> Machine {
    let raw = json!({
        "machine": {
            "id": "m", "title": "64 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 16384 }], "cpus": 1 }],
            "distances": [[10]], "hz": 250, "thp": "always", "costs": "s2021", "pcp": true,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "ssd_2021", "files": true, "swap": swap_kib }],
        },
        "kernel": kernel, "seed": 1, "length": "60s",
        "tunables": { "vm.min_free_kbytes": "512", "transparent_hugepage": "always" },
        "workload": { "id": "w", "processes": [{ "name": "hog", "program": [
            { "op": "map", "region": "h", "size": size },
            { "op": "touch", "region": "h" },
            { "op": "alloc", "pool": "p", "order": 0, "count": driver },
            { "op": "touch", "region": "h" },
            { "op": "stop" } ] }] },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

fn named(m: &Machine, name: &str) -> u64 {
    let named = m.w.counters.named(&m.w.facts.layout.zone_types);
    let found = named.into_iter().find(|(n, _)| n == name);
    found.map_or(0, |(_, count)| count)
}

/// Runs to the end and recounts everything at intervals.
fn finish(m: &mut Machine) {
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 50_000, u64::MAX);
        assert_eq!(check(m), vec![]);
    }
}

#[test]
fn huge_pages_are_split_and_swapped_out_before_a_process_is_killed() {
    for (kernel, splits, other) in [
        ("2.6.38", "thp_split", "thp_split_page"),
        ("3.0", "thp_split", "thp_split_page"),
        ("3.16", "thp_split", "thp_split_page"),
        ("5.10", "thp_split_page", "thp_split"),
        ("6.1", "thp_split_page", "thp_split"),
        ("6.12", "thp_split_page", "thp_split"),
    ] {
        // Before the kernel takes its share, all memory of the process is in huge pages.
        let mut m = hog(kernel, ["85%", "25%"], 65_536);
        finish(&mut m);
        assert_eq!(m.w.counters.oom_kill, 0, "{kernel}");
        assert!(m.w.counters.thp_fault_alloc > 20, "{kernel}");
        assert!(named(&m, splits) > 2 && named(&m, other) == 0, "{kernel}");
        assert!(named(&m, "pswpout") > 1_000, "{kernel}");
        assert!(named(&m, "pswpin") > 1_000, "{kernel}");
        assert!(m.w.now < 60_000_000_000, "{kernel}: the run did not end");
        let fallback = named(&m, "thp_swpout_fallback");
        assert_eq!(fallback > 0, m.w.facts.features.thp_swap, "{kernel}");
    }
}

/// A process larger than memory; its last pages were base pages from the start.
#[test]
fn a_process_of_huge_pages_larger_than_memory_is_not_killed() {
    for kernel in ["2.6.38", "3.16", "6.1"] {
        let mut m = hog(kernel, ["130%", "1%"], 65_536);
        finish(&mut m);
        assert_eq!(m.w.counters.oom_kill, 0, "{kernel}");
        assert!(m.w.now < 60_000_000_000, "{kernel}: the run did not end");
    }
}

/// Without swap no huge page is split: splitting would free nothing.
#[test]
fn without_swap_huge_pages_stay_whole_and_the_process_is_killed() {
    let mut m = hog("6.1", ["99%", "1%"], 0);
    finish(&mut m);
    assert_eq!(named(&m, "thp_split_page"), 0);
    assert_eq!(m.w.counters.oom_kill, 1);
}
