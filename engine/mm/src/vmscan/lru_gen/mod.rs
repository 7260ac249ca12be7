//! Reclaim by generations (mm/vmscan.c, "Multi-Gen LRU Framework"; from 6.1).
//!
//! Modelled: aging by walks over page tables and by look-around, eviction, the refault controller, the
//! paths of 6.1 and of 6.12 up to 6.12.103.
//! Left out: large pages, several walkers of one round that wait for each other, contention for mmap_lock.
//! Visible difference: in 6.1 a reclaimer at a low priority waits for another walker; here it goes on.
//! Invariants: no page of the two youngest generations is isolated; one call isolates at most 64 pages
//! and checks at most 4096.

mod age_node;
mod aging;
mod choice;
mod evict;
mod look_around;
pub mod memcg_lru;
mod scan;
mod shrink;
mod shrink_node;
#[cfg(test)]
mod tests;
mod walk;

pub use age_node::{AgePt, LruGenAgeNode, MinTtlKills, NodeAgingSkipped};
pub use aging::{
    AgeCold, AgeNotDue, AgeOld, AgeRich, AgeYoung, Due, GenerationOpened, InPt, TryToIncMaxSeq,
    WalkStale, due, inc_max_seq,
};
pub use choice::{
    Control, TypeAnon, TypeBound, TypeFile, TypeLags, TypeNoIo, TypeNoSwap, get_tier_idx,
    get_type_to_scan, is_fine,
};
pub use evict::{EvPt, EvictFolios};
pub use look_around::{LookedAround, referenced};
pub use scan::{
    GenScanned, ScPt, ScanFolios, SortPromoted, SortProtected, SortUnevictable, SortWait, SortZone,
};
pub use shrink::{AbortGoal, AbortMarks, GenTarget, TryToShrinkLruvec, TsPt};
pub use shrink_node::{
    GenNodePass, GenNodeSkipped, GroupLater, GroupLowVisited, GroupRotated, LruGenShrinkNode, NgPt,
    StartPriority, start_priority,
};
pub use walk::{WalkDone, WalkMm, WkPt, window};

use crate::frames::Context;
use crate::kernel::LruGenRule;
use crate::mmzone::{LruGen, gen_of_seq};
use crate::vmscan::{ANON, FILE};
use crate::world::World;
use facts::index::LruvecIndex;
use facts::state::State;

/// Number of pages after which the scan of a zone ends (`MIN_LRU_BATCH`).
pub const MIN_LRU_BATCH: u32 = 64;
/// Maximum number of pages that one scan checks (`MAX_LRU_BATCH`).
pub const MAX_LRU_BATCH: u32 = 4096;

/// The state that a reclaimer stores for reclaim by generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct GenControl {
    /// True if the reclaimer has a buffer for walks (`lru_gen_mm_walk`): promoted pages are then
    /// counted by no counter.
    pub has_walker: bool,
    /// 6.1: true if the next pass of kswapd ages first (`memcgs_need_aging`).
    pub needs_aging: bool,
    /// 6.1: number of pages reclaimed when kswapd last aged (`last_reclaimed`).
    pub last_reclaimed: u32,
    /// True if anonymous pages were evicted in this call.
    pub swapped: bool,
    /// 6.12: true if direct reclaim freed nothing and starts over once (`memcg_full_walk`).
    pub full_walk: bool,
    /// 6.12: this round of cgroups does not return to the cgroup whose lists were shrunk last, because it
    /// aged or memory.min protects it.
    pub rotates: bool,
    /// The walk in progress.
    pub walk: Walk,
}

/// A walk over the page tables of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Walk {
    /// The youngest generation, to which used pages move.
    pub seq: u64,
    /// True if anonymous pages count.
    pub can_swap: bool,
    /// True if all tables are read (`force_scan`).
    pub force: bool,
    /// Number of entries read.
    pub scanned: u32,
    /// Number of entries whose accessed bit was set.
    pub young: u32,
    /// Number of pages moved from an older generation.
    pub promoted: u32,
}

/// The generations of a set of lists.
pub fn gens(w: &World, owner: LruvecIndex) -> &LruGen {
    static BOOTED: LruGen = LruGen::new();
    w.mem.lruvecs[owner].lru_gen.as_ref().unwrap_or(&BOOTED)
}

/// The same for writing.
pub(crate) fn gens_mut(w: &mut World, owner: LruvecIndex) -> &mut LruGen {
    let gens = &mut w.mem.lruvecs[owner].lru_gen;
    gens.get_or_insert_with(LruGen::new)
}

/// Does the kernel age before a pass, as 6.1 does?
pub(crate) fn ages_before(w: &World) -> bool {
    w.facts.features.lru_gen == LruGenRule::AgesBefore
}

/// Swappiness of a reclaimer (`get_swappiness`): 0 if the cgroup may use fewer than 64 more swap slots.
pub(crate) fn swappiness(w: &World, cx: &Context, owner: LruvecIndex) -> u8 {
    let group = w.mem.group_of_lists(owner);
    let tunable = match crate::memcg::swap_left(w, group) >= MIN_LRU_BATCH {
        true => w.tunables.swappiness.min(200) as u8,
        false => 0,
    };
    match (cx.sc.may_swap, ages_before(w)) {
        (true, _) => tunable,
        (false, true) if cx.sc.target.is_root() => tunable.min(1),
        (false, _) => 0,
    }
}

/// Pages of the generations that count.
pub(crate) fn pages_that_count(w: &World, owner: LruvecIndex, can_swap: bool) -> u32 {
    let g = gens(w, owner);
    let of_type = |file| (g.min_seq[file]..=g.max_seq).map(move |seq| (seq, file));
    let all = types(can_swap).flat_map(of_type);
    all.map(|(seq, file)| pages_of_seq(w, owner, seq, file))
        .sum()
}

/// The types that count for aging: both, or only files without swap.
pub(crate) fn types(can_swap: bool) -> std::ops::RangeInclusive<usize> {
    if can_swap { ANON..=FILE } else { FILE..=FILE }
}

/// Number of pages in a generation of one type, by the generation's number.
pub(crate) fn pages_of_seq(w: &World, owner: LruvecIndex, seq: u64, file: usize) -> u32 {
    w.mem.gen_pages(owner, gen_of_seq(seq), file)
}
