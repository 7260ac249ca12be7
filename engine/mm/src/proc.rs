//! The kernel's /proc files for a running machine, and machines made from such files.
//!
//! Modelled: the rows that the engine changes: free pages, free lists, pageblock types, per-cpu
//! lists, page uses, LRU lists, dirty pages and pages under writeback, NUMA and event counters.
//! Left out: rows of mechanisms that are not modelled: they print 0. nr_dirtied, nr_written and
//! nr_vmscan_write in zoneinfo also print 0, because they are counted only for the whole machine.
//! Invariants: printing changes nothing; the rows agree with the machine's own counts.

use crate::kernel::{Features, LruOwner, Migratetypes};
use crate::layout::Layout;
use crate::machine::Machine;
use crate::mmzone::{Gauge, LRU_LISTS, NUMA_COUNTERS};
use crate::plan::populated_zones;
use crate::procfs::{self, ProcView, ProcZone};
use crate::profile::Thp;
use crate::snapshot::{Snapshot, ZoneNow};
use crate::vmstat::{DirtyableMemory, dirty_limits};
use crate::watermark::Watermarks;
use facts::state::State;

/// A file that can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum File {
    /// `/proc/zoneinfo`.
    Zoneinfo,
    /// `/proc/buddyinfo`.
    Buddyinfo,
    /// `/proc/pagetypeinfo`.
    Pagetypeinfo,
    /// `/proc/vmstat`.
    Vmstat,
    /// `extfrag/unusable_index` of debugfs.
    UnusableIndex,
    /// `extfrag/extfrag_index` of debugfs.
    ExtfragIndex,
    /// `lru_gen` of debugfs.
    LruGen,
    /// `lru_gen_full` of debugfs.
    LruGenFull,
    /// `/sys/kernel/mm/lru_gen/enabled`.
    LruGenEnabled,
    /// `/sys/kernel/mm/lru_gen/min_ttl_ms`.
    LruGenMinTtl,
}

