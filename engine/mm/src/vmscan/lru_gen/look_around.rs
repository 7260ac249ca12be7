//! Checking the neighbours of a page that was used (mm/vmscan.c, `lru_gen_look_around`).
//!
//! Modelled: the window, promotion of used neighbours of the same node and cgroup, the table's entry in the next
//! round's filter; what each kernel counts when the reclaimer has no buffer for walks.
//! Left out: the lock of 6.12's early return; regions without recency.
//! Visible difference: none.
//! Invariants: accessed bits of the window's pages on the same lists are clear afterwards.

use crate::lru_gen::promote;
use crate::mmzone::{flag, gen_of_seq};
use crate::record::decisions;
use crate::rmap::{Referenced, places};
use crate::vmscan::lru_gen::walk::{add_to_filter, is_worth_a_visit, table_number, window};
use crate::vmscan::lru_gen::{ages_before, gens, gens_mut};
use crate::world::World;
use facts::index::FrameIndex;

decisions! {
    LookedAround { page: Page, window: Count, young: Count, promoted: Count }
        "The page at {page} was used. Among {window entry} around it, reclaim found {young} used as well, and made {promoted page} young.";
}

/// Below this number of used neighbours, 6.1 activates each of them if the reclaimer has no buffer
/// (`PAGEVEC_SIZE`).
const FEW: u32 = 15;

/// Reads and clears the accessed bits of every entry that maps a page, and looks around each entry
/// whose bit was set (`folio_referenced`). `walker` is true if the reclaimer has a buffer for
/// walks.
pub fn referenced(w: &mut World, frame: FrameIndex, walker: bool) -> Referenced {
    let mut found = Referenced::default();
    if !w.mem.pages[frame].has(flag::MAPPED) {
        return found;
    }
    for place in places(w, frame) {
        let (space, region, page) = place;
        found.mappings += 1;
        found.locked |= w.processes.region(space, region).locked;
        if w.processes.is_young(space, region, page) {
            found.young += 1;
            look_around(w, frame, place, walker);
        }
    }
    w.spend(w.facts.cost.rmap_check * found.mappings);
    found
}

/// `lru_gen_look_around`, for one entry that maps the page.
fn look_around(w: &mut World, frame: FrameIndex, place: (u32, u32, u32), walker: bool) {
    let (space, region, page) = place;
    let old_rule = ages_before(w);
    if !old_rule {
        w.processes.clear_young(space, region, page);
    }
    let owner = w.mem.lruvec_of(frame);
    let pages = w.processes.region(space, region).pages;
    let end = page + w.processes.rest_of_stretch(page);
    let begin = end - w.processes.rest_of_stretch(0);
    let (from, to) = window(page, begin, end.min(pages));
    let is_anon = w.mem.pages[frame].is_anon();
    let mut used = u32::from(!old_rule);
    let mut found = Vec::new();
    for entry in w.processes.young_entries(space, region, from, to) {
        let other = w.mem.pages[entry.frame];
        let counts = old_rule || is_anon || !other.is_anon();
        if w.mem.lruvec_of(entry.frame) != owner || !counts {
            continue;
        }
        w.processes.clear_young(space, region, entry.page);
        used += 1;
        if entry.dirty && other.has(flag::SWAPCACHE) {
            w.mem.pages[entry.frame].set(flag::DIRTY);
        }
        found.push(entry.frame);
    }
    w.spend(w.facts.cost.lru_isolate_page / 16 * (to - from));
    let promoted = make_young(w, &found, walker);
    if is_worth_a_visit(to - from, used) {
        let table = table_number(w, space, region, page);
        let seq = gens(w, owner).max_seq;
        add_to_filter(&mut gens_mut(w, owner).walk, seq, table);
    }
    w.record(LookedAround {
        page: frame,
        window: (to - from).into(),
        young: used.into(),
        promoted: promoted.into(),
    });
}

/// Moves used pages to the youngest generation. Without a buffer for walks, pages are activated,
/// which counts in pgactivate; 6.1 does so only for a few. Returns the number of pages that were in
/// an older generation.
fn make_young(w: &mut World, frames: &[FrameIndex], walker: bool) -> u32 {
    let is_older = |w: &World, frame: FrameIndex| {
        let youngest = gen_of_seq(gens(w, w.mem.lruvec_of(frame)).max_seq);
        w.mem.generation(frame).is_some_and(|old| old != youngest)
    };
    let older = frames.iter().filter(|&&frame| is_older(w, frame)).count() as u32;
    let activates = !walker && (!ages_before(w) || older < FEW);
    for &frame in frames {
        let is_youngest = w.mem.generation(frame).is_some() && !is_older(w, frame);
        if activates && is_older(w, frame) {
            crate::swap::activate_page(w, frame);
        } else if walker || !is_youngest {
            promote(w, frame);
        }
    }
    older
}
