//! Reclaiming local memory before another node is used (mm/vmscan.c, `zone_reclaim` and
//! `__zone_reclaim`; `node_reclaim` from 4.8).
//!
//! Modelled: the first check and its four results, one pass per zone at a time, priorities 4 to 0,
//! the permissions of each mode, slab; whole nodes in the per-node era.
//! Left out: shrinkers of caches other than dentries and inodes.
//! Visible difference: the results on a machine with much slab of other kinds.
//! Invariants: one pass at a time over a zone or node; a pass never wakes kswapd, and `allocstall`
//! does not count it; a node with CPUs is reclaimed only from its own CPUs.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::LruOwner;
use crate::mmzone::{Gauge, LRU_ACTIVE_FILE, LRU_INACTIVE_FILE, PageKind, Zone};
use crate::page_alloc::Request;
use crate::record::{decisions, events};
use crate::vmscan::lruvec::ShrinkLruvec;
use crate::vmscan::node::shrink_node;
use crate::vmscan::slab::ShrinkSlab;
use crate::vmscan::{Priority, ZoneUnreclaimable};
use crate::vmscan::{SWAP_CLUSTER_MAX, zone_reclaimable};
use crate::world::World;
use crate::zone_reclaim::{RECLAIM_SWAP, RECLAIM_WRITE};
use facts::index::ZoneIndex;
use facts::state::State;

/// First priority of a pass (`ZONE_RECLAIM_PRIORITY`): a sixteenth of each list.
pub const ZONE_RECLAIM_PRIORITY: u8 = 4;

/// Result of `zone_reclaim` (mm/internal.h; there -2 to 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Answer {
    /// ZONE_RECLAIM_NOSCAN: nothing was scanned, because this task may not reclaim here now.
    Noscan = 0,
    /// ZONE_RECLAIM_FULL: nothing was scanned, because there is nothing to gain.
    Full = 1,
    /// ZONE_RECLAIM_SOME: the pass scanned, but freed fewer pages than requested.
    Some = 2,
    /// ZONE_RECLAIM_SUCCESS: the pass scanned and freed enough pages.
    Success = 3,
}

/// The effective `zone_reclaim_mode`: the tunable, or the value chosen at boot from node distances.
pub fn mode(w: &World) -> u8 {
    match w.tunables.zone_reclaim_mode {
        Some(mode) => mode as u8,
        None => w.facts.zone_reclaim_default,
    }
}

/// Must a request reclaim this zone before it tries the next one? Depends on the node that the
/// request prefers.
pub fn is_wanted(w: &World, rq: &Request, zone: ZoneIndex) -> bool {
    let node = |z: ZoneIndex| w.mem.zones[z].node;
    let (layout, features) = (&w.facts.layout, &w.facts.features);
    if mode(w) == 0 {
        return false;
    }
    crate::zone_reclaim::zone_allows_reclaim(layout, features, node(rq.preferred), node(zone))
}

/// The zones that a call for one zone covers: the zone itself, or all zones of its node.
fn zones_of(w: &World, zone: ZoneIndex) -> impl Iterator<Item = &Zone> {
    let z = &w.mem.zones[zone];
    let (owner, by_zone) = (z.node, w.facts.features.lru_owner == LruOwner::Zone);
    let (kind, zones) = (z.kind, &w.mem.zones);
    zones
        .iter()
        .filter(move |z| z.node == owner && (!by_zone || z.kind == kind))
}

/// Number of pages of a gauge in a zone or its node.
fn gauged(w: &World, zone: ZoneIndex, gauge: Gauge) -> u32 {
    zones_of(w, zone).map(|z| z.gauge(gauge)).sum()
}

