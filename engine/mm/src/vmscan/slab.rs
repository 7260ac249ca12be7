//! Shrinking slab caches in proportion to the LRU lists (mm/vmscan.c, `shrink_slab`; fs/dcache.c and
//! fs/inode.c, fs/super.c from 3.1 on).
//!
//! Modelled: the shrinkers of dentries and inodes, separate up to 3.0, later one for both; the
//! rules for how many objects to scan, batches of 128, objects carried over. Nothing is scanned for
//! a reclaimer that may not call into file systems.
//! Left out: other shrinkers; more than one file system. From 3.12 to 4.7 direct reclaim scans the
//! lists of the preferred node only.
//! Visible difference: the scans of a kernel of those years with unused objects on several nodes.
//! Invariants: a pass never scans more than twice the objects of the cache.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::{Features, LruOwner, SlabShrinkers};
use crate::record::decisions;
use crate::slab::{scan_dentries, scan_inodes};
use crate::world::World;
use facts::index::{NodeIndex, ZoneIndex};
use facts::state::State;

/// Number of objects in a batch (`SHRINK_BATCH`).
pub const SHRINK_BATCH: u64 = 128;
/// Cost of scanning an object relative to a page (`DEFAULT_SEEKS`).
const DEFAULT_SEEKS: u64 = 2;
/// Index of the inode shrinker in kernels with separate shrinkers; the dentry shrinker has index 0.
const ICACHE: u8 = 1;

/// Numbers of objects that a pass scans and carries over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Number of objects to scan.
    pub scan: u64,
    /// Number of objects carried over to the next pass.
    pub carry: u64,
}

/// The number of objects to scan: whole batches, and also the remainder if `remainders` allows it
/// and no other objects are left.
fn batches(total: u64, freeable: u64, remainders: bool) -> u64 {
    let (mut left, mut scan) = (total, 0);
    while left > 0 && (left >= SHRINK_BATCH || remainders && left >= freeable) {
        let batch = left.min(SHRINK_BATCH);
        scan += batch;
        left -= batch;
    }
    scan
}

/// The rule of the per-zone era: the share of `max` objects follows the share of LRU pages scanned.
pub fn zone_pass(rules: &Features, scanned: u64, lru_pages: u64, max: u64, carried: u64) -> Pass {
    let scanned = if scanned == 0 { 32 } else { scanned };
    let delta = 4 * scanned / DEFAULT_SEEKS * max / (lru_pages + 1);
    let mut total = carried + delta;
    if rules.slab_step_capped && delta < max / 4 {
        total = total.min(max / 2);
    }
    total = total.min(2 * max);
    let scan = batches(total, max, rules.slab_remainders);
    Pass {
        scan,
        carry: total - scan,
    }
}

/// The rule of the per-node era: in proportion to the priority.
pub fn node_pass(freeable: u64, priority: u8, carried: u64) -> Pass {
    let delta = (freeable >> priority) * 4 / DEFAULT_SEEKS;
    let total = ((carried >> priority) + delta).min(2 * freeable);
    let scan = batches(total, freeable, true);
    Pass {
        scan,
        carry: (carried + delta).saturating_sub(scan).min(2 * freeable),
    }
}

/// Number of objects on a node's lists that a shrinker reports as freeable (`shrink_dcache_memory`,
/// `shrink_icache_memory`, `prune_super`, `super_cache_count`). Up to 3.11 these are whole
/// hundreds, because of how `vfs_cache_pressure` was applied.
fn freeable(w: &World, shrinker: u8, node: NodeIndex) -> u64 {
    let dentries = w.slab.dentries.freeable(node);
    let inodes = w.slab.inodes.freeable(node);
    match w.facts.features.slab_shrinkers {
        SlabShrinkers::Caches if shrinker == ICACHE => inodes / 100 * 100,
        SlabShrinkers::Caches => dentries / 100 * 100,
        SlabShrinkers::Super => (dentries + inodes + 1) / 100 * 100,
        SlabShrinkers::SuperOfNode | SlabShrinkers::SuperAtLeastOne => dentries + inodes,
    }
}

/// The result of one batch.
struct Batch {
    dentries: u32,
    inodes: u32,
    /// Number of cached pages freed with their inodes.
    stolen: u32,
}

/// Makes all shrinkers scan all objects on a node's lists twice, however many pages were scanned
/// (`drop_slab`, fs/drop_caches.c; later `shrink_slab` at priority 0). Returns the number of
/// objects freed.
pub fn drop_slab_node(w: &mut World, node: NodeIndex) -> u32 {
    let last = match w.facts.features.slab_shrinkers {
        SlabShrinkers::Caches => ICACHE,
        _ => 0,
    };
    (0..=last)
        .map(|shrinker| drop_objects(w, shrinker, node))
        .sum()
}

