//! What a run rests on, as the page shows it.

use serde::Serialize;

/// The functions that a run has called, and the costs that it may have used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct RestsOn {
    /// The functions by their index in the catalog, each with the number of its calls since boot.
    pub functions: Vec<(u32, u64)>,
    /// The costs by their index in the catalog, ns.
    pub costs: Vec<(u32, u32)>,
}
