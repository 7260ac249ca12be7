//! Automatic NUMA balancing: what it records about tasks, address spaces and pages.
//!
//! Modelled: from time to time a task marks page table entries of its process ([`scan`]); the next
//! access through each marked entry faults ([`fault`]). The fault shows which node uses the page
//! ([`filter`]), so that the page may move there ([`migrate`]). The faults decide how often to scan
//! and which node a task prefers ([`placement`]). The task moves to that node ([`preferred`]), and
//! so do tasks that share pages with it ([`group`]). In 3.8 one fault may serve a whole table
//! ([`table_fault`]), and tasks do not move. Ticks check when a scan is due ([`tick`]). numa/core
//! of 2012 has its own rules for where pages belong ([`core_fault`]) and where tasks belong
//! ([`converge`]); one fault may serve a whole table there ([`cluster`]). AutoNUMA has another
//! scanner, filter and placement ([`autonuma`]).
//! Left out: memory tiers; in 6.12, the record of which tasks use a mapping (`vma_is_accessed`).
//! Visible difference: 6.12 scans mappings that the scanning task does not use.
//! Invariants: while it is off, it costs nothing and records nothing; a page's node changes only
//! when the page moves.

pub mod autonuma;
pub mod by_load;
pub mod cluster;
pub mod converge;
pub mod core;
pub mod core_fault;
pub mod fault;
pub mod filter;
pub mod group;
pub mod mark;
pub mod migrate;
pub mod placement;
pub mod preferred;
pub mod scan;
pub mod table_fault;
pub mod tick;
mod vectors;

use crate::frames::{Context, Frame, NONE};
use crate::kernel::NumaRules;
use crate::touched::Touched;
use crate::world::{Birth, Facts, World};
use facts::index::{CpuIndex, FrameIndex, IndexVec, TaskIndex};
use facts::state::{CloneFrom, State};

pub use placement::{Faults, TaskFaults};
pub use vectors::{Vector, add as wait_for_list};

/// Value for a page on which no task has faulted yet (`LAST_CPUPID_MASK`).
pub const UNSET: u16 = u16::MAX;

/// What an address space records about its scans (`struct mm_struct`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct MmScan {
    /// When the next scan is due, in jiffies; 0 before the first scan (`numa_next_scan`).
    pub next_scan: u64,
    /// Region in which the next scan starts.
    pub region: u32,
    /// Page of that region at which the next scan starts (`numa_scan_offset`).
    pub page: u32,
    /// Number of passes over the whole address space (`numa_scan_seq`).
    pub seq: u32,
    /// True if one of the tasks was once found on a node other than 0, so that the address space is
    /// scanned (3.8: `first_nid` is NUMA_PTE_SCAN_ACTIVE; after exec a program starts with 0
    /// there).
    pub left_first_node: bool,
    /// When the scan periods start over, in jiffies (`numa_next_reset`, 3.8).
    pub next_reset: u64,
}

/// What a task records (`struct task_struct`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct NumaTask {
    /// Process of the task, [`NONE`] for a kernel thread.
    pub process: u32,
    /// Run time at which the current scan period began, ns (`node_stamp`).
    pub node_stamp: u64,
    /// Run time between two scans, ms (`numa_scan_period`).
    pub scan_period: u32,
    /// True if a tick has requested a scan (`numa_work`).
    pub work: bool,
    /// State of the current scan.
    pub scan: scan::Budget,
    /// Hinting faults of the task.
    pub faults: TaskFaults,
    /// NUMA group of the task, [`NONE`] without one (`numa_group`).
    #[state(rest = NONE)]
    pub group: u32,
    /// State of the task in numa/core.
    pub core: core::placement::Placement,
    /// True if the task must be placed before it returns to user mode.
    pub placing: bool,
    /// State of the task in AutoNUMA.
    pub auto: autonuma::TaskAutonuma,
}

