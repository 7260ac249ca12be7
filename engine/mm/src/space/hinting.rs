//! Marks for hinting faults on entries of page tables (`change_pte_range` of mm/mprotect.c and
//! `change_huge_pmd` of mm/huge_memory.c with `prot_numa`).
//!
//! Modelled: marking the entries of a range, small and huge. A mark ends with its fault, with the
//! move of the page, or with the mapping. In 3.8 a table may also be marked as a whole
//! (`change_pmd_protnuma`): every access to what it covers then faults.
//! Left out: which bit of the hardware's entry is used; the effect is the same.
//! Invariants: only an entry that maps a page is marked; `rss` does not change.

use super::{HUGE, PTE_DIRTY, PTE_HINTING, PTE_SWAP, PTE_YOUNG, frame_of, id_of};
use crate::frames::NONE;
use crate::process::Processes;
use facts::index::{FrameIndex, NodeIndex};

/// Result of marking a range of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marked {
    /// Number of entries checked that map something.
    pub seen: u32,
    /// Number of base pages whose entry was marked.
    pub pages: u32,
    /// Number of these entries that are huge.
    pub huge: u32,
}

/// Result of marking a range in 3.8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkedTable {
    /// Number of entries checked that map something.
    pub seen: u32,
    /// Number of base pages whose entry was marked.
    pub pages: u32,
    /// Number of entries of a table that map nothing, which count as if they were marked; for a
    /// huge entry that was not marked, its base pages.
    pub holes: u32,
    /// True if the table was marked as a whole, because all pages seen are on one node.
    pub whole: bool,
}

/// Says when a table of small entries is marked as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// If all its pages are on one node, even if nothing in it was marked: 3.8.
    OnOneNode,
    /// Wherever its pages are.
    Always,
    /// Never.
    Never,
}

impl Processes {
    /// Marks the entries of pages `from..to`, which one table covers, if `may` allows it for the
    /// mapped page. `may` gets the first frame of a huge entry, which is marked as a whole.
    pub(crate) fn mark_hinting(
        &mut self,
        (space, region): (u32, u32),
        (from, to): (u32, u32),
        may: impl Fn(FrameIndex, bool) -> bool,
    ) -> Marked {
        let stretch = self.stretch(from);
        let per = self.per_table;
        let r = &mut self.all[space as usize].space.regions[region as usize];
        let table = r.tables[stretch];
        let mut marked = Marked::default();
        if table == NONE {
            return marked;
        }
        if table & HUGE != 0 {
            marked.seen = 1;
            if table & PTE_HINTING == 0 && may(frame_of(table), true) {
                r.set_whole(stretch, from, table | PTE_HINTING);
                (marked.pages, marked.huge) = (per, 1);
            }
            return marked;
        }
        for page in from..to {
            let i = self.place(table, page);
            let entry = self.entries[i];
            if entry & PTE_SWAP != 0 {
                continue;
            }
            marked.seen += 1;
            if entry & PTE_HINTING == 0 && may(frame_of(entry), false) {
                self.entries[i] = entry | PTE_HINTING;
                self.changed(space, region, page, entry, entry | PTE_HINTING);
                marked.pages += 1;
            }
        }
        marked
    }

    /// The same by the rules of 3.8. `page_of` returns the node of a mapped page and whether it may be
    /// marked; `whole` decides when the table is also marked as a whole.
    pub(crate) fn mark_table(
        &mut self,
        (space, region): (u32, u32),
        (from, to): (u32, u32),
        whole: Whole,
        page_of: impl Fn(u32) -> (NodeIndex, bool),
    ) -> MarkedTable {
        let stretch = self.stretch(from);
        let per = self.per_table;
        let r = &mut self.all[space as usize].space.regions[region as usize];
        let table = r.tables[stretch];
        let mut marked = MarkedTable::default();
        if table == NONE {
            return marked;
        }
        if table & HUGE != 0 {
            marked.seen = 1;
            if table & PTE_HINTING == 0 && page_of(from).1 {
                r.set_whole(stretch, from, table | PTE_HINTING);
                marked.pages = per;
            } else {
                marked.holes = per;
            }
            return marked;
        }
        let (mut node, mut one_node) = (None, true);
        for page in from..to {
            let i = self.place(table, page);
            let entry = self.entries[i];
            if entry & PTE_SWAP != 0 {
                marked.holes += 1;
                continue;
            }
            marked.seen += 1;
            let (on, may) = page_of(page);
            one_node &= *node.get_or_insert(on) == on;
            if entry & PTE_HINTING == 0 && may {
                self.entries[i] = entry | PTE_HINTING;
                self.changed(space, region, page, entry, entry | PTE_HINTING);
                marked.pages += 1;
            }
        }
        let is_whole = match whole {
            Whole::OnOneNode => one_node,
            Whole::Always => true,
            Whole::Never => false,
        };
        if is_whole {
            marked.whole = true;
            self.all[space as usize].space.regions[region as usize].tables[stretch] =
                table | PTE_HINTING;
        }
        marked
    }

    /// Is the table that covers a page marked as a whole?
    pub fn is_table_hinting(&self, space: u32, region: u32, page: u32) -> bool {
        let tables = &self.all[space as usize].space.regions[region as usize].tables;
        tables[self.stretch(page)] & (HUGE | PTE_HINTING) == PTE_HINTING
    }

