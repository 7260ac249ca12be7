//! Runs a twin until its workload ends, and records events, samples and counters.

use std::collections::VecDeque;

use mm::experiment::Experiment;
use mm::index::ZoneIndex;
use mm::machine::{Machine, TaskKind, TaskStatus};
use mm::proc::{self, File};
use mm::procfs::counters::{Counted, counters, difference};
use mm::procfs::lru_gen::LruGenNode;
use mm::procfs::parse::parse;
use mm::record::{KEPT, Record, RecordKind, TEXTS};
use mm::snapshot::generations;

use crate::build::{BEFORE_MS, START_MS, Twin};
use crate::capture::Capture;
use crate::cgroup_counts::{AtEnd, of_machine, simulated};
use crate::compare::CounterRow;
use crate::generations::BEFORE_END_S;
use crate::tally::{Tally, is_traced};

const MS: u64 = 1_000_000;
/// The time from the workload's end to the capture's second moment. Judging by the data that the
/// disk wrote after the last sample, it is 0.15 s (`writer`), 0.35 s (`hogslab`), 0.45 s (`storm`)
/// and 0.9 s (`stormkey`).
const AFTER_MS: u64 = 400;
/// The period of the guest's sampler, ms.
const SAMPLE_MS: u64 = 200;
/// The number of steps executed before the recorder is emptied. These steps never fill the
/// recorder.
const SLICE: u64 = 4096;
/// Virtual time between two checks whether the workload has ended, because an idle machine makes
/// few steps.
const SLICE_NS: u64 = 10 * MS;
/// Steps between two messages of progress.
const PROGRESS: u64 = 50_000_000;

/// Receives the events and samples of a run. An implementation may ignore any of them.
pub trait Observer {
    /// Does it take samples?
    fn takes_samples(&self) -> bool {
        false
    }
    /// A line of samples; the first has the names of the columns.
    fn sample(&mut self, _line: &str) {}
    /// An event of a kind that the captures traced.
    fn event(&mut self, _machine: &Machine, _record: &Record) {}
    /// Called now and then during a long run.
    fn progress(&mut self, _machine: &Machine) {}
    /// Events were dropped.
    fn dropped(&mut self) {}
    /// Should the run continue?
    fn goes_on(&self) -> bool {
        true
    }
}

/// A receiver that ignores everything.
impl Observer for () {}

/// The results of a simulated run.
pub struct Ran {
    /// Memory before the workload, of the capture and of the twin.
    pub start: Vec<CounterRow>,
    /// The changes of the counters.
    pub counted: Counted,
    /// Distributions.
    pub tally: Tally,
    /// Virtual seconds of the workload.
    pub seconds: f64,
    /// Did the workload finish?
    pub finished: bool,
    /// The generations just before the workload ended; empty without the multi-generational LRU.
    pub generations: Vec<LruGenNode>,
    /// The memory cgroups of the workload; empty if it has none.
    pub cgroups: AtEnd,
}

/// A run in progress.
struct Watch<'a> {
    machine: Machine,
    tally: Tally,
    observer: &'a mut dyn Observer,
    next_sample: u64,
    told: u64,
}

/// The records that a twin counts: kernel events, file calls and the ends of these calls. Touches
/// of resident pages are not included, so that one point may stand for many touches.
fn is_counted(kind: RecordKind) -> bool {
    !kind.is_decision() || matches!(kind, RecordKind::FileCall | RecordKind::SigKill)
}

/// Runs an experiment until its workload has ended.
pub fn run(
    capture: &Capture,
    twin: &Twin,
    experiment: &Experiment,
    observer: &mut dyn Observer,
) -> Ran {
    let mut machine = Machine::boot(experiment);
    machine.run(u64::MAX, BEFORE_MS * MS);
    let before = counted(&machine);
    let start = start(capture, &machine, &before);
    machine.w.rec.on = true;
    machine.w.rec.keeps = is_counted;
    let mut watch = Watch {
        machine,
        tally: Tally::default(),
        observer,
        next_sample: BEFORE_MS * MS,
        told: 0,
    };
    let goes_on = |m: &Machine| !m.w.sched.ended && works(m, twin, experiment);
    let mut by_generation = BeforeEnd::default();
    let mut by_cgroup = BeforeEnd::default();
    while goes_on(&watch.machine) && watch.observer.goes_on() {
        watch.slice(u64::MAX);
        let machine = &watch.machine;
        by_generation.add(machine, |m| m.w.mem.lru_gen_on.then(|| generations(&m.w)));
        by_cgroup.add(machine, |m| m.w.memcg.is_on().then(|| of_machine(m)));
    }
    let ended = watch.machine.w.now;
    let finished = !works(&watch.machine, twin, experiment);
    // The script of the first guests ends the sampler before it wakes again.
    let [_, sampler, _] = &twin.backdrop;
    if twin.sampler_ends
        && let Some(program) = (experiment.programs.iter()).position(|p| p.name == *sampler)
    {
        watch.machine.w.signal(program as u32, 0);
    }
    let end = ended + AFTER_MS * MS;
    while watch.machine.w.now < end && !watch.machine.w.sched.ended {
        watch.slice(end);
    }
    Ran {
        start,
        counted: difference(&before, &counted(&watch.machine)),
        tally: watch.tally,
        seconds: (ended / MS).saturating_sub(START_MS) as f64 / 1000.0,
        finished,
        generations: by_generation.before(ended).unwrap_or_default(),
        cgroups: simulated(
            by_cgroup.before(ended).unwrap_or_default(),
            of_machine(&watch.machine),
        ),
    }
}

/// Something of the machine at the moments of the last tenths of a second, oldest first.
struct BeforeEnd<T>(VecDeque<(u64, T)>);

