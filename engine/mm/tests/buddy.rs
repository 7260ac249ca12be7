//! The buddy allocator against worked examples, in every kernel that differs.
//!
//! "M10 0" is a free movable block of order 10 at frame 0; "MU" are the types of two pageblocks. H
//! is the reserve: MIGRATE_RESERVE up to 3.16, HighAtomic in later kernels.

use crate::small;
use facts::index::FrameIndex;
use mm::amount::Pages;
use mm::index::{CpuIndex, ListIndex, ZoneIndex};
use mm::pcp::MmPagePcpuDrain;

use small::*;

const ALL: [&str; 10] = [
    "2.6.37", "3.0", "3.1", "3.7", "3.8", "3.16", "5.10", "5.15", "6.1", "6.12",
];
const OLD: [&str; 3] = ["2.6.37", "3.0", "3.1"];
const MODERN: [&str; 4] = ["5.10", "5.15", "6.1", "6.12"];

#[test]
fn splitting_leaves_one_block_of_each_smaller_order_in_ascending_order() {
    for kernel in ALL {
        let mut m = zone(kernel, X86, 1024, "M10 0", "MM");
        assert_eq!(rmqueue(&mut m, 'M', 0), 0);
        let split = "M0 1; M1 2; M2 4; M3 8; M4 16; M5 32; M6 64; M7 128; M8 256; M9 512";
        assert_eq!(lists(&m, ZoneIndex::new(0)), split, "{kernel}");
        assert_eq!(wrong(&m), []);
        let next: Vec<u32> = (0..20).map(|_| rmqueue(&mut m, 'M', 0)).collect();
        assert!(next.iter().copied().eq(1..21), "{kernel}: {next:?}");
    }
}

#[test]
fn freed_pages_join_the_head_or_the_tail_and_merge_as_far_as_possible() {
    for kernel in ALL {
        let mut m = zone(kernel, X86, 1024, "M10 0", "MM");
        for page in 0..3 {
            assert_eq!(rmqueue(&mut m, 'M', 0), page);
        }
        let rest = "M2 4; M3 8; M4 16; M5 32; M6 64; M7 128; M8 256; M9 512";
        assert_eq!(lists(&m, ZoneIndex::new(0)), format!("M0 3; {rest}"));
        free(&mut m, FrameIndex::new(0), 0);
        assert_eq!(lists(&m, ZoneIndex::new(0)), format!("M0 0 3; {rest}"));
        free(&mut m, FrameIndex::new(1), 0);
        assert_eq!(lists(&m, ZoneIndex::new(0)), format!("M0 3; M1 0; {rest}"));
        free(&mut m, FrameIndex::new(2), 0);
        assert_eq!(lists(&m, ZoneIndex::new(0)), "M10 0", "{kernel}");
        assert_eq!(wrong(&m), []);
    }
}

#[test]
fn a_block_whose_buddy_may_merge_soon_goes_to_the_tail() {
    for kernel in ALL {
        let mut m = zone(kernel, X86, 1024, "M0 100, M1 2", "MM");
        free(&mut m, FrameIndex::new(0), 0);
        assert_eq!(lists(&m, ZoneIndex::new(0)), "M0 100 0; M1 2", "{kernel}");
        let mut m = zone(kernel, X86, 1024, "M0 100", "MM");
        free(&mut m, FrameIndex::new(0), 0);
        assert_eq!(lists(&m, ZoneIndex::new(0)), "M0 0 100", "{kernel}");
    }
}

