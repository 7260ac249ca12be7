//! Properties of the rules, recorded phases, dirty limits and refusals.

use crate::support;

use facts::arch::{Arch, ZoneType};
use facts::kernel::{self, ReserveRule};
use facts::layout::Layout;
use facts::profile::{MachineProfile, MemRange, check, check_runnable, find};
use facts::tunables::{Tunables, list};
use facts::vmstat::{DirtyableMemory, dirty_limits};
use facts::watermark::Watermarks;
use proptest::prelude::*;
use support::{Zone, features, machine};

/// A recorded phase: the zones that a kernel printed with some tunables.
struct Phase {
    name: String,
    nodes: Vec<(u16, Vec<Zone>)>,
    expected: Vec<(u64, u64, u64, Vec<u64>)>,
    min_free_kbytes: String,
    watermark_scale_factor: String,
    ratios: String,
}

fn phases(text: &str, cpus: &[u16]) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| cells[at].parse::<u64>().expect("a number");
        if phases.last().is_none_or(|phase| phase.name != cells[0]) {
            phases.push(Phase {
                name: cells[0].to_string(),
                nodes: cpus.iter().map(|&cpus| (cpus, Vec::new())).collect(),
                expected: Vec::new(),
                min_free_kbytes: cells[15].to_string(),
                watermark_scale_factor: cells[16].to_string(),
                ratios: cells[17].to_string(),
            });
        }
        let phase = phases.last_mut().expect("just pushed");
        let kind = ZoneType::from_name(cells[2]).expect("a zone");
        let node = number(1) as usize;
        phase.nodes[node].1.push((kind, number(10), number(9)));
        if kind != ZoneType::Device {
            let protection = cells[14]
                .split(',')
                .map(|word| word.parse().expect("a number"));
            phase
                .expected
                .push((number(5), number(6), number(7), protection.collect()));
        }
    }
    phases
}

#[test]
fn watermarks_of_every_recorded_phase_are_exact() {
    let mut compared = 0;
    for (kernel, arch, kib, cpus, text) in [
        (
            "5.10",
            Arch::X86_64,
            4,
            &[2][..],
            include_str!("../../mm/tests/data/x86_64-5.10-1g-1n/phases.tsv"),
        ),
        (
            "6.1",
            Arch::X86_64,
            4,
            &[2],
            include_str!("../../mm/tests/data/x86_64-6.1-1g-1n/phases.tsv"),
        ),
        (
            "6.1",
            Arch::X86_64,
            4,
            &[2],
            include_str!("../../mm/tests/data/x86_64-6.1-256m-1n-nothp/phases.tsv"),
        ),
        (
            "6.1",
            Arch::X86_64,
            4,
            &[2],
            include_str!("../../mm/tests/data/x86_64-6.1-3g-1n/phases.tsv"),
        ),
        (
            "6.1",
            Arch::X86_64,
            4,
            &[1; 4],
            include_str!("../../mm/tests/data/x86_64-6.1-4x512m-4n/phases.tsv"),
        ),
        (
            "6.1",
            Arch::X86_64,
            4,
            &[1; 2],
            include_str!("../../mm/tests/data/x86_64-6.1-512m512m-2n/phases.tsv"),
        ),
        (
            "6.1",
            Arch::Ppc64,
            64,
            &[1],
            include_str!("../../mm/tests/data/ppc64el-6.1-p8-1g-1n/phases.tsv"),
        ),
        (
            "6.1",
            Arch::Ppc64,
            64,
            &[1; 2],
            include_str!("../../mm/tests/data/ppc64el-6.1-p8-1g1g-2n/phases.tsv"),
        ),
        (
            "6.12",
            Arch::Ppc64,
            4,
            &[1],
            include_str!("../../mm/tests/data/ppc64el-6.12-p8-2g-1n/phases.tsv"),
        ),
    ] {
        let features = features(kernel);
        for phase in phases(text, cpus)
            .iter()
            .filter(|phase| phase.name != "boot")
        {
            let profile = machine(arch, kib, &phase.nodes);
            let mut tunables = Tunables::defaults(&profile, features);
            for (name, value) in [
                ("vm.min_free_kbytes", &phase.min_free_kbytes),
                ("vm.watermark_scale_factor", &phase.watermark_scale_factor),
                ("vm.lowmem_reserve_ratio", &phase.ratios),
            ] {
                assert_eq!(
                    tunables.set(features, name, value),
                    Ok(()),
                    "{}",
                    phase.name
                );
            }
            let layout = Layout::new(&profile, features);
            let marks = Watermarks::new(&layout, features, &tunables, profile.thp);
            let zones = layout.zones().zip(marks.zones.iter().flatten());
            let got: Vec<(u64, u64, u64, Vec<u64>)> = zones
                .filter(|(zone, _)| zone.kind != ZoneType::Device)
                .map(|(_, m)| (m.min, m.low, m.high, m.protection.clone()))
                .collect();
            assert_eq!(got, phase.expected, "{kernel} {}", phase.name);
            compared += got.len();
        }
    }
    assert_eq!(compared, 760);
}

