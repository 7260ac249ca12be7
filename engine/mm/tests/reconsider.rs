//! What zlcreconsider changes of zlcfirst: a run in which direct reclaim runs with both. Writers of
//! mapped files on node 0, whose pages zone_reclaim cannot take: zones are marked full, direct
//! reclaim makes room in them, and they stay marked for up to a second, or do not.

use mm::experiment::{Experiment, Raw, preset};
use mm::machine::Machine;
use mm::record::RecordKind;

fn boot(kernel: &str) -> Machine {
    let raw = Raw {
        kernel: kernel.to_string(),
        ..preset("streaming-mapped-writer.teach")
            .expect("a preset")
            .clone()
    };
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
    /// Walks that began with a zone passed over unseen, right behind a direct reclaim.
    skipped_behind: u64,
    /// Pages zone_reclaim looked at, and passes that freed less than was asked for.
    scanned: u64,
    failed: u64,
    /// Pages of the other node.
    foreign: u64,
    /// KiB written.
    written: u64,
}

fn run(kernel: &str) -> Told {
    let mut m = boot(kernel);
    m.w.rec.on = true;
    m.w.rec.keeps = |kind| {
        use RecordKind::{MmPageAlloc, Reclaimed, ZlcReconsider, ZlcSkip};
        matches!(kind, ZlcSkip | ZlcReconsider | Reclaimed | MmPageAlloc)
    };
    let mut told = Told::default();
    // Tasks whose direct reclaim has freed something, until they have their page.
    let mut behind: Vec<u32> = Vec::new();
    while !m.w.sched.ended {
        m.run(m.w.run.steps() + 500, u64::MAX);
        for record in m.w.rec.records.drain(..) {
            let is_behind = behind.contains(&record.task);
            match record.kind {
                RecordKind::ZlcReconsider => told.cleared.push(record.step),
                RecordKind::Reclaimed if record.values[0] > 0 => {
                    told.freed += 1;
                    behind.push(record.task);
                }
                RecordKind::ZlcSkip => told.skipped_behind += u64::from(is_behind),
                _ => behind.retain(|&task| task != record.task),
            }
        }
    }
    let c = &m.w.counters;
    told.stalls = c.allocstall;
    (told.scanned, told.failed) = (c.scan_zone_reclaim, c.zone_reclaim_failed);
    told.foreign = m.w.mem.zones.iter().map(|z| z.numa[2]).sum();
    told.written = c.pgpgout;
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
    // Who has cleared the cache is not told of a full zone on the walk behind.
    assert!(
        first.cleared.is_empty() && first.skipped_behind > 0,
        "{first:?}"
    );
    assert_eq!(
        (both.cleared.len() as u64, both.skipped_behind),
        (both.freed, 0)
    );
    // The work is the same within a tenth. Zones are looked at again that were known to be full:
    // passes of zone_reclaim scan more, and fewer requests get so far that they reclaim directly.
    assert!(first.written.abs_diff(both.written) * 10 < first.written);
    assert!(both.scanned * 10 > first.scanned * 11, "{first:?} {both:?}");
    assert!(both.stalls < first.stalls, "{first:?} {both:?}");
    assert_ne!(first.foreign, both.foreign);
    // Up to the first clearing the two kernels do the same, step by step.
    let step = both.cleared[0];
    let [mut a, mut b] = ["zlcfirst", "zlcreconsider"].map(boot);
    for m in [&mut a, &mut b] {
        m.run(step, u64::MAX);
    }
    assert_eq!(a.hash(), b.hash());
    let mut more = 1;
    while a.hash() == b.hash() {
        a.run(step + more, u64::MAX);
        b.run(step + more, u64::MAX);
        more += 1;
    }
    assert!(more < 100, "{more} steps later they are still the same");
}
