//! The multi-generational LRU in whole runs: aging, eviction, the switch, and what each kernel counts.

use mm::check::check;
use mm::experiment::Experiment;
use mm::machine::Machine;
use mm::record::{Declared, Record};
use mm::vmscan::inactive::MmVmscanLruShrinkInactive;
use mm::vmscan::lru_gen::GenScanned;
use mm::vmscan::{ANON, FILE, MmVmscanLruIsolate};
use serde_json::{Value, json};

const KERNELS: [&str; 2] = ["6.1", "6.12"];

/// A machine of 64 MiB in two zones, with swap, that runs one program.
fn machine(kernel: &str, program: &Value, tunables: &Value, interventions: &Value) -> Machine {
    let raw = json!({
        "machine": {
            "id": "m", "title": "64 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 2048, "pages": 16384 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2021", "pcp": true,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "ssd_2021", "files": true, "swap": 65_536 }],
        },
        "kernel": kernel, "seed": 1, "length": "20s",
        "tunables": tunables, "interventions": interventions,
        "workload": {
            "id": "w",
            "files": [{ "name": "f", "size": "200%" }],
            "processes": [{ "name": "p", "program": program }],
        },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

/// A task that touches more than all memory, again and again.
fn hog() -> Value {
    json!([
        { "op": "map", "region": "a", "size": "130%" },
        { "op": "repeat", "times": 3, "do": [{ "op": "touch", "region": "a" }] },
        { "op": "stop" },
    ])
}

/// A task that reads a file larger than memory, while a part of memory stays in use.
fn reader() -> Value {
    json!([
        { "op": "map", "region": "h", "size": "20%" },
        { "op": "repeat", "times": 3, "do": [
            { "op": "touch", "region": "h" },
            { "op": "read", "file": "f" },
        ]},
        { "op": "stop" },
    ])
}

/// Runs to the end, checking all invariants at intervals; calls `each` for every record.
fn run(m: &mut Machine, mut each: impl FnMut(&Record)) {
    let mut steps = 10_000;
    m.w.rec.on = true;
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 1000, u64::MAX);
        m.w.rec.records.drain(..).for_each(|record| each(&record));
        if m.w.run.steps() >= steps {
            assert_eq!(check(m), vec![], "step {}", m.w.run.steps());
            steps += steps.min(1_000_000);
        }
    }
    assert_eq!(check(m), vec![]);
}

#[test]
fn a_hog_is_swapped_out_by_generations_in_both_kernels() {
    for kernel in KERNELS {
        let on = json!({ "lru_gen.enabled": 7 });
        let mut m = machine(kernel, &hog(), &on, &json!([]));
        let (mut taken, mut refilled, mut printed) = (0, 0, 0);
        run(&mut m, |record| {
            if let Some(scan) = GenScanned::of(record) {
                (taken, refilled) = (taken + scan.taken, refilled + scan.sorted);
                assert!(scan.taken <= 64 && scan.scanned <= 4096, "{kernel}");
            }
            printed += i64::from(MmVmscanLruIsolate::of(record).is_some());
            printed += i64::from(MmVmscanLruShrinkInactive::of(record).is_some());
        });
        let c = &m.w.counters;
        assert_eq!(c.pgscan_anon as i64, taken, "{kernel}");
        assert_eq!(c.pgrefill as i64, refilled, "{kernel}");
        assert_eq!(
            printed > 0,
            kernel == "6.12",
            "{kernel}: 6.1 prints neither"
        );
        // A page is written at its first visit and freed at its second.
        assert!(c.pgscan_anon > 2 * c.pswpout, "{kernel}");
        assert!(c.pgsteal_anon > 10_000, "{kernel}: {}", c.pgsteal_anon);
        let (refaults, activated) = (c.workingset_refault[ANON], c.workingset_activate[ANON]);
        if kernel == "6.12" {
            assert_eq!(refaults, c.pswpin);
            assert_eq!(activated, c.workingset_restore[ANON]);
            assert!(activated <= refaults);
        } else {
            assert_eq!(refaults, c.workingset_restore[ANON]);
        }
    }
}

#[test]
fn a_streaming_reader_does_not_evict_memory_in_use() {
    for kernel in KERNELS {
        let on = json!({ "lru_gen.enabled": "y" });
        let mut m = machine(kernel, &reader(), &on, &json!([]));
        run(&mut m, |_| {});
        let c = &m.w.counters;
        assert!(c.pgsteal_file > 10_000, "{kernel}: {}", c.pgsteal_file);
        assert!(c.pswpout * 20 < c.pgsteal_file, "{kernel}: {}", c.pswpout);
        assert!(c.workingset_refault[FILE] > 10_000, "{kernel}");
    }
}

/// The multi-generational LRU is switched off and on again in the middle of reclaim; `check`
/// recounts every page afterwards.
#[test]
fn switching_keeps_every_page_on_a_list_of_its_type() {
    for kernel in KERNELS {
        let at = |ms: u32, value: u32| json!({ "at": format!("{ms}ms"), "set": { "lru_gen.enabled": value.to_string() } });
        let switches = json!([at(150, 7), at(400, 0), at(500, 1), at(650, 0), at(700, 7)]);
        let mut m = machine(kernel, &hog(), &json!({}), &switches);
        run(&mut m, |_| {});
        assert!(m.w.mem.lru_gen_on, "{kernel}");
        assert!(m.w.counters.pgsteal_anon > 10_000, "{kernel}");
    }
}
