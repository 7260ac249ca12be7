//! Counters at equal intervals (`samples.csv`), and the generations of the multi-generational LRU
//! (`lru_gen.csv`). All memory is reserved before the run.

use std::fmt::Write;
use std::fs::File;
use std::os::unix::fs::FileExt;

use super::cgroups::Cgroups;
use super::group_samples::GroupSamples;
use super::numa::Balancing;
use super::plan::Plan;

/// Counters of /proc/vmstat in the order of the columns. A kernel may lack some.
const COUNTERS: &[&str] = &[
    "nr_free_pages",
    "nr_inactive_anon",
    "nr_active_anon",
    "nr_inactive_file",
    "nr_active_file",
    "nr_unevictable",
    "nr_dirty",
    "nr_writeback",
    "nr_isolated_anon",
    "nr_isolated_file",
    "nr_slab_reclaimable",
    "nr_slab_unreclaimable",
    "nr_dirtied",
    "nr_written",
    "nr_throttled_written",
    "nr_vmscan_write",
    "nr_vmscan_immediate_reclaim",
    "nr_dirty_threshold",
    "nr_dirty_background_threshold",
    "pgscan_kswapd",
    "pgscan_direct",
    "pgsteal_kswapd",
    "pgsteal_direct",
    "pgscan_direct_throttle",
    "allocstall_dma",
    "allocstall_dma32",
    "allocstall_normal",
    "allocstall_movable",
    "pageoutrun",
    "kswapd_inodesteal",
    "kswapd_low_wmark_hit_quickly",
    "kswapd_high_wmark_hit_quickly",
    "slabs_scanned",
    "pgrotated",
    "pgactivate",
    "pgdeactivate",
    "pgfault",
    "pgmajfault",
    "pswpin",
    "pswpout",
    "workingset_refault_anon",
    "workingset_refault_file",
    "workingset_activate_anon",
    "workingset_activate_file",
    "zone_reclaim_success",
    "zone_reclaim_failed",
    "compact_stall",
    "compact_success",
    "compact_fail",
    "compact_migrate_scanned",
    "compact_free_scanned",
    "compact_isolated",
    "compact_daemon_wake",
    "pgmigrate_success",
    "pgmigrate_fail",
    "htlb_buddy_alloc_success",
    "htlb_buddy_alloc_fail",
    "thp_fault_alloc",
    "thp_fault_fallback",
    "numa_pte_updates",
    "numa_hint_faults",
    "numa_hint_faults_local",
    "numa_pages_migrated",
    "oom_kill",
    "pgscan_anon",
    "pgscan_file",
    "pgsteal_anon",
    "pgsteal_file",
    "pgrefill",
    "pgreuse",
    "workingset_restore_anon",
    "workingset_restore_file",
    "workingset_nodereclaim",
    "nr_anon_pages",
    "nr_mapped",
    "nr_file_pages",
    "nr_shmem",
    "nr_swapcached",
    "nr_anon_transparent_hugepages",
    "pgalloc_dma32",
    "pgalloc_normal",
    "pgfree",
    "pgpgin",
    "pgpgout",
    "swap_ra",
    "swap_ra_hit",
    "numa_hit",
    "numa_miss",
    "numa_foreign",
    "numa_local",
    "numa_other",
    "numa_huge_pte_updates",
    "compact_daemon_migrate_scanned",
    "compact_daemon_free_scanned",
    "thp_collapse_alloc",
    "thp_split_page",
    "thp_swpout",
];
/// Columns of each node.
const OF_NODE: [&str; 4] = [
    "nr_inactive_anon",
    "nr_active_anon",
    "nr_inactive_file",
    "nr_active_file",
];
/// The maximum number of bytes that are read of these files.
const LARGEST: usize = 128 << 10;
/// The maximum number of bytes per column in a row.
const CELL: usize = 9;
/// Tasks for which rows of `numa.csv` are reserved.
const TASKS: usize = 8;
/// The maximum memory reserved for one file, bytes.
const MOST: usize = 16 << 20;

/// A file of the kernel that is read repeatedly.
#[derive(Debug)]
pub struct Source {
    file: Option<File>,
    buffer: Vec<u8>,
}

impl Source {
    /// A file of which at most `largest` bytes are read. A file that does not exist is read as empty.
    pub fn new(path: &str, largest: usize) -> Source {
        let file = File::open(path).ok();
        let len = if file.is_some() { largest } else { 0 };
        Source {
            file,
            buffer: vec![1; len],
        }
    }

