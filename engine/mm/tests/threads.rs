//! Threads of a process, CPU masks and memory policies: worked examples and refusals.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::{CpuIndex, NodeIndex};
use mm::machine::{Machine, Task, TaskKind, TaskStatus};
use mm::space::Mapping;
use serde_json::{Value, json};

/// A machine of two nodes, each with 8,192 pages and two CPUs.
fn raw(processes: &Value, interventions: &Value) -> Value {
    let nodes = [0, 1 << 16].map(
        |start| json!({ "ranges": [{ "start_pfn": start + (1 << 20), "pages": 8192 }], "cpus": 2 }),
    );
    json!({
        "machine": {
            "id": "two", "title": "", "arch": "x86_64", "page_size_kib": 4, "nodes": nodes,
            "distances": [[10, 20], [20, 10]], "hz": 250, "thp": "never", "costs": "s2011",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 0 }],
        },
        "kernel": "6.1", "seed": 1, "length": "100s",
        "workload": { "id": "test", "processes": processes },
        "interventions": interventions,
    })
}

fn read(processes: &Value, interventions: &Value) -> Result<Experiment, Vec<(String, String)>> {
    let read = Experiment::from_json(&raw(processes, interventions).to_string());
    read.map_err(|found| found.into_iter().map(|r| (r.path, r.reason)).collect())
}

fn machine(processes: Value) -> Machine {
    disturbed(processes, json!([]))
}

fn disturbed(processes: Value, interventions: Value) -> Machine {
    Machine::boot(&read(&processes, &interventions).unwrap_or_else(|found| panic!("{found:?}")))
}

/// Runs to a time, or to the end, and recounts everything.
fn run_to(m: &mut Machine, ns: u64) {
    m.run(u64::MAX, ns);
    assert_eq!(check(m), vec![]);
}

const MS: u64 = 1_000_000;
const FOREVER: u64 = u64::MAX;

/// A process that maps `pages` pages, starts threads, joins them and sleeps.
fn team(count: u32, pages: u32, program: Value) -> Value {
    json!([
        { "name": "team", "program": [
            { "op": "map", "region": "heap", "size": pages },
            { "op": "threads", "process": "worker", "count": count },
            { "op": "join" },
            { "op": "mark", "name": "joined" },
            { "op": "think", "time": "10s" },
        ] },
        { "name": "worker", "count": 0, "program": program },
    ])
}

/// The tasks of a program, by instance.
fn tasks<'a>(m: &'a Machine, name: &str) -> Vec<&'a Task> {
    let is = |t: &&Task| match t.kind {
        TaskKind::User { program, .. } => m.w.facts.programs[program as usize].name == name,
        _ => false,
    };
    m.tasks.iter().filter(is).collect()
}

fn alive(m: &Machine, name: &str) -> usize {
    let tasks = tasks(m, name).into_iter();
    tasks.filter(|t| t.status != TaskStatus::Exited).count()
}

/// Number of pages of the first region of the first process on each node.
fn by_node(m: &Machine) -> [u32; 2] {
    let mut found = [0; 2];
    for page in 0..m.w.processes.region(0, 0).pages {
        if let Mapping::Page(frame) = m.w.processes.lookup(0, 0, page) {
            let zone = m.w.mem.pages[frame].zone();
            found[m.w.mem.zones[zone].node.index()] += 1;
        }
    }
    found
}

fn node_of(m: &Machine, task: &Task) -> NodeIndex {
    m.w.facts.node_of_cpu[task.cpu]
}

/// (name, time) of every mark that has a name.
fn marks(m: &Machine) -> Vec<(&str, u64)> {
    let named = m.w.phases.marks.iter().filter_map(|mark| {
        let program = &m.w.facts.programs[mark.program as usize];
        let name = program.marks.get(mark.name as usize)?;
        Some((name.as_str(), mark.at_ns))
    });
    named.collect()
}

