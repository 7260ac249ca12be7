//! The workload language: processes with loops of operations, as data.
//!
//! Modelled: mapping, touching, locking and freeing anonymous memory and files, reading, writing,
//! copying, creating and removing files, allocating and freeing blocks of an order, starting tasks
//! and waiting for them, binding to a node, thinking, exiting; named phases, for reports; sizes
//! absolute or as a share of memory; seeded.
//! Left out: directories, private mappings of files, sockets and pipes.
//! Invariants: a compiled program never fails: regions are mapped before they are touched, loops
//! nest at most four deep and end.

mod compile;

use deserr::{Deserr, IntoValue, Value, ValueKind, ValuePointerRef};
use serde::Serialize;

use crate::gfp::Gfp;
use crate::read::{self, Refusals};

pub use compile::compile;

/// A workload as people write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
pub struct Workload {
    /// Stable id.
    pub id: String,
    /// For people.
    #[deserr(default)]
    pub title: String,
    /// One sentence.
    #[deserr(default)]
    pub about: String,
    /// Files that lie on the first device for files when the run begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    pub files: Vec<FileSet>,
    /// The processes.
    pub processes: Vec<Process>,
}

/// A file, or a row of files of one size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
pub struct FileSet {
    /// Name.
    pub name: String,
    /// Size of each.
    pub size: Size,
    /// How many.
    #[deserr(default = 1)]
    pub count: u32,
    /// Not there when the run begins: who writes or maps it creates it, all of it a hole.
    #[serde(skip_serializing_if = "is_false")]
    #[deserr(default)]
    pub absent: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// One kind of process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
pub struct Process {
    /// Command name; instances are called name/1, name/2.
    pub name: String,
    /// How many start by themselves; 0 when only `spawn` starts it.
    #[deserr(default = 1)]
    pub count: u32,
    /// Node to run on and take memory from first; none: spread over all CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    pub node: Option<u32>,
    /// Starts after this much time: "5ms".
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    pub start: Option<String>,
    /// Rows of files of which each instance knows one only: the first instance the first file, and
    /// so on, from the first again behind the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    pub own: Vec<String>,
    /// What it does.
    pub program: Vec<Step>,
}

/// In which order pages are touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Ascending, wrapping around.
    #[default]
    Sequential,
    /// Uniformly random, from the task's own stream.
    Random,
}

/// Which kernel memory a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserr)]
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
    /// GFP_ATOMIC: may not sleep.
    Atomic,
    /// GFP_KERNEL with __GFP_DMA: of the zone for old devices only.
    Dma,
    /// GFP_KERNEL with __GFP_DMA32: below 4 GiB.
    Dma32,
}

/// A size: pages as a number, or text: "512 B", "64 MiB", "40%" of all managed memory, "40% of
/// node".
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

/// The operations there are.
pub const OPERATIONS: [&str; 21] = [
    "map",
    "touch",
    "lock",
    "free",
    "read",
    "write",
    "copy",
    "fsync",
    "unlink",
    "create",
    "drop_caches",
    "alloc",
    "release",
    "spawn",
    "wait",
    "mark",
    "stop",
    "bind",
    "think",
    "repeat",
    "exit",
];

