//! The entry to the allocator and its walk over the zonelist (mm/page_alloc.c).
//!
//! Modelled: `__alloc_pages_nodemask` and `get_page_from_freelist`: the fast path at the low
//! watermark, then the slow path. In the kernels that have them: ALLOC_FAIR, ALLOC_NOFRAGMENT,
//! spreading of pages about to be dirtied. Also the zonelist cache, zone_reclaim and NUMA
//! statistics.
//! Left out: cpusets and nodemasks.
//! Invariants: a page allocated without ALLOC_NO_WATERMARKS came from a zone that passed its
//! watermark check; the zonelist cache alone never makes a request fail.

use crate::buddy::Rmqueue;
use crate::fair_zone;
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::{AllocFlags, Gfp};
use crate::kernel::ZonelistCache;
use crate::mmzone::{WMARK_LOW, WMARK_MIN};
use crate::page_writeback::dirty_limit;
use crate::record::{decisions, events};
use crate::slowpath::Slowpath;
use crate::vmscan::zone_reclaim::{Answer, ZoneReclaim, is_wanted};
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use crate::zlc;
use facts::index::{FrameIndex, ZoneIndex, ZonelistIndex};
use facts::state::State;

/// A request to the allocator (`struct alloc_context` and its arguments).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Request {
    /// gfp flags.
    pub gfp: Gfp,
    /// Order of the requested block.
    pub order: u8,
    /// Migrate type of the request.
    pub migratetype: u8,
    /// Zonelist to walk: the number of a node, or from [`World::only`] on, the list with only the
    /// zones of one node.
    pub node: ZonelistIndex,
    /// Highest zone type the request may use (`high_zoneidx`, `highest_zoneidx`).
    pub high: u8,
    /// First zone of the list that the request may use.
    pub preferred: ZoneIndex,
    /// Zone type whose reserve applies: the type of the preferred zone (`classzone_idx`), from 5.8
    /// on the highest allowed type (`highest_zoneidx`).
    pub classzone: u8,
}

impl Request {
    /// Completes a request as `prepare_alloc_pages` does.
    #[inline]
    pub fn new(w: &World, gfp: Gfp, order: u8, node: ZonelistIndex) -> Request {
        let highest = if gfp.has(Gfp::DMA) {
            0
        } else if gfp.has(Gfp::DMA32) {
            1
        } else if gfp.has(Gfp::MOVABLE) {
            3
        } else {
            2
        };
        let high = w.facts.highest[highest];
        let preferred = w.facts.preferred[node][highest];
        let classzone = match w.mem.zones.at(preferred) {
            Some(zone) if !w.facts.features.classzone_is_highest => zone.kind,
            _ => high,
        };
        Request {
            gfp,
            order,
            migratetype: gfp.migratetype(),
            node,
            high,
            preferred,
            classzone,
        }
    }
}

/// The zones of a node's list that a request with highest zone type `high` may use, with their indices
/// in the list.
pub fn allowed(
    w: &World,
    node: ZonelistIndex,
    high: u8,
) -> impl Iterator<Item = (usize, ZoneIndex)> + '_ {
    let list = &w.facts.zonelists[node];
    list.iter()
        .copied()
        .enumerate()
        .filter(move |&(_, z)| w.mem.zones[z].kind <= high)
}

events! {
    /// A request for a page or block ended with a block, or because none was available.
    MmPageAlloc "mm_page_alloc" from "include/trace/events/kmem.h" { pfn: Page, order: Order, migratetype: Migratetype, gfp_flags: Gfp };
}

