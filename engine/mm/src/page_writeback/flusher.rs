//! The flusher threads (fs/fs-writeback.c), and writing a file's dirty pages in order
//! (mm/page-writeback.c, `write_cache_pages`).
//!
//! Modelled: requested work, background work above the limit, the periodic flush of old files; a
//! chunk of each file in turn, oldest file first; bios of contiguous pages.
//! Left out: several superblocks, the inodes' own blocks, the wait for an inode that another task
//! writes.
//! Invariants: an idle flusher has nothing to do; a page in a bio is clean, under writeback and
//! unlocked.

use crate::block::{
    Bio, BlkGetRequest, End, Origin, may_write, one_request, submit_bio, was_taken,
};
use crate::frames::{Context, Flow, Frame, NONE, Sleep, Up, room};
use crate::mmzone::flag;
use crate::page_writeback::extent::{ext4_io_submit, ext4_put_io_end, mpage_add_bh_to_extent};
use crate::page_writeback::{
    FLUSH_REASONS, FlushReason, clear_page_dirty_for_io, dirty_counts, global_dirty_limits,
    set_page_writeback,
};
use crate::record::{decisions, events};
use crate::world::World;
use facts::state::State;

/// The size of a chunk is a multiple of this, KiB (`MIN_WRITEBACK_PAGES`).
const CHUNK_KIB: u64 = 4096;
/// Size of the longest bio, KiB.
const BIO_KIB: u64 = 1024;

events! {
    /// A flusher begins to write dirty pages.
    WritebackStart "writeback_start" from "include/trace/events/writeback.h" { nr_pages: Count, reason: FlushReason };
}

decisions! {
    FlushAsked { pages: Count, reason: FlushReason }
        "The flusher was asked to write {pages page} (reason: {reason}).";
    FlushBackground { dirty: Count, limit: Count }
        "The machine has {dirty dirty page}, more than the background limit of {limit}: the flusher writes until the limit is met.";
    FlushPeriodic { dirty: Count }
        "The periodic flush is due; the machine has {dirty dirty page}. The flusher writes the files that have been dirty for a long time.";
    FlushBelow { dirty: Count, limit: Count }
        "The machine has {dirty dirty page}, at most the background limit of {limit}: the flusher has written enough.";
    FlushQueue { files: Count }
        "The flusher visits {files file} with dirty pages in this round.";
    FlushFile { file: Count, dirty: Count, most: Count }
        "File {file} has {dirty dirty page}; the flusher now writes at most {most page}.";
    FlushPassed { page: Page, index: Count, file: Count }
        "Page {index} of file {file}, at {page}, is locked or still being written: skip it.";
    FlushPage { page: Page, index: Count, file: Count }
        "Page {index} of file {file}, at {page}, is now clean and under writeback.";
    FlushBio { pages: Count, index: Count, file: Count, sector: Count }
        "The kernel submits {pages page} in a row, from page {index} of file {file} on, as one bio.";
}

room! {
    WbWorkfn: "wb_workfn" in "fs/fs-writeback.c" at "v6.1.176" line 2253;
    Simplified "Called bdi_writeback_thread up to 3.9. Includes wb_writeback, queue_io and writeback_sb_inodes.";
    WbPt {
        Next 0 Yields "choose: requested, periodic, or background work";
        Check 1 Plain "wb_writeback(): is this work done?";
        Queue 1 Plain "queue_io(): unfinished files, then dirty, oldest first";
        File 1 Yields "writeback_sb_inodes(): a chunk of the next file";
        Wrote 2 Plain "count what was written";
        Sleep 0 Yields "idle: sleep until the next flush or a wake-up";
    }
    locals(self, w) {
        bdi: disk(self.device);
        reason: text(FLUSH_REASONS[self.reason as usize]);
        nr_pages: number(self.left);
        wrote: number(self.wrote);
    }
}