/// The machine-wide state of balancing.
#[derive(Debug, Default, PartialEq, Eq, State, CloneFrom)]
pub struct Numa {
    /// True if balancing is on.
    pub on: bool,
    /// For each page, the task that last faulted on it (`_last_cpupid`): its node, and the low 8
    /// bits of its number; [`UNSET`] for none. In numa/core the CPU, initially 0. Empty if
    /// balancing was never on.
    last: Touched<u16, FrameIndex>,
    /// Records by task number; empty if balancing was never on.
    pub tasks: IndexVec<TaskIndex, NumaTask>,
    /// Pages that wait to join the LRU lists, by CPU.
    pub vectors: IndexVec<CpuIndex, Vector>,
    /// Groups of tasks that share pages.
    pub groups: Vec<group::Group>,
    /// Pages recently moved to each node; empty if the kernel does not limit them.
    pub windows: Vec<migrate::Window>,
    /// Progress of AutoNUMA's knuma_scand.
    pub scand: autonuma::scand::Scand,
    /// When AutoNUMA next checks the task of each CPU, in jiffies; empty before the first check.
    pub looks: IndexVec<CpuIndex, u64>,
}

impl Numa {
    /// Records a new task of a process.
    fn born(&mut self, task: TaskIndex, process: u32, period_ms: u32) {
        let kernel = || NumaTask::new(NONE, period_ms);
        *self.tasks.grow_to(task, kernel) = NumaTask::new(process, period_ms);
    }

    /// The last task to fault on a page.
    pub fn last(&self, frame: FrameIndex) -> u16 {
        self.last.at(frame).copied().unwrap_or(UNSET)
    }

    /// Sets the last task to fault on a page; returns the one before (`page_cpupid_xchg_last`).
    pub fn exchange_last(&mut self, frame: FrameIndex, last: u16) -> u16 {
        match self.last.len() {
            0 => UNSET,
            _ => std::mem::replace(&mut self.last[frame], last),
        }
    }

    /// Moves the record of the last fault along when a page moves to another frame. If frames are
    /// never reset, as in numa/core, the old frame also keeps the record.
    pub fn move_last(&mut self, (from, to): (FrameIndex, FrameIndex), resets: bool) {
        let last = self.last(from);
        if last != UNSET {
            self.exchange_last(to, last);
        }
        if resets && last != UNSET {
            self.exchange_last(from, UNSET);
        }
    }

    /// Makes the current state the base for tracking writes; see [`Touched::rebase`].
    pub fn rebase(&mut self) {
        self.last.rebase();
    }

    /// Size of one copy in bytes.
    pub fn bytes(&self) -> usize {
        let groups = self.groups.len() * size_of::<group::Group>();
        self.last.len() * 2 + self.tasks.len() * size_of::<NumaTask>() + groups
    }
}

impl NumaTask {
    fn new(process: u32, scan_period: u32) -> Self {
        Self {
            process,
            node_stamp: 0,
            scan_period,
            work: false,
            scan: scan::Budget::default(),
            faults: TaskFaults::default(),
            group: NONE,
            core: core::placement::Placement::default(),
            placing: false,
            auto: autonuma::TaskAutonuma::default(),
        }
    }
}

/// The rules of a machine that can balance: its kernel supports balancing, and there is more than
/// one node.
pub fn rules(facts: &Facts) -> Option<NumaRules> {
    let rules = facts.features.numa_balancing.rules();
    rules.filter(|_| facts.layout.nodes.len() > 1)
}

/// Switches balancing on or off as the tunable says (`set_numabalancing_state`). When it is
/// switched off, existing marks stay until their faults.
pub fn switch(w: &mut World) {
    if rules(&w.facts).is_none() {
        return;
    }
    w.numa.on = w.tunables.numa_balancing != 0;
    if let Some(scand) = autonuma::scand::to_wake(w) {
        w.wake(scand);
    }
    if !w.numa.on {
        // AutoNUMA forgets where it placed tasks.
        for task in &mut w.numa.tasks {
            task.auto.node = None;
        }
    }
    if !w.numa.on || !w.numa.last.is_empty() {
        return;
    }
    let nobody = match tick::core_rules(&w.facts.features) {
        // The field is never initialised, nor reset when a page is freed: it reads as CPU 0.
        Some(_) => 0,
        None => UNSET,
    };
    w.numa.last.grow(w.mem.pages.len(), nobody);
    w.numa.vectors = vec![Vector::default(); w.sched.cpus.len()].into();
    let delay = tick::scan_delay_ms(w);
    for (process, p) in (0..).zip(&w.processes.all) {
        for task in p.tasks() {
            w.numa.born(task, process, delay);
        }
    }
    w.sched.use_ticks();
    // At boot, records are created with the first process.
    if !w.processes.all.is_empty() {
        let tick_ns = w.jiffy_ns(1);
        w.sched.start_ticks(w.now, tick_ns);
    }
}

