//! Printed traces: a script that counts their lines gets the machine's counters, and every line has the
//! fields of its kernel.

use std::collections::BTreeMap;

use mm::experiment::{Experiment, preset};
use mm::machine::Machine;
use mm::record::RecordKind;
use reports::ftrace::stream::Stream;
use reports::ftrace::{Dialect, Line, Printer};

/// The trace of an experiment with a kernel, and the final machine.
fn traced(id: &str, kernel: &str, set: &[(&str, &str)]) -> (String, Machine) {
    let mut raw = preset(id).expect("a preset");
    raw.kernel = kernel.to_string();
    for (name, value) in set {
        let (name, value) = ((*name).to_string(), (*value).to_string());
        raw.tunables.insert(name, value);
    }
    let experiment = Experiment::new(raw).expect("valid");
    let mut m = Machine::boot(&experiment);
    let mut stream = Stream::of(&m, false);
    let mut out = stream.header("a test");
    m.w.rec.on = true;
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 1000, u64::MAX);
        for record in &m.w.rec.records {
            let name = picture::task_name(&m.w, &m.tasks[record.task]);
            stream.take(&m, record, name);
        }
        m.w.rec.records.clear();
        out.push_str(&stream.more(&m));
    }
    out.push_str(&stream.rest());
    (out, m)
}

/// A line of a trace, split as a script splits it.
struct Read<'a> {
    task: &'a str,
    pid: u64,
    flags: Option<&'a str>,
    us: u64,
    event: &'a str,
    details: &'a str,
}

fn read(line: &str) -> Read<'_> {
    let (task, rest) = line.split_once(" [").expect("a CPU");
    let (name, pid) = task.trim().rsplit_once('-').expect("a pid");
    let (cpu, rest) = rest.split_once(']').expect("a CPU");
    assert!(
        cpu.len() == 3 && cpu.bytes().all(|b| b.is_ascii_digit()),
        "{line}"
    );
    let (head, rest) = rest.split_once(": ").expect("a time");
    let mut words: Vec<&str> = head.split_whitespace().collect();
    let time = words.pop().expect("a time");
    let (s, us) = time.split_once('.').expect("a point");
    assert_eq!(us.len(), 6, "{line}");
    let (event, details) = rest.split_once(": ").expect("details");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    Read {
        task: name,
        pid: number(pid.trim()),
        flags: words.pop(),
        us: number(s) * 1_000_000 + number(us),
        event,
        details,
    }
}

fn events(text: &str) -> impl Iterator<Item = Read<'_>> {
    text.lines().filter(|line| !line.starts_with('#')).map(read)
}

/// A field's value.
fn field<'a>(details: &'a str, name: &str) -> &'a str {
    let found = details.split(' ').filter_map(|word| word.split_once('='));
    let mut found = found.filter(|(n, _)| *n == name);
    found
        .next()
        .unwrap_or_else(|| panic!("{name} in {details}"))
        .1
}

fn count(details: &str, name: &str) -> u64 {
    field(details, name).parse().expect("a number")
}

/// The script's counts for one task.
#[derive(Default)]
struct Of {
    direct: u64,
    stalled_us: u64,
    began_us: Option<u64>,
    requests: u64,
    wakes: u64,
    rewakes: u64,
    awake: bool,
    scanned: u64,
    reclaimed: u64,
    /// By type (file, anonymous) and by synchronous or asynchronous writing.
    writes: [u64; 4],
}

/// The summary of a trace of 3.0 by the rules of the script.
#[derive(Debug, Default, PartialEq, Eq)]
struct Summary {
    direct: u64,
    direct_scanned: u64,
    direct_reclaimed: u64,
    direct_writes: [u64; 4],
    requests: u64,
    stalled_us: u64,
    kswapd_wakes: u64,
    kswapd_rewakes: u64,
    kswapd_scanned: u64,
    kswapd_reclaimed: u64,
    kswapd_writes: [u64; 4],
}

