//! The generations of the multi-generational LRU at the end of a workload, in both runs.
//!
//! Read: `lru_gen.csv`, the guest's samples of debugfs `lru_gen`; without it the section `lru_gen` of
//! `after.txt`.
//! Invariants: generations are compared by their distance from the youngest one of their node, because
//! the two runs may have opened different numbers of them.

use std::fmt::Write as _;

use mm::procfs::lru_gen::{LruGenNode, parse_lru_gen};
use mm::show::commas;
use serde::Serialize;
use serde_json::{Value, json};

use crate::files::Files;
use crate::moment::Moment;
use crate::score::MANY;

const FILE: &str = "lru_gen.csv";
const HEAD: &str = "mono_s,memcg,node,seq,age_ms,anon,file";
/// Group of the root.
const ROOT: &str = "1";
/// How long before the end the compared moment is at least, s: the memory of exiting tasks is freed
/// after it.
pub const BEFORE_END_S: f64 = 0.25;
/// A ratio beyond this, either way, is marked.
const FAR: f64 = 2.0;
/// The types of pages, in the order of the counts.
const TYPES: [&str; 2] = ["anon", "file"];

/// The pages of one generation in both runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GenerationRow {
    /// Node.
    pub node: u16,
    /// Distance from the youngest generation of the node.
    pub from_youngest: u64,
    /// Anonymous and file pages of the real kernel.
    pub real: [u64; 2],
    /// Anonymous and file pages of mmscope.
    pub simulated: [u64; 2],
}

impl GenerationRow {
    /// Is the count of a type large enough in either run to be compared?
    pub fn is_large(&self, kind: usize) -> bool {
        self.real[kind].max(self.simulated[kind]) > MANY
    }

    /// Is the simulated count of a type outside a factor of two?
    pub fn is_far(&self, kind: usize) -> bool {
        let ratio = self.simulated[kind] as f64 / self.real[kind] as f64;
        !(1.0 / FAR..=FAR).contains(&ratio)
    }
}

/// The generations of the real kernel just before its workload ended; empty if the capture has none.
/// A line that cannot be read ends the samples, with a note.
pub fn at_end(
    files: &Files,
    after: &Moment,
    end_s: Option<f64>,
    notes: &mut Vec<String>,
) -> Vec<LruGenNode> {
    match files.get(FILE) {
        Some(text) => sampled(text, end_s, notes),
        None => parse_lru_gen(after.section("lru_gen")).unwrap_or_default(),
    }
}

/// The last sample that is early enough; the first one if all are later.
fn sampled(text: &str, end_s: Option<f64>, notes: &mut Vec<String>) -> Vec<LruGenNode> {
    let until_s = end_s.map_or(f64::INFINITY, |end| end - BEFORE_END_S);
    let mut last: Vec<Line> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if number == 1 && line == HEAD {
            continue;
        }
        let Some(line) = Line::read(line) else {
            notes.push(format!(
                "{FILE}:{number}: this line is not {HEAD}; is the file cut off? The generations end before it"
            ));
            break;
        };
        if !line.is_root {
            continue;
        }
        let is_new = last.last().is_some_and(|other| other.s != line.s);
        if is_new && line.s > until_s {
            break;
        }
        if is_new {
            last.clear();
        }
        last.push(line);
    }
    nodes_of(&last)
}

/// A line of the samples.
struct Line {
    s: f64,
    is_root: bool,
    node: u16,
    seq: u64,
    age_ms: u64,
    pages: [u64; 2],
}

impl Line {
    fn read(text: &str) -> Option<Line> {
        let cells: Vec<&str> = text.split(',').collect();
        let &[s, group, node, seq, age_ms, anon, file] = cells.as_slice() else {
            return None;
        };
        Some(Line {
            s: s.parse().ok().filter(|s: &f64| s.is_finite())?,
            is_root: group == ROOT,
            node: node.parse().ok()?,
            seq: seq.parse().ok()?,
            age_ms: age_ms.parse().ok()?,
            pages: [anon.parse().ok()?, file.parse().ok()?],
        })
    }
}

fn nodes_of(lines: &[Line]) -> Vec<LruGenNode> {
    let mut nodes: Vec<LruGenNode> = Vec::new();
    for line in lines {
        if nodes.last().is_none_or(|node| node.node != line.node) {
            nodes.push(LruGenNode {
                node: line.node,
                min_seq: [line.seq; 2],
                ..LruGenNode::default()
            });
        }
        if let Some(node) = nodes.last_mut() {
            node.set(line.seq, line.age_ms, line.pages);
        }
    }
    nodes
}

/// Every generation of either run, by node and from the youngest one.
pub fn rows(real: &[LruGenNode], simulated: &[LruGenNode]) -> Vec<GenerationRow> {
    let mut ids: Vec<u16> = real.iter().chain(simulated).map(|node| node.node).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut rows = Vec::new();
    for id in ids {
        let of = |nodes: &[LruGenNode]| nodes.iter().find(|node| node.node == id).cloned();
        let (real, simulated) = (of(real), of(simulated));
        let count = |node: &Option<LruGenNode>| node.as_ref().map_or(0, |n| n.seqs().count());
        for rank in 0..count(&real).max(count(&simulated)) as u64 {
            let pages = |node: &Option<LruGenNode>| {
                let node = node.as_ref()?;
                let seq = node.max_seq.checked_sub(rank)?;
                node.seqs().contains(&seq).then(|| node.pages_of(seq))
            };
            rows.push(GenerationRow {
                node: id,
                from_youngest: rank,
                real: pages(&real).unwrap_or_default(),
                simulated: pages(&simulated).unwrap_or_default(),
            });
        }
    }
    rows
}

