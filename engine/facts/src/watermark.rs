//! Watermarks, lowmem reserve and values computed from them (mm/page_alloc.c).
//!
//! Modelled: `init_per_zone_wmark_min`, `set_recommended_min_free_kbytes`, `setup_per_zone_wmarks`,
//! `setup_per_zone_lowmem_reserve`, `calculate_totalreserve_pages`, the sizes of per-cpu lists and counter
//! thresholds, exact to the page.
//! Left out: a real kernel computes its first watermarks before init memory is freed, from a slightly smaller
//! `managed`. The boost, which the code that reads a watermark adds.
//! Visible difference: a freshly booted real machine differs by a few pages in each watermark.
//! Invariants: `min <= low <= high <= promo`; protection rows rise from left to right (except under
//! [`ReserveRule::ZeroClearsAndSkips`]) and are zero up to the zone itself; no input overflows (products are
//! 128 bits wide).

use crate::arch::ZoneType;
use crate::kernel::{Features, Gaps, LowMemory, PcpRule, ReserveRule, ThpRaise};
use crate::layout::{Layout, NodeLayout, ZoneLayout};
use crate::profile::{MachineProfile, Thp};
use crate::tunables::Tunables;

/// The watermarks and the protection of one zone, in pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ZoneMarks {
    /// `WMARK_MIN`, without boost.
    pub min: u64,
    /// `WMARK_LOW`, without boost.
    pub low: u64,
    /// `WMARK_HIGH`, without boost.
    pub high: u64,
    /// `WMARK_PROMO` (5.18): high plus one more step; older kernels do not have it.
    pub promo: u64,
    /// `lowmem_reserve`, by zone index: pages reserved from requests that may use zones up to that index.
    pub protection: Vec<u64>,
}

/// All values that the rules compute from a layout and tunables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Watermarks {
    /// `min_free_kbytes`, as set or computed.
    pub min_free_kbytes: u64,
    /// Watermarks by node index and zone index.
    pub zones: Vec<Vec<ZoneMarks>>,
    /// `totalreserve_pages`.
    pub totalreserve_pages: u64,
}

impl Watermarks {
    /// Computes everything for a machine: the automatic `min_free_kbytes` if none was set, then watermarks,
    /// protection and the total reserve. `booted` is the setting of huge pages at boot.
    pub fn new(
        layout: &Layout,
        features: &Features,
        tunables: &Tunables,
        booted: Thp,
    ) -> Watermarks {
        let min_free_kbytes = match tunables.min_free_kbytes {
            Some(kib) => kib,
            None => init_per_zone_wmark_min(layout, features, tunables, booted),
        };
        let mut zones = setup_per_zone_wmarks(layout, features, tunables, min_free_kbytes);
        for (node, marks) in layout.nodes.iter().zip(&mut zones) {
            let rows =
                setup_per_zone_lowmem_reserve(node, features, &tunables.lowmem_reserve_ratio);
            for (marks, protection) in marks.iter_mut().zip(rows) {
                marks.protection = protection;
            }
        }
        Watermarks {
            min_free_kbytes,
            totalreserve_pages: calculate_totalreserve_pages(layout, &zones),
            zones,
        }
    }

    /// Like [`Watermarks::new`], with the tunables and the setting of huge pages from a profile.
    pub fn of(profile: &MachineProfile, features: &Features) -> Watermarks {
        let (tunables, _) = Tunables::of(profile, features);
        Watermarks::new(
            &Layout::new(profile, features),
            features,
            &tunables,
            profile.thp,
        )
    }
}

/// Pages of a zone that the rules count: `present_pages` to 3.8, `managed_pages` from 3.9. Both
/// are the pages of the buddy allocator.
const fn base(zone: &ZoneLayout) -> u64 {
    zone.managed
}

/// Whether zones of a type share `min_free_kbytes`. Movable is not low memory either if its pages come
/// from HighMem (`is_highmem_idx`, `movable_zone`).
pub fn is_low_memory(layout: &Layout, features: &Features, kind: ZoneType) -> bool {
    let is_high = |zone: &ZoneLayout| zone.kind == ZoneType::HighMem && zone.managed > 0;
    match features.low_memory {
        LowMemory::ExceptHighMem if kind == ZoneType::Movable => !layout.zones().any(is_high),
        LowMemory::ExceptHighMem => kind != ZoneType::HighMem,
        LowMemory::ExceptHighMemAndMovable => {
            kind != ZoneType::HighMem && kind != ZoneType::Movable
        }
    }
}

