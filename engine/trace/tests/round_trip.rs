//! What the printer writes, the reader reads.

use mm::gfp::Gfp;
use mm::record::{ALL, FIELDS, FIRST_DECISION, HEAD, NAMES, RecordKind, TEXTS};
use mm::view::FieldKind;
use proptest::prelude::*;
use trace::rows::Filter;
use trace::{Dialect, Era, Line, NOTHING, Printer, Reader};

const ZONES: [&str; 4] = ["DMA", "DMA32", "Normal", "Movable"];

fn dialect(era: Era) -> Dialect {
    Dialect::whole(era, ZONES.map(str::to_string).to_vec(), 9)
}

/// A value that a field may have.
fn value(kind: FieldKind) -> BoxedStrategy<i64> {
    match kind {
        FieldKind::Page => prop_oneof![1 => Just(NOTHING), 4 => 1..1_i64 << 36].boxed(),
        FieldKind::Zone => (0..64_i64, 0..4_i64)
            .prop_map(|(node, of)| (node << 8) + of)
            .boxed(),
        FieldKind::Migratetype => (0..4_i64).boxed(),
        FieldKind::Gfp => (0..1_i64 << 15).boxed(),
        FieldKind::Lru => (0..5_i64).boxed(),
        FieldKind::ThrottleReason => (0..4_i64).boxed(),
        FieldKind::Flag => (0..2_i64).boxed(),
        FieldKind::Order => (0..20_i64).boxed(),
        FieldKind::Task | FieldKind::Node | FieldKind::Cpu => (0..1000_i64).boxed(),
        FieldKind::Count => (0..1_i64 << 40).boxed(),
        _ => (0..100_i64).boxed(),
    }
}

fn line() -> impl Strategy<Value = Line> {
    (
        0..FIRST_DECISION,
        0..9_000_000_000_u64,
        0..64_u64,
        1..30_000_u64,
    )
        .prop_flat_map(|(kind, us, cpu, pid)| {
            let fields: Vec<_> = FIELDS[kind].iter().map(|&field| value(field)).collect();
            fields.prop_map(move |values| Line {
                time_ns: us * 1000,
                cpu,
                task: "some-task".to_string(),
                pid,
                kind: ALL[kind],
                values,
            })
        })
}

/// The fields that an era prints of an event. A reader cannot know other fields.
fn printed(era: Era, line: &Line) -> Vec<i64> {
    let names = NAMES[line.kind as usize];
    let old = era.is_old();
    let of = |name: &str| {
        let at = names.iter().position(|&field| field == name);
        at.map_or(0, |at| line.values[at])
    };
    let is_printed = |name: &str| match (line.kind, name) {
        (RecordKind::MmVmscanWakeupKswapd, "gfp_flags") => !old,
        (RecordKind::MmVmscanWakeupKswapd, "zid") => old,
        (RecordKind::MmVmscanDirectReclaimBegin, "may_writepage") => old,
        (
            RecordKind::MmVmscanLruIsolate,
            "both" | "contig_taken" | "contig_dirty" | "contig_failed",
        ) => era == Era::V2_6_37,
        (RecordKind::MmVmscanLruIsolate, "nr_skipped" | "lru") => !old,
        (RecordKind::MmVmscanLruShrinkInactive, "zid" | "sync") => old,
        (RecordKind::MmVmscanLruShrinkInactive, "file") => !old || of("sync") == 0,
        (
            RecordKind::MmVmscanLruShrinkInactive,
            "nr_dirty" | "nr_writeback" | "nr_immediate" | "nr_activate" | "nr_ref_keep",
        ) => !old,
        (RecordKind::MmMigratePages, "nr_thp_succeeded" | "nr_thp_failed") => false,
        (_, "kswapd") => {
            // Only events without a form print it.
            !matches!(
                line.kind,
                RecordKind::MmVmscanLruShrinkInactive | RecordKind::MmVmscanLruShrinkActive
            ) || (line.kind == RecordKind::MmVmscanLruShrinkActive && old)
        }
        _ => true,
    };
    let values = names
        .iter()
        .zip(FIELDS[line.kind as usize])
        .zip(&line.values);
    values
        .map(|((name, field), &value)| match field {
            _ if !is_printed(name) => NOTHING,
            // A line names the node once.
            FieldKind::Zone if line.kind == RecordKind::MmVmscanWakeupKswapd => {
                (of("nid") << 8) + (value & 0xff)
            }
            FieldKind::Gfp if old => old_gfp(value),
            _ => value,
        })
        .collect()
}

/// The flags that a line of an old kernel reads back as. A request of such a kernel always wakes kswapd, and
/// GFP_TRANSHUGE stands for the kernel's set, which also has the flags for I/O.
fn old_gfp(flags: i64) -> i64 {
    let flags = Gfp(flags as u16).with(Gfp::KSWAPD_RECLAIM);
    let movable = Gfp::DIRECT_RECLAIM
        .with(Gfp::IO)
        .with(Gfp::FS)
        .with(Gfp::MOVABLE);
    let is_huge = flags.has(Gfp::HUGE_WITHOUT_IO[0]) && !flags.has(movable);
    let all = if is_huge {
        flags.with(Gfp::IO).with(Gfp::FS)
    } else {
        flags
    };
    i64::from(all.0)
}

