//! The output of a run: reports, files of the kernel, events, a trace.

use std::fs;

use serde_json::Value;

use super::called::{TEACH, call, call_in, folder, good, refused};

#[test]
fn run_prints_its_report_as_text_and_as_json() {
    let short = good(&["run", TEACH, "--until", "5ms"]);
    assert!(
        short.out.contains(TEACH) && short.out.contains("0/DMA32"),
        "{}",
        short.out
    );
    let report = good(&["run", TEACH, "--until", "5ms", "--report", "json"]).json();
    let hash = good(&["hash", TEACH, "--until", "5ms"]).out;
    assert_eq!(report["hash"], hash.trim_end());
    assert!(short.out.contains(hash.trim_end()));
    for zone in report["zones"].as_array().expect("zones") {
        let states = zone["states"].as_object().expect("states by name");
        let sum: u64 = states.values().filter_map(Value::as_u64).sum();
        assert_eq!(Some(sum), zone["present"].as_u64());
    }
    assert!(report["nodes"][0]["kswapd_wakes"].is_u64());
    assert!(report["tasks"][0]["name"].is_string());
    assert!(report["counters"]["pgfault"].as_u64() > Some(0));
    assert_eq!(report["info"]["experiment"], TEACH);
    refused(
        &["run", TEACH, "--report", "xml"],
        "the forms are mmtests and json",
    );
}

#[test]
fn a_file_that_a_kernel_does_not_have_is_refused() {
    let words = [
        "run",
        "stress-highalloc.teach",
        "--until",
        "1",
        "--extfrag-index",
        "x",
    ];
    let called = call(&words);
    assert_eq!(called.code, 2, "{}", called.err);
    assert!(called.err.contains("has no such file"), "{}", called.err);
}

#[test]
fn run_writes_the_kernels_files_and_its_events() {
    let at = folder("files");
    let words = [
        "run",
        TEACH,
        "--until",
        "30000",
        "--vmstat",
        "v",
        "--zoneinfo",
        "z",
        "--buddyinfo",
        "b",
        "--pagetypeinfo",
        "p",
        "--unusable-index",
        "u",
        "--extfrag-index",
        "x",
        "--events",
        "e",
    ];
    let called = call_in(&at, &words, "");
    assert_eq!(called.code, 0, "{}", called.err);
    let read = |name: &str| fs::read_to_string(at.join(name)).expect(name);
    assert!(read("v").contains("pgfault "));
    assert!(read("z").contains("Node 0, zone"));
    assert!(read("b").contains("Node 0, zone"));
    assert!(read("p").contains("Movable"));
    assert!(read("u").starts_with("Node 0, zone ") && read("u").contains(" 0.000 "));
    assert!(read("x").starts_with("Node 0, zone ") && read("x").contains(" -1.000 "));
    let events = read("e");
    let mut last = 0;
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).expect("one object per line");
        let step = event["step"].as_u64().expect("a step");
        assert!(event["event"].is_string() && step >= last);
        last = step;
    }
    assert!(events.contains("mm_page_alloc") && last < 30_000);
    let plain = good(&["hash", TEACH, "--until", "30000"]).out;
    assert!(
        called.out.contains(plain.trim_end()),
        "recording changes nothing"
    );
}

#[test]
fn run_prints_the_rows_of_a_published_table() {
    let table = good(&["run", "fsmark.teach", "--report", "mmtests"]);
    let lines: Vec<&str> = table.out.lines().collect();
    for metric in ["Files/s mean", "Elapsed time", "Kswapd inode steals"] {
        assert!(
            lines.iter().any(|line| line.starts_with(metric)),
            "{metric}"
        );
    }
    let json = good(&["run", "fsmark.teach", "--report", "json"]).json();
    let rows = json["rows"].as_array().expect("rows");
    let value = |metric: &str| {
        let row = rows.iter().find(|row| row["metric"] == metric);
        row.and_then(|row| row["value"].as_f64()).expect(metric)
    };
    assert_eq!(
        value("Page Outs"),
        json["counters"]["pgpgout"].as_f64().expect("KiB")
    );
    assert!(value("Files/s min") > 0.0 && value("Files/s min") <= value("Files/s mean"));
    assert!(value("User/Sys time") > 0.0);
    let called = call(&["run", "fsmark.teach", "--report", "xml"]);
    assert_eq!(called.code, 2);
    assert!(called.err.contains("mmtests and json"), "{}", called.err);
}

