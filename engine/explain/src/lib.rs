//! Explains what real machines print: OOM reports and page allocation failures in the kernel log,
//! `/proc/zoneinfo` with free blocks by order, and `memory.stat` of a memory cgroup.
//!
//! Modelled: which zone passed or failed which watermark check for which request. The sentences use the
//! numbers of the text and the arithmetic of the simulated machine (`facts::watermark_check`).
//! Left out: causes that the text does not show; the sentences say which numbers are missing.
//! Invariants: never panics, whatever the text; each finding names the line of its numbers.
#![forbid(unsafe_code)]

mod blocks;
mod document;
mod era;
mod files;
mod lines;
mod memory_stat;
mod oom;
mod report;
mod request;
mod words;
mod zoneinfo;

pub use document::{
    Blocks, Document, Explanation, Finding, Kind, Number, Refused, Severity, Unit, Verdict,
    ZoneSummary,
};
pub use files::{File, explain, explain_json};
