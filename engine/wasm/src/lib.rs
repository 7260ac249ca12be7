//! The typed door between the engine and the browser.
//!
//! No logic lives here: the methods hand over to [`mm::session`] and [`picture`]. Small results
//! cross as generated TypeScript types, large ones as typed arrays. Every `u64` crosses as a number:
//! steps and nanoseconds stay below 2^53.

mod how;
mod texts;
mod watch;

use how::{BackHow, StepHow};
use mm::experiment::Experiment;
use mm::map;
use mm::parting::Parting;
use mm::proc::{self, File};
use mm::read::written;
use mm::session::{Filter, How, Log, Progress, Sampling, Session, counters};
use mm::snapshot::Snapshot;
use mm::view::{PartingStand, PartingView, Position, View};
use mm::world::World;
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;
use watch::{Comparison, WatchKind};

/// How far a request has come.
#[derive(Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Advance {
    /// Where the machine stands.
    pub position: Position,
    /// Nothing more to do for this request.
    pub done: bool,
    /// The step sought, when one is.
    pub goal_step: Option<u64>,
    /// The breakpoint hit here, by its place; 0 for a change that was sought.
    pub hit: Option<u32>,
}

/// Two slots for machines; the page uses one until it compares.
#[wasm_bindgen]
#[derive(Default)]
pub struct Engine {
    slots: [Option<Session>; 2],
    budget: usize,
    log: Option<Log>,
    parting: Option<Parting>,
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = JSON)]
    fn parse(text: &str) -> JsValue;
}

