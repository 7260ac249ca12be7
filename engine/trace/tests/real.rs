//! Lines that real kernels printed. `tests/data/real-*.txt` have two of each event of Debian's kernels 5.10, 6.1
//! and 6.12; addresses of page records were removed, because they are random.

use mm::record::{ALL, HEAD, NAMES, RecordKind};
use proptest::prelude::*;
use trace::info::Info;
use trace::rows::Filter;
use trace::{NOTHING, Reader};

const REAL: [(&str, &str); 3] = [
    ("5.10", include_str!("data/real-5.10.txt")),
    ("6.1", include_str!("data/real-6.1.txt")),
    ("6.12", include_str!("data/real-6.12.txt")),
];

fn read(text: &[u8]) -> Reader {
    let mut reader = Reader::new();
    reader.feed(text);
    reader.finish();
    reader
}

/// The values of the first row of an event, by their names.
fn first(reader: &Reader, info: &Info, event: &str) -> Vec<(String, i64)> {
    let kind = info
        .kinds
        .iter()
        .find(|kind| kind.name == event)
        .expect(event);
    let filter = Filter {
        kinds: vec![kind.number as i64],
        limit: Some(1),
        ..Filter::default()
    };
    let row = reader.rows(0, usize::MAX, &filter);
    let names = kind.fields.iter().map(|field| field.name.clone());
    names.zip(row[HEAD..].iter().copied()).collect()
}

fn value(row: &[(String, i64)], name: &str) -> i64 {
    row.iter()
        .find(|(field, _)| field == name)
        .unwrap_or_else(|| panic!("{name} in {row:?}"))
        .1
}

#[test]
fn reads_every_event_of_real_kernels_and_detects_the_kernel() {
    for (kernel, text) in REAL {
        let info = read(text.as_bytes()).info();
        assert!(info.refusals.is_empty(), "{kernel}: {:?}", info.refusals);
        assert!(info.unknown.is_empty(), "{kernel}: {:?}", info.unknown);
        let lines = text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(info.events, lines as u64, "{kernel}");
        assert_eq!(info.stored, info.events);
        let dialect = info.dialect.expect("a dialect");
        assert_eq!(dialect.name, kernel, "{:?}", dialect.why);
    }
}

#[test]
fn real_events_have_the_same_fields_as_those_of_the_engine() {
    let reader = read(REAL[1].1.as_bytes());
    let info = reader.info();
    let row = first(&reader, &info, "mm_vmscan_wakeup_kswapd");
    assert_eq!(value(&row, "zid"), NOTHING, "6.1 does not print it");
    let text = value(&row, "gfp_flags_text") as usize;
    assert!(info.texts[text].contains("GFP_"), "{}", info.texts[text]);
    let row = first(&reader, &info, "reclaim_retry_zone");
    let zone = &info.zones[value(&row, "zone") as usize];
    assert!(
        ["DMA", "DMA32", "Normal"].contains(&&zone.name[..]),
        "{zone:?}"
    );
    // More is free than the mark, and still no block of this order: real kernels decide by blocks.
    assert_eq!(
        [value(&row, "available"), value(&row, "wmark_check")],
        [926, 0]
    );
    let row = first(&reader, &info, "mm_vmscan_throttled");
    assert_eq!(value(&row, "reason"), 0, "writeback");
    assert!(value(&row, "usec_delayed") > 0);
    let row = first(&reader, &info, "mm_compaction_isolate_freepages");
    assert!(value(&row, "range_from") < value(&row, "range_to"));
    let row = first(&reader, &info, "writeback_start");
    assert_eq!(
        [value(&row, "nr_pages"), value(&row, "reason")],
        [NOTHING, 0]
    );
    let text = value(&row, "nr_pages_text") as usize;
    assert_eq!(info.texts[text], i64::MAX.to_string());
    let row = first(&reader, &info, "sched_migrate_task");
    let task = &info.tasks[value(&row, "task") as usize];
    assert!(task.pid > 0 && !task.comm.is_empty(), "{task:?}");
    let row = first(&reader, &info, "mm_migrate_pages");
    assert_eq!(info.texts[value(&row, "mode") as usize], "MIGRATE_ASYNC");
    let row = first(&reader, &info, "mm_compaction_begin");
    assert!(value(&row, "zone_end") > value(&row, "zone_start"));
}

#[test]
fn a_task_switch_names_both_tasks() {
    let kernel = "          <idle>-0       [001] d..2.    10.5: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=my prog next_pid=77 next_prio=120\n";
    let reader = read(kernel.as_bytes());
    let info = reader.info();
    let row = first(&reader, &info, "sched_switch");
    let comm = |name: &str| &info.tasks[value(&row, name) as usize].comm[..];
    assert_eq!(comm("next"), "my prog");
    assert_eq!(info.tasks[value(&row, "next") as usize].pid, 77);
    let number = info.kinds[0].number;
    assert!(number >= ALL.len() && !info.kinds[0].engine);
}

