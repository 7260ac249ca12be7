//! Read-ahead (mm/readahead.c).
//!
//! Modelled: the window of an open file, its first size and growth; the marked page that starts the
//! next window; the test for sequential reads; streams recognised by the pages they left in the
//! cache; pages allocated one by one and read in runs; holes after the last page ever written.
//! Left out: skipping read-ahead on a busy device; memory advice; large folios.
//! Visible difference: up to 3.16 all pages of a window are allocated before the first joins the
//! cache; here each page joins when it is allocated.
//! Invariants: a window is never larger than the largest limit of its stream and never extends beyond the file.

use crate::block::{Bio, BlkGetRequest, End, Origin, has_room, one_request, submit_bio, was_taken};
use crate::filemap::AddToPageCacheLru;
use crate::filemap::add::{NO_MEMORY, THERE};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::ReadaheadRule;
use crate::record::decisions;
use crate::world::World;
use facts::index::{FrameIndex, ZonelistIndex};
use facts::state::State;

/// Largest window in KiB (`VM_MAX_READAHEAD`).
const MAX_KIB: u32 = 128;

/// The read-ahead state of an open file (`struct file_ra_state`), in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Readahead {
    /// First page of the window.
    pub start: u32,
    /// Size of the window.
    pub size: u32,
    /// The page that starts the next window lies this many pages before the end of this one.
    pub async_size: u32,
}

/// The input to read-ahead, from a read and the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First missing page of the read, or the marked page.
    pub offset: u32,
    /// Pages that the read still needs.
    pub req_size: u32,
    /// True if the read reached a marked page, false if a page was missing.
    pub hit_marker: bool,
    /// Page of the last byte read, [`NONE`] before the first read.
    pub prev: u32,
    /// Largest window size.
    pub max: u32,
}

/// Size of a first window (`get_init_ra_size`).
pub fn init_size(req_size: u32, max: u32) -> u32 {
    let size = req_size.max(1).next_power_of_two();
    if size <= max / 32 {
        size * 4
    } else if size <= max / 4 {
        size * 2
    } else {
        max
    }
}

/// Size of the next window after one of this size (`get_next_ra_size`).
pub fn next_size(size: u32, max: u32) -> u32 {
    let factor = if size < max / 16 { 4 } else { 2 };
    (size * factor).min(max)
}

impl Readahead {
    /// Moves the window (`ondemand_readahead`). `history(max)` counts the consecutive cached pages
    /// before the offset; `next_miss(max)` finds the first uncached page after it. Returns the
    /// first page to read, the number of pages, and how many of them lie after the mark; `None` if
    /// there is nothing to read.
    pub fn ondemand(
        &mut self,
        rule: ReadaheadRule,
        q: &Window,
        history: impl Fn(u32) -> u32,
        next_miss: impl Fn(u32) -> u32,
    ) -> Option<(u32, u32, u32)> {
        let (max, offset) = (q.max, q.offset);
        let end = self.start + self.size;
        let mut fresh = offset == 0;
        if fresh {
            // Start of the file.
        } else if offset == end.saturating_sub(self.async_size) || offset == end {
            self.start = end;
            let next = next_size(self.size, max);
            self.size = match rule {
                ReadaheadRule::NoShrink => next.max(self.size),
                _ => next,
            };
            self.async_size = self.size;
        } else if q.hit_marker {
            // The mark belongs to another reader's window, which consists of the cached pages after
            // the mark.
            let start = next_miss(max);
            if start - offset > max {
                return None;
            }
            self.start = start;
            self.size = next_size(start - offset + q.req_size, max);
            self.async_size = self.size;
        } else if q.req_size > max || self.follows(q) {
            fresh = true;
        } else if !self.context(rule, q, history) {
            return Some((offset, q.req_size, 0));
        }
        if fresh {
            self.start = offset;
            self.size = init_size(q.req_size, max);
            self.async_size = if self.size > q.req_size {
                self.size - q.req_size
            } else {
                self.size
            };
        }
        if offset == self.start && self.size == self.async_size {
            // The read would immediately reach the mark of its own window: read both windows.
            let more = next_size(self.size, max);
            let is_capped = matches!(rule, ReadaheadRule::CappedMerge | ReadaheadRule::NoShrink);
            if !is_capped || self.size + more <= max {
                self.async_size = more;
                self.size += more;
            } else {
                (self.size, self.async_size) = (max, max / 2);
            }
        }
        Some((self.start, self.size, self.async_size))
    }

    /// Is the missing page the one with the last byte read, or the page after it? False before the
    /// first read.
    fn follows(&self, q: &Window) -> bool {
        q.offset.wrapping_sub(q.prev) <= 1
    }

