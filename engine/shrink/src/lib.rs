//! The smallest experiment for which a statement about counters still holds.
//!
//! Modelled: a greedy search. A smaller experiment for which the statement holds replaces the one before, until
//! no neighbour of it is left for which the statement holds.
//! Left out: the smallest of all experiments; the result is a local minimum.
//! Invariants: the statement holds for every experiment that replaces another, and each is smaller than the
//! one before, so the search ends. Nothing here reads, writes or waits; the caller decides how long a slice is.
#![forbid(unsafe_code)]

mod neighbours;
mod search;
mod statement;
#[cfg(test)]
mod tests;
mod trial;

pub use neighbours::{Size, described, neighbours};
pub use search::{Best, Search};
pub use statement::{Fault, Figure, Statement};
pub use trial::{Trial, Verdict};
