//! The operations of the workload language, as users write them.
//!
//! Modelled: every operation.
//! Left out: nothing.
//! Invariants: a loop ends, and a region of anonymous memory has a size.

use deserr::{Deserr, ValuePointerRef};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    AccessSize, BlockType, MAX_FILES, MAX_NAME, MAX_TASKS, MemoryMode, Pattern, Size, hundred,
    is_false, is_zero, one,
};
use crate::read::{self, Refusals};
use crate::schema::Time;

/// The names of all operations.
pub const OPERATIONS: [&str; 34] = [
    "map",
    "touch",
    "access",
    "lock",
    "free",
    "dontneed",
    "read",
    "write",
    "copy",
    "fsync",
    "unlink",
    "create",
    "stat",
    "drop_caches",
    "compact_memory",
    "set",
    "alloc",
    "release",
    "spawn",
    "threads",
    "barrier",
    "join",
    "wait",
    "kill",
    "mark",
    "sample",
    "stop",
    "bind",
    "affinity",
    "mempolicy",
    "think",
    "compute",
    "repeat",
    "exit",
];

/// One operation as users write it: an object whose `op` names the operation, for example `{ "op": "map",
/// "region": "heap", "size": "40%" }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, tag = "op", rename_all = lowercase, deny_unknown_fields, validate = Step::sized -> Refusals)]
#[serde(tag = "op", rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
pub enum Step {
    /// Reserves a range of addresses, as mmap does. No page is allocated yet.
    #[schemars(extend("anyOf" = [{ "required": ["size"] }, { "required": ["file"] }]))]
    Map {
        /// The name of the region in this program.
        #[schemars(example = &"heap")]
        region: String,
        /// Size of the region; required without a file.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "Size", example = &"10%", extend("x-left-out" = "as large as the file"))]
        size: Option<Size>,
        /// The file to map, shared with all tasks that map it; without a file the region is anonymous memory.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(extend("x-left-out" = "none: anonymous"))]
        file: Option<String>,
        /// Asks for huge pages, as madvise(MADV_HUGEPAGE) does.
        #[deserr(default)]
        #[schemars(
            default,
            title = "Huge pages",
            extend(
                "x-words" = ["asks for them", "as the machine is set"],
                "x-left-out" = "as the machine is set"
            )
        )]
        huge: bool,
    },
    /// Touches pages of a region. The first touch of each page faults and allocates it.
    Touch {
        /// A mapped region.
        #[schemars(example = &"heap")]
        region: String,
        /// How many pages are touched, one after the other.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How many touches", extend("x-left-out" = "as many as the region has pages"))]
        pages: Option<Size>,
        /// From front to back, or at random positions, by the task's own random numbers.
        #[deserr(default)]
        #[schemars(default, title = "In which order")]
        order: Pattern,
        /// A write makes the page dirty.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(
            title = "Touches are",
            extend(
                "x-words" = ["writes", "reads"],
                "x-left-out" = "writes in anonymous memory, reads in files"
            )
        )]
        write: Option<bool>,
        /// Divides the region into equal parts, one for each thread that was started with this one. The
        /// thread touches only its own part. Only in a program that threads run.
        #[serde(skip_serializing_if = "is_false")]
        #[deserr(default)]
        #[schemars(
            default,
            title = "Its part",
            extend("x-words" = ["only its own part", "all of the region"], "x-left-out" = "all of the region")
        )]
        slice: bool,
        /// If memory has rates: how much of a page each touch moves.
        #[serde(skip_serializing_if = "AccessSize::is_line")]
        #[deserr(default)]
        #[schemars(default, title = "Bytes of each page", extend("x-left-out" = "a cache line"))]
        bytes: AccessSize,
    },
    /// Accesses pages of anonymous memory at random positions, each independent of the previous one. All
    /// accesses up to the next one that changes a page table entry are one step.
    Access {
        /// A mapped region of anonymous memory.
        #[schemars(example = &"heap")]
        region: String,
        /// Number of accesses.
        #[schemars(title = "How many accesses", example = 1000, range(min = 1))]
        times: u32,
        /// The percentage of accesses that go to the thread's own part of the region; all others go anywhere
        /// in the region. The parts are those of `touch` with `slice`. Only in a program that threads run.
        #[serde(skip_serializing_if = "is_zero")]
        #[deserr(default)]
        #[schemars(default, title = "Percent to its part", range(max = 100), extend("x-left-out" = "none"))]
        own: u8,
        /// The percentage of accesses that write.
        #[deserr(default = 100)]
        #[schemars(default = "hundred", title = "Percent writes", range(max = 100), extend("x-left-out" = "all"))]
        writes: u8,
        /// If memory has rates: how much of a page each access moves.
        #[serde(skip_serializing_if = "AccessSize::is_line")]
        #[deserr(default)]
        #[schemars(default, title = "Bytes of each page", extend("x-left-out" = "a cache line"))]
        bytes: AccessSize,
        /// How long the task computes for each access, in addition to the wait for memory: at most 1 ms.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "Computes with each", extend("x-left-out" = "not at all"))]
        compute: Option<String>,
    },
    /// Locks a region in memory, as mlock does: reclaim cannot take its pages.
    Lock {
        /// A mapped region; its missing pages are faulted in.
        #[schemars(example = &"heap")]
        region: String,
    },
    /// Unmaps a region, as munmap does: its pages are freed.
    Free {
        /// A mapped region.
        #[schemars(example = &"heap")]
        region: String,
    },
    /// Frees pages of a region that stays mapped, as madvise(MADV_DONTNEED) does: the next touch of each page
    /// faults. The pages of a locked region are not freed.
    Dontneed {
        /// A mapped region.
        #[schemars(example = &"heap")]
        region: String,
        /// 1 frees all pages, 2 every second page, which leaves holes. Only 1 frees huge pages.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "One in", range(min = 1), extend("x-left-out" = "1: all"))]
        every: u32,
    },
    /// Reads a file through the page cache, from where the previous call ended.
    Read {
        /// Name of a file of this workload; if several files have this name, they are used one after the other.
        #[schemars(example = &"data")]
        file: String,
        /// How much is read in total.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How much", extend("x-left-out" = "all of the file"))]
        size: Option<Size>,
        /// How much one call reads.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "In one call", extend("x-left-out" = "64 KiB"))]
        chunk: Option<Size>,
        /// From front to back, or at random positions, by the task's own random numbers.
        #[deserr(default)]
        #[schemars(default, title = "In which order")]
        order: Pattern,
    },
    /// Writes to a file through the page cache: its pages become dirty. A removed file is created.
    Write {
        /// Name of a file of this workload; if several files have this name, they are used one after the other.
        #[schemars(example = &"data")]
        file: String,
        /// How much is written in total.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How much", extend("x-left-out" = "all of the file"))]
        size: Option<Size>,
        /// How much one call writes.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "In one call", extend("x-left-out" = "64 KiB"))]
        chunk: Option<Size>,
        /// From front to back, or at random positions, by the task's own random numbers.
        #[deserr(default)]
        #[schemars(default, title = "In which order")]
        order: Pattern,
    },
    /// Reads one file and writes another in turn, as dd does.
    Copy {
        /// A file of this workload.
        #[schemars(title = "From file", example = &"data")]
        from: String,
        /// Another file of this workload.
        #[schemars(title = "To file", example = &"copy")]
        to: String,
        /// How much is copied in total.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How much", extend("x-left-out" = "the whole file that is read"))]
        size: Option<Size>,
        /// How much one call reads, then writes.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "In one call", extend("x-left-out" = "512 B, as dd does"))]
        chunk: Option<Size>,
    },
    /// Writes a file's dirty pages and waits until the device has written them, as fsync does.
    Fsync {
        /// A file of this workload.
        #[schemars(example = &"data")]
        file: String,
    },
    /// Removes a file; its pages are freed when no task uses it any longer.
    Unlink {
        /// A file of this workload.
        #[schemars(example = &"data")]
        file: String,
    },
    /// Creates new files, which have no name in this workload, writes and closes them.
    Create {
        /// Number of files.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "How many", example = 1, range(min = 1, max = MAX_FILES))]
        count: u32,
        /// The size of each file.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "Size of each", example = &"64 KiB", extend("x-left-out" = "none: empty files"))]
        size: Option<Size>,
        /// How much one call writes.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "In one call", extend("x-left-out" = "all of a file"))]
        chunk: Option<Size>,
    },
    /// Looks up a file, as stat does; several files of that name are used one after the other. Its name and
    /// its inode are cached; its content is not read.
    Stat {
        /// A file of this workload; a file that does not exist is skipped.
        #[schemars(example = &"data")]
        file: String,
    },
    /// Drops the clean pages of all files: echo 1 > /proc/sys/vm/drop_caches.
    #[deserr(rename = "drop_caches")]
    DropCaches {
        /// Also drops unused names and inodes: echo 3.
        #[serde(skip_serializing_if = "is_false")]
        #[deserr(default)]
        #[schemars(
            default,
            title = "Names and inodes",
            extend("x-words" = ["dropped too", "stay"], "x-left-out" = "stay")
        )]
        slab: bool,
    },
    /// Moves pages until the free memory of each zone is in blocks as large as possible:
    /// echo 1 > /proc/sys/vm/compact_memory.
    #[deserr(rename = "compact_memory")]
    CompactMemory {},
    /// Writes a tunable, as sysctl -w does: from this point on the kernel uses the new value.
    Set {
        /// A tunable of the kernel.
        #[schemars(example = &"vm.swappiness")]
        name: String,
        /// The value as text.
        #[schemars(example = &"10")]
        value: String,
    },
    /// Allocates blocks, as a part of the kernel would, and keeps them in a pool.
    Alloc {
        /// The name of the pool in this program.
        #[schemars(example = &"buffers")]
        pool: String,
        /// Order of each block: order 3 is 8 contiguous pages.
        #[schemars(example = 0)]
        order: u8,
        /// Number of blocks, or a share of memory, which is counted in pages: "2% of node".
        #[schemars(title = "How many", example = 32, extend("x-unit" = "blocks"))]
        count: Size,
        /// The kind of memory, which also decides whether the request may wait for reclaim.
        #[serde(rename = "type")]
        #[deserr(rename = "type", default)]
        #[schemars(default, title = "Which memory")]
        kind: BlockType,
        /// After a failed allocation the next block is requested nevertheless. Successes and failures are
        /// counted by phase.
        #[serde(skip_serializing_if = "is_false")]
        #[deserr(default)]
        #[schemars(
            default,
            title = "After a failure",
            extend("x-words" = ["requests the next block", "gives up"], "x-left-out" = "gives up on the rest")
        )]
        go_on: bool,
    },
    /// Frees blocks of a pool, in the order in which they were allocated.
    Release {
        /// A pool into which blocks were allocated.
        #[schemars(example = &"buffers")]
        pool: String,
        /// 1 frees all blocks, 2 every second block, which leaves holes.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "One in", range(min = 1), extend("x-left-out" = "1: all"))]
        every: u32,
    },
    /// Starts tasks of another process, as fork and exec do, without mapped memory.
    Spawn {
        /// A process of this workload.
        #[schemars(example = &"worker")]
        process: String,
        /// Number of tasks.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "How many", example = 1, range(min = 1, max = MAX_TASKS))]
        count: u32,
        /// Whether the tasks are threads of this process and share its memory, as with the operation
        /// `threads`.
        #[serde(skip_serializing_if = "is_false")]
        #[deserr(default)]
        #[schemars(
            default,
            title = "Memory",
            extend("x-words" = ["this process's: threads", "of their own"], "x-left-out" = "of their own")
        )]
        share: bool,
    },
    /// Starts threads of this process, as pthread_create does. They share its memory, and run the program
    /// of another process of this workload, which has a count of 0.
    Threads {
        /// The process whose program the threads run; they are named after it.
        #[schemars(example = &"worker")]
        process: String,
        /// Number of threads.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "How many", example = 2, range(min = 1, max = MAX_TASKS))]
        count: u32,
    },
    /// Waits until all threads of the process that run this program have reached a barrier. Only in a program
    /// that threads run.
    Barrier {},
    /// Waits until all threads that the task started have ended, as pthread_join does.
    Join {},
    /// Waits until all tasks and threads that the task started have ended.
    Wait {
        /// How often the task checks whether they have ended: "1s".
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "Checks every", extend("x-left-out" = "is woken immediately"))]
        every: Option<String>,
    },
    /// Sends SIGKILL, as kill -9 does: the task ends, and all its memory is freed.
    Kill {
        /// A task, hog/1, or all tasks of a process: hog. Tasks that have ended or not yet started are ignored.
        #[schemars(example = &"worker")]
        task: String,
    },
    /// Begins a phase of the run, for reports. The phase ends when this task begins its next one.
    Mark {
        /// The name of the phase.
        #[schemars(example = &"phase", length(min = 1, max = MAX_NAME))]
        name: String,
    },
    /// Repeats the operations inside and measures the time of each round, from the end of the round before to
    /// its own end. The report shows the distribution of these latencies. If a round is an operation of a
    /// benchmark, it also shows the operations a second.
    #[schemars(extend("anyOf" = [{ "required": ["times"] }, { "required": ["for"] }]))]
    Sample {
        /// The name in the report.
        #[schemars(example = &"mmap", length(min = 1, max = MAX_NAME))]
        name: String,
        /// Number of rounds; required without a time.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How often", example = 10, extend("x-left-out" = "until the time is over"))]
        times: Option<u32>,
        /// No round begins after this much time; the current round is finished.
        #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
        #[deserr(rename = "for", default)]
        #[schemars(with = "Option<Time>", title = "For", extend("x-left-out" = "without limit"))]
        time: Option<String>,
        /// The time that is subtracted from each latency: the time that the task meant to sleep.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "Less", extend("x-left-out" = "nothing is subtracted"))]
        less: Option<String>,
        /// Shorter latencies are recorded together, as the mean of at most a thousand. An incomplete group at
        /// the end of the run is lost.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "Together below", extend("x-left-out" = "each separately"))]
        together: Option<String>,
        /// Each round is one operation. The report shows the rate of all rounds of this name in this unit, from
        /// the beginning of the first round to the end of the last.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(
            title = "Operations a second, in",
            example = &"bops",
            length(min = 1, max = MAX_NAME),
            extend("x-left-out" = "only latencies")
        )]
        rate: Option<String>,
        /// The operations of each round.
        #[serde(rename = "do")]
        #[deserr(rename = "do")]
        #[schemars(example = loop_body(), length(min = 1))]
        body: Vec<Step>,
    },
    /// Ends the run.
    Stop {},
    /// Moves to a node's CPUs and takes memory from it first.
    Bind {
        /// The node's number on the machine.
        #[schemars(example = 0)]
        node: u32,
        /// Whether memory may come from other nodes when this node has none (MPOL_BIND).
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(
            title = "Other nodes",
            extend("x-words" = ["from no other node", "others too"], "x-left-out" = "others too")
        )]
        strict: Option<bool>,
    },
    /// Sets the CPUs on which the task may run, as sched_setaffinity does; without a node and CPUs, all of
    /// them. A task on another CPU moves immediately. Its memory policy does not change.
    Affinity {
        /// The CPUs of this node, by its number on the machine.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "CPUs of node", example = 0, extend("x-left-out" = "the given CPUs, otherwise all"))]
        node: Option<u32>,
        /// These CPUs, by number.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "CPUs", extend("x-left-out" = "the CPUs of the node, otherwise all"))]
        cpus: Option<Vec<u32>>,
    },
    /// Sets the nodes from which the task gets memory, as set_mempolicy does. Its CPU mask does not change.
    Mempolicy {
        /// The policy.
        #[deserr(default)]
        #[schemars(default, title = "Policy")]
        mode: MemoryMode,
        /// Nodes, by their numbers on the machine: none for the default, one for preferred, otherwise one or
        /// more.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[deserr(default)]
        #[schemars(default, title = "Nodes", extend("x-left-out" = "none"))]
        nodes: Vec<u32>,
    },
    /// Does nothing for a while.
    Think {
        /// How long it does nothing.
        #[schemars(with = "Time", title = "How long", example = &"1ms")]
        time: String,
        /// Adds the last measured length of this phase of the same process, so that a wait can depend on an
        /// earlier measurement.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "Plus length of phase", extend("x-left-out" = "nothing is added"))]
        like: Option<String>,
    },
    /// Uses a CPU for a while without touching memory. Time spent waiting for a CPU does not count.
    Compute {
        /// How long it uses a CPU.
        #[schemars(with = "Time", title = "How long", example = &"1ms")]
        time: String,
    },
    /// Repeats the operations inside, a number of times or for a time, whichever ends first. Loops are nested
    /// at most four deep.
    #[schemars(extend("anyOf" = [{ "required": ["times"] }, { "required": ["for"] }]))]
    Repeat {
        /// Number of rounds; required without a time.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How often", example = 10, extend("x-left-out" = "until the time is over"))]
        times: Option<u32>,
        /// No round begins after this much time; the current round is finished.
        #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
        #[deserr(rename = "for", default)]
        #[schemars(with = "Option<Time>", title = "For", extend("x-left-out" = "without limit"))]
        time: Option<String>,
        /// The minimum time from the beginning of one round to the next. Until then the task polls the time,
        /// and uses a CPU.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "A round every", extend("x-left-out" = "immediately"))]
        every: Option<String>,
        /// The operations of each round.
        #[serde(rename = "do")]
        #[deserr(rename = "do")]
        #[schemars(example = loop_body(), length(min = 1))]
        body: Vec<Step>,
    },
    /// Ends the task here; its memory is freed.
    Exit {},
}

/// The operations of a new loop.
fn loop_body() -> [Step; 1] {
    let time = "1ms".to_string();
    [Step::Think { time, like: None }]
}

impl Step {
    /// A region of anonymous memory has its own size; a loop ends.
    fn sized(self, location: ValuePointerRef<'_>) -> Result<Self, Refusals> {
        match self {
            Step::Map {
                size: None,
                file: None,
                ..
            } => Err(read::missing("size", location)),
            Step::Repeat {
                times: None,
                time: None,
                ..
            }
            | Step::Sample {
                times: None,
                time: None,
                ..
            } => Err(read::missing("times", location)),
            step => Ok(step),
        }
    }
}
