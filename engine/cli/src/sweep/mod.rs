//! `mmscope sweep`: an experiment along axes, one line of JSON for each run.

mod store;

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::num::NonZero;

use serde_json::Value;

use reports::sweep::{Job, Line, Shard, Sweep, plan, run};

use crate::args::Parsed;
use crate::failure::{Outcome, bad, io_fault};
use crate::input::{read_text, source_name};
use crate::output::say;
use crate::runs;
use store::{Finished, Store};

/// Runs a sweep.
///
/// # Errors
/// The input is bad, the disk is full, or the pipe is closed.
pub fn sweep(parsed: &Parsed) -> Outcome<()> {
    let Some(path) = parsed.operand() else {
        return Err(bad(
            "which FILE? A JSON file with an experiment and axes, or - for stdin",
        ));
    };
    let shard = parsed
        .value("--shard")
        .map_or(Ok(Shard::WHOLE), Shard::parse)?;
    let threads = threads(parsed)?;
    let folder = parsed.value("--resume");
    if parsed.has("--json-lines") && folder.is_none() {
        return Err(bad(
            "--json-lines belongs to --resume; without it the lines go to stdout anyway",
        ));
    }
    let sweep = Sweep::parse(source_name(path), &read_text(path)?)?;
    let all = plan(&sweep)?;
    let ours: Vec<Job> = all.iter().filter(|job| shard.has(job)).cloned().collect();
    let (store, finished) = match folder {
        Some(folder) => {
            let (store, finished) = Store::open(folder, shard)?;
            (Some(store), finished)
        }
        None => (None, Finished::new()),
    };
    let count = ours.len();
    let left = left(&sweep, ours, &finished)?;
    let mut out = Out {
        store,
        prints: folder.is_none() || parsed.has("--json-lines"),
        absent: None,
    };
    let mut made = 0;
    let shows = stderr().is_terminal();
    let done = |_, line: reports::sweep::Outcome<Line>| {
        out.write(&line?)?;
        made += 1;
        if shows {
            say(&format!("{made} of {} runs", left.len()));
        }
        Ok(())
    };
    runs::each(threads, &left, |job| run(&sweep, job), done)?;
    for name in out.absent.iter().flatten() {
        say(&format!("no run has a figure called {name:?}"));
    }
    say(&format!(
        "{count} of the sweep's {} runs: {made} run now, {} finished before",
        all.len(),
        count - left.len()
    ));
    Ok(())
}

fn threads(parsed: &Parsed) -> Outcome<NonZero<usize>> {
    let Some(text) = parsed.value("--jobs") else {
        return Ok(runs::processors());
    };
    text.parse()
        .map_err(|_| bad(format!("--jobs {text}: a whole number from 1 on")))
}

/// The runs that are not in the folder.
fn left(sweep: &Sweep, jobs: Vec<Job>, finished: &Finished) -> Outcome<Vec<Job>> {
    let mut left = Vec::new();
    for job in jobs {
        let Some(known) = finished.get(&job.key.to_string()) else {
            left.push(job);
            continue;
        };
        let mut names = sweep.figures.iter().flatten();
        if let Some(name) = names.find(|name| !known.contains(name)) {
            return Err(bad(format!(
                "the folder of --resume has run {} without the figure {name:?}: use another folder",
                job.key
            )));
        }
    }
    Ok(left)
}

/// The destination of the lines.
struct Out {
    store: Option<Store>,
    prints: bool,
    /// Named figures that no run has had yet; none before the first line.
    absent: Option<BTreeSet<String>>,
}

impl Out {
    fn write(&mut self, line: &Line) -> Outcome<()> {
        let text = serde_json::to_string(line).map_err(|e| bad(e.to_string()))? + "\n";
        if let Some(store) = &mut self.store {
            store.add(&text)?;
        }
        if self.prints {
            let mut out = stdout().lock();
            let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            written.map_err(|e| io_fault("stdout", &e))?;
        }
        let figures = &line.result.figures;
        let is_absent = |name: &String| figures.get(name).is_none_or(Value::is_null);
        match &mut self.absent {
            Some(absent) => absent.retain(is_absent),
            None => self.absent = Some(figures.keys().filter(|n| is_absent(n)).cloned().collect()),
        }
        Ok(())
    }
}
