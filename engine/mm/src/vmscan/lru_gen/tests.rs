//! Worked examples of the rules, on the pages of a booted machine.

use super::shrink::{TryToShrinkLruvec, TsPt};
use super::{ScPt, ScanFolios, Walk, WalkMm, WkPt, gens, gens_mut, inc_max_seq};
use crate::frames::{Context, NONE, Up};
use crate::lru_gen::inc_refs;
use crate::machine::Machine;
use crate::mmzone::{MAX_NR_GENS, WMARK_HIGH, flag, gen_of_seq, tier_of, type_of};
use crate::record::Declared;
use crate::vmscan::lru_gen::evict::{choose_type, try_to_inc_min_seq};
use crate::vmscan::lru_gen::{GenScanned, GenTarget};
use crate::vmscan::{ANON, DEF_PRIORITY, FILE};
use crate::world::World;
use facts::experiment::Experiment;
use facts::index::{FrameIndex, LruvecIndex, TaskIndex};
use facts::rng::Rng;
use serde_json::json;

mod ladder;

const OWNER: LruvecIndex = LruvecIndex::new(0);

/// A machine with this many anonymous and file pages, all in generations.
fn machine(kernel: &str, anon: u32, file: u32) -> Machine {
    let size = |pages: u32| format!("{} KiB", pages.max(1) * 4);
    let raw = json!({
        "machine": {
            "id": "m", "title": "64 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 2048, "pages": 16384 }], "cpus": 1 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2021", "pcp": true,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "ssd_2021", "files": true, "swap": 65_536 }],
        },
        "kernel": kernel, "seed": 1, "length": "100s", "tunables": { "lru_gen.enabled": 7 },
        "workload": {
            "id": "w",
            "files": [{ "name": "f", "size": size(file) }],
            "processes": [{ "name": "p", "program": [
                { "op": "map", "region": "a", "size": size(anon) },
                { "op": "touch", "region": "a" },
                { "op": "read", "file": "f" },
                { "op": "think", "time": "50s" },
            ]}],
        },
    });
    let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
    m.run(u64::MAX, 20_000_000_000);
    m.w.rec.on = true;
    m
}

/// A context of kswapd or of a task that reclaims.
fn reclaimer(kswapd: bool, priority: u8) -> Context {
    let mut cx = Context::new(TaskIndex::new(0), NONE, Rng::stream(1, 1));
    cx.sc.kswapd = kswapd;
    cx.sc.priority = priority;
    (cx.sc.may_swap, cx.sc.may_unmap, cx.sc.may_writepage) = (true, true, true);
    cx.sc.gfp = crate::gfp::Gfp::IO;
    (cx.sc.nr_to_reclaim, cx.sc.reclaim_idx) = (32, 4);
    cx
}

/// The pages of a type that are in generations.
fn listed(w: &World, file: usize) -> Vec<FrameIndex> {
    let frames = w.mem.pages.indices();
    let is_listed = |&frame: &FrameIndex| w.mem.generation(frame).is_some();
    let is_of_type = |&frame: &FrameIndex| type_of(w.mem.pages[frame]) == file;
    frames.filter(is_listed).filter(is_of_type).collect()
}

/// Puts a page at the head of the list of a generation, in which it counts.
fn put(w: &mut World, frame: FrameIndex, seq: u64) {
    w.mem.gen_unlink(frame);
    w.mem.set_generation(frame, gen_of_seq(seq));
    w.mem.gen_push(frame, gen_of_seq(seq), false);
}

/// Spreads the pages of both types over these generations.
fn spread(w: &mut World, max_seq: u64, min_seq: [u64; 2], seqs: [&[u64]; 2]) {
    let g = gens_mut(w, OWNER);
    (g.max_seq, g.min_seq) = (max_seq, min_seq);
    for (file, seqs) in seqs.into_iter().enumerate() {
        for (i, frame) in listed(w, file).into_iter().enumerate() {
            put(w, frame, seqs[i % seqs.len()]);
        }
    }
}

