//! The records of a run: the function in which each was made, which task woke which, the outcome of
//! a batch.

use mm::experiment::Experiment;
use mm::frames::FUNCTIONS;
use mm::index::TaskIndex;
use mm::machine::{Machine, SchedWaking, TaskStatus};
use mm::record::{Declared, NO_FUNCTION, Outcome, Record, RecordKind};
use mm::vmscan::inactive::{BatchDone, MmVmscanLruShrinkInactive};

fn boot(id: &str) -> Machine {
    let mut m = Machine::boot(&Experiment::preset(id).expect("a preset"));
    m.w.rec.on = true;
    m
}

/// Calls `each` with the machine before and after every step, and with its records.
fn step_by_step(id: &str, steps: u64, mut each: impl FnMut(&Machine, &[TaskStatus], &[Record])) {
    let mut m = boot(id);
    m.w.rec.on = false;
    m.run(60_000, u64::MAX);
    m.w.rec.on = true;
    while m.w.run.steps() < 60_000 + steps && !m.w.sched.ended {
        let before: Vec<TaskStatus> = m.tasks.iter().map(|t| t.status).collect();
        m.run(m.w.run.steps() + 1, u64::MAX);
        let records: Vec<Record> = m.w.rec.records.drain(..).collect();
        each(&m, &before, &records);
    }
}

/// The function that runs next: the last one on the stack before a step.
fn running(m: &Machine) -> u8 {
    let stack = &m.tasks[m.w.task].stack;
    stack.last().map_or(NO_FUNCTION, |f| f.function() as u8)
}

#[test]
fn a_record_names_the_function_that_ran() {
    for id in [
        "first-touch.teach",
        "streaming-reader.teach",
        "anon-hog.teach",
    ] {
        let mut m = boot(id);
        let mut seen = std::collections::BTreeSet::new();
        while m.w.run.steps() < 150_000 && !m.w.sched.ended {
            let function = running(&m);
            m.run(m.w.run.steps() + 1, u64::MAX);
            for record in std::mem::take(&mut m.w.rec.records) {
                assert_eq!(record.function, function, "{id}: {record:?}");
                seen.insert(function);
            }
        }
        assert!(seen.len() > 12, "{id}: {seen:?}");
        assert!(seen.iter().all(|&f| usize::from(f) < FUNCTIONS.len()));
    }
}

/// A continuous run records the same as single steps: no record has the function of another frame.
#[test]
fn stepping_and_running_record_the_same() {
    let (mut stepped, mut run) = (boot("anon-hog.teach"), boot("anon-hog.teach"));
    let (mut by_step, mut at_once) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        run.run(run.w.run.steps() + 1000, u64::MAX);
        while stepped.w.run.steps() < run.w.run.steps() {
            stepped.run(stepped.w.run.steps() + 1, u64::MAX);
        }
        at_once.extend(run.w.rec.records.drain(..));
        by_step.extend(stepped.w.rec.records.drain(..));
    }
    assert!(at_once.len() > 10_000);
    assert!(at_once == by_step);
}

#[test]
fn every_wakeup_has_a_record_with_waker_and_woken_task() {
    let mut wakeups = 0;
    step_by_step("streaming-reader.teach", 60_000, |m, before, records| {
        let waking = records.iter().filter_map(|r| {
            let waking = SchedWaking::of(r)?;
            assert_eq!(waking.waker, r.task, "the waker is the task that ran");
            let was = before[waking.task.index()];
            assert!(matches!(was, TaskStatus::Waiting | TaskStatus::Sleeping));
            Some(waking.task)
        });
        let mut woken: Vec<TaskIndex> = waking.collect();
        wakeups += woken.len();
        // A task that waits for another is woken only by a wakeup that is recorded.
        for (&was, (id, task)) in before.iter().zip(m.tasks.entries()) {
            let is = task.status;
            if was == TaskStatus::Waiting && is != TaskStatus::Waiting {
                let at = woken.iter().position(|&w| w == id);
                woken
                    .swap_remove(at.unwrap_or_else(|| panic!("no record says who woke task {id}")));
            }
        }
    });
    assert!(wakeups > 50, "{wakeups}");
}

#[test]
fn the_outcomes_of_a_batch_equal_the_counts() {
    let mut m = boot("dirty-writer.teach");
    let mut batches = 0;
    while m.w.run.steps() < 1_500_000 && !m.w.sched.ended && batches < 400 {
        m.run(m.w.run.steps() + 1000, u64::MAX);
        let shrunk: Vec<MmVmscanLruShrinkInactive> =
            m.w.rec.all().map(|(_, shrunk)| shrunk).collect();
        let done = m.w.rec.all::<BatchDone>();
        for (record, batch) in done {
            let of = |outcome| batch.pages.iter().filter(|page| page.1 == outcome).count() as i64;
            assert_eq!(batch.pages.len() as i64, batch.taken, "{record:?}");
            assert_eq!(of(Outcome::Freed), batch.freed, "{record:?}");
            assert_eq!(batch.taken - batch.freed, batch.put_back, "{record:?}");
            batches += 1;
        }
        assert!(shrunk.iter().all(|s| s.nr_reclaimed <= s.nr_scanned));
        let many = |kind| m.w.rec.records.iter().filter(|r| r.kind == kind).count();
        assert!(
            many(RecordKind::MmVmscanLruShrinkInactive).abs_diff(many(RecordKind::BatchDone)) <= 1
        );
        m.w.rec.records.clear();
    }
    assert!(batches > 100, "{batches}");
}
