//! The rows of a zone: the block of each row, and its value.
//!
//! Modelled: rows of both forms of the file; rows that no rule uses may be truncated.
//! Left out: the meaning of the rows.
//! Invariants: never panics; a known row that rules use is a whole number and appears once.

use super::{RawPageset, RawZone};
use crate::procfs::pasted::is_remark;

/// The maximum number of counters and unknown rows of one zone.
const MAX_ROWS: usize = 1000;
/// The maximum number of per-cpu lists of one zone.
const MAX_PAGESETS: usize = 8192;
/// Rows with one number, as the kernel names them.
const KNOWN: [&str; 19] = [
    "free",
    "boost",
    "min",
    "low",
    "high",
    "promo",
    "scanned",
    "node_scanned",
    "spanned",
    "present",
    "managed",
    "cma",
    "all_unreclaimable",
    "node_unreclaimable",
    "start_pfn",
    "inactive_ratio",
    "node_inactive_ratio",
    "prev_priority",
    "temp_priority",
];
/// Rows with one number after the per-cpu lists, whose names end in a colon.
const TAIL: std::ops::Range<usize> = 12..19;
/// Rows whose value no rule uses: they are not refused if they are truncated or unusual.
const UNUSED: [&str; 10] = [
    "scanned",
    "node_scanned",
    "promo",
    "cma",
    "all_unreclaimable",
    "node_unreclaimable",
    "inactive_ratio",
    "node_inactive_ratio",
    "prev_priority",
    "temp_priority",
];
/// Which block of a zone is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Block {
    /// Only the header so far.
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

/// The kind of a line inside a zone.
pub enum LineKind {
    /// A row.
    Taken,
    /// The zone ended before this line.
    End,
    /// Not a row of this file.
    Strange,
}

/// Whether a line can only be a row of this file.
pub fn is_structured(line: &str) -> bool {
    let Some((key, rest)) = split_key(line) else {
        return false;
    };
    let fixed = ["protection:", "cpu:", "count:", "high:", "batch:"];
    let is_known = KNOWN.iter().enumerate().any(|(index, known)| {
        let bare = key.strip_suffix(':').unwrap_or(key);
        bare == *known && index > 0 && key.ends_with(':') == TAIL.contains(&index)
    });
    is_known
        || fixed.contains(&key)
        || (key == "pagesets" && is_remark(rest))
        || matches!(
            (key, first_word(rest)),
            ("per-node", "stats") | ("pages", "free")
        )
        || (key == "vm" && rest.starts_with("stats threshold:"))
}