#[test]
fn threads_share_their_memory() {
    let touch = json!([{ "op": "touch", "region": "heap" }, { "op": "think", "time": "1s" }]);
    let mut m = machine(team(4, 1000, touch));
    run_to(&mut m, 900 * MS);
    assert_eq!(m.w.processes.all.len(), 1);
    assert_eq!(m.w.processes.all[0].space.rss, 1000);
    assert_eq!(m.w.processes.all[0].threads.len(), 4);
    let names = tasks(&m, "worker");
    assert!(names.iter().all(|t| t.cx.process == 0));
    // Threads that fault on one page at the same time each count a fault; only one of the pages is
    // used.
    assert!(m.w.counters.pgfault >= 1000);
    run_to(&mut m, 2000 * MS);
    assert_eq!(alive(&m, "worker"), 0);
    // The memory stays with the main task, whose join has returned.
    assert_eq!(m.w.processes.all[0].space.rss, 1000);
    assert_eq!(marks(&m).len(), 1);
    run_to(&mut m, FOREVER);
    assert_eq!(m.w.processes.all[0].space.rss, 0);
}

#[test]
fn each_thread_touches_its_own_part_of_a_region() {
    let touch = json!([
        { "op": "touch", "region": "heap", "slice": true },
        { "op": "repeat", "times": 3, "do": [
            { "op": "touch", "region": "heap", "slice": true, "pages": 100, "order": "random" } ] },
    ]);
    let mut m = machine(team(3, 1000, touch));
    run_to(&mut m, 5000 * MS);
    // One fault per page, and every page is touched.
    assert_eq!(m.w.counters.pgfault, 1000);
    assert_eq!(m.w.processes.all[0].space.rss, 1000);
}

#[test]
fn the_part_of_a_thread_may_be_empty() {
    let touch = json!([{ "op": "touch", "region": "heap", "slice": true }]);
    let mut m = machine(team(8, 3, touch));
    run_to(&mut m, 5000 * MS);
    assert_eq!((m.w.counters.pgfault, alive(&m, "worker")), (3, 0));
}

/// Threads that compute for different times pass a barrier together, when the slowest arrives.
#[test]
fn a_barrier_waits_for_the_last_thread() {
    let program = json!([
        { "op": "touch", "region": "heap", "slice": true },
        { "op": "barrier" },
        { "op": "mark", "name": "first" },
        { "op": "repeat", "times": 5, "do": [
            { "op": "touch", "region": "heap", "slice": true }, { "op": "barrier" } ] },
        { "op": "mark", "name": "second" },
    ]);
    let mut m = machine(team(4, 4002, program));
    run_to(&mut m, 5000 * MS);
    let at = |searched: &str| -> Vec<u64> {
        let named = marks(&m).into_iter().filter(|(name, _)| *name == searched);
        named.map(|(_, at)| at).collect()
    };
    let (first, second) = (at("first"), at("second"));
    assert_eq!((first.len(), second.len()), (4, 4));
    assert!(first.iter().max() < second.iter().min());
    assert_eq!(alive(&m, "worker"), 0);
}

#[test]
fn threads_pass_a_barrier_and_end_while_another_process_is_killed() {
    let processes = json!([
        { "name": "team", "program": [
            { "op": "map", "region": "heap", "size": 100 },
            { "op": "threads", "process": "worker", "count": 3 },
            { "op": "think", "time": "20ms" },
            { "op": "kill", "task": "other" },
            { "op": "join" },
            { "op": "mark", "name": "joined" },
        ] },
        { "name": "other", "program": [{ "op": "think", "time": "10s" }] },
        { "name": "worker", "count": 0, "program": [
            { "op": "touch", "region": "heap", "slice": true },
            { "op": "barrier" },
        ] },
    ]);
    let mut m = machine(processes);
    run_to(&mut m, FOREVER);
    assert_eq!(marks(&m).len(), 1);
}

