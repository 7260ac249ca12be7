//! Compares the dump's watermarks with the computed ones, and explains differences.
//!
//! Modelled: the three known reasons: a smaller `managed` when the kernel computed, a boost, or values set by
//! hand.
//! Left out: kernels patched to compute watermarks differently; their watermarks seem to be set by hand.
//! Visible difference: the guess may be wrong.
//! Invariants: equal numbers are never listed; every difference has one reason.

use crate::arch::ZoneType;
use crate::kernel::{Features, Gaps, Kernel, ReserveRule};
use crate::layout::Layout;
use crate::procfs::import::dump::{Dump, DumpZone};
use crate::procfs::import::grown::{share_range, smallest_managed};
use crate::procfs::import::late::Earlier;
use crate::procfs::import::{Difference, Marks, ZoneCheck};
use crate::profile::MachineProfile;
use crate::tunables::Tunables;
use crate::watermark::{Watermarks, low_memory_pages, setup_per_zone_lowmem_reserve};

const SMALLER: &str =
    "managed was smaller when the kernel computed this (memory used by init was freed later)";
const LATE: &str = "managed was smaller when the kernel computed this (memory was added later)";
const OTHER_MOVABLE: &str = "the rule of another kernel: from about 6.6, and in every kernel with HighMem, an empty Movable zone has watermarks of 32 pages";
const BY_HAND: &str = "set by hand, or computed by an unknown rule";
const EARLY_5_10: &str =
    "an early 5.10 release: pages of zones without a ratio are missing from the sums";

/// The comparison of every printed zone, in the order of the text.
pub fn zones(
    dump: &Dump,
    layout: &Layout,
    kernel: &Kernel,
    tunables: &Tunables,
    machine: &MachineProfile,
    earlier: Option<&Earlier>,
) -> Vec<ZoneCheck> {
    let features = &kernel.features;
    let marks = Watermarks::new(layout, features, tunables, machine.thp);
    let mut checks = Vec::new();
    for (n, node) in dump.nodes.iter().enumerate() {
        let early = Features {
            reserve: ReserveRule::ZeroClearsAndSkips,
            ..*features
        };
        let early_rows =
            setup_per_zone_lowmem_reserve(&layout.nodes[n], &early, &tunables.lowmem_reserve_ratio);
        for zone in &node.zones {
            let Some(index) = layout.zone_index(zone.kind) else {
                continue;
            };
            let computed = &marks.zones[n][index];
            let computed = Marks {
                min: computed.min,
                low: computed.low,
                high: computed.high,
                protection: computed.protection.clone(),
            };
            let compared = Compared {
                zone,
                layout,
                features,
                tunables,
                computed: &computed,
                earlier: earlier.filter(|earlier| earlier.explains(n, index, zone)),
            };
            let mut differences = compared.mark_differences();
            differences.extend(compared.protection_differences(n, index, &early_rows[index]));
            checks.push(ZoneCheck {
                node: node.id,
                zone: zone.raw.name.clone(),
                dump: Marks {
                    min: zone.min,
                    low: zone.low,
                    high: zone.high,
                    protection: zone.protection.clone(),
                },
                computed,
                differences,
            });
        }
    }
    checks
}

struct Compared<'a> {
    zone: &'a DumpZone<'a>,
    layout: &'a Layout,
    features: &'a Features,
    tunables: &'a Tunables,
    computed: &'a Marks,
    /// The machine with fewer pages, if it gives exactly this zone's watermarks and protections.
    earlier: Option<&'a Earlier>,
}