/// `wb_workfn` (`bdi_writeback_thread` up to 3.9): the flusher thread of a device.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct WbWorkfn {
    /// Current program point.
    pub pt: WbPt,
    /// Device of the flusher.
    pub device: u8,
    /// Reason for the current work.
    pub reason: FlushReason,
    /// Number of pages still to write.
    pub left: u32,
    /// Number of pages written in this round, over all files; [`NO_ROUND`] before the first round.
    pub wrote: u32,
    /// The file being written.
    pub file: u32,
    /// Pages of this file that may be written before the next file has its turn.
    pub slice: u32,
}

/// No round over the files has started.
const NO_ROUND: u32 = u32::MAX;

impl WbWorkfn {
    /// Frame of a device's flusher, initially idle.
    pub fn call(device: u8) -> Frame {
        Frame::Flusher(Self {
            pt: WbPt::Next,
            device,
            reason: FlushReason::Background,
            left: 0,
            wrote: NO_ROUND,
            file: NONE,
            slice: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            WbPt::Next => self.next(w),
            WbPt::Check => self.check(w),
            WbPt::Queue => self.queue(w),
            WbPt::File => self.file(w, cx, up),
            WbPt::Wrote => {
                self.left = self.left.saturating_sub(cx.ret);
                self.wrote += cx.ret;
                let (now, hz) = (w.jiffies(), w.facts.hz.into());
                let rest = w.files.nr_dirty(self.file);
                let wb = self.wb(w);
                wb.rate.update(now, hz, None);
                if cx.ret >= self.slice && rest > 0 && !wb.more_io.contains(&self.file) {
                    wb.more_io.push(self.file);
                }
                self.pt = WbPt::Check;
                Flow::Next
            }
            WbPt::Sleep => self.sleep(w, cx),
        }
    }

    fn wb<'a>(&self, w: &'a mut World) -> &'a mut super::Wb {
        &mut w.wb.wbs[usize::from(self.device)]
    }

    fn begin(&mut self, w: &mut World, reason: FlushReason, pages: u32) {
        let (now, hz) = (w.jiffies(), w.facts.hz.into());
        let wb = self.wb(w);
        wb.doing = Some(reason);
        wb.rate.start(now, hz);
        (self.reason, self.left, self.pt) = (reason, pages, WbPt::Check);
        self.wrote = NO_ROUND;
        w.record(WritebackStart {
            nr_pages: pages.into(),
            reason,
        });
    }

    fn next(&mut self, w: &mut World) -> Flow {
        let now = w.now;
        let dirty = dirty_counts(w).0;
        let background = global_dirty_limits(w).1;
        let period = period_ns(w);
        let wb = self.wb(w);
        wb.armed = false;
        if !wb.work.is_empty() {
            let work = wb.work.remove(0);
            let (pages, reason) = (work.pages, work.reason);
            w.record(FlushAsked {
                pages: pages.into(),
                reason,
            });
            self.begin(w, reason, pages);
        } else if wb.nr_dirty > 0 && period > 0 && now >= wb.last_old_flush + period {
            wb.last_old_flush = now;
            w.record(FlushPeriodic {
                dirty: dirty as i64,
            });
            self.begin(w, FlushReason::Periodic, dirty as u32);
        } else if wb.nr_dirty > 0 && dirty > background {
            w.record(FlushBackground {
                dirty: dirty as i64,
                limit: background as i64,
            });
            self.begin(w, FlushReason::Background, u32::MAX);
        } else {
            wb.doing = None;
            self.pt = WbPt::Sleep;
        }
        Flow::Next
    }

    fn check(&mut self, w: &mut World) -> Flow {
        let waits = !self.wb(w).work.is_empty();
        let yields = matches!(self.reason, FlushReason::Background | FlushReason::Periodic);
        let (dirty, limit) = (dirty_counts(w).0, global_dirty_limits(w).1);
        let below = self.reason == FlushReason::Background && dirty <= limit;
        if below {
            w.record(FlushBelow {
                dirty: dirty as i64,
                limit: limit as i64,
            });
        }
        self.pt = if self.left == 0 || below || (yields && waits) {
            WbPt::Next
        } else if self.wb(w).io.is_empty() {
            WbPt::Queue
        } else {
            WbPt::File
        };
        Flow::Next
    }

    fn queue(&mut self, w: &mut World) -> Flow {
        if self.wrote == 0 {
            // The round wrote no page: all were locked, or other tasks are writing them.
            self.wb(w).doing = None;
            self.pt = WbPt::Sleep;
            return Flow::Next;
        }
        // Files left unfinished in the last round come first, whatever their age.
        let mut first = std::mem::take(&mut self.wb(w).more_io);
        first.retain(|&f| w.files.nr_dirty(f) > 0);
        let mut files: Vec<u32> = w.files.dirty_files(self.device).collect();
        files.retain(|f| !first.contains(f));
        if self.reason == FlushReason::Periodic {
            let age = w.tunables.dirty_expire_centisecs * 10_000_000;
            files.retain(|&f| w.files.dirtied_when(f) + age <= w.now);
        }
        first.extend(files);
        let mut files = first;
        let n = files.len() as u32;
        self.pt = if files.is_empty() {
            WbPt::Next
        } else {
            WbPt::File
        };
        files.reverse();
        self.wb(w).io = files;
        self.wrote = 0;
        w.record(FlushQueue { files: n.into() });
        Flow::Next
    }

    fn file(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let next = self.wb(w).io.pop();
        let Some(file) = next.filter(|&f| w.files.nr_dirty(f) > 0) else {
            // The file was written or removed meanwhile.
            self.pt = WbPt::Check;
            return Flow::Next;
        };
        let pages = self.chunk(w);
        (self.file, self.slice) = (file, pages);
        if self.wrote == NO_ROUND {
            // Files are left from an earlier round.
            self.wrote = 0;
        }
        w.record(FlushFile {
            file: file.into(),
            dirty: i64::from(w.files.nr_dirty(file)),
            most: pages.into(),
        });
        self.pt = WbPt::Wrote;
        up.call(
            WriteCachePages::call(self.device, file, pages, self.origin()),
            w,
            cx,
        )
    }

    /// `writeback_chunk_size`: half a second of the device's bandwidth, at most an eighth of the
    /// dirty limit, rounded to 4 MiB; everything for sync.
    fn chunk(&self, w: &World) -> u32 {
        if self.reason == FlushReason::Sync {
            return self.left;
        }
        let least = CHUNK_KIB / w.facts.layout.geometry.page_kib();
        let wb = &w.wb.wbs[usize::from(self.device)];
        let pages = (wb.rate.avg_write_bandwidth / 2)
            .min(w.wb.dirty_limit / 8)
            .min(self.left.into());
        ((pages + least) / least * least).min(u32::MAX.into()) as u32
    }

    fn sleep(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = WbPt::Next;
        let (now, period) = (w.now, period_ns(w));
        let wb = self.wb(w);
        if !wb.work.is_empty() {
            return Flow::Next;
        }
        wb.armed = wb.nr_dirty > 0 && period > 0;
        cx.sleep = if wb.armed {
            Sleep::Until(now + period)
        } else {
            Sleep::Wait
        };
        Flow::Sleep
    }

    /// Writes that no task waits for are background writes.
    fn origin(&self) -> Origin {
        match self.reason {
            FlushReason::Background | FlushReason::Periodic => Origin::Background,
            FlushReason::Sync => Origin::Sync,
            FlushReason::Vmscan | FlushReason::TryToFreePages => Origin::Other,
        }
    }
}

