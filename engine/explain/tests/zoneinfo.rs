//! Listings of /proc/zoneinfo, with and without free blocks by order.

use explain::{Document, File, Kind, Severity, Unit, Verdict, explain};

const PLAIN: &str = include_str!("../../facts/tests/data/zoneinfo/plain.txt");
const BUDDYINFO: &str = "\
Node 0, zone      DMA      3      0      2      1      3      2      2      1      0      1      3 
Node 0, zone    DMA32     14     11      9      8      6      0      0      0      0      0      0 
";

fn file(name: &str, text: &str) -> File {
    File {
        name: name.to_string(),
        text: text.to_string(),
    }
}

fn one(files: &[File]) -> Document {
    let found = explain(files);
    assert_eq!(found.refusals, vec![]);
    let [document] = found.documents.try_into().expect("one document");
    document
}

fn texts(document: &Document) -> Vec<&str> {
    document.findings.iter().map(|f| f.text.as_str()).collect()
}

/// The plain listing with changed numbers of free pages in its zones.
fn with_free(free: [u64; 3]) -> String {
    let mut free = free.into_iter();
    let row = |line: &str| match line.trim_start().starts_with("pages free") {
        true => free
            .next()
            .map_or(line.to_string(), |n| format!("  pages free     {n}")),
        false => line.to_string(),
    };
    PLAIN.lines().map(row).collect::<Vec<_>>().join("\n") + "\n"
}

fn has(document: &Document, words: &str) {
    let all = texts(document);
    assert!(
        all.iter().any(|text| text.contains(words)),
        "{words}: not in {all:#?}"
    );
}

#[test]
fn says_how_far_each_zone_is_from_its_watermarks_and_which_requests_it_refuses() {
    let document = one(&[file("zoneinfo", PLAIN)]);
    assert_eq!(
        (document.kind, document.unit),
        (Kind::Zoneinfo, Unit::Pages)
    );
    has(
        &document,
        "Zone DMA of node 0 has 3,840 free pages, 3,759 above high (81).",
    );
    has(
        &document,
        "Zone DMA of node 0 is closed to requests that may use zones up to Normal: they need more than 4,805 (min 55 + protection 4,750), but it has 3,840.",
    );
    has(
        &document,
        "kswapd of node 0 has nothing to do for order 0: zone DMA32 is above high plus its reserve (200,000 free, more than 16,827 needed).",
    );
    has(&document, "which orders are free; the /proc/buddyinfo");
    // To requests up to DMA32 the lowest zone is open: 55 + 2,796 is less than it has.
    assert!(
        !texts(&document)
            .iter()
            .any(|t| t.contains("zones up to DMA32"))
    );
    let verdicts: Vec<Verdict> = document.zones.iter().map(|zone| zone.verdict).collect();
    assert_eq!(verdicts, [Verdict::Below, Verdict::Passes, Verdict::Passes]);
}

#[test]
fn names_the_reclaimer_at_each_level_of_free_memory() {
    let document = one(&[file("zoneinfo", &with_free([3840, 14_000, 8000]))]);
    assert_eq!(document.findings[0].severity, Severity::Warning);
    has(
        &document,
        "find no zone above low plus its reserve: they wake kswapd. If nothing is freed, they can take 3,207 pages more",
    );
    has(
        &document,
        "If kswapd of node 0 is awake, it reclaims until one zone is above high plus its reserve: zone DMA lacks 992 pages, zone DMA32 lacks 2,828 pages, zone Normal lacks 2,387 pages.",
    );
    has(
        &document,
        "Zone Normal of node 0 has 8,000 free pages, not above low (8,655) but 1,076 above min (6,924).",
    );
    has(
        &document,
        "Zone DMA32 of node 0 fails the first attempt of requests that may use zones up to Normal",
    );
    let document = one(&[file("zoneinfo", &with_free([3840, 9916, 6924]))]);
    assert_eq!(document.findings[0].severity, Severity::Cause);
    has(
        &document,
        "find no zone above min plus its reserve: they must reclaim memory themselves",
    );
    has(
        &document,
        "Zone Normal of node 0 has 6,924 free pages, not above min (6,924): ordinary requests may not use it.",
    );
}

#[test]
fn adds_the_free_orders_of_buddyinfo_from_the_same_or_another_file() {
    let apart = one(&[file("buddyinfo", BUDDYINFO), file("zoneinfo", PLAIN)]);
    has(
        &apart,
        "Zone DMA32 of node 0 has no free block above order 4, of which it has 6 blocks",
    );
    has(
        &apart,
        "The largest free blocks of zone DMA of node 0 have order 10, which is the maximum: 3 blocks.",
    );
    let together = one(&[file("both", &format!("{PLAIN}\n{BUDDYINFO}"))]);
    assert_eq!(together.zones, apart.zones);
    let alone = explain(&[file("buddyinfo", BUDDYINFO)]);
    assert_eq!(alone.documents, vec![]);
    assert!(
        alone.refusals[0].reason.contains("add the /proc/zoneinfo"),
        "{:?}",
        alone.refusals
    );
}

#[test]
fn explains_several_listings_separately_and_names_invalid_lines() {
    let twice = explain(&[file("twice", &format!("before:\n{PLAIN}after:\n{PLAIN}"))]);
    let lines: Vec<usize> = twice
        .documents
        .iter()
        .map(|document| document.line)
        .collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0] == 2 && lines[1] > 50, "{lines:?}");
    let cut = explain(&[file(
        "cut",
        &PLAIN.replacen("min      55", "min      5x", 1),
    )]);
    assert_eq!(cut.refusals[0].line, Some(6), "{:?}", cut.refusals);
}
