//! The CPU time that each task used in a range, in user mode and in the kernel.
//!
//! Modelled: `utime` and `stime` of /proc/PID/stat, exact instead of sampled by ticks.
//! Left out: time of interrupts, which belongs to no task.
//! Invariants: the user time of all tasks is the user time of all CPUs.

use mm::index::{IndexVec, TaskIndex};
use mm::machine::Machine;
use serde::Serialize;

/// CPU time of one task, ns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CpuTime {
    /// The task.
    pub task: String,
    /// Time in user mode.
    pub user_ns: u64,
    /// Time in the kernel, excluding interrupts.
    pub kernel_ns: u64,
}

/// The CPU times of all tasks at a moment.
#[derive(Debug, Clone)]
pub struct CpuTimes {
    now: u64,
    /// Of each task: user mode and kernel, ns.
    tasks: IndexVec<TaskIndex, (u64, u64)>,
}

impl CpuTimes {
    /// The times up to the present.
    pub fn of(machine: &Machine) -> CpuTimes {
        let w = &machine.w;
        let times = |task: TaskIndex| {
            let user = w.sched.user_time(task);
            let all = w.sched.cpu_time(task, (w.cpu, w.now));
            (user, all.saturating_sub(user))
        };
        CpuTimes {
            now: w.now,
            tasks: machine.tasks.indices().map(times).collect(),
        }
    }

    /// Length of the range since `before`, ns.
    pub fn length_since(&self, before: &CpuTimes) -> u64 {
        self.now - before.now
    }

    /// The tasks that used CPU time since `before`. The task that used most is first.
    pub fn since(&self, before: &CpuTimes, name: &dyn Fn(TaskIndex) -> String) -> Vec<CpuTime> {
        let mut rows = Vec::new();
        for (id, &(user, kernel)) in self.tasks.entries() {
            let then = before.tasks.at(id).copied().unwrap_or((0, 0));
            let row = CpuTime {
                task: name(id),
                user_ns: user.saturating_sub(then.0),
                kernel_ns: kernel.saturating_sub(then.1),
            };
            if row.user_ns + row.kernel_ns > 0 {
                rows.push(row);
            }
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.user_ns + row.kernel_ns));
        rows
    }
}
