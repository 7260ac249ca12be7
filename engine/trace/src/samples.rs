//! Counters over time, from the events of a trace.
//!
//! Modelled: the counters of /proc/vmstat that the kernel updates at the tracepoints. Left out:
//! counters without an event. Invariants: values never decrease, except for sums of fields that may
//! be negative; an unknown name is 0.

use mm::record::{NAMES, RecordKind};

use crate::NOTHING;
use crate::kinds::{Holds, Kind};
use crate::reader::{Reader, State};
use crate::store::Event;

/// The most buckets.
pub const MOST_BUCKETS: usize = 100_000;

/// The names of counters, from a JSON list.
///
/// # Errors
/// The text is not a list of names.
pub fn names(text: &str) -> Result<Vec<String>, String> {
    let value = mm::read::parse(text).map_err(|e| format!("the names are not JSON: {e}"))?;
    let names = value.as_array().map(|list| {
        let names = list.iter().map(|name| name.as_str().map(str::to_string));
        names.collect::<Option<Vec<String>>>()
    });
    names
        .flatten()
        .ok_or_else(|| "the names are not a list of texts".to_string())
}

/// One counter.
enum Counter {
    /// The number of events of a kind.
    Events(u32),
    /// The sum of a column.
    Sum(u32, usize),
    /// A counter of /proc/vmstat.
    Vmstat(Vmstat),
    Unknown,
}

#[derive(Clone, Copy)]
enum Vmstat {
    Scan { kswapd: bool },
    Steal { kswapd: bool },
    Stall,
    Runs,
    Writes,
    Migrated { failed: bool },
    Allocated,
    Freed,
    Killed,
}

const VMSTAT: [(&str, Vmstat); 12] = [
    ("pgscan_kswapd", Vmstat::Scan { kswapd: true }),
    ("pgscan_direct", Vmstat::Scan { kswapd: false }),
    ("pgsteal_kswapd", Vmstat::Steal { kswapd: true }),
    ("pgsteal_direct", Vmstat::Steal { kswapd: false }),
    ("allocstall", Vmstat::Stall),
    ("pageoutrun", Vmstat::Runs),
    ("nr_vmscan_write", Vmstat::Writes),
    ("pgmigrate_success", Vmstat::Migrated { failed: false }),
    ("pgmigrate_fail", Vmstat::Migrated { failed: true }),
    ("pgalloc", Vmstat::Allocated),
    ("pgfree", Vmstat::Freed),
    ("oom_kill", Vmstat::Killed),
];

impl Reader {
    /// The values of some counters at the ends of equal parts of the whole time: rows of the time in ns and
    /// one number for each name. A name is that of an event, of an event and a column (`event.column`), or of
    /// a counter of /proc/vmstat.
    pub fn samples(&self, names: &[String], buckets: usize) -> Vec<i64> {
        let state = &self.state;
        let buckets = buckets.clamp(1, MOST_BUCKETS);
        let counters: Vec<Counter> = names.iter().map(|name| state.counter(name)).collect();
        let mut sums = vec![0_i64; counters.len()];
        let mut out = Vec::with_capacity(buckets * (1 + counters.len()));
        let start = state.first.as_ref().map_or(0, |first| first.1);
        let whole = state.last_ns - start;
        let end =
            |bucket: usize| (u128::from(whole) * (bucket as u128 + 1) / buckets as u128) as u64;
        let mut bucket = 0;
        for (_, event) in state.store.from(0) {
            while bucket + 1 < buckets && event.ns - start > end(bucket) {
                out.push(end(bucket) as i64);
                out.extend(&sums);
                bucket += 1;
            }
            for (sum, counter) in sums.iter_mut().zip(&counters) {
                *sum = sum.saturating_add(state.adds(counter, &event));
            }
        }
        while bucket < buckets {
            out.push(end(bucket) as i64);
            out.extend(&sums);
            bucket += 1;
        }
        out
    }
}

impl State {
    fn counter(&self, name: &str) -> Counter {
        if let Some(&(_, counter)) = VMSTAT.iter().find(|(known, _)| *known == name) {
            return Counter::Vmstat(counter);
        }
        if let Some(kind) = self.kinds.named(name) {
            return Counter::Events(kind as u32);
        }
        let sum = name.rsplit_once('.').and_then(|(event, column)| {
            let at = self.kinds.named(event)?;
            let kind = &self.kinds.all[at];
            let column = kind.column_named(column)?;
            (kind.columns[column].holds != Holds::Text).then_some(Counter::Sum(at as u32, column))
        });
        sum.unwrap_or(Counter::Unknown)
    }

    fn adds(&self, counter: &Counter, event: &Event) -> i64 {
        match *counter {
            Counter::Events(kind) => i64::from(kind == event.kind),
            Counter::Sum(kind, column) if kind == event.kind => {
                let value = event.values.get(column).copied();
                value.filter(|&value| value != NOTHING).unwrap_or(0)
            }
            Counter::Vmstat(counter) => self.vmstat(counter, event),
            Counter::Sum(..) | Counter::Unknown => 0,
        }
    }

    fn vmstat(&self, counter: Vmstat, event: &Event) -> i64 {
        let kind = &self.kinds.all[event.kind as usize];
        let Some(record) = kind.record else {
            return 0;
        };
        let is_kswapd = self.tasks.all[event.task as usize]
            .comm
            .starts_with("kswapd");
        let n = |name: &str| field(kind, event, name).unwrap_or(0);
        match (counter, record) {
            (Vmstat::Scan { kswapd }, RecordKind::MmVmscanLruIsolate)
                if kswapd == is_kswapd && !is_active(kind, event) =>
            {
                n("nr_scanned")
            }
            (Vmstat::Steal { kswapd }, RecordKind::MmVmscanLruShrinkInactive)
                if kswapd == is_kswapd =>
            {
                n("nr_reclaimed")
            }
            (Vmstat::Stall, RecordKind::MmVmscanDirectReclaimBegin)
            | (Vmstat::Runs, RecordKind::MmVmscanKswapdWake)
            | (Vmstat::Writes, RecordKind::MmVmscanWritepage)
            | (Vmstat::Killed, RecordKind::MarkVictim)
            | (Vmstat::Freed, RecordKind::MmPageFreeBatched) => 1,
            (Vmstat::Migrated { failed }, RecordKind::MmMigratePages) => {
                n(if failed { "nr_failed" } else { "nr_succeeded" })
            }
            (Vmstat::Allocated, RecordKind::MmPageAlloc)
            | (Vmstat::Freed, RecordKind::MmPageFree) => 1 << n("order").clamp(0, 30),
            _ => 0,
        }
    }
}

fn field(kind: &Kind, event: &Event, name: &str) -> Option<i64> {
    let value = event.values.get(kind.column_named(name)?).copied()?;
    (value != NOTHING).then_some(value)
}

/// An active list, by its name or by the mode of old kernels.
fn is_active(kind: &Kind, event: &Event) -> bool {
    let names = NAMES[RecordKind::MmVmscanLruIsolate as usize];
    debug_assert!(names.contains(&"lru"));
    match field(kind, event, "lru") {
        Some(lru) => lru == 1 || lru == 3,
        None => field(kind, event, "isolate_mode") == Some(1),
    }
}