/// `nr_dirty_threshold` and `nr_dirty_background_threshold`, recomputed from the same vmstat text and
/// zoneinfo.
#[test]
fn dirty_limits_of_every_guest_are_exact() {
    for (kernel, page_size, text, zones) in [
        (
            "5.10",
            4096,
            include_str!("../../mm/tests/data/x86_64-5.10-1g-1n/vmstat.txt"),
            include_str!("../../mm/tests/data/x86_64-5.10-1g-1n/zoneinfo.txt"),
        ),
        (
            "6.1",
            4096,
            include_str!("../../mm/tests/data/x86_64-6.1-1g-1n/vmstat.txt"),
            include_str!("../../mm/tests/data/x86_64-6.1-1g-1n/zoneinfo.txt"),
        ),
        (
            "6.1",
            4096,
            include_str!("../../mm/tests/data/x86_64-6.1-256m-1n-nothp/vmstat.txt"),
            include_str!("../../mm/tests/data/x86_64-6.1-256m-1n-nothp/zoneinfo.txt"),
        ),
        (
            "6.1",
            4096,
            include_str!("../../mm/tests/data/x86_64-6.1-3g-1n/vmstat.txt"),
            include_str!("../../mm/tests/data/x86_64-6.1-3g-1n/zoneinfo.txt"),
        ),
        (
            "6.1",
            4096,
            include_str!("../../mm/tests/data/x86_64-6.1-4x512m-4n/vmstat.txt"),
            include_str!("../../mm/tests/data/x86_64-6.1-4x512m-4n/zoneinfo.txt"),
        ),
        (
            "6.1",
            4096,
            include_str!("../../mm/tests/data/x86_64-6.1-512m512m-2n/vmstat.txt"),
            include_str!("../../mm/tests/data/x86_64-6.1-512m512m-2n/zoneinfo.txt"),
        ),
        (
            "6.1",
            65536,
            include_str!("../../mm/tests/data/ppc64el-6.1-p8-1g-1n/vmstat.txt"),
            include_str!("../../mm/tests/data/ppc64el-6.1-p8-1g-1n/zoneinfo.txt"),
        ),
        (
            "6.1",
            65536,
            include_str!("../../mm/tests/data/ppc64el-6.1-p8-1g1g-2n/vmstat.txt"),
            include_str!("../../mm/tests/data/ppc64el-6.1-p8-1g1g-2n/zoneinfo.txt"),
        ),
        (
            "6.12",
            4096,
            include_str!("../../mm/tests/data/ppc64el-6.12-p8-2g-1n/vmstat.txt"),
            include_str!("../../mm/tests/data/ppc64el-6.12-p8-2g-1n/zoneinfo.txt"),
        ),
    ] {
        let counter = |name: &str| -> u64 {
            let line = text
                .lines()
                .find(|line| line.split(' ').next() == Some(name));
            let value = line.and_then(|line| line.split(' ').nth(1));
            value
                .and_then(|value| value.parse().ok())
                .expect("a counter")
        };
        let zones = facts::procfs::parse::parse(zones).expect("a zoneinfo");
        let reserve = zones.iter().map(|zone| {
            let row = |name| zone.row(name).unwrap_or(0);
            let largest = zone.protection.iter().flatten().copied().max().unwrap_or(0);
            (row("high") + largest).min(row("managed"))
        });
        let memory = DirtyableMemory {
            free: counter("nr_free_pages"),
            file: counter("nr_active_file") + counter("nr_inactive_file"),
            anon: 0,
            totalreserve: reserve.sum(),
            min_free: 0,
        };
        let profile = find("x86_64-3g").expect("a ready-made machine");
        let tunables = Tunables::defaults(&profile, features(kernel));
        assert_eq!(
            dirty_limits(features(kernel), &tunables, page_size, memory),
            (
                counter("nr_dirty_threshold"),
                counter("nr_dirty_background_threshold")
            )
        );
    }
}

