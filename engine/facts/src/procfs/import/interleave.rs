//! Zones of several nodes whose spans overlap.
//!
//! Modelled: each zone has its pages within its span, and no two zones share a page.
//! Left out: which of several possible placements is the real one.
//! Visible difference: none in zoneinfo; the frame numbers of single pages differ.
//! Invariants: if a placement exists it is found; a node keeps its first and last frame.

use crate::arch::ZoneType;
use crate::procfs::import::dump::{Dump, DumpNode, DumpZone};
use crate::profile::{MachineProfile, MemRange};
use std::collections::{BTreeMap, BTreeSet};

/// A zone that needs a number of pages between two frames.
#[derive(Debug)]
struct Claim {
    node: usize,
    start: u64,
    end: u64,
    /// Pages that have no frame yet.
    left: u64,
}

/// The machine with its pages placed so that no two zones share a frame; none if that is impossible. `starts`
/// are the first frames of the zones, by node and zone of the dump.
pub fn interleaved(
    machine: &MachineProfile,
    dump: &Dump,
    starts: &[Vec<u64>],
) -> Option<MachineProfile> {
    let mut claims = Vec::new();
    let mut edges: BTreeMap<u64, usize> = BTreeMap::new();
    let mut machine = machine.clone();
    for (index, node) in dump.nodes.iter().enumerate() {
        let movable = machine.nodes[index].movable_from_pfn;
        let zones = kept_zones(node, &starts[index], movable);
        machine.nodes[index].ranges.clear();
        machine.nodes[index].reserved = zones
            .iter()
            .map(|(zone, _)| (zone.kind, zone.present - zone.managed))
            .filter(|(_, reserved)| *reserved > 0)
            .collect();
        let from = claims.len();
        claims.extend(zones.into_iter().map(|(zone, start)| Claim {
            node: index,
            start,
            end: start.saturating_add(zone.spanned),
            left: zone.present,
        }));
        keep_edges(&mut claims, from, &mut edges)?;
    }
    for (index, range) in placed(&mut claims, &edges)? {
        let ranges: &mut Vec<MemRange> = &mut machine.nodes[claims[index].node].ranges;
        match ranges.last_mut() {
            Some(last) if last.end_pfn() == Some(range.start_pfn) => last.pages += range.pages,
            _ => ranges.push(range),
        }
    }
    Some(machine)
}

/// The zones of a node that its description contains, with their first frames.
fn kept_zones<'a>(
    node: &'a DumpNode,
    starts: &[u64],
    movable: Option<u64>,
) -> Vec<(&'a DumpZone<'a>, u64)> {
    let zones = node.zones.iter().zip(starts.iter().copied());
    zones
        .filter(|(zone, start)| match zone.kind {
            ZoneType::Device => false,
            ZoneType::Movable => zone.present > 0 && movable == Some(*start),
            _ => zone.present > 0,
        })
        .collect()
}

/// A node's first and last frame exist, because they define its span.
fn keep_edges(claims: &mut [Claim], from: usize, edges: &mut BTreeMap<u64, usize>) -> Option<()> {
    let own = from..claims.len();
    let first = own.clone().min_by_key(|&index| claims[index].start);
    let last = own.max_by_key(|&index| claims[index].end);
    let (Some(first), Some(last)) = (first, last) else {
        return Some(());
    };
    for (index, pfn) in [
        (first, claims[first].start),
        (last, claims[last].end.saturating_sub(1)),
    ] {
        match edges.insert(pfn, index) {
            None => claims[index].left = claims[index].left.checked_sub(1)?,
            Some(other) if other == index => {}
            Some(_) => return None,
        }
    }
    Some(())
}

/// Assigns frames in ascending order. Each frame goes to the zone that ends first among those that still need
/// frames; no other order serves more zones.
fn placed(claims: &mut [Claim], edges: &BTreeMap<u64, usize>) -> Option<Vec<(usize, MemRange)>> {
    let ends = claims.iter().flat_map(|claim| [claim.start, claim.end]);
    let around = edges.keys().flat_map(|&pfn| [pfn, pfn + 1]);
    let marks: BTreeSet<u64> = ends.chain(around).collect();
    let marks: Vec<u64> = marks.into_iter().collect();
    let mut out = Vec::new();
    for pair in marks.windows(2) {
        let (mut at, end) = (pair[0], pair[1]);
        if let Some(&owner) = edges.get(&at) {
            out.push((
                owner,
                MemRange {
                    start_pfn: at,
                    pages: 1,
                },
            ));
            continue;
        }
        while at < end {
            let wanting = claims.iter_mut().enumerate();
            let Some((index, claim)) = wanting
                .filter(|(_, claim)| claim.left > 0 && claim.start <= at && at < claim.end)
                .min_by_key(|(_, claim)| claim.end)
            else {
                break;
            };
            let pages = claim.left.min(end - at);
            claim.left -= pages;
            out.push((
                index,
                MemRange {
                    start_pfn: at,
                    pages,
                },
            ));
            at += pages;
        }
    }
    claims.iter().all(|claim| claim.left == 0).then_some(out)
}
