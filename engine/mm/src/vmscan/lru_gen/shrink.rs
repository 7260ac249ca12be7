//! One pass of a reclaimer over a set of generations (mm/vmscan.c, `try_to_shrink_lruvec`;
//! `lru_gen_shrink_lruvec` in 6.1).
//!
//! Modelled: how much to scan, aging within the pass, when the pass ends, in both kernels.
//! Left out: memory cgroups and their protection.
//! Visible difference: none on a machine without cgroups.
//! Invariants: in 6.12 a pass that ages evicts nothing more.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::mmzone::{MIN_NR_GENS, WMARK_HIGH, WMARK_LOW};
use crate::record::decisions;
use crate::vmscan::kswapd::node_zones;
use crate::vmscan::lru_gen::aging::{TryToIncMaxSeq, should_run_aging};
use crate::vmscan::lru_gen::{EvictFolios, MIN_LRU_BATCH, ages_before, gens, swappiness};
use crate::vmscan::{ANON, DEF_PRIORITY, FILE};
use crate::world::World;
use facts::index::LruvecIndex;
use facts::state::State;

decisions! {
    GenTarget { lists: Lists, pages: Count, priority: Count, target: Count }
        "{pages page} that may be evicted, at priority {priority}: {target} to scan.";
    AbortGoal { reclaimed: Count, goal: Count }
        "{reclaimed page} reclaimed, the goal was {goal}: the pass ends.";
    AbortMarks { priority: Count }
        "Every zone that counts has enough free pages: the pass ends at priority {priority}.";
}

room! {
    TryToShrinkLruvec: "try_to_shrink_lruvec" in "mm/vmscan.c" at "v6.12.73" line 4854;
    Simplified "Called lru_gen_shrink_lruvec() in 6.1. Memory cgroups are left out." if |f| f.lru_gen.is_modelled();
    TsPt {
        Target 0 Plain "get_nr_to_scan(): is aging due, how much to scan?";
        Aged 1 Plain "try_to_inc_max_seq(): aged";
        Evict 0 Plain "evict_folios()";
        Evicted 0 Yields "should_abort_scan(): scanned enough, or goal met";
        Done 0 Plain "blk_finish_plug(), give back the walk buffer";
    }
    locals(self, w) {
        lruvec: owner(self.owner);
        nr_to_scan: number(self.target);
        scanned: number(self.scanned);
    }
}

/// `try_to_shrink_lruvec`. Adds what it reclaims to the task's total; returns 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TryToShrinkLruvec {
    /// Current program point.
    pub pt: TsPt,
    /// Owner of the lists.
    pub owner: LruvecIndex,
    /// 6.1: true if aging is due.
    pub needs_aging: bool,
    /// Number of pages to scan.
    pub target: u32,
    /// Number of pages scanned.
    pub scanned: u32,
    /// `nr_reclaimed` at the start.
    pub before: u32,
    /// Lower bits of the youngest generation's number when the last batch began.
    pub seq: u32,
}

