//! Distributions in the form that `summary.json` and the reports of twins share.
//!
//! Modelled: nothing of the kernel.
//! Invariants: a percentile is a value that occurred; equal histograms give equal texts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The number of most frequent values that are reported.
const TOP: usize = 10;

/// The most frequent values with their counts; of two equally frequent values, the smaller comes
/// first.
pub fn most_frequent<K: Copy + Ord + serde::Serialize>(histogram: &BTreeMap<K, u64>) -> Value {
    let mut all: Vec<(K, u64)> = histogram.iter().map(|(&k, &n)| (k, n)).collect();
    all.sort_by_key(|&(k, n)| (std::cmp::Reverse(n), k));
    all.truncate(TOP);
    json!(all)
}

/// Count, extremes, percentiles and mean of a histogram's values; null if there are none.
pub fn spread<K: Copy + Ord + Into<i128>>(histogram: &BTreeMap<K, u64>) -> Value {
    spread_by(histogram, |value| json!(value as i64), 1.0)
}

/// The same for times in µs, printed in ms.
pub fn spread_ms<K: Copy + Ord + Into<i128>>(us: &BTreeMap<K, u64>) -> Value {
    spread_by(us, |value| json!(value as f64 / 1000.0), 1000.0)
}

fn spread_by<K: Copy + Ord + Into<i128>>(
    histogram: &BTreeMap<K, u64>,
    scaled: impl Fn(i128) -> Value,
    divisor: f64,
) -> Value {
    let (Some((&min, _)), Some((&max, _))) =
        (histogram.first_key_value(), histogram.last_key_value())
    else {
        return Value::Null;
    };
    let n: u64 = histogram.values().sum();
    let at = |percent: u64| {
        let mut before = 0;
        let found = histogram.iter().find(|&(_, &count)| {
            before += count;
            before > (n - 1) * percent / 100
        });
        scaled(found.map_or(0, |(&value, _)| value.into()))
    };
    let weighed = histogram
        .iter()
        .map(|(&v, &count)| v.into() * i128::from(count));
    let sum: i128 = weighed.sum();
    json!({
        "n": n, "min": scaled(min.into()), "p10": at(10), "p50": at(50), "p90": at(90),
        "max": scaled(max.into()), "mean": sum as f64 / n as f64 / divisor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram() -> BTreeMap<u64, u64> {
        BTreeMap::from([(2, 3), (5, 1), (1000, 3), (4000, 1)])
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let expected = json!({
            "n": 8, "min": 2, "p10": 2, "p50": 5, "p90": 1000, "max": 4000, "mean": 876.375,
        });
        assert_eq!(spread(&histogram()), expected);
        assert_eq!(spread_ms(&histogram())["p90"], 1.0);
        assert_eq!(spread(&BTreeMap::<u64, u64>::new()), Value::Null);
    }

    #[test]
    fn lists_the_most_frequent_values_first() {
        let expected = json!([[2, 3], [1000, 3], [5, 1], [4000, 1]]);
        assert_eq!(most_frequent(&histogram()), expected);
    }
}
