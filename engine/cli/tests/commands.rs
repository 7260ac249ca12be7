//! Every command as a person meets it: the program, its two streams and its exit code.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What one call came to.
struct Called {
    code: i32,
    out: String,
    err: String,
}

impl Called {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect("stdout is JSON")
    }
}

/// A folder of a test's own, empty at first.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder for the test");
    path
}

fn call_in(cwd: &Path, words: &[&str], stdin: &str) -> Called {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .args(words)
        .current_dir(cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mmscope starts");
    let mut pipe = child.stdin.take().expect("stdin is a pipe");
    // A command that reads nothing may be gone already.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().expect("mmscope ends");
    Called {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).expect("stdout is text"),
        err: String::from_utf8(output.stderr).expect("stderr is text"),
    }
}

fn call(words: &[&str]) -> Called {
    call_in(Path::new("."), words, "")
}

/// Calls and demands success.
fn good(words: &[&str]) -> Called {
    let called = call(words);
    assert_eq!(called.code, 0, "{words:?}: {}", called.err);
    called
}

/// Calls and demands a refusal that says something and prints nothing.
fn refused(words: &[&str], says: &str) {
    refused_with(words, "", says);
}

fn refused_with(words: &[&str], stdin: &str, says: &str) {
    let called = call_in(Path::new("."), words, stdin);
    assert_eq!(called.code, 2, "{words:?}: {}", called.err);
    assert_eq!(called.out, "", "{words:?}");
    assert!(called.err.contains(says), "{words:?}: {}", called.err);
}

const TEACH: &str = "first-touch.teach";

fn machine_json(pages: &str) -> String {
    format!(
        r#"{{"id":"small","title":"","arch":"x86_64","page_size_kib":4,
        "nodes":[{{"ranges":[{{"start_pfn":0,"pages":2048}}],"cpus":1}},
                 {{"ranges":[{{"start_pfn":1048576,"pages":{pages}}}],"cpus":1}}],
        "distances":[[10,20],[20,10]],"hz":250,"thp":"never","costs":"s2021","pcp":true,
        "zonelist_order":"default","tunables":{{"vm.min_free_kbytes":"128"}}}}"#
    )
}

#[test]
fn help_is_data_and_its_absence_is_not() {
    let help = good(&["--help"]);
    for command in [
        "list",
        "run",
        "hash",
        "zoneinfo",
        "import-zoneinfo",
        "bench",
        "bench",
    ] {
        assert!(help.out.contains(command));
        let own = good(&[command, "--help"]);
        assert!(
            own.out.contains(&format!("mmscope {command}")),
            "{}",
            own.out
        );
        assert_eq!(own.err, "");
    }
    assert!(
        good(&["run", "x", "--until", "--help"])
            .out
            .contains("--events")
    );
    refused(&[], "which command?");
    refused(&["rnu"], "did you mean run?");
    refused(&["frobnicate"], "no command");
    refused(&["run", TEACH, "--kernle", "3.0"], "did you mean --kernel?");
    refused(&["list", "all"], "takes options only");
}

#[test]
fn list_names_all_there_is() {
    let list = good(&["list"]).json();
    for kind in ["machines", "kernels", "workloads", "experiments"] {
        let items = list[kind].as_array().expect(kind);
        assert!(items.iter().all(|item| item["id"].is_string()) && !items.is_empty());
    }
    let kernel = &list["kernels"][0];
    assert!(kernel["tunables"][0]["limits"].is_string());
    assert!(kernel["mechanisms"][0]["fidelity"].is_string());
    let ids = list["experiments"].as_array().expect("experiments").iter();
    assert!(ids.into_iter().any(|e| e["id"] == TEACH));
}

