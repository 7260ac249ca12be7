//! Machines from pasted listings.

use std::fs;

use super::called::{call_in, folder, good, refused_with};

const ONE_ZONE: &str = include_str!("../../../facts/tests/data/zoneinfo/one-zone-normal.txt");

#[test]
fn imports_utf_16_listings_and_one_of_several_listings() {
    let at = folder("pasted");
    let plain = call_in(&at, &["import-zoneinfo", "-"], ONE_ZONE);
    assert_eq!(plain.code, 0, "{}", plain.err);
    let first = plain.err.lines().next().unwrap_or_default();
    assert!(first.contains("memory compaction"), "{first}");
    assert!(
        plain.err.contains("do not show the architecture"),
        "{}",
        plain.err
    );
    for (name, bytes) in [
        (
            "le",
            [0xff, 0xfe]
                .into_iter()
                .chain(ONE_ZONE.encode_utf16().flat_map(u16::to_le_bytes))
                .collect::<Vec<u8>>(),
        ),
        (
            "be",
            [0xfe, 0xff]
                .into_iter()
                .chain(ONE_ZONE.encode_utf16().flat_map(u16::to_be_bytes))
                .collect(),
        ),
        (
            "bare",
            ONE_ZONE.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
    ] {
        fs::write(at.join(name), bytes).expect("written");
        let read = call_in(&at, &["import-zoneinfo", name], "");
        assert_eq!(read.out, plain.out, "{name}: {}", read.err);
    }
    let twice = format!("{ONE_ZONE}{ONE_ZONE}");
    refused_with(
        &["import-zoneinfo", "-"],
        &twice,
        "listing: the text has 2 listings",
    );
    let second = call_in(&at, &["import-zoneinfo", "-", "--listing", "2"], &twice);
    assert_eq!(second.json()["machine"], plain.json()["machine"]);
    refused_with(
        &["import-zoneinfo", "-", "--listing", "two"],
        &twice,
        "--listing two",
    );
    let chosen = call_in(&at, &["import-zoneinfo", "-", "--arch", "x86_64"], ONE_ZONE);
    assert_eq!(chosen.json()["machine"]["arch"], "x86_64");
    refused_with(
        &["import-zoneinfo", "-", "--arch", "arm64"],
        ONE_ZONE,
        "--arch arm64",
    );
}

#[test]
fn a_machine_imported_from_a_report_keeps_its_tunables() {
    let at = folder("own-tunables");
    let imported = call_in(&at, &["import-zoneinfo", "-", "--arch", "x86_64"], ONE_ZONE);
    fs::write(at.join("report.json"), &imported.out).expect("written");
    let words = [
        "run",
        "anon-hog.teach",
        "--machine",
        "report.json",
        "--until",
        "1ms",
        "--zoneinfo",
        "z.txt",
    ];
    let run = call_in(&at, &words, "");
    assert_eq!(run.code, 0, "{}", run.err);
    let zoneinfo = fs::read_to_string(at.join("z.txt")).expect("zoneinfo");
    assert!(zoneinfo.contains("min      4096"), "{zoneinfo}");
    assert!(
        run.err.contains("vm.min_free_kbytes is 16384"),
        "{}",
        run.err
    );
    assert!(run.err.contains("--kernel 4.14"), "{}", run.err);
    let set = [&words[..], &["--set", "vm.min_free_kbytes=256"]].concat();
    let run = call_in(&at, &set, "");
    assert_eq!(run.code, 0, "{}", run.err);
    let zoneinfo = fs::read_to_string(at.join("z.txt")).expect("zoneinfo");
    assert!(zoneinfo.contains("min      64"), "{zoneinfo}");
    let own = good(&["run", "anon-hog.teach", "--until", "1ms"]);
    assert!(!own.err.contains("vm.min_free_kbytes"), "{}", own.err);
}

const OOM: &str = include_str!("../../../explain/tests/data/oom-5.10.txt");
const BUDDYINFO: &str = "Node 0, zone   Normal     10      4      2      1      0      0      0      0      0      0      0 \n";

#[test]
fn reports_and_listings_are_explained_in_sentences_and_as_json() {
    let at = folder("explain");
    fs::write(at.join("zoneinfo"), ONE_ZONE).expect("written");
    fs::write(at.join("buddyinfo"), BUDDYINFO).expect("written");
    let said = call_in(&at, &["explain", "-", "zoneinfo", "buddyinfo"], OOM);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for words in [
        "stdin:1: out of memory when wl requested 4 kB (order 0); killed: wl (pid 247)\n",
        "!! Zone DMA32 of node 0 has 2,572 kB free.",
        "it fails by 48 kB. (line 26)\n",
        "stdin:61: out of memory",
        "zoneinfo:1: 1 zone with memory on 1 node",
        "Zone Normal of node 0 has no free block above order 3",
    ] {
        assert!(said.out.contains(words), "{words}: not in {}", said.out);
    }
    let json = call_in(&at, &["explain", "--json", "-"], OOM).json();
    assert_eq!(json["documents"][1]["line"], 61);
    assert_eq!(json["documents"][0]["findings"][0]["severity"], "cause");
    refused_with(&["explain", "-"], "pgfault 5\n", "this is /proc/vmstat");
    refused_with(&["explain"], "", "which FILE?");
    refused_with(
        &["import-zoneinfo", "-"],
        OOM,
        "mmscope explain says what such a report shows",
    );
}
