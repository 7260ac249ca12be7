//! Views of processes: their pages and threads by node add up, whatever moves them.

use mm::experiment::Experiment;
use mm::index::TaskIndex;
use mm::machine::Machine;
use mm::map;
use mm::record::RecordKind;
use mm::view::View;

const BALANCES: &str = r#""kernel.numa_balancing": "1", "kernel.numa_balancing_scan_delay_ms": "20",
    "kernel.numa_balancing_scan_period_min_ms": "20""#;

/// Two processes whose memory was filled on node 0, on the four CPUs of two nodes; each has two threads, or
/// uses its memory alone. A region has the size of a huge page: numa/core scans no smaller one.
fn pairs(kernel: &str, set: &str, threads: bool) -> Machine {
    let work = r#"{ "op": "repeat", "times": 1000000, "do": [
        { "op": "touch", "region": "x", "order": "random", "pages": 64 }, { "op": "compute", "time": "1ms" } ] }"#;
    let (run, thread) = match threads {
        true => (
            r#"{ "op": "threads", "process": "thread", "count": 2 }, { "op": "join" }"#,
            format!(r#", {{ "name": "thread", "count": 0, "program": [ {work} ] }}"#),
        ),
        false => (work, String::new()),
    };
    let node = |first: u64| {
        format!(r#"{{ "ranges": [{{ "start_pfn": {first}, "pages": 4096 }}], "cpus": 2 }}"#)
    };
    let nodes = [node(0x10_0000), node(0x10_1000)].join(", ");
    let experiment = format!(
        r#"{{ "id": "pairs", "kernel": "{kernel}", "seed": 1, "length": "3s", "tunables": {{ {set} }},
        "machine": {{ "id": "pairs", "title": "", "arch": "x86_64", "page_size_kib": 4, "nodes": [{nodes}],
            "distances": [[10, 20], [20, 10]], "hz": 1000, "thp": "never", "costs": "s2011", "pcp": true,
            "zonelist_order": "default" }},
        "workload": {{ "id": "pairs", "processes": [ {{ "name": "bench", "count": 2, "program": [
            {{ "op": "affinity", "node": 0 }}, {{ "op": "map", "region": "x", "size": "2 MiB" }},
            {{ "op": "touch", "region": "x" }}, {{ "op": "affinity" }}, {run} ] }}{thread} ] }} }}"#
    );
    Machine::boot(&Experiment::from_json(&experiment).expect("a valid experiment"))
}

fn watch(m: &mut Machine, every: u64, most: u64, mut look: impl FnMut(&Machine, &View)) {
    while m.w.run.steps() < most && !m.w.sched.ended {
        m.run(m.w.run.steps() + every, u64::MAX);
        look(m, &picture::view(m, None));
    }
}

#[test]
fn pages_and_threads_by_node_add_up() {
    let (mut most, mut most_marked) = (0, 0);
    watch(
        &mut pairs("6.1", BALANCES, true),
        997,
        100_000,
        |m, view| {
            assert_eq!(view.processes.len(), 2);
            for process in &view.processes {
                let task = &view.tasks[process.task as usize];
                assert_eq!(process.name, task.name);
                assert_eq!(
                    process.pages.iter().sum::<u64>(),
                    task.rss,
                    "{}",
                    process.name
                );
                let of = m.tasks[TaskIndex::new(process.task)].cx.process as usize;
                let recounted = m.w.processes.recount_by_node(of);
                for (node, &pages) in process.pages.iter().enumerate() {
                    assert_eq!(u64::from(recounted[node]), pages);
                }
                let marked = |node| {
                    let states = map::page_states(&m.w, node);
                    states
                        .iter()
                        .filter(|&&s| s & map::STATE_MARKED != 0)
                        .count() as u32
                };
                let spaces = 0..m.w.processes.all.len() as u32;
                let entries: u32 = spaces.map(|space| m.w.processes.hinting_pages(space)).sum();
                assert_eq!(marked(0) + marked(1), entries);
                most_marked = most_marked.max(entries);
                let threads: u32 = process.threads.iter().sum();
                assert!(threads == 1 || threads == 2, "{threads} threads");
                for (running, all) in process.running.iter().zip(&process.threads) {
                    assert!(running <= all);
                }
                most = most.max(threads);
            }
        },
    );
    assert_eq!(most, 2, "no thread was started");
    assert!(most_marked > 0, "no page was marked for a hinting fault");
}

#[test]
fn a_workload_without_threads_shows_no_processes() {
    let mut m = pairs("6.1", BALANCES, false);
    m.run(2_000, u64::MAX);
    assert!(picture::view(&m, None).processes.is_empty());
}

#[test]
fn the_view_has_each_placement_decision_with_its_step() {
    let mut m = pairs("numacore-18", "", true);
    m.w.rec.on = true;
    m.w.rec.keeps = |kind| kind == RecordKind::NumaKind;
    let decided = loop {
        assert!(!m.w.sched.ended, "nothing was decided");
        m.run(m.w.run.steps() + 50_000, u64::MAX);
        if let Some(record) = m.w.rec.records.front() {
            break record.step;
        }
    };
    let mut m = pairs("numacore-18", "", true);
    m.run(decided, u64::MAX);
    m.w.rec.on = true;
    m.run(decided + 1, u64::MAX);
    let view = picture::view(&m, None);
    assert!(!view.placing.is_empty(), "a placement without a verdict");
    for row in &view.placing {
        // The row of a step is the state right after that step.
        assert_eq!(row[1] as u64, decided + 1);
    }
}
