//! Views of a machine: plain data for the page and the command line.
//!
//! Modelled: nothing; a view is a snapshot of a machine.
//! Left out: large arrays (page states, map cells), which go to the page as typed arrays.
//! Invariants: every `u64` here stays below 2^53 (104 days in ns), so that a JavaScript number can hold it. A
//! zone's key is `"node/ZONE"` (`"0/DMA32"`), a task's key is its id; both are stable during a run.

mod catalog;
mod compaction;
mod cpus;
mod divergence;
mod generations;
mod groups;
mod memory;
mod processes;
mod queues;
mod rests_on;

pub use catalog::*;
pub use compaction::*;
pub use cpus::*;
pub use divergence::*;
pub use generations::*;
pub use groups::*;
pub use memory::*;
pub use processes::*;
pub use queues::*;
pub use rests_on::*;

use serde::{Deserialize, Serialize};

/// The position of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Position {
    /// Steps executed since boot.
    pub step: u64,
    /// Virtual time of the CPU that ran last, in ns.
    pub time_ns: u64,
    /// Whether the run has ended: its length is reached, or no task is left to run.
    pub ended: bool,
}

/// A part of a sentence by the engine. Numbers are bold; names are links to what they name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum Span {
    /// Plain words.
    Text {
        /// The words, including the spaces around them.
        text: String,
    },
    /// A number that took part in the decision, already formatted ("1,213").
    Number {
        /// The number as text, with its unit if it has one.
        text: String,
    },
    /// A zone.
    Zone {
        /// The zone's name in a sentence: "DMA32 on node 0".
        text: String,
        /// The zone's key: `"0/DMA32"`.
        key: String,
    },
    /// A task.
    Task {
        /// The task's name: "touch/1".
        text: String,
        /// The task's id.
        id: u32,
    },
    /// A page frame.
    Page {
        /// The page frame number as text: "0x52fcb".
        text: String,
        /// Page frame number.
        pfn: u64,
    },
}

/// A record as numbers, in the view and in the log: the count of its numbers including this one, the step
/// right after it, virtual time in ns, task, CPU, function (an index of [`Catalog::functions`]), kind (an
/// index of [`Catalog::records`]), zone, then its fields in order. Pages are page frame numbers. 2^53 - 1
/// means no page, no zone or no function.
#[cfg_attr(feature = "ts", tsify::declare)]
pub type RecordRow = Vec<i64>;

/// One local variable of a frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct Local {
    /// The kernel's name.
    pub name: String,
    /// The value as text: "0/DMA32", "1,213", "true".
    pub value: String,
    /// The zone, task or page that the value names.
    pub refers: Option<Span>,
}

/// One activation of a kernel function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FrameView {
    /// Index into `Catalog::functions`.
    pub function: u32,
    /// The line that runs next (an index of that function's lines).
    pub line: u32,
    /// Arguments and locals.
    pub locals: Vec<Local>,
}

/// The state of a task, as the lanes show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum TaskState {
    /// It runs on its CPU.
    Running,
    /// It waits for its CPU.
    Runnable,
    /// It sleeps until its timer fires.
    Sleeping,
    /// It sleeps until another task wakes it.
    Waiting,
    /// It has ended.
    Exited,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct TaskView {
    /// Stable id.
    pub id: u32,
    /// Its name: "touch/1", "kswapd0".
    pub name: String,
    /// Process id as the kernel would print it.
    pub pid: u32,
    /// Process id of its process: that of its main task (tgid).
    pub tgid: u32,
    /// The CPU on which it runs or last ran.
    pub cpu: u32,
    /// Node of that CPU.
    pub node: u32,
    /// Its state.
    pub state: TaskState,
    /// The time at which its timer fires, ns, if it sleeps until then.
    pub wakes_at_ns: Option<u64>,
    /// The name of the innermost function; empty in user mode.
    pub function: String,
    /// Pages it has mapped.
    pub rss: u64,
    /// CPU time since its beginning, ns.
    pub cpu_ns: u64,
    /// The part of this CPU time that it spent in user mode, ns.
    pub user_ns: u64,
    /// What the task waits for, in a few words; empty if it does not sleep, or only sleeps for a time.
    pub waits_for: String,
    /// The beginning of the wait, ns, if it waits for I/O or for memory with a timeout.
    pub waits_since_ns: Option<u64>,
    /// Whether it is a kernel thread or a pseudo task (kswapd, timers, sysctl).
    pub kernel_thread: bool,
}

