//! How many operations of a benchmark were done, and in what time.
//!
//! Modelled: nothing of a kernel: the counter and the stopwatch of a benchmark that prints operations a
//! second. All tasks of a program count into one.
//! Left out: an operation under way when the run ends: it is not counted, and neither is its time.
//! Who could tell: nobody; counting costs no time.
//! Invariants: one entry for each sampler of a program that has begun, in the order they began.

use facts::state::State;

/// What was done of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Done {
    /// Program it is of.
    pub program: u32,
    /// Which of the program's samplers.
    pub sampler: u32,
    /// When the first task began, ns.
    pub since_ns: u64,
    /// When the last operation ended, ns; before any has, when the first task began.
    pub until_ns: u64,
    /// Operations that ended.
    pub operations: u64,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Operations {
    /// In the order they began.
    pub all: Vec<Done>,
}

impl Operations {
    /// A task begins to do operations: the time of the first to do so counts.
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

    /// A task has done one.
    pub fn done(&mut self, program: u32, sampler: u32, now: u64) {
        let found = self.of(program, sampler);
        let done = found.expect("a round that has begun: compiled programs have no others");
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
    fn all_tasks_of_a_program_count_into_one_from_the_first_begin_on() {
        let mut operations = Operations::default();
        operations.begin(1, 0, 100);
        operations.begin(1, 0, 130);
        operations.begin(2, 0, 140);
        operations.done(1, 0, 150);
        operations.done(1, 0, 180);
        // A second stretch of the same program: what was between the two counts as time.
        operations.begin(1, 0, 300);
        operations.done(1, 0, 350);
        let told = operations.all.iter();
        let told = told.map(|d| (d.program, d.operations, d.since_ns, d.until_ns));
        let told: Vec<_> = told.collect();
        assert_eq!(told, [(1, 3, 100, 350), (2, 0, 140, 140)]);
    }
}
