//! What accesses to a region would meet, counted and kept as its entries change.
//!
//! Modelled: nothing of the kernel's. A survey ([`super::survey`]) of gibibytes of small pages looks at
//! hundreds of thousands of entries; a task asks for one at each run of accesses. So a region whose accesses
//! are asked for keeps what a survey found of each range, and each change of an entry is noted here and
//! counted at the next survey.
//! Left out: regions nobody surveys, which keep and note nothing.
//! Invariants: what is kept is what looking at all entries gives (`crate::check`). A copy of a region keeps
//! nothing and counts anew.

use super::Survey;
use super::survey::{changes, changes_whole};
use super::{HUGE, PTE_FRAME};

/// Ranges of one region that are kept at most: two for each thread of large machines. With more, all are
/// given up and counted again when they are asked for.
const MOST_RANGES: usize = 1024;
/// Tables of a group, which is passed over as one.
pub(super) const GROUP: usize = 64;

/// An entry of a table, or what stands in a table's place, became another.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Page of the entry, or first page of the stretch.
    page: u32,
    old: u32,
    new: u32,
    /// It is what stands in a table's place.
    whole: bool,
}

/// A range of pages that was surveyed.
#[derive(Debug, Clone, Copy)]
struct Counted {
    first: u32,
    count: u32,
    write: bool,
    survey: Survey,
}

/// What is kept of a region.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    ranges: Vec<Counted>,
    /// Of each table, pages an access to which changes their entry: reads, and writes.
    pub(super) tables: Vec<[u16; 2]>,
    /// Sums of these, by group of tables.
    pub(super) groups: Vec<[u32; 2]>,
    /// What has changed since.
    changes: Vec<Change>,
}

impl Tally {
    /// Nothing but what is in each table.
    pub(super) fn new(tables: Vec<[u16; 2]>) -> Self {
        let sum = |some: &[[u16; 2]]| {
            let add =
                |sum: [u32; 2], n: &[u16; 2]| [sum[0] + u32::from(n[0]), sum[1] + u32::from(n[1])];
            some.iter().fold([0; 2], add)
        };
        let groups = tables.chunks(GROUP).map(sum).collect();
        Self {
            tables,
            groups,
            ..Self::default()
        }
    }

    /// The survey of a range, if it is kept.
    pub(super) fn find(&self, (first, count): (u32, u32), write: bool) -> Option<Survey> {
        let is = |kept: &&Counted| (kept.first, kept.count, kept.write) == (first, count, write);
        self.ranges.iter().find(is).map(|kept| kept.survey)
    }

    pub(super) fn keep(&mut self, (first, count): (u32, u32), write: bool, survey: Survey) {
        if self.ranges.len() == MOST_RANGES {
            self.ranges.clear();
        }
        self.ranges.push(Counted {
            first,
            count,
            write,
            survey,
        });
    }

    /// Counts what has changed.
    pub(super) fn settle(&mut self, per_table: u32, node_of: &impl Fn(u32) -> u8) {
        for change in std::mem::take(&mut self.changes) {
            self.count(change, per_table, node_of);
        }
    }

    fn count(&mut self, change: Change, per_table: u32, node_of: &impl Fn(u32) -> u8) {
        let (first, n) = if change.whole {
            (change.page / per_table * per_table, per_table)
        } else {
            (change.page, 1)
        };
        let table = (first / per_table) as usize;
        for write in [false, true] {
            // None where an access changes the entry, else the node of its page.
            let class = |entry: u32| {
                let changes = if change.whole {
                    changes_whole(entry)
                } else {
                    changes(entry, write)
                };
                (!changes).then(|| usize::from(node_of(entry & PTE_FRAME)))
            };
            let (was, is) = (class(change.old), class(change.new));
            if was == is {
                continue;
            }
            let side = usize::from(write);
            let signed = i32::from(is.is_none()) - i32::from(was.is_none());
            if !change.whole {
                let of_table = &mut self.tables[table][side];
                *of_table = of_table.wrapping_add_signed(signed as i16);
                let group = &mut self.groups[table / GROUP][side];
                *group = group.wrapping_add_signed(signed);
            }
            for kept in self.ranges.iter_mut().filter(|kept| kept.write == write) {
                let (from, to) = (
                    first.max(kept.first),
                    (first + n).min(kept.first + kept.count),
                );
                let pages = to.saturating_sub(from);
                *kept.survey.of(was) -= pages;
                *kept.survey.of(is) += pages;
            }
        }
        if change.whole {
            self.recount_whole(table, change.new, per_table);
        }
    }

