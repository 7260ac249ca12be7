//! Free blocks: the buddy lists, and a zone's counts of them (mm/page_alloc.c).
//!
//! Modelled: `__add_to_free_list`, `__del_page_from_free_list`, `page_is_buddy`, the halves and
//! buddies of a block, and `account_freepages`, which counts the result of a locked section once.
//! Left out: the count of free CMA pages.
//! Invariants: taking a block off its list and putting halves back does not change the counts. The
//! zone's counts ([`Zone::nr_free_pages`], [`Zone::nr_free`], [`Zone::kinds`]) change once, by the
//! pages of the request, when the section has its result. Therefore a reader never sees incomplete
//! counts, at whatever line a machine stops.

use super::{Memory, PageKind, Zone};
use facts::index::{FrameIndex, ZoneIndex};

impl Zone {
    /// Counts a block of `order` that was allocated from a free block of `found`. One block of `found`
    /// is removed; the halves left over are one free block of each order below it.
    #[inline(always)]
    fn count_taken(&mut self, found: u8, order: u8) {
        self.nr_free[usize::from(found)] -= 1;
        for half in order..found {
            self.nr_free[usize::from(half)] += 1;
        }
        self.nr_free_pages -= 1 << order;
        self.kinds[PageKind::Free as usize] -= 1 << order;
        self.kinds[PageKind::InFlight as usize] += 1 << order;
    }

    /// Counts a block of `order` that was freed and is now part of a free block of `merged`. One buddy
    /// of each order between the two is removed.
    #[inline(always)]
    fn count_freed(&mut self, order: u8, merged: u8) {
        for buddy in order..merged {
            self.nr_free[usize::from(buddy)] -= 1;
        }
        self.nr_free[usize::from(merged)] += 1;
        self.nr_free_pages += 1 << order;
        self.kinds[PageKind::InFlight as usize] -= 1 << order;
        self.kinds[PageKind::Free as usize] += 1 << order;
    }
}

impl Memory {
    /// Puts a held block on a free list and counts it: at the head, or at the tail.
    #[inline(always)]
    pub fn add_free(&mut self, frame: FrameIndex, order: u8, migratetype: u8, to_tail: bool) {
        let page = &mut self.pages[frame];
        self.zones[page.zone()].turn(page, PageKind::InFlight, order);
        self.list_free(frame, order, migratetype, to_tail);
        self.count_freed(frame, order, order);
    }

    /// Takes a block off its free list and counts it as held; returns its order.
    #[inline(always)]
    pub fn del_free(&mut self, frame: FrameIndex) -> u8 {
        let order = self.unlist_free(frame);
        self.count_taken(frame, order, order);
        order
    }

    /// Puts a held block on a free list: at the head, or at the tail. The zone's counts do not change.
    #[inline(always)]
    pub fn list_free(&mut self, frame: FrameIndex, order: u8, migratetype: u8, to_tail: bool) {
        let list = self.free_list(self.pages[frame].zone(), order, migratetype);
        let page = &mut self.pages[frame];
        page.head(PageKind::Free, order);
        if to_tail {
            self.lists.push_tail(page, list, frame);
        } else {
            self.lists.push_head(page, list, frame);
        }
    }

    /// Takes a block off its free list for a locked section; returns its order. The zone counts its
    /// pages as free until the section has its result.
    #[inline(always)]
    pub fn unlist_free(&mut self, frame: FrameIndex) -> u8 {
        let page = &mut self.pages[frame];
        let (order, slot) = (page.order(), page.leave_list());
        page.head(PageKind::InFlight, order);
        self.lists.vacate(&mut self.pages, slot);
        order
    }

    /// Counts a block of `order` headed by `frame`, which was allocated from a free block of `found`.
    #[inline(always)]
    pub fn count_taken(&mut self, frame: FrameIndex, found: u8, order: u8) {
        let zone = self.pages[frame].zone();
        self.zones[zone].count_taken(found, order);
    }

    /// Counts a block of `order` that was freed and is now part of the free block of `merged` headed by
    /// `frame`.
    #[inline(always)]
    pub fn count_freed(&mut self, frame: FrameIndex, order: u8, merged: u8) {
        let zone = self.pages[frame].zone();
        self.zones[zone].count_freed(order, merged);
    }

    /// Is `frame` the head of a free block of exactly `order` in zone `zone` (`page_is_buddy`)?
    #[inline]
    pub fn is_free_block(&self, frame: FrameIndex, order: u8, zone: ZoneIndex) -> bool {
        let want = u32::from(zone.get()) << 8 | u32::from(order) << 4 | PageKind::Free as u32;
        self.pages
            .at(frame)
            .is_some_and(|p| p.meta & 0xffff == want)
    }

    /// Merges two in-flight buddies into one block of `order + 1`; returns its head.
    #[inline]
    pub fn join(&mut self, frame: FrameIndex, order: u8) -> FrameIndex {
        let low = frame.head(order + 1);
        let high = low.buddy(order);
        self.pages[high].head(PageKind::Tail, 0);
        self.pages[low].head(PageKind::InFlight, order + 1);
        low
    }

    /// Breaks a block of `order` up into held single pages.
    pub fn break_up(&mut self, head: FrameIndex, order: u8) {
        self.set_kind(head, PageKind::InFlight, order);
        for frame in head.until(head.plus(1 << order)) {
            self.pages[frame].head(PageKind::InFlight, 0);
        }
    }

    /// Halves an in-flight block of `order`; returns the head of its upper half.
    #[inline]
    pub fn halve(&mut self, frame: FrameIndex, order: u8) -> FrameIndex {
        let upper = frame.plus(1 << (order - 1));
        for half in [frame, upper] {
            self.pages[half].head(PageKind::InFlight, order - 1);
        }
        upper
    }
}

#[cfg(test)]
mod tests {
    use crate::experiment::Experiment;
    use crate::machine::Machine;
    use crate::mmzone::PageKind;

    /// Splits and merges as the engine's functions do: the counts change once, by the pages of the
    /// request.
    #[test]
    fn counts_change_once_when_a_block_is_split_and_merged() {
        let mut m = Machine::boot(&Experiment::preset("first-touch.teach").expect("a preset"));
        let mem = &mut m.w.mem;
        let order = 0;
        let mut frames = mem.pages.indices();
        let frame = frames
            .find(|&f| mem.pages[f].is(PageKind::Free) && mem.pages[f].order() > 3)
            .expect("a free block");
        let (found, zone) = (mem.pages[frame].order(), mem.pages[frame].zone());
        let t = mem.block_type(frame);
        let before = mem.zones[zone].clone();
        mem.unlist_free(frame);
        for current in (order..found).rev() {
            let upper = mem.halve(frame, current + 1);
            mem.list_free(upper, current, t, false);
            assert_eq!(mem.zones[zone], before, "split to {current}");
        }
        mem.count_taken(frame, found, order);
        let taken = &mem.zones[zone];
        assert_eq!(taken.nr_free_pages, before.nr_free_pages - 1);
        for at in 0..usize::from(found) {
            assert_eq!(taken.nr_free[at], before.nr_free[at] + 1);
        }
        let mut head = frame;
        for current in order..found {
            mem.unlist_free(head.buddy(current));
            head = mem.join(head, current);
            assert_eq!(mem.zones[zone].nr_free_pages, before.nr_free_pages - 1);
        }
        mem.list_free(head, found, t, false);
        mem.count_freed(head, order, found);
        assert_eq!(mem.zones[zone], before);
    }
}
