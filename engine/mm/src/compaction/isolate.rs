//! The two scanners of compaction (mm/compaction.c; as read in 2.6.37 and 2.6.39).
//!
//! Modelled: pages to be moved are taken upwards, a stretch of a pageblock and 32 pages at a time; free
//! pages downwards, a whole pageblock at a time, split into single ones; what is passed over, and the
//! two slips of the scan of movable blocks only.
//! Left out: time the locks are dropped in between, which these kernels do not do; large holes, which
//! have no records, are stepped over at once.
//! Invariants: the migration scanner never falls, the free scanner never rises; what was taken is on
//! the lists of the run.

use crate::compaction::control::{COMPACT_CLUSTER_MAX, above_low};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::{MOVABLE, RESERVED};
use crate::mmzone::{PageKind, flag};
use crate::record::{decisions, events};
use crate::vmscan::throttle::CongestionWait;
use crate::world::World;
use facts::state::State;

events! {
    /// Compaction looked for pages to move and isolated some.
    MmCompactionIsolateMigratepages "mm_compaction_isolate_migratepages" from "include/trace/events/compaction.h, from 2.6.38" { nr_scanned: Count, nr_taken: Count };
    /// Compaction looked for free pages in a pageblock and took some.
    MmCompactionIsolateFreepages "mm_compaction_isolate_freepages" from "include/trace/events/compaction.h, from 2.6.38" { nr_scanned: Count, nr_taken: Count };
}

decisions! {
    MigrateTake { page: Page, taken: Count }
        "The page at {page} can be moved: it is isolated, the {taken}th of this batch.";
    MigrateBlockSkipped { page: Page, migratetype: Migratetype, next: Page }
        "The pageblock of {page} is of type {migratetype}, and this run takes from movable ones only: on at {next}.";
    MigrateTooMany { isolated: Count, listed: Count }
        "{isolated page} are isolated, more than half of the {listed} on the lists: wait, or give up.";
    TargetPassed { page: Page, migratetype: Migratetype }
        "The pageblock at {page} is of type {migratetype}: nothing is moved there.";
    TargetTaken { page: Page, scanned: Count, taken: Count }
        "In the pageblock at {page}, {taken page} are free and taken, {scanned} looked at.";
}

/// What [`IsolateMigratepages`] returns: nothing in this stretch.
pub const ISOLATE_NONE: u32 = 0;
/// Pages may have been taken.
pub const ISOLATE_SUCCESS: u32 = 1;
/// It may not go on.
pub const ISOLATE_ABORT: u32 = 2;

