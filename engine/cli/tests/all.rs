//! All tests of the command line, in one binary: a binary for each file would link the engine again.

#[path = "before.rs"]
mod before;
#[path = "captured.rs"]
mod captured;
#[path = "captures.rs"]
mod captures;
#[path = "commands/mod.rs"]
mod commands;
#[path = "latency.rs"]
mod latency;
#[path = "real.rs"]
mod real;
#[path = "twin.rs"]
mod twin;

/// Cargo does not run a file that is not named above.
#[test]
fn all_rs_lists_every_test_file() {
    let here = include_str!("all.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let name = entry.expect("a file").file_name();
        let name = name.to_str().expect("UTF-8");
        let Some(test) = name.strip_suffix(".rs") else {
            continue;
        };
        let is_run = test == "all" || here.contains(&format!("mod {test};\n"));
        assert!(is_run, "tests/{name} is not named in tests/all.rs");
    }
}
