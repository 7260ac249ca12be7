//! Memory compaction (mm/compaction.c of 2.6.35 to 2.6.38) moves pages to the end of a zone, so that
//! large blocks become free at its beginning.
//!
//! Modelled: a run over a zone with its two scanners, the start and end of a run, deferral, direct
//! compaction, `compact_memory`.
//! Left out: compaction from 3.2 on: scanners that continue where they stopped, kcompactd.
//! Invariants: a run changes neither the number of pages in use nor their owners or contents. A run
//! waits only if it may. When it ends, it holds no pages.

mod control;
mod entry;
mod isolate;
mod possible;
pub mod totals;

pub use control::{
    COMPACT_CLUSTER_MAX, CompactControl, CompactDeferred, CompactDefers, CompactLackOfMemory,
    CompactTooFew, EXTFRAG_THRESHOLD, MANUAL, Status, above_low, compaction_deferred,
    compaction_suitable, defer_compaction,
};
pub use entry::{
    CnPt, CompactAlloc, CompactHint, CompactNodes, CompactNothing, DcPt, DirectCompact, RcPt,
    ReclaimcompactZoneOrder, TcPt, TryToCompactPages, oldest_block,
};
pub use isolate::{
    IfPt, ImPt, IsolateFreepages, IsolateMigratepages, MigrateBlockSkipped, MigrateTake,
    MigrateTooMany, MmCompactionIsolateFreepages, MmCompactionIsolateMigratepages, TargetPassed,
    TargetTaken,
};

pub use possible::{CompactionReady, Possible, compaction_possible, compaction_ready};

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::migrate::{MigratePages, leave_list};
use crate::mmzone::{Memory, PageKind};
use crate::pcp::FreePages;
use crate::record::{decisions, events};
use crate::world::World;
use facts::index::{FrameIndex, ZoneIndex};
use facts::state::State;
use isolate::{ISOLATE_ABORT, ISOLATE_NONE};

events! {
    /// Compaction tried to move a batch of pages.
    MmCompactionMigratepages "mm_compaction_migratepages" from "include/trace/events/compaction.h, from 2.6.38" { nr_migrated: Count, nr_failed: Count };
}

decisions! {
    CompactBegins { zone: Zone, migrate: Page, free: Page, sync: Flag }
        "{zone} is compacted: pages at {migrate} and above are moved to free frames at {free} and below.";
    CompactMet { zone: Zone, migrate: Page, free: Page }
        "The scanners have met: pages up to {migrate} and above {free} have been scanned, which is all of {zone}.";
    CompactAborted { zone: Zone, migrate: Page }
        "The migrate scanner has checked all pages up to {migrate}, where this run began: it has scanned all of {zone}.";
    CompactFound { zone: Zone, order: Order }
        "{zone} has a free block of {order} and passes its low watermark check: compaction ends.";
}

room! {
    CompactZone: "compact_zone" in "mm/compaction.c" at "v3.0.1" line 503;
    Simplified "Pages left over are put back or freed one at a time, each as one line." if |f| f.compaction == facts::kernel::Compaction::Whole;
    CzPt {
        Suitable 0 Plain "compaction_suitable(): does a run make sense?";
        Init 0 Plain "the scanners to the zone's ends, lru_add_drain()";
        Finished 0 Yields "compact_finished(): met, or a free block? out";
        Isolate 1 Plain "isolate_migratepages()";
        Isolated 1 Plain "nothing here: continue, stopped: end the run";
        Migrate 1 Plain "migrate_pages()";
        Count 1 Plain "count the pages moved and not moved";
        Putback 1 Plain "putback_lru_page() of each page not moved";
        Release 0 Plain "release_freepages(): free each page not used";
        Done 0 Yields "return the status";
    }
    locals(self, w) {
        zone: zone(self.zone);
        order: number(i64::from(self.order)) if self.order != MANUAL;
        sync: yes_no(self.sync);
    }
}

