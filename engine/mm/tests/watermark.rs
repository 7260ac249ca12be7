//! The watermark check, the watermarks that each request uses, and the walk over the zonelist.

use crate::small;
use facts::index::FrameIndex;
use mm::index::{NodeIndex, ZoneIndex, ZonelistIndex};

use facts::watermark_check::{Check, CheckRules, FreeBlocks, Outcome};
use mm::amount::Pages;
use mm::frames::Frame;
use mm::gfp::{AllocFlags, Gfp};
use mm::page_alloc::Request;
use mm::record::RecordKind;
use mm::slowpath::wake::KswapdNotNeeded;
use mm::watermark_ok::WatermarkOk;
use mm::watermark_ok::WmSmallOk;
use serde_json::json;
use small::*;

const ALL: [&str; 10] = [
    "2.6.37", "3.0", "3.1", "3.7", "3.8", "3.16", "5.10", "5.15", "6.1", "6.12",
];
const HIGH: AllocFlags = AllocFlags::HIGH;
const HARDER: AllocFlags = AllocFlags::HARDER;
const PLAIN: AllocFlags = AllocFlags(0);

/// A zone that claims these free blocks of each order, and lists them where the check reads them.
fn with_free(kernel: &str, free: u32, nr_free: &[u32]) -> Small {
    let mut m = zone(kernel, X86, 4096, "", "");
    let mut at = 0;
    for (order, &n) in nr_free.iter().enumerate() {
        if n > 0 {
            // One block represents all: the check only tests whether a list is empty.
            at = (at + (1u32 << order) - 1) >> order << order;
            let page = &mut m.w.mem.pages[FrameIndex::new(at)];
            page.meta = page.meta & !0xff | (order as u32) << 4 | 9;
            m.w.mem.zones[ZoneIndex::new(0)].kinds[9] += 1 << order;
            m.w.mem
                .add_free(FrameIndex::new(at), order as u8, mm::gfp::MOVABLE, true);
            at += 1 << order;
        }
        m.w.mem.zones[ZoneIndex::new(0)].nr_free[order] = n;
    }
    m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages = free;
    m
}

fn ok(m: &mut Small, order: u8, mark: u32, flags: AllocFlags) -> bool {
    m.w.mem.zones[ZoneIndex::new(0)].wmark = [mark; 3].map(Pages::new);
    let test = WatermarkOk::new(ZoneIndex::new(0), order, 0, 0, flags);
    run(m, Frame::Wmark(test)) == 1
}

#[test]
fn the_slack_of_an_order_0_check_depends_on_the_kernel() {
    for kernel in ALL {
        let slip = kernel == "3.0" || kernel == "3.1";
        let passes = |free| ok(&mut with_free(kernel, free, &[]), 0, 1101, PLAIN);
        let expected = if slip {
            [false, false, false, true]
        } else {
            [false, true, true, true]
        };
        assert_eq!([1101, 1102, 1103, 1104].map(passes), expected, "{kernel}");
    }
}

#[test]
fn the_check_on_plain_numbers_gives_the_result_of_the_stepped_check() {
    let lists = [
        &[][..],
        &[700, 200, 60, 10, 5],
        &[300, 0, 0, 0, 80],
        &[0, 0, 0, 0, 0, 0, 2],
    ];
    let orders = [0, 1, 3, 5];
    let flags = [PLAIN, HIGH, HARDER, HIGH.with(HARDER)];
    for (kernel, nr_free) in ALL.into_iter().flat_map(|k| lists.map(|list| (k, list))) {
        let free = nr_free.iter().enumerate().map(|(o, n)| n << o).sum::<u32>();
        let free = if nr_free.is_empty() { 900 } else { free };
        let blocks: Vec<FreeBlocks> = nr_free
            .iter()
            .map(|&count| FreeBlocks {
                count: count.into(),
                usable: true,
            })
            .collect();
        for (order, flags) in orders.into_iter().flat_map(|o| flags.map(|f| (o, f))) {
            for mark in [0, free / 2, free - 1, free, free + free / 3] {
                let mut m = with_free(kernel, free, nr_free);
                let check = Check {
                    free: free.into(),
                    mark: mark.into(),
                    reserve: 0,
                    highatomic: 0,
                    cma: 0,
                    order,
                    flags,
                    blocks: &blocks,
                };
                let rules = CheckRules::of(&m.w.facts.features);
                let passes = check.outcome(&rules) == Outcome::Passes;
                let stepped = ok(&mut m, order, mark, flags);
                assert_eq!(passes, stepped, "{kernel} order {order} {check:?}");
            }
        }
    }
}

