//! The machine in the form that the rules use: CPUs by node, the task on each CPU, and the load.
//!
//! Modelled: the running task of each CPU (`rq->curr`) with its status and buddy; three load
//! estimates (`cpu_load[0]`, `cpu_load[3]`, `load.weight`); a CPU that another mover chose
//! (`curr_buddy`).
//! Left out: tasks that wait in queues; the rules use them only as load.
//! Invariants: a [`Mover`] runs on its CPU.

use super::groups::are_buddies;
use super::rules::Rules;
use facts::index::{CpuIndex, IndexVec, NodeIndex, TaskIndex};

/// The load of one task (`SCHED_LOAD_SCALE`).
pub const TASK_LOAD: u64 = 1024;

/// A task whose placement NUMA balancing tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Rank of the task, which stands for its address.
    pub task: TaskIndex,
    /// Process of the task.
    pub mm: u32,
    /// True if the task shares memory; `None` while that is unknown (`numa_shared`).
    pub shared: Option<bool>,
    /// The CPU that placement last chose for the task (`ideal_cpu`).
    pub ideal_cpu: Option<CpuIndex>,
    /// The task with which it shares most pages (`shared_buddy`).
    pub buddy: Option<TaskIndex>,
    /// Number of pages shared with the buddy (`shared_buddy_faults`).
    pub buddy_faults: u64,
}

/// What a CPU runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// The CPU is idle.
    Idle,
    /// A task that balancing does not track, such as a kernel thread.
    Other,
    /// A task that balancing tracks.
    Member(Member),
}

/// A CPU with its current task and load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// Node of the CPU.
    pub node: NodeIndex,
    /// What the CPU runs.
    pub runs: Runs,
    /// Load of the CPU: fast average, slow average, current value (`cpu_load[0]`, `cpu_load[3]`,
    /// `load.weight`).
    pub load: [u64; 3],
    /// True if another mover has chosen this CPU (`curr_buddy`).
    pub claimed: bool,
}

impl Seat {
    /// The running task, if balancing tracks it.
    pub const fn member(&self) -> Option<&Member> {
        match &self.runs {
            Runs::Member(member) => Some(member),
            Runs::Idle | Runs::Other => None,
        }
    }

    /// Does a task that shares memory run here?
    pub fn is_shared(&self) -> bool {
        self.member().is_some_and(|m| m.shared == Some(true))
    }

    /// Is the CPU idle?
    pub const fn is_idle(&self) -> bool {
        matches!(self.runs, Runs::Idle)
    }

    /// The lowest of the load estimates.
    pub fn lower_load(&self) -> u64 {
        let [fast, slow, now] = self.load;
        fast.min(slow).min(now)
    }

    /// The highest of the load estimates.
    pub fn higher_load(&self) -> u64 {
        let [fast, slow, now] = self.load;
        fast.max(slow).max(now)
    }

    /// The higher of the two load estimates that are averages.
    fn average_load(&self) -> u64 {
        self.load[0].max(self.load[1])
    }
}

/// All CPUs of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Number of nodes.
    pub nodes: usize,
    /// The CPUs, in the order of their numbers.
    pub seats: IndexVec<CpuIndex, Seat>,
}

/// A task that looks for a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mover<'a> {
    /// The task.
    pub task: &'a Member,
    /// The CPU on which the task runs.
    pub cpu: CpuIndex,
    /// Node of that CPU.
    pub node: NodeIndex,
}

/// A CPU that a search found, and its load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The CPU that was found.
    pub cpu: CpuIndex,
    /// Load of the CPU; one task counts 1024.
    pub load: u64,
}

impl Layout {
    /// The task that runs on a CPU, if balancing tracks it.
    pub fn mover(&self, cpu: CpuIndex) -> Option<Mover<'_>> {
        let seat = self.seats.at(cpu)?;
        seat.member().map(|task| Mover {
            task,
            cpu,
            node: seat.node,
        })
    }

    /// The CPUs of a node, in the order of their numbers.
    pub fn cpus(&self, node: NodeIndex) -> impl Iterator<Item = (CpuIndex, &Seat)> {
        self.seats
            .entries()
            .filter(move |(_, seat)| seat.node == node)
    }

    /// Number of CPUs of a node.
    pub fn cpu_count(&self, node: NodeIndex) -> u32 {
        self.cpus(node).count() as u32
    }

    /// The load a node can carry: one task per CPU (`calc_node_capacity`).
    pub fn capacity(&self, node: NodeIndex) -> u64 {
        u64::from(self.cpu_count(node)) * TASK_LOAD
    }

    /// The load of a node, the sum of each CPU's lowest estimate (`calc_node_load`, LOAD_LOWER).
    pub fn lower_load(&self, node: NodeIndex) -> u64 {
        self.cpus(node).map(|(_, seat)| seat.lower_load()).sum()
    }

    /// The load of a node, the sum of each CPU's highest estimate (`calc_node_load`, LOAD_HIGHER).
    pub fn higher_load(&self, node: NodeIndex) -> u64 {
        self.cpus(node).map(|(_, seat)| seat.higher_load()).sum()
    }

    /// The load of a node's CPUs that run a shared task (`calc_node_shared_load`).
    pub fn shared_load(&self, node: NodeIndex) -> u64 {
        let shared = self.cpus(node).filter(|(_, seat)| seat.is_shared());
        shared.map(|(_, seat)| seat.load[0]).sum()
    }

    /// The node with the lowest load, the first of several, and that load.
    pub fn least_loaded(&self) -> (NodeIndex, u64) {
        let loads = NodeIndex::all(self.nodes).map(|node| (node, self.higher_load(node)));
        loads
            .min_by_key(|&(_, load)| load)
            .unwrap_or((NodeIndex::new(0), 0))
    }

    /// The least loaded CPU of a node; the first of several (`find_min_cpu`).
    pub fn least_loaded_cpu(&self, node: NodeIndex) -> Option<Found> {
        let found = self.cpus(node).map(|(cpu, seat)| Found {
            cpu,
            load: seat.average_load(),
        });
        found.min_by_key(|found| found.load)
    }

    /// The least loaded CPU of a node, if its load is at most half a task's (`find_idle_cpu`).
    pub fn idle_cpu(&self, node: NodeIndex) -> Option<Found> {
        let least = self.least_loaded_cpu(node);
        least.filter(|found| found.load <= TASK_LOAD / 2)
    }

    /// Number of a task's buddies that run on a node: shared tasks of its process. The task itself
    /// counts whatever its status.
    pub fn buddies(&self, node: NodeIndex, mover: Mover) -> u32 {
        let is_buddy = |seat: &Seat| {
            seat.member().is_some_and(|other| {
                other.task == mover.task.task || (seat.is_shared() && other.mm == mover.task.mm)
            })
        };
        self.cpus(node).filter(|(_, seat)| is_buddy(seat)).count() as u32
    }

    /// Are the running tasks of these CPUs buddies?
    pub(super) fn are_akin(&self, first: &Seat, second: &Seat, rules: &Rules) -> bool {
        match (first.member(), second.member()) {
            (Some(first), Some(second)) => are_buddies(first, second, rules),
            _ => false,
        }
    }
}
