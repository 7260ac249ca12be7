//! A machine at rest: the files before any allocation.
//!
//! Modelled: all managed pages are free, in the largest blocks that their frames allow. All are Movable, and
//! none is on a per-cpu list; there are MIGRATE_RESERVE blocks if the kernel has them.
//! Left out: where in a zone the reserved frames are; here they are the first ones.
//! Visible difference: the counts of the smaller orders; the sums are right.
//! Invariants: free blocks add up to the free pages of each zone.

use crate::kernel::{BlockReserve, Features, Migratetypes};
use crate::layout::{Layout, NodeLayout, PfnRange, ZoneLayout};
use crate::procfs::{LruGenFiles, Pageset, ProcNode, ProcView, ProcZone};
use crate::profile::Thp;
use crate::tunables::Tunables;
use crate::vmstat::{Counters, DirtyableMemory, dirty_limits};
use crate::watermark::{Watermarks, ZoneMarks, pcp_size, stat_threshold};

/// The view of a machine at rest. `booted` is the setting of huge pages at boot.
pub fn view_at_rest(
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    booted: Thp,
) -> ProcView {
    let marks = Watermarks::new(layout, features, tunables, booted);
    let nodes = layout.nodes.iter().zip(&marks.zones);
    ProcView {
        geometry: layout.geometry,
        zone_types: layout.zone_types.clone(),
        nodes: nodes
            .map(|(node, marks)| node_at_rest(layout, features, tunables, node, marks))
            .collect(),
        events: limits(layout, features, tunables, &marks),
        lru_gen: LruGenFiles::default(),
    }
}

fn limits(
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    marks: &Watermarks,
) -> Counters {
    let memory = DirtyableMemory {
        free: layout.managed(),
        totalreserve: marks.totalreserve_pages,
        min_free: marks.min_free_kbytes / layout.geometry.page_kib(),
        ..DirtyableMemory::default()
    };
    let page_size = layout.geometry.page_kib() * 1024;
    let (threshold, background) = dirty_limits(features, tunables, page_size, memory);
    Counters::from([
        ("nr_dirty_threshold".to_string(), threshold),
        ("nr_dirty_background_threshold".to_string(), background),
    ])
}

fn node_at_rest(
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    node: &NodeLayout,
    marks: &[ZoneMarks],
) -> ProcNode {
    let zones = node.zones.iter().zip(marks);
    ProcNode {
        id: node.id,
        counters: Counters::new(),
        zones: zones
            .map(|(zone, marks)| zone_at_rest(layout, features, tunables, zone, marks))
            .collect(),
    }
}

fn zone_at_rest(
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    zone: &ZoneLayout,
    marks: &ZoneMarks,
) -> ProcZone {
    let types = features.migratetype_names(layout.geometry.arch);
    let movable = movable_index(features);
    let mut free_area = vec![vec![0; types.len()]; usize::from(layout.geometry.orders)];
    for (order, blocks) in largest_blocks(layout, zone).into_iter().enumerate() {
        free_area[order][movable] = blocks;
    }
    let mut blocks = vec![0; types.len()];
    blocks[movable] = pageblocks(layout, zone);
    if features.block_reserve == BlockReserve::MigrateReserve {
        set_aside_reserve(layout, marks.min, &mut free_area, &mut blocks, movable);
    }
    ProcZone {
        free: zone.managed,
        min: marks.min,
        low: marks.low,
        high: marks.high,
        promo: marks.promo,
        spanned: zone.spanned,
        present: zone.present,
        managed: zone.managed,
        protection: marks.protection.clone(),
        pagesets: pagesets_at_rest(layout, features, tunables, zone, marks),
        start_pfn: zone.start_pfn,
        inactive_ratio: inactive_ratio(layout, zone),
        free_area,
        blocks,
        ..ProcZone::empty(zone.kind)
    }
}

