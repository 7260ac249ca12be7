//! Compaction of 2.6.35 to 2.6.38: examples as sequences of events, properties of every run, and
//! tests that moving a page changes nothing else.
//!
//! Up to 6.9 the free scanner stops when there is a free page for each page of the batch, moved or not
//! (`nr_migratepages` does not fall in `compaction_alloc`). The figures here follow that rule.

use crate::small;
use facts::index::FrameIndex;
use mm::index::{TaskIndex, ZoneIndex};

use std::sync::Arc;

use mm::amount::Pages;
use mm::check::Violation;
use mm::compaction::totals::CompactionTotals;
use mm::compaction::{
    CompactZone, MmCompactionIsolateFreepages, MmCompactionIsolateMigratepages,
    MmCompactionMigratepages, Status, compaction_suitable,
};
use mm::frames::{Context, Frame, Left};
use mm::gfp::{MOVABLE, RESERVED};
use mm::machine::Machine;
use mm::migrate::{MigrateFreed, MigrateMoved};
use mm::mmzone::{PageKind, flag};
use mm::page_writeback::{end_page_writeback, set_page_writeback};
use mm::record::Declared;
use mm::rng::Rng;
use mm::stack::Stack;
use small::{X86, wrong};

/// Number of pages in a pageblock in these tests.
const BLOCK: usize = 8;

/// A zone of pageblocks of 8 pages, drawn with letters: free (F), movable and on a list (M), the
/// same under writeback (W), unmovable (U). `types` gives the types of the blocks; if it is empty,
/// all are movable.
fn drawn(pages: &str, types: &str) -> Machine {
    let pages: Vec<char> = pages.chars().filter(|c| *c != ' ').collect();
    let mut m = small::zone("2.6.37", X86, pages.len() as u64, "", "");
    let facts = Arc::make_mut(&mut m.w.facts);
    // The examples were computed with the model of 2.6.39.
    facts.features.isolation_has_status = true;
    let frames = m.w.mem.pages.len();
    m.w.mem.pageblock_order = 3;
    m.w.mem.blocks = vec![MOVABLE; frames / BLOCK];
    for (block, c) in types.chars().enumerate() {
        m.w.mem.blocks[block] = small::type_of(c);
    }
    for (frame, c) in (0u32..).zip(&pages) {
        match c {
            'F' => small::free(&mut m, FrameIndex::new(frame), 0),
            'M' | 'W' => {
                let page = m.w.mem.set_kind(FrameIndex::new(frame), PageKind::Anon, 0);
                (page.owner, page.index) = (0, frame);
                m.w.mem.lru_add(FrameIndex::new(frame));
                if *c == 'W' {
                    set_page_writeback(&mut m.w, FrameIndex::new(frame));
                }
            }
            _ => {}
        }
    }
    m.w.rec.records.clear();
    m
}

/// The zone in the letters of `drawn`.
fn picture(m: &Machine, blocks: usize) -> String {
    let of = |frame: usize| {
        let page = m.w.mem.pages[FrameIndex::new(frame as u32)];
        match page.kind() {
            PageKind::Free => 'F',
            PageKind::Anon if page.has(flag::WRITEBACK) => 'W',
            PageKind::Anon => 'M',
            PageKind::Tail => 'F',
            _ => 'U',
        }
    };
    let block = |b: usize| (b * BLOCK..(b + 1) * BLOCK).map(of).collect::<String>();
    (0..blocks).map(block).collect::<Vec<_>>().join(" ")
}

/// The positions of the two scanners.
type Places = (u32, u32);

/// Runs a compaction to its end, one step at a time; a write it waits for ends immediately. Returns
/// its status and the positions of its scanners after each step.
fn run(m: &mut Machine, frame: Frame) -> (Status, Vec<Places>) {
    run_beside(m, frame, |_, _| {})
}

/// The same, with `beside` called between the steps.
fn run_beside(
    m: &mut Machine,
    frame: Frame,
    mut beside: impl FnMut(&mut Machine, &Context),
) -> (Status, Vec<Places>) {
    m.w.rec.on = true;
    let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
    let mut stack = Stack::new(frame);
    let mut places = Vec::new();
    while let Some((top, above)) = stack.top() {
        let next = m.w.run.steps() + 1;
        m.w.run.stop_at(next);
        match top.go(above, &mut m.w, &mut cx) {
            Left::Due => {}
            Left::Returned => stack.pop(),
            Left::Asleep => {
                assert!(cx.cc.sync, "asynchronous compaction waited");
                let waited: Vec<FrameIndex> = m.w.page_wait.iter().map(|&(page, _)| page).collect();
                for page in waited {
                    end_page_writeback(&mut m.w, page);
                }
                m.w.sched.wakes.clear();
            }
            Left::Exited => panic!("the task exited"),
        }
        stack.push_spares(std::mem::take(&mut m.w.run.deeper) as usize);
        if cx.cc.free_pfn > FrameIndex::new(0) {
            places.push((cx.cc.migrate_pfn.get(), cx.cc.free_pfn.get()));
        }
        beside(m, &cx);
        sound(m, &cx, &stack);
    }
    m.w.sched.wakes.clear();
    m.w.sched.attention = false;
    (Status::of(cx.ret), places)
}

