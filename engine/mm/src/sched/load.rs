//! Loads of CPUs, and the state of load balancing (kernel/sched/core.c: `update_cpu_load`).
//!
//! Modelled: a runnable task counts as a load of 1024 on its CPU; the current load (index 0), and
//! one that follows it slowly, tick by tick (index 3); the average idle period of a CPU; when each
//! task last left a CPU; the CPUs a task may run on. Left out: indices 1 and 2, which the kernel
//! compares on idle CPUs and inside a node: here the current load is compared there. Weights,
//! groups, the load of interrupts. Visible difference: how soon a CPU notices a short burst.
//! `source_load` of index 3 reads `cpu_load[2]`, which changes by a quarter per tick, not by an
//! eighth as here. Invariants: this state is empty on a machine without load balancing; a task's
//! load is on one CPU.

use super::Sched;
use super::domains::Domains;
use facts::index::{CpuIndex, IndexVec, NodeIndex, TaskIndex};
use facts::state::State;

/// Load of a runnable task (`NICE_0_LOAD`), and power of a CPU (`SCHED_POWER_SCALE`).
pub const TASK_LOAD: u64 = 1024;
/// `sysctl_sched_migration_cost`, ns: a task that ran more recently is cache-hot, and a CPU with a shorter
/// average idle period takes no task.
pub const MIGRATION_COST_NS: u64 = 500_000;

/// State of one level of one CPU (part of `struct sched_domain`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct LevelState {
    /// When the level was last balanced, in jiffies.
    pub last: u64,
    /// Interval to the next balancing, ms.
    pub interval_ms: u32,
    /// Number of failures in a row to move a task.
    pub failed: u32,
}

/// Load balancing state of a CPU (part of `struct rq`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct CpuState {
    /// Slow load (index 3).
    pub slow_load: u64,
    /// Average idle period, ns (`avg_idle`).
    pub avg_idle: u64,
    /// When the CPU ran out of tasks, ns; `u64::MAX` while it has a task, or if it always had one
    /// (`idle_stamp`).
    #[state(rest = u64::MAX)]
    pub idle_since: u64,
    /// State of the CPU's levels, the innermost first.
    pub levels: Vec<LevelState>,
    /// The CPU to which the running task must be pushed, `CpuIndex::NONE` for none (`push_cpu`).
    #[state(rest = CpuIndex::NONE)]
    pub push_to: CpuIndex,
    /// The task to push, [`NONE`] for whichever runs.
    #[state(rest = TaskIndex::NONE)]
    pub push_task: TaskIndex,
}

/// State of load balancing.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Balancing {
    /// State of each CPU.
    pub cpus: IndexVec<CpuIndex, CpuState>,
    /// When each task last left a CPU, ns; 0 for a task that never ran (`exec_start`).
    pub left_at: IndexVec<TaskIndex, u64>,
    /// The CPU mask of each task, by its number in [`crate::world::Facts::cpu_masks`] + 1; 0 for a
    /// task without a mask.
    pub allowed: IndexVec<TaskIndex, u16>,
    /// Tasks moved in this point, with their new CPUs; the machine records them after the point.
    pub moved: Vec<(TaskIndex, CpuIndex)>,
    /// End of the current balancing of a serialized level, ns.
    pub serialized_until: u64,
}

impl Balancing {
    /// The state at boot, for these levels and the node of each CPU.
    pub fn new(domains: &Domains, node_of_cpu: &[NodeIndex]) -> Self {
        let cpus = node_of_cpu.iter().map(|&node| CpuState {
            slow_load: 0,
            avg_idle: 2 * MIGRATION_COST_NS,
            idle_since: u64::MAX,
            levels: domains
                .of_node(node)
                .iter()
                .map(|domain| LevelState {
                    last: 0,
                    interval_ms: domain.min_ms,
                    failed: 0,
                })
                .collect(),
            push_to: CpuIndex::NONE,
            push_task: TaskIndex::NONE,
        });
        Self {
            cpus: cpus.collect(),
            ..Self::default()
        }
    }

    /// Limits a task to the CPUs of this mask.
    pub fn allow(&mut self, task: TaskIndex, mask: u16) {
        *self.allowed.grow_to(task, || 0) = mask + 1;
    }

    /// The mask of a task.
    pub fn mask_of(&self, task: TaskIndex) -> Option<u16> {
        self.allowed.at(task)?.checked_sub(1)
    }

    /// Has a task ever run?
    pub fn has_run(&self, task: TaskIndex) -> bool {
        self.left_at.at(task).is_some_and(|&at| at > 0)
    }

    /// Time since a task last ran, ns; `u64::MAX` if it never ran.
    pub fn since_it_ran(&self, task: TaskIndex, now: u64) -> u64 {
        match self.left_at.at(task) {
            Some(&at) if at > 0 => now.saturating_sub(at),
            _ => u64::MAX,
        }
    }

