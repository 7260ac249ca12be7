//! Marking entries so that their next access faults (kernel/sched/fair.c: `task_tick_numa`,
//! `task_numa_work`; mm/mempolicy.c: `change_prot_numa`).
//!
//! Modelled: when a scan is due, by the task's run time and the process's gate; its window; which entries
//! are marked; how a scan that took long puts the next off.
//! Left out: mappings hold no page-table locks and no mmap_lock, so that a scan never gives up; KSM and
//! device pages. Regions lie one behind the other, each on a boundary of a huge page.
//! Who could tell: where a window ends differs by less than a huge page for regions that lie otherwise.
//! Invariants: a window marks no more entries than it may, and less than a huge page beyond; two scans of
//! a process are at least a period apart.

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::kernel::{Exclusive, ScanPeriod};
use crate::mmzone::{PageKind, SWAP_OWNER, flag};
use crate::numa::{MmScan, NumaTask};
use crate::record::decisions;
use crate::space::Backing;
use crate::world::World;
use facts::state::State;

decisions! {
    NumaFirstScan { task: Task, due: Count }
        "The process of {task} was never scanned: its first scan is due at jiffy {due}.";
    NumaScanEarly { task: Task, due: Count, jiffies: Count }
        "The next scan is due at jiffy {due}, and it is {jiffies}: {task} does not scan.";
    NumaScanClaimed { task: Task, period_ms: Count, next: Count }
        "{task} scans. The next scan of its process is due {period_ms} ms from now, at jiffy {next}.";
    NumaMarked { region: Count, from: Count, to: Count, marked: Count, seen: Count }
        "Of pages {from} to {to} of region {region}, {seen entry} map something, and {marked} are marked: their next access faults.";
    NumaScanEnds { task: Task, marked: Count, left: Count }
        "{task} has marked {marked entry}. Its window has {left page} left.";
    NumaScanWhole { task: Task, seq: Count }
        "The scan has reached the end of the address space: pass {seq} is done, and the next begins at the front.";
}

/// A window walks at most so many times its size.
const SPAN: u32 = 8;
/// `MAX_SCAN_WINDOW`, MiB of windows a second at most.
const MAX_SCAN_WINDOW_MIB: u64 = 2560;
/// A scan puts the next off by so many times the time it took: 3 % of a CPU.
const COST_FACTOR: u64 = 32;

/// What is left of a scan's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Budget {
    /// Pages it may still mark.
    pub pages: u32,
    /// Pages it may still walk over.
    pub span: u32,
    /// Page the slice began at.
    pub start: u32,
    /// Entries marked.
    pub marked: u32,
    /// Run time of the task when it began, ns, as of the last tick.
    pub began: u64,
}

/// Time before the first scan, and a task's first period, ms (`sysctl_numa_balancing_scan_delay`).
pub fn scan_delay_ms(w: &World) -> u32 {
    limited(w.tunables.numa_scan_delay_ms)
}

