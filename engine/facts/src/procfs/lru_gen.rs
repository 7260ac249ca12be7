//! Printing and reading `lru_gen` and `lru_gen_full` of debugfs, and printing the files of
//! `/sys/kernel/mm/lru_gen` (mm/vmscan.c, `lru_gen_seq_show`, `enabled_show`, `min_ttl_ms_show`).
//!
//! Modelled: every line of 6.1 and 6.12, for each memory cgroup in the order of the tree.
//! Left out: reading the lines of cgroups below the root.
//! Visible difference: none; a value that a view lacks prints as 0.
//! Invariants: a real file read and printed again is the same file.

use std::fmt::Write;

use crate::kernel::{Features, LruGenRule};

/// The maximum number of generations that exist at the same time.
pub const MAX_NR_GENS: usize = 4;
/// Number of tiers.
pub const MAX_NR_TIERS: usize = 4;

/// How a kernel prints the fields of the full file that do not apply to a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LruGenForm {
    /// A blank after the number, and six numbers for a walk.
    Blank,
    /// An `x` after the number, and four numbers for a walk.
    Crossed,
}

/// Refaults and evictions of one tier of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TierCounts {
    /// Moving average of refaults in earlier generations (`avg_refaulted`).
    pub avg_refaulted: u64,
    /// Moving average of pages evicted or protected in earlier generations (`avg_total`).
    pub avg_total: u64,
    /// Refaults of the oldest generation.
    pub refaulted: u64,
    /// Evicted pages of that generation.
    pub evicted: u64,
    /// Pages of that generation that moved to the next one because of their tier.
    pub protected: u64,
}

/// What a walk over page tables saw (`mm_stats`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct WalkCounts {
    /// Page table entries that were checked.
    pub leaf_total: u64,
    /// Entries whose accessed bit was set.
    pub leaf_young: u64,
    /// Page table directories that were checked; only 6.1 prints them.
    pub nonleaf_total: u64,
    /// Page table directories that the filter let through.
    pub nonleaf_found: u64,
    /// Page table directories added to the next filter.
    pub nonleaf_added: u64,
}

/// The memory cgroup to which generations belong.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LruGenGroup {
    /// Its number; that of the root is 1.
    pub id: u16,
    /// Its path.
    pub path: String,
}

impl Default for LruGenGroup {
    fn default() -> Self {
        Self {
            id: 1,
            path: "/".to_string(),
        }
    }
}

/// The generations of a node, or of a memory cgroup on a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct LruGenNode {
    /// Node id.
    pub node: u16,
    /// The memory cgroup, the root on a machine without any.
    pub group: LruGenGroup,
    /// The number of the youngest generation.
    pub max_seq: u64,
    /// The numbers of the oldest generations: anonymous, file.
    pub min_seq: [u64; 2],
    /// The age of generation `seq`, at index `seq % 4`, ms.
    pub age_ms: [u64; MAX_NR_GENS],
    /// The pages of generation `seq`, at index `seq % 4`: anonymous, file.
    pub pages: [[u64; 2]; MAX_NR_GENS],
    /// Counts by type and tier.
    pub tiers: [[TierCounts; MAX_NR_TIERS]; 2],
    /// What the last walk found.
    pub walk: WalkCounts,
}

/// Everything that the files contain.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct LruGenFiles {
    /// Nodes with memory, ascending; for each memory cgroup in the order of the tree.
    pub nodes: Vec<LruGenNode>,
    /// The bits of `enabled`.
    pub enabled: u64,
    /// The value of `min_ttl_ms`.
    pub min_ttl_ms: u64,
}

impl LruGenForm {
    /// The form of a kernel.
    pub const fn of(features: &Features) -> LruGenForm {
        match features.lru_gen {
            LruGenRule::AgesWithin => LruGenForm::Crossed,
            _ => LruGenForm::Blank,
        }
    }
}

impl LruGenNode {
    /// The numbers of its generations, oldest first, beginning with the oldest anonymous one, as the file
    /// prints them.
    pub fn seqs(&self) -> std::ops::RangeInclusive<u64> {
        self.min_seq[0]..=self.max_seq
    }

