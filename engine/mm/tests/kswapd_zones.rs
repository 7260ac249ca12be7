//! Which zones kswapd shrinks, and how hard: the kernels with per-zone lists, 3.16's loop, and the patch that
//! skips lower zones above their watermark. Worked examples and properties.

use crate::small;
use mm::index::{ListIndex, NodeIndex, ZoneIndex};

use mm::amount::Pages;
use mm::frames::Frame;
use mm::gfp::AllocFlags;
use mm::mmzone::{PageKind, WMARK_LOW, WMARK_MIN};
use mm::record::{Declared, Record, RecordKind};
use mm::rng::Rng;
use mm::vmscan::ZoneInNeed;
use mm::vmscan::balance_scans::{BalanceScans, KswapdShrinkZone, zone_balanced};
use mm::vmscan::balance_scans::{GapFailsKept, PriorityRises};
use mm::vmscan::balance_zones::BalanceZones;
use mm::vmscan::balance_zones::GapFails;
use mm::vmscan::{balance_scans, kswapd};
use mm::watermark_ok::WatermarkOk;
use serde_json::{Value, json};
use small::{Small, X86, boot, run};

/// Managed pages of the desktop with 8 GiB; its watermarks with and without huge pages.
const PAGES: [u32; 3] = [3976, 764_928, 1_286_144];
const HUGE: [[u32; 3]; 3] = [[32, 40, 48], [6289, 7861, 9433], [10_574, 13_217, 15_861]];
const PLAIN: [[u32; 3]; 3] = [[5, 6, 7], [1067, 1333, 1600], [1797, 2246, 2695]];
/// Pages reserved in each zone against requests up to Normal.
const RESERVE: [[u32; 6]; 3] = [
    [0, 2988, 8012, 8012, 8012, 0],
    [0, 0, 5024, 5024, 5024, 0],
    [0; 6],
];

/// A small machine whose zones claim these sizes and free pages, with nothing to reclaim.
fn desktop(kernel: &str, marks: [[u32; 3]; 3], free: [u32; 3]) -> Small {
    let ranges = &[(0, 1024), (4096, 1024), (1 << 20, 1024)];
    let mut m = boot(kernel, X86, &[ranges], Value::Null);
    for (i, z) in m.w.mem.zones.iter_mut().enumerate() {
        (z.managed, z.present) = (PAGES[i], PAGES[i]);
        (z.wmark, z.protection, z.nr_free_pages) = (
            marks[i].map(Pages::new),
            RESERVE[i].map(Pages::new),
            free[i],
        );
    }
    m
}

fn balance(m: &Small, order: u8, class: u8) -> Frame {
    if m.w.facts.features.kswapd_counts_scans() {
        BalanceScans::call(NodeIndex::new(0), order, class)
    } else {
        BalanceZones::call(NodeIndex::new(0), order, class)
    }
}

/// The record of a zone that will be shrunk, in the form of the later kernel.
fn gap_fails(record: &Record) -> Option<GapFailsKept> {
    let of_3_0 = || {
        GapFails::of(record).map(|gap| GapFailsKept {
            zone: gap.zone,
            free: gap.free,
            high: gap.high,
            gap: gap.gap,
            kept_back: gap.kept_back,
        })
    };
    GapFailsKept::of(record).or_else(of_3_0)
}

/// Zones shrunk in each pass of a run, in the order of the records.
fn shrunk(m: &Small) -> Vec<Vec<u32>> {
    let mut passes: Vec<Vec<u32>> = Vec::new();
    for record in &m.w.rec.records {
        if record.kind == RecordKind::Priority {
            passes.push(Vec::new());
        } else if let Some(gap) = gap_fails(record) {
            passes
                .last_mut()
                .expect("a pass")
                .push(gap.zone.get().into());
        }
    }
    passes
}

#[test]
fn kswapd_of_each_kernel_shrinks_the_expected_zones() {
    let all: &[u32] = &[0, 1, 2];
    let rows: [([u32; 3], [&[u32]; 4]); 6] = [
        ([3900, 12_885, 13_217], [all, all, all, &[2]]),
        ([3900, 9433, 13_217], [all, all, all, &[1, 2]]),
        ([3900, 25_000, 13_217], [all, &[0, 2], &[0, 2], &[2]]),
        ([3900, 9000, 20_000], [&[1], &[1], &[1], &[1]]),
        ([3900, 12_885, 15_862], [&[], all, &[], &[]]),
        ([3900, 80_000, 13_217], [all, &[0, 2], &[0, 2], &[2]]),
    ];
    for (free, expected) in rows {
        for (kernel, expected) in ["2.6.37", "3.0", "3.16", "checklow-v2r14"]
            .iter()
            .zip(expected)
        {
            let mut m = desktop(kernel, HUGE, free);
            let run_of = balance(&m, 0, 2);
            run(&mut m, run_of);
            assert_eq!(shrunk(&m)[0], expected, "{kernel}: {free:?}");
        }
    }
}

