//! Marking entries so that their next access faults (kernel/sched/fair.c: `task_numa_work`;
//! mm/mempolicy.c: `change_prot_numa`).
//!
//! Modelled: the process's next due time (`numa_next_scan`); a scan's window; which entries are
//! marked; a scan that took long delays the next one. In 3.8: a process is scanned only after a
//! scan was due on a node other than 0, the kernel's rule for an executed program; periods are
//! reset; no scan starts while a node has received too many pages. In numa/core: a process is
//! scanned once per minimum period; a scan that finds nothing after the end of the last one ends
//! the pass.
//! Left out: page-table locks and mmap_lock, so a scan never gives up; KSM and device pages.
//! Regions are adjacent, each aligned to a huge page. In kernel 3.8 a forked child that executes no
//! program remembers the node of its first scan instead of node 0.
//! Visible difference: for regions laid out differently, a window ends up to a huge page earlier or
//! later.
//! Invariants: a window marks at most its size and less than a huge page more; two scans of a
//! process are at least one period apart.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::kernel::{Features, ScanPeriod};
use crate::numa::filter::has_local_policy;
use crate::numa::mark;
use crate::numa::migrate::most_pages;
use crate::numa::tick::{
    core_rules, follows_size, is_fixed, jiffies_of, pays_for_scans, period, periods_ms,
    ran_at_tick, scan_delay_ms, window_pages,
};
use crate::numa::{MmScan, NumaTask};
use crate::record::decisions;
use crate::world::World;
use facts::index::NodeIndex;
use facts::state::State;

decisions! {
    NumaFirstScan { task: Task, due: Count }
        "The process of {task} has never been scanned: its first scan is due at jiffy {due}.";
    NumaScanEarly { task: Task, due: Count, jiffies: Count }
        "{task} does not scan: the time is jiffy {jiffies}, and the next scan is due at jiffy {due}.";
    NumaFirstNode { task: Task, node: Node }
        "{task} does not scan: no scan of its process has started on a node other than {node} yet.";
    NumaPeriodReset { task: Task, period_ms: Count, next: Count }
        "The scan period is reset: {task} scans every {period_ms} ms of its run time again. The next reset is at jiffy {next}.";
    NumaRateLimited { task: Task, node: Node }
        "{task} does not scan: too many pages moved to {node} recently, so newly marked pages could not move.";
    NumaScanClaimed { task: Task, period_ms: Count, next: Count }
        "{task} scans. The next scan of its process is due {period_ms} ms from now, at jiffy {next}.";
    NumaScanEnds { task: Task, marked: Count, left: Count }
        "{task} has marked {marked entry}. Its scan window has {left page} left.";
    NumaScanWhole { task: Task, seq: Count }
        "The scan reached the end of the address space: pass {seq} is done. The next scan begins at the start.";
}

/// A window covers at most this many times its size.
const SPAN: u32 = 8;
/// A scan delays the next one by this many times its own run time: 3 % of a CPU.
const COST_FACTOR: u64 = 32;
/// A scan of numa/core v18 covers at most this many times its window.
const CORE_SPAN: u32 = 2;
/// Time after which 3.8 resets the periods of a process, ms (`sysctl_numa_balancing_scan_period_reset`).
const RESET_MS: u32 = 60_000;

/// The rest of a scan's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Budget {
    /// Number of pages the scan may still mark.
    pub pages: u32,
    /// Number of pages the scan may still pass, marked or not.
    pub span: u32,
    /// First page of the current slice.
    pub start: u32,
    /// Number of entries marked.
    pub marked: u32,
    /// Run time of the task when the scan started, as of the last tick, ns.
    pub began: u64,
}

