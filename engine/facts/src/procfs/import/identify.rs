//! The kernel, architecture and page size of a dump.
//!
//! Modelled: the kernel by the rows in the text, the architecture by zone names and borders, the page size by
//! the sizes of per-cpu lists and counter thresholds.
//! Left out: architectures other than x86_64 and ppc64, whose borders are used as printed.
//! Visible difference: a kernel patched to print other rows.
//! Invariants: every guess is listed with its evidence.

use crate::arch::{Arch, ZoneBorder, ZoneType};
use crate::kernel::{self, Kernel};
use crate::procfs::import::architecture::architecture;
use crate::procfs::import::dump::Dump;
use crate::procfs::import::pages::{Pages, pages};
use crate::procfs::import::{Certainty, ImportOptions, Notes, Shape, starts};
use crate::profile::refuse;
use crate::view::Refusal;
use crate::watermark::high_memory_min;

/// The given kernel, or the modelled kernel with the most similar rows.
pub fn kernel(dump: &Dump, given: Option<&'static Kernel>, notes: &mut Notes) -> &'static Kernel {
    if let Some(kernel) = given {
        return kernel;
    }
    let (id, from) = match dump.is_per_node {
        true => per_node(dump),
        false => per_zone(dump),
    };
    notes.infer("kernel", id, format!("{from}: the nearest modelled kernel"));
    kernel::find(id).unwrap_or(&kernel::kernels()[0])
}

/// The id of a kernel from 4.8 on, and the evidence.
fn per_node(dump: &Dump) -> (&'static str, &'static str) {
    match () {
        () if dump.has_row("promo") => ("6.12", "a promo row"),
        () if dump.has_row("boost") && movable_stands_apart(dump) => (
            "6.6",
            "a boost row and no promo row, and a Movable zone with the min of kernels from about 6.6",
        ),
        () if dump.has_row("boost") => ("6.1", "a boost row and no promo row"),
        () if dump.has_row("cma") => ("5.15", "a cma row and no boost row"),
        () if dump.has_row("node_scanned") => ("4.9", "a node_scanned row"),
        () if dump.has_row("node_inactive_ratio") => {
            ("4.14", "a node_inactive_ratio row and no node_scanned row")
        }
        () if dump.has_counter("workingset_refault_anon") => {
            ("5.10", "a counter of anonymous refaults, and no cma row")
        }
        () if dump.has_counter("workingset_restore") => (
            "5.4",
            "a counter of restored pages, and none of anonymous refaults",
        ),
        () if dump.has_counter("workingset_refault") => (
            "4.19",
            "rows of kernels from 4.8 on, and no counter of restored pages",
        ),
        () if keeps_empty_rows(dump) => (
            "5.4",
            "rows of kernels from 4.8 on, and protection rows of empty zones as before 5.8",
        ),
        () => (
            "5.10",
            "rows of kernels from 4.8 on, and neither a cma nor a boost row",
        ),
    }
}

/// The id of a kernel to 4.7, and the evidence.
fn per_zone(dump: &Dump) -> (&'static str, &'static str) {
    match () {
        () if dump.has_counter("nr_pages_scanned") => {
            ("4.4", "a counter of scanned pages, and no per-node rows")
        }
        () if dump.has_row("managed") && !dump.has_counter("nr_alloc_batch") => (
            "3.8",
            "a managed row, and no counter of the fair zone policy",
        ),
        () if dump.has_row("managed") => (
            "3.16",
            "a managed row and no per-node rows, which a distribution's 3.10 prints as well",
        ),
        () if dump.has_counter("nr_free_cma") => {
            ("3.7", "no managed row, and a counter of free CMA pages")
        }
        () if dump.has_counter("nr_anon_transparent_hugepages") => (
            "3.0",
            "no managed row, and a counter of transparent huge pages",
        ),
        () => ("2.6.37", "neither a managed row nor transparent huge pages"),
    }
}

/// Whether an empty zone has a protection row, as in kernels before 5.8.
fn keeps_empty_rows(dump: &Dump) -> bool {
    let mut empty = dump.zones().filter(|zone| zone.managed == 0);
    empty.any(|zone| zone.protection.iter().any(|&pages| pages > 0))
}

/// Whether the Movable zones of a kernel without HighMem have the min of a zone outside low memory instead of
/// their share of `min_free_kbytes`.
fn movable_stands_apart(dump: &Dump) -> bool {
    if dump.of_kind(ZoneType::HighMem).next().is_some() {
        return false;
    }
    let others = dump
        .populated()
        .filter(|zone| zone.kind != ZoneType::Movable);
    let largest = others.max_by_key(|zone| zone.managed);
    let share = |managed: u64| {
        let by = largest.filter(|zone| zone.managed > 0)?;
        let product = u128::from(by.min - by.boost) * u128::from(managed);
        u64::try_from(product / u128::from(by.managed)).ok()
    };
    let mut movable = dump.zones().filter(|zone| zone.kind == ZoneType::Movable);
    movable.any(|zone| {
        let min = zone.min - zone.boost;
        let is_share = share(zone.managed).is_some_and(|pages| pages.abs_diff(min) <= 1);
        min == high_memory_min(zone.managed) && !is_share
    })
}

/// The architecture, page size and zone types. Fills in the first pages of zones if the text lacks them.
pub fn shape(
    dump: &mut Dump,
    kernel: &Kernel,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<Shape, Vec<Refusal>> {
    let seen = architecture(dump);
    if options.arch.or(seen.arch) == Some(Arch::X86_64) && options.page_size_kib == Some(64) {
        return Err(vec![refuse("page_size_kib", "pages of x86_64 have 4 KiB")]);
    }
    let placed = starts::fill(dump, options.arch.or(seen.arch), notes);
    let Pages {
        arch: stand_in,
        kib: page_kib,
        are_known,
    } = pages(dump, kernel, options, &seen, notes);
    let usual = kernel.features.zone_set.borders(stand_in);
    let usual_types: Vec<ZoneType> = usual.iter().map(|border| border.kind).collect();
    let zone_types = zone_types(dump, &usual_types)?;
    let own_zones = if zone_types == usual_types && fits(dump, &usual) {
        None
    } else {
        let borders = own_borders(dump, &zone_types, placed)?;
        notes.infer(
            "zones",
            names(&zone_types),
            "the printed zones and the length of the protection rows, which differ from a distribution's build of this kernel",
        );
        Some(borders)
    };
    Ok(Shape {
        arch: stand_in,
        page_kib,
        own_zones,
        zone_types,
        certainty: match (options.arch, seen.arch) {
            (Some(_), _) => Certainty::Given,
            // Of the architectures without DMA32, only ppc64 has such pages and one zone.
            (None, Some(_)) if seen.is_certain || (page_kib == 64 && are_known) => Certainty::Seen,
            (None, Some(_)) => Certainty::Assumed,
            (None, None) => Certainty::StandIn,
        },
    })
}

fn names(types: &[ZoneType]) -> String {
    let names: Vec<&str> = types.iter().map(|kind| kind.name()).collect();
    names.join(" ")
}

/// The built-in zone types: the usual ones if they match. Otherwise as many as a protection row has entries,
/// including the printed ones.
fn zone_types(dump: &Dump, usual: &[ZoneType]) -> Result<Vec<ZoneType>, Vec<Refusal>> {
    let mut printed: Vec<ZoneType> = dump.zones().map(|zone| zone.kind).collect();
    printed.sort_unstable();
    printed.dedup();
    let contains = |types: &[ZoneType]| printed.iter().all(|kind| types.contains(kind));
    let is_as_long = usual.len() == dump.zone_count || !dump.has_protection;
    if is_as_long && contains(usual) {
        return Ok(usual.to_vec());
    }
    if !dump.has_protection {
        return Ok(printed);
    }
    // Add the most common zone types until there are enough.
    let likely = [
        ZoneType::Movable,
        ZoneType::Normal,
        ZoneType::Device,
        ZoneType::Dma32,
        ZoneType::Dma,
        ZoneType::HighMem,
    ];
    let mut types = printed;
    for kind in likely {
        if types.len() < dump.zone_count && !types.contains(&kind) {
            types.push(kind);
        }
    }
    types.sort_unstable();
    if types.len() != dump.zone_count {
        let reason = format!(
            "{} zone types are printed, but protection rows have {} entries",
            types.len(),
            dump.zone_count
        );
        return Err(vec![refuse("line 1", reason)]);
    }
    Ok(types)
}

/// Whether every zone is inside its border.
fn fits(dump: &Dump, borders: &[ZoneBorder]) -> bool {
    let mut floor = 0;
    for border in borders.iter().filter(|border| border.is_placed_by_pfn()) {
        let below = border.below_pfn.unwrap_or(u64::MAX);
        for zone in dump.of_kind(border.kind) {
            let inside = zone
                .start_pfn
                .is_none_or(|start| start >= floor && start.saturating_add(zone.spanned) <= below);
            if !inside {
                return false;
            }
        }
        floor = below;
    }
    true
}

/// Plausible borders: each zone type ends where the first zone of the next type begins.
fn own_borders(
    dump: &Dump,
    types: &[ZoneType],
    placed: bool,
) -> Result<Vec<ZoneBorder>, Vec<Refusal>> {
    let is_placed = |kind: ZoneType| !matches!(kind, ZoneType::Movable | ZoneType::Device);
    let first = |kind: ZoneType| dump.of_kind(kind).filter_map(|zone| zone.start_pfn).min();
    let end = |kind: ZoneType| {
        let ends = dump
            .of_kind(kind)
            .filter_map(|zone| Some(zone.start_pfn? + zone.spanned));
        ends.max().unwrap_or(0)
    };
    let mut borders = Vec::new();
    for (index, &kind) in types.iter().enumerate() {
        let above = types[index + 1..].iter().filter(|&&kind| is_placed(kind));
        let next = above.clone().find_map(|&kind| first(kind));
        let is_last = above.clone().next().is_none();
        let below_pfn = match (is_placed(kind), is_last, next) {
            (false, ..) | (true, true, _) => None,
            (true, false, Some(next)) => Some(next),
            // Higher types have no pages, so this type has no upper border.
            (true, false, None) => Some(u64::MAX >> 12),
        };
        if let Some(below) = below_pfn
            && end(kind) > below
        {
            let why = match placed {
                true => {
                    "no zone has a row \"start_pfn\", and nothing else shows where zones begin; paste the whole output of cat /proc/zoneinfo".to_string()
                }
                false => format!(
                "zone {} reaches beyond pfn {below}, where the next zone type begins; such zones cannot be described",
                    kind.name()
                ),
            };
            return Err(vec![refuse("line 1", why)]);
        }
        borders.push(ZoneBorder { kind, below_pfn });
    }
    Ok(borders)
}
