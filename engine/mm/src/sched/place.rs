//! Chooses the CPU a task runs on (kernel/sched/fair.c: `select_task_rq_fair`).
//!
//! Modelled: a new task goes to the CPU with the fewest tasks. A task that wakes to a busy CPU
//! takes an idle CPU of its node; a kernel thread takes any idle CPU it may run on. On a machine
//! with load balancing the rules of 3.7 apply. A new task goes to the idlest group of CPUs, level
//! by level (`find_idlest_group`, `find_idlest_cpu`). A waking task stays near its CPU, or goes to
//! the waker's CPU if that has less load (`wake_affine`), and there to an idle CPU
//! (`select_idle_sibling`).
//! Left out: sync hints, buddies, domains below a node, a new placement at exec (`sched_exec`), the
//! rule that a new task starts behind those of its queue.
//! Visible difference: a waker that sleeps immediately still leaves its task on the task's old CPU.
//! Invariants: a task is placed on a CPU it may run on.

use super::Sched;
use super::domains::{Domain, FORK, WAKE_AFFINE};
use super::load::TASK_LOAD;
use crate::machine::TaskKind;
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

decisions! {
    ForkedAway { cpu: Cpu, first: Cpu, theirs: Count, ours: Count, percent: Count }
        "The new task goes to the group of {first}: {percent} percent of the load there, {theirs}, is not above load {ours} in the group of {cpu}.";
    ForkedHere { cpu: Cpu, ours: Count, theirs: Count, percent: Count }
        "Load {ours} in the group of {cpu} is below {percent} percent of {theirs}, the lowest of the other groups: the new task stays.";
    WokenThere { task: Task, waker_cpu: Cpu, cpu: Cpu, theirs: Count, ours: Count, percent: Count }
        "{task} goes to {waker_cpu}, which wakes it: with the task, the load there is {theirs}, at most {percent} percent of {ours} on {cpu}, or {waker_cpu} has no load.";
    WokenConverged { task: Task, cpu: Cpu, node: Node, strength: Count }
        "{task} has converged on {node} with strength {strength} of 1,024: it wakes on {cpu}, where it ran last.";
    WokenPlaced { task: Task, waker_cpu: Cpu, node: Node }
        "AutoNUMA placed {task} on {node}: it does not go to {waker_cpu}, which wakes it.";
    WokenNear { task: Task, waker_cpu: Cpu, cpu: Cpu, theirs: Count, ours: Count, percent: Count }
        "{task} stays near {cpu}: with the task, load {theirs} on {waker_cpu}, which wakes it, is above {percent} percent of {ours} on {cpu}.";
}

impl Sched {
    /// The CPU with the fewest tasks among `cpus`; the first of several.
    pub fn place(&self, cpus: impl Iterator<Item = CpuIndex>) -> CpuIndex {
        cpus.min_by_key(|&c| (self.cpus[c].placed, c))
            .unwrap_or_default()
    }

    /// Counts a task as placed on this CPU.
    pub fn settle(&mut self, cpu: CpuIndex) {
        self.cpus[cpu].placed += 1;
    }

    /// Stops counting a task as placed on this CPU.
    pub fn unsettle(&mut self, cpu: CpuIndex) {
        self.cpus[cpu].placed -= 1;
    }

    /// The CPU for a task that wakes, which may be its own; `None` if it stays without a search
    /// (`select_idle_sibling`). `of_node` returns the CPUs of a node that the task may run on,
    /// `node` is the node of the task's CPU.
    pub fn place_woken<C: Iterator<Item = CpuIndex>>(
        &self,
        kind: TaskKind,
        cpu: CpuIndex,
        node: NodeIndex,
        of_node: impl Fn(NodeIndex) -> C,
    ) -> Option<CpuIndex> {
        let is_idle = |&c: &CpuIndex| self.cpus[c].is_idle();
        match kind {
            // A kernel thread takes an idle CPU (kswapd: one of its node), else it waits for its
            // own CPU.
            TaskKind::Kswapd { node } => Some(of_node(node).find(is_idle).unwrap_or(cpu)),
            TaskKind::Flusher { .. } | TaskKind::Scand => {
                let mut all = CpuIndex::all(self.cpus.len());
                Some(all.find(is_idle).unwrap_or(cpu))
            }
            // A process whose CPU is busy takes an idle CPU of its node.
            TaskKind::User { .. } if !is_idle(&cpu) => of_node(node).find(is_idle),
            _ => None,
        }
    }
}

