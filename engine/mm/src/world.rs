//! Everything in a machine except its tasks: what a frame may read and write.
//!
//! Modelled: memory, CPUs with their own clocks, timers, wake-ups, counters, tunables.
//! Left out: a host clock, host randomness, floating point.
//! Invariants: everything here except `run` and `rec` is the machine's state and in its hash;
//! frames request wake-ups and births, and the scheduler grants them at the end of the same point.

use facts::amount::Pages;
use facts::index::{
    CpuIndex, FrameIndex, IndexVec, NodeIndex, TaskIndex, ZoneIndex, ZonelistIndex,
};
use facts::state::{CloneFrom, State, StateHasher, Walk};
use std::sync::Arc;

use crate::arch::ZoneType;
use crate::bandwidth::{AccessCosts, Bandwidth};
use crate::block::{Block, Drive};
use crate::compaction::totals::CompactionTotals;
use crate::costs::Costs;
use crate::counters::Counters;
use crate::filemap::{Evicted, Files};
use crate::frames::Kind;
use crate::intervention::CompiledAct;
use crate::kernel::Features;
use crate::layout::Layout;
use crate::lru_add::Pagevec;
use crate::memcg::Memcg;
use crate::mmzone::{MAX_ZONE_TYPES, Memory};
use crate::numa::Numa;
use crate::page_writeback::Writeback;
use crate::phases::Phases;
use crate::process::Processes;
use crate::profile::Thp;
use crate::record::{Declared, Outcome, Record, RecordKind, Recorder, values};
use crate::rests_on::Visits;
use crate::sched::Sched;
use crate::sched::domains::Domains;
use crate::slab::Slab;
use crate::swapfile::Swap;
use crate::tunables::Tunables;
use crate::vmscan::totals::VmscanTotals;
use crate::workload::{Groups, Program};
use crate::zlc::Zlc;

/// A task to create.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Birth {
    /// Index into the workload's programs.
    pub program: u32,
    /// Zonelist for the task's memory, on whose node the task starts; [`ZonelistIndex::NONE`] for
    /// the next CPU in turn.
    pub node: ZonelistIndex,
    /// The process that starts the task, [`crate::frames::NONE`] for none.
    pub parent: u32,
    /// Set if the task is a thread of that process; otherwise it gets a process of its own.
    pub thread: Option<NewThread>,
}

/// What a thread inherits from its creator, and its index among the threads started together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct NewThread {
    /// Index of the thread, from 0, and the number of threads.
    pub part: (u32, u32),
    /// CPU mask.
    pub allowed: u16,
    /// Interleaved nodes.
    pub interleave: u16,
}

/// kswapd of one node, as the allocator sees it.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct KswapdState {
    /// Task of this kswapd.
    pub task: TaskIndex,
    /// True if kswapd is neither asleep nor in its short sleep.
    pub awake: bool,
    /// True if kswapd is in its short sleep of a tenth of a second before the real sleep.
    pub napping: bool,
    /// Order for which kswapd was woken (`kswapd_max_order`).
    pub order: u8,
    /// Highest zone type for which kswapd was woken, `u8::MAX` if there was no request since it
    /// last read the field.
    #[state(rest = u8::MAX)]
    pub classzone: u8,
    /// How often kswapd was woken.
    pub wakes: u64,
    /// How often kswapd counted `pageoutrun`: passes of `balance_pgdat` over its node.
    #[state(skip = "a count that no run depends on")]
    pub passes: u64,
    /// When the state of kswapd last changed, ns.
    pub since_ns: u64,
    /// Boost of each zone type when the current run began.
    pub boosts: [Pages; MAX_ZONE_TYPES],
}

/// Reclaim's state of a node (`struct pglist_data`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Pgdat {
    /// PGDAT_DIRTY: all pages at the tail of the node's lists were dirty, and no flusher had begun
    /// to write them.
    pub dirty: bool,
    /// PGDAT_WRITEBACK: all pages at the tail of the node's lists were under writeback.
    pub writeback: bool,
    /// Number of consecutive runs of kswapd that freed nothing.
    pub kswapd_failures: u32,
    /// Number of tasks that wait for writes to end.
    pub nr_writeback_throttled: u32,
    /// `nr_throttled_written` when the first of these tasks began to wait.
    pub nr_reclaim_start: u64,
    /// Pages whose write ended while a task waited (`nr_throttled_written`).
    pub nr_throttled_written: u64,
    /// Tasks that wait in `reclaim_throttle`, with the reason.
    pub reclaim_wait: Vec<(u8, TaskIndex)>,
    /// Tasks that wait for kswapd because half of the reserves is used up.
    pub pfmemalloc_wait: Vec<TaskIndex>,
}

