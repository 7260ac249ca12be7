//! All of a machine but its tasks: what a frame may read and write.
//!
//! Modelled: memory, CPUs with clocks of their own, timers, wake-ups, counters, tunables.
//! Left out: a host clock, host randomness, floating point.
//! Invariants: everything here but `run` and `rec` is the machine's state and in its hash;
//! frames ask for wake-ups and births, the scheduler grants them at the end of the same point.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::arch::ZoneType;
use crate::costs::Costs;
use crate::counters::Counters;
use crate::frames::Kind;
use crate::kernel::Features;
use crate::layout::Layout;
use crate::mmzone::{MAX_ZONE_TYPES, Memory};
use crate::profile::Thp;
use crate::sched::Sched;
use crate::space::Spaces;
use crate::trace::{Event, Record, Recorder, What};
use crate::tunables::Tunables;
use crate::why::Why;
use crate::workload::Program;

/// A task to be born: which program, and how many of it are there already.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Birth {
    /// Index into the workload's programs.
    pub program: u32,
    /// Node to start on, `u8::MAX` for the next CPU in turn.
    pub node: u8,
}

/// kswapd of one node, as the allocator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KswapdState {
    /// Its task.
    pub task: u32,
    /// Not asleep.
    pub awake: bool,
    /// Order it was woken for (`kswapd_max_order`).
    pub order: u8,
    /// Highest zone type it was woken for.
    pub classzone: u8,
    /// How often it was woken.
    pub wakes: u64,
    /// When its state last changed, ns.
    pub since_ns: u64,
    /// Boost of each zone type as it was when its run began.
    pub boosts: [u32; MAX_ZONE_TYPES],
}

/// Where the engine stops and what it counts: conditions of the person at the controls, not of
/// the machine.
#[derive(Debug, Clone)]
pub struct Run {
    /// Points executed since boot.
    pub steps: u64,
    /// Stop when that many are executed.
    pub stop_steps: u64,
    /// Stop when the least CPU clock reaches this, ns.
    pub stop_ns: u64,
    /// Nothing was executed since the scheduler last chose.
    pub fresh: bool,
    /// A frame returns to the dispatcher at this step: `stop_steps`, or 0 when a wake-up or a
    /// birth waits to be granted.
    pub limit: u64,
    /// When the running task leaves its CPU, by [`Kind`] of the point it is behind, ns.
    pub deadline: [u64; 3],
    /// Kind of the last point before a frame returned to the dispatcher.
    pub kind: Kind,
    /// Frames that were called, and have not returned, since the dispatcher let the task go on.
    pub deeper: u32,
}

/// Steps count what was executed and are part of the state; where to stop is not.
impl Hash for Run {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.steps.hash(state);
    }
}
impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.steps == other.steps
    }
}
impl Eq for Run {}

/// Facts of the experiment that never change while it runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Facts {
    /// Nodes and zones as described.
    pub layout: Layout,
    /// The kernel.
    pub features: Features,
    /// Cost table, ns.
    pub cost: &'static Costs,
    /// Zeroing one page, ns.
    pub zero_page: u32,
    /// Zeroing one huge page, ns.
    pub zero_huge: u32,
    /// Zonelists: for each node, populated zones (indices into `Memory::zones`) in order.
    pub zonelists: Vec<Vec<u8>>,
    /// The workload's programs.
    pub programs: Vec<Program>,
    /// Runtime changes: at this time, set these.
    pub interventions: Vec<(u64, Vec<(String, String)>)>,
    /// When the experiment ends, ns.
    pub length_ns: u64,
    /// The experiment's seed.
    pub seed: u64,
    /// Node of each CPU.
    pub node_of_cpu: Vec<u8>,
    /// Huge pages as booted.
    pub booted_thp: Thp,
    /// Per-cpu lists are on.
    pub pcp: bool,
}

