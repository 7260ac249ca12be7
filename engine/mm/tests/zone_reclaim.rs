//! zone_reclaim and the zonelist cache on small machines: the worked examples, with all page counts
//! divided by a hundred where a whole zone is scanned.

use crate::small;
use facts::index::FrameIndex;
use mm::index::{CpuIndex, NodeIndex, ZoneIndex, ZonelistIndex};

use mm::amount::Pages;
use mm::experiment::Experiment;
use mm::frames::NONE;
use mm::gfp::{AllocFlags, Gfp};
use mm::kernel::SlabAllocator;
use mm::mmzone::{Gauge, PageKind, WMARK_LOW, flag};
use mm::page_alloc::{GetPageFromFreelist, Request};
use mm::record::RecordKind;
use mm::slab::{BUFFERS, CacheGrow, NewSlab};
use mm::vmscan::zone_reclaim::{Answer, ZoneReclaim, min_pages, pagecache_reclaimable};
use serde_json::{Value, json};
use small::{Small as Machine, run};

/// Number of jiffies per second.
const HZ: u64 = 250;
/// Number of pages on the inactive list of the local zone, and of the pages that a pass without
/// success scans.
const INACTIVE: u64 = 960;
const HOPELESS: u64 = 1860;
const NORMAL: u64 = 0x10_0000;

/// Two nodes, the first also with a DMA32 zone if `low` is true, and a file of 960 pages read into
/// the first zone of node 0's list.
fn machine(kernel: &str, mode: u64, low: bool) -> Machine {
    let local = json!([{ "start_pfn": NORMAL, "pages": 4096 }]);
    let both =
        json!([{ "start_pfn": 4096, "pages": 4096 }, { "start_pfn": NORMAL, "pages": 4096 }]);
    let raw = json!({
        "machine": {
            "id": "small", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [
                { "ranges": if low { both } else { local }, "cpus": 1 },
                { "ranges": [{ "start_pfn": NORMAL + 4096, "pages": 4096 }], "cpus": 1 },
            ],
            "distances": [[10, 20], [20, 10]], "hz": HZ, "thp": "never", "costs": "s2011",
            "pcp": false, "zonelist_order": "node",
            "devices": [{ "id": "sda", "model": "throttled", "files": true, "swap": 0,
                          "bytes_per_s": 104_857_600 }],
        },
        "kernel": kernel, "seed": 1, "length": "1000s",
        "workload": { "id": "reader", "files": [{ "name": "f", "size": INACTIVE, "count": 1 }],
            "processes": [{ "name": "reader", "count": 1, "node": 0, "program": [
                { "op": "read", "file": "f" }, { "op": "think", "time": "900s" },
            ] }] },
        "tunables": { "vm.min_free_kbytes": "0", "vm.zone_reclaim_mode": mode.to_string() },
    });
    let experiment = Experiment::from_json(&raw.to_string()).expect("a valid experiment");
    let mut m = Machine::boot(&experiment);
    m.run(u64::MAX, 10_000_000_000);
    let local = first(&m);
    assert_eq!(u64::from(m.w.mem.zones[local].lru[2]), INACTIVE, "{kernel}");
    m.w.cpu = CpuIndex::new(0);
    at(&mut m, 10_000);
    for zlc in &mut m.w.zlc {
        zlc.last_full_zap = 10_000;
    }
    m
}

/// The first zone of node 0's list.
fn first(m: &Machine) -> ZoneIndex {
    m.w.facts.zonelists[ZonelistIndex::new(0)][0]
}

/// The zone of node 1.
fn remote(m: &Machine) -> ZoneIndex {
    m.w.mem.zones.indices().next_back().expect("a zone")
}

fn at(m: &mut Machine, jiffy: u64) {
    m.w.now = jiffy * 4_000_000;
}

/// Puts every page of the zone's inactive file list under writeback, so that the zone looks
/// reclaimable but is not.
fn hopeless(m: &mut Machine) {
    let zone = first(m);
    mark(m, zone, INACTIVE as usize, flag::WRITEBACK);
}

fn mark(m: &mut Machine, zone: ZoneIndex, pages: usize, bits: u32) {
    let (start, len) = (m.w.mem.zones[zone].first, m.w.mem.zones[zone].frames);
    let all = m.w.mem.pages.slice_mut(start, start.plus(len));
    let files = all.iter_mut().filter(|p| p.kind() == PageKind::File);
    for page in files.take(pages) {
        page.set(bits);
    }
}

