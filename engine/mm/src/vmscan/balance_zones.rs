//! kswapd's run over the zones of a node, lowest first (mm/vmscan.c, `balance_pgdat`; 2.6.37 to
//! 3.8).
//!
//! Modelled: the search for the highest zone in need; the walk upwards with the balance gap; slab
//! shrinking for each zone; zones given up as unreclaimable; the naps below priority 10; starting
//! over after 32 pages; the rules for higher orders and the end of such a run. The loop of 3.16 is
//! [`super::balance_scans`].
//! Left out: zones that compaction could serve, from 3.2 on; in 3.8 kswapd naps only if a zone has
//! a congested queue.
//! Invariants: the search for a zone in need ignores lowmem_reserve, the later tests do not.

use crate::compaction::CompactZone;
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::{AllocFlags, Gfp, UNMOVABLE};
use crate::kernel::Compaction;
use crate::mmzone::{WMARK_HIGH, WMARK_LOW, WMARK_MIN};
use crate::record::decisions;
use crate::vmscan::active::ShrinkActiveList;
use crate::vmscan::kswapd::node_zones;
use crate::vmscan::lruvec::ShrinkLruvec;
use crate::vmscan::slab::ShrinkSlab;
use crate::vmscan::throttle::CongestionWait;
use crate::vmscan::{ANON, DEF_PRIORITY, SWAP_CLUSTER_MAX, inactive_is_low, zone_reclaimable};
use crate::vmscan::{Priority, ZoneUnreclaimable};
use crate::watermark_ok::Compared;
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use facts::amount::Pages;
use facts::index::{NodeIndex, ZoneIndex};
use facts::state::State;

decisions! {
    ZoneInNeedKept { zone: Zone, free: Count, counted: Count, kept_back: Count, needs: Count }
        "{zone} has {free free page}; the watermark check counts {counted}, which is not above {needs} (high + reserve {kept_back}).";
    ZoneFineKept { zone: Zone, free: Count, counted: Count, kept_back: Count, needs: Count }
        "{zone} has {free free page}; the watermark check counts {counted}, which is above {needs} (high + reserve {kept_back}).";
    GapHolds { zone: Zone, free: Count, counted: Count, high: Count, gap: Count, kept_back: Count }
        "{zone} has {free free page}; the watermark check counts {counted}, above high {high} + gap {gap} + reserve {kept_back}: it is not shrunk.";
    GapFails { zone: Zone, free: Count, counted: Count, high: Count, gap: Count, kept_back: Count }
        "{zone} has {free free page}; the watermark check counts {counted}, not above high {high} + gap {gap} + reserve {kept_back}: shrink it.";
    GapFailsOrder { zone: Zone, free: Count, counted: Count, high: Count, gap: Count, kept_back: Count }
        "{zone} has {free free page}; the watermark check counts {counted}, above high {high} + gap {gap} + reserve {kept_back}, but in small blocks: shrink it.";
    LoopAgain { node: Node, reclaimed: Count }
        "Reclaim freed {reclaimed page}, but not all zones of {node} are balanced: start over at priority 12.";
}