#[test]
fn refuses_invalid_lines_with_their_numbers_and_counts_the_rest() {
    let good = "  kswapd0-54  [000] ..... 8.722648: mm_vmscan_kswapd_wake: nid=0 order=0\n";
    let cut = "  kswapd0-54  [000] ..... 8.722649: mm_vmscan_kswapd_wake: nid=0 ord\n";
    let wrong = "  kswapd0-54  [000] ..... 8.722649: mm_vmscan_kswapd_wake: nid=zero order=0\n";
    let unknown = "  kswapd0-54  [000] ..... 8.722650: irq_handler_entry: irq=5\r\n";
    let lost = "CPU:2 [LOST 7 EVENTS]\r\n";
    let header = "# entries-in-buffer/entries-written: 100/150   #P:2\n";
    let junk = "junk\n".repeat(200);
    let text = [header, good, cut, "\n", wrong, unknown, lost, &junk, good].concat();
    let info = read(text.as_bytes()).info();
    assert_eq!((info.events, info.lost, info.refused), (2, 7, 202));
    assert_eq!(info.overwritten, 50);
    assert_eq!(info.refusals.len(), 100);
    for (refusal, (line, part)) in info
        .refusals
        .iter()
        .zip([(3, "ord"), (5, "zero"), (8, "CPU")])
    {
        assert_eq!(refusal.line, line);
        assert!(refusal.reason.contains(part), "{refusal:?}");
    }
    assert_eq!(info.unknown[0].name, "irq_handler_entry");
}

#[test]
fn counters_over_time_end_at_their_sums() {
    let reader = read(REAL[2].1.as_bytes());
    let names = [
        "pgscan_kswapd",
        "pgscan_direct",
        "mm_vmscan_lru_isolate.nr_scanned",
        "nonsense",
    ];
    let rows = reader.samples(&names.map(str::to_string), 10);
    assert_eq!(rows.len(), 10 * (1 + names.len()));
    let last = &rows[9 * (1 + names.len())..];
    assert_eq!(last[0], reader.info().to_ns as i64);
    assert!(last[3] > 0 && last[1] + last[2] <= last[3], "{last:?}");
    assert_eq!(last[4], 0);
    for column in 0..=names.len() {
        let values: Vec<i64> = rows
            .iter()
            .skip(column)
            .step_by(1 + names.len())
            .copied()
            .collect();
        assert!(values.is_sorted(), "{column}: {values:?}");
    }
}

/// A change of a text: its position, the number of bytes that it removes, and the bytes that it inserts.
fn change() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<u8>)> {
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6),
        prop::sample::select(vec![
            "\n",
            "\0",
            "=",
            "-1",
            "99999999999999999999",
            "[",
            "]",
            ":",
            "0x",
            "|",
            "é",
            "~)",
            "("
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    (any::<prop::sample::Index>(), 0_usize..20, bytes)
}

proptest! {
    #[test]
    fn reads_any_damaged_trace_without_a_panic(
        which in 0_usize..3,
        changes in prop::collection::vec(change(), 1..40),
        size in 1_usize..5000,
    ) {
        let mut text = REAL[which].1.as_bytes().to_vec();
        for (at, gone, new) in changes {
            let at = at.index(text.len());
            let end = (at + gone).min(text.len());
            text.splice(at..end, new);
        }
        let mut reader = Reader::new();
        for chunk in text.chunks(size) {
            reader.feed(chunk);
        }
        reader.finish();
        let info = reader.info();
        let rows = reader.rows(0, usize::MAX, &Filter::default());
        let (mut count, mut at, mut before) = (0, 0, 0);
        while at < rows.len() {
            prop_assert!(rows[at + 2] >= before);
            before = rows[at + 2];
            at += rows[at] as usize;
            count += 1;
        }
        prop_assert_eq!(count, info.stored);
        prop_assert!(info.refusals.len() as u64 <= info.refused);
    }

    #[test]
    fn reads_any_bytes_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        let info = read(&bytes).info();
        prop_assert!(info.refused <= info.lines);
    }
}

/// Nothing of the engine's table is left out of the real traces by mistake: these are read as its records.
#[test]
fn events_of_the_engine_are_read_as_its_records() {
    let info = read(REAL[1].1.as_bytes()).info();
    for kind in [
        RecordKind::MmVmscanLruIsolate,
        RecordKind::MmVmscanLruShrinkInactive,
        RecordKind::MmVmscanNodeReclaimBegin,
        RecordKind::MmMigratePages,
        RecordKind::MmPageAllocExtfrag,
        RecordKind::SchedStickNuma,
    ] {
        let found = info
            .kinds
            .iter()
            .find(|known| known.number == kind as usize);
        let found = found.unwrap_or_else(|| panic!("{kind:?}"));
        assert!(found.engine && found.count > 0);
        let names: Vec<&str> = found.fields.iter().map(|field| &field.name[..]).collect();
        assert!(names.starts_with(NAMES[kind as usize]), "{names:?}");
    }
}