fn drop_objects(w: &mut World, shrinker: u8, node: NodeIndex) -> u32 {
    let objects = freeable(w, shrinker, node);
    let scanned = batches(2 * objects, objects, w.facts.features.slab_remainders);
    let (mut left, mut freed) = (scanned as u32, 0);
    w.counters.slabs_scanned += scanned;
    while left > 0 {
        let batch = left.min(SHRINK_BATCH as u32);
        let done = scan(w, shrinker, node, batch);
        w.spend(w.facts.cost.slab_scan * batch + w.facts.cost.inode_free * done.inodes);
        freed += done.dentries + done.inodes;
        left -= batch;
    }
    freed
}

/// Makes a shrinker scan `objects` objects: its own, or dentries and inodes by their share
/// (`prune_super`, `super_cache_scan`).
fn scan(w: &mut World, shrinker: u8, node: NodeIndex, objects: u32) -> Batch {
    let counts = [w.slab.dentries.freeable(node), w.slab.inodes.freeable(node)];
    let total: u64 = counts.iter().sum();
    let share = |count: u64, total: u64| (u64::from(objects) * count / total.max(1)) as u32;
    let [dentries, inodes] = match w.facts.features.slab_shrinkers {
        SlabShrinkers::Caches if shrinker == ICACHE => [0, objects],
        SlabShrinkers::Caches => [objects, 0],
        SlabShrinkers::Super | SlabShrinkers::SuperOfNode => {
            counts.map(|count| share(count, total + 1))
        }
        SlabShrinkers::SuperAtLeastOne => counts.map(|count| share(count, total) + 1),
    };
    let dentries = scan_dentries(w, node, dentries);
    let (inodes, stolen) = scan_inodes(w, node, inodes);
    Batch {
        dentries,
        inodes,
        stolen,
    }
}

decisions! {
    SlabScan { objects: Count, dentries: Count, inodes: Count, pages: Count }
        "The shrinkers scanned {objects object}. They freed {dentries dentry} and {inodes inode}, with {pages cached page}.";
    SlabCount { objects: Count, scan: Count, carry: Count }
        "The shrinker can free {objects object}: scan {scan} now and carry {carry} over to the next call.";
}

room! {
    ShrinkSlab: "shrink_slab" in "mm/vmscan.c" at "v6.1.176" line 986;
    Simplified "Only the shrinkers of dentries and inodes, for one file system.";
    SbPt {
        Count 0 Plain "for each shrinker: how many objects to scan";
        Scan 0 Plain "while 128 are left: scan the 128 oldest";
        Free 1 Plain "a slab was left empty: free it";
        Done 0 Yields "return the pages freed";
    }
    locals(self, w) {
        nid: node(self.node);
        total_scan: number(self.left);
        freed: number(self.freed);
    }
}

/// `shrink_slab`. Returns the number of pages freed; the number of objects freed is in
/// [`super::ScanControl::nr_slab`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ShrinkSlab {
    /// Current program point.
    pub pt: SbPt,
    /// Node whose lists are scanned.
    pub node: NodeIndex,
    /// The only zone whose pages were scanned, `u8::MAX` for all zones.
    pub zone: ZoneIndex,
    /// The current shrinker.
    pub shrinker: u8,
    /// Number of objects left to scan.
    pub left: u32,
    /// Number of pages freed.
    pub freed: u32,
    /// Number of these pages that were cached pages freed with their inodes.
    pub stolen: u32,
}

impl ShrinkSlab {
    /// Frame of a call that starts a pass.
    pub fn call(node: NodeIndex) -> Frame {
        Self::of_zone(node, ZoneIndex::NONE)
    }

