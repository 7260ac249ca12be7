//! AutoNUMA 28 of October and November 2012 (mm/autonuma.c; kernel/sched/numa.c): tasks move to the
//! node with most of their memory, and memory moves to the node that uses it.
//!
//! Everything in this file is a function of plain values: faults of tasks and processes by node,
//! halved with each pass; which pages move; which CPU a task should run on. Also modelled: the
//! thread that marks entries ([`scand`]), the handling of its faults ([`fault`]), and the check of
//! each busy CPU ten times per second ([`balance`]). The preferences of the scheduler's load
//! balancing are in [`sched::balance`](crate::sched::balance).
//! Sources: the code of version 27, posted on 4 October 2012, was read. The changes of version 28
//! (pages that move at their first fault, false sharing, faults of processes) are known from
//! descriptions. According to them, version 28 moves one task and the scheduler pulls the other.
//! Version 27 and the documentation of both exchange them, as here.
//! Left out: statistics that a child inherits (`child_inheritance`, off); splitting huge pages
//! before a move, which the fix in the published runs had ended.
//! Visible difference: how long the other task of an exchange waits for its CPU.
//! Invariants: a task moves only to a node that has more of its memory than its current node has,
//! and a larger share than the other task has there.

pub mod balance;
pub mod fault;
pub mod scand;

use crate::kernel::{AutoRules, Features};
use facts::index::{CpuIndex, NodeIndex};
use facts::state::State;

/// Weight of a task whose memory is all on one node (`AUTONUMA_BALANCE_SCALE`).
const SCALE: u64 = 1000;

/// The rules of AutoNUMA, if this kernel has them.
pub fn rules(features: &Features) -> Option<AutoRules> {
    features.numa_balancing.rules()?.auto
}

/// Faults of a task, or of all tasks of a process, by node.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Faults {
    /// Number of faults by node, in base pages.
    pub nodes: Vec<u64>,
    /// Sum of all faults.
    pub total: u64,
}

impl Faults {
    /// Counts pages on the node they are on after the fault.
    pub fn count(&mut self, node: NodeIndex, pages: u64) {
        let node = node.index();
        self.nodes.resize(self.nodes.len().max(node + 1), 0);
        self.nodes[node] += pages;
        self.total += pages;
    }

    fn halve(&mut self) {
        for faults in &mut self.nodes {
            *faults /= 2;
        }
    }

    /// The share of each node, in thousandths.
    pub fn weights(&self, nodes: usize) -> Vec<u64> {
        let weight = |node: NodeIndex| {
            let faults = self.nodes.get(node.index()).copied().unwrap_or(0);
            let weight = (faults * SCALE).checked_div(self.total.max(faults));
            weight.unwrap_or(0)
        };
        NodeIndex::all(nodes).map(weight).collect()
    }
}

/// The statistics of a process (`struct mm_autonuma`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct MmAutonuma {
    /// Faults of the process's tasks.
    pub faults: Faults,
    /// The scanner's current pass over the process.
    pub pass: u64,
    /// The pass in which the faults were last halved.
    pub last_pass: u64,
}

/// The statistics of a task (`struct task_autonuma`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct TaskAutonuma {
    /// Faults of the task.
    pub faults: Faults,
    /// The pass in which the faults were last halved.
    pub pass: u64,
    /// True if the task met a page in this pass that another node had used. None of the task's
    /// pages move until the next pass.
    pub false_sharing: bool,
    /// The node on which the task was placed (`task_selected_nid`).
    pub node: Option<NodeIndex>,
}

impl TaskAutonuma {
    /// Handles a fault of the task on a page, given the node that last used the page, if any.
    /// Returns the node to which the page moves, if it moves. With `first_moves`, a page that no
    /// task has used yet also moves (`migrate_allow_first_fault`).
    pub fn moves_to(
        &mut self,
        last: Option<NodeIndex>,
        here: NodeIndex,
        page_node: NodeIndex,
        first_moves: bool,
    ) -> Option<NodeIndex> {
        let is_agreed = last.map_or(first_moves, |last| last == here);
        self.false_sharing |= !is_agreed;
        (!self.false_sharing && page_node != here).then_some(here)
    }

    /// Counts a fault on pages of a node. The first fault of a pass halves the earlier counts.
    pub fn count(&mut self, mm: &mut MmAutonuma, node: NodeIndex, pages: u64) {
        if self.pass != mm.pass {
            (self.pass, self.false_sharing) = (mm.pass, false);
            self.faults.halve();
            self.faults.total /= 2;
            if mm.last_pass != mm.pass {
                mm.last_pass = mm.pass;
                mm.faults.halve();
                mm.faults.total = mm.faults.nodes.iter().sum();
            }
        }
        self.faults.count(node, pages);
        mm.faults.count(node, pages);
    }
}

