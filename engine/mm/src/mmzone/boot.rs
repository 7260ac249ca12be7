//! Laying out physical memory at boot (mm/page_alloc.c, `memmap_init`, `free_area_init`).
//!
//! Modelled: zones of dense frames, every managed page free in the largest blocks, the types of
//! pageblocks, per-cpu lists.
//! Left out: the boot allocator: pages it used are not managed.
//! Invariants: a page of a zone is either free in it or not managed.

use crate::kernel::{Features, LruOwner};
use crate::layout::Layout;
use crate::mmzone::*;
use facts::amount::Pages;
use facts::index::{FrameIndex, IndexVec, LruvecIndex, NodeIndex};

/// Lays out physical memory: every managed page is free in the largest blocks, all pageblocks are
/// movable, and blocks are listed in ascending order (from 5.10) or descending order (before).
pub fn memmap_init(
    layout: &Layout,
    cpus: u16,
    pcp: (u8, bool),
    features: &Features,
    groups: usize,
) -> Memory {
    let to_tail = features.boot_frees_to_tail;
    let (orders, pageblock_order) = (layout.geometry.orders, layout.geometry.pageblock_order);
    let mut mem = Memory {
        pages: Touched::default(),
        lists: Lists::new(0, 0),
        blocks: Vec::new(),
        zones: IndexVec::default(),
        lruvecs: IndexVec::default(),
        groups: Touched::default(),
        lists_each: 0,
        pcp_count: Vec::new(),
        pcp_free_factor: Vec::new(),
        segments: Vec::new(),
        orders,
        pageblock_order,
        cpus,
        pcp_orders: pcp.0,
        pcp_huge: pcp.1,
        lru_gen_on: false,
        gen_bits: Touched::default(),
    };
    let mut managed = Vec::new();
    for (zone, kind) in layout.nodes.iter().flat_map(|n| n.zones.iter().zip(0..)) {
        if zone.is_populated() {
            managed.push(add_zone(&mut mem, zone, kind));
        }
    }
    add_lruvecs(&mut mem, features.lru_owner);
    if groups > 0 {
        mem.add_groups(groups, layout.zone_types.len());
    }
    let lists = mem.list_count(features.lru_gen.is_modelled());
    mem.lists = Lists::new(lists as usize, mem.pages.len());
    mem.blocks = block_types(layout, &mem);
    mem.pcp_count = vec![0; mem.zones.len() * usize::from(cpus)];
    mem.pcp_free_factor = vec![0; mem.pcp_count.len()];
    for runs in managed {
        for (start, end) in runs {
            free_run(&mut mem, start, end, to_tail);
        }
    }
    mem
}

/// Pageblocks are movable, except those whose first page has no memory: these keep type number 0
/// (`memmap_init_range`). Usually this is the first pageblock, because page 0 belongs to the
/// firmware.
fn block_types(layout: &Layout, mem: &Memory) -> Vec<u8> {
    let mut ranges = Vec::new();
    for node in &layout.nodes {
        for zone in &node.zones {
            ranges.extend_from_slice(&zone.ranges);
        }
    }
    let is_memory = |pfn: u64| {
        let mut ranges = ranges.iter();
        ranges.any(|r| (r.start..r.start + r.pages).contains(&pfn))
    };
    let firsts = mem.pages.indices().step_by(1 << mem.pageblock_order);
    let first_pfns = firsts.map(|frame| mem.pfn(frame));
    first_pfns
        .map(|pfn| match is_memory(pfn) {
            true => crate::gfp::MOVABLE,
            false => crate::gfp::UNMOVABLE,
        })
        .collect()
}

/// Gives every zone, or every node, its LRU lists.
fn add_lruvecs(mem: &mut Memory, owner: LruOwner) {
    let Memory { zones, lruvecs, .. } = mem;
    for (z, zone) in zones.indices().zip(&mut **zones) {
        match lruvecs.last() {
            Some(last) if owner == LruOwner::Node && last.node == zone.node => {}
            _ => {
                let owner = match owner {
                    LruOwner::Node => ZoneIndex::NONE,
                    LruOwner::Zone => z,
                };
                lruvecs.push(Lruvec::new(zone.node, owner));
            }
        }
        zone.lruvec = LruvecIndex::new(lruvecs.len() as u8 - 1);
    }
}

