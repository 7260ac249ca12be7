//! One line of a sweep: a run's inputs and its result.

use mm::experiment::Experiment;
use mm::machine::{Machine, Task, TaskKind, TaskStatus};
use mm::mmzone::NUMA_COUNTERS;
use reports::{Measured, rows};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The inputs and the result of one run. Two runs of one experiment on one engine give equal lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The experiment's key.
    pub key: String,
    /// The values of the axes.
    pub axes: Map<String, Value>,
    /// Other values of the axes that give the same experiment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<Map<String, Value>>,
    /// The result.
    #[serde(flatten)]
    pub result: Ended,
    /// The experiment that the axes change.
    pub experiment: Value,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// The seed of its random numbers.
    pub seed: u64,
    /// The version of the engine.
    pub engine: String,
    /// The hash of the machine's state at the end.
    pub hash: String,
    /// Steps executed.
    pub steps: u64,
    /// Virtual time.
    pub seconds: f64,
    /// Why it ended.
    pub ended: How,
    /// Figures by name: counters of `/proc/vmstat`, and rows of published tables. A figure that the run does
    /// not have is null.
    pub figures: Map<String, Value>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The experiment ended: by its length, or by an operation that ends it.
    End,
    /// Every task of the workload has exited.
    Done,
    /// The kernel panicked: the OOM killer found no process to kill.
    Panic,
    /// It was stopped before its end.
    Stopped,
}

impl How {
    /// Its name in a line.
    pub const fn word(self) -> &'static str {
        match self {
            How::End => "end",
            How::Done => "done",
            How::Panic => "panic",
            How::Stopped => "stopped",
        }
    }
}

/// Runs an experiment to its end, or to a step.
pub fn ran(experiment: &Experiment, steps: u64) -> Machine {
    let mut machine = Machine::boot(experiment);
    machine.run(steps, u64::MAX);
    machine
}

/// The result of a run; with the figures of these names, or all of them.
pub fn result(experiment: &Experiment, machine: &Machine, names: Option<&[String]>) -> Ended {
    let position = machine.position();
    Ended {
        seed: experiment.seed,
        engine: mm::VERSION.to_string(),
        hash: format!("{:016x}", machine.hash()),
        steps: position.step,
        seconds: position.time_ns as f64 / 1e9,
        ended: how(machine),
        figures: figures(machine, names),
    }
}

fn how(machine: &Machine) -> How {
    let is_left = |task: &Task| {
        matches!(task.kind, TaskKind::User { .. }) && task.status != TaskStatus::Exited
    };
    if machine.w.panicked {
        How::Panic
    } else if !machine.position().ended {
        How::Stopped
    } else if machine.tasks.iter().any(is_left) {
        How::End
    } else {
        How::Done
    }
}

/// All figures of a run; counters that are 0 are left out unless they are named.
fn figures(machine: &Machine, names: Option<&[String]>) -> Map<String, Value> {
    let measured = Measured::of(machine);
    let rows = rows(&measured);
    let mut counters = measured.counters;
    for (i, name) in NUMA_COUNTERS.into_iter().enumerate() {
        let of_zones = machine.w.mem.zones.iter().map(|zone| zone.numa[i]);
        counters.push((name.to_string(), of_zones.sum()));
    }
    let Some(names) = names else {
        let counters = counters.into_iter().filter(|&(_, n)| n > 0);
        let counters = counters.map(|(name, n)| (name, n.into()));
        let rows = rows.into_iter().map(|row| (row.metric, row.value.into()));
        return counters.chain(rows).collect();
    };
    let of = |name: &String| -> Value {
        let counter = counters.iter().find(|(known, _)| known == name);
        let row = rows.iter().find(|row| row.metric == *name);
        match (counter, row) {
            (Some(&(_, n)), _) => n.into(),
            (None, Some(row)) => row.value.into(),
            (None, None) => Value::Null,
        }
    };
    names.iter().map(|name| (name.clone(), of(name))).collect()
}
