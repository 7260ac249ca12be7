//! What zlcreconsider changes in zlcfirst, on a run with direct reclaim in both. Processes write
//! mapped files on node 0, with zone_reclaim off, so each zone that fails its watermark check is
//! marked full. Direct reclaim frees pages in such zones. zlcfirst still skips them for up to a
//! second; zlcreconsider does not.

use mm::experiment::{Experiment, Raw, preset};
use mm::gfp::AllocFlags;
use mm::index::ZoneIndex;
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

/// The results of one run.
#[derive(Debug, Default)]
struct Tally {
    /// Number of direct reclaims, and of those that freed pages.
    stalls: u64,
    freed: u64,
    /// The steps at which the cache was cleared after a direct reclaim.
    cleared: Vec<u64>,
    /// Number of zones skipped without a check, and of those among them that were above their low
    /// watermark.
    skipped: u64,
    shunned: u64,
    /// Number of walks that found a page only when repeated without the cache.
    again: u64,
}

fn run(kernel: &str) -> Tally {
    let mut m = boot(kernel);
    m.w.rec.on = true;
    m.w.rec.keeps = |kind| {
        use RecordKind::{Reclaimed, ZlcReconsider, ZlcRescan, ZlcSkip};
        matches!(kind, ZlcSkip | ZlcReconsider | ZlcRescan | Reclaimed)
    };
    let mut tally = Tally::default();
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 1, u64::MAX);
        while let Some(record) = m.w.rec.records.pop_front() {
            match record.kind {
                RecordKind::ZlcReconsider => tally.cleared.push(record.step),
                RecordKind::ZlcRescan => tally.again += 1,
                RecordKind::ZlcSkip => {
                    let (zone, none) = (
                        ZoneIndex::new(record.values[0] as u8),
                        AllocFlags::default(),
                    );
                    let has_room = WatermarkOk::new(zone, 0, WMARK_LOW, 2, none).holds(&mut m.w);
                    tally.skipped += 1;
                    tally.shunned += u64::from(has_room);
                }
                _ => tally.freed += u64::from(record.values[0] > 0),
            }
        }
    }
    tally.stalls = m.w.counters.allocstall;
    tally
}

#[test]
fn direct_reclaim_clears_the_zonelist_cache_so_that_zones_are_tried_again() {
    let [first, both] = ["zlcfirst", "zlcreconsider"].map(run);
    // Direct reclaim runs in both, and always frees pages.
    for tally in [&first, &both] {
        assert!(tally.stalls >= 50, "{tally:?}");
        assert_eq!(tally.freed, tally.stalls, "{tally:?}");
    }
    assert!(first.cleared.is_empty());
    assert_eq!(both.cleared.len() as u64, both.freed);
    // A zone with free pages is skipped less than half as often, and fewer walks are repeated.
    assert!(first.shunned > 1000, "{first:?}");
    assert!(2 * both.shunned < first.shunned, "{first:?} {both:?}");
    assert!(both.skipped < first.skipped, "{first:?} {both:?}");
    assert!(both.again < first.again, "{first:?} {both:?}");
    // Up to the first clearing the two kernels run the same steps; soon after it they differ.
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
