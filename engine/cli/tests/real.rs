//! `mmscope real` as a user calls it. Only the last test boots a kernel, if QEMU and a kernel are installed.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn mmscope(cache: Option<&Path>, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmscope"));
    if let Some(cache) = cache {
        command.env("XDG_CACHE_HOME", cache);
    }
    command.args(words).output().expect("mmscope starts")
}

fn refused(words: &[&str]) -> String {
    let cache = tempfile::tempdir().expect("a folder");
    let called = mmscope(Some(cache.path()), words);
    let says = String::from_utf8_lossy(&called.stderr).into_owned();
    assert_eq!(called.status.code(), Some(2), "{says}");
    assert!(called.stdout.is_empty());
    says
}

#[test]
fn prints_where_to_get_a_kernel_on_each_system() {
    let says = refused(&["real", "anon-hog", "--kernel", "9.99"]);
    for word in [
        "no kernel 9.99",
        "mmscope/kernels",
        "apt-get download",
        "Fedora",
        "Arch",
        "macOS",
    ] {
        assert!(says.contains(word), "{word}: {says}");
    }
}

#[test]
fn refuses_wrong_options_and_suggests_valid_ones() {
    for (words, reason) in [
        (&["real"][..], "which EXPERIMENT?"),
        (
            &["real", "anon-hog", "--kernel", "/no/such.deb"],
            "there is no such file",
        ),
        (&["real", "--fuzz", "0"], "1 to 1000 experiments"),
        (&["real", "--fuzz", "x"], "not a whole number"),
    ] {
        let says = refused(words);
        assert!(says.contains(reason), "{words:?}: {says}");
    }
}

/// Static facts of three random machines are equal on a real kernel and in the engine.
#[test]
fn finds_equal_static_facts_on_three_random_machines() {
    let out = tempfile::tempdir().expect("a folder");
    let folder = out.path().display().to_string();
    let words = [
        "real",
        "--fuzz",
        "3",
        "--seed",
        "1",
        "--json",
        "--shrinks",
        "0",
        "--out",
        &folder,
    ];
    let called = mmscope(None, &words);
    let says = String::from_utf8_lossy(&called.stderr).into_owned();
    let missing = [
        "no kernel",
        "QEMU for x86-64 is not installed",
        "needs the Rust target",
        "mkfs.ext4 is not",
    ];
    if called.status.code() == Some(2) && missing.iter().any(|part| says.contains(part)) {
        eprintln!("skipped: {}", says.lines().next().unwrap_or_default());
        return;
    }
    assert_eq!(called.status.code(), Some(0), "{says}");
    let report: Value = serde_json::from_slice(&called.stdout).expect("JSON");
    assert_eq!(report["runs"], 3, "{says}");
    assert_eq!(
        report["statics"]["differ"],
        Value::Array(Vec::new()),
        "{says}"
    );
}