/// Gives a zone its frames; returns its ranges of managed frames.
fn add_zone(
    mem: &mut Memory,
    zone: &crate::layout::ZoneLayout,
    kind: u8,
) -> Vec<(FrameIndex, FrameIndex)> {
    let block = 1u64 << (mem.orders - 1);
    let index = mem.zones.len() as u32;
    let first = mem.pages.next_index();
    let present: u64 = zone.ranges.iter().map(|r| r.pages).sum();
    let mut reserved = zone.reserved();
    let mut runs = Vec::new();
    for range in &zone.ranges {
        let (start, end) = (range.start, range.start + range.pages);
        let aligned = start & !(block - 1);
        // A range that starts in the block where the last one ended shares the records of that
        // block.
        let frame_of = match mem.segments.last() {
            Some(s) if s.frame >= first && aligned < s.pfn + u64::from(s.len) => {
                let s = *s;
                s.frame.plus((aligned - s.pfn) as u32)
            }
            _ => mem.pages.next_index(),
        };
        let padded = (end.next_multiple_of(block) - aligned) as u32;
        let need = frame_of.plus(padded).index();
        if need > mem.pages.len() {
            let mut page = Page::absent();
            page.meta = index << 8;
            mem.pages.grow(need, page);
        }
        mem.segments.push(Segment {
            frame: frame_of,
            pfn: aligned,
            len: padded,
        });
        let from = frame_of.plus((start - aligned) as u32);
        let to = from.plus((end - start) as u32);
        let reserved_here = reserved.min(u64::from(to.since(from))) as u32;
        reserved -= u64::from(reserved_here);
        let managed = from.plus(reserved_here);
        for frame in from.until(to) {
            let kind = if frame < managed {
                PageKind::Reserved
            } else {
                PageKind::Tail
            };
            mem.pages[frame].meta = index << 8 | kind as u32;
        }
        runs.push((managed, to));
    }
    let mut kinds = [0; KINDS];
    kinds[PageKind::Reserved as usize] = (present - zone.managed) as u32;
    kinds[PageKind::InFlight as usize] = zone.managed as u32;
    mem.zones.push(Zone {
        node: NodeIndex::new(zone.node as u8),
        kind,
        first,
        frames: mem.pages.next_index().since(first),
        managed: zone.managed as u32,
        present: present as u32,
        wmark: [Pages::ZERO; 3],
        compact_defer_shift: 0,
        compact_considered: 0,
        boost: Pages::ZERO,
        alloc_batch: 0,
        reclaim_active: false,
        protection: [Pages::ZERO; MAX_ZONE_TYPES],
        nr_free_pages: 0,
        nr_reserved_highatomic: 0,
        nr_free: [0; MAX_ORDERS],
        kinds,
        pcp_high: 0,
        pcp_batch: 1,
        numa: [0; 6],
        lruvec: LruvecIndex::new(0),
        lru: [0; LRU_LISTS],
        gauge: [0; GAUGES],
        gen_pages: [[0; 2]; MAX_NR_GENS],
    });
    runs
}

/// Frees a range of frames in the largest aligned blocks, in ascending order.
fn free_run(mem: &mut Memory, start: FrameIndex, end: FrameIndex, to_tail: bool) {
    let mut frame = start;
    while frame < end {
        let fits = end.since(frame).ilog2() as u8;
        let order = frame.alignment().min(fits).min(mem.orders - 1);
        let page = &mut mem.pages[frame];
        page.meta = page.meta & !0xff | u32::from(order) << 4 | PageKind::InFlight as u32;
        mem.add_free(frame, order, mem.block_type(frame), to_tail);
        frame = frame.plus(1 << order);
    }
}
