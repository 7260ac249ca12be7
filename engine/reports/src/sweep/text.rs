//! Sweeps as JSON texts, for a page.
//!
//! Modelled: nothing. Left out: functions of the sibling modules. Invariants: the lines of
//! [`lines`] are equal to those of `mmscope sweep`, byte by byte.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::axes::Axis;
use super::{Complete, Job, Line, Outcome, Sweep, bad, plan};

/// The name of the file in messages.
const NAME: &str = "sweep";

/// A sweep that was checked.
#[derive(Serialize)]
pub struct Planned {
    /// The description of the experiment.
    start: Value,
    axes: Vec<Axis>,
    figures: Option<Vec<String>>,
    /// Every experiment, each once.
    jobs: Vec<Job>,
}

/// Reads the file of a sweep and checks every combination.
///
/// # Errors
/// Every refusal.
pub fn planned(file: &str) -> Outcome<Planned> {
    let sweep = Sweep::parse(NAME, file)?;
    let jobs = plan(&sweep)?;
    Ok(Planned {
        jobs,
        start: sweep.start,
        axes: sweep.axes,
        figures: sweep.figures,
    })
}

/// The canonical JSON of an experiment of a sweep. `values` is a JSON object: the values of the axes by path.
///
/// # Errors
/// Every refusal.
pub fn experiment(file: &str, values: &str) -> Outcome<String> {
    let values: Map<String, Value> = read(values)?;
    Ok(Sweep::parse(NAME, file)?.at(&values)?.canonical())
}

/// A run that has ended.
#[derive(Deserialize)]
struct Run {
    key: String,
    axes: Map<String, Value>,
    #[serde(default)]
    same: Vec<Map<String, Value>>,
    /// A [`Complete`] result as JSON text.
    result: String,
}

/// The lines of some runs. `runs` is a JSON list of `{ "key", "axes", "same", "result" }`, where `result` is the
/// JSON text of a [`Complete`] result.
///
/// # Errors
/// The sweep is invalid, or the runs have a different format.
pub fn lines(file: &str, runs: &str) -> Outcome<String> {
    let sweep = Sweep::parse(NAME, file)?;
    let mut out = String::new();
    for run in read::<Vec<Run>>(runs)? {
        let line = Line {
            key: run.key,
            axes: run.axes,
            same: run.same,
            result: read::<Complete>(&run.result)?.with(sweep.figures.as_deref()),
            experiment: sweep.base.clone(),
        };
        out.push_str(&written(&line));
        out.push('\n');
    }
    Ok(out)
}

/// The complete result of a machine that has run, as JSON.
pub fn complete(machine: &mm::machine::Machine) -> String {
    written(&Complete::of(machine))
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Outcome<T> {
    serde_json::from_str(text).map_err(|e| bad(format!("{NAME}: not of the expected form: {e}")))
}

fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data with names for keys")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sweep::{ran, run};

    const EXPERIMENT: &str = "first-touch.teach";

    #[test]
    fn lines_of_stored_results_equal_those_of_the_command() {
        for figures in [
            Value::Null,
            json!(["pgfault", "pswpout", "no such", "Elapsed time"]),
        ] {
            let mut file = json!({ "experiment": EXPERIMENT, "axes": { "seed": [1, 2] } });
            if !figures.is_null() {
                file["figures"] = figures;
            }
            let file = file.to_string();
            let sweep = Sweep::parse(NAME, &file).expect("a sweep");
            let jobs = plan(&sweep).expect("a plan");
            let told: Vec<Value> = jobs
                .iter()
                .map(|job| {
                    let values = json!(job.axes).to_string();
                    let text = experiment(&file, &values).expect("an experiment");
                    let read = mm::experiment::Experiment::from_json(&text).expect("it is read");
                    assert_eq!(read.key(), job.key);
                    let mut stored = json!(job);
                    stored["result"] = complete(&ran(&read, u64::MAX)).into();
                    stored
                })
                .collect();
            let expected: String = jobs
                .iter()
                .map(|job| written(&run(&sweep, job).expect("a run")) + "\n")
                .collect();
            assert_eq!(lines(&file, &json!(told).to_string()), Ok(expected));
        }
    }

    #[test]
    fn a_refusal_names_the_invalid_part_of_the_input() {
        let refused = |found: Outcome<String>| found.expect_err("a refusal").to_string();
        let file = json!({ "experiment": EXPERIMENT, "axes": { "kernel": ["none"] } }).to_string();
        let found = planned(&file).map(|_| String::new());
        assert!(refused(found).starts_with("sweep: with kernel=none: kernel: "));
        assert!(refused(experiment(&file, "[]")).contains("not of the expected form"));
        assert!(refused(lines(&file, "{}")).contains("not of the expected form"));
    }
}
