//! The details of an event as fields of a record.
//!
//! Modelled: nothing beyond the table. Left out: details that are not a list of values (`print`).
//! Invariants: a field that the text lacks is [`NOTHING`], never 0; additional pairs are stored
//! under their keys.

use mm::page_writeback::FLUSH_REASONS;
use mm::record::{FIELDS, NAMES, RecordKind};
use mm::view::FieldKind;
use mm::vmscan::LRU_NAMES;

use crate::NOTHING;
use crate::form::{Form, How, Placeholder};
use crate::pairs::{Pairs, cut, number};
use crate::words::{THROTTLES, read_gfp};

/// A task that an event names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// The field of the record.
    pub field: usize,
    /// The name of the task, if it is printed.
    pub comm: Option<&'a str>,
    /// Its process id.
    pub pid: Option<u64>,
}

/// The fields of a record, as in the text.
#[derive(Debug, Default)]
pub struct Fields<'a> {
    /// The fields in order. Migrate types and gfp flags are not converted to the engine's yet: see
    /// [`to_engine`]. A zone is (node << 8) + the number of its type.
    pub values: Vec<i64>,
    /// Tasks, by their fields.
    pub tasks: Vec<Named<'a>>,
    /// The pairs that match no field.
    pub left: Vec<usize>,
    /// The gfp flags as printed.
    pub gfp: Option<&'a str>,
    /// Whether the text has exactly the fields of the form.
    pub is_exact: bool,
}

/// Names of zone types, in the kernel's order; a reader adds the types that it finds.
pub trait ZoneTypes {
    /// The number of a type.
    fn number(&mut self, name: &str) -> i64;
}

impl ZoneTypes for &[String] {
    fn number(&mut self, name: &str) -> i64 {
        self.iter()
            .position(|known| known == name)
            .map_or(NOTHING, |at| at as i64)
    }
}

/// The mismatch of a form: the number of placeholders that only the form or only the text has.
fn misfit(form: &Form, pairs: &Pairs<'_>) -> usize {
    let (mut lacks, mut near) = (0, 0);
    let mut placeholders = 0;
    for placeholder in form
        .placeholders()
        .filter(|placeholder| placeholder.how != How::Address)
    {
        placeholders += 1;
        match pairs.get(placeholder.key, near) {
            Some((at, _)) => near = at + 1,
            None => lacks += 1,
        }
    }
    let known = pairs
        .all
        .iter()
        .filter(|(key, _)| key != "page" && key != "folio");
    lacks + (known.count() + lacks).saturating_sub(placeholders)
}

/// The form that fits best.
pub fn best(forms: &[&'static Form], pairs: &Pairs<'_>) -> Option<&'static Form> {
    match forms {
        [] => None,
        [only] => Some(only),
        _ => forms.iter().copied().min_by_key(|form| misfit(form, pairs)),
    }
}

/// Reads the fields of a record by a form of the table.
///
/// # Errors
/// The wrong field, and the reason.
pub fn fields<'a>(
    form: &Form,
    pairs: &Pairs<'a>,
    zones: &mut dyn ZoneTypes,
) -> Result<Fields<'a>, String> {
    let kind = form.point.kind as usize;
    let mut out = Fields {
        values: vec![NOTHING; FIELDS[kind].len()],
        ..Fields::default()
    };
    let mut used = vec![false; pairs.all.len()];
    let (mut near, mut lacks, mut placeholders) = (0, 0, 0);
    let mut has_page = true;
    for placeholder in form.placeholders() {
        let Some((at, text)) = pairs.get(placeholder.key, near) else {
            let is_optional = matches!(placeholder.how, How::Address | How::Comm);
            lacks += usize::from(!is_optional);
            placeholders += usize::from(!is_optional);
            continue;
        };
        near = at + 1;
        placeholders += 1;
        if placeholder.how == How::Address {
            has_page = text
                .trim_start_matches("0x")
                .bytes()
                .any(|byte| byte != b'0');
            continue;
        }
        let read = out.placeholder(form.point.kind, placeholder, text, has_page, pairs, zones);
        used[at] =
            read.ok_or_else(|| format!("{}: {} is no valid value", placeholder.key, cut(text)))?;
    }
    if !pairs.left.is_empty() {
        return Err(format!(
            "it ends in the middle of a field: {}",
            cut(pairs.left)
        ));
    }
    if lacks * 2 > placeholders {
        return Err(format!(
            "it lacks most of the fields of {}",
            form.point.name
        ));
    }
    let is_page = |at: usize| matches!(&*pairs.all[at].0, "page" | "folio");
    out.left = (0..used.len())
        .filter(|&at| !used[at] && !is_page(at))
        .collect();
    let keys = pairs
        .all
        .iter()
        .filter(|(key, _)| key != "page")
        .map(|(key, _)| &**key);
    let wanted = form
        .placeholders()
        .filter(|placeholder| placeholder.how != How::Address);
    out.is_exact = keys.eq(wanted.map(|placeholder| placeholder.key));
    Ok(out)
}

