//! The state that all processes of a run share: the tasks, and a journal of their operations. It is
//! in shared memory of fixed size, so that writing to it never waits or allocates.

use std::io;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::region::{Zeroed, shared};
use super::sys::{self, Pid};

/// The maximum number of tasks in a run, as in the engine; beyond it fork fails.
const MAX_BORN: usize = 4 * facts::workload::MAX_TASKS as usize;
/// The maximum number of entries in the journal.
const MAX_ENTRIES: usize = 1 << 15;

/// The state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// The task has not begun.
    Unborn,
    /// The task runs its program.
    Alive,
    /// The task's program has ended.
    Ended,
    /// The task was killed.
    Killed,
}

/// One task and its progress.
#[repr(C)]
#[derive(Debug)]
pub struct Slot {
    life: AtomicU32,
    program: AtomicU32,
    instance: AtomicU32,
    pid: AtomicU32,
    thread: AtomicU32,
    operation: AtomicU32,
    round: AtomicU32,
    huge_pages: AtomicU32,
    done: AtomicU32,
    since: AtomicU64,
    ended: AtomicU64,
}

// SAFETY: all fields are atomic numbers.
unsafe impl Zeroed for Slot {}

impl Slot {
    /// Its state.
    pub fn life(&self) -> Life {
        match self.life.load(Acquire) {
            0 => Life::Unborn,
            1 => Life::Alive,
            2 => Life::Ended,
            _ => Life::Killed,
        }
    }

    /// Its program has ended, or it was killed.
    pub fn end(&self, life: Life) {
        self.ended.store(sys::now(), Relaxed);
        self.life.store(life as u32, Release);
    }

    /// When it ended or was found killed, ns.
    pub fn ended_at(&self) -> u64 {
        self.ended.load(Relaxed)
    }

    /// The number of its program.
    pub fn program(&self) -> u32 {
        self.program.load(Relaxed)
    }

    /// Its number among the tasks of its program, from 1.
    pub fn instance(&self) -> u32 {
        self.instance.load(Relaxed)
    }

    /// Its process.
    pub fn pid(&self) -> Pid {
        self.pid.load(Relaxed) as Pid
    }

    /// Its thread.
    pub fn thread(&self) -> Pid {
        self.thread.load(Relaxed) as Pid
    }

    /// The running thread executes this task.
    pub fn begin(&self) {
        self.pid.store(sys::process_id() as u32, Relaxed);
        self.thread.store(sys::thread_id() as u32, Relaxed);
        self.life.store(Life::Alive as u32, Release);
    }

    /// It begins an operation, which it has done `round` times before.
    pub fn start_operation(&self, operation: u32, round: u32, at: u64) {
        self.operation.store(operation, Relaxed);
        self.round.store(round, Relaxed);
        self.done.store(0, Relaxed);
        self.since.store(at, Relaxed);
    }

    /// Its operation, when that began, and its progress.
    pub fn operation(&self) -> (u32, u64, u32) {
        let (at, since) = (&self.operation, &self.since);
        (
            at.load(Relaxed),
            since.load(Relaxed),
            self.done.load(Relaxed),
        )
    }

    /// How often it has done its operation before.
    pub fn round(&self) -> u32 {
        self.round.load(Relaxed)
    }

    /// The progress of its operation.
    #[inline]
    pub fn progress(&self, done: u32) {
        self.done.store(done, Relaxed);
    }

    /// Pages that it has added to the pool of huge pages.
    pub fn huge_pages(&self) -> &AtomicU32 {
        &self.huge_pages
    }
}

/// The kind of a journal entry, which determines the meaning of the numbers `a` and `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An operation has ended: `a` units were done. `b` is a further result: the pass of a touch, the file of
    /// a transfer, the pages that stay mapped, the huge pages that were requested.
    Done = 1,
    /// A second of writing: `a` bytes so far, the longest call took `b` ns.
    Writing,
    /// A phase of the program begins: `a` is its name.
    Mark,
    /// The operation failed: `a` is the number of the error.
    Failed,
    /// The process could not be moved to its cgroup: `a` is the number of the error.
    NoCgroup,
}

const KINDS: [Kind; 5] = [
    Kind::Done,
    Kind::Writing,
    Kind::Mark,
    Kind::Failed,
    Kind::NoCgroup,
];

/// An entry of the journal.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Number of the task.
    pub slot: u32,
    /// Its operation.
    pub operation: u32,
    /// The kind of entry.
    pub kind: Kind,
    /// When it began, ns.
    pub began: u64,
    /// When it ended, ns.
    pub ended: u64,
    /// See [`Kind`].
    pub a: u64,
    /// See [`Kind`].
    pub b: u64,
}

#[repr(C)]
#[derive(Debug)]
struct Cell {
    kind: AtomicU32,
    slot: AtomicU32,
    operation: AtomicU32,
    began: AtomicU64,
    ended: AtomicU64,
    a: AtomicU64,
    b: AtomicU64,
}

// SAFETY: all fields are atomic numbers.
unsafe impl Zeroed for Cell {}

/// The tasks of a run and their journal.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// For each program: how many tasks it has had.
    born: &'static [AtomicU32],
    slots: &'static [Slot],
    cells: &'static [Cell],
    /// The number of used slots, the number of requested entries, and whether a task has ended the
    /// run.
    counts: &'static [AtomicU32],
    conductor: Pid,
}

