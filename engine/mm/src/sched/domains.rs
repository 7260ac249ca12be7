//! Scheduling domains: groups of CPUs over which tasks are balanced, level by level
//! (kernel/sched/core.c: `build_sched_domains`, `sched_init_numa`; constants of 3.7).
//!
//! Modelled: the level of a node, whose groups are its CPUs. Above it there is a level for each
//! distinct distance between nodes, whose groups are the spans of the level below. A level that
//! adds no CPU to the one below is dropped. The levels MC and CPU both span a node; here they are
//! one level with the flags of both.
//! Left out: SMT levels: the description of a machine has no cores. Power of CPUs: each has 1024.
//! CPU sets.
//! Visible difference: on a machine with hyper-threads the kernel first spreads tasks over idle
//! cores.
//! Invariants: domains are built once from the layout and never changed; the groups of a level
//! cover its span, each has at least one CPU, and they are in the order of their first CPUs.

use crate::layout::Layout;
use facts::index::{CpuIndex, NodeIndex};

/// A CPU that runs out of tasks takes tasks within this level (`SD_BALANCE_NEWIDLE`).
pub const NEWIDLE: u8 = 1;
/// Tasks are placed within this level at exec (`SD_BALANCE_EXEC`).
pub const EXEC: u8 = 1 << 1;
/// New tasks are placed within this level (`SD_BALANCE_FORK`).
pub const FORK: u8 = 1 << 2;
/// A waking task may move to the waker's CPU (`SD_WAKE_AFFINE`).
pub const WAKE_AFFINE: u8 = 1 << 3;
/// Only one CPU of the machine balances such a level at a time (`SD_SERIALIZE`).
pub const SERIALIZE: u8 = 1 << 4;
/// The level above spreads tasks over the groups of this level (`SD_PREFER_SIBLING`).
pub const PREFER_SIBLING: u8 = 1 << 5;

/// New and waking tasks are not spread over nodes farther apart than this (`REMOTE_DISTANCE`, 3.7).
const REMOTE_DISTANCE: u8 = 30;
/// `node_distance` of a node to itself.
const LOCAL_DISTANCE: u8 = 10;

/// One level, for the CPUs of one node (`struct sched_domain`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// Nodes within this distance belong to the level.
    pub distance: u8,
    /// CPUs of the level in ascending order.
    pub span: Vec<CpuIndex>,
    /// CPUs of the level in groups, in the order of their first CPUs.
    pub groups: Vec<Vec<CpuIndex>>,
    /// Minimum interval between two balancings by an idle CPU, ms.
    pub min_ms: u32,
    /// Maximum interval between two balancings, ms.
    pub max_ms: u32,
    /// Factor by which the interval is longer for a busy CPU.
    pub busy_factor: u32,
    /// Load elsewhere, as a percentage of the load here, above which a busy CPU takes tasks.
    pub imbalance_pct: u32,
    /// After more failures than this, cache-hot tasks are also moved.
    pub cache_nice_tries: u32,
    /// Flags such as [`NEWIDLE`].
    pub flags: u8,
}

impl Domain {
    /// The level of a node.
    fn node(cpus: &[CpuIndex]) -> Self {
        Self {
            distance: LOCAL_DISTANCE,
            span: cpus.to_vec(),
            groups: cpus.iter().map(|&cpu| vec![cpu]).collect(),
            min_ms: 1,
            max_ms: 4,
            busy_factor: 64,
            imbalance_pct: 125,
            cache_nice_tries: 1,
            flags: NEWIDLE | EXEC | FORK | WAKE_AFFINE | PREFER_SIBLING,
        }
    }

    /// The level of all nodes within a distance (`sd_numa_init`).
    fn numa(distance: u8, span: Vec<CpuIndex>, groups: Vec<Vec<CpuIndex>>) -> Self {
        let cpus = span.len() as u32;
        let near = if distance > REMOTE_DISTANCE {
            0
        } else {
            EXEC | FORK | WAKE_AFFINE
        };
        Self {
            distance,
            span,
            groups,
            min_ms: cpus,
            max_ms: 2 * cpus,
            busy_factor: 32,
            imbalance_pct: 125,
            cache_nice_tries: 2,
            flags: NEWIDLE | SERIALIZE | near,
        }
    }

