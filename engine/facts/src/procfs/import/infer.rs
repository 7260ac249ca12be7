//! The tunables behind a dump's marks.
//!
//! Modelled: which `min_free_kbytes`, `watermark_scale_factor` and `lowmem_reserve_ratio` give the
//! printed marks, exactly or with the smaller `managed` of boot time.
//! Left out: marks set by a patched kernel.
//! Who could tell: the comparison, which computes the marks anew.
//! Invariants: a given value is taken as it is; a default that fits is preferred to any other.

use std::ops::RangeInclusive;

use crate::arch::ZoneType;
use crate::kernel::{Features, Gaps, Kernel, LowMemory, ReserveRule};
use crate::layout::Layout;
use crate::procfs::import::dump::{Dump, DumpZone};
use crate::procfs::import::{ImportOptions, Notes};
use crate::profile::{Thp, refuse};
use crate::tunables::{Tunables, ratio_len};
use crate::view::Refusal;
use crate::watermark::{init_per_zone_wmark_min, low_memory_pages};

/// A real machine's `managed` grows after boot by what init freed: no more than a sixteenth, or 64
/// MiB on the smallest.
pub fn smallest_managed(managed: u64, page_kib: u64) -> u64 {
    managed.saturating_sub((managed / 16).max((64 << 10) / page_kib))
}