decisions! {
    ZoneFirst { task: Task, order: Order, zone: Zone, node: Node, gfp: Gfp, migratetype: Migratetype, high: ZoneType, classzone: ZoneType }
        "{task} requests {order}: the walk begins at {zone}, the first zone of {node}'s zonelist that the request may use.";
    ZoneNext { zone: Zone, stop: Count, stops: Count }
        "{zone} is number {stop} of {stops} on the zonelist: check it next.";
    ZoneDirty { zone: Zone, dirty: Count, share: Count }
        "{zone} or its node has {dirty page} dirty or under writeback, more than its share of the limit, {share}. This walk takes no page there for new dirty data.";
    ZoneNone { zones: Count }
        "This walk found no page: it skipped all zones that the request may use ({zones}).";
    ZlcSkip { zone: Zone, node: Node }
        "{zone} was marked full in {node}'s zonelist cache, less than a second ago: it is skipped without a check, however many pages are free.";
    ZlcFull { zone: Zone, node: Node }
        "{zone} is marked full in {node}'s zonelist cache: for up to a second it may be skipped without a check.";
    ZlcRescanUncached { node: Node }
        "This walk found no page. The zonelist of {node} has no cache that could make it skip zones, but zlc_active is set anyway: walk once more.";
    ZlcRescan {}
        "This walk found no page, but the zonelist cache made it skip zones: walk once more without the cache.";
    ZrStillLow { zone: Zone, mark: Mark }
        "After zone_reclaim, {zone} is still not above its {mark} watermark: try the next zone.";
    NoFragmentLeave { zone: Zone }
        "{zone} is on another node. Mixing migrate types is better than remote memory: walk again without ALLOC_NOFRAGMENT.";
    SlowEnter { order: Order }
        "No zone of the list can serve {order} at its low watermark: take the slow path, which needs only the min watermark.";
}

room! {
    AllocPages: "alloc_pages_nodemask" in "mm/page_alloc.c" at "v5.10.223" line 4964;
    Simplified "Cpusets are left out. Called __alloc_pages from 5.13 on.";
    ApPt {
        Entry 0 Plain "find the highest zone and the first zone it may use";
        Fast 0 Plain "page = get_page_from_freelist(WMARK_LOW)";
        Fair 0 Plain "no page: reset_alloc_batches(), walk without ALLOC_FAIR" if |f| f.fair_zone_policy;
        Slow 0 Plain "no page: page = alloc_pages_slowpath()";
        Done 0 Yields "return the page, or none";
    }
    locals(self, w) {
        rq: request(&self.rq);
    }
}

/// `__alloc_pages_nodemask`. Returns the frame, or [`NONE`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct AllocPages {
    /// Current program point.
    pub pt: ApPt,
    /// The request.
    pub rq: Request,
}

