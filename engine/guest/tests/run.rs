//! Runs of the guest program as an ordinary process, in a folder of their own.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

/// A capture: its files by name.
struct Capture {
    files: BTreeMap<String, String>,
    console: String,
    folder: PathBuf,
}

impl Capture {
    fn text(&self, name: &str) -> &str {
        self.files.get(name).map_or("", String::as_str)
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(self.text(name)).expect(name)
    }

    /// Rows of `ops.csv`: task, operation, amount.
    fn operations(&self) -> Vec<(String, String, u64)> {
        let rows = self.text("ops.csv").lines().skip(1);
        rows.map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            let amount = cells[5].parse().expect("a number");
            (cells[0].to_string(), cells[2].to_string(), amount)
        })
        .collect()
    }

    fn amounts(&self, task: &str, operation: &str) -> Vec<u64> {
        let rows = self.operations().into_iter();
        let rows = rows.filter(|(t, op, _)| t == task && op == operation);
        rows.map(|(.., amount)| amount).collect()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).expect("the folder of the test");
    }
}

fn run(name: &str, length: &str, workload: Value, interventions: Value) -> Capture {
    let folder = std::env::temp_dir().join(format!("mmscope-guest-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let experiment = json!({
        "machine": "x86_64-3g", "kernel": "6.1", "seed": 7, "length": length,
        "workload": workload, "interventions": interventions,
    });
    let settings = json!({"sample_ms": 20, "data": folder.join("files")});
    let write = |name: &str, value: &Value| {
        std::fs::write(folder.join(name), value.to_string()).expect("a file");
    };
    write("experiment.json", &experiment);
    write("guest.json", &settings);
    let out = Command::new(env!("CARGO_BIN_EXE_guest"))
        .arg(&folder)
        .output()
        .expect("the guest program");
    let console = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{console}");
    let files = std::fs::read_dir(folder.join("capture")).expect("a capture");
    let files = files.map(|file| {
        let path = file.expect("a file").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let bytes = std::fs::read(&path).expect("contents");
        (name, String::from_utf8_lossy(&bytes).into_owned())
    });
    Capture {
        files: files.collect(),
        console,
        folder,
    }
}

#[test]
fn runs_a_workload_of_anonymous_memory_and_writes_the_capture() {
    let program = json!([
        {"op": "map", "region": "heap", "size": "8 MiB"},
        {"op": "repeat", "times": 2, "do": [{"op": "touch", "region": "heap"}]},
        {"op": "touch", "region": "heap", "pages": 100, "order": "random"},
        {"op": "dontneed", "region": "heap", "every": 4},
        {"op": "mark", "name": "rest"},
        {"op": "think", "time": "50ms"},
    ]);
    let workload =
        json!({"id": "small", "processes": [{"name": "hog", "count": 2, "program": program}]});
    let capture = run("anonymous", "20s", workload, json!([]));
    for task in ["hog/1", "hog/2"] {
        assert_eq!(capture.amounts(task, "touch"), [2048, 2048, 100], "{task}");
        assert_eq!(capture.amounts(task, "dontneed"), [512], "{task}");
    }
    let log = capture.text("tasks.log");
    assert!(log.contains("hog pass 1 touched 2048 pages in "), "{log}");
    assert!(log.contains("mark rest"), "{log}");
    assert!(capture.text("before.txt").starts_with("=== zoneinfo\n"));
    assert!(capture.text("after.txt").contains("\n=== vmstat\n"));
    assert!(
        !capture.files.contains_key("end.txt"),
        "all tasks ended by themselves"
    );
    assert!(capture.text("samples.csv").lines().count() >= 4);
    let shape = capture.json("shape.json");
    assert_eq!(
        (&shape["seed"], &shape["length"]),
        (&json!(7), &json!("20s"))
    );
    assert_eq!(shape["workload_parameters"], "wl=small");
    assert_eq!(capture.json("workload.json")["processes"][0]["name"], "hog");
    assert!(capture.console.contains("the capture is complete"));
}

#[test]
fn reads_writes_copies_and_removes_files() {
    let workload = json!({
        "id": "files",
        "files": [
            {"name": "data", "size": "1 MiB"},
            {"name": "new", "size": "512 KiB", "absent": true},
            {"name": "many", "size": "16 KiB", "count": 3}
        ],
        "processes": [{"name": "task", "program": [
            {"op": "read", "file": "data"},
            {"op": "read", "file": "data", "order": "random", "size": "256 KiB", "chunk": "8 KiB"},
            {"op": "write", "file": "new"},
            {"op": "copy", "from": "data", "to": "new", "size": "256 KiB"},
            {"op": "fsync", "file": "new"},
            {"op": "read", "file": "many", "size": "48 KiB"},
            {"op": "create", "count": 2, "size": "8 KiB"},
            {"op": "unlink", "file": "many"},
            {"op": "read", "file": "many"},
            {"op": "map", "region": "text", "file": "data"},
            {"op": "touch", "region": "text", "write": false},
        ]}],
    });
    let capture = run("files", "20s", workload, json!([]));
    assert_eq!(
        capture.amounts("task/1", "read"),
        [1 << 20, 256 << 10, 48 << 10]
    );
    assert_eq!(capture.amounts("task/1", "write"), [512 << 10]);
    assert_eq!(capture.amounts("task/1", "copy"), [256 << 10]);
    assert_eq!(capture.amounts("task/1", "touch"), [256]);
    let log = capture.text("tasks.log");
    assert!(!log.contains("failed"), "{log}");
    assert!(log.contains("read disk:data 1 MB in "), "{log}");
    let size = |name: &str| {
        let found = std::fs::metadata(capture.folder.join("files").join(name));
        found.map(|found| found.len()).ok()
    };
    assert_eq!(size("f0"), Some(1 << 20));
    assert_eq!(size("f1"), Some(512 << 10));
    assert_eq!(size("f2"), None);
    assert_eq!((size("c0-0"), size("c0-1")), (Some(8 << 10), Some(8 << 10)));
}

