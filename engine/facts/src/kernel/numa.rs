//! NUMA balancing: what differs between kernels that have it.

use serde::Serialize;

/// Automatic NUMA balancing: entries are marked so that their next access faults, and a page that is
/// used from another node moves there (kernel/sched/fair.c, mm/mprotect.c, mm/migrate.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NumaBalancing {
    /// There is none: to 3.7.
    Absent,
    /// The kernel has it, and the engine does not model this kernel's.
    NotModelled,
    /// By these rules.
    Modelled(NumaRules),
}

impl NumaBalancing {
    /// Its rules, where they are modelled.
    pub const fn rules(self) -> Option<NumaRules> {
        match self {
            Self::Modelled(rules) => Some(rules),
            Self::Absent | Self::NotModelled => None,
        }
    }
}

/// What differs between kernels that balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct NumaRules {
    /// How often a task scans.
    pub period: ScanPeriod,
    /// Which pages another user keeps from being marked (`change_pte_range`).
    pub exclusive: Exclusive,
    /// When a page moves (`mpol_misplaced`).
    pub filter: NumaFilter,
    /// Faults on pages of the task's own node are remembered, too (`mpol_misplaced`): to 5.17 (read in
    /// 5.10.7, gone by 6.1.20).
    pub remembers_local: bool,
    /// So many pages may move to a node in a window, and no more (`numamigrate_update_ratelimit`): to
    /// 4.19.
    pub rate_limited: bool,
    /// A page table whose pages all lie on one node is marked whole, and one fault serves all of its
    /// entries (`change_pmd_protnuma`, `do_pmd_numa_page`): read in 3.8.3, gone by 3.16. In AutoNUMA wherever the
    /// pages lie, where its switch `scan_pmd` is on.
    pub whole_tables: bool,
    /// A small page for which its target node has no free page, or that was tried ten times in vain,
    /// counts as failed (pgmigrate_fail, `migrate_pages`): read in 5.10.7 and later, not in 3.8.3.
    pub counts_not_moved: bool,
    /// Huge pages have a migration of their own, which has no tracepoint and counts one refused for want
    /// of room as failed (`migrate_misplaced_transhuge_page`): read in 3.8.3 and 5.10.7, gone by 6.1.20.
    pub huge_apart: bool,
    /// A marked entry keeps its write permission (`pte_savedwrite`): to 6.1; from 6.2 a page that moved
    /// is mapped read-only, and the write that faulted faults once more.
    pub saves_write: bool,
    /// What follows from the faults of a pass: 3.13's rules or later ones.
    pub placement: NumaPlacement,
    /// A task may change places with one of its own kind on a node that has room, and up to two tasks on a
    /// node count for few (`task_numa_compare`): read in 5.10.7, gone by 6.1.20.
    pub swaps_with_room: bool,
    /// In place of a node without CPUs a task prefers the nearest that has some (`task_numa_placement`):
    /// read in 6.1.20 and 6.12, not in 5.10.7.
    pub prefers_cpus: bool,
    /// Pages a CPU's vector gathers before they join an LRU list (`PAGEVEC_SIZE`).
    pub vector: u8,
    /// How tasks and their memory are brought together by numa/core; none in releases.
    pub core: Option<CoreRules>,
    /// How AutoNUMA does that; none in releases.
    pub auto: Option<AutoRules>,
}

/// What AutoNUMA does beyond marking entries: its switches in /sys/kernel/mm/autonuma, as they are set when
/// it boots (mm/autonuma.c and kernel/sched/numa.c; read in version 27, posted on 4 October 2012).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct AutoRules {
    /// A page moves at the first fault anybody takes on it (`migrate_allow_first_fault`, version 28).
    pub first_fault: bool,
    /// The balancer of a busy CPU takes no task away from the node it was placed on
    /// (`sched_load_balance_strict`).
    pub strict: bool,
}

