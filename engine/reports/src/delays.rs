//! Histograms of how long reclaimers waited, in ticks.
//!
//! Modelled: the counts that result from sorting the throttle events of a trace by the reason of
//! the wait and the kind of the waiting task. Left out: nodes. Invariants: bins are in order of
//! their delays; histograms are compared by bins, never by their means.

use mm::machine::Machine;
use mm::phases::delays::{Delay, Waited};
use mm::vmscan::throttle::REASONS;
use serde::Serialize;

/// Waits of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Histogram {
    /// The function or the reason of the wait: "congestion_wait", "VMSCAN_THROTTLE_WRITEBACK".
    pub what: &'static str,
    /// True if kswapd waited, false for a task that allocates.
    pub kswapd: bool,
    /// A tick, us.
    pub tick_us: u64,
    /// The timeout of the wait, us.
    pub timeout_us: u64,
    /// (delay in us, count).
    pub bins: Vec<(u64, u64)>,
}

/// The bins that can be compared between histograms: no delay, one tick, two or three ticks, more up to
/// the timeout, and the timeout or longer.
pub const COARSE: [&str; 5] = ["none", "1 tick", "2-3", "4 to the timeout", "timeout"];

impl Histogram {
    /// Number of waits.
    pub fn events(&self) -> u64 {
        self.bins.iter().map(|&(_, count)| count).sum()
    }

    /// Total length of all waits, us.
    pub fn sum_us(&self) -> u64 {
        self.bins.iter().map(|&(us, count)| us * count).sum()
    }

    /// Counts by [`COARSE`].
    pub fn coarse(&self) -> [u64; COARSE.len()] {
        let mut out = [0; COARSE.len()];
        for &(us, count) in &self.bins {
            let bin = match us / self.tick_us.max(1) {
                0 => 0,
                _ if us >= self.timeout_us => 4,
                1 => 1,
                2 | 3 => 2,
                _ => 3,
            };
            out[bin] += count;
        }
        out
    }
}

/// The histograms of a run.
pub fn histograms(machine: &Machine) -> Vec<Histogram> {
    let tick_us = u64::from(1_000_000 / machine.w.facts.hz);
    of_delays(&machine.w.phases.delays.all, tick_us)
}

fn of_delays(delays: &[Delay], tick_us: u64) -> Vec<Histogram> {
    let mut out: Vec<Histogram> = Vec::new();
    for delay in delays {
        let what = match delay.waited {
            Waited::Congestion => "congestion_wait",
            Waited::IffCongested => "wait_iff_congested",
            Waited::Throttled(reason) => REASONS.get(usize::from(reason)).unwrap_or(&"?"),
        };
        let timeout_us = u64::from(delay.timeout) * tick_us;
        let bin = (u64::from(delay.delayed) * tick_us, delay.count);
        let key = (what, delay.kswapd, timeout_us);
        match out.last_mut() {
            Some(h) if (h.what, h.kswapd, h.timeout_us) == key => h.bins.push(bin),
            _ => out.push(Histogram {
                what,
                kswapd: delay.kswapd,
                tick_us,
                timeout_us,
                bins: vec![bin],
            }),
        }
    }
    out
}

/// Histograms as text: for each histogram a line of sums, then its delays in the format of the
/// series' mails, the most frequent last.
pub fn text(histograms: &[Histogram]) -> String {
    let mut out = String::new();
    for h in histograms {
        let who = if h.kswapd { "kswapd" } else { "direct" };
        let (what, timeout, sum_ms) = (h.what, h.timeout_us, h.sum_us() / 1000);
        let events = h.events();
        out.push_str(&format!(
            "{what}, {who}, timeout {timeout} us: {events} waits, {sum_ms} ms in all\n"
        ));
        let mut bins = h.bins.clone();
        bins.sort_by_key(|&(us, count)| (count, us));
        for (us, count) in bins {
            out.push_str(&format!("{count:>10} delayed={us}\n"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(what: &'static str, timeout_us: u64, bins: &[(u64, u64)]) -> Histogram {
        Histogram {
            what,
            kswapd: false,
            tick_us: 4000,
            timeout_us,
            bins: bins.to_vec(),
        }
    }

    /// The mail's histograms of 5.15.
    #[test]
    fn adds_up_the_published_histograms() {
        let iff = histogram(
            "wait_iff_congested",
            100_000,
            &[(0, 82_394), (4000, 29), (8000, 8), (12_000, 2), (16_000, 1)],
        );
        assert_eq!((iff.events(), iff.sum_us()), (82_434, 220_000));
        assert_eq!(iff.coarse(), [82_394, 29, 10, 1, 0]);
        let congestion = histogram(
            "congestion_wait",
            100_000,
            &[
                (104_000, 778),
                (108_000, 380),
                (112_000, 4),
                (120_000, 1),
                (132_000, 2),
            ],
        );
        assert_eq!(congestion.events(), 1165);
        assert_eq!(congestion.sum_us(), 122_784_000);
        assert_eq!(congestion.coarse(), [0, 0, 0, 0, 1165]);
        // A timeout of one tick counts as the timeout, not as one tick.
        let short = histogram("VMSCAN_THROTTLE_NOPROGRESS", 4000, &[(0, 3), (4000, 5)]);
        assert_eq!(short.coarse(), [3, 0, 0, 0, 5]);
    }

    #[test]
    fn separates_delays_by_reason_and_by_kswapd_or_direct_reclaim() {
        let delay = |waited, kswapd, delayed, count| Delay {
            waited,
            kswapd,
            timeout: 25,
            delayed,
            count,
        };
        let found = of_delays(
            &[
                delay(Waited::Congestion, true, 26, 7),
                delay(Waited::Throttled(0), false, 0, 9),
                delay(Waited::Throttled(0), false, 25, 2),
                delay(Waited::Throttled(0), true, 25, 1),
            ],
            4000,
        );
        let told = found.iter().map(|h| (h.what, h.kswapd, h.bins.len()));
        let writeback = "VMSCAN_THROTTLE_WRITEBACK";
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("congestion_wait", true, 1),
                (writeback, false, 2),
                (writeback, true, 1)
            ]
        );
        let text = text(&found[1..2]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "VMSCAN_THROTTLE_WRITEBACK, direct, timeout 100000 us: 11 waits, 200 ms in all",
                "         2 delayed=100000",
                "         9 delayed=0",
            ]
        );
    }
}
