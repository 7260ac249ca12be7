//! Compaction's totals, counted as a script counts the lines of a trace.
//!
//! Modelled: the sums over the tracepoints of compaction that were published in 2010: pages that
//! each scanner checked and took, pages moved and not moved (include/trace/events/compaction.h,
//! 2.6.38). A kernel without the tracepoints is counted as if it had them. Left out: nothing that
//! published tables contain. Invariants: no run depends on these counts; once no run is active,
//! every page taken to be moved was either moved or not moved.

/// Sums over the tracepoints of compaction, pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CompactionTotals {
    /// `nr_scanned` of `mm_compaction_isolate_migratepages`.
    pub migrate_scanned: u64,
    /// `nr_taken` of the same tracepoint.
    pub migrate_isolated: u64,
    /// `nr_scanned` of `mm_compaction_isolate_freepages`.
    pub free_scanned: u64,
    /// `nr_taken` of the same tracepoint.
    pub free_isolated: u64,
    /// `nr_migrated` of `mm_compaction_migratepages`.
    pub migrated: u64,
    /// `nr_failed` of the same tracepoint.
    pub failed: u64,
}
