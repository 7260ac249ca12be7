use super::*;
use crate::view::FieldKind;
use facts::index::{CpuIndex, FrameIndex, LruvecIndex, NodeIndex, TaskIndex, ZoneIndex};

/// The placeholders of a template: the name of a field, and the noun after it.
fn places(template: &str) -> Vec<(&str, Option<&str>)> {
    let inner = template.split('{').skip(1);
    inner
        .map(|rest| {
            let place = rest.split_once('}').expect("a closing brace").0;
            match place.split_once(' ') {
                Some((field, noun)) => (field, Some(noun)),
                None => (place, None),
            }
        })
        .collect()
}

#[test]
fn each_sentence_names_known_fields_and_has_at_most_34_words() {
    for &kind in ALL {
        let text = TEXTS[kind as usize];
        assert_eq!(text.template.is_some(), kind.is_decision(), "{kind:?}");
        assert_eq!(text.source.is_empty(), kind.is_decision(), "{kind:?}");
        let template = text.template.unwrap_or("");
        let words = template.split_whitespace().count();
        assert!(words <= 34, "{kind:?} has {words} words");
        for (field, noun) in places(template) {
            let at = NAMES[kind as usize].iter().position(|&name| name == field);
            let at = at.unwrap_or_else(|| panic!("{kind:?}: no field {field}"));
            let field_kind = FIELDS[kind as usize][at];
            let is_counted = matches!(field_kind, FieldKind::Count | FieldKind::Jiffies);
            assert!(is_counted || noun.is_none(), "{kind:?}: {field}");
            assert_ne!(field_kind, FieldKind::Outcomes, "{kind:?}");
        }
    }
}

#[test]
fn rejects_a_placeholder_that_names_no_field() {
    let fields = ["zone", "free"];
    assert!(names_fields("{zone} has {free free page}.", &fields));
    assert!(names_fields("Nothing to fill.", &fields));
    for wrong in ["{zon}", "{zones}", "{zone} {page}", "{}", "{free_pages}"] {
        assert!(!names_fields(wrong, &fields), "{wrong}");
    }
}

#[test]
fn field_names_are_unique_and_a_list_is_the_last_field() {
    for &kind in ALL {
        let (names, fields) = (NAMES[kind as usize], FIELDS[kind as usize]);
        assert_eq!(names.len(), fields.len());
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len(), "{kind:?}");
        let lists = fields.iter().filter(|&&f| f == FieldKind::Outcomes).count();
        let last = fields.last() == Some(&FieldKind::Outcomes);
        assert_eq!(lists, usize::from(last), "{kind:?}");
        let same = TEXTS.iter().filter(|t| t.name == TEXTS[kind as usize].name);
        assert_eq!(same.count(), 1, "{kind:?}");
    }
}

#[test]
fn a_watermark_comparison_names_fields_of_its_decision() {
    let mut found = 0;
    for &kind in ALL {
        let Some(mark) = TEXTS[kind as usize].watermark else {
            continue;
        };
        found += 1;
        let of = |name: &str| {
            let at = NAMES[kind as usize].iter().position(|&field| field == name);
            FIELDS[kind as usize][at.unwrap_or_else(|| panic!("{kind:?}: {name}"))]
        };
        assert_eq!(of(mark.zone), FieldKind::Zone);
        assert_eq!(of(mark.mark), FieldKind::Mark);
        for name in [mark.value, mark.needed].into_iter().chain(mark.reserve) {
            assert_eq!(of(name), FieldKind::Count, "{kind:?}: {name}");
        }
    }
    assert_eq!(found, 9);
}

#[test]
fn a_record_reads_back_as_the_decision_that_was_written() {
    let batch = crate::vmscan::inactive::BatchDone {
        taken: 2,
        freed: 1,
        put_back: 1,
        lists: LruvecIndex::new(3),
        lru: 2,
        pages: vec![
            (FrameIndex::new(7), Outcome::Freed),
            (FrameIndex::new(9), Outcome::Dirty),
        ],
    };
    let counted = crate::watermark_ok::WmSmallFail {
        order: 3,
        zone: ZoneIndex::new(1),
        free: -5,
        needs: 60,
    };
    let throttled = crate::vmscan::throttle::Throttled {
        reason: crate::vmscan::throttle::Reason::NoProgress,
        timeout: 1,
        node: NodeIndex::new(2),
    };
    fn round<R: Declared + Clone + PartialEq + std::fmt::Debug>(expected: &R) {
        expected.clone().put(|kind, numbers, list| {
            let values = values(numbers, list);
            let record = Record {
                step: 1,
                time_ns: 2,
                task: TaskIndex::new(3),
                cpu: CpuIndex::new(4),
                function: 5,
                kind,
                values,
            };
            assert_eq!(R::of(&record).as_ref(), Some(expected));
            let other = crate::oom::OomWait::of(&record);
            assert_eq!(other, None);
        });
    }
    round(&batch);
    round(&counted);
    round(&throttled);
}

#[test]
fn keeps_only_the_most_recent_records() {
    let mut recorder = Recorder::default();
    for step in 0..KEPT as u64 + 3 {
        recorder.push(Record {
            step,
            time_ns: 0,
            task: TaskIndex::new(0),
            cpu: CpuIndex::new(0),
            function: NO_FUNCTION,
            kind: RecordKind::OomWait,
            values: Values::new(),
        });
    }
    assert_eq!(recorder.records.len(), KEPT);
    assert_eq!(recorder.records[0].step, 3);
}
