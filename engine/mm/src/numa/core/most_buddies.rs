//! v17 places a shared task: on the node with most of its buddies that has a CPU for it (kernel/sched/fair.c:
//! `sched_update_ideal_cpu_shared`, 22 November 2012).
//!
//! Modelled: all of it, with what v18 replaces: a worse node wins where the best has no CPU; tasks of another
//! process on their ideal node are never displaced, so that mixed layouts lock up.
//! Left out: the kernel looks an unset ideal CPU up as a CPU number; here such a task is on no ideal node.
//! Who could tell: nobody who does not know what lies before an array in the kernel.
//! Invariants: the task goes to another node or stays.

use super::interleave::mask;
use super::layout::{Layout, Mover, Runs, Seat};
use super::rules::Rules;

/// What was found about a shared task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MostBuddies {
    /// The nodes its memory is spread over from now on.
    pub mask: u64,
    /// Buddies on its node, itself counted.
    pub here: u32,
    /// The node with most buddies, of those they do not fill and that have a CPU for it.
    pub best: Option<Best>,
}

/// A node with buddies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best {
    /// The node.
    pub node: u8,
    /// How many there are.
    pub buddies: u32,
    /// The CPU for the task.
    pub cpu: u16,
    /// The task is on that node already, and stays.
    pub is_here: bool,
}

impl MostBuddies {
    /// The CPU it goes to.
    pub fn goes_to(&self) -> Option<u16> {
        let elsewhere = self.best.filter(|best| !best.is_here);
        elsewhere.map(|best| best.cpu)
    }
}

/// Places a shared task.
pub fn place(layout: &Layout, mover: Mover, rules: &Rules) -> MostBuddies {
    let mut best: Option<Best> = None;
    for node in 0..layout.nodes {
        let buddies = layout.buddies(node, mover);
        if buddies == 0 || buddies == layout.cpu_count(node) {
            continue;
        }
        let is_more = best.is_none_or(|best| buddies > best.buddies);
        if let (true, Some(cpu)) = (is_more, target(layout, node, mover)) {
            best = Some(Best {
                node,
                buddies,
                cpu,
                is_here: node == mover.node,
            });
        }
    }
    MostBuddies {
        mask: mask(layout, mover, rules),
        here: layout.buddies(mover.node, mover),
        best,
    }
}

/// The last CPU of a node that may be taken: it is idle, or runs a private task or a shared one of another
/// process that is not on its ideal node, and no other mover has chosen it.
fn target(layout: &Layout, node: u8, mover: Mover) -> Option<u16> {
    let is_easy = |seat: &Seat| match &seat.runs {
        Runs::Idle => true,
        Runs::Other => false,
        Runs::Member(other) if other.task == mover.task.task => false,
        Runs::Member(other) => match other.shared {
            None => false,
            Some(false) => true,
            Some(true) => {
                other.mm != mover.task.mm && node_of(layout, other.ideal_cpu) != Some(node)
            }
        },
    };
    let free = layout
        .cpus(node)
        .filter(|(_, seat)| !seat.claimed && is_easy(seat));
    free.last().map(|(cpu, _)| cpu)
}

fn node_of(layout: &Layout, cpu: Option<u16>) -> Option<u8> {
    let seat = layout.seats.get(usize::from(cpu?))?;
    Some(seat.node)
}
