//! Waits of reclaimers: how long the kernels wait, what ends a wait, and what each part of the
//! series of October 2021 changes on its own.

use crate::small;
use facts::index::FrameIndex;
use mm::index::{NodeIndex, TaskIndex, ZoneIndex};

use std::collections::{BTreeMap, BTreeSet};

use mm::experiment::{Experiment, preset};
use mm::frames::{Context, Frame, Left};
use mm::kernel::find;
use mm::machine::{Machine, SchedWaking, TaskKind};
use mm::mmzone::{Gauge, LRU_INACTIVE_FILE};
use mm::record::{Declared, Record, RecordKind};
use mm::rng::Rng;
use mm::slowpath::ReclaimRetryPending;
use mm::stack::Stack;
use mm::vmscan::direct::WakeProgress;
use mm::vmscan::inactive::TooManyIsolated;
use mm::vmscan::throttle::{
    CongestionWait, MmVmscanThrottled, Reason, ReclaimThrottle, WaitEndedByIsolation,
    WaitEndedByProgress, WaitEndedByWrite, WaitTimedOut, WakeWritten, WritebackCongestionWait,
    WritebackWaitIffCongested, acct_reclaim_writeback, skip_throttle_noprogress,
};
use serde_json::{Value, json};
use small::{X86, boot};

const TICK_NS: u64 = 4_000_000;
const SERIES: &str = "mm-reclaimcongest-v5r4";

/// A waiting task with its call frames.
struct Waiter {
    stack: Stack,
    cx: Context,
}

impl Waiter {
    /// Runs a wait until its task sleeps.
    fn sleeps(m: &mut Machine, task: u32, frame: Frame) -> Waiter {
        m.w.run.stop_at(u64::MAX);
        m.w.rec.on = true;
        m.w.task = TaskIndex::new(task);
        let cx = Context::new(TaskIndex::new(task), 0, Rng::stream(1, 1));
        let mut waiter = Waiter {
            stack: Stack::new(frame),
            cx,
        };
        assert_eq!(waiter.go(m), Left::Asleep);
        waiter
    }

    fn go(&mut self, m: &mut Machine) -> Left {
        loop {
            let (top, above) = self.stack.top().expect("a frame");
            match top.go(above, &mut m.w, &mut self.cx) {
                Left::Due => {}
                left => return left,
            }
        }
    }

    /// Runs the wait to its end.
    fn leaves(mut self, m: &mut Machine) {
        m.w.task = self.cx.task;
        assert_eq!(self.go(m), Left::Returned);
    }
}

fn small_machine(kernel: &str) -> Machine {
    boot(kernel, X86, &[&[(0, 4096)]], Value::Null)
}

fn throttled(m: &mut Machine, task: u32) -> Waiter {
    Waiter::sleeps(
        m,
        task,
        ReclaimThrottle::call(NodeIndex::new(0), Reason::Writeback),
    )
}

/// Ends this many writes of pages of the node. Returns the tasks that are woken.
fn written(m: &mut Machine, pages: u32) -> BTreeSet<u32> {
    m.w.sched.wakes.clear();
    for _ in 0..pages {
        acct_reclaim_writeback(&mut m.w, NodeIndex::new(0));
    }
    m.w.sched.wakes.drain(..).map(TaskIndex::get).collect()
}

#[test]
fn the_number_of_written_pages_that_wakes_tasks_grows_with_their_number() {
    for (tasks, needs) in [(1, 33), (2, 65), (3, 97), (8, 257), (24, 769), (48, 1537)] {
        let mut m = small_machine(SERIES);
        let waiters: Vec<_> = (0..tasks).map(|task| throttled(&mut m, task)).collect();
        assert_eq!(written(&mut m, needs - 1), BTreeSet::new(), "{tasks}");
        assert_eq!(written(&mut m, 1), (0..tasks).collect(), "{tasks}");
        for waiter in waiters {
            waiter.leaves(&mut m);
        }
        let pgdat = &m.w.pgdat[NodeIndex::new(0)];
        assert_eq!(
            (pgdat.nr_writeback_throttled, pgdat.reclaim_wait.len()),
            (0, 0)
        );
    }
}

