//! The engine accesses pages and files in the order of `facts::workload::order`, which a program on
//! a real kernel also follows.

use mm::experiment::Experiment;
use mm::index::TaskIndex;
use mm::machine::{Machine, TaskKind};
use mm::record::RecordKind;
use mm::workload::{Pattern, order};
use serde_json::json;

const PAGES: u32 = 200;
const TOUCHES: u32 = 500;
const FILE_SECTORS: u32 = 128;
const CHUNK_SECTORS: u32 = 8;
const CALLS: u32 = 60;

fn experiment(seed: u64) -> Experiment {
    let raw = json!({
        "machine": "x86_64-8g-teach", "kernel": "6.1", "seed": seed, "length": "100s",
        "workload": {
            "id": "order",
            "files": [{ "name": "data", "size": "64 KiB", "count": 6, "each": 3 }],
            "processes": [{ "name": "reader", "count": 2, "own": ["data"], "program": [
                { "op": "map", "region": "heap", "size": PAGES },
                { "op": "touch", "region": "heap" },
                { "op": "touch", "region": "heap", "pages": TOUCHES, "order": "random" },
                { "op": "read", "file": "data", "order": "random", "size": "240 KiB", "chunk": "4 KiB" },
            ]}],
        },
    });
    Experiment::from_json(&raw.to_string()).unwrap_or_else(|found| panic!("{found:?}"))
}

/// What a task of the only program accesses according to the functions alone: pages, then files and
/// sectors.
fn expected(seed: u64, instance: u32) -> (Vec<i64>, Vec<(i64, i64)>) {
    let mut rng = order::stream(seed, 0, instance);
    let mut at = 0;
    let mut page = |rng: &mut _| order::next_page(Pattern::Random, (0, PAGES), &mut at, rng);
    let pages = (0..TOUCHES).map(|_| page(&mut rng).into()).collect();
    let files = order::own_files((0, 6), 3, instance - 1);
    let calls = (0..CALLS).map(|_| {
        let file = order::next_file(Pattern::Random, files, (files.0, false), &mut rng);
        let size = (FILE_SECTORS, CHUNK_SECTORS);
        let pos = order::next_position(Pattern::Random, size.0, size.1, 0, &mut rng);
        (file.into(), pos.into())
    });
    (pages, calls.collect())
}

#[test]
fn the_engine_accesses_pages_in_the_computed_order_for_every_seed() {
    for seed in 0..6 {
        let mut m = Machine::boot(&experiment(seed));
        m.w.rec.on = true;
        m.w.rec.keeps = |kind| [RecordKind::UserTouch, RecordKind::FileCall].contains(&kind);
        m.run(u64::MAX, u64::MAX);
        for instance in 1..=2 {
            let is_it = |id: u32| {
                let program = 0;
                m.tasks[TaskIndex::new(id)].kind == TaskKind::User { program, instance }
            };
            let own = || m.w.rec.records.iter().filter(|r| is_it(r.task.get()));
            let of = |kind| own().filter(move |r| r.kind == kind);
            let pages: Vec<i64> = of(RecordKind::UserTouch).map(|r| r.values[0]).collect();
            let calls = of(RecordKind::FileCall).map(|r| (r.values[0], r.values[1]));
            let found = (pages, calls.collect::<Vec<_>>());
            assert_eq!(
                found,
                expected(seed, instance),
                "seed {seed}, reader/{instance}"
            );
        }
    }
}
