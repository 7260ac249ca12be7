//! A task moves to its preferred node (kernel/sched/fair.c: `task_numa_migrate`, `task_numa_find_cpu`,
//! `task_numa_compare`; kernel/sched/core.c: `migrate_task_to`, `migrate_swap`).
//!
//! Modelled: an idle CPU of the preferred node, where that leaves the nodes balanced; else a task that
//! runs there and is best exchanged with; other nodes where the preferred one has neither. The move itself is
//! a push, as the balancer's.
//! Left out: the task's own node as its preferred one where its CPU has no level of nodes; topologies without direct links; machines whose workload has no threads, as
//! they have no scheduling domains here. Loads and utilization are those of the moment, and tasks weigh
//! the same.
//! Who could tell: tasks that were idle for part of the last milliseconds count as if they never were.
//! Invariants: a task moves only to a CPU it may run on; one move at a time is asked of a CPU.

use super::placement::{TaskFaults, is_3_13};
use super::{by_load, group};
use crate::frames::{Context, NONE};
use crate::record::{decisions, events};
use crate::world::World;

events! {
    /// A task is moved to an idle CPU of another node, for its memory.
    SchedMoveNuma "sched_move_numa" from "include/trace/events/sched.h, from 3.14" { task: Task, src_cpu: Cpu, src_nid: Node, dst_cpu: Cpu, dst_nid: Node };
    /// Two tasks of different nodes change places, for their memory.
    SchedSwapNuma "sched_swap_numa" from "include/trace/events/sched.h, from 3.14" { task: Task, src_cpu: Cpu, src_nid: Node, other: Task, dst_cpu: Cpu, dst_nid: Node };
    /// A task stays, though its memory is on another node.
    SchedStickNuma "sched_stick_numa" from "include/trace/events/sched.h, from 3.14" { task: Task, src_cpu: Cpu, src_nid: Node };
}

decisions! {
    NumaSearch { task: Task, node: Node, gain: Count, running: Count, cpus: Count }
        "{task} looks for a CPU of {node}: a move there gains {gain} of a thousand faults; {running task} on {cpus CPU} there.";
    NumaMove { task: Task, cpu: Cpu, node: Node }
        "{task} moves to {cpu} of {node}: the nodes are no less balanced then.";
    NumaSwap { task: Task, other: Task, cpu: Cpu, gain: Count }
        "{task} and {other}, which runs on {cpu}, swap places: together they gain {gain} of a thousand faults.";
    NumaStick { task: Task, preferred: Node }
        "{task} found no CPU to move to, on its preferred node {preferred} or another, and no task worth swapping with: it stays.";
}

/// `SMALLIMP`: an exchange that gains less only moves tasks to and fro.
const SMALL_GAIN: i64 = 30;
/// Up to so large a difference between two nodes is none while few tasks run (`NUMA_IMBALANCE_MIN`).
const LEAST_IMBALANCE: u64 = 2;

/// What a node has to do (`numa_stats`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stats {
    node: u8,
    running: u64,
    cpus: u64,
    /// CPUs that run a task.
    busy: u64,
    idle_cpu: Option<u16>,
}

/// Has a node room (`numa_classify`)?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Spare,
    Busy,
    Overloaded,
}

impl Stats {
    /// `percent` is how much more one side may have.
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

/// The move of one task that keeps nodes balanced (`task_numa_find_cpu`).
fn may_move(from: &Stats, to: &Stats, percent: u64, few: u64) -> bool {
    if to.room(percent) == Room::Spare {
        let (theirs, ours) = (to.running + 1, from.running.saturating_sub(1));
        let imbalance = theirs.saturating_sub(ours);
        let forgiven = theirs <= few && imbalance <= LEAST_IMBALANCE;
        return imbalance == 0 || forgiven;
    }
    // Is it no further from even than before (`load_too_imbalanced`)?
    let apart = |to_load: u64, from_load: u64| (to_load * from.cpus).abs_diff(from_load * to.cpus);
    apart(to.running + 1, from.running.saturating_sub(1)) <= apart(to.running, from.running)
}

impl TaskFaults {
    /// How many of a thousand of its faults were on pages of a node (`task_weight`).
    fn weight(&self, node: u8) -> i64 {
        let Some(faults) = self.nodes.get(usize::from(node)) else {
            return 0;
        };
        let all = faults.mem[0] + faults.mem[1];
        (1000 * all).checked_div(self.total).unwrap_or(0) as i64
    }
}

/// A CPU the search has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Best {
    pub cpu: u16,
    /// The task to change places with, [`NONE`] for none.
    pub task: u32,
    pub gain: i64,
}

/// Who looks for a CPU: the task, and where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mover {
    pub task: u32,
    pub cpu: u16,
    pub node: u8,
}

