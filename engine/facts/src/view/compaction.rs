//! Pageblocks, and who empties them: the two scanners of compaction, what they have in hand, which
//! blocks they pass over, and how long a program waited for what it asked for.

use serde::Serialize;

/// Does this kernel compact memory?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CompactionIs {
    /// It does, and the engine has it.
    Here,
    /// It was built without (`CONFIG_COMPACTION`).
    NotBuilt,
    /// It does, in a way the engine does not have: nothing is compacted.
    NotModelled,
}

/// Who compacts a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CompactedBy {
    /// A request for a block (`__alloc_pages_direct_compact`).
    Request,
    /// Who reclaims, behind a batch (`reclaimcompact_zone_order`).
    Reclaim,
    /// kswapd, behind a run (2.6.38).
    Kswapd,
    /// A person, through `/proc/sys/vm/compact_memory`.
    Hand,
}

/// What ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CompactEnd {
    /// The scanners met.
    Met,
    /// The migration scanner came round to where a run with a hint had begun.
    Round,
    /// There is a free block of the order wanted.
    Found,
    /// It gave up: too many pages are isolated, or its task is to end.
    Early,
}

/// A block that a scanner passed over, as was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct PassedView {
    /// A page of the block: where the migration scanner stood, or the first page of a target.
    pub pfn: u64,
    /// Where the scanner went on: a page behind the block, or the block itself for a target.
    pub next: u64,
    /// The block's migrate type, see `Info::migratetypes`.
    pub migratetype: u32,
    /// It was the free scanner that did; else the migration scanner of a run that takes from movable
    /// blocks only.
    pub target: bool,
}

/// A page on its way to another frame, or the last that was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct MoveView {
    /// The page.
    pub from: u64,
    /// Its target.
    pub to: u64,
    /// It has been copied.
    pub done: bool,
}

/// A run of `compact_zone`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct CompactRunView {
    /// Whose it is.
    pub task: u32,
    /// What it is for; none where that is not known any more.
    pub by: Option<CompactedBy>,
    /// Order wanted; none for all of the zone.
    pub order: Option<u32>,
    /// It waits for locks and writes.
    pub sync: bool,
    /// It takes pages from movable blocks only.
    pub movable_only: bool,
    /// Where the migration scanner stands, as a page frame number.
    pub migrate_pfn: u64,
    /// Where the free scanner stands.
    pub free_pfn: u64,
    /// The hint: where the migration scanner began; none where that is the zone's beginning.
    pub hint: Option<u64>,
    /// Where it has to end, in the second part of a run with a hint.
    pub until: Option<u64>,
    /// Pages isolated to be moved, at most 32.
    pub isolated: u64,
    /// Free pages in hand for them.
    pub targets: u64,
    /// The page being moved, or the last that was.
    pub moved: Option<MoveView>,
    /// Blocks passed over, newest first, as far as they are remembered.
    pub passed: Vec<PassedView>,
    /// How it ended; none while it goes on.
    pub end: Option<CompactEnd>,
}

/// The pageblocks of a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct PageblocksView {
    /// `"0/DMA32"`.
    pub zone: String,
    /// Its blocks from the first to the last, as stretches of one migrate type: first page frame
    /// number, blocks in a row, type. Blocks without memory are left out.
    pub types: Vec<(u64, u64, u32)>,
    /// How often it was asked for compaction since that last failed (`compact_considered`).
    pub considered: u32,
    /// It is passed over until asked so often (1 << `compact_defer_shift`); 1: it is not.
    pub defer_limit: u32,
    /// The run that goes on there, else the last one, for some steps.
    pub run: Option<CompactRunView>,
}

/// How long rounds of a program took that it timed itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct RoundsView {
    /// What the program calls them: "huge page".
    pub name: String,
    /// How many of the last 4,096 took how long, shortest first: ns rounded down to three binary
    /// digits, and rounds.
    pub took: Vec<(u64, u64)>,
}