/// Sets the low watermark so that the zone is `by` pages above or below it.
fn above_low(m: &mut Machine, zone: ZoneIndex, by: i64) {
    let z = &mut m.w.mem.zones[zone];
    let low = (i64::from(z.nr_free_pages) - 2 - by) as u32;
    z.wmark = [low / 2, low, low + low / 2].map(Pages::new);
    z.protection = [0; 6].map(Pages::new);
}

fn request(m: &Machine) -> Request {
    Request::new(&m.w, Gfp::GFP_HIGHUSER_MOVABLE, 0, ZonelistIndex::new(0))
}

/// Walks the zonelist once at the low watermark. Returns the zone of the page.
fn walk(m: &mut Machine) -> Option<ZoneIndex> {
    let rq = request(m);
    let page = run(
        m,
        GetPageFromFreelist::call(rq, WMARK_LOW, AllocFlags::CPUSET),
    );
    (page != NONE).then(|| m.w.mem.pages[FrameIndex::new(page)].zone())
}

fn scanned(m: &Machine) -> u64 {
    m.w.counters.scan_zone_reclaim
}

fn bits(m: &Machine) -> u64 {
    m.w.zlc[ZonelistIndex::new(0)].fullzones
}

fn said(m: &Machine, why: RecordKind) -> usize {
    m.w.rec.records.iter().filter(|r| r.kind == why).count()
}

/// Table 12.2: file LRU, mapped, file pages, dirty, mode, reclaimable, and whether the check
/// passes.
#[test]
fn the_mode_decides_which_pages_count_as_reclaimable() {
    let rows: [(u32, u32, u32, u32, u64, u32, bool); 8] = [
        (500_000, 1000, 505_000, 120_000, 1, 379_000, true),
        (700_000, 690_000, 705_000, 150_000, 1, 0, false),
        (700_000, 690_000, 705_000, 150_000, 3, 10_000, true),
        (700_000, 690_000, 705_000, 150_000, 5, 555_000, true),
        (700_000, 690_000, 705_000, 150_000, 7, 705_000, true),
        (8000, 200, 9000, 0, 1, 7800, true),
        (7900, 100, 9000, 50, 1, 7750, false),
        (300, 500, 900, 0, 1, 0, false),
    ];
    let mut m = machine("3.0", 1, false);
    for (listed, mapped, file, dirty, mode, expected, open) in rows {
        let zone = first(&m);
        m.w.tunables.zone_reclaim_mode = Some(mode);
        let z = &mut m.w.mem.zones[zone];
        z.managed = 775_680;
        (z.lru[2], z.lru[3]) = (listed / 2, listed - listed / 2);
        z.kinds[PageKind::File as usize] = file;
        z.gauge[Gauge::FileMapped as usize] = mapped;
        z.gauge[Gauge::Dirty as usize] = dirty;
        assert_eq!(min_pages(&m.w, zone), [7756, 38_784]);
        assert_eq!(pagecache_reclaimable(&m.w, zone), expected);
        for (slab, open) in [(20_000, open), (38_785, true)] {
            m.w.mem.zones[zone].gauge[Gauge::SlabReclaimable as usize] = slab;
            // Another task holds the lock: no reclaim runs, and the check still comes first.
            let owner = m.w.mem.zones[zone].lruvec;
            m.w.mem.lruvecs[owner].reclaim_locked = true;
            let rq = request(&m);
            let answer = run(&mut m, ZoneReclaim::call(zone, rq));
            let expected = if open { Answer::Noscan } else { Answer::Full };
            assert_eq!(answer, expected as u32, "{listed} {mapped} {slab}");
        }
    }
}

