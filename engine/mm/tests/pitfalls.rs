//! Mistakes that an engine of this kind is known to make, with a test for each.

use facts::index::FrameIndex;
use mm::check::check;
use mm::experiment::{Experiment, presets};
use mm::frames::{FUNCTIONS, Kind};
use mm::index::ListIndex;
use mm::list::Lists;
use mm::machine::{Machine, TaskStatus};
use mm::mmzone::Page;

fn teaching() -> impl Iterator<Item = Machine> {
    let presets = presets().into_iter().filter(|e| e.id.ends_with("teach"));
    presets.map(|e| Machine::boot(&Experiment::new(e).expect("valid")))
}

/// A step of one task does not change the return slot of any other task.
#[test]
fn a_step_changes_only_the_return_slot_of_its_own_task() {
    for mut m in teaching() {
        for _ in 0..20_000 {
            let slots: Vec<u32> = m.tasks.iter().map(|t| t.cx.ret).collect();
            let ran = m.w.task;
            m.run(m.w.run.steps() + 1, u64::MAX);
            for ((i, task), &was) in m.tasks.entries().zip(&slots) {
                assert!(
                    i == ran || task.cx.ret == was,
                    "task {ran} wrote to the slot of task {i}"
                );
            }
        }
    }
}

/// A CPU switches tasks only after points declared to allow it, or at a sleep or an exit.
#[test]
fn the_scheduler_switches_tasks_only_at_yield_points() {
    for mut m in teaching() {
        for _ in 0..20_000 {
            let ran = m.w.task;
            let top = m.tasks[ran].stack.last().expect("a frame").clone();
            let kind = FUNCTIONS[top.function() as usize].lines[top.line() as usize].kind;
            m.run(m.w.run.steps() + 1, u64::MAX);
            let left = m.tasks[ran].status != TaskStatus::Runnable;
            if m.w.task != ran && !left {
                assert_ne!(kind, Kind::Hold, "{:?} yielded the CPU", top.function());
            }
            if m.w.sched.ended {
                break;
            }
        }
    }
}

/// A page checked under a lock is still there when it is taken. No other task runs from one Hold
/// point to the next, so the zone stays as the task left it.
#[test]
fn no_other_task_runs_between_check_and_take() {
    for mut m in teaching() {
        for _ in 0..20_000 {
            let ran = m.w.task;
            let top = m.tasks[ran].stack.last().expect("a frame").clone();
            let kind = FUNCTIONS[top.function() as usize].lines[top.line() as usize].kind;
            m.run(m.w.run.steps() + 1, u64::MAX);
            let awake = m.tasks[ran].status == TaskStatus::Runnable;
            if kind == Kind::Hold && awake && !m.w.sched.ended {
                assert_eq!(m.w.task, ran, "preempted after {:?}", top.function());
            }
        }
    }
}

/// Every step counts once, and a run to n stops exactly at n.
#[test]
fn steps_are_counted_exactly() {
    for mut m in teaching() {
        let mut rng = mm::rng::Rng::stream(9, 9);
        while m.w.run.steps() < 50_000 && !m.w.sched.ended {
            let to = m.w.run.steps() + 1 + u64::from(rng.below(97));
            m.run(to, u64::MAX);
            assert!(m.w.run.steps() == to || m.w.sched.ended);
        }
        let at = m.w.run.steps();
        m.run(at, u64::MAX);
        assert_eq!(m.w.run.steps(), at);
    }
}

/// The hash covers the same state as equality, including the variables of call frames.
#[test]
fn machines_that_differ_in_one_local_variable_are_not_equal() {
    let mut m = teaching().next().expect("a preset");
    m.run(20_000, u64::MAX);
    let mut other = m.clone();
    for task in &mut other.tasks {
        if let Some(mm::frames::Frame::User(f)) = task.stack.first_mut() {
            f.i += 1;
        }
    }
    assert!(other != m);
    assert_ne!(other.hash(), m.hash());
}

/// Copying into an existing machine allocates no new memory for its pages.
#[test]
fn a_restore_copies_into_existing_memory() {
    let mut m = teaching().next().expect("a preset");
    let mut anchor = m.clone();
    let at = anchor.w.mem.pages.as_ptr();
    m.run(30_000, u64::MAX);
    anchor.clone_from(&m);
    assert_eq!(anchor.w.mem.pages.as_ptr(), at);
    assert!(anchor == m);
    assert_eq!(check(&anchor), []);
}

/// Removals from the middle merge thin chunks and lose neither order nor slots.
#[test]
fn removals_merge_sparse_chunks_and_keep_order_and_slots() {
    let mut pages = mm::touched::Touched::from(vec![Page::absent(); 5000]);
    let (list, mut lists) = (ListIndex::new(0), Lists::new(1, 5000));
    for frame in FrameIndex::all(5000) {
        lists.push_tail(&mut pages[frame], list, frame);
    }
    let full = lists.bytes();
    for frame in FrameIndex::all(5000).filter(|f| f.get() % 40 != 0) {
        lists.remove(&mut pages, frame);
    }
    assert!(lists.iter(list).eq(FrameIndex::all(5000).step_by(40)));
    assert_eq!(lists.len(list), 125);
    for frame in FrameIndex::all(5000).step_by(40) {
        assert_eq!(lists.frame_at(pages[frame].slot), Some(frame));
    }
    // The merged chunks are free again: filling up takes no new chunks.
    for frame in FrameIndex::all(5000).filter(|f| f.get() % 40 != 0) {
        lists.push_head(&mut pages[frame], list, frame);
    }
    assert!(
        lists.bytes() <= full + 1024,
        "{} after {full}",
        lists.bytes()
    );
}
