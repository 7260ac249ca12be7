//! The watermark rules against calculated examples; what real kernels printed is compared with them by the
//! command line's `truth`.

use crate::support;

use facts::arch::{Arch, ZoneType};
use facts::layout::Layout;
use facts::profile::{MachineProfile, Thp, find};
use facts::tunables::Tunables;
use facts::watermark::{Watermarks, pcp_size};
use support::{features, machine};

fn marks_of(profile: &MachineProfile, kernel: &str) -> Vec<(u64, u64, u64)> {
    let features = features(kernel);
    let layout = Layout::new(profile, features);
    let marks = Watermarks::of(profile, features);
    let zones = marks.zones.iter().flatten().zip(layout.zones());
    zones
        .filter(|(_, zone)| zone.is_populated())
        .map(|(marks, _)| (marks.min, marks.low, marks.high))
        .collect()
}

fn min_free(profile: &MachineProfile, kernel: &str) -> u64 {
    Watermarks::of(profile, features(kernel)).min_free_kbytes
}

fn without_thp(id: &str) -> MachineProfile {
    let mut profile = find(id).expect("a ready-made machine");
    profile.thp = Thp::Never;
    profile
}

#[test]
fn min_free_kbytes_is_the_clamped_root_of_sixteen_times_memory() {
    const MIB: u64 = 256;
    for (pages, old, new) in [
        (16 * MIB, 512, 512),
        (64 * MIB, 1024, 1024),
        (256 * MIB, 2048, 2048),
        (1024 * MIB, 4096, 4096),
        (4096 * MIB, 8192, 8192),
        (8192 * MIB, 11585, 11585),
        (16384 * MIB, 16384, 16384),
        (65536 * MIB, 32768, 32768),
        (262_144 * MIB, 65536, 65536),
        (1 << 28, 65536, 131_072),
        (1 << 30, 65536, 262_144),
        (1 << 31, 65536, 262_144),
    ] {
        let mut profile = machine(
            Arch::X86_64,
            4,
            &[(1, vec![(ZoneType::Normal, pages, pages)])],
        );
        profile.thp = Thp::Never;
        assert_eq!(min_free(&profile, "3.0"), old, "{pages} pages");
        assert_eq!(min_free(&profile, "5.10"), new, "{pages} pages");
    }
}

#[test]
fn the_12_gib_machine_has_the_calculated_watermarks() {
    let plain = without_thp("x86_64-2node");
    assert_eq!(min_free(&plain, "3.0"), 14083);
    assert_eq!(
        marks_of(&plain, "3.0"),
        [
            (4, 5, 6),
            (872, 1090, 1308),
            (881, 1101, 1321),
            (1762, 2202, 2643)
        ]
    );
    let huge = find("x86_64-2node").expect("a ready-made machine");
    assert_eq!(min_free(&huge, "3.0"), 90112);
    assert_eq!(
        marks_of(&huge, "3.0"),
        [
            (28, 35, 42),
            (5583, 6978, 8374),
            (5638, 7047, 8457),
            (11277, 14096, 16915)
        ]
    );
    // 2.6.37 has no huge pages to make room for.
    assert_eq!(min_free(&huge, "2.6.37"), 14083);
}

#[test]
fn the_12_gib_machine_has_the_calculated_protection_and_total_reserve() {
    let marks = Watermarks::of(&without_thp("x86_64-2node"), features("3.0"));
    let rows: Vec<&[u64]> = marks.zones[0]
        .iter()
        .map(|m| m.protection.as_slice())
        .collect();
    assert_eq!(rows[0], [0, 3000, 6030, 6030]);
    assert_eq!(rows[1], [0, 0, 3030, 3030]);
    assert_eq!(rows[2], [0, 0, 0, 0]);
    assert_eq!(marks.totalreserve_pages, 12258);
}

#[test]
fn the_8_gib_machine_has_the_calculated_watermarks_of_both_rules() {
    let plain = without_thp("x86_64-8g");
    assert_eq!(min_free(&plain, "3.16"), 11468);
    assert_eq!(
        marks_of(&plain, "3.16"),
        [(5, 6, 7), (1067, 1333, 1600), (1794, 2242, 2691)]
    );
    let huge = find("x86_64-8g").expect("a ready-made machine");
    assert_eq!(min_free(&huge, "3.16"), 67584);
    assert_eq!(
        marks_of(&huge, "3.16"),
        [(32, 40, 48), (6289, 7861, 9433), (10574, 13217, 15861)]
    );
    assert_eq!(
        marks_of(&huge, "6.1"),
        [(32, 40, 48), (6289, 7861, 9433), (10574, 13217, 15860)]
    );
    // The value without huge pages, set by hand.
    let mut by_hand = plain.clone();
    by_hand
        .tunables
        .insert("vm.min_free_kbytes".into(), "11468".into());
    assert_eq!(
        marks_of(&by_hand, "6.1"),
        [(5, 8, 11), (1067, 1831, 2595), (1794, 3080, 4366)]
    );
    let rows = &Watermarks::of(&plain, features("3.16")).zones[0];
    assert_eq!(rows[0].protection[..3], [0, 2988, 8012]);
    assert_eq!(rows[1].protection[..3], [0, 0, 5024]);
}

