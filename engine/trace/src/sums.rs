//! The sums that the kernel's own scripts make of a trace.
//!
//! Modelled: the counting rules of trace-vmscan-postprocess.pl and trace-pagealloc-postprocess.pl,
//! without `--ignore-pid`. Left out: their tables by task. Visible difference: for a kswapd that
//! sleeps before its first wake-up, the script adds the whole clock; both that sum and the correct
//! one are reported. The script leaves out all stalls of a task whose first event is the end of a
//! reclaim, and counts a second end again; here an end without a begin is not counted. Invariants:
//! every event is counted, including events that are not stored.

use std::collections::BTreeMap;

use mm::record::RecordKind;
use serde::Serialize;

/// The maximum number of stalls that are stored to compute the median.
const MOST_STALLS: usize = 1 << 20;

/// Scanned pages, by the rule of the script of a kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Scanned {
    /// 2.6.37: of all lists.
    #[serde(rename = "2.6.37")]
    pub all: u64,
    /// 3.0: without isolate_mode 1, the active lists.
    #[serde(rename = "3.0")]
    pub without_one: u64,
    /// 3.2 to 6.1: without isolate_mode 2.
    #[serde(rename = "3.2")]
    pub without_two: u64,
    /// 6.12: of inactive lists, by their name.
    #[serde(rename = "6.12")]
    pub inactive: u64,
}

/// Pages that were written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Of files, and waited for.
    pub file_sync: u64,
    /// Anonymous, and waited for.
    pub anon_sync: u64,
    /// Of files.
    pub file_async: u64,
    /// Anonymous.
    pub anon_async: u64,
}

/// Tasks that reclaimed directly.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Direct {
    /// Direct reclaims.
    pub reclaims: u64,
    /// Pages scanned.
    pub scanned: Scanned,
    /// Pages reclaimed.
    pub reclaimed: u64,
    /// Pages written.
    pub written: Written,
    /// Requests to wake kswapd.
    pub requests: u64,
    /// Time in direct reclaim, ns.
    pub stalled_ns: u64,
    /// The longest, ns.
    pub longest_ns: u64,
    /// The median, ns.
    pub median_ns: u64,
}

/// Tasks that woke as kswapd.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Kswapd {
    /// Wake-ups.
    pub wakes: u64,
    /// Wake-ups while it was awake.
    pub rewakes: u64,
    /// Pages scanned.
    pub scanned: Scanned,
    /// Pages reclaimed.
    pub reclaimed: u64,
    /// Pages written.
    pub written: Written,
    /// Time awake, ns.
    pub awake_ns: u64,
    /// The same by the script's rule, which adds the whole clock for a sleep without a preceding
    /// wake-up.
    pub awake_by_script_ns: u64,
}

/// The page allocator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pages {
    /// Blocks allocated.
    pub allocated: u64,
    /// Blocks taken under the zone's lock.
    pub locked: u64,
    /// Blocks freed one by one.
    pub freed: u64,
    /// Pages freed in batches.
    pub freed_batched: u64,
    /// Pages drained from per-cpu lists.
    pub drained: u64,
    /// Drains: runs of drained pages.
    pub drains: u64,
    /// Refills: runs of pages taken under the lock.
    pub refills: u64,
    /// Fallbacks to another migrate type.
    pub fallbacks: u64,
    /// Fallbacks that fragment a pageblock.
    pub fragmenting: u64,
    /// Fallbacks that changed the type of a pageblock.
    pub changed: u64,
    /// Fragmenting, from a block of order 3 or less.
    pub severe: u64,
    /// Fragmenting, from a larger block.
    pub moderate: u64,
}

/// All sums.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Direct reclaim.
    pub direct: Direct,
    /// kswapd.
    pub kswapd: Kswapd,
    /// The page allocator.
    pub pages: Pages,
}

#[derive(Debug, Default)]
struct OfTask {
    reclaims: u64,
    wakes: u64,
    rewakes: u64,
    requests: u64,
    scanned: Scanned,
    reclaimed: u64,
    written: Written,
    began_ns: Option<u64>,
    woke_ns: Option<u64>,
    awake_ns: u64,
    slept_first_ns: u64,
    is_draining: bool,
    is_refilling: bool,
}

/// Counts events.
#[derive(Debug, Default)]
pub struct Counting {
    tasks: BTreeMap<u32, OfTask>,
    pages: Pages,
    stalled_ns: u64,
    stalls: Vec<u64>,
    longest_ns: u64,
}