/// Load of some CPUs relative to their power.
fn load_of(sched: &Sched, cpus: &[CpuIndex]) -> u64 {
    let loads = cpus.iter().map(|&cpu| sched.load(cpu));
    loads.sum::<u64>() / cpus.len().max(1) as u64
}

impl Sched {
    /// Records that a task was woken on a CPU, which is no longer idle.
    pub fn woken(&mut self, cpu: CpuIndex, at: u64) {
        self.balance.woken_on(cpu, at);
    }

    /// The least loaded other group of a level, and the loads of the own group and of that group.
    /// `None` if the task may run in no other group.
    fn idlest_group<'d>(
        &self,
        domain: &'d Domain,
        cpu: CpuIndex,
        allowed: &dyn Fn(CpuIndex) -> bool,
    ) -> Option<(&'d [CpuIndex], u64, u64)> {
        let own = domain.groups.iter().find(|g| g.contains(&cpu))?;
        let may = |group: &&Vec<CpuIndex>| *group != own && group.iter().any(|&c| allowed(c));
        let others = domain.groups.iter().filter(may);
        let idlest = others.min_by_key(|group| load_of(self, group))?;
        Some((idlest, load_of(self, own), load_of(self, idlest)))
    }

    /// The CPU of a group with the lowest load.
    fn idlest_cpu(
        &self,
        group: &[CpuIndex],
        allowed: &dyn Fn(CpuIndex) -> bool,
    ) -> Option<CpuIndex> {
        let may = group.iter().copied().filter(|&cpu| allowed(cpu));
        may.min_by_key(|&cpu| (self.load(cpu), cpu))
    }

    /// The target if it is idle, else the first idle CPU of the target's node, else the target.
    fn idle_sibling(
        &self,
        target: CpuIndex,
        node: &[CpuIndex],
        allowed: &dyn Fn(CpuIndex) -> bool,
    ) -> CpuIndex {
        if self.has_no_task(target) && allowed(target) {
            return target;
        }
        let may = |cpu: &&CpuIndex| allowed(**cpu) && self.has_no_task(**cpu);
        node.iter().find(may).copied().unwrap_or(target)
    }
}

/// Does a task go to the waker's CPU, given the loads of both CPUs without it (`wake_affine`)?
fn is_affine(waker: u64, own: u64, percent: u64) -> bool {
    waker == 0 || 100 * (waker + TASK_LOAD) <= percent * own
}

impl World {
    /// A CPU for a new task, searched from the running CPU outwards (`find_idlest_group`, `find_idlest_cpu`).
    pub(crate) fn place_new(&mut self, task: TaskIndex) -> CpuIndex {
        let mut cpu = self.cpu;
        // Levels that do not span fewer CPUs than the last one are skipped.
        let mut below = usize::MAX;
        loop {
            let domains = self.domains(cpu);
            let fits = |d: &&Domain| d.span.len() < below && d.has(FORK);
            let Some(domain) = domains.iter().rev().find(fits) else {
                break;
            };
            below = domain.span.len();
            let percent = domain.placing_pct();
            let allowed = |cpu: CpuIndex| self.may_run(task, cpu);
            let Some((group, ours, theirs)) = self.sched.idlest_group(domain, cpu, &allowed) else {
                continue;
            };
            let own_is_barred = !domain
                .groups
                .iter()
                .any(|g| g.contains(&cpu) && g.iter().any(|&c| allowed(c)));
            let goes = own_is_barred || 100 * ours >= percent * theirs;
            let next = self.sched.idlest_cpu(group, &allowed).filter(|_| goes);
            let (ours, theirs, percent) = (ours as i64, theirs as i64, percent as i64);
            let first = group.first().copied().unwrap_or(cpu);
            match next {
                Some(next) => {
                    self.record_behind(ForkedAway {
                        cpu,
                        first,
                        theirs,
                        ours,
                        percent,
                    });
                    cpu = next;
                }
                None => self.record_behind(ForkedHere {
                    cpu,
                    ours,
                    theirs,
                    percent,
                }),
            }
        }
        let may = |&cpu: &CpuIndex| self.may_run(task, cpu);
        if may(&cpu) {
            return cpu;
        }
        let mut all = CpuIndex::all(self.sched.cpus.len());
        all.find(may).unwrap_or(cpu)
    }

