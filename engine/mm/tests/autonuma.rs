//! AutoNUMA 28: the scanner of the machine, hinting faults, and tasks that exchange CPUs.

use mm::index::TaskIndex;
use mm::kernel::find;
use mm::numa::autonuma::balance::AutoExchange;
use mm::numa::autonuma::scand::ScandProcess;
use mm::record::RecordKind;
use serde_json::{Value, json};

use super::numa_core::{converged_after, lone, machine, run, threads_by_node, two_teams};
use super::small::anon_by_node as by_node;

/// A kernel with these patches. AutoNUMA is switched on when there is memory to scan, so its first
/// pass begins then.
fn auto(patches: &[&str], at: &str) -> Value {
    json!({
        "kernel": "autonuma-28", "patches": patches,
        "tunables": { "vm.min_free_kbytes": "1024", "kernel.numa_balancing": "0" },
        "interventions": [{ "at": at, "set": { "kernel.numa_balancing": "1" } }],
    })
}

/// A task on node 0 has 8 MiB on node 1. One round marks all of it. Each page moves at its first
/// fault, because no task faulted on it before (W5). Without that switch no page moves in the first
/// pass (W6), and the next pass is 10 s later.
#[test]
fn pages_move_at_their_first_fault_unless_two_faults_are_required() {
    let mut m = lone(auto(&[], "100ms"), "8 MiB", "400ms");
    run(&mut m);
    let [there, left] = by_node(&m)[..] else {
        panic!("two nodes")
    };
    // Pages in the vector of CPU 1, on which nothing runs any more, are on no list.
    assert!(there + left == 2048 && left < 14, "{there} and {left}");
    let mut m = lone(auto(&["an-second-fault"], "100ms"), "8 MiB", "400ms");
    run(&mut m);
    assert_eq!(by_node(&m), [0, 2048]);
    let task = &m.w.numa.tasks[m.w.processes.all[0].space.owner].auto;
    assert!(task.false_sharing);
}

/// One fault serves a whole page table. If entries are marked one by one, each page takes a fault.
#[test]
fn one_fault_serves_a_whole_page_table() {
    let traps = |patches: &[&str]| {
        let mut m = lone(auto(patches, "100ms"), "8 MiB", "400ms");
        let before = m.w.counters.pgfault;
        run(&mut m);
        let handled = m.w.counters.numa_hint_faults;
        (m.w.counters.pgfault - before - 2048, handled)
    };
    assert_eq!(traps(&[]), (4, 2048));
    assert_eq!(traps(&["an-scan-ptes"]), (2048, 2048));
}

/// The fault counts show where the pages are: 2048 faults of the task and of its process.
#[test]
fn faults_are_counted_on_the_node_that_holds_the_page() {
    let mut m = lone(auto(&[], "100ms"), "8 MiB", "400ms");
    run(&mut m);
    let process = &m.w.processes.all[0];
    let task = &m.w.numa.tasks[process.space.owner].auto;
    let on: Vec<u64> = by_node(&m).into_iter().map(u64::from).collect();
    assert_eq!(task.faults.nodes.first(), on.first());
    assert_eq!((task.faults.total, process.auto.faults.total), (2048, 2048));
    assert_eq!((task.pass, process.auto.pass), (1, 1));
}