/// Time between two periodic flushes, ns; 0 for never.
fn period_ns(w: &World) -> u64 {
    w.tunables.dirty_writeback_centisecs * 10_000_000
}

room! {
    WriteCachePages: "write_cache_pages" in "mm/page-writeback.c" at "v6.1.176" line 2304;
    Simplified "A page that is locked or under writeback is skipped; the position where writing stopped is not stored.";
    WcPt {
        Page 0 Plain "for each dirty page: set_page_writeback()";
        Room 0 Plain "bio full, or next page not adjacent: get_request()";
        Submit 1 Yields "submit_bio(), one request at a time";
        Done 0 Yields "return the pages put under writeback";
    }
    locals(self, w) {
        file: number(self.file);
        index: number(self.index);
        nr_to_write: number(self.left);
    }
}

/// `write_cache_pages` of one file; the bio being filled is in the task's [`Context::bio`]. Returns
/// the number of pages put under writeback.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct WriteCachePages {
    /// Current program point.
    pub pt: WcPt,
    /// Device that holds the file.
    pub device: u8,
    /// On whose behalf the pages are written.
    pub origin: Origin,
    /// File.
    pub file: u32,
    /// Index of the next page in the file.
    pub index: u32,
    /// Number of pages still to write.
    pub left: u32,
    /// Number of pages put under writeback.
    pub wrote: u32,
}

