//! A twin of every captured run that can be repeated.

use std::path::Path;

use capture::compare::{Row, counters_json};
use serde_json::{Value, json};

use super::{folders, name_of};
use crate::failure::{Failure, Outcome};
use crate::output::say;

use crate::twin::{SideBySide, side_by_side};

/// Every captured run: the counters of both side by side, or why it is not repeated.
pub fn made(recorded: &Path) -> Outcome<Value> {
    let mut out = Vec::new();
    for folder in folders(recorded, |name| name.starts_with("dyn-"))? {
        let name = name_of(&folder);
        say(&format!("twin of {name}"));
        match side_by_side(&folder.display().to_string()) {
            Ok(both) => out.push(as_json(&both)),
            Err(Failure::Bad(reason)) => {
                // The path does not help a reader; the fault does.
                let fault = reason.rsplit(": ").next().unwrap_or_default();
                let reason = fault.split(';').next().unwrap_or_default();
                out.push(json!({"name": name, "not_run": reason}));
            }
            Err(closed) => return Err(closed),
        }
    }
    Ok(Value::Array(out))
}

fn as_json(both: &SideBySide) -> Value {
    let large: Vec<&Row> = both.rows.iter().filter(|row| row.is_large()).collect();
    let known = large.iter().filter(|row| row.absent.is_none());
    let near = known.clone().filter(|row| !row.is_far());
    json!({
        "name": both.name, "release": both.release, "kernel": both.kernel,
        "workload": both.workload, "assumed": both.assumed, "finished": both.finished,
        "seconds": {"real": both.real_seconds, "simulated": both.seconds},
        "large": known.count(), "near": near.count(),
        "counters": counters_json(&both.rows),
    })
}
