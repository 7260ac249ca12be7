//! Pageblocks and compaction: its two scanners, the pages they hold, the blocks they skip, and how long a
//! program waited for its requests.

use serde::Serialize;

/// Whether this kernel compacts memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CompactionIs {
    /// It compacts memory, and the engine models this.
    Here,
    /// It was built without compaction (`CONFIG_COMPACTION`).
    NotBuilt,
    /// It compacts memory, but the engine does not model this: nothing is compacted.
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
    /// A user, through `/proc/sys/vm/compact_memory`.
    Hand,
}

/// What ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum CompactEnd {
    /// The scanners met.
    Met,
    /// The migration scanner reached the position where a run with a hint had begun.
    Round,
    /// There is a free block of the requested order.
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
    /// Whether the free scanner skipped it; otherwise it was the migration scanner of a run that takes pages
    /// only from movable blocks.
    pub target: bool,
}

/// A page that is being moved to another frame, or the last page that was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct MoveView {
    /// The frame that it leaves.
    pub from: u64,
    /// The frame to which it moves.
    pub to: u64,
    /// Whether it has been copied.
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
    /// The requested order; none for the whole zone.
    pub order: Option<u32>,
    /// Whether it waits for locks and writes.
    pub sync: bool,
    /// Whether it takes pages only from movable blocks.
    pub movable_only: bool,
    /// Position of the migration scanner, as a page frame number.
    pub migrate_pfn: u64,
    /// Position of the free scanner.
    pub free_pfn: u64,
    /// The hint: where the migration scanner began; none if it began at the zone's beginning.
    pub hint: Option<u64>,
    /// Where the migration scanner has to end, in the second part of a run with a hint.
    pub until: Option<u64>,
    /// Pages isolated to be moved, at most 32.
    pub isolated: u64,
    /// Isolated free pages to which they will be moved.
    pub targets: u64,
    /// The page that is being moved, or the last page that was moved.
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
    /// Compaction is skipped until this many requests (1 << `compact_defer_shift`); 1 if it is not skipped.
    pub defer_limit: u32,
    /// The current run; otherwise the last one, for some steps.
    pub run: Option<CompactRunView>,
}

/// Durations of the rounds that a program timed itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct RoundsView {
    /// The program's name for them: "huge page".
    pub name: String,
    /// A histogram of the last 4,096 rounds, shortest first: ns rounded down to three binary digits, and the
    /// number of rounds.
    pub took: Vec<(u64, u64)>,
}
