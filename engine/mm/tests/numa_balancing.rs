//! Hinting faults of a task whose memory is on the other node.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::NodeIndex;
use mm::machine::Machine;
use serde_json::{Value, json};

use super::small::anon_by_node as by_node;

/// Two nodes of 64 MiB and one CPU each, and a task that has `mib` on node 1 and touches them in
/// order from node 0.
fn wrong_node(kernel: &str, mib: u64, huge: bool, length: &str) -> Machine {
    let pages = 64 << 8;
    let node =
        |start: u64| json!({ "ranges": [{ "start_pfn": start, "pages": pages }], "cpus": 1 });
    let size = format!("{mib} MiB");
    let raw = json!({
        "machine": {
            "id": "two", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [node(0), node(pages)], "distances": [[10, 20], [20, 10]], "hz": 250,
            "thp": if huge { "madvise" } else { "never" }, "costs": "q-x86", "pcp": true,
            "zonelist_order": "default",
        },
        "kernel": kernel, "seed": 1, "length": length,
        "workload": { "id": "wrong", "processes": [{ "name": "task", "program": [
            { "op": "bind", "node": 1 },
            { "op": "map", "region": "heap", "size": size, "huge": huge },
            { "op": "touch", "region": "heap" },
            { "op": "bind", "node": 0 },
            { "op": "repeat", "for": length, "times": 1_000_000, "do": [
                { "op": "touch", "region": "heap" },
            ] },
        ] }] },
        "tunables": tunables(huge),
    });
    let experiment = Experiment::from_json(&raw.to_string());
    Machine::boot(&experiment.expect("a valid experiment"))
}

fn tunables(huge: bool) -> Value {
    let mut set = json!({ "kernel.numa_balancing": "1", "vm.min_free_kbytes": "1024" });
    if huge {
        set["transparent_hugepage"] = json!("madvise");
    }
    set
}

fn run(m: &mut Machine) {
    m.run(u64::MAX, u64::MAX);
    assert_eq!(check(m), []);
}

#[test]
fn a_lone_task_pulls_all_its_pages_to_its_node() {
    let mut m = wrong_node("6.1", 20, false, "6s");
    while m.w.now < 1_900_000_000 {
        m.run(u64::MAX, m.w.now + 100_000_000);
    }
    assert_eq!(
        m.w.counters.numa_pte_updates, 0,
        "nothing is marked before 2 s of run time"
    );
    assert_eq!(by_node(&m), [0, 5120]);
    run(&mut m);
    let c = &m.w.counters;
    // The last five pages are still in the vector of CPU 1, on which nothing runs any more.
    assert_eq!(by_node(&m), [5115, 5]);
    assert_eq!((c.numa_pte_updates, c.numa_hint_faults), (5115, 5115));
    assert_eq!((c.numa_hint_faults_local, c.numa_pages_migrated), (0, 5115));
    assert_eq!((c.pgmigrate_success, c.pgmigrate_fail), (5115, 0));
}

/// When balancing is switched off, existing marks stay and their pages still move. Their faults no
/// longer count for the task.
#[test]
fn marked_pages_remain_marked_when_balancing_is_switched_off() {
    let mut m = wrong_node("6.1", 20, false, "6s");
    while m.w.counters.numa_pte_updates < 5000 {
        m.run(u64::MAX, m.w.now + 1_000_000);
    }
    m.w.tunables.numa_balancing = 0;
    mm::numa::switch(&mut m.w);
    let before = (m.w.numa.tasks.clone(), m.w.counters.numa_hint_faults);
    run(&mut m);
    let c = &m.w.counters;
    assert!(before.1 < 1000, "most marks have not faulted yet");
    assert_eq!(
        (c.numa_hint_faults, c.numa_pages_migrated),
        (c.numa_pte_updates, c.numa_pte_updates)
    );
    assert_eq!(by_node(&m)[0], 5115);
    let faults = |tasks: &[mm::numa::NumaTask]| -> Vec<mm::numa::TaskFaults> {
        tasks.iter().map(|task| task.faults.clone()).collect()
    };
    assert_eq!(faults(&m.w.numa.tasks), faults(&before.0));
}

