//! Printing `/proc/pagetypeinfo` (mm/vmstat.c, `pagetypeinfo_show`).
//!
//! Modelled: free blocks by order and migrate type, and pageblocks by type, for every node with
//! memory.
//! Left out: the mixed-block table of builds with page owner tracking.
//! Visible difference: a kernel booted with `page_owner=on`.
//! Invariants: the node number is padded in the first table and not in the second.

use std::fmt::Write;

use crate::kernel::Features;
use crate::procfs::{ProcNode, ProcView, ProcZone};

/// The text of the file.
pub fn pagetypeinfo(features: &Features, view: &ProcView) -> String {
    let types = features.migratetype_names(view.geometry.arch);
    let mut out = String::new();
    for node in &view.nodes {
        let populated: Vec<&ProcZone> = node.zones.iter().filter(|z| z.is_populated()).collect();
        if populated.is_empty() {
            continue;
        }
        let geometry = &view.geometry;
        let _ = writeln!(out, "Page block order: {}", geometry.pageblock_order);
        let _ = writeln!(out, "Pages per block:  {}\n", geometry.pageblock_pages());
        let _ = write!(out, "{:<43} ", "Free pages count per migrate type at order");
        for order in 0..geometry.orders {
            let _ = write!(out, "{order:>6} ");
        }
        out.push('\n');
        for zone in &populated {
            for (index, name) in types.iter().enumerate() {
                free_row(&mut out, features, geometry.orders, node, zone, index, name);
            }
        }
        let _ = write!(out, "\n{:<23}", "Number of blocks type ");
        for name in types {
            let _ = write!(out, "{name:>12} ");
        }
        out.push('\n');
        for zone in &populated {
            let _ = write!(out, "Node {}, zone {:>8} ", node.id, zone.kind.name());
            for index in 0..types.len() {
                let _ = write!(out, "{:>12} ", zone.blocks.get(index).unwrap_or(&0));
            }
            out.push('\n');
        }
    }
    out
}

fn free_row(
    out: &mut String,
    features: &Features,
    orders: u8,
    node: &ProcNode,
    zone: &ProcZone,
    migratetype: usize,
    name: &str,
) {
    let zone_name = zone.kind.name();
    let _ = write!(
        out,
        "Node {:>4}, zone {zone_name:>8}, type {name:>12} ",
        node.id
    );
    for order in 0..usize::from(orders) {
        let blocks = zone
            .free_area
            .get(order)
            .and_then(|types| types.get(migratetype));
        let blocks = blocks.copied().unwrap_or(0);
        // The kernel stops counting at this number, so that it does not hold the zone lock for long.
        let cut = features.pagetypeinfo_cut;
        if cut > 0 && blocks >= cut {
            let _ = write!(out, ">{cut:>6} ");
        } else {
            let _ = write!(out, "{blocks:>6} ");
        }
    }
    out.push('\n');
}
