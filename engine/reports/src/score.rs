//! How well a run agrees with a published table.
//!
//! Modelled: nothing; arithmetic over two tables of the same shape.
//! Left out: any weight: a cell counts as one.
//! Invariants: the baseline, a table's first kernel, is not scored; neither is noise, nor what was
//! not measured, nor a row from which something was inferred that the experiment is made of. Totals are
//! given over all scored cells, and over the *moving* ones, whose published
//! change is not flat: a machine in which no patch does anything agrees with every flat cell.

use serde::Serialize;

use crate::figures::Table;

/// Changes within this part of one are flat.
const FLAT: f64 = 0.05;
/// Counts below this part of the table's largest of the same unit are noise.
const NOISE: f64 = 0.0001;
/// Units that are counts.
const COUNTS: [&str; 4] = ["pages", "objects", "inodes", "KiB"];
/// Ratios from the first to the second are within a factor of two.
const WITHIN_TWO: (f64, f64) = (0.5, 2.0);

/// Where a value goes from the baseline's.
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

/// Where `value` goes from `baseline`.
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

/// What became of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// The first kernel's: others are held against it.
    Baseline,
    /// It was not measured.
    Missing,
    /// What was chosen for the experiment follows from the row's published figures: it is shown only.
    Unscored,
    /// The published count, or what it is derived from, is too small to tell anything.
    Noise,
    /// Scored.
    #[serde(untagged)]
    Scored {
        /// Where the published value goes.
        published: Direction,
        /// Where ours goes.
        simulated: Direction,
        /// Do both the same?
        agrees: bool,
        /// Our change over the published one; none where a baseline is zero.
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
    // Leaving zero is not the same as growing.
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

/// The metric a percentage is derived from, in the tables of vmstat.
fn derived_from(metric: &str) -> &'static [&'static str] {
    match metric {
        "Kswapd efficiency" => &["Kswapd pages scanned"],
        "Direct efficiency" => &["Direct pages scanned"],
        "Percentage direct scans" => &["Direct pages scanned", "Kswapd pages scanned"],
        _ => &[],
    }
}

/// Is a cell of the published table noise?
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
    /// Of these, those that agree.
    pub agree: u32,
    /// Scored cells whose published change is not flat.
    pub moving: u32,
    /// Of these, those that agree.
    pub moving_agree: u32,
    /// Scored cells that have a ratio.
    pub ratio: u32,
    /// Of these, those within a factor of two.
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

/// The median of some values; of two in the middle, half their sum.
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
    fn within_five_percent_is_flat() {
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
    fn a_baseline_of_zero_is_left_by_both_or_by_none() {
        assert_eq!(agrees(score((0.0, 9.0), (0.0, 1.0))), (true, None));
        assert_eq!(agrees(score((0.0, 0.0), (0.0, 0.0))), (true, None));
        assert_eq!(agrees(score((0.0, 9.0), (0.0, 0.0))), (false, None));
        assert_eq!(agrees(score((0.0, 0.0), (0.0, 1.0))), (false, None));
        // To grow from something is not to begin.
        assert_eq!(agrees(score((0.0, 9.0), (1.0, 5.0))), (false, None));
        assert_eq!(agrees(score((2.0, 9.0), (0.0, 5.0))), (false, None));
    }

    #[test]
    fn the_ratio_is_between_changes() {
        assert_eq!(agrees(score((10.0, 20.0), (3.0, 12.0))), (true, Some(2.0)));
        assert_eq!(agrees(score((10.0, 20.0), (4.0, 4.0))), (false, Some(0.5)));
        // Down to nothing: there is no change to divide by.
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
    fn counts_too_small_are_noise_and_so_is_what_comes_of_them() {
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
        // Nothing and nothing is a finding.
        assert_eq!(noise(2), [true, false]);
        assert_eq!(noise(3), [true, true]);
        assert_eq!(noise(4), [false, false]);
        assert_eq!(noise(5), [false, false]);
        assert_eq!(noise(6), [false, false]);
    }

    #[test]
    fn totals_count_moving_cells_apart() {
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
        // A row from which the experiment was inferred counts for nothing.
        let mut shown = t.clone();
        shown.rows[0].unscored = Some("why".to_string());
        let cells = super::cells(&shown, &simulated);
        assert_eq!(cells[0], [Cell::Baseline, Cell::Unscored, Cell::Unscored]);
        let mut scores = Scores::default();
        cells.iter().flatten().for_each(|cell| scores.add(cell));
        assert_eq!((scores.scored, scores.moving), (1, 1));
        // Without a baseline of ours nothing can be said.
        let none = vec![vec![None, Some(6.0), Some(9.0)], Vec::new()];
        let cells = super::cells(&t, &none);
        assert!(cells.iter().all(|row| row[1..] == [Cell::Missing; 2]));
    }

    #[test]
    fn the_median_of_seeds() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
