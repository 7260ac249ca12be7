//! Views of reclaim: LRU lists, batches, reclaimers, devices, dirty pages, swap.
//!
//! Modelled: nothing; this module only reads the machine. Left out: the order of pages on a list,
//! see [`mm::map`]. Invariants: the fates of a batch add up to the pages taken. A batch that was
//! put back comes from records at most [`REMEMBERED`] steps old, so it does not depend on how this
//! position was reached.

use mm::block::{CONGESTION_OFF, Request};
use mm::frames::Frame;
use mm::index::{LruvecIndex, NodeIndex, ZoneIndex};
use mm::kernel::LruOwner;
use mm::machine::{Machine, Task, TaskStatus};
use mm::map::state_of;
use mm::mmzone::{Gauge, LRU_UNEVICTABLE, flag};
use mm::page_writeback::{FLUSH_REASONS, dirty_counts, global_dirty_limits};
use mm::record::{Declared, Outcome, Record};
use mm::user::UsPt;
use mm::view::*;
use mm::vmscan::balance_node::BpPt;
use mm::vmscan::balance_scans::BcPt;
use mm::vmscan::balance_zones::BzPt;
use mm::vmscan::direct::TfPt;
use mm::vmscan::inactive::{BatchDone, SiPt, sorted};
use mm::vmscan::lru_gen::EvPt;
use mm::vmscan::page_list::PgPt;
use mm::vmscan::zone_ratio;
use mm::vmscan::zone_reclaim::ZpPt;
use mm::world::World;

/// The number of steps for which a batch that was put back stays in the view.
pub const REMEMBERED: u64 = 512;

/// Key of the owner of a set of LRU lists: a node, a zone, or a memory cgroup on a node.
pub(crate) fn owner_key(w: &World, owner: LruvecIndex) -> String {
    let l = &w.mem.lruvecs[owner];
    let group = w.mem.group_of_lists(owner);
    if !group.is_root() {
        format!("{}/{}", w.node_id(l.node), mm::show::group_name(w, group))
    } else if l.zone.is_none() {
        w.node_id(l.node).to_string()
    } else {
        w.zone_key(l.zone)
    }
}

/// Every set of LRU lists whose owner has memory.
pub fn lru(w: &World) -> Vec<LruView> {
    (w.mem.lruvecs.indices())
        .map(|owner| {
            let l = &w.mem.lruvecs[owner];
            let ratio = |anon: usize| active_ratio(w, owner, anon);
            LruView {
                key: owner_key(w, owner),
                node: w.node_id(l.node).into(),
                lists: l.nr[..LRU_SHOWN].iter().map(|&n| n.into()).collect(),
                unevictable: l.nr[usize::from(LRU_UNEVICTABLE)].into(),
                isolated: l.isolated.iter().map(|&n| n.into()).collect(),
                ratio: vec![ratio(0), ratio(1)],
                congested: l.congested,
            }
        })
        .collect()
}

/// Active pages allowed for each inactive page (`inactive_is_low`).
fn active_ratio(w: &World, owner: LruvecIndex, file: usize) -> u64 {
    let l = &w.mem.lruvecs[owner];
    match w.facts.features.lru_owner {
        LruOwner::Zone if file == 1 => 1,
        LruOwner::Zone => zone_ratio(w, w.mem.zones[l.zone].managed),
        LruOwner::Node => zone_ratio(w, l.nr[2 * file] + l.nr[2 * file + 1]),
    }
}

/// Batches that a task holds, and the last one put back.
pub fn batches(m: &Machine) -> Vec<BatchView> {
    let open = m.tasks.iter().filter_map(|t| open_batch(m, t));
    let mut out: Vec<BatchView> = open.collect();
    out.extend(last_batch(m));
    out
}