room! {
    BalanceZones: "balance_pgdat (zones)" in "mm/vmscan.c" at "v3.0.1" line 2386;
    Simplified "The loop of kernels with per-zone lists, 2.6.37 to 3.8. From 3.0 on nothing is compacted. Between two priorities kswapd waits as in 3.7; 3.8 waits only if a zone has a congested queue." if |f| f.lru_owner == facts::kernel::LruOwner::Zone && !f.kswapd_counts_scans();
    BzPt {
        Start 0 Plain "loop_again: count pageoutrun";
        Priority 0 Plain "for priority 12 down to 0:";
        Find 1 Plain "find end_zone: the highest below its high watermark";
        Zone 1 Plain "for each zone from the lowest up to end_zone:";
        Gap 2 Plain "above its high watermark and the gap: skip it";
        Shrink 2 Plain "shrink_zone()";
        Slab 2 Plain "shrink_slab()";
        Compact 2 Plain "free enough, but in small blocks: compact_zone()" if |f| f.kswapd_compacts;
        Dead 2 Plain "scanned six times its pages, none freed: all_unreclaimable";
        Ok 2 Yields "above its high watermark now?";
        Pass 1 Plain "all zones balanced, or enough for the order: stop";
        Nap 1 Plain "no zone below min, priority < 10: congestion_wait()";
        Enough 1 Plain "32 pages reclaimed: start over";
        Out 0 Yields "not all balanced: loop_again";
        Single 0 Plain "order > 0: also balanced for single pages?" if |f| f.quarter_balanced;
        Return 0 Yields "return the order";
    }
    locals(self, w) {
        nid: node(self.node);
        order: number(self.order);
        end_zone: zone(self.end_zone);
        zone: zone(self.zone);
    }
}

/// `balance_pgdat` of 2.6.37 to 3.8. Returns the order.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct BalanceZones {
    /// Current program point.
    pub pt: BzPt,
    /// Node of kswapd.
    pub node: NodeIndex,
    /// Order to balance for.
    pub order: u8,
    /// Requested class zone.
    pub class: u8,
    /// Highest zone in need (zone index), `u8::MAX` for none.
    pub end_zone: ZoneIndex,
    /// Current zone (zone index).
    pub zone: ZoneIndex,
    /// True if all zones checked in this pass were above their high watermark.
    pub all_ok: bool,
    /// True if a zone is below its min watermark.
    pub under_min: bool,
    /// Pages of the zones up to the class that are above their high watermark.
    pub balanced: u32,
}

