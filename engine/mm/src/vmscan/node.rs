//! One pass over a node at one priority (mm/vmscan.c, `shrink_node`; from 4.8).
//!
//! Modelled: which lists are spared (`prepare_scan_count`), shrinking the lists and slab, the flags
//! that kswapd sets for others, the stalls they cause, starting over for a high order.
//! Left out: slab objects that belong to memory cgroups.
//! Invariants: only kswapd sets the node's flags.

use crate::compaction::{Possible, compaction_possible};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::{LruGenRule, MemcgRule, ReclaimCompaction, WritebackWait};
use crate::memcg;
use crate::mmzone::WMARK_HIGH;
use crate::record::decisions;
use crate::slowpath::COSTLY_ORDER;
use crate::vmscan::NodeStall;
use crate::vmscan::kswapd::node_zones;
use crate::vmscan::lru_gen::memcg_lru::{Rotation, rotate};
use crate::vmscan::lru_gen::{LruGenShrinkNode, TryToShrinkLruvec};
use crate::vmscan::lruvec::ShrinkLruvec;
use crate::vmscan::slab::ShrinkSlab;
use crate::vmscan::throttle::{CongestionWait, Reason, ReclaimThrottle, all_congested};
use crate::vmscan::{ANON, DEF_PRIORITY, FILE, Tally, lists_are_low, type_pages};
use crate::world::World;
use facts::amount::Pages;
use facts::index::{GroupIndex, LruvecIndex, NodeIndex, ZoneIndex};
use facts::state::State;

decisions! {
    NodePass { node: Node, priority: Count, inactive_anon: Count, active_anon: Count, inactive_file: Count, active_file: Count }
        "Reclaim shrinks {node} at priority {priority}. The node has {inactive_anon} inactive and {active_anon active anonymous page}, {inactive_file} inactive and {active_file active file page}.";
    NodeCongested { node: Node }
        "The lists of {node} are marked congested: the direct reclaimer waits.";
    NodeAgain { node: Node, order: Order, reclaimed: Count, inactive: Count, needs: Count }
        "Compaction cannot make a block of {order} on {node} yet. This pass freed {reclaimed page}, and the inactive lists have {inactive}, more than {needs}: another pass follows.";
}

room! {
    ShrinkNode: "shrink_node" in "mm/vmscan.c" at "v6.1.176" line 6159;
    Simplified "Includes should_continue_reclaim() and shrink_node_memcgs(). All dentries and inodes belong to the root cgroup.";
    SnPt {
        Prepare 0 Plain "prepare_scan_count(): which lists may be shrunk?";
        Group 0 Plain "mem_cgroup_iter(), mem_cgroup_calculate_protection()" if |f| f.memcg != MemcgRule::Absent;
        Lists 0 Plain "shrink_lruvec()";
        Slab 0 Plain "shrink_slab()";
        Flags 0 Plain "kswapd: tail all under writeback or dirty: flag it";
        Stall 0 Plain "kswapd found writeback twice: wait";
        Congested 0 Plain "direct reclaim, lists congested: wait";
        Done 0 Yields "pages were freed: kswapd_failures = 0";
        Again 0 Plain "should_continue_reclaim(): not enough for compaction: start over" if |f| f.reclaim_compaction == ReclaimCompaction::Yields;
    }
    locals(self, w) {
        nid: node(self.node);
    }
}

/// `shrink_node`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct ShrinkNode {
    /// Current program point.
    pub pt: SnPt,
    /// Node to shrink.
    pub node: NodeIndex,
    /// The memory cgroup being shrunk, [`GroupIndex::NONE`] before the first.
    #[state(rest = GroupIndex::NONE)]
    pub group: GroupIndex,
    /// `nr_reclaimed` at the start.
    pub before: u32,
    /// True if a pass of this call freed pages.
    pub has_freed: bool,
}

/// Does compaction follow this reclaim (`in_reclaim_compaction`)?
fn in_reclaim_compaction(cx: &Context) -> bool {
    let order = cx.sc.order;
    let hard = order > COSTLY_ORDER || cx.sc.priority < DEF_PRIORITY - 2;
    cx.sc.gfp.has(Gfp::IO) && order > 0 && hard
}