#[test]
fn the_tail_rule_applies_up_to_two_orders_below_the_highest() {
    // A block of order 8 next to a free one of order 9 goes to the tail. A block of order 9 next to
    // a free one of order 10 does not: after a merge, it would already have the highest order.
    let mut m = zone("3.0", X86, 4096, "M8 2048, M9 512", "MMMMMMMM");
    m.w.mem.pages[FrameIndex::new(0)].meta =
        m.w.mem.pages[FrameIndex::new(0)].meta & !0xff | 8 << 4 | 9;
    m.w.mem
        .pages
        .slice_mut(FrameIndex::new(1), FrameIndex::new(256))
        .iter_mut()
        .for_each(|p| p.meta = p.meta & !0xff | 2);
    free(&mut m, FrameIndex::new(0), 8);
    assert_eq!(lists(&m, ZoneIndex::new(0)), "M8 2048 0; M9 512");
    let mut m = zone("3.0", X86, 4096, "M9 2048, M10 1024", "MMMMMMMM");
    m.w.mem.pages[FrameIndex::new(0)].meta =
        m.w.mem.pages[FrameIndex::new(0)].meta & !0xff | 9 << 4 | 9;
    m.w.mem
        .pages
        .slice_mut(FrameIndex::new(1), FrameIndex::new(512))
        .iter_mut()
        .for_each(|p| p.meta = p.meta & !0xff | 2);
    free(&mut m, FrameIndex::new(0), 9);
    assert_eq!(lists(&m, ZoneIndex::new(0)), "M9 0 2048; M10 1024");
}

#[test]
fn a_fallback_block_larger_than_a_pageblock_changes_all_its_pageblocks() {
    for kernel in ALL {
        let mut m = zone(kernel, X86, 1024, "M10 0", "MM");
        assert_eq!(rmqueue(&mut m, 'U', 0), 0);
        assert_eq!(blocks(&m), "UU", "{kernel}");
        let split = "U0 1; U1 2; U2 4; U3 8; U4 16; U5 32; U6 64; U7 128; U8 256; U9 512";
        assert_eq!(lists(&m, ZoneIndex::new(0)), split, "{kernel}");
        assert_eq!(extfrag(&m), Some((0, 10, true)), "{kernel}");
    }
}

#[test]
fn a_small_fallback_block_does_not_change_the_type_of_its_pageblock() {
    for kernel in ["2.6.37", "3.0", "3.1", "3.16", "6.12"] {
        let mut m = zone(kernel, X86, 1024, "R3 64", "RM");
        assert_eq!(rmqueue(&mut m, 'M', 0), 64);
        assert_eq!(
            lists(&m, ZoneIndex::new(0)),
            "R0 65; R1 66; R2 68",
            "{kernel}"
        );
        assert_eq!(blocks(&m), "RM");
        assert_eq!(extfrag(&m), Some((0, 3, false)), "{kernel}");
    }
    for kernel in ["5.10", "5.15", "6.1"] {
        let mut m = zone(kernel, X86, 1024, "R3 64", "RM");
        assert_eq!(rmqueue(&mut m, 'M', 0), 64);
        assert_eq!(
            lists(&m, ZoneIndex::new(0)),
            "M0 65; M1 66; M2 68",
            "{kernel}"
        );
        assert_eq!(blocks(&m), "RM");
        assert_eq!(extfrag(&m), Some((0, 3, false)), "{kernel}");
    }
}

#[test]
fn a_fallback_of_half_the_pageblock_order_moves_the_free_pages_of_its_pageblock() {
    let start = |kernel| zone(kernel, X86, 1024, "R4 64, R2 200", "RM");
    for kernel in OLD {
        let mut m = start(kernel);
        assert_eq!(rmqueue(&mut m, 'M', 0), 64);
        assert_eq!(
            lists(&m, ZoneIndex::new(0)),
            "M0 65; M1 66; M2 68 200; M3 72",
            "{kernel}"
        );
        assert_eq!((blocks(&m), extfrag(&m)), ("RM".into(), Some((0, 4, true))));
    }
    let mut m = start("3.16");
    assert_eq!(rmqueue(&mut m, 'M', 0), 64);
    assert_eq!(
        lists(&m, ZoneIndex::new(0)),
        "M2 200; R0 65; R1 66; R2 68; R3 72"
    );
    assert_eq!(
        (blocks(&m), extfrag(&m)),
        ("RM".into(), Some((0, 4, false)))
    );
    // The kernel searches all moved pages again, and takes the smallest block.
    for kernel in ["5.10", "5.15", "6.1"] {
        let mut m = start(kernel);
        assert_eq!(rmqueue(&mut m, 'M', 0), 200);
        assert_eq!(
            lists(&m, ZoneIndex::new(0)),
            "M0 201; M1 202; M4 64",
            "{kernel}"
        );
        assert_eq!(
            (blocks(&m), extfrag(&m)),
            ("RM".into(), Some((0, 4, false)))
        );
    }
    // From 6.10 on no page moves unless the pageblock is claimed.
    let mut m = start("6.12");
    assert_eq!(rmqueue(&mut m, 'M', 0), 64);
    assert_eq!(
        lists(&m, ZoneIndex::new(0)),
        "R0 65; R1 66; R2 68 200; R3 72"
    );
    assert_eq!(
        (blocks(&m), extfrag(&m)),
        ("RM".into(), Some((0, 4, false)))
    );
}

