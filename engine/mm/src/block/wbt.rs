//! Throttling of buffered writes so that reads stay fast (block/blk-wbt.c, blk-rq-qos.c).
//!
//! Modelled: the number of writes in flight that a device allows, for kswapd and for others; the
//! window in which latencies are measured, and the steps by which the limits grow and shrink.
//! Left out: discards; elevators that disable throttling.
//! Visible difference: writes that began before a device was busy are not checked again.
//! Invariants: the counts of writes in flight equal the requests that have begun and not ended.

use crate::block::{Origin, Request};
use crate::record::events;
use crate::vmscan::throttle::timer_fires_at;
use crate::watermark::int_sqrt;
use crate::world::World;
use facts::index::TaskIndex;
use facts::state::State;

use super::queue::Device;

events! {
    /// Writeback throttling changed the limit of writes in flight; `status`: 0 fine, 1 reads slow, 2 unknown, 3 only writes.
    WbtStep "wbt_step" from "include/trace/events/wbt.h" { dev: Device, max: Count, status: Count };
}

/// Limit of writes in flight at the middle step (`RWB_DEF_DEPTH`).
const DEF_DEPTH: u32 = 16;
/// Length of the window at the middle step, ns (`RWB_WINDOW_NSEC`).
const WINDOW_NS: u64 = 100_000_000;
/// A window needs this many writes before their effect on reads counts (`RWB_MIN_WRITE_SAMPLES`).
const MIN_WRITES: u32 = 3;
/// After this many windows without a result the limits return to the middle step
/// (`RWB_UNKNOWN_BUMP`).
const UNKNOWN_BUMP: u32 = 5;
/// Background writes are limited if a read was issued or ended within this time, ns (HZ/10).
const CLOSE_NS: u64 = 100_000_000;
/// A writer that paused within this time raises the limit of writes in flight, ns (HZ).
const RECENT_NS: u64 = 1_000_000_000;

/// Limits of writes in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Limit for kswapd, and for writes that a task waits for (`max_depth`).
    pub most: u32,
    /// Limit for other writes (`wb_normal`).
    pub normal: u32,
    /// Limit for background writeback, and for other writes while there are reads
    /// (`wb_background`).
    pub background: u32,
}

/// Writeback throttling of one device (`struct rq_wb`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Wbt {
    /// Writes in flight: those of other tasks, then those of kswapd.
    pub inflight: [u32; 2],
    /// Step of the limits (`scale_step`): above 0 they are lower than at the middle step, below 0
    /// they are higher.
    pub step: i32,
    /// True if the limits are at their maximum (`scaled_max`).
    scaled_max: bool,
    /// Number of windows without a result.
    unknown: u32,
    /// Length of the current window, ns.
    window: u64,
    /// When the current window ends, ns; `u64::MAX` for no window.
    pub(super) ends_at: u64,
    /// Reads and writes that ended in the current window.
    ended: [u32; 2],
    /// Latency of the fastest read in the current window, ns.
    read_min: u64,
    /// The read that is timed, because no other read was in flight when it was issued: its position
    /// on the device, and when it was issued, ns; 0 for none.
    watched: u64,
    watched_since: u64,
    /// When a read was last issued or ended, ns.
    last_read: u64,
}

impl Default for Wbt {
    fn default() -> Self {
        Self {
            inflight: [0; 2],
            step: 0,
            scaled_max: false,
            unknown: 0,
            window: WINDOW_NS,
            ends_at: u64::MAX,
            ended: [0; 2],
            read_min: u64::MAX,
            watched: u64::MAX,
            watched_since: 0,
            last_read: 0,
        }
    }
}

/// The result of a window (`latency_exceeded`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Latency {
    Fine,
    Exceeded,
    Unknown,
    OnlyWrites,
}

/// Limit of writes in flight at a step, and whether that is the maximum (`rq_depth_calc_max_depth`).
fn max_depth(step: i32, queue_depth: u32) -> (u32, bool) {
    let middle = DEF_DEPTH.min(queue_depth);
    if step > 0 {
        return (1 + ((middle - 1) >> step.min(31)), false);
    }
    let most = 3 * queue_depth / 4;
    let grown = 1 + (u64::from(middle - 1) << (-step).min(31));
    if step < 0 && grown > u64::from(most) {
        (most, true)
    } else {
        (grown as u32, false)
    }
}

impl Wbt {
    /// The limits at the current step (`calc_wb_limits`).
    pub fn limits(&self, queue_depth: u32) -> Limits {
        let (most, _) = max_depth(self.step, queue_depth);
        let (normal, background) = match most {
            0..=2 => (most, 1),
            _ => (most.div_ceil(2), most.div_ceil(4)),
        };
        Limits {
            most,
            normal,
            background,
        }
    }

    /// Raises the limits (`scale_up`). Returns false at the maximum.
    fn scale_up(&mut self, queue_depth: u32) -> bool {
        if self.scaled_max {
            return false;
        }
        self.step -= 1;
        (_, self.scaled_max) = max_depth(self.step, queue_depth);
        self.unknown = 0;
        true
    }

