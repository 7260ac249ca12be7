//! What the memory cgroups of a workload counted, in both runs.
//!
//! Read: `memcg-NAME.csv`, the guest's samples of memory.current, memory.swap.current, memory.events and
//! memory.stat of a cgroup. Left out: columns that stay 0 in both runs.
//! Invariants: counts are compared when all tasks have ended; sizes a moment before the end, when no task
//! had begun to free its memory.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mm::machine::Machine;
use mm::memcg::files;
use mm::show::commas;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cgroups::Cgroups;
use crate::files::Files;
use crate::generations::BEFORE_END_S;
use crate::score::MANY;

/// A ratio of counts beyond this factor, in either direction, is marked.
const FAR: f64 = 1.5;
/// The rows of memory.events; both runs must count the same.
const EVENTS: [&str; 6] = ["low", "high", "max", "oom", "oom_kill", "oom_group_kill"];
/// The first words of the rows of memory.stat that are counts; the other rows are sizes in bytes.
const COUNTS: [&str; 6] = ["workingset_", "pg", "thp_", "zswp", "swp", "numa_"];
/// The size of a cgroup, and of its swap space.
const CURRENT: [&str; 2] = ["memory.current", "memory.swap.current"];
/// The most cgroups that are read.
const MOST: usize = 64;

/// The kind of a row of a cgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// An event of memory.events.
    Event,
    /// A count.
    Count,
    /// Pages at the end.
    Size,
}

/// One row of a cgroup in both runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CgroupRow {
    /// The cgroup.
    pub cgroup: String,
    /// The name of the row in memory.events or memory.stat.
    pub name: String,
    /// What it is.
    pub kind: RowKind,
    /// The value of the real kernel.
    pub real: u64,
    /// The value of mmscope; none if mmscope does not have the row.
    pub simulated: Option<u64>,
}

impl CgroupRow {
    /// Is it judged? Events always are, counts and sizes if the real kernel has more than [`MANY`].
    pub fn is_judged(&self) -> bool {
        self.kind == RowKind::Event || self.real > MANY
    }

    /// Do the runs differ: an event at all, another row by more than a factor?
    pub fn is_far(&self) -> bool {
        let Some(simulated) = self.simulated else {
            return true;
        };
        let ratio = simulated as f64 / self.real as f64;
        match self.kind {
            RowKind::Event => simulated != self.real,
            RowKind::Count | RowKind::Size => !(1.0 / FAR..=FAR).contains(&ratio),
        }
    }
}

/// The rows of one cgroup at a moment: by name, sizes in bytes.
pub type Rows = BTreeMap<String, u64>;

/// The cgroups of a run at its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AtEnd(BTreeMap<String, Moments>);

/// The two moments at which a cgroup is compared.
#[derive(Debug, Clone, Default, PartialEq)]
struct Moments {
    before_end: Rows,
    ended: Rows,
}

/// What the cgroups of the real kernel counted. A line that cannot be read ends the samples of its
/// cgroup, with a note.
pub fn at_end(
    files: &Files,
    cgroups: &Cgroups,
    end_s: Option<f64>,
    notes: &mut Vec<String>,
) -> AtEnd {
    let until_s = end_s.map_or(f64::INFINITY, |end| end - BEFORE_END_S);
    let mut out = AtEnd::default();
    for name in cgroups.names().take(MOST) {
        let file = format!("memcg-{}.csv", name.replace('/', "-"));
        match files.get(&file) {
            Some(text) => {
                let moments = sampled(&file, text, until_s, notes);
                out.0.insert(name.to_string(), moments);
            }
            None => notes.push(format!("{file} is missing: cgroup {name} is not compared")),
        }
    }
    out
}

