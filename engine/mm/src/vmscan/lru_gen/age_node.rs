//! Aging a node before a pass of kswapd (mm/vmscan.c, `lru_gen_age_node`).
//!
//! Modelled: 6.1's aging, which leaves out the first call of a run and those after a fruitful pass; in
//! both kernels `min_ttl_ms`, which calls the OOM killer if all generations are too young; the lists of each
//! memory cgroup in turn, and its effective protection.
//! Left out: kswapd's first priority, which 6.12 computes here and the engine in the pass that follows.
//! Visible difference: `min_ttl_ms` judges the size of lists at priority 12 in the first pass.
//! Invariants: without `min_ttl_ms` 6.12 only computes the protection of cgroups here.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::memcg::protection::calculate;
use crate::memcg::tree::lruvec;
use crate::memcg::walk::below_min;
use crate::mmzone::gen_of_seq;
use crate::oom::OutOfMemory;
use crate::record::decisions;
use crate::vmscan::lru_gen::aging::{TryToIncMaxSeq, should_run_aging};
use crate::vmscan::lru_gen::{ages_before, gens, pages_that_count, swappiness};
use crate::vmscan::{DEF_PRIORITY, FILE};
use crate::world::World;
use facts::index::{GroupIndex, LruvecIndex, NodeIndex};
use facts::state::State;

decisions! {
    NodeAgingSkipped { node: Node }
        "This is kswapd's first pass over {node}, or its last pass freed enough: kswapd does not age the node.";
    MinTtlKills { node: Node, min_ttl_ms: Count }
        "Every file generation of {node} is younger than {min_ttl_ms} ms or too small: kswapd calls the OOM killer.";
}

room! {
    LruGenAgeNode: "lru_gen_age_node" in "mm/vmscan.c" at "v6.1.176" line 4573;
    Simplified "6.12 computes kswapd's first priority here; the engine does so in the pass that follows." if |f| f.lru_gen.is_modelled();
    AgePt {
        Start 0 Plain "was aging not needed after the last pass?";
        Age 0 Plain "each cgroup: old enough for min_ttl_ms? aging due: age";
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
    /// The next memory cgroup, [`GroupIndex::NONE`] before the first.
    #[state(rest = GroupIndex::NONE)]
    pub group: GroupIndex,
    /// Some lists have pages that may be reclaimed.
    pub has_reclaimable: bool,
}

impl LruGenAgeNode {
    /// Frame of a call that has not started.
    pub fn call(node: NodeIndex) -> Frame {
        Frame::LruGenAgeNode(Self {
            pt: AgePt::Start,
            node,
            group: GroupIndex::NONE,
            has_reclaimable: false,
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
                    calculate_all(w);
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

    /// Ages the lists of the next cgroup, or the only lists.
    fn age(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let group = self.group.known().unwrap_or(GroupIndex::ROOT);
        let owner = lruvec(w, group, self.node);
        let counters = &mut w.memcg.memory;
        if !group.is_root() {
            calculate(counters, GroupIndex::ROOT, group, w.facts.groups.recursive);
        }
        let next = counters.next_in_walk(GroupIndex::ROOT, Some(group));
        self.group = next.unwrap_or(GroupIndex::NONE);
        let can_swap = swappiness(w, cx, owner) > 0;
        let is_protected = below_min(w, &cx.sc, group);
        let due = !is_protected && Self::is_due(w, owner, can_swap);
        let ttl = w.tunables.lru_gen_min_ttl_ms;
        let is_fine = ttl == 0 || !is_protected && is_old_enough(w, cx, owner, can_swap);
        self.has_reclaimable |= is_fine;
        // Compaction's reclaim kills no task.
        let spares = ages_before(w) && cx.sc.order > 0;
        self.pt = match next {
            Some(_) => AgePt::Age,
            None if self.has_reclaimable || spares => AgePt::Done,
            None => AgePt::Kill,
        };
        if due && is_fine {
            cx.sc.gens.has_walker = true;
            let seq = gens(w, owner).max_seq;
            return up.call(TryToIncMaxSeq::call(owner, seq, can_swap), w, cx);
        }
        Flow::Next
    }

    /// Does 6.1 age these lists now?
    fn is_due(w: &mut World, owner: LruvecIndex, can_swap: bool) -> bool {
        ages_before(w) && should_run_aging(w, owner, can_swap).0.is_due()
    }
}

/// Computes the protection of all cgroups for the pass that follows.
fn calculate_all(w: &mut World) {
    for group in w.memcg.memory.preorder(GroupIndex::ROOT) {
        if !group.is_root() {
            let counters = &mut w.memcg.memory;
            calculate(counters, GroupIndex::ROOT, group, w.facts.groups.recursive);
        }
    }
}

/// Is the oldest file generation older than `min_ttl_ms`, with something to scan?
fn is_old_enough(w: &World, cx: &Context, owner: LruvecIndex, can_swap: bool) -> bool {
    let target = pages_that_count(w, owner, can_swap) >> cx.sc.priority;
    let g = gens(w, owner);
    let born = g.born_ns[gen_of_seq(g.min_seq[FILE])];
    if born + w.tunables.lru_gen_min_ttl_ms * 1_000_000 > w.now {
        return false;
    }
    let careful = ages_before(w) && cx.sc.priority == DEF_PRIORITY;
    target > 0 || careful
}
