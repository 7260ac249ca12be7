//! The distribution of latencies: the rows that MMTests made of mmap-latency's lines in 2021.
//!
//! Modelled: minimum, quartiles, percentiles, maximum, mean, deviation and the means of the best,
//! over all lines of a run; a line of several rounds counts once for each round. Left out: the
//! asterisk that newer reports put around differences. Visible difference: versions of 2026 record
//! and name differently. Invariants: values are exact, neither binned nor interpolated. A
//! percentile of n % is the largest of the lowest n % of the samples, rounded down to whole
//! samples, at least one. One sample has no deviation, so that row is left out.

use crate::rows::{Row, float, rounded, row};

/// Latencies with one name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Latencies {
    /// The workload's name for them.
    pub name: String,
    /// (ns, number of rounds), in any order.
    pub lines: Vec<(u64, u32)>,
}

const NS_PER_MS: f64 = 1e6;
/// Percentiles that are printed, before and after the median.
const LOW: [u64; 3] = [1, 5, 10];
const HIGH: [u64; 3] = [90, 95, 99];
/// Percentages of the best samples whose mean is printed.
const BEST: [u64; 6] = [99, 95, 90, 75, 50, 25];

/// Latencies in order.
struct Sorted {
    lines: Vec<(u64, u32)>,
    n: u64,
}

impl Sorted {
    fn of(latencies: &Latencies) -> Option<Sorted> {
        let mut lines = latencies.lines.clone();
        lines.sort_unstable();
        let n = lines.iter().map(|&(_, count)| u64::from(count)).sum();
        (n > 0).then_some(Sorted { lines, n })
    }

    /// The number of samples in the lowest `percent`.
    fn lowest(&self, percent: u64) -> u64 {
        (self.n * percent / 100).max(1)
    }

    /// The sum of the first `samples`, and the last of them, ns.
    fn first(&self, samples: u64) -> (u128, u64) {
        let (mut left, mut sum, mut last) = (samples, 0, 0);
        for &(ns, count) in &self.lines {
            let taken = u64::from(count).min(left);
            if taken == 0 {
                break;
            }
            left -= taken;
            sum += u128::from(ns) * u128::from(taken);
            last = ns;
        }
        (sum, last)
    }

    fn percentile(&self, percent: u64) -> f64 {
        ms(self.first(self.lowest(percent)).1.into())
    }

    /// The mean of the lowest `percent`.
    fn mean(&self, percent: u64) -> f64 {
        let samples = self.lowest(percent);
        ms(self.first(samples).0) / float(samples)
    }

    /// The deviation of a sample; none for one value.
    fn stddev(&self) -> Option<f64> {
        let mean = self.mean(100);
        let squares = self.lines.iter().map(|&(ns, count)| {
            let off = ms(ns.into()) - mean;
            off * off * f64::from(count)
        });
        (self.n > 1).then(|| (squares.sum::<f64>() / float(self.n - 1)).sqrt())
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "four hours in ns times the samples of a run: the rounding is far below the printed digits"
)]
fn ms(ns: u128) -> f64 {
    ns as f64 / NS_PER_MS
}

/// The rows of latencies, with four decimals; none if nothing was measured.
pub fn latency_rows(latencies: &Latencies, out: &mut Vec<Row>) {
    let Some(sorted) = Sorted::of(latencies) else {
        return;
    };
    let mut add = |what: &str, unit, value: f64| {
        let metric = format!("{what} {}", latencies.name);
        out.push(row(&metric, unit, rounded(value, 10_000.0)));
    };
    add("Min", "ms", ms(sorted.first(1).1.into()));
    for (name, percent) in [("1st-qrtle", 25), ("2nd-qrtle", 50), ("3rd-qrtle", 75)] {
        add(name, "ms", sorted.percentile(percent));
    }
    for percent in LOW.into_iter().chain(HIGH) {
        add(&format!("Max-{percent}"), "ms", sorted.percentile(percent));
    }
    add("Max", "ms", sorted.percentile(100));
    let mean = sorted.mean(100);
    add("Amean", "ms", mean);
    if let Some(stddev) = sorted.stddev() {
        add("Stddev", "ms", stddev);
        if mean > 0.0 {
            add("CoeffVar", "%", 100.0 * stddev / mean);
        }
    }
    for percent in BEST {
        add(&format!("BAmean-{percent}"), "ms", sorted.mean(percent));
    }
}

