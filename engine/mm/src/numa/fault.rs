//! Hinting faults (mm/memory.c: `do_numa_page`; mm/huge_memory.c: `do_huge_pmd_numa_page`).
//!
//! Modelled: the fault of a marked entry, small and huge: it finds the node that uses the page,
//! decides whether to move the page, moves it, and updates the task's statistics.
//! Left out: changes of the entry while the page-table lock is dropped for the move: a task that
//! unmaps the entry finds it unchanged.
//! Visible difference: several threads that fault on one huge page at the same time each try to
//! move it.
//! Invariants: a marked entry faults once and is then unmarked.

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::memory::HandleMmFault;
use crate::mmzone::PageKind;
use crate::numa::filter::{is_private, mpol_misplaced};
use crate::numa::migrate::MigrateMisplacedPage;
use crate::numa::placement::{Fault, task_numa_fault};
use crate::numa::tick::core_rules;
use crate::numa::{autonuma, core_fault};
use crate::record::decisions;
use crate::space::{Backing, Mapping};
use crate::world::World;
use facts::index::{CpuIndex, FrameIndex, NodeIndex, TaskIndex};
use facts::state::State;

decisions! {
    NumaHint { task: Task, page: Page, on: Node, node: Node }
        "{task} accesses a marked entry and faults: it runs on {node}, and the page at {page} is on {on}.";
    NumaGone { region: Count, index: Count }
        "Page {index} of region {region} is no longer mapped: there is no page to move.";
}

room! {
    DoNumaPage: "do_numa_page" in "mm/memory.c" at "v6.1.20" line 4706;
    Simplified "No other task changes the entry while the page moves. Huge pages take the same steps here (do_huge_pmd_numa_page)." if |f| f.numa_balancing.rules().is_some();
    DnPt {
        Check 0 Plain "is the entry unchanged?";
        Prep 0 Plain "numa_migrate_prep(): count the fault";
        Misplaced 0 Plain "mpol_misplaced(): does the page belong on this node?";
        Migrate 1 Plain "yes: migrate_misplaced_page()";
        Migrated 1 Plain "moved: it is on the target now";
        Map 0 Plain "out_map: restore the entry to its unmarked state";
        Account 0 Plain "task_numa_fault(): count it for the task";
        Reuse 0 Plain "moved and read-only: the write faults again, wp_page_reuse()" if |f| f.numa_balancing.rules().is_some_and(|rules| !rules.saves_write);
    }
    locals(self, w) {
        region: number(self.region);
        address: number(self.page);
        page: page(self.frame);
        page_nid: node(self.on);
        target_nid: node(self.target) if !self.target.is_none();
    }
}

/// The fault that handles an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum Served {
    /// The entry's own fault.
    #[state(rest)]
    Alone,
    /// The entry's own fault, which also handles the other entries of its table.
    First,
    /// The fault of another entry of the table: no task accessed this page.
    Along,
}

/// `do_numa_page` and `do_huge_pmd_numa_page`. Returns 1: the access may continue.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct DoNumaPage {
    /// Current program point.
    pub pt: DnPt,
    /// The fault that handles the entry.
    pub served: Served,
    /// True if the access was a write.
    pub write: bool,
    /// The task that last faulted on the page, as the page records it.
    pub last: u16,
    /// True if the page was on the node of the fault.
    pub local: bool,
    /// The current node of the page.
    pub on: NodeIndex,
    /// The node to which the page should move, `u8::MAX` for none. Equal to `on` after the move.
    pub target: NodeIndex,
    /// Region of the task's space.
    pub region: u32,
    /// Page of the region.
    pub page: u32,
    /// Frame of the page, or the first frame of a huge page.
    pub frame: FrameIndex,
}

impl DoNumaPage {
    /// Frame of a fault that has not been handled.
    pub fn call(fault: &HandleMmFault) -> Frame {
        Frame::NumaPage(Self {
            write: fault.write,
            ..Self::new(fault.region, fault.page)
        })
    }

    /// Frame for one entry of a table whose entries are all handled.
    pub(super) fn entry(region: u32, page: u32, write: bool, served: Served) -> Frame {
        Frame::NumaPage(Self {
            write,
            served,
            ..Self::new(region, page)
        })
    }

    fn new(region: u32, page: u32) -> Self {
        Self {
            pt: DnPt::Check,
            served: Served::Alone,
            write: false,
            last: 0,
            local: false,
            on: NodeIndex::new(0),
            target: NodeIndex::NONE,
            region,
            page,
            frame: FrameIndex::NONE,
        }
    }