/// Index of Movable among the migrate types.
const fn movable_index(features: &Features) -> usize {
    match features.migratetypes {
        Migratetypes::ReclaimableSecond | Migratetypes::ReclaimableSecondCma => 2,
        Migratetypes::MovableSecond => 1,
    }
}

/// Index of Reserve or HighAtomic, the same in all eras.
const RESERVE_INDEX: usize = 3;

/// `setup_zone_migrate_reserve`: min / pageblock blocks become Reserve, rounded up, at most two. A free
/// block larger than a pageblock moves to the Reserve list as a whole (`move_freepages`), although only
/// the requested pageblocks change their type.
fn set_aside_reserve(
    layout: &Layout,
    min: u64,
    free_area: &mut [Vec<u64>],
    blocks: &mut [u64],
    movable: usize,
) {
    let pageblock = usize::from(layout.geometry.pageblock_order);
    let wanted = min.div_ceil(layout.geometry.pageblock_pages()).min(2);
    let wanted = wanted.min(blocks[movable]);
    blocks[movable] -= wanted;
    blocks[RESERVE_INDEX] += wanted;
    let mut left = wanted;
    for order in (pageblock..free_area.len()).rev() {
        let per_block = 1 << (order - pageblock);
        let moved = left.div_ceil(per_block).min(free_area[order][movable]);
        free_area[order][movable] -= moved;
        free_area[order][RESERVE_INDEX] += moved;
        left = left.saturating_sub(moved * per_block);
    }
}

/// Free blocks by order if every managed frame is free; the zone's first frames count as reserved.
fn largest_blocks(layout: &Layout, zone: &ZoneLayout) -> Vec<u64> {
    let top = u32::from(layout.geometry.orders) - 1;
    let mut blocks = vec![0; usize::from(layout.geometry.orders)];
    for range in zone.managed_ranges() {
        let mut pfn = range.start;
        while pfn < range.end() {
            let fitting = (range.end() - pfn).ilog2();
            let order = pfn.trailing_zeros().min(fitting).min(top);
            if order == top {
                // Consecutive blocks of the largest order are counted together, so that a TiB takes no time.
                let count = (range.end() - pfn) >> top;
                blocks[top as usize] += count;
                pfn += count << top;
            } else {
                blocks[order as usize] += 1;
                pfn += 1 << order;
            }
        }
    }
    blocks
}

/// Pageblocks of a zone whose first frame exists, counted from the zone's start in steps of a pageblock. For
/// the first pageblock any frame is enough.
fn pageblocks(layout: &Layout, zone: &ZoneLayout) -> u64 {
    let size = layout.geometry.pageblock_pages();
    let block_starts_in = |range: &PfnRange| {
        let first = range.start.next_multiple_of(size);
        let inside = range.end().saturating_sub(first).div_ceil(size);
        // The walk begins at the zone's start even if that is in the middle of a block.
        let begins_here = range.start == zone.start_pfn && range.start < first;
        inside + u64::from(begins_here)
    };
    zone.ranges.iter().map(block_starts_in).sum()
}

fn pagesets_at_rest(
    layout: &Layout,
    features: &Features,
    tunables: &Tunables,
    zone: &ZoneLayout,
    marks: &ZoneMarks,
) -> Vec<Pageset> {
    let size = pcp_size(layout, features, tunables, zone, marks.low);
    let cpus = layout.nodes.iter().flat_map(|node| &node.cpus);
    cpus.map(|&cpu| Pageset {
        cpu: cpu.get(),
        count: 0,
        high: size.high,
        batch: size.batch,
        stat_threshold: stat_threshold(layout, zone),
    })
    .collect()
}

/// `calculate_zone_inactive_ratio`: the square root of ten times the zone's GiB, at least 1.
pub fn inactive_ratio(layout: &Layout, zone: &ZoneLayout) -> u64 {
    let gib = zone.managed >> (30 - layout.geometry.page_shift);
    if gib == 0 { 1 } else { (10 * gib).isqrt() }
}
