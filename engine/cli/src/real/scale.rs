//! A described machine with another amount of memory, as a virtual machine would have it.

use std::collections::BTreeMap;

use mm::arch::ZoneType;
use mm::profile::{DeviceModel, DeviceProfile, MachineProfile, MemRange, NodeProfile};

use crate::failure::{Outcome, bad};

/// Pages of a MiB.
pub const MIB_PAGES: u64 = 256;
/// The first MiB has a hole for devices: pages 1 to 158 are memory.
const LOW: MemRange = MemRange {
    start_pfn: 1,
    pages: 158,
};
/// With at least this much memory (MiB), QEMU's q35 machine maps memory above 2 GiB to addresses above 4 GiB.
const SPLIT_MIB: u64 = 2816;
/// The page at which memory is split, and the page where the rest begins.
const SPLIT: (u64, u64) = (1 << 19, 1 << 20);
/// Pages below 16 MiB.
const DMA_PAGES: u64 = 4096;
/// The size of the kernel's record of each page (`struct page`).
const PAGE_RECORD: u64 = 64;
/// The minimum memory of a node that has memory, MiB.
const LEAST_MIB: u64 = 32;

/// Reads "256MiB", "1GiB", "256M" or "1G" as MiB.
///
/// # Errors
/// The text is not a size; the sentence shows the format.
pub fn parse_mib(text: &str) -> Outcome<u64> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let scale = match unit.trim() {
        "MiB" | "M" => Some(1),
        "GiB" | "G" => Some(1024),
        _ => None,
    };
    let mib = number.parse::<u64>().ok().zip(scale);
    let mib = mib.and_then(|(number, scale)| number.checked_mul(scale));
    mib.filter(|mib| (1..1 << 20).contains(mib))
        .ok_or_else(|| bad(format!("--memory {text}: write --memory 256MiB or 1GiB")))
}

/// The same machine with this much memory. Nodes keep their shares; device rates stay the same.
/// `loaded` is what the kernel's own code and data take, bytes: a share of memory in a workload
/// means memory that the kernel manages.
pub fn machine(profile: &MachineProfile, mib: u64, loaded: u64) -> MachineProfile {
    let old = profile.present_pages().max(1);
    let parts: Vec<u64> = profile
        .nodes
        .iter()
        .map(|node| share(node, mib, old))
        .collect();
    let mut at = 0;
    let total: u64 = parts.iter().sum();
    let nodes = profile.nodes.iter().zip(&parts).map(|(node, &part)| {
        let first = at == 0 && part > 0;
        let ranges = ranges(at, part, total);
        at += part * MIB_PAGES;
        let mut kept = part * MIB_PAGES * PAGE_RECORD / 4096;
        if first {
            kept += loaded / 4096;
        }
        NodeProfile {
            id: node.id,
            movable_from_pfn: movable(node, &ranges),
            reserved: reserved(&ranges, kept),
            cpus: node.cpus,
            ranges,
        }
    });
    let nodes = nodes.collect();
    let devices = profile.devices_in_force().into_iter().map(|device| {
        let swap = device.swap * total / old.div_ceil(MIB_PAGES) / 4 * 4;
        DeviceProfile { swap, ..device }
    });
    MachineProfile {
        nodes,
        devices: Some(devices.collect()),
        ..profile.clone()
    }
}

fn pages(node: &NodeProfile) -> u64 {
    node.ranges.iter().map(|range| range.pages).sum()
}

/// MiB of a node: its part of the whole, rounded to 2 MiB.
fn share(node: &NodeProfile, mib: u64, old: u64) -> u64 {
    match pages(node) {
        0 => 0,
        own => ((own * mib * 2 / old + 2) / 4 * 2).max(LEAST_MIB),
    }
}

