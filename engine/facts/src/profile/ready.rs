//! The ready-made machines.
//!
//! Modelled: the machines that the published runs used, or probably used; a sparse teaching size of most of
//! them; small machines with two and four nodes. They have real zone borders and block sizes, and 1 to 4
//! pageblocks per zone.
//! Left out: exact firmware maps. The full sizes are plausible constructions; the rules depend only on the
//! managed page counts.
//! Visible difference: a dump of the real machine has other `spanned` rows.
//! Invariants: each passes [`crate::profile::check`] and [`crate::profile::check_runnable`]; teaching sizes
//! have at most 4,096 frames.

mod by_node;

use crate::arch::{Arch, X86_DMA_END_PFN, X86_DMA32_END_PFN, ZoneType};
use crate::profile::device::{DeviceModel, DeviceProfile, scaled, usual};
use crate::profile::{CostEra, MachineProfile, MemRange, NodeProfile, Thp, ZonelistChoice};
use std::collections::BTreeMap;

/// Every ready-made machine.
pub fn profiles() -> Vec<MachineProfile> {
    vec![
        x86_64_2node(),
        x86_64_2node_4g(),
        x86_64_8g(),
        x86_64_3g(),
        x86_64_12cpu(),
        by_node::x86_64_4node(),
        by_node::x86_64_2node_12cpu(),
        by_node::x86_64_2node_512m(),
        by_node::x86_64_4node_1g(),
        ppc64_16m_64k(),
        ppc64_16m_4k(),
        ppc64_3g_4k(),
        x86_64_2node_teach(),
        x86_64_2node_4g_teach(),
        by_node::x86_64_2node_512m_teach(),
        by_node::x86_64_4node_1g_teach(),
        x86_64_8g_teach(),
        x86_64_3g_teach(),
        x86_64_12cpu_teach(),
        ppc64_16m_64k_teach(),
        sh4_16m_teach(),
    ]
}

/// The ready-made machine with this id.
pub fn find(id: &str) -> Option<MachineProfile> {
    profiles().into_iter().find(|profile| profile.id == id)
}

const GIB: u64 = 1 << 18;
const NORMAL: u64 = X86_DMA32_END_PFN;

fn node(cpus: u16, ranges: &[(u64, u64)], reserved: &[(ZoneType, u64)]) -> NodeProfile {
    NodeProfile {
        id: None,
        ranges: ranges
            .iter()
            .map(|&(start_pfn, end)| MemRange {
                start_pfn,
                pages: end - start_pfn,
            })
            .collect(),
        cpus,
        reserved: reserved.iter().copied().collect(),
        movable_from_pfn: None,
    }
}

/// Nodes that are all at the same distance, with the settings that the x86_64 machines share.
fn machine(id: &str, title: &str, costs: CostEra, nodes: Vec<NodeProfile>) -> MachineProfile {
    const REMOTE: u8 = 21;
    let count = nodes.len();
    let distance = |from, to| if from == to { 10 } else { REMOTE };
    let row = |from| (0..count).map(|to| distance(from, to)).collect();
    let mut profile = MachineProfile {
        id: id.to_string(),
        title: title.to_string(),
        arch: Arch::X86_64,
        page_size_kib: 4,
        zones: None,
        nodes,
        distances: (0..count).map(row).collect(),
        hz: 250,
        thp: Thp::Always,
        costs,
        pcp: true,
        zonelist_order: ZonelistChoice::Default,
        devices: None,
        memory: None,
        tunables: BTreeMap::new(),
    };
    profile.devices = Some(usual(costs, 4 * profile.present_pages()));
    profile
}

/// The first megabyte as a PC's firmware leaves it: page 0 and 640 KiB to 1 MiB are missing.
const LOW: [(u64, u64); 2] = [(1, 159), (256, X86_DMA_END_PFN)];
const DMA: u64 = X86_DMA_END_PFN;

fn x86_64_2node() -> MachineProfile {
    let first = node(
        12,
        &[LOW[0], LOW[1], (DMA, 3 * GIB), (NORMAL, NORMAL + 3 * GIB)],
        &[
            (ZoneType::Dma, 42),
            (ZoneType::Dma32, 14_280),
            (ZoneType::Normal, 10_752),
        ],
    );
    let second = node(
        12,
        &[(NORMAL + 3 * GIB, NORMAL + 9 * GIB)],
        &[(ZoneType::Normal, 21_504)],
    );
    machine(
        "x86_64-2node",
        "x86_64 server, 2 nodes of 6 GiB, 24 CPUs",
        CostEra::S2011,
        vec![first, second],
    )
}

