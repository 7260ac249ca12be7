//! The twin of every captured run that can be repeated. A counter that the real run moved by more than
//! 1,000 is within a factor of 1.5, or is listed in [`FAR`] with the cause. Each tick's count of waits
//! is within a factor of two, or is listed in [`FAR_WAITS`].

use std::process::Command;

use serde_json::Value;

/// Why counters of a run differ, with a number of the capture that follows from the cause.
type Far = (&'static str, &'static str, &'static [&'static str]);

/// A bio and its share of the driver's tables take slab for each page of a swap-out in flight: 3,037
/// pages for 41,607 in flight (`bindhog` at 11.2 s), 0.073 for each, and 0.072 to 0.075 in `hog`. The
/// engine does not model them. Reclaimers take them from below min, so more reclaim is direct and is
/// retried: `reclaim_retry_zone` is 270 in `bindhog` (simulated 0), 310 in `storm` (22), 163 in
/// `stormkey` (17). kswapd, which is not bound, gets 1,865 of the 3,037 from the other node.
const BIOS: &str = "slab of swap-outs in flight";
/// While both reclaim, 14 to 32 thousand pages a second are written out in `hogslab` (`samples.csv`,
/// 9.1 to 9.9 s), simulated 46 to 73 thousand by the cost table. So more pages are in flight when the
/// hog ends, and stay in the swap cache. In `mix` hogs fault 29.5 thousand pages in the first second,
/// simulated 42.7. In the simulation the small hog ends its first pass before memory is short and touches its pages
/// again, and they become active (24,597 pages at the end, in the real kernel 2,494).
const SPEED: &str = "speed of the emulated CPU";
/// Pages on per-cpu lists: 5,689 more after the run than before; in the simulation 2,774 pages are
/// missing from the free ones. A fifth of the difference on top of -1,296 is -694; simulated -693.
const PCP: &str = "pages on per-CPU lists at the end";
/// `unevictable_pgs_stranded`: 1,010 of the 2,095 locked pages could not be isolated at munlock.
const MUNLOCK: &str = "munlock up to 5.10 does not find pages on their way to a list";
/// The hogs are killed when 27,833 pages are dirty and 55,749 under writeback (`oom-report.txt`): all
/// remaining pages are files that wait for the disk. The file system is what waits then: one write() of
/// each took 87 s (`workload.log`). In the simulation reclaim waits and succeeds, and no task is
/// killed.
const STUCK: &str = "an OOM kill, and writers stuck in the file system";
/// Pages under writeback when the last process has ended stay in the swap cache: 3,413, of which 2,461
/// are in flight, 952 more; simulated 7,734 and 6,829, 905 more. The difference is the length of the
/// queue.
const ENDED: &str = "the disk's queue at the end";
/// In a real kernel of these releases, kcompactd and requests for larger blocks move pages.
const COMPACTION: &str = "compaction, absent here";
/// The cause is not known yet.
const OPEN: &str = "not found";