    /// The present contents.
    pub fn read(&mut self) -> &str {
        let Some(file) = &self.file else { return "" };
        let mut len = 0;
        // The kernel gives at most a page with each call.
        while let Ok(more @ 1..) = file.read_at(&mut self.buffer[len..], len as u64) {
            len += more;
        }
        std::str::from_utf8(&self.buffer[..len]).unwrap_or("")
    }
}

/// Takes samples.
pub struct Sampler {
    zoneinfo: Source,
    vmstat: Source,
    lru_gen: Source,
    /// Tasks and their pages, where NUMA balancing is on.
    pub balancing: Balancing,
    /// The memory cgroups of the workload.
    pub cgroups: GroupSamples,
    /// The line numbers of the columns in /proc/vmstat.
    places: Vec<usize>,
    row: Vec<i64>,
    /// The rows so far.
    pub samples: String,
    /// The rows so far; empty without the multi-generational LRU.
    pub generations: String,
}

impl Sampler {
    /// A sampler with memory for this many samples.
    pub fn new(count: u64, nodes: usize, cgroups: &Cgroups) -> Sampler {
        let mut vmstat = Source::new("/proc/vmstat", LARGEST);
        let mut zoneinfo = Source::new("/proc/zoneinfo", LARGEST);
        let mut lru_gen = Source::new("/sys/kernel/debug/lru_gen", LARGEST);
        let text = vmstat.read();
        let line_of = |name: &&str| {
            let mut lines = text.lines();
            lines.position(|line| line.split(' ').next() == Some(name))
        };
        let known: Vec<(usize, &str)> = COUNTERS
            .iter()
            .filter_map(|name| Some((line_of(name)?, *name)))
            .collect();
        let names = known.iter().map(|(_, name)| (*name).to_string());
        let mut columns = vec!["mono_s".to_string()];
        columns.extend(free_columns(zoneinfo.read()));
        columns.extend(names);
        columns.extend(node_columns(zoneinfo.read()));
        let room = |bytes: usize| usize::try_from(count).map_or(MOST, |n| (n * bytes).min(MOST));
        let mut samples = touched(room(columns.len() * CELL / 2) + (16 << 10));
        let _ = writeln!(samples, "{}", columns.join(","));
        let rows = lru_gen.read().lines().count();
        let mut generations = String::new();
        if rows > 0 {
            generations = touched(room(rows * 4 * CELL) + (4 << 10));
            generations.push_str("mono_s,memcg,node,seq,age_ms,anon,file\n");
        }
        Sampler {
            places: known.iter().map(|(place, _)| *place).collect(),
            row: Vec::with_capacity(columns.len()),
            zoneinfo,
            vmstat,
            lru_gen,
            balancing: Balancing::new(nodes, room(TASKS * CELL * 10) + (4 << 10)),
            cgroups: GroupSamples::new(cgroups, count),
            samples,
            generations,
        }
    }

    /// Takes a sample.
    pub fn take(&mut self, plan: Option<&Plan>, now: u64) {
        let seconds = Seconds(now);
        self.row.clear();
        let mut of_nodes = [[0i64; 4]; 16];
        let mut nodes = 0;
        each_of_zoneinfo(self.zoneinfo.read(), |found| match found {
            Found::Free { free, .. } => self.row.push(free),
            Found::OfNode { node, which, value } => {
                if let Some(node_row) = of_nodes.get_mut(node) {
                    node_row[which] = value;
                    nodes = nodes.max(node + 1);
                }
            }
        });
        let text = self.vmstat.read();
        let start = self.row.len();
        self.row.resize(start + self.places.len(), 0);
        // Counters are in another order than the lines.
        for (line_number, line) in text.lines().enumerate() {
            if let Some(column) = self.places.iter().position(|&place| place == line_number) {
                self.row[start + column] = last_number(line);
            }
        }
        self.row.extend(of_nodes.iter().take(nodes).flatten());
        let _ = write!(self.samples, "{seconds}");
        for value in &self.row {
            let _ = write!(self.samples, ",{value}");
        }
        self.samples.push('\n');
        generations(self.lru_gen.read(), seconds, &mut self.generations);
        self.cgroups.take(seconds);
        if let Some(plan) = plan {
            self.balancing.take(plan, now);
        }
    }
}

/// An empty text with this capacity, all pages of which are in memory.
pub fn touched(bytes: usize) -> String {
    let mut text = vec![b' '; bytes];
    text.clear();
    String::from_utf8(text).unwrap_or_default()
}

