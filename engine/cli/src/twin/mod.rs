//! `mmscope twin`: compares a captured run of a real kernel with the same run simulated.

mod all;
mod folder;
mod statics;

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::time::Instant;

use capture::build::Twin;
use capture::capture::Capture;
use capture::cgroup_counts::{self, CgroupRow};
use capture::files::Files;
use capture::generations::GenerationRow;
use capture::score::Errors;
use capture::statics::{Statics, is_static};
use capture::twin::fitted;
use capture::watch::{self, Observer, Ran};
use capture::{compare, delays, generations, tally};
use mm::machine::Machine;
use mm::record::Record;
use serde_json::json;

use crate::args::Parsed;
use crate::events;
use crate::failure::{Failure, Outcome, bad};
use crate::hash::at;
use crate::output::{self, Target, print, say};
use folder::{files_of, refused};

/// A captured run and its twin, side by side.
#[derive(Debug)]
pub struct SideBySide {
    /// The capture's name.
    pub name: String,
    /// The release as the kernel names it.
    pub release: String,
    /// The kernel variant that represents it.
    pub kernel: &'static str,
    /// The workload as the guest received it.
    pub workload: String,
    /// The assumptions of the twin.
    pub assumed: Vec<String>,
    /// Memory before the workload.
    pub start: Vec<compare::CounterRow>,
    /// Every counter that changed in either run.
    pub rows: Vec<compare::CounterRow>,
    /// Pages in each generation at the end.
    pub generations: Vec<GenerationRow>,
    /// What the memory cgroups of the workload counted.
    pub cgroups: Vec<CgroupRow>,
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
/// A file is missing or has unknown contents, or the workload cannot be repeated.
pub fn side_by_side(folder: &str) -> Outcome<SideBySide> {
    let folder = Path::new(folder);
    let capture = read(folder)?;
    let (twin, experiment) = fitted(&capture).map_err(|faults| refused(folder, &faults))?;
    let run = watch::run(&capture, &twin, &experiment, &mut ());
    let cgroups = by_cgroup(&capture, &run);
    Ok(SideBySide {
        name: capture.name.clone(),
        release: capture.release.clone(),
        kernel: capture.kernel_id().unwrap_or_default(),
        workload: capture.workload.to_string(),
        assumed: twin.assumed,
        start: run.start,
        rows: compare::rows(&capture.counted(), &run.counted),
        generations: generations::rows(&capture.generations, &run.generations),
        cgroups,
        seconds: run.seconds,
        real_seconds: real_s(&capture),
        finished: run.finished,
    })
}

/// The files that a twin can write, by option.
const FILES: [&str; 3] = ["--experiment", "--events", "--samples"];

/// Runs the twin of a captured run and prints both.
///
/// # Errors
/// The input is bad, or the pipe is closed.
pub fn twin(parsed: &Parsed) -> Outcome<()> {
    let Some(folder) = parsed.operand() else {
        return Err(bad(
            "which DIR? A folder with before.txt, after.txt, shape.json, ...",
        ));
    };
    let folder = Path::new(folder);
    if parsed.has("--all") {
        return all::all(folder, parsed.has("--json"));
    }
    let files = files_of(folder)?;
    if is_static(&files) {
        return without_run(folder, &files, parsed.has("--json"));
    }
    let capture = Capture::read(&files).map_err(|faults| refused(folder, &faults))?;
    let (twin, experiment) = fitted(&capture).map_err(|faults| refused(folder, &faults))?;
    let [recipe, events, samples] = targets(parsed)?;
    if let Some(mut target) = recipe {
        target.write(&format!("{:#}\n", twin.raw))?;
        target.finish()?;
    }
    let began = Instant::now();
    let mut written = Written {
        events,
        samples,
        failed: None,
    };
    let run = watch::run(&capture, &twin, &experiment, &mut written);
    written.finish()?;
    let wall_s = began.elapsed().as_secs_f64();
    let rows = compare::rows(&capture.counted(), &run.counted);
    let by_generation = generations::rows(&capture.generations, &run.generations);
    let cgroups = by_cgroup(&capture, &run);
    let distributions = run.tally.report();
    let real = tally::real(&capture.summary, &capture.log);
    let waits = delays::buckets(&real, &distributions);
    if parsed.has("--json") {
        let report = json!({
            "name": capture.name,
            "kernel": capture.release,
            "lacks": capture.lacks().iter().map(|lack| lack.what).collect::<Vec<_>>(),
            "notes": capture.notes,
            "assumed": twin.assumed,
            "start": compare::counters_json(&run.start),
            "counters": compare::counters_json(&rows),
            "generations": generations::as_json(&by_generation),
            "cgroups": cgroup_counts::as_json(&cgroups),
            "score": Errors::of(&rows).score(),
            "distributions": compare::distributions_json(&real, &distributions),
            "waits": delays::as_json(&waits),
            "workload_s": {"real": real_s(&capture), "simulated": run.seconds},
            "finished": run.finished,
            "wall_s": wall_s,
        });
        return print(&format!("{report:#}\n"));
    }
    print(&format!(
        "{}{}: {} as {}\n{}workload: real {}, {:.1} s simulated{}, {wall_s:.1} s of computing\n\n{}\n{}{}{}{}",
        lacking(&capture),
        capture.name,
        capture.release,
        capture.kernel_id().unwrap_or_default(),
        assumptions(&capture, &twin),
        real_s(&capture).map_or("-".to_string(), |s| format!("{s:.1} s")),
        run.seconds,
        if run.finished { "" } else { ", not finished" },
        compare::start_text(&run.start),
        compare::text(&rows, &real, &distributions),
        generations::text(&by_generation),
        cgroup_counts::text(&cgroups),
        delays::text(&waits)
    ))
}

/// The memory cgroups of both runs.
fn by_cgroup(capture: &Capture, run: &Ran) -> Vec<CgroupRow> {
    let page_bytes = u64::from(capture.page_kib) << 10;
    cgroup_counts::rows(&capture.cgroups, &run.cgroups, page_bytes)
}

/// A machine that was captured without a workload: its zones, printed and computed.
fn without_run(folder: &Path, files: &Files, as_json: bool) -> Outcome<()> {
    let made = Statics::read(files).map_err(|faults| refused(folder, &faults))?;
    match as_json {
        true => print(&format!("{:#}\n", json!(made))),
        false => print(&statics::text(&made)),
    }
}

/// The requested files, in the order of [`FILES`].
fn targets(parsed: &Parsed) -> Outcome<[Option<Target>; 3]> {
    let paths = FILES.map(|name| parsed.value(name));
    let wanted = FILES.into_iter().zip(paths);
    let wanted: Vec<(&str, &str)> = wanted.filter_map(|(n, p)| Some((n, p?))).collect();
    let mut opened = output::open(&wanted, &[])?.into_iter();
    Ok(paths.map(|path| path.and_then(|_| opened.next())))
}

/// Seconds of the real workload.
fn real_s(capture: &Capture) -> Option<f64> {
    capture.span_s.map(|[from, to]| to - from)
}

/// The first line: the features that the guest used and the engine does not have.
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

fn assumptions(capture: &Capture, twin: &Twin) -> String {
    let notes = capture.notes.iter().map(|note| format!("note: {note}\n"));
    let assumed = twin.assumed.iter().map(|line| format!("assumed: {line}\n"));
    notes.chain(assumed).collect()
}

fn read(folder: &Path) -> Outcome<Capture> {
    Capture::read(&files_of(folder)?).map_err(|faults| refused(folder, &faults))
}

/// Events and samples of a twin that go to files.
struct Written {
    events: Option<Target>,
    samples: Option<Target>,
    failed: Option<Failure>,
}

impl Written {
    fn finish(self) -> Outcome<()> {
        if let Some(failure) = self.failed {
            return Err(failure);
        }
        let mut targets = [self.events, self.samples].into_iter().flatten();
        targets.try_for_each(Target::finish)
    }
}

impl Observer for Written {
    fn takes_samples(&self) -> bool {
        self.samples.is_some()
    }
    fn sample(&mut self, line: &str) {
        if let Some(out) = &mut self.samples {
            self.failed = out.write(&format!("{line}\n")).err();
        }
    }
    fn event(&mut self, machine: &Machine, record: &Record) {
        if let Some(out) = &mut self.events
            && let Some(line) = events::line(machine, record)
            && self.failed.is_none()
        {
            self.failed = out.write(&format!("{line}\n")).err();
        }
    }
    fn progress(&mut self, machine: &Machine) {
        if stderr().is_terminal() {
            say(&at(machine));
        }
    }
    fn dropped(&mut self) {
        say("some events were dropped: more came at once than the recorder holds");
    }
    fn goes_on(&self) -> bool {
        self.failed.is_none()
    }
}
