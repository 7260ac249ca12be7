//! Importing pasted zoneinfo texts: real ones, texts of older kernels, and texts that must be refused.

use crate::support;

use std::fmt::Write;

use facts::arch::{Arch, ZoneType};
use facts::kernel;
use facts::layout::Layout;
use facts::procfs::import::{ImportOptions, ImportReport, import_zoneinfo};
use facts::procfs::{view_at_rest, zoneinfo};
use facts::profile::{MachineProfile, check, find, profiles};
use facts::tunables::Tunables;
use proptest::prelude::*;
use support::{features, machine};

fn import(text: &str) -> ImportReport {
    import_zoneinfo(text, &ImportOptions::default()).expect("an importable text")
}

fn refusals(text: &str) -> Vec<(String, String)> {
    let found = import_zoneinfo(text, &ImportOptions::default()).expect_err("a refusal");
    found.into_iter().map(|r| (r.path, r.reason)).collect()
}

/// The text of an idle machine.
fn printed(profile: &MachineProfile, kernel: &str) -> String {
    let features = features(kernel);
    let (tunables, refused) = Tunables::of(profile, features);
    assert_eq!(refused, vec![]);
    let layout = Layout::new(profile, features);
    zoneinfo(
        features,
        &view_at_rest(&layout, features, &tunables, profile.thp),
    )
}

/// Zone rows that a machine decides: everything but free pages and counters.
fn decided(text: &str) -> Vec<String> {
    let is_decided = |line: &&str| {
        let first = line.split_whitespace().next().unwrap_or("");
        let rows = [
            "Node",
            "min",
            "low",
            "high",
            "promo",
            "spanned",
            "present",
            "managed",
            "protection:",
            "start_pfn:",
            "cpu:",
            "batch:",
            "vm",
        ];
        rows.contains(&first)
    };
    text.lines()
        .filter(is_decided)
        .map(str::to_string)
        .collect()
}

fn inferred<'a>(report: &'a ImportReport, what: &str) -> &'a str {
    let found = report.inferred.iter().find(|fact| fact.what == what);
    found.map_or("", |fact| &fact.value)
}

struct Dump {
    text: &'static str,
    kernel: &'static str,
    arch: Arch,
    page_kib: u32,
    /// The value of `/proc/sys/vm/min_free_kbytes`.
    min_free_kbytes: u64,
}

macro_rules! sample {
    ($dir:literal, $kernel:literal, $arch:expr, $kib:literal, $free:literal) => {
        Dump {
            text: include_str!(concat!("../../mm/tests/data/", $dir, "/zoneinfo.txt")),
            kernel: $kernel,
            arch: $arch,
            page_kib: $kib,
            min_free_kbytes: $free,
        }
    };
}

fn samples() -> Vec<Dump> {
    vec![
        sample!("x86_64-5.10-1g-1n", "5.10", Arch::X86_64, 4, 45_056),
        sample!("x86_64-6.1-1g-1n", "6.1", Arch::X86_64, 4, 45_056),
        sample!("x86_64-6.1-256m-1n-nothp", "6.1", Arch::X86_64, 4, 1786),
        sample!("x86_64-6.1-3g-1n", "6.1", Arch::X86_64, 4, 67_584),
        sample!("x86_64-6.1-4x512m-4n", "6.1", Arch::X86_64, 4, 99776),
        sample!("x86_64-6.1-512m512m-2n", "6.1", Arch::X86_64, 4, 48_396),
        sample!("ppc64el-6.1-p8-1g-1n", "6.1", Arch::Ppc64, 64, 48_960),
        sample!("ppc64el-6.1-p8-1g1g-2n", "6.1", Arch::Ppc64, 64, 101_248),
        sample!("ppc64el-6.12-p8-2g-1n", "6.12", Arch::Ppc64, 4, 5669),
    ]
}

