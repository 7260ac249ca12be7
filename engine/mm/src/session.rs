//! Moves to any point of a run, forward or back, to a step or a time, by replaying from
//! checkpoints.
//!
//! Modelled: nothing of the kernel. A run is a function of its experiment, so it is replayed
//! instead of stored: plain clones on small machines, a window and a nearby anchor on big ones.
//! [`search`] looks for breakpoints and changes.
//! Left out: undo.
//! Invariants: `live` at step n equals a machine booted and run to n, however it got there.

mod log;
mod rows;
mod sample;
mod search;

pub use log::{Filter, Log, Sampling};
pub use sample::{Doing, Marks, RECLAIMS_PACKED, Sample, TASKS_PACKED, counters};

use facts::index::TaskIndex;
use std::collections::VecDeque;

use crate::experiment::Experiment;
use crate::machine::Machine;
use crate::plan::Plan;
use crate::view::Position;
use crate::watch::Breakpoint;

/// Machines up to this size in bytes are cloned whole at every checkpoint.
pub const SMALL_BYTES: usize = 4 << 20;
/// Steps between the clones of a small machine, and between its near anchor and the current
/// position.
pub const NEAR: u64 = 200_000;
/// The same distance for the near anchor of a big machine, whose steps cost cache misses.
const NEAR_BIG: u64 = 25_000;
/// Steps between the anchors that a big machine stores at first while it runs.
const FAR: u64 = 8_000_000;
/// Maximum distance of the anchors of a long run, in steps. An anchor copies all page records,
/// which takes as long as running 700,000 steps.
const FARTHEST: u64 = 4 * FAR;
/// Length of a big machine's window, in steps before the position where it was paused.
const WINDOW: u64 = 1_000_000;
/// Number of steps before a goal that are replayed with recording on, so that the recent events are
/// available.
const RECORDED: u64 = 512;
/// Maximum number of clones of a small machine: recent ones are [`near_clones`] steps apart, older
/// ones farther.
const CLONES: usize = 128;
/// How far the followed task moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// To its next point.
    Into,
    /// To its next point in the same function or a caller.
    Over,
    /// To its next point in a caller.
    Out,
    /// To whatever runs next, of any task.
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// A step count.
    Step(u64),
    /// A time, ns, before or after the furthest position reached.
    Time(u64),
    /// The followed task has executed a point with at most this many frames left (any number if
    /// `None`).
    Forward {
        task: TaskIndex,
        depth: Option<usize>,
    },
    /// The last step before `before` that the task executed with at most `depth` frames left (any
    /// number if `None`); the range that ends at `walked` is searched next.
    Back {
        task: TaskIndex,
        depth: Option<usize>,
        before: u64,
        walked: u64,
    },
    /// The next step that hits a breakpoint; the search ends at this time, ns.
    Find { until_ns: u64 },
    /// The last step that hits the search condition.
    FindBack,
}

/// Progress of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The machine's position.
    pub position: Position,
    /// True if the goal is reached, or cannot be reached because the run has ended.
    pub done: bool,
    /// The step to go to, if there is one.
    pub goal_step: Option<u64>,
    /// The index of the breakpoint hit here; 0 when searching for a change.
    pub hit: Option<usize>,
}

/// The task that executed a step, and the depth of its stack afterwards.
#[derive(Debug, Clone, Copy)]
struct Trail {
    task: TaskIndex,
    depth: u32,
}

/// An opened experiment and the current position in it.
#[derive(Debug)]
pub struct Session {
    /// The plan from which the machine is booted.
    plan: Plan,
    live: Machine,
    checkpoints: Vec<Machine>,
    /// Clones that are no longer needed; their memory is reused.
    dropped: Vec<Machine>,
    small: bool,
    budget: usize,
    furthest: Position,
    rows: rows::Rows,
    goal: Option<Goal>,
    /// The position at which settling began.
    settling: Option<u64>,
    /// Trail of the last steps before `live`, newest at the back.
    trail: VecDeque<Trail>,
    breakpoints: Vec<Breakpoint>,
    search: search::Search,
}

