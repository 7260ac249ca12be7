//! One pass of a reclaimer over a set of generations (mm/vmscan.c, `try_to_shrink_lruvec`;
//! `lru_gen_shrink_lruvec` in 6.1).
//!
//! Modelled: how much to scan, aging within the pass, when the pass ends, the protection of a cgroup, in both
//! kernels.
//! Left out: nothing.
//! Invariants: in 6.12 a pass that ages evicts nothing more.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::memcg::walk::{below_low, below_min};
use crate::mmzone::{MIN_NR_GENS, WMARK_HIGH, WMARK_LOW};
use crate::record::decisions;
use crate::vmscan::kswapd::node_zones;
use crate::vmscan::lru_gen::aging::{TryToIncMaxSeq, should_run_aging};
use crate::vmscan::lru_gen::{EvictFolios, MIN_LRU_BATCH, ages_before, gens, swappiness};
use crate::vmscan::{ANON, DEF_PRIORITY, FILE, ScanControl};
use crate::world::World;
use facts::index::{GroupIndex, LruvecIndex};
use facts::state::State;

decisions! {
    GenTarget { lists: Lists, pages: Count, priority: Count, target: Count }
        "Reclaim may evict {pages page}. At priority {priority}, it scans {target}.";
    AbortGoal { reclaimed: Count, goal: Count }
        "Reclaim freed {reclaimed page} and met its goal of {goal}: the pass ends.";
    AbortMarks { priority: Count }
        "Every zone that counts has enough free pages: the pass ends at priority {priority}.";
}

room! {
    TryToShrinkLruvec: "try_to_shrink_lruvec" in "mm/vmscan.c" at "v6.12.73" line 4854;
    Simplified "Called lru_gen_shrink_lruvec() in 6.1, and includes it in 6.12." if |f| f.lru_gen.is_modelled();
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

/// Does its protection spare a cgroup now? 6.12 looks at memory.min alone (`get_nr_to_scan`).
fn is_spared(w: &World, sc: &ScanControl, group: GroupIndex) -> bool {
    below_min(w, sc, group) || ages_before(w) && !sc.low_reclaim && below_low(w, sc, group)
}

/// Does the pass over a node go on with other cgroups, in the same call (6.12, `shrink_many`)?
fn is_one_of_many(w: &World, sc: &ScanControl) -> bool {
    w.memcg.is_on() && !ages_before(w) && sc.target.is_root()
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
                let swappiness = swappiness(w, cx, self.owner);
                up.call(EvictFolios::call(self.owner, swappiness), w, cx)
            }
            TsPt::Evicted => {
                self.evicted(w, cx);
                Flow::Next
            }
            TsPt::Done => {
                crate::block::flush_plug(w, cx);
                // The walk buffer of 6.12 serves all cgroups of a pass over a node.
                cx.sc.gens.has_walker &= is_one_of_many(w, &cx.sc);
                cx.ret = 0;
                Flow::Ret
            }
        }
    }

    fn target(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        cx.sc.gens.has_walker |= cx.sc.kswapd;
        let seq = gens(w, self.owner).max_seq;
        self.seq = seq as u32;
        let group = w.mem.group_of_lists(self.owner);
        if is_spared(w, &cx.sc, group) {
            // 6.12: also done with for this round of cgroups.
            cx.sc.gens.rotates = !ages_before(w);
            self.pt = TsPt::Done;
            return Flow::Next;
        }
        let can_swap = swappiness(w, cx, self.owner) > 0;
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
        let can_swap = swappiness(w, cx, self.owner) > 0;
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

    fn aged(&mut self, w: &World, cx: &mut Context) {
        if !ages_before(w) {
            cx.sc.gens.rotates = w.memcg.is_on() && cx.ret == 1;
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
            should_abort(w, cx, self.owner)
        }
    }

    /// `should_abort_scan` of 6.1. A pass that ends because zones have enough free pages counts 64 pages
    /// more than it freed.
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
            if !cx.sc.target.is_root() {
                return false;
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

/// `should_abort_scan` of 6.12: the goal is met, or kswapd's zones have enough free pages. Never for the limit
/// of a cgroup.
pub(super) fn should_abort(w: &mut World, cx: &Context, owner: LruvecIndex) -> bool {
    if !cx.sc.target.is_root() {
        return false;
    }
    let goal = cx.sc.nr_to_reclaim.max(2 << cx.sc.order);
    if cx.sc.nr_reclaimed >= goal {
        w.record(AbortGoal {
            reclaimed: cx.sc.nr_reclaimed.into(),
            goal: goal.into(),
        });
        return true;
    }
    let enough = cx.sc.kswapd && cx.sc.order == 0 && zones_are_fine(w, cx, owner, MIN_LRU_BATCH);
    if enough {
        w.record(AbortMarks {
            priority: cx.sc.priority.into(),
        });
    }
    enough
}

/// Has every zone up to the requested one more than its high mark, its reserve and this many pages?
fn zones_are_fine(w: &World, cx: &Context, owner: LruvecIndex, more: u32) -> bool {
    let node = w.mem.lruvecs[owner].node;
    let class = usize::from(cx.sc.reclaim_idx);
    let is_fine = |zone| {
        let z = &w.mem.zones[zone];
        let needs = z.mark(WMARK_HIGH) + z.protection[class];
        z.nr_free_pages > needs.get() + more
    };
    node_zones(w, node, cx.sc.reclaim_idx).all(is_fine)
}