/// `a * b / c` without overflow, saturating; 0 if `c` is 0. It is computed bit by bit, as in long division,
/// because a 128-bit division takes a kilobyte of WebAssembly.
pub fn mul_div(a: u64, b: u64, c: u64) -> u64 {
    if c == 0 {
        return 0;
    }
    // The product so far is quotient * c + rest.
    let (mut quotient, mut rest) = (0u64, 0);
    let add = |number: u64, left: u64, (quotient, rest): (u64, u64)| {
        let carries = left >= c - rest;
        let rest = if carries {
            left - (c - rest)
        } else {
            rest + left
        };
        let quotient = quotient.saturating_add(number);
        (quotient.saturating_add(carries.into()), rest)
    };
    for bit in (0..u64::BITS).rev() {
        (quotient, rest) = add(quotient, rest, (quotient, rest));
        if a >> bit & 1 == 1 {
            (quotient, rest) = add(b / c, b % c, (quotient, rest));
        }
    }
    quotient
}

/// `setup_per_zone_wmarks`: the watermarks of every zone; protection is still empty.
pub fn setup_per_zone_wmarks(
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    min_free_kbytes: u64,
) -> Vec<Vec<ZoneMarks>> {
    let pages_min = min_free_kbytes / layout.geometry.page_kib();
    let low_pages = low_memory_pages(layout, features);
    let node_marks = |node: &NodeLayout| {
        node.zones
            .iter()
            .map(|zone| {
                let is_low = is_low_memory(layout, features, zone.kind);
                zone_marks(zone, is_low, features, tunables, pages_min, low_pages)
            })
            .collect()
    };
    layout.nodes.iter().map(node_marks).collect()
}

/// Pages of all zones that share `min_free_kbytes`.
pub fn low_memory_pages(layout: &Layout, features: &Features) -> u64 {
    layout
        .zones()
        .filter(|zone| is_low_memory(layout, features, zone.kind))
        .map(base)
        .sum()
}

/// The upper limit of min for a zone outside low memory, pages (`setup_per_zone_wmarks`).
const HIGH_MEMORY_MIN: (u64, u64) = (32, 128);

/// The min watermark of a zone outside low memory, pages.
pub fn high_memory_min(managed: u64) -> u64 {
    (managed / 1024).clamp(HIGH_MEMORY_MIN.0, HIGH_MEMORY_MIN.1)
}

fn zone_marks(
    zone: &ZoneLayout,
    is_low: bool,
    features: &Features,
    tunables: &Tunables,
    pages_min: u64,
    low_pages: u64,
) -> ZoneMarks {
    let share = mul_div(pages_min, base(zone), low_pages);
    let min = if is_low {
        share
    } else {
        high_memory_min(base(zone))
    };
    let (first, second) = match features.gaps {
        Gaps::QuarterAndHalf => (share / 4, share / 2),
        Gaps::ScaleFactor => {
            let scaled = mul_div(base(zone), tunables.watermark_scale_factor, 10_000);
            let gap = (share / 4).max(scaled);
            (gap, gap.saturating_mul(2))
        }
    };
    let high = min.saturating_add(second);
    ZoneMarks {
        min,
        low: min.saturating_add(first),
        high,
        promo: high.saturating_add(first),
        protection: Vec::new(),
    }
}

/// `setup_per_zone_lowmem_reserve` for one node: a row for each of its zones.
pub fn setup_per_zone_lowmem_reserve(
    node: &NodeLayout,
    features: &Features,
    ratios: &[u64],
) -> Vec<Vec<u64>> {
    let count = node.zones.len();
    let cleared: Vec<bool> = node
        .zones
        .iter()
        .enumerate()
        .map(|(index, zone)| match features.reserve {
            ReserveRule::RatioAtLeastOne => false,
            ReserveRule::ZeroRatioClears => ratios.get(index).is_none_or(|&ratio| ratio == 0),
            _ => ratios.get(index).is_none_or(|&ratio| ratio == 0) || base(zone) == 0,
        })
        .collect();
    let skips = features.reserve == ReserveRule::ZeroClearsAndSkips;
    let mut rows = vec![vec![0; count]; count];
    for lower in 0..count {
        let ratio = ratios.get(lower).copied().unwrap_or(1).max(1);
        let mut between = 0u64;
        for upper in lower + 1..count {
            let pages = base(&node.zones[upper]);
            if !cleared[lower] {
                rows[lower][upper] = between.saturating_add(pages) / ratio;
            }
            if !(skips && cleared[upper]) {
                between = between.saturating_add(pages);
            }
        }
    }
    rows
}

