//! Watermarks that were computed before a zone had all its pages.
//!
//! Modelled: one zone that was smaller when the kernel computed the watermarks, by at most the memory that
//! init frees.
//! Left out: several zones that grew; see [`crate::procfs::import::late`] for what protection rows prove.
//! Visible difference: the comparison computes the watermarks again.
//! Invariants: a number of pages that gives every min exactly is preferred to any other.

use std::ops::RangeInclusive;

use crate::kernel::Features;
use crate::layout::Layout;
use crate::procfs::import::dump::{Dump, DumpZone};
use crate::profile::Thp;
use crate::tunables::Tunables;
use crate::watermark::{init_per_zone_wmark_min, is_low_memory, low_memory_pages};

/// A real machine's `managed` grows after boot by the memory that init freed: at most a sixteenth, or 64 MiB
/// on the smallest machines.
pub fn smallest_managed(managed: u64, page_kib: u64) -> u64 {
    managed.saturating_sub((managed / 16).max((64 << 10) / page_kib))
}

/// The managed pages of a zone in a layout.
pub fn managed_in(layout: &Layout, zone: &DumpZone) -> u64 {
    let nodes = layout.nodes.iter().filter(|node| node.id == zone.raw.node);
    let mut zones = nodes.flat_map(|node| &node.zones);
    let found = zones.find(|own| own.kind == zone.kind);
    found.map_or(zone.managed, |own| own.managed)
}

/// The shares of `min_free_kbytes` that a zone's watermarks allow: min itself, or less if min may include a
/// boost that no row shows.
pub fn share_range(
    zone: &DumpZone,
    managed: u64,
    features: &Features,
    tunables: &Tunables,
) -> RangeInclusive<u64> {
    let min = zone.min - zone.boost;
    let gap = zone.low - zone.min;
    let even = zone.high - zone.low == gap;
    let hides_boost =
        features.boost && !features.zoneinfo_boost && even && gap < min / 4 && zone.managed > 0;
    if !hides_boost {
        return min..=min;
    }
    let scale = u128::from(tunables.watermark_scale_factor);
    let scaled = (u128::from(managed) * scale / 10_000) as u64;
    if gap > scaled {
        4 * gap..=4 * gap + 3
    } else {
        0..=4 * gap + 3
    }
}

/// The pages of `min_free_kbytes` that give every min exactly, if there are any.
pub fn exact_pages(
    dump: &Dump,
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
) -> Option<RangeInclusive<u64>> {
    let low_pages = u128::from(low_memory_pages(layout, features));
    let mut range = 0..=u128::from(u64::MAX >> 8);
    for zone in dump
        .populated()
        .filter(|zone| is_low_memory(layout, features, zone.kind))
    {
        let managed = managed_in(layout, zone);
        if managed == 0 {
            continue;
        }
        let shares = share_range(zone, managed, features, tunables);
        let base = u128::from(managed);
        let lowest = (u128::from(*shares.start()) * low_pages).div_ceil(base);
        let highest = ((u128::from(*shares.end()) + 1) * low_pages).div_ceil(base) - 1;
        range = *range.start().max(&lowest)..=*range.end().min(&highest);
    }
    let fits = range.start() <= range.end() && *range.end() < u128::from(u64::MAX >> 8);
    fits.then(|| *range.start() as u64..=*range.end() as u64)
}

/// The maximum number of zones among which the search looks for one that grew after boot.
const MAX_SEARCHED_ZONES: usize = 48;
/// The maximum number of values of `min_free_kbytes`, in pages, that are tried.
const MAX_SEARCHED_PAGES: u64 = 2000;

/// A zone of low memory with the shares that its watermarks allow.
struct Sharing<'a> {
    zone: &'a DumpZone<'a>,
    managed: u64,
    shares: RangeInclusive<u64>,
}

/// A zone that was smaller at boot, and the totals of low memory that give every min.
struct Grown {
    zone: usize,
    totals: RangeInclusive<u64>,
}

