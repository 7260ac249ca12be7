//! Notes of a benchmark: named phases of a workload, latencies, delays.
//!
//! Modelled: nothing of a kernel, only the stopwatch of someone who runs a benchmark, and a script
//! that counts the lines of its trace.
//! Left out: nested phases: the next mark of a task ends the previous phase.
//! Visible difference: none in the machine; a mark costs no time.
//! Invariants: marks are in the order of their steps.

use facts::index::TaskIndex;
use facts::state::{CloneFrom, State};

pub mod created;
pub mod delays;
pub mod log;
pub mod operations;
pub mod samples;

use created::Creating;
use delays::Delays;
use log::Log;
use operations::Operations;
use samples::Samples;

/// What the workload has done through system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Made {
    /// Files created and closed.
    pub files: u64,
    /// Sectors of 512 bytes read.
    pub read: u64,
    /// Sectors of 512 bytes written.
    pub written: u64,
    /// Blocks allocated by operations that continue after a failure.
    pub blocks: u64,
    /// Blocks that those operations requested but did not get.
    pub failed: u64,
}

/// A phase begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Mark {
    /// Program to which the phase belongs.
    pub program: u32,
    /// Index of the program's phase; [`crate::frames::NONE`] if the task or the run ended.
    pub name: u32,
    /// The task.
    pub task: TaskIndex,
    /// Time of the mark, ns.
    pub at_ns: u64,
    /// What the workload had done before the mark.
    pub made: Made,
}

/// All notes so far.
#[derive(Debug, PartialEq, Eq, Default, State, CloneFrom)]
pub struct Phases {
    /// Marks in order.
    pub marks: Log<Mark>,
    /// What the workload has done so far.
    pub made: Made,
    /// Tasks that created files, and their times.
    pub creating: Creating,
    /// Latencies.
    pub samples: Samples,
    /// Finished operations of a benchmark.
    pub operations: Operations,
    /// How long reclaimers had to wait.
    pub delays: Delays,
}

impl Phases {
    /// Begins a phase of a task, or ends its last one.
    pub fn mark(&mut self, program: u32, name: u32, task: TaskIndex, at_ns: u64) {
        let made = self.made;
        self.marks.push(Mark {
            program,
            name,
            task,
            at_ns,
            made,
        });
    }

    /// Duration of a task's phase when it last ended, ns; 0 if it has not ended, or if its mark is
    /// no longer stored.
    pub fn took(&self, program: u32, name: u32, task: TaskIndex) -> u64 {
        let (mut since, mut took) = (None, 0);
        for mark in self.marks.iter().filter(|mark| mark.task == task) {
            if let Some(begun) = since.take() {
                took = mark.at_ns - begun;
            }
            if (mark.program, mark.name) == (program, name) {
                since = Some(mark.at_ns);
            }
        }
        if self.marks.lost() > 0 { 0 } else { took }
    }
}
