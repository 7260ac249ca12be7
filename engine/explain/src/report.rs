//! A report of the kernel's memory state in a log: the request, the zones, the totals, the tasks.
//!
//! Modelled: OOM kills of the machine and of a memory cgroup, failed and slow page allocations, and the same
//! state printed by SysRq-m, of kernels from 3.10 to 6.12.
//! Left out: two reports whose lines alternate; the call trace.
//! Invariants: never panics; every number has its line; memory use is proportional to the text.

mod header;
pub mod pairs;
mod read;
mod rows;
mod tasks;

use std::collections::BTreeMap;

pub use read::read;

use crate::document::Kind;
use crate::request::Request;

/// A number and its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// The number.
    pub value: u64,
    /// The number of its line, from 1.
    pub line: usize,
}

/// Rows of names and numbers.
pub type Values = BTreeMap<String, At>;

/// A zone's row, in kB.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZoneRow {
    /// The number of its line.
    pub line: usize,
    /// Node id.
    pub node: u16,
    /// Zone name.
    pub name: String,
    /// `free`, `min`, `managed` and so on, in kB.
    pub values: Values,
    /// `lowmem_reserve[]`, in pages.
    pub reserve: Option<Vec<u64>>,
    /// Free blocks by order, from order 0.
    pub blocks: Vec<BlockRow>,
}

impl ZoneRow {
    /// The zone's value in kB.
    pub fn kb(&self, name: &str) -> Option<u64> {
        self.values.get(name).map(|at| at.value)
    }
}

/// Free blocks of one order, as the buddy line prints them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockRow {
    /// Their number.
    pub count: u64,
    /// The size of one block, kB.
    pub size_kb: u64,
    /// Letters of the migrate types that have such blocks; none if the line has no letters.
    pub types: Option<String>,
}

/// A node's row (from 4.8).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeRow {
    /// The number of its line.
    pub line: usize,
    /// Node id.
    pub node: u16,
    /// Its values, in kB.
    pub values: Values,
    /// `all_unreclaimable? yes`.
    pub unreclaimable: bool,
}

/// A row of the pool of huge pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HugeRow {
    /// The number of its line.
    pub line: usize,
    /// Huge pages in the pool.
    pub total: u64,
    /// How many of them are free.
    pub free: u64,
    /// The size of one huge page, kB.
    pub size_kb: u64,
}

/// A row of the task table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// The number of its line.
    pub line: usize,
    /// Process id.
    pub pid: u64,
    /// Resident pages.
    pub rss: u64,
    /// Pages in swap.
    pub swap: u64,
    /// `oom_score_adj`.
    pub score_adj: i64,
    /// Its name.
    pub name: String,
}

/// The process that was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Killed {
    /// The number of its line.
    pub line: usize,
    /// Process id.
    pub pid: u64,
    /// The name of the process.
    pub name: String,
    /// `anon-rss`, `file-rss`, `shmem-rss`, in kB.
    pub values: Values,
}

/// The memory use and the limit of a memory cgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupUse {
    /// The number of its line.
    pub line: usize,
    /// Memory in use, kB.
    pub usage_kb: u64,
    /// The limit, kB.
    pub limit_kb: u64,
    /// How often the limit was reached.
    pub failcnt: u64,
}

/// What a report says about a memory cgroup.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// The cgroup whose limit was reached, and the number of its line.
    pub path: Option<(String, usize)>,
    /// `memory: usage ...`.
    pub memory: Option<GroupUse>,
    /// `memory+swap: usage ...`.
    pub memory_swap: Option<GroupUse>,
    /// `swap: usage ...`.
    pub swap: Option<GroupUse>,
    /// The statistics of the cgroup, kB.
    pub stats: Values,
}

/// One report.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The number of its first line, from 1.
    pub line: usize,
    /// The number of its last line.
    pub last_line: usize,
    /// The kind of report that the first line announced; none for a state of memory without a request.
    pub announced: Option<Announced>,
    /// The task that made the request.
    pub task: String,
    /// The request; none if the report names none.
    pub request: Option<Request>,
    /// The release that the report names, such as `5.10.0-46-amd64`, and the number of its line.
    pub release: Option<(String, usize)>,
    /// How long the request waited, ms.
    pub stalled_ms: Option<At>,
    /// `mems_allowed`, and the number of its line.
    pub mems_allowed: Option<(Vec<u16>, usize)>,
    /// The word after `constraint=CONSTRAINT_`, and the number of its line.
    pub constraint: Option<(String, usize)>,
    /// Nodes (from 4.8).
    pub nodes: Vec<NodeRow>,
    /// Zones, in the order of the text.
    pub zones: Vec<ZoneRow>,
    /// Totals after `Mem-Info:`, in pages.
    pub totals: Values,
    /// `N pages RAM`, `Free swap` (kB) and similar values.
    pub counts: Values,
    /// Pools of huge pages.
    pub huge: Vec<HugeRow>,
    /// The rows of the task table.
    pub tasks: Vec<TaskRow>,
    /// The killed process.
    pub killed: Option<Killed>,
    /// The number of the line that says that no process could be killed.
    pub nobody_to_kill: Option<usize>,
    /// The message of the kernel panic, and the number of its line.
    pub panic: Option<(String, usize)>,
    /// The report's data about a cgroup.
    pub group: Group,
    /// Rows in which old kernels list the per-cpu pages (to 4.1).
    pub lists_per_cpu: bool,
}

/// What the first line of a report announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announced {
    /// `invoked oom-killer`.
    OomKill,
    /// `page allocation failure`.
    Failure,
    /// `page allocation stalls`.
    Stall,
}

impl Report {
    /// What the report is about.
    pub fn kind(&self) -> Kind {
        let of_group = self.constraint.as_ref().is_some_and(|(c, _)| c == "MEMCG")
            || self.group.path.is_some()
            || self.group.memory.is_some();
        match self.announced {
            Some(Announced::OomKill) if of_group => Kind::CgroupOom,
            Some(Announced::OomKill) => Kind::OomKill,
            Some(Announced::Failure | Announced::Stall) => Kind::AllocationFailure,
            None => Kind::MemoryReport,
        }
    }

    /// The size of a page in kB: the size of the smallest block.
    pub fn page_kb(&self) -> Option<u64> {
        let mut zones = self.zones.iter();
        let block = zones.find_map(|zone| zone.blocks.first());
        block.map(|block| block.size_kb).filter(|&size| size > 0)
    }

    /// A total in pages.
    pub fn total(&self, name: &str) -> Option<At> {
        self.totals.get(name).copied()
    }

    /// A total in kB, if the page size is known.
    pub fn total_kb(&self, name: &str) -> Option<At> {
        let At { value, line } = self.total(name)?;
        let value = value.checked_mul(self.page_kb()?)?;
        Some(At { value, line })
    }

    /// The sum of a value over all zones, kB; none if no zone has it.
    pub fn zones_kb(&self, name: &str) -> Option<u64> {
        let values: Vec<u64> = self.zones.iter().filter_map(|zone| zone.kb(name)).collect();
        let sum = values
            .iter()
            .fold(0, |sum: u64, kb| sum.saturating_add(*kb));
        (!values.is_empty()).then_some(sum)
    }
}