/// A page whose write has ended goes to the tail of the oldest generation.
#[test]
fn a_rotated_page_is_the_next_to_be_evicted() {
    let mut m = machine("6.12", 300, 0);
    let w = &mut m.w;
    spread(w, 7, [4, 4], [&[4], &[4]]);
    let frame = listed(w, ANON)[7];
    put(w, frame, 6);
    w.mem.pages[frame].set(flag::SWAPCACHE);
    w.mem.lru_gen_del(frame, true);
    w.mem.lru_gen_add(frame, true);
    assert_eq!(w.mem.generation(frame), Some(gen_of_seq(4)));
    let mut cx = reclaimer(true, DEF_PRIORITY);
    scan(w, &mut cx, ANON);
    assert_eq!(cx.sc.batch.first(), Some(&frame));
}

/// The page is used 0 to 7 times by read(). The first two uses set flags.
#[test]
fn uses_by_read_raise_the_tier_up_to_the_fifth_use() {
    let mut m = machine("6.12", 0, 300);
    let w = &mut m.w;
    let frame = listed(w, FILE)[3];
    crate::lru_gen::clear_uses(w, frame);
    let (mut uses, mut tiers) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        uses.push(w.mem.uses(frame));
        tiers.push(tier_of(w.mem.uses(frame)));
        inc_refs(w, frame);
    }
    assert_eq!(uses, [0, 0, 1, 2, 3, 4, 4, 4]);
    assert_eq!(tiers, [0, 0, 1, 2, 2, 3, 3, 3]);
}

/// Generations 5, 6 and 7 have 200, 300 and 400 pages.
#[test]
fn aging_makes_the_second_youngest_generation_inactive() {
    let mut m = machine("6.12", 900, 0);
    let w = &mut m.w;
    spread(w, 7, [5, 5], [&[5], &[5]]);
    let frames = listed(w, ANON);
    assert_eq!(frames.len(), 900);
    // The counts below are those of the numbers set by hand.
    w.mem.lruvecs[OWNER].nr[..2].copy_from_slice(&[900, 0]);
    for &frame in &frames[..300] {
        put(w, frame, 6);
    }
    for &frame in &frames[300..700] {
        put(w, frame, 7);
    }
    assert_eq!(w.mem.lruvecs[OWNER].nr[..2], [200, 700]);
    inc_max_seq(w, OWNER, true);
    assert_eq!(w.mem.lruvecs[OWNER].nr[..2], [500, 400]);
    assert_eq!(gens(w, OWNER).max_seq, 8);
}

/// The number of pages that a pass scans, with 100,000 pages of which none is due to age.
fn target(kernel: &str, kswapd: bool, priority: u8, seqs: &[(u64, u32)]) -> (i64, TsPt) {
    let mut m = machine(kernel, 10, 10);
    let w = &mut m.w;
    let oldest = seqs[0].0;
    spread(w, 7, [oldest, oldest], [&[7], &[7]]);
    for zone in w.mem.zones.indices() {
        w.mem.zones[zone].gen_pages = [[0; 2]; MAX_NR_GENS];
    }
    let first = w.mem.zones.indices().next().expect("a zone");
    for &(seq, pages) in seqs {
        w.mem.zones[first].gen_pages[gen_of_seq(seq)][FILE] = pages;
    }
    let mut cx = reclaimer(kswapd, priority);
    let mut pass = shrink(TryToShrinkLruvec::call(OWNER, 0));
    pass.point(w, &mut cx, Up::nobody());
    let target = w.rec.records.iter().find_map(GenTarget::of);
    (target.expect("recorded").target, pass.pt)
}

fn shrink(frame: crate::frames::Frame) -> TryToShrinkLruvec {
    match frame {
        crate::frames::Frame::TryToShrinkLruvec(pass) => pass,
        other => panic!("{other:?}"),
    }
}

/// Each case has 100,000 pages.
#[test]
fn a_pass_scans_the_share_of_its_priority_unless_it_ages() {
    let even = [(5, 40_000), (6, 30_000), (7, 30_000)];
    assert_eq!(target("6.12", true, 12, &even), (24, TsPt::Evict));
    assert_eq!(target("6.12", true, 6, &even), (1562, TsPt::Evict));
    let due = [(5, 10_000), (6, 60_000), (7, 30_000)];
    assert_eq!(target("6.12", true, 12, &due), (24, TsPt::Evict));
    let cold = [(6, 50_000), (7, 50_000)];
    for kernel in ["6.1", "6.12"] {
        assert_eq!(target(kernel, false, 12, &cold).1, TsPt::Done, "{kernel}");
    }
    // After a new generation was opened, 6.1 evicts and 6.12 ends the pass.
    for (kernel, next) in [("6.1", TsPt::Evict), ("6.12", TsPt::Done)] {
        let mut m = machine(kernel, 10, 10);
        let mut pass = shrink(TryToShrinkLruvec::call(OWNER, 0));
        (pass.pt, pass.target) = (TsPt::Aged, 1562);
        let mut cx = reclaimer(false, 6);
        cx.ret = 1;
        pass.point(&mut m.w, &mut cx, Up::nobody());
        assert_eq!(pass.pt, next, "{kernel}");
    }
}

