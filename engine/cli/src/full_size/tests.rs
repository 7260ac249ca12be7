//! Checks that the committed results are those of this engine, and that `--write` runs only missing or
//! outdated ones.

use std::fs;
use std::path::Path;

use super::*;
use crate::fidelity::{FIGURES, compare, is_runnable, read_figures, scored};

/// The names of some runs, one per line.
fn named(all: &[(Job, Standing)], wanted: Standing) -> String {
    let some = all.iter().filter(|(_, standing)| *standing == wanted);
    let lines = some.map(|(job, _)| format!("  {}, kernel {}\n", job.experiment, job.kernel));
    lines.collect()
}

/// This fails when the engine has changed, and names the runs whose results would change. A missing run is
/// only named in the output; the page mentions it beside its table.
#[test]
fn no_committed_full_size_result_is_older_than_this_engine() {
    let tables = read_figures(Path::new(FIGURES)).expect("tables");
    let results = Results::read(Path::new(FILE)).expect("results");
    let all = standings(&jobs_of_modelled(&tables), &results).expect("experiments that run");
    let (stale, missing) = (named(&all, Standing::Stale), named(&all, Standing::Missing));
    if !missing.is_empty() {
        eprint!("These full-size runs have not been made ({COMMAND}):\n{missing}");
    }
    assert!(
        stale.is_empty(),
        "lessons/full-size.json is older than the engine.\nThese runs would give other results now:\n{stale}Run them again and commit the file: {COMMAND}"
    );
    let known = jobs_of_modelled(&tables);
    let left = results.runs.iter().filter(|run| {
        let is_of = |job: &Job| job.experiment == run.experiment && job.kernel == run.kernel;
        !known.iter().any(is_of)
    });
    assert_eq!(
        left.count(),
        0,
        "runs that belong to no table: {COMMAND} removes them"
    );
}

fn small(kernel: &str) -> Job {
    Job {
        experiment: "large-dd.teach".to_string(),
        kernel: kernel.to_string(),
        seeds: 1,
    }
}

#[test]
fn write_runs_only_missing_and_outdated_experiments() {
    let path = std::env::temp_dir().join(format!("mmscope-full-size-{}.json", std::process::id()));
    let _ = fs::remove_file(&path);
    let all = [small("3.0-rc6-vanilla"), small("zlcfirst")];
    let first = make(&path, &all[..1], &all, false).expect("one run");
    assert_eq!(first.runs.len(), 1);
    assert!(
        first.runs[0]
            .rows
            .iter()
            .any(|row| row.metric == "Elapsed time")
    );

    // A mark shows whether a run was made again or kept.
    let mut marked = first.clone();
    marked.runs[0].made = "2000-01-01".to_string();
    marked.write(&path).expect("written");
    assert_eq!(Results::read(&path).expect("read"), marked);
    let second = make(&path, &all, &all, false).expect("the other run");
    assert_eq!(second.runs[0], marked.runs[0]);
    assert_eq!(second.runs[1].kernel, "zlcfirst");

    // One of two runs is out of date and is repeated; the other is kept.
    let mut old = second.clone();
    old.runs[1].fingerprint.full = "0".repeat(16);
    old.write(&path).expect("written");
    let standing = standings(&all, &old).expect("they run");
    assert_eq!(
        named(&standing, Standing::Stale),
        "  large-dd.teach, kernel zlcfirst\n"
    );
    assert_eq!(make(&path, &all, &all, false).expect("made"), second);
    // Another seed is added to the existing one.
    let two = [Job {
        seeds: 2,
        ..all[1].clone()
    }];
    let named = named(
        &standings(&two, &second).expect("they run"),
        Standing::Missing,
    );
    assert_eq!(named, "  large-dd.teach, kernel zlcfirst\n");
    let more = make(&path, &two, &all, false).expect("made").runs[1].clone();
    assert_eq!((more.seeds(), more.others[0].seed), (2, more.seed + 1));
    assert_eq!(
        (&more.rows, &more.end),
        (&second.runs[1].rows, &second.runs[1].end)
    );
    assert_ne!(more.others[0].end.hash, more.end.hash);
    assert_eq!(Results::read(&path).expect("read").runs[1], more);
    // A run that belongs to no table is removed.
    let last = make(&path, &all[..1], &all[..1], true).expect("made again");
    assert_eq!((last.runs.len(), &last.runs[0]), (1, &first.runs[0]));
    fs::remove_file(&path).expect("it is there");
}

#[test]
fn refuses_a_file_of_another_format_by_name() {
    let path = std::env::temp_dir().join(format!("mmscope-other-{}.json", std::process::id()));
    fs::write(&path, "{\"runs\": 3}").expect("written");
    let fault = Results::read(&path).expect_err("another form");
    assert!(format!("{fault:?}").contains("mmscope-other"), "{fault:?}");
    fs::remove_file(&path).expect("it is there");
    assert_eq!(
        Results::read(&path).expect("none is no results").runs.len(),
        0
    );
}

#[test]
fn missing_results_are_named_in_the_score() {
    let runs = as_runs(&[small("zlcfirst")], &Results::default());
    let said = format!("{runs:?}");
    assert!(said.contains("have not been made yet"), "{said}");
}

/// The README gives one figure for the accuracy of the simulation.
#[test]
fn the_readme_gives_the_number_of_changes_that_agree() {
    let mut tables = read_figures(Path::new(FIGURES)).expect("tables");
    tables.retain(is_runnable);
    let results = Results::read(Path::new(FILE)).expect("results");
    let mut runs = as_runs(&jobs(&tables), &results);
    let compared: Vec<_> = tables
        .into_iter()
        .map(|table| compare(table, 1, &mut runs))
        .collect();
    let scores = scored(&compared);
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = fs::read_to_string(readme).expect("README.md");
    let words: Vec<&str> = readme.split_whitespace().collect();
    let sentence = format!(
        "{} of {} changes have the published direction",
        scores.agree, scores.scored
    );
    assert!(words.join(" ").contains(&sentence), "{sentence}");
    assert_eq!(compared.len(), 9, "the README says nine tables");
}
