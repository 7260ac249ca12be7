//! Runs of accesses cut by slices of other lengths.

use super::*;
use crate::experiment::Experiment;
use serde_json::json;

/// One task that streams through memory of its own node and another's, and touches it at random; its
/// slices end after so much time.
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
            // All cuts meet where the task sleeps.
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
    // A run of accesses anywhere is a step for each slice it takes.
    m.w.run = crate::world::Run::default();
    m
}

/// Where nobody else uses those queues; where somebody does, who comes first depends on how far clocks
/// run apart.
#[test]
fn a_task_alone_comes_to_the_same_with_slices_of_any_length() {
    for page in ["never", "always"] {
        let hashes = [1, 7, 10, 50].map(|us| cut_at(us * 1000, page).hash());
        assert_eq!(hashes, [hashes[0]; 4], "{page}");
        let whole = cut_at(10_000, page);
        let moved = |node| whole.w.bandwidth.moved(0, node);
        assert!(moved(0) > 10_000_000 && moved(1) > 10_000_000, "{page}");
    }
}
