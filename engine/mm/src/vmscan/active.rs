//! Shrinking an active list by one batch (mm/vmscan.c, `shrink_active_list`).
//!
//! Modelled: pages move from the active tail to the inactive head, whether used or not; their
//! accessed bits are cleared.
//! Left out: mapped executables, which stay active if they were used. No workload runs code.
//! Invariants: the PG_referenced bit is neither read nor cleared.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::kernel::LruOwner;
use crate::memcg::{self, group::Stat};
use crate::mmzone::flag;
use crate::record::{decisions, events};
use crate::vmscan::MmVmscanLruIsolate;
use crate::vmscan::inactive::{SKIP_PART, put_back_pages, splice_skipped};
use crate::vmscan::isolate::isolate_pages;
use crate::world::World;
use facts::index::LruvecIndex;
use facts::state::State;

events! {
    /// Pages at the tail of an active list were deactivated or kept.
    MmVmscanLruShrinkActive "mm_vmscan_lru_shrink_active" from "include/trace/events/vmscan.h" { nid: Node, nr_taken: Count, nr_deactivated: Count, nr_referenced: Count, priority: Count, file: Flag, kswapd: Flag };
}

decisions! {
    ActiveIsolated { taken: Count, lru: Lru }
        "Reclaim isolated {taken page} from the tail of the {lru} list.";
    Deactivate { page: Page, young: Count }
        "The page at {page} moves to the inactive list; it was referenced through {young mapping}.";
}

room! {
    ShrinkActiveList: "shrink_active_list" in "mm/vmscan.c" at "v6.1.176" line 2584;
    Simplified "No page is mapped executable.";
    SaPt {
        Isolate 0 Plain "isolate_lru_pages(): up to 32 from the active tail";
        Next 0 Plain "for each page: clear its accessed bits, deactivate it";
        Putback 0 Yields "put them at the head of the inactive list";
    }
    locals(self, w) {
        nr_to_scan: number(self.nr_to_scan);
        lru: lru(2 * self.file + 1);
        owner: owner(self.owner);
        i: number(self.i);
        referenced: number(self.referenced);
    }
}

/// `shrink_active_list`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ShrinkActiveList {
    /// Current program point.
    pub pt: SaPt,
    /// Owner of the list.
    pub owner: LruvecIndex,
    /// 0 for anonymous, 1 for file pages.
    pub file: u8,
    /// Number of pages requested.
    pub nr_to_scan: u32,
    /// Index of the current page in the batch.
    pub i: u32,
    /// Number of pages that were used.
    pub referenced: u32,
}

impl ShrinkActiveList {
    /// Frame of a call that takes a new batch.
    pub fn call(owner: LruvecIndex, file: u8, nr_to_scan: u32) -> Frame {
        Frame::ShrinkActiveList(Self {
            pt: SaPt::Isolate,
            owner,
            file,
            nr_to_scan,
            i: 0,
            referenced: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            SaPt::Isolate => self.isolate(w, cx),
            SaPt::Next => self.next(w, cx),
            SaPt::Putback => self.putback(w, cx),
        }
    }

    fn isolate(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        cx.sc.batch.clear();
        cx.sc.kept.clear();
        let lru = 2 * self.file + 1;
        let mut skipped = Vec::new();
        let want = self.nr_to_scan;
        crate::lru_add::drain(w);
        // Here neighbours must be on the same list in every mode.
        let mode = std::mem::take(&mut cx.sc.mode);
        let looked = isolate_pages(w, cx, self.owner, lru, want, &mut skipped);
        cx.sc.mode = mode;
        let looked_at = looked.scanned;
        let nr_skipped = splice_skipped(w, &skipped);
        let scanned = looked_at + nr_skipped;
        w.spend(w.facts.cost.batch_overhead);
        w.spend(w.facts.cost.lru_isolate_page * looked_at);
        w.spend(w.facts.cost.lru_isolate_page / SKIP_PART * nr_skipped);
        let taken = cx.sc.batch.len() as u32;
        w.vmscan_totals.isolated(cx.sc.kswapd, scanned);
        w.record(MmVmscanLruIsolate {
            order: cx.sc.order,
            nr_requested: want.into(),
            nr_scanned: scanned.into(),
            nr_skipped: nr_skipped.into(),
            nr_taken: taken.into(),
            lru,
            both: false,
            contig_taken: looked.contig_taken.into(),
            contig_dirty: looked.contig_dirty.into(),
            contig_failed: looked.contig_failed.into(),
        });
        let l = &mut w.mem.lruvecs[self.owner];
        l.isolated[self.file as usize] += taken;
        l.recent_scanned[self.file as usize] += u64::from(taken);
        if w.facts.features.lru_owner == LruOwner::Zone {
            l.pages_scanned += scanned;
        }
        if cx.sc.target.is_root() {
            w.counters.pgrefill += u64::from(scanned);
        }
        if !l.zone.is_none() {
            let kind = w.mem.zones[l.zone].kind as usize;
            w.counters.pgrefill_zone[kind] += u64::from(scanned);
        }
        memcg::count(
            w,
            w.mem.group_of_lists(self.owner),
            Stat::Refill,
            scanned.into(),
        );
        w.record(ActiveIsolated {
            taken: taken.into(),
            lru,
        });
        self.pt = SaPt::Next;
        Flow::Next
    }

    fn next(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let Some(&frame) = cx.sc.batch.get(self.i as usize) else {
            self.pt = SaPt::Putback;
            return Flow::Next;
        };
        self.i += 1;
        let found = crate::rmap::page_referenced(w, frame);
        let keeps_workingset = w.facts.features.workingset;
        let page = &mut w.mem.pages[frame];
        if !page.has(flag::MLOCKED) {
            self.referenced += u32::from(found.young > 0);
            page.clear(flag::ACTIVE);
            if keeps_workingset {
                page.set(flag::WORKINGSET);
            }
        }
        cx.sc.kept.push(frame);
        w.spend(w.facts.cost.lru_move);
        w.record(Deactivate {
            page: frame,
            young: found.young.into(),
        });
        Flow::Next
    }

    fn putback(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let taken = cx.sc.kept.len() as u32;
        put_back_pages(w, cx, self.owner);
        let l = &mut w.mem.lruvecs[self.owner];
        l.isolated[self.file as usize] -= taken;
        l.recent_rotated[self.file as usize] += u64::from(self.referenced);
        let nid = l.node;
        w.counters.pgdeactivate += u64::from(taken);
        memcg::count(
            w,
            w.mem.group_of_lists(self.owner),
            Stat::Deactivate,
            taken.into(),
        );
        w.record(MmVmscanLruShrinkActive {
            nid,
            nr_taken: taken.into(),
            nr_deactivated: taken.into(),
            nr_referenced: self.referenced.into(),
            priority: cx.sc.priority.into(),
            file: self.file == 1,
            kswapd: cx.sc.kswapd,
        });
        cx.sc.batch.clear();
        cx.sc.kept.clear();
        cx.ret = 0;
        Flow::Ret
    }
}
