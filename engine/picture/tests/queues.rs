//! Views of the queues in which reclaimers wait, during a reclaim storm: the waiting tasks, the numbers that
//! gates compare, the tasks that end waits, and the durations of waits.

use std::collections::BTreeMap;

use mm::experiment::Experiment;
use mm::index::NodeIndex;
use mm::index::TaskIndex;
use mm::machine::Machine;
use mm::record::{Declared, RecordKind};
use mm::view::{QueueKind, QueueView};
use mm::vmscan::throttle::{
    MmVmscanThrottled, WaitEndedByWrite, WritebackCongestionWait, WritebackWaitIffCongested,
};
use serde_json::json;

const SWAP: u32 = 16_384;
const SERIES: &str = "mm-reclaimcongest-v5r4";

/// Six hogs, three writers and a slow disk on 48 MiB; without swap most of what reclaim finds is dirty.
fn storm(kernel: &str, patches: &[&str], swap: u32) -> Machine {
    let (hog_size, dirty_ratio) = if swap > 0 {
        ("16%", "20")
    } else {
        ("11%", "90")
    };
    let forever = 4_000_000_000_u64;
    let hog = json!([
        { "op": "map", "region": "heap", "size": hog_size },
        { "op": "repeat", "times": forever, "do": [
            { "op": "touch", "region": "heap", "write": true },
        ] },
    ]);
    let writer = json!([
        { "op": "repeat", "times": forever, "do": [
            { "op": "write", "file": "data", "chunk": "64 KiB" },
        ] },
    ]);
    let raw = json!({
        "machine": {
            "id": "storm", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 12_288 }], "cpus": 4 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2011", "pcp": false,
            "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "throttled", "bytes_per_s": 8 << 20,
                "files": true, "swap": swap }],
        },
        "kernel": kernel, "patches": patches, "seed": 1, "length": "4s",
        "tunables": { "vm.min_free_kbytes": "256", "vm.dirty_ratio": dirty_ratio },
        "workload": { "id": "storm", "files": [{ "name": "data", "size": "64 MiB" }], "processes": [
            { "name": "writer", "count": 3, "program": writer },
            { "name": "hog", "count": 6, "program": hog },
        ] },
    });
    let experiment = Experiment::from_json(&raw.to_string()).expect("a valid experiment");
    let mut m = Machine::boot(&experiment);
    m.w.rec.on = true;
    m.w.rec.keeps = of_waits;
    m
}

fn of_waits(kind: RecordKind) -> bool {
    matches!(
        kind,
        RecordKind::MmVmscanThrottled
            | RecordKind::WritebackCongestionWait
            | RecordKind::WritebackWaitIffCongested
            | RecordKind::WaitEndedByWrite
            | RecordKind::WaitEndedByIsolation
            | RecordKind::WaitEndedByProgress
            | RecordKind::WaitTimedOut
            | RecordKind::WakeWritten
    )
}

fn queues(m: &Machine) -> Vec<QueueView> {
    picture::view(m, None).nodes.remove(0).queues
}

fn kinds(m: &Machine) -> Vec<QueueKind> {
    queues(m).iter().map(|q| q.kind).collect()
}

/// Continues the run and checks the view at regular intervals of steps.
fn watch(m: &mut Machine, mut look: impl FnMut(&Machine, &[QueueView])) {
    const EVERY: u64 = 499;
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + EVERY, u64::MAX);
        look(m, &queues(m));
    }
}

#[test]
fn shows_no_queue_before_the_first_wait_and_then_all_queues_of_the_kernel() {
    let old = [
        QueueKind::CongestionWait,
        QueueKind::WaitIffCongested,
        QueueKind::IsolatedSleep,
        QueueKind::RetryWait,
    ];
    let new = [
        QueueKind::Writeback,
        QueueKind::Isolated,
        QueueKind::NoProgress,
    ];
    let corrected = [new.as_slice(), &[QueueKind::Congested]].concat();
    for (kernel, has) in [
        ("5.15", old.as_slice()),
        (SERIES, new.as_slice()),
        ("6.1", corrected.as_slice()),
    ] {
        let mut m = storm(kernel, &[], SWAP);
        assert_eq!(kinds(&m), [], "{kernel}");
        while kinds(&m).is_empty() {
            assert!(!m.w.sched.ended, "{kernel}: nobody ever waited");
            m.run(m.w.run.steps() + 1000, u64::MAX);
        }
        assert_eq!(kinds(&m), has, "{kernel}");
    }
}

/// The number of waiting tasks by queue in one storm, and how many of them were woken early. Each gate and
/// each waiting task is compared with the machine.
fn watched(m: &mut Machine) -> (BTreeMap<String, usize>, usize) {
    let (mut seen, mut woken) = (BTreeMap::new(), 0);
    watch(m, |m, queues| {
        let traced = queues.iter().filter(|q| q.name.starts_with("VMSCAN"));
        let waiting: usize = traced.map(|q| q.waiters.len()).sum();
        assert_eq!(waiting, m.w.pgdat[NodeIndex::new(0)].reclaim_wait.len());
        for queue in queues {
            *seen.entry(queue.name.clone()).or_default() += queue.waiters.len();
            for waiter in &queue.waiters {
                let ended =
                    m.w.wait_ends
                        .iter()
                        .find(|end| end.0 == TaskIndex::new(waiter.task));
                assert_eq!(waiter.waker, ended.map(|end| end.1.get()));
                woken += usize::from(waiter.waker.is_some());
                if let (Some(since), Some(until)) = (waiter.since_ns, waiter.until_ns) {
                    assert!(until - since > queue.timeout_us * 1000);
                    assert_eq!(waiter.waker, None);
                }
            }
            is_of_the_machine(m, queue);
        }
    });
    (seen, woken)
}

