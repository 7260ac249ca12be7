//! `mmscope hash`: the state hash of a run, and the input for a run in another build of the engine.

use mm::machine::Machine;
use serde_json::json;

use crate::args::Parsed;
use crate::failure::{Outcome, bad};
use crate::input::{self, Until};
use crate::list;
use crate::output::{print, say};

/// The build of the engine that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Native,
    Wasm,
}

fn engine(parsed: &Parsed) -> Outcome<Engine> {
    match parsed.value("--engine") {
        None | Some("native") => Ok(Engine::Native),
        Some("wasm") => Ok(Engine::Wasm),
        Some(other) => Err(bad(format!(
            "--engine {other}: the builds are native and wasm"
        ))),
    }
}

/// Prints the hash of the state where the run stopped.
///
/// # Errors
/// The input is bad, or the pipe is closed.
pub fn hash(parsed: &Parsed) -> Outcome<()> {
    if let Some(kernel) = input::set_list(parsed)? {
        return list::tunables(kernel);
    }
    if engine(parsed)? == Engine::Wasm {
        return Err(bad(
            "--engine wasm: this program is the native engine; npm run --silent sim -- hash ... --engine wasm runs the other",
        ));
    }
    let until = Until::of(parsed)?;
    let experiment = input::experiment(parsed)?;
    let mut machine = Machine::boot(&experiment);
    if parsed.has("--stepped") {
        run_stepped(&mut machine, until);
    } else {
        machine.run(until.step(), until.ns());
    }
    say(&at(&machine));
    print(&format!("{:016x}\n", machine.hash()))
}

/// Executes one point per call.
fn run_stepped(machine: &mut Machine, until: Until) {
    while machine.w.run.steps() < until.step() {
        let before = machine.w.run.steps();
        machine.run(before + 1, until.ns());
        if machine.w.run.steps() == before {
            return;
        }
    }
}

/// The position of a machine, in words.
pub fn at(machine: &Machine) -> String {
    let position = machine.position();
    let ended = if position.ended { ", ended" } else { "" };
    format!("step {}, {} ns{ended}", position.step, position.time_ns)
}

/// Prints, as JSON, the experiment with all options applied and the point where it stops.
///
/// # Errors
/// The input is bad, or the pipe is closed.
pub fn resolve(parsed: &Parsed) -> Outcome<()> {
    if input::set_list(parsed)?.is_some() {
        return print("{\"engine\":\"native\"}\n");
    }
    let engine = engine(parsed)?;
    let until = Until::of(parsed)?;
    let experiment = input::experiment(parsed)?;
    let number = |n: u64| (n != u64::MAX).then_some(n);
    let resolved = json!({
        "engine": if engine == Engine::Wasm { "wasm" } else { "native" },
        "experiment": experiment.canonical(),
        "until_step": number(until.step()),
        "until_ns": number(until.ns()),
        "stepped": parsed.has("--stepped"),
    });
    print(&format!("{resolved}\n"))
}
