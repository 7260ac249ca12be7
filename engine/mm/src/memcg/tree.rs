//! Walks over the tree of cgroups, and LRU lists summed over a part of it.
//!
//! Modelled: the order of `mem_cgroup_iter`: a cgroup, then each child with its own children, in the order of
//! creation; the position that direct and limit reclaimers share from 6.12 on; `lruvec_page_state`, which is
//! hierarchical.
//! Invariants: a full walk visits each cgroup of the part once.

use facts::index::{GroupIndex, LruvecIndex, NodeIndex};

use super::Memcg;
use super::counter::Counters;
use crate::mmzone::Lruvec;
use crate::vmscan::node::node_lruvec;
use crate::world::World;

impl Counters {
    /// Is a cgroup the top or one of its descendants?
    pub fn is_below(&self, group: GroupIndex, top: GroupIndex) -> bool {
        top.is_root() || self.path(group).any(|at| at == top)
    }

    /// A cgroup and all its descendants, in the order of a walk.
    pub fn preorder(&self, top: GroupIndex) -> Vec<GroupIndex> {
        let mut out = Vec::new();
        let mut rest = vec![top];
        while let Some(group) = rest.pop() {
            out.push(group);
            let children = self.all.entries().filter(|(_, c)| c.parent == group);
            rest.extend(children.map(|(child, _)| child).rev());
        }
        out
    }

    /// The cgroup that follows `before` in the walk below a top; the first one if `before` is
    /// `None`.
    pub fn next_in_walk(&self, top: GroupIndex, before: Option<GroupIndex>) -> Option<GroupIndex> {
        let order = self.preorder(top);
        match before {
            None => order.first().copied(),
            Some(before) => {
                let at = order.iter().position(|&group| group == before)?;
                order.get(at + 1).copied()
            }
        }
    }
}

impl Memcg {
    fn walk_at(&mut self, nodes: usize, top: GroupIndex, node: NodeIndex) -> &mut u8 {
        &mut self.walks[top.index() * nodes + node.index()]
    }

    /// The next cgroup of the walk that all reclaimers of a target and node share. A call that
    /// starts where the last walk ended starts over.
    pub fn next_shared(
        &mut self,
        nodes: usize,
        (top, node): (GroupIndex, NodeIndex),
        begins: bool,
    ) -> Option<GroupIndex> {
        // 0 at the beginning, else one more than the cgroup visited last.
        let at = *self.walk_at(nodes, top, node);
        let before = at.checked_sub(1).map(GroupIndex::new);
        let next = self.memory.next_in_walk(top, before);
        let next = match next {
            None if begins => self.memory.next_in_walk(top, None),
            found => found,
        };
        *self.walk_at(nodes, top, node) = next.map_or(0, |group| group.get() + 1);
        next
    }
}

/// The LRU lists of a cgroup on a node (`mem_cgroup_lruvec`).
pub fn lruvec(w: &World, group: GroupIndex, node: NodeIndex) -> LruvecIndex {
    w.mem.lists_of_group(node_lruvec(w, node), group)
}

/// The LRU lists of a cgroup with the page counts of all its descendants.
pub fn summed(w: &World, group: GroupIndex, node: NodeIndex) -> Lruvec {
    let mut sum = w.mem.lruvecs[lruvec(w, group, node)].clone();
    for (below, _) in w.memcg.memory.all.entries() {
        if below != group && w.memcg.memory.is_below(below, group) {
            let lists = &w.mem.lruvecs[lruvec(w, below, node)];
            for (all, pages) in sum.nr.iter_mut().zip(lists.nr) {
                *all += pages;
            }
            for (all, pages) in sum.isolated.iter_mut().zip(lists.isolated) {
                *all += pages;
            }
        }
    }
    sum
}

/// LRU lists with the page counts of all descendants of their cgroup; without cgroups, the lists as
/// they are.
pub fn summed_lists(w: &World, lists: LruvecIndex, own: &Lruvec) -> Lruvec {
    match w.memcg.is_on() {
        true => summed(w, w.mem.group_of_lists(lists), own.node),
        false => own.clone(),
    }
}

/// Counts a refaulted page that was activated, for its lists and those of all ancestors.
pub fn activated(w: &mut World, lists: LruvecIndex, file: usize) {
    for at in lists_above(w, lists) {
        w.mem.lruvecs[at].activated[file] += 1;
    }
}

/// LRU lists and those of all ancestors on the same node; without cgroups, only the lists
/// themselves.
pub fn lists_above(w: &World, lists: LruvecIndex) -> impl Iterator<Item = LruvecIndex> + use<> {
    let group = w.mem.group_of_lists(lists);
    let base = w.mem.lists_of_root(lists);
    let path: Vec<LruvecIndex> = w
        .memcg
        .memory
        .path(group)
        .map(|at| w.mem.lists_of_group(base, at))
        .collect();
    let own = path.is_empty().then_some(lists);
    own.into_iter().chain(path)
}

/// Ages LRU lists and those of all ancestors by evictions or activations
/// (`workingset_age_nonresident`).
pub fn age(w: &mut World, lists: LruvecIndex, by: u64) {
    if w.memcg.is_on() {
        for at in lists_above(w, lists) {
            w.mem.lruvecs[at].nonresident_age += by;
        }
    } else {
        w.mem.lruvecs[lists].nonresident_age += by;
    }
}

/// Adds the cost of reclaiming a type to LRU lists and those of all ancestors (`lru_note_cost`).
pub fn note_cost(w: &mut World, lists: LruvecIndex, file: usize, pages: u64) {
    if !w.memcg.is_on() {
        crate::vmscan::scan_count::lru_note_cost(&mut w.mem.lruvecs[lists], file, pages);
        return;
    }
    for at in lists_above(w, lists) {
        let (group, node) = (w.mem.group_of_lists(at), w.mem.lruvecs[at].node);
        let mut sum = summed(w, group, node);
        crate::vmscan::scan_count::lru_note_cost(&mut sum, file, pages);
        w.mem.lruvecs[at].cost = sum.cost;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memcg::counter::Limits;

    /// The tree root{A{B,C},D}, created in the order A, B, D, C.
    fn tree() -> Memcg {
        let mut memcg = Memcg::default();
        let [root, a] = [0, 1].map(GroupIndex::new);
        for parent in [GroupIndex::NONE, root, a, root, a] {
            memcg.memory.add(parent, Limits::default());
        }
        memcg.walks = vec![0; 5];
        memcg
    }

    #[test]
    fn walks_a_cgroup_before_its_children_and_children_in_order_of_creation() {
        let memcg = tree();
        let order = |top: u8| {
            let found = memcg.memory.preorder(GroupIndex::new(top));
            found.iter().map(|group| group.get()).collect::<Vec<u8>>()
        };
        assert_eq!(order(0), [0, 1, 2, 4, 3]);
        assert_eq!(order(1), [1, 2, 4]);
        assert_eq!(order(3), [3]);
    }

    #[test]
    fn continues_a_shared_walk_where_the_last_call_stopped() {
        let mut memcg = tree();
        let at = (GroupIndex::ROOT, NodeIndex::new(0));
        let mut next = |begins| memcg.next_shared(1, at, begins).map(GroupIndex::get);
        // The goal is met in A: the next call begins with B.
        assert_eq!((next(true), next(false)), (Some(0), Some(1)));
        assert_eq!(next(true), Some(2));
        assert_eq!(
            (next(false), next(false), next(false)),
            (Some(4), Some(3), None)
        );
        assert_eq!(next(true), Some(0));
    }
}
