//! Printing and reading `/proc/zoneinfo`, `buddyinfo`, `pagetypeinfo`, `vmstat`, and `extfrag` and `lru_gen`
//! of debugfs.
//!
//! Modelled: every row of the modelled kernels, byte for byte, from plain views that any machine can fill;
//! importing a pasted zoneinfo of any kernel as a machine.
//! Left out: the mixed-block table of pagetypeinfo, which kernels print only with page owner tracking.
//! Visible difference: none; a value that a view lacks is printed as 0.
//! Invariants: printing uses only the view and the kernel's features; a real file that is parsed and printed
//! again does not change.

pub mod buddyinfo;
pub mod counters;
pub mod extfrag;
pub mod import;
pub mod lru_gen;
pub mod pagetypeinfo;
pub mod parse;
pub mod pasted;
pub mod rest;
pub mod vmstat;
pub mod zoneinfo;

use crate::arch::{Geometry, ZoneType};
use crate::vmstat::Counters;

pub use buddyinfo::buddyinfo;
pub use counters::counters;
pub use extfrag::{extfrag_index, unusable_index};
pub use lru_gen::{LruGenFiles, LruGenForm, LruGenNode, lru_gen, lru_gen_full};
pub use pagetypeinfo::pagetypeinfo;
pub use rest::view_at_rest;
pub use vmstat::vmstat;
pub use zoneinfo::zoneinfo;

/// Everything that the files contain about a machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcView {
    /// Page and block sizes.
    pub geometry: Geometry,
    /// Zone types with which the kernel was built, in order.
    pub zone_types: Vec<ZoneType>,
    /// Nodes, ascending by id.
    pub nodes: Vec<ProcNode>,
    /// Events, limits and other values that only vmstat prints, by name.
    pub events: Counters,
    /// The multi-generational LRU.
    pub lru_gen: LruGenFiles,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ProcNode {
    /// Node id.
    pub id: u16,
    /// Node counters by name, pages; kernels to 4.7 have none.
    pub counters: Counters,
    /// One zone for each of [`ProcView::zone_types`], also empty ones.
    pub zones: Vec<ProcZone>,
}

/// One zone. Page counts in pages of the machine's size.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcZone {
    /// Zone type.
    pub kind: ZoneType,
    /// Free pages: the `pages free` row, and the counter `nr_free_pages` unless `counters` has it.
    pub free: u64,
    /// Watermark boost. It is printed as part of min, low, high and promo.
    pub boost: u64,
    /// The min watermark without the boost.
    pub min: u64,
    /// The low watermark without the boost.
    pub low: u64,
    /// The high watermark without the boost.
    pub high: u64,
    /// The promo watermark without the boost.
    pub promo: u64,
    /// `pages_scanned`, counted since a page of the zone was last freed; kernels to 3.16.
    pub scanned: u64,
    /// `spanned_pages`.
    pub spanned: u64,
    /// `present_pages`.
    pub present: u64,
    /// `managed_pages`.
    pub managed: u64,
    /// `cma_pages`.
    pub cma: u64,
    /// `lowmem_reserve`, one for each zone type.
    pub protection: Vec<u64>,
    /// Zone and NUMA counters by name.
    pub counters: Counters,
    /// Per-cpu lists, one for each online CPU.
    pub pagesets: Vec<Pageset>,
    /// `all_unreclaimable` of the zone or `node_unreclaimable` of its node.
    pub unreclaimable: bool,
    /// `zone_start_pfn`.
    pub start_pfn: u64,
    /// `inactive_ratio`; kernels to 3.16.
    pub inactive_ratio: u64,
    /// Free blocks by order and migrate type; `[order][migratetype]`.
    pub free_area: Vec<Vec<u64>>,
    /// Pageblocks by migrate type.
    pub blocks: Vec<u64>,
}

impl ProcZone {
    /// A zone with no pages at all.
    pub fn empty(kind: ZoneType) -> ProcZone {
        ProcZone {
            kind,
            free: 0,
            boost: 0,
            min: 0,
            low: 0,
            high: 0,
            promo: 0,
            scanned: 0,
            spanned: 0,
            present: 0,
            managed: 0,
            cma: 0,
            protection: Vec::new(),
            counters: Counters::new(),
            pagesets: Vec::new(),
            unreclaimable: false,
            start_pfn: 0,
            inactive_ratio: 0,
            free_area: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// `populated_zone()`.
    pub const fn is_populated(&self) -> bool {
        self.present > 0
    }

    /// Free blocks of an order, all migrate types.
    fn nr_free(&self, order: u8) -> u64 {
        self.free_area
            .get(usize::from(order))
            .map_or(0, |types| types.iter().sum())
    }
}

/// The per-cpu list of one CPU and zone (`struct per_cpu_pages`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pageset {
    /// CPU number.
    pub cpu: u16,
    /// Pages on the list.
    pub count: u64,
    /// The maximum number of pages on the list.
    pub high: u64,
    /// Pages moved to or from the list together.
    pub batch: u64,
    /// `vm stats threshold`: the largest amount of a counter that the CPU holds back.
    pub stat_threshold: u64,
}

/// A counter's value; 0 if the view does not have it.
fn value(counters: &Counters, name: &str) -> u64 {
    counters.get(name).copied().unwrap_or(0)
}