/// `calculate_totalreserve_pages`: pages that do not count as dirtyable memory.
pub fn calculate_totalreserve_pages(layout: &Layout, marks: &[Vec<ZoneMarks>]) -> u64 {
    let zones = layout.nodes.iter().zip(marks);
    zones
        .flat_map(|(node, marks)| node.zones.iter().zip(marks))
        .map(|(zone, marks)| {
            let largest = marks.protection.iter().copied().max().unwrap_or(0);
            largest.saturating_add(marks.high).min(base(zone))
        })
        .sum()
}

/// Below this much memory the kernel switches transparent huge pages off at boot
/// (`hugepage_init`, mm/huge_memory.c): 512 MiB, in KiB.
const THP_LEAST_KIB: u64 = 512 << 10;

/// Whether huge pages are on after boot, or after a user switched them.
pub fn thp_enabled(layout: &Layout, features: &Features, tunables: &Tunables, booted: Thp) -> bool {
    if !features.thp {
        return false;
    }
    match tunables.transparent_hugepage {
        Some(chosen) => chosen != Thp::Never,
        None => booted != Thp::Never && is_large_enough_for_thp(layout),
    }
}

fn is_large_enough_for_thp(layout: &Layout) -> bool {
    layout.managed() * layout.geometry.page_kib() >= THP_LEAST_KIB
}

/// `init_per_zone_wmark_min` and `set_recommended_min_free_kbytes`: the automatic
/// `min_free_kbytes`, KiB.
pub fn init_per_zone_wmark_min(
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    booted: Thp,
) -> u64 {
    let none: Vec<Vec<ZoneMarks>> = Vec::new();
    let first = calculate_min_free_kbytes(layout, features, free_buffer_pages(layout, &none));
    let marks = setup_per_zone_wmarks(layout, features, tunables, first);
    let buffer = free_buffer_pages(layout, &marks);
    if thp_enabled(layout, features, tunables, booted) {
        let recommended = recommended_pages(layout, features).min(buffer / 20);
        return first.max(recommended * layout.geometry.page_kib());
    }
    // Below 512 MiB hugepage_init returns before it recomputes the value.
    let recomputes = features.thp_raise == ThpRaise::UpToNormalOrRecompute
        && (is_large_enough_for_thp(layout) || tunables.transparent_hugepage.is_some());
    if recomputes {
        return calculate_min_free_kbytes(layout, features, buffer);
    }
    first
}

/// `calculate_min_free_kbytes`: the square root of 16 times the KiB, clamped.
fn calculate_min_free_kbytes(layout: &Layout, features: &Features, buffer_pages: u64) -> u64 {
    let kib = buffer_pages.saturating_mul(layout.geometry.page_kib());
    int_sqrt(kib.saturating_mul(16)).clamp(128, features.min_free_cap_kib)
}

/// The floor of a square root, two bits per round, as the kernel computes it (`int_sqrt`, lib/math).
pub fn int_sqrt(n: u64) -> u64 {
    let (mut rest, mut root) = (n, 0);
    let mut bit = 1 << (n.max(1).ilog2() & !1);
    while bit > 0 {
        let with = root + bit;
        root >>= 1;
        if rest >= with {
            rest -= with;
            root += bit;
        }
        bit >>= 2;
    }
    root
}

/// `nr_free_buffer_pages`: pages of the zones that a GFP_USER request may use, minus those below the high
/// watermarks.
fn free_buffer_pages(layout: &Layout, marks: &[Vec<ZoneMarks>]) -> u64 {
    let high = |node: usize, zone: usize| {
        let marks = marks.get(node).and_then(|zones| zones.get(zone));
        marks.map_or(0, |marks| marks.high)
    };
    let mut sum = 0;
    for (n, node) in layout.nodes.iter().enumerate() {
        for (z, zone) in node.zones.iter().enumerate() {
            if zone.kind.is_gfp_user() {
                sum += base(zone).saturating_sub(high(n, z));
            }
        }
    }
    sum
}