fn is_of_the_machine(m: &Machine, queue: &QueueView) {
    let pgdat = &m.w.pgdat[NodeIndex::new(0)];
    let gate = queue.gate.map(|g| (g.value, g.against));
    match queue.kind {
        QueueKind::Writeback => {
            let throttled = u64::from(pgdat.nr_writeback_throttled);
            let written = pgdat.nr_throttled_written - pgdat.nr_reclaim_start;
            assert_eq!(gate, (throttled > 0).then_some((written, 32 * throttled)));
            assert_eq!(queue.waiters.len() as u64, throttled);
        }
        QueueKind::Isolated | QueueKind::IsolatedSleep => {
            let list = queue.gate.and_then(|g| g.list).expect("of a list") as usize;
            let lists = m.w.mem.lruvecs.iter().find(|l| l.node == NodeIndex::new(0));
            let lists = lists.expect("node 0 has lists");
            let (isolated, inactive) = (lists.isolated[list], lists.nr[2 * list]);
            assert_eq!(gate, Some((isolated.into(), u64::from(inactive / 8))));
        }
        QueueKind::NoProgress => {
            let nearest = queue.gate.and_then(|g| g.task);
            assert_eq!(nearest.is_some(), gate.is_some());
            if let Some(task) = nearest {
                let sc = &m.tasks[TaskIndex::new(task)].cx.sc;
                assert!(!sc.kswapd);
                let needs = u64::from(sc.nr_scanned >> 3);
                assert_eq!(gate, Some((sc.nr_reclaimed.into(), needs)));
            }
        }
        _ => assert!(gate.is_some()),
    }
}

#[test]
fn queues_show_the_waiting_tasks_and_gates_of_the_machine() {
    let (seen, woken) = watched(&mut storm("5.15", &["throttle-writeback"], 0));
    assert!(seen["VMSCAN_THROTTLE_WRITEBACK"] > 0, "{seen:?}");
    assert!(woken > 0, "nobody was seen who had been woken");
    let (seen, woken) = watched(&mut storm(SERIES, &[], SWAP));
    assert!(seen["VMSCAN_THROTTLE_ISOLATED"] > 0, "{seen:?}");
    assert!(seen["VMSCAN_THROTTLE_NOPROGRESS"] > 0, "{seen:?}");
    assert!(woken > 0, "nobody was seen who had been woken");
}

#[test]
fn the_last_wait_names_the_task_that_ended_it() {
    let mut m = storm("5.15", &["throttle-writeback"], 0);
    let (mut early, mut late) = (0, 0);
    watch(&mut m, |m, queues| {
        let throttled = queues.iter().find(|q| q.kind == QueueKind::Writeback);
        let Some(last) = throttled.and_then(|q| q.last) else {
            return;
        };
        let made = (last.step - 1, last.task);
        let mut told = m.w.rec.all::<MmVmscanThrottled>();
        let report = told.find(|(r, _)| (r.step, r.task.get()) == made);
        let (_, report) = report.expect("a report");
        assert_eq!(last.delayed_us, report.usec_delayed as u64);
        let mut ends = m.w.rec.all::<WaitEndedByWrite>();
        let end = ends.find(|(r, _)| (r.step, r.task.get()) == made);
        assert_eq!(end.map(|(_, end)| end.waker.get()), last.waker);
        match last.waker {
            Some(_) => early += 1,
            None => late += 1,
        }
        assert!(last.waker.is_some() || last.delayed_us == report.usec_timeout as u64);
    });
    assert!(early > 0 && late > 0, "{early} {late}");
}

/// Every reported wait is among the delays of exactly one queue.
#[test]
fn delays_in_the_view_equal_the_recorded_waits() {
    for kernel in ["5.15", SERIES] {
        let mut m = storm(kernel, &[], SWAP);
        let mut reports = 0;

        while !m.w.sched.ended {
            let next = (m.w.now / 1_000_000 + 1) * 1_000_000;
            m.run(u64::MAX, next);
            let all = m.w.rec.records.drain(..);
            reports += all
                .filter(|r| {
                    MmVmscanThrottled::of(r).is_some()
                        || WritebackCongestionWait::of(r).is_some()
                        || WritebackWaitIffCongested::of(r).is_some()
                })
                .count() as u64;
        }
        let all = queues(&m);
        let counted = all.iter().flat_map(|q| &q.delays).map(|&(_, n)| n);
        assert_eq!(counted.sum::<u64>(), reports, "{kernel}");
        let old = |kind| all.iter().find(|q| q.kind == kind).map(|q| &q.delays);
        if let Some(iff) = old(QueueKind::WaitIffCongested) {
            assert!(iff.first().is_some_and(|&(us, n)| us == 0 && n > 0));
            let whole = old(QueueKind::CongestionWait).expect("a queue");
            assert!(whole.iter().all(|&(us, _)| us >= 104_000));
        }
    }
}
