//! Block devices: queues of requests, the time a device takes, completion (block/).
//!
//! Modelled: merging with what waits, reads before writes, one sweep over a turning disk, seeks by
//! distance, the depth of a device, its bandwidth; congestion marks of the kernels that had them;
//! the interrupt that ends requests page by page.
//! Left out: the plug that holds a task's requests back for merging (an idle device begins with
//! the first at once); CFQ's queues for each task and its idle waits; sectors (positions and
//! lengths are in pages); the order in which a disk's own queue serves requests: the elevator's.
//! Who could tell: the first of many small writes goes out unmerged; two readers on one disk are
//! served by position, not in slices of time.
//! Invariants: a page under I/O is in exactly one request; a device with requests has an interrupt
//! to come, or its handler runs; positions and times are integers.

use crate::frames::{Context, Flow, Frame, Sleep, points};
use crate::kernel::Throttle;
use crate::mmzone::flag;
use crate::profile::{DeviceModel, DeviceProfile};
use crate::trace::Event;
use crate::view::Local;
use crate::why::Why;
use crate::world::World;

/// Requests a queue takes of each kind, synchronous and not (`BLKDEV_MAX_RQ`).
pub const NR_REQUESTS: u32 = 128;
/// A queue is congested from so many requests on (`queue_congestion_on_threshold`, 3.0).
const CONGESTION_ON: u32 = NR_REQUESTS - NR_REQUESTS / 8 + 1;
/// And no longer below so many (`queue_congestion_off_threshold`, 3.0).
pub const CONGESTION_OFF: u32 = NR_REQUESTS - NR_REQUESTS / 8 - NR_REQUESTS / 16 - 1;
/// Longest request, bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Longest request of a slowed device, at least: so that merging can be seen.
const MIN_PAGES: u64 = 4;
/// Reads may keep writes waiting this long (`cfq_slice_sync`, HZ/10), ns.
const READ_TURN_NS: u64 = 100_000_000;
/// Then writes go first this long (`cfq_slice_async`, HZ/25), ns.
const WRITE_TURN_NS: u64 = 40_000_000;
/// A request that waited this long goes next: reads, writes (`read_expire`, `write_expire` of the
/// deadline elevator), ns.
const EXPIRE_NS: [u64; 2] = [500_000_000, 5_000_000_000];

/// Time a disk needs for a command beside seeking and moving data, ns. Assumed.
const COMMAND_NS: u64 = 100_000;
/// Half a revolution at 7200 a minute, ns.
const HALF_TURN_NS: u64 = 4_170_000;
/// A write into the disk's cache costs no more than this to bring to its place, ns.
const CACHED_WRITE_NS: u64 = 7_000_000;
/// Seek from track to track, and the factor of the square root of the way: 1.0 + 13 sqrt(x) ms
/// gives the makers' 8.5 ms at a third of the disk. Assumed curve, ns.
const SEEK_NS: (u64, u64) = (1_000_000, 13_000_000);
/// Time of one request on an emulated guest's device, ns. Assumed.
const GUEST_NS: u64 = 200_000;
/// A throttled device lets this much of its rate pass at once, ns.
const BURST_NS: u64 = 100_000_000;

/// What a finished request does to its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// The pages hold what was read: unlock them, wake who waits.
    Read,
    /// `end_page_writeback` for each page.
    Write,
}

/// One request: pages that lie in a row on a device (`struct bio`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bio {
    /// Device.
    pub device: u8,
    /// Written, not read.
    pub write: bool,
    /// Somebody waits for it.
    pub sync: bool,
    /// First page on the device.
    pub start: u64,
    /// The frames.
    pub pages: Vec<u32>,
    /// What its end does.
    pub end: End,
}

/// What never changes of a device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Drive {
    /// As described.
    pub profile: DeviceProfile,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Its size in pages.
    pub pages: u64,
    /// Longest request, pages.
    pub max_pages: u32,
    /// Requests it works on at once.
    pub depth: u32,
    /// First page of its swap space. A third of the way in, so that the way between files, which
    /// lie from 0 on, and swap is an average one.
    pub swap_start: u64,
    /// Pages of its swap space.
    pub swap_pages: u32,
    /// CPU its interrupts go to.
    pub cpu: u16,
}

