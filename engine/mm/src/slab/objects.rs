//! Data of the objects in the dentry and inode caches: the file of each, and the lists of unused objects
//! (fs/dcache.c `s_dentry_lru`; fs/inode.c `inode_lru`, `s_inode_lru`; mm/list_lru.c).
//!
//! Modelled: the lists, least recently used first, for the machine or for each node; the flag that
//! spares an object once.
//! Left out: objects that stay on a list while they are used again.
//! Visible difference: a kernel finds these objects at the next scan, and counts them as scanned.
//! Invariants: an object on a list belongs to a file; it is on one list, once.

use crate::frames::NONE;
use facts::index::NodeIndex;
use facts::state::{CloneFrom, State};

/// Data of one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct Object {
    /// File of the object, [`NONE`] while the object is free.
    file: u32,
    /// Older and younger neighbour on the object's list.
    older: u32,
    younger: u32,
    /// True if the object is on a list.
    unused: bool,
    /// True if the next scan spares the object (`I_REFERENCED`, `DCACHE_REFERENCED`).
    referenced: bool,
}

const FREE: Object = Object {
    file: NONE,
    older: NONE,
    younger: NONE,
    unused: false,
    referenced: false,
};

/// A list of unused objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct Unused {
    oldest: u32,
    youngest: u32,
    count: u32,
}

const EMPTY: Unused = Unused {
    oldest: NONE,
    youngest: NONE,
    count: 0,
};

/// The objects of a cache, by number, and their lists.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Objects {
    all: Vec<Object>,
    unused: Vec<Unused>,
}

impl Objects {
    /// An empty set of objects with `lists` empty lists.
    pub(super) fn new(lists: usize) -> Self {
        Self {
            all: Vec::new(),
            unused: vec![EMPTY; lists],
        }
    }

    /// Index of the list of a node: its own list, or the one for all nodes.
    pub(super) fn list_of(&self, node: NodeIndex) -> usize {
        node.index().min(self.unused.len() - 1)
    }

    /// Number of unused objects on the list of a node.
    pub fn freeable(&self, node: NodeIndex) -> u64 {
        self.unused[self.list_of(node)].count.into()
    }

    /// Assigns an object to a file.
    pub(super) fn set(&mut self, object: u32, file: u32) {
        if self.all.len() <= object as usize {
            self.all.resize(object as usize + 1, FREE);
        }
        self.all[object as usize] = Object { file, ..FREE };
    }

    /// Marks an object of this node free.
    pub(super) fn clear(&mut self, object: u32, node: NodeIndex) {
        self.remove(object, node);
        self.all[object as usize] = FREE;
    }

    /// The file of an object.
    pub(super) fn file(&self, object: u32) -> u32 {
        self.all[object as usize].file
    }

    /// The oldest object on the list of a node.
    pub(super) fn oldest(&self, node: NodeIndex) -> Option<u32> {
        let oldest = self.unused[self.list_of(node)].oldest;
        (oldest != NONE).then_some(oldest)
    }

    /// Is the object on a list?
    pub(super) fn is_unused(&self, object: u32) -> bool {
        self.all[object as usize].unused
    }

    /// Makes the next scan spare the object.
    pub(super) fn reference(&mut self, object: u32) {
        self.all[object as usize].referenced = true;
    }

    /// Clears the flag that spares an object; returns true if it was set.
    pub(super) fn test_clear_referenced(&mut self, object: u32) -> bool {
        std::mem::take(&mut self.all[object as usize].referenced)
    }

    /// Adds an unused object of this node to its list as the youngest, unless it is already on a
    /// list (`list_lru_add`).
    pub(super) fn add(&mut self, object: u32, node: NodeIndex) {
        if self.is_unused(object) {
            return;
        }
        let list = self.list_of(node);
        let list = &mut self.unused[list];
        let youngest = std::mem::replace(&mut list.youngest, object);
        list.count += 1;
        if youngest == NONE {
            list.oldest = object;
        } else {
            self.all[youngest as usize].younger = object;
        }
        let o = &mut self.all[object as usize];
        (o.older, o.younger, o.unused) = (youngest, NONE, true);
    }

    /// Takes an object of this node off its list, if it is on one (`list_lru_del`).
    pub(super) fn remove(&mut self, object: u32, node: NodeIndex) {
        let Object {
            older,
            younger,
            unused,
            ..
        } = self.all[object as usize];
        if !unused {
            return;
        }
        let list = self.list_of(node);
        let list = &mut self.unused[list];
        list.count -= 1;
        match self.all.get_mut(older as usize) {
            Some(o) => o.younger = younger,
            None => list.oldest = younger,
        }
        match self.all.get_mut(younger as usize) {
            Some(o) => o.older = older,
            None => list.youngest = older,
        }
        self.all[object as usize].unused = false;
    }

    /// Objects that belong to a file. For `check`.
    pub(crate) fn named(&self) -> impl Iterator<Item = u32> + '_ {
        let objects = (0u32..).zip(&self.all);
        objects.filter(|(_, o)| o.file != NONE).map(|(i, _)| i)
    }

    /// Do lists and objects agree? For `check`.
    pub(crate) fn is_sound(&self) -> bool {
        let counted: u32 = self.unused.iter().map(|u| u.count).sum();
        let found = self.all.iter().filter(|o| o.unused).count();
        counted as usize == found && self.all.iter().all(|o| !o.unused || o.file != NONE)
    }

    /// The file of an object in use, and whether the object is on a list. For `check`.
    pub(crate) fn says(&self, object: u32) -> Option<(u32, bool)> {
        let object = self.all.get(object as usize);
        object.map(|o| (o.file, o.unused))
    }

    /// Size of one copy in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.all.len() * size_of::<Object>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_least_recently_used_object_first() {
        let mut objects = Objects::new(1);
        for object in [0, 1, 2] {
            objects.set(object, object + 10);
        }
        objects.add(2, NodeIndex::new(0));
        objects.add(0, NodeIndex::new(0));
        assert_eq!(
            (
                objects.freeable(NodeIndex::new(0)),
                objects.oldest(NodeIndex::new(0))
            ),
            (2, Some(2))
        );
        objects.remove(2, NodeIndex::new(0));
        assert_eq!(
            (
                objects.freeable(NodeIndex::new(0)),
                objects.oldest(NodeIndex::new(0))
            ),
            (1, Some(0))
        );
        assert!(objects.is_sound());
    }

    #[test]
    fn keeps_one_list_for_all_nodes_or_one_for_each_node() {
        let counts = [1, 2].map(|lists| {
            let mut objects = Objects::new(lists);
            for (object, node) in [(0, 0), (1, 1), (2, 1)] {
                objects.set(object, object);
                objects.add(object, NodeIndex::new(node));
            }
            [
                objects.freeable(NodeIndex::new(0)),
                objects.freeable(NodeIndex::new(1)),
            ]
        });
        assert_eq!(counts, [[3, 3], [1, 2]]);
    }
}
