//! kswapd's run over the zones of a node, lowest first, in which the scan goal decides whether it
//! scans harder (mm/vmscan.c, `balance_pgdat` and `kswapd_shrink_zone`; 3.16).
//!
//! Modelled: the search for the highest zone in need; the walk upwards with the balance gap; the
//! scan goal of each zone, its high watermark; the next priority after a pass in which no zone
//! reached its goal; the end at priority 1; the patch that skips lower zones above their high
//! watermark.
//! Left out: compaction during a run. The kernel does not reclaim a zone for an order that
//! compaction could serve.
//! Visible difference: a run for a high order continues where the kernel would compact instead.
//! Invariants: zones are shrunk from the lowest up, never above the one found. The search ignores
//! lowmem_reserve, the gap test does not. The patch shrinks fewer zones, never other ones.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::{AllocFlags, Gfp};
use crate::mmzone::{WMARK_HIGH, WMARK_LOW};
use crate::record::decisions;
use crate::vmscan::active::ShrinkActiveList;
use crate::vmscan::direct::wake_throttled;
use crate::vmscan::kswapd::node_zones;
use crate::vmscan::lruvec::ShrinkLruvec;
use crate::vmscan::slab::ShrinkSlab;
use crate::vmscan::{ANON, DEF_PRIORITY, SWAP_CLUSTER_MAX, inactive_is_low, zone_reclaimable};
use crate::vmscan::{PassDone, Priority, ZoneUnreclaimable};
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use facts::amount::Pages;
use facts::index::{LruvecIndex, NodeIndex, ZoneIndex};
use facts::state::State;

decisions! {
    GapHoldsKept { zone: Zone, free: Count, high: Count, gap: Count, kept_back: Count }
        "{zone} has {free free page}, above high {high} + gap {gap} + reserve {kept_back}: it is not shrunk, and counts as sufficiently scanned.";
    GapFailsKept { zone: Zone, free: Count, high: Count, gap: Count, kept_back: Count }
        "{zone} has {free free page} but needs more than high {high} + gap {gap} + reserve {kept_back}: shrink it.";
    SkipBalanced { zone: Zone, free: Count, high: Count, kept_back: Count }
        "{zone} has {free free page}, above high ({high}): it is skipped, despite its lowmem_reserve of {kept_back}.";
    PriorityRises { priority: Count, reclaimed: Count }
        "Reclaim freed {reclaimed page}. Either that is 0, or no zone reached its scan goal: the next pass has priority {priority}.";
    PriorityStays { priority: Count, reclaimed: Count }
        "Reclaim freed {reclaimed page}, and a zone reached its scan goal or needed nothing: the priority stays at {priority}.";
}

room! {
    BalanceScans: "balance_pgdat (scans)" in "mm/vmscan.c" at "v3.16" line 3025;
    Simplified "The loop of 3.16 without compaction: no zone is compacted, and none is skipped because compaction could serve it." if |f| f.lru_owner == facts::kernel::LruOwner::Zone && f.kswapd_counts_scans();
    BcPt {
        Start 0 Plain "count pageoutrun, priority 12";
        Pass 0 Plain "do: nothing reclaimed yet";
        Find 1 Plain "find end_zone: the highest not above its high watermark";
        Zone 1 Plain "for each zone from the lowest up to end_zone:";
        Skip 2 Plain "above its high watermark, even if reserved: next zone" if |f| f.skip_balanced_lower_zones;
        Shrink 2 Plain "kswapd_shrink_zone()";
        Shrunk 2 Yields "scanned enough: the priority may stay";
        Order 1 Plain "reclaimed twice the order: continue for single pages";
        Raise 1 Plain "scanned or reclaimed too little: next priority";
        Until 0 Yields "while priority >= 1 and not pgdat_balanced()";
        Return 0 Yields "return the order and end_zone's class";
    }
    locals(self, w) {
        nid: node(self.node);
        order: number(self.order);
        end_zone: zone(self.end_zone);
        zone: zone(self.zone);
        raise_priority: number(self.raise);
    }
}

