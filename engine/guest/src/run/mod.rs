//! Runs an experiment on this machine and writes the capture.
//!
//! Modelled: all operations of the workload language that a program in user space can do, and
//! interventions. Left out: blocks of kernel memory other than huge pages, slower devices,
//! latencies of `sample`; execve, so that tasks begin by fork alone. Invariants: a failure produces
//! a message on the console and in `tasks.log`, and the run continues.

mod cgroups;
mod conductor;
mod control;
mod files;
mod group_samples;
mod memory;
mod numa;
mod plan;
mod process;
mod region;
mod report;
mod sample;
mod setup;
mod snapshot;
mod store;
mod sys;
mod table;
mod task;
mod tracing;
#[cfg(test)]
mod witness;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use facts::experiment::Experiment;
use guest::{EXPERIMENT, FOLDER, SETTINGS, Settings};

use cgroups::Cgroups;
use conductor::Outcome;
use plan::Plan;
use report::Messages;
use sample::Sampler;
use store::Named;
use table::Table;

/// The number of additional rows of `samples.csv`: the last row, and late rows.
const MORE_SAMPLES: u64 = 8;

/// The program.
pub fn main() -> ExitCode {
    let mut messages = Messages::default();
    let is_first = sys::process_id() == 1;
    if is_first {
        std::panic::set_hook(Box::new(|info| {
            eprintln!("mmscope: fault of the guest program: {info}");
            sys::power_off();
        }));
        setup::mount_all(&mut messages);
    }
    let folder = std::env::args().nth(1).filter(|_| !is_first);
    let folder = match (folder, is_first) {
        (Some(folder), _) => PathBuf::from(folder),
        (None, true) => PathBuf::from(FOLDER),
        (None, false) => {
            messages.say("name the folder that has experiment.json and guest.json: guest DIR");
            return ExitCode::from(2);
        }
    };
    let result = read(&folder);
    let power_off = match &result {
        Ok((_, settings)) => settings.power_off,
        Err(_) => is_first,
    };
    let done = result.and_then(|(experiment, settings)| {
        capture(experiment, &settings, &folder, is_first, messages)
    });
    let code = match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("mmscope: {reason}");
            ExitCode::from(2)
        }
    };
    if power_off || is_first {
        // The first process must not end.
        sys::power_off();
    }
    code
}

/// Reads the experiment and the settings.
fn read(folder: &Path) -> Result<(Experiment, Settings), String> {
    let text = |name: &str| {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path);
        text.map_err(|error| format!("{}: {error}", path.display()))
    };
    let experiment = Experiment::from_json(&text(EXPERIMENT)?).map_err(|refusals| {
        let each = refusals.iter().map(|r| format!("{}: {}", r.path, r.reason));
        format!("{EXPERIMENT}: {}", each.collect::<Vec<_>>().join("; "))
    })?;
    let settings = serde_json::from_str(&text(SETTINGS)?);
    let settings = settings.map_err(|error| format!("{SETTINGS}: {error}"))?;
    Ok((experiment, settings))
}

/// The files of /proc around the run.
struct Moments {
    before: String,
    end: Option<String>,
    balancing: String,
    after: String,
}

/// Runs the experiment and writes the capture.
fn capture(
    experiment: Experiment,
    settings: &Settings,
    folder: &Path,
    is_first: bool,
    mut messages: Messages,
) -> Result<(), String> {
    for refusal in guest::refusals(&experiment) {
        messages.say(&format!("left out: {}: {}", refusal.path, refusal.reason));
    }
    let mut notes = Vec::new();
    let plan = prepare(
        experiment,
        settings,
        folder,
        is_first,
        &mut notes,
        &mut messages,
    )?;
    let count = plan.experiment.length_ns / 1_000_000 / settings.sample_ms.max(1);
    let nodes = plan.node_cpus.len();
    let mut sampler = Sampler::new(count + MORE_SAMPLES, nodes, &plan.cgroups);
    sys::block_child_signal();
    messages.say("the workload begins");
    let sysctls = snapshot::sysctls();
    let before = moment(plan);
    tracing::switch(true);
    let outcome = conductor::run(plan, settings.sample_ms, &mut sampler, &mut messages);
    let end = outcome.tasks_left.then(|| moment(plan));
    let balancing = sampler.balancing.end(plan, outcome.ended);
    conductor::end_tasks(plan, &mut messages);
    let after = moment(plan);
    tracing::switch(false);
    messages.say("the workload has ended");
    let moments = Moments {
        before,
        end,
        balancing,
        after,
    };
    let files = texts(
        plan, settings, &outcome, moments, sysctls, sampler, &notes, messages,
    );
    if !is_first {
        // Any other machine continues after the run.
        tracing::end(&settings.events);
        setup::write_settings(&plan.settings_before, &mut Messages::default());
        plan.cgroups.remove(&mut Messages::default());
    }
    let written = match &settings.out {
        Some(device) => store::to_device(device, &files),
        None => store::to_folder(&setup::capture_folder(folder), &files),
    };
    written.map_err(|error| format!("the capture cannot be written: {error}"))?;
    eprintln!("mmscope: the capture is complete");
    Ok(())
}

