//! Allocating a slab for a cache that has no free object (mm/slub.c, `new_slab`, `allocate_slab`).
//!
//! Modelled: the attempt at the cache's preferred order, which may not try hard; the attempt at the
//! smallest order; the second call of a caller that held a lock at the first.
//! Left out: huge requests; the pool of tree nodes that each CPU keeps for insertions (up to 4.19).
//! Visible difference: up to 4.19 tree nodes are requested a little earlier.
//! Invariants: a slab that joins a cache is immediately counted as reclaimable.

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::mmzone::{Gauge, PageKind};
use crate::page_alloc::{AllocPages, Request};
use crate::record::decisions;
use crate::slab::CACHES;
use crate::slab::cache::SlabSize;
use crate::world::World;
use facts::index::{FrameIndex, ZonelistIndex};
use facts::state::State;

decisions! {
    SlabAdded { cache: Count, order: Order, objects: Count, page: Page }
        "Slab cache {cache} has no free object: it gets a block of {order} at {page}, with room for {objects object}.";
    NoSlab { cache: Count }
        "There is no memory for another slab of cache {cache}: the request for an object fails.";
}

room! {
    NewSlab: "new_slab" in "mm/slub.c" at "v6.1.176" line 1990;
    Simplified "Four caches; the slab of each CPU is left out." if |f| f.slab_allocator == facts::kernel::SlabAllocator::Slub;
    NsPt {
        Best 0 Plain "request a block of the preferred order, gently";
        Least 0 Plain "none: request the smallest that holds an object";
        Again 0 Plain "none, with a lock held: drop it and request once more";
        Add 0 Yields "none: return 0, else it joins the partial slabs";
    }
    locals(self, w) {
        cache: text(NAMES[usize::from(self.cache)]);
        order: number(self.size(w).order);
        objects: number(self.size(w).objects);
    }
}

/// `new_slab`. Returns 1 when the cache has a free object, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct NewSlab {
    /// Current program point.
    pub pt: NsPt,
    /// Index of the cache.
    pub cache: u8,
    /// Zonelist of the requests.
    pub node: ZonelistIndex,
    /// True if the smaller size is requested.
    pub least: bool,
    /// gfp flags of the caller.
    pub gfp: Gfp,
    /// gfp flags of another attempt; empty if no attempt is left.
    pub again: Gfp,
}

impl NewSlab {
    /// Frame of a call for a cache without a free object, for a request with these flags.
    pub fn call(cache: usize, gfp: Gfp, node: ZonelistIndex) -> Frame {
        Frame::NewSlab(Self {
            pt: NsPt::Best,
            cache: cache as u8,
            node,
            least: false,
            gfp: gfp.with(Gfp::RECLAIMABLE),
            again: Gfp::default(),
        })
    }

    /// The size to request.
    fn size(&self, w: &World) -> SlabSize {
        w.slab.caches[usize::from(self.cache)].sizes()[usize::from(self.least)]
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let [best, least] = w.slab.caches[usize::from(self.cache)].sizes();
        match self.pt {
            NsPt::Best => {
                self.pt = NsPt::Least;
                self.least = false;
                let mut gfp = self.gfp.with(Gfp::NORETRY);
                let gentle = best.order > least.order && !w.facts.features.slab_orders_wait;
                if gentle && gfp.has(Gfp::DIRECT_RECLAIM) {
                    gfp = gfp.without(Gfp::DIRECT_RECLAIM.with(Gfp::KSWAPD_RECLAIM));
                }
                self.ask(w, gfp, best.order, cx, up)
            }
            NsPt::Least => {
                if cx.ret != NONE {
                    self.pt = NsPt::Add;
                    return Flow::Next;
                }
                self.pt = NsPt::Again;
                self.least = true;
                self.ask(w, self.gfp, least.order, cx, up)
            }
            NsPt::Again => {
                self.pt = NsPt::Add;
                if cx.ret == NONE && self.again != Gfp::default() {
                    self.gfp = std::mem::take(&mut self.again);
                    self.pt = NsPt::Best;
                }
                Flow::Next
            }
            NsPt::Add => {
                let frame = cx.ret;
                if frame == NONE {
                    w.record(NoSlab {
                        cache: self.cache.into(),
                    });
                    cx.ret = 0;
                    return Flow::Ret;
                }
                let size = if self.least { least } else { best };
                add_slab(w, self.cache, FrameIndex::new(frame), size, self.node);
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    fn ask(&self, w: &mut World, gfp: Gfp, order: u8, cx: &mut Context, up: Up<'_>) -> Flow {
        let gfp = if order > 0 { gfp.with(Gfp::COMP) } else { gfp };
        up.call(
            AllocPages::call(Request::new(w, gfp, order, self.node)),
            w,
            cx,
        )
    }
}

/// Makes a slab of a block that was allocated for a task of node `home`.
pub(super) fn add_slab(
    w: &mut World,
    cache: u8,
    frame: FrameIndex,
    size: SlabSize,
    home: ZonelistIndex,
) {
    let zone = w.mem.pages[frame].zone();
    let node = w.mem.zones[zone].node;
    w.mem.set_kind(frame, PageKind::Slab, size.order);
    w.mem.count(frame, Gauge::SlabReclaimable, 1 << size.order);
    let of = &mut w.slab.caches[usize::from(cache)];
    let record = of.add_slab(frame, node, home, size.objects);
    let page = &mut w.mem.pages[frame];
    (page.owner, page.index) = (cache.into(), record);
    w.record(SlabAdded {
        cache: cache.into(),
        order: size.order,
        objects: size.objects.into(),
        page: frame,
    });
}

/// Names of the caches, as in /proc/slabinfo.
pub const NAMES: [&str; CACHES] = [
    "ext4_inode_cache",
    "radix_tree_node",
    "buffer_head",
    "dentry",
];