/// The ranges of a node that begins after `at` pages of memory.
fn ranges(at: u64, mib: u64, total: u64) -> Vec<MemRange> {
    let (mut start, mut end) = (at, at + mib * MIB_PAGES);
    let mut out = Vec::new();
    if start == 0 && end > 0 {
        out.push(LOW);
        start = MIB_PAGES;
    }
    let (border, moved) = SPLIT;
    if total >= SPLIT_MIB && end > border {
        if start < border {
            out.push(range(start, border));
            start = border;
        }
        start = start - border + moved;
        end = end - border + moved;
    }
    if start < end {
        out.push(range(start, end));
    }
    out
}

fn range(start_pfn: u64, end: u64) -> MemRange {
    let pages = end - start_pfn;
    MemRange { start_pfn, pages }
}

/// The reserved memory of a node is in its last zone, and is never the whole zone.
fn reserved(ranges: &[MemRange], kept: u64) -> BTreeMap<ZoneType, u64> {
    let zone = ranges.last().map(|last| match last.start_pfn >= SPLIT.1 {
        true => (ZoneType::Normal, last.pages),
        // The first 16 MiB of memory are of the zone DMA.
        false => (
            ZoneType::Dma32,
            last.pages - DMA_PAGES.saturating_sub(last.start_pfn).min(last.pages),
        ),
    });
    let kept = zone.map(|(zone, pages)| (zone, kept.min(pages * 3 / 4)));
    kept.into_iter().collect()
}

/// The same share of the node is movable.
fn movable(node: &NodeProfile, new: &[MemRange]) -> Option<u64> {
    let from = node.movable_from_pfn?;
    let below = node.ranges.iter().map(|range| {
        let end = range.start_pfn + range.pages;
        end.min(from).saturating_sub(range.start_pfn)
    });
    let below: u64 = below.sum();
    let all: u64 = new.iter().map(|range| range.pages).sum();
    let mut left = below * all / pages(node).max(1);
    for range in new {
        if left < range.pages {
            return Some(range.start_pfn + left);
        }
        left -= range.pages;
    }
    None
}

/// A device of the experiment's machine for files, and one for swap, each limited to a rate only.
pub fn throttled(id: &str, device: &DeviceProfile, files: bool) -> DeviceProfile {
    DeviceProfile {
        id: id.to_string(),
        model: DeviceModel::Throttled,
        bytes_per_s: Some(device.rates().0),
        files,
        swap: if files { 0 } else { device.swap },
        ..device.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::profile::{check, check_runnable, find};

    #[test]
    fn reads_amounts_of_memory() {
        for (text, mib) in [("256MiB", 256), ("1GiB", 1024), ("64M", 64), ("2G", 2048)] {
            assert_eq!(parse_mib(text), Ok(mib), "{text}");
        }
        for text in ["", "256", "MiB", "-1MiB", "0MiB", "256KiB", "99999999GiB"] {
            assert!(parse_mib(text).is_err(), "{text}");
        }
    }

    #[test]
    fn scales_each_node_and_keeps_the_machine_valid() {
        for (id, mib) in [
            ("x86_64-2node", 256),
            ("x86_64-3g", 128),
            ("x86_64-4node", 6144),
        ] {
            let profile = find(id).expect("a ready-made machine");
            let scaled = machine(&profile, mib, 40 << 20);
            assert_eq!(check(&scaled), [], "{id}");
            assert_eq!(check_runnable(&scaled), [], "{id}");
            let hole = MIB_PAGES - LOW.pages;
            assert_eq!(scaled.present_pages(), mib * MIB_PAGES - hole, "{id}");
            let nodes = scaled.nodes.len() as u64;
            for node in &scaled.nodes {
                let own = pages(node).div_ceil(MIB_PAGES);
                assert_eq!(own, mib / nodes, "{id}");
            }
        }
    }

    #[test]
    fn moves_memory_above_the_pci_hole() {
        let all = ranges(0, 3072, 3072);
        let starts: Vec<u64> = all.iter().map(|range| range.start_pfn).collect();
        assert_eq!(starts, [1, 256, 1 << 20]);
        assert_eq!(all[2].pages, 1024 * MIB_PAGES);
        assert_eq!(ranges(1024 * MIB_PAGES, 1024, 2048).len(), 1);
    }
}