/// A search for a CPU.
struct Search {
    task: u32,
    from: Stats,
    cpu: u16,
    percent: u64,
    few: u64,
    best: Option<Best>,
}

/// Moves the running task to its preferred node, if it finds a place there (`task_numa_migrate`). One of a
/// group that uses several nodes looks at all of them, and prefers the one it finds from then on.
pub(super) fn task_numa_migrate(w: &mut World, cx: &Context) {
    let task = cx.task;
    let preferred = w.numa.tasks[task as usize].faults.preferred;
    let here = w.local_node();
    if w.sched.is_to_push(w.cpu) {
        // It is about to leave this CPU.
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
        let others = (0..w.facts.layout.nodes.len() as u8).filter(|&n| n != here && n != preferred);
        for node in others {
            let no_gain = gain(w, task, here, node) < 0 && group_gain(w, task, here, node) < 0;
            if !no_gain && !w.facts.layout.nodes[usize::from(node)].cpus.is_empty() {
                find_cpu(w, &mut search, node);
            }
        }
    }
    if group::of(w, task).is_some() {
        let found = search
            .best
            .map(|best| w.facts.node_of_cpu[usize::from(best.cpu)]);
        w.numa.tasks[task as usize].faults.preferred = found.unwrap_or(here);
    }
    let mover = Mover {
        task,
        cpu: search.cpu,
        node: here,
    };
    let Some(best) = search.best else {
        return stick(w, mover, preferred);
    };
    if best.task == NONE {
        w.record(NumaMove {
            task,
            cpu: best.cpu,
            node: w.facts.node_of_cpu[usize::from(best.cpu)],
        });
    }
    go(w, mover, best);
}

/// The task found no place, and stays.
pub(super) fn stick(w: &mut World, mover: Mover, preferred: u8) {
    let Mover { task, cpu, node } = mover;
    w.record(NumaStick { task, preferred });
    w.record(SchedStickNuma {
        task,
        src_cpu: cpu,
        src_nid: node,
    });
}

/// Up to so many tasks on a node, a small difference does not matter (`imb_numa_nr`, 6.1; 5.10: 2).
fn few_tasks(w: &World) -> u64 {
    let here = usize::from(w.local_node());
    let cpus = w.facts.layout.nodes[here].cpus.len() as u64;
    match super::rules(&w.facts) {
        Some(rules) if rules.swaps_with_room => LEAST_IMBALANCE,
        _ => (cpus / 8).max(1),
    }
}

/// What a node has to do, as a task sees it (`update_numa_stats`).
fn stats(w: &World, node: u8, task: u32) -> Stats {
    let cpus = &w.facts.layout.nodes[usize::from(node)].cpus;
    let running = |cpu: &u16| w.sched.nr_running(*cpu);
    let is_free =
        |cpu: &&u16| running(cpu) == 0 && !w.sched.is_to_push(**cpu) && w.may_run(task, **cpu);
    Stats {
        node,
        running: cpus.iter().map(running).sum(),
        cpus: cpus.len() as u64,
        busy: cpus.iter().filter(|cpu| running(cpu) > 0).count() as u64,
        idle_cpu: cpus.iter().find(is_free).copied(),
    }
}

/// How many more of a thousand of a task's faults are on `to` than on `from`.
pub(super) fn gain(w: &World, task: u32, from: u8, to: u8) -> i64 {
    let faults = &w.numa.tasks[task as usize].faults;
    faults.weight(to) - faults.weight(from)
}

/// How many more of a thousand of its group's faults are on `to` than on `from`; 0 without a group.
pub(super) fn group_gain(w: &World, task: u32, from: u8, to: u8) -> i64 {
    group::of(w, task).map_or(0, |group| group.weight(to) - group.weight(from))
}

/// What a move gains: for the group, if there is one.
pub(super) fn move_gain(w: &World, task: u32, from: u8, to: u8) -> i64 {
    match group::of(w, task) {
        Some(_) => group_gain(w, task, from, to),
        None => gain(w, task, from, to),
    }
}

/// What an exchange gains both (`task_numa_compare`). Tasks of one group, or of none, compare their own
/// faults, and inside a group an exchange counts a little less.
fn swap_gain(w: &World, (task, here): (u32, u8), (other, there): (u32, u8)) -> i64 {
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

/// The best CPU of a node, if it is better than what was found (`task_numa_find_cpu`).
fn find_cpu(w: &mut World, search: &mut Search, node: u8) {
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
            task: NONE,
            gain: 0,
        });
        return;
    }
    let cpus = w.facts.layout.nodes[usize::from(node)].cpus.clone();
    for cpu in cpus {
        if w.may_run(search.task, cpu) && compare(w, search, &to, cpu, own_gain, moves) {
            break;
        }
    }
}

