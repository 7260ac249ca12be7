//! The door that reads experiments: checks them and packs what the engine boots.
//!
//! A module of its own, so that nobody waits for it before the first figure: the experiments a page
//! opens by itself were packed when it was built, by the same code. It holds no machine.

use mm::experiment::{Experiment, Raw};
use mm::json;
use mm::plan::Plan;
use mm::view::Refusal;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Why an experiment cannot run.
#[derive(Serialize)]
struct Refused {
    /// By field.
    refusals: Vec<Refusal>,
    /// The nearest experiment that can, as JSON.
    nearest: Option<String>,
}

/// What reading an experiment came to: the first two, or the last.
#[wasm_bindgen(getter_with_clone)]
pub struct Reading {
    /// What the engine opens.
    pub plan: Option<Vec<u8>>,
    /// What is said when it is open, as JSON.
    pub opened: Option<String>,
    /// Why it cannot be, as JSON: `{"refusals": [...], "nearest": JSON text or null}`.
    pub refused: Option<String>,
}

/// Checks the JSON of an experiment and packs it.
#[wasm_bindgen]
pub fn read_experiment(text: &str) -> Reading {
    match checked(text) {
        Ok(experiment) => {
            let plan = Plan::of(&experiment);
            let opened = picture::opened(&plan.facts, &experiment);
            Reading {
                plan: Some(plan.pack()),
                opened: Some(json::text(&opened)),
                refused: None,
            }
        }
        Err(refused) => Reading {
            plan: None,
            opened: None,
            refused: Some(json::text(&refused)),
        },
    }
}

fn checked(text: &str) -> Result<Experiment, Refused> {
    let raw = Raw::from_json(text).map_err(|refusals| Refused {
        refusals,
        nearest: None,
    })?;
    Experiment::new(raw.clone()).map_err(|refusals| Refused {
        refusals,
        nearest: raw.nearest().map(|raw| json::text(&raw)),
    })
}

/// Makes a panic's words those of the trap.
#[wasm_bindgen(start)]
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(info.payload_as_str().unwrap_or("it stopped"))
    }));
}
