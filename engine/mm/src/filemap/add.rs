//! Adding a new page to a file's page cache (mm/filemap.c, `add_to_page_cache_lru`).
//!
//! Modelled: the page, the node of the file's tree if it is missing, the LRU list.
//! Left out: large folios.
//! Invariants: a page is either freed or joins the cache; it joins only where no page is cached.

use crate::filemap::{add_to_lru, add_to_page_cache, comes_back};
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::kernel::MemcgRule;
use crate::memcg::{self, charge::TryCharge, kernel};
use crate::mmzone::flag;
use crate::page_alloc::{AllocPages, Request};
use crate::pcp::FreePages;
use crate::slab::{TREE_NODE, grow_tree_nodes};
use crate::world::World;
use facts::index::{FrameIndex, ZonelistIndex};
use facts::state::State;

/// [`AddToPageCacheLru`] returns this if there was no memory.
pub const NO_MEMORY: u32 = 0;
/// The page joined the cache.
pub const ADDED: u32 = 1;
/// Another task added a page first.
pub const THERE: u32 = 2;

room! {
    AddToPageCacheLru: "add_to_page_cache_lru" in "mm/filemap.c" at "v5.10.223" line 936;
    Simplified "Includes the allocation of the page; called filemap_add_folio from 5.16 on. Only the leaves of a file's tree take memory.";
    AcPt {
        Alloc 0 Plain "page = __page_cache_alloc()";
        Got 0 Plain "no page: return ENOMEM";
        Charge 0 Plain "mem_cgroup_charge()" if |f| f.memcg != MemcgRule::Absent;
        Charged 0 Plain "no: ENOMEM" if |f| f.memcg != MemcgRule::Absent;
        Add 0 Plain "add it to the file's tree and its LRU list";
        ChargeNode 1 Plain "obj_cgroup_charge() for the tree's node" if |f| f.memcg != MemcgRule::Absent;
        NodeCharged 1 Plain "no: ENOMEM" if |f| f.memcg != MemcgRule::Absent;
        Node 1 Plain "no memory for the tree's node: ENOMEM";
        Free 0 Plain "the page did not join: free it";
        Return 0 Plain "return";
    }
    locals(self, w) {
        file: number(self.file);
        index: number(self.index);
        page: page(self.frame);
    }
}

/// `add_to_page_cache_lru` with the allocation before it (`filemap_add_folio` from 5.16). Returns
/// [`NO_MEMORY`], [`ADDED`] or [`THERE`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct AddToPageCacheLru {
    /// Current program point.
    pub pt: AcPt,
    /// Zonelist of the allocation.
    pub node: ZonelistIndex,
    /// True if the page joins locked because it will be read.
    pub locked: bool,
    /// True if the page is marked: using it starts the next read-ahead.
    pub marked: bool,
    /// True if a slab for a node of the tree was just added.
    pub slabbed: bool,
    /// Result of the call.
    pub result: u8,
    /// Flags of the request.
    pub gfp: Gfp,
    /// The file.
    pub file: u32,
    /// Index of the page in the file.
    pub index: u32,
    /// Frame of the page.
    pub frame: FrameIndex,
}

impl AddToPageCacheLru {
    /// Frame of a call for one page of a file; `read` is true if its contents will be read.
    pub fn call(file: u32, index: u32, gfp: Gfp, node: ZonelistIndex, read: bool) -> Frame {
        Self::ahead(file, index, gfp, node, read, false)
    }

    /// The same for read-ahead; if `marked`, using the page starts the next read-ahead.
    pub fn ahead(
        file: u32,
        index: u32,
        gfp: Gfp,
        node: ZonelistIndex,
        locked: bool,
        marked: bool,
    ) -> Frame {
        Frame::AddToCache(Self {
            pt: AcPt::Alloc,
            node,
            locked,
            marked,
            slabbed: false,
            result: ADDED as u8,
            gfp,
            file,
            index,
            frame: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            AcPt::Alloc => {
                self.pt = AcPt::Got;
                up.call(
                    AllocPages::call(Request::new(w, self.gfp, 0, self.node)),
                    w,
                    cx,
                )
            }
            AcPt::Got => {
                self.frame = FrameIndex::new(cx.ret);
                if self.frame == FrameIndex::NONE {
                    cx.ret = NO_MEMORY;
                    return Flow::Ret;
                }
                let group = memcg::of_task(w, cx);
                self.pt = if memcg::is_charged(w, group) {
                    AcPt::Charge
                } else {
                    AcPt::Add
                };
                Flow::Next
            }
            AcPt::Charge => {
                self.pt = AcPt::Charged;
                let group = memcg::of_task(w, cx);
                up.call(TryCharge::call(group, 1, self.gfp), w, cx)
            }
            AcPt::Charged => {
                if cx.ret == 0 {
                    return self.fails(w, NO_MEMORY);
                }
                let group = memcg::of_task(w, cx);
                memcg::commit(w, self.frame, group);
                self.pt = AcPt::Add;
                Flow::Next
            }
            AcPt::Add => self.add(w, cx, up),
            AcPt::ChargeNode => {
                self.pt = AcPt::NodeCharged;
                let group = memcg::of_task(w, cx);
                up.call(TryCharge::call(group, 1, self.gfp), w, cx)
            }
            AcPt::NodeCharged => {
                if cx.ret == 0 {
                    return self.fails(w, NO_MEMORY);
                }
                let group = memcg::of_task(w, cx);
                kernel::add_page(w, group);
                self.pt = AcPt::Add;
                Flow::Next
            }
            AcPt::Node => {
                self.pt = AcPt::Add;
                self.slabbed = true;
                if cx.ret == 0 {
                    return self.fails(w, NO_MEMORY);
                }
                Flow::Next
            }
            AcPt::Free => {
                self.pt = AcPt::Return;
                up.call(FreePages::call(self.frame, 0), w, cx)
            }
            AcPt::Return => {
                cx.ret = self.result.into();
                Flow::Ret
            }
        }
    }

    fn fails(&mut self, w: &mut World, result: u32) -> Flow {
        memcg::uncharge(w, self.frame);
        self.result = result as u8;
        self.pt = AcPt::Free;
        Flow::Next
    }

    fn add(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let (file, index) = (self.file, self.index);
        if w.files.page(file, index).is_some() {
            return self.fails(w, THERE);
        }
        let mut object = NONE;
        if w.files.needs_node(file, index) {
            let group = memcg::of_task(w, cx);
            let is_charged = memcg::is_charged(w, group);
            if is_charged && !kernel::has_node(w, group) {
                self.pt = AcPt::ChargeNode;
                return Flow::Next;
            }
            // The slab just added may be on another node. In that case, take any free object.
            if !self.slabbed && !w.slab.has_free(TREE_NODE, self.node) {
                self.pt = AcPt::Node;
                return up.call(grow_tree_nodes(w, self.gfp, self.node), w, cx);
            }
            self.slabbed = false;
            match w.slab.take(TREE_NODE, self.node) {
                Some(found) => {
                    object = found;
                    if is_charged {
                        kernel::charge_node(w, object, group);
                    }
                }
                None => return Flow::Next,
            }
        }
        let shadow = add_to_page_cache(w, self.frame, file, index, object);
        comes_back(w, self.frame, self.locked);
        let page = &mut w.mem.pages[self.frame];
        if self.locked {
            page.set(flag::LOCKED);
        }
        if self.marked {
            page.set(flag::READAHEAD);
        }
        add_to_lru(w, cx, self.frame, shadow, self.gfp);
        cx.ret = ADDED;
        Flow::Ret
    }
}
