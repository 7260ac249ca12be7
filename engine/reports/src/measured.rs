//! The data of a report: counters at the end of a run, and its phases.
//!
//! Modelled: a reader of `/proc/vmstat` at boot and at the end, with a stopwatch. Left out: phases,
//! creators of files and latencies of a run that has more of them than a machine stores
//! ([`mm::phases::log::MOST`]), because a part of them would describe a different run. Invariants:
//! phases are in the order in which they began; each ends with its task's next mark, or with the
//! run.

use mm::index::TaskIndex;
use std::collections::BTreeMap;

use mm::compaction::totals::CompactionTotals;
use mm::frames::NONE;
use mm::kernel::Compaction;
use mm::machine::{Machine, TaskKind};
use mm::phases::created::Created;
use mm::phases::{Made, Mark};
use mm::vmscan::totals::VmscanTotals;
use mm::world::World;

use crate::latency::Latencies;

/// A phase of the workload, as its `mark` began it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// The workload's name for it.
    pub name: String,
    /// The start, ns.
    pub from_ns: u64,
    /// The end, ns.
    pub to_ns: u64,
    /// The work done in it.
    pub made: Made,
}

impl Phase {
    /// Its length, ns.
    pub fn ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// Ends the phase; `made` is the work done until then.
    fn end(&mut self, to_ns: u64, made: Made) {
        self.to_ns = to_ns.max(self.from_ns);
        self.made = Made {
            files: made.files - self.made.files,
            read: made.read - self.made.read,
            written: made.written - self.made.written,
            blocks: made.blocks - self.made.blocks,
            failed: made.failed - self.made.failed,
        };
    }
}

/// Operations of a benchmark that a workload counted under one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    /// What the workload calls it.
    pub name: String,
    /// The unit of operations a second.
    pub unit: String,
    /// Operations that ended.
    pub operations: u64,
    /// From the first task's beginning, ns.
    pub from_ns: u64,
    /// To the last operation's end, ns.
    pub to_ns: u64,
}

/// The counts and times of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measured {
    /// Counters by name, as [`mm::counters::Counters::named`] gives them.
    pub counters: Vec<(String, u64)>,
    /// From boot to the end, ns.
    pub elapsed_ns: u64,
    /// Time in which the workload's tasks had a CPU, ns.
    pub cpu_ns: u64,
    /// The part of it they spent in user mode, ns.
    pub user_ns: u64,
    /// Phases in the order in which they began; none if there were more than a machine stores.
    pub phases: Vec<Phase>,
    /// The work of reclaim, as its tracepoints report it.
    pub vmscan_totals: VmscanTotals,
    /// The work of compaction, as its tracepoints report it; none if the engine does not model this kernel's
    /// compaction.
    pub compaction: Option<CompactionTotals>,
    /// The tasks that created files, and their times; none if there were more than a machine stores.
    pub created: Vec<Created>,
    /// Latencies by name; none if there were more than a machine stores.
    pub latencies: Vec<Latencies>,
    /// Operations by name, in the order in which the first of each began.
    pub rates: Vec<Rate>,
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
        let tasks = m.tasks.entries();
        let user = tasks.filter(|(_, t)| matches!(t.kind, TaskKind::User { .. }));
        Measured {
            counters: w.counters.named(&w.facts.layout.zone_types),
            elapsed_ns: w.now,
            cpu_ns: user.map(|(id, _)| w.sched.ran(id)).sum(),
            user_ns: w.sched.cpus.iter().map(|cpu| cpu.usage.user).sum(),
            phases: match w.phases.marks.lost() {
                0 => phases(w.phases.marks.iter(), names, (w.now, w.phases.made)),
                _ => Vec::new(),
            },
            vmscan_totals: w.vmscan_totals.clone(),
            compaction: match w.facts.features.compaction {
                Compaction::NotModelled => None,
                Compaction::NotBuilt | Compaction::Whole => Some(w.compaction_totals),
            },
            created: match w.phases.creating.done.lost() {
                0 => w.phases.creating.until(w.now).collect(),
                _ => Vec::new(),
            },
            latencies: match w.phases.samples.lines.lost() {
                0 => latencies(w),
                _ => Vec::new(),
            },
            rates: rates(w),
        }
    }

    /// A counter; 0 if it is missing.
    pub fn counter(&self, name: &str) -> u64 {
        let found = self.counters.iter().find(|(n, _)| n == name);
        found.map_or(0, |&(_, count)| count)
    }
}

/// Turns marks into phases: a mark ends its task's last phase. An open phase lasts until `now`.
pub fn phases<'a>(
    marks: impl IntoIterator<Item = &'a Mark>,
    name: impl Fn(&Mark) -> String,
    now: (u64, Made),
) -> Vec<Phase> {
    let mut out: Vec<Phase> = Vec::new();
    // The current phase of each task.
    let mut running: BTreeMap<TaskIndex, usize> = BTreeMap::new();
    for mark in marks {
        if let Some(last) = running.remove(&mark.task) {
            out[last].end(mark.at_ns, mark.made);
        }
        if mark.name != NONE {
            running.insert(mark.task, out.len());
            out.push(Phase {
                name: name(mark),
                from_ns: mark.at_ns,
                to_ns: mark.at_ns,
                // The work before the phase, until its end.
                made: mark.made,
            });
        }
    }
    for last in running.into_values() {
        out[last].end(now.0, now.1);
    }
    out
}

/// Lines of samples by the names of their samplers, in the order of their first lines.
fn latencies(w: &World) -> Vec<Latencies> {
    let mut out: Vec<Latencies> = Vec::new();
    let mut places: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for sample in w.phases.samples.lines.iter() {
        let place = *places
            .entry((sample.program, sample.sampler))
            .or_insert_with(|| {
                let program = &w.facts.programs[sample.program as usize];
                let name = &program.samplers[sample.sampler as usize].name;
                let known = out.iter().position(|l| l.name == *name);
                known.unwrap_or_else(|| {
                    out.push(Latencies {
                        name: name.clone(),
                        lines: Vec::new(),
                    });
                    out.len() - 1
                })
            });
        out[place].lines.push((sample.ns, sample.count));
    }
    out
}

/// Operations by name: operations of several programs with one name are added.
fn rates(w: &World) -> Vec<Rate> {
    let mut out: Vec<Rate> = Vec::new();
    for done in &w.phases.operations.all {
        let program = &w.facts.programs[done.program as usize];
        let sampler = &program.samplers[done.sampler as usize];
        let Some(unit) = &sampler.rate else { continue };
        let same = |rate: &&mut Rate| rate.name == sampler.name && rate.unit == *unit;
        match out.iter_mut().find(same) {
            Some(rate) => {
                rate.operations += done.operations;
                rate.from_ns = rate.from_ns.min(done.since_ns);
                rate.to_ns = rate.to_ns.max(done.until_ns);
            }
            None => out.push(Rate {
                name: sampler.name.clone(),
                unit: unit.clone(),
                operations: done.operations,
                from_ns: done.since_ns,
                to_ns: done.until_ns,
            }),
        }
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
            task: TaskIndex::new(task),
            at_ns,
            made,
        }
    }

    #[test]
    fn a_phase_ends_at_the_next_mark_of_its_task() {
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
