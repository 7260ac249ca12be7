//! read() from the page cache (mm/filemap.c).
//!
//! Modelled: look-up, read-ahead on a miss and on the marked page, waiting for a page that is being
//! read, one accessed mark for each page a read touches, the copy.
//! Left out: direct I/O, reading past the end, errors.
//! Visible difference: a reader waits a few microseconds for a page that a reclaimer has locked;
//! the kernel reads such a page without waiting.
//! Invariants: a page is copied only while it is in the cache and not locked.

use crate::block::{BlkGetRequest, has_room};
use crate::filemap::add::{ADDED, NO_MEMORY};
use crate::filemap::readahead::submit_read;
use crate::filemap::{
    AddToPageCacheLru, PageCacheReadahead, page_sectors, spend_copy, wait_on_page,
};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::mmzone::flag;
use crate::process::Fd;
use crate::world::World;
use facts::index::{FrameIndex, ZonelistIndex};
use facts::state::State;

room! {
    FilemapRead: "filemap_read" in "mm/filemap.c" at "v6.1.176" line 2725;
    Simplified "Direct I/O and errors are left out; a reader waits for a page that a reclaimer has locked. Called do_generic_file_read up to 4.15, generic_file_buffered_read up to 5.11.";
    FrPt {
        Find 0 Yields "for each page: find it, or page_cache_sync_readahead()";
        Again 1 Plain "still missing: add_to_page_cache_lru()";
        Got 1 Plain "no memory: stop, else wait for the queue";
        Submit 1 Plain "read this page alone";
        Ahead 1 Plain "marked PG_readahead: page_cache_async_readahead()";
        Wait 1 Plain "locked: wait until it has been read";
        Copy 1 Plain "copy it to the user, mark_page_accessed()";
    }
    locals(self, w) {
        fd: number(self.fd);
        end_sector: number(self.end);
        page: page(self.frame);
    }
}

/// `filemap_read` (`generic_file_aio_read` with `do_generic_file_read` before 4.16): reads from the
/// position of an open file to `end`. Returns 1, or 0 when memory ran out.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct FilemapRead {
    /// Current program point.
    pub pt: FrPt,
    /// Index of the open file in the task.
    pub fd: u8,
    /// Zonelist of the allocations.
    pub node: ZonelistIndex,
    /// End of the read, in sectors of the file.
    pub end: u32,
    /// Frame of the current page.
    pub frame: FrameIndex,
}

impl FilemapRead {
    /// Frame of a read of an open file, from its position to sector `end`.
    pub fn call(fd: u8, end: u32, node: ZonelistIndex) -> Frame {
        Frame::FileRead(Self {
            pt: FrPt::Find,
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
            FrPt::Find => self.find(w, cx, up),
            FrPt::Again => {
                self.pt = if self.is_cached(w, cx) {
                    FrPt::Find
                } else {
                    FrPt::Got
                };
                if self.pt == FrPt::Find {
                    return Flow::Next;
                }
                let (file, (index, _)) = (self.fd(w, cx).file, self.want(w, cx));
                let gfp = Gfp::GFP_HIGHUSER_MOVABLE;
                up.call(
                    AddToPageCacheLru::call(file, index, gfp, self.node, true),
                    w,
                    cx,
                )
            }
            FrPt::Got => self.got(w, cx, up),
            FrPt::Submit => {
                let (file, (index, _)) = (self.fd(w, cx).file, self.want(w, cx));
                submit_read(w, file, index, index + 1, false);
                self.pt = FrPt::Find;
                Flow::Next
            }
            FrPt::Ahead => {
                self.pt = FrPt::Find;
                // The page may have been moved or reclaimed since it was found.
                if !self.is_cached(w, cx) {
                    return Flow::Next;
                }
                let page = &mut w.mem.pages[self.frame];
                if !page.has(flag::READAHEAD) || page.has(flag::WRITEBACK) {
                    return Flow::Next;
                }
                page.clear(flag::READAHEAD);
                let (index, left) = self.want(w, cx);
                up.call(
                    PageCacheReadahead::call(self.fd, index, left, true, self.node),
                    w,
                    cx,
                )
            }
            FrPt::Wait => {
                self.pt = FrPt::Find;
                if !self.is_cached(w, cx) || !w.mem.pages[self.frame].has(flag::LOCKED) {
                    return Flow::Next;
                }
                wait_on_page(w, cx, self.frame)
            }
            FrPt::Copy => {
                // Other tasks may have had the CPU since the page was found.
                if self.is_cached(w, cx) && !w.mem.pages[self.frame].has(flag::LOCKED) {
                    self.copy(w, cx);
                }
                self.pt = FrPt::Find;
                Flow::Next
            }
        }
    }

    fn fd<'a>(&self, w: &'a World, cx: &Context) -> &'a Fd {
        &w.processes.all[cx.process as usize].fds[self.fd as usize]
    }

    /// The page at the position, and how many pages are left to read.
    fn want(&self, w: &World, cx: &Context) -> (u32, u32) {
        let sectors = page_sectors(w);
        let index = self.fd(w, cx).pos / sectors;
        (index, self.end.div_ceil(sectors) - index)
    }

    /// Looks up the page at the position.
    fn is_cached(&mut self, w: &World, cx: &Context) -> bool {
        let (index, _) = self.want(w, cx);
        let found = w.files.page(self.fd(w, cx).file, index);
        self.frame = found.unwrap_or(FrameIndex::NONE);
        found.is_some()
    }

    fn find(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let fd = self.fd(w, cx);
        if fd.pos >= self.end {
            cx.ret = 1;
            return Flow::Ret;
        }
        w.spend(w.facts.cost.cache_lookup);
        if !self.is_cached(w, cx) {
            let (index, left) = self.want(w, cx);
            self.pt = FrPt::Again;
            return up.call(
                PageCacheReadahead::call(self.fd, index, left, false, self.node),
                w,
                cx,
            );
        }
        let page = w.mem.pages[self.frame];
        self.pt = if page.has(flag::READAHEAD) && !page.has(flag::WRITEBACK) {
            FrPt::Ahead
        } else if page.has(flag::LOCKED) {
            FrPt::Wait
        } else {
            FrPt::Copy
        };
        Flow::Next
    }

    fn got(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.pt = match cx.ret {
            NO_MEMORY => return Flow::Ret,
            ADDED => FrPt::Submit,
            _ => FrPt::Find,
        };
        let device = w.files.device(self.fd(w, cx).file);
        if self.pt == FrPt::Find || has_room(w, device, true) {
            return Flow::Next;
        }
        up.call(BlkGetRequest::read(device, true), w, cx)
    }

    fn copy(&mut self, w: &mut World, cx: &Context) {
        let sectors = page_sectors(w);
        let fd = &mut w.processes.all[cx.process as usize].fds[self.fd as usize];
        let index = fd.pos / sectors;
        let to = ((index + 1) * sectors).min(self.end);
        let copied = to - fd.pos;
        let again = fd.prev == index && !fd.pos.is_multiple_of(sectors);
        (fd.pos, fd.prev) = (to, index);
        if !again {
            crate::swap::mark_page_accessed(w, self.frame);
        }
        spend_copy(w, copied);
    }
}
