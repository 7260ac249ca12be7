//! Views of the queues where reclaimers wait.
//!
//! Modelled: nothing; this module only reads the machine. Left out: kernels to 4.7, which do not
//! wait after a pass over a node, and waits of writers for fewer dirty pages. Invariants: a waiting
//! task is in exactly one queue. The numbers of a check are those that the kernel would compare
//! now. The last ended wait comes from records at most [`REMEMBERED`] steps old, so it does not
//! depend on how this position was reached.

use mm::index::{NodeIndex, TaskIndex};
use std::collections::BTreeMap;

use mm::frames::Frame;
use mm::kernel::{
    Features, IsolatedWait, NoProgressWait, RetryWait, StallSite, Timeout, WritebackWait,
};
use mm::machine::{Machine, Task, TaskKind, TaskStatus};
use mm::mmzone::Gauge;
use mm::phases::delays::Waited;
use mm::record::{Declared, Record};
use mm::view::{EndedView, GateView, QueueKind, QueueView, WaiterView};
use mm::vmscan::direct::{TfPt, progress_needs};
use mm::vmscan::throttle::{
    MmVmscanThrottled, REASONS, Reason, WaitEndedByIsolation, WaitEndedByProgress,
    WaitEndedByQueue, WaitEndedByWrite, WritebackCongestionWait, WritebackWaitIffCongested,
};
use mm::vmscan::{SWAP_CLUSTER_MAX, zone_reclaimable_pages};
use mm::world::World;

use crate::reclaim::REMEMBERED;

/// The queues of a node, in the order of the kernel's reasons; none before the first wait.
pub fn of_node(m: &Machine, node: NodeIndex) -> Vec<QueueView> {
    let w = &m.w;
    let kinds = kinds(&w.facts.features);
    let entries = m.tasks.iter().filter_map(|t| Some((t, entry(w, t)?)));
    let entries: Vec<(&Task, QueueEntry)> = entries.collect();
    if entries.is_empty() && w.phases.delays.all.is_empty() {
        return Vec::new();
    }
    let queue = |kind: &QueueKind| queue(m, node, *kind, &entries);
    kinds.iter().map(queue).collect()
}

/// The queues that a kernel has.
fn kinds(features: &Features) -> Vec<QueueKind> {
    if features.stall_site != StallSite::Node {
        return Vec::new();
    }
    let mut out = match features.writeback_wait {
        WritebackWait::CongestedQueue => {
            vec![QueueKind::CongestionWait, QueueKind::WaitIffCongested]
        }
        WritebackWait::Written | WritebackWait::WrittenOrTick => vec![QueueKind::Writeback],
    };
    out.push(match features.isolated_wait {
        IsolatedWait::Throttle => QueueKind::Isolated,
        IsolatedWait::Sleep | IsolatedWait::CongestedQueue => QueueKind::IsolatedSleep,
    });
    if features.noprogress_wait != NoProgressWait::Never {
        out.push(QueueKind::NoProgress);
    }
    if features.writeback_wait == WritebackWait::WrittenOrTick {
        out.push(QueueKind::Congested);
    }
    if features.retry_wait == RetryWait::WritePending {
        out.push(QueueKind::RetryWait);
    }
    out
}

/// The queue in which a task waits.
struct QueueEntry {
    kind: QueueKind,
    node: NodeIndex,
    since: Option<u32>,
    /// The list that has too many isolated pages.
    list: Option<u8>,
}

