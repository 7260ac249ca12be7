//! Distributions of the simulated run, under the same names as in `summary.json` for the real run.

use std::collections::BTreeMap;

use mm::index::{NodeIndex, TaskIndex};
use mm::page_writeback::balance::BalanceDirty;
use mm::record::{Declared, Record, TEXTS};
use mm::vmscan::MmVmscanLruIsolate;
use mm::vmscan::direct::{MmVmscanDirectReclaimBegin, MmVmscanDirectReclaimEnd};
use mm::vmscan::inactive::MmVmscanLruShrinkInactive;
use mm::vmscan::kswapd::{MmVmscanKswapdSleep, MmVmscanKswapdWake};
use mm::vmscan::throttle::{
    MmVmscanThrottled, REASONS, WritebackCongestionWait, WritebackWaitIffCongested,
};
use serde_json::{Map, Value, json};

use crate::distribution::{most_frequent, spread};
use crate::log::Log;
use crate::waits::Waits;

/// A histogram by exact value.
type Histogram = BTreeMap<u64, u64>;

/// The tasks that reclaim.
const WHO: [&str; 2] = ["direct", "kswapd"];
/// The longest write() of each second in which a writer reports one.
const LONGEST_WRITES: &str = "longest_write_ms";

/// The results of shrinking inactive lists, for kswapd or for direct reclaim.
#[derive(Debug, Default)]
struct Shrunk {
    scanned: u64,
    reclaimed: u64,
    batches: Histogram,
    priorities: Histogram,
    skipped: u64,
    kept: u64,
    writeback: u64,
    dirty: u64,
    immediate: u64,
}

/// All counts of events.
#[derive(Debug, Default)]
pub struct Tally {
    events: BTreeMap<&'static str, u64>,
    shrunk: [Shrunk; 2],
    /// `mm_vmscan_lru_isolate` does not name the task; the next batch of the same task does.
    skipped_by_task: BTreeMap<TaskIndex, u64>,
    /// The times at which kswapd of a node last woke up and last fell asleep, ns.
    woke: BTreeMap<NodeIndex, u64>,
    slept: BTreeMap<NodeIndex, u64>,
    awake_us: Vec<u64>,
    asleep_us: Vec<u64>,
    begun: BTreeMap<TaskIndex, u64>,
    direct_us: Vec<u64>,
    direct_reclaimed: Histogram,
    throttled: BTreeMap<(&'static str, i64), Histogram>,
    pauses: BTreeMap<i64, u64>,
    waits: Waits,
}

impl Tally {
    /// Counts one record.
    pub fn add(&mut self, record: &Record) {
        self.waits.add(record);
        if record.kind.is_decision() {
            return;
        }
        let name = TEXTS[record.kind as usize].name;
        *self.events.entry(name).or_default() += 1;
        let (task, now) = (record.task, record.time_ns);
        if let Some(isolated) = MmVmscanLruIsolate::of(record) {
            *self.skipped_by_task.entry(task).or_default() += isolated.nr_skipped as u64;
        } else if let Some(batch) = MmVmscanLruShrinkInactive::of(record) {
            self.shrunk(task, &batch);
        } else if let Some(MmVmscanKswapdWake { nid, .. }) = MmVmscanKswapdWake::of(record) {
            if let Some(since) = self.slept.remove(&nid) {
                self.asleep_us.push((now - since) / 1000);
            }
            self.woke.entry(nid).or_insert(now);
        } else if let Some(MmVmscanKswapdSleep { nid }) = MmVmscanKswapdSleep::of(record) {
            if let Some(since) = self.woke.remove(&nid) {
                self.awake_us.push((now - since) / 1000);
            }
            self.slept.insert(nid, now);
        } else if MmVmscanDirectReclaimBegin::of(record).is_some() {
            self.begun.insert(task, now);
        } else if let Some(end) = MmVmscanDirectReclaimEnd::of(record) {
            if let Some(since) = self.begun.remove(&task) {
                self.direct_us.push((now - since) / 1000);
            }
            let reclaimed = end.nr_reclaimed as u64;
            *self.direct_reclaimed.entry(reclaimed).or_default() += 1;
        } else if let Some(throttled) = MmVmscanThrottled::of(record) {
            let reason = REASONS[throttled.reason as usize];
            self.delayed(reason, throttled.usec_timeout, throttled.usec_delayed);
        } else if let Some(wait) = WritebackCongestionWait::of(record) {
            self.delayed(name, wait.usec_timeout, wait.usec_delayed);
        } else if let Some(wait) = WritebackWaitIffCongested::of(record) {
            self.delayed(name, wait.usec_timeout, wait.usec_delayed);
        } else if let Some(BalanceDirty { pause, .. }) = BalanceDirty::of(record) {
            *self.pauses.entry(pause).or_default() += 1;
        }
    }