impl<'a> Fields<'a> {
    /// Reads the value of a placeholder; none if it is not valid, false if it is not a field of the
    /// record.
    fn placeholder(
        &mut self,
        kind: RecordKind,
        placeholder: &Placeholder,
        text: &'a str,
        has_page: bool,
        pairs: &Pairs<'_>,
        zones: &mut dyn ZoneTypes,
    ) -> Option<bool> {
        let before = self
            .values
            .get(placeholder.field)
            .copied()
            .unwrap_or(NOTHING);
        let value = match placeholder.how {
            // A count that is too large for the page is stored as text.
            How::Plain(FieldKind::Count) if is_large(text) => return Some(false),
            How::Plain(of) => plain(of, text, has_page, self, pairs)?,
            How::Node => zone(node(text)?, before),
            How::Index => zone_index(pairs, number(text).filter(|n| (0..256).contains(n))?),
            How::Zone => match (zones.number(text), before) {
                (NOTHING, _) | (_, NOTHING) => before,
                (index, node) => (node & !0xff) + (index & 0xff),
            },
            How::Lru => LRU_NAMES.iter().position(|&name| name == text)? as i64,
            How::Mode => match number(text)? {
                2 => 1,
                mode => {
                    self.values[placeholder.field] = 0;
                    return Some(mode != 1);
                }
            },
            How::Kind | How::Reclaim | How::Mixed => {
                flags_of(kind, text, placeholder.how, &mut self.values);
                return Some(true);
            }
            How::Anon | How::OfFile if before == NOTHING => number(text)?,
            How::Anon | How::OfFile => before + number(text)?,
            How::Throttle => match THROTTLES.iter().position(|&name| name == text) {
                Some(at) => at as i64,
                None => number(text)?,
            },
            How::Flush => match FLUSH_REASONS.iter().position(|&name| name == text) {
                Some(at) => at as i64,
                // The engine has no flusher with this reason.
                None => return Some(false),
            },
            How::Comm => {
                name_task(&mut self.tasks, placeholder.field, text, None);
                return Some(true);
            }
            How::Pid => {
                name_task(
                    &mut self.tasks,
                    placeholder.field,
                    text,
                    Some(number(text)?),
                );
                return Some(true);
            }
            How::Address
            | How::File
            | How::Active
            | How::Fragmenting
            | How::PageblockOrder
            | How::Classzone
            | How::WmarkCheck
            | How::Always(_) => return Some(false),
        };
        self.values[placeholder.field] = value;
        Some(true)
    }
}

/// A 64-bit integer that the page cannot represent exactly.
fn is_large(text: &str) -> bool {
    number(text).is_none() && text.parse::<u64>().is_ok()
}

fn node(text: &str) -> Option<i64> {
    number(text).filter(|node| (0..1 << 20).contains(node))
}

fn zone(node: i64, value: i64) -> i64 {
    let index = if value == NOTHING { 0 } else { value & 0xff };
    (node << 8) + index
}

