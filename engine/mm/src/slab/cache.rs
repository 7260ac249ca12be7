//! One slab cache (mm/slub.c, mm/slab.c, `struct kmem_cache`).
//!
//! Modelled: the size of a slab and its number of objects, by the kernel's rule. Of mm/slub.c: the
//! slab that is being filled, whatever its node; each node's list of partial slabs, and when
//! another node's are used before a new slab; an empty slab is freed unless its node has few
//! partial ones. Of mm/slab.c: partial slabs of the local node are used before its empty ones; an
//! empty slab is freed if its node has more free objects than its limit.
//! Left out: the slab of each CPU (mm/slub.c), because the CPUs of a node share one; the objects
//! each CPU caches (mm/slab.c) and freeing empty slabs in the background (`cache_reap`); the wait
//! for RCU before a tree node is free.
//! Visible difference: several CPUs fill one slab where each would have its own.
//! Invariants: each free object of a slab is in its chain once; a slab is on one list of its node
//! exactly while it has a free object, even while it is being filled.

use crate::frames::NONE;
use facts::index::{FrameIndex, NodeIndex, ZonelistIndex};
use facts::state::{CloneFrom, State};

/// Largest order that a cache prefers for its slabs (`slub_max_order`).
const MOST_ORDER: u8 = 3;
/// A node keeps this many partial slabs even if they are empty (`MIN_PARTIAL`).
const MIN_PARTIAL: u32 = 5;
/// With mm/slab.c: size of a slab's descriptor, and size of each entry in the list of its free
/// objects, in bytes (`struct slab`, `kmem_bufctl_t`).
const SLAB_BYTES: (u64, u64) = (48, 4);
/// End of a chain of free objects.
const END: u16 = u16::MAX;

/// Order of a slab and its number of objects (`kmem_cache_order_objects`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct SlabSize {
    /// Order of the slab's block.
    pub order: u8,
    /// Number of objects in the slab.
    pub objects: u16,
}

/// A slab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct SlabPage {
    /// First page frame of the slab, [`FrameIndex::NONE`] while the record is unused.
    frame: FrameIndex,
    /// Neighbours on the partial list of the slab's node.
    prev: u32,
    next: u32,
    /// Number of objects, and how many of them are in use.
    objects: u16,
    inuse: u16,
    /// First free object, [`END`] for none.
    free: u16,
    /// Node of the slab.
    node: NodeIndex,
}

/// A node's list of partial slabs (`kmem_cache_node`); the first slab is filled first.
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
    /// Unused records.
    spare: Vec<u32>,
    /// The next free object of the slab, by record and index in the slab.
    chain: Vec<u16>,
    /// Lists of slabs with free objects, by node. With mm/slab.c these hold the slabs that also
    /// have used objects (`slabs_partial`); they are followed by the lists of empty slabs, by node
    /// (`slabs_free`).
    nodes: Vec<Partial>,
    /// The slab from which the CPUs of each node take objects (`kmem_cache_cpu`), whatever the
    /// slab's own node; [`NONE`] for none.
    filling: Vec<u32>,
    /// With mm/slab.c, by node: number of free objects above which an empty slab is freed
    /// (`free_limit`).
    limits: Vec<u32>,
    /// With mm/slab.c, by node: number of free objects (`free_objects`).
    free_objects: Vec<u32>,
    /// Number of objects in use.
    inuse: u32,
}

/// Number of objects a CPU gets in one batch with mm/slab.c (`batchcount`, half of the limit of its
/// array: `enable_cpucache`).
fn batchcount(bytes: u64, page_bytes: u64) -> u32 {
    let limit: u32 = match bytes {
        _ if bytes > 131_072 => 1,
        _ if bytes > page_bytes => 8,
        1025.. => 24,
        257.. => 54,
        _ => 120,
    };
    limit.div_ceil(2)
}

/// Number of objects of this size in one page with mm/slab.c. The slab's descriptor is on the same
/// page unless the objects are large (`cache_estimate`).
fn in_one_page(bytes: u64, page_bytes: u64) -> u64 {
    if bytes >= page_bytes / 8 {
        return page_bytes / bytes;
    }
    (page_bytes - SLAB_BYTES.0) / (bytes + SLAB_BYTES.1)
}