/// `compact_zone`. Returns a [`Status`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct CompactZone {
    /// Current program point.
    pub pt: CzPt,
    /// Zone.
    pub zone: ZoneIndex,
    /// Order requested, [`MANUAL`] for the whole zone.
    pub order: u8,
    /// Migrate type of the request.
    pub migratetype: u8,
    /// True if the run may wait.
    pub sync: bool,
    /// True if the run ends only when the scanners meet.
    pub to_the_end: bool,
    /// True if the scanners continue where they are.
    pub goes_on: bool,
    /// Where the migrate scanner starts, [`FrameIndex::NONE`] for the beginning of the zone.
    pub start: FrameIndex,
}

impl CompactZone {
    /// Frame of a run that has not started.
    pub fn call(zone: ZoneIndex, order: u8, migratetype: u8, sync: bool) -> Frame {
        Self::from(zone, order, migratetype, sync, FrameIndex::NONE)
    }

    /// The same, with the migrate scanner starting at this frame.
    pub fn from(
        zone: ZoneIndex,
        order: u8,
        migratetype: u8,
        sync: bool,
        start: FrameIndex,
    ) -> Frame {
        Frame::CompactZone(Self {
            pt: CzPt::Suitable,
            zone,
            order,
            migratetype,
            sync,
            to_the_end: false,
            goes_on: false,
            start,
        })
    }

    /// Frame of a run over the part that another run left out. The free scanner continues; the
    /// migrate scanner starts at the beginning of the zone and ends where the other run started.
    pub fn rest(zone: ZoneIndex, order: u8, migratetype: u8, sync: bool) -> Frame {
        Frame::CompactZone(Self {
            pt: CzPt::Suitable,
            zone,
            order,
            migratetype,
            sync,
            to_the_end: false,
            goes_on: true,
            start: FrameIndex::NONE,
        })
    }

