//! The zone types with which the kernel was built, which are the positions in `lowmem_reserve[]`.
//!
//! Modelled: DMA, DMA32, HighMem and Device may be missing; Normal and Movable never are.
//! Left out: nothing.
//! Invariants: the set has as many types as the rows have numbers, and contains all printed zones. If several
//! sets fit equally well, they give the same numbers.

use facts::arch::ZoneType;

use crate::report::{Report, ZoneRow};

/// The zone type of a row; none if no kernel has this name.
pub fn kind(zone: &ZoneRow) -> Option<ZoneType> {
    let mut all = ZoneType::ALL.into_iter();
    all.find(|kind| kind.name() == zone.name)
}

/// The zone types in the order of the rows.
pub fn of(report: &Report) -> Option<Vec<ZoneType>> {
    let mut rows = report.zones.iter().filter_map(|zone| zone.reserve.as_ref());
    let length = rows.next()?.len();
    let seen: Vec<ZoneType> = report.zones.iter().filter_map(kind).collect();
    let mut found: Option<(usize, Vec<ZoneType>)> = None;
    // The most common sets come first, because the first of equally good sets is used.
    const OPTIONAL: [ZoneType; 4] = [
        ZoneType::Dma,
        ZoneType::Dma32,
        ZoneType::HighMem,
        ZoneType::Device,
    ];
    const CHOICES: [u8; 16] = [
        0b0011, 0b1011, 0b0001, 0b1001, 0b0000, 0b1000, 0b0010, 0b1010, 0b0101, 0b0100, 0b0111,
        0b1101, 0b1100, 0b1111, 0b0110, 0b1110,
    ];
    for choice in CHOICES {
        let is_left_out = |kind: ZoneType| {
            let at = OPTIONAL.iter().position(|optional| *optional == kind);
            at.is_some_and(|at| choice >> at & 1 == 0)
        };
        let types: Vec<ZoneType> = ZoneType::ALL
            .into_iter()
            .filter(|kind| !is_left_out(*kind))
            .collect();
        let fits = types.len() == length && seen.iter().all(|kind| types.contains(kind));
        let faults = if fits {
            faults(report, &types)
        } else {
            continue;
        };
        if found.as_ref().is_none_or(|(least, _)| faults < *least) {
            found = Some((faults, types));
        }
    }
    found.map(|(_, types)| types)
}

/// The number of rows that a set does not explain. A row is 0 up to its own zone, and rises at each higher
/// zone of the node that has memory.
fn faults(report: &Report, types: &[ZoneType]) -> usize {
    let place = |zone: &ZoneRow| {
        let kind = kind(zone)?;
        types.iter().position(|of| *of == kind)
    };
    let mut faults = 0;
    for zone in &report.zones {
        let (Some(own), Some(row)) = (place(zone), &zone.reserve) else {
            continue;
        };
        let above: Vec<usize> = report
            .zones
            .iter()
            .filter(|other| other.node == zone.node)
            .filter_map(place)
            .filter(|at| *at > own)
            .collect();
        for (at, pages) in row.iter().enumerate() {
            let before = if at == 0 { 0 } else { row[at - 1] };
            let should_rise = above.contains(&at) && row.iter().any(|pages| *pages > 0);
            let is_wrong =
                (at <= own && *pages > 0) || ((*pages > before) != should_rise && at > own);
            faults += usize::from(is_wrong);
        }
    }
    faults
}
