//! A twin of every captured run that can be repeated.

use std::collections::BTreeMap;
use std::path::Path;

use capture::cgroup_counts;
use capture::compare::{CounterRow, counters_json};
use capture::generations::as_json as as_json_of;
use capture::score::{Errors, Score};
use serde_json::{Value, json};

use super::{folders, name_of};
use crate::failure::{Failure, Outcome};
use crate::output::say;
use crate::twin::{SideBySide, side_by_side};

/// Every captured run, and the error of the engine over all of them.
pub struct Twins {
    /// The counters of both runs side by side, or the reason why a run is not repeated.
    pub runs: Value,
    /// The score of all, and by kernel.
    pub score: Value,
}

/// Repeats every captured run.
///
/// # Errors
/// The folder cannot be read.
pub fn made(recorded: &Path) -> Outcome<Twins> {
    let mut out = Vec::new();
    let mut all = Errors::default();
    let mut kernels: BTreeMap<&'static str, Errors> = BTreeMap::new();
    for folder in folders(recorded, |name| name.starts_with("dyn-"))? {
        let name = name_of(&folder);
        say(&format!("twin of {name}"));
        match side_by_side(&folder.display().to_string()) {
            Ok(both) => {
                let errors = Errors::of(&both.rows);
                all.add(&errors);
                kernels.entry(both.kernel).or_default().add(&errors);
                out.push(as_json(&both, errors.score()));
            }
            Err(Failure::Bad(reason)) => {
                // Leaves out the path, because only the error helps the reader.
                let fault = reason.rsplit(": ").next().unwrap_or_default();
                let reason = fault.split(';').next().unwrap_or_default();
                out.push(json!({"name": name, "not_run": reason}));
            }
            Err(closed) => return Err(closed),
        }
    }
    let by_kernel = kernels.iter().map(|(kernel, errors)| {
        let mut row = json!(errors.score());
        row["kernel"] = json!(kernel);
        row
    });
    Ok(Twins {
        runs: Value::Array(out),
        score: json!({"all": all.score(), "by_kernel": by_kernel.collect::<Vec<_>>()}),
    })
}

fn as_json(both: &SideBySide, score: Score) -> Value {
    let large: Vec<&CounterRow> = both.rows.iter().filter(|row| row.is_large()).collect();
    let known = large.iter().filter(|row| row.absent.is_none());
    let near = known.clone().filter(|row| !row.is_far());
    json!({
        "name": both.name, "release": both.release, "kernel": both.kernel,
        "workload": both.workload, "assumed": both.assumed, "finished": both.finished,
        "seconds": {"real": both.real_seconds, "simulated": both.seconds},
        "score": score, "large": known.count(), "near": near.count(),
        "counters": counters_json(&both.rows),
        "generations": as_json_of(&both.generations),
        "cgroups": cgroup_counts::as_json(&both.cgroups),
    })
}
