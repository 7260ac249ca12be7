//! What accesses to a region would find, counted and updated as its entries change.
//!
//! Modelled: nothing of the kernel. A survey ([`super::survey`]) of gibibytes of small pages reads
//! hundreds of thousands of entries, and a task needs one for each run of accesses. A surveyed
//! region therefore stores the result for each range. Each change of an entry is recorded here and
//! counted at the next survey.
//! Left out: regions that are never surveyed, which store and record nothing.
//! Invariants: the stored counts equal a recount of all entries (`crate::check`). A copy of a
//! region stores nothing and counts again.

use super::Survey;
use super::survey::{changes, changes_whole};
use super::{HUGE, frame_of};
use facts::index::{FrameIndex, NodeIndex};

/// Maximum number of stored ranges of one region: two for each thread of large machines. With more, all
/// are dropped and counted again when needed.
const MOST_RANGES: usize = 1024;
/// Number of tables in a group, which can be skipped as one.
pub(super) const GROUP: usize = 64;

/// A change of a table's entry, or of the entry in the place of a table.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Page of the entry, or first page of the range.
    page: u32,
    old: u32,
    new: u32,
    /// True if the change is in the place of a table.
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

/// The stored counts of a region.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    ranges: Vec<Counted>,
    /// For each table, the number of pages whose entry an access changes: by a read, and by a
    /// write.
    pub(super) tables: Vec<[u16; 2]>,
    /// Sums of these numbers, by group of tables.
    pub(super) groups: Vec<[u32; 2]>,
    /// Changes since the counts were made.
    changes: Vec<Change>,
}

impl Tally {
    /// A tally with only the counts of each table.
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

    /// The survey of a range, if it is stored.
    pub(super) fn find(&self, (first, count): (u32, u32), write: bool) -> Option<Survey> {
        let is = |counted: &&Counted| {
            (counted.first, counted.count, counted.write) == (first, count, write)
        };
        self.ranges.iter().find(is).map(|counted| counted.survey)
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

    /// Applies the recorded changes to the counts.
    pub(super) fn settle(&mut self, per_table: u32, node_of: &impl Fn(FrameIndex) -> NodeIndex) {
        for change in std::mem::take(&mut self.changes) {
            self.count(change, per_table, node_of);
        }
    }

    fn count(
        &mut self,
        change: Change,
        per_table: u32,
        node_of: &impl Fn(FrameIndex) -> NodeIndex,
    ) {
        let (first, n) = if change.whole {
            (change.page / per_table * per_table, per_table)
        } else {
            (change.page, 1)
        };
        let table = (first / per_table) as usize;
        for write in [false, true] {
            // `None` if an access changes the entry, else the node of its page.
            let class = |entry: u32| {
                let changes = if change.whole {
                    changes_whole(entry)
                } else {
                    changes(entry, write)
                };
                (!changes).then(|| (node_of(frame_of(entry))).index())
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
            for counted in self
                .ranges
                .iter_mut()
                .filter(|counted| counted.write == write)
            {
                let (from, to) = (
                    first.max(counted.first),
                    (first + n).min(counted.first + counted.count),
                );
                let pages = to.saturating_sub(from);
                *counted.survey.of(was) -= pages;
                *counted.survey.of(is) += pages;
            }
        }
        if change.whole {
            self.recount_whole(table, change.new, per_table);
        }
    }

    /// Recounts the place of a table that now holds a huge page, or nothing.
    fn recount_whole(&mut self, table: usize, place: u32, per_table: u32) {
        let all = if changes_whole(place) { per_table } else { 0 };
        for side in 0..2 {
            let was = std::mem::replace(&mut self.tables[table][side], all as u16);
            let group = &mut self.groups[table / GROUP][side];
            *group = *group + all - u32::from(was);
        }
    }

    /// Every stored range, with its survey.
    pub(super) fn counted(&self) -> impl Iterator<Item = ((u32, u32), bool, Survey)> + '_ {
        let ranges = self.ranges.iter();
        ranges.map(|counted| {
            (
                (counted.first, counted.count),
                counted.write,
                counted.survey,
            )
        })
    }
}

impl Survey {
    /// The number of pages of a node, or of pages whose entry an access changes.
    fn of(&mut self, node: Option<usize>) -> &mut u32 {
        match node {
            Some(node) => &mut self.unchanging[node],
            None => &mut self.changing,
        }
    }
}

/// The stored counts of a region, and a version of its entries.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Changes whenever an access may find something different.
    version: u64,
    tally: Option<Box<Tally>>,
}

impl Clone for Counts {
    /// A copy has no stored counts.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Counts {
    /// Regions are compared without the stored counts, which follow from the entries.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Counts {}

impl Counts {
    /// Records that the entry of a page changed.
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

    /// Records a change in the place of the table that covers a page; neither the old nor the new
    /// value is a table.
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
                // The counts have not been used for a long time.
                self.tally = None;
            }
        }
    }

    /// Drops the stored counts, because many entries change.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        if self.tally.is_some() {
            self.version += 1;
            self.tally = None;
        }
    }

    /// While this number stays the same, accesses find the same; `None` if nothing is stored.
    pub(super) fn version(&self) -> Option<u64> {
        self.tally.as_ref().map(|_| self.version)
    }

    /// The initial value for a region that replaces this one under the same number.
    pub(super) fn next_region(&self) -> Self {
        Self {
            version: self.version + 1,
            tally: None,
        }
    }

    pub(super) fn tally(&self) -> Option<&Tally> {
        self.tally.as_deref()
    }

    /// The stored counts, if nothing has changed since they were made.
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
