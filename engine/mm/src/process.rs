//! Processes, and what the tasks of a program share: memory, open files, a parent.
//!
//! Modelled: a main task and the threads it started; waiting for children and threads; barriers of
//! threads; blocks that a kernel user holds for the process. The last task to end releases what the
//! process holds.
//! Left out: groups and sessions, credentials, signals other than SIGKILL. A thread's stack uses no
//! memory.
//! Visible difference: a kernel maps a stack for each thread and charges the thread for it.
//! Invariants: a process that has ended holds nothing, and its number is not reused; the listed
//! threads of a process are alive, in the order in which they were started.

use crate::filemap::Readahead;
use crate::frames::NONE;
use crate::locks::Mutex;
use crate::numa::MmScan;
use crate::space::{Nodes, Space};
use crate::touched::Touched;
use facts::index::{FrameIndex, GroupIndex, TaskIndex};
use facts::state::{CloneFrom, State};

/// An open file of a task (`struct file`), or a series of files that are opened one after the
/// other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Fd {
    /// First file of the series.
    pub first: u32,
    /// Number of files in the series.
    pub count: u32,
    /// The current file.
    pub file: u32,
    /// True if the file is open: then the task counts among its users.
    pub open: bool,
    /// Position in sectors of 512 bytes (`f_pos`).
    pub pos: u32,
    /// Page with the last byte read (`prev_pos`), [`NONE`] for none.
    pub prev: u32,
    /// Faults that missed the page cache, minus those that hit it (`mmap_miss`).
    pub mmap_miss: u32,
    /// Read-ahead window.
    pub ra: Readahead,
}

impl Fd {
    /// A series of files that have not been opened yet.
    pub fn new(first: u32, count: u32) -> Self {
        Self {
            first,
            count,
            file: first,
            open: false,
            pos: 0,
            prev: NONE,
            mmap_miss: 0,
            ra: Readahead::default(),
        }
    }

    /// Replaces the current file by another one of the series.
    pub fn turn_to(&mut self, file: u32) {
        *self = Self {
            file,
            ..Self::new(self.first, self.count)
        };
    }
}

/// A living task of a process other than the main task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Thread {
    /// The task.
    pub task: TaskIndex,
    /// The program of the task: threads that run the same program meet at barriers.
    pub program: u32,
    /// True if the thread waits at a barrier.
    pub at_barrier: bool,
}

/// A process (`struct signal_struct`, and what its tasks share).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Process {
    /// Address space of the process.
    #[state(flat)]
    pub space: Space,
    /// The memory cgroup to which the process's memory is charged.
    pub group: GroupIndex,
    /// True if the OOM killer chose the process and it is freeing its memory.
    pub dying: bool,
    /// Blocks that a kernel user holds for the process, by pool.
    pub pools: Vec<Vec<FrameIndex>>,
    /// Files the process may open, by the program's number for them.
    pub fds: Vec<Fd>,
    /// The process that started this one, [`NONE`] for none.
    pub parent: u32,
    /// Number of processes that this one started and that have not ended.
    pub children: u32,
    /// True if the main task waits for its children and threads (`wait4`) and must be woken.
    pub waits: bool,
    /// State of the process in NUMA balancing.
    pub scan: MmScan,
    /// State of the process in AutoNUMA.
    pub auto: crate::numa::autonuma::MmAutonuma,
    /// Living tasks except the main task, which owns the memory.
    pub threads: Vec<Thread>,
    /// True if the main task waits for the threads (`pthread_join`).
    pub joins: bool,
    /// True if the main task has ended and the threads are exiting.
    pub main_gone: bool,
    /// The lock of the tree of the process's anonymous memory (`anon_vma`), in kernels where it is
    /// a mutex. A fork copies no tree here, so there is one.
    pub anon_vma: Mutex,
    /// Nodes on which the process ran since the last page table walk for the node, one bit each
    /// (`lru_gen.bitmap`).
    pub ran_on: u32,
}

impl Process {
    /// Number of tasks that use the memory (`mm_users`).
    pub fn users(&self) -> u32 {
        self.threads.len() as u32 + u32::from(!self.main_gone)
    }

    /// The living tasks of the process, the main task first.
    pub fn tasks(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        let main = (!self.main_gone).then_some(self.space.owner);
        main.into_iter().chain(self.threads.iter().map(|t| t.task))
    }

    /// Is this the last living task of the process?
    pub fn is_last(&self, task: TaskIndex) -> bool {
        self.tasks().all(|living| living == task)
    }

    /// Removes a task that ends while others continue. Returns a task to wake: one that waits for
    /// the threads to end.
    pub fn leave(&mut self, task: TaskIndex) -> Option<TaskIndex> {
        if task == self.space.owner {
            (self.main_gone, self.waits, self.joins) = (true, false, false);
        }
        self.threads.retain(|thread| thread.task != task);
        self.to_wake()
    }

    /// The main task, if everything it waits for has ended; it then stops waiting.
    pub fn to_wake(&mut self) -> Option<TaskIndex> {
        let waits = (self.waits && self.children == 0) || self.joins;
        if !waits || !self.threads.is_empty() {
            return None;
        }
        (self.waits, self.joins) = (false, false);
        Some(self.space.owner)
    }

    /// Have all threads that run this program, except `task`, reached the barrier?
    pub fn all_but(&self, task: TaskIndex, program: u32) -> bool {
        let mut others = self.of_program(program).filter(|t| t.task != task);
        others.all(|thread| thread.at_barrier)
    }

    fn of_program(&self, program: u32) -> impl Iterator<Item = &Thread> {
        self.threads.iter().filter(move |t| t.program == program)
    }

    /// The next thread after `after` that waits at the barrier of a program; it then stops waiting.
    pub fn next_at_barrier(&mut self, program: u32, after: Option<TaskIndex>) -> Option<TaskIndex> {
        let waits = |t: &&mut Thread| {
            t.program == program && t.at_barrier && after.is_none_or(|after| t.task > after)
        };
        let found = self.threads.iter_mut().find(waits)?;
        found.at_barrier = false;
        Some(found.task)
    }

    /// Makes thread `task` wait at the barrier of its program.
    pub fn wait_at_barrier(&mut self, task: TaskIndex) {
        if let Some(thread) = self.threads.iter_mut().find(|t| t.task == task) {
            thread.at_barrier = true;
        }
    }

    /// Does this task wait for something that will happen: children, threads, other threads at its
    /// barrier?
    pub fn has_waker(&self, task: TaskIndex) -> bool {
        if task == self.space.owner {
            return (self.waits && self.children > 0)
                || ((self.waits || self.joins) && !self.threads.is_empty());
        }
        let own = self.threads.iter().find(|t| t.task == task);
        own.is_some_and(|own| own.at_barrier && !self.all_but(task, own.program))
    }
}

/// All processes, and the page tables of their address spaces.
#[derive(Debug, PartialEq, Eq, State, CloneFrom)]
pub struct Processes {
    /// Processes by number.
    pub all: Vec<Process>,
    /// Entries of all page tables: `table id * per_table + i` holds a frame.
    pub(crate) entries: Touched<u32>,
    /// The page that holds each table.
    pub(crate) table_page: Vec<FrameIndex>,
    pub(crate) spare: Vec<u32>,
    pub(crate) per_table: u32,
    #[state(skip = "it follows from the machine")]
    pub(crate) nodes: Nodes,
}
