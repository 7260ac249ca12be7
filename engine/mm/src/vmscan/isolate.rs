//! Isolation by blocks (mm/vmscan.c, `isolate_lru_pages` with an order; read in 2.6.37 to 3.1).
//!
//! Modelled: reclaim takes each page of a batch together with the block of the request's order
//! around it. A neighbour must be on the same list; lumpy reclaim accepts any reclaimable list. The
//! walk stops at the first page that is neither on such a list nor free.
//! Left out: pages that their last user is just releasing.
//! Invariants: a batch holds a page once; the last block may exceed the requested pages by less
//! than its size. The walk begins at the block's first page: pages after an obstacle are not taken,
//! and pages before it are taken without success.

use crate::frames::Context;
use crate::mmzone::{Memory, PageKind, flag};
use crate::record::decisions;
use crate::vmscan::inactive::take_batch;
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex};

decisions! {
    BlockTaken { page: Page, order: Order, taken: Count }
        "Reclaim checked the whole block of {order} around the page at {page} and took {taken page} with it.";
    BlockStopped { page: Page, order: Order, taken: Count, obstacle: Page }
        "Reclaim took {taken page} from the block of {order} around the page at {page}, up to {obstacle}, which cannot be taken.";
}

/// The result of a walk over the tail of a list, in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Looked {
    /// Number of pages scanned, including neighbours.
    pub scanned: u32,
    /// Number of neighbours taken (`nr_lumpy_taken`).
    pub contig_taken: u32,
    /// Number of dirty neighbours taken (`nr_lumpy_dirty`).
    pub contig_dirty: u32,
    /// Number of blocks with an obstacle (`nr_lumpy_failed`).
    pub contig_failed: u32,
}

/// Takes pages from the tail of a list into the task's batch until `want` pages are scanned. It skips
/// pages of zones above the requested one.
pub fn isolate_pages(
    w: &mut World,
    cx: &mut Context,
    owner: LruvecIndex,
    lru: u8,
    want: u32,
    skipped: &mut Vec<FrameIndex>,
) -> Looked {
    if w.facts.features.isolation_by_blocks && cx.sc.order > 0 {
        take_blocks(w, cx, owner, lru, want)
    } else {
        Looked {
            scanned: take_batch(w, cx, owner, lru, want, skipped),
            ..Looked::default()
        }
    }
}

/// Takes pages from the tail of a zone's list, each with its neighbours.
fn take_blocks(w: &mut World, cx: &mut Context, owner: LruvecIndex, lru: u8, want: u32) -> Looked {
    let list = w.mem.lru_list(owner, lru);
    let mut looked = Looked::default();
    while looked.scanned < want {
        let Some(frame) = w.mem.lists.tail(list) else {
            break;
        };
        take(w, cx, frame);
        take_neighbours(w, cx, frame, lru, &mut looked);
        looked.scanned += 1;
    }
    looked
}

fn take(w: &mut World, cx: &mut Context, frame: FrameIndex) {
    w.mem.lru_del(frame);
    w.mem.pages[frame].set(flag::ISOLATED);
    cx.sc.batch.push(frame);
}

/// Takes the neighbours of a page.
fn take_neighbours(
    w: &mut World,
    cx: &mut Context,
    frame: FrameIndex,
    lru: u8,
    looked: &mut Looked,
) {
    let order = cx.sc.order;
    let first = frame.head(order);
    let both = cx.sc.mode.is_lumpy();
    let zone = w.mem.pages[frame].zone();
    let before = looked.contig_taken;
    let mut obstacle = None;
    for neighbour in first.frames(order).filter(|&n| n != frame) {
        let Some(&page) = w.mem.pages.at(neighbour) else {
            obstacle = Some(neighbour);
            break;
        };
        let is_hole = page.is(PageKind::Absent) || page.zone() != zone;
        let cannot_go = page.is_anon() && !page.has(flag::SWAPCACHE) && w.swap.free_slots() == 0;
        if is_hole || cannot_go {
            obstacle = Some(neighbour);
            break;
        }
        let may_take = if both {
            !page.has(flag::UNEVICTABLE)
        } else {
            page.lru() == lru
        };
        if page.has(flag::LRU) && may_take {
            take(w, cx, neighbour);
            looked.scanned += 1;
            looked.contig_taken += 1;
            looked.contig_dirty += u32::from(page.has(flag::DIRTY));
        } else if !is_free(&w.mem, neighbour) {
            obstacle = Some(neighbour);
            break;
        }
    }
    let taken = i64::from(looked.contig_taken - before);
    if let Some(obstacle) = obstacle {
        looked.contig_failed += 1;
        w.record(BlockStopped {
            page: frame,
            order,
            taken,
            obstacle,
        });
    } else {
        w.record(BlockTaken {
            page: frame,
            order,
            taken,
        });
    }
}

/// Is the page free (its `page_count` is 0, and it is not part of a block in use)?
fn is_free(mem: &Memory, frame: FrameIndex) -> bool {
    let page = mem.pages[frame];
    if !page.is(PageKind::Tail) {
        return page.is(PageKind::Free) || page.is(PageKind::Pcp);
    }
    (1..mem.orders).any(|order| {
        let head = mem.pages[frame.head(order)];
        head.is(PageKind::Free) && head.order() >= order
    })
}
