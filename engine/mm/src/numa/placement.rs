//! What hinting faults say of a task, and how often it scans (kernel/sched/fair.c: `task_numa_fault`,
//! `task_numa_placement`, `update_task_scan_period`).
//!
//! Modelled: faults by node, private and shared, decayed with each pass; the preferred node; the scan
//! period. In 3.8 only the last, by what moved.
//! Left out: what [`group`] leaves out.
//! Who could tell: see there.
//! Invariants: a period that follows from faults is between the least and the longest of the task.

use crate::frames::Context;
use crate::kernel::NumaPlacement;
use crate::layout::NodeLayout;
use crate::numa::group;
use crate::numa::preferred::task_numa_migrate;
use crate::numa::rules;
use crate::numa::tick::{is_fixed, jiffies_of, longest_ms, periods_ms};
use crate::record::decisions;
use crate::world::World;
use facts::state::State;

decisions! {
    NumaSlower { task: Task, period_ms: Count }
        "The page did not move: {task} scans every {period_ms} ms of its run time.";
    NumaPreferred { task: Task, node: Node, faults: Count }
        "Most faults of {task} or its group, {faults}, were on {node}: that is its preferred node now.";
    NumaPeriodDoubled { task: Task, period_ms: Count, failed: Count }
        "The last pass had no faults to learn from, or moves failed ({failed} pages): {task} scans every {period_ms} ms of its run time.";
    NumaPeriod { task: Task, period_ms: Count, was_ms: Count, private: Count, local: Count }
        "Of ten faults, {private} were on pages of its own and {local} on pages of its node: {task} scans every {period_ms} ms, not {was_ms}.";
}

/// `NUMA_PERIOD_SLOTS`: parts of a period.
const SLOTS: u64 = 10;
/// `NUMA_PERIOD_THRESHOLD`: from so many parts of ten on a task scans less often.
const THRESHOLD: u64 = 7;
/// The same in 3.13.
const THRESHOLD_3_13: u64 = 3;

/// Faults of one node, in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Faults {
    /// Decayed: shared and private (`faults_mem`).
    pub mem: [u64; 2],
    /// Since the last pass (`faults_membuf`).
    pub buffer: [u64; 2],
    /// Decayed, by the node of the CPU, weighted with the time the task ran (`faults_cpu`).
    pub cpu: [u64; 2],
    /// The same since the last pass (`faults_cpubuf`).
    pub cpu_buffer: [u64; 2],
}

/// What a task's hinting faults were (`struct task_struct`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TaskFaults {
    /// By node.
    pub nodes: Vec<Faults>,
    /// The node with most of its faults (`numa_preferred_nid`), `u8::MAX` before it has one.
    #[state(rest = u8::MAX)]
    pub preferred: u8,
    /// Pass of the process it has seen last (`numa_scan_seq`).
    pub scan_seq: u32,
    /// When placement is looked at again, jiffies (`numa_migrate_retry`).
    pub retry: u64,
    /// Faults since the period was last set: on other nodes, on its own, and pages that could not be
    /// moved (`numa_faults_locality`).
    pub locality: [u64; 3],
    /// Its decayed faults, in pages (`total_numa_faults`).
    pub total: u64,
    /// When it was last placed, ns (`last_task_numa_placement`).
    pub placed_at: u64,
    /// How long it had run then, ns (`last_sum_exec_runtime`).
    pub placed_ran: u64,
    /// So many shared pages of other nodes stay yet (`numa_migrate_deferred`, 3.13).
    pub deferred: u32,
}

impl Default for TaskFaults {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            preferred: u8::MAX,
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

/// A fault that was handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Where the page is now.
    pub node: u8,
    /// Base pages.
    pub pages: u32,
    /// No other task faulted on it before.
    pub private: bool,
    /// Last 8 bits of the number of the one that did.
    pub last: u8,
    /// Its entry may be written.
    pub writable: bool,
    /// It was on the node of the fault before it moved.
    pub local: bool,
    /// It was moved; none where nobody tried.
    pub moved: Option<bool>,
}