/// Direct reclaim of 6.12 has 50,000 pages, and its batches of 64 free nothing.
#[test]
fn a_pass_that_frees_nothing_needs_more_batches_at_lower_priorities() {
    let even = [(5, 20_000), (6, 15_000), (7, 15_000)];
    let mut m = machine("6.12", 10, 10);
    for (priority, pages, batches) in [(12, 12, 1), (11, 24, 1), (10, 48, 1), (9, 97, 2)] {
        assert_eq!(target("6.12", false, priority, &even).0, pages);
        let mut pass = shrink(TryToShrinkLruvec::call(OWNER, 0));
        pass.target = pages as u32;
        let mut cx = reclaimer(false, priority);
        let mut done = 0;
        while pass.pt != TsPt::Done {
            (pass.pt, cx.ret) = (TsPt::Evicted, 64);
            pass.point(&mut m.w, &mut cx, Up::nobody());
            done += 1;
        }
        assert_eq!(done, batches, "priority {priority}");
    }
}

/// The first batch frees 64 pages, which meets the goal of 32.
#[test]
fn direct_reclaim_ends_after_a_batch_that_frees_its_goal() {
    let mut m = machine("6.12", 10, 10);
    let mut pass = shrink(TryToShrinkLruvec::call(OWNER, 0));
    (pass.pt, pass.target) = (TsPt::Evicted, 1000);
    let mut cx = reclaimer(false, 6);
    (cx.ret, cx.sc.nr_reclaimed) = (64, 64);
    pass.point(&mut m.w, &mut cx, Up::nobody());
    assert_eq!(pass.pt, TsPt::Done);
}

/// A zone with 64 pages above its high watermark does not end reclaim; one more page does.
#[test]
fn kswapd_stops_when_free_pages_exceed_the_high_watermark_by_a_batch() {
    for (more, next) in [(64, TsPt::Target), (65, TsPt::Done)] {
        let mut m = machine("6.12", 10, 10);
        let mut pass = shrink(TryToShrinkLruvec::call(OWNER, 0));
        (pass.pt, pass.target) = (TsPt::Evicted, 1_000_000);
        let mut cx = reclaimer(true, 6);
        cx.sc.reclaim_idx = 1;
        for zone in m.w.mem.zones.indices() {
            let z = &mut m.w.mem.zones[zone];
            z.nr_free_pages = (z.mark(WMARK_HIGH) + z.protection[1]).get() + more;
        }
        (cx.ret, cx.sc.nr_to_reclaim) = (64, 10_000);
        pass.point(&mut m.w, &mut cx, Up::nobody());
        assert_eq!(pass.pt, next, "{more} pages above");
    }
}

/// Each case compares the oldest generations after the generations without pages were closed.
#[test]
fn both_types_close_their_oldest_generations_together() {
    let mut m = machine("6.12", 60, 60);
    let w = &mut m.w;
    let mut closed = |min: [u64; 2], anon: &[u64], file: &[u64], can_swap: bool| {
        spread(w, 8, min, [anon, file]);
        try_to_inc_min_seq(w, OWNER, can_swap);
        gens(w, OWNER).min_seq
    };
    assert_eq!(closed([5, 5], &[6, 7, 8], &[5, 6, 7, 8], true), [5, 5]);
    assert_eq!(closed([5, 5], &[6, 7, 8], &[6, 7, 8], true), [6, 6]);
    assert_eq!(closed([5, 5], &[8], &[8], true), [7, 7]);
    assert_eq!(closed([5, 6], &[7, 8], &[7, 8], true), [7, 7]);
    assert_eq!(closed([5, 5], &[5, 8], &[7, 8], false), [5, 7]);
    // Then swap is switched on.
    assert_eq!(closed([5, 7], &[5, 8], &[7, 8], true), [5, 7]);
    let cx = reclaimer(true, DEF_PRIORITY);
    assert_eq!(choose_type(w, &cx, OWNER, 60), (ANON, None));
}

