//! Which nodes v18 tries before it reclaims (mm/mempolicy.c: `alloc_pages_nice`, 30 November 2012).
//!
//! Modelled: the order. A node is tried without fallback to others, without reclaim and without waking kswapd.
//! Left out: whether an attempt succeeds, which the caller sees.
//! Invariants: the original allocation comes last.

/// One attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// On this node only.
    Only(u8),
    /// As without this rule, with fallbacks and reclaim.
    Plan,
}

/// The attempts for a page, in order; the first that succeeds gives it. `first_of_mask` is the first node the
/// policy allows, where it limits nodes; `pinned` says that the task may run on one CPU only; `has_room` says
/// whether a node stays above its high watermark.
pub fn attempts(
    preferred: u8,
    first_of_mask: Option<u8>,
    pinned: bool,
    nodes: u8,
    has_room: impl Fn(u8) -> bool,
) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    if has_room(preferred) {
        attempts.push(Attempt::Only(preferred));
    }
    if !pinned {
        attempts.extend(first_of_mask.map(Attempt::Only));
        let with_room = (0..nodes).filter(|&node| has_room(node));
        attempts.extend(with_room.map(Attempt::Only));
    }
    attempts.push(Attempt::Plan);
    attempts
}

#[cfg(test)]
mod tests {
    use super::Attempt::{Only, Plan};
    use super::attempts;

    #[test]
    fn o1_the_preferred_node_with_room_is_first() {
        assert_eq!(attempts(1, None, false, 4, |_| true)[0], Only(1));
    }

    #[test]
    fn o2_the_first_node_with_room_is_next() {
        assert_eq!(attempts(1, None, false, 4, |n| n != 1)[0], Only(0));
    }

    #[test]
    fn o3_the_first_node_of_the_policy_is_tried_without_a_test_of_room() {
        let tried = attempts(1, Some(1), false, 4, |n| n != 1);
        assert_eq!(tried, [Only(1), Only(0), Only(2), Only(3), Plan]);
    }

    #[test]
    fn o4_a_pinned_task_does_not_look_at_other_nodes() {
        assert_eq!(attempts(1, None, true, 4, |n| n != 1), [Plan]);
    }

    #[test]
    fn o5_without_room_anywhere_the_original_allocation_is_made() {
        assert_eq!(attempts(2, None, false, 4, |_| false), [Plan]);
    }
}