/// The last sample that is early enough, and the last one of all.
fn sampled(file: &str, text: &str, until_s: f64, notes: &mut Vec<String>) -> Moments {
    let mut lines = (1..).zip(text.lines());
    let head: Vec<&str> = match lines.next() {
        Some((_, line)) => line.split(',').collect(),
        None => Vec::new(),
    };
    let mut out = Moments::default();
    for (number, line) in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let second = cells.first().and_then(|cell| cell.parse::<f64>().ok());
        let values = cells.iter().skip(1).map(|cell| cell.parse::<u64>().ok());
        let values: Option<Vec<u64>> = values.collect();
        let (Some(second), Some(values)) =
            (second, values.filter(|found| found.len() + 1 == head.len()))
        else {
            notes.push(format!(
                "{file}:{number}: this line is not {} numbers; is the file cut off? The samples end before it",
                head.len()
            ));
            break;
        };
        let names = head.iter().skip(1).map(|name| (*name).to_string());
        let rows: Rows = names.zip(values).collect();
        if second <= until_s || out.before_end.is_empty() {
            out.before_end = rows.clone();
        }
        out.ended = rows;
    }
    out
}

/// The files of the cgroups of a simulated machine, by the name of the cgroup.
pub fn of_machine(machine: &Machine) -> BTreeMap<String, Rows> {
    let w = &machine.w;
    let names = w.facts.groups.all.iter().map(|group| group.name.clone());
    let rows = names
        .zip(w.memcg.groups.indices().skip(1))
        .map(|(name, at)| {
            let mut rows = Rows::new();
            let texts = [files::memory_events(w, at), files::memory_stat(w, at)];
            for text in texts.into_iter().flatten() {
                let lines = text.lines().filter_map(|line| line.split_once(' '));
                rows.extend(lines.filter_map(|(row, n)| Some((row.to_string(), n.parse().ok()?))));
            }
            for (row, text) in CURRENT
                .into_iter()
                .zip([files::memory_current(w, at), files::swap_current(w, at)])
            {
                let bytes = text.and_then(|text| text.trim().parse().ok());
                rows.extend(bytes.map(|bytes| (row.to_string(), bytes)));
            }
            (name, rows)
        });
    rows.collect()
}

/// The cgroups of a simulated run, from their files at the two moments.
pub fn simulated(before_end: BTreeMap<String, Rows>, mut ended: BTreeMap<String, Rows>) -> AtEnd {
    let moments = before_end.into_iter().map(|(name, before_end)| {
        let ended = ended.remove(&name).unwrap_or_default();
        (name, Moments { before_end, ended })
    });
    AtEnd(moments.collect())
}

/// Every row of the real cgroups that is not 0 in both runs: events, then counts, then sizes in pages.
pub fn rows(real: &AtEnd, simulated: &AtEnd, page_bytes: u64) -> Vec<CgroupRow> {
    let mut out = Vec::new();
    for (cgroup, real) in &real.0 {
        let ours = simulated.0.get(cgroup);
        for kind in [RowKind::Event, RowKind::Count, RowKind::Size] {
            let of = |moments: &Moments| match kind {
                RowKind::Event | RowKind::Count => moments.ended.clone(),
                RowKind::Size => moments.before_end.clone(),
            };
            let ours = ours.map(of).unwrap_or_default();
            let names = of(real)
                .into_iter()
                .filter(|(name, _)| kind_of(name) == kind);
            let unit = if kind == RowKind::Size { page_bytes } else { 1 };
            let all = names.map(|(name, value)| CgroupRow {
                cgroup: cgroup.clone(),
                kind,
                real: value / unit,
                simulated: ours.get(&name).map(|value| value / unit),
                name,
            });
            out.extend(all.filter(|row| row.real != 0 || row.simulated.unwrap_or(0) != 0));
        }
    }
    out
}

fn kind_of(name: &str) -> RowKind {
    if EVENTS.contains(&name) {
        RowKind::Event
    } else if COUNTS.iter().any(|head| name.starts_with(head)) {
        RowKind::Count
    } else {
        RowKind::Size
    }
}

/// Judged rows, and those of them that are near.
pub fn near(rows: &[CgroupRow]) -> (usize, usize) {
    let judged = rows.iter().filter(|row| row.is_judged());
    let near = judged.clone().filter(|row| !row.is_far());
    (near.count(), judged.count())
}

