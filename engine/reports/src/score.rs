//! Scores the agreement of a run with a published table.
//!
//! Modelled: nothing; arithmetic over two tables of the same shape.
//! Left out: weights; every cell counts once.
//! Invariants: not scored are the baseline (a table's first kernel), noise, missing values, and rows from
//! which values of the experiment were inferred. Totals are given over all scored cells, and over the
//! *moving* ones, whose published change is not flat. A machine in which no patch has any effect would agree
//! with every flat cell.

use serde::Serialize;

use crate::figures::Table;

/// A change up to this fraction is flat.
const FLAT: f64 = 0.05;
/// Counts below this fraction of the table's largest count of the same unit are noise.
const NOISE: f64 = 0.0001;
/// Units that are counts.
const COUNTS: [&str; 4] = ["pages", "objects", "inodes", "KiB"];
/// Ratios between these two are within a factor of two.
const WITHIN_TWO: (f64, f64) = (0.5, 2.0);

/// The direction of a value's change from the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// More than 5 % up, or away from zero.
    Up,
    /// More than 5 % down.
    Down,
    /// Neither.
    Flat,
}

/// The direction of the change from `baseline` to `value`.
pub fn direction(baseline: f64, value: f64) -> Direction {
    if baseline == 0.0 {
        return if value == 0.0 {
            Direction::Flat
        } else {
            Direction::Up
        };
    }
    let change = value / baseline;
    if change > 1.0 + FLAT {
        Direction::Up
    } else if change < 1.0 - FLAT {
        Direction::Down
    } else {
        Direction::Flat
    }
}

/// The outcome for one cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// It belongs to the baseline, the first kernel.
    Baseline,
    /// It was not measured.
    Missing,
    /// Values of the experiment were inferred from this row, so it is shown but not scored.
    Unscored,
    /// The published count, or the count from which it is derived, is too small to mean anything.
    Noise,
    /// Scored.
    #[serde(untagged)]
    Scored {
        /// The direction of the published change.
        published: Direction,
        /// The direction of our change.
        simulated: Direction,
        /// Are both the same?
        agrees: bool,
        /// Our change divided by the published change; none if a baseline is zero.
        ratio: Option<f64>,
    },
}

/// Scores one cell: (baseline, value) published and simulated.
pub fn score(published: (f64, f64), simulated: (f64, f64)) -> Cell {
    let directions = (
        direction(published.0, published.1),
        direction(simulated.0, simulated.1),
    );
    let zero = (published.0 == 0.0, simulated.0 == 0.0);
    // A change from zero is not the same as growth.
    let agrees = directions.0 == directions.1 && zero.0 == zero.1;
    let ratio = match zero {
        (false, false) if published.1 != 0.0 => {
            Some((simulated.1 / simulated.0) / (published.1 / published.0))
        }
        _ => None,
    };
    Cell::Scored {
        published: directions.0,
        simulated: directions.1,
        agrees,
        ratio,
    }
}

/// The metrics from which a percentage is derived, in the tables of vmstat.
fn derived_from(metric: &str) -> &'static [&'static str] {
    match metric {
        "Kswapd efficiency" => &["Kswapd pages scanned"],
        "Direct efficiency" => &["Direct pages scanned"],
        "Percentage direct scans" => &["Direct pages scanned", "Kswapd pages scanned"],
        _ => &[],
    }
}

/// Is this cell of the published table noise?
pub fn is_noise(table: &Table, row: usize, kernel: usize) -> bool {
    let this = &table.rows[row];
    let small = |row: usize, kernel: usize| {
        let unit = &table.rows[row].unit;
        let of_unit = table.rows.iter().filter(|r| r.unit == *unit);
        let largest = of_unit.flat_map(|r| &r.values).copied().fold(0.0, f64::max);
        let value = table.rows[row].values.get(kernel).copied();
        value.is_some_and(|v| v < NOISE * largest)
    };
    if COUNTS.contains(&this.unit.as_str()) {
        let at = |kernel: usize| this.values.get(kernel).copied().unwrap_or(0.0);
        let nothing = at(0) == 0.0 && at(kernel) == 0.0;
        return !nothing && small(row, 0) && small(row, kernel);
    }
    let sources = derived_from(&this.metric);
    let known = table
        .rows
        .iter()
        .enumerate()
        .filter(|(_, r)| sources.contains(&r.metric.as_str()));
    let mut known = known.map(|(i, _)| i).peekable();
    known.peek().is_some() && {
        let known: Vec<usize> = known.collect();
        let all_small = |kernel| known.iter().all(|&source| small(source, kernel));
        all_small(0) || all_small(kernel)
    }
}

