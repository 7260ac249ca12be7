//! The parameters and state of a compaction run, and when a run makes sense.
//!
//! Modelled: the fragmentation index, the check before a run including its bug, deferral.
//! Left out: nothing.
//! Invariants: the checks change nothing except the count of requests.

use crate::gfp::AllocFlags;
use crate::mmzone::{MAX_ORDERS, WMARK_LOW, Zone};
use crate::record::decisions;
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use facts::amount::Pages;
use facts::index::{FrameIndex, ZoneIndex};
use facts::procfs::extfrag;
use facts::state::State;

decisions! {
    CompactTooFew { zone: Zone, order: Order, free: Count, needs: Count }
        "{zone} has {free free page}, not above {needs} (its low watermark plus two blocks of {order}). Compaction would have too few targets, so it skips the zone.";
    CompactLackOfMemory { zone: Zone, order: Order, index: Count, threshold: Count }
        "The fragmentation index of {zone} for {order} is {index}, not above {threshold}: the zone lacks free memory rather than large blocks, so it is not compacted.";
    CompactDeferred { zone: Zone, considered: Count, limit: Count }
        "Compaction failed in {zone} before and is deferred: this is request {considered} of {limit} since then.";
    CompactDefers { zone: Zone, skipped: Count }
        "Compaction of {zone} produced no suitable block: the next {skipped request} will not compact the zone.";
}

/// `COMPACT_CLUSTER_MAX`: pages isolated before they are moved.
pub const COMPACT_CLUSTER_MAX: usize = 32;
/// `sysctl_extfrag_threshold`, in thousandths.
pub const EXTFRAG_THRESHOLD: i64 = 500;
/// `COMPACT_MAX_DEFER_SHIFT`.
const MAX_DEFER_SHIFT: u8 = 6;
/// The migrate type of a run for which the type does not matter.
pub const ANY: u8 = 0;
/// The order of a run that was started by hand: the whole zone (-1).
pub const MANUAL: u8 = u8::MAX;

/// The result of a run (`COMPACT_SKIPPED` to `COMPACT_COMPLETE`). For several zones the highest one
/// is the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Status {
    /// The run makes no sense.
    Skipped,
    /// The run should continue.
    Continue,
    /// The run ended early: there is a free block, or the run may not continue.
    Partial,
    /// The scanners have met.
    Complete,
}

impl Status {
    /// The status with this number.
    pub fn of(n: u32) -> Self {
        match n {
            0 => Self::Skipped,
            1 => Self::Continue,
            2 => Self::Partial,
            _ => Self::Complete,
        }
    }
}

/// Parameters and state of a run (`struct compact_control`), with positions as frames. Runs never nest,
/// so each task has one.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct CompactControl {
    /// Zone of the run.
    pub zone: ZoneIndex,
    /// Order requested, [`MANUAL`] for a run by hand.
    pub order: u8,
    /// Migrate type of the request.
    pub migratetype: u8,
    /// True if the run may wait for locks and writes.
    pub sync: bool,
    /// True if the run ends only when the scanners meet (kswapd of 2.6.38).
    pub to_the_end: bool,
    /// Position of the migrate scanner.
    pub migrate_pfn: FrameIndex,
    /// Position of the free scanner.
    pub free_pfn: FrameIndex,
    /// Where the migrate scanner must end; 0 if only the meeting of the scanners ends the run.
    pub abort_migrate_pfn: FrameIndex,
    /// Free pages taken as targets; the head of the list is the last element.
    pub freepages: Vec<FrameIndex>,
    /// Number of isolated pages when the move began (`nr_migratepages`).
    pub nr_migratepages: u32,
    /// Status of the run.
    pub status: u8,
}

impl CompactControl {
    /// Resets everything for a new run; no pages may be held.
    pub fn begin(&mut self, zone: ZoneIndex, order: u8, migratetype: u8, sync: bool) {
        debug_assert!(self.freepages.is_empty());
        let freepages = std::mem::take(&mut self.freepages);
        *self = Self {
            zone,
            order,
            migratetype,
            sync,
            freepages,
            ..Self::default()
        };
    }
}

