//! The two scanners of compaction (mm/compaction.c, as read in 2.6.37 and 2.6.39).
//!
//! Modelled: pages to move are taken upwards, from one range of a pageblock and up to 32 pages at
//! a time. Free pages are taken downwards, one whole pageblock at a time, and split into single
//! pages. Also what the scanners skip, and the two bugs in skipping blocks that are not movable.
//! Left out: dropping locks in between, which these kernels do not do. Large holes, which have no
//! page records, are skipped in one step.
//! Invariants: the migrate scanner never moves down, the free scanner never up; the pages taken are
//! on the lists of the run.

use crate::compaction::control::{COMPACT_CLUSTER_MAX, above_low};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::{MOVABLE, RESERVED};
use crate::mmzone::{PageKind, flag};
use crate::record::{decisions, events};
use crate::vmscan::throttle::CongestionWait;
use crate::world::World;
use facts::index::{FrameIndex, ZoneIndex};
use facts::state::State;

events! {
    /// Compaction searched for pages to move and isolated some.
    MmCompactionIsolateMigratepages "mm_compaction_isolate_migratepages" from "include/trace/events/compaction.h, from 2.6.38" { nr_scanned: Count, nr_taken: Count };
    /// Compaction searched for free pages in a pageblock and took some.
    MmCompactionIsolateFreepages "mm_compaction_isolate_freepages" from "include/trace/events/compaction.h, from 2.6.38" { nr_scanned: Count, nr_taken: Count };
}

decisions! {
    MigrateTake { page: Page, taken: Count }
        "The page at {page} can be moved: it is isolated as number {taken} of this batch.";
    MigrateBlockSkipped { page: Page, migratetype: Migratetype, next: Page }
        "The pageblock of {page} is of type {migratetype}, and this run takes pages only from movable ones: continue at {next}.";
    MigrateTooMany { isolated: Count, listed: Count }
        "Tasks have isolated {isolated page}, over half of the {listed} on the lists: wait, or give up.";
    TargetPassed { page: Page, migratetype: Migratetype }
        "The pageblock at {page} is of type {migratetype}: no pages are moved there.";
    TargetTaken { page: Page, scanned: Count, taken: Count }
        "In the pageblock at {page}, the free scanner checked {scanned page} and took {taken free page}.";
}

/// [`IsolateMigratepages`] returns this if it found nothing in the range.
pub const ISOLATE_NONE: u32 = 0;
/// Pages may have been isolated.
pub const ISOLATE_SUCCESS: u32 = 1;
/// The run may not continue.
pub const ISOLATE_ABORT: u32 = 2;

room! {
    IsolateMigratepages: "isolate_migratepages" in "mm/compaction.c" at "v3.0.1" line 255;
    Simplified "Large holes are skipped in one step." if |f| f.compaction == facts::kernel::Compaction::Whole;
    ImPt {
        Range 0 Plain "from migrate_pfn to the end of its block, short of free_pfn";
        TooMany 0 Plain "too_many_isolated(): wait, or give up if it may not";
        Scan 0 Hold "up to 32: the next page on a list is isolated";
        Account 0 Yields "count them, record where to continue";
    }
    locals(self, w) {
        end_pfn: page(self.end);
        nr_scanned: number(self.scanned);
        nr_taken: number(self.taken);
    }
}

/// `isolate_migratepages`. Returns one of [`ISOLATE_NONE`], [`ISOLATE_SUCCESS`], [`ISOLATE_ABORT`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct IsolateMigratepages {
    /// Current program point.
    pub pt: ImPt,
    /// Number of pages isolated.
    pub taken: u8,
    /// End of the range, exclusive.
    pub end: FrameIndex,
    /// Number of pages checked.
    pub scanned: u32,
    /// Number of the last pageblock that was not movable.
    pub last_block: u32,
}

