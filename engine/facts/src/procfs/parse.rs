//! Reading `/proc/zoneinfo` of any era, also out of a longer text.
//!
//! Modelled: both shapes of the file with any indentation, unknown and missing rows.
//! Left out: what the rows mean; see [`crate::procfs::import`].
//! Who could tell: nobody.
//! Invariants: never panics; memory stays in proportion to the zones found, whatever the text; a
//! zone's known rows are whole numbers and stand once.

use std::collections::BTreeMap;

use crate::profile::refuse;
use crate::view::Refusal;

/// Most zones read: 1024 nodes of 6 zone types.
const MAX_ZONES: usize = 1024 * 6;
/// Most counters and unknown rows of one zone.
const MAX_ROWS: usize = 1000;
/// Most per-cpu lists of one zone.
const MAX_PAGESETS: usize = 8192;
/// Longer lines are no rows of this file.
const MAX_LINE: usize = 2000;

/// A zone as it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawZone {
    /// Line of the `Node` row, from 1.
    pub line: usize,
    /// Node id.
    pub node: u16,
    /// Printed zone name.
    pub name: String,
    /// Rows of the pages block and the tail with one number: `free`, `min`, `present`,
    /// `start_pfn` ...
    pub rows: BTreeMap<&'static str, u64>,
    /// `protection`, when there.
    pub protection: Option<Vec<u64>>,
    /// Zone counters.
    pub counters: BTreeMap<String, u64>,
    /// Node counters, in the zone that prints them.
    pub node_counters: BTreeMap<String, u64>,
    /// Per-cpu lists.
    pub pagesets: Vec<RawPageset>,
    /// Whether a `per-node stats` block was seen.
    pub per_node: bool,
    /// Where the zone ended at something that is no row: line and text.
    pub broken_at: Option<(usize, String)>,
}

/// A per-cpu list as it stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RawPageset {
    /// CPU number.
    pub cpu: u16,
    /// `count`.
    pub count: Option<u64>,
    /// `high`.
    pub high: Option<u64>,
    /// `batch`.
    pub batch: Option<u64>,
    /// `vm stats threshold`.
    pub stat_threshold: Option<u64>,
}

impl RawZone {
    /// A row's value.
    pub fn row(&self, name: &str) -> Option<u64> {
        self.rows.get(name).copied()
    }

    /// `present` above 0; a zone without the row counts as empty.
    pub fn is_populated(&self) -> bool {
        self.row("present").unwrap_or(0) > 0
    }
}

/// Rows of one number, as the kernel names them.
const KNOWN: [&str; 17] = [
    "free",
    "boost",
    "min",
    "low",
    "high",
    "promo",
    "scanned",
    "spanned",
    "present",
    "managed",
    "cma",
    "all_unreclaimable",
    "node_unreclaimable",
    "start_pfn",
    "inactive_ratio",
    "prev_priority",
    "temp_priority",
];
/// Rows of one number after the per-cpu lists; they end in a colon.
const TAIL: std::ops::Range<usize> = 11..17;

/// Which block of a zone is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Block {
    /// Nothing yet but the header.
    Header,
    /// `per-node stats`.
    NodeCounters,
    /// From `pages free` to protection or the counters.
    Pages,
    /// `pagesets`.
    Pagesets,
    /// `all_unreclaimable` or `node_unreclaimable` to the end.
    Tail,
}

/// What became of a line inside a zone.
enum Row {
    /// It was a row.
    Taken,
    /// The zone ends before this line.
    End,
    /// It is no row of this file.
    Strange,
}

/// Every zone of a text. Lines outside zones are skipped. Refused are rows that are cut, doubled
/// or too large, each with its line.
pub fn parse(text: &str) -> Result<Vec<RawZone>, Vec<Refusal>> {
    let mut zones: Vec<RawZone> = Vec::new();
    let mut block = None;
    let mut refusals = Vec::new();
    for (index, raw) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let number = index + 1;
        let line = if raw.len() > MAX_LINE { "" } else { raw.trim() };
        match header(line) {
            Some(Ok((node, name))) => {
                if zones.len() == MAX_ZONES {
                    let reason = format!("more than {MAX_ZONES} zones");
                    refusals.push(refuse(format!("line {number}"), reason));
                    return Err(refusals);
                }
                zones.push(RawZone {
                    line: number,
                    node,
                    name,
                    ..RawZone::default()
                });
                block = Some(Block::Header);
                continue;
            }
            Some(Err(reason)) => {
                refusals.push(refuse(format!("line {number}"), reason));
                block = None;
                continue;
            }
            None => {}
        }
        let (Some(now), Some(zone)) = (block.as_mut(), zones.last_mut()) else {
            continue;
        };
        match zone_line(zone, now, line) {
            Ok(Row::Taken) => {}
            Ok(Row::End) => block = None,
            Ok(Row::Strange) => {
                let shown: String = raw.chars().take(60).collect();
                zone.broken_at = Some((number, shown));
                block = None;
            }
            Err(reason) => {
                refusals.push(refuse(format!("line {number}"), reason));
                block = None;
            }
        }
        if refusals.len() >= 20 {
            return Err(refusals);
        }
    }
    if let Some(number) = cut_header(text) {
        let reason = "expected \"Node 0, zone DMA\" or the like; the text is cut off here";
        refusals.push(refuse(format!("line {number}"), reason));
    }
    if refusals.is_empty() {
        Ok(zones)
    } else {
        Err(refusals)
    }
}

