//! What AutoNUMA changes of balancing (kernel/sched/fair.c and numa.c: `sched_autonuma_can_migrate_task`).
//!
//! Modelled: of the tasks that wait, those are taken first that AutoNUMA did not place on another node; others only
//! where there is none, and with `sched_load_balance_strict` by idle CPUs alone. A task that wakes does not go to
//! the CPU that wakes it, if it was placed on another node.
//! Left out: a second look at the others for an imbalance of several tasks, of which some were taken.
//! Who could tell: a CPU that takes two of three waiting tasks looks once more for the second.
//! Invariants: no idle CPU stays idle for AutoNUMA's sake.

use super::Look;
use crate::kernel::AutoRules;
use crate::numa::autonuma;
use crate::record::decisions;
use crate::world::World;

decisions! {
    BalancePlaced { task: Task, cpu: Cpu, node: Node }
        "AutoNUMA placed {task} on {node}: {cpu} passes it over.";
}

impl World {
    /// The rules of AutoNUMA, where it is and is on.
    pub(super) fn autonuma(&self) -> Option<AutoRules> {
        autonuma::rules(&self.facts.features).filter(|_| self.numa.on)
    }

    /// The node AutoNUMA placed a task on, where this CPU is not of it (`task_autonuma_cpu`).
    pub(in crate::sched) fn placed_elsewhere(&self, task: u32, cpu: u16) -> Option<u8> {
        self.autonuma()?;
        let node = self.numa.tasks.get(task as usize)?.auto.node?;
        (node != self.facts.node_of_cpu[usize::from(cpu)]).then_some(node)
    }

    /// Says which waiting tasks of a queue are passed over.
    pub(super) fn tell_placed(&mut self, look: Look, busiest: u16) {
        let waiting = self.sched.cpus[usize::from(busiest)].queue.clone();
        for task in waiting {
            if let Some(node) = self.placed_elsewhere(task, look.cpu) {
                let cpu = look.cpu;
                self.tell(look.idle, BalancePlaced { task, cpu, node });
            }
        }
    }
}