    /// Frame of a fault on some page, for tests of what a frame contains.
    #[cfg(test)]
    pub(crate) fn of(region: u32, page: u32) -> Frame {
        Frame::NumaPage(Self::new(region, page))
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            DnPt::Check => self.check(w, cx),
            DnPt::Prep => self.prep(w, cx),
            DnPt::Misplaced => self.misplaced(w, cx),
            DnPt::Migrate => {
                self.pt = DnPt::Migrated;
                up.call(
                    MigrateMisplacedPage::call(w, self.frame, self.target),
                    w,
                    cx,
                )
            }
            DnPt::Migrated => {
                if cx.ret == 1 {
                    self.on = self.target;
                }
                self.pt = DnPt::Map;
                Flow::Next
            }
            DnPt::Map => {
                let (space, region, page) = (cx.process, self.region, self.page);
                match self.served {
                    Served::Along => w.processes.unmark(space, region, page),
                    Served::Alone | Served::First => {
                        w.processes.end_hinting(space, region, page, self.write);
                    }
                }
                self.pt = DnPt::Account;
                Flow::Next
            }
            DnPt::Account => self.account(w, cx),
            DnPt::Reuse => {
                w.spend(w.facts.cost.minor_fault);
                w.counters.pgfault += 1;
                w.counters.pgreuse += 1;
                w.numa.exchange_last(self.now_at(w, cx), crate::numa::UNSET);
                Flow::Ret
            }
        }
    }

    fn check(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        w.spend(match self.served {
            Served::Alone => w.facts.cost.numa_fault,
            Served::First | Served::Along => w.facts.cost.numa_mark,
        });
        match w.processes.lookup(cx.process, self.region, self.page) {
            Mapping::Page(frame) | Mapping::Huge(frame) => self.frame = frame,
            Mapping::NoTable | Mapping::Empty | Mapping::Swap(_) => {
                w.record(NumaGone {
                    region: self.region.into(),
                    index: self.page.into(),
                });
                cx.ret = 1;
                return Flow::Ret;
            }
        }
        let page = w.mem.pages[self.frame];
        self.on = w.mem.zones[page.zone()].node;
        self.pt = DnPt::Prep;
        Flow::Next
    }

    fn prep(&mut self, w: &mut World, cx: &Context) -> Flow {
        self.local = count_hint(w, cx.task, self.frame);
        self.last = w.numa.last(self.frame);
        self.pt = DnPt::Misplaced;
        Flow::Next
    }

    fn misplaced(&mut self, w: &mut World, cx: &Context) -> Flow {
        self.pt = DnPt::Map;
        // Entries marked before balancing was switched off still fault here.
        let Some(rules) = crate::numa::rules(&w.facts) else {
            return Flow::Next;
        };
        let now = self.now_at(w, cx);
        if (rules.core.is_some() || rules.auto.is_some()) && now != self.frame {
            // Another thread has moved the page in the meantime.
            (self.frame, self.on) = (now, w.node_of(now));
            return Flow::Next;
        }
        if let Some(target) = mpol_misplaced(w, cx, self.frame, rules) {
            (self.target, self.pt) = (target, DnPt::Migrate);
        }
        Flow::Next
    }

    fn account(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let order = match w.processes.lookup(cx.process, self.region, self.page) {
            Mapping::Huge(_) => w.mem.pageblock_order,
            _ => 0,
        };
        let tried = !self.target.is_none();
        let moved = self.on == self.target;
        if autonuma::rules(&w.facts.features).is_some() {
            cx.ret = 1;
            let frame = self.now_at(w, cx);
            // A page mapped by several processes does not count.
            if crate::rmap::mapcount(w, frame) == 1 {
                autonuma::fault::account(w, cx, self.on, 1 << order);
            }
            return Flow::Ret;
        }
        if core_rules(&w.facts.features).is_some() {
            cx.ret = 1;
            if !tried || moved {
                core_fault::sample(w, cx, (self.on, CpuIndex::new(self.last)), 1 << order);
            }
            return Flow::Ret;
        }
        task_numa_fault(
            w,
            cx,
            Fault {
                node: self.on,
                pages: 1 << order,
                private: is_private(self.last, cx.task),
                last: self.last as u8,
                writable: w.processes.region(cx.process, self.region).backing == Backing::Anon,
                local: self.local,
                moved: tried.then_some(moved),
            },
        );
        cx.ret = 1;
        let saves = crate::numa::rules(&w.facts).is_none_or(|rules| rules.saves_write);
        if moved && self.write && order == 0 && !saves {
            self.pt = DnPt::Reuse;
            return Flow::Next;
        }
        Flow::Ret
    }

    /// The current frame of the page.
    fn now_at(&self, w: &World, cx: &Context) -> FrameIndex {
        match w.processes.lookup(cx.process, self.region, self.page) {
            Mapping::Page(frame) | Mapping::Huge(frame) => frame,
            Mapping::NoTable | Mapping::Empty | Mapping::Swap(_) => self.frame,
        }
    }
}

/// Counts the hinting fault of a page (`numa_migrate_prep`). Returns true if the page is on the
/// node of the fault.
pub fn count_hint(w: &mut World, task: TaskIndex, page: FrameIndex) -> bool {
    let zone = w.mem.pages[page].zone();
    let (on, node) = (w.mem.zones[zone].node, w.local_node());
    w.counters.numa_hint_faults += 1;
    w.counters.numa_hint_faults_local += u64::from(on == node);
    w.record(NumaHint {
        task,
        page,
        on,
        node,
    });
    on == node
}

/// Is this frame the first of a huge page that is mapped by a process?
pub fn is_mapped_huge(w: &World, frame: FrameIndex) -> bool {
    let page = w.mem.pages[frame];
    if !page.is(PageKind::HugeAnon) || page.owner == NONE {
        return false;
    }
    let (space, region, at) = crate::rmap::anon_place(w, frame);
    w.processes.lookup(space, region, at) == Mapping::Huge(frame)
}
