//! Throttling of writers (mm/page-writeback.c, `balance_dirty_pages`).
//!
//! Modelled: from 3.2 on, the pause that slows a writer down to its share of the device. Up to 3.1
//! the writer itself writes one and a half times the pages its CPU dirtied. If there is nothing to
//! write, it sleeps longer and longer while the dirty pages exceed the limit for its recent writes.
//! Invariants: no writer sleeps while the dirty pages are at most halfway between the limits; a
//! pause ends a jiffy late, as timers do.

use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::kernel::DirtyThrottle;
use crate::page_writeback::flusher::WriteCachePages;
use crate::page_writeback::rate::{Position, poll_interval, update_dirty_limit};
use crate::page_writeback::{dirty_counts, global_dirty_limits, start_background};
use crate::record::{decisions, events};
use crate::vmscan::throttle::timer_fires_at;
use crate::world::World;
use facts::state::State;

/// While the limit is exceeded, a writer checks after this many KiB.
const EXCEEDED_KIB: u64 = 32;
/// The same up to 3.1, in pages of any size.
const EXCEEDED_PAGES: u32 = 8;
/// A writer of 3.1 checks after at most this many KiB (`ratelimit_pages`).
const MOST_KIB: u64 = 4096;
/// A writer of 3.1 checks after at least this many pages.
const LEAST: u32 = 16;

/// A task wrote to a page of a file. Returns the frame to call if the task must check the dirty limits
/// (`balance_dirty_pages_ratelimited`). A page written in pieces counts once for each piece.
pub fn balance_dirty_pages_ratelimited(
    w: &mut World,
    cx: &mut Context,
    file: u32,
) -> Option<Frame> {
    let device = w.files.device(file);
    let exceeded = w.wb.wbs.get(usize::from(device))?.dirty_exceeded;
    let dirtied = match w.facts.features.dirty_throttle {
        DirtyThrottle::WriterWrites => {
            let most = match exceeded {
                true => EXCEEDED_PAGES,
                false => w.wb.ratelimit_pages,
            };
            w.wb.dirties.count_on_cpu(w.cpu, most)?
        }
        DirtyThrottle::Pause => {
            cx.nr_dirtied += 1;
            let page_kib = w.facts.layout.geometry.page_kib();
            let most = match exceeded {
                true => (EXCEEDED_KIB / page_kib).max(1) as u32,
                false => u32::MAX,
            };
            let most = cx.nr_dirtied_pause.min(most).max(1);
            (cx.nr_dirtied >= most).then_some(cx.nr_dirtied)?
        }
    };
    Some(BalanceDirtyPages::call(dirtied, device))
}

/// Pages each CPU may dirty before a writer of 3.1 checks (`writeback_set_ratelimit`): a 32nd of memory
/// for all CPUs together, between 16 pages and 4 MiB.
pub fn ratelimit_pages(w: &World) -> u32 {
    let pages: u64 = w.mem.zones.iter().map(|z| u64::from(z.managed)).sum();
    let cpus = w.facts.node_of_cpu.len() as u64;
    let most = MOST_KIB / w.facts.layout.geometry.page_kib();
    (pages / (cpus * 32)).max(LEAST.into()).min(most) as u32
}

events! {
    /// The kernel compared the dirty pages with the limits; the writer pauses for `pause` ms.
    BalanceDirty "balance_dirty_pages" from "include/trace/events/writeback.h" { dirty: Count, bdi_dirty: Count, limit: Count, pause: Count, dirtied: Count };
}