    /// Pages cached just before the offset indicate a sequential stream (`try_context_readahead`).
    fn context(&mut self, rule: ReadaheadRule, q: &Window, history: impl Fn(u32) -> u32) -> bool {
        let mut found = history(q.max);
        let needed = match rule {
            ReadaheadRule::Classic => 0,
            ReadaheadRule::CarefulContext
            | ReadaheadRule::CappedMerge
            | ReadaheadRule::NoShrink => q.req_size,
        };
        if found <= needed {
            return false;
        }
        if found >= q.offset {
            // The whole file up to here is cached.
            found *= 2;
        }
        self.start = q.offset;
        if rule == ReadaheadRule::Classic {
            self.size = init_size(found + q.req_size, q.max);
            self.async_size = self.size;
        } else {
            self.size = (found + q.req_size).min(q.max);
            self.async_size = 1;
        }
        true
    }
}

/// Largest window of this machine in pages (`ra_pages`).
pub(super) fn max_window(w: &World) -> u32 {
    (MAX_KIB / w.facts.layout.geometry.page_kib() as u32).max(1)
}

/// A read larger than the window gets windows as large as the longest request of the device
/// (`io_pages`, from 4.10).
fn whole_read(window: u32, req_size: u32, longest: u32) -> u32 {
    if req_size > window && longest > window {
        req_size.min(longest)
    } else {
        window
    }
}

decisions! {
    ReadaheadWindow { index: Count, wanted: Count, start: Count, size: Count, ahead: Count }
        "The read needs {wanted page} from page {index} of the file on: read {size page} from page {start} on, the last {ahead} of them in advance.";
}

room! {
    PageCacheReadahead: "page_cache_readahead" in "mm/readahead.c" at "v6.1.176" line 570;
    Simplified "Includes ondemand_readahead and its callees. Pages join the cache when they are allocated, even up to 3.16, which allocates the whole window first.";
    RaPt {
        Entry 0 Plain "ondemand_readahead(): set the window and its mark";
        Next 0 Plain "for each page of the window not cached:";
        Alloc 1 Plain "add_to_page_cache_lru(), without retrying";
        Add 1 Plain "no memory: end the window here";
        Room 0 Plain "queue full: wait for a slot";
        Submit 0 Yields "submit the collected pages, one request at a time";
    }
    locals(self, w) {
        fd: number(self.fd);
        hit_readahead_marker: yes_no(self.hit_marker);
        index: number(self.at);
        nr_to_read: number(self.left);
    }
}

/// `page_cache_sync_readahead`, `page_cache_async_readahead` and their callees. Reads the file's
/// window; returns nothing, because the caller looks the page up again.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct PageCacheReadahead {
    /// Current program point.
    pub pt: RaPt,
    /// Index of the open file in the task.
    pub fd: u8,
    /// Zonelist of the allocations.
    pub node: ZonelistIndex,
    /// True if the read reached a marked page.
    pub hit_marker: bool,
    /// Number of pages of the window that are left.
    pub left: u16,
    /// The page is marked when this many pages are left; 0 for no mark.
    pub mark: u16,
    /// First page collected; before the window is known, the number of pages requested.
    pub first: u32,
    /// Current page.
    pub at: u32,
}

