//! The search for a small experiment, in slices.

use mm::experiment::{Experiment, Raw};
use mm::read::written;
use serde::Serialize;
use shrink::{Best, Fault, Search, Size, Statement, described};
use wasm_bindgen::prelude::*;

/// How far a search is.
#[derive(Serialize)]
struct Found<'a> {
    /// Experiments that were tried.
    runs: u64,
    /// Smaller experiments around the best one, and how many of them have failed.
    neighbours: (usize, usize),
    /// The search has ended: none of them is left.
    done: bool,
    /// The size of the best one.
    size: Option<Size>,
    /// The best one and its counters, if it has changed since the last call.
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
    /// Begins at an experiment, given as JSON that was checked. See [`Statement::parse`].
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
