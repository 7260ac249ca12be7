//! Invariants: a recount of everything the engine keeps count of, from the raw page array.
//!
//! Modelled: what must hold between any two steps: each page in one place, counters equal to the
//! recount, free blocks merged as far as the era merges, every task able to go on.
//! Left out: whether the *right* page was taken; the worked examples test that.
//! Invariants: reads only; a machine that passed stays as it was.

use std::fmt;

use crate::buddy::{FoPt, RqPt, RsPt};
use crate::fallback::FbPt;
use crate::frames::{Frame, NONE};
use crate::gfp::{RESERVED, TYPES};
use crate::kernel::BlockReserve;
use crate::machine::{Machine, TaskKind, TaskStatus};
use crate::memory::{DaPt, DhPt, HfPt, UrPt};
use crate::mmzone::{ALL_KINDS, KINDS, Memory, PageKind};
use crate::page_alloc::{ApPt, GfPt};
use crate::pcp::{FpPt, RbPt};
use crate::slowpath::SlPt;
use crate::user::UsPt;

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
    Placed { cpu: usize, says: u32, found: u32 } "CPU {cpu} says {says} tasks are placed there, {found} are";
    KswapdFlag { node: usize, awake: bool } "kswapd of node {node} is marked awake: {awake}, but its task is not so";
    Ungranted { wakes: usize, births: usize } "{wakes} wake-ups and {births} births were asked for and not granted";
}

/// Everything that is wrong with a machine between two steps; empty when nothing is.
pub fn check(m: &Machine) -> Vec<Violation> {
    let mut found = Vec::new();
    let lists = check_lists(&m.w.mem, &mut found);
    check_blocks(m, &lists, &mut found);
    check_zones(m, &mut found);
    check_events(m, &mut found);
    let mut held = vec![false; m.w.mem.pages.len()];
    check_spaces(m, &mut held, &mut found);
    check_hands(m, &mut held, &mut found);
    for (frame, page) in (0u32..).zip(&m.w.mem.pages) {
        let kind = page.kind();
        if kind >= PageKind::InFlight && !held[frame as usize] {
            found.push(match kind {
                PageKind::InFlight => Violation::InFlightLost { frame },
                _ => Violation::Unheld { frame, kind },
            });
        }
    }
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

/// May a block of this zone, order and kind be on this list?
fn is_allowed(mem: &Memory, list: u32, zone: u8, order: u8, kind: PageKind) -> bool {
    match kind {
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
            } else if !is_allowed(mem, list, z as u8, order, kind) {
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
        for (i, frame) in task.stack.iter().enumerate() {
            let ret = (i + 1 == task.stack.len()).then_some(task.cx.ret);
            if let Some(page) = in_hand(frame, ret)
                && is_counted(frame)
            {
                found += 1 << m.w.mem.pages[page as usize].order();
            }
        }
    }
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
            let region = page.region() == place.region as u16;
            if page.kind() != place.kind || page.owner != space as u32 || !known || !region {
                out.push(Violation::WrongOwner { frame, space });
            }
            if std::mem::replace(&mut held[frame as usize], true) {
                out.push(Violation::HeldTwice { frame });
            }
        }
    }
}

/// Blocks in flight against the frames of the tasks that have them in hand.
fn check_hands(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    for (t, task) in m.tasks.iter().enumerate() {
        for (i, f) in task.stack.iter().enumerate() {
            let ret = (i + 1 == task.stack.len()).then_some(task.cx.ret);
            let Some(frame) = in_hand(f, ret) else {
                continue;
            };
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
        Frame::Slowpath(f) => returned(f.pt == SlPt::Tried),
        Frame::Fault(f) => returned(f.pt == HfPt::Tabled),
        Frame::AnonPage(f) if f.pt == DaPt::Map => Some(f.frame),
        Frame::AnonPage(f) => returned(f.pt == DaPt::Zero),
        Frame::HugeAnon(f) if f.pt == DhPt::Map => Some(f.frame),
        Frame::HugeAnon(f) => returned(f.pt == DhPt::Zero),
        Frame::Unmap(f) => (f.pt == UrPt::Free).then_some(f.frame),
        Frame::User(f) => returned(f.pt == UsPt::Got),
        Frame::Wmark(_)
        | Frame::WakeKswapds(_)
        | Frame::PcpBulk(_)
        | Frame::Kswapd(_)
        | Frame::Timer(_)
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
                    TaskKind::User { .. } | TaskKind::Sysctl => false,
                };
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
        let asleep = m.tasks[k.task as usize].status == TaskStatus::Waiting;
        if k.awake == asleep {
            let awake = k.awake;
            out.push(Violation::KswapdFlag { node, awake });
        }
    }
}
