//! Which entries a scan marks (mm/mprotect.c: `change_pte_range`; mm/huge_memory.c: `change_huge_pmd`).
//!
//! Modelled: from 5.10 on, the properties that a page must have to be marked. In 3.8: only pages
//! mapped once are marked, entries of a table that map nothing count against the window, and a
//! table can be marked whole. In AutoNUMA: only pages mapped once are marked, and a table can be
//! marked whole wherever its pages are.
//! Left out: page-table locks; KSM and device pages.
//! Visible difference: see [`scan`](crate::numa::scan).
//! Invariants: an entry that maps nothing is never marked.

use crate::frames::Context;
use crate::kernel::Exclusive;
use crate::mmzone::{PageKind, SWAP_OWNER, flag};
use crate::record::decisions;
use crate::space::{Backing, Mapping, Whole};
use crate::world::World;
use facts::index::{FrameIndex, NodeIndex};

decisions! {
    NumaMarked { region: Count, from: Count, to: Count, marked: Count, seen: Count }
        "The scan of pages {from} to {to} of region {region} found {seen mapped entry} and marked {marked}. The next access to a marked entry faults.";
    AutoMarked { task: Task, region: Count, from: Count, to: Count, seen: Count, marked: Count, whole: Flag }
        "The scan of pages {from} to {to} of region {region} of the process of {task} found {seen mapped entry} and marked {marked}. Whole table marked: {whole}.";
    NumaMarkedTable { region: Count, from: Count, to: Count, marked: Count, holes: Count, whole: Flag }
        "The scan of pages {from} to {to} of region {region} marked {marked entry}. It also counts {holes empty entry}. Whole table marked: {whole}.";
}

/// Marks the pages `from..to`, which one table covers, by the rules of 3.8. Returns how much counts against
/// the window.
pub fn table(w: &mut World, cx: &Context, region: u32, (from, to): (u32, u32)) -> u32 {
    let space = cx.process;
    let known = |page: u32| match w.processes.lookup(space, region, page) {
        Mapping::Page(frame) | Mapping::Huge(frame) => {
            let zone = w.mem.pages[frame].zone();
            let node = w.mem.zones[zone].node;
            (node, crate::rmap::mapcount(w, frame) == 1)
        }
        Mapping::NoTable | Mapping::Empty | Mapping::Swap(_) => (NodeIndex::default(), false),
    };
    let known: Vec<(NodeIndex, bool)> = (from..to).map(known).collect();
    let page_of = |page: u32| known[(page - from) as usize];
    let (place, whole) = ((space, region), Whole::OnOneNode);
    let marked = w.processes.mark_table(place, (from, to), whole, page_of);
    let updates = marked.pages + marked.holes;
    w.spend(w.facts.cost.numa_mark.saturating_mul(marked.seen));
    w.counters.numa_pte_updates += u64::from(updates);
    w.numa.tasks[cx.task].scan.marked += marked.pages;
    if marked.seen > 0 || updates > 0 {
        w.record(NumaMarkedTable {
            region: region.into(),
            from: from.into(),
            to: (to - 1).into(),
            marked: marked.pages.into(),
            holes: marked.holes.into(),
            whole: marked.whole,
        });
    }
    updates
}

/// What AutoNUMA marked in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exclusively {
    /// Number of pages that count against the limit of the round.
    pub progress: u32,
    /// Number of pages whose entry was marked.
    pub marked: u32,
}

