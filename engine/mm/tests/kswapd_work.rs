//! How much kswapd does: passes over its node, and CPU time.

use mm::experiment::Experiment;
use mm::index::NodeIndex;
use mm::machine::Machine;
use serde_json::json;

/// CPU time of the kswapd of a node, ns.
fn cpu_ns(m: &Machine, node: NodeIndex) -> u64 {
    m.w.sched
        .cpu_time(m.w.kswapd[node].task, (m.w.cpu, m.w.now))
}

/// 256 MiB with a small DMA zone on 2.6.38, where kswapd never finds DMA32 balanced. The most
/// common report about kswapd is that it uses 100 % of a CPU.
fn spinning() -> Machine {
    let raw = json!({
        "machine": {
            "id": "m", "title": "256 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 1, "pages": 158 },
                                   { "start_pfn": 256, "pages": 65280 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "d2010", "pcp": true,
            "zonelist_order": "default",
        },
        "kernel": "2.6.38", "seed": 1, "length": "3s",
        "workload": { "id": "w", "files": [{ "name": "big", "size": "220%" }],
            "processes": [{ "name": "reader", "program": [{ "op": "read", "file": "big" }] }] },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

#[test]
fn a_kswapd_that_never_sleeps_uses_a_whole_cpu_and_reports_it() {
    let mut m = spinning();
    m.run(u64::MAX, 2_700_000_000);
    let (passes, used) = (
        m.w.kswapd[NodeIndex::new(0)].passes,
        cpu_ns(&m, NodeIndex::new(0)),
    );
    m.run(u64::MAX, 2_720_000_000);
    let (more, busy) = (
        m.w.kswapd[NodeIndex::new(0)].passes - passes,
        cpu_ns(&m, NodeIndex::new(0)) - used,
    );
    assert_eq!(m.w.kswapd[NodeIndex::new(0)].wakes, 1);
    assert!(more > 100_000, "{more} passes in 20 ms");
    assert!(
        (19_000_000..=20_200_000).contains(&busy),
        "{busy} ns of 20 ms"
    );
}

/// The passes of all nodes add up to `pageoutrun`, CPU time never falls, and a stop at any step
/// changes neither.
#[test]
fn kswapd_passes_add_up_and_its_cpu_time_grows_with_the_clock() {
    let experiment = Experiment::preset("anon-hog.teach").expect("a preset");
    let (mut whole, mut stepped) = (Machine::boot(&experiment), Machine::boot(&experiment));
    whole.run(200_000, u64::MAX);
    let mut last = [0, 0];
    while stepped.w.run.steps() < 200_000 {
        stepped.run(stepped.w.run.steps() + 101, u64::MAX);
        stepped.run(stepped.w.run.steps().min(200_000), u64::MAX);
        let now = [
            cpu_ns(&stepped, NodeIndex::new(0)),
            cpu_ns(&stepped, NodeIndex::new(1)),
        ];
        assert!(
            now[0] >= last[0] && now[1] >= last[1],
            "{last:?}, then {now:?}"
        );
        last = now;
    }
    let m = &mut whole;
    m.run(stepped.w.run.steps(), u64::MAX);
    assert_eq!(
        [cpu_ns(m, NodeIndex::new(0)), cpu_ns(m, NodeIndex::new(1))],
        last
    );
    let passes: u64 = m.w.kswapd.iter().map(|k| k.passes).sum();
    assert!(passes > 2 && passes == m.w.counters.pageoutrun);
    let clocks = m.w.sched.cpus.iter().map(|c| c.now).max();
    assert!(last.iter().all(|&ns| ns > 0 && Some(ns) < clocks));
}
