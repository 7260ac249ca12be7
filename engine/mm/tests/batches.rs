//! Batches of any length: 8,191 pages, the maximum of a lumpy reclaimer of order 12, pass through
//! isolation, shrink_page_list, putback and records as 32 pages do.

use mm::index::{LruvecIndex, TaskIndex};
use std::sync::Arc;

use mm::check::check;
use mm::experiment::Experiment;
use mm::frames::{Context, Frame, Left};
use mm::gfp::Gfp;
use mm::machine::Machine;
use mm::plan::Plan;
use mm::record::Outcome;
use mm::rng::Rng;
use mm::session::Session;
use mm::stack::Stack;
use mm::vmscan::active::{MmVmscanLruShrinkActive, ShrinkActiveList};
use mm::vmscan::inactive::{BatchDone, ShrinkInactiveList};
use serde_json::json;

const LONG: u32 = 8191;
const FILE: u8 = 1;
const ANON: u8 = 0;

/// A machine without swap whose lists hold 8,400 pages of a file read once and 8,400 touched anonymous
/// pages.
fn full(kernel: &str) -> Machine {
    let experiment = json!({
        "machine": {
            "id": "long", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 4096, "pages": 24_576 }], "cpus": 1 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2011",
            "pcp": false, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 0 }],
        },
        "kernel": kernel, "seed": 1, "length": "100s",
        "workload": { "id": "both", "files": [{ "name": "data", "size": 8400 }], "processes": [
            { "name": "reader", "program": [
                { "op": "map", "region": "heap", "size": 8400 },
                { "op": "touch", "region": "heap" },
                { "op": "read", "file": "data" },
                { "op": "think", "time": "100s" },
            ] },
        ] },
    });
    let experiment = Experiment::from_json(&experiment.to_string()).expect("valid");
    let mut m = Machine::boot(&experiment);
    m.run(u64::MAX, 20_000_000_000);
    m.w.rec.on = true;
    m
}

/// Runs a function to its end, one point at a time. Returns its result, the longest batch it held,
/// and the largest number of pages that their owner counted as isolated.
fn run(m: &mut Machine, owner: LruvecIndex, file: u8, frame: Frame) -> (u32, u32, u32) {
    let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
    let highest = m.w.facts.highest[3];
    cx.sc.begin(Gfp::GFP_KERNEL, 0, highest, true);
    let mut stack = Stack::new(frame);
    let (mut taken, mut isolated) = (0, 0);
    while let Some((top, above)) = stack.top() {
        let next = m.w.run.steps() + 1;
        m.w.run.stop_at(next);
        match top.go(above, &mut m.w, &mut cx) {
            Left::Due => {}
            Left::Returned => stack.pop(),
            Left::Asleep | Left::Exited => panic!("reclaim left the CPU"),
        }
        stack.push_spares(std::mem::take(&mut m.w.run.deeper) as usize);
        taken = taken.max(cx.sc.batch.len() as u32);
        let l = &m.w.mem.lruvecs[owner];
        isolated = isolated.max(l.isolated[usize::from(file)]);
    }
    m.w.sched.wakes.clear();
    m.w.sched.attention = false;
    (cx.ret, taken, isolated)
}

/// The owner of the lists that hold the pages, and the lengths of its lists.
fn owner(m: &Machine) -> (LruvecIndex, [u32; 4]) {
    let lists = |owner: LruvecIndex| std::array::from_fn(|lru| m.w.mem.lruvecs[owner].nr[lru]);
    let fullest =
        m.w.mem
            .lruvecs
            .indices()
            .max_by_key(|&o| lists(o).iter().sum::<u32>());
    let fullest = fullest.expect("an owner");
    (fullest, lists(fullest))
}

fn last_batch(m: &Machine, outcome: Outcome) -> usize {
    let (_, done) = m.w.rec.all::<BatchDone>().next_back().expect("a record");
    assert_eq!(done.pages.len(), LONG as usize);
    done.pages.iter().filter(|page| page.1 == outcome).count()
}

