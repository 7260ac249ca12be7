//! Finds where two runs diverge: two machines advance one point at a time until they act differently.
//!
//! Modelled: nothing of the kernel. Two kernels that differ by a patch run an experiment identically up
//! to the first patched line; this finds that line.
//! Left out: a difference in memory on which nothing has acted yet.
//! Invariants: up to `step` both executed the same points of the same tasks at the same times.

use crate::experiment::Experiment;
use crate::frames::FunctionId;
use crate::machine::Machine;
use crate::view::{DivergenceOutcome, Position};
use facts::index::TaskIndex;

/// A program point of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramPoint {
    /// Task id.
    pub task: TaskIndex,
    /// The function.
    pub function: FunctionId,
    /// Its line.
    pub line: u8,
}

/// Two machines that advance side by side.
#[derive(Debug)]
pub struct DivergenceSearch {
    machines: [Machine; 2],
    last: Option<ProgramPoint>,
}

impl DivergenceSearch {
    /// Boots the machines of two experiments.
    pub fn of(experiments: [&Experiment; 2]) -> DivergenceSearch {
        DivergenceSearch {
            machines: experiments.map(Machine::boot),
            last: None,
        }
    }

    /// Both machines in their current state.
    pub fn machines(&self) -> &[Machine; 2] {
        &self.machines
    }

    /// The last point that both executed; none before the first.
    pub fn last(&self) -> Option<ProgramPoint> {
        self.last
    }

    /// How the two machines compare now.
    pub fn outcome(&self) -> DivergenceOutcome {
        let [a, b] = &self.machines;
        let here = a.position();
        if here != b.position() || next(a) != next(b) {
            return DivergenceOutcome::Diverged;
        }
        if here.ended {
            DivergenceOutcome::Ended
        } else {
            DivergenceOutcome::Equal
        }
    }

    /// Advances at most `max_steps` points, but not beyond the point where they diverge.
    pub fn more(&mut self, max_steps: u64) -> DivergenceOutcome {
        for _ in 0..max_steps {
            let outcome = self.outcome();
            if outcome != DivergenceOutcome::Equal {
                return outcome;
            }
            let place = next(&self.machines[0]);
            for machine in &mut self.machines {
                let Position { step, .. } = machine.position();
                machine.run(step + 1, u64::MAX);
            }
            self.last = place;
        }
        self.outcome()
    }
}

/// The next point a machine will execute; none once it has ended.
pub fn next(m: &Machine) -> Option<ProgramPoint> {
    let task = m.w.task;
    let frame = m.tasks.at(task)?.stack.last()?;
    (!m.w.sched.ended).then(|| ProgramPoint {
        task,
        function: frame.function(),
        line: frame.line(),
    })
}
