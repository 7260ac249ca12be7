//! The allocator's slow path (mm/page_alloc.c).
//!
//! Modelled: waking kswapd ([`wake`]), the ALLOC_* flags of the slow path, the walk at the min
//! watermark, direct compaction in 2.6.37, 2.6.38 and their series, direct reclaim, draining the
//! per-cpu lists, retries, the OOM killer.
//! Left out: compaction from 3.0 on; HighAtomic blocks never return to their former type.
//! Visible difference: from 3.0 on, a request for a high order fails where compaction would have
//! made room.
//! Invariants: kswapd is woken on the slow path only, never on the fast path.

use crate::compaction::DirectCompact;
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::{AllocFlags, Gfp};
use crate::kernel::{AllocRetry, BlockReserve, Compaction, RetryWait};
use crate::mmzone::{Gauge, WMARK_HIGH, WMARK_MIN};
use crate::oom::OutOfMemory;
use crate::page_alloc::{GetPageFromFreelist, Request, allowed};
use crate::pcp::FreePcppagesBulk;
use crate::record::{decisions, events};
use crate::vmscan::direct::TryToFreePages;
use crate::vmscan::throttle::CongestionWait;
use crate::vmscan::{MAX_RECLAIM_RETRIES, zone_reclaimable_pages};
use crate::watermark_ok::WatermarkOk;
use crate::world::World;
use crate::zlc;
use facts::index::{LruvecIndex, ZoneIndex};
use facts::state::State;
use wake::WakeAllKswapds;

pub mod wake;

events! {
    /// Reclaim made no progress: would this zone pass its watermark check if all its reclaimable pages were free?
    ReclaimRetryZone "reclaim_retry_zone" from "include/trace/events/oom.h" { zone: Zone, order: Order, reclaimable: Count, available: Count, min_wmark: Count, no_progress_loops: Count };
}

decisions! {
    ZlcReconsider { freed: Count, node: Node }
        "Direct reclaim freed {freed page}: all full flags of {node}'s zonelist cache are cleared.";
    SlowTry { mark: Mark, alloc_flags: Count }
        "The required watermark drops to {mark}: walk the zonelist once more before reclaiming.";
    SlowThisNode { node: Node }
        "The request is only for {node} and is allowed to fail: it fails before kswapd is woken or pages are reclaimed.";
    SlowNoWait { order: Order }
        "The request for {order} may not sleep, so it may not reclaim: it fails here.";
    ReclaimRetry { zone: Zone, available: Count, needs: Count, rounds: Count }
        "With all its reclaimable pages free, {zone} would have {available page} and need {needs}: try again after {rounds round} without progress.";
    RepeatRetry { order: Order, reclaimed: Count, needs: Count }
        "Reclaim has freed {reclaimed page} in all for this request, fewer than the {needs} of a block of {order}: because of __GFP_REPEAT, the request tries again.";
    RepeatEnough { order: Order, reclaimed: Count, needs: Count }
        "Reclaim has freed {reclaimed page} in all for this request, no fewer than the {needs} of a block of {order}: __GFP_REPEAT does not retry again.";
    ReclaimRetryPending { zone: Zone, pending: Count, reclaimable: Count }
        "Reclaim made no progress, and {zone} has {pending page} waiting for I/O, over half of the {reclaimable} reclaimable: wait before retrying.";
    ReclaimGiveUp { rounds: Count }
        "Reclaim made no progress in {rounds round}, or no zone could ever pass its check: give up.";
    Reclaimed { freed: Count }
        "Direct reclaim freed {freed page}: try the zonelist again.";
    Drained {}
        "The walk still found no page: drain the per-cpu lists and walk the zonelist once more.";
}

