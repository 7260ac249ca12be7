//! Reads the rows of the memory state: nodes, zones, their reserves and free blocks, pools of huge pages.

use facts::arch::ZoneType;

use crate::report::pairs::{after, is_rest, leading, read};
use crate::report::{At, BlockRow, HugeRow, NodeRow, Report, ZoneRow};

/// The maximum number of zones in a report: 1024 nodes with 6 zone types.
const MAX_ZONES: usize = 1024 * 6;
/// The maximum number of orders of a zone.
const MAX_ORDERS: usize = 32;
/// The maximum number of zone types.
const MAX_TYPES: usize = 8;

/// The row that a wrapped line continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Open {
    /// No row.
    #[default]
    Nothing,
    /// The row of the last node.
    Node,
    /// The row of the last zone.
    Zone,
    /// The free blocks of the zone with this index.
    Blocks(usize),
    /// The totals.
    Totals,
    /// The reserves of the last zone.
    Reserve,
}

/// Reads a row of the state. False if the row does not belong to the state.
pub fn state(report: &mut Report, open: &mut Open, row: &str, line: usize) -> Result<bool, String> {
    if let Some(rest) = row.strip_prefix("Node ") {
        return node(report, open, rest, line);
    }
    // Kernels without CONFIG_NUMA print no node.
    if is_zone_first(row) {
        return zone(report, open, 0, row, line);
    }
    if let Some(rest) = row.strip_prefix("lowmem_reserve[]:") {
        if report.zones.is_empty() {
            return Ok(false);
        }
        *open = Open::Reserve;
        return reserve(report, rest).map(|()| true);
    }
    if row.starts_with("active_anon:") && row.contains("inactive_anon:") && !row.contains("kB") {
        *open = Open::Totals;
        read(row, line, false, &mut report.totals)?;
        return Ok(true);
    }
    if counts(report, row, line) {
        *open = Open::Nothing;
        return Ok(true);
    }
    continued(report, open, row, line)
}

