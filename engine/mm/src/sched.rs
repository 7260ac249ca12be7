//! CPUs, their clocks, and the choice of the next task (kernel/sched).
//!
//! Modelled: each CPU has its own time. The machine runs the CPU with the least (time, cpu) and
//! keeps running its task until a yield point. Interrupts go first. User, system, idle and I/O-wait
//! time are counted per CPU. Each module says what it models: run queues (`queue`), the CPU on
//! which a task runs (`place`), the end of a turn (`tick`), timers and interrupts (`timer`).
//! `usage` reads what the page displays of a CPU. On a machine whose workload has threads, ticks
//! are steps, and tasks are balanced by the rules of 3.7 over domains of CPUs (`domains`, `load`,
//! `balance`). Left out: priorities, groups. On other machines there is no balancing, except that a
//! waking task takes an idle CPU of its node. Visible difference: on those machines a runnable task
//! is never moved away from a busy CPU. Invariants: the scheduler acts only at yield points and at
//! sleeps, never because a person paused the run; a waiting task is on no queue, a runnable one on
//! exactly one.

pub mod balance;
pub mod domains;
pub mod load;
mod place;
mod queue;
mod tick;
mod timer;
mod usage;

pub use balance::{LbPt, LoadBalance};
pub use place::{ForkedAway, ForkedHere, WokenConverged, WokenNear, WokenPlaced, WokenThere};
pub use tick::TurnOver;
pub use timer::{HiPt, HrtimerInterrupt, Woken};
pub use usage::Used;

use crate::frames::Kind;
use facts::index::{CpuIndex, IndexVec, TaskIndex};
use facts::state::State;
use queue::choose;

/// Maximum virtual time after which a task leaves its CPU to a CPU with an earlier clock, ns;
/// longer in user mode if the machine defines a longer slice ([`Sched::slice_ns`]).
pub const SLICE_NS: u64 = 10_000;
/// `sysctl_sched_latency` on one CPU: every task of a queue gets a turn within this time.
const LATENCY_NS: u64 = 6_000_000;
/// `sysctl_sched_min_granularity` on one CPU: the shortest turn.
const MIN_GRANULARITY_NS: u64 = 750_000;
/// `sysctl_sched_wakeup_granularity` on one CPU: a waking task preempts the running task if it is
/// this far behind that task.
const WAKEUP_GRANULARITY_NS: u64 = 1_000_000;

/// How a CPU's time was used, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Usage {
    /// Time in user mode.
    pub user: u64,
    /// Idle time while no task waits for I/O.
    pub idle: u64,
    /// Idle time while a task that ran here waits for I/O.
    pub iowait: u64,
}

/// A CPU with its clock and queue.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Cpu {
    /// Clock of the CPU, ns.
    pub now: u64,
    /// Task that runs, [`NONE`] if the CPU is idle.
    pub current: TaskIndex,
    /// When `current` got the CPU, not counting interrupts since then.
    since: u64,
    /// Pseudo task whose interrupt is being handled, [`NONE`] for none.
    irq: TaskIndex,
    /// When that interrupt began.
    irq_since: u64,
    /// Scheduled interrupts of devices, with the pseudo task that handles each, latest first.
    interrupts: Vec<(u64, TaskIndex)>,
    /// Timer pseudo task of the CPU.
    pub irq_task: TaskIndex,
    /// Runnable tasks that wait for their turn.
    queue: Vec<TaskIndex>,
    /// Sleepers by wake-up time, latest first.
    timers: Vec<(u64, TaskIndex)>,
    /// Number of tasks placed here.
    pub placed: u32,
    /// Minimum virtual runtime of a task in this queue; it only grows.
    min_vruntime: u64,
    /// True if a task that ran less was woken.
    resched: bool,
    /// Number of tasks that ran here and wait for I/O.
    pub nr_iowait: u32,
    /// How the CPU's time was used.
    pub usage: Usage,
    /// The part of `usage.user` that has been counted for tasks, ns.
    #[state(skip = "it is only shown")]
    user_counted: u64,
}

impl Cpu {
    fn new() -> Self {
        Self {
            now: 0,
            current: TaskIndex::NONE,
            since: 0,
            irq: TaskIndex::NONE,
            irq_since: 0,
            interrupts: Vec::new(),
            irq_task: TaskIndex::NONE,
            queue: Vec::new(),
            timers: Vec::new(),
            placed: 0,
            min_vruntime: 0,
            resched: false,
            nr_iowait: 0,
            usage: Usage::default(),
            user_counted: 0,
        }
    }

