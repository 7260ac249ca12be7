//! When a task scans: periods, and the tick that requests a scan (kernel/sched/fair.c: `task_tick_numa`,
//! `task_scan_min`, `task_scan_max`).
//!
//! Modelled: a scan is due by the task's run time and the process's next due time. In 3.8: the
//! period does not depend on the size of the process, and restarts at the first tick after it has
//! passed. In numa/core: a doubled period holds for one interval only.
//! Left out: nothing.
//! Invariants: a tick does not request another scan from a task until the task has scanned.

use crate::frames::NONE;
use crate::kernel::{CoreRules, Features, NumaPlacement, ScanPeriod};
use crate::numa::group::Group;
use crate::world::World;
use facts::index::TaskIndex;

/// `MAX_SCAN_WINDOW`: limit of what windows cover per second, MiB.
const MAX_SCAN_WINDOW_MIB: u64 = 2560;

/// The rule for how often tasks scan.
pub fn period(features: &Features) -> Option<ScanPeriod> {
    Some(features.numa_balancing.rules()?.period)
}

/// Do the scan rules of 3.8 apply?
pub fn is_fixed(features: &Features) -> bool {
    period(features) == Some(ScanPeriod::Fixed)
}

/// Does the scan period depend on the size of the process, as from 3.13 on?
pub fn follows_size(features: &Features) -> bool {
    !matches!(
        period(features),
        Some(ScanPeriod::Fixed | ScanPeriod::Core | ScanPeriod::Daemon)
    )
}

/// Does the duration of a scan delay the next one?
pub fn pays_for_scans(features: &Features) -> bool {
    let placement = features.numa_balancing.rules().map(|rules| rules.placement);
    follows_size(features) && placement != Some(NumaPlacement::V3_13)
}

/// The rules of numa/core, if this kernel has them.
pub fn core_rules(features: &Features) -> Option<CoreRules> {
    features.numa_balancing.rules()?.core
}

/// Time before the first scan, and a task's first period, ms (`sysctl_numa_balancing_scan_delay`).
pub fn scan_delay_ms(w: &World) -> u32 {
    limited(w.tunables.numa_scan_delay_ms)
}

/// A tunable limited to the kernel's int.
fn limited(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Resident memory of a process, in units of windows (`task_nr_scan_windows`).
fn windows(w: &World, process: u32) -> u32 {
    let window = window_pages(w);
    w.processes.all[process as usize]
        .space
        .rss
        .div_ceil(window)
        .max(1)
}

/// Number of pages in a window.
pub fn window_pages(w: &World) -> u32 {
    let page_kib = w.facts.layout.geometry.page_kib();
    limited(w.tunables.numa_scan_size_mb * 1024 / page_kib).max(1)
}

/// Minimum and maximum period of a process's tasks, ms (`task_scan_min`, `task_scan_max`).
pub fn periods_ms(w: &World, process: u32) -> (u32, u32) {
    let t = &w.tunables;
    if !follows_size(&w.facts.features) {
        return (
            limited(t.numa_scan_period_min_ms),
            limited(t.numa_scan_period_max_ms),
        );
    }
    let windows = windows(w, process);
    let at_once = (MAX_SCAN_WINDOW_MIB / t.numa_scan_size_mb.max(1)).max(1);
    let floor = limited(1000 / at_once);
    let least = (limited(t.numa_scan_period_min_ms) / windows).max(floor);
    let longest = limited(t.numa_scan_period_max_ms) / windows;
    (least, longest.max(least))
}

/// First period of a task, ms: longer if it shares pages (`task_scan_start`).
pub fn start_ms(w: &World, task: TaskIndex) -> u32 {
    let process = w.numa.tasks[task].process;
    let (least, _) = periods_ms(w, process);
    let group = stretching_group(w, task);
    group.map_or(least, |group| group.stretched(least).max(least))
}

/// The group whose shared faults lengthen a task's periods; `None` in 3.13.
fn stretching_group(w: &World, task: TaskIndex) -> Option<&Group> {
    match super::placement::is_3_13(w) {
        true => None,
        false => super::group::of(w, task),
    }
}

/// Maximum period of a task, ms: longer if it shares pages (`task_scan_max`).
pub fn longest_ms(w: &World, task: TaskIndex) -> u32 {
    let process = w.numa.tasks[task].process;
    let (_, longest) = periods_ms(w, process);
    let group = stretching_group(w, task);
    group.map_or(longest, |group| group.stretched(longest).max(longest))
}

/// This many ms in jiffies, rounded up (`msecs_to_jiffies`).
pub fn jiffies_of(w: &World, ms: u32) -> u64 {
    (u64::from(ms) * u64::from(w.facts.hz)).div_ceil(1000)
}

/// Runs at a tick that finds this task on a CPU (`task_tick_numa`). Requests a scan if the task has run long
/// enough and its process may be scanned.
pub fn task_tick_numa(w: &mut World, task: TaskIndex) {
    let Some(t) = w.numa.tasks.at(task) else {
        return;
    };
    let is_daemons = period(&w.facts.features) == Some(ScanPeriod::Daemon);
    if !w.numa.on || is_daemons || t.process == NONE || t.work {
        return;
    }
    let process = t.process;
    let ran = w.sched.cpu_time(task, (w.cpu, w.now));
    let period = u64::from(t.scan_period) * 1_000_000;
    if ran <= t.node_stamp + period {
        return;
    }
    let start = start_ms(w, task);
    let fixed = is_fixed(&w.facts.features);
    let is_core = core_rules(&w.facts.features).is_some();
    let (jiffies, due) = (
        w.jiffies(),
        w.processes.all[process as usize].scan.next_scan,
    );
    let t = &mut w.numa.tasks[task];
    if t.node_stamp == 0 || is_core {
        t.scan_period = start;
    }
    t.node_stamp = if fixed { ran } else { t.node_stamp + period };
    if jiffies >= due {
        t.work = true;
        w.add_task_work(task);
    }
}

/// Run time of a task as of the last tick, which updates it (`sum_exec_runtime`), ns.
pub fn ran_at_tick(w: &World, task: TaskIndex) -> u64 {
    let ran = w.sched.cpu_time(task, (w.cpu, w.now));
    let since_tick = w.now - w.jiffy_ns(w.jiffies());
    (ran.saturating_sub(since_tick)).max(w.sched.ran(task))
}
