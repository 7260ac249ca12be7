//! Interventions: changes to a running machine, as data.
//!
//! Modelled: writing vm sysctls, dropping caches, compacting memory, starting and killing processes, changing
//! the CPU mask of a task, slowing a device down.
//! Left out: memory and CPU hotplug; `drop_caches` 2 and 3, whose slab objects are not dropped.
//! Invariants: an accepted intervention can be executed at its time, or has no effect (a process that has
//! ended or has not yet begun is not killed).

use std::borrow::Cow;
use std::collections::BTreeMap;

use deserr::{Deserr, IntoValue, MergeWithError, Value, ValuePointerRef, take_cf_content};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::index::{CpuIndex, GroupIndex};
use crate::kernel::Kernel;
use crate::layout::Layout;
use crate::read::{Refusals, refuse, row};
use crate::schema::Time;
use crate::tunables::{Tunables, Words};
use crate::view::Refusal;
use crate::workload::{
    Groups, Limit, Process, Workload, affinity_cpus, parse_ns, programs_of_threads, task_named,
};

/// The maximum number of interventions.
pub const MAX_INTERVENTIONS: usize = 1000;
/// Why later kernels cannot compact here.
pub const NO_COMPACTION: &str =
    "compaction of this kernel is not modelled; choose 2.6.37 or a kernel based on it";
/// The lowest share of its speed to which a device can be slowed, percent.
const SLOWEST: u64 = 1;

/// A change to the machine, and when it happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Intervention {
    /// The time of the change: "10ms".
    pub at: String,
    /// The change.
    #[serde(flatten)]
    pub act: Act,
}

/// A change to the machine, as users write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Writes tunables: name to value.
    Set(BTreeMap<String, String>),
    /// Drops the clean pages of all files (`echo 1 > /proc/sys/vm/drop_caches`).
    DropCaches(u64),
    /// Compacts all memory (`echo 1 > /proc/sys/vm/compact_memory`).
    CompactMemory(u64),
    /// Starts a task of a process: one of the workload, by its name, or one described here.
    Start(Start),
    /// Sends SIGKILL to a task, "hog/1", or to all tasks of a process, "hog".
    Kill(String),
    /// Restricts a task to these CPUs (`taskset -p`).
    Affinity(Affinity),
    /// Reduces the speed of a device from now on.
    Slow(Slow),
    /// Writes a file of a memory cgroup.
    Cgroup(CgroupWrite),
}

/// The process whose program the new task runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Start {
    /// A process of the workload, by its name.
    Named(String),
    /// Another process, described here.
    Described(Process),
}

/// The CPUs on which a task may run; without a node and CPUs, all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct Affinity {
    /// A task, "hog/1", or all tasks of a process, "hog".
    pub task: String,
    /// The CPUs of this node, by its number on the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(extend("x-left-out" = "the given CPUs, otherwise all"))]
    pub node: Option<u32>,
    /// These CPUs, by number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(extend("x-left-out" = "the CPUs of the node, otherwise all"))]
    pub cpus: Option<Vec<u32>>,
}

/// A device and its new speed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct Slow {
    /// The name of the device: "sda".
    pub device: String,
    /// The share of its speed, percent; 100 is its speed at boot.
    #[schemars(range(min = SLOWEST, max = 100), extend("x-unit" = "%"))]
    pub percent: u64,
}

/// A value to write to a file of a memory cgroup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields)]
pub struct CgroupWrite {
    /// The name of the cgroup.
    pub name: String,
    /// The file.
    pub file: CgroupFile,
    /// The limit, or for memory.reclaim the amount to reclaim.
    pub value: Limit,
}

/// A file of a memory cgroup that an intervention can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals)]
pub enum CgroupFile {
    /// memory.max: the limit.
    #[serde(rename = "memory.max")]
    #[deserr(rename = "memory.max")]
    Max,
    /// memory.high: the size above which tasks pause.
    #[serde(rename = "memory.high")]
    #[deserr(rename = "memory.high")]
    High,
    /// memory.low: up to this size memory is reclaimed only if nothing else can be reclaimed.
    #[serde(rename = "memory.low")]
    #[deserr(rename = "memory.low")]
    Low,
    /// memory.min: up to this size memory is never reclaimed.
    #[serde(rename = "memory.min")]
    #[deserr(rename = "memory.min")]
    Min,
    /// memory.swap.max: the limit of swap space.
    #[serde(rename = "memory.swap.max")]
    #[deserr(rename = "memory.swap.max")]
    SwapMax,
    /// memory.reclaim: reclaims this amount immediately.
    #[serde(rename = "memory.reclaim")]
    #[deserr(rename = "memory.reclaim")]
    Reclaim,
}