#[test]
fn a_huge_page_faults_once_and_moves_as_a_whole() {
    let mut m = wrong_node("6.1", 20, true, "4s");
    run(&mut m);
    let c = &m.w.counters;
    assert_eq!(c.thp_fault_alloc, 10);
    assert_eq!(by_node(&m), [5120, 0]);
    assert!(
        c.numa_hint_faults >= 10 && c.numa_huge_pte_updates >= 10,
        "{c:?}"
    );
    assert_eq!((c.numa_pages_migrated, c.pgmigrate_success), (5120, 5120));
}

/// In one range marked once, small pages fault 512 times as often as huge
/// pages.
#[test]
fn small_pages_fault_512_times_as_often_as_huge_ones() {
    let [small, huge] = [false, true].map(|huge| {
        let mut m = wrong_node("6.1", 20, huge, "4s");
        while m.w.counters.numa_hint_faults == 0 {
            m.run(u64::MAX, m.w.now + 1_000_000);
        }
        // The next scan is due after a second of run time.
        m.run(u64::MAX, m.w.now + 900_000_000);
        m.w.counters.numa_hint_faults
    });
    // The last five pages are in the vector of their CPU, and are not marked.
    assert_eq!((small, huge), (5120 - 5120 % 15, 10));
}

/// In 6.12 a page that moved is mapped read-only, so its write faults again.
#[test]
fn a_moved_page_takes_one_more_write_fault_in_6_12() {
    let mut m = wrong_node("6.12", 8, false, "4s");
    run(&mut m);
    let c = &m.w.counters;
    assert_eq!(c.pgreuse, c.numa_pages_migrated);
    assert!(c.pgreuse > 2000);
}

#[test]
fn without_balancing_no_page_is_marked_and_no_tick_occurs() {
    for (kernel, value) in [("6.1", 0), ("3.16", 1)] {
        let mut m = wrong_node_with(kernel, value);
        run(&mut m);
        assert_eq!(m.w.counters.numa_pte_updates, 0);
        assert_eq!(by_node(&m), [0, 5120]);
        assert!(m.w.numa.tasks.is_empty());
    }
}

fn wrong_node_with(kernel: &str, value: u64) -> Machine {
    let m = wrong_node("6.1", 20, false, "3s");
    let facts = &m.w.facts;
    let mut facts = facts.as_ref().clone();
    facts.features = mm::kernel::find(kernel).expect("a kernel").features;
    facts.tunables.numa_balancing = value;
    let plan = mm::plan::Plan {
        facts: std::sync::Arc::new(facts),
        files: Vec::new(),
        present_pages: 1 << 15,
    };
    Machine::start(&plan)
}

/// A run with short slices ends in the same state as one in a single slice.
#[test]
fn the_slice_length_does_not_change_a_run_with_balancing() {
    let mut whole = wrong_node("6.1", 8, false, "3s");
    let mut cut = wrong_node("6.1", 8, false, "3s");
    whole.run(u64::MAX, u64::MAX);
    let mut steps = 0;
    while !cut.w.sched.ended {
        steps += 977;
        cut.run(steps, u64::MAX);
    }
    assert_eq!(whole.hash(), cut.hash());
}

/// Four threads on two nodes of two CPUs. Each touches in order its part of the memory that the
/// main task touched first. Scans begin as soon as possible.
fn four_threads(kernel: &str) -> Machine {
    let pages = 64 << 8;
    let node =
        |start: u64| json!({ "ranges": [{ "start_pfn": start, "pages": pages }], "cpus": 2 });
    let raw = json!({
        "machine": {
            "id": "two", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [node(0), node(pages)], "distances": [[10, 20], [20, 10]], "hz": 1000,
            "thp": "never", "costs": "s2011", "pcp": true, "zonelist_order": "default",
        },
        "kernel": kernel, "seed": 1, "length": "400ms",
        "workload": { "id": "team", "processes": [
            { "name": "main", "program": [
                { "op": "map", "region": "heap", "size": "8 MiB" },
                { "op": "touch", "region": "heap" },
                { "op": "threads", "process": "thread", "count": 4 },
                { "op": "join" },
            ] },
            { "name": "thread", "count": 0, "program": [
                { "op": "repeat", "for": "390ms", "times": 1_000_000, "do": [
                    { "op": "touch", "region": "heap", "slice": true },
                ] },
            ] },
        ] },
        "tunables": {
            "kernel.numa_balancing": "1", "kernel.numa_balancing_scan_delay_ms": "10",
            "kernel.numa_balancing_scan_period_min_ms": "10",
            "kernel.numa_balancing_scan_size_mb": "16", "vm.min_free_kbytes": "1024",
        },
    });
    let experiment = Experiment::from_json(&raw.to_string());
    Machine::boot(&experiment.expect("a valid experiment"))
}

