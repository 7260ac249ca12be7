//! Lists of page frames: unrolled lists of chunks of slots, a cache-friendly form of the kernel's
//! list_head.
//!
//! Modelled: doubly ended lists with removal from the middle, in exactly the kernel's order
//! (`list_add` = head, `list_add_tail` = tail). Left out: pointers. A list is a chain of chunks of
//! slots. A slot holds a frame, and the page record holds its slot. Removal from the middle is
//! therefore one store, and the next 32 frames are known before the first is touched. Invariants:
//! `len` equals the live slots; a page's slot refers back to the page; an empty chunk is on the
//! free chain; sparse neighbours are merged, so that the number of slots stays within a small
//! multiple of the frames listed.

use crate::mmzone::Page;
use crate::touched::Touched;
use facts::index::{FrameIndex, IndexVec, ListIndex, ListSlot, TypedIndex};
use facts::state::{CloneFrom, State, StateHasher};

/// Binary logarithm of the slots per chunk of a big machine: 512 slots (2 KiB), so that walks meet
/// fewer chunk headers. Teaching machines have 64, so that their many short lists do not make a
/// checkpoint big.
const BIG_SHIFT: u8 = 9;
const SMALL_SHIFT: u8 = 6;
/// Number of frames from which a machine counts as big here.
const BIG_FRAMES: usize = 1 << 16;
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct Chunk {
    /// Used slots are `lo..hi`; `lo` is on the tail side, `hi` on the head side.
    lo: u16,
    hi: u16,
    live: u16,
    #[state(skip = "it follows from the ends of the lists")]
    list: ListIndex,
    /// Neighbour towards the head.
    up: u32,
    /// Neighbour towards the tail; on the free chain, the next free chunk.
    down: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct Ends {
    #[state(rest = NONE)]
    head: u32,
    #[state(rest = NONE)]
    tail: u32,
    len: u32,
}

/// All lists of a machine, in one arena.
#[derive(Debug, PartialEq, Eq, State, CloneFrom)]
pub struct Lists {
    chunks: Vec<Chunk>,
    slots: Touched<FrameIndex, ListSlot>,
    #[state(
        sparse,
        elsewhere = "in the hash of `Memory`, which knows the purpose of each list"
    )]
    ends: IndexVec<ListIndex, Ends>,
    spare: u32,
    /// Binary logarithm of the slots per chunk.
    shift: u8,
}

impl Lists {
    /// Hashes the ends of every list that is not empty, each under its own name.
    pub(crate) fn hash_ends(&self, hasher: &mut StateHasher, name: impl Fn(ListIndex) -> u64) {
        for (list, ends) in self.ends.entries() {
            if !ends.is_at_rest() {
                hasher.word(name(list));
                ends.hash(hasher);
            }
        }
        hasher.end();
    }

    /// `count` empty lists for a machine of `frames` page frames.
    pub fn new(count: usize, frames: usize) -> Self {
        let shift = if frames >= BIG_FRAMES {
            BIG_SHIFT
        } else {
            SMALL_SHIFT
        };
        Self {
            chunks: Vec::new(),
            slots: Touched::default(),
            ends: vec![
                Ends {
                    head: NONE,
                    tail: NONE,
                    len: 0
                };
                count
            ]
            .into(),
            spare: NONE,
            shift,
        }
    }

    /// Number of slots per chunk.
    #[inline]
    fn size(&self) -> u32 {
        1 << self.shift
    }

    /// The slot at a position in a chunk.
    #[inline]
    fn slot(&self, chunk: u32, place: u16) -> ListSlot {
        ListSlot::new((chunk << self.shift) + u32::from(place))
    }

    /// Number of frames on the list.
    #[inline]
    pub fn len(&self, list: ListIndex) -> u32 {
        self.ends[list].len
    }

    /// True if the list is empty.
    #[inline]
    pub fn is_empty(&self, list: ListIndex) -> bool {
        self.len(list) == 0
    }

    /// Number of lists.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Makes the current state the base for tracking writes; see [`Touched::rebase`].
    pub fn rebase(&mut self) {
        self.slots.rebase();
    }

