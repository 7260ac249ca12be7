//! One random case: a machine is run in parts, in one go and from checkpoints, and is checked after each part.

use std::collections::BTreeSet;
use std::sync::Arc;

use mm::experiment::Experiment;
use mm::kernel::AnonVmaLock;
use mm::machine::Machine;
use mm::plan::Plan;
use mm::record::RecordKind;
use mm::rng::Rng;
use mm::session::{Progress, Session};

use super::cases::{CAUGHT, CORES, TEAMS, chance, experiment, size};
use super::properties::{Judged, Properties, unsound};
use super::records::whole;

/// The plan of a case. In one case of three, reclaim takes more than 32 pages in a batch, as lumpy
/// reclaim does. In one of three with threads, tasks that migrate at the same time wait for a
/// mutex, as in kernels without NUMA balancing.
fn plan(experiment: &Experiment, seed: u64) -> Plan {
    let mut rng = Rng::stream(seed, 3);
    let mut plan = Plan::of(experiment);
    if !CAUGHT.contains(&seed) && chance(&mut rng, 33) {
        Arc::make_mut(&mut plan.facts).batch = size(&mut rng, 33, 8191);
    }
    if seed >= TEAMS && seed.is_multiple_of(3) {
        Arc::make_mut(&mut plan.facts).features.anon_vma_lock = AnonVmaLock::Mutex;
    }
    plan
}

fn finish(session: &mut Session, mut progress: Progress) {
    while !progress.done {
        progress = session.more(5_000);
    }
}

/// Prints the case when the engine itself panics.
struct Named(u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("MMSCOPE_FUZZ_SEED={}", self.0);
        }
    }
}

/// What all cases together recorded.
#[derive(Default)]
pub struct Seen {
    /// Decisions that were recorded.
    pub decisions: BTreeSet<RecordKind>,
    /// Number of pages in the longest batch of a reclaimer.
    pub longest_batch: usize,
    /// What the properties were checked on.
    pub judged: Judged,
}

/// Fails with the number of the case if something is wrong.
fn demand(seed: u64, wrong: Option<String>) {
    if let Some(wrong) = wrong {
        panic!("MMSCOPE_FUZZ_SEED={seed}: {wrong}");
    }
}

/// Runs one case, adds to `seen`, and returns the number of steps it checked.
pub fn case(seed: u64, seen: &mut Seen) -> u64 {
    let _named = Named(seed);
    let plan = plan(&experiment(seed), seed);
    let mut rng = Rng::stream(seed, 2);
    let mut stepped = Machine::start(&plan);
    demand(seed, unsound(&stepped));
    let pages = stepped.w.mem.pages.len() as u32;
    // A recount costs some steps per page, so large machines are recounted less often.
    let longest = 2 + pages / 100 + rng.below(1 + pages / 16);
    // The first scan for NUMA balancing happens after some ms.
    let is_long = seed >= CORES || seed >= TEAMS && seed.is_multiple_of(4);
    let doublings = if is_long { 9 } else { 6 };
    let length = 1000 << rng.below(doublings);
    let mut marks = Vec::new();
    let mut properties = Properties::of(&stepped);
    while stepped.w.run.steps() < length && !stepped.w.sched.ended {
        let to = stepped.w.run.steps() + 1 + u64::from(rng.below(longest));
        stepped.w.rec.on = chance(&mut rng, 30) || properties.needs_records();
        demand(seed, properties.run(&mut stepped, to));
        let held = stepped.tasks.iter().map(|t| t.cx.sc.batch.len()).max();
        seen.longest_batch = seen.longest_batch.max(held.unwrap_or(0));
        for record in std::mem::take(&mut stepped.w.rec.records) {
            whole(&stepped, &record, seed);
            demand(seed, properties.see(&stepped, &record));
            if record.kind.is_decision() {
                seen.decisions.insert(record.kind);
            }
        }
        if chance(&mut rng, 3) && marks.len() < 4 {
            marks.push((stepped.w.run.steps(), stepped.hash()));
        }
    }
    properties.add_to(&mut seen.judged);
    let steps = stepped.w.run.steps();
    can_be_repeated(seed, plan, &stepped, &marks);
    steps
}

/// Fails unless the same machine results from one run, from copies and from going back to marked steps.
fn can_be_repeated(seed: u64, plan: Plan, stepped: &Machine, marks: &[(u64, u64)]) {
    let steps = stepped.w.run.steps();
    let mut run = Machine::start(&plan);
    run.run(steps, u64::MAX);
    assert!(
        run == *stepped,
        "MMSCOPE_FUZZ_SEED={seed}: stepping and running differ"
    );
    assert_eq!(run.hash(), stepped.hash(), "MMSCOPE_FUZZ_SEED={seed}");
    let mut copy = Machine::start(&plan);
    copy.clone_from(stepped);
    assert!(
        copy == *stepped && stepped.clone() == *stepped,
        "MMSCOPE_FUZZ_SEED={seed}: copies differ"
    );
    if seed.is_multiple_of(4) {
        let mut session = Session::start(plan, 16 << 20);
        session.run(steps, u64::MAX, u64::MAX);
        for &(step, hash) in marks.iter().rev().chain(marks) {
            let p = session.seek(step, 3_000);
            finish(&mut session, p);
            assert_eq!(
                session.machine().hash(),
                hash,
                "MMSCOPE_FUZZ_SEED={seed}: back at step {step}"
            );
        }
    }
}
