//! Random machines, kernels, workloads, tunables and interventions: every invariant holds against a
//! recount, stepping equals running, and going back and forth leads to the same machine. `properties.rs` lists
//! what else must be true of the parts, steps and records of a run.
//!
//! `MMSCOPE_FUZZ_STEPS` sets the total number of steps checked (default 4,000,000).
//! `MMSCOPE_FUZZ_FROM` is the first case (default 0). `MMSCOPE_FUZZ_SEED` runs only one case.

#[path = "fuzz/case.rs"]
mod case;
#[path = "fuzz/cases.rs"]
pub mod cases;
#[path = "fuzz/cgroups.rs"]
mod cgroups;
#[path = "fuzz/charged.rs"]
mod charged;
#[path = "fuzz/decisions.rs"]
mod decisions;
#[path = "fuzz/faulted.rs"]
pub mod faulted;
#[path = "fuzz/generations.rs"]
mod generations;
#[path = "fuzz/kernels.rs"]
mod kernels;
#[path = "fuzz/periods.rs"]
mod periods;
#[path = "fuzz/planted.rs"]
mod planted;
#[path = "fuzz/programs.rs"]
mod programs;
#[path = "fuzz/properties.rs"]
mod properties;
#[path = "fuzz/records.rs"]
mod records;
#[path = "fuzz/slices.rs"]
mod slices;
#[path = "fuzz/steps.rs"]
mod steps;
#[path = "fuzz/teams.rs"]
mod teams;

use mm::record::{ALL, RecordKind};

use case::{Seen, case};
use cases::{AUTOS, CAUGHT, CORES, GENERATIONS, LATER, MOVERS, TEAMS};
use cgroups::{CGROUPS, OF_CGROUPS};
use decisions::{NEVER, OF_AUTOS, OF_CORES, OF_TEAMS, ONLY_OF_TEAMS, RARE};
use generations::OF_GENERATIONS;

/// What a series of cases reached.
struct Series {
    seen: Seen,
    /// The number of steps that were to be checked.
    wanted: u64,
}

impl Series {
    /// Runs cases from this one on, until so many steps are checked or as many as the environment says.
    fn run(first: u64, name: &str, steps: u64) -> Self {
        let wanted = std::env::var("MMSCOPE_FUZZ_STEPS");
        let wanted = wanted.map_or(steps, |n| n.parse().expect("a number of steps"));
        let from = std::env::var("MMSCOPE_FUZZ_FROM").map_or(0, |n| n.parse().expect("a seed"));
        let (mut steps, mut seed) = (0u64, first + from);
        let mut seen = Seen::default();
        while steps < wanted {
            steps += case(seed, &mut seen);
            seed += 1;
        }
        let cases = seed - first - from;
        println!(
            "{steps} steps checked in {cases} cases {name}: {:?}",
            seen.judged
        );
        Self { seen, wanted }
    }

    /// Fails if none of the cases reached a decision. A decision that no case reached is untested.
    fn demand(&self, decisions: &[RecordKind], excused: impl Fn(&RecordKind) -> bool) {
        let is_unseen = |kind: &&RecordKind| !self.seen.decisions.contains(kind) && !excused(kind);
        let unseen: Vec<&RecordKind> = decisions.iter().filter(is_unseen).collect();
        assert!(unseen.is_empty(), "never happened: {unseen:#?}");
    }
}

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
    let series = Series::run(0, "of all kernels", 4_000_000);
    if series.wanted < 4_000_000 {
        return;
    }
    let few = series.wanted < 40_000_000;
    let others = [ONLY_OF_TEAMS, OF_GENERATIONS, OF_CGROUPS];
    series.demand(ALL, |kind| {
        let elsewhere = others.iter().any(|kinds| kinds.contains(kind));
        !kind.is_decision() || NEVER.contains(kind) || (few && RARE.contains(kind)) || elsewhere
    });
    // Small machines hardly ever scan hundreds of pages in one batch; tests/batches.rs does.
    let longest = series.seen.longest_batch;
    assert!(longest > 64, "no batch was longer than {longest} pages");
}

/// The same with the multi-generational LRU.
#[test]
fn random_generations_preserve_every_invariant() {
    let series = Series::run(GENERATIONS, "with generations", 1_000_000);
    if series.wanted >= 1_000_000 {
        series.demand(OF_GENERATIONS, |kind| generations::RARE.contains(kind));
        let steps = series.seen.judged.steps;
        assert!(
            steps.opened > 0 && steps.rotated > 0 && steps.unwritten > 0,
            "{steps:?}"
        );
    }
}

/// The same with memory cgroups.
#[test]
fn random_cgroups_preserve_every_invariant() {
    let series = Series::run(CGROUPS, "with cgroups", 1_000_000);
    if series.wanted >= 1_000_000 {
        series.demand(OF_CGROUPS, |kind| cgroups::RARE.contains(kind));
        let judged = series.seen.judged;
        let steps = judged.steps;
        assert!(
            steps.visits > 0 && steps.killer > 0 && judged.charged > 0,
            "{judged:?}"
        );
    }
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

/// The same with threads, which share memory, meet at barriers and are moved.
#[test]
fn random_threads_preserve_every_invariant() {
    Series::run(TEAMS, "with threads", 3_000_000).demand(OF_TEAMS, |_| false);
}

/// The same with the balancing of 3.8 and 3.13, and threads that go from node to node. In 3.8 pages
/// follow after two faults from one node.
#[test]
fn random_threads_of_3_8_move_pages_only_to_the_node_that_faulted_twice() {
    let series = Series::run(MOVERS, "of 3.8 and 3.13", 1_000_000);
    assert!(series.seen.judged.moves > 0, "no page moved");
}

/// The same with numa/core v17 and v18, on two nodes or more.
#[test]
fn random_threads_of_numa_core_preserve_every_invariant() {
    Series::run(CORES, "of numa/core", 6_000_000).demand(OF_CORES, |_| false);
}

/// The same with AutoNUMA.
#[test]
fn random_threads_of_autonuma_preserve_every_invariant() {
    Series::run(AUTOS, "of AutoNUMA", 4_000_000).demand(OF_AUTOS, |_| false);
}