impl IsolateMigratepages {
    /// Frame for a range that has not been scanned.
    pub fn call() -> Frame {
        Frame::IsolateMigrate(Self {
            pt: ImPt::Range,
            taken: 0,
            end: FrameIndex::new(0),
            scanned: 0,
            // The first pageblock has number 0, so it is never skipped.
            last_block: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            ImPt::Range => self.range(w, cx),
            ImPt::TooMany => self.too_many(w, cx, up),
            ImPt::Scan => self.scan(w, cx),
            ImPt::Account => {
                let (nr_scanned, nr_taken) = (self.scanned.into(), self.taken.into());
                w.compaction_totals.migrate_scanned += u64::from(self.scanned);
                w.compaction_totals.migrate_isolated += u64::from(self.taken);
                w.record(MmCompactionIsolateMigratepages {
                    nr_scanned,
                    nr_taken,
                });
                let says = w.facts.features.isolation_has_status;
                cx.ret = if says || !cx.migrate.list.is_empty() {
                    ISOLATE_SUCCESS
                } else {
                    ISOLATE_NONE
                };
                Flow::Ret
            }
        }
    }

    fn range(&mut self, w: &World, cx: &mut Context) -> Flow {
        let order = w.mem.pageblock_order;
        let low = cx.cc.migrate_pfn;
        self.end = low.plus(1 << order).next_head(order);
        if self.end > cx.cc.free_pfn || w.mem.pages.at(low).is_none() {
            cx.cc.migrate_pfn = self.end;
            cx.ret = ISOLATE_NONE;
            return Flow::Ret;
        }
        self.pt = ImPt::TooMany;
        Flow::Next
    }

    fn too_many(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let owner = w.mem.zones[cx.cc.zone].lruvec;
        let l = &w.mem.lruvecs[owner];
        let isolated: u32 = l.isolated.iter().sum();
        let listed: u32 = l.nr[..4].iter().sum();
        if isolated <= listed / 2 {
            self.pt = ImPt::Scan;
            return Flow::Next;
        }
        w.record(MigrateTooMany {
            isolated: isolated.into(),
            listed: listed.into(),
        });
        if w.facts.features.isolation_has_status && !cx.cc.sync {
            cx.ret = ISOLATE_ABORT;
            return Flow::Ret;
        }
        if cx.killed {
            cx.ret = ISOLATE_NONE;
            return Flow::Ret;
        }
        up.call(CongestionWait::call(10), w, cx)
    }

    /// Moves on to the next page that can be isolated, or to the end of the range.
    fn scan(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let before = self.scanned;
        let found = self.next(w, cx);
        w.spend(w.facts.cost.compact_skip * (self.scanned - before));
        let Some(frame) = found else {
            self.pt = ImPt::Account;
            return Flow::Next;
        };
        let file = usize::from(!w.mem.pages[frame].is_anon());
        w.mem.lru_del(frame);
        w.mem.pages[frame].set(flag::ISOLATED);
        let owner = w.mem.lruvec_of(frame);
        w.mem.lruvecs[owner].isolated[file] += 1;
        cx.migrate.list.push(frame);
        self.taken += 1;
        w.spend(w.facts.cost.compact_isolate);
        w.record(MigrateTake {
            page: frame,
            taken: self.taken.into(),
        });
        if cx.migrate.list.len() == COMPACT_CLUSTER_MAX {
            // The scanner stays at this page.
            self.pt = ImPt::Account;
        } else {
            cx.cc.migrate_pfn = cx.cc.migrate_pfn.plus(1);
        }
        Flow::Next
    }

    fn next(&mut self, w: &mut World, cx: &mut Context) -> Option<FrameIndex> {
        let order = w.mem.pageblock_order;
        let fast = !cx.cc.sync && w.facts.features.compaction_fast_scan;
        while cx.cc.migrate_pfn < self.end {
            let low = cx.cc.migrate_pfn;
            self.scanned += 1;
            let page = w.mem.pages[low];
            if page.is(PageKind::Free) {
                cx.cc.migrate_pfn = cx.cc.migrate_pfn.plus(1);
                continue;
            }
            let number = (w.mem.pfn(low) >> order) as u32;
            if fast && number != self.last_block && w.mem.block_type(low) != MOVABLE {
                self.last_block = number;
                // From the middle of a block, this skips the next block as well.
                let next = low.plus(1 << order).next_head(order);
                cx.cc.migrate_pfn = next;
                w.record(MigrateBlockSkipped {
                    page: low,
                    migratetype: w.mem.block_type(low),
                    next,
                });
                continue;
            }
            if page.is(PageKind::HugeAnon) && w.facts.features.thp {
                cx.cc.migrate_pfn = cx.cc.migrate_pfn.plus(1 << page.order());
                continue;
            }
            let movable = page.has(flag::LRU) && !page.has(flag::UNEVICTABLE);
            if movable && !crate::lru_add::waits_anywhere(w, low) {
                return Some(low);
            }
            cx.cc.migrate_pfn = cx.cc.migrate_pfn.plus(1);
        }
        None
    }
}

room! {
    IsolateFreepages: "isolate_freepages" in "mm/compaction.c" at "v3.0.1" line 131;
    Simplified "Up to 2.6.38 a run that took nothing may leave the scanner above its old position, even in the next zone; here it never does." if |f| f.compaction == facts::kernel::Compaction::Whole;
    IfPt {
        Range 0 Plain "from free_pfn down, a block short of migrate_pfn";
        Block 0 Hold "until there are enough: take the free pages of a block";
        Save 0 Yields "next time start at the highest block used";
    }
    locals(self, w) {
        pfn: page(self.pfn);
        low_pfn: page(self.limit);
        high_pfn: page(self.high);
    }
}

/// `isolate_freepages`: takes free pages until there are as many as pages to move.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct IsolateFreepages {
    /// Current program point.
    pub pt: IfPt,
    /// The next block to check.
    pub pfn: FrameIndex,
    /// The scan ends at this frame: no block below it is checked.
    pub limit: FrameIndex,
    /// Highest block from which pages were taken.
    pub high: FrameIndex,
}

