//! Random machines, kernels, workloads, tunables and interventions: every invariant holds against a
//! recount, stepping equals running, and going back and forth leads to the same machine.
//!
//! `MMSCOPE_FUZZ_STEPS` sets the total number of steps checked (default 4,000,000).
//! `MMSCOPE_FUZZ_FROM` is the first case (default 0). `MMSCOPE_FUZZ_SEED` runs only one case.

#[path = "fuzz/cases.rs"]
pub mod cases;
#[path = "fuzz/cgroups.rs"]
pub mod cgroups;
#[path = "fuzz/faulted.rs"]
pub mod faulted;
#[path = "fuzz/generations.rs"]
pub mod generations;
#[path = "fuzz/kernels.rs"]
mod kernels;
#[path = "fuzz/periods.rs"]
pub mod periods;
#[path = "fuzz/programs.rs"]
mod programs;
#[path = "fuzz/teams.rs"]
mod teams;

use std::collections::BTreeSet;
use std::sync::Arc;

use mm::bandwidth::Queue;
use mm::check::check;
use mm::experiment::Experiment;
use mm::kernel::AnonVmaLock;
use mm::machine::Machine;
use mm::plan::Plan;
use mm::record::{ALL, FIELDS, HEAD, NO_FUNCTION, OUTCOMES, Record, RecordKind, row};
use mm::rng::Rng;
use mm::session::{Progress, Session};
use mm::view::FieldKind;

use cgroups::{CGROUPS, OF_CGROUPS};
use faulted::Faulted;
use generations::OF_GENERATIONS;

use cases::{AUTOS, CAUGHT, CORES, GENERATIONS, LATER, MOVERS, TEAMS, chance, experiment, size};

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

fn sound(m: &Machine, seed: u64) {
    let found = check(m);
    if !found.is_empty() {
        let lines: Vec<String> = found.iter().take(8).map(ToString::to_string).collect();
        panic!(
            "MMSCOPE_FUZZ_SEED={seed}, after step {}: {}",
            m.w.run.steps(),
            lines.join("; ")
        );
    }
}

