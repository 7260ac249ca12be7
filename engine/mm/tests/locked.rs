//! Counts while a lock is held: no reader sees a count that a locked section has only partly
//! changed.

use facts::index::FrameIndex;
use mm::buddy::{Rmqueue, RsPt};
use mm::experiment::Experiment;
use mm::frames::{Context, Frame, FunctionId};
use mm::gfp::AllocFlags;
use mm::index::{TaskIndex, ZoneIndex};
use mm::machine::Machine;
use mm::mmzone::{PageKind, Zone};
use mm::rng::Rng;
use mm::session::{Progress, Session};
use mm::stack::Stack;
use mm::watch::{Breakpoint, Value, Watch};

use crate::{fuzz, small};

/// Runs a function point by point and calls `each` after every point.
fn step_through(m: &mut Machine, frame: Frame, mut each: impl FnMut(&Machine)) {
    let mut cx = Context::new(TaskIndex::new(0), 0, Rng::stream(1, 1));
    let mut stack = Stack::new(frame);
    loop {
        m.w.run.stop_at(m.w.run.steps() + 1);
        let Some((top, above)) = stack.top() else {
            return;
        };
        if top.go(above, &mut m.w, &mut cx) == mm::frames::Left::Returned {
            stack.pop();
        }
        stack.push_spares(std::mem::take(&mut m.w.run.deeper) as usize);
        each(m);
    }
}

/// A zone has one free block of 64 pages, and one page is requested: the count of free pages is 64,
/// then 63.
#[test]
fn a_zone_never_appears_empty_while_its_last_block_is_split() {
    let mut m = small::zone("6.1", small::X86, 4096, "M6 0", "M");
    let (mut free, mut blocks) = (vec![64], vec![64]);
    let pages = |zone: &Zone| {
        (0..)
            .zip(zone.nr_free)
            .map(|(o, n): (u32, u32)| n << o)
            .sum()
    };
    let rq = small::request(&m, 'M', 0);
    step_through(
        &mut m,
        Rmqueue::call(rq, ZoneIndex::new(0), AllocFlags::default()),
        |m| {
            free.push(m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages);
            blocks.push(pages(&m.w.mem.zones[ZoneIndex::new(0)]));
        },
    );
    assert!(free.len() > 8, "each split is a step: {free:?}");
    for readings in [&mut free, &mut blocks] {
        readings.dedup();
        assert_eq!(*readings, [64, 63]);
    }
}

/// The same when a page is freed: it merges with buddies of all orders and counts as one page.
#[test]
fn a_zone_never_appears_emptier_while_a_page_merges() {
    let mut m = small::zone("6.1", small::X86, 4096, "M6 0", "M");
    let page = small::rmqueue(&mut m, 'M', 0);
    m.w.mem
        .set_kind(FrameIndex::new(page), PageKind::InFlight, 0);
    let mut free = vec![63];
    step_through(
        &mut m,
        mm::pcp::FreePages::call(FrameIndex::new(page), 0),
        |m| {
            free.push(m.w.mem.zones[ZoneIndex::new(0)].nr_free_pages);
        },
    );
    assert!(free.len() > 8, "each merge is a step: {free:?}");
    free.dedup();
    assert_eq!(free, [63, 64]);
}

/// The change that the next point may make to the free pages of a zone: the number of pages of its
/// request.
fn may_change(m: &Machine) -> Option<(ZoneIndex, i64)> {
    match m.tasks[m.w.task].stack.last()? {
        Frame::RmqueueSmallest(f) if f.pt == RsPt::Done => Some((f.zone, -(1 << f.order))),
        Frame::FreeOne(f) => {
            let zone = m.w.mem.pages[f.page].zone();
            Some((zone, 1 << f.freed))
        }
        _ => None,
    }
}

/// Random machines: at every step a zone's counts of free pages agree. A step changes them by the pages
/// of the request it completes, or not at all.
#[test]
fn no_step_changes_a_count_by_more_than_its_request() {
    let (mut splits, mut merges) = (0, 0);
    for seed in 0..24 {
        let experiment = fuzz::cases::experiment(seed);
        let mut m = Machine::boot(&experiment);
        let mut free: Vec<i64> =
            m.w.mem
                .zones
                .iter()
                .map(|z| z.nr_free_pages.into())
                .collect();
        while m.w.run.steps() < 20_000 && !m.w.sched.ended {
            let allowed = may_change(&m);
            let top = m.tasks[m.w.task].stack.last().map(Frame::function);
            m.run(m.w.run.steps() + 1, u64::MAX);
            for (z, zone) in m.w.mem.zones.iter().enumerate() {
                let now = i64::from(zone.nr_free_pages);
                let change = now - std::mem::replace(&mut free[z], now);
                let context =
                    || format!("seed {seed}, step {}, zone {z}: {change}", m.w.run.steps());
                let blocks = (0u32..).zip(zone.nr_free);
                let in_blocks: u32 = blocks.map(|(order, n)| n << order).sum();
                assert_eq!(in_blocks, zone.nr_free_pages, "{}", context());
                assert_eq!(
                    zone.kinds[PageKind::Free as usize],
                    zone.nr_free_pages,
                    "{}",
                    context()
                );
                // Compaction takes whole free blocks, and counts them when it takes them.
                let takes = change < 0 && top == Some(FunctionId::IsolateFree);
                let is_request = allowed == Some((ZoneIndex::new(z as u8), change));
                assert!(change == 0 || takes || is_request, "{}", context());
                splits += u32::from(change < 0);
                merges += u32::from(change > 0);
            }
        }
    }
    assert!(splits > 1000 && merges > 1000, "{splits} and {merges}");
}