/// A tunable as the kernel's int has it.
fn limited(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Windows a process has in memory (`task_nr_scan_windows`).
fn windows(w: &World, process: u32) -> u32 {
    let window = window_pages(w);
    w.processes.all[process as usize]
        .space
        .rss
        .div_ceil(window)
        .max(1)
}

/// Pages of a window.
fn window_pages(w: &World) -> u32 {
    let page_kib = w.facts.layout.geometry.page_kib();
    limited(w.tunables.numa_scan_size_mb * 1024 / page_kib).max(1)
}

/// The least and the longest period of a process's tasks, ms (`task_scan_min`, `task_scan_max`).
pub fn periods_ms(w: &World, process: u32) -> (u32, u32) {
    let windows = windows(w, process);
    let t = &w.tunables;
    let at_once = (MAX_SCAN_WINDOW_MIB / t.numa_scan_size_mb.max(1)).max(1);
    let floor = limited(1000 / at_once);
    let least = (limited(t.numa_scan_period_min_ms) / windows).max(floor);
    let longest = limited(t.numa_scan_period_max_ms) / windows;
    (least, longest.max(least))
}

/// Jiffies in so many ms, rounded up (`msecs_to_jiffies`).
pub fn jiffies_of(w: &World, ms: u32) -> u64 {
    (u64::from(ms) * u64::from(w.facts.hz)).div_ceil(1000)
}

/// A tick found this task on a CPU: has it run long enough for a scan, and may its process be scanned
/// (`task_tick_numa`)? Asks for the work then.
pub fn task_tick_numa(w: &mut World, task: u32) {
    let Some(t) = w.numa.tasks.get(task as usize) else {
        return;
    };
    if !w.numa.on || t.process == NONE || t.work {
        return;
    }
    let process = t.process;
    let ran = w.sched.cpu_time(task, (w.cpu, w.now));
    let period = u64::from(t.scan_period) * 1_000_000;
    if ran <= t.node_stamp + period {
        return;
    }
    let start = periods_ms(w, process).0;
    let (jiffies, due) = (
        w.jiffies(),
        w.processes.all[process as usize].scan.next_scan,
    );
    let t = &mut w.numa.tasks[task as usize];
    if t.node_stamp == 0 {
        t.scan_period = start;
    }
    t.node_stamp += period;
    if jiffies >= due {
        t.work = true;
        w.add_task_work(task);
    }
}

room! {
    TaskNumaWork: "task_numa_work" in "kernel/sched/fair.c" at "v6.1.20" line 2923;
    Simplified "No lock of the address space makes a scan give up. Regions lie one behind the other, on boundaries of huge pages.";
    TwPt {
        First 0 Plain "never scanned: the first scan is due after a delay";
        Gate 0 Plain "return unless it is due, else claim it and set the next";
        Vma 0 Plain "for each VMA from numa_scan_offset: may its pages move?";
        Slice 1 Plain "a slice, as long as the window, to a huge page's end";
        Mark 1 Yields "change_prot_numa(): mark the entries of one table";
        Flush 1 Plain "flush the TLB, count the slice against the window";
        End 0 Plain "note where to go on, at the end numa_scan_seq + 1";
        Cost 0 Yields "node_stamp + 32 times the run time this took";
    }
    locals(self, w) {
        region: number(self.region);
        page: number(self.page);
        end: number(self.end);
        nr_pte_updates: number(self.marked);
    }
}

/// `task_numa_work`: one scan of the task's address space.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TaskNumaWork {
    /// Where it stands.
    pub pt: TwPt,
    /// Region.
    pub region: u32,
    /// Page the slice has come to.
    pub page: u32,
    /// End of the slice.
    pub end: u32,
    /// Entries marked in the slice.
    pub marked: u32,
}

