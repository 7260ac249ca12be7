//! One slab cache (mm/slub.c, `struct kmem_cache`).
//!
//! Modelled: how large a slab is and how many objects it holds, by the kernel's rule; the slab that
//! is filled up wherever it lies; the list of partly used slabs of each node, and when another
//! node's go before a new one; a slab left empty goes, unless its node has few partial ones.
//! Left out: the slab each CPU keeps for itself: those of a node share one; the wait for RCU before a
//! tree's node is free.
//! Who could tell: several CPUs fill one slab where each would have its own.
//! Invariants: a slab's free objects are chained once each; a slab is on its node's partial list
//! exactly while it has one, and so is one that is being filled.

use crate::frames::NONE;
use facts::state::{CloneFrom, State};

/// Largest order a cache prefers (`slub_max_order`).
const MOST_ORDER: u8 = 3;
/// Partial slabs a node keeps even when they are empty (`MIN_PARTIAL`).
const MIN_PARTIAL: u32 = 5;
/// End of a chain of free objects.
const END: u16 = u16::MAX;

/// Order of a slab and how many objects it holds (`kmem_cache_order_objects`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct SlabSize {
    /// Order of its block.
    pub order: u8,
    /// Objects in it.
    pub objects: u16,
}

/// A slab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct SlabPage {
    /// Its first frame, [`NONE`] while the record is spare.
    frame: u32,
    /// Neighbours on its node's partial list.
    prev: u32,
    next: u32,
    /// Objects it holds, and of these in use.
    objects: u16,
    inuse: u16,
    /// First free object, [`END`] for none.
    free: u16,
    /// Its node.
    node: u8,
}

/// A node's partial slabs (`kmem_cache_node`): the first is filled first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct Partial {
    head: u32,
    tail: u32,
    count: u32,
}

/// A slab cache.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct KmemCache {
    best: SlabSize,
    least: SlabSize,
    slabs: Vec<SlabPage>,
    /// Records of no slab.
    spare: Vec<u32>,
    /// The next free object of the slab, by record and place in the slab.
    chain: Vec<u16>,
    nodes: Vec<Partial>,
    /// The slab the CPUs of each node take objects from (`kmem_cache_cpu`), whatever node it lies
    /// on; [`NONE`] for none.
    filling: Vec<u32>,
    /// Objects in use.
    inuse: u32,
}

/// Order of the slabs of objects of so many bytes (`calculate_order`): enough of them for the
/// number of CPUs, with at most a sixteenth wasted; else an eighth, a quarter, or fewer objects.
pub fn calculate_order(bytes: u64, cpus: u16, page_bytes: u64) -> u8 {
    let fls = u64::from(u16::BITS - cpus.leading_zeros());
    let most = (page_bytes << MOST_ORDER) / bytes;
    let wanted = (4 * (fls + 1)).min(most);
    for objects in (2..=wanted).rev() {
        for fraction in [16, 8, 4] {
            let found = (0..=MOST_ORDER).find(|order| {
                let size = page_bytes << order;
                size >= objects * bytes && size % bytes <= size / fraction
            });
            if let Some(order) = found {
                return order;
            }
        }
    }
    MOST_ORDER
}

impl KmemCache {
    /// A cache of objects of so many bytes, without a slab.
    pub fn new(bytes: u64, cpus: u16, page_bytes: u64, nodes: usize) -> Self {
        let size = |order: u8| SlabSize {
            order,
            objects: ((page_bytes << order) / bytes).min(u64::from(END) - 1) as u16,
        };
        let best = size(calculate_order(bytes, cpus, page_bytes));
        let least = (0..best.order).map(size).find(|size| size.objects > 0);
        let none = Partial {
            head: NONE,
            tail: NONE,
            count: 0,
        };
        Self {
            best,
            least: least.unwrap_or(best),
            nodes: vec![none; nodes],
            filling: vec![NONE; nodes],
            ..Self::default()
        }
    }

    /// The slabs it prefers, and the smallest it does with.
    pub fn sizes(&self) -> [SlabSize; 2] {
        [self.best, self.least]
    }

    /// Objects in use.
    pub fn objects(&self) -> u32 {
        self.inuse
    }

    /// The slab a task of this node takes an object from without asking for a new one: the one being
    /// filled, else a partial one of its node, else of a node that has more than it keeps
    /// (`get_any_partial`).
    fn at_hand(&self, node: u8) -> Option<u32> {
        let home = usize::from(node) % self.nodes.len();
        let filling = self.slabs.get(self.filling[home] as usize);
        if filling.is_some_and(|slab| slab.free != END) {
            return Some(self.filling[home]);
        }
        if self.nodes[home].head != NONE {
            return Some(self.nodes[home].head);
        }
        let rich = self.nodes.iter().find(|node| node.count > MIN_PARTIAL);
        rich.map(|node| node.head)
    }

    /// Is there an object for a task of this node? A task that takes memory of one node only is of
    /// that node ([`crate::world::World::only`]).
    pub(super) fn has_free(&self, node: u8) -> bool {
        self.at_hand(node).is_some()
    }

