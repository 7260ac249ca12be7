//! v18 places a shared task: spread, else compress, else move for load (kernel/sched/fair.c:
//! `sched_update_ideal_cpu_shared`, 30 November 2012).
//!
//! Modelled: everything that affects the result. The kernel also computes the node with most
//! buddies and room, but does not use it.
//! Invariants: a task that may spread does not compress; a task that compresses does not compare
//! loads.

use super::Target;
use super::compress::{Compress, compress};
use super::interleave::mask;
use super::layout::{Found, Layout, Mover};
use super::load::{Intranode, Overload, Room, intranode, overload};
use super::rules::Rules;
use super::spread::{Spread, spread};
use facts::index::CpuIndex;

/// Whether a node can take a task that spreads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Landing {
    /// Load and capacity of the node.
    pub room: Room,
    /// The least loaded CPU of the node; `None` if the node has no room.
    pub found: Option<Found>,
}

/// Results for a shared task, in the order of the checks. A check that was not reached is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directed {
    /// The nodes over which the task's memory is interleaved from now on.
    pub mask: u64,
    /// Result of the first check.
    pub spread: Spread,
    /// Checked if the task should not spread.
    pub compress: Option<Compress>,
    /// Checked if the task should spread: can the target node take it?
    pub landing: Option<Landing>,
    /// Checked if there is no target yet.
    pub overload: Option<Overload>,
    /// Checked if there is still no target.
    pub intranode: Option<Intranode>,
    /// True if a task that compresses exchanges CPUs.
    pub flips: bool,
}

impl Directed {
    /// The target of the task that runs on `here`.
    pub fn target(&self, here: CpuIndex) -> Target {
        let goes_to = |cpu: CpuIndex| Target { cpu, flips: false };
        if let Some(Compress::Go { cpu, .. }) = self.compress {
            let flips = self.flips;
            return Target { cpu, flips };
        }
        if let Some(found) = self.landing.and_then(|landing| landing.found) {
            return goes_to(found.cpu);
        }
        if let Some(Overload::Go { found, .. }) = self.overload {
            return goes_to(found.cpu);
        }
        let inside = self.intranode.and_then(|intranode| intranode.goes_to());
        goes_to(inside.unwrap_or(here))
    }
}

/// Places a shared task.
pub fn place(layout: &Layout, mover: Mover, rules: &Rules) -> Directed {
    let mut found = Directed {
        mask: mask(layout, mover, rules),
        spread: spread(layout, mover, rules),
        compress: None,
        landing: None,
        overload: None,
        intranode: None,
        flips: rules.flips,
    };
    if let Spread::Go { node, .. } = found.spread {
        let room = Room::of(layout, node);
        let has_room = room.is_enough();
        let cpu = layout.least_loaded_cpu(node).filter(|_| has_room);
        found.landing = Some(Landing { room, found: cpu });
        if has_room {
            return found;
        }
    } else {
        let compress = compress(layout, mover, rules);
        found.compress = Some(compress);
        if matches!(compress, Compress::Go { .. }) {
            return found;
        }
    }
    let overload = overload(layout, mover);
    found.overload = Some(overload);
    if !matches!(overload, Overload::Go { .. }) {
        found.intranode = Some(intranode(layout, mover));
    }
    found
}
