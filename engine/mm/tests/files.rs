//! Files, swap and inodes on small machines: a file larger than memory is read to its end, a
//! process uses swap because it needs more memory than there is, and nothing is lost.

use mm::check::check;
use mm::experiment::Experiment;
use mm::filemap::{MmFilemapAddToPageCache, MmFilemapDeleteFromPageCache};
use mm::index::LruvecIndex;
use mm::machine::{Machine, TaskKind, TaskStatus};
use mm::mmzone::{Gauge, PageKind};
use mm::record::Declared;
use mm::view::Refusal;
use mm::vmscan::scan_count::{Minimum, ZoneQuestion, zone_targets};
use serde_json::{Value, json};

/// A node of 16 MiB with two CPUs, a disk of 100 MiB/s and swap of 32 MiB, running one process.
fn experiment(kernel: &str, files: Value, program: Value) -> Result<Experiment, Vec<Refusal>> {
    let raw = json!({
        "machine": {
            "id": "small", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{ "ranges": [{ "start_pfn": 0, "pages": 4096 }], "cpus": 2 }],
            "distances": [[10]], "hz": 250, "thp": "never", "costs": "s2011",
            "pcp": true, "zonelist_order": "default",
            "devices": [{ "id": "sda", "model": "throttled", "files": true, "swap": 32768,
                          "bytes_per_s": 104857600 }],
        },
        "kernel": kernel, "seed": 1, "length": "100s",
        "workload": { "id": "files", "files": files,
                      "processes": [{ "name": "main", "program": program }] },
        "tunables": { "vm.min_free_kbytes": "256" },
    });
    Experiment::from_json(&raw.to_string())
}

fn machine(kernel: &str, files: Value, program: Value) -> Machine {
    Machine::boot(&experiment(kernel, files, program).expect("a valid experiment"))
}

fn sound(m: &Machine) {
    let found = check(m);
    let lines: Vec<String> = found.iter().take(8).map(ToString::to_string).collect();
    assert!(
        found.is_empty(),
        "after step {}: {}",
        m.w.run.steps(),
        lines.join("; ")
    );
}

/// Runs to the end of the workload and recounts everything at intervals.
fn finish(m: &mut Machine) {
    let lives = |t: &mm::machine::Task| {
        matches!(t.kind, TaskKind::User { .. }) && t.status != TaskStatus::Exited
    };
    while m.tasks.iter().any(lives) && !m.w.sched.ended {
        m.run(m.w.run.steps() + 997, u64::MAX);
        sound(m);
    }
    assert!(!m.tasks.iter().any(lives), "the workload does not finish");
}

fn counter(m: &Machine, name: &str) -> u64 {
    let all = m.w.counters.named(&m.w.facts.layout.zone_types);
    all.iter().find(|(n, _)| n == name).expect("a counter").1
}

#[test]
fn a_file_larger_than_memory_is_read_to_its_end() {
    for kernel in ["3.0", "6.1"] {
        let files = json!([{ "name": "data", "size": "40 MiB" }]);
        let mut m = machine(kernel, files, json!([{ "op": "read", "file": "data" }]));
        finish(&mut m);
        println!(
            "{kernel} steps {} ns {} {:?}",
            m.w.run.steps(),
            m.w.now,
            m.w.counters
        );
        assert_eq!(counter(&m, "pgpgin"), 40 * 1024, "{kernel}");
        // The pages are read once, so none is activated.
        assert_eq!(counter(&m, "pgactivate"), 0, "{kernel}");
    }
}

/// A file written in pieces leaves every 14th page active in 3.0. The first pass over the zone
/// scans it all the same: a page that joins a list counts as scanned, so the activated pages are
/// not all of the scanned ones.
#[test]
fn the_first_pass_scans_a_zone_whose_pages_were_all_activated() {
    let files = json!([{ "name": "log", "size": "8 MiB", "absent": true }]);
    let write = json!([{ "op": "write", "file": "log", "size": "8 MiB", "chunk": "512 B" }]);
    let mut m = machine("3.0", files, write);
    finish(&mut m);
    let l = &mut m.w.mem.lruvecs[LruvecIndex::new(0)];
    assert!(l.nr[3] > 100, "{} active file pages", l.nr[3]);
    assert!(l.recent_scanned[1] > 10 * l.recent_rotated[1], "{l:?}");
    let ask = ZoneQuestion {
        priority: 4,
        swappiness: 60,
        swap: true,
        free: 400,
        high: 100,
        minimum: Minimum::None,
        cache_first: false,
    };
    let inactive = l.nr[2] >> 4;
    let (targets, _) = zone_targets(l, &ask);
    assert!(targets[2] > inactive / 2, "{} of {inactive}", targets[2]);
}

