//! Dirty pages, the flushers that write them, and the writers that must wait for the flushers
//! (mm/page-writeback.c, fs/fs-writeback.c).
//!
//! Modelled: counts of dirty pages and pages under writeback. One flusher thread per device, which
//! writes in the background, periodically, and at the request of reclaim. `balance_dirty_pages` of
//! 3.2 and later with its set point, rates and pauses, and of 3.1 and before, where writers write
//! pages themselves. Each node's share of the limit, which spreads the pages of writers. Left out:
//! the part of the position ratio that depends on each device's own dirty pages; memory cgroups;
//! the position in a file where the next pass continues writing; write protection of mapped pages
//! when they are written; locks of inodes (a locked page is skipped). Visible difference: with
//! several devices, a slow one may get more of the dirty pages; a file written at random is written
//! back from its start each time. Invariants: a page counts as dirty exactly while it belongs to a
//! file and has PG_dirty. It counts as under writeback exactly while it has PG_writeback and is in
//! a bio or a request, or waits for the rest of its extent. A pause is at most a fifth of a second.

use facts::amount::Pages;
use facts::index::{FrameIndex, TaskIndex, ZoneIndex};
use facts::state::State;
use facts::watermark::Watermarks;

pub mod balance;
pub mod dirties;
pub mod extent;
pub mod flusher;
pub mod rate;
pub mod throttle;

pub use balance::{BalanceDirtyPages, balance_dirty_pages_ratelimited};
pub use flusher::{WbWorkfn, WriteCachePages};

use crate::block::{Bio, Drive, End, Origin, plug_bio};
use crate::frames::Context;
use crate::kernel::{DirtyRule, DirtySpread};
use crate::mmzone::{Gauge, PageKind, WMARK_HIGH, flag};
use crate::vmscan::throttle::acct_reclaim_writeback;
use crate::vmstat::{DirtyableMemory, dirty_limits};
use crate::world::World;
use dirties::Dirties;
use extent::IoEnd;
use rate::Rate;

/// Why a flusher was woken (`enum wb_reason`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
#[repr(u8)]
pub enum FlushReason {
    /// There are more dirty pages than the background limit.
    Background,
    /// Reclaim found only dirty pages.
    Vmscan,
    /// Direct reclaim scanned many pages (up to 4.x).
    TryToFreePages,
    /// A task called fsync or sync.
    Sync,
    /// The periodic flush, every five seconds.
    Periodic,
}

/// Names as the tracepoints print them.
pub const FLUSH_REASONS: [&str; 5] = [
    "background",
    "vmscan",
    "try_to_free_pages",
    "sync",
    "periodic",
];

/// Work requested from a flusher (`struct wb_writeback_work`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Work {
    /// Why it was requested.
    pub reason: FlushReason,
    /// Number of pages to write.
    pub pages: u32,
}

/// State of writeback to one device (`struct bdi_writeback`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Wb {
    /// Task of the flusher; none if the device holds no files.
    pub flusher: TaskIndex,
    /// The flusher's current work; none while it is idle.
    pub doing: Option<FlushReason>,
    /// True if the flusher sleeps until the next periodic flush, false if it sleeps until it is
    /// woken.
    pub armed: bool,
    /// Requested work, oldest first.
    pub work: Vec<Work>,
    /// Files still to visit in this round (`b_io`).
    pub io: Vec<u32>,
    /// Files that still had dirty pages when their time slice was used up (`b_more_io`).
    pub more_io: Vec<u32>,
    /// When the last periodic flush started, ns (`last_old_flush`).
    pub last_old_flush: u64,
    /// Dirty pages of the device's files (`WB_RECLAIMABLE`).
    pub nr_dirty: u32,
    /// Pages of the device's files under writeback (`WB_WRITEBACK`).
    pub nr_writeback: u32,
    /// When a writer last started a pause, ns; 0 for never (`dirty_sleep`).
    pub dirty_sleep: u64,
    /// True if a writer found too many dirty pages: all writers check more often.
    pub dirty_exceeded: bool,
    /// Number of pages written recently, halved in each period (`bdi->completions`).
    pub completions: u64,
    /// Extents under writeback.
    pub io_ends: Vec<IoEnd>,
    /// Number of the last extent.
    pub last_io_end: u32,
    /// Measured rates of the device.
    pub rate: Rate,
}