#[test]
fn a_pageblock_with_half_of_its_pages_free_changes_its_type() {
    for kernel in ALL {
        let mut m = zone(kernel, X86, 1024, "M8 512, M2 256", "MM");
        assert_eq!(rmqueue(&mut m, 'U', 0), 512);
        assert_eq!(blocks(&m), "MU", "{kernel}");
        let split = "U0 513; U1 514; U2 516; U3 520; U4 528; U5 544; U6 576; U7 640; M2 256";
        assert_eq!(lists(&m, ZoneIndex::new(0)), split, "{kernel}");
        assert_eq!(extfrag(&m), Some((0, 8, true)), "{kernel}");
    }
}

#[test]
fn unmovable_and_reclaimable_requests_move_free_pages_at_any_order() {
    let start = |kernel| zone(kernel, X86, 1024, "M1 10, M3 40", "MM");
    for kernel in OLD {
        let mut m = start(kernel);
        assert_eq!(rmqueue(&mut m, 'R', 0), 40);
        assert_eq!(
            lists(&m, ZoneIndex::new(0)),
            "R0 41; R1 42 10; R2 44",
            "{kernel}"
        );
        assert_eq!(blocks(&m), "MM");
    }
    // 502 pages are in use and not movable: enough of a similar type to claim the pageblock.
    for kernel in MODERN {
        for t in ['R', 'U'] {
            let mut m = start(kernel);
            assert_eq!(rmqueue(&mut m, t, 0), 10, "{kernel}");
            assert_eq!(
                lists(&m, ZoneIndex::new(0)),
                format!("{t}0 11; {t}3 40"),
                "{kernel}"
            );
            assert_eq!(blocks(&m), format!("{t}M"), "{kernel}");
            assert_eq!(extfrag(&m), Some((0, 3, true)), "{kernel}");
        }
    }
    // Unmovable requests move free pages at any order only from 4.x on.
    for kernel in ["2.6.37", "3.0", "3.1", "3.16"] {
        let mut m = start(kernel);
        assert_eq!(rmqueue(&mut m, 'U', 0), 40);
        assert_eq!(
            lists(&m, ZoneIndex::new(0)),
            "M0 41; M1 42 10; M2 44",
            "{kernel}"
        );
    }
}

#[test]
fn on_ppc64_a_pageblock_has_the_highest_order() {
    for kernel in ALL {
        let mut m = zone(kernel, PPC64K, 512, "M8 256, M8 0", "MM");
        assert_eq!(rmqueue(&mut m, 'U', 0), 256);
        assert_eq!(blocks(&m), "MU");
        let split = "U0 257; U1 258; U2 260; U3 264; U4 272; U5 288; U6 320; U7 384; M8 0";
        assert_eq!(lists(&m, ZoneIndex::new(0)), split, "{kernel}");
        assert_eq!(extfrag(&m), Some((0, 8, true)), "{kernel}");
    }
}

#[test]
fn a_movable_request_that_cannot_claim_takes_the_smallest_block_since_4_x() {
    for kernel in ALL {
        let mut m = zone(kernel, X86, 1024, "U3 64, U1 130", "UU");
        let taken = rmqueue(&mut m, 'M', 0);
        assert_eq!(
            taken,
            if MODERN.contains(&kernel) { 130 } else { 64 },
            "{kernel}"
        );
    }
}

