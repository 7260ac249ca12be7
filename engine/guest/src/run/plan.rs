//! Data that is known before a run and does not change: the experiment, the table of tasks, the
//! folder of the files, the CPUs of each node.

use facts::index::CpuIndex;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;

use facts::experiment::Experiment;
use facts::workload::SECTOR;
use guest::data_file;

use super::cgroups::Cgroups;
use super::control;
use super::process::Process;
use super::sys::{self, Pid};
use super::table::{Kind, Table};
use super::task::Task;

/// The plan of a run.
pub struct Plan {
    /// The experiment, compiled.
    pub experiment: Experiment,
    /// Tasks and journal.
    pub table: Table,
    /// The folder of the workload's files.
    pub folder: PathBuf,
    /// Bytes in a page.
    pub page_bytes: usize,
    /// CPUs of each node.
    pub node_cpus: Vec<Vec<CpuIndex>>,
    /// All CPUs.
    pub cpus: Vec<CpuIndex>,
    /// Tasks can be victims of the OOM killer although the conductor is protected.
    pub exposes: bool,
    /// The memory cgroups of the workload.
    pub cgroups: Cgroups,
    /// The values that changed settings had before the run.
    pub settings_before: Vec<(String, String)>,
}

/// CPUs of each node of this machine; of a kernel without nodes, all CPUs.
pub fn node_cpus() -> (Vec<Vec<CpuIndex>>, Vec<CpuIndex>) {
    let cpus = |path: &str| -> Vec<CpuIndex> {
        let numbers = control::number_list(&control::read(path));
        numbers.into_iter().map(CpuIndex::new).collect()
    };
    let all = cpus("/sys/devices/system/cpu/online");
    let nodes = control::number_list(&control::read("/sys/devices/system/node/online"));
    let list = |node: &u16| cpus(&format!("/sys/devices/system/node/node{node}/cpulist"));
    match nodes.is_empty() {
        true => (vec![all.clone()], all),
        false => (nodes.iter().map(list).collect(), all),
    }
}

impl Plan {
    /// Path of a file of the workload.
    pub fn file(&self, number: u32) -> PathBuf {
        self.folder.join(data_file(number))
    }

    /// Size of a file of the workload, sectors.
    pub fn sectors(&self, number: u32) -> u32 {
        self.experiment.files[number as usize].0 * (self.page_bytes as u32 / SECTOR)
    }

    /// Opens a file of the workload. A file that is made is a hole of the size that the workload gives.
    pub fn open(&self, number: u32, creates: bool) -> io::Result<File> {
        let path = self.file(number);
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && creates => {
                let file = options.create(true).open(&path)?;
                file.set_len(u64::from(self.sectors(number)) * u64::from(SECTOR))?;
                Ok(file)
            }
            other => other,
        }
    }

    /// The CPUs of a thread; no CPUs stand for all of them.
    pub fn set_affinity(&self, thread: Pid, cpus: &[CpuIndex]) -> io::Result<()> {
        let cpus = if cpus.is_empty() { &self.cpus } else { cpus };
        sys::set_affinity(thread, cpus)
    }

    /// Starts a task in its own process. Beyond the limit on tasks this has no effect, as in the
    /// engine.
    pub fn start(&'static self, program: u32) -> io::Result<()> {
        let Some(number) = self.table.born(program) else {
            return Ok(());
        };
        if sys::fork()? > 0 {
            return Ok(());
        }
        if self.exposes {
            // An error is ignored: if the file cannot be written, the conductor is not protected
            // either.
            let _ = control::write("/proc/self/oom_score_adj", "0");
        }
        let code = &self.experiment.programs[program as usize];
        let entered = self.cgroups.enter(code.group);
        let process = Process::new(code.regions, self.experiment.programs.len());
        // This value lives as long as the child process.
        let process: &'static Process = Box::leak(Box::new(process));
        let mut task = Task::new(self, process, number, (0, 0));
        if let Err(error) = entered {
            task.note(
                0,
                Kind::NoCgroup,
                error.raw_os_error().unwrap_or(0) as u64,
                0,
            );
        }
        task.run();
        sys::exit(0)
    }

    /// A process has ended. If it was killed, the huge pages of its pools are given back.
    pub fn ended(&self, pid: Pid) {
        let left = self.table.died(pid);
        if left > 0 {
            // The pool existed before: there is nobody to tell of an error.
            let _ = control::change_huge_pages(-i64::from(left));
        }
    }
}
