//! Faults on mapped files (mm/filemap.c, `filemap_fault`; mm/memory.c).
//!
//! Modelled: look-up, read-around on a miss and sequential read-ahead, the marked page, waiting for
//! the page, mapping it and the pages around it, retried faults, the first write to a clean page.
//! Left out: private mappings and their copies; retried faults before 3.15.
//! Visible difference: before 3.15, x86 counts a fault that waits for the disk twice in pgfault.
//! Invariants: a page is mapped only while it is in the cache and not locked. A fault is retried at
//! most once.

use crate::block::{BlkGetRequest, has_room};
use crate::filemap::add::{ADDED, NO_MEMORY};
use crate::filemap::around::{map_around, maps_around};
use crate::filemap::readahead::submit_read;
use crate::filemap::{
    AddToPageCacheLru, PageCacheReadahead, create_empty_buffers, slab_of_buffers, wait_on_page,
};
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::kernel::{FaultAround, FaultRetry};
use crate::memory::HandleMmFault;
use crate::mmzone::{Gauge, flag};
use crate::process::Fd;
use crate::record::decisions;
use crate::space::{Backing, Mapping, PTE_YOUNG};
use crate::world::World;
use facts::index::{FrameIndex, ZonelistIndex};
use facts::state::State;

/// If a mapping has this many more misses than hits, the pages around a miss are no longer read
/// (`MMAP_LOTSAMISS`).
const LOTS_OF_MISSES: u32 = 100;

decisions! {
    FaultFile { index: Count, page: Page }
        "Page {index} of the file is in the page cache at {page}: map it.";
    FaultFileMajor { index: Count, start: Count, size: Count }
        "Page {index} of the file is not cached (a major fault): read {size page} from page {start} on.";
    FaultFileAgain { index: Count }
        "The fault on page {index} of the file released the lock of its address space for I/O or a wait: it begins again.";
}

room! {
    FilemapFault: "filemap_fault" in "mm/filemap.c" at "v6.1.176" line 3219;
    Simplified "Shared mappings only. Includes do_fault_around() and the retry of a fault.";
    FfPt {
        Around 0 Plain "a read: do_fault_around() maps the cached pages around it" if |f| f.fault_around != FaultAround::Never;
        Find 0 Plain "page = find_get_page(), and read ahead if marked";
        Read 1 Plain "not cached: a major fault, read around it";
        Again 1 Plain "still not cached: add_to_page_cache_lru()";
        Got 1 Plain "no memory: VM_FAULT_OOM, else wait for the queue";
        Submit 1 Plain "read it";
        Lock 0 Plain "lock_page(), which waits while the page is read";
        Retry 0 Plain "mmap_lock was dropped: VM_FAULT_RETRY" if |f| f.fault_retry != FaultRetry::Never;
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

/// State of the lock of the address space (`mmap_lock`) during a fault. The lock itself is not
/// modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum SpaceLock {
    /// The fault holds it to the end.
    #[state(rest)]
    Kept,
    /// The fault holds it, but may drop it and retry (`FAULT_FLAG_ALLOW_RETRY`).
    Held,
    /// The fault dropped it for I/O or a wait.
    Dropped,
    /// The retried fault took it again (`FAULT_FLAG_TRIED`).
    Retaken,
}

/// `filemap_fault` with the part of `handle_pte_fault` that maps the page. Returns 1 when the page
/// is mapped, 0 for VM_FAULT_OOM.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct FilemapFault {
    /// Current program point.
    pub pt: FfPt,
    /// Index of the region.
    pub region: u16,
    /// Page of the region.
    pub page: u32,
    /// Zonelist of the allocations.
    pub node: ZonelistIndex,
    /// True if the access was a write.
    pub write: bool,
    /// Frame of the page.
    pub frame: FrameIndex,
    /// State of the lock of the address space.
    pub lock: SpaceLock,
}

impl FilemapFault {
    pub(crate) fn call(w: &World, fault: &HandleMmFault) -> Frame {
        let retries = w.facts.features.fault_retry != FaultRetry::Never;
        Frame::FileFault(Self {
            pt: Self::first_point(w, fault.write),
            region: fault.region as u16,
            page: fault.page,
            node: fault.node,
            write: fault.write,
            frame: FrameIndex::NONE,
            lock: if retries {
                SpaceLock::Held
            } else {
                SpaceLock::Kept
            },
        })
    }