/// `balance_pgdat` of 3.16. Returns the order, and the class zone in the second byte.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct BalanceScans {
    /// Current program point.
    pub pt: BcPt,
    /// Node of kswapd.
    pub node: NodeIndex,
    /// Order to balance for.
    pub order: u8,
    /// Requested class zone.
    pub class: u8,
    /// Highest zone in need (zone index), `u8::MAX` before one is found.
    pub end_zone: ZoneIndex,
    /// Current zone (zone index), `u8::MAX` before the first.
    pub zone: ZoneIndex,
    /// True if the next pass scans harder (`raise_priority`).
    pub raise: bool,
}

impl BalanceScans {
    /// Frame of a call that starts a run.
    pub fn call(node: NodeIndex, order: u8, class: u8) -> Frame {
        Frame::BalanceScans(Self {
            pt: BcPt::Start,
            node,
            order,
            class,
            end_zone: ZoneIndex::NONE,
            zone: ZoneIndex::NONE,
            raise: true,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            BcPt::Start => {
                cx.sc.begin(Gfp::GFP_KERNEL, self.order, self.class, true);
                w.count_pass(self.node);
                self.pt = BcPt::Pass;
                Flow::Next
            }
            BcPt::Pass => {
                w.record(Priority {
                    priority: cx.sc.priority.into(),
                    reclaimed: cx.sc.nr_reclaimed.into(),
                });
                cx.sc.nr_reclaimed = 0;
                (self.raise, self.zone) = (true, ZoneIndex::NONE);
                self.pt = BcPt::Find;
                Flow::Next
            }
            BcPt::Find => self.find(w, cx, up),
            BcPt::Zone => self.next_zone(w, cx),
            BcPt::Skip => self.skip(w),
            BcPt::Shrink => {
                self.pt = BcPt::Shrunk;
                up.call(
                    KswapdShrinkZone::call(self.zone, self.end_zone, self.order),
                    w,
                    cx,
                )
            }
            BcPt::Shrunk => {
                self.raise &= cx.ret == 0;
                self.pt = BcPt::Zone;
                Flow::Next
            }
            BcPt::Order => {
                wake_throttled(w, self.node);
                if self.order > 0 && cx.sc.nr_reclaimed >= 2 << self.order {
                    (self.order, cx.sc.order) = (0, 0);
                }
                self.pt = BcPt::Raise;
                Flow::Next
            }
            BcPt::Raise => {
                let raises = self.raise || cx.sc.nr_reclaimed == 0;
                cx.sc.priority -= u8::from(raises);
                let (priority, reclaimed) = (cx.sc.priority.into(), cx.sc.nr_reclaimed.into());
                if raises {
                    w.record(PriorityRises {
                        priority,
                        reclaimed,
                    });
                } else {
                    w.record(PriorityStays {
                        priority,
                        reclaimed,
                    });
                }
                self.pt = BcPt::Until;
                Flow::Next
            }
            BcPt::Until => {
                let done =
                    cx.sc.priority == 0 || zones_balanced(w, self.node, self.order, self.class);
                self.pt = if done { BcPt::Return } else { BcPt::Pass };
                Flow::Next
            }
            BcPt::Return => {
                // A run that found no zone in need returns the lowest type, as the kernel does.
                let class = w.mem.zones.get(self.end_zone.index()).map_or(0, |z| z.kind);
                cx.ret = u32::from(self.order) | u32::from(class) << 8;
                Flow::Ret
            }
        }
    }

    /// Is the zone skipped because reclaim gave up on it?
    fn is_given_up(&self, w: &World, cx: &Context, zone: ZoneIndex) -> bool {
        cx.sc.priority != DEF_PRIORITY && !zone_reclaimable(w, zone)
    }

    /// Checks one zone of the search, from the top.
    fn find(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let mut below = None;
        for zone in node_zones(w, self.node, u8::MAX) {
            if zone < self.zone {
                below = Some(zone);
            }
        }
        let Some(zone) = below else {
            self.pt = BcPt::Return;
            return Flow::Next;
        };
        self.zone = zone;
        w.spend(w.facts.cost.zone_walk);
        if self.is_given_up(w, cx, zone) {
            return Flow::Next;
        }
        let z = &w.mem.zones[zone];
        let owner = z.lruvec;
        let test = WatermarkOk::new(zone, self.order, WMARK_HIGH, 0, AllocFlags::default());
        let (compared, _) = test.compared(w);
        if zone_balanced(w, zone, self.order, Pages::ZERO, 0) {
            super::zone_fine(w, &compared);
            uncongested(w, owner);
        } else {
            super::zone_in_need(w, &compared);
            (self.end_zone, self.zone) = (zone, ZoneIndex::NONE);
            // Slab caches are shrunk in proportion to the lists of these zones.
            cx.sc.reclaim_idx = w.mem.zones[zone].kind;
            self.pt = BcPt::Zone;
        }
        if inactive_is_low(w, owner, ANON) {
            return up.call(ShrinkActiveList::call(owner, 0, SWAP_CLUSTER_MAX), w, cx);
        }
        Flow::Next
    }

    fn next_zone(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let next = node_zones(w, self.node, u8::MAX)
            .find(|&z| (self.zone.is_none() || z > self.zone) && z <= self.end_zone);
        let Some(zone) = next else {
            self.pt = BcPt::Order;
            return Flow::Next;
        };
        self.zone = zone;
        if self.is_given_up(w, cx, zone) {
            w.record(ZoneUnreclaimable { zone });
        } else if w.facts.features.skip_balanced_lower_zones {
            self.pt = BcPt::Skip;
        } else {
            self.pt = BcPt::Shrink;
        }
        Flow::Next
    }

    /// Applies the patch of June 2014. Unlike the kernel's own gap test, the patch does not count a
    /// skipped zone as scanned enough, so that kswapd may scan harder sooner.
    fn skip(&mut self, w: &mut World) -> Flow {
        self.pt = BcPt::Shrink;
        if zone_balanced(w, self.zone, self.order, Pages::ZERO, 0) {
            let end = &w.mem.zones[self.end_zone];
            let z = &w.mem.zones[self.zone];
            let (high, reserve) = (z.mark(WMARK_HIGH), z.protection[end.kind as usize]);
            let (free, high, kept_back) = (z.nr_free_pages.into(), high.into(), reserve.into());
            w.record(SkipBalanced {
                zone: self.zone,
                free,
                high,
                kept_back,
            });
            self.pt = BcPt::Zone;
        }
        Flow::Next
    }
}

room! {
    KswapdShrinkZone: "kswapd_shrink_zone" in "mm/vmscan.c" at "v3.16" line 2930;
    Simplified "The test whether compaction could serve the order is left out." if |f| f.lru_owner == facts::kernel::LruOwner::Zone && f.kswapd_counts_scans();
    KzPt {
        Target 0 Plain "nr_to_reclaim = the high watermark, at least 32";
        Gap 0 Plain "above its high watermark and balance gap: enough";
        Slab 0 Plain "shrink_zone() is done: shrink_slab()";
        Flags 0 Plain "clear the writeback flag, and congested if balanced";
        Return 0 Yields "return whether enough was scanned";
    }
    locals(self, w) {
        zone: zone(self.zone);
        classzone_idx: zone(self.end_zone);
        order: number(self.order);
    }
}

/// `kswapd_shrink_zone`. Returns 1 if enough was scanned or the zone needed nothing.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct KswapdShrinkZone {
    /// Current program point.
    pub pt: KzPt,
    /// The zone to shrink (zone index).
    pub zone: ZoneIndex,
    /// The highest zone in need (zone index).
    pub end_zone: ZoneIndex,
    /// Order to balance for.
    pub order: u8,
    /// Number of pages reclaimed in earlier zones of the pass.
    pub before: u32,
}

