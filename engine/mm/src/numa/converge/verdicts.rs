//! Records the verdicts of numa/core's placement for the log, with the numbers they compared.

use crate::numa::core::Verdict;
use crate::numa::core::compress::Compress;
use crate::numa::core::directed::Directed;
use crate::numa::core::load::{Intranode, Overload, Room};
use crate::numa::core::most_buddies::MostBuddies;
use crate::numa::core::most_idle::MostIdle;
use crate::numa::core::private::Private;
use crate::numa::core::spread::Spread;
use crate::record::decisions;
use crate::world::World;
use facts::index::TaskIndex;

decisions! {
    SpreadNotSmallest { task: Task, ours: Count, smallest: Count }
        "{task} does not spread: its group has {ours task} on this node, and the smallest group has {smallest}.";
    SpreadNoIdle { task: Task }
        "{task} does not spread: no CPU is idle.";
    SpreadNoGain { task: Task, here: Count, there: Count, group: Count }
        "{task} does not spread: moving its group (load {group}) would not bring the load of its node ({here}) closer to the load of the other node ({there}).";
    SpreadGo { task: Task, cpu: Cpu, node: Node, here: Count, there: Count, group: Count }
        "{task} spreads to {cpu} of {node}: moving its group (load {group}) brings the load of its own node ({here}) closer to the load of {node} ({there}).";
    SpreadNoRoom { task: Task, node: Node, load: Count, capacity: Count }
        "{task} cannot spread to {node}: load {load} there plus its own would exceed the capacity of {capacity}.";
    CompressFull { task: Task }
        "{task} does not compress: its group fills every node.";
    CompressHere { task: Task, ours: Count }
        "{task} does not compress: of the nodes that its group does not fill, its own node has the most tasks of the group ({ours}).";
    CompressNowhere { task: Task }
        "{task} does not compress: its group has tasks only on nodes that it fills.";
    CompressTooLarge { task: Task, node: Node, ours: Count, smallest: Count }
        "{task} does not compress: {node} has {ours task} of its group, and the smallest group there is larger ({smallest}).";
    CompressGo { task: Task, cpu: Cpu, node: Node, ours: Count, smallest: Count }
        "{task} compresses to {cpu} of {node}: its group has {ours task} there, at least as many as the smallest group there ({smallest}).";
    OverloadNone { task: Task, load: Count, limit: Count }
        "{task} stays on its node: load {load} there is not above {limit}.";
    OverloadNowhere { task: Task }
        "{task} stays: its node is overloaded, but the least loaded node is its own or has no idle CPU.";
    OverloadGo { task: Task, cpu: Cpu, node: Node, load: Count, limit: Count }
        "{task} moves to {cpu} of {node}: load {load} on its node is above {limit}.";
    IntranodeStay { task: Task, ours: Count, least: Count }
        "{task} keeps its CPU: load {ours} there does not exceed the lowest of its node, {least}, by one and a half tasks.";
    IntranodeGo { task: Task, cpu: Cpu, ours: Count, least: Count }
        "{task} moves to {cpu} of its node: load {ours} on its own CPU is at least one and a half tasks above {least} there.";
    PrivateInside { task: Task, here: Count, there: Count }
        "{task} stays on its node: load {here} there does not exceed the lowest of all nodes, {there}, by one and a half tasks.";
    PrivateNoRoom { task: Task, node: Node }
        "{task} stays on its node: {node} has the least load, but no room for it.";
    PrivateGo { task: Task, cpu: Cpu, node: Node, here: Count, there: Count }
        "{task} uses its memory alone and moves to {cpu} of {node}: that node has load {there}, and its own node has load {here}.";
    BuddiesStay { task: Task, here: Count }
        "{task} stays: no node with a CPU for it has more buddies than its own node, which has {here}, including the task itself.";
    BuddiesGo { task: Task, cpu: Cpu, node: Node, here: Count, buddies: Count }
        "{task} moves to {cpu} of {node}, which has {buddies buddy}; the task's own node has {here}, including the task itself.";
    IdleStay { task: Task, here: Count }
        "{task} stays: no node with an unclaimed CPU has at least two more idle CPUs than its own ({here}).";
    IdleGo { task: Task, cpu: Cpu, node: Node, here: Count, idle: Count }
        "{task} uses its memory alone and moves to {cpu} of {node}, which has {idle idle CPU}; its own node has {here}.";
}

/// Records why a task moves or stays.
pub(super) fn record(w: &mut World, task: TaskIndex, verdict: &Verdict) {
    match verdict {
        Verdict::Directed(directed) => tell_directed(w, task, directed),
        Verdict::Private(private) => tell_private(w, task, private),
        Verdict::MostBuddies(most) => tell_buddies(w, task, most),
        Verdict::MostIdle(most) => tell_idle(w, task, most),
    }
}