    /// Lowers the limits (`scale_down`); `hard` if reads were slow.
    fn scale_down(&mut self, hard: bool, queue_depth: u32) {
        if max_depth(self.step, queue_depth).0 == 1 {
            return;
        }
        self.step = if hard && self.step < 0 {
            0
        } else {
            self.step + 1
        };
        self.scaled_max = false;
        self.unknown = 0;
    }

    /// The result of the window that ends now. `target` is the longest time a read should take, ns.
    fn latency(&self, now: u64, target: u64, recent_wait: bool) -> Latency {
        let watched = match self.watched_since {
            0 => 0,
            since => now - since,
        };
        let [reads, writes] = self.ended;
        if watched > self.window || (watched > target && reads == 0) {
            return Latency::Exceeded;
        }
        if reads == 0 || writes < MIN_WRITES {
            let writing = writes > 0 || recent_wait || self.inflight != [0; 2];
            return if writing {
                Latency::OnlyWrites
            } else {
                Latency::Unknown
            };
        }
        if self.read_min > target {
            Latency::Exceeded
        } else {
            Latency::Fine
        }
    }

    /// Adjusts the limits to the result of a window (`wb_timer_fn`). Returns true if waiters should
    /// check again.
    fn decide(&mut self, latency: Latency, queue_depth: u32) -> bool {
        match latency {
            Latency::Exceeded => self.scale_down(true, queue_depth),
            Latency::Fine | Latency::OnlyWrites => return self.scale_up(queue_depth),
            Latency::Unknown => {
                self.unknown += 1;
                if self.unknown >= UNKNOWN_BUMP && self.step > 0 {
                    return self.scale_up(queue_depth);
                }
                if self.unknown >= UNKNOWN_BUMP && self.step < 0 {
                    self.scale_down(false, queue_depth);
                }
            }
        }
        false
    }

    /// Length of the next window, which is shorter when the limits are lower (`rwb_arm_timer`).
    fn next_window(&self) -> u64 {
        match u64::try_from(self.step) {
            Ok(step) if step > 0 => (WINDOW_NS << 4) / int_sqrt((step + 1) << 8),
            _ => WINDOW_NS,
        }
    }
}

/// The index of the count that a write belongs to.
pub(super) fn class(origin: Origin) -> usize {
    usize::from(origin == Origin::Kswapd)
}

/// Did a writer to this device's files pause within the last second (`wb_recent_wait`)?
fn recent_wait(w: &World, device: u8) -> bool {
    let wb = w.wb.wbs.get(usize::from(device));
    wb.is_some_and(|wb| wb.dirty_sleep > 0 && w.now < wb.dirty_sleep + RECENT_NS)
}

/// The limit of writes in flight on a device for a write of this origin (`get_limit`).
pub(super) fn limit(w: &World, device: u8, origin: Origin) -> u32 {
    let wbt = &w.block.devices[usize::from(device)].wbt;
    let limits = wbt.limits(w.facts.devices[usize::from(device)].queue_depth);
    let urgent = matches!(origin, Origin::Sync | Origin::Kswapd);
    let reads = wbt.last_read > 0 && w.now < wbt.last_read + CLOSE_NS;
    if urgent || recent_wait(w, device) {
        limits.most
    } else if origin == Origin::Background || reads {
        limits.background
    } else {
        limits.normal
    }
}

/// Counts a write in flight when a request begins (`wbt_wait`, `wbt_track`); the first one opens a
/// window.
pub(super) fn begin(w: &mut World, device: u8, request: &Request) {
    let (now, jiffies) = (w.now, w.jiffies());
    let d = &mut w.block.devices[usize::from(device)];
    if !request.write {
        d.wbt.last_read = now;
        if request.issued_at > 0 {
            issued(d, request);
        }
        return;
    }
    d.wbt.inflight[class(request.origin)] += 1;
    if d.wbt.ends_at == u64::MAX {
        open_window(w, device, jiffies);
    }
}

fn open_window(w: &mut World, device: u8, jiffies: u64) {
    let wbt = &mut w.block.devices[usize::from(device)].wbt;
    wbt.window = wbt.next_window();
    let ticks = wbt.window.div_ceil(1_000_000_000 / u64::from(w.facts.hz));
    let ends_at = w.jiffy_ns(timer_fires_at(jiffies, ticks));
    w.block.devices[usize::from(device)].wbt.ends_at = ends_at;
}

/// A request was issued to the device (`wbt_issue`): a read is timed if no other read is being
/// timed.
pub(super) fn issued(d: &mut Device, request: &Request) {
    if !request.write && d.wbt.watched_since == 0 {
        d.wbt.watched = request.start;
        d.wbt.watched_since = request.issued_at;
    }
}