/// What numa/core v17 and v18 do beyond marking entries (kernel/sched/fair.c as posted in November 2012).
/// Each field but the first is a patch of v18.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct CoreRules {
    /// A task remembers another that shares pages with it, its buddy (v17).
    pub buddies: bool,
    /// Once a second a task looks for its node by two rules, spread and compress; before, by a count of
    /// tasks of its process, once a pass.
    pub directed: bool,
    /// A task that compresses its group changes places with the one that runs there.
    pub flips: bool,
    /// Tasks are related by their buddies, also across processes; otherwise by their process.
    pub groups: bool,
    /// A task's convergence has a strength: which part of its faults is on one node.
    pub strength: bool,
    /// A task that has converged is moved only to the node it converged on.
    pub veto: bool,
    /// A scan marks 32 to 512 MiB, less the more its task has converged; otherwise 256 MiB.
    pub adaptive_scan: bool,
    /// One fault serves all marked entries of a page table.
    pub clustered_faults: bool,
    /// Memory of shared tasks is interleaved over nodes with three of their buddies or more; otherwise with
    /// one.
    pub many_buddies: bool,
    /// An allocation that a policy asks for looks at other nodes with room before it reclaims.
    pub nice_alloc: bool,
}

/// How often a task scans (`task_numa_work`, `task_scan_min`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ScanPeriod {
    /// 100 to 5,000 ms, longer by ten ticks with each fault that moved nothing, from the least again
    /// every minute; a process is not scanned before a task of it was found on another node than 0, nor
    /// are mappings of fewer pages than a huge one has; what was marked and entries that map nothing
    /// count against the window: 3.8 (read in 3.8.3).
    Fixed,
    /// 100 to 1,600 ms, from the least again with each tick that finds one over; a process is scanned once
    /// in 100 ms at most; in v18 mappings of fewer pages than a huge one has are passed over; what was
    /// marked counts against the window: numa/core v17 and v18.
    Core,
    /// Tasks do not scan: one thread of the kernel does, process by process, 128 MiB at a time with 100 ms
    /// between, and 10 s after the last process; private mappings only: AutoNUMA.
    Daemon,
    /// 1,000 to 60,000 ms, divided by the windows the process has in memory; by what the last faults
    /// were: from 3.13. All of a slice counts against the window.
    ByResidentSize,
}

/// How the faults of a pass place a task and set its scan period; of kernels whose periods follow the size of
/// the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NumaPlacement {
    /// 3.13 (as posted in September and October 2013): a scan period follows from local faults first, from 3
    /// of 10 on; a move may leave one node with 12 % more load than the other; after a shared page that
    /// stays, the next 16 stay, too; a task looks for a CPU once a second; a scan is free.
    V3_13,
    /// Read in 5.10.7, 6.1.20 and 6.12: private faults first, from 7 of 10 on; a node's room decides; a group
    /// uses several nodes; a scan puts the next off by the time it took.
    Later,
}

/// Which pages are not marked because somebody else holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Exclusive {
    /// Those mapped more than once, and those of files: numa/core v17 and v18.
    AnonMappedOnce,
    /// Those mapped more than once, of shared mappings, too. Nothing else keeps a page from being
    /// marked and moved, neither its node nor that it is dirty: 3.8 (read in 3.8.3), AutoNUMA.
    MappedOnce,
    /// Of private mappings, those mapped more than once: read in 5.10.7 and 6.12.
    ByMapCount,
    /// Of private mappings, those anybody else refers to, as the vector of a CPU in which a page waits for its LRU list:
    /// read in 5.10.102 to 6.8.
    ByReferences,
}

/// When a page that faulted moves to the node of the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum NumaFilter {
    /// When the last fault came from that node, too: 3.8.
    SameNodeTwice,
    /// Pages of a shared task go where its interleave mask says; those of a private one move when the last
    /// fault came from a CPU of that node, too: numa/core v17 and v18.
    Core,
    /// When nobody faulted on it before or the last fault came from that node, too; a shared one not while the
    /// task skips pages (`numa_migrate_deferred`): 3.13 and 3.14.
    SameNodeUnlessDeferred,
    /// When nobody faulted on it before or the last fault came from that node, too; none of a task's pages, once
    /// it has met one in this pass for which that does not hold: AutoNUMA.
    Auto,
    /// At the first fault while its task is young, later when the last fault was this task's or came
    /// from that node (`should_numa_migrate_memory`): from 3.15.
    SameTaskOrNode,
}
