//! `mmscope sensitivity`: measures how the results of numa/core v18 depend on unpublished
//! constants.
//!
//! Each run changes one constant of an experiment and nothing else. The four JVMs work for a minute
//! instead of four, so that all runs together take less than an hour; the run with every constant as it
//! is has the same length, so that only runs of one length are compared.

mod constants;

use std::fs;
use std::path::Path;

use mm::experiment::{Raw, preset, workloads};
use mm::machine::Machine;
use mm::{kernel, profile};
use reports::{Measured, rows};
use serde_json::{Value, json};

use crate::args::Parsed;
use crate::failure::{Failure, Outcome, bad, io_fault};
use crate::full_size::{Fingerprint, Job, checked, today};
use crate::output::{print, say};
use crate::runs;
use constants::{CONSTANTS, Constant};

/// The path of the results that `--write` makes.
const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../lessons/sensitivity.json"
);
/// The file's description of itself.
const ABOUT: &str = "How results of numa/core v18 change with each constant, made by `npm run sim -- sensitivity --write`. Not to be edited by hand.";

/// A published row whose simulated value is computed.
#[derive(Debug)]
struct Looked {
    table: &'static str,
    row: &'static str,
    experiment: &'static str,
    /// The table's columns, the baseline first.
    kernels: &'static [&'static str],
    /// The working time of the threads, if the experiment's own time would take too long.
    works: Option<&'static str>,
}

const LOOKED_AT: [Looked; 3] = [
    Looked {
        table: "specjbb-4x-thp",
        row: "sum",
        experiment: "specjbb-4x-thp",
        kernels: &[
            "mainline",
            "numa/core-v17",
            "numa/core-v18",
            "autonuma-v28+THP-fix",
        ],
        works: Some("60s"),
    },
    Looked {
        table: "autonuma-bench-mainline",
        row: "numa01",
        experiment: "numa01",
        kernels: &["3.6-vanilla", "numa/core-v18b"],
        works: None,
    },
    Looked {
        table: "autonuma-bench-mainline",
        row: "numa02",
        experiment: "numa02",
        kernels: &["3.6-vanilla", "numa/core-v18b"],
        works: None,
    },
];

/// One run: a row, a kernel, and at most one constant with another value.
struct Task<'a> {
    looked: &'a Looked,
    kernel: &'a str,
    changed: Option<(&'a Constant, u64)>,
}

/// Runs every experiment with each constant unchanged, lower and higher.
///
/// # Errors
/// An experiment cannot run, a file cannot be written, or the pipe is closed.
pub fn sensitivity(parsed: &Parsed) -> Outcome<()> {
    let tasks = tasks(&LOOKED_AT).map_err(bad)?;
    let mut values: Vec<Option<Result<f64, String>>> = (0..tasks.len()).map(|_| None).collect();
    let mut done = 0;
    runs::on_every_processor(&tasks, Task::run, |place, value| {
        done += 1;
        say(&format!(
            "{done} of {}: {}",
            tasks.len(),
            tasks[place].words()
        ));
        values[place] = Some(value);
    });
    let values: Result<Vec<f64>, String> = values.into_iter().flatten().collect();
    let text = format!("{:#}\n", as_json(&tasks, &values.map_err(bad)?)?);
    if !parsed.has("--write") {
        return print(&text);
    }
    fs::write(Path::new(FILE), text).map_err(|error| io_fault(FILE, &error))
}

/// All runs: those with each constant as it is before the others of their row.
fn tasks(looked_at: &[Looked]) -> Result<Vec<Task<'_>>, String> {
    let mut tasks = Vec::new();
    for looked in looked_at {
        let mut settings = vec![None];
        for constant in &CONSTANTS {
            if looked.used(constant)?.is_some() {
                settings.extend(constant.values.map(|value| Some((constant, value))));
            }
        }
        for changed in settings {
            tasks.extend(looked.kernels.iter().map(|&kernel| Task {
                looked,
                kernel,
                changed,
            }));
        }
    }
    Ok(tasks)
}

impl Looked {
    /// The experiment with machine and workload written out.
    fn whole(&self) -> Result<Raw, String> {
        let id = self.experiment;
        let mut raw = preset(id).ok_or_else(|| format!("there is no experiment {id:?}"))?;
        if let Some(machine) = raw.machine.as_str().and_then(profile::find) {
            raw.machine = json!(machine);
        }
        let named = raw.workload.as_str();
        if let Some(workload) = named.and_then(|id| workloads().into_iter().find(|w| w.id == id)) {
            raw.workload = json!(workload);
        }
        if let Some(works) = self.works {
            constants::each_operation(&mut raw.workload, &mut |operation| {
                if operation["op"] == "repeat" && operation.get("for").is_some() {
                    operation["for"] = json!(works);
                }
            });
        }
        Ok(raw)
    }

    /// The value of a constant in the experiment; none if the experiment does not use it.
    fn used(&self, constant: &Constant) -> Result<Option<u64>, String> {
        let mut raw = self.whole()?;
        let [low, _] = constant.values;
        Ok(constant.set(&mut raw.machine, &mut raw.workload, low))
    }
}