    /// Only read faults map the pages around them.
    fn first_point(w: &World, write: bool) -> FfPt {
        if !write && maps_around(w) {
            FfPt::Around
        } else {
            FfPt::Find
        }
    }

    /// Drops the lock of the address space, if the fault may drop it.
    fn drop_lock(&mut self) {
        if self.lock == SpaceLock::Held {
            self.lock = SpaceLock::Dropped;
        }
    }

    /// From 5.1 on, a fault that starts a read drops the lock. Before, a fault dropped it only to
    /// wait for a page whose read another task or read-ahead had started.
    fn starts_read(&mut self, w: &World) {
        if w.facts.features.fault_retry == FaultRetry::ForIo {
            self.drop_lock();
        }
    }

    /// The file, the index of the page in it, and the open file of the region.
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
        self.frame = found.unwrap_or(FrameIndex::NONE);
        match self.pt {
            FfPt::Around => {
                if map_around(w, cx, self.region.into(), self.page) {
                    cx.ret = 1;
                    return Flow::Ret;
                }
                self.pt = FfPt::Find;
                Flow::Next
            }
            FfPt::Find => self.find(w, cx, index, fd, up),
            FfPt::Read => self.read(w, cx, index, fd, up),
            FfPt::Again => {
                if found.is_some() {
                    self.pt = FfPt::Lock;
                    return Flow::Next;
                }
                self.pt = FfPt::Got;
                self.starts_read(w);
                let gfp = Gfp::GFP_HIGHUSER_MOVABLE;
                up.call(
                    AddToPageCacheLru::call(file, index, gfp, self.node, true),
                    w,
                    cx,
                )
            }
            FfPt::Got => self.got(w, cx, file, up),
            FfPt::Submit => {
                submit_read(w, file, index, index + 1, false);
                if self.lock == SpaceLock::Held {
                    // Up to 5.0, the fault waits for its own read without dropping the lock.
                    self.lock = SpaceLock::Kept;
                }
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
                if w.mem.pages[self.frame].has(flag::LOCKED) =>
            {
                self.pt = FfPt::Lock;
                self.drop_lock();
                wait_on_page(w, cx, self.frame)
            }
            FfPt::Lock if self.lock == SpaceLock::Dropped => {
                self.pt = FfPt::Retry;
                Flow::Next
            }
            FfPt::Retry => {
                self.lock = SpaceLock::Retaken;
                w.counters.pgfault += u64::from(w.facts.features.retries_are_faults);
                w.record(FaultFileAgain {
                    index: index.into(),
                });
                self.pt = Self::first_point(w, self.write);
                Flow::Next
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

    /// The page or another task's page joined the cache, or there is no memory.
    fn got(&mut self, w: &mut World, cx: &mut Context, file: u32, up: Up<'_>) -> Flow {
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

    fn find(&mut self, w: &mut World, cx: &mut Context, index: u32, fd: u8, up: Up<'_>) -> Flow {
        w.spend(w.facts.cost.cache_lookup);
        if self.frame == FrameIndex::NONE {
            self.pt = FfPt::Read;
            return Flow::Next;
        }
        self.pt = FfPt::Lock;
        if self.lock == SpaceLock::Retaken {
            return Flow::Next;
        }
        let open = Self::fd(w, cx, fd);
        open.mmap_miss = open.mmap_miss.saturating_sub(1);
        if w.mem.pages[self.frame].has(flag::READAHEAD) {
            self.starts_read(w);
        }
        let page = &mut w.mem.pages[self.frame];
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
        crate::memcg::count_task(w, cx, crate::memcg::group::Stat::MajorFault);
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
        self.starts_read(w);
        let open = Self::fd(w, cx, fd);
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
            map_page(w, space, region, self.page, self.frame);
        } else if w.processes.region(space, region).locked {
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

/// Maps a cached page of a file at an address where nothing is mapped (`do_set_pte`). A clean page
/// is mapped read-only, so that the first write faults: the dirty flag is in the page record, not
/// in the page table entry.
pub(super) fn map_page(w: &mut World, space: u32, region: u32, page: u32, frame: FrameIndex) {
    w.processes.set_page(space, region, page, frame, PTE_YOUNG);
    let cached = &mut w.mem.pages[frame];
    if !cached.has(flag::MAPPED) {
        cached.set(flag::MAPPED);
        w.mem.count(frame, Gauge::FileMapped, 1);
    }
    if w.processes.region(space, region).locked {
        crate::swap::mlock_page(w, frame);
    }
}
