//! Index types: the index of a node cannot be passed as the index of a zone.
//!
//! Modelled: nothing of the kernel, which uses an `int` for a node and a pointer for a zone.
//! Left out: arithmetic. An index is created where data enters the engine, or where all items of a kind are
//! visited.
//! Invariants: an index is hashed, printed and written exactly like the number it contains. A vector of type
//! [`IndexVec`] accepts only its own index type:
//!
//! ```
//! use facts::index::{IndexVec, NodeIndex};
//! let pages: IndexVec<NodeIndex, u32> = vec![10, 20].into();
//! assert_eq!(pages[NodeIndex::new(1)], 20);
//! ```
//!
//! ```compile_fail
//! use facts::index::{IndexVec, NodeIndex, ZoneIndex};
//! let pages: IndexVec<NodeIndex, u32> = vec![10, 20].into();
//! assert_eq!(pages[ZoneIndex::new(1)], 20);
//! ```
//!
//! ```compile_fail
//! use facts::index::{CpuIndex, TaskIndex};
//! fn may_run(task: TaskIndex, cpu: CpuIndex) -> bool {
//!     task.index() != cpu.index()
//! }
//! may_run(CpuIndex::new(1), TaskIndex::new(3));
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::state::{State, StateHasher, Walk};

/// A type that indexes an [`IndexVec`].
pub trait TypedIndex: Copy {
    /// The index of the element at a position; panics beyond the type's range.
    fn at(index: usize) -> Self;

    /// The position in a vector.
    fn index(self) -> usize;
}

/// For a vector that any number may index.
impl TypedIndex for usize {
    #[inline]
    fn at(index: usize) -> Self {
        index
    }
    #[inline]
    fn index(self) -> usize {
        self
    }
}