#[test]
fn alloc_high_halves_the_watermark_and_alloc_harder_subtracts_a_quarter() {
    let slack = 1;
    for (flags, least) in [
        (PLAIN, 881),
        (HIGH, 441),
        (HARDER, 661),
        (HIGH.with(HARDER), 331),
    ] {
        let passes = |free| ok(&mut with_free("6.1", free, &[]), 0, 881, flags);
        assert!(!passes(least) && passes(least + slack), "{flags:?}");
    }
}

#[test]
fn old_kernels_discount_small_blocks_and_new_ones_require_a_block_that_fits() {
    let few = [700, 200, 60, 10, 5];
    let some = [8000, 100, 50, 0, 0, 0, 0, 0, 0, 1, 0];
    let many = [3000, 1000, 500, 100, 50, 10, 5, 2, 1, 12, 5];
    for kernel in ALL {
        let searches = ["5.10", "5.15", "6.1", "6.12"].contains(&kernel);
        let mut m = with_free(kernel, 1500, &few);
        let passes: Vec<bool> = (1..=5).map(|o| ok(&mut m, o, 881, PLAIN)).collect();
        assert_eq!(passes[..4], [true; 4], "{kernel}");
        assert!(!searches || !passes[4], "{kernel}: no block of order 5");
        let mut m = with_free(kernel, 8912, &some);
        for order in 1..=8 {
            assert!(ok(&mut m, order, 881, PLAIN), "{kernel} order {order}");
        }
        assert_eq!(ok(&mut m, 9, 881, PLAIN), searches, "{kernel}");
        assert!(
            ok(&mut with_free(kernel, 21_016, &many), 9, 5638, PLAIN),
            "{kernel}"
        );
    }
}

#[test]
fn the_order_loop_compares_the_calculated_numbers() {
    let many = [3000, 1000, 500, 100, 50, 10, 5, 2, 1, 12, 5];
    let mut m = with_free("3.0", 21_016, &many);
    assert!(ok(&mut m, 9, 5638, PLAIN));
    let seen = m.w.rec.all::<WmSmallOk>();
    let seen: Vec<(i64, i64)> = seen.map(|(_, small)| (small.free, small.needs)).collect();
    let free = [
        17_503, 15_503, 13_503, 12_703, 11_903, 11_583, 11_263, 11_007, 10_751,
    ];
    let marks = [2819, 1409, 704, 352, 176, 88, 44, 22, 11];
    assert_eq!(seen, free.into_iter().zip(marks).collect::<Vec<_>>());
}

#[test]
fn a_higher_watermark_never_admits_more_requests_and_reserve_access_never_fewer() {
    let mut rng = mm::rng::Rng::stream(1, 1);
    for round in 0..2000 {
        let kernel = ALL[round % ALL.len()];
        let nr: Vec<u32> = (0..11).map(|o| rng.below(40 >> (o / 2))).collect();
        let free = (0..11).map(|o| nr[o] << o).sum();
        let mut m = with_free(kernel, free, &nr);
        let (order, mark) = (rng.below(10) as u8, rng.below(free + 2));
        let pass = ok(&mut m, order, mark, PLAIN);
        assert!(pass || !ok(&mut m, order, mark + 1 + rng.below(50), PLAIN));
        for flags in [HIGH, HARDER, HIGH.with(HARDER)] {
            assert!(!pass || ok(&mut m, order, mark, flags));
        }
        assert!(
            !pass || order == 0 || ok(&mut m, order - 1, mark, PLAIN),
            "{kernel} {order}"
        );
    }
}

#[test]
fn an_atomic_order_0_request_ignores_the_boost_at_the_min_watermark() {
    let mut m = boot("6.1", X86, &[&[(0, 4096)]], json!(null));
    m.w.mem.zones[ZoneIndex::new(0)].wmark = [1000, 1200, 1400].map(Pages::new);
    m.w.mem.zones[ZoneIndex::new(0)].boost = Pages::new(1 << 20);
    let (atomic, plain) = (request(&m, 'A', 0), request(&m, 'U', 0));
    assert_ne!(alloc(&mut m, atomic), u32::MAX);
    assert_eq!(alloc(&mut m, plain), u32::MAX);
    let high_order = request(&m, 'A', 1);
    assert_eq!(alloc(&mut m, high_order), u32::MAX);
}

