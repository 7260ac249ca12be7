//! Prints random machines under every kernel and imports the text again. The machines have holes, gaps in
//! node ids, Movable zones and reserved pages.

use crate::support;

use std::collections::BTreeMap;

use facts::arch::{Arch, ZoneSet, ZoneType};
use facts::kernel;
use facts::layout::Layout;
use facts::procfs::import::{ImportOptions, import_zoneinfo};
use facts::procfs::{view_at_rest, zoneinfo};
use facts::profile::{MachineProfile, MemRange, check};
use facts::tunables::Tunables;
use proptest::prelude::*;
use support::machine;

/// Number of machines; each is printed and read with one kernel.
const CASES: u32 = 240;

/// A range of memory: the hole before it, its pages, and its node.
type Stretch = (u64, u64, prop::sample::Index);

#[derive(Debug, Clone)]
struct Sketch {
    arch: Arch,
    page_kib: u32,
    nodes: usize,
    stretches: Vec<Stretch>,
    /// Whether the ranges of a node are contiguous or interleaved with those of other nodes.
    is_mixed: bool,
    cpus: u16,
    reserved: u64,
    /// Where a node's Movable zone begins, as a share of 16 of its span.
    movable: Option<u64>,
    id_gap: u16,
    /// The zone types of an unusual kernel build: all but this one.
    without: Option<ZoneType>,
    min_free_kbytes: Option<u64>,
    ratio: Option<u64>,
}

const DISPENSABLE: [ZoneType; 3] = [ZoneType::Dma, ZoneType::Dma32, ZoneType::Device];

fn sketches() -> impl Strategy<Value = Sketch> {
    let built = prop_oneof![
        2 => Just((Arch::X86_64, 4u32)),
        1 => Just((Arch::Ppc64, 4)),
        1 => Just((Arch::Ppc64, 64)),
    ];
    let pages = prop_oneof![1u64..64, 64u64..5000, 5000u64..2_000_000];
    let hole = prop_oneof![Just(0u64), 1u64..300, 300u64..2_000_000];
    let nodes = prop_oneof![4 => 1usize..5, 1 => 5usize..64, 1 => Just(64)];
    let stretch = (hole, pages, any::<prop::sample::Index>());
    (
        (built, nodes, any::<bool>(), 1u16..5),
        prop::collection::vec(stretch, 1..90),
        (0u64..40, prop::option::weighted(0.3, 0u64..16), 0u16..5),
        (
            prop::option::weighted(0.2, prop::sample::select(DISPENSABLE.to_vec())),
            prop::option::of(100u64..400_000),
            prop::option::weighted(0.2, 1u64..500),
        ),
    )
        .prop_map(
            |(
                ((arch, page_kib), nodes, is_mixed, cpus),
                stretches,
                (reserved, movable, id_gap),
                (without, min_free_kbytes, ratio),
            )| {
                Sketch {
                    arch,
                    page_kib,
                    nodes,
                    stretches,
                    is_mixed,
                    cpus,
                    reserved,
                    movable,
                    id_gap,
                    without,
                    min_free_kbytes,
                    ratio,
                }
            },
        )
}

/// The machine of a sketch; `check` refuses some of them.
fn described(sketch: &Sketch) -> MachineProfile {
    let bare: Vec<_> = (0..sketch.nodes).map(|_| (sketch.cpus, vec![])).collect();
    let mut profile = machine(sketch.arch, sketch.page_kib, &bare);
    let mut owners: Vec<usize> = sketch
        .stretches
        .iter()
        .map(|(_, _, whose)| whose.index(sketch.nodes))
        .collect();
    if !sketch.is_mixed {
        owners.sort_unstable();
    }
    let mut next = 0;
    for (&(hole, pages, _), owner) in sketch.stretches.iter().zip(owners) {
        let start_pfn = next + hole;
        next = start_pfn + pages;
        profile.nodes[owner]
            .ranges
            .push(MemRange { start_pfn, pages });
    }
    for (index, node) in profile.nodes.iter_mut().enumerate() {
        node.id = Some(index as u16 * (1 + sketch.id_gap));
        let Some(first) = node.ranges.first().map(|range| range.start_pfn) else {
            continue;
        };
        let end = node.ranges.iter().filter_map(MemRange::end_pfn).max();
        let span = end.unwrap_or(first) - first;
        node.movable_from_pfn = sketch.movable.map(|share| first + span * share / 16);
        let total: u64 = node.ranges.iter().map(|range| range.pages).sum();
        node.reserved = BTreeMap::from([(ZoneType::Normal, sketch.reserved.min(total / 50))]);
    }
    if let Some(without) = sketch.without {
        let mut zones = ZoneSet::DeviceEverywhere.borders(sketch.arch);
        zones.retain(|border| border.kind != without);
        profile.zones = Some(zones);
    }
    if let Some(kib) = sketch.min_free_kbytes {
        let name = "vm.min_free_kbytes".to_string();
        profile.tunables.insert(name, kib.to_string());
    }
    if let (Some(ratio), None) = (sketch.ratio, sketch.without) {
        let entries = match sketch.arch {
            Arch::X86_64 | Arch::Sh4 => 3,
            Arch::Ppc64 => 2,
        };
        let values = vec![ratio.to_string(); entries];
        let name = "vm.lowmem_reserve_ratio".to_string();
        profile.tunables.insert(name, values.join(" "));
    }
    profile
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn any_printed_machine_can_be_imported(
        sketch in sketches(),
        kernel in prop::sample::select(kernel::kernels()),
    ) {
        let mut profile = described(&sketch);
        if !check(&profile).is_empty() {
            for node in &mut profile.nodes {
                node.reserved.clear();
            }
        }
        prop_assert_eq!(check(&profile), vec![]);
        // Kernels have different tunables; a kernel ignores those that it does not know.
        let (tunables, _) = Tunables::of(&profile, &kernel.features);
        let layout = Layout::new(&profile, &kernel.features);
        let view = view_at_rest(&layout, &kernel.features, &tunables, profile.thp);
        let text = zoneinfo(&kernel.features, &view);
        for options in [
            ImportOptions::default(),
            ImportOptions {
                kernel: Some(kernel.id.to_string()),
                page_size_kib: Some(profile.page_size_kib),
                ..ImportOptions::default()
            },
        ] {
            let report = import_zoneinfo(&text, &options).map_err(|refused| {
                TestCaseError::fail(format!("{}: {refused:?}\n{text}", kernel.id))
            })?;
            prop_assert_eq!(check(&report.machine), vec![]);
        }
    }
}