    /// Memory in use in bytes, for the budget.
    pub fn bytes(&self) -> usize {
        self.slots.len() * 4
            + self.chunks.len() * size_of::<Chunk>()
            + self.ends.len() * size_of::<Ends>()
    }

    /// Inserts an empty chunk, to be filled from `at`, between `up` and `down`; one of them is
    /// [`NONE`].
    #[inline(always)]
    fn take_chunk(&mut self, list: ListIndex, at: u16, up: u32, down: u32) -> u32 {
        let fresh = Chunk {
            lo: at,
            hi: at,
            live: 0,
            list,
            up,
            down,
        };
        if self.spare != NONE {
            let c = self.spare;
            let chunk = &mut self.chunks[c as usize];
            self.spare = chunk.down;
            *chunk = fresh;
            return c;
        }
        self.chunks.push(fresh);
        self.slots
            .grow(self.slots.len() + self.size() as usize, FrameIndex::NONE);
        self.chunks.len() as u32 - 1
    }

    #[inline(always)]
    fn unlink_chunk(&mut self, c: u32) {
        let Chunk { list, up, down, .. } = self.chunks[c as usize];
        let ends = &mut self.ends[list];
        if up == NONE {
            ends.head = down
        } else {
            self.chunks[up as usize].down = down
        }
        if down == NONE {
            ends.tail = up
        } else {
            self.chunks[down as usize].up = up
        }
        // A chunk on the free chain is reset, so that its past does not affect the hash.
        self.chunks[c as usize] = Chunk {
            lo: 0,
            hi: 0,
            live: 0,
            list: ListIndex::NONE,
            up: NONE,
            down: self.spare,
        };
        self.spare = c;
    }

    /// Adds a frame with the record `page` at the head (`list_add`).
    #[inline(always)]
    pub fn push_head(&mut self, page: &mut Page, list: ListIndex, frame: FrameIndex) {
        let head = self.ends[list].head;
        let c = if head != NONE && u32::from(self.chunks[head as usize].hi) < self.size() {
            head
        } else {
            self.new_head(list)
        };
        let slot = self.slot(c, self.chunks[c as usize].hi);
        let chunk = &mut self.chunks[c as usize];
        chunk.hi += 1;
        chunk.live += 1;
        self.slots[slot] = frame;
        page.slot = slot;
        self.ends[list].len += 1;
    }

    #[cold]
    fn new_head(&mut self, list: ListIndex) -> u32 {
        let head = self.ends[list].head;
        let c = self.take_chunk(list, 0, NONE, head);
        let ends = &mut self.ends[list];
        ends.head = c;
        if head == NONE {
            ends.tail = c;
        } else {
            self.chunks[head as usize].up = c;
        }
        c
    }

    /// Adds a frame with the record `page` at the tail (`list_add_tail`).
    #[inline]
    pub fn push_tail(&mut self, page: &mut Page, list: ListIndex, frame: FrameIndex) {
        let tail = self.ends[list].tail;
        let c = if tail != NONE && self.chunks[tail as usize].lo > 0 {
            tail
        } else {
            self.new_tail(list)
        };
        let chunk = &mut self.chunks[c as usize];
        chunk.lo -= 1;
        chunk.live += 1;
        let slot = ListSlot::new((c << self.shift) + u32::from(chunk.lo));
        self.slots[slot] = frame;
        page.slot = slot;
        self.ends[list].len += 1;
    }

    #[cold]
    fn new_tail(&mut self, list: ListIndex) -> u32 {
        let tail = self.ends[list].tail;
        let c = self.take_chunk(list, self.size() as u16, tail, NONE);
        let ends = &mut self.ends[list];
        ends.tail = c;
        if tail == NONE {
            ends.head = c;
        } else {
            self.chunks[tail as usize].down = c;
        }
        c
    }

    /// The frame at the head, if any.
    #[inline]
    pub fn head(&self, list: ListIndex) -> Option<FrameIndex> {
        let c = self.ends[list].head;
        if c == NONE {
            return None;
        }
        let hi = self.chunks[c as usize].hi;
        Some(self.slots[self.slot(c, hi - 1)])
    }

