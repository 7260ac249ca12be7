//! Views of machines that compact: the positions of scanners, the isolated page, moved pages and skipped
//! blocks, the ends of runs, and the durations of timed rounds.

use mm::index::TaskIndex;
use mm::index::ZoneIndex;
use std::collections::BTreeSet;

use mm::compaction::{CompactZone, CzPt};
use mm::experiment::Experiment;
use mm::frames::Frame;
use mm::gfp::MOVABLE;
use mm::machine::{Machine, Task};
use mm::view::{CompactEnd, CompactRunView, CompactedBy, CompactionIs, PageblocksView};
use serde_json::json;

const BLOCK: u64 = 512;

/// A zone DMA32 of 16 MiB. A task uses three quarters of it and the kernel a small part. Files are read and
/// written, and blocks of half a MiB are requested, each of them timed.
fn experiment(kernel: &str) -> Experiment {
    let raw = json!({
        "machine": {
            "id": "series", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 4096, "pages": 4096 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "d2010",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 32768 }],
        },
        "kernel": kernel, "seed": 1, "length": "60s",
        "interventions": if kernel == "2.6.37" { json!([
            { "at": "300ms", "compact_memory": 1 },
        ]) } else { json!([]) },
        "workload": { "id": "series", "files": [
            { "name": "data", "size": "6 MiB" }, { "name": "log", "size": "4 MiB" },
        ], "processes": [
            { "name": "hog", "program": [
                { "op": "map", "region": "heap", "size": "9 MiB" },
                { "op": "touch", "region": "heap" },
                { "op": "alloc", "pool": "slab", "order": 0, "count": 200, "type": "unmovable" },
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "touch", "region": "heap", "order": "random", "pages": 300 },
                    { "op": "dontneed", "region": "heap", "every": 3 },
                    { "op": "read", "file": "data", "size": "256 KiB" },
                    { "op": "write", "file": "log", "size": "64 KiB" },
                    { "op": "think", "time": "3ms" },
                ] },
            ] },
            { "name": "pool", "start": "100ms", "program": [
                { "op": "repeat", "times": 1000, "do": [
                    { "op": "sample", "name": "huge page", "times": 12, "do": [
                        { "op": "alloc", "pool": "huge", "order": 7, "count": 1, "type": "movable", "go_on": true },
                    ] },
                    { "op": "think", "time": "10ms" },
                    { "op": "release", "pool": "huge" },
                ] },
            ] },
        ] },
    });
    Experiment::from_json(&raw.to_string()).expect("a valid experiment")
}

fn machine(kernel: &str) -> Machine {
    let mut m = Machine::boot(&experiment(kernel));
    m.w.rec.on = true;
    m
}

fn zone(m: &Machine) -> PageblocksView {
    picture::view(m, None).pageblocks.remove(0)
}

/// Continues the run and checks the view at regular intervals of steps.
fn watch(m: &mut Machine, every: u64, steps: u64, mut look: impl FnMut(&Machine, PageblocksView)) {
    while m.w.run.steps() < steps && !m.w.sched.ended {
        m.run(m.w.run.steps() + every, u64::MAX);
        look(m, zone(m));
        // Records that are older are not used.
        while m.w.rec.records.len() > 4096 {
            m.w.rec.records.pop_front();
        }
    }
}

/// Whether the task has begun a run.
fn compacts(t: &&Task) -> bool {
    let begun = |run: &CompactZone| !matches!(run.pt, CzPt::Suitable | CzPt::Init);
    let mut frames = t.stack.iter();
    frames.any(|f| matches!(f, Frame::CompactZone(run) if begun(run)))
}

/// The view of a run in progress equals the state of its task.
fn is_of_the_machine(m: &Machine, run: &CompactRunView) {
    let task = &m.tasks[TaskIndex::new(run.task)];
    let cc = &task.cx.cc;
    assert!(compacts(&task));
    assert_eq!(run.migrate_pfn, m.w.mem.pfn(cc.migrate_pfn));
    assert_eq!(run.free_pfn, m.w.mem.pfn(cc.free_pfn));
    assert_eq!(
        (run.isolated, run.targets),
        (task.cx.migrate.list.len() as u64, cc.freepages.len() as u64)
    );
    assert!(run.isolated <= 32);
    assert_eq!(run.sync, cc.sync);
    if let Some(moved) = run.moved.filter(|moved| !moved.done) {
        let held = task.cx.migrate.list.iter().map(|&f| m.w.mem.pfn(f));
        assert!(held.into_iter().any(|pfn| pfn == moved.from));
        assert!(moved.to > moved.from);
    }
}

/// Counts over all runs of compaction of a kernel.
#[derive(Debug, Default)]
struct Seen {
    by: BTreeSet<String>,
    ends: BTreeSet<String>,
    hints: usize,
    rounds_back: usize,
    skipped: usize,
    targets_passed: usize,
    moves: usize,
}

