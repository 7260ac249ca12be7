//! Shrinking an inactive list by one batch (mm/vmscan.c, `shrink_inactive_list`).
//!
//! Modelled: the stall when too many pages are isolated; isolation of any number of requested pages
//! from the tail; skipping pages of zones too high to help; the page ladder; putting the rest back;
//! the flags 3.16 sets on a zone after a batch, and the waits they cause; up to 3.1 lumpy reclaim
//! and the second pass, which waits for writes.
//! Left out: a dying task returns immediately, as if it had reclaimed 32 pages.
//! Invariants: taken pages are freed or put back, in the order they were taken; there is at most
//! one second pass, and kswapd makes none.

use crate::compaction::ReclaimcompactZoneOrder;
use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::gfp::Gfp;
use crate::kernel::{
    FlusherKick, HighOrderReclaim, IsolatedWait, LruOwner, ReclaimCompaction, StallSite,
};
use crate::memcg;
use crate::mmzone::{LRU_INACTIVE_FILE, flag};
use crate::page_writeback::FlushReason;
use crate::record::Outcome;
use crate::record::{decisions, events};
use crate::vmscan::isolate::isolate_pages;
use crate::vmscan::mode::{
    ModeCompaction, ModeLumpy, ModeSync, ReclaimMode, has_modes, should_reclaim_stall,
};
use crate::vmscan::page_list::ShrinkPageList;
use crate::vmscan::throttle::{
    CongestionWait, Reason, ReclaimThrottle, WaitTimedOut, all_congested, timer_fires_at, wake_all,
};
use crate::vmscan::{DEF_PRIORITY, FILE, SWAP_CLUSTER_MAX, Tally};
use crate::vmscan::{MmVmscanLruIsolate, NodeStall};
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex};
use facts::state::State;

/// The cost of skipping a page of a zone that is too high, as a fraction of isolating one: the
/// guests skipped 95,564 pages in 4.8 ms and 94,660 in 4.7 ms, 50 ns each against 250 ns.
pub(super) const SKIP_PART: u32 = 5;

events! {
    /// Reclaim finished a batch of an inactive list; `file` is the kind of page, `kswapd` the reclaimer.
    MmVmscanLruShrinkInactive "mm_vmscan_lru_shrink_inactive" from "include/trace/events/vmscan.h" { nid: Node, zid: ZoneType, nr_scanned: Count, nr_reclaimed: Count, nr_dirty: Count, nr_writeback: Count, nr_immediate: Count, nr_activate: Count, nr_ref_keep: Count, priority: Count, file: Flag, kswapd: Flag, sync: Flag };
}

decisions! {
    TooManyIsolated { isolated: Count, inactive: Count, shift: Count, file: Flag }
        "Other tasks have isolated {isolated page}, more than the length of the list ({inactive}) shifted right by {shift}: wait.";
    WakeIsolated { isolated: Count, inactive: Count, shift: Count, node: Node }
        "Tasks have isolated {isolated page}, not more than the length of the list ({inactive}) shifted right by {shift}: tasks of {node} that wait for this continue.";
    Isolated { want: Count, scanned: Count, taken: Count, lru: Lru }
        "Reclaim isolated {taken page} from the tail of the {lru} list ({want} requested, {scanned} scanned).";
    BatchDone { taken: Count, freed: Count, put_back: Count, lists: Lists, lru: Lru; pages: Outcomes }
        "Reclaim isolated {taken page}: it freed {freed} and put {put_back} back.";
}