#[test]
fn real_boots_are_recognized_and_every_difference_is_explained() {
    for sample in samples() {
        let report = import(sample.text);
        assert_eq!(report.kernel, sample.kernel);
        assert_eq!(report.machine.arch, sample.arch);
        assert_eq!(report.machine.page_size_kib, sample.page_kib);
        assert_eq!(check(&report.machine), vec![]);
        // Only whole pages matter to the watermarks. If several zones grew after boot (four nodes), the min
        // watermarks at boot are known only to within a page.
        let doubt = u64::from(report.machine.nodes.len() > 2);
        let kib: u64 = report.machine.tunables["vm.min_free_kbytes"]
            .parse()
            .expect("KiB");
        let page_kib = u64::from(sample.page_kib);
        let pages = sample.min_free_kbytes / page_kib;
        assert!((kib / page_kib).abs_diff(pages) <= doubt, "{kib} KiB");
        for zone in &report.check {
            for difference in &zone.differences {
                assert!(
                    difference.reason.starts_with("managed was smaller"),
                    "{} node {} {}: {difference:?}",
                    report.machine.title,
                    zone.node,
                    zone.zone
                );
            }
        }
    }
}

#[test]
fn an_imported_machine_prints_the_zones_it_was_imported_from() {
    for sample in samples() {
        let report = import(sample.text);
        let again = decided(&printed(&report.machine, sample.kernel));
        let own_marks = |line: &String| {
            let first = line.split_whitespace().next().unwrap_or("");
            !["min", "low", "high", "high:", "promo", "protection:"].contains(&first)
        };
        let keep = |lines: Vec<String>| lines.into_iter().filter(own_marks).collect::<Vec<_>>();
        assert_eq!(keep(again), keep(decided(sample.text)));
    }
}

#[test]
fn every_ready_made_machine_can_be_printed_and_imported_again_in_every_kernel() {
    for profile in profiles() {
        for kernel in kernel::kernels() {
            let text = printed(&profile, kernel.id);
            let options = ImportOptions {
                kernel: Some(kernel.id.to_string()),
                page_size_kib: Some(profile.page_size_kib),
                ..ImportOptions::default()
            };
            let report = import_zoneinfo(&text, &options)
                .unwrap_or_else(|refused| panic!("{} {}: {refused:?}", profile.id, kernel.id));
            let at = format!("{} {}", profile.id, kernel.id);
            for zone in &report.check {
                assert_eq!(zone.differences, vec![], "{at} {}", zone.zone);
            }
            assert_eq!(
                decided(&printed(&report.machine, kernel.id)),
                decided(&text),
                "{at}"
            );
        }
    }
}

#[test]
fn infers_the_kernel_from_the_rows_of_the_text() {
    for (kernel, expected) in [
        ("2.6.37", "2.6.37"),
        ("3.0", "3.0"),
        ("3.1", "3.0"),
        ("3.7", "3.7"),
        ("3.8", "3.8"),
        ("3.10", "3.16"),
        ("3.16", "3.16"),
        ("4.4", "4.4"),
        ("4.9", "4.9"),
        ("4.14", "4.14"),
        ("4.19", "4.19"),
        ("5.4", "5.4"),
        ("5.10", "5.10"),
        ("5.15", "5.15"),
        ("6.1", "6.1"),
        ("6.12", "6.12"),
    ] {
        for id in ["x86_64-2node", "ppc64-16m-64k", "ppc64-16m-4k"] {
            let profile = find(id).expect("a ready-made machine");
            let report = import(&printed(&profile, kernel));
            assert_eq!(report.kernel, expected);
            assert_eq!(report.machine.arch, profile.arch, "{id} {kernel}");
            assert_eq!(
                report.machine.page_size_kib, profile.page_size_kib,
                "{id} {kernel}"
            );
        }
    }
}