/// Looks at one CPU (`task_numa_compare`). True: no other is looked at.
fn compare(
    w: &World,
    search: &mut Search,
    to: &Stats,
    cpu: u16,
    own_gain: i64,
    moves: bool,
) -> bool {
    let current = w.sched.cpus[usize::from(cpu)].current;
    let best_gain = search.best.map_or(0, |best| best.gain);
    let found = |task, gain| Some(Best { cpu, task, gain });
    if w.sched.is_to_push(cpu) {
        return false;
    }
    if current == search.task {
        return true;
    }
    if current == NONE {
        if moves && own_gain >= best_gain {
            search.best = found(NONE, own_gain);
            return true;
        }
        return false;
    }
    let Some(current_task) = w
        .numa
        .tasks
        .get(current as usize)
        .filter(|t| t.process != NONE)
    else {
        // A thread of the kernel has no memory to follow.
        return false;
    };
    let (here, there) = (search.from.node, to.node);
    let comes_home = current_task.faults.preferred == here;
    let best_comes_home = search
        .best
        .and_then(|best| w.numa.tasks.get(best.task as usize))
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
        search.best = found(NONE, own_gain);
        return false;
    }
    let has_best_task = search.best.is_some_and(|best| best.task != NONE);
    let is_first_home = has_best_task && comes_home && !best_comes_home;
    let is_worth_it = gain_of_both >= SMALL_GAIN && gain_of_both > best_gain + SMALL_GAIN / 2;
    if is_first_home || is_worth_it {
        search.best = found(current, gain_of_both);
        return !moves && comes_home;
    }
    false
}

/// The task moves to a CPU, and the one that runs there comes here, if they change places.
pub(super) fn go(w: &mut World, mover: Mover, best: Best) {
    let Mover {
        task,
        cpu: src_cpu,
        node: src_nid,
    } = mover;
    let (dst_cpu, other) = (best.cpu, best.task);
    let dst_nid = w.facts.node_of_cpu[usize::from(dst_cpu)];
    if other == NONE {
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

/// A task was moved to a CPU of another node: if that is not its preferred one, and it leaves that or
/// has none, it scans as often as may be (`update_scan_period`). So it does before its first pass. Not in 3.13.
pub fn changed_cpu(w: &mut World, task: u32, from: u16, to: u16) {
    let node = |cpu: u16| w.facts.node_of_cpu[usize::from(cpu)];
    let (from, to) = (node(from), node(to));
    if !w.numa.on || from == to || is_3_13(w) {
        return;
    }
    let Some(t) = w.numa.tasks.get(task as usize) else {
        return;
    };
    let faults = &t.faults;
    if faults.nodes.is_empty() {
        return;
    }
    let stays_away = faults.preferred != u8::MAX && from != faults.preferred;
    if faults.scan_seq > 0 && (to == faults.preferred || stays_away) {
        return;
    }
    let start = super::tick::start_ms(w, task);
    w.numa.tasks[task as usize].scan_period = start;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(running: u64, busy: u64, cpus: u64) -> Stats {
        Stats {
            node: 0,
            running,
            cpus,
            busy,
            idle_cpu: None,
        }
    }

    #[test]
    fn a_node_has_room_as_its_cpus_have() {
        assert_eq!(node(1, 1, 2).room(112), Room::Spare);
        assert_eq!(node(2, 2, 2).room(112), Room::Busy);
        assert_eq!(node(3, 2, 2).room(112), Room::Overloaded);
        assert_eq!(node(2, 1, 2).room(112), Room::Spare, "two on one CPU");
    }

    #[test]
    fn a_task_moves_where_the_nodes_stay_as_even_as_they_were() {
        // 6.1 with two CPUs a node: an empty node takes one, whatever is left behind.
        assert!(may_move(&node(1, 1, 2), &node(0, 0, 2), 112, 1));
        assert!(may_move(&node(3, 2, 2), &node(1, 1, 2), 112, 1));
        assert!(!may_move(&node(2, 2, 2), &node(1, 1, 2), 112, 1));
        // 5.10 lets two run on a node.
        assert!(may_move(&node(2, 2, 2), &node(1, 1, 2), 112, 2));
        // Full nodes: only where that is no further from even.
        assert!(!may_move(&node(2, 2, 2), &node(2, 2, 2), 112, 1));
        assert!(may_move(&node(4, 2, 2), &node(2, 2, 2), 112, 1));
    }

    #[test]
    fn a_weight_is_a_part_of_a_thousand() {
        let mut faults = TaskFaults::default();
        assert_eq!(faults.weight(0), 0);
        faults.nodes.resize(2, super::super::Faults::default());
        (faults.nodes[0].mem, faults.nodes[1].mem) = ([10, 20], [0, 70]);
        faults.total = 100;
        assert_eq!((faults.weight(0), faults.weight(1)), (300, 700));
    }
}