#[test]
fn blocks_that_change_type_go_to_the_tail_from_5_10_on() {
    // The list already has a movable block of the same order: the test shows which comes first.
    for kernel in ["5.10", "6.1"] {
        let mut m = zone(kernel, X86, 1024, "M3 600, R4 64, R3 200", "RM");
        assert_eq!(rmqueue(&mut m, 'M', 4), 64);
        assert_eq!(lists(&m, ZoneIndex::new(0)), "M3 600 200", "{kernel}");
    }
    let mut m = zone("3.0", X86, 1024, "M3 600, R4 64, R3 200", "RM");
    assert_eq!(rmqueue(&mut m, 'M', 4), 64);
    assert_eq!(lists(&m, ZoneIndex::new(0)), "M3 200 600");
}

#[test]
fn fallback_tries_the_types_in_order_and_the_reserve_last() {
    for kernel in ALL {
        for (t, free, from) in [
            ('U', "R0 4, M0 8", 4),
            ('R', "U0 4, M0 8", 4),
            ('M', "R0 4, U0 8", 4),
        ] {
            let mut m = zone(kernel, X86, 1024, free, "UU");
            assert_eq!(rmqueue(&mut m, t, 0), from, "{kernel} {t}");
        }
        let mut m = zone(kernel, X86, 1024, "H3 8, U0 4", "HM");
        assert_eq!(rmqueue(&mut m, 'M', 0), 4, "{kernel}");
        let reserve = rmqueue(&mut m, 'M', 0);
        if MODERN.contains(&kernel) {
            assert_eq!(
                reserve,
                u32::MAX,
                "{kernel}: HighAtomic is for atomic requests"
            );
        } else {
            assert_eq!(reserve, 8, "{kernel}");
            assert_eq!(
                lists(&m, ZoneIndex::new(0)),
                "H0 9; H1 10; H2 12",
                "{kernel}"
            );
        }
    }
}

#[test]
fn freeing_restores_the_free_blocks_for_every_order() {
    for kernel in ALL {
        for order in 0..11 {
            let mut m = zone(
                kernel,
                X86,
                4096,
                "M10 0, M10 1024, M9 2048, M3 2568",
                "MMMMMMMM",
            );
            let before = (
                lists(&m, ZoneIndex::new(0)),
                m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages,
            );
            let page = rmqueue(&mut m, 'M', order);
            free(&mut m, FrameIndex::new(page), order);
            let now = m.w.mem.zones[ZoneIndex::new(0)].nr_free;
            let mut blocks = [0; 13];
            (blocks[10], blocks[9], blocks[3]) = (2, 1, 1);
            assert_eq!(
                (now, m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages),
                (blocks, before.1)
            );
            assert_eq!(wrong(&m), []);
        }
    }
}

#[test]
fn a_fallback_takes_no_free_pages_beyond_its_block() {
    for kernel in ALL {
        for (t, order) in [('U', 0), ('R', 2), ('M', 1), ('U', 4), ('M', 3)] {
            let mut m = zone(
                kernel,
                X86,
                1024,
                "R4 64, U5 512, M5 128, R2 200, U3 400",
                "RU",
            );
            let before = m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages;
            assert_ne!(rmqueue(&mut m, t, order), u32::MAX);
            assert_eq!(
                m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages,
                before - (1 << order),
                "{kernel}"
            );
            assert_eq!(wrong(&m), []);
        }
    }
}

#[test]
fn a_pageblock_cut_off_by_the_end_of_its_zone_does_not_move() {
    let mut m = zone("3.0", X86, 800, "M5 640, M4 512", "MM");
    assert_eq!(rmqueue(&mut m, 'R', 0), 640);
    assert_eq!(
        lists(&m, ZoneIndex::new(0)),
        "M4 512; R0 641; R1 642; R2 644; R3 648; R4 656"
    );
}