/// The result of zone_reclaim for each caller.
#[test]
fn each_caller_gets_the_expected_result_of_zone_reclaim() {
    let ask = |m: &mut Machine, zone: ZoneIndex, gfp: Gfp, order: u8| {
        let rq = Request::new(&m.w, gfp, order, ZonelistIndex::new(0));
        run(m, ZoneReclaim::call(zone, rq))
    };
    let user = Gfp::GFP_HIGHUSER_MOVABLE;
    let fresh = || {
        let mut m = machine("3.0", 1, false);
        hopeless(&mut m);
        m
    };
    let mut m = fresh();
    let local = first(&m);
    assert_eq!(
        ask(&mut m, local, Gfp::GFP_ATOMIC, 0),
        Answer::Noscan as u32
    );
    let far = remote(&m);
    assert_eq!(
        ask(&mut m, far, user, 0),
        Answer::Full as u32,
        "the zone has no pages to reclaim"
    );
    m.w.mem.zones[far].lru[2] = 900;
    assert_eq!(
        ask(&mut m, far, user, 0),
        Answer::Noscan as u32,
        "other CPUs"
    );
    let mut nobody = fresh();
    nobody.w.mem.zones[far].lru[2] = 900;
    std::sync::Arc::make_mut(&mut nobody.w.facts).layout.nodes[1]
        .cpus
        .clear();
    assert_eq!(
        ask(&mut nobody, far, user, 0),
        Answer::Some as u32,
        "no CPUs"
    );
    assert_eq!(m.w.counters.zone_reclaim_failed, 0);
    assert_eq!(ask(&mut m, local, user, 0), Answer::Some as u32);
    assert_eq!(m.w.counters.zone_reclaim_failed, 1);
    let owner = m.w.mem.zones[local].lruvec;
    m.w.mem.lruvecs[owner].all_unreclaimable = true;
    assert_eq!(ask(&mut m, local, user, 0), Answer::Full as u32);
    // All but seven, or eight, of 960 pages are dirty and may not be written. (It would wait for pages
    // under writeback: the order is above 0 and the priority as low as 4.)
    for (clean, answer, failed) in [(7, Answer::Some, 1), (8, Answer::Success, 0)] {
        let mut m = machine("3.0", 1, false);
        mark(&mut m, local, INACTIVE as usize - clean, flag::DIRTY);
        assert_eq!(ask(&mut m, local, user, 3), answer as u32, "{clean}");
        assert_eq!(m.w.counters.zone_reclaim_failed, failed);
    }
}

/// A pass that frees nothing scans 1.9375 times the list.
#[test]
fn zone_reclaim_that_frees_nothing_scans_the_list_almost_twice() {
    let mut m = machine("3.0", 1, false);
    hopeless(&mut m);
    let (rq, local) = (request(&m), first(&m));
    run(&mut m, ZoneReclaim::call(local, rq));
    assert_eq!(scanned(&m), HOPELESS);
    assert_eq!(
        (m.w.counters.pgscan_direct, m.w.counters.allocstall),
        (HOPELESS, 0)
    );
    assert_eq!(m.w.counters.steal_zone_reclaim, 0);
}

/// Invariants 8 and 10: 32 clean pages at priority 4, no stall, no task woken.
#[test]
fn zone_reclaim_frees_32_clean_pages() {
    for kernel in ["3.0", "3.1", "3.16", "6.1"] {
        let mut m = machine(kernel, 1, false);
        let (rq, local) = (request(&m), first(&m));
        let before = m.w.now;
        let answer = run(&mut m, ZoneReclaim::call(local, rq));
        assert_eq!(answer, Answer::Success as u32, "{kernel}");
        // The pass takes nearly all the time of the call; it does not sleep.
        let (all, stalled) = (m.w.now - before, m.w.counters.stall_zone_reclaim_ns);
        assert!(
            stalled <= all && stalled > all * 9 / 10,
            "{kernel}: {stalled} of {all}"
        );
        assert_eq!(m.w.counters.stall_direct_ns, 0, "{kernel}");
        let c = &m.w.counters;
        assert_eq!(
            (c.scan_zone_reclaim, c.steal_zone_reclaim),
            (32, 32),
            "{kernel}"
        );
        assert_eq!((c.allocstall, c.pageoutrun), (0, 0), "{kernel}");
        assert!(m.w.kswapd.iter().all(|k| k.wakes == 0), "{kernel}");
        assert!(m.w.mem.lruvecs.iter().all(|l| !l.reclaim_locked));
    }
}

/// Three requests meet a local zone with nothing to reclaim and a remote one with room.
#[test]
fn only_the_patched_zonelist_cache_skips_the_first_zone() {
    let patched = [HOPELESS; 3];
    let every = [HOPELESS, 2 * HOPELESS, 3 * HOPELESS];
    for (kernel, expected) in [
        ("3.0", every),
        ("zlcfirst", patched),
        ("zlcreconsider", patched),
        ("3.1", patched),
        ("3.16", patched),
    ] {
        let mut m = machine(kernel, 1, false);
        hopeless(&mut m);
        let (local, far) = (first(&m), remote(&m));
        above_low(&mut m, local, -101);
        above_low(&mut m, far, 2000);
        for expected in expected {
            assert_eq!(walk(&mut m), Some(far), "{kernel}");
            assert_eq!((scanned(&m), bits(&m)), (expected, 1), "{kernel}");
        }
    }
}

