//! `mmscope twin`: a captured run of a real kernel, and the same run simulated.

mod build;
mod capture;
pub mod compare;
pub mod delays;
mod log;
mod tally;
mod waits;
mod watch;
mod workload;

use std::time::Instant;

use mm::experiment::Experiment;
use mm::machine::Machine;
use serde_json::json;

use crate::args::Parsed;
use crate::failure::{Outcome, bad};
use crate::output::{self, Target, print};
use build::{BEFORE_MS, Twin, build};
use capture::Capture;
use watch::on_cpu_lists;

const MS: u64 = 1_000_000;

/// A captured run and its twin, side by side.
#[derive(Debug)]
pub struct SideBySide {
    /// The capture's name.
    pub name: String,
    /// The guest's kernel by its own name.
    pub release: String,
    /// The kernel variant that represents it.
    pub kernel: &'static str,
    /// The workload as the guest was given it.
    pub workload: String,
    /// The assumptions of the twin.
    pub assumed: Vec<String>,
    /// Every counter that moved in either run.
    pub rows: Vec<compare::Row>,
    /// Virtual seconds that the workload took in the simulation.
    pub seconds: f64,
    /// Seconds that it took in the real run.
    pub real_seconds: Option<f64>,
    /// Did the workload finish in the simulation?
    pub finished: bool,
}

/// Repeats a captured run.
///
/// # Errors
/// A file that is missing or has unknown contents, a workload that cannot be repeated.
pub fn side_by_side(folder: &str) -> Outcome<SideBySide> {
    let capture = Capture::read(folder)?;
    let (twin, experiment) = fitted(&capture)?;
    let run = watch::run(&capture, &experiment, [None, None])?;
    Ok(SideBySide {
        name: capture.name.clone(),
        release: capture.release.clone(),
        kernel: capture.kernel.id,
        workload: capture.workload.to_string(),
        assumed: twin.assumed,
        rows: compare::rows(&capture.counted(), &run.counted),
        seconds: run.seconds,
        real_seconds: real_span(&capture),
        finished: run.finished,
    })
}
/// The files that a twin can write, by option.
const FILES: [&str; 3] = ["--experiment", "--events", "--samples"];

/// Runs the twin of a captured run and prints both.
///
/// # Errors
/// Bad input, a closed pipe.
pub fn twin(parsed: &Parsed) -> Outcome<()> {
    let Some(folder) = parsed.operand() else {
        return Err(bad(
            "which DIR? A folder with before.txt, after.txt, shape.json, ...",
        ));
    };
    let capture = Capture::read(folder)?;
    let (twin, experiment) = fitted(&capture)?;
    let [recipe, events, samples] = targets(parsed)?;
    if let Some(mut target) = recipe {
        target.write(&format!("{:#}\n", twin.raw))?;
        target.finish()?;
    }
    let began = Instant::now();
    let run = watch::run(&capture, &experiment, [events, samples])?;
    let wall_s = began.elapsed().as_secs_f64();
    let rows = compare::rows(&capture.counted(), &run.counted);
    let distributions = run.tally.report();
    let real = tally::real(&capture.summary, &capture.log);
    let waits = delays::buckets(&real, &distributions);
    if parsed.has("--json") {
        let report = json!({
            "name": capture.name,
            "kernel": capture.release,
            "lacks": capture.lacks().iter().map(|lack| lack.what).collect::<Vec<_>>(),
            "assumed": twin.assumed,
            "start": compare::counters_json(&run.start),
            "counters": compare::counters_json(&rows),
            "distributions": compare::distributions_json(&real, &distributions),
            "waits": delays::as_json(&waits),
            "workload_s": {"real": real_span(&capture), "simulated": run.seconds},
            "finished": run.finished,
            "wall_s": wall_s,
        });
        return print(&format!("{report:#}\n"));
    }
    print(&format!(
        "{}{}: {} as {}\n{}workload: real {}, {:.1} s simulated{}, {wall_s:.1} s of computing\n\n{}\n{}{}",
        lacking(&capture),
        capture.name,
        capture.release,
        capture.kernel.id,
        assumptions(&twin),
        real_span(&capture).map_or("-".to_string(), |s| format!("{s:.1} s")),
        run.seconds,
        if run.finished { "" } else { ", not finished" },
        compare::start_text(&run.start),
        compare::text(&rows, &real, &distributions),
        delays::text(&waits)
    ))
}

/// The requested files, in the order of [`FILES`].
fn targets(parsed: &Parsed) -> Outcome<[Option<Target>; 3]> {
    let paths = FILES.map(|name| parsed.value(name));
    let wanted = FILES.into_iter().zip(paths);
    let wanted: Vec<(&str, &str)> = wanted.filter_map(|(n, p)| Some((n, p?))).collect();
    let mut opened = output::open(&wanted, &[])?.into_iter();
    Ok(paths.map(|path| path.and_then(|_| opened.next())))
}

/// The first line: what the guest used and the engine does not have.
fn lacking(capture: &Capture) -> String {
    let lacks = capture.lacks();
    let words: Vec<String> = lacks
        .iter()
        .map(|lack| format!("{} ({})", lack.what, lack.here))
        .collect();
    match words.is_empty() {
        true => String::new(),
        false => format!("not repeated here: {}\n", words.join("; ")),
    }
}

fn assumptions(twin: &Twin) -> String {
    let lines = twin.assumed.iter().map(|line| format!("assumed: {line}\n"));
    lines.collect()
}

/// Seconds of the workload by its log; if that is lost, the seconds of the trace.
fn real_span(capture: &Capture) -> Option<f64> {
    if let Some(ms) = capture.log.lasted_ms() {
        return Some(ms as f64 / 1000.0);
    }
    let span = &capture.summary["span_s"];
    Some(span[1].as_f64()? - span[0].as_f64()?)
}

/// The twin that has the free pages of the dump before its workload. The number of page tables and
/// similar pages is known only after the prologue, so it is run once to see what is missing.
fn fitted(capture: &Capture) -> Outcome<(Twin, Experiment)> {
    let first = build(capture, &[])?;
    let mut machine = Machine::boot(&first.experiment()?);
    machine.run(u64::MAX, BEFORE_MS * MS);
    let mut free = vec![0u64; first.free.len()];
    for (i, zone) in (0u8..).zip(&machine.w.mem.zones) {
        let pages = u64::from(zone.nr_free_pages) + on_cpu_lists(&machine, i);
        free[usize::from(zone.node)] += pages;
    }
    let more: Vec<i64> = free
        .iter()
        .zip(&first.free)
        .map(|(&is, &wanted)| is as i64 - wanted as i64)
        .collect();
    let twin = build(capture, &more)?;
    let experiment = twin.experiment()?;
    Ok((twin, experiment))
}