/// `zone_pagecache_reclaimable`: the number of file pages that a pass could free, according to the
/// counters.
pub fn pagecache_reclaimable(w: &World, zone: ZoneIndex) -> u32 {
    let mode = mode(w);
    let base = if mode & RECLAIM_SWAP != 0 {
        let cached = zones_of(w, zone).map(|z| z.kinds[PageKind::File as usize]);
        cached.sum::<u32>() + gauged(w, zone, Gauge::SwapCache)
    } else {
        let lists = [LRU_INACTIVE_FILE, LRU_ACTIVE_FILE].map(usize::from);
        let listed = zones_of(w, zone).map(|z| z.lru[lists[0]] + z.lru[lists[1]]);
        let listed: u32 = listed.sum();
        listed.saturating_sub(gauged(w, zone, Gauge::FileMapped))
    };
    if mode & RECLAIM_WRITE != 0 {
        base
    } else {
        base.saturating_sub(gauged(w, zone, Gauge::Dirty))
    }
}

/// `min_unmapped_pages` and `min_slab_pages`: the numbers of pages of each kind that a pass spares.
pub fn min_pages(w: &World, zone: ZoneIndex) -> [u32; 2] {
    let ratios = [w.tunables.min_unmapped_ratio, w.tunables.min_slab_ratio];
    ratios.map(|ratio| {
        let shares = zones_of(w, zone).map(|z| u64::from(z.managed) * ratio / 100);
        shares.sum::<u64>() as u32
    })
}

events! {
    /// A request short of local pages begins to reclaim its node before it tries other nodes.
    MmVmscanNodeReclaimBegin "mm_vmscan_node_reclaim_begin" from "include/trace/events/vmscan.h, from 5.3" { nid: Node, order: Order, gfp_flags: Gfp };
    /// That reclaim has ended; the number of pages freed.
    MmVmscanNodeReclaimEnd "mm_vmscan_node_reclaim_end" from "include/trace/events/vmscan.h, from 5.3" { nr_reclaimed: Count };
}

decisions! {
    ZrFull { zone: Zone, unmapped: Count, keep_unmapped: Count, slab: Count, keep_slab: Count }
        "{zone} has {unmapped unmapped clean file page} (minimum {keep_unmapped}) and {slab slab page} (minimum {keep_slab}): zone_reclaim could gain nothing (ZONE_RECLAIM_FULL).";
    ZrOpen { zone: Zone, unmapped: Count, keep_unmapped: Count, slab: Count, keep_slab: Count }
        "{zone} has {unmapped unmapped clean file page}, more than the minimum of {keep_unmapped}: zone_reclaim may help.";
    ZrOpenSlab { zone: Zone, unmapped: Count, keep_unmapped: Count, slab: Count, keep_slab: Count }
        "{zone} has {slab slab page}, more than the minimum of {keep_slab}: zone_reclaim may help.";
    ZrNoWait { zone: Zone }
        "This request may not wait, or its task already reclaims: {zone} is not scanned (ZONE_RECLAIM_NOSCAN).";
    ZrRemote { zone: Zone, node: Node, local: Node }
        "{zone} is on {node}, which has its own CPUs, and this CPU is on {local}: do not scan it (ZONE_RECLAIM_NOSCAN).";
    ZrLocked { zone: Zone }
        "Another task already reclaims {zone}, and only one task at a time may do so: do not scan it (ZONE_RECLAIM_NOSCAN).";
    ZrSome { zone: Zone, reclaimed: Count, wanted: Count, priority: Count, scanned: Count }
        "zone_reclaim of {zone} gives up at priority {priority} with {reclaimed} of {wanted page} reclaimed (ZONE_RECLAIM_SOME).";
    ZrSuccess { zone: Zone, reclaimed: Count, wanted: Count, priority: Count, scanned: Count }
        "zone_reclaim of {zone} ends at priority {priority} with {reclaimed page} reclaimed for a request of {wanted} (ZONE_RECLAIM_SUCCESS).";
}