/// Fails on any violation, except for pages that this run has isolated and writes without a
/// request: no task holds those here. A zone counts a block after it was freed or taken; the check
/// allows for that only in tasks.
fn sound(m: &Machine, cx: &Context, stack: &Stack) {
    let mut found = wrong(m);
    let isolated = !cx.migrate.list.is_empty();
    let counts_later = stack
        .iter()
        .any(|frame| matches!(frame, Frame::FreeOne(_) | Frame::RmqueueSmallest(_)));
    found.retain(|v| match v {
        Violation::FreePages { .. }
        | Violation::FreeBlocks { .. }
        | Violation::KindCount { .. } => !counts_later,
        Violation::Writeback { .. } | Violation::Ungranted { .. } => false,
        Violation::Isolated { .. } => !isolated,
        _ => true,
    });
    assert_eq!(found, []);
}

/// The counts for reports equal the sums of the events.
fn totals_match_the_trace(m: &Machine) {
    let mut sums = CompactionTotals::default();
    for r in &m.w.rec.records {
        if let Some(e) = MmCompactionIsolateMigratepages::of(r) {
            sums.migrate_scanned += e.nr_scanned as u64;
            sums.migrate_isolated += e.nr_taken as u64;
        } else if let Some(e) = MmCompactionIsolateFreepages::of(r) {
            sums.free_scanned += e.nr_scanned as u64;
            sums.free_isolated += e.nr_taken as u64;
        } else if let Some(e) = MmCompactionMigratepages::of(r) {
            sums.migrated += e.nr_migrated as u64;
            sums.failed += e.nr_failed as u64;
        }
    }
    assert_eq!(m.w.compaction_totals, sums);
    assert_eq!(sums.migrate_isolated, sums.migrated + sums.failed);
    assert!(sums.free_isolated >= sums.migrated);
}

/// The events in short: isolated for migration (m), free pages taken (f), moved (x).
fn events(m: &Machine) -> String {
    totals_match_the_trace(m);
    let text = |r: &mm::record::Record| {
        if let Some(e) = MmCompactionIsolateMigratepages::of(r) {
            Some(format!("m{}/{}", e.nr_scanned, e.nr_taken))
        } else if let Some(e) = MmCompactionIsolateFreepages::of(r) {
            Some(format!("f{}/{}", e.nr_scanned, e.nr_taken))
        } else {
            MmCompactionMigratepages::of(r).map(|e| format!("x{}/{}", e.nr_migrated, e.nr_failed))
        }
    };
    let all: Vec<String> = m.w.rec.records.iter().filter_map(text).collect();
    all.join(" ")
}

fn moves(m: &Machine) -> Vec<(u32, u32)> {
    let all = m.w.rec.all::<MigrateMoved>();
    all.map(|(_, moved)| (moved.page.get(), moved.to.get()))
        .collect()
}

/// Sums over the events: scanned, isolated, moved, failed, free scanned, free isolated.
fn sums(m: &Machine) -> [i64; 6] {
    let mut sums = [0; 6];
    for (_, e) in m.w.rec.all::<MmCompactionIsolateMigratepages>() {
        sums[0] += e.nr_scanned;
        sums[1] += e.nr_taken;
    }
    for (_, e) in m.w.rec.all::<MmCompactionMigratepages>() {
        sums[2] += e.nr_migrated;
        sums[3] += e.nr_failed;
    }
    for (_, e) in m.w.rec.all::<MmCompactionIsolateFreepages>() {
        sums[4] += e.nr_scanned;
        sums[5] += e.nr_taken;
    }
    sums
}

fn sync() -> Frame {
    CompactZone::call(ZoneIndex::new(0), 3, MOVABLE, true)
}

fn asynchronous() -> Frame {
    CompactZone::call(ZoneIndex::new(0), 3, MOVABLE, false)
}

