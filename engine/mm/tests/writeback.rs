//! Writers, flushers and devices together, on whole machines.

use mm::check::check;
use mm::experiment::Experiment;
use mm::index::ZoneIndex;
use mm::machine::Machine;
use mm::page_writeback::balance::BalanceDirty;
use mm::page_writeback::{
    FlushReason, dirty_counts, dirty_limit, global_dirty_limits, wakeup_flusher_threads,
};
use mm::record::{Declared, Record, RecordKind};

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

/// A machine whose tasks run these programs on a file of `size`.
fn boot(machine: &serde_json::Value, kernel: &str, size: &str, programs: &[&str]) -> Machine {
    let process = |(i, program): (usize, &&str)| {
        let program: serde_json::Value = serde_json::from_str(program).expect("a program");
        serde_json::json!({ "name": format!("p{i}"), "count": 1, "program": program })
    };
    let processes: Vec<_> = programs.iter().enumerate().map(process).collect();
    let files: Vec<_> = (0..programs.len())
        .map(|i| serde_json::json!({ "name": format!("f{i}"), "size": size }))
        .collect();
    let raw = serde_json::json!({
        "machine": machine, "kernel": kernel, "seed": 1, "length": "1000s",
        "workload": { "id": "w", "files": files, "processes": processes },
    });
    Machine::boot(&Experiment::from_json(&raw.to_string()).expect("valid"))
}

fn profile(id: &str) -> serde_json::Value {
    serde_json::to_value(mm::profile::find(id).expect("a ready-made machine")).expect("JSON")
}

/// An emulated guest of 512 MiB with a disk of 30 MiB/s.
fn guest() -> serde_json::Value {
    let mut machine = profile("x86_64-3g");
    machine["nodes"] = serde_json::json!([{ "cpus": 1, "ranges": [
        { "start_pfn": 1, "pages": 158 }, { "start_pfn": 256, "pages": 130_782 } ],
        "reserved": { "DMA": 100, "DMA32": 16_000 } }]);
    machine["costs"] = "q-x86".into();
    machine["devices"] = serde_json::json!([{ "id": "vda", "model": "throttled",
        "bytes_per_s": 30 << 20, "files": true }]);
    machine
}

/// Runs in steps of 100 ms while `goes_on` is true, and checks the machine after each.
fn run_while(m: &mut Machine, mut goes_on: impl FnMut(&Machine) -> bool) {
    while goes_on(m) && !m.w.sched.ended {
        let next = (m.w.now / (100 * MS) + 1) * 100 * MS;
        m.run(u64::MAX, next);
        assert_eq!(check(m), [], "at {} ns", m.w.now);
    }
}

/// The pauses of `balance_dirty_pages` since the last call, ms.
fn pauses(m: &mut Machine) -> Vec<i64> {
    let records = m.w.rec.records.drain(..);
    let pauses = records.filter_map(|r| BalanceDirty::of(&r).map(|balance| balance.pause));
    pauses.collect()
}

/// MiB that the guest's disk writes as a burst, and then per second.
const BURST: u64 = 3;
const RATE: u64 = 30;

/// Milliseconds that the guest's disk takes to write this many pages after the burst.
fn ms_to_write(pages: u64) -> u64 {
    (pages / 256).saturating_sub(BURST) * 1000 / RATE
}

/// A page about to be written is taken from a node within its share of the dirty limit if there is
/// one, otherwise from the nearest node. 3.1 did not check.
#[test]
fn writers_take_pages_from_nodes_below_their_share_of_the_dirty_limit() {
    let mut machine = profile("x86_64-3g");
    let node = |start: u64| {
        let half = 65_536;
        serde_json::json!({ "cpus": 1, "ranges": [{ "start_pfn": start, "pages": half }] })
    };
    machine["nodes"] = serde_json::json!([node(1 << 20), node((1 << 20) + 65_536)]);
    machine["distances"] = serde_json::json!([[10, 20], [20, 10]]);
    machine["devices"] = guest()["devices"].clone();
    let program =
        r#"[{ "op": "write", "file": "f0", "size": "150MiB" }, { "op": "think", "time": "9s" }]"#;
    for (kernel, spreads) in [("3.1", false), ("3.16", true), ("6.1", true)] {
        let mut m = boot(&machine, kernel, "150MiB", &[program]);
        run_while(&mut m, |m| m.w.now < 2 * S);
        let there = m.w.mem.zones[ZoneIndex::new(1)].lru[2];
        assert_eq!(there > 5_000, spreads, "{kernel}: {there}");
        let [dirty, limit] = dirty_limit(&m.w, ZoneIndex::new(0));
        assert_eq!(dirty <= limit + 64, spreads, "{kernel}: {dirty} of {limit}");
    }
}

