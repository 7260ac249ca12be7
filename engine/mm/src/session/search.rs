//! Running to the next moment a breakpoint is hit, forward or backward.
//!
//! Modelled: nothing of the kernel. Forward every step is looked at. Backward the stretch from the
//! nearest checkpoint to where the search began is replayed and its last hit remembered; where it
//! has none, the stretch before is next. A stretch that ends inside a locked section goes on to the
//! end of the section, as counts are compared there. A value's last change is the same search with
//! one breakpoint, which looks at every step.
//! Left out: guessing from counters which stretches may be skipped.
//! Invariants: both directions judge a step by the machine before and after it, so what one finds
//! the other finds; a search backward that finds nothing ends where it began.

use super::{Goal, Progress, Session};
use crate::watch::{Before, Breakpoint, Value, Watch};

/// A search under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    /// A change that is sought, instead of the breakpoints.
    change: Option<Breakpoint>,
    before: Before,
    /// Backward: where the person stood.
    origin: u64,
    /// Backward: only hits of steps up to here count, or up to the end of the locked section that
    /// is half done here where that is not the person's limit.
    until: u64,
    /// Backward: `until` is where a later stretch began.
    is_earlier: bool,
    /// Backward: the machine is inside the stretch that ends at `until`.
    is_inside: bool,
    /// Backward: where that stretch begins.
    from: u64,
    /// The last hit so far: the step, and the breakpoint's place.
    found: Option<(u64, usize)>,
}

impl Session {
    /// Adds one to what searches stop at; it does not matter to running and stepping.
    pub fn add_breakpoint(&mut self, point: Breakpoint) {
        self.breakpoints.push(point);
    }

    /// Takes all breakpoints away.
    pub fn clear_breakpoints(&mut self) {
        self.breakpoints.clear();
    }

    /// Starts towards the next hit of a breakpoint, or a time in ns, or the end of the run.
    pub fn find_next(&mut self, until_ns: u64, max_steps: u64) -> Progress {
        self.begin(None);
        let mut before = std::mem::take(&mut self.search.before);
        before.begin(&self.live, self.points());
        self.search.before = before;
        self.goal = Some(Goal::Find { until_ns });
        self.more(max_steps)
    }

    /// Starts back to the last hit of a breakpoint before the last step.
    pub fn find_previous(&mut self, max_steps: u64) -> Progress {
        self.begin(None);
        self.search.until = self.step().saturating_sub(1);
        self.goal = Some(Goal::FindBack);
        self.more(max_steps)
    }

    /// Starts back to the last step up to `until` that changed a value.
    pub fn last_change(&mut self, value: Value, until: u64, max_steps: u64) -> Progress {
        self.begin(Some(Breakpoint {
            watch: Watch::Write(value),
            condition: None,
        }));
        self.search.until = self.step().min(until);
        self.goal = Some(Goal::FindBack);
        self.more(max_steps)
    }

    /// The breakpoint hit where the machine stands, by its place, when a search led here.
    pub fn hit(&self) -> Option<usize> {
        self.search
            .found
            .filter(|&(step, _)| step == self.step())
            .map(|(_, i)| i)
    }

    fn begin(&mut self, change: Option<Breakpoint>) {
        self.settling = None;
        self.search = Search {
            change,
            origin: self.step(),
            ..Search::default()
        };
    }

    /// What the search under way stops at.
    fn points(&self) -> &[Breakpoint] {
        self.search
            .change
            .as_ref()
            .map_or(&self.breakpoints, std::slice::from_ref)
    }

    /// Remembers where the machine stands before a step.
    fn note_before(&mut self) {
        let mut before = std::mem::take(&mut self.search.before);
        before.note(&self.live, self.points());
        self.search.before = before;
    }

    /// The first breakpoint the last step hit, by its place.
    fn first_hit(&self) -> Option<usize> {
        let (m, before) = (&self.live, &self.search.before);
        let mut points = self.points().iter().enumerate();
        points.find_map(|(i, point)| point.is_hit(m, before, i).then_some(i))
    }

    /// Forward, at most `max_steps`.
    pub(super) fn search_on(&mut self, until_ns: u64, max_steps: u64) -> bool {
        self.live.w.rec.on = true;
        let stop = self.step().saturating_add(max_steps);
        let mut is_there = false;
        while !is_there && self.step() < stop && !self.live.w.sched.ended {
            self.note_before();
            self.walk();
            let hit = self.first_hit();
            self.search.found = hit.map(|i| (self.step(), i));
            is_there = hit.is_some() || self.live.reached(until_ns);
        }
        self.live.w.rec.on = false;
        is_there || self.live.w.sched.ended
    }

    /// Backward, at most about `max_steps`.
    pub(super) fn search_back(&mut self, max_steps: u64) -> bool {
        if !self.search.is_inside {
            if self.search.until == 0 {
                return self.search_ends(max_steps);
            }
            self.restore(self.search.until);
            self.search.is_inside = true;
            self.search.from = self.step();
            self.search.before = Before::default();
        }
        let stop = self.step().saturating_add(max_steps);
        self.live.w.rec.on = self.points().iter().any(Breakpoint::needs_records);
        while self.step() < stop && !self.is_stretch_over() {
            self.note_before();
            self.live.run(self.step() + 1, u64::MAX);
            if let Some(i) = self.first_hit() {
                self.search.found = Some((self.step(), i));
            }
        }
        self.live.w.rec.on = false;
        if !self.is_stretch_over() {
            return false;
        }
        self.search.is_inside = false;
        // Steps up to where this stretch began are the next one's.
        (self.search.until, self.search.is_earlier) = (self.search.from, true);
        self.search.found.is_some() && self.search_ends(max_steps)
    }

    /// Backward: was all of the stretch looked at?
    fn is_stretch_over(&self) -> bool {
        let is_behind = self.step() >= self.search.until;
        let is_whole = !self.search.is_earlier || self.live.is_open();
        self.live.w.sched.ended || (is_behind && is_whole)
    }

    /// Goes to what was found, or back to where the search began.
    fn search_ends(&mut self, max_steps: u64) -> bool {
        let to = self
            .search
            .found
            .map_or(self.search.origin, |found| found.0);
        self.goal = Some(Goal::Step(to));
        self.trail.clear();
        self.towards(to, max_steps)
    }
}
