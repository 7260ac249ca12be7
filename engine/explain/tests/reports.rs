//! Reports of several kernels, and texts that are damaged.

use explain::{Document, Explanation, File, Kind, Severity, Verdict, explain, explain_json};

macro_rules! file {
    ($name:literal) => {
        File {
            name: $name.to_string(),
            text: include_str!(concat!("data/", $name)).to_string(),
        }
    };
}

fn one(file: File) -> Document {
    let found = explain(&[file]);
    assert_eq!(found.refusals, vec![]);
    let [document] = found.documents.try_into().expect("one document");
    document
}

fn pasted(text: &str) -> Explanation {
    explain(&[File {
        name: "pasted".to_string(),
        text: text.to_string(),
    }])
}

/// The finding that begins with this text.
fn says<'a>(document: &'a Document, start: &str) -> &'a str {
    let mut findings = document.findings.iter();
    let found = findings.find(|finding| finding.text.starts_with(start));
    let all: Vec<&str> = document.findings.iter().map(|f| f.text.as_str()).collect();
    &found
        .unwrap_or_else(|| panic!("{start}: not in {all:#?}"))
        .text
}

#[test]
fn explains_each_oom_kill_of_a_5_10_kernel() {
    let found = explain(&[file!("oom-5.10.txt")]);
    assert_eq!(found.refusals, vec![]);
    let [first, second] = found.documents.as_slice() else {
        panic!("two reports");
    };
    assert_eq!(
        (first.kind, first.line, first.last_line),
        (Kind::OomKill, 1, 59)
    );
    assert_eq!((second.line, second.last_line), (61, 121));
    assert_eq!(
        first.title,
        "out of memory when wl requested 4 kB (order 0); killed: wl (pid 247)"
    );
    assert_eq!(
        says(first, "Zone DMA32 of node 0"),
        "Zone DMA32 of node 0 has 2,572 kB free. The request needs more than 2,620 kB (min 2,620 kB + reserve 0 kB): it fails by 48 kB."
    );
    assert!(says(first, "Zone DMA of node 0").contains(
        "(min 92 kB + reserve 1,776 kB): it fails by 8 kB. It would pass without the reserve"
    ));
    assert!(says(first, "There is no swap").contains("cannot be reclaimed"));
    assert!(says(first, "334,096 kB of file pages").contains("222,996 kB is under writeback"));
    assert!(says(first, "Process 247 (wl) was killed").contains("25,880 kB anonymous"));
    assert!(says(second, "The kernel treats node 0 as unreclaimable").contains("too little"));
    let dma32 = first
        .findings
        .iter()
        .find(|f| f.text.starts_with("Zone DMA32"));
    let dma32 = dma32.expect("a finding");
    assert_eq!((dma32.severity, dma32.line), (Severity::Cause, Some(26)));
    let zones: Vec<_> = first
        .zones
        .iter()
        .map(|z| (z.zone.as_str(), z.needs, z.verdict))
        .collect();
    let below = Verdict::Below;
    assert_eq!(
        zones,
        [("DMA", Some(1868), below), ("DMA32", Some(2620), below)]
    );
    assert_eq!(first.zones[1].blocks[2].types, "UE");
}

#[test]
fn subtracts_smaller_free_blocks_in_a_3_10_allocation_failure_report() {
    let document = one(file!("failure-3.10.txt"));
    assert_eq!(document.kind, Kind::AllocationFailure);
    assert_eq!(
        document.title,
        "kworker/u8:2 requested 32 kB (order 3) and did not get it"
    );
    let zone = says(&document, "Zone DMA32 of node 0");
    assert!(
        zone.contains("Without its free blocks below order 1 it has 3,972 kB, not above 4,064 kB"),
        "{zone}"
    );
    assert!(
        zone.ends_with("Its largest free blocks have order 2 (16 kB): 50 blocks."),
        "{zone}"
    );
    let dma = says(&document, "Zone DMA of node 0");
    assert!(dma.contains("it fails by 116 kB"), "{dma}");
    says(&document, "720,000 kB of file pages");
    assert!(
        says(&document, "The kernel is 3.10.0").ends_with("check of kernels before 4.4 applies.")
    );
}