#[test]
fn the_exit_of_the_main_task_ends_its_threads() {
    let processes = json!([
        { "name": "team", "program": [
            { "op": "map", "region": "heap", "size": 500 },
            { "op": "threads", "process": "worker", "count": 3 },
            { "op": "think", "time": "50ms" },
        ] },
        { "name": "worker", "count": 0, "program": [
            { "op": "touch", "region": "heap", "slice": true },
            { "op": "repeat", "for": "50s", "do": [{ "op": "touch", "region": "heap" }] },
        ] },
    ]);
    let mut m = machine(processes);
    run_to(&mut m, 40 * MS);
    assert_eq!(alive(&m, "worker"), 3);
    run_to(&mut m, 100 * MS);
    assert_eq!((alive(&m, "team"), alive(&m, "worker")), (0, 0));
    assert_eq!(m.w.processes.all[0].space.rss, 0);
}

#[test]
fn a_signal_to_a_thread_ends_all_threads_of_its_process() {
    let program = json!([
        { "op": "touch", "region": "heap", "slice": true },
        { "op": "barrier" },
        { "op": "think", "time": "5s" },
    ]);
    for at in ["100us", "300us", "2ms", "20ms"] {
        let kill = json!([{ "at": at, "kill": "worker/2" }]);
        let mut m = disturbed(team(3, 900, program.clone()), kill);
        run_to(&mut m, 100 * MS);
        assert_eq!(alive(&m, "team") + alive(&m, "worker"), 0, "{at}");
    }
}

/// Two threads fill more than all memory: the process is killed once, with all its tasks.
#[test]
fn an_oom_kill_ends_the_whole_process_once() {
    let processes = json!([
        { "name": "team", "program": [
            { "op": "map", "region": "heap", "size": 20_000 },
            { "op": "threads", "process": "worker", "count": 3 },
            { "op": "join" },
        ] },
        { "name": "worker", "count": 0, "program": [
            { "op": "touch", "region": "heap", "slice": true },
            { "op": "barrier" },
        ] },
    ]);
    let mut m = machine(processes);
    run_to(&mut m, FOREVER);
    assert_eq!(m.w.counters.oom_kill, 1);
    assert_eq!((alive(&m, "team"), alive(&m, "worker")), (0, 0));
    assert_eq!(m.w.processes.all[0].space.rss, 0);
}

#[test]
fn threads_share_huge_pages_and_mapped_files() {
    let mut raw = raw(
        &json!([
            { "name": "team", "program": [
                { "op": "map", "region": "heap", "size": 2048, "huge": true },
                { "op": "map", "region": "file", "file": "data" },
                { "op": "threads", "process": "worker", "count": 4 },
                { "op": "wait" },
                { "op": "free", "region": "heap" },
            ] },
            { "name": "worker", "count": 0, "program": [
                { "op": "touch", "region": "heap" },
                { "op": "touch", "region": "file", "write": true },
                { "op": "dontneed", "region": "heap" },
                { "op": "touch", "region": "heap", "order": "random" },
            ] },
        ]),
        &json!([]),
    );
    raw["workload"]["files"] = json!([{ "name": "data", "size": 600 }]);
    // A machine this small boots without huge pages, and khugepaged would keep too much of it free.
    raw["tunables"] = json!({ "transparent_hugepage": "madvise", "vm.min_free_kbytes": "1024" });
    let experiment = Experiment::from_json(&raw.to_string()).expect("valid");
    let mut m = Machine::boot(&experiment);
    for steps in 1..2000 {
        m.run(steps * 50, FOREVER);
        if m.is_open() {
            assert_eq!(check(&m), vec![], "step {}", steps * 50);
        }
    }
    run_to(&mut m, FOREVER);
    assert_eq!(m.w.processes.all[0].space.rss, 0);
    let huge = (
        m.w.counters.thp_fault_alloc,
        m.w.counters.thp_fault_fallback,
    );
    assert!(huge.0 >= 4, "{huge:?}");
}

