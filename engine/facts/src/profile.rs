//! Machine profiles: a described machine, before any kernel has looked at it.
//!
//! Modelled: physical ranges per node with holes, reserved pages per zone, CPUs, distances, timer
//! frequency, block devices, and the few boot options that change memory management.
//! Left out: caches of the processor. Memory hot-plugged into the middle of a node cannot be written.
//! Who could tell: a Movable zone below a Normal one of the same node is refused.
//! Invariants: a profile is raw data; after [`check`] returned nothing, every function of this
//! crate accepts it, and after [`check_runnable`] as well it can be run.

mod check;
pub mod device;
mod ready;

use std::collections::BTreeMap;

use deserr::{Deserr, IntoValue, Value, ValuePointerRef};
use serde::Serialize;

use crate::arch::{Arch, Geometry, ZoneBorder, ZoneType};
use crate::kernel::Features;
use crate::read::{self, Refusals};
use crate::state::State;
use crate::tunables::Words;

pub use check::{check, check_runnable, refuse};
pub use device::{DeviceModel, DeviceProfile};
pub use ready::{find, profiles};

/// A run of page frames that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
pub struct MemRange {
    /// First page frame number.
    pub start_pfn: u64,
    /// Pages, of the profile's page size.
    pub pages: u64,
}

impl MemRange {
    /// The first pfn above the range; `None` when that overflows.
    pub fn end_pfn(&self) -> Option<u64> {
        self.start_pfn.checked_add(self.pages)
    }
}

/// Pages by zone type, as a profile writes them.
struct Reserved(BTreeMap<ZoneType, u64>);

impl Reserved {
    fn pages(self) -> BTreeMap<ZoneType, u64> {
        self.0
    }
}

impl Deserr<Refusals> for Reserved {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        location: ValuePointerRef<'_>,
    ) -> Result<Self, Refusals> {
        read::entries(value, location, |word| ZoneType::named(word)).map(Reserved)
    }
}

/// One node of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
pub struct NodeProfile {
    /// The node's id where ids have gaps (ppc64 often has nodes 0 and 8); else its position.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    pub id: Option<u16>,
    /// Memory, in any order; none at all for a node with CPUs only.
    pub ranges: Vec<MemRange>,
    /// CPUs of the node; they are numbered through the nodes in order.
    pub cpus: u16,
    /// Pages of each zone that exist but are not managed: memmap, kernel image, firmware
    /// (present - managed). On kernels to 3.8 they are not counted as present either.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[deserr(default, from(Reserved) = Reserved::pages)]
    pub reserved: BTreeMap<ZoneType, u64>,
    /// First pfn of the node's Movable zone (`zone_movable_pfn`, from `kernelcore=` or
    /// `movablecore=`); none: the node has no Movable zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    pub movable_from_pfn: Option<u64>,
}

/// Whether transparent huge pages are on (`/sys/kernel/mm/transparent_hugepage/enabled`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, State, Deserr)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "lowercase")]
pub enum Thp {
    /// Wherever possible.
    Always,
    /// Where asked for with `madvise(MADV_HUGEPAGE)`.
    Madvise,
    /// Never.
    Never,
}

/// The boot option and sysctl `numa_zonelist_order`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, State, Deserr)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "lowercase")]
pub enum ZonelistChoice {
    /// The kernel chooses.
    Default,
    /// All zones of the nearest node first.
    Node,
    /// The highest zone of all nodes first.
    Zone,
}

/// A cost table: the class of machine whose speed is assumed. See [`crate::costs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals)]
pub enum CostEra {
    /// Desktop of 2010.
    #[serde(rename = "d2010")]
    #[deserr(rename = "d2010")]
    D2010,
    /// Two-node server of 2011.
    #[serde(rename = "s2011")]
    #[deserr(rename = "s2011")]
    S2011,
    /// POWER7, 64 KiB pages.
    #[serde(rename = "p7")]
    #[deserr(rename = "p7")]
    P7,
    /// Desktop of 2014.
    #[serde(rename = "d2014")]
    #[deserr(rename = "d2014")]
    D2014,
    /// Server of 2021.
    #[serde(rename = "s2021")]
    #[deserr(rename = "s2021")]
    S2021,
    /// Emulated x86_64 guest.
    #[serde(rename = "q-x86")]
    #[deserr(rename = "q-x86")]
    QX86,
    /// Emulated ppc64le guest.
    #[serde(rename = "q-ppc")]
    #[deserr(rename = "q-ppc")]
    QPpc,
}

