//! A task moves to its preferred node in 3.13 (kernel/sched/fair.c: `task_numa_migrate`, `task_numa_compare`).
//!
//! Modelled: the gain of a move or an exchange, in thousandths of the faults of the task or its
//! group; a veto if one node would have more than 12 % more load than the other, which does not
//! apply to an exchange of two tasks that run alone; other nodes if the preferred one has no
//! suitable CPU; a task that moves scans at its minimum period.
//! Left out: a preferred node without capacity is skipped in the kernel; loads of tasks that slept
//! recently, and priorities: the load of a node is its number of runnable tasks.
//! Visible difference: the placement of tasks that run for part of the time.
//! Invariants: a task moves only if its gain is above zero.

use super::group;
use super::preferred::{Best, Mover, NumaSearch, gain, go, group_gain, move_gain, stick};
use super::tick::periods_ms;
use crate::frames::NONE;
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

decisions! {
    NumaMoveByLoad { task: Task, cpu: Cpu, node: Node, gain: Count }
        "{task} moves to {cpu} of {node}: the move gains {gain} of 1,000 faults.";
    NumaTooUneven { task: Task, cpu: Cpu, there: Count, here: Count, percent: Count }
        "{task} does not move to {cpu}: one node would run {there task} and the other {here}, a difference of over {percent} %.";
}

/// A search for a CPU to move to.
struct Search {
    mover: Mover,
    /// How much more load one node may have than the other, as a percentage of the other's.
    percent: u64,
    best: Option<Best>,
}

/// Do two loads differ by more than allowed?
const fn is_uneven(a: u64, b: u64, percent: u64) -> bool {
    let (less, more) = if a < b { (a, b) } else { (b, a) };
    less * percent < more * 100
}

/// Gain of an exchange inside a group: slightly reduced, so that two tasks that gain almost nothing
/// stay.
const fn inside_group(both: i64) -> i64 {
    both - both / 16
}

/// Moves the running task to a CPU of its preferred node, or of another node where the task gains.
pub(super) fn find_and_go(w: &mut World, mover: Mover, percent: u64) {
    let task = mover.task;
    let preferred = w.numa.tasks[task].faults.preferred;
    let mut search = Search {
        mover,
        percent,
        best: None,
    };
    look_at(w, &mut search, preferred);
    let is_found = search.best.is_some();
    let nodes = w.facts.layout.nodes.len();
    for node in NodeIndex::all(nodes).filter(|&n| n != mover.node && n != preferred) {
        let is_worse =
            gain(w, task, mover.node, node) < 0 && group_gain(w, task, mover.node, node) < 0;
        if !is_found && !is_worse {
            look_at(w, &mut search, node);
        }
    }
    let Some(best) = search.best else {
        return stick(w, mover, preferred);
    };
    let node = w.facts.node_of_cpu[best.cpu];
    let process = w.numa.tasks[task].process;
    let least = periods_ms(w, process).0;
    let own = &mut w.numa.tasks[task];
    (own.faults.preferred, own.scan_period) = (node, least);
    if best.task == TaskIndex::NONE {
        let (cpu, gain) = (best.cpu, best.gain);
        w.record(NumaMoveByLoad {
            task,
            cpu,
            node,
            gain,
        });
    }
    go(w, mover, best);
}

/// Compares with all CPUs of a node (`task_numa_find_cpu`).
fn look_at(w: &mut World, search: &mut Search, node: NodeIndex) {
    let task = search.mover.task;
    let cpus = w.facts.layout.nodes[node.index()].cpus.clone();
    w.record(NumaSearch {
        task,
        node,
        gain: alone(w, search.mover, node),
        running: running(w, node) as i64,
        cpus: cpus.len() as i64,
    });
    for cpu in cpus {
        if w.may_run(task, cpu) && !w.sched.is_to_push(cpu) {
            compare(w, search, node, cpu);
        }
    }
}

/// Gain of a move without an exchange.
fn alone(w: &World, mover: Mover, node: NodeIndex) -> i64 {
    let of_group = group_gain(w, mover.task, mover.node, node);
    match of_group > 0 {
        true => of_group,
        false => gain(w, mover.task, mover.node, node),
    }
}

/// Gain of an exchange for both tasks.
fn together(w: &World, mover: Mover, (other, there): (TaskIndex, NodeIndex)) -> i64 {
    let Mover {
        task, node: here, ..
    } = mover;
    let theirs = group::number(w, other);
    if group::number(w, task) == theirs {
        let both = gain(w, task, here, there) + gain(w, other, there, here);
        return if theirs.is_some() {
            inside_group(both)
        } else {
            both
        };
    }
    move_gain(w, task, here, there) + move_gain(w, other, there, here)
}

/// Number of runnable tasks on a node.
fn running(w: &World, node: NodeIndex) -> u64 {
    let cpus = &w.facts.layout.nodes[node.index()].cpus;
    cpus.iter().map(|&cpu| w.sched.nr_running(cpu)).sum()
}

/// Compares with one CPU (`task_numa_compare`).
fn compare(w: &mut World, search: &mut Search, node: NodeIndex, cpu: CpuIndex) {
    let mover = search.mover;
    let current = w.sched.cpus[cpu].current;
    let is_thread_of_kernel = |task: TaskIndex| {
        let known = w.numa.tasks.at(task);
        known.is_none_or(|t| t.process == NONE)
    };
    if current != TaskIndex::NONE
        && (is_thread_of_kernel(current) || !w.may_run(current, mover.cpu))
    {
        return;
    }
    let gain = match current {
        TaskIndex::NONE => alone(w, mover, node),
        other => together(w, mover, (other, node)),
    };
    if gain <= search.best.map_or(0, |best| best.gain) {
        return;
    }
    let (here, there) = (running(w, mover.node), running(w, node));
    let cpus = |node: NodeIndex| w.facts.layout.nodes[node.index()].cpus.len() as u64;
    if current == TaskIndex::NONE && here < cpus(mover.node) && there >= cpus(node) {
        return;
    }
    let run_alone = w.sched.nr_running(mover.cpu) == 1 && w.sched.nr_running(cpu) == 1;
    let after = match current {
        TaskIndex::NONE => (there + 1, here.saturating_sub(1)),
        _ => (there, here),
    };
    if !(current != TaskIndex::NONE && run_alone) && is_uneven(after.0, after.1, search.percent) {
        w.record(NumaTooUneven {
            task: mover.task,
            cpu,
            there: after.0 as i64,
            here: after.1 as i64,
            percent: search.percent.saturating_sub(100) as i64,
        });
        return;
    }
    search.best = Some(Best {
        cpu,
        task: current,
        gain,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_inside_a_group_scores_a_sixteenth_less() {
        assert_eq!(inside_group(600 + 700 - 300), 938);
        assert_eq!(inside_group(600 + 100 - 900), -188);
    }

    #[test]
    fn a_node_may_have_twelve_percent_more_load_than_another() {
        assert!(!is_uneven(8192, 8192, 112));
        assert!(!is_uneven(8192, 9175, 112));
        assert!(is_uneven(8192, 9216, 112));
    }
}
