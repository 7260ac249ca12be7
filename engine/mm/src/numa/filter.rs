//! The decision whether a page belongs on another node (mm/mempolicy.c: `mpol_misplaced`;
//! kernel/sched/fair.c: `should_numa_migrate_memory`).
//!
//! Modelled: the two-stage filter: a page records the task that last faulted on it, and moves when
//! the next fault confirms it.
//! Left out: memory tiers; policies of single mappings.
//! Invariants: by the rule of 3.8 a page moves only to a node that faulted on it twice in a row.

use crate::frames::Context;
use crate::kernel::{NumaFilter, NumaRules};
use crate::numa::{UNSET, group};
use crate::record::decisions;
use crate::world::World;
use facts::index::{FrameIndex, NodeIndex, TaskIndex, ZonelistIndex};

decisions! {
    NumaLocal { page: Page, node: Node }
        "The page at {page} is on {node}, where it is used: it stays.";
    NumaPolicy { task: Task, page: Page }
        "The page at {page} stays: the memory policy of {task} decides where its pages are.";
    NumaFirstTouch { page: Page, node: Node, task: Task }
        "No task other than {task} has faulted on the page at {page} before: it should move to {node} at once.";
    NumaSameTask { page: Page, node: Node, task: Task }
        "The last fault on the page at {page} was also by {task}: it should move to {node}.";
    NumaSameNode { page: Page, node: Node }
        "The last fault on the page at {page} also came from {node}: it should move there.";
    NumaUnset { page: Page, node: Node }
        "No task has faulted on the page at {page} before: it should move to {node}.";
    NumaOtherNode { page: Page, last: Node, node: Node }
        "The last fault on the page at {page} came from {last}, and this one comes from {node}: the page stays until two faults in a row come from {node}.";
    NumaFirstOfNode { page: Page, node: Node }
        "This is the first fault on the page at {page}: the page stays until a second fault comes from {node}.";
    NumaDeferred { task: Task, page: Page, left: Count }
        "{task} recently met a page that another node uses, so it skips shared pages: the page at {page} stays, and so will {left} more.";
}

/// The task that faults, as a page records it: its node, and the low 8 bits of its number.
pub(super) fn packed(node: NodeIndex, task: TaskIndex) -> u16 {
    u16::from(node.get()) << 8 | (task.get() & 0xff) as u16
}

/// Node of the task that a page records.
pub(super) const fn node_of(last: u16) -> NodeIndex {
    NodeIndex::new((last >> 8) as u8)
}

/// Is this the task that a page records? Only 8 bits are compared.
fn is_task(last: u16, task: TaskIndex) -> bool {
    last != UNSET && u32::from(last & 0xff) == task.get() & 0xff
}

/// Was the last fault on a page made by this task (`cpupid_match_pid`)? Without an earlier fault,
/// the page counts as the task's own.
pub fn is_private(last: u16, task: TaskIndex) -> bool {
    last == UNSET || is_task(last, task)
}

/// May NUMA balancing move the task's pages (`vma_policy_mof`)? Not if a memory policy decides
/// where they are. A task bound to a node's CPUs that prefers this node's memory has the default
/// policy: its memory is local.
pub fn has_local_policy(w: &World, cx: &Context) -> bool {
    let is_local = match cx.bound_node {
        ZonelistIndex::NONE => true,
        list => list.index() < w.facts.layout.nodes.len() && cx.allowed == u16::MAX,
    };
    is_local && cx.interleave == u16::MAX
}

