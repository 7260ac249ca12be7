//! Functions on text that need no machine: reading experiments and dumps, printing traces, scoring tables.
//!
//! The page passes texts from readers to a separate instance of this module, so that they cannot harm the
//! running machine.

use mm::experiment::{Experiment, Raw};
use mm::plan::Plan;
use mm::procfs::import::{self, ImportOptions};
use mm::read::written;
use mm::view::{Opened, Refusal};
use reports::sweep;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// The reasons why an experiment cannot run.
#[derive(Serialize)]
struct Refused {
    /// By field.
    refusals: Vec<Refusal>,
    /// The nearest valid experiment, as JSON.
    nearest: Option<String>,
}

/// Checks the JSON of an experiment. The result is JSON: `{"ok": Opened}`, or
/// `{"refused": {"refusals": [...], "nearest": JSON text or null}}`.
#[wasm_bindgen]
pub fn read_experiment(text: &str) -> String {
    outcome(checked(text))
}

fn checked(text: &str) -> Result<Opened, Refused> {
    let raw = Raw::from_json(text).map_err(|refusals| Refused {
        refusals,
        nearest: None,
    })?;
    let experiment = Experiment::new(raw.clone()).map_err(|refusals| Refused {
        refusals,
        nearest: raw.nearest().map(|raw| written(&raw)),
    })?;
    Ok(picture::opened(&Plan::of(&experiment).facts, &experiment))
}

/// Makes a machine from a pasted zoneinfo; options and result are JSON: `{"ok": report}` or
/// `{"refused": [...]}`.
#[wasm_bindgen]
pub fn import_zoneinfo(text: &str, options: &str) -> String {
    outcome(ImportOptions::from_json(options).and_then(|o| import::import_zoneinfo(text, &o)))
}

/// Opens the capture of a real kernel's run. `files` is a JSON object of file names and texts, unpacked. The
/// result is JSON: `{"ok": Opened}`, see [`capture::opened`], or `{"refused": [{"file", "line", "reason"}]}`.
#[wasm_bindgen]
pub fn read_capture(files: &str) -> String {
    outcome(capture::opened::open_json(files))
}

/// Checks the file of a sweep. The result is JSON: `{"ok": plan}`, see [`reports::sweep::text::planned`], or
/// `{"refused": [sentence]}`.
#[wasm_bindgen]
pub fn plan_sweep(file: &str) -> String {
    outcome(sweep::text::planned(file).map_err(|refused| refused.0))
}

/// An experiment of a sweep, by the values of its axes. The result is JSON: `{"ok": experiment as JSON text}` or
/// `{"refused": [sentence]}`.
#[wasm_bindgen]
pub fn sweep_experiment(file: &str, values: &str) -> String {
    outcome(sweep::text::experiment(file, values).map_err(|refused| refused.0))
}

/// The lines of a sweep's runs; see [`reports::sweep::text::lines`]. The result is JSON: `{"ok": lines}` or
/// `{"refused": [sentence]}`.
#[wasm_bindgen]
pub fn sweep_lines(file: &str, runs: &str) -> String {
    outcome(sweep::text::lines(file, runs).map_err(|refused| refused.0))
}

/// Explains OOM reports, allocation failures and listings of /proc/zoneinfo. `files` is JSON,
/// `[{"name": ..., "text": ...}]`; the result is JSON: `{"ok": Explanation}` or `{"refused": [...]}`.
#[wasm_bindgen]
pub fn explain_machine(files: &str) -> String {
    outcome(explain::explain_json(files).map_err(|reason| {
        [Refusal {
            path: "files".to_string(),
            reason,
        }]
    }))
}

fn outcome<T: Serialize, E: Serialize>(found: Result<T, E>) -> String {
    match found {
        Ok(value) => format!("{{\"ok\":{}}}", written(&value)),
        Err(why) => format!("{{\"refused\":{}}}", written(&why)),
    }
}

/// Events as the trace file of a kernel given by its id; see [`reports::ftrace::document::print`].
///
/// # Errors
/// The events cannot be read.
#[wasm_bindgen]
pub fn print_ftrace(kernel: &str, events: &str) -> Result<String, JsError> {
    reports::ftrace::document::print(kernel, events).map_err(|reason| JsError::new(&reason))
}

/// Compares a run's values with published ones; see [`reports::sheet::score_json`].
///
/// # Errors
/// The lists do not belong to one table.
#[wasm_bindgen]
pub fn score_table(
    metrics: Vec<String>,
    units: Vec<String>,
    published: &[f64],
    simulated: &[f64],
) -> Result<String, JsError> {
    reports::sheet::score_json(&metrics, &units, published, simulated)
        .ok_or_else(|| JsError::new("the lists belong to different tables"))
}
