//! The workload language: processes with loops of operations, as data.
//!
//! Modelled: mapping, touching, locking and freeing anonymous memory and files, whole or in parts; reading,
//! writing, copying, creating and removing files; allocating and freeing blocks of an order; compacting
//! memory; starting tasks and threads, waiting for them and killing them; barriers of threads; CPU masks and
//! memory policies of tasks; writing tunables, sleeping, computing, exiting; named phases and latencies for
//! reports; absolute sizes and shares of memory; random numbers from a seed.
//! Left out: directories, private mappings of files, sockets and pipes.
//! Invariants: a compiled program never fails: regions are mapped before they are touched, loops are nested
//! at most four deep and end.

mod amounts;
mod cgroups;
mod compile;
mod compiled;
pub mod order;
mod step;

use std::borrow::Cow;

use deserr::{Deserr, IntoValue, Value, ValueKind, ValuePointerRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::read::{self, Refusals};
use crate::schema::Time;

pub use cgroups::{Cgroup, Group, GroupLimits, Groups, Limit, MAX_CGROUPS, UNLIMITED, groups};
pub use compile::{Target, affinity_cpus, bound_sets, compile, programs_of_threads};
pub use compiled::{Compiled, Op, Policy, Program, Sampler};
pub use step::{OPERATIONS, Step};

/// A workload as users write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct Workload {
    /// Stable id.
    pub id: String,
    /// The name in menus.
    #[deserr(default)]
    #[schemars(default, extend("x-left-out" = "none"))]
    pub title: String,
    /// What it shows, in one sentence.
    #[deserr(default)]
    #[schemars(default, extend("x-left-out" = "none"))]
    pub about: String,
    /// The files that are on the first device for files when the run begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    #[schemars(default, extend("x-left-out" = "none"))]
    pub files: Vec<FileSet>,
    /// Memory cgroups in which processes run. A cgroup comes after its parent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    #[schemars(
        default,
        title = "Memory cgroups",
        length(max = MAX_CGROUPS),
        extend("x-left-out" = "none")
    )]
    pub cgroups: Vec<Cgroup>,
    /// Whether protection that no child of a cgroup claims is distributed among its children (the mount
    /// option memory_recursiveprot). systemd mounts cgroups with this option.
    #[serde(skip_serializing_if = "is_false")]
    #[deserr(default)]
    #[schemars(
        default,
        title = "Unclaimed protection",
        extend("x-words" = ["distributed to children", "not distributed"], "x-left-out" = "not distributed")
    )]
    pub memory_recursiveprot: bool,
    /// The kinds of processes.
    #[schemars(length(min = 1))]
    pub processes: Vec<Process>,
}

/// A file, or several files of one size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct FileSet {
    /// The name that programs use.
    #[schemars(length(min = 1, max = MAX_NAME))]
    pub name: String,
    /// Size of each file.
    pub size: Size,
    /// Number of files with this name and size; programs use them one after the other.
    #[deserr(default = 1)]
    #[schemars(default = "one", title = "How many", range(min = 1, max = MAX_FILES))]
    pub count: u32,
    /// If a process has these files to itself: how many of them each of its tasks uses.
    #[serde(skip_serializing_if = "is_one")]
    #[deserr(default = 1)]
    #[schemars(
        default = "one",
        title = "Own files of each task",
        range(min = 1, max = MAX_FILES),
        extend("x-left-out" = "1")
    )]
    pub each: u32,
    /// The first task that writes or maps a missing file creates it. Until then, no block of the file is
    /// allocated.
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
    /// The name of its tasks: name/1, name/2.
    #[schemars(title = "Command", length(min = 1, max = MAX_NAME))]
    pub name: String,
    /// How many tasks start without another process; 0 if only another process starts them.
    #[deserr(default = 1)]
    #[schemars(default = "one", title = "How many start")]
    pub count: u32,
    /// It runs on this node's CPUs and allocates from this node first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(extend("x-left-out" = "spread over all CPUs"))]
    pub node: Option<u32>,
    /// The memory cgroup in which it runs and to which its memory is charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(title = "Memory cgroup", extend("x-left-out" = "the cgroup of the process that starts it; otherwise the root, which has no limits"))]
    pub cgroup: Option<String>,
    /// Time from the beginning of the run until it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(with = "Option<Time>", title = "Starts after", extend("x-left-out" = "0: immediately"))]
    pub start: Option<String>,
    /// Whether its tasks start a new program (execve) or continue in the program of the task that forked
    /// them. NUMA balancing waits longer before its first scan of a new program.
    #[serde(skip_serializing_if = "is_true")]
    #[deserr(default = true)]
    #[schemars(
        default = "yes",
        title = "Begins by",
        extend("x-words" = ["fork and exec", "only fork"], "x-left-out" = "fork and exec")
    )]
    pub exec: bool,
    /// Names of files that are divided among the tasks: a task uses one file, or as many as the field 'each'
    /// of the file says. After the last file, the first one follows again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    #[schemars(default, title = "Files of its own", extend("x-left-out" = "none: each task uses all files"))]
    pub own: Vec<String>,
    /// Its operations, one after the other.
    pub program: Vec<Step>,
}