/// `fragmentation_index` of a zone with these numbers of free blocks by order.
pub(super) fn fragmentation_index(nr_free: &[u32; MAX_ORDERS], order: u8) -> i64 {
    extfrag::fragmentation_index(&nr_free.map(u64::from), order)
}

/// Watermark check without reserve or flags: is the zone above its low watermark plus `more` pages?
pub fn above_low(w: &mut World, zone: ZoneIndex, order: u8, more: u32) -> bool {
    let mut test = WatermarkOk::new(zone, order, WMARK_LOW, 0, AllocFlags::default());
    test.min = Pages::new(more);
    test.holds(w)
}

/// `compaction_suitable`: does it make sense to compact a zone for an order? A zone that already
/// has a block is compacted as well: the code expects an index of -1 for it, but the index is
/// -1000.
pub fn compaction_suitable(w: &mut World, zone: ZoneIndex, order: u8) -> Status {
    if order == MANUAL {
        return Status::Continue;
    }
    let more = 2u32 << order;
    let z = &w.mem.zones[zone];
    let (free, needs) = (z.nr_free_pages, z.mark(WMARK_LOW) + Pages::new(more));
    if !above_low(w, zone, 0, more) {
        w.record(CompactTooFew {
            zone,
            order,
            free: free.into(),
            needs: needs.into(),
        });
        return Status::Skipped;
    }
    let index = fragmentation_index(&w.mem.zones[zone].nr_free, order);
    if (0..=EXTFRAG_THRESHOLD).contains(&index) {
        w.record(CompactLackOfMemory {
            zone,
            order,
            index,
            threshold: EXTFRAG_THRESHOLD,
        });
        return Status::Skipped;
    }
    if index == -1 && above_low(w, zone, order, more) {
        return Status::Partial;
    }
    Status::Continue
}

/// `compaction_deferred`: must this request skip the zone?
pub fn compaction_deferred(w: &mut World, zone: ZoneIndex) -> bool {
    let deferred = defers(&mut w.mem.zones[zone]);
    if let Some((considered, limit)) = deferred {
        w.record(CompactDeferred {
            zone,
            considered: considered.into(),
            limit: limit.into(),
        });
    }
    deferred.is_some()
}

/// Counts a request for a zone. Returns the number of the request and the limit if the request must
/// skip the zone.
fn defers(zone: &mut Zone) -> Option<(u32, u32)> {
    let limit = 1 << zone.compact_defer_shift;
    zone.compact_considered = (zone.compact_considered + 1).min(limit);
    (zone.compact_considered < limit).then_some((zone.compact_considered, limit))
}

/// `defer_compaction`: compaction of a zone failed, so the next requests skip the zone.
pub fn defer_compaction(w: &mut World, zone: ZoneIndex) {
    let z = &mut w.mem.zones[zone];
    put_off(z);
    let skipped = (1 << z.compact_defer_shift) - 1;
    w.record(CompactDefers { zone, skipped });
}

fn put_off(zone: &mut Zone) {
    zone.compact_considered = 0;
    zone.compact_defer_shift = (zone.compact_defer_shift + 1).min(MAX_DEFER_SHIFT);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If every run fails, a run happens at these requests.
    #[test]
    fn defers_compaction_longer_after_each_failure() {
        use crate::experiment::{Experiment, preset};
        let preset = preset("first-touch.teach").expect("a preset");
        let m = crate::machine::Machine::boot(&Experiment::new(preset).expect("valid"));
        let mut zone = m.w.mem.zones[ZoneIndex::new(0)].clone();
        let mut ran = Vec::new();
        for request in 1..=400 {
            if defers(&mut zone).is_none() {
                ran.push(request);
                put_off(&mut zone);
            }
        }
        assert_eq!(ran, [1, 3, 7, 15, 31, 63, 127, 191, 255, 319, 383]);
    }
}
