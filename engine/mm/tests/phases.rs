//! Tasks that wait for others, named phases, copies in small pieces, files that do not exist yet.

use mm::check::check;
use mm::experiment::Experiment;
use mm::frames::NONE;
use mm::index::TaskIndex;
use mm::machine::Machine;
use mm::workload::Op;
use serde_json::{Value, json};

fn experiment(kernel: &str, files: Value, processes: Value) -> Result<Experiment, Vec<String>> {
    let raw = json!({
        "machine": "x86_64-2node-teach", "kernel": kernel, "seed": 1, "length": "100s",
        "tunables": { "transparent_hugepage": "never" },
        "workload": { "id": "test", "files": files, "processes": processes },
    });
    let read = Experiment::from_json(&raw.to_string());
    read.map_err(|found| found.into_iter().map(|r| r.path).collect())
}

fn machine(kernel: &str, files: Value, processes: Value) -> Machine {
    Machine::boot(&experiment(kernel, files, processes).expect("a valid experiment"))
}

fn finish(m: &mut Machine) {
    m.run(u64::MAX, u64::MAX);
    assert!(m.w.sched.ended);
    assert_eq!(check(m), vec![]);
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

#[test]
fn wait_returns_when_all_started_tasks_have_ended() {
    let rounds = json!([
        { "name": "make", "program": [
            { "op": "repeat", "times": 3, "do": [
                { "op": "mark", "name": "round" },
                { "op": "spawn", "process": "quick" },
                { "op": "spawn", "process": "slow", "count": 2 },
                { "op": "wait" },
            ] },
            { "op": "stop" },
        ] },
        { "name": "quick", "count": 0, "program": [{ "op": "think", "time": "1ms" }] },
        { "name": "slow", "count": 0, "program": [{ "op": "think", "time": "20ms" }] },
        { "name": "other", "program": [{ "op": "think", "time": "50s" }] },
    ]);
    for kernel in ["3.0", "6.1"] {
        let mut m = machine(kernel, json!([]), rounds.clone());
        // Checks during the run that every waiting task has a task that will wake it.
        while !m.w.sched.ended {
            m.run(m.w.run.steps() + 7, u64::MAX);
            assert_eq!(check(&m), vec![]);
        }
        let found = marks(&m);
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["round", "round", "round", ""]);
        for pair in found.windows(2) {
            let took = pair[1].1 - pair[0].1;
            assert!((20_000_000..24_000_000).contains(&took), "{took}");
        }
        // The run ended at that time, although another task still sleeps.
        assert_eq!(m.w.now, found[3].1);
    }
}

#[test]
fn a_wait_that_polls_returns_at_its_next_poll() {
    let polled = json!([
        { "name": "make", "program": [
            { "op": "mark", "name": "round" },
            { "op": "spawn", "process": "job" },
            { "op": "wait", "every": "1s" },
        ] },
        { "name": "job", "count": 0, "program": [{ "op": "think", "time": "1200ms" }] },
    ]);
    let mut m = machine("3.0", json!([]), polled);
    finish(&mut m);
    let found = marks(&m);
    let took = found[1].1 - found[0].1;
    assert!((2_000_000_000..2_010_000_000).contains(&took), "{took}");
    assert_eq!(found[1].0, "");
}

