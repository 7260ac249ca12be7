//! The smallest experiment for which a statement about counters still holds.
//!
//! Modelled: a greedy search. A smaller experiment for which the statement holds replaces the
//! previous one, until the statement holds for none of its neighbours. Left out: the smallest of
//! all experiments; the result is a local minimum. Invariants: the statement holds for every
//! experiment that replaces another, and each is smaller than the previous one, so the search ends.
//! This crate does no I/O and never waits; the caller chooses the length of a slice.
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
