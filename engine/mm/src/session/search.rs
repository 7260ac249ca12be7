//! Runs to the next hit of a breakpoint, forward or backward.
//!
//! Modelled: nothing of the kernel. Forward, every step is checked. Backward, the range from the
//! nearest checkpoint to the start of the search is replayed and its last hit is used; if there is
//! none, the range before follows. A range that ends inside a locked section continues to the
//! end of the section, because counts are compared there. The search for a value's last change is
//! the same, with one breakpoint that checks every step.
//! Left out: using counters to guess which ranges can be skipped.
//! Invariants: both directions judge a step by the machine before and after it, so they find the
//! same hits; a backward search without a hit ends where it began.

use super::{Goal, Progress, Session};
use crate::watch::{Before, Breakpoint, Value, Watch};

/// A running search.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    /// The change to find, instead of the breakpoints.
    change: Option<Breakpoint>,
    before: Before,
    /// Backward: the step at which the search began.
    origin: u64,
    /// Backward: only hits up to this step count. If this is not the caller's limit and a locked
    /// section is incomplete here, hits up to the end of that section count.
    until: u64,
    /// Backward: true if `until` is the start of a later range.
    is_earlier: bool,
    /// Backward: true while the machine is inside the range that ends at `until`.
    is_inside: bool,
    /// Backward: the start of that range.
    from: u64,
    /// The last hit so far: the step, and the index of the breakpoint.
    found: Option<(u64, usize)>,
}

impl Session {
    /// Adds a breakpoint, at which searches stop. Running and stepping ignore it.
    pub fn add_breakpoint(&mut self, point: Breakpoint) {
        self.breakpoints.push(point);
    }

    /// Removes all breakpoints.
    pub fn clear_breakpoints(&mut self) {
        self.breakpoints.clear();
    }

    /// Starts a search for the next hit of a breakpoint; it ends at a time in ns or at the end of
    /// the run.
    pub fn find_next(&mut self, until_ns: u64, max_steps: u64) -> Progress {
        self.begin(None);
        let mut before = std::mem::take(&mut self.search.before);
        before.begin(&self.live, self.points());
        self.search.before = before;
        self.goal = Some(Goal::Find { until_ns });
        self.more(max_steps)
    }

    /// Starts a search back to the last hit of a breakpoint before the last step.
    pub fn find_previous(&mut self, max_steps: u64) -> Progress {
        self.begin(None);
        self.search.until = self.step().saturating_sub(1);
        self.goal = Some(Goal::FindBack);
        self.more(max_steps)
    }

    /// Starts a search back to the last step up to `until` that changed a value.
    pub fn last_change(&mut self, value: Value, until: u64, max_steps: u64) -> Progress {
        self.begin(Some(Breakpoint {
            watch: Watch::Write(value),
            condition: None,
        }));
        self.search.until = self.step().min(until);
        self.goal = Some(Goal::FindBack);
        self.more(max_steps)
    }

    /// The index of the breakpoint that the last search hit, if the machine is still at that step.
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

    /// The breakpoints at which the current search stops.
    fn points(&self) -> &[Breakpoint] {
        self.search
            .change
            .as_ref()
            .map_or(&self.breakpoints, std::slice::from_ref)
    }

    /// Stores the state of the machine before a step.
    fn note_before(&mut self) {
        let mut before = std::mem::take(&mut self.search.before);
        before.note(&self.live, self.points());
        self.search.before = before;
    }

    /// The index of the first breakpoint that the last step hit.
    fn first_hit(&self) -> Option<usize> {
        let (m, before) = (&self.live, &self.search.before);
        let mut points = self.points().iter().enumerate();
        points.find_map(|(i, point)| point.is_hit(m, before, i).then_some(i))
    }

    /// Searches forward for at most `max_steps`.
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

    /// Searches backward for about `max_steps` at most.
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
        // The next range covers the steps before this one.
        (self.search.until, self.search.is_earlier) = (self.search.from, true);
        self.search.found.is_some() && self.search_ends(max_steps)
    }

    /// Backward: was the whole range checked?
    fn is_stretch_over(&self) -> bool {
        let is_behind = self.step() >= self.search.until;
        let is_whole = !self.search.is_earlier || self.live.is_open();
        self.live.w.sched.ended || (is_behind && is_whole)
    }

    /// Goes to the hit, or back to the step at which the search began.
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
