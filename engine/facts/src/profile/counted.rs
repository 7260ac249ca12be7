//! A machine described only by page counts, as a printed `/proc/zoneinfo` gives them.
//!
//! Modelled: nothing of the kernel.
//! Left out: holes. Zones follow each other inside the borders of their types, because watermarks, protection
//! and list sizes depend on nothing else.
//! Invariants: every zone has exactly the requested pages.

use std::collections::BTreeMap;

use crate::arch::{Arch, X86_DMA_END_PFN, X86_DMA32_END_PFN, ZoneType};
use crate::profile::{CostEra, MachineProfile, MemRange, NodeProfile, Thp, ZonelistChoice};

/// Pages of one zone of a node: type, managed, present.
pub type Zone = (ZoneType, u64, u64);

/// A machine whose zones have exactly these pages; for each node its CPUs and zones.
pub fn machine(arch: Arch, page_kib: u32, nodes: &[(u16, Vec<Zone>)]) -> MachineProfile {
    let mut next = BTreeMap::from([
        (ZoneType::Dma, 0),
        (ZoneType::Dma32, X86_DMA_END_PFN),
        (ZoneType::Normal, X86_DMA32_END_PFN),
    ]);
    let nodes_described: Vec<NodeProfile> = nodes
        .iter()
        .map(|(cpus, zones)| describe_node(arch, *cpus, zones, &mut next))
        .collect();
    let count = nodes.len();
    let distance = |from, to| if from == to { 10 } else { 20 };
    MachineProfile {
        id: "counted".to_string(),
        title: String::new(),
        arch,
        page_size_kib: page_kib,
        zones: None,
        nodes: nodes_described,
        distances: (0..count)
            .map(|from| (0..count).map(|to| distance(from, to)).collect())
            .collect(),
        hz: 250,
        thp: Thp::Always,
        costs: CostEra::S2021,
        pcp: true,
        zonelist_order: ZonelistChoice::Default,
        devices: None,
        memory: None,
        tunables: BTreeMap::new(),
    }
}

fn describe_node(
    arch: Arch,
    cpus: u16,
    zones: &[Zone],
    next: &mut BTreeMap<ZoneType, u64>,
) -> NodeProfile {
    let mut node = NodeProfile {
        id: None,
        ranges: Vec::new(),
        cpus,
        reserved: BTreeMap::new(),
        movable_from_pfn: None,
    };
    for &(kind, managed, present) in zones {
        if present == 0 {
            continue;
        }
        // On ppc64 memory is one range, and Movable is at the top of Normal.
        let area = match (arch, kind) {
            (Arch::Ppc64 | Arch::Sh4, _) | (_, ZoneType::Movable) => ZoneType::Normal,
            (Arch::X86_64, kind) => kind,
        };
        let start = next.entry(area).or_insert(0);
        if kind == ZoneType::Movable {
            node.movable_from_pfn = Some(*start);
        }
        node.ranges.push(MemRange {
            start_pfn: *start,
            pages: present,
        });
        *start += present;
        node.reserved.insert(kind, present - managed);
    }
    node
}
