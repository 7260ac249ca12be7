//! One line of a sweep: a run's inputs and its result.

use mm::experiment::Experiment;
use mm::machine::{Machine, Task, TaskKind, TaskStatus};
use mm::mmzone::NUMA_COUNTERS;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Measured, rows};

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
    /// The run was stopped before its end.
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

/// The result of a run with all of its figures, from which a line with any figures can be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Complete {
    /// The result. Its figures are all counters that are not 0, and all rows.
    #[serde(flatten)]
    ended: Ended,
    /// The names of the counters that are 0.
    zeros: Vec<String>,
}

impl Complete {
    /// Reads a machine.
    pub fn of(machine: &Machine) -> Complete {
        let position = machine.position();
        let measured = Measured::of(machine);
        let rows = rows(&measured);
        let mut counters = measured.counters;
        for (i, name) in NUMA_COUNTERS.into_iter().enumerate() {
            let of_zones = machine.w.mem.zones.iter().map(|zone| zone.numa[i]);
            counters.push((name.to_string(), of_zones.sum()));
        }
        let (zeros, counters): (Vec<_>, Vec<_>) = counters.into_iter().partition(|&(_, n)| n == 0);
        let rows = rows.into_iter().map(|row| (row.metric, row.value.into()));
        let counters = counters.into_iter().map(|(name, n)| (name, n.into()));
        Complete {
            ended: Ended {
                seed: machine.w.facts.seed,
                engine: mm::VERSION.to_string(),
                hash: format!("{:016x}", machine.hash()),
                steps: position.step,
                seconds: position.time_ns as f64 / 1e9,
                ended: how(machine),
                // If a row has the name of a counter, the counter is used.
                figures: rows.chain(counters).collect(),
            },
            zeros: zeros.into_iter().map(|(name, _)| name).collect(),
        }
    }

    /// The result with the figures of these names, or with all of them. A figure that the run does not have is
    /// null; counters that are 0 are left out unless they are named.
    pub fn with(self, names: Option<&[String]>) -> Ended {
        let Some(names) = names else {
            return self.ended;
        };
        let of = |name: &String| match self.ended.figures.get(name) {
            _ if self.zeros.contains(name) => 0.into(),
            Some(value) => value.clone(),
            None => Value::Null,
        };
        let figures = names.iter().map(|name| (name.clone(), of(name))).collect();
        Ended {
            figures,
            ..self.ended
        }
    }
}

/// The result of a run; with the figures of these names, or all of them.
pub fn result(machine: &Machine, names: Option<&[String]>) -> Ended {
    Complete::of(machine).with(names)
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
