//! The events and decisions of a stretch of a run, collected without moving where the person stands.
//!
//! Modelled: nothing of the kernel. The stretch is replayed on a machine of its own, from the
//! nearest checkpoint at or before it, with recording on and in slices; what a filter does not want
//! never leaves the engine.
//! Left out: keeping what was collected; the page keeps it.
//! Invariants: the session is only read. A stretch collected in any slices gives the same rows.

use super::{RECORDED, Sample, Session};
use crate::counters::Counter;
use crate::frames::NONE;
use crate::machine::Machine;
use crate::trace::{EVENTS, Event, Field, Record, What};
use crate::why::{PAGES, TASKS, Why, ZONES};
use crate::world::World;

/// Numbers of a row: the step a person stands at right after the event, time in ns, task, CPU,
/// event or [`DECISION`] and the decision, zone or [`NOTHING`], and the six of the record, with page
/// frame numbers for pages.
pub const ROW: usize = 12;
/// No page, no zone: the largest whole number JavaScript counts to.
pub const NOTHING: u64 = (1 << 53) - 1;
/// Added to a decision's number where an event's stands.
pub const DECISION: u64 = 1000;
/// Steps between two looks at the records, of which there are at most a few for each step.
const DRAIN: u64 = 4096;

/// Which events are wanted. [`NOTHING`] wants no task and no zone in particular.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Events by number, see [`EVENTS`]; all of them, if none is named.
    pub events: Vec<u8>,
    /// Decisions as well, whatever `events` names.
    pub decisions: bool,
    /// Made by this task, or about it.
    pub task: u64,
    /// About this zone, or a page in it.
    pub zone: u64,
    /// About this page frame or a later one.
    pub first: u64,
    /// About this page frame or an earlier one; [`NOTHING`] also wants what is about no page.
    pub last: u64,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            events: Vec::new(),
            decisions: false,
            task: NOTHING,
            zone: NOTHING,
            first: 0,
            last: NOTHING,
        }
    }
}

/// Which moments of a stretch are wanted in place of events.
#[derive(Debug, Clone)]
pub struct Sampling {
    /// Every so many steps, and the last.
    pub every: u64,
    /// The counters of each row.
    pub counters: Vec<Counter>,
}

/// Collects the events of a stretch, or moments of it.
#[derive(Debug)]
pub struct Log {
    /// None where memory for it is short: then `rows` holds what there is.
    machine: Option<Machine>,
    from: u64,
    to: u64,
    filter: Filter,
    sampling: Option<Sampling>,
    /// The step of the last row.
    sampled: Option<u64>,
    rows: Vec<u64>,
}

impl Session {
    /// Begins to collect the events of the steps after `from`, up to where `to` steps are done.
    /// `old` gives its machine back. On a big machine whose checkpoints leave no room for another
    /// copy, only what was recorded before where the person stands.
    pub fn log(&self, from: u64, to: u64, filter: Filter, old: Option<Log>) -> Log {
        let spare = old.and_then(|log| log.machine);
        let used = self.checkpoint_bytes() + self.live.bytes();
        let mut log = Log {
            machine: None,
            from,
            to,
            filter,
            sampling: None,
            sampled: None,
            rows: Vec::new(),
        };
        if self.small || used <= self.budget {
            log.machine = Some(self.at_or_before(from, spare));
        } else {
            log.from = from.max(self.step().saturating_sub(RECORDED));
            for r in &self.live.w.rec.records {
                log.take(&self.live.w, r);
            }
        }
        log
    }

    /// Begins to collect moments of a stretch: its first, every so manieth, its last. None where the
    /// memory does not allow a machine for it.
    pub fn sample_log(&self, from: u64, to: u64, sampling: Sampling) -> Log {
        let mut log = self.log(from, to, Filter::default(), None);
        log.rows.clear();
        log.sampling = Some(sampling);
        log
    }

    /// A machine that stands at the nearest checkpoint at or before a step, or where `spare` stands
    /// when that is nearer.
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
    /// False when the memory does not allow a machine for it.
    pub fn is_whole(&self) -> bool {
        self.machine.is_some()
    }

