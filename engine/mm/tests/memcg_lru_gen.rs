//! Memory cgroups with the multi-generational LRU: limits, protection, the order of cgroups, the switch.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::{GroupIndex, NodeIndex};
use mm::machine::Machine;
use mm::memcg::group::{Event, Stat};
use mm::record::{Declared, Record};
use mm::vmscan::lru_gen::{GenerationOpened, GroupLater, GroupLowVisited, GroupRotated};
use serde_json::{Value, json};

const KERNELS: [&str; 2] = ["6.1", "6.12"];
const BOX: GroupIndex = GroupIndex::new(1);
const OTHER: GroupIndex = GroupIndex::new(2);

/// A machine with 64 MiB and 16 MiB of swap. The cgroup "box" has these limits, "other" has none.
fn machine(kernel: &str, limits: &Value, processes: &Value, change: &Value) -> Machine {
    let mut boxed = json!({ "name": "box" });
    for (name, value) in limits.as_object().into_iter().flatten() {
        boxed[name] = value.clone();
    }
    let mut raw = json!({
        "machine": {
            "id": "m", "title": "64 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 2048, "pages": 16384 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2021", "pcp": true,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "ssd_2021", "files": true, "swap": 16384 }],
        },
        "kernel": kernel, "seed": 1, "length": "20s",
        "tunables": { "vm.min_free_kbytes": "512", "lru_gen.enabled": "7" },
        "workload": { "id": "w", "cgroups": [boxed, { "name": "other" }], "processes": processes,
            "files": [{ "name": "big", "size": "32 MiB" }] },
    });
    for (name, value) in change.as_object().into_iter().flatten() {
        raw[name] = value.clone();
    }
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

/// A process of a cgroup that touches so many pages so often.
fn hog(group: &str, pages: u32, times: u32) -> Value {
    json!({ "name": group, "cgroup": group, "program": [
        { "op": "map", "region": "heap", "size": pages },
        { "op": "repeat", "times": times, "do": [{ "op": "touch", "region": "heap" }] },
        { "op": "stop" } ] })
}

fn events(m: &Machine, event: Event) -> u64 {
    m.w.memcg.groups[BOX].events[event as usize]
}

fn stat(m: &Machine, group: GroupIndex, stat: Stat) -> u64 {
    m.w.memcg.groups[group].stats[stat as usize]
}

fn scanned(m: &Machine, group: GroupIndex) -> u64 {
    stat(m, group, Stat::ScanDirect) + stat(m, group, Stat::ScanKswapd)
}

fn usage(m: &Machine) -> u32 {
    m.w.memcg.memory.all[BOX].usage
}

/// Runs to the end, recounts everything now and then, and calls `each` for every record.
fn finish(m: &mut Machine, step: u64, mut each: impl FnMut(&Machine, &Record)) {
    m.w.rec.on = true;
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + step, u64::MAX);
        assert_eq!(check(m), vec![], "at step {}", m.w.run.steps());
        let records: Vec<Record> = m.w.rec.records.drain(..).collect();
        for record in &records {
            each(m, record);
        }
    }
}

#[test]
fn keeps_a_process_with_swap_below_the_limit_of_its_cgroup() {
    for kernel in KERNELS {
        let limits = json!({ "memory.max": 2000 });
        let mut m = machine(kernel, &limits, &json!([hog("box", 3000, 3)]), &json!({}));
        let mut aged = 0;
        finish(&mut m, 997, |m, record| {
            assert!(usage(m) <= 2000, "{kernel}");
            aged += u32::from(GenerationOpened::of(record).is_some());
        });
        assert!(aged > 2, "{kernel}");
        assert_eq!(events(&m, Event::OomKill), 0, "{kernel}");
        assert!(events(&m, Event::Max) > 20, "{kernel}");
        let c = &m.w.counters;
        assert!(c.pswpout > 1000 && c.pswpin > 1000, "{kernel}");
        // The machine has plenty of memory: neither kswapd nor direct reclaim ran.
        assert_eq!((c.pgscan_direct, c.pgscan_kswapd, c.allocstall), (0, 0, 0));
        assert_eq!((c.pgsteal_direct, c.pgrefill), (0, 0), "{kernel}");
        assert_eq!(c.pgscan_anon + c.pgscan_file, scanned(&m, BOX), "{kernel}");
        let stolen = stat(&m, BOX, Stat::StealDirect);
        assert_eq!(c.pgsteal_anon + c.pgsteal_file, stolen, "{kernel}");
        assert!(stat(&m, BOX, Stat::Refill) > 0, "{kernel}");
        let refaults = stat(&m, BOX, Stat::RefaultAnon);
        assert_eq!(c.workingset_refault[0], refaults, "{kernel}");
        assert!(refaults > 500, "{kernel}: {refaults}");
        assert_eq!(scanned(&m, OTHER), 0, "{kernel}");
    }
}