fn fast(mut m: Machine) -> Machine {
    Arc::make_mut(&mut m.w.facts).features.compaction_fast_scan = true;
    m
}

const BASIC: &str = "MFMFMFMF MMFFMMFF MMMMMMMM UUMFFMMF MMMMMMMM MMFFMMFM FFMMMFFF FMFMFFMF";

#[test]
fn pages_move_up_until_a_block_is_free_and_the_watermark_is_met() {
    let mut m = drawn(BASIC, "");
    let z = &m.w.mem.zones[ZoneIndex::new(0)];
    assert_eq!((z.nr_free_pages, z.nr_free[0], z.nr_free[1]), (24, 12, 6));
    let (status, places) = run(&mut m, sync());
    assert_eq!(status, Status::Partial);
    assert_eq!(places.last(), Some(&(16, 48)));
    assert_eq!(events(&m), "m8/4 f7/5 x4/0 m8/4 f8/0 f6/5 x4/0");
    let expected = [
        (6, 63),
        (4, 61),
        (2, 60),
        (0, 58),
        (13, 56),
        (12, 55),
        (9, 54),
        (8, 53),
    ];
    assert_eq!(moves(&m), expected);
    assert_eq!(
        picture(&m, 8),
        "FFFFFFFF FFFFFFFF MMMMMMMM UUMFFMMF MMMMMMMM MMFFMMFM FFMMMMMM MMMMMMMM"
    );
    assert_eq!(
        m.w.mem.zones[ZoneIndex::new(0)].nr_free[..5],
        [4, 2, 0, 0, 1]
    );
}

/// A page whose last user releases it while it is isolated is freed, not moved. Up to 2.6.37 it
/// counts as failed, later as moved.
#[test]
fn an_isolated_page_without_users_is_freed_instead_of_moved() {
    for counts_freed in [false, true] {
        let mut m = drawn(BASIC, "");
        // A freed page must also be counted as allocated.
        m.w.counters.pgalloc[0] += 1;
        let facts = Arc::make_mut(&mut m.w.facts);
        facts.features.migration_counts_freed = counts_freed;
        let gone = |m: &mut Machine, cx: &Context| {
            if cx.migrate.list.len() == 4 && m.w.mem.pages[FrameIndex::new(2)].owner != u32::MAX {
                m.w.mem.pages[FrameIndex::new(2)].owner = u32::MAX;
            }
        };
        let (status, _) = run_beside(&mut m, sync(), gone);
        assert_eq!(status, Status::Partial);
        let freed = m.w.rec.all::<MigrateFreed>();
        let freed: Vec<FrameIndex> = freed.map(|(_, of)| of.page).collect();
        assert!(!freed.is_empty() && freed.iter().all(|&page| page == FrameIndex::new(2)));
        assert!(moves(&m).iter().all(|&(from, _)| from != 2));
        assert_eq!(m.w.mem.pages[FrameIndex::new(2)].kind(), PageKind::Tail);
        let totals = m.w.compaction_totals;
        assert_eq!(totals.failed, u64::from(!counts_freed));
        totals_match_the_trace(&m);
    }
}

#[test]
fn an_asynchronous_fast_scan_skips_blocks_that_are_not_movable() {
    let mut m = fast(drawn(BASIC, "MU"));
    let (status, places) = run(&mut m, asynchronous());
    assert_eq!(status, Status::Partial);
    let all = "m8/4 f7/5 x4/0 m1/0 x0/0 m8/8 f8/0 f6/5 f7/3 x8/0";
    assert_eq!(events(&m).trim_end_matches(" f8/0"), all);
    assert_eq!(moves(&m).len(), 12);
    assert_eq!(places.last(), Some(&(24, 48)));
    assert!(moves(&m).iter().all(|&(from, _)| !(8..16).contains(&from)));
    // Synchronous compaction takes pages from every block.
    let mut m = fast(drawn(BASIC, "MU"));
    run(&mut m, sync());
    assert_eq!(events(&m), "m8/4 f7/5 x4/0 m8/4 f8/0 f6/5 x4/0");
}

const TWICE: &str = "MMMMMMMM FMFMUMFM MFMFMFMF MMMMMMMM MMMMMMMM FFMFMFFM FFMMMFFF FFFMFFMF";

