//! Which kernel, architecture and page size a dump is from.
//!
//! Modelled: kernel era by the rows there are, architecture by zone names and borders, page size
//! by the sizes of per-cpu lists and counter thresholds.
//! Left out: architectures other than x86_64 and ppc64, which keep their own borders.
//! Who could tell: a kernel patched to print other rows.
//! Invariants: every guess is noted with what it was taken from.

use crate::arch::{Arch, Geometry, X86_DMA_END_PFN, X86_DMA32_END_PFN, ZoneBorder, ZoneType};
use crate::kernel::{self, Kernel};
use crate::procfs::import::dump::{Dump, DumpZone, layout_with};
use crate::procfs::import::{ImportOptions, Notes, Shape};
use crate::profile::refuse;
use crate::tunables::Tunables;
use crate::view::Refusal;
use crate::watermark::{pcp_size, stat_threshold};

impl Shape {
    /// Page and block sizes.
    pub fn geometry(&self) -> Geometry {
        geometry(self.arch, self.page_kib)
    }
}

/// A geometry that exists; other page sizes fall back to 4 KiB ones.
fn geometry(arch: Arch, page_kib: u32) -> Geometry {
    Geometry::of(arch, page_kib)
        .or(Geometry::of(arch, 4))
        .unwrap_or(Geometry {
            arch,
            page_shift: 12,
            orders: 11,
            pageblock_order: 9,
        })
}

