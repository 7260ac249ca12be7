//! `mmscope shrink`: the smallest experiment for which a statement still holds. The crate `shrink` does the
//! search; this command shows its progress and prints its result.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use mm::experiment::Experiment;
use serde_json::{Value, json};
use shrink::{Best, Fault, Search, Size, Statement, described};

use crate::args::Parsed;
use crate::failure::{Failure, Outcome, bad, refused, shown};
use crate::input;
use crate::output::{print, say};

/// Points between two checks of the stop.
const SLICE: u64 = 1_000_000;

/// Whether the user has asked to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Shrinks an experiment, and prints the result.
///
/// # Errors
/// The input is bad, the statement does not hold, or the pipe is closed.
pub fn shrink(parsed: &Parsed) -> Outcome<()> {
    let text = parsed.value("--that").ok_or_else(|| {
        bad("--that STATEMENT is missing: what must stay true? For example --that 'allocstall > 0'")
    })?;
    let statement = Statement::parse(text, parsed.value("--kernels")).map_err(|f| failure(&f))?;
    let experiment = input::experiment(parsed)?;
    let raw = described(&experiment);
    let _ = ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    say(&format!("from {}", Size::of(&raw)));
    let mut search = Search::begin(statement, raw).map_err(|fault| failure(&fault))?;
    run(&mut search)?;
    let best = search.best();
    let best = best.ok_or_else(|| bad("interrupted before the experiment had run"))?;
    if !search.is_minimal() {
        say("interrupted: a smaller experiment may exist");
    }
    if parsed.has("--json") {
        return print(&format!("{:#}\n", report(&search, best)));
    }
    say(words(&search, best).trim_end());
    let small = Experiment::new(best.raw.clone()).map_err(|f| refused("the result", &f))?;
    print(&format!("{}\n", small.canonical()))
}

/// Searches until the end, or until the user stops the search.
fn run(search: &mut Search) -> Outcome<()> {
    let mut smallest = None;
    while !STOPPED.load(Ordering::SeqCst) {
        let is_done = search.more(SLICE).map_err(|fault| failure(&fault))?;
        if let Some(best) = search.best() {
            let size = Size::of(&best.raw);
            if smallest
                .replace(size.clone())
                .is_some_and(|old| old != size)
            {
                say(&format!("run {}: {size}", search.runs()));
            }
        }
        if is_done {
            break;
        }
    }
    Ok(())
}

/// Formats an error for the command line. For an error in a word of the statement, the second line
/// repeats the statement and the third line marks the position.
fn failure(fault: &Fault) -> Failure {
    match fault {
        Fault::Word { text, column, .. } => bad(format!("--that, {fault}"))
            .and(format!("  {}", shown(text)))
            .and(format!("  {}^", " ".repeat(*column))),
        Fault::Kernels => bad(format!("--kernels: {fault}")),
        Fault::Refused { kernel, refusals } => refused(format!("on {kernel}"), refusals),
        Fault::DoesNotHold(_) => bad(fault.to_string()),
    }
}

fn words(search: &Search, best: &Best) -> String {
    let mut out = format!("{} runs: {}\n", search.runs(), Size::of(&best.raw));
    for figure in &best.figures {
        let _ = writeln!(
            out,
            "{} is {} on {}",
            figure.counter, figure.value, figure.kernel
        );
    }
    out
}

fn report(search: &Search, best: &Best) -> Value {
    json!({
        "statement": search.statement().text(),
        "experiment": best.raw,
        "figures": best.figures,
        "runs": search.runs(),
        "local_minimum": search.is_minimal(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_repeats_the_statement_and_marks_the_position() {
        let fault = Statement::parse("pgfault > >", None).expect_err("a fault");
        let Failure::Bad(reason) = failure(&fault) else {
            panic!("{fault:?}")
        };
        assert!(reason.starts_with("--that, column 11: "), "{reason}");
        assert!(
            reason.ends_with("\n  pgfault > >\n            ^"),
            "{reason}"
        );
    }
}
