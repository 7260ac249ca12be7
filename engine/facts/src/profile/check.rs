//! Which machines are impossible, and which are too large to run.
//!
//! Modelled: the limits that a user can exceed, each with a path and a reason.
//! Left out: whether such a machine was ever sold.
//! Visible difference: none; an impossible machine never reaches the engine.
//! Invariants: no arithmetic here overflows, whatever the numbers. All refusals are listed, not only the
//! first.

use crate::arch::{Arch, Geometry, ZoneBorder, ZoneSet, ZoneType};
use crate::layout::existing_pages_by_zone;
use crate::profile::{MachineProfile, NodeProfile, reserved_pages};
use crate::view::Refusal;

/// The maximum number of nodes of a described machine.
pub const MAX_NODES: usize = 64;
/// The maximum memory of a described machine, in KiB: 64 TiB.
pub const MAX_KIB: u64 = 64 << 30;
/// The maximum number of CPUs of a described machine.
pub const MAX_CPUS: u64 = 4096;
/// The end of physical addresses, in KiB: 2^52 bytes, more than any modelled processor has.
const MAX_ADDRESS_KIB: u64 = 1 << 42;
/// Highest node id, `MAX_NUMNODES - 1` of the widest configuration.
pub(super) const MAX_NODE_ID: u16 = 1023;
/// The maximum number of nodes of a machine that is run.
pub const MAX_RUN_NODES: usize = 8;
/// The maximum number of page frames of a machine that is run.
pub const MAX_RUN_PAGES: u64 = 16 << 20;

/// A refusal at a path.
pub fn refuse(path: impl Into<String>, reason: impl Into<String>) -> Refusal {
    Refusal {
        path: path.into(),
        reason: reason.into(),
    }
}

/// Everything that makes a described machine impossible; empty if it can be laid out and printed.
pub fn check(profile: &MachineProfile) -> Vec<Refusal> {
    let mut found = Vec::new();
    check_names(profile, &mut found);
    let Some(geometry) = Geometry::of(profile.arch, profile.page_size_kib) else {
        found.push(refuse("page_size_kib", page_size_reason(profile)));
        return found;
    };
    check_zones(profile, &mut found);
    check_nodes(profile, &mut found);
    check_ranges(profile, geometry, &mut found);
    if found.is_empty() {
        // Zones can be computed only if every range is valid.
        check_reserved(profile, &mut found);
    }
    check_distances(profile, &mut found);
    super::device::check(profile, &mut found);
    super::memory::check(profile, &mut found);
    found
}

/// Why a machine that can be described cannot be run; empty if it can.
pub fn check_runnable(profile: &MachineProfile) -> Vec<Refusal> {
    let mut found = Vec::new();
    if profile.nodes.len() > MAX_RUN_NODES {
        found.push(refuse(
            "nodes",
            format!(
                "{} nodes; a machine of more than {MAX_RUN_NODES} nodes can be described and printed but not run",
                profile.nodes.len()
            ),
        ));
    }
    let pages = profile.present_pages();
    if pages > MAX_RUN_PAGES {
        found.push(refuse(
            "nodes",
            format!(
                "{pages} pages; a machine of more than 16 Mi ({MAX_RUN_PAGES}) pages can be described and printed but not run"
            ),
        ));
    }
    let borders = profile.zones.iter().flatten();
    if borders.into_iter().any(|b| b.kind == ZoneType::HighMem) {
        found.push(refuse(
            "zones",
            "HighMem can be described and printed but not run: 32-bit kernels are not simulated",
        ));
    }
    found
}

fn page_size_reason(profile: &MachineProfile) -> String {
    let fitting = match profile.arch {
        Arch::X86_64 | Arch::Sh4 => "4",
        Arch::Ppc64 => "4 or 64",
    };
    format!(
        "{} KiB; pages of {} have {fitting} KiB",
        profile.page_size_kib,
        profile.arch.name()
    )
}

