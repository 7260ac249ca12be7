//! Compares blocks, free lists, per-cpu lists and LRU lists with the counts of zones and list owners.

use crate::buddy::RsPt;
use crate::check::{Violation, generations};
use crate::fair_zone::batch_size;
use crate::frames::Frame;
use crate::gfp::{RESERVED, TYPES};
use crate::kernel::BlockReserve;
use crate::machine::{Machine, Task};
use crate::mmzone::{ALL_KINDS, KINDS, LRU_LISTS, MAX_ORDERS, Memory, Page, PageKind, flag};
use facts::amount::Pages;
use facts::index::{FrameIndex, ListIndex, LruvecIndex, ZoneIndex};

/// Checks all lists. Returns the list of each frame, [`ListIndex::NONE`] for none.
pub(super) fn check_lists(mem: &Memory, out: &mut Vec<Violation>) -> Vec<ListIndex> {
    let mut on = vec![ListIndex::NONE; mem.pages.len()];
    for list in ListIndex::all(mem.lists.count()) {
        let mut found = 0;
        for frame in mem.lists.iter(list) {
            found += 1;
            if !on[frame.index()].is_none() {
                out.push(Violation::ListedTwice { frame, list });
            }
            on[frame.index()] = list;
        }
        let says = mem.lists.len(list);
        if says != found {
            out.push(Violation::ListLength { list, says, found });
        }
    }
    for (frame, page) in mem.pages.entries() {
        let is_listed = !page.slot.is_none();
        let holds = is_listed && mem.lists.frame_at(page.slot) == Some(frame);
        if holds == on[frame.index()].is_none() || (is_listed && !holds) {
            let slot = page.slot;
            out.push(Violation::SlotAstray { frame, slot });
        }
    }
    on
}

/// May the block that starts at a page be on this list?
fn is_allowed(
    mem: &Memory,
    list: ListIndex,
    zone: ZoneIndex,
    frame: FrameIndex,
    page: Page,
) -> bool {
    let order = page.order();
    match page.kind() {
        PageKind::Anon | PageKind::File if mem.generation(frame).is_some() => {
            generations::is_allowed(mem, list, zone, frame)
        }
        PageKind::Anon | PageKind::File if page.has(flag::LRU) => {
            list == mem.lru_list(mem.lruvec_of(frame), page.lru())
        }
        PageKind::Free => (0..TYPES).any(|t| mem.free_list(zone, order, t) == list),
        PageKind::Pcp => {
            let mut cpus = mem.cpus();
            let mut types = 0..crate::gfp::PCP_TYPES;
            mem.pcp_allowed(order)
                && cpus.any(|c| {
                    types
                        .clone()
                        .any(|t| mem.pcp_list(zone, c, order, t) == list)
                })
                && types.next().is_some()
        }
        _ => list.is_none(),
    }
}

/// Compares the LRU lists and the batches of reclaimers with the counts of their owners and zones.
pub(super) fn check_lru(m: &Machine, out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    let mut zones = vec![[0u32; LRU_LISTS]; mem.zones.len()];
    let mut owners = vec![[0u32; LRU_LISTS]; mem.lruvecs.len()];
    let mut isolated = vec![[0u32; 2]; mem.lruvecs.len()];
    for (frame, page) in mem.pages.entries() {
        let zone = page.zone();
        let owner = mem.lruvec_of(frame);
        if page.has(flag::LRU) {
            let lru = usize::from(mem.counted_as(frame));
            zones[zone.index()][lru] += 1 << page.order();
            owners[owner.index()][lru] += 1 << page.order();
        }
    }
    for (zone, found) in mem.zones.indices().zip(zones) {
        let says = mem.zones[zone].lru;
        if says != found {
            out.push(Violation::ZoneLru { zone, says, found });
        }
    }
    for (owner, found) in mem.lruvecs.indices().zip(owners) {
        let says = mem.lruvecs[owner].nr;
        if says != found {
            out.push(Violation::LruSize { owner, says, found });
        }
    }
    // A page that is freed from a batch counts as isolated until the batch ends.
    for task in &m.tasks {
        if let Some((owner, file)) = batch_of(task) {
            let others = task.cx.sc.of_other_type;
            isolated[owner.index()][file] += task.cx.sc.batch.len() as u32 - others;
            isolated[owner.index()][1 - file] += others;
        }
    }
    // Huge pages are on no list, so they do not count.
    let is_listed = |frame: &&FrameIndex| mem.pages[**frame].has(flag::ISOLATED);
    let lists = m.tasks.iter().flat_map(|t| &t.cx.migrate.list);
    let moving = lists.filter(is_listed);
    for &frame in moving {
        let file = usize::from(!mem.pages[frame].is_anon());
        isolated[mem.lruvec_of(frame).index()][file] += 1;
    }
    for (owner, found) in mem.lruvecs.indices().zip(isolated) {
        let says = mem.lruvecs[owner].isolated;
        if says != found {
            out.push(Violation::Isolated { owner, says, found });
        }
    }
}

