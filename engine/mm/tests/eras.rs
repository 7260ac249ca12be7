//! 2.6.37 and 3.0 as released: kswapd's loop and how it forgets the order, its pass over the zones,
//! who wakes it, the retries of the slow path, isolation by blocks. Worked examples, and each
//! difference between the two kernels.

use crate::small;
use mm::index::{LruvecIndex, NodeIndex, TaskIndex, ZoneIndex, ZonelistIndex};

use mm::amount::Pages;
use mm::frames::{Context, Frame, Left};
use mm::gfp::{AllocFlags, Gfp};
use mm::mmzone::{LRU_INACTIVE_FILE, WMARK_HIGH};
use mm::page_alloc::Request;
use mm::process::{Fd, Process};
use mm::record::RecordKind;
use mm::rng::Rng;
use mm::slowpath::wake::WakeAllKswapds;
use mm::slowpath::{SlPt, Slowpath};
use mm::stack::Stack;
use mm::vmscan::balance_zones::BalanceZones;
use mm::vmscan::direct::TryToFreePages;
use mm::vmscan::isolate::isolate_pages;
use mm::vmscan::kswapd::{self, Kswapd};
use mm::vmscan::slab::ShrinkSlab;
use mm::watermark_ok::WatermarkOk;
use serde_json::Value;
use small::{Small, X86, boot, run, zone};

/// Three small zones with these high watermarks, these free blocks of each order, and nothing to
/// reclaim.
fn three(kernel: &str, high: [u32; 3], free: [[u32; 11]; 3]) -> Small {
    let ranges = &[(0, 1024), (4096, 1024), (1 << 20, 1024)];
    let mut m = boot(kernel, X86, &[ranges], Value::Null);
    for (i, z) in m.w.mem.zones.iter_mut().enumerate() {
        z.wmark = [high[i] / 2, high[i] * 3 / 4, high[i]].map(Pages::new);
        set_free(&mut z.nr_free, &mut z.nr_free_pages, &free[i]);
    }
    m
}

fn set_free(nr_free: &mut [u32; 13], pages: &mut u32, blocks: &[u32]) {
    *nr_free = [0; 13];
    nr_free[..blocks.len()].copy_from_slice(blocks);
    *pages = (0..).zip(blocks).map(|(order, n)| n << order).sum();
}

