//! Finds the page table entries that map a page (mm/rmap.c).
//!
//! Modelled: the one entry of an anonymous page, all mappings of a file page; reading and clearing
//! accessed bits; unmapping, which leaves a swap entry behind.
//! Left out: the locks of the walk (in 6.1 a failed `trylock` keeps a page), copies by fork.
//! Visible difference: nr_unmap_fail is always 0.
//! Invariants: PG_mapped is set exactly if an entry maps the page; an anonymous page in the swap cache
//! is found through its slot.

use crate::frames::NONE;
use crate::mmzone::{Gauge, PageKind, SWAP_OWNER, flag};
use crate::space::Mapping;
use crate::world::World;
use facts::index::FrameIndex;

/// Result of a walk over a page's mappings (`page_referenced`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Referenced {
    /// Number of entries whose accessed bit was set and is now cleared.
    pub young: u32,
    /// Number of entries walked.
    pub mappings: u32,
    /// True if an entry lies in a locked region.
    pub locked: bool,
}

/// Where an anonymous page is mapped, or would be: (space, region, page of the region).
pub fn anon_place(w: &World, frame: FrameIndex) -> (u32, u32, u32) {
    let page = w.mem.pages[frame];
    let (owner, index) = if page.owner == SWAP_OWNER {
        w.swap.place_of(page.swap_slot())
    } else {
        (page.owner, page.index)
    };
    (owner >> 16, owner & 0xffff, index)
}

/// Packs a space and a region into [`crate::mmzone::Page::owner`] of anonymous memory.
pub const fn pack_owner(space: u32, region: u32) -> u32 {
    space << 16 | region
}

/// Every entry that maps a file page: (space, region, page of the region).
fn file_places(w: &World, frame: FrameIndex) -> Vec<(u32, u32, u32)> {
    let page = w.mem.pages[frame];
    let maps = w.files.mappings(page.owner);
    let mut out = Vec::with_capacity(maps.len());
    for &(space, region) in maps {
        let r = w.processes.region(space, region);
        let crate::space::Backing::File { offset, .. } = r.backing else {
            continue;
        };
        let inside = page.index.checked_sub(offset).filter(|&at| at < r.pages);
        if let Some(at) = inside
            && w.processes.lookup(space, region, at) == Mapping::Page(frame)
        {
            out.push((space, region, at));
        }
    }
    out
}

/// Every entry that maps a page: (space, region, page of the region).
pub(crate) fn places(w: &World, frame: FrameIndex) -> Vec<(u32, u32, u32)> {
    if w.mem.pages[frame].is_anon() {
        vec![anon_place(w, frame)]
    } else {
        file_places(w, frame)
    }
}

/// Number of entries that map a page; a huge entry counts once (`page_mapcount`).
pub fn mapcount(w: &World, frame: FrameIndex) -> u32 {
    let page = w.mem.pages[frame];
    if page.is(PageKind::HugeAnon) || page.is_anon() && page.has(flag::MAPPED) {
        return 1;
    }
    if page.is(PageKind::File) {
        return file_places(w, frame).len() as u32;
    }
    0
}

/// Reads and clears the accessed bits of every entry that maps the page.
#[inline]
pub fn page_referenced(w: &mut World, frame: FrameIndex) -> Referenced {
    let page = w.mem.pages[frame];
    let mut found = Referenced::default();
    if !page.has(flag::MAPPED) {
        return found;
    }
    if page.is_anon() {
        let place = anon_place(w, frame);
        visit(w, place, &mut found);
    } else {
        for place in file_places(w, frame) {
            visit(w, place, &mut found);
        }
    }
    w.spend(w.facts.cost.rmap_check * found.mappings);
    found
}

fn visit(w: &mut World, (space, region, page): (u32, u32, u32), found: &mut Referenced) {
    found.mappings += 1;
    found.locked |= w.processes.region(space, region).locked;
    found.young += u32::from(w.processes.clear_young(space, region, page));
}

/// Removes the page from every entry that maps it; an anonymous page leaves its swap slot there.
/// Dirty bits of entries make the page dirty. Returns true if no entry maps the page any more.
pub fn try_to_unmap(w: &mut World, frame: FrameIndex) -> bool {
    let page = w.mem.pages[frame];
    if !page.has(flag::MAPPED) {
        return true;
    }
    if page.is_anon() {
        let (space, region, at) = anon_place(w, frame);
        let slot = (page.owner == SWAP_OWNER).then_some(page.swap_slot());
        let Some(slot) = slot else { return false };
        let dirty = w.processes.unmap_page(space, region, at, Some(slot));
        w.swap.duplicate(slot);
        if dirty {
            w.mem.pages[frame].set(flag::DIRTY);
        }
        w.spend(w.facts.cost.unmap);
    } else {
        let mut dirty = false;
        for (space, region, at) in file_places(w, frame) {
            dirty |= w.processes.unmap_page(space, region, at, None);
            w.spend(w.facts.cost.unmap);
        }
        w.mem.count(frame, Gauge::FileMapped, -1);
        if dirty {
            crate::page_writeback::set_page_dirty(w, frame);
        }
    }
    w.mem.pages[frame].clear(flag::MAPPED);
    true
}

/// Makes every entry that maps one page map another (`remove_migration_ptes`). Returns the number
/// of entries.
pub fn move_mappings(w: &mut World, frame: FrameIndex, to: FrameIndex) -> u32 {
    let page = w.mem.pages[frame];
    if !page.has(flag::MAPPED) {
        return 0;
    }
    let places = places(w, frame);
    for &(space, region, at) in &places {
        w.processes.move_page(space, region, at, to);
    }
    places.len() as u32
}

/// Is a file page that lost an entry still mapped in another locked region?
fn is_locked_elsewhere(w: &World, frame: FrameIndex) -> bool {
    let page = w.mem.pages[frame];
    !page.is_anon()
        && file_places(w, frame)
            .iter()
            .any(|&(space, region, _)| w.processes.region(space, region).locked)
}

/// Handles the removal of an entry that mapped a page (`page_remove_rmap` in `zap_pte_range`).
/// Returns true if the page has no user left and must be freed: it is an anonymous page that is not
/// being written.
pub fn zap_page(w: &mut World, frame: FrameIndex, young: bool, dirty: bool) -> bool {
    let page = w.mem.pages[frame];
    if page.has(flag::MLOCKED) && !is_locked_elsewhere(w, frame) {
        crate::swap::munlock_page(w, frame);
    }
    if page.is_anon() {
        w.mem.pages[frame].clear(flag::MAPPED);
        if page.meta & (flag::ISOLATED | flag::LOCKED) != 0 {
            // A reclaimer holds the page and will free it.
            if page.owner != SWAP_OWNER {
                w.mem.pages[frame].owner = NONE;
            }
            return false;
        }
        return page.owner != SWAP_OWNER || crate::swapfile::try_to_free_swap(w, frame);
    }
    if dirty {
        crate::page_writeback::set_page_dirty(w, frame);
    }
    if young {
        crate::swap::mark_page_accessed(w, frame);
    }
    if file_places(w, frame).is_empty() {
        w.mem.pages[frame].clear(flag::MAPPED);
        w.mem.count(frame, Gauge::FileMapped, -1);
    }
    false
}
