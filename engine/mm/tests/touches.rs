//! One point makes many touches of resident pages. The result equals that of single touches, which
//! a machine makes when it stops after each step.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::CpuIndex;
use mm::machine::Machine;
use mm::record::RecordKind;
use mm::rng::Rng;
use serde_json::{Value, json};

/// An experiment on a teaching machine of one node.
fn experiment(kernel: &str, files: Value, processes: Value) -> Experiment {
    let raw = json!({
        "machine": "x86_64-8g-teach", "kernel": kernel, "seed": 3, "length": "14400s",
        "workload": { "id": "touches", "files": files, "processes": processes },
    });
    Experiment::from_json(&raw.to_string()).unwrap_or_else(|found| panic!("{found:?}"))
}

/// Programs of touches: regions of all sizes, some with huge pages, some of a file, written or read, in
/// order or at random. Some together exceed memory.
fn toucher(rng: &mut Rng, name: &str) -> Value {
    let mut program = Vec::new();
    for region in ["a", "b", "c"] {
        let most = [3, 70, 700, 2600][rng.below(4) as usize];
        let pages = 1 + rng.below(most);
        let of_file = rng.below(3) == 0;
        let map = match of_file {
            true => json!({ "op": "map", "region": region, "file": "data" }),
            false => {
                json!({ "op": "map", "region": region, "size": pages, "huge": rng.below(3) == 0 })
            }
        };
        program.push(map);
        let mut rounds = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let order = ["sequential", "sequential", "random"][rng.below(3) as usize];
            rounds.push(json!({ "op": "touch", "region": region,
                "order": order,
                "write": rng.below(2) == 0, "pages": 1 + rng.below(4 * pages) }));
        }
        if rng.below(3) == 0 {
            rounds.push(json!({ "op": "think", "time": "30us" }));
        }
        program.push(json!({ "op": "repeat", "times": 1 + rng.below(4), "do": rounds }));
    }
    json!({ "name": name, "count": 1 + rng.below(2), "program": program })
}

#[test]
fn runs_of_touches_end_in_the_same_state_as_single_touches() {
    let mut most = 0;
    for seed in 0..24 {
        let rng = &mut Rng::stream(seed, 9);
        let kernel = ["3.0", "3.16", "6.1"][rng.below(3) as usize];
        let processes = json!([toucher(rng, "one"), toucher(rng, "two")]);
        let files = json!([{ "name": "data", "size": 400 }]);
        let e = experiment(kernel, files, processes);
        let (mut run, mut single) = (Machine::boot(&e), Machine::boot(&e));
        run.run(150_000, u64::MAX);
        let steps = run.w.run.steps();
        most = most.max(steps);
        while single.w.run.steps() < steps {
            single.run(single.w.run.steps() + 1, u64::MAX);
        }
        assert!(single == run, "seed {seed}");
        assert_eq!(single.hash(), run.hash(), "seed {seed}");
        assert_eq!(check(&run), vec![], "seed {seed}");
    }
    assert!(most > 20_000, "the longest run had {most} steps");
}

/// Ten passes over 100 pages at 90 ns: 1,000 steps, 900 of them of resident pages. A run can stop
/// after each step, and a recording has each step.
#[test]
fn every_single_touch_is_a_step() {
    let program = json!([{ "name": "one", "program": [
        { "op": "map", "region": "a", "size": 100 },
        { "op": "touch", "region": "a" },
        { "op": "touch", "region": "a", "pages": 900 },
        { "op": "think", "time": "3600s" },
    ] }]);
    let e = experiment("6.1", json!([]), program);
    let mut m = Machine::boot(&e);
    let faulted = |m: &Machine| m.w.counters.pgfault == 100;
    while !faulted(&m) {
        m.run(m.w.run.steps() + 1, u64::MAX);
    }
    let mut recorded = m.clone();
    recorded.w.rec.on = true;
    let (from, user) = (m.w.run.steps(), m.w.sched.cpus[CpuIndex::new(0)].usage.user);
    let mut last = 0;
    for stop in [1, 7, 8, 300, 2000] {
        m.run(from + stop, u64::MAX);
        let touches = (m.w.sched.cpus[CpuIndex::new(0)].usage.user - user) / 90;
        assert!(touches >= last && m.w.run.steps() <= from + stop);
        last = touches;
    }
    assert_eq!(last, 900);
    recorded.run(m.w.run.steps(), u64::MAX);
    assert_eq!(recorded.hash(), m.hash());
    let touches = recorded.w.rec.records.iter();
    let touches = touches.filter(|r| r.kind == RecordKind::UserTouch).count();
    assert_eq!(touches, 900);
}

/// So many single points would take more than a minute.
#[test]
fn a_run_of_a_billion_touches_takes_less_than_a_minute() {
    let program = json!([{ "name": "one", "program": [
        { "op": "map", "region": "a", "size": 700 },
        { "op": "touch", "region": "a" },
        { "op": "touch", "region": "a", "pages": 1_000_000_000 },
    ] }]);
    let mut m = Machine::boot(&experiment("6.1", json!([]), program));
    m.run(u64::MAX, u64::MAX);
    assert!(m.w.sched.ended && m.w.run.steps() > 1_000_000_000);
    let user: u64 = m.w.sched.cpus.iter().map(|c| c.usage.user).sum();
    assert_eq!(user, 90 * 1_000_000_000);
    assert_eq!(check(&m), vec![]);
}
