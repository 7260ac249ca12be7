//! Which tasks wait for a congested queue (mm/backing-dev.c).

use crate::small;
use facts::index::FrameIndex;
use mm::index::{LruvecIndex, TaskIndex};

use mm::block::{Bio, End, Origin, submit_bio};
use mm::frames::{Context, Left};
use mm::machine::Machine;
use mm::page_writeback::set_page_writeback;
use mm::rng::Rng;
use mm::stack::Stack;
use mm::vmscan::throttle::CongestionWait;
use mm::vmscan::throttle::WritebackWaitIffCongested;
use small::{X86, boot};

/// A machine whose first device has this many single pages to write.
fn writing(kernel: &str, requests: u32) -> small::Small {
    let mut m = boot(kernel, X86, &[&[(0, 4096)]], serde_json::Value::Null);
    for frame in 1..=requests {
        set_page_writeback(&mut m.w, FrameIndex::new(frame));
        let bio = Bio {
            device: 0,
            write: true,
            sync: false,
            origin: Origin::Other,
            start: u64::from(frame) * 1000,
            pages: vec![FrameIndex::new(frame)],
            end: End::Write,
            io_end: mm::frames::NONE,
        };
        submit_bio(&mut m.w, bio);
    }
    m
}

/// Calls `wait_iff_congested(HZ / 10)` for the lists of an owner. Returns whether it sleeps and, if
/// not, the timeout and delay in us that it traces.
fn wait(m: &mut Machine, owner: LruvecIndex) -> (bool, Option<[i64; 2]>) {
    m.w.run.stop_at(u64::MAX);
    m.w.rec.on = true;
    m.w.rec.records.clear();
    let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
    let mut stack = Stack::new(CongestionWait::iff_congested(10, owner));
    loop {
        let (top, above) = stack.top().expect("a frame");
        let left = top.go(above, &mut m.w, &mut cx);
        if left == Left::Due {
            continue;
        }
        let traced = m.w.rec.all::<WritebackWaitIffCongested>().next();
        let traced = traced.map(|(_, waited)| [waited.usec_timeout, waited.usec_delayed]);
        return (left == Left::Asleep, traced);
    }
}

#[test]
fn up_to_3_1_a_task_waits_for_a_congested_queue_if_its_zone_is_flagged() {
    for (requests, marked, sleeps) in [(112, true, false), (113, false, false), (113, true, true)] {
        let mut m = writing("3.0", requests);
        m.w.mem.lruvecs[LruvecIndex::new(0)].congested = marked;
        let expected = if sleeps { None } else { Some([100_000, 0]) };
        assert_eq!(
            wait(&mut m, LruvecIndex::new(0)),
            (sleeps, expected),
            "{requests} {marked}"
        );
    }
}

/// No queue is marked congested any more: the call never waits, and traces that each time.
#[test]
fn from_5_0_on_no_task_waits_for_a_queue() {
    for kernel in ["5.10", "5.15"] {
        let mut m = writing(kernel, 180);
        m.w.mem.lruvecs[LruvecIndex::new(0)].congested = true;
        assert_eq!(wait(&mut m, LruvecIndex::NONE), (false, Some([100_000, 0])));
    }
}
