//! Long vectors that record which of their chunks were written, so that restoring a checkpoint
//! copies only those.
//!
//! Modelled: nothing of the kernel. A step back on a big machine copies the near anchor into the
//! live machine. Nearly all of it is equal: a few thousand steps have written a few thousand pages
//! of millions. Each vector therefore records the chunks written since it had the same contents as
//! another, their common base. `clone_from` between two vectors with one base copies the chunks
//! that either has written since. Left out: sharing the chunks themselves, which would cost a
//! pointer access on every read. Invariants: a vector equals its base in every chunk not recorded;
//! `clone_from` gives the same result as a plain copy. The recorded chunks are not state: they do
//! not count in equality or in the hash.

use facts::index::TypedIndex;
use facts::state::{State, StateHasher, Walk};
use std::marker::PhantomData;
use std::ops::{Deref, Index, IndexMut};
use std::sync::Arc;

/// Binary logarithm of the elements per chunk: a chunk is a kilobyte of page records.
const SHIFT: u32 = 6;
const CHUNK: usize = 1 << SHIFT;

/// A vector that records which of its chunks were written. It accepts only indices of type `I`.
#[derive(Debug)]
pub struct Touched<T, I = usize> {
    items: Vec<T>,
    index: PhantomData<fn(I)>,
    /// One byte for each chunk: 1 if the chunk was written since the base.
    notes: Vec<u8>,
    /// Identifies the base: vectors with the same pointer had the same contents when no chunk was
    /// recorded as written.
    base: Arc<()>,
}

impl<T, I> Touched<T, I> {
    /// Records the chunks of `from..to` as written.
    fn note(&mut self, from: usize, to: usize) {
        self.notes.resize(self.items.len().div_ceil(CHUNK), 1);
        if from < to {
            self.notes[from >> SHIFT..=(to - 1) >> SHIFT].fill(1);
        }
    }
}

impl<T: Copy, I> Touched<T, I> {
    /// Makes the current contents the base that later copies share.
    pub fn rebase(&mut self) {
        self.base = Arc::new(());
        self.notes.fill(0);
    }

    /// True if nothing was written since the base.
    pub fn is_base(&self) -> bool {
        self.notes.iter().all(|&note| note == 0)
    }

    /// True if both have the same base, so that copying is quick.
    fn shares(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.base, &other.base)
    }

    /// Adds elements at the end until there are `len`.
    pub fn grow(&mut self, len: usize, value: T) {
        let old = self.items.len();
        self.items.resize(len.max(old), value);
        self.note(old, len.max(old));
    }

    /// Adds one element at the end.
    pub fn push(&mut self, value: T) {
        self.grow(self.items.len() + 1, value);
    }

    /// Copies the chunks that either vector has written since the common base.
    fn copy_written(&mut self, from: &Self) {
        let common = self.items.len().min(from.items.len());
        for c in 0..common.div_ceil(CHUNK) {
            if self.notes[c] | from.notes[c] != 0 {
                let (first, end) = (c << SHIFT, ((c + 1) << SHIFT).min(common));
                self.items[first..end].copy_from_slice(&from.items[first..end]);
            }
        }
        self.items.truncate(common);
        self.items.extend_from_slice(&from.items[common..]);
    }
}

impl<T, I> Default for Touched<T, I> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T, I> From<Vec<T>> for Touched<T, I> {
    fn from(items: Vec<T>) -> Self {
        let notes = vec![1; items.len().div_ceil(CHUNK)];
        Touched {
            items,
            index: PhantomData,
            notes,
            base: Arc::new(()),
        }
    }
}

impl<T: Copy, I> Clone for Touched<T, I> {
    fn clone(&self) -> Self {
        Touched {
            items: self.items.clone(),
            index: PhantomData,
            notes: self.notes.clone(),
            base: Arc::clone(&self.base),
        }
    }
    fn clone_from(&mut self, from: &Self) {
        if self.shares(from) {
            self.copy_written(from);
        } else {
            self.items.clone_from(&from.items);
            self.base = Arc::clone(&from.base);
        }
        self.notes.clone_from(&from.notes);
    }
}

