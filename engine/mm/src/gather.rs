//! Reads ahead of a batch, so that its cache misses overlap.
//!
//! Modelled: nothing: what is read here is thrown away. Where the kernel prefetches a page's record
//! and its buddy's, or has neighbours in one line, a machine of millions of 16-byte records would
//! wait for memory once a page; a loop that only reads lets the processor wait for many at once.
//! Left out: machines whose records fit a cache.
//! Invariants: nothing is written.

use std::hint::black_box;

use crate::list::ListId;
use crate::mmzone::{Memory, PageKind};
use crate::world::World;

/// Frames from which reading ahead is worth its instructions: at 64 Ki it costs a tenth of the page
/// visits, at 256 Ki it changes nothing, at 1 Mi it brings a third more.
const BIG_FRAMES: usize = 1 << 19;

/// What the page ladder will ask of each page of a batch: its slot in the page cache.
pub fn before_ladder(w: &World, batch: &[u32]) {
    if w.mem.pages.len() < BIG_FRAMES {
        return;
    }
    let mut seen = 0;
    for &frame in batch {
        let page = w.mem.pages[frame as usize];
        if page.is(PageKind::File) {
            seen ^= w.files.peek(page.owner, page.index);
        }
    }
    black_box(seen);
}

/// What giving back the last `most` pages of a per-cpu list will ask: the buddies each may meet on
/// its way up, and the places of those that are free. All are looked at, met or not; following
/// each way up exactly was no quicker that could be told from noise.
pub fn before_merging(mem: &Memory, list: ListId, most: usize) {
    if mem.pages.len() < BIG_FRAMES {
        return;
    }
    let mut seen = 0;
    for frame in mem.lists.iter_back(list).take(most) {
        for order in 0..5 {
            let head = frame & !((1 << order) - 1);
            let buddy = mem.pages[(head ^ 1 << order) as usize];
            if buddy.is(PageKind::Free) {
                seen ^= mem.lists.frame_at(buddy.slot).unwrap_or(0);
            }
        }
    }
    black_box(seen);
}
