//! Waiting for I/O to catch up with reclaim (mm/vmscan.c `reclaim_throttle`, mm/backing-dev.c
//! `congestion_wait`).
//!
//! Modelled: the reasons of 6.1 with their timeouts and wake-ups; timers that fire a jiffy late;
//! the waits of 3.0 until a queue is no longer congested. From 5.x on no queue is ever marked
//! congested. Left out: tasks of loop devices and file servers, which are exempt. Invariants: a
//! sleep ends by its timer or by a wake-up of its queue; a reported delay is at most the timeout;
//! `nr_writeback_throttled` counts the sleepers of that reason.

use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::kernel::{NoProgressWait, Timeout};
use crate::phases::delays::Waited;
use crate::record::{decisions, events};
use crate::vmscan::MAX_RECLAIM_RETRIES;
use crate::world::World;
use facts::index::{LruvecIndex, NodeIndex, TaskIndex};
use facts::state::State;

/// Why a reclaimer waits (`enum vmscan_throttle_state`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
#[repr(u8)]
pub enum Reason {
    /// Too many pages at the tail are under writeback.
    Writeback,
    /// Too many pages are isolated.
    Isolated,
    /// Nothing was reclaimed.
    NoProgress,
    /// The lists are marked congested.
    Congested,
}

/// Names of the reasons, as the tracepoint prints them.
pub const REASONS: [&str; 4] = [
    "VMSCAN_THROTTLE_WRITEBACK",
    "VMSCAN_THROTTLE_ISOLATED",
    "VMSCAN_THROTTLE_NOPROGRESS",
    "VMSCAN_THROTTLE_CONGESTED",
];

/// The jiffy at which a timer of `timeout` jiffies fires if armed at `now` (kernel/time/timer.c):
/// one jiffy late, and from 63 jiffies on rounded up to a multiple of 8.
pub fn timer_fires_at(now: u64, timeout: u64) -> u64 {
    if timeout < 63 {
        now + timeout + 1
    } else {
        ((now + timeout) / 8 + 1) * 8
    }
}

events! {
    /// A reclaimer was throttled: the timeout, and how long it really waited.
    MmVmscanThrottled "mm_vmscan_throttled" from "include/trace/events/vmscan.h" { nid: Node, usec_timeout: Count, usec_delayed: Count, reason: ThrottleReason };
    /// A task waited for a device queue to drain.
    WritebackCongestionWait "writeback_congestion_wait" from "include/trace/events/writeback.h, up to 5.15" { usec_timeout: Count, usec_delayed: Count };
    /// A task called wait_iff_congested(): it waits only if a device queue is congested.
    WritebackWaitIffCongested "writeback_wait_iff_congested" from "include/trace/events/writeback.h, up to 5.15" { usec_timeout: Count, usec_delayed: Count };
}

decisions! {
    ThrottleSkip { node: Node }
        "At most half of the reclaimable pages of {node} wait for I/O: sleeping would not help.";
    Throttled { reason: ThrottleReason, timeout: Jiffies, node: Node }
        "The task sleeps for up to {timeout jiffy} on {node}; the reason is {reason}.";
    WaitIffCongested { congested: Flag }
        "The task waits only if a device queue is congested and, up to 4.7, this zone is marked congested too: {congested}.";
    WakeWritten { written: Count, needs: Count, tasks: Count, node: Node }
        "Since the first of {tasks task} on {node} began to wait, the disks have written {written page}, more than {needs}: all of the tasks continue.";
    WaitEndedByWrite { waker: Task, delayed: Jiffies }
        "{waker} found enough pages written and ended the wait after {delayed jiffy}.";
    WaitEndedByIsolation { waker: Task, delayed: Jiffies }
        "{waker} found the isolated pages back under the limit and ended the wait after {delayed jiffy}.";
    WaitEndedByProgress { waker: Task, delayed: Jiffies }
        "{waker} had reclaimed enough and ended the wait after {delayed jiffy}.";
    WaitEndedByQueue { waker: Task, delayed: Jiffies }
        "{waker} found a device queue drained and ended the wait after {delayed jiffy}.";
    WaitTimedOut { timeout: Jiffies }
        "No task ended the wait: it timed out after {timeout jiffy}.";
    CongestionSleep { timeout: Jiffies }
        "The task sleeps for up to {timeout jiffy}, until a device queue drains.";
}

