//! Latencies that a program measures for its own rounds, phases without end, delays of reclaimers
//! in ticks.

use mm::experiment::{Experiment, preset};
use mm::machine::Machine;
use mm::phases::delays::Waited;
use mm::record::RecordKind;
use mm::session::Session;
use serde_json::{Value, json};

fn experiment(processes: Value) -> Result<Experiment, Vec<String>> {
    let raw = json!({
        "machine": "x86_64-2node-teach", "kernel": "6.1", "seed": 1, "length": "100s",
        "tunables": { "transparent_hugepage": "never" },
        "workload": { "id": "test", "processes": processes },
    });
    let read = Experiment::from_json(&raw.to_string());
    read.map_err(|found| found.into_iter().map(|r| r.path).collect())
}

fn worker(sample: Value) -> Value {
    json!([{ "name": "anon", "program": [
        { "op": "mark", "name": "cycles" },
        sample,
        { "op": "mark", "name": "after" },
    ] }])
}

/// mmap-latency: sleep, map, write a word to each page, unmap.
fn cycles(times: u32, together: Option<&str>) -> Value {
    let mut sample = json!({ "op": "sample", "name": "mmap", "times": times, "less": "5ms", "do": [
        { "op": "think", "time": "5ms" },
        { "op": "map", "region": "small", "size": 200 },
        { "op": "touch", "region": "small", "write": true },
        { "op": "free", "region": "small" },
    ] });
    if let Some(together) = together {
        sample["together"] = together.into();
    }
    worker(sample)
}

fn finished(experiment: &Experiment) -> Machine {
    let mut m = Machine::boot(experiment);
    m.run(u64::MAX, u64::MAX);
    assert!(m.w.sched.ended);
    assert!(m.w.phases.samples.running.is_empty());
    m
}

/// No time between two rounds is missed: latencies and sleeps add up to the whole time.
#[test]
fn rounds_and_sleeps_add_up_to_the_whole_time() {
    let experiment = experiment(cycles(20, None)).expect("valid");
    let m = finished(&experiment);
    let lines: Vec<_> = m.w.phases.samples.lines.iter().collect();
    assert_eq!(lines.len(), 20);
    assert!(lines.iter().all(|line| line.count == 1 && line.ns > 0));
    let measured: u64 = lines.iter().map(|line| line.ns + 5_000_000).sum();
    let marks: Vec<u64> = m.w.phases.marks.iter().map(|mark| mark.at_ns).collect();
    let (whole, slack) = (marks[1] - marks[0], 10_000);
    assert!(
        (measured..measured + slack).contains(&whole),
        "{measured} of {whole}"
    );
    // Touching 200 pages takes longer than mapping and unmapping them.
    assert!(lines.iter().all(|line| line.ns > 200 * 100));
}

#[test]
fn short_rounds_are_recorded_a_thousand_at_a_time() {
    let m = finished(&experiment(cycles(2500, Some("5ms"))).expect("valid"));
    let counts = m.w.phases.samples.lines.iter().map(|line| line.count);
    assert_eq!(counts.collect::<Vec<u32>>(), [1000, 1000]);
}

/// A round that begins in time is finished and recorded, however late it ends.
#[test]
fn rounds_start_until_the_given_time_is_over() {
    let mut processes = cycles(1, None);
    let sample = &mut processes[0]["program"][1];
    sample
        .as_object_mut()
        .expect("an operation")
        .remove("times");
    sample["for"] = "52ms".into();
    let m = finished(&experiment(processes.clone()).expect("valid"));
    let lines: Vec<_> = m.w.phases.samples.lines.iter().collect();
    let took: u64 = lines.iter().map(|line| line.ns + 5_000_000).sum();
    let last = lines.last().expect("a round").ns + 5_000_000;
    assert!(took >= 52_000_000 && took - last < 52_000_000, "{took}");
    processes[0]["program"][1]["for"] = "0s".into();
    let refused = experiment(processes.clone()).expect_err("refused");
    assert_eq!(refused, ["workload.processes[0].program[1].for"]);
    processes[0]["program"][1]
        .as_object_mut()
        .expect("an operation")
        .remove("for");
    let refused = experiment(processes).expect_err("refused");
    assert_eq!(refused, ["workload.processes[0].program[1].times"]);
}

#[test]
fn a_measurement_ends_when_its_task_ends() {
    let leaves = json!({ "op": "sample", "name": "a", "times": 9, "do": [
        { "op": "think", "time": "1ms" },
        { "op": "exit" },
    ] });
    let m = finished(&experiment(worker(leaves)).expect("valid"));
    assert!(m.w.phases.samples.lines.is_empty());
}

