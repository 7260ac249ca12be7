//! Importing listings as people publish them: truncated, quoted, with prefixes or comments, from kernels
//! between the modelled ones and from other architectures. The name of each file says what it contains.

use facts::arch::Arch;
use facts::procfs::import::{ImportOptions, ImportReport, import_zoneinfo};
use facts::profile::{check, check_runnable};
use proptest::prelude::*;

macro_rules! report {
    ($name:literal) => {
        include_str!(concat!("data/zoneinfo/", $name, ".txt"))
    };
}

const PLAIN: &str = report!("plain");

fn with(text: &str, options: &str) -> ImportReport {
    let options = ImportOptions::from_json(options).expect("options");
    import_zoneinfo(text, &options).unwrap_or_else(|refused| panic!("{refused:?}\n{text}"))
}

fn import(text: &str) -> ImportReport {
    with(text, "")
}

fn refused(text: &str, options: &str) -> (String, String) {
    let options = ImportOptions::from_json(options).expect("options");
    let mut found = import_zoneinfo(text, &options).expect_err("a refusal");
    assert_eq!(found.len(), 1, "{found:?}");
    let refusal = found.remove(0);
    (refusal.path, refusal.reason)
}

/// All reasons of differences, without consecutive duplicates.
fn reasons(report: &ImportReport) -> Vec<String> {
    let all = report.check.iter().flat_map(|zone| &zone.differences);
    let mut reasons: Vec<String> = all.map(|difference| difference.reason.clone()).collect();
    reasons.dedup();
    reasons
}

fn inferred<'a>(report: &'a ImportReport, what: &str) -> &'a str {
    let found = report.inferred.iter().find(|fact| fact.what == what);
    found.map_or("", |fact| &fact.value)
}

fn prefixed(text: &str, prefix: impl Fn(usize) -> String) -> String {
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| format!("{}{line}\n", prefix(at)))
        .collect()
}

#[test]
fn the_watermarks_of_the_plain_listing_follow_the_rules() {
    let report = import(PLAIN);
    assert_eq!(report.check.len(), 5);
    assert_eq!(reasons(&report), Vec::<String>::new());
    assert_eq!(report.cannot_run, None);
}

#[test]
fn reports_a_boost_although_another_zone_has_grown_since() {
    let report = import(report!("boost-without-row"));
    let normal = report.check.iter().find(|zone| zone.zone == "Normal");
    let normal = normal.expect("a zone Normal");
    assert_eq!(normal.differences.len(), 3);
    for difference in &normal.differences {
        assert!(
            difference.reason.starts_with("boosted by 15786 pages"),
            "{difference:?}"
        );
    }
    for reason in reasons(&report) {
        assert!(!reason.contains("by hand"), "{reason}");
    }
    assert_eq!(inferred(&report, "vm.min_free_kbytes"), "67584");
}

#[test]
fn protection_rows_prove_that_memory_was_added_after_boot() {
    let report = import(report!("memory-came-late"));
    let found = reasons(&report);
    assert!(!found.is_empty());
    for reason in found {
        assert!(
            reason.starts_with("managed was smaller when the kernel computed this"),
            "{reason}"
        );
    }
    assert_eq!(inferred(&report, "vm.min_free_kbytes"), "67584");
    assert_eq!(
        inferred(&report, "vm.lowmem_reserve_ratio"),
        "256 256 32 0 0"
    );
}

#[test]
fn watermarks_are_reported_as_set_by_hand_without_proof_of_added_memory() {
    let text = report!("memory-came-late").replace("min      4693", "min      4000");
    let found = reasons(&import(&text));
    assert!(
        found.iter().any(|reason| reason.contains("by hand")),
        "{found:?}"
    );
}

