//! The machine as a kernel lays it out at boot: nodes with zones (mm/page_alloc.c, `free_area_init`).
//!
//! Modelled: `zone_spanned_pages_in_node` (a zone spans its part of the node, holes included), present and
//! managed pages, CPU numbering by node.
//! Left out: memory freed after boot (init sections, initramfs). On a real machine it raises `managed` by a
//! few MiB after the first watermarks were computed.
//! Visible difference: the watermarks that a freshly booted machine prints match a slightly smaller
//! `managed`.
//! Invariants: every node has one [`ZoneLayout`] for each built-in zone type, in order, also for empty zones;
//! `managed <= present <= spanned`; ranges are sorted, disjoint and inside the span.

use crate::arch::{Geometry, ZoneBorder, ZoneType};
use crate::index::CpuIndex;
use crate::kernel::{Features, WatermarkBase};
use crate::profile::{MachineProfile, MemRange, NodeProfile, reserved_pages};

/// Contiguous page frames that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PfnRange {
    /// First page frame number.
    pub start: u64,
    /// Number of pages.
    pub pages: u64,
}

impl PfnRange {
    /// The first pfn above the range.
    pub const fn end(&self) -> u64 {
        self.start + self.pages
    }
}

/// One zone of one node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ZoneLayout {
    /// Index of the node in [`Layout::nodes`].
    pub node: usize,
    /// Zone type.
    pub kind: ZoneType,
    /// `zone_start_pfn`; 0 when the zone spans nothing.
    pub start_pfn: u64,
    /// `spanned_pages`: from the first to the last possible frame, holes included.
    pub spanned: u64,
    /// `present_pages` as this kernel counts and prints it. Kernels to 3.8 leave out memmap and
    /// boot reservations, so there it equals `managed`.
    pub present: u64,
    /// `managed_pages`: the pages of the buddy allocator. Kernels to 3.8 have no such field; their
    /// `present_pages` are the same pages.
    pub managed: u64,
    /// The ranges of frames that exist, including reserved frames, ascending.
    pub ranges: Vec<PfnRange>,
}

impl ZoneLayout {
    /// `populated_zone()`: whether it has any pages.
    pub const fn is_populated(&self) -> bool {
        self.present > 0
    }

    /// The first pfn above the zone (`zone_end_pfn`).
    pub const fn end_pfn(&self) -> u64 {
        self.start_pfn + self.spanned
    }

    /// Frames that exist but are not managed.
    pub fn reserved(&self) -> u64 {
        self.ranges.iter().map(|range| range.pages).sum::<u64>() - self.managed
    }
}

impl ZoneLayout {
    /// The frames that the buddy allocator gets at boot: all that exist except the first
    /// [`ZoneLayout::reserved`] of the zone, which stand for memmap and kernel image.
    pub fn managed_ranges(&self) -> Vec<PfnRange> {
        let mut reserved = self.reserved();
        let mut managed = Vec::new();
        for range in &self.ranges {
            let taken = reserved.min(range.pages);
            reserved -= taken;
            if taken < range.pages {
                managed.push(PfnRange {
                    start: range.start + taken,
                    pages: range.pages - taken,
                });
            }
        }
        managed
    }
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeLayout {
    /// Node id as printed.
    pub id: u16,
    /// The numbers of its CPUs.
    pub cpus: Vec<CpuIndex>,
    /// One zone for each built-in type, in order.
    pub zones: Vec<ZoneLayout>,
}

impl NodeLayout {
    /// `node_present_pages` as this kernel counts it.
    pub fn present(&self) -> u64 {
        self.zones.iter().map(|zone| zone.present).sum()
    }

    /// Pages managed on this node.
    pub fn managed(&self) -> u64 {
        self.zones.iter().map(|zone| zone.managed).sum()
    }
}

/// A whole machine under one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Page and block sizes.
    pub geometry: Geometry,
    /// Timer ticks per second.
    pub hz: u16,
    /// The built-in zone types, in order; indices into every node's `zones`.
    pub zone_types: Vec<ZoneType>,
    /// Nodes, ascending by id.
    pub nodes: Vec<NodeLayout>,
    /// `node_distance(from, to)`, by node index.
    pub distances: Vec<Vec<u8>>,
}