impl TryToShrinkLruvec {
    /// Frame of a call that has not started.
    pub fn call(owner: LruvecIndex, reclaimed: u32) -> Frame {
        Frame::TryToShrinkLruvec(Self {
            pt: TsPt::Target,
            owner,
            needs_aging: false,
            target: 0,
            scanned: 0,
            before: reclaimed,
            seq: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            TsPt::Target => self.target(w, cx, up),
            TsPt::Aged => {
                self.aged(w, cx);
                Flow::Next
            }
            TsPt::Evict => {
                self.pt = TsPt::Evicted;
                let swappiness = swappiness(w, cx);
                up.call(EvictFolios::call(self.owner, swappiness), w, cx)
            }
            TsPt::Evicted => {
                self.evicted(w, cx);
                Flow::Next
            }
            TsPt::Done => {
                crate::block::flush_plug(w, cx);
                cx.sc.gens.has_walker = false;
                cx.ret = 0;
                Flow::Ret
            }
        }
    }

    fn target(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        cx.sc.gens.has_walker |= cx.sc.kswapd;
        let seq = gens(w, self.owner).max_seq;
        self.seq = seq as u32;
        let can_swap = swappiness(w, cx) > 0;
        let (due, pages) = should_run_aging(w, self.owner, can_swap);
        self.target = pages >> cx.sc.priority;
        self.needs_aging = due.is_due();
        w.record(GenTarget {
            lists: self.owner,
            pages: pages.into(),
            priority: cx.sc.priority.into(),
            target: self.target.into(),
        });
        let waits = cx.sc.priority == DEF_PRIORITY;
        let ages = due.is_due() && !waits && !(ages_before(w) && cx.sc.kswapd);
        if ages {
            self.pt = TsPt::Aged;
            return up.call(TryToIncMaxSeq::call(self.owner, seq, can_swap), w, cx);
        }
        if ages_before(w) && due.is_due() {
            let leaves = cx.sc.kswapd && !waits;
            self.limit(w, cx, leaves);
        }
        self.go_on();
        Flow::Next
    }

    /// 6.1: if aging is due and did not take place, nothing is scanned unless a generation is old
    /// enough.
    fn limit(&mut self, w: &World, cx: &Context, leaves: bool) {
        let can_swap = swappiness(w, cx) > 0;
        let g = gens(w, self.owner);
        let oldest = g.min_seq[if can_swap { ANON } else { FILE }];
        if leaves || oldest + MIN_NR_GENS > g.max_seq {
            self.target = 0;
        }
    }

    fn go_on(&mut self) {
        self.pt = if self.target > 0 {
            TsPt::Evict
        } else {
            TsPt::Done
        };
    }

    fn aged(&mut self, w: &World, cx: &Context) {
        if !ages_before(w) {
            self.target = 0;
        } else if cx.ret == 0 {
            self.limit(w, cx, false);
        }
        self.go_on();
    }

    fn evicted(&mut self, w: &mut World, cx: &mut Context) {
        let delta = cx.ret;
        self.scanned += delta;
        let ends = delta == 0 || self.scanned >= self.target || self.should_abort(w, cx);
        let freed = cx.sc.nr_reclaimed - self.before;
        if ends && delta > 0 && freed >= MIN_LRU_BATCH && !self.needs_aging {
            cx.sc.gens.needs_aging = false;
        }
        self.pt = if ends { TsPt::Done } else { TsPt::Target };
    }

    fn should_abort(&self, w: &mut World, cx: &mut Context) -> bool {
        if ages_before(w) {
            self.should_abort_61(w, cx)
        } else {
            self.should_abort_612(w, cx)
        }
    }

    /// `should_abort_scan` of 6.12: the goal is met, or the zones of kswapd have enough free pages.
    fn should_abort_612(&self, w: &mut World, cx: &Context) -> bool {
        let goal = cx.sc.nr_to_reclaim.max(2 << cx.sc.order);
        if cx.sc.nr_reclaimed >= goal {
            w.record(AbortGoal {
                reclaimed: cx.sc.nr_reclaimed.into(),
                goal: goal.into(),
            });
            return true;
        }
        let enough = cx.sc.kswapd && cx.sc.order == 0 && self.zones_are_fine(w, cx, MIN_LRU_BATCH);
        if enough {
            w.record(AbortMarks {
                priority: cx.sc.priority.into(),
            });
        }
        enough
    }

    /// Does every zone up to the requested one have more than its high watermark, its reserve and
    /// this many pages?
    fn zones_are_fine(&self, w: &World, cx: &Context, more: u32) -> bool {
        let node = w.mem.lruvecs[self.owner].node;
        let class = usize::from(cx.sc.reclaim_idx);
        let is_fine = |zone| {
            let z = &w.mem.zones[zone];
            let needs = z.mark(WMARK_HIGH) + z.protection[class];
            z.nr_free_pages > needs.get() + more
        };
        node_zones(w, node, cx.sc.reclaim_idx).all(is_fine)
    }

    /// `should_abort_scan` of 6.1. A pass that ends because zones have enough free pages counts 64
    /// pages more than it freed.
    fn should_abort_61(&self, w: &mut World, cx: &mut Context) -> bool {
        let reclaimed = cx.sc.nr_reclaimed;
        let met = reclaimed >= cx.sc.nr_to_reclaim;
        if !cx.sc.kswapd {
            let moved = (gens(w, self.owner).max_seq as u32).wrapping_sub(self.seq);
            if moved > 1 || met && cx.sc.gens.swapped {
                return true;
            }
            if cx.killed {
                cx.sc.nr_reclaimed += MIN_LRU_BATCH;
                return true;
            }
        } else if reclaimed - cx.sc.gens.last_reclaimed.min(reclaimed) < cx.sc.nr_to_reclaim {
            return false;
        }
        if cx.sc.priority > DEF_PRIORITY - 2 {
            return false;
        }
        let mark = if cx.sc.kswapd { WMARK_HIGH } else { WMARK_LOW };
        let node = w.mem.lruvecs[self.owner].node;
        let mut zones = node_zones(w, node, cx.sc.reclaim_idx);
        let fine = zones.all(|zone| {
            let z = &w.mem.zones[zone];
            z.nr_free_pages >= z.mark(mark).get()
        });
        drop(zones);
        if fine {
            cx.sc.nr_reclaimed += MIN_LRU_BATCH;
            w.record(AbortMarks {
                priority: cx.sc.priority.into(),
            });
        }
        fine
    }
}
