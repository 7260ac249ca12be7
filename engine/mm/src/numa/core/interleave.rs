//! Where shared memory is placed, and whether a page moves after a hinting fault (kernel/sched/fair.c:
//! the node mask of `sched_update_ideal_cpu_shared`; mm/mempolicy.c: `mpol_misplaced`, `interleave_nid`;
//! 22 and 30 November 2012).
//!
//! Modelled: the nodes of a task and its buddies; to which of them an address belongs. Pages of
//! private tasks move after two faults from one node; pages of a task with unknown status never
//! move.
//! Left out: policies of a process or a region, which bind a page to its place: the caller checks
//! those.
//! Invariants: a page never moves to the node it is on.

use super::layout::{Layout, Mover};
use super::rules::{MaskRule, Rules};
use facts::index::{CpuIndex, NodeIndex};

/// Number of buddies that a node needs in order to hold their memory in v18.
const MANY: u32 = 3;

impl MaskRule {
    /// Does a node with this many buddies, including the task itself, hold their memory?
    const fn holds(self, buddies: u32) -> bool {
        match self {
            Self::AnyBuddy => buddies > 0,
            Self::ManyBuddies => buddies >= MANY,
        }
    }

    /// The nodes that hold memory, one bit each, given the number of buddies on each.
    pub fn mask(self, buddies: impl IntoIterator<Item = u32>) -> u64 {
        let nodes = (0..u64::BITS).zip(buddies);
        nodes.fold(0, |mask, (node, buddies)| {
            mask | u64::from(self.holds(buddies)) << node
        })
    }
}

/// The nodes over which a shared task's memory is interleaved.
pub(super) fn mask(layout: &Layout, mover: Mover, rules: &Rules) -> u64 {
    let buddies = NodeIndex::all(layout.nodes).map(|node| layout.buddies(node, mover));
    rules.mask.mask(buddies)
}

/// The node to which an address belongs; `None` if no node holds memory, which means the local
/// node. `offset` is the address in pages of 4 KiB, or of 2 MiB if huge pages may be used.
pub fn node_for(mask: u64, offset: u64) -> Option<NodeIndex> {
    let nodes = u64::from(mask.count_ones());
    let index = offset.checked_rem(nodes)?;
    let mut set = NodeIndex::all(u64::BITS as usize).filter(|&node| mask >> node.get() & 1 == 1);
    set.nth(index as usize)
}

/// A hinting fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// The CPU that last faulted on the page, and its node.
    pub last: (CpuIndex, NodeIndex),
    /// The CPU that faults now, and its node. The page records this CPU from now on.
    pub now: (CpuIndex, NodeIndex),
    /// Node of the page.
    pub page_node: NodeIndex,
    /// Offset of the page: see [`node_for`].
    pub offset: u64,
}

impl Touch {
    /// Did the same CPU fault last, so that the page counts as the task's own?
    pub const fn is_private(&self) -> bool {
        self.last.0.get() == self.now.0.get()
    }

    /// The node to which the page moves, if any. `shared` and `mask` are the task's.
    pub fn moves_to(&self, shared: Option<bool>, mask: u64) -> Option<NodeIndex> {
        let here = self.now.1;
        let to = match shared {
            None => return None,
            Some(true) => node_for(mask, self.offset).unwrap_or(here),
            Some(false) if self.last.1 == here => here,
            Some(false) => return None,
        };
        (to != self.page_node).then_some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number_of_node_for(mask: u64, offset: u64) -> Option<u8> {
        node_for(mask, offset).map(NodeIndex::get)
    }

    #[test]
    fn maps_an_address_to_a_node_of_the_interleave_mask() {
        assert_eq!(number_of_node_for(0b1111, 5), Some(1));
        assert_eq!(number_of_node_for(0b1010, 5), Some(3));
        assert_eq!(number_of_node_for(0b0100, 12345), Some(2));
        assert_eq!(number_of_node_for(0b1101, 7), Some(2));
        assert_eq!(number_of_node_for(0, 9), None);
    }

    #[test]
    fn v18_gives_no_memory_to_a_node_with_a_single_stray_task() {
        let table = [
            ([7, 0, 0, 1], 0b1001, 0b0001),
            ([7, 1, 0, 0], 0b0011, 0b0001),
            ([4, 4, 0, 0], 0b0011, 0b0011),
            ([3, 2, 3, 0], 0b0111, 0b0101),
            ([2, 2, 2, 2], 0b1111, 0),
            ([8, 8, 8, 8], 0b1111, 0b1111),
            ([1, 0, 0, 0], 0b0001, 0),
        ];
        for (buddies, v17, v18) in table {
            assert_eq!(MaskRule::AnyBuddy.mask(buddies), v17, "{buddies:?}");
            assert_eq!(MaskRule::ManyBuddies.mask(buddies), v18, "{buddies:?}");
        }
    }

    #[test]
    fn spreads_pages_evenly_over_the_mask() {
        let mut pages = [0; 4];
        for offset in 0..3 * 512 + 1 {
            pages[node_for(0b1101, offset).unwrap().index()] += 1;
        }
        assert_eq!(pages, [513, 0, 512, 512]);
    }

    /// A touch on a machine with 8 CPUs per node.
    fn touch(last: CpuIndex, now: CpuIndex, page_node: NodeIndex, offset: u64) -> Touch {
        let of = |cpu: CpuIndex| (cpu, NodeIndex::new((cpu.get() / 8) as u8));
        Touch {
            last: of(last),
            now: of(now),
            page_node,
            offset,
        }
    }

    #[test]
    fn a_private_page_moves_after_two_faults_from_one_node() {
        let private = Some(false);
        assert_eq!(
            touch(CpuIndex::new(9), CpuIndex::new(5), NodeIndex::new(1), 0).moves_to(private, 0),
            None
        );
        let w10 = touch(CpuIndex::new(5), CpuIndex::new(6), NodeIndex::new(1), 0);
        assert_eq!(
            (w10.moves_to(private, 0), w10.is_private()),
            (Some(NodeIndex::new(0)), false)
        );
        let w11 = touch(CpuIndex::new(5), CpuIndex::new(5), NodeIndex::new(1), 0);
        assert_eq!(
            (w11.moves_to(private, 0), w11.is_private()),
            (Some(NodeIndex::new(0)), true)
        );
    }

    #[test]
    fn a_shared_page_moves_to_the_node_of_its_address() {
        let shared = Some(true);
        assert_eq!(
            touch(CpuIndex::new(9), CpuIndex::new(5), NodeIndex::new(1), 3).moves_to(shared, 0b101),
            Some(NodeIndex::new(2))
        );
        assert_eq!(
            touch(CpuIndex::new(9), CpuIndex::new(5), NodeIndex::new(2), 3).moves_to(shared, 0b101),
            None
        );
        assert_eq!(
            touch(CpuIndex::new(9), CpuIndex::new(5), NodeIndex::new(1), 3).moves_to(shared, 0),
            Some(NodeIndex::new(0))
        );
    }

    #[test]
    fn a_page_does_not_move_while_its_task_is_neither_shared_nor_private() {
        assert_eq!(
            touch(CpuIndex::new(5), CpuIndex::new(5), NodeIndex::new(1), 0).moves_to(None, 0),
            None
        );
    }
}