/// Prepares the machine. The plan lives as long as the program, because tasks are copies of it.
fn prepare(
    experiment: Experiment,
    settings: &Settings,
    folder: &Path,
    is_first: bool,
    notes: &mut Vec<String>,
    messages: &mut Messages,
) -> Result<&'static Plan, String> {
    if let Err(error) = sys::lock_all() {
        notes.push(format!(
            "memory of the guest program is not locked: {error}"
        ));
    }
    let table = Table::new(experiment.programs.len());
    let table = table.map_err(|error| format!("memory for the tasks: {error}"))?;
    let (node_cpus, cpus) = plan::node_cpus();
    let page_bytes = sys::page_bytes();
    // Before the settings, which stay as they are if the run is refused.
    let cgroups = Cgroups::make(&experiment.groups, page_bytes, is_first, messages)?;
    setup::load_modules(&settings.modules, is_first, messages);
    let (mut exposes, mut before) = (false, Vec::new());
    if sys::is_root() {
        if let Some(device) = &settings.swap {
            messages.check(
                &format!("swap space {device}"),
                setup::swap_on(device, page_bytes),
            );
        }
        before = setup::write_settings(&settings.sysctls, messages);
        tracing::prepare(settings.trace_kib, &settings.events, messages);
        // The OOM killer never chooses the first process.
        exposes = !is_first && control::write("/proc/self/oom_score_adj", "-1000").is_ok();
    } else {
        notes.push(
            "not root: no swap space, kernel settings and trace; some files of /proc are missing"
                .to_string(),
        );
    }
    sys::adopt_orphans();
    let plan = Plan {
        experiment,
        table,
        folder: setup::data_folder(settings, folder, messages),
        page_bytes,
        node_cpus,
        cpus,
        exposes,
        settings_before: before,
        cgroups,
    };
    setup::make_files(&plan, messages);
    Ok(Box::leak(Box::new(plan)))
}

/// The present contents of the kernel's files, including the counts of all CPUs.
fn moment(plan: &Plan) -> String {
    // Reading this file adds up the per-CPU counts; only root may read it.
    let _ = control::read("/proc/sys/vm/stat_refresh");
    snapshot::take(plan.node_cpus.len())
}

/// All files of the capture.
#[expect(clippy::too_many_arguments, reason = "each is one part of the capture")]
fn texts(
    plan: &Plan,
    settings: &Settings,
    outcome: &Outcome,
    moments: Moments,
    sysctls: String,
    sampler: Sampler,
    notes: &[String],
    mut messages: Messages,
) -> Vec<Named> {
    let span = (outcome.began, outcome.ended);
    let trace = match settings.events.is_empty() || !sys::is_root() || !tracing::exists() {
        true => None,
        false => messages.check("trace", tracing::take()),
    };
    if let Some(lost) = trace
        .as_ref()
        .map(|trace| trace.lost)
        .filter(|&lost| lost > 0)
    {
        messages.say(&format!(
            "the trace buffer was full: {lost} events were dropped"
        ));
    }
    let oom = report::oom_reports(&sys::kernel_log().unwrap_or_default(), outcome.began);
    let trace_span = trace.as_ref().and_then(|trace| trace.span.as_ref());
    let shape = report::shape(&settings.shape, plan, span, trace_span);
    let logs = report::logs(plan, &messages, outcome.ended);
    let guest = report::guest(plan, span, notes);
    let workload = &plan.experiment.workload;
    let mut files: Vec<Named> = vec![
        ("before.txt".into(), moments.before.into_bytes()),
        ("after.txt".into(), moments.after.into_bytes()),
        ("samples.csv".into(), sampler.samples.into_bytes()),
        ("ops.csv".into(), logs.operations.into_bytes()),
        ("tasks.log".into(), logs.tasks.into_bytes()),
        ("workload.log".into(), logs.workload.into_bytes()),
        ("sysctl.txt".into(), sysctls.into_bytes()),
        ("guest.txt".into(), guest.into_bytes()),
        ("shape.json".into(), json(&shape)),
        ("workload.json".into(), json(workload)),
    ];
    if let Some(end) = moments.end {
        files.push(("end.txt".into(), end.into_bytes()));
        files.push(("reached.csv".into(), logs.reached.into_bytes()));
    }
    files.extend(sampler.cgroups.files());
    if !sampler.generations.is_empty() {
        files.push(("lru_gen.csv".into(), sampler.generations.into_bytes()));
    }
    if !sampler.balancing.rows.is_empty() {
        files.push(("numa.csv".into(), sampler.balancing.rows.into_bytes()));
        files.push(("numa-end.txt".into(), moments.balancing.into_bytes()));
    }
    if let Some(trace) = trace {
        files.push(("trace.txt.gz".into(), trace.all));
        files.push(("trace-key.txt.gz".into(), trace.key));
    }
    if !oom.is_empty() {
        files.push(("oom-report.txt".into(), oom.into_bytes()));
    }
    files
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    // All keys are texts, so that writing cannot fail.
    serde_json::to_vec_pretty(value).unwrap_or_default()
}
