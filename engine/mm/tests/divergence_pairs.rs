//! Where two runs diverge, for 200 random pairs: the result equals a comparison of the logs of both
//! whole runs.

use std::collections::BTreeMap;

use mm::divergence::{DivergenceSearch, ProgramPoint, next};
use mm::experiment::{Experiment, Raw};
use mm::kernel::kernels;
use mm::machine::Machine;
use mm::rng::Rng;
use mm::view::{DivergenceOutcome, Position};

use crate::fuzz::cases::{self, LATER, TEAMS, pick, size};

/// Number of pairs compared.
const PAIRS: u64 = 200;
/// Number of points of each run that are compared.
const POINTS: u64 = 60_000;

/// The log of a run: the position of the machine and its next point, before each point.
type Points = Vec<(Position, Option<ProgramPoint>)>;

/// The log of a run, recorded from its start.
fn points(experiment: &Experiment) -> Points {
    let mut m = Machine::boot(experiment);
    let mut log = vec![(m.position(), next(&m))];
    while (log.len() as u64) <= POINTS && !m.position().ended {
        m.run(m.position().step + 1, u64::MAX);
        log.push((m.position(), next(&m)));
    }
    log
}

/// The same experiment with one change: another kernel, seed, tunable or patch, or none.
fn changed(raw: &Raw, rng: &mut Rng) -> Option<Experiment> {
    let mut raw = raw.clone();
    match rng.below(8) {
        0 => {}
        1 => raw.seed += 1 + u64::from(rng.below(100)),
        2 | 3 => {
            let kib = size(rng, 64, 65_536);
            raw.tunables
                .insert("vm.min_free_kbytes".to_string(), kib.to_string());
        }
        4 => {
            let swappiness = rng.below(101);
            raw.tunables
                .insert("vm.swappiness".to_string(), swappiness.to_string());
        }
        _ => {
            raw.patches.clear();
            raw.kernel = pick(rng, kernels()).id.to_string();
        }
    }
    Experiment::new(raw).ok()
}

/// A random pair: two experiments that differ in one thing, or do not differ.
fn pair(seed: u64) -> [Experiment; 2] {
    let mut rng = Rng::stream(seed, 77);
    for attempt in 0.. {
        let from = *pick(&mut rng, &[0, 0, LATER, TEAMS]);
        let first = cases::experiment(from + seed + 1000 * attempt);
        if let Some(second) = changed(&first.raw, &mut rng) {
            return [first, second];
        }
    }
    unreachable!("some change is accepted")
}

#[test]
fn the_divergence_of_200_random_pairs_equals_that_of_their_logs() {
    let mut found = BTreeMap::new();
    for seed in 0..PAIRS {
        let [first, second] = pair(seed);
        let logs = [points(&first), points(&second)];
        let same = logs[0].iter().zip(&logs[1]).take_while(|(a, b)| a == b);
        let step = same.count();

        let mut search = DivergenceSearch::of([&first, &second]);
        let mut rng = Rng::stream(seed, 78);
        loop {
            let done = search.machines()[0].position().step;
            let slice = u64::from(size(&mut rng, 1, 15_000)).min(POINTS - done);
            if search.more(slice) != DivergenceOutcome::Equal || done + slice == POINTS {
                break;
            }
        }
        let outcome = search.outcome();
        *found.entry(format!("{outcome:?}")).or_insert(0) += 1;
        let at = search.machines()[0].position().step as usize;
        if outcome == DivergenceOutcome::Diverged {
            let here = search.machines().each_ref();
            let here = here.map(|m| (m.position(), next(m)));
            assert_eq!(
                at, step,
                "pair {seed}: {} {}",
                first.raw.kernel, second.raw.kernel
            );
            assert_eq!(here, [logs[0][at], logs[1][at]], "pair {seed}");
            let last = at.checked_sub(1).and_then(|before| logs[0][before].1);
            assert_eq!(search.last(), last, "pair {seed}");
        } else {
            assert_eq!(logs[0], logs[1], "pair {seed}");
            assert_eq!(at + 1, step, "pair {seed}");
            assert_eq!(
                logs[0][at].0.ended,
                outcome == DivergenceOutcome::Ended,
                "pair {seed}"
            );
        }
    }
    // Enough pairs of each outcome: they diverge, do not diverge within these points, or end.
    assert!(found["Diverged"] >= 80, "{found:?}");
    assert!(found["Equal"] >= 40 && found["Ended"] >= 10, "{found:?}");
}
