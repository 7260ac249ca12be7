//! Stepping equals running, and two runs of one experiment are equal.

use mm::experiment::{Experiment, presets};
use mm::machine::Machine;

fn boot(id: &str) -> Machine {
    Machine::boot(&Experiment::preset(id).expect("a preset"))
}

fn teaching() -> Vec<String> {
    presets()
        .into_iter()
        .map(|e| e.id)
        .filter(|id| id.ends_with("teach"))
        .collect()
}

#[test]
fn every_preset_is_valid() {
    for raw in presets() {
        if let Err(refusals) = Experiment::new(raw.clone()) {
            panic!("{}: {refusals:?}", raw.id);
        }
    }
}

/// Stops after slices of many lengths must not change the machine. All state is compared, including
/// the variables of call frames.
#[test]
fn stepping_equals_running_with_several_slice_lengths() {
    for id in teaching() {
        let mut run = boot(&id);
        run.run(200_000, u64::MAX);
        for slice in [1, 2, 3, 7, 31, 1000] {
            let mut stepped = boot(&id);
            while stepped.w.run.steps() < run.w.run.steps() {
                let next = (stepped.w.run.steps() + slice).min(run.w.run.steps());
                stepped.run(next, u64::MAX);
            }
            assert!(stepped == run, "{id} in slices of {slice}");
            assert_eq!(stepped.hash(), run.hash());
        }
    }
}

#[test]
fn recording_does_not_change_the_machine() {
    for id in teaching() {
        let (mut plain, mut recorded) = (boot(&id), boot(&id));
        recorded.w.rec.on = true;
        plain.run(100_000, u64::MAX);
        recorded.run(100_000, u64::MAX);
        assert_eq!(plain.hash(), recorded.hash(), "{id}");
        assert!(!recorded.w.rec.records.is_empty());
    }
}

/// A run that stops at a time stops at the same step, however it is stepped.
#[test]
fn stepping_and_running_reach_a_time_at_the_same_step() {
    let mut run = boot("first-touch.teach");
    run.run(u64::MAX, 700_000);
    let mut stepped = boot("first-touch.teach");
    let mut last = u64::MAX;
    while last != stepped.w.run.steps() {
        last = stepped.w.run.steps();
        stepped.run(last + 1, 700_000);
    }
    assert_eq!(stepped.position(), run.position());
    assert!(stepped == run);
}