/// Seconds with three digits, of ns.
#[derive(Clone, Copy)]
pub struct Seconds(pub u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = (self.0 + 500_000) / 1_000_000;
        write!(f, "{}.{:03}", ms / 1000, ms % 1000)
    }
}

enum Found<'a> {
    /// Free pages of a zone.
    Free {
        node: usize,
        zone: &'a str,
        free: i64,
    },
    /// A column of a node.
    OfNode {
        node: usize,
        which: usize,
        value: i64,
    },
}

/// Iterates over the lines of /proc/zoneinfo.
fn each_of_zoneinfo<'a>(text: &'a str, mut see: impl FnMut(Found<'a>)) {
    let (mut node, mut zone, mut of_node) = (0, "", false);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Node ") {
            let (number, name) = rest.split_once(", zone").unwrap_or((rest, ""));
            (node, zone, of_node) = (number.trim().parse().unwrap_or(0), name.trim(), false);
        } else if line.trim() == "per-node stats" {
            of_node = true;
        } else if let Some(free) = line.trim().strip_prefix("pages free") {
            of_node = false;
            let free = free.trim().parse().unwrap_or(0);
            see(Found::Free { node, zone, free });
        } else if of_node {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or("");
            if let Some(which) = OF_NODE.iter().position(|known| *known == name) {
                let value = last_number(line);
                see(Found::OfNode { node, which, value });
            }
        }
    }
}

fn last_number(line: &str) -> i64 {
    let last = line.rsplit(' ').next();
    last.and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn free_columns(zoneinfo: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_of_zoneinfo(zoneinfo, |found| {
        if let Found::Free { node, zone, .. } = found {
            out.push(format!("free_n{node}_{zone}"));
        }
    });
    out
}

fn node_columns(zoneinfo: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_of_zoneinfo(zoneinfo, |found| {
        if let Found::OfNode { node, which, .. } = found {
            out.push(format!("n{node}_{}", OF_NODE[which]));
        }
    });
    out
}

/// Rows of one sample of /sys/kernel/debug/lru_gen.
fn generations(text: &str, seconds: Seconds, out: &mut String) {
    let (mut memcg, mut node) = ("1", "0");
    for line in text.lines() {
        let words = line.split_whitespace().collect::<Vec<_>>();
        match *words.as_slice() {
            ["memcg", id, ..] => memcg = id,
            ["node", id] => node = id,
            [seq, age, anon, file] => {
                let _ = writeln!(out, "{seconds},{memcg},{node},{seq},{age},{anon},{file}");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZONEINFO: &str = "Node 0, zone      DMA\n  per-node stats\n      nr_inactive_anon 5\n      nr_active_file 7\n  pages free     3808\n        min      22\n      nr_inactive_anon 99\nNode 1, zone   Normal\n  per-node stats\n      nr_inactive_anon 6\n  pages free     12\n";

    #[test]
    fn names_columns_by_node_and_zone() {
        assert_eq!(free_columns(ZONEINFO), ["free_n0_DMA", "free_n1_Normal"]);
        let columns = [
            "n0_nr_inactive_anon",
            "n0_nr_active_file",
            "n1_nr_inactive_anon",
        ];
        assert_eq!(node_columns(ZONEINFO), columns);
    }

    #[test]
    fn a_row_has_a_number_for_each_column() {
        let mut sampler = Sampler::new(2, 1, &Cgroups::default());
        sampler.take(None, 1_500_600_000);
        sampler.take(None, 2_000_000_000);
        let lines: Vec<&str> = sampler.samples.lines().collect();
        assert_eq!(lines.len(), 3);
        let columns = |line: &str| line.split(',').count();
        assert_eq!(columns(lines[0]), columns(lines[1]));
        assert!(lines[1].starts_with("1.501,"), "{}", lines[1]);
        let place = lines[0].split(',').position(|name| name == "pgfault");
        let faults = |line: &str| -> i64 {
            let cell = place.and_then(|place| line.split(',').nth(place));
            cell.and_then(|cell| cell.parse().ok()).expect("pgfault")
        };
        assert!(faults(lines[1]) > 0 && faults(lines[2]) >= faults(lines[1]));
    }

    #[test]
    fn reads_the_generations_of_the_multi_generational_lru() {
        let text = "memcg     1 /\n node     0\n          0       3940          0          18 \n          1       3940          2           0 \n";
        let mut out = String::new();
        generations(text, Seconds(4_558_000_000), &mut out);
        assert_eq!(out, "4.558,1,0,0,3940,0,18\n4.558,1,0,1,3940,2,0\n");
    }
}
