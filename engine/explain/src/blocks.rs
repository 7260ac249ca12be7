//! Free blocks by order from `/proc/buddyinfo` and `/proc/pagetypeinfo`.
//!
//! Modelled: both files, alone or inside a longer text.
//! Left out: the table of pageblocks; the exact number of blocks that pagetypeinfo prints as `>100000`.
//! Invariants: never panics; a truncated row gives no blocks.

use std::collections::BTreeMap;

use crate::document::Blocks;
use crate::lines::body;
use crate::report::pairs::leading;

/// The maximum number of orders in a row.
const MAX_ORDERS: usize = 32;
/// The maximum number of zones in a listing.
const MAX_ZONES: usize = 1024 * 6;

/// One listing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The number of its first line, from 1.
    pub line: usize,
    /// By node and zone: the line number of the row, and the blocks.
    pub zones: BTreeMap<(u16, String), (usize, Vec<Blocks>)>,
    /// Whether the listing is from `/proc/pagetypeinfo`.
    pub by_type: bool,
}

/// All listings of a text, in order.
pub fn read(text: &str) -> Vec<Listing> {
    let mut found: Vec<Listing> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let Some(row) = row(&body(raw)) else {
            continue;
        };
        let line = index + 1;
        let fits = found.last().is_some_and(|last| {
            let is_new = !last.zones.contains_key(&row.zone);
            let is_next_type = row.letter.is_some_and(|letter| {
                let blocks = last.zones.get(&row.zone);
                blocks.is_some_and(|(_, blocks)| !blocks.iter().any(|b| b.types.contains(letter)))
            });
            last.by_type == row.letter.is_some() && (is_new || is_next_type)
        });
        if !fits {
            found.push(Listing {
                line,
                by_type: row.letter.is_some(),
                ..Listing::default()
            });
        }
        if let Some(last) = found.last_mut().filter(|l| l.zones.len() < MAX_ZONES) {
            add(last, row, line);
        }
    }
    found
}

struct BlocksLine {
    zone: (u16, String),
    letter: Option<char>,
    counts: Vec<u64>,
}

fn add(listing: &mut Listing, row: BlocksLine, line: usize) {
    let (_, blocks) = listing
        .zones
        .entry(row.zone)
        .or_insert_with(|| (line, Vec::new()));
    for (order, count) in (0u8..).zip(&row.counts) {
        let at = usize::from(order);
        if blocks.len() <= at {
            blocks.push(Blocks {
                order,
                count: 0,
                types: String::new(),
            });
        }
        blocks[at].count = blocks[at].count.saturating_add(*count);
        if let Some(letter) = row.letter.filter(|_| *count > 0) {
            blocks[at].types.push(letter);
        }
    }
}

/// `Node 0, zone DMA 3 0 2 ...` or `Node 0, zone DMA, type Unmovable 3 0 2 ...`.
fn row(text: &str) -> Option<BlocksLine> {
    let at = text.find("Node ")?;
    let (node, rest) = leading(text[at + "Node ".len()..].trim_start())?;
    let rest = rest.strip_prefix(',')?.trim_start();
    let mut words = rest.strip_prefix("zone")?.split_whitespace();
    let name = words.next()?;
    let (name, letter) = match name.strip_suffix(',') {
        Some(name) if words.next() == Some("type") => (name, Some(letter(words.next()?)?)),
        Some(_) => return None,
        None => (name, None),
    };
    let count = |word: &str| word.trim_start_matches('>').parse::<u64>().ok();
    let mut counts: Vec<u64> = Vec::new();
    // In pagetypeinfo a space may separate the `>` from its number.
    for word in words.filter(|word| *word != ">").take(MAX_ORDERS) {
        counts.push(count(word)?);
    }
    let zone = (u16::try_from(node).ok()?, name.chars().take(16).collect());
    // The table of pageblocks has as many numbers as there are migrate types; every kernel has more orders.
    (counts.len() > 6).then_some(BlocksLine {
        zone,
        letter,
        counts,
    })
}

fn letter(name: &str) -> Option<char> {
    Some(match name {
        "Unmovable" => 'U',
        "Movable" => 'M',
        "Reclaimable" => 'E',
        "HighAtomic" => 'H',
        "Reserve" => 'R',
        "CMA" => 'C',
        "Isolate" => 'I',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_files_and_adds_up_the_types() {
        let text = "Node 0, zone      DMA      3      0      2      1      3      2      2      1      0      1      3 \n\
            Node    0, zone   Normal, type    Unmovable      1      0      2      1      3      2      2      1      0      1      3 \n\
            Node    0, zone   Normal, type      Movable >100000      5      0      0      0      0      0      0      0      0      0 \n\
            Node 0, zone   Normal            2           7            0 \n";
        let found = read(text);
        assert_eq!(found.len(), 2);
        let dma = &found[0].zones[&(0, "DMA".to_string())];
        assert_eq!(dma.0, 1);
        assert_eq!(dma.1.iter().map(|b| b.count).sum::<u64>(), 18);
        let normal = &found[1].zones[&(0, "Normal".to_string())].1;
        assert_eq!((normal[0].count, normal[0].types.as_str()), (100_001, "UM"));
        assert_eq!((normal[1].count, normal[1].types.as_str()), (5, "M"));
        assert_eq!(read(&text.repeat(2)).len(), 4);
    }
}