fn summary(text: &str) -> Summary {
    let mut tasks: BTreeMap<u64, Of> = BTreeMap::new();
    for e in events(text) {
        let of = tasks.entry(e.pid).or_default();
        match e.event {
            "mm_vmscan_direct_reclaim_begin" => {
                of.direct += 1;
                of.began_us = Some(e.us);
            }
            "mm_vmscan_direct_reclaim_end" => {
                of.stalled_us += of.began_us.take().map_or(0, |began| e.us - began);
            }
            "mm_vmscan_wakeup_kswapd" => of.requests += 1,
            "mm_vmscan_kswapd_wake" => {
                of.rewakes += u64::from(of.awake);
                of.wakes += u64::from(!of.awake);
                of.awake = true;
            }
            "mm_vmscan_kswapd_sleep" => of.awake = false,
            // Active lists are omitted.
            "mm_vmscan_lru_isolate" if field(e.details, "isolate_mode") != "1" => {
                of.scanned += count(e.details, "nr_scanned");
            }
            "mm_vmscan_lru_shrink_inactive" => of.reclaimed += count(e.details, "nr_reclaimed"),
            "mm_vmscan_writepage" => {
                let flags = field(e.details, "flags");
                let kind = usize::from(!flags.contains("FILE"));
                of.writes[2 * kind + usize::from(!flags.contains("RECLAIM_WB_SYNC"))] += 1;
            }
            _ => {}
        }
    }
    let mut sum = Summary::default();
    for of in tasks.values() {
        if of.direct > 0 {
            sum.direct += of.direct;
            sum.direct_scanned += of.scanned;
            sum.direct_reclaimed += of.reclaimed;
            sum.requests += of.requests;
            sum.stalled_us += of.stalled_us;
            (0..4).for_each(|i| sum.direct_writes[i] += of.writes[i]);
        }
        if of.wakes > 0 {
            sum.kswapd_wakes += of.wakes;
            sum.kswapd_rewakes += of.rewakes;
            sum.kswapd_scanned += of.scanned;
            sum.kswapd_reclaimed += of.reclaimed;
            (0..4).for_each(|i| sum.kswapd_writes[i] += of.writes[i]);
        }
    }
    sum
}

#[test]
fn counts_from_the_trace_equal_the_counters_of_the_machine() {
    let mut writes = [false; 2];
    // The limits hardly make writers wait, so reclaim meets dirty pages.
    let dirty = [
        ("vm.zone_reclaim_mode", "0"),
        ("vm.dirty_ratio", "95"),
        ("vm.dirty_background_ratio", "90"),
    ];
    // The script counts what a task scanned in zone_reclaim only if it reclaims directly as well.
    for (id, set) in [
        ("streaming-mapped-writer.teach", &dirty[..1]),
        ("anon-hog.teach", &[]),
        ("fsmark.teach", &dirty),
    ] {
        let (text, m) = traced(id, "3.0", set);
        let (sum, c) = (summary(&text), &m.w.counters);
        assert_eq!(sum.direct, c.allocstall, "{id}");
        assert_eq!(sum.direct_scanned, c.pgscan_direct, "{id}");
        assert_eq!(sum.direct_reclaimed, c.pgsteal_direct, "{id}");
        assert_eq!(sum.kswapd_scanned, c.pgscan_kswapd, "{id}");
        assert_eq!(sum.kswapd_reclaimed, c.pgsteal_kswapd, "{id}");
        assert!(sum.direct > 0 && sum.kswapd_scanned > 0, "{id}");
        let both = (0..4).map(|i| sum.direct_writes[i] + sum.kswapd_writes[i]);
        let both: Vec<u64> = both.collect();
        assert_eq!(both.iter().sum::<u64>(), c.nr_vmscan_write, "{id}");
        // No task writes and waits.
        assert_eq!([both[0], both[2]], [0, 0], "{id}");
        // Only reclaim writes to swap; the last writes may not have finished.
        assert!(both[3] >= c.pswpout, "{id}");
        writes[0] |= both[1] > 0;
        writes[1] |= both[3] > 0;
        // Requests of tasks that never reclaim are not counted. Each real wake-up follows a request,
        // except the first check after boot.
        let all = events(&text).filter(|e| e.event == "mm_vmscan_wakeup_kswapd");
        let all = all.count() as u64;
        assert!(sum.requests > 0 && sum.requests <= all, "{id}");
        let woken: u64 = m.w.kswapd.iter().map(|k| k.wakes + 1).sum();
        assert!(sum.kswapd_wakes > 0 && sum.kswapd_wakes <= woken, "{id}");
        // Each wake-up of kswapd follows a sleep.
        let sleeps = events(&text).filter(|e| e.event == "mm_vmscan_kswapd_sleep");
        assert!(sum.kswapd_wakes <= sleeps.count() as u64 + 2, "{id}");
        assert!(sum.stalled_us > 0, "{id}");
        // Both printed times are truncated to microseconds.
        let stalled_us = c.stall_direct_ns / 1000;
        assert!(stalled_us.abs_diff(sum.stalled_us) <= sum.direct, "{id}");
    }
    assert_eq!(writes, [true; 2], "nothing was written");
}

const HEAD: &str = "nid nr_scanned nr_reclaimed nr_dirty nr_writeback nr_congested nr_immediate \
    nr_activate_anon nr_activate_file nr_ref_keep nr_unmap_fail priority flags";