/// The queue of a task that waits in reclaim, or was woken there and has not continued yet.
fn entry(w: &World, t: &Task) -> Option<QueueEntry> {
    let at = |kind, node, since| QueueEntry {
        kind,
        node,
        since,
        list: t.stack.iter().rev().find_map(|f| match f {
            Frame::ShrinkInactiveList(s) => Some(s.file),
            _ => None,
        }),
    };
    match t.stack.last()? {
        Frame::ReclaimThrottle(r) => {
            let queue = &w.pgdat[r.node].reclaim_wait;
            let waits = queue.iter().any(|&(_, task)| task == t.cx.task);
            let kind = match r.reason {
                Reason::Writeback => QueueKind::Writeback,
                Reason::Isolated => QueueKind::Isolated,
                Reason::NoProgress => QueueKind::NoProgress,
                Reason::Congested => QueueKind::Congested,
            };
            waits.then(|| at(kind, r.node, Some(r.since)))
        }
        Frame::CongestionWait(c) if w.congestion_wait.contains(&t.cx.task) => {
            let (retries, node) = caller(w, t)?;
            let kind = match (retries, c.iff) {
                (true, _) => QueueKind::RetryWait,
                (false, true) => QueueKind::WaitIffCongested,
                (false, false) => QueueKind::CongestionWait,
            };
            Some(at(kind, node, Some(c.since)))
        }
        Frame::ShrinkInactiveList(s) if t.status == TaskStatus::Sleeping => {
            let node = w.mem.lruvecs[s.owner].node;
            Some(at(QueueKind::IsolatedSleep, node, None))
        }
        _ => None,
    }
}

/// The node, if the allocator waits for a congested queue before it tries again.
fn caller(w: &World, t: &Task) -> Option<(bool, NodeIndex)> {
    t.stack.iter().rev().find_map(|f| match f {
        Frame::ShrinkNode(s) => Some((false, s.node)),
        Frame::Slowpath(s) => {
            let zone = w.mem.zones.at(s.rq.preferred);
            Some((true, zone.map_or(w.home(s.rq.node), |z| z.node)))
        }
        _ => None,
    })
}

fn queue(
    m: &Machine,
    node: NodeIndex,
    kind: QueueKind,
    entries: &[(&Task, QueueEntry)],
) -> QueueView {
    let w = &m.w;
    let here = |p: &QueueEntry| p.kind == kind && p.node == node;
    let mut waiters: Vec<&(&Task, QueueEntry)> = entries.iter().filter(|(_, p)| here(p)).collect();
    waiters.sort_by_key(|(_, p)| p.since);
    let list = waiters.first().and_then(|(_, p)| p.list);
    QueueView {
        kind,
        name: name(kind).to_string(),
        timeout_us: u64::from(timeout(w, kind) * tick_us(w)),
        waiters: waiters.iter().map(|(t, p)| waiter(w, t, p)).collect(),
        gate: gate(m, node, kind, list),
        last: last_ended(m, node, kind),
        delays: delays(w, kind),
    }
}

fn waiter(w: &World, t: &Task, entry: &QueueEntry) -> WaiterView {
    let task = t.cx.task;
    let sleepers = w.sched.cpus[t.cpu].sleepers();
    let timer = sleepers.iter().find(|&&(_, sleeper)| sleeper == task);
    let end = w.wait_ends.iter().find(|&&(of, _)| of == task);
    WaiterView {
        task: task.get(),
        since_ns: entry.since.map(|jiffy| w.jiffy_ns(jiffy.into())),
        until_ns: timer.map(|&(at, _)| at),
        waker: end.map(|&(_, waker)| waker).map(TaskIndex::get),
    }
}

fn name(kind: QueueKind) -> &'static str {
    match kind {
        QueueKind::Writeback => REASONS[Reason::Writeback as usize],
        QueueKind::Isolated => REASONS[Reason::Isolated as usize],
        QueueKind::NoProgress => REASONS[Reason::NoProgress as usize],
        QueueKind::Congested => REASONS[Reason::Congested as usize],
        QueueKind::CongestionWait | QueueKind::RetryWait => "congestion_wait",
        QueueKind::WaitIffCongested => "wait_iff_congested",
        QueueKind::IsolatedSleep => "",
    }
}

fn tick_us(w: &World) -> u32 {
    1_000_000 / w.facts.hz
}

