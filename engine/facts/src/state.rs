//! The state of a machine: its hash, and a walk over its fields.
//!
//! Modelled: the state hash, one 64-bit number over all of a machine: a multiply-and-rotate hash over
//! words, the same on every platform. Links carry it, so it must not change in later versions. It
//! therefore hashes what a machine *uses*, by name:
//! - a field is (the number of its name, its value), but only if it is not at rest (zero, false, none,
//!   empty, or the value its type names);
//! - an enum is the number of its variant's name;
//! - a number is one word, however wide its type;
//! - an array element is (its index, its value), but only if it is not at rest.
//!
//! A mechanism that is off, an unused field, a longer array, a wider number or another order of variants
//! does not change the hash of a machine that does the same. A renamed field or variant keeps its old
//! name in the hash (`#[state(name = "old")]`). Fields that move into a struct of their own keep their
//! place (`#[state(flat)]`). Array elements and bits of a packed word are never reused; new ones are
//! appended.
//! Also modelled: a walk over all fields that changes the n-th value. Tests use it to show that every
//! field of a machine counts in its hash. Both are derived ([`macro@State`]), so no field can be
//! forgotten. A field that is not state says why beside it.
//! Left out: resistance against an adversary; the hash guards only against chance collisions.
//! Invariants: `usize` counts as `u64`, so 32-bit WebAssembly and 64-bit native agree.

use std::collections::VecDeque;

pub use state_derive::{CloneFrom, State};

/// Counts down to the value to change. Records where the value was, and which positions were empty.
#[derive(Debug, Default)]
pub struct Walk {
    left: usize,
    path: Vec<&'static str>,
    /// Where the changed value was.
    pub changed: Option<String>,
    /// Positions with no value to change.
    pub empty: Vec<String>,
}

impl Walk {
    /// A walk that changes the value after this many others.
    pub fn to(left: usize) -> Self {
        Self {
            left,
            ..Self::default()
        }
    }

    /// Whether this is the value to change.
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

    /// Walks a list. With `push`, the walk may also add one element to the list.
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

/// The hasher of machine states.
#[derive(Debug, Clone, Default)]
pub struct StateHasher {
    state: u64,
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
/// Marks the end of a value's fields and of an array's elements. No name has this number.
const END: u64 = u64::MAX;

impl StateHasher {
    /// Adds a word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.state = (self.state ^ word).wrapping_mul(MULTIPLIER).rotate_left(29);
    }

    /// No further field follows.
    pub fn end(&mut self) {
        self.word(END);
    }

    /// The hash of all words so far.
    pub fn finish(&self) -> u64 {
        let mut x = self.state;
        x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^ (x >> 32)
    }
}

/// The 64-bit hash of any state.
pub fn state_hash<T: State + ?Sized>(state: &T) -> u64 {
    let mut hasher = StateHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}

/// A part of a machine's state.
pub trait State {
    /// Changes the value that the walk has reached.
    fn flip(&mut self, walk: &mut Walk);

    /// Adds the value to the hash.
    fn hash(&self, hasher: &mut StateHasher);