/// Fails if a queue of memory has been busy for longer than the time that has passed. What the
/// queue serves in any window is then at most its rate times the window.
fn queues_are_in_time(m: &Machine, seed: u64) {
    if m.w.facts.accesses.is_none() {
        return;
    }
    let clocks = m.w.sched.cpus.iter().map(|cpu| cpu.now);
    let latest = clocks.max().unwrap_or(0).max(m.w.now);
    let pairs =
        m.w.pgdat
            .indices()
            .flat_map(|a| m.w.pgdat.indices().map(move |b| (a, b)));
    let between = pairs
        .filter(|(a, b)| a != b)
        .flat_map(|(from, node)| [Queue::Direction { from, node }, Queue::Link(from, node)]);
    for queue in m.w.pgdat.indices().map(Queue::Node).chain(between) {
        let busy = m.w.bandwidth.busy_ns(queue);
        let until = latest + m.w.bandwidth.behind_ns(queue, latest);
        assert!(
            busy <= until,
            "MMSCOPE_FUZZ_SEED={seed}: {queue:?} has served {busy} ns by {until}"
        );
    }
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

/// Fails unless a record has a value of the right kind for every field, and its row states its length.
fn whole(m: &Machine, record: &Record, seed: u64) {
    let said = || format!("MMSCOPE_FUZZ_SEED={seed}: {record:?}");
    let mut values = record.values.iter().copied();
    for field in FIELDS[record.kind as usize] {
        let value = values.next().unwrap_or_else(|| panic!("{}", said()));
        let w = &m.w;
        let below = |n: usize| usize::try_from(value).is_ok_and(|value| value < n);
        let is_right = match field {
            FieldKind::Page => value == i64::from(mm::frames::NONE) || below(w.mem.pages.len()),
            FieldKind::Zone => below(w.mem.zones.len()),
            FieldKind::ZoneType => {
                value == i64::from(u8::MAX) || below(w.facts.layout.zone_types.len())
            }
            FieldKind::Task => below(m.tasks.len()),
            FieldKind::Node => below(w.pgdat.len()),
            FieldKind::Cpu => below(w.sched.cpus.len()),
            FieldKind::Order => below(w.mem.orders.into()),
            FieldKind::Lists => below(w.mem.lruvecs.len()),
            FieldKind::Mark => below(3),
            FieldKind::Device => below(w.facts.devices.len()),
            FieldKind::Flag => below(2),
            FieldKind::Outcomes => (0..value).all(|_| {
                let (page, outcome) = (values.next(), values.next());
                let names = OUTCOMES.len() as i64;
                page.is_some() && outcome.is_some_and(|outcome| (0..names).contains(&outcome))
            }),
            // No count reaches 2^31; a biased number would be larger.
            _ => value.abs() < 1 << 31 || value == i64::from(u32::MAX),
        };
        assert!(is_right, "{field:?}: {}", said());
    }
    assert_eq!(values.next(), None, "{}", said());
    assert_ne!(record.function, NO_FUNCTION, "{}", said());
    let row = row(&m.w, record);
    assert_eq!(row[0] as usize, row.len(), "{}", said());
    assert_eq!(row.len(), HEAD + record.values.len(), "{}", said());
}

/// What all cases together recorded.
#[derive(Default)]
struct Seen {
    /// Decisions that were recorded.
    decisions: BTreeSet<RecordKind>,
    /// Number of pages in the longest batch of a reclaimer.
    longest_batch: usize,
    /// Number of moves of 3.8 that were checked against the faults before them.
    judged: u32,
}

/// Runs one case, adds to `seen`, and returns the number of steps it checked.
fn case(seed: u64, seen: &mut Seen) -> u64 {
    let _named = Named(seed);
    let plan = plan(&experiment(seed), seed);
    let mut rng = Rng::stream(seed, 2);
    let mut stepped = Machine::start(&plan);
    sound(&stepped, seed);
    let pages = stepped.w.mem.pages.len() as u32;
    // A recount costs some steps per page, so large machines are recounted less often.
    let longest = 2 + pages / 100 + rng.below(1 + pages / 16);
    // The first scan for NUMA balancing happens after some ms.
    let is_long = seed >= CORES || seed >= TEAMS && seed.is_multiple_of(4);
    let doublings = if is_long { 9 } else { 6 };
    let length = 1000 << rng.below(doublings);
    let mut marks = Vec::new();
    let mut numbers = generations::Numbers::default();
    let mut counts = cgroups::Counts::default();
    let mut faulted = Faulted::is_for(&stepped).then(Faulted::default);
    while stepped.w.run.steps() < length && !stepped.w.sched.ended {
        let to = stepped.w.run.steps() + 1 + u64::from(rng.below(longest));
        stepped.w.rec.on = chance(&mut rng, 30) || faulted.is_some();
        stepped.run(to, u64::MAX);
        sound(&stepped, seed);
        queues_are_in_time(&stepped, seed);
        if let Some(outside) = periods::outside(&stepped) {
            panic!("MMSCOPE_FUZZ_SEED={seed}: scan period (task, ms, least, longest) {outside:?}");
        }
        if let Some(wrong) = numbers.see(&stepped) {
            panic!("MMSCOPE_FUZZ_SEED={seed}: {wrong}");
        }
        if let Some(wrong) = counts.see(&stepped) {
            panic!("MMSCOPE_FUZZ_SEED={seed}: {wrong}");
        }
        let held = stepped.tasks.iter().map(|t| t.cx.sc.batch.len()).max();
        seen.longest_batch = seen.longest_batch.max(held.unwrap_or(0));
        for record in std::mem::take(&mut stepped.w.rec.records) {
            whole(&stepped, &record, seed);
            let wrong = generations::wrong(&record);
            if let Some(wrong) = wrong.or_else(|| cgroups::wrong(&stepped, &record)) {
                panic!("MMSCOPE_FUZZ_SEED={seed}: {wrong}");
            }
            if let Some(Err(unasked)) = faulted.as_mut().map(|f| f.see(&stepped, &record)) {
                panic!("MMSCOPE_FUZZ_SEED={seed}: {unasked}");
            }
            if record.kind.is_decision() {
                seen.decisions.insert(record.kind);
            }
        }
        if chance(&mut rng, 3) && marks.len() < 4 {
            marks.push((stepped.w.run.steps(), stepped.hash()));
        }
    }
    seen.judged += faulted.map_or(0, |faulted| faulted.judged);
    let steps = stepped.w.run.steps();
    let mut run = Machine::start(&plan);
    run.run(steps, u64::MAX);
    assert!(
        run == stepped,
        "MMSCOPE_FUZZ_SEED={seed}: stepping and running differ"
    );
    assert_eq!(run.hash(), stepped.hash(), "MMSCOPE_FUZZ_SEED={seed}");
    let mut copy = Machine::start(&plan);
    copy.clone_from(&stepped);
    assert!(
        copy == stepped && stepped.clone() == stepped,
        "MMSCOPE_FUZZ_SEED={seed}: copies differ"
    );
    if seed.is_multiple_of(4) {
        let mut session = Session::start(plan, 16 << 20);
        session.run(steps, u64::MAX, u64::MAX);
        for &(step, hash) in marks.iter().rev().chain(&marks) {
            let p = session.seek(step, 3_000);
            finish(&mut session, p);
            assert_eq!(
                session.machine().hash(),
                hash,
                "MMSCOPE_FUZZ_SEED={seed}: back at step {step}"
            );
        }
    }
    steps
}

/// Decisions that these small machines and short runs did not reach in ten million steps.
const NEVER: &[RecordKind] = &[
    RecordKind::KswapdNotNeeded,
    RecordKind::KswapdNotNeededKept,
    RecordKind::WakeKswapdKept,
    RecordKind::WakeKswapdBoost,
    RecordKind::LadderUnevictable,
    RecordKind::LadderMapped,
    RecordKind::KswapdHarder,
    RecordKind::BoostDropped,
    RecordKind::QueueFull,
    RecordKind::FlushPeriodic,
    RecordKind::BdpUnder,
    RecordKind::GapHolds,
    RecordKind::QueueDrained,
    // More than a second passes between two walks.
    RecordKind::ZlcZap,
    RecordKind::NodeStall,
    RecordKind::LoopAgain,
    RecordKind::KswapdLower,
    RecordKind::GapHoldsKept,
    RecordKind::SkipBalanced,
    RecordKind::PriorityStays,
    // `random_threads_preserve_every_invariant` reaches these.
    RecordKind::GroupExit,
    RecordKind::BarrierWait,
    RecordKind::BarrierOpen,
    RecordKind::ThreadEnd,
    RecordKind::CpuMask,
];

/// Decisions that runs reach only after millions of steps, four of them after more than ten million.
const RARE: &[RecordKind] = &[
    RecordKind::WmFail,
    RecordKind::BdpWait,
    // Reached only by one kernel of many, with orders above 3 that reach reclaim: see
    // tests/lumpy.rs.
    RecordKind::ModeLumpy,
    RecordKind::RefsIgnored,
    // Reached only by kswapd of 2.6.37 to 3.1, when woken for such an order.
    RecordKind::ZoneInNeedOrder,
    RecordKind::GapFailsOrder,
    // Reached only by compaction for such an order: see tests/compaction.rs and tests/migrate.rs.
    RecordKind::CompactDeferred,
    RecordKind::CompactDefers,
    RecordKind::CompactAlloc,
    RecordKind::CompactHint,
    RecordKind::ContinueReclaim,
    // Reached only by reclaim for such an order in 5.10 to 6.12: see tests/huge_reclaim.rs.
    RecordKind::NodeAgain,
    // Reached only by a pool that runs short of blocks: see tests/hugetlb.rs.
    RecordKind::RepeatRetry,
    RecordKind::RepeatEnough,
    RecordKind::CompactTooFew,
    RecordKind::CompactLackOfMemory,
    RecordKind::CompactAborted,
    RecordKind::CompactFound,
    RecordKind::MigrateBlockSkipped,
    RecordKind::MigrateTooMany,
    RecordKind::TargetPassed,
    RecordKind::TargetTaken,
    RecordKind::MigrateNoTarget,
    RecordKind::MigrateLocked,
    RecordKind::MigrateWriteback,
    RecordKind::MigrateWaits,
    RecordKind::SwapNoIo,
    RecordKind::BdpPause,
    RecordKind::NoSlab,
    RecordKind::ZlcRescanUncached,
    RecordKind::ZrLocked,
    RecordKind::SigKill,
    RecordKind::WriteThrottled,
    RecordKind::FlushPassed,
    RecordKind::ZrOpenSlab,
    RecordKind::Mlocked,
    RecordKind::ZlcReconsider,
    RecordKind::DirtyForFlusherKept,
    RecordKind::MappedHuge,
    RecordKind::LadderImmediate,
    RecordKind::RefsActivate,
    RecordKind::GoalMet,
    RecordKind::NodeBalanced,
    RecordKind::CongestionSleep,
    RecordKind::FlushAsked,
    RecordKind::Boost,
    RecordKind::SlowNoWait,
    RecordKind::DirtyKept,
    RecordKind::PageoutCongested,
    RecordKind::NodeCongested,
    RecordKind::SlabScan,
    RecordKind::ThrottleSkip,
    RecordKind::Throttled,
    RecordKind::KickFlushers,
    RecordKind::ForceDeactivate,
    RecordKind::ZoneFine,
    RecordKind::ZoneFineKept,
    RecordKind::ZoneInNeedKept,
    RecordKind::OomWait,
    RecordKind::OomKill,
    RecordKind::ReclaimRetry,
    RecordKind::SwapCached,
    RecordKind::SwapIn,
    RecordKind::SwapAhead,
    RecordKind::SwapMapped,
    RecordKind::WakeKswapdOrder,
    RecordKind::ReclaimRetryPending,
    RecordKind::WakeWritten,
    RecordKind::WakeIsolated,
    RecordKind::WakeProgress,
    RecordKind::WaitEndedByWrite,
    RecordKind::WaitEndedByIsolation,
    RecordKind::WaitEndedByProgress,
    RecordKind::WaitEndedByQueue,
    // A test of its own reaches this: tests/compaction.rs.
    RecordKind::MigrateFreed,
];

#[test]
fn previously_failing_cases_pass() {
    for seed in CAUGHT {
        case(seed, &mut Seen::default());
    }
}

#[test]
fn random_machines_preserve_every_invariant() {
    if let Ok(seed) = std::env::var("MMSCOPE_FUZZ_SEED") {
        case(
            seed.parse().expect("a seed is a number"),
            &mut Seen::default(),
        );
        return;
    }
    let wanted = std::env::var("MMSCOPE_FUZZ_STEPS");
    let wanted = wanted.map_or(4_000_000, |n| n.parse().expect("a number of steps"));
    let from = std::env::var("MMSCOPE_FUZZ_FROM").map_or(0, |n| n.parse().expect("a seed"));
    let (mut steps, mut seed) = (0u64, from);
    let mut seen = Seen::default();
    while steps < wanted {
        steps += case(seed, &mut seen);
        seed += 1;
    }
    println!("{steps} steps checked in {} cases", seed - from);
    // A decision that no case reached is untested.
    let few = wanted < 40_000_000;
    let excused = |kind: &RecordKind| NEVER.contains(kind) || (few && RARE.contains(kind));
    let decisions = ALL.iter().filter(|kind| kind.is_decision());
    let unseen: Vec<&RecordKind> = decisions
        .filter(|kind| {
            let others = [ONLY_OF_TEAMS, OF_GENERATIONS, OF_CGROUPS];
            let elsewhere = others.iter().any(|kinds| kinds.contains(kind));
            !seen.decisions.contains(kind) && !excused(kind) && !elsewhere
        })
        .collect();
    assert!(
        wanted < 4_000_000 || unseen.is_empty(),
        "never happened: {unseen:#?}"
    );
    // Small machines hardly ever scan hundreds of pages in one batch; tests/batches.rs does.
    let longest = seen.longest_batch;
    assert!(
        wanted < 4_000_000 || longest > 64,
        "no batch was longer than {longest} pages"
    );
}

/// The same with the multi-generational LRU.
#[test]
fn random_generations_preserve_every_invariant() {
    let wanted = std::env::var("MMSCOPE_FUZZ_STEPS");
    let wanted = wanted.map_or(1_000_000, |n| n.parse().expect("a number of steps"));
    let from = std::env::var("MMSCOPE_FUZZ_FROM").map_or(0, |n| n.parse().expect("a seed"));
    let (mut steps, mut seed) = (0u64, GENERATIONS + from);
    let mut seen = Seen::default();
    while steps < wanted {
        steps += case(seed, &mut seen);
        seed += 1;
    }
    let cases = seed - GENERATIONS - from;
    println!("{steps} steps checked in {cases} cases with generations");
    let is_unseen =
        |kind: &&RecordKind| !seen.decisions.contains(kind) && !generations::RARE.contains(kind);
    let unseen: Vec<&RecordKind> = OF_GENERATIONS.iter().filter(is_unseen).collect();
    assert!(
        wanted < 1_000_000 || unseen.is_empty(),
        "never happened: {unseen:?}"
    );
}

/// The same with memory cgroups.
#[test]
fn random_cgroups_preserve_every_invariant() {
    let wanted = std::env::var("MMSCOPE_FUZZ_STEPS");
    let wanted = wanted.map_or(1_000_000, |n| n.parse().expect("a number of steps"));
    let from = std::env::var("MMSCOPE_FUZZ_FROM").map_or(0, |n| n.parse().expect("a seed"));
    let (mut steps, mut seed) = (0u64, CGROUPS + from);
    let mut seen = Seen::default();
    while steps < wanted {
        steps += case(seed, &mut seen);
        seed += 1;
    }
    let cases = seed - CGROUPS - from;
    println!("{steps} steps checked in {cases} cases with cgroups");
    let is_unseen =
        |kind: &&RecordKind| !seen.decisions.contains(kind) && !cgroups::RARE.contains(kind);
    let unseen: Vec<&RecordKind> = OF_CGROUPS.iter().filter(is_unseen).collect();
    assert!(
        wanted < 1_000_000 || unseen.is_empty(),
        "never happened: {unseen:?}"
    );
}

/// The same with the kernels added later.
#[test]
fn random_machines_of_later_kernels_preserve_every_invariant() {
    let (mut steps, mut seed) = (0u64, LATER);
    while steps < 500_000 {
        steps += case(seed, &mut Seen::default());
        seed += 1;
    }
}

/// Decisions of machines with threads, with memory that costs by node, or with NUMA balancing. Other
/// cases test those.
const ONLY_OF_TEAMS: &[RecordKind] = &[
    RecordKind::MigrateNodeFull,
    RecordKind::NumaFirstScan,
    RecordKind::NumaScanEarly,
    RecordKind::NumaFirstNode,
    RecordKind::NumaPeriodReset,
    RecordKind::NumaRateLimited,
    RecordKind::NumaScanClaimed,
    RecordKind::NumaMarkedTable,
    RecordKind::NumaMarked,
    RecordKind::NumaScanEnds,
    RecordKind::NumaScanWhole,
    RecordKind::NumaHint,
    RecordKind::NumaGone,
    RecordKind::NumaTable,
    RecordKind::NumaLocal,
    RecordKind::NumaPolicy,
    RecordKind::NumaFirstTouch,
    RecordKind::NumaSameTask,
    RecordKind::NumaSameNode,
    RecordKind::NumaUnset,
    RecordKind::NumaOtherNode,
    RecordKind::NumaFirstOfNode,
    RecordKind::NumaDeferred,
    RecordKind::NumaMoveByLoad,
    RecordKind::NumaTooUneven,
    RecordKind::NumaDirty,
    RecordKind::NumaRate,
    RecordKind::NumaNoRoom,
    RecordKind::NumaMappedMore,
    RecordKind::NumaNotListed,
    RecordKind::NumaMoved,
    RecordKind::NumaNotMoved,
    RecordKind::NumaSlower,
    RecordKind::NumaUnknown,
    RecordKind::NumaInterleaved,
    RecordKind::NumaNoMask,
    RecordKind::NumaPrivate,
    RecordKind::NumaPrivateOther,
    RecordKind::NumaBuddy,
    RecordKind::NumaCluster,
    RecordKind::NumaStrength,
    RecordKind::NumaSettling,
    RecordKind::NumaProposed,
    RecordKind::NumaFollowed,
    RecordKind::NumaGoes,
    RecordKind::NumaFlips,
    RecordKind::NumaCannotGo,
    RecordKind::NumaKind,
    RecordKind::SpreadNotSmallest,
    RecordKind::SpreadNoIdle,
    RecordKind::SpreadNoGain,
    RecordKind::SpreadGo,
    RecordKind::SpreadNoRoom,
    RecordKind::CompressFull,
    RecordKind::CompressHere,
    RecordKind::CompressNowhere,
    RecordKind::CompressTooLarge,
    RecordKind::CompressGo,
    RecordKind::OverloadNone,
    RecordKind::OverloadNowhere,
    RecordKind::OverloadGo,
    RecordKind::IntranodeStay,
    RecordKind::IntranodeGo,
    RecordKind::PrivateInside,
    RecordKind::PrivateNoRoom,
    RecordKind::PrivateGo,
    RecordKind::BuddiesStay,
    RecordKind::BuddiesGo,
    RecordKind::IdleStay,
    RecordKind::IdleGo,
    RecordKind::BalanceShared,
    RecordKind::BalanceConverged,
    RecordKind::BalanceBuddy,
    RecordKind::WokenConverged,
    RecordKind::NumaPreferred,
    RecordKind::NumaPeriodDoubled,
    RecordKind::NumaPeriod,
    RecordKind::BalanceNobody,
    RecordKind::BalanceHere,
    RecordKind::BalanceIdle,
    RecordKind::BalanceWithin,
    RecordKind::BalanceNoQueue,
    RecordKind::BalancePinned,
    RecordKind::BalanceTake,
    RecordKind::BalanceHot,
    RecordKind::BalanceBound,
    RecordKind::BalanceFailed,
    RecordKind::IdleTooShort,
    RecordKind::PushAsked,
    RecordKind::Pushed,
    RecordKind::TurnOver,
    RecordKind::WokenThere,
    RecordKind::WokenNear,
    RecordKind::ForkedAway,
    RecordKind::ForkedHere,
    RecordKind::AccessLocal,
    RecordKind::AccessRemote,
    RecordKind::MemoryBusy,
    RecordKind::DirectionBusy,
    RecordKind::LinkBusy,
    RecordKind::NumaJoin,
    RecordKind::NumaGroupPulls,
    RecordKind::NumaGroupSpreads,
    RecordKind::NumaGroupKeeps,
    RecordKind::NumaSearch,
    RecordKind::NumaMove,
    RecordKind::NumaSwap,
    RecordKind::NumaStick,
    RecordKind::AccessRun,
    RecordKind::AccessChanges,
    RecordKind::MutexSpin,
    RecordKind::MutexBeaten,
    RecordKind::MutexSleep,
    RecordKind::MutexSlept,
    RecordKind::MutexWake,
    RecordKind::AutoMarked,
    RecordKind::ScandProcess,
    RecordKind::ScandPassed,
    RecordKind::ScandRound,
    RecordKind::ScandNap,
    RecordKind::ScandPassEnds,
    RecordKind::ScandWaits,
    RecordKind::AutoShared,
    RecordKind::AutoFirst,
    RecordKind::AutoSharing,
    RecordKind::AutoPass,
    RecordKind::AutoCount,
    RecordKind::AutoNotReady,
    RecordKind::AutoPending,
    RecordKind::AutoHome,
    RecordKind::AutoNobody,
    RecordKind::AutoStay,
    RecordKind::AutoExchange,
    RecordKind::AutoAlone,
    RecordKind::BalancePlaced,
    RecordKind::WokenPlaced,
];

/// Decisions that a few million steps with threads always reach.
const OF_TEAMS: &[RecordKind] = &[
    RecordKind::GroupExit,
    RecordKind::BarrierWait,
    RecordKind::BarrierOpen,
    RecordKind::ThreadEnd,
    RecordKind::CpuMask,
    RecordKind::NumaScanClaimed,
    RecordKind::NumaScanWhole,
    RecordKind::BalanceNobody,
    RecordKind::BalanceTake,
    RecordKind::ForkedAway,
    RecordKind::WokenNear,
    RecordKind::TurnOver,
    RecordKind::AccessLocal,
    RecordKind::AccessRemote,
    RecordKind::MemoryBusy,
    RecordKind::NumaMarked,
    RecordKind::NumaHint,
    RecordKind::NumaFirstTouch,
    RecordKind::NumaLocal,
    RecordKind::AccessRun,
    RecordKind::AccessChanges,
];

/// The same with threads, which share memory, meet at barriers and are moved.
#[test]
fn random_threads_preserve_every_invariant() {
    let wanted = std::env::var("MMSCOPE_FUZZ_STEPS");
    let wanted = wanted.map_or(3_000_000, |n| n.parse().expect("a number of steps"));
    let from = std::env::var("MMSCOPE_FUZZ_FROM").map_or(0, |n| n.parse().expect("a seed"));
    let (mut steps, mut seed) = (0u64, TEAMS + from);
    let mut seen = Seen::default();
    while steps < wanted {
        steps += case(seed, &mut seen);
        seed += 1;
    }
    println!(
        "{steps} steps checked in {} cases with threads",
        seed - TEAMS - from
    );
    let unseen: Vec<&RecordKind> = OF_TEAMS
        .iter()
        .filter(|kind| !seen.decisions.contains(kind))
        .collect();
    assert!(unseen.is_empty(), "never happened: {unseen:?}");
}

/// The same with the balancing of 3.8 and 3.13, and threads that go from node to node. In 3.8 pages
/// follow after two faults from one node.
#[test]
fn random_threads_of_3_8_move_pages_only_to_the_node_that_faulted_twice() {
    let wanted = std::env::var("MMSCOPE_FUZZ_STEPS");
    let wanted = wanted.map_or(1_000_000, |n| n.parse().expect("a number of steps"));
    let (mut steps, mut seed) = (0u64, MOVERS);
    let mut seen = Seen::default();
    while steps < wanted {
        steps += case(seed, &mut seen);
        seed += 1;
    }
    let moves = seen.judged;
    println!(
        "{steps} steps checked in {} cases of 3.8 and 3.13; {moves} moves of 3.8",
        seed - MOVERS
    );
    assert!(moves > 0, "no page moved");
}

/// Decisions that a few million steps of numa/core always reach.
const OF_CORES: &[RecordKind] = &[
    RecordKind::NumaUnknown,
    RecordKind::NumaInterleaved,
    RecordKind::NumaBuddy,
    RecordKind::NumaCluster,
    RecordKind::NumaSettling,
    RecordKind::NumaKind,
];

/// The same with numa/core v17 and v18, on two nodes or more.
#[test]
fn random_threads_of_numa_core_preserve_every_invariant() {
    let wanted = std::env::var("MMSCOPE_FUZZ_STEPS");
    let wanted = wanted.map_or(6_000_000, |n| n.parse().expect("a number of steps"));
    let (mut steps, mut seed) = (0u64, CORES);
    let mut seen = Seen::default();
    while steps < wanted {
        steps += case(seed, &mut seen);
        seed += 1;
    }
    println!(
        "{steps} steps checked in {} cases of numa/core",
        seed - CORES
    );
    let is_unseen = |kind: &&RecordKind| !seen.decisions.contains(kind);
    let unseen: Vec<&RecordKind> = OF_CORES.iter().filter(is_unseen).collect();
    assert!(unseen.is_empty(), "never happened: {unseen:?}");
}

/// Decisions that a few million steps of AutoNUMA always reach.
const OF_AUTOS: &[RecordKind] = &[
    RecordKind::AutoMarked,
    RecordKind::ScandProcess,
    RecordKind::ScandPassEnds,
    RecordKind::ScandWaits,
    RecordKind::AutoFirst,
    RecordKind::AutoPass,
    RecordKind::AutoCount,
];

/// The same with AutoNUMA.
#[test]
fn random_threads_of_autonuma_preserve_every_invariant() {
    let wanted = std::env::var("MMSCOPE_FUZZ_STEPS");
    let wanted = wanted.map_or(4_000_000, |n| n.parse().expect("a number of steps"));
    let (mut steps, mut seed) = (0u64, AUTOS);
    let mut seen = Seen::default();
    while steps < wanted {
        steps += case(seed, &mut seen);
        seed += 1;
    }
    println!(
        "{steps} steps checked in {} cases of AutoNUMA",
        seed - AUTOS
    );
    let is_unseen = |kind: &&RecordKind| !seen.decisions.contains(kind);
    let unseen: Vec<&RecordKind> = OF_AUTOS.iter().filter(is_unseen).collect();
    assert!(unseen.is_empty(), "never happened: {unseen:?}");
}
