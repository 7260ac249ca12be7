//! Faults on mapped files (mm/filemap.c, `filemap_fault`; mm/memory.c).
//!
//! Modelled: look-up, read-around on a miss and sequential read-ahead, the marked page, waiting for
//! the page, mapping it, the first write to a clean page.
//! Left out: private mappings and their copies; from 3.15 on, mapping pages around the faulting one.
//! Visible difference: later kernels take up to 16 times fewer minor faults on cached files.
//! Invariants: a page is mapped only while it is in the cache and not locked.

use crate::block::{BlkGetRequest, has_room};
use crate::filemap::add::{ADDED, NO_MEMORY};
use crate::filemap::readahead::submit_read;
use crate::filemap::{
    AddToPageCacheLru, PageCacheReadahead, create_empty_buffers, slab_of_buffers, wait_on_page,
};
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::memory::HandleMmFault;
use crate::mmzone::{Gauge, flag};
use crate::process::Fd;
use crate::record::decisions;
use crate::space::{Backing, Mapping, PTE_YOUNG};
use crate::world::World;
use facts::state::State;

/// With more misses than hits by this number, a mapping is no longer read around (`MMAP_LOTSAMISS`).
const LOTS_OF_MISSES: u32 = 100;

decisions! {
    FaultFile { index: Count, page: Page }
        "Page {index} of the file is in the page cache at {page}: map it.";
    FaultFileMajor { index: Count, start: Count, size: Count }
        "Page {index} of the file is not cached (a major fault): read {size page} from page {start} on.";
}

room! {
    FilemapFault: "filemap_fault" in "mm/filemap.c" at "v6.1.176" line 3219;
    Simplified "Shared mappings only; cached neighbours of the page are not mapped together with it.";
    FfPt {
        Find 0 Plain "page = find_get_page(), and read ahead if marked";
        Read 1 Plain "not cached: a major fault, read around it";
        Again 1 Plain "still not cached: add_to_page_cache_lru()";
        Got 1 Plain "no memory: VM_FAULT_OOM, else wait for the queue";
        Submit 1 Plain "read it";
        Lock 0 Plain "lock_page(), waits while it is read";
        Buffers 0 Plain "written, without buffers: create_empty_buffers()";
        Slab 1 Plain "no memory for them: return VM_FAULT_OOM";
        Map 0 Yields "map it (a write: page_mkwrite(), set_page_dirty())";
        Balance 0 Plain "written: balance_dirty_pages_ratelimited()";
        Done 0 Yields "return";
    }
    locals(self, w) {
        region: number(self.region);
        address: number(self.page);
        page: page(self.frame);
    }
}

/// `filemap_fault` with the part of `handle_pte_fault` that maps the page. Returns 1 when the page
/// is mapped, 0 for VM_FAULT_OOM.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct FilemapFault {
    /// Program point.
    pub pt: FfPt,
    /// Region.
    pub region: u16,
    /// Page of the region.
    pub page: u32,
    /// Node whose zonelist serves it.
    pub node: u8,
    /// The access was a write.
    pub write: bool,
    /// The frame.
    pub frame: u32,
}

impl FilemapFault {
    pub(crate) fn call(fault: &HandleMmFault) -> Frame {
        Frame::FileFault(Self {
            pt: FfPt::Find,
            region: fault.region as u16,
            page: fault.page,
            node: fault.node,
            write: fault.write,
            frame: NONE,
        })
    }

    /// The file, the page of the file, and the open file of the region.
    fn place(&self, w: &World, cx: &Context) -> (u32, u32, u8) {
        match w.processes.region(cx.process, self.region.into()).backing {
            Backing::File { file, offset, fd } => (file, offset + self.page, fd),
            Backing::Anon => (NONE, 0, 0),
        }
    }