/// Marks the entries of one table for pages `from..to` that only this process maps
/// (`knuma_scand_pmd`). A huge entry counts whether or not it is marked. If the table is marked
/// whole, all small entries that may be marked count, else only those that were marked. A page
/// mapped after the scan and before the table's fault is not handled by that fault.
pub fn exclusive(
    w: &mut World,
    (space, region): (u32, u32),
    (from, to): (u32, u32),
) -> Exclusively {
    let scans_tables = crate::numa::rules(&w.facts).is_some_and(|rules| rules.whole_tables);
    let is_exclusive = |page: u32| match w.processes.lookup(space, region, page) {
        Mapping::Page(frame) | Mapping::Huge(frame) => crate::rmap::mapcount(w, frame) == 1,
        Mapping::NoTable | Mapping::Empty | Mapping::Swap(_) => false,
    };
    let huge = matches!(w.processes.lookup(space, region, from), Mapping::Huge(_));
    let known: Vec<bool> = match huge {
        true => vec![is_exclusive(from)],
        false => (from..to).map(is_exclusive).collect(),
    };
    let may = |page: u32| known[(page - from) as usize];
    let exclusive = known.iter().filter(|&&is_exclusive| is_exclusive).count() as u32;
    let whole = match scans_tables && exclusive > 0 {
        true => Whole::Always,
        false => Whole::Never,
    };
    let page_of = |page: u32| (NodeIndex::default(), may(page));
    let place = (space, region);
    let marked = w.processes.mark_table(place, (from, to), whole, page_of);
    w.spend(w.facts.cost.numa_mark.saturating_mul(marked.seen));
    w.counters.numa_pte_updates += u64::from(marked.pages);
    if marked.seen > 0 {
        let task = w.processes.all[space as usize].space.owner;
        w.record(AutoMarked {
            task,
            region: region.into(),
            from: from.into(),
            to: (to - 1).into(),
            seen: marked.seen.into(),
            marked: marked.pages.into(),
            whole: marked.whole,
        });
    }
    let progress = match (huge, scans_tables) {
        (true, _) => to - from,
        (false, true) => exclusive,
        (false, false) => marked.pages,
    };
    Exclusively {
        progress,
        marked: marked.pages,
    }
}

/// Marks the pages `from..to` by the rules of kernels from 3.13 on.
pub fn entries(w: &mut World, cx: &Context, region: u32, (from, to): (u32, u32)) -> u32 {
    let spares = spared_node(w, cx, region);
    let rules = crate::numa::rules(&w.facts);
    let World {
        processes,
        mem,
        numa,
        ..
    } = &mut *w;
    let anon_once = rules.is_some_and(|rules| rules.exclusive == Exclusive::AnonMappedOnce);
    let by_references = rules.is_some_and(|rules| rules.exclusive == Exclusive::ByReferences);
    let may = |frame: FrameIndex, huge: bool| {
        let page = mem.pages[frame];
        if huge {
            return true;
        }
        let node = mem.zones[page.zone()].node;
        match page.kind() {
            PageKind::File => !anon_once && !page.has(flag::DIRTY),
            _ if anon_once => page.owner != SWAP_OWNER,
            _ => {
                let referred = page.owner == SWAP_OWNER
                    || page.meta & (flag::ISOLATED | flag::LOCKED) != 0
                    || numa.vectors.iter().any(|v| v.holds(frame));
                Some(node) != spares && !(by_references && referred)
            }
        }
    };
    let place = (cx.process, region);
    let marked = processes.mark_hinting(place, (from, to), may);
    w.spend(w.facts.cost.numa_mark.saturating_mul(marked.seen));
    w.counters.numa_pte_updates += u64::from(marked.pages);
    w.counters.numa_huge_pte_updates += u64::from(marked.huge);
    if marked.seen > 0 {
        w.record(NumaMarked {
            region: region.into(),
            from: from.into(),
            to: (to - 1).into(),
            marked: marked.pages.into(),
            seen: marked.seen.into(),
        });
    }
    marked.pages
}

/// The node whose pages are not marked: the scanning task's node, if no other task uses this
/// private mapping.
fn spared_node(w: &World, cx: &Context, region: u32) -> Option<NodeIndex> {
    let private = w.processes.region(cx.process, region).backing == Backing::Anon;
    let alone = w.processes.all[cx.process as usize].users() == 1;
    (private && alone).then(|| w.local_node())
}
