//! Direct reclaim for huge pages in kernels that compact: it may write pages to swap, and it leaves
//! zones to compaction if enough pages are free there.

use mm::check::check;
use mm::compaction::CompactionReady;
use mm::experiment::Experiment;
use mm::machine::Machine;
use mm::record::{Declared, Record};
use mm::vmscan::direct::{MmVmscanDirectReclaimBegin, MmVmscanDirectReclaimEnd};
use mm::vmscan::node::NodeAgain;
use serde_json::{Value, json};

const KERNELS: [&str; 3] = ["5.10", "6.1", "6.12"];

/// A machine of 64 MiB in one zone, with swap and the classic LRU lists. Huge pages are used where a
/// program requests them.
fn machine(kernel: &str, program: &Value) -> Machine {
    let mut raw = json!({
        "machine": {
            "id": "m", "title": "64 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 4096, "pages": 16384 }], "cpus": 1 }],
            "distances": [[10]], "hz": 250, "thp": "always", "costs": "s2021", "pcp": true,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "ssd_2021", "files": true, "swap": 65_536 }],
        },
        "kernel": kernel, "seed": 1, "length": "60s",
        "tunables": { "vm.min_free_kbytes": "512", "transparent_hugepage": "madvise" },
        "workload": { "id": "w", "processes": [{ "name": "hog", "program": program }] },
    });
    if kernel == "6.12" {
        raw["tunables"]["lru_gen.enabled"] = json!("0");
    }
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

/// Runs to the end with recording; returns the records that `keep` selects.
fn records<T>(m: &mut Machine, keep: impl Fn(&Record) -> Option<T>) -> Vec<T> {
    let mut chosen = Vec::new();
    m.w.rec.on = true;
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 1000, u64::MAX);
        chosen.extend(m.w.rec.records.drain(..).filter_map(|r| keep(&r)));
    }
    assert_eq!(check(m), vec![]);
    chosen
}

/// Every second page of 70 % of memory is free. Once the other 30 % are huge pages, no free block is large.
/// Compaction could make one, so reclaim for a huge page has nothing to do. No compaction follows here: the
/// fault uses single pages.
#[test]
fn reclaim_for_a_huge_page_scans_nothing_when_compaction_could_make_one() {
    let program = json!([
        { "op": "map", "region": "f", "size": "70%" },
        { "op": "touch", "region": "f" },
        { "op": "dontneed", "region": "f", "every": 2 },
        { "op": "map", "region": "h", "size": "35%", "huge": true },
        { "op": "touch", "region": "h" },
        { "op": "stop" },
    ]);
    for kernel in KERNELS {
        let mut m = machine(kernel, &program);
        let left = records(&mut m, CompactionReady::of);
        let c = &m.w.counters;
        // Draining the per-cpu lists may still free a block.
        assert!(c.thp_fault_fallback > 0, "{kernel}");
        assert!(c.thp_fault_fallback <= c.allocstall, "{kernel}");
        assert!(!left.is_empty(), "{kernel}");
        assert_eq!(c.pgscan_direct, 0, "{kernel}");
    }
}

/// Memory is full of base pages, so compaction has no room: reclaim for a huge page writes pages to
/// swap, and continues until compaction could work.
#[test]
fn reclaim_for_a_huge_page_swaps_out_when_memory_is_full() {
    let program = json!([
        { "op": "map", "region": "f", "size": "75%" },
        { "op": "touch", "region": "f" },
        { "op": "map", "region": "h", "size": "40%", "huge": true },
        { "op": "touch", "region": "h" },
        { "op": "stop" },
    ]);
    for kernel in KERNELS {
        let mut m = machine(kernel, &program);
        enum Seen {
            Begin(u8),
            End(i64),
            Again,
        }
        let seen = records(&mut m, |r| {
            let begin = MmVmscanDirectReclaimBegin::of(r).map(|r| Seen::Begin(r.order));
            let end = MmVmscanDirectReclaimEnd::of(r).map(|r| Seen::End(r.nr_reclaimed));
            begin.or(end).or(NodeAgain::of(r).map(|_| Seen::Again))
        });
        let (mut order, mut freed, mut again) = (0, 0, 0);
        for seen in seen {
            match seen {
                Seen::Begin(of) => order = of,
                Seen::End(pages) if order == 9 => freed += pages,
                Seen::End(_) => {}
                Seen::Again => again += 1,
            }
        }
        assert!(freed > 32, "{kernel}: {freed} pages");
        assert!(again > 0, "{kernel}: one pass over the node was enough");
    }
}

/// A request that is repeated as long as a zone could serve it (`__GFP_RETRY_MAYFAIL`) ends
/// although reclaim reports progress each time.
#[test]
fn filling_a_pool_of_huge_pages_stops_when_no_block_can_be_freed() {
    let program = json!([
        { "op": "map", "region": "f", "size": "70%" },
        { "op": "touch", "region": "f" },
        { "op": "dontneed", "region": "f", "every": 2 },
        { "op": "alloc", "pool": "huge", "order": 9, "type": "hugetlb", "count": 4 },
        { "op": "stop" },
    ]);
    for kernel in KERNELS {
        let mut m = machine(kernel, &program);
        m.run(u64::MAX, u64::MAX);
        assert!(m.w.now < 60_000_000_000, "{kernel}: the run did not end");
    }
}
