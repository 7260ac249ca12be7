//! The kinds of events of a trace, and the columns of their values.
//!
//! Modelled: the records of the engine, with their fields first. Left out: columns beyond a limit.
//! Invariants: a column keeps its index; all lists are bounded.

use std::collections::BTreeMap;

use mm::record::{ALL, FIELDS, NAMES, RecordKind, TEXTS};
use mm::view::FieldKind;

/// The maximum number of columns of a kind.
const MOST_COLUMNS: usize = 48;
/// The maximum number of kinds that the engine lacks.
const MOST_KINDS: usize = 400;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A field of the engine.
    Field(FieldKind),
    /// The number of a text.
    Text,
}

impl Holds {
    /// Its name, as in the catalog.
    pub fn name(self) -> String {
        match self {
            Holds::Text => "text".to_string(),
            Holds::Field(field) => {
                let name = mm::read::written(&field);
                name.trim_matches('"').to_string()
            }
        }
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name: the kernel's key, or the engine's field.
    pub name: String,
    /// What it holds.
    pub holds: Holds,
}

/// A kind of event.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Its name: the engine's, or the kernel's.
    pub name: String,
    /// The engine's record.
    pub record: Option<RecordKind>,
    /// Its number in rows.
    pub number: usize,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// How many events there are.
    pub count: u64,
}

/// All kinds that a trace has.
#[derive(Debug, Default)]
pub struct Kinds {
    /// In order of their first occurrence.
    pub all: Vec<Kind>,
    records: BTreeMap<RecordKind, usize>,
    others: BTreeMap<String, usize>,
}

impl Kinds {
    /// The index of a record of the engine.
    pub fn record(&mut self, record: RecordKind) -> usize {
        if let Some(&at) = self.records.get(&record) {
            return at;
        }
        let number = record as usize;
        let columns = NAMES[number].iter().zip(FIELDS[number]);
        let columns = columns.map(|(&name, &field)| Column {
            name: name.to_string(),
            holds: Holds::Field(field),
        });
        self.records.insert(record, self.all.len());
        self.all.push(Kind {
            name: TEXTS[number].name.to_string(),
            record: Some(record),
            number,
            columns: columns.collect(),
            count: 0,
        });
        self.all.len() - 1
    }

    /// The index of an event that the engine lacks; none if there are too many.
    pub fn other(&mut self, name: &str) -> Option<usize> {
        if let Some(&at) = self.others.get(name) {
            return Some(at);
        }
        if self.others.len() == MOST_KINDS {
            return None;
        }
        let number = ALL.len() + self.others.len();
        self.others.insert(name.to_string(), self.all.len());
        self.all.push(Kind {
            name: name.to_string(),
            record: None,
            number,
            columns: Vec::new(),
            count: 0,
        });
        Some(self.all.len() - 1)
    }

    /// The kind of a name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|kind| kind.name == name)
    }
}

impl Kind {
    /// The column of a key that holds this; none if there are too many. Two columns of one key that hold
    /// different things have different names.
    pub fn column(&mut self, key: &str, holds: Holds) -> Option<usize> {
        let fixed = self
            .record
            .map_or(0, |record| FIELDS[record as usize].len());
        let of_key = |column: &Column, suffix: &str| {
            column
                .name
                .strip_suffix(suffix)
                .is_some_and(|name| name == key)
        };
        let suffix = match holds {
            Holds::Text => "_text",
            Holds::Field(_) => "_number",
        };
        let free = self.columns.iter().enumerate().skip(fixed);
        let mut same = free.filter(|(_, column)| column.holds == holds);
        if let Some((at, _)) = same.find(|(_, c)| c.name == key || of_key(c, suffix)) {
            return Some(at);
        }
        if self.columns.len() >= MOST_COLUMNS {
            return None;
        }
        let is_taken = self.columns.iter().any(|column| column.name == key);
        self.columns.push(Column {
            name: if is_taken {
                format!("{key}{suffix}")
            } else {
                key.to_string()
            },
            holds,
        });
        Some(self.columns.len() - 1)
    }

    /// The index of a column by its name.
    pub fn column_named(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// Is this event, which the engine lacks, stored with its values? Other events are only counted,
/// because traces have thousands of events that are not about memory.
pub fn is_kept(event: &str) -> bool {
    const GROUPS: [&str; 12] = [
        "mm_",
        "sched_",
        "writeback_",
        "global_dirty_state",
        "compact_retry",
        "oom_",
        "skip_task_reaping",
        "wake_reaper",
        "start_task_reaping",
        "finish_task_reaping",
        "set_migration_",
        "remove_migration_",
    ];
    GROUPS.iter().any(|group| event.starts_with(group))
}