#[test]
fn hash_is_the_same_however_it_is_run() {
    let hash = good(&["hash", TEACH, "--until", "20000"]);
    assert_eq!(hash.out.len(), 17);
    assert!(hash.out.trim_end().chars().all(|c| c.is_ascii_hexdigit()));
    assert!(hash.err.contains("step 20000"));
    let stepped = good(&["hash", TEACH, "--until=20000", "--stepped"]);
    assert_eq!(hash.out, stepped.out);
    let native = good(&["hash", TEACH, "--until", "20000", "--engine", "native"]);
    assert_eq!(hash.out, native.out);
    let seeded = good(&["hash", TEACH, "--until", "20000", "--seed", "2"]);
    assert_ne!(hash.out, seeded.out);
    let time = good(&["hash", TEACH, "--until", "2ms"]);
    assert_eq!(
        time.out,
        good(&["hash", TEACH, "--until", "2ms", "--stepped"]).out
    );
    let end = good(&["hash", TEACH]);
    assert!(end.err.contains("ended"));
    assert_eq!(end.out, good(&["hash", TEACH, "--until", "10s"]).out);
    refused(&["hash", TEACH, "--engine", "wasm"], "npm run");
    refused(&["hash", TEACH, "--engine", "jit"], "native and wasm");
}

#[test]
fn resolve_gives_the_experiment_with_its_options() {
    let words = ["resolve", TEACH, "--engine", "wasm", "--until", "5ms"];
    let resolved = good(&[&words[..], &["--seed", "9007199254740991"]].concat()).json();
    assert_eq!(resolved["engine"], "wasm");
    assert_eq!(resolved["until_ns"], 5_000_000);
    assert_eq!(resolved["until_step"], Value::Null);
    let text = resolved["experiment"].as_str().expect("text");
    assert!(text.contains("9007199254740991"));
    let direct = good(&[
        "hash",
        TEACH,
        "--until",
        "5ms",
        "--seed",
        "9007199254740991",
    ]);
    let again = call_in(Path::new("."), &["hash", "-", "--until", "5ms"], text);
    assert_eq!((again.code, again.out), (0, direct.out));
}

#[test]
fn run_reports_in_two_forms() {
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
    assert!(
        called.err.contains("built without compaction"),
        "{}",
        called.err
    );
}