/// Reads a text, and gives each row's kind and fields, with zones as a line has them.
fn read(text: &str) -> Vec<(RecordKind, Vec<i64>)> {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes());
    reader.finish();
    let info = reader.info();
    assert!(info.refusals.is_empty(), "{:?}\n{text}", info.refusals);
    let rows = reader.rows(0, usize::MAX, &Filter::default());
    let (mut out, mut at) = (Vec::new(), 0);
    while at < rows.len() {
        let row = &rows[at..at + rows[at] as usize];
        at += row.len();
        let kind = ALL[row[6] as usize];
        let fields = FIELDS[kind as usize];
        let values = row[HEAD..].iter().take(fields.len()).zip(fields);
        let values = values.map(|(&value, field)| match field {
            _ if value == NOTHING => value,
            FieldKind::Zone => {
                let zone = &info.zones[value as usize];
                let of = ZONES.iter().position(|&name| name == zone.name);
                (zone.node << 8) + of.expect("a zone type") as i64
            }
            // mmscope's tasks have process ids from 1000 on.
            FieldKind::Task => info.tasks[value as usize].pid as i64 - 1000,
            _ => value,
        });
        out.push((kind, values.collect()));
    }
    out
}

/// The name of the event of a line.
fn event(text: &str) -> &str {
    let line = text.lines().last().expect("a line");
    line.split_once(": ")
        .and_then(|(_, rest)| rest.split_once(':'))
        .expect("an event")
        .0
}

fn era() -> impl Strategy<Value = Era> {
    proptest::sample::select(&Era::ALL[..])
}

proptest! {
    #[test]
    fn every_event_of_every_era_can_be_printed_and_read_back(era in era(), line in line()) {
        let mut printer = Printer::new(dialect(era));
        let mut text = printer.header("a test");
        // This line tells the reader the era, because an event without fields is not printed.
        let clue = Line {
            kind: RecordKind::MmPageAlloc,
            values: vec![1, 0, 0, i64::from(Gfp::ZERO.0)],
            ..line.clone()
        };
        printer.line(&clue, &mut text);
        printer.line(&line, &mut text);
        let rows = read(&text);
        prop_assert_eq!(rows.len(), 2, "{}", text);
        let (kind, values) = &rows[1];
        prop_assert_eq!(*kind, line.kind, "{}", &text);
        let mut wanted = printed(era, &line);
        if event(&text).starts_with("mmscope_") {
            wanted = line.values.clone();
            let fields = FIELDS[line.kind as usize].iter();
            for (value, field) in wanted.iter_mut().zip(fields) {
                if *field == FieldKind::Gfp && era.is_old() {
                    *value = old_gfp(*value);
                }
            }
        }
        prop_assert_eq!(values, &wanted, "{:?} {}", NAMES[line.kind as usize], &text);
    }

    #[test]
    fn reads_the_same_lines_from_chunks_of_any_size(
        era in era(),
        lines in prop::collection::vec(line(), 1..20),
        size in 1_usize..200,
    ) {
        let mut printer = Printer::new(dialect(era));
        let mut text = printer.header("a test");
        for line in &lines {
            printer.line(line, &mut text);
        }
        let (mut whole, mut cut) = (Reader::new(), Reader::new());
        whole.feed(text.as_bytes());
        for chunk in text.as_bytes().chunks(size) {
            cut.feed(chunk);
        }
        whole.finish();
        cut.finish();
        let all = Filter::default();
        prop_assert_eq!(whole.rows(0, usize::MAX, &all), cut.rows(0, usize::MAX, &all));
        prop_assert_eq!(whole.info().events, lines.len() as u64);
    }
}

#[test]
fn detects_the_era_of_a_complete_trace() {
    for era in Era::ALL {
        let mut printer = Printer::new(dialect(era));
        let mut text = printer.header("a test");
        for kind in &ALL[..FIRST_DECISION] {
            let fields = FIELDS[*kind as usize];
            let line = Line {
                time_ns: 0,
                cpu: 0,
                task: "task".to_string(),
                pid: 1,
                kind: *kind,
                values: fields.iter().map(|_| 1).collect(),
            };
            printer.line(&line, &mut text);
        }
        let mut reader = Reader::new();
        reader.feed(text.as_bytes());
        reader.finish();
        let info = reader.info();
        let dialect = info.dialect.expect("a dialect");
        assert_eq!(dialect.name, era.name(), "{:?}", dialect.why);
        assert_eq!(info.refused, 0, "{:?}", info.refusals);
        assert!(info.unknown.is_empty());
        assert_eq!(info.events, FIRST_DECISION as u64, "{}", TEXTS.len());
    }
}