/// A zone that is printed as its node and the number of its type.
fn zone_index(pairs: &Pairs<'_>, index: i64) -> i64 {
    let node = pairs.get("nid", 0).and_then(|(_, text)| node(text));
    zone(node.unwrap_or(0), 0) + index
}

fn plain<'a>(
    kind: FieldKind,
    text: &'a str,
    has_page: bool,
    out: &mut Fields<'a>,
    pairs: &Pairs<'_>,
) -> Option<i64> {
    match kind {
        FieldKind::Gfp => {
            out.gfp = Some(text);
            read_gfp(text)
        }
        FieldKind::Page => {
            let has_address = pairs.get("page", 0).is_some();
            match number(text) {
                Some(0) if has_address && !has_page => Some(NOTHING),
                Some(n) if n >= 0 => Some(n),
                // No page, as an unsigned -1.
                _ if text == u64::MAX.to_string() || text == "0xffffffffffffffff" => Some(NOTHING),
                _ => None,
            }
        }
        _ => number(text),
    }
}

/// Sets the meanings of the reclaim flags: file pages, and waiting for writes.
fn flags_of(kind: RecordKind, text: &str, how: How, values: &mut [i64]) {
    let names = NAMES[kind as usize];
    let mut set = |name: &str, value: i64| {
        if let Some(at) = names.iter().position(|&field| field == name) {
            values[at] = value;
        }
    };
    if !text.contains("MIXED") {
        set("file", i64::from(text.contains("RECLAIM_WB_FILE")));
    }
    if how != How::Kind {
        set("sync", i64::from(text.contains("RECLAIM_WB_SYNC")));
    }
}

fn name_task<'a>(tasks: &mut Vec<Named<'a>>, field: usize, text: &'a str, pid: Option<i64>) {
    let at = tasks.iter().position(|task| task.field == field);
    let at = at.unwrap_or_else(|| {
        tasks.push(Named {
            field,
            comm: None,
            pid: None,
        });
        tasks.len() - 1
    });
    match pid {
        Some(pid) => tasks[at].pid = u64::try_from(pid).ok(),
        None => tasks[at].comm = Some(text),
    }
}

/// Reads the fields of an event that only the engine has, as its printer writes them.
///
/// # Errors
/// The wrong field, and the reason.
pub fn own(
    kind: RecordKind,
    pairs: &Pairs<'_>,
    zones: &mut dyn ZoneTypes,
) -> Result<Vec<i64>, String> {
    let (names, kinds) = (NAMES[kind as usize], FIELDS[kind as usize]);
    let mut out = Vec::with_capacity(names.len());
    for (name, field) in names.iter().zip(kinds) {
        let key = if *field == FieldKind::Page {
            "pfn"
        } else {
            name
        };
        let found = pairs.get(key, out.len());
        let text = match found {
            Some((_, text)) => text,
            None if *field == FieldKind::Page => {
                out.push(NOTHING);
                continue;
            }
            None => return Err(format!("it lacks the field {name}")),
        };
        let value = match field {
            FieldKind::Gfp => read_gfp(text),
            FieldKind::Zone => text.split_once('-').and_then(|(node, name)| {
                let node = number(node).filter(|node| (0..1 << 20).contains(node))?;
                Some(zone(node, 0) + (zones.number(name) & 0xff))
            }),
            _ => number(text),
        };
        out.push(value.ok_or_else(|| format!("{name}: {} is no valid value", cut(text)))?);
    }
    Ok(out)
}

/// Converts migrate types and gfp flags of an era to the engine's.
pub fn to_engine(field: FieldKind, value: i64, is_old: bool) -> i64 {
    match field {
        _ if value == NOTHING || !is_old => value,
        // Reclaimable and movable changed places in 3.19.
        FieldKind::Migratetype if value == 1 || value == 2 => 3 - value,
        FieldKind::Gfp => crate::words::old_gfp(value),
        _ => value,
    }
}