#[test]
fn a_process_larger_than_memory_runs_through_swap() {
    for kernel in ["3.0", "6.1"] {
        let program = json!([
            { "op": "map", "region": "heap", "size": "22 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "touch", "region": "heap" },
        ]);
        let mut m = machine(kernel, json!([]), program);
        finish(&mut m);
        println!(
            "{kernel} steps {} ns {} {:?}",
            m.w.run.steps(),
            m.w.now,
            m.w.counters
        );
        assert!(counter(&m, "pswpout") > 1500, "{kernel}");
        assert!(counter(&m, "pswpin") > 1500, "{kernel}");
        assert_eq!(counter(&m, "oom_kill"), 0, "{kernel}");
    }
}

fn pages(m: &Machine, kind: PageKind) -> u32 {
    m.w.mem.zones.iter().map(|z| z.kinds[kind as usize]).sum()
}

fn gauge(m: &Machine, gauge: Gauge) -> u32 {
    m.w.mem.zones.iter().map(|z| z.gauge(gauge)).sum()
}

#[test]
fn written_data_reaches_the_disk_and_is_removed_with_its_file() {
    for kernel in ["3.0", "6.1"] {
        let files = json!([{ "name": "log", "size": "30 MiB" }]);
        let program = json!([
            { "op": "write", "file": "log" },
            { "op": "fsync", "file": "log" },
            { "op": "read", "file": "log", "size": "2 MiB" },
            { "op": "unlink", "file": "log" },
            { "op": "read", "file": "log" },
        ]);
        let mut m = machine(kernel, files, program);
        finish(&mut m);
        assert_eq!(counter(&m, "pgpgout"), 30 * 1024, "{kernel}");
        assert_eq!(counter(&m, "nr_dirtied"), 30 * 256, "{kernel}");
        // The file is removed: its pages and records are gone, and there is nothing to read. A node
        // keeps up to five empty slabs of each cache.
        assert_eq!(pages(&m, PageKind::File), 0, "{kernel}");
        let mut most = 0;
        for cache in &m.w.slab.caches {
            assert_eq!(cache.objects(), 0, "{kernel}");
            most += 5 << cache.sizes()[0].order;
        }
        assert!(pages(&m, PageKind::Slab) <= most, "{kernel}");
        assert_eq!(
            gauge(&m, Gauge::Dirty) + gauge(&m, Gauge::Writeback),
            0,
            "{kernel}"
        );
    }
}

#[test]
fn a_mapped_file_is_faulted_in_and_its_dirty_pages_are_written() {
    for kernel in ["3.0", "6.1"] {
        let files = json!([{ "name": "data", "size": "24 MiB" }]);
        let program = json!([
            { "op": "map", "region": "view", "file": "data" },
            { "op": "touch", "region": "view" },
            { "op": "touch", "region": "view", "order": "random", "pages": 500, "write": true },
            { "op": "unlink", "file": "data" },
            { "op": "touch", "region": "view", "pages": 300 },
            { "op": "free", "region": "view" },
        ]);
        let mut m = machine(kernel, files, program);
        finish(&mut m);
        // Touches in order cause hardly any major fault; random ones in a file larger than memory cause
        // many.
        let major = counter(&m, "pgmajfault");
        assert!((100..=500).contains(&major), "{kernel}: {major}");
        assert!(counter(&m, "nr_dirtied") > 300, "{kernel}");
        // The file was unlinked while mapped: its pages were freed with the mapping.
        assert_eq!(pages(&m, PageKind::File), 0, "{kernel}");
        assert_eq!(gauge(&m, Gauge::FileMapped), 0, "{kernel}");
    }
}

#[test]
fn locked_memory_is_not_reclaimed() {
    for kernel in ["3.0", "6.1"] {
        let files = json!([{ "name": "data", "size": "30 MiB" }]);
        let program = json!([
            { "op": "map", "region": "keys", "size": "2 MiB" },
            { "op": "lock", "region": "keys" },
            { "op": "map", "region": "heap", "size": "16 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "read", "file": "data" },
            { "op": "touch", "region": "keys" },
            { "op": "free", "region": "heap" },
            { "op": "think", "time": "1s" },
        ]);
        let mut m = machine(kernel, files, program);
        let mut most = 0;
        while !m.w.sched.ended && m.w.run.steps() < 4_000_000 {
            m.run(m.w.run.steps() + 4999, u64::MAX);
            sound(&m);
            let locked = gauge(&m, Gauge::Mlock);
            assert!(
                locked == 0 || locked >= most || m.w.processes.all[0].space.rss < 512,
                "{kernel}"
            );
            most = most.max(locked);
        }
        assert_eq!(most, 512, "{kernel}");
        assert_eq!(counter(&m, "unevictable_pgs_mlocked"), 512, "{kernel}");
        assert_eq!(counter(&m, "unevictable_pgs_munlocked"), 512, "{kernel}");
        assert_eq!(gauge(&m, Gauge::Mlock), 0, "{kernel}");
    }
}

/// A machine that created 1,500 small files and then filled its memory several times.
fn after_small_files(kernel: &str, times: u32) -> Machine {
    let program = json!([
        { "op": "create", "count": 1500, "size": "4 KiB" },
        { "op": "repeat", "times": times, "do": [
            { "op": "map", "region": "heap", "size": "20 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "free", "region": "heap" },
            { "op": "read", "file": "big" }
        ] },
    ]);
    let mut m = machine(
        kernel,
        json!([{ "name": "big", "size": "20 MiB" }]),
        program,
    );
    finish(&mut m);
    m
}

#[test]
fn dentries_and_inodes_of_small_files_are_shrunk_under_pressure() {
    for kernel in ["3.0", "3.1", "3.16", "5.10", "6.1"] {
        let m = after_small_files(kernel, 6);
        let [inodes, dentries] =
            [mm::slab::INODE, mm::slab::DENTRY].map(|cache| m.w.slab.caches[cache].objects());
        assert!(counter(&m, "slabs_scanned") > 0, "{kernel}");
        assert!(dentries < 1501, "{kernel}: {dentries} dentries");
        assert!(inodes < 1501, "{kernel}: {inodes} inodes");
        // A dentry keeps its inode in use.
        assert!(dentries <= inodes, "{kernel}: {dentries} of {inodes}");
    }
}

/// Up to 4.12 the first scan spares a dentry, and so its inode. The inode loses its pages at the
/// second scan and is spared again (fs/inode.c of 3.0), so each object is scanned about five times.
/// Later kernels free an object that was used once at the first scan.
#[test]
fn only_old_kernels_spare_slab_objects_used_once() {
    let scans = |kernel: &str| {
        let m = after_small_files(kernel, 6);
        let caches = [mm::slab::INODE, mm::slab::DENTRY];
        let left: u32 = caches
            .map(|cache| m.w.slab.caches[cache].objects())
            .iter()
            .sum();
        counter(&m, "slabs_scanned") as f64 / f64::from(3002 - left)
    };
    let (old, new) = (scans("3.16"), scans("6.1"));
    assert!(
        old > 1.5 * new,
        "{old:.2} scans per freed object, {new:.2} in 6.1"
    );
}

#[test]
fn dropping_caches_keeps_dirty_pages() {
    let files = json!([{ "name": "a", "size": "2 MiB" }, { "name": "b", "size": 5 }]);
    let program = json!([
        { "op": "read", "file": "a" },
        { "op": "write", "file": "b" },
        { "op": "drop_caches" },
        { "op": "think", "time": "1ms" },
    ]);
    let mut m = machine("6.1", files, program);
    while counter(&m, "nr_dirtied") < 5 || pages(&m, PageKind::File) > 5 {
        m.run(m.w.run.steps() + 1, u64::MAX);
        assert!(!m.w.sched.ended);
    }
    assert_eq!((pages(&m, PageKind::File), gauge(&m, Gauge::Dirty)), (5, 5));
    sound(&m);
}

/// Four reads of 1 KiB in a page count as one access. A second read from the start activates the page.
#[test]
fn consecutive_reads_within_a_page_count_as_one_access() {
    let files = json!([{ "name": "a", "size": 16 }]);
    let read = json!({ "op": "read", "file": "a", "chunk": "1 KiB" });
    let mut once = machine("6.1", files.clone(), json!([read]));
    finish(&mut once);
    assert_eq!(counter(&once, "pgactivate"), 0);
    let mut twice = machine("6.1", files, json!([read, read]));
    finish(&mut twice);
    assert_eq!(counter(&twice, "pgactivate"), 16);
}

#[test]
fn stepping_and_running_give_the_same_files_and_swap() {
    for kernel in ["3.0", "6.1"] {
        let files =
            json!([{ "name": "a", "size": "12 MiB" }, { "name": "small", "size": 3, "count": 40 }]);
        let program = json!([
            { "op": "map", "region": "heap", "size": "10 MiB" },
            { "op": "touch", "region": "heap" },
            { "op": "write", "file": "a", "size": "3 MiB", "order": "random", "chunk": "12 KiB" },
            { "op": "read", "file": "small", "order": "random", "size": "1 MiB" },
            { "op": "read", "file": "a" },
            { "op": "touch", "region": "heap", "order": "random" },
        ]);
        let e = experiment(kernel, files, program).expect("valid");
        let (mut stepped, mut run) = (Machine::boot(&e), Machine::boot(&e));
        run.run(300_000, u64::MAX);
        while stepped.w.run.steps() < 300_000 && !stepped.w.sched.ended {
            stepped.w.rec.on = true;
            stepped.run(stepped.w.run.steps() + 1, u64::MAX);
        }
        assert!(run == stepped, "{kernel}: stepping and running differ");
        assert_eq!(run.hash(), stepped.hash());
        let mut copy = Machine::boot(&e);
        copy.clone_from(&stepped);
        assert!(
            copy == stepped && copy.clone() == stepped,
            "{kernel}: copies differ"
        );
    }
}

#[test]
fn impossible_files_and_operations_are_refused_with_their_path() {
    let files = || json!([{ "name": "a", "size": 10 }, { "name": "many", "size": 1, "count": 3 }]);
    let refused = |files: Value, op: Value| -> Vec<String> {
        let found = experiment("6.1", files, json!([op])).expect_err("a refusal");
        found.into_iter().map(|r| r.path).collect()
    };
    let op = "workload.processes[0].program[0]";
    let cases = [
        (json!({ "op": "read", "file": "b" }), "file"),
        (
            json!({ "op": "read", "file": "a", "chunk": "0 KiB" }),
            "chunk",
        ),
        (
            json!({ "op": "write", "file": "a", "size": "9 parsec" }),
            "size",
        ),
        (
            json!({ "op": "map", "region": "r", "file": "many" }),
            "file",
        ),
        (
            json!({ "op": "map", "region": "r", "file": "a", "size": 11 }),
            "size",
        ),
        (
            json!({ "op": "map", "region": "r", "file": "a", "huge": true }),
            "huge",
        ),
        (json!({ "op": "lock", "region": "r" }), "region"),
        (json!({ "op": "create", "count": 0, "size": 1 }), "count"),
        (json!({ "op": "map", "region": "r" }), "size"),
    ];
    for (bad, field) in cases {
        let expected = format!("{op}.{field}");
        assert_eq!(refused(files(), bad.clone()), [expected], "{bad}");
    }
    let fine = || json!({ "op": "drop_caches" });
    let twice = json!([{ "name": "a", "size": 1 }, { "name": "a", "size": 1 }]);
    assert_eq!(refused(twice, fine()), ["workload.files[1].name"]);
    let none = json!([{ "name": "a", "size": 1, "count": 0 }]);
    assert_eq!(refused(none, fine()), ["workload.files[0].count"]);
}

/// Dentries and inodes of 300 files are cached without a page of the files. Writing 3 to drop_caches
/// frees them, writing 1 does not.
#[test]
fn looked_up_files_stay_cached_until_slab_is_dropped() {
    let files = json!([{ "name": "row", "size": "4 KiB", "count": 300 }]);
    for (kernel, slab) in [
        ("2.6.37", true),
        ("3.1", true),
        ("6.1", true),
        ("6.1", false),
    ] {
        let program = json!([
            { "op": "stat", "file": "row" },
            { "op": "mark", "name": "looked" },
            { "op": "drop_caches", "slab": slab },
        ]);
        let mut m = machine(kernel, files.clone(), program);
        let objects = |m: &Machine| {
            [mm::slab::INODE, mm::slab::DENTRY].map(|cache| m.w.slab.caches[cache].objects())
        };
        while m.w.phases.marks.iter().next().is_none() {
            m.run(m.w.run.steps() + 1, u64::MAX);
        }
        assert_eq!(objects(&m), [300, 300], "{kernel}");
        assert_eq!(pages(&m, PageKind::File), 0, "{kernel}");
        finish(&mut m);
        let left: u32 = objects(&m).iter().sum();
        // Old shrinkers scan only whole batches of 128.
        assert_eq!(left < 128, slab, "{kernel}: {left} objects");
    }
}

/// The first touch of a mapping reads around it; from the marked page on, each window follows the
/// last.
#[test]
fn a_mapping_touched_in_order_has_hardly_any_major_faults() {
    let files = json!([{ "name": "data", "size": "8 MiB" }]);
    let program = json!([
        { "op": "map", "region": "view", "file": "data" },
        { "op": "touch", "region": "view" },
    ]);
    for kernel in ["3.0", "6.1"] {
        let mut m = machine(kernel, files.clone(), program.clone());
        finish(&mut m);
        let found = ["pgmajfault", "pgpgin"].map(|name| counter(&m, name));
        assert_eq!(found, [1, 8192], "{kernel}");
    }
}

/// Counts, from the events of a run, the pages that joined the cache again after reclaim had freed
/// them.
fn rereads(m: &mut Machine) -> u64 {
    let mut gone = std::collections::BTreeSet::new();
    let mut again = 0;
    m.w.rec.on = true;
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 1000, u64::MAX);
        for r in m.w.rec.records.drain(..) {
            if let Some(left) = MmFilemapDeleteFromPageCache::of(&r) {
                gone.insert((left.i_ino, left.index));
            } else if let Some(joined) = MmFilemapAddToPageCache::of(&r) {
                again += u64::from(gone.remove(&(joined.i_ino, joined.index)));
            }
        }
    }
    again
}

#[test]
fn pages_read_again_after_reclaim_are_counted_and_flagged_in_every_kernel() {
    let files = json!([{ "name": "large", "size": 5000 }, { "name": "small", "size": 100 }]);
    let read = |file: &str| json!({ "op": "read", "file": file });
    for kernel in ["3.0", "3.16", "6.1"] {
        // Only reclaim takes pages out of the cache here.
        let program = json!([read("small"), read("large"), read("large"), read("small")]);
        let mut m = machine(kernel, files.clone(), program);
        let again = rereads(&mut m);
        assert!(again > 3000, "{kernel}: {again}");
        assert_eq!(counter(&m, "reread"), again, "{kernel}");
        let is_marked = |p: &&mm::mmzone::Page| p.has(mm::mmzone::flag::REREAD);
        let marked = m.w.mem.pages.iter().filter(is_marked).count() as u64;
        assert!(marked > 0 && marked <= again, "{kernel}: {marked}");
        // The pages are read once, or dropped through drop_caches: none is read again after reclaim.
        let program = json!([read("small"), { "op": "drop_caches" }, read("small"), read("large")]);
        let mut m = machine(kernel, files.clone(), program);
        finish(&mut m);
        assert_eq!(counter(&m, "reread"), 0, "{kernel}");
    }
}

#[test]
fn a_file_that_is_rewritten_is_not_counted_as_read_again() {
    let write = |size: u32| json!({ "op": "write", "file": "f", "size": size });
    let program = json!([write(5000), { "op": "unlink", "file": "f" }, write(5000)]);
    let mut m = machine("3.0", json!([{ "name": "f", "size": 5000 }]), program);
    finish(&mut m);
    assert!(counter(&m, "pgsteal_kswapd") + counter(&m, "pgsteal_direct") > 1000);
    assert_eq!(counter(&m, "reread"), 0);
}

/// A file larger than memory, written twice: from 4.7 on a page that returns is no refault. A page that
/// is read again always is.
#[test]
fn overwriting_after_reclaim_counts_as_refault_up_to_4_6_only() {
    let refaults = |kernel: &str, op: &str| {
        let program = json!([{ "op": op, "file": "f" }, { "op": op, "file": "f" }]);
        let mut m = machine(kernel, json!([{ "name": "f", "size": 5000 }]), program);
        finish(&mut m);
        assert!(counter(&m, "pgsteal_kswapd") > 1000, "{kernel}, {op}");
        m.w.counters.workingset_refault[1]
    };
    assert!(refaults("3.16", "write") > 1000);
    for kernel in ["5.10", "5.15", "6.1"] {
        assert_eq!(refaults(kernel, "write"), 0, "{kernel}");
        assert!(refaults(kernel, "read") > 1000, "{kernel}");
    }
}

#[test]
fn files_larger_than_their_device_are_refused() {
    // By default a guest's device has 100 GB, less the swap.
    let refused = |files: Value, program: Value| {
        let found = experiment("6.1", files, program).expect_err("refused");
        (found[0].path.clone(), found[0].reason.clone())
    };
    let files = json!([{ "name": "a", "size": "60 GiB" }, { "name": "b", "size": "60 GiB" }]);
    let (path, reason) = refused(files, json!([{ "op": "read", "file": "a" }]));
    assert_eq!(path, "workload.files[1].size");
    assert!(reason.contains("more than the"), "{reason}");
    let program = json!([{ "op": "create", "count": 100, "size": "1 GiB" }]);
    let (path, _) = refused(json!([]), program);
    assert_eq!(path, "workload.processes[0].program[0].size");
}