/// Each pass frees 32 pages, and the zone stays below its watermark.
#[test]
fn a_pass_that_frees_too_little_is_repeated_in_3_0_and_marks_the_zone_full_in_3_1() {
    let walks = |kernel: &str| {
        let mut m = machine(kernel, 1, false);
        let (local, far) = (first(&m), remote(&m));
        above_low(&mut m, local, -104);
        above_low(&mut m, far, 2000);
        let found: Vec<bool> = (0..4).map(|_| walk(&mut m) == Some(local)).collect();
        (found, scanned(&m) / 32, bits(&m))
    };
    let far = vec![false; 4];
    // In 3.0 the pass of the fourth request brings the zone above its watermark.
    let fourth = vec![false, false, false, true];
    assert_eq!(walks("3.0"), (fourth.clone(), 4, 1));
    assert_eq!(walks("3.1"), (far, 1, 1));
    assert_eq!(walks("3.16"), (fourth, 4, 0));
}

/// Only 3.0 remembers that there were too few reclaimable pages.
#[test]
fn too_few_reclaimable_pages_prevent_a_scan_and_mark_the_zone_full_in_3_0_only() {
    for (kernel, marked) in [("3.0", 1), ("zlcfirst", 0), ("3.1", 0), ("3.16", 0)] {
        let mut m = machine(kernel, 1, false);
        let (local, far) = (first(&m), remote(&m));
        m.w.mem.zones[local].gauge[Gauge::FileMapped as usize] = INACTIVE as u32;
        above_low(&mut m, local, -101);
        above_low(&mut m, far, 2000);
        for _ in 0..3 {
            assert_eq!(walk(&mut m), Some(far));
            assert_eq!((scanned(&m), bits(&m)), (0, marked), "{kernel}");
        }
    }
}

/// No zone has room. Each walk fails, and the walk without the cache runs the pass again.
#[test]
fn a_failing_walk_of_the_zonelist_reclaims_twice() {
    for (kernel, expected) in [("3.0", [2, 4]), ("3.1", [2, 3])] {
        let mut m = machine(kernel, 1, false);
        hopeless(&mut m);
        let (local, far) = (first(&m), remote(&m));
        above_low(&mut m, local, -101);
        above_low(&mut m, far, -202);
        for expected in expected {
            assert_eq!(walk(&mut m), None, "{kernel}");
            assert_eq!(scanned(&m), expected * HOPELESS, "{kernel}");
        }
    }
}

/// On a machine with two nodes `zlc_active` is set on any list after its first zone, or before its
/// first zone_reclaim. Therefore a failed walk over a list without a cache is also repeated.
#[test]
fn a_failed_walk_of_one_node_is_repeated() {
    for kernel in ["2.6.37", "3.0", "zlcfirst", "3.1", "3.16"] {
        let mut m = machine(kernel, 1, false);
        hopeless(&mut m);
        let local = first(&m);
        above_low(&mut m, local, -101);
        let only = m.w.only(NodeIndex::new(0));
        let rq = Request::new(&m.w, Gfp::GFP_KERNEL.with(Gfp::GFP_THISNODE), 0, only);
        let page = run(
            &mut m,
            GetPageFromFreelist::call(rq, WMARK_LOW, AllocFlags::CPUSET),
        );
        assert_eq!((page, bits(&m)), (NONE, 0), "{kernel}");
        assert_eq!(scanned(&m), 2 * HOPELESS, "{kernel}");
        assert_eq!(said(&m, RecordKind::ZrSome), 2, "{kernel}");
        assert_eq!(said(&m, RecordKind::ZlcRescanUncached), 1, "{kernel}");
        assert_eq!(said(&m, RecordKind::ZlcRescan), 0, "{kernel}");
    }
    // Kernels without the cache have no second walk.
    let mut m = machine("6.1", 1, false);
    hopeless(&mut m);
    let local = first(&m);
    above_low(&mut m, local, -101);
    let rq = Request::new(&m.w, Gfp::GFP_KERNEL, 0, m.w.only(NodeIndex::new(0)));
    run(
        &mut m,
        GetPageFromFreelist::call(rq, WMARK_LOW, AllocFlags::CPUSET),
    );
    assert_eq!(said(&m, RecordKind::ZrSome), 1);
}