impl PageCacheReadahead {
    /// Frame of a call at page `at` of an open file; the read still needs `req_size` pages from
    /// there.
    pub fn call(fd: u8, at: u32, req_size: u32, hit_marker: bool, node: ZonelistIndex) -> Frame {
        Frame::Readahead(Self {
            pt: RaPt::Entry,
            fd,
            node,
            hit_marker,
            left: 0,
            mark: 0,
            first: req_size,
            at,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            RaPt::Entry => self.entry(w, cx),
            RaPt::Next => self.next(w, cx),
            RaPt::Alloc => {
                self.pt = RaPt::Add;
                let gfp = Gfp::GFP_HIGHUSER_MOVABLE.with(Gfp::NORETRY);
                let gfp = if w.facts.features.readahead_nofs {
                    gfp.without(Gfp::FS)
                } else {
                    gfp
                };
                let (file, marked) = (self.file(w, cx), self.left == self.mark);
                up.call(
                    AddToPageCacheLru::ahead(file, self.at, gfp, self.node, true, marked),
                    w,
                    cx,
                )
            }
            RaPt::Add => {
                self.pt = RaPt::Next;
                match cx.ret {
                    NO_MEMORY => (self.left, self.pt) = (0, RaPt::Room),
                    THERE => {}
                    _ => {
                        self.left -= 1;
                        self.at += 1;
                    }
                }
                Flow::Next
            }
            RaPt::Room => {
                self.pt = RaPt::Submit;
                let device = w.files.device(self.file(w, cx));
                if has_room(w, device, !self.hit_marker) {
                    return Flow::Next;
                }
                up.call(BlkGetRequest::read(device, !self.hit_marker), w, cx)
            }
            RaPt::Submit => {
                self.submit(w, cx);
                if self.first < self.at {
                    self.pt = RaPt::Room;
                    return Flow::Next;
                }
                self.pt = RaPt::Next;
                if self.left == 0 {
                    Flow::Ret
                } else {
                    Flow::Next
                }
            }
        }
    }

    fn file(&self, w: &World, cx: &Context) -> u32 {
        w.processes.all[cx.process as usize].fds[self.fd as usize].file
    }

    fn entry(&mut self, w: &mut World, cx: &Context) -> Flow {
        let file = self.file(w, cx);
        let fd = &w.processes.all[cx.process as usize].fds[self.fd as usize];
        let (mut ra, prev) = (fd.ra, fd.prev);
        let (offset, req_size) = (self.at, self.first);
        let max = match w.files.device(file) {
            device if w.facts.features.readahead_whole_reads => {
                let longest = w.facts.devices[usize::from(device)].max_pages;
                whole_read(max_window(w), req_size, longest)
            }
            _ => max_window(w),
        };
        let q = Window {
            offset,
            req_size,
            hit_marker: self.hit_marker,
            prev,
            max,
        };
        let files = &w.files;
        let found = ra.ondemand(
            w.facts.features.readahead,
            &q,
            |max| files.history(file, offset, max),
            |max| files.next_miss(file, offset + 1, max),
        );
        w.processes.all[cx.process as usize].fds[self.fd as usize].ra = ra;
        let Some((start, size, async_size)) = found else {
            return Flow::Ret;
        };
        w.record(ReadaheadWindow {
            index: offset.into(),
            wanted: req_size.into(),
            start: start.into(),
            size: size.into(),
            ahead: async_size.into(),
        });
        self.fill(w, file, start, size, async_size);
        if self.left == 0 {
            Flow::Ret
        } else {
            Flow::Next
        }
    }

    /// Starts to read a window of a file.
    fn fill(&mut self, w: &World, file: u32, start: u32, size: u32, async_size: u32) {
        let size = size.min(u32::from(u16::MAX));
        let inside = w.files.file(file).pages.saturating_sub(start);
        // The mark is placed as if the file were longer.
        let beyond = size.saturating_sub(inside);
        self.left = size.min(inside) as u16;
        self.mark = async_size.saturating_sub(beyond) as u16;
        (self.first, self.at) = (start, start);
        self.pt = RaPt::Next;
    }

    /// Frame of a call that reads the current window of an open file (`ra_submit`).
    pub(super) fn given(w: &World, space: u32, fd: u8, node: ZonelistIndex) -> Frame {
        let open = &w.processes.all[space as usize].fds[fd as usize];
        let mut f = Self {
            pt: RaPt::Next,
            fd,
            node,
            hit_marker: false,
            left: 0,
            mark: 0,
            first: 0,
            at: 0,
        };
        let Readahead {
            start,
            size,
            async_size,
        } = open.ra;
        f.fill(w, open.file, start, size, async_size);
        Frame::Readahead(f)
    }

    fn next(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.spend(w.facts.cost.cache_lookup);
        let cached = self.left > 0 && w.files.page(self.file(w, cx), self.at).is_some();
        self.pt = if self.left == 0 || (cached && self.first < self.at) {
            RaPt::Room
        } else if cached {
            self.skip();
            RaPt::Next
        } else {
            RaPt::Alloc
        };
        if self.pt == RaPt::Next && self.left == 0 {
            return Flow::Ret;
        }
        Flow::Next
    }

    /// Skips a cached page of the window: the next run starts after it.
    fn skip(&mut self) {
        self.left -= 1;
        self.at += 1;
        self.first = self.at;
    }

    /// Submits one request of the collected pages, which are contiguous in the file and on the device.
    fn submit(&mut self, w: &mut World, cx: &Context) {
        let file = self.file(w, cx);
        let device = w.files.device(file);
        if was_taken(w, device, !self.hit_marker) {
            return;
        }
        let pages = one_request(w, device, (self.at - self.first) as usize);
        let end = self.first + pages as u32;
        submit_read(w, file, self.first, end, self.hit_marker);
        self.first = end;
    }
}

/// Reads the pages of a file from `first` up to, but not including, `end`; they are cached and
/// locked. Holes are filled with zeroes without I/O (`mpage_readpages`).
pub(super) fn submit_read(w: &mut World, file: u32, first: u32, end: u32, ahead: bool) {
    let holes = end.min(w.files.file(file).written).max(first);
    for index in holes..end {
        if let Some(frame) = w.files.page(file, index) {
            w.spend_zeroing(frame, 0);
            crate::filemap::unlock_page(w, frame);
        }
    }
    let end = holes;
    let pages: Vec<FrameIndex> = (first..end).filter_map(|i| w.files.page(file, i)).collect();
    if pages.is_empty() {
        return;
    }
    let bio = Bio {
        device: w.files.device(file),
        write: false,
        sync: !ahead,
        origin: Origin::Sync,
        start: w.files.device_block(file, first),
        pages,
        end: End::Read,
        io_end: crate::frames::NONE,
    };
    submit_bio(w, bio);
}

#[cfg(test)]
mod tests;
