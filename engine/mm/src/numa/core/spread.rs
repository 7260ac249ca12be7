//! The smallest group of a node moves to a node with idle CPUs, task by task (kernel/sched/fair.c:
//! `improve_group_balance_spread`, 30 November 2012).
//!
//! Modelled: all of it. On a machine without idle CPUs it never moves anybody.
//! Invariants: the nodes' loads are a task's load closer afterwards than before, once all of the group has moved.

use super::groups::{Group, on_node};
use super::layout::{Layout, Mover, TASK_LOAD};
use super::rules::Rules;

/// What spreading says to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// It is not a shared task yet.
    NotShared,
    /// Another group here is smaller.
    NotSmallest {
        /// Tasks of its group here.
        ours: u32,
        /// Tasks of the smallest.
        smallest: u32,
    },
    /// No CPU is idle.
    NoIdleCpu,
    /// The loads of the nodes would not be closer.
    NoGain(Gain),
    /// It should go.
    Go {
        /// The first idle CPU of the node with most of them.
        cpu: u16,
        /// That node.
        node: u8,
        /// What it gains.
        gain: Gain,
    },
}

/// Loads of shared tasks on two nodes, 1024 a task, and how they change when a group moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gain {
    /// Here.
    pub here: u64,
    /// There.
    pub there: u64,
    /// Of the group.
    pub group: u64,
}

impl Gain {
    /// How much more there is here now.
    pub const fn before(&self) -> i64 {
        self.here as i64 - self.there as i64
    }

    /// How much more there is here when the group has moved.
    pub const fn after(&self) -> i64 {
        self.before() - 2 * self.group as i64
    }

    /// The difference shrinks by a task's load at least.
    pub const fn is_worth_it(&self) -> bool {
        self.after().unsigned_abs() + TASK_LOAD <= self.before().unsigned_abs()
    }
}

/// Should a task spread, and where to?
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

/// The node with most idle CPUs, the first of several, and the first of these CPUs (`find_idlest_node`).
fn idlest(layout: &Layout) -> Option<(u8, u16)> {
    let mut most: Option<(usize, u8, u16)> = None;
    for node in 0..layout.nodes {
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
