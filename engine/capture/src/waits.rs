//! How long the workload's own calls take, in the format of the programs' output in `workload.log`.
//!
//! A writer of the guest reads the clock after each write(). Once a second it prints how much it
//! has written and how long the longest write() since then took. A simulated write() begins at its
//! `FileCall` and ends when the next call begins, or when the task must end.

use mm::index::TaskIndex;
use std::collections::BTreeMap;

use mm::record::{Declared, Record};
use mm::user::SigKill;
use mm::user::files::FileCall;

/// The time between two reports of a writer.
const WORD_NS: u64 = 1_000_000_000;

/// One task that reads or writes files.
#[derive(Debug, Clone, Copy)]
struct Caller {
    /// The start of the current call.
    call_ns: u64,
    /// The time of the last report.
    word_ns: u64,
    /// Its longest call since its last report, ns.
    longest_ns: u64,
}

/// All calls.
#[derive(Debug, Default)]
pub struct Waits {
    callers: BTreeMap<TaskIndex, Caller>,
    told_us: Vec<u64>,
}

impl Waits {
    /// Counts one record.
    pub fn add(&mut self, record: &Record) {
        if FileCall::of(record).is_some() {
            self.returned(record.task, record.time_ns);
            let first = Caller {
                call_ns: 0,
                word_ns: record.time_ns,
                longest_ns: 0,
            };
            let caller = self.callers.entry(record.task).or_insert(first);
            caller.call_ns = record.time_ns;
        } else if SigKill::of(record).is_some() {
            self.returned(record.task, record.time_ns);
            self.callers.remove(&record.task);
        }
    }

    fn returned(&mut self, task: TaskIndex, now: u64) {
        let Some(caller) = self.callers.get_mut(&task) else {
            return;
        };
        caller.longest_ns = caller.longest_ns.max(now - caller.call_ns);
        if now - caller.word_ns >= WORD_NS {
            self.told_us.push(caller.longest_ns / 1000);
            (caller.word_ns, caller.longest_ns) = (now, 0);
        }
    }

    /// The longest calls that were reported, us.
    pub fn told_us(&mut self) -> &mut [u64] {
        &mut self.told_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::tests::record;

    #[test]
    fn reports_the_longest_call_of_each_second() {
        let call = || FileCall {
            file: 0,
            sector: 0,
            sectors: 128,
        };
        let ms = 1_000_000;
        let mut waits = Waits::default();
        for at in [0, 300, 900, 1100, 1200] {
            waits.add(&record(at * ms, 4, call()));
        }
        waits.add(&record(50 * ms, 5, call()));
        waits.add(&record(
            4000 * ms,
            4,
            SigKill {
                task: TaskIndex::new(4),
                rss: 0,
            },
        ));
        waits.add(&record(
            9000 * ms,
            4,
            SigKill {
                task: TaskIndex::new(4),
                rss: 0,
            },
        ));
        assert_eq!(waits.told_us(), [600_000, 2_800_000]);
    }
}
