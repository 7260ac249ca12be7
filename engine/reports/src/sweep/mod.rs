//! Sweeps: one experiment along axes, one line of JSON for each run.
//!
//! Modelled: the file of a sweep, the combinations of its axes, and the lines of its results; see
//! `docs/sweeps.md`.
//! Left out: reading files and storing lines, which the caller does.
//! Invariants: equal runs give equal lines, on any computer and in any order. The command line and the page
//! use this code, so one file gives the same lines in both.

pub mod axes;
mod file;
mod line;
mod plan;
pub mod text;

use std::fmt::{self, Display};

use mm::view::Refusal;

pub use file::{Sweep, changed, start};
pub use line::{Complete, How, Line, ran, result};
pub use plan::{Job, Shard, plan, run};

/// The reasons why a sweep cannot run: at least one sentence, each with the location of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub Vec<String>);

/// The result of reading a part of a sweep.
pub type Outcome<T> = Result<T, Refused>;

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

fn bad(reason: impl Into<String>) -> Refused {
    Refused(vec![reason.into()])
}

/// Errors in data: one line for each field, after the name of the source.
fn refused(source: &str, refusals: &[Refusal]) -> Refused {
    let lines = refusals.iter().map(|refusal| match refusal.path.as_str() {
        "" | "." => format!("{source}: {}", refusal.reason),
        path => format!("{source}: {path}: {}", refusal.reason),
    });
    Refused(lines.collect())
}
