//! Ticks, which end the turn of a running task (kernel/sched/fair.c).
//!
//! Modelled: turns get shorter as more tasks wait, and end with a tick. On machines with ticks
//! ([`crate::world::Facts::ticks`]) each tick is a step of its CPU, at a multiple of a jiffy, while
//! a process lives. It updates loads and ends turns.
//! Left out: ticks as steps on other machines, which compute at a reschedule whether a tick has
//! ended the turn. Ticks that stop on idle CPUs (NO_HZ). Ticks lost under a lock arrive as one.
//! Visible difference: an idle CPU of a real machine has no ticks.

use super::load::slow_load;
use super::{ByTask, Cpu, LATENCY_NS, MIN_GRANULARITY_NS, Sched};
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, TaskIndex};

decisions! {
    TurnOver { task: Task, cpu: Cpu, waiting: Count, ran: Count }
        "{task} has run on {cpu} for {ran} ns while {waiting task} waited: its turn is over.";
}

impl Cpu {
    /// Was the turn of `current` over at its last tick (`check_preempt_tick`)? A turn is over after
    /// its length, or when the task is more than that length ahead of the task that ran least.
    /// Turns end only at ticks.
    pub(super) fn turn_is_over(&self, vruntime: &ByTask, tick_ns: u64, factor: u64) -> bool {
        let tick = self.now - self.now % tick_ns;
        let ran = tick.saturating_sub(self.since);
        self.is_spent(vruntime, ran, factor)
    }

    /// Is the turn of `current` over after it has run for `ran`, while other tasks wait?
    fn is_spent(&self, vruntime: &ByTask, ran: u64, factor: u64) -> bool {
        if ran < MIN_GRANULARITY_NS * factor {
            return false;
        }
        let least = vruntime[self.queue[self.least(vruntime)]];
        let ahead = (vruntime[self.current] + ran).saturating_sub(least);
        ran.max(ahead) > self.turn(factor)
    }

    /// How long `current` may run while others wait (`sched_slice`).
    fn turn(&self, factor: u64) -> u64 {
        let tasks = self.queue.len() as u64 + 1;
        (LATENCY_NS / tasks).max(MIN_GRANULARITY_NS) * factor
    }
}

impl Sched {
    /// Updates the clock and loads of a CPU's queue at a tick, in its interrupt. Returns the running task,
    /// and its run time in ns if its turn is over.
    fn tick(&mut self, cpu: CpuIndex) -> (TaskIndex, Option<u64>) {
        let factor = self.factor();
        let now = self.load(cpu);
        if let Some(state) = self.balance.cpus.at_mut(cpu) {
            state.slow_load = slow_load(state.slow_load, now);
        }
        let c = &mut self.cpus[cpu];
        let Some(&current) = self.vruntime.at(c.current) else {
            return (TaskIndex::NONE, None);
        };
        let ran = c.irq_since.saturating_sub(c.since);
        let queued = c.queue.iter().map(|&t| self.vruntime[t]);
        let least = queued.fold(current + ran, u64::min);
        c.min_vruntime = c.min_vruntime.max(least);
        let is_over = !c.queue.is_empty() && c.is_spent(&self.vruntime, ran, factor);
        c.resched |= is_over;
        (c.current, is_over.then_some(ran))
    }

    /// Is any process alive?
    fn has_users(&self) -> bool {
        self.cpus.iter().any(|c| c.placed > 0)
    }

    /// Sets the next tick of each CPU that has none, to the next multiple of `tick_ns`, ns.
    pub fn start_ticks(&mut self, now: u64, tick_ns: u64) {
        for cpu in CpuIndex::all(self.cpus.len()) {
            let c = &self.cpus[cpu];
            let (timer, now) = (c.irq_task, c.now.max(now));
            if !c.timers.iter().any(|&(_, task)| task == timer) {
                self.sleep_until(timer, cpu, (now / tick_ns + 1) * tick_ns);
            }
        }
    }
}

impl World {
    /// The tick of a CPU (`scheduler_tick`), in its interrupt.
    pub(super) fn scheduler_tick(&mut self, cpu: CpuIndex) {
        self.spend(self.facts.cost.timer_tick);
        let (current, over) = self.sched.tick(cpu);
        if current != TaskIndex::NONE {
            self.task_tick(cpu, current, over);
        }
        if self.sched.has_users() {
            let (next, timer) = (
                self.jiffy_ns(self.jiffies() + 1),
                self.sched.cpus[cpu].irq_task,
            );
            self.sched.sleep_until(timer, cpu, next);
        }
    }

    /// Handles a tick for the running task of a CPU (`task_tick_fair`). `over` is its run time if its turn is
    /// over.
    fn task_tick(&mut self, cpu: CpuIndex, task: TaskIndex, over: Option<u64>) {
        crate::numa::tick::task_tick_numa(self, task);
        crate::numa::converge::tick(self, task, cpu);
        if let Some(ran) = over {
            self.record(TurnOver {
                task,
                cpu,
                waiting: self.sched.nr_running(cpu) as i64 - 1,
                ran: ran as i64,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Two tasks on one CPU; the current one has run since `since`.
    fn shared(since: u64) -> Cpu {
        let mut c = Cpu::new();
        (c.current, c.since) = (TaskIndex::new(0), since);
        c.queue.push(TaskIndex::new(1));
        c
    }

    /// With two tasks a time slice lasts 3 ms, and ticks occur every 4 ms.
    #[test]
    fn a_time_slice_ends_at_the_first_tick_after_its_length() {
        let is_over = |since: u64, now: u64, vruntime: [u64; 2]| {
            let mut c = shared(since);
            c.now = now;
            c.turn_is_over(&vruntime.to_vec().into(), 4 * MS, 1)
        };
        assert!(!is_over(0, 4 * MS - 1, [0, 0]));
        assert!(is_over(0, 4 * MS, [0, 0]));
        // A task that starts at 10 ms has run for 2 ms at the first tick and for 6 ms at the next.
        assert!(!is_over(10 * MS, 12 * MS, [0, 0]));
        assert!(!is_over(10 * MS, 15 * MS, [0, 0]));
        assert!(is_over(10 * MS, 16 * MS, [0, 0]));
        // A time slice also ends if the task is more than a slice ahead, but not in its first 0.75 ms.
        assert!(is_over(10 * MS, 12 * MS, [2 * MS, 0]));
        assert!(!is_over(11_500_000, 12 * MS, [9 * MS, 0]));
    }
}