impl Drive {
    /// Device number `index` of a machine.
    pub fn new(profile: &DeviceProfile, index: u16, page_kib: u64, cpus: u16) -> Self {
        let page_bytes = page_kib << 10;
        let longest = MAX_BYTES / page_bytes;
        let pages = profile.capacity() / page_kib;
        Self {
            page_bytes,
            pages,
            max_pages: profile.slowed(longest).max(MIN_PAGES.min(longest)) as u32,
            depth: match profile.model {
                // What is in a disk's own queue is ordered as the elevator orders it.
                DeviceModel::Disk2010 | DeviceModel::Disk2014 => 1,
                DeviceModel::Ssd2021 => 31,
                DeviceModel::Nvme2021 | DeviceModel::Throttled => NR_REQUESTS,
            },
            swap_start: pages / 3,
            swap_pages: (profile.swap / page_kib) as u32,
            cpu: index % cpus,
            profile: profile.clone(),
        }
    }

    /// Moving so many pages, ns.
    fn transfer(&self, write: bool, pages: u64) -> u64 {
        let (read_rate, write_rate) = self.profile.rates();
        let rate = if write { write_rate } else { read_rate };
        pages * self.page_bytes * 1_000_000_000 / rate
    }

    /// Bringing a disk's head from one place to another and waiting for the turn, ns. What lies
    /// shortly ahead on the same track is waited for, not sought.
    pub fn position(&self, write: bool, head: u64, start: u64) -> u64 {
        if let Some(gap) = start.checked_sub(head) {
            let over = self.transfer(write, gap.min(1 << 14));
            if over < 2 * HALF_TURN_NS {
                return over;
            }
        }
        // The root of the part of the way, in 1/1024.
        let part = ((head.abs_diff(start) << 20) / self.pages.max(1)).min(1 << 20);
        let seek = SEEK_NS.0 + SEEK_NS.1 * part.isqrt() / 1024;
        let whole = seek + HALF_TURN_NS;
        if write {
            whole.min(CACHED_WRITE_NS)
        } else {
            whole
        }
    }

    /// Latency beside moving data, and the least time between two requests, ns: 90 and 35 us for
    /// 4 KiB read and written, 95,000 reads a second for SATA; 70 and 20 us, 350,000 for NVMe.
    fn latency(&self, write: bool) -> (u64, u64) {
        match (self.profile.model, write) {
            (DeviceModel::Nvme2021, false) => (69_000, 2_860),
            (DeviceModel::Nvme2021, true) => (18_000, 2_860),
            (_, false) => (83_000, 10_500),
            (_, true) => (27_000, 10_500),
        }
    }
}

/// A request of a device's queue (`struct request`): one bio or several merged.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Request {
    /// Written, not read.
    pub write: bool,
    /// Somebody waits for it.
    pub sync: bool,
    /// First page on the device.
    pub start: u64,
    /// The frames, in the order they lie on the device.
    pub pages: Vec<u32>,
    /// When it came, ns.
    pub queued_at: u64,
    /// When the device is done with it, ns; `u64::MAX` while it waits.
    pub ends_at: u64,
}

impl Request {
    fn end(&self) -> u64 {
        self.start + self.pages.len() as u64
    }
}

/// One device with its queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Device {
    /// The task its interrupts are handled by.
    pub task: u32,
    /// Page behind the last one it was given.
    head: u64,
    /// Until when what it was given keeps it busy, ns.
    busy_until: u64,
    /// Since when reads keep writes waiting, ns; `u64::MAX` when they do not.
    reads_since: u64,
    /// Until when writes go first, ns.
    writes_until: u64,
    /// Requests that wait, in the order they came.
    pub queued: Vec<Request>,
    /// Requests the device works on, in the order they end.
    pub in_flight: Vec<Request>,
    /// Requests of both, asynchronous and synchronous ones.
    count: [u32; 2],
    /// Its queue is marked congested, for asynchronous and synchronous requests.
    congested: [bool; 2],
    /// Tasks that wait for a place in the queue.
    pub waiting: Vec<u32>,
}