/// The line of a header that the end of the text cuts off before its zone name.
fn cut_header(text: &str) -> Option<usize> {
    if text.ends_with('\n') {
        return None;
    }
    let line = text.lines().next_back()?.trim_start();
    let begins = !line.is_empty() && ("Node".starts_with(line) || line.starts_with("Node "));
    let is_cut = begins && line.split_whitespace().count() < 4;
    is_cut.then(|| text.lines().count())
}

/// `Node 0, zone      DMA` and nothing after it; buddyinfo and pagetypeinfo go on.
fn header(line: &str) -> Option<Result<(u16, String), String>> {
    let rest = line.strip_prefix("Node")?;
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let (node, rest) = rest.split_once(',')?;
    let mut words = rest.split_whitespace();
    if words.next() != Some("zone") {
        return None;
    }
    let name = match words.next() {
        Some(name) => name,
        None => return Some(Err("expected a zone name after \"zone\"".to_string())),
    };
    if words.next().is_some() {
        return None;
    }
    let named = name.len() <= 16 && name.chars().all(|c| c.is_ascii_alphanumeric());
    if !named {
        return None;
    }
    Some(match node.trim().parse::<u16>() {
        Ok(node) if node < 1024 => Ok((node, name.to_string())),
        _ => Err(format!(
            "expected a node number from 0 to 1023, found {:?}",
            shorten(node.trim())
        )),
    })
}

fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}

fn zone_line(zone: &mut RawZone, block: &mut Block, line: &str) -> Result<Row, String> {
    let Some((key, rest)) = split_key(line) else {
        return Ok(Row::End);
    };
    match (key, rest) {
        ("per-node", "stats") => {
            zone.per_node = true;
            *block = Block::NodeCounters;
            return Ok(Row::Taken);
        }
        ("pagesets", "") => {
            *block = Block::Pagesets;
            return Ok(Row::Taken);
        }
        ("pages", _) if first_word(rest) == "free" => {
            *block = Block::Pages;
            let value = rest.strip_prefix("free").unwrap_or(rest);
            return set_row(zone, "free", value);
        }
        ("protection:", _) => return set_protection(zone, rest),
        ("vm", _) if rest.starts_with("stats threshold:") => {
            let value = rest.strip_prefix("stats threshold:").unwrap_or(rest);
            return set_threshold(zone, value);
        }
        ("cpu:", _) if *block == Block::Pagesets => return add_pageset(zone, rest),
        _ => {}
    }
    if *block == Block::Pagesets && set_pageset(zone, key, rest)? {
        return Ok(Row::Taken);
    }
    if let Some(name) = known_row(*block, key) {
        *block = match TAIL.contains(&index_of(name)) {
            true => Block::Tail,
            false => Block::Pages,
        };
        return set_row(zone, name, rest);
    }
    // Only rows of the tail follow the tail; anything else is another file's.
    if *block == Block::Tail || is_empty_and_done(zone) {
        return Ok(Row::End);
    }
    set_counter(zone, *block, key, rest)
}

