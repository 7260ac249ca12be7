//! Running, stepping and going back in an open experiment.

use mm::experiment::Experiment;
use mm::index::TaskIndex;
use mm::machine::TaskKind;
use mm::rng::Rng;
use mm::session::{How, Progress, Session};
use serde_json::{Map, Value};

use super::{Effort, median, milliseconds, per_second};
use crate::failure::{Outcome, refused};

/// Steps in one request, as in the page's engine.
const SLICE: u64 = 200_000;
/// Steps within which steps back and seeks are measured.
const RECENT: u32 = 1_000_000;

/// An experiment of the benchmark and the parts of it that are measured.
pub struct Case {
    /// The name in its figures.
    pub name: &'static str,
    /// The experiment.
    pub json: &'static str,
    /// MiB for checkpoints; small enough on a teaching machine that memory stops growing.
    pub budget: usize,
    /// Steps before the first measurement.
    pub warm_up: u64,
    /// Steps of one measurement at full speed.
    pub run: u64,
    /// Steps of one measurement in single steps.
    pub stepped: u64,
    /// The step from which going back is measured.
    pub middle: u64,
}

fn open(name: &str, json: &str, budget: usize) -> Outcome<Session> {
    let experiment = Experiment::from_json(json).map_err(|found| refused(name, &found))?;
    Ok(Session::open(&experiment, budget << 20))
}

/// Runs at full speed.
fn run(session: &mut Session, steps: u64) {
    let goal = session.machine().w.run.steps() + steps;
    session.run(steps, goal, u64::MAX);
}

/// Executes one point after another with recording on. Follows kswapd until it calls a function,
/// because it never leaves its outermost function.
fn step(session: &mut Session, steps: u64) {
    let mut tasks = session.machine().tasks.iter();
    let kswapd = tasks.position(|task| matches!(task.kind, TaskKind::Kswapd { .. }));
    let task = kswapd.unwrap_or(0) as u32;
    let goal = session.machine().w.run.steps() + steps;
    while session.machine().w.run.steps() < goal {
        session.step_forward(
            How::Out,
            TaskIndex::new(task),
            goal - session.machine().w.run.steps(),
        );
    }
}

fn arrive(session: &mut Session, begun: Progress) {
    let mut progress = begun;
    while !progress.done {
        progress = session.more(SLICE);
    }
}

/// Speeds of running and stepping, and times of going back from the middle of a run.
///
/// # Errors
/// The engine rejects the experiment.
pub fn speeds(case: &Case, effort: Effort, figures: &mut Map<String, Value>) -> Outcome<()> {
    let mut session = open(case.name, case.json, case.budget)?;
    let name = |what: &str, unit: &str| format!("{what}_{}_{unit}", case.name);
    run(&mut session, case.warm_up);
    let rates = (0..effort.repeats).map(|_| per_second(case.run, || run(&mut session, case.run)));
    let rate = median(rates.collect());
    figures.insert(name("run", "points_per_s"), rate.into());
    let rates =
        (0..effort.repeats).map(|_| per_second(case.stepped, || step(&mut session, case.stepped)));
    let rate = median(rates.collect());
    figures.insert(name("step_recorded", "points_per_s"), rate.into());

    let here = session.machine().w.run.steps();
    run(&mut session, case.middle.saturating_sub(here));
    let here = session.machine().w.run.steps();
    figures.insert(name("looked_back_from", "step"), here.into());
    let scanned = session.machine().w.counters.pgscan_direct;
    figures.insert(name("direct_reclaim", "pages_before"), scanned.into());
    let settled = milliseconds(|| while !session.settle(SLICE) {});
    figures.insert(name("settle", "ms"), settled.into());
    let backs: Vec<f64> = (0..effort.looks)
        .map(|_| {
            milliseconds(|| {
                let begun = session.step_back(None, false, SLICE);
                arrive(&mut session, begun);
            })
        })
        .collect();
    add_times(figures, |unit| name("step_back", unit), backs);
    let mut rng = Rng::stream(1, 0);
    let seeks: Vec<f64> = (0..effort.looks)
        .map(|_| {
            let goal = here - u64::from(rng.below(RECENT));
            milliseconds(|| {
                let begun = session.seek(goal, SLICE);
                arrive(&mut session, begun);
            })
        })
        .collect();
    add_times(figures, |unit| name("seek", unit), seeks);

    let zones = &session.machine().w.mem.zones;
    let frames: u64 = zones.iter().map(|zone| u64::from(zone.present)).sum();
    let bytes = session.machine().bytes() as f64 / frames as f64;
    figures.insert(name("state", "bytes_per_frame"), bytes.into());
    Ok(())
}

/// The median and the longest of some times.
fn add_times(figures: &mut Map<String, Value>, name: impl Fn(&str) -> String, times: Vec<f64>) {
    let longest = times.iter().copied().fold(0.0, f64::max);
    figures.insert(name("ms"), median(times).into());
    figures.insert(name("max_ms"), longest.into());
}

/// Allocations and frees of single pages a second.
///
/// # Errors
/// The engine rejects the experiment.
pub fn allocator(json: &str, steps: u64, effort: Effort) -> Outcome<f64> {
    let mut session = open("allocator", json, 32)?;
    run(&mut session, steps / 4);
    let rates = (0..effort.repeats).map(|_| {
        let before = operations(&session);
        let rate = per_second(1, || run(&mut session, steps));
        rate * (operations(&session) - before) as f64
    });
    Ok(median(rates.collect()))
}

/// Pages allocated plus pages freed so far.
fn operations(session: &Session) -> u64 {
    let counters = picture::view(session.machine(), None).counters;
    counters
        .iter()
        .filter(|(name, _)| name.starts_with("pgalloc") || name == "pgfree")
        .map(|(_, count)| count)
        .sum()
}