    fn fd<'a>(w: &'a mut World, cx: &Context, fd: u8) -> &'a mut Fd {
        &mut w.processes.all[cx.process as usize].fds[fd as usize]
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let (file, index, fd) = self.place(w, cx);
        let found = w.files.page(file, index);
        self.frame = found.unwrap_or(NONE);
        match self.pt {
            FfPt::Find => self.find(w, cx, index, fd, up),
            FfPt::Read => self.read(w, cx, index, fd, up),
            FfPt::Again => {
                if found.is_some() {
                    self.pt = FfPt::Lock;
                    return Flow::Next;
                }
                self.pt = FfPt::Got;
                let gfp = Gfp::GFP_HIGHUSER_MOVABLE;
                up.call(
                    AddToPageCacheLru::call(file, index, gfp, self.node, true),
                    w,
                    cx,
                )
            }
            FfPt::Got => {
                self.pt = match cx.ret {
                    NO_MEMORY => return Flow::Ret,
                    ADDED => FfPt::Submit,
                    _ => FfPt::Lock,
                };
                let device = w.files.device(file);
                if self.pt == FfPt::Lock || has_room(w, device, true) {
                    return Flow::Next;
                }
                up.call(BlkGetRequest::read(device, true), w, cx)
            }
            FfPt::Submit => {
                submit_read(w, file, index, index + 1, false);
                self.pt = FfPt::Lock;
                Flow::Next
            }
            FfPt::Slab if cx.ret == 0 => Flow::Ret,
            FfPt::Lock | FfPt::Buffers | FfPt::Slab | FfPt::Map if found.is_none() => {
                // The page was reclaimed before it could be locked.
                self.pt = FfPt::Find;
                Flow::Next
            }
            FfPt::Lock | FfPt::Buffers | FfPt::Slab | FfPt::Map
                if w.mem.pages[self.frame as usize].has(flag::LOCKED) =>
            {
                self.pt = FfPt::Lock;
                wait_on_page(w, cx, self.frame)
            }
            FfPt::Lock => {
                self.pt = if self.write { FfPt::Buffers } else { FfPt::Map };
                Flow::Next
            }
            FfPt::Buffers | FfPt::Slab => {
                let slabbed = self.pt == FfPt::Slab;
                if create_empty_buffers(w, file, index, self.node, slabbed) {
                    self.pt = FfPt::Map;
                    return Flow::Next;
                }
                self.pt = FfPt::Slab;
                up.call(slab_of_buffers(w, self.node), w, cx)
            }
            FfPt::Map => self.map(w, cx),
            FfPt::Balance => {
                self.pt = FfPt::Done;
                match crate::page_writeback::balance_dirty_pages_ratelimited(w, cx, file) {
                    Some(frame) => up.call(frame, w, cx),
                    None => Flow::Next,
                }
            }
            FfPt::Done => {
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    fn find(&mut self, w: &mut World, cx: &mut Context, index: u32, fd: u8, up: Up<'_>) -> Flow {
        w.spend(w.facts.cost.cache_lookup);
        if self.frame == NONE {
            self.pt = FfPt::Read;
            return Flow::Next;
        }
        self.pt = FfPt::Lock;
        let open = Self::fd(w, cx, fd);
        open.mmap_miss = open.mmap_miss.saturating_sub(1);
        let page = &mut w.mem.pages[self.frame as usize];
        if page.has(flag::READAHEAD) && !page.has(flag::WRITEBACK) {
            page.clear(flag::READAHEAD);
            let max = crate::filemap::readahead::max_window(w);
            return up.call(
                PageCacheReadahead::call(fd, index, max, true, self.node),
                w,
                cx,
            );
        }
        w.record(FaultFile {
            index: index.into(),
            page: self.frame,
        });
        Flow::Next
    }

    /// `do_sync_mmap_readahead`.
    fn read(&mut self, w: &mut World, cx: &mut Context, index: u32, fd: u8, up: Up<'_>) -> Flow {
        w.counters.pgmajfault += 1;
        w.spend(w.facts.cost.major_fault);
        self.pt = FfPt::Again;
        let max = crate::filemap::readahead::max_window(w);
        let open = Self::fd(w, cx, fd);
        if open.mmap_miss < LOTS_OF_MISSES * 10 {
            open.mmap_miss += 1;
        }
        if open.mmap_miss > LOTS_OF_MISSES {
            w.record(FaultFileMajor {
                index: index.into(),
                start: index.into(),
                size: 1,
            });
            return Flow::Next;
        }
        let start = index.saturating_sub(max / 2);
        open.ra = crate::filemap::Readahead {
            start,
            size: max,
            async_size: max / 4,
        };
        w.record(FaultFileMajor {
            index: index.into(),
            start: start.into(),
            size: max.into(),
        });
        up.call(
            PageCacheReadahead::given(w, cx.process, fd, self.node),
            w,
            cx,
        )
    }

    fn map(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let (space, region) = (cx.process, u32::from(self.region));
        if w.processes.lookup(space, region, self.page) == Mapping::Empty {
            // A clean page is mapped read-only, so that the first write faults: the dirty flag is on the
            // page, not in the page table entry.
            w.processes
                .set_page(space, region, self.page, self.frame, PTE_YOUNG);
            let page = &mut w.mem.pages[self.frame as usize];
            if !page.has(flag::MAPPED) {
                page.set(flag::MAPPED);
                w.mem.count(self.frame, Gauge::FileMapped, 1);
            }
        }
        if w.processes.region(space, region).locked {
            crate::swap::mlock_page(w, self.frame);
        }
        cx.ret = 1;
        if !self.write {
            return Flow::Ret;
        }
        crate::page_writeback::set_page_dirty(w, self.frame);
        self.pt = FfPt::Balance;
        Flow::Next
    }
}
