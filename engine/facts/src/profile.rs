//! Machine profiles: the description of a machine, independent of any kernel.
//!
//! Modelled: physical ranges per node with holes, reserved pages per zone, CPUs, distances, rates of memory
//! and links, timer frequency, block devices, and the few boot options that change memory management.
//! Left out: processor caches. Memory hot-plugged into the middle of a node cannot be described.
//! Visible difference: a Movable zone below a Normal one of the same node is refused.
//! Invariants: a profile is raw data. If [`check`] returns nothing, every function of this crate accepts it;
//! if [`check_runnable`] also returns nothing, it can be run.

mod check;
pub mod counted;
pub mod device;
mod memory;
mod ready;

use std::borrow::Cow;
use std::collections::BTreeMap;

use deserr::{Deserr, IntoValue, Value, ValuePointerRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;

use crate::arch::{Arch, Geometry, ZoneBorder, ZoneType};
use crate::kernel::Features;
use crate::read::{self, Refusals};
use crate::state::State;
use crate::tunables::Words;

pub use check::{MAX_RUN_NODES, check, check_runnable, refuse};
pub use device::{DeviceModel, DeviceProfile};
pub use memory::MemoryRates;
pub use ready::{find, profiles};

/// Contiguous page frames that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields, rename = "Range")]
pub struct MemRange {
    /// First page frame of the range.
    #[schemars(title = "Begins at", extend("x-unit" = "pfn"))]
    pub start_pfn: u64,
    /// Number of pages, in the machine's page size.
    #[schemars(title = "Size", range(min = 1), extend("x-unit" = "pages"))]
    pub pages: u64,
}

impl MemRange {
    /// The first pfn above the range; `None` if that overflows.
    pub fn end_pfn(&self) -> Option<u64> {
        self.start_pfn.checked_add(self.pages)
    }
}

/// Pages by zone type, as a profile states them.
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

impl JsonSchema for Reserved {
    fn schema_name() -> Cow<'static, str> {
        "Reserved".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let pages = |kind: ZoneType| {
            let name = kind.name();
            let pages = json!({
                "title": format!("Reserved in {name}"),
                "description": "Page structs, the kernel image, firmware: pages that exist but are never allocated.",
                "type": "integer",
                "minimum": 0,
                "x-unit": "pages",
                "x-left-out": "0",
            });
            (name.to_string(), pages)
        };
        let zones: serde_json::Map<_, _> = ZoneType::ALL.into_iter().map(pages).collect();
        json_schema!({
            "description": "Pages of each zone type that exist but are not managed.",
            "type": "object",
            "properties": zones,
            "additionalProperties": false,
        })
    }
}

/// The distance to a node's memory.
struct Distance;

impl JsonSchema for Distance {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Distance".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "Distance",
            "description": "10 is a node's own memory; memory at distance 20 costs about twice as much.",
            "type": "integer",
            "minimum": 10,
            "maximum": 255,
        })
    }
}

/// One node of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields, rename = "Node")]
pub struct NodeProfile {
    /// Its number. Numbers may have gaps, as on ppc64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(
        title = "Number",
        range(max = check::MAX_NODE_ID),
        extend("x-left-out" = "its place in the list")
    )]
    pub id: Option<u16>,
    /// Memory ranges, in any order; none for a node that has only CPUs.
    pub ranges: Vec<MemRange>,
    /// Number of CPUs. They are numbered across the nodes in order. A node may have none.
    #[schemars(title = "CPUs")]
    pub cpus: u16,
    /// Pages of each zone that exist but are not managed: memmap, kernel image, firmware (present - managed).
    /// Kernels to 3.8 do not count them as present either.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[deserr(default, from(Reserved) = Reserved::pages)]
    #[schemars(with = "Reserved", default, extend("x-left-out" = "none"))]
    pub reserved: BTreeMap<ZoneType, u64>,
    /// Memory from here on holds only movable pages (`kernelcore=`, `movablecore=`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(
        title = "Movable zone from",
        extend("x-unit" = "pfn", "x-left-out" = "none: no Movable zone")
    )]
    pub movable_from_pfn: Option<u64>,
}

/// Where transparent huge pages are used (`/sys/kernel/mm/transparent_hugepage/enabled`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, State, Deserr, JsonSchema,
)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "lowercase")]
pub enum Thp {
    /// Wherever possible.
    Always,
    /// Where a program requests them.
    Madvise,
    /// Nowhere.
    Never,
}