/// Number of page states in [`ZoneView::states`] and in the map cells.
pub const PAGE_STATES: usize = 12;

/// A page's state, in the order of the legend; the discriminant is the byte in the page-state arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum PageState {
    /// On a buddy free list or a per-cpu list.
    Free = 0,
    /// Anonymous, active list.
    AnonActive,
    /// Anonymous, inactive list.
    AnonInactive,
    /// Page cache, active list.
    FileActive,
    /// Page cache, inactive list.
    FileInactive,
    /// Dirty: must be written before it can be freed.
    Dirty,
    /// Under writeback: being written to a device.
    Writeback,
    /// Isolated: taken off its list.
    Isolated,
    /// Kernel objects and blocks allocated by kernel users.
    Slab,
    /// Page tables.
    PageTable,
    /// Transparent or hugetlb huge page.
    Huge,
    /// Reserved: firmware or memmap, not managed.
    Reserved,
}

/// One populated zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ZoneView {
    /// Its key: `"0/DMA32"`.
    pub key: String,
    /// Node id.
    pub node: u32,
    /// Its name: "DMA32".
    pub name: String,
    /// First page frame number.
    pub start_pfn: u64,
    /// Number of pages from the first to the last, holes included.
    pub spanned: u64,
    /// Pages that exist.
    pub present: u64,
    /// Pages the buddy allocator manages.
    pub managed: u64,
    /// NR_FREE_PAGES: pages on buddy lists (per-cpu lists not counted).
    pub free: u64,
    /// Pages on per-cpu lists.
    pub pcp: u64,
    /// The min watermark in pages, including the boost, as the kernel compares it.
    pub min: u64,
    /// The low watermark.
    pub low: u64,
    /// The high watermark.
    pub high: u64,
    /// The boost that is part of the watermarks.
    pub boost: u64,
    /// lowmem_reserve in pages, one value for each zone type.
    pub protection: Vec<u64>,
    /// Pages by [`PageState`]; sums to `present`.
    pub states: Vec<u64>,
    /// Free blocks per order.
    pub nr_free: Vec<u64>,
    /// Free blocks per order and migrate type: `free_lists[order][type]`, types as in `Info::migratetypes`.
    pub free_lists: Vec<Vec<u64>>,
    /// Pageblocks per migrate type.
    pub blocks: Vec<u64>,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct NodeView {
    /// Node id.
    pub id: u32,
    /// Whether kswapd of this node is awake.
    pub kswapd_awake: bool,
    /// How often kswapd was woken.
    pub kswapd_wakes: u64,
    /// Passes of `balance_pgdat` over the node (`pageoutrun` of this node alone).
    pub kswapd_passes: u64,
    /// CPU time of kswapd since boot, ns.
    pub kswapd_cpu_ns: u64,
    /// The order for which kswapd was last woken.
    pub kswapd_order: u32,
    /// When kswapd's state last changed, ns.
    pub kswapd_since_ns: u64,
    /// Whether kswapd sleeps briefly before it sleeps until it is woken.
    pub kswapd_napping: bool,
    /// Consecutive runs in which kswapd freed nothing; after 16 it gives up.
    pub kswapd_failures: u64,
    /// The first time that another node served a request for this node; none if this has not happened.
    pub first_fallback: Option<FallbackView>,
    /// Where reclaimers of the node wait; none if no reclaimer has waited so far, and in kernels that do not
    /// wait after a pass over a node (to 4.7).
    pub queues: Vec<QueueView>,
    /// The traffic of the node's memory, and its backlog; none if memory has no rates.
    pub memory: Option<MemoryNodeView>,
}

/// The first block from another node for a request that preferred this node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FallbackView {
    /// The number of steps executed right after it.
    pub step: u64,
    /// Its time, ns.
    pub time_ns: u64,
    /// The task that made the request.
    pub task: u32,
    /// The zone of the block: `"1/Normal"`.
    pub zone: String,
}

