//! Changes of AutoNUMA to load balancing (kernel/sched/fair.c and numa.c: `sched_autonuma_can_migrate_task`).
//!
//! Modelled: balancing first takes waiting tasks that AutoNUMA did not place on another node. It
//! takes others only if there are none, and with `sched_load_balance_strict` only for idle CPUs. A
//! waking task that was placed on another node does not go to the waker's CPU.
//! Left out: a second pass over the other tasks, if the imbalance is several tasks and only some
//! were taken.
//! Visible difference: a CPU that takes two of three waiting tasks needs another search for the
//! second.
//! Invariants: no idle CPU stays idle because of AutoNUMA.

use super::Look;
use crate::kernel::AutoRules;
use crate::numa::autonuma;
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

decisions! {
    BalancePlaced { task: Task, cpu: Cpu, node: Node }
        "AutoNUMA placed {task} on {node}: {cpu} does not take it.";
}

impl World {
    /// The rules of AutoNUMA, if this kernel has them and they are on.
    pub(super) fn autonuma(&self) -> Option<AutoRules> {
        autonuma::rules(&self.facts.features).filter(|_| self.numa.on)
    }

    /// The node on which AutoNUMA placed a task, if this CPU is not on it (`task_autonuma_cpu`).
    pub(in crate::sched) fn placed_elsewhere(
        &self,
        task: TaskIndex,
        cpu: CpuIndex,
    ) -> Option<NodeIndex> {
        self.autonuma()?;
        let node = self.numa.tasks.at(task)?.auto.node?;
        (node != self.facts.node_of_cpu[cpu]).then_some(node)
    }

    /// Records which waiting tasks of a queue are skipped.
    pub(super) fn tell_placed(&mut self, look: Look, busiest: CpuIndex) {
        let waiting = self.sched.cpus[busiest].queue.clone();
        for task in waiting {
            if let Some(node) = self.placed_elsewhere(task, look.cpu) {
                let cpu = look.cpu;
                self.tell(look.idle, BalancePlaced { task, cpu, node });
            }
        }
    }
}
