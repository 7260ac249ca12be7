//! The samples of a whole run that a session stores for the timeline.
//!
//! Modelled: nothing of the kernel. A row is stored every so many steps, and every so many ns at
//! the first step when no CPU is behind. When there are too many of either kind, every other one is
//! dropped. A row that is due inside a locked section is taken at the end of the section.
//! Left out: repeating a part of the run adds no rows.
//! Invariants: the rows depend only on how far the run has come, not on how it got there; no row is
//! taken while a lock is held.

use super::Session;
use super::sample::{Marks, Sample};
use crate::counters::Counter;
use crate::machine::Machine;

/// Maximum number of rows for steps, and of rows for times.
const ROWS: u64 = 512;
/// Initial virtual time between two rows, ns.
const ROWS_NS: u64 = 1 << 16;

/// A row of the timeline.
#[derive(Debug)]
struct TimelineRow {
    sample: Sample,
    /// The step at which the row was due, if it was due at a step.
    due: Option<u64>,
    /// True if a time mark was reached here.
    is_at_mark: bool,
}

/// All rows of a run.
#[derive(Debug)]
pub(super) struct Rows {
    rows: Vec<TimelineRow>,
    /// Number of steps between two rows.
    every: u64,
    marks: Marks,
    /// The step of a row that is due but not yet taken, because a lock was held.
    owed: Option<u64>,
    /// The furthest sample of the run, taken when the machine left that position.
    tip: Option<Sample>,
}

impl Rows {
    /// The rows of a machine that has just booted: the first row.
    pub fn of(m: &Machine) -> Rows {
        let mut rows = Rows {
            rows: Vec::new(),
            every: 64,
            marks: Marks::after(0, ROWS_NS),
            owed: Some(0),
            tip: None,
        };
        rows.add(m, true);
        rows
    }

    /// The next step after `here` at which a row is due.
    pub fn next_step(&self, here: u64) -> u64 {
        match self.owed {
            Some(_) => here + 1,
            None => (here / self.every + 1) * self.every,
        }
    }

    /// The next time at which a row is due, ns.
    pub fn next_ns(&self) -> u64 {
        self.marks.next_ns()
    }

    /// The maximum virtual time between two rows in which any step was executed, ns.
    pub fn fineness_ns(&self) -> u64 {
        self.marks.every_ns()
    }

    /// The last step whose time is before `ns`.
    pub fn step_before(&self, ns: u64) -> u64 {
        let before = self.rows.iter().rev().find(|row| row.sample.now < ns);
        before.map_or(0, |row| row.sample.step)
    }

    /// Stores the rows that are due after the run has advanced to the machine's current step.
    pub fn passed(&mut self, m: &Machine) {
        let is_at_mark = self.marks.take(m);
        let here = m.w.run.steps();
        if here.is_multiple_of(self.every) {
            self.owed = Some(here);
        }
        let is_due = self.owed.is_some() && m.is_open();
        if is_at_mark || is_due || m.w.sched.ended {
            self.add(m, is_at_mark);
        }
    }

    /// Stores the furthest sample when the machine leaves that position.
    pub fn leave(&mut self, m: &Machine) {
        self.tip = Some(Sample::of(m));
    }

    /// Writes all rows; see [`Rows::each`].
    pub fn write(&self, here: Option<&Machine>, requested: &[Counter], out: &mut Vec<i64>) {
        self.each(here, |before, sample| sample.write(before, requested, out));
    }

    /// Writes a zone's free blocks for the same rows.
    pub fn write_blocks(&self, here: Option<&Machine>, zone: usize, out: &mut Vec<i64>) {
        self.each(here, |_, sample| sample.write_blocks(zone, out));
    }

    /// Writes how local the memory and threads of all processes are, for the same rows.
    pub fn write_near(&self, here: Option<&Machine>, out: &mut Vec<i64>) {
        self.each(here, |_, sample| sample.write_near(out));
    }

    /// Visits all rows, oldest first, each with the row before it, and then the furthest sample.
    /// This is the state of `here`, or without it the state that was stored when the machine left.
    fn each(&self, here: Option<&Machine>, mut tell: impl FnMut(Option<&Sample>, &Sample)) {
        let mut before = None;
        for TimelineRow { sample, .. } in &self.rows {
            tell(before, sample);
            before = Some(sample);
        }
        let here = here.map(Sample::of);
        let last = self.rows.last().map(|row| row.sample.step);
        let tip = here.as_ref().or(self.tip.as_ref());
        if let Some(tip) = tip.filter(|tip| Some(tip.step) > last) {
            tell(before, tip);
        }
    }

    fn add(&mut self, m: &Machine, is_at_mark: bool) {
        let sample = Sample::of(m);
        let (step, now) = (sample.step, sample.now);
        self.rows.push(TimelineRow {
            sample,
            due: self.owed.take(),
            is_at_mark,
        });
        let before = (self.every, self.marks.every_ns());
        while step / self.every >= ROWS {
            self.every *= 2;
        }
        while now / self.marks.every_ns() >= ROWS {
            let mut still = self.marks.thin();
            for row in self.rows.iter_mut().filter(|row| row.is_at_mark) {
                row.is_at_mark = still(&row.sample);
            }
        }
        if before != (self.every, self.marks.every_ns()) {
            let every = self.every;
            self.rows.retain(|row| {
                row.is_at_mark || row.due.is_some_and(|due| due.is_multiple_of(every))
            });
        }
    }
}

impl Session {
    /// Writes samples of the whole run so far, oldest first and the furthest last; see
    /// [`Sample::write`].
    pub fn write_timeline(&self, requested: &[Counter], out: &mut Vec<i64>) {
        self.rows.write(self.furthest_here(), requested, out);
    }

    /// Writes a zone's free blocks by order for the same samples; see [`Sample::write_blocks`].
    pub fn write_free_blocks(&self, zone: usize, out: &mut Vec<i64>) {
        self.rows.write_blocks(self.furthest_here(), zone, out);
    }

    /// Writes how local the memory and threads of all processes are, for the same samples; see
    /// [`Sample::write_near`].
    pub fn write_near(&self, out: &mut Vec<i64>) {
        self.rows.write_near(self.furthest_here(), out);
    }

    /// The maximum virtual time between two samples of the timeline in which any step was executed,
    /// ns.
    pub fn fineness_ns(&self) -> u64 {
        self.rows.fineness_ns()
    }

    /// The machine, if it is at the furthest step.
    fn furthest_here(&self) -> Option<&Machine> {
        (self.step() == self.furthest.step).then_some(&self.live)
    }
}
