//! Moving tasks from queue to queue (kernel/sched/fair.c: `can_migrate_task`, `move_tasks`; 3.7).
//!
//! Modelled: waiting tasks up to the imbalance, at most 32. They must be allowed to run here and
//! not have run just now; after failures, those that ran just now are also taken. A moved task
//! keeps its lead or lag in virtual run time.
//! Left out: the order of the kernel's list, which begins with the task that joined the queue last:
//! here tasks are tried by id. The stop after the first task, which only preemptible kernels make.
//! Visible difference: which of several waiting tasks moves.
//! Invariants: a running task is never taken; a task is on one queue before and after.

use crate::sched::Sched;
use crate::sched::load::{MIGRATION_COST_NS, TASK_LOAD};
use facts::index::{CpuIndex, TaskIndex};

/// Maximum number of tasks tried in one balancing (`sysctl_sched_nr_migrate`).
const NR_MIGRATE: usize = 32;

/// Decision whether a waiting task is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The task is moved.
    Moves,
    /// The task may not run on the new CPU.
    Pinned,
    /// The task is cache-hot: it ran this many ns ago.
    Hot(u64),
}

/// The waiting tasks of a queue that are taken, or why they are not, until the imbalance is used
/// up. Only tasks that pass `looked_at` are tried. The only task of a queue stays, because it is
/// about to run there.
pub fn chosen(
    sched: &Sched,
    looked_at: impl Fn(TaskIndex) -> bool,
    allowed: impl Fn(TaskIndex) -> bool,
    (busiest, mut imbalance): (CpuIndex, u64),
    (now, hot_too): (u64, &dyn Fn(TaskIndex) -> bool),
) -> Vec<(TaskIndex, Verdict)> {
    let c = &sched.cpus[busiest];
    let mut waiting = c.queue.clone();
    waiting.retain(|&task| looked_at(task));
    waiting.sort_unstable();
    let most = NR_MIGRATE.min(waiting.len() + usize::from(c.current != TaskIndex::NONE));
    let mut verdicts = Vec::new();
    if sched.nr_running(busiest) < 2 {
        return verdicts;
    }
    for task in waiting.into_iter().take(most) {
        if imbalance < TASK_LOAD / 2 {
            break;
        }
        let ago = sched.balance.since_it_ran(task, now);
        let verdict = if !allowed(task) {
            Verdict::Pinned
        } else if ago < MIGRATION_COST_NS && !hot_too(task) {
            Verdict::Hot(ago)
        } else {
            imbalance = imbalance.saturating_sub(TASK_LOAD);
            Verdict::Moves
        };
        verdicts.push((task, verdict));
    }
    verdicts
}

impl Sched {
    /// Moves a waiting task to another CPU's queue; an idle CPU starts it no earlier than `at`.
    pub fn migrate(
        &mut self,
        task: TaskIndex,
        from: CpuIndex,
        to: CpuIndex,
        at: u64,
        running_on: CpuIndex,
    ) {
        let c = &mut self.cpus[from];
        c.queue.retain(|&t| t != task);
        let key = c.key();
        self.note(from, key);
        self.carry(task, from, to);
        self.enqueue(task, to, at, running_on);
        self.balance.moved.push((task, to));
    }

    /// Puts the running task of a CPU back into its queue, while an interrupt is handled there.
    pub fn interrupt_current(&mut self, cpu: CpuIndex) -> TaskIndex {
        let c = &mut self.cpus[cpu];
        let task = std::mem::replace(&mut c.current, TaskIndex::NONE);
        if task != TaskIndex::NONE {
            let ran = c.irq_since.saturating_sub(c.since);
            self.vruntime[task] += ran;
            self.ran[task] += ran;
            self.in_user[task] += c.take_user();
            c.queue.push(task);
            let at = c.irq_since;
            self.balance.left(task, at);
        }
        task
    }

