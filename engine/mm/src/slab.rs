//! Slab caches: the kernel's objects for files and cached pages (mm/slub.c, mm/slab.c).
//!
//! Modelled: four caches of reclaimable objects on pages of their own: dentries, inodes, the nodes
//! of the page cache's trees, and the buffer heads of pages written to a file system with blocks.
//! Left out: every other cache. The experiment describes their memory as part of the machine's
//! memory.
//! Visible difference: a kernel allocates buffer heads again when a page that lost them is written
//! to.
//! Invariants: each object in use has exactly one user that refers to it; pages counted as
//! reclaimable slab are those that the caches hold.

use facts::index::{FrameIndex, NodeIndex, ZonelistIndex};
use facts::state::{CloneFrom, State};

mod cache;
pub mod cache_grow;
mod dentry;
pub mod inode;
pub mod new_slab;
mod objects;

pub use cache::KmemCache;
pub use cache_grow::{CacheGrow, CgPt};
pub use dentry::{DAllocAndLookup, DlPt, dget, dput, scan_dentries};
pub use inode::{
    IgPt, IgetLocked, evict_unlinked, inode_clean, iput, page_cache_shrank, scan_inodes,
};
pub use new_slab::{NewSlab, NsPt};
pub use objects::Objects;

use crate::frames::Frame;
use crate::gfp::Gfp;
use crate::kernel::{SlabAllocator, SlabShrinkers};
use crate::memory::release;
use crate::mmzone::Gauge;
use crate::world::{Facts, World};

/// Index of the inode cache.
pub const INODE: usize = 0;
/// Index of the cache of tree nodes (`radix_tree_node`).
pub const TREE_NODE: usize = 1;
/// Index of the cache of buffer heads (`buffer_head`).
pub const BUFFERS: usize = 2;
/// Index of the dentry cache (`dentry`).
pub const DENTRY: usize = 3;
/// Number of caches.
const CACHES: usize = 4;

/// Size of a file system's inode in bytes, including the generic inode. Rounded.
const INODE_BYTES: u64 = 1024;
/// Size of a dentry in bytes on 64-bit machines (`struct dentry`).
const DENTRY_BYTES: u64 = 192;
/// Size of a tree node in bytes on 64-bit machines (`struct xa_node`, `struct radix_tree_node`).
pub const NODE_BYTES: u64 = 576;
/// Size of a buffer head in bytes on 64-bit machines; each block of 4 KiB has one. The buffer heads
/// of one page are one object here.
const BUFFER_BYTES_KIB: u64 = 104 / 4;

/// All slab caches.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Slab {
    /// The caches by [`INODE`] and the other indices.
    pub caches: [KmemCache; CACHES],
    /// What is recorded about the objects of the inode cache.
    pub(crate) inodes: Objects,
    /// What is recorded about the objects of the dentry cache.
    pub(crate) dentries: Objects,
    /// Objects left over from the last pass, by shrinker and list (`nr_deferred`).
    deferred: [Vec<u64>; 2],
    /// Blocks without a user, to be freed: slabs that became empty, and pages of files that were
    /// evicted with their inodes. These blocks are in flight.
    loose: Vec<FrameIndex>,
}

impl Slab {
    /// The empty caches of a machine.
    pub fn new(facts: &Facts) -> Self {
        let layout = &facts.layout;
        let (nodes, page_kib) = (layout.nodes.len(), layout.geometry.page_kib());
        let cpus = layout.online_cpus() as u16;
        let lists = match facts.features.slab_shrinkers {
            SlabShrinkers::Caches | SlabShrinkers::Super => 1,
            SlabShrinkers::SuperOfNode | SlabShrinkers::SuperAtLeastOne => nodes,
        };
        let of_nodes: Vec<u32> = layout.nodes.iter().map(|n| n.cpus.len() as u32).collect();
        let cache = |bytes| match facts.features.slab_allocator {
            SlabAllocator::Slub => KmemCache::new(bytes, cpus, page_kib << 10, nodes),
            SlabAllocator::Slab => KmemCache::with_slab(bytes, page_kib << 10, &of_nodes),
        };
        Self {
            caches: [
                cache(INODE_BYTES),
                cache(NODE_BYTES),
                cache(BUFFER_BYTES_KIB * page_kib),
                cache(DENTRY_BYTES),
            ],
            inodes: Objects::new(lists),
            dentries: Objects::new(lists),
            deferred: [vec![0; lists], vec![0; lists]],
            loose: Vec::new(),
        }
    }