room! {
    ZoneReclaim: "zone_reclaim" in "mm/vmscan.c" at "v3.0.1" line 3136;
    Mirrored "Called node_reclaim from 4.8 on, where it covers a whole node.";
    ZrPt {
        Gate 0 Plain "neither unmapped file pages nor slab: return FULL";
        Dead 0 Plain "all_unreclaimable: return FULL";
        Wait 0 Plain "may not wait, or already reclaims: return NOSCAN";
        Remote 0 Plain "another node that has CPUs: return NOSCAN";
        Lock 0 Plain "ZONE_RECLAIM_LOCKED is set: return NOSCAN";
        Run 0 Plain "__zone_reclaim()";
        Unlock 0 Yields "clear the flag, return SUCCESS or SOME";
    }
    locals(self, w) {
        zone: zone(self.zone);
        rq: request(&self.rq);
    }
}

/// `zone_reclaim`. Returns an [`Answer`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ZoneReclaim {
    /// Current program point.
    pub pt: ZrPt,
    /// The zone, or one zone of the node.
    pub zone: ZoneIndex,
    /// The request to the allocator.
    pub rq: Request,
}

impl ZoneReclaim {
    /// Frame of a call that has not started.
    pub fn call(zone: ZoneIndex, rq: Request) -> Frame {
        Frame::ZoneReclaim(Self {
            pt: ZrPt::Gate,
            zone,
            rq,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            ZrPt::Gate => self.gate(w, cx),
            ZrPt::Dead => self.dead(w, cx),
            ZrPt::Wait => {
                if !self.rq.gfp.has(Gfp::DIRECT_RECLAIM) || cx.memalloc {
                    w.record(ZrNoWait { zone: self.zone });
                    return answer(cx, Answer::Noscan);
                }
                self.pt = ZrPt::Remote;
                Flow::Next
            }
            ZrPt::Remote => self.remote(w, cx),
            ZrPt::Lock => {
                let owner = w.mem.zones[self.zone].lruvec;
                let locked = &mut w.mem.lruvecs[owner].reclaim_locked;
                if std::mem::replace(locked, true) {
                    w.record(ZrLocked { zone: self.zone });
                    return answer(cx, Answer::Noscan);
                }
                self.pt = ZrPt::Run;
                Flow::Next
            }
            ZrPt::Run => {
                self.pt = ZrPt::Unlock;
                up.call(ZoneReclaimPass::call(self.zone, self.rq), w, cx)
            }
            ZrPt::Unlock => {
                let owner = w.mem.zones[self.zone].lruvec;
                w.mem.lruvecs[owner].reclaim_locked = false;
                if cx.ret == Answer::Some as u32 {
                    w.counters.zone_reclaim_failed += 1;
                }
                Flow::Ret
            }
        }
    }

    fn gate(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let pages = pagecache_reclaimable(w, self.zone);
        let slab = gauged(w, self.zone, Gauge::SlabReclaimable);
        let [unmapped, min_slab] = min_pages(w, self.zone);
        let zone = self.zone;
        let (cached, keep_unmapped) = (pages.into(), unmapped.into());
        let (kept, keep_slab) = (slab.into(), min_slab.into());
        if pages <= unmapped && slab <= min_slab {
            w.record(ZrFull {
                zone,
                unmapped: cached,
                keep_unmapped,
                slab: kept,
                keep_slab,
            });
            return answer(cx, Answer::Full);
        }
        if pages > unmapped {
            w.record(ZrOpen {
                zone,
                unmapped: cached,
                keep_unmapped,
                slab: kept,
                keep_slab,
            });
        } else {
            w.record(ZrOpenSlab {
                zone,
                unmapped: cached,
                keep_unmapped,
                slab: kept,
                keep_slab,
            });
        }
        self.pt = ZrPt::Dead;
        Flow::Next
    }

    fn dead(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let f = &w.facts;
        let owner = w.mem.zones[self.zone].lruvec;
        let is_dead = match (f.features.lru_owner, f.features.unreclaimable_computed) {
            (LruOwner::Node, _) => false,
            (LruOwner::Zone, true) => !zone_reclaimable(w, self.zone),
            (LruOwner::Zone, false) => w.mem.lruvecs[owner].all_unreclaimable,
        };
        if is_dead {
            w.record(ZoneUnreclaimable { zone: self.zone });
            return answer(cx, Answer::Full);
        }
        self.pt = ZrPt::Wait;
        Flow::Next
    }

    fn remote(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let node = w.mem.zones[self.zone].node;
        let local = w.local_node();
        let has_cpus = !w.facts.layout.nodes[node.index()].cpus.is_empty();
        if has_cpus && node != local {
            w.record(ZrRemote {
                zone: self.zone,
                node,
                local,
            });
            return answer(cx, Answer::Noscan);
        }
        self.pt = ZrPt::Lock;
        Flow::Next
    }
}

fn answer(cx: &mut Context, answer: Answer) -> Flow {
    cx.ret = answer as u32;
    Flow::Ret
}

room! {
    ZoneReclaimPass: "__zone_reclaim" in "mm/vmscan.c" at "v3.0.1" line 3050;
    Simplified "Called __node_reclaim from 4.8 on. Of slab, only dentries and inodes are shrunk.";
    ZpPt {
        Begin 0 Plain "become a reclaimer, priority 4";
        Lru 0 Plain "enough unmapped file pages: priority 4 down to 0:";
        Shrink 1 Plain "shrink the lists: their size >> priority";
        Shrunk 1 Plain "enough? else go to the next priority";
        Slab 0 Plain "enough slab: shrink_slab() until it frees nothing";
        Slabbed 1 Plain "count the freed pages";
        Done 0 Yields "stop being a reclaimer: return SUCCESS or SOME";
    }
    locals(self, w) {
        zone: zone(self.zone);
        rq: request(&self.rq);
    }
}

/// `__zone_reclaim`. Returns [`Answer::Some`] or [`Answer::Success`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ZoneReclaimPass {
    /// Current program point.
    pub pt: ZpPt,
    /// The zone, or one zone of the node.
    pub zone: ZoneIndex,
    /// The request to the allocator.
    pub rq: Request,
    /// Number of reclaimable slab pages before the pass shrank slab.
    pub slab: u32,
}