#[test]
fn threads_on_two_nodes_pull_the_pages_they_use_to_their_own_nodes() {
    for kernel in ["mainline-3.13", "5.10", "6.1", "6.12"] {
        let mut m = four_threads(kernel);
        while !m.w.sched.ended {
            m.run(u64::MAX, m.w.now + 10_000_000);
            assert_eq!(check(&m), [], "{kernel}");
        }
        let c = &m.w.counters;
        assert!(
            c.numa_hint_faults > 1000,
            "{kernel}: {}",
            c.numa_hint_faults
        );
        assert!(
            c.numa_pages_migrated > 500,
            "{kernel}: {}",
            c.numa_pages_migrated
        );
        assert!(c.numa_hint_faults >= c.numa_hint_faults_local + c.numa_pages_migrated);
        let mut cut = four_threads(kernel);
        while !cut.w.sched.ended {
            cut.run(cut.w.run.steps() + 4999, u64::MAX);
        }
        assert_eq!(m.hash(), cut.hash(), "{kernel}: stepped and run");
    }
}

/// Two nodes of 64 MiB and two CPUs each, with a scan every few ms; `processes` run for 3 s.
fn of_threads(kernel: &str, processes: Value) -> Machine {
    let node =
        |start: u64| json!({ "ranges": [{ "start_pfn": start, "pages": 16384 }], "cpus": 2 });
    let raw = json!({
        "machine": {
            "id": "two", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [node(0), node(16384)], "distances": [[10, 20], [20, 10]], "hz": 1000,
            "thp": "never", "costs": "q-x86", "pcp": true, "zonelist_order": "default",
        },
        "kernel": kernel, "seed": 1, "length": "3s",
        "workload": { "id": "threads", "processes": processes },
        "tunables": {
            "kernel.numa_balancing": "1", "vm.min_free_kbytes": "1024",
            "kernel.numa_balancing_scan_delay_ms": "10",
            "kernel.numa_balancing_scan_period_min_ms": "10",
            "kernel.numa_balancing_scan_period_max_ms": "100",
            "kernel.numa_balancing_scan_size_mb": "16",
        },
    });
    let experiment = Experiment::from_json(&raw.to_string());
    let mut m = Machine::boot(&experiment.expect("a valid experiment"));
    m.w.rec.on = true;
    m.w.rec.keeps = |kind| {
        use mm::record::RecordKind::{NumaJoin, SchedMoveNuma, SchedStickNuma, SchedSwapNuma};
        matches!(
            kind,
            NumaJoin | SchedMoveNuma | SchedStickNuma | SchedSwapNuma
        )
    };
    run(&mut m);
    m
}

fn count(m: &Machine, kind: mm::record::RecordKind) -> usize {
    m.w.rec.records.iter().filter(|r| r.kind == kind).count()
}

/// The node of the CPU of a task with this name.
fn node_of(m: &Machine, name: &str) -> NodeIndex {
    let is_named = |t: &&mm::machine::Task| match t.kind {
        mm::machine::TaskKind::User { program, .. } => {
            m.w.facts.programs[program as usize].name == name
        }
        _ => false,
    };
    let task = m.tasks.iter().rev().find(is_named).expect("a task");
    m.w.facts.node_of_cpu[task.cpu]
}

/// A process that allocates `pages` on a node and keeps them.
fn full(name: &str, node: u8, pages: u64, start: &str) -> Value {
    json!({ "name": name, "start": start, "program": [
        { "op": "bind", "node": node, "strict": true },
        { "op": "alloc", "pool": "p", "order": 0, "count": pages, "go_on": true },
        { "op": "think", "time": "10s" },
    ] })
}