#[test]
fn a_cpu_mask_moves_a_task_immediately_and_remains_in_force() {
    let mut m = machine(json!([
        { "name": "own", "program": [
            { "op": "affinity", "node": 1 },
            { "op": "repeat", "times": 20, "do": [
                { "op": "compute", "time": "1ms" }, { "op": "think", "time": "1ms" } ] },
            { "op": "affinity", "cpus": [1] },
            { "op": "think", "time": "50ms" },
            { "op": "affinity" },
            { "op": "think", "time": "1s" },
        ] },
        { "name": "load", "count": 7, "program": [{ "op": "compute", "time": "300ms" }] },
    ]));
    run_to(&mut m, MS / 2);
    for ms in 1..30 {
        run_to(&mut m, ms * MS);
        assert_eq!(
            node_of(&m, tasks(&m, "own")[0]),
            NodeIndex::new(1),
            "{ms} ms"
        );
    }
    let cpu_1 = |m: &Machine| tasks(m, "own")[0].cx.allowed;
    let mut seen = false;
    for ms in 30..400 {
        run_to(&mut m, ms * MS);
        let own = tasks(&m, "own")[0];
        if cpu_1(&m) == m.w.facts.mask_of(&[CpuIndex::new(1)]) {
            seen |= own.cpu == CpuIndex::new(1);
        }
    }
    assert!(seen);
    // If any CPU is allowed, the mask is the same as at the start.
    run_to(&mut m, 900 * MS);
    assert_eq!(cpu_1(&m), u16::MAX);
}

#[test]
fn a_cpu_mask_does_not_override_the_memory_policy() {
    let mut m = machine(json!([{ "name": "own", "program": [
        { "op": "map", "region": "heap", "size": 1000 },
        { "op": "mempolicy", "mode": "preferred", "nodes": [0] },
        { "op": "affinity", "node": 1 },
        { "op": "touch", "region": "heap" },
        { "op": "think", "time": "1s" },
    ] }]));
    run_to(&mut m, 500 * MS);
    assert_eq!(node_of(&m, tasks(&m, "own")[0]), NodeIndex::new(1));
    assert_eq!(by_node(&m), [1000, 0]);
}

#[test]
fn the_memory_policy_chooses_the_node_of_a_page() {
    for (policy, expected) in [
        (json!({ "mode": "default" }), [1000, 0]),
        (json!({ "mode": "bind", "nodes": [1] }), [0, 1000]),
        (json!({ "mode": "bind", "nodes": [0, 1] }), [1000, 0]),
        (json!({ "mode": "preferred", "nodes": [1] }), [0, 1000]),
        (json!({ "mode": "interleave", "nodes": [0, 1] }), [500, 500]),
        (json!({ "mode": "interleave", "nodes": [1] }), [0, 1000]),
    ] {
        let mut step = policy.clone();
        step["op"] = json!("mempolicy");
        let mut m = machine(json!([{ "name": "own", "program": [
            { "op": "affinity", "cpus": [1] },
            step,
            { "op": "map", "region": "heap", "size": 1000 },
            { "op": "touch", "region": "heap" },
            { "op": "think", "time": "1s" },
        ] }]));
        run_to(&mut m, 500 * MS);
        assert_eq!(by_node(&m), expected, "{policy}");
        let interleaved: u64 = m.w.mem.zones.iter().map(|z| z.numa[3]).sum();
        let is = policy["mode"] == "interleave";
        // The pages and two page tables.
        assert_eq!(interleaved, if is { 1002 } else { 0 }, "{policy}");
    }
}