#[test]
fn a_pageblock_cut_off_by_the_start_of_its_zone_moves_pages_from_the_free_block_upwards() {
    let mut m = boot("3.0", X86, &[&[(200, 824)]], serde_json::Value::Null);
    let order = |m: &small::Small, f: FrameIndex| m.w.mem.pages[f].order();
    // Frames are dense: the zone's first pageblock starts at frame 0, pfn 0. Its first page has no
    // memory, so its type is number 0.
    assert_eq!(
        lists(&m, ZoneIndex::new(0)),
        "U3 200; U4 208; U5 224; U8 256; M9 512"
    );
    assert_eq!(order(&m, FrameIndex::new(256)), 8);
    m.w.mem.del_free(FrameIndex::new(512));
    let rq = request(&m, 'R', 0);
    assert_eq!(
        run(
            &mut m,
            mm::buddy::Rmqueue::call(rq, ZoneIndex::new(0), Default::default())
        ),
        256
    );
    // 256 pages are half of a pageblock: it is claimed, although frames 200 to 255 are not moved.
    assert!(
        lists(&m, ZoneIndex::new(0)).starts_with("U3 200; U4 208; U5 224; R0 257;"),
        "{}",
        lists(&m, ZoneIndex::new(0))
    );
    assert_eq!(blocks(&m), "RM");
}

#[test]
fn the_number_of_reserve_blocks_follows_the_min_watermark() {
    use serde_json::json;
    for kernel in ["2.6.37", "3.0", "3.16"] {
        let reserve = |kib: &str| {
            let set = json!({ "/tunables/vm.min_free_kbytes": kib });
            let m = boot(kernel, X86, &[&[(0, 4096)]], set);
            assert_eq!(wrong(&m), []);
            (blocks(&m), lists(&m, ZoneIndex::new(0)))
        };
        assert_eq!(reserve("0").0, "MMMMMMMM");
        // Boot frees blocks in ascending order to the head: 3072 is first. The whole block of order
        // 10 moves.
        assert_eq!(
            reserve("4"),
            ("HMMMMMMM".into(), "M10 3072 2048 1024; H10 0".into())
        );
        assert_eq!(reserve("2052").0, "HHMMMMMM", "{kernel}");
        assert_eq!(reserve("8000").0, "HHMMMMMM", "at most two reserve blocks");
    }
}

#[test]
fn writing_min_free_kbytes_adds_and_removes_reserve_blocks() {
    use serde_json::json;
    let mut m = boot("3.0", X86, &[&[(0, 4096)]], json!(null));
    let mut set = |kib: &str| {
        let features = m.w.facts.features;
        m.w.tunables
            .set(&features, "vm.min_free_kbytes", kib)
            .expect("a value");
        mm::sysctl::setup_zones(&mut m.w);
        assert_eq!(wrong(&m), []);
        blocks(&m)
    };
    assert_eq!(set("2052"), "HHMMMMMM");
    assert_eq!(set("4"), "HMMMMMMM");
    assert_eq!(set("0"), "MMMMMMMM");
}

#[test]
fn high_order_atomic_requests_grow_a_reserve_and_use_it() {
    for kernel in ["5.10", "5.15", "6.1"] {
        let mut m = zone(kernel, X86, 4096, "M10 1024, M9 512", "MMMMMMMM");
        let rq = request(&m, 'A', 4);
        let flags = mm::gfp::AllocFlags::HARDER.with(mm::gfp::AllocFlags::HIGH);
        assert_eq!(
            run(
                &mut m,
                mm::buddy::Rmqueue::call(rq, ZoneIndex::new(0), flags)
            ),
            1024
        );
        assert_eq!(m.w.mem.zones[ZoneIndex::new(0)].nr_reserved_highatomic, 512);
        assert_eq!(blocks(&m), "MMHUMMMM", "{kernel}");
        assert!(
            lists(&m, ZoneIndex::new(0)).ends_with("H4 1040; H5 1056; H6 1088; H7 1152; H8 1280")
        );
        // The next atomic request is served from the reserve; an ordinary request is not.
        let rq = request(&m, 'A', 4);
        assert_eq!(
            run(
                &mut m,
                mm::buddy::Rmqueue::call(rq, ZoneIndex::new(0), flags)
            ),
            1040
        );
        assert_ne!(rmqueue(&mut m, 'U', 4) / 512, 2);
        // The limit is 1 % of 4096 pages plus one pageblock: one more block fits.
        for _ in 0..3 {
            let rq = request(&m, 'A', 9);
            run(
                &mut m,
                mm::buddy::Rmqueue::call(rq, ZoneIndex::new(0), flags),
            );
        }
        assert!(
            m.w.mem.zones[ZoneIndex::new(0)].nr_reserved_highatomic <= 1024,
            "{kernel}"
        );
        assert_eq!(wrong(&m), []);
    }
}

