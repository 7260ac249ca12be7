//! A task moves to the node that runs most of its group, to a CPU of the smallest group there. The task on
//! that CPU comes back in exchange (kernel/sched/fair.c: `find_max_node`, `improve_group_balance_compress`,
//! 30 November 2012).
//!
//! Modelled: all of it, as posted: the search for a CPU includes the task's own group, so two tasks
//! of one group may exchange CPUs; of several equal nodes, groups or CPUs the first wins; a task of
//! a group larger than a node moves from a full node to one that is not full.
//! Invariants: once each group fills a node, no task moves.

use super::groups::{size_on, smallest};
use super::layout::{Layout, Mover};
use super::rules::Rules;
use facts::index::{CpuIndex, NodeIndex};

/// Decision of the compress rule for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compress {
    /// The task's group fills every node.
    AllFull,
    /// Among the nodes that the task's group does not fill, this node runs most of the group.
    Here {
        /// Number of the group's tasks on this node.
        ours: u32,
    },
    /// The task's group has no task on any node that it does not fill.
    Nowhere,
    /// The smallest group on the node is larger than the task's own.
    TooLarge {
        /// The node that runs most of the group.
        node: NodeIndex,
        /// Number of the group's tasks there.
        ours: u32,
        /// Size of the smallest group there.
        smallest: u32,
    },
    /// The task should move.
    Go {
        /// The CPU: the first of the smallest group there.
        cpu: CpuIndex,
        /// Node of that CPU.
        node: NodeIndex,
        /// Number of the group's tasks there.
        ours: u32,
        /// Size of the smallest group there.
        smallest: u32,
    },
}

/// Should a task move to compress its group, and where?
pub fn compress(layout: &Layout, mover: Mover, rules: &Rules) -> Compress {
    let ours: Vec<_> = NodeIndex::all(layout.nodes)
        .map(|node| size_on(layout, node, mover, rules))
        .collect();
    let cpus: Vec<_> = NodeIndex::all(layout.nodes)
        .map(|n| layout.cpu_count(n))
        .collect();
    let Some((node, ours)) = fullest(&ours, &cpus) else {
        return Compress::AllFull;
    };
    if node == mover.node {
        return Compress::Here { ours };
    }
    if ours == 0 {
        return Compress::Nowhere;
    }
    match smallest(layout, node, rules) {
        Some((cpu, smallest)) => disturb(node, ours, cpu, smallest),
        None => Compress::AllFull,
    }
}

/// The node that runs most of a group, among the nodes that the group does not fill; the first of
/// several (`find_max_node`).
fn fullest(ours: &[u32], cpus: &[u32]) -> Option<(NodeIndex, u32)> {
    let mut most: Option<(NodeIndex, u32)> = None;
    for (node, (&ours, &cpus)) in NodeIndex::all(ours.len()).zip(ours.iter().zip(cpus)) {
        if ours != cpus && most.is_none_or(|(_, most)| ours > most) {
            most = Some((node, ours));
        }
    }
    most
}

/// Displaces a task only from a group that is not larger than ours.
const fn disturb(node: NodeIndex, ours: u32, cpu: CpuIndex, smallest: u32) -> Compress {
    if smallest > ours {
        Compress::TooLarge {
            node,
            ours,
            smallest,
        }
    } else {
        Compress::Go {
            cpu,
            node,
            ours,
            smallest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decision of the rule, given the number of our tasks and the smallest group on each node
    /// of eight CPUs.
    fn says(ours: [u32; 4], smallest: [u32; 4], here: NodeIndex) -> &'static str {
        let Some((node, ours)) = fullest(&ours, &[8; 4]) else {
            return "all full";
        };
        if node == here {
            return "here";
        }
        if ours == 0 {
            return "nowhere";
        }
        match disturb(node, ours, CpuIndex::new(0), smallest[node.index()]) {
            Compress::Go { node, .. } => ["to 0", "to 1", "elsewhere", "elsewhere"][node.index()],
            _ => "too large",
        }
    }

    #[test]
    fn a_group_compresses_to_the_node_with_most_of_its_tasks() {
        assert_eq!(says([3, 2, 2, 1], [1, 2, 2, 1], NodeIndex::new(1)), "to 0");
        assert_eq!(says([2, 2, 2, 2], [2, 2, 2, 2], NodeIndex::new(3)), "to 0");
        assert_eq!(
            says([8, 0, 0, 0], [8, 2, 2, 2], NodeIndex::new(0)),
            "nowhere"
        );
        assert_eq!(says([7, 1, 0, 0], [1, 7, 2, 2], NodeIndex::new(1)), "to 0");
        assert_eq!(
            says([3, 5, 0, 0], [2, 6, 4, 4], NodeIndex::new(0)),
            "too large"
        );
        assert_eq!(says([8, 7, 1, 0], [8, 1, 7, 8], NodeIndex::new(0)), "to 1");
        assert_eq!(
            says([8, 8, 8, 8], [8, 8, 8, 8], NodeIndex::new(0)),
            "all full"
        );
    }
}