/// The order in which pages are touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Front to back, then again.
    #[default]
    Sequential,
    /// At random positions, by the task's own random numbers.
    Random,
}

/// How much of a page each touch moves, on a machine whose memory has rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "snake_case")]
pub enum AccessSize {
    /// A cache line of 64 bytes, after the latency of memory.
    #[default]
    Line,
    /// The whole page, as when a program fills or reads memory sequentially. The processor prefetches, so the
    /// latency does not count.
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

/// The kind of kernel memory of a block.
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
    /// GFP_ATOMIC, which must not wait.
    Atomic,
    /// GFP_KERNEL with __GFP_DMA: from the zone for old devices.
    Dma,
    /// GFP_KERNEL with __GFP_DMA32: below 4 GiB.
    Dma32,
    /// A page for the pool of huge pages, allocated as by a write to nr_hugepages: from the nodes in turn,
    /// with __GFP_REPEAT.
    Hugetlb,
}

/// Where a task's memory comes from (`set_mempolicy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "snake_case")]
pub enum MemoryMode {
    /// The node of the task's CPU; other nodes if it has no free memory (MPOL_DEFAULT).
    #[default]
    Default,
    /// Only these nodes (MPOL_BIND).
    Bind,
    /// This node first; other nodes if it has no free memory (MPOL_PREFERRED).
    Preferred,
    /// These nodes in turn, page by page (MPOL_INTERLEAVE).
    Interleave,
}

/// A size: pages as a number, or text with a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Size {
    /// Pages.
    Pages(u64),
    /// A size with a unit.
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
/// The maximum nesting depth of loops.
pub const MAX_LOOPS: usize = 4;
/// The maximum number of tasks that a workload starts at the beginning, and that `spawn` may keep alive.
pub const MAX_TASKS: u32 = 1024;
const MAX_STEPS: usize = 1000;
/// The maximum length of a name of a process, a file or a phase, bytes.
const MAX_NAME: usize = 32;
/// The maximum number of files with which a workload begins, and that one operation creates.
pub const MAX_FILES: u32 = 1 << 18;
/// The maximum number of files that one process names.
const MAX_FDS: usize = 200;

/// A number and its unit: "64 MiB" gives ("64", "MiB").
fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let digits = text.bytes().take_while(is_of_number).count();
    let (number, unit) = text.split_at_checked(digits).unwrap_or_default();
    (number, unit.trim())
}

/// A process's name and the number of one of its tasks; 0 means all: "hog/1", "hog".
///
/// # Errors A message that shows how to name a task.
pub(crate) fn task_named(text: &str) -> Result<(&str, u32), String> {
    let Some((name, digits)) = text.rsplit_once('/') else {
        return Ok((text, 0));
    };
    let instance = digits.parse().ok().filter(|&n| n > 0);
    let reason = || format!("'{text}' does not name a task: write hog/1, or hog for all its tasks");
    instance.map(|n| (name, n)).ok_or_else(reason)
}

/// Reads a duration: "10s", "250ms", "5us", "100ns".
///
/// # Errors
/// A message that shows how to write a duration.
pub fn parse_ns(text: &str) -> Result<u64, String> {
    let (number, unit) = number_and_unit(text);
    let scale: u64 = match unit {
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "us" | "µs" => 1_000,
        "ns" => 1,
        _ => {
            return Err(format!(
                "'{text}' is not a duration: write 10s, 250ms, 5us or 100ns"
            ));
        }
    };
    let n: u64 = number
        .parse()
        .map_err(|_| format!("'{text}' is not a duration: write 250ms"))?;
    n.checked_mul(scale)
        .filter(|&ns| ns <= crate::experiment::MAX_LENGTH_NS)
        .ok_or_else(|| format!("'{text}' is longer than an experiment may last (four hours)"))
}
