//! NUMA groups: tasks that share pages (kernel/sched/fair.c: `task_numa_group`,
//! `numa_group_count_active_nodes`, the group rules of `should_numa_migrate_memory`).
//!
//! Modelled: a task that faults on a page joins the group of the thread of its process that last
//! faulted on the page, if that group is not smaller; faults of a group by node of the page and of
//! the CPU; the nodes a group uses; whether a page moves to another node for its group; longer scan
//! periods.
//! Left out: groups across processes, whose shared pages would be file pages. The kernel finds the
//! other thread on the CPU that the page records; here it is any running thread with the recorded
//! number. Of two groups of the same size, the kernel keeps the one at the higher address; here it
//! is the one with the higher number. A new group reuses the number of a group that all tasks have
//! left.
//! Visible difference: groups of two processes that map one file; which of two groups remains.
//! Invariants: the faults of a group are the sum of its tasks' faults; a task is in at most one
//! group. An empty group holds no data; its entry remains only while a later group exists.

use super::placement::Faults;
use crate::frames::NONE;
use crate::record::decisions;
use crate::world::World;
use facts::index::{FrameIndex, NodeIndex, TaskIndex};
use facts::state::State;

decisions! {
    NumaJoin { task: Task, other: Task, tasks: Count }
        "{task} shares pages with {other} and joins its NUMA group, which now has {tasks task}.";
    NumaGroupPulls { page: Page, node: Node, there: Count, here: Count }
        "The CPUs of {node} cause over three times as many faults of the group as those of the page's node ({there} to {here}): the page at {page} should move there.";
    NumaGroupSpreads { page: Page, node: Node, there: Count, here: Count }
        "Of 1,000 faults on the group's pages, the CPUs of {node} cause {there}, well above the {here} of its own node: the page at {page} should move.";
    NumaGroupKeeps { page: Page, node: Node, there: Count, here: Count }
        "The page at {page} stays. Of 1,000 faults on the group's pages, the CPUs of {node} cause {there} and those of its own node {here}: the difference is too small.";
}

/// `ACTIVE_NODE_FRACTION`: a node with less than a third of the most faults of a node does not
/// count as used.
const ACTIVE_FRACTION: u64 = 3;

/// Decayed faults of a group on one node: shared and private.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct GroupFaults {
    /// Faults by the node of the page.
    pub mem: [u64; 2],
    /// Faults by the node of the CPU, weighted with the time the tasks ran.
    pub cpu: [u64; 2],
}

/// Tasks that share pages (`struct numa_group`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Group {
    /// Number of tasks.
    pub tasks: u32,
    /// Faults of the group on each node.
    pub nodes: Vec<GroupFaults>,
    /// Sum of all faults by page (`total_faults`).
    pub total: u64,
    /// Number of faults from CPUs of the node that has most of them (`max_faults_cpu`).
    pub most_cpu: u64,
    /// Number of nodes the group uses (`active_nodes`).
    pub active: u32,
}

impl Group {
    /// Faults of the group's tasks on pages of a node (`group_faults`).
    pub fn mem(&self, node: NodeIndex) -> u64 {
        let faults = self.nodes.get(node.index());
        faults.map_or(0, |f| f.mem[0] + f.mem[1])
    }

    /// Faults of the group's tasks from CPUs of a node (`group_faults_cpu`).
    pub fn cpu(&self, node: NodeIndex) -> u64 {
        let faults = self.nodes.get(node.index());
        faults.map_or(0, |f| f.cpu[0] + f.cpu[1])
    }

    /// Does the group use a node (`numa_is_active_node`)?
    pub fn uses(&self, node: NodeIndex) -> bool {
        self.cpu(node) * ACTIVE_FRACTION > self.most_cpu
    }

    /// Share of the group's faults that are on pages of a node, in thousandths (`group_weight`).
    pub fn weight(&self, node: NodeIndex) -> i64 {
        (1000 * self.mem(node)).checked_div(self.total).unwrap_or(0) as i64
    }

    /// Counts the nodes the group uses (`numa_group_count_active_nodes`).
    fn count_active(&mut self) {
        let nodes = NodeIndex::all(self.nodes.len());
        self.most_cpu = nodes.clone().map(|n| self.cpu(n)).max().unwrap_or(0);
        self.active = nodes.filter(|&n| self.uses(n)).count() as u32;
    }

    /// A scan period lengthened by the share of shared faults, ms.
    pub fn stretched(&self, period_ms: u32) -> u32 {
        let sum = |kind: usize| self.nodes.iter().map(|f| f.mem[kind]).sum::<u64>();
        let (shared, private) = (sum(0), sum(1));
        let period = u64::from(period_ms) * u64::from(self.tasks) * (shared + 1);
        u32::try_from(period / (private + shared + 1)).unwrap_or(u32::MAX)
    }

