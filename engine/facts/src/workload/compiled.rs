//! A workload after it was compiled for a machine: names are numbers, sizes pages or sectors.
//!
//! Modelled: every operation of the language. Left out: nothing.
//! Invariants: see [`super::compile`].

use crate::gfp::Gfp;
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
        /// Open file it shows, `u8::MAX` for anonymous memory.
        fd: u8,
    },
    /// Touches pages.
    Touch {
        /// Number.
        region: u32,
        /// Touches; 0, with `slice`, as many as the part has pages.
        count: u32,
        /// Order.
        pattern: Pattern,
        /// Touches are writes.
        write: bool,
        /// Of the thread's part of the region only; a count of 0 is as many as that has pages.
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
        /// Of a hundred, so many go to the thread's part of the region.
        own: u8,
        /// Of a hundred, so many write.
        writes: u8,
        /// How much of a page each moves.
        bytes: AccessSize,
        /// What the task computes with each, ns.
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
    /// Looks files up.
    Stat {
        /// Open file.
        fd: u8,
    },
    /// Drops clean pages.
    DropCaches {
        /// Names and inodes nobody uses, too.
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
        /// A failure is counted, and the next asked for.
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
        /// Looks so often, ns; 0 when it is woken.
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
        node: u8,
        /// Takes memory from no other.
        strict: bool,
    },
    /// Says on which CPUs the task may run.
    Affinity {
        /// Which of the program's lists of CPUs.
        which: u32,
    },
    /// Says where the task's memory comes from.
    Policy(Policy),
    /// Sleeps, ns.
    Think {
        /// How long.
        ns: u64,
    },
    /// Sleeps so many ns, and as long again as a phase took.
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
        /// How often; none where only time ends it.
        times: Option<u32>,
        /// No round begins when so much time has passed, ns; 0: however long it takes.
        ns: u64,
        /// The next round begins no earlier than so long after one began, ns; 0: at once.
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
    /// The node of the CPU that asks, then others.
    Default,
    /// A node, then others.
    Preferred {
        /// The node.
        node: u8,
    },
    /// Nodes of a list, and no other.
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

/// How a program takes latencies of its own rounds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// What reports call it.
    pub name: String,
    /// Taken off each, ns.
    pub less_ns: u64,
    /// Shorter ones are put together, ns; 0: none.
    pub together_below_ns: u64,
    /// The unit of operations a second, where each round is one.
    pub rate: Option<String>,
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
    /// Its tasks begin with execve.
    pub exec: bool,
    /// Operations.
    pub ops: Vec<Op>,
    /// Number of regions.
    pub regions: u32,
    /// Number of pools.
    pub pools: u32,
    /// Files it may open: first file and how many in a row; a row of none is for files it creates.
    pub files: Vec<(u32, u32)>,
    /// Of each of these: how many files of the row an instance knows, each some others; 0: all.
    pub own: Vec<u32>,
    /// Names of its phases.
    pub marks: Vec<String>,
    /// Tunables it writes: name and value.
    pub sets: Vec<(String, String)>,
    /// How it takes latencies.
    pub samplers: Vec<Sampler>,
    /// Lists of CPUs it may name, each in order; an empty one stands for any CPU.
    pub cpu_sets: Vec<Vec<u16>>,
    /// Lists of nodes it may name, each in order.
    pub node_sets: Vec<Vec<u8>>,
}

/// A workload compiled for a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Compiled {
    /// One for each process.
    pub programs: Vec<Program>,
    /// Of each file: its pages, and whether it is missing when the run begins.
    pub files: Vec<(u32, bool)>,
}
