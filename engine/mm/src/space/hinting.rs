//! Marks for hinting faults on entries of page tables (`change_pte_range` of mm/mprotect.c and
//! `change_huge_pmd` of mm/huge_memory.c with `prot_numa`).
//!
//! Modelled: entries of a stretch are marked, small and huge; a mark ends with its fault, with the page's
//! move, or with the mapping. In 3.8 a table may be marked whole besides (`change_pmd_protnuma`): every
//! access to what it covers faults then.
//! Left out: which bit of the hardware's entry it is: the effect is the same.
//! Invariants: only an entry that maps a page is marked; `rss` does not change.

use super::{HUGE, PTE_DIRTY, PTE_FRAME, PTE_HINTING, PTE_SWAP, PTE_YOUNG, id_of};
use crate::frames::NONE;
use crate::process::Processes;

/// What marking a stretch of entries came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marked {
    /// Entries looked at that map something.
    pub seen: u32,
    /// Base pages whose entry was marked.
    pub pages: u32,
    /// Of these entries, huge ones.
    pub huge: u32,
}

/// What marking a stretch came to in 3.8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkedTable {
    /// Entries looked at that map something.
    pub seen: u32,
    /// Base pages whose entry was marked.
    pub pages: u32,
    /// Entries of a table that map nothing, which count as if they were marked; of a huge entry that
    /// was not marked, its base pages.
    pub holes: u32,
    /// The table was marked whole: all pages seen lie on one node.
    pub whole: bool,
}

/// When a table of small entries is marked whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Where all its pages lie on one node, even if nothing in it was marked: 3.8.
    OnOneNode,
    /// Wherever they lie.
    Always,
    /// Not at all.
    Never,
}

impl Processes {
    /// Marks the entries of pages `from..to`, which one table covers, that map a page `may` allows.
    /// A huge entry is asked for by its first frame, and marked whole.
    pub(crate) fn mark_hinting(
        &mut self,
        (space, region): (u32, u32),
        (from, to): (u32, u32),
        may: impl Fn(u32, bool) -> bool,
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
            if table & PTE_HINTING == 0 && may(table & PTE_FRAME, true) {
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
            if entry & PTE_HINTING == 0 && may(entry & PTE_FRAME, false) {
                self.entries[i] = entry | PTE_HINTING;
                self.changed(space, region, page, entry, entry | PTE_HINTING);
                marked.pages += 1;
            }
        }
        marked
    }

    /// The same as 3.8 does it: `page_of` says of a page that is mapped on which node it lies, and
    /// whether it may be marked; `whole` says when the table is marked whole besides.
    pub(crate) fn mark_table(
        &mut self,
        (space, region): (u32, u32),
        (from, to): (u32, u32),
        whole: Whole,
        page_of: impl Fn(u32) -> (u8, bool),
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

    /// Is the table that covers a page marked whole?
    pub fn is_table_hinting(&self, space: u32, region: u32, page: u32) -> bool {
        let tables = &self.all[space as usize].space.regions[region as usize].tables;
        tables[self.stretch(page)] & (HUGE | PTE_HINTING) == PTE_HINTING
    }

    /// The table that covers a page is marked whole no longer; its entries are as they were.
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

    /// Ends the mark of a small entry, whose page was not used by that.
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

    /// The access may go on: the mark is gone, the entry's page was used, and written where `write`
    /// says so.
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

    /// A huge mapping shows another block from now on, and is not marked.
    pub(crate) fn move_huge(&mut self, space: u32, region: u32, page: u32, frame: u32) {
        let stretch = self.stretch(page);
        let s = &mut self.all[space as usize].space;
        let r = &mut s.regions[region as usize];
        let old = r.tables[stretch];
        r.set_whole(stretch, page, frame | HUGE);
        s.lose(&self.nodes, old & PTE_FRAME, self.per_table);
        s.gain(&self.nodes, frame, self.per_table);
    }

    /// Tells of every marked page of all spaces: its frame, and how many from there on one entry maps.
    pub(crate) fn each_hinting(&self, mut tell: impl FnMut(u32, u32)) {
        let per = self.per_table;
        let regions = self.all.iter().flat_map(|p| &p.space.regions);
        for &table in regions.flat_map(|r| &r.tables) {
            if table == NONE {
                continue;
            }
            if table & HUGE != 0 {
                if table & PTE_HINTING != 0 {
                    tell(table & PTE_FRAME, per);
                }
                continue;
            }
            let first = (id_of(table) * per) as usize;
            for &entry in &self.entries[first..first + per as usize] {
                // A table that is marked whole marks all it maps.
                let marked = (entry | table) & PTE_HINTING != 0;
                if entry & PTE_SWAP == 0 && marked {
                    tell(entry & PTE_FRAME, 1);
                }
            }
        }
    }

    /// Entries of a space that are marked, in base pages.
    pub fn hinting_pages(&self, space: u32) -> u32 {
        let regions = &self.all[space as usize].space.regions;
        let tables = regions.iter().flat_map(|r| &r.tables);
        let per = self.per_table;
        let count = |&table: &u32| match table & HUGE {
            0 => {
                let first = (id_of(table) * per) as usize;
                let entries = self.entries[first..first + per as usize].iter();
                let marked = |&&entry: &&u32| entry & (PTE_SWAP | PTE_HINTING) == PTE_HINTING;
                entries.filter(marked).count() as u32
            }
            _ if table != NONE && table & PTE_HINTING != 0 => per,
            _ => 0,
        };
        tables.map(count).sum()
    }
}