/// All tunables of the dump, given or inferred.
pub fn tunables(
    dump: &Dump,
    layout: &Layout,
    kernel: &Kernel,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<Tunables, Vec<Refusal>> {
    let features = &kernel.features;
    let mut tunables = Tunables::plain();
    tunables.lowmem_reserve_ratio = ratios(dump, layout, features, options, notes)?;
    if features.gaps == Gaps::ScaleFactor {
        tunables.watermark_scale_factor = match options.watermark_scale_factor {
            Some(given) => given,
            None => scale_factor(dump, features, layout, notes),
        };
    } else if options.watermark_scale_factor.is_some() {
        let reason = format!("kernel {} has no such tunable", kernel.id);
        return Err(vec![refuse("watermark_scale_factor", reason)]);
    }
    let min_free = match options.min_free_kbytes {
        Some(given) => given,
        None => min_free_kbytes(dump, layout, features, &tunables, notes),
    };
    tunables.min_free_kbytes = Some(min_free);
    check_limits(&tunables, features)?;
    Ok(tunables)
}

/// Sets every value anew through the door that knows the limits.
fn check_limits(tunables: &Tunables, features: &Features) -> Result<(), Vec<Refusal>> {
    let mut probe = tunables.clone();
    let mut names = vec!["vm.min_free_kbytes", "vm.lowmem_reserve_ratio"];
    if features.gaps == Gaps::ScaleFactor {
        names.push("vm.watermark_scale_factor");
    }
    let refusals: Vec<Refusal> = names
        .into_iter()
        .filter_map(|name| {
            let value = tunables.get(name)?;
            probe.set(features, name, &value).err()
        })
        .collect();
    if refusals.is_empty() {
        Ok(())
    } else {
        Err(refusals)
    }
}

fn is_low_memory(features: &Features, zone: &DumpZone) -> bool {
    match features.low_memory {
        LowMemory::ExceptHighMem => zone.kind != ZoneType::HighMem,
        LowMemory::ExceptHighMemAndMovable => {
            zone.kind != ZoneType::HighMem && zone.kind != ZoneType::Movable
        }
    }
}

fn div_ceil(a: u128, b: u128) -> u128 {
    a.div_ceil(b.max(1))
}

/// The values whose rule `floor(base * value / 10000) = gap` holds.
fn scales_for(base: u64, gap: u64) -> RangeInclusive<u64> {
    let (base, gap) = (u128::from(base), u128::from(gap));
    let lowest = div_ceil(gap * 10_000, base);
    let highest = div_ceil((gap + 1) * 10_000, base).saturating_sub(1);
    lowest.min(1 << 40) as u64..=highest.min(1 << 40) as u64
}

/// The roundest number of a range: a multiple of the largest power of ten, or half of it.
fn roundest(range: &RangeInclusive<u64>) -> u64 {
    let steps = [
        1_000_000, 500_000, 100_000, 50_000, 10_000, 5000, 1000, 500, 100, 50, 10, 5, 2,
    ];
    steps
        .into_iter()
        .map(|step| range.start().next_multiple_of(step))
        .find(|candidate| range.contains(candidate))
        .unwrap_or(*range.start())
}

fn scale_factor(dump: &Dump, features: &Features, layout: &Layout, notes: &mut Notes) -> u64 {
    const DEFAULT: u64 = 10;
    let page_kib = layout.geometry.page_kib();
    let max = features.watermark_scale_max;
    let mut range = 1..=max;
    let mut default_fits = true;
    let mut deciding = 0;
    for zone in dump.populated().filter(|zone| zone.managed > 0) {
        let gap = zone.low - zone.min;
        let quarter = (zone.min - zone.boost) / 4;
        let least = smallest_managed(zone.managed, page_kib);
        let at = |managed: u64| (u128::from(managed) * u128::from(DEFAULT) / 10_000) as u64;
        // Without a boost row a boosted min hides a smaller quarter.
        let fits_quarter = gap == quarter || (features.boost && gap < quarter);
        default_fits &=
            (fits_quarter && at(least) <= gap) || (at(least)..=at(zone.managed)).contains(&gap);
        if gap > quarter {
            let own = scales_for(zone.managed, gap);
            range = *range.start().max(own.start())..=*range.end().min(own.end());
            deciding += 1;
        } else {
            let own = scales_for(zone.managed, gap);
            range = *range.start()..=*range.end().min(own.end());
        }
    }
    let (value, from) = if default_fits {
        (
            DEFAULT,
            "the default explains every gap between min and low",
        )
    } else if deciding > 0 && range.start() <= range.end() {
        (
            roundest(&range),
            "gaps wider than a quarter of min, which a part of the zone explains; the roundest value that gives them",
        )
    } else {
        (
            DEFAULT,
            "no one value explains the gaps; the default is taken",
        )
    };
    notes.infer("vm.watermark_scale_factor", value, from);
    value
}

/// The shares of `min_free_kbytes` a zone's marks allow: min itself, or less where it may hold a
/// boost that no row shows.
fn share_range(zone: &DumpZone, features: &Features, tunables: &Tunables) -> RangeInclusive<u64> {
    let min = zone.min - zone.boost;
    let gap = zone.low - zone.min;
    let even = zone.high - zone.low == gap;
    let hides_boost =
        features.boost && !features.zoneinfo_boost && even && gap < min / 4 && zone.managed > 0;
    if !hides_boost {
        return min..=min;
    }
    let scale = u128::from(tunables.watermark_scale_factor);
    let scaled = (u128::from(zone.managed) * scale / 10_000) as u64;
    if gap > scaled {
        4 * gap..=4 * gap + 3
    } else {
        0..=4 * gap + 3
    }
}

/// Pages of `min_free_kbytes` that give every min exactly, if any do.
fn exact_pages(
    dump: &Dump,
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
) -> Option<RangeInclusive<u64>> {
    let low_pages = u128::from(low_memory_pages(layout, features));
    let mut range = 0..=u128::from(u64::MAX >> 8);
    for zone in dump
        .populated()
        .filter(|zone| is_low_memory(features, zone))
    {
        if zone.managed == 0 {
            continue;
        }
        let shares = share_range(zone, features, tunables);
        let base = u128::from(zone.managed);
        let lowest = div_ceil(u128::from(*shares.start()) * low_pages, base);
        let highest = div_ceil((u128::from(*shares.end()) + 1) * low_pages, base) - 1;
        range = *range.start().max(&lowest)..=*range.end().min(&highest);
    }
    let fits = range.start() <= range.end() && *range.end() < u128::from(u64::MAX >> 8);
    fits.then(|| *range.start() as u64..=*range.end() as u64)
}

/// Most zones among which the one that grew after boot is searched for.
const MAX_SEARCHED_ZONES: usize = 48;

/// A zone that was smaller at boot, and the low-memory totals at which all mins come out.
struct Grown {
    zone: usize,
    totals: RangeInclusive<u64>,
}

/// How `pages` gives every min exactly once one zone is taken to have been smaller by what init
/// freed later, if it can.
fn one_zone_grew(
    zones: &[&DumpZone],
    total: u64,
    pages: u64,
    page_kib: u64,
) -> impl Iterator<Item = Grown> {
    let freed_most = move |zone: &DumpZone| zone.managed - smallest_managed(zone.managed, page_kib);
    let share = move |base: u64, total: u64| {
        u128::from(pages) * u128::from(base) / u128::from(total.max(1))
    };
    let with_grown = move |grown: usize| {
        let changed = zones[grown];
        // The totals at which the zones that did not change get their mins.
        let (mut lowest, mut highest) = (total - freed_most(changed).min(total - 1), total);
        for (index, zone) in zones.iter().enumerate() {
            if index != grown && zone.managed > 0 {
                let product = u128::from(pages) * u128::from(zone.managed);
                let min = u128::from(zone.min - zone.boost);
                let above = (product / (min + 1) + 1).min(u128::from(total) + 1) as u64;
                let upto = product.checked_div(min).unwrap_or(u128::MAX);
                lowest = lowest.max(above);
                highest = highest.min(upto.min(u128::from(total)) as u64);
            }
        }
        // The changed zone's share rises with the total: both ends decide.
        let min = u128::from(changed.min - changed.boost);
        let at = |sum: u64| share(changed.managed - (total - sum), sum);
        let fits = lowest <= highest && at(lowest) <= min && min <= at(highest);
        fits.then_some(Grown {
            zone: grown,
            totals: lowest..=highest,
        })
    };
    (0..zones.len()).filter_map(with_grown)
}

/// The `min_free_kbytes` the kernel computes by itself, if it comes to `pages` while one zone has
/// not grown yet.
fn automatic_before_growth(
    context: &Context,
    zones: &[&DumpZone],
    total: u64,
    pages: u64,
) -> Option<u64> {
    let page_kib = context.layout.geometry.page_kib();
    for grown in one_zone_grew(zones, total, pages, page_kib) {
        let zone = zones[grown.zone];
        for booted in [Thp::Always, Thp::Never] {
            let automatic = |sum: u64| {
                let mut layout = context.layout.clone();
                let nodes = layout
                    .nodes
                    .iter_mut()
                    .filter(|node| node.id == zone.raw.node);
                let own = nodes.flat_map(|node| &mut node.zones);
                for own in own.filter(|own| own.kind == zone.kind) {
                    own.managed -= total - sum;
                }
                init_per_zone_wmark_min(&layout, context.features, context.tunables, booted)
            };
            let (least, most) = (
                automatic(*grown.totals.start()),
                automatic(*grown.totals.end()),
            );
            if (least / page_kib..=most / page_kib).contains(&pages) {
                let whole = pages * page_kib;
                return Some(most.min(whole + page_kib - 1).max(whole));
            }
        }
    }
    None
}

/// What the inference of one value looks at.
struct Context<'a> {
    layout: &'a Layout,
    features: &'a Features,
    tunables: &'a Tunables,
}

