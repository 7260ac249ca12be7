//! What a run rests on: the functions that it called and the costs that it may have used.
//!
//! Modelled: nothing of the kernel. Every call of a modelled function is counted, and a table says
//! which functions use a cost.
//! Left out: functions that are not modelled; which of its costs a function has used.
//! Invariants: the counts depend on the position alone, not on how the machine got there, and no
//! run depends on them. A cost that is not listed has not influenced the run.

#[cfg(test)]
mod tests;

use crate::frames::FunctionId::{self, *};
use crate::frames::NAMES;
use crate::world::Facts;
use facts::costs::ABOUT;

/// Number of calls of each function since boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visits([u64; NAMES.len()]);

impl Default for Visits {
    fn default() -> Self {
        Visits([0; NAMES.len()])
    }
}

impl Visits {
    /// Counts a call.
    #[inline(always)]
    pub fn add(&mut self, function: FunctionId) {
        self.0[function as usize] += 1;
    }

    /// The functions that were called, by their index in [`NAMES`], with the number of calls.
    pub fn called(&self) -> impl Iterator<Item = (usize, u64)> {
        let all = self.0.iter().copied().enumerate();
        all.filter(|&(_, calls)| calls > 0)
    }

    fn any(&self, functions: &[FunctionId]) -> bool {
        functions.iter().any(|&f| self.0[f as usize] > 0)
    }
}

/// When a cost is used.
enum Used {
    /// The cost is used on every machine.
    Always,
    /// The cost is used if one of these functions was called.
    By(&'static [FunctionId]),
    /// The cost is used if one of the functions was called on a machine for which this condition
    /// holds.
    Where(fn(&Facts) -> bool, &'static [FunctionId]),
}

/// The functions that move pages.
const MIGRATION: &[FunctionId] = &[
    MigratePages,
    UnmapAndMove,
    MigrateMisplaced,
    NumaPages,
    PmdNumaPage,
];
/// The functions of NUMA balancing.
const HINTING: &[FunctionId] = &[
    TaskNumaWork,
    NumaPage,
    NumaPages,
    PmdNumaPage,
    MigrateMisplaced,
    NumaPlacement,
    KnumaScand,
    AutonumaBalance,
];
/// The functions that look up pages of files or of the swap cache.
const CACHE: &[FunctionId] = &[
    FileFault,
    FileRead,
    FileWrite,
    Fsync,
    Readahead,
    AddToCache,
    Truncate,
    SwapPage,
    SwapReadahead,
    WriteCachePages,
    ShrinkPageList,
];
/// The functions that remove page table entries.
const UNMAPPING: &[FunctionId] = &[
    Unmap,
    ShrinkPageList,
    ShrinkInactiveList,
    Truncate,
    MigratePages,
    UnmapAndMove,
    TaskNumaWork,
    KnumaScand,
    MigrateMisplaced,
    NumaPages,
    PmdNumaPage,
    User,
];

/// When each cost is used, in the order of [`ABOUT`].
const USES: [Used; ABOUT.len()] = {
    use Used::{Always, By, Where};
    [
        /* lru_isolate_page */
        By(&[
            ShrinkInactiveList,
            ShrinkActiveList,
            MigrateMisplaced,
            NumaPages,
            PmdNumaPage,
        ]),
        /* page_ladder_free */ By(&[ShrinkPageList, ShrinkSlab, Inode]),
        /* page_ladder_keep */ By(&[ShrinkPageList]),
        /* rmap_check */ By(&[ShrinkPageList, ShrinkActiveList, ShrinkInactiveList]),
        /* unmap */ By(UNMAPPING),
        /* swap_out */ By(&[ShrinkPageList, WriteCachePages, Flusher]),
        /* lru_move */
        By(&[
            ShrinkActiveList,
            ShrinkInactiveList,
            ShrinkPageList,
            BlkDone,
            FileRead,
            FileWrite,
            FileFault,
            SwapPage,
            SwapReadahead,
            Unmap,
            Truncate,
            HugeAnon,
            User,
        ]),
        /* batch_overhead */ By(&[ShrinkInactiveList, ShrinkActiveList]),
        /* reclaim_visit */
        By(&[
            ShrinkNode,
            BalanceZones,
            BalanceScans,
            KswapdShrinkZone,
            TryToFreePages,
            ZoneReclaim,
            ZoneReclaimPass,
            DirectCompact,
            TryToCompact,
            CompactZone,
            ReclaimCompact,
            CompactNodes,
        ]),
        /* pcp_page */ Always,
        /* buddy_page_move */ Always,
        /* zone_walk */ Always,
        /* slowpath_entry */ By(&[Slowpath]),
        /* touch */ By(&[User]),
        /* minor_fault */ By(&[Fault, NumaPage, NumaPages, PmdNumaPage]),
        /* major_fault */ By(&[FileFault, SwapPage, SwapReadahead]),
        /* zero_4k */ Where(has_small_pages, &[Fault, AnonPage, NewSlab, User]),
        /* zero_64k */ Where(has_large_pages, &[Fault, AnonPage, NewSlab, User]),
        /* zero_2m */ By(&[HugeAnon]),
        /* copy_4k */ Where(has_small_pages, MIGRATION),
        /* copy_64k */ Where(has_large_pages, MIGRATION),
        /* copy_2m */ By(&[PmdNumaPage, MigrateMisplaced, NumaPages]),
        /* cache_copy_kib */ By(&[FileRead, FileWrite]),
        /* cache_lookup */ By(CACHE),
        /* cache_add */ By(&[AddToCache, SwapPage, SwapReadahead]),
        /* fs_write_page */ By(&[FileWrite, FileFault, Fault, User]),
        /* syscall */ Always,
        /* context_switch */ Always,
        /* tlb_flush_page */ By(MIGRATION),
        /* tlb_flush_all */ By(UNMAPPING),
        /* tlb_remote_first */ By(&[]),
        /* tlb_remote_more */ By(&[]),
        /* wake */ By(&[WakeKswapds, MutexLock, User]),
        /* wake_to_run */ Always,
        /* timer_tick */ Always,
        /* slab_scan */ By(&[ShrinkSlab]),
        /* dentry_free */ By(&[ShrinkSlab, Lookup, User]),
        /* inode_free */ By(&[ShrinkSlab, Inode, User]),
        /* compact_skip */ By(&[IsolateMigrate, IsolateFree]),
        /* compact_isolate */ By(&[IsolateMigrate]),
        /* compact_take_free */ By(&[IsolateFree]),
        /* migrate_page */ By(MIGRATION),
        /* anon_vma_walk */ By(MIGRATION),
        /* lock_handover */ By(&[MutexLock, UnmapAndMove]),
        /* numa_mark */ By(HINTING),
        /* numa_fault */ By(HINTING),
        /* fork */ By(&[User]),
    ]
};

fn has_small_pages(facts: &Facts) -> bool {
    facts.layout.geometry.page_kib() < 64
}

fn has_large_pages(facts: &Facts) -> bool {
    !has_small_pages(facts)
}

/// The costs that a run may have used, by their index in [`ABOUT`].
pub fn costs(visits: &Visits, facts: &Facts) -> Vec<usize> {
    let is_used = |used: &Used| match used {
        Used::Always => true,
        Used::By(functions) => visits.any(functions),
        Used::Where(holds, functions) => holds(facts) && visits.any(functions),
    };
    let all = USES.iter().enumerate();
    all.filter(|(_, used)| is_used(used))
        .map(|(place, _)| place)
        .collect()
}
