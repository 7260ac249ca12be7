//! The request queue of one device.
//!
//! Modelled: merging with waiting requests, reads before writes, a one-way sweep over a rotational
//! disk. Before blk-mq, also the turns of tasks that read from a rotational disk ([`Turns`]).
//! Left out: the deadline elevator's batches; elevators other than a kernel's default.
//! Visible difference: with blk-mq, readers are served by position, one request at a time.
//! Invariants: a device never works on more requests than its depth.

use crate::block::drive::{COMMAND_NS, Drive};
use crate::block::slots::Slots;
use crate::block::turns::Turns;
use crate::block::wbt::Wbt;
use crate::block::{Bio, Origin};
use crate::profile::DeviceModel;
use crate::world::World;
use facts::index::{FrameIndex, TaskIndex};
use facts::state::State;

/// How long reads may delay writes if readers do not take turns, ns. Then writes go first for
/// [`WRITE_TURN_NS`]. These times are the slices of CFQ.
pub(super) const READ_TURN_NS: u64 = super::turns::SLICE_SYNC_NS;
/// See [`READ_TURN_NS`].
pub(super) const WRITE_TURN_NS: u64 = super::turns::SLICE_ASYNC_NS;
/// A read or a write that has waited this long goes next (`read_expire`, `write_expire` of the
/// deadline elevator), ns.
pub(super) const EXPIRE_NS: [u64; 2] = [500_000_000, 5_000_000_000];
/// Service time of a request on an emulated guest's device, ns. Assumed.
pub(super) const GUEST_NS: u64 = 200_000;
/// Burst that a throttled device lets pass without delay, as time at its rate, ns.
const BURST_NS: u64 = 100_000_000;

/// A request of a device's queue (`struct request`): one bio or several merged.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Request {
    /// True for a write, false for a read.
    pub write: bool,
    /// True if a task waits for the request.
    pub sync: bool,
    /// On whose behalf the request is made.
    pub origin: Origin,
    /// The task that submitted it.
    pub task: TaskIndex,
    /// First page on the device.
    pub start: u64,
    /// The page frames, in their order on the device.
    pub pages: Vec<FrameIndex>,
    /// The extent of the pages, [`NONE`](crate::frames::NONE) for none.
    pub io_end: u32,
    /// When the request was queued, ns.
    pub queued_at: u64,
    /// When the request was issued to the device, ns; 0 before that.
    pub issued_at: u64,
    /// When the device finishes the request, ns; `u64::MAX` while it waits.
    pub ends_at: u64,
}

impl Request {
    /// A request for these pages of a bio.
    pub(super) fn new(w: &World, bio: &Bio, start: u64, pages: Vec<FrameIndex>) -> Self {
        let drive = &w.facts.devices[usize::from(bio.device)];
        // A guest's device accepts requests immediately and delays them itself.
        let at_once = drive.profile.model == DeviceModel::Throttled;
        Self {
            write: bio.write,
            sync: bio.sync,
            origin: bio.origin,
            task: w.task,
            start,
            pages,
            io_end: bio.io_end,
            queued_at: w.now,
            issued_at: if at_once { w.now } else { 0 },
            ends_at: u64::MAX,
        }
    }

    pub(super) fn end(&self) -> u64 {
        self.start + self.pages.len() as u64
    }
}

/// One device with its queue.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Device {
    /// The task that handles the device's interrupts.
    pub task: TaskIndex,
    /// The page after the last one issued.
    pub(super) head: u64,
    /// Until when requests keep the device busy, ns.
    pub(super) busy_until: u64,
    /// Since when reads have delayed writes, ns; `u64::MAX` if they do not.
    reads_since: u64,
    /// Until when writes go first, ns.
    writes_until: u64,
    /// Waiting requests, in order of arrival.
    pub queued: Vec<Request>,
    /// Requests the device works on, in the order in which they end.
    pub in_flight: Vec<Request>,
    /// Requests waiting, in flight or in plugs: asynchronous and synchronous.
    pub(super) count: [u32; 2],
    /// True if the queue is marked congested, for asynchronous and synchronous requests.
    pub(super) congested: [bool; 2],
    /// True if the last request issued was a write.
    wrote: bool,
    /// Speed as a percentage of the speed at boot.
    pub(super) percent: u16,
    /// Slots of the queue, and the tasks that wait for one.
    #[state(name = "places")]
    pub slots: Slots,
    /// Tasks that wait because too many writes are in flight: first other tasks, then kswapd.
    pub throttled: [Vec<TaskIndex>; 2],
    /// State of writeback throttling.
    pub wbt: Wbt,
    /// The turns of tasks that read, before blk-mq.
    pub(super) turns: Turns,
}

impl Device {
    pub(super) fn new(task: TaskIndex) -> Self {
        Self {
            task,
            head: 0,
            busy_until: 0,
            reads_since: u64::MAX,
            writes_until: 0,
            queued: Vec::new(),
            in_flight: Vec::new(),
            count: [0; 2],
            congested: [false; 2],
            wrote: false,
            percent: 100,
            slots: Slots::default(),
            throttled: [Vec::new(), Vec::new()],
            wbt: Wbt::default(),
            turns: Turns::default(),
        }
    }