/// A request bound to one node fails when that node has no pages. Bound to both, it uses the other
/// node.
#[test]
fn memory_bound_to_several_nodes_comes_from_all_of_them() {
    let of = |nodes: Value| {
        let mut m = machine(json!([{ "name": "own", "program": [
            { "op": "affinity", "node": 0 },
            { "op": "mempolicy", "mode": "bind", "nodes": nodes },
            { "op": "map", "region": "heap", "size": 12_000 },
            { "op": "touch", "region": "heap" },
            { "op": "think", "time": "1s" },
        ] }]));
        run_to(&mut m, 900 * MS);
        match alive(&m, "own") {
            0 => None,
            _ => Some(by_node(&m)),
        }
    };
    let both = of(json!([0, 1])).expect("it goes on");
    assert!(both[0] > 6000 && both[0] + both[1] == 12_000, "{both:?}");
    assert_eq!(of(json!([0])), None);
}

/// Threads start with the mask and the policy of the task that starts them.
#[test]
fn threads_inherit_mask_and_policy() {
    let mut m = machine(json!([
        { "name": "team", "program": [
            { "op": "map", "region": "heap", "size": 1000 },
            { "op": "affinity", "node": 1 },
            { "op": "mempolicy", "mode": "interleave", "nodes": [0, 1] },
            { "op": "threads", "process": "worker", "count": 3 },
            { "op": "join" },
            { "op": "think", "time": "1s" },
        ] },
        { "name": "worker", "count": 0, "program": [
            { "op": "touch", "region": "heap", "slice": true }, { "op": "think", "time": "50ms" } ] },
    ]));
    run_to(&mut m, 40 * MS);
    assert!(
        tasks(&m, "worker")
            .iter()
            .all(|t| node_of(&m, t) == NodeIndex::new(1))
    );
    run_to(&mut m, 500 * MS);
    assert_eq!(by_node(&m), [500, 500]);
}

#[test]
fn an_intervention_moves_a_running_thread() {
    let program =
        json!([{ "op": "repeat", "for": "5s", "do": [{ "op": "touch", "region": "heap" }] }]);
    let acts = json!([
        { "at": "100ms", "affinity": { "task": "worker/1", "node": 1 } },
        { "at": "200ms", "affinity": { "task": "worker/1", "cpus": [0] } },
        { "at": "300ms", "affinity": { "task": "team", "node": 1 } },
        { "at": "400ms", "affinity": { "task": "worker" } },
    ]);
    let mut m = disturbed(team(2, 500, program), acts);
    run_to(&mut m, 110 * MS);
    assert_eq!(node_of(&m, tasks(&m, "worker")[0]), NodeIndex::new(1));
    run_to(&mut m, 210 * MS);
    assert_eq!(tasks(&m, "worker")[0].cpu, CpuIndex::new(0));
    run_to(&mut m, 410 * MS);
    assert_eq!(tasks(&m, "worker")[0].cx.allowed, u16::MAX);
    run_to(&mut m, 6000 * MS);
    // The main task waited, and was woken on a CPU of its mask.
    assert_eq!(node_of(&m, tasks(&m, "team")[0]), NodeIndex::new(1));
}

#[test]
fn stepping_threads_equals_running_them() {
    let program = json!([
        { "op": "touch", "region": "heap" },
        { "op": "repeat", "times": 4, "do": [
            { "op": "touch", "region": "heap", "slice": true, "order": "random", "pages": 50 },
            { "op": "barrier" },
            { "op": "affinity", "node": 1 },
            { "op": "touch", "region": "heap" },
            { "op": "mempolicy", "mode": "interleave", "nodes": [0, 1] },
            { "op": "affinity" },
        ] },
    ]);
    let act = json!([{ "at": "1ms", "affinity": { "task": "worker/2", "node": 0 } }]);
    let boot = || disturbed(team(5, 700, program.clone()), act.clone());
    let mut run = boot();
    run.run(60_000, FOREVER);
    assert!(run.w.run.steps() > 10_000);
    for slice in [1, 7, 50] {
        let mut stepped = boot();
        while stepped.w.run.steps() < run.w.run.steps() {
            let next = (stepped.w.run.steps() + slice).min(run.w.run.steps());
            stepped.run(next, FOREVER);
        }
        assert!(stepped == run, "in slices of {slice}");
        assert_eq!(stepped.hash(), run.hash());
    }
}

