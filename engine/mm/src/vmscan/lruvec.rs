//! One pass over an owner's lists at one priority (mm/vmscan.c, `shrink_lruvec`; `shrink_zone` up
//! to 3.x).
//!
//! Modelled: targets per list; rounds of at most 32 pages per list; both rules for stopping once
//! the goal is met; some ageing of anonymous memory at the end; the plug around the pass.
//! Invariants: an active list alone starts no further round; at priority 12 a direct reclaimer
//! finishes its pass.

use crate::compaction::{Status, compaction_suitable};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::huge_memory;
use crate::kernel::{LruOwner, ReclaimCompaction, ScanMinimum};
use crate::memcg;
use crate::mmzone::{LRU_INACTIVE_ANON, LRU_INACTIVE_FILE, WMARK_HIGH};
use crate::page_writeback::throttle::ThrottleVmWriteout;
use crate::record::decisions;
use crate::vmscan::AnonLow;
use crate::vmscan::active::ShrinkActiveList;
use crate::vmscan::inactive::ShrinkInactiveList;
use crate::vmscan::scan_count::{
    Balance, Minimum, NodeQuestion, ZoneQuestion, node_targets, zone_targets,
};
use crate::vmscan::{ANON, DEF_PRIORITY, FILE, SWAP_CLUSTER_MAX, inactive_is_low, is_given_up};
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex};
use facts::state::State;

decisions! {
    ScanFile { priority: Count, inactive_file: Count, active_file: Count, inactive_anon: Count, active_anon: Count, swappiness: Count }
        "At priority {priority}, reclaim scans only file pages: {inactive_file} inactive and {active_file} active.";
    ScanAnon { priority: Count, inactive_anon: Count, active_anon: Count, inactive_file: Count, active_file: Count, swappiness: Count }
        "Hardly any file pages are left: at priority {priority}, reclaim scans only {inactive_anon} inactive and {active_anon active anonymous page}.";
    ScanEqual { priority: Count, inactive_anon: Count, active_anon: Count, inactive_file: Count, active_file: Count, swappiness: Count }
        "At priority 0, reclaim scans whole lists: {inactive_anon} inactive and {active_anon active anonymous page}, {inactive_file} inactive and {active_file active file page}.";
    ScanFract { priority: Count, inactive_anon: Count, active_anon: Count, inactive_file: Count, active_file: Count, swappiness: Count }
        "At priority {priority} and swappiness {swappiness}, reclaim scans {inactive_anon} inactive and {active_anon active anonymous page}, {inactive_file} inactive and {active_file active file page}.";
    RoundsDone { reclaimed: Count }
        "Reclaim freed {reclaimed page}, and nothing is left to scan at this priority.";
    ActiveLeft { lru: Lru, pages: Count }
        "The inactive list is long enough: reclaim does not scan {pages page} of the {lru} list.";
    ContinueReclaim { zone: Zone, reclaimed: Count, needs: Count, order: Order }
        "Reclaim freed {reclaimed page} of {zone}, but compaction for {order} needs {needs} or cannot run yet: shrink the zone's lists once more.";
    GoalMet { reclaimed: Count, goal: Count, priority: Count }
        "Reclaim freed {reclaimed page} and met its goal of {goal} at priority {priority}.";
}

room! {
    ShrinkLruvec: "shrink_lruvec" in "mm/vmscan.c" at "v6.1.176" line 5912;
    Simplified "Called shrink_zone with per-zone lists, where throttle_vm_writeout() follows; from 3.1 to 4.9 that call is left out. Huge pages are split here, when no other anonymous pages are left, instead of at the tail of a list.";
    SzPt {
        Split 0 Plain "no other anonymous pages: split_huge_page()" if |f| f.thp;
        Count 0 Plain "get_scan_count(): pages to scan of each list";
        Round 0 Plain "while any is left: for each list, 32 pages:";
        Shrink 1 Plain "shrink_list() (active only if inactive is low)";
        Shrunk 1 Plain "count what it reclaimed";
        Bail 0 Yields "goal met: stop, or scan in proportion";
        Rebalance 0 Plain "inactive anonymous low: shrink_active_list(32)";
        Continue 0 Plain "should_continue_reclaim(): start over" if |f| f.reclaim_compaction == ReclaimCompaction::Continues;
        Throttle 0 Hold "throttle_vm_writeout()" if |f| f.throttle_vm_writeout;
        Done 0 Yields "blk_finish_plug(), return";
    }
    locals(self, w) {
        owner: owner(self.owner);
        lru: lru(self.lru.min(4));
        nr_reclaimed: number(self.nr_reclaimed);
    }
}

