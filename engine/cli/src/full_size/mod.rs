//! The committed full-size results: the results of every experiment of the published tables at its
//! published size. They are in one file, which the page shows and `fidelity --write` makes.
//!
//! A run takes up to ten minutes, so they are not all repeated with every change of the engine. Each
//! stored run therefore has a [`Fingerprint`]: the engine's results for the same experiment and kernel
//! after some seconds. A run is out of date when the engine no longer gives its fingerprint.

mod date;
mod file;
mod fingerprint;
mod make;

use std::collections::BTreeMap;

use mm::experiment::{self, Experiment, Raw};
use mm::kernel;
use reports::figures::Table;

pub use date::today;
pub use file::{End, Kept, OtherSeed, Results};
pub use fingerprint::Fingerprint;
pub use make::make;

use crate::fidelity::{Ran, Runs, Seeds};
use crate::runs;

/// The path of the project's results file.
pub const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lessons/full-size.json");
/// The command that recomputes the results.
pub const COMMAND: &str = "npm run sim -- fidelity --write";

/// One run that the tables need; tables of one experiment share it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// The experiment.
    pub experiment: String,
    /// The kernel.
    pub kernel: String,
    /// The number of seeds, beginning with the experiment's own.
    pub seeds: u64,
}

impl Job {
    /// Is it the same run, with any number of seeds?
    fn is_like(&self, other: &Job) -> bool {
        (&self.experiment, &self.kernel) == (&other.experiment, &other.kernel)
    }

    /// The experiment with the kernel of this job.
    ///
    /// # Errors
    /// The experiment or kernel does not exist, or the experiment cannot run on the kernel.
    pub fn raw(&self) -> Result<Raw, String> {
        let Job {
            experiment: id,
            kernel,
            ..
        } = self;
        let raw = experiment::preset(id).ok_or_else(|| format!("there is no experiment {id:?}"))?;
        let found = kernel::find(kernel).ok_or_else(|| format!("there is no kernel {kernel:?}"))?;
        Ok(Raw {
            kernel: found.id.to_string(),
            ..raw
        })
    }
}

/// A checked experiment.
///
/// # Errors
/// The experiment cannot run; the error is the first reason.
pub fn checked(raw: Raw) -> Result<Experiment, String> {
    let (id, kernel) = (raw.id.clone(), raw.kernel.clone());
    Experiment::new(raw).map_err(|refusals| {
        let first = refusals.first();
        let reason = first.map_or(String::new(), |r| format!("{}: {}", r.path, r.reason));
        format!("{id} does not run with kernel {kernel:?}: {reason}")
    })
}

/// Every run that some tables need and that can be made, each once, in the order of the tables. A
/// kernel that is not modelled has none.
pub fn jobs(tables: &[Table]) -> Vec<Job> {
    let mut out: Vec<Job> = Vec::new();
    for table in tables {
        for experiment in table.experiments() {
            for kernel in table.modelled() {
                let job = Job {
                    experiment: experiment.clone(),
                    kernel: kernel.to_string(),
                    seeds: table.seeds,
                };
                match out.iter_mut().find(|other| other.is_like(&job)) {
                    Some(other) => other.seeds = other.seeds.max(job.seeds),
                    None => out.push(job),
                }
            }
        }
    }
    out
}

/// The runs of the tables that can be compared at least in part.
pub fn jobs_of_modelled(tables: &[Table]) -> Vec<Job> {
    let is_modelled = |table: &&Table| table.comparable().is_ok();
    let modelled: Vec<Table> = tables.iter().filter(is_modelled).cloned().collect();
    jobs(&modelled)
}

/// The state of a job's stored run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The engine still computes the stored fingerprint.
    Current,
    /// The engine or the experiment has changed since.
    Stale,
    /// The run is missing, or the run of a seed is missing.
    Missing,
}

/// The state of each job's stored run, computed on every processor.
///
/// # Errors
/// An experiment cannot run.
pub fn standings(jobs: &[Job], results: &Results) -> Result<Vec<(Job, Standing)>, String> {
    let stand = |job: &Job| -> Result<Standing, String> {
        let Some(kept) = results.of(job) else {
            return Ok(Standing::Missing);
        };
        let now = Fingerprint::of(job)?;
        Ok(if kept.fingerprint != now {
            Standing::Stale
        } else if kept.seeds() < job.seeds {
            Standing::Missing
        } else {
            Standing::Current
        })
    };
    let all = jobs.iter().zip(runs::all(jobs, stand));
    all.map(|(job, standing)| Ok((job.clone(), standing?)))
        .collect()
}

/// The stored runs, used instead of new ones. For a job without a stored run, the reason says that
/// it has not been made.
pub fn as_runs(jobs: &[Job], results: &Results) -> Runs {
    let ran = |job: &Job| -> Ran {
        let kept = results.of(job).ok_or_else(|| {
            format!(
                "full-size results of {} with kernel {} have not been made yet: {COMMAND}",
                job.experiment, job.kernel
            )
        })?;
        Ok(Seeds {
            rows: kept.of_each_seed().cloned().collect(),
            steps: kept.end.step,
            time_ns: kept.end.time_ns,
        })
    };
    let key = |job: &Job| (job.experiment.clone(), job.kernel.clone());
    let all = jobs.iter().map(|job| (key(job), ran(job)));
    Runs::from(all.collect::<BTreeMap<_, _>>())
}

#[cfg(test)]
mod tests;
