//! Latencies that a program measures for its own rounds, in the form the published tools print
//! them.
//!
//! Modelled: a stopwatch that runs from the end of one round to the end of the next, so that no
//! time between them is missed. The lines are those of MMTests' mmap-latency of 2021. It groups
//! rounds shorter than a limit and prints "count mean" after a thousand of them, or when a long
//! round occurs.
//! Left out: the time that printing takes.
//! Visible difference: none; reading the stopwatch takes no time.
//! Invariants: a task has one stopwatch for each of its samplers, and none after it has ended.

use facts::index::TaskIndex;
use facts::state::{CloneFrom, State};

use super::log::Log;
use crate::workload::Sampler;

/// A group of short rounds is written after this many rounds.
const GROUP: u32 = 1000;

/// A line that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct LatencySample {
    /// Index of the program.
    pub program: u32,
    /// Index of the sampler in the program.
    pub sampler: u32,
    /// Number of rounds of this duration.
    pub count: u32,
    /// Duration of a round, ns.
    pub ns: u64,
}

/// The stopwatch of a task between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Stopwatch {
    /// The task.
    pub task: TaskIndex,
    /// Index of the sampler in the task's program.
    pub sampler: u32,
    /// When the last round ended, ns.
    pub since_ns: u64,
    /// Number of rounds in the current group.
    pub count: u32,
    /// Sum of the durations of these rounds, ns.
    pub sum_ns: u64,
}

/// All lines and stopwatches.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Samples {
    /// Lines in the order in which they were written.
    pub lines: Log<LatencySample>,
    /// Running stopwatches.
    pub running: Vec<Stopwatch>,
}

impl Samples {
    /// Starts a stopwatch for a task, or restarts it, in which case an unwritten group is lost.
    pub fn begin(&mut self, task: TaskIndex, sampler: u32, now: u64) {
        self.running
            .retain(|watch| (watch.task, watch.sampler) != (task, sampler));
        self.running.push(Stopwatch {
            task,
            sampler,
            since_ns: now,
            count: 0,
            sum_ns: 0,
        });
    }

    /// Measures a round of a task that has just ended.
    pub fn took(&mut self, program: u32, task: TaskIndex, sampler: u32, rule: &Sampler, now: u64) {
        let mut watches = self.running.iter_mut();
        let found = watches.find(|watch| (watch.task, watch.sampler) == (task, sampler));
        let watch = found.expect("compiled programs begin a round before they end it");
        let mut line = |count: u32, ns: u64| {
            self.lines.push(LatencySample {
                program,
                sampler,
                count,
                ns,
            });
        };
        let took = (now - watch.since_ns).saturating_sub(rule.less_ns);
        watch.since_ns = now;
        let is_short = took < rule.together_below_ns;
        if is_short || watch.count > 0 {
            // The long round that ends a group adds to the sum of the group, but not to its count.
            watch.sum_ns += took;
            watch.count += u32::from(is_short);
        }
        if watch.count == GROUP || (!is_short && watch.count > 0) {
            line(watch.count, watch.sum_ns / u64::from(watch.count));
            (watch.count, watch.sum_ns) = (0, 0);
        }
        if !is_short {
            line(1, took);
        }
    }

    /// Removes the stopwatches of a task that has ended.
    pub fn end(&mut self, task: TaskIndex) {
        self.running.retain(|watch| watch.task != task);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn lines(rule: &Sampler, rounds_us: &[u64]) -> Vec<(u32, u64)> {
        let mut samples = Samples::default();
        let mut now = 7 * MS;
        samples.begin(TaskIndex::new(3), 0, now);
        for us in rounds_us {
            now += rule.less_ns + us * 1000;
            samples.took(1, TaskIndex::new(3), 0, rule, now);
        }
        samples.end(TaskIndex::new(3));
        assert!(samples.running.is_empty());
        samples.lines.iter().map(|s| (s.count, s.ns)).collect()
    }

    fn sampler(less_ns: u64, together_below_ns: u64) -> Sampler {
        Sampler {
            name: "mmap".to_string(),
            less_ns,
            together_below_ns,
            rate: None,
        }
    }

    /// Short rounds are printed as groups. The long round that ends a group is in the sum of the
    /// group but not in its count. A group that is incomplete at the end is lost.
    #[test]
    fn groups_short_rounds_as_mmap_latency_prints_them() {
        let rounds = [
            900, 1100, 800, 31_400, 33_000, 1000, 30_900, 4900, 5000, 412_700, 2200, 2400,
        ];
        assert_eq!(
            lines(&sampler(5 * MS, 5 * MS), &rounds),
            [
                (3, 11_400_000),
                (1, 31_400_000),
                (1, 33_000_000),
                (1, 31_900_000),
                (1, 30_900_000),
                (1, 9_900_000),
                (1, 5_000_000),
                (1, 412_700_000),
            ]
        );
    }

    #[test]
    fn writes_a_line_after_a_thousand_short_rounds() {
        let found = lines(&sampler(0, 5 * MS), &[2000; 1001]);
        assert_eq!(found, [(1000, 2 * MS)]);
        // Without a limit for short rounds, each round is a line.
        assert_eq!(
            lines(&sampler(0, 0), &[2000, 3000]),
            [(1, 2 * MS), (1, 3 * MS)]
        );
    }

    #[test]
    fn a_round_shorter_than_the_subtracted_time_counts_as_0_ns() {
        let mut samples = Samples::default();
        samples.begin(TaskIndex::new(0), 0, 10);
        samples.took(0, TaskIndex::new(0), 0, &sampler(5 * MS, 0), 20);
        assert!(samples.lines.iter().map(|s| s.ns).eq([0]));
    }
}