#[test]
fn stepping_back_removes_the_recorded_rounds() {
    let experiment = experiment(cycles(40, None)).expect("valid");
    let end = finished(&experiment);
    let last = end.w.run.steps();
    let mut session = Session::open(&experiment, 16 << 20);
    session.run(last, u64::MAX, u64::MAX);
    let lines = |session: &Session| session.machine().w.phases.samples.lines.len();
    assert_eq!(session.machine().hash(), end.hash());
    assert_eq!(lines(&session), 40);
    for (step, back) in [(last / 2, true), (last, false), (last / 3, true)] {
        let mut progress = session.seek(step, 3_000);
        while !progress.done {
            progress = session.more(5_000);
        }
        let mut fresh = Machine::boot(&experiment);
        fresh.run(step, u64::MAX);
        assert_eq!(session.machine().hash(), fresh.hash());
        assert!(*session.machine() == fresh);
        assert_eq!(lines(&session) < 40, back);
    }
}

#[test]
fn a_long_run_keeps_every_phase_mark() {
    let marks = json!([{ "name": "loop", "program": [
        { "op": "repeat", "times": 10_000, "do": [{ "op": "mark", "name": "round" }] },
    ] }]);
    let m = finished(&experiment(marks).expect("valid"));
    assert_eq!(m.w.phases.marks.len(), 10_001);
    assert_eq!(m.w.phases.marks.lost(), 0);
}

#[test]
fn invalid_samples_are_refused_with_their_path() {
    let refused = |sample: Value| experiment(worker(sample)).expect_err("refused");
    let think = json!([{ "op": "think", "time": "1ms" }]);
    let at = "workload.processes[0].program[1]";
    for (op, field) in [
        (json!({ "name": "", "times": 1, "do": think }), ".name"),
        (
            json!({ "name": "a", "times": 1, "less": "soon", "do": think }),
            ".less",
        ),
        (
            json!({ "name": "a", "times": 1, "together": "5", "do": think }),
            ".together",
        ),
        (json!({ "name": "a", "times": 1, "do": [] }), ".do"),
        (
            json!({ "name": "a", "times": 2, "do": [{ "op": "map", "region": "r", "size": 1 }] }),
            ".do",
        ),
    ] {
        let mut op = op;
        op["op"] = "sample".into();
        assert_eq!(refused(op.clone()), [format!("{at}{field}")], "{op}");
    }
}

/// The histogram of a run has every throttle event and nothing else.
#[test]
fn recorded_delays_equal_the_throttle_events() {
    for (kernel, id) in [
        ("3.0", "first-touch.teach"),
        ("mm-reclaimcongest-v5r4", "streaming-mapped-writer.teach"),
    ] {
        let mut raw = preset(id).expect("an experiment");
        raw.kernel = kernel.to_string();
        let mut m = Machine::boot(&Experiment::new(raw).expect("valid"));
        m.w.rec.on = true;
        let mut events = Vec::new();
        let us = |value: i64, m: &Machine| (value as u32) / (1_000_000 / m.w.facts.hz);
        while m.w.run.steps() < 2_000_000 && !m.w.sched.ended {
            m.run(m.w.run.steps() + 1000, u64::MAX);
            for record in std::mem::take(&mut m.w.rec.records) {
                let v = &record.values;
                events.extend(match record.kind {
                    RecordKind::MmVmscanThrottled => {
                        Some((Waited::Throttled(v[3] as u8), us(v[1], &m), us(v[2], &m)))
                    }
                    RecordKind::WritebackCongestionWait => {
                        Some((Waited::Congestion, us(v[0], &m), us(v[1], &m)))
                    }
                    RecordKind::WritebackWaitIffCongested => {
                        Some((Waited::IffCongested, us(v[0], &m), us(v[1], &m)))
                    }
                    _ => None,
                });
            }
        }
        assert!(!events.is_empty(), "{id} on {kernel} has no waiting task");
        let mut counted = Vec::new();
        for d in &m.w.phases.delays.all {
            let times = usize::try_from(d.count).expect("few");
            counted.extend(std::iter::repeat_n((d.waited, d.timeout, d.delayed), times));
        }
        events.sort_unstable();
        counted.sort_unstable();
        assert_eq!(counted, events, "{id} on {kernel}");
    }
}