#[test]
fn run_writes_a_trace_in_the_format_of_the_kernel() {
    let folder = folder("ftrace");
    let path = folder.join("trace.txt").display().to_string();
    let events = folder.join("events.jsonl").display().to_string();
    let words = [
        "run",
        "fsmark.teach",
        "--until",
        "200s",
        "--ftrace",
        &path,
        "--events",
        &events,
    ];
    let with = good(&words).out;
    assert_eq!(with, good(&words[..4]).out, "recording changes nothing");
    let text = fs::read_to_string(&path).expect("a trace");
    let first = text.lines().next().expect("a line");
    assert!(
        first.starts_with("# Simulated by mmscope: fsmark.teach, kernel 3.0"),
        "{first}"
    );
    let lines = text.lines().filter(|line| !line.starts_with('#')).count();
    let told = fs::read_to_string(&events).expect("events").lines().count();
    assert_eq!(lines, told);
    assert!(text.contains(": mm_vmscan_kswapd_wake: nid=0 order=0\n"));
    // Kernels up to 3.2 print no flags, so the lines for scripts are the same.
    let script = folder.join("script.txt").display().to_string();
    let words = [
        "run",
        "fsmark.teach",
        "--until",
        "200s",
        "--ftrace-script",
        &script,
    ];
    good(&words);
    let script = fs::read_to_string(&script).expect("a trace");
    assert!(script.contains("\n# For the kernel's own scripts"));
    let events = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    assert!(events(&script) == events(&text));
}

/// A run in which a driver takes all memory and no process has any.
#[test]
fn a_kernel_panic_ends_the_run_and_is_reported() {
    let experiment = r#"{ "id": "panic", "machine": "x86_64-8g-teach", "kernel": "3.16", "seed": 1,
        "length": "1s", "tunables": { "transparent_hugepage": "never" },
        "workload": { "id": "w", "processes": [{ "name": "driver", "program": [
            { "op": "alloc", "pool": "p", "order": 0, "count": "100%" }] }] } }"#;
    let at = folder("panic");
    let short = call_in(&at, &["run", "-"], experiment);
    assert_eq!(short.code, 0, "{}", short.err);
    let says = "kernel panic: Out of memory and no killable processes...";
    assert!(short.out.contains(says), "{}", short.out);
    let report = call_in(&at, &["run", "-", "--report", "json"], experiment).json();
    assert_eq!(
        report["panic"],
        "Out of memory and no killable processes..."
    );
    assert_eq!(report["position"]["ended"], true);
    assert!(report["position"]["time_ns"].as_u64() < Some(1_000_000_000));
    let events = call_in(&at, &["run", "-", "--events", "-"], experiment);
    assert!(events.out.trim_end().ends_with('}') && events.out.contains("\"kernel_panic\""));
    // The report of a run without a panic does not mention one.
    let report = good(&["run", TEACH, "--report", "json"]).json();
    assert!(report["panic"].is_null());
}

/// How often kswapd was woken, its passes, and its CPU time.
#[test]
fn the_short_report_summarizes_the_work_of_kswapd() {
    let run = |until: &str| good(&["run", "anon-hog.teach", "--until", until]).out;
    let line = |out: &str| {
        let found = out.lines().find(|line| line.starts_with("kswapd0: "));
        found.expect("a line of kswapd0").to_string()
    };
    assert!(line(&run("1")).contains(", never woken, "));
    let late = line(&run("60s"));
    let has = |what: &str| assert!(late.contains(what), "{late}");
    has(" times, ");
    has(" passes of balance_pgdat, ");
    has(" ms of CPU time, ");
    has(" % of a CPU");
}
