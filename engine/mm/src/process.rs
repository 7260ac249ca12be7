//! Processes: what the tasks of a program share: memory, open files, a parent.
//!
//! Modelled: a main task and the threads it started; waiting for children and threads; barriers of
//! threads; blocks that a kernel user holds for it. The last task to end releases what the process
//! holds.
//! Left out: groups and sessions, credentials, signals other than SIGKILL. A thread's stack uses no
//! memory.
//! Visible difference: a kernel maps a stack for each thread and charges the thread for it.
//! Invariants: a process that has ended holds nothing, and its number is not reused; the listed threads
//! of a process are alive, in the order in which they were started.

use crate::filemap::Readahead;
use crate::frames::NONE;
use crate::locks::Mutex;
use crate::numa::MmScan;
use crate::space::{Nodes, Space};
use crate::touched::Touched;
use facts::index::{GroupIndex, TaskIndex};
use facts::state::{CloneFrom, State};

/// A file as a task has it open (`struct file`), or a series of files opened one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Fd {
    /// First file of the series.
    pub first: u32,
    /// Files in the series.
    pub count: u32,
    /// The current file.
    pub file: u32,
    /// It is open: the task counts among its users.
    pub open: bool,
    /// Position, sectors of 512 bytes (`f_pos`).
    pub pos: u32,
    /// Page of the last byte read (`prev_pos`), [`NONE`] for none.
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

    /// Replaces the current file by another of the series.
    pub fn turn_to(&mut self, file: u32) {
        *self = Self {
            file,
            ..Self::new(self.first, self.count)
        };
    }
}

/// A living task of a process besides the main one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Thread {
    /// The task.
    pub task: TaskIndex,
    /// The program it runs: threads that run the same program meet at barriers.
    pub program: u32,
    /// It waits at a barrier.
    pub at_barrier: bool,
}

/// A process (`struct signal_struct` and what its tasks share).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Process {
    /// Its memory.
    #[state(flat)]
    pub space: Space,
    /// The memory cgroup that its memory is charged to.
    pub group: GroupIndex,
    /// It was chosen by the OOM killer and is freeing its memory.
    pub dying: bool,
    /// Blocks a kernel user holds for it, by pool.
    pub pools: Vec<Vec<u32>>,
    /// Files it may open, by the program's number for them.
    pub fds: Vec<Fd>,
    /// The process that started it, [`NONE`] for none.
    pub parent: u32,
    /// Processes it started that have not ended.
    pub children: u32,
    /// It waits for them and for its threads (`wait4`), and must be woken.
    pub waits: bool,
    /// Its state in NUMA balancing.
    pub scan: MmScan,
    /// Its state in AutoNUMA.
    pub auto: crate::numa::autonuma::MmAutonuma,
    /// Its living tasks except the main one, which owns its memory.
    pub threads: Vec<Thread>,
    /// Its main task waits for the threads (`pthread_join`).
    pub joins: bool,
    /// Its main task has ended, and its threads are exiting.
    pub main_gone: bool,
    /// The lock of the tree of its anonymous memory (`anon_vma`), in kernels where it is a mutex. A
    /// fork copies no tree here, so there is one.
    pub anon_vma: Mutex,
    /// Nodes, by bits, whose walks over page tables it has run since (`lru_gen.bitmap`).
    pub ran_on: u32,
}

impl Process {
    /// Tasks that use its memory (`mm_users`).
    pub fn users(&self) -> u32 {
        self.threads.len() as u32 + u32::from(!self.main_gone)
    }

    /// Its living tasks, the main one first.
    pub fn tasks(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        let main = (!self.main_gone).then_some(self.space.owner);
        main.into_iter().chain(self.threads.iter().map(|t| t.task))
    }

    /// Is this its last living task?
    pub fn is_last(&self, task: TaskIndex) -> bool {
        self.tasks().all(|living| living == task)
    }

    /// Removes a task that ends while others continue. Returns a task to wake: one that waits for the
    /// threads to end.
    pub fn leave(&mut self, task: TaskIndex) -> Option<TaskIndex> {
        if task == self.space.owner {
            (self.main_gone, self.waits, self.joins) = (true, false, false);
        }
        self.threads.retain(|thread| thread.task != task);
        self.to_wake()
    }

    /// The main task, if everything it waits for has ended. It stops waiting then.
    pub fn to_wake(&mut self) -> Option<TaskIndex> {
        let waits = (self.waits && self.children == 0) || self.joins;
        if !waits || !self.threads.is_empty() {
            return None;
        }
        (self.waits, self.joins) = (false, false);
        Some(self.space.owner)
    }

    /// Have all threads that run this program reached the barrier, except `task`?
    pub fn all_but(&self, task: TaskIndex, program: u32) -> bool {
        let mut others = self.of_program(program).filter(|t| t.task != task);
        others.all(|thread| thread.at_barrier)
    }

    fn of_program(&self, program: u32) -> impl Iterator<Item = &Thread> {
        self.threads.iter().filter(move |t| t.program == program)
    }

    /// The next thread after `after` that waits at the barrier of a program; it stops waiting.
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

    /// Does this task wait for something that will happen: children, threads, others at its barrier?
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
    /// By number.
    pub all: Vec<Process>,
    /// Entries of all tables: `table id * per_table + i` holds a frame.
    pub(crate) entries: Touched<u32>,
    /// The page each table lives in.
    pub(crate) table_page: Vec<u32>,
    pub(crate) spare: Vec<u32>,
    pub(crate) per_table: u32,
    #[state(skip = "it follows from the machine")]
    pub(crate) nodes: Nodes,
}