    /// Takes an object of a cache, from this node if the node has one; `None` if no slab has a free
    /// object.
    pub fn take(&mut self, cache: usize, node: ZonelistIndex) -> Option<u32> {
        self.caches[cache].take(node)
    }

    /// Does a cache have an object for a task of this node, without a new slab?
    pub fn has_free(&self, cache: usize, node: ZonelistIndex) -> bool {
        self.caches[cache].has_free(node)
    }

    /// Number of objects that a shrinker left over from its last pass over a node's list.
    pub fn deferred(&mut self, shrinker: u8, node: NodeIndex) -> &mut u64 {
        let list = self.inodes.list_of(node);
        &mut self.deferred[usize::from(shrinker)][list]
    }

    /// Blocks that are about to be freed. For `check`.
    pub(crate) fn loose(&self) -> &[FrameIndex] {
        &self.loose
    }

    /// Size of one copy in bytes.
    pub fn bytes(&self) -> usize {
        self.caches.iter().map(KmemCache::bytes).sum::<usize>()
            + self.inodes.bytes()
            + self.dentries.bytes()
    }
}

/// Frame to call if a cache has no free object for a task of this node; `gfp` says whether the
/// request may wait and reclaim.
pub fn grow(w: &World, cache: usize, gfp: Gfp, node: ZonelistIndex) -> Frame {
    match w.facts.features.slab_allocator {
        SlabAllocator::Slub => NewSlab::call(cache, gfp, node),
        SlabAllocator::Slab => CacheGrow::call(cache, gfp, node),
    }
}

/// The same for a node of a file's tree, for a page allocated with these flags. The request is made
/// under the lock of the tree, or before taking it (`radix_tree_preload`).
pub fn grow_tree_nodes(w: &World, gfp: Gfp, node: ZonelistIndex) -> Frame {
    // GFP_RECLAIM_MASK drops the flags for the page's placement and for pages about to be written.
    let gfp = gfp.without(Gfp::MOVABLE.with(Gfp::WRITE));
    let (first, again) = if w.facts.features.tree_nodes_preloaded {
        (gfp, Gfp::default())
    } else {
        (Gfp::KSWAPD_RECLAIM, gfp.with(Gfp::RECLAIMABLE))
    };
    let mut frame = grow(w, TREE_NODE, first, node);
    match &mut frame {
        Frame::NewSlab(f) => f.again = again,
        Frame::CacheGrow(f) => f.again = again,
        _ => {}
    }
    frame
}

/// Frees an object (`kmem_cache_free`). If its slab becomes empty and the cache does not keep the
/// slab, the next caller of [`take_loose`] frees it.
pub fn free_object(w: &mut World, cache: usize, object: u32) {
    crate::memcg::kernel::uncharge_object(w, cache, object);
    if let Some(frame) = w.slab.caches[cache].free(object) {
        let order = w.mem.pages[frame].order();
        w.mem.count(frame, Gauge::SlabReclaimable, -(1 << order));
        release(w, frame);
        w.slab.loose.push(frame);
    }
}

/// A block without a user, with its order, for the caller to free.
pub fn take_loose(w: &mut World) -> Option<(FrameIndex, u8)> {
    let frame = w.slab.loose.pop()?;
    Some((frame, w.mem.pages[frame].order()))
}

#[cfg(test)]
impl Slab {
    /// Puts entries into lists that are usually empty, so that tests have something to change.
    pub(crate) fn fill(&mut self) {
        self.loose.push(FrameIndex::new(0));
        for cache in &mut self.caches {
            cache.fill();
        }
    }
}
