//! Views of the memory cgroups of a machine.

use serde::Serialize;

/// A memory cgroup. All amounts are pages and include the cgroups below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct GroupView {
    /// Its number, from 1.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// The cgroups above it and its own name: "shop/web".
    pub path: String,
    /// The number of the cgroup above it; 0 is the root.
    pub parent: u32,
    /// Cgroups above it without the root.
    pub depth: u32,
    /// Pages charged to it (memory.current).
    pub usage: u64,
    /// Swap slots charged to it (memory.swap.current).
    pub swap: u64,
    /// `memory.max`; missing without a limit.
    pub max: Option<u64>,
    /// `memory.high`; missing without a limit.
    pub high: Option<u64>,
    /// `memory.low`.
    pub low: u64,
    /// `memory.min`.
    pub min: u64,
    /// `memory.swap.max`; missing without a limit.
    pub swap_max: Option<u64>,
    /// The part of `low` that reclaim of the whole machine respects now.
    pub effective_low: u64,
    /// The part of `min` that reclaim of the whole machine respects now.
    pub effective_min: u64,
    /// Mapped anonymous pages.
    pub anon: u64,
    /// Pages of the page cache.
    pub file: u64,
    /// Pages by [`super::PageState`]. The usage also has pages charged for kernel objects, and pages that CPUs were charged for in advance.
    pub states: Vec<u64>,
    /// Pages on each LRU list: inactive and active anonymous, inactive and active file, unevictable.
    pub lists: Vec<u64>,
    /// Dirty file pages.
    pub dirty: u64,
    /// File pages that are being written.
    pub writeback: u64,
    /// Counts of memory.events and memory.swap.events.
    pub events: GroupEventsView,
    /// Pages that reclaim has scanned (`pgscan`).
    pub scanned: u64,
    /// Pages that reclaim has freed (`pgsteal`).
    pub stolen: u64,
    /// Time while at least one task stalled for memory, ns (`some total`).
    pub some_ns: u64,
    /// Time while all tasks stalled, ns (`full total`).
    pub full_ns: u64,
    /// Its own processes that have not ended, without those of the cgroups below it.
    pub processes: Vec<GroupProcessView>,
    /// Tasks that its limits hold up now.
    pub held: Vec<GroupHeldView>,
}

/// Counts of memory.events and memory.swap.events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct GroupEventsView {
    /// Reclaimed although it was below memory.low.
    pub low: u64,
    /// Reclaimed because it was above memory.high.
    pub high: u64,
    /// A charge would have exceeded memory.max.
    pub max: u64,
    /// Reclaim could not make room for a charge.
    pub oom: u64,
    /// Processes killed by the OOM killer.
    pub oom_kill: u64,
    /// A swap slot would have exceeded memory.swap.max.
    pub swap_max: u64,
    /// No swap slot was available.
    pub swap_fail: u64,
}

/// A process of a cgroup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct GroupProcessView {
    /// Id of its main task.
    pub task: u32,
    /// Its name.
    pub name: String,
    /// Pages it has mapped.
    pub rss: u64,
    /// Its pages in swap.
    pub swapped: u64,
    /// The OOM killer chose it, and it is ending.
    pub dying: bool,
}

/// Why the limits of a cgroup hold a task up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum HeldBy {
    /// The charge would exceed memory.max: the task reclaims.
    Max,
    /// It is above memory.high: the task reclaims.
    High,
    /// It is above memory.high: the task pauses.
    Pause,
    /// The task runs the OOM killer, or waits for its victim.
    Oom,
}

/// A task that the limits of a cgroup hold up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct GroupHeldView {
    /// The task.
    pub task: u32,
    /// Why.
    pub by: HeldBy,
}
