//! Dropping cached pages: truncation and drop_caches (mm/truncate.c, fs/drop_caches.c).
//!
//! Modelled: removing an unlinked file's pages one by one, after reads and writes in flight have
//! ended; dropping clean, unmapped pages of all files.
//! Left out: truncation to a size above 0.
//! Visible difference: none; here a file shrinks only to size 0.
//! Invariants: after truncation the file has neither pages nor shadows.

use crate::filemap::{delete_from_page_cache, drop_shadows, wait_on_page};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::memory::release;
use crate::mmzone::{Page, flag};
use crate::pcp::FreePages;
use crate::slab::take_loose;
use crate::vmscan::slab::drop_slab_node;
use crate::world::World;
use facts::index::{FrameIndex, NodeIndex};
use facts::state::State;

/// A pass that frees at most this many objects is the last one (`drop_slab`).
const DROP_SLAB_ENOUGH: u32 = 10;

room! {
    TruncateInodePages: "truncate_inode_pages" in "mm/truncate.c" at "v6.1.176" line 474;
    Simplified "Also drops clean pages of all files, dentries and inodes for drop_caches.";
    TiPt {
        Next 0 Yields "for each cached page: remove it, once it is idle";
        Free 1 Plain "free_pages()";
        Done 0 Plain "unlinked file: remove its shadows and inode too";
        Slab 0 Yields "drop_slab(): shrinkers scan all, until they free at most 10";
    }
    locals(self, w) {
        file: number(self.file);
        index: number(self.at);
        page: page(self.frame);
    }
}

/// `truncate_inode_pages` for one file, or `drop_pagecache_sb` for all of them.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TruncateInodePages {
    /// Current program point.
    pub pt: TiPt,
    /// True if only clean, unmapped pages are dropped, from this file and all files after it
    /// (`drop_caches`).
    pub only_clean: bool,
    /// True if unused dentries and inodes are dropped afterwards (`drop_slab`).
    pub slab: bool,
    /// The current file.
    pub file: u32,
    /// Index of the next page.
    pub at: u32,
    /// Frame of the removed page.
    pub frame: FrameIndex,
}

impl TruncateInodePages {
    /// Frame of a call that removes all pages of a file.
    pub fn call(file: u32) -> Frame {
        Frame::Truncate(Self {
            pt: TiPt::Next,
            only_clean: false,
            slab: false,
            file,
            at: 0,
            frame: FrameIndex::NONE,
        })
    }

    /// Frame of a call that drops the clean pages of all files, and if `slab` is true, unused
    /// dentries and inodes (1 or 3 written to `/proc/sys/vm/drop_caches`).
    pub fn drop_caches(slab: bool) -> Frame {
        Frame::Truncate(Self {
            pt: TiPt::Next,
            only_clean: true,
            slab,
            file: 0,
            at: 0,
            frame: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            TiPt::Next => self.next(w, cx),
            TiPt::Free => {
                self.pt = TiPt::Next;
                up.call(FreePages::call(self.frame, 0), w, cx)
            }
            TiPt::Done => {
                if !self.only_clean {
                    drop_shadows(w, self.file);
                    crate::slab::evict_unlinked(w, self.file);
                }
                match take_loose(w) {
                    Some((frame, order)) => up.call(FreePages::call(frame, order), w, cx),
                    None if self.slab => {
                        self.pt = TiPt::Slab;
                        Flow::Next
                    }
                    None => Flow::Ret,
                }
            }
            TiPt::Slab => self.drop_slab(w),
        }
    }

    /// Makes all shrinkers scan all their objects; repeats while a pass frees more than a few
    /// objects.
    fn drop_slab(&mut self, w: &mut World) -> Flow {
        let freed: u32 = (NodeIndex::all(w.facts.layout.nodes.len()))
            .map(|node| drop_slab_node(w, node))
            .sum();
        self.slab = freed > DROP_SLAB_ENOUGH;
        self.pt = TiPt::Done;
        Flow::Next
    }

    fn next(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        w.spend(w.facts.cost.cache_lookup);
        let found = if self.file < w.files.all.len() as u32 {
            w.files.next_page(self.file, self.at)
        } else {
            self.pt = TiPt::Done;
            return Flow::Next;
        };
        let f = w.files.file(self.file);
        if !self.only_clean && (f.linked || f.users > 0) {
            // The file was created again in the meantime, and perhaps unlinked again. The last task
            // that closes it will truncate it.
            self.only_clean = true;
            self.pt = TiPt::Done;
            return Flow::Next;
        }
        let Some((index, frame)) = found else {
            if !self.only_clean {
                self.pt = TiPt::Done;
            } else {
                (self.file, self.at) = (self.file + 1, 0);
            }
            return Flow::Next;
        };
        let page = w.mem.pages[frame];
        self.at = index;
        if self.only_clean {
            self.at += 1;
            if !is_droppable(page) {
                return Flow::Next;
            }
        } else if page.meta & (flag::LOCKED | flag::WRITEBACK) != 0 {
            return wait_on_page(w, cx, frame);
        }
        delete_from_page_cache(w, frame, None);
        if page.has(flag::ISOLATED) {
            // A reclaimer has isolated the page and frees it.
            return Flow::Next;
        }
        release(w, frame);
        (self.frame, self.pt) = (frame, TiPt::Free);
        Flow::Next
    }
}

/// May a page be dropped without writing, unmapping or waiting (`invalidate_inode_page`)?
pub fn is_droppable(page: Page) -> bool {
    let busy = flag::DIRTY | flag::WRITEBACK | flag::LOCKED | flag::MAPPED | flag::ISOLATED;
    page.meta & busy == 0
}
