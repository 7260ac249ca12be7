//! The workload language: processes with loops of operations, as data.
//!
//! Modelled: mapping, touching, locking and freeing anonymous memory and files, whole or in parts, reading, writing,
//! copying, creating and removing files, allocating and freeing blocks of an order, compacting memory,
//! starting tasks and threads, waiting for them and killing them, barriers of threads, CPU masks and memory
//! policies of tasks, writing tunables, thinking, computing,
//! exiting; named phases and latencies, for reports; sizes
//! absolute or as a share of memory; seeded.
//! Left out: directories, private mappings of files, sockets and pipes.
//! Invariants: a compiled program never fails: regions are mapped before they are touched, loops
//! nest at most four deep and end.

mod compile;
mod compiled;
mod step;

use std::borrow::Cow;

use deserr::{Deserr, IntoValue, Value, ValueKind, ValuePointerRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::read::{self, Refusals};
use crate::schema::Time;

pub use compile::{Target, affinity_cpus, bound_sets, compile, programs_of_threads};
pub use compiled::{Compiled, Op, Policy, Program, Sampler};
pub use step::{OPERATIONS, Step};

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

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
const fn is_zero(number: &u8) -> bool {
    *number == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
const fn is_true(flag: &bool) -> bool {
    *flag
}

const fn yes() -> bool {
    true
}

const fn hundred() -> u8 {
    100
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
    /// Its tasks start a new program (execve), or go on in that of the task that forked them. NUMA balancing
    /// first scans a new program later.
    #[serde(skip_serializing_if = "is_true")]
    #[deserr(default = true)]
    #[schemars(
        default = "yes",
        title = "Begins by",
        extend("x-words" = ["fork and exec", "fork alone"], "x-left-out" = "fork and exec")
    )]
    pub exec: bool,
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

/// How much of a page each touch moves, on a machine whose memory has rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "snake_case")]
pub enum AccessSize {
    /// A cache line, 64 bytes, after the latency of memory.
    #[default]
    Line,
    /// All of the page, as a program does that fills or reads memory in a row: the processor fetches
    /// ahead, and there is no latency.
    Page,
}

impl AccessSize {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands over a reference"
    )]
    fn is_line(&self) -> bool {
        *self == Self::Line
    }
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
    /// A page of the pool of huge pages, asked for as a write to nr_hugepages does: of one node after
    /// the other, with __GFP_REPEAT.
    Hugetlb,
}

/// Where a task's memory comes from (`set_mempolicy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "snake_case")]
pub enum MemoryMode {
    /// The node of the CPU that asks, others when it has none (MPOL_DEFAULT).
    #[default]
    Default,
    /// These nodes and no other (MPOL_BIND).
    Bind,
    /// This node first, others when it has none (MPOL_PREFERRED).
    Preferred,
    /// These nodes one after the other, page by page (MPOL_INTERLEAVE).
    Interleave,
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
