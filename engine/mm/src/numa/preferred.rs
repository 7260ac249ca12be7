//! A task moves to its preferred node (kernel/sched/fair.c: `task_numa_migrate`, `task_numa_find_cpu`,
//! `task_numa_compare`; kernel/sched/core.c: `migrate_task_to`, `migrate_swap`).
//!
//! Modelled: the search for an idle CPU of the preferred node that leaves the nodes balanced. If
//! there is none, the task there that gains most from an exchange; if there is neither, other
//! nodes. The move itself is a push, as in load balancing.
//! Left out: a preferred node that is the task's own, on a CPU without a NUMA domain; topologies
//! without direct links; machines whose workload has no threads, because they have no scheduling
//! domains here. Loads and utilization are momentary values, and all tasks have the same weight.
//! Visible difference: tasks that were idle for part of the last milliseconds count as fully busy.
//! Invariants: a task moves only to a CPU it may run on; a CPU has at most one pending move.

use super::placement::{TaskFaults, is_3_13};
use super::{by_load, group};
use crate::frames::{Context, NONE};
use crate::record::{decisions, events};
use crate::world::World;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

events! {
    /// A task is moved to an idle CPU of another node, to be near its memory.
    SchedMoveNuma "sched_move_numa" from "include/trace/events/sched.h, from 3.14" { task: Task, src_cpu: Cpu, src_nid: Node, dst_cpu: Cpu, dst_nid: Node };
    /// Two tasks of different nodes exchange their CPUs, to be near their memory.
    SchedSwapNuma "sched_swap_numa" from "include/trace/events/sched.h, from 3.14" { task: Task, src_cpu: Cpu, src_nid: Node, other: Task, dst_cpu: Cpu, dst_nid: Node };
    /// A task stays on its CPU although its memory is on another node.
    SchedStickNuma "sched_stick_numa" from "include/trace/events/sched.h, from 3.14" { task: Task, src_cpu: Cpu, src_nid: Node };
}

decisions! {
    NumaSearch { task: Task, node: Node, gain: Count, running: Count, cpus: Count }
        "{task} looks for a CPU of {node}, which has {running task} on {cpus CPU}: a move there gains {gain} of 1,000 faults.";
    NumaMove { task: Task, cpu: Cpu, node: Node }
        "{task} moves to {cpu} of {node}: the move does not unbalance the nodes.";
    NumaSwap { task: Task, other: Task, cpu: Cpu, gain: Count }
        "{task} and {other}, which runs on {cpu}, exchange their CPUs: together they gain {gain} of 1,000 faults.";
    NumaStick { task: Task, preferred: Node }
        "{task} stays: neither its preferred node {preferred} nor another has a free CPU or a task worth an exchange.";
}

/// `SMALLIMP`: an exchange that gains less would only move tasks back and forth.
const SMALL_GAIN: i64 = 30;
/// While few tasks run, a difference of this size between two nodes is ignored (`NUMA_IMBALANCE_MIN`).
const LEAST_IMBALANCE: u64 = 2;

/// The load of a node (`numa_stats`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stats {
    node: NodeIndex,
    running: u64,
    cpus: u64,
    /// Number of CPUs that run a task.
    busy: u64,
    idle_cpu: Option<CpuIndex>,
}

/// How much room a node has (`numa_classify`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Spare,
    Busy,
    Overloaded,
}

impl Stats {
    /// Classifies the node; `percent` is how much more load one side may have.
    const fn room(&self, percent: u64) -> Room {
        let (cpus, busy, running) = (self.cpus, self.busy, self.running);
        if running > cpus && (cpus * 100 < busy * percent || cpus * percent < running * 100) {
            Room::Overloaded
        } else if running < cpus || (cpus * 100 > busy * percent && cpus * percent > running * 100)
        {
            Room::Spare
        } else {
            Room::Busy
        }
    }
}

/// May one task move without unbalancing the nodes (`task_numa_find_cpu`)?
fn may_move(from: &Stats, to: &Stats, percent: u64, few: u64) -> bool {
    if to.room(percent) == Room::Spare {
        let (theirs, ours) = (to.running + 1, from.running.saturating_sub(1));
        let imbalance = theirs.saturating_sub(ours);
        let forgiven = theirs <= few && imbalance <= LEAST_IMBALANCE;
        return imbalance == 0 || forgiven;
    }
    // Computes the imbalance with these loads; the move must not increase it
    // (`load_too_imbalanced`).
    let apart = |to_load: u64, from_load: u64| (to_load * from.cpus).abs_diff(from_load * to.cpus);
    apart(to.running + 1, from.running.saturating_sub(1)) <= apart(to.running, from.running)
}