impl ZoneReclaimPass {
    /// Frame of a call that starts a pass.
    pub fn call(zone: ZoneIndex, rq: Request) -> Frame {
        Frame::ZoneReclaimPass(Self {
            pt: ZpPt::Begin,
            zone,
            rq,
            slab: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            ZpPt::Begin => self.begin(w, cx),
            ZpPt::Lru => self.lru(w),
            ZpPt::Shrink => self.shrink(w, cx, up),
            ZpPt::Shrunk => self.shrunk(w, cx),
            ZpPt::Slab => self.shrink_slab(w, cx, up),
            ZpPt::Slabbed => self.slabbed(w, cx, up),
            ZpPt::Done => self.done(w, cx),
        }
    }

    /// Number of pages requested.
    fn request_pages(&self) -> u32 {
        1 << self.rq.order
    }

    fn by_node(w: &World) -> bool {
        w.facts.features.lru_owner == LruOwner::Node
    }

    fn begin(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let mode = mode(w);
        cx.sc.begin(self.rq.gfp, self.rq.order, self.rq.high, false);
        cx.sc.began_ns = w.now;
        cx.sc.zone_reclaim = true;
        cx.sc.priority = ZONE_RECLAIM_PRIORITY;
        cx.sc.may_writepage = mode & RECLAIM_WRITE != 0;
        cx.sc.may_unmap = mode & RECLAIM_SWAP != 0;
        cx.sc.nr_to_reclaim = self.request_pages().max(SWAP_CLUSTER_MAX);
        cx.begin_reclaim();
        if Self::by_node(w) {
            let node = w.mem.zones[self.zone].node;
            w.record(MmVmscanNodeReclaimBegin {
                nid: node,
                order: self.rq.order,
                gfp_flags: self.rq.gfp,
            });
        }
        self.pt = ZpPt::Lru;
        Flow::Next
    }

    fn lru(&mut self, w: &World) -> Flow {
        let [unmapped, min_slab] = min_pages(w, self.zone);
        let slab = gauged(w, self.zone, Gauge::SlabReclaimable);
        let pages = pagecache_reclaimable(w, self.zone) > unmapped;
        // From 4.8 on one loop shrinks both.
        let enters = pages || Self::by_node(w) && slab > min_slab;
        self.pt = if enters { ZpPt::Shrink } else { ZpPt::Slab };
        Flow::Next
    }

    fn shrink(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.pt = ZpPt::Shrunk;
        cx.ret = 0;
        w.record(Priority {
            priority: cx.sc.priority.into(),
            reclaimed: cx.sc.nr_reclaimed.into(),
        });
        let z = &w.mem.zones[self.zone];
        let (owner, node) = (z.lruvec, z.node);
        if Self::by_node(w) {
            return up.call(shrink_node(w, node), w, cx);
        }
        w.spend(w.facts.cost.reclaim_visit);
        up.call(ShrinkLruvec::call(owner), w, cx)
    }

    fn shrunk(&mut self, w: &World, cx: &mut Context) -> Flow {
        let by_node = Self::by_node(w);
        if !by_node {
            cx.sc.nr_reclaimed += cx.ret;
        }
        if cx.sc.nr_reclaimed < self.request_pages() && cx.sc.priority > 0 {
            cx.sc.priority -= 1;
            self.pt = ZpPt::Shrink;
        } else {
            self.pt = if by_node { ZpPt::Done } else { ZpPt::Slab };
        }
        Flow::Next
    }

    fn shrink_slab(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let slab = gauged(w, self.zone, Gauge::SlabReclaimable);
        let [_, min_slab] = min_pages(w, self.zone);
        if Self::by_node(w) || slab <= min_slab {
            self.pt = ZpPt::Done;
            return Flow::Next;
        }
        self.slab = slab;
        self.pt = ZpPt::Slabbed;
        let node = w.mem.zones[self.zone].node;
        up.call(ShrinkSlab::of_zone(node, self.zone), w, cx)
    }

    fn slabbed(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let now = gauged(w, self.zone, Gauge::SlabReclaimable);
        let node = w.mem.zones[self.zone].node;
        if cx.sc.nr_slab > 0 && now + self.request_pages() > self.slab {
            return up.call(ShrinkSlab::of_zone(node, self.zone), w, cx);
        }
        cx.sc.nr_reclaimed += self.slab.saturating_sub(now);
        self.pt = ZpPt::Done;
        Flow::Next
    }

    fn done(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let reclaimed = cx.sc.nr_reclaimed;
        let is_enough = reclaimed >= self.request_pages();
        let (zone, priority) = (self.zone, cx.sc.priority.into());
        let (wanted, scanned) = (self.request_pages().into(), cx.sc.nr_scanned.into());
        if is_enough {
            w.record(ZrSuccess {
                zone,
                reclaimed: reclaimed.into(),
                wanted,
                priority,
                scanned,
            });
        } else {
            w.record(ZrSome {
                zone,
                reclaimed: reclaimed.into(),
                wanted,
                priority,
                scanned,
            });
        }
        if Self::by_node(w) {
            w.record(MmVmscanNodeReclaimEnd {
                nr_reclaimed: reclaimed.into(),
            });
        }
        w.counters.stall_zone_reclaim_ns += w.now.saturating_sub(cx.sc.began_ns);
        cx.sc.zone_reclaim = false;
        cx.memalloc = false;
        answer(
            cx,
            if is_enough {
                Answer::Success
            } else {
                Answer::Some
            },
        )
    }
}