    /// The frame at the tail, if any.
    #[inline]
    pub fn tail(&self, list: ListIndex) -> Option<FrameIndex> {
        let c = self.ends[list].tail;
        if c == NONE {
            return None;
        }
        Some(self.slots[self.slot(c, self.chunks[c as usize].lo)])
    }

    /// Removes and returns the frame at the head.
    #[inline]
    pub fn pop_head(
        &mut self,
        pages: &mut Touched<Page, FrameIndex>,
        list: ListIndex,
    ) -> Option<FrameIndex> {
        let frame = self.head(list)?;
        let c = self.ends[list].head;
        pages[frame].slot = ListSlot::NONE;
        self.vacate(pages, self.slot(c, self.chunks[c as usize].hi - 1));
        Some(frame)
    }

    /// Removes and returns the frame at the tail.
    #[inline]
    pub fn pop_tail(
        &mut self,
        pages: &mut Touched<Page, FrameIndex>,
        list: ListIndex,
    ) -> Option<FrameIndex> {
        let frame = self.tail(list)?;
        let c = self.ends[list].tail;
        pages[frame].slot = ListSlot::NONE;
        self.vacate(pages, self.slot(c, self.chunks[c as usize].lo));
        Some(frame)
    }

    /// Makes a list count one frame more than it has: a bug that tests plant.
    #[doc(hidden)]
    pub fn miscount(&mut self, list: ListIndex) {
        self.ends[list].len += 1;
    }

    /// The frame a slot holds, if it is a live slot.
    pub fn frame_at(&self, slot: ListSlot) -> Option<FrameIndex> {
        self.slots.at(slot).and_then(|frame| frame.known())
    }

    /// The list a listed frame is on.
    pub fn list_of(&self, pages: &Touched<Page, FrameIndex>, frame: FrameIndex) -> ListIndex {
        self.chunks[(pages[frame].slot.get() >> self.shift) as usize].list
    }

    /// Removes a frame from the list it is on (`list_del`).
    #[inline(always)]
    pub fn remove(&mut self, pages: &mut Touched<Page, FrameIndex>, frame: FrameIndex) {
        let slot = pages[frame].leave_list();
        self.vacate(pages, slot);
    }

    /// Empties the slot of a frame whose record no longer refers to the slot.
    #[inline(always)]
    pub fn vacate(&mut self, pages: &mut Touched<Page, FrameIndex>, slot: ListSlot) {
        self.slots[slot] = FrameIndex::NONE;
        let c = slot.get() >> self.shift;
        let thin = (self.size() / 4) as u16;
        let chunk = &mut self.chunks[c as usize];
        chunk.live -= 1;
        self.ends[chunk.list].len -= 1;
        if chunk.live == 0 {
            self.unlink_chunk(c);
            return;
        }
        // Both ends of a chunk must be live slots, so that head and tail are found without a
        // search.
        let base = c << self.shift;
        if slot.get() == base + u32::from(chunk.lo) {
            while self.slots[ListSlot::new(base + u32::from(chunk.lo))].is_none() {
                chunk.lo += 1;
            }
        } else {
            while self.slots[ListSlot::new(base + u32::from(chunk.hi) - 1)].is_none() {
                chunk.hi -= 1;
            }
        }
        if chunk.live < thin && (chunk.up != NONE || chunk.down != NONE) {
            self.pour(pages, c);
        }
    }

    /// Merges a sparse chunk with a neighbour if the frames of both fit in half a chunk.
    #[inline(never)]
    fn pour(&mut self, pages: &mut Touched<Page, FrameIndex>, c: u32) {
        let Chunk { up, down, live, .. } = self.chunks[c as usize];
        let poured = (self.size() / 2) as u16;
        let fits = |n: u32| n != NONE && self.chunks[n as usize].live + live <= poured;
        let (tailward, headward) = if fits(down) {
            (down, c)
        } else if fits(up) {
            (c, up)
        } else {
            return;
        };
        // First, all frames move to the bottom of one chunk, in order.
        let size = self.size() as usize;
        let (from, to) = (headward as usize * size, tailward as usize * size);
        let more = self.press(headward);
        let few = self.press(tailward);
        let n = few + more;
        for i in 0..more {
            let taken = &mut self.slots[ListSlot::at(from + i)];
            let frame = std::mem::replace(taken, FrameIndex::NONE);
            self.slots[ListSlot::at(to + few + i)] = frame;
        }
        self.unlink_chunk(headward);
        // Then they move to its middle, so that both ends have room for new frames.
        let lo = (size - n) / 2;
        let slots = self
            .slots
            .slice_mut(ListSlot::at(to), ListSlot::at(to + size));
        for i in (0..n).rev() {
            let frame = std::mem::replace(&mut slots[i], FrameIndex::NONE);
            slots[lo + i] = frame;
            pages[frame].slot = ListSlot::new((to + lo + i) as u32);
        }
        let chunk = &mut self.chunks[tailward as usize];
        (chunk.lo, chunk.hi, chunk.live) = (lo as u16, (lo + n) as u16, n as u16);
    }

