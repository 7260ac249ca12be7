//! The memory-management engine of mmscope.
#![forbid(unsafe_code)]

pub mod arch;
pub mod buddy;
pub mod check;
pub mod costs;
pub mod counters;
pub mod experiment;
pub mod fallback;
#[cfg(test)]
mod flip;
pub mod frames;
pub mod gfp;
pub mod hash;
pub mod json;
pub mod kernel;
pub mod kswapd;
pub mod layout;
pub mod list;
pub mod machine;
pub mod map;
pub mod memory;
pub mod mmzone;
pub mod ordered;
pub mod page_alloc;
pub mod pcp;
pub mod picture;
pub mod proc;
pub mod procfs;
pub mod profile;
pub mod read;
pub mod rng;
pub mod sched;
pub mod session;
pub mod show;
pub mod slowpath;
pub mod snapshot;
pub mod space;
pub mod stack;
pub mod sysctl;
pub mod trace;
pub mod tunables;
pub mod user;
pub mod view;
pub mod vmstat;
pub mod watermark;
pub mod watermark_ok;
pub mod why;
pub mod workload;
pub mod world;
pub mod zonelist;

/// The engine's version; links carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
