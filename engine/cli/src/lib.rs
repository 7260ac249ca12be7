//! The engine without a browser: run, hash, print, import and measure.
//!
//! The binary is [`main`].

mod args;
mod bench;
mod commands;
mod events;
mod explain;
mod failure;
mod fidelity;
mod full_size;
mod hash;
mod import;
mod input;
mod list;
mod output;
mod part;
mod real;
mod report;
mod run;
mod runs;
mod sensitivity;
mod shrink;
mod sweep;
mod trace;
mod truth;
mod twin;
mod verify;
mod zoneinfo;

use std::process::ExitCode;

use args::{Command, Parsed};
use mm::read::nearest;

use failure::{BAD_INPUT, DIFFERS, ENGINE_FAULT, Failure, Outcome, bad, shown};
use output::{print, say};

/// The command line: reads the arguments, runs the command, and reports the outcome.
pub fn main() -> ExitCode {
    report_faults();
    let words: Result<Vec<String>, _> = std::env::args_os()
        .skip(1)
        .map(std::ffi::OsString::into_string)
        .collect();
    let done = match words {
        Ok(words) => dispatch(&words),
        Err(word) => Err(bad(format!("{} is not UTF-8", word.to_string_lossy()))),
    };
    match done {
        Ok(()) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Differs) => ExitCode::from(DIFFERS),
        Err(Failure::Bad(reason)) => {
            say(&format!("mmscope: {reason}"));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// A panic is an internal error: the hook reports it and ends the process with a separate exit
/// code.
fn report_faults() {
    std::panic::set_hook(Box::new(|info| {
        let arguments: Vec<String> = std::env::args_os()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        say(&format!(
            "mmscope: the engine has a fault: {info}\nversion {}, arguments: {}",
            mm::VERSION,
            shown(&arguments.join(" "))
        ));
        std::process::exit(ENGINE_FAULT.into());
    }));
}

fn dispatch(words: &[String]) -> Outcome<()> {
    let Some((name, rest)) = words.split_first() else {
        return Err(bad("which command?").and(format!("\n{}", commands::help())));
    };
    match name.as_str() {
        "--help" | "-h" | "help" => return help(rest),
        "--version" | "-V" => return print(&format!("mmscope {}\n", mm::VERSION)),
        _ => {}
    }
    let work: (&Command, fn(&Parsed) -> Outcome<()>) = match name.as_str() {
        "list" => (&commands::LIST, list::list),
        "run" => (&commands::RUN, run::run),
        "hash" => (&commands::HASH, hash::hash),
        "part" => (&commands::PART, part::part),
        "shrink" => (&commands::SHRINK, shrink::shrink),
        "resolve" => (&commands::RESOLVE, hash::resolve),
        "zoneinfo" => (&commands::ZONEINFO, zoneinfo::zoneinfo),
        "import-zoneinfo" => (&commands::IMPORT, import::import),
        "explain" => (&commands::EXPLAIN, explain::explain),
        "fidelity" => (&commands::FIDELITY, fidelity::fidelity),
        "sensitivity" => (&commands::SENSITIVITY, sensitivity::sensitivity),
        "twin" => (&commands::TWIN, twin::twin),
        "real" => (&commands::REAL, real::real),
        "sweep" => (&commands::SWEEP, sweep::sweep),
        "verify" => (&commands::VERIFY, verify::verify),
        "trace" => (&commands::TRACE, trace::trace),
        "truth" => (&commands::TRUTH, truth::truth),
        "bench" => (&commands::BENCH, bench::bench),
        other => {
            let near = nearest(other, commands::ALL.iter().map(|command| command.name));
            let guess = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            let reason = format!("there is no command {other:?}{guess}");
            return Err(bad(reason).and("see mmscope --help"));
        }
    };
    let (command, work) = work;
    let before_operands = rest.iter().take_while(|word| *word != "--");
    if before_operands
        .into_iter()
        .any(|w| w == "--help" || w == "-h")
    {
        return print(&command.help());
    }
    work(&command.parse(rest)?)
}

fn help(words: &[String]) -> Outcome<()> {
    let named = words.first().and_then(|name| {
        let mut all = commands::ALL.iter();
        all.find(|command| command.name == name.as_str())
    });
    print(&named.map_or_else(commands::help, |command| command.help()))
}
