//! Block devices: queues of requests, service times, completion (block/).
//!
//! Modelled: the plug that collects a reclaimer's writes for merging, the queue and its order, a
//! device's queue depth and bandwidth. Also the congestion flags and writeback throttling, each in
//! the kernels that have it, and the interrupt that ends requests page by page.
//! Left out: plugs of other tasks, which submit long requests anyway; sectors (positions and
//! lengths are in pages); the order in which a disk serves its own queue (the elevator order is
//! used).
//! Visible difference: before blk-mq, a write that could be merged into a waiting one needs no slot
//! in the queue.
//! Invariants: a page under I/O is in exactly one request; a device with requests has an interrupt
//! scheduled, or its handler is running; positions and times are integers.

use facts::index::{FrameIndex, TaskIndex};
use facts::state::State;

events! {
    /// A device was given a request.
    BlockRqIssue "block_rq_issue" from "include/trace/events/block.h, counted in pages" { dev: Device, write: Flag, sector: Count, pages: Count };
}

pub mod done;
mod drive;
pub mod get_request;
mod queue;
mod slots;
#[cfg(test)]
mod tests;
mod turns;
pub mod wbt;

pub use done::{BdPt, BlkDone};
pub use drive::Drive;
pub use get_request::{BlkGetRequest, GrPt};
pub use queue::{Device, Request};
pub use slots::Slots;
pub use wbt::{Limits, Wbt};

use crate::frames::Context;
use crate::profile::DeviceModel;
use crate::record::events;
use crate::world::World;

/// Requests of each kind (synchronous, asynchronous) that a queue accepts before blk-mq
/// (`BLKDEV_MAX_RQ`).
pub const NR_REQUESTS: u32 = 128;
/// Tags of a scheduler's queue with blk-mq: twice the legacy number. Asynchronous requests may use
/// three quarters of them (`async_depth`, mq-deadline).
const TAGS: u32 = 2 * NR_REQUESTS;
/// A queue becomes congested at this many requests (`queue_congestion_on_threshold`, 3.0).
const CONGESTION_ON: u32 = NR_REQUESTS - NR_REQUESTS / 8 + 1;
/// A queue stops being congested below this many requests (`queue_congestion_off_threshold`, 3.0).
pub const CONGESTION_OFF: u32 = NR_REQUESTS - NR_REQUESTS / 8 - NR_REQUESTS / 16 - 1;
/// Requests a plug holds before it is flushed (`BLK_MAX_REQUEST_COUNT`; 16 before blk-mq).
const PLUG_REQUESTS: [usize; 2] = [16, 32];
/// With blk-mq, a plug whose last request has this many bytes is flushed before the next one is added
/// (`BLK_PLUG_FLUSH_SIZE`).
const PLUG_BYTES: u64 = 128 << 10;

/// What a finished request does to its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum End {
    /// The pages hold what was read: unlock them and wake the waiters.
    Read,
    /// `end_page_writeback` for each page.
    Write,
}

/// On whose behalf a request is made; writeback throttling uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum Origin {
    /// A task waits for the request: a read or fsync.
    Sync,
    /// kswapd.
    Kswapd,
    /// A flusher that no task waits for (`REQ_BACKGROUND`).
    Background,
    /// Any other task.
    Other,
}

/// One request: adjacent pages on a device (`struct bio`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Bio {
    /// Number of the device.
    pub device: u8,
    /// True for a write, false for a read.
    pub write: bool,
    /// True if a task waits for the request.
    pub sync: bool,
    /// On whose behalf the request is made.
    pub origin: Origin,
    /// First page on the device.
    pub start: u64,
    /// The page frames.
    pub pages: Vec<FrameIndex>,
    /// What happens when the request ends.
    pub end: End,
    /// The extent that the pages belong to, [`NONE`](crate::frames::NONE) for none.
    pub io_end: u32,
}

/// All block devices.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Block {
    /// Devices by number.
    pub devices: Vec<Device>,
}

impl Block {
    /// Adds a device found at boot; `task` handles its interrupts.
    pub fn add(&mut self, task: TaskIndex) {
        self.devices.push(Device::new(task));
    }

    /// Is this device's write queue marked congested (`bdi_write_congested`, to 4.x)?
    pub fn write_congested(&self, device: u8) -> bool {
        let device = self.devices.get(usize::from(device));
        device.is_some_and(|d| d.congested[0])
    }

    /// Is any device's queue marked congested (`nr_bdi_congested[BLK_RW_ASYNC]`)?
    pub fn any_congested(&self) -> bool {
        self.devices.iter().any(|d| d.congested[0])
    }

