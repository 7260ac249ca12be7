//! Turns parsed zones into nodes; refuses impossible ones.
//!
//! Modelled: the rows that every zone needs, and the signs of a truncated text.
//! Left out: a text of an old kernel that is truncated exactly between two nodes.
//! Visible difference: in the sum of the memory.
//! Invariants: zones ascend; `managed <= present <= spanned` in each; no sum overflows.

use crate::arch::{Geometry, ZoneType};
use crate::index::CpuIndex;
use crate::layout::{Layout, NodeLayout, ZoneLayout};
use crate::procfs::import::Shape;
use crate::procfs::parse::RawZone;
use crate::profile::refuse;
use crate::view::Refusal;

/// The maximum number of nodes of a machine that can be described.
const MAX_NODES: usize = 64;
/// The maximum page count of any machine.
const MAX_PAGES: u64 = 1 << 44;

/// One printed zone.
#[derive(Debug, Clone)]
pub struct DumpZone<'a> {
    pub kind: ZoneType,
    pub raw: &'a RawZone,
    pub present: u64,
    pub managed: u64,
    pub spanned: u64,
    pub start_pfn: Option<u64>,
    pub min: u64,
    pub low: u64,
    pub high: u64,
    /// The `boost` row; 0 if there is none.
    pub boost: u64,
    pub protection: Vec<u64>,
}

/// One printed node.
#[derive(Debug, Clone)]
pub struct DumpNode<'a> {
    pub id: u16,
    pub zones: Vec<DumpZone<'a>>,
}

/// A whole text.
#[derive(Debug, Clone)]
pub struct Dump<'a> {
    pub nodes: Vec<DumpNode<'a>>,
    /// Whether it has the form of kernels from 4.8 on.
    pub is_per_node: bool,
    /// The number of entries of every protection row, which is the number of built-in zone types. Without
    /// such rows, the usual number.
    pub zone_count: usize,
    /// Whether the zones have protection rows; a part of the file (`grep -A 7 zone`) may have none.
    pub has_protection: bool,
    /// The number of online CPUs, from the per-cpu lists.
    pub cpus: Vec<u16>,
}

impl Dump<'_> {
    pub fn zones(&self) -> impl Iterator<Item = &DumpZone<'_>> {
        self.nodes.iter().flat_map(|node| &node.zones)
    }

    pub fn populated(&self) -> impl Iterator<Item = &DumpZone<'_>> {
        self.zones().filter(|zone| zone.present > 0)
    }

    /// Zones of a type that have pages.
    pub fn of_kind(&self, kind: ZoneType) -> impl Iterator<Item = &DumpZone<'_>> {
        self.populated().filter(move |zone| zone.kind == kind)
    }

    pub fn has_row(&self, name: &str) -> bool {
        self.zones().any(|zone| zone.raw.row(name).is_some())
    }

    pub fn has_counter(&self, name: &str) -> bool {
        self.zones().any(|zone| {
            zone.raw.counters.contains_key(name) || zone.raw.node_counters.contains_key(name)
        })
    }
}

/// The number of zone types of most kernels.
const USUAL_ZONES: usize = 4;

