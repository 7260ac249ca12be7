//! Rates of writers and devices, and the position of the dirty pages between the limits
//! (mm/page-writeback.c).
//!
//! Modelled: the write bandwidth of a device, averaged over three seconds; the allowed rate of each
//! of its writers, which moves in steps towards a balance; the position ratio; pauses.
//! Left out: each device's own position (the second half of `wb_position_ratio`).
//! Visible difference: rates on a machine with many devices of different speed.
//! Invariants: the position ratio falls as the number of dirty pages rises; it is 1024 at the set
//! point and 0 at the limit; rates are at least 1 page/s.

use crate::block::Drive;
use facts::state::State;

/// The number 1.0 as a position ratio (`RATELIMIT_CALC_SHIFT`).
pub const ONE: u64 = 1 << SHIFT;
const SHIFT: u32 = 10;
/// Bandwidth assumed before the first measurement, bytes/s (`INIT_BW`).
const INIT_BYTES: u64 = 100 << 20;
/// Minimum number of KiB between two checks of a writer (`DIRTY_POLL_THRESH`).
const POLL_KIB: u64 = 128;

/// The position of the dirty pages between the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Number of dirty pages and pages under writeback.
    pub dirty: u64,
    /// Limit in pages.
    pub limit: u64,
    /// Up to this number of pages no writer waits.
    pub freerun: u64,
}

impl Position {
    /// Computes the position from the thresholds and the limit that follows them
    /// (`dirty_freerun_ceiling`, `hard_dirty_limit`).
    pub fn new(dirty: u64, (thresh, background): (u64, u64), dirty_limit: u64) -> Self {
        Self {
            dirty,
            limit: thresh.max(dirty_limit),
            freerun: thresh.midpoint(background),
        }
    }

    /// The target number of dirty pages.
    pub fn setpoint(&self) -> u64 {
        self.freerun.midpoint(self.limit)
    }

    /// The factor by which a writer's rate is multiplied, 1024 at the set point
    /// (`pos_ratio_polynom`).
    pub fn ratio(&self) -> u64 {
        if self.dirty >= self.limit {
            return 0;
        }
        let setpoint = self.setpoint() as i64;
        let away = (setpoint - self.dirty as i64) << SHIFT;
        let x = away / ((self.limit as i64 - setpoint) | 1);
        let cubed = (((x * x) >> SHIFT) * x) >> SHIFT;
        (cubed + ONE as i64).clamp(0, 2 * ONE as i64) as u64
    }
}

/// Pages a writer may dirty before its next check while no writer waits (`dirty_poll_interval`).
pub fn poll_interval(dirty: u64, thresh: u64) -> u32 {
    match thresh.checked_sub(dirty) {
        Some(room) if room > 0 => 1 << (room.ilog2() / 2),
        _ => 1,
    }
}

/// Measured rates of a device and its writers.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Rate {
    /// Pages dirtied so far (`WB_DIRTIED`).
    pub dirtied: u64,
    /// Pages written so far (`WB_WRITTEN`).
    pub written: u64,
    /// `dirtied` when rates were last computed.
    dirtied_stamp: u64,
    /// `written` when rates were last computed.
    written_stamp: u64,
    /// When rates were last computed, jiffies (`bw_time_stamp`).
    stamp: u64,
    /// Pages written per second (`write_bandwidth`).
    write_bandwidth: u64,
    /// Pages written per second, smoothed (`avg_write_bandwidth`).
    pub avg_write_bandwidth: u64,
    /// Pages per second that each writer may dirty at the set point (`dirty_ratelimit`).
    pub dirty_ratelimit: u64,
    /// The balanced rate computed last (`balanced_dirty_ratelimit`).
    balanced: u64,
}

/// Bounds of a writer's pause, jiffies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum pause.
    pub max: u64,
    /// Minimum pause; shorter ones are postponed.
    pub min: u64,
    /// Pages the writer may dirty until its next check.
    pub pages: u32,
}

impl Rate {
    /// The rates before the first measurement. If a device was slowed in proportion to its
    /// machine's memory, the initial value is smaller by the same factor.
    pub fn new(drive: &Drive) -> Self {
        let init = drive.profile.slowed(INIT_BYTES / drive.page_bytes).max(1);
        Self {
            dirtied: 0,
            written: 0,
            dirtied_stamp: 0,
            written_stamp: 0,
            stamp: 0,
            write_bandwidth: init,
            avg_write_bandwidth: init,
            dirty_ratelimit: init,
            balanced: init,
        }
    }

    /// Writing starts again: excludes the idle time from the measurement
    /// (`wb_bandwidth_estimate_start`).
    pub fn start(&mut self, now: u64, hz: u64) {
        if now - self.stamp > hz {
            self.take_stamp(now);
        }
    }

    fn take_stamp(&mut self, now: u64) {
        self.stamp = now;
        self.dirtied_stamp = self.dirtied;
        self.written_stamp = self.written;
    }

