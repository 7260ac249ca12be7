//! How many files each task created, and in how much time.
//!
//! Modelled: nothing of a kernel, only the clock of each thread of a benchmark that creates files.
//! Left out: entries beyond the limit of a log ([`super::log::MOST`]).
//! Invariants: a task has at most one open entry at a time; the entry ends with its operation or
//! with the task.

use facts::index::TaskIndex;
use facts::state::{CloneFrom, State};

use super::log::Log;

/// The files that one operation of a task created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Created {
    /// The task.
    pub task: TaskIndex,
    /// Files created and closed.
    pub files: u32,
    /// When the operation began, ns.
    pub from_ns: u64,
    /// When the operation ended, ns.
    pub to_ns: u64,
}

/// All entries.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Creating {
    /// Entries that have ended, in the order in which they ended.
    pub done: Log<Created>,
    /// Entries that have not ended; their end time equals their start time.
    pub running: Vec<Created>,
}

impl Creating {
    /// Begins an entry when a task begins to create files.
    pub fn begin(&mut self, task: TaskIndex, now: u64) {
        self.running.push(Created {
            task,
            files: 0,
            from_ns: now,
            to_ns: now,
        });
    }

    /// Counts a file that the task created.
    pub fn file(&mut self, task: TaskIndex) {
        if let Some(of) = self.running.iter_mut().find(|of| of.task == task) {
            of.files += 1;
        }
    }

    /// Ends the task's entry when its operation or the task ends.
    pub fn end(&mut self, task: TaskIndex, now: u64) {
        if let Some(at) = self.running.iter().position(|of| of.task == task) {
            let of = self.running.remove(at);
            self.done.push(Created { to_ns: now, ..of });
        }
    }

    /// The entries that have ended, and the others with `now` as their end.
    pub fn until(&self, now: u64) -> impl Iterator<Item = Created> + '_ {
        let running = self
            .running
            .iter()
            .map(move |of| Created { to_ns: now, ..*of });
        self.done.iter().copied().chain(running)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_files_and_time_of_each_task_separately() {
        let mut c = Creating::default();
        c.begin(TaskIndex::new(7), 10);
        c.begin(TaskIndex::new(8), 20);
        c.file(TaskIndex::new(8));
        c.file(TaskIndex::new(7));
        c.file(TaskIndex::new(7));
        c.end(TaskIndex::new(7), 50);
        // Task 7 has no entry now, so this changes nothing.
        c.file(TaskIndex::new(7));
        c.end(TaskIndex::new(7), 60);
        let found: Vec<_> = c
            .until(90)
            .map(|of| (of.task.get(), of.files, of.to_ns - of.from_ns))
            .collect();
        assert_eq!(found, [(7, 2, 40), (8, 1, 70)]);
    }
}
