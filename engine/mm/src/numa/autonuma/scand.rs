//! The thread that marks entries in AutoNUMA (mm/autonuma.c: `knuma_scand`, `knumad_do_scan`, `knuma_scand_pmd`).
//!
//! Modelled: one thread for the machine. It scans all processes in the order of their creation and
//! marks private memory that only they map. It sleeps for a tenth of a second after every 128 MiB,
//! and for 10 seconds after the last process. A huge entry counts 512 pages whether or not it is
//! marked. When the thread reaches a process, a new pass of that process begins.
//! Left out: mmap_lock. While there is no process the thread waits for one; the kernel's thread
//! checks every 10 seconds. Here the limit of a round also ends the round in the last mapping of a
//! process. The kernel would skip the rest of that mapping, but there it is the stack.
//! Visible difference: the time of the first pass. Here the thread starts with the workload; on a
//! machine that has run for a while it would be at any point of its 10 seconds.
//! Invariants: the thread never marks an entry of memory with several mappings; a round marks at
//! most its limit plus one huge page.

use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::numa::mark;
use crate::record::decisions;
use crate::space::Backing;
use crate::vmscan::throttle::timer_fires_at;
use crate::world::World;
use facts::index::TaskIndex;
use facts::state::State;

/// Time between two rounds, ms (`scan_sleep_millisecs`).
const SLEEP_MS: u64 = 100;
/// Time between two passes over all processes, ms (`scan_sleep_pass_millisecs`).
const PASS_SLEEP_MS: u64 = 10_000;
/// Memory scanned per round, KiB (`pages_to_scan`).
const ROUND_KIB: u64 = 128 * 1024;

decisions! {
    ScandProcess { task: Task, pass: Count }
        "knuma_scand reaches the process of {task} and begins its pass {pass}.";
    ScandPassed { region: Count, task: Task }
        "Region {region} of the process of {task} is not private memory: it is skipped.";
    ScandRound { task: Task, progress: Count, most: Count }
        "The round has covered {progress page}; its limit is {most}. knuma_scand continues with the process of {task} later.";
    ScandNap { progress: Count, most: Count, ms: Count }
        "knuma_scand has scanned {progress page} since its last sleep, more than {most}: it sleeps for {ms} ms.";
    ScandPassEnds { processes: Count, ms: Count }
        "All processes ({processes}) have been scanned: knuma_scand sleeps for {ms} ms.";
    ScandWaits { on: Flag }
        "knuma_scand waits: there is nothing to scan. AutoNUMA is on: {on}.";
}

/// Progress of knuma_scand (`knuma_scand_data`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Scand {
    /// Task of the thread; `None` if the kernel has no such thread.
    pub task: Option<TaskIndex>,
    /// The current process; `None` before the first process of a pass.
    pub process: Option<u32>,
    /// Region of the process at which the scan continues.
    pub region: u32,
    /// Page of that region at which the scan continues.
    pub page: u32,
    /// Pages scanned since the last sleep between rounds.
    pub progress: u32,
    /// True while the thread waits for a process, or for AutoNUMA to be switched on.
    pub waits: bool,
}

room! {
    KnumaScand: "knuma_scand" in "mm/autonuma.c";
    Simplified "With knumad_do_scan. No lock of the address space; it waits while there is no process." if |f| f.numa_balancing.rules().is_some_and(|rules| rules.auto.is_some());
    KnPt {
        Pick 0 Yields "the current process, or the first: start a pass of it";
        Vma 1 Plain "for each VMA with private memory, up to the limit";
        Mark 2 Yields "knuma_scand_pmd(): mark what one page table maps";
        Flush 1 Plain "flush the TLB for the marked entries";
        Next 1 Plain "all VMAs done: the next process, or none";
        Pass 0 Yields "after the last process: sleep for 10 s";
        Sleep 0 Yields "more than 128 MiB since the last sleep: sleep for 100 ms";
    }
    locals(self, w) {
        progress: number(self.progress);
        address: number(self.page(w)) if self.pt == KnPt::Mark;
    }
}

/// `knuma_scand`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct KnumaScand {
    /// Current program point.
    pub pt: KnPt,
    /// Pages scanned in this round, plus one for the round and one for each skipped VMA.
    pub progress: u32,
    /// Pages marked since the last flush.
    pub marked: u32,
}

impl KnumaScand {
    /// Frame of the thread before it starts.
    pub fn call() -> Frame {
        Frame::KnumaScand(Self {
            pt: KnPt::Pick,
            progress: 0,
            marked: 0,
        })
    }