impl Compared<'_> {
    fn mark_differences(&self) -> Vec<Difference> {
        let zone = self.zone;
        let rows = [
            ("min", zone.min, self.computed.min),
            ("low", zone.low, self.computed.low),
            ("high", zone.high, self.computed.high),
        ];
        if rows.iter().all(|(_, dump, computed)| dump == computed) {
            return Vec::new();
        }
        let reason = self.mark_reason();
        rows.into_iter()
            .filter(|(_, dump, computed)| dump != computed)
            .map(|(what, dump, computed)| Difference {
                what: what.to_string(),
                dump,
                computed,
                reason: reason.clone(),
            })
            .collect()
    }

    fn mark_reason(&self) -> String {
        let zone = self.zone;
        if let Some(earlier) = self.earlier {
            return format!("{LATE}; {}, and all watermarks then match", earlier.proof);
        }
        if zone.managed == 0 {
            // An empty zone cannot have been smaller.
            return match (zone.kind, zone.min) {
                (ZoneType::Movable, 0 | 32) => OTHER_MOVABLE.to_string(),
                _ => BY_HAND.to_string(),
            };
        }
        if zone.boost > 0 {
            let rest = (
                zone.min - zone.boost,
                zone.low - zone.boost,
                zone.high - zone.boost,
            );
            let own = (self.computed.min, self.computed.low, self.computed.high);
            let also = match () {
                () if rest == own => "",
                () if self.fits_smaller_managed(rest) => {
                    "; in addition, managed was smaller when the kernel computed this"
                }
                () => "; in addition, set by hand",
            };
            return format!("boosted by {} pages{also}", zone.boost);
        }
        if let Some(boost) = self.hidden_boost() {
            return format!(
                "boosted by {boost} pages: min, low and high are all higher by this number"
            );
        }
        if self.fits_smaller_managed((zone.min, zone.low, zone.high)) {
            return SMALLER.to_string();
        }
        if let Some(boost) = self.boost_of_smaller() {
            return format!(
                "boosted by {boost} pages; in addition, managed was smaller when the kernel computed this"
            );
        }
        BY_HAND.to_string()
    }

    /// A boost without a row, added to the watermarks of a machine with less memory. The min without the
    /// boost is a share that the gap allows.
    fn boost_of_smaller(&self) -> Option<u64> {
        if !self.features.boost || self.features.zoneinfo_boost {
            return None;
        }
        let zone = self.zone;
        let gap = zone.low - zone.min;
        let block = self.layout.geometry.pageblock_pages();
        let shares = share_range(zone, zone.managed, self.features, self.tunables);
        let most = zone.min.checked_sub(block)?;
        let fits = |share: &u64| {
            self.fits_smaller_managed((*share, share + gap, share.saturating_add(2 * gap)))
        };
        let shares = *shares.start()..=most.min(*shares.end());
        let mut fitting = shares.filter(fits);
        let first = fitting.clone().next()?;
        // A boost grows by whole pageblocks, up to 150 % of the high watermark.
        let is_whole = |share: &u64| {
            let boost = zone.min - share;
            boost.is_multiple_of(block) || boost == (share + 2 * gap) * 3 / 2
        };
        Some(zone.min - fitting.find(is_whole).unwrap_or(first))
    }

    /// A shift of all three watermarks by at least a pageblock, if no row shows a boost.
    fn hidden_boost(&self) -> Option<u64> {
        if !self.features.boost || self.features.zoneinfo_boost {
            return None;
        }
        let (zone, own) = (self.zone, self.computed);
        let shift = zone.min.checked_sub(own.min)?;
        let same = zone.low.checked_sub(own.low) == Some(shift)
            && zone.high.checked_sub(own.high) == Some(shift);
        (same && shift >= self.layout.geometry.pageblock_pages()).then_some(shift)
    }

    /// Whether the watermarks match this zone and the machine with up to a sixteenth less memory.
    fn fits_smaller_managed(&self, (min, low, high): (u64, u64, u64)) -> bool {
        let zone = self.zone;
        let page_kib = self.layout.geometry.page_kib();
        let least = smallest_managed(zone.managed, page_kib);
        let all = low_memory_pages(self.layout, self.features);
        let all_least = smallest_managed(all, page_kib).max(1);
        let pages = self.tunables.min_free_kbytes.unwrap_or(0) / page_kib;
        let part = |base: u64, all: u64| {
            (u128::from(pages) * u128::from(base) / u128::from(all.max(1))) as u64
        };
        // In some kernels Movable and HighMem have their own min; the step follows the usual rule.
        let own_min = matches!(zone.kind, ZoneType::HighMem | ZoneType::Movable);
        let share = part(least, all)..=part(zone.managed, all_least);
        if !own_min && !share.contains(&min) {
            return false;
        }
        let (step, steps) = (low.saturating_sub(min), high.saturating_sub(min));
        match self.features.gaps {
            Gaps::QuarterAndHalf => {
                (share.start() / 4..=share.end() / 4).contains(&step)
                    && (share.start() / 2..=share.end() / 2).contains(&steps)
            }
            Gaps::ScaleFactor => {
                let scale = u128::from(self.tunables.watermark_scale_factor);
                let scaled = |base: u64| (u128::from(base) * scale / 10_000) as u64;
                let fewest = (share.start() / 4).max(scaled(least));
                let most = (share.end() / 4).max(scaled(zone.managed));
                steps == 2 * step && (fewest..=most).contains(&step)
            }
        }
    }

    fn protection_differences(&self, node: usize, index: usize, early: &[u64]) -> Vec<Difference> {
        let page_kib = self.layout.geometry.page_kib();
        let zone = self.zone;
        let ratio = self
            .tunables
            .lowmem_reserve_ratio
            .get(index)
            .copied()
            .unwrap_or(0);
        let mut least_above = 0;
        let mut differences = Vec::new();
        for upper in 0..zone.protection.len().min(self.computed.protection.len()) {
            let (dump, computed) = (zone.protection[upper], self.computed.protection[upper]);
            if upper > index {
                let above = self.layout.nodes[node].zones[upper].managed;
                least_above += smallest_managed(above, page_kib);
            }
            if dump == computed {
                continue;
            }
            let least = least_above / ratio.max(1);
            let reason = match () {
                () if self.earlier.is_some() => LATE,
                () if zone.protection == early && self.features.boost => EARLY_5_10,
                () if ratio > 0 && (least..=computed).contains(&dump) => SMALLER,
                () => BY_HAND,
            };
            differences.push(Difference {
                what: format!("protection[{upper}]"),
                dump,
                computed,
                reason: reason.to_string(),
            });
        }
        differences
    }
}
