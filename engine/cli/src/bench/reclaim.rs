//! Page visits per second of kswapd alone, on lists in the order that random reads leave.

use mm::experiment::Experiment;
use mm::machine::Machine;
use serde_json::Value;

use super::{median, time};
use crate::failure::{Outcome, refused};

/// The virtual time at which the watermarks rise and kswapd starts, ns.
const BEGINS_NS: u64 = 600_500_000_000;
/// A virtual time long after kswapd has finished.
const ENDS_NS: u64 = 620_000_000_000;

/// Pages scanned, freed and put back a second on a machine of `pages` frames: the median of `repeats`
/// repeats, each from the start of kswapd.
///
/// # Errors
/// The engine rejects the experiment.
pub fn visits(json: &str, pages: u64, repeats: u32) -> Outcome<f64> {
    let experiment = sized(json, pages);
    let experiment =
        Experiment::from_json(&experiment).map_err(|found| refused("reclaim", &found))?;
    let mut begins = Machine::boot(&experiment);
    begins.run(u64::MAX, BEGINS_NS);
    let mut machine = begins.clone();
    let rates = (0..repeats).map(|_| {
        machine.clone_from(&begins);
        let taken = time(|| machine.run(u64::MAX, ENDS_NS));
        let scanned = machine.w.counters.pgscan_kswapd - begins.w.counters.pgscan_kswapd;
        scanned as f64 / taken.as_secs_f64()
    });
    Ok(median(rates.collect()))
}

/// The experiment for a machine of this many pages, of which kswapd should free three fifths.
pub fn sized(json: &str, pages: u64) -> String {
    let mut value: Value = serde_json::from_str(json).unwrap_or_default();
    value["machine"]["nodes"][0]["ranges"][0]["pages"] = pages.into();
    let kib = pages * 4 * 3 / 5;
    value["interventions"][0]["set"]["vm.min_free_kbytes"] = kib.to_string().into();
    value.to_string()
}
