//! Page reclaim (mm/vmscan.c).
//!
//! Modelled: kswapd, direct reclaim, the list shrinkers with every page outcome, scan targets,
//! slab shrinking, throttling; reclaim by generations ([`lru_gen`]). One source covers per-zone lists (3.0, 3.16) and per-node lists (6.1).
//! Left out: memory cgroups, huge pages on the lists, demotion.
//! Invariants: a page that a task takes off a list goes into that task's batch; it leaves the batch
//! freed or put back.

use facts::index::{FrameIndex, GroupIndex, LruvecIndex, ZoneIndex};
use facts::state::State;

pub mod active;
pub mod balance_node;
pub mod balance_scans;
pub mod balance_zones;
pub mod direct;
pub mod inactive;
pub mod isolate;
pub mod kswapd;
pub mod lru_gen;
pub mod lruvec;
pub mod mode;
pub mod node;
pub mod page_list;
pub mod scan_count;
pub mod slab;
pub mod throttle;
pub mod totals;
pub mod zone_reclaim;

use crate::gfp::Gfp;
use crate::kernel::LruOwner;
use crate::mmzone::{
    LRU_ACTIVE_ANON, LRU_ACTIVE_FILE, LRU_INACTIVE_ANON, LRU_INACTIVE_FILE, Lruvec, Zone,
};
use crate::record::{decisions, events};
use crate::vmscan::mode::ReclaimMode;
use crate::watermark_ok::Compared;
use crate::world::World;

events! {
    /// Reclaim isolated pages from the tail of an LRU list to check them.
    MmVmscanLruIsolate "mm_vmscan_lru_isolate" from "include/trace/events/vmscan.h" { order: Order, nr_requested: Count, nr_scanned: Count, nr_skipped: Count, nr_taken: Count, lru: Lru, both: Flag, contig_taken: Count, contig_dirty: Count, contig_failed: Count };
}

decisions! {
    AnonLow { lists: Lists }
        "The inactive anonymous list is short compared with the active one: age 32 pages.";
    PassDone { scanned: Count, goal: Count, freed: Count, priority: Count }
        "At priority {priority}, reclaim scanned {scanned page} (goal {goal}) and freed {freed}.";
    Priority { priority: Count, reclaimed: Count }
        "At priority {priority}, reclaim has freed {reclaimed page} so far.";
    ZoneUnreclaimable { zone: Zone }
        "Since a page of {zone} was last freed, reclaim has scanned at least six times the pages it can reclaim there: it gives up on the zone for now.";
    NodeStall { stalled: Count, node: Node }
        "Reclaim met {stalled page} of {node} for the second time, still under writeback: kswapd waits for writes to end.";
    ZoneInNeed { zone: Zone, free: Count, counted: Count, needs: Count }
        "{zone} has {free free page}; the watermark check counts {counted}, which is not above high ({needs}).";
    ZoneInNeedOrder { zone: Zone, free: Count, counted: Count, needs: Count }
        "{zone} has {free free page}; the watermark check counts {counted}, which is above {needs}, but the blocks are too small.";
    ZoneFine { zone: Zone, free: Count, counted: Count, needs: Count }
        "{zone} has {free free page}; the watermark check counts {counted}, which is above high ({needs}).";
}

/// The first, most careful priority (linux/mmzone.h).
pub const DEF_PRIORITY: u8 = 12;
/// Number of pages in a batch, and the goal of direct reclaim (linux/swap.h).
pub const SWAP_CLUSTER_MAX: u32 = 32;
/// kswapd gives up after this many runs that freed no page (mm/internal.h).
pub const MAX_RECLAIM_RETRIES: u32 = 16;

/// Index of anonymous pages.
pub const ANON: usize = 0;
/// Index of file pages.
pub const FILE: usize = 1;

/// Records that a zone, without any reserve, is not above its high watermark, or only with blocks
/// too small for the order.
#[inline(always)]
fn zone_in_need(w: &mut World, compared: &Compared) {
    let &Compared {
        zone,
        free,
        counted,
        needs,
        ..
    } = compared;
    if counted > needs {
        w.record(ZoneInNeedOrder {
            zone,
            free,
            counted,
            needs,
        });
    } else {
        w.record(ZoneInNeed {
            zone,
            free,
            counted,
            needs,
        });
    }
}

/// Records that a zone, without any reserve, is above its high watermark.
#[inline(always)]
fn zone_fine(w: &mut World, compared: &Compared) {
    w.record(ZoneFine {
        zone: compared.zone,
        free: compared.free,
        counted: compared.counted,
        needs: compared.needs,
    });
}

