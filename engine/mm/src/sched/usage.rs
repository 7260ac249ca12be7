//! What the page displays of a CPU: the tasks that wait for it, the interrupt it handles, and how
//! its time was used.
//!
//! Modelled: nothing; the code only reads.
//! Invariants: the times of a CPU add up to its clock, or to the current time if the CPU is idle
//! and behind.

use super::{Cpu, Sched};
use facts::index::{CpuIndex, TaskIndex};

/// How a CPU has used its time since boot, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    /// Time in user mode.
    pub user: u64,
    /// Time in kernel mode, including interrupts.
    pub kernel: u64,
    /// Idle time while no task waits for I/O.
    pub idle: u64,
    /// Idle time while a task that ran here waits for I/O.
    pub iowait: u64,
}

impl Cpu {
    /// The pseudo task whose interrupt the CPU handles, if any.
    pub fn handler(&self) -> Option<TaskIndex> {
        (self.irq != TaskIndex::NONE).then_some(self.irq)
    }

    /// Time in user mode that was not counted for a task yet, ns. The caller adds it to the current
    /// task.
    pub(super) fn take_user(&mut self) -> u64 {
        let since = self.usage.user - self.user_counted;
        self.user_counted = self.usage.user;
        since
    }
}

impl Sched {
    /// The part of a task's CPU time that it spent in user mode, ns (`utime`). The rest of
    /// [`Sched::cpu_time`] is time in the kernel (`stime`).
    pub fn user_time(&self, task: TaskIndex) -> u64 {
        let before = self.in_user.at(task).copied().unwrap_or(0);
        let current = self.cpus.iter().find(|cpu| cpu.current == task);
        before + current.map_or(0, |cpu| cpu.usage.user - cpu.user_counted)
    }

    /// Runnable tasks that wait for a CPU, in the order in which they would run if nothing else happened: the
    /// task that ran least is first.
    pub fn waiting(&self, cpu: CpuIndex) -> Vec<TaskIndex> {
        let mut waiting = self.cpus[cpu].queue.clone();
        waiting.sort_by_key(|&task| (self.vruntime[task], task));
        waiting
    }

    /// How a CPU has used its time up to now; `running` is the running CPU and its time. The clock
    /// of an idle CPU stands still, so its idle time is extended to the current time.
    pub fn used(&self, cpu: CpuIndex, running: (CpuIndex, u64)) -> Used {
        let c = &self.cpus[cpu];
        let mut usage = c.usage;
        let mut now = c.now;
        if c.is_idle() || cpu == running.0 {
            now = now.max(running.1);
        }
        if c.is_idle() {
            let gap = now - c.now;
            *(match c.nr_iowait {
                0 => &mut usage.idle,
                _ => &mut usage.iowait,
            }) += gap;
        }
        let elsewhere = usage.user + usage.idle + usage.iowait;
        Used {
            user: usage.user,
            kernel: now.saturating_sub(elsewhere),
            idle: usage.idle,
            iowait: usage.iowait,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_tasks_are_ordered_by_run_time_then_by_number() {
        let mut sched = Sched::new(2, 250);
        sched.vruntime = vec![30, 10, 20, 10].into();
        sched.cpus[CpuIndex::new(1)].queue = [0, 3, 2, 1].map(TaskIndex::new).to_vec();
        assert_eq!(
            sched.waiting(CpuIndex::new(1)),
            [1, 3, 2, 0].map(TaskIndex::new)
        );
        assert!(sched.waiting(CpuIndex::new(0)).is_empty());
    }

    #[test]
    fn accounts_idle_cpus_up_to_now_and_busy_cpus_up_to_their_own_clock() {
        let mut sched = Sched::new(3, 250);
        sched.cpus[CpuIndex::new(0)].now = 100;
        sched.cpus[CpuIndex::new(0)].current = TaskIndex::new(7);
        sched.cpus[CpuIndex::new(0)].usage.user = 60;
        sched.cpus[CpuIndex::new(1)].now = 40;
        sched.cpus[CpuIndex::new(1)].usage.idle = 30;
        sched.cpus[CpuIndex::new(2)].nr_iowait = 1;
        let used = |cpu| {
            let Used {
                user,
                kernel,
                idle,
                iowait,
            } = sched.used(cpu, (CpuIndex::new(0), 120));
            [user, kernel, idle, iowait]
        };
        assert_eq!(used(CpuIndex::new(0)), [60, 60, 0, 0]);
        assert_eq!(used(CpuIndex::new(1)), [0, 10, 110, 0]);
        assert_eq!(used(CpuIndex::new(2)), [0, 0, 0, 120]);
    }
}
