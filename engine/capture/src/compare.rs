//! The two runs side by side: every counter with its ratio, every distribution.

use std::fmt::Write as _;

use mm::procfs::counters::Counted;
use mm::show::commas;
use serde_json::{Map, Value, json};

use crate::score::MANY;

/// A ratio beyond this factor, in either direction, is marked.
const FAR: f64 = 1.5;

/// Counters of mechanisms that the engine does not have. They are shown but not judged. A counter
/// is removed from this list when its mechanism is modelled; none is added.
pub const ABSENT: [(&str, &[&str]); 5] = [
    (
        "compaction",
        &[
            "compact_daemon_free_scanned",
            "compact_daemon_migrate_scanned",
            "compact_daemon_wake",
            "compact_fail",
            "compact_free_scanned",
            "compact_isolated",
            "compact_migrate_scanned",
            "compact_stall",
            "compact_success",
            "thp_migration_fail",
            "thp_migration_split",
            "thp_migration_success",
        ],
    ),
    (
        "promotion from slower memory",
        &["pgpromote_candidate", "pgpromote_success"],
    ),
    (
        "demotion to slower memory",
        &["pgdemote_direct", "pgdemote_khugepaged", "pgdemote_kswapd"],
    ),
    (
        "pools of huge pages",
        &["htlb_buddy_alloc_fail", "htlb_buddy_alloc_success"],
    ),
    (
        "the kernel's own page tables",
        &["direct_map_level2_splits", "direct_map_level3_splits"],
    ),
];

/// One counter in both runs.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterRow {
    /// Its name.
    pub name: String,
    /// The count of the real kernel.
    pub real: i64,
    /// The count of mmscope; none if mmscope does not have the counter.
    pub simulated: Option<i64>,
    /// The mechanism of the counter, if the engine does not have it.
    pub absent: Option<&'static str>,
}

impl CounterRow {
    /// The simulated count divided by the real one; none if the counter is not simulated or the
    /// real counter did not change.
    pub fn ratio(&self) -> Option<f64> {
        let simulated = self.simulated.filter(|_| self.real != 0)?;
        Some(simulated as f64 / self.real as f64)
    }

    /// Is the ratio outside 1/1.5 to 1.5?
    pub fn is_far(&self) -> bool {
        !self.ratio().is_some_and(|r| (1.0 / FAR..=FAR).contains(&r))
    }

    /// Did the real run change it by more than [`MANY`]?
    pub fn is_large(&self) -> bool {
        self.real.unsigned_abs() > MANY
    }
}

/// Every counter that changed in either run: large changes first, then by name.
pub fn rows(real: &Counted, simulated: &Counted) -> Vec<CounterRow> {
    let mut rows: Vec<CounterRow> = real
        .iter()
        .map(|(name, &real)| CounterRow {
            name: name.clone(),
            real,
            simulated: simulated.get(name).copied(),
            absent: absent(name),
        })
        .filter(|row| row.real != 0 || row.simulated.unwrap_or(0) != 0)
        .collect();
    rows.sort_by(|a, b| (b.is_large(), &a.name).cmp(&(a.is_large(), &b.name)));
    rows
}

fn absent(name: &str) -> Option<&'static str> {
    let found = ABSENT.iter().find(|(_, names)| names.contains(&name));
    found.map(|&(mechanism, _)| mechanism)
}

/// The counters as JSON.
pub fn counters_json(rows: &[CounterRow]) -> Value {
    let row = |row: &CounterRow| {
        let mut value = json!({
            "name": row.name, "real": row.real, "simulated": row.simulated, "ratio": row.ratio(),
        });
        if let Some(mechanism) = row.absent {
            value["absent"] = json!(mechanism);
        }
        value
    };
    rows.iter().map(row).collect()
}

/// The distributions that the simulated run has, each beside the real run's, which may lack it.
pub fn distributions_json(real: &Value, simulated: &Map<String, Value>) -> Value {
    let pair = |(name, ours): (&String, &Value)| {
        let theirs = real.get(name).unwrap_or(&Value::Null);
        (name.clone(), json!({"real": theirs, "simulated": ours}))
    };
    Value::Object(simulated.iter().map(pair).collect())
}

/// Memory before the workload, as text.
pub fn start_text(rows: &[CounterRow]) -> String {
    let mut out = format!(
        "{:20} {:>10} {:>10}\n",
        "before the workload", "real", "simulated"
    );
    for row in rows {
        let simulated = row.simulated.map_or("-".to_string(), commas);
        let _ = writeln!(
            out,
            "{:20} {:>10} {simulated:>10}",
            row.name,
            commas(row.real)
        );
    }
    out
}

/// The comparison of both runs as text.
pub fn text(rows: &[CounterRow], real: &Value, simulated: &Map<String, Value>) -> String {
    let mut out = String::new();
    counters_text(rows, &mut out);
    for (name, ours) in simulated {
        let theirs = real.get(name).unwrap_or(&Value::Null);
        distribution_text(name, theirs, ours, &mut out);
    }
    out
}

