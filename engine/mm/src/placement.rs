//! Where the memory of each process lies and where its threads run, by node.
//!
//! Modelled: nothing of the kernel; the code only reads.
//! Left out: machines whose workload starts no threads, which move no task between nodes; machines
//! with one node, or with more nodes than threads run on ([`MAX_RUN_NODES`]).
//! Invariants: the pages of a process by node add up to its mapped pages.

use crate::machine::{Machine, TaskStatus};
use crate::numa::autonuma;
use crate::process::Process;
use crate::profile::MAX_RUN_NODES;
use facts::index::TaskIndex;

/// Placement of a process that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Main task of the process.
    pub task: TaskIndex,
    /// Number of mapped pages, by node.
    pub pages: Vec<u32>,
    /// Number of threads, by the node of the CPU on which each runs or last ran. A main task that
    /// has started threads is not counted.
    pub threads: Vec<u32>,
    /// Number of threads that run or wait for a CPU, by node.
    pub running: Vec<u32>,
    /// Passes over the memory of the process that marked pages for hinting faults
    /// (`numa_scan_seq`).
    pub scans: u32,
}

/// The local share of a process whose pages are all on the nodes that use them.
pub const ALL_LOCAL: u64 = 1000;

impl Placement {
    /// Pages per thousand that are on a thread's own node, averaged over the threads; `None` if the
    /// process has no page or no thread.
    pub fn local(&self) -> Option<u64> {
        let sum = |some: &[u32]| some.iter().map(|&n| u64::from(n)).sum::<u64>();
        let both = self.pages.iter().zip(&self.threads);
        let local: u64 = both.map(|(&p, &t)| u64::from(p) * u64::from(t)).sum();
        (ALL_LOCAL * local).checked_div(sum(&self.pages) * sum(&self.threads))
    }
}

/// All processes that have not ended, by number.
pub fn of_machine(m: &Machine) -> Vec<Placement> {
    let nodes = m.w.facts.layout.nodes.len();
    if !m.w.facts.balances || !(2..=MAX_RUN_NODES).contains(&nodes) {
        return Vec::new();
    }
    let living = m.w.processes.all.iter().filter(|p| p.users() > 0);
    living
        .map(|process| of_process(m, process, nodes))
        .collect()
}

fn of_process(m: &Machine, process: &Process, nodes: usize) -> Placement {
    let task = process.space.owner;
    let (mut threads, mut running) = (vec![0; nodes], vec![0; nodes]);
    let others = process.threads.iter().map(|thread| thread.task);
    let alone = process.threads.is_empty().then_some(task);
    for id in others.chain(alone) {
        let Some(t) = m.tasks.at(id) else {
            continue;
        };
        let node = m.w.facts.node_of_cpu[t.cpu].index();
        threads[node] += 1;
        running[node] += u32::from(t.status == TaskStatus::Runnable);
    }
    Placement {
        task,
        pages: process.space.by_node[..nodes].to_vec(),
        threads,
        running,
        scans: match autonuma::rules(&m.w.facts.features) {
            Some(_) => process.auto.pass as u32,
            None => process.scan.seq,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Placement, TaskIndex};

    fn local(pages: &[u32], threads: &[u32]) -> Option<u64> {
        let (pages, threads) = (pages.to_vec(), threads.to_vec());
        let running = threads.clone();
        Placement {
            task: TaskIndex::new(0),
            pages,
            threads,
            running,
            scans: 0,
        }
        .local()
    }

    #[test]
    fn counts_a_quarter_as_local_when_a_process_is_spread_over_four_nodes() {
        assert_eq!(local(&[25; 4], &[2; 4]), Some(250));
        // All threads are on one node, wherever the memory is.
        assert_eq!(local(&[25; 4], &[8, 0, 0, 0]), Some(250));
        assert_eq!(local(&[100, 0, 0, 0], &[2; 4]), Some(250));
    }

    #[test]
    fn counts_all_pages_as_local_once_a_process_has_converged() {
        assert_eq!(local(&[0, 100, 0, 0], &[0, 8, 0, 0]), Some(1000));
        assert_eq!(local(&[0, 100, 0, 0], &[8, 0, 0, 0]), Some(0));
    }

    #[test]
    fn returns_no_share_without_pages_or_threads() {
        assert_eq!(local(&[0; 2], &[1, 0]), None);
        assert_eq!(local(&[1, 0], &[0; 2]), None);
    }
}