#[test]
fn empty_zones_keep_their_rows_in_kernels_before_5_8() {
    for (kernel, text) in [
        ("5.4", report!("empty-zones-keep-rows")),
        ("4.14", report!("empty-zones-keep-rows-highmem")),
    ] {
        let report = import(text);
        assert_eq!(report.kernel, kernel);
        assert_eq!(reasons(&report), Vec::<String>::new());
        let later = with(text, r#"{"kernel": "5.10"}"#);
        assert_eq!(reasons(&later), Vec::<String>::new());
        let rule = inferred(&later, "lowmem_reserve");
        assert_eq!(rule, "empty zones keep their rows");
    }
    let high = import(report!("empty-zones-keep-rows-highmem"));
    assert!(
        high.cannot_run
            .is_some_and(|reason| reason.contains("HighMem"))
    );
    assert_eq!(high.not_simulated.len(), 1);
}

#[test]
fn reports_an_unknown_architecture_and_accepts_a_chosen_one() {
    let text = report!("one-zone-normal");
    let report = import(text);
    let caveat = report
        .caveats
        .iter()
        .any(|c| c.contains("do not show the architecture"));
    assert!(caveat, "{:?}", report.caveats);
    assert!(report.machine.title.contains("unknown architecture"));
    assert_eq!(inferred(&report, "arch"), "unknown");
    let chosen = with(text, r#"{"arch": "x86_64"}"#);
    assert_eq!(chosen.machine.arch, Arch::X86_64);
    assert_eq!(chosen.machine.page_size_kib, 4);
    let caveat = chosen.caveats.iter().any(|c| c.contains("architecture"));
    assert!(!caveat, "{:?}", chosen.caveats);
    assert_eq!(check_runnable(&chosen.machine), vec![]);
    assert_eq!(reasons(&chosen), Vec::<String>::new());
    let power = with(text, r#"{"arch": "ppc64"}"#);
    assert_eq!(power.machine.arch, Arch::Ppc64);
    assert_eq!(inferred(&power, "arch"), "ppc64");
    let odd = ImportOptions::from_json(r#"{"arch": "arm64"}"#).expect_err("a refusal");
    assert_eq!(odd[0].path, "options.arch");
}

#[test]
fn a_given_page_size_is_used_or_refused() {
    let text = report!("arm64-64k-pages");
    let small = import(text);
    let large = with(text, r#"{"page_size_kib": 64}"#);
    assert_eq!(large.machine.page_size_kib, 64);
    assert_eq!(check(&large.machine), vec![]);
    let kib = |report: &ImportReport| -> u64 {
        inferred(report, "vm.min_free_kbytes").parse().expect("KiB")
    };
    assert_eq!(kib(&large) / 64, kib(&small) / 4);
    assert_eq!(reasons(&large), Vec::<String>::new());
    let (path, reason) = refused(PLAIN, r#"{"page_size_kib": 64}"#);
    assert_eq!(path, "page_size_kib");
    assert!(reason.contains("x86_64 have 4 KiB"), "{reason}");
}

#[test]
fn watermarks_of_an_empty_movable_zone_identify_6_6() {
    let report = import(report!("empty-movable-min-32"));
    assert_eq!(report.kernel, "6.6");
    assert_eq!(reasons(&report), Vec::<String>::new());
    let old = with(report!("empty-movable-min-32"), r#"{"kernel": "6.1"}"#);
    for reason in reasons(&old) {
        assert!(reason.starts_with("the rule of another kernel"), "{reason}");
    }
}

#[test]
fn skips_lines_between_rows_and_comments_after_them() {
    let whole = import(PLAIN);
    for text in [report!("rows-left-out"), report!("remarks-behind-numbers")] {
        let report = import(text);
        assert_eq!(report.machine, whole.machine);
        assert_eq!(report.check, whole.check);
    }
    for ornament in ["...", "…", "[snip]", "--", "- - -", "\u{a0}"] {
        let text = PLAIN.replace("  pagesets\n", &format!("{ornament}\n  pagesets\n"));
        assert_eq!(import(&text), whole, "{ornament}");
    }
    let text = PLAIN.replace("  pagesets\n", "(some lines were here)\n  pagesets\n");
    let options = ImportOptions::default();
    let found = import_zoneinfo(&text, &options).expect_err("a refusal");
    assert!(found[0].reason.contains("delete it"), "{found:?}");
}

#[test]
fn accepts_a_truncated_row_that_no_rule_uses() {
    let report = import(report!("cut-in-the-last-row"));
    assert_eq!(report.kernel, "3.0");
    assert_eq!(report.check.len(), 2);
    for row in ["nr_free_pages", "node_unreclaimable:"] {
        let lines = PLAIN
            .lines()
            .map(|line| match line.trim().starts_with(row) {
                true => format!("{row}\n"),
                false => format!("{line}\n"),
            });
        let text: String = lines.collect();
        assert_eq!(import(&text).machine, import(PLAIN).machine, "{row}");
    }
}

#[test]
fn checks_the_zones_of_an_incomplete_file() {
    let report = import(report!("grep-of-the-marks"));
    assert_eq!(report.kernel, "5.10");
    assert_eq!(report.machine.arch, Arch::X86_64);
    assert_eq!(report.check.len(), 3);
    assert_eq!(reasons(&report), Vec::<String>::new());
    assert_eq!(inferred(&report, "vm.min_free_kbytes"), "67584");
    assert!(
        report
            .caveats
            .iter()
            .any(|c| c.contains("a part of /proc/zoneinfo"))
    );
    let one = import(report!("grep-of-one-zone"));
    assert_eq!(one.check.len(), 1);
    assert_eq!(reasons(&one), Vec::<String>::new());
    // The first zone has only the counters of the node.
    let lines: Vec<&str> = include_str!("../../mm/tests/data/x86_64-6.1-3g-1n/zoneinfo.txt")
        .lines()
        .collect();
    let heads = (0..lines.len()).filter(|&at| lines[at].starts_with("Node"));
    let text: String = heads
        .map(|at| lines[at..(at + 10).min(lines.len())].join("\n") + "\n--\n")
        .collect();
    let few = import(&text);
    assert_eq!(
        (few.kernel.as_str(), few.check[0].zone.as_str()),
        ("6.1", "DMA32")
    );
    assert!(
        few.caveats
            .iter()
            .any(|c| c.contains("a part of /proc/zoneinfo"))
    );
    // If one zone lacks a row that the others have, the text was truncated.
    let text = PLAIN.replacen("        protection: (0, 2796, 4750, 4750, 4750)\n", "", 1);
    let (path, reason) = refused(&text, "");
    assert_eq!(path, "line 1");
    assert!(reason.contains("no row \"protection\""), "{reason}");
}

#[test]
fn zones_without_start_pfn_are_placed_by_their_architecture() {
    let whole = import(report!("without-device"));
    let report = import(report!("without-start-pfn"));
    assert_eq!(report.machine.arch, Arch::X86_64);
    assert_eq!(
        report.machine.nodes[0].ranges,
        whole.machine.nodes[0].ranges
    );
    assert_eq!(reasons(&report), Vec::<String>::new());
}

#[test]
fn asks_which_of_several_listings_to_use() {
    let after = PLAIN.replace("pages free     200000", "pages free     180000");
    let text = format!("before:\n\n{PLAIN}\nafter:\n\n{after}");
    let (path, reason) = refused(&text, "");
    assert_eq!(path, "listing");
    assert!(
        reason.contains("2 listings") && reason.contains("lines 3, "),
        "{reason}"
    );
    for listing in ["1", "2"] {
        let options = format!(r#"{{"listing": {listing}}}"#);
        assert_eq!(with(&text, &options).machine, import(PLAIN).machine);
    }
    for (listing, text, says) in [
        ("3", text.clone(), "listings 1 to 2"),
        ("0", text.clone(), "listings 1 to 2"),
        ("2", PLAIN.to_string(), "one listing"),
    ] {
        let (path, reason) = refused(&text, &format!(r#"{{"listing": {listing}}}"#));
        assert_eq!(path, "listing");
        assert!(reason.contains(says), "{reason}");
    }
    let thrice = format!("{PLAIN}{PLAIN}{PLAIN}");
    assert!(refused(&thrice, "").1.contains("3 listings"));
    // Listings of two machines, one of them truncated.
    let two = format!("{}{PLAIN}", report!("without-device"));
    assert_eq!(
        with(&two, r#"{"listing": 2}"#).machine,
        import(PLAIN).machine
    );
    let end = PLAIN.find("Node 0, zone   Normal").expect("a zone Normal");
    let cut = format!("{PLAIN}{}", &PLAIN[..end]);
    assert_eq!(
        with(&cut, r#"{"listing": 1}"#).machine,
        import(PLAIN).machine
    );
}

#[test]
fn a_machine_of_another_architecture_is_described_with_its_own_zones() {
    let report = import(report!("arm64-two-nodes"));
    assert!(
        report
            .machine
            .title
            .contains("unknown architecture, 2 nodes")
    );
    assert_eq!(report.not_simulated, vec![]);
    assert_eq!(report.cannot_run, None);
    assert!(
        report
            .caveats
            .iter()
            .any(|c| c.contains("neither x86_64 nor ppc64"))
    );
}

#[test]
fn the_first_caveat_names_what_the_engine_does_not_model() {
    let of = |kernel: &str| {
        let report = with(PLAIN, &format!(r#"{{"kernel": "{kernel}"}}"#));
        report.caveats.first().cloned().unwrap_or_default()
    };
    assert!(of("6.12").contains("memory compaction"));
    let newest = with(PLAIN, r#"{"kernel": "6.12"}"#);
    assert!(newest.caveats[1].contains("set the tunable lru_gen.enabled to 0"));
    let older = with(PLAIN, r#"{"kernel": "6.1"}"#);
    assert!(older.caveats.iter().all(|c| !c.contains("lru_gen")));
    assert!(of("5.10").starts_with("Kernel 5.10 may use"));
    assert!(import(PLAIN).caveats[0].starts_with("Kernels like 5.10"));
    let old = import(report!("cut-in-the-last-row"));
    assert!(
        old.caveats[0].contains("memory compaction"),
        "{:?}",
        old.caveats
    );
}

#[test]
fn refuses_other_proc_files_and_names_the_file_to_paste() {
    for (text, name) in [
        (
            "[  100.000002] Node 0 DMA free:15360kB boost:0kB min:128kB low:160kB high:192kB\n[  100.000003] lowmem_reserve[]: 0 2900 7850\n",
            "OOM kill",
        ),
        (
            "Node 0, zone      DMA      3      0      2      1      3      2      2      1      0      1      3 \n",
            "/proc/buddyinfo",
        ),
        (
            "> Node 0, zone      DMA      3      0      2      1      3      2      2      1      0      1      3 \n",
            "/proc/buddyinfo",
        ),
        (
            "Page block order: 9\nPages per block:  512\n",
            "/proc/pagetypeinfo",
        ),
        (
            "Node    0, zone      DMA, type    Unmovable      0      0      0      1\n",
            "/proc/pagetypeinfo",
        ),
        (
            "nr_free_pages 10000\nnr_zone_inactive_anon 60000\npgpgin 1000000\n",
            "/proc/vmstat",
        ),
        (
            "MemTotal:        8148432 kB\nMemFree:          212 kB\n",
            "meminfo",
        ),
        ("Node 0 MemTotal:        8148432 kB\n", "meminfo"),
        ("slabinfo - version: 2.1\n", "/proc/slabinfo"),
        (
            "available: 2 nodes (0-1)\nnode 0 cpus: 0 1\nnode 0 size: 7000 MB\n",
            "numactl",
        ),
        (
            "              total        used        free      shared\nMem:  1 2 3\n",
            "free",
        ),
        ("{\"machine\": {}}", "JSON"),
    ] {
        let (path, reason) = refused(text, "");
        assert_eq!(path, "line 1");
        assert!(reason.contains(name), "{name}: {reason}");
        assert!(reason.contains("/proc/zoneinfo"), "{reason}");
    }
    for text in ["Hello\n", "Look here: Node 0, zone   DMA\n"] {
        assert!(refused(text, "").1.contains("no zone found"), "{text}");
    }
}

#[test]
fn reads_a_log_whose_line_prefix_changes() {
    let text = prefixed(PLAIN, |line| match line % 2 {
        0 => "[   12.345678][    T1] ".to_string(),
        _ => "[   12.345678][    C0] ".to_string(),
    });
    assert_eq!(import(&text).machine, import(PLAIN).machine);
    let noise = "  pagesets\n[   12.345678][    T1] usb 1-1: new high-speed device\n";
    let noisy = text.replace("  pagesets\n", noise);
    assert_ne!(noisy, text);
    assert_eq!(import(&noisy).machine, import(PLAIN).machine);
}

#[test]
fn blank_lines_and_other_line_endings_change_nothing() {
    let whole = import(PLAIN);
    let doubled = PLAIN.replace('\n', "\n\n");
    assert_eq!(import(&doubled).machine, whole.machine);
    assert_eq!(import(&PLAIN.replace('\n', "\r\n")), whole);
    assert_eq!(import(&PLAIN.replace("  ", "\t")), whole);
    let between = PLAIN
        .replace("Node 0", "\nNode 0")
        .replace("  pagesets", "\n  pagesets");
    assert_eq!(import(&between).machine, whole.machine);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_prefix_or_a_comment_on_every_line_changes_nothing(
        kind in 0usize..10,
        number in 0u64..100_000_000,
        remark in prop::sample::select(vec!["", "   # note", "  // 55 of it", "\t<- here", " (ok)"]),
        space in prop::sample::select(vec![" ", "\u{a0}", "\t", "\u{3000}"]),
    ) {
        let at = |line: usize| number + line as u64;
        let prefix = |line: usize| match kind {
            0 => String::new(),
            1 => "> ".to_string(),
            2 => ">> ".to_string(),
            3 => format!("[{:5}.{:06}] ", at(line) / 1000, at(line) % 1000),
            4 => format!("Nov {:2} 10:{:02}:00 host kernel: [{:>8}.{:06}] ", number % 28, line % 60, at(line), line),
            5 => format!("2026-11-26T10:{:02}:00+01:00 web-1 kernel: ", line % 60),
            6 => (if line == 0 { "/proc/zoneinfo:" } else { "/proc/zoneinfo-" }).to_string(),
            7 => format!("{:6}\t", line + 1),
            8 => format!("{}{}", line + 1, if line == 0 { ":" } else { "-" }),
            _ => "web1 | ".to_string(),
        };
        let remarked: String = PLAIN.lines().map(|line| format!("{line}{remark}\n")).collect();
        let text = prefixed(&remarked, prefix).replace(' ', space);
        let report = import(&text);
        let whole = import(PLAIN);
        prop_assert_eq!(report.machine, whole.machine);
        prop_assert_eq!(report.check, whole.check);
    }
}

#[test]
fn reads_numbers_with_thousands_separators() {
    let plain = import(PLAIN);
    for text in [
        PLAIN.replace("pages free     3840", "pages free     3,840"),
        PLAIN.replace("pages free     3840", "pages free     3'840"),
        PLAIN.replace("pages free     3840", "pages free     **3840**"),
        PLAIN.replace("pages free     3840", "pages free     3840, all of it"),
    ] {
        assert_ne!(text, PLAIN);
        assert_eq!(import(&text).machine, plain.machine);
    }
    let (line, reason) = refused(
        &PLAIN.replace("pages free     3840", "pages free     38,40"),
        "",
    );
    assert_eq!(line, "line 5");
    assert!(reason.contains("whole number"), "{reason}");
}

#[test]
fn accepts_a_header_without_comma_with_a_colon_or_in_lower_case() {
    let plain = import(PLAIN);
    for (from, to) in [
        ("Node 0, zone", "Node 0 zone"),
        ("Node 0, zone", "node 0, zone"),
    ] {
        assert_eq!(import(&PLAIN.replace(from, to)).machine, plain.machine);
    }
    let colons: Vec<String> = PLAIN
        .lines()
        .map(|line| match line.starts_with("Node") {
            true => format!("{line}:"),
            false => line.to_string(),
        })
        .collect();
    assert_eq!(import(&colons.join("\n")).machine, plain.machine);
}

#[test]
fn refuses_rows_without_a_header_and_text_without_line_breaks() {
    let rows: Vec<&str> = PLAIN.lines().skip(1).take(20).collect();
    let (_, reason) = refused(&rows.join("\n"), "");
    assert!(reason.contains("no line that names their zone"), "{reason}");
    for between in [" ", "\\n", "\r"] {
        let text: Vec<&str> = PLAIN.lines().collect();
        let (_, reason) = refused(&text.join(between), "");
        assert!(reason.contains("line breaks"), "{between:?}: {reason}");
    }
}

#[test]
fn accepts_a_listing_without_rows_of_per_cpu_lists() {
    let kept: Vec<&str> = PLAIN
        .lines()
        .filter(|line| {
            let is_list = line.contains("pagesets") || line.contains("cpu:");
            !is_list && !line.contains("count:") && !line.contains("batch:")
        })
        .collect();
    let report = import(&kept.join("\n"));
    assert_eq!(report.check.len(), 5);
    let is_said = report.caveats.iter().any(|c| c.contains("one CPU"));
    assert!(is_said, "{:?}", report.caveats);
}

#[test]
fn reports_zones_and_nodes_that_seem_to_be_missing() {
    let normal = PLAIN.find("Node 0, zone   Normal").expect("a zone");
    let movable = PLAIN.find("Node 0, zone  Movable").expect("a zone");
    let report = import(&PLAIN[normal..movable]);
    let is_said = |report: &ImportReport, words: &str| {
        assert!(
            report.caveats.iter().any(|c| c.contains(words)),
            "{:?}",
            report.caveats
        );
    };
    is_said(&report, "no zone below it is in the text");
    is_said(
        &import(&PLAIN.replace("Node 0,", "Node 1,")),
        "first node of the text is node 1",
    );
    let whole = import(PLAIN).caveats;
    assert!(!whole.iter().any(|c| c.contains("left out")), "{whole:?}");
}

#[test]
fn reports_that_a_given_limit_does_not_fit_the_watermarks() {
    let own = import(PLAIN);
    let free = own.machine.tunables["vm.min_free_kbytes"].clone();
    let report = with(PLAIN, r#"{"min_free_kbytes": 2147483647}"#);
    let expected =
        format!("vm.min_free_kbytes = 2147483647 was given, but {free} gives all watermarks");
    assert_eq!(reasons(&report), vec![expected.clone()]);
    assert!(report.caveats.contains(&format!("{expected}.")));
    let right = with(PLAIN, &format!(r#"{{"min_free_kbytes": {free}}}"#));
    assert_eq!(reasons(&right), Vec::<String>::new());
}
