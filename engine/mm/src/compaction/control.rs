//! What a run of compaction wants and has in hand, and when one makes sense.
//!
//! Modelled: the fragmentation index, the test before a run with its slip, deferral.
//! Left out: nothing.
//! Invariants: who asks changes nothing, but for what is counted of being asked.

use crate::gfp::AllocFlags;
use crate::mmzone::{MAX_ORDERS, WMARK_LOW, Zone};
use crate::record::decisions;
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use facts::amount::Pages;
use facts::procfs::extfrag;
use facts::state::State;

decisions! {
    CompactTooFew { zone: Zone, order: Order, free: Count, needs: Count }
        "{zone} has {free free page}, not above its low mark and twice {order}, {needs}: too few to move pages to. It is not compacted.";
    CompactLackOfMemory { zone: Zone, order: Order, index: Count, threshold: Count }
        "The fragmentation index of {zone} for {order} is {index}, not above {threshold}: it lacks memory rather than large blocks. It is not compacted.";
    CompactDeferred { zone: Zone, considered: Count, limit: Count }
        "{zone} was asked for compaction {considered time} since it last failed there, of {limit}: put off.";
    CompactDefers { zone: Zone, skipped: Count }
        "Compaction of {zone} brought no block: the next {skipped request} pass it over.";
}

/// `COMPACT_CLUSTER_MAX`: pages isolated before they are moved.
pub const COMPACT_CLUSTER_MAX: usize = 32;
/// `sysctl_extfrag_threshold`, of 1000.
pub const EXTFRAG_THRESHOLD: i64 = 500;
/// `COMPACT_MAX_DEFER_SHIFT`.
const MAX_DEFER_SHIFT: u8 = 6;
/// The migrate type of a run that wants none.
pub const ANY: u8 = 0;
/// The order of a run that somebody asked for by hand: all of the zone (-1).
pub const MANUAL: u8 = u8::MAX;

/// What a run came to (`COMPACT_SKIPPED` to `COMPACT_COMPLETE`); of several zones the highest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Status {
    /// There was no sense in it.
    Skipped,
    /// It should go on.
    Continue,
    /// It ended early: there is a block, or it may not go on.
    Partial,
    /// The scanners have met.
    Complete,
}

impl Status {
    /// By number.
    pub fn of(n: u32) -> Self {
        match n {
            0 => Self::Skipped,
            1 => Self::Continue,
            2 => Self::Partial,
            _ => Self::Complete,
        }
    }
}

/// What a run wants and has (`struct compact_control`), its positions as frames. Runs never nest, so a
/// task has one.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct CompactControl {
    /// The zone.
    pub zone: u8,
    /// Order wanted, [`MANUAL`] for a run by hand.
    pub order: u8,
    /// Migrate type wanted.
    pub migratetype: u8,
    /// It waits for locks and writes.
    pub sync: bool,
    /// Only the scanners' meeting ends it (kswapd of 2.6.38).
    pub to_the_end: bool,
    /// Where the migration scanner stands.
    pub migrate_pfn: u32,
    /// Where the free scanner stands.
    pub free_pfn: u32,
    /// Where the migration scanner has to end, 0 for where they meet.
    pub abort_migrate_pfn: u32,
    /// Free pages taken to move them to; the list's head is last.
    pub freepages: Vec<u32>,
    /// Pages isolated when moving them began (`nr_migratepages`).
    pub nr_migratepages: u32,
    /// What it came to.
    pub status: u8,
}

impl CompactControl {
    /// Starts over for a new run; nothing is in hand then.
    pub fn begin(&mut self, zone: u8, order: u8, migratetype: u8, sync: bool) {
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

/// `fragmentation_index` of a zone, from its free blocks by order.
fn fragmentation_index(nr_free: &[u32; MAX_ORDERS], order: u8) -> i64 {
    extfrag::fragmentation_index(&nr_free.map(u64::from), order)
}

/// The watermark test without reserve or flags, against the low mark and so many pages more.
pub fn above_low(w: &mut World, zone: u8, order: u8, more: u32) -> bool {
    let mut test = WatermarkOk::new(zone, order, WMARK_LOW, 0, AllocFlags::default());
    test.min = Pages::new(more);
    test.holds(w)
}

/// `compaction_suitable`: is there sense in compacting a zone for an order? A zone that has a block
/// already is compacted all the same: it is known by an index of -1, and the index says -1000.
pub fn compaction_suitable(w: &mut World, zone: u8, order: u8) -> Status {
    if order == MANUAL {
        return Status::Continue;
    }
    let more = 2u32 << order;
    let z = &w.mem.zones[usize::from(zone)];
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
    let index = fragmentation_index(&w.mem.zones[usize::from(zone)].nr_free, order);
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

/// `compaction_deferred`: is a zone to be passed over once more?
pub fn compaction_deferred(w: &mut World, zone: u8) -> bool {
    let deferred = defers(&mut w.mem.zones[usize::from(zone)]);
    if let Some((considered, limit)) = deferred {
        w.record(CompactDeferred {
            zone,
            considered: considered.into(),
            limit: limit.into(),
        });
    }
    deferred.is_some()
}

/// Counts that a zone was asked for; how often and of how many times, if it is passed over.
fn defers(zone: &mut Zone) -> Option<(u32, u32)> {
    let limit = 1 << zone.compact_defer_shift;
    zone.compact_considered = (zone.compact_considered + 1).min(limit);
    (zone.compact_considered < limit).then_some((zone.compact_considered, limit))
}

/// `defer_compaction`: it failed in a zone, so that the next requests pass it over.
pub fn defer_compaction(w: &mut World, zone: u8) {
    let z = &mut w.mem.zones[usize::from(zone)];
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

    /// The dossier's sequence: where every run fails, one is made at these requests.
    #[test]
    fn failures_put_compaction_off_longer_each_time() {
        use crate::experiment::{Experiment, preset};
        let preset = preset("first-touch.teach").expect("a preset");
        let m = crate::machine::Machine::boot(&Experiment::new(preset).expect("valid"));
        let mut zone = m.w.mem.zones[0].clone();
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
