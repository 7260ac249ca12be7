//! The smallest group of a node moves to a node with idle CPUs, task by task (kernel/sched/fair.c:
//! `improve_group_balance_spread`, 30 November 2012).
//!
//! Modelled: all of it. Without idle CPUs no task spreads.
//! Invariants: once the whole group has moved, the loads of the two nodes are at least one task's load closer
//! than before.

use super::groups::{Group, on_node};
use super::layout::{Layout, Mover, TASK_LOAD};
use super::rules::Rules;
use facts::index::{CpuIndex, NodeIndex};

/// Decision of the spread rule for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// The task is not known to be a shared task.
    NotShared,
    /// Another group on this node is smaller.
    NotSmallest {
        /// Number of the group's tasks on this node.
        ours: u32,
        /// Size of the smallest group.
        smallest: u32,
    },
    /// No CPU is idle.
    NoIdleCpu,
    /// The loads of the two nodes would not come closer.
    NoGain(Gain),
    /// The task should move.
    Go {
        /// The first idle CPU of the node with most idle CPUs.
        cpu: CpuIndex,
        /// Node of that CPU.
        node: NodeIndex,
        /// The loads that were compared.
        gain: Gain,
    },
}

/// Loads of shared tasks on two nodes, 1024 per task, and their change when a group moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gain {
    /// Load of this node.
    pub here: u64,
    /// Load of the other node.
    pub there: u64,
    /// Load of the group.
    pub group: u64,
}

impl Gain {
    /// Difference of the loads now.
    pub const fn before(&self) -> i64 {
        self.here as i64 - self.there as i64
    }

    /// Difference of the loads after the group has moved.
    pub const fn after(&self) -> i64 {
        self.before() - 2 * self.group as i64
    }

    /// Does the difference shrink by at least one task's load?
    pub const fn is_worth_it(&self) -> bool {
        self.after().unsigned_abs() + TASK_LOAD <= self.before().unsigned_abs()
    }
}

/// Should a task spread, and where?
pub fn spread(layout: &Layout, mover: Mover, rules: &Rules) -> Spread {
    if mover.task.shared != Some(true) {
        return Spread::NotShared;
    }
    let groups = on_node(layout, mover.node, rules);
    let sizes = groups.iter().filter(|g| g.is_shared).map(Group::size);
    // A shared task is in a group of its node.
    let ours = groups.iter().find(|group| group.has(mover.cpu));
    let (ours, smallest) = (ours.map_or(0, Group::size), sizes.min().unwrap_or(0));
    if ours > smallest {
        return Spread::NotSmallest { ours, smallest };
    }
    let Some((node, cpu)) = idlest(layout) else {
        return Spread::NoIdleCpu;
    };
    let gain = Gain {
        here: layout.shared_load(mover.node),
        there: layout.shared_load(node),
        group: u64::from(ours) * TASK_LOAD,
    };
    if gain.is_worth_it() {
        Spread::Go { cpu, node, gain }
    } else {
        Spread::NoGain(gain)
    }
}

/// The node with most idle CPUs and its first idle CPU; of equal nodes the first (`find_idlest_node`).
fn idlest(layout: &Layout) -> Option<(NodeIndex, CpuIndex)> {
    let mut most: Option<(usize, NodeIndex, CpuIndex)> = None;
    for node in NodeIndex::all(layout.nodes) {
        let mut idle = layout.cpus(node).filter(|(_, seat)| seat.is_idle());
        let Some((first, _)) = idle.next() else {
            continue;
        };
        let count = 1 + idle.count();
        if most.is_none_or(|(most, ..)| count > most) {
            most = Some((count, node, first));
        }
    }
    most.map(|(_, node, cpu)| (node, cpu))
}