fn open_batch(m: &Machine, t: &Task) -> Option<BatchView> {
    let batch = &t.cx.sc.batch;
    let (owner, list, aged) = t.stack.iter().rev().find_map(|f| match f {
        Frame::ShrinkInactiveList(s) => Some((s.owner, 2 * s.file, None)),
        Frame::ShrinkActiveList(s) => Some((s.owner, 2 * s.file + 1, Some(s.i))),
        Frame::EvictFolios(s) => Some((s.owner, 2 * s.file, None)),
        _ => None,
    })?;
    if batch.is_empty() {
        return None;
    }
    let ladder = t.stack.iter().rev().find_map(|f| match f {
        Frame::ShrinkPageList(s) => Some(s),
        _ => None,
    });
    let w = &m.w;
    let mut fates = vec![0; FATES];
    let (kept, free) = (sorted(&t.cx.sc.kept), sorted(&t.cx.sc.free));
    let pages = batch.iter().zip(0u32..).map(|(&frame, i)| {
        let page = w.mem.pages[frame];
        let is_kept = kept.binary_search(&frame).is_ok();
        let fate = match (aged, ladder) {
            (Some(done), _) if i < done && page.has(flag::ACTIVE) => Fate::Kept,
            (Some(done), _) if i < done => Fate::Deactivated,
            (Some(_), _) => Fate::Ahead,
            _ if is_kept && page.has(flag::ACTIVE) => Fate::Activated,
            _ if is_kept && page.has(flag::WRITEBACK) => Fate::Writing,
            _ if is_kept => Fate::Kept,
            _ if free.binary_search(&frame).is_ok() => Fate::Freed,
            (_, Some(l)) if i >= l.i => Fate::Ahead,
            (_, Some(l)) if l.page == frame && is_judging(&l.pt) => Fate::Now,
            // Before the loop over the pages, no page was checked; after it, every page that was
            // not kept is freed.
            (_, None) if t.cx.sc.kept.is_empty() && !is_put_back_next(t) => Fate::Ahead,
            _ => Fate::Freed,
        };
        fates[fate as usize] += 1;
        // A reclaimer's pages are all isolated; their other state decides their fate.
        let mut page = page;
        page.clear(flag::ISOLATED);
        let state = state_of(page) as u64;
        (w.mem.pfn(frame), fate as u64 | state << 8)
    });
    let pages = pages.collect();
    Some(BatchView {
        task: t.cx.task.get(),
        owner: owner_key(w, owner),
        list: list.into(),
        taken: batch.len() as u64,
        fates,
        pages,
    })
}

/// Is the loop over the pages checking a page, and not between two pages or at its end?
fn is_judging(pt: &PgPt) -> bool {
    !matches!(pt, PgPt::Next | PgPt::Free | PgPt::Done)
}

fn is_put_back_next(t: &Task) -> bool {
    t.stack.iter().any(|f| match f {
        Frame::ShrinkInactiveList(s) => s.pt == SiPt::Putback,
        Frame::EvictFolios(s) => s.pt == EvPt::Sort,
        _ => false,
    })
}

fn last_batch(m: &Machine) -> Option<BatchView> {
    let w = &m.w;
    let recent = |r: &&Record| r.step + REMEMBERED >= w.run.steps();
    let mut records = w.rec.records.iter().rev().take_while(recent);
    let (record, done) = records.find_map(|r| Some((r, BatchDone::of(r)?)))?;
    let mut fates = vec![0; FATES];
    for &(_, outcome) in &done.pages {
        fates[fate(outcome) as usize] += 1;
    }
    Some(BatchView {
        task: record.task.get(),
        owner: owner_key(w, done.lists),
        list: done.lru.into(),
        taken: done.pages.len() as u64,
        fates,
        pages: Vec::new(),
    })
}

/// The outcome for a page that was put back or freed.
fn fate(outcome: Outcome) -> Fate {
    match outcome {
        Outcome::Freed => Fate::Freed,
        Outcome::Activated => Fate::Activated,
        Outcome::Writeback => Fate::Writing,
        Outcome::Dirty | Outcome::Unevictable | Outcome::Kept => Fate::Kept,
    }
}

/// Every task that reclaims, beginning with kswapd on each node.
pub fn reclaimers(m: &Machine) -> Vec<ReclaimerView> {
    let w = &m.w;
    m.tasks
        .iter()
        .filter(|t| t.status != TaskStatus::Exited)
        .filter_map(|t| {
            let (node, highest, zone) = t.stack.iter().rev().find_map(|f| run_of(w, f))?;
            let sc = &t.cx.sc;
            Some(ReclaimerView {
                task: t.cx.task.get(),
                node: w.node_id(node).into(),
                kswapd: sc.kswapd,
                priority: sc.priority.into(),
                order: sc.order.into(),
                highest: w.zone_type(highest).name().to_string(),
                zone: zone.map_or(String::new(), |z| w.zone_key(z)),
                scanned: u64::from(sc.total_scanned) + u64::from(sc.nr_scanned),
                reclaimed: sc.nr_reclaimed.into(),
            })
        })
        .collect()
}

