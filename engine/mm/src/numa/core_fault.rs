//! What a hinting fault counts for its task, and where the page belongs, in numa/core
//! (kernel/sched/fair.c: `task_numa_fault`; mm/mempolicy.c: `mpol_misplaced`, as posted in November
//! 2012).
//!
//! Modelled: a page records the CPU that last faulted on it. This CPU decides whether a fault is
//! private or shared, and which buddies the task gets. Pages of a shared task are interleaved over
//! the nodes of its mask. Pages of a private task follow it after two faults in a row from its
//! node. New pages of a shared task are placed by the same rule.
//! Left out: here an allocation that looks for a node with enough memory uses that node's zonelist,
//! so it may fall back on others. A page of a file is never marked. The position of a page in its
//! mapping counts from the region's first page, not from address 0.
//! Visible difference: which node of the mask comes first for a region.
//! Invariants: a task that is not yet known to be private or shared moves no page.

use crate::frames::{Context, NONE};
use crate::mmzone::WMARK_HIGH;
use crate::numa::core::buddy::Shared;
use crate::numa::core::{interleave, nice};
use crate::numa::tick::core_rules;
use crate::profile::Thp;
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, FrameIndex, NodeIndex, TaskIndex};

decisions! {
    NumaUnknown { task: Task, page: Page }
        "The page at {page} stays: the kernel does not know yet whether {task} shares its memory.";
    NumaInterleaved { task: Task, page: Page, node: Node, place: Count, nodes: Count }
        "{task} shares its memory, so its pages are interleaved over {nodes node}: the page at {page}, number {place}, belongs on {node}.";
    NumaNoMask { task: Task, page: Page, node: Node }
        "{task} shares its memory, but no node has enough of its buddies: the page at {page} belongs on {node}, where it is used.";
    NumaPrivate { task: Task, page: Page, last: Cpu, node: Node }
        "{task} uses its memory alone. The last fault on the page at {page} also came from {node} ({last}): the page should move there.";
    NumaPrivateOther { task: Task, page: Page, last: Cpu, node: Node }
        "{task} uses its memory alone. The last fault on the page at {page} came from {last}, which is not on {node}: the page stays.";
    NumaBuddy { task: Task, buddy: Task, cpu: Cpu, pages: Count }
        "{buddy} runs on {cpu}, which faulted on the page last. It may become the buddy of {task}; they share {pages page} so far.";
}

/// Can a region have huge pages?
fn is_huge(w: &World, cx: &Context, region: u32) -> bool {
    match w.thp {
        Thp::Always => true,
        Thp::Madvise => w.processes.region(cx.process, region).madvised,
        Thp::Never => false,
    }
}

/// Position of a page in its region, and the node to which it belongs by a mask of nodes. The node
/// is `None` for an empty mask; the page then belongs on the node of the fault.
fn interleaved(
    w: &World,
    mask: u64,
    cx: &Context,
    (region, page): (u32, u32),
) -> (u32, Option<NodeIndex>) {
    let place = if is_huge(w, cx, region) {
        page >> w.mem.pageblock_order
    } else {
        page
    };
    (
        place,
        interleave::node_for(mask & all_nodes(w), place.into()),
    )
}

/// The node to which a page should move after a fault, if any; `on` is its current node.
pub(super) fn misplaced(
    w: &mut World,
    cx: &Context,
    frame: FrameIndex,
    (on, here): (NodeIndex, NodeIndex),
) -> Option<NodeIndex> {
    let last = CpuIndex::new(w.numa.exchange_last(frame, w.cpu.get()));
    let (task, page) = (cx.task, frame);
    let (shared, mask) = {
        let place = &w.numa.tasks[task].core;
        (place.shared, place.mask)
    };
    let target = match shared {
        None => {
            w.record(NumaUnknown { task, page });
            return None;
        }
        Some(true) => {
            let (_, region, index) = crate::rmap::anon_place(w, frame);
            match interleaved(w, mask, cx, (region, index)) {
                (place, Some(node)) => {
                    w.record(NumaInterleaved {
                        task,
                        page,
                        node,
                        place: place.into(),
                        nodes: (mask & all_nodes(w)).count_ones().into(),
                    });
                    node
                }
                (_, None) => {
                    let node = here;
                    w.record(NumaNoMask { task, page, node });
                    here
                }
            }
        }
        Some(false) => {
            let twice = w.facts.node_of_cpu.at(last) == Some(&here);
            let node = here;
            if !twice {
                w.record(NumaPrivateOther {
                    task,
                    page,
                    last,
                    node,
                });
                return None;
            }
            w.record(NumaPrivate {
                task,
                page,
                last,
                node,
            });
            here
        }
    };
    (target != on).then_some(target)
}