/// A request ended (`wbt_done`, `blk_stat_add`).
pub(super) fn done(w: &mut World, device: u8, request: &Request) {
    let now = w.now;
    let wbt = &mut w.block.devices[usize::from(device)].wbt;
    if wbt.ends_at != u64::MAX && request.ends_at != u64::MAX {
        wbt.ended[usize::from(request.write)] += 1;
        if !request.write {
            wbt.read_min = wbt.read_min.min(now - request.issued_at);
        }
    }
    if !request.write {
        wbt.last_read = now;
        if (wbt.watched, wbt.watched_since) == (request.start, request.issued_at) {
            (wbt.watched, wbt.watched_since) = (u64::MAX, 0);
        }
        return;
    }
    let class = class(request.origin);
    wbt.inflight[class] -= 1;
    let inflight = wbt.inflight[class];
    // All devices here have a write cache: unless a writer paused recently, waiting tasks are woken
    // only when no write is in flight.
    let limits = wbt.limits(w.facts.devices[usize::from(device)].queue_depth);
    let limit = if recent_wait(w, device) {
        limits.normal
    } else {
        0
    };
    if inflight > 0 && (inflight >= limit || limit - inflight < limits.background / 2) {
        return;
    }
    wake(w, device, class);
}

/// Wakes the waiting tasks, which check again in the order they arrived.
fn wake(w: &mut World, device: u8, class: usize) {
    let waiting = w.block.devices[usize::from(device)].throttled[class].clone();
    for task in waiting {
        w.wake(task);
    }
}

/// Adjusts the limits if a window has ended (`wb_timer_fn`).
pub(super) fn look(w: &mut World, device: u8) {
    let now = w.now;
    let recent = recent_wait(w, device);
    let drive = &w.facts.devices[usize::from(device)];
    let (depth, target) = (drive.queue_depth, drive.read_target_ns);
    let wbt = &mut w.block.devices[usize::from(device)].wbt;
    if now < wbt.ends_at {
        return;
    }
    let latency = wbt.latency(now, target, recent);
    let writing = wbt.inflight != [0; 2];
    (wbt.ended, wbt.read_min, wbt.ends_at) = ([0; 2], u64::MAX, u64::MAX);
    let more = wbt.decide(latency, depth);
    let again = wbt.step != 0 || writing;
    let max = wbt.limits(depth).most.into();
    w.record(WbtStep {
        dev: device,
        max,
        status: latency as i64,
    });
    if more {
        wake(w, device, 0);
        wake(w, device, 1);
    }
    if again {
        let jiffies = w.jiffies();
        open_window(w, device, jiffies);
    }
}

/// Adds a task that waits for writes to end. The task leaves when its write may begin.
pub(super) fn queue_up(w: &mut World, device: u8, origin: Origin, task: TaskIndex) {
    let waiting = &mut w.block.devices[usize::from(device)].throttled[class(origin)];
    if !waiting.contains(&task) {
        waiting.push(task);
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn each_step_down_halves_the_limits_and_each_step_up_doubles_them() {
        let limits = |step| {
            let wbt = Wbt {
                step,
                ..Wbt::default()
            };
            let Limits {
                most,
                normal,
                background,
            } = wbt.limits(256);
            (most, normal, background)
        };
        assert_eq!(limits(0), (16, 8, 4));
        assert_eq!(limits(1), (8, 4, 2));
        assert_eq!(limits(3), (2, 2, 1));
        assert_eq!(limits(9), (1, 1, 1));
        assert_eq!(limits(-2), (61, 31, 16));
        assert_eq!(limits(-4), (192, 96, 48));
    }

    #[test]
    fn raises_limits_without_reads_lowers_them_after_slow_reads_and_resets_them_when_idle() {
        let mut wbt = Wbt {
            ended: [0, 40],
            ..Wbt::default()
        };
        for step in [-1, -2, -3, -4] {
            assert_eq!(wbt.latency(1, 75, false), Latency::OnlyWrites);
            assert!(wbt.decide(Latency::OnlyWrites, 256));
            assert_eq!(wbt.step, step);
        }
        assert!(!wbt.decide(Latency::OnlyWrites, 256));
        // One read, slower than the target, among writes.
        (wbt.ended, wbt.read_min) = ([1, 3], 76);
        assert_eq!(wbt.latency(1, 75, false), Latency::Exceeded);
        wbt.read_min = 75;
        assert_eq!(wbt.latency(1, 75, false), Latency::Fine);
        // A read that has been in flight for longer than a window.
        (wbt.ended, wbt.watched_since) = ([1, 3], 1);
        let late = WINDOW_NS + 2;
        assert_eq!(wbt.latency(late, 75, false), Latency::Exceeded);
        wbt.decide(Latency::Exceeded, 256);
        wbt.decide(Latency::Exceeded, 256);
        assert_eq!((wbt.step, wbt.limits(256).most), (1, 8));
        assert_eq!(wbt.next_window(), (WINDOW_NS << 4) / 22);
        (wbt.ended, wbt.watched_since) = ([0; 2], 0);
        assert_eq!(wbt.latency(1, 75, false), Latency::Unknown);
        let steps: Vec<i32> = (0..6)
            .map(|_| {
                wbt.decide(Latency::Unknown, 256);
                wbt.step
            })
            .collect();
        assert_eq!(steps, [1, 1, 1, 1, 0, 0]);
    }
}
