//! Block devices of a described machine.
//!
//! Modelled: the classes of disk of the years in which the published runs were made, with the figures of
//! manufacturers and reviewers; a device that only limits bytes per second, as emulated guests have.
//! Left out: partitions and file systems; zones of a platter (rates are averages over the disk).
//! Visible difference: the inner tracks of a real disk are half as fast as the outer ones.
//! Invariants: a device that [`check`] passed has a rate above 0 and room for its swap.

use deserr::Deserr;
use schemars::JsonSchema;
use serde::Serialize;

use crate::profile::{CostEra, MachineProfile, refuse};
use crate::view::Refusal;
use crate::watermark::mul_div;

/// The maximum number of devices of a machine.
pub(super) const MAX_DEVICES: usize = 8;
/// The rates of the slowest and the fastest device, bytes per second.
const RATES: (u64, u64) = (4096, 100_000_000_000);
/// The smallest device, KiB: 1 MiB.
const MIN_CAPACITY_KIB: u64 = 1 << 10;
/// The largest device, KiB: 64 TiB.
const MAX_CAPACITY_KIB: u64 = 64 << 30;
/// The maximum swap, KiB: 64 GiB.
const MAX_SWAP_KIB: u64 = 64 << 20;
/// The usual swap of a machine: as much as memory, up to this many KiB.
const USUAL_SWAP_KIB: u64 = 8 << 20;

/// A class of block device.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserr, JsonSchema,
)]
#[deserr(error = crate::read::Refusals)]
pub enum DeviceModel {
    /// Disk of 2010, 110 MB/s.
    #[serde(rename = "disk_2010")]
    #[deserr(rename = "disk_2010")]
    Disk2010,
    /// Disk of 2014, 155 MB/s.
    #[serde(rename = "disk_2014")]
    #[deserr(rename = "disk_2014")]
    Disk2014,
    /// SATA SSD of 2021, 550 MB/s.
    #[serde(rename = "ssd_2021")]
    #[deserr(rename = "ssd_2021")]
    Ssd2021,
    /// NVMe SSD of 2021, 3,500 MB/s.
    #[serde(rename = "nvme_2021")]
    #[deserr(rename = "nvme_2021")]
    Nvme2021,
    /// It only limits bytes per second, as devices of emulated guests do.
    #[serde(rename = "throttled")]
    #[deserr(rename = "throttled")]
    Throttled,
}

impl DeviceModel {
    /// The name that profiles use.
    pub const fn name(self) -> &'static str {
        match self {
            DeviceModel::Disk2010 => "disk_2010",
            DeviceModel::Disk2014 => "disk_2014",
            DeviceModel::Ssd2021 => "ssd_2021",
            DeviceModel::Nvme2021 => "nvme_2021",
            DeviceModel::Throttled => "throttled",
        }
    }

    /// Bytes per second of sequential reads and writes. Sources: 110 MB/s on average with platters of 500 GB,
    /// 156 with 1 TB, 550 and 520 for SATA, 3500 and 2500 for NVMe (reviews and manufacturers). None for a
    /// device described by its rate.
    pub const fn rates(self) -> Option<(u64, u64)> {
        match self {
            DeviceModel::Disk2010 => Some((110_000_000, 110_000_000)),
            DeviceModel::Disk2014 => Some((155_000_000, 155_000_000)),
            DeviceModel::Ssd2021 => Some((550_000_000, 520_000_000)),
            DeviceModel::Nvme2021 => Some((3_500_000_000, 2_500_000_000)),
            DeviceModel::Throttled => None,
        }
    }

    /// Whether it rotates, so that distance costs time.
    pub const fn rotates(self) -> bool {
        matches!(self, DeviceModel::Disk2010 | DeviceModel::Disk2014)
    }

    /// Whether the kernel knows that it does not rotate (QUEUE_FLAG_NONROT). Devices of guests do not report
    /// it.
    pub const fn is_nonrot(self) -> bool {
        matches!(self, DeviceModel::Ssd2021 | DeviceModel::Nvme2021)
    }

    /// Size in KiB if none is given.
    const fn capacity_kib(self) -> u64 {
        match self {
            DeviceModel::Disk2010 => 500_000_000_000 >> 10,
            DeviceModel::Disk2014 => 1_000_000_000_000 >> 10,
            DeviceModel::Ssd2021 | DeviceModel::Nvme2021 => 500_000_000_000 >> 10,
            DeviceModel::Throttled => 100_000_000_000 >> 10,
        }
    }
}