/// For a page for kernel objects there are two requests for the node alone, each walked twice, and
/// one that may use other nodes. Before the last request the patched cache is empty only the first
/// time. None of them wakes kswapd or reclaims directly. With SLUB there is only the last request.
#[test]
fn a_slab_page_is_requested_from_the_preferred_node_four_times() {
    for (kernel, passes) in [("3.0", [5, 10]), ("zlcfirst", [5, 9])] {
        let mut m = machine(kernel, 1, false);
        hopeless(&mut m);
        let (local, far) = (first(&m), remote(&m));
        above_low(&mut m, local, -101);
        above_low(&mut m, far, 2000);
        for passes in passes {
            let grown = run(
                &mut m,
                CacheGrow::call(BUFFERS, Gfp::GFP_NOFS, ZonelistIndex::new(0)),
            );
            assert_eq!((grown, scanned(&m)), (1, passes * HOPELESS), "{kernel}");
            // The new objects belong to the other node: the test uses them up, so that none is
            // available again.
            while m.w.slab.take(BUFFERS, ZonelistIndex::new(0)).is_some() {}
        }
        assert_eq!(said(&m, RecordKind::SlowThisNode), 4, "{kernel}");
        assert_eq!(said(&m, RecordKind::SlabElsewhere), 2, "{kernel}");
        assert_eq!(m.w.counters.allocstall, 0, "{kernel}");
        assert!(m.w.kswapd.iter().all(|k| k.wakes == 0), "{kernel}");
        // The same machine with the other allocator of kernel objects.
        let features = &mut std::sync::Arc::make_mut(&mut m.w.facts).features;
        features.slab_allocator = SlabAllocator::Slub;
        let slub = run(
            &mut m,
            NewSlab::call(BUFFERS, Gfp::GFP_NOFS, ZonelistIndex::new(0)),
        );
        let more = if kernel == "3.0" { 1 } else { 0 };
        let all = (passes[1] + more) * HOPELESS;
        assert_eq!((slub, scanned(&m)), (1, all), "{kernel}");
    }
}

/// An object of another node is enough, but only when its own node has no page for one.
#[test]
fn slab_objects_of_another_node_are_used_before_a_new_page_from_any_node() {
    let mut m = machine("3.0", 1, false);
    hopeless(&mut m);
    let (local, far) = (first(&m), remote(&m));
    above_low(&mut m, local, -101);
    above_low(&mut m, far, 2000);
    run(
        &mut m,
        CacheGrow::call(BUFFERS, Gfp::GFP_NOFS, ZonelistIndex::new(1)),
    );
    assert!(
        !m.w.slab.has_free(BUFFERS, ZonelistIndex::new(0))
            && m.w.slab.has_free(BUFFERS, ZonelistIndex::new(1))
    );
    let before = m.w.mem.zones[far].nr_free_pages;
    assert_eq!(
        run(
            &mut m,
            CacheGrow::call(BUFFERS, Gfp::GFP_NOFS, ZonelistIndex::new(0))
        ),
        1
    );
    assert_eq!(m.w.mem.zones[far].nr_free_pages, before);
    assert_eq!(scanned(&m), 4 * HOPELESS);
    above_low(&mut m, local, 2000);
    assert_eq!(
        run(
            &mut m,
            CacheGrow::call(BUFFERS, Gfp::GFP_NOFS, ZonelistIndex::new(0))
        ),
        1
    );
    assert!(m.w.slab.has_free(BUFFERS, ZonelistIndex::new(0)));
}

/// The bits are cleared once more than a second has passed.
#[test]
fn the_full_flags_of_zones_are_cleared_once_a_second() {
    let moments = [10, 11, 240, 250, 251, 252, 300, 502];
    for (kernel, passes, wiped) in [
        ("3.0", vec![1, 2, 3, 4, 5, 6, 7, 8], vec![251, 502]),
        ("3.1", vec![1, 1, 1, 1, 2, 2, 2, 3], vec![]),
    ] {
        let mut m = machine(kernel, 1, false);
        hopeless(&mut m);
        let (local, far) = (first(&m), remote(&m));
        above_low(&mut m, local, -101);
        above_low(&mut m, far, 2000);
        m.w.zlc[ZonelistIndex::new(0)].last_full_zap = 0;
        for (jiffy, passes) in moments.into_iter().zip(passes) {
            at(&mut m, jiffy);
            assert_eq!(walk(&mut m), Some(far));
            assert_eq!(scanned(&m), passes * HOPELESS, "{kernel} at {jiffy}");
            // 3.0 marks the zone as full and immediately clears the mark.
            let expected = u64::from(!wiped.contains(&jiffy));
            assert_eq!(bits(&m), expected, "{kernel} at {jiffy}");
        }
        assert_eq!(
            m.w.zlc[ZonelistIndex::new(0)].last_full_zap,
            502,
            "{kernel}"
        );
        assert_eq!(said(&m, RecordKind::ZlcZap), 2, "{kernel}");
    }
}

