//! Compares the counters of memory cgroups with the pages, stocks and swap slots charged to them.

use facts::index::{GroupIndex, IndexVec};

use crate::check::Violation;
use crate::filemap::AcPt;
use crate::frames::Frame;
use crate::machine::{Machine, Task};
use crate::memcg::charge::TcPt;
use crate::memcg::counter::{Both, Counters};
use crate::memcg::kernel;
use crate::memory::{DaPt, HfPt};
use crate::mmzone::PageKind;
use crate::swapfile;

/// Adds pages to a cgroup and all its ancestors.
fn add(sums: &mut IndexVec<GroupIndex, u32>, counters: &Counters, group: GroupIndex, pages: u32) {
    for at in counters.path(group) {
        sums[at] += pages;
    }
}

/// Recounts the charges of all cgroups.
pub(super) fn check_memcg(m: &Machine, out: &mut Vec<Violation>) {
    let memcg = &m.w.memcg;
    if !memcg.is_on() {
        return;
    }
    let none = || memcg.groups.indices().map(|_| 0).collect();
    let (mut memory, mut swap): (IndexVec<GroupIndex, u32>, IndexVec<GroupIndex, u32>) =
        (none(), none());
    for (frame, page) in m.w.mem.pages.entries() {
        let group = m.w.mem.group_of(frame);
        if group.is_root() {
            continue;
        }
        if matches!(page.kind(), PageKind::Free | PageKind::Pcp | PageKind::Tail) {
            out.push(Violation::FreeCharged { frame });
        }
        add(&mut memory, &memcg.memory, group, 1);
    }
    for stock in &memcg.stocks {
        add(&mut memory, &memcg.memory, stock.group, stock.pages);
    }
    for task in &m.tasks {
        for (group, pages) in under_way(m, task) {
            add(&mut memory, &memcg.memory, group, pages);
        }
    }
    check_objects(m, &mut memory, out);
    for &group in memcg.slots.iter().filter(|&&group| group != 0) {
        add(&mut swap, &memcg.swap, GroupIndex::new(group), 1);
    }
    for (group, counter) in memcg.memory.all.entries() {
        let (says, found) = (counter.usage, memory[group]);
        if says != found {
            out.push(Violation::Charges { group, says, found });
        }
        let says = memcg.swap.all[group].usage;
        let found = swap[group];
        if says != found {
            out.push(Violation::SwapCharges { group, says, found });
        }
        if counter.children != held_by_children(&memcg.memory, group) {
            out.push(Violation::ProtectedUsage { group });
        }
    }
}

/// Recounts the bytes of slab objects, and adds the pages charged for them to the sums.
fn check_objects(m: &Machine, memory: &mut IndexVec<GroupIndex, u32>, out: &mut Vec<Violation>) {
    let memcg = &m.w.memcg;
    let none = memcg.groups.indices().map(|_| 0);
    let mut bytes: IndexVec<GroupIndex, u64> = none.collect();
    let node = u64::from(kernel::NODE_CHARGE);
    for &payer in memcg.nodes.iter().filter(|&&payer| payer != 0) {
        bytes[GroupIndex::new(payer)] += node;
    }
    let page_bytes = u64::from(kernel::page_bytes(&m.w));
    for (group, found) in memcg.groups.entries() {
        let objects = found.objects;
        add(memory, &memcg.memory, group, objects.pages);
        let all = u64::from(objects.pages) * page_bytes;
        let is_whole = all == objects.used + u64::from(objects.prepaid);
        let (says, found) = (objects.used, bytes[group]);
        if says != found || !is_whole {
            out.push(Violation::ObjectBytes { group, says, found });
        }
    }
}

fn held_by_children(counters: &Counters, group: GroupIndex) -> Both {
    let children = counters.all.iter().filter(|child| child.parent == group);
    children.fold(Both::default(), |sum, child| Both {
        min: sum.min + child.usage.min(child.limits.min),
        low: sum.low + child.usage.min(child.limits.low),
    })
}

/// Charges of a task that are not yet in any page or stock.
fn under_way(m: &Machine, task: &Task) -> Vec<(GroupIndex, u32)> {
    let frames: Vec<&Frame> = task.stack.iter().collect();
    let mut out = Vec::new();
    for (i, frame) in frames.iter().enumerate() {
        let has_returned = i + 1 == frames.len() && task.cx.ret == 1;
        let of_task = crate::memcg::of_task(&m.w, &task.cx);
        match frame {
            Frame::TryCharge(f) if f.pt == TcPt::Done => out.push((f.group, f.batch.into())),
            Frame::TryCharge(f) if f.pt == TcPt::Return => out.push((f.group, f.pages.into())),
            Frame::AnonPage(f) if f.pt == DaPt::Charged && has_returned => out.push((of_task, 1)),
            Frame::AddToCache(f) if f.pt == AcPt::Charged && has_returned => {
                out.push((of_task, 1));
            }
            Frame::AddToCache(f) if f.pt == AcPt::NodeCharged && has_returned => {
                out.push((of_task, 1));
            }
            Frame::Fault(f) if f.pt == HfPt::TableCharged && has_returned => {
                out.push((of_task, 1));
            }
            Frame::SwapReadahead(f) if f.pt == swapfile::RaPt::Charged && has_returned => {
                out.push((m.w.memcg.of_slot(f.at), 1));
            }
            _ => {}
        }
    }
    out
}
