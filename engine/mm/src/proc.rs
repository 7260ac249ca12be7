//! What the kernel's files say of a running machine, and machines made from such files.
//!
//! Modelled: the rows the engine moves: free pages, free lists, pageblock types, per-cpu lists,
//! anonymous pages, page tables, NUMA and allocator counters.
//! Left out: rows of mechanisms that are not there: they print 0.
//! Invariants: printing changes nothing; the rows agree with the machine's own counts.

use crate::gfp::{MOVABLE, RECLAIMABLE};
use crate::kernel::{LruOwner, Migratetypes};
use crate::machine::Machine;
use crate::mmzone::{PageKind, Zone};
use crate::procfs::{self, ProcView, ProcZone};
use crate::vmstat::{DirtyableMemory, dirty_limits};
use crate::watermark::Watermarks;
use crate::world::World;

/// `/proc/zoneinfo` of this moment.
pub fn zoneinfo(m: &Machine) -> String {
    procfs::zoneinfo(&m.w.facts.features, &view(m))
}

/// `/proc/buddyinfo` of this moment.
pub fn buddyinfo(m: &Machine) -> String {
    procfs::buddyinfo(&view(m))
}

/// `/proc/pagetypeinfo` of this moment.
pub fn pagetypeinfo(m: &Machine) -> String {
    procfs::pagetypeinfo(&m.w.facts.features, &view(m))
}

/// `/proc/vmstat` of this moment.
pub fn vmstat(m: &Machine) -> String {
    procfs::vmstat(&m.w.facts.features, &view(m))
}

/// All that the four files say: the machine at rest, with what moved since written over it.
pub fn view(m: &Machine) -> ProcView {
    let w = &m.w;
    let facts = &w.facts;
    let mut view = procfs::view_at_rest(
        &facts.layout,
        &facts.features,
        &w.tunables,
        facts.booted_thp,
    );
    for (id, zone) in (0u8..).zip(&w.mem.zones) {
        let node = &mut view.nodes[usize::from(zone.node)];
        fill_zone(w, id, zone, &mut node.zones[usize::from(zone.kind)]);
    }
    let names = crate::vmstat::names(&facts.features, view.geometry.arch, &view.zone_types);
    for zone in &w.mem.zones {
        let node = &mut view.nodes[usize::from(zone.node)];
        for (name, value) in use_counters(w, zone) {
            let counters = if names.zone.contains(&name) {
                &mut node.zones[usize::from(zone.kind)].counters
            } else {
                &mut node.counters
            };
            *counters.entry(name.to_string()).or_insert(0) += value;
        }
    }
    for (name, value) in w.counters.named(&facts.layout.zone_types) {
        view.events.insert(name, value);
    }
    let marks = Watermarks::new(
        &facts.layout,
        &facts.features,
        &w.tunables,
        facts.booted_thp,
    );
    let memory = DirtyableMemory {
        free: w.mem.zones.iter().map(|z| u64::from(z.nr_free_pages)).sum(),
        totalreserve: marks.totalreserve_pages,
        ..DirtyableMemory::default()
    };
    let page_size = facts.layout.geometry.page_kib() * 1024;
    let (threshold, background) = dirty_limits(&facts.features, &w.tunables, page_size, memory);
    view.events
        .insert("nr_dirty_threshold".to_string(), threshold);
    view.events
        .insert("nr_dirty_background_threshold".to_string(), background);
    view
}

fn fill_zone(w: &World, id: u8, z: &Zone, out: &mut ProcZone) {
    out.free = z.nr_free_pages.into();
    out.boost = z.boost.into();
    let columns = out.blocks.len();
    let column = |t: u8| printed_index(w, t).min(columns - 1);
    for (order, row) in (0..w.mem.orders).zip(&mut out.free_area) {
        row.fill(0);
        for t in 0..crate::gfp::TYPES {
            row[column(t)] = w.mem.lists.len(w.mem.free_list(id, order, t)).into();
        }
    }
    out.blocks.fill(0);
    let block = 1u32 << w.mem.pageblock_order;
    for first in (z.first..z.first + z.frames).step_by(block as usize) {
        let exists = |f: &u32| w.mem.pages[*f as usize].kind() != PageKind::Absent;
        // The first block counts even where the zone begins in its middle.
        let begins = (z.first..z.first + z.frames)
            .find(exists)
            .is_some_and(|f| f & !(block - 1) == first);
        if begins || exists(&first) {
            out.blocks[column(w.mem.block_type(first))] += 1;
        }
    }
    for set in &mut out.pagesets {
        set.count = w.mem.pcp_count[w.mem.pcp_at(id, set.cpu)].into();
        (set.high, set.batch) = (z.pcp_high.into(), z.pcp_batch.into());
    }
    let numa = [
        "numa_hit",
        "numa_miss",
        "numa_foreign",
        "numa_interleave",
        "numa_local",
        "numa_other",
    ];
    for (name, value) in numa.into_iter().zip(z.numa) {
        out.counters.insert(name.to_string(), value);
    }
}

/// Place of a migrate type among the columns this kernel prints.
fn printed_index(w: &World, t: u8) -> usize {
    let movable_second = w.facts.features.migratetypes == Migratetypes::MovableSecond;
    match t {
        MOVABLE if !movable_second => 2,
        RECLAIMABLE if !movable_second => 1,
        t => t.into(),
    }
}

/// What a zone's pages are used for, by counter name. Kernels that count per zone leave huge pages
/// out of nr_anon_pages (`page_add_new_anon_rmap`, mm/rmap.c, 3.0); the later ones count them in.
fn use_counters(w: &World, z: &Zone) -> [(&'static str, u64); 3] {
    let of = |kind: PageKind| u64::from(z.kinds[kind as usize]);
    let huge = of(PageKind::HugeAnon);
    let counted = if w.facts.features.lru_owner == LruOwner::Node {
        huge
    } else {
        0
    };
    [
        ("nr_anon_pages", of(PageKind::Anon) + counted),
        ("nr_page_table_pages", of(PageKind::PageTable)),
        (
            "nr_anon_transparent_hugepages",
            huge >> w.mem.pageblock_order,
        ),
    ]
}
