//! Views of pageblocks and of compaction; durations of timed rounds.
//!
//! Modelled: nothing; this module only reads the machine. Left out: the pages of a block, which the
//! page map shows. Invariants: the positions of scanners come from the current run. An ended run,
//! its last moved page and its skipped blocks come from records at most [`REMEMBERED`] steps old,
//! so they do not depend on how this position was reached.

use mm::index::{FrameIndex, ZoneIndex};
use std::collections::BTreeMap;

use mm::compaction::{
    CompactAborted, CompactBegins, CompactFound, CompactMet, CompactZone, CzPt, MANUAL,
    MigrateBlockSkipped, MigrateTake, MmCompactionIsolateFreepages,
    MmCompactionIsolateMigratepages, MmCompactionMigratepages, TargetPassed, TargetTaken,
};
use mm::frames::Frame;
use mm::machine::{Machine, Task};
use mm::migrate::{MigrateMoved, UmPt};
use mm::mmzone::PageKind;
use mm::record::{Declared, Numbered, Record, RecordKind};
use mm::view::{
    CompactEnd, CompactRunView, CompactedBy, MoveView, PageblocksView, PassedView, RoundsView,
};
use mm::world::World;

use crate::reclaim::REMEMBERED;

/// The maximum number of skipped blocks that are shown for one run.
const MOST_PASSED: usize = 64;

/// The maximum number of rounds whose durations are shown; the last rounds are shown.
const MOST_ROUNDS: usize = 4096;

/// Is this a record that only compaction makes?
const OF_RUNS: [RecordKind; 11] = [
    CompactBegins::KIND,
    CompactMet::KIND,
    CompactAborted::KIND,
    CompactFound::KIND,
    MigrateTake::KIND,
    MigrateMoved::KIND,
    TargetPassed::KIND,
    TargetTaken::KIND,
    MmCompactionIsolateMigratepages::KIND,
    MmCompactionIsolateFreepages::KIND,
    MmCompactionMigratepages::KIND,
];

/// The pageblocks of every zone.
pub fn pageblocks(m: &Machine) -> Vec<PageblocksView> {
    let w = &m.w;
    (w.mem.zones.indices())
        .map(|zone| {
            let z = &w.mem.zones[zone];
            PageblocksView {
                zone: w.zone_key(zone),
                types: types(w, zone),
                considered: z.compact_considered,
                defer_limit: 1 << z.compact_defer_shift,
                run: going_on(m, zone).or_else(|| last(m, zone)),
            }
        })
        .collect()
}

/// Ranges of pageblocks of one type.
fn types(w: &World, zone: ZoneIndex) -> Vec<(u64, u64, u32)> {
    let z = &w.mem.zones[zone];
    let (order, block) = (w.mem.pageblock_order, 1u64 << w.mem.pageblock_order);
    let mut out: Vec<(u64, u64, u32)> = Vec::new();
    let heads = z.first.head(order).until(z.end()).step_by(1 << order);
    for first in heads {
        let end = first.plus(1 << order).min(z.end());
        let mut pages = w.mem.pages.slice(first, end).iter();
        if pages.all(|page| page.is(PageKind::Absent)) {
            continue;
        }
        let (pfn, of) = (w.mem.pfn(first), u32::from(w.mem.block_type(first)));
        match out.last_mut() {
            Some((start, blocks, last)) if *last == of && *start + *blocks * block == pfn => {
                *blocks += 1;
            }
            _ => out.push((pfn, 1, of)),
        }
    }
    out
}

/// A task's run of compaction that has begun.
fn run_of(t: &Task) -> Option<&CompactZone> {
    t.stack.iter().rev().find_map(|f| match f {
        Frame::CompactZone(run) if !matches!(run.pt, CzPt::Suitable | CzPt::Init) => Some(run),
        _ => None,
    })
}

/// The current run in a zone; of several, the run of the task that ran last.
fn going_on(m: &Machine, zone: ZoneIndex) -> Option<CompactRunView> {
    let here = |t: &&Task| run_of(t).is_some_and(|run| run.zone == zone);
    let mut all = m.tasks.iter().filter(here);
    let first = all.next()?;
    let ran = Some(m.w.task);
    let t = if ran == Some(first.cx.task) {
        first
    } else {
        all.find(|t| ran == Some(t.cx.task)).unwrap_or(first)
    };
    let run = run_of(t)?;
    let mut view = seen(m, t);
    view.by = Some(who(t));
    view.hint = run.start.known().map(|frame| m.w.mem.pfn(frame));
    Some(view)
}

/// The last run in a zone, if records of the run remain and its task has not begun another.
fn last(m: &Machine, zone: ZoneIndex) -> Option<CompactRunView> {
    let mut told = recent(m).filter(|r| OF_RUNS.contains(&r.kind));
    let of = told.find_map(|r| {
        let t = m.tasks.at(r.task)?;
        (t.cx.cc.zone == zone && run_of(t).is_none()).then_some(t)
    })?;
    let mut view = seen(m, of);
    let end = recent(m).find_map(|r| end_of(r).filter(|_| r.task == of.cx.task));
    view.end = Some(end.unwrap_or(CompactEnd::Early));
    Some(view)
}

/// The recent records, newest first.
fn recent(m: &Machine) -> impl Iterator<Item = &Record> {
    let since = m.w.run.steps().saturating_sub(REMEMBERED);
    let all = m.w.rec.records.iter().rev();
    all.take_while(move |r| r.step >= since)
}

