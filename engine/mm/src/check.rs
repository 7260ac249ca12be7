//! Invariants: a recount of everything the engine keeps count of, from the raw page array.
//!
//! Modelled: what must hold between any two steps: each page in one place, counters equal to the
//! recount, free blocks merged as far as the era merges, every task able to go on.
//! Left out: whether the *right* page was taken; the worked examples test that.
//! Invariants: reads only; a machine that passed stays as it was.

use std::fmt;

use crate::block::Origin;
use crate::buddy::{FoPt, RqPt, RsPt};
use crate::fallback::FbPt;
use crate::filemap::{AcPt, TiPt};
use crate::frames::{Frame, NONE};
use crate::gfp::{RESERVED, TYPES};
use crate::kernel::BlockReserve;
use crate::machine::{Machine, Task, TaskKind, TaskStatus};
use crate::memory::{DaPt, DhPt, HfPt, UrPt};
use crate::mmzone::{
    ALL_KINDS, GAUGES, Gauge, KINDS, LRU_LISTS, Memory, Page, PageKind, SWAP_OWNER, flag,
};
use crate::page_alloc::{ApPt, GfPt};
use crate::pcp::{FpPt, RbPt};
use crate::rmap;
use crate::slab::{BUFFERS, INODE, NsPt, TREE_NODE};
use crate::slowpath::SlPt;
use crate::space::{Backing, Place};
use crate::swapfile;
use crate::user::UsPt;
use crate::world::World;

macro_rules! violations {
    ($($name:ident { $($field:ident: $ty:ty),+ } $text:literal;)+) => {
        /// Something that must never be.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Violation { $(#[doc = $text] $name { $($field: $ty),+ },)+ }

        impl Violation {
            /// Names of all of them.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The name of this one.
            pub fn name(&self) -> &'static str {
                match self { $(Violation::$name { .. } => stringify!($name),)+ }
            }
        }

        impl fmt::Display for Violation {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Violation::$name { $($field),+ } => write!(f, $text),)+ }
            }
        }
    };
}

