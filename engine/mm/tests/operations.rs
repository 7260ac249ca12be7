//! The operations of workloads that use no file: worked examples.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::ZoneIndex;
use mm::machine::{Machine, Task, TaskKind, TaskStatus};
use mm::space::Mapping;
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

fn experiment(kernel: &str, processes: Value) -> Result<Experiment, Vec<String>> {
    let raw = json!({
        "machine": "x86_64-8g-teach", "kernel": kernel, "seed": 1, "length": "100s",
        "tunables": { "transparent_hugepage": "never" },
        "workload": { "id": "test", "processes": processes },
    });
    let read = Experiment::from_json(&raw.to_string());
    read.map_err(|found| found.into_iter().map(|r| r.path).collect())
}

fn machine(kernel: &str, processes: Value) -> Machine {
    Machine::boot(&experiment(kernel, processes).expect("a valid experiment"))
}

/// Runs to a time, or to the end, and recounts everything.
fn run_to(m: &mut Machine, ns: u64) {
    m.run(u64::MAX, ns);
    assert_eq!(check(m), vec![]);
}

/// The n-th task of the workload.
fn task(m: &Machine, n: usize) -> &Task {
    let is_user = |t: &&Task| matches!(t.kind, TaskKind::User { .. });
    m.tasks.iter().filter(is_user).nth(n).expect("a task")
}

/// (name, time) of every mark; the mark of an end has no name.
fn marks(m: &Machine) -> Vec<(&str, u64)> {
    let named = m.w.phases.marks.iter().map(|mark| {
        let program = &m.w.facts.programs[mark.program as usize];
        let name = program.marks.get(mark.name as usize);
        (name.map_or("", String::as_str), mark.at_ns)
    });
    named.collect()
}

/// Paths of the fields for which a program with this one step is refused.
fn refused(step: Value) -> Vec<String> {
    let process = json!([{ "name": "p", "program": [
        { "op": "map", "region": "heap", "size": 10 }, step ] }]);
    let at = "workload.processes[0].program[1].";
    let found = experiment("6.1", process).expect_err("refused");
    found.iter().map(|path| path.replace(at, "")).collect()
}

/// Two tasks compute for 100 ms, each on its own CPU.
#[test]
fn computing_takes_cpu_time_and_no_memory() {
    let mut m = machine(
        "6.1",
        json!([{ "name": "busy", "count": 2, "node": 0, "program": [
            { "op": "mark", "name": "busy" },
            { "op": "compute", "time": "100ms" },
            { "op": "mark", "name": "done" },
        ] }]),
    );
    run_to(&mut m, u64::MAX);
    let user: u64 = m.w.sched.cpus.iter().map(|c| c.usage.user).sum();
    assert_eq!(user, 200 * MS);
    assert_eq!(m.w.counters.pgfault, 0);
    for (name, at) in marks(&m).into_iter().filter(|(name, _)| *name == "done") {
        assert!((100 * MS..101 * MS).contains(&at), "{name} at {at}");
    }
    assert_eq!(
        refused(json!({ "op": "compute", "time": "soon" })),
        ["time"]
    );
}

/// Rounds of 3 ms for 10 ms: the fourth round begins at 9 ms and is finished. A limit on the number
/// of rounds ends the loop sooner.
#[test]
fn a_loop_with_a_duration_starts_rounds_until_the_duration_is_over() {
    for (repeat, rounds) in [
        (json!({ "op": "repeat", "for": "10ms" }), 4),
        (json!({ "op": "repeat", "for": "10ms", "times": 2 }), 2),
        (json!({ "op": "repeat", "for": "1ns" }), 1),
        (json!({ "op": "repeat", "for": "10ms", "times": 0 }), 0),
        (json!({ "op": "repeat", "times": 5 }), 5),
    ] {
        let mut repeat = repeat;
        repeat["do"] = json!([
            { "op": "mark", "name": "round" },
            { "op": "compute", "time": "3ms" },
        ]);
        let twice = json!({ "op": "repeat", "times": 2, "do": [repeat] });
        let mut m = machine("3.0", json!([{ "name": "p", "program": [twice] }]));
        run_to(&mut m, u64::MAX);
        let begun = marks(&m).iter().filter(|mark| mark.0 == "round").count();
        assert_eq!(begun, 2 * rounds, "{repeat}");
        // The task no longer has the deadline of the loop.
        assert_eq!(task(&m, 0).cx.until, [0; 4]);
    }
    let body = json!([{ "op": "think", "time": "1ms" }]);
    assert_eq!(refused(json!({ "op": "repeat", "do": body })), ["times"]);
    assert_eq!(
        refused(json!({ "op": "repeat", "for": "0s", "do": body })),
        ["for"]
    );
}

