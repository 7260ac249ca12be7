//! Printing `/proc/zoneinfo` (mm/vmstat.c, `zoneinfo_show_print`).
//!
//! Modelled: both forms of the file, to 4.7 and from 4.8, the rows added in 3.8, 5.12, 5.16 and 6.12, and the
//! rows that only 4.9 and 4.14 have.
//! Left out: `high_min` and `high_max` of later kernels.
//! Visible difference: none on the modelled kernels.
//! Invariants: one newline ends each line; nothing is printed between zones.

use std::fmt::Write;

use crate::kernel::{Features, ZoneinfoStyle};
use crate::procfs::{Pageset, ProcNode, ProcView, ProcZone, value};
use crate::vmstat::{CounterNames, names};

/// The text of the file.
pub fn zoneinfo(features: &Features, view: &ProcView) -> String {
    let names = names(features, view.geometry.arch, &view.zone_types);
    let mut out = String::new();
    for node in &view.nodes {
        match features.zoneinfo {
            ZoneinfoStyle::Zone => {
                for zone in node.zones.iter().filter(|zone| zone.is_populated()) {
                    print_zone_old(&mut out, features, &names, node, zone);
                }
            }
            ZoneinfoStyle::Node => print_node_new(&mut out, features, &names, node),
        }
    }
    out
}

/// Writes one line; writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => {{
        let _ = writeln!($out, $($arg)*);
    }};
}

fn header(out: &mut String, node: &ProcNode, zone: &ProcZone) {
    line!(out, "Node {}, zone {:>8}", node.id, zone.kind.name());
}

fn print_zone_old(
    out: &mut String,
    features: &Features,
    names: &CounterNames,
    node: &ProcNode,
    zone: &ProcZone,
) {
    header(out, node, zone);
    line!(out, "  pages free     {}", zone.free);
    row(out, "min", zone.min.saturating_add(zone.boost));
    row(out, "low", zone.low.saturating_add(zone.boost));
    row(out, "high", zone.high.saturating_add(zone.boost));
    row(out, "scanned", zone.scanned);
    row(out, "spanned", zone.spanned);
    row(out, "present", zone.present);
    if features.zoneinfo_managed {
        row(out, "managed", zone.managed);
    }
    for name in &names.zone {
        line!(out, "    {name:<12} {}", zone_counter(zone, name));
    }
    protection(out, zone);
    pagesets(out, &zone.pagesets);
    line!(out, "  all_unreclaimable: {}", u8::from(zone.unreclaimable));
    line!(out, "  start_pfn:         {}", zone.start_pfn);
    line!(out, "  inactive_ratio:    {}", zone.inactive_ratio);
}

fn print_node_new(out: &mut String, features: &Features, names: &CounterNames, node: &ProcNode) {
    let first_populated = node.zones.iter().position(ProcZone::is_populated);
    for (index, zone) in node.zones.iter().enumerate() {
        header(out, node, zone);
        if first_populated == Some(index) {
            line!(out, "  per-node stats");
            for name in &names.node {
                line!(out, "      {name:<12} {}", value(&node.counters, name));
            }
        }
        print_pages_new(out, features, node, zone);
        if zone.is_populated() {
            for name in names.zone.iter().chain(&names.numa) {
                line!(out, "      {name:<12} {}", zone_counter(zone, name));
            }
            pagesets(out, &zone.pagesets);
            line!(
                out,
                "  node_unreclaimable:  {}",
                u8::from(zone.unreclaimable)
            );
            line!(out, "  start_pfn:           {}", zone.start_pfn);
            if features.zoneinfo_node_ratio {
                line!(out, "  node_inactive_ratio: 0");
            }
        }
    }
}

fn print_pages_new(out: &mut String, features: &Features, node: &ProcNode, zone: &ProcZone) {
    line!(out, "  pages free     {}", zone.free);
    if features.zoneinfo_boost {
        row(out, "boost", zone.boost);
    }
    row(out, "min", zone.min.saturating_add(zone.boost));
    row(out, "low", zone.low.saturating_add(zone.boost));
    row(out, "high", zone.high.saturating_add(zone.boost));
    if features.zoneinfo_promo {
        row(out, "promo", zone.promo.saturating_add(zone.boost));
    }
    if features.zoneinfo_node_scanned {
        let scanned = value(&node.counters, "nr_pages_scanned");
        line!(out, "   node_scanned  {scanned}");
    }
    row(out, "spanned", zone.spanned);
    row(out, "present", zone.present);
    row(out, "managed", zone.managed);
    if features.zoneinfo_cma {
        row(out, "cma", zone.cma);
    }
    protection(out, zone);
}

fn row(out: &mut String, name: &str, value: u64) {
    line!(out, "        {name:<8} {value}");
}

fn zone_counter(zone: &ProcZone, name: &str) -> u64 {
    match zone.counters.get(name) {
        Some(&value) => value,
        None if name == "nr_free_pages" => zone.free,
        None => 0,
    }
}

fn protection(out: &mut String, zone: &ProcZone) {
    let values: Vec<String> = zone.protection.iter().map(u64::to_string).collect();
    line!(out, "        protection: ({})", values.join(", "));
}

fn pagesets(out: &mut String, pagesets: &[Pageset]) {
    line!(out, "  pagesets");
    for pageset in pagesets {
        line!(out, "    cpu: {}", pageset.cpu);
        line!(out, "              count: {}", pageset.count);
        line!(out, "              high:  {}", pageset.high);
        line!(out, "              batch: {}", pageset.batch);
        line!(out, "  vm stats threshold: {}", pageset.stat_threshold);
    }
}
