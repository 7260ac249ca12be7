//! Architectures: page sizes, buddy orders, pageblocks and zone types (asm/page.h, linux/mmzone.h).
//!
//! Modelled: x86_64 with 4 KiB pages, ppc64 (Book3S) with 4 KiB and 64 KiB pages, as servers of 2.6.37 to
//! 6.12 were configured. SuperH has the page sizes, blocks and zones of 2.6.37 (arch/sh/Kconfig,
//! arch/sh/mm/Kconfig); everything else is as on a 64-bit machine.
//! Left out: other architectures; 1 MiB and radix 2 MiB huge pages on ppc64, because the published runs used
//! 16 MiB ones.
//! Visible difference: a POWER9 dump's `pagetypeinfo` shows smaller pageblocks.
//! Invariants: `pageblock_order < orders`; a zone type's index is its position in the kernel's enum.

use deserr::Deserr;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::row;

/// A processor architecture whose memory layout the engine knows.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Deserr,
    JsonSchema,
)]
#[deserr(error = crate::read::Refusals)]
pub enum Arch {
    /// 64-bit x86, 4 KiB pages.
    #[serde(rename = "x86_64")]
    #[deserr(rename = "x86_64")]
    X86_64,
    /// 64-bit PowerPC (Book3S), 4 or 64 KiB pages.
    #[serde(rename = "ppc64")]
    #[deserr(rename = "ppc64")]
    Ppc64,
    /// SuperH (SH-X2), 4 KiB pages and huge pages of 256 KiB: only its geometry, because its pageblocks are
    /// short.
    #[serde(rename = "sh4")]
    #[deserr(rename = "sh4")]
    Sh4,
}

impl Arch {
    /// The name that profiles use.
    pub const fn name(self) -> &'static str {
        match self {
            Arch::X86_64 => "x86_64",
            Arch::Ppc64 => "ppc64",
            Arch::Sh4 => "sh4",
        }
    }

    /// The maximum number of nodes: `MAX_NUMNODES` (1 << `CONFIG_NODES_SHIFT`). `find_next_best_node`
    /// multiplies distances by it (mm/page_alloc.c, all eras).
    pub const fn max_numnodes(self) -> u64 {
        match self {
            Arch::X86_64 => 64,
            Arch::Ppc64 => 256,
            Arch::Sh4 => 2,
        }
    }
}

/// Page and block sizes of one machine, which is all that the buddy allocator needs to know about the
/// architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Geometry {
    /// The architecture.
    pub arch: Arch,
    /// `PAGE_SHIFT`: a page has `1 << page_shift` bytes.
    pub page_shift: u8,
    /// `MAX_ORDER` of the old kernels: the number of orders, so the largest block has
    /// `1 << (orders - 1)` pages (linux/mmzone.h, powerpc `FORCE_MAX_ZONEORDER`).
    pub orders: u8,
    /// `pageblock_order`: the order of a huge page (linux/pageblock-flags.h).
    pub pageblock_order: u8,
}

impl Geometry {
    /// The geometry of an architecture with pages of `page_kib` KiB; `None` if no kernel of that architecture
    /// was built with pages of this size.
    pub const fn of(arch: Arch, page_kib: u32) -> Option<Geometry> {
        let (page_shift, orders, pageblock_order) = match (arch, page_kib) {
            (Arch::X86_64, 4) => (12, 11, 9),
            (Arch::Ppc64, 4) => (12, 13, 12),
            (Arch::Ppc64, 64) => (16, 9, 8),
            (Arch::Sh4, 4) => (12, 11, 6),
            _ => return None,
        };
        Some(Geometry {
            arch,
            page_shift,
            orders,
            pageblock_order,
        })
    }

    /// Pages in one pageblock.
    pub const fn pageblock_pages(&self) -> u64 {
        1 << self.pageblock_order
    }

    /// Size of a page in KiB.
    pub const fn page_kib(&self) -> u64 {
        1 << (self.page_shift - 10)
    }
}

/// `enum zone_type` (linux/mmzone.h): all types of all builds of the kernels, in order.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum ZoneType {
    /// Memory that old devices can address: below 16 MiB on x86; all memory on old ppc64.
    #[serde(rename = "DMA")]
    Dma,
    /// Memory that 32-bit devices can address: below 4 GiB.
    #[serde(rename = "DMA32")]
    Dma32,
    /// All other memory.
    Normal,
    /// Exists in 32-bit kernels; it can be described and printed, but not run.
    HighMem,
    /// Begins where the node's description says, as with the boot options `kernelcore=` and `movablecore=`.
    Movable,
    /// Never has pages here; it only makes the protection row longer.
    Device,
}

impl ZoneType {
    /// Every zone type in the kernel's order.
    pub const ALL: [ZoneType; 6] = [
        ZoneType::Dma,
        ZoneType::Dma32,
        ZoneType::Normal,
        ZoneType::HighMem,
        ZoneType::Movable,
        ZoneType::Device,
    ];

