//! Worked examples of memory cgroups: batches of charges, the room for swap, and restarts of reclaim.

use facts::index::FrameIndex;
use mm::experiment::Experiment;
use mm::index::GroupIndex;
use mm::machine::Machine;
use mm::memcg::group::Event;
use mm::record::RecordKind;
use serde_json::{Value, json};

const KERNELS: [&str; 2] = ["6.1", "6.12"];

/// A machine with 64 MiB, one CPU and 32 MiB of swap, on which a process of the last of these cgroups touches
/// so many pages.
fn machine(kernel: &str, cgroups: &Value, pages: u32) -> Machine {
    let last = &cgroups
        .as_array()
        .expect("cgroups")
        .last()
        .expect("a cgroup")["name"];
    let raw = json!({
        "machine": {
            "id": "m", "title": "64 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 16384 }], "cpus": 1 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2021", "pcp": true,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "ssd_2021", "files": true, "swap": 32768 }],
        },
        "kernel": kernel, "seed": 1, "length": "20s",
        "tunables": { "vm.min_free_kbytes": "512", "lru_gen.enabled": "0" },
        "workload": { "id": "w", "cgroups": cgroups, "processes": [
            { "name": "hog", "cgroup": last, "program": [
                { "op": "map", "region": "heap", "size": pages },
                { "op": "touch", "region": "heap" },
                { "op": "stop" } ] }] },
    });
    let experiment = Experiment::from_json(&raw.to_string()).expect("valid");
    Machine::boot(&experiment)
}

const BOX: GroupIndex = GroupIndex::new(1);

/// With room for it a charge takes 64 pages; near the limit it takes one at a time, until reclaim has made
/// room for 64 again.
#[test]
fn charges_in_batches_and_near_the_limit_page_by_page() {
    for kernel in KERNELS {
        let mut m = machine(
            kernel,
            &json!([{ "name": "box", "memory.max": 1000 }]),
            3000,
        );
        // Fourteen batches later the usage is 936.
        m.w.memcg.memory.charge(BOX, 40);
        let (mut before, mut rises, mut has_fallen) = (40, [0, 0], false);
        while !m.w.sched.ended && rises[0] + rises[1] < 1500 {
            m.run(m.w.run.steps() + 1, u64::MAX);
            let usage = m.w.memcg.memory.all[BOX].usage;
            let events = m.w.memcg.groups[BOX].events[Event::Max as usize];
            if usage > before && before + 64 <= 1000 && !has_fallen {
                assert_eq!(usage - before, 64, "{kernel}: from {before}");
                rises[0] += 1;
            } else if usage > before {
                assert_eq!(usage - before, 1, "{kernel}: from {before}");
                assert!(events > 0, "{kernel}: {usage}");
                rises[1] += 1;
            }
            if before == 936 && events == 0 && usage != before {
                assert_eq!(usage, 1000, "{kernel}");
            }
            // The charge that had to reclaim still takes one page.
            has_fallen = usage < before || (has_fallen && usage == before);
            before = usage;
        }
        assert!(rises[0] > 14 && rises[1] > 100, "{kernel}: {rises:?}");
    }
}

#[test]
fn a_cgroup_may_use_swap_up_to_its_limit() {
    use mm::memcg::swap_left;
    let cgroups = json!([{ "name": "box", "memory.swap.max": 100 }]);
    let mut m = machine("6.1", &cgroups, 10);
    assert_eq!(m.w.swap.free_slots(), 8191);
    m.w.memcg.swap.charge(BOX, 60);
    assert_eq!(swap_left(&m.w, BOX), 40);
    m.w.memcg.swap.charge(BOX, 40);
    assert_eq!(swap_left(&m.w, BOX), 0);
    assert_eq!(swap_left(&m.w, GroupIndex::ROOT), 8191);
}

#[test]
fn swap_of_a_cgroup_counts_as_full_once_half_of_its_limit_is_used() {
    use mm::memcg::{commit, swap_full};
    let cgroups = json!([{ "name": "box", "memory.swap.max": 100 }]);
    let mut m = machine("6.1", &cgroups, 10);
    let frame = m.w.mem.pages.len() as u32 - 1;
    commit(&mut m.w, FrameIndex::new(frame), BOX);
    m.w.memcg.swap.charge(BOX, 49);
    assert!(!swap_full(&m.w, FrameIndex::new(frame)));
    m.w.memcg.swap.charge(BOX, 1);
    assert!(swap_full(&m.w, FrameIndex::new(frame)));
}

/// All pages below the limited cgroup are protected by memory.low. Reclaim goes through all priorities without
/// a page, in 6.12 once more with all cgroups, and then takes protected pages.
#[test]
fn reclaims_below_memory_low_if_nothing_else_can_be_reclaimed() {
    for (kernel, passes) in [("6.1", 1), ("6.12", 2)] {
        let cgroups = json!([
            { "name": "top", "memory.max": 900 },
            { "name": "inner", "parent": "top", "memory.low": 1000 },
        ]);
        let mut m = machine(kernel, &cgroups, 1500);
        let kinds = [
            RecordKind::LimitPriority,
            RecordKind::GroupBelowLow,
            RecordKind::GroupLowReclaimed,
            RecordKind::RestartAll,
            RecordKind::RestartLow,
        ];
        m.w.rec.on = true;
        let mut counts = [0; 5];
        let mut low_seen = false;
        while !m.w.sched.ended {
            m.run(m.w.run.steps() + 1000, u64::MAX);
            for record in std::mem::take(&mut m.w.rec.records) {
                let found = kinds.iter().position(|kind| *kind == record.kind);
                let Some(found) = found else { continue };
                if found == 4 && !low_seen {
                    // The first low pass: the passes before it skipped the cgroup at every priority.
                    assert_eq!(
                        counts,
                        [13 * passes, 13 * passes, 0, passes - 1, 0],
                        "{kernel}"
                    );
                    low_seen = true;
                }
                counts[found] += 1;
            }
        }
        assert!(low_seen, "{kernel}: {counts:?}");
        let inner = GroupIndex::new(2);
        let low = m.w.memcg.groups[inner].events[Event::Low as usize];
        assert_eq!(low, counts[2], "{kernel}");
        assert!(low > 0, "{kernel}");
        assert_eq!(m.w.memcg.groups[inner].events[Event::OomKill as usize], 0);
    }
}