#[test]
fn runs_threads_and_waits_for_tasks() {
    let workload = json!({"id": "threads", "processes": [
        {"name": "main", "program": [
            {"op": "map", "region": "heap", "size": "4 MiB"},
            {"op": "threads", "process": "worker", "count": 4},
            {"op": "join"},
            {"op": "touch", "region": "heap", "pages": 10},
            {"op": "spawn", "process": "child", "count": 2},
            {"op": "wait"},
            {"op": "touch", "region": "heap", "pages": 20},
        ]},
        {"name": "worker", "count": 0, "program": [
            {"op": "repeat", "times": 3, "do": [
                {"op": "touch", "region": "heap", "slice": true},
                {"op": "barrier"},
            ]},
        ]},
        {"name": "child", "count": 0, "program": [
            {"op": "map", "region": "own", "size": "1 MiB"},
            {"op": "touch", "region": "own"},
        ]},
    ]});
    let capture = run("threads", "20s", workload, json!([]));
    for worker in 1..=4 {
        let task = format!("worker/{worker}");
        assert_eq!(capture.amounts(&task, "touch"), [256; 3], "{task}");
    }
    assert_eq!(capture.amounts("main/1", "touch"), [10, 20]);
    for child in ["child/1", "child/2"] {
        assert_eq!(capture.amounts(child, "touch"), [256]);
    }
    let order: Vec<String> = capture
        .operations()
        .into_iter()
        .map(|(task, ..)| task)
        .collect();
    assert_eq!(
        order.last().map(String::as_str),
        Some("main/1"),
        "wait: {order:?}"
    );
}

#[test]
fn kills_remaining_tasks_at_the_time_limit_and_records_their_positions() {
    let program = json!([
        {"op": "map", "region": "heap", "size": "1 MiB"},
        {"op": "repeat", "times": 1_000_000, "do": [
            {"op": "repeat", "times": 1_000_000, "do": [{"op": "touch", "region": "heap"}]}
        ]},
    ]);
    let workload = json!({"id": "endless", "processes": [
        {"name": "one", "program": program},
        {"name": "two", "program": program},
    ]});
    let acts = json!([{"at": "100ms", "kill": "two"}]);
    let capture = run("endless", "300ms", workload, acts);
    let log = capture.text("tasks.log");
    assert!(log.contains("one/1\t") && log.contains("two/1\t"), "{log}");
    assert_eq!(log.matches("killed at op ").count(), 2, "{log}");
    assert!(log.contains("act kill 1 0"), "{log}");
    assert!(capture.files.contains_key("end.txt"));
    // The end of the run found this one alive.
    let reached: Vec<&str> = capture.text("reached.csv").lines().collect();
    assert_eq!(reached[0], "task,pc,op,round,done");
    let cells: Vec<&str> = reached[1].split(',').collect();
    let &[task, pc, op, round, done] = cells.as_slice() else {
        panic!("{reached:?}");
    };
    assert_eq!(task, "one/1", "{reached:?}");
    assert!(round.parse::<u32>().is_ok(), "{reached:?}");
    let told = format!("killed at op {pc} {op} done {done} in ");
    assert!(log.contains(&told), "{told:?} in {log}");
    let span = capture.json("shape.json")["workload_s"].clone();
    let took = span[1].as_f64().expect("end") - span[0].as_f64().expect("start");
    assert!((0.29..10.0).contains(&took), "{took}");
}

#[test]
fn skips_operations_that_user_space_cannot_do_and_continues() {
    let program = json!([
        {"op": "alloc", "pool": "blocks", "order": 0, "count": 100},
        {"op": "map", "region": "heap", "size": "1 MiB"},
        {"op": "touch", "region": "heap"},
        {"op": "stop"},
        {"op": "think", "time": "100s"},
    ]);
    let workload = json!({"id": "kernel", "processes": [{"name": "task", "program": program}]});
    let capture = run("kernel", "120s", workload, json!([]));
    assert!(
        capture
            .console
            .contains("left out: workload.processes[0]: ")
    );
    assert!(capture.text("tasks.log").contains("left out: "));
    assert_eq!(capture.amounts("task/1", "touch"), [256]);
}

#[test]
fn names_a_missing_or_invalid_file() {
    let folder = std::env::temp_dir().join(format!("mmscope-guest-{}-wrong", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let run = || {
        let out = Command::new(env!("CARGO_BIN_EXE_guest"))
            .arg(&folder)
            .output();
        let out = out.expect("the guest program");
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    };
    let (code, text) = run();
    assert_eq!(code, Some(2));
    assert!(text.contains("experiment.json: No such file"), "{text}");
    std::fs::write(folder.join("experiment.json"), "{}").expect("a file");
    let (code, text) = run();
    assert_eq!(code, Some(2));
    assert!(text.contains("experiment.json: "), "{text}");
    std::fs::remove_dir_all(&folder).expect("the folder");
}