/// LRU lists in [`LruView::lists`]: inactive and active anonymous, inactive and active file.
pub const LRU_SHOWN: usize = 4;

/// One set of LRU lists, owned by a zone or by a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct LruView {
    /// `"0/DMA32"` if a zone owns them, `"0"` if a node does, `"0/box"` if a memory cgroup does.
    pub key: String,
    /// Node.
    pub node: u32,
    /// Pages on each list, see [`LRU_SHOWN`].
    pub lists: Vec<u64>,
    /// Pages on the unevictable list.
    pub unevictable: u64,
    /// Isolated pages, anonymous and file.
    pub isolated: Vec<u64>,
    /// Active pages allowed for each inactive page, anonymous and file. If there are more, the active list is
    /// shrunk.
    pub ratio: Vec<u64>,
    /// Whether it is marked congested.
    pub congested: bool,
}

/// The outcome for a page of a batch. Its discriminant is in [`BatchView::pages`] and is the index in
/// [`BatchView::fates`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Fate {
    /// Not checked yet.
    Ahead,
    /// Being checked.
    Now,
    /// Freed, or about to be.
    Freed,
    /// Goes back to the head of its list.
    Kept,
    /// Goes to the active list.
    Activated,
    /// Goes back to its list while it is under writeback.
    Writing,
    /// Goes from the active list to the inactive list.
    Deactivated,
}

/// Number of [`Fate`]s.
pub const FATES: usize = 7;

/// The pages that one call of a reclaimer took off the tail of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct BatchView {
    /// The reclaimer.
    pub task: u32,
    /// Key of the owner of the lists.
    pub owner: String,
    /// Index of the list.
    pub list: u32,
    /// Number of pages it took.
    pub taken: u64,
    /// Number of pages by [`Fate`].
    pub fates: Vec<u64>,
    /// The pages while the reclaimer holds them, in the order in which it took them: pfn, and [`Fate`]. Bits
    /// 8 to 15 hold the [`PageState`] that the page would have if it were not isolated. None once all are
    /// freed or put back.
    pub pages: Vec<(u64, u64)>,
}

/// A task that reclaims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ReclaimerView {
    /// The task.
    pub task: u32,
    /// The node of a kswapd, or of the zone that the request prefers.
    pub node: u32,
    /// True for kswapd, false for a request.
    pub kswapd: bool,
    /// Priority, from 12 down to 0: `size >> priority` pages of a list are scanned.
    pub priority: u32,
    /// The order for which it reclaims.
    pub order: u32,
    /// The highest zone in which freed pages help: "Normal".
    pub highest: String,
    /// The zone in which it reclaims, `"0/DMA32"`; empty between two zones, and if it reclaims from nodes.
    pub zone: String,
    /// Pages scanned so far in this run of the reclaimer.
    pub scanned: u64,
    /// Pages reclaimed so far in this run of the reclaimer.
    pub reclaimed: u64,
}

/// One block device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct DeviceView {
    /// Its name: "sda".
    pub name: String,
    /// Its class: "ssd_2021".
    pub model: String,
    /// Whether it holds swap space.
    pub has_swap: bool,
    /// The maximum number of requests in flight.
    pub depth: u64,
    /// Reads in flight and reads that wait, each as (requests, pages).
    pub reads: Vec<(u64, u64)>,
    /// Writes in flight and writes that wait, each as (requests, pages).
    pub writes: Vec<(u64, u64)>,
    /// Whether its write queue is marked congested, until fewer than `clears_below` writes are left.
    pub congested: bool,
    /// See `congested`.
    pub clears_below: u64,
    /// Tasks that wait for a free slot in its queue.
    pub waiting: u64,
    /// What its flusher does now; empty while it is idle.
    pub flusher: String,
}

/// Pages that the whole machine must write, and its swap space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct WritebackView {
    /// Dirty file pages.
    pub dirty: u64,
    /// Pages being written, also to swap.
    pub writeback: u64,
    /// Number of dirty pages above which the flushers write.
    pub background: u64,
    /// Number of dirty pages above which writers wait.
    pub limit: u64,
    /// Pages in the swap cache.
    pub swap_cache: u64,
    /// Swap slots in use.
    pub swap_used: u64,
    /// All swap slots.
    pub swap_total: u64,
}