/// The names of an event's fields in order, by era.
const FIELDS: &[(&str, &str, &str)] = &[
    ("3.0", "mm_vmscan_wakeup_kswapd", "nid zid order"),
    ("3.16", "mm_vmscan_wakeup_kswapd", "nid zid order"),
    ("5.10", "mm_vmscan_wakeup_kswapd", "nid order gfp_flags"),
    ("6.1", "mm_vmscan_wakeup_kswapd", "nid order gfp_flags"),
    ("6.12", "mm_vmscan_wakeup_kswapd", "nid order gfp_flags"),
    (
        "3.0",
        "mm_vmscan_direct_reclaim_begin",
        "order may_writepage gfp_flags",
    ),
    (
        "3.16",
        "mm_vmscan_direct_reclaim_begin",
        "order may_writepage gfp_flags",
    ),
    ("6.1", "mm_vmscan_direct_reclaim_begin", "order gfp_flags"),
    ("3.0", "mm_vmscan_direct_reclaim_end", "nr_reclaimed"),
    ("6.12", "mm_vmscan_direct_reclaim_end", "nr_reclaimed"),
    (
        "3.0",
        "mm_vmscan_lru_isolate",
        "isolate_mode order nr_requested nr_scanned nr_taken contig_taken contig_dirty contig_failed",
    ),
    (
        "3.16",
        "mm_vmscan_lru_isolate",
        "isolate_mode order nr_requested nr_scanned nr_taken file",
    ),
    (
        "5.10",
        "mm_vmscan_lru_isolate",
        "isolate_mode classzone order nr_requested nr_scanned nr_skipped nr_taken lru",
    ),
    (
        "6.1",
        "mm_vmscan_lru_isolate",
        "isolate_mode classzone order nr_requested nr_scanned nr_skipped nr_taken lru",
    ),
    (
        "6.12",
        "mm_vmscan_lru_isolate",
        "classzone order nr_requested nr_scanned nr_skipped nr_taken lru",
    ),
    (
        "3.0",
        "mm_vmscan_lru_shrink_inactive",
        "nid zid nr_scanned nr_reclaimed priority flags",
    ),
    (
        "3.16",
        "mm_vmscan_lru_shrink_inactive",
        "nid zid nr_scanned nr_reclaimed priority flags",
    ),
    ("5.10", "mm_vmscan_lru_shrink_inactive", HEAD),
    ("6.1", "mm_vmscan_lru_shrink_inactive", HEAD),
    ("6.12", "mm_vmscan_lru_shrink_inactive", HEAD),
    (
        "5.10",
        "mm_vmscan_lru_shrink_active",
        "nid nr_taken nr_active nr_deactivated nr_referenced priority flags",
    ),
    ("3.0", "mm_vmscan_writepage", "page pfn flags"),
    ("5.10", "mm_vmscan_writepage", "page pfn flags"),
    ("6.1", "mm_vmscan_write_folio", "page pfn flags"),
    ("3.0", "mm_page_free_direct", "page pfn order"),
    ("3.16", "mm_page_free", "page pfn order"),
    ("3.0", "mm_pagevec_free", "page pfn order cold"),
    ("3.16", "mm_page_free_batched", "page pfn order cold"),
    ("5.10", "mm_page_free_batched", "page pfn order"),
    (
        "3.0",
        "mm_page_alloc",
        "page pfn order migratetype gfp_flags",
    ),
    (
        "6.12",
        "mm_page_alloc",
        "page pfn order migratetype gfp_flags",
    ),
    (
        "6.1",
        "mm_page_alloc_extfrag",
        "page pfn alloc_order fallback_order pageblock_order alloc_migratetype \
         fallback_migratetype fragmenting change_ownership",
    ),
    (
        "6.1",
        "mm_vmscan_throttled",
        "nid usec_timeout usect_delayed reason",
    ),
    ("5.10", "mm_vmscan_kswapd_wake", "nid order"),
    ("3.16", "mm_vmscan_kswapd_sleep", "nid"),
];
/// Events that occur only on some machines; their fields are checked if they occur.
const RARE: [&str; 5] = [
    "mm_vmscan_throttled",
    "mm_page_alloc_extfrag",
    "mm_vmscan_writepage",
    "mm_vmscan_lru_shrink_active",
    "mm_page_free_batched",
];

