//! The machine that a dump describes.
//!
//! Modelled: ranges from the start, span and present pages of each zone; CPUs; the tunables.
//! Left out: the real positions of holes and reserved pages.
//! Visible difference: none in zoneinfo; the frame numbers of single pages differ.
//! Invariants: when the machine is laid out again, it has every printed zone's start, span, present and
//! managed pages, or a note says which differ.

use crate::arch::{Arch, ZoneType};
use crate::kernel::{Gaps, Kernel, LruOwner, ThpRaise, WatermarkBase};
use crate::layout::Layout;
use crate::procfs::import::dump::{Dump, DumpNode, DumpZone};
use crate::procfs::import::interleave::interleaved;
use crate::procfs::import::{Certainty, NotSimulated, Notes, Shape, cpus};
use crate::profile::{CostEra, MachineProfile, MemRange, NodeProfile, Thp, ZonelistChoice, check};
use crate::tunables::Tunables;
use crate::watermark::init_per_zone_wmark_min;
use std::collections::BTreeMap;

/// Builds the machine profile.
pub fn machine(
    dump: &Dump,
    shape: &Shape,
    kernel: &Kernel,
    tunables: &Tunables,
    notes: &mut Notes,
) -> MachineProfile {
    let starts = starts(dump);
    let cpus = cpus::cpus(dump, kernel, notes);
    // The position of a hole is a guess. If the guesses of two nodes collide, the other end is tried, and
    // then any position.
    let mut machine = assemble(dump, shape, kernel, &starts, &cpus, Hole::High);
    if !check(&machine).is_empty() {
        let other = assemble(dump, shape, kernel, &starts, &cpus, Hole::Low);
        if check(&other).is_empty() {
            machine = other;
        } else if let Some(other) = interleaved(&machine, dump, &starts) {
            machine = other;
        }
    }
    note_holes(dump, kernel, notes);
    note_kinds(dump, &machine, notes);
    set_thp(dump, shape, kernel, tunables, &mut machine, notes);
    set_tunables(kernel, tunables, &mut machine);
    note_assumptions(&machine, notes);
    if check(&machine).is_empty() {
        note_layout(dump, kernel, &machine, notes);
    }
    machine
}

/// Where in a zone its missing pages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hole {
    High,
    Low,
}

/// Each zone's first pfn, by node and zone index of the dump.
fn starts(dump: &Dump) -> Vec<Vec<u64>> {
    let of = |node: &DumpNode| {
        let zones = node.zones.iter();
        zones.map(|zone| zone.start_pfn.unwrap_or(0)).collect()
    };
    dump.nodes.iter().map(of).collect()
}

fn assemble(
    dump: &Dump,
    shape: &Shape,
    kernel: &Kernel,
    starts: &[Vec<u64>],
    cpus: &[u16],
    hole: Hole,
) -> MachineProfile {
    let count = dump.nodes.len();
    let distance = |from, to| if from == to { 10 } else { 20 };
    let row = |from| (0..count).map(|to| distance(from, to)).collect();
    let nodes = dump.nodes.iter().enumerate();
    MachineProfile {
        id: "imported".to_string(),
        title: title(dump, shape),
        arch: shape.arch,
        page_size_kib: shape.page_kib,
        zones: shape.own_zones.clone(),
        nodes: nodes
            .map(|(index, node)| NodeProfile {
                id: (usize::from(node.id) != index).then_some(node.id),
                cpus: cpus[index],
                ..node_profile(node, shape, kernel, &starts[index], hole)
            })
            .collect(),
        distances: (0..count).map(row).collect(),
        hz: 250,
        thp: Thp::Always,
        costs: cost_era(dump, shape, kernel),
        pcp: true,
        zonelist_order: ZonelistChoice::Default,
        devices: None,
        memory: None,
        tunables: BTreeMap::new(),
    }
}

fn title(dump: &Dump, shape: &Shape) -> String {
    let pages: u64 = dump.populated().map(|zone| zone.present).sum();
    let mib = u128::from(pages) * u128::from(shape.page_kib) / 1024;
    let arch = match shape.certainty {
        Certainty::Given | Certainty::Seen => shape.arch.name(),
        Certainty::Assumed | Certainty::StandIn => "unknown architecture",
    };
    let (nodes, cpus) = (dump.nodes.len(), dump.cpus.len().max(1));
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    format!(
        "Imported: {arch}, {nodes} node{}, {mib} MiB, {cpus} CPU{}",
        plural(nodes),
        plural(cpus)
    )
}

