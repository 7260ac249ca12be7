//! Reading `/proc/zoneinfo` of any kernel, also from inside a longer text.
//!
//! Modelled: both forms of the file with any indentation, unknown and missing rows.
//! Left out: the meaning of the rows; see [`crate::procfs::import`].
//! Visible difference: none.
//! Invariants: never panics; memory use is proportional to the zones found, whatever the text; a zone's known
//! rows are whole numbers and appear once.

mod rows;

use std::collections::BTreeMap;

use crate::procfs::pasted::{Prefix, is_ornament, is_remark, plain, unquoted};
use crate::profile::refuse;
use crate::view::Refusal;
use rows::{Block, LineKind, is_structured, shorten, split_key, zone_line};

/// The maximum number of zones: 1024 nodes of 6 zone types.
const MAX_ZONES: usize = 1024 * 6;
/// The maximum length of a row of this file.
const MAX_LINE: usize = 2000;

/// A zone as the text describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawZone {
    /// The number of the `Node` line, from 1.
    pub line: usize,
    /// Node id.
    pub node: u16,
    /// Printed zone name.
    pub name: String,
    /// Rows of the pages block and the tail with one number: `free`, `min`, `present`,
    /// `start_pfn` ...
    pub rows: BTreeMap<&'static str, u64>,
    /// `protection`, if there is such a row.
    pub protection: Option<Vec<u64>>,
    /// Zone counters.
    pub counters: BTreeMap<String, u64>,
    /// Node counters, in the zone that prints them.
    pub node_counters: BTreeMap<String, u64>,
    /// Per-cpu lists.
    pub pagesets: Vec<RawPageset>,
    /// Whether a `per-node stats` block was seen.
    pub per_node: bool,
    /// The line that ended the zone because it is not a row: its number and text.
    pub broken_at: Option<(usize, String)>,
}

/// A per-cpu list as the text describes it.
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

    /// Whether only the header, or only the node's counters, were found.
    pub fn is_bare(&self) -> bool {
        self.rows.is_empty() && self.protection.is_none() && self.counters.is_empty()
    }

    /// `present` above 0; a zone without the row counts as empty.
    pub fn is_populated(&self) -> bool {
        self.row("present").unwrap_or(0) > 0
    }
}

/// The maximum number of refusals of one text.
const MAX_REFUSALS: usize = 20;

/// Every zone of a text. Skips lines outside zones, and everything that is not part of a row: log prefixes,
/// quote marks, extra spaces, remarks after numbers, lines like "...". Refuses rows that are truncated,
/// duplicated or too large, each with its line.
///
/// # Errors A refusal for each such row.
pub fn parse(text: &str) -> Result<Vec<RawZone>, Vec<Refusal>> {
    let mut reader = Reader {
        is_doubled: is_doubled(text),
        ..Reader::default()
    };
    for (index, raw) in text.lines().enumerate() {
        let full = reader.refusals.len() >= MAX_REFUSALS || reader.zones.len() > MAX_ZONES;
        if full {
            return Err(reader.refusals);
        }
        let raw = if raw.len() > MAX_LINE { "" } else { raw };
        reader.line(index + 1, &plain(raw));
    }
    reader.drop_bare();
    let Reader {
        zones,
        mut refusals,
        ..
    } = reader;
    if let Some(number) = cut_header(text) {
        let reason = "expected a line like \"Node 0, zone DMA\"; the text is cut off here";
        refusals.push(refuse(format!("line {number}"), reason));
    }
    if refusals.is_empty() {
        Ok(zones)
    } else {
        Err(refusals)
    }
}

/// Whether a blank line follows nearly every line, as in some copies.
fn is_doubled(text: &str) -> bool {
    let blank = text.lines().filter(|line| line.trim().is_empty()).count();
    let all = text.lines().count();
    blank * 9 >= (all - blank) * 8 && all > 10
}

