//! The typed interface between the engine and the browser.
//!
//! There is no logic here: the methods call [`mm::session`] and [`picture`]. Small results are passed as
//! generated TypeScript types, large ones as typed arrays. Every `u64` is passed as a number: steps and
//! nanoseconds stay below 2^53.

mod how;
mod shrink;
mod texts;
mod trace;
mod watch;

use how::{BackHow, StepHow};
use mm::divergence::DivergenceSearch;
use mm::experiment::Experiment;
use mm::index::{GroupIndex, TaskIndex};
use mm::map;
use mm::memcg::files::GroupFile;
use mm::proc::{self, File};
use mm::read::written;
use mm::session::{Filter, How, Log, Progress, Sampling, Session, counters};
use mm::snapshot::Snapshot;
use mm::view::{DivergenceOutcome, DivergenceView, Position, RestsOn, View};
use mm::world::World;
use reports::who_paid;
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;
use watch::{Comparison, WatchKind};

/// The progress of a request.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Advance {
    /// The machine's position.
    pub position: Position,
    /// Whether the request is finished.
    pub done: bool,
    /// The target step, if there is one.
    pub goal_step: Option<u64>,
    /// The breakpoint that was hit, by its index; 0 for the change of a value.
    pub hit: Option<u32>,
}

/// Two slots for machines. The page uses only one unless it compares.
#[wasm_bindgen]
#[derive(Default)]
pub struct Engine {
    slots: [Option<Session>; 2],
    budget: usize,
    log: Option<Log>,
    divergence: Option<DivergenceSearch>,
    paid: Option<who_paid::Range>,
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = JSON)]
    fn parse(text: &str) -> JsValue;
}

fn read_experiment(text: &str) -> Result<Experiment, JsError> {
    Experiment::from_json(text).map_err(|_| JsError::new("this is not an experiment"))
}

/// Values are passed as JSON, with one text and one call. Building the object field by field needs a call for
/// each field, and more code than the machine itself.
fn ts<T: Tsify + Serialize>(value: &T) -> Result<Ts<T>, JsError> {
    Ok(Ts::new_unchecked(parse(&written(value))))
}

fn advance(p: Progress) -> Result<Ts<Advance>, JsError> {
    ts(&Advance {
        position: p.position,
        done: p.done,
        goal_step: p.goal_step,
        hit: p.hit.map(|i| i as u32),
    })
}

#[wasm_bindgen]
impl Engine {
    /// An engine whose checkpoints may take `budget_mib` MiB; 0 for an engine that never goes back.
    #[wasm_bindgen(constructor)]
    pub fn new(budget_mib: u32) -> Engine {
        Engine {
            slots: [None, None],
            budget: (budget_mib as usize) << 20,
            log: None,
            divergence: None,
            paid: None,
        }
    }

    /// Boots an experiment from validated JSON. If the text is not an experiment, the slot keeps
    /// its machine.
    pub fn open(&mut self, slot: usize, experiment: &str) -> Result<(), JsError> {
        let experiment = read_experiment(experiment)?;
        // Free the old machine's memory before the new machine allocates.
        self.slots[slot & 1] = None;
        self.log = None;
        self.paid = None;
        self.slots[slot & 1] = Some(Session::open(&experiment, self.budget));
        Ok(())
    }

    /// Boots two experiments side by side from JSON that was checked; `compare_more` continues.
    pub fn compare(&mut self, first: &str, second: &str) -> Result<(), JsError> {
        let experiments = [&read_experiment(first)?, &read_experiment(second)?];
        // As for a slot, the old machines' memory is freed first.
        self.divergence = None;
        self.divergence = Some(DivergenceSearch::of(experiments));
        Ok(())
    }

    /// Continues both by at most `max_steps` points. Once they have diverged or ended, their memory is freed.
    pub fn compare_more(&mut self, max_steps: f64) -> Result<Ts<DivergenceView>, JsError> {
        let Some(search) = &mut self.divergence else {
            return Err(JsError::new("no two experiments are open side by side"));
        };
        let outcome = search.more(max_steps as u64);
        let view = picture::divergence(search);
        if outcome != DivergenceOutcome::Equal {
            self.divergence = None;
        }
        ts(&view)
    }

