//! Callers of compaction: the slow path of an allocation, and `/proc/sys/vm/compact_memory`.
//!
//! Modelled: `__alloc_pages_direct_compact`, `try_to_compact_pages`, `compact_nodes`.
//! Left out: nothing.
//! Invariants: nothing happens for a request that is deferred or whose order is too low; deferral
//! depends only on the first zone of the request.

use crate::compaction::{CompactZone, MANUAL, Status, compaction_deferred, defer_compaction};
use crate::compaction::{above_low, control};
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::{AllocFlags, Gfp};
use crate::kernel::ReclaimCompaction;
use crate::mmzone::{LRU_INACTIVE_ANON, LRU_INACTIVE_FILE, WMARK_MIN};
use crate::page_alloc::{GetPageFromFreelist, Request, allowed};
use crate::pcp::FreePcppagesBulk;
use crate::record::decisions;
use crate::slowpath::COSTLY_ORDER;
use crate::world::World;
use facts::index::{FrameIndex, ZoneIndex};
use facts::state::State;

decisions! {
    CompactNothing { order: Order }
        "The request for {order} may not compact: its order is too low, or it may not call into file systems and do I/O.";
    CompactHint { zone: Zone, start: Page }
        "The oldest inactive page of {zone} lies just below {start}: the first run moves pages from there on.";
    CompactAlloc { order: Order, page: Page }
        "After compaction the request gets a block of {order} at {page}.";
}

room! {
    DirectCompact: "alloc_pages_direct_compact" in "mm/page_alloc.c" at "v3.0.1" line 1862;
    Mirrored "" if |f| f.compaction == facts::kernel::Compaction::Whole;
    DcPt {
        Deferred 0 Plain "compaction_deferred(preferred zone): do nothing";
        Compact 0 Plain "status = try_to_compact_pages()";
        Compacted 0 Plain "skipped: return none";
        Drain 0 Plain "drain_pages() of this CPU";
        Try 0 Plain "page = get_page_from_freelist(WMARK_MIN)";
        Done 0 Yields "got one: clear deferral, else defer_compaction()";
    }
    locals(self, w) {
        rq: request(&self.rq);
        sync: yes_no(self.sync);
    }
}

/// `__alloc_pages_direct_compact`. Returns the frame, or [`NONE`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct DirectCompact {
    /// Current program point.
    pub pt: DcPt,
    /// The request.
    pub rq: Request,
    /// Flags of the watermark checks.
    pub flags: AllocFlags,
    /// True if compaction may wait.
    pub sync: bool,
}

impl DirectCompact {
    /// Frame of a call that has not started.
    pub fn call(rq: Request, flags: AllocFlags, sync: bool) -> Frame {
        Frame::DirectCompact(Self {
            pt: DcPt::Deferred,
            rq,
            flags,
            sync,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            DcPt::Deferred => {
                if compaction_deferred(w, self.rq.preferred) {
                    cx.ret = NONE;
                    return Flow::Ret;
                }
                self.pt = DcPt::Compact;
                Flow::Next
            }
            DcPt::Compact => {
                self.pt = DcPt::Compacted;
                cx.memalloc = w.facts.features.compaction_is_reclaim;
                up.call(TryToCompactPages::call(self.rq, self.sync), w, cx)
            }
            DcPt::Compacted => {
                cx.memalloc = false;
                if Status::of(cx.ret) == Status::Skipped {
                    cx.ret = NONE;
                    return Flow::Ret;
                }
                self.pt = DcPt::Drain;
                Flow::Next
            }
            DcPt::Drain => {
                let mut zones = w.mem.zones.indices();
                let zone = zones.find(|&z| w.mem.pcp_count[w.mem.pcp_at(z, w.cpu)] > 0);
                match zone {
                    Some(zone) => up.call(FreePcppagesBulk::drain(zone, w.cpu, w), w, cx),
                    None => {
                        self.pt = DcPt::Try;
                        Flow::Next
                    }
                }
            }
            DcPt::Try => {
                self.pt = DcPt::Done;
                let walk = GetPageFromFreelist::call(self.rq, WMARK_MIN, self.flags);
                up.call(walk, w, cx)
            }
            DcPt::Done => self.done(w, cx),
        }
    }

    fn done(&self, w: &mut World, cx: &Context) -> Flow {
        let preferred = self.rq.preferred;
        if cx.ret == NONE {
            w.counters.compact_fail += 1;
            defer_compaction(w, preferred);
            return Flow::Ret;
        }
        let z = &mut w.mem.zones[preferred];
        (z.compact_considered, z.compact_defer_shift) = (0, 0);
        w.counters.compact_success += 1;
        w.record(CompactAlloc {
            order: self.rq.order,
            page: FrameIndex::new(cx.ret),
        });
        Flow::Ret
    }
}

room! {
    TryToCompactPages: "try_to_compact_pages" in "mm/compaction.c" at "v3.0.1" line 617;
    Mirrored "" if |f| f.compaction == facts::kernel::Compaction::Whole;
    TcPt {
        Enter 0 Plain "order too low, or no FS or I/O: skipped";
        Next 0 Plain "for each zone the request may use:";
        Compact 1 Plain "compact_zone()";
        Compacted 1 Yields "passes its watermark for the order now? then stop";
        Return 0 Plain "return the highest status";
    }
    locals(self, w) {
        rq: request(&self.rq);
        zone: zone(self.zone) if !self.zone.is_none();
        sync: yes_no(self.sync);
    }
}

/// `try_to_compact_pages`. Returns a [`Status`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TryToCompactPages {
    /// Current program point.
    pub pt: TcPt,
    /// The request.
    pub rq: Request,
    /// True if compaction may wait.
    pub sync: bool,
    /// Index in the zonelist of the next zone.
    pub next: u8,
    /// The zone that was compacted last.
    pub zone: ZoneIndex,
    /// The highest status so far.
    pub status: u8,
}

