//! Printed files: real ones parsed and printed again, and the shapes of kernels without one.

use crate::support;

use expect_test::{Expect, expect};
use facts::arch::{Arch, Geometry, ZoneType};
use facts::layout::Layout;
use facts::procfs::parse::{RawZone, parse};
use facts::procfs::{LruGenFiles, view_at_rest};
use facts::procfs::{
    Pageset, ProcNode, ProcView, ProcZone, buddyinfo, extfrag_index, pagetypeinfo, unusable_index,
    vmstat, zoneinfo,
};
use facts::profile::find;
use facts::tunables::Tunables;
use facts::vmstat::Counters;
use support::features;

struct Files {
    kernel: &'static str,
    arch: Arch,
    page_kib: u32,
    zoneinfo: &'static str,
    buddyinfo: &'static str,
    pagetypeinfo: &'static str,
    vmstat: &'static str,
}

macro_rules! files {
    ($kernel:literal, $arch:expr, $page_kib:literal, $dir:literal) => {
        Files {
            kernel: $kernel,
            arch: $arch,
            page_kib: $page_kib,
            zoneinfo: include_str!(concat!("../../mm/tests/data/", $dir, "/zoneinfo.txt")),
            buddyinfo: include_str!(concat!("../../mm/tests/data/", $dir, "/buddyinfo.txt")),
            pagetypeinfo: include_str!(concat!("../../mm/tests/data/", $dir, "/pagetypeinfo.txt")),
            vmstat: include_str!(concat!("../../mm/tests/data/", $dir, "/vmstat.txt")),
        }
    };
}

fn guests() -> Vec<Files> {
    vec![
        files!("5.10", Arch::X86_64, 4, "x86_64-5.10-1g-1n"),
        files!("6.1", Arch::X86_64, 4, "x86_64-6.1-1g-1n"),
        files!("6.1", Arch::X86_64, 4, "x86_64-6.1-256m-1n-nothp"),
        files!("6.1", Arch::X86_64, 4, "x86_64-6.1-3g-1n"),
        files!("6.1", Arch::X86_64, 4, "x86_64-6.1-4x512m-4n"),
        files!("6.1", Arch::X86_64, 4, "x86_64-6.1-512m512m-2n"),
        files!("6.1", Arch::Ppc64, 64, "ppc64el-6.1-p8-1g-1n"),
        files!("6.1", Arch::Ppc64, 64, "ppc64el-6.1-p8-1g1g-2n"),
        files!("6.12", Arch::Ppc64, 4, "ppc64el-6.12-p8-2g-1n"),
    ]
}

/// The view that a parsed zoneinfo describes.
fn view_of(arch: Arch, page_kib: u32, zones: &[RawZone]) -> ProcView {
    let mut nodes: Vec<ProcNode> = Vec::new();
    for zone in zones {
        if nodes.last().is_none_or(|node| node.id != zone.node) {
            nodes.push(ProcNode {
                id: zone.node,
                ..ProcNode::default()
            });
        }
        let node = nodes.last_mut().expect("just pushed");
        node.counters.extend(zone.node_counters.clone());
        node.zones.push(zone_of(zone));
    }
    ProcView {
        geometry: Geometry::of(arch, page_kib).expect("a known geometry"),
        zone_types: nodes[0].zones.iter().map(|zone| zone.kind).collect(),
        nodes,
        events: Counters::new(),
        lru_gen: LruGenFiles::default(),
    }
}

fn zone_of(zone: &RawZone) -> ProcZone {
    let row = |name| zone.row(name).unwrap_or(0);
    let boost = row("boost");
    let kind = ZoneType::from_name(&zone.name).expect("a known zone");
    ProcZone {
        free: row("free"),
        boost,
        min: row("min") - boost,
        low: row("low") - boost,
        high: row("high") - boost,
        promo: row("promo").saturating_sub(boost),
        scanned: row("scanned"),
        spanned: row("spanned"),
        present: row("present"),
        managed: row("managed"),
        cma: row("cma"),
        protection: zone.protection.clone().expect("a protection row"),
        counters: zone.counters.clone(),
        pagesets: zone
            .pagesets
            .iter()
            .map(|list| Pageset {
                cpu: list.cpu,
                count: list.count.expect("count"),
                high: list.high.expect("high"),
                batch: list.batch.expect("batch"),
                stat_threshold: list.stat_threshold.expect("threshold"),
            })
            .collect(),
        unreclaimable: row("node_unreclaimable") + row("all_unreclaimable") > 0,
        start_pfn: row("start_pfn"),
        inactive_ratio: row("inactive_ratio"),
        ..ProcZone::empty(kind)
    }
}