/// The rest of a row that continues on the next line.
fn continued(report: &mut Report, open: &Open, row: &str, line: usize) -> Result<bool, String> {
    match *open {
        Open::Totals if row.contains(':') && !row.contains("kB") => {
            let before = report.totals.len();
            read(row, line, false, &mut report.totals)?;
            Ok(report.totals.len() > before)
        }
        Open::Node if is_rest(row) => match report.nodes.last_mut() {
            Some(node) => {
                node.unreclaimable |= row.contains("all_unreclaimable? yes");
                read(row, line, true, &mut node.values).map(|()| true)
            }
            None => Ok(false),
        },
        Open::Zone if is_rest(row) => match report.zones.last_mut() {
            Some(zone) => read(row, line, true, &mut zone.values).map(|()| true),
            None => Ok(false),
        },
        Open::Reserve
            if row
                .split_whitespace()
                .all(|word| word.parse::<u64>().is_ok()) =>
        {
            reserve(report, row).map(|()| true)
        }
        Open::Blocks(index) if is_blocks(row) => match report.zones.get_mut(index) {
            Some(zone) => blocks(zone, row).map(|()| true),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}

/// The text after `Node `.
fn node(report: &mut Report, open: &mut Open, rest: &str, line: usize) -> Result<bool, String> {
    let Some((node, rest)) = leading(rest) else {
        return Ok(false);
    };
    let Ok(node) = u16::try_from(node) else {
        return Err(format!("node {node} does not exist in any kernel"));
    };
    let rest = rest.trim_start();
    if rest.starts_with("hugepages_total=") {
        return Ok(huge(report, rest, line));
    }
    let (word, more) = rest.split_once(' ').unwrap_or((rest, ""));
    if word.starts_with("active_anon:") {
        let mut row = NodeRow {
            line,
            node,
            unreclaimable: rest.contains("all_unreclaimable? yes"),
            ..NodeRow::default()
        };
        read(rest, line, true, &mut row.values)?;
        report.nodes.push(row);
        *open = Open::Node;
        return Ok(true);
    }
    report.lists_per_cpu |= more.contains("per-cpu:");
    zone(report, open, node, rest, line)
}

/// Whether a row begins with the name of a zone and has its values or blocks.
fn is_zone_first(row: &str) -> bool {
    let (word, more) = row.split_once(' ').unwrap_or((row, ""));
    let name = word.strip_suffix(':').unwrap_or(word);
    let is_name = ZoneType::ALL.iter().any(|kind| kind.name() == name);
    is_name && (name != word || more.starts_with("free:"))
}

/// The values or the free blocks of a zone, from its name on.
fn zone(
    report: &mut Report,
    open: &mut Open,
    node: u16,
    row: &str,
    line: usize,
) -> Result<bool, String> {
    let (word, more) = row.split_once(' ').unwrap_or((row, ""));
    if let Some(name) = word.strip_suffix(':') {
        return block_row(report, open, node, name, more);
    }
    let is_name = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    if !is_name || !more.trim_start().starts_with("free:") {
        return Ok(false);
    }
    if report.zones.len() >= MAX_ZONES {
        return Err(format!("one report has more than {MAX_ZONES} zones"));
    }
    let mut zone = ZoneRow {
        line,
        node,
        name: word.chars().take(16).collect(),
        ..ZoneRow::default()
    };
    let read = read(more, line, true, &mut zone.values);
    report.zones.push(zone);
    *open = Open::Zone;
    read.map(|()| true)
}

/// Numbers of `lowmem_reserve[]`, of which some kernels print one per line.
fn reserve(report: &mut Report, row: &str) -> Result<(), String> {
    let Some(zone) = report.zones.last_mut() else {
        return Ok(());
    };
    let reserve = zone.reserve.get_or_insert_default();
    for word in row.split_whitespace().take(MAX_TYPES) {
        let number = word.parse();
        reserve.push(number.map_err(|_| "lowmem_reserve contains a word that is not a number")?);
    }
    Ok(())
}

/// `Node 0 DMA: 1*4kB (U) 2*8kB (UM) ... = 1860kB`.
fn block_row(
    report: &mut Report,
    open: &mut Open,
    node: u16,
    name: &str,
    row: &str,
) -> Result<bool, String> {
    let of = |zone: &ZoneRow| zone.node == node && zone.name == name;
    let Some(index) = report.zones.iter().position(of) else {
        return Ok(false);
    };
    // Some kernels print the entry of each order on a separate line.
    if !is_blocks(row) && !row.trim().is_empty() {
        return Ok(false);
    }
    *open = Open::Blocks(index);
    blocks(&mut report.zones[index], row).map(|()| true)
}

fn is_blocks(row: &str) -> bool {
    let first = row.split_whitespace().next().unwrap_or_default();
    let first_is_block = leading(first).is_some_and(|(_, rest)| rest.starts_with('*'));
    first_is_block || first.starts_with('(')
}

fn blocks(zone: &mut ZoneRow, row: &str) -> Result<(), String> {
    let has_letters = row.contains('(');
    for word in row.split_whitespace().take_while(|word| *word != "=") {
        if let Some(letters) = word.strip_prefix('(') {
            let letters = letters.trim_end_matches(')');
            if let Some(last) = zone.blocks.last_mut() {
                last.types = Some(letters.chars().take(8).collect());
            }
            continue;
        }
        let found = leading(word).and_then(|(count, rest)| {
            let (size_kb, unit) = leading(rest.strip_prefix('*')?)?;
            (unit.eq_ignore_ascii_case("kb")).then_some((count, size_kb))
        });
        let Some((count, size_kb)) = found else {
            return Err(
                "a row of free blocks is cut off or contains an unexpected word".to_string(),
            );
        };
        if zone.blocks.len() >= MAX_ORDERS {
            return Err(format!("a zone has more than {MAX_ORDERS} orders"));
        }
        zone.blocks.push(BlockRow {
            count,
            size_kb,
            types: None,
        });
    }
    // If a row has letters, its orders without free blocks have none.
    let any = has_letters || zone.blocks.iter().any(|block| block.types.is_some());
    for block in zone.blocks.iter_mut().filter(|_| any) {
        if block.count == 0 {
            block.types.get_or_insert_default();
        }
    }
    Ok(())
}

fn huge(report: &mut Report, row: &str, line: usize) -> bool {
    let number = |name| after(row, name).map(|(value, _)| value);
    let found = (
        number("hugepages_total="),
        number("hugepages_free="),
        number("hugepages_size="),
    );
    if let (Some(total), Some(free), Some(size_kb)) = found {
        report.huge.push(HugeRow {
            line,
            total,
            free,
            size_kb,
        });
    }
    true
}

/// Rows with one number: `130936 pages RAM`, `Free swap  = 0kB`.
fn counts(report: &mut Report, row: &str, line: usize) -> bool {
    const AFTER: [(&str, &str); 6] = [
        (" total pagecache pages", "total pagecache pages"),
        (" pages in swap cache", "pages in swap cache"),
        (" pages RAM", "pages RAM"),
        (" pages reserved", "pages reserved"),
        (" reserved pages", "pages reserved"),
        (" pages hwpoisoned", "pages hwpoisoned"),
    ];
    const BEFORE: [(&str, &str); 2] = [("Free swap", "Free swap"), ("Total swap", "Total swap")];
    let found = AFTER.iter().find_map(|&(text, name)| {
        let number = row.strip_suffix(text)?;
        Some((name, number.parse().ok()?))
    });
    let found = found.or_else(|| {
        BEFORE.iter().find_map(|&(text, name)| {
            let rest = row.strip_prefix(text)?.trim_start().strip_prefix('=')?;
            Some((name, leading(rest.trim_start())?.0))
        })
    });
    let Some((name, value)) = found else {
        return false;
    };
    let at = At { value, line };
    report.counts.entry(name.to_string()).or_insert(at);
    true
}
