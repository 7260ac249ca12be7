//! Runs of accesses, divided by slices of different lengths.

use super::*;
use crate::experiment::Experiment;
use facts::index::NodeIndex;
use serde_json::json;

/// A machine with one task that streams through memory of its own node and of another node, and
/// accesses it at random. Its slices have the given length.
fn cut_at(slice_ns: u64, page: &str) -> Machine {
    let touch = |order: &str, bytes: &str| json!({ "op": "touch", "region": "heap", "order": order, "bytes": bytes, "pages": 9000 });
    let raw = json!({
        "machine": "x86_64-2node-512m", "kernel": "6.1", "seed": 3, "length": "1s",
        "tunables": { "transparent_hugepage": page },
        "workload": { "id": "cut", "processes": [{ "name": "p", "program": [
            { "op": "bind", "node": 1, "strict": true },
            { "op": "map", "region": "heap", "size": 4000 },
            { "op": "touch", "region": "heap", "pages": 1500 },
            { "op": "bind", "node": 0 },
            { "op": "touch", "region": "heap" },
            touch("sequential", "page"), touch("random", "page"),
            touch("random", "line"), touch("sequential", "line"),
            { "op": "access", "region": "heap", "times": 9000, "writes": 30 },
            { "op": "dontneed", "region": "heap", "every": 7 },
            { "op": "access", "region": "heap", "times": 9000, "bytes": "page" },
            // The task sleeps here, so all variants end at the same time.
            { "op": "think", "time": "1ms" },
            { "op": "think", "time": "500ms" }
        ] }] },
    });
    let experiment = Experiment::from_json(&raw.to_string());
    let mut m = Machine::boot(&experiment.unwrap_or_else(|found| panic!("{found:?}")));
    m.w.run.stop_at(u64::MAX);
    while m.w.now < 100_000_000 && !m.w.sched.ended {
        let end = m.w.now + slice_ns;
        m.w.run.deadline[Kind::Plain as usize] = end;
        m.w.run.deadline[Kind::Yields as usize] = end;
        m.dispatch();
    }
    // Random accesses take one step per slice.
    m.w.run = crate::world::Run::default();
    m
}

/// This holds if no other task uses the same queues. Otherwise the order of arrival depends on how
/// far the clocks differ.
#[test]
fn a_single_task_gives_the_same_result_with_any_slice_length() {
    for page in ["never", "always"] {
        let hashes = [1, 7, 10, 50].map(|us| cut_at(us * 1000, page).hash());
        assert_eq!(hashes, [hashes[0]; 4], "{page}");
        let whole = cut_at(10_000, page);
        let moved = |node| whole.w.bandwidth.moved(NodeIndex::new(0), node);
        assert!(
            moved(NodeIndex::new(0)) > 10_000_000 && moved(NodeIndex::new(1)) > 10_000_000,
            "{page}"
        );
    }
}