    /// Unmarks the table that covers a page; its entries stay as they were.
    pub(crate) fn end_table_hinting(&mut self, space: u32, region: u32, page: u32) {
        let stretch = self.stretch(page);
        let place = &mut self.all[space as usize].space.regions[region as usize].tables[stretch];
        if *place & HUGE == 0 {
            *place = id_of(*place);
        }
    }

    /// The first marked entry of the pages `page..end`, which one table covers.
    pub(crate) fn next_hinting(
        &self,
        (space, region): (u32, u32),
        (page, end): (u32, u32),
    ) -> Option<u32> {
        let r = &self.all[space as usize].space.regions[region as usize];
        let table = *r.tables.get(self.stretch(page))?;
        let is_marked = |&page: &u32| {
            let entry = self.entries[self.place(table, page)];
            entry & (PTE_SWAP | PTE_HINTING) == PTE_HINTING
        };
        (table & HUGE == 0).then(|| (page..end).find(is_marked))?
    }

    /// Marked entries of the pages `from..to`, which one table covers.
    pub(crate) fn hinting_in(&self, place: (u32, u32), (from, to): (u32, u32)) -> u32 {
        let mut page = from;
        let mut count = 0;
        while let Some(marked) = self.next_hinting(place, (page, to)) {
            (page, count) = (marked + 1, count + 1);
        }
        count
    }

    /// Removes the mark of a small entry although its page was not used.
    pub(crate) fn unmark(&mut self, space: u32, region: u32, page: u32) {
        if let Some(i) = self.entry(space, region, page)
            && self.entries[i] & PTE_SWAP == 0
        {
            let old = self.entries[i];
            self.entries[i] = old & !PTE_HINTING;
            self.changed(space, region, page, old, old & !PTE_HINTING);
        }
    }

    /// Is the entry of a page marked, or its table?
    pub fn is_hinting(&self, space: u32, region: u32, page: u32) -> bool {
        let tables = &self.all[space as usize].space.regions[region as usize].tables;
        let table = tables[self.stretch(page)];
        if table & HUGE != 0 || table & PTE_HINTING != 0 {
            return table != NONE && table & PTE_HINTING != 0;
        }
        let entry = self.entries[self.place(table, page)];
        entry & (PTE_SWAP | PTE_HINTING) == PTE_HINTING
    }

    /// Lets an access continue: removes the mark and records that the page was used, and written if
    /// `write` is true.
    pub(crate) fn end_hinting(&mut self, space: u32, region: u32, page: u32, write: bool) {
        let stretch = self.stretch(page);
        let r = &mut self.all[space as usize].space.regions[region as usize];
        let table = r.tables[stretch];
        if table & HUGE != 0 {
            if table != NONE {
                r.set_whole(stretch, page, table & !PTE_HINTING);
            }
            return;
        }
        let i = self.place(table, page);
        let entry = self.entries[i];
        if entry & PTE_SWAP == 0 {
            let used = PTE_YOUNG | if write { PTE_DIRTY } else { 0 };
            let new = entry & !PTE_HINTING | used;
            self.entries[i] = new;
            self.changed(space, region, page, entry, new);
        }
    }

    /// Makes a huge mapping map another block; the new mapping is not marked.
    pub(crate) fn move_huge(&mut self, space: u32, region: u32, page: u32, frame: FrameIndex) {
        let stretch = self.stretch(page);
        let s = &mut self.all[space as usize].space;
        let r = &mut s.regions[region as usize];
        let old = r.tables[stretch];
        r.set_whole(stretch, page, frame.get() | HUGE);
        s.lose(&self.nodes, frame_of(old), self.per_table);
        s.gain(&self.nodes, frame, self.per_table);
    }

    /// Calls `tell` for the marked pages of all address spaces: a frame, and how many pages from
    /// there on one entry maps.
    pub(crate) fn each_hinting(&self, mut tell: impl FnMut(FrameIndex, u32)) {
        let per = self.per_table;
        let regions = self.all.iter().flat_map(|p| &p.space.regions);
        for &table in regions.flat_map(|r| &r.tables) {
            if table == NONE {
                continue;
            }
            if table & HUGE != 0 {
                if table & PTE_HINTING != 0 {
                    tell(frame_of(table), per);
                }
                continue;
            }
            let first = (id_of(table) * per) as usize;
            for &entry in self.entries.slice(first, first + per as usize) {
                // If a table is marked as a whole, everything it maps counts as marked.
                let marked = (entry | table) & PTE_HINTING != 0;
                if entry & PTE_SWAP == 0 && marked {
                    tell(frame_of(entry), 1);
                }
            }
        }
    }

    /// Marked entries of an address space, in base pages.
    pub fn hinting_pages(&self, space: u32) -> u32 {
        let regions = &self.all[space as usize].space.regions;
        let tables = regions.iter().flat_map(|r| &r.tables);
        let per = self.per_table;
        let count = |&table: &u32| match table & HUGE {
            0 => {
                let first = (id_of(table) * per) as usize;
                let entries = self.entries.slice(first, first + per as usize).iter();
                let marked = |&&entry: &&u32| entry & (PTE_SWAP | PTE_HINTING) == PTE_HINTING;
                entries.filter(marked).count() as u32
            }
            _ if table != NONE && table & PTE_HINTING != 0 => per,
            _ => 0,
        };
        tables.map(count).sum()
    }
}
