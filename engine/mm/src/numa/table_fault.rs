//! The hinting fault of a table that was marked whole (mm/memory.c of 3.8: `do_pmd_numa_page`; AutoNUMA:
//! `pmd_numa_fixup` of mm/autonuma.c).
//!
//! Modelled: one fault unmarks the table. Then every marked entry in it is counted and filtered in
//! ascending order, and its page moved, as if the entry itself had faulted.
//! Left out: entries that change while the page-table lock is dropped for a move.
//! Visible difference: see [`fault`](crate::numa::fault).
//! Invariants: no entry that was marked at the beginning is marked at the end. In 3.8 a page that
//! stays does not count for the task, so a process with well-placed pages is scanned as often as
//! before.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::memory::HandleMmFault;
use crate::numa::autonuma;
use crate::numa::fault::count_hint;
use crate::numa::filter::mpol_misplaced;
use crate::numa::migrate::{MigrateMisplacedPage, NumaMappedMore};
use crate::numa::placement::{Fault, task_numa_fault};
use crate::record::decisions;
use crate::space::Mapping;
use crate::world::World;
use facts::index::{FrameIndex, NodeIndex};
use facts::state::State;

decisions! {
    NumaTable { task: Task, region: Count, from: Count }
        "The whole table that starts at page {from} of region {region} was marked: this one fault of {task} handles all its marked entries.";
}

room! {
    DoPmdNumaPage: "do_pmd_numa_page" in "mm/memory.c" at "v3.8.3" line 3512;
    Simplified "No other task changes an entry while a page moves." if |f| f.numa_balancing.rules().is_some_and(|rules| rules.whole_tables);
    DpPt {
        Check 0 Plain "is the table still marked? then unmark it";
        Entry 0 Plain "for each marked entry: unmark it, count the fault";
        Misplaced 1 Plain "mpol_misplaced(): does the page belong on this node?";
        Migrate 1 Plain "yes: migrate_misplaced_page()";
        Migrated 1 Plain "task_numa_fault(): one page, on the target if moved";
        Done 0 Plain "return: the access is retried";
    }
    locals(self, w) {
        region: number(self.region);
        address: number(self.page);
        page: page(self.frame) if self.frame != FrameIndex::NONE;
        target_nid: node(self.target) if !self.target.is_none();
    }
}

/// `do_pmd_numa_page`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct DoPmdNumaPage {
    /// Current program point.
    pub pt: DpPt,
    /// The node to which the page should move, `u8::MAX` for none.
    pub target: NodeIndex,
    /// Region of the task's space.
    pub region: u32,
    /// The next page to handle.
    pub page: u32,
    /// End of the table or of the region, whichever comes first.
    pub end: u32,
    /// The page that is being handled, [`FrameIndex::NONE`] between two entries.
    pub frame: FrameIndex,
}

impl DoPmdNumaPage {
    /// Frame of a fault that has not been handled.
    pub fn call(w: &World, fault: &HandleMmFault) -> Frame {
        let first = fault.page & !((1 << w.mem.pageblock_order) - 1);
        Self::of(fault.region, first)
    }

    /// Frame of a fault of the table that starts at a page.
    pub(crate) fn of(region: u32, first: u32) -> Frame {
        Frame::PmdNumaPage(Self {
            pt: DpPt::Check,
            target: NodeIndex::NONE,
            region,
            page: first,
            end: 0,
            frame: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            DpPt::Check => self.check(w, cx),
            DpPt::Entry => self.entry(w, cx),
            DpPt::Misplaced => self.misplaced(w, cx),
            DpPt::Migrate => {
                self.pt = DpPt::Migrated;
                let call = MigrateMisplacedPage::call(w, self.frame, self.target);
                up.call(call, w, cx)
            }
            DpPt::Migrated => self.migrated(w, cx),
            DpPt::Done => Flow::Ret,
        }
    }

    fn check(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.spend(w.facts.cost.numa_fault);
        let (space, region, page) = (cx.process, self.region, self.page);
        if !w.processes.is_table_hinting(space, region, page) {
            // Another thread has handled the fault.
            return Flow::Ret;
        }
        w.processes.end_table_hinting(space, region, page);
        let pages = w.processes.region(space, region).pages;
        self.end = (page + w.processes.rest_of_stretch(page)).min(pages);
        w.record(NumaTable {
            task: cx.task,
            region: region.into(),
            from: page.into(),
        });
        self.pt = DpPt::Entry;
        Flow::Next
    }

    fn entry(&mut self, w: &mut World, cx: &Context) -> Flow {
        self.frame = FrameIndex::NONE;
        let (space, region) = (cx.process, self.region);
        let left = (self.page, self.end);
        let Some(page) = w.processes.next_hinting((space, region), left) else {
            self.pt = DpPt::Done;
            return Flow::Next;
        };
        w.processes.unmark(space, region, page);
        w.spend(w.facts.cost.numa_mark);
        self.page = page;
        let Mapping::Page(frame) = w.processes.lookup(space, region, page) else {
            return self.step();
        };
        let mappings = crate::rmap::mapcount(w, frame);
        if mappings != 1 {
            w.record(NumaMappedMore {
                page: frame,
                mappings: mappings.into(),
            });
            return self.step();
        }
        count_hint(w, cx.task, frame);
        (self.frame, self.pt) = (frame, DpPt::Misplaced);
        Flow::Next
    }

    /// Moves on to the next entry.
    fn step(&mut self) -> Flow {
        (self.page, self.target, self.pt) = (self.page + 1, NodeIndex::NONE, DpPt::Entry);
        Flow::Next
    }

    fn misplaced(&mut self, w: &mut World, cx: &Context) -> Flow {
        let Some(rules) = crate::numa::rules(&w.facts) else {
            return self.step();
        };
        let Some(target) = mpol_misplaced(w, cx, self.frame, rules) else {
            if rules.auto.is_some() {
                let on = w.node_of(self.frame);
                autonuma::fault::account(w, cx, on, 1);
            }
            return self.step();
        };
        (self.target, self.pt) = (target, DpPt::Migrate);
        Flow::Next
    }

    fn migrated(&mut self, w: &mut World, cx: &Context) -> Flow {
        let moved = cx.ret == 1;
        if autonuma::rules(&w.facts.features).is_some() {
            let on = if moved {
                self.target
            } else {
                w.node_of(self.frame)
            };
            autonuma::fault::account(w, cx, on, 1);
            return self.step();
        }
        let here = w.local_node();
        let fault = Fault {
            node: if moved { self.target } else { here },
            pages: 1,
            private: true,
            last: 0,
            writable: false,
            local: false,
            moved: Some(moved),
        };
        task_numa_fault(w, cx, fault);
        self.step()
    }
}