room! {
    TaskNumaWork: "task_numa_work" in "kernel/sched/fair.c" at "v6.1.20" line 2923;
    Simplified "A scan never gives up because of the address space's lock. Regions are adjacent, each aligned to a huge page." if |f| f.numa_balancing.rules().is_some();
    TwPt {
        Node 0 Plain "first_nid: return if it never ran on another node" if |f| is_fixed(f);
        Reset 0 Plain "numa_next_reset has passed: the minimum period again" if |f| is_fixed(f);
        First 0 Plain "never scanned: the first scan is due after a delay" if |f| follows_size(f);
        Gate 0 Plain "return unless due, else claim it and set the next time";
        Rate 0 Plain "migrate_ratelimited(): return" if |f| is_fixed(f);
        Vma 0 Plain "for each VMA from numa_scan_offset: may its pages move?";
        Slice 1 Plain "a slice, as long as the window, to a huge page's end";
        Mark 1 Yields "change_prot_numa(): mark the entries of one table";
        Flush 1 Plain "flush the TLB, count the slice against the window";
        End 0 Plain "record where to continue, at the end numa_scan_seq + 1";
        Cost 0 Yields "node_stamp + 32 times the run time this took" if |f| pays_for_scans(f);
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
    /// Current program point.
    pub pt: TwPt,
    /// Index of the region.
    pub region: u32,
    /// Next page of the slice.
    pub page: u32,
    /// End of the slice.
    pub end: u32,
    /// Number of entries marked in the slice; in 3.8 also the entries of its tables that map
    /// nothing.
    pub marked: u32,
}

impl TaskNumaWork {
    /// Frame of a scan that has not started.
    pub fn call(features: &Features) -> Frame {
        Frame::TaskNumaWork(Self {
            pt: match period(features) {
                Some(ScanPeriod::Fixed) => TwPt::Node,
                Some(ScanPeriod::Core) => TwPt::Gate,
                Some(ScanPeriod::ByResidentSize | ScanPeriod::Daemon) | None => TwPt::First,
            },
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
            TwPt::Node => self.node(w, cx),
            TwPt::Reset => self.reset(w, cx),
            TwPt::First => self.first(w, cx),
            TwPt::Gate => self.gate(w, cx),
            TwPt::Rate => self.rate(w, cx),
            TwPt::Vma => self.vma(w, cx),
            TwPt::Slice => self.slice(w, cx),
            TwPt::Mark => self.mark(w, cx),
            TwPt::Flush => self.flush(w, cx),
            TwPt::End => self.end(w, cx),
            TwPt::Cost => {
                let took = ran_at_tick(w, cx.task);
                let t = task(w, cx);
                t.node_stamp += COST_FACTOR * took.saturating_sub(t.scan.began);
                Flow::Ret
            }
        }
    }

    fn node(&mut self, w: &mut World, cx: &Context) -> Flow {
        task(w, cx).work = false;
        let node = w.local_node();
        let scan = mm(w, cx);
        if !scan.left_first_node && node == NodeIndex::new(0) {
            w.record(NumaFirstNode {
                task: cx.task,
                node,
            });
            return Flow::Ret;
        }
        scan.left_first_node = true;
        self.pt = TwPt::Reset;
        Flow::Next
    }

    fn reset(&mut self, w: &mut World, cx: &Context) -> Flow {
        self.pt = TwPt::Gate;
        let jiffies = w.jiffies();
        if jiffies <= mm(w, cx).next_reset {
            return Flow::Next;
        }
        let period_ms = periods_ms(w, cx.process).0;
        let next = jiffies + jiffies_of(w, RESET_MS);
        mm(w, cx).next_reset = next;
        task(w, cx).scan_period = period_ms;
        w.record(NumaPeriodReset {
            task: cx.task,
            period_ms: period_ms.into(),
            next: next as i64,
        });
        Flow::Next
    }

    /// Gives up if marked pages could not move (`migrate_ratelimited`). The claimed period is then
    /// lost.
    fn rate(&mut self, w: &mut World, cx: &Context) -> Flow {
        let node = w.local_node();
        let (jiffies, second) = (w.jiffies(), u64::from(w.facts.hz));
        let most = most_pages(w);
        let window = w.numa.windows.get(node.index());
        if window.is_some_and(|window| window.is_full(jiffies, second, most)) {
            w.record(NumaRateLimited {
                task: cx.task,
                node,
            });
            return Flow::Ret;
        }
        self.begin(w, cx)
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
        task(w, cx).work = false;
        let (jiffies, due) = (w.jiffies(), mm(w, cx).next_scan);
        if jiffies < due {
            w.record(NumaScanEarly {
                task: cx.task,
                due: due as i64,
                jiffies: jiffies as i64,
            });
            return Flow::Ret;
        }
        let is_core = core_rules(&w.facts.features).is_some();
        let period = if is_core {
            // The task's own period does not count.
            periods_ms(w, cx.process).0
        } else {
            task(w, cx).scan_period
        };
        let next = jiffies + jiffies_of(w, period);
        mm(w, cx).next_scan = next;
        w.record(NumaScanClaimed {
            task: cx.task,
            period_ms: period.into(),
            next: next as i64,
        });
        if is_fixed(&w.facts.features) {
            self.pt = TwPt::Rate;
            return Flow::Next;
        }
        if is_core {
            // This thread scans a little later next time, so that another thread can scan.
            task(w, cx).scan_period += (2 * 1000 / w.facts.hz).max(1);
            return self.begin(w, cx);
        }
        let tick = w.jiffy_ns(1);
        task(w, cx).node_stamp += 2 * tick;
        self.begin(w, cx)
    }

    /// Starts a window where the last one ended.
    fn begin(&mut self, w: &mut World, cx: &Context) -> Flow {
        let core = core_rules(&w.facts.features);
        let window = match core {
            Some(rules) if rules.adaptive_scan => super::converge::scan_pages(w, cx.task),
            _ => window_pages(w),
        };
        let times = match core {
            Some(rules) if rules.directed => CORE_SPAN,
            Some(_) => u32::MAX,
            None => SPAN,
        };
        let began = ran_at_tick(w, cx.task);
        let scan = mm(w, cx);
        (self.region, self.page) = (scan.region, scan.page);
        task(w, cx).scan = Budget {
            pages: window,
            span: window.saturating_mul(times),
            start: self.page,
            marked: 0,
            began,
        };
        self.pt = TwPt::Vma;
        if !follows_size(&w.facts.features) && self.is_behind(w, cx) {
            (self.region, self.page) = (self.region + 1, 0);
        }
        if self.region as usize >= regions(w, cx) {
            // The previous scan ended at the end of the last region.
            self.whole(w, cx);
        }
        Flow::Next
    }

    /// Did the previous scan end at the end of its region?
    fn is_behind(&self, w: &World, cx: &Context) -> bool {
        let regions = &w.processes.all[cx.process as usize].space.regions;
        let region = regions.get(self.region as usize);
        region.is_some_and(|region| self.page >= region.pages)
    }

    /// Finds the next region whose pages may move.
    fn vma(&mut self, w: &mut World, cx: &Context) -> Flow {
        let early = !follows_size(&w.facts.features);
        // v17 does not skip small regions.
        let small_too = core_rules(&w.facts.features).is_some_and(|rules| !rules.directed);
        let least = if early && !small_too {
            1 << w.mem.pageblock_order
        } else {
            0
        };
        // Kernels of 2012 check the policy only at the fault.
        let may = early || has_local_policy(w, cx);
        while (self.region as usize) < regions(w, cx) {
            let pages = w.processes.region(cx.process, self.region).pages;
            if self.page < pages && pages >= least && may {
                self.pt = TwPt::Slice;
                return Flow::Next;
            }
            (self.region, self.page) = (self.region + 1, 0);
        }
        if core_rules(&w.facts.features).is_none() {
            self.whole(w, cx);
        }
        self.pt = TwPt::End;
        Flow::Next
    }

    fn slice(&mut self, w: &mut World, cx: &Context) -> Flow {
        let pages = w.processes.region(cx.process, self.region).pages;
        let huge = 1 << w.mem.pageblock_order;
        self.end = slice_end(self.page, task(w, cx).scan.pages, huge).min(pages);
        task(w, cx).scan.start = self.page;
        (self.marked, self.pt) = (0, TwPt::Mark);
        Flow::Next
    }

    fn mark(&mut self, w: &mut World, cx: &Context) -> Flow {
        let huge = 1u32 << w.mem.pageblock_order;
        let to = (self.page + 1).next_multiple_of(huge).min(self.end);
        let whole = crate::numa::rules(&w.facts).is_some_and(|rules| rules.whole_tables);
        self.marked += if whole {
            mark::table(w, cx, self.region, (self.page, to))
        } else {
            mark::entries(w, cx, self.region, (self.page, to))
        };
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
        let early = !follows_size(&w.facts.features);
        let fixed = is_fixed(&w.facts.features);
        let scan = &mut task(w, cx).scan;
        let span = end - scan.start;
        if early {
            // Pages that are passed without being marked count in numa/core v18, but not in 3.8.
            scan.pages = scan.pages.saturating_sub(marked);
            scan.span = scan.span.saturating_sub(if fixed { 0 } else { span });
        } else {
            scan.marked += marked;
            if marked > 0 {
                scan.pages = scan.pages.saturating_sub(span);
            }
            scan.span = scan.span.saturating_sub(span);
        }
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

    /// Handles the end of the address space: the next scan begins at the start (`reset_ptenuma_scan`).
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
        if !pays_for_scans(&w.facts.features) {
            return Flow::Ret;
        }
        self.pt = TwPt::Cost;
        Flow::Next
    }
}

/// End of a slice that starts at a page, if the region is long enough.
fn slice_end(page: u32, window: u32, huge: u32) -> u32 {
    page.saturating_add(window).next_multiple_of(huge)
}

fn task<'w>(w: &'w mut World, cx: &Context) -> &'w mut NumaTask {
    &mut w.numa.tasks[cx.task]
}

fn mm<'w>(w: &'w mut World, cx: &Context) -> &'w mut MmScan {
    &mut w.processes.all[cx.process as usize].scan
}

fn regions(w: &World, cx: &Context) -> usize {
    w.processes.all[cx.process as usize].space.regions.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of a slice is rounded up to a huge page.
    #[test]
    fn slice_end_rounds_up_to_a_huge_page() {
        assert_eq!(slice_end(0, 700, 512), 1024);
        assert_eq!(slice_end(1024, 1024, 512), 2048);
    }
}