impl WriteCachePages {
    /// Frame of a call that writes up to `pages` dirty pages of a file.
    pub fn call(device: u8, file: u32, pages: u32, origin: Origin) -> Frame {
        Frame::WriteCachePages(Self {
            pt: WcPt::Page,
            device,
            origin,
            file,
            index: 0,
            left: pages,
            wrote: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            WcPt::Page => self.page(w, cx),
            WcPt::Room => {
                self.pt = WcPt::Submit;
                if may_write(w, self.device, self.origin) {
                    return Flow::Next;
                }
                up.call(BlkGetRequest::write(self.device, self.origin), w, cx)
            }
            WcPt::Submit => self.submit(w, cx),
            WcPt::Done => {
                cx.ret = self.wrote;
                Flow::Ret
            }
        }
    }

    fn page(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let found = match self.left {
            0 => None,
            _ => w.files.next_dirty(self.file, self.index),
        };
        let Some((index, frame)) = found else {
            self.pt = WcPt::Room;
            if cx.bio.is_empty() {
                ext4_put_io_end(w, self.device, cx.io_end);
                (cx.io_end, self.pt) = (NONE, WcPt::Done);
            }
            return Flow::Next;
        };
        w.spend(w.facts.cost.cache_lookup);
        let busy = flag::LOCKED | flag::WRITEBACK;
        if w.mem.pages[frame].meta & busy != 0 {
            w.record(FlushPassed {
                page: frame,
                index: index.into(),
                file: self.file.into(),
            });
            self.index = index + 1;
            return Flow::Next;
        }
        if !self.fits(w, cx, index) {
            self.pt = WcPt::Room;
            return Flow::Next;
        }
        cx.io_end = mpage_add_bh_to_extent(w, self.device, cx.io_end, index);
        clear_page_dirty_for_io(w, frame);
        set_page_writeback(w, frame);
        cx.bio.push(frame);
        w.record(FlushPage {
            page: frame,
            index: index.into(),
            file: self.file.into(),
        });
        (self.index, self.left, self.wrote) = (index + 1, self.left - 1, self.wrote + 1);
        Flow::Next
    }

    /// Does a page of the file directly follow the last one of the bio, and is there room for it?
    fn fits(&self, w: &World, cx: &Context, index: u32) -> bool {
        let Some(&last) = cx.bio.last() else {
            return true;
        };
        let most = BIO_KIB / w.facts.layout.geometry.page_kib();
        let behind = w.mem.pages[last].index + 1 == index;
        behind && (cx.bio.len() as u64) < most
    }

    fn submit(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = WcPt::Room;
        if was_taken(w, self.device, false) {
            return Flow::Next;
        }
        let rest = cx.bio.split_off(one_request(w, self.device, cx.bio.len()));
        let pages = std::mem::replace(&mut cx.bio, rest);
        if cx.bio.is_empty() {
            self.pt = WcPt::Page;
        }
        let Some(&first) = pages.first() else {
            return Flow::Next;
        };
        let index = w.mem.pages[first].index;
        let start = w.files.device_block(self.file, index);
        w.record(FlushBio {
            pages: pages.len() as i64,
            index: index.into(),
            file: self.file.into(),
            sector: start as i64,
        });
        w.spend(w.facts.cost.swap_out);
        let bio = Bio {
            device: self.device,
            write: true,
            sync: false,
            origin: self.origin,
            start,
            pages,
            end: End::Write,
            io_end: cx.io_end,
        };
        ext4_io_submit(w, self.device, cx.io_end, bio.pages.len() as u32);
        submit_bio(w, bio);
        Flow::Next
    }
}