/// Steps between a big machine's anchors near step `here`: a power of two times [`FAR`], at most an
/// eighth of `here`.
fn far(here: u64) -> u64 {
    (FAR << (here / (8 * FAR)).max(1).ilog2()).min(FARTHEST)
}

/// Steps between the clones of a small machine near step `here`: [`NEAR`], later twice and four
/// times as many. Otherwise a run of hundreds of millions of short steps would spend a sixth of its
/// time on clones that it drops again.
fn near_clones(here: u64) -> u64 {
    NEAR << (here / (CLONES as u64 * NEAR)).max(1).ilog2().min(2)
}

impl Session {
    /// Boots an experiment. Checkpoints may take `budget` bytes; 0 for a run that is traversed
    /// once, which has only the first checkpoint.
    pub fn open(experiment: &Experiment, budget: usize) -> Session {
        Session::start(Plan::of(experiment), budget)
    }

    /// The same for a plan.
    pub fn start(plan: Plan, budget: usize) -> Session {
        let live = Machine::start(&plan);
        let small = live.bytes() <= SMALL_BYTES;
        // Big machines allocate the memory of their two anchors now: the first touch of memory is
        // the slowest operation and must not happen during an interaction.
        let copies = if small || live.bytes() * 2 > budget {
            1
        } else {
            2
        };
        let checkpoints = (0..copies).map(|_| live.clone()).collect();
        let furthest = live.position();
        let rows = rows::Rows::of(&live);
        Session {
            plan,
            live,
            checkpoints,
            dropped: Vec::new(),
            small,
            budget,
            furthest,
            rows,
            goal: None,
            settling: None,
            trail: VecDeque::new(),
            breakpoints: Vec::new(),
            search: search::Search::default(),
        }
    }

    /// The machine at the current position.
    pub fn machine(&self) -> &Machine {
        &self.live
    }

    /// The furthest position reached.
    pub fn furthest(&self) -> Position {
        self.furthest
    }

    /// Size of all checkpoints in bytes.
    pub fn checkpoint_bytes(&self) -> usize {
        self.checkpoints.iter().map(Machine::bytes).sum()
    }

    fn step(&self) -> u64 {
        self.live.w.run.steps()
    }

    /// Cancels the current request; the machine stays where it is.
    pub fn cancel(&mut self) -> Progress {
        self.goal = None;
        self.settling = None;
        self.progress(true)
    }

    fn progress(&self, done: bool) -> Progress {
        let goal_step = match self.goal {
            Some(Goal::Step(n)) => Some(n),
            _ => None,
        };
        Progress {
            position: self.live.position(),
            done,
            goal_step,
            hit: self.hit().filter(|_| done),
        }
    }

    /// Runs at full speed to a step or a time, whichever comes first, for at most `max_steps`
    /// steps.
    pub fn run(&mut self, max_steps: u64, until_step: u64, until_ns: u64) -> Progress {
        self.goal = None;
        self.settling = None;
        self.trail.clear();
        let stop = self.step().saturating_add(max_steps).min(until_step);
        let timed = self.advance(stop, until_ns);
        let done = timed || self.live.w.sched.ended || self.step() >= until_step;
        self.progress(done)
    }

    /// Executes the next point of the followed task, stepping over or out of functions.
    pub fn step_forward(&mut self, how: How, task: TaskIndex, max_steps: u64) -> Progress {
        self.settling = None;
        let depth = self
            .live
            .tasks
            .get(task.index())
            .map_or(0, |t| t.stack.len());
        self.goal = Some(match how {
            How::Any => Goal::Step(self.step() + 1),
            How::Into => Goal::Forward { task, depth: None },
            How::Over => Goal::Forward {
                task,
                depth: Some(depth),
            },
            How::Out => Goal::Forward {
                task,
                depth: Some(depth.saturating_sub(1)),
            },
        });
        self.more(max_steps)
    }

