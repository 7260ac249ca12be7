//! Processes: what a program's task has besides its stack: memory, open files, a parent.
//!
//! Modelled: one task a process; children that are waited for; blocks a kernel user holds for it.
//! Left out: threads, groups and sessions, credentials, signals but for SIGKILL.
//! Invariants: a process that has ended holds nothing, and its number is not given to another.

use crate::filemap::Readahead;
use crate::frames::NONE;
use crate::numa::MmScan;
use crate::space::Space;
use crate::touched::Touched;
use facts::state::{CloneFrom, State};

/// A file as a task has it open (`struct file`); or a row of files opened one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Fd {
    /// First file of the row.
    pub first: u32,
    /// Files in the row.
    pub count: u32,
    /// The one that is open.
    pub file: u32,
    /// It is open: the task counts among its users.
    pub open: bool,
    /// Position, sectors of 512 bytes (`f_pos`).
    pub pos: u32,
    /// Page of the last byte read (`prev_pos`), [`NONE`] for none.
    pub prev: u32,
    /// Faults that missed the page cache, less those that hit it (`mmap_miss`).
    pub mmap_miss: u32,
    /// Read-ahead window.
    pub ra: Readahead,
}

impl Fd {
    /// A row of files nobody has opened yet.
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

    /// Another file of the row takes the place of the one that was open.
    pub fn turn_to(&mut self, file: u32) {
        *self = Self {
            file,
            ..Self::new(self.first, self.count)
        };
    }
}

/// A process (`struct signal_struct` and what its tasks share).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Process {
    /// Its memory.
    #[state(flat)]
    pub space: Space,
    /// It was chosen by the OOM killer and is freeing its memory.
    pub dying: bool,
    /// Blocks a kernel user holds for it, by pool.
    pub pools: Vec<Vec<u32>>,
    /// Files it may open, by the number the program gives them.
    pub fds: Vec<Fd>,
    /// The process that started it, [`NONE`] for none.
    pub parent: u32,
    /// Processes it started that have not ended.
    pub children: u32,
    /// It waits for them (`wait4`), and is to be woken.
    pub waits: bool,
    /// What NUMA balancing remembers of it.
    pub scan: MmScan,
}

impl Process {
    /// Tasks that use its memory (`mm_users`).
    pub const fn users(&self) -> u32 {
        1
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
}