    fn add(&mut self, faults: &[Faults], total: u64) {
        for (own, task) in self.nodes.iter_mut().zip(faults) {
            for kind in 0..2 {
                own.mem[kind] += task.mem[kind];
                own.cpu[kind] += task.cpu[kind];
            }
        }
        (self.total, self.tasks) = (self.total + total, self.tasks + 1);
    }

    fn remove(&mut self, faults: &[Faults], total: u64) {
        for (own, task) in self.nodes.iter_mut().zip(faults) {
            for kind in 0..2 {
                own.mem[kind] -= task.mem[kind];
                own.cpu[kind] -= task.cpu[kind];
            }
        }
        (self.total, self.tasks) = (self.total - total, self.tasks - 1);
    }
}

/// The group of a task.
pub fn of(w: &World, task: TaskIndex) -> Option<&Group> {
    let task = w.numa.tasks.at(task)?;
    w.numa.groups.get(task.group as usize)
}

/// The number of a task's group.
pub fn number(w: &World, task: TaskIndex) -> Option<u32> {
    let group = w.numa.tasks.at(task)?.group;
    (group != NONE).then_some(group)
}

/// Handles a shared fault of a task (`task_numa_group`): the task gets a group, and joins the group
/// of the running thread whose number has these low 8 bits. Returns true if that is not a thread of
/// the task's process; the fault then counts as private.
pub fn join(w: &mut World, task: TaskIndex, last: u8) -> bool {
    let nodes = w.facts.layout.nodes.len();
    let numa = &mut w.numa;
    let own = &mut numa.tasks[task];
    if own.group == NONE {
        let place = place_of_new(&mut numa.groups);
        own.group = place as u32;
        let mut group = Group {
            nodes: vec![GroupFaults::default(); nodes],
            active: 1,
            ..Group::default()
        };
        group.add(&own.faults.nodes, own.faults.total);
        numa.groups[place] = group;
    }
    let own_group = own.group;
    let mut running = w.sched.cpus.iter().map(|cpu| cpu.current);
    let is_last = |&t: &TaskIndex| !t.is_none() && t != task && t.get() as u8 == last;
    let Some(other) = running.find(is_last) else {
        return false;
    };
    let Some(theirs) = number(w, other).filter(|&theirs| theirs != own_group) else {
        return false;
    };
    let size = |group: u32| w.numa.groups[group as usize].tasks;
    if size(own_group) > size(theirs) || (size(own_group) == size(theirs) && own_group > theirs) {
        return false;
    }
    if w.numa.tasks[other].process != w.numa.tasks[task].process {
        return true;
    }
    leave(w, task);
    let faults = w.numa.tasks[task].faults.clone();
    let group = &mut w.numa.groups[theirs as usize];
    group.add(&faults.nodes, faults.total);
    let tasks = group.tasks.into();
    w.numa.tasks[task].group = theirs;
    w.record(NumaJoin { task, other, tasks });
    false
}

/// Removes a task from its group, as when it ends (`task_numa_free`).
pub fn leave(w: &mut World, task: TaskIndex) {
    let Some(t) = w.numa.tasks.at_mut(task) else {
        return;
    };
    let group = std::mem::replace(&mut t.group, NONE);
    let groups = &mut w.numa.groups;
    let Some(group) = groups.get_mut(group as usize) else {
        return;
    };
    let faults = &w.numa.tasks[task].faults;
    group.remove(&faults.nodes, faults.total);
    drop_empty(groups);
}

/// The index of the first empty group; adds one if there is none.
fn place_of_new(groups: &mut Vec<Group>) -> usize {
    let free = groups.iter().position(|group| group.tasks == 0);
    free.unwrap_or_else(|| {
        groups.push(Group::default());
        groups.len() - 1
    })
}

/// Clears groups that all tasks have left. The numbers of other groups do not change.
fn drop_empty(groups: &mut Vec<Group>) {
    for group in groups.iter_mut().filter(|group| group.tasks == 0) {
        *group = Group::default();
    }
    while groups.last().is_some_and(|group| group.tasks == 0) {
        groups.pop();
    }
}

/// Updates a group after the faults of one of its tasks on a node changed by `(new, less)` of each
/// kind.
pub(super) fn account(
    group: &mut Group,
    node: usize,
    kind: usize,
    mem: (u64, u64),
    cpu: (u64, u64),
) {
    let faults = &mut group.nodes[node];
    faults.mem[kind] = faults.mem[kind] + mem.0 - mem.1;
    faults.cpu[kind] = faults.cpu[kind] + cpu.0 - cpu.1;
    group.total = group.total + mem.0 - mem.1;
}