fn x86_64_2node_4g() -> MachineProfile {
    let first = node(
        12,
        &[LOW[0], LOW[1], (DMA, 2 * GIB)],
        &[(ZoneType::Dma, 22), (ZoneType::Dma32, 7232)],
    );
    let second = node(
        12,
        &[(2 * GIB, 3 * GIB), (NORMAL, NORMAL + GIB)],
        &[(ZoneType::Dma32, 3584), (ZoneType::Normal, 3584)],
    );
    machine(
        "x86_64-2node-4g",
        "x86_64 server, 2 nodes of 2 GiB, 24 CPUs",
        CostEra::S2011,
        vec![first, second],
    )
}

fn x86_64_8g() -> MachineProfile {
    let only = node(
        8,
        &[LOW[0], LOW[1], (DMA, 3 * GIB), (NORMAL, NORMAL + 5 * GIB)],
        &[
            (ZoneType::Dma, 22),
            (ZoneType::Dma32, 17_408),
            (ZoneType::Normal, 24_576),
        ],
    );
    machine(
        "x86_64-8g",
        "x86_64 desktop, 8 GiB, 8 CPUs",
        CostEra::D2014,
        vec![only],
    )
}

fn x86_64_3g() -> MachineProfile {
    let only = node(
        4,
        &[LOW[0], LOW[1], (DMA, 3 * GIB)],
        &[(ZoneType::Dma, 86), (ZoneType::Dma32, 18_336)],
    );
    machine(
        "x86_64-3g",
        "x86_64 desktop, 3 GiB, 4 CPUs",
        CostEra::D2010,
        vec![only],
    )
}

/// Sequential reads of the disk in the reclaim throttling series, bytes per second; it writes 145 MB/s.
const DISK_2021: u64 = 153_400_000;
/// The swap of that machine, KiB.
const SWAP_2021: u64 = 2 << 20;

/// The machine of the reclaim throttling series: its 12 CPUs were published, but neither memory nor disk nor
/// swap. `presets/README.md` says what the published figures allow.
fn x86_64_12cpu() -> MachineProfile {
    let only = node(
        12,
        &[LOW[0], LOW[1], (DMA, 3 * GIB), (NORMAL, NORMAL + 13 * GIB)],
        &[
            (ZoneType::Dma, 22),
            (ZoneType::Dma32, 17_408),
            (ZoneType::Normal, 57_344),
        ],
    );
    let mut profile = machine(
        "x86_64-12cpu",
        "x86_64 server, 16 GiB, 12 CPUs",
        CostEra::S2021,
        vec![only],
    );
    profile.devices = Some(vec![DeviceProfile {
        bytes_per_s: Some(DISK_2021),
        ..DeviceProfile::new("sda", DeviceModel::Ssd2021, true, SWAP_2021)
    }]);
    profile
}

fn ppc64(id: &str, title: &str, page_size_kib: u32, nodes: Vec<NodeProfile>) -> MachineProfile {
    let mut profile = machine(id, title, CostEra::P7, nodes);
    profile.arch = Arch::Ppc64;
    profile.page_size_kib = page_size_kib;
    profile.hz = 100;
    let kib = profile.present_pages() * u64::from(page_size_kib);
    profile.devices = Some(usual(CostEra::P7, kib));
    for (from, row) in profile.distances.iter_mut().enumerate() {
        for (to, distance) in row.iter_mut().enumerate() {
            *distance = if from == to { 10 } else { 20 };
        }
    }
    profile
}

fn ppc64_16m_64k() -> MachineProfile {
    let pages = 16 << 14;
    ppc64(
        "ppc64-16m-64k",
        "ppc64 server, 2 nodes of 16 GiB, 64 KiB pages, 32 CPUs",
        64,
        vec![
            node(16, &[(0, pages)], &[]),
            node(16, &[(pages, 2 * pages)], &[]),
        ],
    )
}

