//! A workload after it was compiled for a machine: names are numbers, sizes are pages or sectors.
//!
//! Modelled: every operation of the language.
//! Left out: nothing.
//! Invariants: see [`super::compile`].

use crate::gfp::Gfp;
use crate::index::{CpuIndex, GroupIndex, NodeIndex};
use crate::workload::{AccessSize, Pattern};

/// One compiled operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Maps a region.
    Map {
        /// The number of the region.
        region: u32,
        /// Pages.
        pages: u32,
        /// Whether it asks for huge pages (`MADV_HUGEPAGE`).
        huge: bool,
        /// The open file that it maps; `u8::MAX` for anonymous memory.
        fd: u8,
    },
    /// Touches pages.
    Touch {
        /// The number of the region.
        region: u32,
        /// Number of touches; 0 with `slice` means as many as the part has pages.
        count: u32,
        /// Order.
        pattern: Pattern,
        /// Whether touches are writes.
        write: bool,
        /// Whether it touches only the thread's part of the region; then a count of 0 means as many as the
        /// part has pages.
        slice: bool,
        /// How much of a page each touch moves.
        bytes: AccessSize,
    },
    /// Accesses pages at random positions.
    Access {
        /// The number of the region.
        region: u32,
        /// The number of accesses.
        times: u32,
        /// The percentage of accesses to the thread's part of the region.
        own: u8,
        /// The percentage of accesses that write.
        writes: u8,
        /// How much of a page each access moves.
        bytes: AccessSize,
        /// How long the task computes for each access, ns.
        compute_ns: u32,
    },
    /// Locks a region.
    Lock {
        /// The number of the region.
        region: u32,
    },
    /// Reads or writes.
    Transfer {
        /// The open file.
        fd: u8,
        /// Whether it writes.
        write: bool,
        /// Sectors in total.
        sectors: u32,
        /// Sectors of each call.
        chunk: u32,
        /// Order.
        pattern: Pattern,
    },
    /// Reads one file and writes another in turn.
    Copy {
        /// The open file that it reads.
        from: u8,
        /// The open file that it writes.
        to: u8,
        /// Sectors in total.
        sectors: u32,
        /// Sectors of each call.
        chunk: u32,
    },
    /// Writes a file's dirty pages and waits.
    Fsync {
        /// The open file.
        fd: u8,
    },
    /// Removes a file.
    Unlink {
        /// The open file.
        fd: u8,
    },
    /// Creates files.
    Create {
        /// The number of files.
        count: u32,
        /// Pages of each.
        pages: u32,
        /// Sectors of each call.
        chunk: u32,
        /// The entry for the file that is being written.
        fd: u8,
    },
    /// Looks up files.
    Stat {
        /// The open file.
        fd: u8,
    },
    /// Drops clean pages.
    DropCaches {
        /// Whether it also drops unused dentries and inodes.
        slab: bool,
    },
    /// Compacts all memory.
    CompactMemory,
    /// Writes a tunable.
    Set {
        /// The index in the program's list of tunables.
        which: u32,
    },
    /// Unmaps a region.
    Free {
        /// The number of the region.
        region: u32,
    },
    /// Frees one in `every` pages.
    DontNeed {
        /// The number of the region.
        region: u32,
        /// One page in this many is freed.
        every: u32,
    },
    /// Allocates blocks.
    Alloc {
        /// The number of the pool.
        pool: u32,
        /// Order.
        order: u8,
        /// The number of blocks.
        count: u32,
        /// gfp flags.
        gfp: Gfp,
        /// Whether a failure is counted and the next block is requested.
        go_on: bool,
    },
    /// Frees one in `every` blocks.
    Release {
        /// The number of the pool.
        pool: u32,
        /// One block in this many is freed.
        every: u32,
    },
    /// Starts tasks.
    Spawn {
        /// The program.
        program: u32,
        /// The number of tasks.
        count: u32,
    },
    /// Starts threads of the process.
    Threads {
        /// The program that they run.
        program: u32,
        /// The number of threads.
        count: u32,
    },
    /// Waits for the other threads of the process that run this program.
    Barrier,
    /// Waits until the other threads of the process have ended.
    Join,
    /// Waits for the tasks and threads that it started.
    Wait {
        /// Time between two checks, ns; 0 if the task is woken.
        every_ns: u64,
    },
    /// Kills tasks.
    Kill {
        /// The program.
        program: u32,
        /// Instance, from 1; 0 means all.
        instance: u32,
    },
    /// Begins a phase.
    Mark {
        /// The index in the program's list of phases.
        name: u32,
    },
    /// Starts the stopwatch of a sampler.
    Sample {
        /// The index in the program's list of samplers.
        sampler: u32,
    },
    /// A round of a sampler has ended.
    Took {
        /// The index in the program's list of samplers.
        sampler: u32,
    },
    /// Ends the run.
    Stop,
    /// Moves to a node.
    Bind {
        /// The index of the node.
        node: NodeIndex,
        /// Whether it takes memory only from this node.
        strict: bool,
    },
    /// Sets the CPUs on which the task may run.
    Affinity {
        /// The index in the program's list of CPU lists.
        which: u32,
    },
    /// Sets the nodes from which the task gets memory.
    Policy(Policy),
    /// Sleeps.
    Think {
        /// How long it sleeps, ns.
        ns: u64,
    },
    /// Sleeps for a number of ns plus the length of a phase.
    ThinkLike {
        /// The minimum duration, ns.
        ns: u64,
        /// The index in the program's list of phases.
        name: u32,
    },
    /// Uses the CPU.
    Compute {
        /// How long it uses the CPU, ns.
        ns: u64,
    },
    /// Begins a loop.
    Loop {
        /// How often its body runs; none if only time ends the loop.
        times: Option<u32>,
        /// No round begins after this much time, ns; 0 means no limit.
        ns: u64,
        /// The minimum time from the beginning of one round to the next, ns; 0 means none.
        every_ns: u64,
        /// The operation after the end of the loop.
        end: u32,
    },
    /// Ends a loop that began at `start`.
    EndLoop {
        /// The first operation of the loop.
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
    /// A node first, then other nodes.
    Preferred {
        /// The index of the node.
        node: NodeIndex,
    },
    /// Only the nodes of a list.
    Bind {
        /// The index in the program's list of node lists.
        which: u32,
    },
    /// The nodes of a list in turn.
    Interleave {
        /// The index in the program's list of node lists.
        which: u32,
    },
}

