//! Read faults on mapped files: which cached pages around a fault are mapped with it, how they
//! count for read-ahead, and when a fault is retried.

use mm::check::check;
use mm::experiment::Experiment;
use mm::filemap::FaultFileAgain;
use mm::machine::Machine;
use mm::mmzone::flag;
use mm::record::Declared;
use mm::space::Mapping;
use serde_json::{Value, json};

/// Kernels that map around faults, starting with the oldest.
const AROUND: [&str; 4] = ["3.16", "5.10", "6.1", "6.12"];

/// A machine of 64 MiB with a disk of 100 MiB/s and one process, which has the file "data".
fn machine(kernel: &str, (arch, page_kib): (&str, u64), size: &str, program: &Value) -> Machine {
    let raw = json!({
        "machine": {
            "id": "small", "title": "", "arch": arch, "page_size_kib": page_kib,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 65536 / page_kib }], "cpus": 1 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2011",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "throttled", "files": true,
                          "bytes_per_s": 104857600 }],
        },
        "kernel": kernel, "seed": 1, "length": "100s",
        "workload": { "id": "files", "files": [{ "name": "data", "size": size }],
                      "processes": [{ "name": "main", "program": program }] },
        "tunables": { "vm.min_free_kbytes": "1024" },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("a valid experiment"))
}

fn x86(kernel: &str, size: &str, program: &Value) -> Machine {
    machine(kernel, ("x86_64", 4), size, program)
}

/// Runs to this second of the run.
fn run_to(m: &mut Machine, second: u64) {
    m.run(u64::MAX, second * 1_000_000_000);
    let found = check(m);
    assert!(
        found.is_empty(),
        "{:?}",
        found.first().map(|v| v.to_string())
    );
}

fn counter(m: &Machine, name: &str) -> u64 {
    let all = m.w.counters.named(&m.w.facts.layout.zone_types);
    all.iter().find(|(n, _)| n == name).expect("a counter").1
}

/// Reads the file, maps it, waits until 20 s, and then runs this operation.
fn cached(touch: Value) -> Value {
    json!([
        { "op": "read", "file": "data" },
        { "op": "map", "region": "view", "file": "data" },
        { "op": "think", "time": "20s" },
        touch,
        { "op": "think", "time": "20s" },
    ])
}

/// Faults that a program takes after the pause of [`cached`].
fn faults_on_cached(m: &mut Machine) -> u64 {
    run_to(m, 10);
    let before = counter(m, "pgfault");
    run_to(m, 35);
    counter(m, "pgfault") - before
}

#[test]
fn a_read_fault_maps_the_cached_pages_of_64_kib() {
    let program = cached(json!({ "op": "touch", "region": "view" }));
    for (kernel, faults) in [("3.8", 512)].into_iter().chain(AROUND.map(|k| (k, 32))) {
        let mut m = x86(kernel, "2 MiB", &program);
        assert_eq!(faults_on_cached(&mut m), faults, "{kernel}");
    }
}

#[test]
fn a_page_of_64_kib_is_mapped_alone() {
    let program = cached(json!({ "op": "touch", "region": "view" }));
    let mut m = machine("6.1", ("ppc64", 64), "2 MiB", &program);
    assert_eq!(faults_on_cached(&mut m), 32);
}

#[test]
fn a_write_fault_maps_only_its_own_page() {
    let program = cached(json!({ "op": "touch", "region": "view", "write": true }));
    for kernel in AROUND {
        let mut m = x86(kernel, "2 MiB", &program);
        assert_eq!(faults_on_cached(&mut m), 512, "{kernel}");
    }
}

/// A region of 20 pages: its second window has four.
#[test]
fn the_window_ends_with_the_region_and_its_pages_are_marked_as_used() {
    let program = json!([
        { "op": "read", "file": "data" },
        { "op": "map", "region": "view", "file": "data", "size": 20 },
        { "op": "think", "time": "20s" },
        { "op": "touch", "region": "view", "pages": 1 },
        { "op": "think", "time": "20s" },
    ]);
    for kernel in AROUND {
        let mut m = x86(kernel, "2 MiB", &program);
        assert_eq!(faults_on_cached(&mut m), 1, "{kernel}");
        let space = m.w.processes.all.len() as u32 - 1;
        let mapped =
            |m: &Machine, page| matches!(m.w.processes.lookup(space, 0, page), Mapping::Page(_));
        let found = (0..20).filter(|&page| mapped(&m, page)).count();
        assert_eq!(found, 16, "{kernel}");
        assert!(m.w.processes.clear_young(space, 0, 15), "{kernel}");
    }
}

/// How often faults were retried in a run.
fn began_again(m: &mut Machine) -> u64 {
    let mut again = 0;
    m.w.rec.on = true;
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 1000, u64::MAX);
        let records = m.w.rec.records.drain(..);
        again += records.filter(|r| FaultFileAgain::of(r).is_some()).count() as u64;
    }
    again
}

/// A file is read through the mapping: one fault for every 16 pages, and one for the page with the
/// first mark, which is in the middle of a window. Later marks are at the start of a window. In
/// 3.16 a fault on a mark continues with the lock held: it maps one page if the read ends
/// meanwhile, and the next fault maps the rest of the window.
#[test]
fn reading_a_mapped_file_takes_one_fault_for_each_window_and_readahead_mark() {
    let program = json!([
        { "op": "map", "region": "view", "file": "data" },
        { "op": "touch", "region": "view" },
    ]);
    for kernel in AROUND {
        let mut m = x86(kernel, "8 MiB", &program);
        let again = began_again(&mut m);
        assert!(again > 0, "{kernel}: no fault waited");
        let counted = if kernel == "6.12" { 0 } else { again };
        assert_eq!(counter(&m, "pgmajfault"), 1, "{kernel}");
        let faults = counter(&m, "pgfault") - counted;
        let most = if kernel == "3.16" { 129 + 63 } else { 129 };
        assert!((129..=most).contains(&faults), "{kernel}: {faults}");
    }
}

/// The first 16 pages are touched while page 8 has the read-ahead mark and the first eight are
/// refaults. The fault on page 0 maps the other 15. The fault on page 8 finds them mapped and hits
/// the mark. From 5.1 on it is retried, and finds all 16.
#[test]
fn kernels_count_different_pages_mapped_around_a_fault_as_hits() {
    let program = cached(json!({ "op": "touch", "region": "view", "pages": 16 }));
    for (kernel, hits) in [
        ("3.16", 15 + 1),
        ("5.10", 15 + 15 + 1 + 16),
        ("6.1", 15 + 15 + 1 + 16),
        ("6.12", 7 + 7 + 1 + 8),
    ] {
        let mut m = x86(kernel, "2 MiB", &program);
        run_to(&mut m, 10);
        for page in 0..16 {
            let frame = m.w.files.page(0, page).expect("a cached page");
            let bits = &mut m.w.mem.pages[frame];
            bits.clear(flag::READAHEAD | flag::WORKINGSET);
            if page < 8 {
                bits.set(flag::WORKINGSET);
            }
            if page == 8 {
                bits.set(flag::READAHEAD);
            }
        }
        let space = m.w.processes.all.len() - 1;
        m.w.processes.all[space].fds[0].mmap_miss = 50;
        run_to(&mut m, 35);
        let left = m.w.processes.all[space].fds[0].mmap_miss;
        assert_eq!(50 - left, hits, "{kernel}");
    }
}