impl Layout {
    /// Lays out a profile that [`crate::profile::check`] accepts, as a kernel with `features` would. Panics
    /// on a profile that check refuses.
    pub fn new(profile: &MachineProfile, features: &Features) -> Layout {
        let borders = profile.zone_borders(features);
        let mut next_cpu = 0;
        let nodes = profile
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| {
                let cpus = (next_cpu..next_cpu + node.cpus)
                    .map(CpuIndex::new)
                    .collect();
                next_cpu += node.cpus;
                NodeLayout {
                    id: node.id.unwrap_or(index as u16),
                    cpus,
                    zones: lay_out_zones(profile, index, &borders, features),
                }
            })
            .collect();
        Layout {
            geometry: profile.geometry(),
            hz: profile.hz,
            zone_types: borders.iter().map(|border| border.kind).collect(),
            nodes,
            distances: profile.distances.clone(),
        }
    }

    /// CPUs of all nodes (`num_online_cpus`).
    pub fn online_cpus(&self) -> u64 {
        self.nodes.iter().map(|node| node.cpus.len() as u64).sum()
    }

    /// Every zone in the order of nodes, including empty zones (`for_each_zone`).
    pub fn zones(&self) -> impl Iterator<Item = &ZoneLayout> {
        self.nodes.iter().flat_map(|node| &node.zones)
    }

    /// Pages managed on the whole machine (`totalram_pages`).
    pub fn managed(&self) -> u64 {
        self.zones().map(|zone| zone.managed).sum()
    }

    /// The node to which a CPU belongs, as an index.
    pub fn node_of_cpu(&self, cpu: CpuIndex) -> Option<usize> {
        self.nodes.iter().position(|node| node.cpus.contains(&cpu))
    }

    /// Index of a zone type among the built-in ones.
    pub fn zone_index(&self, kind: ZoneType) -> Option<usize> {
        self.zone_types.iter().position(|&known| known == kind)
    }
}

/// The pfns of one zone within one node: `adjust_zone_range_for_zone_movable`.
#[derive(Debug, Clone, Copy)]
struct ZoneWindow {
    kind: ZoneType,
    start: u64,
    end: u64,
}

fn zone_windows(node: &NodeProfile, borders: &[ZoneBorder]) -> Vec<ZoneWindow> {
    let movable_from = node.movable_from_pfn.unwrap_or(u64::MAX);
    let mut floor = 0;
    borders
        .iter()
        .map(|border| {
            let (start, end) = match border.kind {
                ZoneType::Movable => (movable_from, u64::MAX),
                ZoneType::Device => (u64::MAX, u64::MAX),
                _ => {
                    let end = border.below_pfn.unwrap_or(u64::MAX).max(floor);
                    let window = (floor.min(movable_from), end.min(movable_from));
                    floor = end;
                    window
                }
            };
            ZoneWindow {
                kind: border.kind,
                start,
                end,
            }
        })
        .collect()
}

fn lay_out_zones(
    profile: &MachineProfile,
    index: usize,
    borders: &[ZoneBorder],
    features: &Features,
) -> Vec<ZoneLayout> {
    let node = &profile.nodes[index];
    let mut ranges = node.ranges.clone();
    ranges.sort_by_key(|range| range.start_pfn);
    let end_of = |range: &MemRange| range.start_pfn + range.pages;
    let node_start = ranges.first().map_or(0, |range| range.start_pfn);
    let node_end = ranges.last().map_or(0, end_of);
    zone_windows(node, borders)
        .into_iter()
        .map(|window| {
            let start = window.start.clamp(node_start, node_end);
            let end = window.end.clamp(start, node_end);
            let ranges = clip(&ranges, start, end);
            let existing: u64 = ranges.iter().map(|range| range.pages).sum();
            let managed = existing - reserved_pages(profile, node, window.kind, existing);
            ZoneLayout {
                node: index,
                kind: window.kind,
                start_pfn: if end > start { start } else { 0 },
                spanned: end - start,
                present: match features.watermark_base {
                    WatermarkBase::Present => managed,
                    WatermarkBase::Managed => existing,
                },
                managed,
                ranges,
            }
        })
        .collect()
}

/// The parts of sorted ranges inside `start..end`; adjacent parts are joined.
fn clip(ranges: &[MemRange], start: u64, end: u64) -> Vec<PfnRange> {
    let mut clipped: Vec<PfnRange> = Vec::new();
    for range in ranges {
        let from = range.start_pfn.max(start);
        let to = (range.start_pfn + range.pages).min(end);
        if from >= to {
            continue;
        }
        match clipped.last_mut() {
            Some(last) if last.end() == from => last.pages += to - from,
            _ => clipped.push(PfnRange {
                start: from,
                pages: to - from,
            }),
        }
    }
    clipped
}

/// The zone to which each pfn of a node would belong. Used to check a profile before it is laid out.
pub fn existing_pages_by_zone(node: &NodeProfile, borders: &[ZoneBorder]) -> Vec<(ZoneType, u64)> {
    zone_windows(node, borders)
        .into_iter()
        .map(|window| {
            let pages = node.ranges.iter().fold(0u64, |sum, range| {
                let from = range.start_pfn.max(window.start);
                let to = range.start_pfn.saturating_add(range.pages).min(window.end);
                sum.saturating_add(to.saturating_sub(from))
            });
            (window.kind, pages)
        })
        .collect()
}