/// If a block is found unsuitable in its middle, the scan also skips the next block.
#[test]
fn a_fast_scan_may_skip_two_blocks() {
    let mut m = fast(drawn(TWICE, "MU"));
    let (status, places) = run(&mut m, asynchronous());
    assert_eq!(status, Status::Complete);
    assert!(moves(&m).iter().all(|&(from, _)| !(8..24).contains(&from)));
    let [.., moved, failed, _, _] = sums(&m);
    assert_eq!((moved, failed), (11, 13));
    assert_eq!(places.last().map(|p| p.1), Some(40));
    assert!(
        events(&m).starts_with("m8/8 f6/6 f6/5 x8/0 m2/0 x0/0 m8/8"),
        "{}",
        events(&m)
    );
    let mut m = fast(drawn(TWICE, "MU"));
    let (status, places) = run(&mut m, sync());
    assert_eq!(
        (status, places.last().map(|p| p.0)),
        (Status::Partial, Some(24))
    );
    assert_eq!(sums(&m)[2..4], [16, 0]);
}

#[test]
fn sync_compaction_waits_for_writeback_and_async_loses_its_targets() {
    let written = BASIC.replacen('M', "W", 1);
    let mut m = drawn(&written, "");
    let (status, _) = run(&mut m, sync());
    assert_eq!(status, Status::Partial);
    // Three targets are used before the wait for the page; two of them are taken again.
    assert_eq!(events(&m), "m8/4 f7/5 f8/2 f6/5 x4/0 m8/4 x4/0");
    assert_eq!((moves(&m).len(), sums(&m)[5]), (8, 12));
    let mut m = drawn(&written, "");
    let (status, _) = run(&mut m, asynchronous());
    assert_eq!(status, Status::Complete);
    let [_, isolated, moved, failed, _, free] = sums(&m);
    assert_eq!((isolated, moved, failed, free), (19, 13, 6, 23));
    assert!(picture(&m, 8).starts_with("WFFFFFFF FFFFFFFF"));
}

#[test]
fn compaction_is_complete_when_the_scanners_meet_without_a_free_block() {
    let pages = "UMFMFMFM UMMFMMFF UFMMFMFM UFMMMFMF UMFMMFMM UMFFMFMM UFMMFMFM UMFFMFMM";
    let mut m = drawn(pages, "");
    assert_eq!(m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages, 23);
    let (status, places) = run(&mut m, sync());
    assert_eq!(status, Status::Complete);
    let all = "m8/4 f7/3 f8/3 x4/0 m8/4 f8/0 f8/0 f7/3 f8/2 x4/0 m8/4 f8/0 x3/1 m8/4 x0/4";
    assert_eq!(events(&m), all);
    assert_eq!(sums(&m), [32, 16, 11, 5, 54, 11]);
    assert_eq!(places.last(), Some(&(32, 32)));
}

#[test]
fn compaction_is_skipped_with_too_few_free_pages() {
    let m = "MMMMMMMM ".repeat(4) + &"UUUUUUUU ".repeat(2) + &"FMFMFMFM ".repeat(2);
    let mut m = drawn(&m, "");
    let (status, places) = run(&mut m, sync());
    assert_eq!(
        (status, places.len(), events(&m)),
        (Status::Skipped, 0, String::new())
    );
}

#[test]
fn the_start_of_the_migrate_scanner_changes_the_result() {
    let pages = "MMMMMMMM MFMFMFMF UMMMMMMM UMMMMMMM MMMMMMMM FFMFFFMF FFMFFMFF FFFMFFMF";
    let mut m = drawn(pages, "");
    let (status, _) = run(&mut m, sync());
    assert_eq!((status, moves(&m).len()), (Status::Partial, 12));
    assert_eq!(events(&m), "m8/8 f6/6 f6/6 x8/0 m8/4 x4/0");
    let mut m = drawn(pages, "");
    let (status, places) = run(
        &mut m,
        CompactZone::from(ZoneIndex::new(0), 3, MOVABLE, true, FrameIndex::new(8)),
    );
    assert_eq!((status, places.last()), (Status::Complete, Some(&(48, 48))));
    assert_eq!(sums(&m)[2..4], [18, 16]);
    let all = "m8/4 f6/6 x4/0 m8/7 f8/0 f6/6 f6/6 x7/0 m8/7 x7/0 m8/8 x0/8 m8/8 x0/8";
    assert_eq!(events(&m), all);
}