/// Where the engine stops and what it counts: set by the user interface, not part of the machine.
#[derive(Debug, Clone)]
pub struct Run {
    /// Stop when this many points have been executed since boot.
    stop_steps: u64,
    /// Number of points until then. It is counted down, so that one comparison with 0 shows when to
    /// stop.
    left: u64,
    /// Stop when the earliest CPU clock reaches this time, ns.
    pub stop_ns: u64,
    /// True if nothing was executed since the scheduler last chose a task.
    pub fresh: bool,
    /// When the scheduler last chose a task, on the clock of the CPU that ran before, ns.
    pub left_ns: u64,
    /// When the running task leaves its CPU, by the [`Kind`] of its last point, ns; 0 if a wake-up
    /// or a birth waits to be granted.
    pub deadline: [u64; 3],
    /// Kind of the last point before a frame returned to the dispatcher.
    pub kind: Kind,
    /// Number of frames that were called and have not returned since the dispatcher last ran the
    /// task.
    pub deeper: u32,
}

/// The state before the first point.
impl Default for Run {
    fn default() -> Self {
        Self {
            stop_steps: 0,
            left: 0,
            stop_ns: u64::MAX,
            fresh: false,
            left_ns: 0,
            deadline: [0; 3],
            kind: Kind::Hold,
            deeper: 0,
        }
    }
}

impl Run {
    /// Number of points executed since boot.
    #[inline]
    pub fn steps(&self) -> u64 {
        self.stop_steps.wrapping_sub(self.left)
    }

    /// Stops when this many points have been executed; never if more have already been executed.
    pub fn stop_at(&mut self, stop_steps: u64) {
        self.left = stop_steps.wrapping_sub(self.steps());
        self.stop_steps = stop_steps;
    }

    /// Number of points until the stop.
    #[inline]
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Counts steps that are not points: one point makes many touches. There are at most
    /// [`Run::left`] of them.
    #[inline]
    pub fn count_more(&mut self, steps: u32) {
        self.left = self.left.wrapping_sub(steps.into());
    }

    /// Counts an executed point.
    #[inline(always)]
    pub fn count(&mut self) {
        self.left = self.left.wrapping_sub(1);
    }
}

/// The number of executed steps is part of the state; where to stop is not.
impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.steps() == other.steps()
    }
}
impl Eq for Run {}
impl State for Run {
    fn flip(&mut self, walk: &mut Walk) {
        walk.field("Run.left", &mut self.left);
    }
    fn hash(&self, hasher: &mut StateHasher) {
        hasher.word(self.steps());
    }
    fn is_at_rest(&self) -> bool {
        self.steps() == 0
    }
}

/// A change to the machine during the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// When the change happens, ns.
    pub at_ns: u64,
    /// The change.
    pub act: CompiledAct,
}

/// Facts of the experiment that never change while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Nodes and zones as the experiment describes them.
    pub layout: Layout,
    /// Features of the kernel.
    pub features: Features,
    /// Cost table, ns.
    pub cost: Costs,
    /// Costs of accesses by node; `None` if memory has no rates.
    pub accesses: Option<AccessCosts>,
    /// Zeroing one page, ns.
    pub zero_page: u32,
    /// Zeroing one huge page, ns.
    pub zero_huge: u32,
    /// Zonelists. First, for each node: populated zones (indices into `Memory::zones`) in order.
    /// Then, for each node: only its own zones. Then, for each set of several nodes to which memory
    /// is bound: each node's list without the zones of other nodes.
    pub zonelists: IndexVec<ZonelistIndex, Vec<ZoneIndex>>,
    /// CPU masks: for each node its CPUs, then all CPUs, then the masks that programs and
    /// interventions name. The CPUs of a mask are in ascending order.
    pub cpu_masks: Vec<Vec<CpuIndex>>,
    /// Sets of nodes that programs name; the nodes of a set are in ascending order.
    pub node_sets: Vec<Vec<NodeIndex>>,
    /// Highest zone type (an index into the zone types of the layout) that a request for DMA,
    /// DMA32, Normal or Movable memory may use (`gfp_zone`).
    pub highest: [u8; 4],
    /// First zone of each node's list that such a request may use (`preferred_zoneref`), four per node;
    /// `u8::MAX` for none.
    pub preferred: IndexVec<ZonelistIndex, [ZoneIndex; 4]>,
    /// Memory cgroups.
    pub groups: Groups,
    /// The workload's programs.
    pub programs: Vec<Program>,
    /// Changes during the run, in order of time.
    pub interventions: Vec<Change>,
    /// When the experiment ends, ns.
    pub length_ns: u64,
    /// The experiment's seed.
    pub seed: u64,
    /// Node of each CPU.
    pub node_of_cpu: IndexVec<CpuIndex, NodeIndex>,
    /// Bits of `lru_gen.enabled` that the hardware supports.
    pub lru_gen_mask: u64,
    /// `zone_reclaim_mode` if the experiment does not set it.
    pub zone_reclaim_default: u8,
    /// Huge page setting at boot.
    pub booted_thp: Thp,
    /// Number of pages that reclaim isolates in one batch: [`crate::vmscan::SWAP_CLUSTER_MAX`], in
    /// tests more.
    pub batch: u32,
    /// True if per-cpu lists are on.
    pub pcp: bool,
    /// Timer ticks per second.
    pub hz: u32,
    /// How long a task stays in user mode before its CPU may run another task, ns.
    pub slice_ns: u64,
    /// Tunables at boot.
    pub tunables: Tunables,
    /// Block devices.
    pub devices: Vec<Drive>,
    /// True if tasks are balanced over CPUs, because the workload has threads.
    pub balances: bool,
    /// True if ticks are steps.
    pub ticks: bool,
    /// Scheduling domains; empty if tasks are not balanced.
    pub domains: Domains,
}