    /// Frame of kswapd's run in 2.6.38, which ends only when the scanners meet.
    pub fn of_kswapd(zone: ZoneIndex, order: u8, migratetype: u8) -> Frame {
        Frame::CompactZone(Self {
            pt: CzPt::Suitable,
            zone,
            order,
            migratetype,
            sync: false,
            to_the_end: true,
            goes_on: false,
            start: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            CzPt::Suitable => {
                let status = compaction_suitable(w, self.zone, self.order);
                if status != Status::Continue {
                    cx.ret = status as u32;
                    return Flow::Ret;
                }
                self.pt = CzPt::Init;
                Flow::Next
            }
            CzPt::Init => self.init(w, cx),
            CzPt::Finished => {
                let status = compact_finished(w, cx);
                cx.cc.status = status as u8;
                self.pt = if status == Status::Continue {
                    CzPt::Isolate
                } else {
                    CzPt::Release
                };
                Flow::Next
            }
            CzPt::Isolate => {
                self.pt = CzPt::Isolated;
                up.call(IsolateMigratepages::call(), w, cx)
            }
            CzPt::Isolated => {
                self.pt = match cx.ret {
                    ISOLATE_NONE => CzPt::Finished,
                    ISOLATE_ABORT => {
                        cx.cc.status = Status::Partial as u8;
                        CzPt::Release
                    }
                    _ => CzPt::Migrate,
                };
                Flow::Next
            }
            CzPt::Migrate => {
                cx.cc.nr_migratepages = cx.migrate.list.len() as u32;
                self.pt = CzPt::Count;
                up.call(MigratePages::call(), w, cx)
            }
            CzPt::Count => self.count(w, cx),
            CzPt::Putback => self.putback(w, cx, up),
            CzPt::Release => match cx.cc.freepages.pop() {
                Some(frame) => up.call(FreePages::call(frame, 0), w, cx),
                None => {
                    self.pt = CzPt::Done;
                    Flow::Next
                }
            },
            CzPt::Done => {
                cx.ret = cx.cc.status.into();
                Flow::Ret
            }
        }
    }

    fn init(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = CzPt::Finished;
        let (start, end) = zone_span(&w.mem, self.zone);
        if self.goes_on {
            cx.cc.migrate_pfn = start;
        } else {
            cx.cc
                .begin(self.zone, self.order, self.migratetype, self.sync);
            cx.cc.to_the_end = self.to_the_end;
            cx.cc.migrate_pfn = if self.start == FrameIndex::NONE {
                start
            } else {
                self.start
            };
            cx.cc.free_pfn = end.head(w.mem.pageblock_order);
        }
        w.spend(w.facts.cost.reclaim_visit);
        crate::lru_add::drain(w);
        w.record(CompactBegins {
            zone: self.zone,
            migrate: cx.cc.migrate_pfn,
            free: before(cx.cc.free_pfn),
            sync: self.sync,
        });
        Flow::Next
    }

    fn count(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let (all, left) = (cx.cc.nr_migratepages, cx.migrate.list.len() as u32);
        w.counters.compact_blocks_moved += 1;
        w.counters.compact_pages_moved += u64::from(all - left);
        w.counters.compact_pagemigrate_failed += u64::from(left);
        w.compaction_totals.migrated += u64::from(all - left);
        w.compaction_totals.failed += u64::from(left);
        w.record(MmCompactionMigratepages {
            nr_migrated: i64::from(all - left),
            nr_failed: left.into(),
        });
        cx.cc.nr_migratepages = 0;
        self.pt = CzPt::Putback;
        Flow::Next
    }

    fn putback(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        // The head of the list is the last element, and it is put back first.
        let Some(&frame) = cx.migrate.list.last() else {
            self.pt = CzPt::Finished;
            return Flow::Next;
        };
        leave_list(w, cx, frame);
        if w.mem.pages[frame].is_orphan() {
            // The last user of the page has released it in the meantime.
            crate::memory::release(w, frame);
            return up.call(FreePages::call(frame, 0), w, cx);
        }
        crate::swap::return_to_lru(w, frame);
        Flow::Next
    }
}

/// First existing frame of a zone, and the frame after its last one.
pub fn zone_span(mem: &Memory, zone: ZoneIndex) -> (FrameIndex, FrameIndex) {
    let z = &mem.zones[zone];
    let exists = |frame: &FrameIndex| !mem.pages[*frame].is(PageKind::Absent);
    let first = z.all_frames().find(exists).unwrap_or(z.first);
    let last = z.all_frames().rev().find(exists).unwrap_or(z.first);
    (first, last.next())
}

/// The last page before a scanner's position, which may be one past the last existing page.
fn before(pfn: FrameIndex) -> FrameIndex {
    pfn.minus(1)
}

/// `compact_finished`: the current status of the run.
fn compact_finished(w: &mut World, cx: &Context) -> Status {
    let cc = &cx.cc;
    let (zone, order) = (cc.zone, cc.order);
    if cx.killed {
        return Status::Partial;
    }
    if cc.free_pfn <= cc.migrate_pfn {
        w.record(CompactMet {
            zone,
            migrate: before(cc.migrate_pfn),
            free: before(cc.free_pfn),
        });
        return Status::Complete;
    }
    if cc.abort_migrate_pfn > FrameIndex::new(0) && cc.migrate_pfn >= cc.abort_migrate_pfn {
        w.record(CompactAborted {
            zone,
            migrate: before(cc.migrate_pfn),
        });
        return Status::Complete;
    }
    if order == MANUAL || cc.to_the_end || !above_low(w, zone, order, 1 << order) {
        return Status::Continue;
    }
    let mem = &w.mem;
    let fits = |o: u8| {
        let of_type = !mem.lists.is_empty(mem.free_list(zone, o, cc.migratetype));
        let any = mem.zones[zone].nr_free[usize::from(o)] > 0;
        of_type || (o >= mem.pageblock_order && any)
    };
    if (order..mem.orders).any(fits) {
        w.record(CompactFound { zone, order });
        return Status::Partial;
    }
    Status::Continue
}