impl Counting {
    /// Counts an event of a task. `value` gives a number of its line by its key, `is_file` and `is_sync` what
    /// its reclaim flags say.
    pub fn event(
        &mut self,
        kind: Option<RecordKind>,
        task: u32,
        ns: u64,
        value: &dyn Fn(&str) -> Option<i64>,
        text: &dyn Fn(&str) -> bool,
    ) {
        let n = |key: &str| value(key).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        let of = self.tasks.entry(task).or_default();
        let pages = &mut self.pages;
        if kind != Some(RecordKind::MmPagePcpuDrain) && std::mem::take(&mut of.is_draining) {
            pages.drains += 1;
        }
        if kind != Some(RecordKind::MmPageAllocZoneLocked) && std::mem::take(&mut of.is_refilling) {
            pages.refills += 1;
        }
        match kind {
            Some(RecordKind::MmVmscanDirectReclaimBegin) => {
                of.reclaims += 1;
                of.began_ns = Some(ns);
            }
            Some(RecordKind::MmVmscanDirectReclaimEnd) => {
                if let Some(began) = of.began_ns.take() {
                    let stall = ns.saturating_sub(began);
                    add(&mut self.stalled_ns, stall);
                    self.longest_ns = self.longest_ns.max(stall);
                    if self.stalls.len() < MOST_STALLS {
                        self.stalls.push(stall);
                    }
                }
            }
            Some(RecordKind::MmVmscanWakeupKswapd) => of.requests += 1,
            Some(RecordKind::MmVmscanKswapdWake) if of.woke_ns.is_some() => of.rewakes += 1,
            Some(RecordKind::MmVmscanKswapdWake) => {
                of.wakes += 1;
                of.woke_ns = Some(ns);
            }
            Some(RecordKind::MmVmscanKswapdSleep) => match of.woke_ns.take() {
                Some(woke) => add(&mut of.awake_ns, ns.saturating_sub(woke)),
                None => add(&mut of.slept_first_ns, ns),
            },
            Some(RecordKind::MmVmscanLruIsolate) => {
                let (scanned, mode) = (n("nr_scanned"), value("isolate_mode"));
                let where_true = |is_counted: bool| if is_counted { scanned } else { 0 };
                of.scanned.add(Scanned {
                    all: scanned,
                    without_one: where_true(mode != Some(1)),
                    without_two: where_true(mode != Some(2)),
                    inactive: where_true(text("inactive_")),
                });
            }
            Some(RecordKind::MmVmscanLruShrinkInactive) => {
                add(&mut of.reclaimed, n("nr_reclaimed"))
            }
            Some(RecordKind::MmVmscanWritepage) => {
                let kind = match (text("RECLAIM_WB_FILE"), text("RECLAIM_WB_SYNC")) {
                    (true, true) => &mut of.written.file_sync,
                    (false, true) => &mut of.written.anon_sync,
                    (true, false) => &mut of.written.file_async,
                    (false, false) => &mut of.written.anon_async,
                };
                *kind += 1;
            }
            Some(RecordKind::MmPageAlloc) => pages.allocated += 1,
            Some(RecordKind::MmPageAllocZoneLocked) => {
                pages.locked += 1;
                of.is_refilling = true;
            }
            Some(RecordKind::MmPageFree) => pages.freed += 1,
            Some(RecordKind::MmPageFreeBatched) => pages.freed_batched += 1,
            Some(RecordKind::MmPagePcpuDrain) => {
                pages.drained += 1;
                of.is_draining = true;
            }
            Some(RecordKind::MmPageAllocExtfrag) => pages.fallback(&n),
            _ => {}
        }
    }

    /// The sums so far.
    pub fn sums(&self) -> Sums {
        let mut sums = Sums {
            pages: self.pages,
            ..Sums::default()
        };
        for of in self.tasks.values() {
            let by_script = &mut sums.kswapd.awake_by_script_ns;
            *by_script = by_script
                .saturating_add(of.awake_ns)
                .saturating_add(of.slept_first_ns);
            sums.pages.drains += u64::from(of.is_draining);
            sums.pages.refills += u64::from(of.is_refilling);
            if of.reclaims > 0 {
                let direct = &mut sums.direct;
                direct.reclaims += of.reclaims;
                direct.requests += of.requests;
                direct.scanned.add(of.scanned);
                add(&mut direct.reclaimed, of.reclaimed);
                direct.written.add(of.written);
            }
            if of.wakes > 0 {
                let kswapd = &mut sums.kswapd;
                kswapd.wakes += of.wakes;
                kswapd.rewakes += of.rewakes;
                add(&mut kswapd.awake_ns, of.awake_ns);
                kswapd.scanned.add(of.scanned);
                add(&mut kswapd.reclaimed, of.reclaimed);
                kswapd.written.add(of.written);
            }
        }
        let mut stalls = self.stalls.clone();
        let middle = stalls.len() / 2;
        if !stalls.is_empty() {
            sums.direct.median_ns = *stalls.select_nth_unstable(middle).1;
        }
        sums.direct.stalled_ns = self.stalled_ns;
        sums.direct.longest_ns = self.longest_ns;
        sums
    }
}