fn finish(s: &mut Session, mut progress: Progress) -> Progress {
    while !progress.done {
        progress = s.more(7_000);
    }
    progress
}

const STEPS: u64 = 120_000;

/// The steps after which a zone is on the other side of a watermark, with no lock held. Also counts
/// how often a held block was so large that the zone would be below the watermark without it.
fn crossings(id: &str, value: Value, zone: ZoneIndex, mark: u8) -> (Vec<u64>, u32) {
    let mut m = Machine::boot(&Experiment::preset(id).expect("a preset"));
    let (mut last, mut steps, mut close) = (value.of(&m), Vec::new(), 0);
    while m.w.run.steps() < STEPS && !m.w.sched.ended {
        m.run(m.w.run.steps() + 1, u64::MAX);
        if m.is_open() && std::mem::replace(&mut last, value.of(&m)) != value.of(&m) {
            steps.push(m.w.run.steps());
        }
        if let Some(Frame::RmqueueSmallest(f)) = m.tasks[m.w.task].stack.last() {
            let z = &m.w.mem.zones[zone];
            let in_hand = f.zone == zone && matches!(f.pt, RsPt::Expand | RsPt::Done);
            let without = z.nr_free_pages - if in_hand { 1 << f.current } else { 0 };
            close += u32::from(last == 0 && in_hand && without < z.mark(mark).get());
        }
    }
    (steps, close)
}

/// A breakpoint on a watermark stops where the zone crossed the watermark, and at no step of a split.
#[test]
fn a_watermark_breakpoint_does_not_stop_in_the_middle_of_a_split() {
    let mut close_calls = 0;
    for (id, zone) in [
        ("run-out.teach", 0),
        ("run-out.teach", 1),
        ("anon-hog.teach", 0),
    ] {
        for mark in 0..3 {
            let zone = ZoneIndex::new(zone);
            let value = Value::Below { zone, mark };
            let (expected, close) = crossings(id, value, zone, mark);
            close_calls += close;
            let mut s = Session::open(&Experiment::preset(id).expect("a preset"), 64 << 20);
            s.run(STEPS, u64::MAX, u64::MAX);
            s.add_breakpoint(Breakpoint {
                watch: Watch::Change(value),
                condition: None,
            });
            for back in [false, true] {
                let begun = s.seek(if back { STEPS } else { 0 }, 10_000);
                finish(&mut s, begun);
                let mut found = Vec::new();
                loop {
                    let begun = if back {
                        s.find_previous(7_000)
                    } else {
                        s.find_next(u64::MAX, 7_000)
                    };
                    let at = finish(&mut s, begun).position.step;
                    if s.hit().is_none() || at > STEPS {
                        break;
                    }
                    found.push(at);
                }
                if back {
                    found.reverse();
                }
                let mut expected = expected.clone();
                expected.retain(|&step| !back || step < s.furthest().step.min(STEPS));
                assert_eq!(
                    found, expected,
                    "{id}, zone {zone}, mark {mark}, back: {back}"
                );
            }
        }
    }
    assert!(close_calls > 0, "no split was ever close to a mark");
}

/// The timeline takes no row while a lock is held, however short the slices of the run are.
#[test]
fn the_timeline_takes_no_row_inside_a_locked_section() {
    let experiment = Experiment::preset("first-touch.teach").expect("a preset");
    let mut s = Session::open(&experiment, 64 << 20);
    while s.machine().w.run.steps() < 60_000 {
        s.run(977, u64::MAX, u64::MAX);
    }
    let mut numbers = Vec::new();
    s.write_timeline(&[], &mut numbers);
    let mut m = Machine::boot(&experiment);
    let (mut rest, mut rows) = (numbers.as_slice(), 0);
    while let Some((&length, after)) = rest.split_first() {
        let (row, next) = after.split_at(length as usize);
        rest = next;
        m.run(row[1] as u64, u64::MAX);
        // The last row is the machine's position.
        assert!(m.is_open() || rest.is_empty(), "step {}", row[1]);
        rows += 1;
    }
    assert!(rows > 256, "{rows}");
}