/// 2.6.38 compacts although there is already a block.
#[test]
fn compaction_is_suitable_with_enough_free_memory_in_small_blocks() {
    let ask = |blocks: &[(usize, u32)]| {
        let mut m = small::zone("2.6.37", X86, 4096, "", "");
        let z = &mut m.w.mem.zones[ZoneIndex::new(0)];
        z.wmark = [1000, 1500, 2000].map(Pages::new);
        z.nr_free = Default::default();
        for &(order, n) in blocks {
            z.nr_free[order] = n;
        }
        z.nr_free_pages = blocks.iter().map(|&(order, n)| n << order).sum();
        compaction_suitable(&mut m.w, ZoneIndex::new(0), 9)
    };
    assert_eq!(ask(&[(0, 3000)]), Status::Continue);
    assert_eq!(ask(&[(0, 2000)]), Status::Skipped);
    assert_eq!(ask(&[(8, 40)]), Status::Skipped);
    assert_eq!(ask(&[(0, 500), (9, 8)]), Status::Continue);
}

/// The contents of all movable pages with their counts, at whatever frames they are.
fn contents(m: &Machine) -> Vec<(u32, u32, u32)> {
    let kept = flag::ACTIVE | flag::REFERENCED | flag::DIRTY | flag::WRITEBACK;
    let pages = m.w.mem.pages.iter().filter(|p| p.is(PageKind::Anon));
    let mut all: Vec<_> = pages.map(|p| (p.owner, p.index, p.meta & kept)).collect();
    all.sort_unstable();
    all
}

/// Zones of 4 to 16 random blocks.
#[test]
fn compaction_of_any_zone_moves_pages_and_loses_no_contents() {
    let mut rng = Rng::stream(7, 1);
    let (mut ran, mut moved) = (0, 0);
    for case in 0..300 {
        let blocks = 4 + rng.below(13) as usize;
        let free = 20 + rng.below(50);
        let mut pages = String::new();
        let mut types = String::new();
        for _ in 0..blocks {
            let unmovable = rng.below(4) == 0;
            types.push(if unmovable {
                'U'
            } else {
                ['M', 'M', 'M', 'R', 'H'][rng.below(5) as usize]
            });
            for _ in 0..BLOCK {
                let n = rng.below(100);
                pages.push(match n {
                    n if n < free => 'F',
                    n if n < free + 2 => 'W',
                    n if n < free + 8 => 'U',
                    _ => 'M',
                });
            }
        }
        let mut m = drawn(&pages, &types);
        let wait = rng.below(2) == 0;
        if rng.below(2) == 0 {
            m = fast(m);
        }
        for page in
            m.w.mem
                .pages
                .slice_mut(FrameIndex::new(0), FrameIndex::new((blocks * BLOCK) as u32))
        {
            if page.is(PageKind::Anon) && rng.below(3) == 0 {
                page.set([flag::REFERENCED, flag::DIRTY][rng.below(2) as usize]);
            }
        }
        let before = (
            contents(&m),
            m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages,
            picture(&m, blocks),
        );
        let types = m.w.mem.blocks.clone();
        let (status, places) = run(
            &mut m,
            CompactZone::call(ZoneIndex::new(0), 3, MOVABLE, wait),
        );
        let text = format!("case {case}: {} {}", before.2, events(&m));
        let [_, isolated, migrated, failed, _, taken] = sums(&m);
        assert_eq!(isolated, migrated + failed, "{text}");
        assert!(taken >= migrated, "{text}");
        assert_eq!(
            m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages,
            before.1,
            "{text}"
        );
        let mut was = before.0;
        if wait {
            // Pages for which compaction waited are now written.
            let now = contents(&m);
            for (was, now) in was.iter_mut().zip(&now) {
                was.2 &= !flag::WRITEBACK | now.2;
            }
        }
        assert_eq!(contents(&m), was, "{text}");
        for pair in places.windows(2) {
            assert!(pair[0].0 <= pair[1].0 && pair[0].1 >= pair[1].1, "{text}");
        }
        for &(from, to) in &moves(&m) {
            let (from, to) = (types[from as usize / BLOCK], types[to as usize / BLOCK]);
            let is_fast = !wait && m.w.facts.features.compaction_fast_scan;
            assert!(!is_fast || from == MOVABLE || moves(&m)[0].0 < 8, "{text}");
            assert!(to != RESERVED, "{text}");
        }
        let unmovable = |m: &Machine| {
            let pages = m.w.mem.pages.iter().take(blocks * BLOCK);
            pages.filter(|p| p.is(PageKind::Kernel)).count()
        };
        assert_eq!(unmovable(&m), before.2.matches('U').count(), "{text}");
        let met = places.last().is_some_and(|p| p.1 <= p.0);
        assert_eq!(status == Status::Complete, met, "{text}");
        ran += usize::from(status != Status::Skipped);
        moved += moves(&m).len();
    }
    assert!(ran > 100 && moved > 600, "{ran} runs, {moved} moves");
}