/// The longest sleep, in ticks.
fn timeout(w: &World, kind: QueueKind) -> u32 {
    let timeouts = &w.facts.features.throttle_timeouts;
    let timeout = match kind {
        QueueKind::Writeback => timeouts.writeback,
        QueueKind::Isolated => timeouts.isolated,
        QueueKind::NoProgress => timeouts.noprogress,
        QueueKind::Congested => Timeout::Tick,
        QueueKind::CongestionWait
        | QueueKind::WaitIffCongested
        | QueueKind::IsolatedSleep
        | QueueKind::RetryWait => Timeout::PerSecond(10),
    };
    timeout.jiffies(w.facts.hz)
}

/// The present values of the compared numbers.
fn gate(m: &Machine, node: NodeIndex, kind: QueueKind, list: Option<u8>) -> Option<GateView> {
    let w = &m.w;
    let of = |value: u64, against: u64| GateView {
        value,
        against,
        task: None,
        list: None,
    };
    match kind {
        QueueKind::Writeback => {
            let pgdat = &w.pgdat[node];
            let tasks = pgdat.nr_writeback_throttled;
            let written = pgdat.nr_throttled_written - pgdat.nr_reclaim_start;
            (tasks > 0).then(|| of(written, u64::from(SWAP_CLUSTER_MAX * tasks)))
        }
        QueueKind::Isolated | QueueKind::IsolatedSleep => isolated(w, node, list),
        QueueKind::NoProgress => progress(m, node),
        QueueKind::CongestionWait | QueueKind::WaitIffCongested => {
            let devices = 0..w.block.devices.len() as u8;
            let congested = devices.filter(|&d| w.block.write_congested(d)).count();
            Some(of(congested as u64, 0))
        }
        QueueKind::Congested | QueueKind::RetryWait => {
            let (mut pending, mut reclaimable) = (0, 0);
            for z in w.mem.zones.iter().filter(|z| z.node == node) {
                pending += z.gauge(Gauge::Dirty) + z.gauge(Gauge::Writeback);
                reclaimable += zone_reclaimable_pages(w, z);
            }
            Some(of(2 * u64::from(pending), reclaimable.into()))
        }
    }
}

/// The number of isolated pages of the list for which tasks wait, otherwise of the list that is
/// closest to its limit.
fn isolated(w: &World, node: NodeIndex, list: Option<u8>) -> Option<GateView> {
    let lists = w.mem.lruvecs.iter().find(|l| l.node == node)?;
    let shift = if w.facts.features.isolated_eighth {
        3
    } else {
        0
    };
    let of = |file: u8| {
        let inactive = u64::from(lists.nr[2 * usize::from(file)]);
        GateView {
            value: lists.isolated[usize::from(file)].into(),
            against: inactive >> shift,
            task: None,
            list: Some(file.into()),
        }
    };
    let over = |gate: &GateView| gate.value as i64 - gate.against as i64;
    match list {
        Some(file) => Some(of(file)),
        // No task isolates pages from an empty list.
        None => [of(0), of(1)]
            .into_iter()
            .max_by_key(|gate| (gate.value > 0 || gate.against > 0, over(gate))),
    }
}

/// The direct reclaimer of the node that is closest to waking the tasks without progress.
fn progress(m: &Machine, node: NodeIndex) -> Option<GateView> {
    let w = &m.w;
    let reclaims = |t: &&Task| {
        t.status == TaskStatus::Runnable
            && t.stack.iter().any(|f| match f {
                Frame::TryToFreePages(d) => {
                    let zone = w.mem.zones.at(d.rq.preferred);
                    let home = zone.map_or(w.home(d.rq.node), |z| z.node);
                    home == node && !matches!(d.pt, TfPt::Throttle | TfPt::Begin)
                }
                _ => false,
            })
    };
    let of = |t: &Task| GateView {
        value: t.cx.sc.nr_reclaimed.into(),
        against: progress_needs(&w.facts.features, t.cx.sc.nr_scanned).into(),
        task: Some(t.cx.task.get()),
        list: None,
    };
    let over = |gate: &GateView| (gate.value as i64 - gate.against as i64, gate.value);
    m.tasks.iter().filter(reclaims).map(of).max_by_key(over)
}

