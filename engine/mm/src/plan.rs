//! The plan from which a machine is booted: everything that an experiment decides before its first
//! step.
//!
//! Modelled: the layout of memory, zonelists, device queues and tunables over time, computed once.
//! Left out: whatever is only for people: names, titles, the text of the experiment.
//! Invariants: nothing here changes while the machine runs.

use facts::index::{CpuIndex, IndexVec, NodeIndex, ZoneIndex, ZonelistIndex};
use std::sync::Arc;

use crate::arch::Arch;
use crate::bandwidth::AccessCosts;
use crate::block::Drive;
use crate::costs::Costs;
use crate::experiment::Experiment;
use crate::intervention::CompiledAct;
use crate::layout::Layout;
use crate::sched::SLICE_NS;
use crate::sched::domains::Domains;
use crate::workload::{Op, Program, bound_sets};
use crate::world::{Change, Facts};
use crate::zonelist::build_zonelists;

/// Everything needed for booting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The facts, which never change during a run.
    pub facts: Arc<Facts>,
    /// For each file: its number of pages, and whether it is absent when the run begins.
    pub files: Vec<(u32, bool)>,
    /// Number of page frames that exist.
    pub present_pages: u64,
}

impl Plan {
    /// The plan of an experiment.
    pub fn of(experiment: &Experiment) -> Plan {
        Plan::with_costs(experiment, *Costs::of(experiment.machine.costs))
    }

    /// The plan of an experiment on a machine with other costs.
    pub(crate) fn with_costs(experiment: &Experiment, cost: Costs) -> Plan {
        let facts = facts(experiment, cost);
        let present_pages = experiment.machine.present_pages();
        Plan {
            facts: Arc::new(facts),
            files: experiment.files.clone(),
            present_pages,
        }
    }

    /// The same with task balancing, whatever the workload; for tests.
    #[doc(hidden)]
    pub fn balanced(mut self) -> Plan {
        let facts = Arc::make_mut(&mut self.facts);
        (facts.balances, facts.ticks) = (true, true);
        facts.domains = Domains::of(&facts.layout);
        self
    }
}

fn facts(e: &Experiment, cost: Costs) -> Facts {
    let features = e.kernel.features;
    let layout = Layout::new(&e.machine, &features);
    let page_kib = layout.geometry.page_kib();
    let rates = e.machine.memory.as_ref();
    let huge_kib = page_kib << layout.geometry.pageblock_order;
    let populated = populated_zones(&layout);
    let balances = has_threads(&e.programs);
    let index = |node: usize, zone: usize| {
        let place = populated.iter().position(|&p| p == (node, zone));
        ZoneIndex::new(place.unwrap_or(0) as u8)
    };
    let lists = build_zonelists(&layout, &features, e.tunables.numa_zonelist_order);
    let all = lists.iter().map(|list| &list.fallback);
    let zonelists: IndexVec<ZonelistIndex, Vec<ZoneIndex>> = all
        .chain(lists.iter().map(|list| &list.this_node))
        .map(|list| list.iter().map(|z| index(z.node, z.zone)).collect())
        .collect();
    let mut zonelists = zonelists;
    for set in bound_sets(&e.programs) {
        for node in NodeIndex::all(layout.nodes.len()) {
            let list = zonelists[node.zonelist()].iter().copied();
            let node_of = |zone: ZoneIndex| NodeIndex::new(populated[zone.index()].0 as u8);
            let of_set = list.filter(|&zone| set.contains(&node_of(zone)));
            let of_set = of_set.collect();
            zonelists.push(of_set);
        }
    }
    let cpus = layout.online_cpus() as u16;
    let highest = highest(&layout);
    let preferred = zonelists.iter().map(|list| {
        highest.map(|high| {
            let fits = |&&z: &&ZoneIndex| populated[z.index()].1 <= usize::from(high);
            list.iter().find(fits).copied().unwrap_or(ZoneIndex::NONE)
        })
    });
    let preferred = preferred.collect();
    let blk_mq = features.blk_mq;
    let devices = (0..).zip(e.machine.devices_in_force());
    let devices = devices
        .map(|(i, profile)| Drive::new(&profile, i, page_kib, cpus, blk_mq))
        .collect();
    let mut node_of_cpu: IndexVec<CpuIndex, _> =
        vec![NodeIndex::default(); layout.online_cpus() as usize].into();
    for (n, node) in NodeIndex::all(layout.nodes.len()).zip(&layout.nodes) {
        for &cpu in &node.cpus {
            node_of_cpu[cpu] = n;
        }
    }
    let interventions = changes(e);
    Facts {
        cpu_masks: cpu_masks(&layout, &e.programs, &interventions),
        node_sets: node_sets(&e.programs),
        features,
        cost,
        slice_ns: rates.map_or(SLICE_NS, |rates| u64::from(rates.slice_us) * 1000),
        accesses: rates.map(|rates| AccessCosts::new(rates, page_kib << 10)),
        zero_page: cost.zero_page(page_kib),
        zero_huge: u32::try_from(cost.zero_huge(huge_kib)).unwrap_or(u32::MAX),
        zonelists,
        highest,
        preferred,
        groups: e.groups.clone(),
        programs: e.programs.clone(),
        interventions,
        length_ns: e.length_ns,
        seed: e.seed,
        node_of_cpu,
        lru_gen_mask: lru_gen_mask(e.machine.arch),
        zone_reclaim_default: crate::zone_reclaim::default_mode(&layout, &features),
        booted_thp: e.machine.thp,
        hz: e.machine.hz.into(),
        tunables: e.tunables.clone(),
        devices,
        batch: crate::vmscan::SWAP_CLUSTER_MAX,
        pcp: e.machine.pcp,
        balances,
        ticks: balances,
        domains: match balances {
            true => Domains::of(&layout),
            false => Domains::default(),
        },
        layout,
    }
}