/// A hostile trace may have numbers whose sum overflows.
fn add(sum: &mut u64, n: u64) {
    *sum = sum.saturating_add(n);
}

impl Pages {
    fn fallback(&mut self, n: &dyn Fn(&str) -> u64) {
        self.fallbacks += 1;
        if n("fragmenting") != 0 {
            self.fragmenting += 1;
            match n("fallback_order") {
                0..=3 => self.severe += 1,
                _ => self.moderate += 1,
            }
        }
        self.changed += u64::from(n("change_ownership") != 0);
    }
}

impl Scanned {
    fn add(&mut self, other: Scanned) {
        add(&mut self.all, other.all);
        add(&mut self.without_one, other.without_one);
        add(&mut self.without_two, other.without_two);
        add(&mut self.inactive, other.inactive);
    }
}

impl Written {
    fn add(&mut self, other: Written) {
        self.file_sync += other.file_sync;
        self.anon_sync += other.anon_sync;
        self.file_async += other.file_async;
        self.anon_async += other.anon_async;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums of some lines: their clock in ms, their task and their event.
    fn of(lines: &[(u64, u32, RecordKind)]) -> Sums {
        let mut counting = Counting::default();
        for &(ms, task, kind) in lines {
            let one = |_: &str| Some(1);
            counting.event(Some(kind), task, ms * 1_000_000, &one, &|_| true);
        }
        counting.sums()
    }

    #[test]
    fn times_are_between_the_begin_and_the_end_of_one_task() {
        use RecordKind::{MmVmscanDirectReclaimBegin as Begin, MmVmscanDirectReclaimEnd as End};
        let direct = of(&[
            (5, 2, End),
            (10, 1, Begin),
            (11, 2, Begin),
            (13, 1, End),
            (20, 2, End),
        ])
        .direct;
        assert_eq!((direct.reclaims, direct.stalled_ns), (2, 12_000_000));
        assert_eq!(
            (direct.longest_ns, direct.median_ns),
            (9_000_000, 9_000_000)
        );
        use RecordKind::{MmVmscanKswapdSleep as Sleep, MmVmscanKswapdWake as Wake};
        let kswapd = of(&[
            (100, 1, Sleep),
            (110, 1, Wake),
            (111, 1, Wake),
            (115, 1, Sleep),
        ])
        .kswapd;
        assert_eq!((kswapd.wakes, kswapd.rewakes), (1, 1));
        assert_eq!(
            (kswapd.awake_ns, kswapd.awake_by_script_ns),
            (5_000_000, 105_000_000)
        );
    }

    #[test]
    fn sums_of_hostile_numbers_saturate() {
        let mut counting = Counting::default();
        let huge = |_: &str| Some(i64::MAX);
        for task in [1, 1, 1, 2] {
            for kind in [
                RecordKind::MmVmscanDirectReclaimBegin,
                RecordKind::MmVmscanLruIsolate,
                RecordKind::MmVmscanLruShrinkInactive,
                RecordKind::MmVmscanKswapdWake,
            ] {
                counting.event(Some(kind), task, 1, &huge, &|_| true);
            }
        }
        let sums = counting.sums();
        assert_eq!(sums.direct.reclaimed, u64::MAX);
        assert_eq!(sums.kswapd.scanned.inactive, u64::MAX);
    }

    #[test]
    fn counts_consecutive_drained_pages_of_a_task_as_one_drain() {
        use RecordKind::{MmPageAlloc as Alloc, MmPagePcpuDrain as Drain};
        let lines = [
            (1, 1, Drain),
            (2, 1, Drain),
            (2, 2, Alloc),
            (3, 1, Alloc),
            (4, 1, Drain),
        ];
        let pages = of(&lines).pages;
        assert_eq!((pages.drained, pages.drains, pages.allocated), (3, 2, 2));
    }
}
