//! A task's stack of frames.
//!
//! Modelled: the frames of the functions a task is in, outermost first.
//! Left out: nothing of the kernel's; the spare place above the top is the engine's own: a callee
//! is built where it will lie, instead of being handed from function to function (a third of the
//! cost of a call).
//! Invariants: there is always a spare place; what lies in it is nobody's state: it is neither
//! hashed, compared nor copied.

use facts::state::{State, StateHasher, Walk};
use std::ops::{Deref, DerefMut};

use crate::frames::Frame;

/// Frames, outermost first. Reads as a slice of them.
#[derive(Debug)]
pub struct Stack {
    /// Those in use, then at least one spare.
    frames: Vec<Frame>,
    depth: usize,
}

impl Stack {
    /// A stack of one frame.
    pub fn new(outermost: Frame) -> Self {
        Self {
            frames: vec![outermost; 8],
            depth: 1,
        }
    }

    /// The running frame, and the spare places above it, at least one. None when the task is gone.
    #[inline(always)]
    pub fn top(&mut self) -> Option<(&mut Frame, &mut [Frame])> {
        self.frames
            .get_mut(self.depth.wrapping_sub(1)..)?
            .split_first_mut()
    }

    /// The first `n` of the spare places have become frames: the last of them is running.
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

    /// The running frame returns.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.depth -= 1;
    }

    /// The task is gone.
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
    use facts::state::state_hash;

    use crate::vmscan::kswapd::Kswapd;

    fn frame(n: u8) -> Frame {
        Kswapd::call(n, 1)
    }

    #[test]
    fn a_callee_is_built_in_the_spare_place() {
        let mut s = Stack::new(frame(0));
        for n in 1..20 {
            let (top, above) = s.top().expect("it lives");
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
    fn what_lies_in_the_spare_place_is_nobodys_state() {
        let (mut a, b) = (Stack::new(frame(0)), Stack::new(frame(0)));
        a.top().expect("it lives").1[0] = frame(7);
        assert_eq!(a, b);
        assert_eq!(state_hash(&a), state_hash(&b));
    }

    #[test]
    fn a_cleared_stack_has_no_top() {
        let mut s = Stack::new(frame(0));
        s.clear();
        assert!(s.top().is_none() && s.is_empty());
    }
}
