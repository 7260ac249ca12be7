//! `mmscope twin --all DIR`: the twins of all captures in a folder, and the error of the engine over all
//! of them and by kernel ([`capture::score`]).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use capture::score::{Errors, Score};
use capture::statics::{Statics, is_static};
use serde_json::{Value, json};

use super::folder::{files_of, refused};
use super::side_by_side;
use crate::failure::{Failure, Outcome, bad, io_fault};
use crate::output::{print, say};

/// The result for a folder.
enum Outcomes {
    /// A twin was run.
    Run {
        kernel: &'static str,
        errors: Errors,
    },
    /// A machine without a workload: zones compared and differences.
    Static { compared: usize, differ: usize },
    /// The capture is invalid.
    Refused(String),
}

/// Runs all twins below a folder and prints the score.
///
/// # Errors
/// The folder cannot be read, or the pipe is closed.
pub fn all(folder: &Path, as_json: bool) -> Outcome<()> {
    let folders = captures(folder)?;
    if folders.is_empty() {
        let folder = folder.display();
        return Err(bad(format!("{folder}: no folder in it has a shape.json")));
    }
    let mut sums: BTreeMap<&'static str, Errors> = BTreeMap::new();
    let mut whole = Errors::default();
    let mut rows = Vec::new();
    for path in folders {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        say(&format!("twin of {name}"));
        let outcome = outcome(&path)?;
        if let Outcomes::Run { kernel, errors } = &outcome {
            sums.entry(kernel).or_default().add(errors);
            whole.add(errors);
        }
        rows.push((name.into_owned(), outcome));
    }
    match as_json {
        true => print(&format!("{:#}\n", to_json(&rows, &sums, &whole))),
        false => print(&to_text(&rows, &sums, &whole)),
    }
}

/// The folders of captures, by name.
fn captures(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| io_fault(folder.display(), &error))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|p| p.join("shape.json").is_file()).collect();
    paths.sort();
    Ok(paths)
}

fn outcome(path: &Path) -> Outcome<Outcomes> {
    let done = files_of(path).and_then(|files| match is_static(&files) {
        true => {
            let made = Statics::read(&files).map_err(|faults| refused(path, &faults))?;
            let phases = made.phases.iter();
            Ok(Outcomes::Static {
                compared: made.zones.len() + phases.clone().map(|p| p.zones).sum::<usize>(),
                differ: made.zones.iter().filter(|z| !z.differ.is_empty()).count()
                    + phases.map(|p| p.differ.len()).sum::<usize>(),
            })
        }
        false => {
            let both = side_by_side(&path.display().to_string())?;
            Ok(Outcomes::Run {
                kernel: both.kernel,
                errors: Errors::of(&both.rows),
            })
        }
    });
    match done {
        Ok(outcome) => Ok(outcome),
        Err(Failure::Bad(reason)) => {
            // The folder is already at the beginning of the line.
            let folder = format!("{}/", path.display());
            Ok(Outcomes::Refused(reason.replace(&folder, "")))
        }
        Err(closed) => Err(closed),
    }
}

fn to_text(
    rows: &[(String, Outcomes)],
    sums: &BTreeMap<&'static str, Errors>,
    whole: &Errors,
) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut out = format!(
        "{:width$} {:>8} {:>8} {:>8} {:>8}\n",
        "capture", "kernel", "counters", "mean", "median"
    );
    for (name, outcome) in rows {
        let _ = match outcome {
            Outcomes::Run { kernel, errors } => {
                writeln!(out, "{}", line(name, width, kernel, &errors.score()))
            }
            Outcomes::Static { compared, differ } => writeln!(
                out,
                "{name:width$} no run: {compared} zones compared, {differ} differences"
            ),
            Outcomes::Refused(reason) => {
                let reason = reason.replace('\n', "; ");
                writeln!(out, "{name:width$} not repeated: {reason}")
            }
        };
    }
    out.push('\n');
    for (kernel, errors) in sums {
        let _ = writeln!(out, "{}", line("", width, kernel, &errors.score()));
    }
    let _ = writeln!(out, "{}", line("all captures", width, "", &whole.score()));
    out.push_str(
        "\nError of a counter: |simulated - real| / real, at most 100 %. Scored is every counter that the real\nrun moved by more than 1,000, without those of mechanisms that the engine declares absent.\n",
    );
    out
}

fn line(name: &str, width: usize, kernel: &str, score: &Score) -> String {
    let percent =
        |part: Option<f64>| part.map_or("-".to_string(), |p| format!("{:.1} %", p * 100.0));
    format!(
        "{name:width$} {kernel:>8} {:>8} {:>8} {:>8}",
        score.counters,
        percent(score.mean),
        percent(score.median)
    )
}

fn to_json(
    rows: &[(String, Outcomes)],
    sums: &BTreeMap<&'static str, Errors>,
    whole: &Errors,
) -> Value {
    let row = |(name, outcome): &(String, Outcomes)| match outcome {
        Outcomes::Run { kernel, errors } => {
            json!({"name": name, "kernel": kernel, "score": errors.score()})
        }
        Outcomes::Static { compared, differ } => {
            json!({"name": name, "zones": compared, "differ": differ})
        }
        Outcomes::Refused(reason) => json!({"name": name, "refused": reason}),
    };
    let by_kernel = sums
        .iter()
        .map(|(kernel, errors)| ((*kernel).to_string(), errors.score()));
    let by_kernel: BTreeMap<String, Score> = by_kernel.collect();
    json!({
        "captures": rows.iter().map(row).collect::<Vec<_>>(),
        "by_kernel": by_kernel,
        "all": whole.score(),
    })
}
