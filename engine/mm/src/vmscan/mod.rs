//! Page reclaim (mm/vmscan.c).
//!
//! Modelled: kswapd, direct reclaim, the list shrinkers with every page outcome, scan targets,
//! slab shrinking, throttling; per-zone lists (3.0, 3.16) and per-node lists (6.1) from one source.
//! Left out: memory cgroups, multi-generational LRU, huge pages on the lists, demotion.
//! Invariants: a page is taken off a list only into the batch of the task that took it, and
//! leaves the batch freed or put back.

use facts::state::State;

pub mod active;
pub mod balance_node;
pub mod balance_scans;
pub mod balance_zones;
pub mod direct;
pub mod inactive;
pub mod isolate;
pub mod kswapd;
pub mod lruvec;
pub mod mode;
pub mod node;
pub mod page_list;
pub mod scan_count;
pub mod slab;
pub mod throttle;
pub mod told;
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
    /// Pages were taken off the tail of an LRU list to be looked at.
    MmVmscanLruIsolate "mm_vmscan_lru_isolate" from "include/trace/events/vmscan.h" { order: Order, nr_requested: Count, nr_scanned: Count, nr_skipped: Count, nr_taken: Count, lru: Lru, both: Flag, contig_taken: Count, contig_dirty: Count, contig_failed: Count };
}

decisions! {
    AnonLow { lists: Lists }
        "The inactive anonymous list is short against the active one: age 32 pages.";
    PassDone { scanned: Count, goal: Count, freed: Count, priority: Count }
        "{scanned page} scanned of {goal} aimed at, {freed} reclaimed at priority {priority}.";
    Priority { priority: Count, reclaimed: Count }
        "Priority {priority}: {reclaimed page} reclaimed so far.";
    ZoneUnreclaimable { zone: Zone }
        "{zone} was scanned six times over without success: given up for now.";
    NodeStall { stalled: Count, node: Node }
        "{stalled page} met under writeback for the second time on {node}: kswapd waits for writes to end.";
    ZoneInNeed { zone: Zone, free: Count, counted: Count, needs: Count }
        "{zone} has {free free page}, of which the test counts {counted}: not above its high mark {needs}.";
    ZoneInNeedOrder { zone: Zone, free: Count, counted: Count, needs: Count }
        "{zone} has {free free page}, of which the test counts {counted}: above {needs}, but in blocks too small.";
    ZoneFine { zone: Zone, free: Count, counted: Count, needs: Count }
        "{zone} has {free free page}, of which the test counts {counted}: above its high mark {needs}.";
}

/// The first, most careful priority (linux/mmzone.h).
pub const DEF_PRIORITY: u8 = 12;
/// Pages of a batch, and the goal of direct reclaim (linux/swap.h).
pub const SWAP_CLUSTER_MAX: u32 = 32;
/// Runs of kswapd without a page freed after which it gives up (mm/internal.h).
pub const MAX_RECLAIM_RETRIES: u32 = 16;

/// Anonymous pages, as an index.
pub const ANON: usize = 0;
/// File pages, as an index.
pub const FILE: usize = 1;

/// A zone is not above its high mark, with nothing kept back; or it is, in blocks too small for the
/// order.
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

/// A zone is above its high mark, with nothing kept back.
#[inline(always)]
fn zone_fine(w: &mut World, compared: &Compared) {
    w.record(ZoneFine {
        zone: compared.zone,
        free: compared.free,
        counted: compared.counted,
        needs: compared.needs,
    });
}

/// What the page ladder saw in one batch (`struct reclaim_stat`), or a whole pass (`sc->nr`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Tally {
    /// Dirty or under writeback.
    pub dirty: u32,
    /// Dirty and not under writeback.
    pub unqueued_dirty: u32,
    /// Under writeback for the second time, or its queue is congested.
    pub congested: u32,
    /// Under writeback.
    pub writeback: u32,
    /// Under writeback again while the node's tail is full of such.
    pub immediate: u32,
    /// Taken, files' pages of them.
    pub file_taken: u32,
    /// Taken.
    pub taken: u32,
    /// Activated, anonymous and file.
    pub activate: [u32; 2],
    /// Kept because they were used.
    pub ref_keep: u32,
    /// Writing was started.
    pub pageout: u32,
}

