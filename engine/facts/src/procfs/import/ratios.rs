//! The `lowmem_reserve_ratio` behind a dump's protection rows.
//!
//! Modelled: one divisor for each zone type, which applies to every node.
//! Left out: rows that no divisor gives; they appear as differences.
//! Visible difference: the comparison computes the rows again.
//! Invariants: given ratios are used unchanged; a matching default is preferred.

use crate::arch::ZoneType;
use crate::kernel::{Features, ReserveRule};
use crate::layout::Layout;
use crate::procfs::import::dump::Dump;
use crate::procfs::import::grown::smallest_managed;
use crate::procfs::import::infer::roundest;
use crate::procfs::import::{ImportOptions, Notes};
use crate::profile::refuse;
use crate::tunables::ratio_len;
use crate::view::Refusal;

/// The entries of the ratio, given or from the protection rows.
pub fn ratios(
    dump: &Dump,
    layout: &Layout,
    features: &Features,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<Vec<u64>, Vec<Refusal>> {
    let len = ratio_len(features, layout.zone_types.len());
    if let Some(given) = &options.lowmem_reserve_ratio {
        if given.len() != len {
            let reason = format!(
                "{} entries; this kernel needs {len} on this machine",
                given.len()
            );
            return Err(vec![refuse("lowmem_reserve_ratio", reason)]);
        }
        return Ok(given.clone());
    }
    let defaults = layout.zone_types.iter().take(len);
    let defaults = defaults.map(|&kind| default_ratio(features, kind));
    if !dump.has_protection {
        let values: Vec<u64> = defaults.collect();
        let words: Vec<String> = values.iter().map(u64::to_string).collect();
        notes.infer(
            "vm.lowmem_reserve_ratio",
            words.join(" "),
            "the defaults: the text has no protection rows",
        );
        return Ok(values);
    }
    let mut differing = Vec::new();
    let values: Vec<u64> = (0..len)
        .map(|index| {
            let kind = layout.zone_types[index];
            let default = default_ratio(features, kind);
            let value = ratio(dump, layout, index, default);
            if value != default {
                differing.push(kind.name());
            }
            value
        })
        .collect();
    let words: Vec<String> = values.iter().map(u64::to_string).collect();
    let from = if differing.is_empty() {
        "the defaults explain the protection rows".to_string()
    } else {
        format!(
            "pages of the zones above, divided by the protection of {}; this is the roundest value that gives it",
            differing.join(", ")
        )
    };
    notes.infer("vm.lowmem_reserve_ratio", words.join(" "), from);
    Ok(values)
}

pub fn default_ratio(features: &Features, kind: ZoneType) -> u64 {
    match (kind, features.reserve) {
        (ZoneType::Dma | ZoneType::Dma32, _) => 256,
        (ZoneType::Normal, _) => 32,
        (ZoneType::HighMem, ReserveRule::RatioAtLeastOne) => 32,
        _ => 0,
    }
}

/// The divisor of one zone type that gives its protection values on every node.
fn ratio(dump: &Dump, layout: &Layout, index: usize, default: u64) -> u64 {
    let page_kib = layout.geometry.page_kib();
    let mut range = 1..=i32::MAX as u64;
    let mut default_fits = true;
    let (mut all_zero, mut seen) = (true, false);
    for (node, printed) in layout.nodes.iter().zip(&dump.nodes) {
        let kind = layout.zone_types[index];
        let Some(zone) = printed
            .zones
            .iter()
            .find(|z| z.kind == kind && z.managed > 0)
        else {
            continue;
        };
        let (mut above, mut least) = (0u64, 0u64);
        for upper in index + 1..node.zones.len() {
            above += node.zones[upper].managed;
            least += smallest_managed(node.zones[upper].managed, page_kib);
            let printed = zone.protection[upper];
            if above == 0 {
                continue;
            }
            seen = true;
            all_zero &= printed == 0;
            let by = |pages: u64| pages.checked_div(default).unwrap_or(0);
            default_fits &= (by(least)..=by(above)).contains(&printed);
            let lowest = above / (printed + 1) + 1;
            let highest = above.checked_div(printed).unwrap_or(i32::MAX as u64);
            range = *range.start().max(&lowest)..=*range.end().min(&highest);
        }
    }
    match (seen, default_fits, all_zero) {
        (false, ..) | (_, true, _) => default,
        (_, _, true) => 0,
        _ if range.start() <= range.end() => roundest(&range),
        _ => default,
    }
}