#[test]
fn tunables_set_by_hand_are_detected() {
    let mut profile = find("x86_64-2node").expect("a ready-made machine");
    for (name, value) in [
        ("vm.min_free_kbytes", "123456"),
        ("vm.watermark_scale_factor", "150"),
        ("vm.lowmem_reserve_ratio", "64 100 32 0 0"),
    ] {
        profile.tunables.insert(name.to_string(), value.to_string());
    }
    let report = import(&printed(&profile, "6.1"));
    assert_eq!(report.machine.tunables["vm.min_free_kbytes"], "123456");
    assert_eq!(report.machine.tunables["vm.watermark_scale_factor"], "150");
    assert_eq!(
        report.machine.tunables["vm.lowmem_reserve_ratio"],
        "64 100 32 0 0"
    );
    assert!(report.check.iter().all(|zone| zone.differences.is_empty()));
}

/// A text with `from` replaced by `to` everywhere.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} is not in the text");
    text.replace(from, to)
}

#[test]
fn a_boost_is_named_with_or_without_its_row() {
    let profile = find("x86_64-8g").expect("a ready-made machine");
    let text = printed(&profile, "6.1");
    let boosted = edited(&text, "min      10574", "min      11086");
    let boosted = edited(&boosted, "low      13217", "low      13729");
    let boosted = edited(&boosted, "high     15860", "high     16372");
    let at = boosted.find("min      11086").expect("just edited");
    let row = boosted[..at].rfind("boost    0").expect("a boost row");
    let mut with_row = boosted.clone();
    with_row.replace_range(row..row + 10, "boost    512");
    let reasons = |text: &str| -> Vec<String> {
        let report = import(text);
        let zones = report.check.into_iter().flat_map(|zone| zone.differences);
        zones.map(|difference| difference.reason).collect()
    };
    assert_eq!(reasons(&with_row), ["boosted by 512 pages"; 3]);
    let without = boosted.replace("        boost    0\n", "");
    assert_eq!(
        reasons(&without),
        ["boosted by 512 pages: min, low and high are all higher by this number"; 3]
    );
}

#[test]
fn a_watermark_that_fits_no_rule_is_reported_as_set_by_hand() {
    let profile = find("x86_64-8g").expect("a ready-made machine");
    let text = edited(
        &printed(&profile, "6.1"),
        "high     15860",
        "high     19999",
    );
    let report = import(&text);
    let found: Vec<_> = report
        .check
        .iter()
        .flat_map(|zone| &zone.differences)
        .collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].dump, found[0].computed), (19999, 15860));
    assert!(found[0].reason.starts_with("set by hand"));
}

#[test]
fn finds_zoneinfo_inside_other_text_and_without_indentation() {
    for text in [
        include_str!("../../mm/tests/data/dyn-x86_64-6.1-512m512m-2n-reader/before.txt"),
        include_str!("../../mm/tests/data/dyn-x86_64-6.1-512m-1n-hog/before.txt"),
        include_str!("../../mm/tests/data/dyn-ppc64el-6.1-p8-1g-1n-huge/before.txt"),
        include_str!("../../mm/tests/data/dyn-x86_64-5.10-512m-1n-storm/after.txt"),
    ] {
        let whole = import(text);
        let end = text.find("=== vmstat").expect("a vmstat section");
        assert_eq!(whole, import(&text[..end]));
        // With a vmstat right after it, and with a shell prompt around it.
        let run_on = text.replacen("=== vmstat\n", "", 1);
        assert_eq!(whole, import(&run_on));
        let flat: String = text.lines().fold(String::new(), |mut flat, line| {
            let _ = write!(flat, "{}\r\n", line.trim());
            flat
        });
        assert_eq!(whole, import(&flat));
    }
    let text = include_str!("../../mm/tests/data/x86_64-6.1-3g-1n/zoneinfo.txt");
    let prompted = format!("me@host:~$ cat /proc/zoneinfo\n{text}me@host:~$ \n");
    assert_eq!(import(text).machine, import(&prompted).machine);
}

