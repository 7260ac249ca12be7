//! The form in which a record leaves the engine: one row of numbers.

use super::{FIELDS, NO_FUNCTION, Record, RecordKind};

use crate::view::{FieldKind, RecordRow};
use crate::world::World;
use facts::index::{FrameIndex, NodeIndex, ZoneIndex};

/// Number of values before the fields of a row: the row's length, the step right after the record,
/// time in ns, task, CPU, function, kind, zone.
pub const HEAD: usize = 8;
/// Stands for no page, no zone or no function: the largest integer that JavaScript represents exactly.
pub const NOTHING: i64 = (1 << 53) - 1;

/// The subject of a record, with which filters compare.
pub struct About {
    /// The last zone among the fields, or the zone of the page.
    pub zone: i64,
    /// The last page frame number among the fields.
    pub page: i64,
    /// Order of the block at that page.
    pub order: u32,
}

/// The row of a record: its head, then its fields in order; pages are given as page frame numbers.
pub fn row(w: &World, r: &Record) -> RecordRow {
    let mut out = RecordRow::with_capacity(HEAD + r.values.len());
    write(w, r, &mut out);
    out
}

/// Adds the row of a record and returns its subject.
pub fn write(w: &World, r: &Record, out: &mut Vec<i64>) -> About {
    let function = match r.function {
        NO_FUNCTION => NOTHING,
        function => function.into(),
    };
    let start = out.len();
    out.extend([
        (HEAD + r.values.len()) as i64,
        r.step as i64 + 1,
        r.time_ns as i64,
        r.task.get().into(),
        r.cpu.get().into(),
        function,
        r.kind as i64,
        NOTHING,
    ]);
    let mut about = About {
        zone: NOTHING,
        page: NOTHING,
        order: order(r),
    };
    let mut values = r.values.iter().copied();
    for &field in FIELDS[r.kind as usize] {
        let value = values.next().unwrap_or(0);
        match field {
            FieldKind::Page => out.push(about.page(w, value)),
            FieldKind::Zone => {
                about.zone = value;
                out.push(value);
            }
            FieldKind::Node => out.push(node_id(w, value)),
            // The lists of a node have no zone type.
            FieldKind::ZoneType if value == i64::from(u8::MAX) => out.push(NOTHING),
            FieldKind::Outcomes => {
                out.push(value);
                while let (Some(page), Some(outcome)) = (values.next(), values.next()) {
                    out.extend([pfn(w, page), outcome]);
                }
            }
            _ => out.push(value),
        }
    }
    out[start + HEAD - 1] = about.zone;
    about
}

impl About {
    /// Converts a page field, which may hold no page, and stores the page as the subject.
    fn page(&mut self, w: &World, frame: i64) -> i64 {
        let page = pfn(w, frame);
        if page != NOTHING {
            self.zone = w.mem.pages[frame_of(frame)].zone().get().into();
            self.page = page;
        }
        page
    }
}

/// The machine's number of a node; a value that is not a node is returned unchanged.
pub fn node_id(w: &World, node: i64) -> i64 {
    let known = u8::try_from(node).ok().map(NodeIndex::new);
    let known = known.filter(|&node| node.index() < w.facts.layout.nodes.len());
    known.map_or(node, |node| w.node_id(node).into())
}

/// The page frame that a number stands for.
const fn frame_of(number: i64) -> FrameIndex {
    FrameIndex::new(number as u32)
}

fn pfn(w: &World, frame: i64) -> i64 {
    let frame = frame_of(frame).known();
    frame.map_or(NOTHING, |frame| w.mem.pfn(frame) as i64)
}

/// The order of the block that an event is about.
fn order(r: &Record) -> u32 {
    let of = match r.kind {
        RecordKind::MmPageAllocExtfrag => "fallback_order",
        kind if kind.is_decision() => return 0,
        _ => "order",
    };
    let names = super::NAMES[r.kind as usize].iter();
    let order = names.zip(&r.values).find(|&(&name, _)| name == of);
    order.map_or(0, |(_, &order)| order as u32)
}

/// The text of a record's field as conditions compare it: page frames by number, zones by key.
/// `None` if the record has no such field.
pub fn field_text(w: &World, r: &Record, name: &str) -> Option<String> {
    let names = super::NAMES[r.kind as usize];
    let at = names.iter().position(|&field| field == name)?;
    let value = *r.values.get(at)?;
    let zone = ZoneIndex::new(value as u8);
    Some(match FIELDS[r.kind as usize][at] {
        FieldKind::Page if !frame_of(value).is_none() => pfn(w, value).to_string(),
        FieldKind::Zone if w.mem.zones.at(zone).is_some() => w.zone_key(zone),
        FieldKind::Node => node_id(w, value).to_string(),
        FieldKind::Migratetype => crate::show::type_name(w, value as u8).to_string(),
        _ => value.to_string(),
    })
}
