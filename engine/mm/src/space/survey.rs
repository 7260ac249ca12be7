//! Which accesses to a range of pages change a page table entry, and on which nodes the remaining
//! pages are.
//!
//! Modelled: an access changes an entry if the entry maps no page, is marked for a hinting fault,
//! or lacks the accessed bit (for a write, the dirty bit). A huge mapping has neither bit.
//! Left out: nothing.
//! Invariants: a survey changes nothing; its pages are those of the range.

use facts::index::{FrameIndex, NodeIndex};
use std::ops::Range;

use super::counts::{Counts, GROUP, Tally};
use super::{HUGE, PTE_DIRTY, PTE_HINTING, PTE_SWAP, PTE_YOUNG};
use crate::bandwidth::ByNode;
use crate::frames::NONE;
use crate::process::Processes;

/// A range of pages in a region of an address space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pages {
    pub space: u32,
    pub region: u32,
    /// The first page.
    pub first: u32,
    /// Number of pages.
    pub count: u32,
}

/// Result of a survey of a range of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Survey {
    /// Number of pages whose entry an access changes.
    pub changing: u32,
    /// Number of the other pages, by node.
    pub unchanging: ByNode,
}

/// Does an access change this entry of a table?
pub(super) fn changes(entry: u32, write: bool) -> bool {
    let bits = PTE_YOUNG | if write { PTE_DIRTY } else { 0 };
    entry & (PTE_SWAP | PTE_HINTING | bits) != bits
}

/// Does an access change the entry in the place of a table, if that is no table?
pub(super) fn changes_whole(place: u32) -> bool {
    place == NONE || place & PTE_HINTING != 0
}

