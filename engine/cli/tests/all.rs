//! The tests of the command line, in one binary: each of their own would link all of it anew.

#[path = "before.rs"]
mod before;
#[path = "captures.rs"]
mod captures;
#[path = "commands/mod.rs"]
mod commands;
#[path = "latency.rs"]
mod latency;
#[path = "twin.rs"]
mod twin;

/// A file that is not named above would not be run.
#[test]
fn every_file_is_run() {
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
