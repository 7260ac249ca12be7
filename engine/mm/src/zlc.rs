//! The zonelist cache (mm/page_alloc.c: `zlc_setup`, `zlc_zone_worth_trying`, `zlc_mark_zone_full`,
//! `zlc_clear_zones_full`; up to 4.3).
//!
//! Modelled: one bit for each entry of a node's zonelist, and when all bits were last cleared.
//! Left out: the nodes a cpuset allows; bits on a machine with one node, where nothing reads them.
//! Visible difference: none.
//! Invariants: only [`mark_full`] sets a bit, and only [`setup`] and [`clear_all`] clear one; more
//! than a second passes between two clearings by [`setup`].

use crate::kernel::ZonelistCache;
use crate::record::decisions;
use crate::world::World;
use facts::index::{IndexVec, ZonelistIndex};
use facts::state::State;

decisions! {
    ZlcZap { passed: Jiffies, node: Node, second: Jiffies }
        "The periodic clearing of {node}'s zonelist cache last ran {passed jiffy} ago, more than {second} (a second): all its full flags are cleared.";
    ZlcFresh { passed: Jiffies, node: Node, second: Jiffies }
        "The periodic clearing of {node}'s zonelist cache last ran {passed jiffy} ago, at most {second} (a second): its full flags stay.";
}

/// What is recorded about a node's zonelist (`struct zonelist_cache`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Zlc {
    /// Bit i is set if the zone at index i of the list was found full (`fullzones`).
    pub fullzones: u64,
    /// When all bits were last cleared, in jiffies (`last_full_zap`).
    pub last_full_zap: u64,
}

/// The caches of a machine: one for each node's list; empty if the kernel has none or there is only
/// one node.
pub fn caches(cache: ZonelistCache, nodes: usize) -> IndexVec<ZonelistIndex, Zlc> {
    match cache {
        ZonelistCache::Removed => IndexVec::default(),
        _ if nodes < 2 => IndexVec::default(),
        _ => vec![Zlc::default(); nodes].into(),
    }
}

/// Does the list that a request walks have a cache? Lists of only a node's own zones have none.
pub fn is_cached(w: &World, node: ZonelistIndex) -> bool {
    w.zlc.at(node).is_some()
}

/// `zlc_setup`: clears all bits if more than a second has passed since it last cleared them.
pub fn setup(w: &mut World, node: ZonelistIndex) {
    let (now, second) = (w.jiffies(), u64::from(w.facts.hz));
    let owner = w.home(node);
    let zlc = &mut w.zlc[node];
    // The clocks of CPUs differ by some microseconds: another CPU may have cleared the bits "after"
    // now.
    let passed = now.saturating_sub(zlc.last_full_zap);
    if passed > second {
        *zlc = Zlc {
            fullzones: 0,
            last_full_zap: now,
        };
        w.record(ZlcZap {
            passed: passed as i64,
            node: owner,
            second: second as i64,
        });
    } else {
        w.record(ZlcFresh {
            passed: passed as i64,
            node: owner,
            second: second as i64,
        });
    }
}

/// `zlc_zone_worth_trying`: true if the zone was not found full since the last clearing. On a list
/// without a cache every zone is worth trying.
pub fn worth_trying(w: &World, node: ZonelistIndex, place: u8) -> bool {
    let zlc = w.zlc.at(node);
    zlc.is_none_or(|zlc| zlc.fullzones >> place & 1 == 0)
}

/// `zlc_mark_zone_full`.
pub fn mark_full(w: &mut World, node: ZonelistIndex, place: u8) {
    w.zlc[node].fullzones |= 1 << place;
}

/// `zlc_clear_zones_full`: direct reclaim freed pages, so every zone is worth checking again. The
/// time of the last clearing does not change.
pub fn clear_all(w: &mut World, node: ZonelistIndex) {
    w.zlc[node].fullzones = 0;
}
