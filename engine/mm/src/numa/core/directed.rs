//! v18 places a shared task: spread, else compress, else move for load (kernel/sched/fair.c:
//! `sched_update_ideal_cpu_shared`, 30 November 2012).
//!
//! Modelled: all that matters of it. The node with most buddies and room is computed there too, and thrown away.
//! Invariants: nobody compresses who may spread; who compresses looks at no load.

use super::Target;
use super::compress::{Compress, compress};
use super::interleave::mask;
use super::layout::{Found, Layout, Mover};
use super::load::{Intranode, Overload, Room, intranode, overload};
use super::rules::Rules;
use super::spread::{Spread, spread};

/// What a node has for a task that spreads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Landing {
    /// Its load.
    pub room: Room,
    /// Its least loaded CPU; none where there is no room.
    pub found: Option<Found>,
}

/// What was found about a shared task, in the order it was looked at. What was not looked at any more is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directed {
    /// The nodes its memory is spread over from now on.
    pub mask: u64,
    /// First.
    pub spread: Spread,
    /// Where it should not spread.
    pub compress: Option<Compress>,
    /// Where it should: what the node it should go to has for it.
    pub landing: Option<Landing>,
    /// Where it goes nowhere yet.
    pub overload: Option<Overload>,
    /// Where it still does not.
    pub intranode: Option<Intranode>,
    /// Who compresses exchanges places.
    pub flips: bool,
}

impl Directed {
    /// Where the task goes from `here`.
    pub fn target(&self, here: u16) -> Target {
        let goes_to = |cpu: u16| Target { cpu, flips: false };
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