    /// Updates the rates, at most five times per second (`wb_update_bandwidth`). Writers pass a
    /// `position`; the flusher passes none and only measures.
    pub fn update(&mut self, now: u64, hz: u64, position: Option<Position>) -> bool {
        let elapsed = now.saturating_sub(self.stamp);
        if elapsed < (hz / 5).max(1) {
            return false;
        }
        if let Some(position) = position {
            let dirty_rate = (self.dirtied - self.dirtied_stamp) * hz / elapsed;
            self.update_ratelimit(dirty_rate, position);
        }
        self.update_bandwidth(elapsed, hz);
        self.take_stamp(now);
        true
    }

    /// `wb_update_write_bandwidth`: a mean over a little more than three seconds.
    fn update_bandwidth(&mut self, elapsed: u64, hz: u64) {
        let period = (3 * hz).next_power_of_two();
        let written = (self.written - self.written_stamp) * hz;
        if elapsed > period {
            self.write_bandwidth = written / elapsed;
            self.avg_write_bandwidth = self.write_bandwidth.max(1);
            return;
        }
        let old = self.write_bandwidth;
        let now = (written + old * (period - elapsed)) / period;
        let avg = &mut self.avg_write_bandwidth;
        if *avg > old && old >= now {
            *avg -= (*avg - old) / 8;
        } else if *avg < old && old <= now {
            *avg += (old - *avg) / 8;
        }
        *avg = (*avg).max(1);
        self.write_bandwidth = now;
    }

    /// `wb_update_dirty_ratelimit`: a step towards the rate at which all writers together dirty as many
    /// pages as the device writes.
    fn update_ratelimit(&mut self, dirty_rate: u64, position: Position) {
        let task = ((self.dirty_ratelimit * position.ratio()) >> SHIFT) + 1;
        let bandwidth = self.avg_write_bandwidth;
        let balanced = (task * bandwidth / (dirty_rate | 1)).min(bandwidth);
        let limit = self.dirty_ratelimit;
        // The rate moves only as far as all three rates agree.
        let step = if position.dirty < position.setpoint() {
            let least = self.balanced.min(balanced).min(task);
            least.saturating_sub(limit)
        } else {
            let most = self.balanced.max(balanced).max(task);
            limit.saturating_sub(most)
        };
        // The nearer the target, the smaller the step, so that the rate does not follow every
        // fluctuation.
        let shift = limit / (2 * step + 1);
        let step = if shift < u64::from(u64::BITS) {
            (step >> shift).div_ceil(8)
        } else {
            0
        };
        self.dirty_ratelimit = if limit < balanced {
            limit + step
        } else {
            limit.saturating_sub(step)
        };
        self.dirty_ratelimit = self.dirty_ratelimit.max(1);
        self.balanced = balanced;
    }

    /// The rate of a writer at a position, pages/s.
    pub fn task_ratelimit(&self, position: Position) -> u64 {
        (self.dirty_ratelimit * position.ratio()) >> SHIFT
    }

    /// `wb_max_pause` and `wb_min_pause`. `dirty` is the number of the device's pages that are
    /// dirty or under writeback, `task` is the writer's rate.
    pub fn bounds(&self, hz: u64, page_kib: u64, dirty: u64, task: u64) -> Bounds {
        let per = |pages: u64| pages / hz.next_power_of_two();
        let eighth = (1 + hz / 8).next_power_of_two();
        let max = 1 + dirty / (1 + self.avg_write_bandwidth / eighth);
        let max = max.min((hz / 5).max(1));
        let poll = POLL_KIB / page_kib;
        // 10 ms, plus 10 ms for each halving of the rate below the bandwidth.
        let (high, low) = (
            self.avg_write_bandwidth.ilog2(),
            self.dirty_ratelimit.ilog2(),
        );
        let halvings = u64::from(high.saturating_sub(low));
        let mut t = (hz / 100).max(1) + halvings * (10 * hz) / 1024;
        t = t.min(1 + max / 2);
        let mut pages = per(self.dirty_ratelimit * t);
        if pages < poll {
            t = max;
            pages = per(self.dirty_ratelimit * t);
            if pages > poll {
                pages = poll;
                t = hz * poll / self.dirty_ratelimit;
            }
        }
        if hz * pages / (task + 1) > max {
            t = max;
            pages = per(task * t);
        }
        Bounds {
            max,
            min: if pages >= poll { 1 + t / 2 } else { t },
            pages: pages.min(u32::MAX.into()) as u32,
        }
    }
}