fn seen(kernel: &str, every: u64, steps: u64) -> Seen {
    let (mut m, mut seen) = (machine(kernel), Seen::default());
    let mut before: Option<CompactRunView> = None;
    watch(&mut m, every, steps, |m, zone| {
        let z = &m.w.mem.zones[ZoneIndex::new(0)];
        assert_eq!(zone.considered, z.compact_considered);
        assert_eq!(zone.defer_limit, 1 << z.compact_defer_shift);
        let blocks: u64 = zone.types.iter().map(|t| t.1).sum();
        assert_eq!(blocks, 4096 / BLOCK);
        let Some(run) = zone.run else {
            assert_eq!(m.tasks.iter().filter(compacts).count(), 0);
            before = None;
            return;
        };
        assert_eq!(run.by.is_some(), run.end.is_none());
        match run.end {
            None => is_of_the_machine(m, &run),
            Some(end) => {
                assert_eq!((run.isolated, run.targets), (0, 0));
                seen.ends.insert(format!("{end:?}"));
            }
        }
        if let Some(by) = run.by {
            seen.by.insert(format!("{by:?}"));
        }
        // Within one run the scanners only approach each other.
        let same = |b: &&CompactRunView| b.task == run.task && b.end.is_none() && run.end.is_some();
        if let Some(earlier) = before.as_ref().filter(same) {
            assert!(run.migrate_pfn >= earlier.migrate_pfn || run.end == Some(CompactEnd::Round));
            assert!(run.free_pfn <= earlier.free_pfn);
        }
        seen.hints += usize::from(run.hint.is_some());
        seen.rounds_back += usize::from(run.until.is_some());
        seen.moves += usize::from(run.moved.is_some());
        for passed in &run.passed {
            assert!(passed.migratetype != u32::from(MOVABLE) || passed.target);
            assert_eq!(passed.target, passed.next == passed.pfn);
            assert!(passed.target || run.movable_only);
            seen.skipped += usize::from(!passed.target);
            seen.targets_passed += usize::from(passed.target);
        }
        before = Some(run);
    });
    seen
}

#[test]
fn compaction_runs_name_their_requester_and_result() {
    let request = format!("{:?}", CompactedBy::Request);
    let old = seen("traceonly", 7, 700_000);
    assert!(old.by.contains(&request), "{:?}", old.by);
    assert!(old.moves > 0 && old.targets_passed > 0, "{old:?}");
    assert_eq!((old.hints, old.rounds_back, old.skipped), (0, 0, 0));

    let fast = seen("fastscan", 7, 700_000);
    assert!(fast.skipped > 0, "{fast:?}");
    assert!(fast.by.contains("Reclaim"), "{fast:?}");

    let hint = seen("compacthint", 7, 700_000);
    assert!(hint.hints > 0 && hint.rounds_back > 0, "{hint:?}");

    let hand = seen("2.6.37", 7, 700_000);
    assert!(hand.by.contains("Hand"), "{hand:?}");
    assert!(hand.ends.contains("Met"), "{hand:?}");
    let merged = seen("2.6.38", 7, 700_000);
    assert!(merged.by.contains("Kswapd"), "{merged:?}");
    for found in [&old, &fast, &hint] {
        assert!(found.ends.contains("Found"), "{found:?}");
    }
}

#[test]
fn a_kernel_without_compaction_shows_blocks_and_no_compaction_runs() {
    for (kernel, is) in [
        ("lumpyreclaim-traceonly", CompactionIs::NotBuilt),
        ("3.0", CompactionIs::NotModelled),
        ("traceonly", CompactionIs::Here),
    ] {
        let experiment = experiment(kernel);
        let facts = Machine::boot(&experiment).w.facts.clone();
        let info = picture::info(&facts, &experiment);
        assert_eq!((info.compaction, info.largest_order), (is, 7), "{kernel}");
    }
    let lumpy = seen("lumpyreclaim-traceonly", 499, 500_000);
    assert!(lumpy.by.is_empty() && lumpy.ends.is_empty());
}

/// With 512 recorded steps before a moment, its view is the same however it was reached.
#[test]
fn the_view_of_a_step_does_not_depend_on_how_it_was_reached() {
    let kernel = "compacthint";
    let mut straight = machine(kernel);
    let mut compared = 0;
    watch(&mut straight, 997, 600_000, |m, zone| {
        if zone.run.is_none() || compared == 40 {
            return;
        }
        compared += 1;
        let here = m.w.run.steps();
        let mut other = Machine::boot(&experiment(kernel));
        other.run(here - 512, u64::MAX);
        other.w.rec.on = true;
        other.run(here, u64::MAX);
        assert_eq!(self::zone(&other), zone, "at step {here}");
    });
    assert_eq!(compared, 40);
}

#[test]
fn the_view_has_the_duration_of_every_timed_round() {
    let mut m = machine("traceonly");
    m.w.rec.on = false;
    m.run(500_000, u64::MAX);
    let rounds = picture::view(&m, None).rounds;
    let [of] = rounds.as_slice() else {
        panic!("one program times its rounds")
    };
    assert_eq!(of.name, "huge page");
    let lines = &m.w.phases.samples.lines;
    let all: u64 = of.took.iter().map(|&(_, n)| n).sum();
    assert!(all > 20, "{all}");
    assert_eq!(
        all,
        lines.iter().map(|line| u64::from(line.count)).sum::<u64>()
    );
    assert!(of.took.is_sorted());
    for line in lines.iter() {
        let near = |&&(ns, _): &&(u64, u64)| ns <= line.ns && line.ns - ns <= ns / 4;
        assert!(of.took.iter().any(|took| near(&took)), "{}", line.ns);
    }
}
