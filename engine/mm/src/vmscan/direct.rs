//! Direct reclaim (mm/vmscan.c, `try_to_free_pages`).
//!
//! Modelled: the wait for kswapd when reserves run out; the walk over the zonelist at falling
//! priority; waking the flushers and the waits of 3.0; the throttle of 6.1; the one forced restart.
//! In 3.16 reclaimers wait after each batch instead ([`super::inactive`]). From 5.10 on, zones left
//! to compaction.
//! Left out: in 3.0 to 3.16, zones that compaction could already serve; memory cgroups.
//! Invariants: the priority only falls, except at the one restart; reclaim stops at the first
//! priority after which 32 pages are reclaimed.

use crate::compaction::compaction_ready;
use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::gfp::Gfp;
use crate::kernel::{
    Features, FlusherKick, LruGenRule, LruOwner, NoProgressWait, NoProgressWake, ReclaimCompaction,
    StallSite,
};
use crate::mmzone::WMARK_MIN;
use crate::page_alloc::{Request, allowed};
use crate::page_writeback::FlushReason;
use crate::record::{decisions, events};
use crate::slowpath::COSTLY_ORDER;
use crate::vmscan::lruvec::ShrinkLruvec;
use crate::vmscan::node::shrink_node;
use crate::vmscan::slab::ShrinkSlab;
use crate::vmscan::throttle::{CongestionWait, Reason, ReclaimThrottle, wake_all};
use crate::vmscan::{
    DEF_PRIORITY, MAX_RECLAIM_RETRIES, SWAP_CLUSTER_MAX, is_given_up, zone_reclaimable,
    zone_reclaimable_pages,
};
use crate::vmscan::{Priority, ZoneUnreclaimable};
use crate::world::World;
use facts::amount::Pages;
use facts::index::{LruvecIndex, NodeIndex, ZoneIndex};
use facts::state::State;

events! {
    /// A task that got no page begins direct reclaim.
    MmVmscanDirectReclaimBegin "mm_vmscan_direct_reclaim_begin" from "include/trace/events/vmscan.h" { order: Order, may_writepage: Flag, gfp_flags: Gfp };
    /// Direct reclaim has ended; the number of pages freed.
    MmVmscanDirectReclaimEnd "mm_vmscan_direct_reclaim_end" from "include/trace/events/vmscan.h" { nr_reclaimed: Count };
}

decisions! {
    PfMemalloc { free: Count, half: Count, node: Node }
        "{node} has {free free page}. Direct reclaim continues only if the node has over {half}, half the sum of its min watermarks.";
    DirectDone { reclaimed: Count, goal: Count, priority: Count }
        "Reclaim freed {reclaimed page} and met its goal of {goal}: it is done at priority {priority}.";
    WakeProgress { reclaimed: Count, needs: Count, node: Node }
        "Reclaim freed {reclaimed page}, more than {needs}: tasks that wait for progress on {node} continue.";
    KickFlushers { scanned: Count, enough: Count }
        "Reclaim scanned {scanned page}, more than {enough}: wake the flushers, and allow writing.";
    WalkAgain {}
        "Nothing was reclaimed: start over once at the first priority.";
    ForceDeactivate {}
        "Nothing was reclaimed, but active lists were spared: start over and shrink them too.";
}

room! {
    TryToFreePages: "try_to_free_pages" in "mm/vmscan.c" at "v6.1.176" line 6679;
    Simplified "Includes do_try_to_free_pages and shrink_zones. In 3.0 to 3.16, zones that compaction could serve are not skipped.";
    TfPt {
        Throttle 0 Plain "from 3.6: throttle_direct_reclaim()";
        Begin 0 Plain "goal: 32 pages, priority 12";
        Priority 0 Plain "for priority 12 down to 0:";
        Next 1 Plain "shrink_zones(): for each zone, or node:";
        Shrink 2 Plain "shrink it";
        Shrunk 2 Plain "continue with the next";
        Consider 2 Plain "consider_reclaim_throttle()" if |f| f.noprogress_wait == NoProgressWait::EachNode;
        Slab 1 Plain "lists of zones: shrink_slab()";
        Check 1 Yields "32 pages reclaimed: done";
        Kick 1 Plain "many pages scanned: it may write from now on";
        Nap 1 Plain "to 3.10: wait_iff_congested(), priority below 10";
        Lower 1 Plain "next priority";
        Force 0 Plain "nothing reclaimed, active lists spared: start over";
        End 0 Yields "return what was reclaimed";
    }
    locals(self, w) {
        rq: request(&self.rq);
        zone: zone(self.zone);
    }
}

