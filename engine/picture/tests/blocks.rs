//! The view's counts of blocks that programs requested: those that were allocated and those that were not.

use mm::experiment::Experiment;
use mm::machine::Machine;
use serde_json::json;

/// A program uses 3,840 of 4,096 pages. Without swap and compaction, none of them can become part of a
/// block.
#[test]
fn counts_requests_for_blocks_that_succeeded_and_failed() {
    let raw = json!({
        "machine": {
            "id": "small", "title": "", "arch": "sh4", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 4096 }], "cpus": 1 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "d2010",
            "pcp": false, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 0 }],
        },
        "kernel": "lumpyreclaim-traceonly", "seed": 1, "length": "1s",
        "workload": { "id": "blocks", "processes": [{ "name": "asker", "program": [
            { "op": "map", "region": "heap", "size": 3840 },
            { "op": "touch", "region": "heap" },
            { "op": "alloc", "pool": "silent", "order": 0, "count": 3 },
            { "op": "alloc", "pool": "huge", "order": 6, "count": 5, "type": "movable", "go_on": true },
            { "op": "stop" },
        ] }] },
    });
    let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("an experiment"));
    let before = picture::view(&m, None);
    assert_eq!((before.blocks_came, before.blocks_failed), (0, 0));
    m.run(u64::MAX, u64::MAX);
    let after = picture::view(&m, None);
    // Requests of the operation that gives up after a failure are not counted.
    assert_eq!(after.blocks_came + after.blocks_failed, 5);
    assert!(after.blocks_failed > 0);
}
