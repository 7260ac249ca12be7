//! Proves that the properties of `steps.rs`, `slices.rs` and `charged.rs` can fail: a machine in which each of
//! them holds gets a bug, and the property reports it.

use std::collections::BTreeSet;

use mm::experiment::Experiment;
use mm::frames::Frame;
use mm::index::{GroupIndex, TaskIndex};
use mm::kernel::LruGenRule;
use mm::machine::Machine;
use mm::memcg::group::Event;
use mm::mmzone::{PageKind, flag};
use mm::record::Declared;
use mm::vmscan::lru_gen::WalkDone;
use mm::vmscan::node::SnPt;
use mm::vmscan::{ANON, MmVmscanLruIsolate};
use serde_json::{Value, json};

use super::charged::{Charged, events_differ, memory_events, shares_too_much};
use super::generations;
use super::slices::Slice;
use super::steps::{Counted, Step, Steps};

const INNER: GroupIndex = GroupIndex::new(2);

/// A machine of 16 MiB with generations and three cgroups: "box", "inner" in it, and "other". A process in
/// "inner" and one in "other" need more memory than there is.
fn machine(kernel: &str, tunables: &Value, limits: &Value) -> Machine {
    let hog = |group: &str, size: &str| {
        json!({ "name": group, "cgroup": group, "program": [
            { "op": "map", "region": "heap", "size": size },
            { "op": "repeat", "times": 5, "do": [
                { "op": "touch", "region": "heap" }, { "op": "read", "file": "big", "size": "20%" } ] },
            { "op": "stop" } ] })
    };
    let mut inner =
        json!({ "name": "inner", "parent": "box", "memory.low": 300, "memory.min": 100 });
    for (name, value) in limits.as_object().into_iter().flatten() {
        inner[name] = value.clone();
    }
    let mut set = json!({ "vm.min_free_kbytes": "256", "lru_gen.enabled": "7" });
    for (name, value) in tunables.as_object().into_iter().flatten() {
        set[name] = value.clone();
    }
    let raw = json!({
        "machine": {
            "id": "m", "title": "16 MiB", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 2048, "pages": 4096 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2021", "pcp": true,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "ssd_2021", "files": true, "swap": 32768 }],
        },
        "kernel": kernel, "seed": 1, "length": "5s", "tunables": set,
        "workload": { "id": "w", "files": [{ "name": "big", "size": "100%" }],
            "cgroups": [
                { "name": "box", "memory.low": 600, "memory.min": 200 }, inner,
                { "name": "other", "memory.min": 500 } ],
            "processes": [hog("inner", "40%"), hog("other", "90%")] },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

/// Puts a page into another generation, or into none.
fn move_page(m: &mut Machine) {
    let frames = || m.w.mem.pages.indices();
    let listed = frames().find(|&frame| m.w.mem.generation(frame).is_some());
    let listed = listed.expect("a page in a generation");
    let own = m.w.mem.generation(listed);
    let other = frames().find(|&frame| m.w.mem.generation(frame) != own);
    let other =
        m.w.mem
            .gen_bits(other.expect("a page in another generation"));
    m.w.mem.gen_bits[listed] = other;
}

/// Covers the usage of the cgroup that a task's reclaim visits with memory.min. 6.12 ignores the protection of
/// the cgroup at whose limit it reclaims, so a visit of that one gets no bug.
fn protect_visited(m: &mut Machine, task: TaskIndex) -> bool {
    let group = match m.tasks[task].stack.last() {
        Some(Frame::ShrinkNode(f)) if f.pt == SnPt::Lists => f.group.known(),
        Some(Frame::TryToShrinkLruvec(f)) => Some(m.w.mem.group_of_lists(f.owner)),
        _ => None,
    };
    let target = m.tasks[task].cx.sc.target;
    let Some(group) = group.filter(|&group| !group.is_root() && group != target) else {
        return false;
    };
    let counter = &mut m.w.memcg.memory.all[group];
    counter.effective.min = counter.usage;
    counter.usage > 0
}

/// Plants the bug of a step in a machine that has just executed it, and says what was planted.
fn plant(m: &mut Machine, step: &Step) -> Option<&'static str> {
    match step {
        Step::Opens(_) => {
            move_page(m);
            Some("a page moves when a generation is opened")
        }
        Step::EndsWrite(_) => {
            m.w.counters.pgrotated += 1;
            Some("a page is rotated twice")
        }
        Step::Visits(task) => protect_visited(m, *task).then_some("a protected cgroup is visited"),
        _ => None,
    }
}

#[test]
fn reports_steps_with_a_planted_bug() {
    for kernel in ["6.1", "6.12"] {
        let mut planted = BTreeSet::new();
        let mut m = machine(kernel, &json!({}), &json!({ "memory.max": 900 }));
        let mut steps = Steps::default();
        while planted.len() < 4 && !m.w.sched.ended {
            let step = Step::next(&m);
            let mut forgetful = m.clone();
            if matches!(step, Step::Kept(_)) {
                let task = forgetful.w.task;
                forgetful.tasks[task].cx.sc.kept.clear();
                if steps.clone().kept(&forgetful, &step).is_some() {
                    planted.insert("a page that must be written is freed");
                }
            }
            assert_eq!(steps.kept(&m, &step), None);
            m.run(m.w.run.steps() + 1, u64::MAX);
            assert_eq!(step.wrong(&m).or_else(|| steps.see(&m, &step)), None);
            let mut bad = m.clone();
            if let Some(name) = plant(&mut bad, &step).filter(|name| !planted.contains(name)) {
                assert!(step.wrong(&bad).is_some(), "{kernel}: {name}");
                planted.insert(name);
            }
        }
        assert_eq!(planted.len(), 4, "{kernel}: {planted:?}");
    }
}

#[test]
fn reports_a_rotation_without_a_write_and_an_oom_without_a_call() {
    let mut m = machine("6.12", &json!({}), &json!({}));
    m.run(20_000, u64::MAX);
    let before = Counted::of(&m);
    assert_eq!(before.wrong(&m, &Step::Other), None);
    m.w.counters.pgrotated += 1;
    assert!(before.wrong(&m, &Step::Other).is_some());
    m.w.counters.pgrotated -= 1;
    m.w.memcg.event(INNER, Event::Oom);
    assert!(before.wrong(&m, &Step::Other).is_some());
    assert_eq!(before.wrong(&m, &Step::WriteCallsKiller), None);
}

/// Without swap the process does not fit into its cgroup. The real run has 18 reclaims; whoever has not seen
/// them takes the call for a bug.
#[test]
fn reports_a_call_of_the_oom_killer_without_18_fruitless_reclaims() {
    for kernel in ["6.1", "6.12"] {
        let limits = json!({ "memory.max": 400, "memory.swap.max": 0 });
        let mut m = machine(kernel, &json!({}), &limits);
        let mut steps = Steps::default();
        while steps.checked.killer == 0 {
            assert!(!m.w.sched.ended, "{kernel}: no OOM");
            let step = Step::next(&m);
            m.run(m.w.run.steps() + 1, u64::MAX);
            let is_call = matches!(step, Step::CallsKiller { .. });
            assert!(!is_call || Steps::default().see(&m, &step).is_some());
            assert_eq!(steps.see(&m, &step), None, "{kernel}");
        }
    }
}

/// Runs until a part of a run has scanned pages; returns its beginning, the machine at its end with the
/// records of the part.
fn scanned(kernel: &str, swappiness: u32) -> (Slice, Machine) {
    let mut m = machine(kernel, &json!({ "vm.swappiness": swappiness }), &json!({}));
    m.w.rec.on = true;
    loop {
        assert!(!m.w.sched.ended, "no part has scanned pages");
        let slice = Slice::begin(&m);
        m.run(m.w.run.steps() + 500, u64::MAX);
        assert_eq!(slice.wrong(&m), None);
        let counters = &m.w.counters;
        let has_anon = swappiness == 0 || counters.pgscan_anon > 1000;
        if counters.pgscan_file > 1000 && has_anon && slice != Slice::begin(&m) {
            return (slice, m);
        }
        m.w.rec.records.clear();
    }
}

type Plant = fn(&mut Machine);

#[test]
fn reports_counters_that_no_scan_explains() {
    let plants: [(&str, Plant); 5] = [
        ("pgscan", |m| m.w.counters.pgscan_anon += 1),
        ("pgsteal", |m| m.w.counters.pgsteal_file += 1 << 30),
        ("pgrefill", |m| {
            let refill = mm::memcg::group::Stat::Refill as usize;
            m.w.memcg.groups[INNER].stats[refill] += 1;
        }),
        ("event", |m| {
            let records = &mut m.w.rec.records;
            records.retain(|record| MmVmscanLruIsolate::of(record).is_none());
        }),
        ("workingset", |m| {
            m.w.counters.workingset_activate[ANON] += 1
        }),
    ];
    for kernel in ["6.1", "6.12"] {
        let (slice, m) = scanned(kernel, 60);
        for (name, plant) in plants {
            let mut bad = m.clone();
            bad.w.rec.on = true;
            bad.w.rec.records.clone_from(&m.w.rec.records);
            plant(&mut bad);
            let rule = m.w.facts.features.lru_gen;
            let is_of_later = ["workingset", "event"].contains(&name);
            let applies = !is_of_later || rule == LruGenRule::AgesWithin;
            assert_eq!(slice.wrong(&bad).is_some(), applies, "{kernel}: {name}");
        }
    }
}

#[test]
fn reports_anonymous_pages_that_are_isolated_at_swappiness_0() {
    for kernel in ["6.1", "6.12"] {
        let (slice, mut m) = scanned(kernel, 0);
        m.w.rec.on = false;
        assert_eq!(slice.wrong(&m), None);
        let mut bad = m.clone();
        bad.w.counters.pgscan_anon += 1;
        assert!(slice.wrong(&bad).is_some(), "{kernel}");
        for lists in &mut m.w.mem.lruvecs.iter_mut() {
            let gens = lists.lru_gen.as_mut().expect("generations");
            gens.max_seq = gens.min_seq[ANON] + 2;
            gens.min_seq[ANON] += 1;
        }
        assert!(slice.wrong(&m).is_some(), "{kernel}");
    }
}

#[test]
fn reports_a_walk_that_moves_more_pages_than_were_used() {
    let mut m = machine("6.12", &json!({}), &json!({}));
    m.w.rec.on = true;
    let walk = loop {
        assert!(!m.w.sched.ended, "no walk");
        m.run(m.w.run.steps() + 1000, u64::MAX);
        let mut records = m.w.rec.records.drain(..);
        if let Some(walk) = records.find(|record| WalkDone::of(record).is_some()) {
            break walk;
        }
    };
    assert_eq!(generations::wrong(&walk), None);
    let young = WalkDone::of(&walk).expect("a walk").young;
    let mut bad = walk.clone();
    *bad.values.last_mut().expect("fields") = young + 1;
    assert!(generations::wrong(&bad).is_some());
}

#[test]
fn reports_a_page_that_changes_its_cgroup() {
    let mut m = machine("6.12", &json!({}), &json!({}));
    m.run(5_000, u64::MAX);
    let mut charged = Charged::default();
    charged.begin(&m);
    m.run(m.w.run.steps() + 20, u64::MAX);
    assert_eq!(charged.wrong(&m), None);
    assert!(charged.compared > 100, "{}", charged.compared);
    let mut pages = m.w.mem.pages.entries();
    let is_used = |page: &mm::mmzone::Page| page.kind() == PageKind::Anon && page.has(flag::LRU);
    let (frame, _) = pages.find(|(_, page)| is_used(page)).expect("a page");
    m.w.mem.groups[frame] ^= 1;
    assert!(charged.wrong(&m).is_some());
}

#[test]
fn reports_children_that_share_more_than_their_parent_has() {
    for recursive in [false, true] {
        let mut m = machine("6.12", &json!({}), &json!({ "memory.low": 3000 }));
        m.run(100_000, u64::MAX);
        let counters = &mut m.w.memcg.memory;
        assert_eq!(shares_too_much(counters, recursive), None);
        counters.all[GroupIndex::new(1)].children.low = 0;
        assert!(
            shares_too_much(counters, recursive).is_some(),
            "{recursive}"
        );
    }
}

#[test]
fn reports_events_that_leave_out_those_of_children() {
    let mut m = machine("6.12", &json!({}), &json!({ "memory.max": 900 }));
    m.run(100_000, u64::MAX);
    assert!(m.w.memcg.groups[INNER].events[Event::Max as usize] > 0);
    assert_eq!(events_differ(&m, memory_events), None);
    let local = |m: &Machine, group: GroupIndex| {
        let events = &m.w.memcg.groups[group].events;
        let rows = events[..6].iter().map(|n| format!("event {n}\n"));
        Some(rows.collect())
    };
    assert!(events_differ(&m, local).is_some());
}

#[test]
fn reports_a_text_of_events_that_is_missing_or_cut_off() {
    let mut m = machine("6.12", &json!({}), &json!({}));
    m.run(1_000, u64::MAX);
    assert_eq!(events_differ(&m, memory_events), None);
    assert!(events_differ(&m, |_, _| None).is_some());
    let cut_off = |m: &Machine, group: GroupIndex| {
        let text = memory_events(m, group)?;
        Some(text.lines().take(5).map(|row| format!("{row}\n")).collect())
    };
    assert!(events_differ(&m, cut_off).is_some());
}