impl File {
    /// The files by name.
    pub const NAMES: [(&'static str, File); 10] = [
        ("zoneinfo", File::Zoneinfo),
        ("buddyinfo", File::Buddyinfo),
        ("pagetypeinfo", File::Pagetypeinfo),
        ("vmstat", File::Vmstat),
        ("unusable_index", File::UnusableIndex),
        ("extfrag_index", File::ExtfragIndex),
        ("lru_gen", File::LruGen),
        ("lru_gen_full", File::LruGenFull),
        ("lru_gen/enabled", File::LruGenEnabled),
        ("lru_gen/min_ttl_ms", File::LruGenMinTtl),
    ];

    /// Does a kernel have this file, as far as it is modelled? Kernels without compaction lack the
    /// files of `extfrag`, kernels up to 6.0 those of the multi-generational LRU.
    pub fn is_there(self, features: &Features) -> bool {
        match self {
            File::UnusableIndex | File::ExtfragIndex => procfs::extfrag::has_extfrag(features),
            File::LruGen | File::LruGenFull | File::LruGenEnabled | File::LruGenMinTtl => {
                features.lru_gen.is_modelled()
            }
            File::Zoneinfo | File::Buddyinfo | File::Pagetypeinfo | File::Vmstat => true,
        }
    }

    /// The text of this file for a view; empty for a file that this kernel lacks.
    pub fn print(self, features: &Features, view: &ProcView) -> String {
        if !self.is_there(features) {
            return String::new();
        }
        let lru_gen = &view.lru_gen;
        match self {
            File::LruGen => procfs::lru_gen(&lru_gen.nodes),
            File::LruGenFull => {
                procfs::lru_gen_full(procfs::LruGenForm::of(features), &lru_gen.nodes)
            }
            File::LruGenEnabled => procfs::lru_gen::enabled(lru_gen.enabled),
            File::LruGenMinTtl => procfs::lru_gen::min_ttl_ms(lru_gen.min_ttl_ms),
            File::Zoneinfo => procfs::zoneinfo(features, view),
            File::Buddyinfo => procfs::buddyinfo(view),
            File::Pagetypeinfo => procfs::pagetypeinfo(features, view),
            File::Vmstat => procfs::vmstat(features, view),
            File::UnusableIndex => procfs::unusable_index(features, view),
            File::ExtfragIndex => procfs::extfrag_index(features, view),
        }
    }
}

/// A file as the machine's kernel would print it now.
pub fn print(m: &Machine, file: File) -> String {
    let facts = &m.w.facts;
    let now = Snapshot::of(&m.w);
    let view = view(&facts.layout, &facts.features, facts.booted_thp, &now);
    file.print(&facts.features, &view)
}

/// Everything the files print: the values of the machine at rest, replaced by those that have
/// changed since.
pub fn view(layout: &Layout, features: &Features, booted: Thp, now: &Snapshot) -> ProcView {
    let mut view = procfs::view_at_rest(layout, features, &now.tunables, booted);
    let names = crate::vmstat::names(features, view.geometry.arch, &view.zone_types);
    for ((n, kind), zone) in populated_zones(layout).into_iter().zip(&now.zones) {
        let node = &mut view.nodes[n];
        fill_zone(features, zone, &mut node.zones[kind]);
        for (name, value) in use_counters(layout, features, zone) {
            let counters = if names.zone.contains(&name) {
                &mut node.zones[kind].counters
            } else if names.node.contains(&name) {
                &mut node.counters
            } else {
                continue;
            };
            *counters.entry(name.to_string()).or_insert(0) += value;
        }
    }
    for (name, value) in now.counters.named(&layout.zone_types) {
        view.events.insert(name, value);
    }
    view.lru_gen = now.lru_gen.clone();
    let marks = Watermarks::new(layout, features, &now.tunables, booted);
    let memory = DirtyableMemory {
        free: now.zones.iter().map(|zone| zone.free).sum(),
        file: now.zones.iter().map(|zone| zone.lru[2] + zone.lru[3]).sum(),
        anon: match now.swap_free {
            0 => 0,
            _ => now.zones.iter().map(|zone| zone.lru[0] + zone.lru[1]).sum(),
        },
        totalreserve: marks.totalreserve_pages,
        min_free: marks.min_free_kbytes / layout.geometry.page_kib(),
    };
    let page_size = layout.geometry.page_kib() * 1024;
    let (threshold, background) = dirty_limits(features, &now.tunables, page_size, memory);
    view.events
        .insert("nr_dirty_threshold".to_string(), threshold);
    view.events
        .insert("nr_dirty_background_threshold".to_string(), background);
    view
}

fn fill_zone(features: &Features, now: &ZoneNow, out: &mut ProcZone) {
    (out.free, out.boost) = (now.free, now.boost);
    (out.scanned, out.unreclaimable) = (now.scanned, now.unreclaimable > 0);
    let columns = out.blocks.len();
    let column = |t: usize| printed_index(features, t).min(columns - 1);
    for (lists, row) in now.free_lists.iter().zip(&mut out.free_area) {
        row.fill(0);
        for (t, &blocks) in lists.iter().enumerate() {
            row[column(t)] = blocks;
        }
    }
    out.blocks.fill(0);
    for (t, &blocks) in now.blocks.iter().enumerate() {
        out.blocks[column(t)] += blocks;
    }
    for set in &mut out.pagesets {
        set.count = now.pcp_count[usize::from(set.cpu)];
        (set.high, set.batch) = (now.pcp_high, now.pcp_batch);
    }
    for (name, value) in NUMA_COUNTERS.into_iter().zip(now.numa) {
        out.counters.insert(name.to_string(), value);
    }
}

/// Index of a migrate type among the columns this kernel prints.
fn printed_index(features: &Features, t: usize) -> usize {
    let movable_second = features.migratetypes == Migratetypes::MovableSecond;
    match t {
        MOVABLE if !movable_second => 2,
        RECLAIMABLE if !movable_second => 1,
        t => t,
    }
}

const MOVABLE: usize = crate::gfp::MOVABLE as usize;
const RECLAIMABLE: usize = crate::gfp::RECLAIMABLE as usize;

/// The uses of a zone's pages, by counter name in any kernel. Kernels that count per zone exclude
/// huge pages from nr_anon_pages (`page_add_new_anon_rmap`, mm/rmap.c, 3.0); later ones include
/// them.
fn use_counters(layout: &Layout, features: &Features, now: &ZoneNow) -> Vec<(&'static str, u64)> {
    let counted = if features.lru_owner == LruOwner::Node {
        now.huge
    } else {
        0
    };
    let gauge = |g: Gauge| now.gauge[g as usize];
    let (dirty, writeback) = (gauge(Gauge::Dirty), gauge(Gauge::Writeback));
    let mut out = vec![
        ("nr_alloc_batch", now.alloc_batch),
        ("nr_anon_pages", now.anon + counted),
        ("nr_page_table_pages", now.page_tables),
        (
            "nr_anon_transparent_hugepages",
            now.huge >> layout.geometry.pageblock_order,
        ),
        ("nr_file_pages", now.file + gauge(Gauge::SwapCache)),
        ("nr_mapped", gauge(Gauge::FileMapped)),
        ("nr_dirty", dirty),
        ("nr_writeback", writeback),
        ("nr_zone_write_pending", dirty + writeback),
        ("nr_mlock", gauge(Gauge::Mlock)),
        ("nr_slab_reclaimable", gauge(Gauge::SlabReclaimable)),
        ("nr_slab_unreclaimable", gauge(Gauge::SlabUnreclaimable)),
        ("nr_swapcached", gauge(Gauge::SwapCache)),
        ("nr_isolated_anon", now.isolated[0]),
        ("nr_isolated_file", now.isolated[1]),
        ("nr_throttled_written", now.throttled_written),
        ("workingset_nodes", now.shadow_nodes),
    ];
    for (names, &pages) in LRU_COUNTERS.iter().zip(&now.lru) {
        out.extend(names.map(|name| (name, pages)));
    }
    out
}

/// The names of the counters of each LRU list: the owner's, and the zone's if a node owns the
/// lists.
const LRU_COUNTERS: [[&str; 2]; LRU_LISTS] = [
    ["nr_inactive_anon", "nr_zone_inactive_anon"],
    ["nr_active_anon", "nr_zone_active_anon"],
    ["nr_inactive_file", "nr_zone_inactive_file"],
    ["nr_active_file", "nr_zone_active_file"],
    ["nr_unevictable", "nr_zone_unevictable"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, preset};
    use crate::mmzone::{PageKind, flag};

    /// The sum of all rows of this name.
    fn value(text: &str, name: &str) -> u64 {
        let rows = text.lines().filter_map(|line| {
            let (row, number) = line.trim().split_once(' ')?;
            (row == name).then(|| number.trim().parse::<u64>().expect("a number"))
        });
        rows.sum()
    }

    #[test]
    fn files_of_the_multi_generational_lru_print_its_pages_by_generation() {
        let mut raw = preset("first-touch.teach").expect("a preset");
        raw.kernel = "6.12".to_string();
        for (name, value) in [("transparent_hugepage", "never"), ("lru_gen.enabled", "7")] {
            raw.tunables.insert(name.to_string(), value.to_string());
        }
        let mut m = Machine::boot(&Experiment::new(raw).expect("valid"));
        m.run(20_000, u64::MAX);
        let listed = m.w.mem.pages.iter().filter(|p| p.has(flag::LRU)).count() as u64;
        let nodes = procfs::lru_gen::parse_lru_gen(&print(&m, File::LruGen)).expect("lru_gen");
        let pages = |node: &procfs::LruGenNode| -> u64 {
            node.seqs().flat_map(|seq| node.pages_of(seq)).sum()
        };
        assert!(listed > 100);
        assert_eq!(nodes.iter().map(pages).sum::<u64>(), listed);
        let sent = crate::map::generation_pages(&m.w, usize::MAX);
        let lists = nodes
            .iter()
            .map(|node| 2 * node.seqs().count())
            .sum::<usize>();
        assert_eq!(sent.len() as u64, lists as u64 + 2 * listed);
        assert!(print(&m, File::LruGenFull).contains("0R"));
        assert_eq!(print(&m, File::LruGenEnabled), "0x0007\n");
        assert_eq!(print(&m, File::LruGenMinTtl), "0\n");
        raw = preset("first-touch.teach").expect("a preset");
        raw.kernel = "5.10".to_string();
        let m = Machine::boot(&Experiment::new(raw).expect("valid"));
        assert_eq!(print(&m, File::LruGen), "");
    }

    #[test]
    fn proc_files_agree_with_lists_and_counters_in_old_and_new_kernels() {
        for (kernel, anon) in [("3.0", "nr_active_anon"), ("6.1", "nr_inactive_anon")] {
            let mut raw = preset("first-touch.teach").expect("a preset");
            raw.kernel = kernel.to_string();
            raw.tunables
                .insert("transparent_hugepage".to_string(), "never".to_string());
            let mut m = Machine::boot(&Experiment::new(raw).expect("valid"));
            m.run(20_000, u64::MAX);
            let count = |kind| m.w.mem.pages.iter().filter(|p| p.kind() == kind).count() as u64;
            let listed = m.w.mem.pages.iter().filter(|p| p.has(flag::LRU)).count() as u64;
            assert!(listed > 100 && listed == count(PageKind::Anon));
            let before = print(&m, File::Vmstat);
            assert_eq!(value(&before, anon), listed, "{kernel}");
            assert_eq!(value(&print(&m, File::Zoneinfo), anon), listed, "{kernel}");
            let zone = m.w.mem.zones.last_mut().expect("a zone");
            zone.gauge[Gauge::Dirty as usize] = 70;
            zone.gauge[Gauge::Writeback as usize] = 7;
            zone.lru[2] = 500;
            (m.w.counters.nr_dirtied, m.w.counters.pgpgin) = (700, 9);
            let after = print(&m, File::Vmstat);
            let found = [
                "nr_dirty",
                "nr_writeback",
                "nr_inactive_file",
                "nr_dirtied",
                "pgpgin",
            ];
            let found = found.map(|name| value(&after, name));
            assert_eq!(found, [70, 7, 500, 700, 9], "{kernel}");
            let threshold = |text: &str| value(text, "nr_dirty_threshold");
            assert_eq!(threshold(&after), threshold(&before) + 100, "{kernel}");
            if kernel == "6.1" {
                assert_eq!(value(&after, "nr_zone_write_pending"), 77);
            }
        }
    }
}