/// The last wait that ended, and the task that ended it.
fn last_ended(m: &Machine, node: NodeIndex, kind: QueueKind) -> Option<EndedView> {
    let w = &m.w;
    let recent = |r: &&Record| r.step + REMEMBERED >= w.run.steps();
    let all = &w.rec.records;
    let first = all.len() - all.iter().rev().take_while(recent).count();
    (first..all.len()).rev().find_map(|at| {
        let report = &all[at];
        let delayed = reported(m, report, node, kind)?;
        let cause = (first..at).rev().map(|i| &all[i]);
        let cause = cause
            .take_while(|r| r.step == report.step)
            .find_map(|r| waker_of(r).filter(|_| r.task == report.task));
        Some(EndedView {
            task: report.task.get(),
            waker: cause,
            delayed_us: delayed as u64,
            step: report.step + 1,
        })
    })
}

/// The duration of a recorded wait, if it belongs to this queue. Kernels to 5.15 do not report the node: it is
/// kswapd's own node, for other tasks the node of the CPU.
fn reported(m: &Machine, r: &Record, node: NodeIndex, kind: QueueKind) -> Option<i64> {
    let kswapd = m.tasks.at(r.task).and_then(|t| match t.kind {
        TaskKind::Kswapd { node } => Some(node),
        _ => None,
    });
    let home = kswapd.unwrap_or(m.w.facts.node_of_cpu[r.cpu]);
    match kind {
        QueueKind::CongestionWait | QueueKind::RetryWait => {
            let told = WritebackCongestionWait::of(r)?;
            let is_of = kswapd.is_some() == (kind == QueueKind::CongestionWait);
            (is_of && home == node).then_some(told.usec_delayed)
        }
        QueueKind::WaitIffCongested => {
            let told = WritebackWaitIffCongested::of(r)?;
            (home == node).then_some(told.usec_delayed)
        }
        QueueKind::IsolatedSleep => None,
        QueueKind::Writeback
        | QueueKind::Isolated
        | QueueKind::NoProgress
        | QueueKind::Congested => {
            let told = MmVmscanThrottled::of(r)?;
            let same = REASONS[told.reason as usize] == name(kind) && told.nid == node;
            same.then_some(told.usec_delayed)
        }
    }
}

/// The task that ended a wait, from the decision that ended it.
fn waker_of(r: &Record) -> Option<u32> {
    let waker = WaitEndedByWrite::of(r).map(|end| end.waker);
    let waker = waker.or_else(|| WaitEndedByIsolation::of(r).map(|end| end.waker));
    let waker = waker.or_else(|| WaitEndedByProgress::of(r).map(|end| end.waker));
    waker
        .or_else(|| WaitEndedByQueue::of(r).map(|end| end.waker))
        .map(TaskIndex::get)
}

/// Durations of waits so far, as the kernel reports them.
fn delays(w: &World, kind: QueueKind) -> Vec<(u64, u64)> {
    let is_of = |waited: Waited, kswapd: bool| match (kind, waited) {
        (QueueKind::CongestionWait, Waited::Congestion) => kswapd,
        (QueueKind::RetryWait, Waited::Congestion) => !kswapd,
        (QueueKind::WaitIffCongested, Waited::IffCongested) => true,
        (_, Waited::Throttled(reason)) => REASONS
            .get(usize::from(reason))
            .is_some_and(|&reason| reason == name(kind)),
        _ => false,
    };
    let mut out = BTreeMap::new();
    for delay in &w.phases.delays.all {
        if is_of(delay.waited, delay.kswapd) {
            let us = u64::from(delay.delayed * tick_us(w));
            *out.entry(us).or_default() += delay.count;
        }
    }
    out.into_iter().collect()
}