impl Device {
    fn new(task: u32) -> Self {
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
            waiting: Vec::new(),
        }
    }

    /// Requests waiting or in flight.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.in_flight.iter().chain(&self.queued)
    }

    /// Adds pages to a request that waits, at its end or before its start (`elv_merge`).
    fn merge(&mut self, new: &Request, max_pages: u32) -> bool {
        let room = |r: &Request| r.pages.len() + new.pages.len() <= max_pages as usize;
        let alike = |r: &Request| r.write == new.write && r.sync == new.sync;
        let fits = |r: &Request| r.end() == new.start || new.end() == r.start;
        let mut queued = self.queued.iter_mut();
        let Some(old) = queued.find(|r| alike(r) && room(r) && fits(r)) else {
            return false;
        };
        if old.end() == new.start {
            old.pages.extend_from_slice(&new.pages);
        } else {
            old.pages.splice(0..0, new.pages.iter().copied());
            old.start = new.start;
        }
        true
    }

    /// Do reads or writes go next? Reads, but for a turn of writes when they waited too long.
    fn direction(&mut self, now: u64) -> bool {
        let reads = self.queued.iter().any(|r| !r.write);
        let writes = self.queued.iter().any(|r| r.write);
        if !(reads && writes) {
            self.reads_since = u64::MAX;
            return writes;
        }
        if now < self.writes_until {
            return true;
        }
        if self.reads_since == u64::MAX {
            self.reads_since = now;
        }
        if now - self.reads_since < READ_TURN_NS {
            return false;
        }
        (self.reads_since, self.writes_until) = (u64::MAX, now + WRITE_TURN_NS);
        true
    }

    /// The place in the queue of the request that goes next: on a turning disk the next one in the
    /// direction of the sweep, unless one has waited too long; else the first that came.
    fn choose(&mut self, rotates: bool, now: u64) -> Option<usize> {
        let write = self.direction(now);
        let head = self.head;
        let all = || (0..self.queued.len()).filter(|&i| self.queued[i].write == write);
        let first = all().next()?;
        let waited = now.saturating_sub(self.queued[first].queued_at);
        if !rotates || waited > EXPIRE_NS[usize::from(write)] {
            return Some(first);
        }
        all().min_by_key(|&i| (self.queued[i].start < head, self.queued[i].start))
    }

    /// May it be given another request?
    fn is_ready(&self, drive: &Drive, now: u64) -> bool {
        (self.in_flight.len() as u32) < drive.depth
            && (drive.profile.model != DeviceModel::Throttled || now + BURST_NS >= self.busy_until)
    }

    /// When the device has something to say, ns.
    fn next_event(&self, drive: &Drive) -> u64 {
        let ends = self.in_flight.first().map_or(u64::MAX, |r| r.ends_at);
        let waits = (self.in_flight.len() as u32) < drive.depth && !self.queued.is_empty();
        if drive.profile.model == DeviceModel::Throttled && waits {
            ends.min(self.busy_until.saturating_sub(BURST_NS))
        } else {
            ends
        }
    }

    /// Takes the time a request needs into account; returns when it ends, ns.
    fn serve(&mut self, drive: &Drive, write: bool, start: u64, pages: u64, now: u64) -> u64 {
        let begin = self.busy_until.max(now);
        let transfer = drive.transfer(write, pages);
        let head = std::mem::replace(&mut self.head, start + pages);
        match drive.profile.model {
            DeviceModel::Disk2010 | DeviceModel::Disk2014 => {
                let position = drive.position(write, head, start);
                self.busy_until = begin + COMMAND_NS + position + transfer;
                self.busy_until
            }
            DeviceModel::Ssd2021 | DeviceModel::Nvme2021 => {
                let (latency, least) = drive.latency(write);
                self.busy_until = begin + transfer.max(least);
                begin + transfer + latency
            }
            DeviceModel::Throttled => {
                self.busy_until = begin + transfer;
                now + GUEST_NS
            }
        }
    }
}

/// All block devices.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Block {
    /// By number.
    pub devices: Vec<Device>,
}

