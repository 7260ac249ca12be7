//! Makes reclaimers wait while too many pages are under writeback (mm/page-writeback.c,
//! `throttle_vm_writeout`).
//!
//! Modelled: the test at the end of every `shrink_zone` of 2.6.37 and 3.0, kswapd's included. Writes to
//! swap count, so that heavy swap-out stalls every reclaimer.
//! Left out: pages that an NFS server has not written yet (NR_UNSTABLE_NFS); the test of 3.1 to 4.9,
//! whose limit follows a falling dirty threshold only gradually.
//! Invariants: a reclaimer that may not start I/O or enter a file system waits at most once.

use facts::state::State;

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::page_writeback::{dirty_counts, global_dirty_limits};
use crate::vmscan::throttle::CongestionWait;
use crate::world::World;

room! {
    ThrottleVmWriteout: "throttle_vm_writeout" in "mm/page-writeback.c" at "v3.16" line 1634;
    Simplified "As in 2.6.37 and 3.0; later kernels up to 4.9 also have the function. There are no pages of NFS servers." if |f| f.throttle_vm_writeout;
    TwPt {
        Limit 0 Hold "under writeback at most 11/10 of the limit: return";
        Wait 0 Plain "congestion_wait(HZ/10)";
        Again 0 Plain "may not start I/O: return, else check again";
    }
    locals(self, w) {
        nr_writeback: number(dirty_counts(w).1 as u32);
        dirty_thresh: number(global_dirty_limits(w).0 as u32);
    }
}

/// `throttle_vm_writeout`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ThrottleVmWriteout {
    /// Current program point.
    pub pt: TwPt,
}

impl ThrottleVmWriteout {
    /// Frame of a call with the flags of the task's reclaim.
    pub fn call() -> Frame {
        Frame::ThrottleVmWriteout(Self { pt: TwPt::Limit })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            TwPt::Limit => {
                if may_go_on(dirty_counts(w).1, global_dirty_limits(w).0) {
                    return Flow::Ret;
                }
                self.pt = TwPt::Wait;
                Flow::Next
            }
            TwPt::Wait => {
                self.pt = TwPt::Again;
                up.call(CongestionWait::call(10), w, cx)
            }
            TwPt::Again => {
                if !cx.sc.gfp.has(Gfp::FS.with(Gfp::IO)) {
                    return Flow::Ret;
                }
                self.pt = TwPt::Limit;
                Flow::Next
            }
        }
    }
}

/// Does this dirty limit allow so many pages under writeback?
fn may_go_on(writeback: u64, dirty_thresh: u64) -> bool {
    writeback <= dirty_thresh + dirty_thresh / 10
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, preset};
    use crate::machine::Machine;
    use crate::mmzone::Gauge;
    use facts::index::{TaskIndex, ZoneIndex};

    /// The machine of a preset with `writeback` pages under writeback.
    fn machine(writeback: u64) -> Machine {
        let raw = preset("first-touch.teach").expect("a preset");
        let mut m = Machine::boot(&Experiment::new(raw).expect("valid"));
        m.w.mem.zones[ZoneIndex::new(0)].gauge[Gauge::Writeback as usize] = writeback as u32;
        m
    }

    /// Runs points of a frame outside the machine until the frame calls a function or returns; true
    /// if it returned.
    fn returns(frame: &mut ThrottleVmWriteout, m: &mut Machine, gfp: Gfp) -> bool {
        let (w, cx) = (&mut m.w, &mut m.tasks[TaskIndex::new(0)].cx);
        cx.sc.gfp = gfp;
        loop {
            match frame.point(w, cx, Up::nobody()) {
                Flow::Next => {}
                Flow::Ret => return true,
                _ => return false,
            }
        }
    }

    /// A dirty limit of 1000 pages: 1100 may be under writeback.
    #[test]
    fn allows_pages_under_writeback_up_to_110_percent_of_the_dirty_limit() {
        assert!(may_go_on(1100, 1000) && !may_go_on(1101, 1000));
        assert!(may_go_on(10, 9) == (10 <= 9) && may_go_on(0, 0));
    }

    #[test]
    fn a_reclaimer_waits_for_the_dirty_limit_and_a_reclaimer_without_fs_waits_once() {
        let limit = global_dirty_limits(&machine(0).w).0;
        let most = limit + limit / 10;
        let begin = || ThrottleVmWriteout { pt: TwPt::Limit };
        assert!(returns(&mut begin(), &mut machine(most), Gfp::GFP_KERNEL));
        let (mut frame, mut m) = (begin(), machine(most + 1));
        assert!(!returns(&mut frame, &mut m, Gfp::GFP_KERNEL));
        assert!(frame.pt == TwPt::Again, "it waited");
        assert!(!returns(&mut frame, &mut m, Gfp::GFP_KERNEL), "and again");
        assert!(returns(
            &mut frame,
            &mut m,
            Gfp::GFP_KERNEL.without(Gfp::FS)
        ));
    }
}
