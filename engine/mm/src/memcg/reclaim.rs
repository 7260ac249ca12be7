//! Reclaim from one cgroup and its descendants (mm/vmscan.c, `try_to_free_mem_cgroup_pages`).
//!
//! Modelled: the walk over the zonelist at falling priority, and the restarts: over all cgroups
//! (6.12), with active lists, and with cgroups below `memory.low`.
//! Left out: a different swappiness for one call.
//! Invariants: only pages of the target and its descendants are reclaimed. This reclaim counts
//! neither as a stall of allocation nor as direct reclaim in /proc/vmstat.

use facts::index::{GroupIndex, NodeIndex, ZonelistIndex};
use facts::state::State;

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::MemcgRule;
use crate::page_alloc::allowed;
use crate::record::{decisions, events};
use crate::vmscan::node::{ShrinkNode, shrink_node};
use crate::vmscan::{DEF_PRIORITY, SWAP_CLUSTER_MAX};
use crate::world::World;

events! {
    /// A task begins to reclaim from a cgroup that reached its limit.
    MmVmscanMemcgReclaimBegin "mm_vmscan_memcg_reclaim_begin" from "include/trace/events/vmscan.h" { order: Order, gfp_flags: Gfp };
    /// Reclaim from a cgroup has ended; the number of pages freed.
    MmVmscanMemcgReclaimEnd "mm_vmscan_memcg_reclaim_end" from "include/trace/events/vmscan.h" { nr_reclaimed: Count };
}

decisions! {
    LimitPriority { priority: Count, reclaimed: Count, goal: Count }
        "At priority {priority}, reclaim has freed {reclaimed page} so far; its goal is {goal}.";
    RestartAll {}
        "Nothing was reclaimed from some of the cgroups: start over with all of them.";
    RestartActive {}
        "Nothing was reclaimed, but active lists were spared: start over and shrink them too.";
    RestartLow {}
        "Nothing was reclaimed, but cgroups below memory.low were skipped: start over and reclaim from them too.";
}

room! {
    TryToFreeMemCgroupPages: "try_to_free_mem_cgroup_pages" in "mm/vmscan.c";
    Simplified "Includes do_try_to_free_pages() and shrink_zones()." if |f| f.memcg != MemcgRule::Absent;
    TmPt {
        Begin 0 Plain "goal: at least 32 pages, priority 12";
        Priority 0 Plain "for priority 12 down to 0:";
        Node 1 Plain "shrink_zones(): shrink_node() of each node";
        Check 1 Yields "goal met: done";
        Restart 0 Plain "nothing reclaimed: start over with what was spared";
        End 0 Yields "return what was reclaimed";
    }
    locals(self, w) {
        memcg: group(self.target);
        nr_pages: number(self.goal);
        gfp_mask: gfp(self.gfp);
    }
}

/// `try_to_free_mem_cgroup_pages`. Returns pages reclaimed.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TryToFreeMemCgroupPages {
    /// Current program point.
    pub pt: TmPt,
    /// The cgroup to reclaim from.
    pub target: GroupIndex,
    /// Index of the next zone in the zonelist.
    pub next: u8,
    /// Node that was shrunk last.
    pub last_node: NodeIndex,
    /// The zonelist to walk.
    pub node: ZonelistIndex,
    /// Flags of the request.
    pub gfp: Gfp,
    /// Number of pages requested.
    pub goal: u32,
}

