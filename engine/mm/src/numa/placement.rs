//! Statistics of hinting faults, and how often a task scans (kernel/sched/fair.c: `task_numa_fault`,
//! `task_numa_placement`, `update_task_scan_period`).
//!
//! Modelled: faults by node, private and shared, decayed with each pass; the preferred node; the
//! scan period. In 3.8 only the scan period, which depends on the pages that moved.
//! Left out: what [`group`] leaves out.
//! Visible difference: see [`group`].
//! Invariants: a period computed from faults is between the task's minimum and maximum.

use crate::frames::Context;
use crate::kernel::NumaPlacement;
use crate::layout::NodeLayout;
use crate::numa::group;
use crate::numa::preferred::task_numa_migrate;
use crate::numa::rules;
use crate::numa::tick::{is_fixed, jiffies_of, longest_ms, periods_ms};
use crate::record::decisions;
use crate::world::World;
use facts::index::NodeIndex;
use facts::state::State;

decisions! {
    NumaSlower { task: Task, period_ms: Count }
        "The page did not move: {task} now scans every {period_ms} ms of its run time.";
    NumaPreferred { task: Task, node: Node, faults: Count }
        "{node} had the most faults of {task} or of its group ({faults}): it becomes the preferred node.";
    NumaPeriodDoubled { task: Task, period_ms: Count, failed: Count }
        "The last pass had no usable faults, or moves failed ({failed page}): {task} now scans every {period_ms} ms of its run time.";
    NumaPeriod { task: Task, period_ms: Count, was_ms: Count, private: Count, local: Count }
        "Of ten faults, {task} had {private} on private pages and {local} on pages of its node. Its scan period changes from {was_ms} ms to {period_ms} ms of its run time.";
}

/// `NUMA_PERIOD_SLOTS`: number of slots in a period.
const SLOTS: u64 = 10;
/// `NUMA_PERIOD_THRESHOLD`: from this many tenths on, a task scans less often.
const THRESHOLD: u64 = 7;
/// `NUMA_PERIOD_THRESHOLD` in 3.13.
const THRESHOLD_3_13: u64 = 3;

/// Faults of one node, in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Faults {
    /// Decayed faults: shared and private (`faults_mem`).
    pub mem: [u64; 2],
    /// Faults since the last pass (`faults_membuf`).
    pub buffer: [u64; 2],
    /// Decayed faults by the node of the CPU, weighted with the time the task ran (`faults_cpu`).
    pub cpu: [u64; 2],
    /// Faults by the node of the CPU since the last pass (`faults_cpubuf`).
    pub cpu_buffer: [u64; 2],
}

/// Statistics of a task's hinting faults (`struct task_struct`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TaskFaults {
    /// Faults on each node.
    pub nodes: Vec<Faults>,
    /// The node with most of the task's faults (`numa_preferred_nid`), `u8::MAX` before there is
    /// one.
    #[state(rest = NodeIndex::NONE)]
    pub preferred: NodeIndex,
    /// The last pass of the process that was counted for the task (`numa_scan_seq`).
    pub scan_seq: u32,
    /// When the task next searches for a better CPU, in jiffies (`numa_migrate_retry`).
    pub retry: u64,
    /// Faults since the period was last set: on other nodes, on the task's own node, and pages that
    /// could not be moved (`numa_faults_locality`).
    pub locality: [u64; 3],
    /// Sum of all decayed faults, in pages (`total_numa_faults`).
    pub total: u64,
    /// When the task was last placed, ns (`last_task_numa_placement`).
    pub placed_at: u64,
    /// Run time of the task when it was last placed, ns (`last_sum_exec_runtime`).
    pub placed_ran: u64,
    /// Number of shared pages on other nodes that will still not be moved (`numa_migrate_deferred`,
    /// 3.13).
    pub deferred: u32,
}

impl Default for TaskFaults {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            preferred: NodeIndex::NONE,
            scan_seq: 0,
            retry: 0,
            locality: [0; 3],
            total: 0,
            placed_at: 0,
            placed_ran: 0,
            deferred: 0,
        }
    }
}

