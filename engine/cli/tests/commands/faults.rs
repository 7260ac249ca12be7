//! Bad input and broken pipes.

use std::path::Path;
use std::process::{Command, Stdio};

use super::called::{TEACH, call, call_in, folder, good, machine_json, refused, refused_with};

#[test]
fn refuses_two_outputs_to_stdout() {
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
        "no file is made when one is refused"
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
fn bad_input_is_named_with_its_location() {
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
    refused(&["run", TEACH, "--until", "soon"], "not a duration");
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
    refused_with(&["run", "-"], "{\"id\":1}", "stdin: id: expected text");
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
fn closing_the_output_pipe_is_not_an_error() {
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
