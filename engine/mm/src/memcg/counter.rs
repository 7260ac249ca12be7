//! Page counters of a tree of cgroups (mm/page_counter.c).
//!
//! Modelled: charging from a cgroup up to the root, limits, and the protected part of the usage of each
//! cgroup with its sum over the children of a parent.
//! Left out: the highest usage so far, and counts of failures.
//! Invariants: the usage of a parent is at least the sum over its children; a charge that fails changes
//! nothing; `children` of a parent is the sum of `held` of its children.

use facts::index::{GroupIndex, IndexVec};
use facts::state::State;

pub use facts::workload::UNLIMITED;

/// Limits and protection of one counter, in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Limits {
    /// `memory.max`.
    pub max: u32,
    /// `memory.high`.
    pub high: u32,
    /// `memory.low`.
    pub low: u32,
    /// `memory.min`.
    pub min: u32,
}

/// No limit and no protection.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max: UNLIMITED,
            high: UNLIMITED,
            low: 0,
            min: 0,
        }
    }
}

/// A pair of values: for `memory.min` and for `memory.low`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Both {
    /// For `memory.min`.
    pub min: u32,
    /// For `memory.low`.
    pub low: u32,
}

/// The counter of one cgroup (`struct page_counter`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Counter {
    /// The counter of the parent, [`GroupIndex::NONE`] for the root.
    #[state(rest = GroupIndex::NONE)]
    pub parent: GroupIndex,
    /// Number of pages charged to the cgroup and its descendants.
    pub usage: u32,
    /// Limits and protection of the cgroup.
    pub limits: Limits,
    /// The smaller of usage and setting (`min_usage`, `low_usage`).
    pub held: Both,
    /// Sums of `held` of the children (`children_min_usage`, `children_low_usage`).
    pub children: Both,
    /// Effective protection when reclaim last computed it (`emin`, `elow`).
    pub effective: Both,
}

impl Counter {
    /// Number of pages that may still be charged (`mem_cgroup_margin`).
    pub fn margin(&self) -> u32 {
        self.limits.max.saturating_sub(self.usage)
    }
}

/// The counters of all cgroups; the root is the first.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Counters {
    /// Counters by cgroup.
    pub all: IndexVec<GroupIndex, Counter>,
}

impl Counters {
    /// Adds a counter below another one, or the root.
    pub fn add(&mut self, parent: GroupIndex, limits: Limits) {
        self.all.push(Counter {
            parent,
            limits,
            ..Counter::default()
        });
    }

    /// A cgroup and all its ancestors, up to the root.
    pub fn path(&self, group: GroupIndex) -> impl Iterator<Item = GroupIndex> + '_ {
        let first = self.all.at(group).map(|_| group);
        std::iter::successors(first, |&at| self.all[at].parent.known())
    }

    /// Charges pages to a cgroup and all its ancestors (`page_counter_try_charge`).
    ///
    /// # Errors
    /// The cgroup whose limit would be exceeded; then nothing is charged.
    pub fn try_charge(&mut self, group: GroupIndex, pages: u32) -> Result<(), GroupIndex> {
        let full = self.path(group).find(|&at| self.all[at].margin() < pages);
        match full {
            Some(full) => Err(full),
            None => {
                self.charge(group, pages);
                Ok(())
            }
        }
    }

    /// Charges pages whatever the limits are (`page_counter_charge`).
    pub fn charge(&mut self, group: GroupIndex, pages: u32) {
        self.change(group, |usage| usage + pages);
    }

    /// Uncharges pages (`page_counter_uncharge`).
    pub fn uncharge(&mut self, group: GroupIndex, pages: u32) {
        self.change(group, |usage| usage - pages);
    }

    fn change(&mut self, group: GroupIndex, to: impl Fn(u32) -> u32) {
        let mut at = group;
        while let Some(counter) = self.all.at_mut(at) {
            counter.usage = to(counter.usage);
            let parent = counter.parent;
            self.update_protected(at);
            at = parent;
        }
    }

    /// Sets the limits of a cgroup.
    pub fn set(&mut self, group: GroupIndex, limits: Limits) {
        self.all[group].limits = limits;
        self.update_protected(group);
    }

    /// Recomputes the protected part of the usage, and the sum in the parent
    /// (`propagate_protected_usage`).
    fn update_protected(&mut self, group: GroupIndex) {
        let counter = &mut self.all[group];
        let old = counter.held;
        counter.held = Both {
            min: counter.usage.min(counter.limits.min),
            low: counter.usage.min(counter.limits.low),
        };
        let new = counter.held;
        let parent = counter.parent;
        if let Some(parent) = self.all.at_mut(parent) {
            parent.children.min = parent.children.min - old.min + new.min;
            parent.children.low = parent.children.low - old.low + new.low;
        }
    }

    /// Is a cgroup on the path up to the root above its `memory.high`? Returns the first such
    /// cgroup.
    pub fn over_high(&self, group: GroupIndex) -> Option<GroupIndex> {
        self.path(group)
            .find(|&at| self.all[at].usage > self.all[at].limits.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Counters {
        let mut counters = Counters::default();
        counters.add(GroupIndex::NONE, Limits::default());
        let limits = |max, low| Limits {
            max,
            low,
            ..Limits::default()
        };
        counters.add(GroupIndex::new(0), limits(1000, 0));
        counters.add(GroupIndex::new(1), limits(600, 200));
        counters.add(GroupIndex::new(1), limits(UNLIMITED, 50));
        counters
    }

    #[test]
    fn charges_every_level_or_none() {
        let (mut tree, parent) = (tree(), GroupIndex::new(1));
        let [a, b] = [2, 3].map(GroupIndex::new);
        assert_eq!(tree.try_charge(a, 600), Ok(()));
        assert_eq!(tree.try_charge(a, 1), Err(a));
        assert_eq!(tree.try_charge(b, 401), Err(parent));
        assert_eq!(tree.try_charge(b, 400), Ok(()));
        let usages: Vec<u32> = tree.all.iter().map(|c| c.usage).collect();
        assert_eq!(usages, [1000, 1000, 600, 400]);
        assert_eq!(tree.all[parent].margin(), 0);
    }

    #[test]
    fn sums_the_protected_usage_of_children() {
        let (mut tree, parent) = (tree(), GroupIndex::new(1));
        let [a, b] = [2, 3].map(GroupIndex::new);
        tree.charge(a, 120);
        tree.charge(b, 70);
        assert_eq!(tree.all[parent].children.low, 170);
        tree.charge(a, 300);
        assert_eq!(tree.all[parent].children.low, 250);
        tree.uncharge(b, 60);
        tree.set(a, Limits::default());
        assert_eq!(tree.all[parent].children.low, 10);
    }

    #[test]
    fn finds_the_first_level_above_its_high_limit() {
        let (mut tree, parent) = (tree(), GroupIndex::new(1));
        let limits = Limits {
            high: 100,
            ..Limits::default()
        };
        tree.set(parent, limits);
        tree.charge(GroupIndex::new(2), 100);
        assert_eq!(tree.over_high(GroupIndex::new(2)), None);
        tree.charge(GroupIndex::new(3), 1);
        assert_eq!(tree.over_high(GroupIndex::new(2)), Some(parent));
    }
}
