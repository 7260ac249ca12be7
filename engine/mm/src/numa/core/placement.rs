//! What placement remembers of a task, and its steps (kernel/sched/fair.c: `task_numa_fault`,
//! `task_numa_placement`, 22 November 2012; `task_numa_placement_tick`, 30 November 2012).
//!
//! Modelled: all of it. The steps of one placement, in order: [`Placement::average`], [`Placement::converge`] (v18),
//! [`Buddy::end_pass`], [`Placement::settles`] (v17), [`Placement::status`], [`super::ideal_cpu`],
//! [`Placement::commit`].
//! Left out: the period itself, which is the caller's; [`Period`] says what becomes of it.
//! Invariants: a status, once known, is known for good.

use super::buddy::{Buddy, Shared};
use super::convergence::Convergence;
use super::rules::Rules;
use facts::state::State;

/// Passes from a change of status or node to the next (`sysctl_sched_numa_settle_count`).
const SETTLE_PASSES: u32 = 2;

/// Index of shared samples, and of private ones.
const SHARED: usize = 0;
const PRIVATE: usize = 1;

/// What placement remembers of a task (`struct task_struct`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Placement {
    /// Averages of faults by node, in pages: shared and private (`numa_faults`).
    pub faults: Vec<[u64; 2]>,
    /// The same since the last placement (`numa_faults_curr`).
    pub current: Vec<[u64; 2]>,
    /// It shares memory; none while that is unknown (`numa_shared`).
    pub shared: Option<bool>,
    /// The node placement chose; none before, and where a status changed before a node was chosen
    /// (`numa_max_node`).
    pub node: Option<u8>,
    /// The CPU placement chose last (`ideal_cpu`).
    pub ideal_cpu: Option<u16>,
    /// The CPU it chose for the first time (`ideal_cpu_candidate`).
    pub candidate: Option<u16>,
    /// The task it shares most with.
    pub buddy: Buddy,
    /// The nodes its memory is spread over while it is shared, a bit each; all at first (`numa_policy`).
    #[state(rest = u64::MAX)]
    pub mask: u64,
    /// How concentrated its memory is.
    pub convergence: Convergence,
    /// The second it was placed in last (`numa_scan_ts_secs`).
    pub placed_second: u64,
    /// Passes since its status or node changed (`numa_migrate_seq`); a new task may be placed at once.
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
    /// Gives everything something to change.
    pub(crate) fn fill(&mut self) {
        self.faults.push([0; 2]);
        self.current.push([0; 2]);
        (self.shared, self.node) = (Some(false), Some(0));
        (self.ideal_cpu, self.candidate) = (Some(0), Some(0));
        (self.buddy.task, self.buddy.candidate) = (Some(0), Some(0));
        self.convergence.node = Some(0);
    }
}

/// Averages of a task's faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// On pages others touched last.
    pub shared: u64,
    /// On pages it touched last itself.
    pub private: u64,
    /// The node with most of both, the first of several, and how many. None without faults.
    pub best: Option<(u8, u64)>,
}

/// What becomes of a task's scan period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// Nothing (v17, after a change).
    Kept,
    /// It is the shortest (v18, after a change).
    Shortest,
    /// It doubles.
    Doubled,
}

impl Period {
    /// The period that follows, ms, given the least and the longest.
    pub fn next(self, was_ms: u32, (least, longest): (u32, u32)) -> u32 {
        match self {
            Self::Kept => was_ms,
            Self::Shortest => least,
            Self::Doubled => was_ms.saturating_mul(2).min(longest),
        }
    }
}

/// What became of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    /// Status or node changed.
    pub changed: bool,
    /// The CPU was proposed for the first time, and the next pass must propose it again (v17).
    pub waits: bool,
    /// The task is to go to the CPU.
    pub goes: bool,
    /// Private faults that count for the new node now (v17).
    pub followed: u64,
    /// What becomes of its scan period.
    pub period: Period,
}

impl Placement {
    /// Counts a hinting fault on pages of a node, where they are after it was handled.
    pub fn sample(&mut self, nodes: u8, node: u8, private: bool, pages: u64) {
        for faults in [&mut self.faults, &mut self.current] {
            faults.resize(faults.len().max(nodes.into()), [0; 2]);
        }
        let kind = if private { PRIVATE } else { SHARED };
        if let Some(faults) = self.current.get_mut(usize::from(node)) {
            faults[kind] += pages;
        }
    }

    /// Counts whom a fault was shared with: see [`Buddy::count`].
    pub fn share(&mut self, own: u32, fault: Shared) {
        self.buddy.count(own, fault);
    }

    /// Takes the faults since the last placement into the averages.
    pub fn average(&mut self, rules: &Rules) -> Totals {
        let mut totals = Totals::default();
        for (node, (faults, current)) in (0..).zip(self.faults.iter_mut().zip(&mut self.current)) {
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

    /// Measures how concentrated the task's memory is, where the rules do.
    pub fn converge(&mut self, totals: &Totals, rules: &Rules) {
        if rules.measures {
            let all = totals.shared + totals.private;
            self.convergence.update(all, totals.best);
        }
    }

    /// Counts a pass. Has the task been as it is for long enough to be placed? In v18 always.
    pub fn settles(&mut self, rules: &Rules) -> bool {
        if rules.directed {
            return true;
        }
        self.settled = self.settled.saturating_add(1);
        self.settled >= SETTLE_PASSES
    }

    /// Does the task share memory? A status that is known changes only for twice as many faults of the other kind.
    pub fn status(&self, totals: &Totals) -> bool {
        let (shared, private) = (totals.shared, totals.private);
        match self.shared {
            None => shared >= private,
            Some(false) => shared >= 2 * private,
            Some(true) => 2 * shared > private,
        }
    }

    /// Takes a proposal: the status, the ideal CPU and its node. The task runs on the CPU `here`.
    pub fn commit(
        &mut self,
        shared: bool,
        (cpu, node): (u16, u8),
        (here, here_node): (u16, u8),
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

    /// Private faults of one node count for another from now on: the memory will follow the task. Returns how many.
    fn follow(&mut self, old: u8, new: u8) -> u64 {
        let (old, new) = (usize::from(old), usize::from(new));
        if old == new || self.faults.len() <= old.max(new) {
            return 0;
        }
        let faults = std::mem::take(&mut self.faults[old][PRIVATE]);
        self.faults[new][PRIVATE] += faults;
        faults
    }
}
