//! One run: the initramfs, the disks, the virtual machine, the capture.

use std::fmt::{self, Display};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use guest::Settings;

use crate::failure::{Outcome, bad, io_fault};
use crate::output::say;
use crate::real::initramfs::Cpio;
use crate::real::modules::{self, Module};
use crate::real::settings::{MODULES, settings};
use crate::real::vm::{Files, for_shell};
use crate::real::{Plan, boot, capture, disks, program};

/// The durations of the parts of a run.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    prepared: Duration,
    machine: Duration,
    collected: Duration,
}

impl Display for Took {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [prepared, machine, collected] =
            [self.prepared, self.machine, self.collected].map(|part| part.as_secs_f64());
        write!(
            f,
            "time: preparing {prepared:.1} s, the virtual machine {machine:.1} s, reading the capture {collected:.1} s"
        )
    }
}

/// The files for the guest.
pub struct Parts {
    /// The guest program.
    pub program: Vec<u8>,
    /// Kernel modules in their order.
    pub modules: Vec<Module>,
    /// Its settings.
    pub settings: Settings,
}

impl Parts {
    /// Collects the files for the guest.
    ///
    /// # Errors
    /// The guest program cannot be built, or a module is missing.
    pub fn of(plan: &Plan) -> Outcome<Parts> {
        let path = program::find()?;
        let program = fs::read(&path).map_err(|error| io_fault(path.display(), &error))?;
        let mut wanted = modules::DISKS.to_vec();
        if plan.fitted.vm.data.is_some() {
            wanted.extend(modules::FILES);
        }
        let modules = modules::load(&plan.kernel.modules, &wanted)?;
        let settings = settings(&plan.fitted, &plan.kernel, &plan.name, &modules);
        Ok(Parts {
            program,
            modules,
            settings,
        })
    }

    /// The settings as text.
    ///
    /// # Errors
    /// Never in practice.
    pub fn settings_json(&self) -> Outcome<String> {
        serde_json::to_string_pretty(&self.settings).map_err(|error| bad(error.to_string()))
    }

    /// The initramfs.
    ///
    /// # Errors
    /// Never in practice.
    pub fn initramfs(&self, plan: &Plan) -> Outcome<Vec<u8>> {
        let mut cpio = Cpio::default();
        let below = guest::FOLDER.trim_start_matches('/');
        for folder in ["dev", "proc", "sys", "data", below, MODULES] {
            cpio.folder(folder);
        }
        cpio.program("init", &self.program);
        let experiment = plan.fitted.experiment.canonical();
        cpio.file(
            &format!("{below}/{}", guest::EXPERIMENT),
            experiment.as_bytes(),
        );
        let settings = self.settings_json()?;
        cpio.file(&format!("{below}/{}", guest::SETTINGS), settings.as_bytes());
        for (name, bytes) in &self.modules {
            cpio.file(&format!("{MODULES}/{name}"), bytes);
        }
        Ok(cpio.compressed())
    }
}

/// Runs a plan and writes its capture.
///
/// # Errors
/// A part is missing, or the virtual machine fails or takes too long.
pub fn run(plan: &Plan, quiet: bool) -> Outcome<Took> {
    let began = Instant::now();
    let work = tempfile::tempdir().map_err(|error| io_fault("a temporary folder", &error))?;
    let files = Files::in_folder(work.path(), plan.bootable.elf.clone());
    let parts = Parts::of(plan)?;
    write(&files.initramfs, &parts.initramfs(plan)?)?;
    disks::make(&plan.fitted.vm, &files, &plan.fitted.experiment)?;
    let prepared = began.elapsed();
    if !quiet {
        say(&format!(
            "starting {}: {} MiB, {} CPUs; it may take up to {} s",
            plan.kernel.release,
            plan.fitted.vm.mib(),
            plan.fitted.vm.cpus(),
            plan.limit.as_secs()
        ));
    }
    let machine = boot::run(&plan.fitted.vm, &files, plan.limit, quiet)?;
    let began = Instant::now();
    capture::collect(&files, &plan.fitted.experiment, &plan.folder)?;
    let line = for_shell("qemu-system-x86_64", &plan.fitted.vm.arguments(&files));
    write(
        &plan.folder.join("qemu.txt"),
        format!("{line}\n").as_bytes(),
    )?;
    Ok(Took {
        prepared,
        machine,
        collected: began.elapsed(),
    })
}

/// Writes a file.
///
/// # Errors
/// The disk is full.
pub fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    fs::write(path, bytes).map_err(|error| io_fault(path.display(), &error))
}
