//! Effects of a hinting fault in AutoNUMA (mm/autonuma.c: `numa_hinting_fault`).
//!
//! Modelled: the node that used the page last decides whether the page moves. A task that meets a
//! page used by another node moves no page until the next pass (false sharing). Faults are counted
//! for the task and its process, on the node of the page after the fault.
//! Left out: nothing. The kernel's entry points are `pte_numa_fixup` and `pmd_numa_fixup`; here
//! they are [`DoNumaPage`](crate::numa::fault::DoNumaPage) and
//! [`DoPmdNumaPage`](crate::numa::table_fault::DoPmdNumaPage).
//! Invariants: a task with a memory policy moves no page, and its faults are not counted; a page
//! with several mappings is not counted either.

use crate::frames::Context;
use crate::kernel::AutoRules;
use crate::mmzone::{PageKind, flag};
use crate::numa::UNSET;
use crate::numa::filter::{
    NumaLocal, NumaPolicy, NumaSameNode, NumaUnset, has_local_policy, node_of, packed,
};
use crate::numa::migrate::{NumaMappedMore, NumaNotListed};
use crate::numa::vectors;
use crate::record::decisions;
use crate::world::World;
use facts::index::{FrameIndex, NodeIndex};

decisions! {
    AutoShared { task: Task, page: Page, last: Node, node: Node }
        "The last fault on the page at {page} came from {last}, and this one comes from {node}: the page is shared, so {task} moves no page until the next pass.";
    AutoFirst { task: Task, page: Page }
        "No task has faulted on the page at {page} before: it stays, and {task} moves no page until the next pass.";
    AutoSharing { task: Task, page: Page }
        "{task} has met a shared page in this pass: it does not move the page at {page}.";
    AutoPass { task: Task, pass: Count, faults: Count, process: Count }
        "This is the first fault of {task} in pass {pass}. Its fault count is halved to {faults}; that of its process is {process}.";
    AutoCount { task: Task, node: Node, pages: Count, faults: Count, of: Count, process: Count, of_process: Count }
        "This fault counts {pages page} on {node}. The node now has {faults} of the {of fault} of {task}, and {process} of the {of_process} of its process.";
}

/// The node to which a page should move after a fault, if any; `on` is its current node.
pub(in crate::numa) fn misplaced(
    w: &mut World,
    cx: &Context,
    frame: FrameIndex,
    (on, here): (NodeIndex, NodeIndex),
    rules: AutoRules,
) -> Option<NodeIndex> {
    let (task, page) = (cx.task, frame);
    if !w.numa.on {
        return None;
    }
    if !has_local_policy(w, cx) {
        w.record(NumaPolicy { task, page });
        return None;
    }
    let mappings = crate::rmap::mapcount(w, frame).into();
    if mappings != 1 {
        w.record(NumaMappedMore { page, mappings });
        return None;
    }
    let last = w.numa.exchange_last(frame, packed(here, task));
    let known = (last != UNSET).then(|| node_of(last));
    let auto = &mut w.numa.tasks[task].auto;
    let was_sharing = auto.false_sharing;
    let target = auto.moves_to(known, here, on, rules.first_fault);
    let is_sharing = auto.false_sharing;
    match known {
        Some(last) if last != here => w.record(AutoShared {
            task,
            page,
            last,
            node: here,
        }),
        None if !rules.first_fault => w.record(AutoFirst { task, page }),
        _ if was_sharing => w.record(AutoSharing { task, page }),
        _ if on == here => w.record(NumaLocal { page, node: on }),
        None => w.record(NumaUnset { page, node: here }),
        Some(_) => w.record(NumaSameNode { page, node: here }),
    }
    debug_assert!(target.is_none() || !is_sharing);
    if target.is_some() && !is_listed(w, frame) {
        w.record(NumaNotListed { page });
        return None;
    }
    target
}

/// Is a page on an LRU list? A huge page always counts as listed.
fn is_listed(w: &World, frame: FrameIndex) -> bool {
    let page = w.mem.pages[frame];
    page.is(PageKind::HugeAnon) || page.has(flag::LRU) && !vectors::waits(w, frame)
}

/// Counts a fault on `pages` base pages, which are now on `node`.
pub(in crate::numa) fn account(w: &mut World, cx: &Context, node: NodeIndex, pages: u32) {
    if !w.numa.on || !has_local_policy(w, cx) {
        return;
    }
    let task = cx.task;
    let auto = &mut w.numa.tasks[task].auto;
    let mm = &mut w.processes.all[cx.process as usize].auto;
    let is_new_pass = auto.pass != mm.pass;
    auto.count(mm, node, pages.into());
    let on_node = |nodes: &[u64]| nodes[node.index()] as i64;
    let (faults, of) = (on_node(&auto.faults.nodes), auto.faults.total as i64);
    let (process, of_process) = (on_node(&mm.faults.nodes), mm.faults.total as i64);
    let pass = mm.pass as i64;
    let pages = pages.into();
    if is_new_pass {
        w.record(AutoPass {
            task,
            pass,
            faults: of - pages,
            process: of_process - pages,
        });
    }
    w.record(AutoCount {
        task,
        node,
        pages,
        faults,
        of,
        process,
        of_process,
    });
}
