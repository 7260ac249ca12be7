//! The tests of the views of a machine, in one binary, so that the crates are linked only once.

#[path = "blocks.rs"]
mod blocks;
#[path = "bound.rs"]
mod bound;
#[path = "compaction.rs"]
mod compaction;
#[path = "cpus.rs"]
mod cpus;
#[path = "processes.rs"]
mod processes;
#[path = "queues.rs"]
mod queues;
#[path = "storm.rs"]
mod storm;

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