/// A task kills one of two hogs after 5 ms and the other at 20 ms, then ends itself by `exit`. Each
/// hog gives its pages back.
#[test]
fn a_task_ends_by_exit_or_by_a_kill_and_frees_its_pages() {
    let hog = json!([
        { "op": "map", "region": "heap", "size": 100 },
        { "op": "touch", "region": "heap" },
        { "op": "think", "time": "50s" },
    ]);
    for kernel in ["3.0", "6.1"] {
        let mut m = machine(
            kernel,
            json!([
                { "name": "hog", "count": 2, "program": hog },
                { "name": "killer", "program": [
                    { "op": "think", "time": "5ms" },
                    { "op": "kill", "task": "hog/2" },
                    { "op": "think", "time": "15ms" },
                    { "op": "kill", "task": "hog/2" },
                    { "op": "kill", "task": "hog" },
                    { "op": "exit" },
                    { "op": "think", "time": "50s" },
                ] },
            ]),
        );
        let alive = |m: &Machine| [0, 1, 2].map(|n| task(m, n).status != TaskStatus::Exited);
        let held = |m: &Machine| [0, 1].map(|n| m.w.processes.all[n].space.rss);
        run_to(&mut m, 4 * MS);
        assert_eq!((alive(&m), held(&m)), ([true; 3], [100, 100]));
        run_to(&mut m, 15 * MS);
        assert_eq!((alive(&m), held(&m)), ([true, false, true], [100, 0]));
        run_to(&mut m, 40 * MS);
        assert_eq!((alive(&m), held(&m)), ([false; 3], [0, 0]));
        assert_eq!(m.w.counters.oom_kill, 0);
    }
    for odd in ["moon", "p/0", "p/x", "moon/1"] {
        assert_eq!(
            refused(json!({ "op": "kill", "task": odd })),
            ["task"],
            "{odd}"
        );
    }
    // A process that kills all processes of its own name is also killed.
    let own = json!([{ "name": "p", "program": [
        { "op": "kill", "task": "p" }, { "op": "compute", "time": "1s" } ] }]);
    let mut m = machine("6.1", own);
    run_to(&mut m, 10 * MS);
    assert_eq!(task(&m, 0).status, TaskStatus::Exited);
}

/// The watermarks follow min_free_kbytes from the point at which it is written. A later intervention changes
/// only the tunables it sets.
#[test]
fn a_workload_sets_tunables_at_the_requested_operations() {
    for kernel in ["3.0", "6.1"] {
        let raw = json!({
            "machine": "x86_64-8g-teach", "kernel": kernel, "seed": 1, "length": "100s",
            "workload": { "id": "test", "processes": [{ "name": "p", "program": [
                { "op": "think", "time": "5ms" },
                { "op": "set", "name": "vm.min_free_kbytes", "value": "800" },
                { "op": "set", "name": "vm.swappiness", "value": "10" },
                { "op": "think", "time": "5ms" },
                { "op": "set", "name": "vm.min_free_kbytes", "value": "400" },
                { "op": "think", "time": "50s" },
            ] }] },
            "interventions": [{ "at": "7ms", "set": { "vm.dirty_ratio": "30" } }],
        });
        let e = Experiment::from_json(&raw.to_string()).expect("valid");
        let mut m = Machine::boot(&e);
        let min = |m: &Machine| {
            m.w.mem
                .zones
                .iter()
                .map(|z| z.wmark[0])
                .sum::<mm::amount::Pages>()
                .get()
        };
        let boot = min(&m);
        run_to(&mut m, 4 * MS);
        assert_eq!((min(&m), m.w.tunables.swappiness), (boot, 60));
        run_to(&mut m, 6 * MS);
        // 800 KiB are 200 pages, divided among the zones by size and rounded down.
        let most = min(&m);
        assert!((195..=200).contains(&most), "{most}");
        run_to(&mut m, 8 * MS);
        let t = &m.w.tunables;
        assert_eq!((min(&m), t.swappiness, t.dirty_ratio), (most, 10, 30));
        run_to(&mut m, 20 * MS);
        assert!((95..=100).contains(&min(&m)), "{}", min(&m));
    }
    let set =
        |name: &str, value: &str| refused(json!({ "op": "set", "name": name, "value": value }));
    assert_eq!(set("vm.moon", "1"), ["name"]);
    assert_eq!(set("vm.swappiness", "many"), ["value"]);
    assert_eq!(set("vm.numa_zonelist_order", "node"), ["value"]);
}