const fn cost_era(dump: &Dump, shape: &Shape, kernel: &Kernel) -> CostEra {
    match (shape.arch, kernel.features.lru_owner) {
        (Arch::Ppc64, _) => CostEra::P7,
        (Arch::X86_64, LruOwner::Node) => CostEra::S2021,
        (Arch::X86_64, LruOwner::Zone) if kernel.features.fair_zone_policy => CostEra::D2014,
        (Arch::X86_64, LruOwner::Zone) if dump.nodes.len() > 1 => CostEra::S2011,
        (Arch::X86_64, LruOwner::Zone) | (Arch::Sh4, _) => CostEra::D2010,
    }
}

fn node_profile(
    node: &DumpNode,
    shape: &Shape,
    kernel: &Kernel,
    starts: &[u64],
    hole: Hole,
) -> NodeProfile {
    let mut profile = NodeProfile {
        id: None,
        ranges: Vec::new(),
        cpus: 0,
        reserved: BTreeMap::new(),
        movable_from_pfn: None,
    };
    let last = last_zone(node, starts);
    for (index, zone) in node.zones.iter().enumerate() {
        if zone.present == 0 || zone.kind == ZoneType::Device {
            continue;
        }
        if zone.kind == ZoneType::Movable {
            if last != Some(index) {
                continue;
            }
            profile.movable_from_pfn = Some(starts[index]);
        }
        if is_memmap(zone, kernel) {
            push_range(&mut profile.ranges, starts[index], zone.spanned);
            profile
                .reserved
                .insert(zone.kind, zone.spanned - zone.managed);
            continue;
        }
        let is_last = last == Some(index);
        for (start_pfn, pages) in ranges_of(zone, shape, starts[index], is_last, hole) {
            push_range(&mut profile.ranges, start_pfn, pages);
        }
        if zone.present > zone.managed {
            profile
                .reserved
                .insert(zone.kind, zone.present - zone.managed);
        }
    }
    profile
}

/// Kernels to 3.8 do not count memmap (56 to 64 bytes a page, under 2 %) and other boot reservations as
/// present, so a gap that small is not a hole.
fn is_memmap(zone: &DumpZone, kernel: &Kernel) -> bool {
    let missing = zone.spanned - zone.present;
    kernel.features.watermark_base == WatermarkBase::Present
        && missing > 0
        && missing.saturating_mul(32) <= zone.spanned
}

/// Index of the populated zone that ends last.
fn last_zone(node: &DumpNode, starts: &[u64]) -> Option<usize> {
    let zones = node
        .zones
        .iter()
        .enumerate()
        .filter(|(_, zone)| zone.present > 0);
    zones
        .max_by_key(|(index, zone)| (starts[*index].saturating_add(zone.spanned), *index))
        .map(|(index, _)| index)
}

fn push_range(ranges: &mut Vec<MemRange>, start_pfn: u64, pages: u64) {
    match ranges.last_mut() {
        Some(last) if last.end_pfn() == Some(start_pfn) => last.pages += pages,
        _ if pages > 0 => ranges.push(MemRange { start_pfn, pages }),
        _ => {}
    }
}

/// First pfn above the hole that a PC's firmware leaves below 1 MiB.
const PC_HOLE_END_PFN: u64 = 256;

/// A zone's ranges as (start, pages). Its first frame exists, and so does its last if the node has no memory
/// above it. The hole is where such machines usually have it.
fn ranges_of(
    zone: &DumpZone,
    shape: &Shape,
    start: u64,
    is_last: bool,
    hole: Hole,
) -> Vec<(u64, u64)> {
    let missing = zone.spanned - zone.present;
    let end = start.saturating_add(zone.spanned);
    if missing == 0 {
        return vec![(start, zone.present)];
    }
    let is_pc = shape.arch == Arch::X86_64 && zone.kind == ZoneType::Dma;
    if is_pc && start + missing < PC_HOLE_END_PFN && end > PC_HOLE_END_PFN {
        return vec![
            (start, PC_HOLE_END_PFN - missing - start),
            (PC_HOLE_END_PFN, end - PC_HOLE_END_PFN),
        ];
    }
    if !is_last && hole == Hole::High {
        return vec![(start, zone.present)];
    }
    let block = shape.geometry().pageblock_pages();
    let edge = block.min(zone.present / 2);
    let first = match hole {
        Hole::High => zone.present - edge,
        Hole::Low => edge,
    };
    let rest = zone.present - first;
    vec![(start, first), (end - rest, rest)]
}

fn note_holes(dump: &Dump, kernel: &Kernel, notes: &mut Notes) {
    for zone in dump.populated().filter(|zone| zone.spanned > zone.present) {
        if is_memmap(zone, kernel) {
            notes.infer(
                &format!("reserved in node {} zone {}", zone.raw.node, zone.raw.name),
                format!("{} pages", zone.spanned - zone.present),
                "spanned - present, too small for a hole: memmap and boot reservations, which this kernel does not count as present",
            );
            continue;
        }
        notes.infer(
            &format!("hole in node {} zone {}", zone.raw.node, zone.raw.name),
            format!("{} pages", zone.spanned - zone.present),
            "spanned - present; placed where such machines usually have it (below 1 MiB, below 4 GiB, or before the node's last pageblock)",
        );
    }
}

