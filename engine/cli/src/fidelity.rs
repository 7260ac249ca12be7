//! `mmscope fidelity`: compares published tables with the engine's results for their experiments.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mm::experiment::Raw;
use mm::kernel;
use mm::machine::Machine;
use reports::figures::{FigureRow, Table};
use reports::score::{Cell, Direction, Scores, cells, median};
use reports::table::{self, Column};
use reports::{Measured, Row, rows};
use serde_json::{Value, json};

use crate::args::Parsed;
use crate::failure::{Outcome, bad, io_fault};
use crate::full_size::{self, Job};
use crate::input::read_text;
use crate::output::{print, say};
use crate::runs;

/// The folder with the project's published tables.
pub const FIGURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lessons/figures");
/// The highest number of seeds for one run.
const MOST_SEEDS: u64 = 100;

/// The results of one experiment on one kernel, or the reason why there are none.
pub type Ran = Result<Seeds, String>;

/// The runs of one kernel and one experiment.
#[derive(Debug, Clone)]
pub struct Seeds {
    /// A list of rows for each seed.
    pub rows: Vec<Vec<Row>>,
    /// Steps of the run of the first seed.
    pub steps: u64,
    /// The virtual time of that run, ns.
    pub time_ns: u64,
}

/// Finished runs, by experiment and kernel: several tables may report one run.
#[derive(Debug, Default)]
pub struct Runs(BTreeMap<(String, String), Ran>);

impl From<BTreeMap<(String, String), Ran>> for Runs {
    fn from(ran: BTreeMap<(String, String), Ran>) -> Runs {
        Runs(ran)
    }
}

impl Runs {
    /// The results of an experiment on each kernel. Missing results are computed now, on every
    /// processor, because runs are independent of each other.
    fn of(&mut self, id: &str, kernels: &[String], seeds: u64) -> Vec<Ran> {
        let key = |kernel: &str| (id.to_string(), kernel.to_string());
        let missing = kernels.iter().filter(|k| !self.0.contains_key(&key(k)));
        let missing: Vec<&String> = missing.collect();
        let ran = runs::all(&missing, |kernel| run_seeds(id, kernel, seeds));
        let keys = missing.into_iter().map(|kernel| key(kernel));
        self.0.extend(keys.zip(ran));
        kernels.iter().map(|k| self.0[&key(k)].clone()).collect()
    }

    /// The length of each run, for the first seed. The page states before a run how long it takes, and
    /// a test compares that with these.
    pub fn lengths(&self) -> Value {
        let ran = self.0.iter();
        let ran = ran.filter_map(|(key, ran)| Some((key, ran.as_ref().ok()?)));
        let lengths = ran.map(|((experiment, kernel), ran)| {
            json!({
                "experiment": experiment, "kernel": kernel,
                "steps": ran.steps, "time_ns": ran.time_ns,
            })
        });
        Value::Array(lengths.collect())
    }
}

/// A table with the simulated values.
pub struct Compared {
    table: Table,
    /// For each row and kernel, the value of each seed.
    values: Vec<Vec<Vec<f64>>>,
    cells: Vec<Vec<Cell>>,
    /// Runs that were not possible, and rows that are not measured.
    unknown: Vec<String>,
}

impl Compared {
    /// Kernels that are run for columns with other names: the column, the kernel, and the difference.
    fn stand_ins(&self) -> Vec<(&str, &'static str, &'static str)> {
        let names = self.table.kernels.iter();
        let known = names.filter_map(|name| Some((name.as_str(), kernel::published(name)?)));
        let found = known.filter_map(|(name, published)| {
            let kernel = kernel::find(name)?;
            Some((name, kernel.id, published.note))
        });
        found.collect()
    }
}