fn refused(edit: impl FnOnce(&mut MachineProfile)) -> Vec<String> {
    let mut profile = find("x86_64-2node-4g").expect("a ready-made machine");
    edit(&mut profile);
    check(&profile)
        .into_iter()
        .map(|refusal| refusal.path)
        .collect()
}

#[test]
fn impossible_machines_are_refused_at_their_field() {
    let range = |start_pfn, pages| MemRange { start_pfn, pages };
    assert_eq!(
        refused(|p| p.nodes[1].ranges[0].pages = 0),
        ["nodes[1].ranges[0].pages"]
    );
    assert_eq!(
        refused(|p| p.nodes[1].ranges[0].start_pfn = 5000),
        ["nodes[1].ranges[0]"]
    );
    assert_eq!(
        refused(|p| p.nodes[1].ranges.push(range(u64::MAX, 2))),
        ["nodes[1].ranges[2].start_pfn"]
    );
    assert_eq!(
        refused(|p| p.nodes[1].ranges.push(range(1 << 21, 1 << 35))),
        ["nodes"]
    );
    assert_eq!(
        refused(|p| p.nodes[1].ranges[1].pages = u64::MAX),
        ["nodes[1].ranges[1].start_pfn", "nodes"]
    );
    assert_eq!(
        refused(|p| {
            p.nodes[0].reserved.insert(ZoneType::Dma, 4000);
        }),
        ["nodes[0].reserved.DMA"]
    );
    assert_eq!(
        refused(|p| {
            p.nodes[0].reserved.insert(ZoneType::Normal, 1);
        }),
        ["nodes[0].reserved.Normal"]
    );
    assert_eq!(
        refused(|p| {
            p.nodes[0].reserved.insert(ZoneType::HighMem, 1);
        }),
        ["nodes[0].reserved.HighMem"]
    );
    assert_eq!(
        refused(|p| p.nodes[1].movable_from_pfn = Some(7)),
        ["nodes[1].movable_from_pfn"]
    );
    assert_eq!(refused(|p| p.distances[0][0] = 11), ["distances[0][0]"]);
    assert_eq!(refused(|p| p.distances[0][1] = 9), ["distances[0][1]"]);
    assert_eq!(refused(|p| p.distances[1] = vec![10]), ["distances[1]"]);
    assert_eq!(refused(|p| p.distances.clear()), ["distances"]);
    assert_eq!(refused(|p| p.distances[0][1] = 99), [""; 0]);
    assert_eq!(refused(|p| p.hz = 0), ["hz"]);
    assert_eq!(refused(|p| p.page_size_kib = 64), ["page_size_kib"]);
    assert_eq!(
        refused(|p| p.nodes.iter_mut().for_each(|n| n.cpus = 0)),
        ["nodes[0].cpus"]
    );
    assert_eq!(refused(|p| p.nodes[0].cpus = 5000), ["nodes"]);
    assert_eq!(refused(|p| p.nodes[0].id = Some(3)), ["nodes[1].id"]);
    assert_eq!(refused(|p| p.id = "a b".to_string()), ["id"]);
}

#[test]
fn big_machines_are_described_but_not_run() {
    let nodes: Vec<(u16, Vec<Zone>)> = (0..9)
        .map(|_| (1, vec![(ZoneType::Normal, 1000, 1000)]))
        .collect();
    let many = machine(Arch::X86_64, 4, &nodes);
    assert_eq!(check(&many), vec![]);
    assert_eq!(check_runnable(&many)[0].path, "nodes");
    let pages = (16 << 20) + 1;
    let big = machine(
        Arch::X86_64,
        4,
        &[(1, vec![(ZoneType::Normal, pages, pages)])],
    );
    assert!(check_runnable(&big)[0].reason.contains("16 Mi"));
}