    /// Sets the speed of a device to this percentage of its speed at boot.
    pub fn slow(&mut self, device: u8, percent: u16) {
        self.devices[usize::from(device)].percent = percent;
    }

    /// Counts one request too many, to test the recount.
    pub fn miscount(&mut self) {
        self.devices[0].count[0] += 1;
    }
}

/// Does the queue have a slot for another request of this kind from the running task? If not, a
/// caller that can sleep calls [`BlkGetRequest`] first.
pub fn has_room(w: &World, device: u8, sync: bool) -> bool {
    let Some(d) = w.block.devices.get(usize::from(device)) else {
        return true;
    };
    let kind = usize::from(sync);
    if !w.facts.features.blk_mq {
        return slots::may_get(w, device, kind);
    }
    d.count[kind] < if sync { TAGS } else { TAGS / 4 * 3 }
}

/// Before blk-mq, a slot is found and taken under the same lock. If another task was faster, the
/// running task has to try again.
pub fn was_taken(w: &World, device: u8, sync: bool) -> bool {
    !w.facts.features.blk_mq && !has_room(w, device, sync)
}

/// How many of these pages fit into one request of a device. The others go into further requests,
/// each with a slot of its own (`blk_queue_max_sectors`; `blk_queue_split` from 4.3).
pub fn one_request(w: &World, device: u8, pages: usize) -> usize {
    let drive = w.facts.devices.get(usize::from(device));
    drive.map_or(pages, |drive| pages.min(drive.max_pages as usize))
}

/// May a write begin now, with this many writes waiting before it? It needs a slot in the queue,
/// and the writes in flight must be below the limit (`wbt_wait`).
fn may_begin(w: &World, device: u8, origin: Origin, ahead: u32) -> bool {
    has_room(w, device, false) && {
        let d = &w.block.devices[usize::from(device)];
        !w.facts.features.blk_mq || {
            let limit = wbt::limit(w, device, origin);
            d.wbt.inflight[wbt::class(origin)] + ahead < limit
        }
    }
}

/// May a write begin without waiting? If not, the caller must call [`BlkGetRequest::write`] first.
pub fn may_write(w: &World, device: u8, origin: Origin) -> bool {
    let d = &w.block.devices[usize::from(device)];
    let ahead = d.throttled[wbt::class(origin)].len() as u32;
    // Tasks that are already waiting go first.
    may_begin(w, device, origin, ahead) && (ahead == 0 || !w.facts.features.blk_mq)
}

/// Submits a bio to its device (`submit_bio`). The bio ends at a program point of the device's
/// task. A bio that exceeds the device's longest request is split (`blk_queue_split`). Callers that
/// wait for slots submit [`one_request`] at a time.
pub fn submit_bio(w: &mut World, bio: Bio) {
    account(w, &bio);
    let facts = std::sync::Arc::clone(&w.facts);
    let drive = &facts.devices[usize::from(bio.device)];
    let mut start = bio.start;
    for pages in bio.pages.chunks(drive.max_pages as usize) {
        let request = Request::new(w, &bio, start, pages.to_vec());
        start = request.end();
        if !w.block.devices[usize::from(bio.device)].merge(&request, drive) {
            begin(w, bio.device, &request);
            w.block.devices[usize::from(bio.device)].queue(request, drive);
        }
    }
    issue(w, bio.device);
    arm(w, bio.device);
}

/// Counts the pages a bio moves.
fn account(w: &mut World, bio: &Bio) {
    let kib = bio.pages.len() as u64 * w.facts.layout.geometry.page_kib();
    if bio.write {
        w.counters.pgpgout += kib;
    } else {
        w.counters.pgpgin += kib;
    }
}

/// Adds a request to the queue's counts.
fn begin(w: &mut World, device: u8, request: &Request) {
    let marks = w.facts.features.queues_marked;
    let (jiffies, hz) = (w.jiffies(), u64::from(w.facts.hz));
    let d = &mut w.block.devices[usize::from(device)];
    let kind = usize::from(request.sync);
    if !w.facts.features.blk_mq {
        d.slots.get(kind, d.count[kind], request.task, jiffies, hz);
    }
    d.count[kind] += 1;
    if marks && d.count[kind] >= CONGESTION_ON {
        d.congested[kind] = true;
    }
    if w.facts.features.blk_mq {
        wbt::begin(w, device, request);
    }
}