/// A block device.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields, rename = "Device")]
pub struct DeviceProfile {
    /// Its name in the kernel: sda.
    #[schemars(title = "Name", regex(pattern = r"^[A-Za-z0-9._-]{1,16}$"))]
    pub id: String,
    /// The model. It decides how long requests and seeks take.
    #[schemars(title = "Kind")]
    pub model: DeviceModel,
    /// Rate of sequential reads; a throttled device needs it. The rate of writes stays in the same proportion
    /// to reads as in its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(
        title = "Rate",
        range(min = RATES.0, max = RATES.1),
        extend("x-unit" = "bytes a second", "x-left-out" = "the value of its class")
    )]
    pub bytes_per_s: Option<u64>,
    /// Its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(
        title = "Size",
        range(min = MIN_CAPACITY_KIB, max = MAX_CAPACITY_KIB),
        extend("x-unit" = "KiB", "x-left-out" = "the value of its class")
    )]
    pub capacity_kib: Option<u64>,
    /// Whether the workload's files are on it.
    #[schemars(extend("x-words" = ["are on it", "are elsewhere"]))]
    pub files: bool,
    /// The part of it that is swap: at most half; 0 for none.
    #[deserr(default)]
    #[schemars(default, range(max = MAX_SWAP_KIB), extend("x-unit" = "KiB"))]
    pub swap: u64,
}

impl DeviceProfile {
    /// A device of a class as it is sold.
    pub fn new(id: &str, model: DeviceModel, files: bool, swap: u64) -> Self {
        Self {
            id: id.to_string(),
            model,
            bytes_per_s: None,
            capacity_kib: None,
            files,
            swap,
        }
    }

    /// Bytes per second, read and written.
    pub fn rates(&self) -> (u64, u64) {
        let (read, write) = self.model.rates().unwrap_or((1, 1));
        match self.bytes_per_s {
            None => (read, write),
            Some(rate) => (rate, mul_div(rate, write, read).max(1)),
        }
    }

    /// Size in KiB.
    pub fn capacity(&self) -> u64 {
        self.capacity_kib.unwrap_or(self.model.capacity_kib())
    }

    /// An amount for a device of this class, reduced in proportion to its rate.
    pub fn slowed(&self, n: u64) -> u64 {
        match (self.bytes_per_s, self.model.rates()) {
            (Some(rate), Some((class, _))) if rate < class => mul_div(n, rate, class),
            _ => n,
        }
    }
}

/// The typical devices of a class of machines: one disk with files and swap; for emulated guests a disk of
/// 100 MiB/s with files.
pub fn usual(costs: CostEra, memory_kib: u64) -> Vec<DeviceProfile> {
    let swap = memory_kib.min(USUAL_SWAP_KIB);
    let device = match costs {
        CostEra::D2010 | CostEra::S2011 | CostEra::P7 => {
            DeviceProfile::new("sda", DeviceModel::Disk2010, true, swap)
        }
        CostEra::D2014 => DeviceProfile::new("sda", DeviceModel::Disk2014, true, swap),
        CostEra::S2021 => DeviceProfile::new("sda", DeviceModel::Ssd2021, true, swap),
        CostEra::QX86 | CostEra::QPpc => DeviceProfile {
            bytes_per_s: Some(100 << 20),
            ..DeviceProfile::new("vda", DeviceModel::Throttled, true, 0)
        },
    };
    vec![device]
}

/// The device of a machine with `large` pages, scaled for a machine with `small` pages. Rate and swap shrink
/// with memory, so filling memory takes the same time. The times of a single request (seeks, rotation,
/// latency) are not scaled.
pub fn scaled(device: DeviceProfile, small: u64, large: u64, page_kib: u32) -> DeviceProfile {
    let page_kib = u64::from(page_kib);
    DeviceProfile {
        bytes_per_s: Some(mul_div(device.rates().0, small, large).max(RATES.0)),
        swap: mul_div(device.swap, small, large) / page_kib * page_kib,
        ..device
    }
}

/// Everything that makes the described devices impossible.
pub(super) fn check(profile: &MachineProfile, found: &mut Vec<Refusal>) {
    let Some(devices) = &profile.devices else {
        return;
    };
    if devices.len() > MAX_DEVICES {
        let reason = format!("{} devices; at most {MAX_DEVICES}", devices.len());
        found.push(refuse("devices", reason));
    }
    for (i, device) in devices.iter().enumerate() {
        let twin = devices[..i].iter().any(|other| other.id == device.id);
        if twin {
            let reason = format!("another device is also called {:?}", device.id);
            found.push(refuse(format!("devices[{i}].id"), reason));
        }
        check_device(profile, device, &format!("devices[{i}]"), found);
    }
    let mut swaps = (0..devices.len()).filter(|&i| devices[i].swap > 0);
    if let (Some(first), Some(second)) = (swaps.next(), swaps.next()) {
        let reason = format!(
            "{} already has swap; only one device can have it",
            devices[first].id
        );
        found.push(refuse(format!("devices[{second}].swap"), reason));
    }
}

