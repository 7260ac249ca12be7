//! Writing vm sysctls while the machine runs (fs/proc/proc_sysctl.c, mm/page_alloc.c handlers).
//!
//! Modelled: the values that the kernel recomputes.
//! Left out: the writer, which is [`crate::intervention`] or a task of the workload.
//! Invariants: the values were validated together with the experiment.

use crate::fair_zone::marks_moved;
use crate::fallback::move_freepages_block;
use crate::gfp::{MOVABLE, RESERVED};
use crate::kernel::BlockReserve;
use crate::mmzone::{MAX_ZONE_TYPES, Page, PageKind};
use crate::profile::Thp;
use crate::tunables::Tunables;
use crate::watermark::{Watermarks, pcp_size, thp_enabled};
use crate::world::{Facts, World};
use facts::amount::Pages;
use facts::index::ZoneIndex;

/// Tunables whose change makes the kernel compute the watermarks again (`setup_per_zone_wmarks`).
const MOVES_MARKS: [&str; 3] = [
    "vm.min_free_kbytes",
    "vm.watermark_scale_factor",
    "transparent_hugepage",
];

/// Writes tunables; [`written`] must follow. Values that this kernel or machine does not accept
/// were refused with the experiment.
pub fn write(w: &mut World, values: &[(String, String)]) {
    for (name, value) in values {
        let taken = w.tunables.write(&w.facts.features, name, value);
        debug_assert!(taken.is_ok(), "{taken:?}");
    }
}

/// Recomputes everything that depends on tunables that were just written. Boosts are reset, and
/// batches of the fair zone policy restart, only if the kernel computes the watermarks again.
pub fn written(w: &mut World, values: &[(String, String)]) {
    let moves = values
        .iter()
        .any(|(n, _)| MOVES_MARKS.contains(&n.as_str()));
    let before = w.mem.zones.iter().map(|z| (z.boost, z.alloc_batch));
    let before: Vec<(Pages, i32)> = before.collect();
    setup_zones(w);
    if values
        .iter()
        .any(|(name, _)| name == "kernel.numa_balancing")
    {
        crate::numa::switch(w);
    }
    if values.iter().any(|(name, _)| name == "lru_gen.enabled") {
        crate::lru_gen::switch(w);
    }
    if !moves {
        for (zone, (boost, batch)) in w.mem.zones.iter_mut().zip(before) {
            (zone.boost, zone.alloc_batch) = (boost, batch);
        }
    }
}

/// Sets every zone's watermarks, reserves, per-cpu limits and MIGRATE_RESERVE blocks from the
/// current tunables by this kernel's rules. Resets the boost, as `__setup_per_zone_wmarks` does.
pub fn setup_zones(w: &mut World) {
    let facts = std::sync::Arc::clone(&w.facts);
    let (layout, features) = (&facts.layout, &facts.features);
    w.thp = thp_in_force(&facts, &w.tunables);
    let marks = Watermarks::new(layout, features, &w.tunables, facts.booted_thp);
    crate::page_writeback::setup_limits(w, &marks);
    for zone in &mut w.mem.zones {
        let (node, kind) = (zone.node.index(), usize::from(zone.kind));
        let m = &marks.zones[node][kind];
        zone.wmark = [m.min, m.low, m.high].map(Pages::of);
        zone.boost = Pages::ZERO;
        marks_moved(facts.features.fair_zone_policy, zone);
        zone.protection = [Pages::ZERO; MAX_ZONE_TYPES];
        for (to, &from) in zone.protection.iter_mut().zip(&m.protection) {
            *to = Pages::of(from);
        }
        let pcp = pcp_size(
            layout,
            features,
            &w.tunables,
            &layout.nodes[node].zones[kind],
            m.low,
        );
        [zone.pcp_batch, zone.pcp_high] = [pcp.batch, pcp.high].map(|n| Pages::of(n).get());
    }
    if facts.features.block_reserve == BlockReserve::MigrateReserve {
        for zone in w.mem.zones.indices() {
            setup_zone_migrate_reserve(w, zone);
        }
    }
}

/// `setup_zone_migrate_reserve` (2.6.37 to 3.17): the first movable pageblocks of a zone without
/// reserved pages become MIGRATE_RESERVE: as many as the min watermark needs, at most two. Further
/// reserve blocks become movable again.
fn setup_zone_migrate_reserve(w: &mut World, zone: ZoneIndex) {
    let block = 1u32 << w.mem.pageblock_order;
    let z = &w.mem.zones[zone];
    let mut missing = z.wmark[0].get().div_ceil(block).min(2);
    let layout = &w.facts.layout.nodes[z.node.index()].zones[usize::from(z.kind)];
    let (first, frames, end) = (z.first, z.frames, layout.end_pfn());
    for start in first.until(first.plus(frames)).step_by(block as usize) {
        let inside = end.saturating_sub(w.mem.pfn(start)).min(block.into());
        let pages = w.mem.pages.slice(start, start.plus(inside as u32));
        let skipped = |p: &Page| matches!(p.kind(), PageKind::Absent | PageKind::Reserved);
        if pages.is_empty() || pages.iter().any(skipped) {
            continue;
        }
        match w.mem.block_type(start) {
            RESERVED if missing > 0 => missing -= 1,
            MOVABLE if missing > 0 => {
                w.mem.set_block_type(start, RESERVED);
                move_freepages_block(w, start, RESERVED);
                missing -= 1;
            }
            RESERVED => {
                w.mem.set_block_type(start, MOVABLE);
                move_freepages_block(w, start, MOVABLE);
            }
            _ => {}
        }
    }
}

fn thp_in_force(facts: &Facts, tunables: &Tunables) -> Thp {
    if !thp_enabled(&facts.layout, &facts.features, tunables, facts.booted_thp) {
        return Thp::Never;
    }
    tunables.transparent_hugepage.unwrap_or(facts.booted_thp)
}