/// From 5.6 on an extent of up to 8 MiB ends as one: its written pages wait for the rest. In
/// earlier kernels the pages of each request are clean when the request ends.
#[test]
fn pages_of_an_extent_are_under_writeback_until_all_are_written() {
    let write = r#"[{ "op": "write", "file": "f0", "size": "300MiB" }]"#;
    for (kernel, together) in [("3.16", false), ("5.10", true), ("6.1", true)] {
        let mut m = boot(&guest(), kernel, "300MiB", &[write]);
        let mut most = 0;
        let (mut before, mut steps) = (0, std::collections::BTreeSet::new());
        run_while(&mut m, |m| {
            let extents = &m.w.wb.wbs[0].io_ends;
            for e in extents {
                assert!(e.len <= 2048 && e.pages.len() as u32 + e.left <= e.len);
                most = most.max(e.pages.len());
            }
            steps.insert((m.w.counters.nr_written - before) / 256);
            before = m.w.counters.nr_written;
            m.w.now < 4 * S
        });
        assert_eq!(most > 256, together, "{kernel}: {most} wait");
        // At 3 MiB in a tenth of a second, either 0 or 8.
        assert_eq!(steps.contains(&8), together, "{kernel}: {steps:?}");
    }
}

/// Pages that are not dirty at the end were written at the disk's rate, so the writer cannot be
/// faster. It is not slower, because the disk has had work since the background limit was reached.
#[test]
fn a_writer_is_as_fast_as_its_disk_and_pauses_in_jiffies() {
    const PAGES: u64 = 800 * 256;
    let write = r#"[{ "op": "write", "file": "f0", "size": "800MiB" }]"#;
    let mut m = boot(&guest(), "6.1", "800MiB", &[write]);
    m.w.rec.on = true;
    let mut seen = Vec::new();
    let (mut began, mut most, mut interval) = (0, 0, 0);
    while m.w.counters.nr_dirtied < PAGES {
        let next = (m.w.now / MS + 1) * MS;
        m.run(u64::MAX, next);
        seen.append(&mut pauses(&mut m));
        let (dirty, writeback) = dirty_counts(&m.w);
        let (limit, background) = global_dirty_limits(&m.w);
        // The limit follows a falling threshold slowly, and a writer continues until it checks again.
        interval = m
            .tasks
            .iter()
            .fold(interval, |n, t| n.max(t.cx.nr_dirtied_pause));
        let bound = limit.max(m.w.wb.dirty_limit) + u64::from(interval);
        assert!(dirty + writeback <= bound, "at {} ns", m.w.now);
        most = most.max(limit);
        if began == 0 && writeback > 0 {
            began = m.w.now / MS;
        }
        // No task pauses below the middle of the limits. Dirty pages fall below it by no more than
        // the disk writes during the longest sleep of a writer.
        if began > 0 && m.w.now / MS > began + 1000 {
            let slept = RATE * 256 / 5;
            let freerun = limit.midpoint(background);
            assert!(dirty + writeback + slept >= freerun, "at {} ns", m.w.now);
        }
    }
    assert_eq!(check(&m), []);
    let ms = m.w.now / MS;
    let bounds = ms_to_write(PAGES - most)..began + ms_to_write(PAGES) + 200;
    assert!(bounds.contains(&ms), "{ms} ms, not in {bounds:?}");
    assert!(seen.iter().all(|pause| pause % 4 == 0 && *pause <= 200));
    assert!(seen.iter().any(|&pause| pause > 0));
}

