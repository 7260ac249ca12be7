//! Kernel traces as text: one table of tracepoints, from which both the printer and the reader follow.
//!
//! Modelled: the text of `trace`, `trace_pipe`, `trace-cmd report` and `perf script`, and the
//! fields of the tracepoints of reclaim, compaction, migration and the page allocator from 2.6.37
//! to 6.12. Left out: binary traces (`trace.dat`, `perf.data`). Invariants: reading never panics
//! and needs bounded memory, whatever the text; a line that cannot be read is reported with its
//! number and the reason. A form reads back what it prints.
//!
//! `table` has the tracepoints, `form` parses their templates, `words` converts single values.
//! `print` prints events. `prefix` reads the first half of a line, `pairs` and `details` the
//! second, `reader` whole texts, `store` stores events, `sums` counts them as the kernel's own
//! scripts do, `series` reads repeated files of /proc.
#![forbid(unsafe_code)]

pub mod details;
pub mod dialect;
mod form;
pub mod guess;
pub mod info;
mod kinds;
mod lines;
mod names;
pub mod pairs;
mod plugin;
pub mod prefix;
pub mod print;
pub mod reader;
pub mod rows;
pub mod samples;
pub mod series;
mod store;
pub mod sums;
pub mod table;
pub mod words;

pub use dialect::{Dialect, Era};
pub use print::{Line, Printer};
pub use reader::Reader;

/// No page, no zone, or a value that the trace does not have, as in the rows of a log.
pub const NOTHING: i64 = mm::record::NOTHING;
/// The name prefix of events that no kernel has.
pub const OWN: &str = "mmscope_";