fn check_device(profile: &MachineProfile, d: &DeviceProfile, at: &str, found: &mut Vec<Refusal>) {
    let is_id_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if d.id.is_empty() || d.id.len() > 16 || !d.id.chars().all(is_id_char) {
        let reason = "a device's id is 1 to 16 letters, digits, dots, underscores or hyphens";
        found.push(refuse(format!("{at}.id"), reason));
    }
    match d.bytes_per_s {
        None if d.model == DeviceModel::Throttled => {
            let reason = "a throttled device needs a rate: add one";
            found.push(refuse(format!("{at}.bytes_per_s"), reason));
        }
        Some(rate) if !(RATES.0..=RATES.1).contains(&rate) => {
            let reason = format!(
                "{rate}; a device moves {} to {} bytes per second",
                RATES.0, RATES.1
            );
            found.push(refuse(format!("{at}.bytes_per_s"), reason));
        }
        _ => {}
    }
    let capacity = d.capacity();
    if !(MIN_CAPACITY_KIB..=MAX_CAPACITY_KIB).contains(&capacity) {
        let reason = format!("{capacity} KiB; a device has 1 MiB to 64 TiB");
        found.push(refuse(format!("{at}.capacity_kib"), reason));
    }
    if d.swap > MAX_SWAP_KIB || d.swap > capacity / 2 {
        let most = MAX_SWAP_KIB.min(capacity / 2);
        let reason = format!(
            "{} KiB; at most {most}: half the device, and at most 64 GiB",
            d.swap
        );
        found.push(refuse(format!("{at}.swap"), reason));
    }
    let page = u64::from(profile.page_size_kib.max(1));
    if !d.swap.is_multiple_of(page) {
        let reason = format!(
            "{} KiB is not a whole number of pages of {page} KiB",
            d.swap
        );
        found.push(refuse(format!("{at}.swap"), reason));
    }
    if !d.files && d.swap == 0 {
        let reason = "a device holds files, swap, or both";
        found.push(refuse(format!("{at}.files"), reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{check, find};

    fn refusals(change: impl Fn(&mut Vec<DeviceProfile>)) -> Vec<String> {
        let mut profile = find("x86_64-3g").expect("a ready-made machine");
        change(profile.devices.as_mut().expect("devices"));
        let found = check(&profile);
        found.into_iter().map(|r| r.path).collect()
    }

    #[test]
    fn refuses_impossible_devices_with_their_path() {
        assert!(refusals(|_| {}).is_empty());
        assert_eq!(refusals(|d| d[0].id.clear()), ["devices[0].id"]);
        let throttled = |d: &mut Vec<DeviceProfile>| d[0].model = DeviceModel::Throttled;
        assert_eq!(refusals(throttled), ["devices[0].bytes_per_s"]);
        let slow = |d: &mut Vec<DeviceProfile>| d[0].bytes_per_s = Some(1);
        assert_eq!(refusals(slow), ["devices[0].bytes_per_s"]);
        let small = |d: &mut Vec<DeviceProfile>| d[0].capacity_kib = Some(2048);
        assert_eq!(refusals(small), ["devices[0].swap"]);
        assert_eq!(refusals(|d| d[0].swap = 6), ["devices[0].swap"]);
        let again = |d: &mut Vec<DeviceProfile>| d.push(d[0].clone());
        assert_eq!(refusals(again), ["devices[1].id", "devices[1].swap"]);
        let idle = |d: &mut Vec<DeviceProfile>| (d[0].files, d[0].swap) = (false, 0);
        assert_eq!(refusals(idle), ["devices[0].files"]);
        let many = |d: &mut Vec<DeviceProfile>| {
            d[0].swap = 0;
            for i in 0..8 {
                d.push(DeviceProfile::new(
                    &format!("sd{i}"),
                    DeviceModel::Ssd2021,
                    true,
                    0,
                ));
            }
        };
        assert_eq!(refusals(many), ["devices"]);
    }

    #[test]
    fn filling_memory_from_disk_takes_the_same_time_at_teaching_size() {
        let (large, small) = (find("x86_64-3g"), find("x86_64-3g-teach"));
        let seconds = |p: Option<MachineProfile>| {
            let p = p.expect("a ready-made machine");
            let disk = &p.devices_in_force()[0];
            (
                p.present_pages() * 4096 / disk.rates().0,
                disk.swap / 4 * 100 / p.present_pages(),
            )
        };
        assert_eq!(seconds(large), (29, 100));
        assert_eq!(seconds(small), (29, 100));
    }
}
