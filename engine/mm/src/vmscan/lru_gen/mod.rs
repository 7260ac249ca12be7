//! Reclaim by generations (mm/vmscan.c, "Multi-Gen LRU Framework"; from 6.1).
//!
//! Modelled: aging by walks over page tables and by look-around, eviction, the refault controller,
//! the paths of 6.1 and of 6.12 up to 6.12.103.
//! Left out: memory cgroups and their bins, large pages, several walkers of one round that wait for
//! each other, contention for mmap_lock.
//! Visible difference: in 6.1 a reclaimer at a low priority waits for another walker; here it
//! continues.
//! Invariants: no page of the two youngest generations is isolated; one call isolates at most 64
//! pages and checks at most 4096.

mod age_node;
mod aging;
mod choice;
mod evict;
mod look_around;
mod scan;
mod shrink;
mod shrink_node;
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
    GenNodePass, GenNodeSkipped, LruGenShrinkNode, NgPt, StartPriority, start_priority,
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

/// Swappiness of a reclaimer (`get_swappiness`): 0 if fewer than 64 swap slots are free.
pub(crate) fn swappiness(w: &World, cx: &Context) -> u8 {
    let tunable = match w.swap.free_slots() >= MIN_LRU_BATCH {
        true => w.tunables.swappiness.min(200) as u8,
        false => 0,
    };
    match (cx.sc.may_swap, ages_before(w)) {
        (true, _) => tunable,
        (false, true) => tunable.min(1),
        (false, false) => 0,
    }
}

/// The types that count for aging: both, or without swap only files.
pub(crate) fn types(can_swap: bool) -> std::ops::RangeInclusive<usize> {
    if can_swap { ANON..=FILE } else { FILE..=FILE }
}

/// Number of pages in a generation of one type, by the generation's number.
pub(crate) fn pages_of_seq(w: &World, owner: LruvecIndex, seq: u64, file: usize) -> u32 {
    w.mem.gen_pages(owner, gen_of_seq(seq), file)
}
