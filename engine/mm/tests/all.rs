//! All tests that run the machine, in one binary: a binary per file would link the engine again
//! each time.

mod small;

#[path = "ablations.rs"]
mod ablations;
#[path = "accesses.rs"]
mod accesses;
#[path = "at_rest.rs"]
mod at_rest;
#[path = "autonuma.rs"]
mod autonuma;
#[path = "balancing_3_8.rs"]
mod balancing_3_8;
#[path = "bandwidth.rs"]
mod bandwidth;
#[path = "batches.rs"]
mod batches;
#[path = "buddy.rs"]
mod buddy;
#[path = "compaction.rs"]
mod compaction;
#[path = "compaction_series.rs"]
mod compaction_series;
#[path = "congestion.rs"]
mod congestion;
#[path = "determinism.rs"]
mod determinism;
#[path = "divergence.rs"]
mod divergence;
#[path = "divergence_pairs.rs"]
mod divergence_pairs;
#[path = "eras.rs"]
mod eras;
#[path = "extremes.rs"]
mod extremes;
#[path = "fair_zone.rs"]
mod fair_zone;
#[path = "fault_around.rs"]
mod fault_around;
#[path = "files.rs"]
mod files;
#[path = "frozen_zone.rs"]
mod frozen_zone;
#[path = "fuzz.rs"]
mod fuzz;
#[path = "hashes.rs"]
mod hashes;
#[path = "huge_reclaim.rs"]
mod huge_reclaim;
#[path = "huge_swap.rs"]
mod huge_swap;
#[path = "hugetlb.rs"]
mod hugetlb;
#[path = "imported.rs"]
mod imported;
#[path = "interventions.rs"]
mod interventions;
#[path = "kswapd_work.rs"]
mod kswapd_work;
#[path = "kswapd_zones.rs"]
mod kswapd_zones;
#[path = "lanes.rs"]
mod lanes;
#[path = "left_out.rs"]
mod left_out;
#[path = "lines.rs"]
mod lines;
#[path = "locked.rs"]
mod locked;
#[path = "locks.rs"]
mod locks;
#[path = "log.rs"]
mod log;
#[path = "lru_gen.rs"]
mod lru_gen;
#[path = "lumpy.rs"]
mod lumpy;
#[path = "memcg.rs"]
mod memcg;
#[path = "memcg_examples.rs"]
mod memcg_examples;
#[path = "memcg_lru_gen.rs"]
mod memcg_lru_gen;
#[path = "migrate.rs"]
mod migrate;
#[path = "numa_balancing.rs"]
mod numa_balancing;
#[path = "numa_core.rs"]
mod numa_core;
#[path = "operations.rs"]
mod operations;
#[path = "order.rs"]
mod order;
#[path = "phases.rs"]
mod phases;
#[path = "pitfalls.rs"]
mod pitfalls;
#[path = "planted.rs"]
mod planted;
#[path = "questions.rs"]
mod questions;
#[path = "reconsider.rs"]
mod reconsider;
#[path = "records.rs"]
mod records;
#[path = "request_slots.rs"]
mod request_slots;
#[path = "samples.rs"]
mod samples;
#[path = "scheduler.rs"]
mod scheduler;
#[path = "search.rs"]
mod search;
#[path = "session.rs"]
mod session;
#[path = "threads.rs"]
mod threads;
#[path = "throttle.rs"]
mod throttle;
#[path = "touches.rs"]
mod touches;
#[path = "watermark.rs"]
mod watermark;
#[path = "writeback.rs"]
mod writeback;
#[path = "zlc_random.rs"]
mod zlc_random;
#[path = "zone_reclaim.rs"]
mod zone_reclaim;

/// Cargo does not run a file that is not named in this file.
#[test]
fn all_rs_lists_every_test_file() {
    let here = include_str!("all.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let name = entry.expect("a file").file_name();
        let name = name.to_str().expect("UTF-8");
        let Some(test) = name.strip_suffix(".rs") else {
            continue;
        };
        let is_run = test == "all" || here.contains(&format!("mod {test};\n"));
        assert!(is_run, "tests/{name} is not named in tests/all.rs");
    }
}
