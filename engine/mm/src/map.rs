//! The page map: page states and block orders of a node, frame by frame or in cells.
//!
//! Modelled: nothing; reading only. Left out: colours, which are the page's.
//! Invariants: the states of a node's frames come in the order of [`ranges`]; a cell's shares add
//! up to at most 65535.

use crate::mmzone::PageKind;
use crate::picture::state_of;
use crate::view::PAGE_STATES;
use crate::world::World;

/// The frames of a node that exist: (first pfn, pages) by zone, then address.
pub fn ranges(w: &World, node: usize) -> Vec<(u64, u64)> {
    let zones = &w.facts.layout.nodes[node].zones;
    zones
        .iter()
        .flat_map(|z| &z.ranges)
        .map(|r| (r.start, r.pages))
        .collect()
}

/// Calls `each(head frame, kind, order, first frame of the block inside the range, count)` for
/// every block of a node's frames in the order of [`ranges`].
fn for_each_block(w: &World, node: usize, mut each: impl FnMut(PageKind, u8, u32)) {
    for (start, pages) in ranges(w, node) {
        let Some(first) = w.mem.frame(start) else {
            continue;
        };
        let (mut frame, end) = (first, first + pages as u32);
        while frame < end {
            let page = w.mem.pages[frame as usize];
            let order = if page.kind() == PageKind::Reserved {
                0
            } else {
                page.order()
            };
            each(page.kind(), order, (1u32 << order).min(end - frame));
            frame += 1 << order;
        }
    }
}

/// One byte a frame of a node: the [`PageState`], with 0x80 on the first frame of a block of
/// order above 0.
pub fn page_states(w: &World, node: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for_each_block(w, node, |kind, order, count| {
        let state = state_of(w, kind) as u8;
        let head = if order > 0 { 0x80 } else { 0 };
        out.push(state | head);
        out.extend(std::iter::repeat_n(state, count as usize - 1));
    });
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

/// For `cells` equal spans of a node's frames, the share of each [`PageState`] in 1/65535.
pub fn cells(w: &World, node: usize, cells: usize) -> Vec<u16> {
    let total: u64 = ranges(w, node).iter().map(|r| r.1).sum();
    let cells = cells.max(1) as u64;
    let mut counts = vec![0u64; cells as usize * PAGE_STATES];
    let edge = |cell: u64| cell * total / cells;
    let (mut at, mut cell) = (0u64, 0u64);
    for_each_block(w, node, |kind, _, count| {
        let state = state_of(w, kind) as usize;
        let end = at + u64::from(count);
        while at < end {
            while edge(cell + 1) <= at {
                cell += 1;
            }
            let upto = edge(cell + 1).min(end);
            counts[cell as usize * PAGE_STATES + state] += upto - at;
            at = upto;
        }
    });
    let sizes = (0..cells).map(|c| (edge(c + 1) - edge(c)).max(1));
    let sizes = sizes.flat_map(|s| std::iter::repeat_n(s, PAGE_STATES));
    counts
        .iter()
        .zip(sizes)
        .map(|(&n, size)| (n * 65535 / size) as u16)
        .collect()
}