    /// Moves the frames of a chunk to its bottom, in order; returns their number. Empty slots are
    /// at random places, so a branch per slot would often be mispredicted.
    fn press(&mut self, c: u32) -> usize {
        let Chunk { lo, hi, .. } = self.chunks[c as usize];
        let base = (c << self.shift) as usize;
        let slots = self
            .slots
            .slice_mut(ListSlot::at(base), ListSlot::at(base + usize::from(hi)));
        let mut n = 0;
        for s in usize::from(lo)..slots.len() {
            let frame = slots[s];
            slots[n] = frame;
            n += usize::from(!frame.is_none());
        }
        slots[n..].fill(FrameIndex::NONE);
        n
    }

    /// Removes up to `out.len()` frames at the tail, in order; returns their number. It reads the
    /// slots sequentially, so that the cache misses on the page records overlap. A chain of records
    /// would not allow that (`isolate_lru_pages` takes 32 at a time).
    pub fn take_tail(
        &mut self,
        pages: &mut Touched<Page, FrameIndex>,
        list: ListIndex,
        out: &mut [FrameIndex],
    ) -> usize {
        let mut n = 0;
        while n < out.len() {
            let c = self.ends[list].tail;
            if c == NONE {
                break;
            }
            let first = n;
            let Chunk { lo, hi, .. } = self.chunks[c as usize];
            let base = (c << self.shift) as usize;
            let mut place = lo;
            let (low, high) = (base + usize::from(lo), base + usize::from(hi));
            for slot in self.slots.slice_mut(ListSlot::at(low), ListSlot::at(high)) {
                if n == out.len() && !slot.is_none() {
                    break;
                }
                place += 1;
                if !slot.is_none() {
                    out[n] = std::mem::replace(slot, FrameIndex::NONE);
                    n += 1;
                }
            }
            let chunk = &mut self.chunks[c as usize];
            chunk.lo = place;
            chunk.live -= (n - first) as u16;
            self.ends[list].len -= (n - first) as u32;
            if chunk.live == 0 {
                self.unlink_chunk(c);
            }
        }
        for &frame in &out[..n] {
            pages[frame].slot = ListSlot::NONE;
        }
        n
    }