/// One operation as people write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals, tag = "op", rename_all = lowercase, deny_unknown_fields, validate = Step::sized -> Refusals)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Step {
    /// Maps a region of anonymous memory, or of a file, shared; nothing is allocated yet.
    Map {
        /// Name of the region.
        region: String,
        /// Size; none: as large as the file.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        size: Option<Size>,
        /// `MADV_HUGEPAGE`.
        #[deserr(default)]
        huge: bool,
        /// The file.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        file: Option<String>,
    },
    /// Touches pages of a region: the first touch of each faults.
    Touch {
        /// Name of the region.
        region: String,
        /// How many touches; none: as many as the region has pages.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        pages: Option<Size>,
        /// In which order.
        #[deserr(default)]
        order: Pattern,
        /// Touches are writes; none: in anonymous memory they are, in files not.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        write: Option<bool>,
    },
    /// Locks a region in memory and faults in what is missing (`mlock`).
    Lock {
        /// Name of the region.
        region: String,
    },
    /// Reads from a file, from where the last read or write ended; a row of files one after the
    /// other, from the start again behind the last.
    Read {
        /// Name of the file.
        file: String,
        /// How much in all; none: as much as the files have.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        size: Option<Size>,
        /// How much one call reads; none: 64 KiB.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        chunk: Option<Size>,
        /// Random: each call somewhere in one of the files.
        #[deserr(default)]
        order: Pattern,
    },
    /// Writes to a file likewise, creating it when it was removed.
    Write {
        /// Name of the file.
        file: String,
        /// How much in all.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        size: Option<Size>,
        /// How much one call writes.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        chunk: Option<Size>,
        /// In which order.
        #[deserr(default)]
        order: Pattern,
    },
    /// Reads from one file and writes to another in turn, as `dd` does.
    Copy {
        /// Name of the file read.
        from: String,
        /// Name of the file written.
        to: String,
        /// How much in all; none: as much as the files read have.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        size: Option<Size>,
        /// How much one call reads or writes; none: 512 bytes, as `dd` does unless told.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        chunk: Option<Size>,
    },
    /// Writes a file's dirty pages out and waits for them.
    Fsync {
        /// Name of the file.
        file: String,
    },
    /// Removes a file; its pages go when nobody uses it any more.
    Unlink {
        /// Name of the file.
        file: String,
    },
    /// Creates new files without a name in the workload, writes and closes them.
    Create {
        /// How many.
        #[deserr(default = 1)]
        count: u32,
        /// Size of each.
        size: Size,
        /// How much one call writes; none: all of a file.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        chunk: Option<Size>,
    },
    /// Drops the clean pages of all files (`echo 1 > /proc/sys/vm/drop_caches`).
    #[deserr(rename = "drop_caches")]
    DropCaches {},
    /// Unmaps a region and frees its pages.
    Free {
        /// Name of the region.
        region: String,
    },
    /// Allocates blocks as a kernel user would and keeps them in a pool.
    Alloc {
        /// Name of the pool.
        pool: String,
        /// Order of each block.
        order: u8,
        /// How many.
        count: Size,
        /// Which kernel memory.
        #[serde(rename = "type")]
        #[deserr(rename = "type", default)]
        kind: BlockType,
    },
    /// Frees blocks of a pool.
    Release {
        /// Name of the pool.
        pool: String,
        /// Frees one in this many (1: all), in the order they were allocated.
        #[deserr(default = 1)]
        every: u32,
    },
    /// Starts tasks of another process: like fork and exec, with an empty address space.
    Spawn {
        /// Name of the process.
        process: String,
        /// How many.
        #[deserr(default = 1)]
        count: u32,
    },
    /// Waits until all tasks it started have ended.
    Wait {
        /// Looks whether they have only so often: "1s"; none: it is told at once.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        every: Option<String>,
    },
    /// A phase of the run begins, for reports; it ends with the next mark of this task.
    Mark {
        /// What it is called.
        name: String,
    },
    /// Ends the run: what was to be measured is done.
    Stop {},
    /// Moves to a node's CPUs and takes memory from it first.
    Bind {
        /// Node id.
        node: u32,
        /// Takes memory from no other node (`MPOL_BIND`).
        #[serde(skip_serializing_if = "Option::is_none")]
        #[deserr(default)]
        strict: Option<bool>,
    },
    /// Does nothing for a while: "1ms".
    Think {
        /// How long.
        time: String,
    },
    /// Repeats operations.
    Repeat {
        /// How often.
        times: u32,
        /// What.
        #[serde(rename = "do")]
        #[deserr(rename = "do")]
        body: Vec<Step>,
    },
    /// Ends the task here.
    Exit {},
}

impl Step {
    /// A region of anonymous memory has a size of its own.
    fn sized(self, location: ValuePointerRef<'_>) -> Result<Self, Refusals> {
        match self {
            Step::Map {
                size: None,
                file: None,
                ..
            } => Err(read::missing("size", location)),
            step => Ok(step),
        }
    }
}