/// Runs every table's experiments and scores them.
///
/// # Errors
/// The folder does not exist, a file is not a table, or the pipe is closed.
pub fn fidelity(parsed: &Parsed) -> Outcome<()> {
    let seeds = seeds(parsed)?;
    let folder = parsed.value("--figures").unwrap_or(FIGURES);
    let tables = read_figures(Path::new(folder))?;
    let only = parsed.value("--only");
    let all = tables.clone();
    let known: Vec<&str> = tables.iter().map(|t| t.id.as_str()).collect();
    if let Some(only) = only.filter(|only| !known.contains(only)) {
        let known = known.join(", ");
        return Err(bad(format!(
            "no table is called {only:?}; there are {known}"
        )));
    }
    let wanted = tables.into_iter();
    let wanted = wanted.filter(|t| only.is_none_or(|only| t.id == only));
    let wanted = wanted.filter(|table| only.is_some() || is_runnable(table));
    let wanted: Vec<Table> = wanted.collect();
    if parsed.has("--again") && !parsed.has("--write") {
        return Err(bad(
            "--again needs --write; without --write every experiment is run anyway",
        ));
    }
    let mut runs = if parsed.has("--write") {
        written(parsed, &wanted, &all)?
    } else {
        Runs::default()
    };
    let compared: Vec<Compared> = wanted
        .into_iter()
        .map(|table| compare(table, seeds, &mut runs))
        .collect();
    let scores = scored(&compared);
    if parsed.has("--json") {
        return print(&format!("{:#}\n", as_json(&compared, &scores)));
    }
    print(&as_text(&compared, &scores))
}

/// Runs the missing experiments of the committed full-size results of some tables, and returns the
/// results as runs.
fn written(parsed: &Parsed, wanted: &[Table], all: &[Table]) -> Outcome<Runs> {
    for other in ["--seeds", "--figures"] {
        if parsed.has(other) {
            return Err(bad(format!(
                "--write {other}: committed results are for the project's own tables and seeds; leave out {other}"
            )));
        }
    }
    let all = full_size::jobs_of_modelled(all);
    let wanted = full_size::jobs(wanted);
    let path = Path::new(full_size::FILE);
    let results = full_size::make(path, &wanted, &all, parsed.has("--again"))?;
    Ok(full_size::as_runs(&wanted, &results))
}

/// Can a part of this table be compared? If not, prints what is missing and skips the table. A column
/// stays empty if its kernel is not modelled while others are.
pub fn is_runnable(table: &Table) -> bool {
    let comparable = table.comparable();
    if let Err(missing) = &comparable {
        say(&format!("{}: {missing}", table.id));
    }
    comparable.is_ok()
}

/// How well all tables agree.
pub fn scored(compared: &[Compared]) -> Scores {
    let mut scores = Scores::default();
    let all = compared.iter().flat_map(|c| c.cells.iter().flatten());
    all.for_each(|cell| scores.add(cell));
    scores
}

fn seeds(parsed: &Parsed) -> Outcome<u64> {
    let Some(text) = parsed.value("--seeds") else {
        return Ok(1);
    };
    let seeds = text.parse().ok();
    seeds
        .filter(|n| (1..=MOST_SEEDS).contains(n))
        .ok_or_else(|| bad(format!("--seeds {text}: 1 to {MOST_SEEDS} seeds")))
}