/// The set of LRU lists that a node owns.
pub fn node_lruvec(w: &World, node: NodeIndex) -> LruvecIndex {
    let mut lists = w.mem.lruvecs.entries();
    let found = lists.find(|(_, l)| l.node == node);
    found.map(|(owner, _)| owner).unwrap_or_default()
}

/// Frame of a call that starts a pass over a node. With the multi-generational LRU, 6.12 takes
/// another path.
pub fn shrink_node(w: &World, node: NodeIndex) -> Frame {
    if w.mem.lru_gen_on && w.facts.features.lru_gen == LruGenRule::AgesWithin {
        LruGenShrinkNode::call(node)
    } else {
        ShrinkNode::call(node)
    }
}

impl ShrinkNode {
    /// Frame of a call that starts a pass.
    pub fn call(node: NodeIndex) -> Frame {
        Frame::ShrinkNode(Self {
            pt: SnPt::Prepare,
            node,
            group: GroupIndex::NONE,
            before: 0,
            has_freed: false,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            SnPt::Prepare => {
                self.prepare(w, cx);
                self.pt = if w.memcg.is_on() {
                    SnPt::Group
                } else {
                    SnPt::Lists
                };
                cx.ret = 0;
                Flow::Next
            }
            SnPt::Group => {
                cx.sc.nr_reclaimed += cx.ret;
                cx.ret = 0;
                let next = memcg::walk::next_group(w, &mut cx.sc, self.node, self.group.known());
                self.group = next.unwrap_or(GroupIndex::NONE);
                self.pt = match next {
                    Some(_) => SnPt::Lists,
                    None => SnPt::Flags,
                };
                Flow::Next
            }
            SnPt::Lists => {
                self.pt = SnPt::Slab;
                let group = self.group.known().unwrap_or(GroupIndex::ROOT);
                let owner = memcg::tree::lruvec(w, group, self.node);
                let lists = if w.mem.lru_gen_on {
                    TryToShrinkLruvec::call(owner, cx.sc.nr_reclaimed)
                } else {
                    ShrinkLruvec::call(owner)
                };
                up.call(lists, w, cx)
            }
            SnPt::Slab => {
                cx.sc.nr_reclaimed += cx.ret;
                cx.ret = 0;
                if std::mem::take(&mut cx.sc.gens.rotates) {
                    rotate(w, self.node, self.group, Rotation::Young);
                }
                self.pt = if self.group.is_none() {
                    SnPt::Flags
                } else {
                    SnPt::Group
                };
                // All dentries and inodes belong to the root.
                if self.group.known().is_some_and(|group| !group.is_root()) {
                    return Flow::Next;
                }
                up.call(ShrinkSlab::call(self.node), w, cx)
            }
            SnPt::Flags => {
                cx.sc.nr_reclaimed += cx.ret;
                self.flags(w, cx);
                Flow::Next
            }
            SnPt::Stall => {
                self.pt = SnPt::Done;
                w.record(NodeStall {
                    stalled: cx.sc.tally.immediate.into(),
                    node: self.node,
                });
                self.wait(w, Reason::Writeback, cx, up)
            }
            SnPt::Congested => {
                self.pt = SnPt::Done;
                w.record(NodeCongested { node: self.node });
                self.wait(w, Reason::Congested, cx, up)
            }
            SnPt::Again => {
                self.pt = SnPt::Prepare;
                Flow::Next
            }
            SnPt::Done => {
                self.has_freed |= cx.sc.nr_reclaimed > self.before;
                if self.should_continue_reclaim(w, cx) {
                    self.pt = SnPt::Again;
                    return Flow::Next;
                }
                if self.has_freed {
                    w.pgdat[self.node].kswapd_failures = 0;
                }
                Flow::Ret
            }
        }
    }

    /// `should_continue_reclaim`: this pass freed pages for a high order, compaction could not work
    /// yet in any zone, and enough pages are left to free.
    fn should_continue_reclaim(&self, w: &mut World, cx: &Context) -> bool {
        let (order, high) = (cx.sc.order, cx.sc.reclaim_idx);
        let yields = w.facts.features.reclaim_compaction == ReclaimCompaction::Yields;
        let reclaimed = cx.sc.nr_reclaimed - self.before;
        if !yields || !in_reclaim_compaction(cx) || reclaimed == 0 {
            return false;
        }
        let zones: Vec<ZoneIndex> = node_zones(w, self.node, high).collect();
        let could = |&zone: &ZoneIndex| compaction_possible(w, zone, order, high) != Possible::No;
        if zones.iter().any(could) {
            return false;
        }
        let l = &w.mem.lruvecs[node_lruvec(w, self.node)];
        let anon = if w.swap.free_slots() > 0 { l.nr[0] } else { 0 };
        let (inactive, needs) = (l.nr[2] + anon, 2 << order);
        if inactive <= needs {
            return false;
        }
        w.record(NodeAgain {
            node: self.node,
            order,
            reclaimed: reclaimed.into(),
            inactive: inactive.into(),
            needs: needs.into(),
        });
        true
    }

    fn wait(&self, w: &mut World, reason: Reason, cx: &mut Context, up: Up<'_>) -> Flow {
        let wait = match (w.facts.features.writeback_wait, reason) {
            // kswapd always waits, a direct reclaimer only for a congested queue.
            (WritebackWait::CongestedQueue, Reason::Congested) => {
                CongestionWait::iff_congested(10, LruvecIndex::NONE)
            }
            (WritebackWait::CongestedQueue, _) => CongestionWait::call(10),
            (WritebackWait::Written, _) => ReclaimThrottle::call(self.node, Reason::Writeback),
            (WritebackWait::WrittenOrTick, reason) => ReclaimThrottle::call(self.node, reason),
        };
        up.call(wait, w, cx)
    }

    /// `prepare_scan_count`.
    fn prepare(&mut self, w: &mut World, cx: &mut Context) {
        self.before = cx.sc.nr_reclaimed;
        w.spend(w.facts.cost.reclaim_visit);
        cx.sc.tally = Tally::default();
        if w.mem.lru_gen_on {
            return;
        }
        let l = &memcg::tree::summed(w, cx.sc.target, self.node);
        for file in [ANON, FILE] {
            let refaulted = l.activated[file] != l.refaults[file];
            cx.sc.may_deactivate[file] =
                cx.sc.force_deactivate || refaulted || lists_are_low(w, l, file);
        }
        let priority = cx.sc.priority;
        cx.sc.cache_trim_mode = l.nr[2] >> priority > 0 && !cx.sc.may_deactivate[FILE];
        let zones = w.mem.zones.iter().filter(|z| z.node == self.node);
        let (free, high) = zones.fold((0, Pages::ZERO), |(free, high), z| {
            (free + z.nr_free_pages, high + z.mark(WMARK_HIGH))
        });
        let file = type_pages(l, FILE);
        cx.sc.file_is_tiny = cx.sc.target.is_root()
            && file + free <= high.get()
            && !cx.sc.may_deactivate[ANON]
            && l.nr[0] >> priority > 0;
        w.record(NodePass {
            node: self.node,
            priority: priority.into(),
            inactive_anon: l.nr[0].into(),
            active_anon: l.nr[1].into(),
            inactive_file: l.nr[2].into(),
            active_file: l.nr[3].into(),
        });
    }

    fn flags(&mut self, w: &mut World, cx: &mut Context) {
        let tally = cx.sc.tally;
        let owner = memcg::tree::lruvec(w, cx.sc.target, self.node);
        let pgdat = &mut w.pgdat[self.node];
        self.pt = SnPt::Done;
        if cx.sc.kswapd {
            pgdat.writeback |= tally.writeback > 0 && tally.writeback == tally.taken;
            pgdat.dirty |= tally.unqueued_dirty == tally.file_taken;
            if tally.immediate > 0 {
                self.pt = SnPt::Stall;
            }
            if all_congested(tally.dirty, tally.congested) {
                w.mem.lruvecs[owner].congested = true;
            }
            return;
        }
        if !cx.sc.target.is_root() && all_congested(tally.dirty, tally.congested) {
            w.mem.lruvecs[owner].congested = true;
        }
        if w.mem.lruvecs[owner].congested {
            self.pt = SnPt::Congested;
        }
    }
}
