//! Waiting for a slot in a device's queue (block/blk-core.c, block/blk-mq-tag.c).
//!
//! Modelled: a task sleeps until a request may begin, then checks again. Before blk-mq, a woken
//! task may submit a batch of requests, and at least one.
//! Left out: the tags of each hardware queue.
//! Invariants: when requests end, sleeping tasks are woken in the order they arrived.

use crate::block::{Origin, has_room, may_begin, wbt};
use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::record::decisions;
use crate::world::World;
use facts::index::TaskIndex;
use facts::state::State;

decisions! {
    QueueFull { device: Device, requests: Count }
        "{device} has {requests request}, as many as its queue accepts: the task sleeps until one completes.";
    WriteThrottled { device: Device, writes: Count }
        "{device} has {writes write} in flight, as many as allowed: the task sleeps until writes complete.";
}

room! {
    BlkGetRequest: "get_request_wait" in "block/blk-core.c" at "v3.0.1" line 800;
    Simplified "In kernels with one queue per CPU this function is called blk_mq_get_tag, and wbt_wait precedes it. Here a device has one queue in every era.";
    GrPt {
        Test 0 Plain "the queue has a slot, and not too many writes: return";
        Sleep 0 Yields "sleep until requests have ended, then check again";
        Batch 0 Plain "ioc_set_batching(): a woken task may start a batch" if |f| !f.blk_mq;
    }
    locals(self, w) {
        disk: disk(self.device);
    }
}

/// `get_request_wait` (`blk_mq_get_tag`, preceded by `wbt_wait`): waits until the queue of a device
/// has a slot and a write may begin.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct BlkGetRequest {
    /// Current program point.
    pub pt: GrPt,
    /// Number of the device.
    pub device: u8,
    /// True for a synchronous request, which a task waits for.
    pub sync: bool,
    /// True for a write, false for a read.
    pub write: bool,
    /// On whose behalf the request is made.
    pub origin: Origin,
}

impl BlkGetRequest {
    /// Frame of a call for a read.
    pub fn read(device: u8, sync: bool) -> Frame {
        Frame::BlkGetRequest(Self {
            pt: GrPt::Test,
            device,
            sync,
            write: false,
            origin: Origin::Sync,
        })
    }

    /// Frame of a call for a write. When the call returns, the write begins without another check.
    pub fn write(device: u8, origin: Origin) -> Frame {
        Frame::BlkGetRequest(Self {
            pt: GrPt::Test,
            device,
            sync: false,
            write: true,
            origin,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            GrPt::Test => {
                if self.may(w, cx.task) {
                    let d = &mut w.block.devices[usize::from(self.device)];
                    d.slots.leave(cx.task);
                    return Flow::Ret;
                }
                let d = &w.block.devices[usize::from(self.device)];
                let [a, s, other, kswapd] = d.counts();
                let device = self.device;
                if has_room(w, device, self.sync) {
                    let writes = (other + kswapd).into();
                    w.record(WriteThrottled { device, writes });
                } else {
                    let requests = (a + s).into();
                    w.record(QueueFull { device, requests });
                }
                self.pt = GrPt::Sleep;
                Flow::Next
            }
            GrPt::Sleep => {
                let full = !has_room(w, self.device, self.sync);
                let blk_mq = w.facts.features.blk_mq;
                let d = &mut w.block.devices[usize::from(self.device)];
                if full {
                    d.slots.wait(cx.task, usize::from(self.sync), blk_mq);
                }
                cx.sleep = Sleep::Io(u64::MAX);
                self.pt = if blk_mq { GrPt::Test } else { GrPt::Batch };
                Flow::Sleep
            }
            GrPt::Batch => {
                let (jiffies, hz) = (w.jiffies(), u64::from(w.facts.hz));
                let d = &mut w.block.devices[usize::from(self.device)];
                d.slots.leave(cx.task);
                d.slots.set_batching(cx.task, jiffies, hz);
                self.pt = GrPt::Test;
                Flow::Next
            }
        }
    }

    fn may(&self, w: &mut World, task: TaskIndex) -> bool {
        if !(self.write && w.facts.features.blk_mq) {
            return has_room(w, self.device, self.sync);
        }
        let class = wbt::class(self.origin);
        wbt::queue_up(w, self.device, self.origin, task);
        let waiting = &w.block.devices[usize::from(self.device)].throttled[class];
        let ahead = waiting.iter().take_while(|&&t| t != task).count() as u32;
        let may = may_begin(w, self.device, self.origin, ahead);
        if may {
            let waiting = &mut w.block.devices[usize::from(self.device)].throttled[class];
            waiting.retain(|&t| t != task);
            if let Some(&next) = waiting.first() {
                // The next task also checks whether there is a slot for it.
                w.wake(next);
            }
        }
        may
    }
}