/// Node and highest zone type of a frame that has begun to reclaim, and its current zone if it goes from
/// zone to zone.
fn run_of(w: &World, frame: &Frame) -> Option<(NodeIndex, u8, Option<ZoneIndex>)> {
    match frame {
        Frame::BalancePgdat(b) if b.pt != BpPt::Start => Some((b.node, b.highest, None)),
        Frame::BalanceZones(b) if b.pt != BzPt::Start => Some((b.node, b.class, b.zone.known())),
        Frame::BalanceScans(b) if b.pt != BcPt::Start => Some((b.node, b.class, b.zone.known())),
        Frame::TryToFreePages(d) if !matches!(d.pt, TfPt::Throttle | TfPt::Begin) => {
            let preferred = w.mem.zones.at(d.rq.preferred);
            let by_zone = w.facts.features.lru_owner == LruOwner::Zone;
            let zone = d.zone.known().filter(|_| by_zone);
            Some((
                preferred.map_or(w.home(d.rq.node), |z| z.node),
                d.rq.high,
                zone,
            ))
        }
        Frame::ZoneReclaimPass(z) if z.pt != ZpPt::Begin => {
            let zone = &w.mem.zones[z.zone];
            let by_zone = w.facts.features.lru_owner == LruOwner::Zone;
            Some((zone.node, z.rq.high, z.zone.known().filter(|_| by_zone)))
        }
        _ => None,
    }
}

/// What a sleeping task waits for, and the start of the wait if it has a timeout.
pub fn waits_for(w: &World, t: &Task) -> (String, Option<u64>) {
    if !matches!(t.status, TaskStatus::Sleeping | TaskStatus::Waiting) {
        return (String::new(), None);
    }
    let page = w.page_wait.iter().find(|&&(_, task)| task == t.cx.task);
    if let Some(&(frame, _)) = page {
        let writing = w.mem.pages[frame].has(flag::WRITEBACK);
        let what = if writing { "written" } else { "read" };
        return (format!("{:#x} to be {what}", w.mem.pfn(frame)), None);
    }
    let since = |jiffy: u32| Some(w.jiffy_ns(jiffy.into()));
    let words = |text: &str| text.to_string();
    match t.stack.last() {
        Some(Frame::ReclaimThrottle(r)) => (words(REASON_WORDS[r.reason as usize]), since(r.since)),
        Some(Frame::CongestionWait(c)) => (words("a congested queue"), since(c.since)),
        Some(Frame::ShrinkInactiveList(_)) => (words(REASON_WORDS[1]), None),
        Some(Frame::TryToFreePages(_)) => (words("kswapd to refill the reserves"), None),
        Some(Frame::BalanceDirtyPages(_)) => (words("fewer dirty pages"), None),
        Some(Frame::BlkGetRequest(_)) => (words("a place in a queue"), None),
        Some(Frame::User(u)) if u.pt == UsPt::Barrier => {
            (words("other threads to reach the barrier"), None)
        }
        Some(Frame::User(u)) if u.pt == UsPt::Join => (words("its threads to end"), None),
        _ => (String::new(), None),
    }
}

/// The reasons for which a reclaimer is throttled, in words.
const REASON_WORDS: [&str; 4] = [
    "writes to end",
    "isolated pages to be put back",
    "another task to make progress",
    "a congested node",
];

/// Every block device.
pub fn devices(w: &World) -> Vec<DeviceView> {
    let all = w.facts.devices.iter().zip(&w.block.devices).zip(0u8..);
    all.map(|((drive, device), id)| {
        let sum = |requests: &[Request], write| {
            let requests = requests.iter().filter(|r| r.write == write);
            requests.fold((0, 0), |(n, pages), r| {
                (n + 1, pages + r.pages.len() as u64)
            })
        };
        let both = |write| vec![sum(&device.in_flight, write), sum(&device.queued, write)];
        let doing = w.wb.wbs.get(usize::from(id)).and_then(|wb| wb.doing);
        DeviceView {
            name: drive.profile.id.clone(),
            model: drive.profile.model.name().to_string(),
            has_swap: drive.profile.swap > 0,
            depth: drive.depth.into(),
            reads: both(false),
            writes: both(true),
            congested: w.block.write_congested(id),
            clears_below: CONGESTION_OFF.into(),
            waiting: device.slots.waiting().count() as u64,
            flusher: doing.map_or("", |r| FLUSH_REASONS[r as usize]).to_string(),
        }
    })
    .collect()
}

