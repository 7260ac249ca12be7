//! Who paid in a range of a run that is open in a session.
//!
//! Modelled: nothing of the kernel. A copy of the machine replays the range from the nearest
//! checkpoint, in slices, with recording on. Left out: ranges on a machine that is too large to
//! copy. Invariants: the session is not changed. A range gives the same tables however it is
//! sliced.

use mm::machine::Machine;
use mm::session::Session;
use serde::Serialize;

use super::{Paid, WhoPaid, named};

/// The number of steps between two readings of the records; these steps never fill the recorder.
const DRAIN: u64 = 2048;

/// A range that is being replayed.
#[derive(Debug)]
pub struct Range {
    machine: Machine,
    from: u64,
    to: u64,
    files: Vec<String>,
    /// None until the range begins.
    who: Option<WhoPaid>,
}

/// The progress of the replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// The step that it has reached.
    pub at: u64,
    /// The tables, once it has reached the end.
    pub paid: Option<Paid>,
}

impl Range {
    /// Starts with the steps after `from`, up to step `to`. None if there is too little memory for
    /// a copy of the machine. `files` are the names of the workload's files.
    pub fn begin(session: &Session, from: u64, to: u64, files: Vec<String>) -> Option<Range> {
        Some(Range {
            machine: session.copy_at_or_before(from)?,
            from,
            to,
            files,
            who: None,
        })
    }

    /// Continues by at most `max_steps` steps.
    pub fn more(&mut self, max_steps: u64) -> Replayed {
        let m = &mut self.machine;
        let stop = m.w.run.steps().saturating_add(max_steps);
        if self.who.is_none() {
            m.run(stop.min(self.from), u64::MAX);
            if m.w.run.steps() >= self.from || m.w.sched.ended {
                m.w.rec.records.clear();
                self.who = Some(WhoPaid::begin(m));
            }
        }
        if let Some(who) = &mut self.who {
            m.w.rec.on = true;
            let stop = stop.min(self.to);
            while m.w.run.steps() < stop && !m.w.sched.ended {
                m.run(stop.min(m.w.run.steps() + DRAIN), u64::MAX);
                while let Some(record) = m.w.rec.records.pop_front() {
                    who.take(&record);
                }
            }
            m.w.rec.on = false;
        }
        let is_done = m.w.run.steps() >= self.to || m.w.sched.ended;
        let who = self.who.as_ref().filter(|_| is_done);
        Replayed {
            at: m.w.run.steps(),
            paid: who.map(|who| named(who, m, &self.files)),
        }
    }
}