/// Owner and type (0 anonymous, 1 file) of the list from which a task took its batch.
fn batch_of(task: &Task) -> Option<(LruvecIndex, usize)> {
    task.stack.iter().rev().find_map(|f| match f {
        Frame::ShrinkInactiveList(f) => Some((f.owner, f.file.into())),
        Frame::ShrinkActiveList(f) => Some((f.owner, f.file.into())),
        _ => None,
    })
}

/// What a zone still counts as free while a section that holds zone->lock works on it.
#[derive(Debug, Default)]
struct Pending {
    /// Number of pages.
    pages: u32,
    /// Number of blocks by order; negative if the section has already put blocks on lists.
    blocks: [i32; MAX_ORDERS],
}

impl Pending {
    fn of(m: &Machine, zone: ZoneIndex) -> Pending {
        let mut pending = Pending::default();
        for frame in m.tasks.iter().flat_map(|task| task.stack.iter()) {
            match frame {
                // The block that was found counts as free; the halves on their lists do not.
                Frame::RmqueueSmallest(f)
                    if f.zone == zone && matches!(f.pt, RsPt::Expand | RsPt::Done) =>
                {
                    pending.pages += 1 << f.current;
                    pending.blocks[usize::from(f.found)] += 1;
                    for half in f.current..f.found {
                        pending.blocks[usize::from(half)] -= 1;
                    }
                }
                // The merged buddies count as free; the block that is being freed does not.
                Frame::FreeOne(f) if m.w.mem.pages[f.page].zone() == zone => {
                    pending.pages += (1 << f.order) - (1 << f.freed);
                    for buddy in f.freed..f.order {
                        pending.blocks[usize::from(buddy)] += 1;
                    }
                }
                _ => {}
            }
        }
        pending
    }
}

/// Walks every zone block by block and compares the recount with the zone's counts.
pub(super) fn check_blocks(m: &Machine, on: &[ListIndex], out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    for (z, zone) in mem.zones.entries() {
        let mut kinds = [0u32; KINDS];
        let mut blocks = vec![0u32; zone.nr_free.len()];
        let mut free = 0;
        let pending = Pending::of(m, z);
        let end = zone.end();
        let mut frame = zone.first;
        while frame < end {
            let page = mem.pages[frame];
            let (kind, order) = (page.kind(), page.order());
            match kind {
                PageKind::Absent | PageKind::Reserved => {
                    kinds[kind as usize] += u32::from(kind == PageKind::Reserved);
                    if !on[frame.index()].is_none() {
                        let list = on[frame.index()];
                        out.push(Violation::ListedWrongly { frame, list });
                    }
                    frame = frame.plus(1);
                    continue;
                }
                PageKind::Tail => {
                    out.push(Violation::Loose { frame });
                    frame = frame.plus(1);
                    continue;
                }
                _ => {}
            }
            check_block(m, z, frame, end, out);
            let list = on[frame.index()];
            let listed = kind == PageKind::Free || kind == PageKind::Pcp;
            if listed && list.is_none() {
                out.push(Violation::Unlisted { frame });
            } else if !is_allowed(mem, list, z, frame, page) {
                out.push(Violation::ListedWrongly { frame, list });
            }
            kinds[kind as usize] += 1 << order;
            if kind == PageKind::Free {
                free += 1 << order;
                blocks[usize::from(order).min(zone.nr_free.len() - 1)] += 1;
            }
            frame = frame.plus(1 << order);
        }
        free += pending.pages;
        kinds[PageKind::Free as usize] += pending.pages;
        let in_hand = &mut kinds[PageKind::InFlight as usize];
        *in_hand = in_hand.saturating_sub(pending.pages);
        for (found, pending) in blocks.iter_mut().zip(pending.blocks) {
            *found = found.wrapping_add_signed(pending);
        }
        if free != zone.nr_free_pages {
            let says = zone.nr_free_pages;
            out.push(Violation::FreePages {
                zone: z,
                says,
                found: free,
            });
        }
        for (order, (&says, &found)) in zone.nr_free.iter().zip(&blocks).enumerate() {
            if says != found {
                out.push(Violation::FreeBlocks {
                    zone: z,
                    order,
                    says,
                    found,
                });
            }
        }
        for (kind, (&says, &found)) in ALL_KINDS.into_iter().zip(zone.kinds.iter().zip(&kinds)) {
            if says != found {
                out.push(Violation::KindCount {
                    zone: z,
                    kind,
                    says,
                    found,
                });
            }
        }
        let managed = kinds.iter().sum::<u32>() - kinds[PageKind::Reserved as usize];
        if managed != zone.managed {
            out.push(Violation::Managed {
                zone: z,
                says: zone.managed,
                found: managed,
            });
        }
    }
    check_pcp(mem, out);
}

