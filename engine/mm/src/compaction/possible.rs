//! The check whether compaction could make a block, in later kernels (mm/compaction.c,
//! `compaction_suitable`; mm/vmscan.c, `compaction_ready`; both of 5.10 to 6.12).
//!
//! Modelled: the check by which reclaim leaves a zone to compaction. The check itself needs no
//! compaction.
//! Left out: compaction of these kernels; deferral, which reclaim does not check.
//! Visible difference: reclaim yields to a compaction that never happens here, so the request
//! fails.
//! Invariants: the checks change nothing.

use crate::compaction::EXTFRAG_THRESHOLD;
use crate::compaction::control::fragmentation_index;
use crate::gfp::AllocFlags;
use crate::mmzone::{WMARK_HIGH, WMARK_LOW, WMARK_MIN};
use crate::record::decisions;
use crate::slowpath::COSTLY_ORDER;
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use facts::amount::Pages;
use facts::index::ZoneIndex;

decisions! {
    CompactionReady { zone: Zone, order: Order, free: Count }
        "{zone} has {free free page}, enough for a block of {order} or for compaction to make one: direct reclaim skips this zone.";
}

/// What compaction could do for an order in a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Possible {
    /// Nothing is needed: the zone passes the check for the order (`COMPACT_SUCCESS`).
    Unneeded,
    /// Too few pages are free, or the zone lacks memory rather than large blocks (`COMPACT_SKIPPED`).
    No,
    /// Compaction could make a block (`COMPACT_CONTINUE`).
    Yes,
}

/// Free pages that a run needs above a watermark (`compact_gap`).
fn gap(order: u8) -> Pages {
    Pages::new(2 << order)
}

/// Does the zone pass an order-0 check at this watermark plus a gap?
fn has_room(w: &mut World, (zone, order, high): (ZoneIndex, u8, u8), mark: u8) -> bool {
    let mut test = WatermarkOk::new(zone, 0, mark, high, AllocFlags::default());
    test.min = gap(order);
    test.holds(w)
}

/// `compaction_suitable`, for a request whose highest zone type is `high`.
pub fn compaction_possible(w: &mut World, zone: ZoneIndex, order: u8, high: u8) -> Possible {
    if WatermarkOk::new(zone, order, WMARK_MIN, high, AllocFlags::default()).holds(w) {
        return Possible::Unneeded;
    }
    let is_costly = order > COSTLY_ORDER;
    let mark = if is_costly { WMARK_LOW } else { WMARK_MIN };
    if !has_room(w, (zone, order, high), mark) {
        return Possible::No;
    }
    let index = fragmentation_index(&w.mem.zones[zone].nr_free, order);
    if is_costly && (0..=EXTFRAG_THRESHOLD).contains(&index) {
        return Possible::No;
    }
    Possible::Yes
}

/// `compaction_ready`: must direct reclaim for a costly order skip this zone?
pub fn compaction_ready(w: &mut World, zone: ZoneIndex, order: u8, high: u8) -> bool {
    let ready = match compaction_possible(w, zone, order, high) {
        Possible::Unneeded => true,
        Possible::No => false,
        Possible::Yes => has_room(w, (zone, order, high), WMARK_HIGH),
    };
    if ready {
        let free = w.mem.zones[zone].nr_free_pages.into();
        w.record(CompactionReady { zone, order, free });
    }
    ready
}