#[test]
fn run_leaves_the_kernels_files_and_its_events() {
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
        let event: Value = serde_json::from_str(line).expect("one object a line");
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
fn stdout_takes_one_output() {
    let called = good(&["run", TEACH, "--until", "100", "--vmstat", "-"]);
    assert!(called.out.starts_with("nr_free_pages "));
    assert!(called.err.contains(TEACH));
    refused(
        &["run", TEACH, "--vmstat", "-", "--events", "-"],
        "both write to stdout",
    );
    refused(
        &["run", TEACH, "--vmstat", "-", "--report", "json"],
        "both write to stdout",
    );
    let at = folder("same");
    let called = call_in(
        &at,
        &["run", TEACH, "--vmstat", "x", "--zoneinfo", "./x"],
        "",
    );
    assert_eq!(called.code, 2);
    assert!(
        !at.join("x").exists(),
        "nothing is made when something is wrong"
    );
    refused(
        &["run", TEACH, "--vmstat", "no/such/folder/x"],
        "no folder no/such/folder",
    );
    refused(&["run", TEACH, "--vmstat", "src"], "this is a folder");
}

#[test]
fn control_characters_of_input_are_printed_as_escapes() {
    let odd = "\u{1b}[31mred\u{7}\nmmscope: fine";
    for words in [
        vec!["run", odd],
        vec!["run", "first-touch.teach", "--set", odd],
        vec!["run", "first-touch.teach", "--until", odd],
        vec!["run", "first-touch.teach", odd],
        vec!["zoneinfo", odd],
        vec!["import-zoneinfo", odd],
        vec![odd],
        vec!["list", odd],
    ] {
        let called = call(&words);
        assert_eq!(called.code, 2, "{words:?}");
        let is_quiet = |c: char| !c.is_control() || c == '\n';
        assert!(called.err.chars().all(is_quiet), "{:?}", called.err);
        assert!(!called.err.contains("\nmmscope: fine"), "{}", called.err);
    }
    let dump = format!("Node 0, zone DMA\n  pages free {odd}\n");
    let called = call_in(Path::new("."), &["import-zoneinfo", "-"], &dump);
    assert_eq!(called.code, 2);
    assert!(!called.err.contains('\u{1b}'), "{:?}", called.err);
}

#[test]
fn bad_input_is_named_with_its_place() {
    refused(&["run"], "which EXPERIMENT?");
    refused(
        &["run", "frist-touch.teach"],
        "did you mean first-touch.teach?",
    );
    refused(&["run", "missing.json"], "there is no such file");
    refused(&["run", "src"], "folder");
    refused(&["run", TEACH, "--kernel", "9.9"], "no kernel is called");
    refused(&["run", TEACH, "--kernel", ""], "is empty");
    refused(&["run", TEACH, "--kernel"], "needs a value");
    refused(&["run", TEACH, "--seed", "-1"], "whole number");
    refused(
        &["run", TEACH, "--seed", "9007199254740992"],
        "whole number",
    );
    refused(&["run", TEACH, "--seed", "1", "--seed", "1"], "given twice");
    refused(&["run", TEACH, "--until", "soon"], "no duration");
    refused(
        &["run", TEACH, "--set", "vm.dirty_ratio=101"],
        "tunables.vm.dirty_ratio",
    );
    refused(&["run", TEACH, "--set", "vm.x=1"], "unknown tunable");
    refused(
        &["run", TEACH, "--set", "list", "--set", "vm.x=1"],
        "no other --set",
    );
    refused(
        &["run", TEACH, "--machine", "x86_64-2nod"],
        "did you mean x86_64-2node?",
    );
    refused_with(&["run", "-"], "", "stdin: empty");
    refused_with(&["run", "-"], "{", "not JSON");
    refused_with(&["run", "-"], "{\"id\":1}", "stdin: id: text is needed");
    refused_with(&["run", "-"], "[]", "stdin");
    refused_with(
        &["run", "-", "--machine", "-"],
        "{}",
        "cannot both be stdin",
    );
    for command in ["run", "hash"] {
        let words = [command, TEACH, "--machine", "-"];
        refused_with(&words, &machine_json("0"), "nodes[1].ranges[0].pages: ");
        refused_with(&words, &machine_json("99000000"), "16 Mi");
        refused_with(&words, &machine_json("\"x\""), "nodes[1].ranges[0].pages: ");
    }
}

#[test]
fn set_list_shows_the_limits() {
    let old = good(&["run", "--set", "list", "--kernel", "3.0"]).out;
    assert!(old.contains("vm.min_free_kbytes") && !old.contains("vm.watermark_scale_factor"));
    let new = good(&["hash", TEACH, "--set", "list", "--kernel", "6.1"]).out;
    assert!(new.contains("vm.watermark_scale_factor") && new.contains("1 to "));
    assert!(
        good(&["zoneinfo", "--set", "list"])
            .out
            .contains("of kernel 6.1")
    );
}

#[test]
fn zoneinfo_prints_machines_of_any_size() {
    let text = good(&["zoneinfo", "--machine", "x86_64-2node", "--kernel", "3.0"]).out;
    assert!(text.contains("Node 1, zone   Normal"), "{text}");
    let raised = good(&[
        "zoneinfo",
        "--machine",
        "x86_64-2node",
        "--kernel",
        "3.0",
        "--set",
        "vm.min_free_kbytes=99999",
    ]);
    assert_ne!(text, raised.out);
    let words = ["zoneinfo", "--machine", "-", "--kernel", "6.12"];
    let huge = call_in(Path::new("."), &words, &machine_json("8589934592"));
    assert_eq!(huge.code, 0, "32 TiB: {}", huge.err);
    assert!(huge.out.contains("present  8589934592"));
    refused_with(&words, &machine_json("0"), "nodes[1].ranges[0].pages: ");
    let wrong = machine_json("2048").replace("min_free", "max_free");
    refused_with(&words, &wrong, "tunables.vm.max_free_kbytes: ");
    let wrong = machine_json("2048").replace("\"hz\"", "\"Hz\"");
    refused_with(&words, &wrong, "Hz");
    refused(&["zoneinfo"], "which machine?");
    refused(
        &["zoneinfo", "--machine", "x86_64-2node", "--kernel", "0.1"],
        "no kernel",
    );
}

#[test]
fn a_printed_zoneinfo_can_be_imported_and_used() {
    let at = folder("import");
    let words = ["zoneinfo", "--machine", "x86_64-2node", "--kernel", "6.1"];
    let printed = good(&words).out;
    let imported = call_in(&at, &["import-zoneinfo", "-"], &printed);
    assert_eq!(imported.code, 0, "{}", imported.err);
    let report = imported.json();
    let checks = report["check"].as_array().expect("checks");
    assert!(
        checks
            .iter()
            .all(|zone| zone["differences"] == Value::Array(vec![]))
    );
    fs::write(at.join("report.json"), &imported.out).expect("written");
    let used = call_in(&at, &["zoneinfo", "--machine", "report.json"], "");
    assert_eq!(used.code, 0, "{}", used.err);
    let marks = |text: &str| -> Vec<String> {
        let rows = ["min ", "low ", "high ", "protection"];
        let kept = |line: &&str| rows.iter().any(|row| line.trim().starts_with(row));
        text.lines().filter(kept).map(str::to_string).collect()
    };
    assert_eq!(marks(&used.out), marks(&printed));
    refused_with(&["import-zoneinfo", "-"], "hello\n", "line 1");
    refused_with(
        &["import-zoneinfo", "-", "--page-size", "8K"],
        &printed,
        "--page-size 8K",
    );
    refused_with(
        &["import-zoneinfo", "-", "--kernel", "1.0"],
        &printed,
        "no kernel",
    );
    let words = ["import-zoneinfo", "-", "--lowmem-reserve-ratio", "a,b"];
    refused_with(&words, &printed, "whole numbers");
    refused(&["import-zoneinfo"], "which DUMP?");
    refused(&["import-zoneinfo", "no-such-file"], "no such file");
}

#[test]
fn a_reader_that_leaves_is_no_fault() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mmscope"))
        .args(["run", TEACH, "--events", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mmscope starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("mmscope ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_run_is_told_in_the_rows_of_a_published_table() {
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
fn fidelity_scores_what_it_can_run_and_names_the_rest() {
    let folder = folder("figures");
    let table = r#"{ "tables": [{ "id": "large-dd.teach", "title": "t",
        "kernels": ["3.0", "6.1"],
        "rows": [
            { "metric": "download tar", "unit": "s", "values": [59, 59] },
            { "metric": "Swap Ins", "unit": "pages", "values": [0, 0] },
            { "metric": "Bogus", "unit": "s", "values": [1, 2] }
        ] }] }"#;
    fs::write(folder.join("one.json"), table).expect("written");
    let later = r#"{ "tables": [{ "id": "tiobench.teach", "title": "t", "kernels": ["3.0", "nowhere"],
        "rows": [{ "metric": "Swap Ins", "unit": "pages", "values": [0, 0] }] }] }"#;
    fs::write(folder.join("two.json"), later).expect("written");
    let at = folder.display().to_string();
    let words = ["fidelity", "--figures", &at, "--seeds", "2", "--json"];
    let called = good(&words);
    let waits = "tiobench.teach: there is no kernel \"nowhere\" yet";
    assert!(called.err.contains(waits), "{}", called.err);
    let told = called.json();
    assert_eq!(told["tables"].as_array().map(Vec::len), Some(1));
    let of = &told["tables"][0];
    assert_eq!(of["id"], "large-dd.teach");
    let rows = of["rows"].as_array().expect("rows");
    assert_eq!(rows[0]["cells"][1]["agrees"], true);
    assert!(rows[0]["spread"][0][0].is_number());
    assert_eq!(rows[2]["values"][0], Value::Null);
    let unknown: Vec<&str> = of["unknown"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(unknown, ["no run measures \"Bogus\""]);
    assert_eq!(told["scores"]["scored"], 2);
    assert_eq!(told["scores"]["agree"], 2);
    assert_eq!(told["scores"]["moving"], 0);
    let text = good(&words[..5]).out;
    assert!(text.contains("2 of 2 cells agree"), "{text}");
    let called = call(&["fidelity", "--figures", &at, "--only", "none"]);
    assert!(
        called.err.contains("there are large-dd.teach"),
        "{}",
        called.err
    );
    fs::write(folder.join("two.json"), "{}").expect("written");
    let called = call(&words);
    assert!(
        called.code == 2 && called.err.contains("tables"),
        "{}",
        called.err
    );
}

#[test]
fn a_run_leaves_a_trace_as_the_kernel_would() {
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
    // To 3.2 kernels print no flags: the lines for scripts are the same ones.
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
