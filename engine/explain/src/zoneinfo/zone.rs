//! One zone: its distance from the watermarks, the requests that may not use it, and its free orders.

use crate::document::{Finding, Severity, Unit};
use crate::words::{counted, number};
use crate::zoneinfo::Zone;

/// The sentences about a zone of the listing.
pub fn findings(zone: &Zone<'_>, all: &[Zone<'_>]) -> Vec<Finding> {
    let mut found = vec![distance(zone)];
    found.extend(closed(zone, all));
    found.extend(boost(zone));
    found.extend(orders(zone));
    found
}

fn distance(zone: &Zone<'_>) -> Finding {
    let name = zone.name();
    let free = counted(zone.free, "free page");
    let over = |mark: u64| number(zone.free.saturating_sub(mark));
    let (severity, text) = match zone.free {
        f if f > zone.high => (
            Severity::Note,
            format!(
                "{name} has {free}, {} above high ({}).",
                over(zone.high),
                number(zone.high)
            ),
        ),
        f if f > zone.low => (
            Severity::Note,
            format!(
                "{name} has {free}, {} above low ({}) but not above high ({}).",
                over(zone.low),
                number(zone.low),
                number(zone.high)
            ),
        ),
        f if f > zone.min => (
            Severity::Warning,
            format!(
                "{name} has {free}, not above low ({}) but {} above min ({}).",
                number(zone.low),
                over(zone.min),
                number(zone.min)
            ),
        ),
        _ => (
            Severity::Cause,
            format!(
                "{name} has {free}, not above min ({}): ordinary requests may not use it.",
                number(zone.min)
            ),
        ),
    };
    let values = [
        ("free", zone.free),
        ("min", zone.min),
        ("low", zone.low),
        ("high", zone.high),
    ];
    Finding::new(severity, text)
        .at(zone.raw.line)
        .with(Unit::Pages, &values)
}

/// The reserve against requests that may use zones up to each higher zone with memory: the name of that zone,
/// and the pages.
fn classes<'a>(zone: &Zone<'_>, all: &[Zone<'a>]) -> Vec<(&'a str, u64)> {
    let mut higher: Vec<&Zone<'a>> = all
        .iter()
        .filter(|other| other.raw.node == zone.raw.node && other.kind > zone.kind)
        .collect();
    higher.sort_by_key(|other| other.kind);
    // The reserve rises at each higher zone that has memory.
    let mut steps = zone.raw.protection.clone().unwrap_or_default();
    steps.dedup();
    steps.retain(|pages| *pages > 0);
    match (higher.last(), steps.last()) {
        _ if higher.len() == steps.len() => {
            let names = higher.iter().map(|other| other.raw.name.as_str());
            names.zip(steps).collect()
        }
        (Some(last), Some(pages)) => vec![(last.raw.name.as_str(), *pages)],
        _ => Vec::new(),
    }
}

/// The requests that may not use the zone because of its protection.
fn closed(zone: &Zone<'_>, all: &[Zone<'_>]) -> Vec<Finding> {
    let finding = |(class, kept): (&str, u64)| {
        let of = |mark: u64| mark.saturating_add(kept);
        let words = |name: &str, mark: u64| {
            format!(
                "more than {} ({name} {} + protection {})",
                number(of(mark)),
                number(mark),
                number(kept)
            )
        };
        let text = if zone.free <= of(zone.min) {
            format!(
                "{} is closed to requests that may use zones up to {class}: they need {}, but it has {}.",
                zone.name(),
                words("min", zone.min),
                number(zone.free)
            )
        } else if zone.free <= of(zone.low) {
            format!(
                "{} fails the first attempt of requests that may use zones up to {class}, which needs {}. After kswapd is woken they need {}; the zone has {}.",
                zone.name(),
                words("low", zone.low),
                words("min", zone.min),
                number(zone.free)
            )
        } else {
            return None;
        };
        let finding = Finding::new(Severity::Note, text).at(zone.raw.line);
        Some(finding.with(Unit::Pages, &[("protection", kept)]))
    };
    classes(zone, all).into_iter().filter_map(finding).collect()
}

fn boost(zone: &Zone<'_>) -> Option<Finding> {
    let boost = zone.raw.row("boost").filter(|boost| *boost > 0)?;
    let text = format!(
        "The watermarks of {} are boosted by {} because allocations mixed migrate types in pageblocks. kswapd reclaims that much more and then ends the boost.",
        zone.name_inside(),
        counted(boost, "page")
    );
    let finding = Finding::new(Severity::Note, text).at(zone.raw.line);
    Some(finding.with(Unit::Pages, &[("boost", boost)]))
}

fn orders(zone: &Zone<'_>) -> Option<Finding> {
    let last = zone.blocks.last()?;
    let largest = zone.blocks.iter().rfind(|row| row.count > 0);
    let Some(largest) = largest else {
        let text = format!("{} has no free block of any order.", zone.name());
        return Some(Finding::new(Severity::Warning, text).at(zone.blocks_line));
    };
    let pages: u64 = zone
        .blocks
        .iter()
        .map(|row| row.count << row.order.min(20))
        .sum();
    let single = zone.blocks.first().map_or(0, |row| row.count);
    let blocks = counted(largest.count, "block");
    let what = match largest.order == last.order {
        true => format!(
            "The largest free blocks of {} have order {}, which is the maximum: {blocks}",
            zone.name_inside(),
            largest.order
        ),
        false => format!(
            "{} has no free block above order {}, of which it has {blocks}: a larger request needs compaction or another zone",
            zone.name(),
            largest.order
        ),
    };
    let text = format!(
        "{what}. The free blocks have {} in all, including {}.",
        counted(pages, "page"),
        counted(single, "single page")
    );
    let severity = match largest.order < last.order {
        true => Severity::Warning,
        false => Severity::Note,
    };
    let finding = Finding::new(severity, text).at(zone.blocks_line);
    Some(finding.with(
        Unit::One,
        &[
            ("largest order", largest.order.into()),
            ("blocks", largest.count),
        ],
    ))
}