    /// Starts to go back: to before the last step (`task` is `None`), to the followed task's
    /// previous point, or (`call` is true) to before its current function was called.
    pub fn step_back(&mut self, task: Option<TaskIndex>, call: bool, max_steps: u64) -> Progress {
        self.settling = None;
        let before = self.step();
        let depth = |t: TaskIndex| self.live.tasks.at(t).map_or(0, |t| t.stack.len());
        self.goal = Some(match task {
            None => Goal::Step(before.saturating_sub(1)),
            Some(task) if call => {
                let depth = Some(depth(task).saturating_sub(1));
                Goal::Back {
                    task,
                    depth,
                    before,
                    walked: before,
                }
            }
            Some(task) => Goal::Back {
                task,
                depth: None,
                before,
                walked: before,
            },
        });
        self.more(max_steps)
    }

    /// Starts to go to a step; [`Session::more`] continues.
    pub fn seek(&mut self, step: u64, max_steps: u64) -> Progress {
        self.settling = None;
        self.goal = Some(Goal::Step(step));
        self.more(max_steps)
    }

    /// Starts to go to the first step at which no CPU is before a time.
    pub fn seek_time(&mut self, ns: u64, max_steps: u64) -> Progress {
        self.settling = None;
        if self.live.w.now >= ns && self.step() > 0 {
            let step = self.rows.step_before(ns);
            self.restore(step);
        }
        self.goal = Some(Goal::Time(ns));
        self.more(max_steps)
    }

    /// Continues towards the goal for at most `max_steps` steps.
    pub fn more(&mut self, max_steps: u64) -> Progress {
        let done = match self.goal {
            None => true,
            Some(Goal::Step(n)) => self.towards(n, max_steps),
            Some(Goal::Time(ns)) => {
                let stop = self.step().saturating_add(max_steps);
                self.trail.clear();
                self.advance(stop, ns) || self.live.w.sched.ended
            }
            Some(Goal::Forward { task, depth }) => self.forward(task, depth, max_steps),
            Some(Goal::Back {
                task,
                depth,
                before,
                walked,
            }) => self.backward(task, depth, before, walked, max_steps),
            Some(Goal::Find { until_ns }) => self.search_on(until_ns, max_steps),
            Some(Goal::FindBack) => self.search_back(max_steps),
        };
        let progress = self.progress(done);
        if done {
            self.goal = None;
        }
        progress
    }

    /// After a run at full speed: repeats the last range to record its decisions and events. On a
    /// big machine it first moves the anchors to shortly before the current position, so that the
    /// first step back is as quick as the next. Runs for about `max_steps` steps at most; returns
    /// true when it is finished.
    pub fn settle(&mut self, max_steps: u64) -> bool {
        let here = *self.settling.get_or_insert(self.live.w.run.steps());
        let done = self.prepare(here, max_steps) && self.with_trail(here, max_steps);
        if done {
            self.settling = None;
        }
        done
    }

    /// For big machines: moves the first anchor to at most two windows before `here`, and the
    /// second near it.
    fn prepare(&mut self, here: u64, max_steps: u64) -> bool {
        if self.small || self.checkpoints.len() < 2 {
            return true;
        }
        let at = |i: usize| self.checkpoints[i].w.run.steps();
        let target = here.saturating_sub(WINDOW);
        if at(1) <= here && (at(0) > here || (at(1) <= target && at(1) > at(0))) {
            self.checkpoints.swap(0, 1);
        }
        let at = |i: usize| self.checkpoints[i].w.run.steps();
        if at(0) > here {
            return true;
        }
        if at(0) + 2 * WINDOW < here {
            let to = target.min(at(0) + max_steps);
            self.checkpoints[0].run(to, u64::MAX);
            return false;
        }
        if at(1) > here || at(1) + self.near() < here {
            let (a, b) = self.checkpoints.split_at_mut(1);
            if b[0].w.run.steps() > here || b[0].w.run.steps() < a[0].w.run.steps() {
                b[0].clone_from(&a[0]);
            }
            let target = here.saturating_sub(NEAR_BIG / 2);
            let to = target.min(b[0].w.run.steps() + max_steps);
            b[0].run(to, u64::MAX);
            return to == target;
        }
        true
    }

