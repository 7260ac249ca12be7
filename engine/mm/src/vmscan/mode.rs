//! How reclaim for larger orders handles its batches (mm/vmscan.c, `set_reclaim_mode`;
//! `set_lumpy_reclaim_mode` in 2.6.37).
//!
//! Modelled: when a batch is handled for a larger order, what returns it to single pages, when a
//! second pass waits for writes.
//! Left out: nothing.
//! Invariants: requests for a single page, and later kernels, always reclaim single pages.

use crate::kernel::HighOrderReclaim;
use crate::record::decisions;
use crate::slowpath::COSTLY_ORDER;
use crate::vmscan::{DEF_PRIORITY, ScanControl};
use crate::world::World;
use facts::index::FrameIndex;
use facts::state::State;

decisions! {
    ModeLumpy { order: Order, priority: Count }
        "A block of {order} is requested: at priority {priority}, reclaim takes whole blocks from all lists, in use or not.";
    ModeCompaction { order: Order, priority: Count }
        "A block of {order} is requested: at priority {priority}, reclaim frees single pages, and compaction makes one block of them.";
    ModeSingle { page: Page }
        "The page at {page} is not freed: the rest of the batch is reclaimed as for single pages.";
    ModeSync { taken: Count, freed: Count, priority: Count }
        "Reclaim freed {freed} of {taken page} at priority {priority}: a second pass over the rest waits for writes.";
}

/// How a batch is handled (`enum lumpy_mode`, `reclaim_mode_t`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub enum ReclaimMode {
    /// Pages are reclaimed one by one, for single pages.
    #[default]
    #[state(rest)]
    Single,
    /// Whole blocks are taken, whether used or not.
    LumpyAsync,
    /// Whole blocks are taken, and the pass waits for writes.
    LumpySync,
    /// Pages are reclaimed one by one; compaction follows.
    CompactionAsync,
    /// Pages are reclaimed one by one, and the pass waits for writes; compaction follows.
    CompactionSync,
}

impl ReclaimMode {
    /// Are whole blocks taken, whether used or not?
    pub fn is_lumpy(self) -> bool {
        matches!(self, Self::LumpyAsync | Self::LumpySync)
    }

    /// Does compaction follow?
    pub fn is_compaction(self) -> bool {
        matches!(self, Self::CompactionAsync | Self::CompactionSync)
    }

    /// Does the pass wait for writes?
    pub fn is_sync(self) -> bool {
        matches!(self, Self::LumpySync | Self::CompactionSync)
    }

    /// The mode of a request before the first pass over a batch, or before the second (`sync`).
    pub fn of(rule: HighOrderReclaim, order: u8, priority: u8, sync: bool) -> Self {
        let larger = order > COSTLY_ORDER || order > 0 && priority < DEF_PRIORITY - 2;
        match (rule, sync) {
            _ if !larger => Self::Single,
            (HighOrderReclaim::Plain, _) => Self::Single,
            (HighOrderReclaim::Lumpy, false) => Self::LumpyAsync,
            (HighOrderReclaim::Lumpy, true) => Self::LumpySync,
            (HighOrderReclaim::Compaction, false) => Self::CompactionAsync,
            (HighOrderReclaim::Compaction, true) => Self::CompactionSync,
        }
    }
}

/// Can this reclaimer's batches have another mode than `Single`?
pub fn has_modes(w: &World, sc: &ScanControl) -> bool {
    sc.order > 0 && w.facts.features.high_order_reclaim != HighOrderReclaim::Plain
}

/// Does a second pass that waits follow the first pass over a batch (`should_reclaim_stall`)?
pub fn should_reclaim_stall(sc: &ScanControl, taken: u32, freed: u32) -> bool {
    let first = if sc.order > COSTLY_ORDER {
        DEF_PRIORITY
    } else {
        DEF_PRIORITY / 3
    };
    let tried = sc.mode != ReclaimMode::Single && freed != taken;
    !sc.kswapd && tried && sc.priority <= first
}

/// Handles the rest of the batch as single pages, because a page is not freed for another reason than
/// a write in flight (`reset_reclaim_mode`).
pub fn reset_reclaim_mode(w: &mut World, sc: &mut ScanControl, page: FrameIndex) {
    if sc.mode != ReclaimMode::Single {
        sc.mode = ReclaimMode::Single;
        w.record(ModeSingle { page });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders above 3 have the mode from the start, lower ones below priority 10.
    #[test]
    fn chooses_the_mode_from_order_and_priority() {
        use HighOrderReclaim::*;
        let lumpy = |order, priority| ReclaimMode::of(Lumpy, order, priority, false);
        assert_eq!(lumpy(9, 12), ReclaimMode::LumpyAsync);
        assert_eq!(lumpy(4, 12), ReclaimMode::LumpyAsync);
        assert_eq!(lumpy(3, 10), ReclaimMode::Single);
        assert_eq!(lumpy(3, 9), ReclaimMode::LumpyAsync);
        assert_eq!(lumpy(0, 0), ReclaimMode::Single);
        let sync = |rule| ReclaimMode::of(rule, 9, 12, true);
        assert_eq!(sync(Lumpy), ReclaimMode::LumpySync);
        assert_eq!(sync(Compaction), ReclaimMode::CompactionSync);
        assert_eq!(sync(Plain), ReclaimMode::Single);
    }

    #[test]
    fn makes_a_second_pass_only_for_direct_reclaim_at_a_low_enough_priority() {
        let stalls = |order, priority, freed, kswapd| {
            let mode = ReclaimMode::LumpyAsync;
            let sc = ScanControl {
                order,
                priority,
                kswapd,
                mode,
                ..ScanControl::default()
            };
            should_reclaim_stall(&sc, 64, freed)
        };
        assert!(stalls(9, 12, 10, false));
        assert!(!stalls(2, 5, 10, false));
        assert!(stalls(2, 4, 10, false));
        assert!(!stalls(9, 0, 10, true));
        assert!(!stalls(9, 12, 64, false));
        let single = ScanControl {
            order: 9,
            priority: 3,
            ..ScanControl::default()
        };
        assert!(!should_reclaim_stall(&single, 64, 10));
    }
}