/// Dirty limits, flusher threads and rates of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Writeback {
    /// State of each device.
    pub wbs: Vec<Wb>,
    /// The limit in pages, which follows a falling threshold slowly (`dirty_limit`).
    pub dirty_limit: u64,
    /// `totalreserve_pages`, set with the watermarks.
    pub totalreserve: u64,
    /// `min_free_kbytes` in pages, in kernels whose dirty limits subtract it; else 0.
    pub min_free: u64,
    /// Pages written on all devices after which [`Wb::completions`] are halved
    /// (`calc_period_shift`, 3.0).
    pub period: u64,
    /// Pages written in the current period.
    pub completed: u64,
    /// How much each writer dirtied recently, up to 3.1.
    pub dirties: Dirties,
    /// Pages that the tasks of a CPU may dirty before one of them checks the limits, up to 3.1
    /// (`ratelimit_pages`).
    pub ratelimit_pages: u32,
}

impl Writeback {
    /// The initial state without devices, for a machine with this many CPUs.
    pub fn new(cpus: u16) -> Self {
        Self {
            dirties: Dirties::new(cpus.into()),
            ..Self::default()
        }
    }

    /// Adds a device found at boot, with its flusher if it holds files.
    pub fn add(&mut self, drive: &Drive, flusher: Option<TaskIndex>) {
        self.wbs.push(Wb {
            flusher: flusher.unwrap_or(TaskIndex::NONE),
            doing: None,
            armed: false,
            work: Vec::new(),
            io: Vec::new(),
            more_io: Vec::new(),
            last_old_flush: 0,
            nr_dirty: 0,
            nr_writeback: 0,
            dirty_sleep: 0,
            dirty_exceeded: false,
            completions: 0,
            io_ends: Vec::new(),
            last_io_end: 0,
            rate: Rate::new(drive),
        });
    }
}

/// Sets the values that depend on the total reserve and the dirty limits, at boot and after a
/// sysctl was written (`update_completion_period`: half of four times the limit, rounded down to a
/// power of two).
pub fn setup_limits(w: &mut World, marks: &Watermarks) {
    w.wb.totalreserve = marks.totalreserve_pages;
    if w.facts.features.dirty == DirtyRule::FreeAboveReserveAndMin {
        w.wb.min_free = marks.min_free_kbytes / w.facts.layout.geometry.page_kib();
    }
    let total = global_dirty_limits(w).0.max(3);
    w.wb.period = 2 << (total - 1).ilog2();
    w.wb.ratelimit_pages = balance::ratelimit_pages(w);
}

/// Counts a written page of a file on this device (`__bdi_writeout_inc`).
fn count_completion(wb: &mut Writeback, device: usize) {
    if let Some(wb) = wb.wbs.get_mut(device) {
        wb.completions += 1;
    }
    wb.completed += 1;
    if wb.completed >= wb.period {
        wb.completed = 0;
        for wb in &mut wb.wbs {
            wb.completions /= 2;
        }
    }
}

/// Dirty pages of files and pages under writeback, including swap writes, of the whole machine.
pub fn dirty_counts(w: &World) -> (u64, u64) {
    let zones = w.mem.zones.iter();
    zones.fold((0, 0), |(dirty, writeback), z| {
        (
            dirty + u64::from(z.gauge(Gauge::Dirty)),
            writeback + u64::from(z.gauge(Gauge::Writeback)),
        )
    })
}

