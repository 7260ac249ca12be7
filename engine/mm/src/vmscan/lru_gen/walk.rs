//! Walking the page tables of a process for accessed bits (mm/vmscan.c, `walk_mm`,
//! `walk_pte_range`).
//!
//! Modelled: regions that are left out, page-table directories that were not accessed, tables that the
//! filter leaves out, clearing accessed bits, promotion to the youngest generation, the tables that the
//! next round visits.
//! Left out: huge pages, which are on no list here. A directory counts as accessed if an entry of its
//! table has an accessed bit.
//! Visible difference: on several nodes one node's walk also clears the directories' bits for the others
//! in a kernel, so that they leave out a table. 6.12 walks the area of the program first and may leave the CPU
//! after it. If another reclaimer completes the round meanwhile, the walk leaves out the mappings, and the next
//! round's filter has none of their tables. Here the walker may leave the CPU just before the walk, with the same
//! result. This is rarer here: a tick preempts kernel code at any point that is not `Hold`, but in a kernel
//! without preemption only at the next cond_resched().
//! Invariants: the walker does not leave the CPU within 1 GiB (it is in an RCU read section), so that it moves
//! pages to the generation for which it started; after a walk of a table, a page of the lists whose accessed
//! bit was set is in the youngest generation, or isolated with PG_referenced.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::lru_gen::{NONLEAF_YOUNG, promote};
use crate::mmzone::WalkState;
use crate::mmzone::flag;
use crate::record::decisions;
use crate::space::{Backing, Mapping};
use crate::vmscan::lru_gen::{gens, gens_mut};
use crate::world::World;
use facts::index::LruvecIndex;
use facts::state::State;

decisions! {
    WalkDone { lists: Lists, task: Task, scanned: Count, young: Count, promoted: Count }
        "The walk of the page tables of {task} checked {scanned entry} and found {young} used since the last walk. It moved {promoted page} to the youngest generation.";
}

/// Number of tables in a page-table directory, which maps 1 GiB: the walk may stop after each
/// directory.
const TABLES_PER_DIRECTORY: u32 = 512;
/// Maximum number of pages that a look-around checks (`MIN_LRU_BATCH`).
const WINDOW: u32 = 64;

room! {
    WalkMm: "walk_mm" in "mm/vmscan.c" at "v6.1.176" line 4202;
    Simplified "Includes walk_pmd_range() and walk_pte_range(). mmap_lock is never contended, and each promoted page is counted immediately." if |f| f.lru_gen.is_modelled();
    WkPt {
        Seq 0 Hold "another reclaimer opened a generation: done";
        Table 0 Hold "for each table: read and clear accessed bits";
        Pause 0 Yields "after 1 GiB: up_read(mmap_lock), cond_resched()";
        Done 0 Yields "up_read(mmap_lock), cond_resched()";
    }
    locals(self, w) {
        lruvec: owner(self.owner);
        mm: number(self.process);
        region: number(self.region);
        address: number(self.page);
    }
}

/// `walk_mm`: walks one process.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct WalkMm {
    /// Current program point.
    pub pt: WkPt,
    /// Owner of the lists whose pages age.
    pub owner: LruvecIndex,
    /// The process to walk.
    pub process: u32,
    /// Region to walk next.
    pub region: u32,
    /// First page of that region that was not walked.
    pub page: u32,
}

/// Clears the set of tables that a round visits, or creates it (`reset_bloom_filter`).
pub(super) fn reset_filter(walk: &mut WalkState, seq: u64) {
    walk.filters[(seq % 2) as usize] = Some(Vec::new());
}

/// Adds a table to the set of a round, if there is one (`update_bloom_filter`).
pub(super) fn add_to_filter(walk: &mut WalkState, seq: u64, table: u64) {
    if let Some(filter) = &mut walk.filters[(seq % 2) as usize]
        && let Err(at) = filter.binary_search(&table)
    {
        filter.insert(at, table);
    }
}

/// Does a round visit this table (`test_bloom_filter`)? Without a set it visits all.
fn is_in_filter(walk: &WalkState, seq: u64, table: u64) -> bool {
    let filter = &walk.filters[(seq % 2) as usize];
    filter
        .as_ref()
        .is_none_or(|filter| filter.binary_search(&table).is_ok())
}

/// The number of a table, made from process, region, and place in the region.
pub(super) fn table_number(w: &World, process: u32, region: u32, page: u32) -> u64 {
    let per_table = w.processes.rest_of_stretch(0);
    u64::from(process) << 40 | u64::from(region) << 24 | u64::from(page / per_table)
}

/// Does the table have enough used entries to be worth a visit in the next round
/// (`suitable_to_scan`)?
pub(super) fn is_worth_a_visit(total: u32, young: u32) -> bool {
    // Eight entries of a page table share a cache line.
    young * 8 >= total
}

/// The pages around a page that a look-around checks: at most 64, inside `from..to` (the
/// intersection of the region and of what the table covers).
pub fn window(page: u32, from: u32, to: u32) -> (u32, u32) {
    if to - from <= WINDOW {
        return (from, to);
    }
    let half = WINDOW / 2;
    if page - from < half {
        (from, from + WINDOW)
    } else if to - page < half {
        (to - WINDOW, to)
    } else {
        (page - half, page + half)
    }
}

