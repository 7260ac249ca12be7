//! What is told of a run afterwards: the rows of published tables, how well a run agrees with one,
//! and its events as a kernel's own trace file.
//!
//! Modelled: the arithmetic of the benchmarks' own reports: MMTests' tables of `/proc/vmstat`,
//! fs_mark's files a second, tiobench's MB a second, how latencies lie, delays by ticks.
//! Left out: statistics nobody published.
//! Who could tell: a run's User/Sys time leaves out interrupts, which a kernel charges to whoever is
//! interrupted.
//! Invariants: everything here is a pure function of what a machine has counted; a machine is only
//! read. Fractions are computed here and nowhere below: none of them comes back to a machine.
//!
//! A crate of its own because only the command line and what the page loads late need it.
#![forbid(unsafe_code)]

pub mod delays;
pub mod figures;
pub mod ftrace;
pub mod latency;
pub mod measured;
pub mod rows;
pub mod score;
pub mod sheet;
pub mod table;
pub mod vmscan;

pub use measured::{Measured, Phase};
pub use rows::{Row, rows};
