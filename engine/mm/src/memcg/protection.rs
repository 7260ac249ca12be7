//! Effective protection of cgroups, and how it reduces what reclaim scans (mm/memcontrol.c
//! `mem_cgroup_calculate_protection`, mm/vmscan.c `get_scan_count`).
//!
//! Modelled: the distribution of a parent's protection over its children, with and without
//! `memory_recursiveprot`; the proportional scan above the protection.
//! Invariants: the root, and a target of limit reclaim, have no protection. Without rounding, the
//! children of a parent share at most the parent's protection.

use super::counter::{Both, Counters};
use facts::index::GroupIndex;

/// The numbers that determine one effective value, in pages.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Usage of the cgroup.
    pub usage: u32,
    /// Setting of the cgroup.
    pub setting: u32,
    /// Usage of its parent.
    pub parent_usage: u32,
    /// Effective protection of its parent.
    pub parent_effective: u32,
    /// Protected usage of all children of the parent.
    pub siblings: u32,
}

/// The effective value of `memory.min` or `memory.low` (`effective_protection`).
pub fn effective_protection(share: Share, recursive: bool) -> u32 {
    let Share {
        usage,
        setting,
        parent_usage,
        parent_effective,
        siblings,
    } = share;
    let of = |part: u32, whole: u32, of: u32| {
        let scaled = u64::from(part) * u64::from(whole) / u64::from(of.max(1));
        u32::try_from(scaled).unwrap_or(u32::MAX)
    };
    let protected = usage.min(setting);
    if siblings > parent_effective {
        return of(protected, parent_effective, siblings);
    }
    let shared =
        recursive && parent_effective > siblings && parent_usage > siblings && usage > protected;
    if !shared {
        return protected;
    }
    let unclaimed = parent_effective - siblings;
    protected + of(unclaimed, usage - protected, parent_usage - siblings)
}

/// Computes the effective protection of a cgroup for a walk that begins at `root`; parents come before
/// their children (`mem_cgroup_calculate_protection`).
pub fn calculate(counters: &mut Counters, root: GroupIndex, group: GroupIndex, recursive: bool) {
    let counter = &counters.all[group];
    if group == root || counter.usage == 0 {
        return;
    }
    let Some(parent) = counters.all.at(counter.parent) else {
        return;
    };
    let limits = counter.limits;
    let effective = if counter.parent == root {
        Both {
            min: limits.min,
            low: limits.low,
        }
    } else {
        let share = |setting, parent_effective, siblings| Share {
            usage: counter.usage,
            setting,
            parent_usage: parent.usage,
            parent_effective,
            siblings,
        };
        let min = share(limits.min, parent.effective.min, parent.children.min);
        let low = share(limits.low, parent.effective.low, parent.children.low);
        Both {
            min: effective_protection(min, recursive),
            low: effective_protection(low, recursive),
        }
    };
    counters.all[group].effective = effective;
}

/// Pages to scan of a list of this size at a priority, if part of the cgroup is protected.
pub fn protected_scan(size: u32, usage: u32, protection: u32, priority: u8) -> u32 {
    if protection == 0 {
        return size >> priority;
    }
    let usage = u64::from(usage.max(protection));
    let kept = u64::from(size) * u64::from(protection) / (usage + 1);
    let left = u64::from(size).saturating_sub(kept);
    (left as u32).max(crate::vmscan::SWAP_CLUSTER_MAX) >> priority
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memcg::counter::Limits;

    /// The effective `low` of the children of a parent whose own is 1000. Each child is (low,
    /// usage).
    fn of_children(parent_usage: u32, children: [(u32, u32); 2], recursive: bool) -> [u32; 2] {
        let siblings = children.iter().map(|&(low, usage)| low.min(usage)).sum();
        children.map(|(setting, usage)| {
            let share = Share {
                usage,
                setting,
                parent_usage,
                parent_effective: 1000,
                siblings,
            };
            effective_protection(share, recursive)
        })
    }

    #[test]
    fn gives_each_child_the_protection_that_it_claims() {
        let children = [(800, 1000), (0, 2000)];
        assert_eq!(of_children(3000, children, false), [800, 0]);
        assert_eq!(of_children(3000, children, true), [818, 181]);
    }

    #[test]
    fn scales_claims_that_exceed_the_protection_of_the_parent() {
        let children = [(1000, 1500), (1000, 500)];
        for recursive in [false, true] {
            assert_eq!(of_children(2000, children, recursive), [666, 333]);
        }
    }

    #[test]
    fn distributes_unclaimed_protection_only_if_it_is_recursive() {
        let children = [(0, 1500), (0, 2500)];
        assert_eq!(of_children(4000, children, false), [0, 0]);
        assert_eq!(of_children(4000, children, true), [375, 625]);
    }

    #[test]
    fn protects_neither_the_root_of_the_walk_nor_an_empty_cgroup() {
        let mut counters = Counters::default();
        let limits = Limits {
            low: 700,
            min: 300,
            ..Limits::default()
        };
        let [root, box_, empty] = [0, 1, 2].map(GroupIndex::new);
        counters.add(GroupIndex::NONE, Limits::default());
        counters.add(root, limits);
        counters.add(box_, limits);
        counters.charge(box_, 900);
        calculate(&mut counters, box_, box_, false);
        calculate(&mut counters, root, empty, false);
        assert_eq!(counters.all[box_].effective, Both::default());
        assert_eq!(counters.all[empty].effective, Both::default());
        calculate(&mut counters, root, box_, false);
        assert_eq!(counters.all[box_].effective, Both { min: 300, low: 700 });
    }

    #[test]
    fn scans_less_of_a_list_the_more_of_the_cgroup_is_protected() {
        let scan = |priority, protection| protected_scan(40_000, 51_200, protection, priority);
        assert_eq!(scan(10, 0), 39);
        assert_eq!(scan(10, 25_600), 19);
        assert_eq!(scan(4, 12_800), 1875);
        assert_eq!(scan(4, 0), 2500);
        assert_eq!(scan(10, 51_000), 0);
        assert_eq!(scan(0, 51_000), 158);
    }
}