decisions! {
    BdpFreerun { dirty: Count, freerun: Count }
        "The kernel counts {dirty page} as dirty or under writeback, at most {freerun} (halfway between the limits): the writer continues.";
    BdpPause { dirty: Count, setpoint: Count, dirtied: Count, pause: Jiffies, rate: Count }
        "The kernel counts {dirty page} as dirty or under writeback; the target is {setpoint}. At {rate page}/s, the pause for {dirtied page} lasts {pause jiffy}.";
    BdpPutOff { dirty: Count, setpoint: Count, dirtied: Count, rate: Count }
        "The kernel counts {dirty page} as dirty or under writeback; the target is {setpoint}. At {rate page}/s, the pause for {dirtied page} is too short and is postponed.";
    BdpOver { dirty: Count, limit: Count, own: Count, own_limit: Count }
        "The kernel counts {dirty page} as dirty or under writeback (limit {limit}), {own} of them on this device (limit {own_limit}): the writer must help or wait.";
    BdpUnder { dirty: Count, limit: Count, own: Count, own_limit: Count }
        "The kernel counts {dirty page} as dirty or under writeback (limit {limit}), {own} of them on this device (limit {own_limit}): the writer continues.";
    BdpWrites { pages: Count, file: Count }
        "The writer itself writes {pages page}, starting with file {file}.";
    BdpWrote { written: Count, all: Count, share: Count }
        "The writer has now written {written page}, and {all} in total; its share is {share}.";
    BdpWait { pause: Jiffies }
        "There is nothing for the writer to write: it sleeps for {pause jiffy} and checks again.";
}

room! {
    BalanceDirtyPages: "balance_dirty_pages" in "mm/page-writeback.c" at "v6.1.176" line 1579;
    Simplified "Rates depend on the dirty pages of the whole machine, not of each device; limits of 3.1 do not shrink for the heaviest writer.";
    BaPt {
        Count 0 Plain "over the background limit: wake the flusher";
        Freerun 0 Plain "at most halfway between the limits: return";
        Rate 0 Plain "pause = pages dirtied / (base rate * position ratio)" if |f| f.dirty_throttle == DirtyThrottle::Pause;
        Pause 0 Yields "sleep for the pause (at the limit: check again)" if |f| f.dirty_throttle == DirtyThrottle::Pause;
        Over 0 Plain "below the device's share of the limit: return" if |f| f.dirty_throttle == DirtyThrottle::WriterWrites;
        Write 0 Plain "write half as much again as was dirtied" if |f| f.dirty_throttle == DirtyThrottle::WriterWrites;
        Wrote 1 Plain "its share is written: return" if |f| f.dirty_throttle == DirtyThrottle::WriterWrites;
        Wait 0 Yields "sleep, twice as long as before, and check again" if |f| f.dirty_throttle == DirtyThrottle::WriterWrites;
        Done 0 Yields "return";
    }
    locals(self, w) {
        bdi: disk(self.device);
        pages_dirtied: number(self.dirtied);
        pause: number(self.pause);
        pages_written: number(self.written);
    }
}

/// `balance_dirty_pages`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct BalanceDirtyPages {
    /// Current program point.
    pub pt: BaPt,
    /// Device that holds the file being written.
    pub device: u8,
    /// Length of the last or next sleep, jiffies.
    pub pause: u16,
    /// Pages dirtied since the last check.
    pub dirtied: u32,
    /// Number of pages that the writer wrote itself (up to 3.1).
    pub written: u32,
}

