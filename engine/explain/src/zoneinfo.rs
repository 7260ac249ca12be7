//! Explains a listing of /proc/zoneinfo: how far each zone is from its watermarks, and what that means.
//!
//! Modelled: how much more memory requests that may use every zone can take before they wake kswapd, and
//! before they must reclaim; what kswapd of each node would do; zones that are closed to requests for higher
//! zones; free orders.
//! Left out: requests in progress; per-cpu lists.
//! Invariants: all numbers are pages; a row that the text lacks causes no sentence.

mod zone;

use facts::arch::ZoneType;
use facts::procfs::parse::RawZone;

use crate::blocks::Listing;
use crate::document::{Blocks, Document, Finding, Kind, Severity, Unit, Verdict, ZoneSummary};
use crate::words::{counted, number};

/// A zone with memory, and its watermarks.
#[derive(Debug, Clone)]
struct Zone<'a> {
    raw: &'a RawZone,
    kind: Option<ZoneType>,
    free: u64,
    min: u64,
    low: u64,
    high: u64,
    /// The pages reserved from requests of the highest class; none if the text lacks the number.
    reserve: Option<u64>,
    blocks: Vec<Blocks>,
    blocks_line: usize,
}

impl Zone<'_> {
    fn name(&self) -> String {
        format!("Zone {} of node {}", self.raw.name, self.raw.node)
    }

    /// The zone's name inside a sentence.
    fn name_inside(&self) -> String {
        format!("zone {} of node {}", self.raw.name, self.raw.node)
    }

    fn kept(&self) -> u64 {
        self.reserve.unwrap_or(0)
    }

    /// Free pages above a watermark plus the reserve.
    fn above(&self, mark: u64) -> u64 {
        self.free.saturating_sub(mark.saturating_add(self.kept()))
    }
}

/// A listing in a file, explained.
pub fn explain(listing: &[RawZone], blocks: Option<&Listing>, file: &str) -> Document {
    let zones: Vec<Zone<'_>> = listing.iter().filter_map(|raw| read(raw, blocks)).collect();
    let mut findings = Vec::new();
    findings.extend(machine(&zones));
    findings.extend(kswapd(&zones));
    findings.extend(contents(listing));
    findings.extend(zones.iter().flat_map(|zone| zone::findings(zone, &zones)));
    findings.extend(missing(listing, &zones, blocks));
    findings.sort_by_key(|finding| finding.severity as u8);
    let mut nodes: Vec<u16> = zones.iter().map(|zone| zone.raw.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let line = listing.first().map_or(1, |raw| raw.line);
    Document {
        kind: Kind::Zoneinfo,
        file: file.to_string(),
        line,
        last_line: listing.last().map_or(line, |raw| raw.line),
        title: format!(
            "{} with memory on {}, {} free",
            counted(zones.len() as u64, "zone"),
            counted(nodes.len() as u64, "node"),
            counted(zones.iter().map(|zone| zone.free).sum(), "page")
        ),
        unit: Unit::Pages,
        findings,
        zones: zones.iter().map(summary).collect(),
    }
}

fn read<'a>(raw: &'a RawZone, blocks: Option<&Listing>) -> Option<Zone<'a>> {
    let has_memory =
        raw.is_populated() || (raw.row("present").is_none() && raw.row("free") > Some(0));
    if !has_memory {
        return None;
    }
    let found = blocks.and_then(|l| l.zones.get(&(raw.node, raw.name.clone())));
    let (blocks_line, blocks) = found.cloned().unwrap_or_default();
    let mut all = ZoneType::ALL.into_iter();
    Some(Zone {
        raw,
        kind: all.find(|kind| kind.name() == raw.name),
        free: raw.row("free")?,
        min: raw.row("min")?,
        low: raw.row("low")?,
        high: raw.row("high")?,
        reserve: raw.protection.as_ref().and_then(|row| row.last().copied()),
        blocks,
        blocks_line,
    })
}

fn summary(zone: &Zone<'_>) -> ZoneSummary {
    let needs = zone.reserve.map(|reserve| zone.min.saturating_add(reserve));
    ZoneSummary {
        node: zone.raw.node,
        zone: zone.raw.name.clone(),
        line: zone.raw.line,
        free: Some(zone.free),
        min: Some(zone.min),
        low: Some(zone.low),
        high: Some(zone.high),
        reserve: zone.reserve,
        needs,
        verdict: match needs {
            None => Verdict::Unknown,
            Some(needs) if zone.free > needs => Verdict::Passes,
            Some(_) => Verdict::Below,
        },
        blocks: zone.blocks.clone(),
    }
}

