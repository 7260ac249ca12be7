//! How many operations of a benchmark were finished, and in how much time.
//!
//! Modelled: nothing of a kernel, only the counter and the stopwatch of a benchmark that prints
//! operations per second. All tasks of a program share one counter.
//! Left out: an operation that is not finished when the run ends: neither it nor its time counts.
//! Visible difference: none; counting takes no time.
//! Invariants: one entry for each sampler of a program that has begun, in the order they began.

use facts::state::State;

/// The operations of one sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Done {
    /// Index of the program.
    pub program: u32,
    /// Index of the sampler in the program.
    pub sampler: u32,
    /// When the first task began, ns.
    pub since_ns: u64,
    /// When the last operation ended, ns; until then, when the first task began.
    pub until_ns: u64,
    /// Number of finished operations.
    pub operations: u64,
}

/// All entries, one for each sampler.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Operations {
    /// Entries in the order they began.
    pub all: Vec<Done>,
}

impl Operations {
    /// Records that a task begins its operations: the time of the first task counts.
    pub fn begin(&mut self, program: u32, sampler: u32, now: u64) {
        if self.of(program, sampler).is_none() {
            self.all.push(Done {
                program,
                sampler,
                since_ns: now,
                until_ns: now,
                operations: 0,
            });
        }
    }

    /// Counts a finished operation of a task.
    pub fn done(&mut self, program: u32, sampler: u32, now: u64) {
        let found = self.of(program, sampler);
        let done = found.expect("compiled programs begin a round before they end it");
        done.operations += 1;
        done.until_ns = now;
    }

    fn of(&mut self, program: u32, sampler: u32) -> Option<&mut Done> {
        let mut all = self.all.iter_mut();
        all.find(|done| (done.program, done.sampler) == (program, sampler))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_a_program_share_one_count_from_the_first_start_to_the_last_end() {
        let mut operations = Operations::default();
        operations.begin(1, 0, 100);
        operations.begin(1, 0, 130);
        operations.begin(2, 0, 140);
        operations.done(1, 0, 150);
        operations.done(1, 0, 180);
        // A second period of the same program: the time between both periods counts.
        operations.begin(1, 0, 300);
        operations.done(1, 0, 350);
        let found = operations.all.iter();
        let found = found.map(|d| (d.program, d.operations, d.since_ns, d.until_ns));
        let found: Vec<_> = found.collect();
        assert_eq!(found, [(1, 3, 100, 350), (2, 0, 140, 140)]);
    }
}
