//! Allocating a page for a cache that has no free object on the CPU's node (mm/slab.c,
//! `cache_grow`).
//!
//! Modelled: the requests of `cache_alloc_refill` and `____cache_alloc_node`, both for the local
//! node only and without reclaim after the zonelist walk; then objects of other nodes, and last a
//! page of any node (`fallback_alloc`). The caches here are reclaimable, so their slabs are single
//! pages.
//! Left out: the objects each CPU caches and gives back in batches (`array_cache`); freeing unused
//! objects in the background (`cache_reap`); objects of other nodes are taken in node order, not in
//! zonelist order.
//! Visible difference: a CPU requests a page a little later than a real one, which fills its array.
//! Invariants: only the last request may reclaim after the walk and wake kswapd.

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::page_alloc::{AllocPages, Request};
use crate::record::decisions;
use crate::slab::new_slab::{NAMES, NoSlab, add_slab};
use crate::world::World;
use facts::index::{FrameIndex, ZonelistIndex};
use facts::state::State;

decisions! {
    SlabElsewhere { cache: Count, node: Node }
        "{node} has no page for slab cache {cache}: try objects of other nodes, then a page of any node.";
}

room! {
    CacheGrow: "cache_grow" in "mm/slab.c";
    Simplified "Four caches; the objects each CPU caches are left out. Includes its callers cache_alloc_refill, ____cache_alloc_node and fallback_alloc." if |f| f.slab_allocator == facts::kernel::SlabAllocator::Slab;
    CgPt {
        Refill 0 Plain "cache_alloc_refill(): a page of this node (GFP_THISNODE)";
        Node 0 Plain "none: ____cache_alloc_node(): the same once more";
        Others 0 Plain "none: fallback_alloc(): an object of another node?";
        Any 0 Plain "none: kmem_getpages(), from any node";
        Again 0 Plain "none, with a lock held: drop it and start over";
        Add 0 Yields "none: return 0, else the page becomes a free slab";
    }
    locals(self, w) {
        cache: text(NAMES[usize::from(self.cache)]);
    }
}

/// `cache_grow` with its callers. Returns 1 when the cache has a free object, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct CacheGrow {
    /// Current program point.
    pub pt: CgPt,
    /// Index of the cache.
    pub cache: u8,
    /// Zonelist of the request.
    pub node: ZonelistIndex,
    /// gfp flags of the caller.
    pub gfp: Gfp,
    /// gfp flags of another attempt; empty if no attempt is left.
    pub again: Gfp,
}

impl CacheGrow {
    /// Frame of a call for a cache without a free object, for a request with these flags.
    pub fn call(cache: usize, gfp: Gfp, node: ZonelistIndex) -> Frame {
        Frame::CacheGrow(Self {
            pt: CgPt::Refill,
            cache: cache as u8,
            node,
            gfp: gfp.with(Gfp::RECLAIMABLE),
            again: Gfp::default(),
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            CgPt::Refill => {
                self.pt = CgPt::Node;
                self.ask_node(w, cx, up)
            }
            CgPt::Node => {
                if cx.ret != NONE {
                    self.pt = CgPt::Add;
                    return Flow::Next;
                }
                self.pt = CgPt::Others;
                self.ask_node(w, cx, up)
            }
            CgPt::Others => self.others(w, cx),
            CgPt::Any => {
                self.pt = CgPt::Again;
                self.ask(w, self.gfp, self.node, cx, up)
            }
            CgPt::Again => {
                self.pt = CgPt::Add;
                if cx.ret == NONE && self.again != Gfp::default() {
                    self.gfp = std::mem::take(&mut self.again);
                    self.pt = CgPt::Refill;
                }
                Flow::Next
            }
            CgPt::Add => {
                cx.ret = u32::from(self.add(w, FrameIndex::new(cx.ret)));
                Flow::Ret
            }
        }
    }

    fn others(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if cx.ret != NONE {
            self.pt = CgPt::Add;
            return Flow::Next;
        }
        w.record(SlabElsewhere {
            cache: self.cache.into(),
            node: w.home(self.node),
        });
        if w.slab.caches[usize::from(self.cache)].has_any() {
            cx.ret = 1;
            return Flow::Ret;
        }
        self.pt = CgPt::Any;
        Flow::Next
    }

    /// Makes a slab of the allocated block. Returns false if there is no block.
    fn add(&self, w: &mut World, frame: FrameIndex) -> bool {
        if frame == FrameIndex::NONE {
            w.record(NoSlab {
                cache: self.cache.into(),
            });
            return false;
        }
        let [size, _] = w.slab.caches[usize::from(self.cache)].sizes();
        add_slab(w, self.cache, frame, size, self.node);
        true
    }

    /// Requests a page of the CPU's node only, once.
    fn ask_node(&self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let gfp = self.gfp.with(Gfp::GFP_THISNODE);
        let node = w.only(w.home(self.node));
        self.ask(w, gfp, node, cx, up)
    }

    fn ask(
        &self,
        w: &mut World,
        gfp: Gfp,
        node: ZonelistIndex,
        cx: &mut Context,
        up: Up<'_>,
    ) -> Flow {
        let [size, _] = w.slab.caches[usize::from(self.cache)].sizes();
        let gfp = if size.order > 0 {
            gfp.with(Gfp::COMP)
        } else {
            gfp
        };
        up.call(
            AllocPages::call(Request::new(w, gfp, size.order, node)),
            w,
            cx,
        )
    }
}
