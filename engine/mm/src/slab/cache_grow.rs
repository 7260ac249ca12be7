//! A page for a cache that has no free object on the CPU's node (mm/slab.c, `cache_grow`).
//!
//! Modelled: what `cache_alloc_refill` and `____cache_alloc_node` ask for, each of the node alone and
//! without reclaim behind the walk; the other nodes' objects, and at last a page from anywhere
//! (`fallback_alloc`). The caches here may be shrunk, so their slabs are single pages.
//! Left out: the objects each CPU keeps at hand and gives back in batches (`array_cache`), and the
//! slow thinning of what nobody uses (`cache_reap`); objects of other nodes are taken in the order
//! of the nodes, not of the zonelist.
//! Who could tell: a CPU asks for a page a little later than a real one, which fills its array.
//! Invariants: only the last request may reclaim behind the walk and wake kswapd.

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::page_alloc::{AllocPages, Request};
use crate::record::decisions;
use crate::slab::new_slab::{NAMES, NoSlab, add_slab};
use crate::world::World;
use facts::state::State;

decisions! {
    SlabElsewhere { cache: Count, node: Node }
        "No page of {node} for slab cache {cache}: the request that would take one from anywhere comes last, objects of other nodes come first.";
}

room! {
    CacheGrow: "cache_grow" in "mm/slab.c";
    Simplified "Four caches; the objects each CPU keeps at hand are left out. Called with its callers: cache_alloc_refill, ____cache_alloc_node, fallback_alloc." if |f| f.slab_allocator == facts::kernel::SlabAllocator::Slab;
    CgPt {
        Refill 0 Plain "cache_alloc_refill(): a page of this node (GFP_THISNODE)";
        Node 0 Plain "none: ____cache_alloc_node(): the same once more";
        Others 0 Plain "none: fallback_alloc(): an object of another node?";
        Any 0 Plain "none: kmem_getpages(), from wherever it may be";
        Again 0 Plain "none, with a lock held: drop it and begin once more";
        Add 0 Yields "none: return 0, else it joins the free slabs";
    }
    locals(self, w) {
        cache: text(NAMES[usize::from(self.cache)]);
    }
}

/// `cache_grow` with its callers. Returns 1 when the cache has a free object, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct CacheGrow {
    /// Where it stands.
    pub pt: CgPt,
    /// The cache.
    pub cache: u8,
    /// Node whose zonelist serves it.
    pub node: u8,
    /// Flags of the caller.
    pub gfp: Gfp,
    /// Flags for once more; none when nothing is left to try.
    pub again: Gfp,
}

impl CacheGrow {
    /// A cache has no object at hand; it is asked for one with these flags.
    pub fn call(cache: usize, gfp: Gfp, node: u8) -> Frame {
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
                cx.ret = u32::from(self.add(w, cx.ret));
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

    /// Makes a slab of what came. False when nothing did.
    fn add(&self, w: &mut World, frame: u32) -> bool {
        if frame == NONE {
            w.record(NoSlab {
                cache: self.cache.into(),
            });
            return false;
        }
        let [size, _] = w.slab.caches[usize::from(self.cache)].sizes();
        add_slab(w, self.cache, frame, size, self.node);
        true
    }

    /// A page of the CPU's node alone, tried once.
    fn ask_node(&self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let gfp = self.gfp.with(Gfp::GFP_THISNODE);
        let node = w.only(w.home(self.node));
        self.ask(w, gfp, node, cx, up)
    }

    fn ask(&self, w: &mut World, gfp: Gfp, node: u8, cx: &mut Context, up: Up<'_>) -> Flow {
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
