//! Machines with memory cgroups: limits, protection, pauses and the OOM killer.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::GroupIndex;
use mm::machine::Machine;
use mm::memcg::group::{Event, Stat};
use serde_json::{Value, json};

const KERNELS: [&str; 2] = ["6.1", "6.12"];

/// A machine with 64 MiB and 32 MiB of swap, whose workload is changed by `change`.
fn experiment(kernel: &str, workload: &Value, change: &Value) -> Experiment {
    let mut raw = json!({
        "machine": {
            "id": "m", "title": "64 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 16384 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2021", "pcp": true,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "ssd_2021", "files": true, "swap": 32768 }],
        },
        "kernel": kernel, "seed": 1, "length": "20s",
        "tunables": { "vm.min_free_kbytes": "512", "lru_gen.enabled": "0" },
        "workload": workload,
    });
    for (name, value) in change.as_object().into_iter().flatten() {
        raw[name] = value.clone();
    }
    Experiment::from_json(&raw.to_string()).expect("valid")
}

/// A process of cgroup "box" that touches this many pages twice.
fn hog(pages: u32) -> Value {
    json!({ "name": "hog", "cgroup": "box", "program": [
        { "op": "map", "region": "heap", "size": pages },
        { "op": "touch", "region": "heap" },
        { "op": "touch", "region": "heap" },
        { "op": "stop" } ] })
}

fn boxed(limits: &Value, processes: Value) -> Value {
    let mut group = json!({ "name": "box" });
    for (name, value) in limits.as_object().into_iter().flatten() {
        group[name] = value.clone();
    }
    json!({ "id": "w", "cgroups": [group], "processes": processes,
        "files": [{ "name": "big", "size": "32 MiB" }] })
}

const BOX: GroupIndex = GroupIndex::new(1);

fn events(m: &Machine, event: Event) -> u64 {
    m.w.memcg.groups[BOX].events[event as usize]
}

fn stat(m: &Machine, stat: Stat) -> u64 {
    m.w.memcg.groups[BOX].stats[stat as usize]
}

/// Runs to the end, recounts everything at intervals, and calls `each` for every state seen.
fn finish(m: &mut Machine, step: u64, mut each: impl FnMut(&Machine)) {
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + step, u64::MAX);
        assert_eq!(check(m), vec![], "at step {}", m.w.run.steps());
        each(m);
    }
}

fn usage(m: &Machine) -> u32 {
    m.w.memcg.memory.all[BOX].usage
}

#[test]
fn keeps_a_process_with_swap_below_the_limit_of_its_cgroup() {
    for kernel in KERNELS {
        let workload = boxed(&json!({ "memory.max": 2000 }), json!([hog(3000)]));
        let mut m = Machine::boot(&experiment(kernel, &workload, &json!({})));
        finish(&mut m, 997, |m| assert!(usage(m) <= 2000, "{kernel}"));
        assert_eq!(events(&m, Event::OomKill), 0, "{kernel}");
        assert!(events(&m, Event::Max) > 20, "{kernel}");
        assert!(m.w.counters.pswpout > 1000, "{kernel}");
        // The machine has plenty of memory: neither kswapd nor direct reclaim ran.
        let c = &m.w.counters;
        assert_eq!((c.pgscan_direct, c.pgscan_kswapd, c.allocstall), (0, 0, 0));
        assert!(stat(&m, Stat::ScanDirect) > 1000 && stat(&m, Stat::StealDirect) > 1000);
        assert_eq!(c.pgscan_anon + c.pgscan_file, stat(&m, Stat::ScanDirect));
    }
}

#[test]
fn kills_a_process_after_eighteen_reclaims_that_free_no_page() {
    for kernel in KERNELS {
        let limits = json!({ "memory.max": 1000, "memory.swap.max": 0 });
        let workload = boxed(&limits, json!([hog(3000)]));
        let mut m = Machine::boot(&experiment(kernel, &workload, &json!({})));
        let mut before = 0;
        while events(&m, Event::Oom) == 0 {
            before = events(&m, Event::Max);
            m.run(m.w.run.steps() + 1, u64::MAX);
        }
        finish(&mut m, 997, |_| ());
        assert_eq!(events(&m, Event::Oom), 1, "{kernel}");
        assert_eq!(events(&m, Event::OomKill), 1, "{kernel}");
        assert_eq!(before, 18, "{kernel}");
        assert_eq!(m.w.counters.oom_kill, 1, "{kernel}");
    }
}

