//! NUMA balancing as 3.8 introduced it; 3.7 has none.

use facts::index::FrameIndex;
use mm::check::check;
use mm::experiment::Experiment;
use mm::index::{CpuIndex, NodeIndex, TaskIndex};
use mm::kernel::find;
use mm::machine::Machine;
use mm::numa::filter::mpol_misplaced;
use serde_json::{Value, json};

use super::small::anon_by_node as by_node;

/// A machine with nodes of 64 MiB and one CPU each, and one task that runs this program.
fn machine(kernel: &str, nodes: u64, length: &str, program: Value, set: Value) -> Machine {
    let pages = 64 << 8;
    let node =
        |n: u64| json!({ "ranges": [{ "start_pfn": n * pages, "pages": pages }], "cpus": 1 });
    let far = |a: u64| (0..nodes).map(move |b| if a == b { 10 } else { 20 });
    let distances: Vec<Vec<u64>> = (0..nodes).map(|a| far(a).collect()).collect();
    let mut tunables = json!({ "vm.min_free_kbytes": "1024" });
    for (name, value) in set.as_object().into_iter().flatten() {
        tunables[name] = value.clone();
    }
    let raw = json!({
        "machine": {
            "id": "nodes", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": (0..nodes).map(node).collect::<Vec<Value>>(), "distances": distances, "hz": 250,
            "thp": "madvise", "costs": "q-x86", "pcp": true, "zonelist_order": "default",
        },
        "kernel": kernel, "seed": 1, "length": length,
        "workload": { "id": "one", "processes": [{ "name": "task", "program": program }] },
        "tunables": tunables,
    });
    let experiment = Experiment::from_json(&raw.to_string());
    Machine::boot(&experiment.expect("a valid experiment"))
}

fn on() -> Value {
    json!({ "kernel.numa_balancing": "1" })
}

/// 20 MiB, in small pages or huge ones. The task first touches them on one node, then touches them
/// in order from the other.
fn from_to(kernel: &str, first: u8, then: u8, huge: bool, length: &str, set: Value) -> Machine {
    let program = json!([
        { "op": "bind", "node": first },
        { "op": "map", "region": "heap", "size": "20 MiB", "huge": huge },
        { "op": "touch", "region": "heap" },
        { "op": "bind", "node": then },
        { "op": "repeat", "for": length, "times": 1_000_000, "do": [
            { "op": "touch", "region": "heap" },
        ] },
    ]);
    machine(kernel, 2, length, program, set)
}

fn run(m: &mut Machine) {
    m.run(u64::MAX, u64::MAX);
    assert_eq!(check(m), []);
}

/// The scan period of the task.
fn period_ms(m: &Machine) -> u32 {
    let task = m.w.numa.tasks.iter().find(|task| task.process == 0);
    task.expect("the task").scan_period
}

/// Runs through the next scan. Returns where the following scan begins, the number of passes, and
/// the number of entries charged.
fn next_scan(m: &mut Machine) -> (u32, u32, u32, u64) {
    let due = m.w.processes.all[0].scan.next_scan;
    let updates = m.w.counters.numa_pte_updates;
    while m.w.processes.all[0].scan.next_scan == due && !m.w.sched.ended {
        m.run(m.w.run.steps() + 1, u64::MAX);
    }
    // A scan takes much less time than this, and the next one begins 100 ms later at the earliest.
    m.run(u64::MAX, m.w.now + 5_000_000);
    let scan = &m.w.processes.all[0].scan;
    let updates = m.w.counters.numa_pte_updates - updates;
    (scan.region, scan.page, scan.seq, updates)
}

/// Regions of 2048, 300 and 4096 pages that a task on node 1 holds and does not use.
fn three_regions(window_mib: u32) -> Machine {
    let map = |name: &str, kib: u32| {
        [
            json!({ "op": "map", "region": name, "size": format!("{kib} KiB") }),
            json!({ "op": "touch", "region": name }),
        ]
    };
    let mut program = vec![json!({ "op": "bind", "node": 1 })];
    program.extend(map("first", 8192));
    program.extend(map("small", 1200));
    program.extend(map("last", 16_384));
    program.push(json!({ "op": "compute", "time": "60s" }));
    let mut set = on();
    set["kernel.numa_balancing_scan_size_mb"] = json!(window_mib.to_string());
    machine("3.8", 2, "60s", program.into(), set)
}