room! {
    ShrinkInactiveList: "shrink_inactive_list" in "mm/vmscan.c" at "v6.1.176" line 2464;
    Simplified "A dying task that finds too many pages isolated waits like any other.";
    SiPt {
        TooMany 0 Plain "too_many_isolated(): wait a little";
        Stalled 1 Plain "still too many: give up on this batch";
        Mode 0 Plain "order > 0: set_reclaim_mode(), whole blocks or not" if |f| f.high_order_reclaim != HighOrderReclaim::Plain;
        Isolate 0 Plain "isolate_lru_pages(): take up to 32 from the tail";
        Shrink 0 Plain "nr_reclaimed = shrink_page_list(batch)";
        Again 0 Plain "should_reclaim_stall(): once more, waiting for writes" if |f| f.high_order_reclaim != HighOrderReclaim::Plain;
        Putback 0 Yields "put the others back where their flags say";
        Compact 0 Plain "all freed or under writeback: reclaimcompact_zone_order()" if |f| f.reclaim_compaction == ReclaimCompaction::AfterBatch;
        Stall 0 Plain "all dirty, written or congested: flag it, maybe wait" if |f| f.stall_site == StallSite::Batch;
        Wait 0 Plain "enough under writeback: wait_iff_congested()" if |f| f.stall_site == StallSite::PriorityAndBatch;
        Done 0 Yields "return nr_reclaimed, wake flushers if all dirty";
    }
    locals(self, w) {
        nr_to_scan: number(self.nr_to_scan);
        lru: lru(2 * self.file);
        owner: owner(self.owner);
        nr_scanned: number(self.nr_scanned);
        nr_reclaimed: number(self.nr_reclaimed);
    }
}

/// `shrink_inactive_list`. Returns pages reclaimed.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ShrinkInactiveList {
    /// Current program point.
    pub pt: SiPt,
    /// Owner of the list.
    pub owner: LruvecIndex,
    /// 0 for anonymous, 1 for file pages.
    pub file: u8,
    /// Number of pages requested.
    pub nr_to_scan: u32,
    /// True if the reclaimer has waited once.
    pub stalled: bool,
    /// Number of pages scanned.
    pub nr_scanned: u32,
    /// Number of pages reclaimed.
    pub nr_reclaimed: u32,
}

/// Have reclaimers isolated so many pages of a list that another one must wait (`too_many_isolated`)?
/// From 3.7 on `shift` is 3 if the caller may use file systems and I/O.
pub fn too_many(inactive: u32, isolated: u32, shift: u32) -> bool {
    isolated > inactive >> shift
}

/// `msleep(100)` in jiffies, plus the one jiffy that kernel/time/timer.c adds.
fn msleep_jiffies(hz: u32) -> u64 {
    u64::from(hz / 10) + 1
}