/// The node to which a page should move after a fault, if any.
pub fn mpol_misplaced(
    w: &mut World,
    cx: &Context,
    frame: FrameIndex,
    rules: NumaRules,
) -> Option<NodeIndex> {
    let zone = w.mem.pages[frame].zone();
    let (here, on) = (w.local_node(), w.mem.zones[zone].node);
    match rules.filter {
        // 3.8 marks entries under any policy, and checks the policy here.
        NumaFilter::SameNodeTwice if !has_local_policy(w, cx) => {
            w.record(NumaPolicy {
                task: cx.task,
                page: frame,
            });
            None
        }
        NumaFilter::SameNodeTwice => {
            let last = w.numa.exchange_last(frame, packed(here, cx.task));
            let twice = last != UNSET && node_of(last) == here;
            if here == on {
                w.record(NumaLocal {
                    page: frame,
                    node: on,
                });
            } else if twice {
                w.record(NumaSameNode {
                    page: frame,
                    node: here,
                });
            } else {
                stays(w, frame, last, here);
            }
            (twice && here != on).then_some(here)
        }
        NumaFilter::Core if !has_local_policy(w, cx) => {
            w.numa.exchange_last(frame, w.cpu.get());
            w.record(NumaPolicy {
                task: cx.task,
                page: frame,
            });
            None
        }
        NumaFilter::Core => super::core_fault::misplaced(w, cx, frame, (on, here)),
        NumaFilter::SameNodeUnlessDeferred => {
            let last = w.numa.exchange_last(frame, packed(here, cx.task));
            let belongs = belongs_in_3_13(w, cx, (frame, last), (on, here));
            belongs.then_some(here)
        }
        NumaFilter::Auto => {
            let auto = rules.auto?;
            super::autonuma::fault::misplaced(w, cx, frame, (on, here), auto)
        }
        NumaFilter::SameTaskOrNode if here == on => {
            if rules.remembers_local {
                w.numa.exchange_last(frame, packed(here, cx.task));
            }
            w.record(NumaLocal {
                page: frame,
                node: on,
            });
            None
        }
        NumaFilter::SameTaskOrNode => {
            should_numa_migrate_memory(w, cx, frame, here).then_some(here)
        }
    }
}

/// `sysctl_numa_balancing_migrate_deferred`: after a page that another node uses, this many shared
/// pages stay.
const DEFERRED: u32 = 16;

/// Should a page move to the node of the fault, by the rules of 3.13? After a page that another task uses on
/// another node, the task leaves the next shared pages where they are.
fn belongs_in_3_13(
    w: &mut World,
    cx: &Context,
    (page, last): (FrameIndex, u16),
    (on, node): (NodeIndex, NodeIndex),
) -> bool {
    let task = cx.task;
    let is_own = is_task(last, task);
    let faults = &mut w.numa.tasks[task].faults;
    if last != UNSET && node_of(last) != node {
        if !is_own {
            faults.deferred = DEFERRED;
        }
        stays(w, page, last, node);
        return false;
    }
    if !is_own && faults.deferred > 0 {
        faults.deferred -= 1;
        let left = faults.deferred.into();
        w.record(NumaDeferred { task, page, left });
        return false;
    }
    match (on == node, is_own, last) {
        (true, ..) => w.record(NumaLocal { page, node }),
        (_, true, _) => w.record(NumaSameTask { page, node, task }),
        (.., UNSET) => w.record(NumaUnset { page, node }),
        _ => w.record(NumaSameNode { page, node }),
    }
    on != node
}

/// Applies the rules from 3.15 on.
fn should_numa_migrate_memory(
    w: &mut World,
    cx: &Context,
    frame: FrameIndex,
    here: NodeIndex,
) -> bool {
    let last = w.numa.exchange_last(frame, packed(here, cx.task));
    let faults = &w.numa.tasks[cx.task].faults;
    let young = faults.preferred.is_none() || faults.scan_seq <= 4;
    let (page, node, task) = (frame, here, cx.task);
    if young && is_private(last, cx.task) {
        w.record(NumaFirstTouch { page, node, task });
        return true;
    }
    if last != UNSET && node_of(last) != here {
        stays(w, frame, last, here);
        return false;
    }
    if is_task(last, cx.task) {
        w.record(NumaSameTask { page, node, task });
        return true;
    }
    group::wants(w, task, frame, here).unwrap_or_else(|| {
        match last {
            UNSET => w.record(NumaUnset { page, node }),
            _ => w.record(NumaSameNode { page, node }),
        }
        true
    })
}

fn stays(w: &mut World, page: FrameIndex, last: u16, node: NodeIndex) {
    if last == UNSET {
        w.record(NumaFirstOfNode { page, node });
    } else {
        let last = node_of(last);
        w.record(NumaOtherNode { page, last, node });
    }
}