impl KswapdShrinkZone {
    /// Frame of a call that shrinks a zone.
    pub fn call(zone: ZoneIndex, end_zone: ZoneIndex, order: u8) -> Frame {
        Frame::KswapdShrinkZone(Self {
            pt: KzPt::Target,
            zone,
            end_zone,
            order,
            before: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            KzPt::Target => {
                let high = w.mem.zones[self.zone].mark(WMARK_HIGH);
                cx.sc.nr_to_reclaim = high.get().max(SWAP_CLUSTER_MAX);
                cx.sc.nr_scanned = 0;
                self.before = cx.sc.nr_reclaimed;
                self.pt = KzPt::Gap;
                Flow::Next
            }
            KzPt::Gap => self.gap(w, cx, up),
            KzPt::Slab => {
                cx.sc.nr_reclaimed += cx.ret;
                self.pt = KzPt::Flags;
                let node = w.mem.zones[self.zone].node;
                up.call(ShrinkSlab::call(node), w, cx)
            }
            KzPt::Flags => {
                cx.sc.nr_reclaimed += cx.ret;
                let owner = w.mem.zones[self.zone].lruvec;
                w.mem.lruvecs[owner].writeback = false;
                let class = w.mem.zones[self.end_zone].kind;
                if zone_reclaimable(w, self.zone)
                    && zone_balanced(w, self.zone, self.order, Pages::ZERO, class)
                {
                    uncongested(w, owner);
                }
                self.pt = KzPt::Return;
                Flow::Next
            }
            KzPt::Return => {
                let (scanned, goal) = (cx.sc.nr_scanned, cx.sc.nr_to_reclaim);
                let freed = cx.sc.nr_reclaimed - self.before;
                w.record(PassDone {
                    scanned: scanned.into(),
                    goal: goal.into(),
                    freed: freed.into(),
                    priority: cx.sc.priority.into(),
                });
                cx.ret = u32::from(scanned >= goal);
                Flow::Ret
            }
        }
    }

    fn gap(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let class = w.mem.zones[self.end_zone].kind;
        let z = &w.mem.zones[self.zone];
        let (owner, high, reserve) = (z.lruvec, z.mark(WMARK_HIGH), z.protection[class as usize]);
        let gap = z.mark(WMARK_LOW).min(Pages::new(z.managed.div_ceil(100)));
        let (free, high, kept_back) = (z.nr_free_pages.into(), high.into(), reserve.into());
        if zone_balanced(w, self.zone, self.order, gap, class) {
            w.record(GapHoldsKept {
                zone: self.zone,
                free,
                high,
                gap: gap.into(),
                kept_back,
            });
            cx.ret = 1;
            return Flow::Ret;
        }
        w.record(GapFailsKept {
            zone: self.zone,
            free,
            high,
            gap: gap.into(),
            kept_back,
        });
        self.pt = KzPt::Slab;
        w.spend(w.facts.cost.reclaim_visit);
        up.call(ShrinkLruvec::call(owner), w, cx)
    }
}

/// Is a zone above its high watermark plus a gap, for a class zone (`zone_balanced`)?
pub fn zone_balanced(w: &mut World, zone: ZoneIndex, order: u8, gap: Pages, class: u8) -> bool {
    let mut test = WatermarkOk::new(zone, order, WMARK_HIGH, class, AllocFlags::default());
    test.min = gap;
    test.holds(w)
}

/// Clears the flags of a zone that is above its high watermark: congested, and all dirty at the
/// tail.
fn uncongested(w: &mut World, owner: LruvecIndex) {
    let l = &mut w.mem.lruvecs[owner];
    (l.congested, l.tail_dirty) = (false, false);
}

/// Is each zone up to the class above its high watermark without reserve, or given up as
/// unreclaimable? For higher orders zones with a quarter of the pages are enough (`pgdat_balanced`,
/// 3.8 to 4.5).
pub fn zones_balanced(w: &mut World, node: NodeIndex, order: u8, class: u8) -> bool {
    let (mut all, mut total, mut passed) = (true, 0, 0);
    for zone in w.mem.zones.indices() {
        let z = &w.mem.zones[zone];
        let (kind, managed) = (z.kind, z.managed);
        if z.node != node || kind > class {
            continue;
        }
        total += managed;
        if !zone_reclaimable(w, zone) || zone_balanced(w, zone, order, Pages::ZERO, kind) {
            passed += managed;
        } else {
            all = false;
        }
    }
    if order == 0 { all } else { passed >= total / 4 }
}
