//! numa/core v17 and v18 of November 2012: scans, faults, and tasks that move to their memory.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::NodeIndex;
use mm::machine::{Machine, TaskKind};
use mm::numa::cluster::NumaCluster;
use mm::record::RecordKind;
use serde_json::{Value, json};

use super::small::anon_by_node as by_node;

/// Nodes of 64 MiB with this many CPUs each; 1000 ticks per second, as the published runs had
/// (inferred).
pub(super) fn machine(
    kernel: Value,
    nodes: u64,
    cpus: u64,
    length: &str,
    processes: Value,
) -> Machine {
    let pages = 64 << 8;
    let node =
        |n: u64| json!({ "ranges": [{ "start_pfn": n * pages, "pages": pages }], "cpus": cpus });
    let far = |a: u64| (0..nodes).map(move |b| if a == b { 10 } else { 20 });
    let distances: Vec<Vec<u64>> = (0..nodes).map(|a| far(a).collect()).collect();
    let mut raw = json!({
        "machine": {
            "id": "nodes", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": (0..nodes).map(node).collect::<Vec<Value>>(), "distances": distances, "hz": 1000,
            "thp": "madvise", "costs": "s2011", "pcp": true, "zonelist_order": "default",
        },
        "seed": 1, "length": length,
        "workload": { "id": "one", "processes": processes },
        "tunables": { "vm.min_free_kbytes": "1024" },
    });
    for (name, value) in kernel.as_object().expect("kernel and patches") {
        raw[name] = value.clone();
    }
    let experiment = Experiment::from_json(&raw.to_string());
    Machine::boot(&experiment.expect("a valid experiment"))
}

fn v17() -> Value {
    json!({ "kernel": "numacore-17" })
}

fn v18() -> Value {
    json!({ "kernel": "numacore-18" })
}

pub(super) fn run(m: &mut Machine) {
    m.run(u64::MAX, u64::MAX);
    assert_eq!(check(m), []);
}

/// One task on node 1 that has a region of `size` and touches it forever.
pub(super) fn lone(kernel: Value, size: &str, length: &str) -> Machine {
    let processes = json!([{ "name": "task", "program": [
        { "op": "affinity", "node": 1 },
        { "op": "map", "region": "heap", "size": size },
        { "op": "touch", "region": "heap" },
        { "op": "affinity", "node": 0 },
        { "op": "repeat", "times": 1_000_000, "do": [{ "op": "touch", "region": "heap" }] },
    ] }]);
    machine(kernel, 2, 1, length, processes)
}

/// A process is scanned at most once in 100 ms, from the first second of run time on. A task that
/// is alone in its process scans every 200 ms: its period doubles once it has settled. The window
/// of 256 MiB covers all of this process, so each scan is a pass, and the next one finds nothing
/// left.
#[test]
fn a_process_is_scanned_at_most_once_in_100_ms() {
    for kernel in [v17(), v18()] {
        let mut m = lone(kernel.clone(), "8 MiB", "3s");
        m.run(u64::MAX, 990_000_000);
        assert_eq!(m.w.counters.numa_pte_updates, 0);
        m.w.rec.on = true;
        m.w.rec.keeps = |kind| kind == RecordKind::NumaScanClaimed;
        run(&mut m);
        let scans: Vec<u64> = m.w.rec.records.iter().map(|r| r.time_ns).collect();
        assert!((10..=20).contains(&scans.len()), "{kernel}: {scans:?}");
        assert!(scans.windows(2).all(|two| two[1] - two[0] >= 99_000_000));
        assert_eq!(m.w.processes.all[0].scan.seq as usize, scans.len() - 1);
    }
}

/// Pages that only one task uses follow it after two faults in a row from one CPU.
#[test]
fn private_pages_follow_their_task() {
    for kernel in [v17(), v18()] {
        let mut m = lone(kernel.clone(), "8 MiB", "3s");
        run(&mut m);
        // The last four pages are in the vector of CPU 1, on which nothing runs any more.
        assert_eq!(by_node(&m), [2044, 4], "{kernel}");
        let core = &m.w.numa.tasks[m.w.processes.all[0].space.owner].core;
        assert_eq!(core.shared, Some(false));
    }
}

/// In v18 one fault serves all marked entries of a page table. In v17 each entry
/// takes its own fault.
#[test]
fn one_fault_serves_a_page_table_in_v18_and_one_entry_in_v17() {
    let faults = |kernel: Value| {
        let mut m = lone(kernel, "8 MiB", "2s");
        m.w.rec.on = true;
        m.w.rec.keeps = |kind| kind == RecordKind::NumaCluster;
        let before = m.w.counters.pgfault;
        run(&mut m);
        let clusters = m.w.rec.all::<NumaCluster>().count() as u64;
        (
            m.w.counters.pgfault - before - 2048,
            m.w.counters.numa_hint_faults,
            clusters,
        )
    };
    let (traps, handled, clusters) = faults(v18());
    assert_eq!((traps, handled), (clusters, 512 * clusters));
    assert!(clusters > 20);
    let (traps, handled, clusters) = faults(v17());
    assert_eq!((traps, clusters), (handled, 0));
}

