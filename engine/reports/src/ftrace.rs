//! Events as the text of a kernel's own trace file.
//!
//! Modelled: nothing; the crate `trace` has the table of tracepoints and prints. Left out: reading.
//! Invariants: see `trace::print`.

pub mod document;
pub mod stream;

pub use trace::{Dialect, Line, NOTHING, Printer};
