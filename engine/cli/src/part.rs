//! `mmscope part`: finds where two kernels first differ in one experiment.

use mm::divergence::DivergenceSearch;
use mm::view::{DivergenceOutcome, DivergenceView, ProgramPointView};
use picture::catalog;

use crate::args::Parsed;
use crate::failure::{Outcome, bad};
use crate::input::{self, Until};
use crate::output::{print, say};

/// Steps between two checks of the stop.
const CHUNK: u64 = 1_000_000;
/// Steps between two messages of progress.
const PROGRESS: u64 = 50_000_000;

/// Prints the last point that both kernels executed, and the next point of each.
///
/// # Errors
/// The input is bad, or the pipe is closed.
pub fn part(parsed: &Parsed) -> Outcome<()> {
    let Some(other) = parsed.value("--with") else {
        return Err(bad(
            "--with K is missing: with which kernel should it be compared?",
        ));
    };
    let until = Until::of(parsed)?;
    let first = input::experiment(parsed)?;
    let second = input::on_kernel(&first, other)?;
    if first.kernel.id == second.kernel.id {
        let reason =
            format!("--with {other}: the experiment already runs on this kernel; name another");
        return Err(bad(reason));
    }
    let mut search = DivergenceSearch::of([&first, &second]);
    loop {
        let here = search.machines()[0].position();
        let left = until.step().saturating_sub(here.step).min(CHUNK);
        let is_over = left == 0 || here.time_ns >= until.ns();
        if search.more(if is_over { 0 } else { left }) != DivergenceOutcome::Equal || is_over {
            break;
        }
        if here.step / PROGRESS != (here.step + left) / PROGRESS {
            say(&format!("same for {} steps", here.step + left));
        }
    }
    let named = parsed.value("--kernel").unwrap_or(first.kernel.id);
    print(&words(&picture::divergence(&search), [named, other]))
}

fn words(view: &DivergenceView, kernels: [&str; 2]) -> String {
    let mut out = format!("same for {} steps\n", view.step);
    if view.outcome != DivergenceOutcome::Diverged {
        return out;
    }
    let functions = catalog::functions();
    let point = |point: Option<&ProgramPointView>| match point {
        None => "nothing: the run has ended".to_string(),
        Some(ProgramPointView {
            name,
            function,
            line,
            ..
        }) => {
            let function = &functions[*function as usize];
            let text = &function.lines[*line as usize].text;
            format!("{name} in {}: {text}", function.name)
        }
    };
    if let Some(last) = &view.last {
        out += &format!("both ran      {}\n", point(Some(last)));
    }
    for (kernel, run) in kernels.iter().zip(&view.runs) {
        let next = point(run.next.as_ref());
        out += &format!("{kernel} at {} ns continues with {next}\n", run.time_ns);
    }
    out
}