impl TaskFaults {
    /// Share of the task's faults that are on pages of a node, in thousandths (`task_weight`).
    fn weight(&self, node: NodeIndex) -> i64 {
        let Some(faults) = self.nodes.get(node.index()) else {
            return 0;
        };
        let all = faults.mem[0] + faults.mem[1];
        (1000 * all).checked_div(self.total).unwrap_or(0) as i64
    }
}

/// A CPU the search has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Best {
    pub cpu: CpuIndex,
    /// The task to exchange CPUs with, [`NONE`] for none.
    pub task: TaskIndex,
    pub gain: i64,
}

/// The task that searches for a CPU, and where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mover {
    pub task: TaskIndex,
    pub cpu: CpuIndex,
    pub node: NodeIndex,
}

/// A search for a CPU.
struct Search {
    task: TaskIndex,
    from: Stats,
    cpu: CpuIndex,
    percent: u64,
    few: u64,
    best: Option<Best>,
}

/// Moves the running task to its preferred node, if there is a suitable CPU (`task_numa_migrate`).
/// A task of a group that uses several nodes tries all of them, and then prefers the node on which
/// it found a CPU.
pub(super) fn task_numa_migrate(w: &mut World, cx: &Context) {
    let task = cx.task;
    let preferred = w.numa.tasks[task].faults.preferred;
    let here = w.local_node();
    if w.sched.is_to_push(w.cpu) {
        // The task is about to leave this CPU.
        return;
    }
    let Some(domain) = w.domains(w.cpu).iter().find(|d| d.is_numa()) else {
        return;
    };
    let percent = domain.placing_pct();
    if is_3_13(w) {
        let mover = Mover {
            task,
            cpu: w.cpu,
            node: here,
        };
        return by_load::find_and_go(w, mover, percent);
    }
    let mut search = Search {
        task,
        from: stats(w, here, task),
        cpu: w.cpu,
        percent,
        few: few_tasks(w),
        best: None,
    };
    find_cpu(w, &mut search, preferred);
    let spans_nodes = group::of(w, task).is_some_and(|group| group.active > 1);
    if search.best.is_none() || spans_nodes {
        let others =
            (NodeIndex::all(w.facts.layout.nodes.len())).filter(|&n| n != here && n != preferred);
        for node in others {
            let no_gain = gain(w, task, here, node) < 0 && group_gain(w, task, here, node) < 0;
            if !no_gain && !w.facts.layout.nodes[node.index()].cpus.is_empty() {
                find_cpu(w, &mut search, node);
            }
        }
    }
    if group::of(w, task).is_some() {
        let found = search.best.map(|best| w.facts.node_of_cpu[best.cpu]);
        w.numa.tasks[task].faults.preferred = found.unwrap_or(here);
    }
    let mover = Mover {
        task,
        cpu: search.cpu,
        node: here,
    };
    let Some(best) = search.best else {
        return stick(w, mover, preferred);
    };
    if best.task == TaskIndex::NONE {
        w.record(NumaMove {
            task,
            cpu: best.cpu,
            node: w.facts.node_of_cpu[best.cpu],
        });
    }
    go(w, mover, best);
}

/// Records that the task found no CPU and stays.
pub(super) fn stick(w: &mut World, mover: Mover, preferred: NodeIndex) {
    let Mover { task, cpu, node } = mover;
    w.record(NumaStick { task, preferred });
    w.record(SchedStickNuma {
        task,
        src_cpu: cpu,
        src_nid: node,
    });
}

/// While at most this many tasks run on a node, a small imbalance is ignored (`imb_numa_nr`, 6.1; 5.10: 2).
fn few_tasks(w: &World) -> u64 {
    let here = w.local_node().index();
    let cpus = w.facts.layout.nodes[here].cpus.len() as u64;
    match super::rules(&w.facts) {
        Some(rules) if rules.swaps_with_room => LEAST_IMBALANCE,
        _ => (cpus / 8).max(1),
    }
}

/// The load of a node, and the idle CPU there that a task could use (`update_numa_stats`).
fn stats(w: &World, node: NodeIndex, task: TaskIndex) -> Stats {
    let cpus = &w.facts.layout.nodes[node.index()].cpus;
    let running = |cpu: &CpuIndex| w.sched.nr_running(*cpu);
    let is_free =
        |cpu: &&CpuIndex| running(cpu) == 0 && !w.sched.is_to_push(**cpu) && w.may_run(task, **cpu);
    Stats {
        node,
        running: cpus.iter().map(running).sum(),
        cpus: cpus.len() as u64,
        busy: cpus.iter().filter(|cpu| running(cpu) > 0).count() as u64,
        idle_cpu: cpus.iter().find(is_free).copied(),
    }
}