fn ppc64_16m_4k() -> MachineProfile {
    let pages = 16 * GIB;
    ppc64(
        "ppc64-16m-4k",
        "ppc64 server, 2 nodes of 16 GiB, 4 KiB pages, 32 CPUs",
        4,
        vec![
            node(16, &[(0, pages)], &[]),
            node(16, &[(pages, 2 * pages)], &[]),
        ],
    )
}

/// The ppc64 machine of the compaction series of 2010, as far as it was published: 3 GiB, 16 MiB huge pages;
/// page structs in three mappings of 16 MiB, kernel and boot in two more. Its processors are closer to
/// desktops of their time than to later servers.
fn ppc64_3g_4k() -> MachineProfile {
    let only = node(4, &[(0, 3 * GIB)], &[(ZoneType::Dma, 20_480)]);
    let mut profile = ppc64(
        "ppc64-3g-4k",
        "ppc64 workstation, 3 GiB, 4 KiB pages, 4 CPUs",
        4,
        vec![only],
    );
    (profile.hz, profile.costs) = (250, CostEra::D2010);
    let kib = profile.present_pages() * u64::from(profile.page_size_kib);
    profile.devices = Some(usual(CostEra::D2010, kib));
    profile
}

/// Turns a machine into the teaching size of another. It has no per-cpu lists, so no frame is hidden on them.
/// The speed of its devices and their swap shrink in proportion to its memory.
fn teaching(mut profile: MachineProfile, of: &MachineProfile) -> MachineProfile {
    profile.pcp = false;
    let (small, large) = (profile.present_pages(), of.present_pages());
    let devices = of.devices_in_force().into_iter();
    profile.devices = Some(
        devices
            .map(|d| scaled(d, small, large, profile.page_size_kib))
            .collect(),
    );
    profile
}

const BLOCK: u64 = 512;

/// `count` pageblocks from `start`.
const fn blocks(start: u64, count: u64) -> (u64, u64) {
    (start, start + count * BLOCK)
}

fn x86_64_2node_teach() -> MachineProfile {
    let first = node(
        2,
        &[blocks(0, 1), blocks(DMA, 1), blocks(NORMAL, 1)],
        &[(ZoneType::Dma, 16), (ZoneType::Dma32, 8)],
    );
    let second = node(
        2,
        &[blocks(NORMAL + 4 * BLOCK, 2)],
        &[(ZoneType::Normal, 16)],
    );
    let small = machine(
        "x86_64-2node-teach",
        "Teaching size of x86_64-2node: 5 pageblocks, 4 CPUs",
        CostEra::S2011,
        vec![first, second],
    );
    teaching(small, &x86_64_2node())
}

fn x86_64_2node_4g_teach() -> MachineProfile {
    let first = node(
        2,
        &[blocks(0, 1), blocks(DMA, 1)],
        &[(ZoneType::Dma, 16), (ZoneType::Dma32, 8)],
    );
    let second = node(
        2,
        &[blocks(DMA + 4 * BLOCK, 1), blocks(NORMAL, 1)],
        &[(ZoneType::Dma32, 8)],
    );
    let small = machine(
        "x86_64-2node-4g-teach",
        "Teaching size of x86_64-2node-4g: 4 pageblocks, 4 CPUs",
        CostEra::S2011,
        vec![first, second],
    );
    teaching(small, &x86_64_2node_4g())
}

fn x86_64_8g_teach() -> MachineProfile {
    let only = node(
        2,
        &[blocks(0, 1), blocks(DMA, 2), blocks(NORMAL, 2)],
        &[
            (ZoneType::Dma, 16),
            (ZoneType::Dma32, 16),
            (ZoneType::Normal, 16),
        ],
    );
    let small = machine(
        "x86_64-8g-teach",
        "Teaching size of x86_64-8g: 5 pageblocks, 2 CPUs",
        CostEra::D2014,
        vec![only],
    );
    teaching(small, &x86_64_8g())
}

fn x86_64_3g_teach() -> MachineProfile {
    let only = node(
        2,
        &[blocks(0, 1), blocks(DMA, 4)],
        &[(ZoneType::Dma, 16), (ZoneType::Dma32, 32)],
    );
    let small = machine(
        "x86_64-3g-teach",
        "Teaching size of x86_64-3g: 5 pageblocks, 2 CPUs",
        CostEra::D2010,
        vec![only],
    );
    teaching(small, &x86_64_3g())
}

