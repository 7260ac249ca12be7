//! Tasks change CPUs: passes the scheduler's decisions on to the tasks.
//!
//! Modelled: the CPU on which a new and a woken task starts, on machines that balance; a CPU that
//! runs out of tasks; moves that are granted after the point that made them.
//! Left out: the second choice of a CPU when a new task starts its program (`sched_exec`).
//! Invariants: a task's CPU changes in the same step as the queues.

use crate::machine::{Machine, TaskKind};
use crate::sched::balance::SchedMigrateTask;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

impl Machine {
    /// The CPU on which a new task starts. `counted` is the CPU with the fewest tasks. It is used
    /// for a task that starts later, or on a machine that does not balance.
    pub(super) fn begin_on(&mut self, counted: CpuIndex, at: u64) -> CpuIndex {
        let w = &mut self.w;
        if !w.facts.balances || at > w.now {
            return counted;
        }
        w.place_new(TaskIndex::new(self.tasks.len() as u32))
    }

    /// If ticks are steps, they begin when the first task of the workload is created.
    pub(super) fn start_ticks(&mut self) {
        let w = &mut self.w;
        if w.sched.has_ticks() {
            let tick_ns = w.jiffy_ns(1);
            w.sched.start_ticks(w.now, tick_ns);
        }
    }

    /// Wakes a task on the CPU chosen for it (`try_to_wake_up`); a task that never ran is placed like a
    /// new one.
    pub(super) fn wake_balanced(&mut self, id: TaskIndex) {
        let w = &mut self.w;
        let task = &mut self.tasks[id];
        let (kind, from) = (task.kind, task.cpu);
        let is_user = matches!(kind, TaskKind::User { .. });
        let to = if is_user && w.sched.balance.has_run(id) && w.may_run(id, from) {
            w.place_waking(id, from)
        } else if is_user {
            w.place_new(id)
        } else {
            let node = w.facts.node_of_cpu[from];
            let of_node = |n: NodeIndex| w.facts.layout.nodes[n.index()].cpus.iter().copied();
            let placed = w.sched.place_woken(kind, from, node, of_node);
            placed.unwrap_or(from)
        };
        if to != from {
            if is_user {
                w.sched.unsettle(from);
                w.sched.settle(to);
            }
            task.cpu = to;
            crate::numa::preferred::changed_cpu(w, id, from, to);
            w.sched.carry(id, from, to);
            w.record_behind(SchedMigrateTask {
                task: id,
                orig_cpu: from,
                dest_cpu: to,
            });
        }
        let mut at = w.now;
        if to != w.cpu {
            at += u64::from(w.facts.cost.wake_to_run);
        }
        w.sched.woken(to, at);
        self.run_woken(id, to, at);
    }

    /// Records the new CPU of each task that the balancer moved.
    pub(super) fn note_moves(&mut self) {
        let w = &mut self.w;
        for (id, to) in std::mem::take(&mut w.sched.balance.moved) {
            let task = &mut self.tasks[id];
            if matches!(task.kind, TaskKind::User { .. }) {
                w.sched.unsettle(task.cpu);
                w.sched.settle(to);
            }
            let from = std::mem::replace(&mut task.cpu, to);
            crate::numa::preferred::changed_cpu(w, id, from, to);
        }
    }

    /// The running task has left: if no other task waits for the CPU, the CPU pulls one from
    /// another CPU.
    #[inline(never)]
    pub(super) fn newly_idle(&mut self) {
        let w = &mut self.w;
        let kind = self.tasks[w.task].kind;
        let is_interrupt = matches!(kind, TaskKind::Timer { .. } | TaskKind::Device { .. });
        let cpu = w.cpu;
        if is_interrupt || !w.sched.has_no_task(cpu) {
            return;
        }
        w.idle_balance(cpu);
        if w.sched.attention {
            self.grant();
        }
    }
}
