//! What zlcreconsider changes of zlcfirst: a run in which direct reclaim runs with both. Writers of
//! mapped files on node 0, with zone_reclaim off: whatever zone fails its mark is marked full. Direct
//! reclaim makes room in such zones, and they are passed over unseen for up to a second, or are not.

use mm::experiment::{Experiment, Raw, preset};
use mm::gfp::AllocFlags;
use mm::machine::Machine;
use mm::mmzone::WMARK_LOW;
use mm::record::RecordKind;
use mm::watermark_ok::WatermarkOk;

fn boot(kernel: &str) -> Machine {
    let mut raw = Raw {
        kernel: kernel.to_string(),
        ..preset("streaming-mapped-writer.teach")
            .expect("a preset")
            .clone()
    };
    let off = ("vm.zone_reclaim_mode".to_string(), "0".to_string());
    raw.tunables.extend([off]);
    Machine::boot(&Experiment::new(raw).expect("valid"))
}

/// What came of one run.
#[derive(Debug, Default)]
struct Told {
    /// Direct reclaims, and those that freed something.
    stalls: u64,
    freed: u64,
    /// The steps at which the cache was cleared after one.
    cleared: Vec<u64>,
    /// Zones passed over unseen, and those of them that were above their low mark.
    skipped: u64,
    shunned: u64,
    /// Walks that found nothing until they were made again without the cache.
    again: u64,
}

fn run(kernel: &str) -> Told {
    let mut m = boot(kernel);
    m.w.rec.on = true;
    m.w.rec.keeps = |kind| {
        use RecordKind::{Reclaimed, ZlcReconsider, ZlcRescan, ZlcSkip};
        matches!(kind, ZlcSkip | ZlcReconsider | ZlcRescan | Reclaimed)
    };
    let mut told = Told::default();
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 1, u64::MAX);
        while let Some(record) = m.w.rec.records.pop_front() {
            match record.kind {
                RecordKind::ZlcReconsider => told.cleared.push(record.step),
                RecordKind::ZlcRescan => told.again += 1,
                RecordKind::ZlcSkip => {
                    let (zone, none) = (record.values[0] as u8, AllocFlags::default());
                    let has_room = WatermarkOk::new(zone, 0, WMARK_LOW, 2, none).holds(&mut m.w);
                    told.skipped += 1;
                    told.shunned += u64::from(has_room);
                }
                _ => told.freed += u64::from(record.values[0] > 0),
            }
        }
    }
    told.stalls = m.w.counters.allocstall;
    told
}

#[test]
fn direct_reclaim_makes_every_zone_worth_a_look_again() {
    let [first, both] = ["zlcfirst", "zlcreconsider"].map(run);
    // Direct reclaim runs in both, and always frees something.
    for told in [&first, &both] {
        assert!(told.stalls >= 50, "{told:?}");
        assert_eq!(told.freed, told.stalls, "{told:?}");
    }
    assert!(first.cleared.is_empty());
    assert_eq!(both.cleared.len() as u64, both.freed);
    // Less than half as often a zone is passed over that has room again, and fewer walks are made
    // twice.
    assert!(first.shunned > 1000, "{first:?}");
    assert!(2 * both.shunned < first.shunned, "{first:?} {both:?}");
    assert!(both.skipped < first.skipped, "{first:?} {both:?}");
    assert!(both.again < first.again, "{first:?} {both:?}");
    // Up to the first clearing the two kernels do the same, step by step, and soon after no more.
    let step = both.cleared[0];
    let [mut a, mut b] = ["zlcfirst", "zlcreconsider"].map(boot);
    for m in [&mut a, &mut b] {
        m.run(step, u64::MAX);
    }
    assert_eq!(a.hash(), b.hash());
    for m in [&mut a, &mut b] {
        m.run(step + 1, u64::MAX);
    }
    assert_ne!(a.hash(), b.hash());
}
