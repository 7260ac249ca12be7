//! The tick: whose turn is over (kernel/sched/fair.c).
//!
//! Modelled: turns shrink as more tasks wait, and end with a tick.
//! Left out: a tick as a step of its own: whether one has ended a turn is computed when the CPU makes
//! room.

use super::{Cpu, LATENCY_NS, MIN_GRANULARITY_NS};

impl Cpu {
    /// At its last tick, had `current` run for longer than its turn, or got further than that ahead
    /// of the task that ran least (`check_preempt_tick`)? Nobody looks between ticks.
    pub(super) fn turn_is_over(&self, vruntime: &[u64], tick_ns: u64, factor: u64) -> bool {
        let tick = self.now - self.now % tick_ns;
        let ran = tick.saturating_sub(self.since);
        if ran < MIN_GRANULARITY_NS * factor {
            return false;
        }
        let least = vruntime[self.queue[self.least(vruntime)] as usize];
        let ahead = (vruntime[self.current as usize] + ran).saturating_sub(least);
        ran.max(ahead) > self.turn(factor)
    }

    /// How long `current` may run while others wait (`sched_slice`).
    fn turn(&self, factor: u64) -> u64 {
        let tasks = self.queue.len() as u64 + 1;
        (LATENCY_NS / tasks).max(MIN_GRANULARITY_NS) * factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Two tasks of one CPU at 250 ticks a second, one of which began to run at `since`.
    fn shared(since: u64) -> Cpu {
        let mut c = Cpu::new();
        (c.current, c.since) = (0, since);
        c.queue.push(1);
        c
    }

    /// With two tasks a turn is 3 ms, and the tick that finds it over comes every 4.
    #[test]
    fn a_turn_ends_with_the_tick_that_finds_it_over() {
        let is_over = |since: u64, now: u64, vruntime: [u64; 2]| {
            let mut c = shared(since);
            c.now = now;
            c.turn_is_over(&vruntime, 4 * MS, 1)
        };
        assert!(!is_over(0, 4 * MS - 1, [0, 0]));
        assert!(is_over(0, 4 * MS, [0, 0]));
        // 2 ms at the first tick after 10 ms, 6 at the next.
        assert!(!is_over(10 * MS, 12 * MS, [0, 0]));
        assert!(!is_over(10 * MS, 15 * MS, [0, 0]));
        assert!(is_over(10 * MS, 16 * MS, [0, 0]));
        // Or when it is further ahead than a turn, but not in its first 0.75 ms.
        assert!(is_over(10 * MS, 12 * MS, [2 * MS, 0]));
        assert!(!is_over(11_500_000, 12 * MS, [9 * MS, 0]));
    }
}
