//! AutoNUMA 28 of October and November 2012 (mm/autonuma.c; kernel/sched/numa.c): tasks go where most of their
//! memory is, memory goes where it is used.
//!
//! Everything in this file is a function of plain values: faults of tasks and processes by node, halved with each
//! pass; which pages move; which CPU a task should run on.
//! Modelled besides: the thread that marks entries ([`scand`]), what its faults do ([`fault`]), what a busy CPU does
//! about its task ten times a second ([`balance`]); what the scheduler's own balancing prefers is in
//! [`sched::balance`](crate::sched::balance).
//! Where from: version 27, posted on 4 October 2012, was read; what version 28 changed of it (pages that move at
//! their first fault, false sharing, faults of processes) is known from descriptions. Version 28 is said to move
//! one task and to have the scheduler pull the other; version 27 and the documentation of both exchange them, as
//! here.
//! Left out: statistics that a child inherits (`child_inheritance`, off); huge pages that are split to be moved,
//! which the fix of the published runs ended.
//! Who could tell: how long the other task of an exchange waits for its CPU.
//! Invariants: a task moves only to where it has more of its memory than here, and than the task it meets.

pub mod balance;
pub mod fault;
pub mod scand;

use crate::kernel::{AutoRules, Features};
use facts::state::State;

/// A weight of all of a task's memory (`AUTONUMA_BALANCE_SCALE`).
const SCALE: u64 = 1000;

/// What AutoNUMA does, where this is AutoNUMA.
pub fn rules(features: &Features) -> Option<AutoRules> {
    features.numa_balancing.rules()?.auto
}

/// Faults of a task, or of all tasks of a process, by node.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Faults {
    /// In base pages.
    pub nodes: Vec<u64>,
    /// All.
    pub total: u64,
}

impl Faults {
    /// Counts pages on a node, where they are after the fault was handled.
    pub fn count(&mut self, node: u8, pages: u64) {
        let node = usize::from(node);
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
    pub fn weights(&self, nodes: u8) -> Vec<u64> {
        let weight = |node: u8| {
            let faults = self.nodes.get(usize::from(node)).copied().unwrap_or(0);
            let weight = (faults * SCALE).checked_div(self.total.max(faults));
            weight.unwrap_or(0)
        };
        (0..nodes).map(weight).collect()
    }
}

/// What is remembered of a process (`struct mm_autonuma`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct MmAutonuma {
    /// Faults of its tasks.
    pub faults: Faults,
    /// The scanner's pass over it.
    pub pass: u64,
    /// The pass its faults were halved for last.
    pub last_pass: u64,
}

/// What is remembered of a task (`struct task_autonuma`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct TaskAutonuma {
    /// Its faults.
    pub faults: Faults,
    /// The pass they were halved for last.
    pub pass: u64,
    /// It met a page in this pass that another node used before: none of its pages move until the next.
    pub false_sharing: bool,
    /// The node it was placed on (`task_selected_nid`).
    pub node: Option<u8>,
}

impl TaskAutonuma {
    /// A fault of the task on a page that was used from a node before, or never: the node it moves to, if it moves.
    /// `first_moves` says that a page nobody used yet moves (`migrate_allow_first_fault`).
    pub fn moves_to(
        &mut self,
        last: Option<u8>,
        here: u8,
        page_node: u8,
        first_moves: bool,
    ) -> Option<u8> {
        let is_agreed = last.map_or(first_moves, |last| last == here);
        self.false_sharing |= !is_agreed;
        (!self.false_sharing && page_node != here).then_some(here)
    }

    /// Counts a fault on pages of a node. With the first of a pass, what was counted before halves.
    pub fn count(&mut self, mm: &mut MmAutonuma, node: u8, pages: u64) {
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
    /// Gives everything something to change.
    pub(crate) fn fill(&mut self) {
        self.faults.nodes.push(0);
        self.node = Some(0);
    }
}

#[cfg(test)]
impl MmAutonuma {
    /// Gives everything something to change.
    pub(crate) fn fill(&mut self) {
        self.faults.nodes.push(0);
    }
}

/// A task that runs, and how its memory lies: thousandths by node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    /// The CPU it runs on.
    pub cpu: u16,
    /// Its node.
    pub node: u8,
    /// Its process.
    pub mm: u32,
    /// Weights of its own memory.
    pub task_weights: Vec<u64>,
    /// Weights of its process's memory.
    pub mm_weights: Vec<u64>,
}

impl Runner {
    /// Its own weights among tasks of its process, else its process's.
    fn weight(&self, node: u8, is_same_mm: bool) -> u64 {
        let weights = if is_same_mm {
            &self.task_weights
        } else {
            &self.mm_weights
        };
        weights.get(usize::from(node)).copied().unwrap_or(0)
    }

    /// Both it and its process have most memory on the node it runs on.
    fn is_home(&self) -> bool {
        let best = |weights: &[u64]| {
            let nodes = (0..weights.len()).rev();
            nodes.max_by_key(|&node| weights[node])
        };
        let here = Some(usize::from(self.node));
        best(&self.task_weights) == here && best(&self.mm_weights) == here
    }
}

