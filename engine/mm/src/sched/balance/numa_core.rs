//! What numa/core changes of balancing (kernel/sched/fair.c as posted in November 2012).
//!
//! Modelled: no spreading over nodes. In v17, between nodes: shared tasks stay where their node has no more
//! of them than CPUs; otherwise those go first that are not on their best node, then private ones; a task
//! with a buddy goes to its ideal CPU's node only; a failed look pushes at once. In v18 a task that has
//! converged is moved to the node it converged on only, and to its CPU on waking no other.
//! Left out: v17's pulls from random queues.
//! Who could tell: tasks of v17 that wander until they lie well.
//! Invariants: with at most one task on each CPU nothing is taken across nodes.

use super::Look;
use crate::numa::tick::core_rules;
use crate::record::decisions;
use crate::world::World;

decisions! {
    BalanceShared { task: Task, cpu: Cpu, shared: Count, cpus: Count }
        "{task} shares its memory with others of its node, which has {shared} such tasks on {cpus CPU}: it does not move to {cpu}.";
    BalanceConverged { task: Task, cpu: Cpu, node: Node, strength: Count }
        "{task} has converged on {node} with strength {strength} of 1024: it does not move to {cpu}.";
    BalanceBuddy { task: Task, cpu: Cpu, buddy: Task, ideal: Cpu }
        "{task} has a buddy, {buddy}, and its ideal CPU is {ideal}: it does not move to {cpu} of another node.";
}

/// A buddy counts once it shares so many pages.
const BUDDY_FAULTS: u64 = 1000;

/// Which tasks v17 takes, one round after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    /// Those that are not on the node with most of their faults.
    Misplaced,
    /// Private ones.
    Private,
    /// Any.
    All,
}

/// The rounds of v17.
pub(super) const ROUNDS: [Round; 3] = [Round::Misplaced, Round::Private, Round::All];

impl World {
    /// Is this numa/core, with rules of its own at this look: v17's, between nodes?
    pub(super) fn has_rounds(&self, look: Look) -> bool {
        let is_numa = self.domains(look.cpu)[usize::from(look.level)].is_numa();
        let rules = core_rules(&self.facts.features);
        is_numa && self.numa.on && rules.is_some_and(|rules| !rules.directed)
    }

    fn is_shared(&self, task: u32) -> bool {
        let t = self.numa.tasks.get(task as usize);
        t.is_some_and(|t| t.core.shared == Some(true))
    }

    /// Tasks of some CPUs that share their memory.
    fn shared_tasks(&self, cpus: &[u16]) -> u64 {
        let tasks = cpus
            .iter()
            .flat_map(|&cpu| self.sched.cpus[usize::from(cpu)].runnable());
        tasks.filter(|&task| self.is_shared(task)).count() as u64
    }

    /// Do the shared tasks of some CPUs stay there?
    fn keeps_shared(&self, cpus: &[u16]) -> bool {
        self.shared_tasks(cpus) <= cpus.len() as u64
    }

    /// Is a queue passed over because all its tasks are shared ones that stay?
    pub(super) fn is_passed_over(&self, group: &[u16], cpu: u16) -> bool {
        let mut tasks = self.sched.cpus[usize::from(cpu)].runnable();
        self.keeps_shared(group) && tasks.all(|task| self.is_shared(task))
    }

    /// Does a round of v17 take this task?
    pub(super) fn is_of_round(&self, task: u32, round: Round) -> bool {
        let Some(t) = self.numa.tasks.get(task as usize) else {
            return round == Round::All;
        };
        let cpus = &self.sched.cpus;
        let home = (0u16..)
            .zip(cpus)
            .find(|(_, c)| c.runnable().any(|t| t == task));
        let node = home.map(|(cpu, _)| self.facts.node_of_cpu[usize::from(cpu)]);
        match round {
            Round::Misplaced => t.core.node.is_some() && t.core.node != node,
            Round::Private => t.core.shared == Some(false),
            Round::All => true,
        }
    }

    /// Does numa/core keep the balancer from moving a task to this CPU? Says so.
    pub(super) fn is_kept(&mut self, look: Look, task: u32, from: u16) -> bool {
        if self.has_rounds(look) && self.is_shared(task) {
            let domain = &self.domains(look.cpu)[usize::from(look.level)];
            let group = domain.groups.iter().find(|group| group.contains(&from));
            let group = group.cloned().unwrap_or_default();
            if self.keeps_shared(&group) {
                let shared = self.shared_tasks(&group) as i64;
                self.tell(
                    look.idle,
                    BalanceShared {
                        task,
                        cpu: look.cpu,
                        shared,
                        cpus: group.len() as i64,
                    },
                );
                return true;
            }
        }
        if let Some((buddy, ideal)) = self.buddy_elsewhere(look, task) {
            self.tell(
                look.idle,
                BalanceBuddy {
                    task,
                    cpu: look.cpu,
                    buddy,
                    ideal,
                },
            );
            return true;
        }
        let Some((node, strength)) = self.converged_elsewhere(task, look.cpu) else {
            return false;
        };
        self.tell(
            look.idle,
            BalanceConverged {
                task,
                cpu: look.cpu,
                node,
                strength: strength.into(),
            },
        );
        true
    }

    /// The buddy and the ideal CPU of a task that has both, where v17 asks for them.
    fn buddy_of(&self, look: Look, task: u32) -> Option<(u32, u16)> {
        let core = &self.numa.tasks.get(task as usize)?.core;
        let (buddy, ideal) = (core.buddy.task?, core.ideal_cpu?);
        let is_asked = self.has_rounds(look) && core.buddy.faults > BUDDY_FAULTS;
        is_asked.then_some((buddy, ideal))
    }

    fn cpu_node(&self, cpu: u16) -> u8 {
        self.facts.node_of_cpu[usize::from(cpu)]
    }

    fn buddy_elsewhere(&self, look: Look, task: u32) -> Option<(u32, u16)> {
        let found = self.buddy_of(look, task)?;
        (self.cpu_node(found.1) != self.cpu_node(look.cpu)).then_some(found)
    }

    /// Does a task go to its ideal CPU's node, so that it may be hot?
    pub(super) fn goes_to_buddy(&self, look: Look, task: u32) -> bool {
        let found = self.buddy_of(look, task);
        found.is_some_and(|(_, ideal)| self.cpu_node(ideal) == self.cpu_node(look.cpu))
    }

    /// The node a task has converged on and how strongly, where this CPU is not of it (v18's veto).
    pub(crate) fn converged_elsewhere(&self, task: u32, cpu: u16) -> Option<(u8, u32)> {
        let rules = core_rules(&self.facts.features)?;
        let core = &self.numa.tasks.get(task as usize)?.core;
        let vetoes = self.numa.on && rules.veto && !core.convergence.allows(self.cpu_node(cpu));
        vetoes.then_some((core.convergence.node?, core.convergence.strength))
    }
}