impl IsolateFreepages {
    /// Frame of a scan that has not started.
    pub fn call() -> Frame {
        Frame::IsolateFree(Self {
            pt: IfPt::Range,
            pfn: FrameIndex::new(0),
            limit: FrameIndex::new(0),
            high: FrameIndex::new(0),
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        let block = 1u32 << w.mem.pageblock_order;
        match self.pt {
            IfPt::Range => {
                self.pfn = cx.cc.free_pfn;
                self.limit = cx.cc.migrate_pfn.plus(block);
                self.high = self.limit.min(self.pfn);
                self.pt = IfPt::Block;
                Flow::Next
            }
            IfPt::Block => {
                let enough = cx.cc.freepages.len() as u32 >= cx.cc.nr_migratepages;
                if self.pfn <= self.limit || enough {
                    self.pt = IfPt::Save;
                    return Flow::Next;
                }
                if self.is_target(w, cx.cc.zone) {
                    self.take_block(w, cx);
                }
                self.pfn = self.pfn.minus(block);
                Flow::Next
            }
            IfPt::Save => {
                cx.cc.free_pfn = self.high;
                Flow::Ret
            }
        }
    }

    /// `suitable_migration_target`, for a pageblock of the zone.
    fn is_target(&self, w: &mut World, zone: ZoneIndex) -> bool {
        let z = &w.mem.zones[zone];
        let inside = z.spans(self.pfn);
        if !inside || w.mem.pages[self.pfn].is(PageKind::Absent) {
            return false;
        }
        let (page, migratetype) = (w.mem.pages[self.pfn], w.mem.block_type(self.pfn));
        let whole = page.is(PageKind::Free) && page.order() >= w.mem.pageblock_order;
        let fits = migratetype != RESERVED && (whole || migratetype == MOVABLE);
        if !fits {
            w.record(TargetPassed {
                page: self.pfn,
                migratetype,
            });
        }
        fits
    }

    /// `isolate_freepages_block`.
    fn take_block(&mut self, w: &mut World, cx: &mut Context) {
        let z = &w.mem.zones[cx.cc.zone];
        let end = self.pfn.plus(1 << w.mem.pageblock_order).min(z.end());
        let (mut scanned, mut taken, mut at) = (0u32, 0u32, self.pfn);
        while at < end {
            scanned += 1;
            let page = w.mem.pages[at];
            let n = 1u32 << page.order();
            if !page.is(PageKind::Free) || !above_low(w, cx.cc.zone, 0, n) {
                at = at.plus(1);
                continue;
            }
            split_free_page(w, at);
            cx.cc.freepages.extend(at.until(at.plus(n)));
            (taken, at) = (taken + n, at.plus(n));
        }
        w.spend(w.facts.cost.compact_skip * scanned);
        w.spend(w.facts.cost.compact_take_free * taken);
        w.counters.compact_free_taken += u64::from(taken);
        if taken > 0 {
            self.high = self.high.max(self.pfn);
        }
        let (nr_scanned, nr_taken) = (scanned.into(), taken.into());
        w.compaction_totals.free_scanned += u64::from(scanned);
        w.compaction_totals.free_isolated += u64::from(taken);
        w.record(MmCompactionIsolateFreepages {
            nr_scanned,
            nr_taken,
        });
        w.record(TargetTaken {
            page: self.pfn,
            scanned: nr_scanned,
            taken: nr_taken,
        });
    }
}

/// `split_free_page`: takes a free block off its list and splits it into single pages. If the block
/// is at least half a pageblock, its pageblocks become movable.
fn split_free_page(w: &mut World, frame: FrameIndex) {
    let order = w.mem.del_free(frame);
    for page in w.mem.pages.slice_mut(frame, frame.plus(1 << order)) {
        page.meta = page.meta & !0xff | PageKind::InFlight as u32;
    }
    if order + 1 >= w.mem.pageblock_order {
        for start in frame.frames(order).step_by(1 << w.mem.pageblock_order) {
            w.mem.set_block_type(start, MOVABLE);
        }
    }
}
