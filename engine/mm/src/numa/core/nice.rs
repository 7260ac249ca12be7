//! The nodes that v18 tries before it reclaims (mm/mempolicy.c: `alloc_pages_nice`, 30 November
//! 2012).
//!
//! Modelled: the order. A node is tried without fallback to others, without reclaim and without waking
//! kswapd.
//! Left out: whether an attempt succeeds, which the caller determines.
//! Invariants: the original allocation comes last.

use facts::index::NodeIndex;

/// One attempt to allocate a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// An attempt on this node only.
    Only(NodeIndex),
    /// An attempt as without this rule: with fallbacks and reclaim.
    Plan,
}

/// The attempts for a page, in order; the first that succeeds provides the page. `first_of_mask` is
/// the first node the policy allows, if it limits nodes. `pinned` is true if the task may run on
/// only one CPU. `has_room` returns true if a node stays above its high watermark.
pub fn attempts(
    preferred: NodeIndex,
    first_of_mask: Option<NodeIndex>,
    pinned: bool,
    nodes: usize,
    has_room: impl Fn(NodeIndex) -> bool,
) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    if has_room(preferred) {
        attempts.push(Attempt::Only(preferred));
    }
    if !pinned {
        attempts.extend(first_of_mask.map(Attempt::Only));
        let with_room = NodeIndex::all(nodes).filter(|&node| has_room(node));
        attempts.extend(with_room.map(Attempt::Only));
    }
    attempts.push(Attempt::Plan);
    attempts
}

#[cfg(test)]
mod tests {
    use super::Attempt::{Only, Plan};
    use super::attempts;
    use facts::index::NodeIndex;

    #[test]
    fn allocates_on_the_preferred_node_if_it_has_room() {
        assert_eq!(
            attempts(NodeIndex::new(1), None, false, 4, |_| true)[0],
            Only(NodeIndex::new(1))
        );
    }

    #[test]
    fn allocates_on_the_first_node_with_room_if_the_preferred_one_is_full() {
        assert_eq!(
            attempts(NodeIndex::new(1), None, false, 4, |n| n
                != NodeIndex::new(1))[0],
            Only(NodeIndex::new(0))
        );
    }

    #[test]
    fn allocates_on_the_first_node_of_the_policy_even_without_room() {
        let tried = attempts(NodeIndex::new(1), Some(NodeIndex::new(1)), false, 4, |n| {
            n != NodeIndex::new(1)
        });
        assert_eq!(
            tried,
            [
                Only(NodeIndex::new(1)),
                Only(NodeIndex::new(0)),
                Only(NodeIndex::new(2)),
                Only(NodeIndex::new(3)),
                Plan
            ]
        );
    }

    #[test]
    fn a_pinned_task_tries_no_other_nodes() {
        assert_eq!(
            attempts(NodeIndex::new(1), None, true, 4, |n| n != NodeIndex::new(1)),
            [Plan]
        );
    }

    #[test]
    fn falls_back_to_the_original_allocation_if_no_node_has_room() {
        assert_eq!(
            attempts(NodeIndex::new(2), None, false, 4, |_| false),
            [Plan]
        );
    }
}
