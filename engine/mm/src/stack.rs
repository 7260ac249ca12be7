//! A task's stack of frames.
//!
//! Modelled: the frames of the functions that a task is executing, outermost first.
//! Left out: nothing of the kernel. The spare place above the top belongs to the engine: a callee
//! is built in its final place instead of being passed from function to function (a third of the
//! cost of a call).
//! Invariants: there is always a spare place. Its content is not state: it is not hashed, compared
//! or copied.

use facts::state::{State, StateHasher, Walk};
use std::ops::{Deref, DerefMut};

use crate::frames::Frame;

/// Frames of a task, outermost first. Can be read as a slice.
#[derive(Debug)]
pub struct Stack {
    /// The frames in use, then at least one spare place.
    frames: Vec<Frame>,
    depth: usize,
}

impl Stack {
    /// A stack with one frame.
    pub fn new(outermost: Frame) -> Self {
        Self {
            frames: vec![outermost; 8],
            depth: 1,
        }
    }

    /// The running frame, and the spare places above it, at least one. `None` if the task has
    /// exited.
    #[inline(always)]
    pub fn top(&mut self) -> Option<(&mut Frame, &mut [Frame])> {
        self.frames
            .get_mut(self.depth.wrapping_sub(1)..)?
            .split_first_mut()
    }

    /// Turns the first `n` spare places into frames; the last of them is running.
    #[inline(always)]
    pub fn push_spares(&mut self, n: usize) {
        self.depth += n;
        if self.depth == self.frames.len() {
            self.grow();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let room = self.frames[0].clone();
        self.frames.resize(2 * self.depth, room);
    }

    /// Removes the running frame, which returns.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.depth -= 1;
    }

    /// Removes all frames: the task has exited.
    pub fn clear(&mut self) {
        self.depth = 0;
    }
}

impl Deref for Stack {
    type Target = [Frame];
    fn deref(&self) -> &[Frame] {
        &self.frames[..self.depth]
    }
}

impl DerefMut for Stack {
    fn deref_mut(&mut self) -> &mut [Frame] {
        &mut self.frames[..self.depth]
    }
}

impl Clone for Stack {
    fn clone(&self) -> Self {
        Self {
            frames: self.frames.clone(),
            depth: self.depth,
        }
    }
    fn clone_from(&mut self, from: &Self) {
        self.frames.clone_from(&from.frames);
        self.depth = from.depth;
    }
}

impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
impl Eq for Stack {}

impl State for Stack {
    fn flip(&mut self, walk: &mut Walk) {
        walk.list(
            self,
            |stack| &mut **stack,
            |stack| {
                if let Some((top, above)) = stack.top() {
                    above[0] = top.clone();
                    stack.push_spares(1);
                }
            },
        );
    }
    fn hash(&self, hasher: &mut StateHasher) {
        (**self).hash(hasher);
    }
    fn is_at_rest(&self) -> bool {
        self.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::index::NodeIndex;
    use facts::state::state_hash;

    use crate::vmscan::kswapd::Kswapd;

    fn frame(n: u8) -> Frame {
        Kswapd::call(NodeIndex::new(n), 1)
    }

    #[test]
    fn builds_a_callee_in_the_spare_slot() {
        let mut s = Stack::new(frame(0));
        for n in 1..20 {
            let (top, above) = s.top().expect("a living task");
            assert_eq!(*top, frame(n - 1));
            above[0] = frame(n);
            s.push_spares(1);
        }
        assert_eq!(s.len(), 19 + 1);
        assert_eq!(s.last(), Some(&frame(19)));
        s.pop();
        assert_eq!(s.last(), Some(&frame(18)));
    }

    #[test]
    fn ignores_the_spare_slot_in_comparison_and_hash() {
        let (mut a, b) = (Stack::new(frame(0)), Stack::new(frame(0)));
        a.top().expect("a living task").1[0] = frame(7);
        assert_eq!(a, b);
        assert_eq!(state_hash(&a), state_hash(&b));
    }

    #[test]
    fn has_no_top_after_being_cleared() {
        let mut s = Stack::new(frame(0));
        s.clear();
        assert!(s.top().is_none() && s.is_empty());
    }
}
