//! Pushing a running task to another CPU (kernel/sched/fair.c: `need_active_balance`,
//! `active_load_balance_cpu_stop`; 3.7).
//!
//! Modelled: after too many failures in a row the CPU that searches for tasks asks the busiest CPU
//! to push its running task. That CPU's interrupt does so, if the task may leave the CPU.
//! Left out: the stopper thread, and its choice among the waiting tasks: here the running task
//! goes.
//! Visible difference: there is no migration/N among the tasks.
//! Invariants: a CPU has at most one pending push; a task that may not run on the target CPU is not
//! pushed.

use super::{Idle, Look};
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, TaskIndex};

decisions! {
    PushAsked { cpu: Cpu, busiest: Cpu, failed: Count }
        "{cpu} has failed {failed time} to take a waiting task: it asks {busiest} to push its running task.";
    Pushed { task: Task, cpu: Cpu }
        "{task} is moved from its CPU to {cpu} while it runs.";
}

impl World {
    /// Handles a search that could move no task of the busiest queue. After a search at a tick this
    /// counts as a failure; after too many failures, the running task is pushed.
    pub(super) fn could_not_move(&mut self, look: Look, busiest: CpuIndex) {
        let domain = &self.domains(look.cpu)[usize::from(look.level)];
        let (tries, least) = (domain.cache_nice_tries, domain.min_ms);
        self.level(look).failed += u32::from(look.idle != Idle::Newly);
        let failed = self.level(look).failed;
        // v17 pushes immediately.
        let at_once = self.has_rounds(look);
        let most = if at_once { 0 } else { tries + 2 };
        self.tell(
            look.idle,
            super::BalanceFailed {
                cpu: look.cpu,
                level: look.level.into(),
                failed: failed.into(),
                most: most.into(),
            },
        );
        if look.idle == Idle::Newly || failed <= most {
            self.level(look).interval_ms = least;
            return;
        }
        let current = self.sched.cpus[busiest].current;
        let is_kept =
            self.numa.on && current != TaskIndex::NONE && self.is_kept(look, current, busiest);
        if is_kept || current != TaskIndex::NONE && !self.may_run(current, look.cpu) {
            return self.look_less_often(look, true);
        }
        self.level(look).failed = tries + 1;
        if self.sched.is_to_push(busiest) {
            self.level(look).interval_ms = least;
            return;
        }
        self.ask_to_push(busiest, TaskIndex::NONE, look.cpu);
        self.record(PushAsked {
            cpu: look.cpu,
            busiest,
            failed: failed.into(),
        });
        self.look_less_often(look, false);
    }

    /// Asks a CPU to push its running task to another CPU: this task, or with [`NONE`] whichever
    /// task runs then. The CPU must not have a pending push
    /// ([`Sched::is_to_push`](crate::sched::Sched::is_to_push)).
    pub(crate) fn ask_to_push(&mut self, cpu: CpuIndex, task: TaskIndex, to: CpuIndex) {
        let state = &mut self.sched.balance.cpus[cpu];
        debug_assert_eq!(state.push_to, CpuIndex::NONE, "one push at a time");
        (state.push_to, state.push_task) = (to, task);
        let stopper = self.sched.cpus[cpu].irq_task;
        self.interrupt_at(cpu, stopper, self.now);
    }

    /// Pushes the running task of a CPU, in its interrupt.
    pub(in crate::sched) fn push(&mut self, cpu: CpuIndex) {
        self.spend(self.facts.cost.context_switch);
        let state = &mut self.sched.balance.cpus[cpu];
        let to = std::mem::replace(&mut state.push_to, CpuIndex::NONE);
        let asked = std::mem::replace(&mut state.push_task, TaskIndex::NONE);
        let current = self.sched.cpus[cpu].current;
        let is_other = asked != TaskIndex::NONE && asked != current;
        let is_vetoed = asked == TaskIndex::NONE
            && current != TaskIndex::NONE
            && self.converged_elsewhere(current, to).is_some();
        if is_other
            || is_vetoed
            || to == CpuIndex::NONE
            || current == TaskIndex::NONE
            || !self.may_run(current, to)
        {
            return;
        }
        let task = self.sched.interrupt_current(cpu);
        self.record(Pushed { task, cpu: to });
        let at = self.now + u64::from(self.facts.cost.wake_to_run);
        self.move_task(Idle::Busy, task, cpu, to, at);
    }
}