/// Appends a page to the last request of a task's plug if the page directly follows that request
/// (`blk_attempt_plug_merge`).
pub fn plug_merge(
    w: &mut World,
    cx: &mut Context,
    device: u8,
    start: u64,
    frame: FrameIndex,
) -> bool {
    let most = w.facts.devices[usize::from(device)].max_pages as usize;
    let Some(last) = cx.plug.last_mut() else {
        return false;
    };
    let end = last.start + last.pages.len() as u64;
    if last.device != device || end != start || last.pages.len() >= most {
        return false;
    }
    last.pages.push(frame);
    w.counters.pgpgout += w.facts.layout.geometry.page_kib();
    true
}

/// Begins a write that a task may hold back in its plug. Kernels without plugs around reclaim
/// submit the write immediately.
pub fn plug_bio(w: &mut World, cx: &mut Context, bio: Bio) {
    if !w.facts.features.reclaim_plug {
        return submit_bio(w, bio);
    }
    let mq = w.facts.features.blk_mq;
    let long = |last: &Bio| {
        let page = w.facts.layout.geometry.page_kib() << 10;
        mq && last.pages.len() as u64 * page >= PLUG_BYTES
    };
    if cx.plug.len() >= PLUG_REQUESTS[usize::from(mq)] || cx.plug.last().is_some_and(long) {
        flush_plug(w, cx);
    }
    account(w, &bio);
    let request = Request::new(w, &bio, bio.start, Vec::new());
    begin(w, bio.device, &request);
    cx.plug.push(bio);
}

/// Submits the requests in a task's plug (`blk_finish_plug`, or the task goes to sleep).
pub fn flush_plug(w: &mut World, cx: &mut Context) {
    for bio in std::mem::take(&mut cx.plug) {
        let device = bio.device;
        let facts = std::sync::Arc::clone(&w.facts);
        let drive = &facts.devices[usize::from(device)];
        let request = Request::new(w, &bio, bio.start, bio.pages.clone());
        let d = &mut w.block.devices[usize::from(device)];
        if d.merge(&request, drive) {
            // The merge leaves one request fewer than were begun.
            give_back(w, device, &request);
        } else {
            d.queue(request, drive);
        }
        issue(w, device);
        arm(w, device);
    }
}

/// Removes a request from the queue's counts when it has ended or was merged into another. Tasks
/// that wait for a slot check again.
fn give_back(w: &mut World, device: u8, request: &Request) {
    let d = &mut w.block.devices[usize::from(device)];
    let kind = usize::from(request.sync);
    d.count[kind] -= 1;
    if !w.facts.features.blk_mq {
        if let Some(task) = d.slots.put(kind, d.count[kind]) {
            w.wake(task);
        }
        return;
    }
    if let Some(task) = d.slots.put_tag() {
        w.wake(task);
    }
    wbt::done(w, device, request);
}

/// Issues as many requests to the device as the device accepts (`blk_mq_run_hw_queue`,
/// `__blk_run_queue`).
fn issue(w: &mut World, device: u8) {
    let facts = std::sync::Arc::clone(&w.facts);
    let drive = &facts.devices[usize::from(device)];
    let now = w.now;
    loop {
        let d = &mut w.block.devices[usize::from(device)];
        if !d.is_ready(drive, now) {
            return;
        }
        let Some(i) = d.choose(drive, now) else {
            return;
        };
        let mut r = d.queued.remove(i);
        let pages = r.pages.len() as u64;
        r.ends_at = d.serve(drive, r.write, r.start, pages, now);
        if drive.profile.model != DeviceModel::Throttled {
            // If the host of a guest limits the device, the guest has already issued the requests
            // that wait.
            r.issued_at = now;
            wbt::issued(d, &r);
        }
        let (write, sector) = (r.write, r.start as i64);
        let place = d
            .in_flight
            .partition_point(|other| other.ends_at <= r.ends_at);
        d.in_flight.insert(place, r);
        w.record(BlockRqIssue {
            dev: device,
            write,
            sector,
            pages: pages as i64,
        });
    }
}

/// Schedules the device's next interrupt.
fn arm(w: &mut World, device: u8) {
    let drive = &w.facts.devices[usize::from(device)];
    let d = &w.block.devices[usize::from(device)];
    let (cpu, task, at) = (drive.cpu, d.task, d.next_event(drive));
    w.interrupt_at(cpu, task, at);
}

#[cfg(test)]
impl Block {
    /// Adds entries to lists that are usually empty, so that tests have something to change.
    pub(crate) fn fill(&mut self) {
        self.devices[0].turns.fill();
        self.devices[0].slots.fill();
    }
}
