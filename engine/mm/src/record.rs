//! What a step records: the kernel's tracepoints, and decisions with their numbers.
//!
//! Modelled: the kernel's own tracepoint names and fields.
//! Left out: recording while running at full speed. Because runs can be replayed, the range on
//! screen is replayed with recording on.
//! Sentences: the code that displays a decision fills in its template.
//! Invariants: recording never influences the machine and is not part of its state hash. A record
//! has a value for every field of its kind, and the function that made it.
//!
//! A kind of record is a struct, declared next to the code that makes it (`declare`). Its number is
//! its index in one list (`list`). `kinds` has the possible kinds of fields, `row` the form in
//! which records leave the engine.

use facts::index::{CpuIndex, FrameIndex, TaskIndex};
use smallvec::SmallVec;
use std::collections::VecDeque;

pub(crate) mod declare;
mod kinds;
mod list;
mod row;
#[cfg(test)]
mod tests;

pub use declare::names_fields;
pub(crate) use declare::{decisions, events};
pub use kinds::{Kind, OUTCOMES, Outcome, Reading, Single, kind};
pub use list::{ALL, FIELDS, FIRST_DECISION, NAMES, RecordKind, TEXTS, Text};
pub(crate) use row::write;
pub use row::{HEAD, NOTHING, field_text, node_id, row};

/// Maximum number of records stored.
pub const KEPT: usize = 64 * 1024;
/// Function number of records made before the first function ran.
pub const NO_FUNCTION: u8 = u8::MAX;

/// A type that has a number as a kind of record in the [`list`].
pub trait Numbered {
    /// The kind of record.
    const KIND: RecordKind;
}

/// A kind of record as declared next to the code that makes it.
pub trait Declared: Numbered + Sized {
    /// Names of the fields.
    const NAMES: &'static [&'static str];
    /// The kinds of the fields.
    const FIELDS: &'static [crate::view::FieldKind];
    /// Texts for people; not part of the page's module.
    const TEXT: Text;

    /// Passes the kind, the fields as numbers, and the list, if there is one, to `to`, which stores
    /// them.
    fn put(self, to: impl FnOnce(RecordKind, &[i64], Option<&[(FrameIndex, Outcome)]>));

    /// Reads the fields, in order.
    fn take(values: &mut Reading<'_>) -> Self;

    /// The record with its fields by name, if it is of this kind.
    fn of(record: &Record) -> Option<Self> {
        (record.kind == Self::KIND).then(|| Self::take(&mut record.values.iter().copied()))
    }
}

/// The fields of a record as numbers, in order; a list is its length, then its elements.
pub type Values = SmallVec<[i64; 8]>;

/// Fields in the form in which a record stores them.
pub fn values(numbers: &[i64], list: Option<&[(FrameIndex, Outcome)]>) -> Values {
    let mut values = Values::from_slice(numbers);
    if let Some(list) = list {
        values.push(list.len() as i64);
        for &(page, outcome) in list {
            values.extend([page.get().into(), outcome as i64]);
        }
    }
    values
}

/// One record: an event or a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The step that made the record (the first step of a machine is 0).
    pub step: u64,
    /// Virtual time, ns.
    pub time_ns: u64,
    /// Task id.
    pub task: TaskIndex,
    /// CPU.
    pub cpu: CpuIndex,
    /// The function that made the record, as an index of [`crate::frames::FUNCTIONS`];
    /// [`NO_FUNCTION`] for none.
    pub function: u8,
    /// Kind of the record.
    pub kind: RecordKind,
    /// Values of the fields. Pages are frames.
    pub values: Values,
}

/// The last [`KEPT`] records.
#[derive(Debug)]
pub struct Recorder {
    /// False while running at full speed.
    pub on: bool,
    /// Which kinds are stored while recording is on; all by default.
    pub keeps: fn(RecordKind) -> bool,
    /// The running function.
    pub function: u8,
    /// The task that executed the last step, if it was single-stepped.
    pub last_task: Option<TaskIndex>,
    /// The records, oldest first.
    pub records: VecDeque<Record>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            on: false,
            keeps: |_| true,
            function: NO_FUNCTION,
            last_task: None,
            records: VecDeque::new(),
        }
    }
}

impl Recorder {
    /// Adds a record, dropping the oldest beyond [`KEPT`].
    pub fn push(&mut self, record: Record) {
        if self.records.len() == KEPT {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }

    /// The records of a kind, oldest first, with their fields by name.
    pub fn all<R: Declared>(&self) -> impl DoubleEndedIterator<Item = (&Record, R)> {
        let all = self.records.iter();
        all.filter_map(|r| R::of(r).map(|declared| (r, declared)))
    }
}

/// A copy of a machine starts with no records.
impl Clone for Recorder {
    fn clone(&self) -> Self {
        Self::default()
    }
    fn clone_from(&mut self, _: &Self) {
        self.records.clear();
    }
}

/// The content of a recorder is not part of the machine's state.
impl PartialEq for Recorder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Recorder {}