    fn stride(&self) -> u32 {
        u32::from(self.best.objects)
    }

    /// The node of an object's slab.
    pub fn node_of(&self, object: u32) -> u8 {
        self.slabs[(object / self.stride()) as usize].node
    }

    /// A block just allocated on `node` for a task of `home` is a slab from now on, the next to be
    /// filled there. Returns its record.
    pub(super) fn add_slab(&mut self, frame: u32, node: u8, home: u8, objects: u16) -> u32 {
        let record = self.spare.pop().unwrap_or_else(|| {
            let chain = self.chain.len() + usize::from(self.best.objects);
            self.chain.resize(chain, END);
            self.slabs.push(SlabPage {
                frame: NONE,
                prev: NONE,
                next: NONE,
                objects: 0,
                inuse: 0,
                free: END,
                node,
            });
            self.slabs.len() as u32 - 1
        });
        let first = (record * self.stride()) as usize;
        let places = self.chain[first..].iter_mut().zip(1..objects);
        places.for_each(|(next, place)| *next = place);
        self.chain[first + usize::from(objects) - 1] = END;
        self.slabs[record as usize] = SlabPage {
            frame,
            prev: NONE,
            next: NONE,
            objects,
            inuse: 0,
            free: 0,
            node,
        };
        self.link(record, true);
        let home = usize::from(home) % self.filling.len();
        self.filling[home] = record;
        record
    }

    /// Takes an object for a task of this node; one of any node when there is none
    /// [`at_hand`](Self::at_hand).
    pub(super) fn take(&mut self, node: u8) -> Option<u32> {
        let any = || self.nodes.iter().map(|n| n.head).find(|&head| head != NONE);
        let record = self.at_hand(node).or_else(any)?;
        let home = usize::from(node) % self.filling.len();
        self.filling[home] = record;
        let slab = &mut self.slabs[record as usize];
        let object = record * u32::from(self.best.objects) + u32::from(slab.free);
        slab.free = self.chain[object as usize];
        slab.inuse += 1;
        self.inuse += 1;
        if slab.free == END {
            self.unlink(record);
        }
        Some(object)
    }

    /// Gives an object back. Returns the frame of its slab if that became empty and is not kept;
    /// then it is no slab any more.
    pub(super) fn free(&mut self, object: u32) -> Option<u32> {
        let record = object / self.stride();
        let slab = &mut self.slabs[record as usize];
        let was_full = slab.free == END;
        self.chain[object as usize] = slab.free;
        slab.free = (object % u32::from(self.best.objects)) as u16;
        slab.inuse -= 1;
        self.inuse -= 1;
        let (empty, node) = (slab.inuse == 0, usize::from(slab.node));
        if empty && self.nodes[node].count >= MIN_PARTIAL && !self.filling.contains(&record) {
            if !was_full {
                self.unlink(record);
            }
            self.spare.push(record);
            let slab = &mut self.slabs[record as usize];
            return Some(std::mem::replace(&mut slab.frame, NONE));
        }
        if was_full {
            self.link(record, false);
        }
        None
    }

    fn link(&mut self, record: u32, first: bool) {
        let node = &mut self.nodes[usize::from(self.slabs[record as usize].node)];
        node.count += 1;
        let (prev, next) = if first {
            (NONE, std::mem::replace(&mut node.head, record))
        } else {
            (std::mem::replace(&mut node.tail, record), NONE)
        };
        if next == NONE {
            node.tail = record;
        }
        if prev == NONE {
            node.head = record;
        }
        let slab = &mut self.slabs[record as usize];
        (slab.prev, slab.next) = (prev, next);
        if let Some(next) = self.slabs.get_mut(next as usize) {
            next.prev = record;
        }
        if let Some(prev) = self.slabs.get_mut(prev as usize) {
            prev.next = record;
        }
    }

    fn unlink(&mut self, record: u32) {
        let SlabPage {
            prev, next, node, ..
        } = self.slabs[record as usize];
        let list = &mut self.nodes[usize::from(node)];
        list.count -= 1;
        match self.slabs.get_mut(prev as usize) {
            Some(prev) => prev.next = next,
            None => list.head = next,
        }
        match self.slabs.get_mut(next as usize) {
            Some(next) => next.prev = prev,
            None => list.tail = prev,
        }
        let slab = &mut self.slabs[record as usize];
        (slab.prev, slab.next) = (NONE, NONE);
    }