    /// Goes to `step` with the trail of the steps before it.
    fn with_trail(&mut self, step: u64, max_steps: u64) -> bool {
        if self.step() == step && step > 0 && self.trail.is_empty() {
            self.restore(step);
        }
        self.towards(step, max_steps)
    }

    fn near(&self) -> u64 {
        if self.small { NEAR } else { NEAR_BIG }
    }

    /// Goes to a step by the shortest known path.
    fn towards(&mut self, goal: u64, max_steps: u64) -> bool {
        if goal < self.step() {
            self.restore(goal);
        } else if goal > self.step() + self.near() {
            self.leap(goal);
        }
        let stop = goal.min(self.step().saturating_add(max_steps));
        // The last range is executed step by step, for the trail and the records.
        let near = goal.saturating_sub(self.near()).max(self.step()).min(stop);
        if near > self.step() {
            self.trail.clear();
            self.advance(near, u64::MAX);
            self.drop_near_anchor(goal);
        }
        self.walk_to(stop, goal);
        self.step() >= goal || self.live.w.sched.ended
    }

    /// Copies the nearest checkpoint at or before `goal` into the live machine, or boots again.
    fn restore(&mut self, goal: u64) {
        if self.step() == self.furthest.step {
            self.rows.leave(&self.live);
        }
        match self.nearest(goal) {
            Some(i) => {
                let checkpoint = &mut self.checkpoints[i];
                // The first restore copies everything; later ones copy only what was written since.
                if !checkpoint.is_base() {
                    checkpoint.rebase();
                }
                self.live.clone_from(checkpoint);
            }
            None => self.live = Machine::start(&self.plan),
        }
        self.trail.clear();
    }

    /// The last checkpoint before `goal`, so that its last step can be executed and explained.
    fn nearest(&self, goal: u64) -> Option<usize> {
        (0..self.checkpoints.len())
            .filter(|&i| self.checkpoints[i].w.run.steps() <= goal.saturating_sub(1))
            .max_by_key(|&i| self.checkpoints[i].w.run.steps())
    }

    /// For a goal far ahead: starts from a checkpoint closer to the goal, if there is one.
    fn leap(&mut self, goal: u64) {
        if let Some(i) = self.nearest(goal)
            && self.checkpoints[i].w.run.steps() > self.step() + self.near()
        {
            self.restore(goal);
        }
    }

    /// On a big machine, moves the near anchor to a step shortly before the goal of the replay.
    fn drop_near_anchor(&mut self, goal: u64) {
        if !self.small && self.checkpoints.len() > 1 && self.step() + NEAR_BIG >= goal {
            self.live.rebase();
            self.checkpoints[1].clone_from(&self.live);
        }
    }

    /// Runs forward at full speed and stores checkpoints and timeline rows. Returns true if the
    /// time was reached.
    fn advance(&mut self, stop: u64, until_ns: u64) -> bool {
        self.live.w.rec.on = false;
        while self.step() < stop && !self.live.w.sched.ended {
            let next = self.next_mark(stop);
            let row_ns = if self.step() < self.furthest.step {
                u64::MAX
            } else {
                self.rows.next_ns()
            };
            self.live.run(next, until_ns.min(row_ns));
            self.passed();
            if self.live.w.run.steps() < next && self.live.reached(until_ns) {
                return !self.live.w.sched.ended;
            }
        }
        false
    }

    /// The next step at which a checkpoint or a row is due, at most `stop`.
    fn next_mark(&self, stop: u64) -> u64 {
        let here = self.step();
        let every = if self.small {
            near_clones(here)
        } else {
            far(here)
        };
        let next = stop.min((here / every + 1) * every);
        // The steps up to here already have rows; new rows begin where those end.
        if here < self.furthest.step {
            next.min(self.furthest.step)
        } else {
            next.min(self.rows.next_step(here))
        }
    }

    /// Stores the checkpoint or row that is due at the current step.
    fn passed(&mut self) {
        let here = self.step();
        if here <= self.furthest.step {
            return;
        }
        self.furthest = self.live.position();
        self.rows.passed(&self.live);
        if self.budget == 0 {
            return;
        }
        if self.small && here.is_multiple_of(near_clones(here)) {
            self.keep_clone();
        } else if !self.small && here.is_multiple_of(far(here)) {
            let oldest = (0..self.checkpoints.len())
                .min_by_key(|&i| self.checkpoints[i].w.run.steps())
                .unwrap_or(0);
            let live = &self.live;
            self.checkpoints[oldest].clone_from(live);
        }
    }

