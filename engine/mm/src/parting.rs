//! Where two runs part: two machines go on a point at a time, until what they do differs.
//!
//! Modelled: nothing of the kernel. Two kernels that differ by a patch run one experiment alike up to
//! a point the patch is about; this finds that point.
//! Left out: a difference in memory that nothing has acted on yet.
//! Invariants: up to `step` both executed the same points of the same tasks at the same times.

use crate::experiment::Experiment;
use crate::frames::FunctionId;
use crate::machine::Machine;
use crate::view::{PartingStand as Stand, Position};

/// A program point of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Task id.
    pub task: u32,
    /// The function.
    pub function: FunctionId,
    /// Its line.
    pub line: u8,
}

/// Two machines that go on side by side.
#[derive(Debug)]
pub struct Parting {
    machines: [Machine; 2],
    last: Option<Place>,
}

impl Parting {
    /// Boots two experiments.
    pub fn of(experiments: [&Experiment; 2]) -> Parting {
        Parting {
            machines: experiments.map(Machine::boot),
            last: None,
        }
    }

    /// Both machines, where they stand.
    pub fn machines(&self) -> &[Machine; 2] {
        &self.machines
    }

    /// The point both executed last; none before the first.
    pub fn last(&self) -> Option<Place> {
        self.last
    }

    /// How they compare where they stand.
    pub fn stand(&self) -> Stand {
        let [a, b] = &self.machines;
        let here = a.position();
        if here != b.position() || next(a) != next(b) {
            return Stand::Parted;
        }
        if here.ended {
            Stand::Ended
        } else {
            Stand::Alike
        }
    }

    /// Goes on at most `max_steps` points, no further than where they part.
    pub fn more(&mut self, max_steps: u64) -> Stand {
        for _ in 0..max_steps {
            let stand = self.stand();
            if stand != Stand::Alike {
                return stand;
            }
            let place = next(&self.machines[0]);
            for machine in &mut self.machines {
                let Position { step, .. } = machine.position();
                machine.run(step + 1, u64::MAX);
            }
            self.last = place;
        }
        self.stand()
    }
}

/// The point a machine executes next; none once it has ended.
pub fn next(m: &Machine) -> Option<Place> {
    let task = m.w.task;
    let frame = m.tasks.get(task as usize)?.stack.last()?;
    (!m.w.sched.ended).then(|| Place {
        task,
        function: frame.function(),
        line: frame.line(),
    })
}