const FAR: &[Far] = &[
    (
        "x86_64-5.10-512m-1n-storm",
        COMPACTION,
        &["pgmigrate_success"],
    ),
    (
        "x86_64-6.1-512m-1n-stormkey",
        COMPACTION,
        &["pgmigrate_success"],
    ),
    ("x86_64-6.1-512m-1n-mix", COMPACTION, &["pgmigrate_success"]),
    ("x86_64-6.1-512m-1n-hog", COMPACTION, &["pgmigrate_success"]),
    (
        "x86_64-5.10-512m-1n-storm",
        MUNLOCK,
        &["unevictable_pgs_cleared", "unevictable_pgs_stranded"],
    ),
    (
        "x86_64-5.10-512m-1n-storm",
        OPEN,
        &[
            "nr_inactive_file",
            "nr_zone_inactive_file",
            "nr_vmscan_immediate_reclaim",
            "pgalloc_dma",
        ],
    ),
    (
        "x86_64-5.10-512m-1n-stormkey-noswap",
        STUCK,
        &[
            "nr_active_file",
            "nr_inactive_file",
            "nr_vmscan_immediate_reclaim",
            "nr_vmscan_write",
            "nr_writeback",
            "nr_zone_active_file",
            "nr_zone_inactive_file",
            "pgactivate",
            "pgdeactivate",
            "pgfree",
            "pgrefill",
            "pgscan_direct",
            "pgscan_file",
            "pgscan_kswapd",
            "pgsteal_direct",
            "pgsteal_file",
            "pgsteal_kswapd",
        ],
    ),
    (
        "x86_64-5.10-512m-1n-stormkey-noswap",
        OPEN,
        &["pginodesteal"],
    ),
    (
        "x86_64-6.1-512m-1n-hogslab",
        SPEED,
        &[
            "nr_dirty_threshold",
            "nr_file_pages",
            "nr_free_pages",
            "nr_inactive_anon",
            "nr_swapcached",
            "nr_vmscan_write",
            "nr_writeback",
            "nr_zone_inactive_anon",
            "nr_zone_write_pending",
            "pgpgout",
            "pgscan_direct",
            "pgscan_kswapd",
            "pgsteal_direct",
            "pswpout",
        ],
    ),
    (
        "x86_64-6.1-512m-1n-mix",
        SPEED,
        &[
            "pgactivate",
            "pgdeactivate",
            "pgmajfault",
            "pgrefill",
            "pgscan_direct",
        ],
    ),
    (
        "x86_64-6.1-512m-1n-mix",
        OPEN,
        &["nr_throttled_written", "workingset_activate_anon"],
    ),
    ("x86_64-6.1-512m-1n-mix", BIOS, &["pgsteal_direct"]),
    (
        "x86_64-6.1-512m-1n-stormkey",
        ENDED,
        &[
            "nr_file_pages",
            "nr_free_pages",
            "nr_inactive_anon",
            "nr_swapcached",
            "nr_writeback",
            "nr_zone_inactive_anon",
            "nr_zone_write_pending",
        ],
    ),
    (
        "x86_64-6.1-512m-1n-stormkey",
        OPEN,
        &["nr_vmscan_immediate_reclaim", "pgpgin", "pgreuse"],
    ),
    (
        "x86_64-6.1-512m512m-2n-bindhog",
        BIOS,
        &[
            "numa_foreign",
            "numa_miss",
            "numa_other",
            "pgscan_direct",
            "pgsteal_direct",
        ],
    ),
    (
        "x86_64-6.1-512m512m-2n-zreclaim1",
        PCP,
        &["nr_dirty_threshold"],
    ),
    (
        "x86_64-6.1-512m-1n-streammg",
        OPEN,
        &["pgscan_direct", "pgsteal_direct"],
    ),
    (
        "x86_64-6.12-512m-1n-hogmg",
        OPEN,
        &["pgscan_direct", "pgsteal_direct"],
    ),
    (
        "x86_64-6.12-512m-1n-hogmg",
        COMPACTION,
        &["pgmigrate_success"],
    ),
    (
        "x86_64-6.12-512m-1n-mapmg",
        OPEN,
        &[
            "nr_inactive_file",
            "nr_zone_inactive_file",
            "pgactivate",
            "pgsteal_direct",
        ],
    ),
    (
        "x86_64-6.12-512m-1n-mapmg",
        COMPACTION,
        &["pgmigrate_success"],
    ),
    (
        "x86_64-6.12-512m-1n-mixmg",
        OPEN,
        &[
            "pgactivate",
            "pgscan_direct",
            "pgsteal_direct",
            "workingset_activate_anon",
            "workingset_restore_anon",
        ],
    ),
    (
        "x86_64-6.12-512m-1n-mixmg",
        COMPACTION,
        &["pgmigrate_success"],
    ),
    (
        "x86_64-6.12-512m-1n-writermg",
        OPEN,
        &["nr_dirty", "pgrefill", "pgscan_direct", "pgsteal_direct"],
    ),
];