impl Table {
    /// An empty table. The running process conducts the run.
    pub fn new(programs: usize) -> io::Result<Table> {
        Ok(Table {
            born: shared(programs)?,
            slots: shared(MAX_BORN)?,
            cells: shared(MAX_ENTRIES)?,
            counts: shared(3)?,
            conductor: sys::process_id(),
        })
    }

    /// A slot for a new task of a program; none beyond the limit.
    pub fn born(&self, program: u32) -> Option<u32> {
        let number = self.counts[0].fetch_add(1, Relaxed);
        let Some(slot) = self.slots.get(number as usize) else {
            self.counts[0].fetch_sub(1, Relaxed);
            return None;
        };
        let instance = self.born[program as usize].fetch_add(1, Relaxed) + 1;
        slot.program.store(program, Relaxed);
        slot.instance.store(instance, Relaxed);
        Some(number)
    }

    /// A task by its number.
    pub fn slot(&self, number: u32) -> &'static Slot {
        &self.slots[number as usize]
    }

    /// All tasks so far.
    pub fn tasks(&self) -> &'static [Slot] {
        let count = self.counts[0].load(Acquire) as usize;
        &self.slots[..count.min(self.slots.len())]
    }

    /// Living tasks of a program: one instance, or all of them for 0.
    pub fn named(&self, program: u32, instance: u32) -> impl Iterator<Item = &'static Slot> {
        self.tasks().iter().filter(move |slot| {
            slot.life() == Life::Alive
                && slot.program() == program
                && [0, slot.instance()].contains(&instance)
        })
    }

    /// Kills tasks of a program.
    pub fn kill(&self, program: u32, instance: u32) {
        for slot in self.named(program, instance) {
            sys::kill(slot.pid());
        }
    }

    /// A process has ended: its tasks that had not ended were killed. Returns the huge pages that they leave
    /// in the pool.
    pub fn died(&self, pid: Pid) -> u32 {
        let alive = |slot: &&Slot| slot.pid() == pid && slot.life() == Life::Alive;
        let mut left = 0;
        for slot in self.tasks().iter().filter(alive) {
            slot.end(Life::Killed);
            left += slot.huge_pages.swap(0, Relaxed);
        }
        left
    }

    /// Ends the run.
    pub fn stop(&self) {
        self.counts[2].store(1, Release);
        sys::wake(self.conductor);
    }

    /// Has a task ended the run?
    pub fn is_stopped(&self) -> bool {
        self.counts[2].load(Acquire) > 0
    }

    /// Adds an entry to the journal, unless it is full.
    pub fn note(&self, entry: Entry) {
        let number = self.counts[1].fetch_add(1, Relaxed);
        let Some(cell) = self.cells.get(number as usize) else {
            return;
        };
        cell.slot.store(entry.slot, Relaxed);
        cell.operation.store(entry.operation, Relaxed);
        cell.began.store(entry.began, Relaxed);
        cell.ended.store(entry.ended, Relaxed);
        cell.a.store(entry.a, Relaxed);
        cell.b.store(entry.b, Relaxed);
        cell.kind.store(entry.kind as u32, Release);
    }

    /// The journal, and the number of entries that did not fit.
    pub fn journal(&self) -> (Vec<Entry>, u32) {
        let asked = self.counts[1].load(Acquire);
        let lost = asked.saturating_sub(self.cells.len() as u32);
        let used = &self.cells[..(asked - lost) as usize];
        let entry = |cell: &Cell| {
            let kind = cell.kind.load(Acquire);
            Some(Entry {
                kind: KINDS.into_iter().find(|&known| known as u32 == kind)?,
                slot: cell.slot.load(Relaxed),
                operation: cell.operation.load(Relaxed),
                began: cell.began.load(Relaxed),
                ended: cell.ended.load(Relaxed),
                a: cell.a.load(Relaxed),
                b: cell.b.load(Relaxed),
            })
        };
        (used.iter().filter_map(entry).collect(), lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_the_tasks_of_each_program_from_one() {
        let table = Table::new(2).expect("memory");
        let slots: Vec<u32> = [0, 1, 0]
            .into_iter()
            .filter_map(|p| table.born(p))
            .collect();
        let tasks = slots.iter().map(|&n| table.slot(n));
        let tasks: Vec<(u32, u32)> = tasks.map(|s| (s.program(), s.instance())).collect();
        assert_eq!(tasks, [(0, 1), (1, 1), (0, 2)]);
        assert_eq!(table.named(0, 0).count(), 0, "none has begun");
        table.slot(2).begin();
        assert_eq!(table.named(0, 0).count(), 1);
        assert_eq!(table.named(0, 1).count(), 0);
        assert_eq!(table.died(sys::process_id()), 0);
        assert_eq!(table.slot(2).life(), Life::Killed);
    }

    #[test]
    fn refuses_more_tasks_than_the_engine_allows_and_continues() {
        let table = Table::new(1).expect("memory");
        let born = (0..MAX_BORN + 10)
            .filter(|_| table.born(0).is_some())
            .count();
        assert_eq!(born, MAX_BORN);
    }

    #[test]
    fn counts_the_entries_that_do_not_fit() {
        let table = Table::new(1).expect("memory");
        let entry = Entry {
            slot: 0,
            operation: 3,
            kind: Kind::Writing,
            began: 1,
            ended: 2,
            a: 5,
            b: 6,
        };
        for _ in 0..MAX_ENTRIES + 2 {
            table.note(entry);
        }
        let (entries, lost) = table.journal();
        assert_eq!((entries.len(), lost), (MAX_ENTRIES, 2));
        assert_eq!((entries[9].kind, entries[9].a), (Kind::Writing, 5));
    }
}