/// A hinting fault that was handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Node of the page after the fault.
    pub node: NodeIndex,
    /// Number of base pages.
    pub pages: u32,
    /// True if no other task faulted on the page before.
    pub private: bool,
    /// Low 8 bits of the number of the task that last faulted on the page.
    pub last: u8,
    /// True if the entry may be written.
    pub writable: bool,
    /// True if the page was on the node of the fault before any move.
    pub local: bool,
    /// True if the page was moved; `None` if no move was tried.
    pub moved: Option<bool>,
}

/// Updates the task's statistics after a hinting fault (`task_numa_fault`). Does nothing once balancing is
/// switched off.
pub fn task_numa_fault(w: &mut World, cx: &Context, fault: Fault) {
    if !w.numa.on {
        return;
    }
    if is_fixed(&w.facts.features) {
        return slow_down(w, cx, fault.moved == Some(true));
    }
    let nodes = w.facts.layout.nodes.len();
    let jiffies = w.jiffies();
    let faults = &mut w.numa.tasks[cx.task].faults;
    faults.nodes.resize(nodes, Faults::default());
    let retry = faults.retry;
    let mut private = fault.private;
    if !private && fault.writable {
        private = group::join(w, cx.task, fault.last);
    }
    let here = w.local_node();
    // All nodes that a group uses count as equally good.
    let is_shared_local = !private
        && !is_3_13(w)
        && group::of(w, cx.task)
            .is_some_and(|g| g.active > 1 && g.uses(here) && g.uses(fault.node));
    if is_3_13(w) {
        // Every pass updates the placement; only a repeated search for a CPU has to wait.
        let was = w.numa.tasks[cx.task].faults.preferred;
        task_numa_placement(w, cx);
        let preferred = w.numa.tasks[cx.task].faults.preferred;
        if jiffies > retry || preferred != was {
            numa_migrate_preferred(w, cx);
        }
    } else if jiffies > retry {
        task_numa_placement(w, cx);
        numa_migrate_preferred(w, cx);
    }
    let faults = &mut w.numa.tasks[cx.task].faults;
    let pages = u64::from(fault.pages);
    if fault.moved == Some(false) {
        faults.locality[2] += pages;
    }
    let kind = usize::from(private);
    faults.nodes[fault.node.index()].buffer[kind] += pages;
    faults.nodes[here.index()].cpu_buffer[kind] += pages;
    faults.locality[usize::from(fault.local || is_shared_local)] += pages;
}

/// The same in 3.8, which counts nothing. Each fault that moved no page makes the task scan less
/// often. This includes a fault on a huge page that need not move, where the kernel's result
/// depends on chance.
fn slow_down(w: &mut World, cx: &Context, moved: bool) {
    let seq = w.processes.all[cx.process as usize].scan.seq;
    let longest = periods_ms(w, cx.process).1;
    let ten_ticks = 10 * 1000 / w.facts.hz;
    let task = &mut w.numa.tasks[cx.task];
    task.faults.scan_seq = seq;
    if moved {
        return;
    }
    task.scan_period = task.scan_period.saturating_add(ten_ticks).min(longest);
    let period_ms = task.scan_period.into();
    w.record(NumaSlower {
        task: cx.task,
        period_ms,
    });
}