/// Two processes each have their memory on the node where the other's thread runs. If pages do not
/// move at their first fault, the threads exchange CPUs.
#[test]
fn misplaced_tasks_of_two_processes_exchange_nodes() {
    let team = |name: &str, node: u64| {
        json!([
            { "name": name, "program": [
                { "op": "affinity", "node": node },
                { "op": "map", "region": "heap", "size": "4 MiB" },
                { "op": "touch", "region": "heap" },
                { "op": "affinity" },
                { "op": "threads", "process": format!("{name}-thread"), "count": 1 },
                { "op": "join" },
            ] },
            { "name": format!("{name}-thread"), "count": 0, "program": [
                { "op": "affinity", "node": 1 - node },
                { "op": "affinity" },
                { "op": "repeat", "times": 1_000_000, "do": [{ "op": "touch", "region": "heap" }] },
            ] },
        ])
    };
    let teams = [team("a", 1), team("b", 0)];
    let programs = teams
        .iter()
        .flat_map(|team| team.as_array().expect("two").clone());
    let kernel = auto(&["an-second-fault"], "200ms");
    let mut m = machine(kernel, 2, 1, "1s", programs.collect());
    m.w.rec.on = true;
    m.w.rec.keeps = |kind| kind == RecordKind::AutoExchange;
    m.run(u64::MAX, 190_000_000);
    assert_eq!(threads_by_node(&m, "a-thread"), [1, 0]);
    run(&mut m);
    assert_eq!(threads_by_node(&m, "a-thread"), [0, 1]);
    assert_eq!(threads_by_node(&m, "b-thread"), [1, 0]);
    let exchanges: Vec<AutoExchange> = m.w.rec.all().map(|(_, event)| event).collect();
    assert_eq!(exchanges.len(), 1);
    let AutoExchange {
        there,
        theirs,
        here,
        threads,
        ..
    } = exchanges[0];
    assert_eq!((there, theirs, here, threads), (1000, 0, 0, false));
}

/// Each pass visits each process once, in the order in which they started, and the next pass begins 10
/// s later.
#[test]
fn a_pass_visits_each_process_once_and_the_next_begins_ten_seconds_later() {
    let sleeper = |name: &str| {
        json!({ "name": name, "program": [
            { "op": "map", "region": "heap", "size": "4 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "think", "time": "30s" },
        ] })
    };
    let processes = json!([sleeper("a"), sleeper("b")]);
    let mut m = machine(auto(&[], "1s"), 2, 1, "25s", processes);
    m.w.rec.on = true;
    m.w.rec.keeps = |kind| kind == RecordKind::ScandProcess;
    run(&mut m);
    let owner = |process: usize| m.w.processes.all[process].space.owner;
    let seen: Vec<(TaskIndex, i64)> =
        m.w.rec
            .all::<ScandProcess>()
            .map(|(_, event)| (event.task, event.pass))
            .collect();
    let expected: Vec<(TaskIndex, i64)> = (1..=3)
        .flat_map(|pass| [(owner(0), pass), (owner(1), pass)])
        .collect();
    assert_eq!(seen, expected);
    let times: Vec<u64> = m.w.rec.records.iter().map(|r| r.time_ns).collect();
    let apart = times[2] - times[0];
    assert!((10_000_000_000..10_200_000_000).contains(&apart), "{apart}");
}

/// A run with short slices ends in the same state as one in a single slice.
#[test]
fn the_slice_length_does_not_change_a_run_with_autonuma() {
    let mut whole = two_teams(auto(&[], "200ms"), "600ms");
    let mut cut = two_teams(auto(&[], "200ms"), "600ms");
    whole.run(u64::MAX, u64::MAX);
    while !cut.w.sched.ended {
        cut.run(cut.w.run.steps() + 4999, u64::MAX);
        assert_eq!(mm::check::check(&cut), []);
    }
    assert_eq!(whole.hash(), cut.hash());
}

/// Other kernels have no knuma_scand thread.
#[test]
fn knuma_scand_exists_only_with_autonuma() {
    let has = |kernel: &str| {
        let kernel = find(kernel).expect("a kernel").id;
        let m = lone(json!({ "kernel": kernel }), "1 MiB", "1ms");
        m.w.numa.scand.task.is_some()
    };
    assert!(has("autonuma-28"));
    assert!(!has("3.7") && !has("3.8") && !has("numacore-18"));
}

/// `perf bench numa` with four processes of eight threads: AutoNUMA gives each process a node. Its
/// first pass finds nothing here, so memory is first marked after 10 s.
#[test]
fn perf_bench_4x8_converges_with_autonuma() {
    let after = converged_after("autonuma-28", 100);
    assert!(after.is_some(), "{after:?}");
}