/// Counts the nodes the group uses, and returns the node with most of its faults; `None` without
/// faults.
pub(super) fn preferred(group: &mut Group) -> Option<(u64, NodeIndex)> {
    group.count_active();
    let nodes = NodeIndex::all(group.nodes.len());
    let most = nodes.map(|n| (group.mem(n), std::cmp::Reverse(n))).max();
    most.filter(|&(faults, _)| faults > 0)
        .map(|(faults, std::cmp::Reverse(node))| (faults, node))
}

/// Should a shared page of a task in a group move to the node of a fault? `None` if the task has no
/// group.
pub(super) fn wants(
    w: &mut World,
    task: TaskIndex,
    frame: FrameIndex,
    node: NodeIndex,
) -> Option<bool> {
    let on = w.node_of(frame);
    let group = of(w, task)?;
    let (cpu_there, cpu_here) = (group.cpu(node), group.cpu(on));
    let (mem_there, mem_here) = (group.mem(node), group.mem(on));
    if cpu_there > cpu_here * ACTIVE_FRACTION {
        w.record(NumaGroupPulls {
            page: frame,
            node,
            there: cpu_there as i64,
            here: cpu_here as i64,
        });
        return Some(true);
    }
    let moves = cpu_there * mem_here * 3 > cpu_here * mem_there * 4;
    let per_page = |cpu: u64, mem: u64| (1000 * cpu).checked_div(mem).unwrap_or(0) as i64;
    let (there, here) = (per_page(cpu_there, mem_there), per_page(cpu_here, mem_here));
    let page = frame;
    match moves {
        true => w.record(NumaGroupSpreads {
            page,
            node,
            there,
            here,
        }),
        false => w.record(NumaGroupKeeps {
            page,
            node,
            there,
            here,
        }),
    }
    Some(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(mem: [u64; 2], cpu: [u64; 2]) -> Group {
        let node = |n: usize| GroupFaults {
            mem: [mem[n], 0],
            cpu: [cpu[n], 0],
        };
        let mut group = Group {
            tasks: 2,
            nodes: vec![node(0), node(1)],
            total: mem[0] + mem[1],
            ..Group::default()
        };
        group.count_active();
        group
    }

    #[test]
    fn a_group_uses_nodes_with_more_than_a_third_of_the_maximum() {
        assert_eq!(group([1, 1], [90, 31]).active, 2);
        let one = group([1, 1], [90, 30]);
        assert_eq!(
            (
                one.active,
                one.uses(NodeIndex::new(0)),
                one.uses(NodeIndex::new(1))
            ),
            (1, true, false)
        );
    }

    #[test]
    fn a_group_prefers_the_node_with_the_most_faults_on_its_pages() {
        assert_eq!(
            preferred(&mut group([40, 60], [1, 1])),
            Some((60, NodeIndex::new(1)))
        );
        assert_eq!(
            preferred(&mut group([50, 50], [1, 1])),
            Some((50, NodeIndex::new(0))),
            "a tie"
        );
        assert_eq!(preferred(&mut group([0, 0], [1, 1])), None);
    }

    #[test]
    fn shared_faults_lengthen_scan_periods() {
        let mut shared = group([60, 40], [1, 1]);
        assert_eq!(shared.stretched(1000), 2000, "all faults are shared");
        shared.nodes[0].mem = [0, 60];
        assert_eq!(shared.stretched(1000), 1000 * 2 * 41 / 101);
    }

    #[test]
    fn adding_and_removing_a_task_restores_the_group() {
        let mut faults = vec![Faults::default(); 2];
        (faults[0].mem, faults[1].cpu) = ([3, 4], [5, 6]);
        let before = group([60, 40], [7, 8]);
        let mut after = before.clone();
        after.add(&faults, 7);
        assert_eq!(
            (
                after.mem(NodeIndex::new(0)),
                after.cpu(NodeIndex::new(1)),
                after.total
            ),
            (67, 19, 107)
        );
        after.remove(&faults, 7);
        assert_eq!(after, before);
    }

    #[test]
    fn clears_an_empty_group_and_reuses_its_number() {
        let empty = || Group {
            tasks: 0,
            ..group([1, 1], [1, 1])
        };
        let in_use = || group([60, 40], [7, 8]);
        let mut groups = vec![empty(), in_use(), empty(), empty()];
        drop_empty(&mut groups);
        assert_eq!(groups, [Group::default(), in_use()]);
        assert_eq!(place_of_new(&mut groups), 0);
        groups[0] = in_use();
        assert_eq!((place_of_new(&mut groups), groups.len()), (2, 3));
    }
}
