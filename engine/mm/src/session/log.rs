//! The events and decisions of a range of a run, collected without moving the session's machine.
//!
//! Modelled: nothing of the kernel. The range is replayed in slices on a separate machine, from
//! the nearest checkpoint at or before it, with recording on. Rows that the filter rejects never
//! leave the engine.
//! Left out: storing the collected rows; the page stores them.
//! Invariants: the session is only read. A range gives the same rows however it is divided into
//! slices.

use super::{Marks, RECORDED, Sample, Session};
use crate::counters::Counter;
use crate::frames::Frame;
use crate::machine::Machine;
use crate::record::{FIELDS, NOTHING, Record, write};
use crate::view::FieldKind;
use crate::world::World;
use facts::index::TaskIndex;

/// Steps between two readings of the records; each step makes only a few.
const DRAIN: u64 = 4096;

/// Selects events. [`NOTHING`] accepts any task or zone.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Kinds of records to accept; if it is empty, all events.
    pub kinds: Vec<u16>,
    /// True to accept all decisions too, whatever `kinds` lists.
    pub decisions: bool,
    /// Records made by this task or about it.
    pub task: i64,
    /// Records about this zone or a page in it.
    pub zone: i64,
    /// Records about this page frame or a later one.
    pub first: i64,
    /// Records about this page frame or an earlier one; [`NOTHING`] also accepts records about no page.
    pub last: i64,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            kinds: Vec::new(),
            decisions: false,
            task: NOTHING,
            zone: NOTHING,
            first: 0,
            last: NOTHING,
        }
    }
}

/// Selects steps of a range as samples, instead of events.
#[derive(Debug, Clone)]
pub struct Sampling {
    /// Number of steps from one row to the next; the end also has a row.
    pub every: u64,
    /// Virtual time from one row to the next, ns; 0 for rows by steps only.
    pub every_ns: u64,
    /// The counters in each row.
    pub counters: Vec<Counter>,
}

/// Follows the program of a task.
#[derive(Debug, Clone, Copy)]
struct Program {
    task: TaskIndex,
    /// The operation of the program, and its progress within the operation.
    at: Option<(u32, u32)>,
}

impl Program {
    /// The progress of the program since the last call: the number of items done within its
    /// operation, or 1 for another operation.
    fn advance(&mut self, m: &Machine) -> u32 {
        let now = match m
            .tasks
            .get(self.task.index())
            .map(|task| task.stack.first())
        {
            Some(Some(Frame::User(user))) => (user.pc, user.i),
            _ => return 0,
        };
        match self.at.replace(now) {
            Some((pc, i)) if pc == now.0 => now.1.saturating_sub(i),
            Some(_) => 1,
            None => 0,
        }
    }
}

/// Collects the events of a range, or samples of it.
#[derive(Debug)]
pub struct Log {
    /// `None` if there is too little memory for another machine: `rows` then holds what is
    /// available.
    machine: Option<Machine>,
    from: u64,
    to: u64,
    filter: Filter,
    sampling: Option<Sampling>,
    program: Option<Program>,
    marks: Marks,
    /// The last row that was written.
    sampled: Option<Sample>,
    /// True if a row is due as soon as no lock is held.
    is_owed: bool,
    rows: Vec<i64>,
}

impl Session {
    /// Begins to collect the events of the steps after `from`, until `to` steps are done. `old`
    /// passes on its machine for reuse. On a big machine whose checkpoints leave no memory for
    /// another copy, this returns only what was recorded before the session's current step.
    pub fn log(&self, from: u64, to: u64, filter: Filter, old: Option<Log>) -> Log {
        let spare = old.and_then(|log| log.machine);
        let mut log = Log {
            machine: None,
            from,
            to,
            filter,
            sampling: None,
            program: None,
            marks: Marks::after(0, 0),
            sampled: None,
            is_owed: false,
            rows: Vec::new(),
        };
        if self.has_memory_for_copy() {
            log.machine = Some(self.at_or_before(from, spare));
        } else {
            log.from = from.max(self.step().saturating_sub(RECORDED));
            for r in &self.live.w.rec.records {
                log.take(&self.live.w, r);
            }
        }
        log
    }

    /// Begins to collect samples of a range: its first step, one every so many steps, and its
    /// last. If there is too little memory, the log has no machine.
    pub fn sample_log(&self, from: u64, to: u64, sampling: Sampling) -> Log {
        let mut log = self.log(from, to, Filter::default(), None);
        log.rows.clear();
        log.sampling = Some(sampling);
        log
    }

    /// A copy of the machine at the nearest checkpoint at or before a step. `None` if the
    /// checkpoints leave no memory for another copy of a big machine.
    pub fn copy_at_or_before(&self, step: u64) -> Option<Machine> {
        self.has_memory_for_copy()
            .then(|| self.at_or_before(step, None))
    }

    fn has_memory_for_copy(&self) -> bool {
        self.small || self.checkpoint_bytes() + self.live.bytes() <= self.budget
    }

    /// Begins to collect the steps after `from` at which a task's program progressed, until `to`
    /// steps are done. If there is too little memory, the log has no machine.
    pub fn program_log(&self, task: TaskIndex, from: u64, to: u64) -> Log {
        let mut log = self.log(from, to, Filter::default(), None);
        log.rows.clear();
        log.program = Some(Program { task, at: None });
        log
    }

