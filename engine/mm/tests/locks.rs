//! The mutex of an `anon_vma` tree in running machines. Tasks that migrate at the same time wait if
//! the lock is a mutex. No task waits for the semaphore of later kernels, and a task that runs
//! alone waits for nothing.

use std::sync::Arc;

use mm::check::check;
use mm::experiment::Experiment;
use mm::kernel::AnonVmaLock;
use mm::locks::MutexSlept;
use mm::machine::Machine;
use mm::plan::Plan;
use mm::record::{Declared, Record, RecordKind};
use serde_json::{Value, json};

use super::small::anon_by_node as by_node;

/// Two nodes of 64 MiB and four CPUs each. A process has 16 MiB on the first; threads on the second
/// touch their parts of it in order. The balancing of 3.8 moves the memory to the threads, with
/// this lock.
fn machine(threads: u32, huge: bool, lock: AnonVmaLock) -> Machine {
    machine_of(threads, huge, true, lock)
}

/// The same. Without `slice` the threads have no parts: each touches the whole.
fn machine_of(threads: u32, huge: bool, slice: bool, lock: AnonVmaLock) -> Machine {
    let pages = 64 << 8;
    let node =
        |n: u64| json!({ "ranges": [{ "start_pfn": n * pages, "pages": pages }], "cpus": 4 });
    let nodes: Vec<Value> = (0..2).map(node).collect();
    let mut raw = json!({
        "machine": {
            "id": "nodes", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": nodes, "distances": [[10, 20], [20, 10]], "hz": 250,
            "thp": "madvise", "costs": "s2011", "pcp": true, "zonelist_order": "default",
        },
        "kernel": "3.8", "seed": 1,
        "length": if threads == 1 { "1s" } else { "300ms" },
        "workload": { "id": "team", "processes": [
            { "name": "team", "program": [
                { "op": "affinity", "node": 0 },
                { "op": "map", "region": "heap", "size": "16 MiB", "huge": huge },
                { "op": "touch", "region": "heap" },
                { "op": "affinity", "node": 1 },
                { "op": "threads", "process": "worker", "count": threads },
                { "op": "join" },
            ] },
            { "name": "worker", "count": 0, "program": [
                { "op": "repeat", "times": 100_000, "do": [
                    { "op": "touch", "region": "heap", "slice": slice } ] } ] },
        ] },
        "tunables": {
            "vm.min_free_kbytes": "1024", "kernel.numa_balancing": "1",
            "kernel.numa_balancing_scan_delay_ms": "20",
            "kernel.numa_balancing_scan_period_min_ms": "20",
        },
    });
    if huge {
        raw["tunables"]["transparent_hugepage"] = json!("madvise");
    }
    let experiment = Experiment::from_json(&raw.to_string()).expect("a valid experiment");
    let mut plan = Plan::of(&experiment);
    Arc::make_mut(&mut plan.facts).features.anon_vma_lock = lock;
    Machine::start(&plan)
}

/// Runs to the end. Returns the records, if recording is on.
fn run(m: &mut Machine) -> Vec<Record> {
    let mut records = Vec::new();
    while !m.w.sched.ended {
        m.run(u64::MAX, m.w.now + 1_000_000);
        assert_eq!(check(m), []);
        records.extend(std::mem::take(&mut m.w.rec.records));
    }
    records
}

/// Threads that move small pages at the same time wait for the mutex of 3.7, spinning and asleep,
/// and all pages reach the node. The threads only read-lock 3.8's semaphore and wait for no task.
#[test]
fn threads_wait_for_a_mutex_and_not_for_a_semaphore() {
    let mut moved = Vec::new();
    for lock in [AnonVmaLock::Mutex, AnonVmaLock::ReadSemaphore] {
        let mut m = machine(4, false, lock);
        m.w.rec.on = true;
        let records = run(&mut m);
        let counts = m.w.processes.all[0].anon_vma.counts;
        moved.push(m.w.counters.numa_pages_migrated);
        assert!(by_node(&m)[1] > 4000, "{:?}", by_node(&m));
        if lock == AnonVmaLock::ReadSemaphore {
            assert_eq!(counts, mm::locks::LockCounts::default());
            continue;
        }
        assert!(counts.taken >= 2 * moved[0]);
        assert_eq!(
            counts.held_ns,
            counts.taken * u64::from(m.w.facts.cost.anon_vma_walk)
        );
        assert!(counts.spun_ns > 0 && counts.slept_ns > 0, "{counts:?}");
        for kind in [
            RecordKind::MutexSpin,
            RecordKind::MutexBeaten,
            RecordKind::MutexSleep,
            RecordKind::MutexWake,
        ] {
            assert!(records.iter().any(|record| record.kind == kind), "{kind:?}");
        }
        // A woken task takes longer to run than a section lasts.
        let wake = i64::from(m.w.facts.cost.wake_to_run);
        let slept = records.iter().filter_map(MutexSlept::of);
        let slept: Vec<i64> = slept.map(|slept| slept.ns).collect();
        assert!(!slept.is_empty() && slept.iter().all(|&ns| ns >= wake));
    }
    assert!(moved.iter().all(|&pages| pages > 4000), "{moved:?}");
}

