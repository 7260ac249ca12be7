//! Importing texts whose numbers are public, and texts of kernels between the modelled ones.

use crate::support;

use std::fmt::Write;

use facts::arch::{Arch, ZoneType};
use facts::layout::Layout;
use facts::procfs::import::{ImportOptions, ImportReport, import_zoneinfo};
use facts::procfs::{view_at_rest, zoneinfo};
use facts::profile::{MachineProfile, check};
use facts::tunables::Tunables;
use support::features;

fn import(text: &str) -> ImportReport {
    import_zoneinfo(text, &ImportOptions::default()).expect("an importable text")
}

/// The text of an idle machine.
fn printed(profile: &MachineProfile, kernel: &str) -> String {
    let features = features(kernel);
    let (tunables, _) = Tunables::of(profile, features);
    let layout = Layout::new(profile, features);
    zoneinfo(
        features,
        &view_at_rest(&layout, features, &tunables, profile.thp),
    )
}

/// One zone of an old text with `cpus` equal per-cpu lists.
struct OldZone {
    name: &'static str,
    marks: [u64; 3],
    spanned: u64,
    present: u64,
    protection: &'static str,
    start_pfn: u64,
    list: [u64; 3],
    inactive_ratio: u64,
}

fn old_text(cpus: usize, zones: &[OldZone]) -> String {
    let mut text = String::new();
    for zone in zones {
        let [min, low, high] = zone.marks;
        let [list_high, batch, threshold] = zone.list;
        let _ = write!(
            text,
            "Node 0, zone {:>8}\n  pages free     9\n        min      {min}\n        low      {low}\n        high     {high}\n        scanned  0\n        spanned  {}\n        present  {}\n    nr_free_pages 9\n    nr_anon_transparent_hugepages 0\n        protection: ({})\n  pagesets\n",
            zone.name, zone.spanned, zone.present, zone.protection
        );
        for cpu in 0..cpus {
            let _ = write!(
                text,
                "    cpu: {cpu}\n              count: 0\n              high:  {list_high}\n              batch: {batch}\n  vm stats threshold: {threshold}\n"
            );
        }
        let _ = write!(
            text,
            "  all_unreclaimable: 0\n  start_pfn:         {}\n  inactive_ratio:    {}\n",
            zone.start_pfn, zone.inactive_ratio
        );
    }
    text
}

#[test]
fn a_16_gib_desktop_of_2012_prints_the_numbers_its_owner_published() {
    // Page counts and watermarks of a 3.6 kernel on 12 CPUs, from a public bug report.
    let text = old_text(
        12,
        &[
            OldZone {
                name: "DMA",
                marks: [16, 20, 24],
                spanned: 4080,
                present: 3911,
                protection: "0, 2434, 16042, 16042",
                start_pfn: 16,
                list: [0, 1, 8],
                inactive_ratio: 1,
            },
            OldZone {
                name: "DMA32",
                marks: [2561, 3201, 3841],
                spanned: 1_044_480,
                present: 623_163,
                protection: "0, 0, 13608, 13608",
                start_pfn: 4096,
                list: [186, 31, 48],
                inactive_ratio: 4,
            },
            OldZone {
                name: "Normal",
                marks: [14318, 17897, 21477],
                spanned: 3_538_944,
                present: 3_483_648,
                protection: "0, 0, 0, 0",
                start_pfn: 1_048_576,
                list: [186, 31, 64],
                inactive_ratio: 11,
            },
        ],
    );
    let report = import(&text);
    assert_eq!(
        (report.kernel.as_str(), report.machine.arch),
        ("3.0", Arch::X86_64)
    );
    assert_eq!(report.machine.tunables["vm.min_free_kbytes"], "67584");
    assert!(report.check.iter().all(|zone| zone.differences.is_empty()));
    let again = printed(&report.machine, "3.0");
    let same = |line: &&str| {
        !line.trim().starts_with("pages free") && !line.contains("nr_") && !line.contains("numa_")
    };
    assert!(text.lines().filter(same).eq(again.lines().filter(same)));
}

#[test]
fn watermarks_of_many_nodes_that_fit_no_rule_are_checked_quickly() {
    let zone = |node: usize| {
        format!(
            "Node {node}, zone   Normal\n  pages free 9\n min {}\n low {}\n high {}\n spanned 70000\n present 70000\n managed 60000\n protection: (0, 0)\n start_pfn: {}\n",
            100 + node * node % 7,
            200 + node,
            300 + node * 2,
            node * 70_000
        )
    };
    let text = |nodes: usize| (0..nodes).map(zone).collect::<String>();
    let options = ImportOptions {
        kernel: Some("6.1".to_string()),
        ..ImportOptions::default()
    };
    assert!(import_zoneinfo(&text(64), &options).is_ok());
    assert!(import_zoneinfo(&text(48), &options).is_ok());
    let refused = import_zoneinfo(&text(1000), &options).expect_err("too many nodes");
    assert!(refused[0].reason.contains("at most 64"));
}

#[test]
fn a_ppc64_guest_of_4_11_with_a_movable_node_is_described() {
    // Numbers of a public report: 64 KiB pages, node 1 brought online as Movable, and a kernel
    // that printed populated zones only.
    let zone = |node: u16, name: &str, managed: u64, threshold: u64| {
        format!(
            "Node {node}, zone {name:>8}\n  per-node stats\n      nr_inactive_anon 418\n  pages free     53520\n        min      63\n        low      128\n        high     193\n   node_scanned  0\n        spanned  65536\n        present  65536\n        managed  {managed}\n      nr_free_pages 53520\n        protection: (0, 0, 0, 0)\n  pagesets\n    cpu: 0\n              count: 2\n              high:  6\n              batch: 1\n  vm stats threshold: {threshold}\n  node_unreclaimable:  0\n  start_pfn:           {}\n  node_inactive_ratio: 0\n",
            u64::from(node) * 65536
        )
    };
    let text = zone(0, "DMA", 65218, 12) + &zone(1, "Movable", 65536, 14);
    let report = import(&text);
    assert_eq!(report.kernel, "4.9");
    assert_eq!(report.machine.arch, Arch::Ppc64);
    assert_eq!(check(&report.machine), vec![]);
    assert_eq!(report.machine.nodes[1].movable_from_pfn, Some(65536));
    assert_eq!(report.machine.nodes[0].reserved[&ZoneType::Dma], 318);
    for zone in &report.check {
        assert_eq!(zone.differences, vec![], "{}", zone.zone);
    }
}
