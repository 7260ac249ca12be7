use facts::costs::{ABOUT, Costs};

use super::{Visits, costs};
use crate::experiment::{Experiment, Raw, preset};
use crate::frames::{FunctionId, NAMES};
use crate::machine::Machine;
use crate::plan::Plan;
use crate::session::Session;

/// Runs of different mechanisms, with their steps: faults, OOM, the page cache, swap, writeback and
/// compaction.
const RUNS: [(&str, Option<&str>, u64); 8] = [
    ("first-touch.teach", None, 60_000),
    ("first-touch.ppc64.teach", None, 60_000),
    ("run-out.teach", None, 60_000),
    ("streaming-reader.teach", None, 150_000),
    ("anon-hog.teach", None, 1_000_000),
    ("dirty-writer.teach", None, 150_000),
    ("stress-highalloc.teach", Some("2.6.38"), 3_000_000),
    ("tiobench.teach", None, 150_000),
];

fn experiment(id: &str, kernel: Option<&str>) -> Experiment {
    let mut raw: Raw = preset(id).expect("a preset");
    if let Some(kernel) = kernel {
        raw.kernel = kernel.to_string();
    }
    Experiment::new(raw).expect("valid")
}

fn ran(experiment: &Experiment, cost: Costs, steps: u64) -> Machine {
    let mut machine = Machine::start(&Plan::with_costs(experiment, cost));
    machine.run(steps, u64::MAX);
    machine
}

#[test]
fn a_cost_that_is_not_listed_does_not_change_the_run() {
    let mut listed = vec![0; ABOUT.len()];
    for (id, kernel, steps) in RUNS {
        let experiment = experiment(id, kernel);
        let own = *Costs::of(experiment.machine.costs);
        let machine = ran(&experiment, own, steps);
        let used = costs(&machine.w.visits, &machine.w.facts);
        for (place, ns) in own.all().into_iter().enumerate() {
            if used.contains(&place) {
                listed[place] += 1;
                continue;
            }
            let other = ran(&experiment, own.with(place, 2 * ns + 777), steps);
            let name = ABOUT[place].0;
            assert_eq!(machine.hash(), other.hash(), "{id}: {name} is used");
        }
    }
    // In runs of these machines NUMA balancing begins too late to repeat the run for each cost.
    let balanced = experiment("numa02.teach", Some("autonuma-28"));
    let machine = ran(&balanced, *Costs::of(balanced.machine.costs), 40_000_000);
    for place in costs(&machine.w.visits, &machine.w.facts) {
        listed[place] += 1;
    }
    // No run here uses these costs.
    let rare = ["copy_64k", "copy_2m", "tlb_remote_first", "tlb_remote_more"];
    for ((name, _), times) in ABOUT.iter().zip(listed) {
        assert!(times > 0 || rare.contains(name), "no run uses {name}");
    }
}

#[test]
fn a_cost_that_is_always_listed_changes_the_run() {
    let experiment = experiment("first-touch.teach", None);
    let own = *Costs::of(experiment.machine.costs);
    let machine = ran(&experiment, own, 60_000);
    let place = ABOUT.iter().position(|(name, _)| *name == "zone_walk");
    let place = place.expect("a cost");
    assert!(costs(&machine.w.visits, &machine.w.facts).contains(&place));
    let other = ran(&experiment, own.with(place, 999), 60_000);
    assert_ne!(machine.hash(), other.hash());
}

#[test]
fn call_counts_do_not_depend_on_how_the_run_reached_a_step() {
    let experiment = experiment("first-touch.teach", None);
    let mut straight = Machine::boot(&experiment);
    straight.run(50_000, u64::MAX);
    let mut sliced = Machine::boot(&experiment);
    for step in (0..=50_000).step_by(7) {
        sliced.run(step, u64::MAX);
    }
    sliced.run(50_000, u64::MAX);
    assert_eq!(straight.w.visits, sliced.w.visits);
    let mut session = Session::open(&experiment, 64 << 20);
    session.run(150_000, u64::MAX, u64::MAX);
    assert_ne!(session.machine().w.visits, straight.w.visits);
    let mut progress = session.seek(50_000, 20_000);
    while !progress.done {
        progress = session.more(20_000);
    }
    assert_eq!(session.machine().w.visits, straight.w.visits);
}

#[test]
fn every_function_on_a_stack_is_counted_as_called() {
    let machine = {
        let mut machine = Machine::boot(&experiment("anon-hog.teach", None));
        machine.run(200_000, u64::MAX);
        machine
    };
    let called: Vec<usize> = machine.w.visits.called().map(|(f, _)| f).collect();
    for task in &machine.tasks {
        for frame in task.stack.iter() {
            let function = frame.function() as usize;
            assert!(called.contains(&function), "{} runs", NAMES[function]);
        }
    }
    assert!(called.contains(&(FunctionId::ShrinkInactiveList as usize)));
    assert_eq!(Visits::default().called().count(), 0);
}