/// The first time a node was requested for a block and another one supplied it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Fallback {
    /// The step count directly afterwards; 0 if it has not happened.
    pub step: u64,
    /// Time of the request, ns.
    pub at_ns: u64,
    /// The task that made the request.
    pub task: TaskIndex,
    /// The zone that supplied the block.
    pub zone: ZoneIndex,
}

/// The machine without its tasks.
#[derive(Debug, PartialEq, Eq, State, CloneFrom)]
pub struct World {
    /// Physical memory.
    pub mem: Memory,
    /// Processes and their memory.
    #[state(name = "spaces")]
    pub processes: Processes,
    /// CPUs, run queues, timers.
    pub sched: Sched,
    /// Busy times of memory and links.
    pub bandwidth: Bandwidth,
    /// vmstat counters.
    pub counters: Counters,
    /// Current tunables.
    #[state(unlike = self.facts.tunables)]
    pub tunables: Tunables,
    /// The current huge page setting.
    pub thp: Thp,
    /// State of the kswapd of each node.
    pub kswapd: IndexVec<NodeIndex, KswapdState>,
    /// State of reclaim for each node.
    pub pgdat: IndexVec<NodeIndex, Pgdat>,
    /// The zonelist cache of each node's list; empty on a machine with one node, or if the kernel
    /// has none.
    pub zlc: IndexVec<ZonelistIndex, Zlc>,
    /// Pages that wait to join the LRU lists, by CPU.
    pub lru_add: IndexVec<CpuIndex, Pagevec>,
    /// The first block from another node, by the node requested; only the engine records it.
    #[state(name = "spills")]
    pub fallbacks: IndexVec<NodeIndex, Fallback>,
    /// Files and their cached pages.
    pub files: Files,
    /// File pages that reclaim has evicted; only the engine records them.
    #[state(name = "gone")]
    pub evicted: Evicted,
    /// Swap space.
    pub swap: Swap,
    /// Memory cgroups.
    pub memcg: Memcg,
    /// Block devices and their requests in flight.
    pub block: Block,
    /// Dirty limits and flushers.
    pub wb: Writeback,
    /// Slab caches.
    pub slab: Slab,
    /// (page, task): tasks that wait for a page to be read or written.
    pub page_wait: Vec<(FrameIndex, TaskIndex)>,
    /// Tasks that wait for a device queue to drain.
    pub congestion_wait: Vec<TaskIndex>,
    /// (task, waker): tasks waiting in reclaim that were woken, and the tasks that woke them; only
    /// the engine records them.
    pub wait_ends: Vec<(TaskIndex, TaskIndex)>,
    /// Tasks to be killed at the end of this point.
    pub kills: Vec<TaskIndex>,
    /// Programs and their instances, from 1 (0 for all), that get SIGKILL at the end of this point.
    pub signals: Vec<(u32, u32)>,
    /// Tasks that have work to do before they return to user mode, to be notified at the end of this
    /// point (`task_work_add`).
    pub task_works: Vec<TaskIndex>,
    /// State of NUMA balancing.
    pub numa: Numa,
    /// The task that each CPU ran last; `NONE` until the multi-generational LRU is first switched
    /// on.
    pub lru_gen_last: IndexVec<CpuIndex, TaskIndex>,
    /// Processes whose main task has ended: their threads are killed at the end of this point.
    pub exits: Vec<u32>,
    /// Programs, their instances, from 1 (0 for all), and the CPU masks they get at the end of this
    /// point.
    pub affinities: Vec<((u32, u32), u16)>,
    /// Number of instances created so far, by program.
    pub born: Vec<u32>,
    /// Tasks to create at the end of this point.
    pub births: Vec<Birth>,
    /// True if the kernel has panicked: nothing runs any more.
    pub panicked: bool,
    /// Phases of the workload so far, for reports.
    pub phases: Phases,
    /// Sums over the tracepoints of reclaim, for reports.
    #[state(skip = "sums for reports, which no run depends on")]
    pub vmscan_totals: VmscanTotals,
    /// Sums over the tracepoints of compaction, for reports.
    #[state(skip = "sums for reports, which no run depends on")]
    pub compaction_totals: CompactionTotals,
    /// How often each function was called.
    #[state(skip = "it only shows what a run rests on")]
    pub visits: Visits,
    /// Facts of the experiment.
    #[state(skip = "they never change, and their effects are in the state")]
    pub facts: Arc<Facts>,
    /// Virtual time of the running CPU, ns.
    pub now: u64,
    /// The running CPU.
    pub cpu: CpuIndex,
    /// Id of the running task.
    pub task: TaskIndex,
    /// Stop conditions and the step count.
    pub run: Run,
    /// Records of what happened.
    #[state(skip = "it only shows the machine")]
    pub rec: Recorder,
}