impl BalanceZones {
    /// Frame of a call that starts a run.
    pub fn call(node: NodeIndex, order: u8, class: u8) -> Frame {
        Frame::BalanceZones(Self {
            pt: BzPt::Start,
            node,
            order,
            class,
            end_zone: ZoneIndex::NONE,
            zone: ZoneIndex::new(0),
            all_ok: true,
            under_min: false,
            balanced: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            BzPt::Start => {
                cx.sc.begin(Gfp::GFP_KERNEL, self.order, self.class, true);
                cx.sc.nr_to_reclaim = u32::MAX;
                w.count_pass(self.node);
                self.pt = BzPt::Priority;
                Flow::Next
            }
            BzPt::Priority => {
                (self.all_ok, self.under_min, self.balanced) = (true, false, 0);
                self.end_zone = ZoneIndex::NONE;
                self.zone = ZoneIndex::NONE;
                w.record(Priority {
                    priority: cx.sc.priority.into(),
                    reclaimed: cx.sc.nr_reclaimed.into(),
                });
                self.pt = BzPt::Find;
                Flow::Next
            }
            BzPt::Find => self.find(w, cx, up),
            BzPt::Zone => self.next_zone(w, cx),
            BzPt::Gap => self.gap(w, cx),
            BzPt::Shrink => {
                self.pt = BzPt::Slab;
                cx.sc.nr_scanned = 0;
                w.spend(w.facts.cost.reclaim_visit);
                let owner = w.mem.zones[self.zone].lruvec;
                up.call(ShrinkLruvec::call(owner), w, cx)
            }
            BzPt::Slab => {
                cx.sc.nr_reclaimed += cx.ret;
                cx.sc.total_scanned += cx.sc.nr_scanned;
                self.pt = if self.compacts(w) {
                    BzPt::Compact
                } else {
                    BzPt::Dead
                };
                up.call(ShrinkSlab::call(self.node), w, cx)
            }
            BzPt::Compact => self.compact(w, cx, up),
            BzPt::Dead => self.dead(w, cx),
            BzPt::Ok => self.ok(w),
            BzPt::Pass => {
                self.pt = if self.is_done(w) {
                    BzPt::Out
                } else {
                    BzPt::Nap
                };
                Flow::Next
            }
            BzPt::Nap => self.nap(w, cx, up),
            BzPt::Enough => {
                if cx.sc.nr_reclaimed >= SWAP_CLUSTER_MAX || cx.sc.priority == 0 {
                    self.pt = BzPt::Out;
                } else {
                    cx.sc.priority -= 1;
                    self.pt = BzPt::Priority;
                }
                Flow::Next
            }
            BzPt::Out => self.out(w, cx),
            BzPt::Single => self.single(w),
            BzPt::Return => {
                cx.ret = self.order.into();
                Flow::Ret
            }
        }
    }

    fn test(&self, zone: ZoneIndex, mark: u8, class: u8) -> WatermarkOk {
        WatermarkOk::new(zone, self.order, mark, class, AllocFlags::default())
    }

    fn holds(&self, w: &mut World, zone: ZoneIndex, mark: u8, class: u8, extra: Pages) -> bool {
        let mut test = self.test(zone, mark, class);
        test.min = extra;
        test.holds(w)
    }

    fn is_dead(&self, w: &World, zone: ZoneIndex) -> bool {
        let owner = w.mem.zones[zone].lruvec;
        w.mem.lruvecs[owner].all_unreclaimable
    }

    /// Checks one zone of the search, from the top.
    fn find(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let below = |z: &ZoneIndex| self.zone.is_none() || *z < self.zone;
        let highest = w.facts.layout.zone_types.len() as u8;
        let Some(zone) = node_zones(w, self.node, highest).filter(below).last() else {
            self.pt = BzPt::Out;
            self.all_ok = true;
            return Flow::Next;
        };
        self.zone = zone;
        w.spend(w.facts.cost.zone_walk);
        if self.is_dead(w, zone) && cx.sc.priority != DEF_PRIORITY {
            return Flow::Next;
        }
        let z = &w.mem.zones[zone];
        let owner = z.lruvec;
        let (compared, _) = self.test(zone, WMARK_HIGH, 0).compared(w);
        if !self.holds(w, zone, WMARK_HIGH, 0, Pages::ZERO) {
            super::zone_in_need(w, &compared);
            self.end_zone = zone;
            self.zone = ZoneIndex::NONE;
            // Slab caches are shrunk in proportion to the lists of these zones.
            cx.sc.reclaim_idx = w.mem.zones[zone].kind;
            self.pt = BzPt::Zone;
        } else {
            super::zone_fine(w, &compared);
            if w.facts.features.search_clears_congested {
                w.mem.lruvecs[owner].congested = false;
            }
        }
        if inactive_is_low(w, owner, ANON) {
            return up.call(ShrinkActiveList::call(owner, 0, SWAP_CLUSTER_MAX), w, cx);
        }
        Flow::Next
    }

    fn next_zone(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let highest = w.facts.layout.zone_types.len() as u8;
        let next = node_zones(w, self.node, highest)
            .find(|&z| (self.zone.is_none() || z > self.zone) && z <= self.end_zone);
        let Some(zone) = next else {
            self.pt = BzPt::Pass;
            return Flow::Next;
        };
        self.zone = zone;
        if !(self.is_dead(w, zone) && cx.sc.priority != DEF_PRIORITY) {
            self.pt = BzPt::Gap;
        }
        Flow::Next
    }

    fn end_class(&self, w: &World) -> u8 {
        w.mem.zones[self.end_zone].kind
    }

    fn gap(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let z = &w.mem.zones[self.zone];
        let high = z.mark(WMARK_HIGH);
        let extra = if w.facts.features.balance_gap {
            z.mark(WMARK_LOW).min(Pages::new(z.present.div_ceil(100)))
        } else {
            high * 7
        };
        let (class, free) = (self.end_class(w), z.nr_free_pages);
        let (compared, _) = self.test(self.zone, WMARK_HIGH, class).compared(w);
        if self.holds(w, self.zone, WMARK_HIGH, class, extra) {
            w.record(GapHolds {
                zone: compared.zone,
                free: free.into(),
                counted: compared.counted,
                high: high.into(),
                gap: extra.into(),
                kept_back: compared.kept_back,
            });
            self.pt = BzPt::Ok;
            if w.facts.features.slab_for_all_zones {
                (cx.sc.nr_scanned, cx.ret) = (0, 0);
                self.pt = BzPt::Slab;
            }
        } else {
            gap_fails(w, &compared, high.into(), extra.into());
            self.pt = BzPt::Shrink;
        }
        Flow::Next
    }

    /// May this run compact?
    fn compacts(&self, w: &World) -> bool {
        let f = &w.facts.features;
        self.order > 0 && f.kswapd_compacts && f.compaction == Compaction::Whole
    }

    /// 2.6.38: compacts a zone that is above its high watermark for single pages but not for the
    /// order.
    fn compact(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        cx.sc.nr_reclaimed += std::mem::take(&mut cx.ret);
        self.pt = BzPt::Dead;
        let class = self.end_class(w);
        let flags = AllocFlags::default();
        let single = WatermarkOk::new(self.zone, 0, WMARK_HIGH, class, flags);
        if !single.holds(w) || self.holds(w, self.zone, WMARK_HIGH, class, Pages::ZERO) {
            return Flow::Next;
        }
        let run = CompactZone::of_kswapd(self.zone, self.order, UNMOVABLE);
        up.call(run, w, cx)
    }

    fn dead(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        // After a compaction run, `ret` holds the result of that run instead.
        let slab_freed = if self.compacts(w) { 0 } else { cx.ret };
        cx.sc.nr_reclaimed += slab_freed;
        let owner = w.mem.zones[self.zone].lruvec;
        let was_dead = w.mem.lruvecs[owner].all_unreclaimable;
        let is_dead = was_dead || cx.sc.nr_slab == 0 && !zone_reclaimable(w, self.zone);
        w.mem.lruvecs[owner].all_unreclaimable = is_dead;
        let half_more = cx.sc.nr_reclaimed + cx.sc.nr_reclaimed / 2;
        if cx.sc.total_scanned > 2 * SWAP_CLUSTER_MAX && cx.sc.total_scanned > half_more {
            cx.sc.may_writepage = true;
        }
        self.pt = BzPt::Ok;
        if is_dead {
            w.record(ZoneUnreclaimable { zone: self.zone });
        }
        if is_dead && w.facts.features.dead_zone_leaves_pass {
            if self.zone == self.end_zone {
                self.lower_end_zone(w);
            }
            self.pt = BzPt::Zone;
        } else if was_dead {
            self.pt = BzPt::Zone;
        }
        Flow::Next
    }

    /// 3.0: a zone given up as unreclaimable is no longer the end of the walk.
    fn lower_end_zone(&mut self, w: &World) {
        let end = self.end_zone;
        if let Some(lower) = node_zones(w, self.node, u8::MAX)
            .filter(|&z| z < end)
            .last()
        {
            self.end_zone = lower;
        }
    }

    fn ok(&mut self, w: &mut World) -> Flow {
        self.pt = BzPt::Zone;
        let class = self.end_class(w);
        let z = &w.mem.zones[self.zone];
        let (kind, present, owner) = (z.kind, z.present, z.lruvec);
        let is_kept = z.protection[class as usize] > Pages::ZERO;
        let (compared, _) = self.test(self.zone, WMARK_HIGH, class).compared(w);
        if self.holds(w, self.zone, WMARK_HIGH, class, Pages::ZERO) {
            if is_kept {
                zone_fine_kept(w, &compared);
            } else {
                super::zone_fine(w, &compared);
            }
            w.mem.lruvecs[owner].congested = false;
            if kind <= self.class {
                self.balanced += present;
            }
        } else {
            if is_kept && compared.counted <= compared.needs {
                zone_in_need_kept(w, &compared);
            } else {
                super::zone_in_need(w, &compared);
            }
            self.all_ok = false;
            self.under_min |= !self.holds(w, self.zone, WMARK_MIN, class, Pages::ZERO);
        }
        Flow::Next
    }

    /// Were all zones above their high watermark in this pass, or enough of them for a higher
    /// order?
    fn is_done(&self, w: &World) -> bool {
        let quarter = w.facts.features.quarter_balanced && self.order > 0;
        self.all_ok || quarter && self.quarter_balanced(w)
    }

    fn quarter_balanced(&self, w: &World) -> bool {
        let total: u32 = node_zones(w, self.node, self.class)
            .map(|z| w.mem.zones[z].present)
            .sum();
        if w.facts.features.quarter_exceeded {
            self.balanced > total / 4
        } else {
            self.balanced >= total / 4
        }
    }

    fn nap(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.pt = BzPt::Enough;
        if cx.sc.total_scanned > 0 && cx.sc.priority < DEF_PRIORITY - 2 {
            if self.under_min {
                w.counters.kswapd_skip_congestion_wait += 1;
            } else {
                return up.call(CongestionWait::call(10), w, cx);
            }
        }
        Flow::Next
    }

    fn out(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if !self.is_done(w) {
            if cx.sc.nr_reclaimed < SWAP_CLUSTER_MAX {
                self.order = 0;
            }
            w.record(LoopAgain {
                node: self.node,
                reclaimed: cx.sc.nr_reclaimed.into(),
            });
            self.pt = BzPt::Start;
            return Flow::Next;
        }
        let checks_single = w.facts.features.quarter_balanced && self.order > 0;
        self.pt = if checks_single {
            BzPt::Single
        } else {
            BzPt::Return
        };
        Flow::Next
    }

    /// A run for a higher order ends if the zones are also above their high watermark for single
    /// pages. Otherwise it continues for single pages.
    fn single(&mut self, w: &mut World) -> Flow {
        self.pt = BzPt::Return;
        let zones: Vec<ZoneIndex> = node_zones(w, self.node, u8::MAX)
            .filter(|&z| self.end_zone.is_none() || z <= self.end_zone)
            .collect();
        for zone in zones {
            let test = WatermarkOk::new(zone, 0, WMARK_HIGH, 0, AllocFlags::default());
            if !test.holds(w) {
                (self.order, self.pt) = (0, BzPt::Start);
                break;
            }
            let owner = w.mem.zones[zone].lruvec;
            w.mem.lruvecs[owner].congested = false;
        }
        Flow::Next
    }
}

#[inline(always)]
fn zone_fine_kept(w: &mut World, compared: &Compared) {
    w.record(ZoneFineKept {
        zone: compared.zone,
        free: compared.free,
        counted: compared.counted,
        kept_back: compared.kept_back,
        needs: compared.needs,
    });
}

#[inline(always)]
fn zone_in_need_kept(w: &mut World, compared: &Compared) {
    w.record(ZoneInNeedKept {
        zone: compared.zone,
        free: compared.free,
        counted: compared.counted,
        kept_back: compared.kept_back,
        needs: compared.needs,
    });
}

/// Records that a zone is not above its high watermark plus gap and reserve, or only with blocks
/// too small for the order.
#[inline(always)]
fn gap_fails(w: &mut World, compared: &Compared, high: i64, gap: i64) {
    let &Compared {
        zone,
        free,
        counted,
        kept_back,
        ..
    } = compared;
    if counted > high + gap + kept_back {
        w.record(GapFailsOrder {
            zone,
            free,
            counted,
            high,
            gap,
            kept_back,
        });
    } else {
        w.record(GapFails {
            zone,
            free,
            counted,
            high,
            gap,
            kept_back,
        });
    }
}
