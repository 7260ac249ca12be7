//! When placement runs, and when a scan ends (kernel/sched/fair.c: `task_tick_numa_placement`, the end of the walk
//! in `task_numa_scan_work`; 30 November 2012).
//!
//! Modelled: all of it.
//! Left out: the rest of a scan, which is the same as in other kernels.
//! Invariants: a busy CPU places its task at least once a second, if there are no more CPUs than jiffies per
//! second.

use facts::index::CpuIndex;

/// The CPU whose task may be placed at a jiffy.
pub fn placing_cpu(jiffy: u64, cpus: u16) -> CpuIndex {
    CpuIndex::new((jiffy % u64::from(cpus.max(1))) as u16)
}

/// Should that task be placed? Yes if, since its last placement, a pass of its process has ended or a new
/// second has begun.
pub fn is_due(pass_ended: bool, placed_second: u64, jiffy: u64, hz: u64) -> bool {
    pass_ended || second_of(jiffy, hz) != placed_second
}

/// The second that contains a jiffy.
pub fn second_of(jiffy: u64, hz: u64) -> u64 {
    jiffy / hz.max(1)
}

/// Remaining budget of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    /// Pages that the scan may still mark; negative if the last slice marked more.
    left: i64,
    /// Number of pages the scan has passed.
    walked: u64,
    /// Number of passed pages after which the scan ends; `None` in v17.
    limit: Option<u64>,
}

impl Walk {
    /// A scan with a budget of `pages`.
    pub fn new(pages: u32, ends_overscan: bool) -> Self {
        let twice = 2 * u64::from(pages);
        Self {
            left: pages.into(),
            walked: 0,
            limit: ends_overscan.then_some(twice),
        }
    }

    /// Number of pages that the scan may still mark. The next slice has this length, rounded up to
    /// a huge page.
    pub fn left(&self) -> u64 {
        self.left.max(0) as u64
    }

    /// Counts a slice and the pages marked in it. Returns true if the scan ends.
    pub fn ends_after(&mut self, slice: u64, marked: u64) -> bool {
        self.left -= marked as i64;
        self.walked += slice;
        self.left <= 0 || self.limit.is_some_and(|limit| self.walked >= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cpu_places_its_task_at_a_different_jiffy() {
        let table = [(1000, 8), (1008, 16), (1031, 7), (1032, 8), (2000, 16)];
        for (jiffy, cpu) in table {
            assert_eq!(placing_cpu(jiffy, 32).get(), cpu, "jiffy {jiffy}");
        }
        let due = |pass_ended, placed, jiffy| is_due(pass_ended, placed, jiffy, 1000);
        for jiffy in [1000, 1008, 1031] {
            assert!(due(false, 0, jiffy) && due(true, 1, jiffy));
        }
        assert!(!due(false, 1, 1032) && due(true, 1, 1032));
        assert!(due(false, 1, 2000));
    }

    #[test]
    fn a_v18_scan_ends_after_visiting_twice_its_size() {
        let mut walk = Walk::new(1024, true);
        assert!(!walk.ends_after(1024, 256));
        // 768 pages are left. Rounded up to huge pages, the next slice has 1024 pages.
        assert_eq!(walk.left(), 768);
        assert!(walk.ends_after(1024, 256));
        let mut v17 = Walk::new(1024, false);
        assert!(!v17.ends_after(1024, 256) && !v17.ends_after(1024, 256));
    }

    #[test]
    fn a_scan_that_marks_no_page_ends() {
        let mut walk = Walk::new(1024, true);
        assert!(!walk.ends_after(1024, 0));
        assert!(walk.ends_after(1024, 0));
    }

    #[test]
    fn a_scan_ends_when_its_budget_is_used_up() {
        assert!(Walk::new(1024, true).ends_after(1024, 1024));
        assert!(Walk::new(700, true).ends_after(1024, 1024));
    }
}
