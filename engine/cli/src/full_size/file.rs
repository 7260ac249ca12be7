//! The file of full-size results, one run per block: read and written.

use std::fs;
use std::path::Path;

use reports::rows::Row;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Fingerprint, Job};
use crate::failure::{Outcome, bad, io_fault};

/// The file's description of itself.
const ABOUT: &str = "Full-size runs of the published tables' experiments, made by `npm run sim -- fidelity --write`. Not to be edited by hand.";

/// All stored runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// The runs, in the order of the tables.
    pub runs: Vec<Kept>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Steps of the engine.
    pub step: u64,
    /// Virtual time, ns.
    pub time_ns: u64,
    /// The hash of the machine's state, as `hash` prints it.
    pub hash: String,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The experiment.
    pub experiment: String,
    /// The kernel.
    pub kernel: String,
    /// The seed.
    pub seed: u64,
    /// The day on which it was made, "2026-11-26".
    pub made: String,
    /// The version of the engine that made it.
    pub version: String,
    /// The early results of the engine that made it.
    pub fingerprint: Fingerprint,
    /// The end of the run.
    pub end: End,
    /// Every row of its report.
    pub rows: Vec<Row>,
    /// Histograms of reclaimers' waits, in the format of the page's own runs.
    pub delays: Value,
    /// The runs with the following seeds, if several are requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherSeed>,
}

/// The run of another seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherSeed {
    /// The seed.
    pub seed: u64,
    /// The end of the run.
    pub end: End,
    /// Every row of its report.
    pub rows: Vec<Row>,
}

impl Kept {
    /// The number of seeds it was made with.
    pub fn seeds(&self) -> u64 {
        1 + self.others.len() as u64
    }

    /// The rows of each seed.
    pub fn of_each_seed(&self) -> impl Iterator<Item = &Vec<Row>> {
        let others = self.others.iter().map(|other| &other.rows);
        std::iter::once(&self.rows).chain(others)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    about: String,
    runs: Vec<Kept>,
}

impl Results {
    /// The stored run of a job.
    pub fn of(&self, job: &Job) -> Option<&Kept> {
        let mut runs = self.runs.iter();
        runs.find(|run| run.experiment == job.experiment && run.kernel == job.kernel)
    }

    /// Adds a run and removes an earlier one of the same job.
    pub fn put(&mut self, run: Kept) {
        let is_same =
            |old: &&mut Kept| old.experiment == run.experiment && old.kernel == run.kernel;
        match self.runs.iter_mut().find(is_same) {
            Some(old) => *old = run,
            None => self.runs.push(run),
        }
    }

    /// Keeps only the runs of some jobs, in their order.
    pub fn order(&mut self, jobs: &[Job]) {
        let place = |run: &Kept| {
            let is_of = |job: &Job| run.experiment == job.experiment && run.kernel == job.kernel;
            jobs.iter().position(is_of)
        };
        self.runs.retain(|run| place(run).is_some());
        self.runs.sort_by_key(place);
    }

    /// Reads a file; no file means no results.
    ///
    /// # Errors
    /// The file cannot be read or has a different format.
    pub fn read(path: &Path) -> Outcome<Results> {
        let name = path.display();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Results::default());
            }
            Err(error) => return Err(io_fault(&name, &error)),
        };
        let whole: Whole = serde_json::from_str(&text).map_err(|error| {
            bad(format!(
                "{name}: not the results of `fidelity --write`: {error}"
            ))
        })?;
        Ok(Results { runs: whole.runs })
    }

    /// Writes a file: under another name first, so that an interruption does not damage the old one.
    ///
    /// # Errors
    /// The folder does not exist, or the disk is full.
    pub fn write(&self, path: &Path) -> Outcome<()> {
        let beside = path.with_extension("json.part");
        let name = beside.display().to_string();
        fs::write(&beside, self.text()).map_err(|error| io_fault(&name, &error))?;
        fs::rename(&beside, path).map_err(|error| io_fault(path.display(), &error))
    }

    /// The file's text, with a line for each row, so that a change is easy to see.
    pub fn text(&self) -> String {
        let runs: Vec<String> = self.runs.iter().map(run_text).collect();
        let about = Value::from(ABOUT);
        format!(
            "{{\n\"about\": {about},\n\"runs\": [\n{}\n]\n}}\n",
            runs.join(",\n")
        )
    }
}

fn run_text(run: &Kept) -> String {
    let whole = serde_json::to_value(run).unwrap_or_default();
    let list = |name: &str| {
        let items = whole[name].as_array().into_iter().flatten();
        let lines: Vec<String> = items.map(|item| format!("\n  {item}")).collect();
        format!("[{}]", lines.join(","))
    };
    let fields = [
        ("experiment", whole["experiment"].to_string()),
        ("kernel", whole["kernel"].to_string()),
        ("seed", whole["seed"].to_string()),
        ("made", whole["made"].to_string()),
        ("version", whole["version"].to_string()),
        ("fingerprint", whole["fingerprint"].to_string()),
        ("end", whole["end"].to_string()),
        ("rows", list("rows")),
        ("delays", list("delays")),
        ("others", list("others")),
    ];
    // Most runs have one seed, and `others` is left out then.
    let fields = fields
        .into_iter()
        .filter(|(name, _)| *name != "others" || !run.others.is_empty());
    let fields: Vec<String> = fields
        .map(|(name, value)| format!(" \"{name}\": {value}"))
        .collect();
    format!("{{\n{}\n}}", fields.join(",\n"))
}
