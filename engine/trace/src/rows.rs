//! Stored events as rows of numbers, in the layout of the engine's log.
//!
//! Modelled: nothing. Left out: the function that made a record, which no trace has. Invariants: a
//! row has all columns of its kind; values that its line lacks are [`NOTHING`].

use mm::record::{FIELDS, HEAD};
use mm::view::FieldKind;
use serde_json::Value;

use crate::NOTHING;
use crate::details::to_engine;
use crate::kinds::{Holds, Kind};
use crate::reader::{Reader, State};
use crate::store::Event;

/// A filter for events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Their kinds, by number; all if empty.
    pub kinds: Vec<i64>,
    /// Tasks that made the events or that the events concern; all if empty.
    pub tasks: Vec<i64>,
    /// Only events that concern this zone.
    pub zone: Option<i64>,
    /// Only events that concern this page frame or a later one.
    pub first: Option<i64>,
    /// Only events that concern this page frame or an earlier one.
    pub last: Option<i64>,
    /// Not before this time, ns from the first event on.
    pub from_ns: Option<i64>,
    /// Before this time.
    pub to_ns: Option<i64>,
    /// The maximum number of events.
    pub limit: Option<i64>,
}

impl Filter {
    /// Reads a filter from JSON; see the fields.
    ///
    /// # Errors
    /// The reason.
    pub fn from_json(text: &str) -> Result<Filter, String> {
        let value = mm::read::parse(text).map_err(|e| format!("the filter is not JSON: {e}"))?;
        let Value::Object(fields) = value else {
            return Err("the filter is not an object".to_string());
        };
        let mut out = Filter::default();
        for (name, value) in &fields {
            let wrong = || format!("filter: {name} is not valid");
            let list = || match value {
                Value::Array(list) => list.iter().map(Value::as_i64).collect(),
                _ => None,
            };
            match &name[..] {
                "kinds" => out.kinds = list().ok_or_else(wrong)?,
                "tasks" => out.tasks = list().ok_or_else(wrong)?,
                _ => {
                    let number = Some(value.as_i64().ok_or_else(wrong)?);
                    match &name[..] {
                        "zone" => out.zone = number,
                        "first" => out.first = number,
                        "last" => out.last = number,
                        "from_ns" => out.from_ns = number,
                        "to_ns" => out.to_ns = number,
                        "limit" => out.limit = number,
                        _ => return Err(format!("filter: there is no field {name}")),
                    }
                }
            }
        }
        Ok(out)
    }
}

impl Reader {
    /// The events from an ordinal (the first is 0) up to another one, as rows.
    pub fn rows(&self, from: usize, to: usize, filter: &Filter) -> Vec<i64> {
        let state = &self.state;
        let mut out = Vec::new();
        let mut left = filter.limit.unwrap_or(i64::MAX);
        let start = state.first.as_ref().map_or(0, |first| first.1);
        for (index, event) in state.store.from(from).take_while(|&(index, _)| index < to) {
            let ns = (event.ns - start) as i64;
            if filter.to_ns.is_some_and(|end| ns >= end) || left <= 0 {
                break;
            }
            let row = out.len();
            state.write(index, ns, &event, &mut out);
            if filter.accepts(&state.kinds.all[event.kind as usize], &out[row..]) {
                left -= 1;
            } else {
                out.truncate(row);
            }
        }
        out
    }
}

impl State {
    fn write(&self, index: usize, ns: i64, event: &Event, out: &mut Vec<i64>) {
        let kind = &self.kinds.all[event.kind as usize];
        let start = out.len();
        out.extend([
            (HEAD + kind.columns.len()) as i64,
            index as i64 + 1,
            ns,
            event.task.into(),
            event.cpu.into(),
            NOTHING,
            kind.number as i64,
            NOTHING,
        ]);
        let is_old = self.guess.is_old();
        for (i, column) in kind.columns.iter().enumerate() {
            let value = event.values.get(i).copied().unwrap_or(NOTHING);
            let value = match column.holds {
                Holds::Field(field) => to_engine(field, value, is_old),
                Holds::Text => value,
            };
            if column.holds == Holds::Field(FieldKind::Zone) && value != NOTHING {
                out[start + HEAD - 1] = value;
            }
            out.push(value);
        }
    }
}

impl Filter {
    fn accepts(&self, kind: &Kind, row: &[i64]) -> bool {
        if !self.kinds.is_empty() && !self.kinds.contains(&row[6]) {
            return false;
        }
        let values = kind.columns.iter().zip(&row[HEAD..]);
        let of = |field: FieldKind| {
            let values = values.clone();
            values
                .filter(move |(column, _)| column.holds == Holds::Field(field))
                .map(|(_, &n)| n)
        };
        let is_task = |n: i64| self.tasks.contains(&n);
        if !self.tasks.is_empty() && !is_task(row[3]) && !of(FieldKind::Task).any(is_task) {
            return false;
        }
        if self.zone.is_some_and(|zone| row[7] != zone) {
            return false;
        }
        if self.from_ns.is_some_and(|from| row[2] < from) {
            return false;
        }
        if self.first.is_none() && self.last.is_none() {
            return true;
        }
        let (first, last) = (self.first.unwrap_or(0), self.last.unwrap_or(NOTHING - 1));
        let order = block_order(kind, row);
        of(FieldKind::Page).any(|page| page != NOTHING && page <= last && page + order > first)
    }
}

/// The number of pages in the block that an event concerns.
fn block_order(kind: &Kind, row: &[i64]) -> i64 {
    let Some(record) = kind.record else {
        return 1;
    };
    let names = mm::record::NAMES[record as usize].iter();
    let fields = names.zip(FIELDS[record as usize]).zip(&row[HEAD..]);
    let mut orders = fields.filter(|((name, _), _)| matches!(**name, "order" | "fallback_order"));
    orders
        .next()
        .map_or(1, |(_, &order)| 1 << order.clamp(0, 20))
}
