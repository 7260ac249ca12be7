//! NUMA balancing: the differences between kernels that have it.

use serde::Serialize;

/// Automatic NUMA balancing: entries are marked so that their next access faults, and a page that another
/// node uses moves to that node (kernel/sched/fair.c, mm/mprotect.c, mm/migrate.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NumaBalancing {
    /// The kernel has no NUMA balancing: to 3.7.
    Absent,
    /// The kernel has it, but the engine does not model it.
    NotModelled,
    /// The engine models it by these rules.
    Modelled(NumaRules),
}

impl NumaBalancing {
    /// The rules, if the engine models them.
    pub const fn rules(self) -> Option<NumaRules> {
        match self {
            Self::Modelled(rules) => Some(rules),
            Self::Absent | Self::NotModelled => None,
        }
    }
}

/// The differences between kernels that balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct NumaRules {
    /// How often a task scans.
    pub period: ScanPeriod,
    /// Which pages are not marked because of another user of the page (`change_pte_range`).
    pub exclusive: Exclusive,
    /// When a page moves (`mpol_misplaced`).
    pub filter: NumaFilter,
    /// A page also remembers faults from the task's own node (`mpol_misplaced`): to 5.17 (read in 5.10.7,
    /// gone by 6.1.20).
    pub remembers_local: bool,
    /// The number of pages that may move to a node within a time window is limited
    /// (`numamigrate_update_ratelimit`): to 4.19.
    pub rate_limited: bool,
    /// A page table whose pages are all on one node is marked as a whole, and one fault serves all of its
    /// entries (`change_pmd_protnuma`, `do_pmd_numa_page`): read in 3.8.3, gone by 3.16. AutoNUMA does so on
    /// whatever nodes the pages are, if its switch `scan_pmd` is on.
    pub whole_tables: bool,
    /// A small page counts as failed (pgmigrate_fail, `migrate_pages`) if its target node has no free page, or
    /// if ten attempts failed: read in 5.10.7 and later, not in 3.8.3.
    pub counts_not_moved: bool,
    /// Huge pages have their own migration function (`migrate_misplaced_transhuge_page`). It has no
    /// tracepoint, and a huge page for which the target node has no room counts as failed: read in 3.8.3 and
    /// 5.10.7, gone by 6.1.20.
    pub huge_apart: bool,
    /// A marked entry keeps its write permission (`pte_savedwrite`): to 6.1. From 6.2 a page that moved is
    /// mapped read-only, so a write faults a second time.
    pub saves_write: bool,
    /// Whether the faults of a pass place a task by 3.13's rules or by later ones.
    pub placement: NumaPlacement,
    /// A task may change places with a similar task on a node that has room, and up to two tasks on a node
    /// count as few (`task_numa_compare`): read in 5.10.7, gone by 6.1.20.
    pub swaps_with_room: bool,
    /// Instead of a node without CPUs, a task prefers the nearest node that has CPUs
    /// (`task_numa_placement`): read in 6.1.20 and 6.12, not in 5.10.7.
    pub prefers_cpus: bool,
    /// The number of pages that a CPU's vector collects before they join an LRU list (`PAGEVEC_SIZE`).
    pub vector: u8,
    /// How numa/core brings tasks and their memory together; none in releases.
    pub core: Option<CoreRules>,
    /// How AutoNUMA brings tasks and their memory together; none in releases.
    pub auto: Option<AutoRules>,
}

/// What AutoNUMA does beyond marking entries: its switches in /sys/kernel/mm/autonuma with their values at
/// boot (mm/autonuma.c and kernel/sched/numa.c; read in version 27, posted on 4 October 2012).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct AutoRules {
    /// A page moves at its first fault, by whatever task (`migrate_allow_first_fault`, version 28).
    pub first_fault: bool,
    /// The load balancer of a busy CPU takes no task away from the node where AutoNUMA placed it
    /// (`sched_load_balance_strict`).
    pub strict: bool,
}

