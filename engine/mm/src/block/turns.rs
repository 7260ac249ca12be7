//! Turns of tasks that read from a rotational disk (block/cfq-iosched.c, to 4.x).
//!
//! Modelled: a queue for each task that reads; slices of 100 ms, shorter if many tasks read; the
//! idle wait of 8 ms for the next request of a task that reads in sequence. Tasks whose requests
//! lie far apart share a turn: they are served in one sweep, and the disk does not wait for them.
//! Also the time for which reads go before writes.
//! Left out: priorities and groups; think times, so no task is known to be slow with its next
//! request; a queue of writes for each task that syncs. The requests of a turn are served in the
//! order of the sweep.
//! Visible difference: a task that reads a little, thinks longer than 8 ms and reads again costs
//! the disk an idle wait each time.
//! Invariants: the device waits at most 8 ms after a request, and not beyond the slice.

use crate::block::queue::Request;
use crate::frames::NONE;
use facts::index::TaskIndex;
use facts::state::State;

/// Slice for the reads of one task (`cfq_slice_sync`, HZ/10), ns.
pub(super) const SLICE_SYNC_NS: u64 = 100_000_000;
/// Slice for writes (`cfq_slice_async`, HZ/25), ns.
pub(super) const SLICE_ASYNC_NS: u64 = 40_000_000;
/// Target for the sum of all slices (`cfq_target_latency`, 3/10 HZ), ns.
const TARGET_NS: u64 = 300_000_000;
/// How long the disk waits for the next request of a task (`cfq_slice_idle`, HZ/125), ns.
pub(super) const SLICE_IDLE_NS: u64 = 8_000_000;
/// A request that starts farther than this from the end of the last one is a seek, bytes
/// (`CFQQ_SEEK_THR`).
const SEEK_BYTES: u64 = 8 * 100 * 512;
/// The disk no longer waits for a task with more seeks than this in its last 32 requests
/// (`CFQQ_SEEKY`).
const SEEKS: u32 = 32 / 8;
/// Maximum number of readers stored. Beyond it, the reader that was served longest ago is dropped.
const READERS: usize = 64;
/// The turn that all tasks share whose requests lie far apart.
const SEEKERS: u32 = NONE - 1;

/// One task that reads (`struct cfq_queue`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Reader {
    /// The task.
    pub task: TaskIndex,
    /// The page after its last request.
    last: u64,
    /// One bit for each of its last 32 requests, newest in the lowest bit; 1 for a seek
    /// (`seek_history`).
    seeks: u32,
    /// Position in the order of turns: the reader with the lowest key goes next.
    key: u64,
}

/// The turns on one device.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Turns {
    /// Tasks that read recently.
    readers: Vec<Reader>,
    /// The task whose turn it is; [`SEEKERS`] for all seekers, [`NONE`] for no task.
    active: u32,
    /// When the slice ends, ns; `u64::MAX` until the first request has ended.
    slice_end: u64,
    /// Until when the disk waits for the next request of that task, ns.
    idle_until: u64,
    /// Number of turns so far.
    next_key: u64,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            readers: Vec::new(),
            active: NONE,
            slice_end: u64::MAX,
            idle_until: 0,
            next_key: 0,
        }
    }
}

impl Turns {
    /// Adds a read to the turn of its task (`cfq_update_io_seektime`).
    pub(super) fn add(&mut self, r: &Request, page_bytes: u64) {
        let at = match self.readers.iter().position(|x| x.task == r.task) {
            Some(at) => at,
            None => self.meet(r),
        };
        let x = &mut self.readers[at];
        let is_seek = x.last.abs_diff(r.start) * page_bytes > SEEK_BYTES;
        x.seeks = x.seeks << 1 | u32::from(is_seek);
        x.last = r.end();
    }

    /// Adds a task that reads for the first time.
    fn meet(&mut self, r: &Request) -> usize {
        if self.readers.len() == READERS {
            let oldest = (0..READERS).min_by_key(|&i| self.readers[i].key);
            self.readers.remove(oldest.unwrap_or(0));
        }
        let key = self.take_key();
        self.readers.push(Reader {
            task: r.task,
            last: r.start,
            seeks: 0,
            key,
        });
        self.readers.len() - 1
    }

    fn take_key(&mut self) -> u64 {
        self.next_key += 1;
        self.next_key
    }