/// How much more memory requests that may use every zone can take.
fn machine(zones: &[Zone<'_>]) -> Option<Finding> {
    let first = zones.first()?;
    let to_low: u64 = zones.iter().map(|zone| zone.above(zone.low)).sum();
    let to_min: u64 = zones.iter().map(|zone| zone.above(zone.min)).sum();
    const WHO: &str = "Requests of order 0 that may use every zone";
    let (severity, text) = match (to_low, to_min) {
        (_, 0) => (
            Severity::Cause,
            format!(
                "{WHO} find no zone above min plus its reserve: they must reclaim memory themselves (direct reclaim)."
            ),
        ),
        (0, to_min) => (
            Severity::Warning,
            format!(
                "{WHO} find no zone above low plus its reserve: they wake kswapd. If nothing is freed, they can take {} more before they must reclaim themselves.",
                counted(to_min, "page")
            ),
        ),
        (to_low, to_min) => (
            Severity::Note,
            format!(
                "{WHO} can take {} before they wake kswapd, and {} before they must reclaim themselves, if nothing is freed.",
                counted(to_low, "page"),
                counted(to_min, "page")
            ),
        ),
    };
    let values = [("above low", to_low), ("above min", to_min)];
    Some(
        Finding::new(severity, text)
            .at(first.raw.line)
            .with(Unit::Pages, &values),
    )
}

/// What kswapd of each node would do if it were awake.
fn kswapd(zones: &[Zone<'_>]) -> Vec<Finding> {
    let mut nodes: Vec<u16> = zones.iter().map(|zone| zone.raw.node).collect();
    nodes.dedup();
    let of = |node: u16| {
        let own = zones.iter().filter(move |zone| zone.raw.node == node);
        let own: Vec<&Zone<'_>> = own.collect();
        kswapd_of(node, &own)
    };
    nodes.into_iter().filter_map(of).collect()
}

fn kswapd_of(node: u16, zones: &[&Zone<'_>]) -> Option<Finding> {
    let first = zones.first()?;
    // From 4.8 on, when zones print the counters of their node, one balanced zone is enough.
    let needs_one = zones.iter().any(|zone| zone.raw.per_node);
    let goal = |zone: &&&Zone<'_>| match needs_one {
        true => zone.high.saturating_add(zone.kept()),
        false => zone.high,
    };
    let balanced = |zone: &&&Zone<'_>| zone.free > goal(zone);
    let open: Vec<&&Zone<'_>> = zones.iter().filter(|zone| !balanced(zone)).collect();
    let is_done = match needs_one {
        true => open.len() < zones.len(),
        false => open.is_empty(),
    };
    if is_done {
        let words = match needs_one {
            true => {
                let done = zones.iter().find(balanced)?;
                format!(
                    "kswapd of node {node} has nothing to do for order 0: zone {} is above high plus its reserve ({} free, more than {} needed).",
                    done.raw.name,
                    number(done.free),
                    number(goal(&done))
                )
            }
            false => format!(
                "kswapd of node {node} has nothing to do for order 0: every zone is above high."
            ),
        };
        return Some(Finding::new(Severity::Note, words).at(first.raw.line));
    }
    let rests: Vec<String> = open
        .iter()
        .map(|zone| {
            let missing = goal(zone).saturating_sub(zone.free).saturating_add(1);
            format!("zone {} lacks {}", zone.raw.name, counted(missing, "page"))
        })
        .collect();
    let until = match needs_one {
        true => "until one zone is above high plus its reserve",
        false => "until every zone is above high",
    };
    let text = format!(
        "If kswapd of node {node} is awake, it reclaims {until}: {}.",
        rests.join(", ")
    );
    Some(Finding::new(Severity::Warning, text).at(first.raw.line))
}

/// How memory is used, according to the counters of nodes (from 4.8) and of zones.
fn contents(listing: &[RawZone]) -> Option<Finding> {
    let sum = |name: &str| {
        let of = |zone: &RawZone| {
            let counter = zone.node_counters.get(name).or(zone.counters.get(name));
            counter.copied()
        };
        listing.iter().filter_map(of).reduce(u64::saturating_add)
    };
    let two = |first, second| Some(sum(first)?.saturating_add(sum(second)?));
    let files = two("nr_inactive_file", "nr_active_file")?;
    let anon = two("nr_inactive_anon", "nr_active_anon")?;
    let slab = sum("nr_slab_unreclaimable");
    let slab_words = slab.map_or(String::new(), |slab| {
        format!(
            " Kernel objects that cannot be reclaimed use {}.",
            counted(slab, "page")
        )
    });
    let text = format!(
        "The LRU lists have {} of files and {} of anonymous memory, which can be freed only by writing it to swap.{slab_words}",
        counted(files, "page"),
        counted(anon, "page")
    );
    let line = listing.first().map_or(1, |zone| zone.line);
    let mut values = vec![("files", files), ("anonymous", anon)];
    values.extend(slab.map(|slab| ("slab_unreclaimable", slab)));
    Some(
        Finding::new(Severity::Note, text)
            .at(line)
            .with(Unit::Pages, &values),
    )
}

/// What the text does not contain.
fn missing(listing: &[RawZone], zones: &[Zone<'_>], blocks: Option<&Listing>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut note = |text: String| found.push(Finding::new(Severity::Note, text));
    let with_memory = listing.iter().filter(|raw| raw.is_populated()).count();
    if with_memory > zones.len() {
        note("Some zones have no free, min, low or high in the text and are left out.".to_string());
    }
    if zones.iter().any(|zone| zone.reserve.is_none()) {
        note("The text has no protection rows, so reserves count as 0.".to_string());
    }
    if blocks.is_none() && !zones.is_empty() {
        note("The text does not show which orders are free; the /proc/buddyinfo of the same moment would show it.".to_string());
    }
    found
}