/// Scans the oldest generation of a type for a batch.
fn scan(w: &mut World, cx: &mut Context, file: usize) {
    let crate::frames::Frame::ScanFolios(mut scan) = ScanFolios::call(OWNER, file, 3) else {
        panic!("another frame");
    };
    for _ in [ScPt::Enter, ScPt::Scan, ScPt::Count] {
        scan.point(w, cx, Up::nobody());
    }
}

/// The 10 pages nearest to the tail are promoted; 70 cold ones follow.
#[test]
fn a_batch_takes_64_cold_pages_and_sorts_promoted_ones_aside() {
    let mut m = machine("6.12", 80, 0);
    let w = &mut m.w;
    spread(w, 7, [5, 5], [&[5], &[5]]);
    for &frame in &listed(w, ANON)[..10] {
        w.mem.set_generation(frame, gen_of_seq(7));
    }
    let before = w.counters.clone();
    let mut cx = reclaimer(true, DEF_PRIORITY);
    w.rec.records.clear();
    scan(w, &mut cx, ANON);
    assert_eq!((cx.ret, cx.sc.batch.len()), (74, 64));
    assert_eq!(w.counters.pgscan_kswapd - before.pgscan_kswapd, 64);
    assert_eq!(w.counters.pgrefill - before.pgrefill, 10);
    let found = w.rec.records.iter().find_map(GenScanned::of);
    let found = found.expect("recorded");
    assert_eq!((found.scanned, found.taken, found.sorted), (74, 64, 10));
}

/// Walks the page tables of the only process, of whose used pages only a share keeps its accessed bit.
fn walk(share: u32, seed: u64) {
    let mut m = machine("6.12", 900, 0);
    let w = &mut m.w;
    spread(w, 7, [5, 5], [&[5, 6], &[5]]);
    let mut rng = Rng::stream(seed, 1);
    let entries: Vec<(u32, FrameIndex)> = (w.processes.young_entries(0, 0, 0, 900))
        .into_iter()
        .map(|entry| (entry.page, entry.frame))
        .collect();
    assert_eq!(entries.len(), 900);
    let mut before = Vec::new();
    for &(page, frame) in &entries {
        let is_used = rng.below(100) < share;
        if !is_used {
            w.processes.clear_young(0, 0, page);
        }
        before.push((frame, is_used, w.mem.generation(frame)));
    }
    let mut cx = reclaimer(true, 6);
    cx.sc.gens.walk = Walk {
        seq: 7,
        can_swap: true,
        force: true,
        ..Walk::default()
    };
    let crate::frames::Frame::WalkMm(mut walk) = WalkMm::call(OWNER, 0) else {
        panic!("another frame");
    };
    while walk.pt != WkPt::Done {
        walk.point(w, &mut cx, Up::nobody());
    }
    assert_eq!(cx.sc.gens.walk.scanned, 900, "share {share}");
    for (frame, is_used, old) in before {
        let expected = if is_used { Some(gen_of_seq(7)) } else { old };
        assert_eq!(w.mem.generation(frame), expected, "share {share}");
    }
    assert!(w.processes.young_entries(0, 0, 0, 900).is_empty());
}

/// Invariants 11 and 12.
#[test]
fn a_walk_makes_exactly_the_used_pages_young() {
    for (share, seed) in [(0, 1), (10, 2), (50, 3), (90, 4), (100, 5)] {
        walk(share, seed);
    }
}

#[test]
fn a_walk_ends_if_another_reclaimer_opened_a_generation() {
    let mut m = machine("6.12", 900, 0);
    let w = &mut m.w;
    spread(w, 7, [5, 5], [&[5], &[5]]);
    let mut cx = reclaimer(true, 6);
    cx.sc.gens.walk = Walk {
        seq: 6,
        can_swap: true,
        force: true,
        ..Walk::default()
    };
    let crate::frames::Frame::WalkMm(mut walk) = WalkMm::call(OWNER, 0) else {
        panic!("another frame");
    };
    walk.point(w, &mut cx, Up::nobody());
    assert_eq!(walk.pt, WkPt::Done);
    assert_eq!(w.processes.young_entries(0, 0, 0, 900).len(), 900);
}
