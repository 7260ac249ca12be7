//! A list that only grows. Its copies share the parts that no longer change.
//!
//! Modelled: nothing of a kernel.
//! Left out: items beyond [`MOST`] are only counted; reports omit what they cannot report
//! completely.
//! Invariants: full chunks never change; two logs with the same items are equal and have the same
//! hash, whatever they share; a log hashes like a plain list of its items.

use std::sync::Arc;

use facts::state::{State, StateHasher, Walk};

/// Number of items in a chunk.
const CHUNK: usize = 256;
/// Maximum number of stored items, so that a program that only records cannot use up the memory:
/// the limit is about fifty megabytes of marks.
pub const MOST: usize = 1 << 20;

/// A list in chunks that copies share.
#[derive(Debug, PartialEq, Eq)]
pub struct Log<T> {
    full: Vec<Arc<[T]>>,
    /// The last items, fewer than [`CHUNK`].
    last: Vec<T>,
    lost: u64,
}

impl<T: Copy> Log<T> {
    /// Adds an item at the end.
    pub fn push(&mut self, item: T) {
        self.push_up_to(item, MOST);
    }

    fn push_up_to(&mut self, item: T, most: usize) {
        if self.len() >= most {
            self.lost += 1;
            return;
        }
        self.last.push(item);
        if self.last.len() == CHUNK {
            self.full.push(self.last.as_slice().into());
            self.last.clear();
        }
    }

    /// Number of stored items.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.last.len()
    }

    /// Is the list empty?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of items that came after the limit was reached.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// All stored items, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let full = self.full.iter().flat_map(|chunk| chunk.iter());
        full.chain(&self.last)
    }
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Log {
            full: Vec::new(),
            last: Vec::new(),
            lost: 0,
        }
    }
}

impl<T: Copy> Clone for Log<T> {
    fn clone(&self) -> Self {
        Log {
            full: self.full.clone(),
            last: self.last.clone(),
            lost: self.lost,
        }
    }
    fn clone_from(&mut self, from: &Self) {
        // Stepping back and forth changes only the end of the list, so shared chunks keep their
        // reference counts.
        let is_same = |(a, b): &(&Arc<[T]>, &Arc<[T]>)| Arc::ptr_eq(a, b);
        let same = self.full.iter().zip(&from.full).take_while(is_same).count();
        self.full.truncate(same);
        self.full.extend_from_slice(&from.full[same..]);
        self.last.clone_from(&from.last);
        self.lost = from.lost;
    }
}

impl<T: State + Copy> State for Log<T> {
    /// Visits only the last chunk: earlier chunks never change.
    fn flip(&mut self, walk: &mut Walk) {
        walk.field("last", &mut self.last);
        walk.field("lost", &mut self.lost);
    }
    fn hash(&self, hasher: &mut StateHasher) {
        // Hashes like a list. The number of lost items is added only if it is not 0.
        hasher.word(self.len() as u64);
        self.iter().for_each(|item| item.hash(hasher));
        if self.lost > 0 {
            self.lost.hash(hasher);
        }
    }
    fn is_at_rest(&self) -> bool {
        self.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::state::state_hash;

    fn log(items: impl IntoIterator<Item = u32>) -> Log<u32> {
        let mut log = Log::default();
        items.into_iter().for_each(|item| log.push(item));
        log
    }

    #[test]
    fn a_log_has_the_same_items_and_hash_as_a_vector() {
        for length in [0, 1, 255, 256, 257, 1000] {
            let (log, list) = (log(0..length), Vec::from_iter(0..length));
            assert!(log.iter().eq(&list));
            assert_eq!(log.len(), list.len());
            assert_eq!(state_hash(&log), state_hash(&list), "{length}");
        }
    }

    #[test]
    fn copies_share_full_chunks_and_change_independently() {
        let mut a = log(0..600);
        let mut b = a.clone();
        assert!(Arc::ptr_eq(&a.full[1], &b.full[1]));
        (600..1200).for_each(|n| a.push(n));
        (0..900).for_each(|n| b.push(7 * n));
        let (before, ours) = (b.clone(), a.clone());
        b.clone_from(&a);
        assert_eq!(b, ours);
        assert!(b.full.iter().zip(&a.full).all(|(b, a)| Arc::ptr_eq(b, a)));
        a.clone_from(&before);
        assert_eq!(a, before);
        a.clone_from(&log([]));
        assert!(a.is_empty());
    }

    #[test]
    fn counts_items_beyond_the_limit_as_lost() {
        let mut log = Log::default();
        (0..5).for_each(|n| log.push_up_to(n, 3));
        assert!(log.iter().eq(&[0, 1, 2]));
        assert_eq!(log.lost(), 2);
        assert_ne!(state_hash(&log), state_hash(&vec![0, 1, 2]));
    }
}
