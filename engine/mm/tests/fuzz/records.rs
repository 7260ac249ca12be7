//! What must be true of every record.

use mm::machine::Machine;
use mm::record::{FIELDS, HEAD, NO_FUNCTION, OUTCOMES, Record, row};
use mm::view::FieldKind;

/// Fails unless a record has a value of the right kind for every field, and its row states its length.
pub fn whole(m: &Machine, record: &Record, seed: u64) {
    let said = || format!("MMSCOPE_FUZZ_SEED={seed}: {record:?}");
    let mut values = record.values.iter().copied();
    for field in FIELDS[record.kind as usize] {
        let value = values.next().unwrap_or_else(|| panic!("{}", said()));
        let w = &m.w;
        let below = |n: usize| usize::try_from(value).is_ok_and(|value| value < n);
        let is_right = match field {
            FieldKind::Page => value == i64::from(mm::frames::NONE) || below(w.mem.pages.len()),
            FieldKind::Zone => below(w.mem.zones.len()),
            FieldKind::ZoneType => {
                value == i64::from(u8::MAX) || below(w.facts.layout.zone_types.len())
            }
            FieldKind::Task => below(m.tasks.len()),
            FieldKind::Node => below(w.pgdat.len()),
            FieldKind::Cpu => below(w.sched.cpus.len()),
            FieldKind::Order => below(w.mem.orders.into()),
            FieldKind::Lists => below(w.mem.lruvecs.len()),
            FieldKind::Mark => below(3),
            FieldKind::Device => below(w.facts.devices.len()),
            FieldKind::Flag => below(2),
            FieldKind::Outcomes => (0..value).all(|_| {
                let (page, outcome) = (values.next(), values.next());
                let names = OUTCOMES.len() as i64;
                page.is_some() && outcome.is_some_and(|outcome| (0..names).contains(&outcome))
            }),
            // No count reaches 2^31; a biased number would be larger.
            _ => value.abs() < 1 << 31 || value == i64::from(u32::MAX),
        };
        assert!(is_right, "{field:?}: {}", said());
    }
    assert_eq!(values.next(), None, "{}", said());
    assert_ne!(record.function, NO_FUNCTION, "{}", said());
    let row = row(&m.w, record);
    assert_eq!(row[0] as usize, row.len(), "{}", said());
    assert_eq!(row.len(), HEAD + record.values.len(), "{}", said());
}