impl ShrinkInactiveList {
    /// Frame of a call that takes a new batch.
    pub fn call(owner: LruvecIndex, file: u8, nr_to_scan: u32) -> Frame {
        Frame::ShrinkInactiveList(Self {
            pt: SiPt::TooMany,
            owner,
            file,
            nr_to_scan,
            stalled: false,
            nr_scanned: 0,
            nr_reclaimed: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            SiPt::TooMany => self.too_many(w, cx, up),
            SiPt::Stalled => {
                // 3.0 and 3.16 wait until few enough pages are isolated; later kernels wait once.
                let wait = w.facts.features.isolated_wait;
                self.stalled = wait != IsolatedWait::CongestedQueue;
                if wait == IsolatedWait::Sleep {
                    w.record(WaitTimedOut {
                        timeout: msleep_jiffies(w.facts.hz) as i64,
                    });
                }
                self.pt = SiPt::TooMany;
                Flow::Next
            }
            SiPt::Mode => self.set_reclaim_mode(w, cx),
            SiPt::Isolate => self.isolate(w, cx),
            SiPt::Shrink => {
                self.pt = if has_modes(w, &cx.sc) {
                    SiPt::Again
                } else {
                    SiPt::Putback
                };
                up.call(ShrinkPageList::call(), w, cx)
            }
            SiPt::Again => self.again(w, cx, up),
            SiPt::Putback => self.putback(w, cx),
            SiPt::Compact => {
                self.pt = SiPt::Done;
                if !cx.sc.mode.is_compaction() {
                    return Flow::Next;
                }
                let zone = w.mem.lruvecs[self.owner].zone;
                up.call(ReclaimcompactZoneOrder::call(w, cx, zone), w, cx)
            }
            SiPt::Wait => self.wait(w, cx, up),
            SiPt::Stall => self.stall(w, cx, up),
            SiPt::Done => self.done(w, cx),
        }
    }

    fn too_many(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let l = &memcg::walk::of_whole_node(w, self.owner);
        let (node, inactive) = (l.node, l.nr[2 * self.file as usize]);
        let isolated = l.isolated[self.file as usize];
        let io = cx.sc.gfp.has(Gfp::FS) && cx.sc.gfp.has(Gfp::IO);
        let shift = if io && w.facts.features.isolated_eighth {
            3
        } else {
            0
        };
        if cx.sc.kswapd || !too_many(inactive, isolated, shift) {
            if !cx.sc.kswapd && wake_all(w, node, Reason::Isolated) {
                w.record(WakeIsolated {
                    isolated: isolated.into(),
                    inactive: inactive.into(),
                    shift: shift.into(),
                    node,
                });
            }
            self.pt = if has_modes(w, &cx.sc) {
                SiPt::Mode
            } else {
                SiPt::Isolate
            };
            return Flow::Next;
        }
        w.record(TooManyIsolated {
            isolated: isolated.into(),
            inactive: inactive.into(),
            shift: shift.into(),
            file: usize::from(self.file) == FILE,
        });
        if self.stalled {
            cx.ret = 0;
            return Flow::Ret;
        }
        self.pt = SiPt::Stalled;
        match w.facts.features.isolated_wait {
            IsolatedWait::Throttle => up.call(ReclaimThrottle::call(node, Reason::Isolated), w, cx),
            IsolatedWait::CongestedQueue => up.call(CongestionWait::call(10), w, cx),
            IsolatedWait::Sleep => {
                let fires = timer_fires_at(w.jiffies(), msleep_jiffies(w.facts.hz));
                cx.sleep = Sleep::Until(w.jiffy_ns(fires));
                Flow::Sleep
            }
        }
    }

    fn set_reclaim_mode(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let rule = w.facts.features.high_order_reclaim;
        let (order, priority) = (cx.sc.order, cx.sc.priority);
        cx.sc.mode = ReclaimMode::of(rule, order, priority, false);
        let priority = priority.into();
        let compacts = w.facts.features.reclaim_compaction == ReclaimCompaction::AfterBatch;
        if cx.sc.mode.is_compaction() && compacts {
            // One batch takes as many pages as the order has.
            self.nr_to_scan = SWAP_CLUSTER_MAX.max(1 << order);
        }
        if cx.sc.mode.is_lumpy() {
            w.record(ModeLumpy { order, priority });
        } else if cx.sc.mode.is_compaction() {
            w.record(ModeCompaction { order, priority });
        }
        self.pt = SiPt::Isolate;
        Flow::Next
    }

    /// Starts a second pass over the pages that the first did not free, if waiting is worthwhile.
    fn again(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.nr_reclaimed = cx.ret;
        self.pt = SiPt::Putback;
        let taken = cx.sc.batch.len() as u32;
        if !should_reclaim_stall(&cx.sc, taken, self.nr_reclaimed) {
            cx.ret = 0;
            return Flow::Next;
        }
        let rule = w.facts.features.high_order_reclaim;
        cx.sc.mode = ReclaimMode::of(rule, cx.sc.order, cx.sc.priority, true);
        w.record(ModeSync {
            taken: taken.into(),
            freed: self.nr_reclaimed.into(),
            priority: cx.sc.priority.into(),
        });
        // Each pass decides for itself whether all its pages had congested queues.
        self.note_congested(w, cx);
        (cx.sc.stat.dirty, cx.sc.stat.congested) = (0, 0);
        cx.sc.survivors = std::mem::take(&mut cx.sc.kept);
        up.call(ShrinkPageList::second(), w, cx)
    }

    /// Up to 3.10: marks the zone congested if every dirty page of the pass had a congested queue.
    fn note_congested(&self, w: &mut World, cx: &Context) {
        let stat = cx.sc.stat;
        let by_zone = w.facts.features.lru_owner == LruOwner::Zone;
        if by_zone && all_congested(stat.dirty, stat.congested) {
            w.mem.lruvecs[self.owner].congested = true;
        }
    }

    /// Lumpy reclaim isolates pages of both types. Clears the active flag of those from active
    /// lists (`clear_active_flags`). Returns the number of pages of the other type.
    fn update_isolated_counts(&self, w: &mut World, cx: &Context) -> u32 {
        let file = usize::from(self.file) == FILE;
        let mut others = 0;
        for &frame in &cx.sc.batch {
            let page = &mut w.mem.pages[frame];
            others += u32::from(page.is_anon() == file);
            w.counters.pgdeactivate += u64::from(page.test_clear(flag::ACTIVE));
        }
        others
    }

    fn isolate(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let want = self.nr_to_scan;
        let mut skipped = Vec::new();
        let lru = 2 * self.file;
        cx.sc.batch.clear();
        cx.sc.kept.clear();
        cx.sc.stat = Tally::default();
        crate::lru_add::drain(w);
        let looked = isolate_pages(w, cx, self.owner, lru, want, &mut skipped);
        let looked_at = looked.scanned;
        let taken = cx.sc.batch.len() as u32;
        crate::gather::before_ladder(w, &cx.sc.batch);
        let nr_skipped = splice_skipped(w, &skipped);
        // Skipped pages do not count towards the request, but count as scanned.
        self.nr_scanned = looked_at + nr_skipped;
        w.spend(w.facts.cost.batch_overhead);
        w.spend(w.facts.cost.lru_isolate_page * looked_at);
        w.spend(w.facts.cost.lru_isolate_page / SKIP_PART * nr_skipped);
        w.vmscan_totals.isolated(cx.sc.kswapd, self.nr_scanned);
        w.record(MmVmscanLruIsolate {
            order: cx.sc.order,
            nr_requested: want.into(),
            nr_scanned: self.nr_scanned.into(),
            nr_skipped: nr_skipped.into(),
            nr_taken: taken.into(),
            lru,
            both: cx.sc.mode.is_lumpy(),
            contig_taken: looked.contig_taken.into(),
            contig_dirty: looked.contig_dirty.into(),
            contig_failed: looked.contig_failed.into(),
        });
        let file = usize::from(self.file);
        if cx.sc.mode.is_lumpy() {
            cx.sc.of_other_type = self.update_isolated_counts(w, cx);
        }
        let others = cx.sc.of_other_type;
        let l = &mut w.mem.lruvecs[self.owner];
        l.isolated[file] += taken - others;
        l.isolated[1 - file] += others;
        l.pages_scanned += self.nr_scanned;
        l.recent_scanned[file] += u64::from(taken - others);
        l.recent_scanned[1 - file] += u64::from(others);
        let (zone, c) = (l.zone, &mut w.counters);
        let by_zone = !zone.is_none();
        let kind = if by_zone {
            w.mem.zones[zone].kind as usize
        } else {
            0
        };
        let scanned = u64::from(self.nr_scanned);
        if cx.sc.kswapd {
            c.pgscan_kswapd += scanned;
            c.pgscan_kswapd_zone[kind] += if by_zone { scanned } else { 0 };
        } else if cx.sc.target.is_root() {
            c.pgscan_direct += scanned;
            c.pgscan_direct_zone[kind] += if by_zone { scanned } else { 0 };
            c.scan_zone_reclaim += if cx.sc.zone_reclaim { scanned } else { 0 };
        }
        if file == FILE {
            c.pgscan_file += scanned;
        } else {
            c.pgscan_anon += scanned;
        }
        memcg::walk::count_scan(w, &cx.sc, self.owner, scanned);
        w.record(Isolated {
            want: want.into(),
            scanned: self.nr_scanned.into(),
            taken: taken.into(),
            lru,
        });
        if taken == 0 {
            cx.ret = 0;
            return Flow::Ret;
        }
        self.pt = SiPt::Shrink;
        Flow::Next
    }

    fn putback(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.nr_reclaimed += cx.ret;
        let file = usize::from(self.file);
        let taken = cx.sc.batch.len() as u32;
        put_back_pages(w, cx, self.owner);
        let others = std::mem::take(&mut cx.sc.of_other_type);
        cx.sc.survivors.clear();
        let l = &mut w.mem.lruvecs[self.owner];
        l.isolated[file] -= taken - others;
        l.isolated[1 - file] -= others;
        let (zone, c) = (l.zone, &mut w.counters);
        let freed = u64::from(self.nr_reclaimed);
        if !zone.is_none() {
            c.pgsteal_zone[w.mem.zones[zone].kind as usize] += freed;
        }
        if cx.sc.kswapd {
            c.kswapd_steal += freed;
            c.pgsteal_kswapd += freed;
        } else if cx.sc.target.is_root() {
            c.pgsteal_direct += freed;
            c.steal_zone_reclaim += if cx.sc.zone_reclaim { freed } else { 0 };
        }
        if file == FILE {
            c.pgsteal_file += freed;
        } else {
            c.pgsteal_anon += freed;
        }
        memcg::walk::count_steal(w, &cx.sc, self.owner, freed);
        if w.rec.on {
            self.say(w, cx);
        }
        cx.sc.stat.taken = taken;
        cx.sc.batch.clear();
        cx.sc.kept.clear();
        let compacts = w.facts.features.reclaim_compaction == ReclaimCompaction::AfterBatch;
        self.pt = match w.facts.features.stall_site {
            _ if compacts && cx.sc.order > 0 => SiPt::Compact,
            StallSite::Batch => SiPt::Stall,
            StallSite::PriorityAndBatch => SiPt::Wait,
            StallSite::Priority | StallSite::Node => SiPt::Done,
        };
        Flow::Next
    }

    /// Records what happened to the pages of the batch.
    #[cold]
    fn say(&self, w: &mut World, cx: &Context) {
        let kept_frames = sorted(&cx.sc.kept);
        let pages = cx.sc.batch.iter();
        let pages = pages
            .map(|&page| (page, outcome(w, &kept_frames, page)))
            .collect();
        w.record(BatchDone {
            taken: cx.sc.batch.len() as i64,
            freed: self.nr_reclaimed.into(),
            put_back: cx.sc.kept.len() as i64,
            lists: self.owner,
            lru: 2 * self.file,
            pages,
        });
    }

    /// 3.16: sets the flags of the zone from the batch, and makes the reclaimer wait if necessary.
    fn stall(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let stat = cx.sc.stat;
        let l = &mut w.mem.lruvecs[self.owner];
        l.writeback |= stat.writeback > 0 && stat.writeback == stat.taken;
        l.tail_dirty |= stat.unqueued_dirty == stat.taken;
        l.congested |= all_congested(stat.dirty, stat.congested);
        self.pt = SiPt::Done;
        if stat.immediate > 0 {
            let node = l.node;
            w.record(NodeStall {
                stalled: stat.immediate.into(),
                node,
            });
            return up.call(CongestionWait::call(10), w, cx);
        }
        if !cx.sc.kswapd {
            return up.call(CongestionWait::iff_congested(10, self.owner), w, cx);
        }
        Flow::Next
    }

    /// Waits if enough of the batch is under writeback; the lower the priority, the less is enough.
    fn wait(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.pt = SiPt::Done;
        let stat = cx.sc.stat;
        let few = stat.taken >> (DEF_PRIORITY - cx.sc.priority.min(DEF_PRIORITY));
        if stat.writeback > 0 && stat.writeback >= few {
            return up.call(CongestionWait::iff_congested(10, self.owner), w, cx);
        }
        Flow::Next
    }

    fn done(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let stat = cx.sc.stat;
        let taken = stat.taken;
        let kicks = w.facts.features.flusher_kick == FlusherKick::AllDirty;
        if kicks && stat.unqueued_dirty == taken {
            crate::page_writeback::wakeup_flusher_threads(w, u32::MAX, FlushReason::Vmscan);
        }
        let sum = &mut cx.sc.tally;
        sum.dirty += stat.dirty;
        sum.congested += stat.congested;
        sum.unqueued_dirty += stat.unqueued_dirty;
        sum.writeback += stat.writeback;
        sum.immediate += stat.immediate;
        sum.taken += taken;
        if usize::from(self.file) == FILE {
            sum.file_taken += taken;
        }
        self.note_congested(w, cx);
        let l = &w.mem.lruvecs[self.owner];
        let (nid, zone) = (l.node, w.mem.zones.get(l.zone.index()));
        let zid = zone.map_or(u8::MAX, |z| z.kind);
        w.record(MmVmscanLruShrinkInactive {
            nid,
            zid,
            nr_scanned: self.nr_scanned.into(),
            nr_reclaimed: self.nr_reclaimed.into(),
            nr_dirty: stat.dirty.into(),
            nr_writeback: stat.writeback.into(),
            nr_immediate: stat.immediate.into(),
            nr_activate: (stat.activate[0] + stat.activate[1]).into(),
            nr_ref_keep: stat.ref_keep.into(),
            priority: cx.sc.priority.into(),
            file: usize::from(self.file) == FILE,
            kswapd: cx.sc.kswapd,
            sync: cx.sc.mode.is_sync(),
        });
        cx.ret = self.nr_reclaimed;
        Flow::Ret
    }
}

/// The frames in ascending order, for a binary search per page of a long batch.
pub fn sorted(frames: &[FrameIndex]) -> Vec<FrameIndex> {
    let mut frames = frames.to_vec();
    frames.sort_unstable();
    frames
}

/// What happened to a page of the batch. The kept pages, in ascending order, are back on their
/// lists.
pub(super) fn outcome(w: &World, kept_frames: &[FrameIndex], frame: FrameIndex) -> Outcome {
    let page = w.mem.pages[frame];
    if kept_frames.binary_search(&frame).is_err() {
        Outcome::Freed
    } else if page.has(flag::MLOCKED) {
        Outcome::Unevictable
    } else if page.has(flag::ACTIVE) {
        Outcome::Activated
    } else if page.has(flag::WRITEBACK) {
        Outcome::Writeback
    } else if page.has(flag::DIRTY) {
        Outcome::Dirty
    } else {
        Outcome::Kept
    }
}

/// Number of pages taken off a list together, so that their records are read together.
const TAKEN_AT_ONCE: u32 = SWAP_CLUSTER_MAX;

/// Takes up to `want` pages from the tail of a list into the task's batch. It skips pages of zones
/// above the requested one without counting them. Returns the number of pages scanned.
pub fn take_batch(
    w: &mut World,
    cx: &mut Context,
    owner: LruvecIndex,
    lru: u8,
    want: u32,
    skipped: &mut Vec<FrameIndex>,
) -> u32 {
    let list = w.mem.lru_list(owner, lru);
    let may_skip = w.mem.lruvecs[owner].zone.is_none();
    let mut scanned = 0;
    let mut found = [FrameIndex::NONE; TAKEN_AT_ONCE as usize];
    while scanned < want {
        let room = (want - scanned).min(TAKEN_AT_ONCE) as usize;
        let n = w
            .mem
            .lists
            .take_tail(&mut w.mem.pages, list, &mut found[..room]);
        if n == 0 {
            break;
        }
        for &frame in &found[..n] {
            w.mem.lru_taken(frame);
            let zone = w.mem.pages[frame].zone();
            if may_skip && w.mem.zones[zone].kind > cx.sc.reclaim_idx {
                skipped.push(frame);
                continue;
            }
            scanned += 1;
            w.mem.pages[frame].set(flag::ISOLATED);
            cx.sc.batch.push(frame);
        }
    }
    scanned
}

/// Puts skipped pages back at the head of their list and counts them by zone (`pgskip`).
pub fn splice_skipped(w: &mut World, skipped: &[FrameIndex]) -> u32 {
    // The page skipped first was nearest to the tail and stays nearest.
    for &frame in skipped {
        let kind = w.mem.zones[w.mem.pages[frame].zone()].kind;
        w.counters.pgskip[kind as usize] += 1;
        w.mem.lru_add(frame);
    }
    skipped.len() as u32
}

/// Puts kept pages back on the lists that their flags indicate, in the order in which they were
/// taken (`move_pages_to_lru`, `putback_inactive_pages`).
pub fn put_back_pages(w: &mut World, cx: &mut Context, owner: LruvecIndex) {
    for i in 0..cx.sc.kept.len() {
        let frame = cx.sc.kept[i];
        crate::swap::putback_lru_page(w, frame);
        let page = w.mem.pages[frame];
        if page.has(flag::ACTIVE) {
            memcg::tree::age(w, owner, 1);
            let l = &mut w.mem.lruvecs[owner];
            l.recent_rotated[usize::from(page.lru() >= LRU_INACTIVE_FILE)] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::too_many;

    #[test]
    fn limits_isolated_pages_to_the_inactive_ones_or_an_eighth_of_them() {
        assert!(!too_many(1000, 125, 3));
        assert!(too_many(1000, 126, 3));
        assert!(!too_many(1000, 1000, 0));
        assert!(too_many(1000, 1001, 0));
        assert!(!too_many(255, 31, 3));
        assert!(too_many(255, 32, 3));
        assert!(too_many(7, 1, 3));
    }
}