room! {
    Slowpath: "alloc_pages_slowpath" in "mm/page_alloc.c" at "v6.1.176" line 5097;
    Simplified "From 3.0 on there is no compaction between the attempts. HighAtomic blocks never return to their former type.";
    SlPt {
        ThisNode 0 Plain "GFP_THISNODE: give up, the caller has a fallback" if |f| f.thisnode_gives_up;
        Wake 0 Plain "wake_all_kswapds(), unless forbidden";
        Flags 0 Plain "gfp_to_alloc_flags(): which reserves it may use";
        TryMin 0 Plain "retry: page = get_page_from_freelist(WMARK_MIN)";
        Tried 0 Plain "got one: return it";
        Cannot 0 Plain "may not sleep, or already reclaims: give up";
        Compact 0 Plain "order > 0: alloc_pages_direct_compact()" if |f| f.compaction == Compaction::Whole;
        Compacted 0 Plain "got one: return it" if |f| f.compaction == Compaction::Whole;
        Reclaim 0 Plain "direct reclaim: try_to_free_pages()";
        Reclaimed 0 Plain "made progress: get_page_from_freelist(WMARK_MIN)";
        Again 0 Plain "got one: return it";
        Drain 0 Plain "drain_all_pages(), then try once more";
        Drained 0 Plain "got one: return it";
        Noretry 0 Plain "the request may not loop: give up";
        Retry 0 Yields "should_reclaim_retry(): could any zone ever pass?";
        Wait 0 Plain "made progress: wait_iff_congested(), then retry" if |f| f.retry_wait == RetryWait::CongestedQueue;
        Pending 0 Plain "most pages await I/O: congestion_wait(), then retry" if |f| f.retry_wait == RetryWait::WritePending;
        Oom 0 Plain "last attempt, at the high watermark";
        Kill 0 Plain "still none: out_of_memory()";
        Killed 0 Plain "a task is exiting: retry";
        Final 0 Plain "alloc_pages_direct_compact(), waiting" if |f| f.compaction_after_reclaim && f.compaction == Compaction::Whole;
        Finally 0 Plain "got one: return it" if |f| f.compaction_after_reclaim && f.compaction == Compaction::Whole;
        NoPage 0 Plain "no page: return none";
    }
    locals(self, w) {
        rq: request(&self.rq);
        alloc_flags: flags(self.flags);
        did_some_progress: number(self.progress);
        no_progress_loops: number(self.no_progress_loops);
    }
}

/// `__alloc_pages_slowpath`. Returns the frame, or [`NONE`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Slowpath {
    /// Current program point.
    pub pt: SlPt,
    /// The request.
    pub rq: Request,
    /// Flags of the watermark checks.
    pub flags: AllocFlags,
    /// Number of rounds without progress so far (6.1), or 0.
    pub no_progress_loops: u8,
    /// True if compaction may wait from now on.
    pub sync: bool,
    /// Number of pages that the last direct reclaim freed.
    pub progress: u32,
    /// Number of pages that all direct reclaims of this request freed, in kernels where this
    /// decides on a retry (`pages_reclaimed`). No order is as large as the maximum that fits here.
    pub pages_reclaimed: u16,
}

/// `PAGE_ALLOC_COSTLY_ORDER` (linux/mmzone.h): above this order the kernel gives up easily.
pub const COSTLY_ORDER: u8 = 3;