violations! {
    Unaligned { frame: u32, order: u8 } "the block at frame {frame} does not start at a multiple of its order {order}";
    LeavesZone { frame: u32, order: u8, zone: u8 } "the block of order {order} at frame {frame} reaches outside zone {zone}";
    Overlap { frame: u32, head: u32 } "frame {frame} lies inside the block at {head} and is a block of its own";
    Loose { frame: u32 } "frame {frame} belongs to no block";
    ListLength { list: u32, says: u32, found: u32 } "list {list} says {says} frames and has {found}";
    ListedTwice { frame: u32, list: u32 } "frame {frame} is on list {list} and on another";
    ListedWrongly { frame: u32, list: u32 } "frame {frame} is on list {list}, which its zone, order and use do not allow";
    Unlisted { frame: u32 } "frame {frame} is free but on no list";
    SlotAstray { frame: u32, slot: u32 } "frame {frame} names slot {slot}, which does not hold it";
    FreePages { zone: usize, says: u32, found: u32 } "zone {zone} says {says} free pages and has {found}";
    FreeBlocks { zone: usize, order: usize, says: u32, found: u32 } "zone {zone} says {says} free blocks of order {order} and has {found}";
    KindCount { zone: usize, kind: PageKind, says: u32, found: u32 } "zone {zone} says {says} pages of kind {kind:?} and has {found}";
    ZoneLru { zone: usize, says: [u32; 5], found: [u32; 5] } "zone {zone} says {says:?} pages on its LRU lists and has {found:?}";
    LruSize { owner: usize, says: [u32; 5], found: [u32; 5] } "LRU owner {owner} says {says:?} pages on its lists and has {found:?}";
    Isolated { owner: usize, says: [u32; 2], found: [u32; 2] } "LRU owner {owner} says {says:?} pages are isolated and has {found:?}";
    DeviceDirty { device: usize, says: [u32; 2], found: [u32; 2] } "device {device} says {says:?} pages of its files are dirty and under writeback, {found:?} are";
    Writeback { frame: u32, requests: u32 } "frame {frame} is in {requests} requests to write it, which its flag does not allow";
    Requests { device: usize, says: [u32; 4], found: [u32; 4] } "device {device} counts {says:?} requests that are asynchronous, synchronous, writes of others and of kswapd, {found:?} are";
    WaitsForNothing { frame: u32, task: u32 } "task {task} waits for frame {frame}, which is neither locked nor being written";
    Managed { zone: usize, says: u32, found: u32 } "zone {zone} manages {says} pages but has {found}";
    PcpCount { zone: usize, cpu: usize, says: u32, found: u32 } "CPU {cpu} says {says} pages of zone {zone} on its lists and has {found}";
    Unmerged { frame: u32, buddy: u32, order: u8 } "frames {frame} and {buddy} are free buddies of order {order} and not merged";
    BlockType { block: usize, migratetype: u8 } "pageblock {block} has type {migratetype}, which does not exist";
    Highatomic { zone: usize, says: u32, found: u32 } "zone {zone} says {says} pages in HighAtomic blocks and has {found}";
    Boost { zone: usize, boost: u32, most: u64 } "zone {zone} is boosted by {boost}, at most {most} is allowed";
    Marks { zone: usize, min: u32, low: u32, high: u32 } "zone {zone} has marks {min}, {low}, {high}, which do not rise";
    NumaEvents { hits: u64, misses: u64, here: u64, foreign: u64 } "{hits} hits and {misses} misses, but {here} local or other and {foreign} foreign";
    AllocatedPages { events: u64, found: u64 } "events say {events} pages are allocated, {found} are";
    Rss { space: usize, says: u32, found: u32 } "space {space} says {says} pages are mapped, {found} are";
    WrongOwner { frame: u32, space: usize } "space {space} holds frame {frame}, whose record names another place or use";
    HeldTwice { frame: u32 } "frame {frame} is held at two places";
    Unheld { frame: u32, kind: PageKind } "frame {frame} is in use as {kind:?} but nobody holds it";
    InFlightLost { frame: u32 } "frame {frame} is in flight but no task has it in hand";
    NotInFlight { frame: u32, task: usize } "task {task} has frame {frame} in hand, which is not in flight";
    Queues { task: usize, queues: usize } "task {task} is runnable and on {queues} queues of its CPU";
    Timers { task: usize, timers: usize } "task {task} sleeps on {timers} timers of its CPU";
    NotRunnable { task: u32, cpu: usize } "task {task} is on the run queue of CPU {cpu} but not runnable there";
    NotSleeping { task: u32, cpu: usize } "task {task} is on a timer of CPU {cpu} but not asleep there";
    Unwakeable { task: usize } "task {task} waits, but nobody can wake it";
    Frames { task: usize, frames: usize } "task {task} has {frames} frames, which its state does not allow";
    CpuKey { cpu: usize } "the scheduler does not know when CPU {cpu} has something to do next";
    Placed { cpu: usize, says: u32, found: u32 } "CPU {cpu} says {says} tasks are placed there, {found} are";
    KswapdFlag { node: usize, awake: bool } "kswapd of node {node} is marked awake: {awake}, but its task is not so";
    Cached { frame: u32, file: u32 } "file {file} has frame {frame} in its cache, whose record names another place or use";
    Tree { file: u32, what: &'static str } "page cache of file {file}: {what}";
    DirtyPages { file: u32, says: u32, found: u32 } "file {file} says {says} dirty pages and has {found}";
    Users { file: u32, says: u32, found: u32 } "file {file} says {says} users and has {found}";
    SwapCached { frame: u32, slot: u32 } "swap slot {slot} has frame {frame} in the cache, whose record names another place or use";
    SwapCount { slot: u32, says: u8, found: u32 } "swap slot {slot} says {says} entries and has {found}";
    SwapPlace { slot: u32 } "swap slot {slot} names a place whose entry names another";
    Swapped { space: usize, says: u32, found: u32 } "space {space} says {says} pages are swapped, {found} are";
    SwapMap { free: u32 } "the map of swap slots does not agree with {free} free slots, its cache or its clusters";
    Slab { cache: usize, objects: u32 } "slab cache {cache} of {objects} objects does not agree with its slabs, its lists or what its objects are for";
    GaugeCount { zone: usize, gauges: [u32; 7], found: [u32; 7] } "zone {zone} counts {gauges:?} pages and has {found:?}";
    Mapped { frame: u32, says: bool } "frame {frame} is marked mapped: {says}, which no entry, or one, says otherwise";
    Ungranted { wakes: usize, births: usize } "{wakes} wake-ups and {births} births were asked for and not granted";
}

/// Everything that is wrong with a machine between two steps; empty when nothing is.
pub fn check(m: &Machine) -> Vec<Violation> {
    let mut found = Vec::new();
    let lists = check_lists(&m.w.mem, &mut found);
    check_blocks(m, &lists, &mut found);
    check_zones(m, &mut found);
    check_lru(m, &mut found);
    check_events(m, &mut found);
    let mut held = vec![false; m.w.mem.pages.len()];
    check_spaces(m, &mut held, &mut found);
    check_hands(m, &mut held, &mut found);
    check_cache(m, &mut held, &mut found);
    check_swap(m, &mut held, &mut found);
    check_slab(m, &mut held, &mut found);
    check_gauges(m, &mut found);
    for (frame, page) in (0u32..).zip(&m.w.mem.pages) {
        let kind = page.kind();
        // What its last user left in a reclaimer's hands, or on the lists, the next one frees.
        let orphan = page.is_orphan() && page.meta & (flag::LRU | flag::ISOLATED) != 0;
        if kind >= PageKind::InFlight && !held[frame as usize] && !orphan {
            found.push(match kind {
                PageKind::InFlight => Violation::InFlightLost { frame },
                _ => Violation::Unheld { frame, kind },
            });
        }
    }
    check_io(m, &mut found);
    check_tasks(m, &mut found);
    found
}

/// The list each frame is on, [`NONE`] for none.
fn check_lists(mem: &Memory, out: &mut Vec<Violation>) -> Vec<u32> {
    let mut on = vec![NONE; mem.pages.len()];
    for list in 0..mem.lists.count() as u32 {
        let mut found = 0;
        for frame in mem.lists.iter(list) {
            found += 1;
            if on[frame as usize] != NONE {
                out.push(Violation::ListedTwice { frame, list });
            }
            on[frame as usize] = list;
        }
        let says = mem.lists.len(list);
        if says != found {
            out.push(Violation::ListLength { list, says, found });
        }
    }
    for (frame, page) in (0u32..).zip(&mem.pages) {
        let holds = page.slot != NONE && mem.lists.frame_at(page.slot) == Some(frame);
        if holds != (on[frame as usize] != NONE) || (page.slot != NONE && !holds) {
            let slot = page.slot;
            out.push(Violation::SlotAstray { frame, slot });
        }
    }
    on
}

/// May the block a page heads be on this list?
fn is_allowed(mem: &Memory, list: u32, zone: u8, page: Page) -> bool {
    let order = page.order();
    match page.kind() {
        PageKind::Anon | PageKind::File if page.has(flag::LRU) => {
            list == mem.lru_list(mem.zones[zone as usize].lruvec, page.lru())
        }
        PageKind::Free => (0..TYPES).any(|t| mem.free_list(zone, order, t) == list),
        PageKind::Pcp => {
            let mut cpus = 0..mem.cpus;
            let mut types = 0..crate::gfp::PCP_TYPES;
            mem.pcp_allowed(order)
                && cpus.any(|c| {
                    types
                        .clone()
                        .any(|t| mem.pcp_list(zone, c, order, t) == list)
                })
                && types.next().is_some()
        }
        _ => list == NONE,
    }
}

/// The LRU lists and the batches of reclaimers against the counts of their owners and zones.
fn check_lru(m: &Machine, out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    let mut zones = vec![[0u32; LRU_LISTS]; mem.zones.len()];
    let mut owners = vec![[0u32; LRU_LISTS]; mem.lruvecs.len()];
    let mut isolated = vec![[0u32; 2]; mem.lruvecs.len()];
    for page in &mem.pages {
        let zone = usize::from(page.zone());
        let owner = usize::from(mem.zones[zone].lruvec);
        if page.has(flag::LRU) {
            zones[zone][usize::from(page.lru())] += 1 << page.order();
            owners[owner][usize::from(page.lru())] += 1 << page.order();
        }
    }
    for (zone, found) in zones.into_iter().enumerate() {
        let says = mem.zones[zone].lru;
        if says != found {
            out.push(Violation::ZoneLru { zone, says, found });
        }
    }
    for (owner, found) in owners.into_iter().enumerate() {
        let says = mem.lruvecs[owner].nr;
        if says != found {
            out.push(Violation::LruSize { owner, says, found });
        }
    }
    // A page freed from a batch counts as isolated until the batch ends.
    for task in &m.tasks {
        if let Some((owner, file)) = batch_of(task) {
            isolated[owner][file] += task.cx.sc.batch.len() as u32;
        }
    }
    for (owner, found) in isolated.into_iter().enumerate() {
        let says = mem.lruvecs[owner].isolated;
        if says != found {
            out.push(Violation::Isolated { owner, says, found });
        }
    }
}

/// Owner and type (0 anonymous, 1 file) of the list a task took its batch from.
fn batch_of(task: &Task) -> Option<(usize, usize)> {
    task.stack.iter().rev().find_map(|f| match f {
        Frame::ShrinkInactiveList(f) => Some((f.owner.into(), f.file.into())),
        Frame::ShrinkActiveList(f) => Some((f.owner.into(), f.file.into())),
        _ => None,
    })
}

/// Walks every zone block by block and compares the recount with what the zone says.
fn check_blocks(m: &Machine, on: &[u32], out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    for (z, zone) in mem.zones.iter().enumerate() {
        let mut kinds = [0u32; KINDS];
        let mut blocks = vec![0u32; zone.nr_free.len()];
        let mut free = 0;
        let end = zone.first + zone.frames;
        let mut frame = zone.first;
        while frame < end {
            let page = mem.pages[frame as usize];
            let (kind, order) = (page.kind(), page.order());
            match kind {
                PageKind::Absent | PageKind::Reserved => {
                    kinds[kind as usize] += u32::from(kind == PageKind::Reserved);
                    if on[frame as usize] != NONE {
                        let list = on[frame as usize];
                        out.push(Violation::ListedWrongly { frame, list });
                    }
                    frame += 1;
                    continue;
                }
                PageKind::Tail => {
                    out.push(Violation::Loose { frame });
                    frame += 1;
                    continue;
                }
                _ => {}
            }
            check_block(m, z as u8, frame, end, out);
            let list = on[frame as usize];
            let listed = kind == PageKind::Free || kind == PageKind::Pcp;
            if listed && list == NONE {
                out.push(Violation::Unlisted { frame });
            } else if !is_allowed(mem, list, z as u8, page) {
                out.push(Violation::ListedWrongly { frame, list });
            }
            kinds[kind as usize] += 1 << order;
            if kind == PageKind::Free {
                free += 1 << order;
                blocks[usize::from(order).min(zone.nr_free.len() - 1)] += 1;
            }
            frame += 1 << order;
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

/// One block: aligned, inside its zone, all its frames its own, merged as far as the era merges.
fn check_block(m: &Machine, zone: u8, frame: u32, end: u32, out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    let page = mem.pages[frame as usize];
    let order = page.order();
    if frame & ((1 << order) - 1) != 0 {
        out.push(Violation::Unaligned { frame, order });
    }
    let inside = frame + (1 << order) <= end && page.zone() == zone && order < mem.orders;
    let rest = frame + 1..(frame + (1 << order)).min(end);
    let mut foreign = !inside;
    for f in rest {
        let p = mem.pages[f as usize];
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
    let buddy = frame ^ 1 << order;
    if page.kind() == PageKind::Free
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
fn types_agree(m: &Machine, a: u32, b: u32, order: u8) -> bool {
    let mem = &m.w.mem;
    let (a, b) = (mem.block_type(a), mem.block_type(b));
    order < mem.pageblock_order
        || !m.w.facts.features.highatomic_stays_apart
        || a == b
        || (a != RESERVED && b != RESERVED)
}

fn check_pcp(mem: &Memory, out: &mut Vec<Violation>) {
    for zone in 0..mem.zones.len() {
        for cpu in 0..mem.cpus {
            let mut found = 0;
            for order in (0..mem.orders).filter(|&o| mem.pcp_allowed(o)) {
                let mut types = 0..crate::gfp::PCP_TYPES;
                if order >= mem.pcp_orders {
                    types.end = 1;
                }
                found += types
                    .map(|t| mem.lists.len(mem.pcp_list(zone as u8, cpu, order, t)) << order)
                    .sum::<u32>();
            }
            let says = mem.pcp_count[mem.pcp_at(zone as u8, cpu)];
            if says != found {
                let cpu = usize::from(cpu);
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

fn check_zones(m: &Machine, out: &mut Vec<Violation>) {
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
    for (z, zone) in mem.zones.iter().enumerate() {
        let [min, low, high] = zone.wmark;
        if !(min <= low && low <= high) {
            out.push(Violation::Marks {
                zone: z,
                min,
                low,
                high,
            });
        }
        let factor = m.w.tunables.watermark_boost_factor;
        let most = match u64::from(high) * factor / 10_000 {
            _ if !m.w.facts.features.boost => 0,
            // The factor may be lowered while a boost stands; kswapd takes it back later.
            _ if m.w.facts.interventions.iter().any(|_| true) => u64::from(u32::MAX),
            0 => 0,
            most => most.max(block.into()),
        };
        if u64::from(zone.boost) > most {
            out.push(Violation::Boost {
                zone: z,
                boost: zone.boost,
                most,
            });
        }
        if m.w.facts.features.block_reserve == BlockReserve::HighAtomic {
            let first = (zone.first >> mem.pageblock_order) as usize;
            let last = ((zone.first + zone.frames) >> mem.pageblock_order) as usize;
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

/// Event counters against each other and against the pages they count.
fn check_events(m: &Machine, out: &mut Vec<Violation>) {
    let zones = &m.w.mem.zones;
    let sum = |i: usize| zones.iter().map(|z| z.numa[i]).sum::<u64>();
    let (hits, misses, foreign) = (sum(0), sum(1), sum(2));
    let here = sum(4) + sum(5);
    if hits + misses != here || misses != foreign {
        out.push(Violation::NumaEvents {
            hits,
            misses,
            here,
            foreign,
        });
    }
    let count = |kind: PageKind| {
        let pages = zones.iter().map(|z| u64::from(z.kinds[kind as usize]));
        pages.sum::<u64>()
    };
    let kinds = &ALL_KINDS[PageKind::Anon as usize..];
    let mut found = kinds.iter().map(|&k| count(k)).sum::<u64>();
    // A block in hand counts as allocated from the end of rmqueue to the start of free_pages.
    for task in &m.tasks {
        found += task.cx.sc.free.len() as u64;
        for (i, frame) in task.stack.iter().enumerate() {
            let ret = (i + 1 == task.stack.len()).then_some(task.cx.ret);
            if let Some(page) = in_hand(frame, ret)
                && is_counted(frame)
            {
                found += 1 << m.w.mem.pages[page as usize].order();
            }
        }
    }
    let loose = m.w.slab.loose().iter();
    found += loose
        .map(|&frame| 1 << m.w.mem.pages[frame as usize].order())
        .sum::<u64>();
    let events = m.w.counters.pgalloc.iter().sum::<u64>() - m.w.counters.pgfree;
    if events != found {
        out.push(Violation::AllocatedPages { events, found });
    }
}

/// Every place of every address space against the records of the pages it holds.
fn check_spaces(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    for space in 0..m.w.spaces.all.len() {
        let says = m.w.spaces.all[space].rss;
        let found = m.w.spaces.recount_rss(space);
        if says != found {
            out.push(Violation::Rss { space, says, found });
        }
        for place in m.w.spaces.places(space) {
            let frame = place.frame;
            let page = mem.pages[frame as usize];
            let known = match place.kind {
                PageKind::PageTable => true,
                _ => page.index == place.page,
            };
            let named = match place.kind {
                PageKind::Anon | PageKind::HugeAnon => {
                    rmap::anon_place(&m.w, frame) == (space as u32, place.region, place.page)
                }
                PageKind::File => is_shown(m, space, place),
                _ => page.owner == space as u32 && known,
            };
            if page.kind() != place.kind || !named {
                out.push(Violation::WrongOwner { frame, space });
            }
            let shared = place.kind == PageKind::File;
            if std::mem::replace(&mut held[frame as usize], true) && !shared {
                out.push(Violation::HeldTwice { frame });
            }
        }
    }
}

/// Does a place of a file's region hold the page of the file it shows?
fn is_shown(m: &Machine, space: usize, place: Place) -> bool {
    let page = m.w.mem.pages[place.frame as usize];
    match m.w.spaces.region(space as u32, place.region).backing {
        Backing::File { file, offset, .. } => {
            (page.owner, page.index) == (file, offset + place.page)
        }
        Backing::Anon => false,
    }
}

/// Every page of every file's cache against its record, and every file's counts.
fn check_cache(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    let (mem, files) = (&m.w.mem, &m.w.files);
    let mut dirty = vec![0; files.all.len()];
    for (file, index, frame) in files.cached() {
        let page = mem.pages[frame as usize];
        if page.kind() != PageKind::File || (page.owner, page.index) != (file, index) {
            out.push(Violation::Cached { frame, file });
        }
        dirty[file as usize] += u32::from(page.has(flag::DIRTY));
        held[frame as usize] = true;
    }
    let faults = files.faults();
    out.extend(
        faults
            .into_iter()
            .map(|(file, what)| Violation::Tree { file, what }),
    );
    let mut users = vec![0; files.all.len()];
    for fd in m.w.spaces.all.iter().flat_map(|s| &s.fds) {
        if fd.open {
            users[fd.file as usize] += 1;
        }
    }
    for (file, f) in (0u32..).zip(&files.all) {
        let (says, found) = (f.nr_dirty, dirty[file as usize]);
        if says != found {
            out.push(Violation::DirtyPages { file, says, found });
        }
        let opening = m.tasks.iter().filter(|t| opens(m, t) == Some(file)).count();
        let found = users[file as usize] + (f.mappings.len() + opening) as u32;
        let says = f.users;
        if says != found {
            out.push(Violation::Users { file, says, found });
        }
    }
}

/// The file whose inode a task was given, and which it is about to note as open.
fn opens(m: &Machine, task: &Task) -> Option<u32> {
    match task.stack.iter().next_back() {
        Some(Frame::User(f)) if matches!(f.pt, UsPt::Opened | UsPt::Made) && task.cx.ret == 1 => {
            f.open_file(&m.w, task.cx.space)
        }
        _ => None,
    }
}

/// Every swap slot against the entries that refer to it and the page in the cache.
fn check_swap(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    let swap = &m.w.swap;
    if !swap.is_sound() {
        let free = swap.free_slots();
        out.push(Violation::SwapMap { free });
    }
    let mut refers: Vec<(u32, u32, u32)> = Vec::new();
    for space in 0..m.w.spaces.all.len() {
        let entries = m.w.spaces.swap_entries(space);
        let (says, found) = (m.w.spaces.all[space].swapped, entries.len() as u32);
        if says != found {
            out.push(Violation::Swapped { space, says, found });
        }
        let owner = |region| rmap::pack_owner(space as u32, region);
        refers.extend(
            entries
                .iter()
                .map(|&(slot, region, page)| (slot, owner(region), page)),
        );
    }
    refers.sort_unstable();
    for (slot, says, cached) in swap.used_slots() {
        let from = refers.partition_point(|r| r.0 < slot);
        let mine = refers[from..].iter().take_while(|r| r.0 == slot);
        let found = mine.clone().count() as u32;
        if u32::from(says) != found {
            out.push(Violation::SwapCount { slot, says, found });
        }
        if mine
            .clone()
            .any(|&(_, owner, page)| swap.place_of(slot) != (owner, page))
        {
            out.push(Violation::SwapPlace { slot });
        }
        let Some(frame) = cached else { continue };
        let page = m.w.mem.pages[frame as usize];
        let named = (page.owner, page.index) == (SWAP_OWNER, slot);
        if page.kind() != PageKind::Anon || !named || !page.has(flag::SWAPCACHE) {
            out.push(Violation::SwapCached { frame, slot });
        }
        held[frame as usize] = true;
    }
    for &(slot, ..) in refers.iter().filter(|r| !swap.in_use(r.0)) {
        out.push(Violation::SwapCount {
            slot,
            says: 0,
            found: 1,
        });
    }
}

/// The slab caches: their pages, and what names their objects; blocks on their way to be freed.
fn check_slab(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    let (mem, slab) = (&m.w.mem, &m.w.slab);
    let [nodes, buffers] = m.w.files.objects();
    let mut sound = [
        slab.caches[INODE].is_sound(slab.inodes.named()) && slab.inodes.is_sound(),
        slab.caches[TREE_NODE].is_sound(nodes.into_iter()),
        slab.caches[BUFFERS].is_sound(buffers.into_iter()),
    ];
    for (cache, sound) in sound.iter_mut().enumerate() {
        for frame in slab.caches[cache].frames() {
            let page = mem.pages[frame as usize];
            *sound &= page.kind() == PageKind::Slab && page.owner == cache as u32;
            held[frame as usize] = true;
        }
    }
    for &frame in slab.loose() {
        sound[INODE] &= mem.pages[frame as usize].kind() == PageKind::InFlight;
        held[frame as usize] = true;
    }
    for (file, f) in (0u32..).zip(&m.w.files.all) {
        sound[INODE] &= f.inode == NONE || slab.inodes.file_of(f.inode) == Some(file);
        sound[INODE] &= f.inode != NONE || f.nr_pages == 0;
    }
    for (cache, _) in sound.iter().enumerate().filter(|(_, sound)| !**sound) {
        let objects = slab.caches[cache].objects();
        out.push(Violation::Slab { cache, objects });
    }
}

/// Page counts of the zones against the pages' flags, and PG_mapped against the entries.
fn check_gauges(m: &Machine, out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    let mut gauges = vec![[0u32; GAUGES]; mem.zones.len()];
    let mut mapped = vec![false; mem.pages.len()];
    for space in 0..m.w.spaces.all.len() {
        for place in m.w.spaces.places(space) {
            mapped[place.frame as usize] |= matches!(place.kind, PageKind::Anon | PageKind::File);
        }
    }
    for (frame, page) in (0u32..).zip(&mem.pages) {
        let file = page.kind() == PageKind::File;
        let mut add = |gauge: Gauge, counts: bool| {
            gauges[usize::from(page.zone())][gauge as usize] += u32::from(counts);
        };
        add(Gauge::Dirty, file && page.has(flag::DIRTY));
        add(Gauge::Writeback, page.has(flag::WRITEBACK));
        add(Gauge::FileMapped, file && page.has(flag::MAPPED));
        add(Gauge::SwapCache, page.has(flag::SWAPCACHE));
        add(Gauge::Mlock, page.has(flag::MLOCKED));
        let slab = u32::from(page.kind() == PageKind::Slab) << page.order();
        gauges[usize::from(page.zone())][Gauge::SlabReclaimable as usize] += slab;
        let says = page.has(flag::MAPPED);
        if says != mapped[frame as usize] {
            out.push(Violation::Mapped { frame, says });
        }
    }
    for (zone, found) in gauges.into_iter().enumerate() {
        let gauges = mem.zones[zone].gauge;
        if gauges != found {
            out.push(Violation::GaugeCount {
                zone,
                gauges,
                found,
            });
        }
    }
}

/// Blocks in flight against the frames of the tasks that have them in hand.
fn check_hands(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    for (t, task) in m.tasks.iter().enumerate() {
        let stack = task.stack.iter().enumerate();
        let hands = stack.filter_map(|(i, f)| {
            let ret = (i + 1 == task.stack.len()).then_some(task.cx.ret);
            in_hand(f, ret)
        });
        for frame in hands.chain(task.cx.sc.free.iter().copied()) {
            let page = m.w.mem.pages.get(frame as usize);
            if page.is_none_or(|p| p.kind() != PageKind::InFlight) {
                out.push(Violation::NotInFlight { frame, task: t });
            } else if std::mem::replace(&mut held[frame as usize], true) {
                out.push(Violation::HeldTwice { frame });
            }
        }
    }
}

/// The block a frame has in hand: in a local, or, where its next point reads it, in the task's
/// return slot (`ret`, given for the innermost frame only).
fn in_hand(frame: &Frame, ret: Option<u32>) -> Option<u32> {
    let returned = |reads: bool| ret.filter(|_| reads);
    let page = match frame {
        Frame::Rmqueue(f) if f.page != NONE => Some(f.page),
        Frame::Rmqueue(f) => returned(matches!(f.pt, RqPt::Fallback | RqPt::Reserve | RqPt::Done)),
        Frame::RmqueueBulk(f) => {
            returned(matches!(f.pt, RbPt::Fallback | RbPt::Reserve | RbPt::Add))
        }
        Frame::RmqueueSmallest(f) => matches!(f.pt, RsPt::Expand | RsPt::Done).then_some(f.page),
        Frame::Fallback(f) => returned(f.pt == FbPt::Done),
        Frame::FreePages(f) => matches!(f.pt, FpPt::Route | FpPt::PutPcp).then_some(f.page),
        Frame::FreeOne(f) => matches!(f.pt, FoPt::Merge | FoPt::Place).then_some(f.page),
        Frame::AllocPages(f) => returned(matches!(f.pt, ApPt::Slow | ApPt::Done)),
        Frame::FreeList(f) => returned(f.pt == GfPt::Took),
        Frame::Slowpath(f) => returned(matches!(
            f.pt,
            SlPt::Tried | SlPt::Again | SlPt::Drained | SlPt::Kill
        )),
        Frame::Fault(f) => returned(f.pt == HfPt::Tabled),
        Frame::AnonPage(f) if f.pt == DaPt::Map => Some(f.frame),
        Frame::AnonPage(f) => returned(f.pt == DaPt::Zero),
        Frame::HugeAnon(f) if f.pt == DhPt::Map => Some(f.frame),
        Frame::HugeAnon(f) => returned(f.pt == DhPt::Zero),
        Frame::Unmap(f) => (f.pt == UrPt::Free).then_some(f.frame),
        Frame::User(f) => returned(f.pt == UsPt::Got),
        Frame::AddToCache(f) if matches!(f.pt, AcPt::Add | AcPt::Node | AcPt::Free) => {
            Some(f.frame)
        }
        Frame::AddToCache(f) => returned(f.pt == AcPt::Got),
        Frame::SwapReadahead(f) => returned(f.pt == swapfile::RaPt::Add),
        Frame::NewSlab(f) => returned(matches!(f.pt, NsPt::Least | NsPt::Again | NsPt::Add)),
        Frame::Truncate(f) => (f.pt == TiPt::Free).then_some(f.frame),
        Frame::Wmark(_)
        | Frame::FileRead(_)
        | Frame::Readahead(_)
        | Frame::FileWrite(_)
        | Frame::FileFault(_)
        | Frame::Inode(_)
        | Frame::WakeKswapds(_)
        | Frame::PcpBulk(_)
        | Frame::Kswapd(_)
        | Frame::TryToSleep(_)
        | Frame::BalancePgdat(_)
        | Frame::BalanceZones(_)
        | Frame::TryToFreePages(_)
        | Frame::ShrinkNode(_)
        | Frame::ShrinkLruvec(_)
        | Frame::ShrinkInactiveList(_)
        | Frame::ShrinkActiveList(_)
        | Frame::ShrinkPageList(_)
        | Frame::ShrinkSlab(_)
        | Frame::ReclaimThrottle(_)
        | Frame::CongestionWait(_)
        | Frame::Oom(_)
        | Frame::BlkDone(_)
        | Frame::BlkGetRequest(_)
        | Frame::Flusher(_)
        | Frame::WriteCachePages(_)
        | Frame::BalanceDirtyPages(_)
        | Frame::SwapPage(_)
        | Frame::Fsync(_)
        | Frame::Timer(_)
        | Frame::FreeUnrefList(_)
        | Frame::Sysctl(_) => None,
    };
    page.filter(|&page| page != NONE)
}

/// Does a block this frame has in hand count as allocated (pgalloc came, pgfree did not)?
fn is_counted(frame: &Frame) -> bool {
    match frame {
        Frame::FreePages(f) => f.pt == FpPt::Route,
        Frame::Rmqueue(_)
        | Frame::RmqueueBulk(_)
        | Frame::RmqueueSmallest(_)
        | Frame::Fallback(_)
        | Frame::FreeOne(_) => false,
        _ => true,
    }
}

/// Does a task stand in a queue somebody wakes: for a page, for kswapd, for a device?
fn waits_in_a_queue(w: &World, task: u32) -> bool {
    let of_nodes = w.pgdat.iter().any(|p| {
        p.pfmemalloc_wait.contains(&task) || p.reclaim_wait.iter().any(|&(_, t)| t == task)
    });
    let for_pages = w.page_wait.iter().any(|&(_, t)| t == task);
    let for_requests =
        w.block.devices.iter().any(|d| {
            d.waiting.contains(&task) || d.throttled.iter().any(|list| list.contains(&task))
        });
    of_nodes || for_pages || for_requests || w.congestion_wait.contains(&task)
}

/// Has a device nothing to do, or will it interrupt?
fn device_has_waker(w: &World, task: u32, device: u8) -> bool {
    let d = &w.block.devices[usize::from(device)];
    let cpu = w.facts.devices[usize::from(device)].cpu;
    let idle = d.in_flight.is_empty() && d.queued.is_empty();
    d.task == task && (idle || w.sched.cpus[usize::from(cpu)].expects(task))
}

/// Dirty pages and pages under writeback against the counts of devices, and against the requests
/// the pages under I/O must be in.
fn check_io(m: &Machine, out: &mut Vec<Violation>) {
    let w = &m.w;
    let mut devices = vec![[0u32; 2]; w.wb.wbs.len()];
    let mut in_io = vec![0u32; w.mem.pages.len()];
    let requests = w.block.devices.iter().flat_map(|d| d.requests());
    let writes = requests.filter(|r| r.write).flat_map(|r| &r.pages);
    let plugs = || m.tasks.iter().flat_map(|t| &t.cx.plug);
    let held_back = m.tasks.iter().flat_map(|t| &t.cx.bio);
    let held_back = held_back.chain(plugs().flat_map(|bio| &bio.pages));
    let extents = w.wb.wbs.iter().flat_map(|wb| &wb.io_ends);
    let waiting = extents.flat_map(|extent| &extent.pages);
    for &frame in writes.chain(held_back).chain(waiting) {
        in_io[frame as usize] += 1;
    }
    // The handler of an interrupt ends a request page by page.
    for task in &m.tasks {
        if let Some(Frame::BlkDone(f)) = task.stack.first() {
            for &frame in f.ended(w) {
                in_io[frame as usize] -= 1;
            }
        }
    }
    for (frame, page) in (0u32..).zip(&w.mem.pages) {
        let file = page.kind() == PageKind::File;
        let counts = [file && page.has(flag::DIRTY), page.has(flag::WRITEBACK)];
        let device = usize::from(w.files.device(page.owner));
        for (i, _) in counts.iter().enumerate().filter(|&(_, &is)| is) {
            if let (true, Some(d)) = (file, devices.get_mut(device)) {
                d[i] += 1;
            }
        }
        let requests = in_io[frame as usize];
        if requests != u32::from(page.has(flag::WRITEBACK)) {
            out.push(Violation::Writeback { frame, requests });
        }
    }
    for (device, (wb, found)) in w.wb.wbs.iter().zip(devices).enumerate() {
        let says = [wb.nr_dirty, wb.nr_writeback];
        if says != found {
            out.push(Violation::DeviceDirty {
                device,
                says,
                found,
            });
        }
    }
    for (device, d) in w.block.devices.iter().enumerate() {
        let mut found = [0; 4];
        let requests = d.requests().map(|r| (r.write, r.sync, r.origin));
        let here = plugs().filter(|bio| usize::from(bio.device) == device);
        for (write, sync, origin) in requests.chain(here.map(|b| (b.write, b.sync, b.origin))) {
            found[usize::from(sync)] += 1;
            let kswapd = usize::from(origin == Origin::Kswapd);
            found[2 + kswapd] += u32::from(write && w.facts.features.blk_mq);
        }
        let says = d.counts();
        if says != found {
            out.push(Violation::Requests {
                device,
                says,
                found,
            });
        }
    }
    for &(frame, task) in &w.page_wait {
        let page = w.mem.pages[frame as usize];
        if page.meta & (flag::LOCKED | flag::WRITEBACK) == 0 {
            out.push(Violation::WaitsForNothing { frame, task });
        }
    }
}

fn check_tasks(m: &Machine, out: &mut Vec<Violation>) {
    let sched = &m.w.sched;
    if !sched.wakes.is_empty() || !m.w.births.is_empty() {
        let (wakes, births) = (sched.wakes.len(), m.w.births.len());
        out.push(Violation::Ungranted { wakes, births });
    }
    for (task, t) in m.tasks.iter().enumerate() {
        let cpu = &sched.cpus[usize::from(t.cpu)];
        let id = task as u32;
        match t.status {
            TaskStatus::Runnable => {
                let queues = cpu.runnable().filter(|&q| q == id).count();
                if queues != 1 {
                    out.push(Violation::Queues { task, queues });
                }
            }
            TaskStatus::Sleeping => {
                let timers = cpu.sleepers().iter().filter(|&&(_, q)| q == id).count();
                if timers != 1 {
                    out.push(Violation::Timers { task, timers });
                }
            }
            TaskStatus::Waiting => {
                let has_waker = match t.kind {
                    TaskKind::Kswapd { node } => m.w.kswapd[usize::from(node)].task == id,
                    TaskKind::Timer { cpu } => sched.cpus[usize::from(cpu)].irq_task == id,
                    TaskKind::Device { device } => device_has_waker(&m.w, id, device),
                    TaskKind::Flusher { device } => {
                        let wb = &m.w.wb.wbs[usize::from(device)];
                        wb.flusher == id && wb.doing.is_none() && wb.work.is_empty()
                    }
                    TaskKind::User { .. } | TaskKind::Sysctl => false,
                };
                let has_waker = has_waker || waits_in_a_queue(&m.w, id);
                if !has_waker {
                    out.push(Violation::Unwakeable { task });
                }
            }
            TaskStatus::Exited => {}
        }
        let frames = t.stack.len();
        if (frames == 0) != (t.status == TaskStatus::Exited) {
            out.push(Violation::Frames { task, frames });
        }
    }
    for (cpu, c) in sched.cpus.iter().enumerate() {
        let stands = |task: u32, status: TaskStatus| {
            let task = m.tasks.get(task as usize);
            task.is_some_and(|t| t.status == status && usize::from(t.cpu) == cpu)
        };
        for task in c.runnable() {
            if !stands(task, TaskStatus::Runnable) {
                out.push(Violation::NotRunnable { task, cpu });
            }
        }
        for &(_, task) in c.sleepers() {
            if !stands(task, TaskStatus::Sleeping) {
                out.push(Violation::NotSleeping { task, cpu });
            }
        }
        if cpu != usize::from(m.w.cpu) && !sched.knows(cpu) {
            out.push(Violation::CpuKey { cpu });
        }
        let users = m.tasks.iter().filter(|t| {
            let user = matches!(t.kind, TaskKind::User { .. });
            user && usize::from(t.cpu) == cpu && t.status != TaskStatus::Exited
        });
        let (says, found) = (c.placed, users.count() as u32);
        if says != found {
            out.push(Violation::Placed { cpu, says, found });
        }
    }
    for (node, k) in m.w.kswapd.iter().enumerate() {
        let status = m.tasks[k.task as usize].status;
        // A nap that has ended by itself is noticed when kswapd next runs.
        let rests = match status {
            // It may wait for a write of its own to begin.
            TaskStatus::Waiting => !waits_in_a_queue(&m.w, k.task),
            TaskStatus::Sleeping => k.napping,
            TaskStatus::Runnable | TaskStatus::Exited => k.napping && !k.awake,
        };
        if k.awake == rests {
            let awake = k.awake;
            out.push(Violation::KswapdFlag { node, awake });
        }
    }
}
