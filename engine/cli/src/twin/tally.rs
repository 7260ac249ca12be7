//! Distributions of a run of ours, under the names `summary.json` gives those of the real one.

use std::collections::BTreeMap;

use mm::trace::{EVENTS, Event, Record, What};
use serde_json::{Map, Value, json};

/// A histogram by exact value.
type Histogram = BTreeMap<u64, u64>;

/// Who reclaims.
const WHO: [&str; 2] = ["direct", "kswapd"];
/// How many of the most frequent values are reported, as many as `summary.json` has.
const TOP: usize = 10;

/// What shrinking inactive lists came to, for kswapd or for direct reclaim.
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

/// Everything counted from events.
#[derive(Debug, Default)]
pub struct Tally {
    events: BTreeMap<&'static str, u64>,
    shrunk: [Shrunk; 2],
    /// `mm_vmscan_lru_isolate` does not say who; the same task's next batch does.
    skipped_by_task: BTreeMap<u32, u64>,
    /// When kswapd of a node last really woke, and last fell asleep, ns.
    woke: BTreeMap<u32, u64>,
    slept: BTreeMap<u32, u64>,
    awake_us: Vec<u64>,
    asleep_us: Vec<u64>,
    begun: BTreeMap<u32, u64>,
    direct_us: Vec<u64>,
    direct_reclaimed: Histogram,
    throttled: BTreeMap<(u32, u32), Histogram>,
    pauses: BTreeMap<i64, u64>,
}

impl Tally {
    /// Counts one record.
    pub fn add(&mut self, record: &Record) {
        let What::Event(event) = record.what else {
            return;
        };
        *self.events.entry(EVENTS[event as usize].name).or_default() += 1;
        let (n, task, now) = (record.n, record.task, record.time_ns);
        match event {
            Event::MmVmscanLruIsolate => {
                *self.skipped_by_task.entry(task).or_default() += u64::from(n[3]);
            }
            Event::MmVmscanLruShrinkInactive => self.shrunk(task, n),
            Event::MmVmscanKswapdWake => {
                if let Some(since) = self.slept.remove(&n[0]) {
                    self.asleep_us.push((now - since) / 1000);
                }
                self.woke.entry(n[0]).or_insert(now);
            }
            Event::MmVmscanKswapdSleep => {
                if let Some(since) = self.woke.remove(&n[0]) {
                    self.awake_us.push((now - since) / 1000);
                }
                self.slept.insert(n[0], now);
            }
            Event::MmVmscanDirectReclaimBegin => {
                self.begun.insert(task, now);
            }
            Event::MmVmscanDirectReclaimEnd => {
                if let Some(since) = self.begun.remove(&task) {
                    self.direct_us.push((now - since) / 1000);
                }
                *self.direct_reclaimed.entry(n[0].into()).or_default() += 1;
            }
            Event::MmVmscanThrottled => {
                let delays = self.throttled.entry((n[3], n[1])).or_default();
                *delays.entry(n[2].into()).or_default() += 1;
            }
            Event::BalanceDirtyPages => {
                // Written as the kernel has it: a signed number of milliseconds.
                *self.pauses.entry((n[3] as i32).into()).or_default() += 1;
            }
            _ => {}
        }
    }

    fn shrunk(&mut self, task: u32, n: [u32; 6]) {
        let [_, scanned, reclaimed, priority, flags, outcomes] = n;
        let sum = &mut self.shrunk[(flags >> 1 & 1) as usize];
        sum.scanned += u64::from(scanned);
        sum.reclaimed += u64::from(reclaimed);
        *sum.batches.entry(scanned.into()).or_default() += 1;
        *sum.priorities.entry(priority.into()).or_default() += 1;
        let [kept, writeback, dirty, immediate] = outcomes.to_le_bytes().map(u64::from);
        sum.kept += kept;
        sum.writeback += writeback;
        sum.dirty += dirty;
        sum.immediate += immediate;
        sum.skipped += self.skipped_by_task.remove(&task).unwrap_or(0);
    }

