//! The second door: printing and importing the files of /proc, traces as a kernel's own file, and
//! the rows of published tables with their scores.
//!
//! A module of its own, so that a visitor who never opens those dialogs does not download it. It
//! holds no machine: a moment crosses as an experiment and a row of numbers ([`Snapshot`]).

use mm::experiment::Experiment;
use mm::json;
use mm::layout::Layout;
use mm::proc::{self, File};
use mm::procfs::import::{self, ImportOptions};
use mm::snapshot::Snapshot;
use wasm_bindgen::prelude::*;

/// A file ("zoneinfo") as the experiment's kernel would print it at the moment of a snapshot.
///
/// # Errors
/// There is no such file, or the numbers are not of this experiment.
#[wasm_bindgen]
pub fn print_file(file: &str, experiment: &str, snapshot: &[u64]) -> Result<String, JsError> {
    let known = File::NAMES.iter().find(|(name, _)| *name == file);
    let &(_, file) = known.ok_or_else(|| JsError::new("there is no such file"))?;
    let experiment = Experiment::from_json(experiment)
        .map_err(|_| JsError::new("the experiment cannot be read"))?;
    let features = &experiment.kernel.features;
    let layout = Layout::new(&experiment.machine, features);
    let now = Snapshot::from_numbers(&experiment, &layout, snapshot)
        .ok_or_else(|| JsError::new("the numbers are of another experiment"))?;
    let view = proc::view(&layout, features, experiment.machine.thp, &now);
    Ok(file.print(features, &view))
}

/// Events as the trace file of a kernel given by its id; see [`reports::ftrace::document::print`].
///
/// # Errors
/// The events cannot be read.
#[wasm_bindgen]
pub fn print_ftrace(kernel: &str, events: &str) -> Result<String, JsError> {
    reports::ftrace::document::print(kernel, events).map_err(|reason| JsError::new(&reason))
}

/// What a benchmark's report says of a run, from the experiment and the engine's `snapshot` and
/// `stopwatch`; see [`reports::sheet::rows_json`].
///
/// # Errors
/// The numbers are not of this experiment.
#[wasm_bindgen]
pub fn report_rows(
    experiment: &str,
    snapshot: &[u64],
    stopwatch: &[u64],
) -> Result<String, JsError> {
    let experiment = Experiment::from_json(experiment)
        .map_err(|_| JsError::new("the experiment cannot be read"))?;
    reports::sheet::rows_json(&experiment, snapshot, stopwatch)
        .ok_or_else(|| JsError::new("the numbers are of another experiment"))
}

/// Holds a run's values against published ones; see [`reports::sheet::score_json`].
///
/// # Errors
/// The lists are not of one table.
#[wasm_bindgen]
pub fn score_table(
    metrics: Vec<String>,
    units: Vec<String>,
    published: &[f64],
    simulated: &[f64],
) -> Result<String, JsError> {
    reports::sheet::score_json(&metrics, &units, published, simulated)
        .ok_or_else(|| JsError::new("the lists are of different tables"))
}

/// Makes a machine from a pasted zoneinfo; options and outcome are JSON: `{"ok": report}` or
/// `{"refused": [...]}`.
#[wasm_bindgen]
pub fn import_zoneinfo(text: &str, options: &str) -> String {
    let outcome = ImportOptions::from_json(options).and_then(|o| import::import_zoneinfo(text, &o));
    match outcome {
        Ok(report) => format!("{{\"ok\":{}}}", json::text(&report)),
        Err(refusals) => format!("{{\"refused\":{}}}", json::text(&refusals)),
    }
}

/// Makes a panic's words those of the trap.
#[wasm_bindgen(start)]
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(info.payload_as_str().unwrap_or("it stopped"))
    }));
}