/// `set_recommended_min_free_kbytes`: two pageblocks per zone against fallbacks, and nine (3 * 3 types) to
/// keep the types apart.
fn recommended_pages(layout: &Layout, features: &Features) -> u64 {
    const MIGRATE_PCPTYPES: u64 = 3;
    let counts = |zone: &&ZoneLayout| match features.thp_raise {
        ThpRaise::Never => false,
        ThpRaise::EveryZone => zone.is_populated(),
        ThpRaise::UpToNormal | ThpRaise::UpToNormalOrRecompute => {
            zone.is_populated() && zone.kind <= ZoneType::Normal
        }
    };
    let zones = layout.zones().filter(counts).count() as u64;
    layout.geometry.pageblock_pages() * zones * (2 + MIGRATE_PCPTYPES * MIGRATE_PCPTYPES)
}

/// The size of a zone's per-cpu lists, pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PcpSize {
    /// Pages moved together between a list and the buddy allocator; at least 1.
    pub batch: u64,
    /// The maximum number of pages on a CPU's lists. 6.12 increases it from this value (`high_min`).
    pub high: u64,
}

/// `zone_batchsize` and `zone_highsize` / `setup_pageset`: the size of each CPU's lists of a zone. `low` is
/// the zone's low watermark without the boost.
pub fn pcp_size(
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    zone: &ZoneLayout,
    low: u64,
) -> PcpSize {
    let unclamped = zone_batchsize(layout, features, zone);
    let batch = unclamped.max(1);
    let fraction = tunables.percpu_pagelist_fraction;
    match features.pcp {
        PcpRule::SixBatches512K | PcpRule::SixBatches1M if fraction > 0 => {
            let high = base(zone) / fraction;
            let most = u64::from(layout.geometry.page_shift) * 8;
            PcpSize {
                batch: (high / 4).clamp(1, most),
                high,
            }
        }
        PcpRule::SixBatches512K | PcpRule::SixBatches1M => PcpSize {
            batch,
            high: 6 * unclamped,
        },
        PcpRule::LowMarkPerCpu | PcpRule::SelfTuning => {
            let pages = base(zone).checked_div(fraction).unwrap_or(low);
            let local = layout.nodes[zone.node].cpus.len() as u64;
            let cpus = if local > 0 {
                local
            } else {
                layout.online_cpus()
            };
            PcpSize {
                batch,
                high: (pages / cpus.max(1)).max(batch * 4),
            }
        }
    }
}

/// `zone_batchsize`: a 1024th of the zone, at most 512 KiB or 1 MiB, a quarter of that, rounded to one less
/// than a power of two. Can be 0.
fn zone_batchsize(layout: &Layout, features: &Features, zone: &ZoneLayout) -> u64 {
    let cap_kib = match features.pcp {
        PcpRule::SixBatches512K => 512,
        _ => 1024,
    };
    let cap = cap_kib / layout.geometry.page_kib();
    let batch = ((base(zone) / 1024).min(cap) / 4).max(1);
    let most = batch + batch / 2;
    (1 << most.ilog2()) - 1
}

/// `calculate_normal_threshold` (mm/vmstat.c): the largest part of a zone counter that a CPU holds back
/// before it adds that part to the sum.
pub fn stat_threshold(layout: &Layout, zone: &ZoneLayout) -> u64 {
    const MOST: u64 = 125;
    let blocks = base(zone) >> (27 - layout.geometry.page_shift);
    let fls = |value: u64| u64::from(u64::BITS - value.leading_zeros());
    (2 * fls(layout.online_cpus()) * (1 + fls(blocks))).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::{int_sqrt, mul_div};

    #[test]
    fn int_sqrt_rounds_down() {
        for root in (0..1000u64).chain((4..33).map(|bits| (1 << bits) - 1)) {
            let square = root.saturating_mul(root);
            for n in [square.saturating_sub(1), square, square.saturating_add(1)] {
                assert_eq!(int_sqrt(n), n.isqrt(), "{n}");
            }
        }
        assert_eq!(int_sqrt(u64::MAX), u64::MAX.isqrt());
    }

    #[test]
    fn products_are_divided_exactly() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 7;
            state >> (state % 64)
        };
        for _ in 0..20_000 {
            let (a, b, c) = (random(), random(), random());
            let exact = (u128::from(a) * u128::from(b)).checked_div(c.into());
            let exact = u64::try_from(exact.unwrap_or(0)).unwrap_or(u64::MAX);
            assert_eq!(mul_div(a, b, c), exact, "{a} * {b} / {c}");
        }
        assert_eq!(mul_div(u64::MAX, u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(mul_div(u64::MAX, 2, 1), u64::MAX);
    }
}