    /// A table's place holds a huge page, or nothing, from now on.
    fn recount_whole(&mut self, table: usize, place: u32, per_table: u32) {
        let all = if changes_whole(place) { per_table } else { 0 };
        for side in 0..2 {
            let was = std::mem::replace(&mut self.tables[table][side], all as u16);
            let group = &mut self.groups[table / GROUP][side];
            *group = *group + all - u32::from(was);
        }
    }

    /// Every range that is kept, with its survey.
    pub(super) fn kept(&self) -> impl Iterator<Item = ((u32, u32), bool, Survey)> + '_ {
        let ranges = self.ranges.iter();
        ranges.map(|kept| ((kept.first, kept.count), kept.write, kept.survey))
    }
}

impl Survey {
    /// Pages of a node, or those an access to which changes their entry.
    fn of(&mut self, node: Option<usize>) -> &mut u32 {
        match node {
            Some(node) => &mut self.unchanging[node],
            None => &mut self.changing,
        }
    }
}

/// What a region keeps, and how often it changed.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Another number whenever an access may meet something else.
    version: u64,
    tally: Option<Box<Tally>>,
}

impl Clone for Counts {
    /// A copy counts anew.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Counts {
    /// What is kept follows from the entries.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Counts {}

impl Counts {
    /// The entry of a page became another.
    #[inline(always)]
    pub(super) fn entry(&mut self, page: u32, old: u32, new: u32) {
        if self.tally.is_some() && old != new {
            self.note(Change {
                page,
                old,
                new,
                whole: false,
            });
        }
    }

    /// What stands in the place of the table of a page became another; neither is a table.
    #[inline(always)]
    pub(super) fn whole(&mut self, page: u32, old: u32, new: u32) {
        debug_assert!(old & new & HUGE != 0, "no table");
        if self.tally.is_some() && old != new {
            self.note(Change {
                page,
                old,
                new,
                whole: true,
            });
        }
    }

    #[cold]
    #[inline(never)]
    fn note(&mut self, change: Change) {
        self.version += 1;
        if let Some(tally) = &mut self.tally {
            if tally.changes.len() < 64 * tally.tables.len().max(16) {
                tally.changes.push(change);
            } else {
                // Nobody has asked for long.
                self.tally = None;
            }
        }
    }

    /// Nothing is kept any more: much changes at once.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        if self.tally.is_some() {
            self.version += 1;
            self.tally = None;
        }
    }

    /// The same number means that accesses meet the same; none where nothing is kept.
    pub(super) fn version(&self) -> Option<u64> {
        self.tally.as_ref().map(|_| self.version)
    }

    /// What stands behind in the place of another region of this number.
    pub(super) fn next_region(&self) -> Self {
        Self {
            version: self.version + 1,
            tally: None,
        }
    }

    pub(super) fn tally(&self) -> Option<&Tally> {
        self.tally.as_deref()
    }

    /// What is kept, where nothing has changed since it was counted.
    pub(super) fn settled(&self) -> Option<&Tally> {
        self.tally().filter(|tally| tally.changes.is_empty())
    }

    pub(super) fn tally_mut(&mut self) -> Option<&mut Tally> {
        self.tally.as_deref_mut()
    }

    pub(super) fn set(&mut self, tally: Tally) {
        self.version += 1;
        self.tally = Some(Box::new(tally));
    }
}
