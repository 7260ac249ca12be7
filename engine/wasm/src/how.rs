//! The kinds of a step and of a step back.
#![allow(missing_docs, reason = "the attribute generates items without docs")]

use wasm_bindgen::prelude::*;

/// The end of a step of the followed task.
#[wasm_bindgen]
pub enum StepHow {
    /// Its next point.
    Into = "into",
    /// Its next point in this function or a caller.
    Over = "over",
    /// Its next point in a caller.
    Out = "out",
    /// The next point of any task.
    Any = "any",
}

/// The point that a step back undoes.
#[wasm_bindgen]
pub enum BackHow {
    /// The followed task's last point, or the machine's when no task is followed.
    Step = "step",
    /// The call of the followed task's current function.
    Call = "call",
}
