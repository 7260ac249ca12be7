//! Counts and distributions of a whole trace (`summary.json`), under the same names as for a twin.
//!
//! Counted: every event by its name; batches of the inactive lists, runs of kswapd and of direct reclaim,
//! throttled waits, and pauses of writers. Left out: distributions that no twin has.

use std::collections::BTreeMap;

use capture::distribution::{most_frequent, spread, spread_ms};
use serde_json::{Map, Value, json};

/// Values and how often each occurs.
type Histogram = BTreeMap<i64, u64>;

/// One line of the trace.
struct Line<'a> {
    task: &'a str,
    us: u64,
    event: &'a str,
    fields: &'a str,
}

impl<'a> Line<'a> {
    /// `  kswapd0-37      [000] .....    13.535946: mm_vmscan_kswapd_wake: nid=0 order=0`
    fn read(line: &'a str) -> Option<Line<'a>> {
        let (task, rest) = line.trim_start().split_once(" [")?;
        let (_, rest) = rest.split_once("] ")?;
        let (before, rest) = rest.split_once(": ")?;
        let time = before.split_whitespace().last()?;
        let (event, fields) = rest.split_once(':')?;
        Some(Line {
            task: task.trim_end(),
            us: micros(time)?,
            event,
            fields,
        })
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        let mut words = self.fields.split_whitespace();
        words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    fn number(&self, name: &str) -> i64 {
        self.text(name)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    }
}

fn micros(time: &str) -> Option<u64> {
    let (seconds, fraction) = time.split_once('.')?;
    let fraction: u64 = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
    Some(seconds.parse::<u64>().ok()? * 1_000_000 + fraction)
}

/// The results of shrinking inactive lists, for one kind of task.
#[derive(Default)]
struct Shrunk {
    scanned: i64,
    reclaimed: i64,
    batches: Histogram,
    priorities: Histogram,
    outcomes: BTreeMap<&'static str, i64>,
}

/// The outcomes of a batch that are added up.
const OUTCOMES: [&str; 4] = ["nr_dirty", "nr_writeback", "nr_immediate", "nr_ref_keep"];

/// A summary that is being made.
#[derive(Default)]
pub struct Summary {
    events: BTreeMap<String, u64>,
    span_us: Option<(u64, u64)>,
    lines: u64,
    lost: BTreeMap<String, u64>,
    shrunk: BTreeMap<&'static str, Shrunk>,
    woke: BTreeMap<i64, u64>,
    slept: BTreeMap<i64, u64>,
    awake_us: Histogram,
    asleep_us: Histogram,
    begun: BTreeMap<String, u64>,
    direct_us: Histogram,
    direct_reclaimed: Histogram,
    throttled: BTreeMap<String, Histogram>,
    pauses: Histogram,
}

impl Summary {
    /// The summary of a trace.
    pub fn of(trace: &str) -> Value {
        let mut summary = Summary::default();
        for line in trace.lines() {
            summary.add(line);
        }
        summary.report()
    }

    fn add(&mut self, line: &str) {
        if let Some((cpu, count)) = lost(line) {
            *self.lost.entry(cpu).or_default() += count;
            return;
        }
        if line.starts_with('#') {
            return;
        }
        let Some(line) = Line::read(line) else {
            return;
        };
        self.lines += 1;
        let (first, _) = self.span_us.unwrap_or((line.us, line.us));
        self.span_us = Some((first, line.us));
        *self.events.entry(line.event.to_string()).or_default() += 1;
        match line.event {
            "mm_vmscan_kswapd_wake" => self.wake(line.number("nid"), line.us),
            "mm_vmscan_kswapd_sleep" => self.sleep(line.number("nid"), line.us),
            "mm_vmscan_direct_reclaim_begin" => {
                self.begun.insert(line.task.to_string(), line.us);
            }
            "mm_vmscan_direct_reclaim_end" => {
                if let Some(since) = self.begun.remove(line.task) {
                    count(&mut self.direct_us, (line.us - since) as i64);
                }
                count(&mut self.direct_reclaimed, line.number("nr_reclaimed"));
            }
            "mm_vmscan_lru_shrink_inactive" => self.shrink(&line),
            "mm_vmscan_lru_isolate" => {
                let sum = self.shrunk.entry(who(line.task)).or_default();
                *sum.outcomes.entry("isolate nr_skipped").or_default() += line.number("nr_skipped");
            }
            "mm_vmscan_throttled" => {
                let reason = line.text("reason").unwrap_or("-");
                self.delay(reason, &line);
            }
            "writeback_congestion_wait" | "writeback_wait_iff_congested" => {
                self.delay(line.event, &line);
            }
            "balance_dirty_pages" => count(&mut self.pauses, line.number("pause")),
            _ => {}
        }
    }

    fn wake(&mut self, node: i64, us: u64) {
        if let Some(since) = self.slept.remove(&node) {
            count(&mut self.asleep_us, (us - since) as i64);
        }
        self.woke.entry(node).or_insert(us);
    }

    fn sleep(&mut self, node: i64, us: u64) {
        if let Some(since) = self.woke.remove(&node) {
            count(&mut self.awake_us, (us - since) as i64);
        }
        self.slept.insert(node, us);
    }

    fn shrink(&mut self, line: &Line) {
        let sum = self.shrunk.entry(who(line.task)).or_default();
        let scanned = line.number("nr_scanned");
        sum.scanned += scanned;
        sum.reclaimed += line.number("nr_reclaimed");
        count(&mut sum.batches, scanned);
        count(&mut sum.priorities, line.number("priority"));
        for name in OUTCOMES {
            *sum.outcomes.entry(name).or_default() += line.number(name);
        }
    }

    fn delay(&mut self, reason: &str, line: &Line) {
        // 6.1 misspells the name.
        let delayed = line
            .text("usec_delayed")
            .or_else(|| line.text("usect_delayed"));
        let delayed = delayed.and_then(|text| text.parse().ok()).unwrap_or(0);
        let timeout = line.number("usec_timeout");
        let delays = self
            .throttled
            .entry(format!("{reason}/{timeout}"))
            .or_default();
        count(delays, delayed);
    }

    fn report(self) -> Value {
        let seconds = |us: u64| us as f64 / 1e6;
        let (from, to) = self.span_us.unwrap_or((0, 0));
        let mut out = Map::new();
        let mut add = |name: &str, value: Value| out.insert(name.to_string(), value);
        add("span_s", json!([seconds(from), seconds(to)]));
        add("events", json!(self.events));
        add("kswapd_awake_ms", spread_ms(&self.awake_us));
        add("kswapd_asleep_ms", spread_ms(&self.asleep_us));
        let mut outcomes = Map::new();
        for (who, sum) in &self.shrunk {
            if sum.scanned > 0 {
                add(&format!("shrink_inactive_{who}"), sum.report());
            }
            for (name, count) in &sum.outcomes {
                outcomes.insert(format!("{who} {name}"), json!(count));
            }
        }
        add("page_outcomes", Value::Object(outcomes));
        add(
            "direct_reclaim",
            json!({
                "duration_ms": spread_ms(&self.direct_us),
                "nr_reclaimed": spread(&self.direct_reclaimed),
                "nr_reclaimed_top": most_frequent(&self.direct_reclaimed),
            }),
        );
        let delays = self.throttled.iter().map(|(name, delays)| {
            let mut spread = spread(delays);
            spread["top"] = most_frequent(delays);
            (name.clone(), spread)
        });
        add("throttle_delay_usec", Value::Object(delays.collect()));
        if !self.pauses.is_empty() {
            let n: u64 = self.pauses.values().sum();
            let spread = spread(&self.pauses);
            let pauses =
                json!({"n": n, "pause_ms": spread, "pause_top": most_frequent(&self.pauses)});
            add("balance_dirty_pages", pauses);
        }
        add("buffer_dropped_events", json!(self.lost));
        add("traced_lines", json!(self.lines));
        Value::Object(out)
    }
}

impl Shrunk {
    fn report(&self) -> Value {
        let priorities = self.priorities.iter().rev();
        let priorities: Map<String, Value> = priorities
            .map(|(priority, n)| (priority.to_string(), json!(n)))
            .collect();
        json!({
            "scanned": self.scanned,
            "reclaimed": self.reclaimed,
            "efficiency": self.reclaimed as f64 / self.scanned as f64,
            "batch_nr_scanned_top": most_frequent(&self.batches),
            "priority": priorities,
        })
    }
}

/// `CPU:1 [LOST 300 EVENTS]`, also without the brackets.
fn lost(line: &str) -> Option<(String, u64)> {
    let rest = line.trim_start().strip_prefix("CPU:")?;
    let (cpu, rest) = rest.split_once(' ')?;
    let (_, rest) = rest.split_once("LOST ")?;
    let count = rest.split_whitespace().next()?.parse().ok()?;
    Some((format!("cpu{cpu}"), count))
}

fn who(task: &str) -> &'static str {
    match task.starts_with("kswapd") {
        true => "kswapd",
        false => "direct",
    }
}

fn count(histogram: &mut Histogram, value: i64) {
    *histogram.entry(value).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "# tracer: nop
         kswapd0-37      [000] .....    13.535946: mm_vmscan_kswapd_wake: nid=0 order=0
CPU:0 [LOST 17 EVENTS]
         kswapd0-37      [000] d..1.    13.537701: mm_vmscan_lru_isolate: order=0 nr_scanned=7 nr_skipped=2 nr_taken=5
         kswapd0-37      [000] .....    13.538000: mm_vmscan_lru_shrink_inactive: nid=0 nr_scanned=32 nr_reclaimed=20 nr_dirty=1 nr_writeback=0 nr_immediate=0 nr_ref_keep=12 priority=11 flags=X
         kswapd0-37      [000] .....    13.738946: mm_vmscan_kswapd_sleep: nid=0
           hog/1-129     [001] .....    14.698871: mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=X
           hog/1-129     [001] .....    14.700871: mm_vmscan_direct_reclaim_end: nr_reclaimed=48
           my hog-130    [001] .....    14.800000: mm_vmscan_throttled: nid=0 usec_timeout=100000 usect_delayed=4000 reason=VMSCAN_THROTTLE_WRITEBACK
           hog/1-129     [001] .....    14.900000: balance_dirty_pages: bdi 254:0: pause=-20 period=4
half a line
";

    #[test]
    fn counts_events_and_distributions_of_a_trace() {
        let summary = Summary::of(TRACE);
        assert_eq!(summary["span_s"], json!([13.535946, 14.9]));
        assert_eq!(summary["events"]["mm_vmscan_kswapd_wake"], 1);
        assert_eq!(summary["kswapd_awake_ms"]["max"], 203.0);
        assert_eq!(summary["shrink_inactive_kswapd"]["reclaimed"], 20);
        assert_eq!(summary["page_outcomes"]["kswapd isolate nr_skipped"], 2);
        assert_eq!(summary["direct_reclaim"]["duration_ms"]["p50"], 2.0);
        assert_eq!(
            summary["direct_reclaim"]["nr_reclaimed_top"],
            json!([[48, 1]])
        );
        let throttled = &summary["throttle_delay_usec"]["VMSCAN_THROTTLE_WRITEBACK/100000"];
        assert_eq!(throttled["top"], json!([[4000, 1]]));
        assert_eq!(
            summary["balance_dirty_pages"]["pause_top"],
            json!([[-20, 1]])
        );
        assert_eq!(summary["buffer_dropped_events"]["cpu0"], 17);
        assert_eq!(summary["traced_lines"], 8);
    }

    #[test]
    fn summarizes_an_empty_trace() {
        let summary = Summary::of("");
        assert_eq!(summary["traced_lines"], 0);
        assert!(summary["kswapd_awake_ms"].is_null());
    }
}
