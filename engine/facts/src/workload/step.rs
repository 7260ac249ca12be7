//! The operations of the workload language, as people write them.
//!
//! Modelled: every operation. Left out: nothing.
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

/// The operations there are.
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

/// One operation as people write it: an object whose `op` says which one it is, as
/// `{ "op": "map", "region": "heap", "size": "40%" }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, tag = "op", rename_all = lowercase, deny_unknown_fields, validate = Step::sized -> Refusals)]
#[serde(tag = "op", rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
pub enum Step {
    /// Sets a region of addresses aside, as mmap does. No page is allocated yet.
    #[schemars(extend("anyOf" = [{ "required": ["size"] }, { "required": ["file"] }]))]
    Map {
        /// What this program calls it.
        #[schemars(example = &"heap")]
        region: String,
        /// Of the region; without a file it is needed.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "Size", example = &"10%", extend("x-left-out" = "as large as the file"))]
        size: Option<Size>,
        /// The file it shows, shared with all who map it; without one it is anonymous memory.
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
                "x-words" = ["asks for them", "as the machine has it"],
                "x-left-out" = "as the machine has it"
            )
        )]
        huge: bool,
    },
    /// Touches pages of a region: the first touch of each faults, and allocates it.
    Touch {
        /// A region mapped before.
        #[schemars(example = &"heap")]
        region: String,
        /// How many pages are touched, one after the other.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How many touches", extend("x-left-out" = "as many as the region has pages"))]
        pages: Option<Size>,
        /// From front to back, or anywhere, by the task's own random numbers.
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
        /// The region is cut into equal parts, one for each thread that was started with this one, and
        /// the thread touches its own part only. For the program of threads.
        #[serde(skip_serializing_if = "is_false")]
        #[deserr(default)]
        #[schemars(
            default,
            title = "Its part",
            extend("x-words" = ["its own part only", "all of the region"], "x-left-out" = "all of the region")
        )]
        slice: bool,
        /// Where memory has rates: how much of a page each touch moves.
        #[serde(skip_serializing_if = "AccessSize::is_line")]
        #[deserr(default)]
        #[schemars(default, title = "Bytes of each page", extend("x-left-out" = "a cache line"))]
        bytes: AccessSize,
    },
    /// Accesses pages of anonymous memory anywhere, each independent of the one before. All accesses up to
    /// the next one that changes a page table entry are one step.
    Access {
        /// A region of anonymous memory mapped before.
        #[schemars(example = &"heap")]
        region: String,
        /// Accesses in all.
        #[schemars(title = "How many accesses", example = 1000, range(min = 1))]
        times: u32,
        /// How many accesses of a hundred go to the thread's own part of the region, all others to
        /// anywhere in it. The parts are those of `touch` with `slice`. For the program of threads.
        #[serde(skip_serializing_if = "is_zero")]
        #[deserr(default)]
        #[schemars(default, title = "Of a hundred to its part", range(max = 100), extend("x-left-out" = "none"))]
        own: u8,
        /// How many accesses of a hundred write.
        #[deserr(default = 100)]
        #[schemars(default = "hundred", title = "Writes of a hundred", range(max = 100), extend("x-left-out" = "all"))]
        writes: u8,
        /// Where memory has rates: how much of a page each access moves.
        #[serde(skip_serializing_if = "AccessSize::is_line")]
        #[deserr(default)]
        #[schemars(default, title = "Bytes of each page", extend("x-left-out" = "a cache line"))]
        bytes: AccessSize,
        /// How long the task computes with each access, besides waiting for memory: at most 1 ms.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "Computes with each", extend("x-left-out" = "not at all"))]
        compute: Option<String>,
    },
    /// Locks a region in memory, as mlock does: reclaim may not take its pages.
    Lock {
        /// A region mapped before; what is missing of it is faulted in.
        #[schemars(example = &"heap")]
        region: String,
    },
    /// Gives a region back, as munmap does: its pages are freed.
    Free {
        /// A region mapped before.
        #[schemars(example = &"heap")]
        region: String,
    },
    /// Frees pages of a region that stays mapped, as madvise(MADV_DONTNEED) does: the next touch of each
    /// faults. A locked region stays as it is.
    Dontneed {
        /// A region mapped before.
        #[schemars(example = &"heap")]
        region: String,
        /// 1 frees all of them, 2 every other one: that leaves holes. A huge page goes with 1 only.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "One in", range(min = 1), extend("x-left-out" = "1: all"))]
        every: u32,
    },
    /// Reads a file through the page cache, from where the last call ended.
    Read {
        /// Name of a file of this workload; of several files of that name one after the other.
        #[schemars(example = &"data")]
        file: String,
        /// In all.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How much", extend("x-left-out" = "all of the file"))]
        size: Option<Size>,
        /// How much one call reads.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "In one call", extend("x-left-out" = "64 KiB"))]
        chunk: Option<Size>,
        /// From front to back, or anywhere, by the task's own random numbers.
        #[deserr(default)]
        #[schemars(default, title = "In which order")]
        order: Pattern,
    },
    /// Writes to a file through the page cache: its pages become dirty. A removed file is created.
    Write {
        /// Name of a file of this workload; of several files of that name one after the other.
        #[schemars(example = &"data")]
        file: String,
        /// In all.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How much", extend("x-left-out" = "all of the file"))]
        size: Option<Size>,
        /// How much one call writes.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "In one call", extend("x-left-out" = "64 KiB"))]
        chunk: Option<Size>,
        /// From front to back, or anywhere, by the task's own random numbers.
        #[deserr(default)]
        #[schemars(default, title = "In which order")]
        order: Pattern,
    },
    /// Reads one file and writes another in turn, as dd does.
    Copy {
        /// A file of this workload.
        #[schemars(title = "From file", example = &"data")]
        from: String,
        /// Another file of it.
        #[schemars(title = "To file", example = &"copy")]
        to: String,
        /// In all.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How much", extend("x-left-out" = "all of what is read"))]
        size: Option<Size>,
        /// How much one call reads, then writes.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "In one call", extend("x-left-out" = "512 B, as dd does"))]
        chunk: Option<Size>,
    },
    /// Writes a file's dirty pages out and waits until the device has them.
    Fsync {
        /// A file of this workload.
        #[schemars(example = &"data")]
        file: String,
    },
    /// Removes a file; its pages go when nobody uses it any more.
    Unlink {
        /// A file of this workload.
        #[schemars(example = &"data")]
        file: String,
    },
    /// Creates new files that have no name here, writes and closes them.
    Create {
        /// Files.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "How many", example = 1, range(min = 1, max = MAX_FILES))]
        count: u32,
        /// Of each file.
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
    /// Looks a file up, as stat does; of several files of that name one after the other. Its name and
    /// its inode are cached, and nothing of it is read.
    Stat {
        /// A file of this workload; one that does not exist is passed over.
        #[schemars(example = &"data")]
        file: String,
    },
    /// Drops the clean pages of all files: echo 1 > /proc/sys/vm/drop_caches.
    #[deserr(rename = "drop_caches")]
    DropCaches {
        /// Names and inodes nobody uses as well: echo 3.
        #[serde(skip_serializing_if = "is_false")]
        #[deserr(default)]
        #[schemars(
            default,
            title = "Names and inodes",
            extend("x-words" = ["dropped, too", "stay"], "x-left-out" = "stay")
        )]
        slab: bool,
    },
    /// Moves pages until the free memory of each zone is in blocks as large as can be:
    /// echo 1 > /proc/sys/vm/compact_memory.
    #[deserr(rename = "compact_memory")]
    CompactMemory {},
    /// Writes a tunable, as sysctl -w does: from this point on the kernel goes by the new value.
    Set {
        /// One the kernel has.
        #[schemars(example = &"vm.swappiness")]
        name: String,
        /// As text.
        #[schemars(example = &"10")]
        value: String,
    },
    /// Allocates blocks as a part of the kernel would, and keeps them in a pool.
    Alloc {
        /// What this program calls it.
        #[schemars(example = &"buffers")]
        pool: String,
        /// Of each block: order 3 is 8 pages in a row.
        #[schemars(example = 0)]
        order: u8,
        /// Blocks; or a share, which counts pages of memory: "2% of node".
        #[schemars(title = "How many", example = 32, extend("x-unit" = "blocks"))]
        count: Size,
        /// What the kernel asks for, and so whether it may wait for reclaim.
        #[serde(rename = "type")]
        #[deserr(rename = "type", default)]
        #[schemars(default, title = "Which memory")]
        kind: BlockType,
        /// Where there is no block, the next is asked for all the same; how many came and how many did
        /// not is counted, by phase.
        #[serde(skip_serializing_if = "is_false")]
        #[deserr(default)]
        #[schemars(
            default,
            title = "After a failure",
            extend("x-words" = ["asks for the next", "gives up"], "x-left-out" = "gives up on the rest")
        )]
        go_on: bool,
    },
    /// Frees blocks of a pool, in the order they were allocated.
    Release {
        /// A pool something was allocated into.
        #[schemars(example = &"buffers")]
        pool: String,
        /// 1 frees all of them, 2 every other one: that leaves holes.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "One in", range(min = 1), extend("x-left-out" = "1: all"))]
        every: u32,
    },
    /// Starts tasks of another process, as fork and exec do, with nothing mapped.
    Spawn {
        /// A process of this workload.
        #[schemars(example = &"worker")]
        process: String,
        /// Tasks.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "How many", example = 1, range(min = 1, max = MAX_TASKS))]
        count: u32,
        /// They are threads of this process and share its memory, as with the operation `threads`.
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
        /// Whose program they run; they are called by its name.
        #[schemars(example = &"worker")]
        process: String,
        /// Threads.
        #[deserr(default = 1)]
        #[schemars(default = "one", title = "How many", example = 2, range(min = 1, max = MAX_TASKS))]
        count: u32,
    },
    /// Waits until all threads of the process that run this program have come to a barrier. For the
    /// program of threads.
    Barrier {},
    /// Waits until all threads it started have ended, as pthread_join does.
    Join {},
    /// Waits until all tasks and threads it started have ended.
    Wait {
        /// Looks only so often whether they have: "1s".
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "Looks every", extend("x-left-out" = "is told at once"))]
        every: Option<String>,
    },
    /// Sends SIGKILL, as kill -9 does: who gets it ends, and gives back all it had.
    Kill {
        /// A task, hog/1, or all tasks of a process: hog. Who has ended, or not begun, is not killed.
        #[schemars(example = &"worker")]
        task: String,
    },
    /// Begins a phase of the run, for reports; it ends with this task's next one.
    Mark {
        /// What the phase is called.
        #[schemars(example = &"phase", length(min = 1, max = MAX_NAME))]
        name: String,
    },
    /// Does the operations inside again and again and takes the time of each round, from the end of
    /// the one before to its own: the report says how these latencies lie, and, where a round is an
    /// operation of a benchmark, how many were done a second.
    #[schemars(extend("anyOf" = [{ "required": ["times"] }, { "required": ["for"] }]))]
    Sample {
        /// What the report calls it.
        #[schemars(example = &"mmap", length(min = 1, max = MAX_NAME))]
        name: String,
        /// Rounds; without a time it is needed.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How often", example = 10, extend("x-left-out" = "until the time is over"))]
        times: Option<u32>,
        /// No round begins after this much time; the one under way is finished.
        #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
        #[deserr(rename = "for", default)]
        #[schemars(with = "Option<Time>", title = "For", extend("x-left-out" = "without limit"))]
        time: Option<String>,
        /// Taken off each: the time it meant to sleep.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "Less", extend("x-left-out" = "nothing is taken off"))]
        less: Option<String>,
        /// Shorter ones are written down together, as their mean, a thousand at most; what waits for
        /// that at the end is lost.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "Together below", extend("x-left-out" = "each by itself"))]
        together: Option<String>,
        /// Each round is one operation: the report says how many of this name were done a second, in
        /// this unit, from the first round's beginning to the last one's end.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(
            title = "Operations a second, in",
            example = &"bops",
            length(min = 1, max = MAX_NAME),
            extend("x-left-out" = "latencies alone")
        )]
        rate: Option<String>,
        /// What is done in each round.
        #[serde(rename = "do")]
        #[deserr(rename = "do")]
        #[schemars(example = loop_body(), length(min = 1))]
        body: Vec<Step>,
    },
    /// Ends the run: what was to be seen is done.
    Stop {},
    /// Moves to a node's CPUs and takes memory from it first.
    Bind {
        /// Its number on the machine.
        #[schemars(example = 0)]
        node: u32,
        /// Whether memory may come from elsewhere when the node has none (MPOL_BIND).
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(
            title = "Other nodes",
            extend("x-words" = ["from no other node", "others too"], "x-left-out" = "others too")
        )]
        strict: Option<bool>,
    },
    /// Says on which CPUs the task may run, as sched_setaffinity does; without a node and CPUs on any. A
    /// task on another CPU moves at once. Where its memory comes from stays as it is.
    Affinity {
        /// On those of this node, by its number on the machine.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "CPUs of node", example = 0, extend("x-left-out" = "the CPUs named, else any"))]
        node: Option<u32>,
        /// On these CPUs, by number.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "CPUs", extend("x-left-out" = "those of the node, else any"))]
        cpus: Option<Vec<u32>>,
    },
    /// Says where the task's memory comes from, as set_mempolicy does. Where it runs stays as it is.
    Mempolicy {
        /// The policy.
        #[deserr(default)]
        #[schemars(default, title = "Policy")]
        mode: MemoryMode,
        /// Nodes, by their numbers on the machine: none for the default, one that is preferred, one or
        /// more else.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[deserr(default)]
        #[schemars(default, title = "Nodes", extend("x-left-out" = "none"))]
        nodes: Vec<u32>,
    },
    /// Does nothing for a while.
    Think {
        /// How long nothing is done.
        #[schemars(with = "Time", title = "How long", example = &"1ms")]
        time: String,
        /// And as long again as this phase of the same process took when it last ended: a wait for what
        /// was measured before.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "And as long as phase", extend("x-left-out" = "no longer"))]
        like: Option<String>,
    },
    /// Uses a CPU for a while without touching memory. What it waits for a CPU does not count.
    Compute {
        /// How long it has a CPU.
        #[schemars(with = "Time", title = "How long", example = &"1ms")]
        time: String,
    },
    /// Does the operations inside again and again, so many times or for a while, whichever ends first.
    /// Loops nest four deep at most.
    #[schemars(extend("anyOf" = [{ "required": ["times"] }, { "required": ["for"] }]))]
    Repeat {
        /// Rounds; without a time it is needed.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(title = "How often", example = 10, extend("x-left-out" = "until the time is over"))]
        times: Option<u32>,
        /// No round begins after this much time; the one under way is finished.
        #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
        #[deserr(rename = "for", default)]
        #[schemars(with = "Option<Time>", title = "For", extend("x-left-out" = "without limit"))]
        time: Option<String>,
        /// So long after a round began the next one begins at the earliest; until then the task keeps
        /// asking whether it is time, and uses a CPU.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        #[schemars(with = "Option<Time>", title = "A round every", extend("x-left-out" = "at once"))]
        every: Option<String>,
        /// What is done in each round.
        #[serde(rename = "do")]
        #[deserr(rename = "do")]
        #[schemars(example = loop_body(), length(min = 1))]
        body: Vec<Step>,
    },
    /// Ends the task here; its memory is freed.
    Exit {},
}

/// What a new loop does.
fn loop_body() -> [Step; 1] {
    let time = "1ms".to_string();
    [Step::Think { time, like: None }]
}

impl Step {
    /// A region of anonymous memory has a size of its own; a loop ends.
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
