//! Rows as human-readable text.
//!
//! Modelled: a line for each metric and a column for each kernel. After each value, in brackets, comes the
//! change against the first kernel in percent, rounded to two decimals.
//! Left out: which direction is better; the reader decides.
//! Invariants: a missing value is a dash.

use std::fmt::Write as _;

use crate::latency::saved;
use crate::rows::Row;

/// One column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The kernel's id.
    pub name: String,
    /// Values in the order of the metrics.
    pub values: Vec<Option<f64>>,
}

/// A value, printed as its unit requires.
pub fn printed(unit: &str, value: f64) -> String {
    match unit {
        "pages" | "objects" | "inodes" | "KiB" => format!("{value:.0}"),
        "%" if value.fract() == 0.0 => format!("{value:.0}"),
        "pages/s" => format!("{value:.3}"),
        "ms" => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}

/// The change against a baseline in percent, rounded to two decimals: " 12.50%".
pub fn change(baseline: f64, value: f64) -> String {
    if baseline == value {
        return "0.00%".to_string();
    }
    if baseline == 0.0 {
        return "-".to_string();
    }
    format!("{:.2}%", (value - baseline) * 100.0 / baseline)
}

/// The table of some metrics with their units.
pub fn table(metrics: &[(String, String)], columns: &[Column]) -> String {
    let mut out = String::new();
    let width = metrics.iter().map(|(metric, _)| metric.len()).max();
    let width = width.unwrap_or(0);
    let _ = write!(out, "{:width$}", "");
    for column in columns {
        let _ = write!(out, "  {:>27}", column.name);
    }
    out.push('\n');
    for (i, (metric, unit)) in metrics.iter().enumerate() {
        let _ = write!(out, "{metric:width$}");
        let at = |column: &Column| column.values.get(i).copied().flatten();
        let first = columns.first().and_then(at);
        for (c, column) in columns.iter().enumerate() {
            let value = at(column).map_or("-".to_string(), |v| printed(unit, v));
            let change = match (first, at(column)) {
                (Some(first), Some(value)) if c > 0 => {
                    // The tables of latencies give the decrease.
                    let change = if unit == "ms" { saved } else { change };
                    format!("({:>10})", change(first, value))
                }
                _ => " ".repeat(12),
            };
            let _ = write!(out, "  {value:>14} {change}");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

/// The table of one run.
pub fn of_run(kernel: &str, rows: &[Row]) -> String {
    let metrics: Vec<(String, String)> = rows
        .iter()
        .map(|row| (row.metric.clone(), row.unit.to_string()))
        .collect();
    let values = rows.iter().map(|row| Some(row.value)).collect();
    let name = kernel.to_string();
    table(&metrics, &[Column { name, values }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_changes_to_two_decimals() {
        assert_eq!(change(120.96, 140.63), "16.26%");
        assert_eq!(change(96.05, 109.54), "14.04%");
        assert_eq!(change(0.0, 0.0), "0.00%");
        assert_eq!(change(0.0, 1.0), "-");
    }

    #[test]
    fn prints_a_column_for_each_kernel() {
        let metrics = [("Page Ins", "KiB"), ("Direct velocity", "pages/s")];
        let metrics = metrics.map(|(metric, unit)| (metric.to_string(), unit.to_string()));
        let column = |name: &str, values: [Option<f64>; 2]| Column {
            name: name.to_string(),
            values: values.to_vec(),
        };
        let text = table(
            &metrics,
            &[
                column("a", [Some(8.0), None]),
                column("b", [Some(6.0), Some(1.5)]),
            ],
        );
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        assert_eq!(lines[0], ["a", "b"]);
        assert_eq!(lines[1], ["Page", "Ins", "8", "6", "(", "-25.00%)"]);
        assert_eq!(lines[2], ["Direct", "velocity", "-", "1.500"]);
    }
}
