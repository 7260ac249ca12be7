//! Samples of a run as rows of numbers, for drawing over time.
//!
//! Modelled: nothing of the kernel. A row holds the machine's step and time, each zone's free pages
//! and free blocks by order, all counters, what each task was doing, and how local each process's
//! memory and threads were. It also marks the tasks that began to reclaim since the row before:
//! kswapd is often awake for microseconds, while rows of a long run are seconds apart.
//! Left out: other events between two rows; a lane drawn from rows is only as fine as the rows are
//! close. Rows at regular steps can miss a time in which few steps are made, so [`Marks`] adds
//! rows.
//! Invariants: a row depends only on the machine, not on how it got there. What a row says about a
//! task was true from its `since` to its `now`. Two rows are at most one mark apart, except across
//! a time without steps.

use crate::counters::{Counter, Counters};
use crate::frames::Frame;
use crate::machine::{Machine, Task, TaskKind, TaskStatus};
use crate::mmzone::MAX_ORDERS;
use crate::placement::{self, Placement};
use crate::vmscan::throttle::Reason;
use facts::index::TaskIndex;

/// What a task is doing, in the categories of the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Doing {
    /// The task has ended.
    Exited,
    /// The task sleeps and waits for nothing.
    Asleep,
    /// The task runs on its CPU.
    Running,
    /// The task waits for its CPU.
    Ready,
    /// The task reclaims, on its CPU or waiting for its CPU.
    Reclaiming,
    /// The task waits because of the dirty limits, or until kswapd has refilled the reserves.
    Throttled,
    /// The task waits for a device or a page.
    Io,
    /// The task is throttled in reclaim until enough pages are written.
    Written,
    /// The task is throttled in reclaim until fewer pages are isolated.
    Isolated,
    /// The task is throttled in reclaim until another task makes progress.
    NoProgress,
    /// The task waits in reclaim or before a retry, because queues are congested or in case they
    /// are.
    Congested,
}

/// Number of tasks packed into one number of a row: four bits each.
pub const TASKS_PACKED: usize = 13;
/// Number of tasks packed into one number that marks which of them began to reclaim: one bit each.
pub const RECLAIMS_PACKED: usize = 52;

/// The state of a machine at one step.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Number of steps since boot.
    pub step: u64,
    /// Virtual time, ns.
    pub now: u64,
    /// Since when this state has held, ns; see [`Machine::since`].
    pub since: u64,
    /// Free pages of each zone.
    free: Vec<u32>,
    /// Free blocks of each zone by order.
    blocks: Vec<[u32; MAX_ORDERS]>,
    /// Number of orders of this machine.
    orders: usize,
    counters: Counters,
    /// What each task is doing, see [`Doing`].
    doing: Vec<u8>,
    /// How often each task has begun to reclaim.
    reclaims: Vec<u32>,
    /// How local each process's memory and threads are.
    near: Vec<Near>,
}

/// How local a process's memory and threads are at one step.
#[derive(Debug, Clone, Copy)]
struct Near {
    /// Main task of the process.
    task: TaskIndex,
    /// Local pages per thousand; see [`Placement::local`].
    local: Option<u64>,
    /// Number of nodes on which the threads are.
    nodes: u32,
    scans: u32,
}

impl Near {
    fn of(place: &Placement) -> Self {
        Near {
            task: place.task,
            local: place.local(),
            nodes: place.threads.iter().filter(|&&n| n > 0).count() as u32,
            scans: place.scans,
        }
    }
}

/// Number of values per process in a row of [`Sample::write_near`].
const NEAR: usize = 4;

impl Sample {
    /// A sample of a machine's current state.
    pub fn of(m: &Machine) -> Sample {
        let w = &m.w;
        let mut free = Vec::with_capacity(w.mem.zones.len());
        let mut blocks = Vec::with_capacity(w.mem.zones.len());
        for zone in &w.mem.zones {
            free.push(zone.nr_free_pages);
            blocks.push(zone.nr_free);
        }
        let mut tasks = Vec::with_capacity(m.tasks.len());
        let mut reclaims = Vec::with_capacity(m.tasks.len());
        for (id, task) in m.tasks.entries() {
            tasks.push(doing(m, id, task) as u8);
            reclaims.push(task.cx.reclaims);
        }
        Sample {
            step: w.run.steps(),
            now: w.now,
            since: m.since(),
            free,
            blocks,
            orders: w.mem.orders.into(),
            counters: w.counters.clone(),
            doing: tasks,
            reclaims,
            near: placement::of_machine(m).iter().map(Near::of).collect(),
        }
    }

    /// Adds a row: the count of numbers that follow, how many of them are counters, step, time in
    /// ns, since when the state holds, free pages of each zone, the requested counters, and the
    /// number of tasks. These are followed by what the tasks do, [`TASKS_PACKED`] per number, and
    /// by which of them began to reclaim since the row `before`, [`RECLAIMS_PACKED`] per number,
    /// the first task in the lowest bits.
    pub fn write(&self, before: Option<&Sample>, requested: &[Counter], out: &mut Vec<i64>) {
        let start = out.len();
        out.extend([
            0,
            requested.len() as i64,
            self.step as i64,
            self.now as i64,
            self.since as i64,
        ]);
        for &free in &self.free {
            out.push(free.into());
        }
        for &counter in requested {
            out.push(self.counters.count(counter) as i64);
        }
        out.push(self.doing.len() as i64);
        for tasks in self.doing.chunks(TASKS_PACKED) {
            let mut packed = 0;
            for &doing in tasks.iter().rev() {
                packed = packed << 4 | i64::from(doing);
            }
            out.push(packed);
        }
        for first in (0..self.doing.len()).step_by(RECLAIMS_PACKED) {
            let last = self.doing.len().min(first + RECLAIMS_PACKED);
            let bits = (first..last).rev();
            out.push(bits.fold(0, |packed, task| {
                packed << 1 | i64::from(before.is_some_and(|b| self.reclaimed_since(b, task)))
            }));
        }
        out[start] = (out.len() - start - 1) as i64;
    }