#[test]
fn kills_a_process_after_eighteen_reclaims_that_free_no_page() {
    for kernel in KERNELS {
        let limits = json!({ "memory.max": 1000, "memory.swap.max": 0 });
        let mut m = machine(kernel, &limits, &json!([hog("box", 3000, 2)]), &json!({}));
        let mut before = 0;
        while events(&m, Event::Oom) == 0 {
            before = events(&m, Event::Max);
            m.run(m.w.run.steps() + 1, u64::MAX);
        }
        finish(&mut m, 997, |_, _| ());
        assert_eq!(events(&m, Event::Oom), 1, "{kernel}");
        assert_eq!(events(&m, Event::OomKill), 1, "{kernel}");
        assert_eq!(before, 18, "{kernel}");
    }
}

#[test]
fn a_streaming_reader_at_its_limit_keeps_the_memory_that_it_uses() {
    for kernel in KERNELS {
        let reader = json!({ "name": "box", "cgroup": "box", "program": [
            { "op": "map", "region": "heap", "size": 500 },
            { "op": "repeat", "times": 4, "do": [
                { "op": "touch", "region": "heap" }, { "op": "read", "file": "big" } ] },
            { "op": "stop" } ] });
        let limits = json!({ "memory.max": 1500 });
        let mut m = machine(kernel, &limits, &json!([reader]), &json!({}));
        finish(&mut m, 997, |m, _| assert!(usage(m) <= 1500, "{kernel}"));
        assert_eq!(events(&m, Event::Oom), 0, "{kernel}");
        let c = &m.w.counters;
        assert!(c.pgsteal_file > 20_000, "{kernel}: {}", c.pgsteal_file);
        assert!(c.pswpout * 50 < c.pgsteal_file, "{kernel}: {}", c.pswpout);
        assert!(usage(&m) > 1300, "{kernel}");
    }
}

#[test]
fn takes_no_page_of_a_cgroup_below_memory_min() {
    for kernel in KERNELS {
        let mut quiet = hog("box", 5000, 1);
        quiet["program"][2] = json!({ "op": "think", "time": "19s" });
        let mut other = hog("other", 14_000, 2);
        other["start"] = json!("100ms");
        let limits = json!({ "memory.min": 6000 });
        let mut m = machine(kernel, &limits, &json!([quiet, other]), &json!({}));
        finish(&mut m, 9973, |_, _| ());
        assert!(m.w.counters.pswpout > 1000, "{kernel}");
        assert_eq!(scanned(&m, BOX), 0, "{kernel}");
        assert!(scanned(&m, OTHER) > 1000, "{kernel}");
    }
}