    /// `zone_names[]` (mm/page_alloc.c): the name as `/proc/zoneinfo` prints it.
    pub const fn name(self) -> &'static str {
        match self {
            ZoneType::Dma => "DMA",
            ZoneType::Dma32 => "DMA32",
            ZoneType::Normal => "Normal",
            ZoneType::HighMem => "HighMem",
            ZoneType::Movable => "Movable",
            ZoneType::Device => "Device",
        }
    }

    /// Finds a zone type by its name.
    ///
    /// # Errors A message that lists the known names.
    pub fn named(word: impl AsRef<str>) -> Result<ZoneType, String> {
        let word = word.as_ref();
        ZoneType::from_name(word).ok_or_else(|| {
            let known = row(ZoneType::ALL.map(ZoneType::name));
            format!("{word:?} is not a zone type; the zone types are {known}")
        })
    }

    /// The suffix in names like `pgalloc_dma32` (`FOR_ALL_ZONES`, linux/vm_event_item.h).
    pub const fn suffix(self) -> &'static str {
        match self {
            ZoneType::Dma => "dma",
            ZoneType::Dma32 => "dma32",
            ZoneType::Normal => "normal",
            ZoneType::HighMem => "high",
            ZoneType::Movable => "movable",
            ZoneType::Device => "device",
        }
    }

    /// The zone type with this printed name.
    pub fn from_name(name: &str) -> Option<ZoneType> {
        ZoneType::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether an ordinary user or kernel allocation may use it: at most `gfp_zone(GFP_USER)`, which is
    /// Normal (linux/gfp.h). `nr_free_buffer_pages` counts these zones.
    pub const fn is_gfp_user(self) -> bool {
        matches!(self, ZoneType::Dma | ZoneType::Dma32 | ZoneType::Normal)
    }
}

/// A zone type with which the kernel was built, and the end of its zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserr, JsonSchema)]
#[deserr(error = crate::read::Refusals, deny_unknown_fields)]
#[schemars(deny_unknown_fields, rename = "Zone")]
pub struct ZoneBorder {
    /// The zone's type. Each type may be listed once, in the kernel's order: DMA, DMA32, Normal, HighMem,
    /// Movable, Device.
    #[deserr(try_from(String) = ZoneType::named -> String)]
    #[schemars(title = "Zone type")]
    pub kind: ZoneType,
    /// The first page frame above the zone (`arch_zone_highest_possible_pfn`). Movable and Device
    /// have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[deserr(default)]
    #[schemars(
        title = "Ends below",
        extend("x-unit" = "pfn", "x-left-out" = "no border: all remaining memory")
    )]
    pub below_pfn: Option<u64>,
}

impl ZoneBorder {
    const fn new(kind: ZoneType, below_pfn: Option<u64>) -> ZoneBorder {
        ZoneBorder { kind, below_pfn }
    }

    /// Whether the pfns of a range alone decide that it belongs to this zone.
    pub const fn is_placed_by_pfn(&self) -> bool {
        !matches!(self.kind, ZoneType::Movable | ZoneType::Device)
    }
}

/// 16 MiB in 4 KiB pages: the end of x86's DMA zone (`MAX_DMA_PFN`, asm/dma.h).
pub const X86_DMA_END_PFN: u64 = 4096;
/// 4 GiB in 4 KiB pages: the end of x86's DMA32 zone (`MAX_DMA32_PFN`, asm/dma.h).
pub const X86_DMA32_END_PFN: u64 = 1 << 20;

/// The zone types with which a kernel of some era was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum ZoneSet {
    /// To 3.16: x86_64 has DMA, DMA32, Normal and Movable; ppc64 has DMA, Normal and Movable, with all memory
    /// in DMA (arch/powerpc/mm/mem.c `paging_init`, `ZONE_DMA` default y).
    AllDmaOnPpc,
    /// 5.10 to 6.1: x86_64 adds Device; ppc64 has Normal and Movable only.
    DeviceOnX86,
    /// 6.12: ppc64 also has Device (printed by a 6.12 powerpc64le guest).
    DeviceEverywhere,
}

impl ZoneSet {
    /// The zone types of this set and their borders on an architecture, in the kernel's order.
    pub fn borders(self, arch: Arch) -> Vec<ZoneBorder> {
        let mut borders = match (arch, self) {
            (Arch::X86_64, _) => vec![
                ZoneBorder::new(ZoneType::Dma, Some(X86_DMA_END_PFN)),
                ZoneBorder::new(ZoneType::Dma32, Some(X86_DMA32_END_PFN)),
                ZoneBorder::new(ZoneType::Normal, None),
            ],
            (Arch::Ppc64, ZoneSet::AllDmaOnPpc) => vec![
                ZoneBorder::new(ZoneType::Dma, None),
                ZoneBorder::new(ZoneType::Normal, None),
            ],
            (Arch::Ppc64 | Arch::Sh4, _) => vec![ZoneBorder::new(ZoneType::Normal, None)],
        };
        borders.push(ZoneBorder::new(ZoneType::Movable, None));
        let device = match self {
            ZoneSet::AllDmaOnPpc => false,
            ZoneSet::DeviceOnX86 => arch == Arch::X86_64,
            ZoneSet::DeviceEverywhere => true,
        };
        if device {
            borders.push(ZoneBorder::new(ZoneType::Device, None));
        }
        borders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pageblock_is_a_huge_page() {
        let kib = |arch, page_kib| {
            let geometry = Geometry::of(arch, page_kib).expect("a known geometry");
            geometry.pageblock_pages() * geometry.page_kib()
        };
        assert_eq!(kib(Arch::X86_64, 4), 2048);
        assert_eq!(kib(Arch::Ppc64, 4), 16384);
        assert_eq!(kib(Arch::Ppc64, 64), 16384);
        assert_eq!(kib(Arch::Sh4, 4), 256);
        assert_eq!(Geometry::of(Arch::X86_64, 64), None);
    }
}
