//! The task with which a task shares most pages (kernel/sched/fair.c: `shared_fault_tick`,
//! `shared_fault_full_scan_done`, 22 November 2012).
//!
//! Modelled: all of it. The kernel assumes that the page was touched by the task that now runs on
//! the CPU recorded for the page. Tasks are ordered by their addresses: a task keeps the highest
//! sharer below itself, so a group becomes a chain.
//! Invariants: the buddy of a task has a lower rank.

use facts::index::TaskIndex;
use facts::state::State;

/// A hinting fault on a page that another CPU touched last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// The task that now runs on that CPU; `None` if it is idle.
    pub other: Option<TaskIndex>,
    /// True if the page is on the node of the faulting task.
    pub is_local: bool,
    /// Number of base pages.
    pub pages: u64,
}

/// The task with which a task shares most pages. Ranks identify tasks and stand for their addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Buddy {
    /// The buddy (`shared_buddy`).
    pub task: Option<TaskIndex>,
    /// Pages shared with the buddy per pass, decayed (`shared_buddy_faults`).
    pub faults: u64,
    /// The best candidate in the current pass (`shared_buddy_curr`).
    pub candidate: Option<TaskIndex>,
    /// Pages shared with the candidate in the current pass (`shared_buddy_faults_curr`).
    pub candidate_faults: u64,
}

impl Buddy {
    /// Counts a fault of the task with rank `own`.
    pub fn count(&mut self, own: TaskIndex, fault: Shared) {
        let Some(other) = fault.other.filter(|_| fault.is_local) else {
            return;
        };
        if self.candidate == Some(other) {
            self.candidate_faults += fault.pages;
        } else if other < own && self.candidate.is_none_or(|candidate| candidate < other) {
            self.candidate = Some(other);
            self.candidate_faults = fault.pages;
        }
    }

    /// Ends a pass. The candidate becomes the buddy if it shares more pages than the buddy did;
    /// else the buddy's count decays. Returns true if the buddy changed.
    pub fn end_pass(&mut self) -> bool {
        let candidate = self.candidate.take();
        let faults = std::mem::take(&mut self.candidate_faults);
        let is_better = faults > self.faults;
        if is_better {
            (self.task, self.faults) = (candidate, faults);
        } else {
            self.faults = (3 * self.faults + faults) / 4;
        }
        is_better
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The candidate of task 5 after faults on pages of other tasks.
    fn candidate(faults: &[(u32, u64)]) -> (Option<u32>, u64) {
        let mut buddy = Buddy::default();
        for &(other, pages) in faults {
            let fault = Shared {
                other: Some(TaskIndex::new(other)),
                is_local: true,
                pages,
            };
            buddy.count(TaskIndex::new(5), fault);
        }
        (buddy.candidate.map(TaskIndex::get), buddy.candidate_faults)
    }

    #[test]
    fn chooses_the_sharing_task_with_the_next_lower_number() {
        assert_eq!(candidate(&[(3, 10), (3, 10)]), (Some(3), 20));
        assert_eq!(candidate(&[(3, 10), (4, 5), (3, 10)]), (Some(4), 5));
        assert_eq!(candidate(&[(6, 10), (7, 10)]), (None, 0));
        assert_eq!(candidate(&[(4, 5), (3, 10), (4, 5)]), (Some(4), 10));
        assert_eq!(candidate(&[(2, 100), (4, 1), (2, 100)]), (Some(4), 1));
    }

    #[test]
    fn ignores_faults_on_remote_pages_and_from_idle_cpus() {
        let mut buddy = Buddy::default();
        let fault = |other, is_local| Shared {
            other,
            is_local,
            pages: 1,
        };
        buddy.count(TaskIndex::new(5), fault(Some(TaskIndex::new(4)), false));
        buddy.count(TaskIndex::new(5), fault(None, true));
        assert_eq!(buddy, Buddy::default());
    }

    /// A record with task 3 as the buddy, its count, and a candidate.
    fn buddy(faults: u64, candidate: Option<TaskIndex>, candidate_faults: u64) -> Buddy {
        Buddy {
            task: Some(TaskIndex::new(3)),
            faults,
            candidate,
            candidate_faults,
        }
    }

    #[test]
    fn a_weaker_candidate_only_lowers_the_count_of_the_buddy() {
        let mut found = buddy(1500, Some(TaskIndex::new(4)), 1200);
        assert!(!found.end_pass());
        assert_eq!(found, buddy(1425, None, 0));
    }

    #[test]
    fn the_fault_count_of_the_buddy_decays_without_a_candidate() {
        let mut found = buddy(1500, None, 0);
        for faults in [1125, 843, 632, 474, 355, 266] {
            assert!(!found.end_pass());
            assert_eq!(found, buddy(faults, None, 0));
        }
    }

    #[test]
    fn a_stronger_candidate_replaces_the_buddy() {
        let mut found = buddy(1068, Some(TaskIndex::new(4)), 2000);
        assert!(found.end_pass());
        assert_eq!((found.task, found.faults), (Some(TaskIndex::new(4)), 2000));
        assert_eq!((found.candidate, found.candidate_faults), (None, 0));
    }
}