/// Does a workload start threads? If so, its machine balances tasks over CPUs.
fn has_threads(programs: &[Program]) -> bool {
    let mut ops = programs.iter().flat_map(|program| &program.ops);
    ops.any(|op| matches!(op, Op::Threads { .. }))
}

/// The experiment's interventions.
fn changes(e: &Experiment) -> Vec<Change> {
    let each = e.interventions.iter().cloned();
    each.map(|(at_ns, act)| Change { at_ns, act }).collect()
}

/// CPU masks: for each node its CPUs, then all CPUs, then the masks that programs and interventions
/// name.
fn cpu_masks(layout: &Layout, programs: &[Program], changes: &[Change]) -> Vec<Vec<CpuIndex>> {
    let mut masks: Vec<Vec<CpuIndex>> = layout.nodes.iter().map(|n| n.cpus.clone()).collect();
    masks.push(CpuIndex::all(layout.online_cpus() as usize).collect());
    let of_programs = programs.iter().flat_map(|program| &program.cpu_sets);
    let from_outside = changes.iter().filter_map(|change| match &change.act {
        CompiledAct::Affinity { cpus, .. } => Some(cpus),
        _ => None,
    });
    for cpus in of_programs.chain(from_outside) {
        if !cpus.is_empty() && !masks.contains(cpus) {
            masks.push(cpus.clone());
        }
    }
    masks
}

/// The sets of nodes that programs name. Sets of several nodes to which memory is bound come first, in
/// the order of their zonelists.
fn node_sets(programs: &[Program]) -> Vec<Vec<NodeIndex>> {
    let mut sets = bound_sets(programs);
    for set in programs.iter().flat_map(|program| &program.node_sets) {
        if !sets.contains(set) {
            sets.push(set.clone());
        }
    }
    sets
}

/// The highest zone type that serves requests for DMA, DMA32, Normal and Movable memory.
fn highest(layout: &Layout) -> [u8; 4] {
    use crate::arch::ZoneType::*;
    [Dma, Dma32, Normal, Movable].map(|requested| {
        let types = &layout.zone_types;
        types.iter().rposition(|&t| t <= requested).unwrap_or(0) as u8
    })
}

/// (node, zone type) of each populated zone, in the order of `Memory::zones`.
pub fn populated_zones(layout: &Layout) -> Vec<(usize, usize)> {
    let nodes = layout.nodes.iter().enumerate();
    nodes
        .flat_map(|(n, node)| {
            let zones = node.zones.iter().enumerate();
            zones
                .filter(|(_, z)| z.is_populated())
                .map(move |(k, _)| (n, k))
        })
        .collect()
}

/// Bits of `lru_gen.enabled` that the hardware supports: x86_64 sets accessed bits in page tables
/// and in their directories, the others set none.
const fn lru_gen_mask(arch: Arch) -> u64 {
    match arch {
        Arch::X86_64 => 7,
        Arch::Ppc64 | Arch::Sh4 => 1,
    }
}
