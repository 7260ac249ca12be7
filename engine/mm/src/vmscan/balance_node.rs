//! kswapd's run over a node with per-node lists (mm/vmscan.c, `balance_pgdat`; 6.1).
//!
//! Modelled: the priority loop, watermark boost, ageing of anonymous memory, the count of failures.
//! Left out: soft limits of cgroups; kcompactd is not woken at the end.
//! Invariants: the priority falls only after a pass that scanned too little or freed nothing.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::mmzone::WMARK_HIGH;
use crate::record::decisions;
use crate::vmscan::active::ShrinkActiveList;
use crate::vmscan::kswapd::{node_zones, pgdat_balanced};
use crate::vmscan::lru_gen::LruGenAgeNode;
use crate::vmscan::node::{node_lruvec, shrink_node};
use crate::vmscan::{ANON, DEF_PRIORITY, SWAP_CLUSTER_MAX, inactive_is_low};
use crate::vmscan::{AnonLow, PassDone};
use crate::world::World;
use facts::amount::Pages;
use facts::index::{NodeIndex, ZoneIndex};
use facts::state::State;

decisions! {
    BoostDropped { node: Node }
        "{node} is not balanced: balance it first, without the watermark boost.";
    NodeBalanced { node: Node, priority: Count, highest: ZoneType }
        "A zone of {node} is above its high watermark: the node is balanced.";
    NodeNotBalanced { node: Node, priority: Count, highest: ZoneType }
        "No zone of {node} is above its high watermark: scan at priority {priority}.";
}

room! {
    BalancePgdat: "balance_pgdat" in "mm/vmscan.c" at "v6.1.176" line 7028;
    Simplified "The loop of kernels with per-node lists, as in 6.1. Soft limits of cgroups are left out, and kcompactd is not woken at the end." if |f| f.lru_owner == facts::kernel::LruOwner::Node;
    BpPt {
        Start 0 Plain "count pageoutrun, record each zone's boost";
        Pass 0 Plain "for priority 12 down to 1: is the node balanced?";
        Boost 1 Plain "balanced: stop, or start over without the boost";
        Age 1 Plain "kswapd_age_node(): age the anonymous lists a little";
        Shrink 1 Plain "kswapd_shrink_node(): goal = the high watermarks";
        Shrunk 1 Yields "scanned too little, or freed none: next priority";
        Fruitless 0 Plain "nothing freed at any priority: count a failure";
        Out 0 Plain "remove the boost recorded at the start";
        Return 0 Yields "return the order";
    }
    locals(self, w) {
        nid: node(self.node);
        order: number(self.order);
        highest_zoneidx: zone_type(self.highest);
        nr_reclaimed: number(self.total);
    }
}

/// `balance_pgdat` of 6.1. Returns the order.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct BalancePgdat {
    /// Current program point.
    pub pt: BpPt,
    /// Node of kswapd.
    pub node: NodeIndex,
    /// Order to balance for.
    pub order: u8,
    /// Highest zone type to balance.
    pub highest: u8,
    /// Pages of watermark boost that are still to be reclaimed (`nr_boost_reclaim`).
    pub boost: Pages,
    /// `nr_reclaimed` when the pass began.
    pub before: u32,
    /// Number of pages reclaimed in the whole run.
    pub total: u32,
}