/// Checks one block: it must be aligned, inside its zone, own all its frames, and be merged as far
/// as the kernel merges blocks.
fn check_block(
    m: &Machine,
    zone: ZoneIndex,
    frame: FrameIndex,
    end: FrameIndex,
    out: &mut Vec<Violation>,
) {
    let mem = &m.w.mem;
    let page = mem.pages[frame];
    let order = page.order();
    if frame.head(order) != frame {
        out.push(Violation::Unaligned { frame, order });
    }
    let inside = frame.plus(1 << order) <= end && page.zone() == zone && order < mem.orders;
    let rest = frame.next().until(frame.plus(1 << order).min(end));
    let mut foreign = !inside;
    for f in rest {
        let p = mem.pages[f];
        match p.kind() {
            PageKind::Tail => foreign |= p.zone() != zone,
            PageKind::Absent | PageKind::Reserved => foreign = true,
            _ => out.push(Violation::Overlap {
                frame: f,
                head: frame,
            }),
        }
    }
    if foreign {
        out.push(Violation::LeavesZone { frame, order, zone });
    }
    let buddy = frame.buddy(order);
    if page.is(PageKind::Free)
        && frame < buddy
        && order + 1 < mem.orders
        && mem.is_free_block(buddy, order, zone)
        && types_agree(m, frame, buddy, order)
    {
        out.push(Violation::Unmerged {
            frame,
            buddy,
            order,
        });
    }
}

/// From 6.1 on, blocks of a pageblock or more stay apart when one of them is HighAtomic.
fn types_agree(m: &Machine, a: FrameIndex, b: FrameIndex, order: u8) -> bool {
    let mem = &m.w.mem;
    let (a, b) = (mem.block_type(a), mem.block_type(b));
    order < mem.pageblock_order
        || !m.w.facts.features.highatomic_stays_apart
        || a == b
        || (a != RESERVED && b != RESERVED)
}

fn check_pcp(mem: &Memory, out: &mut Vec<Violation>) {
    for zone in mem.zones.indices() {
        for cpu in mem.cpus() {
            let mut found = 0;
            for order in (0..mem.orders).filter(|&o| mem.pcp_allowed(o)) {
                let mut types = 0..crate::gfp::PCP_TYPES;
                if order >= mem.pcp_orders {
                    types.end = 1;
                }
                found += types
                    .map(|t| mem.lists.len(mem.pcp_list(zone, cpu, order, t)) << order)
                    .sum::<u32>();
            }
            let says = mem.pcp_count[mem.pcp_at(zone, cpu)];
            if says != found {
                out.push(Violation::PcpCount {
                    zone,
                    cpu,
                    says,
                    found,
                });
            }
        }
    }
}

pub(super) fn check_zones(m: &Machine, out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    let block = 1u32 << mem.pageblock_order;
    for (i, &migratetype) in mem.blocks.iter().enumerate() {
        if migratetype >= TYPES {
            out.push(Violation::BlockType {
                block: i,
                migratetype,
            });
        }
    }
    for (z, zone) in mem.zones.entries() {
        let [min, low, high] = zone.wmark.map(Pages::get);
        if !(min <= low && low <= high) {
            out.push(Violation::Marks {
                zone: z,
                min,
                low,
                high,
            });
        }
        let fair = m.w.facts.features.fair_zone_policy;
        let most = if fair { batch_size(zone) } else { 0 };
        if zone.alloc_batch > most || (!fair && zone.alloc_batch != 0) {
            let batch = zone.alloc_batch;
            out.push(Violation::AllocBatch {
                zone: z,
                batch,
                most,
            });
        }
        let factor = m.w.tunables.watermark_boost_factor;
        let most = match u64::from(high) * factor / 10_000 {
            _ if !m.w.facts.features.boost => 0,
            // An intervention may lower the factor during a boost; kswapd removes the boost later.
            _ if m.w.facts.interventions.iter().any(|_| true) => u64::from(u32::MAX),
            0 => 0,
            most => most.max(block.into()),
        };
        if u64::from(zone.boost) > most {
            out.push(Violation::Boost {
                zone: z,
                boost: zone.boost.get(),
                most,
            });
        }
        if m.w.facts.features.block_reserve == BlockReserve::HighAtomic {
            let first = zone.first.block(mem.pageblock_order);
            let last = zone.end().block(mem.pageblock_order);
            let blocks = mem.blocks[first..last].iter();
            let found = blocks.filter(|&&t| t == RESERVED).count() as u32 * block;
            let says = zone.nr_reserved_highatomic;
            if says != found {
                out.push(Violation::Highatomic {
                    zone: z,
                    says,
                    found,
                });
            }
        }
    }
}
