//! Reads a batch of records in advance, so that their cache misses overlap.
//!
//! Modelled: nothing; what is read here is discarded. The kernel prefetches the records of a page
//! and its buddy, or has neighbours in one cache line. A machine with millions of 16-byte records
//! would wait for memory once per page. In a loop that only reads, the processor waits for many
//! records at the same time.
//! Left out: machines whose records fit into a cache.
//! Invariants: nothing is written.

use facts::index::{FrameIndex, ListIndex};
use std::hint::black_box;

use crate::mmzone::{Memory, PageKind};
use crate::world::World;

/// Number of frames from which reading in advance pays off: at 64 Ki it costs a tenth of the page
/// visits, at 256 Ki it changes nothing, at 1 Mi it gains a third.
const BIG_FRAMES: usize = 1 << 19;

/// Reads what `shrink_page_list` will need for each page of a batch: the slot of the page in the
/// page cache.
pub fn before_ladder(w: &World, batch: &[FrameIndex]) {
    if w.mem.pages.len() < BIG_FRAMES {
        return;
    }
    let mut seen = 0;
    for &frame in batch {
        let page = w.mem.pages[frame];
        if page.is(PageKind::File) {
            seen ^= w.files.peek(page.owner, page.index);
        }
    }
    black_box(seen);
}

/// Reads what freeing the last `most` pages of a per-cpu list will need: the buddies with which
/// each page may merge, and the slots of the free ones. It reads all of them; following each merge
/// exactly was not measurably faster.
pub fn before_merging(mem: &Memory, list: ListIndex, most: usize) {
    if mem.pages.len() < BIG_FRAMES {
        return;
    }
    let mut seen = 0;
    for frame in mem.lists.iter_back(list).take(most) {
        for order in 0..5 {
            let buddy = mem.pages[frame.head(order).buddy(order)];
            if buddy.is(PageKind::Free) {
                seen ^= mem.lists.frame_at(buddy.slot).map_or(0, FrameIndex::get);
            }
        }
    }
    black_box(seen);
}
