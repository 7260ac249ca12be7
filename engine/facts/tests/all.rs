//! The tests of what is known before a machine runs, in one binary, so that the crate is linked only once.

mod support;

#[path = "import.rs"]
mod import;
#[path = "import_public.rs"]
mod import_public;
#[path = "import_random.rs"]
mod import_random;
#[path = "import_reports.rs"]
mod import_reports;
#[path = "procfs.rs"]
mod procfs;
#[path = "rules.rs"]
mod rules;
#[path = "schema.rs"]
mod schema;
#[path = "vmstat.rs"]
mod vmstat;
#[path = "watermarks.rs"]
mod watermarks;
#[path = "zonelists.rs"]
mod zonelists;

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
        let is_run = ["all"].contains(&test) || here.contains(&format!("mod {test};\n"));
        assert!(is_run, "tests/{name} is not named in tests/all.rs");
    }
}