/// The kernel given, or the modelled one whose rows are nearest.
pub fn kernel(dump: &Dump, given: Option<&'static Kernel>, notes: &mut Notes) -> &'static Kernel {
    if let Some(kernel) = given {
        return kernel;
    }
    let (id, from) = if dump.is_per_node {
        match () {
            () if dump.has_row("promo") => ("6.12", "a promo row"),
            () if dump.has_row("boost") => ("6.1", "a boost row and no promo row"),
            () if dump.has_row("cma") => ("5.15", "a cma row and no boost row"),
            () => ("5.10", "per-node rows and neither a cma nor a boost row"),
        }
    } else {
        match () {
            () if dump.has_row("managed") => ("3.16", "a managed row and no per-node rows"),
            () if dump.has_counter("nr_anon_transparent_hugepages") => (
                "3.0",
                "no managed row, and a counter of transparent huge pages",
            ),
            () => ("2.6.37", "neither a managed row nor transparent huge pages"),
        }
    };
    notes.infer("kernel", id, format!("{from}: the nearest modelled kernel"));
    kernel::find(id).unwrap_or(&kernel::kernels()[0])
}

/// Architecture, page size and zone types.
pub fn shape(
    dump: &Dump,
    kernel: &Kernel,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<Shape, Vec<Refusal>> {
    let arch = architecture(dump, notes);
    if arch == Some(Arch::X86_64) && options.page_size_kib == Some(64) {
        return Err(vec![refuse("page_size_kib", "pages of x86_64 have 4 KiB")]);
    }
    let stand_in = arch.unwrap_or(Arch::X86_64);
    let usual = kernel.features.zone_set.borders(stand_in);
    let usual_types: Vec<ZoneType> = usual.iter().map(|border| border.kind).collect();
    let zone_types = zone_types(dump, &usual_types)?;
    let own_zones = if zone_types == usual_types && fits(dump, &usual) {
        None
    } else {
        let borders = own_borders(dump, &zone_types)?;
        notes.infer(
            "zones",
            names(&zone_types),
            "the zones printed and the length of the protection rows, which differ from what this kernel's distribution builds have",
        );
        Some(borders)
    };
    let page_kib = match (arch, options.page_size_kib) {
        (Some(Arch::X86_64 | Arch::Sh4) | None, _) => 4,
        (Some(Arch::Ppc64), Some(kib)) => kib,
        (Some(Arch::Ppc64), None) => ppc64_page_size(dump, kernel, &zone_types, notes),
    };
    Ok(Shape {
        arch: stand_in,
        page_kib,
        own_zones,
        zone_types,
    })
}

fn names(types: &[ZoneType]) -> String {
    let names: Vec<&str> = types.iter().map(|kind| kind.name()).collect();
    names.join(" ")
}

fn of_kind<'a>(dump: &'a Dump, kind: ZoneType) -> impl Iterator<Item = &'a DumpZone<'a>> {
    dump.populated().filter(move |zone| zone.kind == kind)
}

/// The architecture, or `None` for one that is not simulated.
fn architecture(dump: &Dump, notes: &mut Notes) -> Option<Arch> {
    let printed = |kind| dump.zones().any(|zone| zone.kind == kind);
    let end = |zone: &DumpZone| {
        zone.start_pfn
            .map(|start| start.saturating_add(zone.spanned))
    };
    let small_dma = of_kind(dump, ZoneType::Dma)
        .all(|zone| end(zone).unwrap_or(zone.spanned) <= X86_DMA_END_PFN);
    let high_normal = of_kind(dump, ZoneType::Normal).all(|zone| {
        zone.start_pfn
            .is_none_or(|start| start >= X86_DMA32_END_PFN)
    });
    let low_dma32 = of_kind(dump, ZoneType::Dma32)
        .all(|zone| end(zone).is_none_or(|end| end <= X86_DMA32_END_PFN));
    let (arch, from) = if printed(ZoneType::HighMem) {
        (None, "a HighMem zone")
    } else if printed(ZoneType::Dma32) && small_dma && low_dma32 && high_normal {
        (
            Some(Arch::X86_64),
            "a DMA32 zone and borders at 16 MiB and 4 GiB",
        )
    } else if printed(ZoneType::Dma32) {
        (None, "a DMA32 zone with borders that are not x86_64's")
    } else if of_kind(dump, ZoneType::Dma).next().is_none() {
        if high_normal && dump.zone_count >= 4 {
            (Some(Arch::X86_64), "memory from 4 GiB on only")
        } else {
            (Some(Arch::Ppc64), "all memory in zone Normal")
        }
    } else if of_kind(dump, ZoneType::Normal).next().is_none()
        && (!small_dma || dump.zone_count <= 3)
    {
        (Some(Arch::Ppc64), "all memory in zone DMA")
    } else if small_dma && high_normal {
        (Some(Arch::X86_64), "a DMA zone below 16 MiB")
    } else {
        (None, "zone borders of neither x86_64 nor ppc64")
    };
    match arch {
        Some(arch) => notes.infer("arch", arch.name(), from),
        None => notes.infer(
            "arch",
            "not simulated",
            format!("{from}; described with x86_64's 4 KiB pages and the zones' own borders"),
        ),
    }
    arch
}

/// The zone types built in: the usual ones when they fit, else as many as protection rows have
/// entries, the printed ones among them.
fn zone_types(dump: &Dump, usual: &[ZoneType]) -> Result<Vec<ZoneType>, Vec<Refusal>> {
    let mut printed: Vec<ZoneType> = dump.zones().map(|zone| zone.kind).collect();
    printed.sort_unstable();
    printed.dedup();
    let contains = |types: &[ZoneType]| printed.iter().all(|kind| types.contains(kind));
    if usual.len() == dump.zone_count && contains(usual) {
        return Ok(usual.to_vec());
    }
    // Fill up with what kernels are built with most often.
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

/// Whether every zone lies inside its border.
fn fits(dump: &Dump, borders: &[ZoneBorder]) -> bool {
    let mut floor = 0;
    for border in borders.iter().filter(|border| border.is_placed_by_pfn()) {
        let below = border.below_pfn.unwrap_or(u64::MAX);
        for zone in of_kind(dump, border.kind) {
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

/// Borders halfway believable: each zone type ends where the next one's first zone starts.
fn own_borders(dump: &Dump, types: &[ZoneType]) -> Result<Vec<ZoneBorder>, Vec<Refusal>> {
    let is_placed = |kind: ZoneType| !matches!(kind, ZoneType::Movable | ZoneType::Device);
    let first = |kind: ZoneType| of_kind(dump, kind).filter_map(|zone| zone.start_pfn).min();
    let end = |kind: ZoneType| {
        let ends = of_kind(dump, kind).filter_map(|zone| Some(zone.start_pfn? + zone.spanned));
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
            // Types above it exist but have no pages: everything stays in this one's reach.
            (true, false, None) => Some(u64::MAX >> 12),
        };
        if let Some(below) = below_pfn
            && end(kind) > below
        {
            let reason = format!(
                "zone {} reaches beyond pfn {below}, where the next zone type begins; such zones cannot be described",
                kind.name()
            );
            return Err(vec![refuse("line 1", reason)]);
        }
        borders.push(ZoneBorder { kind, below_pfn });
    }
    Ok(borders)
}

/// How many per-cpu rows contradict a page size.
fn contradictions(dump: &Dump, kernel: &Kernel, types: &[ZoneType], page_kib: u32) -> usize {
    let features = &kernel.features;
    let layout = layout_with(dump, types, geometry(Arch::Ppc64, page_kib), None);
    let tunables = Tunables::plain();
    let mut wrong = 0;
    for (printed, laid_out) in dump.nodes.iter().zip(&layout.nodes) {
        for zone in printed.zones.iter().filter(|zone| zone.present > 0) {
            let Some(own) = laid_out.zones.iter().find(|own| own.kind == zone.kind) else {
                continue;
            };
            let Some(list) = zone.raw.pagesets.first() else {
                continue;
            };
            let size = pcp_size(&layout, features, &tunables, own, zone.low);
            wrong += usize::from(list.batch.is_some_and(|batch| batch != size.batch));
            let threshold = stat_threshold(&layout, own);
            wrong += usize::from(list.stat_threshold.is_some_and(|seen| seen != threshold));
        }
    }
    wrong
}

fn ppc64_page_size(dump: &Dump, kernel: &Kernel, types: &[ZoneType], notes: &mut Notes) -> u32 {
    let small = contradictions(dump, kernel, types, 4);
    let large = contradictions(dump, kernel, types, 64);
    let (kib, from) = match small.cmp(&large) {
        std::cmp::Ordering::Less => (4, "per-cpu batches and counter thresholds fit 4 KiB pages"),
        std::cmp::Ordering::Greater => (
            64,
            "per-cpu batches and counter thresholds fit 64 KiB pages",
        ),
        std::cmp::Ordering::Equal => (
            64,
            "assumed, as distributions build ppc64: nothing in the text tells 4 from 64 KiB",
        ),
    };
    notes.infer("page_size_kib", kib, from);
    kib
}
