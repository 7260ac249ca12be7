//! Run queues by virtual runtime (kernel/sched/fair.c).
//!
//! Modelled: the task that ran least runs next; a task that wakes preempts one that ran much more;
//! a sleeper gets a bonus of half a latency.
//! Left out: priorities and groups.

use super::load::Balancing;
use super::{ByTask, Cpu, LATENCY_NS, Sched, WAKEUP_GRANULARITY_NS, factor};
use facts::index::{CpuIndex, TaskIndex};

impl Cpu {
    /// All tasks that wait or run here.
    pub fn runnable(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        self.queue
            .iter()
            .copied()
            .chain((self.current != TaskIndex::NONE).then_some(self.current))
    }

    /// Index in the queue of the task that ran least.
    pub(super) fn least(&self, vruntime: &ByTask) -> usize {
        let least = (0..self.queue.len()).min_by_key(|&i| (vruntime[self.queue[i]], self.queue[i]));
        least.unwrap_or(0)
    }
}

impl Sched {
    /// Puts a task on its CPU's queue; an idle CPU starts the task no earlier than `at`. A task
    /// that ran much less than the current one will preempt it (`enqueue_entity`, `place_entity`,
    /// `check_preempt_wakeup`).
    pub fn enqueue(&mut self, task: TaskIndex, cpu: CpuIndex, at: u64, running_on: CpuIndex) {
        let factor = self.factor();
        for list in [&mut self.vruntime, &mut self.ran, &mut self.in_user] {
            list.grow_to(task, || 0);
        }
        let c = &mut self.cpus[cpu];
        if c.is_idle() {
            c.idle_until(at);
        }
        // A sleeper gets a bonus of half a latency, not all the time it slept.
        let floor = c.min_vruntime.saturating_sub(LATENCY_NS * factor / 2);
        self.vruntime[task] = self.vruntime[task].max(floor);
        c.queue.push(task);
        if c.current != TaskIndex::NONE {
            let ran = c.now.max(at).saturating_sub(c.since);
            let current = self.vruntime[c.current] + ran;
            let gran = WAKEUP_GRANULARITY_NS * factor;
            c.resched |= current > self.vruntime[task] + gran;
        }
        let key = c.key();
        self.note(cpu, key);
        if cpu != running_on {
            self.other = self.other.min((self.cpus[cpu].now, cpu));
        }
    }

    /// Removes the running task from `cpu` at `now`.
    pub fn leave(&mut self, cpu: CpuIndex, now: u64) {
        let c = &mut self.cpus[cpu];
        if c.irq != TaskIndex::NONE {
            // The interrupted task did not run during the interrupt.
            c.since += now - c.irq_since;
            c.irq = TaskIndex::NONE;
            return;
        }
        if c.current != TaskIndex::NONE {
            let ran = now.saturating_sub(c.since);
            self.vruntime[c.current] += ran;
            self.ran[c.current] += ran;
            self.in_user[c.current] += c.take_user();
            self.balance.left(c.current, now);
        }
        c.current = TaskIndex::NONE;
    }
}

/// Gives a CPU to the task that ran least, if the current turn is over (`pick_next_entity`,
/// `check_preempt_tick`).
pub(super) fn choose(
    c: &mut Cpu,
    [vruntime, ran, in_user]: [&mut ByTask; 3],
    balance: &mut Balancing,
    tick_ns: u64,
    cpus: usize,
    switch_ns: u32,
) {
    if c.queue.is_empty() {
        c.resched = false;
        return;
    }
    let factor = factor(cpus);
    if c.current != TaskIndex::NONE {
        if !c.resched && !c.turn_is_over(vruntime, tick_ns, factor) {
            return;
        }
        let since = c.now.saturating_sub(c.since);
        vruntime[c.current] += since;
        ran[c.current] += since;
        in_user[c.current] += c.take_user();
        balance.left(c.current, c.now);
        c.queue.push(c.current);
    }
    c.resched = false;
    let next = c.queue.swap_remove(c.least(vruntime));
    c.min_vruntime = c.min_vruntime.max(vruntime[next]);
    if next != c.current {
        c.now += u64::from(switch_ns);
    }
    (c.current, c.since) = (next, c.now);
}