/// An [`Act`] in which the workload's numbers replace names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CompiledAct {
    /// Writes tunables.
    Set {
        /// Name and value.
        values: Vec<(String, String)>,
    },
    /// Drops clean pages.
    DropCaches {},
    /// All memory is compacted.
    CompactMemory {},
    /// Starts a task.
    Start {
        /// Its program.
        program: u32,
    },
    /// Kills a task.
    Kill {
        /// Its program.
        program: u32,
        /// Instance, from 1; 0 means all.
        instance: u32,
    },
    /// Restricts a task to these CPUs.
    Affinity {
        /// Its program.
        program: u32,
        /// Instance, from 1; 0 means all.
        instance: u32,
        /// CPUs in order; an empty list means all.
        cpus: Vec<CpuIndex>,
    },
    /// Slows a device down.
    Slow {
        /// Device.
        device: u8,
        /// Share of its speed, percent.
        percent: u16,
    },
    /// Writes a file of a memory cgroup.
    Cgroup {
        /// The cgroup.
        group: GroupIndex,
        /// The file.
        file: CgroupFile,
        /// Pages.
        pages: u32,
    },
}

/// The names of the kinds of interventions.
const ACTS: [&str; 8] = [
    "set",
    "drop_caches",
    "compact_memory",
    "start",
    "kill",
    "affinity",
    "slow",
    "cgroup",
];

/// A change to the machine and its time: the field 'at' and one of the other fields.
#[derive(Deserr, JsonSchema)]
#[deserr(error = Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields, rename = "Intervention", extend("oneOf" = one_act()))]
struct Written {
    /// Time from the beginning of the run.
    #[schemars(with = "Time")]
    at: String,
    /// Writes tunables: name to value.
    #[deserr(default)]
    set: Option<Words>,
    /// Drops the clean pages of all files: echo 1 > /proc/sys/vm/drop_caches.
    #[deserr(default)]
    #[schemars(range(min = 1, max = 1))]
    drop_caches: Option<u64>,
    /// Compacts all memory: echo 1 > /proc/sys/vm/compact_memory.
    #[deserr(default)]
    #[schemars(range(min = 1, max = 1))]
    compact_memory: Option<u64>,
    /// Starts a task of a process: one of the workload, by its name, or one described here.
    #[deserr(default)]
    start: Option<Start>,
    /// Sends SIGKILL to a task, "hog/1", or to all tasks of a process, "hog".
    #[deserr(default)]
    kill: Option<String>,
    /// Restricts a task to these CPUs, as taskset -p does; a task on another CPU moves.
    #[deserr(default)]
    affinity: Option<Affinity>,
    /// Reduces the speed of a device from now on.
    #[deserr(default)]
    slow: Option<Slow>,
    /// Writes a file of a memory cgroup: a limit, or memory.reclaim.
    #[deserr(default)]
    cgroup: Option<CgroupWrite>,
}

/// Exactly one of the kinds must be present.
fn one_act() -> Vec<serde_json::Value> {
    let each = ACTS
        .iter()
        .map(|act| serde_json::json!({ "required": [act] }));
    each.collect()
}

impl JsonSchema for Intervention {
    fn schema_name() -> Cow<'static, str> {
        Written::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Written::json_schema(generator)
    }
}

impl Deserr<Refusals> for Intervention {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        location: ValuePointerRef<'_>,
    ) -> Result<Self, Refusals> {
        let written = Written::deserialize_from_value(value, location)?;
        let acts = [
            written.set.map(|words| Act::Set(words.values())),
            written.drop_caches.map(Act::DropCaches),
            written.compact_memory.map(Act::CompactMemory),
            written.start.map(Act::Start),
            written.kill.map(Act::Kill),
            written.affinity.map(Act::Affinity),
            written.slow.map(Act::Slow),
            written.cgroup.map(Act::Cgroup),
        ];
        let mut acts = acts.into_iter().flatten();
        match (acts.next(), acts.next()) {
            (Some(act), None) => Ok(Intervention {
                at: written.at,
                act,
            }),
            _ => {
                let reason = format!("an intervention must have exactly one of {}", row(ACTS));
                Err(take_cf_content(Refusals::merge(None, reason, location)))
            }
        }
    }
}