/// Faults of a task on `to` minus those on `from`, in thousandths.
pub(super) fn gain(w: &World, task: TaskIndex, from: NodeIndex, to: NodeIndex) -> i64 {
    let faults = &w.numa.tasks[task].faults;
    faults.weight(to) - faults.weight(from)
}

/// Faults of a task's group on `to` minus those on `from`, in thousandths; 0 without a group.
pub(super) fn group_gain(w: &World, task: TaskIndex, from: NodeIndex, to: NodeIndex) -> i64 {
    group::of(w, task).map_or(0, |group| group.weight(to) - group.weight(from))
}

/// Gain of a move: for the group if there is one, else for the task.
pub(super) fn move_gain(w: &World, task: TaskIndex, from: NodeIndex, to: NodeIndex) -> i64 {
    match group::of(w, task) {
        Some(_) => group_gain(w, task, from, to),
        None => gain(w, task, from, to),
    }
}

/// Gain of an exchange for both tasks (`task_numa_compare`). Tasks of the same group, or of no
/// group, compare their own faults; inside a group an exchange counts a little less.
fn swap_gain(
    w: &World,
    (task, here): (TaskIndex, NodeIndex),
    (other, there): (TaskIndex, NodeIndex),
) -> i64 {
    let (own, theirs) = (group::number(w, task), group::number(w, other));
    if own == theirs {
        let gain = gain(w, task, here, there) + gain(w, other, there, here);
        return gain - if own.is_some() { gain / 16 } else { 0 };
    }
    let of_other = match (own, theirs) {
        (Some(_), Some(_)) => group_gain(w, other, there, here),
        _ => gain(w, other, there, here),
    };
    move_gain(w, task, here, there) + of_other
}

/// Finds the best CPU of a node, if it is better than the one found so far (`task_numa_find_cpu`).
fn find_cpu(w: &mut World, search: &mut Search, node: NodeIndex) {
    let to = stats(w, node, search.task);
    let own_gain = move_gain(w, search.task, search.from.node, node);
    w.record(NumaSearch {
        task: search.task,
        node,
        gain: own_gain,
        running: to.running as i64,
        cpus: to.cpus as i64,
    });
    let moves = may_move(&search.from, &to, search.percent, search.few);
    if let (true, Room::Spare, Some(cpu)) = (moves, to.room(search.percent), to.idle_cpu) {
        search.best = Some(Best {
            cpu,
            task: TaskIndex::NONE,
            gain: 0,
        });
        return;
    }
    let cpus = w.facts.layout.nodes[node.index()].cpus.clone();
    for cpu in cpus {
        if w.may_run(search.task, cpu) && compare(w, search, &to, cpu, own_gain, moves) {
            break;
        }
    }
}

/// Compares with one CPU (`task_numa_compare`). Returns true if the search should end.
fn compare(
    w: &World,
    search: &mut Search,
    to: &Stats,
    cpu: CpuIndex,
    own_gain: i64,
    moves: bool,
) -> bool {
    let current = w.sched.cpus[cpu].current;
    let best_gain = search.best.map_or(0, |best| best.gain);
    let found = |task, gain| Some(Best { cpu, task, gain });
    if w.sched.is_to_push(cpu) {
        return false;
    }
    if current == search.task {
        return true;
    }
    if current == TaskIndex::NONE {
        if moves && own_gain >= best_gain {
            search.best = found(TaskIndex::NONE, own_gain);
            return true;
        }
        return false;
    }
    let Some(current_task) = w
        .numa
        .tasks
        .get(current.index())
        .filter(|t| t.process != NONE)
    else {
        // A kernel thread has no memory of its own to be near.
        return false;
    };
    let (here, there) = (search.from.node, to.node);
    let comes_home = current_task.faults.preferred == here;
    let best_comes_home = search
        .best
        .and_then(|best| w.numa.tasks.at(best.task))
        .is_some_and(|best| best.faults.preferred == here);
    if !w.may_run(current, search.cpu) || (best_comes_home && !comes_home) {
        return false;
    }
    let swaps_with_room = super::rules(&w.facts).is_some_and(|rules| rules.swaps_with_room);
    let is_akin = group::number(w, search.task) == group::number(w, current);
    if is_akin && !swaps_with_room && to.room(search.percent) == Room::Spare {
        return false;
    }
    let mut gain_of_both = swap_gain(w, (search.task, here), (current, there));
    if current_task.faults.preferred == there {
        gain_of_both -= gain_of_both / 16;
    }
    if comes_home {
        gain_of_both += gain_of_both / 8;
    }
    if moves && own_gain > gain_of_both && own_gain > best_gain {
        search.best = found(TaskIndex::NONE, own_gain);
        return false;
    }
    let has_best_task = search.best.is_some_and(|best| best.task != TaskIndex::NONE);
    let is_first_home = has_best_task && comes_home && !best_comes_home;
    let is_worth_it = gain_of_both >= SMALL_GAIN && gain_of_both > best_gain + SMALL_GAIN / 2;
    if is_first_home || is_worth_it {
        search.best = found(current, gain_of_both);
        return !moves && comes_home;
    }
    false
}

