//! Going back in the middle of reclaim, while kswapd and a request both hold pages and a device is busy.
//! Every route back reaches the same machine.

use mm::experiment::Experiment;
use mm::index::TaskIndex;
use mm::machine::Machine;
use mm::session::{How, Progress, Session};
use mm::view::View;

const BUDGET: usize = 64 << 20;
/// Steps within which each scenario reaches the moment that the test needs.
const LIMIT: u64 = 1_000_000;

fn experiment(id: &str) -> Experiment {
    Experiment::preset(id).expect("a preset")
}

fn finish(session: &mut Session, mut progress: Progress) {
    while !progress.done {
        progress = session.more(10_000);
    }
}

fn fresh(id: &str, step: u64) -> u64 {
    let mut m = Machine::boot(&experiment(id));
    m.run(step, u64::MAX);
    m.hash()
}

/// The first step at which `is_there` holds, within the interval in which `is_near` became true.
fn moment(id: &str, is_near: impl Fn(&Machine) -> bool, is_there: impl Fn(&View) -> bool) -> u64 {
    const STRETCH: u64 = 256;
    let mut m = Machine::boot(&experiment(id));
    while !is_near(&m) {
        assert!(
            m.w.run.steps() < LIMIT && !m.w.sched.ended,
            "{id}: no such moment"
        );
        m.run(m.w.run.steps() + STRETCH, u64::MAX);
    }
    while !is_there(&picture::view(&m, None)) {
        assert!(
            m.w.run.steps() < LIMIT && !m.w.sched.ended,
            "{id}: no such moment"
        );
        m.run(m.w.run.steps() + 1, u64::MAX);
    }
    m.w.run.steps()
}

/// Whether a request holds pages that it took from a list.
fn holds_directly(view: &View) -> bool {
    let direct = |task| view.reclaimers.iter().any(|r| !r.kswapd && r.task == task);
    let mut batches = view.batches.iter();
    batches.any(|batch| direct(batch.task) && !batch.pages.is_empty())
}

/// Whether kswapd holds pages that it took from a list.
fn holds_as_kswapd(view: &View) -> bool {
    let kswapd = |task| view.reclaimers.iter().any(|r| r.kswapd && r.task == task);
    let mut batches = view.batches.iter();
    batches.any(|batch| kswapd(batch.task) && !batch.pages.is_empty())
}

/// The scenarios, each with a step in the middle of reclaim.
fn storms() -> Vec<(&'static str, u64)> {
    let direct = |m: &Machine| m.w.counters.pgscan_direct > 0;
    let kswapd = |m: &Machine| m.w.counters.pgscan_kswapd > 0;
    vec![
        (
            "anon-hog.teach",
            moment("anon-hog.teach", direct, holds_directly),
        ),
        (
            "anon-hog.teach",
            moment("anon-hog.teach", kswapd, holds_as_kswapd),
        ),
        (
            "dirty-writer.teach",
            moment("dirty-writer.teach", kswapd, holds_as_kswapd),
        ),
        (
            "streaming-reader.teach",
            moment("streaming-reader.teach", kswapd, holds_as_kswapd),
        ),
    ]
}

#[test]
fn every_route_back_from_a_reclaim_storm_reaches_the_same_state() {
    for (id, here) in storms() {
        let mut s = Session::open(&experiment(id), BUDGET);
        s.run(u64::MAX, here, u64::MAX);
        while !s.settle(20_000) {}
        assert_eq!(
            (s.machine().w.run.steps(), s.machine().hash()),
            (here, fresh(id, here)),
            "{id}"
        );
        for target in [
            here - 1,
            here - 33,
            here - 2_000,
            here,
            here - 40_000,
            here - 1,
        ] {
            let p = s.seek(target, 7_000);
            finish(&mut s, p);
            assert_eq!(s.machine().w.run.steps(), target);
            assert_eq!(s.machine().hash(), fresh(id, target), "{id} at {target}");
        }
    }
}

#[test]
fn single_steps_back_undo_a_batch_one_step_at_a_time() {
    for (id, here) in storms() {
        let mut s = Session::open(&experiment(id), BUDGET);
        s.run(u64::MAX, here, u64::MAX);
        while !s.settle(20_000) {}
        let mut seen = vec![s.machine().hash()];
        for _ in 0..40 {
            let p = s.step_forward(How::Any, TaskIndex::new(0), 1_000);
            finish(&mut s, p);
            seen.push(s.machine().hash());
        }
        while let Some(hash) = seen.pop() {
            assert_eq!(
                s.machine().hash(),
                hash,
                "{id} at {}",
                s.machine().w.run.steps()
            );
            if !seen.is_empty() {
                let p = s.step_back(None, false, 3_000);
                finish(&mut s, p);
            }
        }
        assert_eq!(s.machine().w.run.steps(), here);
    }
}

/// A run that is cancelled anywhere stops at a valid step, from which everything works.
#[test]
fn a_cancelled_run_stops_at_a_step_and_can_step_back() {
    let id = "anon-hog.teach";
    let mut s = Session::open(&experiment(id), BUDGET);
    for _ in 0..13 {
        s.run(9_973, u64::MAX, u64::MAX);
    }
    s.cancel();
    while !s.settle(5_000) {}
    let here = s.machine().w.run.steps();
    assert_eq!(s.machine().hash(), fresh(id, here));
    let p = s.step_back(None, false, 1_000);
    finish(&mut s, p);
    assert_eq!(s.machine().w.run.steps(), here - 1);
    assert_eq!(s.machine().hash(), fresh(id, here - 1));
    s.run(u64::MAX, here + 5_000, u64::MAX);
    assert_eq!(s.machine().hash(), fresh(id, here + 5_000));
}

/// After settling was interrupted by another request, the session does not return to where settling began.
#[test]
fn an_interrupted_settling_does_not_resume_after_a_seek() {
    let id = "anon-hog.teach";
    let mut s = Session::open(&experiment(id), BUDGET);
    s.run(120_000, u64::MAX, u64::MAX);
    assert!(!s.settle(100), "so few steps do not settle it");
    let p = s.seek(70_000, 7_000);
    finish(&mut s, p);
    while !s.settle(20_000) {}
    assert_eq!(s.machine().w.run.steps(), 70_000);
    assert_eq!(s.machine().hash(), fresh(id, 70_000));
}

/// While a hog has swap, kswapd always finds pages to free, so it never counts enough failures to give up.
#[test]
fn kswapd_does_not_give_up_while_a_hog_has_swap() {
    let mut m = Machine::boot(&experiment("anon-hog.teach"));
    while m.w.run.steps() < 250_000 {
        m.run(m.w.run.steps() + 100, u64::MAX);
        for (node, pgdat) in m.w.pgdat.iter().enumerate() {
            assert!(
                pgdat.kswapd_failures < 4,
                "node {node} at step {}",
                m.w.run.steps()
            );
        }
    }
    assert!(m.w.counters.pgscan_kswapd > 1_000);
}