    /// The frames from tail to head.
    pub fn iter_back(&self, list: ListIndex) -> impl Iterator<Item = FrameIndex> + '_ {
        let mut c = self.ends[list].tail;
        std::iter::from_fn(move || {
            if c == NONE {
                return None;
            }
            let Chunk { lo, hi, up, .. } = self.chunks[c as usize];
            let base = c << self.shift;
            let chunk = self.slots.slice(
                ListSlot::new(base + u32::from(lo)),
                ListSlot::new(base + u32::from(hi)),
            );
            c = up;
            Some(chunk.iter().copied().filter(|f| !f.is_none()))
        })
        .flatten()
    }

    /// The frames from head to tail.
    pub fn iter(&self, list: ListIndex) -> impl Iterator<Item = FrameIndex> + '_ {
        let mut c = self.ends[list].head;
        std::iter::from_fn(move || {
            if c == NONE {
                return None;
            }
            let Chunk { lo, hi, down, .. } = self.chunks[c as usize];
            let base = c << self.shift;
            let chunk = self.slots.slice(
                ListSlot::new(base + u32::from(lo)),
                ListSlot::new(base + u32::from(hi)),
            );
            c = down;
            Some(chunk.iter().rev().copied().filter(|f| !f.is_none()))
        })
        .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::VecDeque;

    const FIRST: ListIndex = ListIndex::new(0);

    fn pages(n: usize) -> Touched<Page, FrameIndex> {
        vec![Page::absent(); n].into()
    }

    fn check(
        lists: &Lists,
        pages: &Touched<Page, FrameIndex>,
        list: ListIndex,
        reference: &VecDeque<FrameIndex>,
    ) {
        assert_eq!(lists.len(list) as usize, reference.len());
        assert!(
            lists.iter(list).eq(reference.iter().copied()),
            "order from head to tail"
        );
        for &f in reference {
            assert_eq!(lists.slots[pages[f].slot], f, "slot points back");
        }
        assert_eq!(lists.head(list), reference.front().copied());
        assert_eq!(lists.tail(list), reference.back().copied());
    }

    #[test]
    fn keeps_the_order_of_a_plain_deque_under_any_operation() {
        for frames in [4000, BIG_FRAMES] {
            any_operation(frames);
        }
    }

    fn any_operation(frames: usize) {
        let mut rng = Rng::stream(3, 0);
        let (mut p, mut lists) = (pages(4000), Lists::new(2, frames));
        let mut reference = [VecDeque::new(), VecDeque::new()];
        for round in 0..40_000u32 {
            let list = ListIndex::new(rng.below(2));
            let r = &mut reference[list.index()];
            let frame = FrameIndex::new(rng.below(4000));
            match rng.below(7) {
                6 if round % 7 == 0 => {
                    let mut taken = [FrameIndex::NONE; 32];
                    let n = lists.take_tail(&mut p, list, &mut taken);
                    assert_eq!(n, r.len().min(32));
                    for &frame in &taken[..n] {
                        assert_eq!(r.pop_back(), Some(frame));
                        assert_eq!(p[frame].slot, ListSlot::NONE);
                    }
                }
                0 | 1 if p[frame].slot.is_none() => {
                    lists.push_head(&mut p[frame], list, frame);
                    r.push_front(frame);
                }
                2 if p[frame].slot.is_none() => {
                    lists.push_tail(&mut p[frame], list, frame);
                    r.push_back(frame);
                }
                3 => assert_eq!(lists.pop_head(&mut p, list), r.pop_front()),
                4 if round % 3 == 0 => assert_eq!(lists.pop_tail(&mut p, list), r.pop_back()),
                _ if !p[frame].slot.is_none() => {
                    let on = lists.list_of(&p, frame);
                    lists.remove(&mut p, frame);
                    reference[on.index()].retain(|&f| f != frame);
                }
                _ => {}
            }
            if round % 500 == 0 {
                check(&lists, &p, FIRST, &reference[0]);
                check(&lists, &p, FIRST.next(), &reference[1]);
            }
        }
    }

    #[test]
    fn merges_sparse_chunks_and_preserves_their_order() {
        let n = 100_000;
        let (mut p, mut lists) = (pages(n), Lists::new(1, n));
        for f in FrameIndex::all(n) {
            lists.push_head(&mut p[f], FIRST, f);
        }
        let chunks_full = lists.chunks.len();
        let mut rng = Rng::stream(1, 1);
        let mut expected: VecDeque<FrameIndex> = FrameIndex::all(n).rev().collect();
        for f in FrameIndex::all(n) {
            if rng.below(20) != 0 {
                lists.remove(&mut p, f);
            }
        }
        expected.retain(|&f| !p[f].slot.is_none());
        check(&lists, &p, FIRST, &expected);
        let used = lists.chunks.iter().filter(|c| !c.list.is_none()).count();
        assert!(
            used * 4 < chunks_full,
            "{used} chunks of {chunks_full} still in use"
        );
    }

    #[test]
    fn reuses_its_chunks_when_it_is_emptied_and_refilled() {
        let (mut p, mut lists) = (pages(1000), Lists::new(1, 1000));
        for _ in 0..50 {
            for f in FrameIndex::all(1000) {
                lists.push_tail(&mut p[f], FIRST, f);
            }
            while lists.pop_head(&mut p, FIRST).is_some() {}
        }
        assert!(lists.chunks.len() <= 17);
    }
}