#[test]
fn tunables_accept_the_values_that_their_kernel_accepts() {
    let profile = find("x86_64-8g").expect("a ready-made machine");
    for kernel in kernel::kernels() {
        let features = &kernel.features;
        let mut tunables = Tunables::defaults(&profile, features);
        for info in list(features) {
            let text = tunables.get(info.name).expect("a known tunable");
            assert_eq!(text, info.default, "{} {}", kernel.id, info.name);
            if text != "as booted" {
                assert_eq!(tunables.set(features, info.name, &text), Ok(()));
            }
            for bad in [
                "",
                "-1",
                "1.5",
                "99999999999999999999",
                "x",
                "1 2 3 4 5 6 7",
            ] {
                assert!(
                    tunables.set(features, info.name, bad).is_err(),
                    "{}",
                    info.name
                );
            }
        }
    }
    let old = features("3.0");
    let mut tunables = Tunables::defaults(&profile, old);
    assert!(
        tunables
            .set(old, "vm.watermark_scale_factor", "10")
            .is_err()
    );
    assert!(tunables.set(old, "vm.swappiness_of_all", "10").is_err());
    assert!(
        tunables
            .set(old, "vm.percpu_pagelist_fraction", "7")
            .is_err()
    );
    assert!(
        tunables
            .set(old, "vm.lowmem_reserve_ratio", "256 256")
            .is_err()
    );
    assert!(
        tunables
            .set(features("6.1"), "vm.numa_zonelist_order", "zone")
            .is_err()
    );
}

#[test]
fn an_early_5_10_release_does_not_reserve_for_zones_without_a_ratio() {
    let mut early = *features("5.10");
    early.reserve = ReserveRule::ZeroClearsAndSkips;
    let mut profile = find("x86_64-8g").expect("a ready-made machine");
    profile.nodes[0].movable_from_pfn = Some((1 << 20) + 1_000_000);
    let row = |features| {
        Watermarks::of(&profile, features).zones[0][0]
            .protection
            .clone()
    };
    let plain = row(features("5.10"));
    let skipping = row(&early);
    assert_eq!(plain[..4], skipping[..4]);
    // Movable has no ratio, so its pages are missing from the Device column.
    assert_eq!((plain[4] > plain[2], skipping[4]), (true, skipping[2]));
}

proptest! {
    #[test]
    fn watermarks_and_protection_rows_are_in_ascending_order(
        pages in prop::collection::vec(1u64..40_000_000, 3),
        min_free in 0u64..3_000_000,
        kernel in prop::sample::select(vec!["2.6.37", "3.0", "3.7", "3.8", "3.16", "5.10", "5.15", "6.1", "6.12"]),
    ) {
        let zones = vec![
            (ZoneType::Dma, pages[0] % 4000, pages[0] % 4000),
            (ZoneType::Dma32, pages[1] % 1_000_000, pages[1] % 1_000_000),
            (ZoneType::Normal, pages[2], pages[2]),
        ];
        let mut profile = machine(Arch::X86_64, 4, &[(4, zones)]);
        profile.tunables.insert("vm.min_free_kbytes".into(), min_free.to_string());
        let features = features(kernel);
        let marks = Watermarks::of(&profile, features);
        let layout = Layout::new(&profile, features);
        for (index, (zone, marks)) in layout.zones().zip(&marks.zones[0]).enumerate() {
            prop_assert!(marks.min <= marks.low && marks.low <= marks.high && marks.high <= marks.promo);
            if marks.min >= 4 && zone.kind <= ZoneType::Normal {
                prop_assert!(marks.min < marks.low);
                if features.watermark_scale_max == 0 {
                    prop_assert_eq!(marks.low - marks.min, marks.min / 4);
                    prop_assert_eq!(marks.high - marks.min, marks.min / 2);
                }
            }
            prop_assert!(marks.protection.is_sorted());
            prop_assert!(marks.protection[..=index].iter().all(|&pages| pages == 0));
        }
    }

    #[test]
    fn any_numbers_in_a_profile_are_checked_without_overflow(
        numbers in prop::collection::vec(any::<u64>(), 8),
        id in any::<u16>(),
    ) {
        let mut profile = find("x86_64-2node").expect("a ready-made machine");
        profile.nodes[0].ranges[0] = MemRange { start_pfn: numbers[0], pages: numbers[1] };
        profile.nodes[1].ranges.push(MemRange { start_pfn: numbers[2] >> 16, pages: numbers[3] >> 30 });
        profile.nodes[1].movable_from_pfn = Some(numbers[4] >> 30);
        profile.nodes[1].reserved.insert(ZoneType::Normal, numbers[5]);
        profile.nodes[1].id = Some(id);
        if check(&profile).is_empty() {
            for kernel in kernel::kernels() {
                let _ = Watermarks::of(&profile, &kernel.features);
            }
        }
    }
}