/// Dirty pages against their limits, and swap.
pub fn writeback(w: &World) -> WritebackView {
    let (dirty, writeback) = dirty_counts(w);
    let (limit, background) = global_dirty_limits(w);
    let zones = w.mem.zones.iter();
    WritebackView {
        dirty,
        writeback,
        background,
        limit,
        swap_cache: zones.map(|z| u64::from(z.gauge(Gauge::SwapCache))).sum(),
        swap_used: u64::from(w.swap.total() - w.swap.free_slots()),
        swap_total: w.swap.total().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mm::experiment::Experiment;
    use mm::map::lru_pages;
    use mm::plan::Plan;
    use mm::vmscan::SWAP_CLUSTER_MAX;
    use std::sync::Arc;

    /// A machine on which reclaim takes up to this number of pages together.
    fn hog(batch: u32) -> Machine {
        let experiment = Experiment::preset("anon-hog.teach").expect("a preset");
        let mut plan = Plan::of(&experiment);
        Arc::make_mut(&mut plan.facts).batch = batch;
        let mut machine = Machine::start(&plan);
        machine.w.rec.on = true;
        machine
    }

    fn step_until(m: &mut Machine, is_there: impl Fn(&Machine) -> bool) {
        while !is_there(m) {
            assert!(!m.w.sched.ended, "the run ended before the expected moment");
            m.run(m.w.run.steps() + 1, u64::MAX);
        }
    }

    #[test]
    fn the_outcomes_of_a_batch_add_up_to_its_pages_at_every_step() {
        follows_a_batch(hog(SWAP_CLUSTER_MAX), 1);
    }

    /// A lumpy reclaimer's batch can have more than 255 pages.
    #[test]
    fn the_outcomes_of_a_batch_of_over_255_pages_add_up_to_its_pages() {
        follows_a_batch(hog(8191), 256);
    }

    /// The first batch of at least this number of pages.
    fn follows_a_batch(mut m: Machine, least: u64) {
        let is_there = |m: &Machine| batches(m).first().is_some_and(|b| b.taken >= least);
        step_until(&mut m, is_there);
        let first = batches(&m).remove(0);
        let task = first.task;
        let open = |m: &Machine| batches(m).into_iter().find(|b| b.task == task);
        let held = |m: &Machine| open(m).is_some_and(|b| !b.pages.is_empty());
        while held(&m) {
            let b = open(&m).expect("held");
            assert_eq!(b.fates.iter().sum::<u64>(), b.taken);
            assert_eq!(b.pages.len() as u64, b.taken);
            assert!(b.fates[Fate::Now as usize] <= 1);
            assert!(reclaimers(&m).iter().any(|r| r.task == task));
            let goal = m.w.run.steps() + 1;
            step_until(&mut m, |m| m.w.run.steps() >= goal);
        }
        let last = batches(&m).into_iter().rev().find(|b| b.task == task);
        let last = last.expect("remembered");
        assert_eq!((last.taken, last.pages.len()), (first.taken, 0));
        assert_eq!(last.fates.iter().sum::<u64>(), last.taken);
    }

    #[test]
    fn lists_the_pages_of_each_lru_list_from_the_tail() {
        let mut m = hog(SWAP_CLUSTER_MAX);
        step_until(&mut m, |m| m.w.swap.free_slots() < m.w.swap.total());
        let words = lru_pages(&m.w, usize::MAX);
        let mut at = 0;
        for (owner, view) in m.w.mem.lruvecs.indices().zip(lru(&m.w)) {
            for (list, &pages) in (0u8..).zip(&view.lists) {
                assert_eq!(u64::from(words[at]), pages);
                let tail = m.w.mem.lists.tail(m.w.mem.lru_list(owner, list));
                let tail = tail.map(|f| m.w.mem.pfn(f) as u32);
                assert_eq!(tail, (pages > 0).then(|| words[at + 1]));
                at += 1 + 2 * words[at] as usize;
            }
        }
        assert_eq!(at, words.len());
        assert_eq!(lru_pages(&m.w, 1).len(), 8 + 2 * 2);
        let seen = writeback(&m.w);
        assert!(seen.swap_used > 0 && seen.swap_used <= seen.swap_total);
    }
}
