//! Captured runs of real kernels: their files, the experiment that repeats each (its twin), and the
//! comparison of both runs.
//!
//! Modelled: the captures' own files as texts; memory, devices, tunables and workload of the guest.
//! Left out: the trace itself, whose summary a capture has. Invariants: no I/O; an external text
//! gives a capture or errors with file and line, never a panic.
#![forbid(unsafe_code)]

pub mod build;
pub mod capture;
pub mod cgroup_counts;
pub mod cgroups;
pub mod compare;
pub mod delays;
pub mod distribution;
pub mod equal_work;
pub mod fault;
pub mod files;
pub mod generations;
pub mod given;
pub mod log;
pub mod machine;
pub mod moment;
pub mod opened;
pub mod reached;
pub mod samples;
pub mod score;
pub mod statics;
pub mod sysctl;
pub mod tally;
pub mod twin;
pub mod waits;
pub mod watch;
pub mod workload;

pub use crate::capture::Capture;
pub use fault::{Fault, Outcome};
pub use files::Files;
