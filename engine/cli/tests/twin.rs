//! `mmscope twin` as a user calls it, on an invented captured run: two snapshots of a small guest without
//! disks, and a summary of a few lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const GUEST: &str = r#"{"id":"guest","title":"","arch":"x86_64","page_size_kib":4,
    "nodes":[{"ranges":[{"start_pfn":1,"pages":158},{"start_pfn":256,"pages":16128}],"cpus":1,
    "reserved":{"DMA":158,"DMA32":1200}}],"distances":[[10]],"hz":250,"thp":"never",
    "costs":"q-x86","pcp":true,"zonelist_order":"default",
    "tunables":{"vm.min_free_kbytes":"1000"}}"#;

fn mmscope(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmscope"));
    command.args(words).output().expect("mmscope starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// A captured run of a hog of 16 MiB, with its files as a guest writes them.
fn capture(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a folder for the test");
    let machine = dir.join("machine.json");
    fs::write(&machine, GUEST).expect("written");
    let printed = mmscope(&["zoneinfo", "--kernel", "6.1", "--machine", path(&machine)]);
    let zoneinfo = text(&printed.stdout);
    let moment = |vmstat: &str| {
        format!(
            "=== zoneinfo\n{zoneinfo}=== vmstat\n{vmstat}=== buddyinfo\nNode 0, zone DMA 0 0 0 0 0 0 0 0 0 0 3\n=== swaps\nFilename Type Size\n"
        )
    };
    let write = |file: &str, text: &str| fs::write(dir.join(file), text).expect("written");
    write(
        "before.txt",
        &moment(
            "pgfault 7\npgfree 0\npgscan_kswapd 0\ncompact_stall 0\nnr_dirtied 0\nnr_slab_reclaimable 0\n",
        ),
    );
    write(
        "after.txt",
        &moment(
            "pgfault 5007\npgfree 9\npgscan_kswapd 0\ncompact_stall 2000\nnr_dirtied 0\nnr_slab_reclaimable 0\n",
        ),
    );
    let sysctls = "min_free_kbytes 1000\nwatermark_scale_factor 10\nlowmem_reserve_ratio 256\t256\t32\t0\t0\nswappiness 60\nthp always madvise [never] lru_gen 0x0000\n";
    write("sysctl.txt", sysctls);
    write(
        "summary.json",
        r#"{"span_s":[1.0,2.5],"events":{"mm_vmscan_kswapd_wake":3}}"#,
    );
    write(
        "shape.json",
        &shape("wl=oom hogmb=16", "6.1.0-50-amd64").to_string(),
    );
    dir
}

fn shape(workload: &str, kernel: &str) -> Value {
    json!({
        "name": "made-up", "arch": "x86_64", "kernel": kernel, "page_size": 4096, "vcpus": 1,
        "workload_parameters": workload, "data_disk_bytes_per_s": null,
        "swap_disk_bytes_per_s": null, "nodes": {"0": "64"}, "node_cpus": {},
    })
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

fn refused(dir: &Path, says: &str) {
    let called = mmscope(&["twin", path(dir)]);
    let err = text(&called.stderr);
    assert_eq!(called.status.code(), Some(2), "{err}");
    assert!(called.stdout.is_empty());
    assert!(err.contains(says), "{err}");
}

#[test]
fn twin_prints_both_runs_as_json() {
    let dir = capture("twin-json");
    let experiment = dir.join("experiment.json");
    let words = [
        "twin",
        path(&dir),
        "--json",
        "--experiment",
        path(&experiment),
    ];
    let called = mmscope(&words);
    assert_eq!(called.status.code(), Some(0), "{}", text(&called.stderr));
    let report: Value = serde_json::from_slice(&called.stdout).expect("JSON");
    let first = &report["counters"][0];
    assert_eq!(first["name"], "compact_stall", "{report:#}");
    assert_eq!(first["absent"], "compaction");
    let faults = &report["counters"][1];
    assert_eq!(
        (&faults["name"], &faults["real"]),
        (&json!("pgfault"), &json!(5000))
    );
    // 4,096 pages touched, and 846 by the programs that a guest's script starts, in whole pieces.
    let simulated = faults["simulated"].as_u64().expect("a count");
    assert!((4096 + 846..4200 + 846).contains(&simulated), "{faults}");
    let events = &report["distributions"]["events"];
    assert_eq!(events["real"]["mm_vmscan_kswapd_wake"], 3);
    assert_eq!(report["workload_s"]["real"], 1.5);
    assert_eq!(report["finished"], true);
    assert!(report["wall_s"].is_f64());
    for row in report["start"].as_array().expect("rows") {
        let (real, ours) = (row["real"].as_i64(), row["simulated"].as_i64());
        let near = real.zip(ours).is_some_and(|(a, b)| (a - b).abs() < 100);
        assert!(near, "{row}");
    }
    let written = fs::read_to_string(&experiment).expect("the experiment");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(written["tunables"]["vm.swappiness"], "60");
}

#[test]
fn twin_prints_both_runs_as_a_table() {
    let called = mmscope(&["twin", path(&capture("twin-text"))]);
    let out = text(&called.stdout);
    assert_eq!(called.status.code(), Some(0), "{}", text(&called.stderr));
    for says in ["assumed:", "absent: compaction", "pgfault", "events"] {
        assert!(out.contains(says), "{says}: {out}");
    }
}

#[test]
fn the_first_line_names_what_the_engine_does_not_model() {
    let dir = capture("twin-lacks");
    let first = || {
        let out = text(&mmscope(&["twin", path(&dir)]).stdout);
        out.lines().next().unwrap_or_default().to_string()
    };
    let plain = first();
    assert!(
        plain.starts_with("not repeated here: memory compaction"),
        "{plain}"
    );
    assert!(!plain.contains("multi-generational LRU"), "{plain}");
    let file = dir.join("sysctl.txt");
    let sysctls = fs::read_to_string(&file).expect("the sysctls");
    fs::write(&file, sysctls.replace("lru_gen 0x0000", "lru_gen 0x0007")).expect("written");
    let on = first();
    assert!(!on.contains("multi-generational LRU"), "{on}");
    // The engine does not have that LRU of 6.6.
    let newer = shape("wl=oom hogmb=16", "6.6.87-amd64");
    fs::write(dir.join("shape.json"), newer.to_string()).expect("written");
    let on = first();
    assert!(
        on.starts_with("not repeated here: the multi-generational LRU"),
        "{on}"
    );
}

#[test]
fn a_capture_that_cannot_be_repeated_is_refused_by_name() {
    let dir = capture("twin-refused");
    let write = |shape: &Value| fs::write(dir.join("shape.json"), shape.to_string());
    write(&shape("wl=dance nw=4", "6.1.0-50-amd64")).expect("written");
    refused(&dir, "workload \"dance\" is not supported");
    for (waiting, what) in [("huge", "compaction"), ("compactall", "compaction")] {
        write(&shape(&format!("wl={waiting}"), "6.1.0-50-amd64")).expect("written");
        refused(&dir, &format!("workload \"{waiting}\" needs {what}"));
    }
    write(&shape("wl=hog", "6.1.0-50-amd64")).expect("written");
    refused(&dir, "hogmb= is missing");
    write(&shape("wl=numabal", "6.1.0-50-amd64")).expect("written");
    refused(&dir, "workload numabal: hogmb= is missing");
    write(&shape("wl=hog hogmb=4", "4.5.0")).expect("written");
    refused(&dir, "shape.json: kernel: \"4.5.0\" is none of");
    fs::remove_file(dir.join("after.txt")).expect("removed");
    refused(&dir, "after.txt: there is no such file");
    refused(Path::new("/no/such/folder"), "there is no such folder");
}

/// Runs the twin of a workload on the invented guest, with a disk and a log added.
fn counted(name: &str, workload: &str, log: &str) -> Value {
    let dir = capture(name);
    let mut shape = shape(workload, "6.1.0-50-amd64");
    shape["data_disk_bytes_per_s"] = json!(60 << 20);
    fs::write(dir.join("shape.json"), shape.to_string()).expect("written");
    fs::write(dir.join("workload.log"), log).expect("written");
    let called = mmscope(&["twin", path(&dir), "--json"]);
    assert_eq!(called.status.code(), Some(0), "{}", text(&called.stderr));
    serde_json::from_slice(&called.stdout).expect("JSON")
}

fn simulated(report: &Value, counter: &str) -> i64 {
    let rows = report["counters"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["name"] == counter);
    row.map_or(0, |row| row["simulated"].as_i64().expect("a count"))
}

#[test]
fn the_seconds_of_a_process_count_from_its_own_start() {
    let log = "7.000 hog pass 0 touched 2048 pages in 1.000 s\n\
               11.000 hog pass 1 touched 1024 pages in 4.000 s\n\
               9.100 written 12 MB max write(64K) 0.5000 s\n\
               9.500 wrote disk:w1 12 MB in 5.000 s\n";
    let report = counted("twin-mix", "wl=mix nw=1 nh=1 hogmb=999 secs=5", log);
    // The hog began 1.5 s after the writer: at 6.0 s, not 4.5 s.
    let seconds = report["workload_s"]["simulated"].as_f64().expect("s");
    assert!((6.5..6.7).contains(&seconds), "{seconds}");
    assert_eq!(report["finished"], true);
    // The hog is as large as its pass that finished.
    let faults = simulated(&report, "pgfault");
    assert!((2048 + 846..2200 + 846).contains(&faults), "{faults}");
    let longest = &report["distributions"]["longest_write_ms"];
    assert_eq!(longest["real"]["max"], 500.0);
    assert!(longest["simulated"]["n"].as_u64() >= Some(3), "{longest}");
}

#[test]
fn the_twin_repeats_the_passes_and_files_of_the_log() {
    let log = "5.000 created 500\n6.000 hog pass 0 touched 1024 pages in 0.900 s\n";
    let once = counted("twin-once", "wl=hogslab hogmb=999", log);
    let more = "5.000 created 500\n6.000 hog pass 0 touched 1024 pages in 0.900 s\n\
                6.500 hog pass 1 touched 1024 pages in 0.400 s\n";
    let twice = counted("twin-twice", "wl=hogslab hogmb=999", more);
    for report in [&once, &twice] {
        let faults = simulated(report, "pgfault");
        assert!((1024 + 846..1200 + 846).contains(&faults), "{faults}");
        // Inodes and dentries of empty files, without a page of the files.
        assert!(simulated(report, "nr_slab_reclaimable") > 50);
        assert_eq!(simulated(report, "nr_dirtied"), 0);
    }
    let took = |report: &Value| report["workload_s"]["simulated"].as_f64();
    assert!(took(&once) <= took(&twice));
}

#[test]
fn every_workload_of_the_captures_has_a_twin() {
    for (name, workload) in [
        ("hog", "wl=hog hogmb=4"),
        ("buddy", "wl=buddy hogmb=4"),
        ("bindhog", "wl=bindhog hogmb=4"),
        ("reader", "wl=reader filemb=8"),
        ("writer", "wl=writer filemb=8"),
        ("wset", "wl=wset filemb=8"),
        ("hogslab", "wl=hogslab hogmb=4"),
        ("mix", "wl=mix filemb=4 hogmb=4"),
        ("storm", "wl=storm nw=2 nh=2 hogmb=4 secs=2"),
        ("stormkey", "wl=stormkey nw=2 nh=2 hogmb=4 secs=2"),
    ] {
        let report = counted(&format!("twin-all-{name}"), workload, "");
        assert_eq!(report["finished"], true, "{name}");
    }
}