/// Scores every cell of a table. `simulated` has a list for each row, with a value for each kernel
/// that was measured.
pub fn cells(table: &Table, simulated: &[Vec<Option<f64>>]) -> Vec<Vec<Cell>> {
    let mut out = Vec::new();
    for (r, row) in table.rows.iter().enumerate() {
        let ours = |k: usize| simulated.get(r).and_then(|s| s.get(k).copied().flatten());
        let cell = |(k, &value): (usize, &f64)| match (ours(0), ours(k)) {
            _ if k == 0 => Cell::Baseline,
            _ if row.unscored.is_some() => Cell::Unscored,
            (Some(_), Some(_)) if is_noise(table, r, k) => Cell::Noise,
            (Some(baseline), Some(ours)) => score((row.values[0], value), (baseline, ours)),
            _ => Cell::Missing,
        };
        out.push(row.values.iter().enumerate().map(cell).collect());
    }
    out
}

/// Sums over cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Scores {
    /// Cells that are scored.
    pub scored: u32,
    /// The number of these cells that agree.
    pub agree: u32,
    /// Scored cells whose published change is not flat.
    pub moving: u32,
    /// The number of these cells that agree.
    pub moving_agree: u32,
    /// Scored cells that have a ratio.
    pub ratio: u32,
    /// The number of these cells within a factor of two.
    pub within2: u32,
}

impl Scores {
    /// Adds a cell.
    pub fn add(&mut self, cell: &Cell) {
        let Cell::Scored {
            published,
            agrees,
            ratio,
            ..
        } = *cell
        else {
            return;
        };
        let moving = published != Direction::Flat;
        self.scored += 1;
        self.agree += u32::from(agrees);
        self.moving += u32::from(moving);
        self.moving_agree += u32::from(moving && agrees);
        if let Some(ratio) = ratio {
            self.ratio += 1;
            self.within2 += u32::from((WITHIN_TWO.0..=WITHIN_TWO.1).contains(&ratio));
        }
    }
}