/// The highest count of free pages of DMA32 at which a check fails.
fn threshold(kernel: &str, marks: [[u32; 3]; 3], holds: impl Fn(&mut Small) -> bool) -> u32 {
    let (mut fails, mut passes) = (0, 200_000);
    while fails + 1 < passes {
        let free = (fails + passes) / 2;
        let mut m = desktop(kernel, marks, [3900, free, 0]);
        if holds(&mut m) {
            passes = free;
        } else {
            fails = free;
        }
    }
    fails
}

/// The numbers of free pages at which the allocator stops, kswapd skips the zone, and kswapd may
/// sleep. The trap lies between the first two: the patched kswapd skips DMA32 although requests for
/// Normal memory may no longer use it.
#[test]
fn allocator_and_kswapd_stop_at_different_counts() {
    const NORMAL: u8 = 2;
    for (marks, expected) in [
        (HUGE, [12_885, 11_313, 22_107, 9433, 9433]),
        (PLAIN, [6357, 6091, 7957, 1600, 1600]),
    ] {
        let test = |m: &mut Small, mark| {
            WatermarkOk::new(ZoneIndex::new(1), 0, mark, NORMAL, AllocFlags::default())
                .holds(&mut m.w)
        };
        let is_enough = |m: &mut Small| {
            run(
                m,
                KswapdShrinkZone::call(ZoneIndex::new(1), ZoneIndex::new(2), 0),
            ) == 1
        };
        let is_passed_over = |m: &mut Small| {
            run(m, BalanceScans::call(NodeIndex::new(0), 0, NORMAL));
            !shrunk(m)[0].contains(&1)
        };
        let found = [
            threshold("3.16", marks, |m| test(m, WMARK_LOW)),
            threshold("3.16", marks, |m| test(m, WMARK_MIN)),
            threshold("3.16", marks, is_enough),
            threshold("checklow-v2r14", marks, is_passed_over),
            threshold("3.16", marks, |m| {
                zone_balanced(&mut m.w, ZoneIndex::new(1), 0, Pages::ZERO, 1)
            }),
        ];
        assert_eq!(found, expected);
        assert_eq!(threshold("3.16", marks, is_passed_over), expected[2]);
    }
}

/// For a higher order, it is enough that zones with a quarter of the pages are balanced.
#[test]
fn a_node_is_balanced_for_higher_orders_if_a_quarter_of_its_pages_is() {
    let alone = |kernel, pages: [u32; 3], zone: u8| {
        let mut m = desktop(kernel, HUGE, [0; 3]);
        for (i, z) in m.w.mem.zones.iter_mut().enumerate() {
            (z.managed, z.present) = (pages[i], pages[i]);
            z.nr_free = [0; 13];
            z.lru[2] = 1000;
        }
        m.w.mem.zones[ZoneIndex::new(zone)].nr_free_pages = 100_000;
        assert!(
            !balance_scans::zones_balanced(&mut m.w, NodeIndex::new(0), 0, 2),
            "order 0 needs every zone"
        );
        if kernel == "3.0" {
            return kswapd::zones_balanced(&mut m.w, NodeIndex::new(0), 1, 2);
        }
        balance_scans::zones_balanced(&mut m.w, NodeIndex::new(0), 1, 2)
    };
    for kernel in ["3.0", "3.16"] {
        assert_eq!(
            [0, 1, 2].map(|z| alone(kernel, PAGES, z)),
            [false, true, true]
        );
        let small = [3976, 780_000, 200_000];
        assert_eq!(
            [0, 1, 2].map(|z| alone(kernel, small, z)),
            [false, true, false]
        );
    }
}

/// 3.16 needs every zone balanced where 6.1 needs one.
#[test]
fn one_balanced_zone_balances_the_node_in_6_1_and_not_in_3_16() {
    let balanced = |free| {
        let mut m = desktop("6.1", HUGE, free);
        kswapd::pgdat_balanced(&mut m.w, NodeIndex::new(0), 0, 2)
    };
    assert!(!balanced([3900, 9434, 13_217]));
    assert!(!balanced([3900, 9434, 15_861]));
    assert!(balanced([3900, 9434, 15_862]));
    assert!(balanced([3900, 14_458, 13_217]));
    let zones_balanced = |free| {
        let mut m = desktop("3.16", HUGE, free);
        for z in &mut m.w.mem.zones {
            z.lru[2] = 1000;
        }
        balance_scans::zones_balanced(&mut m.w, NodeIndex::new(0), 0, 2)
    };
    assert!(!zones_balanced([3900, 14_458, 13_217]));
    assert!(zones_balanced([3900, 9434, 15_862]));
}

