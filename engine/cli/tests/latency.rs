//! Latencies of a report, computed again from the times of the exported log alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

const PAGES: u64 = 100;
const SLEEP_NS: u64 = 5_000_000;

/// A task whose faults are timed, beside one that sometimes takes nearly all memory.
fn experiment() -> Value {
    json!({
        "machine": "x86_64-3g-teach", "kernel": "mm-reclaimcongest-v5r4", "seed": 3,
        "length": "60s",
        "tunables": { "transparent_hugepage": "never", "vm.min_free_kbytes": "256" },
        "workload": { "id": "rounds", "processes": [
            { "name": "hog", "program": [
                { "op": "repeat", "times": 100, "do": [
                    { "op": "map", "region": "heap", "size": "97%" },
                    { "op": "touch", "region": "heap" },
                    { "op": "free", "region": "heap" },
                    { "op": "think", "time": "100ms" },
                ] },
            ] },
            { "name": "anon", "program": [
                { "op": "sample", "name": "mmap-2", "for": "6s", "less": "5ms", "together": "5ms", "do": [
                    { "op": "think", "time": "5ms" },
                    { "op": "map", "region": "small", "size": PAGES },
                    { "op": "touch", "region": "small" },
                    { "op": "free", "region": "small" },
                ] },
                { "op": "stop" },
            ] },
        ] },
    })
}

/// Runs the experiment. Returns its report and the events of its log.
fn run() -> (Value, Vec<Value>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latency");
    fs::create_dir_all(&folder).expect("a folder for the test");
    let [recipe, events] = ["experiment.json", "events.jsonl"].map(|name| folder.join(name));
    fs::write(&recipe, experiment().to_string()).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .arg("run")
        .arg(&recipe)
        .args(["--report", "json", "--events"])
        .arg(&events)
        .output()
        .expect("mmscope runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    let report = serde_json::from_slice(&output.stdout).expect("stdout is JSON");
    let log = fs::read_to_string(&events).expect("a log");
    let log = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    (report, log.collect())
}

fn time(event: &Value) -> u64 {
    event["time_ns"].as_u64().expect("a time")
}

/// The lines that mmap-latency of 2021 prints of rounds. Short rounds are added to the long one that
/// ends them; those pending at the end are lost. Each line is as many samples as it counts.
fn samples(rounds: &[u64]) -> Vec<u64> {
    let mut samples = Vec::new();
    let mut pending: Vec<u64> = Vec::new();
    for &ns in rounds {
        let is_long = ns >= SLEEP_NS;
        let count = pending.len();
        let told = if is_long { 0 } else { 1 };
        if count + told == 1000 || (is_long && count > 0) {
            let of = count + told;
            let mean = (pending.iter().sum::<u64>() + ns) / of as u64;
            samples.extend(std::iter::repeat_n(mean, of));
            pending.clear();
        } else if !is_long {
            pending.push(ns);
        }
        if is_long {
            samples.push(ns);
        }
    }
    samples.sort_unstable();
    samples
}

#[test]
fn latencies_are_the_times_between_the_ends_of_rounds_in_the_log() {
    let (report, log) = run();
    let ends = log
        .iter()
        .enumerate()
        .filter(|(_, e)| e["event"] == "round_ended");
    let ends: Vec<(usize, &Value)> = ends.collect();
    let task = &ends[0].1["comm"];
    let rounds: Vec<u64> = ends
        .windows(2)
        .map(|pair| (time(pair[1].1) - time(pair[0].1)).saturating_sub(SLEEP_NS))
        .collect();
    // In each round every page was faulted in.
    for pair in ends.windows(2) {
        let of_round = &log[pair[0].0..pair[1].0];
        let allocs = of_round
            .iter()
            .filter(|e| e["event"] == "mm_page_alloc" && e["comm"] == *task && e["order"] == 0);
        assert!(allocs.count() as u64 >= PAGES);
    }

    let x: Vec<f64> = samples(&rounds).iter().map(|&ns| ns as f64 / 1e6).collect();
    let n = x.len();
    let is_long = |&&ns: &&u64| ns >= SLEEP_NS;
    let long = rounds.iter().filter(is_long).count();
    assert!(long > 1 && n > long, "{long} of {n} rounds are long");
    let mean = x.iter().sum::<f64>() / n as f64;
    let squares: f64 = x.iter().map(|v| (v - mean) * (v - mean)).sum();
    let percentile = |p: usize| x[(n * p / 100).max(1) - 1];
    for (metric, expected) in [
        ("Min", x[0]),
        ("2nd-qrtle", percentile(50)),
        ("Max-90", percentile(90)),
        ("Max-99", percentile(99)),
        ("Max", x[n - 1]),
        ("Amean", mean),
        ("Stddev", (squares / (n - 1) as f64).sqrt()),
    ] {
        let metric = format!("{metric} mmap-2");
        let rows = report["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["metric"] == *metric);
        let value = row.and_then(|row| row["value"].as_f64()).expect("a value");
        assert!(
            (value - expected).abs() < 0.000_11,
            "{metric}: {value} and {expected}"
        );
    }
    // As many rounds and sleeps as fit into the time; the last round may end later.
    let whole: u64 = rounds.iter().map(|ns| ns + SLEEP_NS).sum();
    let last = rounds[rounds.len() - 1] + SLEEP_NS;
    assert!(
        whole >= 6_000_000_000 && whole - last < 6_000_000_000,
        "{whole}"
    );
}
