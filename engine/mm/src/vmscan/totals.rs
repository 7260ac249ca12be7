//! Counts of what reclaim did, as a script counts the lines of a trace.
//!
//! Modelled: the sums that the post-processing script of the vmscan tracepoints computed in 2010
//! (Documentation/trace/postprocess/trace-vmscan-postprocess.pl): pages scanned when pages are
//! taken off a list, active lists included; writes by type of memory, reclaimer, and whether the
//! reclaimer waits; requests to wake kswapd, its wake-ups, and how long it is awake.
//! Left out: nothing that published tables contain.
//! Invariants: these counts are only written; no run depends on them.

use super::{ANON, FILE};
use facts::index::NodeIndex;

/// Index of direct reclaim.
pub const DIRECT: usize = 0;
/// Index of kswapd.
pub const KSWAPD: usize = 1;

/// Sums over the vmscan tracepoints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VmscanTotals {
    /// `nr_scanned` of `mm_vmscan_lru_isolate` in pages, by reclaimer.
    pub scanned: [u64; 2],
    /// Number of `mm_vmscan_writepage` events, by reclaimer, whether it waits, and type of memory
    /// (anonymous, file).
    pub written: [[[u64; 2]; 2]; 2],
    /// Number of `mm_vmscan_wakeup_kswapd` events.
    pub wakeup_requests: u64,
    /// `mm_vmscan_kswapd_wake` events that follow a `mm_vmscan_kswapd_sleep`.
    pub kswapd_wakeups: u64,
    /// Time from each such wake-up to the next sleep, ns.
    pub kswapd_awake_ns: u64,
    /// When kswapd of each node woke, ns; `None` while it sleeps.
    awake_since: Vec<Option<u64>>,
}

impl VmscanTotals {
    /// Counts pages scanned on a list.
    pub fn isolated(&mut self, kswapd: bool, scanned: u32) {
        self.scanned[usize::from(kswapd)] += u64::from(scanned);
    }

    /// Counts a page that reclaim writes.
    pub fn wrote(&mut self, kswapd: bool, waits: bool, anon: bool) {
        let memory = if anon { ANON } else { FILE };
        self.written[usize::from(kswapd)][usize::from(waits)][memory] += 1;
    }

    /// Records that kswapd of a node begins a run. It counts as awake during a nap, too.
    pub fn kswapd_wake(&mut self, node: NodeIndex, now: u64) {
        let node = node.index();
        if self.awake_since.len() <= node {
            self.awake_since.resize(node + 1, None);
        }
        if self.awake_since[node].is_none() {
            self.awake_since[node] = Some(now);
            self.kswapd_wakeups += 1;
        }
    }

    /// Records that kswapd of a node goes to sleep.
    pub fn kswapd_sleep(&mut self, node: NodeIndex, now: u64) {
        let since = self.awake_since.get_mut(node.index());
        if let Some(since) = since.and_then(Option::take) {
            self.kswapd_awake_ns += now.saturating_sub(since);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A nap does not end the time awake; a node whose kswapd never woke has none.
    #[test]
    fn counts_the_time_from_kswapds_wake_up_to_its_sleep() {
        let mut totals = VmscanTotals::default();
        totals.kswapd_sleep(NodeIndex::new(1), 5);
        for (wake, sleep) in [(10, None), (20, Some(50)), (90, Some(100))] {
            totals.kswapd_wake(NodeIndex::new(1), wake);
            if let Some(sleep) = sleep {
                totals.kswapd_sleep(NodeIndex::new(1), sleep);
            }
        }
        assert_eq!((totals.kswapd_wakeups, totals.kswapd_awake_ns), (2, 50));
    }
}