/// A copy reads and writes every piece. Each page of the source is read from the device once, and each
/// page of the copy written once. A page written in pieces does not count as used again.
#[test]
fn dd_copies_in_pieces_of_512_bytes() {
    let files = json!([
        { "name": "from", "size": "256 KiB" },
        { "name": "to", "size": "256 KiB", "absent": true },
    ]);
    let dd = json!([{ "name": "dd", "program": [
        { "op": "copy", "from": "from", "to": "to" },
        { "op": "fsync", "file": "to" },
    ] }]);
    // Of 64 pages written in pieces, 3.0 activates every fourteenth: the one that fills the vector
    // of its CPU. 3.11 to 4.6 activate each page, later kernels none.
    for (kernel, active) in [("3.0", 4), ("3.16", 64), ("6.1", 0)] {
        let mut m = machine(kernel, files.clone(), dd.clone());
        let mut calls = 0;
        let mut was = 0;
        while !m.w.sched.ended {
            m.run(m.w.run.steps() + 1, u64::MAX);
            let made = m.w.phases.made;
            if made.read + made.written != was {
                assert_eq!(made.read + made.written, was + 1);
                assert!(made.read - made.written <= 1);
                was += 1;
                calls += 1;
            }
        }
        assert_eq!(check(&m), vec![]);
        assert_eq!(calls, 2 * 512);
        let c = &m.w.counters;
        assert_eq!(
            (c.pgpgin, c.pgpgout, c.pgactivate),
            (256, 256, active),
            "{kernel}"
        );
    }
}

/// Pages never written are not on the device: a sparse file is mapped and written without a read.
#[test]
fn a_hole_is_filled_without_reading_the_device() {
    let files = json!([{ "name": "sparse", "size": "1 MiB", "count": 2, "absent": true }]);
    let writers = json!([{ "name": "writer", "count": 2, "own": ["sparse"], "program": [
        { "op": "map", "region": "view", "file": "sparse" },
        { "op": "touch", "region": "view", "write": true },
        { "op": "fsync", "file": "sparse" },
        { "op": "free", "region": "view" },
        { "op": "drop_caches" },
        { "op": "read", "file": "sparse" },
    ] }]);
    for kernel in ["3.0", "6.1"] {
        let mut m = machine(kernel, files.clone(), writers.clone());
        finish(&mut m);
        let c = &m.w.counters;
        assert_eq!(c.nr_dirtied, 512, "{kernel}");
        assert_eq!(c.pgpgout, 2048, "{kernel}");
        // Written pages are read: those that the first task to finish dropped, and the task's own
        // pages.
        assert!((1..=2048).contains(&c.pgpgin), "{kernel}: {}", c.pgpgin);
    }
    // A file that is read before it was written does not exist.
    let reader = json!([{ "name": "reader", "program": [{ "op": "read", "file": "sparse" }] }]);
    let mut m = machine("3.0", files, reader);
    finish(&mut m);
    assert_eq!((m.w.counters.pgpgin, m.w.phases.made.read), (0, 0));
}

#[test]
fn each_instance_writes_a_separate_file() {
    let files = json!([{ "name": "row", "size": "16 KiB", "count": 3, "absent": true }]);
    let writers = json!([{ "name": "writer", "count": 3, "own": ["row"], "program": [
        { "op": "write", "file": "row" },
    ] }]);
    let mut m = machine("3.0", files, writers);
    finish(&mut m);
    let pages: Vec<u32> = m.w.files.all.iter().map(|f| f.nr_pages).collect();
    assert_eq!(pages, [4, 4, 4]);
    assert_eq!(m.w.phases.made.written, 3 * 32);
}

/// A task may own several files: each job of fio has a number of files.
#[test]
fn each_instance_may_own_several_files() {
    let row = |each: u32| json!([{ "name": "row", "size": "16 KiB", "count": 6, "each": each, "absent": true }]);
    let writers = json!([{ "name": "writer", "count": 2, "own": ["row"], "program": [
        { "op": "write", "file": "row" },
    ] }]);
    for (each, written) in [
        (1, [4, 4, 0, 0, 0, 0]),
        (2, [4, 4, 4, 4, 0, 0]),
        (3, [4, 4, 4, 4, 4, 4]),
    ] {
        let mut m = machine("3.0", row(each), writers.clone());
        finish(&mut m);
        let pages: Vec<u32> = m.w.files.all.iter().map(|f| f.nr_pages).collect();
        assert_eq!(pages, written, "{each} each");
    }
    for each in [0, 4] {
        let refused = experiment("3.0", row(each), writers.clone()).expect_err("refused");
        assert_eq!(refused, ["workload.files[0].each"]);
    }
}

