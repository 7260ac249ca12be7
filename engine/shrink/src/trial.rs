//! One experiment, run in slices until it is known whether a statement holds for it.

use std::collections::BTreeMap;

use mm::experiment::{Experiment, Raw};
use mm::machine::Machine;
use mm::proc::{self, File};

use crate::statement::{Figure, Statement};

/// Whether a statement holds for an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The statement holds. These are the values of its counters, in order.
    Holds(Vec<Figure>),
    /// This counter contradicts the statement.
    Contradicted(Figure),
    /// The experiment cannot be run, on one of the statement's kernels.
    Invalid,
}

/// An experiment that is being tried.
#[derive(Debug)]
pub struct Trial {
    raw: Raw,
    /// The comparison that is checked next.
    clause: usize,
    /// The run for this comparison, if it has begun.
    machine: Option<Machine>,
    /// Counters at the ends of the runs so far, by side.
    ends: BTreeMap<usize, BTreeMap<String, u64>>,
    figures: Vec<Figure>,
}

impl Trial {
    /// Begins to try an experiment.
    pub fn of(raw: Raw) -> Trial {
        Trial {
            raw,
            clause: 0,
            machine: None,
            ends: BTreeMap::new(),
            figures: Vec::new(),
        }
    }

    /// The experiment.
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    /// Continues by at most about `max_steps` points. Returns the verdict once it is known.
    pub fn more(&mut self, statement: &Statement, max_steps: u64) -> Option<Verdict> {
        while let Some(clause) = statement.clauses.get(self.clause) {
            let side = &statement.sides[clause.side];
            let Some(counters) = self.ends.get(&clause.side) else {
                let machine = match &mut self.machine {
                    Some(machine) => machine,
                    None => match Experiment::new(side.of(&self.raw)) {
                        Ok(experiment) => self.machine.insert(Machine::boot(&experiment)),
                        Err(_) => return Some(Verdict::Invalid),
                    },
                };
                let stop = machine.w.run.steps().saturating_add(max_steps);
                machine.run(stop, u64::MAX);
                if machine.w.sched.ended {
                    self.ends.insert(clause.side, figures(machine));
                    self.machine = None;
                }
                return None;
            };
            let figure = Figure {
                counter: clause.counter.clone(),
                kernel: side.name(&self.raw),
                value: counters.get(&clause.counter).copied().unwrap_or_default(),
            };
            let bound = clause.bound.of(|counter| counters.get(counter).copied());
            if !clause.compare.holds(figure.value, bound) {
                return Some(Verdict::Contradicted(figure));
            }
            self.figures.push(figure);
            self.clause += 1;
        }
        Some(Verdict::Holds(std::mem::take(&mut self.figures)))
    }

    /// Runs until the verdict is known.
    #[cfg(test)]
    pub fn verdict(raw: &Raw, statement: &Statement) -> Verdict {
        let mut trial = Trial::of(raw.clone());
        loop {
            if let Some(verdict) = trial.more(statement, 1_000_000) {
                return verdict;
            }
        }
    }
}

/// The engine's counters by name, and the additional counters of /proc/vmstat.
pub fn figures(machine: &Machine) -> BTreeMap<String, u64> {
    let vmstat = proc::print(machine, File::Vmstat);
    let lines = vmstat.lines().filter_map(|line| line.split_once(' '));
    let mut out: BTreeMap<String, u64> = lines
        .filter_map(|(name, value)| Some((name.to_string(), value.parse().ok()?)))
        .collect();
    let types = &machine.w.facts.layout.zone_types;
    out.extend(machine.w.counters.named(types));
    out
}
