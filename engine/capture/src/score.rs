//! Computes one number for an engine: the error of its counters compared with real kernels.
//!
//! The rule, the same for every capture and version:
//! - A counter of /proc/vmstat is scored if the real run changed it by more than [`MANY`]. Smaller
//!   changes are due to chance: two real runs of an empty workload differ by a dozen.
//! - Its error is |simulated - real| / |real|, and at most 1. A counter that the engine does not have has
//!   the error 1.
//! - Counters of mechanisms that the engine declares absent ([`crate::compare::ABSENT`]) are not
//!   scored; their number is reported with the score.
//! - Each counter of each capture counts once, in the mean and in the median.
//!
//! The best published figure for a simulator of Linux's page cache is a mean of 39 %.

use serde::Serialize;

use crate::compare::CounterRow;

/// A counter is scored if the real run changed it by more than this.
pub const MANY: u64 = 1000;

/// The errors of some counters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Errors {
    /// The error of each scored counter.
    errors: Vec<f64>,
    /// Counters that changed by more than this and belong to absent mechanisms.
    absent: usize,
}

/// The score of some counters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// Counters scored.
    pub counters: usize,
    /// Counters of absent mechanisms, which are not scored.
    pub absent: usize,
    /// Mean absolute relative error, each at most 1; none without counters.
    pub mean: Option<f64>,
    /// Median absolute relative error.
    pub median: Option<f64>,
}

impl Errors {
    /// The errors of a capture.
    pub fn of(rows: &[CounterRow]) -> Errors {
        let large = rows.iter().filter(|row| row.real.unsigned_abs() > MANY);
        let (absent, scored): (Vec<&CounterRow>, Vec<&CounterRow>) =
            large.partition(|row| row.absent.is_some());
        Errors {
            errors: scored.iter().map(|row| error(row)).collect(),
            absent: absent.len(),
        }
    }

    /// Adds the counters of another capture.
    pub fn add(&mut self, other: &Errors) {
        self.errors.extend(&other.errors);
        self.absent += other.absent;
    }

    /// The score of all counters.
    pub fn score(&self) -> Score {
        let mut sorted = self.errors.clone();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let middle = |i: usize| sorted.get(i).copied();
        let median = match n % 2 {
            _ if n == 0 => None,
            1 => middle(n / 2),
            _ => middle(n / 2 - 1)
                .zip(middle(n / 2))
                .map(|(a, b)| (a + b) / 2.0),
        };
        Score {
            counters: n,
            absent: self.absent,
            mean: (n > 0).then(|| sorted.iter().sum::<f64>() / n as f64),
            median,
        }
    }
}

/// The error of a counter that the real run changed.
fn error(row: &CounterRow) -> f64 {
    let Some(simulated) = row.simulated else {
        return 1.0;
    };
    let distance = (simulated as f64 - row.real as f64).abs();
    (distance / (row.real as f64).abs()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(real: i64, simulated: Option<i64>, absent: Option<&'static str>) -> CounterRow {
        CounterRow {
            name: String::new(),
            real,
            simulated,
            absent,
        }
    }

    #[test]
    fn the_score_is_the_mean_and_the_median_of_capped_errors() {
        let rows = [
            row(2000, Some(2200), None),
            row(-4000, Some(-2000), None),
            row(5000, Some(90_000), None),
            row(3000, None, None),
            row(1000, Some(0), None),
            row(9000, Some(0), Some("compaction")),
        ];
        let mut errors = Errors::of(&rows);
        let score = errors.score();
        assert_eq!((score.counters, score.absent), (4, 1));
        assert_eq!(score.mean, Some((0.1 + 0.5 + 1.0 + 1.0) / 4.0));
        assert_eq!(score.median, Some(0.75));
        errors.add(&Errors::of(&[row(2000, Some(2000), None)]));
        assert_eq!(errors.score().median, Some(0.5));
        assert_eq!(Errors::default().score().mean, None);
    }
}
