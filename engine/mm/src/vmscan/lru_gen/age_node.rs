//! Aging a node before a pass of kswapd (mm/vmscan.c, `lru_gen_age_node`).
//!
//! Modelled: aging in 6.1, which skips the first call of a run and those after a pass that freed
//! enough; in both kernels `min_ttl_ms`, which calls the OOM killer if all generations are too
//! young.
//! Left out: memory cgroups.
//! Visible difference: none on a machine without cgroups.
//! Invariants: without `min_ttl_ms` 6.12 does nothing here.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::mmzone::gen_of_seq;
use crate::oom::OutOfMemory;
use crate::record::decisions;
use crate::vmscan::lru_gen::aging::{TryToIncMaxSeq, should_run_aging};
use crate::vmscan::lru_gen::{ages_before, gens, swappiness};
use crate::vmscan::node::node_lruvec;
use crate::vmscan::{DEF_PRIORITY, FILE};
use crate::world::World;
use facts::index::{LruvecIndex, NodeIndex};
use facts::state::State;

decisions! {
    NodeAgingSkipped { node: Node }
        "This is kswapd's first pass over {node}, or the last one freed enough: it does not age.";
    MinTtlKills { node: Node, min_ttl_ms: Count }
        "Every file generation of {node} is younger than {min_ttl_ms} ms or too small: kswapd calls the OOM killer.";
}

room! {
    LruGenAgeNode: "lru_gen_age_node" in "mm/vmscan.c" at "v6.1.176" line 4573;
    Simplified "Memory cgroups are left out." if |f| f.lru_gen.is_modelled();
    AgePt {
        Start 0 Plain "was aging not needed after the last pass?";
        Age 0 Plain "min_ttl_ms: old enough? aging due: age";
        Kill 0 Plain "all generations too young: out_of_memory()";
        Done 0 Plain "return";
    }
    locals(self, w) {
        nid: node(self.node);
    }
}

/// `lru_gen_age_node`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct LruGenAgeNode {
    /// Current program point.
    pub pt: AgePt,
    /// Node to age.
    pub node: NodeIndex,
}

impl LruGenAgeNode {
    /// Frame of a call that has not started.
    pub fn call(node: NodeIndex) -> Frame {
        Frame::LruGenAgeNode(Self {
            pt: AgePt::Start,
            node,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            AgePt::Start => {
                cx.sc.gens.last_reclaimed = cx.sc.nr_reclaimed;
                self.pt = AgePt::Age;
                if ages_before(w) && !cx.sc.gens.needs_aging {
                    cx.sc.gens.needs_aging = true;
                    w.record(NodeAgingSkipped { node: self.node });
                    return Flow::Ret;
                }
                if !ages_before(w) && w.tunables.lru_gen_min_ttl_ms == 0 {
                    return Flow::Ret;
                }
                Flow::Next
            }
            AgePt::Age => self.age(w, cx, up),
            AgePt::Kill => {
                self.pt = AgePt::Done;
                w.record(MinTtlKills {
                    node: self.node,
                    min_ttl_ms: w.tunables.lru_gen_min_ttl_ms as i64,
                });
                up.call(OutOfMemory::call(), w, cx)
            }
            AgePt::Done => Flow::Ret,
        }
    }

    fn age(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let owner = node_lruvec(w, self.node);
        let can_swap = swappiness(w, cx) > 0;
        let (due, pages) = should_run_aging(w, owner, can_swap);
        let target = pages >> cx.sc.priority;
        let ttl = w.tunables.lru_gen_min_ttl_ms;
        if ttl > 0 && !is_old_enough(w, cx, owner, target) {
            // Reclaim for compaction kills no task.
            let spares = ages_before(w) && cx.sc.order > 0;
            self.pt = if spares { AgePt::Done } else { AgePt::Kill };
            return Flow::Next;
        }
        self.pt = AgePt::Done;
        if ages_before(w) && due.is_due() {
            cx.sc.gens.has_walker = true;
            let seq = gens(w, owner).max_seq;
            return up.call(TryToIncMaxSeq::call(owner, seq, can_swap), w, cx);
        }
        Flow::Next
    }
}

/// Is the oldest file generation older than `min_ttl_ms`, and does it have pages to scan?
fn is_old_enough(w: &World, cx: &Context, owner: LruvecIndex, target: u32) -> bool {
    let g = gens(w, owner);
    let born = g.born_ns[gen_of_seq(g.min_seq[FILE])];
    if born + w.tunables.lru_gen_min_ttl_ms * 1_000_000 > w.now {
        return false;
    }
    let careful = ages_before(w) && cx.sc.priority == DEF_PRIORITY;
    target > 0 || careful
}