impl TaskNumaWork {
    /// A scan about to begin.
    pub fn call() -> Frame {
        Frame::TaskNumaWork(Self {
            pt: TwPt::First,
            region: 0,
            page: 0,
            end: 0,
            marked: 0,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            TwPt::First => self.first(w, cx),
            TwPt::Gate => self.gate(w, cx),
            TwPt::Vma => self.vma(w, cx),
            TwPt::Slice => self.slice(w, cx),
            TwPt::Mark => self.mark(w, cx),
            TwPt::Flush => self.flush(w, cx),
            TwPt::End => self.end(w, cx),
            TwPt::Cost => {
                let took = ran_at_tick(w, cx);
                let t = task(w, cx);
                t.node_stamp += COST_FACTOR * took.saturating_sub(t.scan.began);
                Flow::Ret
            }
        }
    }

    fn first(&mut self, w: &mut World, cx: &Context) -> Flow {
        task(w, cx).work = false;
        self.pt = TwPt::Gate;
        if mm(w, cx).next_scan == 0 {
            let due = w.jiffies() + jiffies_of(w, scan_delay_ms(w));
            mm(w, cx).next_scan = due;
            w.record(NumaFirstScan {
                task: cx.task,
                due: due as i64,
            });
        }
        Flow::Next
    }

    fn gate(&mut self, w: &mut World, cx: &Context) -> Flow {
        let (jiffies, due) = (w.jiffies(), mm(w, cx).next_scan);
        if jiffies < due {
            w.record(NumaScanEarly {
                task: cx.task,
                due: due as i64,
                jiffies: jiffies as i64,
            });
            return Flow::Ret;
        }
        let period = task(w, cx).scan_period;
        let next = jiffies + jiffies_of(w, period);
        let (tick, window) = (w.jiffy_ns(1), window_pages(w));
        let began = ran_at_tick(w, cx);
        let scan = mm(w, cx);
        scan.next_scan = next;
        (self.region, self.page) = (scan.region, scan.page);
        let t = task(w, cx);
        t.node_stamp += 2 * tick;
        t.scan = Budget {
            pages: window,
            span: window.saturating_mul(SPAN),
            start: self.page,
            marked: 0,
            began,
        };
        w.record(NumaScanClaimed {
            task: cx.task,
            period_ms: period.into(),
            next: next as i64,
        });
        self.pt = TwPt::Vma;
        if self.region as usize >= regions(w, cx) {
            // The last scan ended at the end of the last region.
            self.whole(w, cx);
        }
        Flow::Next
    }

    /// Up to the next region whose pages may move.
    fn vma(&mut self, w: &mut World, cx: &Context) -> Flow {
        while (self.region as usize) < regions(w, cx) {
            if self.page < w.processes.region(cx.process, self.region).pages && may_move(w, cx) {
                self.pt = TwPt::Slice;
                return Flow::Next;
            }
            (self.region, self.page) = (self.region + 1, 0);
        }
        self.whole(w, cx);
        self.pt = TwPt::End;
        Flow::Next
    }

    fn slice(&mut self, w: &mut World, cx: &Context) -> Flow {
        let pages = w.processes.region(cx.process, self.region).pages;
        let huge = 1 << w.mem.pageblock_order;
        let end = self.page.saturating_add(task(w, cx).scan.pages);
        self.end = end.next_multiple_of(huge).min(pages);
        task(w, cx).scan.start = self.page;
        (self.marked, self.pt) = (0, TwPt::Mark);
        Flow::Next
    }

    fn mark(&mut self, w: &mut World, cx: &Context) -> Flow {
        let huge = 1u32 << w.mem.pageblock_order;
        let to = (self.page + 1).next_multiple_of(huge).min(self.end);
        let spares = spared_node(w, cx, self.region);
        let rules = crate::numa::rules(&w.facts);
        let World {
            processes,
            mem,
            numa,
            ..
        } = &mut *w;
        let by_references = rules.is_some_and(|rules| rules.exclusive == Exclusive::ByReferences);
        let may = |frame: u32, huge: bool| {
            let page = mem.pages[frame as usize];
            if huge {
                return true;
            }
            let node = mem.zones[usize::from(page.zone())].node;
            match page.kind() {
                PageKind::File => !page.has(flag::DIRTY),
                _ => {
                    let referred = page.owner == SWAP_OWNER
                        || page.meta & (flag::ISOLATED | flag::LOCKED) != 0
                        || numa.vectors.iter().any(|v| v.holds(frame));
                    Some(node) != spares && !(by_references && referred)
                }
            }
        };
        let place = (cx.process, self.region);
        let marked = processes.mark_hinting(place, (self.page, to), may);
        w.spend(w.facts.cost.numa_mark.saturating_mul(marked.seen));
        w.counters.numa_pte_updates += u64::from(marked.pages);
        w.counters.numa_huge_pte_updates += u64::from(marked.huge);
        if marked.seen > 0 {
            w.record(NumaMarked {
                region: self.region.into(),
                from: self.page.into(),
                to: (to - 1).into(),
                marked: marked.pages.into(),
                seen: marked.seen.into(),
            });
        }
        self.marked += marked.pages;
        self.page = to;
        if to == self.end {
            self.pt = TwPt::Flush;
        }
        Flow::Next
    }

    fn flush(&mut self, w: &mut World, cx: &Context) -> Flow {
        if self.marked > 0 {
            w.spend(w.facts.cost.tlb_flush_all);
        }
        let (end, marked) = (self.end, self.marked);
        let scan = &mut task(w, cx).scan;
        let span = end - scan.start;
        scan.marked += marked;
        if marked > 0 {
            scan.pages = scan.pages.saturating_sub(span);
        }
        scan.span = scan.span.saturating_sub(span);
        let over = scan.pages == 0 || scan.span == 0;
        self.pt = match over {
            true => TwPt::End,
            false if self.page < w.processes.region(cx.process, self.region).pages => TwPt::Slice,
            false => TwPt::Vma,
        };
        if self.pt == TwPt::Vma {
            (self.region, self.page) = (self.region + 1, 0);
        }
        Flow::Next
    }

    /// The end of the address space: the next scan begins at the front (`reset_ptenuma_scan`).
    fn whole(&mut self, w: &mut World, cx: &Context) {
        (self.region, self.page) = (0, 0);
        let scan = mm(w, cx);
        scan.seq += 1;
        let seq = scan.seq.into();
        w.record(NumaScanWhole { task: cx.task, seq });
    }

    fn end(&mut self, w: &mut World, cx: &Context) -> Flow {
        let scan = mm(w, cx);
        (scan.region, scan.page) = (self.region, self.page);
        let Budget { pages, marked, .. } = task(w, cx).scan;
        w.record(NumaScanEnds {
            task: cx.task,
            marked: marked.into(),
            left: pages.into(),
        });
        self.pt = TwPt::Cost;
        Flow::Next
    }
}

/// Run time of the task as of the last tick, which brings it up to date (`sum_exec_runtime`), ns.
fn ran_at_tick(w: &World, cx: &Context) -> u64 {
    let ran = w.sched.cpu_time(cx.task, (w.cpu, w.now));
    let since_tick = w.now - w.jiffy_ns(w.jiffies());
    (ran.saturating_sub(since_tick)).max(w.sched.ran(cx.task))
}

fn task<'w>(w: &'w mut World, cx: &Context) -> &'w mut NumaTask {
    &mut w.numa.tasks[cx.task as usize]
}