/// `try_to_free_pages` with `do_try_to_free_pages` and `shrink_zones`. Returns pages reclaimed, or
/// 1 if another attempt makes sense.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TryToFreePages {
    /// Current program point.
    pub pt: TfPt,
    /// The request.
    pub rq: Request,
    /// Index of the next zone in the zonelist.
    pub next: u8,
    /// The zone being shrunk, or a zone of the node.
    pub zone: ZoneIndex,
    /// Node that was shrunk last.
    pub last_node: NodeIndex,
}

impl TryToFreePages {
    /// Frame of a call that starts direct reclaim.
    pub fn call(rq: Request) -> Frame {
        Frame::TryToFreePages(Self {
            pt: TfPt::Throttle,
            rq,
            next: 0,
            zone: ZoneIndex::NONE,
            last_node: NodeIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            TfPt::Throttle => self.throttle(w, cx),
            TfPt::Begin => self.begin(w, cx),
            TfPt::Priority => {
                cx.sc.nr_scanned = 0;
                (self.next, self.last_node) = (0, NodeIndex::NONE);
                w.record(Priority {
                    priority: cx.sc.priority.into(),
                    reclaimed: cx.sc.nr_reclaimed.into(),
                });
                self.pt = TfPt::Next;
                Flow::Next
            }
            TfPt::Next => self.next(w, cx),
            TfPt::Shrink => self.shrink(w, cx, up),
            TfPt::Shrunk => self.shrunk(w, cx),
            TfPt::Consider => {
                self.pt = TfPt::Next;
                let node = w.mem.zones[self.zone].node;
                if !consider_reclaim_throttle(node, w, cx) {
                    return Flow::Next;
                }
                up.call(ReclaimThrottle::call(node, Reason::NoProgress), w, cx)
            }
            TfPt::Slab => {
                self.pt = TfPt::Check;
                if w.facts.features.lru_owner == LruOwner::Zone {
                    let node = w.mem.zones[self.rq.preferred].node;
                    return up.call(ShrinkSlab::call(node), w, cx);
                }
                cx.ret = 0;
                Flow::Next
            }
            TfPt::Check => self.check(w, cx, up),
            TfPt::Kick => self.kick(w, cx),
            TfPt::Nap => {
                self.pt = TfPt::Lower;
                let waits = matches!(
                    w.facts.features.stall_site,
                    StallSite::Priority | StallSite::PriorityAndBatch
                );
                if waits && cx.sc.nr_scanned > 0 && cx.sc.priority < DEF_PRIORITY - 2 {
                    let zone = w.mem.zones.get(self.rq.preferred.index());
                    let owner = zone.map_or(LruvecIndex::NONE, |z| z.lruvec);
                    return up.call(CongestionWait::iff_congested(10, owner), w, cx);
                }
                Flow::Next
            }
            TfPt::Lower => {
                self.pt = if cx.sc.priority == 0 {
                    TfPt::Force
                } else {
                    cx.sc.priority -= 1;
                    TfPt::Priority
                };
                Flow::Next
            }
            TfPt::Force => self.force(w, cx),
            TfPt::End => {
                w.record(MmVmscanDirectReclaimEnd {
                    nr_reclaimed: cx.sc.nr_reclaimed.into(),
                });
                // The task may have woken on a CPU whose clock is some microseconds behind.
                w.counters.stall_direct_ns += w.now.saturating_sub(cx.sc.began_ns);
                cx.memalloc = false;
                Flow::Ret
            }
        }
    }

    /// `throttle_direct_reclaim` with `allow_direct_reclaim`.
    fn throttle(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = TfPt::Begin;
        if !w.facts.features.pfmemalloc_throttle || self.rq.preferred.is_none() {
            return Flow::Next;
        }
        let node = w.mem.zones[self.rq.preferred].node;
        let (allowed, free, reserve) = allow_direct_reclaim(w, node);
        w.record(PfMemalloc {
            free: free.into(),
            half: i64::from(reserve / 2),
            node,
        });
        if allowed {
            return Flow::Next;
        }
        w.counters.pgscan_direct_throttle += 1;
        let pgdat = &mut w.pgdat[node];
        pgdat.pfmemalloc_wait.push(cx.task);
        self.pt = TfPt::Throttle;
        if !self.rq.gfp.has(Gfp::FS) {
            self.pt = TfPt::Begin;
            cx.sleep = Sleep::Until(w.now + 1_000_000_000);
        } else {
            cx.sleep = Sleep::Wait;
        }
        if w.facts.features.kswapd_counts_scans() {
            let k = &mut w.kswapd[node];
            if !k.awake {
                k.classzone = k.classzone.min(w.facts.highest[2]);
            }
        }
        w.wake_kswapd(node);
        Flow::Sleep
    }

    fn begin(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let rq = self.rq;
        cx.sc.begin(rq.gfp, rq.order, rq.high, false);
        cx.sc.began_ns = w.now;
        cx.begin_reclaim();
        w.counters.allocstall += 1;
        w.counters.allocstall_zone[rq.high as usize] += 1;
        w.record(MmVmscanDirectReclaimBegin {
            order: rq.order,
            may_writepage: true,
            gfp_flags: rq.gfp,
        });
        self.pt = TfPt::Priority;
        Flow::Next
    }

    fn next(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let next = allowed(w, self.rq.node, self.rq.high)
            .find(|&(place, _)| place >= usize::from(self.next));
        let Some((place, zone)) = next else {
            self.pt = TfPt::Slab;
            return Flow::Next;
        };
        (self.next, self.zone) = (place as u8 + 1, zone);
        let node = w.mem.zones[zone].node;
        if w.facts.features.lru_owner == LruOwner::Node {
            let yields = w.facts.features.reclaim_compaction == ReclaimCompaction::Yields;
            let (order, high) = (cx.sc.order, cx.sc.reclaim_idx);
            if yields && order > COSTLY_ORDER && compaction_ready(w, zone, order, high) {
                cx.sc.compaction_ready = true;
                return Flow::Next;
            }
            if node == self.last_node {
                return Flow::Next;
            }
            self.last_node = node;
        } else {
            if is_given_up(w, zone) && cx.sc.priority != DEF_PRIORITY {
                w.record(ZoneUnreclaimable { zone });
                return Flow::Next;
            }
        }
        self.pt = TfPt::Shrink;
        Flow::Next
    }

    fn shrink(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.pt = TfPt::Shrunk;
        cx.ret = 0;
        let z = &w.mem.zones[self.zone];
        if w.facts.features.lru_owner == LruOwner::Node {
            return up.call(shrink_node(w, z.node), w, cx);
        }
        let owner = z.lruvec;
        w.spend(w.facts.cost.reclaim_visit);
        up.call(ShrinkLruvec::call(owner), w, cx)
    }

    fn shrunk(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = match w.facts.features.noprogress_wait {
            NoProgressWait::EachNode => TfPt::Consider,
            NoProgressWait::Never | NoProgressWait::FirstNode => TfPt::Next,
        };
        if w.facts.features.lru_owner == LruOwner::Zone {
            cx.sc.nr_reclaimed += cx.ret;
        }
        Flow::Next
    }

    fn check(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        if w.facts.features.lru_owner == LruOwner::Zone {
            cx.sc.nr_reclaimed += cx.ret;
        }
        cx.sc.total_scanned += cx.sc.nr_scanned;
        let considers = w.facts.features.noprogress_wait == NoProgressWait::FirstNode;
        let first = w.mem.zones.get(self.rq.preferred.index());
        let first = first.map(|zone| zone.node).filter(|_| considers);
        let throttled = first.filter(|&node| consider_reclaim_throttle(node, w, cx));
        if cx.sc.nr_reclaimed >= cx.sc.nr_to_reclaim {
            w.record(DirectDone {
                reclaimed: cx.sc.nr_reclaimed.into(),
                goal: cx.sc.nr_to_reclaim.into(),
                priority: cx.sc.priority.into(),
            });
            self.pt = TfPt::End;
            cx.ret = cx.sc.nr_reclaimed;
            return self.snapshot(w);
        }
        if cx.sc.compaction_ready {
            // One page counts as progress, so that the caller compacts and kills no process.
            self.pt = TfPt::End;
            cx.ret = cx.sc.nr_reclaimed.max(1);
            return self.snapshot(w);
        }
        self.pt = TfPt::Kick;
        match throttled {
            Some(node) => up.call(ReclaimThrottle::call(node, Reason::NoProgress), w, cx),
            None => Flow::Next,
        }
    }

    fn kick(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = TfPt::Nap;
        match w.facts.features.flusher_kick {
            FlusherKick::Scanned => {
                let enough = SWAP_CLUSTER_MAX + SWAP_CLUSTER_MAX / 2;
                if cx.sc.total_scanned > enough {
                    let scanned = cx.sc.total_scanned;
                    w.record(KickFlushers {
                        scanned: scanned.into(),
                        enough: enough.into(),
                    });
                    crate::page_writeback::wakeup_flusher_threads(
                        w,
                        scanned,
                        FlushReason::TryToFreePages,
                    );
                    cx.sc.may_writepage = true;
                }
            }
            FlusherKick::AllDirty => cx.sc.may_writepage |= cx.sc.priority < DEF_PRIORITY - 2,
        }
        Flow::Next
    }

    /// Stores how many refaults were activated by the end of a full reclaim (`snapshot_refaults`).
    fn snapshot(&self, w: &mut World) -> Flow {
        // With memory cgroups, only those of the root's lists.
        let each = w.mem.lists_each;
        let of_root = w.mem.lruvecs.as_mut_slice();
        let count = match each {
            0 => of_root.len(),
            each => usize::from(each),
        };
        for l in &mut of_root[..count] {
            l.refaults = l.activated;
        }
        Flow::Next
    }

    /// 6.12 with the multi-generational LRU: starts over once if nothing was reclaimed
    /// (`memcg_full_walk`).
    fn walk_again(&mut self, w: &mut World, cx: &mut Context) {
        let rule = w.facts.features.lru_gen;
        if w.mem.lru_gen_on && rule == LruGenRule::AgesWithin && !cx.sc.gens.full_walk {
            cx.sc.gens.full_walk = true;
            cx.sc.priority = DEF_PRIORITY;
            w.counters.allocstall += 1;
            w.counters.allocstall_zone[self.rq.high as usize] += 1;
            w.record(WalkAgain {});
            self.pt = TfPt::Priority;
        }
    }

    fn force(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.snapshot(w);
        self.pt = TfPt::End;
        if cx.sc.nr_reclaimed > 0 {
            cx.ret = cx.sc.nr_reclaimed;
            return Flow::Next;
        }
        cx.ret = 0;
        match w.facts.features.lru_owner {
            LruOwner::Zone => {
                let mut zones = allowed(w, self.rq.node, self.rq.high);
                let is_hopeful = |(_, z)| {
                    if w.facts.features.direct_counts_scans {
                        zone_reclaimable(w, z)
                    } else {
                        !is_given_up(w, z)
                    }
                };
                cx.ret = u32::from(zones.any(is_hopeful));
            }
            LruOwner::Node if w.memcg.is_on() => {
                if crate::memcg::reclaim::restarts(w, cx) {
                    if w.mem.lru_gen_on {
                        w.counters.allocstall += 1;
                        w.counters.allocstall_zone[self.rq.high as usize] += 1;
                    }
                    self.pt = TfPt::Priority;
                }
            }
            LruOwner::Node if cx.sc.skipped_deactivate && !cx.sc.force_deactivate => {
                cx.sc.force_deactivate = true;
                cx.sc.skipped_deactivate = false;
                cx.sc.priority = DEF_PRIORITY;
                w.record(ForceDeactivate {});
                self.pt = TfPt::Priority;
            }
            LruOwner::Node => self.walk_again(w, cx),
        }
        Flow::Next
    }
}

/// What a direct reclaimer does because of its own progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Considered {
    /// The task wakes the tasks that wait for progress.
    Wakes,
    /// The task itself waits.
    Waits,
    /// The task does neither.
    GoesOn,
}