#[test]
fn unknown_and_missing_rows_are_accepted() {
    let text = include_str!("../../mm/tests/data/x86_64-6.1-1g-1n/zoneinfo.txt");
    let whole = import(text);
    let more = text.replace(
        "        cma      0\n",
        "        cma      0\n        newrow   7\n",
    );
    let more = more.replace(
        "              batch: 1\n",
        "              batch: 1\n              high_min: 4\n",
    );
    assert_eq!(import(&more).machine, whole.machine);
    let fewer: String = text
        .lines()
        .filter(|line| !line.contains("numa_") && !line.contains("cma "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(import(&fewer).machine, whole.machine);
    // Only the blocks of page counts: no counters, lists or start_pfn.
    let top: String = text
        .lines()
        .filter(|line| decided(line).len() == 1 && !line.contains("start_pfn"))
        .filter(|line| {
            !["cpu:", "batch:", "vm", "high:"]
                .contains(&line.split_whitespace().next().unwrap_or(""))
        })
        .map(|line| format!("{line}\n"))
        .collect();
    let report = import(&top);
    assert_eq!(
        inferred(&report, "start_pfn"),
        "zones placed one after the other"
    );
    assert_eq!(
        report.machine.nodes[0].ranges,
        whole.machine.nodes[0].ranges
    );
}

#[test]
fn a_32_bit_text_is_described_but_not_run() {
    let mut text = String::new();
    for (name, start, pages, marks, protection) in [
        ("DMA", 1, 3946, (16, 20, 24), "0, 857, 3014, 3014"),
        (
            "Normal",
            4096,
            215_454,
            (918, 1147, 1377),
            "0, 0, 17258, 17258",
        ),
        ("HighMem", 229_376, 552_256, (128, 357, 587), "0, 0, 0, 0"),
    ] {
        let _ = write!(
            text,
            "Node 0, zone {name:>8}\n  pages free     100\n        min      {}\n        low      {}\n        high     {}\n        scanned  0\n        spanned  {pages}\n        present  {pages}\n    nr_free_pages 100\n        protection: ({protection})\n  pagesets\n    cpu: 0\n              count: 0\n              high:  186\n              batch: 31\n  vm stats threshold: 8\n  all_unreclaimable: 0\n  start_pfn:         {start}\n  inactive_ratio:    1\n",
            marks.0, marks.1, marks.2
        );
    }
    let report = import(&text);
    assert_eq!(inferred(&report, "arch"), "not simulated");
    let high: Vec<&str> = report
        .not_simulated
        .iter()
        .map(|zone| zone.zone.as_str())
        .collect();
    assert!(high.contains(&"HighMem"));
    assert_eq!(check(&report.machine), vec![]);
    assert_ne!(facts::profile::check_runnable(&report.machine), vec![]);
    assert_eq!(report.check[1].computed.protection[2], 17258);
}

#[test]
fn refusals_name_the_line_and_what_was_expected() {
    let expect_one = |text: &str, path: &str, reason: &str| {
        let found = refusals(text);
        assert!(
            found.iter().any(|(p, r)| p == path && r.contains(reason)),
            "expected {path}: {reason}\nfound {found:?}"
        );
    };
    let text = include_str!("../../mm/tests/data/x86_64-6.1-1g-1n/zoneinfo.txt");
    expect_one("", "line 1", "no zone found");
    expect_one("Hello\nworld\n", "line 1", "no zone found");
    expect_one(
        &edited(text, "min      177", "min      many"),
        "line 48",
        "whole number after \"min\"",
    );
    expect_one(
        &edited(text, "present  3998", "present  99999999999999999999999"),
        "line 52",
        "too large",
    );
    expect_one(
        &edited(text, "present  3998", "present  9999999999999999999"),
        "line 1",
        "more pages than any machine",
    );
    expect_one(
        &edited(text, "present  3998", "present  4998"),
        "line 1",
        "managed <= present <= spanned",
    );
    expect_one(
        &edited(text, "zone   Normal", "zone    DMA32"),
        "line 127",
        "second zone DMA32",
    );
    expect_one(
        &edited(text, "zone   Normal", "zone      DMA"),
        "line 127",
        "second zone DMA",
    );
    expect_one(
        &edited(text, "zone   Normal", "zone   Strang"),
        "line 127",
        "is not a zone",
    );
    expect_one(
        &edited(text, "Node 0, zone   Normal", "Node 70000, zone   Normal"),
        "line 127",
        "node number",
    );
    expect_one(
        &edited(text, "  pages free     3808", "  pages free"),
        "line 46",
        "cut off",
    );
    let cut_short = &text[..text.len() - 400];
    expect_one(cut_short, "line 140", "cut off");
    let one_row_less = text.replace("        spanned  4095\n", "");
    expect_one(&one_row_less, "line 1", "no row \"spanned\"");
    let twice = format!("{text}{text}");
    expect_one(&twice, "listing", "begin at lines 1, 160");
}

#[test]
fn a_text_cut_anywhere_is_refused_or_gives_the_same_zones() {
    for text in [
        include_str!("../../mm/tests/data/x86_64-6.1-512m512m-2n/zoneinfo.txt").to_string(),
        printed(&find("x86_64-8g").expect("a ready-made machine"), "3.0"),
    ] {
        let whole = import(&text);
        let zones = |report: &ImportReport| report.check.len();
        for end in (0..text.len()).step_by(7) {
            let cut = import_zoneinfo(&text[..end], &ImportOptions::default());
            if let Ok(report) = cut {
                // The watermarks of a single zone could be a part of the file.
                if report.caveats.iter().any(|c| c.contains("a part of")) {
                    assert!(!text[..end].contains("protection"), "{end}");
                    assert_eq!(report.check.len(), 1, "{end}");
                    continue;
                }
                // Only whole nodes or the end of the last number may be missing.
                assert_eq!(
                    report.machine.nodes[0].ranges, whole.machine.nodes[0].ranges,
                    "{end}"
                );
                assert!(
                    zones(&report) == zones(&whole) || report.machine.nodes.len() == 1,
                    "{end}: {}",
                    &text[end - 200..end]
                );
            }
        }
    }
}

#[test]
fn hostile_sizes_are_refused_quickly() {
    let many: String = (0..200_000).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "Node {}, zone      DMA", at % 1000);
        text
    });
    assert!(import_zoneinfo(&many, &ImportOptions::default()).is_err());
    let junk = "x".repeat(20 << 20);
    assert!(import_zoneinfo(&junk, &ImportOptions::default()).is_err());
    let lines = "nr_free_pages 1\n".repeat(1 << 20);
    assert!(import_zoneinfo(&lines, &ImportOptions::default()).is_err());
    let rows: String = (0..5000).fold("Node 0, zone DMA\n".to_string(), |mut text, at| {
        let _ = writeln!(text, "row_{at} 1");
        text
    });
    assert!(import_zoneinfo(&rows, &ImportOptions::default()).is_err());
}