/// Lets the limit follow a falling threshold slowly (`update_dirty_limit`): by a 32nd of the
/// difference in each call.
pub fn update_dirty_limit(limit: u64, thresh: u64, dirty: u64) -> u64 {
    if limit < thresh {
        return thresh;
    }
    let floor = thresh.max(dirty);
    limit - limit.saturating_sub(floor) / 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;
    use crate::profile::{DeviceModel, DeviceProfile};
    use crate::tunables::Tunables;
    use crate::vmstat::{DirtyableMemory, dirty_limits};

    fn position(dirty: u64) -> Position {
        Position::new(dirty, (97_576, 48_728), 0)
    }

    #[test]
    fn computes_limits_set_point_ratios_and_poll_intervals_of_an_8_gib_machine() {
        let features = &kernel::find("6.1").expect("a kernel").features;
        let profile = crate::profile::find("x86_64-8g").expect("a machine");
        let (tunables, _) = Tunables::of(&profile, features);
        let memory = DirtyableMemory {
            free: 100_000,
            file: 400_000,
            anon: 0,
            totalreserve: 12_000,
            min_free: 0,
        };
        let limits = dirty_limits(features, &tunables, 4096, memory);
        assert_eq!(limits, (97_576, 48_728));
        let p = position(0);
        assert_eq!((p.freerun, p.setpoint()), (73_152, 85_364));
        let ratios = [73_152, 79_258, 85_364, 91_470, 97_576].map(|dirty| position(dirty).ratio());
        assert_eq!(ratios, [2045, 1151, 1024, 896, 0]);
        let polls = [0, 58_000, 97_000, 98_000].map(|dirty| poll_interval(dirty, 97_576));
        assert_eq!(polls, [256, 128, 16, 1]);
    }

    #[test]
    fn lowers_the_ratio_as_dirty_pages_rise() {
        let ratios: Vec<u64> = (60_000..98_000)
            .step_by(50)
            .map(|d| position(d).ratio())
            .collect();
        assert!(ratios.windows(2).all(|pair| pair[0] >= pair[1]));
        assert_eq!(ratios[0], 2 * ONE);
    }

    fn rate() -> Rate {
        let disk = DeviceProfile::new("sda", DeviceModel::Disk2010, true, 0);
        Rate::new(&Drive::new(&disk, 0, 4, 1, true))
    }

    #[test]
    fn measures_a_bandwidth_close_to_the_pages_written() {
        let mut r = rate();
        assert_eq!(r.avg_write_bandwidth, 25_600);
        let mut now = 0;
        for _ in 0..100 {
            now += 50;
            // 1500 pages in a fifth of a second are 7500 pages/s.
            r.written += 1500;
            assert!(r.update(now, 250, None));
            assert!(!r.update(now + 10, 250, None));
        }
        assert!((7400..=7700).contains(&r.avg_write_bandwidth), "{r:?}");
    }

    /// The device writes 7500 pages/s, and its writers keep to their rate.
    #[test]
    fn throttled_writers_reach_the_bandwidth_with_dirty_pages_near_the_set_point() {
        for writers in [1, 2, 4] {
            let mut r = rate();
            let (mut now, mut dirty) = (0, 73_152);
            for _ in 0..600 {
                now += 50;
                r.written += 1500;
                let dirtied = writers * r.task_ratelimit(position(dirty)) / 5;
                r.dirtied += dirtied;
                dirty = (dirty + dirtied).saturating_sub(1500);
                r.update(now, 250, Some(position(dirty)));
            }
            let share = 7500 / writers;
            let near = share * 8 / 10..=share * 13 / 10;
            assert!(
                near.contains(&r.dirty_ratelimit),
                "{writers} writers: {r:?}"
            );
            assert!(
                (79_000..92_000).contains(&dirty),
                "{writers} writers: {dirty}"
            );
        }
    }

    #[test]
    fn limits_a_pause_to_a_fifth_of_a_second() {
        let mut r = rate();
        for limit in [1, 10, 100, 7500, 25_600] {
            r.dirty_ratelimit = limit;
            for task in [0, limit / 2, limit, 2 * limit] {
                for dirty in [0, 100, 100_000] {
                    let b = r.bounds(250, 4, dirty, task);
                    assert!(b.max <= 50 && b.min <= b.max.max(1), "{b:?}");
                }
            }
        }
        // A writer with a rate of 7500 pages/s, on a device that writes 7500 pages/s, pauses for
        // about 10 ms if there are 20,000 dirty pages.
        (r.dirty_ratelimit, r.avg_write_bandwidth) = (7500, 7500);
        let b = r.bounds(250, 4, 20_000, 7500);
        assert_eq!((b.max, b.pages, b.min), (50, 58, 2));
    }

    #[test]
    fn lowers_the_limit_slowly_and_raises_it_immediately() {
        assert_eq!(update_dirty_limit(1000, 2000, 0), 2000);
        assert_eq!(update_dirty_limit(2000, 1000, 0), 2000 - 1000 / 32);
        assert_eq!(update_dirty_limit(2000, 1000, 1900), 2000 - 100 / 32);
        assert_eq!(update_dirty_limit(2000, 1000, 2500), 2000);
    }
}
