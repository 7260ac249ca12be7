//! What a report is made from: counters at the end of a run, and its phases.
//!
//! Modelled: a reader of `/proc/vmstat` at boot and at the end, with a stopwatch.
//! Left out: nothing.
//! Invariants: phases stand in the order they began; each ends with its task's next mark, or with
//! the run.

use mm::experiment::Experiment;
use mm::frames::NONE;
use mm::layout::Layout;
use mm::machine::{Machine, TaskKind};
use mm::phases::{Made, Mark};
use mm::snapshot::Snapshot;
use mm::stopwatch::{HEAD, MARK};

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

    /// From the numbers of a machine that is elsewhere: [`Snapshot::numbers`] and
    /// [`mm::stopwatch::numbers`]. `None` when they are of another experiment.
    pub fn from_numbers(
        experiment: &Experiment,
        snapshot: &[u64],
        stopwatch: &[u64],
    ) -> Option<Measured> {
        let layout = Layout::new(&experiment.machine, &experiment.kernel.features);
        let counted = Snapshot::from_numbers(experiment, &layout, snapshot)?;
        let (head, rest) = stopwatch.split_at_checked(HEAD)?;
        let &[elapsed_ns, cpu_ns, ref made @ ..] = head else {
            return None;
        };
        let mut marks = Vec::new();
        let mut each = rest.chunks_exact(MARK);
        for numbers in &mut each {
            let &[program, name, task, at_ns, ref made @ ..] = numbers else {
                return None;
            };
            marks.push(Mark {
                program: u32::try_from(program).ok()?,
                name: u32::try_from(name).ok()?,
                task: u32::try_from(task).ok()?,
                at_ns,
                made: made_of(made)?,
            });
        }
        if !each.remainder().is_empty() {
            return None;
        }
        let names = |mark: &Mark| {
            let program = experiment.programs.get(mark.program as usize);
            let name = program.and_then(|p| p.marks.get(mark.name as usize));
            name.map_or("", String::as_str).to_string()
        };
        Some(Measured {
            counters: counted.counters.named(&layout.zone_types),
            elapsed_ns,
            cpu_ns,
            phases: phases(&marks, names, (elapsed_ns, made_of(made)?)),
        })
    }

    /// A counter; 0 where it has not counted.
    pub fn counter(&self, name: &str) -> u64 {
        let found = self.counters.iter().find(|(n, _)| n == name);
        found.map_or(0, |&(_, count)| count)
    }
}

fn made_of(numbers: &[u64]) -> Option<Made> {
    let &[files, read, written] = numbers else {
        return None;
    };
    Some(Made {
        files,
        read,
        written,
    })
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

    /// A whole run of the teaching size, read from the machine and from its numbers.
    #[test]
    fn numbers_say_what_the_machine_says() {
        let experiment = mm::experiment::preset("fsmark.teach").expect("an experiment");
        let experiment = Experiment::new(experiment.clone()).expect("it runs");
        let mut machine = Machine::boot(&experiment);
        machine.run(u64::MAX, 40_000_000_000);
        let snapshot = Snapshot::of(&machine.w).numbers();
        let stopwatch = mm::stopwatch::numbers(&machine);
        let found = Measured::from_numbers(&experiment, &snapshot, &stopwatch);
        let of = Measured::of(&machine);
        assert!(of.phases.len() > 1 && of.cpu_ns > 0 && of.counter("pgscan_direct") > 0);
        assert_eq!(found, Some(of));
        for wrong in [&stopwatch[..4], &stopwatch[..HEAD + 1]] {
            assert_eq!(Measured::from_numbers(&experiment, &snapshot, wrong), None);
        }
        assert_eq!(
            Measured::from_numbers(&experiment, &snapshot[1..], &stopwatch),
            None
        );
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