fn check_names(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    let is_id_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if profile.id.is_empty() || profile.id.len() > 64 || !profile.id.chars().all(is_id_char) {
        found.push(refuse(
            "id",
            "an id is 1 to 64 letters, digits, dots, underscores or hyphens",
        ));
    }
    if profile.title.chars().count() > 200 {
        found.push(refuse("title", "a title is at most 200 characters long"));
    }
    if ![100, 250, 300, 1000].contains(&profile.hz) {
        found.push(refuse(
            "hz",
            format!("{}; kernels tick at 100, 250, 300 or 1000 Hz", profile.hz),
        ));
    }
}

fn check_zones(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    let Some(zones) = &profile.zones else { return };
    for (index, pair) in zones.windows(2).enumerate() {
        let path = format!("zones[{}]", index + 1);
        if pair[0].kind >= pair[1].kind {
            let reason = "each zone type may be listed once, in the order DMA, DMA32, Normal, HighMem, Movable, Device";
            found.push(refuse(path, reason));
        }
    }
    if !zones.iter().any(ZoneBorder::is_placed_by_pfn) {
        found.push(refuse("zones", "no zone type can hold the memory"));
    }
    let mut floor = 0;
    for (index, border) in zones.iter().enumerate() {
        let Some(end) = border.below_pfn else {
            continue;
        };
        let path = format!("zones[{index}].below_pfn");
        if !border.is_placed_by_pfn() {
            found.push(refuse(path, "Movable and Device have no fixed border"));
        } else if end < floor {
            found.push(refuse(
                path,
                "a border must not be below the border before it",
            ));
        } else {
            floor = end;
        }
    }
}

fn check_nodes(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    if profile.nodes.is_empty() {
        found.push(refuse("nodes", "a machine has at least one node"));
    }
    if profile.nodes.len() > MAX_NODES {
        found.push(refuse(
            "nodes",
            format!("{} nodes; at most {MAX_NODES}", profile.nodes.len()),
        ));
    }
    let cpus: u64 = profile.nodes.iter().map(|node| u64::from(node.cpus)).sum();
    if cpus == 0 {
        found.push(refuse("nodes[0].cpus", "a machine has at least one CPU"));
    }
    if cpus > MAX_CPUS {
        found.push(refuse("nodes", format!("{cpus} CPUs; at most {MAX_CPUS}")));
    }
    check_ids(profile, found);
}

fn check_ids(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    let mut last = None;
    for (index, node) in profile.nodes.iter().enumerate() {
        let id = node.id.unwrap_or(index.min(usize::from(u16::MAX)) as u16);
        let path = format!("nodes[{index}].id");
        if last.is_some_and(|last| id <= last) {
            found.push(refuse(path, "node ids must ascend"));
        } else if id > MAX_NODE_ID {
            found.push(refuse(path, format!("{id}; at most {MAX_NODE_ID}")));
        }
        last = Some(id);
    }
}

fn check_ranges(profile: &MachineProfile, geometry: Geometry, found: &mut Vec<Refusal>) {
    let max_pfn = MAX_ADDRESS_KIB / geometry.page_kib();
    let mut sound = Vec::new();
    let mut total = 0u64;
    for (n, node) in profile.nodes.iter().enumerate() {
        for (r, range) in node.ranges.iter().enumerate() {
            let path = format!("nodes[{n}].ranges[{r}]");
            total = total.saturating_add(range.pages);
            match range.end_pfn() {
                _ if range.pages == 0 => {
                    found.push(refuse(path + ".pages", "a range has at least one page"));
                }
                Some(end) if end <= max_pfn => sound.push((range.start_pfn, end, path)),
                _ => found.push(refuse(
                    path + ".start_pfn",
                    format!("the range ends above pfn {max_pfn} (4 PiB)"),
                )),
            }
        }
    }
    if total == 0 {
        found.push(refuse("nodes", "a machine has memory on at least one node"));
    }
    let max_pages = MAX_KIB / geometry.page_kib();
    if total > max_pages {
        let reason = format!("{total} pages; at most {max_pages} (64 TiB)");
        found.push(refuse("nodes", reason));
    }
    check_overlap(&sound, found);
    check_interleaving(profile, found);
}