/// How a run ended, if a record says so. Its start is not known.
fn end_of(r: &Record) -> Option<CompactEnd> {
    match r.kind {
        kind if kind == CompactMet::KIND => Some(CompactEnd::Met),
        kind if kind == CompactAborted::KIND => Some(CompactEnd::Round),
        kind if kind == CompactFound::KIND => Some(CompactEnd::Found),
        kind if kind == CompactBegins::KIND => Some(CompactEnd::Early),
        _ => None,
    }
}

/// The view of a task's run, current or ended.
fn seen(m: &Machine, t: &Task) -> CompactRunView {
    let (w, cc) = (&m.w, &t.cx.cc);
    let until = cc.abort_migrate_pfn;
    CompactRunView {
        task: t.cx.task.get(),
        by: None,
        order: (cc.order != MANUAL).then(|| cc.order.into()),
        sync: cc.sync,
        movable_only: !cc.sync && w.facts.features.compaction_fast_scan,
        migrate_pfn: w.mem.pfn(cc.migrate_pfn),
        free_pfn: w.mem.pfn(cc.free_pfn),
        hint: None,
        until: (until > FrameIndex::new(0)).then(|| w.mem.pfn(until)),
        isolated: t.cx.migrate.list.len() as u64,
        targets: cc.freepages.len() as u64,
        moved: moving(w, t).or_else(|| moved(m, t)),
        passed: passed(m, t),
        end: None,
    }
}

/// The caller for which a task compacts.
fn who(t: &Task) -> CompactedBy {
    let by = t.stack.iter().rev().find_map(|f| match f {
        Frame::CompactNodes(_) => Some(CompactedBy::Hand),
        Frame::ReclaimCompact(_) => Some(CompactedBy::Reclaim),
        Frame::TryToCompact(_) => Some(CompactedBy::Request),
        _ => None,
    });
    by.unwrap_or(CompactedBy::Kswapd)
}

/// The page that a task is about to move, once the page has a target.
fn moving(w: &World, t: &Task) -> Option<MoveView> {
    t.stack.iter().rev().find_map(|f| match f {
        Frame::UnmapAndMove(u) if !u.new.is_none() && is_before_copy(&u.pt) => Some(MoveView {
            from: w.mem.pfn(u.page),
            to: w.mem.pfn(u.new),
            done: false,
        }),
        _ => None,
    })
}

fn is_before_copy(pt: &UmPt) -> bool {
    use UmPt::{Copy, Freed, Lock, Move, Release, Relock, Remap, Unmap, Unmapped, Writeback};
    matches!(
        pt,
        Freed | Lock | Writeback | Move | Unmap | Unmapped | Release | Copy | Relock | Remap
    )
}

/// The records of a task's run, newest first.
fn of_run<'a>(m: &'a Machine, t: &Task) -> impl Iterator<Item = &'a Record> + use<'a> {
    let task = t.cx.task;
    let own = recent(m).filter(move |r| r.task == task);
    own.take_while(|r| r.kind != CompactBegins::KIND)
}

fn moved(m: &Machine, t: &Task) -> Option<MoveView> {
    let last = of_run(m, t).find_map(MigrateMoved::of)?;
    Some(MoveView {
        from: m.w.mem.pfn(last.page),
        to: m.w.mem.pfn(last.to),
        done: true,
    })
}

fn passed(m: &Machine, t: &Task) -> Vec<PassedView> {
    let mem = &m.w.mem;
    let told = of_run(m, t).filter_map(|r| {
        let skipped = MigrateBlockSkipped::of(r).map(|s| PassedView {
            pfn: mem.pfn(s.page),
            next: mem.pfn(s.next),
            migratetype: s.migratetype.into(),
            target: false,
        });
        skipped.or_else(|| {
            TargetPassed::of(r).map(|p| PassedView {
                pfn: mem.pfn(p.page),
                next: mem.pfn(p.page),
                migratetype: p.migratetype.into(),
                target: true,
            })
        })
    });
    told.take(MOST_PASSED).collect()
}

/// Durations of timed rounds, by the names that their programs use.
pub fn rounds(w: &World) -> Vec<RoundsView> {
    let programs = w.facts.programs.iter();
    let names = programs.flat_map(|p| &p.samplers).map(|s| &s.name);
    let mut all: BTreeMap<&String, BTreeMap<u64, u64>> =
        names.map(|name| (name, BTreeMap::new())).collect();
    let lines = &w.phases.samples.lines;
    for line in lines.iter().skip(lines.len().saturating_sub(MOST_ROUNDS)) {
        let program = &w.facts.programs[line.program as usize];
        let name = &program.samplers[line.sampler as usize].name;
        if let Some(took) = all.get_mut(name) {
            *took.entry(rounded(line.ns)).or_default() += u64::from(line.count);
        }
    }
    let view = |(name, took): (&String, BTreeMap<u64, u64>)| RoundsView {
        name: name.clone(),
        took: took.into_iter().collect(),
    };
    all.into_iter().map(view).collect()
}

/// Rounds down to three binary digits.
fn rounded(ns: u64) -> u64 {
    let lower = (u64::BITS - ns.leading_zeros()).saturating_sub(3);
    ns >> lower << lower
}
