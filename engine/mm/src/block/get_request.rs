//! Waiting for a place in a device's queue (block/blk-core.c, block/blk-mq-tag.c).
//!
//! Modelled: a task sleeps until a request may begin, and then looks again; before blk-mq those who
//! were woken have a batch of requests, and one at least.
//! Left out: the tags kept for each hardware queue.
//! Invariants: whoever sleeps is woken when requests have ended, those who came first before others.

use crate::block::{Origin, has_room, may_begin, wbt};
use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::record::decisions;
use crate::world::World;
use facts::state::State;

decisions! {
    QueueFull { device: Device, requests: Count }
        "{device} has {requests} requests, as many as its queue takes: sleep until one has ended.";
    WriteThrottled { device: Device, writes: Count }
        "{writes} writes are under way on {device}, as many as may be: sleep until they have ended.";
}

room! {
    BlkGetRequest: "get_request_wait" in "block/blk-core.c" at "v3.0.1" line 800;
    Simplified "Called blk_mq_get_tag with one queue for each CPU, with wbt_wait before it; here a device has one queue in every era.";
    GrPt {
        Test 0 Plain "the queue has a place, and not too many writes: return";
        Sleep 0 Yields "sleep until requests have ended, then look again";
        Batch 0 Plain "ioc_set_batching(): woken, it may go on for a while" if |f| !f.blk_mq;
    }
    locals(self, w) {
        disk: disk(self.device);
    }
}

/// `get_request_wait` (`blk_mq_get_tag`, and `wbt_wait` before it): waits until the queue of a device
/// has a place, and a write may begin.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct BlkGetRequest {
    /// Where it stands.
    pub pt: GrPt,
    /// Device.
    pub device: u8,
    /// For a request somebody waits for.
    pub sync: bool,
    /// To write, not to read.
    pub write: bool,
    /// On whose behalf.
    pub origin: Origin,
}

impl BlkGetRequest {
    /// A wait of a reader about to begin.
    pub fn read(device: u8, sync: bool) -> Frame {
        Frame::BlkGetRequest(Self {
            pt: GrPt::Test,
            device,
            sync,
            write: false,
            origin: Origin::Sync,
        })
    }

    /// A wait of a writer about to begin. When it returns, the write begins without asking again.
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
                    d.places.leave(cx.task);
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
                    d.places.wait(cx.task, usize::from(self.sync), blk_mq);
                }
                cx.sleep = Sleep::Io(u64::MAX);
                self.pt = if blk_mq { GrPt::Test } else { GrPt::Batch };
                Flow::Sleep
            }
            GrPt::Batch => {
                let (jiffies, hz) = (w.jiffies(), u64::from(w.facts.hz));
                let d = &mut w.block.devices[usize::from(self.device)];
                d.places.leave(cx.task);
                d.places.set_batching(cx.task, jiffies, hz);
                self.pt = GrPt::Test;
                Flow::Next
            }
        }
    }

    fn may(&self, w: &mut World, task: u32) -> bool {
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
                // It will look whether there is a place for it, too.
                w.wake(next);
            }
        }
        may
    }
}