/// Huge pages are moved with a 512th of the sections, so threads hardly ever wait for each other.
#[test]
fn threads_that_move_huge_pages_hardly_wait_for_each_other() {
    let mut m = machine(4, true, AnonVmaLock::Mutex);
    run(&mut m);
    let counts = m.w.processes.all[0].anon_vma.counts;
    assert_eq!(m.w.counters.numa_pages_migrated, 8 * 512);
    assert_eq!(counts.taken, 2 * 8);
    // All four threads begin their first move at the same time.
    assert!(counts.spun_ns + counts.slept_ns < 100_000, "{counts:?}");
}

/// Threads that touch the same huge pages fault on them at the same time: only one thread moves
/// each page.
#[test]
fn only_one_of_the_threads_that_fault_on_a_huge_page_moves_it() {
    let mut m = machine_of(4, true, false, AnonVmaLock::Mutex);
    run(&mut m);
    let counts = m.w.processes.all[0].anon_vma.counts;
    assert_eq!(by_node(&m)[1], 8 * 512);
    assert_eq!(m.w.counters.numa_pages_migrated, 8 * 512);
    assert!((16..=16 + 3 * 8).contains(&counts.taken), "{counts:?}");
}

/// One thread alone never waits, and gets as far as without a mutex.
#[test]
fn a_single_task_loses_no_time_to_a_mutex() {
    for huge in [false, true] {
        let [with, without] = [AnonVmaLock::Mutex, AnonVmaLock::ReadSemaphore].map(|lock| {
            let mut m = machine(1, huge, lock);
            run(&mut m);
            m
        });
        let counts = with.w.processes.all[0].anon_vma.counts;
        assert!(counts.taken > 0);
        assert_eq!((counts.waits, counts.spun_ns, counts.slept_ns), (0, 0, 0));
        assert_eq!(with.w.counters, without.w.counters);
        assert_eq!(by_node(&with), by_node(&without));
        let idle = |m: &Machine| m.w.sched.cpus.iter().map(|c| c.usage.idle).sum::<u64>();
        assert_eq!(idle(&with), idle(&without));
    }
}

/// The turns are the same however often the run is stopped.
#[test]
fn stopping_a_run_does_not_change_the_order_of_lock_owners() {
    let start = || {
        let mut m = machine(4, false, AnonVmaLock::Mutex);
        while m.w.processes.all.is_empty() || m.w.processes.all[0].anon_vma.counts.waits == 0 {
            m.run(u64::MAX, m.w.now + 100_000);
            assert!(!m.w.sched.ended, "no task waited");
        }
        m
    };
    let (mut stepped, mut ran) = (start(), start());
    let to = ran.w.run.steps() + 4000;
    ran.run(to, u64::MAX);
    let mut last = (0, 0);
    while stepped.w.run.steps() < to {
        stepped.run(stepped.w.run.steps() + 1, u64::MAX);
        let mutex = &stepped.w.processes.all[0].anon_vma;
        assert!(mutex.is_sound(), "{mutex:?}");
        // Invariants 1 and 2: each turn begins after the one before it has ended, in order.
        if let Some(turn) = mutex.turns.last().filter(|turn| turn.from != last.0) {
            assert!(turn.from >= last.1, "{turn:?} {last:?}");
            last = (turn.from, turn.until);
        }
    }
    assert!(last.1 > 0, "there were turns");
    assert!(stepped == ran);
    assert_eq!(stepped.hash(), ran.hash());
    assert!(ran.w.processes.all[0].anon_vma.counts.slept_ns > 0);
}
