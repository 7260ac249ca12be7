//! Compares the timeline's rows with the run itself, step by step. A row may be coarse but never
//! false. A task did at that time what its row shows, and the row shows every activity that lasted
//! longer than the distance of two rows. The same is true of the free pages of each zone. Seeds,
//! forks and paths through the run are random.

use mm::experiment::Experiment;
use mm::index::TaskIndex;
use mm::machine::{Machine, TaskKind};
use mm::record::Numbered;
use mm::rng::Rng;
use mm::session::{Doing, How, Progress, RECLAIMS_PACKED, Sample, Sampling, Session, TASKS_PACKED};
use mm::vmscan::kswapd::{MmVmscanKswapdSleep, MmVmscanKswapdWake};
use serde_json::{Value, json};

const BUDGET: usize = 64 << 20;
const MOST_STEPS: u64 = 60_000;

/// Values, each with the time from which it was true or was displayed, ns.
type Line = Vec<(u64, u64)>;

/// A row as `Sample::write` writes it.
struct TimelineRow {
    now: u64,
    since: u64,
    counters: Vec<u64>,
    /// The free pages of each zone, then the activity of each task.
    lines: Vec<u64>,
    /// For each task, whether it began to reclaim since the previous row.
    reclaimed: Vec<bool>,
}

fn rows_of(numbers: &[i64], zones: usize) -> Vec<TimelineRow> {
    let mut rows = Vec::new();
    let numbers: Vec<u64> = numbers.iter().map(|&n| n as u64).collect();
    let mut rest = numbers.as_slice();
    while let Some((&length, after)) = rest.split_first() {
        let (row, next) = after.split_at(length as usize);
        rest = next;
        let counters = row[0] as usize;
        let mut lines = row[4..4 + zones].to_vec();
        let tasks = &row[4 + zones + counters..];
        for task in 0..tasks[0] as usize {
            lines.push(tasks[1 + task / TASKS_PACKED] >> (4 * (task % TASKS_PACKED)) & 15);
        }
        let many = tasks[0] as usize;
        let bits = &tasks[1 + many.div_ceil(TASKS_PACKED)..];
        let bit = |task: usize| bits[task / RECLAIMS_PACKED] >> (task % RECLAIMS_PACKED) & 1 == 1;
        rows.push(TimelineRow {
            now: row[2],
            since: row[3],
            counters: row[4 + zones..4 + zones + counters].to_vec(),
            lines,
            reclaimed: (0..many).map(bit).collect(),
        });
    }
    rows
}

/// Adds the values of a row from a time on, where they differ from the last ones.
fn add(lines: &mut Vec<Line>, from: u64, row: &[u64]) {
    lines.resize(row.len(), Vec::new());
    for (line, &value) in lines.iter_mut().zip(row) {
        if line.last().is_none_or(|&(_, last)| last != value) {
            line.push((from, value));
        }
    }
}

/// The actual run, recorded from a machine that is stepped.
struct Truth {
    lines: Vec<Line>,
    /// For each kswapd task, when it slept according to the event log: 1 asleep, 0 awake.
    sleeps: Vec<(u32, Line)>,
    /// The duration of the longest step, or the largest lead of a CPU's clock over that of another
    /// CPU that ran, ns. Times are exact to within this.
    step_ns: u64,
    steps: u64,
    end: u64,
}

fn truth(experiment: &Experiment) -> Truth {
    let mut m = Machine::boot(experiment);
    let zones = m.w.mem.zones.len();
    let kswapd = |task: &mm::machine::Task| matches!(task.kind, TaskKind::Kswapd { .. });
    let ids = (0u32..).zip(&m.tasks).filter(|(_, task)| kswapd(task));
    let mut truth = Truth {
        lines: Vec::new(),
        sleeps: ids.map(|(id, _)| (id, Line::new())).collect(),
        step_ns: 0,
        steps: 0,
        end: 0,
    };
    m.w.rec.on = true;
    let mut at = 0u64;
    while m.w.run.steps() < MOST_STEPS && !m.w.sched.ended {
        let ahead = at.saturating_sub(m.w.now);
        at = m.w.now.max(at);
        m.run(m.w.run.steps() + 1, u64::MAX);
        while let Some(record) = m.w.rec.records.pop_front() {
            let asleep = match record.kind {
                MmVmscanKswapdSleep::KIND => 1,
                MmVmscanKswapdWake::KIND => 0,
                _ => continue,
            };
            let line = truth
                .sleeps
                .iter_mut()
                .find(|(id, _)| *id == record.task.get());
            line.expect("kswapd says it").1.push((at, asleep));
        }
        let done = if m.w.run.fresh {
            m.w.run.left_ns
        } else {
            m.w.now
        };
        let step_ns = done.saturating_sub(at).max(ahead);
        truth.step_ns = truth.step_ns.max(step_ns);
        let mut numbers = Vec::new();
        Sample::of(&m).write(None, &[], &mut numbers);
        add(&mut truth.lines, at, &rows_of(&numbers, zones)[0].lines);
    }
    (truth.steps, truth.end) = (m.w.run.steps(), m.w.now);
    truth
}