/// Calls what a task must do before it returns to user mode: first its scan, then its placement.
pub fn task_work(w: &mut World, cx: &mut Context) -> Frame {
    let t = &mut w.numa.tasks[cx.task];
    if t.placing && !t.work {
        t.placing = false;
        return converge::TaskNumaPlacement::call();
    }
    // If both are due, the placement follows the scan.
    cx.task_work = t.placing;
    scan::TaskNumaWork::call(&w.facts.features)
}

/// Resets a freed frame: no task has faulted on its next contents (`page_cpupid_reset_last`).
#[inline(never)]
pub fn forget(w: &mut World, frame: FrameIndex) {
    let resets = tick::core_rules(&w.facts.features).is_none();
    if resets && w.numa.last(frame) != UNSET {
        w.numa.exchange_last(frame, UNSET);
    }
    vectors::forget(w, frame);
}

/// Sets up a task created while balancing is on or has been on; the task starts at `at`
/// (`init_numa_balancing`, kernel/sched/fair.c). When a task that is alone in its process forks, it
/// postpones the next scan of its process and restarts the count of passes. The new process gets a
/// copy of that state, which execve discards. A thread takes its creator's preferred node. Its
/// first period starts slightly later than the thread, because the kernel uses ms for ns there.
/// Kernels of 2012 postpone nothing, and their threads start like any task.
pub fn born(w: &mut World, (task, process): (TaskIndex, u32), birth: &Birth, at: u64) {
    if w.numa.last.is_empty() {
        return;
    }
    let delay = tick::scan_delay_ms(w);
    w.numa.born(task, process, delay);
    // Kernels of 2012.
    let early = !tick::follows_size(&w.facts.features);
    let put_off = if early { 0 } else { tick::jiffies_of(w, delay) };
    let due = at / w.jiffy_ns(1) + put_off;
    let fixed = tick::is_fixed(&w.facts.features);
    let is_thread = birth.thread.is_some();
    let begins = |scan: &mut MmScan| {
        (scan.next_scan, scan.seq) = (due, 0);
        scan.next_reset = if fixed { due } else { 0 };
    };
    let mut forked = MmScan::default();
    begins(&mut forked);
    if let Some(parent) = w.processes.all.get_mut(birth.parent as usize) {
        // The new thread is already in the list of its process.
        if parent.users() - u32::from(is_thread) == 1 {
            begins(&mut parent.scan);
        }
        forked = MmScan {
            next_scan: parent.scan.next_scan,
            seq: parent.scan.seq,
            next_reset: parent.scan.next_reset,
            ..MmScan::default()
        };
    }
    if !fixed {
        w.numa.tasks[task].faults.scan_seq = forked.seq;
    }
    if is_thread && !early {
        // Only the main task of a process starts threads.
        let creator = w.processes.all[process as usize].space.owner;
        let longest = tick::longest_ms(w, creator);
        let users = w.processes.all[process as usize].users() - 1;
        let NumaTask {
            scan_period,
            ref faults,
            ..
        } = w.numa.tasks[creator];
        let preferred = faults.preferred;
        let by_users = scan_period.wrapping_mul(users).wrapping_mul(1_000_000);
        let stamp = u64::from(longest.min(by_users)) + 2 * w.jiffy_ns(1);
        let new = &mut w.numa.tasks[task];
        (new.faults.preferred, new.node_stamp) = (preferred, stamp);
    } else if !is_thread && !w.facts.programs[birth.program as usize].exec {
        w.processes.all[process as usize].scan = forked;
    }
}

#[cfg(test)]
impl Numa {
    /// Puts entries into every field, so that tests have something to change.
    pub(crate) fn fill(&mut self) {
        let mut task = NumaTask {
            process: 0,
            node_stamp: 0,
            scan_period: 1,
            work: false,
            scan: scan::Budget::default(),
            faults: TaskFaults::default(),
            group: NONE,
            core: core::placement::Placement::default(),
            placing: false,
            auto: autonuma::TaskAutonuma::default(),
        };
        task.faults.nodes.push(Faults::default());
        task.core.fill();
        task.auto.fill();
        self.last.push(0);
        self.tasks.push(task);
        self.vectors.push(Vector::default());
        let mut group = group::Group::default();
        group.nodes.push(group::GroupFaults::default());
        self.groups.push(group);
        self.windows.push(migrate::Window::default());
        self.scand.fill();
        self.looks.push(0);
    }
}