#[test]
fn scans_take_one_window_after_another_and_skip_small_mappings() {
    let mut m = three_regions(4);
    assert_eq!(next_scan(&mut m), (0, 1024, 0, 1024));
    // The first scan is due after one second of run time, not two.
    assert!(
        (1_000_000_000..1_200_000_000).contains(&m.w.now),
        "{}",
        m.w.now
    );
    assert_eq!(next_scan(&mut m), (0, 2048, 0, 1024));
    assert_eq!(next_scan(&mut m), (2, 1024, 0, 1024));
    assert_eq!(check(&m), []);
}

#[test]
fn a_scan_pass_ends_after_the_last_mapping() {
    let mut m = three_regions(2);
    for _ in 0..12 {
        assert_eq!(next_scan(&mut m).2, 0);
    }
    let scan = &m.w.processes.all[0].scan;
    assert_eq!((scan.region, scan.page), (2, 4096));
    // The next scan begins at the start. All entries are already marked, so nothing uses up the
    // window, and the scan reaches the end again.
    assert_eq!(next_scan(&mut m), (0, 0, 2, 0));
}

/// Empty entries of a page table count against the window as if they were marked.
#[test]
fn empty_page_table_entries_count_against_the_scan_window() {
    let program = json!([
        { "op": "bind", "node": 1 },
        { "op": "map", "region": "heap", "size": "8 MiB" },
        { "op": "touch", "region": "heap", "pages": 600 },
        { "op": "compute", "time": "2s" },
    ]);
    let mut m = machine("3.8", 2, "2s", program, on());
    let (.., updates) = next_scan(&mut m);
    assert_eq!(updates, 1024);
    assert_eq!(m.w.processes.hinting_pages(0), 600);
}

/// Columns: last node, this node, the page's node, then the target.
#[test]
fn a_page_moves_when_a_node_faults_on_it_twice_in_a_row() {
    let none = u8::MAX;
    for (last, this, on_node, target) in [
        (none, 2, 0, None),
        (2, 2, 0, Some(2)),
        (2, 2, 2, None),
        (1, 2, 0, None),
    ] {
        let idle = json!([{ "op": "compute", "time": "1s" }]);
        let mut m = machine("3.8", 3, "1s", idle, on());
        let frame = (on_node << 14) + 5000;
        if last != none {
            m.w.numa
                .exchange_last(FrameIndex::new(frame), u16::from(last) << 8);
        }
        m.w.cpu = CpuIndex::new(this);
        let rules = mm::numa::rules(&m.w.facts).expect("rules");
        let found = mpol_misplaced(
            &mut m.w,
            &m.tasks[TaskIndex::new(0)].cx,
            FrameIndex::new(frame),
            rules,
        );
        assert_eq!(found, target.map(NodeIndex::new), "{last}, then {this}");
        let now = m.w.numa.last(FrameIndex::new(frame)) >> 8;
        assert_eq!(now, this, "the node that faulted last");
    }
}

#[test]
fn pages_move_to_the_node_of_their_task_within_two_scan_passes() {
    let mut m = from_to("3.8", 0, 1, false, "4s", on());
    while m.w.processes.all[0].scan.seq < 1 {
        m.run(m.w.run.steps() + 1, u64::MAX);
    }
    while m.w.now < 1_090_000_000 {
        m.run(u64::MAX, m.w.now + 1_000_000);
    }
    let c = &m.w.counters;
    // The first fault on each page only records which node used it.
    assert_eq!((c.numa_hint_faults, c.numa_pages_migrated), (5120, 0));
    assert_eq!(by_node(&m), [5120, 0]);
    run(&mut m);
    let c = &m.w.counters;
    let left = 5120 - c.numa_pages_migrated;
    // Some pages are still in the vector of CPU 0, on which nothing runs any more.
    assert!(left < 14, "{left}");
    assert_eq!(by_node(&m), [left as u32, 5120 - left as u32]);
    assert_eq!(c.pgmigrate_success, c.numa_pages_migrated);
    assert_eq!(c.pgmigrate_fail, 0);
}

