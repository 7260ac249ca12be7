//! Reclaim of a node by generations in 6.12 (mm/vmscan.c, `lru_gen_shrink_node`, `shrink_one`).
//!
//! Modelled: the passes that reclaim nothing, kswapd's first priority, one pass over the lists,
//! slab.
//! Left out: memory cgroups: there is only one, and it is visited once per pass.
//! Visible difference: none on a machine without cgroups.
//! Invariants: no flag of the node changes, and no reclaimer waits.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::kernel::LruGenRule;
use crate::record::decisions;
use crate::vmscan::DEF_PRIORITY;
use crate::vmscan::lru_gen::{MIN_LRU_BATCH, TryToShrinkLruvec};
use crate::vmscan::node::node_lruvec;
use crate::vmscan::slab::ShrinkSlab;
use crate::world::World;
use facts::index::NodeIndex;
use facts::state::State;

decisions! {
    GenNodeSkipped { node: Node }
        "This reclaimer may not write or unmap pages: with the multi-generational LRU it reclaims nothing from {node}.";
    GenNodePass { node: Node, priority: Count, inactive_anon: Count, active_anon: Count, inactive_file: Count, active_file: Count }
        "{node} at priority {priority}: {inactive_anon} old, {active_anon} young anonymous, {inactive_file} old, {active_file} young file pages.";
    StartPriority { node: Node, reclaimable: Count, goal: Count, priority: Count }
        "{reclaimable page} may be reclaimed for a goal of {goal}: kswapd of {node} starts at priority {priority}.";
}

room! {
    LruGenShrinkNode: "lru_gen_shrink_node" in "mm/vmscan.c" at "v6.12.73" line 5043;
    Simplified "Includes shrink_one(). Memory cgroups are left out." if |f| f.lru_gen == LruGenRule::AgesWithin;
    NgPt {
        Skip 0 Plain "it may not write or unmap: done";
        Priority 0 Plain "set_initial_priority()";
        Lists 0 Plain "try_to_shrink_lruvec()";
        Slab 0 Plain "shrink_slab()";
        Done 0 Yields "pages were freed: kswapd_failures = 0";
    }
    locals(self, w) {
        nid: node(self.node);
    }
}

/// `lru_gen_shrink_node`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct LruGenShrinkNode {
    /// Current program point.
    pub pt: NgPt,
    /// Node to reclaim.
    pub node: NodeIndex,
    /// `nr_reclaimed` at the start.
    pub before: u32,
}

/// kswapd's first priority (`set_initial_priority`), from the number of pages it may reclaim and
/// its goal.
pub fn start_priority(reclaimable: u32, goal: u32) -> u8 {
    let fls = |n: u32| 32 - n.leading_zeros() as i32;
    let raw = fls(reclaimable) - 1 - fls(goal.saturating_sub(1));
    raw.clamp(i32::from(DEF_PRIORITY) / 2, i32::from(DEF_PRIORITY)) as u8
}

impl LruGenShrinkNode {
    /// Frame of a call that starts a pass.
    pub fn call(node: NodeIndex) -> Frame {
        Frame::LruGenShrinkNode(Self {
            pt: NgPt::Skip,
            node,
            before: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            NgPt::Skip => {
                self.before = cx.sc.nr_reclaimed;
                w.spend(w.facts.cost.reclaim_visit);
                self.pt = NgPt::Priority;
                if !cx.sc.may_writepage || !cx.sc.may_unmap {
                    w.record(GenNodeSkipped { node: self.node });
                    return Flow::Ret;
                }
                Flow::Next
            }
            NgPt::Priority => {
                self.set_initial_priority(w, cx);
                self.pt = NgPt::Lists;
                Flow::Next
            }
            NgPt::Lists => {
                if cx.sc.kswapd {
                    cx.sc.nr_reclaimed = 0;
                }
                self.pt = NgPt::Slab;
                let owner = node_lruvec(w, self.node);
                up.call(TryToShrinkLruvec::call(owner, cx.sc.nr_reclaimed), w, cx)
            }
            NgPt::Slab => {
                self.pt = NgPt::Done;
                up.call(ShrinkSlab::call(self.node), w, cx)
            }
            NgPt::Done => {
                cx.sc.nr_reclaimed += cx.ret;
                if cx.sc.kswapd {
                    cx.sc.nr_reclaimed += self.before;
                }
                if cx.sc.nr_reclaimed > self.before {
                    w.pgdat[self.node].kswapd_failures = 0;
                }
                Flow::Ret
            }
        }
    }

    fn set_initial_priority(&self, w: &mut World, cx: &mut Context) {
        let nr = w.mem.lruvecs[node_lruvec(w, self.node)].nr;
        let [inactive_anon, active_anon, inactive_file, active_file, _] = nr.map(i64::from);
        w.record(GenNodePass {
            node: self.node,
            priority: cx.sc.priority.into(),
            inactive_anon,
            active_anon,
            inactive_file,
            active_file,
        });
        if cx.sc.priority != DEF_PRIORITY || cx.sc.nr_to_reclaim < MIN_LRU_BATCH {
            return;
        }
        let swap = w.swap.free_slots() > 0;
        let reclaimable = nr[2] + if swap { nr[0] } else { 0 };
        cx.sc.priority = start_priority(reclaimable, cx.sc.nr_to_reclaim);
        w.record(StartPriority {
            node: self.node,
            reclaimable: reclaimable.into(),
            goal: cx.sc.nr_to_reclaim.into(),
            priority: cx.sc.priority.into(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::start_priority;

    /// Example 6.
    #[test]
    fn starts_lower_the_fewer_pages_there_are_for_the_goal() {
        let cases = [
            (100_000, 150, 8),
            (100_000, 3000, 6),
            (131_071, 1022, 6),
            (131_072, 1022, 7),
            (4_000_000, 1022, 11),
            (0, 5000, 6),
        ];
        for (reclaimable, goal, priority) in cases {
            assert_eq!(start_priority(reclaimable, goal), priority, "{reclaimable}");
        }
    }
}
