//! `sweep` and `verify`, as a person or a cluster calls them.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::called::{Called, call, call_in, folder, good, refused_with};

/// 32 short runs.
const SWEEP: &str = r#"{ "experiment": "first-touch.teach",
    "axes": { "kernel": ["3.0", "6.1"], "seed": { "from": 1, "to": 8 },
        "tunables.vm.swappiness": [60, 1], "length": ["3ms"] },
    "figures": ["pgfault", "numa_hit", "Elapsed time"] }"#;

fn sweep(words: &[&str]) -> Called {
    let called = call_in(Path::new("."), &[&["sweep", "-"], words].concat(), SWEEP);
    assert_eq!(called.code, 0, "{words:?}: {}", called.err);
    called
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.sort();
    lines
}

/// All lines of a folder's files, joined as by `cat`.
fn joined(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        text += &fs::read_to_string(entry.expect("a file").path()).expect("text");
    }
    text
}

fn parsed(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

#[test]
fn prints_one_line_with_inputs_and_result_for_each_run() {
    let called = sweep(&["--jobs", "3"]);
    assert!(called.err.contains("32 run now"), "{}", called.err);
    let lines = parsed(&called.out);
    assert_eq!(lines.len(), 32);
    let line = lines
        .iter()
        .find(|l| l["axes"]["kernel"] == "6.1" && l["seed"] == 7)
        .expect("this combination");
    let set = format!("vm.swappiness={}", line["axes"]["tunables.vm.swappiness"]);
    let words = [
        "hash",
        "first-touch.teach",
        "--kernel",
        "6.1",
        "--seed",
        "7",
    ];
    let hash = good(&[&words[..], &["--until", "3ms", "--set", &set]].concat());
    assert_ne!(
        line["hash"],
        hash.out.trim_end(),
        "the run goes on to its end"
    );
    let experiment = json!({ "experiment": "first-touch.teach", "axes": {
        "kernel": ["6.1"], "seed": [7], "length": ["3ms"],
        "tunables.vm.swappiness": [line["axes"]["tunables.vm.swappiness"]] } });
    let alone = call_in(Path::new("."), &["sweep", "-"], &experiment.to_string());
    let alone = alone.json();
    for field in ["key", "hash", "steps", "seconds", "ended", "seed", "engine"] {
        assert_eq!(alone[field], line[field], "{field}");
    }
    let names: Vec<&String> = line["figures"]
        .as_object()
        .expect("figures")
        .keys()
        .collect();
    assert_eq!(names, ["Elapsed time", "numa_hit", "pgfault"]);
    assert!(line["figures"]["pgfault"].as_u64() > Some(0), "{line}");
    assert_eq!(alone["figures"]["pgfault"], line["figures"]["pgfault"]);
    assert!(alone["figures"]["pgalloc_dma32"].is_u64(), "{alone}");
}

#[test]
fn gives_the_same_lines_for_any_number_of_shards_in_any_order() {
    let whole = sorted(&sweep(&["--jobs", "1"]).out);
    for (shards, jobs) in [(2, "2"), (5, "1")] {
        let mut lines = Vec::new();
        for i in (1..=shards).rev() {
            let shard = format!("{i}/{shards}");
            lines.extend(sorted(&sweep(&["--shard", &shard, "--jobs", jobs]).out));
        }
        lines.sort();
        assert_eq!(lines, whole, "{shards} shards");
    }
}

#[test]
fn runs_equal_experiments_once_and_names_every_combination() {
    let text = r#"{ "experiment": "first-touch.teach", "axes": { "length": ["1ms", "1000us", "2ms"],
        "machine.nodes[0].cpus": [2, 1] } }"#;
    let called = call_in(Path::new("."), &["sweep", "-", "--jobs", "1"], text);
    let lines = parsed(&called.out);
    assert_eq!(lines.len(), 4, "{}", called.err);
    let both = lines.iter().filter(|line| line["same"].is_array());
    let both: Vec<&Value> = both.collect();
    assert_eq!(both.len(), 2);
    for line in both {
        assert_eq!(line["axes"]["length"], "1ms");
        assert_eq!(line["same"][0]["length"], "1000us");
    }
}

/// A generator of evenly distributed numbers, which are the same in each run of the test.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