impl World {
    /// Must the running frame return to the dispatcher after a point of this kind?
    #[inline(always)]
    pub fn is_due(&self, kind: Kind) -> bool {
        self.run.left == 0 || self.now >= self.run.deadline[kind as usize]
    }

    /// Spends virtual time.
    #[inline(always)]
    pub fn spend(&mut self, ns: u32) {
        self.now += u64::from(ns);
    }

    /// Spends virtual time in user mode.
    #[inline(always)]
    pub fn spend_user(&mut self, ns: u32) {
        self.sched.cpus[self.cpu].usage.user += u64::from(ns);
        self.now += u64::from(ns);
    }

    /// Counts this part of the time spent as user mode.
    pub fn count_user(&mut self, ns: u64) {
        self.sched.cpus[self.cpu].usage.user += ns;
    }

    /// Records an event or a decision.
    #[inline(always)]
    pub fn record<R: Declared>(&mut self, record: R) {
        if self.rec.on {
            let step = self.run.steps();
            record.put(|kind, numbers, list| self.keep(step, kind, numbers, list));
        }
    }

    /// Records a consequence of the point just executed, which is already counted.
    pub fn record_behind<R: Declared>(&mut self, record: R) {
        if self.rec.on {
            let step = self.run.steps().saturating_sub(1);
            record.put(|kind, numbers, list| self.keep(step, kind, numbers, list));
        }
    }

    /// Adds a record: its fields as numbers, and its list, if it has one.
    #[cold]
    #[inline(never)]
    fn keep(
        &mut self,
        step: u64,
        kind: RecordKind,
        numbers: &[i64],
        list: Option<&[(FrameIndex, Outcome)]>,
    ) {
        if !(self.rec.keeps)(kind) {
            return;
        }
        self.rec.push(Record {
            step,
            time_ns: self.now,
            task: self.task,
            cpu: self.cpu,
            function: self.rec.function,
            kind,
            values: values(numbers, list),
        });
    }

    /// Records the first block that came from a zone on another node than the preferred zone.
    pub fn note_fallback(&mut self, preferred: ZoneIndex, zone: ZoneIndex) {
        let first = &mut self.fallbacks[self.mem.zones[preferred].node];
        if first.step == 0 {
            *first = Fallback {
                // The step directly after the running point.
                step: self.run.steps() + 1,
                at_ns: self.now,
                task: self.task,
                zone,
            };
        }
    }

    /// Node of the running CPU (`numa_node_id`).
    #[inline]
    pub fn local_node(&self) -> NodeIndex {
        self.facts.node_of_cpu[self.cpu]
    }

    /// The index of the zonelist for a request that may use only this node's own zones
    /// (`ZONELIST_NOFALLBACK`).
    pub fn only(&self, node: NodeIndex) -> ZonelistIndex {
        ZonelistIndex::new(node.get() + self.facts.layout.nodes.len() as u8)
    }

