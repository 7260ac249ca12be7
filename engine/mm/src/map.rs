//! The page map: page states and block orders of a node, frame by frame or in cells.
//!
//! Modelled: nothing; reading only. Left out: colours, which are the page's.
//! Invariants: the states of a node's frames come in the order of [`ranges`]; a cell's shares add
//! up to at most 65535; no cell has frames of two zones.

use crate::layout::Layout;
use crate::mmzone::{Page, PageKind, flag};
use crate::view::{LRU_SHOWN, PAGE_STATES, PageState};
use crate::world::World;

/// The state a page is drawn in; `page` heads its block.
pub fn state_of(page: Page) -> PageState {
    let active = page.has(flag::ACTIVE);
    match page.kind() {
        PageKind::Free | PageKind::Pcp => PageState::Free,
        PageKind::Anon | PageKind::File if page.has(flag::ISOLATED) => PageState::Isolated,
        PageKind::Anon | PageKind::File if page.has(flag::WRITEBACK) => PageState::Writeback,
        PageKind::File if page.has(flag::DIRTY) => PageState::Dirty,
        PageKind::Anon if active => PageState::AnonActive,
        PageKind::Anon => PageState::AnonInactive,
        PageKind::File if active => PageState::FileActive,
        PageKind::File => PageState::FileInactive,
        PageKind::HugeAnon => PageState::Huge,
        PageKind::PageTable => PageState::PageTable,
        PageKind::Kernel | PageKind::Slab => PageState::Slab,
        PageKind::InFlight => PageState::Isolated,
        PageKind::Reserved | PageKind::Absent | PageKind::Tail => PageState::Reserved,
    }
}

/// The frames of a node that exist: (first pfn, pages) by zone, then address.
pub fn ranges(layout: &Layout, node: usize) -> Vec<(u64, u64)> {
    let mut ranges = Vec::new();
    for zone in &layout.nodes[node].zones {
        for range in &zone.ranges {
            ranges.push((range.start, range.pages));
        }
    }
    ranges
}

/// Calls `each(head, order, first pfn, frames inside the range)` for every block of a range.
fn for_each_block_of(w: &World, start: u64, pages: u64, mut each: impl FnMut(Page, u8, u64, u32)) {
    let Some(first) = w.mem.frame(start) else {
        return;
    };
    let (mut frame, end) = (first, first + pages as u32);
    while frame < end {
        let page = w.mem.pages[frame as usize];
        let order = if page.kind() == PageKind::Reserved {
            0
        } else {
            page.order()
        };
        let pfn = start + u64::from(frame - first);
        each(page, order, pfn, (1u32 << order).min(end - frame));
        frame += 1 << order;
    }
}

/// Calls `each(head, order, frames)` for every block of a node in the order of [`ranges`].
fn for_each_block(w: &World, node: usize, mut each: impl FnMut(Page, u8, u32)) {
    for (start, pages) in ranges(&w.facts.layout, node) {
        for_each_block_of(w, start, pages, |page, order, _, count| {
            each(page, order, count);
        });
    }
}

/// One byte a frame of a node: the [`PageState`], with 0x80 on the first frame of a block of
/// order above 0.
pub fn page_states(w: &World, node: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for_each_block(w, node, |page, order, count| {
        let state = state_of(page) as u8;
        let head = if order > 0 { 0x80 } else { 0 };
        out.push(state | head);
        out.extend(std::iter::repeat_n(state, count as usize - 1));
    });
    out
}

/// Set in a word of [`lru_pages`] where the page has PG_referenced.
pub const WORD_REFERENCED: u32 = 0x100;
/// Set in a word of [`lru_pages`] where the page has PG_reclaim: freed first when its write ends.
pub const WORD_RECLAIM: u32 = 0x200;

/// The pages of each shown LRU list of each owner: how many follow, then for each, tail first and
/// at most `limit`, its page frame number and a word of its [`PageState`] and flags.
pub fn lru_pages(w: &World, limit: usize) -> Vec<u32> {
    let mut out = Vec::new();
    for owner in 0..w.mem.lruvecs.len() as u8 {
        for lru in 0..LRU_SHOWN as u8 {
            let at = out.len();
            out.push(0);
            for frame in w
                .mem
                .lists
                .iter_back(w.mem.lru_list(owner, lru))
                .take(limit)
            {
                let page = w.mem.pages[frame as usize];
                let mut word = state_of(page) as u32;
                if page.has(flag::REFERENCED) {
                    word |= WORD_REFERENCED;
                }
                if page.has(flag::RECLAIM) {
                    word |= WORD_RECLAIM;
                }
                out.extend([w.mem.pfn(frame) as u32, word]);
                out[at] += 1;
            }
        }
    }
    out
}

/// One byte a frame of a node: order + 1 on the first frame of a block, else 0.
pub fn page_orders(w: &World, node: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for_each_block(w, node, |_, order, count| {
        out.push(order + 1);
        out.extend(std::iter::repeat_n(0, count as usize - 1));
    });
    out
}

/// The share of each [`PageState`] in 1/65535 of a cell, for all cells of a node. Cells are the
/// stretches of `span` frames, aligned to `span`, that hold frames of a zone, zone by zone; what
/// does not exist of a cell is missing from its sum.
pub fn cells(w: &World, node: usize, span: usize) -> Vec<u16> {
    let span = span.max(1) as u64;
    let mut counts: Vec<u64> = Vec::new();
    for zone in &w.facts.layout.nodes[node].zones {
        let mut current = None;
        for range in &zone.ranges {
            for_each_block_of(w, range.start, range.pages, |page, _, pfn, count| {
                let state = state_of(page) as usize;
                let (mut at, end) = (pfn, pfn + u64::from(count));
                while at < end {
                    let cell = at / span;
                    if current != Some(cell) {
                        current = Some(cell);
                        counts.extend([0; PAGE_STATES]);
                    }
                    let upto = ((cell + 1) * span).min(end);
                    let here = counts.len() - PAGE_STATES + state;
                    counts[here] += upto - at;
                    at = upto;
                }
            });
        }
    }
    let share = |&n: &u64| (n * 65535 / span) as u16;
    counts.iter().map(share).collect()
}
