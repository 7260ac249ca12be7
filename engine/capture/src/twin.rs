//! Builds a twin whose memory matches the dump.

use mm::experiment::Experiment;
use mm::machine::Machine;

use crate::build::{BEFORE_MS, Twin, build};
use crate::capture::Capture;
use crate::fault::Outcome;
use crate::watch::on_cpu_lists;

const MS: u64 = 1_000_000;

/// The twin that has the free pages of the dump before its workload. The number of page tables and
/// similar pages is known only after the prologue, so the prologue is run once to measure the
/// difference.
///
/// # Errors
/// The workload cannot be repeated, or the dump does not describe a machine.
pub fn fitted(capture: &Capture) -> Outcome<(Twin, Experiment)> {
    let first = build(capture, &[])?;
    let mut machine = Machine::boot(&first.experiment(capture)?);
    machine.run(u64::MAX, BEFORE_MS * MS);
    let mut free = vec![0u64; first.free.len()];
    for (i, zone) in machine.w.mem.zones.entries() {
        let pages = u64::from(zone.nr_free_pages) + on_cpu_lists(&machine, i);
        if let Some(free) = free.get_mut(zone.node.index()) {
            *free += pages;
        }
    }
    let more: Vec<i64> = free
        .iter()
        .zip(&first.free)
        .map(|(&is, &wanted)| is as i64 - wanted as i64)
        .collect();
    let twin = build(capture, &more)?;
    let experiment = twin.experiment(capture)?;
    Ok((twin, experiment))
}