room! {
    ReclaimThrottle: "reclaim_throttle" in "mm/vmscan.c" at "v6.1.176" line 1126;
    Simplified "Tasks of loop devices and file servers are left out; they do not wait." if |f| f.throttles_reclaim();
    RtPt {
        Timeout 0 Plain "nothing to wait for: return";
        Sleep 0 Yields "sleep in the reason's wait queue";
        Leave 0 Yields "leave the queue, report how long it took";
    }
    locals(self, w) {
        nid: node(self.node);
        reason: text(REASONS[self.reason as usize]);
        timeout: number(self.timeout);
    }
}

/// `reclaim_throttle`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ReclaimThrottle {
    /// Current program point.
    pub pt: RtPt,
    /// Node on which the task waits.
    pub node: NodeIndex,
    /// Reason for the wait.
    pub reason: Reason,
    /// Longest sleep in jiffies.
    pub timeout: u16,
    /// The jiffy at which the sleep began.
    pub since: u32,
}

impl ReclaimThrottle {
    /// Frame of a call that starts a wait.
    pub fn call(node: NodeIndex, reason: Reason) -> Frame {
        Frame::ReclaimThrottle(Self {
            pt: RtPt::Timeout,
            node,
            reason,
            timeout: 0,
            since: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            RtPt::Timeout => {
                let features = &w.facts.features;
                let timeouts = &features.throttle_timeouts;
                let timeout = match self.reason {
                    Reason::Writeback => timeouts.writeback,
                    Reason::Isolated => timeouts.isolated,
                    Reason::NoProgress => timeouts.noprogress,
                    Reason::Congested => Timeout::Tick,
                };
                self.timeout = timeout.jiffies(w.facts.hz) as u16;
                let skippable = features.noprogress_wait == NoProgressWait::FirstNode
                    && matches!(self.reason, Reason::NoProgress | Reason::Congested);
                if skippable && skip_throttle_noprogress(w, self.node) {
                    w.record(ThrottleSkip { node: self.node });
                    return Flow::Ret;
                }
                self.pt = RtPt::Sleep;
                Flow::Next
            }
            RtPt::Sleep => {
                let pgdat = &mut w.pgdat[self.node];
                if self.reason == Reason::Writeback {
                    pgdat.nr_writeback_throttled += 1;
                    if pgdat.nr_writeback_throttled == 1 {
                        pgdat.nr_reclaim_start = pgdat.nr_throttled_written;
                    }
                }
                pgdat.reclaim_wait.push((self.reason as u8, cx.task));
                self.since = w.jiffies() as u32;
                let fires = timer_fires_at(w.jiffies(), self.timeout.into());
                cx.sleep = Sleep::Io(w.jiffy_ns(fires));
                w.record(Throttled {
                    reason: self.reason,
                    timeout: self.timeout.into(),
                    node: self.node,
                });
                self.pt = RtPt::Leave;
                Flow::Sleep
            }
            RtPt::Leave => {
                let task = cx.task;
                let pgdat = &mut w.pgdat[self.node];
                pgdat.reclaim_wait.retain(|&(_, t)| t != task);
                if self.reason == Reason::Writeback {
                    pgdat.nr_writeback_throttled -= 1;
                }
                let delayed = (w.jiffies() as u32 - self.since).min(self.timeout.into());
                let us = 1_000_000 / w.facts.hz;
                let (waited, timeout) = (Waited::Throttled(self.reason as u8), self.timeout.into());
                let delays = &mut w.phases.delays;
                delays.add(waited, cx.sc.kswapd, timeout, delayed);
                self.say_end(w, task, delayed.into());
                w.record(MmVmscanThrottled {
                    nid: self.node,
                    usec_timeout: i64::from(u32::from(self.timeout) * us),
                    usec_delayed: i64::from(delayed * us),
                    reason: self.reason,
                });
                Flow::Ret
            }
        }
    }
}

impl ReclaimThrottle {
    /// Records what ended the wait.
    fn say_end(&self, w: &mut World, task: TaskIndex, delayed: i64) {
        let waker = wait_ended(w, task);
        match (waker, self.reason) {
            (None, _) | (_, Reason::Congested) => w.record(WaitTimedOut {
                timeout: self.timeout.into(),
            }),
            (Some(waker), Reason::Writeback) => w.record(WaitEndedByWrite { waker, delayed }),
            (Some(waker), Reason::Isolated) => w.record(WaitEndedByIsolation { waker, delayed }),
            (Some(waker), Reason::NoProgress) => w.record(WaitEndedByProgress { waker, delayed }),
        }
    }
}

/// Do at most half of the reclaimable pages wait for I/O (`skip_throttle_noprogress`)? Then sleeping
/// would not help.
pub fn skip_throttle_noprogress(w: &World, node: NodeIndex) -> bool {
    if w.pgdat[node].kswapd_failures >= MAX_RECLAIM_RETRIES {
        return true;
    }
    let (mut reclaimable, mut pending) = (0, 0);
    for z in w.mem.zones.iter().filter(|z| z.node == node) {
        reclaimable += super::zone_reclaimable_pages(w, z);
        pending += z.gauge(crate::mmzone::Gauge::Dirty) + z.gauge(crate::mmzone::Gauge::Writeback);
    }
    2 * pending <= reclaimable
}

/// Wakes all tasks that wait for a reason on a node. Returns true if any of them slept.
pub fn wake_all(w: &mut World, node: NodeIndex, reason: Reason) -> bool {
    let mut slept = false;
    for i in 0..w.pgdat[node].reclaim_wait.len() {
        let (r, task) = w.pgdat[node].reclaim_wait[i];
        if r == reason as u8 {
            slept |= end_wait(w, task);
        }
    }
    slept
}

/// Wakes a task and stores the waker, unless its timer or another task already ended the wait.
fn end_wait(w: &mut World, task: TaskIndex) -> bool {
    let ended = w.wait_ends.iter().any(|&(of, _)| of == task);
    let sleeps = !ended && w.sched.has_timer(task);
    if sleeps {
        w.wait_ends.push((task, w.task));
    }
    w.wake(task);
    sleeps
}

/// The task that ended the wait of a woken task; `None` if the timer did.
fn wait_ended(w: &mut World, task: TaskIndex) -> Option<TaskIndex> {
    let at = w.wait_ends.iter().position(|&(of, _)| of == task)?;
    Some(w.wait_ends.remove(at).1)
}

/// `acct_reclaim_writeback`: counts a page of the node whose write ended. Wakes the throttled tasks
/// after more than 32 pages for each of them.
pub fn acct_reclaim_writeback(w: &mut World, node: NodeIndex) {
    let pgdat = &mut w.pgdat[node];
    if pgdat.nr_writeback_throttled == 0 {
        return;
    }
    pgdat.nr_throttled_written += 1;
    let written = pgdat.nr_throttled_written - pgdat.nr_reclaim_start;
    let tasks = pgdat.nr_writeback_throttled;
    let needs = u64::from(super::SWAP_CLUSTER_MAX * tasks);
    if written > needs && wake_all(w, node, Reason::Writeback) {
        w.record(WakeWritten {
            written: written as i64,
            needs: needs as i64,
            tasks: tasks.into(),
            node,
        });
    }
}

room! {
    CongestionWait: "congestion_wait" in "mm/backing-dev.c" at "v5.10.223" line 967;
    Mirrored "Includes wait_iff_congested." if |f| f.waits_for_congestion();
    CwPt {
        Enter 0 Plain "wait_iff_congested(): is a queue congested?";
        Resched 0 Yields "none is: cond_resched(), report how long it took";
        Sleep 0 Yields "sleep until a congested queue drains, or the timeout";
        Leave 0 Yields "report how long it took";
    }
    locals(self, w) {
        timeout: number(w.facts.hz / u32::from(self.divisor));
    }
}

/// `congestion_wait` and `wait_iff_congested`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct CongestionWait {
    /// Current program point.
    pub pt: CwPt,
    /// The timeout is HZ divided by this number.
    pub divisor: u8,
    /// True to wait only if a queue is congested.
    pub iff: bool,
    /// Owner of lists that must also be marked congested; `u8::MAX` for none.
    pub owner: LruvecIndex,
    /// The jiffy at which the sleep began.
    pub since: u32,
}