/// Pages for a later task count from the time at which the first task began to wait.
#[test]
fn a_task_that_waits_later_is_woken_by_fewer_pages() {
    let mut m = small_machine(SERIES);
    let a = throttled(&mut m, 0);
    assert!(written(&mut m, 20).is_empty());
    let b = throttled(&mut m, 1);
    assert_eq!(m.w.pgdat[NodeIndex::new(0)].nr_reclaim_start, 0);
    assert!(written(&mut m, 44).is_empty());
    assert_eq!(written(&mut m, 1), [0, 1].into());
    let c = throttled(&mut m, 2);
    assert!(written(&mut m, 31).is_empty());
    assert_eq!(written(&mut m, 1), [0, 1, 2].into());
    for waiter in [a, b, c] {
        waiter.leaves(&mut m);
    }
    let d = throttled(&mut m, 3);
    assert_eq!(m.w.pgdat[NodeIndex::new(0)].nr_reclaim_start, 97);
    d.leaves(&mut m);
}

/// A single page wakes a task that began to wait while the start count was stale.
#[test]
fn a_stale_start_count_wakes_a_task_at_the_next_page() {
    let mut m = small_machine(SERIES);
    let a = throttled(&mut m, 0);
    assert_eq!(written(&mut m, 33), [0].into());
    let b = throttled(&mut m, 1);
    a.leaves(&mut m);
    assert_eq!(written(&mut m, 1), [1].into());
    b.leaves(&mut m);
}

#[test]
fn pages_written_while_no_task_waits_are_not_counted() {
    let mut m = small_machine(SERIES);
    assert!(written(&mut m, 100).is_empty());
    let a = throttled(&mut m, 0);
    let pgdat = &m.w.pgdat[NodeIndex::new(0)];
    assert_eq!((pgdat.nr_throttled_written, pgdat.nr_reclaim_start), (0, 0));
    a.leaves(&mut m);
}

/// The timeout and delay (us) that a wait reports when it ends after this many ticks.
fn reported(kernel: &str, frame: Frame, ticks: u64) -> (i64, i64) {
    let mut m = small_machine(kernel);
    m.w.now = 1000 * TICK_NS;
    let waiter = Waiter::sleeps(&mut m, 0, frame);
    m.w.now += ticks * TICK_NS;
    waiter.leaves(&mut m);
    let new = m.w.rec.all::<MmVmscanThrottled>();
    let new = new.map(|(_, t)| (t.usec_timeout, t.usec_delayed)).next();
    let old = m.w.rec.all::<WritebackCongestionWait>();
    let old = old.map(|(_, t)| (t.usec_timeout, t.usec_delayed)).next();
    new.or(old).expect("a report")
}

/// 5.15 reports the ticks that passed; the series reports at most the timeout.
#[test]
fn a_wait_reports_the_ticks_in_5_15_and_at_most_the_timeout_in_the_series() {
    for (ticks, old, new) in [
        (3, 12_000, 12_000),
        (24, 96_000, 96_000),
        (26, 104_000, 100_000),
        (33, 132_000, 100_000),
    ] {
        let of_old = reported("5.15", CongestionWait::call(10), ticks);
        assert_eq!(of_old, (100_000, old), "{ticks}");
        let frame = ReclaimThrottle::call(NodeIndex::new(0), Reason::Writeback);
        assert_eq!(reported(SERIES, frame, ticks), (100_000, new), "{ticks}");
    }
    let of = |kernel, reason, ticks| {
        reported(
            kernel,
            ReclaimThrottle::call(NodeIndex::new(0), reason),
            ticks,
        )
    };
    assert_eq!(of(SERIES, Reason::Isolated, 6), (20_000, 20_000));
    assert_eq!(of(SERIES, Reason::NoProgress, 128), (500_000, 500_000));
}