fn tell_directed(w: &mut World, task: TaskIndex, directed: &Directed) {
    tell_spread(w, task, directed);
    if let Some(compress) = directed.compress {
        tell_compress(w, task, compress);
    }
    if let Some(overload) = directed.overload {
        tell_overload(w, task, overload);
    }
    if let Some(intranode) = directed.intranode {
        tell_intranode(w, task, intranode);
    }
}

fn tell_spread(w: &mut World, task: TaskIndex, directed: &Directed) {
    match directed.spread {
        Spread::NotShared => {}
        Spread::NotSmallest { ours, smallest } => w.record(SpreadNotSmallest {
            task,
            ours: ours.into(),
            smallest: smallest.into(),
        }),
        Spread::NoIdleCpu => w.record(SpreadNoIdle { task }),
        Spread::NoGain(gain) => w.record(SpreadNoGain {
            task,
            here: gain.here as i64,
            there: gain.there as i64,
            group: gain.group as i64,
        }),
        Spread::Go { node, gain, .. } => match directed.landing.map(|l| (l.room, l.found)) {
            Some((_, Some(found))) => w.record(SpreadGo {
                task,
                cpu: found.cpu,
                node,
                here: gain.here as i64,
                there: gain.there as i64,
                group: gain.group as i64,
            }),
            Some((Room { load, capacity }, None)) => w.record(SpreadNoRoom {
                task,
                node,
                load: load as i64,
                capacity: capacity as i64,
            }),
            None => {}
        },
    }
}

fn tell_compress(w: &mut World, task: TaskIndex, compress: Compress) {
    match compress {
        Compress::AllFull => w.record(CompressFull { task }),
        Compress::Here { ours } => w.record(CompressHere {
            task,
            ours: ours.into(),
        }),
        Compress::Nowhere => w.record(CompressNowhere { task }),
        Compress::TooLarge {
            node,
            ours,
            smallest,
        } => w.record(CompressTooLarge {
            task,
            node,
            ours: ours.into(),
            smallest: smallest.into(),
        }),
        Compress::Go {
            cpu,
            node,
            ours,
            smallest,
        } => w.record(CompressGo {
            task,
            cpu,
            node,
            ours: ours.into(),
            smallest: smallest.into(),
        }),
    }
}

fn tell_overload(w: &mut World, task: TaskIndex, overload: Overload) {
    match overload {
        Overload::None { load, limit } => w.record(OverloadNone {
            task,
            load: load as i64,
            limit: limit as i64,
        }),
        Overload::Everywhere | Overload::NoIdleCpu { .. } => w.record(OverloadNowhere { task }),
        Overload::Go {
            found,
            node,
            load,
            limit,
        } => w.record(OverloadGo {
            task,
            cpu: found.cpu,
            node,
            load: load as i64,
            limit: limit as i64,
        }),
    }
}

fn tell_intranode(w: &mut World, task: TaskIndex, intranode: Intranode) {
    let (ours, least) = (intranode.ours as i64, intranode.least.load as i64);
    match intranode.goes_to() {
        None => w.record(IntranodeStay { task, ours, least }),
        Some(cpu) => w.record(IntranodeGo {
            task,
            cpu,
            ours,
            least,
        }),
    }
}

fn tell_private(w: &mut World, task: TaskIndex, private: &Private) {
    match *private {
        Private::Inside {
            here,
            there,
            intranode,
        } => {
            w.record(PrivateInside {
                task,
                here: here as i64,
                there: there as i64,
            });
            tell_intranode(w, task, intranode);
        }
        Private::NoIdleCpu { node } | Private::NoRoom { node, .. } => {
            w.record(PrivateNoRoom { task, node });
        }
        Private::Go {
            found,
            node,
            here,
            room,
        } => w.record(PrivateGo {
            task,
            cpu: found.cpu,
            node,
            here: here as i64,
            there: room.load as i64,
        }),
    }
}

fn tell_buddies(w: &mut World, task: TaskIndex, most: &MostBuddies) {
    let here = most.here.into();
    match most.best.filter(|best| !best.is_here) {
        None => w.record(BuddiesStay { task, here }),
        Some(best) => w.record(BuddiesGo {
            task,
            cpu: best.cpu,
            node: best.node,
            here,
            buddies: best.buddies.into(),
        }),
    }
}

fn tell_idle(w: &mut World, task: TaskIndex, most: &MostIdle) {
    let here = most.here.into();
    match most.most.filter(|_| most.goes_to().is_some()) {
        None => w.record(IdleStay { task, here }),
        Some(found) => w.record(IdleGo {
            task,
            cpu: found.cpu,
            node: found.node,
            here,
            idle: found.idle.into(),
        }),
    }
}