/// A process with memory on one node, and a thread that uses it from another node and may leave that
/// node.
fn astray(name: &str, memory: u8, runs: u8) -> [Value; 2] {
    let thread = format!("{name}-thread");
    [
        json!({ "name": name, "start": "100ms", "program": [
            { "op": "affinity", "node": memory },
            { "op": "map", "region": "heap", "size": 2000 },
            { "op": "touch", "region": "heap" },
            { "op": "affinity" },
            { "op": "threads", "process": thread, "count": 1 },
            { "op": "join" },
        ] }),
        json!({ "name": thread, "count": 0, "program": [
            { "op": "affinity", "node": runs },
            { "op": "touch", "region": "heap" },
            { "op": "compute", "time": "100ms" },
            { "op": "affinity" },
            { "op": "repeat", "times": 1_000_000, "do": [{ "op": "touch", "region": "heap" }] },
        ] }),
    ]
}

/// The thread's node is full, so its memory cannot move there: the thread moves to its memory.
#[test]
fn a_thread_moves_to_the_node_of_its_memory_when_its_own_is_full() {
    use mm::record::RecordKind::SchedMoveNuma;
    for kernel in ["5.10", "6.1", "6.12"] {
        let [main, thread] = astray("main", 1, 0);
        let m = of_threads(kernel, json!([full("full", 0, 15_400, "0s"), main, thread]));
        assert_eq!(node_of(&m, "main-thread"), NodeIndex::new(1), "{kernel}");
        assert_eq!(count(&m, SchedMoveNuma), 1, "{kernel}");
    }
}

/// In 3.13 the thread stays: with only one task to run, one node would have all of the load.
#[test]
fn a_lone_thread_stays_on_its_node_in_3_13() {
    use mm::record::RecordKind::{SchedMoveNuma, SchedStickNuma};
    let [main, thread] = astray("main", 1, 0);
    let m = of_threads(
        "mainline-3.13",
        json!([full("full", 0, 15_400, "0s"), main, thread]),
    );
    assert_eq!(node_of(&m, "main-thread"), NodeIndex::new(0));
    assert_eq!(count(&m, SchedMoveNuma), 0);
    assert!(count(&m, SchedStickNuma) > 0);
}

/// Two threads that touch the same pages join one group, which adds up their faults.
#[test]
fn threads_that_share_pages_form_a_group() {
    for kernel in ["mainline-3.13", "5.10", "6.1", "6.12"] {
        let sweeps = |node: u32| {
            json!([
                { "op": "affinity", "node": node },
                { "op": "compute", "time": "20ms" },
                { "op": "affinity" },
                { "op": "repeat", "times": 1_000_000, "do": [{ "op": "touch", "region": "heap" }] },
            ])
        };
        let m = of_threads(
            kernel,
            json!([
                { "name": "main", "program": [
                    { "op": "map", "region": "heap", "size": 2000 },
                    { "op": "touch", "region": "heap" },
                    { "op": "threads", "process": "here", "count": 1 },
                    { "op": "threads", "process": "there", "count": 1 },
                    { "op": "join" },
                ] },
                { "name": "here", "count": 0, "program": sweeps(0) },
                { "name": "there", "count": 0, "program": sweeps(1) },
            ]),
        );
        assert_eq!(count(&m, mm::record::RecordKind::NumaJoin), 1, "{kernel}");
        let numa = &m.w.numa;
        let sizes: Vec<u32> = numa.groups.iter().map(|group| group.tasks).collect();
        assert_eq!(sizes.iter().max(), Some(&2), "{kernel}: {sizes:?}");
        for (number, group) in (0u32..).zip(&numa.groups) {
            let own = numa.tasks.iter().filter(|task| task.group == number);
            let total: u64 = own.clone().map(|task| task.faults.total).sum();
            assert_eq!(group.total, total, "{kernel}");
            for (node, faults) in group.nodes.iter().enumerate() {
                let of_tasks = own.clone().filter_map(|task| task.faults.nodes.get(node));
                let mem: u64 = of_tasks.map(|faults| faults.mem[0] + faults.mem[1]).sum();
                assert_eq!(faults.mem[0] + faults.mem[1], mem, "{kernel}, node {node}");
            }
        }
    }
}