/// What numa/core v17 and v18 do beyond marking entries (kernel/sched/fair.c as posted in November 2012).
/// Each field but the first is a patch of v18.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct CoreRules {
    /// A task remembers its buddy, another task that shares pages with it (v17).
    pub buddies: bool,
    /// Once a second a task chooses its node by two rules, spread and compress. Before, it chose once per
    /// pass, by the number of tasks of its process.
    pub directed: bool,
    /// A task that compresses its group changes places with the task that runs on the target CPU.
    pub flips: bool,
    /// Buddies relate tasks, also across processes; otherwise only tasks of one process are related.
    pub groups: bool,
    /// A task has a convergence strength: the share of its faults that is on one node.
    pub strength: bool,
    /// A task that has converged is moved only to the node on which it converged.
    pub veto: bool,
    /// A scan marks 32 to 512 MiB, and less the more its task has converged. Otherwise it marks 256 MiB.
    pub adaptive_scan: bool,
    /// One fault serves all marked entries of a page table.
    pub clustered_faults: bool,
    /// Memory of shared tasks is interleaved over nodes that have at least three of their buddies; otherwise
    /// over nodes that have at least one.
    pub many_buddies: bool,
    /// An allocation under a memory policy tries other nodes with free memory before it reclaims.
    pub nice_alloc: bool,
}

/// How often a task scans (`task_numa_work`, `task_scan_min`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ScanPeriod {
    /// 100 to 5,000 ms: 3.8 (read in 3.8.3). Each fault that moved nothing adds ten ticks; every minute the
    /// period starts again at the minimum. A process is scanned only after one of its tasks ran on another
    /// node than 0. Mappings of fewer pages than a huge page has are skipped. Marked entries, and entries that
    /// map nothing, count against the window.
    Fixed,
    /// 100 to 1,600 ms: numa/core v17 and v18. If a tick finds that a period is over, the period starts again
    /// at the minimum. A process is scanned at most once in 100 ms. v18 skips mappings of fewer pages than a
    /// huge page has. Marked entries count against the window.
    Core,
    /// A kernel thread scans, not the tasks: AutoNUMA. It scans one process after the other, 128 MiB at a
    /// time with pauses of 100 ms, and starts again 10 s after the last process. It scans only private
    /// mappings.
    Daemon,
    /// 1,000 to 60,000 ms, divided by the number of windows that the process has in memory: from 3.13. The
    /// kinds of the last faults change the period. All of a slice counts against the window.
    ByResidentSize,
}

/// How the faults of a pass place a task and set its scan period, in kernels whose scan periods depend on the
/// size of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NumaPlacement {
    /// 3.13 (as posted in September and October 2013). A scan period depends first on local faults, if they
    /// are at least 3 of 10. A move may leave one node with 12 % more load than the other. After a shared
    /// page that does not move, the next 16 do not move either. A task searches for a CPU once a second. A
    /// scan takes no time.
    V3_13,
    /// Read in 5.10.7, 6.1.20 and 6.12. A scan period depends first on private faults, if they are at least 7
    /// of 10. The room on a node decides about moves. A group uses several nodes. A scan delays the next by
    /// its own duration.
    Later,
}

/// Which pages are not marked because of another user of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Exclusive {
    /// Pages mapped more than once, and pages of files: numa/core v17 and v18.
    AnonMappedOnce,
    /// Pages mapped more than once, also in shared mappings. Every other page can be marked and moved, on
    /// whatever node it is and even if it is dirty: 3.8 (read in 3.8.3), AutoNUMA.
    MappedOnce,
    /// Pages of private mappings that are mapped more than once: read in 5.10.7 and 6.12.
    ByMapCount,
    /// Pages of private mappings that have another reference, such as the vector of a CPU in which a page
    /// waits for its LRU list: read in 5.10.102 to 6.8.
    ByReferences,
}

/// When a page that faulted moves to the node of the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NumaFilter {
    /// When the last fault also came from that node: 3.8.
    SameNodeTwice,
    /// Pages of a shared task move to the node that its interleave mask names. Pages of a private task move
    /// when the last fault also came from a CPU of that node: numa/core v17 and v18.
    Core,
    /// When it is the first fault on the page, or the last fault also came from that node. A shared page does
    /// not move while the task skips pages (`numa_migrate_deferred`): 3.13 and 3.14.
    SameNodeUnlessDeferred,
    /// When it is the first fault on the page, or the last fault also came from that node. Once a page of
    /// this pass has failed this test, none of the task's pages moves: AutoNUMA.
    Auto,
    /// At the first fault while its task is young. Later, when the last fault was this task's or came from
    /// that node (`should_numa_migrate_memory`): from 3.15.
    SameTaskOrNode,
}
