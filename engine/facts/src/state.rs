//! What is state: walked over field by field.
//!
//! Modelled: a walk over all fields that changes the n-th value it meets, by which tests show that
//! every field of a machine counts in its hash. The walk is derived ([`macro@State`]), so that a
//! new field cannot be forgotten.
//! Left out: what says beside its field why it is no state.

use std::collections::VecDeque;
use std::sync::Arc;

pub use state_derive::{CloneFrom, State};

/// Counts down to the value to change, and remembers where it was and what was empty.
#[derive(Debug, Default)]
pub struct Walk {
    left: usize,
    path: Vec<&'static str>,
    /// Where the value was that was changed.
    pub changed: Option<String>,
    /// Places with nothing to change.
    pub empty: Vec<String>,
}

impl Walk {
    /// A walk that changes the value behind so many others.
    pub fn to(left: usize) -> Self {
        Self {
            left,
            ..Self::default()
        }
    }

    /// Is this the value to change?
    pub fn hit(&mut self) -> bool {
        let hit = self.left == 0 && self.changed.is_none();
        if hit {
            self.changed = Some(self.path.join("."));
        } else {
            self.left = self.left.saturating_sub(1);
        }
        hit
    }

    /// Walks one field.
    pub fn field<T: State + ?Sized>(&mut self, name: &'static str, value: &mut T) {
        self.path.push(name);
        value.flip(self);
        self.path.pop();
    }

    /// Walks a list, which may also become longer by one: `push` does that.
    pub fn list<L: ?Sized, T: State>(
        &mut self,
        list: &mut L,
        items: impl Fn(&mut L) -> &mut [T],
        push: impl Fn(&mut L),
    ) {
        if items(list).is_empty() {
            self.empty.push(self.path.join("."));
        } else if self.hit() {
            push(list);
        } else {
            items(list).flip(self);
        }
    }
}

/// What a machine is made of.
pub trait State {
    /// Changes the value the walk has come to.
    fn flip(&mut self, walk: &mut Walk);
}

macro_rules! numbers {
    ($($ty:ty)+) => {$(
        impl State for $ty {
            fn flip(&mut self, walk: &mut Walk) {
                if walk.hit() {
                    *self ^= 1 as $ty;
                }
            }
        }
    )+};
}
numbers! { u8 u16 u32 u64 i32 usize }

impl State for bool {
    fn flip(&mut self, walk: &mut Walk) {
        if walk.hit() {
            *self = !*self;
        }
    }
}

impl<T: State> State for Option<T> {
    fn flip(&mut self, walk: &mut Walk) {
        match self {
            None => walk.empty.push(walk.path.join(".")),
            Some(_) if walk.hit() => *self = None,
            Some(value) => value.flip(walk),
        }
    }
}

impl<T: State> State for [T] {
    /// The first, the middle and the last.
    fn flip(&mut self, walk: &mut Walk) {
        let n = self.len();
        let mut places = vec![0, n / 2, n.saturating_sub(1)];
        places.dedup();
        for i in places.into_iter().filter(|&i| i < n) {
            self[i].flip(walk);
        }
    }
}

impl<T: State, const N: usize> State for [T; N] {
    fn flip(&mut self, walk: &mut Walk) {
        self.as_mut_slice().flip(walk);
    }
}

impl<T: State + Clone> State for Vec<T> {
    fn flip(&mut self, walk: &mut Walk) {
        walk.list(self, Vec::as_mut_slice, |list| {
            list.extend(list.last().cloned());
        });
    }
}

impl<T: State + Clone> State for VecDeque<T> {
    fn flip(&mut self, walk: &mut Walk) {
        walk.list(self, VecDeque::make_contiguous, |list| {
            list.extend(list.back().cloned());
        });
    }
}

impl<A: State, B: State> State for (A, B) {
    fn flip(&mut self, walk: &mut Walk) {
        self.0.flip(walk);
        self.1.flip(walk);
    }
}

impl<T: State + Clone> State for Arc<T> {
    fn flip(&mut self, walk: &mut Walk) {
        Arc::make_mut(self).flip(walk);
    }
}