/// A machine whose zones have these numbers of single free pages, and these numbers of inactive
/// pages that can be freed immediately, without swap. All other pages are in use.
fn stocked(kernel: &str, pages: [u32; 3], free: [u32; 3], lists: [u32; 3]) -> Small {
    let starts = [0, 4096, 1 << 20];
    let ranges = starts.into_iter().zip(pages);
    let ranges = ranges.map(|(start, pages)| json!({ "start_pfn": start, "pages": pages }));
    let machine = json!({
        "id": "stocked", "title": "", "arch": "x86_64", "page_size_kib": 4,
        "nodes": [{ "ranges": ranges.collect::<Vec<Value>>(), "cpus": 2 }],
        "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2011", "pcp": false,
        "zonelist_order": "default",
        "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 0 }],
    });
    let mut m = boot(kernel, X86, &[&[(0, 1)]], json!({ "/machine": machine }));
    let mem = &mut m.w.mem;
    for list in ListIndex::all(mem.lists.count()) {
        while let Some(frame) = mem.lists.head(list) {
            let order = mem.del_free(frame);
            mem.set_kind(frame, PageKind::Kernel, order);
        }
    }
    for zone in mem.zones.indices() {
        let (first, frames) = (mem.zones[zone].first, mem.zones[zone].frames);
        let (mut left_free, mut left_listed) = (free[zone.index()], lists[zone.index()]);
        for frame in first.until(first.plus(frames)) {
            let page = &mut mem.pages[frame];
            if page.kind() == PageKind::Absent {
                continue;
            }
            page.meta = page.meta & !0xff | PageKind::Kernel as u32;
            if left_listed > 0 {
                left_listed -= 1;
                page.meta = page.meta & !0xff | PageKind::File as u32;
                page.owner = u32::MAX;
                mem.lru_add(frame);
            } else if left_free > 0 {
                left_free -= 1;
                mem.add_free(frame, 0, mem.block_type(frame), true);
            }
        }
        assert_eq!((left_free, left_listed), (0, 0), "zone {zone} is too small");
        let z = &mut mem.zones[zone];
        // Pages on no list do not matter here, but no page may be counted twice.
        z.kinds = [0; 12];
        for frame in first.until(first.plus(frames)) {
            z.kinds[mem.pages[frame].kind() as usize] += 1;
        }
    }
    m
}

fn free(m: &Small) -> [u32; 3] {
    [0, 1, 2].map(|z| m.w.mem.zones[ZoneIndex::new(z)].nr_free_pages)
}

/// Lists of 700,000 and 1,200,000 pages, all reclaimable.
#[test]
fn each_pass_of_kswapd_frees_the_calculated_number_of_pages() {
    let whole = |kernel| {
        let start = [3900, 12_885, 13_217];
        let mut m = stocked(kernel, PAGES, start, [0, 700_000, 1_200_000]);
        for (i, z) in m.w.mem.zones.iter_mut().enumerate() {
            (z.wmark, z.protection) = (HUGE[i].map(Pages::new), RESERVE[i].map(Pages::new));
        }
        let run_of = balance(&m, 0, 2);
        run(&mut m, run_of);
        (free(&m), m.w.counters.pageoutrun)
    };
    assert_eq!(whole("3.16"), ([3900, 15_443, 17_604], 1));
    assert_eq!(whole("checklow-v2r14"), ([3900, 12_885, 17_604], 1));
    assert_eq!(whole("3.0"), ([3900, 14_585, 16_137], 10));
}

/// A random machine: sizes, watermarks, free pages, lists and reserves.
fn random(kernel: &str, seed: u64) -> Small {
    let mut rng = Rng::stream(seed, 5);
    let pages = [0; 3].map(|_| 512 + rng.below(1500));
    let free = pages.map(|n| rng.below(n / 3));
    let lists = pages.map(|n| {
        if rng.below(4) == 0 {
            0
        } else {
            rng.below(n / 2)
        }
    });
    let mut m = stocked(kernel, pages, free, lists);
    for z in &mut m.w.mem.zones {
        let min = rng.below(200);
        let batch = 1 + rng.below(100);
        z.wmark = [min, min + batch, min + 2 * batch].map(Pages::new);
        let reserve = [rng.below(300), rng.below(300)];
        z.protection = match z.kind {
            0 => [
                0,
                reserve[0],
                reserve[0] + reserve[1],
                reserve[0] + reserve[1],
                0,
                0,
            ],
            1 => [0, 0, reserve[0], reserve[0], 0, 0],
            _ => [0; 6],
        }
        .map(Pages::new);
    }
    m
}