/// 5.16-rc1 had no such rule.
#[test]
fn no_task_waits_for_progress_when_few_pages_await_io() {
    for (failures, reclaimable, pending, skips) in [
        (16, 100, 100, true),
        (0, 1000, 500, true),
        (0, 1000, 501, false),
        (0, 0, 0, true),
        (15, 1000, 600, false),
    ] {
        let mut m = small_machine("6.1");
        m.w.pgdat[NodeIndex::new(0)].kswapd_failures = failures;
        m.w.mem.zones[ZoneIndex::new(0)].lru[usize::from(LRU_INACTIVE_FILE)] = reclaimable;
        m.w.mem.count(FrameIndex::new(0), Gauge::Writeback, pending);
        assert_eq!(
            skip_throttle_noprogress(&m.w, NodeIndex::new(0)),
            skips,
            "{failures} {pending}"
        );
    }
    let mut m = small_machine(SERIES);
    Waiter::sleeps(
        &mut m,
        0,
        ReclaimThrottle::call(NodeIndex::new(0), Reason::NoProgress),
    )
    .leaves(&mut m);
}

/// Six hogs, three writers and a slow disk on 48 MiB: after some seconds every kind of wait has
/// occurred. Without swap only file pages can be reclaimed.
fn storm(kernel: &str, patches: &[&str], mib_a_second: u64, swap: bool) -> Log {
    let hog = json!([
        { "op": "map", "region": "heap", "size": if swap { "16%" } else { "11%" } },
        { "op": "repeat", "times": 4_000_000_000_u64, "do": [
            { "op": "touch", "region": "heap", "write": true },
        ] },
    ]);
    let writer = json!([
        { "op": "repeat", "times": 4_000_000_000_u64, "do": [
            { "op": "write", "file": "data", "chunk": "64 KiB" },
        ] },
    ]);
    // If reclaim finds no anonymous pages, most pages it finds may be dirty.
    let dirty_ratio = if swap { "20" } else { "90" };
    let swap = if swap { 16_384 } else { 0 };
    let raw = json!({
        "machine": {
            "id": "storm", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 12_288 }], "cpus": 4 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2011", "pcp": false,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "throttled", "bytes_per_s": mib_a_second << 20,
                "files": true, "swap": swap }],
        },
        "kernel": kernel, "patches": patches, "seed": 1, "length": "6s",
        "tunables": { "vm.min_free_kbytes": "256", "vm.dirty_ratio": dirty_ratio },
        "workload": { "id": "storm", "files": [{ "name": "data", "size": "64 MiB" }], "processes": [
            { "name": "writer", "count": 3, "program": writer },
            { "name": "hog", "count": 6, "program": hog },
        ] },
    });
    let experiment = Experiment::from_json(&raw.to_string());
    let mut m = Machine::boot(&experiment.expect("a valid experiment"));
    m.w.rec.on = true;
    m.w.rec.keeps = is_of_waits;
    let mut log = Vec::new();
    while !m.w.sched.ended {
        let next = (m.w.now / SLICE_NS + 1) * SLICE_NS;
        m.run(u64::MAX, next);
        log.extend(m.w.rec.records.drain(..));
    }
    let c = &m.w.counters;
    Log {
        hash: m.hash(),
        scanned: c.pgscan_direct,
        freed: c.pgsteal_direct,
        all: log,
    }
}

/// Records are stored in ring buffers, which do not fill up in this time.
const SLICE_NS: u64 = 1_000_000;

/// The waits of a run.
struct Log {
    hash: u64,
    /// Number of pages that direct reclaim scanned.
    scanned: u64,
    /// Number of pages that direct reclaim freed.
    freed: u64,
    all: Vec<Record>,
}