#[test]
fn a_wait_lasts_as_long_as_the_phase_it_names() {
    let programs = json!([{ "name": "p", "program": [
        { "op": "mark", "name": "measured" },
        { "op": "compute", "time": "7ms" },
        { "op": "mark", "name": "waits" },
        { "op": "think", "time": "2ms", "like": "measured" },
        { "op": "mark", "name": "after" },
    ] }]);
    let mut m = machine("3.0", json!([]), programs);
    finish(&mut m);
    let at: Vec<u64> = m.w.phases.marks.iter().map(|mark| mark.at_ns).collect();
    let (measured, waited) = (at[1] - at[0], at[2] - at[1]);
    assert!(measured >= 7_000_000);
    let late = waited - measured - 2_000_000;
    assert!(late < 100_000, "{late}");
}

#[test]
fn a_file_is_created_in_calls_of_the_given_size() {
    let calls = |chunk: Value| {
        let mut create = json!({ "op": "create", "count": 5, "size": "64 KiB" });
        if !chunk.is_null() {
            create["chunk"] = chunk;
        }
        let writers = json!([{ "name": "writer", "program": [create] }]);
        let mut m = machine("3.0", json!([]), writers);
        finish(&mut m);
        let made = m.w.phases.made;
        assert_eq!((made.files, made.written), (5, 640));
        assert_eq!(m.w.counters.nr_dirtied, 80);
        m.w.sched.ran(TaskIndex::new(task_of(&m)))
    };
    // Each further call costs the time of a system call.
    let (one, four) = (calls(Value::Null), calls(json!("16 KiB")));
    assert!(four > one, "{four} {one}");
}

/// The first task of the workload.
fn task_of(m: &Machine) -> u32 {
    let user = |t: &mm::machine::Task| matches!(t.kind, mm::machine::TaskKind::User { .. });
    m.tasks.iter().position(user).map_or(NONE, |i| i as u32)
}

#[test]
fn invalid_waits_copies_and_files_are_refused_with_their_path() {
    let refused = |process: Value| {
        let files = json!([{ "name": "a", "size": 10 }, { "name": "b", "size": 10, "count": 2 }]);
        experiment("3.0", files, json!([process])).expect_err("refused")
    };
    let of = |op: Value| refused(json!({ "name": "p", "program": [op] }));
    let at = "workload.processes[0].program[0]";
    for (op, field) in [
        (json!({ "op": "copy", "from": "x", "to": "b" }), "from"),
        (json!({ "op": "copy", "from": "a", "to": "x" }), "to"),
        (json!({ "op": "copy", "from": "a", "to": "a" }), "to"),
        (
            json!({ "op": "copy", "from": "a", "to": "b", "chunk": "100 B" }),
            "chunk",
        ),
        (json!({ "op": "wait", "every": "often" }), "every"),
        (
            json!({ "op": "think", "time": "1s", "like": "later" }),
            "like",
        ),
        (json!({ "op": "mark", "name": "" }), "name"),
        (
            json!({ "op": "create", "size": 1, "chunk": "0 B" }),
            "chunk",
        ),
    ] {
        assert_eq!(of(op.clone()), [format!("{at}.{field}")], "{op}");
    }
    let own = json!({ "name": "p", "own": ["a", "x"], "program": [{ "op": "wait" }] });
    assert_eq!(refused(own), ["workload.processes[0].own[1]"]);
}

#[test]
fn positions_and_sizes_are_in_sectors() {
    let files = json!([{ "name": "a", "size": "8 KiB" }]);
    let process = json!([{ "name": "p", "program": [
        { "op": "read", "file": "a", "size": "1536 B", "chunk": "512 B" },
        { "op": "read", "file": "a" },
    ] }]);
    let e = experiment("3.0", files, process).expect("valid");
    let sizes: Vec<(u32, u32)> = e.programs[0]
        .ops
        .iter()
        .filter_map(|op| match op {
            Op::Transfer { sectors, chunk, .. } => Some((*sectors, *chunk)),
            _ => None,
        })
        .collect();
    assert_eq!(sizes, [(3, 1), (16, 128)]);
}