/// Assembles parsed zones; refuses texts that are truncated or contradict themselves.
pub fn gather(raw: &[RawZone]) -> Result<Dump<'_>, Vec<Refusal>> {
    let missing = Missing::of(raw);
    let is_left_out = |zone: &RawZone| missing.protection && zone.is_bare();
    let mut refusals = Vec::new();
    let mut nodes: Vec<DumpNode> = Vec::new();
    for raw in raw.iter().filter(|zone| !is_left_out(zone)) {
        let zone = match zone_of(raw, missing) {
            Ok(zone) => zone,
            Err(refusal) => {
                refusals.push(refusal);
                continue;
            }
        };
        if let Some(reason) = order_fault(&nodes, raw, zone.kind) {
            refusals.push(refuse(format!("line {}", raw.line), reason));
            continue;
        }
        if nodes.last().is_none_or(|node| node.id != raw.node) {
            nodes.push(DumpNode {
                id: raw.node,
                zones: Vec::new(),
            });
        }
        if let Some(node) = nodes.last_mut() {
            node.zones.push(zone);
        }
    }
    if nodes.len() > MAX_NODES {
        let reason = format!("{} nodes; at most {MAX_NODES}", nodes.len());
        refusals.push(refuse(format!("line {}", raw[0].line), reason));
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let rows = raw.iter().filter_map(|zone| zone.protection.as_ref());
    let dump = Dump {
        is_per_node: is_per_node(raw),
        zone_count: rows.map(Vec::len).max().unwrap_or(USUAL_ZONES),
        has_protection: !missing.protection,
        cpus: online_cpus(raw),
        nodes,
    };
    check_whole(&dump, &mut refusals);
    if refusals.is_empty() {
        Ok(dump)
    } else {
        Err(refusals)
    }
}

/// Rows that all zones of the text lack: then the text is a part of the file, and not truncated.
#[derive(Debug, Clone, Copy)]
struct Missing {
    protection: bool,
    start_pfn: bool,
}

impl Missing {
    fn of(raw: &[RawZone]) -> Missing {
        let begun = |zone: &RawZone| {
            !zone.counters.is_empty() || !zone.node_counters.is_empty() || !zone.pagesets.is_empty()
        };
        // A shell prompt may follow the last zone.
        let inner = &raw[..raw.len().saturating_sub(1)];
        let is_whole = inner.iter().all(|zone| zone.broken_at.is_none());
        // The counters of a node come before the rows of its first zone. If only a few lines after each
        // header were pasted, that zone has no other rows.
        let is_counted = |zone: &RawZone| zone.is_bare() && raw.iter().any(|z| !z.is_bare());
        let last = raw.last().is_some_and(RawZone::is_bare);
        let populated = raw.iter().filter(|zone| zone.is_populated());
        let no_start = raw.iter().all(|zone| zone.row("start_pfn").is_none());
        Missing {
            protection: !last
                && raw
                    .iter()
                    .all(|zone| is_counted(zone) || (zone.protection.is_none() && !begun(zone))),
            // A text truncated in its first zone has at most one populated zone.
            start_pfn: no_start && is_whole && populated.count() > 1,
        }
    }
}

fn zone_of(raw: &RawZone, missing: Missing) -> Result<DumpZone<'_>, Refusal> {
    let at = |reason: String| refuse(format!("line {}", raw.line), reason);
    let title = format!("node {} zone {}", raw.node, raw.name);
    let kind = ZoneType::from_name(&raw.name).ok_or_else(|| {
        at(format!(
            "{:?} is not a zone; expected DMA, DMA32, Normal, HighMem, Movable or Device",
            raw.name
        ))
    })?;
    let need = |name: &str| {
        raw.row(name).ok_or_else(|| match &raw.broken_at {
            Some((line, text)) => refuse(
                format!("line {line}"),
                format!(
                    "expected a row of {title} (a name and a number), found {text:?}; if the line is not part of /proc/zoneinfo, delete it"
                ),
            ),
            None => at(format!(
                "{title} has no row \"{name}\"; the text is cut off or incomplete: paste the whole output of cat /proc/zoneinfo"
            )),
        })
    };
    let (present, spanned) = (need("present")?, need("spanned")?);
    let marks = (need("min")?, need("low")?, need("high")?);
    if raw.protection.is_none() && !missing.protection {
        need("protection")?;
    }
    let begun = !raw.counters.is_empty() || !raw.pagesets.is_empty() || raw.broken_at.is_some();
    if present > 0 && begun && !missing.start_pfn && !missing.protection {
        need("start_pfn")?;
    }
    let managed = raw.row("managed").unwrap_or(present);
    let boost = raw.row("boost").unwrap_or(0);
    let start_pfn = raw.row("start_pfn").filter(|_| present > 0);
    let counts = [present, managed, spanned, boost, start_pfn.unwrap_or(0)];
    let marks_and_counts = counts.into_iter().chain([marks.0, marks.1, marks.2]);
    if marks_and_counts.max().unwrap_or(0) > MAX_PAGES {
        return Err(at(format!("{title} has more pages than any machine")));
    }
    if present > spanned || managed > present {
        return Err(at(format!(
            "{title}: expected managed <= present <= spanned, found {managed}, {present}, {spanned}"
        )));
    }
    if marks.0 > marks.1 || marks.1 > marks.2 || boost > marks.0 {
        return Err(at(format!(
            "{title}: expected boost <= min <= low <= high, found {boost}, {}, {}, {}",
            marks.0, marks.1, marks.2
        )));
    }
    Ok(DumpZone {
        kind,
        raw,
        present,
        managed,
        spanned,
        start_pfn,
        min: marks.0,
        low: marks.1,
        high: marks.2,
        boost,
        protection: raw.protection.clone().unwrap_or_default(),
    })
}