impl AllocPages {
    /// Frame of an allocation that has not started.
    pub fn call(rq: Request) -> Frame {
        Frame::AllocPages(AllocPages {
            pt: ApPt::Entry,
            rq,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            ApPt::Entry => {
                w.spend(w.facts.cost.zone_walk);
                if self.rq.preferred.is_none() {
                    cx.ret = NONE;
                    self.pt = ApPt::Done;
                    return Flow::Next;
                }
                let rq = &self.rq;
                w.record(ZoneFirst {
                    task: cx.task,
                    order: rq.order,
                    zone: rq.preferred,
                    node: w.home(rq.node),
                    gfp: rq.gfp,
                    migratetype: rq.migratetype,
                    high: rq.high,
                    classzone: rq.classzone,
                });
                self.pt = ApPt::Fast;
                Flow::Next
            }
            ApPt::Fast => {
                let flags = fair_zone::first_walk(w, fast_flags(w, &self.rq));
                self.pt = if flags.has(AllocFlags::FAIR) {
                    ApPt::Fair
                } else {
                    ApPt::Slow
                };
                up.call(GetPageFromFreelist::call(self.rq, WMARK_LOW, flags), w, cx)
            }
            ApPt::Fair => {
                self.pt = ApPt::Slow;
                if cx.ret != NONE {
                    return Flow::Next;
                }
                fair_zone::reset_alloc_batches(w, &self.rq);
                let flags = fast_flags(w, &self.rq);
                up.call(GetPageFromFreelist::call(self.rq, WMARK_LOW, flags), w, cx)
            }
            ApPt::Slow => {
                self.pt = ApPt::Done;
                if cx.ret != NONE {
                    return Flow::Next;
                }
                w.record(SlowEnter {
                    order: self.rq.order,
                });
                up.call(Slowpath::call(w, self.rq), w, cx)
            }
            ApPt::Done => {
                let rq = &self.rq;
                w.record(MmPageAlloc {
                    pfn: FrameIndex::new(cx.ret),
                    order: rq.order,
                    migratetype: rq.migratetype,
                    gfp_flags: rq.gfp,
                });
                Flow::Ret
            }
        }
    }
}

/// Flags of the first walk (`alloc_flags_nofragment` in kernels that have it): migrate types are
/// not mixed while the preferred zone is Normal and a DMA32 zone below it could be used instead.
fn fast_flags(w: &World, rq: &Request) -> AllocFlags {
    let mut flags = AllocFlags::CPUSET;
    let f = &w.facts;
    if !f.features.nofragment {
        return flags;
    }
    if rq.gfp.has(Gfp::KSWAPD_RECLAIM) {
        flags = flags.with(AllocFlags::KSWAPD);
    }
    let preferred = &w.mem.zones[rq.preferred];
    let is_normal = w.zone_type(preferred.kind) == crate::arch::ZoneType::Normal;
    let below = rq.preferred.previous().map(|z| &w.mem.zones[z]);
    let has_dma32 = below.is_some_and(|z| {
        z.node == preferred.node && w.zone_type(z.kind) == crate::arch::ZoneType::Dma32
    });
    let layout = &w.facts.layout;
    let is_uma_x86 = || {
        let x86 = layout.zone_types.contains(&crate::arch::ZoneType::Dma32);
        x86 && layout.nodes.len() == 1
    };
    if is_normal && (has_dma32 || is_uma_x86()) {
        flags = flags.with(AllocFlags::NOFRAGMENT);
    }
    flags
}

room! {
    GetPageFromFreelist: "get_page_from_freelist" in "mm/page_alloc.c" at "v6.1.176" line 4241;
    Simplified "Cpusets and nodemasks are left out.";
    GfPt {
        NextZone 0 Plain "for each zone of the zonelist the request may use:";
        Mark 1 Plain "is it above the watermark? zone_watermark_ok()";
        Marked 1 Plain "no: may it be reclaimed? else the next zone";
        Setup 1 Plain "zlc_setup(), zlc_active = 1: marked full? the next zone" if |f| matches!(f.zonelist_cache, ZonelistCache::FirstZoneChecked | ZonelistCache::FirstZoneCheckedMinOrSome);
        Reclaim 1 Plain "zone_reclaim()";
        Reclaimed 1 Plain "scanned: zone_watermark_ok() again";
        Retested 1 Plain "still not above it: go to the next zone";
        Take 1 Plain "above it: page = rmqueue(zone, order)";
        Took 1 Plain "got one: count it and return it";
        Full 1 Plain "zlc_mark_zone_full()" if |f| f.zonelist_cache != ZonelistCache::Removed;
        After 1 Plain "after the first zone: zlc_setup(), zlc_active = 1" if |f| f.zonelist_cache == ZonelistCache::FirstZoneIgnored;
        Again 0 Plain "no page: walk again, mixing migrate types" if |f| f.nofragment;
        Rescan 0 Plain "no page, but the zonelist cache was on: walk again" if |f| f.zonelist_cache != ZonelistCache::Removed;
        None 0 Plain "no page: return none";
    }
    locals(self, w) {
        rq: request(&self.rq);
        mark: mark(self.mark);
        alloc_flags: flags(self.flags);
        zone: zone(self.zone);
    }
}

/// `get_page_from_freelist`. Returns the frame, or [`NONE`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct GetPageFromFreelist {
    /// Current program point.
    pub pt: GfPt,
    /// The request.
    pub rq: Request,
    /// The watermark to check (0 min, 1 low, 2 high).
    pub mark: u8,
    /// Allocation flags.
    pub flags: AllocFlags,
    /// Index in the zonelist of the next zone to check.
    pub next: u8,
    /// The zone being checked, `u8::MAX` before the first one.
    pub zone: ZoneIndex,
    /// State of the zonelist cache and of zone_reclaim on this walk, as bits of [`walk`].
    pub state: u8,
}