#[cfg(test)]
impl TaskAutonuma {
    /// Fills every list and option, so that tests can change each field.
    pub(crate) fn fill(&mut self) {
        self.faults.nodes.push(0);
        self.node = Some(NodeIndex::new(0));
    }
}

#[cfg(test)]
impl MmAutonuma {
    /// Fills every list, so that tests can change each field.
    pub(crate) fn fill(&mut self) {
        self.faults.nodes.push(0);
    }
}

/// A running task, and the distribution of its memory over the nodes, in thousandths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    /// The CPU on which the task runs.
    pub cpu: CpuIndex,
    /// Node of that CPU.
    pub node: NodeIndex,
    /// Process of the task.
    pub mm: u32,
    /// Weights of the task's own memory.
    pub task_weights: Vec<u64>,
    /// Weights of the memory of the task's process.
    pub mm_weights: Vec<u64>,
}

impl Runner {
    /// The weight of a node: the task's own weight if it is compared with a task of the same
    /// process, else the weight of its process.
    fn weight(&self, node: NodeIndex, is_same_mm: bool) -> u64 {
        let weights = if is_same_mm {
            &self.task_weights
        } else {
            &self.mm_weights
        };
        weights.get(node.index()).copied().unwrap_or(0)
    }

    /// Do both the task and its process have most of their memory on the node where the task runs?
    fn is_home(&self) -> bool {
        let best = |weights: &[u64]| {
            let nodes = (0..weights.len()).rev();
            nodes.max_by_key(|&node| weights[node])
        };
        let here = Some(self.node.index());
        best(&self.task_weights) == here && best(&self.mm_weights) == here
    }
}

/// Weights that decide on an exchange, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Weight of this task on the other node.
    pub there: u64,
    /// Weight of the other task on the other node.
    pub other: u64,
    /// Weight of this task on its current node.
    pub here: u64,
}

impl Compared {
    /// The benefit of the exchange. `None` unless the task's weight on the other node exceeds both
    /// other weights.
    pub fn score(&self) -> Option<u64> {
        let is_more = self.there > self.other && self.there > self.here;
        is_more.then(|| 2 * self.there - self.other - self.here)
    }

    /// How far this comparison is from an exchange, to report the nearest candidate if no exchange
    /// is made.
    fn lacks(&self) -> u64 {
        (self.other + 1).saturating_sub(self.there) + (self.here + 1).saturating_sub(self.there)
    }
}

/// The CPU on which a task should run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The task stays, because its memory is on this node.
    Home,
    /// The task stays. There is no other task, or this task's weight on the other node never
    /// exceeds both the other task's weight there and its own weight here. Holds the nearest
    /// candidate.
    Stay(Option<(CpuIndex, Compared)>),
    /// The task exchanges CPUs with the task on this CPU.
    Go {
        /// The target CPU.
        cpu: CpuIndex,
        /// Node of that CPU.
        node: NodeIndex,
        /// The weights that were compared.
        compared: Compared,
        /// The highest score of all.
        score: u64,
    },
}