/// `global_dirty_limits` in the current state: (threshold, background threshold), in pages.
pub fn global_dirty_limits(w: &World) -> (u64, u64) {
    let mut memory = DirtyableMemory {
        totalreserve: w.wb.totalreserve,
        min_free: w.wb.min_free,
        ..DirtyableMemory::default()
    };
    let swap = w.swap.free_slots() > 0;
    for z in &w.mem.zones {
        memory.free += u64::from(z.nr_free_pages);
        memory.file += u64::from(z.lru[2]) + u64::from(z.lru[3]);
        if swap {
            memory.anon += u64::from(z.lru[0]) + u64::from(z.lru[1]);
        }
    }
    let page_size = w.facts.layout.geometry.page_kib() << 10;
    dirty_limits(&w.facts.features, &w.tunables, page_size, memory)
}

/// Dirty pages and pages under writeback around a zone, and their limit: those of its node
/// (`node_dirty_ok`, `node_dirty_limit`), up to 4.7 those of the zone (`zone_dirty_ok`).
pub fn dirty_limit(w: &World, zone: ZoneIndex) -> [u32; 2] {
    let here = &w.mem.zones[zone];
    let whole = w.facts.features.dirty_spread == DirtySpread::Node;
    let (mut dirty, mut free, mut reserve, mut file) = (0, 0, 0, 0);
    for z in &w.mem.zones {
        if z.node != here.node || !(whole || z.kind == here.kind) {
            continue;
        }
        let protection = z
            .protection
            .iter()
            .fold(Pages::ZERO, |most, &p| p.max(most));
        dirty += z.gauge(Gauge::Dirty) + z.gauge(Gauge::Writeback);
        free += z.nr_free_pages;
        let reserved = protection + z.wmark[usize::from(WMARK_HIGH)];
        reserve += z.managed.min(reserved.get());
        file += z.lru[2] + z.lru[3];
    }
    let memory = u64::from(free.saturating_sub(reserve) + file);
    [dirty, (w.tunables.dirty_ratio * memory / 100) as u32]
}

/// Marks a page that was written to as dirty and counts it once (`set_page_dirty`). Returns true if
/// the page was clean.
pub fn set_page_dirty(w: &mut World, frame: FrameIndex) -> bool {
    let page = &mut w.mem.pages[frame];
    if page.has(flag::DIRTY) {
        return false;
    }
    page.set(flag::DIRTY);
    let page = *page;
    if page.kind() != PageKind::File {
        return true;
    }
    w.mem.count(frame, Gauge::Dirty, 1);
    w.counters.nr_dirtied += 1;
    dirties::task_dirty_inc(w);
    w.files.tag_dirty(page.owner, page.index, w.now);
    let device = usize::from(w.files.device(page.owner));
    let periodic = w.tunables.dirty_writeback_centisecs > 0;
    if let Some(wb) = w.wb.wbs.get_mut(device) {
        wb.nr_dirty += 1;
        wb.rate.dirtied += 1;
        if periodic && wb.doing.is_none() && !wb.armed && wb.flusher != TaskIndex::NONE {
            // wb_wakeup_delayed(): the flusher will check the clock, and sleep until the periodic
            // flush.
            wb.armed = true;
            let flusher = wb.flusher;
            w.wake(flusher);
        }
    }
    true
}

/// Makes a dirty page clean because its write begins or its content is dropped. Returns true if the
/// page was dirty (`clear_page_dirty_for_io`).
pub fn clear_page_dirty_for_io(w: &mut World, frame: FrameIndex) -> bool {
    let page = &mut w.mem.pages[frame];
    if !page.test_clear(flag::DIRTY) {
        return false;
    }
    let page = *page;
    if page.is(PageKind::File) {
        w.mem.count(frame, Gauge::Dirty, -1);
        w.files.clear_dirty(page.owner, page.index);
        if w.files.nr_dirty(page.owner) == 0 {
            crate::slab::inode_clean(w, page.owner);
        }
        let device = usize::from(w.files.device(page.owner));
        if let Some(wb) = w.wb.wbs.get_mut(device) {
            wb.nr_dirty -= 1;
        }
    }
    true
}