#[test]
fn loses_and_repeats_no_run_when_killed_twenty_times() {
    let at = folder("sweep-killed");
    let file = at.join("sweep.json");
    fs::write(&file, SWEEP).expect("written");
    let file = file.to_str().expect("UTF-8");
    let whole = sorted(&sweep(&["--jobs", "2"]).out);
    let mut dice = Dice(7);
    let (mut kills, mut rounds, mut continued) = (0, 0, 0);
    while kills < 20 {
        let results = at.join(format!("results-{rounds}"));
        fs::create_dir_all(&results).expect("a folder");
        let to = results.to_str().expect("UTF-8");
        rounds += 1;
        loop {
            let shard = ["1/1", "1/2", "2/2"][dice.below(3) as usize];
            let jobs = (1 + dice.below(3)).to_string();
            let mut child = Command::new(env!("CARGO_BIN_EXE_mmscope"))
                .args(["sweep", file, "--resume", to, "--json-lines"])
                .args(["--shard", shard, "--jobs", &jobs])
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("mmscope starts");
            // Kills the sweep after a few lines and a short delay.
            let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
            lines.by_ref().take(dice.below(5) as usize).for_each(drop);
            sleep(Duration::from_millis(dice.below(30)));
            let ended = child.try_wait().expect("a child").is_some();
            child.kill().expect("killed, or ended");
            child.wait().expect("ends");
            kills += u32::from(!ended);
            if kills >= 20 || ended {
                break;
            }
        }
        continued += joined(&results).lines().count();
        sweep(&["--resume", to]);
        assert_eq!(sorted(&joined(&results)), whole, "round {rounds}");
    }
    assert!(
        continued > 0,
        "every command was killed before its first line"
    );
}

#[test]
fn repeats_the_run_of_an_incomplete_last_line() {
    let at = folder("sweep-incomplete");
    let to = at.to_str().expect("UTF-8");
    let whole = sorted(&sweep(&["--resume", to, "--shard", "1/2", "--json-lines"]).out);
    sweep(&["--resume", to, "--shard", "2/2"]);
    let complete = sorted(&joined(&at));
    assert!(whole.iter().all(|line| complete.contains(line)));
    for name in ["1-of-2.jsonl", "2-of-2.jsonl"] {
        let path = at.join(name);
        let text = fs::read_to_string(&path).expect("lines");
        // Without its line feed, a line is incomplete too.
        let cut = if name.starts_with('1') { 40 } else { 1 };
        fs::write(&path, &text[..text.len() - cut]).expect("written");
    }
    // A third division of the same sweep repairs both files.
    let called = sweep(&["--resume", to]);
    assert!(
        called.err.contains("2 run now, 30 finished"),
        "{}",
        called.err
    );
    assert_eq!(sorted(&joined(&at)), complete);
    let called = sweep(&["--resume", to]);
    assert!(
        called.err.contains("0 run now, 32 finished"),
        "{}",
        called.err
    );
}

#[test]
fn refuses_a_folder_that_it_cannot_continue() {
    let at = folder("sweep-folder");
    let to = at.to_str().expect("UTF-8");
    sweep(&["--resume", to]);
    let path = at.join("1-of-1.jsonl");
    let words = ["sweep", "-", "--resume", to];
    let other = SWEEP.replace("numa_hit", "pgscan_direct");
    refused_with(&words, &other, "without the figure \"pgscan_direct\"");
    let lock = OpenOptions::new().append(true).open(&path).expect("a file");
    lock.lock().expect("locked");
    refused_with(&words, SWEEP, "another sweep writes to this file");
    drop(lock);
    // Results of another engine are kept, and do not count.
    let text = fs::read_to_string(&path).expect("lines");
    let version = format!("\"engine\":\"{}\"", env!("CARGO_PKG_VERSION"));
    fs::write(&path, text.replace(&version, "\"engine\":\"0.0.1\"")).expect("written");
    let called = sweep(&["--resume", to]);
    assert!(
        called.err.contains("32 run now, 0 finished"),
        "{}",
        called.err
    );
    let mut file = File::create(at.join("notes.jsonl")).expect("a file");
    file.write_all(b"{}\n").expect("written");
    refused_with(&words, SWEEP, "notes.jsonl: line 1 is not a result");
}