    /// Goes on for at most `max_steps` steps. Gives where it stands, 1 when it is done (else 0), and
    /// the rows found, oldest first, each of [`ROW`] numbers.
    pub fn more(&mut self, max_steps: u64) -> Vec<u64> {
        let Some(mut m) = self.machine.take() else {
            let mut out = vec![self.to, 1];
            out.append(&mut self.rows);
            return out;
        };
        let here = m.w.run.steps();
        let stop = if here < self.from { self.from } else { self.to };
        let stop = stop.min(here.saturating_add(max_steps));
        match self.sampling.take() {
            Some(sampling) => {
                self.run_sampling(&mut m, stop, &sampling);
                self.sampling = Some(sampling);
            }
            None => self.run_recording(&mut m, stop),
        }
        let done = m.w.run.steps() >= self.to || m.w.sched.ended;
        let mut out = vec![m.w.run.steps(), u64::from(done)];
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

    fn run_sampling(&mut self, m: &mut Machine, stop: u64, sampling: &Sampling) {
        loop {
            let here = m.w.run.steps();
            let is_last = here >= self.to || m.w.sched.ended;
            let is_due = here >= self.from && (here - self.from).is_multiple_of(sampling.every);
            // Where a slice ended on a row, the next begins on it.
            if (is_due || is_last) && self.sampled.is_none_or(|last| here > last) {
                Sample::of(m).write(&sampling.counters, &mut self.rows);
                self.sampled = Some(here);
            }
            if here >= stop || is_last {
                return;
            }
            let next = match here.checked_sub(self.from) {
                Some(gone) => self.from + (gone / sampling.every + 1) * sampling.every,
                None => self.from,
            };
            m.run(next.min(stop), u64::MAX);
        }
    }

    /// Adds a record that is wanted.
    #[inline(never)]
    fn take(&mut self, w: &World, r: &Record) {
        let f = &self.filter;
        let wanted = match r.what {
            What::Event(event) => f.events.is_empty() || f.events.contains(&(event as u8)),
            What::Why(_) => f.decisions,
        };
        if !wanted || r.step < self.from || r.step >= self.to {
            return;
        }
        let about = match r.what {
            What::Event(event) => About::event(w, event, &r.n),
            What::Why(why) => About::decision(w, why, &r.n),
        };
        let of_task = f.task == NOTHING || f.task == u64::from(r.task) || f.task == about.task;
        let in_pages = about.page <= f.last && about.page + (1 << about.order) > f.first;
        if of_task && in_pages && (f.zone == NOTHING || f.zone == about.zone) {
            let head = [
                r.step + 1,
                r.time_ns,
                r.task.into(),
                r.cpu.into(),
                about.kind,
                about.zone,
            ];
            self.rows.extend(head);
            self.rows.extend(about.numbers);
        }
    }
}

/// What a record is about, as a filter asks.
struct About {
    kind: u64,
    task: u64,
    zone: u64,
    page: u64,
    order: u64,
    /// With page frame numbers for pages.
    numbers: [u64; 6],
}

impl About {
    fn new(kind: u64, n: &[u32; 6]) -> About {
        let mut numbers = [0; 6];
        for (to, &n) in numbers.iter_mut().zip(n) {
            *to = n.into();
        }
        About {
            kind,
            task: NOTHING,
            zone: NOTHING,
            page: NOTHING,
            order: 0,
            numbers,
        }
    }

    /// Number `i` is a page of ours, or none.
    fn page(&mut self, w: &World, i: usize) {
        let frame = self.numbers[i] as u32;
        self.numbers[i] = NOTHING;
        if frame != NONE {
            self.zone = w.mem.pages[frame as usize].zone().into();
            self.page = w.mem.pfn(frame);
            self.numbers[i] = self.page;
        }
    }

    fn event(w: &World, event: Event, n: &[u32; 6]) -> About {
        let mut about = About::new(event as u64, n);
        for (i, &(name, field)) in EVENTS[event as usize].fields.iter().enumerate() {
            match field {
                Field::Page => about.page(w, i),
                Field::Zone => about.zone = about.numbers[i],
                Field::Task => about.task = about.numbers[i],
                Field::Number if name == order_of(event) => about.order = about.numbers[i],
                _ => {}
            }
        }
        about
    }

    fn decision(w: &World, why: Why, n: &[u32; 6]) -> About {
        let mut about = About::new(DECISION + why as u64, n);
        for i in 0..6 {
            let is = |of: &[u8]| of[why as usize] & (1 << i) != 0;
            if is(PAGES) {
                about.page(w, i);
            } else if is(ZONES) {
                about.zone = about.numbers[i];
            } else if is(TASKS) {
                about.task = about.numbers[i];
            }
        }
        about
    }
}

/// A decision's numbers, with page frame numbers for pages.
pub fn numbers(w: &World, why: Why, n: &[u32; 6]) -> Vec<u64> {
    About::decision(w, why, n).numbers.to_vec()
}

/// The field that says how large the block at the event's page is.
fn order_of(event: Event) -> &'static str {
    match event {
        Event::MmPageAllocExtfrag => "fallback_order",
        _ => "order",
    }
}
