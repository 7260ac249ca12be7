//! Pages that a CPU has prepaid for one cgroup (mm/memcontrol.c `struct memcg_stock_pcp`).
//!
//! Modelled: taking pages out, adding the rest of a batch, giving everything back.
//! Invariants: a stock has at most 64 pages; a stock without pages belongs to no cgroup.

use super::BATCH;
use super::counter::Counters;
use facts::index::GroupIndex;
use facts::state::State;

/// The stock of one CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Stock {
    /// The cgroup that was charged for the pages.
    pub group: GroupIndex,
    /// Number of pages.
    pub pages: u32,
}

impl Stock {
    /// Takes pages out, if there are enough of this cgroup (`consume_stock`).
    pub fn consume(&mut self, group: GroupIndex, pages: u32) -> bool {
        let enough = self.group == group && pages <= self.pages;
        if enough {
            self.pages -= pages;
            self.settle();
        }
        enough
    }

    /// Adds pages for which a cgroup was charged; the pages of another cgroup are returned first.
    /// More than 64 pages are all returned (`refill_stock`).
    pub fn refill(&mut self, counters: &mut Counters, group: GroupIndex, pages: u32) {
        if self.group != group {
            self.drain(counters);
        }
        self.group = group;
        self.pages += pages;
        if self.pages > BATCH {
            self.drain(counters);
        }
        self.settle();
    }

    /// Returns all pages (`drain_stock`).
    pub fn drain(&mut self, counters: &mut Counters) {
        if self.pages > 0 {
            counters.uncharge(self.group, self.pages);
        }
        *self = Self::default();
    }

    fn settle(&mut self) {
        if self.pages == 0 {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memcg::counter::Limits;

    #[test]
    fn holds_pages_of_one_cgroup_and_at_most_one_batch() {
        let mut counters = Counters::default();
        let [root, a, b] = [0, 1, 2].map(GroupIndex::new);
        counters.add(GroupIndex::NONE, Limits::default());
        counters.add(root, Limits::default());
        counters.add(root, Limits::default());
        let mut stock = Stock::default();
        counters.charge(a, 64);
        stock.refill(&mut counters, a, 63);
        // A page for B: A gets its 63 pages back.
        counters.charge(b, 64);
        stock.refill(&mut counters, b, 63);
        assert_eq!((counters.all[a].usage, counters.all[b].usage), (1, 64));
        assert_eq!(
            stock,
            Stock {
                group: b,
                pages: 63
            }
        );
        // 63 more pages would make 126.
        counters.charge(b, 63);
        stock.refill(&mut counters, b, 63);
        assert_eq!((counters.all[b].usage, stock), (1, Stock::default()));
    }

    #[test]
    fn pays_for_its_own_cgroup_only_and_for_no_more_pages_than_it_has() {
        let mut stock = Stock {
            group: GroupIndex::new(1),
            pages: 3,
        };
        assert!(!stock.consume(GroupIndex::new(2), 1));
        assert!(!stock.consume(GroupIndex::new(1), 4));
        assert!(stock.consume(GroupIndex::new(1), 3));
        assert_eq!(stock, Stock::default());
    }
}