fn counters_text(rows: &[CounterRow], out: &mut String) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let _ = writeln!(
        out,
        "{:width$} {:>14} {:>14} {:>8}",
        "counter", "real", "simulated", "ratio"
    );
    let mut was_large = true;
    for row in rows {
        if was_large && !row.is_large() {
            let _ = writeln!(out, "-- moved by {MANY} or less --");
        }
        was_large = row.is_large();
        let simulated = row.simulated.map_or("-".to_string(), commas);
        let ratio = row.ratio().map_or("-".to_string(), |r| format!("{r:.3}"));
        let line = format!(
            "{:width$} {:>14} {simulated:>14} {ratio:>8}  {}",
            row.name,
            commas(row.real),
            remark(row)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let judged = rows
        .iter()
        .filter(|row| row.is_large() && row.absent.is_none());
    let far = judged.clone().filter(|row| row.is_far()).count();
    let _ = writeln!(
        out,
        "{} of {} counters that moved by more than {MANY} are within a factor of {FAR}",
        judged.clone().count() - far,
        judged.count()
    );
}

fn remark(row: &CounterRow) -> String {
    match (row.absent, row.simulated) {
        (Some(mechanism), _) => format!("absent: {mechanism}"),
        (None, None) => "not counted".to_string(),
        (None, _) if row.is_large() && row.is_far() => "<<".to_string(),
        _ => String::new(),
    }
}

/// One distribution, with a line for each of its parts.
fn distribution_text(name: &str, real: &Value, simulated: &Value, out: &mut String) {
    let parts: Vec<&String> = match (real, simulated) {
        (Value::Object(a), Value::Object(b)) => {
            let only_real = a.keys().filter(|key| !b.contains_key(*key));
            b.keys().chain(only_real).collect()
        }
        (Value::Null, Value::Object(b)) => b.keys().collect(),
        (Value::Null, Value::Null) => return,
        _ => {
            let _ = writeln!(out, "\n{name}\n{}", lines(real, simulated, "  "));
            return;
        }
    };
    if parts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{name}");
    for part in parts {
        let (a, b) = (&real[part], &simulated[part]);
        if a.is_number() || b.is_number() {
            let _ = writeln!(out, "  {part}: real {}, simulated {}", short(a), short(b));
        } else if !(a.is_null() && b.is_null()) {
            let _ = writeln!(out, "  {part}\n{}", lines(a, b, "    "));
        }
    }
}

fn lines(real: &Value, simulated: &Value, indent: &str) -> String {
    format!(
        "{indent}real       {}\n{indent}simulated  {}",
        short(real),
        short(simulated)
    )
}

/// A value in one line; a histogram as `value x count`.
fn short(value: &Value) -> String {
    match value {
        Value::Null => "-".to_string(),
        Value::Number(n) => match n.as_f64() {
            Some(f) if !n.is_i64() && !n.is_u64() => format!("{f:.3}"),
            _ => commas(n.as_i64().unwrap_or(0)),
        },
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let pair = |item: &Value| match item.as_array().map(Vec::as_slice) {
                Some([value, count]) => format!("{}x{}", short(value), short(count)),
                _ => short(item),
            };
            items.iter().map(pair).collect::<Vec<_>>().join("  ")
        }
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| format!("{key}:{}", short(value));
            map.iter().map(entry).collect::<Vec<_>>().join("  ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::procfs::counters::counters;

    #[test]
    fn large_counters_come_first_and_distant_or_absent_ones_are_marked() {
        let real = counters("a 5000\nb 10\ncompact_stall 2000\nd 3000\nz 0\n").expect("counters");
        let ours = counters("a 8000\nb 100\nd 2500\nz 0\ncompact_stall 0\n").expect("counters");
        let rows = rows(&real, &ours);
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["a", "compact_stall", "d", "b"]);
        assert_eq!(remark(&rows[0]), "<<");
        assert_eq!(remark(&rows[1]), "absent: compaction");
        assert_eq!(remark(&rows[2]), "");
        let text = text(&rows, &json!({}), &Map::new());
        assert!(text.contains("1 of 2 counters"), "{text}");
        let json = counters_json(&rows);
        assert_eq!(json[0]["ratio"], 1.6);
        assert_eq!(json[1]["absent"], "compaction");
    }

    #[test]
    fn real_and_simulated_distributions_are_printed_line_by_line() {
        let real = json!({"batches": {"top": [[32, 5]], "n": 5}, "other": 1});
        let ours = json!({"batches": {"top": [[32, 6]], "n": 6}});
        let ours = ours.as_object().expect("an object");
        let text = text(&[], &real, ours);
        assert!(text.contains("n: real 5, simulated 6"), "{text}");
        assert!(text.contains("real       32x5"), "{text}");
        let both = distributions_json(&real, ours);
        assert_eq!(both["batches"]["real"]["n"], 5);
        assert!(both.get("other").is_none());
    }
}
