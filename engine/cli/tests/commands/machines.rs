//! Machines that are printed, imported and used.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::called::{call_in, folder, good, machine_json, refused, refused_with};

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