/// Drops the content of a dirty page on truncation (`cancel_dirty_page`).
pub fn cancel_dirty(w: &mut World, frame: FrameIndex) {
    clear_page_dirty_for_io(w, frame);
}

/// Marks a page as under writeback, to the device of its file or to swap (`set_page_writeback`).
pub fn set_page_writeback(w: &mut World, frame: FrameIndex) {
    let page = &mut w.mem.pages[frame];
    debug_assert!(!page.has(flag::WRITEBACK));
    page.set(flag::WRITEBACK);
    let page = *page;
    w.mem.count(frame, Gauge::Writeback, 1);
    if page.is(PageKind::File) {
        let device = usize::from(w.files.device(page.owner));
        if let Some(wb) = w.wb.wbs.get_mut(device) {
            wb.nr_writeback += 1;
        }
    }
}

/// Ends a page's write (`end_page_writeback`): a page with PG_reclaim goes to the tail of the
/// inactive list, waiters are woken, and the write counts for throttled reclaimers.
pub fn end_page_writeback(w: &mut World, frame: FrameIndex) {
    let page = &mut w.mem.pages[frame];
    let reclaim = page.test_clear(flag::RECLAIM);
    page.clear(flag::WRITEBACK);
    let page = *page;
    w.mem.count(frame, Gauge::Writeback, -1);
    w.counters.nr_written += 1;
    if page.is(PageKind::File) {
        let device = usize::from(w.files.device(page.owner));
        if let Some(wb) = w.wb.wbs.get_mut(device) {
            wb.nr_writeback -= 1;
            wb.rate.written += 1;
        }
        count_completion(&mut w.wb, device);
    }
    if reclaim {
        crate::swap::rotate_reclaimable_page(w, frame);
    }
    w.wake_up_page(frame);
    let node = w.mem.zones[page.zone()].node;
    acct_reclaim_writeback(w, node);
}

/// Starts to write one dirty page of a file from reclaim (`writepage`).
pub fn writepage(w: &mut World, cx: &mut Context, frame: FrameIndex, origin: Origin) {
    if !clear_page_dirty_for_io(w, frame) {
        return;
    }
    set_page_writeback(w, frame);
    let page = w.mem.pages[frame];
    let bio = Bio {
        device: w.files.device(page.owner),
        write: true,
        sync: false,
        origin,
        start: w.files.device_block(page.owner, page.index),
        pages: vec![frame],
        end: End::Write,
        io_end: crate::frames::NONE,
    };
    plug_bio(w, cx, bio);
}

/// Wakes the flushers to write `pages` pages, or all (`u32::MAX`). A pending request is not
/// repeated (`WB_start_all`; kernels up to 4.14 queue every request).
pub fn wakeup_flusher_threads(w: &mut World, pages: u32, reason: FlushReason) {
    let dirty = dirty_counts(w).0.min(u32::MAX.into()) as u32;
    let pages = if pages == u32::MAX { dirty } else { pages };
    for device in 0..w.wb.wbs.len() {
        let wb = &mut w.wb.wbs[device];
        let asked = wb.doing == Some(reason) || wb.work.iter().any(|k| k.reason == reason);
        if wb.flusher == TaskIndex::NONE || wb.nr_dirty == 0 || asked || pages == 0 {
            continue;
        }
        let wb = &mut w.wb.wbs[device];
        wb.work.push(Work { reason, pages });
        let flusher = wb.flusher;
        w.wake(flusher);
    }
}

/// Wakes the flusher of a device because of the background limit, unless it is already working
/// (`wb_start_background_writeback`).
pub fn start_background(w: &mut World, device: u8) {
    if let Some(wb) = w.wb.wbs.get(usize::from(device))
        && wb.doing.is_none()
        && wb.flusher != TaskIndex::NONE
    {
        let flusher = wb.flusher;
        w.wake(flusher);
    }
}