/// Zones that the machine lacks, or that prevent it from being run.
fn note_kinds(dump: &Dump, machine: &MachineProfile, notes: &mut Notes) {
    for (node, profile) in dump.nodes.iter().zip(&machine.nodes) {
        for zone in &node.zones {
            let lost = zone.kind == ZoneType::Movable && profile.movable_from_pfn.is_none();
            let reason = match zone.kind {
                ZoneType::HighMem if zone.present > 0 => {
                    "described and printed, but a machine with HighMem cannot be run: 32-bit kernels are not simulated"
                }
                ZoneType::Device if zone.spanned > 0 => {
                    "left out: pages of Device are never allocated"
                }
                ZoneType::Movable if zone.present > 0 && lost => {
                    "left out: a Movable zone below other memory of its node cannot be described"
                }
                _ => continue,
            };
            notes.not_simulated.push(NotSimulated {
                node: node.id,
                zone: zone.raw.name.clone(),
                present: zone.present,
                reason: reason.to_string(),
            });
        }
    }
}

/// Whether huge pages were on, according to the kernel's own value of `min_free_kbytes`.
fn set_thp(
    dump: &Dump,
    shape: &Shape,
    kernel: &Kernel,
    tunables: &Tunables,
    machine: &mut MachineProfile,
    notes: &mut Notes,
) {
    if kernel.features.thp_raise == ThpRaise::Never {
        machine.thp = Thp::Never;
        return;
    }
    let layout = crate::procfs::import::dump::layout(dump, shape);
    let automatic = |booted| init_per_zone_wmark_min(&layout, &kernel.features, tunables, booted);
    let value = tunables.min_free_kbytes.unwrap_or(0);
    let (on, off) = (automatic(Thp::Always), automatic(Thp::Never));
    if on != off && value == off {
        machine.thp = Thp::Never;
        notes.infer(
            "thp",
            "never",
            "min_free_kbytes is not raised for huge pages",
        );
    } else if on != off && value == on {
        notes.infer("thp", "always", "min_free_kbytes is raised for huge pages");
    } else {
        notes.infer("thp", "always", "assumed, as distributions boot");
    }
}

fn set_tunables(kernel: &Kernel, tunables: &Tunables, machine: &mut MachineProfile) {
    let mut names = vec!["vm.min_free_kbytes"];
    let defaults = Tunables::defaults(machine, &kernel.features);
    if tunables.lowmem_reserve_ratio != defaults.lowmem_reserve_ratio {
        names.push("vm.lowmem_reserve_ratio");
    }
    if kernel.features.gaps == Gaps::ScaleFactor && tunables.watermark_scale_factor != 10 {
        names.push("vm.watermark_scale_factor");
    }
    for name in names {
        if let Some(value) = tunables.get(name) {
            machine.tunables.insert(name.to_string(), value);
        }
    }
}

fn note_assumptions(machine: &MachineProfile, notes: &mut Notes) {
    if machine.nodes.len() > 1 {
        notes.infer(
            "distances",
            "20 between any two nodes",
            "assumed; zoneinfo does not show it",
        );
    }
    notes.infer("hz", machine.hz, "assumed; zoneinfo does not show it");
    let era = format!("{:?}", machine.costs).to_lowercase();
    notes.infer("costs", era, "assumed from architecture and kernel");
}

/// Notes for zones that the machine, laid out again, prints with other values than the text.
fn note_layout(dump: &Dump, kernel: &Kernel, machine: &MachineProfile, notes: &mut Notes) {
    let layout = Layout::new(machine, &kernel.features);
    for (node, laid_out) in dump.nodes.iter().zip(&layout.nodes) {
        for zone in &node.zones {
            let Some(own) = laid_out.zones.iter().find(|own| own.kind == zone.kind) else {
                continue;
            };
            let printed = [zone.spanned, zone.present, zone.managed];
            let again = [own.spanned, own.present, own.managed];
            if zone.present > 0
                && (printed != again || zone.start_pfn.is_some_and(|s| s != own.start_pfn))
            {
                notes.infer(
                    &format!("layout of node {} zone {}", node.id, zone.raw.name),
                    format!(
                        "start_pfn {}, spanned {}, present {}, managed {}",
                        own.start_pfn, again[0], again[1], again[2]
                    ),
                    "differs from the text: no ranges are known that would print the same",
                );
            }
        }
    }
}
