//! Rules of a kernel that the text itself shows and that differ from the nearest modelled release.
//!
//! Modelled: protection rows of empty zones, which were cleared from 5.8 on.
//! Left out: rules that leave no trace in zoneinfo.
//! Invariants: a text that the release's own rules explain changes no rule.

use crate::kernel::{Kernel, ReserveRule};
use crate::procfs::import::Notes;
use crate::procfs::import::dump::Dump;

/// The kernel with the rules that the text shows.
pub fn seen(dump: &Dump, kernel: &Kernel, notes: &mut Notes) -> Kernel {
    let mut kernel = kernel.clone();
    let clears = kernel.features.reserve == ReserveRule::ZeroClears;
    let mut empty = dump.zones().filter(|zone| zone.managed == 0);
    let kept = empty.find(|zone| zone.protection.iter().any(|&pages| pages > 0));
    if let Some(zone) = kept
        && clears
    {
        kernel.features.reserve = ReserveRule::ZeroRatioClears;
        notes.infer(
            "lowmem_reserve",
            "empty zones keep their rows",
            format!(
                "node {} zone {} is empty and has a protection row: kernels before 5.8 did not clear it",
                zone.raw.node, zone.raw.name
            ),
        );
    }
    kernel
}