/// The periods of a line: value, from, to.
fn stretches(line: &Line, end: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    let ends = line.iter().skip(1).map(|&(from, _)| from).chain([end]);
    line.iter()
        .zip(ends)
        .map(|(&(from, value), to)| (value, from, to))
}

/// Compares a line of the timeline with the real activity.
fn hold(shown: &Line, was: &Line, [until, fine_ns, step_ns]: [u64; 3], of: &str) {
    for (value, from, to) in stretches(shown, until) {
        let mut longest_other = 0;
        let mut other = 0;
        let mut is_there = false;
        let (early, late) = (from.saturating_sub(step_ns), to + step_ns);
        for (is, begin, end) in stretches(was, u64::MAX) {
            if end < early || begin > late {
                continue;
            }
            is_there |= is == value;
            let within = end.min(to).saturating_sub(begin.max(from));
            other = if is == value { 0 } else { other + within };
            longest_other = longest_other.max(other);
        }
        assert!(
            is_there,
            "{of}: {value} shown from {from} to {to}: the run never had it"
        );
        assert!(
            longest_other <= fine_ns + step_ns,
            "{of}: {value} shown from {from} to {to}: the run differed for {longest_other} ns, rows lie {fine_ns} ns apart"
        );
    }
}

fn hold_all(rows: &[TimelineRow], truth: &Truth, fine_ns: u64, zones: usize, of: &str) {
    let mut shown = Vec::new();
    let mut from = 0;
    for row in rows {
        from = row.since.max(from);
        add(&mut shown, from, &row.lines);
    }
    let until = rows.last().expect("a row").now;
    let within = [until, fine_ns, truth.step_ns];
    for (i, line) in shown.iter().enumerate() {
        hold(line, &truth.lines[i], within, &format!("{of}, line {i}"));
    }
    // Also compares with the event log: a sleeping kswapd is not reclaiming.
    for (task, sleeps) in &truth.sleeps {
        let lane = &shown[zones + *task as usize];
        for (_, from, to) in stretches(lane, until).filter(|s| s.0 == Doing::Reclaiming as u64) {
            for (_, down, up) in stretches(sleeps, u64::MAX).filter(|s| s.0 == 1) {
                let both = up.min(to).saturating_sub(down.max(from));
                assert!(
                    both <= fine_ns + truth.step_ns,
                    "{of}: task {task} shown reclaiming from {from} to {to}, asleep from {down} to {up}"
                );
            }
        }
    }
}

fn finish(s: &mut Session, mut progress: Progress) {
    while !progress.done {
        progress = s.more(7_000);
    }
}

/// Takes a random path through the run, to its end.
fn wander(s: &mut Session, rng: &mut Rng, truth: &Truth) {
    for _ in 0..rng.below(9) {
        let step = u64::from(rng.below(truth.steps as u32 + 1));
        let progress = match rng.below(6) {
            0 => s.run(step, step, u64::MAX),
            1 => s.seek(step, 5_000),
            2 => s.seek_time(u64::from(rng.below(1000)) * truth.end / 1000, 5_000),
            3 => s.step_back(None, false, 5_000),
            4 if step + 1_000 < truth.steps => {
                let progress = s.seek(step, u64::MAX);
                finish(s, progress);
                s.step_forward(How::Into, TaskIndex::new(rng.below(4)), 500);
                s.cancel()
            }
            _ => s.run(u64::from(rng.below(3_000)), truth.steps, u64::MAX),
        };
        finish(s, progress);
    }
    let progress = s.seek(truth.steps, 20_000);
    finish(s, progress);
}

const PRESETS: [&str; 6] = [
    "streaming-reader.teach",
    "anon-hog.teach",
    "tiobench.teach",
    "fsmark.teach",
    "watermarks.teach",
    "many-tasks.teach",
];