impl Block {
    /// A device is found at boot; `task` will handle its interrupts.
    pub fn add(&mut self, task: u32) {
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

    /// Has the queue a place for another request of this kind? A caller that can sleep calls
    /// [`BlkGetRequest`] first when it has none.
    pub fn has_room(&self, device: u8, sync: bool) -> bool {
        let device = self.devices.get(usize::from(device));
        device.is_none_or(|d| d.count[usize::from(sync)] < NR_REQUESTS)
    }
}

/// Hands a request to its device (`submit_bio`). It ends at a program point of the device's task.
/// A bio longer than the device's longest request is cut (`blk_queue_split`).
pub fn submit_bio(w: &mut World, bio: Bio) {
    let facts = std::sync::Arc::clone(&w.facts);
    let drive = &facts.devices[usize::from(bio.device)];
    let kib = bio.pages.len() as u64 * (drive.page_bytes >> 10);
    if bio.write {
        w.counters.pgpgout += kib;
    } else {
        w.counters.pgpgin += kib;
    }
    let mut start = bio.start;
    for pages in bio.pages.chunks(drive.max_pages as usize) {
        let request = Request {
            write: bio.write,
            sync: bio.sync,
            start,
            pages: pages.to_vec(),
            queued_at: w.now,
            ends_at: u64::MAX,
        };
        start = request.end();
        add_request(w, bio.device, drive, request);
    }
    issue(w, bio.device);
    arm(w, bio.device);
}

fn add_request(w: &mut World, device: u8, drive: &Drive, request: Request) {
    let d = &mut w.block.devices[usize::from(device)];
    if d.merge(&request, drive.max_pages) {
        return;
    }
    let kind = usize::from(request.sync);
    d.count[kind] += 1;
    d.queued.push(request);
    let marks = w.facts.features.throttle == Throttle::CongestionWait30;
    if marks && d.count[kind] >= CONGESTION_ON {
        d.congested[kind] = true;
    }
}

/// Gives the device what it may be given (`blk_mq_run_hw_queue`, `__blk_run_queue`).
fn issue(w: &mut World, device: u8) {
    let facts = std::sync::Arc::clone(&w.facts);
    let drive = &facts.devices[usize::from(device)];
    let now = w.now;
    loop {
        let d = &mut w.block.devices[usize::from(device)];
        if !d.is_ready(drive, now) {
            return;
        }
        let Some(i) = d.choose(drive.profile.model.rotates(), now) else {
            return;
        };
        let mut r = d.queued.remove(i);
        let pages = r.pages.len() as u64;
        r.ends_at = d.serve(drive, r.write, r.start, pages, now);
        let n = [device.into(), r.write.into(), r.start as u32, pages as u32];
        let place = d
            .in_flight
            .partition_point(|other| other.ends_at <= r.ends_at);
        d.in_flight.insert(place, r);
        w.trace(Event::BlockRqIssue, [n[0], n[1], n[2], n[3], 0, 0]);
    }
}

/// Sets the time of the device's next interrupt.
fn arm(w: &mut World, device: u8) {
    let drive = &w.facts.devices[usize::from(device)];
    let d = &w.block.devices[usize::from(device)];
    let (cpu, task, at) = (drive.cpu, d.task, d.next_event(drive));
    w.interrupt_at(cpu, task, at);
}

points! {
    /// Program points of `blk_done_softirq`.
    BdPt {
        Due 0 Hold "for each request the device is done with:";
        Read 1 Hold "for each page read: unlock_page(), wake who waits for it";
        Write 1 Hold "for each page written: end_page_writeback()";
        Finish 1 Hold "__blk_put_request(): the queue has a place again";
        Issue 0 Hold "give the device the next requests";
        Return 0 Yields "return from the interrupt";
    }
}

/// The pseudo task that ends the requests of one device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlkDone {
    /// Where it stands.
    pub pt: BdPt,
    /// Device.
    pub device: u8,
    /// Page of the request looked at.
    pub i: u32,
}

