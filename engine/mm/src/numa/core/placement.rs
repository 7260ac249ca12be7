//! The data that placement stores for a task, and its steps (kernel/sched/fair.c:
//! `task_numa_fault`, `task_numa_placement`, 22 November 2012; `task_numa_placement_tick`, 30
//! November 2012).
//!
//! Modelled: all of it. The steps of one placement, in order: [`Placement::average`], [`Placement::converge`] (v18),
//! [`Buddy::end_pass`], [`Placement::settles`] (v17), [`Placement::status`], [`super::ideal_cpu`],
//! [`Placement::commit`].
//! Left out: the scan period itself, which belongs to the caller; [`Period`] describes its change.
//! Invariants: a known status never becomes unknown again.

use super::buddy::{Buddy, Shared};
use super::convergence::Convergence;
use super::rules::Rules;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};
use facts::state::State;

/// Number of passes that must end between two changes of status or node
/// (`sysctl_sched_numa_settle_count`).
const SETTLE_PASSES: u32 = 2;

/// Indexes of shared and of private faults.
const SHARED: usize = 0;
const PRIVATE: usize = 1;

/// The data that placement stores for a task (`struct task_struct`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Placement {
    /// Averages of faults by node, in pages: shared and private (`numa_faults`).
    pub faults: Vec<[u64; 2]>,
    /// Faults since the last placement, by node: shared and private (`numa_faults_curr`).
    pub current: Vec<[u64; 2]>,
    /// True if the task shares memory; `None` while that is unknown (`numa_shared`).
    pub shared: Option<bool>,
    /// The node that placement chose. `None` before that, or if the status changed before a node
    /// was chosen (`numa_max_node`).
    pub node: Option<NodeIndex>,
    /// The CPU that placement last chose (`ideal_cpu`).
    pub ideal_cpu: Option<CpuIndex>,
    /// The CPU that was proposed once and must be proposed again (`ideal_cpu_candidate`).
    pub candidate: Option<CpuIndex>,
    /// The task with which this task shares most pages.
    pub buddy: Buddy,
    /// The nodes over which the task's memory is interleaved while it is shared, one bit each;
    /// initially all (`numa_policy`).
    #[state(rest = u64::MAX)]
    pub mask: u64,
    /// Concentration of the task's memory on one node.
    pub convergence: Convergence,
    /// The second in which the task was last placed (`numa_scan_ts_secs`).
    pub placed_second: u64,
    /// Number of passes since status or node changed (`numa_migrate_seq`); a new task can be placed
    /// without waiting.
    #[state(rest = SETTLE_PASSES)]
    pub settled: u32,
}

impl Default for Placement {
    fn default() -> Self {
        Self {
            faults: Vec::new(),
            current: Vec::new(),
            shared: None,
            node: None,
            ideal_cpu: None,
            candidate: None,
            buddy: Buddy::default(),
            mask: u64::MAX,
            convergence: Convergence::default(),
            placed_second: 0,
            settled: SETTLE_PASSES,
        }
    }
}

#[cfg(test)]
impl Placement {
    /// Fills every list and option, so that tests can change each field.
    pub(crate) fn fill(&mut self) {
        self.faults.push([0; 2]);
        self.current.push([0; 2]);
        (self.shared, self.node) = (Some(false), Some(NodeIndex::default()));
        let cpu = Some(CpuIndex::new(0));
        (self.ideal_cpu, self.candidate) = (cpu, cpu);
        let task = Some(TaskIndex::new(0));
        (self.buddy.task, self.buddy.candidate) = (task, task);
        self.convergence.node = Some(NodeIndex::new(0));
    }
}

/// Averages of a task's faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Faults on pages that another CPU touched last.
    pub shared: u64,
    /// Faults on pages that the same CPU touched last.
    pub private: u64,
    /// The node with most faults of both kinds and their number; the first of several nodes. `None`
    /// without faults.
    pub best: Option<(NodeIndex, u64)>,
}

/// The change of a task's scan period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// The period does not change (v17, after a change of status or node).
    Kept,
    /// The period becomes the minimum (v18, after a change of status or node).
    Shortest,
    /// The period doubles.
    Doubled,
}

impl Period {
    /// The next period in ms, given the minimum and the maximum.
    pub fn next(self, was_ms: u32, (least, longest): (u32, u32)) -> u32 {
        match self {
            Self::Kept => was_ms,
            Self::Shortest => least,
            Self::Doubled => was_ms.saturating_mul(2).min(longest),
        }
    }
}