/// A described machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserr)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
pub struct MachineProfile {
    /// Stable id.
    pub id: String,
    /// For people.
    pub title: String,
    /// Architecture.
    pub arch: Arch,
    /// KiB in a page: 4, or 64 on ppc64.
    pub page_size_kib: u32,
    /// The zone types the kernel was built with and their borders, where they differ from what
    /// distributions build; left out: as [`crate::arch::ZoneSet::borders`] has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    pub zones: Option<Vec<ZoneBorder>>,
    /// Nodes, ascending by id.
    pub nodes: Vec<NodeProfile>,
    /// `node_distance(row, column)`, 10 = local; rows in the order of `nodes`.
    pub distances: Vec<Vec<u8>>,
    /// `CONFIG_HZ`: timer ticks a second.
    pub hz: u16,
    /// Transparent huge pages as booted. The kernel switches them off by itself below 512 MiB.
    pub thp: Thp,
    /// Cost table.
    pub costs: CostEra,
    /// Whether CPUs keep pages on lists of their own.
    pub pcp: bool,
    /// Zonelist order as booted.
    pub zonelist_order: ZonelistChoice,
    /// Block devices; left out: those of [`MachineProfile::devices_in_force`].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    pub devices: Option<Vec<DeviceProfile>>,
    /// Tunables set by hand, as `name: value` (`vm.min_free_kbytes: "8192"`); applied in order of
    /// name when the machine boots.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[deserr(default, from(Words) = Words::values)]
    pub tunables: BTreeMap<String, String>,
}

impl MachineProfile {
    /// Page and block sizes; x86_64 with 4 KiB pages when the profile's page size is impossible
    /// (which [`check`] refuses).
    pub fn geometry(&self) -> Geometry {
        const FALLBACK: Geometry = match Geometry::of(Arch::X86_64, 4) {
            Some(geometry) => geometry,
            None => unreachable!(),
        };
        Geometry::of(self.arch, self.page_size_kib).unwrap_or(FALLBACK)
    }

    /// Zone types and borders under a kernel.
    pub fn zone_borders(&self, features: &Features) -> Vec<ZoneBorder> {
        self.zones
            .clone()
            .unwrap_or_else(|| features.zone_set.borders(self.arch))
    }

    /// The block devices as described, or what a machine of this class usually has.
    pub fn devices_in_force(&self) -> Vec<DeviceProfile> {
        let kib = self
            .present_pages()
            .saturating_mul(self.page_size_kib.into());
        self.devices
            .clone()
            .unwrap_or_else(|| device::usual(self.costs, kib))
    }

    /// Pages the device with the files has for them: its size without its swap; 0 where there is
    /// no device.
    pub fn room_for_files(&self) -> u64 {
        let devices = self.devices_in_force();
        let found = devices.iter().find(|d| d.files).or(devices.first());
        let kib = found.map_or(0, |d| d.capacity().saturating_sub(d.swap));
        kib / u64::from(self.page_size_kib.max(1))
    }

    /// Page frames that exist, all nodes; saturating.
    pub fn present_pages(&self) -> u64 {
        self.nodes
            .iter()
            .flat_map(|node| &node.ranges)
            .fold(0, |sum, range| sum.saturating_add(range.pages))
    }
}

/// Pages of a zone that exist but are not managed. On ppc64 the same memory is DMA to old kernels
/// and Normal to new ones, so there one profile's DMA and Normal entries both mean the one zone
/// that has the node's pages.
pub(crate) fn reserved_pages(
    profile: &MachineProfile,
    node: &NodeProfile,
    kind: ZoneType,
    existing: u64,
) -> u64 {
    let of = |kind| node.reserved.get(&kind).copied().unwrap_or(0);
    let one_zone = profile.arch == Arch::Ppc64 && profile.zones.is_none();
    match kind {
        ZoneType::Dma | ZoneType::Normal if one_zone => {
            let both = of(ZoneType::Dma).saturating_add(of(ZoneType::Normal));
            if existing > 0 { both } else { 0 }
        }
        _ => of(kind),
    }
}