/// All nodes of the machine, as a mask.
pub(super) fn all_nodes(w: &World) -> u64 {
    u64::MAX >> (64 - w.facts.layout.nodes.len().clamp(1, 64))
}

/// Counts a fault on a page that is now on node `on` and remembered CPU `last` (`task_numa_fault`).
pub(super) fn sample(w: &mut World, cx: &Context, (on, last): (NodeIndex, CpuIndex), pages: u32) {
    if !w.numa.on {
        return;
    }
    let Some(rules) = core_rules(&w.facts.features) else {
        return;
    };
    let nodes = w.facts.layout.nodes.len();
    let is_private = last == w.cpu;
    let pages = u64::from(pages);
    let task = cx.task;
    let core = &mut w.numa.tasks[task].core;
    core.sample(nodes, on, is_private, pages);
    if rules.buddies && !is_private {
        share(w, task, (on, last), pages);
    }
    if !rules.directed {
        super::converge::after_a_pass(w, cx);
    }
}

/// Counts a page as shared with the task that runs on the CPU that faulted on it last (`shared_fault_tick`).
fn share(w: &mut World, task: TaskIndex, (on, last): (NodeIndex, CpuIndex), pages: u64) {
    let runs = w.sched.cpus.at(last).map(|c| c.current);
    let is_known = |&other: &TaskIndex| {
        let other = w.numa.tasks.at(other);
        other.is_some_and(|other| other.process != NONE)
    };
    let fault = Shared {
        other: runs.filter(is_known),
        is_local: on == w.local_node(),
        pages,
    };
    let core = &mut w.numa.tasks[task].core;
    core.share(task, fault);
    let (candidate, pages) = (core.buddy.candidate, core.buddy.candidate_faults as i64);
    if let Some(buddy) = candidate.filter(|_| candidate == fault.other) {
        w.record(NumaBuddy {
            task,
            buddy,
            cpu: last,
            pages,
        });
    }
}

/// The node from which a new page of a region should come, if placement decides it.
pub(crate) fn allocation_node(w: &World, cx: &Context, at: (u32, u32)) -> Option<NodeIndex> {
    let rules = core_rules(&w.facts.features)?;
    let core = &w.numa.tasks.at(cx.task)?.core;
    let here = w.local_node();
    let is_shared = core.shared == Some(true);
    let preferred = if is_shared {
        interleaved(w, core.mask, cx, at).1.unwrap_or(here)
    } else {
        here
    };
    if !rules.nice_alloc || is_shared {
        // Interleaved memory comes from its node, whether or not that node has enough memory.
        return Some(preferred);
    }
    let pinned = w.facts.cpus_of(cx).len() == 1;
    let nodes = w.facts.layout.nodes.len();
    let pages = if is_huge(w, cx, at.0) {
        1 << w.mem.pageblock_order
    } else {
        1
    };
    let attempts = nice::attempts(preferred, None, pinned, nodes, |node| {
        has_room(w, node, pages)
    });
    Some(match attempts.first() {
        Some(&nice::Attempt::Only(node)) => node,
        Some(nice::Attempt::Plan) | None => preferred,
    })
}

/// Would a zone of a node stay above its high watermark if it had this many pages fewer?
fn has_room(w: &World, node: NodeIndex, pages: u32) -> bool {
    let mut of_node = w.mem.zones.iter().filter(|zone| zone.node == node);
    of_node.any(|zone| zone.nr_free_pages >= zone.mark(WMARK_HIGH).get().saturating_add(pages))
}
