//! Reports of a run: the rows of published tables, the agreement of a run with a table, and the run's events
//! as a kernel's own trace file.
//!
//! Modelled: the arithmetic of the benchmarks' own reports: MMTests' tables of `/proc/vmstat`,
//! fs_mark's files a second, tiobench's MB a second, the distribution of latencies, delays by
//! ticks. Left out: statistics that were not published. Visible difference: a run's User/Sys time
//! leaves out interrupts, which a kernel charges to the interrupted task. Invariants: everything
//! here is a pure function of a machine's counts, and only reads the machine. Fractions are
//! computed only here, and none is passed back to a machine.
//!
//! It is a separate crate because only the command line and late-loading parts of the page need it.
#![forbid(unsafe_code)]

pub mod delays;
pub mod figures;
pub mod ftrace;
pub mod latency;
pub mod measured;
pub mod rows;
pub mod score;
pub mod sheet;
pub mod sweep;
pub mod table;
pub mod vmscan;
pub mod who_paid;

pub use measured::{Measured, Phase};
pub use rows::{Row, rows};