/// Each page table lies on one node, so one fault serves it. A page that stays does not lengthen the
/// period.
#[test]
fn one_fault_serves_a_table_that_lies_on_one_node() {
    let mut m = from_to("3.8", 1, 1, false, "3s", on());
    while m.w.now < 990_000_000 {
        m.run(u64::MAX, m.w.now + 1_000_000);
    }
    let before = m.w.counters.pgfault;
    run(&mut m);
    let c = &m.w.counters;
    let traps = c.pgfault - before;
    assert!(c.numa_hint_faults >= 2 * 5120);
    assert_eq!(c.numa_hint_faults, c.numa_hint_faults_local);
    assert_eq!(traps * 512, c.numa_hint_faults);
    assert_eq!(c.numa_pages_migrated, 0);
    assert_eq!(period_ms(&m), 100);
}

/// A page table with pages on two nodes is not marked whole: each of its entries faults alone. Each
/// page that stays lengthens the period by ten ticks.
#[test]
fn entries_of_a_table_on_two_nodes_fault_one_by_one() {
    let program = json!([
        { "op": "bind", "node": 0 },
        { "op": "map", "region": "heap", "size": "2 MiB" },
        { "op": "touch", "region": "heap", "pages": 256 },
        { "op": "bind", "node": 1 },
        { "op": "repeat", "for": "1300ms", "times": 1_000_000, "do": [
            { "op": "touch", "region": "heap" },
        ] },
    ]);
    let mut m = machine("3.8", 2, "1300ms", program, on());
    while m.w.now < 990_000_000 {
        m.run(u64::MAX, m.w.now + 1_000_000);
    }
    let before = m.w.counters.pgfault;
    while m.w.counters.numa_hint_faults == 0 || m.w.now < 1_090_000_000 {
        m.run(u64::MAX, m.w.now + 1_000_000);
    }
    let c = &m.w.counters;
    assert_eq!((c.numa_pte_updates, c.numa_hint_faults), (512, 512));
    assert_eq!(c.numa_hint_faults_local, 256);
    assert_eq!(c.pgfault - before, 512);
    // 123 such faults at 250 Hz raise the period from 100 ms to the maximum.
    assert_eq!(period_ms(&m), 5000);
}

#[test]
fn a_huge_page_moves_at_its_second_fault() {
    let mut set = on();
    set["transparent_hugepage"] = json!("madvise");
    let mut m = from_to("3.8", 0, 1, true, "4s", set);
    run(&mut m);
    let c = &m.w.counters;
    assert_eq!(by_node(&m), [0, 5120]);
    assert_eq!((c.numa_pages_migrated, c.pgmigrate_success), (5120, 5120));
    assert!(c.numa_hint_faults >= 20, "{}", c.numa_hint_faults);
}

/// A program that was executed is not scanned while it runs on node 0.
#[test]
fn a_process_that_stays_on_node_0_is_never_scanned() {
    let mut m = from_to("3.8", 1, 0, false, "3s", on());
    run(&mut m);
    assert_eq!(m.w.counters.numa_pte_updates, 0);
    assert_eq!(by_node(&m), [0, 5120]);
}

#[test]
fn no_page_table_entry_is_marked_in_3_7() {
    let mut m = from_to("3.7", 0, 1, false, "3s", json!({}));
    run(&mut m);
    let c = &m.w.counters;
    assert_eq!((c.numa_pte_updates, c.numa_hint_faults), (0, 0));
    assert_eq!(by_node(&m), [5120, 0]);
    assert!(m.w.numa.tasks.is_empty());
    let features = &find("3.7").expect("a kernel").features;
    let names = mm::tunables::list(features);
    assert!(
        names
            .iter()
            .all(|info| !info.name.contains("numa_balancing"))
    );
}

#[test]
fn the_slice_length_does_not_change_a_run_with_the_balancing_of_3_8() {
    let mut whole = from_to("3.8", 0, 1, false, "1500ms", on());
    let mut cut = from_to("3.8", 0, 1, false, "1500ms", on());
    whole.run(u64::MAX, u64::MAX);
    while !cut.w.sched.ended {
        cut.run(cut.w.run.steps() + 977, u64::MAX);
    }
    assert_eq!(whole.hash(), cut.hash());
}
