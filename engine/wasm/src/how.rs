//! The words a step and a step back are asked for with.
#![allow(missing_docs, reason = "what the attribute generates has no docs")]

use wasm_bindgen::prelude::*;

/// How far the followed task is to go.
#[wasm_bindgen]
pub enum StepHow {
    /// Its next point.
    Into = "into",
    /// Its next point in this function or a caller.
    Over = "over",
    /// Its next point in a caller.
    Out = "out",
    /// Whatever runs next.
    Any = "any",
}

/// What a step back undoes.
#[wasm_bindgen]
pub enum BackHow {
    /// The followed task's last point, or the machine's when no task is followed.
    Step = "step",
    /// The call of the followed task's current function.
    Call = "call",
}
