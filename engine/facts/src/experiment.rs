//! Experiments: turns raw data into something that can run, or into refusals.
//!
//! Modelled: machine, kernel, tunables, workload, interventions, seed and length, each a
//! ready-made id or a full description.
//! Left out: defaults outside the experiment. A missing field has the default written here, and the
//! canonical form names it.
//! Invariants: an experiment that `Experiment::from_json` accepts never fails afterwards.

mod key;

use std::collections::BTreeMap;

use deserr::Deserr;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::intervention::{self, CompiledAct, Intervention, Setting};
use crate::kernel::{self, Kernel};
use crate::layout::Layout;
use crate::profile::{self, MachineProfile, Thp};
use crate::read::{self, Refusals, row};
use crate::schema::{AnyMachine, AnyWorkload, KernelId, PatchId, Time};
use crate::tunables::{Tunables, Words};
use crate::view::{Choice, Refusal};
use crate::workload::{self, Groups, Op, Program, Workload, parse_ns};

pub use key::Key;

/// The longest experiment: four hours of virtual time. The longest published run that is repeated here
/// took one and a half hours.
pub const MAX_LENGTH_NS: u64 = 4 * 3_600_000_000_000;
/// Longest JSON text of an experiment, bytes.
pub const MAX_JSON: usize = 1 << 20;

/// Largest seed that JavaScript does not round.
const MAX_SEED: u64 = read::MAX_NUMBER;

fn number_for_all(seed: u64) -> Result<u64, String> {
    let reason = || format!("{seed} is not a whole number from 0 to {MAX_SEED}");
    (seed <= MAX_SEED).then_some(seed).ok_or_else(reason)
}

/// An experiment as people write it: everything a run needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields, rename = "Experiment")]
pub struct Raw {
    /// Stable id; presets have theirs, others may leave it empty.
    #[deserr(default)]
    #[schemars(default, extend("x-left-out" = "none", "x-ready-made" = preset_ids()))]
    pub id: String,
    /// The name on the page and in shared links.
    #[deserr(default)]
    #[schemars(default, extend("x-left-out" = "none"))]
    pub title: String,
    /// Nodes, zones, CPUs and devices.
    #[schemars(with = "AnyMachine")]
    pub machine: Value,
    /// The kernel whose rules and mechanisms the machine follows.
    #[schemars(with = "KernelId")]
    pub kernel: String,
    /// Patches on top of the kernel, by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    #[schemars(with = "Vec<PatchId>", default, extend("x-left-out" = "none"))]
    pub patches: Vec<String>,
    /// The programs that run, and how they use memory.
    #[schemars(with = "AnyWorkload")]
    pub workload: Value,
    /// Tunables set when the machine boots, after the machine's own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[deserr(default, from(Words) = Words::values)]
    #[schemars(with = "Words", default, extend("x-left-out" = "none"))]
    pub tunables: BTreeMap<String, String>,
    /// Changes to the machine while it runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[deserr(default)]
    #[schemars(default, length(max = intervention::MAX_INTERVENTIONS), extend("x-left-out" = "none"))]
    pub interventions: Vec<Intervention>,
    /// Start value of the workload's random numbers. Another seed gives another run.
    #[deserr(try_from(u64) = number_for_all -> String)]
    #[schemars(range(max = MAX_SEED))]
    pub seed: u64,
    /// Virtual time until the run ends.
    #[schemars(with = "Time")]
    pub length: String,
}

/// A valid experiment.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// As it was written.
    pub raw: Raw,
    /// The machine.
    pub machine: MachineProfile,
    /// The kernel, with its patches.
    pub kernel: Kernel,
    /// The workload.
    pub workload: Workload,
    /// Its programs, compiled for the machine.
    pub programs: Vec<Program>,
    /// For each file: its pages, and whether it is missing when the run begins.
    pub files: Vec<(u32, bool)>,
    /// Its memory cgroups.
    pub groups: Groups,
    /// Tunables at boot.
    pub tunables: Tunables,
    /// (time in ns, act), ascending by time.
    pub interventions: Vec<(u64, CompiledAct)>,
    /// Seed.
    pub seed: u64,
    /// Length, ns.
    pub length_ns: u64,
}

