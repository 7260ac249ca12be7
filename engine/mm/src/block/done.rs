//! The interrupt of a device: requests end page by page (block/blk-softirq.c, block/blk-mq.c).
//!
//! Modelled: the pages of ended requests, the queue slots that these requests free, the requests
//! issued next.
//! Left out: the softirq as a separate task.
//! Invariants: a request ends once, together with all its pages.

use crate::block::{CONGESTION_OFF, arm, give_back, issue, wbt};
use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::mmzone::flag;
use crate::page_writeback::extent::ext4_end_bio;
use crate::record::{decisions, events};
use crate::world::World;
use facts::index::FrameIndex;
use facts::state::State;

events! {
    /// A device has finished a request.
    BlockRqComplete "block_rq_complete" from "include/trace/events/block.h, counted in pages" { dev: Device, write: Flag, sector: Count, pages: Count };
}

decisions! {
    PageRead { page: Page }
        "The page at {page} has been read: it is unlocked, and tasks that wait for it continue.";
    PageWritten { page: Page }
        "The write of the page at {page} has ended.";
    QueueDrained { device: Device, below: Count }
        "{device} has fewer than {below request} left: its queue is no longer congested.";
}

room! {
    BlkDone: "blk_done_softirq" in "block/blk-softirq.c" at "v3.0.1" line 20;
    Simplified "The interrupt of a device and the softirq it raises are one step here. From 5.11 on in block/blk-mq.c.";
    BdPt {
        Due 0 Hold "for each request the device is done with:";
        Read 1 Hold "unlock_page() of each page read";
        Write 1 Hold "end_page_writeback() of its whole extent";
        Finish 1 Hold "__blk_put_request(): a slot of the queue is free";
        Issue 0 Hold "give the device the next requests";
        Return 0 Yields "return from the interrupt";
    }
    locals(self, w) {
        disk: disk(self.device);
        in_flight: number(w.block.devices[usize::from(self.device)].in_flight.len() as u32);
        queued: number(w.block.devices[usize::from(self.device)].queued.len() as u32);
        i: number(self.i);
    }
}

/// The pseudo task that ends the requests of one device.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct BlkDone {
    /// Current program point.
    pub pt: BdPt,
    /// Number of the device.
    pub device: u8,
    /// Index of the current page in the request.
    pub i: u32,
}

impl BlkDone {
    /// Frame of a device's handler before the first interrupt.
    pub fn call(device: u8) -> Frame {
        Frame::BlkDone(Self {
            pt: BdPt::Due,
            device,
            i: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            BdPt::Due => self.due(w),
            BdPt::Read => {
                if let Some(frame) = self.next_page(w) {
                    w.mem.pages[frame].clear(flag::LOCKED);
                    w.record(PageRead { page: frame });
                    w.wake_up_page(frame);
                }
                Flow::Next
            }
            BdPt::Write => {
                if let Some(frame) = self.next_page(w) {
                    w.record(PageWritten { page: frame });
                    crate::page_writeback::end_page_writeback(w, frame);
                }
                Flow::Next
            }
            BdPt::Finish => self.finish(w),
            BdPt::Issue => {
                // An interrupt costs about as much as a timer tick.
                w.spend(w.facts.cost.timer_tick);
                wbt::look(w, self.device);
                issue(w, self.device);
                self.pt = BdPt::Return;
                Flow::Next
            }
            BdPt::Return => {
                arm(w, self.device);
                self.pt = BdPt::Due;
                cx.sleep = Sleep::Wait;
                Flow::Sleep
            }
        }
    }

    /// The pages of the current request that have already ended.
    pub fn ended<'a>(&self, w: &'a World) -> &'a [FrameIndex] {
        let first = w.block.devices[usize::from(self.device)].in_flight.first();
        match (self.pt, first) {
            (BdPt::Write | BdPt::Finish, Some(r)) if r.write => &r.pages[..self.i as usize],
            _ => &[],
        }
    }

    fn due(&mut self, w: &mut World) -> Flow {
        let d = &mut w.block.devices[usize::from(self.device)];
        self.i = 0;
        self.pt = match d.in_flight.first_mut() {
            Some(r) if r.ends_at <= w.now && r.write => {
                let (id, mut pages) = (r.io_end, std::mem::take(&mut r.pages));
                let sector = r.start as i64;
                w.record(BlockRqComplete {
                    dev: self.device,
                    write: true,
                    sector,
                    pages: pages.len() as i64,
                });
                ext4_end_bio(w, self.device, id, &mut pages);
                w.block.devices[usize::from(self.device)].in_flight[0].pages = pages;
                BdPt::Write
            }
            Some(r) if r.ends_at <= w.now => {
                let (sector, pages) = (r.start as i64, r.pages.len() as i64);
                w.record(BlockRqComplete {
                    dev: self.device,
                    write: false,
                    sector,
                    pages,
                });
                BdPt::Read
            }
            _ => BdPt::Issue,
        };
        Flow::Next
    }

    /// The next page of the request; `None` after the last one.
    fn next_page(&mut self, w: &mut World) -> Option<FrameIndex> {
        let r = &w.block.devices[usize::from(self.device)].in_flight[0];
        let page = r.pages.get(self.i as usize).copied();
        match page {
            Some(_) => self.i += 1,
            None => self.pt = BdPt::Finish,
        }
        w.spend(w.facts.cost.lru_move);
        page
    }

    /// `__blk_put_request`, `__freed_request`: wakes one task that waits for a slot, and clears the
    /// congestion flag.
    fn finish(&mut self, w: &mut World) -> Flow {
        let d = &mut w.block.devices[usize::from(self.device)];
        let r = d.in_flight.remove(0);
        if !r.write {
            d.turns.ended(&r, &d.queued, w.now);
        }
        let kind = usize::from(r.sync);
        let clears = d.congested[kind] && d.count[kind] <= CONGESTION_OFF;
        if clears {
            d.congested[kind] = false;
        }
        give_back(w, self.device, &r);
        if clears && kind == 0 {
            w.record(QueueDrained {
                device: self.device,
                below: CONGESTION_OFF.into(),
            });
            crate::vmscan::throttle::clear_congested(w);
        }
        self.pt = BdPt::Due;
        Flow::Next
    }
}
