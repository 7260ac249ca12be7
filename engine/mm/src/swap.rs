//! The LRU lists: how pages join them, age and leave (mm/swap.c).
//!
//! Modelled: adding at the head, activation by the second access, deactivation, rotation to the
//! tail when a write ends; one set of lists per zone or per node, depending on the kernel.
//! Left out: the per-CPU vectors of 14 or 15 pages in which the kernel collects insertions, except
//! that they delay activation ([`lru_add`](crate::lru_add)).
//! Visible difference: up to 15 pages per CPU join a list slightly earlier than in a kernel.
//! Invariants: a page has PG_lru exactly while it is on the list that `Page::lru` returns; the
//! owner's and the zone's counts equal the lengths of the lists.

use crate::memcg::group::Stat;
use crate::mmzone::{Gauge, Memory, Page, flag};
use crate::world::World;
use facts::index::{FrameIndex, ListIndex, LruvecIndex};

impl Memory {
    /// Adds a page to the counts of its list, or subtracts it; returns that list's owner.
    #[inline(always)]
    fn update_lru_size(&mut self, frame: FrameIndex, page: Page, by: i32) -> LruvecIndex {
        let lru = page.lru() as usize;
        let zone = &mut self.zones[page.zone()];
        let pages = by << page.order();
        zone.lru[lru] = zone.lru[lru].wrapping_add_signed(pages);
        let (kind, lists) = (usize::from(zone.kind), zone.lruvec);
        let lists = self.lists_of_group(lists, self.group_of(frame));
        let owner = &mut self.lruvecs[lists];
        owner.nr[lru] = owner.nr[lru].wrapping_add_signed(pages);
        if let Some(zone) = owner.by_zone.get_mut(kind) {
            zone[lru] = zone[lru].wrapping_add_signed(pages);
        }
        lists
    }

    /// Puts a page at the head of its list (`add_page_to_lru_list`).
    #[inline(always)]
    pub fn lru_add(&mut self, frame: FrameIndex) {
        if self.lru_gen_on && self.lru_gen_add(frame, false) {
            return;
        }
        let list = self.mark_lru(frame);
        let page = &mut self.pages[frame];
        self.lists.push_head(page, list, frame);
    }

    /// Puts a page at the tail of its list (`add_page_to_lru_list_tail`).
    #[inline]
    pub fn lru_add_tail(&mut self, frame: FrameIndex) {
        if self.lru_gen_on && self.lru_gen_add(frame, true) {
            return;
        }
        let list = self.mark_lru(frame);
        let page = &mut self.pages[frame];
        self.lists.push_tail(page, list, frame);
    }

    /// Sets the flags of a page that joins a list and counts it; returns the list.
    #[inline(always)]
    fn mark_lru(&mut self, frame: FrameIndex) -> ListIndex {
        let page = &mut self.pages[frame];
        debug_assert!(!page.has(flag::LRU));
        page.set(flag::LRU);
        let page = *page;
        let owner = self.update_lru_size(frame, page, 1);
        self.lru_list(owner, page.lru())
    }

    /// Takes a page off its list (`del_page_from_lru_list`).
    #[inline(always)]
    pub fn lru_del(&mut self, frame: FrameIndex) {
        if self.lru_gen_on && self.lru_gen_del(frame, false) {
            return;
        }
        let page = &mut self.pages[frame];
        debug_assert!(page.has(flag::LRU));
        let (was, slot) = (*page, page.leave_list());
        page.clear(flag::LRU);
        self.update_lru_size(frame, was, -1);
        self.lists.vacate(&mut self.pages, slot);
    }

    /// Subtracts a page that was already taken off the tail of its list from the counts
    /// (`isolate_lru_pages`).
    #[inline]
    pub fn lru_taken(&mut self, frame: FrameIndex) {
        let page = self.pages[frame];
        self.update_lru_size(frame, page, -1);
        self.pages[frame].clear(flag::LRU);
    }

    /// Counts a page that joins a list as recently scanned, and as rotated if the list is active
    /// (`update_page_reclaim_stat`, up to 5.7). Otherwise a zone that no reclaimer has scanned yet
    /// would look like one whose pages are all in use.
    #[inline(always)]
    fn update_page_reclaim_stat(&mut self, frame: FrameIndex) {
        let page = self.pages[frame];
        let owner = self.lruvec_of(frame);
        let file = usize::from(!page.is_anon());
        let lruvec = &mut self.lruvecs[owner];
        lruvec.recent_scanned[file] += 1;
        lruvec.recent_rotated[file] += u64::from(page.has(flag::ACTIVE));
    }
}

/// Adds a page that was isolated, or that replaced an isolated one, to the head of its list through
/// a CPU's vector (`putback_lru_page` with `lru_cache_add_lru`). It counts as a page that joins.
pub fn return_to_lru(w: &mut World, frame: FrameIndex) {
    putback_lru_page(w, frame);
    if !w.mem.pages[frame].has(flag::UNEVICTABLE) {
        w.mem.update_page_reclaim_stat(frame);
    }
    w.spend(w.facts.cost.lru_move);
}

