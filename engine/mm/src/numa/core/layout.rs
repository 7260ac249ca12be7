//! What the rules see of a machine: CPUs by node, what runs on each, and how loaded it is.
//!
//! Modelled: the running task of each CPU (`rq->curr`) with its status and buddy; three load estimates
//! (`cpu_load[0]`, `cpu_load[3]`, `load.weight`); a CPU another mover chose (`curr_buddy`).
//! Left out: tasks that wait in queues: the rules do not look at them but for the load.
//! Invariants: a [`Mover`] runs on its CPU.

use super::groups::are_buddies;
use super::rules::Rules;

/// The load of one task (`SCHED_LOAD_SCALE`).
pub const TASK_LOAD: u64 = 1024;

/// A task that balancing knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its rank, which stands for its address.
    pub task: u32,
    /// Its process.
    pub mm: u32,
    /// It shares memory; none while that is unknown (`numa_shared`).
    pub shared: Option<bool>,
    /// The CPU placement chose for it last (`ideal_cpu`).
    pub ideal_cpu: Option<u16>,
    /// The task it shares most with (`shared_buddy`).
    pub buddy: Option<u32>,
    /// How many pages (`shared_buddy_faults`).
    pub buddy_faults: u64,
}

/// What a CPU runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// Nothing.
    Idle,
    /// A task balancing does not know: a kernel thread, say.
    Other,
    /// A task it knows.
    Member(Member),
}

/// A CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// Its node.
    pub node: u8,
    /// What it runs.
    pub runs: Runs,
    /// Its load: that follows fast, that follows slowly, now (`cpu_load[0]`, `cpu_load[3]`, `load.weight`).
    pub load: [u64; 3],
    /// Another mover has chosen it (`curr_buddy`).
    pub claimed: bool,
}

impl Seat {
    /// The task that runs, if balancing knows it.
    pub const fn member(&self) -> Option<&Member> {
        match &self.runs {
            Runs::Member(member) => Some(member),
            Runs::Idle | Runs::Other => None,
        }
    }

    /// A task that shares memory runs.
    pub fn is_shared(&self) -> bool {
        self.member().is_some_and(|m| m.shared == Some(true))
    }

    /// Nothing runs.
    pub const fn is_idle(&self) -> bool {
        matches!(self.runs, Runs::Idle)
    }

    /// The lowest of its load estimates.
    pub fn lower_load(&self) -> u64 {
        let [fast, slow, now] = self.load;
        fast.min(slow).min(now)
    }

    /// The highest of its load estimates.
    pub fn higher_load(&self) -> u64 {
        let [fast, slow, now] = self.load;
        fast.max(slow).max(now)
    }

    /// The higher of the two estimates that are averages.
    fn average_load(&self) -> u64 {
        self.load[0].max(self.load[1])
    }
}

/// All CPUs of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// How many nodes there are.
    pub nodes: u8,
    /// In the order of their numbers.
    pub seats: Vec<Seat>,
}

/// A task that looks for its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mover<'a> {
    /// The task.
    pub task: &'a Member,
    /// The CPU it runs on.
    pub cpu: u16,
    /// That CPU's node.
    pub node: u8,
}

/// A CPU that was looked for, and its load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The CPU.
    pub cpu: u16,
    /// Its load, of which one task makes 1024.
    pub load: u64,
}

impl Layout {
    /// The task that runs on a CPU, if balancing knows it.
    pub fn mover(&self, cpu: u16) -> Option<Mover<'_>> {
        let seat = self.seats.get(usize::from(cpu))?;
        seat.member().map(|task| Mover {
            task,
            cpu,
            node: seat.node,
        })
    }

    /// The CPUs of a node, in the order of their numbers.
    pub fn cpus(&self, node: u8) -> impl Iterator<Item = (u16, &Seat)> {
        (0..)
            .zip(&self.seats)
            .filter(move |(_, seat)| seat.node == node)
    }

    /// How many CPUs a node has.
    pub fn cpu_count(&self, node: u8) -> u32 {
        self.cpus(node).count() as u32
    }

    /// The load a node can bear: one task a CPU (`calc_node_capacity`).
    pub fn capacity(&self, node: u8) -> u64 {
        u64::from(self.cpu_count(node)) * TASK_LOAD
    }

    /// The load of a node, each CPU's lowest estimate (`calc_node_load`, LOAD_LOWER).
    pub fn lower_load(&self, node: u8) -> u64 {
        self.cpus(node).map(|(_, seat)| seat.lower_load()).sum()
    }

    /// The load of a node, each CPU's highest estimate (`calc_node_load`, LOAD_HIGHER).
    pub fn higher_load(&self, node: u8) -> u64 {
        self.cpus(node).map(|(_, seat)| seat.higher_load()).sum()
    }

    /// The load of a node's CPUs that run a shared task (`calc_node_shared_load`).
    pub fn shared_load(&self, node: u8) -> u64 {
        let shared = self.cpus(node).filter(|(_, seat)| seat.is_shared());
        shared.map(|(_, seat)| seat.load[0]).sum()
    }

    /// The node with the lowest load, the first of several, and that load.
    pub fn least_loaded(&self) -> (u8, u64) {
        let loads = (0..self.nodes).map(|node| (node, self.higher_load(node)));
        loads.min_by_key(|&(_, load)| load).unwrap_or((0, 0))
    }

    /// The least loaded CPU of a node, the first of several (`find_min_cpu`).
    pub fn least_loaded_cpu(&self, node: u8) -> Option<Found> {
        let found = self.cpus(node).map(|(cpu, seat)| Found {
            cpu,
            load: seat.average_load(),
        });
        found.min_by_key(|found| found.load)
    }

    /// The same, if its load is half a task's at most (`find_idle_cpu`).
    pub fn idle_cpu(&self, node: u8) -> Option<Found> {
        let least = self.least_loaded_cpu(node);
        least.filter(|found| found.load <= TASK_LOAD / 2)
    }

    /// How many buddies of a task run on a node, itself counted: shared tasks of its process. The task is there
    /// whatever its status.
    pub fn buddies(&self, node: u8, mover: Mover) -> u32 {
        let is_buddy = |seat: &Seat| {
            seat.member().is_some_and(|other| {
                other.task == mover.task.task || (seat.is_shared() && other.mm == mover.task.mm)
            })
        };
        self.cpus(node).filter(|(_, seat)| is_buddy(seat)).count() as u32
    }

    /// Are the running tasks of two CPUs buddies?
    pub(super) fn are_akin(&self, first: &Seat, second: &Seat, rules: &Rules) -> bool {
        match (first.member(), second.member()) {
            (Some(first), Some(second)) => are_buddies(first, second, rules),
            _ => false,
        }
    }
}