#[test]
fn two_writers_share_the_disk_equally() {
    let write = |file| format!(r#"[{{ "op": "write", "file": "{file}", "size": "800MiB" }}]"#);
    let mut m = boot(&guest(), "6.1", "800MiB", &[&write("f0"), &write("f1")]);
    let mut began = 0;
    run_while(&mut m, |m| {
        if began == 0 && dirty_counts(&m.w).1 > 0 {
            began = m.w.now / MS;
        }
        m.w.now < 15 * S
    });
    let pages = |file| u64::from(m.w.files.file(file).nr_pages);
    let (a, b) = (pages(0), pages(1));
    // Throttled writers get the same rate; before that, one of them may get all of the CPU.
    let (limit, background) = global_dirty_limits(&m.w);
    let freerun = limit.midpoint(background);
    assert!(a.abs_diff(b) <= freerun, "{a} and {b} pages cached");
    let written = m.w.counters.nr_written / 256;
    // A request of at most 1 MiB is in flight, or was the last of the burst. The start of writing is
    // known to within 100 ms.
    let bounds = RATE * (15_000 - began) / 1000 - 1..=RATE * (15_100 - began) / 1000 + BURST + 1;
    assert!(
        bounds.contains(&written),
        "{written} MiB, not in {bounds:?}"
    );
}

#[test]
fn dirty_pages_below_the_background_limit_wait_until_they_are_old() {
    let write = r#"[{ "op": "write", "file": "f0", "size": "8MiB" },
        { "op": "think", "time": "100s" }]"#;
    let mut m = boot(&guest(), "6.1", "8MiB", &[write]);
    run_while(&mut m, |m| m.w.now < 29 * S);
    assert_eq!(m.w.counters.nr_written, 0);
    assert_eq!(dirty_counts(&m.w), (2048, 0));
    run_while(&mut m, |m| m.w.now < 36 * S);
    assert_eq!(dirty_counts(&m.w), (0, 0));
    // In file order, 1 MiB per bio: eight requests.
    assert_eq!(
        (m.w.counters.nr_written, m.w.counters.pgpgout),
        (2048, 8192)
    );
    assert_eq!(m.w.wb.wbs[0].doing, None);
}

#[test]
fn a_flush_requested_by_reclaim_writes_dirty_pages_at_once() {
    let write = r#"[{ "op": "write", "file": "f0", "size": "8MiB" },
        { "op": "think", "time": "100s" }]"#;
    let mut m = boot(&guest(), "6.1", "8MiB", &[write]);
    run_while(&mut m, |m| m.w.now < 6 * S);
    wakeup_flusher_threads(&mut m.w, u32::MAX, FlushReason::Vmscan);
    wakeup_flusher_threads(&mut m.w, u32::MAX, FlushReason::Vmscan);
    assert_eq!(m.w.wb.wbs[0].work.len(), 1);
    // A call from outside takes effect at the next event, the periodic flush.
    run_while(&mut m, |m| m.w.now < 12 * S);
    assert_eq!(dirty_counts(&m.w), (0, 0));
}

/// In the end a writer is as slow as its disk, in every kernel, and the last pages wait for the
/// periodic flush.
#[test]
fn writers_of_every_kernel_are_held_at_the_dirty_limit() {
    let write = r#"[{ "op": "write", "file": "f0", "size": "20MiB" },
        { "op": "think", "time": "200s" }]"#;
    for kernel in ["3.0", "3.16", "6.1"] {
        let mut m = boot(&profile("x86_64-3g-teach"), kernel, "20MiB", &[write]);
        let mut limit = 0;
        run_while(&mut m, |m| {
            let (dirty, writeback) = dirty_counts(&m.w);
            // No task dirties pages while they are over the current threshold, which falls as
            // memory fills. But a writer checks only after some pages.
            limit = limit.max(global_dirty_limits(&m.w).0);
            let unseen = m.tasks.iter().map(|t| t.cx.nr_dirtied_pause.max(32)).max();
            let most = limit + u64::from(unseen.unwrap_or(0));
            assert!(
                dirty + writeback <= most,
                "{kernel}, at {} ns: {dirty} + {writeback}, limit {limit}, most {most}",
                m.w.now
            );
            m.w.counters.nr_dirtied < 20 * 256
        });
        // The writer has the rate of a disk slowed like the machine, writing in sequence; the last
        // pages may still be dirty.
        let rate = m.w.facts.devices[0].profile.rates().1;
        let (dirty, writeback) = dirty_counts(&m.w);
        let least = (20 * 256 - dirty - writeback) * 4096 * S / rate;
        assert!(m.w.now >= least, "{kernel}: {} ns, not {least}", m.w.now);
        let end = m.w.now + 40 * S;
        run_while(&mut m, |m| m.w.now < end);
        assert_eq!(dirty_counts(&m.w), (0, 0), "{kernel}");
    }
}

/// Up to 3.1 a device with few writes has a small part of the limit, and a writer over it writes
/// pages itself. Later kernels only make the writer sleep.
#[test]
fn a_writer_over_the_limit_writes_pages_itself_up_to_3_1() {
    let write = r#"[{ "op": "write", "file": "f0", "size": "20MiB" }]"#;
    for (kernel, helps) in [("3.0", true), ("6.1", false)] {
        let mut m = boot(&profile("x86_64-3g-teach"), kernel, "20MiB", &[write]);
        m.w.rec.on = true;
        let mut found = false;
        run_while(&mut m, |m| {
            let writes = |r: &Record| r.kind == RecordKind::BdpWrites;
            found |= m.w.rec.records.iter().any(writes);
            m.w.now < 10 * S
        });
        assert_eq!(found, helps, "{kernel}");
    }
}
