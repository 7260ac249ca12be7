//! Scheduling on machines that balance load: where tasks start and wake, what moves them and what
//! does not. Such a machine is as deterministic as others.

use crate::small;
use mm::check::check;
use mm::experiment::Experiment;
use mm::index::CpuIndex;
use mm::machine::{Machine, TaskKind, TaskStatus};
use mm::plan::Plan;
use mm::sched::balance::SchedMigrateTask;
use serde_json::{Value, json};

/// `nodes` nodes of `cpus` CPUs each, at distance 20, with about a megabyte each; these processes
/// run on them.
fn plan(nodes: usize, cpus: u32, length: &str, processes: Value) -> Plan {
    let distance = |a, b| if a == b { 10 } else { 20 };
    let distances: Vec<Vec<u8>> = (0..nodes)
        .map(|a| (0..nodes).map(|b| distance(a, b)).collect())
        .collect();
    let described: Vec<Value> = (0..nodes)
        .map(|n| {
            let start = 4096 * (n as u64 + 1);
            json!({ "ranges": [{ "start_pfn": start, "pages": 2048 }], "cpus": cpus })
        })
        .collect();
    let raw = json!({
        "machine": {
            "id": "cpus", "title": "", "arch": "x86_64", "page_size_kib": 4, "nodes": described,
            "distances": distances, "hz": 250, "thp": "never", "costs": "s2011", "pcp": false,
            "zonelist_order": "default",
        },
        "kernel": "3.1", "seed": 1, "length": length,
        "workload": { "id": "none", "processes": processes },
        "tunables": { "vm.min_free_kbytes": "0" },
    });
    let experiment = Experiment::from_json(&raw.to_string()).expect("a valid experiment");
    Plan::of(&experiment).balanced()
}

/// A process that starts `count` others, which run `program`.
fn spawned(count: u32, program: Value) -> Value {
    json!([
        { "name": "main", "program": [
            { "op": "spawn", "process": "worker", "count": count },
            { "op": "think", "time": "3600s" },
        ] },
        { "name": "worker", "count": 0, "program": program },
    ])
}

fn is_worker(kind: TaskKind) -> bool {
    matches!(kind, TaskKind::User { program: 1, .. })
}

/// Number of workers on each node.
fn spread(m: &Machine) -> Vec<u32> {
    let mut nodes = vec![0; m.w.facts.layout.nodes.len()];
    let workers = m.tasks.iter().filter(|t| is_worker(t.kind));
    for t in workers.filter(|t| t.status != TaskStatus::Exited) {
        nodes[m.w.facts.node_of_cpu[t.cpu].index()] += 1;
    }
    nodes
}

/// All moves of workers so far.
fn moves(m: &Machine) -> Vec<(u64, SchedMigrateTask)> {
    let all = m.w.rec.all::<SchedMigrateTask>();
    let workers = all.filter(|(_, event)| is_worker(m.tasks[event.task].kind));
    workers.map(|(r, event)| (r.time_ns, event)).collect()
}

/// Counts the tasks in the run queues, running or waiting. Each must be in one queue, the one that
/// the task names, once.
fn queued(m: &Machine) -> usize {
    let mut seen = Vec::new();
    for (cpu, c) in m.w.sched.cpus.entries() {
        for task in c.runnable() {
            let t = &m.tasks[task];
            assert_eq!((t.cpu, t.status), (cpu, TaskStatus::Runnable));
            assert!(m.w.may_run(task, t.cpu), "task {task} on CPU {cpu}");
            assert!(!seen.contains(&task), "task {task} is on two queues");
            seen.push(task);
        }
    }
    seen.len()
}

fn recording(plan: &Plan) -> Machine {
    let mut m = Machine::start(plan);
    m.w.rec.on = true;
    m.w.rec.keeps = |kind| kind == <SchedMigrateTask as mm::record::Numbered>::KIND;
    m
}

const MS: u64 = 1_000_000;

/// 32 tasks start on eight CPUs of each of four nodes, one per CPU, and stay there for ten
/// seconds.
#[test]
fn as_many_tasks_as_cpus_spread_evenly_and_never_move() {
    let plan = plan(
        4,
        8,
        "11s",
        spawned(32, json!([{ "op": "compute", "time": "20s" }])),
    );
    let mut m = recording(&plan);
    m.run(u64::MAX, 500 * MS);
    assert_eq!(spread(&m), [8; 4]);
    let one_each = |m: &Machine| CpuIndex::all(32).all(|cpu| m.w.sched.nr_running(cpu) == 1);
    assert!(one_each(&m), "each has a CPU of its own");
    let (before, places) = (moves(&m).len(), m.tasks.iter().map(|t| t.cpu));
    let places: Vec<CpuIndex> = places.collect();
    m.run(u64::MAX, 10_500 * MS);
    assert_eq!(moves(&m).len(), before);
    assert!(places.iter().copied().eq(m.tasks.iter().map(|t| t.cpu)));
    assert!(one_each(&m));
    assert_eq!(check(&m), []);
}

/// With 33 tasks, the two that share a CPU take turns on the CPUs of their node.
#[test]
fn one_more_task_than_cpus_rotates_within_its_node() {
    let plan = plan(
        2,
        4,
        "4s",
        spawned(9, json!([{ "op": "compute", "time": "20s" }])),
    );
    let mut m = recording(&plan);
    m.run(u64::MAX, 500 * MS);
    let before = (spread(&m), moves(&m).len());
    m.run(u64::MAX, 3_500 * MS);
    assert_eq!(spread(&m), before.0);
    let moves = moves(&m).split_off(before.1);
    // A task moves every 64 to 256 ms, by at most three CPUs.
    assert!((6..=150).contains(&moves.len()), "{} moves", moves.len());
    for (_, event) in &moves {
        let node = |cpu: CpuIndex| m.w.facts.node_of_cpu[cpu];
        assert_eq!(node(event.orig_cpu), node(event.dest_cpu));
    }
    assert_eq!(check(&m), []);
}