#[test]
fn kills_no_process_because_of_page_cache() {
    for kernel in KERNELS {
        let reader = json!({ "name": "reader", "cgroup": "box", "program": [
            { "op": "read", "file": "big" }, { "op": "read", "file": "big" }, { "op": "stop" } ] });
        let workload = boxed(&json!({ "memory.max": 1500 }), json!([reader]));
        let mut m = Machine::boot(&experiment(kernel, &workload, &json!({})));
        finish(&mut m, 997, |m| assert!(usage(m) <= 1500, "{kernel}"));
        assert_eq!(events(&m, Event::Oom), 0, "{kernel}");
        assert!(events(&m, Event::Max) > 100, "{kernel}");
        assert_eq!(stat(&m, Stat::ScanDirect), stat(&m, Stat::StealDirect));
        assert!(stat(&m, Stat::RefaultFile) > 4000, "{kernel}");
        assert!(usage(&m) > 1400, "{kernel}");
    }
}

#[test]
fn pauses_a_process_above_its_high_limit_and_kills_nothing() {
    for kernel in KERNELS {
        let limits = json!({ "memory.high": 1000, "memory.swap.max": 0 });
        let workload = boxed(&limits, json!([hog(1600)]));
        let mut m = Machine::boot(&experiment(kernel, &workload, &json!({})));
        finish(&mut m, 997, |_| ());
        assert!(events(&m, Event::High) > 0, "{kernel}");
        assert_eq!(events(&m, Event::OomKill), 0, "{kernel}");
        assert!(m.w.now > 1_000_000_000, "{kernel}: {} ns", m.w.now);
        let pressure = &m.w.memcg.groups[BOX].pressure;
        assert!(pressure.some.total_ns > 500_000_000, "{kernel}");
    }
}

#[test]
fn reclaims_other_cgroups_before_one_below_memory_low() {
    for kernel in KERNELS {
        let mut workload = boxed(&json!({ "memory.low": 6000 }), json!([hog(5000)]));
        workload["cgroups"]
            .as_array_mut()
            .expect("cgroups")
            .push(json!({ "name": "other" }));
        let mut other = hog(14_000);
        other["name"] = json!("other");
        other["cgroup"] = json!("other");
        other["start"] = json!("100ms");
        workload["processes"]
            .as_array_mut()
            .expect("processes")
            .push(other);
        workload["processes"][0]["program"][3] = json!({ "op": "think", "time": "19s" });
        let mut m = Machine::boot(&experiment(kernel, &workload, &json!({})));
        finish(&mut m, 9973, |_| ());
        assert!(m.w.counters.pswpout > 1000, "{kernel}");
        let scanned = stat(&m, Stat::ScanDirect) + stat(&m, Stat::ScanKswapd);
        assert_eq!(scanned, 0, "{kernel}");
        let lists = m.w.memcg.memory.all[BOX].effective;
        assert_eq!(lists.low, 6000, "{kernel}");
    }
}

#[test]
fn reclaims_at_once_when_a_limit_is_lowered() {
    for kernel in KERNELS {
        let mut workload = boxed(&json!({}), json!([hog(3000)]));
        workload["processes"][0]["program"][3] = json!({ "op": "think", "time": "2s" });
        let act = |at: &str, file: &str, value: u32| json!({ "at": at, "cgroup": { "name": "box", "file": file, "value": value } });
        let change = json!({ "interventions": [
            act("500ms", "memory.reclaim", 500), act("1s", "memory.max", 1500) ], "length": "3s" });
        let mut m = Machine::boot(&experiment(kernel, &workload, &change));
        m.run(u64::MAX, 400_000_000);
        assert!(usage(&m) >= 3000);
        m.run(u64::MAX, 950_000_000);
        assert!(
            (2000..=2564).contains(&usage(&m)),
            "{kernel}: {}",
            usage(&m)
        );
        m.run(u64::MAX, 1_900_000_000);
        assert_eq!(check(&m), vec![]);
        assert!(usage(&m) <= 1500, "{kernel}: {}", usage(&m));
        assert_eq!(events(&m, Event::OomKill), 0, "{kernel}");
    }
}