/// What an exchange of places is compared by: thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Ours there.
    pub there: u64,
    /// The other's there.
    pub other: u64,
    /// Ours here.
    pub here: u64,
}

impl Compared {
    /// The higher the better; none where ours is not more than both others.
    pub fn score(&self) -> Option<u64> {
        let is_more = self.there > self.other && self.there > self.here;
        is_more.then(|| 2 * self.there - self.other - self.here)
    }

    /// How much it lacks of being an exchange, for the one that is told of where none is made.
    fn lacks(&self) -> u64 {
        (self.other + 1).saturating_sub(self.there) + (self.here + 1).saturating_sub(self.there)
    }
}

/// Where a task should run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Its memory is here.
    Home,
    /// It changes places with nobody: there is no other task, or none for which it has more of its memory
    /// there than that one has, and than it has here. The nearest to that.
    Stay(Option<(u16, Compared)>),
    /// It changes places with the task on this CPU.
    Go {
        /// The CPU.
        cpu: u16,
        /// Its node.
        node: u8,
        /// What was compared.
        compared: Compared,
        /// The highest score of all.
        score: u64,
    },
}

/// The CPU a task should run on. `others` are the tasks with faults that run on other CPUs, in the order of these;
/// idle CPUs are left to the scheduler.
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
    fn a1_to_a4_scores() {
        let score = |there, other, here| Compared { there, other, here }.score();
        assert_eq!(score(700, 200, 300), Some(900), "A1");
        assert_eq!(score(700, 700, 300), None, "A2");
        assert_eq!(score(300, 100, 300), None, "A3");
        assert_eq!(score(600, 599, 0), Some(601), "A4");
    }

    #[test]
    fn a5_a_pass_halves_what_was_counted() {
        let mut task = TaskAutonuma {
            false_sharing: true,
            ..TaskAutonuma::default()
        };
        let mut mm = MmAutonuma::default();
        for (node, pages) in [(0, 8191), (1, 1), (2, 512), (3, 0)] {
            task.count(&mut mm, node, pages);
        }
        mm.pass = 1;
        task.count(&mut mm, 3, 0);
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

    fn runner(cpu: u16, mm: u32, task: [u64; 2], process: [u64; 2]) -> Runner {
        Runner {
            cpu,
            node: (cpu / 8) as u8,
            mm,
            task_weights: faults(task).weights(2),
            mm_weights: faults(process).weights(2),
        }
    }

    /// The CPU and the score.
    fn goes(task: &Runner, others: &[Runner]) -> Option<(u16, u64)> {
        match place(task, others) {
            Choice::Go { cpu, score, .. } => Some((cpu, score)),
            Choice::Home | Choice::Stay(_) => None,
        }
    }

    #[test]
    fn a6_to_a9_a_task_goes_where_its_memory_is() {
        let task = runner(0, 1, [200, 800], [3000, 5000]);
        assert_eq!(task.task_weights, [200, 800]);
        assert_eq!(task.mm_weights, [375, 625]);
        let foreign = runner(8, 2, [1, 1], [6000, 2000]);
        let related = runner(9, 1, [100, 900], [3000, 5000]);
        assert_eq!(goes(&task, &[foreign, related]), Some((8, 625)), "A6");
        let home = runner(0, 1, [800, 200], [5000, 3000]);
        assert_eq!(place(&home, &[]), Choice::Home, "A7");
        let task8 = runner(0, 1, [200, 800], [4000, 4000]);
        let related = runner(9, 1, [700, 300], [4000, 4000]);
        assert_eq!(goes(&task8, &[related]), Some((9, 1100)), "A8");
        let content = runner(8, 2, [1, 1], [2000, 6000]);
        let compared = Compared {
            there: 625,
            other: 750,
            here: 375,
        };
        let stays = Choice::Stay(Some((8, compared)));
        assert_eq!(place(&task, &[content]), stays, "A9");
        assert_eq!(place(&task, &[]), Choice::Stay(None));
    }

    #[test]
    fn w5_to_w8_pages_move_until_false_sharing_is_seen() {
        let fault = |last, first_moves, false_sharing| {
            let mut task = TaskAutonuma {
                false_sharing,
                ..TaskAutonuma::default()
            };
            let to = task.moves_to(last, 2, 0, first_moves);
            (to, task.false_sharing)
        };
        assert_eq!(fault(None, true, false), (Some(2), false), "W5");
        assert_eq!(fault(None, false, false), (None, true), "W6");
        assert_eq!(fault(Some(1), true, false), (None, true), "W7");
        assert_eq!(fault(Some(2), true, true), (None, true), "W8");
    }

    /// After an exchange with a task of another process neither wants to go back for the other.
    #[test]
    fn an_exchange_is_not_undone() {
        let mut rng = Rng::stream(1, 0);
        let mut exchanges = 0;
        for _ in 0..10_000 {
            let mut draw = || [0; 2].map(|_: u64| u64::from(rng.below(1000)) + 1);
            let (mut ours, mut theirs) =
                (runner(0, 1, draw(), draw()), runner(8, 2, draw(), draw()));
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