/// A preset with another seed, sometimes forked at a random time.
fn experiment(rng: &mut Rng) -> (String, Experiment) {
    let id = PRESETS[rng.below(PRESETS.len() as u32) as usize];
    let preset = mm::experiment::preset(id).expect("a preset");
    let mut raw = serde_json::to_value(preset).expect("JSON");
    raw["seed"] = json!(rng.below(1000));
    let at = format!("{}ms", 1 + rng.below(20_000));
    let hog = json!({ "name": "late", "program": [
        { "op": "map", "region": "a", "size": 400 }, { "op": "touch", "region": "a" },
        { "op": "think", "time": "9s" }, { "op": "touch", "region": "a" } ] });
    let act = match rng.below(4) {
        0 => None,
        1 => Some(json!({ "at": at, "drop_caches": 1 })),
        2 => Some(json!({ "at": at, "start": hog })),
        _ => Some(json!({ "at": at, "set": { "vm.swappiness": "10" } })),
    };
    if let (Some(act), Value::Array(list)) = (act, &mut raw["interventions"]) {
        list.push(act);
    }
    let of = format!("{id} {}", raw["interventions"]);
    let experiment = Experiment::from_json(&raw.to_string());
    (of, experiment.unwrap_or_else(|r| panic!("{r:?}")))
}

#[test]
fn the_timeline_shows_only_states_that_the_run_had() {
    for case in 0..24 {
        let mut rng = Rng::stream(case, 17);
        let (of, experiment) = experiment(&mut rng);
        let of = format!("case {case}: {of}");
        let truth = truth(&experiment);
        let mut s = Session::open(&experiment, BUDGET);
        wander(&mut s, &mut rng, &truth);
        let zones = s.machine().w.mem.zones.len();
        let mut numbers = Vec::new();
        s.write_timeline(&[], &mut numbers);
        let rows = rows_of(&numbers, zones);
        assert!(rows.len() <= 1026, "{of}: {} rows", rows.len());
        assert_eq!(rows.last().map(|row| row.now), Some(s.furthest().time_ns));
        hold_all(&rows, &truth, s.fineness_ns(), zones, &of);

        // A zone's free blocks add up to its free pages, in the same rows.
        for zone in 0..zones {
            let mut blocks = Vec::new();
            s.write_free_blocks(zone, &mut blocks);
            let orders = usize::from(s.machine().w.mem.orders);
            let values: Vec<&[i64]> = blocks.chunks(2 + orders).collect();
            assert_eq!(values.len(), rows.len(), "{of}: zone {zone}");
            for (row, values) in rows.iter().zip(values) {
                let pages: i64 = (0..orders).map(|order| values[2 + order] << order).sum();
                let at = (values[0] as u64, values[1] as u64, pages as u64);
                assert_eq!(
                    at,
                    (row.now, row.since, row.lines[zone]),
                    "{of}: zone {zone}"
                );
            }
        }

        // The rows of processes agree too.
        let mut near = Vec::new();
        s.write_near(&mut near);
        let mut values = near.as_slice();
        for row in &rows {
            let many = values[0] as usize;
            assert_eq!(
                (values[1] as u64, values[2] as u64),
                (row.now, row.since),
                "{of}"
            );
            values = &values[1 + many..];
        }
        assert!(values.is_empty(), "{of}: rows of processes are left over");

        // The path through the run does not change its rows.
        let mut straight = Session::open(&experiment, BUDGET);
        let progress = straight.seek(truth.steps, u64::MAX);
        finish(&mut straight, progress);
        let (mut same, mut same_near) = (Vec::new(), Vec::new());
        straight.write_timeline(&[], &mut same);
        straight.write_near(&mut same_near);
        assert!(numbers == same, "{of}: another path gives other rows");
        assert!(
            near == same_near,
            "{of}: another path gives other processes"
        );
    }
}