/// Counts of the page ladder for one batch (`struct reclaim_stat`) or a whole pass (`sc->nr`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Tally {
    /// Pages that are dirty or under writeback.
    pub dirty: u32,
    /// Pages that are dirty and not under writeback.
    pub unqueued_dirty: u32,
    /// Pages under writeback at the second visit, or on a device with a congested queue.
    pub congested: u32,
    /// Pages under writeback.
    pub writeback: u32,
    /// Pages still under writeback while the whole tail of the node is.
    pub immediate: u32,
    /// Number of file pages taken.
    pub file_taken: u32,
    /// Number of pages taken.
    pub taken: u32,
    /// Pages activated, anonymous and file.
    pub activate: [u32; 2],
    /// Pages kept because they were used.
    pub ref_keep: u32,
    /// Pages that reclaim started to write.
    pub pageout: u32,
}

/// The state of one reclaimer (`struct scan_control`) and its batch. Reclaim never nests, so a task
/// has one.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct ScanControl {
    /// gfp flags of the request that reclaims.
    pub gfp: Gfp,
    /// Order of that request.
    pub order: u8,
    /// From 12 down to 0: a pass scans `size >> priority` pages of a list.
    pub priority: u8,
    /// Highest zone type whose pages help.
    pub reclaim_idx: u8,
    /// True if the reclaimer is kswapd.
    pub kswapd: bool,
    /// True if the reclaimer is `zone_reclaim`, which runs before direct reclaim.
    pub zone_reclaim: bool,
    /// True if dirty pages may be written.
    pub may_writepage: bool,
    /// True if mapped pages may be unmapped.
    pub may_unmap: bool,
    /// True if anonymous pages may be swapped out.
    pub may_swap: bool,
    /// Goal in pages.
    pub nr_to_reclaim: u32,
    /// Number of pages scanned at this priority.
    pub nr_scanned: u32,
    /// Number of pages reclaimed so far.
    pub nr_reclaimed: u32,
    /// Number of objects of slab caches freed by the last `shrink_slab`.
    pub nr_slab: u32,
    /// When a request began to reclaim, ns.
    pub began_ns: u64,
    /// Number of pages scanned at all priorities.
    pub total_scanned: u32,
    /// True if the active list may be shrunk, for anonymous and file pages (per-node era).
    pub may_deactivate: [bool; 2],
    /// True during the one forced restart: active lists are shrunk whatever their size.
    pub force_deactivate: bool,
    /// True if an active list was skipped.
    pub skipped_deactivate: bool,
    /// True if direct reclaim skipped a zone that it leaves to compaction.
    pub compaction_ready: bool,
    /// True if there are enough cold file pages, so that anonymous memory is spared.
    pub cache_trim_mode: bool,
    /// True if there are hardly any file pages, so that they are spared.
    pub file_is_tiny: bool,
    /// Sums over the pass of a node (`sc->nr`).
    pub tally: Tally,
    /// Number of pages still to scan, by list.
    pub nr: [u32; 4],
    /// Number of pages to scan as first computed, by list.
    pub targets: [u32; 4],
    /// Isolated pages, in the order in which they were taken.
    pub batch: Vec<FrameIndex>,
    /// Pages of the batch that will be put back.
    pub kept: Vec<FrameIndex>,
    /// Pages of the batch that will be freed.
    pub free: Vec<FrameIndex>,
    /// During a second pass: pages of the batch that the first pass did not free. With generations: pages
    /// to retry.
    pub survivors: Vec<FrameIndex>,
    /// Pages of the batch whose type (anonymous or file) is not that of the scanned list.
    pub of_other_type: u32,
    /// How batches are handled for this order.
    pub mode: ReclaimMode,
    /// Counts of the page ladder for this batch.
    pub stat: Tally,
    /// State of reclaim by generations.
    pub gens: lru_gen::GenControl,
    /// The memory cgroup that reached its limit; the root for all memory (`target_mem_cgroup`).
    pub target: GroupIndex,
    /// True if cgroups below memory.low are also reclaimed (`memcg_low_reclaim`).
    pub low_reclaim: bool,
    /// True if a cgroup below memory.low was skipped or spared (`memcg_low_skipped`).
    pub low_skipped: bool,
    /// True if the walk visits all cgroups (`memcg_full_walk`).
    pub full_walk: bool,
}