    fn delayed(&mut self, reason: &'static str, timeout: i64, delayed: i64) {
        let delays = self.throttled.entry((reason, timeout)).or_default();
        *delays.entry(delayed as u64).or_default() += 1;
    }

    fn shrunk(&mut self, task: TaskIndex, batch: &MmVmscanLruShrinkInactive) {
        let (scanned, priority) = (batch.nr_scanned as u64, batch.priority as u64);
        let sum = &mut self.shrunk[usize::from(batch.kswapd)];
        sum.scanned += scanned;
        sum.reclaimed += batch.nr_reclaimed as u64;
        *sum.batches.entry(scanned).or_default() += 1;
        *sum.priorities.entry(priority).or_default() += 1;
        sum.kept += batch.nr_ref_keep as u64;
        sum.writeback += batch.nr_writeback as u64;
        sum.dirty += batch.nr_dirty as u64;
        sum.immediate += batch.nr_immediate as u64;
        sum.skipped += self.skipped_by_task.remove(&task).unwrap_or(0);
    }

    /// The distributions, in the format of `summary.json`.
    pub fn report(mut self) -> Map<String, Value> {
        let mut out = Map::new();
        self.events.retain(|name, _| is_traced(name));
        out.insert("events".into(), json!(self.events));
        let mut outcomes = Map::new();
        for (who, sum) in WHO.iter().zip(&self.shrunk) {
            if sum.scanned > 0 {
                out.insert(format!("shrink_inactive_{who}"), sum.report());
            }
            for (name, count) in [
                ("isolate nr_skipped", sum.skipped),
                ("nr_dirty", sum.dirty),
                ("nr_writeback", sum.writeback),
                ("nr_immediate", sum.immediate),
                ("nr_ref_keep", sum.kept),
            ] {
                outcomes.insert(format!("{who} {name}"), json!(count));
            }
        }
        out.insert("page_outcomes".into(), Value::Object(outcomes));
        out.insert("kswapd_awake_ms".into(), times_spread(&mut self.awake_us));
        out.insert("kswapd_asleep_ms".into(), times_spread(&mut self.asleep_us));
        out.insert(
            "direct_reclaim".into(),
            json!({
                "duration_ms": times_spread(&mut self.direct_us),
                "nr_reclaimed": spread(&self.direct_reclaimed),
                "nr_reclaimed_top": most_frequent(&self.direct_reclaimed),
            }),
        );
        out.insert("throttle_delay_usec".into(), self.throttle());
        if !self.pauses.is_empty() {
            let n: u64 = self.pauses.values().sum();
            let pauses = json!({
                "n": n, "pause_ms": spread(&self.pauses), "pause_top": most_frequent(&self.pauses),
            });
            out.insert("balance_dirty_pages".into(), pauses);
        }
        out.insert(LONGEST_WRITES.into(), times_spread(self.waits.told_us()));
        out
    }