impl TryToFreeMemCgroupPages {
    /// Frame of a reclaim that has not started.
    pub fn call(target: GroupIndex, goal: u32, gfp: Gfp, w: &World) -> Frame {
        let node = w.facts.node_of_cpu[w.cpu];
        Frame::MemcgReclaim(Self {
            pt: TmPt::Begin,
            target,
            next: 0,
            last_node: NodeIndex::NONE,
            node: node.zonelist(),
            gfp,
            goal,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            TmPt::Begin => self.begin(w, cx),
            TmPt::Priority => {
                cx.sc.nr_scanned = 0;
                (self.next, self.last_node) = (0, NodeIndex::NONE);
                w.record(LimitPriority {
                    priority: cx.sc.priority.into(),
                    reclaimed: cx.sc.nr_reclaimed.into(),
                    goal: cx.sc.nr_to_reclaim.into(),
                });
                self.pt = TmPt::Node;
                Flow::Next
            }
            TmPt::Node => self.node(w, cx, up),
            TmPt::Check => {
                cx.sc.total_scanned += cx.sc.nr_scanned;
                self.pt = if cx.sc.nr_reclaimed >= cx.sc.nr_to_reclaim || cx.sc.priority == 0 {
                    TmPt::Restart
                } else {
                    cx.sc.may_writepage |= cx.sc.priority < DEF_PRIORITY - 2;
                    cx.sc.priority -= 1;
                    TmPt::Priority
                };
                Flow::Next
            }
            TmPt::Restart => {
                ended_pass(w, self.target);
                self.pt = if cx.sc.nr_reclaimed == 0 && restarts(w, cx) {
                    TmPt::Priority
                } else {
                    TmPt::End
                };
                Flow::Next
            }
            TmPt::End => {
                w.record(MmVmscanMemcgReclaimEnd {
                    nr_reclaimed: cx.sc.nr_reclaimed.into(),
                });
                cx.sc.target = GroupIndex::ROOT;
                cx.memalloc = false;
                cx.ret = cx.sc.nr_reclaimed;
                Flow::Ret
            }
        }
    }

    fn begin(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let highest = w.facts.layout.zone_types.len() as u8 - 1;
        cx.sc.begin(self.gfp, 0, highest, false);
        cx.sc.target = self.target;
        cx.sc.nr_to_reclaim = self.goal.max(SWAP_CLUSTER_MAX);
        cx.begin_reclaim();
        w.record(MmVmscanMemcgReclaimBegin {
            order: 0,
            gfp_flags: self.gfp,
        });
        self.pt = TmPt::Priority;
        Flow::Next
    }

    fn node(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let mut zones = allowed(w, self.node, cx.sc.reclaim_idx);
        let next = zones.find(|&(place, zone)| {
            place >= usize::from(self.next) && w.mem.zones[zone].node != self.last_node
        });
        drop(zones);
        let Some((place, zone)) = next else {
            self.pt = TmPt::Check;
            return Flow::Next;
        };
        let node = w.mem.zones[zone].node;
        (self.next, self.last_node) = (place as u8 + 1, node);
        let call = match self.target.is_root() {
            true => shrink_node(w, node),
            false => ShrinkNode::call(node),
        };
        up.call(call, w, cx)
    }
}

/// Called when all priorities were tried: stores refaults and clears the congestion mark of the
/// target's lists (the end of `do_try_to_free_pages`).
fn ended_pass(w: &mut World, target: GroupIndex) {
    for node in NodeIndex::all(w.facts.layout.nodes.len()) {
        let lists = super::tree::lruvec(w, target, node);
        let lists = &mut w.mem.lruvecs[lists];
        lists.refaults = lists.activated;
        lists.congested &= target.is_root();
    }
}

/// Nothing was reclaimed at any priority: does reclaim start over with pages that it spared?
pub fn restarts(w: &mut World, cx: &mut Context) -> bool {
    let sc = &mut cx.sc;
    let shares = w.facts.features.memcg == MemcgRule::SharedWalk && w.memcg.is_on();
    if shares && !sc.full_walk {
        sc.full_walk = true;
        w.record(RestartAll {});
    } else if sc.skipped_deactivate && !sc.force_deactivate {
        (sc.force_deactivate, sc.skipped_deactivate) = (true, false);
        w.record(RestartActive {});
    } else if sc.low_skipped && !sc.low_reclaim {
        (sc.low_reclaim, sc.low_skipped) = (true, false);
        sc.force_deactivate = false;
        w.record(RestartLow {});
    } else {
        return false;
    }
    sc.priority = DEF_PRIORITY;
    true
}