    /// Stores a clone of a small machine, in the memory of a dropped clone if there is one: growing
    /// memory is slow in a browser.
    fn keep_clone(&mut self) {
        let clone = match self.dropped.pop() {
            Some(mut old) => {
                old.clone_from(&self.live);
                old
            }
            None => self.live.clone(),
        };
        // Assumes that each clone is as large as the newest. Measuring all clones would take longer
        // than making one, if a run has millions of steps per millisecond of virtual time.
        let fit = self.budget / clone.bytes().max(1);
        self.checkpoints.push(clone);
        if self.checkpoints.len() > CLONES.min(fit) {
            self.thin(fit);
        }
    }

    /// Drops every other of the older clones, but never the first. Keeps their memory for reuse
    /// while there are no more than `fit` clones.
    fn thin(&mut self, fit: usize) {
        let old = self.checkpoints.len() / 2;
        let mut thinned = Vec::new();
        for (at, machine) in std::mem::take(&mut self.checkpoints)
            .into_iter()
            .enumerate()
        {
            if at < old && at % 2 == 1 {
                thinned.push(machine);
            } else {
                self.checkpoints.push(machine);
            }
        }
        if self.checkpoints.len() + thinned.len() <= fit {
            self.dropped.extend(thinned);
        }
    }

    /// Executes step by step with a trail, and records the last range before `goal`.
    fn walk_to(&mut self, stop: u64, goal: u64) {
        while self.step() < stop && !self.live.w.sched.ended {
            self.live.w.rec.on = self.step() + RECORDED >= goal;
            self.walk();
        }
        self.live.w.rec.on = false;
    }

    /// Executes one point and appends it to the trail.
    fn walk(&mut self) -> Trail {
        let task = self.live.w.task;
        let before = self.step();
        self.live.run(before + 1, u64::MAX);
        self.live.w.rec.last_task = Some(task);
        if self.step() > self.furthest.step {
            self.passed();
        }
        let depth = self.live.tasks[task].stack.len() as u32;
        let trail = Trail { task, depth };
        self.trail.push_back(trail);
        if self.trail.len() as u64 > 2 * NEAR {
            self.trail.pop_front();
        }
        trail
    }

    fn forward(&mut self, task: TaskIndex, depth: Option<usize>, max_steps: u64) -> bool {
        self.live.w.rec.on = true;
        let stop = self.step().saturating_add(max_steps);
        let mut done = false;
        while !done && self.step() < stop && !self.live.w.sched.ended {
            let walked = self.walk();
            done = walked.task == task && depth.is_none_or(|d| walked.depth as usize <= d);
        }
        self.live.w.rec.on = false;
        let exited = self
            .live
            .tasks
            .get(task.index())
            .is_none_or(|t| t.stack.is_empty());
        done || exited || self.live.w.sched.ended
    }

    /// Searches for the goal in the trail of the range that ends at `walked`; if it is not there,
    /// the previous range is searched next.
    fn backward(
        &mut self,
        task: TaskIndex,
        depth: Option<usize>,
        before: u64,
        walked: u64,
        max_steps: u64,
    ) -> bool {
        if !self.with_trail(walked, max_steps) {
            return false;
        }
        let first = walked - self.trail.len() as u64;
        let mut steps = (first + 1..=walked).rev().zip(self.trail.iter().rev());
        let found = steps.find(|(step, t)| {
            *step < before && t.task == task && depth.is_none_or(|d| t.depth as usize <= d)
        });
        let goal = match found {
            Some((step, _)) => step,
            None if first == 0 => 0,
            None => {
                self.goal = Some(Goal::Back {
                    task,
                    depth,
                    before,
                    walked: first,
                });
                return false;
            }
        };
        self.goal = Some(Goal::Step(goal));
        self.towards(goal, max_steps)
    }
}
