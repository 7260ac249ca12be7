//! Reclaim of a node by generations in 6.12 (mm/vmscan.c, `lru_gen_shrink_node`, `shrink_one`).
//!
//! Modelled: the passes that reclaim nothing, kswapd's first priority, one pass over the lists of each memory
//! cgroup in the order of their generations and bins (`shrink_many`), protection, slab.
//! Left out: slab objects that belong to memory cgroups.
//! Invariants: no flag of the node changes, and no reclaimer waits.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::kernel::{LruGenRule, MemcgRule};
use crate::memcg::group::Event;
use crate::memcg::tree::{lruvec, summed};
use crate::memcg::walk::{GroupBelowMin, GroupVisited, below_low, below_min};
use crate::record::decisions;
use crate::vmscan::lru_gen::memcg_lru::{BINS, Rotation, rotate};
use crate::vmscan::lru_gen::shrink::should_abort;
use crate::vmscan::lru_gen::{MIN_LRU_BATCH, TryToShrinkLruvec, pages_that_count, swappiness};
use crate::vmscan::slab::ShrinkSlab;
use crate::vmscan::{DEF_PRIORITY, ScanControl};
use crate::world::World;
use facts::index::{GroupIndex, LruvecIndex, NodeIndex};
use facts::state::State;

decisions! {
    GenNodeSkipped { node: Node }
        "This reclaimer may not write or unmap pages: with the multi-generational LRU it reclaims nothing from {node}.";
    GenNodePass { node: Node, priority: Count, inactive_anon: Count, active_anon: Count, inactive_file: Count, active_file: Count }
        "Reclaim shrinks {node} at priority {priority}. The node has {inactive_anon} old and {active_anon young anonymous page}, {inactive_file} old and {active_file young file page}.";
    GroupLater { usage: Count, low: Count, lists: Lists }
        "{lists} uses {usage page}, not more than the {low} that memory.low protects: the other cgroups come first.";
    GroupLowVisited { usage: Count, low: Count, lists: Lists }
        "{lists} uses {usage page}, not more than the {low} that memory.low protects, but it was skipped once: shrink its lists.";
    GroupRotated { lists: Lists, young: Flag }
        "{lists} moves to the end of the order in which cgroups are visited. It waits for the next round: {young}.";
    StartPriority { node: Node, reclaimable: Count, goal: Count, priority: Count }
        "{reclaimable page} may be reclaimed for a goal of {goal}: kswapd of {node} starts at priority {priority}.";
}