impl Deserr<Refusals> for Start {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        location: ValuePointerRef<'_>,
    ) -> Result<Self, Refusals> {
        match value {
            Value::String(name) => Ok(Start::Named(name)),
            other => Process::deserialize_from_value(other, location).map(Start::Described),
        }
    }
}

/// The processes that interventions describe, each with its path.
pub fn started(interventions: &[Intervention]) -> Vec<(String, Process)> {
    let mut out = Vec::new();
    for (i, intervention) in interventions.iter().enumerate() {
        if let Act::Start(Start::Described(process)) = &intervention.act {
            let process = Process {
                count: 0,
                start: None,
                exec: true,
                ..process.clone()
            };
            out.push((format!("interventions[{i}].start"), process));
        }
    }
    out
}

/// The data with which acts are checked.
pub struct Setting<'a> {
    /// The kernel, whose tunables may be written.
    pub kernel: &'a Kernel,
    /// Tunables at boot.
    pub boot: &'a Tunables,
    /// The workload.
    pub workload: &'a Workload,
    /// Ids of the block devices.
    pub devices: Vec<String>,
    /// Nodes and CPUs.
    pub layout: &'a Layout,
    /// Memory cgroups.
    pub groups: &'a Groups,
}

/// Interventions as (ns, act), in order of time; those at the same time keep their order.
pub fn compiled_acts(
    interventions: &[Intervention],
    setting: &Setting,
    refusals: &mut Vec<Refusal>,
) -> Vec<(u64, CompiledAct)> {
    if interventions.len() > MAX_INTERVENTIONS {
        let reason = format!(
            "{} interventions; at most {MAX_INTERVENTIONS} are allowed",
            interventions.len()
        );
        refuse(refusals, "interventions", reason);
        return Vec::new();
    }
    let described = started(interventions);
    let every = setting.workload.processes.iter();
    let every = every.chain(described.iter().map(|(_, process)| process));
    let of_threads = programs_of_threads(every);
    let mut checker = Checker {
        of_threads: of_threads.into_iter().map(str::to_string).collect(),
        setting,
        tunables: setting.boot.clone(),
        names: setting.workload.processes.iter().map(name_of).collect(),
        refusals,
    };
    for (_, process) in described {
        checker.names.push(process.name);
    }
    let mut described = setting.workload.processes.len() as u32;
    let mut out: Vec<(u64, CompiledAct)> = Vec::new();
    for (i, intervention) in interventions.iter().enumerate() {
        let path = format!("interventions[{i}]");
        let at = parse_ns(&intervention.at).unwrap_or_else(|reason| {
            refuse(checker.refusals, &format!("{path}.at"), reason);
            0
        });
        if let Some(act) = checker.act(&intervention.act, &path, &mut described) {
            let place = out.partition_point(|&(before, _)| before <= at);
            out.insert(place, (at, act));
        }
    }
    out
}

fn name_of(process: &Process) -> String {
    process.name.clone()
}

struct Checker<'a> {
    setting: &'a Setting<'a>,
    tunables: Tunables,
    /// Names of all processes, the workload's processes first.
    names: Vec<String>,
    /// Names of the processes whose program threads run.
    of_threads: Vec<String>,
    refusals: &'a mut Vec<Refusal>,
}