/// Bits of [`GetPageFromFreelist::state`].
pub mod walk {
    /// `zlc_active`: zones marked full are skipped, and a failed walk is repeated. It is set for
    /// every list of a machine with more than one node, even for a list without a cache.
    pub const ZLC_ACTIVE: u8 = 1;
    /// `did_zlc_setup`: the cache was set up on this walk.
    pub const DID_ZLC_SETUP: u8 = 2;
    /// zone_reclaim of the current zone freed less than requested.
    pub const RECLAIMED_SOME: u8 = 4;
}

impl GetPageFromFreelist {
    /// Frame of a walk that has not started.
    pub fn call(rq: Request, mark: u8, flags: AllocFlags) -> Frame {
        Frame::FreeList(Self {
            pt: GfPt::NextZone,
            rq,
            mark,
            flags,
            next: 0,
            zone: ZoneIndex::NONE,
            state: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            GfPt::NextZone => self.next_zone(w),
            GfPt::Mark => {
                if self.flags.has(AllocFlags::NO_WATERMARKS) {
                    self.pt = GfPt::Take;
                    return Flow::Next;
                }
                self.pt = GfPt::Marked;
                self.test(w, cx, up)
            }
            GfPt::Marked => {
                self.pt = if cx.ret == 1 {
                    GfPt::Take
                } else {
                    self.below_mark(w)
                };
                Flow::Next
            }
            GfPt::Setup => self.setup(w),
            GfPt::Reclaim => {
                self.pt = GfPt::Reclaimed;
                up.call(ZoneReclaim::call(self.zone, self.rq), w, cx)
            }
            GfPt::Reclaimed => self.reclaimed(w, cx, up),
            GfPt::Retested => self.retested(w, cx),
            GfPt::Full => {
                zlc::mark_full(w, self.rq.node, self.next - 1);
                w.record(ZlcFull {
                    zone: self.zone,
                    node: w.home(self.rq.node),
                });
                self.pt = self.behind_zone(w);
                Flow::Next
            }
            GfPt::After => {
                self.set_up_cache(w);
                self.pt = GfPt::NextZone;
                Flow::Next
            }
            GfPt::Take => {
                self.pt = GfPt::Took;
                up.call(Rmqueue::call(self.rq, self.zone, self.flags), w, cx)
            }
            GfPt::Took => {
                if cx.ret == NONE {
                    self.pt = self.full(w);
                    return Flow::Next;
                }
                self.account(w);
                Flow::Ret
            }
            GfPt::Again => {
                self.flags = self.flags.without(AllocFlags::NOFRAGMENT);
                (self.next, self.zone, self.pt) = (0, ZoneIndex::NONE, GfPt::NextZone);
                Flow::Next
            }
            GfPt::Rescan => {
                if zlc::is_cached(w, self.rq.node) {
                    w.record(ZlcRescan {});
                } else {
                    w.record(ZlcRescanUncached {
                        node: w.home(self.rq.node),
                    });
                }
                self.state &= !walk::ZLC_ACTIVE;
                (self.next, self.zone, self.pt) = (0, ZoneIndex::NONE, GfPt::NextZone);
                Flow::Next
            }
            GfPt::None => {
                cx.ret = NONE;
                Flow::Ret
            }
        }
    }

    /// Checks the zone against the walk's watermark.
    fn test(&self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let rq = &self.rq;
        let mut test = WatermarkOk::new(self.zone, rq.order, self.mark, rq.classzone, self.flags);
        test.without_boost = rq.order == 0 && self.mark == WMARK_MIN && rq.gfp.has(Gfp::HIGH);
        up.call(Frame::Wmark(test), w, cx)
    }

    /// Are zonelist caches set up on this machine, whichever list is walked, and does this kernel
    /// do so only after the first zone?
    fn sets_up(&self, w: &World) -> (bool, bool) {
        let rule = w.facts.features.zonelist_cache;
        (!w.zlc.is_empty(), rule == ZonelistCache::FirstZoneIgnored)
    }

    /// The line for a zone that is not above the watermark.
    fn below_mark(&self, w: &World) -> GfPt {
        let is_new = self.state & walk::DID_ZLC_SETUP == 0;
        let is_cached = zlc::is_cached(w, self.rq.node);
        match self.sets_up(w) {
            (true, false) if is_cached || is_new => GfPt::Setup,
            _ if is_wanted(w, &self.rq, self.zone) => GfPt::Reclaim,
            _ => self.full(w),
        }
    }

    /// The label `this_zone_full`: up to 3.1 the zone is marked in any case, in 3.16 only once the
    /// cache has been set up.
    fn full(&self, w: &World) -> GfPt {
        let rule = w.facts.features.zonelist_cache;
        let is_set_up = self.state & walk::ZLC_ACTIVE != 0;
        let spares = rule == ZonelistCache::FirstZoneCheckedMinOrSome && !is_set_up;
        if zlc::is_cached(w, self.rq.node) && !spares {
            GfPt::Full
        } else {
            self.behind_zone(w)
        }
    }

    /// The label `try_next_zone` of 3.0; later kernels go straight to the next zone.
    fn behind_zone(&self, w: &World) -> GfPt {
        let is_new = self.state & walk::DID_ZLC_SETUP == 0;
        match self.sets_up(w) {
            (true, true) if is_new => GfPt::After,
            _ => GfPt::NextZone,
        }
    }

    fn set_up_cache(&mut self, w: &mut World) {
        if self.state & walk::DID_ZLC_SETUP == 0 {
            if zlc::is_cached(w, self.rq.node) {
                zlc::setup(w, self.rq.node);
            }
            self.state |= walk::ZLC_ACTIVE | walk::DID_ZLC_SETUP;
        }
    }

    /// Sets up the cache before any reclaim, so that it also applies to the first zone.
    fn setup(&mut self, w: &mut World) -> Flow {
        self.set_up_cache(w);
        self.pt = if !is_wanted(w, &self.rq, self.zone) {
            self.full(w)
        } else if self.is_kept_out(w, self.next - 1) {
            GfPt::NextZone
        } else {
            GfPt::Reclaim
        };
        Flow::Next
    }

    /// `!zlc_zone_worth_trying()`, as long as the cache is used.
    #[inline(always)]
    fn is_kept_out(&self, w: &mut World, place: u8) -> bool {
        let is_active = self.state & walk::ZLC_ACTIVE != 0;
        let is_skipped = is_active && !zlc::worth_trying(w, self.rq.node, place);
        if is_skipped {
            let zone = w.facts.zonelists[self.rq.node][usize::from(place)];
            w.record(ZlcSkip {
                zone,
                node: w.home(self.rq.node),
            });
        }
        is_skipped
    }

    fn reclaimed(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let answer = cx.ret;
        self.state &= !walk::RECLAIMED_SOME;
        if answer == Answer::Some as u32 {
            self.state |= walk::RECLAIMED_SOME;
        }
        let (_, forgets_first) = self.sets_up(w);
        self.pt = if answer == Answer::Noscan as u32 {
            self.behind_zone(w)
        } else if answer == Answer::Full as u32 {
            // Up to 3.0, a skip without reclaim is recorded like a failed reclaim.
            if forgets_first {
                self.full(w)
            } else {
                GfPt::NextZone
            }
        } else {
            self.pt = GfPt::Retested;
            return self.test(w, cx, up);
        };
        Flow::Next
    }

    fn retested(&mut self, w: &mut World, cx: &Context) -> Flow {
        if cx.ret == 1 {
            self.pt = GfPt::Take;
            return Flow::Next;
        }
        w.record(ZrStillLow {
            zone: self.zone,
            mark: self.mark,
        });
        let rule = w.facts.features.zonelist_cache;
        let freed_enough = self.state & walk::RECLAIMED_SOME == 0;
        let goes_on = rule == ZonelistCache::FirstZoneCheckedMinOrSome
            && self.mark != WMARK_MIN
            && freed_enough;
        self.pt = if goes_on {
            GfPt::NextZone
        } else {
            self.full(w)
        };
        Flow::Next
    }

    fn next_zone(&mut self, w: &mut World) -> Flow {
        let list = &w.facts.zonelists[self.rq.node];
        let len = list.len();
        let found =
            (usize::from(self.next)..len).find(|&i| w.mem.zones[list[i]].kind <= self.rq.high);
        let Some(place) = found else {
            let keeps_apart = self.flags.has(AllocFlags::NOFRAGMENT);
            let keeps_out = self.state & walk::ZLC_ACTIVE != 0;
            self.pt = match (keeps_apart, keeps_out) {
                (true, _) => GfPt::Again,
                (_, true) => GfPt::Rescan,
                _ => GfPt::None,
            };
            w.record(ZoneNone { zones: len as i64 });
            return Flow::Next;
        };
        let zone = list[place];
        if self.is_kept_out(w, place as u8) {
            w.spend(w.facts.cost.zone_walk / 2);
            self.next = place as u8 + 1;
            return Flow::Next;
        }
        w.spend(w.facts.cost.zone_walk);
        if fair_zone::passes_over(w, &self.rq, self.flags, zone) {
            self.next = place as u8 + 1;
            return Flow::Next;
        }
        // Only the first walk spreads dirty pages (`spread_dirty_pages`): using a zone over its
        // share is better than reclaim.
        if self.mark == WMARK_LOW && self.rq.gfp.has(Gfp::WRITE) {
            let [dirty, limit] = dirty_limit(w, zone);
            if dirty > limit {
                w.record(ZoneDirty {
                    zone,
                    dirty: dirty.into(),
                    share: limit.into(),
                });
                self.next = place as u8 + 1;
                return Flow::Next;
            }
        }
        let left_home = w.mem.zones[zone].node != w.mem.zones[self.rq.preferred].node;
        if self.flags.has(AllocFlags::NOFRAGMENT) && zone != self.rq.preferred && left_home {
            w.record(NoFragmentLeave { zone });
            self.pt = GfPt::Again;
            return Flow::Next;
        }
        w.record(ZoneNext {
            zone,
            stop: place as i64 + 1,
            stops: len as i64,
        });
        (self.zone, self.next, self.pt) = (zone, place as u8 + 1, GfPt::Mark);
        Flow::Next
    }

    /// `zone_statistics`: counts numa_hit if this is the preferred zone, otherwise numa_miss here
    /// and numa_foreign there.
    fn account(&self, w: &mut World) {
        let node = w.mem.zones[self.zone].node;
        let preferred = self.rq.preferred;
        let local = node == w.local_node();
        if node == w.mem.zones[preferred].node {
            w.mem.zones[self.zone].numa[0] += 1;
        } else {
            w.mem.zones[self.zone].numa[1] += 1;
            w.mem.zones[preferred].numa[2] += 1;
            w.note_fallback(preferred, self.zone);
        }
        w.mem.zones[self.zone].numa[if local { 4 } else { 5 }] += 1;
    }
}
