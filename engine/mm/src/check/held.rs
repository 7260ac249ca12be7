//! Checks the holder of each page (address spaces, file caches, the swap cache, slab caches, frames
//! of tasks), and the counts that depend on it.

use crate::buddy::{FoPt, RqPt, RsPt};
use crate::check::Violation;
use crate::compaction::DcPt;
use crate::fallback::FbPt;
use crate::filemap::{AcPt, TiPt};
use crate::frames::{Frame, NONE};
use crate::machine::{Machine, Task};
use crate::memory::{DaPt, DhPt, HfPt, UrPt};
use crate::migrate::UmPt;
use crate::mmzone::{ALL_KINDS, GAUGES, Gauge, PageKind, SWAP_OWNER, flag};
use crate::page_alloc::{ApPt, GfPt};
use crate::pcp::{FpPt, RbPt};
use crate::slab::{BUFFERS, CgPt, DENTRY, INODE, NsPt, TREE_NODE};
use crate::slowpath::SlPt;
use crate::space::{Backing, Holding};
use crate::user::UsPt;
use crate::{rmap, swapfile};
use facts::index::{FrameIndex, SwapSlot};

/// Compares every place of every address space with the records of the pages it holds.
pub(super) fn check_spaces(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    for space in 0..m.w.processes.all.len() {
        let says = m.w.processes.all[space].space.rss;
        let found = m.w.processes.recount_rss(space);
        if says != found {
            out.push(Violation::Rss { space, says, found });
        }
        let says = m.w.processes.all[space].space.by_node;
        let found = m.w.processes.recount_by_node(space);
        if says != found {
            out.push(Violation::RssByNode { space, says, found });
        }
        let node_of = |frame| mem.node_of(frame);
        if !m.w.processes.surveys_are_right(space as u32, node_of) {
            out.push(Violation::Surveys { space });
        }
        for holding in m.w.processes.holdings(space) {
            let frame = holding.frame;
            let page = mem.pages[frame];
            let known = match holding.kind {
                PageKind::PageTable => true,
                _ => page.index == holding.page,
            };
            let named = match holding.kind {
                PageKind::Anon | PageKind::HugeAnon => {
                    rmap::anon_place(&m.w, frame) == (space as u32, holding.region, holding.page)
                }
                PageKind::File => is_shown(m, space, holding),
                _ => page.owner == space as u32 && known,
            };
            if page.kind() != holding.kind || !named {
                out.push(Violation::WrongOwner { frame, space });
            }
            let shared = holding.kind == PageKind::File;
            if std::mem::replace(&mut held[frame.index()], true) && !shared {
                out.push(Violation::HeldTwice { frame });
            }
        }
    }
}

/// Does a holding in a file's region contain the page of the file that is mapped there?
fn is_shown(m: &Machine, space: usize, holding: Holding) -> bool {
    let page = m.w.mem.pages[holding.frame];
    match m.w.processes.region(space as u32, holding.region).backing {
        Backing::File { file, offset, .. } => {
            (page.owner, page.index) == (file, offset + holding.page)
        }
        Backing::Anon => false,
    }
}