impl BlkDone {
    /// The handler of a device, waiting for its first interrupt.
    pub fn call(device: u8) -> Frame {
        Frame::BlkDone(Self {
            pt: BdPt::Due,
            device,
            i: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            BdPt::Due => self.due(w),
            BdPt::Read => {
                if let Some(frame) = self.next_page(w) {
                    w.mem.pages[frame as usize].clear(flag::LOCKED);
                    w.why(Why::PageRead, [frame, 0, 0, 0, 0, 0]);
                    w.wake_up_page(frame);
                }
                Flow::Next
            }
            BdPt::Write => {
                if let Some(frame) = self.next_page(w) {
                    w.why(Why::PageWritten, [frame, 0, 0, 0, 0, 0]);
                    crate::page_writeback::end_page_writeback(w, frame);
                }
                Flow::Next
            }
            BdPt::Finish => self.finish(w),
            BdPt::Issue => {
                // An interrupt costs about what the timer's does.
                w.spend(w.facts.cost.timer_tick);
                issue(w, self.device);
                self.pt = BdPt::Return;
                Flow::Next
            }
            BdPt::Return => {
                arm(w, self.device);
                self.pt = BdPt::Due;
                cx.sleep = Sleep::Wait;
                Flow::Sleep
            }
        }
    }

    /// The pages of the request being ended that have ended already.
    pub fn ended<'a>(&self, w: &'a World) -> &'a [u32] {
        let first = w.block.devices[usize::from(self.device)].in_flight.first();
        match (self.pt, first) {
            (BdPt::Write | BdPt::Finish, Some(r)) if r.write => &r.pages[..self.i as usize],
            _ => &[],
        }
    }

    fn due(&mut self, w: &World) -> Flow {
        let done = w.block.devices[usize::from(self.device)].in_flight.first();
        self.i = 0;
        self.pt = match done {
            Some(r) if r.ends_at <= w.now && r.write => BdPt::Write,
            Some(r) if r.ends_at <= w.now => BdPt::Read,
            _ => BdPt::Issue,
        };
        Flow::Next
    }

    /// The next page of the request; none when it has no more.
    fn next_page(&mut self, w: &mut World) -> Option<u32> {
        let r = &w.block.devices[usize::from(self.device)].in_flight[0];
        let page = r.pages.get(self.i as usize).copied();
        match page {
            Some(_) => self.i += 1,
            None => self.pt = BdPt::Finish,
        }
        w.spend(w.facts.cost.lru_move);
        page
    }

    /// `__blk_put_request`, `__freed_request`: wakes one who waits for a place, and takes the mark
    /// of congestion away.
    fn finish(&mut self, w: &mut World) -> Flow {
        let d = &mut w.block.devices[usize::from(self.device)];
        let r = d.in_flight.remove(0);
        let kind = usize::from(r.sync);
        d.count[kind] -= 1;
        let clears = d.congested[kind] && d.count[kind] < CONGESTION_OFF;
        if clears {
            d.congested[kind] = false;
        }
        let waiter = (!d.waiting.is_empty()).then(|| d.waiting.remove(0));
        if let Some(task) = waiter {
            w.wake(task);
        }
        if clears && kind == 0 {
            w.why(
                Why::QueueDrained,
                [self.device.into(), CONGESTION_OFF, 0, 0, 0, 0],
            );
            crate::vmscan::throttle::clear_congested(w);
        }
        let n = [self.device.into(), r.write.into(), r.start as u32];
        let pages = r.pages.len() as u32;
        w.trace(Event::BlockRqComplete, [n[0], n[1], n[2], pages, 0, 0]);
        self.pt = BdPt::Due;
        Flow::Next
    }

    /// Arguments and locals.
    pub fn locals(&self, w: &World) -> Vec<Local> {
        use crate::show::*;
        let d = &w.block.devices[usize::from(self.device)];
        let name = &w.facts.devices[usize::from(self.device)].profile.id;
        vec![
            text("disk", name),
            number("in_flight", d.in_flight.len() as u32),
            number("queued", d.queued.len() as u32),
            number("i", self.i),
        ]
    }
}

points! {
    /// Program points of `get_request`.
    GrPt {
        Test 0 Plain "the queue has a place for another request: return";
        Sleep 0 Yields "sleep until a request has ended, then look again";
    }
}

/// `get_request_wait` (`blk_mq_get_tag`): waits until the queue of a device has a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlkGetRequest {
    /// Where it stands.
    pub pt: GrPt,
    /// Device.
    pub device: u8,
    /// For a request somebody waits for.
    pub sync: bool,
}