/// The items of a file of ready-made data. A test checks that the file is valid.
fn preset_file<T: Deserr<Refusals>>(file: &str) -> Vec<T> {
    let items = read::parse(file).map_err(|error| error.to_string());
    let items = items.and_then(|items| read::read(items, "presets").map_err(|f| format!("{f:?}")));
    items.expect("a test checks the files of presets")
}

/// Ready-made workloads.
pub fn workloads() -> Vec<Workload> {
    preset_file(include_str!("../presets/workloads.json"))
}

/// Ready-made experiments.
pub fn presets() -> Vec<Raw> {
    preset_file(include_str!("../presets/experiments.json"))
}

fn preset_ids() -> Vec<String> {
    presets().into_iter().map(|raw| raw.id).collect()
}

/// Other names of ready-made experiments, and their ids: a benchmark's own name, and short ones.
const ALIASES: [(&str, &str); 5] = [
    ("numa01_THREAD_ALLOC", "numa01-thread-alloc"),
    ("specjbb", "specjbb-4x-thp"),
    ("specjbb-4k", "specjbb-4x-nothp"),
    ("specjbb-4x-4k", "specjbb-4x-nothp"),
    ("specjbb-bound", "specjbb-4x-bound"),
];

/// Finds a ready-made experiment by its id or another name.
pub fn preset(name: &str) -> Option<Raw> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let id = alias.map_or(name, |&(_, id)| id);
    presets().into_iter().find(|e| e.id == id)
}

/// The workloads and experiments that a user can choose.
pub fn choices() -> (Vec<Choice>, Vec<Choice>) {
    let workloads = workloads();
    let about = |id: &Value| {
        workloads
            .iter()
            .find(|w| id.as_str() == Some(&w.id))
            .map_or(String::new(), |w| w.about.clone())
    };
    let experiments = presets()
        .into_iter()
        .map(|e| Choice {
            about: about(&e.workload),
            id: e.id,
            title: e.title,
        })
        .collect();
    let workloads = workloads
        .iter()
        .map(|w| Choice {
            id: w.id.clone(),
            title: w.title.clone(),
            about: w.about.clone(),
        })
        .collect();
    (workloads, experiments)
}

fn refuse(path: impl Into<String>, reason: impl Into<String>) -> Refusal {
    Refusal {
        path: path.into(),
        reason: reason.into(),
    }
}

impl Raw {
    /// Reads the JSON text of an experiment.
    ///
    /// # Errors
    /// A refusal naming the line and column, or the field.
    pub fn from_json(text: &str) -> Result<Raw, Vec<Refusal>> {
        if text.len() > MAX_JSON {
            let reason = format!(
                "{} bytes; an experiment may have at most {MAX_JSON}",
                text.len()
            );
            return Err(vec![refuse("", reason)]);
        }
        let value = read::parse(text).map_err(|e| {
            let at = format!("line {}, column {}", e.line(), e.column());
            read::bounded(vec![refuse("", format!("not JSON: {e} ({at})"))])
        })?;
        read::read(value, "").map_err(read::bounded)
    }

    /// The nearest valid experiment, if the only refusals are values beyond a limit: a length that is too
    /// long or zero, a tunable that the kernel lacks or that is out of its limits.
    pub fn nearest(&self) -> Option<Raw> {
        let mut near = self.clone();
        if parse_ns(&near.length).is_err() {
            near.length = format!("{}ns", MAX_LENGTH_NS);
        }
        let kernel = find_kernel(&near, &mut Vec::new())?;
        near.tunables.retain(|name, value| {
            crate::tunables::list(&kernel.features).iter().any(|info| {
                if info.name == name
                    && let Ok(n) = value.parse::<u64>()
                {
                    *value = n.clamp(info.min, info.max).to_string();
                }
                info.name == name
            })
        });
        Experiment::new(near.clone()).is_ok().then_some(near)
    }
}

impl Experiment {
    /// Reads and checks the JSON text of an experiment.
    ///
    /// # Errors
    /// Every refusal found, with the field's path.
    pub fn from_json(text: &str) -> Result<Experiment, Vec<Refusal>> {
        Experiment::new(Raw::from_json(text)?)
    }

