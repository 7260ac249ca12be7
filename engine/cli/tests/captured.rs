//! `mmscope twin` on the files of real captures: compressed, cut off, missing, and refused by name.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../mm/tests/data");
/// A short run with a workload of mmscope.
const SHORT: &str = "dyn-x86_64-6.1-512m512m-2n-wrongnode";

fn twin(folder: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmscope"));
    command.arg("twin").arg(folder).args(options);
    command.output().expect("mmscope starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn json(folder: &Path) -> Value {
    let called = twin(folder, &["--json"]);
    assert_eq!(called.status.code(), Some(0), "{}", text(&called.stderr));
    serde_json::from_slice(&called.stdout).expect("JSON")
}

fn refused(folder: &Path, says: &str) {
    let called = twin(folder, &[]);
    let err = text(&called.stderr);
    assert_eq!(called.status.code(), Some(2), "{err}");
    assert!(err.contains(says), "{err}");
}

/// A copy of a capture, under a name of its own.
fn copy(capture: &str, name: &str) -> PathBuf {
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(&to).expect("a folder");
    for entry in fs::read_dir(Path::new(RECORDED).join(capture)).expect("a capture") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name");
        fs::copy(&path, to.join(name)).expect("copied");
    }
    to
}

/// Changes a file of a capture.
fn change(folder: &Path, file: &str, to: impl Fn(&str) -> String) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, to(&text)).expect("written");
}

/// Compresses a file of a capture and keeps some of its bytes.
fn compress(folder: &Path, file: &str, part: impl Fn(usize) -> usize) {
    let path = folder.join(file);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed
        .write_all(&fs::read(&path).expect("a file"))
        .expect("packed");
    let bytes = packed.finish().expect("packed");
    let kept = part(bytes.len());
    fs::write(folder.join(format!("{file}.gz")), &bytes[..kept]).expect("written");
    fs::remove_file(path).expect("removed");
}

fn counter<'a>(report: &'a Value, name: &str) -> &'a Value {
    let rows = report["counters"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["name"] == name);
    &row.expect("the counter")["simulated"]
}

#[test]
fn a_compressed_capture_without_optional_files_gives_the_same_run() {
    let plain = copy(SHORT, "captured-plain");
    let packed = copy(SHORT, "captured-packed");
    compress(&packed, "before.txt", |all| all);
    compress(&packed, "workload.json", |all| all);
    let _ = fs::remove_file(packed.join("workload.log"));
    fs::remove_file(packed.join("summary.json")).expect("removed");
    let (a, b) = (json(&plain), json(&packed));
    assert_eq!(a["counters"], b["counters"]);
    assert!(a["score"]["mean"].as_f64() < Some(0.05), "{}", a["score"]);
    let notes = b["notes"].to_string();
    assert!(notes.contains("summary.json is missing"), "{notes}");
}

#[test]
fn a_truncated_file_is_named_with_its_line() {
    let half = |text: &str| text[..text.len() / 2].to_string();
    for file in ["before.txt", "after.txt", "workload.json", "shape.json"] {
        let folder = copy(SHORT, &format!("captured-cut-{file}"));
        change(&folder, file, half);
        let err = text(&twin(&folder, &[]).stderr);
        let place = err.split(file).nth(2).unwrap_or_default();
        let line = place.split(':').nth(1).unwrap_or_default();
        assert!(line.parse::<usize>().is_ok(), "{err}");
        assert!(err.contains("cut off"), "{err}");
    }
    let folder = copy(SHORT, "captured-cut-gz");
    compress(&folder, "after.txt", |all| all / 2);
    refused(&folder, "after.txt.gz: cannot be unpacked after line ");
    let folder = copy(SHORT, "captured-cut-log");
    compress(&folder, "sysctl.txt", |all| all - 6);
    let called = twin(&folder, &[]);
    let out = text(&called.stdout);
    assert!(
        out.contains("note: sysctl.txt.gz: cannot be unpacked"),
        "{out}"
    );
}

#[test]
fn an_out_of_range_setting_of_the_guest_is_named_with_its_line() {
    let folder = copy(SHORT, "captured-setting");
    change(&folder, "sysctl.txt", |text| {
        text.replace("swappiness 60", "swappiness 60x")
    });
    refused(&folder, "sysctl.txt:6: swappiness: ");
}

#[test]
fn operations_that_the_engine_lacks_are_refused_with_their_path() {
    let folder = copy(SHORT, "captured-lacks");
    let change =
        |from: &str, to: &str| change(&folder, "workload.json", |text| text.replace(from, to));
    change(
        "\"name\": \"task\"",
        "\"name\": \"task\", \"cgroup\": \"box\"",
    );
    refused(&folder, "workload.json: processes[0].cgroup: ");
    change("\"cgroup\": \"box\"", "\"gear\": 3");
    refused(&folder, "workload.json: processes[0].gear: ");
}

#[test]
fn threads_sweep_shared_memory_as_in_the_guest() {
    let folder = Path::new(RECORDED).join("dyn-x86_64-6.12-512m512m-2n-numa02");
    let report = json(&folder);
    assert_eq!(report["lacks"][0], "memory compaction");
    // 200 MiB touched once: four threads of one process take no memory of their own.
    let faults = counter(&report, "pgfault").as_i64().expect("a count");
    assert!(faults > 51_200, "{faults}");
    let seconds = report["workload_s"]["simulated"].as_f64().expect("seconds");
    assert!((39.9..40.2).contains(&seconds), "{seconds}");
}