#[test]
fn a_zoomed_part_of_the_timeline_shows_only_states_that_the_run_had() {
    for case in 0..6 {
        let mut rng = Rng::stream(case, 18);
        let (of, experiment) = experiment(&mut rng);
        let truth = truth(&experiment);
        let mut s = Session::open(&experiment, BUDGET);
        let progress = s.seek(truth.steps, u64::MAX);
        finish(&mut s, progress);
        let from = u64::from(rng.below(truth.steps as u32 - 1));
        let to = from + 1 + u64::from(rng.below((truth.steps - from) as u32));
        let every_ns = truth.end / 1000 + 1;
        let sampling = Sampling {
            every: (to - from) / 500 + 1,
            every_ns,
            counters: Vec::new(),
        };
        let mut log = s.sample_log(from, to, sampling);
        let mut numbers = Vec::new();
        loop {
            let out = log.more(3_000);
            numbers.extend_from_slice(&out[2..]);
            if out[1] == 1 {
                break;
            }
        }
        let zones = s.machine().w.mem.zones.len();
        let rows = rows_of(&numbers, zones);
        hold_all(
            &rows,
            &truth,
            every_ns,
            zones,
            &format!("case {case}: {of}"),
        );
    }
}

#[test]
fn a_run_without_a_checkpoint_budget_keeps_one_checkpoint_and_reaches_the_same_state() {
    let experiment = Experiment::preset("stress-highalloc.teach").expect("a preset");
    let mut hashes = Vec::new();
    for budget in [0, BUDGET] {
        let mut s = Session::open(&experiment, budget);
        let first = s.checkpoint_bytes();
        let progress = s.run(400_000, u64::MAX, u64::MAX);
        assert_eq!(progress.position.step, 400_000);
        assert_eq!(s.checkpoint_bytes() == first, budget == 0);
        // The seek starts from this step.
        let progress = s.seek(1_000, 50_000);
        finish(&mut s, progress);
        hashes.push((s.machine().hash(), s.furthest()));
    }
    assert_eq!(hashes[0], hashes[1]);
}

/// A reader for 400 s, and a hog that starts at 96 s: rows lie a second apart, and between them kswapd
/// is awake for microseconds.
#[test]
fn the_lane_of_kswapd_shows_scans_that_fall_between_two_rows() {
    let preset = mm::experiment::preset("streaming-reader.teach").expect("a preset");
    let mut raw = serde_json::to_value(preset).expect("JSON");
    raw["interventions"] = json!([{ "at": "96s", "start": { "name": "hog", "program": [
        { "op": "map", "region": "heap", "size": "60%" },
        { "op": "repeat", "times": 50, "do": [{ "op": "touch", "region": "heap" }] } ] } }]);
    let experiment = Experiment::from_json(&raw.to_string()).expect("valid");
    let mut s = Session::open(&experiment, BUDGET);
    let progress = s.run(u64::MAX, u64::MAX, 96_000_000_000);
    finish(&mut s, progress);
    let progress = s.run(u64::MAX, u64::MAX, u64::MAX);
    finish(&mut s, progress);
    let m = s.machine();
    let zones = m.w.mem.zones.len();
    let is_kswapd = |id: &TaskIndex| matches!(m.tasks[*id].kind, TaskKind::Kswapd { .. });
    let kswapds: Vec<TaskIndex> = m.tasks.indices().filter(is_kswapd).collect();
    let name = |name: &str| {
        let named = m.w.counters.named(&m.w.facts.layout.zone_types);
        named.into_iter().find(|(n, _)| n == name).map(|(_, n)| n)
    };
    assert!(name("pgscan_kswapd") > Some(5_000));
    // All counters from 0 to 99: the requested one ends at the value of pgscan_kswapd.
    let mut numbers = Vec::new();
    let pairs: Vec<u32> = (0..100).flat_map(|c| [c, 0]).collect();
    s.write_timeline(&mm::session::counters(&pairs), &mut numbers);
    let rows = rows_of(&numbers, zones);
    let last = &rows.last().expect("a row").counters;
    let scans = last.iter().position(|&n| Some(n) == name("pgscan_kswapd"));
    let scans = scans.expect("the counter");
    let mut short = 0;
    for pair in rows.windows(2) {
        let [before, after] = pair else { continue };
        if after.counters[scans] == before.counters[scans] {
            continue;
        }
        let shown = kswapds.iter().any(|&id| {
            let doing = before.lines[zones + id.index()];
            after.reclaimed[id.index()] || doing != Doing::Asleep as u64
        });
        assert!(
            shown,
            "kswapd scanned from {} to {} ns unseen",
            before.now, after.now
        );
        let asleep = |row: &TimelineRow| {
            let is_asleep = |&id: &TaskIndex| row.lines[zones + id.index()] == Doing::Asleep as u64;
            kswapds.iter().all(is_asleep)
        };
        short += u32::from(asleep(before) && asleep(after));
    }
    assert!(short > 20, "only {short} periods lie between two rows");
}
