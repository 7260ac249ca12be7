//! Changes of numa/core to load balancing (kernel/sched/fair.c as posted in November 2012).
//!
//! Modelled: no spreading over nodes. Rules of v17 between nodes: shared tasks stay on a node that
//! has no more of them than CPUs. Otherwise tasks that are not on their best node go first, then
//! private ones. A task with a buddy goes only to the node of its ideal CPU; a failed search pushes
//! immediately. In v18 a converged task moves only to the node on which it converged, both in
//! balancing and at wake-up.
//! Left out: v17's pulls from random queues.
//! Visible difference: tasks of v17 that move around until they are well placed.
//! Invariants: with at most one task on each CPU no task is taken from another node.

use super::Look;
use crate::numa::core::balance::{Load, Round, may_take};
use crate::numa::tick::core_rules;
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

decisions! {
    BalanceShared { task: Task, cpu: Cpu, shared: Count, cpus: Count }
        "{task} shares its memory, and its node has {shared task} of this kind on {cpus CPU}: it does not move to {cpu}.";
    BalanceConverged { task: Task, cpu: Cpu, node: Node, strength: Count }
        "{task} has converged on {node} with strength {strength} of 1,024: it does not move to {cpu}.";
    BalanceBuddy { task: Task, cpu: Cpu, buddy: Task, ideal: Cpu }
        "The buddy of {task} is {buddy}, and its ideal CPU is {ideal}. {cpu} is not on the node of that CPU: the task does not move there.";
}

impl World {
    /// Do the rules of v17 for a search between nodes apply?
    pub(super) fn has_rounds(&self, look: Look) -> bool {
        let is_numa = self.domains(look.cpu)[usize::from(look.level)].is_numa();
        let rules = core_rules(&self.facts.features);
        is_numa && self.numa.on && rules.is_some_and(|rules| !rules.directed)
    }

    /// Does a task share its memory? `None` while that is unknown.
    pub(super) fn shared_of(&self, task: TaskIndex) -> Option<bool> {
        self.numa.tasks.at(task)?.core.shared
    }

    /// Load of some CPUs of a node.
    fn numa_load(&self, cpus: &[CpuIndex]) -> Load {
        let tasks = || cpus.iter().flat_map(|&cpu| self.sched.cpus[cpu].runnable());
        let is_shared = |&task: &TaskIndex| self.shared_of(task) == Some(true);
        Load {
            tasks: tasks().count() as u32,
            shared: tasks().filter(is_shared).count() as u32,
            cpus: cpus.len() as u32,
        }
    }

    /// Is a queue skipped because all its tasks are shared tasks that stay?
    pub(super) fn is_passed_over(&self, group: &[CpuIndex], cpu: CpuIndex) -> bool {
        let mut tasks = self.sched.cpus[cpu].runnable();
        self.numa_load(group).keeps_shared() && tasks.all(|task| self.shared_of(task) == Some(true))
    }

    /// Does a round of v17 take this task, which waits for a CPU?
    pub(super) fn is_of_round(&self, task: TaskIndex, cpu: CpuIndex, round: Round) -> bool {
        let node = self.numa.tasks.at(task).and_then(|t| t.core.node);
        round.takes(self.shared_of(task), node, self.cpu_node(cpu))
    }

    /// Does numa/core forbid moving a task to this CPU? Records the reason. For a task with a buddy only the
    /// buddy counts.
    pub(super) fn is_kept(&mut self, look: Look, task: TaskIndex, from: CpuIndex) -> bool {
        match self.may_go_to_buddy(look, task) {
            Some(true) => self.is_vetoed(look, task),
            Some(false) => {
                let core = &self.numa.tasks[task].core;
                if let (Some(buddy), Some(ideal)) = (core.buddy.task, core.ideal_cpu) {
                    self.tell(
                        look.idle,
                        BalanceBuddy {
                            task,
                            cpu: look.cpu,
                            buddy,
                            ideal,
                        },
                    );
                }
                true
            }
            None => self.is_kept_shared(look, task, from) || self.is_vetoed(look, task),
        }
    }

    /// Does a shared task stay on its node by the rules of v17? Records the reason.
    fn is_kept_shared(&mut self, look: Look, task: TaskIndex, from: CpuIndex) -> bool {
        if !self.has_rounds(look) || self.shared_of(task) != Some(true) {
            return false;
        }
        let domain = &self.domains(look.cpu)[usize::from(look.level)];
        let group = domain.groups.iter().find(|group| group.contains(&from));
        let load = self.numa_load(&group.cloned().unwrap_or_default());
        if !load.keeps_shared() {
            return false;
        }
        self.tell(
            look.idle,
            BalanceShared {
                task,
                cpu: look.cpu,
                shared: load.shared.into(),
                cpus: load.cpus.into(),
            },
        );
        true
    }

    /// Has a task converged on another node than that of the searching CPU? Records it.
    fn is_vetoed(&mut self, look: Look, task: TaskIndex) -> bool {
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

    /// Does v17 let a task with a buddy go to the node of the searching CPU? `None` if its rules do
    /// not decide.
    fn may_go_to_buddy(&self, look: Look, task: TaskIndex) -> Option<bool> {
        let known = self.numa.tasks.at(task)?;
        let is_v17 = core_rules(&self.facts.features).is_some_and(|rules| !rules.directed);
        if !is_v17 || !self.numa.on || known.process == crate::frames::NONE {
            return None;
        }
        let member = crate::numa::converge::member(self, task);
        let ideal = self.cpu_node(member.ideal_cpu?);
        may_take(&member, ideal, self.cpu_node(look.cpu))
    }

    fn cpu_node(&self, cpu: CpuIndex) -> NodeIndex {
        self.facts.node_of_cpu[cpu]
    }

    /// Does a task go to the node of its ideal CPU, so that it may move while cache-hot?
    pub(super) fn goes_to_buddy(&self, look: Look, task: TaskIndex) -> bool {
        self.may_go_to_buddy(look, task) == Some(true)
    }

    /// The node on which a task has converged and its strength, if this CPU is not on that node (v18's veto).
    pub(crate) fn converged_elsewhere(
        &self,
        task: TaskIndex,
        cpu: CpuIndex,
    ) -> Option<(NodeIndex, u32)> {
        let rules = core_rules(&self.facts.features)?;
        let core = &self.numa.tasks.at(task)?.core;
        let vetoes = self.numa.on && rules.veto && !core.convergence.allows(self.cpu_node(cpu));
        vetoes.then_some((core.convergence.node?, core.convergence.strength))
    }
}