/// With two idle CPUs on one node, a running task is pushed there from a full node after five
/// failures.
#[test]
fn a_running_task_is_pushed_to_a_node_with_two_idle_cpus() {
    let program = json!([{ "op": "compute", "time": "20s" }]);
    let short = json!([{ "op": "compute", "time": "300ms" }]);
    let workers = json!([
        { "name": "main", "program": [
            { "op": "spawn", "process": "worker", "count": 6 },
            { "op": "spawn", "process": "short", "count": 2 },
            { "op": "think", "time": "3600s" },
        ] },
        { "name": "worker", "count": 0, "program": program },
        { "name": "short", "count": 0, "node": 1, "program": short },
    ]);
    let mut m = recording(&plan(2, 4, "4s", workers));
    m.run(u64::MAX, 280 * MS);
    assert_eq!(spread(&m), [4, 2]);
    m.run(u64::MAX, 300 * MS);
    let before = moves(&m).len();
    m.run(u64::MAX, 2_000 * MS);
    let moves = moves(&m).split_off(before);
    assert_eq!(spread(&m), [3, 3], "{moves:?}");
    let (at, event) = &moves[0];
    assert!((0..4).contains(&event.orig_cpu.get()) && (4..8).contains(&event.dest_cpu.get()));
    // An idle CPU makes five attempts at the level of nodes, 8 to 16 ms apart.
    assert!((320 * MS..500 * MS).contains(at), "at {at} ns");
    assert_eq!(check(&m), []);
}

/// A worker bound to one node never leaves it, however many tasks wait there.
#[test]
fn a_bound_task_stays_on_its_node() {
    let program = json!([{ "op": "repeat", "times": 40, "do": [
        { "op": "compute", "time": "7ms" }, { "op": "think", "time": "2ms" } ] }]);
    let processes = json!([
        { "name": "main", "program": [
            { "op": "spawn", "process": "worker", "count": 10 }, { "op": "think", "time": "3600s" } ] },
        { "name": "worker", "count": 0, "node": 1, "program": program },
    ]);
    let mut m = Machine::start(&plan(2, 2, "2s", processes));
    let mut at = 0;
    while !m.w.sched.ended {
        at += 1;
        m.run(u64::MAX, at * MS);
        queued(&m);
        assert_eq!(spread(&m)[0], 0);
        assert!(at < 3000, "the run did not end");
    }
}

/// A plan with programs that sleep, compute and allocate.
fn mixed() -> Plan {
    let program = json!([
        { "op": "map", "region": "heap", "size": 40 },
        { "op": "repeat", "times": 12, "do": [
            { "op": "touch", "region": "heap", "order": "random", "pages": 60 },
            { "op": "compute", "time": "3ms" },
            { "op": "think", "time": "1ms" },
        ] },
    ]);
    plan(2, 3, "600ms", spawned(11, program))
}

/// Every task is on one queue, on a CPU of its mask, and no other check fails.
#[test]
fn queues_hold_each_runnable_task_once() {
    let mut m = recording(&mixed());
    while !m.w.sched.ended {
        let next = m.w.run.steps() + 211;
        m.run(next, u64::MAX);
        if m.is_open() {
            let runnable = |t: &&mm::machine::Task| t.status == TaskStatus::Runnable;
            assert_eq!(queued(&m), m.tasks.iter().filter(runnable).count());
            assert_eq!(check(&m), []);
        }
    }
    assert!(!moves(&m).is_empty(), "a task was moved");
}

#[test]
fn stepping_equals_running_with_balancing() {
    let plan = mixed();
    let mut run = Machine::start(&plan);
    run.run(u64::MAX, 100 * MS);
    for slice in [1, 3, 31, 1000] {
        let mut stepped = Machine::start(&plan);
        while stepped.w.run.steps() < run.w.run.steps() {
            let next = (stepped.w.run.steps() + slice).min(run.w.run.steps());
            stepped.run(next, u64::MAX);
        }
        assert!(stepped == run, "in slices of {slice}");
        assert_eq!(stepped.hash(), run.hash());
    }
}

/// A copy made during a run continues like the original, recorded or not.
#[test]
fn a_copy_of_a_machine_continues_like_the_original() {
    let mut m = Machine::start(&mixed());
    m.run(u64::MAX, 60 * MS);
    let mut copy = m.clone();
    copy.w.rec.on = true;
    m.run(u64::MAX, u64::MAX);
    copy.run(u64::MAX, u64::MAX);
    assert!(copy == m);
    assert_eq!(copy.hash(), m.hash());
}

/// Ticks, and the run, end with the last process.
#[test]
fn ticks_stop_when_the_last_process_ends() {
    let processes = json!([{ "name": "one", "program": [{ "op": "compute", "time": "50ms" }] }]);
    let mut m = Machine::start(&plan(2, 2, "3600s", processes));
    m.run(u64::MAX, u64::MAX);
    assert!(m.w.sched.ended);
    assert!(m.w.now < 1_000 * MS, "{} ns", m.w.now);
}

/// A machine without load balancing stores no state of it.
#[test]
fn machines_without_load_balancing_keep_no_state_of_it() {
    let mut m = small::boot("3.1", small::X86, &[&[(0, 2048)]], Value::Null);
    m.run(u64::MAX, u64::MAX);
    assert_eq!(m.w.sched.balance, mm::sched::load::Balancing::default());
}
