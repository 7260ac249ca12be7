//! Where two runs diverge.

use serde::Serialize;

/// The comparison of two runs up to their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum DivergenceOutcome {
    /// Equal so far; both runs can continue.
    Equal,
    /// Equal until both ended.
    Ended,
    /// The next point differs, or its time.
    Diverged,
}

/// A program point of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ProgramPointView {
    /// Task id.
    pub task: u32,
    /// Its name: "kswapd0".
    pub name: String,
    /// The function, by its index in the catalog.
    pub function: u32,
    /// Its line, by its index there.
    pub line: u32,
}

/// One of the two runs at the divergence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct DivergedRunView {
    /// Its virtual time, ns.
    pub time_ns: u64,
    /// State hash, 16 hex digits; none while the runs are equal and continue.
    pub hash: Option<String>,
    /// The point that it executes next; none once it has ended.
    pub next: Option<ProgramPointView>,
}

/// Two runs, compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct DivergenceView {
    /// The result of the comparison.
    pub outcome: DivergenceOutcome,
    /// The number of points that both have executed equally.
    pub step: u64,
    /// The last of these points; none before the first.
    pub last: Option<ProgramPointView>,
    /// The two runs.
    pub runs: Vec<DivergedRunView>,
}