impl BlkGetRequest {
    /// A wait about to begin.
    pub fn call(device: u8, sync: bool) -> Frame {
        Frame::BlkGetRequest(Self {
            pt: GrPt::Test,
            device,
            sync,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            GrPt::Test => {
                if w.block.has_room(self.device, self.sync) {
                    return Flow::Ret;
                }
                w.why(
                    Why::QueueFull,
                    [self.device.into(), NR_REQUESTS, 0, 0, 0, 0],
                );
                self.pt = GrPt::Sleep;
                Flow::Next
            }
            GrPt::Sleep => {
                let waiting = &mut w.block.devices[usize::from(self.device)].waiting;
                if !waiting.contains(&cx.task) {
                    waiting.push(cx.task);
                }
                cx.sleep = Sleep::Io(u64::MAX);
                self.pt = GrPt::Test;
                Flow::Sleep
            }
        }
    }

    /// Arguments and locals.
    pub fn locals(&self, w: &World) -> Vec<Local> {
        let name = &w.facts.devices[usize::from(self.device)].profile.id;
        vec![crate::show::text("disk", name)]
    }
}

#[cfg(test)]
mod flip {
    use super::*;
    use crate::flip::flips;
    flips!(Block { devices });
    flips!(Device {
        task,
        head,
        busy_until,
        reads_since,
        writes_until,
        queued,
        in_flight,
        count,
        congested,
        waiting
    });
    flips!(Request {
        write,
        sync,
        start,
        pages,
        queued_at,
        ends_at
    });
    flips!(BlkDone { pt, device, i });
    flips!(BlkGetRequest { pt, device, sync });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::machine::Machine;
    use crate::page_writeback::set_page_writeback;

    const MS: u64 = 1_000_000;

    fn drive(model: DeviceModel) -> Drive {
        let mut profile = DeviceProfile::new("sda", model, true, 0);
        if model == DeviceModel::Throttled {
            profile.bytes_per_s = Some(30 << 20);
        }
        Drive::new(&profile, 0, 4, 1)
    }

    fn request(write: bool, start: u64, pages: u32, now: u64) -> Request {
        Request {
            write,
            sync: !write,
            start,
            pages: (0..pages).collect(),
            queued_at: now,
            ends_at: u64::MAX,
        }
    }

    /// Lets a device work off its queue; returns (start, end in ns) of each request as they end.
    fn work_off(d: &mut Device, drive: &Drive) -> Vec<(u64, u64)> {
        let (mut now, mut out) = (0, Vec::new());
        loop {
            while d.is_ready(drive, now) {
                let Some(i) = d.choose(drive.profile.model.rotates(), now) else {
                    break;
                };
                let mut r = d.queued.remove(i);
                let pages = r.pages.len() as u64;
                r.ends_at = d.serve(drive, r.write, r.start, pages, now);
                let place = d.in_flight.partition_point(|o| o.ends_at <= r.ends_at);
                d.in_flight.insert(place, r);
            }
            let next = d.next_event(drive);
            if next == u64::MAX {
                return out;
            }
            now = now.max(next);
            while d.in_flight.first().is_some_and(|r| r.ends_at <= now) {
                let r = d.in_flight.remove(0);
                out.push((r.start, r.ends_at));
            }
        }
    }

    fn queue(requests: Vec<Request>) -> Device {
        let mut d = Device::new(0);
        d.queued = requests;
        d
    }

    #[test]
    fn a_seek_takes_the_time_of_its_distance() {
        let disk = drive(DeviceModel::Disk2010);
        assert_eq!(disk.position(false, 1000, 1000), 0);
        // The same track: the disk turns until the page comes by.
        let ahead = disk.position(false, 1000, 1100);
        assert!((3 * MS..4 * MS).contains(&ahead), "{ahead}");
        let third = disk.position(false, 0, disk.pages / 3);
        assert!((12_600_000..12_700_000).contains(&third), "{third}");
        assert_eq!(disk.position(false, disk.pages, 0), 14 * MS + HALF_TURN_NS);
        assert_eq!(disk.position(true, disk.pages, 0), CACHED_WRITE_NS);
    }

