//! The order in which global reclaim of 6.12 visits memory cgroups (linux/mmzone.h `lru_gen_memcg`,
//! mm/vmscan.c `lru_gen_rotate_memcg`).
//!
//! Modelled: the old and the young generation of cgroups of a node, the bins of each, and the moves of a
//! cgroup between them.
//! Left out: cgroups that end while the machine runs.
//! Visible difference: the bins come from a random stream of their own.
//! Invariants: each cgroup is in one bin of each node, in the old or in the young generation; the old one is
//! never empty between two moves.

use facts::index::{GroupIndex, IndexVec, NodeIndex};
use facts::state::State;

use crate::rng::Rng;
use crate::world::World;

/// Bins of a generation of cgroups (`MEMCG_NR_BINS`).
pub const BINS: u8 = 8;
/// Generations of cgroups: the old, the young, and one more while a walk may still be in it
/// (`MEMCG_NR_GENS`).
const GENERATIONS: u64 = 3;
/// The stream of random numbers from which the bins are drawn.
const STREAM: u64 = u64::from_be_bytes(*b"memcglru");

/// Where a cgroup moves (`MEMCG_LRU_TAIL`, `MEMCG_LRU_YOUNG`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// To the tail of a random bin of its generation.
    Tail,
    /// To the tail of a random bin of the young generation.
    Young,
}

/// The place of one cgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Place {
    /// The cgroup.
    pub group: GroupIndex,
    /// Its generation, modulo 3.
    pub generation: u8,
    /// Its bin.
    pub bin: u8,
    /// It was moved to the tail of its generation (`seg`).
    pub at_tail: bool,
}

/// The cgroups of one node (`pgdat->memcg_lru`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct NodeOrder {
    /// Number of the old generation.
    pub seq: u64,
    /// All cgroups; those of the same bin in the order of that bin.
    pub places: Vec<Place>,
}

/// The cgroups of all nodes, with the random numbers for their bins.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct MemcgLru {
    /// By node.
    pub nodes: IndexVec<NodeIndex, NodeOrder>,
    /// From which bins are drawn.
    pub rng: Rng,
}

impl NodeOrder {
    /// The old generation, modulo 3.
    pub fn old(&self) -> u8 {
        (self.seq % GENERATIONS) as u8
    }

    /// Where a cgroup is.
    pub fn place(&self, group: GroupIndex) -> Option<Place> {
        self.places.iter().copied().find(|at| at.group == group)
    }

    /// The first cgroup of a bin, or the one after another of the same bin.
    pub fn next(
        &self,
        (generation, bin): (u8, u8),
        before: Option<GroupIndex>,
    ) -> Option<GroupIndex> {
        let of_bin = |at: &&Place| (at.generation, at.bin) == (generation, bin);
        let mut groups = self.places.iter().filter(of_bin).map(|at| at.group);
        match before {
            None => groups.next(),
            Some(before) => groups.skip_while(|&group| group != before).nth(1),
        }
    }

    /// Moves a cgroup. If it was the last of the old generation, the young one becomes old.
    pub fn rotate(&mut self, group: GroupIndex, to: Rotation, bin: u8) {
        let Some(index) = self.places.iter().position(|at| at.group == group) else {
            return;
        };
        let old = self.old();
        let mut place = self.places.remove(index);
        if to == Rotation::Young {
            place.generation = ((self.seq + 1) % GENERATIONS) as u8;
        }
        (place.bin, place.at_tail) = (bin, to == Rotation::Tail);
        self.places.push(place);
        if self.places.iter().all(|at| at.generation != old) {
            self.seq += 1;
        }
    }
}

impl MemcgLru {
    /// Puts all cgroups into random bins of the old generation of every node (`lru_gen_online_memcg`).
    pub fn new(seed: u64, groups: usize, nodes: usize) -> Self {
        let mut rng = Rng::stream(seed, STREAM);
        let mut place = |group| Place {
            group: GroupIndex::new(group as u8),
            generation: 0,
            bin: rng.below(BINS.into()) as u8,
            at_tail: false,
        };
        let mut node = |_| NodeOrder {
            seq: 0,
            places: (0..groups).map(&mut place).collect(),
        };
        let nodes: Vec<NodeOrder> = (0..nodes).map(&mut node).collect();
        Self {
            nodes: nodes.into(),
            rng,
        }
    }

    /// A random bin.
    pub fn bin(&mut self) -> u8 {
        self.rng.below(BINS.into()) as u8
    }
}

/// Makes the order when the multi-generational LRU is first switched on.
pub(crate) fn make(w: &mut World) {
    let (groups, nodes) = (w.memcg.groups.len(), w.facts.layout.nodes.len());
    let seed = w.facts.seed;
    let order = &mut w.memcg.lru;
    order.get_or_insert_with(|| MemcgLru::new(seed, groups, nodes));
}

/// Moves a cgroup of a node (`lru_gen_rotate_memcg`).
pub(crate) fn rotate(w: &mut World, node: NodeIndex, group: GroupIndex, to: Rotation) {
    if let Some(lru) = &mut w.memcg.lru {
        let bin = lru.bin();
        lru.nodes[node].rotate(group, to, bin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [u8; 3] = [0, 1, 2];

    fn order() -> NodeOrder {
        let place = |group| Place {
            group: GroupIndex::new(group),
            generation: 0,
            bin: 5,
            at_tail: false,
        };
        NodeOrder {
            seq: 0,
            places: ALL.map(place).to_vec(),
        }
    }

    fn of_bin(order: &NodeOrder, at: (u8, u8)) -> Vec<u8> {
        let mut next = order.next(at, None);
        let mut found = Vec::new();
        while let Some(group) = next {
            found.push(group.get());
            next = order.next(at, Some(group));
        }
        found
    }

    #[test]
    fn a_cgroup_that_moves_to_the_tail_is_visited_last_and_marked() {
        let mut order = order();
        let first = GroupIndex::new(0);
        order.rotate(first, Rotation::Tail, 5);
        assert_eq!(of_bin(&order, (0, 5)), [1, 2, 0]);
        assert!(order.place(first).expect("placed").at_tail);
        order.rotate(first, Rotation::Tail, 6);
        assert_eq!(of_bin(&order, (0, 5)), [1, 2]);
        assert_eq!(of_bin(&order, (0, 6)), [0]);
    }

    #[test]
    fn the_young_generation_becomes_old_when_the_old_one_is_empty() {
        let mut order = order();
        for group in ALL {
            assert_eq!(order.seq, 0);
            order.rotate(GroupIndex::new(group), Rotation::Young, 2);
        }
        assert_eq!((order.seq, order.old()), (1, 1));
        assert_eq!(of_bin(&order, (1, 2)), [0, 1, 2]);
        for group in ALL {
            order.rotate(GroupIndex::new(group), Rotation::Young, 2);
        }
        assert_eq!((order.seq, order.old()), (2, 2));
        assert!(order.places.iter().all(|at| !at.at_tail));
    }

    #[test]
    fn a_machine_begins_with_all_cgroups_in_the_old_generation_of_each_node() {
        let lru = MemcgLru::new(1, 20, 2);
        for node in &lru.nodes {
            assert_eq!(node.places.len(), 20);
            assert!(node.places.iter().all(|at| at.generation == node.old()));
            assert!(node.places.iter().all(|at| at.bin < BINS));
        }
        let bins = lru.nodes.iter().flat_map(|node| &node.places);
        assert!(
            bins.map(|at| at.bin)
                .any(|bin| bin != lru.nodes[NodeIndex::new(0)].places[0].bin)
        );
    }
}
