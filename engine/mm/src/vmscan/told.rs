//! What reclaim did, counted as a script counts the lines of a trace.
//!
//! Modelled: the sums that the post-processing script of the vmscan tracepoints made in 2010
//! (Documentation/trace/postprocess/trace-vmscan-postprocess.pl): pages scanned whenever pages are
//! taken off a list, an active one as well; writes by memory, reclaimer and whether they are waited
//! for; requests to wake kswapd, its wake-ups, and how long it is awake.
//! Left out: nothing that published tables show.
//! Invariants: counted, never asked: no run depends on it.

use super::{ANON, FILE};

/// Who reclaims, as an index: direct reclaim.
pub const DIRECT: usize = 0;
/// Who reclaims, as an index: kswapd.
pub const KSWAPD: usize = 1;

/// Sums over the vmscan tracepoints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VmscanTold {
    /// `nr_scanned` of `mm_vmscan_lru_isolate`, pages, by reclaimer.
    pub scanned: [u64; 2],
    /// `mm_vmscan_writepage` by reclaimer, whether it is waited for, and memory (anonymous, files).
    pub written: [[[u64; 2]; 2]; 2],
    /// `mm_vmscan_wakeup_kswapd`.
    pub wakeup_requests: u64,
    /// `mm_vmscan_kswapd_wake` behind a `mm_vmscan_kswapd_sleep`.
    pub kswapd_wakeups: u64,
    /// From one of those to the next sleep, ns.
    pub kswapd_awake_ns: u64,
    /// When the kswapd of each node woke, ns; none where it sleeps.
    awake_since: Vec<Option<u64>>,
}

impl VmscanTold {
    /// Pages were looked at on a list.
    pub fn isolated(&mut self, kswapd: bool, scanned: u32) {
        self.scanned[usize::from(kswapd)] += u64::from(scanned);
    }

    /// A page is written.
    pub fn wrote(&mut self, kswapd: bool, waits: bool, anon: bool) {
        let memory = if anon { ANON } else { FILE };
        self.written[usize::from(kswapd)][usize::from(waits)][memory] += 1;
    }

    /// The kswapd of a node begins a run. One that has only napped was awake.
    pub fn kswapd_wake(&mut self, node: u8, now: u64) {
        let node = usize::from(node);
        if self.awake_since.len() <= node {
            self.awake_since.resize(node + 1, None);
        }
        if self.awake_since[node].is_none() {
            self.awake_since[node] = Some(now);
            self.kswapd_wakeups += 1;
        }
    }

    /// The kswapd of a node goes to sleep.
    pub fn kswapd_sleep(&mut self, node: u8, now: u64) {
        let since = self.awake_since.get_mut(usize::from(node));
        if let Some(since) = since.and_then(Option::take) {
            self.kswapd_awake_ns += now.saturating_sub(since);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Naps end no time awake, and a node that never woke has none.
    #[test]
    fn kswapd_is_awake_from_its_wake_up_to_its_sleep() {
        let mut told = VmscanTold::default();
        told.kswapd_sleep(1, 5);
        for (wake, sleep) in [(10, None), (20, Some(50)), (90, Some(100))] {
            told.kswapd_wake(1, wake);
            if let Some(sleep) = sleep {
                told.kswapd_sleep(1, sleep);
            }
        }
        assert_eq!((told.kswapd_wakeups, told.kswapd_awake_ns), (2, 50));
    }
}