/// All tables of a folder, with its files in the order of their names.
pub fn read_figures(folder: &Path) -> Outcome<Vec<Table>> {
    let name = folder.display().to_string();
    let entries = fs::read_dir(folder).map_err(|error| io_fault(&name, &error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    paths.sort();
    let mut tables = Vec::new();
    for path in paths {
        let path = path.display().to_string();
        let value: Value = serde_json::from_str(&read_text(&path)?)
            .map_err(|error| bad(format!("{path}: not JSON: {error}")))?;
        let list = value["tables"].as_array();
        let list = list.ok_or_else(|| bad(format!("{path}: tables: a list is missing")))?;
        for (i, table) in list.iter().enumerate() {
            let at = format!("{path}: tables[{i}]");
            tables.push(read_table(table, &at)?);
        }
    }
    if tables.is_empty() {
        return Err(bad(format!("{name}: no tables")));
    }
    Ok(tables)
}

fn read_table(value: &Value, at: &str) -> Outcome<Table> {
    let missing = |field: &str| bad(format!("{at}.{field}: missing"));
    let text = |v: &Value| v.as_str().map(str::to_string);
    let kernels = value["kernels"].as_array();
    let kernels: Option<Vec<String>> = kernels.and_then(|k| k.iter().map(text).collect());
    let kernels = kernels.ok_or_else(|| missing("kernels"))?;
    let list = value["rows"].as_array().ok_or_else(|| missing("rows"))?;
    let mut rows = Vec::new();
    for (i, row) in list.iter().enumerate() {
        let values = row["values"].as_array();
        let values: Option<Vec<f64>> = values.and_then(|v| v.iter().map(Value::as_f64).collect());
        let (metric, values) = text(&row["metric"]).zip(values).ok_or_else(|| {
            bad(format!(
                "{at}.rows[{i}]: a metric and its values are needed"
            ))
        })?;
        if values.len() != kernels.len() {
            let reason = format!("{} values for {} kernels", values.len(), kernels.len());
            return Err(bad(format!("{at}.rows[{i}].values: {reason}")));
        }
        rows.push(FigureRow {
            metric,
            unit: text(&row["unit"]).unwrap_or_default(),
            values,
            experiment: text(&row["experiment"]),
            unscored: text(&row["unscored"]),
            counted_as: text(&row["counted"][0]["metric"]),
        });
    }
    Ok(Table {
        id: text(&value["id"]).ok_or_else(|| missing("id"))?,
        title: text(&value["title"]).unwrap_or_default(),
        experiment: text(&value["experiment"]),
        seeds: value["seeds"].as_u64().unwrap_or(1).clamp(1, MOST_SEEDS),
        kernels,
        rows,
    })
}

/// Runs the experiments of a table that have not run yet.
pub fn compare(table: Table, seeds: u64, runs: &mut Runs) -> Compared {
    let mut unknown = Vec::new();
    let experiments = table.experiments();
    let mut ran: Vec<Vec<Ran>> = Vec::new();
    for id in &experiments {
        let each = runs.of(id, &table.kernels, seeds);
        for reason in each.iter().filter_map(|r| r.as_ref().err()) {
            if !unknown.contains(reason) {
                unknown.push(reason.clone());
            }
        }
        ran.push(each);
    }
    let mut values = Vec::new();
    for row in &table.rows {
        let id = table.experiment_of(row);
        let place = experiments.iter().position(|e| *e == id).unwrap_or(0);
        let of = ran[place]
            .iter()
            .map(|ran| values_of(ran, row.counterpart()));
        let of: Vec<Vec<f64>> = of.collect();
        if of.iter().all(Vec::is_empty) && ran[place].iter().any(Result::is_ok) {
            unknown.push(format!("no run measures {:?}", row.counterpart()));
        }
        values.push(of);
    }
    let medians: Vec<Vec<Option<f64>>> = values
        .iter()
        .map(|row| row.iter().map(|seeds| median(seeds)).collect())
        .collect();
    let cells = cells(&table, &medians);
    Compared {
        table,
        values,
        cells,
        unknown,
    }
}

fn values_of(ran: &Ran, metric: &str) -> Vec<f64> {
    let runs = ran.iter().flat_map(|ran| &ran.rows);
    let of_run = runs.filter_map(|rows| rows.iter().find(|row| row.metric == metric));
    of_run.map(|row| row.value).collect()
}

fn run_seeds(id: &str, kernel: &str, seeds: u64) -> Ran {
    let job = Job {
        experiment: id.to_string(),
        kernel: kernel.to_string(),
        seeds,
    };
    let raw = job.raw()?;
    let mut ran = Seeds {
        rows: Vec::new(),
        steps: 0,
        time_ns: 0,
    };
    for more in 0..seeds {
        let seed = raw.seed + more;
        say(&format!("{id}, kernel {kernel}, seed {seed}"));
        let raw = Raw {
            seed,
            ..raw.clone()
        };
        let mut machine = Machine::boot(&full_size::checked(raw)?);
        machine.run(u64::MAX, u64::MAX);
        if more == 0 {
            let end = machine.position();
            (ran.steps, ran.time_ns) = (end.step, end.time_ns);
        }
        ran.rows.push(rows(&Measured::of(&machine)));
    }
    Ok(ran)
}

/// Tables and scores.
pub fn as_json(compared: &[Compared], scores: &Scores) -> Value {
    let tables: Vec<Value> = compared.iter().map(table_json).collect();
    json!({
        "tables": tables,
        "scores": {
            "scored": scores.scored,
            "agree": scores.agree,
            "moving": scores.moving,
            "moving_agree": scores.moving_agree,
            "ratio": scores.ratio,
            "within2": scores.within2,
        },
    })
}

fn table_json(c: &Compared) -> Value {
    let rows = c.table.rows.iter().zip(&c.values).zip(&c.cells);
    let rows = rows.map(|((row, values), cells)| {
        let medians: Vec<Option<f64>> = values.iter().map(|seeds| median(seeds)).collect();
        let spread: Vec<Option<[f64; 2]>> = values.iter().map(|seeds| spread(seeds)).collect();
        let cells: Vec<Value> = cells.iter().map(cell_json).collect();
        json!({
            "metric": row.metric, "unit": row.unit, "values": medians, "spread": spread,
            "published": row.values, "cells": cells, "unscored": row.unscored,
        })
    });
    let stand_ins = c.stand_ins().into_iter();
    let stand_ins =
        stand_ins.map(|(name, id, note)| json!({ "name": name, "kernel": id, "note": note }));
    json!({
        "id": c.table.id,
        "kernels": c.table.kernels,
        "rows": rows.collect::<Vec<Value>>(),
        "unknown": c.unknown,
        "stand_ins": stand_ins.collect::<Vec<Value>>(),
    })
}

/// The smallest and the largest value of some seeds.
fn spread(seeds: &[f64]) -> Option<[f64; 2]> {
    let first = *seeds.first()?;
    let least = seeds.iter().copied().fold(first, f64::min);
    Some([least, seeds.iter().copied().fold(first, f64::max)])
}

fn cell_json(cell: &Cell) -> Value {
    match cell {
        Cell::Baseline => json!("baseline"),
        Cell::Missing => json!("missing"),
        Cell::Noise => json!("noise"),
        Cell::Unscored => json!("unscored"),
        Cell::Scored {
            published,
            simulated,
            agrees,
            ratio,
        } => json!({
            "published": word(*published), "simulated": word(*simulated), "agrees": agrees,
            "ratio": ratio,
        }),
    }
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Flat => "flat",
    }
}

fn as_text(compared: &[Compared], scores: &Scores) -> String {
    let mut out = String::new();
    for c in compared {
        let mut of_table = Scores::default();
        c.cells.iter().flatten().for_each(|cell| of_table.add(cell));
        out.push_str(&format!("{}: {}\n\n", c.table.id, c.table.title));
        out.push_str(&table_text(c));
        for unknown in &c.unknown {
            out.push_str(&format!("not compared: {unknown}\n"));
        }
        for (name, id, note) in c.stand_ins() {
            out.push_str(&format!("{name} is run as {id}: {note}\n"));
        }
        for (row, why) in c
            .table
            .rows
            .iter()
            .filter_map(|r| Some((r, r.unscored.as_ref()?)))
        {
            out.push_str(&format!("not scored: {}: {why}\n", row.metric));
        }
        out.push_str(&format!("{}\n\n", scores_text(&of_table)));
    }
    out.push_str(&format!("all tables: {}\n", scores_text(scores)));
    out
}

/// For each row a line with the published values, a line with the simulated values, and the verdict of
/// each cell.
fn table_text(c: &Compared) -> String {
    let (mut metrics, mut columns) = (Vec::new(), Vec::new());
    for kernel in &c.table.kernels {
        let (name, values) = (kernel.clone(), Vec::new());
        columns.push(Column { name, values });
    }
    let mut verdicts = vec![String::new()];
    for ((row, values), cells) in c.table.rows.iter().zip(&c.values).zip(&c.cells) {
        metrics.push((row.metric.clone(), row.unit.clone()));
        metrics.push(("  simulated".to_string(), row.unit.clone()));
        for (k, column) in columns.iter_mut().enumerate() {
            column.values.push(row.values.get(k).copied());
            column.values.push(median(&values[k]));
        }
        let words: Vec<String> = cells[1..].iter().map(verdict).collect();
        verdicts.push(String::new());
        let seeds = values.iter().map(Vec::len).max().unwrap_or(0);
        let spreads: Vec<String> = values.iter().map(|seeds| spread_text(seeds)).collect();
        verdicts.push(match seeds {
            0 | 1 => words.join(", "),
            _ => format!("{}; {}", words.join(", "), spreads.join(", ")),
        });
    }
    let text = table::table(&metrics, &columns);
    let lines = text.lines().zip(verdicts);
    let lines = lines.map(|(line, verdict)| match verdict.as_str() {
        "" => format!("{line}\n"),
        _ => format!("{line}  {verdict}\n"),
    });
    lines.collect()
}

fn spread_text(seeds: &[f64]) -> String {
    spread(seeds).map_or("-".to_string(), |[least, most]| format!("{least}..{most}"))
}

fn verdict(cell: &Cell) -> String {
    match cell {
        Cell::Baseline => "baseline".to_string(),
        Cell::Missing => "not measured".to_string(),
        Cell::Noise => "noise".to_string(),
        Cell::Unscored => "not scored".to_string(),
        Cell::Scored { agrees, ratio, .. } => {
            let agrees = if *agrees { "agrees" } else { "differs" };
            ratio.map_or(agrees.to_string(), |ratio| format!("{agrees} {ratio:.2}"))
        }
    }
}

fn scores_text(s: &Scores) -> String {
    format!(
        "{} of {} cells agree, {} of {} that move; {} of {} ratios within a factor of two",
        s.agree, s.scored, s.moving_agree, s.moving, s.within2, s.ratio
    )
}

#[cfg(test)]
mod tests {
    use mm::experiment;

    use super::*;

    #[test]
    fn the_projects_own_tables_are_read() {
        let tables = read_figures(Path::new(FIGURES)).expect("tables");
        let ids: Vec<&str> = tables.iter().map(|t| t.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "stress-highalloc",
                "stress-highalloc-vmscan",
                "tiobench",
                "specjbb-4x-thp",
                "autonuma-bench-mainline",
                "stutterp-latency",
                "stutterp-vmstat",
                "fsmark",
                "large-dd",
            ]
        );
        let runnable = tables.iter().filter(|table| is_runnable(table));
        let runnable: Vec<&Table> = runnable.collect();
        let ids: Vec<&str> = runnable.iter().map(|t| t.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "stress-highalloc",
                "stress-highalloc-vmscan",
                "tiobench",
                "specjbb-4x-thp",
                "autonuma-bench-mainline",
                "stutterp-latency",
                "stutterp-vmstat",
                "fsmark",
                "large-dd"
            ]
        );
        for table in runnable {
            for id in table.experiments() {
                assert!(experiment::preset(&id).is_some(), "{id}");
            }
        }
    }

    /// The script of 2010 counts pages of active lists, `/proc/vmstat` does not; a run has both counts.
    #[test]
    fn a_row_is_compared_with_the_count_that_its_source_used() {
        let tables = read_figures(Path::new(FIGURES)).expect("tables");
        let table = tables
            .into_iter()
            .find(|t| t.id == "stress-highalloc-vmscan");
        let mut table = table.expect("a table");
        table.experiment = Some("stress-highalloc.teach".to_string());
        table.kernels.truncate(1);
        table.rows.retain(|row| row.counted_as.is_some());
        let names: Vec<&str> = table.rows.iter().map(|row| row.counterpart()).collect();
        assert_eq!(
            names,
            [
                "Direct reclaim pages scanned",
                "Kswapd pages scanned, active lists too"
            ]
        );
        let mut runs = Runs::default();
        let values = compare(table.clone(), 1, &mut runs).values;
        for row in &mut table.rows {
            row.counted_as = None;
        }
        let otherwise = compare(table, 1, &mut runs).values;
        assert!(values[1][0][0] > otherwise[1][0][0], "{values:?}");
    }

    /// A value from which the experiment was inferred is not evidence for the experiment.
    #[test]
    fn a_row_used_to_infer_the_experiment_is_named_and_not_scored() {
        let tables = read_figures(Path::new(FIGURES)).expect("tables");
        let unscored = tables.iter().flat_map(|t| &t.rows);
        let unscored =
            unscored.filter_map(|row| Some((row.metric.as_str(), row.unscored.as_ref()?)));
        let unscored: Vec<(&str, &str)> = unscored.map(|(m, why)| (m, why.as_str())).collect();
        let disk = "How fast the disk is was inferred from it.";
        assert_eq!(
            unscored,
            [
                (
                    "User/Sys time",
                    "How long an object takes to compile was inferred from it."
                ),
                (
                    "numa02",
                    "How many bytes a second a node's memory moves was inferred from the value of 3.6."
                ),
                ("Elapsed time", disk),
                ("Kswapd pages reclaimed", disk),
                ("Direct pages reclaimed", disk),
                (
                    "Page writes anon",
                    "How much swap there is was inferred from it."
                ),
                (
                    "Page reclaim immediate",
                    "That swap was full was inferred from it."
                ),
            ]
        );
        let table = tables.into_iter().find(|t| t.id == "stress-highalloc");
        let table = table.expect("a table");
        let values: Vec<Vec<Vec<f64>>> = table
            .rows
            .iter()
            .map(|row| row.values.iter().map(|&v| vec![v]).collect())
            .collect();
        let medians: Vec<Vec<Option<f64>>> = table
            .rows
            .iter()
            .map(|row| row.values.iter().copied().map(Some).collect())
            .collect();
        let cells = cells(&table, &medians);
        let compared = [Compared {
            table,
            values,
            cells,
            unknown: Vec::new(),
        }];
        let scores = scored(&compared);
        assert_eq!((scores.scored, scores.agree), (20, 20));
        let text = as_text(&compared, &scores);
        assert!(text.contains("not scored, not scored"), "{text}");
        assert!(
            text.contains(
                "not scored: User/Sys time: How long an object takes to compile was inferred from it."
            ),
            "{text}"
        );
    }

    /// Every published metric has a name that a run reports; only a run shows that it does.
    #[test]
    fn unknown_kernels_experiments_and_metrics_are_named_and_the_rest_is_run() {
        let row = |metric: &str, experiment: &str| FigureRow {
            metric: metric.to_string(),
            unit: "s".to_string(),
            values: vec![1.0, 2.0],
            experiment: Some(experiment.to_string()),
            unscored: None,
            counted_as: None,
        };
        let table = Table {
            id: "t".to_string(),
            title: String::new(),
            experiment: None,
            seeds: 1,
            kernels: vec!["3.0".to_string(), "9.9".to_string()],
            rows: vec![
                row("Elapsed time", "large-dd.teach"),
                row("Colour", "large-dd.teach"),
                row("Elapsed time", "nothing"),
            ],
        };
        let mut runs = Runs::default();
        let again = compare(table.clone(), 2, &mut runs);
        let before = runs.0.len();
        let c = compare(table, 2, &mut runs);
        assert_eq!((runs.0.len(), &c.values), (before, &again.values));
        assert_eq!(
            c.unknown,
            [
                "there is no kernel \"9.9\"",
                "there is no experiment \"nothing\"",
                "no run measures \"Colour\""
            ]
        );
        assert_eq!(c.values[0][0].len(), 2);
        assert!(c.values[0][1].is_empty() && c.values[1][0].is_empty());
        assert!(c.cells.iter().all(|row| row[1] == Cell::Missing));
        let text = table_text(&c);
        assert!(text.contains("not measured"), "{text}");
        let lengths = runs.lengths();
        let length = &lengths.as_array().expect("a list")[0];
        assert_eq!(length["experiment"], "large-dd.teach");
        assert_eq!(length["kernel"], "3.0");
        assert!(length["steps"].as_u64() > Some(1_000_000), "{length}");
        assert!(length["time_ns"].as_u64() > Some(1_000_000_000), "{length}");
        let value = table_json(&c);
        assert_eq!(value["rows"][0]["values"][1], Value::Null);
        assert_eq!(value["rows"][1]["values"][0], Value::Null);
    }
}