#[test]
fn explains_a_cgroup_by_its_limit_and_not_by_zones() {
    let document = one(file!("cgroup-5.15.txt"));
    assert_eq!(document.kind, Kind::CgroupOom);
    assert_eq!(
        says(&document, "Cgroup /kubepods/pod1 uses"),
        "Cgroup /kubepods/pod1 uses 1,048,576 kB of memory; its limit is 1,048,576 kB. The limit was reached 153 times."
    );
    assert!(
        says(&document, "The cgroup holds").contains("1,037,832 kB of anonymous memory (anon)")
    );
    assert!(
        document.title.ends_with("killed: uwsgi worker (pid 63635)"),
        "{}",
        document.title
    );
    assert_eq!(document.zones, vec![]);
}

#[test]
fn explains_a_cgroup_and_the_whole_machine_of_a_6_12_kernel() {
    let found = explain(&[file!("oom-6.12.txt")]);
    assert_eq!(found.refusals, vec![]);
    let [group, machine] = found.documents.as_slice() else {
        panic!("two reports");
    };
    assert_eq!((group.kind, machine.kind), (Kind::CgroupOom, Kind::OomKill));
    says(
        group,
        "Cgroup /g uses 20,480 kB of memory; its limit is 20,480 kB. The limit was reached 19 times.",
    );
    assert!(says(group, "The cgroup holds").contains("20,424 kB of anonymous memory (anon)"));
    assert!(
        says(machine, "Zone DMA of node 0")
            .contains("(min 180 kB + reserve 380 kB): it fails by 40 kB")
    );
    says(
        machine,
        "The only listed task is init (pid 125) with 100,352 kB.",
    );
    says(machine, "The kernel is 6.12.95+deb12-amd64;");
}

/// In a guest with one CPU and one process nothing is freed between the failure and the report: the kernel
/// stopped at exactly the page that the rule names, in both zones.
#[test]
fn the_rule_names_the_last_page_that_a_5_10_kernel_allocated() {
    let document = one(file!("exact-5.10.txt"));
    let free: Vec<_> = document
        .zones
        .iter()
        .map(|zone| (zone.free, zone.needs))
        .collect();
    assert_eq!(free, [(Some(552), Some(552)), (Some(1124), Some(1124))]);
    for zone in ["Zone DMA of node 0", "Zone DMA32 of node 0"] {
        assert!(says(&document, zone).contains("the zone has exactly that much"));
    }
}

#[test]
fn does_not_count_cma_areas_for_kernel_memory_and_reads_zones_without_nodes() {
    let document = one(file!("without-numa-6.6.txt"));
    assert!(says(&document, "Zone DMA of node 0").contains(
        "519,112 kB free, of which 5,520 kB counts, because 513,592 kB is in CMA areas."
    ));
    assert!(
        says(&document, "The request may not use these zones")
            .contains("HighMem of node 0 (3,097,600 kB free)")
    );
    says(
        &document,
        "The kernel found no process that it was allowed to kill.",
    );
    assert!(document.title.ends_with("the kernel panicked"));
    assert_eq!(document.zones[1].verdict, Verdict::NotAllowed);
}

#[test]
fn joins_rows_that_old_kernels_print_in_pieces() {
    let document = one(file!("pieces-4.14.txt"));
    let zone = says(&document, "Zone Normal of node 0");
    assert!(
        zone.contains(
            "more than 384 kB (min 1,024 kB lowered to 384 kB + reserve 0 kB): it fails by 8 kB"
        ),
        "{zone}"
    );
    assert!(says(&document, "The request may not wait").contains("three eighths"));
    let blocks = &document.zones[0].blocks;
    let found: Vec<_> = blocks.iter().map(|b| (b.count, b.types.as_str())).collect();
    assert_eq!(found, [(30, "UH"), (16, "U"), (8, "H"), (0, ""), (0, "")]);
}

#[test]
fn reports_that_enough_memory_is_free_but_in_blocks_that_are_too_small() {
    let document = one(file!("two-nodes-6.1.txt"));
    assert!(
        says(&document, "The request is for 2,048 kB")
            .ends_with("enough memory is free, but no free block is large enough.")
    );
    let zone = says(&document, "Zone Normal of node 1");
    assert!(
        zone.ends_with("only of migrate types that this request may not use."),
        "{zone}"
    );
    assert!(
        says(&document, "The pool of huge pages has 2,097,152 kB").contains("No other request")
    );
    assert!(says(&document, "Swap is full").contains("0 kB of 1,000,000 kB"));
    says(
        &document,
        "The request may not use these zones because of their types or nodes: DMA32 of node 0",
    );
    let one_order_less = include_str!("data/two-nodes-6.1.txt").replace("order:9", "order:3");
    let found = pasted(&one_order_less);
    assert!(
        says(&found.documents[0], "Zone Normal of node 1").ends_with("it passes by these numbers.")
    );
}

