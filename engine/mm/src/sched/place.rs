//! Which CPU a task runs on (kernel/sched/fair.c: `select_task_rq_fair`).
//!
//! Modelled: a new task goes to the CPU with the fewest; one that wakes to a busy CPU takes an idle one
//! of its node, a kernel thread any idle one it may run on.
//! Left out: balancing: a runnable task is never pulled off a busy CPU. Domains below a node.

use super::Sched;
use crate::machine::TaskKind;

impl Sched {
    /// The CPU with the fewest tasks among `cpus` (the first of equals).
    pub fn place(&self, cpus: impl Iterator<Item = u16>) -> u16 {
        cpus.min_by_key(|&c| (self.cpus[c as usize].placed, c))
            .unwrap_or(0)
    }

    /// A task was placed on this CPU and counts there from now on.
    pub fn settle(&mut self, cpu: u16) {
        self.cpus[cpu as usize].placed += 1;
    }

    /// A task counts on this CPU no longer.
    pub fn unsettle(&mut self, cpu: u16) {
        self.cpus[cpu as usize].placed -= 1;
    }

    /// The CPU a task that wakes takes instead of its own, which may be the same; none where it
    /// stays without looking (`select_idle_sibling`). `of_node` gives the CPUs of a node that the task may
    /// run on, `node` is that of the task's CPU.
    pub fn place_woken<C: Iterator<Item = u16>>(
        &self,
        kind: TaskKind,
        cpu: u16,
        node: u8,
        of_node: impl Fn(u8) -> C,
    ) -> Option<u16> {
        let is_idle = |&c: &u16| self.cpus[c as usize].is_idle();
        match kind {
            // A kernel thread takes an idle CPU (kswapd one of its node), else waits for its own.
            TaskKind::Kswapd { node } => Some(of_node(node).find(is_idle).unwrap_or(cpu)),
            TaskKind::Flusher { .. } => {
                let mut all = 0..self.cpus.len() as u16;
                Some(all.find(is_idle).unwrap_or(cpu))
            }
            // A process whose CPU is busy takes an idle one of its node.
            TaskKind::User { .. } if !is_idle(&cpu) => of_node(node).find(is_idle),
            _ => None,
        }
    }
}
