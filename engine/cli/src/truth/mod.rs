//! `mmscope truth`: the comparisons of the engine with real kernels, and their results, made by running
//! the engine.
//!
//! Read: the captures and recorded cases in `engine/mm/tests/data`, the published tables in
//! `lessons/figures`. The page shows the result unchanged; no value is entered by hand.

mod machines;
mod marks;
mod tables;
mod twins;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::args::Parsed;
use crate::failure::{Outcome, bad};
use crate::output::print;

/// The folder with the output of real kernels.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../mm/tests/data");

/// Prints the results as JSON.
///
/// # Errors
/// The input is bad, or the pipe is closed.
pub fn truth(parsed: &Parsed) -> Outcome<()> {
    let made = match parsed.value("--tables") {
        None => against_all()?,
        Some("teaching") => tables::made(tables::Size::Teaching)?,
        Some("full") => tables::made(tables::Size::Full)?,
        Some(other) => {
            return Err(bad(format!("--tables {other}: choose teaching or full")));
        }
    };
    print(&format!("{made:#}\n"))
}

/// Watermarks, machines, twins, and the published tables at teaching size.
///
/// # Errors
/// Recorded data cannot be read.
fn against_all() -> Outcome<Value> {
    let twins = twins::made(Path::new(RECORDED))?;
    Ok(json!({
        "engine": engine(),
        "marks": marks::made(Path::new(RECORDED))?,
        "machines": machines::made(Path::new(RECORDED))?,
        "twins": twins.runs,
        "twins_score": twins.score,
        "teaching": tables::made(tables::Size::Teaching)?,
    }))
}

/// This engine: its version, and a number that changes when recorded runs give other results.
fn engine() -> Value {
    json!({"version": mm::VERSION, "behaviour": behaviour()})
}

/// FNV-1a of the file of state hashes, which every change of behaviour changes.
fn behaviour() -> String {
    let runs = include_bytes!("../../../mm/tests/data/hashes.txt");
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", runs.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

/// The folders of recorded data with matching names, sorted by name.
fn folders(recorded: &Path, is_wanted: impl Fn(&str) -> bool) -> Outcome<Vec<PathBuf>> {
    let name = recorded.display().to_string();
    let entries =
        std::fs::read_dir(recorded).map_err(|error| crate::failure::io_fault(&name, &error))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.is_dir() && is_wanted(&name_of(path)))
        .collect();
    paths.sort();
    Ok(paths)
}

/// The last part of a path.
fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
