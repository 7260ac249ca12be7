//! In tests: records which pages and sectors a task accesses. The engine runs the same programs and
//! must access the same pages and sectors in the same order.

use std::cell::RefCell;

/// One access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A touch: region and page.
    Page(i64, i64),
    /// A read or write call: file, first sector, sectors.
    Call(i64, i64, i64),
}

thread_local! {
    static SEEN: RefCell<Vec<Seen>> = const { RefCell::new(Vec::new()) };
}

/// Records an access of the running thread.
pub fn note(seen: Seen) {
    SEEN.with_borrow_mut(|all| all.push(seen));
}

fn take() -> Vec<Seen> {
    SEEN.take()
}

mod tests {
    use facts::experiment::Experiment;
    use facts::rng::Rng;
    use mm::machine::Machine;
    use mm::record::RecordKind;
    use serde_json::{Value, json};

    use super::*;
    use crate::run::plan::{self, Plan};
    use crate::run::process::Process;
    use crate::run::report::Messages;
    use crate::run::table::Table;
    use crate::run::task::Task;
    use crate::run::{setup, sys};

    const PAGES: u32 = 60;

    /// A program of touches, reads, writes and copies. All pages are touched first, because the engine records
    /// a touch only if it does not fault.
    fn program(rng: &mut Rng) -> Value {
        let mut steps = vec![
            json!({"op": "map", "region": "a", "size": PAGES}),
            json!({"op": "touch", "region": "a"}),
        ];
        for _ in 0..4 + rng.below(8) {
            let order = ["sequential", "random"][rng.below(2) as usize];
            let kib = |n: u32| format!("{} KiB", 4 * (1 + n));
            let (size, chunk) = (kib(rng.below(60)), kib(rng.below(20)));
            let file = ["one", "many", "new"][rng.below(3) as usize];
            steps.push(match rng.below(6) {
                0 | 1 => json!({"op": "touch", "region": "a", "pages": 1 + rng.below(150), "order": order}),
                2 => json!({"op": "read", "file": file, "size": size, "chunk": chunk, "order": order}),
                3 => json!({"op": "write", "file": file, "size": size, "chunk": chunk, "order": order}),
                4 => json!({"op": "copy", "from": "many", "to": "new", "size": size, "chunk": chunk}),
                _ => json!({"op": "repeat", "times": 1 + rng.below(3), "do": [
                    {"op": "read", "file": file, "size": size, "chunk": chunk, "order": order},
                    {"op": "touch", "region": "a", "pages": 1 + rng.below(9), "order": order},
                ]}),
            });
        }
        json!(steps)
    }

    fn experiment(seed: u64, rng: &mut Rng) -> Experiment {
        let raw = json!({
            "machine": "x86_64-8g-teach", "kernel": "6.1", "seed": seed, "length": "14400s",
            "workload": {
                "id": "witness",
                "files": [
                    {"name": "one", "size": "100 KiB"},
                    {"name": "many", "size": "40 KiB", "count": 3},
                    {"name": "new", "size": "64 KiB", "absent": true},
                ],
                "processes": [{"name": "task", "program": program(rng)}],
            },
        });
        Experiment::from_json(&raw.to_string()).unwrap_or_else(|found| panic!("{found:?}"))
    }

    /// The accesses of the engine.
    fn by_engine(experiment: &Experiment) -> Vec<Seen> {
        let mut m = Machine::boot(experiment);
        m.w.rec.on = true;
        m.w.rec.keeps = |kind| [RecordKind::UserTouch, RecordKind::FileCall].contains(&kind);
        m.run(u64::MAX, u64::MAX);
        let seen = m.w.rec.records.iter().map(|r| match r.kind {
            RecordKind::UserTouch => Seen::Page(r.values[1], r.values[0]),
            _ => Seen::Call(r.values[0], r.values[1], r.values[2]),
        });
        seen.collect()
    }

    /// The accesses of the guest program, without the first touch of each page.
    fn by_guest(experiment: Experiment, folder: &std::path::Path) -> Vec<Seen> {
        let (node_cpus, cpus) = plan::node_cpus();
        let plan = Plan {
            table: Table::new(experiment.programs.len()).expect("memory"),
            experiment,
            folder: folder.to_path_buf(),
            page_bytes: sys::page_bytes(),
            node_cpus,
            cpus,
            exposes: false,
            cgroups: crate::run::cgroups::Cgroups::default(),
            settings_before: Vec::new(),
        };
        let plan: &'static Plan = Box::leak(Box::new(plan));
        setup::make_files(plan, &mut Messages::default());
        let process: &'static Process = Box::leak(Box::new(Process::new(1, 1)));
        let number = plan.table.born(0).expect("a place");
        take();
        Task::new(plan, process, number, (0, 0)).run();
        take().split_off(PAGES as usize)
    }

    #[test]
    fn accesses_the_same_pages_in_the_same_order_as_the_engine() {
        let folder = format!("mmscope-guest-{}-witness", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let mut calls = 0;
        for seed in 0..40 {
            let experiment = experiment(seed, &mut Rng::stream(seed, 77));
            let engine = by_engine(&experiment);
            let raw = experiment.raw.workload.clone();
            let guest = by_guest(experiment, &folder);
            assert_eq!(guest, engine, "seed {seed}: {raw}");
            calls += engine
                .iter()
                .filter(|seen| matches!(seen, Seen::Call(..)))
                .count();
            std::fs::remove_dir_all(&folder).expect("the folder");
        }
        assert!(calls > 1000, "only {calls} calls");
    }
}