fn x86_64_12cpu_teach() -> MachineProfile {
    let only = node(
        12,
        &[blocks(0, 1), blocks(DMA, 1), blocks(NORMAL, 3)],
        &[
            (ZoneType::Dma, 16),
            (ZoneType::Dma32, 8),
            (ZoneType::Normal, 24),
        ],
    );
    let small = machine(
        "x86_64-12cpu-teach",
        "Teaching size of x86_64-12cpu: 5 pageblocks, 12 CPUs",
        CostEra::S2021,
        vec![only],
    );
    teaching(small, &x86_64_12cpu())
}

fn ppc64_16m_64k_teach() -> MachineProfile {
    const PPC_BLOCK: u64 = 256;
    let small = ppc64(
        "ppc64-16m-64k-teach",
        "Teaching size of ppc64-16m-64k: 8 pageblocks, 4 CPUs",
        64,
        vec![
            node(2, &[(0, 4 * PPC_BLOCK)], &[(ZoneType::Normal, 16)]),
            node(
                2,
                &[(4 * PPC_BLOCK, 8 * PPC_BLOCK)],
                &[(ZoneType::Normal, 8)],
            ),
        ],
    );
    teaching(small, &ppc64_16m_64k())
}

/// Many short pageblocks, because many pageblocks make compaction visible. The geometry is that of a real
/// 2.6.37 kernel whose huge pages have 256 KiB, so no constant is scaled; nobody ran the series on it.
fn sh4_16m_teach() -> MachineProfile {
    let mut small = machine(
        "sh4-16m-teach",
        "Teaching size for compaction: 64 pageblocks of 256 KiB, 2 CPUs",
        CostEra::D2010,
        vec![node(2, &[(0, 4096)], &[])],
    );
    (small.arch, small.thp) = (Arch::Sh4, Thp::Never);
    teaching(small, &x86_64_3g())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;
    use crate::layout::Layout;
    use crate::profile::{check, check_runnable};

    fn managed(id: &str, kernel: &str) -> Vec<(u16, &'static str, u64)> {
        let profile = find(id).expect("a ready-made machine");
        let features = &kernel::find(kernel).expect("a kernel").features;
        Layout::new(&profile, features)
            .nodes
            .iter()
            .flat_map(|node| node.zones.iter().map(|zone| (node.id, zone)))
            .filter(|(_, zone)| zone.is_populated())
            .map(|(id, zone)| (id, zone.kind.name(), zone.managed))
            .collect()
    }

    #[test]
    fn every_ready_made_machine_is_valid_and_can_run() {
        for profile in profiles() {
            assert_eq!(check(&profile), vec![], "{}", profile.id);
            assert_eq!(check_runnable(&profile), vec![], "{}", profile.id);
            let teaches = profile.id.ends_with("-teach");
            assert!(!teaches || profile.present_pages() <= 4096);
        }
    }

    #[test]
    fn ready_made_machines_have_the_expected_managed_pages() {
        assert_eq!(
            managed("x86_64-2node", "3.0"),
            [
                (0, "DMA", 3956),
                (0, "DMA32", 768_056),
                (0, "Normal", 775_680),
                (1, "Normal", 1_551_360)
            ]
        );
        assert_eq!(
            managed("x86_64-2node-4g", "6.1"),
            [
                (0, "DMA", 3976),
                (0, "DMA32", 512_960),
                (1, "DMA32", 258_560),
                (1, "Normal", 258_560)
            ]
        );
        assert_eq!(
            managed("x86_64-8g", "3.16"),
            [
                (0, "DMA", 3976),
                (0, "DMA32", 764_928),
                (0, "Normal", 1_286_144)
            ]
        );
        assert_eq!(
            managed("x86_64-3g", "3.0"),
            [(0, "DMA", 3912), (0, "DMA32", 764_000)]
        );
        assert_eq!(managed("ppc64-3g-4k", "2.6.37"), [(0, "DMA", 765_952)]);
        assert_eq!(
            managed("ppc64-16m-64k-teach", "3.0"),
            [(0, "DMA", 1008), (1, "DMA", 1016)]
        );
        assert_eq!(
            managed("ppc64-16m-4k", "6.1"),
            [(0, "Normal", 4_194_304), (1, "Normal", 4_194_304)]
        );
    }
}