/// One compiled operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Maps a region.
    Map {
        /// Number.
        region: u32,
        /// Pages.
        pages: u32,
        /// `MADV_HUGEPAGE`.
        huge: bool,
        /// Open file it shows, `u8::MAX` for anonymous memory.
        fd: u8,
    },
    /// Touches pages.
    Touch {
        /// Number.
        region: u32,
        /// Touches.
        count: u32,
        /// Order.
        pattern: Pattern,
        /// Touches are writes.
        write: bool,
    },
    /// Locks a region.
    Lock {
        /// Number.
        region: u32,
    },
    /// Reads or writes.
    Transfer {
        /// Open file.
        fd: u8,
        /// Writes.
        write: bool,
        /// In all, sectors.
        sectors: u32,
        /// Each call, sectors.
        chunk: u32,
        /// Order.
        pattern: Pattern,
    },
    /// Reads and writes in turn.
    Copy {
        /// Open file read.
        from: u8,
        /// Open file written.
        to: u8,
        /// In all, sectors.
        sectors: u32,
        /// Each call, sectors.
        chunk: u32,
    },
    /// Writes out and waits.
    Fsync {
        /// Open file.
        fd: u8,
    },
    /// Removes.
    Unlink {
        /// Open file.
        fd: u8,
    },
    /// Creates files.
    Create {
        /// How many.
        count: u32,
        /// Pages of each.
        pages: u32,
        /// Each call, sectors.
        chunk: u32,
        /// Place for the one being written.
        fd: u8,
    },
    /// Drops clean pages.
    DropCaches,
    /// Unmaps.
    Free {
        /// Number.
        region: u32,
    },
    /// Allocates blocks.
    Alloc {
        /// Pool.
        pool: u32,
        /// Order.
        order: u8,
        /// Blocks.
        count: u32,
        /// gfp flags.
        gfp: Gfp,
    },
    /// Frees one in `every` blocks.
    Release {
        /// Pool.
        pool: u32,
        /// One in this many.
        every: u32,
    },
    /// Starts tasks.
    Spawn {
        /// Program.
        program: u32,
        /// How many.
        count: u32,
    },
    /// Waits for the tasks it started.
    Wait {
        /// Looks so often, ns; 0 when it is woken.
        every_ns: u64,
    },
    /// Begins a phase.
    Mark {
        /// Which of the program's.
        name: u32,
    },
    /// Ends the run.
    Stop,
    /// Moves to a node.
    Bind {
        /// Node.
        node: u8,
        /// Takes memory from no other.
        strict: bool,
    },
    /// Sleeps, ns.
    Think {
        /// How long.
        ns: u64,
    },
    /// Begins a loop; `times` is how often its body runs.
    Loop {
        /// How often.
        times: u32,
        /// The operation after its end.
        end: u32,
    },
    /// Ends a loop that began at `start`.
    EndLoop {
        /// Its first operation.
        start: u32,
    },
    /// Ends the task.
    Exit,
}

/// A compiled process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Program {
    /// Command name.
    pub name: String,
    /// Instances that start by themselves.
    pub count: u32,
    /// Node it starts on, `u8::MAX` for any.
    pub node: u8,
    /// When it starts, ns.
    pub start_ns: u64,
    /// Operations.
    pub ops: Vec<Op>,
    /// Number of regions.
    pub regions: u32,
    /// Number of pools.
    pub pools: u32,
    /// Files it may open: first file and how many in a row; a row of none is for files it creates.
    pub files: Vec<(u32, u32)>,
    /// Of each of these: does an instance know one file of the row only?
    pub own: Vec<bool>,
    /// Names of its phases.
    pub marks: Vec<String>,
}

/// A workload compiled for a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Compiled {
    /// One for each process.
    pub programs: Vec<Program>,
    /// Of each file: its pages, and whether it is missing when the run begins.
    pub files: Vec<(u32, bool)>,
}

/// Bytes of a sector, the unit of positions in files.
pub const SECTOR: u32 = 512;
/// Deepest nesting of loops.
pub const MAX_LOOPS: usize = 4;
/// Most tasks a workload may start by itself, and most that `spawn` may keep alive.
pub const MAX_TASKS: u32 = 1024;
const MAX_STEPS: usize = 1000;
/// Most files a workload may begin with, and most that one operation creates.
pub const MAX_FILES: u32 = 1 << 16;
/// Most files one process names.
const MAX_FDS: usize = 200;

/// A number and what follows it: "64 MiB" is ("64", "MiB").
fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).unwrap_or_default();
    (number, unit.trim())
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
