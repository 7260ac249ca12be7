//! Worked examples of pages that a batch frees or keeps, and of pages that come back.

use super::{OWNER, listed, machine, put, reclaimer, spread};
use crate::block::flush_plug;
use crate::frames::{Context, Left};
use crate::machine::Machine;
use crate::mmzone::{flag, gen_of_seq};
use crate::page_writeback::end_page_writeback;
use crate::record::Declared;
use crate::stack::Stack;
use crate::vmscan::inactive::{BatchDone, MmVmscanLruShrinkInactive};
use crate::vmscan::lru_gen::{EvictFolios, gens_mut};
use crate::vmscan::{ANON, DEF_PRIORITY, FILE};
use crate::workingset::{RefaultOld, RefaultRecent, workingset_eviction, workingset_refault};
use crate::world::World;
use facts::index::{FrameIndex, GroupIndex};

/// Runs a whole call of `evict_folios` at swappiness 200, which evicts anonymous pages first.
fn evict(w: &mut World, cx: &mut Context) {
    let mut stack = Stack::new(EvictFolios::call(OWNER, 200));
    w.run.stop_at(u64::MAX);
    while let Some((top, above)) = stack.top() {
        match top.go(above, w, cx) {
            Left::Returned => stack.pop(),
            Left::Due => {}
            other => panic!("{other:?}"),
        }
        stack.push_spares(std::mem::take(&mut w.run.deeper) as usize);
    }
    flush_plug(w, cx);
}

/// A machine with 300 anonymous pages in generation 7, none of which has been used since; and the frame of each.
fn machine_of_unused_pages() -> (Machine, Vec<FrameIndex>) {
    let mut m = machine("6.12", 300, 0);
    let w = &mut m.w;
    let entries = w.processes.young_entries(0, 0, 0, 300);
    assert_eq!(entries.len(), 300);
    for entry in &entries {
        w.processes.clear_young(0, 0, entry.page);
    }
    spread(w, 7, [5, 5], [&[7], &[7]]);
    (m, entries.iter().map(|entry| entry.frame).collect())
}

/// Writes pages to swap and ends their writes: they are clean pages of the swap cache, next to be evicted.
fn write_out(w: &mut World, frames: &[FrameIndex]) {
    for &frame in frames {
        put(w, frame, 5);
    }
    evict(w, &mut reclaimer(true, DEF_PRIORITY));
    let oldest = gens_mut(w, OWNER).min_seq[ANON];
    for &frame in frames {
        assert!(w.mem.pages[frame].has(flag::WRITEBACK));
        end_page_writeback(w, frame);
        let page = w.mem.pages[frame];
        assert!(page.has(flag::SWAPCACHE) && !page.has(flag::DIRTY));
        assert_eq!(w.mem.generation(frame), Some(gen_of_seq(oldest)));
    }
    w.rec.records.clear();
}

/// Example 15: of 64 pages, 3 are clean in the swap cache, 11 have been used in two places of the page table,
/// and 50 have not.
#[test]
fn the_ladder_frees_clean_pages_writes_unused_ones_and_keeps_used_ones() {
    let (mut m, frames) = machine_of_unused_pages();
    let w = &mut m.w;
    write_out(w, &frames[297..]);
    spread(w, 7, [5, 5], [&[7], &[7]]);
    // From the tail on: 10 promoted pages, 64 for the batch, and 6 that it does not reach.
    let promoted = &frames[100..110];
    let used: Vec<FrameIndex> = [&frames[..6], &frames[200..205]].concat();
    let unused = &frames[10..60];
    let clean = &frames[297..];
    let batch = [&used[..], unused, clean].concat();
    for &frame in [promoted, &batch, &frames[120..126]].concat().iter() {
        put(w, frame, 5);
    }
    for &frame in promoted {
        w.mem.set_generation(frame, gen_of_seq(7));
    }
    for page in (0..6).chain(200..205) {
        w.processes.touch(0, 0, page, false);
    }
    let before = w.counters.clone();
    let mut cx = reclaimer(true, DEF_PRIORITY);
    evict(w, &mut cx);
    assert_eq!((cx.ret, cx.sc.nr_reclaimed), (74, 3));
    let of = |seq: u64, frame: &FrameIndex| w.mem.generation(*frame) == Some(gen_of_seq(seq));
    assert!(used.iter().all(|frame| of(7, frame)));
    assert!(unused.iter().all(|frame| of(6, frame)));
    let is_written = |frame: &FrameIndex| w.mem.pages[*frame].has(flag::WRITEBACK);
    assert!(unused.iter().all(is_written));
    let now = &w.counters;
    assert_eq!(now.pgscan_kswapd - before.pgscan_kswapd, 64);
    assert_eq!(now.pgrefill - before.pgrefill, 10);
    assert_eq!(now.pgsteal_kswapd - before.pgsteal_kswapd, 3);
    let records = &w.rec.records;
    let events: Vec<_> = records
        .iter()
        .filter_map(MmVmscanLruShrinkInactive::of)
        .collect();
    let [event] = &events[..] else {
        panic!("the batch was retried: {events:?}")
    };
    assert_eq!(
        (event.nr_scanned, event.nr_reclaimed, event.nr_ref_keep),
        (74, 3, 2)
    );
    assert_eq!(records.iter().filter_map(BatchDone::of).count(), 1);
}

/// Example 10: a page evicted from generation 5 comes back while 5 is the oldest, and when 6 is.
#[test]
fn a_refault_is_recent_while_its_generation_is_the_oldest() {
    let mut m = machine("6.12", 10, 300);
    let w = &mut m.w;
    spread(w, 8, [5, 5], [&[6], &[5]]);
    let frame = listed(w, FILE)[3];
    let shadow = workingset_eviction(w, frame, GroupIndex::ROOT).expect("an entry");
    w.rec.records.clear();
    workingset_refault(w, frame, shadow, false);
    let recent: Vec<_> = w.rec.records.drain(..).collect();
    let found = recent.iter().find_map(RefaultRecent::of);
    assert_eq!(found.map(|found| found.seq), Some(5));
    gens_mut(w, OWNER).min_seq[FILE] = 6;
    workingset_refault(w, frame, shadow, false);
    assert!(
        w.rec
            .records
            .iter()
            .all(|record| RefaultRecent::of(record).is_none())
    );
    let old = w.rec.records.iter().find_map(RefaultOld::of);
    assert_eq!(old.map(|old| (old.seq, old.oldest)), Some((5, 6)));
    let refaults = (
        w.counters.workingset_refault[FILE],
        w.counters.workingset_activate[FILE],
    );
    assert_eq!((refaults, w.counters.workingset_refault[ANON]), ((2, 1), 0));
}