/// Adds a newly allocated page to its list: file pages to the inactive list, anonymous pages up to
/// 5.8 to the active one (`lru_cache_add`). A page added by a fault joins the youngest generation.
#[inline(always)]
pub fn lru_cache_add(w: &mut World, frame: FrameIndex, in_fault: bool) {
    let active = w.facts.features.new_anon_is_active;
    if in_fault && w.mem.lru_gen_on {
        w.mem.pages[frame].set(flag::ACTIVE);
    }
    if !w.mem.pages[frame].is_anon() {
        crate::lru_add::add(w, frame);
    } else if active {
        w.mem.pages[frame].set(flag::ACTIVE);
    }
    w.mem.lru_add(frame);
    w.mem.update_page_reclaim_stat(frame);
    w.spend(w.facts.cost.lru_move);
}

/// Moves a page of an inactive list to the head of the active one (`activate_page`).
pub fn activate_page(w: &mut World, frame: FrameIndex) {
    let page = w.mem.pages[frame];
    if !page.has(flag::LRU) || page.has(flag::ACTIVE) || page.has(flag::UNEVICTABLE) {
        return;
    }
    w.mem.lru_del(frame);
    w.mem.pages[frame].set(flag::ACTIVE);
    w.mem.lru_add(frame);
    w.counters.pgactivate += 1u64 << page.order();
    w.mem.update_page_reclaim_stat(frame);
    let owner = w.mem.lruvec_of(frame);
    crate::memcg::tree::age(w, owner, u64::from(!w.mem.lru_gen_on));
    crate::memcg::count_page(w, frame, Stat::Activate);
    w.spend(w.facts.cost.lru_move);
}

/// What an access through the page cache did to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accessed {
    /// First access: the page got PG_referenced.
    Referenced,
    /// Second access: the page moved to the active list.
    Activated,
    /// The page was already active and referenced, or is unevictable.
    Unchanged,
}

/// The two-access rule (`mark_page_accessed`): inactive, then referenced, then active, then active and
/// referenced.
pub fn mark_page_accessed(w: &mut World, frame: FrameIndex) -> Accessed {
    if w.mem.lru_gen_on {
        return crate::lru_gen::inc_refs(w, frame);
    }
    let page = &mut w.mem.pages[frame];
    if !page.has(flag::REFERENCED) {
        page.set(flag::REFERENCED);
        return Accessed::Referenced;
    }
    if page.has(flag::ACTIVE) || page.has(flag::UNEVICTABLE) || crate::lru_add::waits(w, frame) {
        return Accessed::Unchanged;
    }
    let page = &mut w.mem.pages[frame];
    if page.has(flag::LRU) {
        activate_page(w, frame);
    } else {
        page.set(flag::ACTIVE);
    }
    w.mem.pages[frame].clear(flag::REFERENCED);
    Accessed::Activated
}

/// Moves a page whose write ended to the tail of the inactive list, to be freed next
/// (`rotate_reclaimable_page`).
pub fn rotate_reclaimable_page(w: &mut World, frame: FrameIndex) {
    let page = w.mem.pages[frame];
    let stays = flag::LOCKED | flag::DIRTY | flag::UNEVICTABLE;
    let stays = stays
        | if w.facts.features.rotate_active {
            0
        } else {
            flag::ACTIVE
        };
    if page.meta & stays != 0 || !page.has(flag::LRU) {
        return;
    }
    w.mem.lru_del(frame);
    w.mem.pages[frame].clear(flag::ACTIVE);
    w.mem.lru_add_tail(frame);
    w.counters.pgrotated += 1;
    w.spend(w.facts.cost.lru_move);
}

/// Puts a page isolated by a reclaimer back on its list (`putback_lru_page`).
pub fn putback_lru_page(w: &mut World, frame: FrameIndex) {
    let page = &mut w.mem.pages[frame];
    page.clear(flag::ISOLATED);
    if page.has(flag::MLOCKED) && !page.has(flag::UNEVICTABLE) {
        page.set(flag::UNEVICTABLE);
        page.clear(flag::ACTIVE);
        w.counters.unevictable_pgs_culled += 1;
    }
    w.mem.lru_add(frame);
}

/// Moves a page in a locked region off the lists that reclaim scans (`mlock_vma_page`, `mlock_page`).
pub fn mlock_page(w: &mut World, frame: FrameIndex) {
    let page = w.mem.pages[frame];
    if page.has(flag::MLOCKED) {
        return;
    }
    w.mem.pages[frame].set(flag::MLOCKED);
    w.mem.count(frame, Gauge::Mlock, 1);
    w.counters.unevictable_pgs_mlocked += 1;
    if page.has(flag::LRU) && !page.has(flag::UNEVICTABLE) {
        w.mem.lru_del(frame);
        w.mem.pages[frame].clear(flag::ACTIVE);
        w.mem.pages[frame].set(flag::UNEVICTABLE);
        w.mem.lru_add(frame);
        w.counters.unevictable_pgs_culled += 1;
    }
    w.spend(w.facts.cost.lru_move);
}

/// Handles a page whose last locked region was unmapped (`munlock_vma_page`, `munlock_page`).
pub fn munlock_page(w: &mut World, frame: FrameIndex) {
    w.mem.pages[frame].clear(flag::MLOCKED);
    w.mem.count(frame, Gauge::Mlock, -1);
    w.counters.unevictable_pgs_munlocked += 1;
    let page = w.mem.pages[frame];
    if page.has(flag::LRU) && page.has(flag::UNEVICTABLE) {
        w.mem.lru_del(frame);
        w.mem.pages[frame].clear(flag::UNEVICTABLE);
        w.mem.lru_add(frame);
        w.counters.unevictable_pgs_rescued += 1;
    }
    w.spend(w.facts.cost.lru_move);
}
