//! Values that the user gave and that the watermarks contradict.
//!
//! Modelled: a given `vm.min_free_kbytes` or `vm.watermark_scale_factor` that differs much from the value
//! that gives all watermarks.
//! Left out: small differences that the memory freed by init explains.
//! Invariants: a given value is blamed only if all watermarks match without it.

use crate::procfs::import::{ImportOptions, ImportReport, import_zoneinfo};

const FREE: &str = "vm.min_free_kbytes";
const SCALE: &str = "vm.watermark_scale_factor";

/// If the value from the text gives all watermarks and a given value does not, each difference names the
/// given value.
pub fn blame_given(report: &mut ImportReport, text: &str, options: &ImportOptions) {
    let is_given = options.min_free_kbytes.is_some() || options.watermark_scale_factor.is_some();
    if !is_given || !differ(report) {
        return;
    }
    let plain = ImportOptions {
        min_free_kbytes: None,
        watermark_scale_factor: None,
        ..options.clone()
    };
    let Ok(own) = import_zoneinfo(text, &plain) else {
        return;
    };
    let far: Vec<String> = [
        (FREE, options.min_free_kbytes, 16),
        (SCALE, options.watermark_scale_factor, u64::MAX),
    ]
    .into_iter()
    .filter_map(|(name, given, part)| {
        let (given, fits) = (given?, value(&own, name)?);
        (given.abs_diff(fits) > fits / part)
            .then(|| format!("{name} = {given} was given, but {fits} gives all watermarks"))
    })
    .collect();
    if far.is_empty() || differ(&own) {
        return;
    }
    let reason = far.join("; ");
    let zones = report
        .check
        .iter_mut()
        .flat_map(|zone| &mut zone.differences);
    for difference in zones.filter(|difference| is_mark(&difference.what)) {
        difference.reason.clone_from(&reason);
    }
    report.caveats.push(format!("{reason}."));
}

fn is_mark(what: &str) -> bool {
    !what.starts_with("protection")
}

fn differ(report: &ImportReport) -> bool {
    let mut differences = report.check.iter().flat_map(|zone| &zone.differences);
    differences.any(|difference| is_mark(&difference.what))
}

fn value(report: &ImportReport, name: &str) -> Option<u64> {
    report.machine.tunables.get(name)?.parse().ok()
}