impl WalkMm {
    /// Frame of a call that has not started.
    pub fn call(owner: LruvecIndex, process: u32) -> Frame {
        Frame::WalkMm(Self {
            pt: WkPt::Seq,
            owner,
            process,
            region: 0,
            page: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            WkPt::Seq => {
                let is_current = cx.sc.gens.walk.seq == gens(w, self.owner).max_seq;
                self.pt = if is_current { WkPt::Table } else { WkPt::Done };
                Flow::Next
            }
            WkPt::Table => {
                self.table(w, cx);
                Flow::Next
            }
            WkPt::Pause => {
                self.pt = WkPt::Seq;
                Flow::Next
            }
            WkPt::Done => {
                let walk = &mut cx.sc.gens.walk;
                let [scanned, young, promoted] =
                    [&mut walk.scanned, &mut walk.young, &mut walk.promoted]
                        .map(|count| i64::from(std::mem::take(count)));
                w.record(WalkDone {
                    lists: self.owner,
                    task: w.processes.all[self.process as usize].space.owner,
                    scanned,
                    young,
                    promoted,
                });
                Flow::Ret
            }
        }
    }

    /// Walks the next table that is worth a visit.
    fn table(&mut self, w: &mut World, cx: &mut Context) {
        let regions = w.processes.all[self.process as usize].space.regions.len() as u32;
        while self.region < regions {
            let region = w.processes.region(self.process, self.region);
            let is_left_out =
                region.locked || region.backing == Backing::Anon && !cx.sc.gens.walk.can_swap;
            let pages = region.pages;
            if is_left_out || self.page >= pages {
                (self.region, self.page) = (self.region + 1, 0);
                continue;
            }
            let from = self.page;
            self.page += w.processes.rest_of_stretch(from);
            let to = self.page.min(pages);
            let is_walked = self.walk_table(w, cx, from, to);
            let per_directory = w.processes.rest_of_stretch(0) * TABLES_PER_DIRECTORY;
            if self.page.is_multiple_of(per_directory) {
                self.pt = WkPt::Pause;
                return;
            }
            if is_walked {
                return;
            }
        }
        self.pt = WkPt::Done;
    }

    /// Walks one table, unless it is left out. Returns true if it was walked.
    fn walk_table(&self, w: &mut World, cx: &mut Context, from: u32, to: u32) -> bool {
        let walk = cx.sc.gens.walk;
        let (process, region) = (self.process, self.region);
        let first = w.processes.lookup(process, region, from);
        if matches!(first, Mapping::NoTable | Mapping::Huge(_)) {
            return false;
        }
        let young = w.processes.young_entries(process, region, from, to);
        let table = table_number(w, process, region, from);
        if !walk.force {
            let unused = crate::lru_gen::has(w, NONLEAF_YOUNG) && young.is_empty();
            if unused || !is_in_filter(&gens(w, self.owner).walk, walk.seq, table) {
                return false;
            }
        }
        let mut used = 0;
        for entry in young {
            let page = w.mem.pages[entry.frame];
            let is_own = w.mem.lruvec_of(entry.frame) == self.owner;
            let counts = is_own && (walk.can_swap || !page.is_anon());
            if !counts {
                continue;
            }
            w.processes.clear_young(process, region, entry.page);
            used += 1;
            if entry.dirty && page.has(flag::SWAPCACHE) {
                w.mem.pages[entry.frame].set(flag::DIRTY);
            }
            let promoted = promote(w, entry.frame);
            cx.sc.gens.walk.promoted += u32::from(promoted);
        }
        cx.sc.gens.walk.scanned += to - from;
        cx.sc.gens.walk.young += used;
        w.spend(w.facts.cost.rmap_check * used);
        w.spend(w.facts.cost.lru_isolate_page / 16 * (to - from));
        if is_worth_a_visit(to - from, used) {
            add_to_filter(&mut gens_mut(w, self.owner).walk, walk.seq + 1, table);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_around_at_most_64_pages_of_the_table_and_region() {
        let whole = |page| window(page, 0, 512);
        assert_eq!(whole(100), (68, 132));
        for page in [10, 31, 32] {
            assert_eq!(whole(page), (0, 64));
        }
        for page in [480, 481, 500] {
            assert_eq!(whole(page), (448, 512));
        }
        assert_eq!(window(20, 16, 40), (16, 40));
        assert_eq!(window(700, 600, 1024), (668, 732));
    }

    #[test]
    fn a_table_is_worth_a_visit_if_an_eighth_of_its_entries_was_used() {
        let cases = [
            (8, 64, true),
            (7, 64, false),
            (64, 512, true),
            (63, 512, false),
        ];
        for (young, total, worth) in cases {
            assert_eq!(is_worth_a_visit(total, young), worth, "{young} of {total}");
        }
        assert_eq!(
            (is_worth_a_visit(24, 3), is_worth_a_visit(24, 2)),
            (true, false)
        );
    }

    #[test]
    fn a_round_without_a_filter_visits_every_table() {
        let mut walk = crate::mmzone::LruGen::new().walk;
        assert!(is_in_filter(&walk, 3, 9));
        reset_filter(&mut walk, 4);
        assert!(!is_in_filter(&walk, 4, 9));
        add_to_filter(&mut walk, 4, 9);
        add_to_filter(&mut walk, 4, 9);
        assert!(is_in_filter(&walk, 4, 9) && is_in_filter(&walk, 3, 9));
        assert_eq!(walk.filters[0], Some(vec![9]));
    }
}
