//! Read-ahead (mm/readahead.c).
//!
//! Modelled: the window of an open file, its first size and growth, the marked page that starts the
//! next window, sequential and random reads told apart, traces of other readers; pages allocated
//! one by one and read in runs; holes behind all that was ever written.
//! Left out: a device too busy to read ahead for; memory advice; large folios.
//! Who could tell: to 3.16 all pages of a window are allocated before the first joins the cache;
//! here each joins as it is allocated.
//! Invariants: a window is never larger than the limit, nor does it reach beyond the file.

use crate::block::{Bio, BlkGetRequest, End, Origin, has_room, one_request, submit_bio, was_taken};
use crate::filemap::AddToPageCacheLru;
use crate::filemap::add::{NO_MEMORY, THERE};
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::ReadaheadRule;
use crate::record::decisions;
use crate::world::World;
use facts::state::State;

/// Largest window, KiB (`VM_MAX_READAHEAD`).
const MAX_KIB: u32 = 128;

/// The read-ahead state of an open file (`struct file_ra_state`), in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Readahead {
    /// Where the window begins.
    pub start: u32,
    /// Its size.
    pub size: u32,
    /// So many pages before its end lies the page that starts the next.
    pub async_size: u32,
}

/// What a read asks of read-ahead, and what the page cache says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First page wanted and not there, or the marked page.
    pub offset: u32,
    /// Pages the read still wants.
    pub req_size: u32,
    /// A marked page was reached; else a page was missing.
    pub hit_marker: bool,
    /// Page of the last byte read, [`NONE`] when nothing was read yet.
    pub prev: u32,
    /// Largest window.
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

/// Size of the window after one of this size (`get_next_ra_size`).
pub fn next_size(size: u32, max: u32) -> u32 {
    let factor = if size < max / 16 { 4 } else { 2 };
    (size * factor).min(max)
}

impl Readahead {
    /// Moves the window (`ondemand_readahead`). `history(max)` counts pages cached in a row before
    /// the offset, `next_miss(max)` finds the first uncached page behind it. Returns where to read,
    /// how many pages, and how many of them lie behind the mark; none when nothing is to be read.
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
            self.size = next_size(self.size, max);
            self.async_size = self.size;
        } else if q.hit_marker {
            // A mark somebody else's window left: what is cached behind it is that window.
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
            // The read would at once reach the mark of its own window: read both.
            let more = next_size(self.size, max);
            if rule != ReadaheadRule::CappedMerge || self.size + more <= max {
                self.async_size = more;
                self.size += more;
            } else {
                (self.size, self.async_size) = (max, max / 2);
            }
        }
        Some((self.start, self.size, self.async_size))
    }

    /// The page missing is that of the last byte read, or the next; nothing read yet counts as a
    /// read far away.
    fn follows(&self, q: &Window) -> bool {
        q.offset.wrapping_sub(q.prev) <= 1
    }

    /// Pages cached just before the offset are the trace of a stream (`try_context_readahead`).
    fn context(&mut self, rule: ReadaheadRule, q: &Window, history: impl Fn(u32) -> u32) -> bool {
        let mut found = history(q.max);
        let needed = match rule {
            ReadaheadRule::Classic => 0,
            ReadaheadRule::CarefulContext | ReadaheadRule::CappedMerge => q.req_size,
        };
        if found <= needed {
            return false;
        }
        if found >= q.offset {
            // All of the file so far is cached.
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

/// Largest window of this machine, pages (`ra_pages`).
pub(super) fn max_window(w: &World) -> u32 {
    (MAX_KIB / w.facts.layout.geometry.page_kib() as u32).max(1)
}

/// A read larger than the window is read ahead for in pieces as long as the device's requests
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
        "Page {index} of the file is needed, {wanted} in all: read {size page} from {start} on, the last {ahead} of them ahead.";
}

room! {
    PageCacheReadahead: "page_cache_readahead" in "mm/readahead.c" at "v6.1.176" line 570;
    Simplified "ondemand_readahead and what it calls. Pages join the cache as they are allocated, up to 3.16 too.";
    RaPt {
        Entry 0 Plain "ondemand_readahead(): set the window and its mark";
        Next 0 Plain "for each page of the window not cached:";
        Alloc 1 Plain "add_to_page_cache_lru(), without retrying";
        Add 1 Plain "no memory: end the window here";
        Room 0 Plain "queue full: wait for a place";
        Submit 0 Yields "submit what was gathered, a request of it at a time";
    }
    locals(self, w) {
        fd: number(self.fd);
        hit_readahead_marker: yes_no(self.hit_marker);
        index: number(self.at);
        nr_to_read: number(self.left);
    }
}

/// `page_cache_sync_readahead`, `page_cache_async_readahead` and what they call. Fills the file's
/// window; returns nothing: the caller looks again.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct PageCacheReadahead {
    /// Where it stands.
    pub pt: RaPt,
    /// Open file of the task.
    pub fd: u8,
    /// Node whose zonelist serves it.
    pub node: u8,
    /// A marked page was reached.
    pub hit_marker: bool,
    /// Pages left of the window.
    pub left: u16,
    /// The mark goes onto the page with so many left; 0 for none.
    pub mark: u16,
    /// First page gathered; before the window is known, how many pages are asked for.
    pub first: u32,
    /// Page to look at.
    pub at: u32,
}

