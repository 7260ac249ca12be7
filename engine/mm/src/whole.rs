//! Two builds of one engine: the whole one, and the first, without what no first figure needs.
//!
//! Modelled: what an experiment has to be for the first build to run it, and the two ways in which
//! that build is smaller: it knows only some values of a kernel's features, so that the compiler
//! leaves out what asks for others; and what only the whole build has ends where it is entered.
//! Left out: everything else: what both builds have is the same code with the same states.
//! Who could tell: nobody: the first build refuses a plan that is the whole one's, and runs any
//! other through the same hashes.
//! Invariants: whether a plan is the whole build's follows from what is in it, once; in the whole
//! build [`World::whole_only`] asserts that such a plan is running wherever the first one ends. Frames
//! have the same numbers in both.

use crate::kernel::{self, Features, V3_0, V6_1};
use crate::tunables::Tunables;
use crate::workload::Op;
use crate::world::{Facts, World};

/// Machines of so many frames, 2 GiB in pages of 4 KiB, are the whole build's whatever they need: it
/// is compiled for long runs, the first one to be small.
const LARGE: u64 = 1 << 19;

/// Has this build every mechanism?
pub const WHOLE: bool = cfg!(feature = "whole");

/// A value of a feature, as far as this build knows it: the first one knows two at most, and
/// takes whatever is not the second for the first.
#[inline(always)]
fn known<T: Copy + PartialEq>(value: T, first: T, second: T) -> T {
    if WHOLE {
        value
    } else if first != second && value == second {
        second
    } else {
        first
    }
}

/// The features a running machine asks for. What is read of [`Features`] at boot only, or printed,
/// has no place here: the first build knows all of its values.
macro_rules! asked {
    ($($name:ident: $ty:ty;)+) => {
        impl Facts {
            $(
                #[doc = concat!("See [`Features::", stringify!($name), "`].")]
                #[inline(always)]
                pub fn $name(&self) -> $ty {
                    known(self.features.$name, V3_0.$name, V6_1.$name)
                }
            )+
        }

        /// Has a kernel a feature the first build does not know?
        fn is_another_kernel(f: &Features) -> bool {
            const { assert!(!V3_0.kswapd_counts_scans() && !V6_1.kswapd_counts_scans()) };
            f.kswapd_counts_scans()
                $(|| (f.$name != V3_0.$name && f.$name != V6_1.$name))+
        }
    };
}

asked! {
    slack: kernel::Slack;
    order_check: kernel::OrderCheck;
    block_reserve: kernel::BlockReserve;
    fallback: kernel::FallbackRule;
    slowpath: kernel::Slowpath;
    boost: bool;
    nofragment: bool;
    kswapd_wake: kernel::KswapdWake;
    moved_blocks_to_tail: bool;
    highatomic_stays_apart: bool;
    classzone_is_highest: bool;
    pcp_keeps_type: bool;
    pcp_drains_own_list: bool;
    pcp_gives_way: bool;
    new_anon_is_active: bool;
    thp_defrag_always: bool;
    reclaim_writes: kernel::ReclaimWrites;
    referenced: kernel::ReferencedRule;
    scan_minimum: kernel::ScanMinimum;
    throttle: kernel::Throttle;
    kswapd_loop: kernel::KswapdLoop;
    skip_balanced_lower_zones: bool;
    scan_in_proportion: bool;
    cache_first: bool;
    isolated_eighth: bool;
    unwritten_activated: bool;
    workingset: bool;
    workingset_anon: bool;
    readahead: kernel::ReadaheadRule;
    readahead_nofs: bool;
    readahead_whole_reads: bool;
    swap_ra_adaptive: bool;
    inodes_with_pages_stay: bool;
    slab_shrinkers: kernel::SlabShrinkers;
    slab_remainders: bool;
    last_put_references: bool;
    inode_steals_count: bool;
    blk_mq: bool;
    reclaim_plug: bool;
    tree_nodes_preloaded: bool;
    slab_orders_wait: bool;
    rotate_active: bool;
    pfmemalloc_throttle: bool;
    balance_gap: bool;
    write_marks: kernel::WriteMarks;
    migratetypes: kernel::Migratetypes;
    lru_owner: kernel::LruOwner;
    zonelist_cache: kernel::ZonelistCache;
    zlc_reconsider: bool;
    zone_reclaim_swapwrite: bool;
    fair_zone_policy: bool;
    dirty_throttle: kernel::DirtyThrottle;
    dirty_spread: kernel::DirtySpread;
    writeback_by_extent: bool;
    unreclaimable_computed: bool;
}

impl Facts {
    /// See [`Features::kswapd_counts_scans`]. The first build knows no such kernel, whatever the
    /// features it follows from.
    #[inline(always)]
    pub fn kswapd_counts_scans(&self) -> bool {
        WHOLE && self.features.kswapd_counts_scans()
    }
}

/// Is this experiment the whole build's to run? The first one runs kernels made of features of 3.0
/// and 6.1, programs that use memory and read files, machines of fewer than 2^19 frames without
/// zone_reclaim, and nobody interferes.
pub fn needs_whole(facts: &Facts, tunables: &Tunables, present_pages: u64) -> bool {
    let zone_reclaim = tunables
        .zone_reclaim_mode
        .unwrap_or(facts.zone_reclaim_default.into());
    present_pages >= LARGE
        || is_another_kernel(&facts.features)
        || zone_reclaim != 0
        || !facts.interventions.is_empty()
        || facts
            .programs
            .iter()
            .any(|program| program.ops.iter().any(is_whole_op))
}

/// Operations only the whole build can do: whatever makes pages of files dirty, maps or drops them,
/// and locking memory.
fn is_whole_op(op: &Op) -> bool {
    match op {
        Op::Map { fd, .. } => *fd != u8::MAX,
        Op::Transfer { write, .. } => *write,
        Op::Copy { .. }
        | Op::Fsync { .. }
        | Op::Unlink { .. }
        | Op::Create { .. }
        | Op::DropCaches
        | Op::Lock { .. } => true,
        Op::Touch { .. }
        | Op::Free { .. }
        | Op::Alloc { .. }
        | Op::Release { .. }
        | Op::Spawn { .. }
        | Op::Wait { .. }
        | Op::Mark { .. }
        | Op::Stop
        | Op::Bind { .. }
        | Op::Think { .. }
        | Op::Loop { .. }
        | Op::EndLoop { .. }
        | Op::Exit => false,
    }
}

impl World {
    /// Stands where something begins that only the whole build has: nothing behind it is compiled
    /// into the first one. Reached by no plan that does not need the whole build.
    #[inline(always)]
    pub fn whole_only(&self) {
        debug_assert!(
            self.run.whole,
            "the plan needs the whole build and does not say so"
        );
        if !WHOLE {
            absent();
        }
    }
}

#[cold]
#[inline(never)]
fn absent() -> ! {
    panic!("this build of the engine does not have what comes next")
}