    /// Has a task begun to reclaim since a row before this one?
    fn reclaimed_since(&self, before: &Sample, task: usize) -> bool {
        let then = before.reclaims.get(task).copied().unwrap_or(0);
        self.reclaims[task] != then
    }

    /// Adds a row of all processes: the count of numbers that follow, time in ns, since when the state holds,
    /// and four numbers per process. These are its main task, its local pages per thousand (-1 without
    /// pages), the number of nodes its threads are on, and how often its memory was scanned.
    pub fn write_near(&self, out: &mut Vec<i64>) {
        let many = 2 + NEAR * self.near.len();
        out.extend([many as i64, self.now as i64, self.since as i64]);
        for near in &self.near {
            out.extend([
                near.task.get().into(),
                near.local.map_or(-1, |local| local as i64),
                near.nodes.into(),
                near.scans.into(),
            ]);
        }
    }

    /// Adds a row of a zone's free blocks: time in ns, since when the state holds, and the number of blocks
    /// of each order, the lowest first. Adds nothing for a zone that does not exist.
    pub fn write_blocks(&self, zone: usize, out: &mut Vec<i64>) {
        if let Some(blocks) = self.blocks.get(zone) {
            out.extend([self.now as i64, self.since as i64]);
            out.extend(blocks[..self.orders].iter().map(|&many| i64::from(many)));
        }
    }
}

/// Time marks at regular distances. A row is due at the first step when no CPU is behind the mark.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    every_ns: u64,
    next_ns: u64,
}

impl Marks {
    /// Marks every `every_ns` ns after a time; no marks if it is 0.
    pub fn after(now: u64, every_ns: u64) -> Marks {
        let passed = now.checked_div(every_ns);
        let next_ns = passed.map_or(u64::MAX, |n| (n + 1) * every_ns);
        Marks { every_ns, next_ns }
    }

    /// Distance of two marks, ns; 0 without marks.
    pub fn every_ns(&self) -> u64 {
        self.every_ns
    }

    /// Time of the next mark, ns.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Has the machine reached the next mark? If so, the first mark after the current time becomes
    /// the next one.
    pub fn take(&mut self, m: &Machine) -> bool {
        let is_there = m.reached(self.next_ns);
        if is_there {
            *self = Marks::after(m.w.now, self.every_ns);
        }
        is_there
    }

    /// Drops every other mark. The returned function says for each row of a mark, in order, whether
    /// the row still has a mark.
    pub fn thin(&mut self) -> impl FnMut(&Sample) -> bool + use<> {
        self.every_ns *= 2;
        self.next_ns = self.next_ns.div_ceil(self.every_ns) * self.every_ns;
        let (every_ns, mut passed) = (self.every_ns, None);
        move |row| {
            let mark = Some(row.now / every_ns);
            std::mem::replace(&mut passed, mark) != mark
        }
    }
}

/// The counters named by pairs of numbers, see [`Counters::counter`]; skips pairs that name no
/// counter.
pub fn counters(pairs: &[u32]) -> Vec<Counter> {
    let mut out = Vec::new();
    for pair in pairs.chunks_exact(2) {
        out.extend(Counters::counter(pair[0] as usize, pair[1] as usize));
    }
    out
}

/// What a task is doing.
fn doing(m: &Machine, id: TaskIndex, task: &Task) -> Doing {
    let cpu = &m.w.sched.cpus[task.cpu];
    // A runnable kswapd reclaims; so does a task that may use the reserves (PF_MEMALLOC).
    let reclaims = task.cx.memalloc || matches!(task.kind, TaskKind::Kswapd { .. });
    match task.status {
        TaskStatus::Exited => Doing::Exited,
        TaskStatus::Runnable if reclaims => Doing::Reclaiming,
        TaskStatus::Runnable if cpu.current == id || m.w.task == id => Doing::Running,
        TaskStatus::Runnable => Doing::Ready,
        TaskStatus::Sleeping | TaskStatus::Waiting => match task.stack.last() {
            Some(Frame::ReclaimThrottle(wait)) => match wait.reason {
                Reason::Writeback => Doing::Written,
                Reason::Isolated => Doing::Isolated,
                Reason::NoProgress => Doing::NoProgress,
                Reason::Congested => Doing::Congested,
            },
            Some(Frame::CongestionWait(_)) => Doing::Congested,
            Some(Frame::ShrinkInactiveList(_)) => Doing::Isolated,
            Some(Frame::BalanceDirtyPages(_) | Frame::TryToFreePages(_)) => Doing::Throttled,
            _ if task.in_iowait || m.w.page_wait.iter().any(|&(_, t)| t == id) => Doing::Io,
            Some(Frame::BlkGetRequest(_)) => Doing::Io,
            _ => Doing::Asleep,
        },
    }
}
