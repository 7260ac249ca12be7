//! The kernels of the compaction series of November 2010 and 2.6.38: each behaves as its patches describe.
//! `divergence` tests where each differs from the one before it.

use facts::index::FrameIndex;
use mm::index::ZoneIndex;
use std::collections::BTreeSet;

use mm::check::check;
use mm::compaction::oldest_block;
use mm::experiment::Experiment;
use mm::machine::Machine;
use mm::record::RecordKind;
use serde_json::json;

use crate::small;

/// 16 MiB of DMA32 memory. A task holds three quarters of it, the kernel some; files are read and
/// written, and blocks of half a MiB are requested.
fn machine(kernel: &str) -> Machine {
    Machine::boot(&patched(kernel, &[]))
}

/// The same for a kernel with patches.
pub fn patched(kernel: &str, patches: &[&str]) -> Experiment {
    let raw = json!({
        "machine": {
            "id": "series", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 4096, "pages": 4096 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "d2010",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 32768 }],
        },
        "kernel": kernel, "patches": patches, "seed": 1, "length": "60s",
        "workload": { "id": "series", "files": [
            { "name": "data", "size": "6 MiB" }, { "name": "log", "size": "4 MiB" },
        ], "processes": [
            { "name": "hog", "program": [
                { "op": "map", "region": "heap", "size": "9 MiB" },
                { "op": "touch", "region": "heap" },
                { "op": "alloc", "pool": "slab", "order": 0, "count": 200, "type": "unmovable" },
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "touch", "region": "heap", "order": "random", "pages": 300 },
                    { "op": "dontneed", "region": "heap", "every": 3 },
                    { "op": "read", "file": "data", "size": "256 KiB" },
                    { "op": "write", "file": "log", "size": "64 KiB" },
                    { "op": "think", "time": "3ms" },
                ] },
            ] },
            { "name": "pool", "start": "100ms", "program": [
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "alloc", "pool": "huge", "order": 7, "count": 12, "type": "movable", "go_on": true },
                    { "op": "think", "time": "10ms" },
                    { "op": "release", "pool": "huge" },
                ] },
            ] },
        ] },
    });
    Experiment::from_json(&raw.to_string()).expect("valid")
}

/// Runs the machine, checks it during the run, and returns the kinds of its records and the
/// machine.
fn watched(kernel: &str) -> (BTreeSet<RecordKind>, Machine) {
    watch(machine(kernel), kernel)
}

/// The same for any machine.
pub fn watch(mut m: Machine, kernel: &str) -> (BTreeSet<RecordKind>, Machine) {
    let mut seen = BTreeSet::new();
    m.w.rec.on = true;
    while m.w.run.steps() < 1_200_000 && m.w.now < 6_000_000_000 {
        m.run(m.w.run.steps() + 499, u64::MAX);
        assert_eq!(check(&m), [], "{kernel} after step {}", m.w.run.steps());
        seen.extend(m.w.rec.records.drain(..).map(|r| r.kind));
    }
    (seen, m)
}

#[test]
fn each_kernel_of_the_series_behaves_as_its_patches_describe() {
    use RecordKind::*;
    for (kernel, has, has_not) in [
        (
            "lumpyreclaim-traceonly",
            &[ModeLumpy, RefsIgnored][..],
            &[CompactBegins, MigrateMoved, ModeCompaction][..],
        ),
        (
            "traceonly",
            &[ModeLumpy, CompactBegins, MigrateMoved],
            &[ModeCompaction, MigrateBlockSkipped, CompactHint],
        ),
        (
            "blindcompact",
            &[ModeCompaction, CompactBegins, MigrateMoved],
            &[
                ModeLumpy,
                RefsIgnored,
                MigrateBlockSkipped,
                CompactHint,
                ContinueReclaim,
            ],
        ),
        (
            "obeysync",
            &[ModeCompaction, CompactBegins, MigrateMoved],
            &[MigrateBlockSkipped, CompactHint],
        ),
        (
            "fastscan",
            &[ModeCompaction, MigrateBlockSkipped],
            &[CompactHint],
        ),
        (
            "compacthint",
            &[CompactHint, MigrateBlockSkipped],
            &[ContinueReclaim],
        ),
        (
            "2.6.38",
            &[ModeCompaction, MigrateBlockSkipped, CompactBegins],
            &[ModeLumpy, CompactHint],
        ),
    ] {
        let (seen, m) = watched(kernel);
        for kind in has {
            assert!(seen.contains(kind), "{kernel}: {kind:?} never happened");
        }
        for kind in has_not {
            assert!(!seen.contains(kind), "{kernel}: {kind:?} happened");
        }
        let c = &m.w.counters;
        assert_eq!(
            c.compact_blocks_moved > 0,
            kernel != "lumpyreclaim-traceonly"
        );
    }
}

/// The hint is the pageblock after the oldest page.
#[test]
fn the_hint_is_the_pageblock_after_the_oldest_page() {
    let hint = |tails: &[u32]| {
        let pages = "F".repeat(3072);
        let mut pages: Vec<u8> = pages.into_bytes();
        for &frame in tails {
            pages[frame as usize] = b'i';
        }
        let pages = String::from_utf8(pages).expect("ASCII");
        let m = small::drawn("2.6.37", &pages, tails);
        oldest_block(&m.w, ZoneIndex::new(0))
    };
    assert_eq!(hint(&[1000]), FrameIndex::new(1024));
    assert_eq!(hint(&[1024]), FrameIndex::new(1024));
    assert_eq!(hint(&[1025]), FrameIndex::new(1536));
    assert_eq!(hint(&[0]), FrameIndex::new(0));
    assert_eq!(hint(&[]), FrameIndex::NONE);
}