/// Decides from the pages reclaimed so far and the pages scanned at this priority.
fn considered(features: &Features, priority: u8, reclaimed: u32, scanned: u32) -> Considered {
    let waits = match features.noprogress_wait {
        NoProgressWait::Never => return Considered::GoesOn,
        NoProgressWait::EachNode => priority < DEF_PRIORITY - 2,
        NoProgressWait::FirstNode => priority == 1 && reclaimed == 0,
    };
    if reclaimed > progress_needs(features, scanned) {
        Considered::Wakes
    } else if waits {
        Considered::Waits
    } else {
        Considered::GoesOn
    }
}

/// The number of reclaimed pages above which the scan counts as progress.
pub fn progress_needs(features: &Features, scanned: u32) -> u32 {
    match features.noprogress_wake {
        NoProgressWake::Any => 0,
        NoProgressWake::AboveEighth => scanned >> 3,
    }
}

/// `consider_reclaim_throttle`: must the caller wait for progress of other tasks?
fn consider_reclaim_throttle(node: NodeIndex, w: &mut World, cx: &Context) -> bool {
    let (reclaimed, scanned) = (cx.sc.nr_reclaimed, cx.sc.nr_scanned);
    let features = &w.facts.features;
    let needs = progress_needs(features, scanned);
    match considered(features, cx.sc.priority, reclaimed, scanned) {
        Considered::Waits => return true,
        Considered::Wakes if wake_all(w, node, Reason::NoProgress) => w.record(WakeProgress {
            reclaimed: reclaimed.into(),
            needs: needs.into(),
            node,
        }),
        Considered::Wakes | Considered::GoesOn => {}
    }
    false
}

