//! Waits of reclaimers, counted in ticks, sorted and counted as the lines of a trace are.
//!
//! Modelled: the throttle events of the kernels, by reason, by waiter, by timeout and by delay;
//! `vmscan/throttle.rs` has the events.
//! Left out: nodes.
//! Invariants: entries are in order and have counts above 0; there is one entry for each different delay.

use facts::state::State;

/// The kind of event that was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, State)]
pub enum Waited {
    /// `congestion_wait`.
    Congestion,
    /// `wait_iff_congested`.
    IffCongested,
    /// `reclaim_throttle` for a reason, given by its number in
    /// [`crate::vmscan::throttle::REASONS`].
    Throttled(u8),
}

/// A group of equal waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Delay {
    /// The kind of event.
    pub waited: Waited,
    /// True if kswapd waited, false for an allocating task.
    pub kswapd: bool,
    /// Timeout in jiffies.
    pub timeout: u32,
    /// Actual delay in jiffies.
    pub delayed: u32,
    /// Number of these waits.
    pub count: u64,
}

/// All groups of waits.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Delays {
    /// The groups, sorted by their fields.
    pub all: Vec<Delay>,
}

impl Delays {
    /// Counts a wait.
    pub fn add(&mut self, waited: Waited, kswapd: bool, timeout: u32, delayed: u32) {
        let key = (waited, kswapd, timeout, delayed);
        let of = |d: &Delay| (d.waited, d.kswapd, d.timeout, d.delayed);
        match self.all.binary_search_by_key(&key, of) {
            Ok(i) => self.all[i].count += 1,
            Err(i) => self.all.insert(
                i,
                Delay {
                    waited,
                    kswapd,
                    timeout,
                    delayed,
                    count: 1,
                },
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_of_equal_length_share_one_entry_with_a_count() {
        let mut delays = Delays::default();
        for (kswapd, delayed) in [(false, 4), (true, 0), (false, 0), (false, 4)] {
            delays.add(Waited::Throttled(0), kswapd, 25, delayed);
        }
        delays.add(Waited::Congestion, false, 25, 26);
        let found = delays.all.iter();
        let found = found.map(|d| (d.waited, d.kswapd, d.delayed, d.count));
        let found: Vec<_> = found.collect();
        assert_eq!(
            found,
            [
                (Waited::Congestion, false, 26, 1),
                (Waited::Throttled(0), false, 0, 1),
                (Waited::Throttled(0), false, 4, 2),
                (Waited::Throttled(0), true, 0, 1),
            ]
        );
    }
}
