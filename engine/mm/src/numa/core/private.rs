//! v18 places a private task on the node with the least load (kernel/sched/fair.c:
//! `sched_update_ideal_cpu_private`, 30 November 2012).
//!
//! Modelled: everything that affects the result. The kernel finally checks again that the target
//! node has no more load than this one; earlier checks already imply it.
//! Invariants: a task moves only to a node with room for it.

use super::layout::{Found, Layout, Mover};
use super::load::{APART, Intranode, Room, intranode};
use facts::index::{CpuIndex, NodeIndex};

/// Result for a private task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    /// No other node is clearly better; the task may change its CPU within its node.
    Inside {
        /// Load of the task's node, by the lowest estimates.
        here: u64,
        /// Load of the node with the least load, by the highest estimates.
        there: u64,
        /// The comparison of CPUs within the node.
        intranode: Intranode,
    },
    /// The node with the least load has no idle CPU.
    NoIdleCpu {
        /// The node with the least load.
        node: NodeIndex,
    },
    /// The node with the least load has no room.
    NoRoom {
        /// The node with the least load.
        node: NodeIndex,
        /// Load and capacity of that node.
        room: Room,
    },
    /// The task moves.
    Go {
        /// The target CPU and its load.
        found: Found,
        /// Node of the target CPU.
        node: NodeIndex,
        /// Load of the task's node, by the lowest estimates.
        here: u64,
        /// Load and capacity of the target node.
        room: Room,
    },
}

impl Private {
    /// The CPU to which the task moves.
    pub fn goes_to(&self) -> Option<CpuIndex> {
        match self {
            Self::Inside { intranode, .. } => intranode.goes_to(),
            Self::NoIdleCpu { .. } | Self::NoRoom { .. } => None,
            Self::Go { found, .. } => Some(found.cpu),
        }
    }
}

/// Places a private task.
pub fn place(layout: &Layout, mover: Mover) -> Private {
    let (node, there) = layout.least_loaded();
    let here = layout.lower_load(mover.node);
    if node == mover.node || here < there + APART {
        return Private::Inside {
            here,
            there,
            intranode: intranode(layout, mover),
        };
    }
    let Some(found) = layout.idle_cpu(node) else {
        return Private::NoIdleCpu { node };
    };
    let room = Room::of(layout, node);
    if !room.is_enough() {
        return Private::NoRoom { node, room };
    }
    Private::Go {
        found,
        node,
        here,
        room,
    }
}
