//! `mmscope real`: an experiment on a real kernel in a virtual machine, and the same run simulated.
//!
//! The guest program executes the compiled workload that the engine runs, with the same random numbers. The
//! virtual machine has no network, and everything it writes goes to images in a temporary folder.

mod advice;
mod archive;
mod boot;
mod capture;
mod disks;
mod fit;
mod fuzz;
mod image;
mod initramfs;
mod kernel;
mod modules;
mod print;
mod program;
mod run;
mod scale;
mod settings;
mod summary;
#[cfg(test)]
mod tests;
mod vm;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use mm::workload::parse_ns;

use crate::args::Parsed;
use crate::commands;
use crate::failure::{Outcome, bad};
use crate::input;
use crate::output::say;
use crate::twin;
use fit::{Choices, Fitted, fit};
use kernel::{Bootable, RealKernel};

/// The time that a run may take in addition to its workload, s: booting under emulation, and
/// writing the capture.
const BESIDE_S: u64 = 120;
/// The factor by which a workload may take longer than its virtual time, because emulation is slow
/// on a busy computer.
const SLOWER: u64 = 4;

/// Runs an experiment on a real kernel, then on the engine, and prints both.
///
/// # Errors
/// The input is bad, a part is missing, or a virtual machine fails.
pub fn real(parsed: &Parsed) -> Outcome<()> {
    if parsed.has("--fuzz") {
        return fuzz::fuzz(parsed);
    }
    let plan = Plan::of(parsed)?;
    for note in &plan.fitted.notes {
        say(&format!("note: {note}"));
    }
    if parsed.has("--print") {
        return print::files(&plan);
    }
    capture::prepare(&plan.folder)?;
    let took = run::run(&plan, false)?;
    say(&format!("the capture is in {}", plan.folder.display()));
    if capture::was_cut(&plan.folder) {
        say(
            "note: the workload was ended by the time limit. What it did until then follows the speed of this computer; the engine ends each task at the same place",
        );
    }
    let began = Instant::now();
    let mut words = vec![plan.folder.display().to_string()];
    if parsed.has("--json") {
        words.push("--json".to_string());
    }
    twin::twin(&commands::TWIN.parse(&words)?)?;
    say(&format!(
        "{took}, the engine {:.1} s",
        began.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// Everything that is known before a run.
struct Plan {
    /// The experiment and the virtual machine.
    fitted: Fitted,
    /// The kernel.
    kernel: RealKernel,
    /// Its ELF file.
    bootable: Bootable,
    /// The name of the capture.
    name: String,
    /// Its folder.
    folder: PathBuf,
    /// The time limit of the virtual machine.
    limit: Duration,
}

impl Plan {
    fn of(parsed: &Parsed) -> Outcome<Plan> {
        let experiment = input::experiment(&parsed.without("--kernel"))?;
        let nearest = kernel::nearest_series(&experiment.raw.kernel);
        let wanted = parsed.value("--kernel").unwrap_or(nearest);
        let kernel = kernel::find(wanted, parsed.value("--modules"))?;
        let bootable = kernel.bootable()?;
        let choices = choices(parsed)?;
        let fitted = fit(&experiment, &kernel, bootable.loaded, choices)?;
        let id = match experiment.raw.id.as_str() {
            "" => "experiment",
            id => id,
        };
        let name = format!("{id}-{}-{}m", kernel.variant, fitted.vm.mib());
        let folder = parsed
            .value("--out")
            .map_or_else(|| PathBuf::from(format!("real-{name}")), PathBuf::from);
        Ok(Plan {
            limit: limit(parsed, fitted.experiment.length_ns)?,
            fitted,
            kernel,
            bootable,
            name,
            folder,
        })
    }
}

fn choices(parsed: &Parsed) -> Outcome<Choices> {
    let mib = parsed.value("--memory").map(scale::parse_mib).transpose()?;
    let cpus = parsed.value("--cpus").map(|text| {
        let cpus = text.parse().ok().filter(|n| (1..=64).contains(n));
        cpus.ok_or_else(|| bad(format!("--cpus {text}: CPUs of each node, 1 to 64")))
    });
    let length = parsed
        .value("--until")
        .map(|text| duration("--until", text));
    Ok(Choices {
        mib,
        cpus: cpus.transpose()?,
        length_ns: length.transpose()?,
    })
}

fn duration(option: &str, text: &str) -> Outcome<u64> {
    let ns = parse_ns(text).map_err(|reason| bad(format!("{option} {text}: {reason}")))?;
    match ns {
        0 => Err(bad(format!("{option} {text}: at least 1ms"))),
        ns => Ok(ns),
    }
}

fn limit(parsed: &Parsed, length_ns: u64) -> Outcome<Duration> {
    if let Some(text) = parsed.value("--limit") {
        return Ok(Duration::from_nanos(duration("--limit", text)?));
    }
    let length = Duration::from_nanos(length_ns) * SLOWER as u32;
    Ok(length + Duration::from_secs(BESIDE_S))
}