macro_rules! indices {
    ($($(#[doc = $doc:literal])+ $name:ident($number:ty);)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name($number);

        impl $name {
            /// The value for no index.
            pub const NONE: Self = Self(<$number>::MAX);

            /// The index with this number.
            #[inline]
            pub const fn new(number: $number) -> Self {
                Self(number)
            }

            /// The index as a number.
            #[inline]
            pub const fn get(self) -> $number {
                self.0
            }

            /// The position in a vector.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Whether it is [`Self::NONE`].
            #[inline]
            pub const fn is_none(self) -> bool {
                self.0 == <$number>::MAX
            }

            /// The next index.
            #[inline]
            pub const fn next(self) -> Self {
                Self(self.0 + 1)
            }

            /// The index `count` positions later.
            #[inline]
            pub const fn plus(self, count: $number) -> Self {
                Self(self.0 + count)
            }

            /// The indices from this one up to, but not including, `end`, in order.
            #[inline]
            pub fn until(
                self,
                end: Self,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (self.index()..end.index()).map(<Self as TypedIndex>::at)
            }

            /// The previous index, if there is one.
            #[inline]
            pub const fn previous(self) -> Option<Self> {
                match self.0.checked_sub(1) {
                    Some(number) => Some(Self(number)),
                    None => None,
                }
            }

            /// The index, unless it is [`Self::NONE`].
            #[inline]
            pub fn known(self) -> Option<Self> {
                (!self.is_none()).then_some(self)
            }

            /// The first `count` indices, in order.
            #[inline]
            pub fn all(
                count: usize,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..count).map(<Self as TypedIndex>::at)
            }
        }

        impl TypedIndex for $name {
            #[inline]
            fn at(index: usize) -> Self {
                debug_assert!(index <= <$number>::MAX as usize, "{index} is out of range");
                Self(index as $number)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        /// Printed like the number.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        /// Hashed and modified like the number.
        impl State for $name {
            fn flip(&mut self, walk: &mut Walk) {
                self.0.flip(walk);
            }
            #[inline]
            fn hash(&self, hasher: &mut StateHasher) {
                self.0.hash(hasher);
            }
            fn is_at_rest(&self) -> bool {
                self.0.is_at_rest()
            }
        }
    )+};
}

indices! {
    /// A node, numbered without gaps in the order of the layout. [`crate::layout::NodeLayout::id`] is the
    /// number that its machine prints.
    NodeIndex(u8);
    /// A zonelist. For each node there is its fallback list, then for each node a list of its own zones, then
    /// the lists of sets of nodes.
    ZonelistIndex(u8);
    /// A populated zone of the whole machine. Zones are numbered by node, then by type.
    ZoneIndex(u8);
    /// A list of page frames: one for each zone, order and migrate type; for each zone, CPU, order and type of
    /// the per-cpu lists; and for each LRU list of an owner.
    ListIndex(u32);
    /// A set of LRU lists, which a zone or a node owns.
    LruvecIndex(u8);
    /// A memory cgroup, numbered so that a parent comes before its children; 0 is the root.
    GroupIndex(u8);
    /// A slot of a list, which holds one page frame; the frame's record stores its slot.
    ListSlot(u32);
    /// A page frame. Frames are numbered without the gaps between ranges of memory;
    /// `mm::mmzone::Memory::pfn` has the kernel's page frame number.
    FrameIndex(u32);
    /// A task, in the order of creation.
    TaskIndex(u32);
    /// A CPU, by its number on the machine.
    CpuIndex(u16);
    /// A slot of the swap area, which holds one page. Slot 0 contains the area's header.
    SwapSlot(u32);
}

impl NodeIndex {
    /// The zonelist of the node, which begins with the node's own zones and continues with the zones of other
    /// nodes.
    #[inline]
    pub const fn zonelist(self) -> ZonelistIndex {
        ZonelistIndex(self.0)
    }
}

impl FrameIndex {
    /// The buddy of the block of `order` that this frame heads.
    #[inline]
    pub const fn buddy(self, order: u8) -> Self {
        Self(self.0 ^ 1 << order)
    }

    /// The first frame of the aligned block of `order` that contains this frame.
    #[inline]
    pub const fn head(self, order: u8) -> Self {
        Self(self.0 >> order << order)
    }

    /// The first frame at or after this one that heads an aligned block of `order`.
    #[inline]
    pub const fn next_head(self, order: u8) -> Self {
        Self(self.0.next_multiple_of(1 << order))
    }

    /// The frames of the block of `order` that this frame heads.
    #[inline]
    pub fn frames(
        self,
        order: u8,
    ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        self.until(self.plus(1 << order))
    }

    /// The largest order to which this frame is aligned; 32 for the first frame.
    #[inline]
    pub const fn alignment(self) -> u8 {
        self.0.trailing_zeros() as u8
    }

    /// The frame `count` positions earlier, or the first frame.
    #[inline]
    pub const fn minus(self, count: u32) -> Self {
        Self(self.0.saturating_sub(count))
    }

    /// The position of the aligned block of `order` that contains this frame.
    #[inline]
    pub const fn block(self, order: u8) -> usize {
        (self.0 >> order) as usize
    }

    /// The number of frames from an earlier frame to this one.
    #[inline]
    pub const fn since(self, earlier: Self) -> u32 {
        self.0 - earlier.0
    }
}

impl GroupIndex {
    /// The root cgroup, which is never charged.
    pub const ROOT: Self = Self(0);

    /// Whether it is the root cgroup.
    #[inline]
    pub const fn is_root(self) -> bool {
        self.0 == 0
    }
}

/// A vector with one element for each index of a type.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: TypedIndex, T> IndexVec<I, T> {
    /// All indices, in order.
    #[inline]
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::at)
    }

    /// The index that the next pushed element will have.
    #[inline]
    pub fn next_index(&self) -> I {
        I::at(self.items.len())
    }

    /// All elements with their indices, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.indices().zip(&self.items)
    }

    /// The element at an index, if there is one.
    #[inline]
    pub fn at(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    /// The element at an index, if there is one, mutably.
    #[inline]
    pub fn at_mut(&mut self, index: I) -> Option<&mut T> {
        self.items.get_mut(index.index())
    }

    /// All elements, mutably.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// The element at an index, mutably. If the vector is too short, `item` creates the missing elements.
    pub fn grow_to(&mut self, index: I, item: impl FnMut() -> T) -> &mut T {
        let position = index.index();
        if self.items.len() <= position {
            self.items.resize_with(position + 1, item);
        }
        &mut self.items[position]
    }

    /// Changes the length; new elements have this value.
    pub fn resize(&mut self, len: usize, value: T)
    where
        T: Clone,
    {
        self.items.resize(len, value);
    }

    /// Adds an element for the next index.
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self {
            items,
            index: PhantomData,
        }
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<I, T: Clone> Clone for IndexVec<I, T> {
    fn clone(&self) -> Self {
        self.items.clone().into()
    }
    fn clone_from(&mut self, from: &Self) {
        self.items.clone_from(&from.items);
    }
}

impl<I, T> Deref for IndexVec<I, T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<I, T> DerefMut for IndexVec<I, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I: TypedIndex, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: TypedIndex, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}

impl<'a, I, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IndexVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

/// Hashed and modified like the vector.
impl<I, T: State + Clone> State for IndexVec<I, T> {
    fn flip(&mut self, walk: &mut Walk) {
        self.items.flip(walk);
    }
    fn hash(&self, hasher: &mut StateHasher) {
        State::hash(&self.items, hasher);
    }
    fn is_at_rest(&self) -> bool {
        self.items.is_at_rest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::state_hash;

    #[test]
    fn an_index_has_the_same_hash_and_text_as_its_number() {
        let zone = ZoneIndex::new(3);
        assert_eq!(state_hash(&zone), state_hash(&3u8));
        assert_eq!(format!("{zone} {zone:?}"), "3 3");
        assert_eq!(size_of::<ZoneIndex>(), size_of::<u8>());
    }

    #[test]
    fn an_index_vector_has_the_hash_of_its_elements_and_names_indices_in_errors() {
        let plain = vec![5u32, 0, 7];
        let typed: IndexVec<ZoneIndex, u32> = plain.clone().into();
        assert_eq!(state_hash(&typed), state_hash(&plain));
        let entries: Vec<_> = typed.entries().map(|(zone, &n)| (zone.get(), n)).collect();
        assert_eq!(entries, [(0, 5), (1, 0), (2, 7)]);
        assert_eq!(typed.at(ZoneIndex::NONE), None);
    }
}