    /// The node to which such an index, or the index of a node's normal list, refers.
    pub fn home(&self, list: ZonelistIndex) -> NodeIndex {
        NodeIndex::new(list.get() % self.facts.layout.nodes.len() as u8)
    }

    /// The machine's number of a node. Within the engine nodes are numbered without gaps, in the order
    /// of their machine numbers.
    pub fn node_id(&self, node: NodeIndex) -> u16 {
        self.facts.layout.nodes[node.index()].id
    }

    /// The engine's number of the node that has this number on the machine.
    pub fn node_at(&self, id: usize) -> Option<usize> {
        let mut nodes = self.facts.layout.nodes.iter();
        nodes.position(|node| usize::from(node.id) == id)
    }

    /// Name of a zone with the number that its node has on the machine: "0/DMA32".
    pub fn zone_key(&self, zone: ZoneIndex) -> String {
        let z = &self.mem.zones[zone];
        format!("{}/{}", self.node_id(z.node), self.zone_type(z.kind).name())
    }

    /// The zone type at an index of the layout.
    #[inline]
    pub fn zone_type(&self, kind: u8) -> ZoneType {
        self.facts.layout.zone_types[kind as usize]
    }

    /// Requests that the scheduler wakes a task at the end of this point.
    pub fn wake(&mut self, task: TaskIndex) {
        self.sched.wakes.push(task);
        self.need_attention();
    }

    /// Requests that a task is created at the end of this point.
    pub fn spawn(&mut self, birth: Birth) {
        self.births.push(birth);
        self.need_attention();
    }

    /// Ends the run at the end of this point.
    pub fn stop(&mut self) {
        self.sched.ended = true;
        self.need_attention();
    }

    /// Requests that a task is killed at the end of this point.
    pub fn kill(&mut self, task: TaskIndex) {
        self.kills.push(task);
        self.need_attention();
    }

    /// Requests SIGKILL for one task of a program, or for all its tasks (instance 0).
    pub fn signal(&mut self, program: u32, instance: u32) {
        self.signals.push((program, instance));
        self.need_attention();
    }

    /// Requests that a task does its work before it next returns to user mode.
    pub fn add_task_work(&mut self, task: TaskIndex) {
        self.task_works.push(task);
        self.need_attention();
    }

    /// Requests that the threads of a process are killed at the end of this point.
    pub fn exit_group(&mut self, process: u32) {
        self.exits.push(process);
        self.need_attention();
    }

    /// Requests a CPU mask for one task of a program, or for all its tasks (instance 0).
    pub fn set_affinity(&mut self, program: u32, instance: u32, mask: u16) {
        self.affinities.push(((program, instance), mask));
        self.need_attention();
    }

    /// Wakes kswapd of a node if it sleeps, even if the sleep is short.
    pub fn wake_kswapd(&mut self, node: NodeIndex) {
        let now = self.now;
        let k = &mut self.kswapd[node];
        if k.awake {
            return;
        }
        (k.awake, k.wakes, k.since_ns) = (true, k.wakes + 1, now);
        let task = k.task;
        self.wake(task);
    }

    /// Counts a pass of `balance_pgdat` by kswapd of a node.
    pub fn count_pass(&mut self, node: NodeIndex) {
        self.counters.pageoutrun += 1;
        self.kswapd[node].passes += 1;
    }

    /// Timer ticks since boot on the running CPU.
    #[inline]
    pub fn jiffies(&self) -> u64 {
        self.now / u64::from(1_000_000_000 / self.facts.hz)
    }

    /// Time of a tick, ns.
    #[inline]
    pub fn jiffy_ns(&self, jiffy: u64) -> u64 {
        jiffy * u64::from(1_000_000_000 / self.facts.hz)
    }

    /// Wakes the tasks that wait for a page to be read or written.
    pub fn wake_up_page(&mut self, frame: FrameIndex) {
        if self.page_wait.is_empty() {
            return;
        }
        for i in 0..self.page_wait.len() {
            if self.page_wait[i].0 == frame {
                let task = self.page_wait[i].1;
                self.wake(task);
            }
        }
        self.page_wait.retain(|&(f, _)| f != frame);
    }

    /// Schedules a device's handler on `cpu` at `at`; `u64::MAX` if it has no work yet.
    pub fn interrupt_at(&mut self, cpu: CpuIndex, task: TaskIndex, at: u64) {
        if self.sched.interrupt_at(cpu, task, at, self.cpu) {
            self.need_attention();
        }
    }

    pub(crate) fn need_attention(&mut self) {
        self.sched.attention = true;
        self.run.deadline = [0; 3];
    }
}
