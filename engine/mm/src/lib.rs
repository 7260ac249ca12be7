//! The memory-management engine of mmscope.
//!
//! What is known before a machine runs is in the crate `facts`, whose modules are re-exported here.
#![forbid(unsafe_code)]
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::float_arithmetic,
    clippy::print_stderr,
    clippy::print_stdout
)]

pub mod bandwidth;
pub mod block;
pub mod buddy;
pub mod check;
pub mod compaction;
pub mod counters;
pub mod divergence;
mod exponential;
pub mod fair_zone;
pub mod fallback;
pub mod filemap;
#[cfg(test)]
mod flip;
pub mod frames;
mod gather;
pub mod huge_memory;
pub mod intervention;
pub mod list;
pub mod locks;
pub mod lru_add;
pub mod lru_gen;
pub mod machine;
pub mod map;
pub mod memcg;
pub mod memory;
pub mod mempolicy;
pub mod migrate;
pub mod mmzone;
pub mod numa;
pub mod oom;
pub mod page_alloc;
pub mod page_writeback;
pub mod pcp;
pub mod phases;
pub mod placement;
pub mod plan;
pub mod proc;
pub mod process;
pub mod record;
pub mod rests_on;
pub mod rmap;
pub mod sched;
pub mod session;
pub mod show;
pub mod slab;
pub mod slowpath;
pub mod snapshot;
pub mod space;
pub mod stack;
pub mod swap;
pub mod swapfile;
pub mod sysctl;
pub mod touched;
pub mod user;
pub mod vmscan;
pub mod watch;
pub mod watermark_ok;
pub mod workingset;
pub mod world;
pub mod zlc;

pub use facts::{
    amount, arch, costs, experiment, gfp, index, kernel, layout, procfs, profile, read, rng,
    tunables, view, vmstat, watermark, workload, zone_reclaim, zonelist,
};

/// Version of the engine, which is part of every link.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