/// Fills free lists and block counts from a pagetypeinfo text.
fn add_pagetypes(view: &mut ProcView, text: &str) {
    for line in text.lines().filter(|line| line.starts_with("Node")) {
        let words: Vec<&str> = line
            .split([' ', ','])
            .filter(|word| !word.is_empty())
            .collect();
        let id: u16 = words[1].parse().expect("a node");
        let node = view
            .nodes
            .iter_mut()
            .find(|node| node.id == id)
            .expect("known");
        let zone = node
            .zones
            .iter_mut()
            .find(|zone| zone.kind.name() == words[3]);
        let zone = zone.expect("known");
        let number = |word: &&str| {
            word.trim_start_matches('>')
                .parse::<u64>()
                .expect("a number")
        };
        if words[4] == "type" {
            let counts: Vec<u64> = words[6..].iter().map(number).collect();
            zone.free_area.resize(counts.len(), Vec::new());
            for (order, count) in counts.into_iter().enumerate() {
                zone.free_area[order].push(count);
            }
        } else {
            zone.blocks = words[4..].iter().map(number).collect();
        }
    }
}

fn counters(text: &str) -> Counters {
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, value)| (name.to_string(), value.parse().expect("a number")))
        .collect()
}

#[test]
fn real_files_parsed_and_printed_again_are_the_same_bytes() {
    for guest in guests() {
        let features = features(guest.kernel);
        let zones = parse(guest.zoneinfo).expect("a real zoneinfo");
        let mut view = view_of(guest.arch, guest.page_kib, &zones);
        assert_eq!(zoneinfo(features, &view), guest.zoneinfo);
        add_pagetypes(&mut view, guest.pagetypeinfo);
        assert_eq!(pagetypeinfo(features, &view), guest.pagetypeinfo);
        // The guest read buddyinfo a moment later, so the counts come only from that file.
        let mut later = view.clone();
        for line in guest.buddyinfo.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let id: u16 = words[1].trim_end_matches(',').parse().expect("a node");
            let node = later
                .nodes
                .iter_mut()
                .find(|node| node.id == id)
                .expect("known");
            let zone = node
                .zones
                .iter_mut()
                .find(|zone| zone.kind.name() == words[3]);
            zone.expect("known").free_area = words[4..]
                .iter()
                .map(|word| vec![word.parse().expect("a count")])
                .collect();
        }
        assert_eq!(buddyinfo(&later), guest.buddyinfo);
        let events = ProcView {
            nodes: Vec::new(),
            events: counters(guest.vmstat),
            ..view
        };
        assert_eq!(vmstat(features, &events), guest.vmstat);
    }
}

/// An idle ready-made machine under a kernel.
fn at_rest(id: &str, kernel: &str) -> ProcView {
    let profile = find(id).expect("a ready-made machine");
    let features = features(kernel);
    let (tunables, refusals) = Tunables::of(&profile, features);
    assert_eq!(refusals, vec![]);
    view_at_rest(
        &Layout::new(&profile, features),
        features,
        &tunables,
        profile.thp,
    )
}

/// The rows of the first populated zone, but only the counters that `keep` picks.
fn check_first_zone(kernel: &str, keep: &[&str], expected: Expect) {
    let text = zoneinfo(features(kernel), &at_rest("x86_64-3g", kernel));
    let next = text[1..].find("Node").map_or(text.len(), |at| at + 1);
    let is_counter = |line: &str| {
        let name = line.trim().split(' ').next().unwrap_or("");
        name.contains('_') && !name.ends_with(':')
    };
    let mut shown = String::new();
    for line in text[..next].lines() {
        if !is_counter(line) || keep.iter().any(|name| line.trim().starts_with(name)) {
            shown.push_str(line);
            shown.push('\n');
        }
    }
    // Three of the four CPUs have the same values.
    let (head, rest) = shown.split_once("    cpu: 1\n").expect("four CPUs");
    let tail = rest.rsplit_once("vm stats threshold").expect("four CPUs").1;
    let tail = tail.split_once('\n').expect("a tail").1;
    expected.assert_eq(&format!("{head}{tail}"));
}

