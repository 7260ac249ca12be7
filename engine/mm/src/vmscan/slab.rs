//! Shrinking slab caches in step with the lists (mm/vmscan.c, `shrink_slab`).
//!
//! Modelled: the inode cache as one shrinker, both rules for how many of its objects to scan,
//! batches of 128, what is carried over.
//! Left out: other shrinkers; dentries are counted with their inodes.
//! Invariants: scanned objects never exceed twice the cache's.

use crate::frames::{Context, Flow, Frame, points};
use crate::kernel::LruOwner;
use crate::view::Local;
use crate::why::Why;
use crate::world::World;

/// Objects of a batch (`SHRINK_BATCH`).
pub const SHRINK_BATCH: u64 = 128;
/// What scanning an object costs against a page (`DEFAULT_SEEKS`).
const DEFAULT_SEEKS: u64 = 2;

/// What a pass scans, and what is carried over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Objects to scan.
    pub scan: u64,
    /// Carried to the next pass.
    pub carry: u64,
}

/// The rule of the per-zone era: in proportion to the share of LRU pages scanned.
pub fn zone_pass(scanned: u64, lru_pages: u64, max: u64, carried: u64) -> Pass {
    let scanned = if scanned == 0 { 32 } else { scanned };
    let delta = 4 * scanned / DEFAULT_SEEKS * max / (lru_pages + 1);
    let mut total = carried + delta;
    if delta < max / 4 {
        total = total.min(max / 2);
    }
    total = total.min(2 * max);
    let scan = total / SHRINK_BATCH * SHRINK_BATCH;
    Pass {
        scan,
        carry: total - scan,
    }
}

/// The rule of the per-node era: in proportion to the priority.
pub fn node_pass(freeable: u64, priority: u8, carried: u64) -> Pass {
    let delta = (freeable >> priority) * 4 / DEFAULT_SEEKS;
    let total = ((carried >> priority) + delta).min(2 * freeable);
    let (mut left, mut scan) = (total, 0);
    while left > 0 && (left >= SHRINK_BATCH || left >= freeable) {
        let batch = left.min(SHRINK_BATCH);
        scan += batch;
        left -= batch;
    }
    Pass {
        scan,
        carry: (carried + delta).saturating_sub(scan).min(2 * freeable),
    }
}

points! {
    /// Program points of `shrink_slab`.
    SbPt {
        Count 0 Plain "how many objects of the inode cache to scan";
        Scan 0 Plain "while 128 are left: look at 128 of its least recently used objects";
        Free 1 Plain "a slab was left empty: free it";
        Done 0 Yields "return the pages freed";
    }
}

/// `shrink_slab`. Returns pages freed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShrinkSlab {
    /// Where it stands.
    pub pt: SbPt,
    /// Node.
    pub node: u8,
    /// The one zone whose pages were scanned, `u8::MAX` for all.
    pub zone: u8,
    /// Objects left to scan.
    pub left: u32,
    /// Pages freed.
    pub freed: u32,
}

impl ShrinkSlab {
    /// A pass about to begin.
    pub fn call(node: u8) -> Frame {
        Self::of_zone(node, u8::MAX)
    }

    /// A pass in proportion to what was scanned of one zone (`__zone_reclaim`).
    pub fn of_zone(node: u8, zone: u8) -> Frame {
        Frame::ShrinkSlab(Self {
            pt: SbPt::Count,
            node,
            zone,
            left: 0,
            freed: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            SbPt::Count => {
                self.count(w, cx);
                self.pt = if self.left > 0 {
                    SbPt::Scan
                } else {
                    SbPt::Done
                };
                Flow::Next
            }
            SbPt::Scan => {
                if self.left == 0 {
                    self.pt = SbPt::Free;
                    return Flow::Next;
                }
                let batch = self.left.min(SHRINK_BATCH as u32);
                self.left -= batch;
                w.counters.slabs_scanned += u64::from(batch);
                w.spend(w.facts.cost.slab_scan * batch);
                let inodes = crate::slab::scan_inodes(w, self.node, batch);
                w.spend(w.facts.cost.inode_free * inodes);
                w.why(Why::SlabScan, [batch, inodes, 0, 0, 0, 0]);
                Flow::Next
            }
            SbPt::Free => match crate::slab::take_loose(w) {
                Some((frame, order)) => {
                    self.freed += 1 << order;
                    Flow::Call(crate::pcp::FreePages::call(frame, order))
                }
                None => {
                    self.pt = SbPt::Done;
                    Flow::Next
                }
            },
            SbPt::Done => {
                cx.ret = self.freed;
                Flow::Ret
            }
        }
    }

    fn count(&mut self, w: &mut World, cx: &mut Context) {
        let objects = w.slab.inodes.freeable(self.node);
        let carried = w.slab.inodes.carried(self.node);
        let pass = match w.facts.lru_owner() {
            LruOwner::Zone => {
                let one = w.mem.zones.get(usize::from(self.zone));
                let all = if one.is_some() {
                    &[]
                } else {
                    w.mem.zones.as_slice()
                };
                let all = all.iter().filter(|z| z.kind <= cx.sc.reclaim_idx);
                let zones = one.into_iter().chain(all);
                let pages: u64 = zones
                    .map(|z| u64::from(super::zone_reclaimable_pages(w, z)))
                    .sum();
                zone_pass(cx.sc.nr_scanned.into(), pages, objects, carried)
            }
            LruOwner::Node => node_pass(objects, cx.sc.priority, carried),
        };
        w.slab.inodes.carry(self.node, pass.carry);
        self.left = pass.scan as u32;
        let n = [objects as u32, pass.scan as u32, pass.carry as u32, 0, 0, 0];
        w.why(Why::SlabCount, n);
    }

    /// Arguments and locals.
    pub fn locals(&self, _w: &World) -> Vec<Local> {
        use crate::show::number;
        vec![
            number("nid", self.node),
            number("total_scan", self.left),
            number("freed", self.freed),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dossier's example 8.
    #[test]
    fn slab_is_scanned_in_step_with_the_lists() {
        let pass = |scan, carry| Pass { scan, carry };
        assert_eq!(zone_pass(1000, 100_000, 20_000, 0), pass(384, 15));
        assert_eq!(zone_pass(1000, 100_000, 20_000, 100), pass(384, 115));
        assert_eq!(zone_pass(32, 100_000, 20_000, 50_000), pass(78 * 128, 16));
        assert_eq!(node_pass(20_000, 12, 0), pass(0, 8));
        assert_eq!(node_pass(20_000, 4, 0), pass(2432, 68));
        assert_eq!(node_pass(100, 0, 0), pass(128, 72));
    }
}