    #[inline(never)]
    fn session(&mut self, slot: usize) -> Result<&mut Session, JsError> {
        self.slots[slot & 1]
            .as_mut()
            .ok_or_else(|| JsError::new("no experiment is open"))
    }

    /// The machine, and the index of the node with this number.
    fn node(&mut self, slot: usize, id: usize) -> Result<(&World, usize), JsError> {
        let w = &self.session(slot)?.machine().w;
        let place = w.node_at(id);
        let place = place.ok_or_else(|| JsError::new(&format!("node {id} does not exist")))?;
        Ok((w, place))
    }

    /// Runs at full speed, at most `max_steps`, to a step or a time, whichever comes first.
    pub fn run(
        &mut self,
        slot: usize,
        max_steps: f64,
        until_step: Option<f64>,
        until_ns: Option<f64>,
    ) -> Result<Ts<Advance>, JsError> {
        let number = |n: Option<f64>| n.map_or(u64::MAX, |n| n as u64);
        advance(
            self.session(slot)?
                .run(max_steps as u64, number(until_step), number(until_ns)),
        )
    }

    /// Steps the followed task, or the next point of any task; `seek_more` continues if it is not done.
    pub fn step(
        &mut self,
        slot: usize,
        how: StepHow,
        followed: Option<u32>,
        max_steps: f64,
    ) -> Result<Ts<Advance>, JsError> {
        let session = self.session(slot)?;
        let task = followed.map_or(session.machine().w.task, TaskIndex::new);
        let how = match how {
            StepHow::Into => How::Into,
            StepHow::Over => How::Over,
            StepHow::Out => How::Out,
            _ => How::Any,
        };
        advance(session.step_forward(how, task, max_steps as u64))
    }

    /// Starts a step back; `seek_more` continues if it is not done.
    pub fn back(
        &mut self,
        slot: usize,
        how: BackHow,
        followed: Option<u32>,
    ) -> Result<Ts<Advance>, JsError> {
        let call = matches!(how, BackHow::Call);
        advance(
            self.session(slot)?
                .step_back(followed.map(TaskIndex::new), call, SLICE),
        )
    }

