//! The pool of huge pages of 2.6.37: one attempt per page, from one node after the other, with
//! `__GFP_REPEAT`.

use facts::index::FrameIndex;
use mm::check::check;
use mm::experiment::Experiment;
use mm::gfp::Gfp;
use mm::machine::Machine;
use mm::record::RecordKind;
use serde_json::{Value, json};

/// A machine with this many pages of DMA32 memory on each node, a file, and a program.
fn machine(kernel: &str, nodes: &[u64], program: Value) -> Machine {
    let mut at = 4096;
    let mut ranges = Vec::new();
    for &pages in nodes {
        ranges.push(json!({ "ranges": [{ "start_pfn": at, "pages": pages }], "cpus": 1 }));
        at += pages;
    }
    let distance = |a, b| if a == b { 10 } else { 20 };
    let n = nodes.len();
    let distances: Vec<Vec<u8>> = (0..n)
        .map(|a| (0..n).map(|b| distance(a, b)).collect())
        .collect();
    let raw = json!({
        "machine": {
            "id": "pool", "title": "", "arch": "x86_64", "page_size_kib": 4, "nodes": ranges,
            "distances": distances, "hz": 250, "thp": "never", "costs": "d2010",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 32768 }],
        },
        "kernel": kernel, "seed": 1, "length": "60s",
        "workload": { "id": "pool", "files": [{ "name": "data", "size": "60 MiB" }], "processes": [
            { "name": "p", "program": program },
        ] },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

/// Nodes of the blocks in the only pool, in the order in which they were allocated.
fn nodes_of_pool(m: &Machine) -> Vec<u8> {
    let pool = &m.w.processes.all[0].pools[0];
    let node = |&frame: &FrameIndex| {
        let zone = m.w.mem.pages[frame].zone();
        m.w.mem.zones[zone].node.get()
    };
    pool.iter().map(node).collect()
}

fn run(mut m: Machine) -> Machine {
    m.run(u64::MAX, 20_000_000_000);
    assert_eq!(check(&m), []);
    m
}

/// Sets `nr_hugepages` to this count.
fn grow(count: u32) -> Value {
    json!({ "op": "alloc", "pool": "huge", "order": 9, "count": count, "type": "hugetlb" })
}

#[test]
fn the_hugetlb_pool_takes_pages_from_nodes_in_turn_while_they_have_any() {
    let rest = json!({ "op": "think", "time": "60s" });
    let m = run(machine("2.6.37", &[4096, 4096], json!([grow(6), rest])));
    assert_eq!(nodes_of_pool(&m), [0, 1, 0, 1, 0, 1]);
    // The first node has two blocks of 512 pages at most; the other node serves the remaining requests.
    let m = run(machine("2.6.37", &[1024, 6144], json!([grow(7), rest])));
    let nodes = nodes_of_pool(&m);
    let firsts = nodes.iter().filter(|&&node| node == 0).count();
    assert!(nodes.len() == 7 && firsts < 3, "{nodes:?}");
    assert!(nodes.ends_with(&[1, 1, 1]), "{nodes:?}");
}

#[test]
fn growing_the_pool_ends_at_the_first_page_that_no_node_has() {
    let program = json!([grow(16), { "op": "think", "time": "60s" }]);
    let m = run(machine("2.6.37", &[4096, 4096], program));
    let nodes = nodes_of_pool(&m);
    assert!((8..16).contains(&nodes.len()), "{nodes:?}");
    assert!(nodes.contains(&0) && nodes.contains(&1));
}

/// A request for 512 pages retries until reclaim has freed that many. The same request without the
/// flag reclaims once.
#[test]
fn a_request_with_repeat_retries_until_reclaim_has_freed_enough_pages() {
    let counts = |kernel: &str, kind: &str| {
        // Every block of order 9 holds a page of the kernel; a file fills the rest.
        let program = json!([
            { "op": "alloc", "pool": "kept", "order": 0, "count": "90%", "type": "unmovable" },
            { "op": "release", "pool": "kept", "every": 3 },
            { "op": "release", "pool": "kept", "every": 3 },
            { "op": "read", "file": "data" },
            { "op": "alloc", "pool": "huge", "order": 9, "count": 1, "type": kind },
            { "op": "stop" },
        ]);
        let mut m = machine(kernel, &[16_384], program);
        m.w.rec.on = true;
        let (mut again, mut enough, mut reclaims) = (Vec::new(), Vec::new(), 0);
        while !m.w.sched.ended {
            m.run(m.w.run.steps() + 997, u64::MAX);
            for r in m.w.rec.records.drain(..) {
                match r.kind {
                    RecordKind::RepeatRetry => again.push(r.values[1]),
                    RecordKind::RepeatEnough => enough.push(r.values[1]),
                    RecordKind::MmVmscanDirectReclaimBegin => reclaims += 1,
                    _ => {}
                }
            }
        }
        assert_eq!(check(&m), [], "{kernel} {kind}");
        assert!(m.w.processes.all[0].pools[1].is_empty());
        (again, enough, reclaims)
    };
    // Each reclaim ends with its goal of 32 pages.
    let rounds: Vec<i64> = (1..16).map(|n| 32 * n).collect();
    for kernel in ["lumpyreclaim-traceonly", "2.6.37"] {
        let (again, enough, reclaims) = counts(kernel, "hugetlb");
        assert_eq!((again, enough), (rounds.clone(), vec![512]), "{kernel}");
        let (again, enough, once) = counts(kernel, "unmovable");
        assert_eq!((again.len(), enough.len()), (0, 0), "{kernel}");
        assert_eq!(reclaims - once, rounds.len(), "{kernel}");
    }
    // With should_continue_reclaim() the first reclaim frees twice the size of the block, for
    // compaction.
    let (again, enough, _) = counts("2.6.38", "hugetlb");
    assert!(again.is_empty() && enough[0] >= 1024, "{enough:?}");
}

#[test]
fn a_page_of_the_pool_is_requested_as_unmovable() {
    assert_eq!(Gfp::GFP_HUGETLB.migratetype(), mm::gfp::UNMOVABLE);
    assert!(!Gfp::GFP_HUGETLB.has(Gfp::GFP_THISNODE));
}