/// The median of some values; for two middle values, half their sum.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::FigureRow;

    #[test]
    fn a_change_within_five_percent_is_flat() {
        assert_eq!(direction(100.0, 105.0), Direction::Flat);
        assert_eq!(direction(100.0, 95.0), Direction::Flat);
        assert_eq!(direction(100.0, 105.1), Direction::Up);
        assert_eq!(direction(100.0, 94.9), Direction::Down);
        assert_eq!(direction(0.0, 0.0), Direction::Flat);
        assert_eq!(direction(0.0, 0.1), Direction::Up);
        assert_eq!(direction(5.0, 0.0), Direction::Down);
    }

    fn agrees(cell: Cell) -> (bool, Option<f64>) {
        match cell {
            Cell::Scored { agrees, ratio, .. } => (agrees, ratio),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_baseline_of_zero_agrees_only_if_both_change_or_neither_does() {
        assert_eq!(agrees(score((0.0, 9.0), (0.0, 1.0))), (true, None));
        assert_eq!(agrees(score((0.0, 0.0), (0.0, 0.0))), (true, None));
        assert_eq!(agrees(score((0.0, 9.0), (0.0, 0.0))), (false, None));
        assert_eq!(agrees(score((0.0, 0.0), (0.0, 1.0))), (false, None));
        // Growth from a baseline above 0 is not the same as growth from 0.
        assert_eq!(agrees(score((0.0, 9.0), (1.0, 5.0))), (false, None));
        assert_eq!(agrees(score((2.0, 9.0), (0.0, 5.0))), (false, None));
    }

    #[test]
    fn the_ratio_compares_the_two_changes() {
        assert_eq!(agrees(score((10.0, 20.0), (3.0, 12.0))), (true, Some(2.0)));
        assert_eq!(agrees(score((10.0, 20.0), (4.0, 4.0))), (false, Some(0.5)));
        // Both drop to 0, so the changes have no ratio.
        assert_eq!(agrees(score((10.0, 0.0), (4.0, 0.0))), (true, None));
    }

    fn table(rows: &[(&str, &str, &[f64])]) -> Table {
        let rows = rows.iter().map(|&(metric, unit, values)| FigureRow {
            metric: metric.to_string(),
            unit: unit.to_string(),
            values: values.to_vec(),
            experiment: None,
            unscored: None,
            counted_as: None,
        });
        Table {
            id: "t".to_string(),
            title: String::new(),
            experiment: None,
            seeds: 1,
            kernels: vec!["a".to_string(), "b".to_string(), "c".to_string()],
            rows: rows.collect(),
        }
    }

    #[test]
    fn small_counts_and_percentages_derived_from_them_are_noise() {
        let t = table(&[
            ("Direct pages scanned", "pages", &[13e6, 9e6, 9e6]),
            ("Kswapd pages scanned", "pages", &[0.0, 18e5, 100.0]),
            ("Page writes by reclaim", "pages", &[0.0, 3.0, 0.0]),
            ("Kswapd efficiency", "%", &[100.0, 99.0, 99.0]),
            ("Percentage direct scans", "%", &[100.0, 83.0, 83.0]),
            ("Files/s min", "files/s", &[0.0, 1e-9, 1.0]),
            ("Swap Ins", "pages", &[0.0, 0.0, 0.0]),
        ]);
        let noise = |row| [1, 2].map(|kernel| is_noise(&t, row, kernel));
        assert_eq!(noise(0), [false, false]);
        // 0.01 % of 13 million are 1300.
        assert_eq!(noise(1), [false, true]);
        // A baseline of 0 with a value of 0 is not noise.
        assert_eq!(noise(2), [true, false]);
        assert_eq!(noise(3), [true, true]);
        assert_eq!(noise(4), [false, false]);
        assert_eq!(noise(5), [false, false]);
        assert_eq!(noise(6), [false, false]);
    }

    #[test]
    fn totals_count_moving_cells_separately() {
        let t = table(&[
            ("Elapsed time", "s", &[100.0, 50.0, 101.0]),
            ("Page Outs", "KiB", &[10.0, 20.0, 30.0]),
        ]);
        let simulated = vec![
            vec![Some(10.0), Some(6.0), Some(9.0)],
            vec![Some(1.0), Some(1.0), None],
        ];
        let cells = cells(&t, &simulated);
        assert_eq!(cells[0][0], Cell::Baseline);
        assert_eq!(cells[1][2], Cell::Missing);
        let mut scores = Scores::default();
        cells.iter().flatten().for_each(|cell| scores.add(cell));
        let expected = Scores {
            scored: 3,
            agree: 1,
            moving: 2,
            moving_agree: 1,
            ratio: 3,
            within2: 3,
        };
        assert_eq!(scores, expected);
        // A row from which the experiment was inferred is not scored.
        let mut shown = t.clone();
        shown.rows[0].unscored = Some("why".to_string());
        let cells = super::cells(&shown, &simulated);
        assert_eq!(cells[0], [Cell::Baseline, Cell::Unscored, Cell::Unscored]);
        let mut scores = Scores::default();
        cells.iter().flatten().for_each(|cell| scores.add(cell));
        assert_eq!((scores.scored, scores.moving), (1, 1));
        // Without our baseline no cell can be scored.
        let none = vec![vec![None, Some(6.0), Some(9.0)], Vec::new()];
        let cells = super::cells(&t, &none);
        assert!(cells.iter().all(|row| row[1..] == [Cell::Missing; 2]));
    }

    #[test]
    fn returns_the_middle_value_or_the_mean_of_the_middle_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