impl ScanControl {
    /// Resets everything for a new reclaim, which starts with an empty batch.
    pub fn begin(&mut self, gfp: Gfp, order: u8, reclaim_idx: u8, kswapd: bool) {
        let (batch, kept, free, survivors) = (
            std::mem::take(&mut self.batch),
            std::mem::take(&mut self.kept),
            std::mem::take(&mut self.free),
            std::mem::take(&mut self.survivors),
        );
        *self = Self {
            gfp,
            order,
            reclaim_idx,
            kswapd,
            priority: DEF_PRIORITY,
            may_writepage: true,
            may_unmap: true,
            may_swap: true,
            nr_to_reclaim: SWAP_CLUSTER_MAX,
            batch,
            kept,
            free,
            survivors,
            ..Self::default()
        };
    }

    /// May the reclaimer call into a file system for this page (`may_enter_fs`)?
    pub fn may_enter_fs(&self, swapcache: bool) -> bool {
        self.gfp.has(Gfp::FS) || (swapcache && self.gfp.has(Gfp::IO))
    }
}

/// Number of pages on both lists of a type.
pub fn type_pages(l: &Lruvec, file: usize) -> u32 {
    l.nr[2 * file] + l.nr[2 * file + 1]
}

/// Number of pages of a zone that reclaim could scan (`zone_reclaimable_pages`): file pages, and
/// anonymous pages if swap has free slots.
pub fn zone_reclaimable_pages(w: &World, z: &Zone) -> u32 {
    let file = z.lru[LRU_INACTIVE_FILE as usize] + z.lru[LRU_ACTIVE_FILE as usize];
    let anon = z.lru[LRU_INACTIVE_ANON as usize] + z.lru[LRU_ACTIVE_ANON as usize];
    if w.swap.free_slots() > 0 {
        file + anon + crate::huge_memory::inactive_pages(w, z)
    } else {
        file
    }
}

/// Per-zone era: has the zone been scanned less than six times over since its last page was freed
/// (`zone_reclaimable`)?
pub fn zone_reclaimable(w: &World, zone: ZoneIndex) -> bool {
    let z = &w.mem.zones[zone];
    let scanned = w.mem.lruvecs[z.lruvec].pages_scanned;
    scanned < 6 * zone_reclaimable_pages(w, z)
}

/// Per-zone era: has reclaim given up on the zone? kswapd sets a flag, or the kernel computes it from
/// the pages scanned without success.
pub fn is_given_up(w: &World, zone: ZoneIndex) -> bool {
    if w.facts.features.unreclaimable_computed {
        return !zone_reclaimable(w, zone);
    }
    let owner = w.mem.zones[zone].lruvec;
    w.mem.lruvecs[owner].all_unreclaimable
}

/// Is the inactive list of a type short compared with the active one (`inactive_is_low`,
/// `inactive_anon_is_low`, `inactive_file_is_low`)?
pub fn inactive_is_low(w: &World, owner: LruvecIndex, file: usize) -> bool {
    let l = &w.mem.lruvecs[owner];
    lists_are_low(w, l, file)
}

/// The same for lists that were summed over several owners.
pub fn lists_are_low(w: &World, l: &Lruvec, file: usize) -> bool {
    let (inactive, active) = (l.nr[2 * file], l.nr[2 * file + 1]);
    match w.facts.features.lru_owner {
        LruOwner::Zone if file == FILE => active > inactive,
        LruOwner::Zone => {
            let managed = w.mem.zones[l.zone].managed;
            w.swap.exists() && u64::from(inactive) * zone_ratio(w, managed) < u64::from(active)
        }
        LruOwner::Node => {
            u64::from(inactive) * lists_ratio(w, inactive + active) < u64::from(active)
        }
    }
}

/// Number of pages in a GiB.
fn gib(w: &World) -> u64 {
    (1 << 20) / w.facts.layout.geometry.page_kib()
}

/// Per-zone era: `inactive_ratio` of a zone, which is `isqrt(10 * GiB)`, or 1 below a GiB.
pub fn zone_ratio(w: &World, pages: u32) -> u64 {
    ratio(u64::from(pages) / gib(w))
}

/// Per-node era: the ratio, from the sizes of the two lists.
fn lists_ratio(w: &World, pages: u32) -> u64 {
    ratio(u64::from(pages) / gib(w))
}

/// The target ratio of active to inactive pages for a size in GiB.
pub fn ratio(gib: u64) -> u64 {
    if gib == 0 {
        1
    } else {
        crate::watermark::int_sqrt(10 * gib)
    }
}

/// Names of the LRU lists by index, as the tracepoints print them.
pub const LRU_NAMES: [&str; 5] = [
    "inactive_anon",
    "active_anon",
    "inactive_file",
    "active_file",
    "unevictable",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_the_inactive_ratio_as_the_square_root_of_ten_times_the_gib() {
        let found = [0, 1, 2, 3, 10, 100, 1024].map(ratio);
        assert_eq!(found, [1, 3, 4, 5, 10, 31, 101]);
    }
}