/// The cgroups as text; nothing without cgroups.
pub fn text(rows: &[CgroupRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{:40} {:>10} {:>10} {:>8}\n",
        "memory cgroups", "real", "simulated", "ratio"
    );
    for row in rows {
        let what = match row.kind {
            RowKind::Event => format!("{} {} (event)", row.cgroup, row.name),
            RowKind::Count => format!("{} {}", row.cgroup, row.name),
            RowKind::Size => format!("{} {} (pages)", row.cgroup, row.name),
        };
        let simulated = row.simulated;
        let ratio = match (simulated, row.real) {
            (Some(simulated), 1..) => format!("{:.3}", simulated as f64 / row.real as f64),
            _ => "-".to_string(),
        };
        let mark = if row.is_judged() && row.is_far() {
            "<<"
        } else {
            ""
        };
        let line = format!(
            "{what:40} {:>10} {:>10} {ratio:>8}  {mark}",
            commas(row.real as i64),
            simulated.map_or("-".to_string(), |n| commas(n as i64)),
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let (near, judged) = near(rows);
    let _ = writeln!(
        out,
        "{near} of {judged} rows agree: events exactly, values above {MANY} within a factor of {FAR}"
    );
    out
}

/// The cgroups as JSON.
pub fn as_json(rows: &[CgroupRow]) -> Value {
    let (near, judged) = near(rows);
    json!({"rows": rows, "near": near, "judged": judged})
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: &str = "\
mono_s,memory.current,max,oom,anon,pgscan
1.000,4096,0,0,4096,0
1.200,8192000,7,0,8192,5000
1.400,0,9,0,0,6000
";

    fn real() -> AtEnd {
        let files = Files::new([("memcg-box.csv".to_string(), SAMPLES.to_string())]);
        let workload = json!({"cgroups": [{"name": "box"}, {"name": "lost"}]});
        let mut notes = Vec::new();
        let found = at_end(
            &files,
            &Cgroups::of_workload(&workload),
            Some(1.5),
            &mut notes,
        );
        assert_eq!(
            notes,
            ["memcg-lost.csv is missing: cgroup lost is not compared"]
        );
        found
    }

    #[test]
    fn sizes_are_compared_before_the_end_and_counts_after_it() {
        let ours = |max: u64| {
            let rows = [
                ("max", max),
                ("memory.current", 4_096_000),
                ("anon", 0),
                ("pgscan", 6600),
            ];
            let rows = rows.map(|(name, n)| (name.to_string(), n));
            let by_name = BTreeMap::from([("box".to_string(), Rows::from(rows))]);
            simulated(by_name.clone(), by_name)
        };
        let found = rows(&real(), &ours(9), 4096);
        let short: Vec<(&str, u64, Option<u64>, bool)> = found
            .iter()
            .map(|row| {
                (
                    row.name.as_str(),
                    row.real,
                    row.simulated,
                    row.is_judged() && row.is_far(),
                )
            })
            .collect();
        assert_eq!(
            short,
            [
                ("max", 9, Some(9), false),
                ("pgscan", 6000, Some(6600), false),
                ("anon", 2, Some(0), false),
                ("memory.current", 2000, Some(1000), true),
            ]
        );
        assert_eq!(near(&found), (2, 3));
        let off_by_one = rows(&real(), &ours(10), 4096);
        assert!(off_by_one[0].is_far());
        let text = text(&found);
        assert!(text.contains("box max (event)"), "{text}");
        assert!(text.contains("2 of 3 rows agree"), "{text}");
    }

    #[test]
    fn a_line_that_is_cut_off_ends_the_samples_with_a_note() {
        let cut = &SAMPLES[..SAMPLES.len() - 6];
        let mut notes = Vec::new();
        let found = sampled("memcg-box.csv", cut, 9.0, &mut notes);
        assert_eq!(found.ended["max"], 7);
        assert!(notes[0].starts_with("memcg-box.csv:4:"), "{notes:?}");
        assert_eq!(
            sampled("memcg-box.csv", "", 9.0, &mut notes),
            Moments::default()
        );
    }
}