/// How a program measures the latencies of its rounds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// The name in reports.
    pub name: String,
    /// The time that is subtracted from each latency, ns.
    pub less_ns: u64,
    /// Latencies shorter than this are recorded together, ns; 0 means none.
    pub together_below_ns: u64,
    /// The unit of operations per second, if each round is an operation.
    pub rate: Option<String>,
}

/// A compiled process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Program {
    /// Command name.
    pub name: String,
    /// The number of instances that start at the beginning.
    pub count: u32,
    /// The node on which it starts; [`NodeIndex::NONE`] means any.
    pub node: NodeIndex,
    /// The memory cgroup to which it is charged.
    pub group: GroupIndex,
    /// When it starts, ns.
    pub start_ns: u64,
    /// Whether its tasks begin with execve.
    pub exec: bool,
    /// Operations.
    pub ops: Vec<Op>,
    /// Number of regions.
    pub regions: u32,
    /// Number of pools.
    pub pools: u32,
    /// Files that it may open: the first file and how many follow; an entry without files is for files that
    /// it creates.
    pub files: Vec<(u32, u32)>,
    /// For each of these entries: how many of its files one instance uses, where each instance uses other
    /// files; 0 means all.
    pub own: Vec<u32>,
    /// Names of its phases.
    pub marks: Vec<String>,
    /// Tunables that it writes: name and value.
    pub sets: Vec<(String, String)>,
    /// How it measures latencies.
    pub samplers: Vec<Sampler>,
    /// Lists of CPUs that it may name, each in order; an empty list means all CPUs.
    pub cpu_sets: Vec<Vec<CpuIndex>>,
    /// Lists of nodes that it may name, each in order.
    pub node_sets: Vec<Vec<NodeIndex>>,
}

/// A workload compiled for a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Compiled {
    /// One program for each process.
    pub programs: Vec<Program>,
    /// For each file: its pages, and whether it is missing when the run begins.
    pub files: Vec<(u32, bool)>,
}
