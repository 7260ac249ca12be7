//! The tunables behind a dump's watermarks.
//!
//! Modelled: which `min_free_kbytes`, `watermark_scale_factor` and `lowmem_reserve_ratio` give the printed
//! watermarks, exactly or with the smaller `managed` at boot.
//! Left out: watermarks set by a patched kernel.
//! Visible difference: the comparison computes the watermarks again.
//! Invariants: a given value is used unchanged; a matching default is preferred to any other value.

use std::ops::RangeInclusive;

use crate::kernel::{Features, Gaps, Kernel};
use crate::layout::Layout;
use crate::procfs::import::dump::Dump;
use crate::procfs::import::grown::{
    Growth, before_growth, exact_pages, managed_in, smallest_managed,
};
use crate::procfs::import::ratios::ratios;
use crate::procfs::import::{ImportOptions, Notes};
use crate::profile::{Thp, refuse};
use crate::tunables::Tunables;
use crate::view::Refusal;
use crate::watermark::init_per_zone_wmark_min;

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

/// Sets every value again with the function that checks its limits.
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

/// The values for which `floor(base * value / 10000) = gap` holds.
fn scales_for(base: u64, gap: u64) -> RangeInclusive<u64> {
    let (base, gap) = (u128::from(base), u128::from(gap));
    let base = base.max(1);
    let lowest = (gap * 10_000).div_ceil(base);
    let highest = ((gap + 1) * 10_000).div_ceil(base).saturating_sub(1);
    lowest.min(1 << 40) as u64..=highest.min(1 << 40) as u64
}

/// The roundest number in a range: a multiple of the largest power of ten, or half of one.
pub fn roundest(range: &RangeInclusive<u64>) -> u64 {
    let steps = [
        1_000_000, 500_000, 100_000, 50_000, 10_000, 5000, 1000, 500, 100, 50, 10, 5, 2,
    ];
    steps
        .into_iter()
        .map(|step| range.start().next_multiple_of(step))
        .find(|candidate| range.contains(candidate))
        .unwrap_or(*range.start())
}

pub fn scale_factor(dump: &Dump, features: &Features, layout: &Layout, notes: &mut Notes) -> u64 {
    const DEFAULT: u64 = 10;
    let page_kib = layout.geometry.page_kib();
    let max = features.watermark_scale_max;
    let mut range = 1..=max;
    let mut default_fits = true;
    let mut deciding = 0;
    for zone in dump.populated().filter(|zone| zone.managed > 0) {
        let managed = managed_in(layout, zone);
        let gap = zone.low - zone.min;
        let quarter = (zone.min - zone.boost) / 4;
        let least = smallest_managed(managed, page_kib);
        let at = |managed: u64| (u128::from(managed) * u128::from(DEFAULT) / 10_000) as u64;
        // Without a boost row, a boosted min hides that a quarter of min is smaller.
        let fits_quarter = gap == quarter || (features.boost && gap < quarter);
        default_fits &=
            (fits_quarter && at(least) <= gap) || (at(least)..=at(managed)).contains(&gap);
        if gap > quarter {
            let own = scales_for(managed, gap);
            range = *range.start().max(own.start())..=*range.end().min(own.end());
            deciding += 1;
        } else {
            let own = scales_for(managed, gap);
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
            "the gaps are wider than a quarter of min, so a part of the zone decides; this is the roundest value that gives them",
        )
    } else {
        (
            DEFAULT,
            "no single value explains the gaps; the default is used",
        )
    };
    notes.infer("vm.watermark_scale_factor", value, from);
    value
}

fn min_free_kbytes(
    dump: &Dump,
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    notes: &mut Notes,
) -> u64 {
    let page_kib = layout.geometry.page_kib();
    let (pages, how) = match exact_pages(dump, layout, features, tunables) {
        Some(range) => (range, "gives every zone's min exactly".to_string()),
        None => match before_growth(dump, layout, features, tunables) {
            Growth::Automatic { kib, from } => {
                notes.infer("vm.min_free_kbytes", kib, from);
                return kib;
            }
            Growth::Pages(range, how) => (range, how.to_string()),
        },
    };
    let automatic = [Thp::Always, Thp::Never]
        .map(|booted| init_per_zone_wmark_min(layout, features, tunables, booted));
    let fitting = automatic
        .into_iter()
        .find(|kib| pages.contains(&(kib / page_kib)));
    let (value, from) = match fitting {
        Some(kib) => (kib, format!("{how}; it is also the kernel's own value")),
        None => {
            let (first, last) = (
                pages.start() * page_kib,
                pages.end() * page_kib + page_kib - 1,
            );
            let from = if first == last {
                how.to_string()
            } else {
                format!("{how}, like every value from {first} to {last} KiB; the smallest is used")
            };
            (first, from)
        }
    };
    notes.infer("vm.min_free_kbytes", value, from);
    value
}
