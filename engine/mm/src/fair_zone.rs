//! The fair zone allocation policy (mm/page_alloc.c; 3.12 to 4.7).
//!
//! Modelled: NR_ALLOC_BATCH of each zone; the first walk, which skips zones of other nodes and
//! zones whose batch is used up; the reset before the second walk.
//! Left out: the drift of per-cpu counters, which matters more than the batch in zones of a few
//! batches; the single walk of 3.17.
//! Visible difference: here, runs of pages from one zone are exactly a batch long.
//! Invariants: a batch is never above high - low; the order of the walk is that of the zonelist.

use crate::gfp::AllocFlags;
use crate::mmzone::Zone;
use crate::page_alloc::Request;
use crate::record::decisions;
use crate::world::World;
use facts::index::ZoneIndex;

decisions! {
    FairRemote { zone: Zone }
        "{zone} is not on the node of the preferred zone: the fair walk skips it.";
    FairSpent { zone: Zone, batch: Count }
        "{zone} has used up its batch of {batch page}: the fair walk skips it.";
    FairReset { zone: Zone, zones: Count, left: Count }
        "The fair walk found no page. The kernel resets the batches of {zones zone} from {zone} on, of which {left page} remained. Walk again over all zones.";
}

/// Flags of the first walk of an allocation (`ALLOC_FAIR`, `__alloc_pages_nodemask`).
pub fn first_walk(w: &World, flags: AllocFlags) -> AllocFlags {
    if w.facts.features.fair_zone_policy {
        flags.with(AllocFlags::FAIR)
    } else {
        flags
    }
}

/// Pages that a zone may hand out before the other zones have their turn: high - low. A zone's
/// share of all batches equals its share of memory.
pub fn batch_size(zone: &Zone) -> i32 {
    let [_, low, high] = zone.wmark;
    i32::try_from((high - low).get()).unwrap_or(i32::MAX)
}

/// Resets a zone's batch after its watermarks were computed (`__setup_per_zone_wmarks`).
pub fn marks_moved(is_fair: bool, zone: &mut Zone) {
    zone.alloc_batch = if is_fair { batch_size(zone) } else { 0 };
}

/// Subtracts a block that was taken from a zone, on either walk (`buffered_rmqueue`).
#[inline]
pub fn spend(w: &mut World, zone: ZoneIndex, order: u8) {
    if w.facts.features.fair_zone_policy {
        let batch = &mut w.mem.zones[zone].alloc_batch;
        *batch = batch.saturating_sub(1 << order);
    }
}

/// Does a fair walk skip this zone, because it is on another node than the preferred zone or its batch
/// is used up (`get_page_from_freelist`)?
pub fn passes_over(w: &mut World, rq: &Request, flags: AllocFlags, zone: ZoneIndex) -> bool {
    if !flags.has(AllocFlags::FAIR) {
        return false;
    }
    let z = &w.mem.zones[zone];
    let (batch, size) = (z.alloc_batch, batch_size(z));
    if z.node != w.mem.zones[rq.preferred].node {
        w.record(FairRemote { zone });
        return true;
    }
    if batch <= 0 {
        w.record(FairSpent {
            zone,
            batch: size as i64,
        });
        return true;
    }
    false
}

/// Gives all zones that the fair walk checked a new batch, because the walk found no page
/// (`reset_alloc_batches`).
pub fn reset_alloc_batches(w: &mut World, rq: &Request) {
    let home = w.mem.zones[rq.preferred].node;
    let list = rq.node;
    let (mut zones, mut left) = (0, 0);
    for place in 0..w.facts.zonelists[list].len() {
        let zone = w.facts.zonelists[list][place];
        let z = &mut w.mem.zones[zone];
        if z.kind > rq.high || z.node != home {
            continue;
        }
        left += z.alloc_batch.max(0) as u32;
        z.alloc_batch = batch_size(z);
        zones += 1;
        w.spend(w.facts.cost.zone_walk);
    }
    w.record(FairReset {
        zone: rq.preferred,
        zones: zones.into(),
        left: left.into(),
    });
}