/// The comparison column of these tables: the decrease from the baseline in percent, with two decimals. A
/// decrease to 0 is 100, an increase from 0 is -99.
pub fn saved(baseline: f64, value: f64) -> String {
    if baseline == value {
        return "0.00%".to_string();
    }
    if baseline == 0.0 {
        return "-99.00%".to_string();
    }
    format!("{:.2}%", 100.0 - 100.0 * value / baseline)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(lines: &[(u64, u32)]) -> Vec<Row> {
        let name = "mmap-4".to_string();
        let lines = lines.to_vec();
        let mut out = Vec::new();
        latency_rows(&Latencies { name, lines }, &mut out);
        out
    }

    fn value(rows: &[Row], what: &str) -> f64 {
        let metric = format!("{what} mmap-4");
        let found = rows.iter().find(|row| row.metric == metric);
        found.unwrap_or_else(|| panic!("no row {metric}")).value
    }

    /// Lines as mmap-latency printed them.
    #[test]
    fn makes_all_rows_from_ten_samples_on_eight_lines() {
        let rows = rows_of(&[
            (11_400_000, 3),
            (31_400_000, 1),
            (33_000_000, 1),
            (31_900_000, 1),
            (30_900_000, 1),
            (9_900_000, 1),
            (5_000_000, 1),
            (412_700_000, 1),
        ]);
        for (what, expected) in [
            ("Min", 5.0),
            ("Amean", 58.9),
            ("Stddev", 124.8063),
            ("1st-qrtle", 9.9),
            ("2nd-qrtle", 11.4),
            ("3rd-qrtle", 31.4),
            ("Max-1", 5.0),
            ("Max-90", 33.0),
            ("Max-95", 33.0),
            ("Max-99", 33.0),
            ("Max", 412.7),
            ("BAmean-90", 19.5889),
        ] {
            assert_eq!(value(&rows, what), expected, "{what}");
        }
        let coefficient = value(&rows, "CoeffVar");
        assert!((coefficient - 100.0 * 124.8063 / 58.9).abs() < 0.001);
    }

    /// Percentiles are cut off to whole samples.
    #[test]
    fn a_percentile_is_one_of_the_samples() {
        let up_to = |n: u64| -> Vec<(u64, u32)> { (1..=n).map(|i| (i * 1_000_000, 1)).collect() };
        let rows = rows_of(&up_to(20));
        let found = ["2nd-qrtle", "Max-90", "Max-95", "Max-99", "Max"];
        let found = found.map(|what| value(&rows, what));
        assert_eq!(found, [10.0, 18.0, 19.0, 19.0, 20.0]);
        for n in 1..=100 {
            let rows = rows_of(&up_to(n));
            let is_last = value(&rows, "Max-99") == value(&rows, "Max");
            assert_eq!(is_last, n == 1, "{n}");
        }
    }

    #[test]
    fn one_sample_has_no_deviation_row_and_no_samples_have_no_rows() {
        let rows = rows_of(&[(2_500_000, 1)]);
        assert_eq!(value(&rows, "Amean"), 2.5);
        assert!(!rows.iter().any(|row| row.metric == "Stddev mmap-4"));
        assert!(rows_of(&[]).is_empty());
    }

    #[test]
    fn a_decrease_is_positive_and_an_increase_is_negative() {
        assert_eq!(saved(200.0, 150.0), "25.00%");
        assert_eq!(saved(31.4003, 2661.0198), "-8374.50%");
        assert_eq!(saved(5.0, 5.0), "0.00%");
        assert_eq!(saved(5.0, 0.0), "100.00%");
        assert_eq!(saved(0.0, 5.0), "-99.00%");
    }
}