impl Checker<'_> {
    fn act(&mut self, act: &Act, path: &str, described: &mut u32) -> Option<CompiledAct> {
        match act {
            Act::Set(values) => Some(self.set(values, path)),
            Act::DropCaches(1) => Some(CompiledAct::DropCaches {}),
            Act::DropCaches(_) => {
                let reason = "only 1 is modelled: it drops clean file pages";
                refuse(self.refusals, &format!("{path}.drop_caches"), reason);
                None
            }
            Act::CompactMemory(n) => {
                let reason = match self.setting.kernel.features.compaction.refused() {
                    None if *n == 1 => return Some(CompiledAct::CompactMemory {}),
                    None => "only 1 can be written",
                    Some(reason) => reason,
                };
                refuse(self.refusals, &format!("{path}.compact_memory"), reason);
                None
            }
            Act::Start(Start::Named(name)) => {
                let program = self.program(name, &format!("{path}.start"))?;
                if self.of_threads.iter().any(|of| of == name) {
                    let reason = format!(
                        "threads run the program of '{name}': start the process that starts these threads"
                    );
                    refuse(self.refusals, &format!("{path}.start"), reason);
                }
                Some(CompiledAct::Start { program })
            }
            Act::Start(Start::Described(process)) => {
                let program = *described;
                *described += 1;
                if self.names.iter().position(|n| *n == process.name) != Some(program as usize) {
                    let reason = format!(
                        "a process named '{}' already exists: start it by its name, or give this process another name",
                        process.name
                    );
                    refuse(self.refusals, &format!("{path}.start.name"), reason);
                }
                Some(CompiledAct::Start { program })
            }
            Act::Kill(task) => self.kill(task, &format!("{path}.kill")),
            Act::Affinity(affinity) => self.affinity(affinity, &format!("{path}.affinity")),
            Act::Slow(slow) => self.slow(slow, &format!("{path}.slow")),
            Act::Cgroup(write) => self.cgroup(write, &format!("{path}.cgroup")),
        }
    }

    fn set(&mut self, values: &BTreeMap<String, String>, path: &str) -> CompiledAct {
        let mut out = Vec::new();
        for (name, value) in values {
            let path = format!("{path}.set.{name}");
            let features = &self.setting.kernel.features;
            if let Err(r) = self.tunables.write(features, name, value) {
                refuse(self.refusals, &path, r.reason);
            }
            out.push((name.clone(), value.clone()));
        }
        CompiledAct::Set { values: out }
    }

    /// The number of a process.
    fn program(&mut self, name: &str, path: &str) -> Option<u32> {
        let found = self.names.iter().position(|n| n == name);
        if found.is_none() {
            let known = row(self.names.iter().map(String::as_str));
            let reason = format!("no process is called '{name}'; there are {known}");
            refuse(self.refusals, path, reason);
        }
        found.map(|i| i as u32)
    }

    /// Program and instance of a task.
    fn task(&mut self, task: &str, path: &str) -> Option<(u32, u32)> {
        match task_named(task) {
            Ok((name, instance)) => Some((self.program(name, path)?, instance)),
            Err(reason) => {
                refuse(self.refusals, path, reason);
                None
            }
        }
    }

    fn kill(&mut self, task: &str, path: &str) -> Option<CompiledAct> {
        let (program, instance) = self.task(task, path)?;
        Some(CompiledAct::Kill { program, instance })
    }

    fn affinity(&mut self, affinity: &Affinity, path: &str) -> Option<CompiledAct> {
        let (program, instance) = self.task(&affinity.task, &format!("{path}.task"))?;
        let cpus = affinity.cpus.as_deref();
        match affinity_cpus(self.setting.layout, affinity.node, cpus) {
            Ok(cpus) => Some(CompiledAct::Affinity {
                program,
                instance,
                cpus,
            }),
            Err((field, reason)) => {
                refuse(self.refusals, &format!("{path}.{field}"), reason);
                None
            }
        }
    }

    fn cgroup(&mut self, write: &CgroupWrite, path: &str) -> Option<CompiledAct> {
        let groups = self.setting.groups;
        let group = groups.named(&write.name);
        if group.is_none() {
            let reason = groups.unknown(&write.name);
            refuse(self.refusals, &format!("{path}.name"), reason);
        }
        let pages = write.value.pages(self.setting.layout);
        let pages = pages.map_err(|reason| {
            refuse(self.refusals, &format!("{path}.value"), reason);
        });
        Some(CompiledAct::Cgroup {
            group: group?,
            file: write.file,
            pages: pages.ok()?,
        })
    }

    fn slow(&mut self, slow: &Slow, path: &str) -> Option<CompiledAct> {
        if !(SLOWEST..=100).contains(&slow.percent) {
            let reason = format!("{} is not a percentage from {SLOWEST} to 100", slow.percent);
            refuse(self.refusals, &format!("{path}.percent"), reason);
            return None;
        }
        let devices = &self.setting.devices;
        let found = devices.iter().position(|id| *id == slow.device);
        if found.is_none() {
            let known = row(devices.iter().map(String::as_str));
            let reason = format!("no device is called '{}'; there are {known}", slow.device);
            refuse(self.refusals, &format!("{path}.device"), reason);
        }
        Some(CompiledAct::Slow {
            device: found? as u8,
            percent: slow.percent as u16,
        })
    }
}
