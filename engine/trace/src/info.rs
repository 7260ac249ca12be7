//! A summary of the data read, as one JSON text.
//!
//! Modelled: nothing. Left out: the events themselves; see `rows`.
//! Invariants: all lists are bounded.

use serde::Serialize;

use crate::prefix::Source;
use crate::reader::{Reader, Refused};
use crate::store::{MOST_BYTES, MOST_EVENTS};
use crate::sums::Sums;

/// A summary of a trace.
#[derive(Debug, Clone, Serialize)]
pub struct Info {
    /// The print format; none without events.
    pub dialect: Option<DialectInfo>,
    /// Events, without the unknown ones.
    pub events: u64,
    /// Stored events: the first ones, up to a limit.
    pub stored: u64,
    /// The reason why not all events are stored.
    pub message: Option<String>,
    /// The size of a stored event in bytes.
    pub bytes_per_event: u64,
    /// Lines.
    pub lines: u64,
    /// Events that the kernel lost, as far as the trace says how many.
    pub lost: u64,
    /// Events before the first one that the kernel overwrote, by the header.
    pub overwritten: u64,
    /// How often the kernel lost events.
    pub losses: u64,
    /// Lines of stacks.
    pub skipped: u64,
    /// Events with a time before that of the preceding line; they get the time of that line.
    pub went_back: u64,
    /// The clock of the first event, in seconds, as printed.
    pub clock: Option<String>,
    /// Time of the first event: always 0.
    pub from_ns: u64,
    /// Time of the last event.
    pub to_ns: u64,
    /// CPUs.
    pub cpus: Vec<u64>,
    /// Kinds of events, in order of their first occurrence.
    pub kinds: Vec<KindInfo>,
    /// Unknown events by name.
    pub unknown: Vec<Count>,
    /// Tasks by number.
    pub tasks: Vec<TaskInfo>,
    /// Zones by number.
    pub zones: Vec<ZoneInfo>,
    /// Texts by number.
    pub texts: Vec<String>,
    /// The first rejected lines.
    pub refusals: Vec<Refused>,
    /// The number of rejected lines.
    pub refused: u64,
    /// The sums of the kernel's scripts.
    pub sums: Sums,
}

/// Which kernel printed a trace.
#[derive(Debug, Clone, Serialize)]
pub struct DialectInfo {
    /// The format used for reading.
    pub name: String,
    /// The oldest possible format.
    pub oldest: String,
    /// The newest possible format.
    pub newest: String,
    /// The tool: trace, trace-cmd or perf.
    pub source: String,
    /// The clues.
    pub why: Vec<String>,
}

/// A name and its number of occurrences.
#[derive(Debug, Clone, Serialize)]
pub struct Count {
    /// The name.
    pub name: String,
    /// How often.
    pub count: u64,
}

/// A kind of event.
#[derive(Debug, Clone, Serialize)]
pub struct KindInfo {
    /// Its number in rows.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// The engine has this record.
    pub engine: bool,
    /// The number of events.
    pub count: u64,
    /// Its columns.
    pub fields: Vec<FieldInfo>,
}

/// A column.
#[derive(Debug, Clone, Serialize)]
pub struct FieldInfo {
    /// Its name.
    pub name: String,
    /// What it is: a kind of field of the catalog, or text.
    pub kind: String,
}

/// A task.
#[derive(Debug, Clone, Serialize)]
pub struct TaskInfo {
    /// Its number.
    pub id: usize,
    /// Process id.
    pub pid: u64,
    /// Name.
    pub comm: String,
    /// Events in its name.
    pub events: u64,
}

/// A zone.
#[derive(Debug, Clone, Serialize)]
pub struct ZoneInfo {
    /// Its number.
    pub id: usize,
    /// Its node.
    pub node: i64,
    /// The name of its type.
    pub name: String,
}

impl Reader {
    /// What was read so far.
    pub fn info(&self) -> Info {
        let s = &self.state;
        let start = s.first.as_ref().map_or(0, |first| first.1);
        Info {
            dialect: self.dialect(),
            events: s.events,
            stored: s.store.count as u64,
            message: self.message(),
            bytes_per_event: (s.store.bytes as u64)
                .checked_div(s.store.count as u64)
                .unwrap_or(0),
            lines: self.lines(),
            lost: s.lost,
            overwritten: s.overwritten,
            losses: s.losses,
            skipped: s.skipped,
            went_back: s.went_back,
            clock: s.first.as_ref().map(|first| first.0.clone()),
            from_ns: 0,
            to_ns: s.last_ns - start,
            cpus: s.cpus.iter().copied().collect(),
            kinds: self.kinds(),
            unknown: by_count(
                s.unknown
                    .iter()
                    .map(|(name, &n)| (name.clone(), n))
                    .collect(),
            ),
            tasks: s
                .tasks
                .all
                .iter()
                .enumerate()
                .map(|(id, task)| TaskInfo {
                    id,
                    pid: task.pid,
                    comm: task.comm.clone(),
                    events: task.events,
                })
                .collect(),
            zones: s
                .zones
                .all
                .iter()
                .enumerate()
                .map(|(id, &(node, of))| ZoneInfo {
                    id,
                    node,
                    name: s.zones.type_name(of),
                })
                .collect(),
            texts: s.texts.all.clone(),
            refusals: s.refusals.clone(),
            refused: s.refused,
            sums: s.counting.sums(),
        }
    }

    fn kinds(&self) -> Vec<KindInfo> {
        let kinds = self.state.kinds.all.iter();
        kinds
            .map(|kind| KindInfo {
                number: kind.number,
                name: kind.name.clone(),
                engine: kind.record.is_some(),
                count: kind.count,
                fields: kind
                    .columns
                    .iter()
                    .map(|column| FieldInfo {
                        name: column.name.clone(),
                        kind: column.holds.name(),
                    })
                    .collect(),
            })
            .collect()
    }

    fn dialect(&self) -> Option<DialectInfo> {
        let s = &self.state;
        let source = match s.source? {
            Source::Perf => "perf",
            Source::Trace if s.is_trace_cmd => "trace-cmd",
            Source::Trace => "trace",
        };
        let guess = &s.guess;
        Some(DialectInfo {
            name: guess.era().name().to_string(),
            oldest: guess.oldest.name().to_string(),
            newest: guess.newest.name().to_string(),
            source: source.to_string(),
            why: guess.why.clone(),
        })
    }

    /// The reason why the data is incomplete.
    fn message(&self) -> Option<String> {
        let s = &self.state;
        if s.events == 0 {
            return Some(match self.lines() {
                0 => "The file is empty.".to_string(),
                _ => "No line is an event of a kernel trace.".to_string(),
            });
        }
        (s.events > s.store.count as u64).then(|| {
            format!(
                "The trace has {} events, and the first {} are shown: at most {MOST_EVENTS} events, and {} MiB \
                 of them, are kept. The sums count all.",
                s.events,
                s.store.count,
                MOST_BYTES >> 20,
            )
        })
    }
}

fn by_count(mut names: Vec<(String, u64)>) -> Vec<Count> {
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    names
        .into_iter()
        .map(|(name, count)| Count { name, count })
        .collect()
}