/// Waits of reclaimers that differ: capture, cause, wait, delays in us; none is all others together.
type FarWaits = (
    &'static str,
    &'static str,
    &'static str,
    &'static [Option<u64>],
);

/// A task that was woken, or yielded its CPU before it reports, waits for others on the four CPUs. A
/// fifth of the real calls report one to seven ticks, simulated none. Timers that a guest's task
/// reports a tick late as 108 or 112 ms are 104 ms here. The guest has 8,070 calls, the simulation
/// 19,303.
const QUEUED: &str = "waits for a CPU of the emulator";

const FAR_WAITS: &[FarWaits] = &[
    (
        "x86_64-5.10-512m-1n-stormkey-noswap",
        QUEUED,
        "writeback_congestion_wait/100000",
        &[Some(108_000), Some(112_000)],
    ),
    (
        "x86_64-5.10-512m-1n-stormkey-noswap",
        QUEUED,
        "writeback_wait_iff_congested/100000",
        &[
            Some(0),
            Some(4000),
            Some(8000),
            Some(12_000),
            Some(16_000),
            Some(20_000),
            Some(24_000),
            Some(28_000),
            None,
        ],
    ),
];

fn report(capture: &str) -> Value {
    let folder = format!(
        "{}/../mm/tests/data/dyn-{capture}",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmscope"));
    let called = command.args(["twin", &folder, "--json"]).output();
    let called = called.expect("mmscope starts");
    let err = String::from_utf8_lossy(&called.stderr);
    assert_eq!(called.status.code(), Some(0), "{capture}: {err}");
    serde_json::from_slice(&called.stdout).expect("JSON")
}

fn is_far(row: &Value) -> bool {
    let near = |ratio: f64| (1.0 / 1.5..=1.5).contains(&ratio);
    !row["ratio"].as_f64().is_some_and(near)
}

/// Repeats a capture; only the known counters and waits may differ.
fn differs_as_known(capture: &str) {
    let report = report(capture);
    assert_eq!(report["finished"], true, "{capture}");
    let known: Vec<&Far> = FAR.iter().filter(|(of, ..)| *of == capture).collect();
    let mut unknown = Vec::new();
    for row in report["counters"].as_array().expect("rows") {
        let name = row["name"].as_str().expect("a name");
        if row.get("absent").is_some() {
            let counted = row["simulated"].as_i64().unwrap_or(0);
            assert_eq!(
                counted, 0,
                "{name} is counted: remove it from the absent ones"
            );
            continue;
        }
        let moved = row["real"].as_i64().expect("a count").unsigned_abs();
        let listed = known.iter().any(|(.., names)| names.contains(&name));
        if moved > 1000 && is_far(row) && !listed {
            unknown.push(row.to_string());
        }
    }
    for bucket in report["waits"].as_array().expect("buckets") {
        let (wait, us) = (&bucket["wait"], bucket["delayed_us"].as_u64());
        let is_listed = FAR_WAITS
            .iter()
            .any(|(of, _, name, delays)| *of == capture && *wait == **name && delays.contains(&us));
        if bucket["far"] == true && !is_listed {
            unknown.push(bucket.to_string());
        }
    }
    assert!(unknown.is_empty(), "{capture}: {unknown:#?}");
}

#[test]
fn hogs_differ_from_the_capture_only_in_listed_counters() {
    differs_as_known("x86_64-6.1-512m-1n-hog");
    differs_as_known("x86_64-6.1-512m-1n-hogslab");
    differs_as_known("x86_64-6.1-512m512m-2n-bindhog");
}

#[test]
fn readers_and_writers_differ_from_the_capture_only_in_listed_counters() {
    differs_as_known("x86_64-6.1-512m-1n-reader");
    differs_as_known("x86_64-6.1-512m-1n-writer");
    differs_as_known("x86_64-6.1-512m512m-2n-reader");
    differs_as_known("x86_64-6.1-512m512m-2n-zreclaim1");
}

#[test]
fn runs_with_the_multi_generational_lru_differ_only_in_listed_counters() {
    differs_as_known("x86_64-6.1-512m-1n-streammg");
    differs_as_known("x86_64-6.12-512m-1n-hogmg");
    differs_as_known("x86_64-6.12-512m-1n-mapmg");
    differs_as_known("x86_64-6.12-512m-1n-mixmg");
    differs_as_known("x86_64-6.12-512m-1n-writermg");
    differs_as_known("x86_64-6.12-512m512m-2n-streammg");
}

/// Events of cgroups that differ. In this run 341 of 64,000 pages were not read back from swap: 1,960 events,
/// simulated 1,963. Why these pages were still in memory is not known. Two more runs of the same workload and
/// kernel, made with `sim real` on a busy computer, counted 1,921 and 1,910; 21 pages and none were not read
/// back. So this event is not exact between real runs either: a reclaim scans on until the disk has written
/// some of its pages. Readers of files write nothing, and their events are equal.
const FAR_EVENTS: [(&str, &str); 1] = [("x86_64-6.1-512m-1n-memmaxhog", "max")];

/// Repeats a capture with memory cgroups. Events must be equal, or at most one in a hundred apart if they are
/// listed; counts and sizes must be within a factor of 1.5.
fn cgroups_agree(capture: &str) {
    differs_as_known(capture);
    let report = report(capture);
    let rows = report["cgroups"]["rows"].as_array().expect("rows");
    let value = |row: &Value, of: &str| row[of].as_i64().expect("a count");
    let mut events = 0;
    for row in rows {
        let (real, ours) = (value(row, "real"), value(row, "simulated"));
        let listed = FAR_EVENTS
            .iter()
            .any(|&(of, name)| of == capture && row["name"] == name);
        if row["kind"] == "event" {
            let most = if listed { real / 100 } else { 0 };
            assert!((real - ours).abs() <= most, "{capture}: {row}");
            events += real;
        } else if real > 1000 {
            assert!(
                ours * 3 >= real * 2 && real * 3 >= ours * 2,
                "{capture}: {row}"
            );
        }
    }
    assert!(events > 1000, "{capture}: {events}");
}

#[test]
fn events_of_cgroups_agree_and_their_pages_are_within_a_factor_of_one_and_a_half() {
    cgroups_agree("x86_64-6.1-512m-1n-memmaxread");
    cgroups_agree("x86_64-6.1-512m-1n-memmaxhog");
    cgroups_agree("x86_64-6.12-512m-1n-memmaxreadmg");
    cgroups_agree("x86_64-6.12-512m-1n-memhighreadmg");
    cgroups_agree("x86_64-6.12-1g-1n-memmaxreadmg");
    cgroups_agree("x86_64-6.12-512m512m-2n-memmaxreadmg");
}

#[test]
fn storms_differ_from_the_capture_only_in_listed_counters() {
    differs_as_known("x86_64-5.10-512m-1n-storm");
    differs_as_known("x86_64-6.1-512m-1n-stormkey");
}

/// The change of a counter in one run, real and simulated.
fn counted(report: &Value, name: &str) -> (i64, i64) {
    let mut rows = report["counters"].as_array().expect("rows").iter();
    let row = rows.find(|row| row["name"] == name);
    let count = |side: &str| row.map_or(0, |row| row[side].as_i64().unwrap_or(0));
    (count("real"), count("simulated"))
}

/// A task whose memory lies on the other node: every page is marked, faults and moves once.
#[test]
fn numa_balancing_moves_the_pages_of_a_lone_task() {
    let report = report("x86_64-6.1-512m512m-2n-numabal");
    for name in [
        "numa_pte_updates",
        "numa_hint_faults",
        "numa_hint_faults_local",
        "numa_pages_migrated",
        "pgmigrate_success",
        "pgmigrate_fail",
    ] {
        let (real, simulated) = counted(&report, name);
        assert_eq!(real, simulated, "{name}");
    }
    for name in ["numa_hit", "numa_other", "pgfault"] {
        let (real, simulated) = counted(&report, name);
        let apart = (real - simulated).abs() * 100;
        assert!(apart <= real, "{name}: {real} and {simulated}");
    }
}

/// When a counter of a repeated capture rose, in ms since its first process began, and by how much, in
/// samples every 200 ms, as in the guest.
fn rises(capture: &str, counter: &str) -> Vec<(u64, u64)> {
    let folder = format!(
        "{}/../mm/tests/data/dyn-{capture}",
        env!("CARGO_MANIFEST_DIR")
    );
    let file = |what: &str| format!("{}/{capture}.{what}", env!("CARGO_TARGET_TMPDIR"));
    let (samples, experiment) = (file("csv"), file("json"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmscope"));
    let called = command.args([
        "twin",
        &folder,
        "--samples",
        &samples,
        "--experiment",
        &experiment,
    ]);
    assert_eq!(
        called.output().expect("mmscope starts").status.code(),
        Some(0)
    );
    let read = |path| std::fs::read_to_string(path).expect("a file");
    let experiment: Value = serde_json::from_str(&read(experiment)).expect("JSON");
    let processes = experiment["workload"]["processes"]
        .as_array()
        .expect("processes");
    let start = processes
        .last()
        .and_then(|p| p["start"].as_str())
        .expect("a start");
    let start: u64 = start.trim_end_matches("ms").parse().expect("ms");
    let text = read(samples);
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    let column = names
        .iter()
        .position(|name| *name == counter)
        .expect("its column");
    let mut was = 0;
    let mut found = Vec::new();
    for line in lines {
        let values: Vec<&str> = line.split(',').collect();
        let ms: u64 = values[0]
            .replace('.', "")
            .parse()
            .expect("seconds with three digits");
        let now: u64 = values[column].parse().expect("a count");
        if now > was {
            found.push((ms - start, now - was));
        }
        was = now;
    }
    found
}

/// Both kernels scan twice, about 2.05 and 4.6 s after the task began at 5.0 s, and mark 51,198 and 2
/// entries (real kernel: 7.055 s, and between 9.472 and 9.672 s).
#[test]
fn numa_balancing_scans_when_the_real_kernel_did() {
    let windows = rises("x86_64-6.1-512m512m-2n-numabal", "numa_pte_updates");
    let real = [(2055u64, 51_198u64), (4570, 2)];
    assert_eq!(windows.len(), real.len(), "{windows:?}");
    for ((ms, marked), (real_ms, real_marked)) in windows.into_iter().zip(real) {
        assert!(
            marked.abs_diff(real_marked) <= 511,
            "{marked}, not {real_marked}"
        );
        // A factor of 1.3, plus the time between two samples.
        let (low, high) = (real_ms * 10 / 13, real_ms * 13 / 10 + 200);
        assert!((low..=high).contains(&ms), "{ms} ms, not {real_ms}");
    }
}

#[test]
fn a_mix_differs_from_the_capture_only_in_listed_counters() {
    differs_as_known("x86_64-6.1-512m-1n-mix");
}

#[test]
fn a_storm_without_swap_differs_from_the_capture_only_in_listed_counters() {
    differs_as_known("x86_64-5.10-512m-1n-stormkey-noswap");
}

#[test]
fn the_list_of_causes_names_each_counter_of_a_capture_once() {
    for (i, (capture, cause, names)) in FAR.iter().enumerate() {
        assert!(!cause.is_empty() && !names.is_empty(), "{capture}");
        for (other, _, others) in FAR[..i].iter().filter(|(of, ..)| of == capture) {
            let twice = names.iter().find(|name| others.contains(name));
            assert_eq!(twice, None, "{other}");
        }
    }
}