fn split_key(line: &str) -> Option<(&str, &str)> {
    if line.is_empty() || line.starts_with("===") {
        return None;
    }
    match line.split_once([' ', '\t']) {
        Some((key, rest)) => Some((key, rest.trim())),
        None => Some((line, "")),
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

fn index_of(name: &str) -> usize {
    KNOWN.iter().position(|known| *known == name).unwrap_or(0)
}

/// The known row a key stands for in this block: rows of the pages block are bare words, rows of
/// the tail end in a colon.
fn known_row(block: Block, key: &str) -> Option<&'static str> {
    let (bare, is_tail) = match key.strip_suffix(':') {
        Some(bare) => (bare, true),
        None => (key, false),
    };
    let index = KNOWN.iter().position(|known| *known == bare)?;
    let fits = match is_tail {
        true => TAIL.contains(&index),
        false => index > 0 && index < TAIL.start && block < Block::Pagesets,
    };
    fits.then_some(KNOWN[index])
}

/// In the newer shape an empty zone ends with its protection row.
fn is_empty_and_done(zone: &RawZone) -> bool {
    zone.protection.is_some() && zone.counters.is_empty() && zone.row("present") == Some(0)
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    let word = first_word(text);
    word.parse().map_err(|_| {
        if word.is_empty() {
            format!("expected a number after \"{name}\"; the text is cut off here")
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("{:?} is too large a number for \"{name}\"", shorten(word))
        } else {
            format!(
                "expected a whole number after \"{name}\", found {:?}",
                shorten(word)
            )
        }
    })
}

fn set_row(zone: &mut RawZone, name: &'static str, text: &str) -> Result<Row, String> {
    let value = number(name, text)?;
    let more = text.split_whitespace().nth(1);
    // Kernels before 2.6.33 print how many pages of each list were scanned behind the sum.
    if more.is_some() && name != "scanned" {
        return Err(format!("expected one number after \"{name}\""));
    }
    if zone.rows.insert(name, value).is_some() {
        return Err(format!("a second row \"{name}\" in one zone"));
    }
    Ok(Row::Taken)
}

fn set_protection(zone: &mut RawZone, text: &str) -> Result<Row, String> {
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .ok_or("expected \"protection: (\", numbers and \")\"; the text is cut off here")?;
    let values: Result<Vec<u64>, String> = inner
        .split(',')
        .map(|word| number("protection", word))
        .collect();
    let values = values?;
    if values.len() > 6 {
        return Err(format!(
            "{} protections; kernels have at most 6 zone types",
            values.len()
        ));
    }
    if zone.protection.replace(values).is_some() {
        return Err("a second row \"protection\" in one zone".to_string());
    }
    Ok(Row::Taken)
}

fn add_pageset(zone: &mut RawZone, text: &str) -> Result<Row, String> {
    // Kernels before 2.6.25 print "cpu: 0 pcp: 0", hot and cold lists apart.
    let cpu = number("cpu:", text)?;
    let cpu = u16::try_from(cpu).map_err(|_| format!("CPU number {cpu} is above 65535"))?;
    if zone.pagesets.len() == MAX_PAGESETS {
        return Err(format!(
            "more than {MAX_PAGESETS} per-cpu lists in one zone"
        ));
    }
    zone.pagesets.push(RawPageset {
        cpu,
        ..RawPageset::default()
    });
    Ok(Row::Taken)
}

fn set_pageset(zone: &mut RawZone, key: &str, rest: &str) -> Result<bool, String> {
    let Some(pageset) = zone.pagesets.last_mut() else {
        return Ok(false);
    };
    let field = match key {
        "count:" => &mut pageset.count,
        "high:" => &mut pageset.high,
        "batch:" => &mut pageset.batch,
        _ => return Ok(false),
    };
    *field = Some(number(key, rest)?);
    Ok(true)
}

fn set_threshold(zone: &mut RawZone, text: &str) -> Result<Row, String> {
    let value = number("vm stats threshold:", text)?;
    if let Some(pageset) = zone.pagesets.last_mut() {
        pageset.stat_threshold = Some(value);
    }
    Ok(Row::Taken)
}

/// A counter or an unknown row: a name and a number.
fn set_counter(zone: &mut RawZone, block: Block, key: &str, rest: &str) -> Result<Row, String> {
    let name = key.strip_suffix(':').unwrap_or(key);
    let is_name = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.bytes().any(|b| b.is_ascii_alphabetic());
    if !is_name || rest.split_whitespace().count() > 1 {
        return Ok(Row::Strange);
    }
    if !rest.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
        // A known counter without its number is a cut; any other lone word is not a row.
        let known = ["nr_", "numa_", "workingset_"];
        if rest.is_empty() && known.iter().any(|prefix| name.starts_with(prefix)) {
            return number(name, rest).map(|_| Row::Taken);
        }
        return Ok(Row::Strange);
    }
    let value = number(name, rest)?;
    let counters = match block {
        Block::NodeCounters => &mut zone.node_counters,
        _ => &mut zone.counters,
    };
    if counters.len() == MAX_ROWS {
        return Err(format!("more than {MAX_ROWS} counters in one zone"));
    }
    if block != Block::Pagesets && counters.insert(name.to_string(), value).is_some() {
        return Err(format!("a second row {name:?} in one zone"));
    }
    Ok(Row::Taken)
}