#[test]
fn atomic_requests_get_both_reserves_at_any_order() {
    for kernel in ALL {
        for order in [0, 3] {
            let mut m = boot(kernel, X86, &[&[(0, 2048)]], json!(null));
            m.w.mem.zones[ZoneIndex::new(0)].wmark = [4000; 3].map(Pages::new);
            // 4000 halved, less a quarter, is 1500: 2048 pages are enough for atomic requests only.
            let plain = request(&m, 'U', order);
            assert_eq!(alloc(&mut m, plain), u32::MAX, "{kernel}");
            let atomic = Request::new(
                &m.w,
                Gfp::GFP_ATOMIC.with(Gfp::COMP),
                order,
                ZonelistIndex::new(0),
            );
            assert_ne!(alloc(&mut m, atomic), u32::MAX, "{kernel} order {order}");
        }
    }
}

/// The zones that served requests, in the order in which they ran out.
fn zones_used(m: &mut Small, rq: Request) -> Vec<u8> {
    let mut used = Vec::new();
    loop {
        let page = alloc(m, rq);
        if page == u32::MAX {
            return used;
        }
        let zone = m.w.mem.pages[FrameIndex::new(page)].zone();
        if used.last() != Some(&zone.get()) {
            used.push(zone.get());
        }
        m.w.rec.records.clear();
    }
}

#[test]
fn a_request_tries_zones_in_the_order_of_its_zonelist() {
    let nodes: [&[(u64, u64)]; 2] = [
        &[(0, 512), (4096, 1024), (1 << 20, 1024)],
        &[((1 << 20) + 4096, 1024)],
    ];
    // Zones: 0 N0.DMA, 1 N0.DMA32, 2 N0.Normal, 3 N1.Normal.
    for (order, expected) in [("node", [2, 1, 0, 3]), ("zone", [2, 3, 1, 0])] {
        let set = json!({ "/machine/zonelist_order": order });
        let mut m = boot("3.0", X86, &nodes, set);
        for zone in &mut m.w.mem.zones {
            zone.protection = Default::default();
        }
        let rq = request(&m, 'M', 0);
        let mut used = zones_used(&mut m, rq);
        used.truncate(4);
        assert_eq!(used, expected, "{order} order");
    }
    let m = mm::experiment::Experiment::preset("first-touch").expect("a preset");
    let m = Small::boot(&m);
    assert_eq!(
        m.w.facts.zonelists.to_vec(),
        [vec![2, 3, 1, 0], vec![3, 2, 1, 0], vec![2, 1, 0], vec![3]]
            .map(|list| list.into_iter().map(ZoneIndex::new).collect::<Vec<_>>()),
        "x86_64-2node in 3.0: each node's list, then its own zones only"
    );
}

#[test]
fn the_reserve_keeps_dma_from_requests_that_could_use_normal() {
    for kernel in ["3.0", "6.1"] {
        let ranges: &[(u64, u64)] = &[(0, 512), (1 << 20, 4096)];
        let mut m = boot(kernel, X86, &[ranges], json!(null));
        m.w.mem.zones[ZoneIndex::new(0)].protection[2] = Pages::new(600);
        m.w.mem.zones[ZoneIndex::new(0)].protection[3] = Pages::new(600);
        let rq = request(&m, 'M', 0);
        assert_eq!(zones_used(&mut m, rq), [1], "{kernel}");
        assert_eq!(m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages, 512);
        let dma = Request::new(
            &m.w,
            Gfp::GFP_KERNEL.with(Gfp::DMA),
            0,
            ZonelistIndex::new(0),
        );
        assert_eq!(zones_used(&mut m, dma), [0], "{kernel}");
    }
}

#[test]
fn the_reserve_depends_on_the_preferred_zone_up_to_5_7_and_then_on_the_highest_allowed_zone() {
    // Node 0 has no Normal zone: its requests prefer DMA32, and try node 1's DMA32 last.
    let nodes: [&[(u64, u64)]; 2] = [&[(4096, 512)], &[(8192, 512), (1 << 20, 512)]];
    for (kernel, used) in [("3.0", 512), ("6.1", 0)] {
        let mut m = boot(
            kernel,
            X86,
            &nodes,
            json!({ "/machine/zonelist_order": "node" }),
        );
        m.w.mem.zones[ZoneIndex::new(1)].protection = [0, 0, 512, 512, 512, 0].map(Pages::new);
        let rq = request(&m, 'M', 0);
        zones_used(&mut m, rq);
        let left = m.w.mem.zones[ZoneIndex::new(1)].nr_free_pages;
        assert!(
            512 - left <= used && (left < 4) == (used > 0),
            "{kernel}: {left} left"
        );
    }
}

