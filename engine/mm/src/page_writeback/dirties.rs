//! Who dirtied how much lately (mm/page-writeback.c, lib/proportions.c, to 3.1).
//!
//! Modelled: each CPU's count of pages dirtied since one of its tasks last looked; each task's part
//! of the pages dirtied lately, and the lower limit a heavy writer gets for it.
//! Left out: counts kept for each CPU and folded in batches; a change of the period rescaling them.
//! Who could tell: nobody, to within a few pages in thousands.
//! Invariants: all parts together are at most 1; a task's limit is at least half of the whole.

use crate::kernel::DirtyThrottle;
use crate::world::World;
use facts::state::State;

/// What one task dirtied lately, halved with each period (`struct prop_local_single`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct TaskDirties {
    /// Pages.
    events: u64,
    /// Pages all tasks had dirtied when the period began in which it was last halved.
    period: u64,
}

impl TaskDirties {
    /// Halves it for each period that ended since (`prop_norm_single`).
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

/// Pages dirtied, by CPU and by task.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Dirties {
    /// Pages dirtied on each CPU since one of its tasks last looked (`bdp_ratelimits`).
    cpus: Vec<u32>,
    /// By task; those beyond its end dirtied none (`task_struct.dirties`).
    tasks: Vec<TaskDirties>,
    /// Pages dirtied by all (`vm_dirties`).
    all: u64,
}

impl Dirties {
    /// Nothing is dirtied yet on a machine with so many CPUs.
    pub fn new(cpus: usize) -> Self {
        Self {
            cpus: vec![0; cpus],
            ..Self::default()
        }
    }

    /// A page was written to on this CPU: once `most` were, how many, and the count begins again.
    pub fn count_on_cpu(&mut self, cpu: u16, most: u32) -> Option<u32> {
        let count = &mut self.cpus[usize::from(cpu)];
        *count += 1;
        (*count >= most).then(|| std::mem::take(count))
    }

    /// A task dirtied a page (`task_dirty_inc`). A period is so many pages long.
    fn count_for_task(&mut self, task: u32, period: u64) {
        let task = task as usize;
        if task >= self.tasks.len() {
            self.tasks.resize(task + 1, TaskDirties::default());
        }
        self.tasks[task].normalise(self.all, period);
        self.tasks[task].events += 1;
        self.all += 1;
    }

    /// A task's part of a limit: less by an eighth of its own part of what was dirtied lately, and
    /// at least half (`task_dirty_limit`).
    pub fn limit_of_task(&mut self, task: u32, limit: u64, period: u64) -> u64 {
        let Some(own) = self.tasks.get_mut(task as usize) else {
            return limit;
        };
        own.normalise(self.all, period);
        let less = limit / 8 * own.events / (period + self.all % period);
        limit.saturating_sub(less).max(limit / 2)
    }
}

/// The running task dirtied a page of a file (`account_page_dirtied`).
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
    fn a_cpu_counts_for_all_its_tasks_and_begins_again() {
        let mut d = Dirties::new(2);
        let counted: Vec<_> = (0..10).map(|_| d.count_on_cpu(1, 4)).collect();
        let looks: Vec<_> = (0..10).filter(|&i| counted[i] == Some(4)).collect();
        assert_eq!(looks, [3, 7]);
        // Somebody found too much dirty: whoever writes next on this CPU looks, for all of them.
        assert_eq!(d.count_on_cpu(1, 1), Some(3));
        assert_eq!(d.count_on_cpu(0, 4), None);
    }

    #[test]
    fn who_dirtied_more_gets_less() {
        let mut d = Dirties::new(1);
        assert_eq!(d.limit_of_task(3, 8000, PERIOD), 8000);
        for i in 0..PERIOD - 1 {
            d.count_for_task(if i % 4 == 0 { 1 } else { 2 }, PERIOD);
        }
        // 256 and 767 of 1,023, measured against the period and what was counted in it.
        assert_eq!(d.limit_of_task(1, 8000, PERIOD), 8000 - 1000 * 256 / 2047);
        assert_eq!(d.limit_of_task(2, 8000, PERIOD), 8000 - 1000 * 767 / 2047);
        // A task that never wrote has the whole limit.
        assert_eq!(d.limit_of_task(0, 8000, PERIOD), 8000);
    }

    #[test]
    fn what_was_dirtied_is_forgotten_by_halves() {
        let mut d = Dirties::new(1);
        (0..PERIOD).for_each(|_| d.count_for_task(0, PERIOD));
        // The first period ended: 512 of 1,024.
        assert_eq!(d.limit_of_task(0, 8000, PERIOD), 8000 - 500);
        (0..3 * PERIOD).for_each(|_| d.count_for_task(1, PERIOD));
        assert_eq!(d.limit_of_task(0, 8000, PERIOD), 8000 - 1000 * 64 / 1024);
        // One who writes alone comes to nearly all of it, as halves round down: 7/8 of the limit.
        (0..70 * PERIOD).for_each(|_| d.count_for_task(1, PERIOD));
        assert_eq!(d.limit_of_task(1, 8000, PERIOD), 8000 - 999);
        assert_eq!(d.limit_of_task(0, 8000, PERIOD), 8000);
    }
}
