//! Moments of a run as rows of numbers, for drawing over time.
//!
//! Modelled: nothing of the kernel. A row says where the machine stood, what each zone had free and
//! in blocks of which order, all counters, what each task was doing at that moment, and how near each
//! process's memory and threads were.
//! Also said is who began to reclaim since the row before: kswapd is often awake for microseconds, and
//! rows of a long run lie seconds apart.
//! Left out: what else happened between two rows; a lane drawn from them is as fine as they lie close.
//! Rows so many steps apart say nothing of a time in which few steps are made: [`Marks`] adds some.
//! Invariants: a row depends on the machine only, not on how it came there. What it says of a task
//! held from its `since` to its `now`, and no row is further from the next than a mark from the next
//! but for such a time.

use crate::counters::{Counter, Counters};
use crate::frames::Frame;
use crate::machine::{Machine, Task, TaskKind, TaskStatus};
use crate::mmzone::MAX_ORDERS;
use crate::placement::{self, Placement};
use crate::vmscan::throttle::Reason;

/// What a task is doing, in the vocabulary of the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Doing {
    /// It has ended.
    Gone,
    /// It sleeps and wants nothing.
    Asleep,
    /// On its CPU.
    Running,
    /// It waits for its CPU.
    Ready,
    /// It reclaims, on its CPU or waiting for it.
    Reclaiming,
    /// It is made to wait by the dirty limits, or until kswapd has refilled the reserves.
    Throttled,
    /// It waits for a device or a page.
    Io,
    /// It is throttled in reclaim until enough pages were written.
    Written,
    /// In reclaim until fewer pages are isolated.
    Isolated,
    /// In reclaim until somebody makes progress.
    NoProgress,
    /// In reclaim or before it tries again, for queues that are congested or may be.
    Congested,
}

/// Tasks in one number of a row: four bits each.
pub const TASKS_PACKED: usize = 13;
/// Tasks in one number of a row that says who began to reclaim: one bit each.
pub const RECLAIMS_PACKED: usize = 52;

/// One moment.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Steps since boot.
    pub step: u64,
    /// Virtual time, ns.
    pub now: u64,
    /// Since when all is as it is, see [`Machine::since`].
    pub since: u64,
    /// Free pages of each zone.
    free: Vec<u32>,
    /// Free blocks of each zone by order.
    blocks: Vec<[u32; MAX_ORDERS]>,
    /// Orders this machine has.
    orders: usize,
    counters: Counters,
    /// By task, see [`Doing`].
    doing: Vec<u8>,
    /// By task, how often it has begun to reclaim.
    reclaims: Vec<u32>,
    /// Of each process, how near its memory and its threads are.
    near: Vec<Near>,
}

/// How near a process's memory and its threads are at a moment.
#[derive(Debug, Clone, Copy)]
struct Near {
    /// Its main task.
    task: u32,
    /// Local pages of a thousand, see [`Placement::local`].
    local: Option<u64>,
    /// Nodes its threads are on.
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

/// Numbers of each process in a row of [`Sample::write_near`].
const NEAR: usize = 4;

impl Sample {
    /// Of a machine where it stands.
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
        for (id, task) in (0u32..).zip(&m.tasks) {
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

    /// Adds a row: how many numbers follow, how many of them are counters, step, time in ns,
    /// since when it is so, free pages of each zone, the counters wanted, how many tasks there are, what they do,
    /// [`TASKS_PACKED`] a number, and which of them began to reclaim since the row `before`,
    /// [`RECLAIMS_PACKED`] a number, the first in the lowest bits.
    pub fn write(&self, before: Option<&Sample>, wanted: &[Counter], out: &mut Vec<i64>) {
        let start = out.len();
        out.extend([
            0,
            wanted.len() as i64,
            self.step as i64,
            self.now as i64,
            self.since as i64,
        ]);
        for &free in &self.free {
            out.push(free.into());
        }
        for &counter in wanted {
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

    /// Adds a row of all processes: how many numbers follow, time in ns, since when it is so, and of each process
    /// four numbers: its main task, how many of a thousand of its pages are local (-1 where it has none),
    /// on how many nodes its threads are, and how often its memory was scanned.
    pub fn write_near(&self, out: &mut Vec<i64>) {
        let many = 2 + NEAR * self.near.len();
        out.extend([many as i64, self.now as i64, self.since as i64]);
        for near in &self.near {
            out.extend([
                near.task.into(),
                near.local.map_or(-1, |local| local as i64),
                near.nodes.into(),
                near.scans.into(),
            ]);
        }
    }

    /// Adds a row of a zone's free blocks: time in ns, since when it is so, how many of each order,
    /// the lowest first. Of a zone that is not there, none.
    pub fn write_blocks(&self, zone: usize, out: &mut Vec<i64>) {
        if let Some(blocks) = self.blocks.get(zone) {
            out.extend([self.now as i64, self.since as i64]);
            out.extend(blocks[..self.orders].iter().map(|&many| i64::from(many)));
        }
    }
}

/// Times at which a row is due, every so many ns: at the first moment no CPU is behind one.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    every_ns: u64,
    next_ns: u64,
}

impl Marks {
    /// Every so many ns after a time; none, if 0.
    pub fn after(now: u64, every_ns: u64) -> Marks {
        let passed = now.checked_div(every_ns);
        let next_ns = passed.map_or(u64::MAX, |n| (n + 1) * every_ns);
        Marks { every_ns, next_ns }
    }

    /// From one to the next, ns; 0 where there are none.
    pub fn every_ns(&self) -> u64 {
        self.every_ns
    }

    /// The next one, ns.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Is the machine at the next one, or past it? Then the one after this moment is next.
    pub fn take(&mut self, m: &Machine) -> bool {
        let is_there = m.reached(self.next_ns);
        if is_there {
            *self = Marks::after(m.w.now, self.every_ns);
        }
        is_there
    }

    /// Takes every other one away. Says of each row of a mark, in order, whether it still is one.
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

/// The counters of pairs of numbers, see [`Counters::counter`]; what is none is left out.
pub fn counters(pairs: &[u32]) -> Vec<Counter> {
    let mut out = Vec::new();
    for pair in pairs.chunks_exact(2) {
        out.extend(Counters::counter(pair[0] as usize, pair[1] as usize));
    }
    out
}

/// What a task is doing.
fn doing(m: &Machine, id: u32, task: &Task) -> Doing {
    let cpu = &m.w.sched.cpus[task.cpu as usize];
    // kswapd that runs reclaims; so does who may use reserves for it (PF_MEMALLOC).
    let reclaims = task.cx.memalloc || matches!(task.kind, TaskKind::Kswapd { .. });
    match task.status {
        TaskStatus::Exited => Doing::Gone,
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
