//! `mmscope real --fuzz N`: random small experiments on a real kernel and on the engine.
//!
//! Static facts must be equal. Each counter has a band ([`bands`]). The experiment with the worst
//! disagreement is shrunk as long as the disagreement lasts, and printed.

mod bands;
mod draw;
mod shrink;
mod statics;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mm::experiment::{Experiment, Raw};
use serde_json::{Value, json};

use crate::args::Parsed;
use crate::failure::{Outcome, bad, refused};
use crate::output::{print, say};
use crate::real::fit::{Choices, fit};
use crate::real::kernel::{self, Bootable, RealKernel};
use crate::real::{Plan, capture, run};
use crate::twin::{self, SideBySide};
use statics::{REST_PAGES, Statics};

/// The maximum number of experiments in one call.
const MOST: u64 = 1000;
/// The default of `--shrinks`: the maximum number of runs for shrinking the worst disagreement.
const SHRINKS: u64 = 12;
/// The time limit of one virtual machine.
const LIMIT: Duration = Duration::from_secs(180);

/// A counter of one run, compared.
#[derive(Debug, Clone)]
struct Scored {
    name: String,
    real: i64,
    simulated: i64,
    /// More than 1 is beyond the band.
    excess: f64,
}

/// One experiment on the kernel and on the engine.
struct Case {
    statics: Statics,
    counters: Vec<Scored>,
    /// Whether the time limit ended the workload on either side: then the amounts depend on the
    /// speed of the computer and are not scored.
    cut: bool,
    seconds: f64,
}

/// The data of a call that each run needs.
struct Fuzz {
    kernel: RealKernel,
    elf: (PathBuf, u64),
    folder: PathBuf,
    shrinks: u64,
}

/// Runs random experiments, and prints how much the two sides differ.
///
/// # Errors
/// The input is bad, a part is missing, or a virtual machine fails.
pub fn fuzz(parsed: &Parsed) -> Outcome<()> {
    let count = number(parsed, "--fuzz")?.filter(|count| (1..=MOST).contains(count));
    let count = count.ok_or_else(|| bad(format!("--fuzz: 1 to {MOST} experiments")))?;
    let seed = number(parsed, "--seed")?.unwrap_or(1);
    let shrinks = number(parsed, "--shrinks")?.unwrap_or(SHRINKS);
    let kernel = kernel::find(
        parsed.value("--kernel").unwrap_or("6.1"),
        parsed.value("--modules"),
    )?;
    let Bootable { elf, loaded } = kernel.bootable()?;
    let folder = parsed.value("--out").map_or_else(
        || PathBuf::from(format!("fuzz-{}-{seed}", kernel.variant)),
        PathBuf::from,
    );
    let fuzz = Fuzz {
        kernel,
        elf: (elf, loaded),
        folder,
        shrinks,
    };
    let mut sum = Sum::default();
    for seed in seed..seed + count {
        let raw = draw::experiment(seed, fuzz.kernel.variant)?;
        let case = fuzz.run(&raw, &format!("seed-{seed}"))?;
        say(&format!("seed {seed}: {}", case.line()));
        sum.add(seed, raw, case);
    }
    let worst = sum.worst.take();
    let shrunk = worst.map(|worst| fuzz.shrunk(worst)).transpose()?.flatten();
    match parsed.has("--json") {
        true => print(&format!("{:#}\n", sum.json(&fuzz, shrunk.as_ref()))),
        false => print(&sum.text(&fuzz, shrunk.as_ref())),
    }
}

fn number(parsed: &Parsed, name: &str) -> Outcome<Option<u64>> {
    let Some(text) = parsed.value(name) else {
        return Ok(None);
    };
    let number = text.parse().map(Some);
    number.map_err(|_| bad(format!("{name} {text}: this is not a whole number")))
}

impl Fuzz {
    fn run(&self, raw: &Raw, name: &str) -> Outcome<Case> {
        let began = Instant::now();
        let experiment = Experiment::new(raw.clone()).map_err(|found| refused(name, &found))?;
        let (elf, loaded) = &self.elf;
        let choices = Choices {
            cpus: None,
            ..Choices::default()
        };
        let fitted = fit(&experiment, &self.kernel, *loaded, choices)?;
        let plan = Plan {
            fitted,
            kernel: self.kernel.clone(),
            bootable: Bootable {
                elf: elf.clone(),
                loaded: *loaded,
            },
            name: name.to_string(),
            folder: self.folder.join(name),
            limit: LIMIT,
        };
        capture::prepare(&plan.folder)?;
        run::run(&plan, true)?;
        let mut case = compared(&plan.folder, self.kernel.variant)?;
        case.seconds = began.elapsed().as_secs_f64();
        Ok(case)
    }

