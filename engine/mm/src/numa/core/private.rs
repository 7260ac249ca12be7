//! v18 places a private task: on the node with the least load (kernel/sched/fair.c:
//! `sched_update_ideal_cpu_private`, 30 November 2012).
//!
//! Modelled: all that matters of it. That the node there has no more load than the one here is asked once more at
//! the end there, when it follows from what was asked before.
//! Invariants: a task goes only where there is room for it.

use super::layout::{Found, Layout, Mover};
use super::load::{APART, Intranode, Room, intranode};

/// What was found about a private task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    /// Its node is as good as any: it may change its CPU inside.
    Inside {
        /// Load of its node, by the lowest estimates.
        here: u64,
        /// Load of the node with least, by the highest.
        there: u64,
        /// Inside the node.
        intranode: Intranode,
    },
    /// The node with the least load has no CPU to spare.
    NoIdleCpu {
        /// That node.
        node: u8,
    },
    /// The node with the least load has no room.
    NoRoom {
        /// That node.
        node: u8,
        /// Its load.
        room: Room,
    },
    /// It goes.
    Go {
        /// The CPU.
        found: Found,
        /// Its node.
        node: u8,
        /// Load of its node, by the lowest estimates.
        here: u64,
        /// Load of the other.
        room: Room,
    },
}

impl Private {
    /// The CPU it goes to.
    pub fn goes_to(&self) -> Option<u16> {
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
