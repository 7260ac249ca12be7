//! v17 places a shared task on the node with most of its buddies that has a CPU for it
//! (kernel/sched/fair.c: `sched_update_ideal_cpu_shared`, 22 November 2012).
//!
//! Modelled: all of it, including what v18 replaces: a worse node wins if the best has no CPU to
//! take. Tasks of another process on their ideal node are never displaced, so mixed layouts lock
//! up.
//! Left out: the kernel uses an unset ideal CPU as a CPU number; here such a task is on no ideal
//! node.
//! Visible difference: the kernel may read memory before the array.
//! Invariants: the task moves to another node or stays.

use super::interleave::mask;
use super::layout::{Layout, Mover, Runs, Seat};
use super::rules::Rules;
use facts::index::{CpuIndex, NodeIndex};

/// Result for a shared task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MostBuddies {
    /// The nodes over which the task's memory is interleaved from now on.
    pub mask: u64,
    /// Number of buddies on the task's node, including itself.
    pub here: u32,
    /// The node with most buddies, among those that buddies do not fill and that have a CPU to
    /// take.
    pub best: Option<Best>,
}

/// A node with buddies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best {
    /// The node.
    pub node: NodeIndex,
    /// Number of buddies there.
    pub buddies: u32,
    /// The target CPU for the task.
    pub cpu: CpuIndex,
    /// True if the task already runs on that node and stays.
    pub is_here: bool,
}

impl MostBuddies {
    /// The CPU to which the task moves.
    pub fn goes_to(&self) -> Option<CpuIndex> {
        let elsewhere = self.best.filter(|best| !best.is_here);
        elsewhere.map(|best| best.cpu)
    }
}

/// Places a shared task.
pub fn place(layout: &Layout, mover: Mover, rules: &Rules) -> MostBuddies {
    let mut best: Option<Best> = None;
    for node in NodeIndex::all(layout.nodes) {
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

/// The last CPU of a node that the task may take. The CPU is idle, runs a private task, or runs a
/// shared task of another process that is not on its ideal node. No other mover has chosen it.
fn target(layout: &Layout, node: NodeIndex, mover: Mover) -> Option<CpuIndex> {
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

fn node_of(layout: &Layout, cpu: Option<CpuIndex>) -> Option<NodeIndex> {
    let seat = layout.seats.at(cpu?)?;
    Some(seat.node)
}
