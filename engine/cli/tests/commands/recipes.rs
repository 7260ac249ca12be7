//! The files of `recipes/`: the scripts that run a sweep with another job runner, if it is installed, and the
//! sweeps.

use std::fs;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use reports::sweep::{Sweep, plan, run as run_job};
use serde_json::json;

use super::called::{call_in, folder};

const MMSCOPE: &str = env!("CARGO_BIN_EXE_mmscope");
const SWEEP: &str = r#"{ "experiment": "first-touch.teach",
    "axes": { "seed": { "from": 1, "to": 24 }, "length": ["3ms"] } }"#;

fn recipe(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../../recipes").join(name)
}

/// Runs a program, or returns nothing if it is not installed.
fn run(command: &mut Command) -> Option<Output> {
    command.output().ok()
}

/// Reports that a test was skipped. The test harness hides only the output of `print!` and similar macros.
fn skip(what: &str) {
    let _ = writeln!(stderr(), "skipped: {what}");
}

fn check(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

/// A folder with the sweep's file, and the lines that a single command prints.
fn prepared(name: &str) -> (PathBuf, Vec<String>) {
    let at = folder(name);
    fs::write(at.join("sweep.json"), SWEEP).expect("written");
    let whole = call_in(&at, &["sweep", "sweep.json"], "");
    assert_eq!(whole.code, 0, "{}", whole.err);
    (at, sorted(&whole.out))
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.sort();
    lines
}

/// The lines of all files in the folder of results.
fn results(at: &Path) -> Vec<String> {
    let mut text = String::new();
    for entry in fs::read_dir(at.join("results")).expect("results") {
        text += &fs::read_to_string(entry.expect("a file").path()).expect("lines");
    }
    sorted(&text)
}

#[test]
fn gnu_parallel_runs_every_shard() {
    let version = run(Command::new("parallel").arg("--version"));
    if !version.is_some_and(|out| String::from_utf8_lossy(&out.stdout).contains("GNU parallel")) {
        return skip("GNU parallel is not installed");
    }
    let (at, whole) = prepared("recipe-parallel");
    let mut command = Command::new(recipe("parallel.sh"));
    command
        .args(["sweep.json", "results", "5"])
        .env("MMSCOPE", MMSCOPE);
    check(&run(command.current_dir(&at)).expect("a shell"));
    assert_eq!(results(&at), whole);
}

/// Without Slurm the script runs with the variables that Slurm sets for each task.
#[test]
fn each_task_of_a_slurm_array_runs_its_shard() {
    let (at, whole) = prepared("recipe-slurm");
    if let Some(slurm) = run(Command::new("sbatch").arg("--version")) {
        check(&slurm);
        let mut command = Command::new("sbatch");
        command
            .args(["--wait", "--array=1-3"])
            .arg(recipe("slurm.sh"));
        command
            .args(["sweep.json", "results"])
            .env("MMSCOPE", MMSCOPE);
        check(&run(command.current_dir(&at)).expect("sbatch"));
        assert_eq!(results(&at), whole);
        return;
    }
    skip("Slurm is not installed; its script runs without it");
    for (task, count, shards) in [("2", "2", "3"), ("3", "2", "3"), ("1", "3", "")] {
        let mut command = Command::new("bash");
        command
            .arg(recipe("slurm.sh"))
            .args(["sweep.json", "results"]);
        command
            .env("SLURM_ARRAY_TASK_ID", task)
            .env("MMSCOPE", MMSCOPE);
        command.env("SLURM_ARRAY_TASK_COUNT", count);
        if !shards.is_empty() {
            command.env("SHARDS", shards);
        }
        check(&run(command.current_dir(&at)).expect("bash"));
    }
    assert_eq!(results(&at), whole);
}

#[test]
fn ray_loses_no_result_when_a_worker_is_stopped() {
    let ray = run(Command::new("python3").args(["-c", "import ray"]));
    if !ray.is_some_and(|out| out.status.success()) {
        return skip("the Python package ray is not installed");
    }
    let (at, whole) = prepared("recipe-ray");
    let mut command = Command::new("python3");
    command
        .arg(recipe("ray_sweep_test.py"))
        .args([MMSCOPE, "sweep.json", "results", "12"]);
    let output = run(command.current_dir(&at)).expect("python3");
    check(&output);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("one worker stopped") && text.contains("1 worker left"),
        "{text}"
    );
    assert_eq!(results(&at), whole);
}

fn sweep(name: &str) -> Sweep {
    let text = fs::read_to_string(recipe(name)).expect("a recipe");
    Sweep::parse(name, &text).expect("a sweep")
}

#[test]
fn every_combination_of_the_sweeps_is_a_valid_experiment() {
    for (name, runs) in [("sweep.json", 96), ("mglru-at-a-limit.json", 20)] {
        assert_eq!(plan(&sweep(name)).expect("valid").len(), runs, "{name}");
    }
}

/// `docs/mglru-at-a-limit.md` describes this kill.
#[test]
fn with_generations_the_oom_killer_kills_a_writer_in_a_cgroup_without_swap() {
    let sweep = sweep("mglru-at-a-limit.json");
    let jobs = plan(&sweep).expect("valid");
    let writes = json!([{ "op": "write", "file": "data" }]);
    let job = jobs.iter().find(|job| {
        job.axes["workload.processes[0].program[3].do"] == writes
            && job.axes["machine.devices[0].swap"] == 0
            && job.axes["tunables.lru_gen.enabled"] == "7"
    });
    let line = run_job(&sweep, job.expect("a combination")).expect("a run");
    let line = serde_json::to_value(&line).expect("JSON");
    let figures = &line["figures"];
    assert_eq!(figures["oom_kill"], 1, "{figures}");
    assert_eq!(figures["pgscan_file"], 0, "{figures}");
    assert_eq!(figures["nr_dirtied"], 15_995, "{figures}");
}