/// Values cross as JSON: one text and one call, where building the object field by field from here
/// is a call for each, and more code than the machine's own.
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
    /// An engine whose checkpoints may take `budget_mib` MiB; 0 where nobody goes back.
    #[wasm_bindgen(constructor)]
    pub fn new(budget_mib: u32) -> Engine {
        Engine {
            slots: [None, None],
            budget: (budget_mib as usize) << 20,
            log: None,
            parting: None,
        }
    }

    /// Boots an experiment, given as the JSON that was checked. What was open in the slot stays when
    /// it is none.
    pub fn open(&mut self, slot: usize, experiment: &str) -> Result<(), JsError> {
        let experiment =
            Experiment::from_json(experiment).map_err(|_| JsError::new("this is no experiment"))?;
        // Give the old machine's memory back before the new one asks for its own.
        self.slots[slot & 1] = None;
        self.log = None;
        self.slots[slot & 1] = Some(Session::open(&experiment, self.budget));
        Ok(())
    }

    /// Boots two experiments side by side, given as JSON that was checked; `part_more` goes on.
    pub fn part(&mut self, first: &str, second: &str) -> Result<(), JsError> {
        let read = |text: &str| {
            Experiment::from_json(text).map_err(|_| JsError::new("this is no experiment"))
        };
        let experiments = [&read(first)?, &read(second)?];
        // As for a slot: first give the old machines' memory back.
        self.parting = None;
        self.parting = Some(Parting::of(experiments));
        Ok(())
    }

    /// Goes on with both at most `max_steps` points. Once they have parted or ended their memory is
    /// given back.
    pub fn part_more(&mut self, max_steps: f64) -> Result<Ts<PartingView>, JsError> {
        let Some(parting) = &mut self.parting else {
            return Err(JsError::new("no two experiments run side by side"));
        };
        let stand = parting.more(max_steps as u64);
        let view = picture::parting(parting);
        if stand != PartingStand::Alike {
            self.parting = None;
        }
        ts(&view)
    }

    #[inline(never)]
    fn session(&mut self, slot: usize) -> Result<&mut Session, JsError> {
        self.slots[slot & 1]
            .as_mut()
            .ok_or_else(|| JsError::new("no experiment is open"))
    }

    /// The machine, and where the node with this number stands in it.
    fn node(&mut self, slot: usize, id: usize) -> Result<(&World, usize), JsError> {
        let w = &self.session(slot)?.machine().w;
        let place = w.node_at(id);
        let place = place.ok_or_else(|| JsError::new(&format!("there is no node {id}")))?;
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

    /// Steps the followed task, or whatever runs next; `seek_more` goes on when not done.
    pub fn step(
        &mut self,
        slot: usize,
        how: StepHow,
        followed: Option<u32>,
        max_steps: f64,
    ) -> Result<Ts<Advance>, JsError> {
        let session = self.session(slot)?;
        let task = followed.unwrap_or(session.machine().w.task);
        let how = match how {
            StepHow::Into => How::Into,
            StepHow::Over => How::Over,
            StepHow::Out => How::Out,
            _ => How::Any,
        };
        advance(session.step_forward(how, task, max_steps as u64))
    }

    /// Starts back; `seek_more` goes on when not done.
    pub fn back(
        &mut self,
        slot: usize,
        how: BackHow,
        followed: Option<u32>,
    ) -> Result<Ts<Advance>, JsError> {
        let call = matches!(how, BackHow::Call);
        advance(self.session(slot)?.step_back(followed, call, SLICE))
    }

    /// Starts towards a step; `seek_more` goes on when not done.
    pub fn seek(&mut self, slot: usize, step: f64) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.seek(step as u64, SLICE))
    }

    /// Starts towards a time in ns; `seek_more` goes on when not done.
    pub fn seek_time(&mut self, slot: usize, ns: f64) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.seek_time(ns as u64, SLICE))
    }

    /// Adds a breakpoint to those a search stops at; false where the machine has no such thing.
    /// With a `field` it counts only where that field compares so with `with`, or `number`.
    #[allow(clippy::too_many_arguments, reason = "scalars cross for little")]
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

    /// Takes all breakpoints away.
    pub fn clear_breakpoints(&mut self, slot: usize) -> Result<(), JsError> {
        self.session(slot)?.clear_breakpoints();
        Ok(())
    }

    /// Goes on at most `max_steps` to the next hit of a breakpoint, or a time in ns; `seek_more`
    /// goes on when not done.
    pub fn find_next(
        &mut self,
        slot: usize,
        max_steps: f64,
        until_ns: Option<f64>,
    ) -> Result<Ts<Advance>, JsError> {
        let until = until_ns.map_or(u64::MAX, |n| n as u64);
        advance(self.session(slot)?.find_next(until, max_steps as u64))
    }

    /// Starts back to the hit before the last step; `seek_more` goes on when not done.
    pub fn find_previous(&mut self, slot: usize) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.find_previous(SLICE))
    }

    /// Starts back to the last step up to `until` that changed a value; nothing happens where the
    /// machine has no such value.
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

    /// Goes on with what was started.
    pub fn seek_more(&mut self, slot: usize, max_steps: f64) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.more(max_steps as u64))
    }

    /// Breaks off what was started; the machine stays where it is.
    pub fn cancel(&mut self, slot: usize) -> Result<Ts<Advance>, JsError> {
        advance(self.session(slot)?.cancel())
    }

    /// After a run: makes the last step's reasons visible and the first look back quick. Call
    /// until it returns true.
    pub fn settle(&mut self, slot: usize, max_steps: f64) -> Result<bool, JsError> {
        Ok(self.session(slot)?.settle(max_steps as u64))
    }

    /// Everything small about this moment.
    pub fn view(&mut self, slot: usize, followed: Option<u32>) -> Result<Ts<View>, JsError> {
        ts(&picture::view(self.session(slot)?.machine(), followed))
    }

    /// The furthest point reached.
    pub fn furthest(&mut self, slot: usize) -> Result<Ts<Position>, JsError> {
        ts(&self.session(slot)?.furthest())
    }

    /// Bytes the checkpoints take.
    pub fn checkpoint_bytes(&mut self, slot: usize) -> Result<f64, JsError> {
        Ok(self.session(slot)?.checkpoint_bytes() as f64)
    }

    /// One byte a frame of a node, see [`map::page_states`].
    pub fn page_states(&mut self, slot: usize, node: usize) -> Result<Vec<u8>, JsError> {
        let (w, node) = self.node(slot, node)?;
        Ok(map::page_states(w, node))
    }

    /// One byte a frame of a node, see [`map::page_orders`].
    pub fn page_orders(&mut self, slot: usize, node: usize) -> Result<Vec<u8>, JsError> {
        let (w, node) = self.node(slot, node)?;
        Ok(map::page_orders(w, node))
    }

    /// One word a frame, `count` of them from a page frame number on, see [`map::page_words`].
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

    /// Moments of the whole run so far, with the counters of these pairs (see `Counters::counter`):
    /// rows as [`mm::session::Sample::write`] makes them.
    pub fn samples(&mut self, slot: usize, pairs: Vec<u32>) -> Result<Vec<f64>, JsError> {
        let (wanted, mut out) = (counters(&pairs), Vec::new());
        self.session(slot)?.write_timeline(&wanted, &mut out);
        Ok(floats(out))
    }

    /// A zone's free blocks by order at the same moments, rows as
    /// [`mm::session::Sample::write_blocks`] makes them; the zone by its place.
    pub fn free_blocks(&mut self, slot: usize, zone: usize) -> Result<Vec<f64>, JsError> {
        let mut out = Vec::new();
        self.session(slot)?.write_free_blocks(zone, &mut out);
        Ok(floats(out))
    }

    /// How near memory and threads of all processes are at the same moments, rows as
    /// [`mm::session::Sample::write_near`] makes them.
    pub fn nearness(&mut self, slot: usize) -> Result<Vec<f64>, JsError> {
        let mut out = Vec::new();
        self.session(slot)?.write_near(&mut out);
        Ok(floats(out))
    }

    /// Begins to collect moments of a stretch in place of events: `log_more` gives rows as `samples`
    /// does. False where the memory does not allow it.
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

    /// Begins to collect the records of a stretch, see [`Session::log`] and
    /// [`Filter`]; `log_more` goes on. False when only what was recorded last can be had.
    #[expect(clippy::too_many_arguments, reason = "each crosses as it is")]
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

    /// Goes on collecting: see [`Log::more`]. Nothing when another experiment was opened meanwhile.
    pub fn log_more(&mut self, max_steps: f64) -> Vec<f64> {
        let log = self.log.as_mut();
        floats(log.map_or(Vec::new(), |log| log.more(max_steps as u64)))
    }

    /// Gives the memory of the log's machine back.
    pub fn log_close(&mut self) {
        self.log = None;
    }

    /// A file of /proc ("zoneinfo") as the kernel would print it at this moment.
    pub fn print_file(&mut self, slot: usize, file: &str) -> Result<String, JsError> {
        let known = File::NAMES.iter().find(|(name, _)| *name == file);
        let &(_, file) = known.ok_or_else(|| JsError::new("there is no such file"))?;
        let w = &self.session(slot)?.machine().w;
        let (facts, now) = (&w.facts, Snapshot::of(w));
        let view = proc::view(&facts.layout, &facts.features, facts.booted_thp, &now);
        Ok(file.print(&facts.features, &view))
    }

    /// What a benchmark's report says of the run so far; see [`reports::sheet::run_json`].
    pub fn report(&mut self, slot: usize) -> Result<String, JsError> {
        Ok(reports::sheet::run_json(self.session(slot)?.machine()))
    }

    /// The state hash where the machine stands, 16 hex digits.
    pub fn hash(&mut self, slot: usize) -> Result<String, JsError> {
        Ok(format!("{:016x}", self.session(slot)?.machine().hash()))
    }
}

#[inline(never)]
fn floats(numbers: Vec<i64>) -> Vec<f64> {
    numbers.into_iter().map(|n| n as f64).collect()
}

/// Steps a request takes at once before it hands control back.
const SLICE: u64 = 200_000;

/// Makes a panic's words, and where in the source it stood, those of the trap.
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

/// The engine's version, as links carry it.
#[wasm_bindgen]
pub fn engine_version() -> String {
    mm::VERSION.to_string()
}