impl PageCacheReadahead {
    /// Read-ahead at a page of an open file of which the read still wants so many.
    pub fn call(fd: u8, at: u32, req_size: u32, hit_marker: bool, node: u8) -> Frame {
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

    /// The window to read is known.
    fn fill(&mut self, w: &World, file: u32, start: u32, size: u32, async_size: u32) {
        let size = size.min(u32::from(u16::MAX));
        let inside = w.files.file(file).pages.saturating_sub(start);
        // The mark is where it would be if the file went on.
        let beyond = size.saturating_sub(inside);
        self.left = size.min(inside) as u16;
        self.mark = async_size.saturating_sub(beyond) as u16;
        (self.first, self.at) = (start, start);
        self.pt = RaPt::Next;
    }

    /// Reads the window an open file has (`ra_submit`).
    pub(super) fn given(w: &World, space: u32, fd: u8, node: u8) -> Frame {
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

    /// A page of the window needs no reading: the next run begins behind it.
    fn skip(&mut self) {
        self.left -= 1;
        self.at += 1;
        self.first = self.at;
    }

    /// The pages gathered lie in a row, in the file and on the device: one request of them.
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

/// Reads the pages of a file from `first` to before `end`, which are in the cache and locked. Holes
/// are filled with zeroes at once (`mpage_readpages`).
pub(super) fn submit_read(w: &mut World, file: u32, first: u32, end: u32, ahead: bool) {
    let holes = end.min(w.files.file(file).written).max(first);
    for index in holes..end {
        if let Some(frame) = w.files.page(file, index) {
            w.spend_zeroing(frame, 0);
            crate::filemap::unlock_page(w, frame);
        }
    }
    let end = holes;
    let pages: Vec<u32> = (first..end).filter_map(|i| w.files.page(file, i)).collect();
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
mod tests {
    use super::*;
    use crate::frames::NONE;

    fn window(offset: u32, req_size: u32, hit_marker: bool, prev: u32) -> Window {
        Window {
            offset,
            req_size,
            hit_marker,
            prev,
            max: 32,
        }
    }

    #[test]
    fn first_windows_follow_the_request_and_then_double() {
        let init = [1, 2, 4, 8, 9, 16, 32, 100].map(|n| init_size(n, 32));
        assert_eq!(init, [4, 4, 8, 16, 32, 32, 32, 32]);
        let next = [1, 2, 4, 8, 16, 32].map(|n| next_size(n, 32));
        assert_eq!(next, [4, 4, 8, 16, 32, 32]);
    }

    /// read() of one page after the other: 4 pages, mark on the second; then 8, 16, 32, 32, 32, in
    /// 3.0 as in 3.16.
    #[test]
    fn a_sequential_reader_of_single_pages_ramps_up() {
        ramps_up(ReadaheadRule::Classic);
        ramps_up(ReadaheadRule::CarefulContext);
    }

    fn ramps_up(rule: ReadaheadRule) {
        let mut ra = Readahead::default();
        let none = |_| 0;
        let mut at = 0;
        let mut seen = Vec::new();
        for i in 0..6 {
            let q = window(at, 1, i > 0, at.wrapping_sub(1));
            let (start, size, lookahead) = ra.ondemand(rule, &q, none, none).expect("a window");
            seen.push((start, size, lookahead));
            at = start + size - lookahead;
        }
        assert_eq!(
            seen,
            [
                (0, 4, 3),
                (4, 8, 8),
                (12, 16, 16),
                (28, 32, 32),
                (60, 32, 32),
                (92, 32, 32)
            ]
        );
    }

    /// read() of 128 KiB at the start: the window is the request; the mark of its own window is
    /// reached at once, so 3.0 reads two windows, later kernels one.
    #[test]
    fn a_window_as_large_as_the_request_is_merged_with_the_next() {
        for (rule, expected) in [
            (ReadaheadRule::Classic, (0, 64, 32)),
            (ReadaheadRule::CappedMerge, (0, 32, 16)),
        ] {
            let mut ra = Readahead::default();
            let found = ra.ondemand(rule, &window(0, 32, false, NONE), |_| 0, |_| 0);
            assert_eq!(found, Some(expected));
        }
    }

    #[test]
    fn random_reads_get_what_they_asked_for_and_no_more() {
        let mut ra = Readahead::default();
        for rule in [ReadaheadRule::Classic, ReadaheadRule::CappedMerge] {
            let found = ra.ondemand(rule, &window(500, 2, false, 17), |_| 0, |_| 0);
            assert_eq!(found, Some((500, 2, 0)));
        }
        assert_eq!(ra, Readahead::default());
    }

    #[test]
    fn cached_pages_before_a_miss_are_the_trace_of_a_stream() {
        let mut ra = Readahead::default();
        let q = window(500, 1, false, 17);
        let found = ra.ondemand(ReadaheadRule::Classic, &q, |_| 3, |_| 0);
        // 3 + 1 pages: a first window of 8, which is all mark and therefore doubled.
        assert_eq!(found, Some((500, 24, 16)));
        let found = ra.ondemand(ReadaheadRule::CappedMerge, &q, |_| 3, |_| 0);
        assert_eq!(found, Some((500, 4, 1)));
        let mut ra = Readahead::default();
        let found = ra.ondemand(ReadaheadRule::CappedMerge, &q, |_| 1, |_| 0);
        assert_eq!(found, Some((500, 1, 0)));
    }
}