#[test]
fn checks_every_combination_before_the_first_run() {
    let refused = |text: &str, says: &str| refused_with(&["sweep", "-"], text, says);
    refused("{", "stdin: not JSON");
    refused("[]", "a sweep is a JSON object");
    refused(r#"{ "axes": {} }"#, "experiment: this field is missing");
    refused(r#"{ "experiment": "x" }"#, "no experiment is called 'x'");
    refused(
        r#"{ "experiment": "first-touch.teach", "axis": {} }"#,
        "axis: unknown field",
    );
    refused(
        r#"{ "experiment": "first-touch.teach", "figures": "pgfault" }"#,
        "figures: expected a list of names",
    );
    let with = |axes: &str| format!(r#"{{ "experiment": "first-touch.teach", "axes": {axes} }}"#);
    for (axes, says) in [
        (
            r#"{ "seed": 1 }"#,
            "axes.seed: expected a list of values, or a range",
        ),
        (r#"{ "sede": [1] }"#, "with sede=1: sede: unknown field"),
        (
            r#"{ "kernel": ["3.0", "3.x"] }"#,
            "with kernel=3.x: kernel: no kernel is called '3.x'",
        ),
        (
            r#"{ "kernel": ["3.0", "6.1"], "tunables.vm.watermark_scale_factor": [20] }"#,
            "with kernel=3.0, tunables.vm.watermark_scale_factor=20: tunables.vm.watermark_scale_factor: ",
        ),
        (
            r#"{ "machine.nodes.7.cpus": [1, 2] }"#,
            "with machine.nodes.7.cpus=2: machine.nodes.7.cpus: '7' is not the number of an item",
        ),
        (
            r#"{ "patches": [[], ["x"]] }"#,
            "with patches=[\"x\"]: patches[0]: no patch is called 'x'",
        ),
    ] {
        refused(&with(axes), says);
    }
    for (words, says) in [
        (["--shard", "0/2"], "--shard 0/2: write I/N"),
        (["--shard", "3/2"], "--shard 3/2: write I/N"),
        (["--jobs", "0"], "--jobs 0: a whole number"),
        (["--jobs", "many"], "--jobs many: a whole number"),
    ] {
        refused_with(&[&["sweep", "-"], &words[..]].concat(), SWEEP, says);
    }
    refused_with(
        &["sweep", "-", "--json-lines"],
        SWEEP,
        "belongs to --resume",
    );
    refused_with(&["sweep"], "", "which FILE?");
}

#[test]
fn names_the_figures_that_no_run_has() {
    let text = SWEEP.replace("numa_hit", "numa_hits");
    let called = call_in(Path::new("."), &["sweep", "-", "--shard", "1/4"], &text);
    assert_eq!(called.code, 0, "{}", called.err);
    assert!(
        called
            .err
            .contains("no run has a figure called \"numa_hits\""),
        "{}",
        called.err
    );
}

#[test]
fn verify_reads_results_that_the_page_saves() {
    let at = folder("verify-page");
    let report = good(&["run", "first-touch.teach", "--report", "json"]).json();
    let check = |name: &str, text: &str| {
        let file = at.join(name);
        fs::write(&file, text).expect("written");
        call(&["verify", file.to_str().expect("UTF-8")])
    };
    let page = |report: &Value| {
        let data = report.to_string().replace('<', "\\u003c");
        format!(
            "<!doctype html>\n<script type=\"application/json\" id=\"mmscope-result\">\n{data}</script>"
        )
    };
    let called = check("result.html", &page(&report));
    assert_eq!(called.code, 0, "{}{}", called.out, called.err);
    assert!(called.out.contains("reproduced"), "{}", called.out);
    let mut wrong = report.clone();
    wrong["counters"]["pgfault"] = json!(1);
    let called = check("wrong.html", &page(&wrong));
    assert_eq!(called.code, 1, "{}", called.out);
    assert!(
        called.out.contains("differs: pgfault 1, here "),
        "{}",
        called.out
    );
    let called = check("other.html", "<!doctype html><p>Hello</p>");
    assert_eq!(called.code, 2, "{}", called.out);
    assert!(called.err.contains("contains no results"), "{}", called.err);

    let mut moment = json!({
        "format": "mmscope moment", "v": 5, "experiment": report["experiment"],
        "result": {
            "step": report["position"]["step"], "time_ns": report["position"]["time_ns"],
            "hash": report["hash"], "engine": report["version"], "build": "a build", "ended": true,
            "figures": [["pgfault", report["counters"]["pgfault"]]] }
    });
    let called = check("moment.mmscope.json", &moment.to_string());
    assert_eq!(called.code, 0, "{}{}", called.out, called.err);
    moment["result"]["hash"] = json!("0000000000000000");
    let called = check("moment.mmscope.json", &moment.to_string());
    assert_eq!(called.code, 1, "{}", called.out);
    assert!(
        called.out.contains("differs: hash 0000000000000000"),
        "{}",
        called.out
    );
    moment.as_object_mut().expect("an object").remove("result");
    let called = check("moment.mmscope.json", &moment.to_string());
    assert_eq!(called.code, 2, "{}", called.out);
    assert!(called.err.contains("carries no result"), "{}", called.err);
}

#[test]
fn a_report_lists_the_functions_and_costs_that_the_run_depends_on() {
    let report = good(&["run", "first-touch.teach", "--report", "json"]).json();
    let on = &report["rests_on"];
    let named = |list: &str, name: &str| {
        let all = on[list].as_array().expect("a list");
        all.iter().find(|each| each["name"] == name).cloned()
    };
    let function = named("functions", "get_page_from_freelist").expect("called");
    assert!(function["calls"].as_u64() > Some(0), "{function}");
    assert!(function["fidelity"].is_string() && function["file"] == "mm/page_alloc.c");
    let cost = named("costs", "minor_fault").expect("used");
    assert!(
        cost["ns"].as_u64() > Some(0)
            && cost["about"].as_str().is_some_and(|a| a.contains("fault"))
    );
    assert_eq!(named("costs", "migrate_page"), None, "nothing was migrated");
}

#[test]
fn verify_prints_reproduced_or_the_differences() {
    let at = folder("verify");
    let file = at.join("lines.jsonl");
    let name = file.to_str().expect("UTF-8");
    let lines = sweep(&["--shard", "1/4"]).out;
    let count = lines.lines().count();
    fs::write(&file, &lines).expect("written");
    let called = good(&["verify", name]);
    assert!(
        called
            .out
            .ends_with(&format!("{count} of {count} runs reproduced\n"))
    );
    let mut values = parsed(&lines);
    // Numbers as jq writes them, and a list instead of lines.
    values[0]["figures"]["pgfault"] = json!(values[0]["figures"]["pgfault"].as_f64());
    fs::write(&file, json!(values).to_string()).expect("written");
    good(&["verify", name]);

    let differs = |change: &dyn Fn(&mut Value), says: &[&str]| {
        let mut changed = values.clone();
        change(&mut changed[1]);
        fs::write(&file, json!(changed).to_string()).expect("written");
        let called = call(&["verify", name]);
        assert_eq!(called.code, 1, "{}", called.err);
        let line = called.out.lines().nth(1).expect("a line for each run");
        for text in says {
            assert!(line.contains(text), "{text}: {line}");
        }
        assert!(
            called
                .out
                .ends_with(&format!("{} of {count} runs reproduced\n", count - 1))
        );
    };
    let hash = values[1]["hash"].as_str().expect("a hash").to_string();
    differs(
        &|line| line["hash"] = json!("00"),
        &["differs: hash 00, here ", &hash],
    );
    differs(
        &|line| line["figures"]["pgfault"] = json!(1),
        &["pgfault 1, here "],
    );
    differs(
        &|line| line["axes"]["seed"] = json!(99),
        &["key ", "hash ", "here "],
    );
    differs(
        &|line| {
            line["engine"] = json!("0.0.1");
            line["ended"] = json!("panic");
        },
        &["engine 0.0.1, here ", "ended panic, here "],
    );
    differs(
        &|line| line["experiment"] = json!("gone"),
        &["cannot run here", "'gone'"],
    );
    values[0]["engine"] = json!("0.0.1");
    fs::write(&file, json!(values).to_string()).expect("written");
    let called = good(&["verify", name]);
    assert!(
        called.out.contains("reproduced (engine 0.0.1, here "),
        "{}",
        called.out
    );
}

#[test]
fn verify_reproduces_reports_of_complete_and_of_stopped_runs() {
    let at = folder("verify-report");
    let file = at.join("report.json");
    let name = file.to_str().expect("UTF-8");
    for words in [vec![], vec!["--until", "2ms"], vec!["--until", "777"]] {
        let run = [
            "run",
            "first-touch.teach",
            "--report",
            "json",
            "--seed",
            "5",
        ];
        let report = good(&[&run[..], &words].concat());
        fs::write(&file, &report.out).expect("written");
        assert!(
            good(&["verify", name])
                .out
                .contains("1 of 1 runs reproduced")
        );
        let mut changed = report.json();
        changed["counters"]["pgfault"] = json!(0);
        fs::write(&file, changed.to_string()).expect("written");
        let called = call(&["verify", name]);
        assert_eq!(called.code, 1, "{}", called.err);
        assert!(
            called.out.contains("differs: pgfault 0, here "),
            "{}",
            called.out
        );
    }
}

#[test]
fn verify_refuses_a_file_that_is_not_a_result() {
    let refused = |text: &str, says: &str| refused_with(&["verify", "-"], text, says);
    refused("{", "stdin: line 1: not JSON");
    refused("[]", "no results of runs");
    refused("{}", "stdin: not a line of sweep: missing field");
    refused("[{}, 1]", "stdin: [0]: not a line of sweep");
    refused(
        r#"{ "position": {} }"#,
        "not a report of run --report json: missing field",
    );
    let line = sweep(&["--shard", "1/9"]).out;
    let line = line.lines().next().expect("a line");
    refused(
        &format!("{line}\n{}", &line[..50]),
        "stdin: line 2: not JSON",
    );
}