/// The path and the reason of each refusal.
fn refused(processes: Value) -> Vec<(String, String)> {
    read(&processes, &json!([])).expect_err("refused")
}

#[test]
fn an_operation_not_allowed_in_a_thread_is_refused_with_an_alternative() {
    for (step, word) in [
        (
            json!({ "op": "map", "region": "a", "size": 1 }),
            "map it in",
        ),
        (json!({ "op": "free", "region": "heap" }), "after a join"),
        (json!({ "op": "read", "file": "data" }), "map the file"),
        (
            json!({ "op": "alloc", "pool": "p", "order": 0, "count": 1 }),
            "process of its own",
        ),
        (
            json!({ "op": "release", "pool": "p" }),
            "process of its own",
        ),
        (json!({ "op": "spawn", "process": "team" }), "spawn them in"),
        (
            json!({ "op": "threads", "process": "team" }),
            "start them in",
        ),
        (json!({ "op": "join" }), "barrier"),
        (json!({ "op": "wait" }), "barrier"),
    ] {
        let found = refused(team(2, 10, json!([step])));
        let op = "workload.processes[1].program[0].op";
        let at: Vec<_> = found.iter().filter(|(path, _)| path == op).collect();
        assert_eq!(at.len(), 1, "{step}: {found:?}");
        assert!(at[0].1.contains(word), "{step}: {found:?}");
    }
}

#[test]
fn operations_only_for_threads_are_refused_elsewhere() {
    for (step, field) in [
        (json!({ "op": "barrier" }), "op"),
        (json!({ "op": "join" }), "op"),
        (
            json!({ "op": "touch", "region": "heap", "slice": true }),
            "slice",
        ),
    ] {
        let program = json!([{ "op": "map", "region": "heap", "size": 10 }, step]);
        let found = refused(json!([{ "name": "p", "program": program }]));
        assert_eq!(
            found[0].0,
            format!("workload.processes[0].program[1].{field}")
        );
    }
}

#[test]
fn invalid_starts_of_threads_are_refused_with_their_path() {
    let start = json!({ "op": "threads", "process": "worker", "count": 2 });
    let map = json!({ "op": "map", "region": "heap", "size": 10 });
    let free = json!({ "op": "free", "region": "heap" });
    let worker = json!({ "name": "worker", "count": 0,
        "program": [{ "op": "touch", "region": "heap" }] });
    let with = |program: Value| json!([{ "name": "p", "program": program }, worker]);
    let first = |processes: Value| {
        refused(processes)[0]
            .clone()
            .0
            .replace("workload.processes", "")
    };
    // The worker is also started as a process.
    let mut both = with(json!([map, start]));
    both[1]["count"] = json!(1);
    assert_eq!(first(both), "[0].program[1].process");
    // Two processes start the worker.
    let program = json!([map, start]);
    let two =
        json!([{ "name": "p", "program": program }, worker, { "name": "q", "program": program }]);
    assert_eq!(first(two), "[2].program[1].process");
    // A process that starts itself, and one that no process starts.
    let own = json!({ "op": "threads", "process": "p" });
    assert_eq!(
        first(json!([{ "name": "p", "program": [own] }])),
        "[0].program[0].process"
    );
    let nobody = json!({ "op": "threads", "process": "nobody" });
    assert_eq!(
        first(json!([{ "name": "p", "program": [nobody] }])),
        "[0].program[0].process"
    );
    // The worker is started both as tasks and as threads.
    let spawn = json!({ "op": "spawn", "process": "worker" });
    assert_eq!(
        first(with(json!([map, start, spawn]))),
        "[0].program[2].process"
    );
    // The region is freed too early, is not mapped yet, or is another one the second time.
    assert_eq!(first(with(json!([map, start, free]))), "[0].program[2].op");
    assert_eq!(first(with(json!([start, map]))), "[1].program[0].region");
    let mut larger = map.clone();
    larger["size"] = json!(11);
    let again = json!([map, start, { "op": "join" }, free, larger, start]);
    assert_eq!(first(with(again)), "[0].program[5].process");
    let again = json!([map, start, { "op": "join" }, free, map, start, { "op": "wait" }, free]);
    assert!(read(&with(again), &json!([])).is_ok());
    // A loop that starts more and more threads.
    let endless = json!([map, { "op": "repeat", "times": 2, "do": [start] }]);
    assert_eq!(first(with(endless)), "[0].program[1].do");
    let joined = json!([map, { "op": "repeat", "times": 2, "do": [start, { "op": "join" }] }]);
    assert!(read(&with(joined), &json!([])).is_ok());
    // The worker is started by an intervention.
    let act = json!([{ "at": "1ms", "start": "worker" }]);
    let found = read(&with(json!([map, start])), &act).expect_err("refused");
    assert_eq!(found[0].0, "interventions[0].start");
}

