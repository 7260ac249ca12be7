//! What a report is made from: counters at the end of a run, and its phases.
//!
//! Modelled: a reader of `/proc/vmstat` at boot and at the end, with a stopwatch.
//! Left out: nothing.
//! Invariants: phases stand in the order they began; each ends with its task's next mark, or with
//! the run.

use mm::frames::NONE;
use mm::machine::{Machine, TaskKind};
use mm::phases::{Made, Mark};

/// A phase of the workload, as its `mark` began it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// What the workload calls it.
    pub name: String,
    /// From when on, ns.
    pub from_ns: u64,
    /// To when, ns.
    pub to_ns: u64,
    /// What was done in it.
    pub made: Made,
}

impl Phase {
    /// How long it took, ns.
    pub fn ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }
}

/// What was counted and timed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measured {
    /// Counters by name, as [`mm::counters::Counters::named`] gives them.
    pub counters: Vec<(String, u64)>,
    /// From boot to the end, ns.
    pub elapsed_ns: u64,
    /// Time the workload's tasks had a CPU, ns.
    pub cpu_ns: u64,
    /// Phases in the order they began.
    pub phases: Vec<Phase>,
}

impl Measured {
    /// Reads a machine.
    pub fn of(m: &Machine) -> Measured {
        let w = &m.w;
        let names = |mark: &Mark| {
            let program = w.facts.programs.get(mark.program as usize);
            let name = program.and_then(|p| p.marks.get(mark.name as usize));
            name.map_or("", String::as_str).to_string()
        };
        let tasks = (0u32..).zip(&m.tasks);
        let user = tasks.filter(|(_, t)| matches!(t.kind, TaskKind::User { .. }));
        Measured {
            counters: w.counters.named(&w.facts.layout.zone_types),
            elapsed_ns: w.now,
            cpu_ns: user.map(|(id, _)| w.sched.ran(id)).sum(),
            phases: phases(&w.phases.marks, names, (w.now, w.phases.made)),
        }
    }

    /// A counter; 0 where it has not counted.
    pub fn counter(&self, name: &str) -> u64 {
        let found = self.counters.iter().find(|(n, _)| n == name);
        found.map_or(0, |&(_, count)| count)
    }
}

/// Turns marks into phases: a mark ends its task's last one. What has no end yet goes on to `now`.
pub fn phases(marks: &[Mark], name: impl Fn(&Mark) -> String, now: (u64, Made)) -> Vec<Phase> {
    let mut out = Vec::new();
    for (i, mark) in marks.iter().enumerate() {
        if mark.name == NONE {
            continue;
        }
        let next = marks[i + 1..].iter().find(|next| next.task == mark.task);
        let (to_ns, made) = next.map_or(now, |next| (next.at_ns, next.made));
        out.push(Phase {
            name: name(mark),
            from_ns: mark.at_ns,
            to_ns: to_ns.max(mark.at_ns),
            made: Made {
                files: made.files - mark.made.files,
                read: made.read - mark.made.read,
                written: made.written - mark.made.written,
                blocks: made.blocks - mark.made.blocks,
                failed: made.failed - mark.made.failed,
            },
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(task: u32, name: u32, at_ns: u64, files: u64) -> Mark {
        let made = Made {
            files,
            ..Made::default()
        };
        Mark {
            program: 0,
            name,
            task,
            at_ns,
            made,
        }
    }

    #[test]
    fn a_phase_ends_with_the_next_mark_of_its_task() {
        let marks = [
            mark(1, 0, 10, 0),
            mark(2, 1, 15, 3),
            mark(1, 0, 30, 8),
            mark(2, NONE, 40, 9),
        ];
        let now = Made {
            files: 12,
            ..Made::default()
        };
        let found = phases(&marks, |m| format!("p{}", m.name), (50, now));
        let told = found
            .iter()
            .map(|p| (p.name.as_str(), p.ns(), p.made.files));
        let told: Vec<(&str, u64, u64)> = told.collect();
        assert_eq!(told, [("p0", 20, 8), ("p1", 25, 6), ("p0", 20, 4)]);
    }
}
