//! The committed full-size results: what every experiment of the published tables came to at its
//! published size, in one file that the page shows and `fidelity --write` makes.
//!
//! A run takes up to ten minutes, so nobody repeats all of them with every change of the engine.
//! Each kept run therefore carries a [`Fingerprint`]: what the engine makes of the same experiment
//! and kernel within seconds. A run whose fingerprint the engine no longer gives is out of date.

mod date;
mod file;
mod fingerprint;
mod make;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::{panic, thread};

use mm::experiment::{self, Experiment, Raw};
use mm::kernel;
use reports::figures::Table;

pub use date::today;
pub use file::{End, Kept, OtherSeed, Results};
pub use fingerprint::Fingerprint;
pub use make::make;

use crate::fidelity::{Ran, Runs, Seeds};

/// Where the project keeps them.
pub const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lessons/full-size.json");
/// What a person types to make them anew.
pub const COMMAND: &str = "npm run sim -- fidelity --write";

/// One run that the tables need: tables of one experiment share it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// Which experiment.
    pub experiment: String,
    /// On which kernel.
    pub kernel: String,
    /// With how many seeds, from the experiment's own on.
    pub seeds: u64,
}

impl Job {
    /// Is it the same run, with however many seeds?
    fn is_like(&self, other: &Job) -> bool {
        (&self.experiment, &self.kernel) == (&other.experiment, &other.kernel)
    }

    /// The experiment with the kernel of this job.
    ///
    /// # Errors
    /// There is no such experiment or kernel, or they do not go together.
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

/// An experiment, checked.
///
/// # Errors
/// It does not run, with the first reason.
pub fn checked(raw: Raw) -> Result<Experiment, String> {
    let (id, kernel) = (raw.id.clone(), raw.kernel.clone());
    Experiment::new(raw).map_err(|refusals| {
        let first = refusals.first();
        let reason = first.map_or(String::new(), |r| format!("{}: {}", r.path, r.reason));
        format!("{id} does not run with kernel {kernel:?}: {reason}")
    })
}

/// Every run that some tables need and that can be made, each once, in the order of the tables: of a
/// kernel that is not modelled there is none.
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

/// The runs of those tables of which something can be compared.
pub fn jobs_of_modelled(tables: &[Table]) -> Vec<Job> {
    let is_modelled = |table: &&Table| table.comparable().is_ok();
    let modelled: Vec<Table> = tables.iter().filter(is_modelled).cloned().collect();
    jobs(&modelled)
}

/// How the kept run of a job stands to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The engine still gives its fingerprint.
    Current,
    /// It does not: the engine or the experiment has changed since.
    Stale,
    /// There is none, or not with each seed.
    Missing,
}

/// How each job's kept run stands to the engine, worked out on every processor.
///
/// # Errors
/// An experiment that does not run.
pub fn standings(jobs: &[Job], results: &Results) -> Result<Vec<(Job, Standing)>, String> {
    let stand = |job: &Job| {
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
    let mut found: Vec<Option<Result<Standing, String>>> = vec![None; jobs.len()];
    side_by_side(jobs, stand, |place, standing| found[place] = Some(standing));
    let all = jobs.iter().zip(found.into_iter().flatten());
    all.map(|(job, standing)| Ok((job.clone(), standing?)))
        .collect()
}

/// Does work for each item on every processor there is, and hands over what came of it as it comes.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(usize, R),
) {
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cpus.min(items.len()))
            .map(|_| {
                let sender = sender.clone();
                scope.spawn(|| {
                    let sender = sender;
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(place) else { return };
                        if sender.send((place, work(item))).is_err() {
                            return;
                        }
                    }
                })
            })
            .collect();
        drop(sender);
        for (place, result) in receiver {
            done(place, result);
        }
        for worker in workers {
            if let Err(fault) = worker.join() {
                panic::resume_unwind(fault);
            }
        }
    });
}

/// What the kept runs say, in the place of runs: a job without one says that it has not been made.
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