    #[test]
    fn devices_are_as_fast_as_they_are_sold() {
        // (model, MB/s read in sequence by requests of 1 MiB)
        for (model, rate) in [
            (DeviceModel::Disk2010, 108),
            (DeviceModel::Disk2014, 152),
            (DeviceModel::Ssd2021, 549),
            (DeviceModel::Nvme2021, 3491),
        ] {
            let drive = drive(model);
            let all = (0..100).map(|i| request(false, i * 256, 256, 0)).collect();
            let ends = work_off(&mut queue(all), &drive);
            let found = 100 * (1 << 20) * 1000 / ends.last().expect("an end").1;
            assert_eq!(found, rate, "{model:?}");
        }
        // 4 KiB at depth 1.
        for (model, write, us) in [
            (DeviceModel::Ssd2021, false, 90),
            (DeviceModel::Ssd2021, true, 34),
            (DeviceModel::Nvme2021, false, 70),
            (DeviceModel::Nvme2021, true, 19),
        ] {
            let drive = drive(model);
            let ends = work_off(&mut queue(vec![request(write, 9, 1, 0)]), &drive);
            assert_eq!(ends[0].1 / 1000, us, "{model:?}");
        }
    }

    /// 150 requests a second in a deep queue, 75 one by one, are usual.
    #[test]
    fn a_deep_queue_of_a_disk_is_served_faster() {
        let disk = drive(DeviceModel::Disk2010);
        let place = |i: u64| i * 7_919 % 32 * (disk.pages / 32);
        let all = (0..32).map(|i| request(false, place(i), 1, 0)).collect();
        let deep = work_off(&mut queue(all), &disk).last().expect("an end").1;
        let mut one_by_one = 0;
        let mut d = queue(Vec::new());
        for i in 0..32 {
            d.queued.push(request(false, place(i), 1, 0));
            d.busy_until = 0;
            one_by_one += work_off(&mut d, &disk)[0].1;
        }
        let per_second = |ns: u64| 32_000_000_000 / ns;
        assert_eq!((per_second(deep), per_second(one_by_one)), (135, 71));
    }

    #[test]
    fn a_burst_passes_a_throttled_device_and_the_rest_keeps_to_the_rate() {
        let guest = drive(DeviceModel::Throttled);
        let all = (0..90).map(|i| request(true, i * 256, 256, 0)).collect();
        let ends = work_off(&mut queue(all), &guest);
        assert!(ends[..4].iter().all(|&(_, at)| at == GUEST_NS), "{ends:?}");
        let last = ends.last().expect("an end").1 / MS;
        assert!((2860..2900).contains(&last), "{last} ms for 3 s of data");
    }

    #[test]
    fn a_disk_sweeps_in_one_direction() {
        let disk = drive(DeviceModel::Disk2010);
        let starts = [50_000_000, 100, 30_000_000, 20_000_000];
        let mut d = queue(starts.map(|s| request(false, s, 1, 0)).to_vec());
        d.head = 25_000_000;
        let order: Vec<u64> = work_off(&mut d, &disk).iter().map(|e| e.0).collect();
        assert_eq!(order, [30_000_000, 50_000_000, 100, 20_000_000]);
    }

    #[test]
    fn reads_go_first_until_writes_have_waited_long() {
        let mut d = queue(vec![request(true, 0, 1, 0), request(false, 9, 1, 0)]);
        assert!(!d.direction(5));
        assert!(!d.direction(READ_TURN_NS));
        assert!(d.direction(5 + READ_TURN_NS));
        assert!(d.direction(4 + READ_TURN_NS + WRITE_TURN_NS));
        assert!(!d.direction(5 + READ_TURN_NS + WRITE_TURN_NS));
        d.queued.remove(1);
        assert!(d.direction(6 + READ_TURN_NS + WRITE_TURN_NS));
        // A request nobody reaches goes when it has waited too long.
        let mut d = queue(vec![request(false, 5, 1, 0), request(false, 100, 1, 0)]);
        d.head = 50;
        assert_eq!(d.choose(true, 1), Some(1));
        assert_eq!(d.choose(true, EXPIRE_NS[0] + 1), Some(0));
    }

