//! The page map: page states and block orders of a node, for each frame or aggregated in cells.
//!
//! Modelled: nothing; the code only reads.
//! Left out: colours, which the page chooses.
//! Invariants: the states of a node's frames are in the order of [`ranges`]; a cell's shares add up
//! to at most 65535; no cell has frames of two zones.

use std::borrow::Cow;

use crate::layout::Layout;
use crate::mmzone::{
    ALL_KINDS, MAX_NR_GENS, MAX_ORDERS, Page, PageKind, flag, gen_of_seq, tier_of,
};
use crate::view::{LRU_SHOWN, PAGE_STATES, PageState};
use crate::vmscan::{ANON, FILE};
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex};

/// The state in which a page is drawn; `page` is the head of its block.
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

/// The head of a block as it is drawn. A page of the multi-generational LRU counts as active if it
/// is in one of the two youngest generations, because the kernel clears its PG_active.
pub fn page_at(w: &World, frame: FrameIndex) -> Page {
    let mut page = w.mem.pages[frame];
    if w.mem.generation(frame).is_some() && w.mem.counted_as(frame) % 2 == 1 {
        page.set(flag::ACTIVE);
    }
    page
}

/// Consecutive frames as [`page_at`] gives them.
fn pages_at(w: &World, first: FrameIndex, count: u32) -> Cow<'_, [Page]> {
    if !w.mem.lru_gen_on {
        return Cow::Borrowed(w.mem.pages.slice(first, first.plus(count)));
    }
    let frames = first.until(first.plus(count));
    frames.map(|frame| page_at(w, frame)).collect()
}

/// The existing frames of a node: (first pfn, pages), ordered by zone, then address.
pub fn ranges(layout: &Layout, node: usize) -> Vec<(u64, u64)> {
    let mut ranges = Vec::new();
    for zone in &layout.nodes[node].zones {
        for range in &zone.ranges {
            ranges.push((range.start, range.pages));
        }
    }
    ranges
}

/// Order of the block that a page heads; reserved pages form no block.
fn block_order(page: Page) -> u8 {
    if page.is(PageKind::Reserved) {
        0
    } else {
        page.order()
    }
}