/// Order of slabs for objects of this size (`calculate_order`): enough objects for the number of
/// CPUs and at most a sixteenth wasted; otherwise an eighth, a quarter, or fewer objects.
pub fn calculate_order(bytes: u64, cpus: u16, page_bytes: u64) -> u8 {
    let fls = u64::from(u16::BITS - cpus.leading_zeros());
    let most = (page_bytes << MOST_ORDER) / bytes;
    let min_objects = (4 * (fls + 1)).min(most);
    for objects in (2..=min_objects).rev() {
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
    /// A cache of objects of this size, without a slab.
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

    /// A cache of mm/slab.c, without a slab, for nodes with this many CPUs each. Its objects are
    /// reclaimable, so a slab is one page (`calculate_slab_order`).
    pub fn with_slab(bytes: u64, page_bytes: u64, cpus: &[u32]) -> Self {
        let objects = in_one_page(bytes, page_bytes).min(u64::from(END) - 1) as u16;
        let limit = |cpus| (1 + cpus) * batchcount(bytes, page_bytes) + u32::from(objects);
        let mut cache = Self::new(bytes, 1, page_bytes, 2 * cpus.len());
        cache.best = SlabSize { order: 0, objects };
        cache.least = cache.best;
        cache.filling.truncate(cpus.len());
        cache.limits = cpus.iter().map(|&cpus| limit(cpus)).collect();
        cache.free_objects = vec![0; cpus.len()];
        cache
    }

    /// Is this a cache of mm/slab.c?
    fn is_slab(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Does any node have a free object?
    pub(super) fn has_any(&self) -> bool {
        self.nodes.iter().any(|list| list.count > 0)
    }

    /// The preferred slab size, and the smallest possible one.
    pub fn sizes(&self) -> [SlabSize; 2] {
        [self.best, self.least]
    }

    /// Number of objects in use.
    pub fn objects(&self) -> u32 {
        self.inuse
    }

    /// The slab from which a task of this node takes an object without allocating a new slab: the
    /// slab being filled, else a partial slab of its node, else one of a node that has more than
    /// its minimum (`get_any_partial`). With mm/slab.c: a partial or an empty slab of its node.
    fn at_hand(&self, node: ZonelistIndex) -> Option<u32> {
        let home = node.index() % self.filling.len();
        if self.is_slab() {
            let lists = [home, home + self.filling.len()].map(|list| self.nodes[list].head);
            return lists.into_iter().find(|&head| head != NONE);
        }
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

    /// Is there an object for a task of this node? A task bound to one node belongs to that node
    /// ([`crate::world::World::only`]).
    pub(super) fn has_free(&self, node: ZonelistIndex) -> bool {
        self.at_hand(node).is_some()
    }

    fn stride(&self) -> u32 {
        u32::from(self.best.objects)
    }

    /// The node of an object's slab.
    pub fn node_of(&self, object: u32) -> NodeIndex {
        self.slabs[(object / self.stride()) as usize].node
    }

    /// Turns a block allocated on `node` into a slab for a task of node `home`, which fills it
    /// next. Returns the record of the slab.
    pub(super) fn add_slab(
        &mut self,
        frame: FrameIndex,
        node: NodeIndex,
        home: ZonelistIndex,
        objects: u16,
    ) -> u32 {
        let record = self.spare.pop().unwrap_or_else(|| {
            let chain = self.chain.len() + usize::from(self.best.objects);
            self.chain.resize(chain, END);
            self.slabs.push(SlabPage {
                frame: FrameIndex::NONE,
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
        if self.is_slab() {
            self.free_objects[node.index()] += u32::from(objects);
            self.link(record, false);
            return record;
        }
        self.link(record, true);
        let home = home.index() % self.filling.len();
        self.filling[home] = record;
        record
    }

    /// Takes an object for a task of this node: from the slab [`at_hand`](Self::at_hand), otherwise
    /// from any node.
    pub(super) fn take(&mut self, node: ZonelistIndex) -> Option<u32> {
        let any = || self.nodes.iter().map(|n| n.head).find(|&head| head != NONE);
        let record = self.at_hand(node).or_else(any)?;
        if self.is_slab() {
            self.unlink(record);
            self.free_objects[self.slabs[record as usize].node.index()] -= 1;
        } else {
            let home = node.index() % self.filling.len();
            self.filling[home] = record;
        }
        let slab = &mut self.slabs[record as usize];
        let object = record * u32::from(self.best.objects) + u32::from(slab.free);
        slab.free = self.chain[object as usize];
        slab.inuse += 1;
        self.inuse += 1;
        let is_full = slab.free == END;
        match (self.is_slab(), is_full) {
            (true, false) => self.link(record, true),
            (false, true) => self.unlink(record),
            _ => {}
        }
        Some(object)
    }

    /// Gives an object back. If its slab became empty and is not kept, removes the slab and returns
    /// the slab's page frame.
    pub(super) fn free(&mut self, object: u32) -> Option<FrameIndex> {
        let record = object / self.stride();
        let was_full = self.slabs[record as usize].free == END;
        if self.is_slab() && !was_full {
            self.unlink(record);
        }
        let slab = &mut self.slabs[record as usize];
        self.chain[object as usize] = slab.free;
        slab.free = (object % u32::from(self.best.objects)) as u16;
        slab.inuse -= 1;
        self.inuse -= 1;
        let (empty, node) = (slab.inuse == 0, slab.node.index());
        if self.is_slab() {
            return self.put_back(record, node, empty);
        }
        if empty && self.nodes[node].count >= MIN_PARTIAL && !self.filling.contains(&record) {
            if !was_full {
                self.unlink(record);
            }
            self.spare.push(record);
            let slab = &mut self.slabs[record as usize];
            return Some(std::mem::replace(&mut slab.frame, FrameIndex::NONE));
        }
        if was_full {
            self.link(record, false);
        }
        None
    }

    /// Puts a slab of mm/slab.c back after one of its objects was freed (`free_block`): a partial
    /// slab goes to the end of the partial list, an empty one to the front of the empty list, or it
    /// is freed.
    fn put_back(&mut self, record: u32, node: usize, empty: bool) -> Option<FrameIndex> {
        self.free_objects[node] += 1;
        if empty && self.free_objects[node] > self.limits[node] {
            let slab = &mut self.slabs[record as usize];
            self.free_objects[node] -= u32::from(slab.objects);
            self.spare.push(record);
            return Some(std::mem::replace(&mut slab.frame, FrameIndex::NONE));
        }
        self.link(record, empty);
        None
    }

    /// The list a slab with free objects belongs to.
    fn list_of(&self, record: u32) -> usize {
        let slab = &self.slabs[record as usize];
        let behind = self.is_slab() && slab.inuse == 0;
        slab.node.index() + if behind { self.filling.len() } else { 0 }
    }

    fn link(&mut self, record: u32, first: bool) {
        let list = self.list_of(record);
        let node = &mut self.nodes[list];
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
        let SlabPage { prev, next, .. } = self.slabs[record as usize];
        let list = self.list_of(record);
        let list = &mut self.nodes[list];
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

    /// First page frames of all slabs. For `check`.
    pub(crate) fn frames(&self) -> impl Iterator<Item = FrameIndex> + '_ {
        let frames = self.slabs.iter().map(|slab| slab.frame);
        frames.filter(|&frame| frame != FrameIndex::NONE)
    }

    /// Are exactly these objects in use, and do chains and lists agree? For `check`.
    pub(crate) fn is_sound(&self, named: impl Iterator<Item = u32>) -> bool {
        let mut used = vec![false; self.chain.len()];
        let mut sound = true;
        for (record, slab) in (0u32..).zip(&self.slabs) {
            let spare = self.spare.iter().filter(|&&s| s == record).count();
            sound &= spare == usize::from(slab.frame == FrameIndex::NONE);
            if slab.frame == FrameIndex::NONE {
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
        let nodes = self.filling.len();
        let mut all_free: Vec<i64> = self.free_objects.iter().map(|&n| n.into()).collect();
        for (at, list) in self.nodes.iter().enumerate() {
            let mut free = 0;
            let (mut record, mut prev, mut count) = (list.head, NONE, 0);
            while let Some(slab) = self.slabs.get(record as usize) {
                let lies_here = self.list_of(record) == at && slab.inuse < slab.objects;
                sound &= slab.prev == prev && lies_here;
                free += u32::from(slab.objects - slab.inuse);
                (prev, record) = (record, slab.next);
                count += 1;
                if count > self.slabs.len() as u32 {
                    return false;
                }
            }
            sound &= list.tail == prev && list.count == count;
            if let Some(all) = all_free.get_mut(at % nodes) {
                *all -= i64::from(free);
            }
            partial += count as usize;
        }
        sound &= all_free.iter().all(|&left| left == 0);
        let all = self.slabs.iter().filter(|s| s.frame != FrameIndex::NONE);
        sound &= partial == all.filter(|s| s.inuse < s.objects).count();
        let in_use = used.iter().filter(|&&u| u).count();
        for object in named {
            let known = used.get_mut(object as usize);
            sound &= known.is_some_and(|used| std::mem::replace(used, false));
        }
        sound && self.inuse as usize == in_use && !used.contains(&true)
    }

    /// Size of one copy in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.slabs.len() * size_of::<SlabPage>() + self.chain.len() * 2
    }

    #[cfg(test)]
    pub(super) fn fill(&mut self) {
        self.spare.push(0);
        if self.slabs.is_empty() {
            self.add_slab(
                FrameIndex::new(0),
                NodeIndex::new(0),
                ZonelistIndex::new(0),
                self.best.objects,
            );
        }
        self.limits.push(0);
        self.free_objects.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> KmemCache {
        KmemCache::new(1024, 1, 4096, 2)
    }

    /// Traces of the 6.1 guests: on one CPU a slab of tree nodes has order 1, one of buffer heads order 0.
    /// /proc/slabinfo of larger machines shows 28 nodes on 4 pages and 39 buffer heads on one.
    #[test]
    fn computes_the_slab_order_and_object_count_of_slub() {
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

    /// /proc/slabinfo of 3.0 kernels with CONFIG_SLAB shows 37 buffer heads, 20 dentries, 7 tree nodes and
    /// 4 inodes of ext4 per page. Batches have 60 small objects or 27 large ones.
    #[test]
    fn slab_uses_single_pages_with_the_object_counts_of_slabinfo() {
        let of = |bytes| {
            let c = KmemCache::with_slab(bytes, 4096, &[12, 12]);
            (c.best.order, c.best.objects, c.limits[1])
        };
        assert_eq!(of(104), (0, 37, 13 * 60 + 37));
        assert_eq!(of(192), (0, 20, 13 * 60 + 20));
        assert_eq!(of(576), (0, 7, 13 * 27 + 7));
        assert_eq!(of(1024), (0, 4, 13 * 27 + 4));
    }

    #[test]
    fn fills_local_partial_slabs_first_and_frees_empty_ones_above_the_limit() {
        let mut c = KmemCache::with_slab(1024, 4096, &[1, 1]);
        let limit = 2 * 27 + 4;
        assert_eq!(c.limits, [limit, limit]);
        c.add_slab(
            FrameIndex::new(10),
            NodeIndex::new(0),
            ZonelistIndex::new(0),
            4,
        );
        c.add_slab(
            FrameIndex::new(11),
            NodeIndex::new(0),
            ZonelistIndex::new(0),
            4,
        );
        c.add_slab(
            FrameIndex::new(12),
            NodeIndex::new(1),
            ZonelistIndex::new(0),
            4,
        );
        let got: Vec<u32> = (0..8)
            .filter_map(|_| c.take(ZonelistIndex::new(0)))
            .collect();
        assert_eq!(got, (0..8).collect::<Vec<_>>());
        // The local node has no object. Although the other node has one, a page is requested first.
        assert!(
            !c.has_free(ZonelistIndex::new(0)) && c.has_free(ZonelistIndex::new(1)) && c.has_any()
        );
        assert!(c.is_sound(got.iter().copied()));
        assert_eq!(c.take(ZonelistIndex::new(0)), Some(8));
        // The partial slab is filled before the empty one.
        for object in [0, 1, 2, 3, 6] {
            assert_eq!(c.free(object), None);
        }
        assert!(c.is_sound([4, 5, 7, 8].into_iter()));
        assert_eq!(c.take(ZonelistIndex::new(0)), Some(6));
        assert_eq!(c.free_objects, [4, 3]);
        // Fifteen empty slabs are 60 objects, above the limit of 58.
        for frame in 20..33 {
            c.add_slab(
                FrameIndex::new(frame),
                NodeIndex::new(0),
                ZonelistIndex::new(0),
                4,
            );
        }
        assert_eq!(c.free_objects[0], 56);
        let freed: Vec<Option<FrameIndex>> = [4, 5, 6, 7].map(|object| c.free(object)).to_vec();
        assert_eq!(freed, [None, None, None, Some(FrameIndex::new(11))]);
        assert_eq!(c.free_objects[0], 56);
        assert!(c.is_sound([8].into_iter()));
        // A task of node 1 takes an object of node 1.
        assert_eq!(
            c.take(ZonelistIndex::new(1))
                .map(|object| c.node_of(object)),
            Some(NodeIndex::new(1))
        );
    }

    #[test]
    fn fills_a_slab_and_reuses_freed_objects() {
        let mut c = cache();
        let per_slab = c.best.objects;
        assert_eq!(c.take(ZonelistIndex::new(0)), None);
        c.add_slab(
            FrameIndex::new(10),
            NodeIndex::new(0),
            ZonelistIndex::new(0),
            per_slab,
        );
        let got: Vec<u32> = (0..per_slab)
            .filter_map(|_| c.take(ZonelistIndex::new(0)))
            .collect();
        assert_eq!(got, (0..u32::from(per_slab)).collect::<Vec<_>>());
        assert!(!c.has_free(ZonelistIndex::new(0)) && c.is_sound(got.iter().copied()));
        assert_eq!(c.free(3), None);
        assert!(c.has_free(ZonelistIndex::new(0)) && !c.has_free(ZonelistIndex::new(1)));
        // A node without a free object takes one from another node.
        assert_eq!(c.take(ZonelistIndex::new(1)), Some(3));
        assert!(c.is_sound(got.iter().copied()));
        assert!(!c.is_sound(got[1..].iter().copied()));
    }

    #[test]
    fn frees_an_empty_slab_if_the_node_has_enough_partial_ones() {
        let mut c = cache();
        let mut firsts = Vec::new();
        for frame in 0..7 {
            c.add_slab(
                FrameIndex::new(frame),
                NodeIndex::new(0),
                ZonelistIndex::new(0),
                c.best.objects,
            );
            firsts.push(c.take(ZonelistIndex::new(0)).expect("an object"));
        }
        let gone: Vec<Option<FrameIndex>> = firsts.iter().map(|&o| c.free(o)).collect();
        let expected = [Some(0), Some(1), Some(2), None, None, None, None];
        assert_eq!(gone, expected.map(|frame| frame.map(FrameIndex::new)));
        assert!(c.is_sound(std::iter::empty()));
        assert_eq!(
            c.frames().collect::<Vec<_>>(),
            [3, 4, 5, 6].map(FrameIndex::new)
        );
        // Objects of a smaller slab also have distinct numbers.
        c.add_slab(
            FrameIndex::new(9),
            NodeIndex::new(0),
            ZonelistIndex::new(0),
            c.least.objects,
        );
        let got: Vec<u32> = (0..c.least.objects)
            .filter_map(|_| c.take(ZonelistIndex::new(0)))
            .collect();
        assert_eq!(got.len(), usize::from(c.least.objects));
        assert!(c.is_sound(got.into_iter()));
    }
}
