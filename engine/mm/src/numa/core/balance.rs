//! Changes of numa/core to the scheduler's periodic balancing between nodes (kernel/sched/fair.c:
//! `check_numa_busiest_group`, `can_migrate_numa_task`, `can_migrate_running_task`; 22 and 30 November 2012).
//!
//! Modelled: in both versions a node gives tasks away only if it has more tasks than CPUs. v17 keeps shared
//! tasks where they fit, takes tasks in rounds, and moves a task with a strong buddy only to the node of its
//! ideal CPU. v18 removes these rules of v17; only the veto of [`super::convergence`] remains.
//! Left out: v17's random pulls between nodes that are not busy, which may only improve the placement and
//! never do.
//! Visible difference: none.
//! Invariants: no task leaves a node with at most one task per CPU; v17 takes no shared task from a node with
//! no more shared tasks than CPUs, except to the node of its ideal CPU.

use super::groups::strong_buddy;
use super::layout::Member;
use facts::index::NodeIndex;

/// Load of a node from which another node may take tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Number of runnable tasks.
    pub tasks: u32,
    /// Number of shared tasks among them.
    pub shared: u32,
    /// Number of CPUs.
    pub cpus: u32,
}

impl Load {
    /// May another node take tasks from this one? Unlike in other kernels of the time, idle CPUs
    /// elsewhere are no reason.
    pub const fn gives(&self) -> bool {
        self.tasks > self.cpus
    }

    /// Do the node's shared tasks stay (v17)? Queues with only shared tasks are then skipped.
    pub const fn keeps_shared(&self) -> bool {
        self.shared <= self.cpus
    }
}

/// v17 selects tasks in rounds, until one round finds some. Each round also considers the tasks of earlier
/// ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Round {
    /// Tasks whose status is unknown.
    Unknown,
    /// Tasks that are not on the node that placement chose, or for which it chose no node.
    Misplaced,
    /// Private tasks.
    Private,
    /// All tasks.
    All,
}

impl Round {
    /// All rounds in order.
    pub const ALL: [Self; 4] = [Self::Unknown, Self::Misplaced, Self::Private, Self::All];

    /// Does the round consider a task? `node` is the node placement chose for it, `here` its
    /// current node.
    pub fn takes(self, shared: Option<bool>, node: Option<NodeIndex>, here: NodeIndex) -> bool {
        let first = match shared {
            None => Self::Unknown,
            Some(_) if node != Some(here) => Self::Misplaced,
            Some(false) => Self::Private,
            Some(true) => Self::All,
        };
        self >= first
    }
}

/// May v17's balancing take a task to a node? A task with a strong buddy moves only to the node of
/// its ideal CPU, even if it ran just now. `ideal` is that node. `None` if these facts do not
/// decide.
pub fn may_take(task: &Member, ideal: NodeIndex, to: NodeIndex) -> Option<bool> {
    strong_buddy(task)?;
    Some(ideal == to)
}

#[cfg(test)]
mod tests {
    use super::super::tests::layout;
    use super::*;
    use facts::index::{CpuIndex, TaskIndex};

    fn load(tasks: u32, shared: u32) -> Load {
        let cpus = 8;
        Load {
            tasks,
            shared,
            cpus,
        }
    }

    #[test]
    fn a_node_with_at_most_one_task_per_cpu_loses_no_task() {
        assert!([8, 8, 8, 6].iter().all(|&tasks| !load(tasks, 0).gives()));
    }

    #[test]
    fn a_node_loses_shared_tasks_if_they_outnumber_its_cpus() {
        let node = load(16, 16);
        assert!(node.gives() && !node.keeps_shared());
        // All tasks are on their chosen node and none is private, so only the last round takes
        // them.
        let takes =
            |round: Round| round.takes(Some(true), Some(NodeIndex::new(0)), NodeIndex::new(0));
        assert_eq!(Round::ALL.map(takes), [false, false, false, true]);
    }

    #[test]
    fn a_node_keeps_as_many_shared_tasks_as_it_has_cpus() {
        let node = load(8, 8);
        assert!(node.keeps_shared() && !node.gives());
    }

    #[test]
    fn balancing_takes_unknown_then_misplaced_then_private_tasks() {
        let rounds =
            |shared, node| Round::ALL.map(|round| round.takes(shared, node, NodeIndex::new(0)));
        assert_eq!(rounds(None, Some(NodeIndex::new(0))), [true; 4]);
        assert_eq!(
            rounds(Some(true), Some(NodeIndex::new(1))),
            [false, true, true, true]
        );
        assert_eq!(rounds(Some(true), None), [false, true, true, true]);
        assert_eq!(
            rounds(Some(false), Some(NodeIndex::new(0))),
            [false, false, true, true]
        );
    }

    #[test]
    fn a_task_with_a_strong_buddy_moves_only_to_the_node_of_its_ideal_cpu() {
        let (nodes, one) = (layout(&["AA", "BB"]), NodeIndex::new(1));
        let mut task = *nodes.seats[CpuIndex::new(0)].member().unwrap();
        assert_eq!(may_take(&task, one, one), None);
        task.ideal_cpu = Some(CpuIndex::new(3));
        (task.buddy, task.buddy_faults) = (Some(TaskIndex::new(1)), 1001);
        assert_eq!(may_take(&task, one, one), Some(true));
        assert_eq!(may_take(&task, one, NodeIndex::new(0)), Some(false));
    }
}