impl Processes {
    /// The parts of a range: the entry in the place of the table, and the pages.
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
        self.entries.slice(from, from + range.len())
    }

    /// Reads every entry of a range; `node_of` gives the node of a page frame.
    fn look(
        &self,
        pages: Pages,
        write: bool,
        node_of: &impl Fn(FrameIndex) -> NodeIndex,
    ) -> Survey {
        let mut found = Survey::default();
        for (table, range) in self.stretches(pages) {
            let n = range.len() as u32;
            if table & HUGE == 0 {
                for &entry in self.entries_of(table, &range) {
                    if changes(entry, write) {
                        found.changing += 1;
                    } else {
                        found.unchanging[(node_of(super::frame_of(entry))).index()] += 1;
                    }
                }
            } else if changes_whole(table) {
                found.changing += n;
            } else {
                found.unchanging[(node_of(super::frame_of(table))).index()] += n;
            }
        }
        found
    }

    /// Surveys a range of pages; `node_of` gives the node of a page frame. The result is stored, so
    /// that the next survey of the range reads only what has changed.
    pub(crate) fn survey(
        &mut self,
        pages: Pages,
        write: bool,
        node_of: impl Fn(FrameIndex) -> NodeIndex,
    ) -> Survey {
        let range = (pages.first, pages.count);
        let per = self.per_table;
        self.begin_tally(pages);
        if let Some(tally) = self.counts_mut(pages).tally_mut() {
            tally.settle(per, &node_of);
            if let Some(found) = tally.find(range, write) {
                return found;
            }
        }
        let found = self.look(pages, write, &node_of);
        if let Some(tally) = self.counts_mut(pages).tally_mut() {
            tally.keep(range, write, found);
        }
        found
    }

    fn counts_mut(&mut self, pages: Pages) -> &mut Counts {
        let space = &mut self.all[pages.space as usize].space;
        &mut space.regions[pages.region as usize].counts
    }

    /// Counts each table of a region that stores nothing yet.
    fn begin_tally(&mut self, pages: Pages) {
        let region = self.region(pages.space, pages.region);
        if region.counts.tally().is_some() {
            return;
        }
        let tables = self.count_tables(&region.tables);
        self.counts_mut(pages).set(Tally::new(tables));
    }

    /// For each table, the number of pages whose entry an access changes: by a read, and by a
    /// write.
    fn count_tables(&self, tables: &[u32]) -> Vec<[u16; 2]> {
        let count = |&table: &u32| {
            let per = self.per_table;
            if table & HUGE != 0 {
                let all = if changes_whole(table) { per } else { 0 };
                return [all as u16; 2];
            }
            let entries = self.entries_of(table, &(0..per));
            [false, true].map(|write| {
                let changing = entries.iter().filter(|&&entry| changes(entry, write));
                changing.count() as u16
            })
        };
        tables.iter().map(count).collect()
    }

    /// While this number stays the same, accesses to a region find the same; `None` if that is not
    /// known.
    pub(crate) fn accesses_version(&self, space: u32, region: u32) -> Option<u64> {
        self.region(space, region).counts.version()
    }

    /// Do the stored surveys of an address space equal a recount of its entries?
    pub(crate) fn surveys_are_right(
        &self,
        space: u32,
        node_of: impl Fn(FrameIndex) -> NodeIndex,
    ) -> bool {
        let regions = (0u32..).zip(&self.all[space as usize].space.regions);
        let tallies = regions.filter_map(|(region, r)| Some((region, r.counts.tally()?)));
        let mut each = tallies.map(|(region, tally)| {
            let mut tally = tally.clone();
            tally.settle(self.per_table, &node_of);
            let is_right = |((first, count), write, survey)| {
                let pages = Pages {
                    space,
                    region,
                    first,
                    count,
                };
                self.look(pages, write, &node_of) == survey
            };
            // A search for an entry uses these counts to skip tables.
            let fresh = Tally::new(self.count_tables(&self.region(space, region).tables));
            let counts_are_right = tally.tables == fresh.tables && tally.groups == fresh.groups;
            counts_are_right && tally.counted().all(is_right)
        });
        each.all(|is_right| is_right)
    }

    /// Makes the stored counts wrong: an access changes the entry of each page of the region, and
    /// of one more; for the tests of `check`.
    #[doc(hidden)]
    pub fn miscount_survey(&mut self, space: u32, region: u32) {
        let count = self.region(space, region).pages;
        let pages = Pages {
            space,
            region,
            first: 0,
            count,
        };
        self.begin_tally(pages);
        if let Some(tally) = self.counts_mut(pages).tally_mut() {
            let wrong = Survey {
                changing: count + 1,
                ..Survey::default()
            };
            tally.keep((0, count), true, wrong);
        }
    }

    /// Of the pages of a range whose entry an access changes, the one that has `nth` others before
    /// it; `None` if there are fewer.
    pub(crate) fn nth_changing(&self, pages: Pages, write: bool, nth: u32) -> Option<u32> {
        let per = self.per_table;
        let region = self.region(pages.space, pages.region);
        let end = pages.first + pages.count;
        let (mut page, mut left) = (pages.first, nth);
        while page < end {
            let stretch = page / per;
            if let Some((n, changing)) = self.passed(pages, page, end, (write, left)) {
                (page, left) = (page + n, left - changing);
                continue;
            }
            let (table, to) = (
                region.tables[stretch as usize],
                ((stretch + 1) * per).min(end),
            );
            if table & HUGE != 0 {
                let n = if changes_whole(table) { to - page } else { 0 };
                if left < n {
                    return Some(page + left);
                }
                left -= n;
            } else {
                for (at, &entry) in (page..to).zip(self.entries_of(table, &(page..to))) {
                    if changes(entry, write) {
                        if left == 0 {
                            return Some(at);
                        }
                        left -= 1;
                    }
                }
            }
            page = to;
        }
        None
    }

    /// A group of tables from a page on, or one table, that ends before `end` and has at most this
    /// many pages whose entry an access changes. Returns how many pages they cover, and how many of
    /// their entries an access changes.
    fn passed(
        &self,
        pages: Pages,
        page: u32,
        end: u32,
        (write, most): (bool, u32),
    ) -> Option<(u32, u32)> {
        let (per, side) = (self.per_table, usize::from(write));
        let tally = self.region(pages.space, pages.region).counts.settled()?;
        if !page.is_multiple_of(per) {
            return None;
        }
        let table = (page / per) as usize;
        let group = table
            .is_multiple_of(GROUP)
            .then(|| tally.groups[table / GROUP][side]);
        let group = group.map(|changing| (per * GROUP as u32, changing));
        let one = (per, u32::from(tally.tables[table][side]));
        let mut each = group.into_iter().chain([one]);
        each.find(|&(n, changing)| page + n <= end && changing <= most)
    }
}
