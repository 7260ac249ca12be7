//! Isolation by blocks (mm/vmscan.c, `isolate_lru_pages` with an order; read in 2.6.37 to 3.1).
//!
//! Modelled: the pages around each page of a batch, as many as the request's order has, are taken with
//! it if they are on a list of the same type and activity, from the first of the block to the first
//! that is neither such a page nor free.
//! Left out: lumpy reclaim, which takes pages of all lists.
//! Invariants: a batch holds a page once; the last block may go beyond the pages asked for by less than
//! the block.

use crate::frames::Context;
use crate::mmzone::{Memory, PageKind, flag};
use crate::vmscan::inactive::take_batch;
use crate::world::World;

/// Takes pages from the tail of a list into the task's batch until so many were scanned; pages of
/// zones above the one wanted are skipped. Returns how many were scanned.
pub fn isolate_pages(
    w: &mut World,
    cx: &mut Context,
    owner: u8,
    lru: u8,
    want: u32,
    skipped: &mut Vec<u32>,
) -> u32 {
    if w.facts.features.isolation_by_blocks && cx.sc.order > 0 {
        take_blocks(w, cx, owner, lru, want)
    } else {
        take_batch(w, cx, owner, lru, want, skipped)
    }
}

/// Takes pages from the tail of a zone's list, each with its neighbours.
fn take_blocks(w: &mut World, cx: &mut Context, owner: u8, lru: u8, want: u32) -> u32 {
    let list = w.mem.lru_list(owner, lru);
    let mut scanned = 0;
    while scanned < want {
        let Some(frame) = w.mem.lists.iter_back(list).next() else {
            break;
        };
        take(w, cx, frame);
        scanned += 1 + take_neighbours(w, cx, frame, lru);
    }
    scanned
}

fn take(w: &mut World, cx: &mut Context, frame: u32) {
    w.mem.lru_del(frame);
    w.mem.pages[frame as usize].set(flag::ISOLATED);
    cx.sc.batch.push(frame);
}

/// Takes the neighbours of a page; returns how many.
fn take_neighbours(w: &mut World, cx: &mut Context, frame: u32, lru: u8) -> u32 {
    let block = 1 << cx.sc.order;
    let first = frame & !(block - 1);
    let zone = w.mem.pages[frame as usize].zone();
    let mut taken = 0;
    for neighbour in (first..first + block).filter(|&n| n != frame) {
        let Some(&page) = w.mem.pages.get(neighbour as usize) else {
            break;
        };
        let is_hole = page.is(PageKind::Absent) || page.zone() != zone;
        let cannot_go = page.is_anon() && !page.has(flag::SWAPCACHE) && w.swap.free_slots() == 0;
        if is_hole || cannot_go {
            break;
        }
        if page.has(flag::LRU) && page.lru() == lru {
            take(w, cx, neighbour);
            taken += 1;
        } else if !is_free(&w.mem, neighbour) {
            break;
        }
    }
    taken
}

/// Does nobody use the page (`page_count` is 0, and it is no part of a block in use)?
fn is_free(mem: &Memory, frame: u32) -> bool {
    let page = mem.pages[frame as usize];
    if !page.is(PageKind::Tail) {
        return page.is(PageKind::Free) || page.is(PageKind::Pcp);
    }
    (1..mem.orders).any(|order| {
        let head = mem.pages[(frame & !((1 << order) - 1)) as usize];
        head.is(PageKind::Free) && head.order() >= order
    })
}