    /// The turn in which a task's requests are served.
    fn turn_of(&self, task: TaskIndex) -> u32 {
        let reader = self.readers.iter().find(|x| x.task == task);
        match reader {
            Some(x) if x.seeks.count_ones() > SEEKS => SEEKERS,
            _ => task.get(),
        }
    }

    fn has_request(&self, queued: &[Request]) -> bool {
        let mut reads = queued.iter().filter(|r| !r.write);
        reads.any(|r| self.turn_of(r.task) == self.active)
    }

    /// Must the device wait for the task whose turn it is, although other tasks have requests
    /// (`cfq_arm_slice_timer`)?
    pub(super) fn waits(&self, queued: &[Request], now: u64) -> bool {
        now < self.idle_until && self.active != NONE && !self.has_request(queued)
    }

    /// When the idle wait ends, ns.
    pub(super) fn idle_until(&self) -> u64 {
        self.idle_until
    }

    /// Number of tasks that have requests or the current turn.
    pub(super) fn busy(&self, queued: &[Request]) -> u64 {
        let has = |task: TaskIndex| queued.iter().any(|r| !r.write && r.task == task);
        let all = self.readers.iter();
        all.filter(|x| x.task.get() == self.active || has(x.task))
            .count() as u64
    }

    /// How long reads go first while writes wait, and how long writes go first after that, ns. The
    /// target time is divided among the queues; the share of writes shrinks as their slices do
    /// (`choose_wl_class_and_type`).
    pub(super) fn shares(busy: u64) -> (u64, u64) {
        let reads = TARGET_NS * busy / (busy + 1);
        let writes = TARGET_NS / (busy + 1) * SLICE_ASYNC_NS / SLICE_SYNC_NS;
        (reads.max(2 * SLICE_IDLE_NS), writes)
    }

    /// Slice of each task when `busy` tasks share the disk (`cfq_scaled_cfqq_slice`), ns.
    fn slice(busy: u64) -> u64 {
        match busy * SLICE_SYNC_NS {
            all if all > TARGET_NS => (TARGET_NS / busy).max(2 * SLICE_IDLE_NS),
            _ => SLICE_SYNC_NS,
        }
    }

    /// Chooses the task whose reads are served next (`cfq_select_queue`): continues the turn or
    /// begins the next one. At least one read must be queued.
    pub(super) fn select(&mut self, queued: &[Request], now: u64) {
        if self.active != NONE && now < self.slice_end && self.has_request(queued) {
            return;
        }
        let ended = self.active;
        let next = queued.iter().filter(|r| !r.write).map(|r| r.task);
        let next = next.min_by_key(|&task| {
            // The task whose turn ends goes behind all others.
            let reader = self.readers.iter().find(|x| x.task == task);
            (self.turn_of(task) == ended, reader.map_or(0, |x| x.key))
        });
        self.active = next.map_or(NONE, |task| self.turn_of(task));
        (self.slice_end, self.idle_until) = (u64::MAX, 0);
        for i in 0..self.readers.len() {
            if self.turn_of(self.readers[i].task) == self.active {
                self.readers[i].key = self.take_key();
            }
        }
    }

    /// Is this read served in the current turn?
    pub(super) fn is_on(&self, r: &Request) -> bool {
        self.turn_of(r.task) == self.active
    }

    /// A read has ended (`cfq_completed_request`). The first read of a turn starts the slice; the
    /// last one in the queue starts the idle wait.
    pub(super) fn ended(&mut self, r: &Request, queued: &[Request], now: u64) {
        if self.turn_of(r.task) != self.active {
            return;
        }
        let alone = match self.active {
            SEEKERS => self.busy(queued).max(1),
            _ => 1,
        };
        if self.slice_end == u64::MAX {
            self.slice_end = now + alone * Self::slice(self.busy(queued).max(1));
        }
        if self.active != SEEKERS && !self.has_request(queued) {
            self.idle_until = (now + SLICE_IDLE_NS).min(self.slice_end);
        }
    }
}

#[cfg(test)]
impl Turns {
    /// Adds an entry to lists that are usually empty, so that tests can change them.
    pub(crate) fn fill(&mut self) {
        self.readers.push(Reader {
            task: TaskIndex::new(0),
            last: 0,
            seeks: 0,
            key: 0,
        });
    }
}