#[test]
fn reclaims_from_a_cgroup_below_memory_low_after_the_others() {
    for kernel in KERNELS {
        let mut quiet = hog("box", 5000, 1);
        quiet["program"][2] = json!({ "op": "think", "time": "19s" });
        let mut other = hog("other", 14_000, 2);
        other["start"] = json!("100ms");
        let limits = json!({ "memory.low": 6000 });
        let mut m = machine(kernel, &limits, &json!([quiet, other]), &json!({}));
        let (mut later, mut visited, mut rotated) = (0u64, 0u64, 0u64);
        finish(&mut m, 9973, |_, record| {
            later += u64::from(GroupLater::of(record).is_some());
            visited += u64::from(GroupLowVisited::of(record).is_some());
            rotated += u64::from(GroupRotated::of(record).is_some());
        });
        assert!(scanned(&m, OTHER) > 1000, "{kernel}");
        if kernel == "6.1" {
            // Its walk skips such a cgroup unless nothing else can be reclaimed.
            assert_eq!((scanned(&m, BOX), later, rotated), (0, 0, 0));
        } else {
            // A cgroup that was skipped once is reclaimed from at the second meeting.
            assert!(later > 0 && rotated >= later, "{later} {rotated}");
            assert!(visited > 0);
            assert_eq!(events(&m, Event::Low), visited);
        }
    }
}

#[test]
fn switching_keeps_every_page_on_a_list_of_its_cgroup() {
    for kernel in KERNELS {
        let at = |ms: u32, value: u32| json!({ "at": format!("{ms}ms"), "set": { "lru_gen.enabled": value.to_string() } });
        let change = json!({ "interventions":
            [at(100, 0), at(200, 7), at(300, 0), at(350, 1), at(500, 7)] });
        let processes = json!([hog("box", 3000, 4), hog("other", 15_000, 3)]);
        let limits = json!({ "memory.max": 2000 });
        let mut m = machine(kernel, &limits, &processes, &change);
        finish(&mut m, 4999, |_, _| ());
        assert!(m.w.mem.lru_gen_on, "{kernel}");
        assert!(scanned(&m, BOX) > 1000 && scanned(&m, OTHER) > 1000);
    }
}

/// A cgroup that the walk of 6.12 is done with moves to the young generation of cgroups, so the others come
/// first until all have had their turn.
#[test]
fn global_reclaim_takes_from_both_cgroups() {
    for kernel in KERNELS {
        let processes = json!([hog("box", 12_000, 12), hog("other", 12_000, 12)]);
        let mut m = machine(kernel, &json!({}), &processes, &json!({}));
        finish(&mut m, 9973, |m, _| {
            if let Some(lru) = &m.w.memcg.lru {
                let node = &lru.nodes[NodeIndex::new(0)];
                assert_eq!(node.places.len(), 3);
                assert!(node.places.iter().any(|at| at.generation == node.old()));
            }
        });
        let [a, b] = [BOX, OTHER].map(|group| scanned(&m, group));
        assert!(a > 2000 && b > 2000, "{kernel}: {a} {b}");
        if kernel == "6.12" {
            let lru = m.w.memcg.lru.as_ref().expect("an order");
            assert!(lru.nodes[NodeIndex::new(0)].seq > 0);
        }
    }
}

#[test]
fn debugfs_prints_the_generations_of_each_cgroup() {
    for kernel in KERNELS {
        let processes = json!([hog("box", 5000, 20)]);
        let mut m = machine(kernel, &json!({}), &processes, &json!({ "length": "1s" }));
        m.run(20_000, u64::MAX);
        let text = mm::proc::print(&m, mm::proc::File::LruGen);
        let heads: Vec<&str> = text.lines().filter(|l| l.starts_with("memcg")).collect();
        let expected = ["memcg     1 /", "memcg     2 /box", "memcg     3 /other"];
        assert_eq!(heads, expected, "{kernel}\n{text}");
        let nodes = mm::snapshot::generations(&m.w);
        let pages = |path: &str| -> u64 {
            let node = nodes.iter().find(|node| node.group.path == path);
            node.map_or(0, |node| node.pages.iter().flatten().sum())
        };
        let listed = |group: GroupIndex| {
            let frames = m.w.mem.pages.indices();
            let of_group = frames.filter(|&frame| m.w.mem.group_of(frame) == group);
            of_group
                .filter(|&frame| m.w.mem.generation(frame).is_some())
                .count() as u64
        };
        assert!(pages("/box") > 100, "{kernel}: {}", pages("/box"));
        assert_eq!(
            [pages("/box"), pages("/other")],
            [listed(BOX), listed(OTHER)]
        );
    }
}