    /// The CPU for a waking task that ran on `own` (`select_task_rq_fair`). The search stays within the
    /// domains in which waking tasks move.
    pub(crate) fn place_waking(&mut self, task: TaskIndex, own: CpuIndex) -> CpuIndex {
        let waker = self.cpu;
        let domains = self.domains(waker);
        let affine = domains.iter().find(|d| d.has(WAKE_AFFINE) && d.spans(own));
        let percent = match affine {
            Some(domain) => domain.placing_pct(),
            // The machine has no such domain, and the waker's CPU is the task's own.
            None if waker == own => 100,
            None => return own,
        };
        let loads = (self.sched.load(waker), self.sched.load(own));
        let considers_waker = waker != own && self.may_run(task, waker);
        let placed = self
            .placed_elsewhere(task, waker)
            .filter(|_| considers_waker);
        if let Some(node) = placed {
            let waker_cpu = waker;
            self.record_behind(WokenPlaced {
                task,
                waker_cpu,
                node,
            });
        }
        let may_move = considers_waker && placed.is_none();
        let moves = may_move && is_affine(loads.0, loads.1, percent);
        if may_move {
            let (theirs, ours) = ((loads.0 + TASK_LOAD) as i64, loads.1 as i64);
            let (waker_cpu, cpu, percent) = (waker, own, percent as i64);
            match moves {
                true => self.record_behind(WokenThere {
                    task,
                    waker_cpu,
                    cpu,
                    theirs,
                    ours,
                    percent,
                }),
                false => self.record_behind(WokenNear {
                    task,
                    waker_cpu,
                    cpu,
                    theirs,
                    ours,
                    percent,
                }),
            }
        }
        let target = if moves { waker } else { own };
        let node = self.facts.node_of_cpu[target];
        let cpus = &self.facts.layout.nodes[node.index()].cpus;
        let allowed = |cpu: CpuIndex| self.may_run(task, cpu);
        let chosen = self.sched.idle_sibling(target, cpus, &allowed);
        let vetoed = self.converged_elsewhere(task, chosen);
        let Some((node, strength)) = vetoed.filter(|_| chosen != own) else {
            return chosen;
        };
        self.record_behind(WokenConverged {
            task,
            cpu: own,
            node,
            strength: strength.into(),
        });
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the CPU of the waker has a task, the woken task goes there only if its own CPU has
    /// two tasks.
    #[test]
    fn a_waking_task_runs_on_the_cpu_of_its_waker_if_that_cpu_has_less_load() {
        assert!(!is_affine(1024, 1024, 112), "one against one");
        assert!(is_affine(1024, 2048, 112), "one against two");
        assert!(!is_affine(1024, 0, 112), "its own CPU is idle");
        assert!(is_affine(0, 0, 112), "the waker's CPU has no task");
        assert!(!is_affine(2048, 2048, 112));
    }

    /// The task takes its own CPU if that is idle, else the first idle CPU of its node, else its own CPU.
    #[test]
    fn a_waking_task_prefers_its_previous_cpu_if_idle_then_an_idle_one_of_the_node() {
        let mut sched = Sched::new(4, 250);
        let target = |sched: &Sched, barred: CpuIndex| {
            sched.idle_sibling(CpuIndex::new(2), &[0, 1, 2, 3].map(CpuIndex::new), &|cpu| {
                cpu != barred
            })
        };
        assert_eq!(target(&sched, CpuIndex::new(9)), CpuIndex::new(2));
        sched.cpus[CpuIndex::new(2)].current = TaskIndex::new(7);
        sched.cpus[CpuIndex::new(0)].current = TaskIndex::new(8);
        assert_eq!(target(&sched, CpuIndex::new(9)), CpuIndex::new(1));
        assert_eq!(
            target(&sched, CpuIndex::new(1)),
            CpuIndex::new(3),
            "it may not run on CPU 1"
        );
        sched.cpus[CpuIndex::new(1)].current = TaskIndex::new(5);
        sched.cpus[CpuIndex::new(3)].current = TaskIndex::new(6);
        assert_eq!(target(&sched, CpuIndex::new(9)), CpuIndex::new(2));
    }
}