impl BalanceDirtyPages {
    /// Frame of a call for a writer that dirtied `pages_dirtied` pages of files on a device.
    pub fn call(pages_dirtied: u32, device: u8) -> Frame {
        Frame::BalanceDirtyPages(Self {
            pt: BaPt::Count,
            device,
            pause: 1,
            dirtied: pages_dirtied,
            written: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            BaPt::Count => self.count(w),
            BaPt::Freerun => self.freerun(w, cx),
            BaPt::Rate => self.rate(w, cx),
            BaPt::Pause | BaPt::Wait => self.sleep(w, cx),
            BaPt::Over => self.over(w, cx),
            BaPt::Write => self.write(w, cx, up),
            BaPt::Wrote => {
                self.written += cx.ret;
                let done = self.written >= self.share(w);
                w.record(BdpWrote {
                    written: cx.ret.into(),
                    all: self.written.into(),
                    share: i64::from(self.share(w)),
                });
                self.pt = match cx.ret {
                    _ if done => BaPt::Done,
                    0 => BaPt::Wait,
                    _ => BaPt::Write,
                };
                Flow::Next
            }
            BaPt::Done => {
                let old = w.facts.features.dirty_throttle == DirtyThrottle::WriterWrites;
                if old && dirty_counts(w).0 > global_dirty_limits(w).1 {
                    start_background(w, self.device);
                }
                Flow::Ret
            }
        }
    }

    fn position(w: &World) -> (Position, (u64, u64)) {
        let (dirty, writeback) = dirty_counts(w);
        let limits = global_dirty_limits(w);
        (
            Position::new(dirty + writeback, limits, w.wb.dirty_limit),
            limits,
        )
    }

    fn count(&mut self, w: &mut World) -> Flow {
        w.spend(w.facts.cost.syscall);
        let modern = w.facts.features.dirty_throttle == DirtyThrottle::Pause;
        if modern && dirty_counts(w).0 > global_dirty_limits(w).1 {
            start_background(w, self.device);
        }
        self.pt = BaPt::Freerun;
        Flow::Next
    }

    fn freerun(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let (position, limits) = Self::position(w);
        let (dirty, freerun) = (position.dirty, position.freerun);
        let modern = w.facts.features.dirty_throttle == DirtyThrottle::Pause;
        if dirty > freerun && !cx.oom_victim {
            self.pt = if modern { BaPt::Rate } else { BaPt::Over };
            return Flow::Next;
        }
        w.record(BdpFreerun {
            dirty: dirty as i64,
            freerun: freerun as i64,
        });
        w.wb.wbs[usize::from(self.device)].dirty_exceeded = false;
        if modern {
            cx.dirty_paused_when = w.jiffies();
            cx.nr_dirtied = 0;
            cx.nr_dirtied_pause = poll_interval(dirty, limits.0);
        }
        self.pt = BaPt::Done;
        Flow::Next
    }

    /// The pause of 3.2 and later.
    fn rate(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let (position, (thresh, _)) = Self::position(w);
        let (now, hz) = (w.jiffies(), u64::from(w.facts.hz));
        let page_kib = w.facts.layout.geometry.page_kib();
        let wb = &mut w.wb.wbs[usize::from(self.device)];
        wb.dirty_exceeded = position.dirty > thresh;
        if wb.rate.update(now, hz, Some(position)) {
            w.wb.dirty_limit = update_dirty_limit(w.wb.dirty_limit, thresh, position.dirty);
        }
        let wb = &w.wb.wbs[usize::from(self.device)];
        let wb_dirty = u64::from(wb.nr_dirty) + u64::from(wb.nr_writeback);
        let task = wb.rate.task_ratelimit(position);
        let bounds = wb.rate.bounds(hz, page_kib, wb_dirty, task);
        let (pause, from) = match task {
            0 => (bounds.max as i64, now),
            _ => {
                let period = hz * u64::from(self.dirtied) / task;
                let since = match cx.dirty_paused_when {
                    0 => 0,
                    when => now as i64 - when as i64,
                };
                let pause = period as i64 - since;
                if pause < bounds.min as i64 {
                    self.put_off(cx, now, hz, pause, period);
                    w.record(BdpPutOff {
                        dirty: position.dirty as i64,
                        setpoint: position.setpoint() as i64,
                        dirtied: self.dirtied.into(),
                        rate: task as i64,
                    });
                    self.trace(w, position, wb_dirty, 0);
                    self.pt = BaPt::Done;
                    return Flow::Next;
                }
                let over = (pause - bounds.max as i64).clamp(0, bounds.max as i64);
                (pause.min(bounds.max as i64), now + over as u64)
            }
        };
        cx.dirty_paused_when = from + pause as u64;
        cx.nr_dirtied = 0;
        cx.nr_dirtied_pause = bounds.pages.max(1);
        // At the limit the writer checks again, unless its device has no dirty pages any more.
        self.written = u32::from(task == 0 && wb_dirty > 0);
        self.pause = pause as u16;
        w.record(BdpPause {
            dirty: position.dirty as i64,
            setpoint: position.setpoint() as i64,
            dirtied: self.dirtied.into(),
            pause: self.pause.into(),
            rate: task as i64,
        });
        self.trace(w, position, wb_dirty, self.pause);
        self.pt = BaPt::Pause;
        Flow::Next
    }

    /// The pause is too short for a sleep: it is added to the next pause.
    fn put_off(&self, cx: &mut Context, now: u64, hz: u64, pause: i64, period: u64) {
        if pause < -(hz as i64) {
            (cx.dirty_paused_when, cx.nr_dirtied) = (now, 0);
        } else if period > 0 {
            cx.dirty_paused_when += period;
            cx.nr_dirtied = 0;
        } else if cx.nr_dirtied_pause <= self.dirtied {
            cx.nr_dirtied_pause += self.dirtied;
        }
    }

    fn trace(&self, w: &mut World, position: Position, wb_dirty: u64, pause: u16) {
        let ms = u32::from(pause) * 1000 / w.facts.hz;
        let (dirty, limit) = (position.dirty as u32, position.limit as u32);
        w.record(BalanceDirty {
            dirty: dirty.into(),
            bdi_dirty: wb_dirty as i64,
            limit: limit.into(),
            pause: ms.into(),
            dirtied: self.dirtied.into(),
        });
    }

    fn sleep(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let fires = timer_fires_at(w.jiffies(), self.pause.into());
        cx.sleep = Sleep::Io(w.jiffy_ns(fires));
        let now = w.now;
        if let Some(wb) = w.wb.wbs.get_mut(usize::from(self.device)) {
            wb.dirty_sleep = now;
        }
        let again = self.pt == BaPt::Wait || self.written > 0;
        if self.pt == BaPt::Wait {
            w.record(BdpWait {
                pause: self.pause.into(),
            });
            self.pause = (2 * self.pause).min((w.facts.hz / 10).max(1) as u16);
        } else {
            self.written = 0;
        }
        self.pt = if again { BaPt::Count } else { BaPt::Done };
        Flow::Sleep
    }

    /// Number of pages that a writer of 3.1 writes (`sync_writeback_pages`).
    fn share(&self, w: &World) -> u32 {
        let dirtied = self.dirtied.max(w.wb.ratelimit_pages);
        dirtied + dirtied / 2
    }

    /// A device's share of the limit, proportional to its share of the pages written recently; so
    /// it is 0 at first (`bdi_dirty_limit`).
    fn bdi_limit(&self, w: &World, thresh: u64) -> u64 {
        let completions = w.wb.wbs[usize::from(self.device)].completions;
        thresh * completions / (w.wb.period + w.wb.completed).max(1)
    }

    fn over(&mut self, w: &mut World, cx: &Context) -> Flow {
        let (position, (thresh, _)) = Self::position(w);
        let own = self.bdi_limit(w, thresh);
        let own = w.wb.dirties.limit_of_task(cx.task, own, w.wb.period);
        let wb = &mut w.wb.wbs[usize::from(self.device)];
        let wb_dirty = u64::from(wb.nr_dirty) + u64::from(wb.nr_writeback);
        let over = wb_dirty > own || position.dirty > thresh;
        wb.dirty_exceeded = over;
        let writes = u64::from(wb.nr_dirty) > own;
        let (dirty, limit) = (position.dirty as i64, thresh as i64);
        let (wb_dirty, own_limit) = (wb_dirty as i64, own as i64);
        if over {
            w.record(BdpOver {
                dirty,
                limit,
                own: wb_dirty,
                own_limit,
            });
        } else {
            w.record(BdpUnder {
                dirty,
                limit,
                own: wb_dirty,
                own_limit,
            });
        }
        self.pt = match (over, writes) {
            (false, _) => BaPt::Done,
            (true, true) => BaPt::Write,
            (true, false) => BaPt::Wait,
        };
        Flow::Next
    }

    fn write(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Some(file) = w.files.dirty_files(self.device).next() else {
            self.pt = BaPt::Wait;
            return Flow::Next;
        };
        self.pt = BaPt::Wrote;
        let left = self.share(w) - self.written;
        w.record(BdpWrites {
            pages: left.into(),
            file: file.into(),
        });
        up.call(
            WriteCachePages::call(self.device, file, left, crate::block::Origin::Other),
            w,
            cx,
        )
    }
}
