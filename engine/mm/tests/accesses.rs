//! Runs of random accesses: they fault as often as single accesses, and splitting a run changes
//! nothing.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::NodeIndex;
use mm::machine::Machine;
use mm::record::RecordKind;
use serde_json::{Value, json};

/// A machine of two nodes. With `rates`, its memory has the rates of a server of 2012.
fn two_nodes(rates: bool) -> Value {
    let mut machine = json!({
        "id": "two", "title": "", "arch": "x86_64", "page_size_kib": 4,
        "nodes": [
            { "ranges": [{ "start_pfn": 0, "pages": 4096 }], "cpus": 2 },
            { "ranges": [{ "start_pfn": 4096, "pages": 4096 }], "cpus": 2 },
        ],
        "distances": [[10, 20], [20, 10]], "hz": 1000, "thp": "never", "costs": "q-x86", "pcp": true,
        "zonelist_order": "default",
    });
    if rates {
        machine["memory"] = json!({
            "local_bytes_per_s": 8_440_000_000u64, "remote_bytes_per_s": 6_720_000_000u64,
            "direction_bytes_per_s": 7_370_000_000u64, "link_bytes_per_s": 12_140_000_000u64,
            "node_bytes_per_s": 15_270_000_000u64, "local_ns": 70, "remote_ns": 112,
        });
    }
    machine
}

fn boot(machine: &Value, seed: u32, processes: &Value) -> Machine {
    let raw = json!({
        "machine": machine, "kernel": "6.1", "seed": seed, "length": "1s",
        "tunables": { "vm.min_free_kbytes": "1024" },
        "workload": { "id": "accesses", "processes": processes },
    });
    let e = Experiment::from_json(&raw.to_string()).unwrap_or_else(|found| panic!("{found:?}"));
    Machine::boot(&e)
}

/// Number of faults when this access goes to 64 pages on two nodes, of which a few are mapped.
fn faults(seed: u32, access: &Value) -> u64 {
    let mut m = boot(
        &two_nodes(false),
        seed,
        &json!([{ "name": "p", "program": [
            { "op": "bind", "node": 1, "strict": true },
            { "op": "map", "region": "heap", "size": 64 },
            { "op": "touch", "region": "heap", "pages": 16 },
            { "op": "bind", "node": 0 },
            access,
        ] }]),
    );
    m.run(u64::MAX, u64::MAX);
    assert_eq!(check(&m), []);
    m.w.counters.pgfault - 16
}

/// Both have the mean and the variance of drawing pages from a set: each of the 48 unmapped pages
/// stays unmapped through `n` accesses with probability `(63/64)^n`.
#[test]
fn runs_of_accesses_fault_as_often_as_single_accesses() {
    const SEEDS: u32 = 1000;
    for n in [8u32, 64, 200] {
        let single = json!({ "op": "touch", "region": "heap", "order": "random", "pages": n });
        let run = json!({ "op": "access", "region": "heap", "times": n });
        let moments = |access: &Value| {
            let each: Vec<u64> = (0..SEEDS).map(|seed| faults(seed, access)).collect();
            let sum: u64 = each.iter().sum();
            let squares: u64 = each.iter().map(|n| n * n).sum();
            let count = u64::from(SEEDS);
            // The mean in thousandths, and a thousand times the variance.
            (
                sum * 1000 / count,
                (squares * count - sum * sum) / (count * count / 1000),
            )
        };
        let (single, run) = (moments(&single), moments(&run));
        // Three standard deviations of the difference between two means of a thousand draws: sqrt(2
        // v / 1000).
        let bound = 3 * (2 * single.1.max(run.1)).isqrt();
        assert!(
            single.0.abs_diff(run.0) <= bound,
            "{n}: {single:?}, {run:?}"
        );
        // The standard error of the variance of a thousand draws is about sqrt(2/1000) of it: 4.5
        // %.
        assert!(
            single.1.abs_diff(run.1) * 5 <= single.1,
            "{n}: {single:?}, {run:?}"
        );
    }
}

/// A process whose threads access all of their memory and their own part of it.
fn team() -> Value {
    json!([
        { "name": "main", "program": [
            { "op": "affinity", "node": 0 },
            { "op": "map", "region": "heap", "size": 1200 },
            { "op": "touch", "region": "heap", "pages": 900 },
            { "op": "threads", "process": "thread", "count": 3 },
            { "op": "join" },
        ] },
        { "name": "thread", "count": 0, "program": [
            { "op": "affinity", "node": 1 },
            { "op": "access", "region": "heap", "times": 40_000, "own": 40, "writes": 60 },
        ] },
    ])
}

#[test]
fn threads_that_access_in_single_steps_end_in_the_same_state() {
    for rates in [false, true] {
        let machine = two_nodes(rates);
        let (mut whole, mut stepped) = (boot(&machine, 5, &team()), boot(&machine, 5, &team()));
        stepped.w.rec.on = true;
        whole.run(u64::MAX, u64::MAX);
        while !stepped.w.sched.ended {
            stepped.run(stepped.w.run.steps() + 1, u64::MAX);
        }
        assert_eq!(whole.hash(), stepped.hash(), "rates: {rates}");
    }
}

/// In the end the threads have touched all pages. A run of accesses that maps no new page is one
/// step.
#[test]
fn a_run_that_maps_no_new_page_is_one_step() {
    let mut m = boot(&two_nodes(true), 5, &team());
    m.w.rec.on = true;
    m.run(u64::MAX, u64::MAX);
    assert_eq!(check(&m), []);
    let of = |kind| m.w.rec.records.iter().filter(move |r| r.kind == kind);
    let accesses: i64 = of(RecordKind::AccessRun).map(|r| r.values[0]).sum();
    let changes = of(RecordKind::AccessChanges).count() as i64;
    assert_eq!(accesses + changes, 3 * 40_000);
    assert!(of(RecordKind::AccessRun).any(|r| r.values[0] > 50));
    // 900 pages were mapped and written, so their entries are both accessed and dirty. Each other
    // page faults once; sometimes two threads fault on the same page.
    assert_eq!(m.w.counters.pgfault as i64, 900 + changes);
    assert!((300..=315).contains(&changes), "{changes}");
    let moved = |node| m.w.bandwidth.moved(NodeIndex::new(1), node);
    // The 300 new pages are on node 1 and the 900 old ones on node 0; zeroing moved 300 pages there.
    let lines = [
        moved(NodeIndex::new(0)),
        moved(NodeIndex::new(1)) - 300 * 4096,
    ]
    .map(|bytes| bytes / 64);
    assert!(lines[0].abs_diff(90_000) < 4000, "{lines:?}");
}
