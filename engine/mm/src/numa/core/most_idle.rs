//! v17 places a private task on the node with most idle CPUs (kernel/sched/fair.c:
//! `sched_update_ideal_cpu_private`, 22 November 2012).
//!
//! Modelled: all of it.
//! Invariants: the task moves only to a node with at least two more idle CPUs.

use super::layout::{Layout, Mover};
use facts::index::{CpuIndex, NodeIndex};

/// Result for a private task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MostIdle {
    /// Number of idle CPUs on the task's node.
    pub here: u32,
    /// The node with most idle CPUs, among those with an idle CPU that no other mover has chosen.
    pub most: Option<IdleNode>,
}

/// A node with idle CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleNode {
    /// The node.
    pub node: NodeIndex,
    /// Number of idle CPUs.
    pub idle: u32,
    /// The last idle CPU that no other mover has chosen.
    pub cpu: CpuIndex,
}

impl MostIdle {
    /// The CPU to which the task moves.
    pub fn goes_to(&self) -> Option<CpuIndex> {
        let enough = self.most.filter(|most| most.idle > self.here + 1);
        enough.map(|most| most.cpu)
    }
}

/// Places a private task.
pub fn place(layout: &Layout, mover: Mover) -> MostIdle {
    let idle = |node| layout.cpus(node).filter(|(_, seat)| seat.is_idle());
    let mut most: Option<IdleNode> = None;
    for node in NodeIndex::all(layout.nodes) {
        let count = idle(node).count() as u32;
        let free = idle(node).filter(|(_, seat)| !seat.claimed).last();
        let is_more = most.is_none_or(|most| count > most.idle);
        if let (true, Some((cpu, _))) = (is_more, free) {
            most = Some(IdleNode {
                node,
                idle: count,
                cpu,
            });
        }
    }
    let here = idle(mover.node).count() as u32;
    MostIdle { here, most }
}
