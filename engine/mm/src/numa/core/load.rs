//! Moves to balance load: away from an overloaded node, and inside a node (kernel/sched/fair.c: the end of
//! `sched_update_ideal_cpu_shared`, `find_intranode_imbalance`, 30 November 2012).
//!
//! Modelled: all of it.
//! Invariants: a node with one task per CPU is not overloaded.

use super::layout::{Found, Layout, Mover, TASK_LOAD};
use facts::index::{CpuIndex, NodeIndex};

/// Loads count as different if they differ by one and a half tasks.
pub const APART: u64 = TASK_LOAD + TASK_LOAD / 2;

/// Load and capacity of a node, to see whether it can take one more task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Load of the node, by the highest estimates.
    pub load: u64,
    /// The load that the node's CPUs can carry.
    pub capacity: u64,
}

impl Room {
    /// Load and capacity of a node.
    pub fn of(layout: &Layout, node: NodeIndex) -> Self {
        Self {
            load: layout.higher_load(node),
            capacity: layout.capacity(node),
        }
    }

    /// Can the node take one more task?
    pub const fn is_enough(&self) -> bool {
        self.load + TASK_LOAD <= self.capacity
    }
}

/// Reaction of a task to the load of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overload {
    /// The node is not overloaded.
    None {
        /// Load of the node, by the lowest estimates.
        load: u64,
        /// Above this load the node is overloaded.
        limit: u64,
    },
    /// The node is overloaded, and no node has less load.
    Everywhere,
    /// The node is overloaded, but the node with the least load has no idle CPU.
    NoIdleCpu {
        /// The node with the least load.
        node: NodeIndex,
    },
    /// The task moves.
    Go {
        /// The target CPU and its load.
        found: Found,
        /// Node of the target CPU.
        node: NodeIndex,
        /// Load of the current node, by the lowest estimates.
        load: u64,
        /// Above this load a node is overloaded.
        limit: u64,
    },
}

/// A node is overloaded above one task per CPU plus half a task.
const fn is_too_much(load: u64, limit: u64) -> bool {
    load > limit
}

/// Should a task leave its node because of the load there?
pub fn overload(layout: &Layout, mover: Mover) -> Overload {
    let load = layout.lower_load(mover.node);
    let limit = layout.capacity(mover.node) + TASK_LOAD / 2;
    if !is_too_much(load, limit) {
        return Overload::None { load, limit };
    }
    let (node, _) = layout.least_loaded();
    if node == mover.node {
        return Overload::Everywhere;
    }
    match layout.idle_cpu(node) {
        None => Overload::NoIdleCpu { node },
        Some(found) => Overload::Go {
            found,
            node,
            load,
            limit,
        },
    }
}

/// The comparison of a task's CPU with the others of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intranode {
    /// Load of the task's CPU, by the lowest estimate.
    pub ours: u64,
    /// The CPU of the node with the least load, by the highest estimates.
    pub least: Found,
}

impl Intranode {
    /// The CPU to which the task moves.
    pub fn goes_to(&self) -> Option<CpuIndex> {
        let is_apart = self.ours >= self.least.load + APART;
        is_apart.then_some(self.least.cpu)
    }
}

/// Compares the CPU of a task with the others of its node.
pub fn intranode(layout: &Layout, mover: Mover) -> Intranode {
    let ours = layout.seats[mover.cpu].lower_load();
    let found = layout.cpus(mover.node).map(|(cpu, seat)| Found {
        cpu,
        load: seat.higher_load(),
    });
    let least = found.min_by_key(|found| found.load).unwrap_or(Found {
        cpu: mover.cpu,
        load: ours,
    });
    Intranode { ours, least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_overloaded_above_one_task_per_cpu_plus_half_a_task() {
        let limit = 8 * TASK_LOAD + TASK_LOAD / 2;
        assert!(!is_too_much(8704, limit));
        assert!(is_too_much(8705, limit));
    }

    #[test]
    fn a_task_changes_cpus_if_it_gains_one_and_a_half_tasks_of_load() {
        let go = |load| {
            let least = Found {
                cpu: CpuIndex::new(3),
                load,
            };
            Intranode { ours: 2048, least }.goes_to()
        };
        assert_eq!(go(1024), None);
        assert_eq!(go(512), Some(CpuIndex::new(3)));
    }

    #[test]
    fn a_node_has_room_for_a_task_up_to_one_task_per_cpu() {
        let room = |load| {
            let capacity = 8192;
            Room { load, capacity }.is_enough()
        };
        assert!(room(7168));
        assert!(!room(7169));
    }
}
