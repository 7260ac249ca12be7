//! The results of an experiment after some seconds, used to detect whether a run of minutes would
//! still give the same results.
//!
//! Three things are compared: the text of the experiment, the first steps of the full-size run, and
//! a run of the same benchmark at teaching size. After those steps the full-size machine has hardly
//! begun to reclaim; the small one has reclaimed all the time, with the same code. For both runs
//! the state and the rows of the report are compared, which also finds a change in how rows are
//! counted. A change that has an effect only late in a full-size run and never in the small run is
//! not found: `fidelity --write --again` runs everything.

use mm::experiment::{self, Raw};
use mm::machine::Machine;
use reports::sheet::run_json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Job, checked};

/// Steps of the full-size run.
const FULL_STEPS: u64 = 5_000_000;
/// The maximum number of steps of the run at teaching size; complete runs of most tables are
/// shorter.
const TEACHING_STEPS: u64 = 5_000_000;

/// The early results of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// Hash of the experiment: machine, kernel, workload, tunables, seed and length.
    pub experiment: String,
    /// Hash of the first steps of the full-size run.
    pub full: String,
    /// Hash of a run of the same benchmark at teaching size; none if there is no such size.
    pub teaching: Option<String>,
}

impl Fingerprint {
    /// The fingerprint that this engine computes for a job.
    ///
    /// # Errors
    /// The experiment cannot run.
    pub fn of(job: &Job) -> Result<Fingerprint, String> {
        let raw = job.raw()?;
        let teaching = Job {
            experiment: format!("{}.teach", job.experiment),
            ..job.clone()
        };
        let is_small = experiment::preset(&teaching.experiment).is_some();
        let small = is_small.then(|| teaching.raw().and_then(|raw| early(raw, TEACHING_STEPS)));
        Ok(Fingerprint {
            experiment: hex(fnv(words(&raw).as_bytes())),
            full: early(raw, FULL_STEPS)?,
            teaching: small.transpose()?,
        })
    }
}

/// State and report of a run after this many steps, as one number.
fn early(raw: Raw, steps: u64) -> Result<String, String> {
    let mut machine = Machine::boot(&checked(raw)?);
    machine.run(steps, u64::MAX);
    let report = fnv(run_json(&machine).as_bytes());
    Ok(hex(machine.hash() ^ report.rotate_left(1)))
}

/// Everything in an experiment that its run depends on. Titles of the experiment and its workload are
/// left out.
fn words(raw: &Raw) -> String {
    let named = raw.workload.as_str();
    let workload = named.and_then(|id| experiment::workloads().into_iter().find(|w| w.id == id));
    let workload = workload.and_then(|mut workload| {
        workload.title.clear();
        workload.about.clear();
        serde_json::to_value(workload).ok()
    });
    let raw = Raw {
        title: String::new(),
        workload: workload.unwrap_or_else(|| raw.workload.clone()),
        ..raw.clone()
    };
    serde_json::to_value(&raw).map_or_else(|_| String::new(), |value: Value| value.to_string())
}

/// FNV-1a.
fn fnv(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold)
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_covers_length_and_programs_but_not_the_title() {
        let raw = experiment::preset("large-dd").expect("a preset");
        let titled = Raw {
            title: "Other".to_string(),
            ..raw.clone()
        };
        assert_eq!(words(&raw), words(&titled));
        let longer = Raw {
            length: "9s".to_string(),
            ..raw.clone()
        };
        assert_ne!(words(&raw), words(&longer));
        // The programs themselves, not only the name.
        assert!(words(&raw).contains("processes"), "{}", words(&raw));
    }

    #[test]
    fn kernels_with_different_behaviour_have_different_fingerprints() {
        let of = |kernel: &str| {
            let (experiment, kernel) = ("large-dd".to_string(), kernel.to_string());
            let job = Job {
                experiment,
                kernel,
                seeds: 1,
            };
            Fingerprint::of(&job).expect("it runs")
        };
        let (one, other) = (of("3.0-rc6-vanilla"), of("zlcreconsider"));
        assert_ne!(one.teaching, other.teaching);
        assert_eq!(one, of("3.0-rc6-vanilla"));
    }
}