fn min_free_kbytes(
    dump: &Dump,
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    notes: &mut Notes,
) -> u64 {
    let page_kib = layout.geometry.page_kib();
    let low: Vec<&DumpZone> = dump
        .populated()
        .filter(|zone| is_low_memory(features, zone))
        .collect();
    let exact = exact_pages(dump, layout, features, tunables);
    let (pages, how) = match exact {
        Some(range) => (range, "gives every zone's min exactly"),
        None => {
            let shares = low.iter().map(|zone| share_range(zone, features, tunables));
            let sum: u64 = shares.map(|range| *range.start()).sum();
            // Each zone's share is rounded down by less than a page.
            let most = sum + (low.len() as u64).saturating_sub(1);
            let total = low_memory_pages(layout, features);
            let fits = |pages: &u64| {
                one_zone_grew(&low, total, *pages, page_kib)
                    .next()
                    .is_some()
            };
            let context = Context {
                layout,
                features,
                tunables,
            };
            // With many zones the search is long and several of them grew anyway.
            let searches = low.len() <= MAX_SEARCHED_ZONES;
            let searched = (sum..=most).filter(|_| searches);
            let own: Vec<u64> = searched
                .clone()
                .filter_map(|pages| automatic_before_growth(&context, &low, total, pages))
                .collect();
            if let (Some(first), Some(last)) = (own.first(), own.last()) {
                let kib = own[(own.len() - 1) / 2];
                let from = format!(
                    "what the kernel computes by itself with the managed pages of boot time, before init's memory was freed; the mins fit {first} to {last} KiB, and the middle is taken"
                );
                notes.infer("vm.min_free_kbytes", kib, from);
                return kib;
            }
            match searched.clone().find(fits) {
                Some(first) => {
                    let last = searched.rev().find(fits).unwrap_or(first);
                    (
                        first..=last,
                        "gives every zone's min exactly if one zone had fewer managed pages when the kernel computed",
                    )
                }
                None => (
                    sum..=most,
                    "is the sum of the mins, which no value gives exactly from the managed pages printed",
                ),
            }
        }
    };
    let automatic = [Thp::Always, Thp::Never]
        .map(|booted| init_per_zone_wmark_min(layout, features, tunables, booted));
    let fitting = automatic
        .into_iter()
        .find(|kib| pages.contains(&(kib / page_kib)));
    let (value, from) = match fitting {
        Some(kib) => (
            kib,
            format!("{how}; it is also what the kernel computes by itself"),
        ),
        None => {
            let (first, last) = (
                pages.start() * page_kib,
                pages.end() * page_kib + page_kib - 1,
            );
            let from = if first == last {
                how.to_string()
            } else {
                format!(
                    "{how}, as every value from {first} to {last} KiB does; the smallest is taken"
                )
            };
            (first, from)
        }
    };
    notes.infer("vm.min_free_kbytes", value, from);
    value
}

/// Ratio entries, given or from the protection rows.
fn ratios(
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
                "{} entries; this kernel has {len} on this machine",
                given.len()
            );
            return Err(vec![refuse("lowmem_reserve_ratio", reason)]);
        }
        return Ok(given.clone());
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
            "pages of the zones above, divided by the protection of {}; the roundest value that gives it",
            differing.join(", ")
        )
    };
    notes.infer("vm.lowmem_reserve_ratio", words.join(" "), from);
    Ok(values)
}

fn default_ratio(features: &Features, kind: ZoneType) -> u64 {
    match (kind, features.reserve) {
        (ZoneType::Dma | ZoneType::Dma32, _) => 256,
        (ZoneType::Normal, _) => 32,
        (ZoneType::HighMem, ReserveRule::RatioAtLeastOne) => 32,
        _ => 0,
    }
}

/// The divisor of one zone type that gives its protections on every node.
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
