//! `mmscope run`: an experiment from boot to a stop, and a report.

use std::cell::RefCell;
use std::io::{IsTerminal, stderr};
use std::rc::Rc;

use mm::experiment::Experiment;
use mm::machine::Machine;
use mm::proc::{self, File};
use reports::Measured;
use reports::who_paid::{self, Paid, WhoPaid};
use serde_json::json;

use crate::args::Parsed;
use crate::events::{self, Ftrace, Lines, Writer};
use crate::failure::{Outcome, bad};
use crate::hash::at;
use crate::input::{self, Until};
use crate::list;
use crate::output::{self, Target, print, say};
use crate::report;

/// The files that a run can write at its end, by option.
const FILES: [(&str, File); 8] = [
    ("--vmstat", File::Vmstat),
    ("--zoneinfo", File::Zoneinfo),
    ("--buddyinfo", File::Buddyinfo),
    ("--pagetypeinfo", File::Pagetypeinfo),
    ("--unusable-index", File::UnusableIndex),
    ("--extfrag-index", File::ExtfragIndex),
    ("--lru-gen", File::LruGen),
    ("--lru-gen-full", File::LruGenFull),
];
/// The files that a run writes while it runs.
const ON_THE_WAY: [&str; 3] = ["--events", "--ftrace", "--ftrace-script"];
/// Steps between two messages of progress.
const PROGRESS: u64 = 50_000_000;

/// Runs an experiment.
///
/// # Errors
/// The input is bad, the disk is full, or the pipe is closed.
pub fn run(parsed: &Parsed) -> Outcome<()> {
    if let Some(kernel) = input::set_list(parsed)? {
        return list::tunables(kernel);
    }
    let form = match parsed.value("--report") {
        None => Form::Short,
        Some("json") => Form::Json,
        Some("mmtests") => Form::Table,
        Some(other) => {
            let reason = format!("--report {other}: the forms are mmtests and json");
            return Err(bad(reason));
        }
    };
    let until = Until::of(parsed)?;
    let experiment = input::experiment(parsed)?;
    let names = FILES.iter().map(|(name, _)| *name).chain(ON_THE_WAY);
    let wanted: Vec<(&str, &str)> = names
        .filter_map(|name| Some((name, parsed.value(name)?)))
        .collect();
    for (name, _) in &wanted {
        let file = FILES.iter().find(|(option, _)| option == name);
        if file.is_some_and(|(_, file)| !file.is_there(&experiment.kernel.features)) {
            return Err(bad(format!(
                "{name}: kernel {} has no such file, or the engine does not model it",
                experiment.kernel.id
            )));
        }
    }
    let uses_stdout = wanted.iter().find(|(_, path)| *path == "-");
    if let (Some((option, _)), Some(form)) = (uses_stdout, parsed.value("--report")) {
        return Err(bad(format!(
            "--report {form} and {option} both write to stdout: give {option} a file"
        )));
    }
    let inputs: Vec<&str> = parsed
        .operand()
        .into_iter()
        .chain(parsed.value("--machine"))
        .collect();
    let mut targets = output::open(&wanted, &inputs)?;

    let mut machine = Machine::boot(&experiment);
    let on_the_way = wanted.iter().filter(|(name, _)| ON_THE_WAY.contains(name));
    let on_the_way: Vec<&str> = on_the_way.map(|(name, _)| *name).collect();
    let recorded = targets.split_off(targets.len() - on_the_way.len());
    let who = parsed.has("--who-paid").then(|| WhoPaid::begin(&machine));
    let who = who.map(|who| Rc::new(RefCell::new(who)));
    if recorded.is_empty() && who.is_none() {
        run_plain(&mut machine, until);
    } else {
        run_recorded(
            &mut machine,
            until,
            on_the_way.iter().zip(recorded),
            who.clone(),
            &about(&experiment),
        )?;
    }
    write_files(&machine, &wanted, targets)?;
    let files = who_paid::file_names(&experiment);
    let paid = who.map(|who| who_paid::named(&who.borrow(), &machine, &files));

    match form {
        Form::Json => {
            let mut report = report::json_report(&machine, &experiment);
            if let Some(paid) = paid {
                report["who_paid"] = json!(paid);
            }
            print(&format!("{report:#}\n"))
        }
        Form::Table => {
            let rows = reports::rows(&Measured::of(&machine));
            let delays = reports::delays::text(&reports::delays::histograms(&machine));
            let table = reports::table::of_run(experiment.kernel.id, &rows);
            let gap = if delays.is_empty() { "" } else { "\n" };
            print(&format!("{table}{gap}{delays}{}", paid_text(paid.as_ref())))
        }
        Form::Short => {
            let short = report::text_report(&machine, &experiment);
            let text = format!("{short}{}", paid_text(paid.as_ref()));
            if uses_stdout.is_some() {
                say(&text);
                return Ok(());
            }
            print(&text)
        }
    }
}

fn paid_text(paid: Option<&Paid>) -> String {
    paid.map_or(String::new(), |paid| format!("\n{}", who_paid::text(paid)))
}

/// The format of the report.
enum Form {
    /// In short.
    Short,
    /// The rows of published tables.
    Table,
    /// Everything.
    Json,
}

fn write_files(machine: &Machine, wanted: &[(&str, &str)], targets: Vec<Target>) -> Outcome<()> {
    for (&(name, _), mut target) in wanted.iter().zip(targets) {
        if let Some(&(_, file)) = FILES.iter().find(|(option, _)| *option == name) {
            target.write(&proc::print(machine, file))?;
            target.finish()?;
        }
    }
    Ok(())
}

/// The description of the run in a trace.
fn about(experiment: &Experiment) -> String {
    let id = match experiment.raw.id.as_str() {
        "" => "experiment without an id",
        id => id,
    };
    let (kernel, seed) = (experiment.kernel.id, experiment.seed);
    format!(
        "{id}, kernel {kernel}, machine {}, seed {seed}",
        experiment.machine.id
    )
}

/// Runs and writes the events meanwhile.
fn run_recorded<'a>(
    machine: &mut Machine,
    until: Until,
    wanted: impl Iterator<Item = (&'a &'a str, Target)>,
    who: Option<Rc<RefCell<WhoPaid>>>,
    about: &str,
) -> Outcome<()> {
    let mut writers: Vec<Box<dyn Writer>> = Vec::new();
    if let Some(who) = who {
        writers.push(Box::new(who));
    }
    for (&name, out) in wanted {
        writers.push(match name {
            "--events" => Box::new(Lines { out }),
            _ => Box::new(Ftrace::begin(machine, out, about, name != "--ftrace")?),
        });
    }
    events::run_recorded(machine, until, &mut writers)?;
    writers.into_iter().try_for_each(|writer| writer.finish())
}

/// Runs at full speed; on a terminal it prints the progress.
fn run_plain(machine: &mut Machine, until: Until) {
    if !stderr().is_terminal() {
        return machine.run(until.step(), until.ns());
    }
    loop {
        let next = machine.w.run.steps().saturating_add(PROGRESS);
        machine.run(until.step().min(next), until.ns());
        if machine.w.run.steps() < next {
            return;
        }
        say(&at(machine));
    }
}