    /// The smallest experiment found in which the same counter is still beyond its band.
    fn shrunk(&self, worst: Worst) -> Outcome<Option<Worst>> {
        if worst.scored.excess <= 1.0 {
            return Ok(None);
        }
        let mut best = worst;
        let mut runs = 0;
        let mut rejected: Vec<Value> = Vec::new();
        loop {
            let raw = json!(best.raw);
            let mut candidates = shrink::smaller(&raw).into_iter();
            let next = candidates.find(|smaller| !rejected.contains(smaller));
            let (Some(smaller), true) = (next, runs < self.shrinks) else {
                return Ok(Some(best));
            };
            rejected.push(smaller.clone());
            // A step can leave an operation without its region.
            let Some(raw) = draw::read(&smaller)
                .ok()
                .filter(|raw| Experiment::new(raw.clone()).is_ok())
            else {
                continue;
            };
            runs += 1;
            let case = self.run(&raw, &format!("smaller-{runs}"))?;
            let same = case
                .counters
                .into_iter()
                .find(|found| found.name == best.scored.name);
            if let Some(scored) = same.filter(|found| found.excess > 1.0) {
                say(&format!(
                    "smaller ({runs} of at most {} runs): {}",
                    self.shrinks,
                    scored.line()
                ));
                best = Worst {
                    raw,
                    scored,
                    ..best
                };
            }
        }
    }
}

/// Compares a capture with its twin.
fn compared(folder: &Path, variant: &str) -> Outcome<Case> {
    let mut statics = statics::compare(folder, variant)?;
    let both = twin::side_by_side(&folder.display().to_string())?;
    statics.differ.extend(at_rest(&both));
    let cut = capture::was_cut(folder) || !both.finished;
    let scored = both.rows.iter().filter(|_| !cut).filter_map(|row| {
        let band = bands::of(&row.name)?;
        let simulated = row.simulated?;
        Some(Scored {
            name: row.name.clone(),
            real: row.real,
            simulated,
            excess: band.excess(row.real, simulated),
        })
    });
    Ok(Case {
        counters: scored.collect(),
        statics,
        cut,
        seconds: 0.0,
    })
}

/// Zones whose free pages before the workload, including per-cpu lists, differ by more than the
/// precision of the twin.
fn at_rest(both: &SideBySide) -> Vec<String> {
    let mut zones: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for row in &both.start {
        let zone = ["free", "per-cpu"]
            .iter()
            .find_map(|end| row.name.strip_suffix(end));
        if let Some(zone) = zone {
            let (real, simulated) = zones.entry(zone.trim_end()).or_default();
            *real += row.real;
            *simulated += row.simulated.unwrap_or(0);
        }
    }
    let far = zones
        .into_iter()
        .filter(|(_, (real, simulated))| (real - simulated).abs() >= REST_PAGES);
    far.map(|(zone, (real, simulated))| {
        format!("at rest: {zone} has {real} free pages, simulated {simulated}")
    })
    .collect()
}

impl Case {
    fn line(&self) -> String {
        let beyond = self
            .counters
            .iter()
            .filter(|found| found.excess > 1.0)
            .count();
        let worst = self
            .counters
            .iter()
            .max_by(|a, b| a.excess.total_cmp(&b.excess));
        let worst = worst.map_or(String::new(), |worst| format!(", worst {}", worst.line()));
        let counters = match self.cut {
            true => "cut off by the time limit, counters not scored".to_string(),
            false => format!(
                "{beyond} of {} counters beyond their bands{worst}",
                self.counters.len()
            ),
        };
        format!(
            "{:.1} s, {} static differences, {counters}",
            self.seconds,
            self.statics.differ.len()
        )
    }
}

impl Scored {
    fn line(&self) -> String {
        format!(
            "{}: real {}, simulated {} ({:.1} times the band)",
            self.name, self.real, self.simulated, self.excess
        )
    }

    /// The error in percent of the real count, at most 100.
    fn error(&self) -> f64 {
        let apart = self.real.abs_diff(self.simulated) as f64;
        match self.real {
            0 if self.simulated == 0 => 0.0,
            0 => 100.0,
            real => (apart * 100.0 / real.unsigned_abs() as f64).min(100.0),
        }
    }
}

/// The largest disagreement.
#[derive(Debug)]
struct Worst {
    seed: u64,
    raw: Raw,
    scored: Scored,
}

