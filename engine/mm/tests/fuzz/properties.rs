//! What must be true of a machine from one check to the next.

use mm::bandwidth::Queue;
use mm::check::check;
use mm::machine::Machine;
use mm::record::Record;

use super::charged::{self, Charged};
use super::faulted::Faulted;
use super::slices::Slice;
use super::steps::{Checked, Steps};
use super::{cgroups, generations, periods};

/// The properties of one run, with what they remember of it.
#[derive(Debug, Default)]
pub struct Properties {
    numbers: generations::Numbers,
    counts: cgroups::Counts,
    faulted: Option<Faulted>,
    steps: Steps,
    charged: Charged,
}

/// What the properties of one run, or of many, were checked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Judged {
    /// Moves of 3.8 that were compared with the faults before them.
    pub moves: u32,
    /// Single steps.
    pub steps: Checked,
    /// Pages whose cgroup was compared with an earlier one.
    pub charged: u64,
}

impl Properties {
    /// The properties of a machine that has not run.
    pub fn of(m: &Machine) -> Self {
        Self {
            faulted: Faulted::is_for(m).then(Faulted::default),
            ..Self::default()
        }
    }

    /// Must every record of the run be made?
    pub fn needs_records(&self) -> bool {
        self.faulted.is_some()
    }

    /// Runs a machine to this step. Returns what was wrong meanwhile or is wrong then.
    pub fn run(&mut self, m: &mut Machine, to: u64) -> Option<String> {
        let has_generations = m.w.facts.features.lru_gen.is_modelled();
        let slice = has_generations.then(|| Slice::begin(m));
        self.charged.begin(m);
        let wrong = self.steps.run(m, to);
        wrong
            .or_else(|| slice.and_then(|slice| slice.wrong(m)))
            .or_else(|| self.now(m))
    }

    /// What is wrong at a check.
    fn now(&mut self, m: &Machine) -> Option<String> {
        let wrong = unsound(m).or_else(|| overdue(m));
        let wrong = wrong.or_else(|| {
            let outside = periods::outside(m)?;
            Some(format!(
                "scan period (task, ms, least, longest) {outside:?}"
            ))
        });
        let wrong = wrong.or_else(|| self.numbers.see(m));
        if !m.w.memcg.is_on() {
            return wrong;
        }
        wrong
            .or_else(|| self.counts.see(m))
            .or_else(|| self.charged.wrong(m))
            .or_else(|| charged::events_differ(m, charged::memory_events))
            .or_else(|| charged::shares_too_much(&m.w.memcg.memory, m.w.facts.groups.recursive))
    }

    /// Handles the next record of the run. Returns what is wrong with it.
    pub fn see(&mut self, m: &Machine, record: &Record) -> Option<String> {
        let wrong = generations::wrong(record).or_else(|| cgroups::wrong(m, record));
        wrong.or_else(|| {
            let found = self.faulted.as_mut()?.see(m, record);
            found.err().map(|unasked| unasked.to_string())
        })
    }

    /// Adds what was checked to the sums over many runs.
    pub fn add_to(&self, judged: &mut Judged) {
        judged.moves += self.faulted.as_ref().map_or(0, |faulted| faulted.judged);
        judged.steps.add(self.steps.checked);
        judged.charged += self.charged.compared;
    }
}

/// What a recount of the machine finds.
pub fn unsound(m: &Machine) -> Option<String> {
    let found = check(m);
    let lines: Vec<String> = found.iter().take(8).map(ToString::to_string).collect();
    let step = m.w.run.steps();
    (!found.is_empty()).then(|| format!("after step {step}: {}", lines.join("; ")))
}

/// A queue of memory that has been busy for longer than the time that has passed. What the queue serves in any
/// window is at most its rate times the window.
fn overdue(m: &Machine) -> Option<String> {
    m.w.facts.accesses.as_ref()?;
    let clocks = m.w.sched.cpus.iter().map(|cpu| cpu.now);
    let latest = clocks.max().unwrap_or(0).max(m.w.now);
    let pairs =
        m.w.pgdat
            .indices()
            .flat_map(|a| m.w.pgdat.indices().map(move |b| (a, b)));
    let between = pairs
        .filter(|(a, b)| a != b)
        .flat_map(|(from, node)| [Queue::Direction { from, node }, Queue::Link(from, node)]);
    let mut queues = m.w.pgdat.indices().map(Queue::Node).chain(between);
    queues.find_map(|queue| {
        let busy = m.w.bandwidth.busy_ns(queue);
        let until = latest + m.w.bandwidth.behind_ns(queue, latest);
        (busy > until).then(|| format!("{queue:?} has served {busy} ns by {until}"))
    })
}