/// Large counts, and those of them within a factor of two.
pub fn near(rows: &[GenerationRow]) -> (usize, usize) {
    let cells = rows.iter().flat_map(|row| [(row, 0), (row, 1)]);
    let large: Vec<(&GenerationRow, usize)> =
        cells.filter(|(row, kind)| row.is_large(*kind)).collect();
    let far = large.iter().filter(|(row, kind)| row.is_far(*kind)).count();
    (large.len() - far, large.len())
}

/// The generations as text; nothing if neither run has any.
pub fn text(rows: &[GenerationRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{:26} {:>10} {:>10} {:>8}\n",
        "pages by generation", "real", "simulated", "ratio"
    );
    for row in rows {
        for (kind, name) in TYPES.into_iter().enumerate() {
            let (real, simulated) = (row.real[kind], row.simulated[kind]);
            if real == 0 && simulated == 0 {
                continue;
            }
            let what = match row.from_youngest {
                0 => format!("node {} youngest {name}", row.node),
                rank => format!("node {} youngest-{rank} {name}", row.node),
            };
            let ratio = match real {
                0 => "-".to_string(),
                real => format!("{:.3}", simulated as f64 / real as f64),
            };
            let mark = match row.is_large(kind) && row.is_far(kind) {
                true => "<<",
                false => "",
            };
            let line = format!(
                "{what:26} {:>10} {:>10} {ratio:>8}  {mark}",
                commas(real as i64),
                commas(simulated as i64)
            );
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    let (near, large) = near(rows);
    let _ = writeln!(
        out,
        "{near} of {large} counts above {MANY} pages are within a factor of {FAR}"
    );
    out
}

/// The generations as JSON.
pub fn as_json(rows: &[GenerationRow]) -> Value {
    let (near, large) = near(rows);
    json!({"rows": rows, "near": near, "large": large})
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: &str = "\
mono_s,memcg,node,seq,age_ms,anon,file
1.000,1,0,0,900,0,9
1.000,1,0,1,900,7,0
1.000,42,0,1,900,5000,0
1.200,1,0,1,1100,4000,90
1.200,1,0,2,200,30,0
1.200,1,1,3,100,8,8
1.360,1,0,1,1260,0,90
1.360,1,0,2,360,0,0
";

    #[test]
    fn the_last_sample_before_the_end_is_compared() {
        let mut notes = Vec::new();
        let nodes = sampled(SAMPLES, Some(1.5), &mut notes);
        assert_eq!(nodes.len(), 2);
        assert_eq!(
            (nodes[0].node, nodes[0].max_seq, nodes[0].min_seq),
            (0, 2, [1, 1])
        );
        assert_eq!(nodes[0].pages_of(1), [4000, 90]);
        assert_eq!(nodes[1].pages_of(3), [8, 8]);
        let last = sampled(SAMPLES, None, &mut notes);
        assert_eq!(last[0].pages_of(1), [0, 90]);
        let first = sampled(SAMPLES, Some(0.5), &mut notes);
        assert_eq!(first[0].pages_of(1), [7, 0]);
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn a_truncated_file_gives_its_complete_samples_and_a_note() {
        let mut notes = Vec::new();
        let cut = &SAMPLES[..SAMPLES.len() - 8];
        let nodes = sampled(cut, None, &mut notes);
        assert_eq!(nodes[0].pages_of(1), [0, 90]);
        assert!(notes[0].starts_with("lru_gen.csv:9:"), "{notes:?}");
    }

    #[test]
    fn generations_are_compared_from_the_youngest_one() {
        let node = |max_seq: u64, pages: &[[u64; 2]]| {
            let first = max_seq + 1 - pages.len() as u64;
            let mut node = LruGenNode {
                min_seq: [first; 2],
                ..LruGenNode::default()
            };
            for (seq, pages) in (first..).zip(pages) {
                node.set(seq, 0, *pages);
            }
            node
        };
        let real = [node(9, &[[0, 5000], [3000, 0], [0, 10]])];
        let ours = [node(4, &[[1600, 0], [1, 40]])];
        let rows = rows(&real, &ours);
        let pages: Vec<([u64; 2], [u64; 2])> =
            rows.iter().map(|row| (row.real, row.simulated)).collect();
        assert_eq!(
            pages,
            [
                ([0, 10], [1, 40]),
                ([3000, 0], [1600, 0]),
                ([0, 5000], [0, 0])
            ]
        );
        assert_eq!(near(&rows), (1, 2));
        let text = text(&rows);
        assert!(text.contains("node 0 youngest-2 file"), "{text}");
        assert!(text.contains("1 of 2 counts above 1000"), "{text}");
        assert_eq!(as_json(&rows)["rows"][1]["real"], json!([3000, 0]));
    }
}