/// The machine without its tasks.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct World {
    /// Physical memory.
    pub mem: Memory,
    /// Address spaces.
    pub spaces: Spaces,
    /// CPUs, run queues, timers.
    pub sched: Sched,
    /// vmstat counters.
    pub counters: Counters,
    /// Current tunables.
    pub tunables: Tunables,
    /// Transparent huge pages as they are in force.
    pub thp: Thp,
    /// kswapd per node.
    pub kswapd: Vec<KswapdState>,
    /// Instances born so far, by program.
    pub born: Vec<u32>,
    /// Tasks to be born at the end of this point.
    pub births: Vec<Birth>,
    /// Facts of the experiment.
    pub facts: Arc<Facts>,
    /// Virtual time of the running CPU, ns.
    pub now: u64,
    /// The running CPU.
    pub cpu: u16,
    /// Id of the running task.
    pub task: u32,
    /// Stop conditions and the step count.
    pub run: Run,
    /// What is recorded.
    pub rec: Recorder,
}

impl Clone for World {
    fn clone(&self) -> Self {
        Self {
            mem: self.mem.clone(),
            spaces: self.spaces.clone(),
            sched: self.sched.clone(),
            counters: self.counters.clone(),
            tunables: self.tunables.clone(),
            kswapd: self.kswapd.clone(),
            born: self.born.clone(),
            births: self.births.clone(),
            facts: Arc::clone(&self.facts),
            run: self.run.clone(),
            rec: Recorder::default(),
            ..*self
        }
    }
    fn clone_from(&mut self, from: &Self) {
        self.mem.clone_from(&from.mem);
        self.spaces.clone_from(&from.spaces);
        self.sched.clone_from(&from.sched);
        self.counters.clone_from(&from.counters);
        self.tunables.clone_from(&from.tunables);
        self.thp = from.thp;
        self.kswapd.clone_from(&from.kswapd);
        self.born.clone_from(&from.born);
        self.births.clone_from(&from.births);
        self.facts = Arc::clone(&from.facts);
        self.now = from.now;
        self.cpu = from.cpu;
        self.task = from.task;
        self.run = from.run.clone();
        self.rec.records.clear();
    }
}

impl World {
    /// Must the running frame return to the dispatcher after a point of this kind?
    #[inline(always)]
    pub fn is_due(&self, kind: Kind) -> bool {
        self.run.steps >= self.run.limit || self.now >= self.run.deadline[kind as usize]
    }

    /// Spends virtual time.
    #[inline(always)]
    pub fn spend(&mut self, ns: u32) {
        self.now += u64::from(ns);
    }

    /// Records why a decision went as it did.
    #[inline(always)]
    pub fn why(&mut self, why: Why, n: [u32; 6]) {
        if self.rec.on {
            self.record(What::Why(why), n);
        }
    }

    /// Records an event.
    #[inline(always)]
    pub fn trace(&mut self, event: Event, n: [u32; 6]) {
        if self.rec.on {
            self.record(What::Event(event), n);
        }
    }

    #[inline(never)]
    fn record(&mut self, what: What, n: [u32; 6]) {
        let (step, time_ns, task, cpu) = (self.run.steps, self.now, self.task, self.cpu);
        self.rec.push(Record {
            step,
            time_ns,
            task,
            cpu,
            what,
            n,
        });
    }

    /// Node of the running CPU (`numa_node_id`).
    #[inline]
    pub fn local_node(&self) -> u8 {
        self.facts.node_of_cpu[self.cpu as usize]
    }

    /// Name of a zone: "0/DMA32".
    pub fn zone_key(&self, zone: u8) -> String {
        let z = &self.mem.zones[zone as usize];
        format!("{}/{}", z.node, self.zone_type(z.kind).name())
    }

    /// The zone type at an index of the layout.
    pub fn zone_type(&self, kind: u8) -> ZoneType {
        self.facts.layout.zone_types[kind as usize]
    }

    /// Asks the scheduler to wake a task at the end of this point.
    pub fn wake(&mut self, task: u32) {
        self.sched.wakes.push(task);
        self.need_attention();
    }

    /// Asks for a task to be born at the end of this point.
    pub fn spawn(&mut self, birth: Birth) {
        self.births.push(birth);
        self.need_attention();
    }

    fn need_attention(&mut self) {
        self.sched.attention = true;
        self.run.limit = 0;
    }
}