    /// Does the level have this flag?
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Is this level above the level of a node? There busy CPUs compare slow loads.
    pub fn is_numa(&self) -> bool {
        self.distance > LOCAL_DISTANCE
    }

    /// Does the level span this CPU?
    pub fn spans(&self, cpu: CpuIndex) -> bool {
        self.span.binary_search(&cpu).is_ok()
    }

    /// Percentage of the lowest load above which a new or waking task is placed elsewhere: half the
    /// margin of balancing.
    pub fn placing_pct(&self) -> u64 {
        u64::from(100 + (self.imbalance_pct - 100) / 2)
    }
}

/// The levels of all CPUs; the CPUs of a node have the same levels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Domains {
    /// The levels of each node, the innermost first.
    nodes: Vec<Vec<Domain>>,
}

impl Domains {
    /// The levels of a machine.
    pub fn of(layout: &Layout) -> Self {
        let mut distances: Vec<u8> = layout.distances.iter().flatten().copied().collect();
        distances.sort_unstable();
        distances.dedup();
        distances.retain(|&d| d > LOCAL_DISTANCE);
        let nodes = 0..layout.nodes.len();
        Self {
            nodes: nodes.map(|n| levels(layout, n, &distances)).collect(),
        }
    }

    /// The levels of the CPUs of a node, the innermost first.
    pub fn of_node(&self, node: NodeIndex) -> &[Domain] {
        self.nodes.get(node.index()).map_or(&[], Vec::as_slice)
    }
}

/// CPUs of the nodes within a distance of a node.
fn within(layout: &Layout, node: usize, distance: u8) -> Vec<CpuIndex> {
    let near = layout.nodes.iter().zip(&layout.distances[node]);
    let near = near.filter(|&(_, &d)| d <= distance);
    let mut cpus: Vec<CpuIndex> = near.flat_map(|(n, _)| n.cpus.iter().copied()).collect();
    cpus.sort_unstable();
    cpus
}

fn levels(layout: &Layout, node: usize, distances: &[u8]) -> Vec<Domain> {
    let own = &layout.nodes[node].cpus;
    let mut levels = Vec::new();
    if own.len() > 1 {
        levels.push(Domain::node(own));
    }
    let (mut below, mut inner) = (own.clone(), LOCAL_DISTANCE);
    for &distance in distances {
        let span = within(layout, node, distance);
        if span.len() > below.len() {
            let groups = groups(layout, node, &span, inner);
            levels.push(Domain::numa(distance, span.clone(), groups));
            below = span;
        }
        inner = distance;
    }
    levels
}

