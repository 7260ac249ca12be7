//! The search, in slices.

use std::collections::BTreeSet;

use mm::experiment::Raw;

use crate::neighbours::neighbours;
use crate::statement::{Fault, Figure, Statement};
use crate::trial::{Trial, Verdict};

/// The smallest experiment so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Best {
    /// The experiment.
    pub raw: Raw,
    /// The values of the statement's counters in it.
    pub figures: Vec<Figure>,
}

/// A search for the smallest experiment for which a statement holds.
#[derive(Debug)]
pub struct Search {
    statement: Statement,
    best: Option<Best>,
    trial: Option<Trial>,
    /// The number of experiments tried.
    runs: u64,
    /// Experiments for which the statement does not hold.
    failed: BTreeSet<String>,
    /// The neighbours of the best experiment.
    around: Vec<Raw>,
    /// The next neighbour to try.
    next: usize,
    /// How many neighbours have failed in a row.
    in_a_row: usize,
}

impl Search {
    /// Begins at an experiment whose machine and workload are written out, see [`crate::described`].
    ///
    /// # Errors
    /// The statement cannot be evaluated for this experiment.
    pub fn begin(statement: Statement, raw: Raw) -> Result<Search, Fault> {
        statement.check(&raw)?;
        Ok(Search {
            statement,
            best: None,
            trial: Some(Trial::of(raw)),
            runs: 0,
            failed: BTreeSet::new(),
            around: Vec::new(),
            next: 0,
            in_a_row: 0,
        })
    }

    /// Continues by at most about `max_steps` points of one run. True once the search has ended.
    ///
    /// # Errors
    /// The statement does not hold for the experiment at which the search began.
    pub fn more(&mut self, max_steps: u64) -> Result<bool, Fault> {
        let Some(mut trial) = self.trial.take().or_else(|| self.next_trial()) else {
            return Ok(true);
        };
        let Some(verdict) = trial.more(&self.statement, max_steps) else {
            self.trial = Some(trial);
            return Ok(false);
        };
        self.runs += 1;
        match verdict {
            Verdict::Holds(figures) => self.replace(Best {
                raw: trial.raw().clone(),
                figures,
            }),
            Verdict::Contradicted(figure) if self.best.is_none() => {
                return Err(Fault::DoesNotHold(figure));
            }
            _ => {
                self.failed.insert(mm::read::written(trial.raw()));
                self.in_a_row += 1;
            }
        }
        Ok(self.is_minimal())
    }

    /// The next neighbour that was not tried yet.
    fn next_trial(&mut self) -> Option<Trial> {
        while self.in_a_row < self.around.len() {
            let candidate = &self.around[self.next % self.around.len()];
            self.next += 1;
            if !self.failed.contains(&mm::read::written(candidate)) {
                return Some(Trial::of(candidate.clone()));
            }
            self.in_a_row += 1;
        }
        None
    }

    fn replace(&mut self, best: Best) {
        self.around = neighbours(&best.raw);
        self.best = Some(best);
        self.in_a_row = 0;
        // Continues with the same kind of change, because a value that could be halved once can
        // often be halved again.
        self.next = self.next.saturating_sub(1);
    }

    /// The smallest experiment so far; none until the statement was found to hold.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// The number of experiments tried.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Smaller neighbours of the best experiment, and how many of them have failed since it was found.
    pub fn neighbours(&self) -> (usize, usize) {
        (self.around.len(), self.in_a_row)
    }

    /// Does the statement hold for no neighbour of the best experiment?
    pub fn is_minimal(&self) -> bool {
        self.best.is_some() && self.in_a_row >= self.around.len()
    }

    /// The statement that must hold.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }
}