/// The sampler of the guest has the size of the memory that was locked before the run, not of the memory that
/// was unlocked after it. Below 512 MiB, huge pages are off at boot and work once they are switched on.
#[test]
fn a_workload_that_locks_memory_and_requests_huge_pages_is_repeated() {
    let folder = copy("dyn-x86_64-6.1-512m-1n-streammg", "captured-locks");
    let workload = r#"{"processes": [{"name": "hog", "program": [
        {"op": "map", "region": "huge", "size": "20 MiB", "huge": true},
        {"op": "touch", "region": "huge"},
        {"op": "map", "region": "locked", "size": "8 MiB"},
        {"op": "lock", "region": "locked"},
        {"op": "think", "time": "100ms"}
    ]}]}"#;
    fs::write(folder.join("workload.json"), workload).expect("written");
    change(&folder, "sysctl.txt", |text| {
        text.replace(
            "always madvise [never] defrag",
            "always [madvise] never defrag",
        )
    });
    change(&folder, "after.txt", |text| {
        text.replace(
            "unevictable_pgs_munlocked 11",
            "unevictable_pgs_munlocked 2059",
        )
    });
    let report = json(&folder);
    assert_eq!(counter(&report, "thp_fault_alloc"), 10);
    assert_eq!(counter(&report, "unevictable_pgs_mlocked"), 2048);
    let start = report["start"].as_array().expect("rows");
    let unevictable = start.iter().find(|row| row["name"] == "nr_unevictable");
    let unevictable = unevictable.expect("the counter");
    // Three pages of the guest cannot be reclaimed for other reasons.
    assert_eq!(unevictable["real"], 371);
    assert_eq!(unevictable["simulated"], 368);
}

#[test]
fn processes_start_at_the_times_of_the_guest() {
    let folder = Path::new(RECORDED).join("dyn-x86_64-6.12-512m-1n-mixmg");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("captured-mixmg.json");
    let path = file.to_str().expect("a path of text");
    let called = twin(&folder, &["--experiment", path, "--json"]);
    assert_eq!(called.status.code(), Some(0), "{}", text(&called.stderr));
    let written = fs::read_to_string(&file).expect("the experiment");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    let processes = written["workload"]["processes"]
        .as_array()
        .expect("processes");
    let starts: Vec<&str> = processes
        .iter()
        .filter_map(|p| p["start"].as_str())
        .collect();
    assert_eq!(starts, ["2000ms", "2000ms", "7000ms", "7000ms"]);
    assert_eq!(written["interventions"][0]["at"], "42000ms");
}

#[test]
fn a_machine_captured_without_a_run_is_compared_with_its_printed_values() {
    let folder = copy("x86_64-6.1-512m512m-2n", "captured-static");
    let shape =
        r#"{"name": "still", "arch": "x86_64", "kernel": "6.1.0-50-amd64", "page_size": 4096}"#;
    fs::write(folder.join("shape.json"), shape).expect("written");
    let printed = "phase\tnode\tzone\tmin\tlow\thigh\tpcp_high\tpcp_batch\tprotection\tmin_free_kbytes\twatermark_scale_factor\tlowmem_reserve_ratio\n\
        mfk-1024\t0\tDMA\t4\t7\t10\t7\t1\t0,487,487,487,487\t1024\t10\t256,256,32,0,0\n\
        mfk-1024\t1\tDMA32\t121\t238\t355\t238\t31\t0,0,0,0,0\t1024\t10\t256,256,32,0,0\n";
    fs::write(folder.join("phases.tsv"), printed).expect("written");
    let out = text(&twin(&folder, &[]).stdout);
    assert!(
        out.contains("of 2 zones and 2 per-cpu lists compared, 0 differ"),
        "{out}"
    );
    fs::write(
        folder.join("phases.tsv"),
        printed.replace("\t238\t355", "\t239\t355"),
    )
    .expect("written");
    let out = text(&twin(&folder, &[]).stdout);
    assert!(
        out.contains("mfk-1024: node 1 DMA32: marks [121, 239, 355] printed"),
        "{out}"
    );
    fs::write(folder.join("phases.tsv"), &printed[..printed.len() - 30]).expect("written");
    refused(&folder, "phases.tsv:3: ");
}

#[test]
fn all_captures_of_a_folder_get_one_score() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("captured-all");
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).expect("a folder");
    for (capture, name) in [(SHORT, "a"), ("dyn-x86_64-6.1-512m-1n-huge", "b")] {
        let from = copy(capture, &format!("captured-all-{name}"));
        fs::rename(from, root.join(name)).expect("moved");
    }
    let called = twin(&root, &["--all", "--json"]);
    assert_eq!(called.status.code(), Some(0), "{}", text(&called.stderr));
    let report: Value = serde_json::from_slice(&called.stdout).expect("JSON");
    let alone = json(&root.join("a"));
    assert_eq!(report["all"], alone["score"]);
    assert_eq!(report["by_kernel"]["6.1"], alone["score"]);
    let reason = report["captures"][1]["refused"].as_str().expect("a reason");
    assert!(reason.contains("needs compaction"), "{reason}");
    let table = text(&twin(&root, &["--all"]).stdout);
    assert!(
        table.contains("b not repeated: shape.json: workload"),
        "{table}"
    );
}