#[test]
fn a_machine_of_64_tib_and_64_nodes_is_imported_from_its_text() {
    const TIB: u64 = 1 << 28;
    let mut nodes = vec![(
        4,
        vec![
            (ZoneType::Dma, 3840, 3998),
            (ZoneType::Dma32, 400_000, 500_000),
            (ZoneType::Normal, TIB - (1 << 21), TIB - (1 << 21)),
        ],
    )];
    nodes.extend((1..64).map(|_| (4, vec![(ZoneType::Normal, TIB - 7, TIB)])));
    let profile = machine(Arch::X86_64, 4, &nodes);
    assert_eq!(check(&profile), vec![]);
    for kernel in ["3.16", "6.12"] {
        let text = printed(&profile, kernel);
        let report = import(&text);
        assert_eq!(decided(&printed(&report.machine, kernel)), decided(&text));
        assert!(report.check.iter().all(|zone| zone.differences.is_empty()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_imported_or_refused_without_a_panic(text in ".{0,400}") {
        let _ = import_zoneinfo(&text, &ImportOptions::default());
    }

    #[test]
    fn a_mangled_text_never_panics_and_never_makes_an_invalid_machine(
        sample in 0usize..9,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..6, any::<u64>()), 1..6),
    ) {
        let mut lines: Vec<String> =
            samples()[sample].text.lines().map(str::to_string).collect();
        for (at, edit, number) in edits {
            let at = at.index(lines.len());
            match edit {
                0 => { lines.remove(at); }
                1 => lines.insert(at, number.to_string()),
                2 => {
                    let first = lines[at].trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
                    lines[at] = format!("{first}{number}");
                }
                3 => lines[at].truncate(number as usize % 40),
                4 => { let copy = lines[at].clone(); lines.insert(at, copy); }
                _ => lines.swap(0, at),
            }
            if lines.is_empty() { break; }
        }
        if let Ok(report) = import_zoneinfo(&lines.join("\n"), &ImportOptions::default()) {
            prop_assert_eq!(check(&report.machine), vec![]);
            let text = serde_json::to_string(&report.machine).expect("a machine can be written");
            let json = facts::read::parse(&text).expect("JSON");
            let back = facts::read::read(json, "machine").ok();
            prop_assert_eq!(back, Some(report.machine));
        }
    }

    #[test]
    fn random_machines_and_tunables_can_be_printed_and_imported_again(
        pages in prop::collection::vec(2_000u64..30_000_000, 3),
        reserved in 0u64..1000,
        min_free in 500u64..400_000,
        kernel in prop::sample::select(vec![
            "2.6.37", "3.0", "3.10", "3.16", "4.4", "4.9", "4.14", "4.19", "5.4", "5.10", "5.15", "6.1",
            "6.6", "6.12",
        ]),
    ) {
        let zones = vec![
            (ZoneType::Dma, 3000, 3998),
            (ZoneType::Dma32, (pages[0] % 900_000) + 1000, (pages[0] % 900_000) + 1000 + reserved),
            (ZoneType::Normal, pages[1] - reserved, pages[1]),
        ];
        let other = vec![(ZoneType::Normal, pages[2] - reserved, pages[2])];
        let mut profile = machine(Arch::X86_64, 4, &[(3, zones), (3, other)]);
        profile.tunables.insert("vm.min_free_kbytes".into(), min_free.to_string());
        let text = printed(&profile, kernel);
        let report = import_zoneinfo(&text, &ImportOptions::default()).expect("importable");
        for zone in &report.check {
            prop_assert_eq!(&zone.differences, &vec![]);
        }
        prop_assert_eq!(decided(&printed(&report.machine, kernel)), decided(&text));
    }
}

/// Imports what a machine prints under a kernel, and compares the result with the machine.
fn comes_back(profile: &MachineProfile, kernel: &str) -> ImportReport {
    assert_eq!(check(profile), vec![]);
    let text = printed(profile, kernel);
    let report = import(&text);
    for zone in &report.check {
        assert_eq!(zone.differences, vec![], "{kernel} {}", zone.zone);
    }
    assert_eq!(
        decided(&printed(&report.machine, &report.kernel)),
        decided(&text),
        "{kernel}"
    );
    report
}

#[test]
fn an_architecture_with_another_page_size_adds_a_caveat() {
    let text = printed(&find("ppc64-16m-64k").expect("a ready-made machine"), "6.1");
    let options = ImportOptions::from_json(r#"{"arch": "x86_64"}"#).expect("options");
    let report = import_zoneinfo(&text, &options).expect("a machine");
    assert_eq!(report.machine.page_size_kib, 4);
    let words = "another page size better than the given 4 KiB";
    let is_said = report.caveats.iter().any(|c| c.contains(words));
    assert!(is_said, "{:?}", report.caveats);
}

#[test]
fn an_import_keeps_the_zone_types_of_the_text() {
    let mut profile = find("x86_64-2node").expect("a ready-made machine");
    let mut zones = features("3.16").zone_set.borders(Arch::X86_64);
    profile.zones = Some(zones.clone());
    for kernel in ["5.10", "5.15", "6.1", "6.12"] {
        let report = comes_back(&profile, kernel);
        assert_eq!(report.machine.zones.as_ref().map(Vec::len), Some(4));
    }
    zones.remove(3);
    profile.zones = Some(zones);
    comes_back(&profile, "3.0");
}

#[test]
fn an_import_keeps_movable_zones_sparse_node_ids_and_nodes_without_memory() {
    for kernel in [
        "2.6.37", "3.10", "3.16", "4.4", "4.9", "4.14", "4.19", "5.4", "5.10", "6.1", "6.6", "6.12",
    ] {
        let mut profile = find("x86_64-2node").expect("a ready-made machine");
        let start = profile.nodes[1].ranges[0].start_pfn;
        profile.nodes[1].movable_from_pfn = Some(start + 700_000);
        comes_back(&profile, kernel);
        let mut sparse = find("ppc64-16m-64k").expect("a ready-made machine");
        sparse.nodes[1].id = Some(8);
        let report = comes_back(&sparse, kernel);
        assert_eq!(report.machine.nodes[1].id, Some(8));
    }
    let mut lonely = find("ppc64-16m-4k").expect("a ready-made machine");
    lonely.nodes[0].ranges.clear();
    comes_back(&lonely, "6.1");
}

#[test]
fn cpus_per_node_follow_the_per_cpu_lists_and_are_even_without_them() {
    let mut profile = find("x86_64-2node").expect("a ready-made machine");
    profile.nodes[0].cpus = 20;
    profile.nodes[1].cpus = 4;
    let report = comes_back(&profile, "6.1");
    let cpus: Vec<u16> = report.machine.nodes.iter().map(|node| node.cpus).collect();
    assert_eq!(cpus, [20, 4]);
    let report = comes_back(&profile, "3.0");
    let cpus: Vec<u16> = report.machine.nodes.iter().map(|node| node.cpus).collect();
    assert_eq!(cpus, [12, 12]);
}

#[test]
fn uses_given_settings_and_refuses_impossible_ones() {
    let text = include_str!("../../mm/tests/data/x86_64-6.1-1g-1n/zoneinfo.txt");
    let options = |json: &str| ImportOptions::from_json(json).expect("options");
    let given = import_zoneinfo(
        text,
        &options(r#"{"kernel": "6.1", "min_free_kbytes": 45056, "watermark_scale_factor": 10, "lowmem_reserve_ratio": [256, 256, 32, 0, 0]}"#),
    )
    .expect("importable");
    assert_eq!(given.machine.tunables["vm.min_free_kbytes"], "45056");
    for (json, path) in [
        (r#"{"kernel": "4.20"}"#, "kernel"),
        (r#"{"page_size_kib": 64}"#, "page_size_kib"),
        (r#"{"page_size_kib": 16}"#, "page_size_kib"),
        (
            r#"{"watermark_scale_factor": 0}"#,
            "vm.watermark_scale_factor",
        ),
        (r#"{"min_free_kbytes": 99999999999}"#, "vm.min_free_kbytes"),
        (r#"{"lowmem_reserve_ratio": [1]}"#, "lowmem_reserve_ratio"),
        (
            r#"{"kernel": "3.0", "watermark_scale_factor": 10}"#,
            "watermark_scale_factor",
        ),
    ] {
        let refused = import_zoneinfo(text, &options(json)).expect_err(json);
        assert_eq!(refused[0].path, path, "{json}");
    }
}