/// Calls `each(head, order, first pfn, frames inside the range)` for every block of a range.
fn for_each_block_of(w: &World, start: u64, pages: u64, mut each: impl FnMut(Page, u8, u64, u32)) {
    let Some(first) = w.mem.frame(start) else {
        return;
    };
    let (mut frame, end) = (first, first.plus(pages as u32));
    while frame < end {
        let page = page_at(w, frame);
        let order = block_order(page);
        let pfn = start + u64::from(frame.since(first));
        each(page, order, pfn, (1u32 << order).min(end.since(frame)));
        frame = frame.plus(1 << order);
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

/// Set in a byte of [`page_states`] if an entry that maps the page is marked: the next access
/// through the entry is a hinting fault.
pub const STATE_MARKED: u8 = 0x40;

/// One byte for each frame of a node: the [`PageState`], with 0x80 on the first frame of a block of
/// order above 0, and [`STATE_MARKED`].
pub fn page_states(w: &World, node: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for_each_block(w, node, |page, order, count| {
        let state = state_of(page) as u8;
        let head = if order > 0 { 0x80 } else { 0 };
        out.push(state | head);
        out.extend(std::iter::repeat_n(state, count as usize - 1));
    });
    if w.numa.on {
        add_marks(w, node, &mut out);
    }
    out
}

/// Adds [`STATE_MARKED`] to the states of a node's pages.
fn add_marks(w: &World, node: usize, states: &mut [u8]) {
    let mut at = 0;
    let ranges = ranges(&w.facts.layout, node).into_iter();
    let first = ranges.filter_map(|(start, pages)| {
        let index = at;
        at += pages as u32;
        Some((w.mem.frame(start)?, pages as u32, index))
    });
    let first: Vec<(FrameIndex, u32, u32)> = first.collect();
    w.processes.each_hinting(|frame, pages| {
        for frame in frame.until(frame.plus(pages)) {
            let is_in = |&&(first, pages, _): &&(FrameIndex, u32, u32)| {
                (first..first.plus(pages)).contains(&frame)
            };
            if let Some(&(first, _, index)) = first.iter().find(is_in)
                && let Some(state) = states.get_mut((index + frame.since(first)) as usize)
            {
                *state |= STATE_MARKED;
            }
        }
    });
}

/// Set in a word of [`lru_pages`] if the page has PG_referenced.
pub const WORD_REFERENCED: u32 = 0x100;
/// Set in a word of [`lru_pages`] if the page has PG_reclaim: it will be freed first when its write
/// ends.
pub const WORD_RECLAIM: u32 = 0x200;

/// Set in a word of [`lru_pages`] if the page was read again after reclaim had evicted it.
pub const WORD_REREAD: u32 = 0x400;

/// The pages of each LRU list shown, for each owner. For each list, the number of pages, then for
/// each page its page frame number and a word of its [`PageState`] and flags. The tail comes first;
/// at most `limit` pages per list.
pub fn lru_pages(w: &World, limit: usize) -> Vec<u32> {
    let mut out = Vec::new();
    for owner in w.mem.lruvecs.indices() {
        for lru in 0..LRU_SHOWN as u8 {
            let at = out.len();
            out.push(0);
            for frame in w
                .mem
                .lists
                .iter_back(w.mem.lru_list(owner, lru))
                .take(limit)
            {
                out.extend([w.mem.pfn(frame) as u32, list_word(w, frame)]);
                out[at] += 1;
            }
        }
    }
    out
}

/// The state and the flags of a page on a list.
fn list_word(w: &World, frame: FrameIndex) -> u32 {
    let page = page_at(w, frame);
    let mut word = state_of(page) as u32;
    if page.has(flag::REFERENCED) {
        word |= WORD_REFERENCED;
    }
    if page.has(flag::RECLAIM) {
        word |= WORD_RECLAIM;
    }
    if page.has(flag::REREAD) {
        word |= WORD_REREAD;
    }
    word
}

/// The lowest bit of a page's tier in a word of [`generation_pages`].
pub const WORD_TIER_SHIFT: u32 = 12;

/// The pages of each generation, for the owners and generations of the view and in their order.
/// Each generation has first its anonymous pages, then its file pages. For each of these, the
/// number of pages, then for each page its page frame number and a word as in [`lru_pages`] with
/// its tier. The page that is evicted first comes first; at most `limit` pages of each. Pages that
/// a walk has promoted are listed in their new generation, although they stay on their old list
/// until reclaim finds them there.
pub fn generation_pages(w: &World, limit: usize) -> Vec<u32> {
    let mut out = Vec::new();
    if !w.mem.lru_gen_on {
        return out;
    }
    for owner in w.mem.lruvecs.indices() {
        let Some(gens) = &w.mem.lruvecs[owner].lru_gen else {
            continue;
        };
        let (mut listed, promoted) = pages_by_generation(w, owner, limit);
        for (pages, mut more) in listed
            .as_flattened_mut()
            .iter_mut()
            .zip(promoted.into_iter().flatten())
        {
            more.truncate(limit - pages.len());
            pages.append(&mut more);
        }
        for seq in gens.min_seq[ANON].min(gens.min_seq[FILE])..=gens.max_seq {
            for pages in &listed[gen_of_seq(seq)] {
                out.push(pages.len() as u32);
                for &frame in pages {
                    let tier = tier_of(w.mem.uses(frame)) as u32;
                    let word = list_word(w, frame) | tier << WORD_TIER_SHIFT;
                    out.extend([w.mem.pfn(frame) as u32, word]);
                }
            }
        }
    }
    out
}

/// Pages by generation and type: those on the generation's own list, then those that a walk has
/// promoted.
type ByGeneration = [[Vec<FrameIndex>; 2]; MAX_NR_GENS];

fn pages_by_generation(
    w: &World,
    owner: LruvecIndex,
    limit: usize,
) -> (ByGeneration, ByGeneration) {
    let (mut listed, mut promoted) = (ByGeneration::default(), ByGeneration::default());
    // Eviction begins with the highest zone.
    for zone in w.mem.zones_of(owner).rev() {
        for generation in 0..MAX_NR_GENS {
            for file in [ANON, FILE] {
                let list = w.mem.gen_list(owner, zone, generation, file);
                for frame in w.mem.lists.iter_back(list) {
                    let own = w.mem.generation(frame).unwrap_or(generation);
                    let found = match own == generation {
                        true => &mut listed[own][file],
                        false => &mut promoted[own][file],
                    };
                    if found.len() < limit {
                        found.push(frame);
                    }
                }
            }
        }
    }
    (listed, promoted)
}

/// One byte for each frame of a node: order + 1 on the first frame of a block, else 0.
pub fn page_orders(w: &World, node: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for_each_block(w, node, |_, order, count| {
        out.push(order + 1);
        out.extend(std::iter::repeat_n(0, count as usize - 1));
    });
    out
}

/// One word per frame, for `count` frames from page frame number `first` on, every `stride`th,
/// across nodes and zones. Bits 0 to 3 hold the [`PageState`], 4 to 7 the [`PageKind`]. Bits 8 to
/// 15 hold order + 1 on the first frame of a block. Bits 16 to 29 hold the flags of the head of the
/// block, as in [`flag`]; bits 30 and 31 the migrate type of the pageblock. A frame without memory
/// is [`PageKind::Absent`].
pub fn page_words(w: &World, first: u64, count: usize, stride: u64) -> Vec<u32> {
    let mut words = vec![PageState::Reserved as u32; count];
    for (i, word) in words.iter_mut().enumerate() {
        let Some(frame) = w.mem.frame(first + i as u64 * stride) else {
            continue;
        };
        // Blocks are aligned to their size, so clearing bits from the lowest up finds the head.
        let (mut head, mut order) = (frame, 0);
        while w.mem.pages[head].is(PageKind::Tail) {
            order += 1;
            head = head.head(order);
        }
        let page = w.mem.pages[head];
        let kind = page.kind();
        let order = match kind {
            _ if head != frame => 0,
            PageKind::Reserved => 1,
            _ => u32::from(page.order()) + 1,
        };
        let block_type = u32::from(w.mem.block_type(frame));
        *word = state_of(page_at(w, head)) as u32
            | (kind as u32) << 4
            | order << 8
            | page.meta & WORD_FLAGS
            | block_type << 30;
    }
    words
}

/// Bits of the flags in [`page_words`]: all bits below the migrate type.
const WORD_FLAGS: u32 = 0x3fff << 16;

/// The share of each [`PageState`] in 1/65535 of a cell, for all cells of a node. A cell is a
/// range of `span` frames, aligned to `span`, that holds frames of a zone; cells are ordered by
/// zone. Frames of a cell that do not exist are missing from its sum.
pub fn cells(w: &World, node: usize, span: usize) -> Vec<u16> {
    let span = span.max(1) as u64;
    let mut tally = Tally::of(span);
    for zone in &w.facts.layout.nodes[node].zones {
        tally.current = None;
        for range in &zone.ranges {
            if let Some(first) = w.mem.frame(range.start) {
                let pages = pages_at(w, first, range.pages as u32);
                tally.add(range.start, &pages);
            }
        }
    }
    let share = |&n: &u32| (u64::from(n) * 65535 / span) as u16;
    tally.counts.as_flattened().iter().map(share).collect()
}

/// The flags that decide a page's state, in addition to its kind.
const STATE_FLAGS: [u32; 4] = [flag::ACTIVE, flag::DIRTY, flag::WRITEBACK, flag::ISOLATED];
/// Kind, order and [`STATE_FLAGS`] in [`Page::meta`].
const STATE_BITS: u32 = 0xff | flag::ACTIVE | flag::DIRTY | flag::WRITEBACK | flag::ISOLATED;

/// The parts of a page's record that decide its state, as an index into a table.
fn state_key(meta: u32) -> usize {
    let flags = STATE_FLAGS.iter().enumerate();
    let set = flags.map(|(i, &flag)| usize::from(meta & flag != 0) << i);
    (meta & 15) as usize | set.sum::<usize>() << 4
}

/// [`state_of`], indexed by [`state_key`].
fn states_by_key() -> [u8; 256] {
    let mut states = [PageState::Reserved as u8; 256];
    for bits in 0..1 << STATE_FLAGS.len() {
        let flags = STATE_FLAGS.iter().enumerate();
        let set = flags.filter(|(i, _)| bits >> i & 1 == 1);
        let flags: u32 = set.map(|(_, flag)| flag).sum();
        for kind in ALL_KINDS {
            let meta = kind as u32 | flags;
            let page = Page {
                meta,
                ..Page::absent()
            };
            states[state_key(meta)] = state_of(page) as u8;
        }
    }
    states
}

/// Counts frames by state, cell by cell.
struct Tally {
    /// Number of frames in a cell.
    span: u64,
    states: [u8; 256],
    /// The cell of the last frame, by its position in the address space.
    current: Option<u64>,
    counts: Vec<[u32; PAGE_STATES]>,
}

impl Tally {
    fn of(span: u64) -> Self {
        Self {
            span,
            states: states_by_key(),
            current: None,
            counts: Vec::new(),
        }
    }

    /// Counts the frames of a range that starts at `start`.
    fn add(&mut self, start: u64, pages: &[Page]) {
        let mut block = Block { state: 0, end: 0 };
        let mut at = 0;
        while at < pages.len() {
            let cell = (start + at as u64) / self.span;
            if self.current != Some(cell) {
                self.current = Some(cell);
                self.counts.push([0; PAGE_STATES]);
            }
            let end = ((cell + 1) * self.span - start).min(pages.len() as u64) as usize;
            if let Some(counts) = self.counts.last_mut() {
                block.count(&pages[..end], at, &self.states, counts);
            }
            at = end;
        }
    }
}

/// The block that was counted last: it may reach into the next cell.
struct Block {
    state: u8,
    /// The first frame after the block.
    end: usize,
}

impl Block {
    /// Counts the frames of `pages` from `at` on. Frame `at` is the first one of a block or inside
    /// the last block.
    fn count(
        &mut self,
        pages: &[Page],
        mut at: usize,
        states: &[u8; 256],
        counts: &mut [u32; PAGE_STATES],
    ) {
        loop {
            let upto = self.end.min(pages.len());
            if at < upto {
                counts[usize::from(self.state)] += (upto - at) as u32;
                at = upto;
            }
            at += count_small(&pages[at..], states, counts);
            let Some(page) = pages.get(at) else {
                return;
            };
            self.state = states[state_key(page.meta)];
            self.end = at + (1 << block_order(*page));
        }
    }
}

/// Counts the single pages at the beginning of `pages`; returns their number. The position of the
/// next page does not depend on the content of this one, so the processor can read ahead;
/// neighbours are usually alike. Each snapshot reads every frame of a large machine.
fn count_small(pages: &[Page], states: &[u8; 256], counts: &mut [u32; PAGE_STATES]) -> usize {
    let (mut bits, mut first) = (0, 0);
    let mut count = |bits: u32, pages: usize| {
        counts[usize::from(states[state_key(bits)])] += pages as u32;
    };
    for (at, page) in pages.iter().enumerate() {
        let here = page.meta & STATE_BITS;
        if here == bits {
            continue;
        }
        count(bits, at - first);
        (bits, first) = (here, at);
        if block_order(*page) > 0 {
            return at;
        }
    }
    count(bits, pages.len() - first);
    pages.len()
}

/// The blocks on the buddy lists in each cell of [`cells`], in the same order: the number of blocks
/// of each of the [`MAX_ORDERS`] orders. A block larger than a cell counts in each of its cells as
/// one block that fills the cell. Free pages on no buddy list (those of the per-cpu lists) are not
/// counted.
pub fn free_runs(w: &World, node: usize, span: usize) -> Vec<u16> {
    let span = span.max(1) as u64;
    let most = (span.ilog2() as usize).min(MAX_ORDERS - 1);
    let mut counts: Vec<u16> = Vec::new();
    for zone in &w.facts.layout.nodes[node].zones {
        let mut current = None;
        for range in &zone.ranges {
            for_each_block_of(w, range.start, range.pages, |page, order, pfn, count| {
                let order = usize::from(order).min(most);
                let (mut at, end) = (pfn, pfn + u64::from(count));
                while at < end {
                    let cell = at / span;
                    if current != Some(cell) {
                        current = Some(cell);
                        counts.extend([0; MAX_ORDERS]);
                    }
                    if page.is(PageKind::Free) {
                        let here = counts.len() - MAX_ORDERS + order;
                        counts[here] += 1;
                    }
                    at = ((cell + 1) * span).min(end);
                }
            });
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::machine::Machine;

    /// A machine of two nodes whose memory is in use.
    fn running(id: &str) -> Machine {
        let experiment = Experiment::preset(id).expect("a preset");
        let mut m = Machine::boot(&experiment);
        m.run(20_000, u64::MAX);
        m
    }

    #[test]
    fn page_words_agree_with_states_and_orders_of_every_frame() {
        for id in ["anon-hog.teach", "mixed-types.teach"] {
            let m = running(id);
            let w = &m.w;
            let mut flags = 0;
            for node in 0..w.facts.layout.nodes.len() {
                let (states, orders) = (page_states(w, node), page_orders(w, node));
                let mut at = 0;
                for (start, pages) in ranges(&w.facts.layout, node) {
                    for (i, word) in page_words(w, start, pages as usize, 1).iter().enumerate() {
                        let frame = w.mem.frame(start + i as u64).expect("existing memory");
                        assert_eq!(word & 15, u32::from(states[at] & 15), "{id} {at}");
                        assert_eq!(word >> 8 & 255, u32::from(orders[at]), "{id} {at}");
                        assert_eq!((word >> 30) as u8, w.mem.block_type(frame));
                        let page = w.mem.pages[frame];
                        if page.kind() != PageKind::Tail {
                            assert_eq!((word >> 4 & 15) as u8, page.kind() as u8);
                            assert_eq!(word & WORD_FLAGS, page.meta & flag::ALL & WORD_FLAGS);
                            flags |= word & WORD_FLAGS;
                        }
                        at += 1;
                    }
                }
                assert_eq!(at, states.len());
            }
            assert!(flags & flag::LRU != 0, "{id} has pages on lists");
        }
    }

    #[test]
    fn cells_add_up_the_states_of_every_frame() {
        for id in ["anon-hog.teach", "mixed-types.teach", "dirty-writer.teach"] {
            let m = running(id);
            let w = &m.w;
            for node in 0..w.facts.layout.nodes.len() {
                let states = page_states(w, node);
                // Cell sizes: a pageblock, a part of one, a number that shares few divisors with
                // the others, and the whole machine.
                for span in [512, 64, 100, 1 << 20] {
                    assert_eq!(
                        cells(w, node, span),
                        counted(w, node, span, &states),
                        "{id}"
                    );
                }
            }
        }
    }

    /// [`cells`], computed from the states of all frames one by one.
    fn counted(w: &World, node: usize, span: usize, states: &[u8]) -> Vec<u16> {
        let mut counts: Vec<[u64; PAGE_STATES]> = Vec::new();
        let mut states = states.iter();
        for zone in &w.facts.layout.nodes[node].zones {
            let mut last = None;
            for range in &zone.ranges {
                for pfn in range.start..range.start + range.pages {
                    if last != Some(pfn / span as u64) {
                        last = Some(pfn / span as u64);
                        counts.push([0; PAGE_STATES]);
                    }
                    let state = states.next().expect("a state for each frame") & 15;
                    counts.last_mut().expect("a cell")[usize::from(state)] += 1;
                }
            }
        }
        let share = |&n: &u64| (n * 65535 / span as u64) as u16;
        counts.as_flattened().iter().map(share).collect()
    }

    #[test]
    fn page_words_follow_the_stride_and_mark_frames_without_memory() {
        let m = running("anon-hog.teach");
        let (start, pages) = ranges(&m.w.facts.layout, 0)[0];
        let all = page_words(&m.w, start, pages as usize, 1);
        let some = page_words(&m.w, start, pages as usize / 8, 8);
        assert!(some.iter().eq(all.iter().step_by(8)));
        assert_eq!(
            page_words(&m.w, 1 << 40, 2, 1),
            [PageState::Reserved as u32; 2]
        );
    }
    /// The number of pages in a cell's free blocks, largest blocks first: a block of order 3 is 8
    /// pages.
    fn free_pages(runs: &[u16]) -> u64 {
        let each = runs.iter().enumerate();
        each.map(|(order, &n)| u64::from(n) << order).sum()
    }

    #[test]
    fn free_runs_equal_the_blocks_of_the_buddy_lists() {
        for id in ["anon-hog.teach", "mixed-types.teach"] {
            let m = running(id);
            let w = &m.w;
            let span = 1usize << w.mem.pageblock_order;
            for (node, layout) in w.facts.layout.nodes.iter().enumerate() {
                let runs = free_runs(w, node, span);
                assert_eq!(
                    runs.len() / MAX_ORDERS,
                    cells(w, node, span).len() / PAGE_STATES
                );
                let pages: u64 = runs.chunks(MAX_ORDERS).map(free_pages).sum();
                let zones = w.mem.zones.iter();
                let on_lists = zones.filter(|z| z.node.index() == node);
                let on_lists: u64 = on_lists.map(|z| u64::from(z.nr_free_pages)).sum();
                assert_eq!(pages, on_lists, "{id}, node {node}, {}", layout.zones.len());
                let blocks: u32 = runs.iter().map(|&n| u32::from(n)).sum();
                assert!(pages == 0 || blocks > 0);
            }
        }
    }

    #[test]
    fn a_block_larger_than_a_cell_fills_each_of_its_cells() {
        let experiment = Experiment::preset("anon-hog.teach").expect("a preset");
        let m = Machine::boot(&experiment);
        let whole = free_runs(&m.w, 1, 1024);
        let parts = free_runs(&m.w, 1, 256);
        let is_large = |cell: &[u16]| cell[9..].iter().any(|&n| n > 0);
        assert!(whole.chunks(MAX_ORDERS).any(is_large), "a large block");
        let sum = |runs: &[u16]| runs.chunks(MAX_ORDERS).map(free_pages).sum::<u64>();
        assert_eq!(sum(&whole), sum(&parts));
        for cell in parts.chunks(MAX_ORDERS) {
            assert!(free_pages(cell) <= 256);
            assert!(!is_large(cell));
        }
    }
}