    /// Records when a task leaves its CPU. Stores nothing on a machine without load balancing.
    #[inline]
    pub(super) fn left(&mut self, task: TaskIndex, at: u64) {
        if self.cpus.is_empty() {
            return;
        }
        *self.left_at.grow_to(task, || 0) = at;
    }

    /// Adds the idle period of a CPU to its average when a task is woken there (`ttwu_do_wakeup`).
    pub(super) fn woken_on(&mut self, cpu: CpuIndex, at: u64) {
        let Some(c) = self.cpus.at_mut(cpu) else {
            return;
        };
        let since = std::mem::replace(&mut c.idle_since, u64::MAX);
        if since == u64::MAX {
            return;
        }
        let (idle, most) = (at.saturating_sub(since), 2 * MIGRATION_COST_NS);
        c.avg_idle = if idle > most {
            most
        } else {
            averaged(c.avg_idle, idle)
        };
    }
}

/// An average moved by an eighth of the difference to a new value, rounded down (`update_avg`).
fn averaged(average: u64, new: u64) -> u64 {
    if new >= average {
        average + (new - average) / 8
    } else {
        average - (average - new).div_ceil(8)
    }
}

/// The slow load after a tick: seven eighths of the old value plus one eighth of the load `now`, rounded up
/// when it rises.
pub(super) fn slow_load(old: u64, now: u64) -> u64 {
    let rounding = if now > old { 7 } else { 0 };
    (7 * old + now + rounding) / 8
}

impl Sched {
    /// Number of tasks that run or wait on a CPU (`nr_running`).
    pub fn nr_running(&self, cpu: CpuIndex) -> u64 {
        let c = &self.cpus[cpu];
        c.queue.len() as u64 + u64::from(c.current != TaskIndex::NONE)
    }

    /// Does a CPU have no task? A CPU without a task may be handling an interrupt (`idle_cpu`).
    pub fn has_no_task(&self, cpu: CpuIndex) -> bool {
        self.nr_running(cpu) == 0
    }

    /// Current load of a CPU.
    pub fn load(&self, cpu: CpuIndex) -> u64 {
        self.nr_running(cpu) * TASK_LOAD
    }

    /// Was a CPU asked to push its running task to another?
    pub fn is_to_push(&self, cpu: CpuIndex) -> bool {
        let c = self.balance.cpus.at(cpu);
        c.is_some_and(|c| c.push_to != CpuIndex::NONE)
    }

    /// Slow load of a CPU.
    pub fn slow_load(&self, cpu: CpuIndex) -> u64 {
        let c = self.balance.cpus.at(cpu);
        c.map_or(0, |c| c.slow_load)
    }
}

#[cfg(test)]
impl Balancing {
    /// Fills every list, so that tests can change each field.
    pub(crate) fn fill(&mut self) {
        let levels = vec![LevelState::default()];
        self.cpus.push(CpuState {
            slow_load: 0,
            avg_idle: 0,
            idle_since: u64::MAX,
            levels,
            push_to: CpuIndex::NONE,
            push_task: TaskIndex::NONE,
        });
        self.left_at.push(0);
        self.allowed.push(0);
        self.moved.push((TaskIndex::new(0), CpuIndex::new(0)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_load_approaches_the_load_by_an_eighth_per_update_and_rounds_increases_up() {
        assert_eq!(slow_load(0, 1024), 128);
        assert_eq!(slow_load(128, 1024), 240);
        assert_eq!(slow_load(240, 1024), 338);
        assert_eq!(slow_load(1024, 0), 896);
        assert_eq!(slow_load(1017, 1024), 1018);
        assert_eq!(slow_load(1023, 1024), 1024, "it reaches the load");
        assert_eq!(slow_load(1024, 1024), 1024);
        assert_eq!(slow_load(1, 0), 0);
    }

    #[test]
    fn average_idle_time_changes_by_an_eighth_per_update_and_is_capped_at_one_millisecond() {
        let mut b = Balancing::new(&Domains::default(), &[NodeIndex::new(0)]);
        assert_eq!(b.cpus[CpuIndex::new(0)].avg_idle, 1_000_000);
        b.woken_on(CpuIndex::new(0), 5);
        assert_eq!(
            b.cpus[CpuIndex::new(0)].avg_idle,
            1_000_000,
            "it was not idle"
        );
        b.cpus[CpuIndex::new(0)].idle_since = 0;
        b.woken_on(CpuIndex::new(0), 200_000);
        assert_eq!(b.cpus[CpuIndex::new(0)].avg_idle, 900_000);
        assert_eq!(b.cpus[CpuIndex::new(0)].idle_since, u64::MAX);
        b.cpus[CpuIndex::new(0)].idle_since = 1_000_000;
        b.woken_on(CpuIndex::new(0), 9_000_000);
        assert_eq!(b.cpus[CpuIndex::new(0)].avg_idle, 1_000_000);
    }
}