    /// Whether the value is at rest; if it is, its owner leaves it out of the hash.
    fn is_at_rest(&self) -> bool;
}

macro_rules! numbers {
    ($($ty:ty)+) => {$(
        impl State for $ty {
            fn flip(&mut self, walk: &mut Walk) {
                if walk.hit() {
                    *self ^= 1 as $ty;
                }
            }
            #[inline]
            fn hash(&self, hasher: &mut StateHasher) {
                // A negative number is sign-extended.
                hasher.word(*self as i64 as u64);
            }
            fn is_at_rest(&self) -> bool {
                *self == 0
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
    fn hash(&self, hasher: &mut StateHasher) {
        hasher.word((*self).into());
    }
    fn is_at_rest(&self) -> bool {
        !self
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
    fn hash(&self, hasher: &mut StateHasher) {
        hasher.word(self.is_some().into());
        if let Some(value) = self {
            value.hash(hasher);
        }
    }
    fn is_at_rest(&self) -> bool {
        self.is_none()
    }
}

/// Hashes the elements that are not at rest, by their index.
pub fn hash_sparse<T: State>(items: &[T], hasher: &mut StateHasher) {
    for (i, item) in items.iter().enumerate() {
        if !item.is_at_rest() {
            hasher.word(i as u64);
            item.hash(hasher);
        }
    }
    hasher.end();
}

/// Whether all elements are at rest.
pub fn is_sparse_at_rest<T: State>(items: &[T]) -> bool {
    items.iter().all(State::is_at_rest)
}

/// A list: its length, and each element.
impl<T: State> State for [T] {
    /// Walks the first, the middle and the last element.
    fn flip(&mut self, walk: &mut Walk) {
        let n = self.len();
        let mut places = vec![0, n / 2, n.saturating_sub(1)];
        places.dedup();
        for i in places.into_iter().filter(|&i| i < n) {
            self[i].flip(walk);
        }
    }
    fn hash(&self, hasher: &mut StateHasher) {
        hasher.word(self.len() as u64);
        for item in self {
            item.hash(hasher);
        }
    }
    fn is_at_rest(&self) -> bool {
        self.is_empty()
    }
}

/// An array: each element has a fixed index.
impl<T: State, const N: usize> State for [T; N] {
    fn flip(&mut self, walk: &mut Walk) {
        self.as_mut_slice().flip(walk);
    }
    fn hash(&self, hasher: &mut StateHasher) {
        hash_sparse(self, hasher);
    }
    fn is_at_rest(&self) -> bool {
        is_sparse_at_rest(self)
    }
}

impl<T: State + Clone> State for Vec<T> {
    fn flip(&mut self, walk: &mut Walk) {
        walk.list(self, Vec::as_mut_slice, |list| {
            list.extend(list.last().cloned());
        });
    }
    fn hash(&self, hasher: &mut StateHasher) {
        self.as_slice().hash(hasher);
    }
    fn is_at_rest(&self) -> bool {
        self.is_empty()
    }
}

impl<T: State + Clone> State for VecDeque<T> {
    fn flip(&mut self, walk: &mut Walk) {
        walk.list(self, VecDeque::make_contiguous, |list| {
            list.extend(list.back().cloned());
        });
    }
    fn hash(&self, hasher: &mut StateHasher) {
        hasher.word(self.len() as u64);
        for item in self {
            item.hash(hasher);
        }
    }
    fn is_at_rest(&self) -> bool {
        self.is_empty()
    }
}

impl<A: State, B: State> State for (A, B) {
    fn flip(&mut self, walk: &mut Walk) {
        self.0.flip(walk);
        self.1.flip(walk);
    }
    fn hash(&self, hasher: &mut StateHasher) {
        self.0.hash(hasher);
        self.1.hash(hasher);
    }
    fn is_at_rest(&self) -> bool {
        self.0.is_at_rest() && self.1.is_at_rest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state of an engine today, and of a possible later version.
    mod now {
        use super::State;
        #[derive(State)]
        pub enum Pt {
            Start,
            Scan,
        }
        #[derive(State)]
        pub enum Sleep {
            #[state(rest)]
            No,
            Until(u64),
        }
        #[derive(State)]
        pub struct Zone {
            pub nid: u8,
            pub pt: Pt,
            pub sleep: Sleep,
            pub nr_free: u16,
            pub gauge: [u32; 3],
            pub list: Vec<u8>,
        }
    }
    mod later {
        use super::State;
        #[derive(State)]
        pub enum Pt {
            Compact,
            Scan,
            #[state(name = "Start")]
            Begin,
        }
        #[derive(State)]
        pub enum Sleep {
            Wait,
            Until(u64),
            #[state(rest)]
            No,
        }
        #[derive(State)]
        #[state(flat)]
        pub struct Counts {
            pub nr_free: u64,
            pub gauge: [u64; 5],
        }
        #[derive(State)]
        pub struct Zone {
            #[state(rest = u32::MAX)]
            pub compact_cached_pfn: u32,
            #[state(skip = "a note beside the machine")]
            pub note: u32,
            #[state(name = "nid")]
            pub node: u32,
            pub pt: Pt,
            pub sleep: Sleep,
            #[state(flat)]
            pub counts: Counts,
            pub list: Vec<u32>,
            pub shrinkers: Vec<u64>,
            pub is_compacting: bool,
            pub limit: Option<u64>,
            #[state(sparse)]
            pub ages: Vec<u32>,
        }
    }

    fn now() -> now::Zone {
        now::Zone {
            nid: 1,
            pt: now::Pt::Start,
            sleep: now::Sleep::Until(7),
            nr_free: 300,
            gauge: [0, 5, 0],
            list: vec![0, 3],
        }
    }

    fn later() -> later::Zone {
        later::Zone {
            compact_cached_pfn: u32::MAX,
            note: 9,
            node: 1,
            pt: later::Pt::Begin,
            sleep: later::Sleep::Until(7),
            counts: later::Counts {
                nr_free: 300,
                gauge: [0, 5, 0, 0, 0],
            },
            list: vec![0, 3],
            shrinkers: Vec::new(),
            is_compacting: false,
            limit: None,
            ages: vec![0; 4],
        }
    }

    #[test]
    fn unused_state_does_not_change_the_hash() {
        assert_eq!(state_hash(&now()), state_hash(&later()));
        let noted = later::Zone {
            note: later().note + 1,
            ..later()
        };
        assert_eq!(state_hash(&noted), state_hash(&later()));
        let asleep = (now::Pt::Scan, now::Sleep::No);
        let then = (later::Pt::Scan, later::Sleep::No);
        assert_eq!(state_hash(&asleep), state_hash(&then));
    }

    #[test]
    fn used_state_changes_the_hash() {
        let mut seen = vec![state_hash(&later())];
        for left in 0.. {
            let (mut zone, mut walk) = (later(), Walk::to(left));
            zone.flip(&mut walk);
            if walk.changed.is_none() {
                break;
            }
            seen.push(state_hash(&zone));
        }
        seen.push(state_hash(&later::Zone {
            pt: later::Pt::Scan,
            ..later()
        }));
        seen.push(state_hash(&later::Zone {
            sleep: later::Sleep::No,
            ..later()
        }));
        seen.push(state_hash(&later::Zone {
            shrinkers: vec![0],
            limit: Some(0),
            ..later()
        }));
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all, "two of them have one hash");
        assert!(all > 18, "only {all}");
    }

    #[test]
    fn hashes_in_published_links_remain_valid() {
        assert_eq!(format!("{:016x}", state_hash(&now())), "b91b346dac6fef3c");
        assert_eq!(
            format!("{:016x}", state_hash(&vec![1u32, 2, 3])),
            "7a81543544fe1247"
        );
        assert_eq!(state_hash(&-1i32), state_hash(&u64::MAX));
        assert_ne!(state_hash(&(1u32, 2u32)), state_hash(&(2u32, 1u32)));
        assert_ne!(state_hash(&vec![1u8]), state_hash(&vec![1u8, 0]));
    }
}