impl Slowpath {
    /// Frame of a call that has not started.
    pub fn call(w: &World, rq: Request) -> Frame {
        let gives_up = w.facts.features.thisnode_gives_up && rq.gfp.has(Gfp::GFP_THISNODE);
        Frame::Slowpath(Slowpath {
            pt: if gives_up { SlPt::ThisNode } else { SlPt::Wake },
            rq,
            flags: AllocFlags::default(),
            no_progress_loops: 0,
            sync: false,
            progress: 0,
            pages_reclaimed: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            SlPt::ThisNode => {
                w.record(SlowThisNode {
                    node: w.home(self.rq.node),
                });
                self.pt = SlPt::NoPage;
                Flow::Next
            }
            SlPt::Wake => {
                w.spend(w.facts.cost.slowpath_entry);
                self.pt = SlPt::Flags;
                if !self.rq.gfp.has(Gfp::KSWAPD_RECLAIM) {
                    return Flow::Next;
                }
                up.call(WakeAllKswapds::call(self.rq), w, cx)
            }
            SlPt::Flags => {
                self.flags = slow_flags(w, &self.rq, cx);
                w.record(SlowTry {
                    mark: WMARK_MIN,
                    alloc_flags: self.flags.0.into(),
                });
                self.pt = SlPt::TryMin;
                Flow::Next
            }
            SlPt::TryMin => {
                self.pt = SlPt::Tried;
                self.walk(WMARK_MIN, w, cx, up)
            }
            SlPt::Tried => self.got(cx, SlPt::Cannot),
            SlPt::Cannot => self.cannot(w, cx),
            SlPt::Compact => {
                self.pt = SlPt::Compacted;
                let sync = !w.facts.features.compaction_async || self.sync;
                // If compaction also runs after reclaim, only the first attempt does not wait.
                self.sync = w.facts.features.compaction_after_reclaim;
                up.call(DirectCompact::call(self.rq, self.flags, sync), w, cx)
            }
            SlPt::Compacted => self.got(cx, SlPt::Reclaim),
            SlPt::Reclaim => {
                self.pt = SlPt::Reclaimed;
                up.call(TryToFreePages::call(self.rq), w, cx)
            }
            SlPt::Reclaimed => self.reclaimed(w, cx, up),
            SlPt::Again => self.got(cx, SlPt::Drain),
            SlPt::Drain => self.drain(w, cx, up),
            SlPt::Drained => self.got(cx, SlPt::Noretry),
            SlPt::Noretry => self.noretry(w),
            SlPt::Retry => self.retry(w),
            SlPt::Wait => {
                self.pt = if w.facts.features.min_tried_again {
                    SlPt::TryMin
                } else {
                    SlPt::Cannot
                };
                let zone = w.mem.zones.at(self.rq.preferred);
                let owner = zone.map_or(LruvecIndex::NONE, |z| z.lruvec);
                up.call(CongestionWait::iff_congested(50, owner), w, cx)
            }
            SlPt::Pending => {
                self.pt = SlPt::Wake;
                up.call(CongestionWait::call(10), w, cx)
            }
            SlPt::Oom => {
                self.pt = SlPt::Kill;
                self.walk(WMARK_HIGH, w, cx, up)
            }
            SlPt::Kill => {
                if cx.ret != NONE {
                    return Flow::Ret;
                }
                self.kill(w, cx, up)
            }
            SlPt::Killed => {
                self.no_progress_loops = 0;
                let starts_over = cx.ret == 1 || w.facts.features.alloc_retry == AllocRetry::Always;
                self.pt = if starts_over {
                    SlPt::Wake
                } else {
                    SlPt::NoPage
                };
                Flow::Next
            }
            SlPt::Final => {
                self.pt = SlPt::Finally;
                up.call(DirectCompact::call(self.rq, self.flags, true), w, cx)
            }
            SlPt::Finally => self.got(cx, SlPt::NoPage),
            SlPt::NoPage => {
                cx.ret = NONE;
                Flow::Ret
            }
        }
    }

    /// After reclaim: walks the zonelist again if any page was freed.
    fn reclaimed(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.progress = cx.ret;
        w.record(Reclaimed {
            freed: self.progress.into(),
        });
        if self.progress == 0 {
            self.pt = SlPt::Noretry;
            return Flow::Next;
        }
        if self.rq.gfp.has(Gfp::REPEAT) {
            let freed = u16::try_from(self.progress).unwrap_or(u16::MAX);
            self.pages_reclaimed = self.pages_reclaimed.saturating_add(freed);
        }
        if w.facts.features.zlc_reconsider && zlc::is_cached(w, self.rq.node) {
            w.record(ZlcReconsider {
                freed: self.progress.into(),
                node: w.home(self.rq.node),
            });
            zlc::clear_all(w, self.rq.node);
        }
        self.pt = SlPt::Again;
        self.walk(WMARK_MIN, w, cx, up)
    }

    fn walk(&self, mark: u8, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        up.call(GetPageFromFreelist::call(self.rq, mark, self.flags), w, cx)
    }

    fn got(&mut self, cx: &Context, otherwise: SlPt) -> Flow {
        if cx.ret != NONE {
            return Flow::Ret;
        }
        self.pt = otherwise;
        Flow::Next
    }

    fn cannot(&mut self, w: &mut World, cx: &Context) -> Flow {
        let may = self.rq.gfp.has(Gfp::DIRECT_RECLAIM) && !cx.memalloc && !cx.oom_victim;
        let compacts = self.rq.order > 0 && w.facts.features.compaction == Compaction::Whole;
        if may && compacts {
            self.pt = SlPt::Compact;
        } else if may {
            self.pt = SlPt::Reclaim;
        } else {
            w.record(SlowNoWait {
                order: self.rq.order,
            });
            self.pt = SlPt::NoPage;
        }
        Flow::Next
    }

    /// `drain_all_pages`, once per round.
    fn drain(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let cpu = w
            .mem
            .cpus()
            .find(|&c| (w.mem.zones.indices()).any(|z| w.mem.pcp_count[w.mem.pcp_at(z, c)] > 0));
        if let Some(cpu) = cpu {
            let mut zones = w.mem.zones.indices();
            let zone = zones.find(|&z| w.mem.pcp_count[w.mem.pcp_at(z, cpu)] > 0);
            return up.call(
                FreePcppagesBulk::drain(zone.unwrap_or_default(), cpu, w),
                w,
                cx,
            );
        }
        w.record(Drained {});
        self.pt = SlPt::Drained;
        self.walk(WMARK_MIN, w, cx, up)
    }

    /// Up to 3.16, a request without progress that may call into file systems tries once more at
    /// the high watermark, whatever its order. It then either fails or starts over.
    fn has_last_try(&self, w: &World) -> bool {
        let always = w.facts.features.alloc_retry == AllocRetry::Always;
        always && self.progress == 0 && self.rq.gfp.has(Gfp::FS)
    }

    fn noretry(&mut self, w: &mut World) -> Flow {
        let costly = self.rq.order > COSTLY_ORDER && !self.has_last_try(w);
        let give_up = self.rq.gfp.has(Gfp::NORETRY) || (costly && !self.repeats(w));
        let features = &w.facts.features;
        let compacts = self.rq.order > 0 && features.compaction_after_reclaim;
        self.pt = match give_up {
            true if compacts && features.compaction == Compaction::Whole => SlPt::Final,
            true => SlPt::NoPage,
            false => SlPt::Retry,
        };
        Flow::Next
    }

    /// Does a request of a costly order continue because of `__GFP_REPEAT`? Up to 4.5 until as many
    /// pages were reclaimed as it requests (`should_alloc_retry`), later as long as a zone could serve
    /// it.
    fn repeats(&self, w: &mut World) -> bool {
        if !self.rq.gfp.has(Gfp::REPEAT) {
            return false;
        }
        let order = self.rq.order;
        if w.facts.features.alloc_retry != AllocRetry::Always {
            return true;
        }
        let goes_on = repeats(self.pages_reclaimed.into(), order);
        let (reclaimed, needs) = (self.pages_reclaimed.into(), 1 << order);
        if goes_on {
            w.record(RepeatRetry {
                order,
                reclaimed,
                needs,
            });
        } else {
            w.record(RepeatEnough {
                order,
                reclaimed,
                needs,
            });
        }
        goes_on
    }

    /// `__alloc_pages_may_oom`: kills nothing for a costly order, for a request that may not call into
    /// file systems, and for memory below Normal or of one node only (read in 3.10, 4.4 to 5.4 and 6.6).
    fn kill(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let gfp = self.rq.gfp;
        self.pt = SlPt::Killed;
        cx.ret = 0;
        let is_low = gfp.has(Gfp::DMA) || gfp.has(Gfp::DMA32);
        if !gfp.has(Gfp::FS) || self.rq.order > COSTLY_ORDER || is_low {
            if w.facts.features.alloc_retry == AllocRetry::Always {
                // Other requests start over, but a request of a costly order fails.
                self.pt = SlPt::NoPage;
            }
            return Flow::Next;
        }
        if gfp.has(Gfp::THISNODE) {
            return Flow::Next;
        }
        up.call(OutOfMemory::call(), w, cx)
    }

    /// `should_reclaim_retry`, and `should_alloc_retry` of older kernels.
    fn retry(&mut self, w: &mut World) -> Flow {
        if w.facts.features.alloc_retry == AllocRetry::Always {
            // A request of a low order that may not call the OOM killer retries forever.
            self.pt = if self.has_last_try(w) {
                SlPt::Oom
            } else {
                SlPt::Wait
            };
            return Flow::Next;
        }
        // A costly order counts every round: freed pages do not mean that a block will be free.
        self.no_progress_loops = if self.progress > 0 && self.rq.order <= COSTLY_ORDER {
            0
        } else {
            self.no_progress_loops + 1
        };
        self.pt = SlPt::Oom;
        if u32::from(self.no_progress_loops) > MAX_RECLAIM_RETRIES {
            w.record(ReclaimGiveUp {
                rounds: self.no_progress_loops.into(),
            });
            return Flow::Next;
        }
        let zones: Vec<ZoneIndex> = allowed(w, self.rq.node, self.rq.high)
            .map(|(_, z)| z)
            .collect();
        for zone in zones {
            let z = &w.mem.zones[zone];
            let reclaimable = zone_reclaimable_pages(w, z);
            let (available, min) = (z.nr_free_pages + reclaimable, z.mark(WMARK_MIN));
            let rounds = self.no_progress_loops.into();
            let (class, flags) = (self.rq.classzone, self.flags);
            let mut test = WatermarkOk::new(zone, self.rq.order, WMARK_MIN, class, flags);
            test.free = reclaimable as i32;
            w.record(ReclaimRetryZone {
                zone,
                order: self.rq.order,
                reclaimable: reclaimable.into(),
                available: available.into(),
                min_wmark: min.into(),
                no_progress_loops: rounds,
            });
            if test.holds(w) {
                w.record(ReclaimRetry {
                    zone,
                    available: available.into(),
                    needs: min.into(),
                    rounds,
                });
                self.pt = SlPt::Wake;
                self.consider_wait(w, zone, reclaimable);
                return Flow::Next;
            }
        }
        w.record(ReclaimGiveUp {
            rounds: self.no_progress_loops.into(),
        });
        Flow::Next
    }
}

/// Were fewer pages reclaimed than a request of this order needs (`should_alloc_retry`, for
/// `__GFP_REPEAT`)?
pub fn repeats(pages_reclaimed: u32, order: u8) -> bool {
    pages_reclaimed < 1 << order
}

impl Slowpath {
    /// 4.7 to 5.15: a request without progress waits if most reclaimable pages of a zone await I/O.
    fn consider_wait(&mut self, w: &mut World, zone: ZoneIndex, reclaimable: u32) {
        let waits = w.facts.features.retry_wait == RetryWait::WritePending;
        let z = &w.mem.zones[zone];
        let pending = z.gauge(Gauge::Dirty) + z.gauge(Gauge::Writeback);
        if waits && self.progress == 0 && 2 * pending > reclaimable {
            w.record(ReclaimRetryPending {
                zone,
                pending: pending.into(),
                reclaimable: reclaimable.into(),
            });
            self.pt = SlPt::Pending;
        }
    }
}

/// `gfp_to_alloc_flags`: a request that cannot wait may use another quarter of the reserve, a
/// request with `__GFP_HIGH` half of it.
fn slow_flags(w: &World, rq: &Request, cx: &Context) -> AllocFlags {
    let mut flags = AllocFlags::default();
    if cx.memalloc {
        flags = flags.with(AllocFlags::NO_WATERMARKS);
    }
    if cx.oom_victim {
        // An OOM victim may use reserves while it exits: all of them up to 4.13, half of the
        // watermark since then.
        flags = flags.with(match w.facts.features.block_reserve {
            BlockReserve::MigrateReserve => AllocFlags::NO_WATERMARKS,
            BlockReserve::HighAtomic => AllocFlags::HIGH,
        });
    }
    if rq.gfp.has(Gfp::HIGH) {
        flags = flags.with(AllocFlags::HIGH);
    }
    // From 4.4 on only GFP_ATOMIC itself may use another quarter. Before, every request that cannot
    // wait may use it; from 3.x on, except light huge-page requests, which do not wake kswapd.
    let atomic = match w.facts.features.block_reserve {
        BlockReserve::MigrateReserve => rq.gfp.has(Gfp::KSWAPD_RECLAIM),
        BlockReserve::HighAtomic => rq.gfp.has(Gfp::HIGH),
    };
    let atomic = atomic && !rq.gfp.has(Gfp::DIRECT_RECLAIM);
    if atomic {
        flags = flags.with(AllocFlags::HARDER);
    } else {
        flags = flags.with(AllocFlags::CPUSET);
    }
    if w.facts.features.block_reserve == BlockReserve::HighAtomic && rq.gfp.has(Gfp::KSWAPD_RECLAIM)
    {
        flags = flags.with(AllocFlags::KSWAPD);
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::repeats;

    /// `should_alloc_retry` for a request of 512 pages, and for one of 4,096 pages.
    #[test]
    fn retries_while_fewer_pages_were_reclaimed_than_the_request_needs() {
        let found = [0, 511, 512, 8191].map(|reclaimed| repeats(reclaimed, 9));
        assert_eq!(found, [true, true, false, false]);
        assert!(repeats(4095, 12) && !repeats(4096, 12));
    }
}