    /// Requests waiting or in flight.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.in_flight.iter().chain(&self.queued)
    }

    /// Counts of asynchronous and synchronous requests, and of writes in flight. For `check`.
    pub(crate) fn counts(&self) -> [u32; 4] {
        let ([a, s], [other, kswapd]) = (self.count, self.wbt.inflight);
        [a, s, other, kswapd]
    }

    /// Adds pages to a waiting request, at its end or before its start (`elv_merge`). A guest's
    /// device accepts requests immediately, so its requests do not grow.
    pub(super) fn merge(&mut self, new: &Request, drive: &Drive) -> bool {
        if drive.profile.model == DeviceModel::Throttled {
            return false;
        }
        let most = drive.max_pages as usize;
        let room = |r: &Request| r.pages.len() + new.pages.len() <= most;
        let kind = |r: &Request| (r.write, r.sync, r.io_end);
        let alike = |r: &Request| kind(r) == kind(new);
        let fits = |r: &Request| r.end() == new.start || new.end() == r.start;
        let mut queued = self.queued.iter_mut();
        let Some(old) = queued.find(|r| alike(r) && room(r) && fits(r)) else {
            return false;
        };
        if old.end() == new.start {
            old.pages.extend_from_slice(&new.pages);
        } else {
            let behind = std::mem::replace(&mut old.pages, new.pages.clone());
            old.pages.extend_from_slice(&behind);
            old.start = new.start;
        }
        true
    }

    /// Queues a request that could not be merged.
    pub(super) fn queue(&mut self, r: Request, drive: &Drive) {
        if drive.turns && !r.write {
            self.turns.add(&r, drive.page_bytes);
        }
        self.queued.push(r);
    }

    /// Returns true if a write goes next. Reads go first, but after writes have waited too long,
    /// they get a turn. An emulated guest's device slows both equally and alternates between them.
    pub(super) fn direction(&mut self, drive: &Drive, now: u64) -> bool {
        let model = drive.profile.model;
        let reads = self.queued.iter().any(|r| !r.write);
        let writes = self.queued.iter().any(|r| r.write);
        if !(reads && writes) {
            self.reads_since = u64::MAX;
            return writes;
        }
        if model == DeviceModel::Throttled {
            return !self.wrote;
        }
        if now < self.writes_until {
            return true;
        }
        if self.reads_since == u64::MAX {
            self.reads_since = now;
        }
        let (read_turn, write_turn) = if drive.turns {
            Turns::shares(self.turns.busy(&self.queued))
        } else {
            (READ_TURN_NS, WRITE_TURN_NS)
        };
        if now - self.reads_since < read_turn {
            return false;
        }
        (self.reads_since, self.writes_until) = (u64::MAX, now + write_turn);
        true
    }

    /// The index of the next request in the queue; `None` while the device waits for the next read
    /// of a task. On a rotational disk it is the next request in the direction of the sweep. If
    /// readers take turns, only requests of the current turn count, unless one has waited too long.
    /// On other devices it is the oldest request.
    pub(super) fn choose(&mut self, drive: &Drive, now: u64) -> Option<usize> {
        let model = drive.profile.model;
        if drive.turns && self.turns.waits(&self.queued, now) {
            return None;
        }
        let write = self.direction(drive, now);
        let head = self.head;
        let place = |r: &Request| (r.start < head, r.start);
        if drive.turns && !write && !self.queued.is_empty() {
            self.turns.select(&self.queued, now);
            let on = |&i: &usize| !self.queued[i].write && self.turns.is_on(&self.queued[i]);
            let all = (0..self.queued.len()).filter(on);
            return all.min_by_key(|&i| place(&self.queued[i]));
        }
        let all = || (0..self.queued.len()).filter(|&i| self.queued[i].write == write);
        let first = all().next()?;
        let waited = now.saturating_sub(self.queued[first].queued_at);
        if !model.rotates() || waited > EXPIRE_NS[usize::from(write)] {
            return Some(first);
        }
        all().min_by_key(|&i| place(&self.queued[i]))
    }

    /// Can the device take another request?
    pub(super) fn is_ready(&self, drive: &Drive, now: u64) -> bool {
        (self.in_flight.len() as u32) < drive.depth
            && (drive.profile.model != DeviceModel::Throttled || now + BURST_NS >= self.busy_until)
    }

    /// When the device's next interrupt or timer is due, ns.
    pub(super) fn next_event(&self, drive: &Drive) -> u64 {
        let ends = self.in_flight.first().map_or(u64::MAX, |r| r.ends_at);
        let waits = (self.in_flight.len() as u32) < drive.depth && !self.queued.is_empty();
        if drive.profile.model == DeviceModel::Throttled && waits {
            ends.min(self.busy_until.saturating_sub(BURST_NS))
        } else if drive.turns && waits {
            ends.min(self.turns.idle_until())
        } else {
            ends
        }
        .min(self.wbt.ends_at)
    }

    /// Adds the service time of a request; returns when the request ends, ns.
    pub(super) fn serve(
        &mut self,
        drive: &Drive,
        write: bool,
        start: u64,
        pages: u64,
        now: u64,
    ) -> u64 {
        let begin = self.busy_until.max(now);
        self.wrote = write;
        let slowed = |ns: u64| ns * 100 / u64::from(self.percent);
        let transfer = slowed(drive.transfer(write, pages));
        let head = std::mem::replace(&mut self.head, start + pages);
        match drive.profile.model {
            DeviceModel::Disk2010 | DeviceModel::Disk2014 => {
                let position = drive.position(write, head, start);
                self.busy_until = begin + slowed(COMMAND_NS + position) + transfer;
                self.busy_until
            }
            DeviceModel::Ssd2021 | DeviceModel::Nvme2021 => {
                let (latency, least) = drive.latency(write);
                self.busy_until = begin + transfer.max(slowed(least));
                begin + transfer + slowed(latency)
            }
            DeviceModel::Throttled => {
                self.busy_until = begin + transfer;
                now + slowed(GUEST_NS)
            }
        }
    }
}