const SEEDS: u64 = 150;

/// Zones are shrunk from the lowest up, and none above the highest one in need. No zone is shrunk
/// above the sum of its high watermark, the gap and its reserve.
#[test]
fn kswapd_shrinks_zones_from_the_lowest_up_and_skips_zones_above_high_plus_gap() {
    let mut passes = 0;
    for kernel in ["2.6.37", "3.0", "3.16", "checklow-v2r14"] {
        for seed in 0..SEEDS {
            let mut m = random(kernel, seed);
            let run_of = balance(&m, 0, 2);
            run(&mut m, run_of);
            // In 3.0 an earlier pass may have found a zone above the one found now.
            let mut end = ZoneIndex::NONE;
            let mut last = None;
            for r in &m.w.rec.records {
                if r.kind == RecordKind::Priority {
                    (end, last, passes) = (ZoneIndex::NONE, None, passes + 1);
                } else if let Some(need) = ZoneInNeed::of(r).filter(|_| end.is_none()) {
                    end = need.zone;
                } else if let Some(fails) = gap_fails(r) {
                    let zone = fails.zone;
                    assert!(last < Some(zone) && zone <= end, "{kernel} {seed}: {r:?}");
                    last = Some(zone);
                    let kind = usize::from(m.w.mem.zones[end].kind);
                    let reserve = i64::from(m.w.mem.zones[zone].protection[kind]);
                    // 3.0's error in the slack counts two pages less.
                    let slack = 2 * i64::from(kernel == "3.0");
                    let most = fails.high + fails.gap + reserve + slack;
                    assert!(fails.free <= most, "{kernel} {seed}");
                }
            }
        }
    }
    assert!(passes > 1000, "{passes}");
}

/// 3.16's run ends when the node is balanced, no zone is in need, or priority 1 was tried. The priority only
/// rises, so at most twelve passes have no effect.
#[test]
fn kswapd_of_3_16_ends_with_a_balanced_node_or_at_the_last_priority() {
    let mut ends = [0; 3];
    for kernel in ["3.16", "checklow-v2r14"] {
        for seed in 0..SEEDS {
            let mut m = random(kernel, seed);
            run(&mut m, BalanceScans::call(NodeIndex::new(0), 0, 2));
            let records = &m.w.rec.records;
            let of = |why| records.iter().filter(move |r| r.kind == why);
            assert!(of(RecordKind::PriorityRises).count() <= 12);
            let last =
                m.w.rec
                    .all::<PriorityRises>()
                    .next_back()
                    .map(|(_, rises)| rises.priority);
            let last_step = records.iter().rfind(|r| {
                let kinds = [
                    RecordKind::Priority,
                    RecordKind::ZoneInNeed,
                    RecordKind::PriorityRises,
                    RecordKind::PriorityStays,
                ];
                kinds.contains(&r.kind)
            });
            let found_none = last_step.is_none_or(|r| r.kind == RecordKind::Priority);
            let is_balanced = balance_scans::zones_balanced(&mut m.w, NodeIndex::new(0), 0, 2);
            assert!(
                is_balanced || found_none || last == Some(0),
                "{kernel} {seed}"
            );
            ends[0] += u32::from(is_balanced);
            ends[1] += u32::from(found_none);
            ends[2] += u32::from(last == Some(0));
        }
    }
    assert!(ends.iter().all(|&n| n > 5), "{ends:?}");
}

/// From the same state, a pass with the patch shrinks a subset of the zones a pass without it shrinks.
#[test]
fn the_checklow_patch_only_removes_zones_from_a_pass() {
    let mut fewer = 0;
    for seed in 0..SEEDS {
        let first = |kernel| {
            let mut m = random(kernel, seed);
            run(&mut m, BalanceScans::call(NodeIndex::new(0), 0, 2));
            shrunk(&m).swap_remove(0)
        };
        let (with, without) = (first("checklow-v2r14"), first("3.16"));
        assert!(with.iter().all(|zone| without.contains(zone)), "{seed}");
        fewer += u32::from(with.len() < without.len());
    }
    assert!(fewer > 10, "{fewer}");
}