impl CongestionWait {
    /// Frame of `congestion_wait(HZ / divisor)`.
    pub fn call(divisor: u8) -> Frame {
        Frame::CongestionWait(Self {
            pt: CwPt::Sleep,
            divisor,
            iff: false,
            owner: LruvecIndex::NONE,
            since: 0,
        })
    }

    /// Frame of `wait_iff_congested(HZ / divisor)`. Up to 4.7 the lists of `owner` must also be
    /// marked congested (`zone_is_reclaim_congested`); `u8::MAX` for none.
    pub fn iff_congested(divisor: u8, owner: LruvecIndex) -> Frame {
        Frame::CongestionWait(Self {
            pt: CwPt::Enter,
            divisor,
            iff: true,
            owner,
            since: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            CwPt::Enter => {
                let lists = w.mem.lruvecs.at(self.owner);
                let here = lists.is_none_or(|l| l.congested);
                let congested = w.block.any_congested() && here;
                w.record(WaitIffCongested { congested });
                self.since = w.jiffies() as u32;
                self.pt = if congested {
                    CwPt::Sleep
                } else {
                    CwPt::Resched
                };
                Flow::Next
            }
            CwPt::Resched => self.report(w, cx),
            CwPt::Sleep => {
                self.since = w.jiffies() as u32;
                let timeout = u64::from(w.facts.hz) / u64::from(self.divisor);
                let fires = timer_fires_at(w.jiffies(), timeout);
                w.congestion_wait.push(cx.task);
                cx.sleep = Sleep::Io(w.jiffy_ns(fires));
                w.record(CongestionSleep {
                    timeout: timeout as i64,
                });
                self.pt = CwPt::Leave;
                Flow::Sleep
            }
            CwPt::Leave => {
                let task = cx.task;
                w.congestion_wait.retain(|&t| t != task);
                match wait_ended(w, task) {
                    Some(waker) => w.record(WaitEndedByQueue {
                        waker,
                        delayed: i64::from(w.jiffies() as u32 - self.since),
                    }),
                    None => w.record(WaitTimedOut {
                        timeout: i64::from(w.facts.hz / u32::from(self.divisor)),
                    }),
                }
                self.report(w, cx)
            }
        }
    }

    /// Records how long the wait took, which may be longer than the timeout.
    fn report(&self, w: &mut World, cx: &Context) -> Flow {
        let us = 1_000_000 / w.facts.hz;
        let delayed = w.jiffies() as u32 - self.since;
        let timeout = w.facts.hz / u32::from(self.divisor);
        let waited = match self.iff {
            true => Waited::IffCongested,
            false => Waited::Congestion,
        };
        let delays = &mut w.phases.delays;
        delays.add(waited, cx.sc.kswapd, timeout, delayed);
        let (usec_timeout, usec_delayed) = ((timeout * us).into(), (delayed * us).into());
        if self.iff {
            w.record(WritebackWaitIffCongested {
                usec_timeout,
                usec_delayed,
            });
        } else {
            w.record(WritebackCongestionWait {
                usec_timeout,
                usec_delayed,
            });
        }
        Flow::Ret
    }
}

/// Did every dirty page of a pass have a congested queue, or was it still under writeback from an
/// earlier pass? Then the lists are marked congested.
pub fn all_congested(dirty: u32, congested: u32) -> bool {
    dirty > 0 && dirty == congested
}

/// A queue is no longer congested: wakes all tasks that wait for this.
pub fn clear_congested(w: &mut World) {
    for i in 0..w.congestion_wait.len() {
        let task = w.congestion_wait[i];
        end_wait(w, task);
    }
}

#[cfg(test)]
mod tests {
    use super::{all_congested, timer_fires_at};

    #[test]
    fn marks_lists_congested_only_if_every_dirty_page_met_congestion() {
        assert!(all_congested(3, 3));
        assert!(!all_congested(3, 2) && !all_congested(0, 0));
    }

    /// At 250 Hz.
    #[test]
    fn fires_timers_one_jiffy_late_and_long_ones_at_multiples_of_eight() {
        assert_eq!(timer_fires_at(1000, 25), 1026);
        assert_eq!(timer_fires_at(1000, 5), 1006);
        assert_eq!(timer_fires_at(1000, 1), 1002);
        assert_eq!(timer_fires_at(1000, 125), 1128);
        assert_eq!(timer_fires_at(1003, 125), 1136);
    }
}
