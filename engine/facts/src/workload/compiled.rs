//! A workload after it was compiled for a machine: names are numbers, sizes pages or sectors.
//!
//! Modelled: every operation of the language. Left out: nothing.
//! Invariants: see [`super::compile`].

use crate::gfp::Gfp;
use crate::index::{CpuIndex, GroupIndex, NodeIndex};
use crate::workload::{AccessSize, Pattern};

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
        /// Open file that it maps; `u8::MAX` for anonymous memory.
        fd: u8,
    },
    /// Touches pages.
    Touch {
        /// Number.
        region: u32,
        /// Number of touches; 0 with `slice` means as many as the part has pages.
        count: u32,
        /// Order.
        pattern: Pattern,
        /// Touches are writes.
        write: bool,
        /// Touches only the thread's part of the region; a count of 0 means as many as it has pages.
        slice: bool,
        /// How much of a page each moves.
        bytes: AccessSize,
    },
    /// Accesses pages anywhere.
    Access {
        /// Number.
        region: u32,
        /// Accesses.
        times: u32,
        /// Percentage that goes to the thread's part of the region.
        own: u8,
        /// Percentage that writes.
        writes: u8,
        /// How much of a page each moves.
        bytes: AccessSize,
        /// How long the task computes for each, ns.
        compute_ns: u32,
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
        /// In total, sectors.
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
        /// In total, sectors.
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
    /// Looks files up.
    Stat {
        /// Open file.
        fd: u8,
    },
    /// Drops clean pages.
    DropCaches {
        /// Also drops unused names and inodes.
        slab: bool,
    },
    /// Compacts all memory.
    CompactMemory,
    /// Writes a tunable.
    Set {
        /// Which of the program's.
        which: u32,
    },
    /// Unmaps.
    Free {
        /// Number.
        region: u32,
    },
    /// Frees one in `every` pages.
    DontNeed {
        /// Region.
        region: u32,
        /// One in this many.
        every: u32,
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
        /// A failure is counted, and the next block is requested.
        go_on: bool,
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
    /// Starts threads of the process.
    Threads {
        /// Program they run.
        program: u32,
        /// How many.
        count: u32,
    },
    /// Waits for the other threads of the process that run this program.
    Barrier,
    /// Waits until the other threads of the process have ended.
    Join,
    /// Waits for the tasks and threads it started.
    Wait {
        /// Time between two checks, ns; 0 if it is woken.
        every_ns: u64,
    },
    /// Kills tasks.
    Kill {
        /// Program.
        program: u32,
        /// Instance, from 1; 0: all.
        instance: u32,
    },
    /// Begins a phase.
    Mark {
        /// Which of the program's.
        name: u32,
    },
    /// Starts the stopwatch of a sampler.
    Sample {
        /// Which of the program's.
        sampler: u32,
    },
    /// A round of a sampler has ended.
    Took {
        /// Which of the program's.
        sampler: u32,
    },
    /// Ends the run.
    Stop,
    /// Moves to a node.
    Bind {
        /// Node.
        node: NodeIndex,
        /// Takes memory only from this node.
        strict: bool,
    },
    /// Sets the CPUs on which the task may run.
    Affinity {
        /// Which of the program's lists of CPUs.
        which: u32,
    },
    /// Sets the nodes from which the task gets memory.
    Policy(Policy),
    /// Sleeps, ns.
    Think {
        /// How long.
        ns: u64,
    },
    /// Sleeps a number of ns plus the length of a phase.
    ThinkLike {
        /// How long at least.
        ns: u64,
        /// Which of the program's phases.
        name: u32,
    },
    /// Uses the CPU, ns.
    Compute {
        /// How long.
        ns: u64,
    },
    /// Begins a loop; `times` is how often its body runs.
    Loop {
        /// How often; none if only time ends it.
        times: Option<u32>,
        /// No round begins after this much time, ns; 0 for no limit.
        ns: u64,
        /// Shortest time from the beginning of one round to the next, ns; 0 for none.
        every_ns: u64,
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

/// Where a task's memory comes from (`struct mempolicy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Policy {
    /// The node of the task's CPU, then other nodes.
    Default,
    /// A node, then other nodes.
    Preferred {
        /// The node.
        node: NodeIndex,
    },
    /// Only the nodes of a list.
    Bind {
        /// Which of the program's lists of nodes.
        which: u32,
    },
    /// Nodes of a list, one after the other.
    Interleave {
        /// Which of the program's lists of nodes.
        which: u32,
    },
}

/// How a program measures the latencies of its rounds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// The name in reports.
    pub name: String,
    /// Subtracted from each latency, ns.
    pub less_ns: u64,
    /// Shorter latencies are recorded together, ns; 0 for none.
    pub together_below_ns: u64,
    /// The unit of operations a second, if each round is an operation.
    pub rate: Option<String>,
}

/// A compiled process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Program {
    /// Command name.
    pub name: String,
    /// Instances that start by themselves.
    pub count: u32,
    /// Node it starts on, [`NodeIndex::NONE`] for any.
    pub node: NodeIndex,
    /// Memory cgroup that it is charged to.
    pub group: GroupIndex,
    /// When it starts, ns.
    pub start_ns: u64,
    /// Its tasks begin with execve.
    pub exec: bool,
    /// Operations.
    pub ops: Vec<Op>,
    /// Number of regions.
    pub regions: u32,
    /// Number of pools.
    pub pools: u32,
    /// Files it may open: the first file and how many follow; an entry with no files is for files it creates.
    pub files: Vec<(u32, u32)>,
    /// For each of these: how many of its files one instance uses, each instance others; 0 for all.
    pub own: Vec<u32>,
    /// Names of its phases.
    pub marks: Vec<String>,
    /// Tunables it writes: name and value.
    pub sets: Vec<(String, String)>,
    /// How it measures latencies.
    pub samplers: Vec<Sampler>,
    /// Lists of CPUs it may name, each in order; an empty list stands for all CPUs.
    pub cpu_sets: Vec<Vec<CpuIndex>>,
    /// Lists of nodes it may name, each in order.
    pub node_sets: Vec<Vec<NodeIndex>>,
}

/// A workload compiled for a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Compiled {
    /// One for each process.
    pub programs: Vec<Program>,
    /// For each file: its pages, and whether it is missing when the run begins.
    pub files: Vec<(u32, bool)>,
}