/// Moves the task to a CPU. If the two exchange CPUs, the task on that CPU moves to this one.
pub(super) fn go(w: &mut World, mover: Mover, best: Best) {
    let Mover {
        task,
        cpu: src_cpu,
        node: src_nid,
    } = mover;
    let (dst_cpu, other) = (best.cpu, best.task);
    let dst_nid = w.facts.node_of_cpu[dst_cpu];
    if other == TaskIndex::NONE {
        w.record(SchedMoveNuma {
            task,
            src_cpu,
            src_nid,
            dst_cpu,
            dst_nid,
        });
    } else {
        w.record(NumaSwap {
            task,
            other,
            cpu: dst_cpu,
            gain: best.gain,
        });
        w.record(SchedSwapNuma {
            task,
            src_cpu,
            src_nid,
            other,
            dst_cpu,
            dst_nid,
        });
        w.ask_to_push(dst_cpu, other, src_cpu);
    }
    w.ask_to_push(src_cpu, task, dst_cpu);
}

/// Resets the scan period after a task was moved to a CPU of another node (`update_scan_period`).
/// This happens before the first pass, and when the new node is not the preferred one and the task
/// leaves its preferred node or has none. Not in 3.13.
pub fn changed_cpu(w: &mut World, task: TaskIndex, from: CpuIndex, to: CpuIndex) {
    let node = |cpu: CpuIndex| w.facts.node_of_cpu[cpu];
    let (from, to) = (node(from), node(to));
    if !w.numa.on || from == to || is_3_13(w) {
        return;
    }
    let Some(t) = w.numa.tasks.at(task) else {
        return;
    };
    let faults = &t.faults;
    if faults.nodes.is_empty() {
        return;
    }
    let stays_away = !faults.preferred.is_none() && from != faults.preferred;
    if faults.scan_seq > 0 && (to == faults.preferred || stays_away) {
        return;
    }
    let start = super::tick::start_ms(w, task);
    w.numa.tasks[task].scan_period = start;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(running: u64, busy: u64, cpus: u64) -> Stats {
        Stats {
            node: NodeIndex::new(0),
            running,
            cpus,
            busy,
            idle_cpu: None,
        }
    }

    #[test]
    fn classifies_a_node_as_spare_busy_or_overloaded() {
        assert_eq!(node(1, 1, 2).room(112), Room::Spare);
        assert_eq!(node(2, 2, 2).room(112), Room::Busy);
        assert_eq!(node(3, 2, 2).room(112), Room::Overloaded);
        assert_eq!(node(2, 1, 2).room(112), Room::Spare, "two tasks on one CPU");
    }

    #[test]
    fn allows_a_move_only_if_it_does_not_unbalance_the_nodes() {
        // 6.1 with two CPUs per node: an empty node takes one task, whatever the other node has.
        assert!(may_move(&node(1, 1, 2), &node(0, 0, 2), 112, 1));
        assert!(may_move(&node(3, 2, 2), &node(1, 1, 2), 112, 1));
        assert!(!may_move(&node(2, 2, 2), &node(1, 1, 2), 112, 1));
        // 5.10 allows two tasks on a node.
        assert!(may_move(&node(2, 2, 2), &node(1, 1, 2), 112, 2));
        // Between full nodes a task may move only if the imbalance does not grow.
        assert!(!may_move(&node(2, 2, 2), &node(2, 2, 2), 112, 1));
        assert!(may_move(&node(4, 2, 2), &node(2, 2, 2), 112, 1));
    }

    #[test]
    fn task_weight_is_the_share_of_faults_in_thousandths() {
        let mut faults = TaskFaults::default();
        assert_eq!(faults.weight(NodeIndex::new(0)), 0);
        faults.nodes.resize(2, super::super::Faults::default());
        (faults.nodes[0].mem, faults.nodes[1].mem) = ([10, 20], [0, 70]);
        faults.total = 100;
        assert_eq!(
            (
                faults.weight(NodeIndex::new(0)),
                faults.weight(NodeIndex::new(1))
            ),
            (300, 700)
        );
    }
}