/// Runs once per pass: decays the statistics of the task and its group, and makes the node with most faults
/// the preferred one (`task_numa_placement`).
fn task_numa_placement(w: &mut World, cx: &Context) {
    let seq = w.processes.all[cx.process as usize].scan.seq;
    if w.numa.tasks[cx.task].faults.scan_seq == seq {
        return;
    }
    let (least, _) = periods_ms(w, cx.process);
    let longest = longest_ms(w, cx.task);
    let share = run_share(w, cx);
    let is_3_13 = is_3_13(w);
    let numa = &mut w.numa;
    let task = &mut numa.tasks[cx.task];
    task.faults.scan_seq = seq;
    let mut group = numa.groups.get_mut(task.group as usize);
    let mut kinds = [0; 2];
    let mut best = (0, NodeIndex::NONE);
    let known = &mut task.faults;
    let all_faults = known.locality[0] + known.locality[1] + 1;
    for (node, faults) in NodeIndex::all(known.nodes.len()).zip(&mut known.nodes) {
        for (kind, sum) in kinds.iter_mut().enumerate() {
            let new = std::mem::take(&mut faults.buffer[kind]);
            let was = faults.mem[kind];
            // Subtracts half, rounded down, so a single fault never disappears. 3.13 rounds up.
            let less = if is_3_13 { was.div_ceil(2) } else { was / 2 };
            faults.mem[kind] = was - less + new;
            let new_cpu = share * std::mem::take(&mut faults.cpu_buffer[kind]) / all_faults;
            let was_cpu = faults.cpu[kind];
            faults.cpu[kind] = was_cpu - was_cpu / 2 + new_cpu;
            known.total = known.total + new - less;
            if let Some(group) = &mut group {
                let (mem, cpu) = ((new, less), (new_cpu, was_cpu / 2));
                group::account(group, node.index(), kind, mem, cpu);
            }
            *sum += new;
        }
        let all = faults.mem[0] + faults.mem[1];
        if all > best.0 {
            best = (all, node);
        }
    }
    if let Some(group) = group {
        best = group::preferred(group).unwrap_or((0, NodeIndex::NONE));
    }
    let (faults, node) = best;
    let node = match rules(&w.facts) {
        Some(rules) if rules.prefers_cpus => {
            let layout = &w.facts.layout;
            nearest_with_cpus(&layout.nodes, &layout.distances, node)
        }
        _ => node,
    };
    let task = &mut w.numa.tasks[cx.task];
    if faults > 0 && task.faults.preferred != node {
        task.faults.preferred = node;
        w.record(NumaPreferred {
            task: cx.task,
            node,
            faults: faults as i64,
        });
    }
    update_task_scan_period(w, cx, kinds, (least, longest));
}

/// Do the placement rules of 3.13 apply?
pub(super) fn is_3_13(w: &World) -> bool {
    rules(&w.facts).is_some_and(|rules| rules.placement == NumaPlacement::V3_13)
}

/// The node itself if it has CPUs, else the nearest node with CPUs; the first of several equally
/// near nodes.
fn nearest_with_cpus(nodes: &[NodeLayout], distances: &[Vec<u8>], node: NodeIndex) -> NodeIndex {
    let Some(distances) = distances.get(node.index()) else {
        return node;
    };
    if !nodes[node.index()].cpus.is_empty() {
        return node;
    }
    let with_cpus = NodeIndex::all(nodes.len())
        .zip(nodes)
        .filter(|(_, n)| !n.cpus.is_empty());
    let nearest = with_cpus.min_by_key(|&(to, _)| distances[to.index()]);
    nearest.map_or(node, |(to, _)| to)
}

/// Share of the time since its last placement that a task ran, as a fixed-point number with 16 fraction bits
/// (`numa_get_avg_runtime`). At the first placement the kernel uses the scheduler's average; here it is a
/// whole CPU.
fn run_share(w: &mut World, cx: &Context) -> u64 {
    /// `LOAD_AVG_MAX`
    const LOAD_AVG_MAX: u64 = 47_742;
    let ran = w.sched.cpu_time(cx.task, (w.cpu, w.now));
    let now = w.now;
    let faults = &mut w.numa.tasks[cx.task].faults;
    let (time, period) = match faults.placed_at {
        0 => (LOAD_AVG_MAX, LOAD_AVG_MAX),
        // The CPUs' clocks differ: a negative time counts as 0, as in the kernel.
        at => (
            ran.saturating_sub(faults.placed_ran),
            now.saturating_sub(at),
        ),
    };
    (faults.placed_at, faults.placed_ran) = (now, ran);
    ((time << 16) / (period + 1)).min(1 << 16)
}