#[test]
fn explains_zones_without_a_request_and_names_what_is_missing() {
    let document = one(file!("zones-only.txt"));
    assert_eq!(document.kind, Kind::MemoryReport);
    assert!(
        says(&document, "Zone DMA32 of node 0")
            .contains("(min 24,920 kB + reserve 19,800 kB): it fails by 720 kB")
    );
    says(&document, "The report names no request.");
    says(&document, "The report does not give the size of swap.");
    says(
        &document,
        "The report does not show the size of a page: 4 kB is assumed.",
    );
}

#[test]
fn gives_the_same_explanation_with_any_log_prefix() {
    let text = include_str!("data/oom-5.10.txt");
    let bare: String = text
        .lines()
        .map(|line| format!("{}\n", line.split_once("] ").map_or(line, |(_, r)| r)))
        .collect();
    let expected = pasted(text);
    for prefix in [
        "",
        "Nov 26 10:00:00 host kernel: ",
        "<4>[   19.673968][  T180] ",
        "kern  :warn  : [Thu Nov 26 10:00:00 2026] ",
        "> \u{a0}[   19.673968]\u{a0}",
        "/var/log/kern.log.1:2026-11-26T10:00:00+01:00 host kernel: [   19.673968] ",
    ] {
        let pasted = pasted(
            &bare
                .lines()
                .map(|line| format!("{prefix}{line}\r\n"))
                .collect::<String>(),
        );
        assert_eq!(pasted, expected, "{prefix}");
    }
}

#[test]
fn names_the_line_of_a_truncated_row_and_explains_the_rest() {
    let text = include_str!("data/oom-5.10.txt");
    let cut = &text[..text.find("low:3272kB").expect("the row") + 6];
    let found = pasted(cut);
    assert_eq!(found.documents.len(), 1);
    assert_eq!(found.refusals[0].line, Some(26));
    assert!(found.refusals[0].reason.starts_with("low is cut off"));
    let zone = says(&found.documents[0], "Zone DMA32 of node 0");
    assert!(
        zone.contains("(min 2,620 kB + a reserve that the report lacks): it fails by 48 kB"),
        "{zone}"
    );
    assert_eq!(found.documents[0].zones[1].reserve, None);
}

#[test]
fn a_damaged_text_causes_no_panic() {
    let texts = [
        include_str!("data/oom-5.10.txt"),
        include_str!("data/two-nodes-6.1.txt"),
        include_str!("data/pieces-4.14.txt"),
        include_str!("data/cgroup-5.15.txt"),
        include_str!("data/oom-6.12.txt"),
    ];
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 7;
        usize::try_from(state >> 33).unwrap_or(0) % below.max(1)
    };
    for round in 0..400 {
        let mut bytes = texts[round % texts.len()].as_bytes().to_vec();
        for _ in 0..random(6) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes.truncate(at),
                1 => bytes[at] = b"09:=*(]-"[random(8)],
                2 => {
                    bytes.splice(at..at, b"99999999999999999999".iter().copied());
                }
                _ => {
                    let end = (at + random(200)).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        let found = pasted(&String::from_utf8_lossy(&bytes));
        for document in &found.documents {
            assert!(document.line <= document.last_line, "{document:?}");
        }
    }
}

#[test]
fn refuses_other_files_by_name_and_accepts_files_as_json() {
    let found = pasted("nr_free_pages 10000\nnr_zone_inactive_anon 60000\npgpgin 1000000\n");
    assert_eq!(found.documents, vec![]);
    assert!(found.refusals[0].reason.starts_with("this is /proc/vmstat"));
    assert_eq!(pasted("hello\n").refusals[0].line, None);
    assert!(
        explain_json("{}")
            .expect_err("no list")
            .contains("not a list of files")
    );
    let given = explain_json(r#"[{"name": "a", "text": ""}]"#).expect("a list");
    assert_eq!(given.refusals[0].reason, "the file is empty");
}