impl Task<'_> {
    /// The value of the row.
    fn run(&self) -> Result<f64, String> {
        let mut raw = self.looked.whole()?;
        if let Some((constant, value)) = self.changed {
            constant.set(&mut raw.machine, &mut raw.workload, value);
        }
        let found = kernel::find(self.kernel);
        let found = found.ok_or_else(|| format!("there is no kernel {:?}", self.kernel))?;
        raw.kernel = found.id.to_string();
        let mut machine = Machine::boot(&checked(raw)?);
        machine.run(u64::MAX, u64::MAX);
        let rows = rows(&Measured::of(&machine));
        let row = rows.into_iter().find(|row| row.metric == self.looked.row);
        row.map(|row| row.value)
            .ok_or_else(|| format!("{}: no row {:?}", self.words(), self.looked.row))
    }

    fn words(&self) -> String {
        let Looked { experiment, .. } = self.looked;
        let kernel = self.kernel;
        match self.changed {
            None => format!("{experiment}, kernel {kernel}, constants as they are"),
            Some((constant, value)) => {
                format!("{experiment}, kernel {kernel}, {} {value}", constant.name)
            }
        }
    }
}

fn as_json(tasks: &[Task<'_>], values: &[f64]) -> Outcome<Value> {
    let results: Outcome<Vec<Value>> = LOOKED_AT
        .iter()
        .map(|looked| {
            let of = |constant: Option<(&Constant, u64)>| -> Vec<f64> {
                let same = |task: &Task<'_>| {
                    std::ptr::eq(task.looked, looked)
                        && task.changed.map(|(c, v)| (c.name, v))
                            == constant.map(|(c, v)| (c.name, v))
                };
                let found = tasks.iter().zip(values).filter(|(task, _)| same(task));
                found.map(|(_, &value)| value).collect()
            };
            let mut changed = Vec::new();
            for constant in &CONSTANTS {
                let Some(used) = looked.used(constant).map_err(bad)? else {
                    continue;
                };
                let tried = constant
                    .values
                    .map(|value| json!({ "value": value, "results": of(Some((constant, value))) }));
                changed.push(json!({
                    "name": constant.name, "unit": constant.unit, "source": constant.source,
                    "used": used, "tried": tried,
                }));
            }
            Ok(json!({
                "table": looked.table, "row": looked.row, "experiment": looked.experiment,
                "kernels": looked.kernels, "works": looked.works,
                "fingerprint": fingerprint(looked)?,
                "results": of(None), "constants": changed,
            }))
        })
        .collect();
    Ok(json!({
        "about": ABOUT, "made": today(), "version": mm::VERSION, "rows": results?,
    }))
}

/// The fingerprint of the unchanged experiment with its last kernel, by which a test detects that
/// the file is out of date.
fn fingerprint(looked: &Looked) -> Result<Value, Failure> {
    let kernel = looked.kernels.last().map_or("", |kernel| kernel);
    let job = Job {
        experiment: looked.experiment.to_string(),
        kernel: kernel.to_string(),
        seeds: 1,
    };
    Ok(json!(Fingerprint::of(&job).map_err(bad)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::full_size::{self, Results};

    #[test]
    fn every_row_is_run_with_each_constant_lower_and_higher() {
        let tasks = tasks(&LOOKED_AT).expect("experiments");
        let of = |row: &str| tasks.iter().filter(|task| task.looked.row == row).count();
        assert_eq!(
            (of("sum"), of("numa01"), of("numa02")),
            (17 * 4, 9 * 2, 9 * 2)
        );
        let words: Vec<String> = tasks.iter().map(Task::words).collect();
        assert_eq!(
            words[4],
            "specjbb-4x-thp, kernel mainline, Latency of another node 91"
        );
    }

    #[test]
    fn an_experiment_with_a_changed_constant_is_valid() {
        for task in tasks(&LOOKED_AT).expect("experiments") {
            let mut raw = task.looked.whole().expect("an experiment");
            if let Some((constant, value)) = task.changed {
                constant.set(&mut raw.machine, &mut raw.workload, value);
            }
            checked(raw).unwrap_or_else(|reason| panic!("{}: {reason}", task.words()));
        }
    }

    /// The committed results come from an engine that behaves like the engine of the full-size results.
    #[test]
    fn committed_results_are_up_to_date() {
        let text = fs::read_to_string(FILE).expect("lessons/sensitivity.json");
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let full = Results::read(Path::new(full_size::FILE)).expect("full-size results");
        for (looked, row) in LOOKED_AT.iter().zip(file["rows"].as_array().expect("rows")) {
            let job = Job {
                experiment: looked.experiment.to_string(),
                kernel: looked.kernels[looked.kernels.len() - 1].to_string(),
                seeds: 1,
            };
            let kept = full.of(&job).expect("a full-size run");
            assert_eq!(
                row["fingerprint"],
                json!(kept.fingerprint),
                "{} is out of date: npm run sim -- sensitivity --write",
                looked.experiment
            );
        }
    }
}