room! {
    IsolateMigratepages: "isolate_migratepages" in "mm/compaction.c" at "v3.0.1" line 255;
    Simplified "Large holes are stepped over at once." if |f| f.compaction == facts::kernel::Compaction::Whole;
    ImPt {
        Range 0 Plain "from migrate_pfn to the end of its block, short of free_pfn";
        TooMany 0 Plain "too_many_isolated(): wait, or give up if it may not";
        Scan 0 Hold "up to 32: the next page on a list is isolated";
        Account 0 Yields "count them, note where to go on";
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
    /// Pages taken.
    pub taken: u8,
    /// End of the stretch.
    pub end: u32,
    /// Pages looked at.
    pub scanned: u32,
    /// Number of the last pageblock that was not movable.
    pub last_block: u32,
}

impl IsolateMigratepages {
    /// A stretch about to be looked at.
    pub fn call() -> Frame {
        Frame::IsolateMigrate(Self {
            pt: ImPt::Range,
            taken: 0,
            end: 0,
            scanned: 0,
            // No block: so it is the first that is never passed over.
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
                w.told_compaction.migrate_scanned += u64::from(self.scanned);
                w.told_compaction.migrate_isolated += u64::from(self.taken);
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
        let block = 1 << w.mem.pageblock_order;
        let low = cx.cc.migrate_pfn;
        self.end = (low + block).next_multiple_of(block);
        if self.end > cx.cc.free_pfn || w.mem.pages.get(low as usize).is_none() {
            cx.cc.migrate_pfn = self.end;
            cx.ret = ISOLATE_NONE;
            return Flow::Ret;
        }
        self.pt = ImPt::TooMany;
        Flow::Next
    }

    fn too_many(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let owner = w.mem.zones[usize::from(cx.cc.zone)].lruvec;
        let l = &w.mem.lruvecs[usize::from(owner)];
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

    /// Up to the next page that is taken, or the end of the stretch.
    fn scan(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let before = self.scanned;
        let found = self.next(w, cx);
        w.spend(w.facts.cost.compact_skip * (self.scanned - before));
        let Some(frame) = found else {
            self.pt = ImPt::Account;
            return Flow::Next;
        };
        let file = usize::from(!w.mem.pages[frame as usize].is_anon());
        w.mem.lru_del(frame);
        w.mem.pages[frame as usize].set(flag::ISOLATED);
        let owner = w.mem.lruvec_of(frame);
        w.mem.lruvecs[usize::from(owner)].isolated[file] += 1;
        cx.migrate.list.push(frame);
        self.taken += 1;
        w.spend(w.facts.cost.compact_isolate);
        w.record(MigrateTake {
            page: frame,
            taken: self.taken.into(),
        });
        if cx.migrate.list.len() == COMPACT_CLUSTER_MAX {
            // The scanner stays on the page.
            self.pt = ImPt::Account;
        } else {
            cx.cc.migrate_pfn += 1;
        }
        Flow::Next
    }

    fn next(&mut self, w: &mut World, cx: &mut Context) -> Option<u32> {
        let order = w.mem.pageblock_order;
        let block = 1u32 << order;
        let fast = !cx.cc.sync && w.facts.features.compaction_fast_scan;
        while cx.cc.migrate_pfn < self.end {
            let low = cx.cc.migrate_pfn;
            self.scanned += 1;
            let page = w.mem.pages[low as usize];
            if page.is(PageKind::Free) {
                cx.cc.migrate_pfn += 1;
                continue;
            }
            let number = (w.mem.pfn(low) >> order) as u32;
            if fast && number != self.last_block && w.mem.block_type(low) != MOVABLE {
                self.last_block = number;
                // From the middle of a block this leaves out the next one as well.
                let next = (low + block).next_multiple_of(block);
                cx.cc.migrate_pfn = next;
                w.record(MigrateBlockSkipped {
                    page: low,
                    migratetype: w.mem.block_type(low),
                    next,
                });
                continue;
            }
            if page.is(PageKind::HugeAnon) && w.facts.features.thp {
                cx.cc.migrate_pfn += 1 << page.order();
                continue;
            }
            let movable = page.has(flag::LRU) && !page.has(flag::UNEVICTABLE);
            if movable && !crate::lru_add::waits_anywhere(w, low) {
                return Some(low);
            }
            cx.cc.migrate_pfn += 1;
        }
        None
    }
}

room! {
    IsolateFreepages: "isolate_freepages" in "mm/compaction.c" at "v3.0.1" line 131;
    Simplified "To 2.6.38 a run that took nothing may leave the scanner above where it was, even in the next zone; here never." if |f| f.compaction == facts::kernel::Compaction::Whole;
    IfPt {
        Range 0 Plain "from free_pfn down, a block short of migrate_pfn";
        Block 0 Hold "until there are enough: take what is free of a block";
        Save 0 Yields "go on next time at the highest block used";
    }
    locals(self, w) {
        pfn: page(self.pfn);
        low_pfn: page(self.limit);
        high_pfn: page(self.high);
    }
}

/// `isolate_freepages`: takes free pages until there are as many as are to be moved.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct IsolateFreepages {
    /// Current program point.
    pub pt: IfPt,
    /// The block to look at.
    pub pfn: u32,
    /// It looks at no block from here down.
    pub limit: u32,
    /// Highest block it took from.
    pub high: u32,
}

impl IsolateFreepages {
    /// A scan about to begin.
    pub fn call() -> Frame {
        Frame::IsolateFree(Self {
            pt: IfPt::Range,
            pfn: 0,
            limit: 0,
            high: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        let block = 1u32 << w.mem.pageblock_order;
        match self.pt {
            IfPt::Range => {
                self.pfn = cx.cc.free_pfn;
                self.limit = cx.cc.migrate_pfn + block;
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
                self.pfn = self.pfn.saturating_sub(block);
                Flow::Next
            }
            IfPt::Save => {
                cx.cc.free_pfn = self.high;
                Flow::Ret
            }
        }
    }

    /// `suitable_migration_target`, of a block of the zone.
    fn is_target(&self, w: &mut World, zone: u8) -> bool {
        let z = &w.mem.zones[usize::from(zone)];
        let inside = self.pfn >= z.first && self.pfn < z.first + z.frames;
        if !inside || w.mem.pages[self.pfn as usize].is(PageKind::Absent) {
            return false;
        }
        let (page, migratetype) = (w.mem.pages[self.pfn as usize], w.mem.block_type(self.pfn));
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
        let z = &w.mem.zones[usize::from(cx.cc.zone)];
        let end = (self.pfn + (1 << w.mem.pageblock_order)).min(z.first + z.frames);
        let (mut scanned, mut taken, mut at) = (0u32, 0u32, self.pfn);
        while at < end {
            scanned += 1;
            let page = w.mem.pages[at as usize];
            let n = 1u32 << page.order();
            if !page.is(PageKind::Free) || !above_low(w, cx.cc.zone, 0, n) {
                at += 1;
                continue;
            }
            split_free_page(w, at);
            cx.cc.freepages.extend(at..at + n);
            (taken, at) = (taken + n, at + n);
        }
        w.spend(w.facts.cost.compact_skip * scanned);
        w.spend(w.facts.cost.compact_take_free * taken);
        w.counters.compact_free_taken += u64::from(taken);
        if taken > 0 {
            self.high = self.high.max(self.pfn);
        }
        let (nr_scanned, nr_taken) = (scanned.into(), taken.into());
        w.told_compaction.free_scanned += u64::from(scanned);
        w.told_compaction.free_isolated += u64::from(taken);
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

/// `split_free_page`: a free block becomes single pages in hand; of half a pageblock or more, its
/// pageblocks become movable.
fn split_free_page(w: &mut World, frame: u32) {
    let order = w.mem.del_free(frame);
    for page in w
        .mem
        .pages
        .slice_mut(frame as usize, (frame + (1 << order)) as usize)
    {
        page.meta = page.meta & !0xff | PageKind::InFlight as u32;
    }
    if order + 1 >= w.mem.pageblock_order {
        let blocks = frame..frame + (1 << order);
        for start in blocks.step_by(1 << w.mem.pageblock_order) {
            w.mem.set_block_type(start, MOVABLE);
        }
    }
}