/// A hinting fault was handled: what it says of the task (`task_numa_fault`). Nothing, once balancing is
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
    let faults = &mut w.numa.tasks[cx.task as usize].faults;
    faults.nodes.resize(nodes, Faults::default());
    let retry = faults.retry;
    let mut private = fault.private;
    if !private && fault.writable {
        private = group::join(w, cx.task, fault.last);
    }
    let here = w.local_node();
    // Within the nodes a group uses, each is as good as the other.
    let is_shared_local = !private
        && !is_3_13(w)
        && group::of(w, cx.task)
            .is_some_and(|g| g.active > 1 && g.uses(here) && g.uses(fault.node));
    if is_3_13(w) {
        // Each pass places; only a further look for a CPU waits.
        let was = w.numa.tasks[cx.task as usize].faults.preferred;
        task_numa_placement(w, cx);
        let preferred = w.numa.tasks[cx.task as usize].faults.preferred;
        if jiffies > retry || preferred != was {
            numa_migrate_preferred(w, cx);
        }
    } else if jiffies > retry {
        task_numa_placement(w, cx);
        numa_migrate_preferred(w, cx);
    }
    let faults = &mut w.numa.tasks[cx.task as usize].faults;
    let pages = u64::from(fault.pages);
    if fault.moved == Some(false) {
        faults.locality[2] += pages;
    }
    let kind = usize::from(private);
    faults.nodes[usize::from(fault.node)].buffer[kind] += pages;
    faults.nodes[usize::from(here)].cpu_buffer[kind] += pages;
    faults.locality[usize::from(fault.local || is_shared_local)] += pages;
}

