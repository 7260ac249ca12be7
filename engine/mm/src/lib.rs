//! The memory-management engine of mmscope.
#![forbid(unsafe_code)]

pub mod arch;
pub mod block;
pub mod buddy;
pub mod catalog;
pub mod check;
pub mod costs;
pub mod counters;
pub mod experiment;
pub mod fallback;
pub mod filemap;
#[cfg(test)]
mod flip;
pub mod frames;
mod gather;
pub mod gfp;
pub mod hash;
pub mod json;
pub mod kernel;
pub mod layout;
pub mod list;
pub mod machine;
pub mod map;
pub mod memory;
pub mod mmzone;
pub mod oom;
pub mod ordered;
pub mod page_alloc;
pub mod page_writeback;
pub mod pcp;
pub mod picture;
pub mod proc;
pub mod procfs;
pub mod profile;
pub mod read;
pub mod rmap;
pub mod rng;
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
pub mod trace;
pub mod tunables;
pub mod user;
pub mod view;
pub mod vmscan;
pub mod vmstat;
pub mod watermark;
pub mod watermark_ok;
pub mod why;
pub mod workingset;
pub mod workload;
pub mod world;
pub mod zonelist;

/// The engine's version; links carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
