//! Machines described from page counts alone, for tests that compare with printed numbers.
#![allow(dead_code)]

use std::collections::BTreeMap;

use facts::arch::{Arch, X86_DMA_END_PFN, X86_DMA32_END_PFN, ZoneType};
use facts::kernel::{self, Features};
use facts::profile::{CostEra, MachineProfile, MemRange, NodeProfile, Thp, ZonelistChoice};

/// Pages of one zone of a node: kind, managed, present.
pub type Zone = (ZoneType, u64, u64);

/// The features of a kernel that must exist.
pub fn features(id: &str) -> &'static Features {
    &kernel::find(id).expect("a known kernel").features
}

/// A machine whose zones have exactly these pages, placed one after the other inside the zone
/// borders.
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
        id: "test".to_string(),
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
        // All of ppc64 is one run of memory; Movable lies on top of Normal.
        let area = match (arch, kind) {
            (Arch::Ppc64, _) | (_, ZoneType::Movable) => ZoneType::Normal,
            (Arch::X86_64, kind) => kind,
        };
        let start = next.get_mut(&area).expect("an area of memory");
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
