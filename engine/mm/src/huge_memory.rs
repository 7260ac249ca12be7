//! Splitting huge pages for reclaim (mm/huge_memory.c, `split_huge_page_to_list`).
//!
//! Modelled: an anonymous huge page becomes base pages at the same addresses, so that they can be
//! swapped out one by one; the kernel's counters of these splits.
//! Left out: the position of the huge page among other pages. Huge pages are on no LRU list here;
//! kernels split one when it reaches the tail of its list. Here a reclaimer splits the first one
//! when its anonymous lists hold less than a batch that is not under writeback, or at priority 0,
//! where it scans everything. From the first split on, huge pages count among the inactive pages to
//! scan, and each batch that needs one splits the one at the lowest frame. Also left out: swapping
//! out a huge page whole (`CONFIG_THP_SWAP`, from 4.13 on non-rotating devices) and the page table
//! deposited for the split.
//! Visible difference: base pages are always swapped out before huge ones, however often they are
//! used.
//! Invariants: a split changes neither memory, `rss` nor the address of the page; locked regions
//! keep their huge pages.

use crate::gfp::Gfp;
use crate::kernel::LruOwner;
use crate::memory::own;
use crate::mmzone::{Gauge, LRU_ACTIVE_ANON, LRU_INACTIVE_ANON, PageKind, Zone, flag};
use crate::record::decisions;
use crate::vmscan::ScanControl;
use crate::vmscan::kswapd::node_zones;
use crate::world::World;
use facts::index::{FrameIndex, LruvecIndex, ZoneIndex};

decisions! {
    HugeSplit { page: Page, order: Order, pages: Count }
        "No other anonymous pages are left to reclaim: the huge page at {page}, of {order}, is split into {pages page} that can be swapped out one by one.";
}

/// The huge page that a reclaimer of these lists splits to get this many pages to scan. `None` if
/// swap cannot take its pages, the reclaimer may not start I/O, or there are enough other anonymous
/// pages.
pub fn to_split(
    w: &World,
    owner: LruvecIndex,
    sc: &ScanControl,
    needed: u32,
) -> Option<FrameIndex> {
    let can_swap = sc.may_swap && sc.gfp.has(Gfp::IO) && w.swap.free_slots() > 0;
    if !w.facts.features.thp || !can_swap {
        return None;
    }
    let zones = scanned_zones(w, owner, sc);
    let has_huge = |&z: &ZoneIndex| huge_pages(&w.mem.zones[z]) > 0;
    if !zones.iter().any(has_huge) {
        return None;
    }
    let left = |&z: &ZoneIndex| {
        let zone = &w.mem.zones[z];
        let listed =
            zone.lru[usize::from(LRU_INACTIVE_ANON)] + zone.lru[usize::from(LRU_ACTIVE_ANON)];
        listed.saturating_sub(zone.gauge(Gauge::Writeback))
    };
    if zones.iter().map(left).sum::<u32>() >= needed {
        return None;
    }
    zones.iter().find_map(|&z| lowest(w, z))
}

/// Pages of a zone that are in huge pages.
fn huge_pages(zone: &Zone) -> u32 {
    zone.kinds[PageKind::HugeAnon as usize]
}

/// Has a huge page been split for reclaim in this run?
pub fn has_split(w: &World) -> bool {
    w.counters.thp_split + w.counters.thp_split_page > 0
}

/// Pages in huge pages of a zone that count as inactive: none before the first split.
pub fn inactive_pages(w: &World, zone: &Zone) -> u32 {
    if has_split(w) { huge_pages(zone) } else { 0 }
}

/// Zones whose pages a reclaimer takes from these lists.
fn scanned_zones(w: &World, owner: LruvecIndex, sc: &ScanControl) -> Vec<ZoneIndex> {
    let lruvec = &w.mem.lruvecs[owner];
    match w.facts.features.lru_owner {
        LruOwner::Zone => vec![lruvec.zone],
        LruOwner::Node => node_zones(w, lruvec.node, sc.reclaim_idx).collect(),
    }
}

/// Of the huge pages of a zone that are not locked in memory, the one at the lowest frame.
fn lowest(w: &World, zone: ZoneIndex) -> Option<FrameIndex> {
    let zone = &w.mem.zones[zone];
    let first = zone.first.next_head(w.mem.pageblock_order);
    let mut heads = first.until(zone.end()).step_by(1 << w.mem.pageblock_order);
    heads.find(|&frame| {
        let page = w.mem.pages[frame];
        let (space, region) = (page.owner >> 16, page.owner & 0xffff);
        page.is(PageKind::HugeAnon) && !w.processes.region(space, region).locked
    })
}

/// Clears the unreclaimable mark of zones: from the first split on, they have reclaimable pages
/// again.
fn give_zones_back(w: &mut World) {
    for lruvec in &mut w.mem.lruvecs {
        (lruvec.all_unreclaimable, lruvec.pages_scanned) = (false, 0);
    }
}

/// Splits a huge page: its base pages go to the inactive list, mapped, dirty and not recently used.
pub fn split(w: &mut World, head: FrameIndex) {
    if !has_split(w) {
        give_zones_back(w);
    }
    let page = w.mem.pages[head];
    let (space, region, index) = (page.owner >> 16, page.owner & 0xffff, page.index);
    let order = page.order();
    let pages = 1 << order;
    w.mem.break_up(head, order);
    w.processes.split_huge(space, region, index, head);
    for i in 0..pages {
        let page = w.mem.set_kind(head.plus(i), PageKind::Anon, 0);
        own(page, space, region, index + i);
        page.set(flag::MAPPED);
        w.mem.lru_add(head.plus(i));
    }
    w.spend(w.facts.cost.tlb_flush_all + pages * w.facts.cost.lru_move);
    if w.facts.features.thp_counts_split_pages {
        w.counters.thp_split_page += 1;
    } else {
        w.counters.thp_split += 1;
    }
    if w.facts.features.thp_swap {
        w.counters.thp_swpout_fallback += 1;
    }
    w.record(HugeSplit {
        page: head,
        order,
        pages: pages.into(),
    });
}