#[test]
fn the_shape_of_2_6_37_has_no_managed_row() {
    check_first_zone(
        "2.6.37",
        &["nr_free_pages", "nr_dirty"],
        expect![[r#"
        Node 0, zone      DMA
          pages free     3912
                min      8
                low      10
                high     12
                scanned  0
                spanned  4095
                present  3912
            nr_free_pages 3912
            nr_dirty     0
                protection: (0, 2984, 2984, 2984)
          pagesets
            cpu: 0
                      count: 0
                      high:  0
                      batch: 1
          vm stats threshold: 6
          all_unreclaimable: 0
          start_pfn:         1
          inactive_ratio:    1
    "#]],
    );
}

#[test]
fn the_shape_of_3_16_has_a_managed_row_and_batches() {
    check_first_zone(
        "3.16",
        &["nr_free_pages", "nr_alloc_batch", "nr_free_cma"],
        expect![[r#"
            Node 0, zone      DMA
              pages free     3912
                    min      57
                    low      71
                    high     85
                    scanned  0
                    spanned  4095
                    present  3998
                    managed  3912
                nr_free_pages 3912
                nr_alloc_batch 0
                nr_free_cma  0
                    protection: (0, 2984, 2984, 2984)
              pagesets
                cpu: 0
                          count: 0
                          high:  0
                          batch: 1
              vm stats threshold: 6
              all_unreclaimable: 0
              start_pfn:         1
              inactive_ratio:    1
        "#]],
    );
}

#[test]
fn the_shape_of_5_15_has_a_cma_row_and_no_boost_row() {
    check_first_zone(
        "5.15",
        &["nr_inactive_anon", "nr_swapcached", "nr_zspages"],
        expect![[r#"
            Node 0, zone      DMA
              per-node stats
                  nr_inactive_anon 0
                  nr_swapcached 0
              pages free     3912
                    min      57
                    low      71
                    high     85
                    spanned  4095
                    present  3998
                    managed  3912
                    cma      0
                    protection: (0, 2984, 2984, 2984, 2984)
                  nr_zspages   0
              pagesets
                cpu: 0
                          count: 0
                          high:  17
                          batch: 1
              vm stats threshold: 6
              node_unreclaimable:  0
              start_pfn:           1
        "#]],
    );
}

#[test]
fn free_blocks_of_an_idle_machine_add_up_on_every_machine_and_kernel() {
    for profile in facts::profile::profiles() {
        for kernel in facts::kernel::kernels() {
            let view = at_rest(&profile.id, kernel.id);
            for zone in view.nodes.iter().flat_map(|node| &node.zones) {
                let sum = |types: &Vec<u64>| types.iter().sum::<u64>();
                let orders = zone.free_area.iter().enumerate();
                let pages: u64 = orders.map(|(order, types)| sum(types) << order).sum();
                assert_eq!(pages, zone.free, "{} {}", profile.id, kernel.id);
            }
        }
    }
}

/// Free blocks of the first populated zone, by order and type.
fn blocks_of(view: &mut ProcView) -> &mut Vec<Vec<u64>> {
    let zones = &mut view.nodes[0].zones;
    let zone = zones.iter_mut().find(|zone| zone.is_populated());
    &mut zone.expect("a zone").free_area
}

#[test]
fn prints_fragmentation_indices_with_three_decimals() {
    let mut view = at_rest("sh4-16m-teach", "2.6.37");
    // 10 single pages and 5 pairs of two types, one block of eight.
    let blocks = [(6, 4), (3, 2), (0, 0), (0, 1)];
    for (order, row) in blocks_of(&mut view).iter_mut().enumerate() {
        row.fill(0);
        (row[0], row[2]) = blocks.get(order).copied().unwrap_or_default();
    }
    let features = features("2.6.37");
    expect![[r#"
        Node 0, zone   Normal 0.000 0.357 0.714 0.714 1.000 1.000 1.000 1.000 1.000 1.000 1.000 
    "#]]
    .assert_eq(&unusable_index(features, &view));
    expect![[r#"
        Node 0, zone   Normal -1.000 -1.000 -1.000 -1.000 0.829 0.883 0.911 0.924 0.931 0.935 0.936 
    "#]]
    .assert_eq(&extfrag_index(features, &view));
    // A block of half the size is neither lack of memory nor fragmentation.
    for row in blocks_of(&mut view) {
        row.fill(0);
    }
    blocks_of(&mut view)[8][0] = 1;
    expect![[r#"
        Node 0, zone   Normal -1.000 -1.000 -1.000 -1.000 -1.000 -1.000 -1.000 -1.000 -1.000 0.-500 0.-250 
    "#]]
    .assert_eq(&extfrag_index(features, &view));
    let without = self::features("lumpyreclaim-traceonly");
    assert_eq!(unusable_index(without, &view), "");
    assert_eq!(extfrag_index(without, &view), "");
}

#[test]
fn an_idle_machine_prints_its_free_blocks() {
    expect![[r#"
        Node 0, zone      DMA      0      0      0      0      1      1      1      1      1      0      0 
        Node 0, zone    DMA32      0      0      0      1      1      1      1      1      1      0      0 
        Node 0, zone   Normal      0      0      0      0      0      0      0      0      0      1      0 
        Node 1, zone   Normal      0      0      0      0      1      1      1      1      1      1      0 
    "#]].assert_eq(&buddyinfo(&at_rest("x86_64-2node-teach", "3.0")));
    expect![[r#"
        Page block order: 9
        Pages per block:  512

        Free pages count per migrate type at order       0      1      2      3      4      5      6      7      8      9     10 
        Node    0, zone      DMA, type    Unmovable      0      0      0      0      0      0      0      0      0      0      0 
        Node    0, zone      DMA, type  Reclaimable      0      0      0      0      0      0      0      0      0      0      0 
        Node    0, zone      DMA, type      Movable      2      1      1      2      1      1      0      0      1      1      2 
        Node    0, zone      DMA, type      Reserve      0      0      0      0      0      0      0      0      0      0      1 
        Node    0, zone      DMA, type      Isolate      0      0      0      0      0      0      0      0      0      0      0 
        Node    0, zone    DMA32, type    Unmovable      0      0      0      0      0      0      0      0      0      0      0 
        Node    0, zone    DMA32, type  Reclaimable      0      0      0      0      0      0      0      0      0      0      0 
        Node    0, zone    DMA32, type      Movable      0      0      0      0      0      1      1      0      0      0    745 
        Node    0, zone    DMA32, type      Reserve      0      0      0      0      0      0      0      0      0      0      1 
        Node    0, zone    DMA32, type      Isolate      0      0      0      0      0      0      0      0      0      0      0 

        Number of blocks type     Unmovable  Reclaimable      Movable      Reserve      Isolate 
        Node 0, zone      DMA            0            0            7            1            0 
        Node 0, zone    DMA32            0            0         1526            2            0 
    "#]].assert_eq(&pagetypeinfo(
        features("3.16"),
        &at_rest("x86_64-3g", "3.16"),
    ));
}

#[test]
fn pagetypeinfo_caps_long_counts_from_5_5_on() {
    let mut view = at_rest("x86_64-3g-teach", "6.1");
    view.nodes[0].zones[0].free_area[0][0] = 123_456;
    let row = |kernel: &str| {
        let text = pagetypeinfo(features(kernel), &view);
        text.lines().nth(4).expect("a row")[..62].to_string()
    };
    assert_eq!(
        row("6.1"),
        "Node    0, zone      DMA, type    Unmovable >100000      0    "
    );
    assert_eq!(
        row("3.16"),
        "Node    0, zone      DMA, type    Unmovable 123456      0     "
    );
}