/// `shrink_lruvec`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ShrinkLruvec {
    /// Current program point.
    pub pt: SzPt,
    /// Owner of the lists.
    pub owner: LruvecIndex,
    /// Current list of the round.
    pub lru: u8,
    /// Number of pages reclaimed in this pass.
    pub nr_reclaimed: u32,
    /// Number of these pages that were reclaimed before the pass started over.
    pub before: u32,
    /// Number of pages scanned at this priority before the pass started over, if the request has
    /// `__GFP_REPEAT`.
    pub scanned_before: u32,
}

/// The program point after the passes over the lists.
fn after_passes(w: &World) -> SzPt {
    if w.facts.features.throttle_vm_writeout {
        SzPt::Throttle
    } else {
        SzPt::Done
    }
}

/// The inputs of `should_continue_reclaim`, in pages.
#[derive(Debug, Clone, Copy)]
pub struct Continued {
    /// Number of pages reclaimed since the pass last started over.
    pub reclaimed: u32,
    /// Number of pages scanned since then.
    pub scanned: u32,
    /// True if the request has `__GFP_REPEAT`.
    pub repeats: bool,
    /// Total number of pages reclaimed.
    pub total: u32,
    /// Number of pages on the inactive lists.
    pub inactive: u32,
    /// Order of the request.
    pub order: u8,
}

/// `should_continue_reclaim` for a batch that compaction follows: true to reclaim more in any case,
/// false to stop, `None` if compaction decides.
pub fn continues(c: Continued) -> Option<bool> {
    // A request that may fail is not worth a scan of the whole list.
    let in_vain = c.reclaimed == 0 && (c.scanned == 0 || !c.repeats);
    if in_vain {
        return Some(false);
    }
    let need = 2 << c.order;
    (c.total < need && c.inactive > need).then_some(true)
}