    #[test]
    fn neighbours_become_one_request() {
        let mut d = queue(vec![request(true, 100, 10, 0)]);
        assert!(d.merge(&request(true, 110, 2, 0), 256));
        assert!(d.merge(&request(true, 98, 2, 0), 256));
        let merged = (d.queued[0].start, d.queued[0].pages.len());
        assert_eq!(merged, (98, 14));
        assert_eq!(d.queued[0].pages[..3], [0, 1, 0]);
        assert!(!d.merge(&request(true, 120, 1, 0), 256));
        assert!(!d.merge(&request(false, 112, 1, 0), 256));
        assert!(!d.merge(&request(true, 112, 243, 0), 256));
    }

    /// A machine whose one task thinks, with a device and frames to send to it.
    fn idle(kernel: &str) -> Machine {
        let think = r#"{ "op": "think", "time": "10s" }"#;
        let text = format!(
            r#"{{ "machine": "x86_64-3g-teach", "kernel": "{kernel}", "seed": 1, "length": "100s",
            "workload": {{ "id": "w", "title": "w", "about": "w", "processes": [
                {{ "name": "p", "count": 1, "program": [{think}, {think}, {think}] }}] }} }}"#
        );
        let mut m = Machine::boot(&Experiment::from_json(&text).expect("valid"));
        m.run(u64::MAX, 1_000_000_000);
        m
    }

    /// Writes pages far from each other, each a request of its own.
    fn write_far(m: &mut Machine, frames: std::ops::Range<u32>) {
        for frame in frames {
            set_page_writeback(&mut m.w, frame);
            let bio = Bio {
                device: 0,
                write: true,
                sync: false,
                start: u64::from(frame) * 1000,
                pages: vec![frame],
                end: End::Write,
            };
            submit_bio(&mut m.w, bio);
        }
    }

    #[test]
    fn a_read_ends_by_interrupt_and_wakes_who_waits() {
        let mut m = idle("6.1");
        let t0 = m.w.now;
        for frame in 1..9 {
            m.w.mem.pages[frame].set(flag::LOCKED);
        }
        let bio = Bio {
            device: 0,
            write: false,
            sync: true,
            start: 0,
            pages: (1..9).collect(),
            end: End::Read,
        };
        submit_bio(&mut m.w, bio);
        assert_eq!(m.w.counters.pgpgin, 32);
        let most = m.w.facts.devices[0].max_pages as usize;
        let lengths: Vec<usize> = m.w.block.devices[0]
            .requests()
            .map(|r| r.pages.len())
            .collect();
        assert_eq!((most, lengths), (4, vec![4, 4]));
        let locked = |m: &Machine| {
            (1..9)
                .filter(|&f| m.w.mem.pages[f].has(flag::LOCKED))
                .count()
        };
        // 32 KiB at a 307th of 110 MB/s are 92 ms.
        m.run(u64::MAX, t0 + 45 * MS);
        assert_eq!(locked(&m), 8);
        m.run(u64::MAX, t0 + 60 * MS);
        assert_eq!(locked(&m), 4);
        m.run(u64::MAX, t0 + 100 * MS);
        assert_eq!(locked(&m), 0);
        assert!(m.w.block.devices[0].requests().next().is_none());
        assert_eq!(crate::check::check(&m), []);
    }

    #[test]
    fn a_queue_is_congested_from_113_requests_until_fewer_than_103_are_left() {
        for (kernel, marked) in [("3.0", true), ("6.1", false)] {
            let mut m = idle(kernel);
            write_far(&mut m, 1..113);
            assert!(!m.w.block.write_congested(0));
            write_far(&mut m, 113..114);
            assert_eq!(m.w.block.write_congested(0), marked);
            let mut left = 113;
            while left > 0 {
                let (step, now) = (m.w.run.steps + 1, u64::MAX);
                m.run(step, now);
                left = m.w.block.devices[0].requests().count();
                assert_eq!(m.w.block.any_congested(), marked && left >= 103, "{left}");
            }
            assert_eq!(m.w.counters.pgpgout, 113 * 4);
            assert_eq!(m.w.counters.nr_written, 113);
            assert_eq!(crate::check::check(&m), []);
        }
    }

    #[test]
    fn a_full_queue_has_no_room() {
        let mut m = idle("6.1");
        write_far(&mut m, 1..128);
        assert!(m.w.block.has_room(0, false));
        write_far(&mut m, 128..129);
        assert!(!m.w.block.has_room(0, false));
        assert!(m.w.block.has_room(0, true));
    }
}
