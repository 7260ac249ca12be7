//! Traces of kernels, read in the reader's worker.

use mm::read::written;
use serde::Serialize;
use trace::rows::Filter;
use trace::{Reader, series};
use wasm_bindgen::prelude::*;

use crate::floats;

/// A trace that is read in chunks; see [`trace::reader`].
#[wasm_bindgen]
#[derive(Default)]
pub struct TraceReader {
    reader: Reader,
}

#[wasm_bindgen]
impl TraceReader {
    /// Nothing read yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> TraceReader {
        TraceReader::default()
    }

    /// Reads the next chunk, of any size.
    pub fn feed(&mut self, chunk: &[u8]) {
        self.reader.feed(chunk);
    }

    /// The text has ended. The result is the JSON of [`trace::info::Info`].
    pub fn finish(&mut self) -> String {
        self.reader.finish();
        written(&self.reader.info())
    }

    /// Lines read so far, for the progress.
    pub fn lines(&self) -> f64 {
        self.reader.lines() as f64
    }

    /// The events from one ordinal up to another, as rows of the log; the filter is the JSON of
    /// [`trace::rows::Filter`].
    pub fn rows(&self, from: f64, to: f64, filter: Option<String>) -> Result<Vec<f64>, JsError> {
        let filter = match filter {
            Some(text) => Filter::from_json(&text).map_err(|reason| JsError::new(&reason))?,
            None => Filter::default(),
        };
        Ok(floats(self.reader.rows(
            from as usize,
            to as usize,
            &filter,
        )))
    }

    /// Counters over time; `names` is a JSON list. See [`trace::Reader::samples`].
    pub fn samples(&self, names: &str, buckets: usize) -> Result<Vec<f64>, JsError> {
        let names = trace::samples::names(names).map_err(|reason| JsError::new(&reason))?;
        Ok(floats(self.reader.samples(&names, buckets)))
    }
}

/// Reads copies of /proc/vmstat or /proc/zoneinfo that follow each other: `{"ok": Series}` or
/// `{"refused": [...]}`, as JSON.
#[wasm_bindgen]
pub fn read_series(text: &str) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    enum Outcome<T, E> {
        Ok(T),
        Refused(E),
    }
    written(&match series::read(text) {
        Ok(series) => Outcome::Ok(series),
        Err(refusals) => Outcome::Refused(refusals),
    })
}