impl<T> Default for BeforeEnd<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> BeforeEnd<T> {
    const BEFORE_END_NS: u64 = (BEFORE_END_S * 1e9) as u64;

    /// Adds what a machine has now, unless the last moment was just before.
    fn add(&mut self, machine: &Machine, of: impl Fn(&Machine) -> Option<T>) {
        let now = machine.w.now;
        let is_early = |at: u64| at + SLICE_NS > now;
        if self.0.back().is_some_and(|&(at, _)| is_early(at)) {
            return;
        }
        let Some(found) = of(machine) else {
            return;
        };
        self.0.push_back((now, found));
        // The second one is early enough as well, whenever the workload ends.
        let is_old = |at: u64| at + Self::BEFORE_END_NS <= now;
        while self.0.get(1).is_some_and(|&(at, _)| is_old(at)) {
            self.0.pop_front();
        }
    }

    /// What the machine had a moment before the end, when no task had begun to free its memory.
    fn before(self, end: u64) -> Option<T> {
        let until = end.saturating_sub(Self::BEFORE_END_NS);
        let mut found = self.0;
        while found.get(1).is_some_and(|&(at, _)| at <= until) {
            found.pop_front();
        }
        found.pop_front().map(|(_, found)| found)
    }
}

impl Watch<'_> {
    /// Runs for a short time, counts what was recorded, and takes a sample if one is due.
    fn slice(&mut self, until_ns: u64) {
        let machine = &mut self.machine;
        let until_ns = until_ns.min(machine.w.now + SLICE_NS);
        let until = match self.observer.takes_samples() {
            true => until_ns.min(self.next_sample),
            false => until_ns,
        };
        machine.run(machine.w.run.steps() + SLICE, until);
        let records = std::mem::take(&mut machine.w.rec.records);
        if records.len() >= KEPT {
            self.observer.dropped();
        }
        for record in &records {
            self.tally.add(record);
            let is_event = !record.kind.is_decision();
            let traced = is_event && is_traced(TEXTS[record.kind as usize].name);
            if traced {
                self.observer.event(&self.machine, record);
            }
        }
        self.machine.w.rec.records = records;
        self.machine.w.rec.records.clear();
        self.sample();
        if self.machine.w.run.steps() >= self.told + PROGRESS {
            self.told = self.machine.w.run.steps();
            self.observer.progress(&self.machine);
        }
    }

    /// Writes a row of samples if it is due.
    fn sample(&mut self) {
        let w = &self.machine.w;
        if w.now < self.next_sample || !self.observer.takes_samples() {
            return;
        }
        let counters = counted(&self.machine);
        if self.next_sample == BEFORE_MS * MS {
            let zones = w.mem.zones.indices();
            let zones = zones.map(|zone| format!("free_{}", w.zone_key(zone)));
            let names = zones.chain(counters.keys().cloned());
            let names: Vec<String> = ["mono_s".to_string()].into_iter().chain(names).collect();
            self.observer.sample(&names.join(","));
        }
        let free = w.mem.zones.iter().map(|zone| zone.nr_free_pages);
        let free = free.map(|pages| pages.to_string());
        let values = free.chain(counters.values().map(i64::to_string));
        let values: Vec<String> = values.collect();
        let seconds = w.now as f64 / 1e9;
        self.observer
            .sample(&format!("{seconds:.3},{}", values.join(",")));
        self.next_sample += SAMPLE_MS * MS;
    }
}

/// Memory before the workload: free pages of each zone and pages on the lists.
fn start(capture: &Capture, machine: &Machine, ours: &Counted) -> Vec<CounterRow> {
    let row = |name: String, real: u64, simulated: u64| CounterRow {
        name,
        real: real as i64,
        simulated: Some(simulated as i64),
        absent: None,
    };
    let zones = parse(capture.before.section("zoneinfo")).unwrap_or_default();
    let populated = zones.iter().filter(|zone| zone.is_populated());
    let mut rows = Vec::new();
    for (real, (i, zone)) in populated.zip(machine.w.mem.zones.entries()) {
        let key = machine.w.zone_key(i);
        let on_cpus = real.pagesets.iter().filter_map(|set| set.count).sum();
        let free = real.row("free").unwrap_or(0);
        rows.push(row(format!("{key} free"), free, zone.nr_free_pages.into()));
        rows.push(row(
            format!("{key} per-cpu"),
            on_cpus,
            on_cpu_lists(machine, i),
        ));
    }
    for list in mm::vmscan::LRU_NAMES {
        let name = format!("nr_{list}");
        let of = |counters: &Counted| counters.get(&name).map_or(0, |&n| n as u64);
        let (real, simulated) = (of(&capture.before.vmstat), of(ours));
        rows.push(row(name, real, simulated));
    }
    rows
}

/// Pages of a zone on per-cpu lists.
pub fn on_cpu_lists(machine: &Machine, zone: ZoneIndex) -> u64 {
    let mem = &machine.w.mem;
    let counts = mem.cpus().map(|cpu| mem.pcp_count[mem.pcp_at(zone, cpu)]);
    counts.map(u64::from).sum()
}

/// Is a process of the workload itself still running, or has it not started yet?
fn works(machine: &Machine, twin: &Twin, experiment: &Experiment) -> bool {
    let of_workload = |kind: &TaskKind| match kind {
        TaskKind::User { program, .. } => {
            let name = &experiment.programs[*program as usize].name;
            !twin.backdrop.contains(name)
        }
        _ => false,
    };
    let mut tasks = machine.tasks.iter();
    tasks.any(|task| of_workload(&task.kind) && task.status != TaskStatus::Exited)
}

/// Every counter of a machine by its name in /proc/vmstat.
fn counted(machine: &Machine) -> Counted {
    counters(&proc::print(machine, File::Vmstat)).unwrap_or_default()
}