#[test]
fn kswapd_is_woken_on_the_slow_path_only() {
    for kernel in ALL {
        let mut m = boot(kernel, X86, &[&[(0, 4096)]], json!(null));
        m.run(1000, u64::MAX);
        m.w.mem.zones[ZoneIndex::new(0)].wmark = [100, 2000, 2500].map(Pages::new);
        assert!(!m.w.kswapd[NodeIndex::new(0)].awake);
        let rq = request(&m, 'M', 0);
        while m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages > 2003 {
            alloc(&mut m, rq);
            assert!(
                !m.w.kswapd[NodeIndex::new(0)].awake,
                "{kernel}: woken from the fast path"
            );
        }
        let woken = RecordKind::MmVmscanWakeupKswapd;
        for _ in 0..5 {
            assert_ne!(alloc(&mut m, rq), u32::MAX);
        }
        assert!(m.w.kswapd[NodeIndex::new(0)].awake, "{kernel}");
        let count = |kind| m.w.rec.records.iter().filter(|r| r.kind == kind).count();
        // 2.6.37 traces the wake-up each time, whether kswapd sleeps or not.
        let expected = match kernel {
            "2.6.37" => count(RecordKind::SlowEnter),
            _ => 1,
        };
        assert_eq!(count(woken), expected, "{kernel}");
        assert!(count(RecordKind::SlowEnter) > 1, "{kernel}");
    }
}

#[test]
fn a_zone_that_fails_only_because_of_its_reserve_does_not_wake_kswapd() {
    // Node 0 has only DMA, with plenty free; only the reserve keeps node 1's request out.
    let nodes: [&[(u64, u64)]; 2] = [&[(0, 1024)], &[(1 << 20, 512)]];
    let mut m = boot("3.0", X86, &nodes, json!(null));
    m.run(1000, u64::MAX);
    m.w.mem.zones[ZoneIndex::new(0)].protection = [0, 0, 5000, 5000, 0, 0].map(Pages::new);
    m.w.mem.zones[ZoneIndex::new(1)].wmark = [5000; 3].map(Pages::new);
    let rq = Request::new(&m.w, Gfp::GFP_HIGHUSER_MOVABLE, 0, ZonelistIndex::new(1));
    assert_eq!(alloc(&mut m, rq), u32::MAX);
    let mut not_needed = m.w.rec.all::<KswapdNotNeeded>();
    assert!(not_needed.any(|(_, fine)| fine.zone == ZoneIndex::new(0)));
    assert!(!m.w.kswapd[NodeIndex::new(0)].awake && m.w.kswapd[NodeIndex::new(1)].awake);
}

#[test]
fn numa_statistics_add_up() {
    let nodes: [&[(u64, u64)]; 2] = [&[(0, 1024)], &[(1024, 1024)]];
    for kernel in ALL {
        let mut m = boot(kernel, PPC64K, &nodes, json!(null));
        // CPU 0 is on node 0 and requests pages from node 1; then the memory of node 0 runs out.
        let rq = Request::new(&m.w, Gfp::GFP_KERNEL, 0, ZonelistIndex::new(1));
        alloc(&mut m, rq);
        assert_eq!(
            m.w.mem.zones[ZoneIndex::new(1)].numa,
            [1, 0, 0, 0, 0, 1],
            "{kernel}: hit, from another node"
        );
        let rq = Request::new(&m.w, Gfp::GFP_KERNEL, 0, ZonelistIndex::new(0));
        while m.w.mem.zones[ZoneIndex::new(1)].numa[1] < 5 {
            alloc(&mut m, rq);
        }
        let [a, b] = [
            m.w.mem.zones[ZoneIndex::new(0)].numa,
            m.w.mem.zones[ZoneIndex::new(1)].numa,
        ];
        assert_eq!(
            (a[1], a[2], a[5]),
            (0, 5, 0),
            "{kernel}: foreign on its own node"
        );
        assert_eq!((a[0], a[4], b[5]), (a[4], a[0], 6));
    }
}
