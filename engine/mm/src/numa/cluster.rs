//! One hinting fault that handles a whole page table (numa/core v18: "turn 4K pte hinting faults
//! into effective hugepage ones").
//!
//! Modelled: one fault handles all marked entries of the faulting page's table, from the second
//! page on and the first page last; all of them count for the task that faulted.
//! Left out: the lock of the page table's page. Another thread that faults there at the same time
//! would wait for the lock, and find its entry handled.
//! Visible difference: the time such threads wait.
//! Invariants: an entry that was not marked is not changed.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::memory::HandleMmFault;
use crate::numa::fault::{DoNumaPage, Served};
use crate::record::decisions;
use crate::world::World;
use facts::state::State;

decisions! {
    NumaCluster { task: Task, region: Count, from: Count, to: Count, marked: Count }
        "This fault of {task} handles {marked marked entry} for pages {from} to {to} of region {region}.";
}

room! {
    DoNumaPages: "do_numa_page (v18)" in "mm/memory.c";
    Simplified "No task waits for the lock of the page table's page." if |f| crate::numa::tick::core_rules(f).is_some_and(|rules| rules.clustered_faults);
    DcPt {
        Range 0 Plain "the page's table, within its VMA";
        Rest 0 Plain "each marked entry from the second page on";
        First 0 Plain "then the entry of the first page";
        Done 0 Plain "return: the access continues";
    }
    locals(self, w) {
        region: number(self.region);
        address: number(self.page);
    }
}

/// `do_numa_page` of v18, with `__do_numa_page` for each entry.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct DoNumaPages {
    /// Current program point.
    pub pt: DcPt,
    /// True if the access was a write.
    pub write: bool,
    /// Region of the task's space.
    pub region: u32,
    /// The page that was accessed.
    pub touched: u32,
    /// The next page to handle.
    pub page: u32,
}

impl DoNumaPages {
    /// Frame of a fault that has not been handled.
    pub fn call(fault: &HandleMmFault) -> Frame {
        Self::of(fault.region, fault.page, fault.write)
    }

    /// Frame of a fault on a page.
    pub(crate) fn of(region: u32, page: u32, write: bool) -> Frame {
        Frame::NumaPages(Self {
            pt: DcPt::Range,
            write,
            region,
            touched: page,
            page,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            DcPt::Range => self.range(w, cx),
            DcPt::Rest => {
                let next = (self.page, self.range_of(w, cx).1);
                match w.processes.next_hinting((cx.process, self.region), next) {
                    Some(page) => {
                        self.page = page + 1;
                        up.call(self.entry(page), w, cx)
                    }
                    None => {
                        self.pt = DcPt::First;
                        Flow::Next
                    }
                }
            }
            DcPt::First => {
                self.pt = DcPt::Done;
                let (region, start) = (self.region, self.range_of(w, cx).0);
                if w.processes.is_hinting(cx.process, region, start) {
                    return up.call(self.entry(start), w, cx);
                }
                Flow::Next
            }
            DcPt::Done => {
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    fn entry(&self, page: u32) -> Frame {
        let served = if page == self.touched {
            Served::First
        } else {
            Served::Along
        };
        DoNumaPage::entry(self.region, page, self.write, served)
    }

    /// The pages of the region that the table covers: the first one, and the end.
    fn range_of(&self, w: &World, cx: &Context) -> (u32, u32) {
        let per = 1u32 << w.mem.pageblock_order;
        let start = self.touched & !(per - 1);
        let pages = w.processes.region(cx.process, self.region).pages;
        (start, (start + per).min(pages))
    }

    fn range(&mut self, w: &mut World, cx: &Context) -> Flow {
        w.spend(w.facts.cost.numa_fault);
        let (start, end) = self.range_of(w, cx);
        w.record(NumaCluster {
            task: cx.task,
            region: self.region.into(),
            from: start.into(),
            to: (end - 1).into(),
            marked: w
                .processes
                .hinting_in((cx.process, self.region), (start, end))
                .into(),
        });
        (self.page, self.pt) = (start + 1, DcPt::Rest);
        Flow::Next
    }
}