/// Two processes of two threads each on two nodes, with all memory on node 0. The threads of each
/// process start on both nodes.
pub(super) fn two_teams(kernel: Value, length: &str) -> Machine {
    let team = |name: &str| {
        json!({ "name": name, "program": [
            { "op": "affinity", "node": 0 },
            { "op": "map", "region": "heap", "size": "16 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "affinity" },
            { "op": "threads", "process": format!("{name}-thread"), "count": 2 },
            { "op": "join" },
        ] })
    };
    let threads = |name: &str| {
        json!({ "name": format!("{name}-thread"), "count": 0, "program": [
            { "op": "repeat", "times": 1_000_000, "do": [
                { "op": "touch", "region": "heap", "order": "random", "pages": 512 },
            ] },
        ] })
    };
    let processes = json!([team("a"), team("b"), threads("a"), threads("b")]);
    machine(kernel, 2, 2, length, processes)
}

/// Number of threads of a program, by node.
pub(super) fn threads_by_node(m: &Machine, name: &str) -> [usize; 2] {
    let mut found = [0; 2];
    for task in &m.tasks {
        if let TaskKind::User { program, .. } = task.kind
            && m.w.facts.programs[program as usize].name == name
        {
            found[m.w.facts.node_of_cpu[task.cpu].index()] += 1;
        }
    }
    found
}

/// Does each team have its own node?
fn is_parted(m: &Machine) -> bool {
    let teams = [
        threads_by_node(m, "a-thread"),
        threads_by_node(m, "b-thread"),
    ];
    teams == [[2, 0], [0, 2]] || teams == [[0, 2], [2, 0]]
}

/// v18 brings the threads of each process together and moves their memory to them; mainline does not.
#[test]
fn v18_gives_two_processes_a_node_each_and_mainline_does_not() {
    let mut m = two_teams(v18(), "10s");
    run(&mut m);
    assert!(
        is_parted(&m),
        "threads of a: {:?}",
        threads_by_node(&m, "a-thread")
    );
    let nodes = by_node(&m);
    assert!(nodes[0].abs_diff(nodes[1]) < 800, "{nodes:?} pages");
    let mut m = two_teams(json!({ "kernel": "3.7" }), "10s");
    run(&mut m);
    assert_eq!(by_node(&m)[1], 0);
}

/// A run with short slices ends in the same state as one in a single slice.
#[test]
fn the_slice_length_does_not_change_a_run_with_numa_core() {
    for kernel in [v17(), v18()] {
        let mut whole = two_teams(kernel.clone(), "2s");
        let mut cut = two_teams(kernel.clone(), "2s");
        whole.run(u64::MAX, u64::MAX);
        while !cut.w.sched.ended {
            cut.run(cut.w.run.steps() + 4999, u64::MAX);
            assert_eq!(check(&cut), [], "{kernel}");
        }
        assert_eq!(whole.hash(), cut.hash(), "{kernel}");
    }
}

/// Seconds until all threads of each process are on one node and stay there to the end; `None` if that
/// does not happen.
pub(super) fn converged_after(kernel: &str, seconds: u64) -> Option<u64> {
    let mut raw = mm::experiment::preset("perf-bench-4x8").expect("a preset");
    raw.kernel = kernel.to_string();
    if kernel != "3.7" {
        let on = ("kernel.numa_balancing".to_string(), "1".to_string());
        raw.tunables.extend([on]);
    }
    let mut m = Machine::boot(&Experiment::new(raw).expect("a valid experiment"));
    let mut since = None;
    for second in 1..=seconds {
        m.run(u64::MAX, second * 1_000_000_000);
        since = since.or(Some(second)).filter(|_| each_has_a_node(&m));
    }
    since
}

/// Are all threads of each process on one node?
fn each_has_a_node(m: &Machine) -> bool {
    let mut nodes: Vec<Option<NodeIndex>> = vec![None; m.w.processes.all.len()];
    m.tasks.iter().all(|task| {
        let is_thread = matches!(task.kind, TaskKind::User { program, .. }
            if m.w.facts.programs[program as usize].name == "thread");
        let node = m.w.facts.node_of_cpu[task.cpu];
        !is_thread || *nodes[task.cx.process as usize].get_or_insert(node) == node
    })
}

/// `perf bench numa` with four processes of eight threads on four nodes of eight CPUs. All memory is on
/// node 0 at first. v18 gives each process a node within seconds; mainline and 3.8 never do. Tests
/// check only that it happens, not the published times.
#[test]
fn perf_bench_4x8_converges_with_v18_and_not_with_mainline() {
    let after = converged_after("numacore-18", 30);
    assert!(after.is_some_and(|seconds| seconds < 20), "{after:?}");
    assert_eq!(converged_after("3.7", 100), None);
    assert_eq!(converged_after("3.8", 100), None);
}