    /// Sets the age and the pages of the youngest generation so far.
    pub fn set(&mut self, seq: u64, age_ms: u64, pages: [u64; 2]) {
        self.max_seq = seq;
        self.age_ms[slot(seq)] = age_ms;
        self.pages[slot(seq)] = pages;
    }

    /// The pages of a generation: anonymous, file.
    pub fn pages_of(&self, seq: u64) -> [u64; 2] {
        self.pages[slot(seq)]
    }
}

const fn slot(seq: u64) -> usize {
    (seq % MAX_NR_GENS as u64) as usize
}

/// The text of `lru_gen`: for each node with memory, a line for each generation.
pub fn lru_gen(nodes: &[LruGenNode]) -> String {
    let mut out = String::new();
    for (node, before) in with_before(nodes) {
        head(&mut out, node, before);
        for seq in node.seqs() {
            generation(&mut out, node, seq, false);
        }
    }
    out
}

/// The text of `lru_gen_full`, which also has the counts of each tier and what the last walk found.
pub fn lru_gen_full(form: LruGenForm, nodes: &[LruGenNode]) -> String {
    let mut out = String::new();
    for (node, before) in with_before(nodes) {
        head(&mut out, node, before);
        for seq in node.max_seq.saturating_sub(MAX_NR_GENS as u64 - 1)..=node.max_seq {
            generation(&mut out, node, seq, true);
            tiers(&mut out, form, node, seq);
        }
    }
    out
}

/// Each element with the one before it.
fn with_before(nodes: &[LruGenNode]) -> impl Iterator<Item = (&LruGenNode, Option<&LruGenNode>)> {
    let before = std::iter::once(None).chain(nodes.iter().map(Some));
    nodes.iter().zip(before)
}

/// The lines before the generations of a node; one for the cgroup if its nodes begin here.
fn head(out: &mut String, node: &LruGenNode, before: Option<&LruGenNode>) {
    let group = &node.group;
    if before.is_none_or(|before| before.group != *group) {
        let _ = writeln!(out, "memcg {:5} {}", group.id, group.path);
    }
    let _ = writeln!(out, " node {:5}", node.node);
}

fn generation(out: &mut String, node: &LruGenNode, seq: u64, full: bool) {
    let _ = write!(out, " {seq:10} {:10}", node.age_ms[slot(seq)]);
    for (pages, min_seq) in node.pages_of(seq).into_iter().zip(node.min_seq) {
        let mark = if full && seq < min_seq { 'x' } else { ' ' };
        let _ = write!(out, " {pages:10}{mark}");
    }
    out.push('\n');
}

fn tiers(out: &mut String, form: LruGenForm, node: &LruGenNode, seq: u64) {
    let none = match form {
        LruGenForm::Blank => ' ',
        LruGenForm::Crossed => 'x',
    };
    for tier in 0..MAX_NR_TIERS {
        let _ = write!(out, "            {tier:10}");
        for (counts, min_seq) in node.tiers.iter().zip(node.min_seq) {
            let counts = &counts[tier];
            let cells = if seq == node.max_seq {
                [
                    (counts.avg_refaulted, 'R'),
                    (counts.avg_total, 'T'),
                    (0, none),
                ]
            } else if seq == min_seq {
                let protected = if tier == 0 { 0 } else { counts.protected };
                [
                    (counts.refaulted, 'r'),
                    (counts.evicted, 'e'),
                    (protected, 'p'),
                ]
            } else {
                [(0, none); 3]
            };
            for (number, mark) in cells {
                let _ = write!(out, " {number:10}{mark}");
            }
        }
        out.push('\n');
    }
    out.push_str("                      ");
    for (number, mark) in walk_cells(form, &node.walk) {
        let (number, mark) = match seq == node.max_seq {
            true => (number, mark),
            false => (0, none),
        };
        let _ = write!(out, " {number:10}{mark}");
    }
    out.push('\n');
}

/// The numbers of a walk, each followed by its letter. 6.1 also counts old entries and all directories.
fn walk_cells(form: LruGenForm, walk: &WalkCounts) -> Vec<(u64, char)> {
    let last = [
        (walk.leaf_young, 'Y'),
        (walk.nonleaf_found, 'F'),
        (walk.nonleaf_added, 'A'),
    ];
    match form {
        LruGenForm::Crossed => [vec![(walk.leaf_total, 'T')], last.to_vec()].concat(),
        LruGenForm::Blank => vec![
            (walk.leaf_total, 'L'),
            (walk.leaf_total.saturating_sub(walk.leaf_young), 'O'),
            last[0],
            (walk.nonleaf_total, 'N'),
            last[1],
            last[2],
        ],
    }
}

