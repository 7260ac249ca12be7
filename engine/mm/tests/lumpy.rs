//! Lumpy reclaim of 2.6.37: the neighbouring pages it takes, the cost of failed attempts, and the
//! second pass, which waits for writes.

use crate::small;
use mm::index::{LruvecIndex, TaskIndex};

use std::collections::BTreeSet;

use mm::check::check;
use mm::experiment::Experiment;
use mm::frames::{Context, Frame};
use mm::machine::Machine;
use mm::mmzone::LRU_INACTIVE_FILE;
use mm::record::RecordKind;
use mm::rng::Rng;
use mm::swapfile::Swap;
use mm::vmscan::isolate::{Looked, isolate_pages};
use mm::vmscan::mode::ReclaimMode;
use mm::vmscan::page_list::PgPt;
use serde_json::json;

/// The pages that a lumpy batch of `want` pages takes from the inactive file list for blocks of 8
/// pages.
fn taken(pages: &str, tails: &[u32], want: u32, has_swap: bool) -> (Vec<u32>, Looked) {
    let mut m = small::drawn("2.6.37", pages, tails);
    if !has_swap {
        m.w.swap = Swap::default();
    }
    let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
    (cx.sc.order, cx.sc.mode) = (3, ReclaimMode::LumpyAsync);
    let lru = LRU_INACTIVE_FILE;
    let looked = isolate_pages(
        &mut m.w,
        &mut cx,
        LruvecIndex::new(0),
        lru,
        want,
        &mut Vec::new(),
    );
    (
        cx.sc.batch.iter().map(|frame| frame.get()).collect(),
        looked,
    )
}

/// (Scanned, taken along, blocks not taken completely.)
fn numbers(looked: Looked) -> [u32; 3] {
    [looked.scanned, looked.contig_taken, looked.contig_failed]
}

#[test]
fn a_block_is_taken_from_all_lists_up_to_the_first_obstacle() {
    let (batch, looked) = taken("iaiaFFAI", &[2, 0], 32, true);
    assert_eq!(batch, [2, 0, 1, 3, 6, 7]);
    assert_eq!(numbers(looked), [6, 5, 0]);
    let (batch, looked) = taken("iaiPiaAI", &[2, 0, 4], 3, true);
    assert_eq!(batch, [2, 0, 1]);
    assert_eq!(numbers(looked), [3, 2, 1]);
    // The second walk stops at a page that the first walk has taken.
    let (batch, looked) = taken("iaiPiaAI", &[2, 0, 4], 4, true);
    assert_eq!(batch, [2, 0, 1, 4]);
    assert_eq!(numbers(looked), [4, 2, 2]);
    let (batch, looked) = taken("iiiiiiiiiiiiiiii", &[3], 4, true);
    assert_eq!(batch, [3, 0, 1, 2, 4, 5, 6, 7]);
    assert_eq!(numbers(looked), [8, 7, 0]);
    let (batch, looked) = taken("Piiiiiii", &[5, 6], 2, true);
    assert_eq!(batch, [5, 6]);
    assert_eq!(numbers(looked), [2, 0, 2]);
    // Without swap, an anonymous page is an obstacle.
    let (batch, looked) = taken("idFAiiii", &[1, 4], 3, false);
    assert_eq!(batch, [1, 0, 4]);
    assert_eq!(numbers(looked), [3, 1, 2]);
    assert_eq!(taken("idiiiiii", &[0], 1, true).1.contig_dirty, 1);
}

/// 16 MiB, a task that needs all of it and swap, a file that is written, and a pool that requests huge
/// pages.
fn pressed(kernel: &str) -> Experiment {
    let raw = json!({
        "machine": {
            "id": "pressed", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 4096, "pages": 4096 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "d2010",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 32768 }],
        },
        "kernel": kernel, "seed": 1, "length": "20s",
        "workload": { "id": "pressed", "files": [{ "name": "data", "size": "8 MiB" }], "processes": [
            { "name": "hog", "program": [
                { "op": "map", "region": "heap", "size": "11 MiB" },
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "touch", "region": "heap", "order": "random" },
                    { "op": "write", "file": "data", "size": "1 MiB" },
                    { "op": "think", "time": "5ms" },
                ] },
            ] },
            { "name": "pool", "start": "1s", "program": [
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "alloc", "pool": "huge", "order": 9, "count": 2, "type": "movable", "go_on": true },
                    { "op": "think", "time": "10ms" },
                    { "op": "release", "pool": "huge" },
                ] },
            ] },
        ] },
    });
    Experiment::from_json(&raw.to_string()).expect("valid")
}

/// Runs and recounts. Returns the machine and the kinds of its records, and checks that kswapd
/// waits for no write.
fn watched(kernel: &str) -> (Machine, BTreeSet<RecordKind>) {
    let mut m = Machine::boot(&pressed(kernel));
    let mut seen = BTreeSet::new();
    m.run(u64::MAX, 900_000_000);
    m.w.rec.on = true;
    while m.w.run.steps() < 6_000_000 && m.w.now < 8_000_000_000 {
        m.run(m.w.run.steps() + 997, u64::MAX);
        assert_eq!(check(&m), [], "{kernel} after step {}", m.w.run.steps());
        let records: Vec<_> =
            m.w.rec
                .records
                .drain(..)
                .map(|r| (r.step, r.kind))
                .collect();
        for &(step, kind) in &records {
            // A page in use has no record of being unused.
            let unused = (step, RecordKind::RefsReclaim);
            assert!(kind != RecordKind::RefsIgnored || !records.contains(&unused));
        }
        seen.extend(records.into_iter().map(|(_, kind)| kind));
        for task in &m.tasks {
            let waits = task.stack.iter().any(|f| {
                matches!(f, Frame::ShrinkPageList(f) if matches!(f.pt, PgPt::Wait | PgPt::Written))
            });
            assert!(!(waits && task.cx.sc.kswapd), "kswapd waits for a write");
        }
    }
    (m, seen)
}

#[test]
fn lumpy_reclaim_ignores_references_and_waits_for_writes() {
    use RecordKind::{BlockStopped, LadderWait, ModeLumpy, ModeSingle, ModeSync, RefsIgnored};
    let (m, seen) = watched("2.6.37");
    for kind in [
        ModeLumpy,
        ModeSingle,
        ModeSync,
        RefsIgnored,
        BlockStopped,
        LadderWait,
    ] {
        assert!(seen.contains(&kind), "{kind:?} never happened");
    }
    assert_eq!(check(&m), []);
}

/// 3.0 leaves large blocks to compaction. It takes pages from one list only and spares those in use,
/// but also waits for writes.
#[test]
fn before_compaction_reclaim_spares_pages_in_use() {
    let (_, seen) = watched("3.0");
    assert!(seen.contains(&RecordKind::ModeCompaction));
    assert!(!seen.contains(&RecordKind::ModeLumpy));
    assert!(!seen.contains(&RecordKind::RefsIgnored));
}