impl ShrinkLruvec {
    /// Frame of a pass that has not started.
    pub fn call(owner: LruvecIndex) -> Frame {
        Frame::ShrinkLruvec(Self {
            pt: SzPt::Count,
            owner,
            lru: 0,
            nr_reclaimed: 0,
            before: 0,
            scanned_before: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            SzPt::Split => {
                self.split(w, cx);
                Flow::Next
            }
            SzPt::Count | SzPt::Shrink if self.to_split(w, cx).is_some() => {
                self.pt = SzPt::Split;
                Flow::Next
            }
            SzPt::Count => {
                self.mark_scanned(cx);
                self.count(w, cx);
                self.pt = SzPt::Round;
                Flow::Next
            }
            SzPt::Round => self.round(w, cx),
            SzPt::Shrink => self.shrink(w, cx, up),
            SzPt::Shrunk => {
                self.nr_reclaimed += cx.ret;
                (self.lru, self.pt) = (self.lru + 1, SzPt::Round);
                Flow::Next
            }
            SzPt::Bail => {
                self.bail(w, cx);
                Flow::Next
            }
            SzPt::Rebalance => {
                let asks = w.facts.features.reclaim_compaction == ReclaimCompaction::Continues;
                self.pt = if asks && cx.sc.order > 0 {
                    SzPt::Continue
                } else {
                    after_passes(w)
                };
                let may_age = w.swap.exists();
                if may_age && inactive_is_low(w, self.owner, ANON) {
                    w.record(AnonLow { lists: self.owner });
                    return up.call(
                        ShrinkActiveList::call(self.owner, 0, SWAP_CLUSTER_MAX),
                        w,
                        cx,
                    );
                }
                Flow::Next
            }
            SzPt::Continue => {
                let goes_on = self.should_continue_reclaim(w, cx);
                self.before = self.nr_reclaimed;
                self.pt = if goes_on {
                    SzPt::Count
                } else {
                    after_passes(w)
                };
                Flow::Next
            }
            SzPt::Throttle => {
                self.pt = SzPt::Done;
                up.call(ThrottleVmWriteout::call(), w, cx)
            }
            SzPt::Done => {
                crate::block::flush_plug(w, cx);
                cx.ret = self.nr_reclaimed;
                Flow::Ret
            }
        }
    }

    /// The huge page that must be split to get a batch of inactive anonymous pages, if any. The
    /// first is split if there are too few other pages, or at priority 0, where the lists are
    /// scanned completely. After that each new batch may need one.
    fn to_split(&self, w: &World, cx: &Context) -> Option<FrameIndex> {
        let needed = match (huge_memory::has_split(w), self.pt) {
            (false, SzPt::Count | SzPt::Split) if cx.sc.priority == 0 => u32::MAX,
            (false, SzPt::Count | SzPt::Split) => w.facts.batch,
            (true, SzPt::Shrink | SzPt::Split) if self.lru == LRU_INACTIVE_ANON => w.facts.batch,
            _ => return None,
        };
        huge_memory::to_split(w, self.owner, &cx.sc, needed)
    }

    /// Splits a huge page. After the first split, the pages to scan are counted again.
    fn split(&mut self, w: &mut World, cx: &Context) {
        let next = if huge_memory::has_split(w) {
            SzPt::Shrink
        } else {
            SzPt::Count
        };
        if let Some(head) = self.to_split(w, cx) {
            huge_memory::split(w, head);
        }
        self.pt = next;
    }

    /// Stores the scan count at the start of the round, so that the round's part can be computed later.
    fn mark_scanned(&mut self, cx: &Context) {
        if cx.sc.gfp.has(Gfp::REPEAT) {
            self.scanned_before = cx.sc.nr_scanned;
        }
    }

    /// `should_continue_reclaim`: too few pages are free for compaction, and more can be reclaimed.
    /// A request that may fail stops as soon as no page is reclaimed.
    fn should_continue_reclaim(&self, w: &mut World, cx: &Context) -> bool {
        if !cx.sc.mode.is_compaction() {
            return false;
        }
        let l = &w.mem.lruvecs[self.owner];
        let (zone, order) = (l.zone, cx.sc.order);
        let c = Continued {
            reclaimed: self.nr_reclaimed - self.before,
            scanned: cx.sc.nr_scanned - self.scanned_before,
            repeats: cx.sc.gfp.has(Gfp::REPEAT),
            total: cx.sc.nr_reclaimed + self.nr_reclaimed,
            inactive: l.nr[usize::from(LRU_INACTIVE_ANON)] + l.nr[usize::from(LRU_INACTIVE_FILE)],
            order,
        };
        let goes_on = match continues(c) {
            Some(goes_on) => goes_on,
            None => compaction_suitable(w, zone, order) == Status::Skipped,
        };
        if goes_on {
            w.record(ContinueReclaim {
                zone,
                reclaimed: c.total.into(),
                needs: 2 << order,
                order,
            });
        }
        goes_on
    }

    fn count(&mut self, w: &mut World, cx: &mut Context) {
        let group = w.mem.group_of_lists(self.owner);
        let swap = cx.sc.may_swap && memcg::swap_left(w, group) > 0;
        let swappiness = w.tunables.swappiness;
        let priority = cx.sc.priority;
        let (targets, balance) = match w.facts.features.lru_owner {
            LruOwner::Zone => {
                let zone = w.mem.lruvecs[self.owner].zone;
                let given_up = is_given_up(w, zone);
                let huge = huge_memory::inactive_pages(w, &w.mem.zones[zone]);
                let l = &mut w.mem.lruvecs[self.owner];
                let z = &w.mem.zones[zone];
                let minimum = match w.facts.features.scan_minimum {
                    ScanMinimum::Saved => Minimum::Saved,
                    _ if !cx.sc.kswapd => Minimum::None,
                    ScanMinimum::Batch => Minimum::Batch,
                    ScanMinimum::Share => Minimum::Share,
                    ScanMinimum::ShareGivenUp | ScanMinimum::GivenUp if !given_up => Minimum::None,
                    ScanMinimum::ShareGivenUp => Minimum::Share,
                    ScanMinimum::GivenUp => Minimum::IfNothing,
                };
                let q = ZoneQuestion {
                    priority,
                    swappiness,
                    swap,
                    free: z.nr_free_pages.into(),
                    high: z.mark(WMARK_HIGH).into(),
                    minimum,
                    cache_first: w.facts.features.cache_first,
                };
                // Huge pages are on no list here, but count as inactive pages to scan.
                l.nr[usize::from(LRU_INACTIVE_ANON)] += huge;
                let found = zone_targets(l, &q);
                l.nr[usize::from(LRU_INACTIVE_ANON)] -= huge;
                found
            }
            LruOwner::Node => {
                let q = NodeQuestion {
                    priority,
                    swappiness,
                    swap,
                    file_is_tiny: cx.sc.file_is_tiny,
                    cache_trim_mode: cx.sc.cache_trim_mode,
                    limit: !cx.sc.target.is_root(),
                    usage: w.memcg.memory.all.at(group).map_or(0, |c| c.usage),
                    protected: memcg::walk::protected_pages(w, &mut cx.sc, group),
                };
                let node = w.mem.lruvecs[self.owner].node;
                let costs = memcg::tree::lruvec(w, cx.sc.target, node);
                let sizes = eligible_sizes(w, self.owner, cx.sc.reclaim_idx);
                let by_rotation = w.facts.features.balanced_by_rotation;
                node_targets(&mut w.mem.lruvecs[costs], sizes, by_rotation, &q)
            }
        };
        (cx.sc.nr, cx.sc.targets) = (targets, targets);
        let [inactive_anon, active_anon, inactive_file, active_file] = targets.map(i64::from);
        let (priority, swappiness) = (priority.into(), swappiness as i64);
        match balance {
            Balance::File => w.record(ScanFile {
                priority,
                inactive_file,
                active_file,
                inactive_anon,
                active_anon,
                swappiness,
            }),
            Balance::Anon => w.record(ScanAnon {
                priority,
                inactive_anon,
                active_anon,
                inactive_file,
                active_file,
                swappiness,
            }),
            Balance::Equal => w.record(ScanEqual {
                priority,
                inactive_anon,
                active_anon,
                inactive_file,
                active_file,
                swappiness,
            }),
            Balance::Fract => w.record(ScanFract {
                priority,
                inactive_anon,
                active_anon,
                inactive_file,
                active_file,
                swappiness,
            }),
        }
    }

    fn round(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let nr = &mut cx.sc.nr;
        if self.lru == 0 && nr[0] == 0 && nr[2] == 0 && nr[3] == 0 {
            w.record(RoundsDone {
                reclaimed: self.nr_reclaimed.into(),
            });
            self.pt = SzPt::Rebalance;
            return Flow::Next;
        }
        while self.lru < 4 && nr[self.lru as usize] == 0 {
            self.lru += 1;
        }
        self.pt = if self.lru == 4 {
            SzPt::Bail
        } else {
            SzPt::Shrink
        };
        Flow::Next
    }

    fn shrink(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let lru = self.lru;
        let left = &mut cx.sc.nr[lru as usize];
        let n = (*left).min(w.facts.batch);
        *left -= n;
        let file = usize::from(lru / 2);
        self.pt = SzPt::Shrunk;
        if lru.is_multiple_of(2) {
            return up.call(ShrinkInactiveList::call(self.owner, lru / 2, n), w, cx);
        }
        let may = match w.facts.features.lru_owner {
            LruOwner::Zone => inactive_is_low(w, self.owner, file),
            LruOwner::Node => cx.sc.may_deactivate[file],
        };
        if may {
            return up.call(ShrinkActiveList::call(self.owner, lru / 2, n), w, cx);
        }
        cx.sc.skipped_deactivate = true;
        w.record(ActiveLeft {
            lru,
            pages: n.into(),
        });
        cx.ret = 0;
        Flow::Next
    }

    fn bail(&mut self, w: &mut World, cx: &mut Context) {
        self.lru = 0;
        self.pt = SzPt::Round;
        let goal = cx.sc.nr_to_reclaim;
        if !w.facts.features.scan_in_proportion {
            let total = cx.sc.nr_reclaimed + self.nr_reclaimed;
            if total >= goal && cx.sc.priority < DEF_PRIORITY {
                w.record(GoalMet {
                    reclaimed: total.into(),
                    goal: goal.into(),
                    priority: cx.sc.priority.into(),
                });
                self.pt = SzPt::Rebalance;
            }
            return;
        }
        let proportional = !cx.sc.kswapd && cx.sc.priority == DEF_PRIORITY;
        if self.nr_reclaimed < goal || proportional {
            return;
        }
        w.record(GoalMet {
            reclaimed: self.nr_reclaimed.into(),
            goal: goal.into(),
            priority: cx.sc.priority.into(),
        });
        if !nudge(&mut cx.sc.nr, &cx.sc.targets) {
            self.pt = SzPt::Rebalance;
        }
    }
}

/// Number of pages on each list of an owner, a node or a cgroup on it, that are in zones up to a
/// type (`lruvec_lru_size`). The scan skips the others, so they do not count.
fn eligible_sizes(w: &World, owner: LruvecIndex, highest: u8) -> [u32; 4] {
    let lists = &w.mem.lruvecs[owner];
    let mut sizes = [0; 4];
    if w.memcg.is_on() {
        for zone in lists.by_zone.iter().take(usize::from(highest) + 1) {
            for (size, pages) in sizes.iter_mut().zip(zone) {
                *size += pages;
            }
        }
        return sizes;
    }
    let node = lists.node;
    for zone in crate::vmscan::kswapd::node_zones(w, node, highest) {
        let lru = &w.mem.zones[zone].lru;
        for (size, pages) in sizes.iter_mut().zip(lru) {
            *size += pages;
        }
        let huge = huge_memory::inactive_pages(w, &w.mem.zones[zone]);
        sizes[usize::from(LRU_INACTIVE_ANON)] += huge;
    }
    sizes
}

/// The goal is met: drops the rest of the smaller type, and enough of the larger type to keep the
/// two in proportion. Returns false to stop if one type has nothing left.
pub fn nudge(nr: &mut [u32; 4], targets: &[u32; 4]) -> bool {
    let left = [nr[0] + nr[1], nr[2] + nr[3]];
    if left[ANON] == 0 || left[FILE] == 0 {
        return false;
    }
    let (dropped, cut) = if left[FILE] > left[ANON] {
        (ANON, FILE)
    } else {
        (FILE, ANON)
    };
    let target = targets[2 * dropped] + targets[2 * dropped + 1] + 1;
    let percentage = left[dropped] * 100 / target;
    nr[2 * dropped] = 0;
    nr[2 * dropped + 1] = 0;
    for lru in [2 * cut, 2 * cut + 1] {
        let scanned = targets[lru] - nr[lru];
        let share = (u64::from(targets[lru]) * u64::from(100 - percentage.min(100)) / 100) as u32;
        nr[lru] = share - share.min(scanned);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Continued, continues, nudge};

    #[test]
    fn continues_reclaim_until_compaction_has_enough_free_pages() {
        let ask = |reclaimed, total, inactive| {
            continues(Continued {
                reclaimed,
                total,
                inactive,
                order: 9,
                scanned: 64,
                repeats: false,
            })
        };
        assert_eq!(ask(32, 32, 50_000), Some(true));
        assert_eq!(ask(0, 32, 50_000), Some(false));
        assert_eq!(ask(32, 1024, 50_000), None);
        assert_eq!(ask(32, 32, 900), None);
        // With __GFP_REPEAT only a complete scan without success ends reclaim.
        let repeats = |scanned| {
            continues(Continued {
                reclaimed: 0,
                total: 32,
                inactive: 50_000,
                order: 9,
                scanned,
                repeats: true,
            })
        };
        assert_eq!((repeats(64), repeats(0)), (Some(true), Some(false)));
    }

    #[test]
    fn cuts_the_larger_type_in_proportion_once_the_goal_is_met() {
        let mut nr = [104, 4, 904, 304];
        assert!(nudge(&mut nr, &[200, 100, 1000, 400]));
        assert_eq!(nr, [0, 0, 554, 164]);
        assert!(!nudge(&mut nr, &[200, 100, 1000, 400]));
    }
}