/// What one reclaimer wants and has (`struct scan_control`), with the batch in its hands. Reclaim
/// never nests, so a task has one.
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct ScanControl {
    /// gfp flags of the request that reclaims.
    pub gfp: Gfp,
    /// Its order.
    pub order: u8,
    /// 12 down to 0: a list's `size >> priority` pages are scanned.
    pub priority: u8,
    /// Highest zone type whose pages help.
    pub reclaim_idx: u8,
    /// kswapd reclaims, not a request.
    pub kswapd: bool,
    /// `zone_reclaim` reclaims, before a request came to direct reclaim.
    pub zone_reclaim: bool,
    /// Dirty pages may be written.
    pub may_writepage: bool,
    /// Mapped pages may be unmapped.
    pub may_unmap: bool,
    /// Anonymous pages may be swapped out.
    pub may_swap: bool,
    /// Goal, pages.
    pub nr_to_reclaim: u32,
    /// Scanned at this priority.
    pub nr_scanned: u32,
    /// Reclaimed so far.
    pub nr_reclaimed: u32,
    /// Objects of slab caches freed by the last `shrink_slab`.
    pub nr_slab: u32,
    /// When it began, ns, where a request reclaims.
    pub began_ns: u64,
    /// Scanned at all priorities.
    pub total_scanned: u32,
    /// The active list may be shrunk, anonymous and file (per-node era).
    pub may_deactivate: [bool; 2],
    /// Shrink active lists whatever their size: the one forced restart.
    pub force_deactivate: bool,
    /// An active list was left alone.
    pub skipped_deactivate: bool,
    /// Enough cold file pages: leave anonymous memory alone.
    pub cache_trim_mode: bool,
    /// Hardly any file pages: leave them alone.
    pub file_is_tiny: bool,
    /// Sums over the pass of a node (`sc->nr`).
    pub tally: Tally,
    /// Pages still to scan, by list.
    pub nr: [u32; 4],
    /// Pages to scan as first computed, by list.
    pub targets: [u32; 4],
    /// Pages isolated, first taken first.
    pub batch: Vec<u32>,
    /// Pages of the batch that will be put back.
    pub kept: Vec<u32>,
    /// Pages of the batch that will be freed.
    pub free: Vec<u32>,
    /// Pages of the batch that the first pass over it did not free, while a second is made.
    pub survivors: Vec<u32>,
    /// Pages of the batch of the other type, anonymous or file, than the list it was taken for.
    pub of_other_type: u32,
    /// How batches for its order are worked.
    pub mode: ReclaimMode,
    /// What the ladder saw in this batch.
    pub stat: Tally,
}

impl ScanControl {
    /// Starts over for a new reclaim; the batch is empty then.
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

/// Pages on both lists of a type.
pub fn type_pages(l: &Lruvec, file: usize) -> u32 {
    l.nr[2 * file] + l.nr[2 * file + 1]
}

/// Pages of a zone that reclaim could look at (`zone_reclaimable_pages`): file pages, and
/// anonymous ones where there is swap.
pub fn zone_reclaimable_pages(w: &World, z: &Zone) -> u32 {
    let file = z.lru[LRU_INACTIVE_FILE as usize] + z.lru[LRU_ACTIVE_FILE as usize];
    let anon = z.lru[LRU_INACTIVE_ANON as usize] + z.lru[LRU_ACTIVE_ANON as usize];
    if w.swap.free_slots() > 0 {
        file + anon + crate::huge_memory::inactive_pages(w, z)
    } else {
        file
    }
}

/// Has a zone of the per-zone era been scanned less than six times over since a page of it was
/// last freed (`zone_reclaimable`)?
pub fn zone_reclaimable(w: &World, zone: u8) -> bool {
    let z = &w.mem.zones[zone as usize];
    let scanned = w.mem.lruvecs[z.lruvec as usize].pages_scanned;
    scanned < 6 * zone_reclaimable_pages(w, z)
}

/// Has reclaim given up on a zone of the per-zone era: a flag kswapd sets, or, where it is computed,
/// what was scanned in vain?
pub fn is_given_up(w: &World, zone: u8) -> bool {
    if w.facts.features.unreclaimable_computed {
        return !zone_reclaimable(w, zone);
    }
    let owner = w.mem.zones[zone as usize].lruvec;
    w.mem.lruvecs[owner as usize].all_unreclaimable
}

/// Is the inactive list of a type short against the active one (`inactive_is_low`,
/// `inactive_anon_is_low`, `inactive_file_is_low`)?
pub fn inactive_is_low(w: &World, owner: u8, file: usize) -> bool {
    let l = &w.mem.lruvecs[owner as usize];
    let (inactive, active) = (l.nr[2 * file], l.nr[2 * file + 1]);
    match w.facts.features.lru_owner {
        LruOwner::Zone if file == FILE => active > inactive,
        LruOwner::Zone => {
            let managed = w.mem.zones[l.zone as usize].managed;
            w.swap.exists() && u64::from(inactive) * zone_ratio(w, managed) < u64::from(active)
        }
        LruOwner::Node => {
            u64::from(inactive) * lists_ratio(w, inactive + active) < u64::from(active)
        }
    }
}

/// Pages of a GiB.
fn gib(w: &World) -> u64 {
    (1 << 20) / w.facts.layout.geometry.page_kib()
}

/// `inactive_ratio` of a zone of the per-zone era: `isqrt(10 * GiB)`, 1 below a GiB.
pub fn zone_ratio(w: &World, pages: u32) -> u64 {
    ratio(u64::from(pages) / gib(w))
}

/// The ratio of the per-node era, from the sizes of the two lists.
fn lists_ratio(w: &World, pages: u32) -> u64 {
    ratio(u64::from(pages) / gib(w))
}

/// Ratio of active to inactive pages aimed at, for so many GiB.
pub fn ratio(gib: u64) -> u64 {
    if gib == 0 {
        1
    } else {
        crate::watermark::int_sqrt(10 * gib)
    }
}

/// The LRU list of an index as the tracepoints name it.
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
    fn the_ratio_grows_with_the_square_root_of_memory() {
        let found = [0, 1, 2, 3, 10, 100, 1024].map(ratio);
        assert_eq!(found, [1, 3, 4, 5, 10, 31, 101]);
    }
}