    /// First frames of its slabs. For `check`.
    pub(crate) fn frames(&self) -> impl Iterator<Item = u32> + '_ {
        let frames = self.slabs.iter().map(|slab| slab.frame);
        frames.filter(|&frame| frame != NONE)
    }

    /// Is each of these objects in use, and no other; do chains and lists say the same? For
    /// `check`.
    pub(crate) fn is_sound(&self, named: impl Iterator<Item = u32>) -> bool {
        let mut used = vec![false; self.chain.len()];
        let mut sound = true;
        for (record, slab) in (0u32..).zip(&self.slabs) {
            let spare = self.spare.iter().filter(|&&s| s == record).count();
            sound &= spare == usize::from(slab.frame == NONE);
            if slab.frame == NONE {
                continue;
            }
            let first = (record * self.stride()) as usize;
            let objects = first..first + usize::from(slab.objects);
            used[objects.clone()].fill(true);
            let mut place = slab.free;
            for _ in slab.inuse..slab.objects {
                let object = first + usize::from(place);
                if place == END || !objects.contains(&object) || !used[object] {
                    return false;
                }
                used[object] = false;
                place = self.chain[object];
            }
            sound &= place == END;
        }
        let mut partial = 0;
        for (node, list) in (0u8..).zip(&self.nodes) {
            let (mut record, mut prev, mut count) = (list.head, NONE, 0);
            while let Some(slab) = self.slabs.get(record as usize) {
                sound &= slab.prev == prev && slab.node == node && slab.inuse < slab.objects;
                (prev, record) = (record, slab.next);
                count += 1;
                if count > self.slabs.len() as u32 {
                    return false;
                }
            }
            sound &= list.tail == prev && list.count == count;
            partial += count as usize;
        }
        let all = self.slabs.iter().filter(|s| s.frame != NONE);
        sound &= partial == all.filter(|s| s.inuse < s.objects).count();
        let in_use = used.iter().filter(|&&u| u).count();
        for object in named {
            let known = used.get_mut(object as usize);
            sound &= known.is_some_and(|used| std::mem::replace(used, false));
        }
        sound && self.inuse as usize == in_use && !used.contains(&true)
    }

    /// Bytes one copy takes.
    pub(super) fn bytes(&self) -> usize {
        self.slabs.len() * size_of::<SlabPage>() + self.chain.len() * 2
    }

    #[cfg(test)]
    pub(super) fn fill(&mut self) {
        self.spare.push(0);
        if self.slabs.is_empty() {
            self.add_slab(0, 0, 0, self.best.objects);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> KmemCache {
        KmemCache::new(1024, 1, 4096, 2)
    }

    /// The traces of the 6.1 guests: on one CPU a slab of tree nodes is asked for by order 1, one
    /// of buffer heads by order 0. /proc/slabinfo of larger machines is known to say 28 nodes on
    /// 4 pages and 39 buffer heads on one.
    #[test]
    fn slabs_are_as_large_as_the_kernels() {
        let size = |bytes, cpus, page| {
            let SlabSize { order, objects } = KmemCache::new(bytes, cpus, page, 1).best;
            (order, objects)
        };
        assert_eq!(size(576, 1, 4096), (1, 14));
        assert_eq!(size(576, 4, 4096), (2, 28));
        assert_eq!(size(576, 8, 4096), (2, 28));
        assert_eq!(size(104, 1, 4096), (0, 39));
        assert_eq!(size(104, 8, 4096), (0, 39));
        assert_eq!(size(576, 1, 65536), (0, 113));
        let least = KmemCache::new(576, 4, 4096, 1).least;
        assert_eq!((least.order, least.objects), (0, 7));
    }

    #[test]
    fn objects_fill_a_slab_and_come_back_to_it() {
        let mut c = cache();
        let per_slab = c.best.objects;
        assert_eq!(c.take(0), None);
        c.add_slab(10, 0, 0, per_slab);
        let got: Vec<u32> = (0..per_slab).filter_map(|_| c.take(0)).collect();
        assert_eq!(got, (0..u32::from(per_slab)).collect::<Vec<_>>());
        assert!(!c.has_free(0) && c.is_sound(got.iter().copied()));
        assert_eq!(c.free(3), None);
        assert!(c.has_free(0) && !c.has_free(1));
        // A node without one takes from another.
        assert_eq!(c.take(1), Some(3));
        assert!(c.is_sound(got.iter().copied()));
        assert!(!c.is_sound(got[1..].iter().copied()));
    }

    #[test]
    fn an_empty_slab_goes_when_the_node_has_enough_partial_ones() {
        let mut c = cache();
        let mut firsts = Vec::new();
        for frame in 0..7 {
            c.add_slab(frame, 0, 0, c.best.objects);
            firsts.push(c.take(0).expect("an object"));
        }
        let gone: Vec<Option<u32>> = firsts.iter().map(|&o| c.free(o)).collect();
        assert_eq!(gone, [Some(0), Some(1), Some(2), None, None, None, None]);
        assert!(c.is_sound(std::iter::empty()));
        assert_eq!(c.frames().collect::<Vec<_>>(), [3, 4, 5, 6]);
        // Slabs of the smaller size have numbers of their own, too.
        c.add_slab(9, 0, 0, c.least.objects);
        let got: Vec<u32> = (0..c.least.objects).filter_map(|_| c.take(0)).collect();
        assert_eq!(got.len(), usize::from(c.least.objects));
        assert!(c.is_sound(got.into_iter()));
    }
}