/// The text of `/sys/kernel/mm/lru_gen/enabled`.
pub fn enabled(bits: u64) -> String {
    format!("0x{bits:04x}\n")
}

/// The text of `/sys/kernel/mm/lru_gen/min_ttl_ms`.
pub fn min_ttl_ms(ms: u64) -> String {
    format!("{ms}\n")
}

/// Reads the text of `lru_gen`: the generations of the root group. The counts of tiers and walks, which this
/// file lacks, are 0. None if a line does not belong to the file.
pub fn parse_lru_gen(text: &str) -> Option<Vec<LruGenNode>> {
    let mut nodes: Vec<LruGenNode> = Vec::new();
    let mut groups = 0;
    let mut is_first = false;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["memcg", ..] => groups += 1,
            _ if groups > 1 => {}
            ["node", id] => {
                nodes.push(LruGenNode {
                    node: id.parse().ok()?,
                    ..LruGenNode::default()
                });
                is_first = true;
            }
            [seq, age_ms, anon, file] => {
                let node = nodes.last_mut()?;
                let seq: u64 = seq.parse().ok()?;
                if is_first {
                    node.min_seq = [seq; 2];
                    is_first = false;
                }
                let pages = [anon.parse().ok()?, file.parse().ok()?];
                node.set(seq, age_ms.parse().ok()?, pages);
            }
            _ => return None,
        }
    }
    (groups > 0).then_some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by 6.12.95 after a mapped-file reader, on one node.
    const MAPPED: &str = "\
memcg     1 /
 node     0
         31      13056          0         733 
         32      12924          0       27072 
         33      12756          0       52128 
         34      11908         48       26201 
";

    /// The same machine, `lru_gen_full`: the lines of the oldest, a middle and the youngest generation.
    const MAPPED_FULL: [&str; 3] = [
        "         31      13056          0         733 
                     0          0r          0e          0p          0r      27892e          0p
                     1          0r          0e          0p          0r          0e          0p
                     2          0r          0e          0p          0r          0e          0p
                     3          0r          0e          0p          0r          0e          0p
                                0x          0x          0x          0x
",
        "         32      12924          0       27072 
                     0          0x          0x          0x          0x          0x          0x
                     1          0x          0x          0x          0x          0x          0x
                     2          0x          0x          0x          0x          0x          0x
                     3          0x          0x          0x          0x          0x          0x
                                0x          0x          0x          0x
",
        "         34      11908         48       26201 
                     0          0R          0T          0x          0R      10325T          0x
                     1          0R          0T          0x          0R          0T          0x
                     2          0R          0T          0x          0R          0T          0x
                     3          0R          0T          0x          0R          0T          0x
                           935482T     852896Y       1826F       1667A
",
    ];

    /// Printed by 6.1.176 after a streaming reader, `lru_gen_full`.
    const STREAMED_FULL: &str = "\
memcg     1 /
 node     0
          0      44832          0x          0x
                     0          0           0           0           0           0           0 
                     1          0           0           0           0           0           0 
                     2          0           0           0           0           0           0 
                     3          0           0           0           0           0           0 
                                0           0           0           0           0           0 
          1      44832          0       65838 
                     0          0r          0e          0p     303853r     545257e          0p
                     1          0r          0e          0p          0r          1e          0p
                     2          0r          0e          0p          0r          2e          0p
                     3          0r          0e          0p          0r          0e          0p
                                0           0           0           0           0           0 
          2      44832          0           0 
                     0          0           0           0           0           0           0 
                     1          0           0           0           0           0           0 
                     2          0           0           0           0           0           0 
                     3          0           0           0           0           0           0 
                                0           0           0           0           0           0 
          3      44832         48          20 
                     0          0R          0T          0           0R          0T          0 
                     1          0R          0T          0           0R          0T          0 
                     2          0R          0T          0           0R          0T          0 
                     3          0R          0T          0           0R          0T          0 
                                0L          0O          0Y          0N          0F          0A
