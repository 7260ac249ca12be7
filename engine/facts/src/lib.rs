//! Everything known before a machine runs: page sizes and zones, kernel variants, machines, watermarks and
//! zonelists, tunables, workloads, experiments. It also reads them from outside, refuses impossible ones, and
//! prints and imports the files of /proc.
//!
//! It is a separate crate because it runs once, when an experiment is opened. The page's build optimizes it
//! for size, and the crate `mm`, which runs the machine, for speed.
#![forbid(unsafe_code)]
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::float_arithmetic,
    clippy::print_stderr,
    clippy::print_stdout
)]

// Derived code refers to this crate by its name.
extern crate self as facts;

pub mod amount;
pub mod arch;
pub mod costs;
pub mod experiment;
pub mod gfp;
pub mod index;
pub mod intervention;
pub mod kernel;
pub mod layout;
pub mod procfs;
pub mod profile;
pub mod read;
pub mod rng;
pub mod schema;
pub mod state;
pub mod tunables;
pub mod view;
pub mod vmstat;
pub mod watermark;
pub mod watermark_check;
pub mod workload;
pub mod zone_reclaim;
pub mod zonelist;
