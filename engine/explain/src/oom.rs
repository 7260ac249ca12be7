//! Explains an OOM kill, an allocation failure or a printed state of memory.
//!
//! Modelled: why each zone could not serve the request, what could have been freed, and which tasks used
//! memory.
//! Left out: causes that no line of the report shows.
//! Invariants: the findings about the request come first; every number is in the report or is computed from
//! numbers in the report.

mod classes;
mod group;
mod memory;
mod title;
mod victims;
mod walk;
mod zones;

use crate::document::{Blocks, Document, Kind, Unit, ZoneSummary};
use crate::era;
use crate::report::Report;
use walk::ZoneCheck;

/// A report in a file, explained.
pub fn explain(report: &Report, file: &str) -> Document {
    let asked = walk::asked(report);
    let era = era::of(report);
    let checks = walk::walk(report, &asked, &era);
    let kind = report.kind();
    let mut findings = Vec::new();
    if kind == Kind::CgroupOom {
        findings.extend(group::findings(report));
    } else {
        findings.extend(zones::findings(report, &asked, &era, &checks));
    }
    if !report.zones.is_empty() || !report.counts.is_empty() {
        findings.extend(memory::findings(report));
    }
    findings.extend(victims::findings(report));
    findings.extend(zones::assumptions(report, &asked, &era));
    findings.sort_by_key(|finding| finding.severity as u8);
    Document {
        kind,
        file: file.to_string(),
        line: report.line,
        last_line: report.last_line,
        title: title::title(report),
        unit: Unit::Kb,
        findings,
        zones: summaries(&checks),
    }
}

/// The zones, in the order of the text.
fn summaries(checks: &[ZoneCheck<'_>]) -> Vec<ZoneSummary> {
    let mut zones: Vec<ZoneSummary> = checks.iter().map(summary).collect();
    zones.sort_by_key(|zone| zone.line);
    zones
}

fn summary(check: &ZoneCheck<'_>) -> ZoneSummary {
    let zone = check.zone;
    let numbers = check.numbers.as_ref();
    let blocks = (0u8..).zip(&zone.blocks).map(|(order, row)| Blocks {
        order,
        count: row.count,
        types: row.types.clone().unwrap_or_default(),
    });
    ZoneSummary {
        node: zone.node,
        zone: zone.name.clone(),
        line: zone.line,
        free: zone.kb("free"),
        min: zone.kb("min"),
        low: zone.kb("low"),
        high: zone.kb("high"),
        reserve: numbers.and_then(|n| n.reserve),
        needs: numbers
            .filter(|n| n.reserve.is_some())
            .and_then(|n| u64::try_from(n.needs).ok()),
        verdict: check.verdict,
        blocks: blocks.collect(),
    }
}