fn order_fault(nodes: &[DumpNode], raw: &RawZone, kind: ZoneType) -> Option<String> {
    let last = nodes.last()?;
    if raw.node < last.id {
        return Some(format!("node {} comes after node {}", raw.node, last.id));
    }
    let previous = last.zones.last()?;
    if raw.node > last.id || kind > previous.kind {
        return None;
    }
    Some(if last.zones.iter().any(|zone| zone.kind == kind) {
        format!("node {} has a second zone {}", raw.node, raw.name)
    } else {
        format!("zone {} comes after {}", raw.name, previous.kind.name())
    })
}

fn is_per_node(raw: &[RawZone]) -> bool {
    let has = |name: &str| raw.iter().any(|zone| zone.row(name).is_some());
    if has("all_unreclaimable") || has("inactive_ratio") || has("scanned") {
        return false;
    }
    has("node_unreclaimable")
        || raw.iter().any(|zone| zone.per_node || !zone.is_populated())
        || has("boost")
        || has("cma")
        || has("promo")
        // Kernels to 4.7 print the number of scanned pages before the sizes.
        || has("managed")
        || raw
            .iter()
            .any(|zone| zone.counters.contains_key("nr_zone_inactive_anon"))
}

fn online_cpus(raw: &[RawZone]) -> Vec<u16> {
    let mut cpus: Vec<u16> = raw
        .iter()
        .flat_map(|zone| zone.pagesets.iter().map(|list| list.cpu))
        .collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// Refusals that need a comparison of several zones.
fn check_whole(dump: &Dump, refusals: &mut Vec<Refusal>) {
    if dump.populated().next().is_none() {
        refusals.push(refuse("line 1", "no zone has any pages"));
        return;
    }
    let starts = dump
        .populated()
        .filter(|zone| zone.start_pfn.is_some())
        .count();
    let all = dump.populated().count();
    for zone in dump.zones() {
        let line = format!("line {}", zone.raw.line);
        let title = format!("node {} zone {}", zone.raw.node, zone.raw.name);
        if dump.has_protection && zone.protection.len() != dump.zone_count {
            let reason = format!(
                "{title} has {} protection values, other zones have {}; the text is cut off or mixed",
                zone.protection.len(),
                dump.zone_count
            );
            refusals.push(refuse(line, reason));
        } else if zone.present > 0 && zone.start_pfn.is_none() && starts > 0 && starts < all {
            let reason = format!(
                "{title} has no row \"start_pfn\", but other zones have one; the text is cut off"
            );
            refusals.push(refuse(line, reason));
        }
    }
    if refusals.is_empty() && dump.has_protection {
        for node in &dump.nodes {
            check_node_whole(dump, node, refusals);
        }
    }
}

/// Kernels from 4.12 on print every zone type of a node. If the text has fewer, or is from an older kernel,
/// the protection of a lower zone must not grow because of missing pages.
fn check_node_whole(dump: &Dump, node: &DumpNode, refusals: &mut Vec<Refusal>) {
    let Some(last) = node.zones.last() else {
        return;
    };
    if node.zones.len() > dump.zone_count {
        let reason = format!(
            "node {} has {} zones, but protection rows of {} entries",
            node.id,
            node.zones.len(),
            dump.zone_count
        );
        refusals.push(refuse(format!("line {}", last.raw.line), reason));
        return;
    }
    let Some(lowest) = node.zones.iter().find(|zone| zone.present > 0) else {
        return;
    };
    let row = &lowest.protection;
    let growths = (1..row.len()).filter(|&j| row[j] > row[j - 1]).count();
    let above = node
        .zones
        .iter()
        .filter(|zone| zone.kind > lowest.kind && zone.present > 0)
        .count();
    let is_short = dump.is_per_node && node.zones.len() < dump.zone_count;
    // Kernels 4.8 to 4.11 printed populated zones only.
    let later = ["cma", "boost", "promo"]
        .iter()
        .any(|row| dump.has_row(row));
    let prints_empty = later || dump.zones().any(|zone| zone.present == 0);
    let is_cut = is_short && (prints_empty || growths != above);
    if growths > above || is_cut {
        let reason = format!(
            "node {} has {} of {} zones; the zones before the first or after the last of them are missing",
            node.id,
            node.zones.len(),
            dump.zone_count
        );
        refusals.push(refuse(format!("line {}", last.raw.line), reason));
    }
}

/// The dump's zones as a layout for the rules; the ranges are empty.
pub fn layout(dump: &Dump, shape: &Shape) -> Layout {
    layout_with(dump, &shape.zone_types, shape.geometry(), None)
}

/// Like [`layout`], with a given page size and given CPUs of each node.
pub fn layout_with(
    dump: &Dump,
    zone_types: &[ZoneType],
    geometry: Geometry,
    cpus: Option<&[u16]>,
) -> Layout {
    let even = even_split(dump);
    let cpus = cpus.unwrap_or(&even);
    let mut next_cpu = 0u32;
    let nodes = dump
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let first = next_cpu;
            next_cpu += u32::from(cpus[index]);
            NodeLayout {
                id: node.id,
                cpus: (first..next_cpu)
                    .map(|cpu| CpuIndex::new(cpu as u16))
                    .collect(),
                zones: zone_types
                    .iter()
                    .map(|&kind| zone_layout(node, index, kind))
                    .collect(),
            }
        })
        .collect();
    let count = dump.nodes.len();
    let distance = |from, to| if from == to { 10 } else { 20 };
    let row = |from| (0..count).map(|to| distance(from, to)).collect();
    Layout {
        geometry,
        hz: 250,
        zone_types: zone_types.to_vec(),
        nodes,
        distances: (0..count).map(row).collect(),
    }
}

fn zone_layout(node: &DumpNode, index: usize, kind: ZoneType) -> ZoneLayout {
    let printed = node.zones.iter().find(|zone| zone.kind == kind);
    let of = |field: fn(&DumpZone) -> u64| printed.map_or(0, field);
    ZoneLayout {
        node: index,
        kind,
        start_pfn: of(|zone| zone.start_pfn.unwrap_or(0)),
        spanned: of(|zone| zone.spanned),
        present: of(|zone| zone.present),
        managed: of(|zone| zone.managed),
        ranges: Vec::new(),
    }
}

/// CPUs spread evenly over the nodes; the first nodes get the remainder.
pub fn even_split(dump: &Dump) -> Vec<u16> {
    let nodes = dump.nodes.len().max(1);
    let cpus = dump.cpus.len().max(1);
    (0..nodes)
        .map(|node| (cpus / nodes + usize::from(node < cpus % nodes)) as u16)
        .collect()
}