/// Sets how often the task scans from now on (`update_task_scan_period`).
fn update_task_scan_period(
    w: &mut World,
    cx: &Context,
    [shared, private]: [u64; 2],
    (least, longest): (u32, u32),
) {
    let task = &w.numa.tasks[cx.task];
    let (was, [remote, local, failed]) = (task.scan_period, task.faults.locality);
    let found = Seen {
        shared,
        private,
        remote,
        local,
        failed,
    };
    let is_3_13 = is_3_13(w);
    let (period, doubled) = match is_3_13 {
        true => (
            found.next_period_3_13(was, least, longest),
            found.is_blind_3_13(),
        ),
        false => (found.next_period(was, least, longest), found.is_blind()),
    };
    let task = &mut w.numa.tasks[cx.task];
    task.scan_period = period;
    if doubled {
        let due = w.jiffies() + jiffies_of(w, period);
        w.processes.all[cx.process as usize].scan.next_scan = due;
        w.record(NumaPeriodDoubled {
            task: cx.task,
            period_ms: period.into(),
            failed: failed as i64,
        });
        return;
    }
    task.faults.locality = [0; 3];
    w.record(NumaPeriod {
        task: cx.task,
        period_ms: period.into(),
        was_ms: was.into(),
        private: found.private_of_ten() as i64,
        local: found.local_of_ten() as i64,
    });
}

/// Numbers of faults in one pass, in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    shared: u64,
    private: u64,
    remote: u64,
    local: u64,
    failed: u64,
}

impl Seen {
    /// Do the faults say nothing about locality, or did some moves fail?
    const fn is_blind(&self) -> bool {
        self.local + self.shared == 0 || self.failed > 0
    }

    fn private_of_ten(&self) -> u64 {
        self.private * SLOTS / (self.private + self.shared).max(1)
    }

    fn local_of_ten(&self) -> u64 {
        self.local * SLOTS / (self.local + self.remote).max(1)
    }

    /// The same for 3.13, which ignores failed moves.
    const fn is_blind_3_13(&self) -> bool {
        self.local + self.shared == 0
    }

    /// The period that follows `was` in 3.13, ms. Local faults decide; the larger the share of
    /// shared faults, the less a period shrinks.
    fn next_period_3_13(&self, was: u32, least: u32, longest: u32) -> u32 {
        if self.is_blind_3_13() {
            return was.saturating_mul(2).min(longest);
        }
        let slot = u64::from(was).div_ceil(SLOTS);
        let (local, was) = (self.local_of_ten(), u64::from(was));
        let period = if local >= THRESHOLD_3_13 {
            was + (local - THRESHOLD_3_13).max(1) * slot
        } else {
            let private = (self.private * SLOTS).div_ceil((self.private + self.shared).max(1));
            was.saturating_sub((THRESHOLD_3_13 - local) * slot * private / SLOTS)
        };
        period.clamp(least.into(), longest.into()) as u32
    }

    /// The period that follows `was`, ms.
    fn next_period(&self, was: u32, least: u32, longest: u32) -> u32 {
        if self.is_blind() {
            return was.saturating_mul(2).min(longest);
        }
        let slot = u64::from(was).div_ceil(SLOTS);
        let (private, local) = (self.private_of_ten(), self.local_of_ten());
        let was = u64::from(was);
        let more = |of_ten: u64| was + (of_ten - THRESHOLD).max(1) * slot;
        let period = if private >= THRESHOLD {
            more(private)
        } else if local >= THRESHOLD {
            more(local)
        } else {
            was.saturating_sub((THRESHOLD - local.max(private)) * slot)
        };
        period.clamp(least.into(), longest.into()) as u32
    }
}