/// The value of `min_free_kbytes` if a zone grew after the watermarks were computed.
pub enum Growth {
    /// The kernel's own value, KiB, and the reason.
    Automatic {
        /// The value.
        kib: u64,
        /// The evidence.
        from: String,
    },
    /// Pages, and how well they match.
    Pages(RangeInclusive<u64>, &'static str),
}

/// The `min_free_kbytes` behind watermarks that the printed pages do not give exactly.
pub fn before_growth(
    dump: &Dump,
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
) -> Growth {
    let low = dump
        .populated()
        .filter(|zone| is_low_memory(layout, features, zone.kind));
    let zones: Vec<Sharing> = low
        .map(|zone| {
            let managed = managed_in(layout, zone);
            Sharing {
                zone,
                managed,
                shares: share_range(zone, managed, features, tunables),
            }
        })
        .collect();
    let sum: u64 = zones.iter().map(|zone| *zone.shares.start()).sum();
    let ends: u64 = zones.iter().map(|zone| *zone.shares.end()).sum();
    // Rounding down makes each zone's share smaller by less than a page.
    let most = ends + (zones.len() as u64).saturating_sub(1);
    let search = Search {
        zones: &zones,
        total: low_memory_pages(layout, features),
        layout,
        features,
        tunables,
    };
    // With many zones the search would take long, and several zones have grown anyway.
    let searches = zones.len() <= MAX_SEARCHED_ZONES && most - sum <= MAX_SEARCHED_PAGES;
    let searched = (sum..=most).filter(|_| searches);
    let own: Vec<u64> = searched
        .clone()
        .filter_map(|pages| search.automatic(pages))
        .collect();
    if let (Some(first), Some(last)) = (own.first(), own.last()) {
        let kib = own[(own.len() - 1) / 2];
        let from = format!(
            "the kernel's own value with the managed pages at boot, before memory used by init was freed; {first} to {last} KiB give these mins, and the middle is used"
        );
        return Growth::Automatic { kib, from };
    }
    let fits = |pages: &u64| search.one_zone_grew(*pages).next().is_some();
    match searched.clone().find(fits) {
        Some(first) => {
            let last = searched.rev().find(fits).unwrap_or(first);
            Growth::Pages(
                first..=last,
                "gives every zone's min exactly if one zone had fewer managed pages when the kernel computed the marks",
            )
        }
        None => Growth::Pages(
            sum..=most,
            "the sum of the mins; no value gives them exactly with the printed managed pages",
        ),
    }
}

/// The search for a zone that grew.
struct Search<'a> {
    zones: &'a [Sharing<'a>],
    /// The present number of pages of low memory.
    total: u64,
    layout: &'a Layout,
    features: &'a Features,
    tunables: &'a Tunables,
}

impl Search<'_> {
    /// How `pages` gives every min exactly if one zone was smaller by memory that init freed later; none if
    /// it cannot.
    fn one_zone_grew(&self, pages: u64) -> impl Iterator<Item = Grown> {
        (0..self.zones.len()).filter_map(move |grown| self.fits_if_grown(grown, pages))
    }

    fn fits_if_grown(&self, grown: usize, pages: u64) -> Option<Grown> {
        let (changed, total) = (&self.zones[grown], self.total);
        let least = smallest_managed(changed.managed, self.layout.geometry.page_kib());
        let freed_most = changed.managed - least;
        // The totals for which the zones that did not change have their mins.
        let (mut lowest, mut highest) = (total - freed_most.min(total - 1), total);
        for (index, zone) in self.zones.iter().enumerate() {
            if index != grown && zone.managed > 0 {
                let product = u128::from(pages) * u128::from(zone.managed);
                let (first, last) = (*zone.shares.start(), *zone.shares.end());
                let above = product / (u128::from(last) + 1) + 1;
                let upto = product.checked_div(u128::from(first)).unwrap_or(u128::MAX);
                lowest = lowest.max(above.min(u128::from(total) + 1) as u64);
                highest = highest.min(upto.min(u128::from(total)) as u64);
            }
        }
        // The share of the changed zone rises with the total, so both ends must be checked.
        let share = |sum: u64| {
            let base = u128::from(changed.managed - (total - sum));
            u128::from(pages) * base / u128::from(sum.max(1))
        };
        let fits = lowest <= highest
            && share(lowest) <= u128::from(*changed.shares.end())
            && u128::from(*changed.shares.start()) <= share(highest);
        fits.then_some(Grown {
            zone: grown,
            totals: lowest..=highest,
        })
    }

    /// The kernel's own `min_free_kbytes`, if it gives `pages` while one zone has not grown yet.
    fn automatic(&self, pages: u64) -> Option<u64> {
        let page_kib = self.layout.geometry.page_kib();
        for grown in self.one_zone_grew(pages) {
            let zone = self.zones[grown.zone].zone;
            for booted in [Thp::Always, Thp::Never] {
                let automatic = |sum: u64| {
                    let mut layout = self.layout.clone();
                    let nodes = layout
                        .nodes
                        .iter_mut()
                        .filter(|node| node.id == zone.raw.node);
                    let own = nodes.flat_map(|node| &mut node.zones);
                    for own in own.filter(|own| own.kind == zone.kind) {
                        own.managed -= self.total - sum;
                    }
                    init_per_zone_wmark_min(&layout, self.features, self.tunables, booted)
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
}