/// The same in 3.8: nothing is counted, but with each fault that moved no page the task scans less often.
/// That is told of a huge page that need not move, too, of which the kernel leaves it to chance.
fn slow_down(w: &mut World, cx: &Context, moved: bool) {
    let seq = w.processes.all[cx.process as usize].scan.seq;
    let longest = periods_ms(w, cx.process).1;
    let ten_ticks = 10 * 1000 / w.facts.hz;
    let task = &mut w.numa.tasks[cx.task as usize];
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

/// Once a pass: decays what the task and its group know, and takes the node with most faults as the
/// preferred one (`task_numa_placement`).
fn task_numa_placement(w: &mut World, cx: &Context) {
    let seq = w.processes.all[cx.process as usize].scan.seq;
    if w.numa.tasks[cx.task as usize].faults.scan_seq == seq {
        return;
    }
    let (least, _) = periods_ms(w, cx.process);
    let longest = longest_ms(w, cx.task);
    let share = run_share(w, cx);
    let is_3_13 = is_3_13(w);
    let numa = &mut w.numa;
    let task = &mut numa.tasks[cx.task as usize];
    task.faults.scan_seq = seq;
    let mut group = numa.groups.get_mut(task.group as usize);
    let mut kinds = [0; 2];
    let mut best = (0, u8::MAX);
    let known = &mut task.faults;
    let all_faults = known.locality[0] + known.locality[1] + 1;
    for (node, faults) in (0u8..).zip(&mut known.nodes) {
        for (kind, sum) in kinds.iter_mut().enumerate() {
            let new = std::mem::take(&mut faults.buffer[kind]);
            let was = faults.mem[kind];
            // Half is taken off, rounded down: a single fault is never forgotten. In 3.13 it is.
            let less = if is_3_13 { was.div_ceil(2) } else { was / 2 };
            faults.mem[kind] = was - less + new;
            let new_cpu = share * std::mem::take(&mut faults.cpu_buffer[kind]) / all_faults;
            let was_cpu = faults.cpu[kind];
            faults.cpu[kind] = was_cpu - was_cpu / 2 + new_cpu;
            known.total = known.total + new - less;
            if let Some(group) = &mut group {
                let (mem, cpu) = ((new, less), (new_cpu, was_cpu / 2));
                group::account(group, usize::from(node), kind, mem, cpu);
            }
            *sum += new;
        }
        let all = faults.mem[0] + faults.mem[1];
        if all > best.0 {
            best = (all, node);
        }
    }
    if let Some(group) = group {
        best = group::preferred(group).unwrap_or((0, u8::MAX));
    }
    let (faults, node) = best;
    let node = match rules(&w.facts) {
        Some(rules) if rules.prefers_cpus => {
            let layout = &w.facts.layout;
            nearest_with_cpus(&layout.nodes, &layout.distances, node)
        }
        _ => node,
    };
    let task = &mut w.numa.tasks[cx.task as usize];
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

/// Is a task placed by the rules of 3.13?
pub(super) fn is_3_13(w: &World) -> bool {
    rules(&w.facts).is_some_and(|rules| rules.placement == NumaPlacement::V3_13)
}

/// The node itself where it has CPUs, else the nearest that has some; of those as near as each other the
/// first.
fn nearest_with_cpus(nodes: &[NodeLayout], distances: &[Vec<u8>], node: u8) -> u8 {
    let Some(distances) = distances.get(usize::from(node)) else {
        return node;
    };
    if !nodes[usize::from(node)].cpus.is_empty() {
        return node;
    }
    let with_cpus = (0u8..).zip(nodes).filter(|(_, n)| !n.cpus.is_empty());
    let nearest = with_cpus.min_by_key(|&(to, _)| distances[usize::from(to)]);
    nearest.map_or(node, |(to, _)| to)
}

/// What part of the time since it was last placed a task ran, 16 bits behind the point
/// (`numa_get_avg_runtime`). The first time it is what the scheduler averages, here a whole CPU.
fn run_share(w: &mut World, cx: &Context) -> u64 {
    /// `LOAD_AVG_MAX`
    const LOAD_AVG_MAX: u64 = 47_742;
    let ran = w.sched.cpu_time(cx.task, (w.cpu, w.now));
    let now = w.now;
    let faults = &mut w.numa.tasks[cx.task as usize].faults;
    let (time, period) = match faults.placed_at {
        0 => (LOAD_AVG_MAX, LOAD_AVG_MAX),
        // Clocks of CPUs run apart: one that is behind counts as no time, as in the kernel.
        at => (
            ran.saturating_sub(faults.placed_ran),
            now.saturating_sub(at),
        ),
    };
    (faults.placed_at, faults.placed_ran) = (now, ran);
    ((time << 16) / (period + 1)).min(1 << 16)
}

/// How often the task scans from now on (`update_task_scan_period`).
fn update_task_scan_period(
    w: &mut World,
    cx: &Context,
    [shared, private]: [u64; 2],
    (least, longest): (u32, u32),
) {
    let task = &w.numa.tasks[cx.task as usize];
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
    let task = &mut w.numa.tasks[cx.task as usize];
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

/// Faults of a pass, in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    shared: u64,
    private: u64,
    remote: u64,
    local: u64,
    failed: u64,
}

impl Seen {
    /// Nothing can be learned of it, or moving did not work.
    const fn is_blind(&self) -> bool {
        self.local + self.shared == 0 || self.failed > 0
    }

    fn private_of_ten(&self) -> u64 {
        self.private * SLOTS / (self.private + self.shared).max(1)
    }

    fn local_of_ten(&self) -> u64 {
        self.local * SLOTS / (self.local + self.remote).max(1)
    }

    /// The same in 3.13, which does not ask what failed.
    const fn is_blind_3_13(&self) -> bool {
        self.local + self.shared == 0
    }

    /// The period that follows on `was` in 3.13, ms: local faults decide, and a shorter one is less short the
    /// more of them are shared.
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

    /// The period that follows on `was`, ms.
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

/// On its preferred node a task stays, else it looks for a place there; when it looks again follows from its
/// period (`numa_migrate_preferred`).
fn numa_migrate_preferred(w: &mut World, cx: &Context) {
    let hz = u64::from(w.facts.hz);
    let jiffies = w.jiffies();
    let task = &w.numa.tasks[cx.task as usize];
    if task.faults.preferred == u8::MAX {
        return;
    }
    let interval = match is_3_13(w) {
        true => hz,
        false => (jiffies_of(w, task.scan_period) / 16).min(hz),
    };
    w.numa.tasks[cx.task as usize].faults.retry = jiffies + interval;
    if w.numa.tasks[cx.task as usize].faults.preferred != w.local_node() && w.facts.balances {
        task_numa_migrate(w, cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N1 to N7 with the threshold of 3.13: period, local, remote, private, shared; then the next.
    #[test]
    fn n1_to_n7_the_next_period_of_3_13_follows_from_local_faults() {
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

    /// The table of addenda C.5: period, local, remote, private, shared, failed, least; then the next.
    #[test]
    fn the_next_period_follows_from_what_the_faults_were() {
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

    /// Property 9: a period between the least and the longest stays between them, whatever the faults were.
    #[test]
    fn a_period_stays_between_the_least_and_the_longest() {
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

    /// The nearest node that has CPUs takes the place of one that has none; the first of those as near.
    #[test]
    fn a_node_without_cpus_is_not_preferred() {
        let node = |cpus: &[u16]| NodeLayout {
            id: 0,
            cpus: cpus.to_vec(),
            zones: Vec::new(),
        };
        let nodes = [node(&[0]), node(&[1]), node(&[]), node(&[2])];
        let nearest = |row: [u8; 4], from| {
            let others = [vec![10, 20, 20, 20], vec![20, 10, 20, 20]];
            let distances = [&others[..], &[row.to_vec(), vec![20, 20, 20, 10]]].concat();
            nearest_with_cpus(&nodes, &distances, from)
        };
        assert_eq!(nearest([20, 15, 10, 30], 2), 1);
        assert_eq!(nearest([20, 20, 10, 20], 2), 0);
        assert_eq!(nearest([20, 15, 10, 30], 1), 1);
        assert_eq!(nearest([20, 15, 10, 30], u8::MAX), u8::MAX);
    }
}