/// The state of a zonelist entry during a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub enum StopState {
    /// Skipped.
    Passed,
    /// Being checked.
    Now,
    /// The page came from here.
    Took,
    /// Not reached yet.
    Ahead,
    /// Above the request's highest zone: never considered.
    NotAllowed,
}

/// One entry of the current allocation's zonelist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Stop {
    /// Zone key.
    pub zone: String,
    /// The state of the entry in the walk.
    pub state: StopState,
    /// The watermark plus the reserve, above which the zone must stay for this request, pages.
    pub needs: u64,
    /// The reserve in `needs`, which requests of this class may not use.
    pub kept_back: u64,
    /// Whether it is marked full in the zonelist cache (`fullzones`).
    pub full: bool,
}

/// The zonelist walk of the followed task's current allocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct Route {
    /// Task that allocates.
    pub task: u32,
    /// Node whose zonelist is walked.
    pub node: u32,
    /// Order of the request.
    pub order: u32,
    /// gfp flags in the kernel's names.
    pub gfp: String,
    /// The watermark: "min", "low", "high" or "none".
    pub mark: String,
    /// ALLOC_* flags by name.
    pub alloc_flags: Vec<String>,
    /// How long the full bits stay set at least, ns; a later walk may clear them. None if the list has no
    /// zonelist cache.
    pub zap_in_ns: Option<u64>,
    /// The entries in order.
    pub stops: Vec<Stop>,
}

/// Everything except large arrays about one moment of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct View {
    /// The position of the run.
    pub position: Position,
    /// The kernel's panic message; none while it runs.
    pub panic: Option<String>,
    /// Populated zones, by node, then zone type.
    pub zones: Vec<ZoneView>,
    /// Nodes.
    pub nodes: Vec<NodeView>,
    /// Tasks by id.
    pub tasks: Vec<TaskView>,
    /// CPUs by number.
    pub cpus: Vec<CpuView>,
    /// Processes that have not ended, if their threads may run on several nodes.
    pub processes: Vec<ProcessView>,
    /// The task that executed the last step.
    pub ran: Option<u32>,
    /// The task that executes the next step, unless the run has ended.
    pub next: Option<u32>,
    /// The task whose stack is shown: the requested task, otherwise `ran`.
    pub followed: Option<u32>,
    /// Its stack, innermost first.
    pub stack: Vec<FrameView>,
    /// The decision of the last step; none if it decided nothing.
    pub why: Option<RecordRow>,
    /// The events of the last step.
    pub events: Vec<RecordRow>,
    /// Decisions of the last step about the CPU or node on which a task should run because of its memory.
    pub placing: Vec<RecordRow>,
    /// The followed task's allocation in progress.
    pub route: Option<Route>,
    /// LRU lists by owner: by zone, or by node, as the kernel has them.
    pub lru: Vec<LruView>,
    /// Generations by owner of the lists; none while the multi-generational LRU is off.
    pub generations: Vec<GenerationsView>,
    /// Memory cgroups, each before those below it; empty without cgroups.
    pub groups: Vec<GroupView>,
    /// Batches that reclaimers hold, then the last batch that was put back.
    pub batches: Vec<BatchView>,
    /// Tasks that reclaim.
    pub reclaimers: Vec<ReclaimerView>,
    /// Pageblocks by zone, and the compaction in each zone.
    pub pageblocks: Vec<PageblocksView>,
    /// Durations of timed rounds so far, for each program that times them.
    pub rounds: Vec<RoundsView>,
    /// Blocks allocated, for programs that continue after a failure (`go_on`).
    pub blocks_came: u64,
    /// Block allocations that failed, for the same programs.
    pub blocks_failed: u64,
    /// Block devices.
    pub devices: Vec<DeviceView>,
    /// Dirty pages and swap.
    pub writeback: WritebackView,
    /// Counters by their /proc/vmstat names, those that are not zero.
    pub counters: Vec<(String, u64)>,
}

/// A refused field, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Refusal {
    /// The path of the field: `machine.nodes[1].ranges[0].pages`.
    pub path: String,
    /// What is wrong and what would be right, as a sentence.
    pub reason: String,
}
