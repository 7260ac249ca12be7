//! write() into the page cache, and fsync (mm/filemap.c, fs/sync.c).
//!
//! Modelled: finding or allocating each page, copying, dirtying it, the accessed mark of old kernels,
//! throttling by `balance_dirty_pages` after each page; writing a file out and waiting.
//! Left out: the file system. Blocks are found without reading, a part of a page is written without
//! reading the rest, and there is no journal.
//! Visible difference: overwriting parts of pages that are not cached reads nothing here.
//! Invariants: a page is dirtied only while it is in the cache and not locked.

use crate::block::Origin;
use crate::filemap::add::NO_MEMORY;
use crate::filemap::{
    AddToPageCacheLru, create_empty_buffers, page_sectors, slab_of_buffers, spend_copy,
    wait_on_page,
};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::{DirtySpread, WriteMarks};
use crate::mmzone::flag;
use crate::page_writeback::{WriteCachePages, balance_dirty_pages_ratelimited};
use crate::process::Fd;
use crate::world::World;
use facts::index::{FrameIndex, ZonelistIndex};
use facts::state::State;

/// Maximum number of rounds of writing and waiting in fsync.
const ROUNDS: u8 = 3;

room! {
    GenericPerformWrite: "generic_perform_write" in "mm/filemap.c" at "v6.1.176" line 3825;
    Simplified "Blocks are found without reading, and a part of a page is written without reading the rest.";
    GwPt {
        Find 0 Yields "for each page: write_begin(): find_lock_page()";
        Alloc 1 Plain "missing: add_to_page_cache_lru()";
        Add 1 Plain "no memory: stop";
        Wait 1 Plain "locked: wait until it is unlocked";
        Buffers 1 Plain "no buffer heads: create_empty_buffers()";
        Slab 2 Plain "no memory for them: stop";
        Copy 1 Plain "copy from the user, then set_page_dirty()";
        Balance 1 Plain "balance_dirty_pages_ratelimited()";
    }
    locals(self, w) {
        fd: number(self.fd);
        end_sector: number(self.end);
        page: page(self.frame);
    }
}

/// `generic_perform_write`: writes from the position of an open file to `end`. Returns 1, or 0 when
/// memory ran out.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct GenericPerformWrite {
    /// Current program point.
    pub pt: GwPt,
    /// Index of the open file in the task; `u8::MAX` for a file that was just created.
    pub fd: u8,
    /// Zonelist of the allocations.
    pub node: ZonelistIndex,
    /// End of the write, in sectors of the file.
    pub end: u32,
    /// Frame of the current page.
    pub frame: FrameIndex,
}