/// 25 of 100 pages are freed: the 4th, the 8th and so on. When all pages are touched again, only
/// these fault. In the end all pages are freed and the region remains. A locked region keeps all
/// its pages.
#[test]
fn dontneed_frees_one_page_in_every_n() {
    for kernel in ["3.0", "6.1"] {
        let mut m = machine(
            kernel,
            json!([{ "name": "p", "program": [
                { "op": "map", "region": "heap", "size": 102 },
                { "op": "touch", "region": "heap" },
                { "op": "think", "time": "10ms" },
                { "op": "dontneed", "region": "heap", "every": 4 },
                { "op": "think", "time": "10ms" },
                { "op": "touch", "region": "heap", "order": "sequential" },
                { "op": "think", "time": "10ms" },
                { "op": "dontneed", "region": "heap" },
                { "op": "think", "time": "10ms" },
                { "op": "lock", "region": "heap" },
                { "op": "dontneed", "region": "heap" },
                { "op": "think", "time": "10ms" },
            ] }]),
        );
        let mut held = Vec::new();
        for at in [5, 15, 25, 35, 45] {
            run_to(&mut m, at * MS);
            let pages =
                (0..102).filter(|&p| matches!(m.w.processes.lookup(0, 0, p), Mapping::Page(_)));
            held.push((
                pages.count(),
                m.w.processes.all[0].space.rss,
                m.w.counters.pgfault,
            ));
            if at == 15 {
                assert_eq!(m.w.processes.lookup(0, 0, 3), Mapping::Empty);
                assert!(matches!(m.w.processes.lookup(0, 0, 4), Mapping::Page(_)));
            }
        }
        let whole = |faults| (102, 102, faults);
        let seen = [
            whole(102),
            (77, 77, 102),
            whole(127),
            (0, 0, 127),
            whole(229),
        ];
        assert_eq!(held, seen, "{kernel}");
    }
    let odd = |step: Value| refused(step);
    assert_eq!(
        odd(json!({ "op": "dontneed", "region": "moon" })),
        ["region"]
    );
    assert_eq!(
        odd(json!({ "op": "dontneed", "region": "heap", "every": 0 })),
        ["every"]
    );
}

/// Half of the pages in swap are freed with their slots. A huge page is freed as a whole or not at all.
#[test]
fn dontneed_also_frees_swap_slots_and_whole_huge_pages() {
    let hog = json!([{ "name": "p", "program": [
        { "op": "map", "region": "heap", "size": "120%" },
        { "op": "touch", "region": "heap" },
        { "op": "mark", "name": "full" },
        { "op": "dontneed", "region": "heap", "every": 2 },
        { "op": "mark", "name": "half" },
        { "op": "dontneed", "region": "heap" },
        { "op": "mark", "name": "empty" },
        { "op": "think", "time": "50s" },
    ] }]);
    let mut m = machine("6.1", hog);
    let mut seen = Vec::new();
    while m.w.phases.marks.len() < 3 {
        let before = m.w.phases.marks.len();
        m.run(m.w.run.steps() + 1, u64::MAX);
        if m.w.phases.marks.len() > before {
            let s = &m.w.processes.all[0].space;
            seen.push((s.rss + s.swapped, m.w.swap.total() - m.w.swap.free_slots()));
            assert_eq!(check(&m), vec![]);
        }
    }
    let all = m.w.processes.region(0, 0).pages;
    assert_eq!([seen[0].0, seen[1].0, seen[2].0], [all, all.div_ceil(2), 0]);
    // A page under writeback keeps its slot until the write has ended.
    assert!(seen[0].1 > seen[1].1 && seen[2].1 < 64, "{seen:?}");

    let raw = json!({
        "machine": "x86_64-8g-teach", "kernel": "6.1", "seed": 1, "length": "100s",
        "tunables": { "transparent_hugepage": "always" },
        "workload": { "id": "test", "processes": [{ "name": "p", "program": [
            { "op": "map", "region": "heap", "size": 600, "huge": true },
            { "op": "touch", "region": "heap" },
            { "op": "dontneed", "region": "heap", "every": 3 },
            { "op": "think", "time": "1s" },
            { "op": "dontneed", "region": "heap" },
            { "op": "think", "time": "1s" },
        ] }] },
    });
    let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
    run_to(&mut m, 500 * MS);
    // 512 pages are in one huge page and 88 more are small, of which every third is freed.
    let gone = (512..600).filter(|p| p % 3 == 2).count() as u32;
    assert_eq!(
        (m.w.counters.thp_fault_alloc, m.w.processes.all[0].space.rss),
        (1, 600 - gone)
    );
    run_to(&mut m, 1500 * MS);
    assert_eq!(m.w.processes.all[0].space.rss, 0);
}

