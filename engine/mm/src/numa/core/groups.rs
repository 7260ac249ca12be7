//! Which tasks are buddies, and the groups they form on a node (kernel/sched/fair.c: `tasks_buddies`,
//! `buddy_group_size`, `find_group_min_cpu`, 30 November 2012).
//!
//! Modelled: the relation as posted. It is not symmetric: the posted test compares the second
//! task's buddy with the second task, instead of with the first. A group is built from its first
//! CPU, whose task collects all its buddies.
//! Invariants: each CPU of a node is in one group; only a shared task collects others.

use super::layout::{Layout, Member, Mover};
use super::rules::Rules;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

/// A buddy counts if more pages than this are shared with it.
const LEAST_FAULTS: u64 = 1000;

/// The buddy of a task, if the task has an ideal CPU and shares enough pages with the buddy.
pub(super) fn strong_buddy(task: &Member) -> Option<TaskIndex> {
    let is_strong = task.ideal_cpu.is_some() && task.buddy_faults > LEAST_FAULTS;
    task.buddy.filter(|_| is_strong)
}

/// Does the second task belong to the group of the first (`tasks_buddies`)?
pub fn are_buddies(first: &Member, second: &Member, rules: &Rules) -> bool {
    if first.task == second.task {
        return true;
    }
    if rules.across_processes
        && let (Some(of_first), Some(of_second)) = (strong_buddy(first), strong_buddy(second))
        && (of_first == second.task || of_first == of_second)
    {
        return true;
    }
    let both_share = first.shared == Some(true) && second.shared == Some(true);
    both_share && first.mm == second.mm
}

/// Buddies that run on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The CPUs on which the buddies run, at least one, in the order of their numbers.
    cpus: Vec<CpuIndex>,
    /// True if the first of them is a shared task. Groups of other tasks have one CPU.
    pub is_shared: bool,
}

impl Group {
    /// Number of tasks in the group. An idle CPU counts as one task.
    pub fn size(&self) -> u32 {
        self.cpus.len() as u32
    }

    /// First CPU of the group.
    pub fn first_cpu(&self) -> CpuIndex {
        self.cpus[0]
    }

    /// Does the group include a CPU?
    pub fn has(&self, cpu: CpuIndex) -> bool {
        self.cpus.contains(&cpu)
    }
}

/// The groups of a node, in the order of their first CPUs.
pub fn on_node(layout: &Layout, node: NodeIndex, rules: &Rules) -> Vec<Group> {
    let mut left: Vec<_> = layout.cpus(node).collect();
    let mut groups = Vec::new();
    while !left.is_empty() {
        let (first, head) = left.remove(0);
        let mut cpus = vec![first];
        if head.is_shared() {
            left.retain(|&(cpu, seat)| {
                let joins = layout.are_akin(head, seat, rules);
                if joins {
                    cpus.push(cpu);
                }
                !joins
            });
        }
        groups.push(Group {
            cpus,
            is_shared: head.is_shared(),
        });
    }
    groups
}

/// Number of tasks in a task's group on a node: the first group there with one of the task's
/// buddies. 0 without such a group (`buddy_group_size`).
pub fn size_on(layout: &Layout, node: NodeIndex, mover: Mover, rules: &Rules) -> u32 {
    let is_akin = |&cpu: &CpuIndex| {
        let member = layout.seats[cpu].member();
        member.is_some_and(|member| are_buddies(member, mover.task, rules))
    };
    let groups = on_node(layout, node, rules);
    let ours = groups.iter().find(|group| group.cpus.iter().any(is_akin));
    ours.map_or(0, Group::size)
}

/// The first CPU and the size of the group of a node that is easiest to displace. This is the
/// smallest group, the first of several. A CPU that is idle or runs a task that is not shared comes
/// before all groups; the last of these CPUs wins (`find_group_min_cpu`).
pub fn smallest(layout: &Layout, node: NodeIndex, rules: &Rules) -> Option<(CpuIndex, u32)> {
    let mut least: Option<(CpuIndex, u32)> = None;
    for group in on_node(layout, node, rules) {
        if !group.is_shared || least.is_none_or(|(_, size)| group.size() < size) {
            least = Some((group.first_cpu(), group.size()));
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shared or private task with this rank, buddy, count, ideal CPU, status and process.
    fn member(
        task: TaskIndex,
        (buddy, buddy_faults): (Option<TaskIndex>, u64),
        ideal_cpu: Option<CpuIndex>,
        shared: bool,
        mm: u32,
    ) -> Member {
        Member {
            task,
            mm,
            shared: Some(shared),
            ideal_cpu,
            buddy,
            buddy_faults,
        }
    }

    fn akin(first: &Member, second: &Member) -> bool {
        are_buddies(first, second, &Rules::V18)
    }

    #[test]
    fn only_threads_of_one_process_that_share_memory_are_buddies() {
        let shared = |task| member(task, (None, 0), None, true, 7);
        assert!(akin(&shared(TaskIndex::new(1)), &shared(TaskIndex::new(2))));
        assert!(!akin(
            &member(TaskIndex::new(1), (None, 0), None, false, 7),
            &shared(TaskIndex::new(2))
        ));
    }

    #[test]
    fn two_tasks_with_the_same_strong_buddy_are_buddies() {
        let first = |count, ideal| {
            member(
                TaskIndex::new(2),
                (Some(TaskIndex::new(1)), count),
                ideal,
                true,
                7,
            )
        };
        let second = member(
            TaskIndex::new(3),
            (Some(TaskIndex::new(1)), 1500),
            Some(CpuIndex::new(4)),
            true,
            8,
        );
        assert!(akin(&first(1500, Some(CpuIndex::new(3))), &second));
        assert!(
            !akin(&first(1000, Some(CpuIndex::new(3))), &second),
            "1000 is too few"
        );
        assert!(!akin(&first(1500, None), &second), "no ideal CPU");
    }

    #[test]
    fn the_buddy_relation_is_not_symmetric() {
        let third = member(
            TaskIndex::new(3),
            (Some(TaskIndex::new(2)), 1500),
            Some(CpuIndex::new(3)),
            true,
            7,
        );
        let second = member(
            TaskIndex::new(2),
            (Some(TaskIndex::new(1)), 1500),
            Some(CpuIndex::new(4)),
            true,
            8,
        );
        assert!(akin(&third, &second));
        assert!(!akin(&second, &third));
    }

    #[test]
    fn tasks_of_two_processes_are_not_buddies_if_the_rules_forbid_it() {
        let rules = Rules {
            across_processes: false,
            ..Rules::V18
        };
        let third = member(
            TaskIndex::new(3),
            (Some(TaskIndex::new(2)), 1500),
            Some(CpuIndex::new(3)),
            true,
            7,
        );
        let second = member(
            TaskIndex::new(2),
            (Some(TaskIndex::new(1)), 1500),
            Some(CpuIndex::new(4)),
            true,
            8,
        );
        assert!(!are_buddies(&third, &second, &rules));
    }
}
