//! What the kernel's files say of a running machine, and machines made from such files.
//!
//! Modelled: the rows the engine moves: free pages, free lists, pageblock types, per-cpu lists,
//! anonymous pages, page tables, NUMA and allocator counters.
//! Left out: rows of mechanisms that are not there: they print 0.
//! Invariants: printing changes nothing; the rows agree with the machine's own counts.

use crate::kernel::{Features, LruOwner, Migratetypes};
use crate::layout::Layout;
use crate::machine::{Machine, populated_zones};
use crate::procfs::{self, ProcView, ProcZone};
use crate::profile::Thp;
use crate::snapshot::{Snapshot, ZoneNow};
use crate::vmstat::{DirtyableMemory, dirty_limits};
use crate::watermark::Watermarks;

/// One of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum File {
    /// `/proc/zoneinfo`.
    Zoneinfo,
    /// `/proc/buddyinfo`.
    Buddyinfo,
    /// `/proc/pagetypeinfo`.
    Pagetypeinfo,
    /// `/proc/vmstat`.
    Vmstat,
}

impl File {
    /// The files by their names.
    pub const NAMES: [(&'static str, File); 4] = [
        ("zoneinfo", File::Zoneinfo),
        ("buddyinfo", File::Buddyinfo),
        ("pagetypeinfo", File::Pagetypeinfo),
        ("vmstat", File::Vmstat),
    ];

    /// The text of this file for what a view holds.
    pub fn print(self, features: &Features, view: &ProcView) -> String {
        match self {
            File::Zoneinfo => procfs::zoneinfo(features, view),
            File::Buddyinfo => procfs::buddyinfo(view),
            File::Pagetypeinfo => procfs::pagetypeinfo(features, view),
            File::Vmstat => procfs::vmstat(features, view),
        }
    }
}

/// A file as a machine's kernel would print it now.
pub fn print(m: &Machine, file: File) -> String {
    let facts = &m.w.facts;
    let now = Snapshot::of(&m.w);
    let view = view(&facts.layout, &facts.features, facts.booted_thp, &now);
    file.print(&facts.features, &view)
}

/// All that the four files say: the machine at rest, with what moved since written over it.
pub fn view(layout: &Layout, features: &Features, booted: Thp, now: &Snapshot) -> ProcView {
    let mut view = procfs::view_at_rest(layout, features, &now.tunables, booted);
    let names = crate::vmstat::names(features, view.geometry.arch, &view.zone_types);
    for ((n, kind), zone) in populated_zones(layout).into_iter().zip(&now.zones) {
        let node = &mut view.nodes[n];
        fill_zone(features, zone, &mut node.zones[kind]);
        for (name, value) in use_counters(layout, features, zone) {
            let counters = if names.zone.contains(&name) {
                &mut node.zones[kind].counters
            } else {
                &mut node.counters
            };
            *counters.entry(name.to_string()).or_insert(0) += value;
        }
    }
    for (name, value) in now.counters.named(&layout.zone_types) {
        view.events.insert(name, value);
    }
    let marks = Watermarks::new(layout, features, &now.tunables, booted);
    let memory = DirtyableMemory {
        free: now.zones.iter().map(|zone| zone.free).sum(),
        totalreserve: marks.totalreserve_pages,
        ..DirtyableMemory::default()
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
    let numa = [
        "numa_hit",
        "numa_miss",
        "numa_foreign",
        "numa_interleave",
        "numa_local",
        "numa_other",
    ];
    for (name, value) in numa.into_iter().zip(now.numa) {
        out.counters.insert(name.to_string(), value);
    }
}

/// Place of a migrate type among the columns this kernel prints.
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

/// What a zone's pages are used for, by counter name. Kernels that count per zone leave huge pages
/// out of nr_anon_pages (`page_add_new_anon_rmap`, mm/rmap.c, 3.0); the later ones count them in.
fn use_counters(layout: &Layout, features: &Features, now: &ZoneNow) -> [(&'static str, u64); 3] {
    let counted = if features.lru_owner == LruOwner::Node {
        now.huge
    } else {
        0
    };
    [
        ("nr_anon_pages", now.anon + counted),
        ("nr_page_table_pages", now.page_tables),
        (
            "nr_anon_transparent_hugepages",
            now.huge >> layout.geometry.pageblock_order,
        ),
    ]
}
