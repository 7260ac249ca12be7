//! Going back and forth in a run leads to the same machine by any path.

use mm::experiment::Experiment;
use mm::machine::Machine;
use mm::session::{How, Progress, Session};

const BUDGET: usize = 64 << 20;

fn open(id: &str) -> Session {
    Session::open(&Experiment::preset(id).expect("a preset"), BUDGET)
}

fn fresh(id: &str, step: u64) -> u64 {
    let mut m = Machine::boot(&Experiment::preset(id).expect("a preset"));
    m.run(step, u64::MAX);
    m.hash()
}

fn finish(session: &mut Session, mut progress: Progress) -> Progress {
    while !progress.done {
        progress = session.more(10_000);
    }
    progress
}

#[test]
fn stepping_back_and_forward_ends_at_the_same_machine() {
    for id in ["first-touch.teach", "many-tasks.teach", "run-out.teach"] {
        let mut s = open(id);
        s.run(150_000, u64::MAX, u64::MAX);
        while !s.settle(20_000) {}
        let end = s.machine().w.run.steps();
        for target in [end - 1, 100_001, 100_000, 99_999, 50_000, 1, 0, 75_123, end] {
            let p = s.seek(target, 7_000);
            let p = finish(&mut s, p);
            assert_eq!(p.position.step, target);
            assert_eq!(s.machine().hash(), fresh(id, target), "{id} at {target}");
        }
    }
}

#[test]
fn a_step_back_undoes_a_step_forward_of_the_followed_task() {
    let mut s = open("first-touch.teach");
    s.run(60_000, u64::MAX, u64::MAX);
    let task = s.machine().w.task;
    let mut seen = Vec::new();
    for _ in 0..30 {
        let p = s.step_forward(How::Into, task, 10_000);
        finish(&mut s, p);
        seen.push((s.machine().w.run.steps(), s.machine().hash()));
    }
    for (step, hash) in seen.iter().rev().skip(1) {
        let p = s.step_back(Some(task), false, 5_000);
        let p = finish(&mut s, p);
        assert_eq!((p.position.step, s.machine().hash()), (*step, *hash));
    }
}

#[test]
fn step_over_and_step_out_never_stop_inside_a_called_function() {
    let mut s = open("first-touch.teach");
    s.run(30_000, u64::MAX, u64::MAX);
    let task = s.machine().w.task;
    let depth = |s: &Session| s.machine().tasks[task].stack.len();
    for _ in 0..200 {
        let before = depth(&s);
        let p = s.step_forward(How::Over, task, 100_000);
        finish(&mut s, p);
        assert!(depth(&s) <= before.max(1));
    }
    while depth(&s) < 4 {
        let p = s.step_forward(How::Into, task, 100_000);
        finish(&mut s, p);
    }
    let before = depth(&s);
    let at = s.machine().w.run.steps();
    let p = s.step_forward(How::Out, task, 100_000);
    finish(&mut s, p);
    assert!(depth(&s) < before);
    let p = s.step_back(Some(task), true, 1_000);
    finish(&mut s, p);
    assert!(
        s.machine().w.run.steps() < at,
        "one call back goes before the call"
    );
}

#[test]
fn a_large_machine_rewinds_to_the_same_state() {
    let mut s = open("first-touch.4g");
    s.run(9_000_000, u64::MAX, u64::MAX);
    while !s.settle(500_000) {}
    let here = s.machine().w.run.steps();
    for target in [
        here - 1,
        here - 2,
        here - 30_000,
        here - 900_000,
        here - 10,
        here,
    ] {
        let p = s.seek(target, 300_000);
        finish(&mut s, p);
        assert_eq!(
            s.machine().hash(),
            fresh("first-touch.4g", target),
            "at {target}"
        );
    }
}

#[test]
fn seeking_a_time_from_either_side_ends_at_the_same_step() {
    let mut s = open("first-touch.teach");
    let p = s.seek_time(900_000, 1000);
    let first = finish(&mut s, p).position;
    s.run(100_000, u64::MAX, u64::MAX);
    let p = s.seek_time(900_000, 1000);
    assert_eq!(finish(&mut s, p).position, first);
}

/// A long run stores a bounded number of checkpoints and can still go to any step.
#[test]
fn a_long_run_keeps_few_checkpoints_and_still_rewinds() {
    let text = r#"{"machine": "x86_64-3g-teach", "kernel": "6.1", "seed": 1, "length": "1000s",
        "workload": {"id": "loop", "processes": [{"name": "loop", "program": [
            {"op": "repeat", "times": 100000, "do": [
                {"op": "map", "region": "heap", "size": "70%"},
                {"op": "touch", "region": "heap", "order": "random"},
                {"op": "free", "region": "heap"}]}]}]}}"#;
    let open = || Experiment::from_json(text).expect("a valid experiment");
    let mut s = Session::open(&open(), BUDGET);
    s.run(9_000_000, u64::MAX, u64::MAX);
    assert!(s.checkpoint_bytes() <= 129 * s.machine().bytes());
    for target in [8_999_999, 1_234_567, 60_000] {
        let p = s.seek(target, 100_000);
        finish(&mut s, p);
        let mut fresh = Machine::boot(&open());
        fresh.run(target, u64::MAX);
        assert_eq!(s.machine().hash(), fresh.hash(), "at {target}");
    }
}