impl GenericPerformWrite {
    /// Frame of a write to an open file, from its position to sector `end`.
    pub fn call(fd: u8, end: u32, node: ZonelistIndex) -> Frame {
        Frame::FileWrite(Self {
            pt: GwPt::Find,
            fd,
            node,
            end,
            frame: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            GwPt::Find => self.find(w, cx),
            GwPt::Alloc => {
                self.pt = GwPt::Add;
                let (file, index) = (self.fd(w, cx).file, self.index(w, cx));
                let mut gfp = Gfp::GFP_HIGHUSER_MOVABLE;
                if w.facts.features.dirty_spread != DirtySpread::Nowhere {
                    gfp = gfp.with(Gfp::WRITE);
                }
                up.call(
                    AddToPageCacheLru::call(file, index, gfp, self.node, false),
                    w,
                    cx,
                )
            }
            GwPt::Add => {
                if cx.ret == NO_MEMORY {
                    return Flow::Ret;
                }
                self.pt = if self.is_cached(w, cx) {
                    GwPt::Buffers
                } else {
                    GwPt::Find
                };
                Flow::Next
            }
            GwPt::Buffers => self.buffers(w, cx, false, up),
            GwPt::Slab => {
                if cx.ret == 0 {
                    return Flow::Ret;
                }
                self.buffers(w, cx, true, up)
            }
            GwPt::Wait => {
                self.pt = GwPt::Find;
                if !self.is_cached(w, cx) || !w.mem.pages[self.frame].has(flag::LOCKED) {
                    return Flow::Next;
                }
                wait_on_page(w, cx, self.frame)
            }
            GwPt::Copy => {
                self.pt = GwPt::Find;
                if self.is_cached(w, cx) && !w.mem.pages[self.frame].has(flag::LOCKED) {
                    self.copy(w, cx);
                    self.pt = GwPt::Balance;
                }
                Flow::Next
            }
            GwPt::Balance => {
                self.pt = GwPt::Find;
                let file = self.fd(w, cx).file;
                match balance_dirty_pages_ratelimited(w, cx, file) {
                    Some(frame) => up.call(frame, w, cx),
                    None => Flow::Next,
                }
            }
        }
    }

    fn fd<'a>(&self, w: &'a World, cx: &Context) -> &'a Fd {
        &w.processes.all[cx.process as usize].fds[self.fd as usize]
    }

    fn index(&self, w: &World, cx: &Context) -> u32 {
        self.fd(w, cx).pos / page_sectors(w)
    }

    fn is_cached(&mut self, w: &World, cx: &Context) -> bool {
        let found = w.files.page(self.fd(w, cx).file, self.index(w, cx));
        self.frame = found.unwrap_or(FrameIndex::NONE);
        found.is_some()
    }

    fn find(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let fd = self.fd(w, cx);
        if fd.pos >= self.end {
            cx.ret = 1;
            return Flow::Ret;
        }
        w.spend(w.facts.cost.cache_lookup);
        self.pt = if !self.is_cached(w, cx) {
            GwPt::Alloc
        } else if w.mem.pages[self.frame].has(flag::LOCKED) {
            GwPt::Wait
        } else {
            GwPt::Buffers
        };
        Flow::Next
    }

    fn buffers(&mut self, w: &mut World, cx: &mut Context, slabbed: bool, up: Up<'_>) -> Flow {
        if !self.is_cached(w, cx) {
            // The page was reclaimed or truncated since it was found.
            self.pt = GwPt::Find;
            return Flow::Next;
        }
        let (file, index) = (self.fd(w, cx).file, self.index(w, cx));
        if create_empty_buffers(w, file, index, self.node, slabbed) {
            self.pt = GwPt::Copy;
            return Flow::Next;
        }
        self.pt = GwPt::Slab;
        up.call(slab_of_buffers(w, self.node), w, cx)
    }

    fn copy(&mut self, w: &mut World, cx: &Context) {
        let sectors = page_sectors(w);
        let fd = &mut w.processes.all[cx.process as usize].fds[self.fd as usize];
        let to = ((fd.pos / sectors + 1) * sectors).min(self.end);
        let copied = to - fd.pos;
        fd.pos = to;
        spend_copy(w, copied);
        if w.facts.features.write_marks != WriteMarks::Never {
            crate::swap::mark_page_accessed(w, self.frame);
        }
        crate::page_writeback::set_page_dirty(w, self.frame);
    }
}

room! {
    FsyncFile: "vfs_fsync" in "fs/sync.c" at "v6.1.176" line 200;
    Simplified "Only pages are written; there is no journal and no inode.";
    FsPt {
        Write 0 Plain "filemap_fdatawrite(): write the dirty pages";
        Wait 0 Yields "filemap_fdatawait(): wait until all are written";
        Done 0 Yields "pages were busy: once more, else return";
    }
    locals(self, w) {
        file: number(self.file);
        index: number(self.at);
    }
}

/// `vfs_fsync`: writes a file's dirty pages and waits for them.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct FsyncFile {
    /// Current program point.
    pub pt: FsPt,
    /// Number of rounds so far. The limit bounds the wait for pages that other tasks dirty
    /// meanwhile.
    pub rounds: u8,
    /// The file.
    pub file: u32,
    /// Index of the next page.
    pub at: u32,
}

impl FsyncFile {
    /// Frame of a call that writes a file to its device.
    pub fn call(file: u32) -> Frame {
        Frame::Fsync(Self {
            pt: FsPt::Write,
            rounds: 0,
            file,
            at: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            FsPt::Write => {
                (self.at, self.pt) = (0, FsPt::Wait);
                self.rounds += 1;
                let device = w.files.device(self.file);
                up.call(
                    WriteCachePages::call(device, self.file, u32::MAX, Origin::Sync),
                    w,
                    cx,
                )
            }
            FsPt::Wait => match w.files.next_page(self.file, self.at) {
                Some((index, frame)) => {
                    w.spend(w.facts.cost.cache_lookup);
                    if w.mem.pages[frame].has(flag::WRITEBACK) {
                        return wait_on_page(w, cx, frame);
                    }
                    self.at = index + 1;
                    Flow::Next
                }
                None => {
                    self.pt = FsPt::Done;
                    Flow::Next
                }
            },
            FsPt::Done => {
                if self.rounds == ROUNDS || w.files.nr_dirty(self.file) == 0 {
                    return Flow::Ret;
                }
                self.pt = FsPt::Write;
                Flow::Next
            }
        }
    }
}