#[test]
fn trace_lines_have_the_fields_of_their_kernel() {
    for (kernel, flags, decimal) in [
        ("3.0", None, true),
        ("3.16", Some("...."), true),
        ("5.10", Some("...."), true),
        ("6.1", Some("....."), false),
        ("6.12", Some("....."), false),
    ] {
        let (text, _) = traced("anon-hog.teach", kernel, &[]);
        assert!(text.starts_with("# Simulated"), "{kernel}");
        let mut before = 1_000_000;
        let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
        for e in events(&text) {
            assert!(e.us >= before, "{kernel}: back in time at {}", e.us);
            before = e.us;
            assert_eq!(e.flags, flags, "{kernel}");
            let fine = |c: char| c.is_ascii_alphanumeric() || c == '-';
            assert!(e.task.len() <= 15 && e.task.chars().all(fine), "{}", e.task);
            *seen.entry(e.event).or_default() += 1;
            let names = e.details.split(' ').filter_map(|word| word.split_once('='));
            let names: Vec<&str> = names.map(|(name, _)| name).collect();
            let known = FIELDS
                .iter()
                .find(|&&(k, event, _)| k == kernel && event == e.event);
            if let Some(&(_, _, fields)) = known {
                let fields: Vec<&str> = fields.split_whitespace().collect();
                assert_eq!(names, fields, "{kernel} {}", e.event);
            }
            if names.starts_with(&["page", "pfn"]) {
                let hex = field(e.details, "pfn").starts_with("0x");
                assert!(
                    hex != decimal || field(e.details, "pfn") == "none",
                    "{}",
                    e.details
                );
            }
        }
        for &(k, event, _) in FIELDS {
            if k == kernel && !RARE.contains(&event) {
                assert!(seen.contains_key(event), "{kernel} fires no {event}");
            }
        }
    }
}

/// Waits as their kernels print them: 5.15 has two events of its own, the series and later ones one.
#[test]
fn traces_print_waits_in_the_format_of_their_kernel() {
    let waits = [
        (RecordKind::WritebackCongestionWait, vec![100_000, 104_000]),
        (RecordKind::WritebackWaitIffCongested, vec![100_000, 0]),
        (RecordKind::MmVmscanThrottled, vec![0, 100_000, 4000, 0]),
        (RecordKind::MmVmscanThrottled, vec![0, 500_000, 500_000, 2]),
    ];
    let printed = |kernel: &str| {
        let features = &mm::kernel::find(kernel).expect("a kernel").features;
        let mut printer = Printer::new(Dialect::of(features, vec!["Normal".to_string()], 9));
        let mut out = String::new();
        for (ns, (kind, values)) in (1_000_000..).step_by(1_000_000).zip(&waits) {
            let line = Line {
                time_ns: ns,
                cpu: 2,
                task: "hog/1".to_string(),
                pid: 20,
                kind: *kind,
                values: values.clone(),
            };
            printer.line(&line, &mut out);
        }
        // An event that a kernel lacks is printed under a name of the engine.
        let events = out.lines().filter_map(|line| line.split_once(": "));
        let events = events.filter(|(_, event)| !event.starts_with("mmscope_"));
        events
            .map(|(_, event)| event.to_string())
            .collect::<Vec<String>>()
    };
    let old = [
        "writeback_congestion_wait: usec_timeout=100000 usec_delayed=104000",
        "writeback_wait_iff_congested: usec_timeout=100000 usec_delayed=0",
    ];
    let new = [
        "mm_vmscan_throttled: nid=0 usec_timeout=100000 usect_delayed=4000 \
         reason=VMSCAN_THROTTLE_WRITEBACK",
        "mm_vmscan_throttled: nid=0 usec_timeout=500000 usect_delayed=500000 \
         reason=VMSCAN_THROTTLE_NOPROGRESS",
    ];
    for kernel in ["5.10", "5.15", "5.15.0-rc1-vanilla"] {
        assert_eq!(printed(kernel), old, "{kernel}");
    }
    // Writers outside of reclaim may still call congestion_wait, which exists in kernels to 5.18.
    assert_eq!(printed("mm-reclaimcongest-v5r4"), [&old[..], &new].concat());
    for kernel in ["6.1", "6.12"] {
        assert_eq!(printed(kernel), new, "{kernel}");
    }
}

/// 3.8 has no name for the reason; later formats are not distinguished yet.
#[test]
fn traces_print_pages_moved_for_balancing_in_the_format_of_3_8() {
    let told = |kernel: &str| {
        let features = &mm::kernel::find(kernel).expect("a kernel").features;
        let mut printer = Printer::new(Dialect::of(features, Vec::new(), 9));
        let mut out = String::new();
        let line = Line {
            time_ns: 0,
            cpu: 0,
            task: "task".to_string(),
            pid: 1,
            kind: RecordKind::MmMigratePages,
            values: vec![1, 0, 0, 0],
        };
        printer.line(&line, &mut out);
        out
    };
    let text = " mm_migrate_pages: nr_succeeded=1 nr_failed=0 mode=MIGRATE_ASYNC reason=0x5\n";
    assert!(told("3.8").ends_with(text), "{}", told("3.8"));
    assert!(told("6.1").contains(" mmscope_mm_migrate_pages: "));
}