    /// Starts to seek a step; `seek_more` continues if it is not done.
    pub fn seek(&mut self, slot: usize, step: f64) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.seek(step as u64, SLICE))
    }

    /// Starts to seek a time in ns; `seek_more` continues if it is not done.
    pub fn seek_time(&mut self, slot: usize, ns: f64) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.seek_time(ns as u64, SLICE))
    }

    /// Adds a breakpoint; false if the machine does not have what it names. With a `field`, the
    /// breakpoint is hit only if that field satisfies the comparison with `with` or `number`.
    #[allow(clippy::too_many_arguments, reason = "passing scalars is cheap")]
    pub fn add_breakpoint(
        &mut self,
        slot: usize,
        kind: WatchKind,
        a: f64,
        b: f64,
        field: String,
        is: Comparison,
        with: String,
        number: Option<f64>,
    ) -> Result<bool, JsError> {
        let session = self.session(slot)?;
        let watch = watch::watch(&session.machine().w, kind, a, b);
        let known = watch.is_some();
        if let Some(watch) = watch {
            session.add_breakpoint(watch::breakpoint(watch, field, is, with, number));
        }
        Ok(known)
    }

    /// Removes all breakpoints.
    pub fn clear_breakpoints(&mut self, slot: usize) -> Result<(), JsError> {
        self.session(slot)?.clear_breakpoints();
        Ok(())
    }

    /// Runs at most `max_steps` to the next hit of a breakpoint, or to a time in ns; `seek_more` continues if
    /// it is not done.
    pub fn find_next(
        &mut self,
        slot: usize,
        max_steps: f64,
        until_ns: Option<f64>,
    ) -> Result<Ts<Advance>, JsError> {
        let until = until_ns.map_or(u64::MAX, |n| n as u64);
        advance(self.session(slot)?.find_next(until, max_steps as u64))
    }

    /// Starts to seek the last hit before the last step; `seek_more` continues if it is not done.
    pub fn find_previous(&mut self, slot: usize) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.find_previous(SLICE))
    }

    /// Starts to seek the last step up to `until` that changed a value; does nothing if the machine has no such
    /// value.
    pub fn last_change(
        &mut self,
        slot: usize,
        kind: WatchKind,
        a: f64,
        b: f64,
        until: f64,
    ) -> Result<Ts<Advance>, JsError> {
        let session = self.session(slot)?;
        match watch::value(&session.machine().w, kind, a, b) {
            Some(value) => advance(session.last_change(value, until as u64, SLICE)),
            None => advance(session.cancel()),
        }
    }

    /// Continues the started seek.
    pub fn seek_more(&mut self, slot: usize, max_steps: f64) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.more(max_steps as u64))
    }

    /// Cancels the started seek; the machine keeps its position.
    pub fn cancel(&mut self, slot: usize) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.cancel())
    }

    /// After a run: records the reasons of the last step, and makes the first step back fast. Call
    /// it until it returns true.
    pub fn settle(&mut self, slot: usize, max_steps: f64) -> Result<bool, JsError> {
        Ok(self.session(slot)?.settle(max_steps as u64))
    }

    /// All data of this moment except large arrays.
    pub fn view(&mut self, slot: usize, followed: Option<u32>) -> Result<Ts<View>, JsError> {
        ts(&picture::view(self.session(slot)?.machine(), followed))
    }

    /// The furthest point reached.
    pub fn furthest(&mut self, slot: usize) -> Result<Ts<Position>, JsError> {
        ts(&self.session(slot)?.furthest())
    }

    /// Bytes of the checkpoints.
    pub fn checkpoint_bytes(&mut self, slot: usize) -> Result<f64, JsError> {
        Ok(self.session(slot)?.checkpoint_bytes() as f64)
    }

    /// One byte for each page frame of a node, see [`map::page_states`].
    pub fn page_states(&mut self, slot: usize, node: usize) -> Result<Vec<u8>, JsError> {
        let (w, node) = self.node(slot, node)?;
        Ok(map::page_states(w, node))
    }

    /// One byte for each page frame of a node, see [`map::page_orders`].
    pub fn page_orders(&mut self, slot: usize, node: usize) -> Result<Vec<u8>, JsError> {
        let (w, node) = self.node(slot, node)?;
        Ok(map::page_orders(w, node))
    }

    /// One word for each of `count` page frames, starting at a page frame number, see
    /// [`map::page_words`].
    pub fn page_words(
        &mut self,
        slot: usize,
        first: f64,
        count: usize,
        stride: u32,
    ) -> Result<Vec<u32>, JsError> {
        let w = &self.session(slot)?.machine().w;
        Ok(map::page_words(w, first as u64, count, u64::from(stride)))
    }

    /// The pages of each generation, see [`map::generation_pages`].
    pub fn generation_pages(&mut self, slot: usize, limit: usize) -> Result<Vec<u32>, JsError> {
        Ok(map::generation_pages(
            &self.session(slot)?.machine().w,
            limit,
        ))
    }

    /// The pages at the tails of the LRU lists, see [`map::lru_pages`].
    pub fn lru_pages(&mut self, slot: usize, limit: usize) -> Result<Vec<u32>, JsError> {
        Ok(map::lru_pages(&self.session(slot)?.machine().w, limit))
    }

    /// Shares of page states for aligned spans of a node's frames, see [`map::cells`].
    pub fn cells(&mut self, slot: usize, node: usize, span: usize) -> Result<Vec<u16>, JsError> {
        let (w, node) = self.node(slot, node)?;
        Ok(map::cells(w, node, span))
    }

    /// Free blocks by order in the same spans, see [`map::free_runs`].
    pub fn free_runs(
        &mut self,
        slot: usize,
        node: usize,
        span: usize,
    ) -> Result<Vec<u16>, JsError> {
        let (w, node) = self.node(slot, node)?;
        Ok(map::free_runs(w, node, span))
    }

    /// Samples of the whole run so far, with the counters of these pairs (see `Counters::counter`): rows of
    /// [`mm::session::Sample::write`].
    pub fn samples(&mut self, slot: usize, pairs: Vec<u32>) -> Result<Vec<f64>, JsError> {
        let (wanted, mut out) = (counters(&pairs), Vec::new());
        self.session(slot)?.write_timeline(&wanted, &mut out);
        Ok(floats(out))
    }

    /// A zone's free blocks by order in the same samples, as rows of
    /// [`mm::session::Sample::write_blocks`]; the zone by its index.
    pub fn free_blocks(&mut self, slot: usize, zone: usize) -> Result<Vec<f64>, JsError> {
        let mut out = Vec::new();
        self.session(slot)?.write_free_blocks(zone, &mut out);
        Ok(floats(out))
    }

    /// How local the memory of all processes is to their threads in the same samples, as rows of
    /// [`mm::session::Sample::write_near`].
    pub fn nearness(&mut self, slot: usize) -> Result<Vec<f64>, JsError> {
        let mut out = Vec::new();
        self.session(slot)?.write_near(&mut out);
        Ok(floats(out))
    }

    /// Starts to collect samples of a range instead of events: `log_more` gives rows as `samples` does. False
    /// if there is not enough memory.
    pub fn sample_log(
        &mut self,
        slot: usize,
        from: f64,
        to: f64,
        every: f64,
        every_ns: f64,
        pairs: Vec<u32>,
    ) -> Result<bool, JsError> {
        let sampling = Sampling {
            every: (every as u64).max(1),
            every_ns: every_ns as u64,
            counters: counters(&pairs),
        };
        let session = self.session(slot)?;
        let log = session.sample_log(from as u64, to as u64, sampling);
        Ok(self.log.insert(log).is_whole())
    }

    /// Starts to collect the steps of a range at which a task's program advanced, see
    /// [`Session::program_log`]; `log_more` continues. False if there is not enough memory.
    pub fn program_log(
        &mut self,
        slot: usize,
        task: u32,
        from: f64,
        to: f64,
    ) -> Result<bool, JsError> {
        let session = self.session(slot)?;
        let log = session.program_log(TaskIndex::new(task), from as u64, to as u64);
        Ok(self.log.insert(log).is_whole())
    }

    /// Starts to collect the records of a range, see [`Session::log`] and [`Filter`]; `log_more` continues.
    /// False if only the last records are available.
    #[expect(clippy::too_many_arguments, reason = "each is passed as it is")]
    pub fn log(
        &mut self,
        slot: usize,
        from: f64,
        to: f64,
        kinds: Vec<u16>,
        decisions: bool,
        task: f64,
        zone: f64,
        first: f64,
        last: f64,
    ) -> Result<bool, JsError> {
        let filter = Filter {
            kinds,
            decisions,
            task: task as i64,
            zone: zone as i64,
            first: first as i64,
            last: last as i64,
        };
        let old = self.log.take();
        let log = self.session(slot)?.log(from as u64, to as u64, filter, old);
        Ok(self.log.insert(log).is_whole())
    }

    /// Continues to collect: see [`Log::more`]. Does nothing if another experiment was opened meanwhile.
    pub fn log_more(&mut self, max_steps: f64) -> Vec<f64> {
        let log = self.log.as_mut();
        floats(log.map_or(Vec::new(), |log| log.more(max_steps as u64)))
    }

    /// Frees the memory of the log's machine.
    pub fn log_close(&mut self) {
        self.log = None;
    }

    /// Starts to find out who paid for reclaim in a range of steps of the slot's experiment, given as JSON; see
    /// [`who_paid::Range`]. False if there is not enough memory.
    pub fn who_paid(
        &mut self,
        slot: usize,
        experiment: &str,
        from: f64,
        to: f64,
    ) -> Result<bool, JsError> {
        let experiment = read_experiment(experiment)?;
        let files = who_paid::file_names(&experiment);
        // Frees the memory of the previous range first.
        self.paid = None;
        self.paid = who_paid::Range::begin(self.session(slot)?, from as u64, to as u64, files);
        Ok(self.paid.is_some())
    }

    /// Continues by at most `max_steps` steps. The result is JSON: a [`who_paid::Range`]'s `Replayed`, or null
    /// if another experiment was opened meanwhile.
    pub fn who_paid_more(&mut self, max_steps: f64) -> String {
        written(&self.paid.as_mut().map(|range| range.more(max_steps as u64)))
    }

    /// Frees the memory of the range.
    pub fn who_paid_close(&mut self) {
        self.paid = None;
    }

    /// A file of /proc ("zoneinfo"), as the kernel would print it at this moment.
    pub fn print_file(&mut self, slot: usize, file: &str) -> Result<String, JsError> {
        let known = File::NAMES.iter().find(|(name, _)| *name == file);
        let &(_, file) = known.ok_or_else(|| JsError::new("there is no such file"))?;
        let w = &self.session(slot)?.machine().w;
        let (facts, now) = (&w.facts, Snapshot::of(w));
        let view = proc::view(&facts.layout, &facts.features, facts.booted_thp, &now);
        Ok(file.print(&facts.features, &view))
    }

    /// A file of a memory cgroup ("memory.stat"), as the kernel would print it at this moment; empty if there
    /// is no cgroup of this number.
    pub fn print_group_file(
        &mut self,
        slot: usize,
        group: u8,
        file: &str,
    ) -> Result<String, JsError> {
        let known = GroupFile::NAMES.iter().find(|(name, _)| *name == file);
        let &(_, file) = known.ok_or_else(|| JsError::new("there is no such file"))?;
        let w = &self.session(slot)?.machine().w;
        Ok(file.print(w, GroupIndex::new(group)).unwrap_or_default())
    }

    /// A benchmark's report of the run so far; see [`reports::sheet::run_json`].
    pub fn report(&mut self, slot: usize) -> Result<String, JsError> {
        Ok(reports::sheet::run_json(self.session(slot)?.machine()))
    }

    /// The functions that the run has called up to its position, and the costs that it may have used.
    pub fn rests_on(&mut self, slot: usize) -> Result<Ts<RestsOn>, JsError> {
        ts(&picture::rests_on(self.session(slot)?.machine()))
    }

    /// The result of the run so far, with all figures; see [`reports::sweep::text::complete`].
    pub fn complete_result(&mut self, slot: usize) -> Result<String, JsError> {
        Ok(reports::sweep::text::complete(
            self.session(slot)?.machine(),
        ))
    }

    /// The state hash at the machine's position, 16 hex digits.
    pub fn hash(&mut self, slot: usize) -> Result<String, JsError> {
        Ok(format!("{:016x}", self.session(slot)?.machine().hash()))
    }
}

#[inline(never)]
fn floats(numbers: Vec<i64>) -> Vec<f64> {
    numbers.into_iter().map(|n| n as f64).collect()
}

/// Steps that a request executes before it returns control.
const SLICE: u64 = 200_000;

/// Copies a panic's message and its source location into the trap.
#[wasm_bindgen(start)]
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        let words = info.payload_as_str().unwrap_or("it stopped");
        let place = info
            .location()
            .map(|at| format!(" ({}:{})", at.file(), at.line()));
        wasm_bindgen::throw_str(&[words, &place.unwrap_or_default()].concat())
    }));
}

/// The engine's version, as in links.
#[wasm_bindgen]
pub fn engine_version() -> String {
    mm::VERSION.to_string()
}