impl<T, I> Deref for Touched<T, I> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T, I: TypedIndex> Touched<T, I> {
    /// The element at an index, if there is one.
    #[inline]
    pub fn at(&self, i: I) -> Option<&T> {
        self.items.get(i.index())
    }

    /// The elements from one index up to, but not including, another.
    #[inline]
    pub fn slice(&self, from: I, to: I) -> &[T] {
        &self.items[from.index()..to.index()]
    }

    /// Elements to write; all their chunks are recorded as written.
    pub fn slice_mut(&mut self, from: I, to: I) -> &mut [T] {
        let (from, to) = (from.index(), to.index());
        self.note(from, to);
        &mut self.items[from..to]
    }

    /// The index that the next added element will have.
    pub fn next_index(&self) -> I {
        I::at(self.items.len())
    }

    /// All indices, in order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<T, I> {
        (0..self.items.len()).map(I::at)
    }

    /// All elements with their indices, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.indices().zip(&self.items)
    }
}

impl<T, I: TypedIndex> Index<I> for Touched<T, I> {
    type Output = T;
    #[inline]
    fn index(&self, i: I) -> &T {
        &self.items[i.index()]
    }
}

impl<'a, T, I> IntoIterator for &'a Touched<T, I> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<T, I: TypedIndex> IndexMut<I> for Touched<T, I> {
    #[inline]
    fn index_mut(&mut self, i: I) -> &mut T {
        let i = i.index();
        self.notes[i >> SHIFT] = 1;
        &mut self.items[i]
    }
}

impl<T: PartialEq, I> PartialEq for Touched<T, I> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<T: Eq, I> Eq for Touched<T, I> {}

impl<T: State + Copy, I> State for Touched<T, I> {
    fn flip(&mut self, walk: &mut Walk) {
        walk.list(
            self,
            |list| {
                list.note(0, list.len());
                &mut list.items[..]
            },
            |list| list.push(list.items[list.len() - 1]),
        );
    }
    fn hash(&self, hasher: &mut StateHasher) {
        self.items.as_slice().hash(hasher);
    }
    fn is_at_rest(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Three copies are written, grown, copied and rebased at random. They must always equal plain
    /// vectors that are treated the same way.
    #[test]
    fn copying_only_written_chunks_equals_a_full_copy() {
        for seed in 0..200 {
            let mut rng = Rng::stream(seed, 0);
            let mut ours: Vec<Touched<u32>> = vec![vec![7; 300].into(); 3];
            let mut plain = vec![vec![7; 300]; 3];
            for n in 0..300 {
                let (a, b) = (rng.below(3) as usize, rng.below(3) as usize);
                match rng.below(8) {
                    0 if a != b => {
                        let (mut to, from) = (std::mem::take(&mut ours[a]), &ours[b]);
                        to.clone_from(from);
                        ours[a] = to;
                        plain[a] = plain[b].clone();
                    }
                    1 => ours[a].rebase(),
                    2 => {
                        let len = plain[a].len() + rng.below(90) as usize;
                        ours[a].grow(len, n);
                        plain[a].resize(len, n);
                    }
                    3 => {
                        let from = rng.below(plain[a].len() as u32) as usize;
                        let to = (from + rng.below(70) as usize).min(plain[a].len());
                        ours[a].slice_mut(from, to).fill(n);
                        plain[a][from..to].fill(n);
                    }
                    4 => {
                        ours[a].push(n);
                        plain[a].push(n);
                    }
                    _ => {
                        let i = rng.below(plain[a].len() as u32) as usize;
                        ours[a][i] = n;
                        plain[a][i] = n;
                    }
                }
                for (ours, plain) in ours.iter().zip(&plain) {
                    assert_eq!(ours.items, *plain, "seed {seed}, round {n}");
                }
            }
        }
    }

    #[test]
    fn does_not_copy_chunks_that_were_not_written() {
        let mut base: Touched<u32> = vec![1; 1000].into();
        base.rebase();
        let mut live = base.clone();
        live[70] = 2;
        live[999] = 3;
        assert_eq!(live.notes.iter().filter(|&&note| note == 1).count(), 2);
        live.clone_from(&base);
        assert_eq!(live, base);
        assert!(live.notes.iter().all(|&note| note == 0));
    }
}