/// Free blocks: this many single pages.
const fn singles(pages: u32) -> [u32; 11] {
    [pages, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// Free blocks: this many of the highest order.
const fn large(blocks: u32) -> [u32; 11] {
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, blocks]
}

fn count(m: &Small, kind: RecordKind) -> usize {
    m.w.rec.records.iter().filter(|r| r.kind == kind).count()
}

/// Whether a zone with these free blocks meets its high watermark for an order.
fn is_high(blocks: &[u32], order: u8, high: u32, reserve: u32) -> bool {
    let mut m = zone("2.6.37", X86, 4096, "", "");
    let z = &mut m.w.mem.zones[ZoneIndex::new(0)];
    (z.wmark, z.protection[1]) = ([Pages::new(high); 3], Pages::new(reserve));
    set_free(&mut z.nr_free, &mut z.nr_free_pages, blocks);
    WatermarkOk::new(
        ZoneIndex::new(0),
        order,
        WMARK_HIGH,
        1,
        AllocFlags::default(),
    )
    .holds(&mut m.w)
}

/// For a huge page, two free ones are needed, or a block of twice its size.
#[test]
fn order_9_passes_the_high_watermark_with_two_blocks_or_a_larger_one() {
    let with = |nine, ten| {
        let mut blocks = [3000, 1000, 500, 100, 50, 10, 5, 2, 1, 1, 0];
        (blocks[9], blocks[10]) = (nine, ten);
        is_high(&blocks, 9, 2614, 0)
    };
    assert_eq!([with(1, 0), with(2, 0), with(0, 1)], [false, true, true]);
}

/// The free pages that the DMA zone needs when its reserve counts.
#[test]
fn a_low_zone_with_a_reserve_fails_the_check_for_a_huge_page() {
    let with = |free: u32, reserve| {
        let large = 1024;
        let mut blocks = singles(free - large);
        blocks[10] = 1;
        is_high(&blocks, 9, 12, reserve)
    };
    assert_eq!([with(3507, 2984), with(3508, 2984)], [false, true]);
    assert!(with(1024, 0) && !with(3507, 2984));
}

/// Huge pages of 16 MiB.
#[test]
fn order_12_passes_the_high_watermark_only_with_a_block_of_that_order() {
    let with = |twelve| {
        let blocks = [4000, 1500, 700, 300, 120, 60, 30, 12, 5, 2, 1, 1, twelve];
        is_high(&blocks, 12, 2625, 0)
    };
    assert_eq!([with(0), with(1)], [false, true]);
}

/// Runs the frames of a task until it sleeps or the last frame has returned.
fn until_over(m: &mut Small, stack: &mut Stack, cx: &mut Context) {
    m.w.run.stop_at(u64::MAX);
    m.w.rec.on = true;
    while let Some((top, above)) = stack.top() {
        let left = top.go(above, &mut m.w, cx);
        if left == Left::Returned {
            stack.pop();
        }
        stack.push_spares(std::mem::take(&mut m.w.run.deeper) as usize);
        if left == Left::Asleep {
            return;
        }
    }
}

/// Kswapd is woken for order 9 and cannot make such a block.
#[test]
fn kswapd_of_2_6_37_forgets_the_order_requested_while_it_ran() {
    let mut m = three("2.6.37", [8, 16, 32], [singles(900); 3]);
    for z in &mut m.w.mem.zones {
        // These pages are on no list: nothing is scanned, and no zone is given up as unreclaimable.
        z.lru[2] = 1000;
    }
    let mut stack = Stack::new(Kswapd::call(NodeIndex::new(0), 4));
    let mut cx = Context::new(TaskIndex::new(0), mm::frames::NONE, Rng::stream(1, 1));
    let fine = |m: &mut Small, order| kswapd::all_zones_fine(&mut m.w, NodeIndex::new(0), order);
    assert!(fine(&mut m, 0) && !fine(&mut m, 9));
    let state = |m: &Small| {
        (
            m.w.kswapd[NodeIndex::new(0)].order,
            m.w.kswapd[NodeIndex::new(0)].napping,
            order_of_last_run(m),
        )
    };
    // After boot kswapd naps, and sleeps when the nap is over.
    until_over(&mut m, &mut stack, &mut cx);
    m.w.now += 200_000_000;
    until_over(&mut m, &mut stack, &mut cx);
    let quickly = |m: &Small| {
        let c = &m.w.counters;
        (
            c.kswapd_high_wmark_hit_quickly,
            c.kswapd_low_wmark_hit_quickly,
        )
    };
    assert_eq!(state(&m), (0, false, None));
    assert_eq!(quickly(&m), (0, 0));
    // kswapd is woken for order 9, gives up, is requested to check order 9, runs for order 0, and
    // naps.
    m.w.kswapd[NodeIndex::new(0)].order = 9;
    until_over(&mut m, &mut stack, &mut cx);
    assert_eq!(state(&m), (0, true, Some(0)));
    assert_eq!(orders_of_runs(&m), [9, 0]);
    assert_eq!(quickly(&m), (1, 0));
    // A request for order 9 cuts the nap short, and the same follows.
    m.w.kswapd[NodeIndex::new(0)].order = 9;
    until_over(&mut m, &mut stack, &mut cx);
    assert_eq!(orders_of_runs(&m), [9, 0, 9, 0]);
    assert_eq!(quickly(&m), (2, 1));
}

fn orders_of_runs(m: &Small) -> Vec<u8> {
    let runs = m.w.rec.all::<kswapd::MmVmscanKswapdWake>();
    runs.map(|(_, run)| run.order).collect()
}

fn order_of_last_run(m: &Small) -> Option<u8> {
    orders_of_runs(m).last().copied()
}

/// For a higher order 3.0 needs a quarter of the pages in balanced zones; 2.6.37 needs every zone
/// balanced.
#[test]
fn one_large_balanced_zone_balances_the_node_in_3_0_but_not_in_2_6_37() {
    let fine = |kernel| {
        let mut m = three(kernel, [8, 16, 32], [singles(100), singles(100), large(10)]);
        m.w.mem.zones[ZoneIndex::new(2)].present = 10_240;
        match kernel {
            "2.6.37" => kswapd::all_zones_fine(&mut m.w, NodeIndex::new(0), 3),
            _ => kswapd::zones_balanced(&mut m.w, NodeIndex::new(0), 3, 2),
        }
    };
    assert_eq!([fine("2.6.37"), fine("3.0")], [false, true]);
}

/// A zone that was given up as unreclaimable counts as balanced, however much was scanned there
/// since.
#[test]
fn an_unreclaimable_zone_does_not_keep_kswapd_awake_when_its_lists_grow() {
    for kernel in ["2.6.37", "3.0"] {
        let mut m = three(kernel, [8, 16, 32], [singles(0), large(1), large(1)]);
        m.w.mem.zones[ZoneIndex::new(0)].lru[2] = 1000;
        let sleeps = |m: &mut Small| match kernel {
            "2.6.37" => kswapd::all_zones_fine(&mut m.w, NodeIndex::new(0), 0),
            _ => kswapd::zones_balanced(&mut m.w, NodeIndex::new(0), 0, 2),
        };
        assert!(!sleeps(&mut m), "{kernel}");
        m.w.mem.lruvecs[LruvecIndex::new(0)].all_unreclaimable = true;
        assert!(sleeps(&mut m), "{kernel}");
    }
}

/// Zones with nothing to reclaim are given up in the first pass. In 2.6.37 their watermarks still
/// count in that pass.
#[test]
fn in_2_6_37_a_zone_found_unreclaimable_still_counts_in_the_same_pass() {
    let passes = |kernel| {
        let mut m = three(kernel, [8, 16, 32], [singles(0); 3]);
        run(&mut m, BalanceZones::call(NodeIndex::new(0), 0, 3));
        assert!(m.w.mem.lruvecs.iter().all(|l| l.all_unreclaimable));
        count(&m, RecordKind::Priority)
    };
    assert_eq!([passes("2.6.37"), passes("3.0")], [2, 1]);
}

/// 2.6.37 shrinks slab for all zones, later kernels for the zones they shrink.
#[test]
fn slab_of_2_6_37_is_shrunk_for_zones_that_are_not_shrunk() {
    let asked = |kernel| {
        let mut m = three(kernel, [8, 16, 32], [singles(0), large(1), singles(0)]);
        run(&mut m, BalanceZones::call(NodeIndex::new(0), 0, 3));
        let gaps = [RecordKind::GapHolds, RecordKind::GapFails];
        let [alone, shrunk] = gaps.map(|kind| count(&m, kind));
        (alone, shrunk, count(&m, RecordKind::SlabCount) / 2)
    };
    assert_eq!(asked("2.6.37"), (1, 2, 3));
    assert_eq!(asked("3.0"), (1, 2, 2));
}

/// Slab is shrunk in proportion to the pages scanned on the lists of the zones up to the highest
/// one in need.
#[test]
fn slab_is_shrunk_in_proportion_to_the_lists_up_to_the_highest_zone_below_its_watermark() {
    for kernel in ["2.6.37", "3.0"] {
        let free = [large(1), singles(0), large(1)];
        let mut m = three(kernel, [8, 16, 32], free);
        let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
        let mut stack = Stack::new(BalanceZones::call(NodeIndex::new(0), 0, 3));
        until_over(&mut m, &mut stack, &mut cx);
        assert_eq!(cx.sc.reclaim_idx, 1, "{kernel}");
        for z in &mut m.w.mem.zones {
            z.lru[2] = 1000;
        }
        let Frame::ShrinkSlab(pass) = ShrinkSlab::call(NodeIndex::new(0)) else {
            unreachable!()
        };
        assert_eq!(pass.lru_pages(&m.w, &cx), 2000, "{kernel}");
    }
}

/// Up to 3.0 a zone that only the search finds above its high watermark stays congested.
#[test]
fn from_3_1_on_the_search_for_unbalanced_zones_clears_congestion() {
    let stays = |kernel| {
        let mut m = three(kernel, [8, 16, 32], [large(1), singles(0), large(1)]);
        for l in &mut m.w.mem.lruvecs {
            l.congested = true;
        }
        run(&mut m, BalanceZones::call(NodeIndex::new(0), 0, 3));
        // The check after reclaim clears the DMA zone's flag in all kernels.
        assert!(!m.w.mem.lruvecs[LruvecIndex::new(0)].congested);
        m.w.mem.lruvecs[LruvecIndex::new(2)].congested
    };
    assert_eq!(["2.6.37", "3.0", "3.1"].map(stays), [true, true, false]);
}

/// 3.0 checks order 0 after a run for a higher order has ended; 2.6.37 does not.
#[test]
fn from_2_6_38_on_balancing_for_a_higher_order_ends_with_an_order_0_check() {
    let ends = |kernel| {
        let mut m = three(kernel, [8, 16, 32], [large(1); 3]);
        m.w.mem.lruvecs[LruvecIndex::new(2)].congested = true;
        let order = run(&mut m, BalanceZones::call(NodeIndex::new(0), 3, 3));
        (order, m.w.mem.lruvecs[LruvecIndex::new(2)].congested)
    };
    assert_eq!([ends("2.6.37"), ends("3.0")], [(3, true), (3, false)]);
}

/// A run for an order for which no block can be made continues for order 0: in 2.6.37 all zones
/// must be balanced.
#[test]
fn balancing_that_frees_too_little_falls_back_to_order_0() {
    for kernel in ["2.6.37", "3.0"] {
        let mut m = three(kernel, [8, 16, 32], [singles(900); 3]);
        for z in &mut m.w.mem.zones {
            z.lru[2] = 1;
        }
        assert_eq!(
            run(&mut m, BalanceZones::call(NodeIndex::new(0), 9, 3)),
            0,
            "{kernel}"
        );
    }
}

fn kernel_request(m: &Small, gfp: Gfp, order: u8) -> Request {
    Request::new(&m.w, gfp, order, ZonelistIndex::new(0))
}

/// The order that kswapd has after wake-ups for order 3, and how often a wake-up is traced.
fn wakes(kernel: &str, free: [[u32; 11]; 3], awake: bool) -> (u8, usize) {
    let mut m = three(kernel, [8, 16, 32], free);
    m.w.kswapd[NodeIndex::new(0)].awake = awake;
    let rq = kernel_request(&m, Gfp::GFP_KERNEL, 3);
    run(&mut m, WakeAllKswapds::call(rq));
    (
        m.w.kswapd[NodeIndex::new(0)].order,
        count(&m, RecordKind::MmVmscanWakeupKswapd),
    )
}

/// In 2.6.37 a zone above its low watermark passes no order to kswapd. Each zone below it is traced while
/// kswapd runs.
#[test]
fn in_2_6_37_only_a_zone_below_low_passes_its_order_to_kswapd() {
    let fine = [large(1); 3];
    assert_eq!(
        [wakes("2.6.37", fine, false), wakes("3.0", fine, false)],
        [(0, 0), (3, 0)]
    );
    let short = [singles(0), large(1), singles(0)];
    assert_eq!(
        [wakes("2.6.37", short, false), wakes("3.0", short, false)],
        [(3, 2), (3, 1)]
    );
    assert_eq!(
        [wakes("2.6.37", short, true), wakes("3.0", short, true)],
        [(3, 2), (3, 0)]
    );
}

/// Lines of the slow path that a request runs on a machine without memory, at most `most`.
fn lines(kernel: &str, gfp: Gfp, order: u8, most: usize) -> Vec<SlPt> {
    let program = Process {
        fds: vec![Fd::new(0, 1)],
        ..Process::default()
    };
    lines_beside(&[program], kernel, gfp, order, most)
}

/// The same lines with these processes on the machine.
fn lines_beside(
    processes: &[Process],
    kernel: &str,
    gfp: Gfp,
    order: u8,
    most: usize,
) -> Vec<SlPt> {
    let mut m = zone(kernel, X86, 4096, "", "");
    m.w.processes.all.extend_from_slice(processes);
    for l in &mut m.w.mem.lruvecs {
        l.all_unreclaimable = true;
    }
    let rq = kernel_request(&m, gfp, order);
    let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
    let mut stack = Stack::new(Slowpath::call(&m.w, rq));
    let mut seen = Vec::new();
    while seen.len() < most && !m.w.panicked {
        match stack.iter().next() {
            Some(Frame::Slowpath(path)) if seen.last() != Some(&path.pt) => seen.push(path.pt),
            None => break,
            _ => {}
        }
        let next = m.w.run.steps() + 1;
        m.w.run.stop_at(next);
        let (top, above) = stack.top().expect("a frame");
        match top.go(above, &mut m.w, &mut cx) {
            Left::Returned => stack.pop(),
            Left::Due | Left::Asleep => {}
            Left::Exited => break,
        }
        stack.push_spares(std::mem::take(&mut m.w.run.deeper) as usize);
    }
    seen
}

/// Before each reclaim a request above order 0 enters compaction in 2.6.37, which may do nothing.
fn compacts(kernel: &str, order: u8, lines: &[SlPt]) -> Vec<SlPt> {
    let compacts = kernel == "2.6.37" && order > 0;
    let with = |&line: &SlPt| match line {
        SlPt::Reclaim if compacts => vec![SlPt::Compact, SlPt::Compacted, line],
        _ => vec![line],
    };
    lines.iter().flat_map(with).collect()
}

/// A small request without progress that may not call into file systems retries forever. 2.6.37
/// goes straight to reclaim; 3.0 first walks the zonelist at the min watermark.
#[test]
fn a_small_request_without_gfp_fs_retries_forever() {
    use SlPt::*;
    let first = [
        Wake, Flags, TryMin, Tried, Cannot, Reclaim, Reclaimed, Noretry, Retry, Wait,
    ];
    for (kernel, again) in [
        ("2.6.37", [Cannot, Reclaim, Reclaimed].as_slice()),
        ("3.0", &[TryMin, Tried, Cannot, Reclaim, Reclaimed]),
        ("3.16", &[TryMin, Tried, Cannot, Reclaim, Reclaimed]),
    ] {
        for order in [0, 3] {
            let expected = [&first, again, &[Noretry, Retry, Wait]].concat();
            let expected = compacts(kernel, order, &expected);
            let seen = lines(kernel, Gfp::GFP_NOFS, order, expected.len());
            assert_eq!(seen, expected, "{kernel} order {order}");
        }
        let seen = lines(kernel, Gfp::GFP_NOFS, 4, 100);
        let expected = [&first[..8], &[NoPage]].concat();
        let expected = compacts(kernel, 4, &expected);
        assert_eq!(seen, expected, "{kernel}: a costly order ends");
    }
}

/// A request that may call into file systems tries the high watermark once more. It starts over although no
/// process was killed, unless its order is costly.
#[test]
fn a_request_without_progress_starts_over_or_tries_the_high_watermark() {
    use SlPt::*;
    let first = [
        Wake, Flags, TryMin, Tried, Cannot, Reclaim, Reclaimed, Noretry, Retry, Oom, Kill,
    ];
    for kernel in ["2.6.37", "3.0", "3.16"] {
        let expected = [&first[..], &[Killed, Wake, Flags]].concat();
        let seen = lines(kernel, Gfp::GFP_KERNEL, 0, expected.len());
        assert_eq!(seen, expected, "{kernel}");
        let expected = [&first[..], &[NoPage]].concat();
        let low = Gfp::GFP_KERNEL.with(Gfp::DMA);
        for (gfp, order) in [(Gfp::GFP_KERNEL, 4), (low, 0)] {
            let expected = compacts(kernel, order, &expected);
            assert_eq!(lines(kernel, gfp, order, 100), expected, "{kernel}");
        }
        let seen = lines(kernel, Gfp::GFP_KERNEL.with(Gfp::NORETRY), 0, 100);
        assert_eq!(seen, [&first[..8], &[NoPage]].concat(), "{kernel}");
    }
}

/// If there is no process to kill, there is no last attempt: the kernel panics.
#[test]
fn the_kernel_panics_if_there_is_no_process_to_kill() {
    use SlPt::*;
    let expected = [
        Wake, Flags, TryMin, Tried, Cannot, Reclaim, Reclaimed, Noretry, Retry, Oom, Kill, Killed,
    ];
    for kernel in ["2.6.37", "3.0", "3.16"] {
        let seen = lines_beside(&[], kernel, Gfp::GFP_KERNEL, 0, 100);
        assert_eq!(seen, expected, "{kernel}");
    }
}

/// Direct reclaim that freed nothing decides whether to retry: by the number of pages it scanned in
/// vain, or by the flag kswapd set.
#[test]
fn old_kernels_limit_retries_by_a_scan_count_and_later_ones_by_a_flag() {
    let again = |kernel, flagged: bool, listed: u32| {
        let mut m = zone(kernel, X86, 4096, "", "");
        m.w.mem.lruvecs[LruvecIndex::new(0)].all_unreclaimable = flagged;
        // These pages are on no list: nothing is scanned.
        m.w.mem.zones[ZoneIndex::new(0)].lru[3] = listed;
        let rq = kernel_request(&m, Gfp::GFP_KERNEL, 0);
        run(&mut m, TryToFreePages::call(rq))
    };
    let cases = [(false, 0), (false, 100), (true, 0), (true, 100)];
    let answers = |kernel| cases.map(|(flagged, listed)| again(kernel, flagged, listed));
    assert_eq!(answers("2.6.37"), [0, 1, 0, 1]);
    assert_eq!(answers("3.0"), [1, 1, 0, 0]);
}

/// The pages that a batch of `want` pages takes from the inactive file list for an order.
fn taken(pages: &str, tails: &[u32], want: u32, order: u8) -> (Vec<u32>, u32) {
    let mut m = small::drawn("3.0", pages, tails);
    let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
    cx.sc.order = order;
    let looked = isolate_pages(
        &mut m.w,
        &mut cx,
        LruvecIndex::new(0),
        LRU_INACTIVE_FILE,
        want,
        &mut Vec::new(),
    );
    (
        cx.sc.batch.iter().map(|frame| frame.get()).collect(),
        looked.scanned,
    )
}

/// Worked examples with blocks of order 3, for lists of one type and activity.
#[test]
fn a_page_is_isolated_together_with_its_neighbours_for_a_higher_order() {
    assert_eq!(taken("iaiPiaAI", &[2, 0, 4], 32, 0), (vec![2, 0, 4], 3));
    assert_eq!(taken("iaiPiaAI", &[2, 0, 4], 32, 3), (vec![2, 0, 4], 3));
    assert_eq!(taken("iaiaFFAI", &[2, 0], 32, 3), (vec![2, 0], 2));
    let all = "iiiiiiiiiiiiiiii";
    assert_eq!(taken(all, &[3], 4, 3), (vec![3, 0, 1, 2, 4, 5, 6, 7], 8));
    assert_eq!(taken(all, &[3], 4, 0).1, 4);
    assert_eq!(taken("Piiiiiii", &[5, 6], 2, 3), (vec![5, 6], 2));
    assert_eq!(taken("idFAiiii", &[1, 4], 3, 3), (vec![1, 0, 4], 3));
    assert_eq!(taken("iFFiFiii", &[3], 2, 3), (vec![3, 0, 5, 6, 7], 5));
}
