//! The architecture to which the zones of a dump belong.
//!
//! Modelled: zone names and borders of x86_64 and ppc64.
//! Left out: distinguishing other architectures.
//! Visible difference: the guess may be wrong. If the zones could belong to another architecture, the report
//! says so.
//! Invariants: every guess names its evidence.

use crate::arch::{Arch, X86_DMA_END_PFN, X86_DMA32_END_PFN, ZoneType};
use crate::procfs::import::dump::{Dump, DumpZone};

/// What the zones show about the architecture.
pub struct Architecture {
    /// `None` for an architecture that is not simulated.
    pub arch: Option<Arch>,
    /// Whether only this architecture has such zones.
    pub is_certain: bool,
    /// The evidence.
    pub from: &'static str,
}

/// The architecture, according to names and borders of the zones.
pub fn architecture(dump: &Dump) -> Architecture {
    let printed = |kind| dump.zones().any(|zone| zone.kind == kind);
    let end = |zone: &DumpZone| {
        zone.start_pfn
            .map(|start| start.saturating_add(zone.spanned))
    };
    let small_dma = dump
        .of_kind(ZoneType::Dma)
        .all(|zone| end(zone).unwrap_or(zone.spanned) <= X86_DMA_END_PFN);
    let high_normal = dump.of_kind(ZoneType::Normal).all(|zone| {
        zone.start_pfn
            .is_none_or(|start| start >= X86_DMA32_END_PFN)
    });
    let low_dma32 = dump
        .of_kind(ZoneType::Dma32)
        .all(|zone| end(zone).is_none_or(|end| end <= X86_DMA32_END_PFN));
    let has_dma = dump.of_kind(ZoneType::Dma).next().is_some();
    let has_normal = dump.of_kind(ZoneType::Normal).next().is_some();
    let (arch, is_certain, from) = if printed(ZoneType::HighMem) {
        (None, true, "a HighMem zone")
    } else if printed(ZoneType::Dma32) && small_dma && low_dma32 && high_normal {
        let from = "a DMA32 zone and borders at 16 MiB and 4 GiB";
        (Some(Arch::X86_64), true, from)
    } else if printed(ZoneType::Dma32) {
        let from = "a DMA32 zone with borders that are not x86_64's";
        (None, true, from)
    } else if !has_dma && high_normal && dump.zone_count >= 4 {
        (Some(Arch::X86_64), true, "only memory from 4 GiB on")
    } else if !has_dma {
        (Some(Arch::Ppc64), false, "all memory in zone Normal")
    } else if !has_normal && (!small_dma || dump.zone_count <= 3) {
        (Some(Arch::Ppc64), false, "all memory in zone DMA")
    } else if small_dma && high_normal {
        (Some(Arch::X86_64), true, "a DMA zone below 16 MiB")
    } else {
        (None, true, "zone borders of neither x86_64 nor ppc64")
    };
    Architecture {
        arch,
        is_certain,
        from,
    }
}