    /// Frame of a call that starts a pass in proportion to the pages scanned in one zone
    /// (`__zone_reclaim`).
    pub fn of_zone(node: NodeIndex, zone: ZoneIndex) -> Frame {
        Frame::ShrinkSlab(Self {
            pt: SbPt::Count,
            node,
            zone,
            shrinker: 0,
            left: 0,
            freed: 0,
            stolen: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            SbPt::Count => {
                if self.shrinker == 0 {
                    cx.sc.nr_slab = 0;
                }
                self.count(w, cx);
                self.pt = SbPt::Scan;
                Flow::Next
            }
            SbPt::Scan => {
                if self.left == 0 {
                    self.pt = SbPt::Free;
                    return Flow::Next;
                }
                self.batch(w, cx);
                Flow::Next
            }
            SbPt::Free => match crate::slab::take_loose(w) {
                Some((frame, order)) => {
                    self.freed += 1 << order;
                    up.call(crate::pcp::FreePages::call(frame, order), w, cx)
                }
                None => {
                    let apart = w.facts.features.slab_shrinkers == SlabShrinkers::Caches;
                    let another = apart && self.shrinker < ICACHE;
                    self.pt = if another { SbPt::Count } else { SbPt::Done };
                    self.shrinker += u8::from(another);
                    Flow::Next
                }
            },
            SbPt::Done => {
                cx.ret = if w.facts.features.inode_steals_count {
                    self.freed
                } else {
                    self.freed.saturating_sub(self.stolen)
                };
                Flow::Ret
            }
        }
    }

    fn batch(&mut self, w: &mut World, cx: &mut Context) {
        let batch = self.left.min(SHRINK_BATCH as u32);
        self.left -= batch;
        w.counters.slabs_scanned += u64::from(batch);
        w.spend(w.facts.cost.slab_scan * batch);
        let before = freeable(w, self.shrinker, self.node);
        let done = scan(w, self.shrinker, self.node, batch);
        w.spend(w.facts.cost.inode_free * done.inodes);
        self.stolen += done.stolen;
        // Up to 3.11 a shrinker returns how many objects are left, later how many it freed.
        cx.sc.nr_slab += match w.facts.features.slab_shrinkers {
            SlabShrinkers::Caches | SlabShrinkers::Super => {
                before.saturating_sub(freeable(w, self.shrinker, self.node)) as u32
            }
            SlabShrinkers::SuperOfNode | SlabShrinkers::SuperAtLeastOne => {
                done.dentries + done.inodes
            }
        };
        w.record(SlabScan {
            objects: batch.into(),
            dentries: done.dentries.into(),
            inodes: done.inodes.into(),
            pages: done.stolen.into(),
        });
    }

    fn count(&mut self, w: &mut World, cx: &mut Context) {
        let objects = freeable(w, self.shrinker, self.node);
        let carried = *w.slab.deferred(self.shrinker, self.node);
        let mut pass = match w.facts.features.lru_owner {
            LruOwner::Zone => {
                let pages = self.lru_pages(w, cx);
                let scanned = cx.sc.nr_scanned.into();
                zone_pass(&w.facts.features, scanned, pages, objects, carried)
            }
            LruOwner::Node => node_pass(objects, cx.sc.priority, carried),
        };
        if !cx.sc.gfp.has(Gfp::FS) {
            pass.carry += std::mem::take(&mut pass.scan);
        }
        *w.slab.deferred(self.shrinker, self.node) = pass.carry;
        self.left = pass.scan as u32;
        w.record(SlabCount {
            objects: objects as i64,
            scan: pass.scan as i64,
            carry: pass.carry as i64,
        });
    }

    /// Number of pages on the lists of the scanned zones: one zone, those of kswapd's node, or all.
    pub fn lru_pages(&self, w: &World, cx: &Context) -> u64 {
        let one = w.mem.zones.at(self.zone);
        let all = if one.is_some() {
            [].iter()
        } else {
            w.mem.zones.iter()
        };
        let all =
            all.filter(|z| z.kind <= cx.sc.reclaim_idx && (!cx.sc.kswapd || z.node == self.node));
        let zones = one.into_iter().chain(all);
        zones
            .map(|z| u64::from(super::zone_reclaimable_pages(w, z)))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_slab_in_proportion_to_the_lists() {
        let pass = |scan, carry| Pass { scan, carry };
        let rules = features("3.1");
        let zone_pass = |scanned, carried| zone_pass(&rules, scanned, 100_000, 20_000, carried);
        assert_eq!(zone_pass(1000, 0), pass(384, 15));
        assert_eq!(zone_pass(1000, 100), pass(384, 115));
        assert_eq!(zone_pass(32, 50_000), pass(78 * 128, 16));
        assert_eq!(node_pass(20_000, 12, 0), pass(0, 8));
        assert_eq!(node_pass(20_000, 4, 0), pass(2432, 68));
        assert_eq!(node_pass(100, 0, 0), pass(128, 72));
    }

    #[test]
    fn scans_a_partial_batch_if_no_other_objects_are_left() {
        assert_eq!(batches(300, 1000, true), 256);
        assert_eq!(batches(300, 40, true), 300);
        assert_eq!(batches(300, 40, false), 256);
        let scan = |kernel| zone_pass(&features(kernel), 1000, 100, 50, 0).scan;
        assert_eq!([scan("3.1"), scan("3.16")], [0, 100]);
    }

    /// Before 3.1, carried-over objects are scanned up to twice the number of objects in the cache.
    #[test]
    fn caps_the_carried_over_objects_of_a_small_step_from_3_1_on() {
        let scan = |kernel| zone_pass(&features(kernel), 32, 100_000, 20_000, 50_000).scan;
        let capped = 78 * 128;
        let found = ["2.6.37", "3.0", "3.1", "3.16"].map(scan);
        assert_eq!(found, [312 * 128, 312 * 128, capped, capped]);
    }

    /// A zone that was not scanned counts as 32 pages.
    #[test]
    fn scans_a_slab_batch_every_eleven_visits_of_a_zone_that_is_not_shrunk() {
        let rules = features("2.6.37");
        let (mut carried, mut visits) = (0, Vec::new());
        for visit in 1..=22 {
            let pass = zone_pass(&rules, 0, 100_000, 20_000, carried);
            carried = pass.carry;
            if pass.scan > 0 {
                assert_eq!(pass.scan, 128);
                visits.push(visit);
            }
        }
        assert_eq!((visits, carried), (vec![11, 22], 22 * 12 - 256));
    }

    fn features(kernel: &str) -> Features {
        crate::kernel::find(kernel).expect("a kernel").features
    }
}