/// The points of the charge let other tasks run at other times, so the runs are not equal step by
/// step.
#[test]
fn a_cgroup_without_limits_reclaims_as_much_as_no_cgroup() {
    for kernel in KERNELS {
        let mut with = boxed(&json!({}), json!([hog(18_000)]));
        let run = |workload: &Value| {
            let mut m = Machine::boot(&experiment(kernel, workload, &json!({})));
            finish(&mut m, 99_991, |_| ());
            let c = &m.w.counters;
            [c.pgfault, c.pswpout, c.pgsteal_kswapd + c.pgsteal_direct]
        };
        let in_group = run(&with);
        with["processes"][0]
            .as_object_mut()
            .expect("a process")
            .remove("cgroup");
        with.as_object_mut().expect("a workload").remove("cgroups");
        let without = run(&with);
        assert!(without[2] > 1000, "{kernel}");
        for (a, b) in in_group.into_iter().zip(without) {
            assert!(
                a.abs_diff(b) * 10 <= b,
                "{kernel}: {in_group:?} {without:?}"
            );
        }
    }
}

#[test]
fn refuses_cgroups_where_they_are_not_modelled() {
    let workload = boxed(&json!({}), json!([hog(10)]));
    let refused = |kernel: &str, change: &Value| {
        let mut raw =
            serde_json::to_value(&experiment("6.1", &workload, &json!({})).raw).expect("json");
        raw["kernel"] = json!(kernel);
        for (path, value) in change.as_object().into_iter().flatten() {
            *raw.pointer_mut(path).expect("a field") = value.clone();
        }
        let found = Experiment::from_json(&raw.to_string())
            .err()
            .unwrap_or_default();
        found
            .iter()
            .map(|r| format!("{}: {}", r.path, r.reason))
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(refused("6.1", &json!({})), "");
    assert_eq!(
        refused("6.1", &json!({ "/tunables/lru_gen.enabled": "7" })),
        ""
    );
    let found = refused("6.1", &json!({ "/machine/thp": "always" }));
    assert!(found.contains("huge pages"), "{found}");
    let found = refused("6.1", &json!({ "/workload/processes/0/cgroup": "bux" }));
    assert!(
        found.contains("no cgroup is called 'bux'; there are"),
        "{found}"
    );
    let found = refused("5.10", &json!({ "/tunables": {} }));
    assert!(found.contains("choose 6.1 or 6.12"), "{found}");
}

#[test]
fn prints_the_files_of_a_cgroup_with_the_rows_of_its_kernel() {
    use mm::memcg::files;
    for (kernel, rows) in [("6.1", 51), ("6.12", 65)] {
        let mut workload = boxed(&json!({ "memory.max": 2000 }), json!([hog(3000)]));
        workload["processes"][0]["program"][3] = json!({ "op": "think", "time": "9s" });
        let mut m = Machine::boot(&experiment(kernel, &workload, &json!({})));
        m.run(u64::MAX, 9_000_000_000);
        let stat = files::memory_stat(&m.w, BOX).expect("a cgroup");
        let value = |name: &str| {
            let mut lines = stat.lines().filter_map(|line| line.split_once(' '));
            let found = lines.find(|(of, _)| *of == name).expect("a row");
            found.1.parse::<u64>().expect("a number")
        };
        assert_eq!(stat.lines().count(), rows, "{kernel}\n{stat}");
        let sizes = files::sizes(&m.w, BOX);
        assert_eq!(value("anon"), sizes.anon * 4096);
        let listed = value("inactive_anon") + value("active_anon");
        assert_eq!(listed, (sizes.lru[0] + sizes.lru[1]) * 4096);
        assert_eq!(
            value("pgscan"),
            value("pgscan_direct") + value("pgscan_kswapd")
        );
        assert!(value("pgscan") > 1000 && value("pgfault") >= 3000);
        let current = files::memory_current(&m.w, BOX).expect("a cgroup");
        assert_eq!(current, format!("{}\n", usage(&m) * 4096));
        let events = files::memory_events(&m.w, BOX).expect("a cgroup");
        assert!(events.starts_with("low 0\nhigh 0\nmax "), "{events}");
        assert!(events.ends_with("oom 0\noom_kill 0\noom_group_kill 0\n"));
        let pressure = files::memory_pressure(&m.w, BOX).expect("a cgroup");
        assert!(pressure.starts_with("some avg10=") && pressure.contains("\nfull avg10="));
        let root = GroupIndex::ROOT;
        assert!(files::memory_stat(&m.w, root).is_some());
        assert_eq!(files::memory_current(&m.w, root), None);
    }
}