#[test]
fn invalid_masks_and_policies_are_refused_with_their_field() {
    for (step, field) in [
        (json!({ "op": "affinity", "node": 2 }), "node"),
        (json!({ "op": "affinity", "cpus": [0, 4] }), "cpus"),
        (json!({ "op": "affinity", "cpus": [] }), "cpus"),
        (json!({ "op": "affinity", "node": 0, "cpus": [0] }), "cpus"),
        (
            json!({ "op": "mempolicy", "mode": "default", "nodes": [0] }),
            "nodes",
        ),
        (json!({ "op": "mempolicy", "mode": "bind" }), "nodes"),
        (
            json!({ "op": "mempolicy", "mode": "preferred", "nodes": [0, 1] }),
            "nodes",
        ),
        (
            json!({ "op": "mempolicy", "mode": "interleave", "nodes": [0, 5] }),
            "nodes[1]",
        ),
    ] {
        let found = refused(json!([{ "name": "p", "program": [step] }]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            found[0].0,
            format!("workload.processes[0].program[0].{field}")
        );
    }
    let process = json!([{ "name": "p", "program": [{ "op": "think", "time": "1s" }] }]);
    for (act, field) in [
        (json!({ "task": "q", "node": 0 }), "task"),
        (json!({ "task": "p/x", "node": 0 }), "task"),
        (json!({ "task": "p", "node": 7 }), "node"),
        (json!({ "task": "p", "cpus": [9] }), "cpus"),
    ] {
        let act = json!([{ "at": "1ms", "affinity": act }]);
        let found = read(&process, &act).expect_err("refused");
        assert_eq!(found[0].0, format!("interventions[0].affinity.{field}"));
    }
}

/// The workloads of two captures of real kernels, in their original form but smaller.
#[test]
fn spawn_with_shared_memory_starts_threads() {
    for slice in [false, true] {
        let mut touch = json!({ "op": "touch", "region": "heap" });
        if slice {
            touch["slice"] = json!(true);
        }
        let mut m = machine(json!([
            { "name": "numa01", "count": 2, "program": [
                { "op": "map", "region": "heap", "size": "4 MiB" },
                { "op": "touch", "region": "heap" },
                { "op": "spawn", "process": "thread", "count": 2, "share": true },
                { "op": "wait" },
            ] },
            { "name": "thread", "count": 0, "program": [
                { "op": "repeat", "times": 1_000_000, "do": [
                    { "op": "repeat", "times": 1_000_000, "do": [touch] } ] } ] },
        ]));
        run_to(&mut m, 50 * MS);
        assert_eq!((alive(&m, "thread"), m.w.processes.all.len()), (4, 2));
        assert_eq!(m.w.counters.pgfault, 2048);
    }
}