/// The boot option and sysctl `numa_zonelist_order`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, State, Deserr, JsonSchema,
)]
#[deserr(error = crate::read::Refusals, rename_all = lowercase)]
#[serde(rename_all = "lowercase")]
pub enum ZonelistChoice {
    /// The kernel chooses the order.
    Default,
    /// Node order: the zones of the nearest node first.
    Node,
    /// Zone order: the highest zones of all nodes first.
    Zone,
}

/// The class of machine whose speed is assumed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserr, JsonSchema,
)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields, rename = "Machine")]
pub struct MachineProfile {
    /// Stable id: letters, digits, dots, underscores, hyphens.
    #[schemars(regex(pattern = r"^[A-Za-z0-9._-]{1,64}$"))]
    pub id: String,
    /// The name that the page shows.
    #[schemars(length(max = 200))]
    pub title: String,
    /// The architecture. It decides which zones exist and where they end.
    #[schemars(title = "Processor")]
    pub arch: Arch,
    /// The size of one page frame. x86_64 has 4 KiB; ppc64 has 4 or 64.
    #[schemars(title = "Page size", extend("enum" = [4, 64], "x-unit" = "KiB"))]
    pub page_size_kib: u32,
    /// The zone types with which the kernel was built and their borders, if they differ from a distribution's
    /// kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(extend("x-left-out" = "as the kernel was built"))]
    pub zones: Option<Vec<ZoneBorder>>,
    /// Nodes, ascending by id.
    pub nodes: Vec<NodeProfile>,
    /// The distances to the memory of each node (`node_distance`): one row for each node, in their order. 10
    /// is a node's own memory; memory at distance 20 costs about twice as much.
    #[schemars(with = "Vec<Vec<Distance>>")]
    pub distances: Vec<Vec<u8>>,
    /// Timer ticks per second (CONFIG_HZ). Sleeping tasks are woken at ticks.
    #[schemars(title = "Timer ticks", extend("enum" = [100, 250, 300, 1000]))]
    pub hz: u16,
    /// The setting at boot. Below 512 MiB of memory, the kernel itself switches them off.
    #[schemars(title = "Transparent huge pages")]
    pub thp: Thp,
    /// The class of machine whose speed is assumed.
    #[schemars(title = "How fast it is")]
    pub costs: CostEra,
    /// Whether each CPU has its own lists of free pages, in front of the buddy lists.
    #[schemars(title = "Per-cpu lists", extend("x-words" = ["each CPU has its own", "none"]))]
    pub pcp: bool,
    /// The order in which a request walks the zones (numa_zonelist_order).
    pub zonelist_order: ZonelistChoice,
    /// Block devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(
        length(max = device::MAX_DEVICES),
        extend("x-left-out" = "one typical disk of its time, with swap")
    )]
    pub devices: Option<Vec<DeviceProfile>>,
    /// The speed of memory and of the links between nodes. With this field, the cost of an access depends on
    /// the page's node and on other users of that memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(
        title = "Speed of memory",
        extend("x-left-out" = "every access costs the same, on any node")
    )]
    pub memory: Option<MemoryRates>,
    /// Tunables set at boot, in alphabetical order. The experiment's tunables are set after them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[deserr(default, from(Words) = Words::values)]
    #[schemars(with = "Words", default, extend("x-left-out" = "none"))]
    pub tunables: BTreeMap<String, String>,
}

impl MachineProfile {
    /// Page and block sizes; those of x86_64 with 4 KiB pages if the profile's page size is impossible (which
    /// [`check`] refuses).
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

    /// The described block devices, or the typical devices of a machine of this class.
    pub fn devices_in_force(&self) -> Vec<DeviceProfile> {
        let kib = self
            .present_pages()
            .saturating_mul(self.page_size_kib.into());
        self.devices
            .clone()
            .unwrap_or_else(|| device::usual(self.costs, kib))
    }

    /// The space for files on the device for files: its size minus its swap, in pages; 0 if there is no
    /// device.
    pub fn room_for_files(&self) -> u64 {
        let devices = self.devices_in_force();
        let found = devices.iter().find(|d| d.files).or(devices.first());
        let kib = found.map_or(0, |d| d.capacity().saturating_sub(d.swap));
        kib / u64::from(self.page_size_kib.max(1))
    }

    /// Page frames that exist on all nodes; the sum saturates.
    pub fn present_pages(&self) -> u64 {
        self.nodes
            .iter()
            .flat_map(|node| &node.ranges)
            .fold(0, |sum, range| sum.saturating_add(range.pages))
    }
}

/// Pages of a zone that exist but are not managed. On ppc64 the same memory is DMA in old kernels and Normal
/// in new ones, so a profile's DMA and Normal entries both mean the one zone that has the node's pages.
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
