//! The size of a dump's pages, and the architecture that gives the sizes of blocks.
//!
//! Modelled: the page size by the sizes of per-cpu lists and counter thresholds; a substitute if the
//! architecture is not modelled.
//! Left out: pages of 16 KiB.
//! Invariants: a given size is used.

use std::cmp::Ordering;

use crate::arch::{Arch, Geometry, ZoneType};
use crate::kernel::Kernel;
use crate::procfs::import::architecture::Architecture;
use crate::procfs::import::dump::{Dump, layout_with};
use crate::procfs::import::{ImportOptions, Notes, Shape};
use crate::tunables::Tunables;
use crate::watermark::{pcp_size, stat_threshold};

impl Shape {
    /// Page and block sizes.
    pub fn geometry(&self) -> Geometry {
        geometry(self.arch, self.page_kib)
    }
}

/// A geometry that exists; for other page sizes, the geometry with 4 KiB pages.
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

/// The pages of the machine.
pub struct Pages {
    /// The architecture that gives the sizes of pages and blocks.
    pub arch: Arch,
    /// The size of a page, KiB.
    pub kib: u32,
    /// Whether the user gave the size or the text shows it.
    pub are_known: bool,
}

/// The page size that was given, or that the text shows.
pub fn pages(
    dump: &Dump,
    kernel: &Kernel,
    options: &ImportOptions,
    seen: &Architecture,
    notes: &mut Notes,
) -> Pages {
    let kinds: Vec<ZoneType> = kernel
        .features
        .zone_set
        .borders(Arch::X86_64)
        .iter()
        .map(|border| border.kind)
        .chain(dump.zones().map(|zone| zone.kind))
        .collect();
    if let Some(arch) = options.arch {
        notes.infer("arch", arch.name(), "given");
    } else if let Some(arch) = seen.arch.filter(|_| seen.is_certain) {
        notes.infer("arch", arch.name(), seen.from);
    }
    let given = options.page_size_kib.map(|kib| (kib, true));
    match options.arch.or(seen.arch) {
        Some(Arch::Ppc64) => {
            let (kib, are_known) =
                given.unwrap_or_else(|| page_size(dump, kernel, &kinds, 64, notes));
            if options.arch.is_none() && !seen.is_certain {
                // Of the architectures with such zones, only ppc64 has pages of 64 KiB.
                let (arch, from) = match kib == 64 && are_known {
                    true => (Arch::Ppc64.name(), seen.from.to_string()),
                    false => (
                        "unknown",
                        format!("{}, as other architectures also have", seen.from),
                    ),
                };
                notes.infer("arch", arch, from);
            }
            Pages {
                arch: Arch::Ppc64,
                kib,
                are_known,
            }
        }
        Some(arch) => Pages {
            arch,
            kib: 4,
            are_known: true,
        },
        None => {
            let (page_kib, are_known) =
                given.unwrap_or_else(|| page_size(dump, kernel, &kinds, 4, notes));
            let (arch, block) = match page_kib {
                64 => (Arch::Ppc64, "16 MiB"),
                _ => (Arch::X86_64, "2 MiB"),
            };
            let from = format!(
                "{}; described with {}'s pages of {page_kib} KiB, its blocks of {block} and the zones' own borders",
                seen.from,
                arch.name()
            );
            notes.infer("arch", "not simulated", from);
            Pages {
                arch,
                kib: page_kib,
                are_known,
            }
        }
    }
}

/// The number of per-cpu rows that contradict a page size.
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

/// Whether the lists match the other page size better than the machine's.
pub fn contradicts(dump: &Dump, kernel: &Kernel, shape: &Shape) -> bool {
    let other = if shape.page_kib == 4 { 64 } else { 4 };
    let of = |kib| contradictions(dump, kernel, &shape.zone_types, kib);
    of(other) < of(shape.page_kib)
}

/// KiB in a page according to the lists, and whether they are decisive; `otherwise` if they are not.
fn page_size(
    dump: &Dump,
    kernel: &Kernel,
    types: &[ZoneType],
    otherwise: u32,
    notes: &mut Notes,
) -> (u32, bool) {
    let small = contradictions(dump, kernel, types, 4);
    let large = contradictions(dump, kernel, types, 64);
    let (kib, from) = match (small.cmp(&large), otherwise) {
        (Ordering::Less, _) if small > 0 => (
            4,
            "assumed: per-cpu batches and counter thresholds match 4 KiB pages better than 64 KiB pages, but not all match",
        ),
        (Ordering::Greater, _) if large > 0 => (
            64,
            "assumed: per-cpu batches and counter thresholds match 64 KiB pages better than 4 KiB pages, but not all match",
        ),
        (Ordering::Less, _) => (
            4,
            "per-cpu batches and counter thresholds match 4 KiB pages",
        ),
        (Ordering::Greater, _) => (
            64,
            "per-cpu batches and counter thresholds match 64 KiB pages",
        ),
        (Ordering::Equal, 64) => (
            64,
            "assumed, as distributions build ppc64: nothing in the text shows whether it is 4 or 64 KiB",
        ),
        (Ordering::Equal, _) => (
            4,
            "assumed, as most kernels are built: nothing in the text shows whether it is 4 or 64 KiB",
        ),
    };
    notes.infer("page_size_kib", kib, from);
    (kib, small != large)
}