/// Wakes the direct reclaimers that wait for kswapd, if enough pages are free.
pub fn wake_throttled(w: &mut World, node: NodeIndex) {
    let waiters = !w.pgdat[node].pfmemalloc_wait.is_empty();
    if waiters && allow_direct_reclaim(w, node).0 {
        for task in std::mem::take(&mut w.pgdat[node].pfmemalloc_wait) {
            w.wake(task);
        }
    }
}

/// Are more pages free than half the sum of the min watermarks of the node's zones up to Normal, so
/// that direct reclaim may continue (`allow_direct_reclaim`, `pfmemalloc_watermark_ok`)? Returns
/// the answer, the number of free pages and the sum of the watermarks.
pub fn allow_direct_reclaim(w: &World, node: NodeIndex) -> (bool, u32, u32) {
    if w.pgdat[node].kswapd_failures >= MAX_RECLAIM_RETRIES {
        return (true, 0, 0);
    }
    let (mut free, mut reserve) = (0, Pages::ZERO);
    for z in w.mem.zones.iter().filter(|z| z.node == node) {
        // Early kernels also count zones with nothing to reclaim.
        let counts = w.facts.features.kswapd_counts_scans() || zone_reclaimable_pages(w, z) > 0;
        if w.zone_type(z.kind) > crate::arch::ZoneType::Normal || !counts {
            continue;
        }
        free += z.nr_free_pages;
        reserve += z.mark(WMARK_MIN);
    }
    let reserve = reserve.get();
    (reserve == 0 || free > reserve / 2, free, reserve)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{find, patches::patched};

    /// Cases are (priority, reclaimed, scanned); kernels are 5.15 with part 3 of the series, with
    /// all eight parts, and 6.1.
    #[test]
    fn throttles_reclaimers_without_progress_and_wakes_waiters_on_progress() {
        use Considered::{GoesOn, Waits, Wakes};
        let three = [
            "throttle-writeback",
            "throttle-isolated",
            "throttle-noprogress",
        ];
        let of = |kernel: &str| find(kernel).expect("a kernel").features;
        let kernels = [
            patched(&of("5.15"), &three).expect("taken"),
            of("mm-reclaimcongest-v5r4"),
            of("6.1"),
        ];
        for (case, expected) in [
            ((9, 0, 256), [Waits, Waits, GoesOn]),
            ((9, 32, 256), [Wakes, Waits, GoesOn]),
            ((9, 33, 256), [Wakes, Wakes, Wakes]),
            ((12, 0, 128), [GoesOn, GoesOn, GoesOn]),
            ((1, 0, 5000), [Waits, Waits, Waits]),
            ((1, 1, 5000), [Wakes, Waits, GoesOn]),
            ((0, 0, 9000), [Waits, Waits, GoesOn]),
        ] {
            let (priority, reclaimed, scanned) = case;
            let found = kernels.map(|f| considered(&f, priority, reclaimed, scanned));
            assert_eq!(found, expected, "{case:?}");
        }
        let wakes = considered(&of("5.15"), 9, 256, 256);
        assert_eq!(wakes, GoesOn, "5.15 never throttles here");
    }

    /// An eighth is rounded down: below eight scanned pages, one reclaimed page is enough.
    #[test]
    fn counts_more_than_an_eighth_of_the_scanned_pages_as_progress() {
        let f = find("mm-reclaimcongest-v5r4").expect("a kernel").features;
        let needs = [0, 7, 8, 255, 256].map(|scanned| progress_needs(&f, scanned));
        assert_eq!(needs, [0, 0, 1, 31, 32]);
    }
}
