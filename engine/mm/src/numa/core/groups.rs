//! Which tasks belong together, and the groups they form on a node (kernel/sched/fair.c: `tasks_buddies`,
//! `buddy_group_size`, `find_group_min_cpu`, 30 November 2012).
//!
//! Modelled: the relation as posted. Whether the second task's buddy is the first is not asked, so that the relation
//! is not symmetric: the posted test compares the second task's buddy with the second task.
//! A group is found from its first CPU: it collects all buddies of the task there.
//! Invariants: each CPU of a node is in one group; only a shared task collects others.

use super::layout::{Layout, Member, Mover};
use super::rules::Rules;

/// A buddy counts from one more page than this.
const LEAST_FAULTS: u64 = 1000;

/// The buddy of a task that has an ideal CPU and shares enough with it.
pub(super) fn strong_buddy(task: &Member) -> Option<u32> {
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

/// Tasks that belong together and run on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The CPUs they run on, in the order of their numbers. There is one at least.
    cpus: Vec<u16>,
    /// The first of them is a shared task: others are one CPU each.
    pub is_shared: bool,
}

impl Group {
    /// How many tasks it has. An idle CPU counts as one.
    pub fn size(&self) -> u32 {
        self.cpus.len() as u32
    }

    /// Its first CPU.
    pub fn first_cpu(&self) -> u16 {
        self.cpus[0]
    }

    /// Is a CPU one of its?
    pub fn has(&self, cpu: u16) -> bool {
        self.cpus.contains(&cpu)
    }
}

/// The groups of a node, in the order of their first CPUs.
pub fn on_node(layout: &Layout, node: u8, rules: &Rules) -> Vec<Group> {
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

/// How many tasks the group of a task has on a node: the first group there with a task that is its buddy. 0
/// without one (`buddy_group_size`).
pub fn size_on(layout: &Layout, node: u8, mover: Mover, rules: &Rules) -> u32 {
    let is_akin = |&cpu: &u16| {
        let member = layout.seats[usize::from(cpu)].member();
        member.is_some_and(|member| are_buddies(member, mover.task, rules))
    };
    let groups = on_node(layout, node, rules);
    let ours = groups.iter().find(|group| group.cpus.iter().any(is_akin));
    ours.map_or(0, Group::size)
}

/// The first CPU of the group of a node that is easiest to disturb, and that group's size. That is the smallest, the
/// first of several; but a CPU that is idle or runs a task that is not shared comes before all groups,
/// and the last of those before others (`find_group_min_cpu`).
pub fn smallest(layout: &Layout, node: u8, rules: &Rules) -> Option<(u16, u32)> {
    let mut least: Option<(u16, u32)> = None;
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

    /// A shared or private task: rank, buddy, count, ideal CPU, status, process.
    fn member(
        task: u32,
        (buddy, buddy_faults): (Option<u32>, u64),
        ideal_cpu: Option<u16>,
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
    fn g1_g2_shared_threads_of_one_process_are_buddies() {
        let shared = |task| member(task, (None, 0), None, true, 7);
        assert!(akin(&shared(1), &shared(2)));
        assert!(!akin(&member(1, (None, 0), None, false, 7), &shared(2)));
    }

    #[test]
    fn g3_g4_g7_tasks_with_one_buddy_are_buddies_when_it_counts() {
        let first = |count, ideal| member(2, (Some(1), count), ideal, true, 7);
        let second = member(3, (Some(1), 1500), Some(4), true, 8);
        assert!(akin(&first(1500, Some(3)), &second));
        assert!(!akin(&first(1000, Some(3)), &second), "1000 is not above");
        assert!(!akin(&first(1500, None), &second), "no ideal CPU");
    }

    #[test]
    fn g5_g6_the_relation_is_not_symmetric() {
        let third = member(3, (Some(2), 1500), Some(3), true, 7);
        let second = member(2, (Some(1), 1500), Some(4), true, 8);
        assert!(akin(&third, &second));
        assert!(!akin(&second, &third));
    }

    #[test]
    fn tasks_of_two_processes_are_no_buddies_where_the_rules_say_so() {
        let rules = Rules {
            across_processes: false,
            ..Rules::V18
        };
        let third = member(3, (Some(2), 1500), Some(3), true, 7);
        let second = member(2, (Some(1), 1500), Some(4), true, 8);
        assert!(!are_buddies(&third, &second, &rules));
    }
}