/// The state of reading a text line by line.
#[derive(Debug, Default)]
struct Reader {
    zones: Vec<RawZone>,
    /// The current block of the last zone; none outside zones.
    block: Option<Block>,
    /// The prefix of the last zone's header.
    prefix: Prefix,
    /// Whether a blank line inside the zone was skipped.
    gap: bool,
    /// Whether blank lines mean nothing in this text.
    is_doubled: bool,
    refusals: Vec<Refusal>,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) {
        match headed(line) {
            Some((prefix, Ok((node, name)))) => return self.begin(number, prefix, node, name),
            Some((_, Err(reason))) => return self.refuse(number, reason),
            None => {}
        }
        let (Some(mut block), Some(zone)) = (self.block, self.zones.last_mut()) else {
            return;
        };
        let rest = match self.prefix.strip(line) {
            Some(rest) => rest,
            // Whether the words of the prefix changed, as they do at the end of a month.
            None => line.rsplit_once("] ").map_or(line, |(_, rest)| rest),
        };
        let body = unquoted(rest).trim();
        if body.is_empty() || is_ornament(body) {
            self.gap |= body.is_empty() && !self.is_doubled;
            return;
        }
        let after_gap = std::mem::take(&mut self.gap);
        if after_gap && !is_structured(body) {
            // After a blank line another file may follow whose rows look like counters.
            self.block = None;
            return;
        }
        match zone_line(zone, &mut block, body) {
            Ok(LineKind::Taken) => self.block = Some(block),
            // A line of the log between two rows.
            Ok(LineKind::Strange) if !self.prefix.is_empty() => {}
            Ok(LineKind::Strange) => {
                let shown: String = body.chars().take(60).collect();
                zone.broken_at = Some((number, shown));
                self.block = None;
            }
            Err(reason) if !after_gap => self.refuse(number, reason),
            Ok(LineKind::End) | Err(_) => self.block = None,
        }
    }

    fn begin(&mut self, line: usize, prefix: Prefix, node: u16, name: String) {
        self.drop_bare();
        if self.zones.len() == MAX_ZONES {
            self.refuse(line, format!("more than {MAX_ZONES} zones"));
        }
        self.zones.push(RawZone {
            line,
            node,
            name,
            ..RawZone::default()
        });
        self.prefix = prefix;
        self.block = Some(Block::Header);
        self.gap = false;
    }

    /// A header in the middle of a sentence has no rows, so it was not a zone.
    fn drop_bare(&mut self) {
        if !self.prefix.is_empty() && self.zones.last().is_some_and(RawZone::is_bare) {
            self.zones.pop();
        }
    }

    fn refuse(&mut self, line: usize, reason: String) {
        self.refusals.push(refuse(format!("line {line}"), reason));
        self.block = None;
    }
}

/// A header's node and zone name, or what is wrong with it.
type Header = Result<(u16, String), String>;

/// A header somewhere in a line, with the text before it.
fn headed(line: &str) -> Option<(Prefix, Header)> {
    let starts = line.match_indices("Node").chain(line.match_indices("node"));
    starts.into_iter().find_map(|(at, _)| {
        let before = &line[..at];
        let found = header(line[at..].trim_end())?;
        if before.trim().is_empty() {
            return Some((Prefix::default(), found));
        }
        let prefix = Prefix::of(before).filter(|_| found.is_ok())?;
        Some((prefix, found))
    })
}

/// `Node 0, zone      DMA` and at most a remark after it; in buddyinfo and pagetypeinfo the line continues. A
/// missing comma and a colon after the name are accepted.
fn header(line: &str) -> Option<Header> {
    let rest = line.strip_prefix("Node").or(line.strip_prefix("node"))?;
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let (node, rest) = match rest.split_once(',') {
        Some(parts) => parts,
        None => split_key(rest.trim())?,
    };
    let (word, rest) = split_key(rest.trim())?;
    if word != "zone" {
        return None;
    }
    let (name, remark) = split_key(rest).unwrap_or_default();
    let name = name.strip_suffix(':').unwrap_or(name);
    if name.is_empty() {
        return Some(Err("expected a zone name after \"zone\"".to_string()));
    }
    if !is_remark(remark) {
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

/// The line of a header, if the text ends before the header's zone name.
fn cut_header(text: &str) -> Option<usize> {
    if text.ends_with('\n') {
        return None;
    }
    let line = text.lines().next_back()?.trim_start();
    let begins = !line.is_empty() && ("Node".starts_with(line) || line.starts_with("Node "));
    let is_cut = begins && line.split_whitespace().count() < 4;
    is_cut.then(|| text.lines().count())
}