/// The result of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    /// True if status or node changed.
    pub changed: bool,
    /// True if the CPU is proposed for the first time, so that the next pass must propose it again
    /// (v17).
    pub waits: bool,
    /// True if the task should move to the CPU.
    pub goes: bool,
    /// Number of private faults that now count for the new node (v17).
    pub followed: u64,
    /// The change of the task's scan period.
    pub period: Period,
}

impl Placement {
    /// Counts a hinting fault on pages by the node they are on after the fault.
    pub fn sample(&mut self, nodes: usize, node: NodeIndex, private: bool, pages: u64) {
        for faults in [&mut self.faults, &mut self.current] {
            faults.resize(faults.len().max(nodes), [0; 2]);
        }
        let kind = if private { PRIVATE } else { SHARED };
        if let Some(faults) = self.current.get_mut(node.index()) {
            faults[kind] += pages;
        }
    }

    /// Counts a page for the task with which it was shared: see [`Buddy::count`].
    pub fn share(&mut self, own: TaskIndex, fault: Shared) {
        self.buddy.count(own, fault);
    }

    /// Adds the faults since the last placement to the averages.
    pub fn average(&mut self, rules: &Rules) -> Totals {
        let mut totals = Totals::default();
        let nodes = NodeIndex::all(self.faults.len());
        let faults = self.faults.iter_mut().zip(&mut self.current);
        for (node, (faults, current)) in nodes.zip(faults) {
            for (was, new) in faults.iter_mut().zip(current) {
                *was = rules.average.next(*was, std::mem::take(new));
            }
            let all = faults[SHARED] + faults[PRIVATE];
            totals.shared += faults[SHARED];
            totals.private += faults[PRIVATE];
            if all > totals.best.map_or(0, |(_, most)| most) {
                totals.best = Some((node, all));
            }
        }
        totals
    }

    /// Measures the concentration of the task's memory, if the rules include that.
    pub fn converge(&mut self, totals: &Totals, rules: &Rules) {
        if rules.measures {
            let all = totals.shared + totals.private;
            self.convergence.update(all, totals.best);
        }
    }

    /// Counts a pass. Has the task settled for long enough to be placed? Always true in v18.
    pub fn settles(&mut self, rules: &Rules) -> bool {
        if rules.directed {
            return true;
        }
        self.settled = self.settled.saturating_add(1);
        self.settled >= SETTLE_PASSES
    }

    /// Does the task share memory? A known status changes only for twice as many faults of the other kind.
    pub fn status(&self, totals: &Totals) -> bool {
        let (shared, private) = (totals.shared, totals.private);
        match self.shared {
            None => shared >= private,
            Some(false) => shared >= 2 * private,
            Some(true) => 2 * shared > private,
        }
    }

    /// Applies a proposal: the status, the ideal CPU and its node. The task runs on the CPU `here`.
    pub fn commit(
        &mut self,
        shared: bool,
        (cpu, node): (CpuIndex, NodeIndex),
        (here, here_node): (CpuIndex, NodeIndex),
        rules: &Rules,
    ) -> Commit {
        self.ideal_cpu = Some(cpu);
        let waits = !rules.directed && self.candidate != Some(cpu);
        if waits {
            self.candidate = Some(cpu);
        }
        let chosen = (!waits).then_some(node);
        let changed = self.shared != Some(shared) || (chosen.is_some() && chosen != self.node);
        let mut followed = 0;
        if changed {
            if let (true, Some(old), Some(new)) = (rules.faults_follow, self.node, chosen) {
                followed = self.follow(old, new);
            }
            (self.settled, self.shared, self.node) = (0, Some(shared), chosen);
        }
        let is_elsewhere = if rules.directed {
            cpu != here
        } else {
            node != here_node
        };
        Commit {
            changed,
            waits,
            goes: chosen.is_some() && is_elsewhere,
            followed,
            period: match (changed, rules.adapts_scan) {
                (false, _) => Period::Doubled,
                (true, false) => Period::Kept,
                (true, true) => Period::Shortest,
            },
        }
    }

    /// Moves the private faults of one node to another, because the memory will follow the task. Returns
    /// their number.
    fn follow(&mut self, old: NodeIndex, new: NodeIndex) -> u64 {
        let (old, new) = (old.index(), new.index());
        if old == new || self.faults.len() <= old.max(new) {
            return 0;
        }
        let faults = std::mem::take(&mut self.faults[old][PRIVATE]);
        self.faults[new][PRIVATE] += faults;
        faults
    }
}
