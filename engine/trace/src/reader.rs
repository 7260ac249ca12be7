//! Reads the text of a trace in chunks of any size, and stores its events.
//!
//! Modelled: nothing of a kernel. Left out: nothing; a line that is not read is counted or
//! reported. Invariants: feeding never fails and never panics; memory is bounded whatever the text;
//! the same text gives the same events however it is divided into chunks.

use std::collections::{BTreeMap, BTreeSet};

use mm::record::{ALL, FIRST_DECISION, RecordKind, TEXTS};
use mm::view::FieldKind;

use crate::details::{self, Fields};
use crate::form;
use crate::guess::Guess;
use crate::kinds::{Holds, Kind, Kinds, is_kept};
use crate::lines::{Found, LONGEST, Lines};
use crate::names::{Tasks, Texts, Zones};
use crate::pairs::{self, Pairs};
use crate::plugin;
use crate::prefix::{self, Other, Prefix, Source};
use crate::store::{Event, Store};
use crate::sums::Counting;
use crate::{NOTHING, OWN};

/// The maximum number of errors that are stored.
pub const MOST_REFUSALS: usize = 100;
/// The maximum number of names of unknown events.
const MOST_UNKNOWN: usize = 1000;
/// The maximum number of CPUs.
const MOST_CPUS: usize = 8192;
/// The process id of the engine's task 0 in a trace that mmscope printed.
const FIRST_PID: u64 = 1000;

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Refused {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// Reads a trace.
#[derive(Debug, Default)]
pub struct Reader {
    lines: Lines,
    pub(crate) state: State,
}

/// What was read so far.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub guess: Guess,
    pub source: Option<Source>,
    pub is_trace_cmd: bool,
    pub tasks: Tasks,
    pub texts: Texts,
    pub zones: Zones,
    pub kinds: Kinds,
    pub store: Store,
    pub counting: Counting,
    pub cpus: BTreeSet<u64>,
    /// Events, stored or not, without the unknown ones.
    pub events: u64,
    pub unknown: BTreeMap<String, u64>,
    pub refusals: Vec<Refused>,
    pub refused: u64,
    pub lost: u64,
    /// Events before the first one, by the header.
    pub overwritten: u64,
    pub losses: u64,
    pub skipped: u64,
    pub went_back: u64,
    /// The clock of the first event, as it was printed and in ns.
    pub first: Option<(String, u64)>,
    pub last_ns: u64,
    /// The zone types of old kernels are numbers.
    pub has_zone_numbers: bool,
}

impl Reader {
    /// Nothing read yet.
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Reads the next chunk.
    pub fn feed(&mut self, chunk: &[u8]) {
        let state = &mut self.state;
        self.lines
            .feed(chunk, |number, found| state.found(number, found));
    }

    /// Handles the end of the text.
    pub fn finish(&mut self) {
        let state = &mut self.state;
        self.lines
            .finish(|number, found| state.found(number, found));
    }

    /// Lines so far.
    pub fn lines(&self) -> u64 {
        self.lines.count
    }

    /// The number of rejected lines so far.
    pub fn refusals(&self) -> &[Refused] {
        &self.state.refusals
    }
}

/// Events that the kernel overwrote: `# entries-in-buffer/entries-written: 100/150   #P:2`.
fn overwritten(remark: &str) -> u64 {
    let numbers = remark.strip_prefix("# entries-in-buffer/entries-written: ");
    let numbers = numbers.and_then(|text| text.split_whitespace().next()?.split_once('/'));
    let (kept, written) = numbers.unwrap_or(("0", "0"));
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    number(written).saturating_sub(number(kept))
}