fn mm<'w>(w: &'w mut World, cx: &Context) -> &'w mut MmScan {
    &mut w.processes.all[cx.process as usize].scan
}

fn regions(w: &World, cx: &Context) -> usize {
    w.processes.all[cx.process as usize].space.regions.len()
}

/// May the task's pages be moved for balancing (`vma_policy_mof`)? Not under a memory policy that says
/// where they lie. One that is bound to a node's CPUs and takes memory from there, with others to follow,
/// has the default policy: its memory is local.
fn may_move(w: &World, cx: &Context) -> bool {
    let is_local = match cx.bound_node {
        u8::MAX => true,
        node => usize::from(node) < w.facts.layout.nodes.len() && cx.allowed == u16::MAX,
    };
    is_local && cx.interleave == u16::MAX
}

/// The node whose pages are not marked: that of the scan, where nobody else uses this private mapping.
fn spared_node(w: &World, cx: &Context, region: u32) -> Option<u8> {
    let private = w.processes.region(cx.process, region).backing == Backing::Anon;
    let alone = w.processes.all[cx.process as usize].users() == 1;
    let spares =
        crate::numa::rules(&w.facts).is_some_and(|r| r.period == ScanPeriod::ByResidentSize);
    (private && alone && spares).then(|| w.local_node())
}