fn is_of_waits(kind: RecordKind) -> bool {
    matches!(
        kind,
        RecordKind::MmVmscanThrottled
            | RecordKind::WritebackCongestionWait
            | RecordKind::WritebackWaitIffCongested
            | RecordKind::TooManyIsolated
            | RecordKind::ReclaimRetryPending
            | RecordKind::WakeWritten
            | RecordKind::WakeIsolated
            | RecordKind::WakeProgress
            | RecordKind::WaitEndedByWrite
            | RecordKind::WaitEndedByIsolation
            | RecordKind::WaitEndedByProgress
            | RecordKind::WaitTimedOut
            | RecordKind::SchedWaking
    )
}

impl Log {
    fn of<R: Declared>(&self) -> impl Iterator<Item = (&Record, R)> {
        let all = self.all.iter();
        all.filter_map(|r| R::of(r).map(|event| (r, event)))
    }

    /// The number of waits by event, reason and timeout (us).
    fn waits(&self) -> BTreeMap<(&'static str, i64), usize> {
        let mut out = BTreeMap::new();
        let mut add = |name, timeout| *out.entry((name, timeout)).or_default() += 1;
        for (_, t) in self.of::<MmVmscanThrottled>() {
            let reasons = ["written", "isolated", "progress", "congested"];
            add(reasons[t.reason as usize], t.usec_timeout);
        }
        for (_, t) in self.of::<WritebackCongestionWait>() {
            add("congestion_wait", t.usec_timeout);
        }
        for (_, t) in self.of::<WritebackWaitIffCongested>() {
            add("wait_iff_congested", t.usec_timeout);
        }
        out
    }

    fn has(&self, name: &'static str, timeout: i64) -> bool {
        self.waits().contains_key(&(name, timeout))
    }
}

/// A run of the first `n` parts of the series on 5.15, with a disk of 8 MiB per second.
fn parts(n: usize) -> Log {
    let of = find(SERIES).expect("a kernel").patches;
    storm("5.15", &of[..n], 8, true)
}

/// 5.15: a task that should wait for a congested queue does not. One that must wait sleeps to the
/// timeout. A task that meets too many isolated pages sleeps.
#[test]
fn direct_reclaim_of_5_15_does_not_wait_for_congestion() {
    let log = parts(0);
    let direct: Vec<_> = log.of::<WritebackWaitIffCongested>().collect();
    assert!(!direct.is_empty());
    let at_once = direct.iter().filter(|(_, t)| t.usec_delayed == 0).count();
    assert!(
        at_once * 10 >= direct.len() * 9,
        "{at_once} of {}",
        direct.len()
    );
    let whole: Vec<_> = log.of::<WritebackCongestionWait>().collect();
    assert!(!whole.is_empty());
    assert!(whole.iter().all(|(_, t)| t.usec_delayed >= 104_000));
    let ticks = |us: i64| us % 4000 == 0;
    assert!(whole.iter().all(|(_, t)| ticks(t.usec_delayed)));
    assert!(direct.iter().all(|(_, t)| ticks(t.usec_delayed)));
    assert_eq!(log.of::<MmVmscanThrottled>().count(), 0);
    assert!(
        log.of::<TooManyIsolated>().count() > 0,
        "no task met too many isolated pages"
    );
}

/// Therefore its reclaimers scan pages under writeback again and again. With the same disk, load
/// and costs the series scans less than half as many pages, and frees more than half as many.
#[test]
fn reclaim_of_5_15_scans_twice_as_many_pages_as_the_series() {
    for (mib_a_second, swap) in [(8, true), (2, false)] {
        let (before, after) = (
            storm("5.15", &[], mib_a_second, swap),
            storm(SERIES, &[], mib_a_second, swap),
        );
        assert!(before.freed * 10 < before.scanned);
        assert!(after.scanned * 2 < before.scanned);
        assert!(after.freed * 2 > before.freed);
    }
}

