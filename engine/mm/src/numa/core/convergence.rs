//! The concentration of a task's memory on one node, and its effects (kernel/sched/fair.c:
//! `shared_fault_calc_convergence`, `numa_allow_migration`, the size of a scan in `task_numa_scan_work`; 30
//! November 2012).
//!
//! Modelled: all of it. Only the node of the memory counts, not where the task runs.
//! Invariants: the strength is at most 1024; a scan is between 32 and 512 MiB, and never grows with
//! the strength.

use facts::index::NodeIndex;
use facts::state::State;

/// Strength of a task whose memory is all on one node.
pub const WHOLE: u32 = 1024;
/// A task with at least this strength has converged: 90 %.
pub const CONVERGED: u32 = 921;
/// Minimum and maximum number of pages that a scan marks.
pub const SCAN_PAGES: [u32; 2] = [32 << 8, 512 << 8];
/// Number of pages that a scan marks in v17.
pub const SCAN_PAGES_V17: u32 = 256 << 8;

/// Concentration of a task's memory on one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Convergence {
    /// Share of the task's faults that are on the node with most of them, in 1/1024
    /// (`convergence_strength`).
    pub strength: u32,
    /// The node with most faults, if the strength is 921 or more (`convergence_node`).
    pub node: Option<NodeIndex>,
}

impl Convergence {
    /// Updates the strength from a task's averages: all its faults, and the node with most of them
    /// and their number. Without faults nothing changes.
    pub fn update(&mut self, all: u64, best: Option<(NodeIndex, u64)>) {
        let Some((node, most)) = best.filter(|_| all > 0) else {
            return;
        };
        self.strength = (u64::from(WHOLE) * most / all) as u32;
        self.node = (self.strength >= CONVERGED).then_some(node);
    }

    /// May the scheduler move the task to a CPU of a node, or wake it there?
    pub fn allows(&self, node: NodeIndex) -> bool {
        self.node.is_none_or(|converged| converged == node)
    }

    /// Number of pages a scan of the task marks in v18.
    pub fn scan_pages(&self) -> u32 {
        let [least, most] = SCAN_PAGES;
        let spread = u64::from(most - least) * u64::from(WHOLE - self.strength.min(WHOLE));
        least + (spread / u64::from(WHOLE)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(faults: [u64; 4]) -> Convergence {
        let mut found = Convergence::default();
        let most = NodeIndex::all(4)
            .zip(faults)
            .rev()
            .max_by_key(|&(_, faults)| faults);
        found.update(faults.iter().sum(), most);
        found
    }

    fn strength(strength: u32) -> Convergence {
        let node = None;
        Convergence { strength, node }
    }

    #[test]
    fn convergence_strength_is_the_share_of_faults_on_the_best_node() {
        let table = [
            ([100, 100, 100, 100], 256, None),
            ([900, 100, 0, 0], 921, Some(0)),
            ([899, 101, 0, 0], 920, None),
            ([0, 895, 105, 0], 916, None),
            ([0, 0, 0, 7], 1024, Some(3)),
        ];
        for (faults, strength, node) in table {
            let node = node.map(NodeIndex::new);
            let found = Convergence { strength, node };
            assert_eq!(of(faults), found, "{faults:?}");
        }
    }

    #[test]
    fn an_update_without_faults_keeps_the_convergence_strength() {
        let mut found = of([0, 0, 0, 7]);
        found.update(0, None);
        assert_eq!(found, of([0, 0, 0, 7]));
    }

    #[test]
    fn scan_sizes_shrink_as_the_convergence_strength_grows() {
        let table = [
            (0, 131_072),
            (256, 100_352),
            (512, 69_632),
            (921, 20_552),
            (960, 15_872),
            (1024, 8_192),
        ];
        for (of, pages) in table {
            assert_eq!(strength(of).scan_pages(), pages, "{of}");
        }
        let sizes: Vec<_> = (0..=1024).map(|s| strength(s).scan_pages()).collect();
        assert!(sizes.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn a_converged_task_moves_only_to_its_best_node() {
        let on = |node| Convergence {
            strength: 921,
            node,
        };
        assert!(on(None).allows(NodeIndex::new(3)));
        assert!(on(Some(NodeIndex::new(2))).allows(NodeIndex::new(2)));
        assert!(!on(Some(NodeIndex::new(2))).allows(NodeIndex::new(0)));
        // From node 1 the task may move neither to node 0 nor to another CPU of node 1.
        assert!(!on(Some(NodeIndex::new(2))).allows(NodeIndex::new(1)));
        let mut falling = of([900, 100, 0, 0]);
        assert!(!falling.allows(NodeIndex::new(1)));
        falling.update(1000, Some((NodeIndex::new(0), 899)));
        assert_eq!(
            (falling.strength, falling.allows(NodeIndex::new(1))),
            (920, true)
        );
    }
}