/// Compares every page of every file's cache with its record, and checks every file's counts.
pub(super) fn check_cache(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    let (mem, files) = (&m.w.mem, &m.w.files);
    let mut dirty = vec![0; files.all.len()];
    for (file, index, frame) in files.cached() {
        let page = mem.pages[frame];
        if page.kind() != PageKind::File || (page.owner, page.index) != (file, index) {
            out.push(Violation::Cached { frame, file });
        }
        dirty[file as usize] += u32::from(page.has(flag::DIRTY));
        held[frame.index()] = true;
    }
    let faults = files.faults();
    out.extend(
        faults
            .into_iter()
            .map(|(file, what)| Violation::Tree { file, what }),
    );
    let mut users = vec![0; files.all.len()];
    for fd in m.w.processes.all.iter().flat_map(|p| &p.fds) {
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

/// The file whose inode a task has received and will mark as open next.
fn opens(m: &Machine, task: &Task) -> Option<u32> {
    match task.stack.iter().next_back() {
        Some(Frame::User(f))
            if matches!(f.pt, UsPt::Opened | UsPt::Found | UsPt::Made) && task.cx.ret == 1 =>
        {
            f.open_file(&m.w, task.cx.process)
        }
        _ => None,
    }
}

/// Compares every swap slot with the entries that refer to it and with the page in the swap cache.
pub(super) fn check_swap(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    let swap = &m.w.swap;
    if !swap.is_sound() {
        let free = swap.free_slots();
        out.push(Violation::SwapMap { free });
    }
    let mut refers: Vec<(SwapSlot, u32, u32)> = Vec::new();
    for space in 0..m.w.processes.all.len() {
        let entries = m.w.processes.swap_entries(space);
        let (says, found) = (m.w.processes.all[space].space.swapped, entries.len() as u32);
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
        let page = m.w.mem.pages[frame];
        let named = (page.owner, page.index) == (SWAP_OWNER, slot.get());
        if page.kind() != PageKind::Anon || !named || !page.has(flag::SWAPCACHE) {
            out.push(Violation::SwapCached { frame, slot });
        }
        held[frame.index()] = true;
    }
    for &(slot, ..) in refers.iter().filter(|r| !swap.in_use(r.0)) {
        out.push(Violation::SwapCount {
            slot,
            says: 0,
            found: 1,
        });
    }
}

/// Checks the slab caches: their pages, the users of their objects, and blocks that are about to be
/// freed.
pub(super) fn check_slab(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    let (mem, slab) = (&m.w.mem, &m.w.slab);
    let [nodes, buffers] = m.w.files.objects();
    let mut sound = [
        slab.caches[INODE].is_sound(slab.inodes.named()) && slab.inodes.is_sound(),
        slab.caches[TREE_NODE].is_sound(nodes.into_iter()),
        slab.caches[BUFFERS].is_sound(buffers.into_iter()),
        slab.caches[DENTRY].is_sound(slab.dentries.named()) && slab.dentries.is_sound(),
    ];
    for (cache, sound) in sound.iter_mut().enumerate() {
        for frame in slab.caches[cache].frames() {
            let page = mem.pages[frame];
            *sound &= page.is(PageKind::Slab) && page.owner == cache as u32;
            held[frame.index()] = true;
        }
    }
    for &frame in slab.loose() {
        sound[INODE] &= mem.pages[frame].is(PageKind::InFlight);
        held[frame.index()] = true;
    }
    for (file, f) in (0u32..).zip(&m.w.files.all) {
        let used = f.users > 0;
        let pinned = used || f.dentry != NONE || f.nr_dirty > 0;
        let fits = |object, says: Option<(u32, bool)>, pinned| match says {
            Some((of, unused)) => of == file && !(unused && pinned),
            None => object == NONE && !used,
        };
        sound[INODE] &= fits(f.inode, slab.inodes.says(f.inode), pinned);
        sound[DENTRY] &= fits(f.dentry, slab.dentries.says(f.dentry), used);
        sound[INODE] &= f.inode != NONE || f.nr_pages == 0;
    }
    for (cache, _) in sound.iter().enumerate().filter(|(_, sound)| !**sound) {
        let objects = slab.caches[cache].objects();
        out.push(Violation::Slab { cache, objects });
    }
}

/// Compares the page counts of zones with the pages' flags, and PG_mapped with the entries.
pub(super) fn check_gauges(m: &Machine, out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    let mut gauges = vec![[0u32; GAUGES]; mem.zones.len()];
    let mut mapped = vec![false; mem.pages.len()];
    for space in 0..m.w.processes.all.len() {
        for holding in m.w.processes.holdings(space) {
            mapped[holding.frame.index()] |=
                matches!(holding.kind, PageKind::Anon | PageKind::File);
        }
    }
    for (frame, page) in mem.pages.entries() {
        let file = page.is(PageKind::File);
        let mut add = |gauge: Gauge, counts: bool| {
            gauges[page.zone().index()][gauge as usize] += u32::from(counts);
        };
        add(Gauge::Dirty, file && page.has(flag::DIRTY));
        add(Gauge::Writeback, page.has(flag::WRITEBACK));
        add(Gauge::FileMapped, file && page.has(flag::MAPPED));
        add(Gauge::SwapCache, page.has(flag::SWAPCACHE));
        add(Gauge::Mlock, page.has(flag::MLOCKED));
        let slab = u32::from(page.is(PageKind::Slab)) << page.order();
        gauges[page.zone().index()][Gauge::SlabReclaimable as usize] += slab;
        let says = page.has(flag::MAPPED);
        if says != mapped[frame.index()] {
            out.push(Violation::Mapped { frame, says });
        }
    }
    for (zone, found) in mem.zones.indices().zip(gauges) {
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

/// Compares blocks in flight with the frames of the tasks that hold them.
pub(super) fn check_hands(m: &Machine, held: &mut [bool], out: &mut Vec<Violation>) {
    for (t, task) in m.tasks.iter().enumerate() {
        let stack = task.stack.iter().enumerate();
        let hands = stack.filter_map(|(i, f)| {
            let ret = (i + 1 == task.stack.len()).then_some(FrameIndex::new(task.cx.ret));
            in_hand(f, ret)
        });
        let free = task.cx.sc.free.iter().chain(&task.cx.cc.freepages);
        for frame in hands.chain(free.copied()) {
            let page = m.w.mem.pages.at(frame);
            if page.is_none_or(|p| p.kind() != PageKind::InFlight) {
                out.push(Violation::NotInFlight { frame, task: t });
            } else if std::mem::replace(&mut held[frame.index()], true) {
                out.push(Violation::HeldTwice { frame });
            }
        }
    }
}

/// The block that a frame holds: in a local, or in the task's return slot if the frame's next point
/// reads it (`ret`, given only for the innermost frame).
fn in_hand(frame: &Frame, ret: Option<FrameIndex>) -> Option<FrameIndex> {
    let returned = |reads: bool| ret.filter(|_| reads);
    let page = match frame {
        Frame::Rmqueue(f) if f.page != FrameIndex::NONE => Some(f.page),
        Frame::Rmqueue(f) => returned(matches!(f.pt, RqPt::Fallback | RqPt::Reserve | RqPt::Done)),
        Frame::RmqueueBulk(f) => {
            returned(matches!(f.pt, RbPt::Fallback | RbPt::Reserve | RbPt::Add))
        }
        Frame::RmqueueSmallest(f) => matches!(f.pt, RsPt::Expand | RsPt::Done).then_some(f.page),
        Frame::Fallback(f) => returned(f.pt == FbPt::Done),
        Frame::FreePages(f) => matches!(f.pt, FpPt::Route | FpPt::PutPcp).then_some(f.page),
        Frame::FreeOne(f) => matches!(f.pt, FoPt::Merge | FoPt::Place).then_some(f.page),
        Frame::AllocPages(f) => returned(matches!(f.pt, ApPt::Fair | ApPt::Slow | ApPt::Done)),
        Frame::FreeList(f) => returned(f.pt == GfPt::Took),
        Frame::Slowpath(f) => returned(matches!(
            f.pt,
            SlPt::Tried
                | SlPt::Finally
                | SlPt::Compacted
                | SlPt::Again
                | SlPt::Drained
                | SlPt::Kill
        )),
        Frame::Fault(f) if f.table != FrameIndex::NONE => Some(f.table),
        Frame::Fault(f) => returned(f.pt == HfPt::Tabled),
        Frame::AnonPage(f) if matches!(f.pt, DaPt::Charge | DaPt::Charged | DaPt::Map) => {
            Some(f.frame)
        }
        Frame::AnonPage(f) => returned(f.pt == DaPt::Zero),
        Frame::HugeAnon(f) if f.pt == DhPt::Map => Some(f.frame),
        Frame::HugeAnon(f) => returned(f.pt == DhPt::Zero),
        Frame::Unmap(f) => (f.pt == UrPt::Free).then_some(f.frame),
        Frame::User(f) => returned(f.pt == UsPt::Got),
        Frame::AddToCache(f)
            if matches!(
                f.pt,
                AcPt::Charge
                    | AcPt::Charged
                    | AcPt::Add
                    | AcPt::ChargeNode
                    | AcPt::NodeCharged
                    | AcPt::Node
                    | AcPt::Free
            ) =>
        {
            Some(f.frame)
        }
        Frame::AddToCache(f) => returned(f.pt == AcPt::Got),
        Frame::SwapReadahead(f) if f.frame != FrameIndex::NONE => Some(f.frame),
        Frame::SwapReadahead(f) => returned(f.pt == swapfile::RaPt::Add),
        Frame::CacheGrow(f) => returned(matches!(
            f.pt,
            CgPt::Node | CgPt::Others | CgPt::Again | CgPt::Add
        )),
        Frame::NewSlab(f) => returned(matches!(f.pt, NsPt::Least | NsPt::Again | NsPt::Add)),
        Frame::Truncate(f) => (f.pt == TiPt::Free).then_some(f.frame),
        Frame::DirectCompact(f) => returned(f.pt == DcPt::Done),
        Frame::UnmapAndMove(f) if f.has_target_returned() => ret,
        Frame::UnmapAndMove(f) => match f.pt {
            UmPt::Freed | UmPt::Lock | UmPt::Writeback | UmPt::Move | UmPt::FreeNew => Some(f.new),
            UmPt::Unmap
            | UmPt::Unmapped
            | UmPt::Release
            | UmPt::Copy
            | UmPt::Relock
            | UmPt::Remap => Some(f.new),
            UmPt::Unlock => Some(if f.moved { f.page } else { f.new }),
            UmPt::FreeOld => Some(f.page),
            UmPt::Target | UmPt::Take | UmPt::FreeGone | UmPt::Done => None,
        },
        // If a frame is missing above, the test notices, because the block that the frame holds has
        // no holder.
        _ => None,
    };
    page.filter(|&page| page != FrameIndex::NONE)
}

/// Does a block that this frame holds count as allocated (after pgalloc, before pgfree)?
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

/// Compares event counters with each other and with the pages they count.
pub(super) fn check_events(m: &Machine, out: &mut Vec<Violation>) {
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
    // A held block counts as allocated from the end of rmqueue to the start of free_pages.
    for task in &m.tasks {
        found += (task.cx.sc.free.len() + task.cx.cc.freepages.len()) as u64;
        for (i, frame) in task.stack.iter().enumerate() {
            let ret = (i + 1 == task.stack.len()).then_some(FrameIndex::new(task.cx.ret));
            if let Some(page) = in_hand(frame, ret)
                && is_counted(frame)
            {
                found += 1 << m.w.mem.pages[page].order();
            }
        }
    }
    let loose = m.w.slab.loose().iter();
    found += loose
        .map(|&frame| 1 << m.w.mem.pages[frame].order())
        .sum::<u64>();
    // Pages that compaction takes from the buddy lists count as freed, but never as allocated.
    let c = &m.w.counters;
    let events = c.pgalloc.iter().sum::<u64>() + c.compact_free_taken - c.pgfree;
    if events != found {
        out.push(Violation::AllocatedPages { events, found });
    }
}