#[test]
fn part_1_makes_reclaimers_wait_for_writes() {
    let log = parts(1);
    assert!(log.has("written", 100_000) && !log.has("wait_iff_congested", 100_000));
    assert!(!log.has("isolated", 100_000) && !log.has("progress", 100_000));
    assert!(
        log.of::<WakeWritten>().count() > 0,
        "no wait ended by writes"
    );
}

#[test]
fn part_2_wakes_tasks_that_wait_for_isolated_pages() {
    let (before, after) = (parts(1), parts(2));
    assert!(before.of::<TooManyIsolated>().count() > 0);
    assert!(!before.has("isolated", 100_000) && after.has("isolated", 100_000));
    assert!(after.of::<WaitEndedByIsolation>().count() > 0);
}

#[test]
fn part_3_makes_tasks_without_progress_wait() {
    assert!(!parts(2).has("progress", 100_000));
    let log = parts(3);
    assert!(log.has("progress", 100_000));
    // Any task that has reclaimed a page ends the wait.
    assert!(log.of::<WakeProgress>().all(|(_, wake)| wake.needs == 0));
    assert!(log.of::<WaitEndedByProgress>().count() > 0);
}

/// Writing takes no memory in the model: part 4 changes nothing, and the kernel is labelled
/// accordingly.
#[test]
fn part_4_changes_nothing_and_is_labelled_absent() {
    assert_eq!(parts(3).hash, parts(4).hash);
    let named = |kernel: &str| {
        let all = find(kernel).expect("a kernel").features.mechanisms();
        let found = all.into_iter().find(|m| m.name == "throttled writepages");
        found.map(|m| m.fidelity)
    };
    assert_eq!(named("5.15"), None);
    assert_eq!(named(SERIES), Some(mm::view::Fidelity::Absent));
}

/// Part 5 alone, on a machine without swap: before it, the allocator waits before it retries.
#[test]
fn part_5_removes_the_allocators_wait_before_a_retry() {
    let waits = |patches: &[&str]| {
        let log = storm("5.15", patches, 2, false);
        log.of::<ReclaimRetryPending>().count()
    };
    assert!(waits(&[]) > 0);
    assert_eq!(waits(&["no-retry-wait"]), 0);
}

#[test]
fn part_6_shortens_the_wait_for_isolated_pages() {
    let (before, after) = (parts(5), parts(6));
    assert!(before.has("isolated", 100_000) && !before.has("isolated", 20_000));
    assert!(after.has("isolated", 20_000) && !after.has("isolated", 100_000));
}

#[test]
fn part_7_lengthens_the_wait_for_progress() {
    let (before, after) = (parts(6), parts(7));
    assert!(before.has("progress", 100_000) && !before.has("progress", 500_000));
    assert!(after.has("progress", 500_000) && !after.has("progress", 100_000));
}

#[test]
fn part_8_wakes_tasks_after_progress_of_more_than_an_eighth() {
    let needs = |log: &Log| log.of::<WakeProgress>().map(|(_, wake)| wake.needs).max();
    assert_eq!(needs(&parts(7)), Some(0));
    assert!(needs(&parts(8)) > Some(0));
}

#[test]
fn the_correction_limits_waits_for_progress_to_one_tick() {
    let before = parts(8);
    let mut patches = find(SERIES).expect("a kernel").patches.to_vec();
    patches.push("noprogress-once");
    let after = storm("5.15", &patches, 8, true);
    let written = |log: &Log| {
        let direct = log.waits();
        (
            direct.contains_key(&("congested", 4000)),
            direct.contains_key(&("progress", 500_000)),
        )
    };
    assert_eq!(
        (written(&before), written(&after)),
        ((false, true), (true, false))
    );
    assert_eq!(parts(8).hash, storm(SERIES, &[], 8, true).hash);
}

