//! The constant properties of a block device, and its service times.
//!
//! Modelled: seeks by distance, half a revolution, bandwidth, latency, the depth of the device's queue.
//! Left out: sectors; tracks and zones of different speed.
//! Invariants: times are integers in ns.

use crate::profile::{DeviceModel, DeviceProfile};
use crate::watermark::int_sqrt;
use facts::index::CpuIndex;

/// Length of the longest request in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Minimum for the longest request of a slowed device, in pages, so that merging stays visible.
const MIN_PAGES: u64 = 4;
/// Queue depth of a SATA device in commands.
const SATA_DEPTH: u32 = 31;
/// Queue depth of an NVMe device in requests.
const NVME_DEPTH: u32 = 1023;
/// Requests that an emulated guest's device accepts at a time (a virtqueue of QEMU).
const GUEST_DEPTH: u32 = 256;
/// Time of a disk command without seeking and data transfer, ns. Assumed.
pub(super) const COMMAND_NS: u64 = 100_000;
/// Half a revolution at 7,200 rpm, ns.
pub(super) const HALF_TURN_NS: u64 = 4_170_000;
/// Longest positioning time of a write that goes to the disk's cache, ns.
pub(super) const CACHED_WRITE_NS: u64 = 7_000_000;
/// Parameters of the seek time, ns: track to track, and the factor for the square root of the
/// distance. 1.0 + 13 sqrt(x) ms gives the manufacturers' 8.5 ms at a third of the disk. The curve
/// is assumed.
const SEEK_NS: (u64, u64) = (1_000_000, 13_000_000);

/// The constant properties of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drive {
    /// Profile of the device.
    pub profile: DeviceProfile,
    /// Page size in bytes.
    pub page_bytes: u64,
    /// Size of the device in pages.
    pub pages: u64,
    /// Length of the longest request in pages.
    pub max_pages: u32,
    /// Requests that the device works on at the same time.
    pub depth: u32,
    /// Queue depth that writeback throttling assumes (`blk_queue_depth`).
    pub queue_depth: u32,
    /// Target latency of a read while writes are in flight, ns (`wbt_default_latency_nsec`): 75 ms
    /// for a device that is rotational or reported as rotational, as emulated devices are; 2 ms for
    /// others.
    pub read_target_ns: u64,
    /// First page of the swap space. It lies at a third of the device, so that its distance from
    /// the files, which start at 0, is an average one.
    pub swap_start: u64,
    /// Size of the swap space in pages.
    pub swap_pages: u32,
    /// CPU that handles the device's interrupts.
    pub cpu: CpuIndex,
    /// True if readers take turns: on a rotational disk under CFQ, the default elevator before
    /// blk-mq.
    pub turns: bool,
}

impl Drive {
    /// The properties of device number `index`. `blk_mq` is true if the kernel of the machine has
    /// blk-mq.
    pub fn new(
        profile: &DeviceProfile,
        index: u16,
        page_kib: u64,
        cpus: u16,
        blk_mq: bool,
    ) -> Self {
        let page_bytes = page_kib << 10;
        let longest = MAX_BYTES / page_bytes;
        let pages = profile.capacity() / page_kib;
        Self {
            page_bytes,
            pages,
            max_pages: profile.slowed(longest).max(MIN_PAGES.min(longest)) as u32,
            depth: match profile.model {
                // One request at a time, so that the elevator decides the order.
                DeviceModel::Disk2010 | DeviceModel::Disk2014 => 1,
                DeviceModel::Ssd2021 => SATA_DEPTH,
                DeviceModel::Nvme2021 | DeviceModel::Throttled => GUEST_DEPTH,
            },
            queue_depth: match profile.model {
                DeviceModel::Disk2010 | DeviceModel::Disk2014 | DeviceModel::Ssd2021 => SATA_DEPTH,
                DeviceModel::Throttled => GUEST_DEPTH,
                DeviceModel::Nvme2021 => NVME_DEPTH,
            },
            read_target_ns: match profile.model {
                DeviceModel::Ssd2021 | DeviceModel::Nvme2021 => 2_000_000,
                _ => 75_000_000,
            },
            swap_start: pages / 3,
            swap_pages: (profile.swap / page_kib) as u32,
            cpu: CpuIndex::new(index % cpus),
            turns: profile.model.rotates() && !blk_mq,
            profile: profile.clone(),
        }
    }

    /// Time to transfer this many pages, ns.
    pub(super) fn transfer(&self, write: bool, pages: u64) -> u64 {
        let (read_rate, write_rate) = self.profile.rates();
        let rate = if write { write_rate } else { read_rate };
        pages * self.page_bytes * 1_000_000_000 / rate
    }

    /// Time to move a disk's head and wait for the platter to turn, ns. If the block lies shortly
    /// ahead on the same track, the disk only waits for it.
    pub fn position(&self, write: bool, head: u64, start: u64) -> u64 {
        if let Some(gap) = start.checked_sub(head) {
            let over = self.transfer(write, gap.min(1 << 14));
            if over < 2 * HALF_TURN_NS {
                return over;
            }
        }
        // The distance as a share of the disk, in units of 2^-20. Its square root is in 1/1024.
        let part = ((head.abs_diff(start) << 20) / self.pages.max(1)).min(1 << 20);
        let seek = SEEK_NS.0 + SEEK_NS.1 * int_sqrt(part) / 1024;
        let whole = seek + HALF_TURN_NS;
        if write {
            whole.min(CACHED_WRITE_NS)
        } else {
            whole
        }
    }

    /// Latency without data transfer, and the shortest time between two requests, ns. SATA: 4 KiB
    /// are read in 90 us and written in 35 us, 95,000 reads per second. NVMe: 70 us, 20 us,
    /// 350,000.
    pub(super) fn latency(&self, write: bool) -> (u64, u64) {
        match (self.profile.model, write) {
            (DeviceModel::Nvme2021, false) => (69_000, 2_860),
            (DeviceModel::Nvme2021, true) => (18_000, 2_860),
            (_, false) => (83_000, 10_500),
            (_, true) => (27_000, 10_500),
        }
    }
}