impl BalancePgdat {
    /// Frame of a call that starts a run.
    pub fn call(node: NodeIndex, order: u8, highest: u8) -> Frame {
        Frame::BalancePgdat(Self {
            pt: BpPt::Start,
            node,
            order,
            highest,
            boost: Pages::ZERO,
            before: 0,
            total: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            BpPt::Start => self.start(w, cx),
            BpPt::Pass => self.pass(w, cx),
            BpPt::Boost => self.consider_boost(w, cx),
            BpPt::Age => {
                self.pt = BpPt::Shrink;
                if w.mem.lru_gen_on {
                    return up.call(LruGenAgeNode::call(self.node), w, cx);
                }
                let owner = node_lruvec(w, self.node);
                if w.swap.exists() && inactive_is_low(w, owner, ANON) {
                    w.record(AnonLow { lists: owner });
                    return up.call(ShrinkActiveList::call(owner, 0, SWAP_CLUSTER_MAX), w, cx);
                }
                Flow::Next
            }
            BpPt::Shrink => self.shrink(w, cx, up),
            BpPt::Shrunk => self.shrunk(w, cx),
            BpPt::Fruitless => {
                if cx.sc.nr_reclaimed == 0 {
                    w.pgdat[self.node].kswapd_failures += 1;
                }
                self.pt = BpPt::Out;
                Flow::Next
            }
            BpPt::Out => {
                self.out(w);
                Flow::Next
            }
            BpPt::Return => {
                cx.ret = self.order.into();
                Flow::Ret
            }
        }
    }

    fn start(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        w.count_pass(self.node);
        cx.sc.begin(Gfp::GFP_KERNEL, self.order, self.highest, true);
        let zones: Vec<ZoneIndex> = node_zones(w, self.node, self.highest).collect();
        for z in zones {
            let zone = &w.mem.zones[z];
            self.boost += zone.boost;
            w.kswapd[self.node].boosts[zone.kind as usize] = zone.boost;
            w.mem.zones[z].reclaim_active = true;
        }
        self.restart(cx);
        Flow::Next
    }

    fn restart(&mut self, cx: &mut Context) {
        cx.sc.priority = DEF_PRIORITY;
        self.pt = BpPt::Pass;
    }

    fn pass(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.before = cx.sc.nr_reclaimed;
        w.spend(w.facts.cost.zone_walk);
        let balanced = pgdat_balanced(w, self.node, self.order, self.highest);
        let (node, priority, highest) = (self.node, cx.sc.priority.into(), self.highest);
        if balanced {
            w.record(NodeBalanced {
                node,
                priority,
                highest,
            });
        } else {
            w.record(NodeNotBalanced {
                node,
                priority,
                highest,
            });
        }
        cx.ret = balanced.into();
        self.pt = BpPt::Boost;
        Flow::Next
    }

    /// An unbalanced node is balanced first; its boost is still subtracted at the end. A balanced
    /// node is reclaimed only if it has a boost.
    fn consider_boost(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let balanced = cx.ret == 1;
        self.pt = BpPt::Age;
        if !balanced && self.boost > Pages::ZERO {
            w.record(BoostDropped { node: self.node });
            self.boost = Pages::ZERO;
            self.restart(cx);
        } else if balanced && self.boost == Pages::ZERO {
            self.pt = BpPt::Out;
        }
        Flow::Next
    }

    fn shrink(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let goal: Pages = node_zones(w, self.node, self.highest)
            .map(|z| {
                w.mem.zones[z]
                    .mark(WMARK_HIGH)
                    .max(Pages::new(SWAP_CLUSTER_MAX))
            })
            .sum();
        cx.sc.nr_to_reclaim = goal.get();
        cx.sc.nr_scanned = 0;
        // A run that only reclaims for a boost neither writes nor swaps.
        cx.sc.may_writepage = self.boost == Pages::ZERO;
        cx.sc.may_swap = self.boost == Pages::ZERO;
        self.pt = BpPt::Shrunk;
        up.call(shrink_node(w, self.node), w, cx)
    }

    fn shrunk(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let freed = cx.sc.nr_reclaimed - self.before;
        let (scanned, goal) = (cx.sc.nr_scanned, cx.sc.nr_to_reclaim);
        self.total += freed;
        // Enough was freed for the order: from here on kswapd balances for single pages.
        if self.order > 0 && cx.sc.nr_reclaimed >= 2 << self.order {
            self.order = 0;
            cx.sc.order = 0;
        }
        super::direct::wake_throttled(w, self.node);
        // A run for a boost does not go below priority 10, and ends when it frees nothing.
        let gentle = self.boost > Pages::ZERO && cx.sc.priority == DEF_PRIORITY - 2;
        let lower = (scanned < goal && !gentle) || freed == 0;
        w.record(PassDone {
            scanned: scanned.into(),
            goal: goal.into(),
            freed: freed.into(),
            priority: cx.sc.priority.into(),
        });
        self.boost -= Pages::new(freed);
        self.pt = BpPt::Pass;
        if self.boost > Pages::ZERO && freed == 0 {
            self.pt = BpPt::Fruitless;
            return Flow::Next;
        }
        if lower {
            cx.sc.priority -= 1;
            if cx.sc.priority == 0 {
                self.pt = BpPt::Fruitless;
            }
        }
        Flow::Next
    }

    fn out(&mut self, w: &mut World) {
        let zones: Vec<ZoneIndex> = node_zones(w, self.node, self.highest).collect();
        for z in zones {
            let kind = w.mem.zones[z].kind as usize;
            let seen = w.kswapd[self.node].boosts[kind];
            let boost = &mut w.mem.zones[z].boost;
            *boost -= seen;
            w.mem.zones[z].reclaim_active = false;
        }
        let owner = node_lruvec(w, self.node);
        let l = &mut w.mem.lruvecs[owner];
        l.refaults = l.activated;
        self.pt = BpPt::Return;
    }
}
