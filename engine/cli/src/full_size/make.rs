//! `mmscope fidelity --write`: runs the missing and outdated experiments, and stores the results.

use std::path::Path;

use mm::experiment::Raw;
use mm::machine::Machine;
use reports::measured::Measured;
use reports::rows::{Row, rows};
use reports::sheet::run_json;
use serde_json::Value;

use super::{End, Fingerprint, Job, Kept, OtherSeed, Results, Standing, checked, date, standings};
use crate::failure::{Outcome, bad};
use crate::output::say;
use crate::runs;

/// Makes the stored runs of some jobs and writes the file after each, so that an interrupted
/// command can be started again and continues. `all` are the jobs of every table: runs that belong
/// to no table are removed.
///
/// # Errors
/// The file cannot be read or written, or an experiment cannot run.
pub fn make(path: &Path, wanted: &[Job], all: &[Job], again: bool) -> Outcome<Results> {
    let mut results = Results::read(path)?;
    say("comparing the stored results with this engine");
    let standings = standings(wanted, &results).map_err(bad)?;
    let left: Vec<Job> = standings
        .into_iter()
        .filter(|(_, standing)| again || *standing != Standing::Current)
        .map(|(job, _)| job)
        .collect();
    say(&format!(
        "{} of {} runs are up to date; {} to run",
        wanted.len() - left.len(),
        wanted.len(),
        left.len()
    ));
    let mut failed = None;
    let mut made = 0;
    let before = results.clone();
    let run = |job: &Job| run(job, before.of(job).filter(|_| !again));
    runs::on_every_processor(&left, run, |_, ran| {
        let kept = match ran {
            Ok(kept) => kept,
            Err(reason) => return failed = Some(bad(reason)),
        };
        made += 1;
        say(&format!(
            "{} of {}: {}, kernel {}, {} steps",
            made,
            left.len(),
            kept.experiment,
            kept.kernel,
            kept.end.step
        ));
        results.put(kept);
        results.order(all);
        if let Err(fault) = results.write(path) {
            failed = Some(fault);
        }
    });
    match failed {
        Some(fault) => Err(fault),
        None => Ok(results),
    }
}

/// Runs a job to its end with each seed that the stored run does not have.
fn run(job: &Job, before: Option<&Kept>) -> Result<Kept, String> {
    let fingerprint = Fingerprint::of(job)?;
    let raw = job.raw()?;
    let same = before.filter(|kept| kept.fingerprint == fingerprint && kept.seed == raw.seed);
    let mut kept = match same {
        Some(kept) => kept.clone(),
        None => {
            let (seed, ran) = (raw.seed, run_seed(job, raw.clone())?);
            Kept {
                experiment: job.experiment.clone(),
                kernel: job.kernel.clone(),
                seed,
                made: date::today(),
                version: mm::VERSION.to_string(),
                fingerprint,
                end: ran.end,
                rows: ran.rows,
                delays: ran.delays,
                others: Vec::new(),
            }
        }
    };
    for more in kept.seeds()..job.seeds {
        let seed = raw.seed + more;
        let Ran { end, rows, .. } = run_seed(
            job,
            Raw {
                seed,
                ..raw.clone()
            },
        )?;
        kept.others.push(OtherSeed { seed, end, rows });
    }
    Ok(kept)
}

/// The results of the run of one seed.
struct Ran {
    end: End,
    rows: Vec<Row>,
    delays: Value,
}

fn run_seed(job: &Job, raw: Raw) -> Result<Ran, String> {
    let (experiment, kernel) = (&job.experiment, &job.kernel);
    say(&format!(
        "runs {experiment}, kernel {kernel}, seed {}",
        raw.seed
    ));
    let mut machine = Machine::boot(&checked(raw)?);
    machine.run(u64::MAX, u64::MAX);
    let position = machine.position();
    let told: Value = serde_json::from_str(&run_json(&machine)).unwrap_or_default();
    Ok(Ran {
        end: End {
            step: position.step,
            time_ns: position.time_ns,
            hash: format!("{:016x}", machine.hash()),
        },
        rows: rows(&Measured::of(&machine)),
        delays: told["delays"].clone(),
    })
}