    /// Adjusts a task's virtual runtime to a new queue, so that its distance from the minimum of
    /// its queue stays the same.
    pub fn carry(&mut self, task: TaskIndex, from: CpuIndex, to: CpuIndex) {
        let least = |cpu: CpuIndex| self.cpus[cpu].min_vruntime;
        let (from, to) = (least(from), least(to));
        if let Some(vruntime) = self.vruntime.at_mut(task) {
            *vruntime = (*vruntime + to).saturating_sub(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::domains::Domains;
    use crate::sched::load::Balancing;
    use facts::index::NodeIndex;

    const NOW: u64 = 10_000_000;

    /// CPU 0 runs task 0 while tasks 1, 2 and 3 wait; task 1 left a CPU just now.
    fn queue() -> Sched {
        let mut sched = Sched::new(2, 250);
        sched.balance = Balancing::new(&Domains::default(), &[NodeIndex::new(0); 2]);
        sched.cpus[CpuIndex::new(0)].current = TaskIndex::new(0);
        sched.cpus[CpuIndex::new(0)].queue = [3, 1, 2].map(TaskIndex::new).to_vec();
        sched.vruntime = vec![5_000; 4].into();
        (sched.ran, sched.in_user) = (vec![0; 4].into(), vec![0; 4].into());
        sched
            .balance
            .left(TaskIndex::new(1), NOW - MIGRATION_COST_NS + 1);
        sched
            .balance
            .left(TaskIndex::new(2), NOW - MIGRATION_COST_NS);
        sched
    }

    #[test]
    fn cache_hot_tasks_stay_until_balancing_has_failed() {
        let verdicts = |hot_too| {
            chosen(
                &queue(),
                |_| true,
                |_| true,
                (CpuIndex::new(0), 1024),
                (NOW, &|_| hot_too),
            )
        };
        let hot = (TaskIndex::new(1), Verdict::Hot(MIGRATION_COST_NS - 1));
        assert_eq!(verdicts(false), [hot, (TaskIndex::new(2), Verdict::Moves)]);
        assert_eq!(verdicts(true), [(TaskIndex::new(1), Verdict::Moves)]);
    }

    #[test]
    fn takes_tasks_up_to_the_imbalance() {
        let moves = |imbalance| {
            let verdicts = chosen(
                &queue(),
                |_| true,
                |task| task != TaskIndex::new(2),
                (CpuIndex::new(0), imbalance),
                (NOW, &|_| true),
            );
            verdicts.iter().filter(|t| t.1 == Verdict::Moves).count()
        };
        // An imbalance of half a task's load is enough to move a task.
        let expected = [(0, 0), (511, 0), (512, 1), (1024, 1), (1536, 2), (9999, 2)];
        for (imbalance, n) in expected {
            assert_eq!(moves(imbalance), n, "{imbalance}");
        }
        let verdicts = chosen(
            &queue(),
            |_| true,
            |task| task != TaskIndex::new(2),
            (CpuIndex::new(0), 9999),
            (NOW, &|_| true),
        );
        assert_eq!(verdicts[1], (TaskIndex::new(2), Verdict::Pinned));
    }

    #[test]
    fn does_not_move_the_only_task_of_a_queue() {
        let mut sched = queue();
        (
            sched.cpus[CpuIndex::new(0)].current,
            sched.cpus[CpuIndex::new(0)].queue,
        ) = (TaskIndex::NONE, vec![TaskIndex::new(3)]);
        assert_eq!(
            chosen(
                &sched,
                |_| true,
                |_| true,
                (CpuIndex::new(0), 1024),
                (NOW, &|_| true)
            ),
            []
        );
    }

    /// A moved task stays as far behind the minimum of its queue as it was before.
    #[test]
    fn a_moved_task_keeps_its_lag_in_virtual_run_time() {
        let mut sched = queue();
        (
            sched.cpus[CpuIndex::new(0)].min_vruntime,
            sched.cpus[CpuIndex::new(1)].min_vruntime,
        ) = (4_000, 70_000);
        sched.migrate(
            TaskIndex::new(2),
            CpuIndex::new(0),
            CpuIndex::new(1),
            NOW,
            CpuIndex::new(1),
        );
        assert_eq!(
            sched.cpus[CpuIndex::new(0)].queue,
            [3, 1].map(TaskIndex::new)
        );
        assert_eq!(sched.cpus[CpuIndex::new(1)].queue, [TaskIndex::new(2)]);
        assert_eq!(sched.vruntime[TaskIndex::new(2)], 71_000);
        assert_eq!(sched.balance.moved, [(TaskIndex::new(2), CpuIndex::new(1))]);
        assert_eq!(
            (
                sched.nr_running(CpuIndex::new(0)),
                sched.nr_running(CpuIndex::new(1))
            ),
            (3, 1)
        );
    }
}
