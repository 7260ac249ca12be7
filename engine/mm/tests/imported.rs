//! Every machine that the importer accepts can run the workload made for any machine.

use std::fs;
use std::path::{Path, PathBuf};

use mm::check::check;
use mm::experiment::Experiment;
use mm::machine::Machine;
use mm::procfs::import::{ImportOptions, ImportReport, import_zoneinfo};
use mm::profile::check_runnable;
use serde_json::json;

/// Virtual time for which each machine runs, ns.
const RUN_NS: u64 = 3_000_000;

/// Every /proc/zoneinfo of the test data, from captured guests and from reports.
fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join("tests/data")).expect("test data") {
        found.push(entry.expect("an entry").path().join("zoneinfo.txt"));
    }
    let reports = root.join("../facts/tests/data/zoneinfo");
    for entry in fs::read_dir(reports).expect("test data") {
        found.push(entry.expect("an entry").path());
    }
    found.retain(|path| path.exists());
    found.sort();
    found
}

fn accepted(path: &Path) -> Option<ImportReport> {
    let text = fs::read_to_string(path).ok()?;
    import_zoneinfo(&text, &ImportOptions::default()).ok()
}

fn filled(report: &ImportReport) -> Experiment {
    let raw = json!({
        "machine": report.machine, "kernel": report.kernel, "workload": "fill-memory",
        "seed": 1, "length": "60s"
    });
    Experiment::from_json(&raw.to_string())
        .unwrap_or_else(|refused| panic!("{}: {refused:?}", report.machine.title))
}

#[test]
fn every_imported_machine_that_can_run_runs_the_workload_for_any_machine() {
    let mut opened = 0;
    for path in fixtures() {
        let Some(report) = accepted(&path) else {
            continue;
        };
        if !check_runnable(&report.machine).is_empty() {
            continue;
        }
        let mut machine = Machine::boot(&filled(&report));
        machine.run(u64::MAX, RUN_NS);
        assert!(machine.w.run.steps() > 100, "{}", path.display());
        assert_eq!(check(&machine), [], "{}", path.display());
        opened += 1;
    }
    assert!(opened >= 15, "only {opened} machines were opened");
}