    fn is_busy(&self) -> bool {
        self.irq != TaskIndex::NONE || self.current != TaskIndex::NONE || !self.queue.is_empty()
    }

    /// When the CPU next has something to do; `u64::MAX` for never.
    #[inline(always)]
    fn key(&self) -> u64 {
        if self.is_busy() {
            return self.now;
        }
        self.next_interrupt().max(self.now)
    }

    /// Does nothing run or wait to run here?
    #[inline]
    pub fn is_idle(&self) -> bool {
        !self.is_busy()
    }

    /// Moves the clock to `at` while the CPU is idle.
    fn idle_until(&mut self, at: u64) {
        let gap = at.saturating_sub(self.now);
        if self.nr_iowait > 0 {
            self.usage.iowait += gap;
        } else {
            self.usage.idle += gap;
        }
        self.now += gap;
    }
}

/// A time for each task, ns.
type ByTask = IndexVec<TaskIndex, u64>;

/// The scheduler.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Sched {
    /// CPUs by id.
    pub cpus: IndexVec<CpuIndex, Cpu>,
    /// True if wake-ups or births wait to be granted.
    pub attention: bool,
    /// Tasks to wake at the end of this point.
    pub wakes: Vec<TaskIndex>,
    /// True if nothing will ever run again, or the end of the experiment is reached.
    pub ended: bool,
    /// Virtual runtime of each task, ns.
    vruntime: ByTask,
    /// Time each task has had a CPU, ns (`sum_exec_runtime`).
    ran: ByTask,
    /// How much of that time each task spent in user mode, ns (`utime`).
    #[state(skip = "it is only shown")]
    in_user: ByTask,
    /// When each CPU next has something to do, ns; for the running CPU, the value at the time it
    /// was chosen.
    keys: IndexVec<CpuIndex, u64>,
    slice_end: u64,
    /// Length of a slice, ns: [`SLICE_NS`], or longer.
    #[state(skip = "it never changes")]
    pub slice_ns: u64,
    /// The CPU that comes next after the running one, and its time.
    other: (u64, CpuIndex),
    /// No CPU except those two has anything to do before this time.
    rest: u64,
    /// Time between ticks, ns; `u64::MAX` if ticks are steps, which end turns themselves.
    tick_ns: u64,
    /// State of load balancing.
    pub balance: load::Balancing,
}

impl Sched {
    /// A scheduler with idle CPUs and this many ticks per second.
    pub fn new(cpus: usize, hz: u32) -> Self {
        Self {
            cpus: (0..cpus).map(|_| Cpu::new()).collect(),
            attention: false,
            wakes: Vec::new(),
            ended: false,
            vruntime: ByTask::default(),
            ran: ByTask::default(),
            in_user: ByTask::default(),
            keys: vec![u64::MAX; cpus].into(),
            slice_end: 0,
            slice_ns: SLICE_NS,
            other: (u64::MAX, CpuIndex::new(0)),
            rest: 0,
            tick_ns: (1_000_000_000 / hz).into(),
            balance: load::Balancing::default(),
        }
    }

    /// Makes ticks steps: the end of a turn is not checked in between.
    pub fn use_ticks(&mut self) {
        self.tick_ns = u64::MAX;
    }

    /// Are ticks steps?
    pub fn has_ticks(&self) -> bool {
        self.tick_ns == u64::MAX
    }

    /// Factor by which the scheduler's times grow with the number of CPUs
    /// (`get_update_sysctl_factor`): one plus the binary logarithm of that number, which counts as
    /// at most eight.
    fn factor(&self) -> u64 {
        factor(self.cpus.len())
    }

    /// CPU time of a task before it last got a CPU, excluding interrupts, ns.
    pub fn ran(&self, task: TaskIndex) -> u64 {
        self.ran.at(task).copied().unwrap_or(0)
    }

    /// CPU time of a task up to now (`task_sched_runtime`), excluding interrupts, ns; `running` is
    /// the running CPU and its time.
    pub fn cpu_time(&self, task: TaskIndex, running: (CpuIndex, u64)) -> u64 {
        let stretch = |(cpu, c): (CpuIndex, &Cpu)| {
            let now = if cpu == running.0 {
                running.1.max(c.now)
            } else {
                c.now
            };
            let until = if c.irq == TaskIndex::NONE {
                now
            } else {
                c.irq_since
            };
            until.saturating_sub(c.since)
        };
        let mut cpus = self.cpus.entries();
        let current = cpus.find(|(_, c)| c.current == task);
        self.ran(task) + current.map_or(0, stretch)
    }