    fn page(&self, w: &World) -> u32 {
        w.numa.scand.page
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            KnPt::Pick => self.pick(w, cx),
            KnPt::Vma => self.vma(w),
            KnPt::Mark => self.mark(w),
            KnPt::Flush => {
                if self.marked > 0 {
                    w.spend(w.facts.cost.tlb_flush_all);
                }
                (self.marked, self.pt) = (0, KnPt::Vma);
                Flow::Next
            }
            KnPt::Next => self.next(w),
            KnPt::Pass => self.pass(w, cx),
            KnPt::Sleep => self.sleep(w, cx),
        }
    }

    fn pick(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        w.numa.scand.waits = false;
        let on = w.numa.on;
        let first = living(w, 0).filter(|_| on);
        let Some(first) = first else {
            w.numa.scand.waits = true;
            w.record(ScandWaits { on });
            cx.sleep = Sleep::Wait;
            return Flow::Sleep;
        };
        if w.numa.scand.process.is_none() {
            begin(w, first);
        }
        (self.progress, self.pt) = (1, KnPt::Vma);
        Flow::Next
    }

    fn vma(&mut self, w: &mut World) -> Flow {
        let most = round_pages(w);
        let Some(process) = w.numa.scand.process.filter(|&p| is_alive(w, p)) else {
            self.pt = KnPt::Next;
            return Flow::Next;
        };
        let regions = w.processes.all[process as usize].space.regions.len();
        while self.progress < most {
            let region = w.numa.scand.region;
            if region as usize >= regions {
                self.pt = KnPt::Next;
                return Flow::Next;
            }
            let known = w.processes.region(process, region);
            let is_private = known.backing == Backing::Anon;
            if is_private && w.numa.scand.page < known.pages {
                self.pt = KnPt::Mark;
                return Flow::Next;
            }
            if !is_private {
                self.progress += 1;
                let task = w.processes.all[process as usize].space.owner;
                let region = region.into();
                w.record(ScandPassed { region, task });
            }
            (w.numa.scand.region, w.numa.scand.page) = (region + 1, 0);
        }
        w.record(ScandRound {
            task: w.processes.all[process as usize].space.owner,
            progress: self.progress.into(),
            most: most.into(),
        });
        self.pt = KnPt::Pass;
        Flow::Next
    }

    /// Marks one page table of the region. Another task may have unmapped the region in the meantime, or the
    /// process may have ended.
    fn mark(&mut self, w: &mut World) -> Flow {
        let (region, page) = (w.numa.scand.region, w.numa.scand.page);
        let there = w.numa.scand.process.filter(|&process| {
            let regions = &w.processes.all[process as usize].space.regions;
            let pages = regions.get(region as usize).map_or(0, |r| r.pages);
            is_alive(w, process) && page < pages
        });
        let Some(process) = there else {
            self.pt = KnPt::Flush;
            return Flow::Next;
        };
        let pages = w.processes.region(process, region).pages;
        let to = (page + w.processes.rest_of_stretch(page)).min(pages);
        let found = mark::exclusive(w, (process, region), (page, to));
        self.progress += found.progress;
        self.marked += found.marked;
        w.numa.scand.page = to;
        if to == pages || self.progress >= round_pages(w) {
            self.pt = KnPt::Flush;
        }
        Flow::Next
    }

    fn next(&mut self, w: &mut World) -> Flow {
        let after = w.numa.scand.process.map_or(0, |process| process + 1);
        match living(w, after) {
            Some(next) => begin(w, next),
            None => w.numa.scand.process = None,
        }
        self.pt = KnPt::Pass;
        Flow::Next
    }

    fn pass(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        w.numa.scand.progress += self.progress;
        self.pt = KnPt::Sleep;
        if w.numa.scand.process.is_some() {
            return Flow::Next;
        }
        let alive = (0..w.processes.all.len() as u32).filter(|&process| is_alive(w, process));
        let processes = alive.count() as i64;
        w.record(ScandPassEnds {
            processes,
            ms: PASS_SLEEP_MS as i64,
        });
        if processes == 0 {
            return Flow::Next;
        }
        sleep_for(w, cx, PASS_SLEEP_MS)
    }

    fn sleep(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = KnPt::Pick;
        let (progress, most) = (w.numa.scand.progress, round_pages(w));
        if progress <= most {
            return Flow::Next;
        }
        w.numa.scand.progress = 0;
        w.record(ScandNap {
            progress: progress.into(),
            most: most.into(),
            ms: SLEEP_MS as i64,
        });
        sleep_for(w, cx, SLEEP_MS)
    }
}

/// Starts a process at its first page.
fn begin(w: &mut World, process: u32) {
    let scand = &mut w.numa.scand;
    (scand.process, scand.region, scand.page) = (Some(process), 0, 0);
    let known = &mut w.processes.all[process as usize];
    known.auto.pass += 1;
    let (task, pass) = (known.space.owner, known.auto.pass as i64);
    w.record(ScandProcess { task, pass });
}

fn sleep_for(w: &World, cx: &mut Context, ms: u64) -> Flow {
    let timeout = (ms * u64::from(w.facts.hz)).div_ceil(1000);
    let fires = timer_fires_at(w.jiffies(), timeout);
    cx.sleep = Sleep::Until(w.jiffy_ns(fires));
    Flow::Sleep
}

/// Number of pages scanned per round.
fn round_pages(w: &World) -> u32 {
    (ROUND_KIB / w.facts.layout.geometry.page_kib()) as u32
}

/// Does any task use a process's memory?
fn is_alive(w: &World, process: u32) -> bool {
    let known = w.processes.all.get(process as usize);
    known.is_some_and(|process| process.users() > 0)
}

/// The first process that has tasks, from number `from` on.
fn living(w: &World, from: u32) -> Option<u32> {
    (from..w.processes.all.len() as u32).find(|&process| is_alive(w, process))
}

/// The thread's task, if a new process or switching AutoNUMA on must wake it.
pub(crate) fn to_wake(w: &World) -> Option<TaskIndex> {
    let scand = &w.numa.scand;
    scand
        .task
        .filter(|_| scand.waits && w.numa.on)
        .map(TaskIndex::get)
        .map(TaskIndex::new)
}

/// Does the thread wait for a process or for AutoNUMA to be switched on?
pub(crate) fn may_wait(w: &World, task: TaskIndex) -> bool {
    let scand = &w.numa.scand;
    scand.task == Some(task) && scand.waits && (!w.numa.on || living(w, 0).is_none())
}

#[cfg(test)]
impl Scand {
    /// Fills every option, so that tests can change each field.
    pub(crate) fn fill(&mut self) {
        (self.task, self.process) = (Some(TaskIndex::new(0)), Some(0));
    }
}
