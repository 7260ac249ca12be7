//! Which accesses to a range of pages change a page table entry, and where the pages of the others lie.
//!
//! Modelled: an access changes an entry that maps no page, that is marked for a hinting fault, or that
//! lacks the accessed bit, or the dirty bit where it writes. A huge mapping has neither bit.
//! Left out: nothing.
//! Invariants: a survey changes nothing; its pages are those of the range.

use std::ops::Range;

use super::{HUGE, PTE_DIRTY, PTE_HINTING, PTE_SWAP, PTE_YOUNG};
use crate::bandwidth::ByNode;
use crate::frames::NONE;
use crate::process::Processes;

/// Pages of a region of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pages {
    pub space: u32,
    pub region: u32,
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// What a range of pages is to accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Survey {
    /// Pages an access to which changes their entry.
    pub changing: u32,
    /// The other pages, by node.
    pub unchanging: ByNode,
}

/// Does an access change this entry of a table?
fn changes(entry: u32, write: bool) -> bool {
    let bits = PTE_YOUNG | if write { PTE_DIRTY } else { 0 };
    entry & (PTE_SWAP | PTE_HINTING | bits) != bits
}

/// Does an access change what is in a table's place, which is no table?
fn changes_whole(place: u32) -> bool {
    place == NONE || place & PTE_HINTING != 0
}

impl Processes {
    /// The stretches of a range: what is in the place of the table, and the pages.
    fn stretches(&self, pages: Pages) -> impl Iterator<Item = (u32, Range<u32>)> + '_ {
        let per = self.per_table;
        let (first, end) = (pages.first, pages.first + pages.count);
        let tables = &self.region(pages.space, pages.region).tables;
        let covered = first / per..end.div_ceil(per);
        covered.map(move |stretch| {
            let range = (stretch * per).max(first)..((stretch + 1) * per).min(end);
            (tables[stretch as usize], range)
        })
    }

    /// The entries of a range that one table covers.
    fn entries_of(&self, table: u32, range: &Range<u32>) -> &[u32] {
        let from = self.place(table, range.start);
        &self.entries[from..from + range.len()]
    }

    /// Looks at every entry of a range; `node_of` gives the node of a page frame.
    pub(crate) fn survey(&self, pages: Pages, write: bool, node_of: impl Fn(u32) -> u8) -> Survey {
        let mut found = Survey::default();
        for (table, range) in self.stretches(pages) {
            let n = range.len() as u32;
            if table & HUGE == 0 {
                for &entry in self.entries_of(table, &range) {
                    if changes(entry, write) {
                        found.changing += 1;
                    } else {
                        found.unchanging[usize::from(node_of(entry & super::PTE_FRAME))] += 1;
                    }
                }
            } else if changes_whole(table) {
                found.changing += n;
            } else {
                found.unchanging[usize::from(node_of(table & super::PTE_FRAME))] += n;
            }
        }
        found
    }

    /// The page of a range with so many before it whose entry an access changes; none where there are
    /// not that many.
    pub(crate) fn nth_changing(&self, pages: Pages, write: bool, nth: u32) -> Option<u32> {
        let mut left = nth;
        for (table, range) in self.stretches(pages) {
            if table & HUGE != 0 {
                let n = range.len() as u32;
                match changes_whole(table) {
                    true if left < n => return Some(range.start + left),
                    true => left -= n,
                    false => {}
                }
                continue;
            }
            for (page, &entry) in range.clone().zip(self.entries_of(table, &range)) {
                if changes(entry, write) {
                    if left == 0 {
                        return Some(page);
                    }
                    left -= 1;
                }
            }
        }
        None
    }
}
