//! `mmscope shrink`: the smallest experiment for which a statement still holds.
//!
//! Modelled: a greedy search. A smaller experiment for which the statement holds replaces the one before, until
//! no neighbour of it is left for which the statement holds.
//! Left out: the smallest of all experiments; the result is a local minimum.
//! Invariants: the statement holds for every experiment that replaces another, and each is smaller than the
//! one before, so the search ends.

mod neighbours;
mod statement;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use mm::experiment::{Experiment, Raw};
use serde_json::{Value, json};

use crate::args::Parsed;
use crate::failure::{Outcome, bad, refused};
use crate::input;
use crate::output::{print, say};
use neighbours::{described, neighbours, size};
use statement::{Answer, Statement};

/// A person asked to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// The result of a search.
#[derive(Debug)]
struct Found {
    raw: Raw,
    /// What the statement's counters are there.
    answer: Answer,
    /// Experiments that were run.
    runs: u64,
    /// The statement holds for none of its neighbours.
    minimal: bool,
}

/// Shrinks an experiment, and prints the result.
///
/// # Errors
/// Bad input, a statement that does not hold, a closed pipe.
pub fn shrink(parsed: &Parsed) -> Outcome<()> {
    let text = parsed.value("--that").ok_or_else(|| {
        bad("--that STATEMENT is missing: what must stay true? For example --that 'allocstall > 0'")
    })?;
    let statement = Statement::parse(text, parsed.value("--kernels"))?;
    let experiment = input::experiment(parsed)?;
    let raw = described(&experiment);
    let stop = || STOPPED.load(Ordering::SeqCst);
    let _ = ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    say(&format!("from {}", size(&raw)));
    let progress = |runs: u64, raw: &Raw| say(&format!("run {runs}: {}", size(raw)));
    let found = search(&statement, raw, &stop, &progress)?;
    if !found.minimal {
        say("interrupted: a smaller experiment may exist");
    }
    if parsed.has("--json") {
        return print(&format!("{:#}\n", report(&statement, &found)));
    }
    say(words(&found).trim_end());
    let small = Experiment::new(found.raw).map_err(|f| refused("the result", &f))?;
    print(&format!("{}\n", small.canonical()))
}

/// The search: tries the neighbours of the smallest experiment so far, one after the other.
fn search(
    statement: &Statement,
    raw: Raw,
    stop: &dyn Fn() -> bool,
    progress: &dyn Fn(u64, &Raw),
) -> Outcome<Found> {
    statement.check(&raw)?;
    let Some(mut answer) = statement.holds(&raw, stop) else {
        return Err(bad(match stop() {
            true => "interrupted before the experiment had run".to_string(),
            false => format!("the statement does not hold: {}", statement.told(&raw)),
        }));
    };
    let (mut raw, mut runs) = (raw, 1);
    let mut failed = BTreeSet::new();
    let mut around = neighbours(&raw);
    // The next neighbour to try, and how many of them have failed in a row.
    let (mut next, mut in_a_row) = (0, 0);
    while in_a_row < around.len() && !stop() {
        let candidate = &around[next % around.len()];
        next += 1;
        let key = mm::read::written(candidate);
        if !failed.contains(&key) {
            runs += 1;
            if let Some(found) = statement.holds(candidate, stop) {
                (raw, answer) = (candidate.clone(), found);
                progress(runs, &raw);
                // Continues at the same kind of change: what could be halved once often can be again.
                next -= 1;
                in_a_row = 0;
                around = neighbours(&raw);
                continue;
            }
            if stop() {
                break;
            }
            failed.insert(key);
        }
        in_a_row += 1;
    }
    let minimal = in_a_row >= around.len();
    Ok(Found {
        raw,
        answer,
        runs,
        minimal,
    })
}

fn words(found: &Found) -> String {
    let mut out = format!("{} runs: {}\n", found.runs, size(&found.raw));
    for figure in &found.answer {
        let _ = writeln!(
            out,
            "{} is {} on {}",
            figure.counter, figure.value, figure.kernel
        );
    }
    out
}

fn report(statement: &Statement, found: &Found) -> Value {
    let figures = found.answer.iter().map(
        |figure| json!({"counter": figure.counter, "kernel": figure.kernel, "value": figure.value}),
    );
    json!({
        "statement": statement.text(),
        "experiment": found.raw,
        "figures": figures.collect::<Vec<_>>(),
        "runs": found.runs,
        "local_minimum": found.minimal,
    })
}
