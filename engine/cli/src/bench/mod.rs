//! `mmscope bench`: measures the speed of the engine on this machine. The figures are never tested,
//! because other programs share the machine.

mod lists;
mod reclaim;
mod runs;

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::args::Parsed;
use crate::failure::Outcome;
use crate::output::{print, say};
use runs::Case;

/// The amount of measuring.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Number of repeats; their median is the result.
    pub repeats: u32,
    /// Number of steps back and of seeks.
    pub looks: u32,
}

const TEACHING: &str = include_str!("../../bench/teaching.json");
const BIG: &str = include_str!("../../bench/4mi.json");
const ALLOCATOR: &str = include_str!("../../bench/allocator.json");
const STORM: &str = include_str!("../../bench/storm.json");
const RECLAIM: &str = include_str!("../../bench/reclaim.json");
/// Sizes of the machines on which reclaim is measured: name, pages.
const RECLAIM_SIZES: [(&str, u32); 4] = [
    ("64ki", 1 << 16),
    ("256ki", 1 << 18),
    ("1mi", 1 << 20),
    ("4mi", 1 << 22),
];

/// Measures and prints the figures.
///
/// # Errors
/// The pipe is closed.
pub fn bench(parsed: &Parsed) -> Outcome<()> {
    let is_quick = parsed.has("--quick");
    let env = env(is_quick);
    if env["load_1min_at_start"].as_f64() > env["cpus"].as_f64() {
        say("other programs keep this machine busy: the figures will be too low");
    }
    let figures = measure(is_quick)?;
    let ratio = |a: &str, b: &str| Some(figures[a].as_f64()? / figures[b].as_f64()?);
    let list_ratio = ratio("list_touches_per_s", "pointer_chase_per_s");
    let report = json!({
        "env": env,
        "native": figures,
        "ratios": { "list_touches_to_pointer_chase_native": list_ratio },
        "aims": aims(),
    });
    if parsed.has("--json") {
        return print(&format!("{report:#}\n"));
    }
    let rows = figures.iter().map(|(name, value)| {
        let value = value.as_f64().unwrap_or_default();
        format!("{name:40} {value:>16.2}\n")
    });
    print(&rows.collect::<String>())
}

fn measure(is_quick: bool) -> Outcome<Map<String, Value>> {
    let effort = Effort {
        repeats: 3,
        looks: if is_quick { 12 } else { 40 },
    };
    let divisor = if is_quick { 5 } else { 1 };
    let million = 1_000_000 / divisor;
    let mut figures = Map::new();
    say("native: a teaching machine");
    let teaching = Case {
        name: "teaching",
        json: TEACHING,
        budget: 32,
        warm_up: 10 * million,
        run: 100 * million,
        stepped: 20 * million,
        middle: 100 * million,
    };
    runs::speeds(&teaching, effort, &mut figures)?;
    let allocator = runs::allocator(ALLOCATOR, 50 * million, effort)?;
    figures.insert("allocator_ops_per_s".into(), allocator.into());
    say("native: 4 Mi pages");
    let big = Case {
        name: "4mi",
        json: BIG,
        budget: 512,
        warm_up: 100 * million,
        run: 50 * million,
        stepped: 15 * million,
        middle: 100 * million,
    };
    runs::speeds(&big, effort, &mut figures)?;
    say("native: a reclaim storm on 4 Mi pages");
    let storm = Case {
        name: "storm",
        json: STORM,
        budget: 512,
        // Memory is full only after 107 million steps, however short the measurement is.
        warm_up: 120_000_000,
        run: 20 * million,
        stepped: 5 * million,
        middle: 125_000_000,
    };
    runs::speeds(&storm, effort, &mut figures)?;
    say("native: lists");
    let touches = lists::touches(effort.repeats);
    figures.insert("list_touches_per_s".into(), touches.into());
    let chase = lists::chase(lists::PAGES, effort.repeats);
    figures.insert("pointer_chase_per_s".into(), chase.into());
    say("native: reclaim");
    for (name, pages) in RECLAIM_SIZES {
        let visits = reclaim::visits(RECLAIM, pages.into(), effort.repeats)?;
        figures.insert(format!("page_visits_{name}_per_s"), visits.into());
        let chase = lists::chase(pages, effort.repeats);
        figures.insert(
            format!("page_visits_{name}_to_chase"),
            (visits / chase).into(),
        );
    }
    Ok(figures)
}

/// The goals of the engine, by figure; `ratios` by ratio.
fn aims() -> Value {
    json!({
        "run_teaching_points_per_s": { "wasm_at_least": 100e6 },
        "run_4mi_points_per_s": { "wasm_at_least": 20e6 },
        "step_recorded_teaching_points_per_s": { "wasm_at_least": 20e6 },
        "step_recorded_4mi_points_per_s": { "wasm_at_least": 8e6 },
        "state_4mi_bytes_per_frame": { "at_most": 28 },
        "step_back_teaching_ms": { "at_most": 16 },
        "step_back_4mi_ms": { "at_most": 16 },
        "step_back_storm_ms": { "at_most": 16 },
        "seek_teaching_ms": { "at_most": 100 },
        "seek_4mi_ms": { "at_most": 100 },
        "seek_storm_ms": { "at_most": 100 },
        "page_visits_4mi_to_chase": { "at_least": 3 },
        "ratios": { "wasm_to_native": 0.9, "list_touches_to_pointer_chase": 10 },
    })
}

/// The machine on which the engine was measured.
fn env(is_quick: bool) -> Value {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = load();
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "model name").then(|| value.trim().to_string())
    });
    json!({
        "version": mm::VERSION,
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "cpu": model,
        "cpus": cpus,
        "load_1min_at_start": load,
        "optimised": !cfg!(debug_assertions),
        "quick": is_quick,
    })
}

/// The load average of the last minute, if the system reports it.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// The time that work took.
fn time(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

/// Milliseconds that work took.
pub fn milliseconds(work: impl FnOnce()) -> f64 {
    time(work).as_secs_f64() * 1000.0
}

/// Operations per second, if the work does `count` of them.
pub fn per_second(count: u64, work: impl FnOnce()) -> f64 {
    count as f64 / time(work).as_secs_f64()
}

/// The median; 0 for no values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_of_the_benchmark_is_valid() {
        for json in [TEACHING, BIG, STORM, ALLOCATOR] {
            let experiment = mm::experiment::Experiment::from_json(json);
            assert!(experiment.is_ok(), "{:?}", experiment.err());
        }
        for (_, pages) in RECLAIM_SIZES {
            let json = reclaim::sized(RECLAIM, pages.into());
            let experiment = mm::experiment::Experiment::from_json(&json);
            assert!(experiment.is_ok(), "{:?}", experiment.err());
        }
    }

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![]), 0.0);
    }
}
