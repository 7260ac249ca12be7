//! The workload language: processes with loops of operations, as data.
//!
//! Modelled: mapping, touching, locking and freeing anonymous memory and files, whole or in parts, reading, writing,
//! copying, creating and removing files, allocating and freeing blocks of an order, starting tasks,
//! waiting for them and killing them, binding to a node, writing tunables, thinking, computing,
//! exiting; named phases and latencies, for reports; sizes
//! absolute or as a share of memory; seeded.
//! Left out: directories, private mappings of files, sockets and pipes.
//! Invariants: a compiled program never fails: regions are mapped before they are touched, loops
//! nest at most four deep and end.

mod compile;
mod compiled;

use std::borrow::Cow;

use deserr::{Deserr, IntoValue, Value, ValueKind, ValuePointerRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::read::{self, Refusals};
use crate::schema::Time;

pub use compile::{Target, compile};
pub use compiled::{Compiled, Op, Program, Sampler};

/// A workload as people write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct Workload {
    /// Stable id.
    pub id: String,
    /// What menus call it.
    #[deserr(default)]
    #[schemars(default, extend("x-left-out" = "none"))]
    pub title: String,
    /// What it is for, in a sentence.
    #[deserr(default)]
    #[schemars(default, extend("x-left-out" = "none"))]
    pub about: String,
    /// Files that lie on the first device for files when the run begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    #[schemars(default, extend("x-left-out" = "none"))]
    pub files: Vec<FileSet>,
    /// Its kinds of process.
    #[schemars(length(min = 1))]
    pub processes: Vec<Process>,
}

/// A file, or a row of files of one size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct FileSet {
    /// What the programs call it.
    #[schemars(length(min = 1, max = MAX_NAME))]
    pub name: String,
    /// Of each.
    pub size: Size,
    /// Files of this name and size, used one after the other.
    #[deserr(default = 1)]
    #[schemars(default = "one", title = "How many", range(min = 1, max = MAX_FILES))]
    pub count: u32,
    /// Where a process has this row as files of its own: how many of them each of its tasks knows.
    #[serde(skip_serializing_if = "is_one")]
    #[deserr(default = 1)]
    #[schemars(
        default = "one",
        title = "Of its own, each",
        range(min = 1, max = MAX_FILES),
        extend("x-left-out" = "1")
    )]
    pub each: u32,
    /// A missing file is created by who first writes or maps it, and is one hole till then.
    #[serde(skip_serializing_if = "is_false")]
    #[deserr(default)]
    #[schemars(
        default,
        title = "At the start",
        extend("x-words" = ["missing", "on the device"], "x-left-out" = "on the device")
    )]
    pub absent: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_one(number: &u32) -> bool {
    *number == 1
}

const fn one() -> u32 {
    1
}

/// One kind of process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct Process {
    /// Its tasks are called by it: name/1, name/2.
    #[schemars(title = "Command", length(min = 1, max = MAX_NAME))]
    pub name: String,
    /// By themselves; 0 where only another process starts it.
    #[deserr(default = 1)]
    #[schemars(default = "one", title = "How many start")]
    pub count: u32,
    /// It runs on this node's CPUs and takes memory from it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(extend("x-left-out" = "spread over all CPUs"))]
    pub node: Option<u32>,
    /// How long after the run began it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(with = "Option<Time>", title = "Starts after", extend("x-left-out" = "0: at once"))]
    pub start: Option<String>,
    /// Rows of files of which each task knows one only, or as many as the row says: the first task
    /// the first, and so on, from the first again behind the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    #[schemars(default, title = "Files of its own", extend("x-left-out" = "none: each knows all"))]
    pub own: Vec<String>,
    /// What it does, one operation after the other.
    pub program: Vec<Step>,
}

/// In which order pages are touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Front to back, then again.
    #[default]
    Sequential,
    /// Anywhere, by the task's own random numbers.
    Random,
}