";

    #[test]
    fn a_printed_file_reads_and_prints_as_it_was() {
        let nodes = parse_lru_gen(MAPPED).expect("the file of a kernel");
        assert_eq!(lru_gen(&nodes), MAPPED);
        let node = &nodes[0];
        assert_eq!((node.node, node.seqs()), (0, 31..=34));
        assert_eq!(node.pages_of(34), [48, 26_201]);
        assert_eq!(node.age_ms[33 % 4], 12_756);
    }

    #[test]
    fn a_generation_is_printed_in_columns_as_wide_as_the_kernel_prints_them() {
        let node = LruGenNode {
            max_seq: 6,
            min_seq: [4, 4],
            age_ms: [12_000, 9000, 500, 0],
            pages: [[1000, 50], [0, 0], [7, 8], [0, 0]],
            ..LruGenNode::default()
        };
        let text = lru_gen(&[node]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "memcg     1 /",
                " node     0",
                "          4      12000       1000          50 "
            ]
        );
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn each_cgroup_is_named_once_before_its_nodes() {
        let node = |node, id, path: &str| LruGenNode {
            node,
            group: LruGenGroup {
                id,
                path: path.to_string(),
            },
            max_seq: 1,
            min_seq: [1, 1],
            ..LruGenNode::default()
        };
        let nodes = [
            node(0, 1, "/"),
            node(1, 1, "/"),
            node(0, 2, "/box"),
            node(1, 2, "/box"),
        ];
        let text = lru_gen(&nodes);
        let heads: Vec<&str> = text.lines().filter(|l| !l.starts_with("    ")).collect();
        let both = [" node     0", " node     1"];
        assert_eq!(heads[1..3], both);
        assert_eq!((heads[0], heads[3]), ("memcg     1 /", "memcg     2 /box"));
        assert_eq!(heads[4..], both);
        assert_eq!(parse_lru_gen(&text).expect("the file").len(), 2);
    }

    #[test]
    fn the_full_file_of_6_12_has_a_cross_for_missing_tiers_and_walks() {
        let mut node = parse_lru_gen(MAPPED)
            .expect("the file of a kernel")
            .remove(0);
        node.tiers[1][0] = TierCounts {
            avg_total: 10_325,
            evicted: 27_892,
            ..TierCounts::default()
        };
        node.walk = WalkCounts {
            leaf_total: 935_482,
            leaf_young: 852_896,
            nonleaf_total: 0,
            nonleaf_found: 1826,
            nonleaf_added: 1667,
        };
        let text = lru_gen_full(LruGenForm::Crossed, &[node]);
        for part in MAPPED_FULL {
            assert!(text.contains(part), "{part}\nis missing in\n{text}");
        }
    }

    #[test]
    fn the_full_file_of_6_1_has_blanks_for_missing_tiers_and_walks() {
        let mut node = LruGenNode {
            max_seq: 3,
            min_seq: [1, 1],
            age_ms: [44_832; 4],
            pages: [[0, 0], [0, 65_838], [0, 0], [48, 20]],
            ..LruGenNode::default()
        };
        let file = &mut node.tiers[1];
        (file[0].refaulted, file[0].evicted) = (303_853, 545_257);
        (file[1].evicted, file[2].evicted) = (1, 2);
        assert_eq!(lru_gen_full(LruGenForm::Blank, &[node]), STREAMED_FULL);
    }

    #[test]
    fn refuses_a_text_that_is_not_a_list_of_generations() {
        assert_eq!(parse_lru_gen(""), None);
        assert_eq!(parse_lru_gen("memcg 1 /\n node x\n"), None);
        assert_eq!(parse_lru_gen("memcg 1 /\n 1 2 3 4\n"), None);
        let groups = format!("{MAPPED}memcg    42 /box\n node     0\n 1 2 3 4\n");
        assert_eq!(parse_lru_gen(&groups), parse_lru_gen(MAPPED));
    }

    #[test]
    fn the_switch_and_the_protected_time_print_as_in_sysfs() {
        assert_eq!(
            (enabled(7), enabled(0)),
            ("0x0007\n".into(), "0x0000\n".into())
        );
        assert_eq!(min_ttl_ms(1000), "1000\n");
    }
}