#[test]
fn the_ppc64_machine_has_the_calculated_watermarks() {
    let mut wide = find("ppc64-16m-64k").expect("a ready-made machine");
    wide.thp = Thp::Never;
    assert_eq!(min_free(&wide, "3.0"), 23170);
    assert_eq!(marks_of(&wide, "3.0"), [(181, 226, 271), (181, 226, 271)]);
    let layout = Layout::new(&wide, features("3.0"));
    let tunables = Tunables::defaults(&wide, features("3.0"));
    let size = pcp_size(
        &layout,
        features("3.0"),
        &tunables,
        &layout.nodes[0].zones[0],
        226,
    );
    assert_eq!((size.batch, size.high), (1, 6));
    let mut narrow = find("ppc64-16m-4k").expect("a ready-made machine");
    narrow.thp = Thp::Never;
    assert_eq!(
        marks_of(&narrow, "3.0"),
        [(2896, 3620, 4344), (2896, 3620, 4344)]
    );
}

#[test]
fn a_3_gib_machine_of_3_0_has_the_calculated_watermarks() {
    let mut profile = without_thp("x86_64-3g");
    profile
        .tunables
        .insert("vm.min_free_kbytes".into(), "8192".into());
    assert_eq!(
        marks_of(&profile, "3.0"),
        [(10, 12, 15), (2037, 2546, 3055)]
    );
    let marks = Watermarks::of(&profile, features("3.0"));
    assert_eq!(marks.zones[0][0].protection, [0, 2984, 2984, 2984]);
    let huge = find("x86_64-3g").expect("a ready-made machine");
    assert_eq!(min_free(&huge, "3.0"), 45056);
}

/// The two machines of the compaction series with 2.6.37, which does not reserve memory for huge pages.
#[test]
fn the_machines_of_the_compaction_series_have_the_calculated_watermarks() {
    let marks = |id: &str| {
        let profile = find(id).expect("a ready-made machine");
        (min_free(&profile, "2.6.37"), marks_of(&profile, "2.6.37"))
    };
    assert_eq!(
        marks("x86_64-3g"),
        (7010, vec![(8, 10, 12), (1743, 2178, 2614)])
    );
    assert_eq!(marks("ppc64-3g-4k"), (7001, vec![(1750, 2187, 2625)]));
    assert_eq!(marks("sh4-16m-teach"), (512, vec![(128, 160, 192)]));
}

#[test]
fn per_cpu_lists_have_the_calculated_sizes() {
    let profile = find("x86_64-8g").expect("a ready-made machine");
    let size = |kernel: &str, zone: usize, low| {
        let features = features(kernel);
        let layout = Layout::new(&profile, features);
        let tunables = Tunables::defaults(&profile, features);
        let size = pcp_size(
            &layout,
            features,
            &tunables,
            &layout.nodes[0].zones[zone],
            low,
        );
        (size.batch, size.high)
    };
    assert_eq!(size("3.0", 0, 40), (1, 0));
    assert_eq!(size("3.0", 2, 13217), (31, 186));
    assert_eq!(size("5.10", 2, 13217), (63, 378));
    assert_eq!(size("6.1", 2, 13217), (63, 1652));
}

#[test]
fn boot_values_of_guests_follow_from_their_memory_at_boot() {
    // 9,028 KiB were freed in the highest zone with memory after the watermarks were computed.
    let freed = 9028 / 4;
    let dma = (ZoneType::Dma, 3840, 3998);
    let small = (ZoneType::Dma32, 241_532 - freed, 258_016);
    let one_gib = machine(Arch::X86_64, 4, &[(2, vec![dma, small])]);
    assert_eq!(min_free(&one_gib, "6.1"), 45056);
    // DMA has no protection but from its own node, and 1 GiB is 5 % capped on ppc64.
    let normal = (ZoneType::Normal, 15_501 - 96, 16_384);
    let ppc = machine(Arch::Ppc64, 64, &[(1, vec![normal])]);
    assert_eq!(min_free(&ppc, "6.1"), 48960);
}