/// All runs of a call.
#[derive(Default)]
struct Sum {
    runs: u64,
    cut: u64,
    seconds: f64,
    zones: usize,
    lists: usize,
    differ: Vec<String>,
    counters: BTreeMap<String, Vec<(f64, f64)>>,
    worst: Option<Worst>,
}

impl Sum {
    fn add(&mut self, seed: u64, raw: Raw, case: Case) {
        self.runs += 1;
        self.cut += u64::from(case.cut);
        self.seconds += case.seconds;
        self.zones += case.statics.zones;
        self.lists += case.statics.lists;
        let lines = case.statics.differ.iter();
        self.differ
            .extend(lines.map(|line| format!("seed {seed}: {line}")));
        for found in &case.counters {
            let errors = self.counters.entry(found.name.clone()).or_default();
            errors.push((found.excess, found.error()));
        }
        let worst = case
            .counters
            .into_iter()
            .max_by(|a, b| a.excess.total_cmp(&b.excess));
        let Some(scored) = worst else {
            return;
        };
        let is_worse = |worst: &Worst| scored.excess > worst.scored.excess;
        if self.worst.as_ref().is_none_or(is_worse) {
            self.worst = Some(Worst { seed, raw, scored });
        }
    }

    /// For each counter: runs, runs beyond the band, median and largest error.
    fn rows(&self) -> Vec<(String, usize, usize, f64, f64)> {
        let row = |(name, errors): (&String, &Vec<(f64, f64)>)| {
            let beyond = errors.iter().filter(|(excess, _)| *excess > 1.0).count();
            let mut sizes: Vec<f64> = errors.iter().map(|(_, error)| *error).collect();
            sizes.sort_by(f64::total_cmp);
            let median = sizes[sizes.len() / 2];
            let largest = sizes.last().copied().unwrap_or(0.0);
            (name.clone(), errors.len(), beyond, median, largest)
        };
        let mut rows: Vec<_> = self.counters.iter().map(row).collect();
        rows.sort_by(|a, b| (b.2, &a.0).cmp(&(a.2, &b.0)));
        rows
    }

    fn text(&self, fuzz: &Fuzz, worst: Option<&Worst>) -> String {
        let mut out = format!(
            "{}: {} experiments, {:.1} s each, {} cut off by the time limit and not scored\nstatic facts: {} zones and {} per-cpu lists, {} differences\n",
            fuzz.kernel.release,
            self.runs,
            self.seconds / self.runs.max(1) as f64,
            self.cut,
            self.zones,
            self.lists,
            self.differ.len()
        );
        for line in &self.differ {
            let _ = writeln!(out, "  {line}");
        }
        let _ = writeln!(
            out,
            "\n{:32} {:>5} {:>7} {:>8} {:>8}  band",
            "counter", "runs", "beyond", "median", "largest"
        );
        for (name, runs, beyond, median, largest) in self.rows() {
            let band = bands::of(&name).map_or("", |band| band.why);
            let _ = writeln!(
                out,
                "{name:32} {runs:>5} {beyond:>7} {median:>7.1}% {largest:>7.1}%  {band}"
            );
        }
        match worst {
            Some(worst) => {
                let raw = serde_json::to_string_pretty(&worst.raw).unwrap_or_default();
                let _ = writeln!(
                    out,
                    "\nworst, from seed {}: {}\n{raw}",
                    worst.seed,
                    worst.scored.line()
                );
            }
            None => out.push_str("\nno counter is beyond its band\n"),
        }
        out
    }

    fn json(&self, fuzz: &Fuzz, worst: Option<&Worst>) -> Value {
        let rows = self
            .rows()
            .into_iter()
            .map(|(name, runs, beyond, median, largest)| {
                json!({
                    "name": name, "runs": runs, "beyond": beyond,
                    "median_percent": median, "largest_percent": largest,
                    "band": bands::of(&name).map(|band| band.why),
                })
            });
        json!({
            "kernel": fuzz.kernel.release,
            "runs": self.runs,
            "cut": self.cut,
            "seconds_each": self.seconds / self.runs.max(1) as f64,
            "statics": {"zones": self.zones, "lists": self.lists, "differ": self.differ},
            "counters": rows.collect::<Vec<_>>(),
            "worst": worst.map(|worst| json!({
                "seed": worst.seed, "counter": worst.scored.name, "real": worst.scored.real,
                "simulated": worst.scored.simulated, "times_the_band": worst.scored.excess,
                "experiment": worst.raw,
            })),
        })
    }
}