    /// A machine at the nearest checkpoint at or before a step. Uses `spare` if it is nearer.
    fn at_or_before(&self, step: u64, spare: Option<Machine>) -> Machine {
        let checkpoint = self.nearest(step + 1).map(|i| &self.checkpoints[i]);
        let stands = checkpoint.map_or(0, |c| c.w.run.steps());
        match (spare, checkpoint) {
            (Some(m), _) if (stands..=step).contains(&m.w.run.steps()) => m,
            (Some(mut m), Some(c)) => {
                m.clone_from(c);
                m
            }
            (None, Some(c)) => c.clone(),
            (_, None) => Machine::start(&self.plan),
        }
    }
}

impl Log {
    /// False if there was too little memory for a machine.
    pub fn is_whole(&self) -> bool {
        self.machine.is_some()
    }

    /// Continues for at most `max_steps` steps. Returns the current step, 1 if the log is complete
    /// (else 0), and the rows found, oldest first: see [`crate::view::RecordRow`], or
    /// [`Sample::write`]. For a program a row is two numbers: a step, and the progress of the
    /// program in that step.
    pub fn more(&mut self, max_steps: u64) -> Vec<i64> {
        let Some(mut m) = self.machine.take() else {
            let mut out = vec![self.to as i64, 1];
            out.append(&mut self.rows);
            return out;
        };
        let here = m.w.run.steps();
        let stop = if here < self.from { self.from } else { self.to };
        let stop = stop.min(here.saturating_add(max_steps));
        match (self.sampling.take(), self.program.take()) {
            (Some(sampling), _) => {
                self.run_sampling(&mut m, stop, &sampling);
                self.sampling = Some(sampling);
            }
            (None, Some(mut program)) => {
                self.follow_program(&mut m, stop, &mut program);
                self.program = Some(program);
            }
            (None, None) => self.run_recording(&mut m, stop),
        }
        let done = m.w.run.steps() >= self.to || m.w.sched.ended;
        let mut out = vec![m.w.run.steps() as i64, i64::from(done)];
        out.append(&mut self.rows);
        self.machine = Some(m);
        out
    }

    fn run_recording(&mut self, m: &mut Machine, stop: u64) {
        m.w.rec.on = m.w.run.steps() >= self.from;
        m.w.rec.records.clear();
        while m.w.run.steps() < stop && !m.w.sched.ended {
            m.run(stop.min(m.w.run.steps() + DRAIN), u64::MAX);
            while let Some(r) = m.w.rec.records.pop_front() {
                self.take(&m.w, &r);
            }
        }
        m.w.rec.on = false;
    }

    fn follow_program(&mut self, m: &mut Machine, stop: u64, program: &mut Program) {
        m.run(stop.min(self.from), u64::MAX);
        loop {
            let here = m.w.run.steps();
            if here >= self.from {
                let by = program.advance(m);
                if by > 0 {
                    self.rows.extend([here as i64, i64::from(by)]);
                }
            }
            if here >= stop || m.w.sched.ended {
                return;
            }
            m.run(here + 1, u64::MAX);
        }
    }

    fn run_sampling(&mut self, m: &mut Machine, stop: u64, sampling: &Sampling) {
        loop {
            let here = m.w.run.steps();
            let is_last = here >= self.to || m.w.sched.ended;
            let is_at_mark = self.marks.take(m);
            let is_due = here >= self.from
                && (is_at_mark || (here - self.from).is_multiple_of(sampling.every));
            // If a slice ended with a row, the next slice begins at that row.
            let before = self.sampled.as_ref();
            let is_new = before.is_none_or(|last| here > last.step);
            self.is_owed |= is_due && is_new;
            // The first and the last row are taken even while a lock is held.
            let is_end = is_last || before.is_none();
            if (self.is_owed || is_last) && is_new && (is_end || m.is_open()) {
                self.is_owed = false;
                let sample = Sample::of(m);
                sample.write(before, &sampling.counters, &mut self.rows);
                if before.is_none() {
                    self.marks = Marks::after(m.w.now, sampling.every_ns);
                }
                self.sampled = Some(sample);
            }
            if here >= stop || is_last {
                return;
            }
            let next = match here.checked_sub(self.from) {
                Some(_) if self.is_owed => here + 1,
                Some(gone) => self.from + (gone / sampling.every + 1) * sampling.every,
                None => self.from,
            };
            m.run(next.min(stop), self.marks.next_ns());
        }
    }

    /// Adds a record if the filter accepts it.
    #[inline(never)]
    fn take(&mut self, w: &World, r: &Record) {
        let f = &self.filter;
        let is_selected = match r.kind.is_decision() {
            true if f.decisions => true,
            false if f.kinds.is_empty() => true,
            _ => f.kinds.contains(&(r.kind as u16)),
        };
        let of_task = f.task == NOTHING || f.task == i64::from(r.task.get()) || is_about(r, f.task);
        if !is_selected || !of_task || r.step < self.from || r.step >= self.to {
            return;
        }
        let start = self.rows.len();
        let about = write(w, r, &mut self.rows);
        let in_pages = about.page <= f.last && about.page + (1 << about.order) > f.first;
        if !in_pages || f.zone != NOTHING && f.zone != about.zone {
            self.rows.truncate(start);
        }
    }
}

/// Is a task among the fields of a record?
fn is_about(r: &Record, task: i64) -> bool {
    let mut fields = FIELDS[r.kind as usize].iter().zip(&r.values);
    fields.any(|(&field, &value)| field == FieldKind::Task && value == task)
}
