//! When a CPU searches for tasks: when it runs out of them, and at its ticks (kernel/sched/fair.c:
//! `idle_balance`, `rebalance_domains`; 3.7).
//!
//! Modelled: the limit on average idle time, each level's interval, the factor for busy CPUs, the
//! rule that only one CPU of the machine balances a NUMA level at a time.
//! Left out: the time that a search takes: a CPU that runs out of tasks searches within the point
//! at which its task left.
//! Visible difference: a search of many CPUs takes longer in the kernel.
//! Invariants: a CPU that runs out of tasks takes tasks from at most one level.

use super::{Balanced, Idle, Look};
use crate::record::decisions;
use crate::sched::domains::{NEWIDLE, SERIALIZE};
use crate::sched::load::MIGRATION_COST_NS;
use crate::world::World;
use facts::index::{CpuIndex, TaskIndex};

decisions! {
    IdleTooShort { cpu: Cpu, average: Count, least: Count }
        "{cpu} has run out of tasks, but is idle for only {average} ns on average, less than {least}: it does not search for tasks.";
}

impl World {
    /// Searches level by level for a task, when the running CPU has run out of them.
    pub(crate) fn idle_balance(&mut self, cpu: CpuIndex) {
        let now = self.now;
        let c = &mut self.sched.cpus[cpu];
        c.now = c.now.max(now);
        let state = &mut self.sched.balance.cpus[cpu];
        state.idle_since = now;
        let average = state.avg_idle;
        if average < MIGRATION_COST_NS {
            self.record_behind(IdleTooShort {
                cpu,
                average: average as i64,
                least: MIGRATION_COST_NS as i64,
            });
            return;
        }
        for level in 0..self.domains(cpu).len() as u8 {
            let idle = Idle::Newly;
            let newidle = self.domains(cpu)[usize::from(level)].has(NEWIDLE);
            if newidle && self.balance_at_once(Look { cpu, level, idle }) {
                self.sched.balance.cpus[cpu].idle_since = u64::MAX;
                return;
            }
        }
    }

    /// Balances a level in one step. Returns true if a task was moved.
    fn balance_at_once(&mut self, look: Look) -> bool {
        let Ok((busiest, imbalance)) = self.find_busiest(look) else {
            return false;
        };
        let moved = self.move_tasks(look, busiest, imbalance) > 0;
        match moved {
            true => self.have_moved(look),
            false => self.could_not_move(look, busiest),
        }
        moved
    }

    /// The next level of a CPU, from `from` up, that is due at this tick, and why the CPU searches.
    /// `last` is the result of the previous level. Records the level as balanced now.
    pub(in crate::sched) fn next_level(
        &mut self,
        cpu: CpuIndex,
        from: u8,
        last: Option<TaskIndex>,
    ) -> Option<(u8, Idle)> {
        // Another CPU of the group balances that level and the levels above it.
        if last == Some(TaskIndex::new(Balanced::NotOurs as u32)) {
            return None;
        }
        let idle = match self.sched.has_no_task(cpu) {
            true => Idle::Idle,
            false => Idle::Busy,
        };
        let levels = self.domains(cpu).len() as u8;
        let level = (from..levels).find(|&level| self.level_is_due(Look { cpu, level, idle }))?;
        let jiffies = self.jiffies();
        self.level(Look { cpu, level, idle }).last = jiffies;
        if self.domains(cpu)[usize::from(level)].has(SERIALIZE) {
            let until = self.now + u64::from(self.facts.cost.timer_tick);
            self.sched.balance.serialized_until = until;
        }
        Some((level, idle))
    }

    /// Is a level due, and does no other CPU balance a serialized level now?
    fn level_is_due(&self, look: Look) -> bool {
        let domain = &self.domains(look.cpu)[usize::from(look.level)];
        let state = &self.sched.balance.cpus[look.cpu].levels;
        let state = &state[usize::from(look.level)];
        let busy = if look.idle == Idle::Busy {
            domain.busy_factor
        } else {
            1
        };
        let hz = u64::from(self.facts.hz);
        let most = (hz * self.sched.cpus.len() as u64 / 10).max(1);
        let jiffies = (u64::from(state.interval_ms * busy) * hz).div_ceil(1000);
        let is_free = self.now >= self.sched.balance.serialized_until;
        let is_time = self.jiffies() >= state.last + jiffies.clamp(1, most);
        is_time && (is_free || !domain.has(SERIALIZE))
    }
}
