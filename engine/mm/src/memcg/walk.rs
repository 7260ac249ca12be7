//! How reclaim visits the cgroups below its target (mm/vmscan.c, `shrink_node_memcgs`), and what it counts
//! for each.
//!
//! Modelled: the order of visits, cgroups that are skipped or spared because of their protection.
//! Invariants: no page of a cgroup whose effective `memory.min` covers its usage is taken in that visit.

use facts::index::{GroupIndex, LruvecIndex, NodeIndex};

use super::Memcg;
use super::group::{Event, Stat};
use super::protection::calculate;
use super::tree::summed;
use crate::kernel::MemcgRule;
use crate::mmzone::Lruvec;
use crate::record::decisions;
use crate::vmscan::ScanControl;
use crate::world::World;

decisions! {
    GroupVisited { usage: Count, min: Count, low: Count, lists: Lists }
        "{lists} uses {usage page}. memory.low protects {low} of them, and memory.min protects {min}: shrink its lists.";
    GroupBelowMin { usage: Count, min: Count, lists: Lists }
        "{lists} uses {usage page}, not more than the {min} that memory.min protects: it is skipped.";
    GroupBelowLow { usage: Count, low: Count, lists: Lists }
        "{lists} uses {usage page}, not more than the {low} that memory.low protects: it is skipped.";
    GroupLowReclaimed { usage: Count, low: Count, lists: Lists }
        "{lists} uses {usage page}, not more than the {low} that memory.low protects, but nothing else could be reclaimed: shrink its lists.";
}

/// The next cgroup to shrink on a node, after another one or from the beginning; `None` if the walk
/// ends.
pub fn next_group(
    w: &mut World,
    sc: &mut ScanControl,
    node: NodeIndex,
    mut before: Option<GroupIndex>,
) -> Option<GroupIndex> {
    let shares = w.facts.features.memcg == MemcgRule::SharedWalk && !sc.kswapd && !sc.full_walk;
    let nodes = w.facts.layout.nodes.len();
    let recursive = w.facts.groups.recursive;
    loop {
        let begins = before.is_none();
        if shares && !begins && sc.nr_reclaimed >= sc.nr_to_reclaim {
            return None;
        }
        let next = match shares {
            true => w.memcg.next_shared(nodes, (sc.target, node), begins),
            false => w.memcg.memory.next_in_walk(sc.target, before),
        };
        let group = next?;
        let Memcg { memory, .. } = &mut w.memcg;
        if !group.is_root() {
            calculate(memory, sc.target, group, recursive);
        }
        if may_shrink(w, sc, group, node) {
            return Some(group);
        }
        before = Some(group);
    }
}

/// Is the protection of a cgroup ignored, because it is the root or the target of the reclaim? In
/// 6.1 the target of limit reclaim may have a value that an earlier walk computed.
fn is_unprotected(w: &World, sc: &ScanControl, group: GroupIndex) -> bool {
    let ignores_target = w.facts.features.memcg == MemcgRule::SharedWalk;
    group.is_root() || (ignores_target && group == sc.target)
}

/// Does `memory.min` protect all pages of a cgroup (`mem_cgroup_below_min`)?
pub fn below_min(w: &World, sc: &ScanControl, group: GroupIndex) -> bool {
    let counter = w.memcg.memory.all.at(group);
    let is_below = counter.is_some_and(|c| c.effective.min >= c.usage);
    is_below && !is_unprotected(w, sc, group)
}

/// Does `memory.low` protect all pages of a cgroup (`mem_cgroup_below_low`)?
pub fn below_low(w: &World, sc: &ScanControl, group: GroupIndex) -> bool {
    let counter = w.memcg.memory.all.at(group);
    let is_below = counter.is_some_and(|c| c.effective.low >= c.usage);
    is_below && !is_unprotected(w, sc, group)
}

/// Does the protection of a cgroup allow to shrink its lists in this walk?
fn may_shrink(w: &mut World, sc: &mut ScanControl, group: GroupIndex, node: NodeIndex) -> bool {
    let counter = &w.memcg.memory.all[group];
    let (usage, effective) = (counter.usage, counter.effective);
    let lists = super::tree::lruvec(w, group, node);
    let [pages, min, low] = [usage, effective.min, effective.low].map(i64::from);
    if is_unprotected(w, sc, group) || usage == 0 {
        return true;
    }
    if effective.min >= usage {
        w.record(GroupBelowMin {
            usage: pages,
            min,
            lists,
        });
        return false;
    }
    if effective.low >= usage {
        if !sc.low_reclaim {
            sc.low_skipped = true;
            w.record(GroupBelowLow {
                usage: pages,
                low,
                lists,
            });
            return false;
        }
        w.memcg.event(group, Event::Low);
        w.record(GroupLowReclaimed {
            usage: pages,
            low,
            lists,
        });
        return true;
    }
    w.record(GroupVisited {
        usage: pages,
        min,
        low,
        lists,
    });
    true
}

/// Number of pages of a cgroup that this walk spares in proportion; 0 for the root and the target.
pub fn protected_pages(w: &World, sc: &mut ScanControl, group: GroupIndex) -> u32 {
    let Some(counter) = w.memcg.memory.all.at(group) else {
        return 0;
    };
    if group.is_root() || group == sc.target {
        return 0;
    }
    let effective = counter.effective;
    if !sc.low_reclaim && effective.low > effective.min {
        sc.low_skipped = true;
        return effective.low;
    }
    effective.min
}

/// LRU lists with the counts of all cgroups on their node, which `too_many_isolated` compares.
pub fn of_whole_node(w: &World, lists: LruvecIndex) -> Lruvec {
    let own = &w.mem.lruvecs[lists];
    match w.memcg.is_on() {
        true => summed(w, GroupIndex::ROOT, own.node),
        false => own.clone(),
    }
}

/// Counts pages scanned on inactive lists for their cgroup.
pub fn count_scan(w: &mut World, sc: &ScanControl, lists: LruvecIndex, pages: u64) {
    let stat = [Stat::ScanDirect, Stat::ScanKswapd][usize::from(sc.kswapd)];
    super::count(w, w.mem.group_of_lists(lists), stat, pages);
}

/// Counts pages reclaimed from inactive lists for their cgroup.
pub fn count_steal(w: &mut World, sc: &ScanControl, lists: LruvecIndex, pages: u64) {
    let stat = [Stat::StealDirect, Stat::StealKswapd][usize::from(sc.kswapd)];
    super::count(w, w.mem.group_of_lists(lists), stat, pages);
}