    /// Is the time when this CPU next has something to do recorded correctly? The time of the
    /// running CPU is not updated.
    pub fn knows(&self, cpu: CpuIndex) -> bool {
        self.keys[cpu] == self.cpus[cpu].key()
    }

    /// Is it true that no CPU except the running one and the next has anything to do before `rest`?
    pub fn bounds(&self, running: CpuIndex) -> bool {
        let spared = [running, self.other.1];
        self.keys
            .entries()
            .all(|(cpu, &key)| spared.contains(&cpu) || key >= self.rest)
    }

    /// Records that a CPU next has something to do at `key`; the first CPU must then be found again.
    fn note(&mut self, cpu: CpuIndex, key: u64) {
        self.keys[cpu] = key;
        self.rest = 0;
    }

    /// Loses the time when a CPU next has something to do: a bug that tests plant.
    #[doc(hidden)]
    pub fn forget(&mut self, cpu: CpuIndex) {
        self.keys[cpu] = 0;
    }

    /// Treats all CPUs but two as idle forever: a bug that tests plant.
    #[doc(hidden)]
    pub fn ignore_rest(&mut self) {
        self.rest = u64::MAX;
    }

    /// When the running task of `cpu` must leave it, by the [`Kind`] of its last point, ns.
    #[inline(always)]
    pub fn deadlines(&self, cpu: CpuIndex) -> [u64; 3] {
        let mut at = [u64::MAX; 3];
        at[Kind::Plain as usize] = self.slice_end;
        at[Kind::Yields as usize] = self.slice_end.min(self.other.0.saturating_add(1));
        let c = &self.cpus[cpu];
        if c.irq == TaskIndex::NONE && c.resched {
            at[Kind::Yields as usize] = 0;
        }
        at
    }

    /// Chooses what runs next after `cpu`, which ran until `now`. Returns (cpu, task, time), or
    /// `None` if no CPU has anything to do before `end`; then nothing is chosen.
    pub fn pick(
        &mut self,
        cpu: CpuIndex,
        now: u64,
        end: u64,
        switch_ns: u32,
    ) -> Option<(CpuIndex, TaskIndex, u64)> {
        let ran = &mut self.cpus[cpu];
        ran.now = ran.now.max(now);
        let key = ran.key();
        self.keys[cpu] = key;
        let (time, cpu) = self.first((key, cpu));
        if time >= end {
            return None;
        }
        let cpus = self.cpus.len();
        let c = &mut self.cpus[cpu];
        if time > c.now {
            c.idle_until(time);
        }
        c.interrupt(time);
        if c.irq == TaskIndex::NONE {
            let of = [&mut self.vruntime, &mut self.ran, &mut self.in_user];
            choose(c, of, &mut self.balance, self.tick_ns, cpus, switch_ns);
        }
        self.slice_end = c.now + self.slice_ns;
        let task = if c.irq != TaskIndex::NONE {
            c.irq
        } else {
            c.current
        };
        Some((cpu, task, c.now))
    }

    /// The first CPU that has something to do, and its time; stores the one after it in `other`.
    /// `ran` is the CPU that ran last. Usually two CPUs alternate, and no other CPU needs to be
    /// checked.
    #[inline(always)]
    fn first(&mut self, ran: (u64, CpuIndex)) -> (u64, CpuIndex) {
        let other = self.other;
        if ran.0 >= self.rest || (other.0 >= self.rest && other.0 != u64::MAX) {
            return self.search();
        }
        self.other = ran.max(other);
        ran.min(other)
    }

    #[inline(never)]
    fn search(&mut self) -> (u64, CpuIndex) {
        let first = CpuIndex::new(0);
        let (mut best, mut second, mut rest) = ((u64::MAX, first), (u64::MAX, first), u64::MAX);
        for (i, &key) in self.keys.entries() {
            // Most keys are not among the three smallest: one comparison skips them.
            if key >= rest {
                continue;
            }
            if key < best.0 {
                (rest, second, best) = (second.0, best, (key, i));
            } else if key < second.0 {
                (rest, second) = (second.0, (key, i));
            } else {
                rest = key;
            }
        }
        (self.other, self.rest) = (second, rest);
        best
    }
}

/// [`Sched::factor`] with this many CPUs.
fn factor(cpus: usize) -> u64 {
    1 + u64::from(cpus.clamp(1, 8).ilog2())
}
