//! Pressure stall information (kernel/sched/psi.c), simplified.
//!
//! Modelled: averages over 10, 60 and 300 seconds, renewed every two seconds and one tick; the
//! total. `some` counts while a task of the cgroup stalls for memory, `full` while all of its
//! living tasks do.
//! Left out: weighting CPUs by their load. A kernel counts `full` while no task that does not stall
//! is running or runnable, so it also counts while the others sleep.
//! Visible difference: `full` is lower in a cgroup some of whose tasks sleep.
//! Invariants: a total never falls; an average is at most 100 %.

use facts::state::State;

/// Number of fraction bits of an average, which is a percentage.
const SHIFT: u32 = 11;
/// The number 1 in this format.
const ONE: u64 = 1 << SHIFT;
/// Factors by which the averages over 10, 60 and 300 s fall in each period (`EXP_10s`, `EXP_60s`,
/// `EXP_300s`).
const DECAY: [u64; 3] = [1677, 1981, 2034];

/// Times and averages of `some` or `full`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Stalled {
    /// Time stalled so far, ns.
    pub total_ns: u64,
    /// The part of that time that is already in the averages, ns.
    pub averaged_ns: u64,
    /// Averages over 10, 60 and 300 s, in 1/2048 of a percent.
    pub avg: [u64; 3],
}

/// Stalls of the tasks of a cgroup (`struct psi_group`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Pressure {
    /// Number of living tasks in the cgroup and its descendants.
    pub tasks: u32,
    /// Number of these tasks that stall for memory.
    pub stalled: u32,
    /// Time while at least one task stalls.
    pub some: Stalled,
    /// Time while all tasks stall.
    pub full: Stalled,
    /// The time up to which stalls have been counted, ns.
    pub at_ns: u64,
    /// Number of periods that have ended.
    pub periods: u64,
}

/// The time between two renewals of the averages: two seconds and a tick (`PSI_FREQ`).
pub const fn period_ns(hz: u32) -> u64 {
    2_000_000_000 + 1_000_000_000 / hz as u64
}

impl Pressure {
    /// Counts the time up to `now`, in which nothing has changed, and renews the averages at the
    /// end of each period.
    pub fn advance(&mut self, now: u64, period_ns: u64) {
        loop {
            let end = (self.periods + 1) * period_ns;
            if now < end {
                break;
            }
            self.count(end);
            self.some.average(period_ns);
            self.full.average(period_ns);
            self.periods += 1;
        }
        self.count(now);
    }

    fn count(&mut self, to: u64) {
        // The clock of another CPU may be slightly behind.
        let ns = to.saturating_sub(self.at_ns);
        if self.stalled > 0 {
            self.some.total_ns += ns;
            self.full.total_ns += if self.stalled >= self.tasks { ns } else { 0 };
        }
        self.at_ns = self.at_ns.max(to);
    }
}

/// An average after a period with this share of stalls, in whole percent (`calc_load`).
pub fn calc_load(avg: u64, decay: u64, percent: u64) -> u64 {
    let active = percent * ONE;
    let mut load = avg * decay + active * (ONE - decay);
    if active >= avg {
        load += ONE - 1;
    }
    load / ONE
}

impl Stalled {
    /// Renews the averages at the end of a period.
    pub fn average(&mut self, period_ns: u64) {
        let stalled = self.total_ns - self.averaged_ns;
        self.averaged_ns = self.total_ns;
        let percent = (stalled * 100 / period_ns.max(1)).min(100);
        for (avg, decay) in self.avg.iter_mut().zip(DECAY) {
            *avg = calc_load(*avg, decay, percent);
        }
    }

    /// The line of `memory.pressure`.
    pub fn line(&self, name: &str) -> String {
        let [a, b, c] = self.avg.map(percent);
        let us = self.total_ns / 1000;
        format!("{name} avg10={a} avg60={b} avg300={c} total={us}\n")
    }
}

/// An average in the form "9.05".
fn percent(avg: u64) -> String {
    format!("{}.{:02}", avg >> SHIFT, ((avg & (ONE - 1)) * 100) >> SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approaches_the_share_of_stalls_in_steps_of_two_seconds() {
        let mut some = Stalled::default();
        let found: Vec<String> = (0..6)
            .map(|_| {
                some.total_ns += 1_000_000_000;
                some.average(2_000_000_000);
                percent(some.avg[0])
            })
            .collect();
        let expected = ["9.05", "16.47", "22.54", "27.52", "31.59", "34.92"];
        assert_eq!(found, expected);
        assert!(some.line("some").starts_with("some avg10=34.92 avg60="));
        assert!(some.line("some").ends_with("total=6000000\n"));
    }

    #[test]
    fn counts_some_while_one_task_stalls_and_full_while_all_do() {
        let mut pressure = Pressure {
            tasks: 2,
            ..Pressure::default()
        };
        let period = period_ns(250);
        pressure.advance(1_000, period);
        pressure.stalled = 1;
        pressure.advance(5_000, period);
        pressure.stalled = 2;
        pressure.advance(6_000, period);
        pressure.stalled = 0;
        pressure.advance(3 * period, period);
        assert_eq!(pressure.some.total_ns, 5_000);
        assert_eq!(pressure.full.total_ns, 1_000);
        assert_eq!(pressure.periods, 3);
    }

    #[test]
    fn counts_at_most_the_whole_period() {
        let mut full = Stalled {
            total_ns: 9_000_000_000,
            ..Stalled::default()
        };
        for _ in 0..1000 {
            full.average(2_000_000_000);
            full.total_ns += 5_000_000_000;
        }
        assert_eq!(percent(full.avg[0]), "100.00");
    }
}