    /// The distributions, shaped like `summary.json`.
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
        out.insert("kswapd_awake_ms".into(), spread(&mut self.awake_us));
        out.insert("kswapd_asleep_ms".into(), spread(&mut self.asleep_us));
        out.insert(
            "direct_reclaim".into(),
            json!({
                "duration_ms": spread(&mut self.direct_us),
                "nr_reclaimed_top": top(&self.direct_reclaimed),
            }),
        );
        out.insert("throttle_delay_usec".into(), self.throttle());
        if !self.pauses.is_empty() {
            let n: u64 = self.pauses.values().sum();
            let pauses = json!({"n": n, "pause_top": top(&self.pauses)});
            out.insert("balance_dirty_pages".into(), pauses);
        }
        out
    }

    fn throttle(&self) -> Value {
        let reason = |r: u32| mm::vmscan::throttle::REASONS[r as usize];
        let all = self.throttled.iter().map(|(&(r, timeout), delays)| {
            let n: u64 = delays.values().sum();
            let name = format!("{}/{timeout}", reason(r));
            (name, json!({"n": n, "top": top(delays)}))
        });
        Value::Object(all.collect())
    }
}

impl Shrunk {
    fn report(&self) -> Value {
        // Priorities from the first to the most desperate, as the kernel goes through them.
        let priorities = self.priorities.iter().rev();
        let priority: Map<String, Value> = priorities
            .map(|(priority, count)| (priority.to_string(), json!(count)))
            .collect();
        json!({
            "scanned": self.scanned,
            "reclaimed": self.reclaimed,
            "efficiency": self.reclaimed as f64 / self.scanned as f64,
            "batch_nr_scanned_top": top(&self.batches),
            "priority": priority,
        })
    }
}

/// Did the captures trace events of this name? The allocator's own are many and were left out.
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

/// The most frequent values with their counts.
fn top<K: Copy + Ord + serde::Serialize>(histogram: &BTreeMap<K, u64>) -> Value {
    let mut all: Vec<(K, u64)> = histogram.iter().map(|(&k, &n)| (k, n)).collect();
    all.sort_by_key(|&(k, n)| (std::cmp::Reverse(n), k));
    all.truncate(TOP);
    json!(all)
}

/// Count, extremes and percentiles of times given in us, in ms; null for none.
fn spread(us: &mut [u64]) -> Value {
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
mod tests {
    use super::*;

    fn record(time_ns: u64, task: u32, event: Event, n: [u32; 6]) -> Record {
        let what = What::Event(event);
        let (step, cpu) = (0, 0);
        Record {
            step,
            time_ns,
            task,
            cpu,
            what,
            n,
        }
    }

    #[test]
    fn events_become_the_distributions_of_a_summary() {
        let mut tally = Tally::default();
        for r in [
            record(0, 7, Event::MmVmscanKswapdWake, [0; 6]),
            record(1, 7, Event::MmVmscanLruIsolate, [0, 32, 32, 5, 32, 2]),
            record(
                2,
                7,
                Event::MmVmscanLruShrinkInactive,
                [0, 32, 30, 12, 3, 2],
            ),
            record(3_000_000, 7, Event::MmVmscanKswapdSleep, [0; 6]),
            record(5_000_000, 7, Event::MmVmscanKswapdWake, [0; 6]),
            record(10_000, 9, Event::MmVmscanDirectReclaimBegin, [0; 6]),
            record(
                20_000,
                9,
                Event::MmVmscanLruShrinkInactive,
                [0, 8, 8, 11, 0, 0],
            ),
            record(
                510_000,
                9,
                Event::MmVmscanDirectReclaimEnd,
                [57, 0, 0, 0, 0, 0],
            ),
            record(0, 9, Event::MmVmscanThrottled, [0, 4000, 4000, 3, 0, 0]),
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
    }
}
