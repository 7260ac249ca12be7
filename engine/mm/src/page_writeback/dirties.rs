//! The pages dirtied recently, by CPU and by task (mm/page-writeback.c, lib/proportions.c, up to
//! 3.1).
//!
//! Modelled: each CPU's count of pages dirtied since one of its tasks last checked; each task's
//! share of the recently dirtied pages, and the lower limit for heavy writers.
//! Left out: counts collected per CPU and merged in batches; rescaling when the period changes.
//! Visible difference: none; the counts differ by a few pages in thousands.
//! Invariants: the sum of all shares is at most 1; a task's limit is at least half of the whole
//! limit.

use crate::kernel::DirtyThrottle;
use crate::world::World;
use facts::index::{CpuIndex, IndexVec, TaskIndex};
use facts::state::State;

/// Recently dirtied pages of one task, halved each period (`struct prop_local_single`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct TaskDirties {
    /// Number of pages dirtied recently.
    events: u64,
    /// Start of the period in which the count was last halved, in pages dirtied by all tasks.
    period: u64,
}

impl TaskDirties {
    /// Halves the count for each period that has ended since the last call (`prop_norm_single`).
    fn normalise(&mut self, all: u64, length: u64) {
        let period = all / length * length;
        let halvings = (period - self.period.min(period)) / length;
        self.events = self
            .events
            .checked_shr(halvings.min(64) as u32)
            .unwrap_or(0);
        self.period = period;
    }
}

/// Numbers of dirtied pages, by CPU and by task.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Dirties {
    /// Pages dirtied on each CPU since one of its tasks last checked (`bdp_ratelimits`).
    cpus: IndexVec<CpuIndex, u32>,
    /// Recent pages of each task; tasks beyond the end dirtied no page (`task_struct.dirties`).
    tasks: IndexVec<TaskIndex, TaskDirties>,
    /// Pages dirtied by all tasks (`vm_dirties`).
    all: u64,
}

impl Dirties {
    /// Empty counts for a machine with `cpus` CPUs.
    pub fn new(cpus: usize) -> Self {
        Self {
            cpus: vec![0; cpus].into(),
            ..Self::default()
        }
    }

    /// Counts a page dirtied on this CPU. If the count reaches `most`, returns it and resets it.
    pub fn count_on_cpu(&mut self, cpu: CpuIndex, most: u32) -> Option<u32> {
        let count = &mut self.cpus[cpu];
        *count += 1;
        (*count >= most).then(|| std::mem::take(count))
    }

    /// Counts a page dirtied by a task (`task_dirty_inc`). `period` is the length of a period in
    /// pages.
    fn count_for_task(&mut self, task: TaskIndex, period: u64) {
        let own = self.tasks.grow_to(task, TaskDirties::default);
        own.normalise(self.all, period);
        own.events += 1;
        self.all += 1;
    }

    /// The limit of a task: lower than `limit` by an eighth of the task's share of the recently
    /// dirtied pages, and at least half of `limit` (`task_dirty_limit`).
    pub fn limit_of_task(&mut self, task: TaskIndex, limit: u64, period: u64) -> u64 {
        let Some(own) = self.tasks.at_mut(task) else {
            return limit;
        };
        own.normalise(self.all, period);
        let less = limit / 8 * own.events / (period + self.all % period);
        limit.saturating_sub(less).max(limit / 2)
    }
}

/// Counts a file page that the running task dirtied (`account_page_dirtied`).
pub fn task_dirty_inc(w: &mut World) {
    if w.facts.features.dirty_throttle == DirtyThrottle::WriterWrites {
        w.wb.dirties.count_for_task(w.task, w.wb.period);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: u64 = 1024;

    #[test]
    fn counts_pages_of_all_tasks_of_a_cpu_and_resets_at_the_limit() {
        let mut d = Dirties::new(2);
        let counted: Vec<_> = (0..10)
            .map(|_| d.count_on_cpu(CpuIndex::new(1), 4))
            .collect();
        let checks: Vec<_> = (0..10).filter(|&i| counted[i] == Some(4)).collect();
        assert_eq!(checks, [3, 7]);
        // While the limit is exceeded, the next write on this CPU triggers a check for all pages
        // counted.
        assert_eq!(d.count_on_cpu(CpuIndex::new(1), 1), Some(3));
        assert_eq!(d.count_on_cpu(CpuIndex::new(0), 4), None);
    }

    #[test]
    fn lowers_the_limit_of_a_task_by_its_share_of_the_dirtied_pages() {
        let mut d = Dirties::new(1);
        assert_eq!(d.limit_of_task(TaskIndex::new(3), 8000, PERIOD), 8000);
        for i in 0..PERIOD - 1 {
            d.count_for_task(
                if i % 4 == 0 {
                    TaskIndex::new(1)
                } else {
                    TaskIndex::new(2)
                },
                PERIOD,
            );
        }
        // 256 and 767 of 1,023 pages, divided by the period plus the pages counted in the period.
        assert_eq!(
            d.limit_of_task(TaskIndex::new(1), 8000, PERIOD),
            8000 - 1000 * 256 / 2047
        );
        assert_eq!(
            d.limit_of_task(TaskIndex::new(2), 8000, PERIOD),
            8000 - 1000 * 767 / 2047
        );
        // A task that never wrote has the whole limit.
        assert_eq!(d.limit_of_task(TaskIndex::new(0), 8000, PERIOD), 8000);
    }

    #[test]
    fn halves_the_dirtied_pages_each_period() {
        let mut d = Dirties::new(1);
        (0..PERIOD).for_each(|_| d.count_for_task(TaskIndex::new(0), PERIOD));
        // The first period has ended: 512 of 1,024.
        assert_eq!(d.limit_of_task(TaskIndex::new(0), 8000, PERIOD), 8000 - 500);
        (0..3 * PERIOD).for_each(|_| d.count_for_task(TaskIndex::new(1), PERIOD));
        assert_eq!(
            d.limit_of_task(TaskIndex::new(0), 8000, PERIOD),
            8000 - 1000 * 64 / 1024
        );
        // A task that is the only writer has nearly all pages, because halving rounds down: 7/8 of
        // the limit.
        (0..70 * PERIOD).for_each(|_| d.count_for_task(TaskIndex::new(1), PERIOD));
        assert_eq!(d.limit_of_task(TaskIndex::new(1), 8000, PERIOD), 8000 - 999);
        assert_eq!(d.limit_of_task(TaskIndex::new(0), 8000, PERIOD), 8000);
    }
}
