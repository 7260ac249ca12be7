//! Charges for kernel memory: page tables, and objects of slab caches (mm/memcontrol.c, `obj_cgroup_charge`,
//! `obj_cgroup_uncharge`, `__memcg_kmem_charge_page`).
//!
//! Modelled: whole pages; the nodes of file trees, charged by bytes from prepaid pages.
//! Left out: other slab objects, kernel stacks, sockets. A kernel keeps the prepaid bytes for each CPU;
//! here each cgroup has its own.
//! Invariants: the pages charged for objects have as many bytes as the objects and the prepaid bytes.

use facts::index::GroupIndex;
use facts::state::State;

use super::{Memcg, group::Group};
use crate::slab::{NODE_BYTES, TREE_NODE};
use crate::world::World;

/// Bytes that the free pointer of an object with a constructor takes.
const FREE_POINTER: u32 = 8;
/// Bytes of the reference from an object to its cgroup (`struct obj_cgroup *`).
const REFERENCE: u32 = 8;
/// Bytes charged for a node of a file's tree (`obj_full_size`).
pub const NODE_CHARGE: u32 = NODE_BYTES as u32 + FREE_POINTER + REFERENCE;

/// What a cgroup is charged for slab objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Objects {
    /// Pages charged.
    pub pages: u32,
    /// Bytes of the objects.
    pub used: u64,
    /// Bytes of the pages that are not used yet.
    pub prepaid: u32,
}

impl Objects {
    /// Takes the bytes of an object from the prepaid ones (`consume_obj_stock`).
    pub fn take(&mut self, bytes: u32) {
        self.prepaid -= bytes;
        self.used += u64::from(bytes);
    }

    /// A page was charged for further objects.
    pub fn add_page(&mut self, page_bytes: u32) {
        self.pages += 1;
        self.prepaid += page_bytes;
    }

    /// Gives the bytes of an object back. Returns the number of whole pages to uncharge
    /// (`refill_obj_stock`).
    pub fn give(&mut self, bytes: u32, page_bytes: u32) -> u32 {
        self.used -= u64::from(bytes);
        self.prepaid += bytes;
        let mut whole = 0;
        if self.prepaid > page_bytes {
            whole = self.prepaid / page_bytes;
            self.prepaid %= page_bytes;
        }
        self.pages -= whole;
        whole
    }
}

/// Bytes of a page.
pub fn page_bytes(w: &World) -> u32 {
    (w.facts.layout.geometry.page_kib() as u32) << 10
}

/// Has a cgroup enough prepaid bytes for a node of a file's tree? If not, a page must be charged first.
pub fn has_node(w: &World, group: GroupIndex) -> bool {
    w.memcg.groups[group].objects.prepaid >= NODE_CHARGE
}

/// A page was charged for nodes of file trees.
pub fn add_page(w: &mut World, group: GroupIndex) {
    let bytes = page_bytes(w);
    w.memcg.groups[group].objects.add_page(bytes);
}

/// Charges a cgroup that has prepaid bytes for a node, and notes that it paid for this object.
pub fn charge_node(w: &mut World, object: u32, group: GroupIndex) {
    w.memcg.groups[group].objects.take(NODE_CHARGE);
    let at = object as usize;
    let nodes = &mut w.memcg.nodes;
    if nodes.len() <= at {
        nodes.resize((at + 1).next_multiple_of(256), 0);
    }
    nodes[at] = group.get();
}

/// An object of a slab cache is freed: uncharges the cgroup that paid for it (`memcg_slab_free_hook`).
pub fn uncharge_object(w: &mut World, cache: usize, object: u32) {
    if cache != TREE_NODE {
        return;
    }
    let Some(payer) = w.memcg.nodes.get_mut(object as usize) else {
        return;
    };
    let group = GroupIndex::new(std::mem::take(payer));
    if !group.is_root() {
        let page_bytes = page_bytes(w);
        let whole = w.memcg.groups[group].objects.give(NODE_CHARGE, page_bytes);
        give_pages(w, group, whole);
    }
}

/// Uncharges pages of kernel memory into the stock of the CPU (`obj_cgroup_uncharge_pages`).
pub fn give_pages(w: &mut World, group: GroupIndex, pages: u32) {
    if pages > 0 {
        let Memcg { stocks, memory, .. } = &mut w.memcg;
        stocks[w.cpu].refill(memory, group, pages);
    }
}

/// What a cgroup and those below it are charged for slab objects.
pub fn objects(w: &World, group: GroupIndex) -> Objects {
    let groups = w.memcg.groups.entries();
    let below = groups.filter(|(at, _)| w.memcg.memory.is_below(*at, group));
    below.fold(Objects::default(), |sum, (_, Group { objects, .. })| {
        Objects {
            pages: sum.pages + objects.pages,
            used: sum.used + objects.used,
            prepaid: sum.prepaid + objects.prepaid,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_nodes_fit_into_a_page_and_only_whole_pages_are_returned() {
        let mut objects = Objects::default();
        objects.add_page(4096);
        for _ in 0..6 {
            objects.take(NODE_CHARGE);
        }
        assert!(objects.prepaid < NODE_CHARGE);
        assert_eq!((objects.used, objects.prepaid), (6 * 592, 4096 - 6 * 592));
        // A page is given back when more than one is prepaid.
        let given: Vec<u32> = (0..6).map(|_| objects.give(NODE_CHARGE, 4096)).collect();
        assert_eq!(given, [0; 6]);
        objects.add_page(4096);
        objects.take(NODE_CHARGE);
        assert_eq!(objects.give(NODE_CHARGE, 4096), 2);
        assert_eq!(objects, Objects::default());
    }
}
