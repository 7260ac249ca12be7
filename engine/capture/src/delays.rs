//! How long reclaimers waited, tick by tick, in the real run and in the simulated one.
//!
//! A capture has the most frequent delays of each event, reason and timeout, and the number of all
//! delays. Those delays are compared one by one, the rest as a sum.

use std::fmt::Write as _;

use mm::show::commas;
use serde_json::{Map, Value, json};

/// The name of the delays in both runs.
const DELAYS: &str = "throttle_delay_usec";
/// Two counts of a bucket are close if one is at most this many times the other.
const NEAR: u64 = 2;
/// Differences between fewer waits than this are due to chance.
pub const FEW: u64 = 30;

/// One delay of one kind of wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Event or reason and its timeout in us: "VMSCAN_THROTTLE_WRITEBACK/100000".
    pub wait: String,
    /// The delay, us; none for all delays that the capture does not list.
    pub delayed_us: Option<u64>,
    /// The count in the real run; none if the capture did not trace such waits.
    pub real: Option<u64>,
    /// The count in the simulated run.
    pub simulated: u64,
}

impl Bucket {
    /// Whether the counts differ by more than a factor of two, if either side has more than
    /// [`FEW`].
    pub fn is_far(&self) -> bool {
        self.real.is_some_and(|real| {
            let (less, more) = (real.min(self.simulated), real.max(self.simulated));
            more >= FEW && more > NEAR * less
        })
    }
}

/// All buckets: first those in the capture, in the order of their delays, then the others.
pub fn buckets(real: &Value, simulated: &Map<String, Value>) -> Vec<Bucket> {
    let nothing = json!({});
    // The first captures traced mm_vmscan_* only.
    let is_traced = |wait: &str| real.get(DELAYS).is_some() || !wait.starts_with("writeback_");
    let theirs = real.get(DELAYS).unwrap_or(&nothing);
    let ours = simulated.get(DELAYS).unwrap_or(&nothing);
    let names = |side: &Value| {
        side.as_object()
            .map_or(Vec::new(), |o| o.keys().cloned().collect())
    };
    let mut waits: Vec<String> = names(theirs);
    waits.extend(names(ours));
    waits.sort_unstable();
    waits.dedup();
    waits
        .into_iter()
        .flat_map(|wait| of_wait(&theirs[&wait], &ours[&wait], &wait, is_traced(&wait)))
        .collect()
}

fn of_wait(theirs: &Value, ours: &Value, wait: &str, is_traced: bool) -> Vec<Bucket> {
    let simulated = pairs(&ours["all"]);
    let mut told = pairs(&theirs["top"]);
    told.sort_unstable();
    let count = |us: u64| {
        simulated
            .iter()
            .find(|&&(own, _)| own == us)
            .map_or(0, |p| p.1)
    };
    let bucket = |delayed_us, real, simulated| Bucket {
        wait: wait.to_string(),
        delayed_us,
        real: is_traced.then_some(real),
        simulated,
    };
    let mut out: Vec<Bucket> = told
        .iter()
        .map(|&(us, real)| bucket(Some(us), real, count(us)))
        .collect();
    let sum = |pairs: &[(u64, u64)]| pairs.iter().map(|&(_, n)| n).sum::<u64>();
    let named: u64 = out.iter().map(|b| b.simulated).sum();
    let all = theirs["n"].as_u64().unwrap_or(0);
    let rest = (all - sum(&told).min(all), sum(&simulated) - named);
    if rest != (0, 0) {
        out.push(bucket(None, rest.0, rest.1));
    }
    out
}

fn pairs(value: &Value) -> Vec<(u64, u64)> {
    let list = value.as_array().map_or(&[][..], Vec::as_slice);
    let pair = |item: &Value| Some((item[0].as_u64()?, item[1].as_u64()?));
    list.iter().filter_map(pair).collect()
}

/// Both runs as text; empty if no task waited.
pub fn text(buckets: &[Bucket]) -> String {
    let mut out = String::new();
    let mut wait = "";
    for bucket in buckets {
        if bucket.wait != wait {
            wait = &bucket.wait;
            let _ = writeln!(out, "\n{wait:40} {:>10} {:>10}", "real", "simulated");
        }
        let delay = bucket
            .delayed_us
            .map_or("other delays".to_string(), |us| format!("delayed={us}"));
        let count = |n: u64| commas(i64::try_from(n).unwrap_or(i64::MAX));
        let line = format!(
            "  {delay:38} {:>10} {:>10}  {}",
            bucket.real.map_or("not traced".to_string(), count),
            count(bucket.simulated),
            if bucket.is_far() { "<<" } else { "" }
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Both runs as JSON.
pub fn as_json(buckets: &[Bucket]) -> Value {
    let one = |b: &Bucket| {
        json!({
            "wait": b.wait, "delayed_us": b.delayed_us, "real": b.real, "simulated": b.simulated,
            "far": b.is_far(),
        })
    };
    buckets.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_delays_of_a_capture_are_compared_with_the_simulated_ones() {
        let real = json!({ DELAYS: { "wait_iff_congested/100000": {
            "n": 100, "top": [[0, 60], [8000, 30]],
        } } });
        let ours = json!({ DELAYS: {
            "wait_iff_congested/100000": { "all": [[0, 130], [4000, 5], [8000, 20]] },
            "VMSCAN_THROTTLE_WRITEBACK/100000": { "all": [[100_000, 40]] },
        } });
        let found = buckets(&real, ours.as_object().expect("an object"));
        let told: Vec<_> = found
            .iter()
            .map(|b| (b.delayed_us, b.real, b.simulated, b.is_far()))
            .collect();
        assert_eq!(
            told,
            [
                (None, Some(0), 40, true),
                (Some(0), Some(60), 130, true),
                (Some(8000), Some(30), 20, false),
                (None, Some(10), 5, false),
            ]
        );
        let text = text(&found);
        let lines: Vec<String> = text
            .lines()
            .filter(|line| line.contains("delayed=0"))
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines, ["delayed=0 60 130 <<"]);
        assert_eq!(as_json(&found)[1]["far"], true);
        let ours =
            json!({ DELAYS: { "writeback_congestion_wait/100000": { "all": [[104_000, 90]] } } });
        let found = buckets(&json!({}), ours.as_object().expect("an object"));
        assert_eq!((found[0].real, found[0].is_far()), (None, false));
    }
}