impl TryToCompactPages {
    /// Frame of a walk over the zonelist that has not started.
    pub fn call(rq: Request, sync: bool) -> Frame {
        Frame::TryToCompact(Self {
            pt: TcPt::Enter,
            rq,
            sync,
            next: 0,
            zone: ZoneIndex::NONE,
            status: Status::Skipped as u8,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let rq = self.rq;
        match self.pt {
            TcPt::Enter => {
                let features = &w.facts.features;
                let least = if features.compaction_for_small_orders {
                    1
                } else {
                    COSTLY_ORDER + 1
                };
                let may = rq.gfp.has(Gfp::FS) && rq.gfp.has(Gfp::IO);
                if rq.order < least || !may {
                    w.record(CompactNothing { order: rq.order });
                    self.pt = TcPt::Return;
                    return Flow::Next;
                }
                w.counters.compact_stall += 1;
                self.pt = TcPt::Next;
                Flow::Next
            }
            TcPt::Next => {
                let from = usize::from(self.next);
                let found = allowed(w, rq.node, rq.high).find(|&(place, _)| place >= from);
                self.pt = TcPt::Return;
                if let Some((place, zone)) = found {
                    (self.next, self.zone, self.pt) = (place as u8 + 1, zone, TcPt::Compact);
                }
                Flow::Next
            }
            TcPt::Compact => {
                self.pt = TcPt::Compacted;
                let run = CompactZone::call(self.zone, rq.order, rq.migratetype, self.sync);
                up.call(run, w, cx)
            }
            TcPt::Compacted => {
                self.status = self.status.max(cx.ret as u8);
                let at_low = w.facts.features.compaction_stops_at_low;
                let more = if at_low { 0 } else { 2 << rq.order };
                // Up to 2.6.37, a skipped zone is not checked again.
                let asks = at_low || Status::of(cx.ret) != Status::Skipped;
                let enough = asks && above_low(w, self.zone, rq.order, more);
                self.pt = if enough { TcPt::Return } else { TcPt::Next };
                Flow::Next
            }
            TcPt::Return => {
                cx.ret = self.status.into();
                Flow::Ret
            }
        }
    }
}

room! {
    ReclaimcompactZoneOrder: "reclaimcompact_zone_order" in "mm/compaction.c";
    Simplified "From the series of November 2010 as posted. An empty list gives no hint; the patch used the list head itself as a page. This function never waits for page locks, like reclaimers from 2.6.38 on." if |f| f.reclaim_compaction == ReclaimCompaction::AfterBatch;
    RcPt {
        Pick 0 Plain "migrate_pfn = the block behind the oldest inactive page" if |f| f.compaction_hint;
        Compact 0 Plain "compact_zone(), waiting" if |f| f.reclaim_compaction == ReclaimCompaction::AfterBatch;
        Check 0 Plain "low watermark holds for the order: done" if |f| f.compaction_hint;
        Rest 0 Plain "compact_zone() from the beginning to that block" if |f| f.compaction_hint;
        Done 0 Plain "return" if |f| f.reclaim_compaction == ReclaimCompaction::AfterBatch;
    }
    locals(self, w) {
        zone: zone(self.zone);
        migrate_pfn: page(self.start);
    }
}

/// `reclaimcompact_zone_order`: compacts a zone for a request that reclaims.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ReclaimcompactZoneOrder {
    /// Current program point.
    pub pt: RcPt,
    /// The zone.
    pub zone: ZoneIndex,
    /// True if the task already had the reclaimer flag.
    pub was_memalloc: bool,
    /// Where the first run starts, [`FrameIndex::NONE`] for the beginning of the zone.
    pub start: FrameIndex,
}

impl ReclaimcompactZoneOrder {
    /// Frame of a call for a zone from which a batch was just reclaimed.
    pub fn call(w: &World, cx: &Context, zone: ZoneIndex) -> Frame {
        Frame::ReclaimCompact(Self {
            pt: if w.facts.features.compaction_hint {
                RcPt::Pick
            } else {
                RcPt::Compact
            },
            zone,
            was_memalloc: cx.memalloc,
            start: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let (order, migratetype) = (cx.sc.order, cx.sc.gfp.migratetype());
        match self.pt {
            RcPt::Pick => {
                self.start = oldest_block(w, self.zone);
                if self.start != FrameIndex::NONE {
                    // After the last block there is no page to record.
                    let is_page = self.start.index() < w.mem.pages.len();
                    w.record(CompactHint {
                        zone: self.zone,
                        start: if is_page {
                            self.start
                        } else {
                            FrameIndex::NONE
                        },
                    });
                }
                self.pt = RcPt::Compact;
                Flow::Next
            }
            RcPt::Compact => {
                let hint = w.facts.features.compaction_hint && self.start != FrameIndex::NONE;
                self.pt = if hint { RcPt::Check } else { RcPt::Done };
                cx.memalloc = true;
                let run = CompactZone::from(self.zone, order, migratetype, true, self.start);
                up.call(run, w, cx)
            }
            RcPt::Check => {
                let skipped = Status::of(cx.ret) == Status::Skipped;
                let enough = skipped || above_low(w, self.zone, order, 0);
                self.pt = if enough { RcPt::Done } else { RcPt::Rest };
                Flow::Next
            }
            RcPt::Rest => {
                self.pt = RcPt::Done;
                cx.cc.abort_migrate_pfn = self.start;
                up.call(
                    CompactZone::rest(self.zone, order, migratetype, true),
                    w,
                    cx,
                )
            }
            RcPt::Done => {
                cx.memalloc = self.was_memalloc;
                Flow::Ret
            }
        }
    }
}

/// The lower frame of the two pages at the tails of a zone's inactive lists, rounded up to a
/// pageblock; [`FrameIndex::NONE`] if both lists are empty.
pub fn oldest_block(w: &World, zone: ZoneIndex) -> FrameIndex {
    let owner = w.mem.zones[zone].lruvec;
    let lists = [LRU_INACTIVE_ANON, LRU_INACTIVE_FILE];
    let tails = lists.map(|lru| w.mem.lists.tail(w.mem.lru_list(owner, lru)));
    let oldest = tails.into_iter().flatten().min();
    oldest.map_or(FrameIndex::NONE, |frame| {
        frame.next_head(w.mem.pageblock_order)
    })
}

room! {
    CompactNodes: "compact_nodes" in "mm/compaction.c" at "v3.0.1" line 702;
    Mirrored "" if |f| f.compaction == facts::kernel::Compaction::Whole;
    CnPt {
        Drain 0 Plain "lru_add_drain_all()";
        Next 0 Yields "for each zone of every node:";
        Done 0 Plain "return";
    }
    locals(self, w) {
        zone: zone(self.next) if self.next.index() < w.mem.zones.len();
    }
}

/// `compact_nodes`: compacts every zone completely, without a request (`/proc/sys/vm/compact_memory`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct CompactNodes {
    /// Current program point.
    pub pt: CnPt,
    /// The next zone.
    pub next: ZoneIndex,
}

impl CompactNodes {
    /// Frame of a compaction of all memory that has not started.
    pub fn call() -> Frame {
        Frame::CompactNodes(Self {
            pt: CnPt::Drain,
            next: ZoneIndex::default(),
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            CnPt::Drain => {
                crate::lru_add::drain_all(w);
                self.pt = CnPt::Next;
                Flow::Next
            }
            CnPt::Next => {
                if self.next.index() == w.mem.zones.len() {
                    self.pt = CnPt::Done;
                    return Flow::Next;
                }
                let zone = self.next;
                self.next = zone.next();
                up.call(CompactZone::call(zone, MANUAL, control::ANY, true), w, cx)
            }
            CnPt::Done => Flow::Ret,
        }
    }
}
