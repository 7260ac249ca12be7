//! Rows and scores as JSON, for a page that shows them.
//!
//! Modelled: nothing. Left out: data that is not in [`crate::rows`] and [`crate::score`].
//! Invariants: a value that was not measured is `NaN` in the input and `null` in the output.

use mm::machine::Machine;
use serde::Serialize;

use crate::delays::{COARSE, Histogram, histograms};
use crate::figures::{FigureRow, Table};
use crate::measured::Measured;
use crate::rows::{Row, rows};
use crate::score::{Cell, Scores, cells};

/// The report of a run.
#[derive(Serialize)]
struct RunSheet {
    rows: Vec<Row>,
    delays: Vec<DelaysSheet>,
}

/// A histogram, and its comparable counts.
#[derive(Serialize)]
struct DelaysSheet {
    #[serde(flatten)]
    histogram: Histogram,
    /// By [`crate::delays::COARSE`].
    coarse: [u64; COARSE.len()],
}

/// The report of a run so far, as JSON: `{ "rows": [{ "metric", "unit", "value" }], "delays":
/// [{ "what", "kswapd", "tick_us", "timeout_us", "bins": [[delayed_us, count]], "coarse":
/// [count] }] }`, with `coarse` by [`crate::delays::COARSE`].
pub fn run_json(machine: &Machine) -> String {
    let rows = rows(&Measured::of(machine));
    let delays = histograms(machine)
        .into_iter()
        .map(|histogram| DelaysSheet {
            coarse: histogram.coarse(),
            histogram,
        });
    let delays = delays.collect();
    text(&RunSheet { rows, delays })
}

/// A scored table.
#[derive(Serialize)]
struct Scored {
    cells: Vec<Vec<Cell>>,
    scores: Scores,
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data with names for keys")
}

/// Scores a table with a row for each metric. `published` and `simulated` have a value for each kernel, row
/// after row, the baseline first; `NaN` means not measured. The result is JSON:
/// `{ "cells": [[cell]], "scores": {...} }`. A cell is `"baseline"`, `"missing"`, `"noise"` or
/// `{ "published", "simulated", "agrees", "ratio" }`. `None` if the lists belong to different tables.
pub fn score_json(
    metrics: &[String],
    units: &[String],
    published: &[f64],
    simulated: &[f64],
) -> Option<String> {
    let count = metrics.len();
    let fits = count > 0 && published.len().is_multiple_of(count) && units.len() == count;
    if !fits || published.is_empty() || simulated.len() != published.len() {
        return None;
    }
    let kernels = published.len() / count;
    let mut table = Table {
        id: String::new(),
        title: String::new(),
        experiment: None,
        seeds: 1,
        kernels: vec![String::new(); kernels],
        rows: Vec::new(),
    };
    let mut ours = Vec::new();
    for (i, (metric, unit)) in metrics.iter().zip(units).enumerate() {
        let of_row = i * kernels..(i + 1) * kernels;
        table.rows.push(FigureRow {
            metric: metric.clone(),
            unit: unit.clone(),
            values: published[of_row.clone()].to_vec(),
            experiment: None,
            unscored: None,
            counted_as: None,
        });
        let values = simulated[of_row].iter();
        ours.push(values.map(|v| (!v.is_nan()).then_some(*v)).collect());
    }
    let cells = cells(&table, &ours);
    let mut scores = Scores::default();
    cells.iter().flatten().for_each(|cell| scores.add(cell));
    Some(text(&Scored { cells, scores }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn writes_every_kind_of_cell() {
        let metrics = texts(&["Page Outs", "Elapsed time", "Swap Outs"]);
        let units = texts(&["KiB", "s", "KiB"]);
        let published = [1e9, 1e9, 4e9, 10.0, 5.0, 10.0, 1.0, 2.0, 5e8];
        let simulated = [8.0, 4.0, 16.0, 1.0, 2.0, f64::NAN, 0.0, 0.0, 3.0];
        let found = score_json(&metrics, &units, &published, &simulated).expect("a table");
        let expected = concat!(
            r#"{"cells":[["baseline","#,
            r#"{"published":"flat","simulated":"down","agrees":false,"ratio":0.5},"#,
            r#"{"published":"up","simulated":"up","agrees":true,"ratio":0.5}],"#,
            r#"["baseline",{"published":"down","simulated":"up","agrees":false,"ratio":4.0},"missing"],"#,
            r#"["baseline","noise",{"published":"up","simulated":"up","agrees":false,"ratio":null}]],"#,
            r#""scores":{"scored":4,"agree":1,"moving":3,"moving_agree":1,"ratio":3,"within2":2}}"#
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn refuses_lists_of_different_lengths() {
        let metrics = texts(&["Page Outs", "Elapsed time"]);
        let units = texts(&["KiB", "s"]);
        assert_eq!(score_json(&metrics, &units, &[1.0; 4], &[1.0; 3]), None);
        assert_eq!(score_json(&metrics, &units, &[1.0; 3], &[1.0; 3]), None);
        assert_eq!(
            score_json(&metrics, &units[..1], &[1.0; 4], &[1.0; 4]),
            None
        );
        assert_eq!(score_json(&[], &[], &[], &[]), None);
    }
}