/// Which kernel memory a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "snake_case")]
pub enum BlockType {
    /// GFP_KERNEL.
    #[default]
    Unmovable,
    /// GFP_KERNEL with __GFP_RECLAIMABLE.
    Reclaimable,
    /// GFP_HIGHUSER_MOVABLE.
    Movable,
    /// GFP_ATOMIC, may not wait.
    Atomic,
    /// GFP_KERNEL with __GFP_DMA: of the zone for old devices.
    Dma,
    /// GFP_KERNEL with __GFP_DMA32: below 4 GiB.
    Dma32,
}

/// A size: pages as a number, or text with a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Size {
    /// Pages.
    Pages(u64),
    /// With a unit.
    Text(String),
}

impl Deserr<Refusals> for Size {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        location: ValuePointerRef<'_>,
    ) -> Result<Self, Refusals> {
        match value {
            Value::Integer(pages) => Ok(Size::Pages(pages)),
            Value::String(text) => Ok(Size::Text(text)),
            other => Err(read::mismatch(other, &[ValueKind::Integer], location)),
        }
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Pages, or with a unit: \"64 MiB\", \"40%\" or \"2.5%\" of memory, \"40% of node\".",
            "anyOf": [
                { "type": "integer", "minimum": 1 },
                { "type": "string", "pattern": r"^\s*([0-9]+\s*(B|KiB|MiB|GiB)|[0-9]+(\.[0-9]{1,6})?\s*(%|% of node))\s*$" }
            ]
        })
    }
}

/// The operations there are.
pub const OPERATIONS: [&str; 27] = [
    "map",
    "touch",
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
    "set",
    "alloc",
    "release",
    "spawn",
    "wait",
    "kill",
    "mark",
    "sample",
    "stop",
    "bind",
    "think",
    "compute",
    "repeat",
    "exit",
];

/// One operation as people write it.
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
    },
    /// Waits until all tasks it started have ended.
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
    /// the one before to its own: the report says how these latencies lie.
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
        /// Its number.
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

/// Bytes of a sector, the unit of positions in files.
pub const SECTOR: u32 = 512;
/// Deepest nesting of loops.
pub const MAX_LOOPS: usize = 4;
/// Most tasks a workload may start by itself, and most that `spawn` may keep alive.
pub const MAX_TASKS: u32 = 1024;
const MAX_STEPS: usize = 1000;
/// Longest name of a process, a file or a phase, bytes.
const MAX_NAME: usize = 32;
/// Most files a workload may begin with, and most that one operation creates.
pub const MAX_FILES: u32 = 1 << 18;
/// Most files one process names.
const MAX_FDS: usize = 200;

/// A number and what follows it: "64 MiB" is ("64", "MiB").
fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let digits = text.bytes().take_while(is_of_number).count();
    let (number, unit) = text.split_at_checked(digits).unwrap_or_default();
    (number, unit.trim())
}

/// A process's name and which of its tasks is meant, 0 for all: "hog/1", "hog".
///
/// # Errors
/// Says how a task is written.
pub(crate) fn task_named(text: &str) -> Result<(&str, u32), String> {
    let Some((name, digits)) = text.rsplit_once('/') else {
        return Ok((text, 0));
    };
    let instance = digits.parse().ok().filter(|&n| n > 0);
    let reason = || format!("'{text}' is no task: write hog/1, or hog for all of them");
    instance.map(|n| (name, n)).ok_or_else(reason)
}

/// Reads a duration: "10s", "250ms", "5us", "100ns".
///
/// # Errors
/// Says what a duration looks like.
pub fn parse_ns(text: &str) -> Result<u64, String> {
    let (number, unit) = number_and_unit(text);
    let scale: u64 = match unit {
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "us" | "µs" => 1_000,
        "ns" => 1,
        _ => {
            return Err(format!(
                "'{text}' is no duration: write 10s, 250ms, 5us or 100ns"
            ));
        }
    };
    let n: u64 = number
        .parse()
        .map_err(|_| format!("'{text}' is no duration: write 250ms"))?;
    n.checked_mul(scale)
        .filter(|&ns| ns <= crate::experiment::MAX_LENGTH_NS)
        .ok_or_else(|| format!("'{text}' is longer than an experiment may last (four hours)"))
}
