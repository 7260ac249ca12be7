//! Pageblocks and compaction: its two scanners, the pages they hold, the blocks they skip, and how long a
//! program waited for its requests.

use serde::Serialize;

/// Does this kernel compact memory?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CompactionIs {
    /// It does, and the engine models it.
    Here,
    /// It was built without (`CONFIG_COMPACTION`).
    NotBuilt,
    /// It does, but the engine does not model it: nothing is compacted.
    NotModelled,
}

/// The caller of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CompactedBy {
    /// A request for a block (`__alloc_pages_direct_compact`).
    Request,
    /// A reclaimer, after a batch (`reclaimcompact_zone_order`).
    Reclaim,
    /// kswapd, after a run (2.6.38).
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
    /// The migration scanner reached the place where a run with a hint had begun.
    Round,
    /// There is a free block of the wanted order.
    Found,
    /// It gave up: too many pages are isolated, or its task is being killed.
    Early,
}

/// A block that a scanner skipped, from a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct PassedView {
    /// A page of the block: the position of the migration scanner, or the first page of a target.
    pub pfn: u64,
    /// Where the scanner continued: a page after the block, or the block itself for a target.
    pub next: u64,
    /// The block's migrate type, see `Info::migratetypes`.
    pub migratetype: u32,
    /// True if the free scanner skipped it; otherwise the migration scanner of a run that takes pages from
    /// movable blocks only.
    pub target: bool,
}

/// A page that is being moved to another frame, or the last that was moved.
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
    /// The task that runs it.
    pub task: u32,
    /// Its caller; none if it is no longer known.
    pub by: Option<CompactedBy>,
    /// Wanted order; none for the whole zone.
    pub order: Option<u32>,
    /// It waits for locks and writes.
    pub sync: bool,
    /// It takes pages from movable blocks only.
    pub movable_only: bool,
    /// Position of the migration scanner, as a page frame number.
    pub migrate_pfn: u64,
    /// Position of the free scanner.
    pub free_pfn: u64,
    /// The hint: where the migration scanner began; none if it began at the zone's beginning.
    pub hint: Option<u64>,
    /// Where it has to end, in the second part of a run with a hint.
    pub until: Option<u64>,
    /// Pages isolated to be moved, at most 32.
    pub isolated: u64,
    /// Isolated free pages for them.
    pub targets: u64,
    /// The page being moved, or the last that was.
    pub moved: Option<MoveView>,
    /// Skipped blocks, newest first, as far as they are recorded.
    pub passed: Vec<PassedView>,
    /// How it ended; none while it runs.
    pub end: Option<CompactEnd>,
}

/// The pageblocks of a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct PageblocksView {
    /// `"0/DMA32"`.
    pub zone: String,
    /// Its blocks from the first to the last, as ranges of one migrate type: first page frame number,
    /// number of blocks, type. Blocks without memory are left out.
    pub types: Vec<(u64, u64, u32)>,
    /// Requests for compaction since it last failed (`compact_considered`).
    pub considered: u32,
    /// It is skipped until this many requests (1 << `compact_defer_shift`); 1 if it is not.
    pub defer_limit: u32,
    /// The current run, otherwise the last one for some steps.
    pub run: Option<CompactRunView>,
}

/// Durations of the rounds that a program timed itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct RoundsView {
    /// The program's name for them: "huge page".
    pub name: String,
    /// A histogram of the last 4,096 rounds, shortest first: ns rounded down to three binary digits, and
    /// the number of rounds.
    pub took: Vec<(u64, u64)>,
}