    fn throttle(&self) -> Value {
        let all = self.throttled.iter().map(|(&(reason, timeout), delays)| {
            let mut delay = spread(delays);
            delay["top"] = most_frequent(delays);
            let all: Vec<(u64, u64)> = delays.iter().map(|(&us, &n)| (us, n)).collect();
            delay["all"] = json!(all);
            (format!("{reason}/{timeout}"), delay)
        });
        Value::Object(all.collect())
    }
}

impl Shrunk {
    fn report(&self) -> Value {
        // Priorities from the first to the most urgent, in the kernel's order.
        let priorities = self.priorities.iter().rev();
        let priority: Map<String, Value> = priorities
            .map(|(priority, count)| (priority.to_string(), json!(count)))
            .collect();
        json!({
            "scanned": self.scanned,
            "reclaimed": self.reclaimed,
            "efficiency": self.reclaimed as f64 / self.scanned as f64,
            "batch_nr_scanned_top": most_frequent(&self.batches),
            "priority": priority,
        })
    }
}

/// Did the captures trace events of this name? The allocator's own events were left out because
/// they are too many.
pub fn is_traced(name: &str) -> bool {
    let traced = [
        "mm_vmscan_",
        "balance_dirty_pages",
        "writeback_",
        "reclaim_retry_",
        "mm_page_alloc_extfrag",
    ];
    traced.iter().any(|start| name.starts_with(start))
}

/// The distributions of the real run by its summary and its log, under the names of [`Tally::report`].
pub fn real(summary: &Value, log: &Log) -> Value {
    let mut all = summary.clone();
    all[LONGEST_WRITES] = times_spread(&mut log.longest_writes_us.clone());
    all
}

/// Count, extremes and percentiles, in ms, of times in us; null if there are none.
fn times_spread(us: &mut [u64]) -> Value {
    us.sort_unstable();
    let (Some(&min), Some(&max)) = (us.first(), us.last()) else {
        return Value::Null;
    };
    let at = |percent: usize| us[(us.len() - 1) * percent / 100];
    let sum: u64 = us.iter().sum();
    let ms = |us: u64| us as f64 / 1000.0;
    json!({
        "n": us.len(),
        "min": ms(min), "p10": ms(at(10)), "p50": ms(at(50)), "p90": ms(at(90)), "max": ms(max),
        "mean": ms(sum / us.len() as u64),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use mm::gfp::Gfp;
    use mm::record::{NO_FUNCTION, values};
    use mm::vmscan::throttle::Reason;

    /// A record as the engine makes it.
    pub fn record<R: Declared>(time_ns: u64, task: u32, told: R) -> Record {
        let mut record = None;
        told.put(|kind, numbers, list| {
            record = Some(Record {
                step: 0,
                time_ns,
                task: TaskIndex::new(task),
                cpu: mm::index::CpuIndex::new(0),
                function: NO_FUNCTION,
                kind,
                values: values(numbers, list),
            });
        });
        record.expect("it was put")
    }

    fn batch(scanned: i64, reclaimed: i64, priority: i64, kswapd: bool) -> impl Declared {
        MmVmscanLruShrinkInactive {
            nid: NodeIndex::new(0),
            zid: 0,
            nr_scanned: scanned,
            nr_reclaimed: reclaimed,
            nr_dirty: 0,
            nr_writeback: 0,
            nr_immediate: 0,
            nr_activate: 0,
            nr_ref_keep: scanned - reclaimed,
            priority,
            file: kswapd,
            kswapd,
            sync: false,
        }
    }

    #[test]
    fn events_are_summed_up_into_the_distributions_of_a_summary() {
        let mut tally = Tally::default();
        let wake = || MmVmscanKswapdWake {
            nid: NodeIndex::new(0),
            order: 0,
        };
        let isolate = MmVmscanLruIsolate {
            order: 0,
            nr_requested: 32,
            nr_scanned: 32,
            nr_skipped: 5,
            nr_taken: 32,
            lru: 2,
            both: false,
            contig_taken: 0,
            contig_dirty: 0,
            contig_failed: 0,
        };
        let begin = MmVmscanDirectReclaimBegin {
            order: 0,
            may_writepage: false,
            gfp_flags: Gfp(0),
        };
        let throttled = MmVmscanThrottled {
            nid: NodeIndex::new(0),
            usec_timeout: 4000,
            usec_delayed: 4000,
            reason: Reason::Congested,
        };
        for r in [
            record(0, 7, wake()),
            record(1, 7, isolate),
            record(2, 7, batch(32, 30, 12, true)),
            record(
                3_000_000,
                7,
                MmVmscanKswapdSleep {
                    nid: NodeIndex::new(0),
                },
            ),
            record(5_000_000, 7, wake()),
            record(10_000, 9, begin),
            record(20_000, 9, batch(8, 8, 11, false)),
            record(510_000, 9, MmVmscanDirectReclaimEnd { nr_reclaimed: 57 }),
            record(0, 9, throttled),
        ] {
            tally.add(&r);
        }
        let report = tally.report();
        assert_eq!(report["events"]["mm_vmscan_kswapd_wake"], 2);
        let kswapd = &report["shrink_inactive_kswapd"];
        assert_eq!(kswapd["batch_nr_scanned_top"], json!([[32, 1]]));
        assert_eq!(kswapd["priority"], json!({"12": 1}));
        assert_eq!(report["shrink_inactive_direct"]["reclaimed"], 8);
        assert_eq!(report["page_outcomes"]["kswapd isolate nr_skipped"], 5);
        assert_eq!(report["page_outcomes"]["kswapd nr_ref_keep"], 2);
        assert_eq!(report["kswapd_awake_ms"]["max"], 3.0);
        assert_eq!(report["kswapd_asleep_ms"]["min"], 2.0);
        let direct = &report["direct_reclaim"];
        assert_eq!(direct["nr_reclaimed_top"], json!([[57, 1]]));
        assert_eq!(direct["duration_ms"]["p50"], 0.5);
        let throttled = &report["throttle_delay_usec"]["VMSCAN_THROTTLE_CONGESTED/4000"];
        assert_eq!(throttled["top"], json!([[4000, 1]]));
        assert_eq!(
            (&throttled["n"], &throttled["p50"]),
            (&json!(1), &json!(4000))
        );
        assert_eq!(direct["nr_reclaimed"]["max"], 57);
    }
}