/// For a CPU whose clock is behind that of the CPU that cleared the bits, the second has only begun.
#[test]
fn a_cpu_with_an_earlier_clock_does_not_clear_the_full_flags_again() {
    let mut m = machine("3.1", 1, false);
    m.w.zlc[ZonelistIndex::new(0)].last_full_zap = 101;
    m.w.zlc[ZonelistIndex::new(0)].fullzones = 1;
    at(&mut m, 100);
    mm::zlc::setup(&mut m.w, ZonelistIndex::new(0));
    assert_eq!(
        (bits(&m), m.w.zlc[ZonelistIndex::new(0)].last_full_zap),
        (1, 101)
    );
}

/// A run records the step after which a block of the other node was first used for this node.
#[test]
fn the_step_of_the_first_block_from_another_node_is_recorded() {
    let preset = |id| Experiment::preset(id).expect("a preset");
    for id in ["first-touch.teach", "fsmark.teach"] {
        let mut m = Machine::boot(&preset(id));
        let foreign = |m: &Machine| m.w.mem.zones.iter().map(|z| z.numa[2]).sum::<u64>();
        while foreign(&m) == 0 {
            assert!(!m.w.sched.ended, "{id}: every block was local");
            assert!(m.w.fallbacks.iter().all(|s| s.step == 0), "{id}");
            m.run(m.w.run.steps() + 1, u64::MAX);
        }
        let noted: Vec<_> =
            m.w.fallbacks
                .iter()
                .filter(|s| s.step > 0)
                .copied()
                .collect();
        assert_eq!(noted.len(), 1, "{id}");
        assert_eq!(noted[0].step, m.w.run.steps(), "{id}");
        let (requested, _) =
            m.w.fallbacks
                .entries()
                .find(|(_, s)| s.step > 0)
                .expect("one");
        let gave = &m.w.mem.zones[noted[0].zone];
        assert_ne!(gave.node, requested, "{id}");
        assert_eq!(gave.numa[1], 1, "{id}: its first miss");
        // Later blocks do not change the recorded step.
        let steps = m.w.run.steps();
        m.run(steps + 20_000, u64::MAX);
        assert_eq!(m.w.fallbacks[requested].step, steps, "{id}");
    }
}

/// Zones with pages freed by direct reclaim are skipped unless direct reclaim clears the bits.
#[test]
fn zones_are_tried_again_after_direct_reclaim_clears_their_flags() {
    for (clears, expected) in [(false, [1, 2, 3]), (true, [1, 1, 1])] {
        let mut m = machine("3.1", 1, true);
        hopeless(&mut m);
        let list = m.w.facts.zonelists[ZonelistIndex::new(0)].clone();
        let (normal, dma32, far) = (list[0], list[1], list[2]);
        assert_eq!(
            [normal, dma32, far].map(|z| m.w.mem.zones[z].node.get()),
            [0, 0, 1]
        );
        above_low(&mut m, normal, -101);
        above_low(&mut m, dma32, 2000);
        above_low(&mut m, far, -202);
        m.w.zlc[ZonelistIndex::new(0)].fullzones = 0b11;
        if clears {
            mm::zlc::clear_all(&mut m.w, ZonelistIndex::new(0));
        }
        for expected in expected {
            assert_eq!(walk(&mut m), Some(dma32));
            assert_eq!(scanned(&m), expected * HOPELESS, "clears: {clears}");
            assert_eq!(bits(&m), if clears { 0b01 } else { 0b11 });
        }
    }
}

/// A machine with one node has no cache to set up or read.
#[test]
fn a_machine_with_one_node_has_no_zonelist_cache() {
    let m = small::boot("3.0", small::X86, &[&[(0, 4096)]], Value::Null);
    assert!(m.w.zlc.is_empty());
}