#[test]
fn a_long_batch_of_clean_pages_is_freed_completely() {
    for kernel in ["3.0", "6.1"] {
        let mut m = full(kernel);
        let (owner, before) = owner(&m);
        assert!(before[2] > LONG, "{kernel}: {before:?}");
        let free = |m: &Machine| m.w.mem.zones.iter().map(|z| z.nr_free_pages).sum::<u32>();
        let was = free(&m);
        let call = ShrinkInactiveList::call(owner, FILE, LONG);
        assert_eq!(
            run(&mut m, owner, FILE, call),
            (LONG, LONG, LONG),
            "{kernel}"
        );
        // Nodes of the page cache's tree that are now empty are also freed.
        assert!(free(&m) >= was + LONG, "{kernel}");
        let l = &m.w.mem.lruvecs[owner];
        assert_eq!(
            (l.nr[2], l.isolated),
            (before[2] - LONG, [0, 0]),
            "{kernel}"
        );
        assert_eq!(last_batch(&m, Outcome::Freed), LONG as usize);
        assert_eq!(m.w.counters.pgsteal_kswapd, u64::from(LONG));
        assert_eq!(check(&m), vec![], "{kernel}");
    }
}

/// Without swap no anonymous page can be freed: it becomes active at the second scan at the latest.
/// In 6.1 these are all but the 209 of 8,400 pages that the first batch left.
#[test]
fn a_long_batch_is_put_back_and_deactivated_completely() {
    for kernel in ["3.0", "6.1"] {
        let mut m = full(kernel);
        let (owner, before) = owner(&m);
        assert!(before[0] + before[1] > LONG, "{kernel}: {before:?}");
        let lists = |m: &Machine| m.w.mem.lruvecs[owner].nr;
        // In 6.1 all anonymous pages start on the active list.
        if before[0] < LONG {
            let call = ShrinkActiveList::call(owner, ANON, LONG);
            assert_eq!(run(&mut m, owner, ANON, call), (0, LONG, LONG), "{kernel}");
            assert_eq!(lists(&m)[0], before[0] + LONG, "{kernel}");
        }
        for _ in 0..2 {
            if lists(&m)[0] >= LONG {
                let call = ShrinkInactiveList::call(owner, ANON, LONG);
                assert_eq!(run(&mut m, owner, ANON, call), (0, LONG, LONG), "{kernel}");
            }
        }
        let activated = if kernel == "3.0" { LONG } else { LONG - 209 };
        assert_eq!(
            last_batch(&m, Outcome::Activated),
            activated as usize,
            "{kernel}"
        );
        assert!(lists(&m)[1] >= activated, "{kernel}");
        let activated = lists(&m)[1].min(LONG);
        let call = ShrinkActiveList::call(owner, ANON, LONG);
        let all = (0, activated, activated);
        assert_eq!(run(&mut m, owner, ANON, call), all, "{kernel}");
        let (_, aged) =
            m.w.rec
                .all::<MmVmscanLruShrinkActive>()
                .next_back()
                .expect("aged");
        assert_eq!(
            (aged.nr_taken, aged.nr_deactivated),
            (activated.into(), activated.into())
        );
        assert_eq!(lists(&m)[..2].iter().sum::<u32>(), before[0] + before[1]);
        assert_eq!(check(&m), vec![], "{kernel}");
    }
}

/// The plan of a preset in which reclaim takes up to `batch` pages in one batch.
fn plan(id: &str, batch: u32) -> Plan {
    let mut plan = Plan::of(&Experiment::preset(id).expect("a preset"));
    Arc::make_mut(&mut plan.facts).batch = batch;
    plan
}

#[test]
fn stepping_running_and_rewinding_reach_the_same_state_with_long_batches() {
    for id in ["anon-hog.teach", "fsmark.teach"] {
        let plan = plan(id, LONG);
        let mut run = Machine::start(&plan);
        run.run(400_000, u64::MAX);
        let steps = run.w.run.steps();
        let mut stepped = Machine::start(&plan);
        let mut longest = 0;
        while stepped.w.run.steps() < steps {
            let next = (stepped.w.run.steps() + 7).min(steps);
            stepped.run(next, u64::MAX);
            let held = stepped.tasks.iter().map(|t| t.cx.sc.batch.len()).max();
            longest = longest.max(held.unwrap_or(0));
            if next % 5001 < 7 {
                assert_eq!(check(&stepped), vec![], "{id} at {next}");
            }
        }
        assert!(longest > 64, "{id}: the longest batch had {longest} pages");
        assert!(stepped == run, "{id}");
        let mut session = Session::start(plan, 16 << 20);
        session.run(steps, u64::MAX, u64::MAX);
        for step in [steps / 2, steps] {
            while !session.seek(step, u64::MAX).done {}
        }
        assert_eq!(session.machine().hash(), run.hash(), "{id}");
    }
}
