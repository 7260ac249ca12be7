//! Where two runs part.

use serde::Serialize;

/// How two runs compare as far as they have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum PartingStand {
    /// Alike so far: there is more to run.
    Alike,
    /// Alike to their end.
    Ended,
    /// What comes next differs, or when it comes.
    Parted,
}

/// A program point of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct PlaceView {
    /// Task id.
    pub task: u32,
    /// Its name: "kswapd0".
    pub name: String,
    /// The function, by its place in the catalog.
    pub function: u32,
    /// Its line, by its place there.
    pub line: u32,
}

/// One of the two runs, where they part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct PartedView {
    /// Its virtual time, ns.
    pub time_ns: u64,
    /// State hash, 16 hex digits; none while they are alike and go on.
    pub hash: Option<String>,
    /// What it executes next; none once it has ended.
    pub next: Option<PlaceView>,
}

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct PartingView {
    /// How they compare.
    pub stand: PartingStand,
    /// Points both have executed, alike.
    pub step: u64,
    /// The last of them; none before the first.
    pub last: Option<PlaceView>,
    /// The two runs.
    pub runs: Vec<PartedView>,
}
