//! Dropping cached pages: truncation and drop_caches (mm/truncate.c, fs/drop_caches.c).
//!
//! Modelled: removing an unlinked file's pages one by one, after reads and writes in flight have ended;
//! dropping clean, unmapped pages of all files.
//! Left out: truncation to a size above 0.
//! Visible difference: none; a file shrinks only to size 0.
//! Invariants: after truncation the file has neither pages nor shadows.

use crate::filemap::{delete_from_page_cache, drop_shadows, wait_on_page};
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::memory::release;
use crate::mmzone::{Page, flag};
use crate::pcp::FreePages;
use crate::slab::take_loose;
use crate::vmscan::slab::drop_slab_node;
use crate::world::World;
use facts::index::NodeIndex;
use facts::state::State;

/// A pass that frees at most this many objects is the last (`drop_slab`).
const DROP_SLAB_ENOUGH: u32 = 10;

room! {
    TruncateInodePages: "truncate_inode_pages" in "mm/truncate.c" at "v6.1.176" line 474;
    Simplified "Also drops clean pages of all files, dentries and inodes for drop_caches.";
    TiPt {
        Next 0 Yields "for each cached page: take it out, once it is idle";
        Free 1 Plain "free_pages()";
        Done 0 Plain "unlinked file: its shadows and inode go too";
        Slab 0 Yields "drop_slab(): shrinkers scan all they have, until they free 10 at most";
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
    /// Program point.
    pub pt: TiPt,
    /// Drop only clean, unmapped pages, of this file and all after it (`drop_caches`).
    pub only_clean: bool,
    /// Then drop unused dentries and inodes (`drop_slab`).
    pub slab: bool,
    /// File.
    pub file: u32,
    /// Next page.
    pub at: u32,
    /// The removed page.
    pub frame: u32,
}

impl TruncateInodePages {
    /// A call that removes all pages of a file.
    pub fn call(file: u32) -> Frame {
        Frame::Truncate(Self {
            pt: TiPt::Next,
            only_clean: false,
            slab: false,
            file,
            at: 0,
            frame: NONE,
        })
    }

    /// A call that drops the clean pages of all files, and with `slab` unused dentries and inodes (1 or 3
    /// written to `/proc/sys/vm/drop_caches`).
    pub fn drop_caches(slab: bool) -> Frame {
        Frame::Truncate(Self {
            pt: TiPt::Next,
            only_clean: true,
            slab,
            file: 0,
            at: 0,
            frame: NONE,
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

    /// Makes all shrinkers scan everything once; repeats while that frees more than a few objects.
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
            // The file was created again meanwhile, and perhaps unlinked again: the last task that
            // closes it truncates it.
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
        let page = w.mem.pages[frame as usize];
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