/// The log has a cause and a waker for each wait that ended early, and a timer for each other wait. No
/// wait reports more than its timeout.
#[test]
fn the_log_names_the_event_that_ended_each_wait() {
    for log in [parts(3), parts(8), storm("6.1", &[], 8, true)] {
        let mut ends: BTreeMap<u32, (Option<i64>, usize)> = BTreeMap::new();
        let mut early = 0;
        for (at, r) in log.all.iter().enumerate() {
            let waker = WaitEndedByWrite::of(r).map(|end| (end.waker, end.delayed));
            let waker = waker.or(WaitEndedByIsolation::of(r).map(|end| (end.waker, end.delayed)));
            let waker = waker.or(WaitEndedByProgress::of(r).map(|end| (end.waker, end.delayed)));
            if let Some((waker, delayed)) = waker {
                let woken = log.all[..at].iter().rev().filter_map(SchedWaking::of);
                let woken = woken.into_iter().find(|woken| woken.task == r.task);
                assert_eq!(woken.map(|woken| woken.waker), Some(waker));
                ends.insert(r.task.get(), (Some(delayed), at));
            } else if WaitTimedOut::of(r).is_some() {
                ends.insert(r.task.get(), (None, at));
            } else if let Some(t) = MmVmscanThrottled::of(r) {
                let (delayed, _) = ends.remove(&r.task.get()).expect("what ended it");
                let reported = delayed.map_or(t.usec_timeout, |ticks| ticks * 4000);
                assert_eq!(t.usec_delayed, reported);
                assert!(t.usec_delayed <= t.usec_timeout && t.usec_delayed % 4000 == 0);
                early += usize::from(t.usec_delayed < t.usec_timeout);
            }
        }
        assert!(early > 0, "no wait ended early");
        for (_, wake) in log.of::<WakeWritten>() {
            assert!(wake.written > wake.needs && wake.needs == 32 * wake.tasks);
        }
    }
}

/// The faster writes end, the fewer waits for writes last to their timeout.
#[test]
fn a_faster_disk_ends_more_waits_for_writes() {
    let waits = |mib_a_second| {
        let log = storm("5.15", &["throttle-writeback"], mib_a_second, false);
        let all: Vec<_> = log.of::<MmVmscanThrottled>().map(|(_, t)| t).collect();
        let whole = all.iter().filter(|t| t.usec_delayed == t.usec_timeout);
        (whole.count(), all.len())
    };
    let speeds = [2, 4, 8, 32].map(waits);
    for pair in speeds.windows(2) {
        let [(slow, of_slow), (fast, of_fast)] = [pair[0], pair[1]];
        assert!(of_fast > 0 && slow * of_fast > fast * of_slow, "{speeds:?}");
    }
}

/// stutterp at teaching size, with many writers and hogs: tasks wait for each reason. Waits for
/// progress begin within three seconds of the first hogs, waits for writes once there are 48 workers.
#[test]
fn at_teaching_size_tasks_wait_for_every_reason_of_the_series() {
    let mut raw = preset("stutterp.teach").expect("a preset");
    raw.kernel = SERIES.to_string();
    let mut m = Machine::boot(&Experiment::new(raw).expect("valid"));
    let (mut hogs, mut first) = (None, BTreeMap::new());
    while !m.w.sched.ended {
        let now = m.w.now + 10_000_000;
        m.run(u64::MAX, now);
        let spawned = m.tasks.iter().any(|t| {
            matches!(t.kind, TaskKind::User { program, .. } if m.w.facts.programs[program as usize].name == "hog4")
        });
        hogs = hogs.or(spawned.then_some(now));
        for &(reason, _) in &m.w.pgdat[NodeIndex::new(0)].reclaim_wait {
            first.entry(reason).or_insert(now);
        }
    }
    let hogs = hogs.expect("hogs");
    assert!(first[&(Reason::NoProgress as u8)] < hogs + 3_000_000_000);
    let reasons: Vec<u8> = first.keys().copied().collect();
    let all = [Reason::Writeback, Reason::Isolated, Reason::NoProgress];
    assert_eq!(reasons, all.map(|reason| reason as u8), "{first:?}");
}
