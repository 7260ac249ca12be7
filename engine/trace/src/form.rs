//! The parsed templates of the table, for the printer and the reader.
//!
//! Modelled: nothing of a kernel. Left out: nothing. Invariants: every placeholder follows `key=`;
//! a field that a template names exists. A test parses all templates.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use mm::record::{ALL, FIELDS, NAMES, RecordKind};
use mm::view::FieldKind;

use crate::dialect::Dialect;
use crate::table::{TRACEPOINTS, Tracepoint};

/// How a value is printed: see the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Plain(FieldKind),
    Address,
    Node,
    Index,
    Zone,
    Lru,
    File,
    Mode,
    Kind,
    Reclaim,
    Mixed,
    Anon,
    OfFile,
    Active,
    Throttle,
    Flush,
    Comm,
    Pid,
    Fragmenting,
    PageblockOrder,
    Classzone,
    WmarkCheck,
    Always(&'static str),
}

/// A placeholder of a template.
#[derive(Debug, Clone, Copy)]
pub struct Placeholder {
    /// The text before the equals sign.
    pub key: &'static str,
    /// The index of the field among those of the record; 0 if it has none.
    pub field: usize,
    /// How it is printed.
    pub how: How,
}

/// A segment of a template.
#[derive(Debug, Clone, Copy)]
pub enum Segment {
    /// Printed as it is.
    Text(&'static str),
    /// A value.
    Placeholder(Placeholder),
}

/// A tracepoint with its parsed template.
#[derive(Debug)]
pub struct Form {
    /// The line of the table.
    pub point: &'static Tracepoint,
    /// Text and placeholders, in order.
    pub segments: Vec<Segment>,
}

impl Form {
    /// The placeholders, in order.
    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Placeholder(placeholder) => Some(placeholder),
            Segment::Text(_) => None,
        })
    }
}

/// All forms, in the order of the table.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| TRACEPOINTS.iter().map(take_apart).collect());
/// The forms of each name of an event.
static BY_NAME: LazyLock<BTreeMap<&'static str, Vec<&'static Form>>> = LazyLock::new(|| {
    let mut all: BTreeMap<&'static str, Vec<&'static Form>> = BTreeMap::new();
    for form in FORMS.iter() {
        all.entry(form.point.name).or_default().push(form);
    }
    all
});
/// The forms of each kind of record.
static BY_KIND: LazyLock<Vec<Vec<&'static Form>>> = LazyLock::new(|| {
    let mut all = vec![Vec::new(); ALL.len()];
    for form in FORMS.iter() {
        all[form.point.kind as usize].push(form);
    }
    all
});

/// The forms of an event, oldest first; none if the table lacks it.
pub fn named(name: &str) -> &'static [&'static Form] {
    BY_NAME.get(name).map_or(&[], Vec::as_slice)
}

/// The form in which a kernel prints a record; none if the kernel has no such tracepoint.
pub fn printed(kind: RecordKind, d: &Dialect) -> Option<&'static Form> {
    let forms = BY_KIND[kind as usize].iter().copied();
    let mut forms = forms.filter(|form| (form.point.since..=form.point.until).contains(&d.era));
    forms.find(|form| d.has(form.point.needs))
}

fn take_apart(point: &'static Tracepoint) -> Form {
    let mut segments = Vec::new();
    let mut rest = point.text;
    while let Some((text, after)) = rest.split_once('{') {
        let (inner, after) = after.split_once('}').expect("a closing brace");
        let key = text.strip_suffix('=').expect("a key before a placeholder");
        let key = key.rsplit(' ').next().unwrap_or(key);
        let (name, how) = inner.split_once(':').unwrap_or((inner, ""));
        segments.push(Segment::Text(text));
        segments.push(Segment::Placeholder(placeholder(
            point.kind, key, name, how,
        )));
        rest = after;
    }
    Form { point, segments }
}

fn placeholder(kind: RecordKind, key: &'static str, name: &str, how: &'static str) -> Placeholder {
    let names = NAMES[kind as usize];
    let at = names.iter().position(|&field| field == name);
    let at = at.or(name.is_empty().then_some(0));
    let field = at.expect("a field of the record");
    Placeholder {
        key,
        field,
        how: match how {
            "" => How::Plain(FIELDS[kind as usize][field]),
            "address" => How::Address,
            "node" => How::Node,
            "index" => How::Index,
            "zone" => How::Zone,
            "lru" => How::Lru,
            "file" => How::File,
            "mode" => How::Mode,
            "kind" => How::Kind,
            "reclaim" => How::Reclaim,
            "mixed" => How::Mixed,
            "anon" => How::Anon,
            "of_file" => How::OfFile,
            "active" => How::Active,
            "throttle" => How::Throttle,
            "flush" => How::Flush,
            "comm" => How::Comm,
            "pid" => How::Pid,
            "fragmenting" => How::Fragmenting,
            "pageblock_order" => How::PageblockOrder,
            "classzone" => How::Classzone,
            "wmark_check" => How::WmarkCheck,
            always => How::Always(always.strip_prefix('=').expect("a way to print")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Era;
    use mm::record::{FIRST_DECISION, TEXTS};

    #[test]
    fn an_event_of_the_engine_without_a_form_is_not_stored_as_an_event_of_a_kernel() {
        for text in &TEXTS[..FIRST_DECISION] {
            let is_read = !named(text.name).is_empty();
            assert!(
                is_read || !crate::kinds::is_kept(text.name),
                "{}",
                text.name
            );
        }
    }

    #[test]
    fn every_template_names_fields_of_its_record_and_covers_its_kernels_once() {
        for form in FORMS.iter() {
            assert!(form.point.since <= form.point.until, "{form:?}");
            let text: usize = form
                .segments
                .iter()
                .map(|segment| match segment {
                    Segment::Text(text) => text.len(),
                    Segment::Placeholder(_) => 0,
                })
                .sum();
            assert!(text <= form.point.text.len());
        }
        for &kind in ALL {
            for era in Era::ALL {
                let d = Dialect::whole(era, Vec::new(), 9);
                let forms = BY_KIND[kind as usize].iter();
                let printed = forms.filter(|form| {
                    (form.point.since..=form.point.until).contains(&era) && d.has(form.point.needs)
                });
                assert!(printed.count() <= 1, "{kind:?} has two forms in {era:?}");
            }
        }
    }
}