/// The CPU a task should run on. `others` are the tasks with faults on other CPUs, in the order of the CPUs.
/// Idle CPUs are left to the scheduler.
pub fn place(task: &Runner, others: &[Runner]) -> Choice {
    if task.is_home() {
        return Choice::Home;
    }
    let mut best = Choice::Stay(None);
    let mut most = 0;
    for other in others.iter().filter(|other| other.node != task.node) {
        let is_same_mm = other.mm == task.mm;
        let compared = Compared {
            there: task.weight(other.node, is_same_mm),
            other: other.weight(other.node, is_same_mm),
            here: task.weight(task.node, is_same_mm),
        };
        if let Choice::Stay(nearest) = &mut best
            && nearest.is_none_or(|(_, was)| compared.lacks() < was.lacks())
        {
            *nearest = Some((other.cpu, compared));
        }
        if let Some(score) = compared.score().filter(|&score| score > most) {
            let (cpu, node) = (other.cpu, other.node);
            most = score;
            best = Choice::Go {
                cpu,
                node,
                compared,
                score,
            };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn scores_a_node_only_if_its_weight_exceeds_both_other_weights() {
        let score = |there, other, here| Compared { there, other, here }.score();
        assert_eq!(score(700, 200, 300), Some(900));
        assert_eq!(score(700, 700, 300), None);
        assert_eq!(score(300, 100, 300), None);
        assert_eq!(score(600, 599, 0), Some(601));
    }

    #[test]
    fn a_new_pass_halves_the_counts_of_earlier_passes() {
        let mut task = TaskAutonuma {
            false_sharing: true,
            ..TaskAutonuma::default()
        };
        let mut mm = MmAutonuma::default();
        for (node, pages) in [(0, 8191), (1, 1), (2, 512), (3, 0)] {
            task.count(&mut mm, NodeIndex::new(node), pages);
        }
        mm.pass = 1;
        task.count(&mut mm, NodeIndex::new(3), 0);
        assert_eq!(task.faults.nodes, [4095, 0, 256, 0]);
        assert_eq!((task.faults.total, task.false_sharing), (8704 / 2, false));
        assert_eq!(
            (mm.faults.nodes, mm.faults.total),
            (task.faults.nodes, 4351)
        );
        assert_eq!(mm.last_pass, 1);
    }

    fn faults(nodes: [u64; 2]) -> Faults {
        Faults {
            nodes: nodes.to_vec(),
            total: nodes.iter().sum(),
        }
    }

    fn runner(cpu: CpuIndex, mm: u32, task: [u64; 2], process: [u64; 2]) -> Runner {
        Runner {
            cpu,
            node: NodeIndex::new((cpu.get() / 8) as u8),
            mm,
            task_weights: faults(task).weights(2),
            mm_weights: faults(process).weights(2),
        }
    }

    /// The target CPU and the score.
    fn goes(task: &Runner, others: &[Runner]) -> Option<(CpuIndex, u64)> {
        match place(task, others) {
            Choice::Go { cpu, score, .. } => Some((cpu, score)),
            Choice::Home | Choice::Stay(_) => None,
        }
    }

    #[test]
    fn a_task_moves_to_the_node_with_its_memory() {
        let task = runner(CpuIndex::new(0), 1, [200, 800], [3000, 5000]);
        assert_eq!(task.task_weights, [200, 800]);
        assert_eq!(task.mm_weights, [375, 625]);
        let foreign = runner(CpuIndex::new(8), 2, [1, 1], [6000, 2000]);
        let related = runner(CpuIndex::new(9), 1, [100, 900], [3000, 5000]);
        assert_eq!(
            goes(&task, &[foreign, related]),
            Some((CpuIndex::new(8), 625))
        );
        let home = runner(CpuIndex::new(0), 1, [800, 200], [5000, 3000]);
        assert_eq!(place(&home, &[]), Choice::Home);
        let task8 = runner(CpuIndex::new(0), 1, [200, 800], [4000, 4000]);
        let related = runner(CpuIndex::new(9), 1, [700, 300], [4000, 4000]);
        assert_eq!(goes(&task8, &[related]), Some((CpuIndex::new(9), 1100)));
        let content = runner(CpuIndex::new(8), 2, [1, 1], [2000, 6000]);
        let compared = Compared {
            there: 625,
            other: 750,
            here: 375,
        };
        let stays = Choice::Stay(Some((CpuIndex::new(8), compared)));
        assert_eq!(place(&task, &[content]), stays);
        assert_eq!(place(&task, &[]), Choice::Stay(None));
    }

    #[test]
    fn pages_move_until_the_task_detects_false_sharing() {
        let fault = |last, first_moves, false_sharing| {
            let mut task = TaskAutonuma {
                false_sharing,
                ..TaskAutonuma::default()
            };
            let to = task.moves_to(last, NodeIndex::new(2), NodeIndex::new(0), first_moves);
            (to, task.false_sharing)
        };
        assert_eq!(fault(None, true, false), (Some(NodeIndex::new(2)), false));
        assert_eq!(fault(None, false, false), (None, true));
        assert_eq!(fault(Some(NodeIndex::new(1)), true, false), (None, true));
        assert_eq!(fault(Some(NodeIndex::new(2)), true, true), (None, true));
    }

    /// After an exchange with a task of another process, neither task wants to exchange back.
    #[test]
    fn an_exchange_is_never_reversed() {
        let mut rng = Rng::stream(1, 0);
        let mut exchanges = 0;
        for _ in 0..10_000 {
            let mut draw = || [0; 2].map(|_: u64| u64::from(rng.below(1000)) + 1);
            let (mut ours, mut theirs) = (
                runner(CpuIndex::new(0), 1, draw(), draw()),
                runner(CpuIndex::new(8), 2, draw(), draw()),
            );
            if goes(&ours, std::slice::from_ref(&theirs)).is_none() {
                continue;
            }
            exchanges += 1;
            std::mem::swap(&mut ours.cpu, &mut theirs.cpu);
            std::mem::swap(&mut ours.node, &mut theirs.node);
            assert_eq!(goes(&ours, std::slice::from_ref(&theirs)), None);
            assert_eq!(goes(&theirs, std::slice::from_ref(&ours)), None);
        }
        assert!(exchanges > 1000, "{exchanges}");
    }
}
