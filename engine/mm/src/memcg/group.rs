//! What a cgroup counts (`struct mem_cgroup`).
//!
//! Modelled: the events of memory.events and memory.swap.events, and the counts of memory.stat.
//! Invariants: a cgroup counts what happens in itself; sums over its descendants are made where they are
//! printed.

use super::kernel::Objects;
use super::pressure::Pressure;
use facts::state::State;

/// An event of memory.events or memory.swap.events (`enum memcg_memory_event`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Event {
    /// It was reclaimed although it is below memory.low.
    Low,
    /// A task reclaimed because it was above memory.high.
    High,
    /// A charge would have exceeded memory.max.
    Max,
    /// A charge failed although reclaim was tried.
    Oom,
    /// A process was killed by the OOM killer.
    OomKill,
    /// A whole cgroup was killed.
    OomGroupKill,
    /// A swap slot would have exceeded memory.swap.max.
    SwapMax,
    /// No swap slot was available.
    SwapFail,
}
/// Number of [`Event`]s.
pub const EVENTS: usize = 8;

/// A count of memory.stat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stat {
    /// Anonymous pages read back that reclaim had evicted.
    RefaultAnon,
    /// File pages read back that reclaim had evicted.
    RefaultFile,
    /// Of the anonymous ones, pages activated at once.
    ActivateAnon,
    /// Of the file pages, pages activated at once.
    ActivateFile,
    /// Of these, pages that had been active before.
    RestoreAnon,
    /// Of these, pages that had been active before.
    RestoreFile,
    /// Pages scanned by kswapd.
    ScanKswapd,
    /// Pages scanned by tasks.
    ScanDirect,
    /// Pages reclaimed by kswapd.
    StealKswapd,
    /// Pages reclaimed by tasks.
    StealDirect,
    /// Page faults.
    Fault,
    /// Major faults.
    MajorFault,
    /// Pages scanned on active lists.
    Refill,
    /// Pages activated.
    Activate,
    /// Pages deactivated.
    Deactivate,
}
/// Number of [`Stat`]s.
pub const STATS: usize = 15;

/// What one cgroup counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Group {
    /// By [`Event`].
    pub events: [u64; EVENTS],
    /// By [`Stat`].
    pub stats: [u64; STATS],
    /// What it is charged for slab objects.
    pub objects: Objects,
    /// Stalls of its tasks for memory.
    pub pressure: Pressure,
}
