//! Views of the multi-generational LRU of a node.

use serde::Serialize;

/// The generations of the pages of a node. Missing while the multi-generational LRU is off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct GenerationsView {
    /// Key of the owner of the lists, as in [`super::LruView::key`].
    pub key: String,
    /// Node.
    pub node: u32,
    /// Number of the youngest generation.
    pub max_seq: u64,
    /// Numbers of the oldest generations, anonymous and file.
    pub min_seq: Vec<u64>,
    /// Generations, oldest first.
    pub generations: Vec<GenerationView>,
    /// What the refault controller counts: anonymous and file, each by tier.
    pub tiers: Vec<Vec<TierView>>,
    /// The walk over page tables that is in progress.
    pub walking: Option<AgingWalkView>,
}

/// One generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct GenerationView {
    /// Its number.
    pub seq: u64,
    /// When it was opened, ns.
    pub born_ns: u64,
    /// Anonymous and file pages.
    pub pages: Vec<u64>,
    /// Anonymous and file pages, each by tier.
    pub tiers: Vec<Vec<u64>>,
}

/// What the refault controller counts for a tier of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct TierView {
    /// Refaults of the present oldest generation.
    pub refaulted: u64,
    /// Pages evicted from it.
    pub evicted: u64,
    /// Pages that moved from it to the next generation because of their tier; always 0 for tier 0.
    pub protected: u64,
    /// Refaults of earlier generations, averaged.
    pub avg_refaulted: u64,
    /// Pages evicted from earlier generations or moved on from them, averaged.
    pub avg_total: u64,
}

/// A walk over page tables that looks for accessed bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct AgingWalkView {
    /// The task that walks.
    pub task: u32,
    /// The process whose tables it walks.
    pub process: u32,
    /// The youngest generation, to which used pages move.
    pub seq: u64,
    /// Page table entries read so far.
    pub scanned: u64,
    /// Entries whose accessed bit was set.
    pub young: u64,
    /// Pages moved to the youngest generation.
    pub promoted: u64,
}