pub fn zone_line(zone: &mut RawZone, block: &mut Block, line: &str) -> Result<LineKind, String> {
    let Some((key, rest)) = split_key(line) else {
        return Ok(LineKind::End);
    };
    match (key, rest) {
        ("per-node", _) if first_word(rest) == "stats" => {
            zone.per_node = true;
            *block = Block::NodeCounters;
            return Ok(LineKind::Taken);
        }
        ("pagesets", _) if is_remark(rest) => {
            *block = Block::Pagesets;
            return Ok(LineKind::Taken);
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
        return Ok(LineKind::Taken);
    }
    if let Some(name) = known_row(*block, key) {
        *block = match TAIL.contains(&index_of(name)) {
            true => Block::Tail,
            false => Block::Pages,
        };
        return set_row(zone, name, rest);
    }
    // After a row of the tail only other rows of the tail follow; any other line belongs to another file.
    if *block == Block::Tail || is_empty_and_done(zone) {
        return Ok(LineKind::End);
    }
    set_counter(zone, *block, key, rest)
}

pub fn split_key(line: &str) -> Option<(&str, &str)> {
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

/// The known row that a key names in this block: keys of the pages block are single words, keys of the tail
/// end in a colon.
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

/// In the newer form an empty zone ends with its protection row.
fn is_empty_and_done(zone: &RawZone) -> bool {
    zone.protection.is_some() && zone.counters.is_empty() && zone.row("present") == Some(0)
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    let word = first_word(text);
    // A remark may follow without a space, and the text may have been set in bold.
    let word = word.split(['#', '/', ';', '<', '(']).next().unwrap_or(word);
    let word = word.trim_matches(['*', '`']).trim_end_matches(',');
    let digits = ungrouped(word).unwrap_or_else(|| word.to_string());
    digits.parse().map_err(|_| {
        if word.is_empty() {
            format!("expected a number after \"{name}\"; the text is cut off here")
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("{:?} is too large for \"{name}\"", shorten(word))
        } else {
            format!(
                "expected a whole number after \"{name}\", found {:?}",
                shorten(word)
            )
        }
    })
}

/// A number without thousands separators; none if the text is not such a number.
fn ungrouped(word: &str) -> Option<String> {
    let separator = word.chars().find(|c| matches!(c, ',' | '\'' | '_' | '’'))?;
    let mut groups = word.split(separator);
    let is_number = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups
        .next()
        .filter(|first| (1..=3).contains(&first.len()))?;
    let fits = is_number(first) && groups.all(|group| group.len() == 3 && is_number(group));
    fits.then(|| word.replace(separator, ""))
}

fn set_row(zone: &mut RawZone, name: &'static str, text: &str) -> Result<LineKind, String> {
    let is_used = !UNUSED.contains(&name);
    let value = match number(name, text) {
        Ok(value) => value,
        Err(reason) if is_used => return Err(reason),
        Err(_) => return Ok(LineKind::Taken),
    };
    let more = text.split_whitespace().nth(1).unwrap_or("");
    // Words after the number are a remark; another number is not.
    if is_used && more.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("expected one number after \"{name}\""));
    }
    if zone.rows.insert(name, value).is_some() && is_used {
        return Err(format!("a second row \"{name}\" in one zone"));
    }
    Ok(LineKind::Taken)
}

fn set_protection(zone: &mut RawZone, text: &str) -> Result<LineKind, String> {
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map(|(inner, _)| inner)
        .ok_or(
            "expected \"protection: (\", numbers and \")\"; the line is cut off or was changed",
        )?;
    let values: Result<Vec<u64>, String> = inner
        .split(',')
        .map(|word| number("protection", word))
        .collect();
    let values = values?;
    if values.len() > 6 {
        return Err(format!(
            "{} protection values; kernels have at most 6 zone types",
            values.len()
        ));
    }
    if zone.protection.replace(values).is_some() {
        return Err("a second row \"protection\" in one zone".to_string());
    }
    Ok(LineKind::Taken)
}

fn add_pageset(zone: &mut RawZone, text: &str) -> Result<LineKind, String> {
    // Kernels before 2.6.25 print "cpu: 0 pcp: 0", with separate hot and cold lists.
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
    Ok(LineKind::Taken)
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

fn set_threshold(zone: &mut RawZone, text: &str) -> Result<LineKind, String> {
    let value = number("vm stats threshold:", text)?;
    if let Some(pageset) = zone.pagesets.last_mut() {
        pageset.stat_threshold = Some(value);
    }
    Ok(LineKind::Taken)
}

/// A counter or an unknown row: a name and a number.
fn set_counter(
    zone: &mut RawZone,
    block: Block,
    key: &str,
    rest: &str,
) -> Result<LineKind, String> {
    if matches!(key, "count:" | "high:" | "batch:") {
        // A row of a per-cpu list whose header is missing, for example because of grep.
        return Ok(LineKind::Taken);
    }
    let name = key.strip_suffix(':').unwrap_or(key);
    let is_name = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.bytes().any(|b| b.is_ascii_alphabetic());
    let remark = rest
        .split_once([' ', '\t'])
        .map_or("", |(_, more)| more.trim());
    if !is_name || !is_remark(remark) {
        return Ok(LineKind::Strange);
    }
    if !rest.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
        // A known counter without its number was truncated, and no rule needs it. Any other single word is
        // not a row.
        let known = ["nr_", "numa_", "workingset_"];
        let is_cut = rest.is_empty() && known.iter().any(|prefix| name.starts_with(prefix));
        return Ok(if is_cut {
            LineKind::Taken
        } else {
            LineKind::Strange
        });
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
    Ok(LineKind::Taken)
}

pub fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}
