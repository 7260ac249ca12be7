//! Slots in a device's queue: tasks that wait for a slot get one in order, however many tasks
//! write.

use mm::experiment::Experiment;
use mm::frames::Frame;
use mm::machine::{Machine, TaskStatus};
use serde_json::json;

/// Number of requests that a writer may make in a row once it has a slot.
const BATCH: u64 = 32;
const NS: u64 = 1_000_000_000;

/// The waits for slots in a run.
#[derive(Debug, Default)]
struct Waits {
    /// Number of waits that ended.
    ended: u64,
    /// The longest wait, ns.
    longest: u64,
    /// The highest number of requests of one kind in the queue.
    most: usize,
    /// Service time of a request of the maximum length, ns.
    request: u64,
}

/// `count` tasks write their own files to a disk of `rate` MiB/s for half a minute. A writer, or
/// the flusher, submits 1 MiB at a time: several requests for such a disk.
fn writers(kernel: &str, count: u32, rate: u64) -> Waits {
    let raw = json!({
        "machine": {
            "id": "small", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 4096, "pages": 131_072 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2011",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "disk_2010", "files": true, "swap": 0,
                          "bytes_per_s": rate << 20 }],
        },
        "kernel": kernel, "seed": 1, "length": "30s",
        "workload": { "id": "w",
            "files": [{ "name": "f", "size": "512 MiB", "count": count, "absent": true }],
            "processes": [{ "name": "writer", "count": count, "own": ["f"], "program": [
                { "op": "write", "file": "f", "size": "512 MiB", "chunk": "64 KiB" },
            ] }] },
    });
    let mut m = Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"));
    let pages = u64::from(m.w.facts.devices[0].max_pages);
    assert!(pages < 256, "a request is as long as a submission");
    let mut waits = Waits {
        request: pages * 4096 * NS / (rate << 20),
        ..Waits::default()
    };
    let mut since: Vec<Option<u64>> = vec![None; m.tasks.len()];
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 200, u64::MAX);
        for (task, since) in m.tasks.iter().zip(&mut since) {
            let mut frames = task.stack.iter();
            let asks = frames.any(|frame| matches!(frame, Frame::BlkGetRequest(_)));
            match (asks && task.status != TaskStatus::Runnable, *since) {
                (true, None) => *since = Some(m.w.now),
                (true, Some(from)) => {
                    waits.longest = waits.longest.max(m.w.now.saturating_sub(from));
                }
                (false, Some(_)) => (*since, waits.ended) = (None, waits.ended + 1),
                _ => {}
            }
        }
        let requests = |sync| {
            m.w.block.devices[0]
                .requests()
                .filter(move |r| r.sync == sync)
        };
        let most = [false, true].map(|sync| requests(sync).count());
        waits.most = waits.most.max(most[0]).max(most[1]);
    }
    waits
}

/// Each task ahead of a waiting task, including the flusher, may first make a batch of requests.
/// Formerly a bio took one slot for several requests, which kept the queue above its limit. A woken
/// task then found it full, queued behind all others, and slept up to four times as long.
#[test]
fn a_task_waits_for_a_request_slot_for_at_most_one_batch_of_each_writer() {
    for kernel in ["2.6.37", "3.0", "3.16"] {
        for rate in [20, 45] {
            for count in [1, 2, 3, 12] {
                let waits = writers(kernel, count, rate);
                let batches = u64::from(count) + 1;
                let case = format!("{kernel}, {count} writers, {rate} MiB/s: {waits:?}");
                assert!(waits.ended > 3, "{case}");
                assert!(waits.longest < batches * BATCH * waits.request, "{case}");
                // 128 requests, and those of the batches above the limit.
                assert!((128..192).contains(&waits.most), "{case}");
            }
        }
    }
}

/// With blk-mq, tasks wait for writes in flight, however many tasks write. The number of writes is
/// the limit at the middle step.
#[test]
fn with_blk_mq_waits_do_not_grow_with_the_number_of_writers() {
    for kernel in ["5.10", "6.1"] {
        for rate in [20, 45] {
            for count in [1, 2, 3, 12] {
                let waits = writers(kernel, count, rate);
                let case = format!("{kernel}, {count} writers, {rate} MiB/s: {waits:?}");
                assert!(
                    waits.ended > 100 && waits.longest < 16 * waits.request,
                    "{case}"
                );
            }
        }
    }
}