/// The groups of a level: the span of the level below for the own node, then for each node that is
/// in no group yet (`build_overlap_sched_groups`). Groups may overlap.
fn groups(layout: &Layout, node: usize, span: &[CpuIndex], inner: u8) -> Vec<Vec<CpuIndex>> {
    let mut covered = Vec::new();
    let mut groups: Vec<Vec<CpuIndex>> = Vec::new();
    for n in std::iter::once(node).chain(0..layout.nodes.len()) {
        let cpus = &layout.nodes[n].cpus;
        let is_new = |cpu: &CpuIndex| span.contains(cpu) && !covered.contains(cpu);
        if !cpus.iter().any(is_new) {
            continue;
        }
        let mut group = within(layout, n, inner);
        group.retain(|cpu| span.contains(cpu));
        covered.extend_from_slice(&group);
        groups.push(group);
    }
    groups.sort();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::NodeLayout;

    /// Nodes with these numbers of CPUs, at the given distances.
    fn layout(cpus: &[u16], distances: &[&[u8]]) -> Layout {
        let experiment = crate::experiment::Experiment::preset("first-touch.teach");
        let experiment = experiment.expect("a preset");
        let features = experiment.kernel.features;
        let mut layout = Layout::new(&experiment.machine, &features);
        let mut next = 0;
        let mut node = |(id, &n): (u16, &u16)| {
            next += n;
            NodeLayout {
                id,
                cpus: (next - n..next).map(CpuIndex::new).collect(),
                zones: Vec::new(),
            }
        };
        layout.nodes = (0..).zip(cpus).map(&mut node).collect();
        layout.distances = distances.iter().map(|row| row.to_vec()).collect();
        layout
    }

    const SAME: [&[u8]; 4] = [
        &[10, 20, 20, 20],
        &[20, 10, 20, 20],
        &[20, 20, 10, 20],
        &[20, 20, 20, 10],
    ];

    /// Four nodes of eight CPUs are equally far apart.
    #[test]
    fn four_equidistant_nodes_have_two_domain_levels() {
        let domains = Domains::of(&layout(&[8, 8, 8, 8], &SAME));
        let [node, numa] = domains.of_node(NodeIndex::new(1)) else {
            panic!("{domains:?}")
        };
        assert_eq!(node.span, (8..16).map(CpuIndex::new).collect::<Vec<_>>());
        assert_eq!(node.groups.len(), 8);
        assert_eq!((node.min_ms, node.max_ms, node.busy_factor), (1, 4, 64));
        assert_eq!((node.imbalance_pct, node.cache_nice_tries), (125, 1));
        assert!(node.has(PREFER_SIBLING) && !node.has(SERIALIZE));
        assert_eq!(numa.span.len(), 32);
        assert_eq!(numa.groups.len(), 4);
        assert_eq!(numa.groups[1], node.span);
        assert_eq!((numa.min_ms, numa.max_ms, numa.busy_factor), (32, 64, 32));
        assert_eq!((numa.imbalance_pct, numa.cache_nice_tries), (125, 2));
        assert!(numa.has(SERIALIZE) && numa.has(FORK) && !numa.has(PREFER_SIBLING));
        assert_eq!(node.placing_pct(), 112);
    }

    #[test]
    fn drops_a_level_that_adds_no_cpu() {
        let one = Domains::of(&layout(&[1], &[&[10]]));
        assert!(one.of_node(NodeIndex::new(0)).is_empty());
        // A node with one CPU has no level of its own; a node without CPUs adds none.
        let domains = Domains::of(&layout(
            &[1, 1, 0],
            &[&[10, 20, 15], &[20, 10, 15], &[15, 15, 10]],
        ));
        let levels = domains.of_node(NodeIndex::new(0));
        assert_eq!(levels.len(), 1);
        assert_eq!(levels[0].groups, [0, 1].map(|cpu| vec![CpuIndex::new(cpu)]));
    }

    /// On a ring of four nodes the groups of the far level overlap, and new and waking tasks are
    /// not spread over that level.
    #[test]
    fn groups_of_the_top_level_overlap_on_a_ring_of_nodes() {
        let ring: [&[u8]; 4] = [
            &[10, 20, 40, 20],
            &[20, 10, 20, 40],
            &[40, 20, 10, 20],
            &[20, 40, 20, 10],
        ];
        let domains = Domains::of(&layout(&[2, 2, 2, 2], &ring));
        let [_, near, far] = domains.of_node(NodeIndex::new(0)) else {
            panic!("{domains:?}")
        };
        assert_eq!(near.span, [0, 1, 2, 3, 6, 7].map(CpuIndex::new));
        assert_eq!(
            near.groups,
            [[0, 1], [2, 3], [6, 7]].map(|cpus| cpus.map(CpuIndex::new).to_vec())
        );
        assert!(near.has(WAKE_AFFINE));
        // The group of its own node, then that of the first node that is in no group yet.
        let groups = [[0, 1, 2, 3, 6, 7], [2, 3, 4, 5, 6, 7]];
        assert_eq!(
            far.groups,
            groups.map(|cpus| cpus.map(CpuIndex::new).to_vec())
        );
        assert!(!far.has(FORK | EXEC | WAKE_AFFINE) && far.has(NEWIDLE));
    }
}