fn check_overlap(ranges: &[(u64, u64, String)], found: &mut Vec<Refusal>) {
    let mut highest: Option<(u64, &str)> = None;
    let mut ascending: Vec<_> = ranges.iter().collect();
    ascending.sort();
    for (start, end, path) in ascending {
        if let Some((top, other)) = highest
            && *start < top
        {
            found.push(refuse(
                path,
                format!("starts at pfn {start}, inside {other} which ends at {top}"),
            ));
        }
        if highest.is_none_or(|(top, _)| *end > top) {
            highest = Some((*end, path));
        }
    }
}

/// A Movable border must leave the node with pages above it.
fn check_interleaving(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    let no_movable = profile
        .zones
        .as_ref()
        .is_some_and(|zones| !zones.iter().any(|b| b.kind == ZoneType::Movable));
    for (n, node) in profile.nodes.iter().enumerate() {
        let Some(border) = node.movable_from_pfn else {
            continue;
        };
        let path = format!("nodes[{n}].movable_from_pfn");
        let start = node.ranges.iter().map(|r| r.start_pfn).min().unwrap_or(0);
        let end = node.ranges.iter().filter_map(|r| r.end_pfn()).max();
        let end = end.unwrap_or(0);
        if no_movable {
            found.push(refuse(path, "the listed zone types lack Movable"));
        } else if border < start || border >= end {
            let reason =
                format!("{border} is outside the node, whose pfns run from {start} to below {end}");
            found.push(refuse(path, reason));
        }
    }
}

fn check_reserved(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    let zone_sets = match &profile.zones {
        Some(zones) => vec![zones.clone()],
        None => [ZoneSet::AllDmaOnPpc, ZoneSet::DeviceEverywhere]
            .map(|set| set.borders(profile.arch))
            .to_vec(),
    };
    let mut seen = Vec::new();
    for borders in &zone_sets {
        for (n, node) in profile.nodes.iter().enumerate() {
            check_node_reserved(profile, n, node, borders, &mut seen, found);
        }
    }
}

fn check_node_reserved(
    profile: &MachineProfile,
    n: usize,
    node: &NodeProfile,
    borders: &[ZoneBorder],
    seen: &mut Vec<(usize, ZoneType)>,
    found: &mut Vec<Refusal>,
) {
    let zones = existing_pages_by_zone(node, borders);
    let placed: u64 = zones.iter().map(|(_, pages)| pages).sum();
    let pages: u64 = node.ranges.iter().map(|range| range.pages).sum();
    if placed < pages {
        let reason = "some pages are above the last border and belong to no zone";
        found.push(refuse(format!("nodes[{n}].ranges"), reason));
    }
    for (kind, pages) in &zones {
        let reserved = reserved_pages(profile, node, *kind, *pages);
        if reserved > *pages && !seen.contains(&(n, *kind)) {
            seen.push((n, *kind));
            found.push(refuse(
                format!("nodes[{n}].reserved.{}", kind.name()),
                format!("{reserved} pages, but the zone has only {pages}"),
            ));
        }
    }
    for (&kind, &reserved) in &node.reserved {
        let known = zones.iter().any(|(other, _)| *other == kind);
        let shared = profile.zones.is_none() && profile.arch == Arch::Ppc64;
        let elsewhere = shared && matches!(kind, ZoneType::Dma | ZoneType::Normal);
        if !known && !elsewhere && reserved > 0 && !seen.contains(&(n, kind)) {
            seen.push((n, kind));
            found.push(refuse(
                format!("nodes[{n}].reserved.{}", kind.name()),
                "this machine has no such zone",
            ));
        }
    }
}

fn check_distances(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    let nodes = profile.nodes.len();
    if profile.distances.len() != nodes {
        let reason = format!("{} rows for {nodes} nodes", profile.distances.len());
        found.push(refuse("distances", reason));
        return;
    }
    for (from, row) in profile.distances.iter().enumerate() {
        if row.len() != nodes {
            let reason = format!("{} columns for {nodes} nodes", row.len());
            found.push(refuse(format!("distances[{from}]"), reason));
            continue;
        }
        for (to, &distance) in row.iter().enumerate() {
            let path = format!("distances[{from}][{to}]");
            if from == to && distance != 10 {
                let reason = format!("{distance}; a node's distance from itself is 10");
                found.push(refuse(path, reason));
            } else if distance < 10 {
                let reason = format!("{distance}; no distance is below 10");
                found.push(refuse(path, reason));
            }
        }
    }
}
