//! Zonelist and node order against worked examples and a real kernel's boot log.

use crate::support;

use facts::arch::{Arch, ZoneType};
use facts::layout::Layout;
use facts::profile::{MachineProfile, ZonelistChoice, find};
use facts::zonelist::{build_zonelists, node_orders};
use proptest::prelude::*;
use support::{Zone, features, machine};

fn lists(profile: &MachineProfile, kernel: &str, requested: ZonelistChoice) -> Vec<String> {
    let features = features(kernel);
    let layout = Layout::new(profile, features);
    build_zonelists(&layout, features, requested)
        .iter()
        .map(|list| {
            let stops = list.fallback.iter();
            let names: Vec<String> = stops
                .map(|at| format!("N{}.{}", at.node, layout.zone_types[at.zone].name()))
                .collect();
            names.join(" ")
        })
        .collect()
}

fn ready(id: &str) -> MachineProfile {
    find(id).expect("a ready-made machine")
}

#[test]
fn a_large_two_node_machine_gets_zone_order_in_old_kernels() {
    for kernel in ["2.6.37", "3.0", "3.1", "3.16"] {
        assert_eq!(
            lists(&ready("x86_64-2node"), kernel, ZonelistChoice::Default),
            [
                "N0.Normal N1.Normal N0.DMA32 N0.DMA",
                "N1.Normal N0.Normal N0.DMA32 N0.DMA"
            ]
        );
    }
    for kernel in ["5.10", "5.15", "6.1", "6.12"] {
        assert_eq!(
            lists(&ready("x86_64-2node"), kernel, ZonelistChoice::Zone),
            [
                "N0.Normal N0.DMA32 N0.DMA N1.Normal",
                "N1.Normal N0.Normal N0.DMA32 N0.DMA"
            ]
        );
    }
}

#[test]
fn a_node_with_mostly_low_memory_or_without_normal_gets_node_order() {
    let normal = |pages| (ZoneType::Normal, pages, pages);
    let low: [Zone; 2] = [
        (ZoneType::Dma, 3956, 3956),
        (ZoneType::Dma32, 768_056, 768_056),
    ];
    let eight_gib = machine(
        Arch::X86_64,
        4,
        &[
            (4, vec![low[0], low[1], normal(255_000)]),
            (4, vec![normal(1_040_000)]),
        ],
    );
    assert_eq!(
        lists(&eight_gib, "3.0", ZonelistChoice::Default)[0],
        "N0.Normal N0.DMA32 N0.DMA N1.Normal"
    );
    assert_eq!(
        lists(&eight_gib, "3.0", ZonelistChoice::Zone)[0],
        "N0.Normal N1.Normal N0.DMA32 N0.DMA"
    );
    let small = machine(
        Arch::X86_64,
        4,
        &[(4, low.to_vec()), (4, vec![normal(780_000)])],
    );
    assert_eq!(
        lists(&small, "3.0", ZonelistChoice::Default),
        ["N0.DMA32 N0.DMA N1.Normal", "N1.Normal N0.DMA32 N0.DMA"]
    );
    assert_eq!(
        lists(&ready("ppc64-16m-64k"), "3.0", ZonelistChoice::Default),
        ["N0.DMA N1.DMA", "N1.DMA N0.DMA"]
    );
}

fn orders(cpus: &[u16], distances: Vec<Vec<u8>>, kernel: &str) -> (Vec<String>, Vec<u64>) {
    let nodes: Vec<(u16, Vec<Zone>)> = cpus
        .iter()
        .map(|&cpus| (cpus, vec![(ZoneType::Normal, 1000, 1000)]))
        .collect();
    let mut profile = machine(Arch::X86_64, 4, &nodes);
    profile.distances = distances;
    let features = features(kernel);
    let (orders, load) = node_orders(&Layout::new(&profile, features), features);
    let text = |order: &Vec<usize>| {
        let ids: Vec<String> = order.iter().map(usize::to_string).collect();
        ids.join(" ")
    };
    (orders.iter().map(text).collect(), load)
}

fn all_remote_20(nodes: usize) -> Vec<Vec<u8>> {
    let distance = |from, to| if from == to { 10 } else { 20 };
    let row = |from| (0..nodes).map(|to| distance(from, to)).collect();
    (0..nodes).map(row).collect()
}

#[test]
fn nodes_in_pairs_fall_back_to_their_partner_first() {
    let pairs = vec![
        vec![10, 21, 31, 31],
        vec![21, 10, 31, 31],
        vec![31, 31, 10, 21],
        vec![31, 31, 21, 10],
    ];
    let (nodes, load) = orders(&[1; 4], pairs, "3.0");
    assert_eq!(nodes, ["0 1 2 3", "1 0 3 2", "2 3 0 1", "3 2 0 1"]);
    assert_eq!(load, [2, 3, 3, 3]);
}

#[test]
fn equally_distant_nodes_fall_back_in_the_order_of_a_6_1_guest() {
    // "Fallback order for Node 1: 1 2 3 0" and so on.
    for kernel in ["3.0", "6.1"] {
        let (nodes, _) = orders(&[1; 4], all_remote_20(4), kernel);
        assert_eq!(nodes, ["0 1 2 3", "1 2 3 0", "2 3 0 1", "3 0 1 2"]);
    }
    let (nodes, _) = orders(&[1, 1, 0], all_remote_20(3), "3.0");
    assert_eq!(nodes, ["0 2 1", "1 2 0", "2 0 1"]);
}

proptest! {
    #[test]
    fn every_zonelist_has_each_populated_zone_once(
        sizes in prop::collection::vec(prop::collection::vec(0u64..5000, 3), 1..6),
        kernel in prop::sample::select(vec!["2.6.37", "3.16", "6.1"]),
        requested in prop::sample::select(vec![
            ZonelistChoice::Default, ZonelistChoice::Node, ZonelistChoice::Zone,
        ]),
    ) {
        let kinds = [ZoneType::Dma, ZoneType::Dma32, ZoneType::Normal];
        let nodes: Vec<(u16, Vec<Zone>)> = sizes
            .iter()
            .map(|pages| {
                let zones = kinds.iter().zip(pages);
                (1, zones.map(|(&kind, &pages)| (kind, pages / 6, pages / 6)).collect())
            })
            .collect();
        let profile = machine(Arch::X86_64, 4, &nodes);
        let features = features(kernel);
        let layout = Layout::new(&profile, features);
        let populated = layout.zones().filter(|zone| zone.is_populated()).count();
        for list in build_zonelists(&layout, features, requested) {
            let mut seen: Vec<(usize, usize)> =
                list.fallback.iter().map(|at| (at.node, at.zone)).collect();
            prop_assert_eq!(seen.len(), populated);
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), populated);
        }
    }
}
