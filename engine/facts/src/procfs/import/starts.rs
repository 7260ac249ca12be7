//! Where zones begin, if the text does not show it.
//!
//! Modelled: zones one after the other, at the borders of the architecture if it has some.
//! Left out: holes between them.
//! Visible difference: none in zoneinfo; the frame numbers of single pages differ.
//! Invariants: afterwards each populated zone has a first frame.

use crate::arch::{Arch, X86_DMA_END_PFN, X86_DMA32_END_PFN, ZoneType};
use crate::procfs::import::Notes;
use crate::procfs::import::dump::Dump;

/// The lowest frame at which a zone may begin.
const fn floor(arch: Option<Arch>, kind: ZoneType) -> u64 {
    match (arch, kind) {
        (Some(Arch::X86_64), ZoneType::Dma) => 1,
        (Some(Arch::X86_64), ZoneType::Dma32) => X86_DMA_END_PFN,
        (Some(Arch::X86_64), ZoneType::Normal) => X86_DMA32_END_PFN,
        _ => 0,
    }
}

/// Gives a first frame to the zones of a text without start_pfn rows; returns whether that was necessary.
pub fn fill(dump: &mut Dump, arch: Option<Arch>, notes: &mut Notes) -> bool {
    if dump.populated().all(|zone| zone.start_pfn.is_some()) {
        return false;
    }
    notes.infer(
        "start_pfn",
        "zones placed one after the other",
        "no start_pfn rows; the architecture's zone borders and the order of nodes are used",
    );
    let mut next = 0u64;
    let zones = dump.nodes.iter_mut().flat_map(|node| &mut node.zones);
    for zone in zones.filter(|zone| zone.present > 0) {
        let start = next.max(floor(arch, zone.kind));
        zone.start_pfn = Some(start);
        next = start + zone.spanned;
    }
    true
}