    /// A ready-made experiment.
    ///
    /// # Errors
    /// A refusal when no experiment has this id.
    pub fn preset(id: &str) -> Result<Experiment, Vec<Refusal>> {
        let raw = preset(id).ok_or_else(|| {
            let known = presets();
            let known = row(known.iter().map(|e| e.id.as_str()));
            let reason = format!("no experiment is called '{id}'; there are {known}");
            vec![refuse("experiment", reason)]
        })?;
        Experiment::new(raw)
    }

    /// Checks an experiment.
    ///
    /// # Errors
    /// Every refusal found, with the field's path; if there are very many, only the first ones.
    pub fn new(raw: Raw) -> Result<Experiment, Vec<Refusal>> {
        Experiment::checked(raw).map_err(read::bounded)
    }

    fn checked(raw: Raw) -> Result<Experiment, Vec<Refusal>> {
        let mut refusals = Vec::new();
        let kernel = find_kernel(&raw, &mut refusals);
        let machine = find_machine(&raw.machine, &mut refusals);
        let workload = find_workload(&raw.workload, &mut refusals);
        let length_ns = length(&raw.length, &mut refusals);
        let (Some(kernel), Some(machine), Some(workload)) = (kernel, machine, workload) else {
            return Err(refusals);
        };
        let mut tunables = boot_tunables(&machine, &kernel, &raw, &mut refusals);
        let devices = machine.devices_in_force();
        let layout = Layout::new(&machine, &kernel.features);
        let groups = workload::groups(&workload, &layout, &kernel.features, &mut refusals);
        let setting = Setting {
            groups: &groups,
            layout: &layout,
            kernel: &kernel,
            boot: &tunables,
            workload: &workload,
            devices: devices.into_iter().map(|d| d.id).collect(),
        };
        let interventions =
            intervention::compiled_acts(&raw.interventions, &setting, &mut refusals);
        if machine.nodes.iter().all(|n| n.cpus == 0) {
            refusals.push(refuse("machine.nodes", "a machine needs at least one CPU"));
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let started = intervention::started(&raw.interventions);
        let target = workload::Target {
            layout: &layout,
            room: machine.room_for_files(),
            features: &kernel.features,
            tunables: &tunables,
            groups: &groups,
        };
        let compiled = workload::compile(&workload, &started, &target)?;
        refuse_with_cgroups(&groups, &machine, &tunables, &raw, &compiled.programs)?;
        tunables.lowmem_reserve_ratio.shrink_to_fit();
        let seed = raw.seed;
        Ok(Experiment {
            raw,
            machine,
            kernel,
            workload,
            programs: compiled.programs,
            files: compiled.files,
            groups,
            tunables,
            interventions,
            seed,
            length_ns,
        })
    }

    /// The experiment in canonical JSON.
    pub fn canonical(&self) -> String {
        read::written(&self.raw)
    }
}

/// Refuses an experiment with memory cgroups and a mechanism that is not modelled together with them: huge
/// pages.
fn refuse_with_cgroups(
    groups: &Groups,
    machine: &MachineProfile,
    tunables: &Tunables,
    raw: &Raw,
    programs: &[Program],
) -> Result<(), Vec<Refusal>> {
    const THP: &str = "transparent_hugepage";
    if groups.all.is_empty() {
        return Ok(());
    }
    let is_written = |name: &str| {
        let mut acts = raw.interventions.iter().map(|change| &change.act);
        let mut sets = programs.iter().flat_map(|program| &program.sets);
        acts.any(|act| matches!(act, intervention::Act::Set(values) if values.contains_key(name)))
            || sets.any(|(set, _)| set == name)
    };
    let mut ops = programs.iter().flat_map(|program| &program.ops);
    let is_huge = match tunables.transparent_hugepage.unwrap_or(machine.thp) {
        Thp::Always => true,
        Thp::Madvise => ops.any(|op| matches!(op, Op::Map { huge: true, .. })),
        Thp::Never => false,
    };
    if !is_huge && !is_written(THP) {
        return Ok(());
    }
    let reason = "huge pages in memory cgroups are not modelled: set the tunable transparent_hugepage to never";
    Err(vec![refuse("workload.cgroups", reason)])
}

fn find_kernel(raw: &Raw, refusals: &mut Vec<Refusal>) -> Option<Kernel> {
    let id = &raw.kernel;
    let Some(found) = kernel::find(id) else {
        let known = row(kernel::kernels().iter().map(|k| k.id));
        let reason = format!("no kernel is called '{id}'; there are {known}");
        refusals.push(refuse("kernel", reason));
        return None;
    };
    match kernel::patches::patched(&found.features, &raw.patches) {
        Ok(features) => Some(Kernel {
            features,
            ..found.clone()
        }),
        Err(found) => {
            let at = |r: Refusal| refuse(format!("patches{}", r.path), r.reason);
            refusals.extend(found.into_iter().map(at));
            None
        }
    }
}

/// Reads a full description at a path.
fn described_by<T: Deserr<Refusals>>(
    value: &Value,
    path: &str,
    refusals: &mut Vec<Refusal>,
) -> Option<T> {
    read::read(value.clone(), path)
        .map_err(|found| refusals.extend(found))
        .ok()
}

fn find_machine(value: &Value, refusals: &mut Vec<Refusal>) -> Option<MachineProfile> {
    let machine = match value {
        Value::String(id) => {
            let found = profile::find(id);
            if found.is_none() {
                let known = profile::profiles();
                let known = row(known.iter().map(|p| p.id.as_str()));
                let reason = format!("no machine is called '{id}'; there are {known}");
                refusals.push(refuse("machine", reason));
            }
            found?
        }
        described => described_by(described, "machine", refusals)?,
    };
    let mut found = profile::check(&machine);
    if found.is_empty() {
        found = profile::check_runnable(&machine);
    }
    let fine = found.is_empty();
    refusals.extend(
        found
            .into_iter()
            .map(|r| refuse(format!("machine.{}", r.path), r.reason)),
    );
    fine.then_some(machine)
}

fn find_workload(value: &Value, refusals: &mut Vec<Refusal>) -> Option<Workload> {
    match value {
        Value::String(id) => {
            let found = workloads().into_iter().find(|w| w.id == *id);
            if found.is_none() {
                let known = workloads();
                let known = row(known.iter().map(|w| w.id.as_str()));
                let reason = format!("no workload is called '{id}'; there are {known}");
                refusals.push(refuse("workload", reason));
            }
            found
        }
        described => described_by(described, "workload", refusals),
    }
}

fn length(text: &str, refusals: &mut Vec<Refusal>) -> u64 {
    match parse_ns(text) {
        Ok(0) => {
            refusals.push(refuse("length", "an experiment must last at least 1ns"));
            0
        }
        Ok(ns) => ns,
        Err(reason) => {
            refusals.push(refuse("length", reason));
            0
        }
    }
}

fn boot_tunables(
    machine: &MachineProfile,
    kernel: &Kernel,
    raw: &Raw,
    refusals: &mut Vec<Refusal>,
) -> Tunables {
    let (mut tunables, found) = Tunables::of(machine, &kernel.features);
    refusals.extend(
        found
            .into_iter()
            .map(|r| refuse(format!("machine.{}", r.path), r.reason)),
    );
    for (name, value) in &raw.tunables {
        if let Err(r) = tunables.set(&kernel.features, name, value) {
            refusals.push(refuse(format!("tunables.{name}"), r.reason));
        }
    }
    tunables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_alias_names_exactly_one_experiment() {
        let ids: Vec<String> = presets().into_iter().map(|e| e.id).collect();
        for (i, (alias, id)) in ALIASES.iter().enumerate() {
            assert!(!ids.iter().any(|id| id == alias), "{alias}");
            assert!(ALIASES[..i].iter().all(|(other, _)| other != alias));
            assert_eq!(preset(alias).map(|raw| raw.id), Some((*id).to_string()));
        }
    }

    #[test]
    fn reads_a_written_experiment_back_unchanged() {
        for raw in presets() {
            let experiment = Experiment::new(raw.clone()).expect("a valid preset");
            assert_eq!(Raw::from_json(&experiment.canonical()), Ok(raw));
            let text = read::written(&experiment.workload);
            let value = read::parse(&text).expect("JSON");
            assert_eq!(read::read(value, "workload"), Ok(experiment.workload));
        }
    }
}