#[test]
fn highatomic_blocks_do_not_merge_with_others_from_6_1_on() {
    for (kernel, expected) in [
        ("5.10", "M10 0"),
        ("6.1", "M9 512; H9 0"),
        ("6.12", "M9 512; H9 0"),
    ] {
        let mut m = zone(kernel, X86, 1024, "H9 0", "HM");
        m.w.mem.zones[ZoneIndex::new(0)].nr_reserved_highatomic = 512;
        m.w.mem.pages[FrameIndex::new(512)].meta =
            m.w.mem.pages[FrameIndex::new(512)].meta & !0xff | 9 << 4 | 9;
        m.w.mem
            .pages
            .slice_mut(FrameIndex::new(513), FrameIndex::new(1024))
            .iter_mut()
            .for_each(|p| p.meta = p.meta & !0xff | 2);
        free(&mut m, FrameIndex::new(512), 9);
        assert_eq!(lists(&m, ZoneIndex::new(0)), expected, "{kernel}");
        assert_eq!(wrong(&m), []);
    }
}

#[test]
fn watermark_boosts_add_up_to_a_fraction_of_the_high_watermark() {
    for kernel in MODERN {
        let mut m = zone(kernel, X86, 4096, "", "");
        m.w.mem.zones[ZoneIndex::new(0)].wmark = [10_574, 13_217, 15_861].map(Pages::new);
        let mut boosts = Vec::new();
        for i in 0..60u32 {
            let frame = i * 64 + 2;
            let mem = &mut m.w.mem;
            let page = &mut mem.pages[FrameIndex::new(frame)];
            page.meta = page.meta & !0xff | 9;
            mem.add_free(FrameIndex::new(frame), 0, mm::gfp::RECLAIMABLE, true);
            assert_eq!(rmqueue(&mut m, 'M', 0), frame);
            boosts.push(m.w.mem.zones[ZoneIndex::new(0)].boost.get());
        }
        assert_eq!(&boosts[..2], [512, 1024]);
        assert_eq!(
            (boosts[45], boosts[46], boosts[59]),
            (23_552, 23_791, 23_791),
            "{kernel}"
        );
    }
    // Below four pageblocks, or with the factor 0, there is no boost.
    let mut m = zone("6.1", X86, 2047, "R0 8", "MMMM");
    m.w.mem.zones[ZoneIndex::new(0)].wmark = [100, 200, 300].map(Pages::new);
    rmqueue(&mut m, 'M', 0);
    assert_eq!(m.w.mem.zones[ZoneIndex::new(0)].boost, Pages::ZERO);
}

fn with_pcp(kernel: &str, pages: u64) -> small::Small {
    let set = serde_json::json!({ "/machine/pcp": true });
    boot(kernel, X86, &[&[(0, 1), (4096, pages)]], set)
}

#[test]
fn a_refill_of_a_per_cpu_list_takes_a_batch_of_ascending_pages() {
    let mut m = with_pcp("3.0", 524_288);
    let z = &m.w.mem.zones[ZoneIndex::new(1)];
    assert_eq!((z.pcp_batch, z.pcp_high), (31, 186));
    let rq = request(&m, 'M', 0);
    let mut take = || {
        run(
            &mut m,
            mm::buddy::Rmqueue::call(rq, ZoneIndex::new(1), Default::default()),
        )
    };
    let first = take();
    let next: Vec<u32> = (1..31).map(|_| take()).collect();
    assert!(next.into_iter().eq(first + 1..first + 31));
    let at = m.w.mem.pcp_at(ZoneIndex::new(1), CpuIndex::new(0));
    assert_eq!(m.w.mem.pcp_count[at], 0);
    let free = m.w.mem.zones[ZoneIndex::new(1)].nr_free_pages;
    run(
        &mut m,
        mm::buddy::Rmqueue::call(rq, ZoneIndex::new(1), Default::default()),
    );
    assert_eq!(m.w.mem.zones[ZoneIndex::new(1)].nr_free_pages, free - 31);
    assert_eq!(m.w.mem.pcp_count[at], 30);
}

