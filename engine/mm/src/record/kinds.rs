//! Kinds of a record's fields, and how each is stored as a number.

use crate::gfp::Gfp;
use crate::page_writeback::FlushReason;
use crate::view::FieldKind;
use crate::vmscan::throttle::Reason;

/// The numbers of a record that have not been read yet.
pub type Reading<'a> = std::iter::Copied<std::slice::Iter<'a, i64>>;

/// A kind of field: see [`FieldKind`].
pub trait Kind {
    /// Type of the value in the engine.
    type Value;
    /// Kind of the field for readers of the numbers.
    const FIELD: FieldKind;

    /// Reads one value.
    fn take(values: &mut Reading<'_>) -> Self::Value;
}

/// A kind of field that is stored as one number.
pub trait Single: Kind {
    /// Converts the value to a number.
    fn number(value: Self::Value) -> i64;
}

/// What happened to a page of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// The page was freed.
    Freed,
    /// The page was put on an active list.
    Activated,
    /// The page was put back because it is under writeback.
    Writeback,
    /// The page was put back because it is dirty and another task must write it.
    Dirty,
    /// The page was put on the unevictable list.
    Unevictable,
    /// The page was put back for another reason: it was in use or locked.
    Kept,
}

/// Names of the outcomes, by number.
pub const OUTCOMES: [&str; 6] = [
    "freed",
    "activated",
    "writeback",
    "dirty",
    "unevictable",
    "kept",
];

/// The outcomes, by number.
const ALL_OUTCOMES: [Outcome; 6] = [
    Outcome::Freed,
    Outcome::Activated,
    Outcome::Writeback,
    Outcome::Dirty,
    Outcome::Unevictable,
    Outcome::Kept,
];
const ALL_FLUSH: [FlushReason; 5] = [
    FlushReason::Background,
    FlushReason::Vmscan,
    FlushReason::TryToFreePages,
    FlushReason::Sync,
    FlushReason::Periodic,
];
const ALL_THROTTLE: [Reason; 4] = [
    Reason::Writeback,
    Reason::Isolated,
    Reason::NoProgress,
    Reason::Congested,
];

fn next(values: &mut Reading<'_>) -> i64 {
    values
        .next()
        .expect("a record has a number for every field")
}

macro_rules! singles {
    ($($name:ident: $value:ty, $to:expr, $from:expr;)+) => {$(
        #[doc = concat!("[`FieldKind::", stringify!($name), "`].")]
        #[derive(Debug)]
        pub struct $name;
        impl super::Kind for $name {
            type Value = $value;
            const FIELD: super::FieldKind = super::FieldKind::$name;
            fn take(values: &mut super::Reading<'_>) -> $value {
                let from: fn(i64) -> $value = $from;
                from(super::next(values))
            }
        }
        impl super::Single for $name {
            #[inline(always)]
            fn number(value: $value) -> i64 {
                let to: fn($value) -> i64 = $to;
                to(value)
            }
        }
    )+};
}

/// The kinds of fields, for declarations.
pub mod kind {
    use super::{ALL_FLUSH, ALL_THROTTLE};

    singles! {
        Page: facts::index::FrameIndex, |page| page.get().into(), |n| facts::index::FrameIndex::new(n as u32);
        Zone: crate::index::ZoneIndex, |zone| zone.get().into(), |n| crate::index::ZoneIndex::new(n as u8);
        ZoneType: u8, i64::from, |n| n as u8;
        Task: crate::index::TaskIndex, |task| task.get().into(), |n| crate::index::TaskIndex::new(n as u32);
        Node: crate::index::NodeIndex, |node| node.get().into(), |n| crate::index::NodeIndex::new(n as u8);
        Cpu: crate::index::CpuIndex, |cpu| cpu.get().into(), |n| crate::index::CpuIndex::new(n as u16);
        Count: i64, |n| n, |n| n;
        Order: u8, i64::from, |n| n as u8;
        Migratetype: u8, i64::from, |n| n as u8;
        Gfp: super::Gfp, |gfp| gfp.0.into(), |n| super::Gfp(n as u16);
        Lists: crate::index::LruvecIndex, |lists| lists.get().into(), |n| crate::index::LruvecIndex::new(n as u8);
        Lru: u8, i64::from, |n| n as u8;
        Mark: u8, i64::from, |n| n as u8;
        Device: u8, i64::from, |n| n as u8;
        FlushReason: super::FlushReason, |reason| reason as i64, |n| ALL_FLUSH[n as usize];
        ThrottleReason: super::Reason, |reason| reason as i64, |n| ALL_THROTTLE[n as usize];
        Jiffies: i64, |n| n, |n| n;
        Flag: bool, i64::from, |n| n != 0;
    }

    /// [`FieldKind::Outcomes`](super::FieldKind::Outcomes): page frames, each with its outcome.
    #[derive(Debug)]
    pub struct Outcomes;
    impl super::Kind for Outcomes {
        type Value = Vec<(facts::index::FrameIndex, super::Outcome)>;
        const FIELD: super::FieldKind = super::FieldKind::Outcomes;
        fn take(values: &mut super::Reading<'_>) -> Self::Value {
            let n = super::next(values);
            let mut item = || {
                let (page, outcome) = (super::next(values), super::next(values));
                (
                    facts::index::FrameIndex::new(page as u32),
                    super::ALL_OUTCOMES[outcome as usize],
                )
            };
            (0..n).map(|_| item()).collect()
        }
    }
}
