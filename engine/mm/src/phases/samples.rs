//! Latencies a program takes of its own rounds, as the tools that published them print theirs.
//!
//! Modelled: a stopwatch that runs on from the end of a round to the end of the next, so that
//! nothing between two rounds is missed; the lines of MMTests' mmap-latency of 2021, which puts
//! rounds shorter than a limit together: "count mean" after a thousand, or when a long one comes.
//! Left out: the time printing takes.
//! Who could tell: nobody; a look at the stopwatch costs no time.
//! Invariants: a task has one stopwatch for each of its samplers, and none when it is gone.

use facts::state::{CloneFrom, State};

use super::log::Log;
use crate::workload::Sampler;

/// Rounds put together are written down when they are so many.
const GROUP: u32 = 1000;

/// A line written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Sample {
    /// Program it is of.
    pub program: u32,
    /// Which of the program's samplers.
    pub sampler: u32,
    /// Rounds that took so long.
    pub count: u32,
    /// How long, ns.
    pub ns: u64,
}

/// A task between two looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Stopwatch {
    /// The task.
    pub task: u32,
    /// Which of its program's samplers.
    pub sampler: u32,
    /// When the last round ended, ns.
    pub since_ns: u64,
    /// Rounds put together so far.
    pub count: u32,
    /// How long they took, ns.
    pub sum_ns: u64,
}

/// All of them.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Samples {
    /// Lines in the order they were written.
    pub lines: Log<Sample>,
    /// Stopwatches that run.
    pub running: Vec<Stopwatch>,
}

impl Samples {
    /// A task starts a stopwatch, anew if it had: rounds put together and not written are lost.
    pub fn begin(&mut self, task: u32, sampler: u32, now: u64) {
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

    /// A round of a task has ended.
    pub fn took(&mut self, program: u32, task: u32, sampler: u32, rule: &Sampler, now: u64) {
        let mut watches = self.running.iter_mut();
        let found = watches.find(|watch| (watch.task, watch.sampler) == (task, sampler));
        let watch = found.expect("a round that has begun: compiled programs have no others");
        let mut line = |count: u32, ns: u64| {
            self.lines.push(Sample {
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
            // The long round that ends a group is part of its sum, and is not counted in it.
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

    /// A task is gone.
    pub fn end(&mut self, task: u32) {
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
        samples.begin(3, 0, now);
        for us in rounds_us {
            now += rule.less_ns + us * 1000;
            samples.took(1, 3, 0, rule, now);
        }
        samples.end(3);
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

    /// The dossier's worked example: short cycles are printed together, with the long one that ends
    /// them in their sum and not in their number; what is pending at the end is lost.
    #[test]
    fn short_rounds_are_put_together_as_mmap_latency_prints_them() {
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
    fn a_thousand_short_rounds_are_a_line() {
        let found = lines(&sampler(0, 5 * MS), &[2000; 1001]);
        assert_eq!(found, [(1000, 2 * MS)]);
        // Unless told, each round is a line.
        assert_eq!(
            lines(&sampler(0, 0), &[2000, 3000]),
            [(1, 2 * MS), (1, 3 * MS)]
        );
    }

    #[test]
    fn less_than_what_is_taken_off_is_nothing() {
        let mut samples = Samples::default();
        samples.begin(0, 0, 10);
        samples.took(0, 0, 0, &sampler(5 * MS, 0), 20);
        assert!(samples.lines.iter().map(|s| s.ns).eq([0]));
    }
}