/// Fills CPU 0's lists of zone 1 with pages of each type and triggers one drain. Returns the drained
/// types in order ("RMU...").
fn drain(kernel: &str, counts: [u32; 3]) -> String {
    let mut m = with_pcp(kernel, 524_288);
    (
        m.w.mem.zones[ZoneIndex::new(1)].pcp_batch,
        m.w.mem.zones[ZoneIndex::new(1)].pcp_high,
    ) = (10, counts.iter().sum());
    let first = m.w.mem.zones[ZoneIndex::new(1)].first;
    for (t, count) in counts.into_iter().enumerate() {
        m.w.mem.set_block_type(first.plus(512 * t as u32), t as u8);
        for i in 0..count {
            let frame = first.plus(512 * t as u32 + 2 * i);
            let list = (0..m.w.mem.orders).flat_map(|o| (0..4).map(move |t| (o, t)));
            let lists: Vec<ListIndex> = list
                .map(|(o, t)| m.w.mem.free_list(ZoneIndex::new(1), o, t))
                .collect();
            for list in lists {
                while let Some(f) = m.w.mem.lists.head(list) {
                    let order = m.w.mem.del_free(f);
                    m.w.mem.set_kind(f, mm::mmzone::PageKind::Kernel, order);
                    for p in m.w.mem.pages.slice_mut(f, f.plus(1 << order)) {
                        p.meta = p.meta & !0xff | 9;
                    }
                }
            }
            free(&mut m, frame, 0);
        }
    }
    let drained = m.w.rec.all::<MmPagePcpuDrain>();
    let types = drained.map(|(_, drained)| usize::from(drained.migratetype));
    types.map(|t| ['U', 'M', 'R'][t]).collect()
}

#[test]
fn a_drain_takes_lists_in_turn_and_more_pages_after_empty_lists() {
    // The engine's order of types is unmovable, movable, reclaimable. Old kernels begin with
    // reclaimable.
    assert_eq!(drain("3.0", [5, 5, 5]), "RMURMURMUR");
    assert_eq!(drain("5.10", [5, 5, 5]), "MRUMRUMRUM");
    // One empty list precedes movable: each turn takes two pages from movable.
    assert_eq!(drain("3.0", [6, 6, 0]), "MMUMMUMMUU");
    // The only list with pages returns all of them.
    assert_eq!(drain("3.0", [0, 12, 0]), "MMMMMMMMMM");
    // From 5.18 on the drain begins with the list to which a page was just added, and empties each
    // list before the next.
    assert_eq!(drain("6.1", [5, 5, 5]), "RRRRRUUUUU");
}

#[test]
fn a_drained_page_goes_to_the_type_it_had_when_it_was_freed() {
    for (kernel, expected) in [("3.0", 'U'), ("6.1", 'U'), ("6.12", 'M')] {
        let mut m = with_pcp(kernel, 2048);
        (
            m.w.mem.zones[ZoneIndex::new(1)].pcp_batch,
            m.w.mem.zones[ZoneIndex::new(1)].pcp_high,
        ) = (1, 2);
        let rq = request(&m, 'M', 0);
        let mut take = || {
            run(
                &mut m,
                mm::buddy::Rmqueue::call(rq, ZoneIndex::new(1), Default::default()),
            )
        };
        let (a, b) = (take(), take());
        m.w.mem.zones[ZoneIndex::new(1)].pcp_batch = 2;
        m.w.mem
            .set_block_type(FrameIndex::new(a), mm::gfp::UNMOVABLE);
        free(&mut m, FrameIndex::new(a), 0);
        m.w.mem.set_block_type(FrameIndex::new(a), mm::gfp::MOVABLE);
        free(&mut m, FrameIndex::new(b), 0);
        let mut drained = m.w.rec.all::<MmPagePcpuDrain>();
        let drained = drained.find(|(_, drained)| drained.pfn == FrameIndex::new(a));
        let (_, drained) = drained.expect("both pages are drained");
        let t = usize::from(drained.migratetype);
        assert_eq!(['U', 'M', 'R', 'H'][t], expected, "{kernel}");
    }
}