/// Searches for a CPU on the preferred node, unless the task already runs there. The interval to the next
/// search depends on the scan period (`numa_migrate_preferred`).
fn numa_migrate_preferred(w: &mut World, cx: &Context) {
    let hz = u64::from(w.facts.hz);
    let jiffies = w.jiffies();
    let task = &w.numa.tasks[cx.task];
    if task.faults.preferred.is_none() {
        return;
    }
    let interval = match is_3_13(w) {
        true => hz,
        false => (jiffies_of(w, task.scan_period) / 16).min(hz),
    };
    w.numa.tasks[cx.task].faults.retry = jiffies + interval;
    if w.numa.tasks[cx.task].faults.preferred != w.local_node() && w.facts.balances {
        task_numa_migrate(w, cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::index::CpuIndex;

    /// The cases list local, remote, private and shared faults with the threshold of 3.13, then the
    /// next period.
    #[test]
    fn computes_the_next_scan_period_of_3_13_from_local_faults() {
        let table = [
            ([100, 0, 100, 0], 1700),
            ([70, 30, 100, 0], 1400),
            ([30, 70, 100, 0], 1100),
            ([29, 71, 100, 0], 900),
            ([0, 100, 50, 50], 850),
            ([0, 100, 0, 100], 1000),
            ([0, 100, 100, 0], 2000),
        ];
        for ([local, remote, private, shared], next) in table {
            let seen = Seen {
                shared,
                private,
                remote,
                local,
                failed: 1,
            };
            assert_eq!(seen.next_period_3_13(1000, 100, 5000), next, "{seen:?}");
        }
    }

    /// Columns: period; local, remote, private, shared and failed faults; minimum; the next period.
    #[test]
    fn computes_the_next_period_from_private_local_and_failed_faults() {
        let table = [
            (1000, [0, 51_198, 51_198, 0, 0], 1000, 2000),
            (1000, [100, 0, 100, 0, 0], 100, 1300),
            (1000, [0, 100, 50, 50, 0], 100, 800),
            (1000, [80, 20, 60, 40, 0], 100, 1100),
            (1000, [50, 50, 0, 100, 0], 100, 800),
            (1000, [0, 100, 0, 100, 0], 100, 300),
            (1000, [80, 20, 60, 40, 1], 100, 2000),
        ];
        for (was, [local, remote, private, shared, failed], least, next) in table {
            let seen = Seen {
                shared,
                private,
                remote,
                local,
                failed,
            };
            assert_eq!(seen.next_period(was, least, 60_000), next, "{seen:?}");
        }
    }

    /// A period within its limits stays within them, whatever the faults were.
    #[test]
    fn next_period_stays_between_minimum_and_maximum() {
        let mut rng = crate::rng::Rng::stream(9, 0);
        let mut period = 1000;
        for _ in 0..100_000 {
            let mut some = || u64::from(rng.below(3) * rng.below(10_000));
            let seen = Seen {
                shared: some(),
                private: some(),
                remote: some(),
                local: some(),
                failed: some() / 20_000,
            };
            period = seen.next_period(period, 100, 60_000);
            assert!((100..=60_000).contains(&period), "{seen:?}: {period}");
        }
    }

    /// A node without CPUs is replaced by the nearest node with CPUs; of equally near ones by the first.
    #[test]
    fn prefers_the_nearest_node_that_has_cpus() {
        let node = |cpus: &[CpuIndex]| NodeLayout {
            id: 0,
            cpus: cpus.to_vec(),
            zones: Vec::new(),
        };
        let nodes = [
            node(&[CpuIndex::new(0)]),
            node(&[CpuIndex::new(1)]),
            node(&[]),
            node(&[CpuIndex::new(2)]),
        ];
        let nearest = |row: [u8; 4], from| {
            let others = [vec![10, 20, 20, 20], vec![20, 10, 20, 20]];
            let distances = [&others[..], &[row.to_vec(), vec![20, 20, 20, 10]]].concat();
            nearest_with_cpus(&nodes, &distances, from)
        };
        assert_eq!(
            nearest([20, 15, 10, 30], NodeIndex::new(2)),
            NodeIndex::new(1)
        );
        assert_eq!(
            nearest([20, 20, 10, 20], NodeIndex::new(2)),
            NodeIndex::new(0)
        );
        assert_eq!(
            nearest([20, 15, 10, 30], NodeIndex::new(1)),
            NodeIndex::new(1)
        );
        assert_eq!(nearest([20, 15, 10, 30], NodeIndex::NONE), NodeIndex::NONE);
    }
}