/// A machine of 2,560 pages cannot provide five blocks of order 9, nor more than its memory has.
/// Without `go_on` the first failure ends the operation.
#[test]
fn requests_for_blocks_with_go_on_continue_after_a_failure() {
    let asked = |go_on: bool| {
        let mut alloc =
            json!({ "op": "alloc", "pool": "huge", "order": 9, "count": 4, "type": "atomic" });
        if go_on {
            alloc["go_on"] = json!(true);
            alloc["count"] = json!(100);
        }
        let mut m = machine(
            "6.1",
            json!([{ "name": "p", "program": [
                { "op": "mark", "name": "asking" }, alloc,
                { "op": "mark", "name": "small" },
                { "op": "alloc", "pool": "small", "order": 0, "count": 3, "go_on": go_on },
                { "op": "mark", "name": "rest" },
                { "op": "think", "time": "1s" },
            ] }]),
        );
        run_to(&mut m, 500 * MS);
        let pool = m.w.processes.all[0].pools[0].len() as u64;
        let made: Vec<_> =
            m.w.phases
                .marks
                .iter()
                .map(|k| (k.made.blocks, k.made.failed))
                .collect();
        (pool, made)
    };
    let (pool, made) = asked(true);
    assert!((1..5).contains(&pool), "{pool}");
    let failed = 100 - pool;
    assert_eq!(made, [(0, 0), (pool, failed), (pool + 3, failed)]);
    let (alone, made) = asked(false);
    assert_eq!((alone, made), (pool, vec![(0, 0); 3]));
}

/// Rounds of 3 ms begin every 10 ms, rounds of 12 ms without a pause. A task polls on its CPU for
/// the rest of each round, except for the last.
#[test]
fn rounds_with_a_period_begin_on_time() {
    for (work, every, last) in [("3ms", 10, 43), ("12ms", 12, 60)] {
        let round = json!([{ "op": "mark", "name": "round" }, { "op": "compute", "time": work }]);
        let repeat = json!({ "op": "repeat", "times": 5, "every": "10ms", "do": round });
        let mark = json!({ "op": "mark", "name": "over" });
        let mut m = machine("3.0", json!([{ "name": "p", "program": [repeat, mark] }]));
        run_to(&mut m, u64::MAX);
        let expected = (0..5).map(|n| n * every).chain([last]);
        let found = marks(&m);
        for ((name, at), ms) in found.iter().filter(|mark| !mark.0.is_empty()).zip(expected) {
            assert!(
                (ms * MS..ms * MS + MS).contains(at),
                "{name} at {at}, not {ms} ms"
            );
        }
        assert_eq!(task(&m, 0).cx.earliest, [0; 4]);
        let busy = m.w.sched.ran(task(&m, 0).cx.task);
        assert!(busy >= last * MS, "{busy} ns of {last} ms");
    }
    let round = json!([{ "op": "think", "time": "1ms" }]);
    let wrong = json!({ "op": "repeat", "times": 2, "every": "often", "do": round });
    assert_eq!(refused(wrong), ["every"]);
}

/// Every other page of most of memory is free: no free block is large until memory is compacted.
#[test]
fn compact_memory_compacts_at_its_point_of_the_program() {
    let program = |last: Value| {
        json!([{ "name": "p", "program": [
            { "op": "map", "region": "heap", "size": "60%" },
            { "op": "touch", "region": "heap" },
            { "op": "dontneed", "region": "heap", "every": 2 },
            last,
            { "op": "think", "time": "1s" },
        ] }])
    };
    // Number of free pages in blocks of at least a pageblock.
    let large = |m: &Machine| -> u32 {
        let z = &m.w.mem.zones[ZoneIndex::new(0)];
        let orders = (0u8..).zip(z.nr_free).skip(6);
        orders.map(|(order, blocks)| blocks << order).sum()
    };
    let run = |last: Value| {
        // 64 pageblocks of 64 pages.
        let raw = json!({
            "machine": "sh4-16m-teach", "kernel": "2.6.37", "seed": 1, "length": "100s",
            "workload": { "id": "test", "processes": program(last) },
        });
        let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
        run_to(&mut m, 900 * MS);
        (large(&m), m.w.counters.compact_pages_moved)
    };
    let (before, none) = run(json!({ "op": "think", "time": "1ms" }));
    let (after, moved) = run(json!({ "op": "compact_memory" }));
    assert_eq!(none, 0);
    assert!(
        moved > 100 && after > before + 500,
        "{moved}, {before}, {after}"
    );
    // A kernel whose compaction is not modelled refuses the operation.
    let found = experiment("6.1", program(json!({ "op": "compact_memory" })));
    assert_eq!(
        found.expect_err("refused"),
        ["workload.processes[0].program[3].op"]
    );
}