room! {
    LruGenShrinkNode: "lru_gen_shrink_node" in "mm/vmscan.c" at "v6.12.73" line 5043;
    Simplified "Includes shrink_many() and shrink_one(). Each cgroup's writes are submitted on their own. All dentries and inodes belong to the root cgroup." if |f| f.lru_gen == LruGenRule::AgesWithin;
    NgPt {
        Skip 0 Plain "it may not write or unmap: done";
        Priority 0 Plain "set_initial_priority()";
        Group 0 Plain "shrink_many(): the next cgroup of the old generation" if |f| f.memcg != MemcgRule::Absent;
        Lists 0 Plain "try_to_shrink_lruvec()";
        Slab 0 Plain "shrink_slab()";
        Rotate 1 Plain "shrink_one(): visit it later? should_abort_scan()" if |f| f.memcg != MemcgRule::Absent;
        Done 0 Yields "something was freed: kswapd_failures = 0";
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
    /// The memory cgroup being shrunk, [`GroupIndex::NONE`] for none.
    #[state(rest = GroupIndex::NONE)]
    pub group: GroupIndex,
    /// The generation of cgroups that is walked.
    pub generation: u8,
    /// Its bin that is walked.
    pub bin: u8,
    /// Bins that were walked completely.
    pub walked: u8,
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
            group: GroupIndex::NONE,
            generation: 0,
            bin: 0,
            walked: 0,
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
                if cx.sc.kswapd {
                    cx.sc.nr_reclaimed = 0;
                }
                self.pt = match &mut w.memcg.lru {
                    Some(lru) => {
                        (self.generation, self.bin) = (lru.nodes[self.node].old(), lru.bin());
                        NgPt::Group
                    }
                    None => NgPt::Lists,
                };
                Flow::Next
            }
            NgPt::Group => {
                self.next_group(w);
                Flow::Next
            }
            NgPt::Lists => self.lists(w, cx, up),
            NgPt::Slab => {
                self.pt = match self.group.known() {
                    None => NgPt::Done,
                    Some(_) => NgPt::Rotate,
                };
                cx.ret = 0;
                // All dentries and inodes belong to the root.
                if self.group.known().is_some_and(|group| !group.is_root()) {
                    return Flow::Next;
                }
                up.call(ShrinkSlab::call(self.node), w, cx)
            }
            NgPt::Rotate => {
                cx.sc.nr_reclaimed += std::mem::take(&mut cx.ret);
                self.rotate_shrunk(w, cx);
                Flow::Next
            }
            NgPt::Done => {
                cx.sc.gens.has_walker = false;
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

    /// Finds the next cgroup of the generation being walked: the rest of its bin, then the other bins.
    fn next_group(&mut self, w: &World) {
        self.pt = NgPt::Done;
        let Some(lru) = &w.memcg.lru else {
            return;
        };
        let order = &lru.nodes[self.node];
        let mut before = self.group.known();
        while self.walked < BINS {
            if let Some(group) = order.next((self.generation, self.bin), before) {
                (self.group, self.pt) = (group, NgPt::Lists);
                return;
            }
            (self.bin, before) = ((self.bin + 1) % BINS, None);
            self.walked += 1;
        }
    }

    /// Shrinks the lists of the cgroup, unless its protection forbids it (`shrink_one`).
    fn lists(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let group = self.group.known().unwrap_or(GroupIndex::ROOT);
        let owner = lruvec(w, group, self.node);
        if let Some(to) = protected(w, &cx.sc, group, owner) {
            self.advance(w, cx, Some(to));
            return Flow::Next;
        }
        self.pt = NgPt::Slab;
        up.call(TryToShrinkLruvec::call(owner, cx.sc.nr_reclaimed), w, cx)
    }

    /// Decides whether a cgroup whose lists were shrunk is visited later (`shrink_one`).
    fn rotate_shrunk(&mut self, w: &mut World, cx: &mut Context) {
        let ages = std::mem::take(&mut cx.sc.gens.rotates);
        let owner = lruvec(w, self.group, self.node);
        let is_sizable = {
            let can_swap = swappiness(w, cx, owner) > 0;
            pages_that_count(w, owner, can_swap) >> cx.sc.priority > 0
        };
        let to = match (ages, is_sizable) {
            (true, _) => Some(Rotation::Young),
            (false, true) => None,
            (false, false) if is_at_tail(w, owner) => Some(Rotation::Young),
            (false, false) => Some(Rotation::Tail),
        };
        self.advance(w, cx, to);
    }

    /// Goes to the next cgroup of the walk, then moves this one. The pass ends if enough was reclaimed.
    fn advance(&mut self, w: &mut World, cx: &Context, to: Option<Rotation>) {
        let (group, owner) = (self.group, lruvec(w, self.group, self.node));
        let place = w
            .memcg
            .lru
            .as_ref()
            .and_then(|lru| lru.nodes[self.node].place(group));
        if should_abort(w, cx, owner) {
            self.pt = NgPt::Done;
        } else {
            // Another reclaimer moved it: the walk of this bin starts over.
            let was_moved =
                place.is_none_or(|at| (at.generation, at.bin) != (self.generation, self.bin));
            if was_moved {
                self.group = GroupIndex::NONE;
            }
            self.next_group(w);
        }
        if let Some(to) = to {
            w.record(GroupRotated {
                lists: owner,
                young: to == Rotation::Young,
            });
            rotate(w, self.node, group, to);
        }
    }

    fn set_initial_priority(&self, w: &mut World, cx: &mut Context) {
        let nr = summed(w, GroupIndex::ROOT, self.node).nr;
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

/// Where a cgroup moves because its protection spares it now; none if its lists are shrunk.
fn protected(
    w: &mut World,
    sc: &ScanControl,
    group: GroupIndex,
    lists: LruvecIndex,
) -> Option<Rotation> {
    let counter = w.memcg.memory.all.at(group).filter(|_| !group.is_root())?;
    let [usage, min, low] =
        [counter.usage, counter.effective.min, counter.effective.low].map(i64::from);
    if below_min(w, sc, group) {
        w.record(GroupBelowMin { usage, min, lists });
        return Some(Rotation::Young);
    }
    if !below_low(w, sc, group) {
        w.record(GroupVisited {
            usage,
            min,
            low,
            lists,
        });
        return None;
    }
    if !is_at_tail(w, lists) {
        w.record(GroupLater { usage, low, lists });
        return Some(Rotation::Tail);
    }
    w.memcg.event(group, Event::Low);
    w.record(GroupLowVisited { usage, low, lists });
    None
}

/// Was the cgroup moved to the tail of its generation before?
fn is_at_tail(w: &World, lists: LruvecIndex) -> bool {
    let (node, group) = (w.mem.lruvecs[lists].node, w.mem.group_of_lists(lists));
    let place = w
        .memcg
        .lru
        .as_ref()
        .and_then(|lru| lru.nodes[node].place(group));
    place.is_some_and(|place| place.at_tail)
}

#[cfg(test)]
mod tests {
    use super::start_priority;

    #[test]
    fn starts_at_a_lower_priority_if_the_goal_is_large_for_the_reclaimable_pages() {
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