impl State {
    fn found(&mut self, number: u64, found: Found<'_>) {
        let read = match found {
            Found::TooLong => Err(format!("it is longer than {LONGEST} bytes")),
            Found::Whole(line) => self.line(&String::from_utf8_lossy(line)),
        };
        if let Err(reason) = read {
            self.refused += 1;
            if self.refusals.len() < MOST_REFUSALS {
                self.refusals.push(Refused {
                    line: number,
                    reason,
                });
            }
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        match prefix::other(line) {
            Some(Other::Blank) => return Ok(()),
            Some(Other::Remark(text)) => {
                self.is_trace_cmd |= text.starts_with("cpus=") || text.starts_with("version = ");
                self.overwritten = self.overwritten.max(overwritten(text));
                self.guess.remark(text);
                return Ok(());
            }
            Some(Other::Lost(count)) => {
                self.lost = self.lost.saturating_add(count.unwrap_or(0));
                self.losses += 1;
                return Ok(());
            }
            Some(Other::Stack) => {
                self.skipped += 1;
                return Ok(());
            }
            None => {}
        }
        let prefix = prefix::read(line)?;
        if !self.is_trace_cmd {
            self.guess.prefix(&prefix);
        }
        let own = prefix.event.strip_prefix(OWN);
        let forms = form::named(prefix.event);
        if forms.is_empty() && own.is_none() && !is_kept(prefix.event) {
            self.count_unknown(prefix.event);
            return Ok(());
        }
        let by_plugin = plugin::pairs(prefix.event, prefix.details);
        let pairs = by_plugin.unwrap_or_else(|| pairs::pairs(prefix.details));
        let mut event = Event::default();
        let record = match (own, details::best(forms, &pairs)) {
            (Some(name), _) => Some(self.own(name, &pairs, &mut event)?),
            (None, Some(form)) => {
                let fields = details::fields(form, &pairs, &mut self.zones)?;
                self.guess
                    .details(prefix.event, form, fields.is_exact, &pairs);
                self.record(form.point.kind, &fields, &pairs, &mut event);
                Some(form.point.kind)
            }
            (None, None) => {
                self.guess.event(prefix.event);
                let Some(at) = self.kinds.other(prefix.event) else {
                    self.count_unknown(prefix.event);
                    return Ok(());
                };
                event.kind = at as u32;
                self.rest(
                    at,
                    &(0..pairs.all.len()).collect::<Vec<_>>(),
                    &pairs,
                    &mut event,
                );
                None
            }
        };
        self.add(&prefix, record, &pairs, event);
        Ok(())
    }

    fn count_unknown(&mut self, event: &str) {
        let is_new = !self.unknown.contains_key(event);
        let name = if is_new && self.unknown.len() >= MOST_UNKNOWN {
            "(others)"
        } else {
            event
        };
        *self.unknown.entry(name.to_string()).or_default() += 1;
    }

    /// An event under a name of mmscope.
    fn own(
        &mut self,
        name: &str,
        pairs: &Pairs<'_>,
        event: &mut Event,
    ) -> Result<RecordKind, String> {
        let kinds = TEXTS[..FIRST_DECISION].iter();
        let at = kinds.clone().position(|text| text.name == name);
        let record = ALL[at.ok_or_else(|| format!("mmscope has no event {}", pairs::cut(name)))?];
        let mut values = details::own(record, pairs, &mut self.zones)?;
        let fields = mm::record::FIELDS[record as usize];
        for (value, field) in values.iter_mut().zip(fields) {
            match field {
                FieldKind::Task if *value >= 0 => {
                    *value = self.tasks.number(FIRST_PID + *value as u64, None).into();
                }
                FieldKind::Zone if *value != NOTHING => *value = self.zones.zone(*value),
                _ => {}
            }
        }
        event.kind = self.kinds.record(record) as u32;
        event.values = values;
        Ok(record)
    }

    /// An event that is a record of the engine.
    fn record(
        &mut self,
        record: RecordKind,
        fields: &Fields<'_>,
        pairs: &Pairs<'_>,
        event: &mut Event,
    ) {
        let at = self.kinds.record(record);
        event.kind = at as u32;
        event.values.clone_from(&fields.values);
        for task in &fields.tasks {
            if let Some(pid) = task.pid {
                event.values[task.field] = self.tasks.number(pid, task.comm).into();
            }
        }
        for (value, field) in event
            .values
            .iter_mut()
            .zip(mm::record::FIELDS[record as usize])
        {
            if *field == FieldKind::Zone && *value != NOTHING {
                *value = self.zones.zone(*value);
            }
            self.has_zone_numbers |= *field == FieldKind::ZoneType && *value != NOTHING;
        }
        if let Some(gfp) = fields.gfp {
            self.text(at, "gfp_flags", gfp, event);
        }
        self.rest(at, &fields.left, pairs, event);
    }

    /// Values that are not a field of a record, in separate columns.
    fn rest(&mut self, at: usize, left: &[usize], pairs: &Pairs<'_>, event: &mut Event) {
        let mut comm: Option<(&str, &str)> = None;
        for &i in left {
            let (key, text) = &pairs.all[i];
            if let Some(group) = key.strip_suffix("comm") {
                comm = Some((group, text));
                continue;
            }
            let number = pairs::number(text);
            let group = key
                .strip_suffix("pid")
                .filter(|group| matches!(*group, "" | "prev_" | "next_"));
            if let (Some(group), Some(pid)) = (group, number.and_then(|n| u64::try_from(n).ok())) {
                let name = comm.filter(|(of, _)| *of == group).map(|(_, name)| name);
                let id = self.tasks.number(pid, name);
                let column = if group.is_empty() {
                    "task"
                } else {
                    group.trim_end_matches('_')
                };
                self.put(at, column, Holds::Field(FieldKind::Task), id.into(), event);
                continue;
            }
            match number {
                Some(n) => self.put(at, key, Holds::Field(FieldKind::Count), n, event),
                None => self.text(at, key, text, event),
            }
        }
    }

    fn text(&mut self, at: usize, key: &str, text: &str, event: &mut Event) {
        let number = self.texts.number(text);
        self.put(at, key, Holds::Text, number.into(), event);
    }

    fn put(&mut self, at: usize, key: &str, holds: Holds, value: i64, event: &mut Event) {
        let kind: &mut Kind = &mut self.kinds.all[at];
        if let Some(column) = kind.column(key, holds) {
            if event.values.len() <= column {
                event.values.resize(column + 1, NOTHING);
            }
            event.values[column] = value;
        }
    }

    /// Counts and stores an event.
    fn add(
        &mut self,
        prefix: &Prefix<'_>,
        record: Option<RecordKind>,
        pairs: &Pairs<'_>,
        mut event: Event,
    ) {
        self.source.get_or_insert(prefix.source);
        if self.first.is_none() {
            self.first = Some((prefix.clock.to_string(), prefix.ns));
            self.last_ns = prefix.ns;
        }
        if prefix.ns < self.last_ns {
            self.went_back += 1;
        }
        self.last_ns = self.last_ns.max(prefix.ns);
        if self.cpus.len() < MOST_CPUS {
            self.cpus.insert(prefix.cpu);
        }
        event.ns = self.last_ns;
        event.cpu = prefix.cpu as u32;
        event.task = self.tasks.number(prefix.pid, Some(prefix.comm));
        self.tasks.all[event.task as usize].events += 1;
        self.events += 1;
        self.kinds.all[event.kind as usize].count += 1;
        let find = |key: &str| pairs.all.iter().find(|(name, _)| name == key);
        let value = |key: &str| find(key).and_then(|(_, text)| pairs::number(text));
        let has = |part: &str| {
            let of = |key| find(key).is_some_and(|(_, text)| text.contains(part));
            of("flags") || of("lru")
        };
        self.counting
            .event(record, event.task, event.ns, &value, &has);
        self.store.push(&event);
    }
}
