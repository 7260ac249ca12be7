//! The search for a small experiment, in slices.

use mm::experiment::{Experiment, Raw};
use mm::read::written;
use serde::Serialize;
use shrink::{Best, Fault, Search, Size, Statement, described};
use wasm_bindgen::prelude::*;

/// The progress of a search.
#[derive(Serialize)]
struct Found<'a> {
    /// The number of experiments tried.
    runs: u64,
    /// The number of neighbours smaller than the best experiment, and how many of them have failed.
    neighbours: (usize, usize),
    /// Whether the search has ended because no neighbour is left.
    done: bool,
    /// The size of the best experiment.
    size: Option<Size>,
    /// The best experiment and its counters, if it has changed since the last call.
    best: Option<Changed<'a>>,
}

#[derive(Serialize)]
struct Changed<'a> {
    /// Its canonical JSON.
    experiment: String,
    figures: &'a [shrink::Figure],
}

/// A search for the smallest experiment for which a statement holds.
#[wasm_bindgen]
pub struct Shrink {
    search: Search,
    sent: Option<Best>,
}

#[wasm_bindgen]
impl Shrink {
    /// Starts from an experiment, given as validated JSON. See [`Statement::parse`].
    #[wasm_bindgen(constructor)]
    pub fn new(experiment: &str, statement: &str) -> Result<Shrink, JsError> {
        let experiment = crate::read_experiment(experiment)?;
        let statement = Statement::parse(statement, None).map_err(|fault| error(&fault))?;
        let search = Search::begin(statement, described(&experiment));
        Ok(Shrink {
            search: search.map_err(|fault| error(&fault))?,
            sent: None,
        })
    }

    /// Continues by at most about `max_steps` points. The result is JSON, see [`Found`].
    pub fn more(&mut self, max_steps: f64) -> Result<String, JsError> {
        let done = self.search.more(max_steps as u64);
        let done = done.map_err(|fault| error(&fault))?;
        let best = self.search.best();
        let changed = best.filter(|best| self.sent.as_ref() != Some(*best));
        let text = written(&Found {
            runs: self.search.runs(),
            neighbours: self.search.neighbours(),
            done,
            size: best.map(|best| Size::of(&best.raw)),
            best: changed.map(|best| Changed {
                experiment: canonical(&best.raw),
                figures: &best.figures,
            }),
        });
        if let Some(best) = changed {
            self.sent = Some(best.clone());
        }
        Ok(text)
    }
}

fn canonical(raw: &Raw) -> String {
    Experiment::new(raw.clone()).map_or_else(|_| written(raw), |experiment| experiment.canonical())
}

fn error(fault: &Fault) -> JsError {
    JsError::new(&fault.to_string())
}
