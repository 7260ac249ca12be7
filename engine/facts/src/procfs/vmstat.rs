//! Printing `/proc/vmstat` (mm/vmstat.c, `vmstat_show`).
//!
//! Modelled: sums of zone and node counters, limits and events, in the kernel's order.
//! Left out: nothing.
//! Visible difference: none.
//! Invariants: every name of [`crate::vmstat::names`] is printed once, with 0 if the view has no value.

use std::fmt::Write;

use crate::kernel::Features;
use crate::procfs::{ProcView, value};
use crate::vmstat::{Counters, names};

/// The text of the file.
pub fn vmstat(features: &Features, view: &ProcView) -> String {
    let names = names(features, view.geometry.arch, &view.zone_types);
    let totals = totals(view);
    let mut out = String::new();
    for name in names.all() {
        let _ = writeln!(out, "{name} {}", value(&totals, name));
    }
    out
}

/// Zone and node counters summed over the machine, and the events.
fn totals(view: &ProcView) -> Counters {
    let mut totals = view.events.clone();
    let mut add = |name: &str, value: u64| match totals.get_mut(name) {
        Some(total) => *total = total.saturating_add(value),
        None => {
            totals.insert(name.to_string(), value);
        }
    };
    for node in &view.nodes {
        for (name, &value) in &node.counters {
            add(name, value);
        }
        for zone in &node.zones {
            for (name, &value) in &zone.counters {
                add(name, value);
            }
            if !zone.counters.contains_key("nr_free_pages") {
                add("nr_free_pages", zone.free);
            }
        }
    }
    totals
}
