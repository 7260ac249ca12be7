//! What a kernel is made of: one choice of every rule.

use serde::Serialize;

use crate::arch::{Arch, ZoneSet};
use crate::kernel::numa::NumaBalancing;
use crate::kernel::rules::*;

/// Everything in which the modelled kernels differ. A combination that no release had is a
/// kernel that never existed, and works like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Features {
    /// Slack of the watermark test.
    pub slack: Slack,
    /// Test for orders above 0.
    pub order_check: OrderCheck,
    /// Pageblocks for high-order atomic requests.
    pub block_reserve: BlockReserve,
    /// Stealing between migrate types.
    pub fallback: FallbackRule,
    /// Whether an allocation is worth another try.
    pub alloc_retry: AllocRetry,
    /// What it waits for before.
    pub retry_wait: RetryWait,
    /// The attempt at the min mark is made again before each reclaim (`rebalance`): from 3.0; before,
    /// only when the slow path starts over (read in 2.6.37).
    pub min_tried_again: bool,
    /// Nobody is killed for want of DMA or DMA32 memory, or of one node's (`__alloc_pages_may_oom`):
    /// to 3.16.
    pub oom_spares_low: bool,
    /// Where the OOM killer finds no process to kill, the panic says that the system is deadlocked on
    /// memory: from 4.19 (`out_of_memory`); before, that there are no killable processes.
    pub oom_panics_deadlocked: bool,
    /// Transparent huge pages exist (2.6.38).
    pub thp: bool,
    /// Huge pages that are split are counted in thp_split_page: from 4.5; before, in thp_split.
    pub thp_counts_split_pages: bool,
    /// Swap may take a huge page whole, and what it did not take is counted: from 4.13
    /// (`CONFIG_THP_SWAP`, thp_swpout_fallback).
    pub thp_swap: bool,
    /// Watermark boost on fragmenting fallbacks (5.0, `boost_watermark`).
    pub boost: bool,
    /// First attempts avoid mixing pageblocks (5.0, `ALLOC_NOFRAGMENT`).
    pub nofragment: bool,
    /// Size of the per-cpu lists.
    pub pcp: PcpRule,
    /// Orders on the per-cpu lists.
    pub pcp_orders: PcpOrders,
    /// `numa_zonelist_order`.
    pub zonelist_order: ZonelistOrder,
    /// Tie-breaking between equally near nodes.
    pub node_load: NodeLoad,
    /// Whom the slow path wakes.
    pub kswapd_wake: KswapdWake,
    /// Memory handed over at boot joins its free lists at the tail, so that low addresses are used
    /// first: from 5.10 (`FPI_TO_TAIL`, seen in the 6.1 guests); before, at the head.
    pub boot_frees_to_tail: bool,
    /// Free blocks that change migrate type go to the tail of
    /// their new list: from 5.10 (`move_to_free_list`); before, to the head.
    pub moved_blocks_to_tail: bool,
    /// From a pageblock up, HighAtomic blocks merge only with their like: from 5.18
    /// (`migratetype_is_mergeable`).
    pub highatomic_stays_apart: bool,
    /// The reserve that guards a zone is that of the highest zone type a request may use: from 5.8
    /// (`highest_zoneidx`); before, that of the first zone it may use (`classzone_idx`).
    pub classzone_is_highest: bool,
    /// A page drained from a per-cpu list goes to the lists of the type it had when it joined: to
    /// 6.9; since, to those of its pageblock.
    pub pcp_keeps_type: bool,
    /// `free_pcppages_bulk` empties the list just added to first: from 5.18; before, the lists
    /// take turns from the second on.
    pub pcp_drains_own_list: bool,
    /// While kswapd runs a CPU keeps at most four batches, and frees in a row give back twice as
    /// many each time (5.14, `nr_pcp_high`, `nr_pcp_free`, mm/page_alloc.c).
    pub pcp_gives_way: bool,
    /// A page just faulted in joins the active anonymous list: to 5.8; the inactive one since.
    pub new_anon_is_active: bool,
    /// A fault may reclaim for a huge page (`defrag` "always"): to 4.5; since then only where asked
    /// for with `madvise` (mm/huge_memory.c).
    pub thp_defrag_always: bool,
    /// Who writes dirty pages from reclaim.
    pub reclaim_writes: ReclaimWrites,
    /// What a used page gets.
    pub referenced: ReferencedRule,
    /// What small lists get of kswapd.
    pub scan_minimum: ScanMinimum,
    /// The block layer marks queues as congested: to 3.16 (read); nothing does where only blk-mq is
    /// left (5.0).
    pub queues_marked: bool,
    /// Where reclaimers wait for writeback.
    pub stall_site: StallSite,
    /// What they wait for.
    pub writeback_wait: WritebackWait,
    /// `do_writepages` waits for the node's writes before it tries again after an ENOMEM (from 5.16);
    /// before, for a congested queue. Writing takes no memory in the engine, so nobody waits there.
    pub writepages_throttled: bool,
    /// What too many isolated pages do.
    pub isolated_wait: IsolatedWait,
    /// What no progress does.
    pub noprogress_wait: NoProgressWait,
    /// What ends that wait.
    pub noprogress_wake: NoProgressWake,
    /// Longest waits of `reclaim_throttle`.
    pub throttle_timeouts: ThrottleTimeouts,
    /// Who has flushers write.
    pub flusher_kick: FlusherKick,
    /// kswapd's main loop.
    pub kswapd_loop: KswapdLoop,
    /// When kswapd scans harder.
    pub kswapd_priority: PriorityRule,
    /// kswapd leaves zones alone that are above their high mark, whatever is kept back there for
    /// higher zones: a patch of June 2014 that no release took.
    pub skip_balanced_lower_zones: bool,
    /// Once its goal is met, reclaim of a zone cuts the targets of anonymous and file pages in
    /// proportion and stops when one type is done (3.11, `shrink_lruvec`); before, at once.
    pub scan_in_proportion: bool,
    /// While the inactive file list is not short, a zone's anonymous pages are left alone
    /// (3.8 to 4.7, `get_scan_count`).
    pub cache_first: bool,
    /// Others may hold an eighth of what is left on a list before a reclaimer that may use file
    /// systems and I/O waits (3.8, `too_many_isolated`; not in 3.7.2); before, as much as is left.
    pub isolated_eighth: bool,
    /// For a request of a higher order a page is taken off its list together with those around it
    /// (`isolate_lru_pages`): read in 2.6.37 to 3.1, gone by 3.5.
    pub isolation_by_blocks: bool,
    /// How reclaim for larger orders works its batches.
    pub high_order_reclaim: HighOrderReclaim,
    /// Lumpy reclaim frees a page of the block it wants whether it was used or not
    /// (`page_check_references`, mm/vmscan.c, as long as there is lumpy reclaim; read in 2.6.37).
    pub lumpy_ignores_references: bool,
    /// Distributions build it so that it ages pages by generations from the start
    /// (mm/vmscan.c, `lru_gen_init_lruvec`; `CONFIG_LRU_GEN_ENABLED`): Debian's 6.12, not yet its 6.1.
    pub multi_gen_lru: bool,
    /// Pages are moved to make large free blocks.
    pub compaction: Compaction,
    /// What that has to do with reclaim.
    pub reclaim_compaction: ReclaimCompaction,
    /// It has tracepoints (include/trace/events/compaction.h): from 2.6.38.
    pub compaction_traced: bool,
    /// A request of any order above 0 may compact; before, of orders above 3
    /// (`try_to_compact_pages`): from 2.6.38.
    pub compaction_for_small_orders: bool,
    /// A request compacts without waiting for locks and writes (`sync` is false in
    /// `__alloc_pages_direct_compact`): from 2.6.38; before, every run waits.
    pub compaction_async: bool,
    /// A run that does not wait takes pages of movable pageblocks only (`isolate_migratepages`): from
    /// 2.6.38.
    pub compaction_fast_scan: bool,
    /// A run that reclaim begins starts at the oldest pages: the seventh patch of November 2010, which
    /// no release took.
    pub compaction_hint: bool,
    /// Compaction ends for a request where its low mark holds for the order; before, where that and
    /// twice its pages do (`try_to_compact_pages`): from 2.6.38.
    pub compaction_stops_at_low: bool,
    /// Who compacts counts as a reclaimer (PF_MEMALLOC), and so never waits for a page's lock
    /// (`unmap_and_move`): from 2.6.38.
    pub compaction_is_reclaim: bool,
    /// A request compacts once more, waiting, after reclaim (`__alloc_pages_slowpath`): from 2.6.38.
    pub compaction_after_reclaim: bool,
    /// kswapd compacts a zone that has enough free pages in blocks too small (`balance_pgdat`): 2.6.38,
    /// withdrawn in its stable releases.
    pub kswapd_compacts: bool,
    /// Isolation that found nothing in its stretch is followed by a migration of nothing, and gives up
    /// where too many pages are isolated and it may not wait (`isolate_migrate_t`): from 2.6.38; before,
    /// by the next stretch.
    pub isolation_has_status: bool,
    /// A page that was freed while it was to be moved counts as moved (`unmap_and_move`): from 2.6.38;
    /// before, as failed.
    pub migration_counts_freed: bool,
    /// Pages that reclaim leaves to be written join the active list, out of the way: from 4.11;
    /// before, the inactive one's head (`shrink_page_list`).
    pub unwritten_activated: bool,
    /// Evicted pages leave shadow entries (`workingset_eviction`): files from 3.15, anonymous
    /// memory from 5.9.
    pub workingset: bool,
    /// Anonymous pages leave shadow entries as well: from 5.9.
    pub workingset_anon: bool,
    /// A page of a file that comes back only to be written over counts as come back: to 4.6; from 4.7
    /// on not (`add_to_page_cache_lru`, `__GFP_WRITE`).
    pub rewritten_refaults: bool,
    /// How read-ahead moves its window.
    pub readahead: ReadaheadRule,
    /// Pages read ahead are allocated without calling into file systems: from 5.8
    /// (`page_cache_readahead_unbounded`; seen in the 6.1 guests).
    pub readahead_nofs: bool,
    /// A read larger than the read-ahead limit raises it, up to a request of the device: from 4.10
    /// (`ondemand_readahead`).
    pub readahead_whole_reads: bool,
    /// Swap-in reads as many slots ahead as the last read-ahead was good for (3.14,
    /// `swapin_nr_pages`); before, those in use around the slot, in a row.
    pub swap_ra_adaptive: bool,
    /// Each CPU fills a cluster of swap slots of its own, on devices that do not turn: from 3.12
    /// (`scan_swap_map_try_ssd_cluster`).
    pub swap_cpu_clusters: bool,
    /// Unused inodes with cached pages are kept out of the shrinker's sight: from 5.16
    /// (`mapping_shrinkable`); before, scanning one dropped its clean pages.
    pub inodes_with_pages_stay: bool,
    /// Who keeps kernel objects on pages.
    pub slab_allocator: SlabAllocator,
    /// A request for one node alone that need not succeed (`GFP_THISNODE`) fails before anybody is
    /// woken or anything reclaimed (`__alloc_pages_slowpath`): read in 3.0.1, gone with 4.0.
    pub thisnode_gives_up: bool,
    /// What shrinks the caches of dentries and inodes.
    pub slab_shrinkers: SlabShrinkers,
    /// A pass over a cache goes on below a batch when nothing else is left to free: from 3.14
    /// (`shrink_slab_node`).
    pub slab_remainders: bool,
    /// Whatever its last user leaves counts as used again, so that a first look spares it
    /// (`iput_final`, `dput`): to 4.12; since, only what was used more than once.
    pub last_put_references: bool,
    /// Cached pages that go with their inodes count as reclaimed: from 3.4 (`inode_lru_isolate`).
    pub inode_steals_count: bool,
    /// Requests come from a set of tags, and buffered writes are kept from making reads slow
    /// (`blk-wbt`): from 5.0, where only blk-mq is left.
    pub blk_mq: bool,
    /// Every pass over a zone's lists ends with a test of how much is under writeback
    /// (`throttle_vm_writeout` in `shrink_zone`): read in 2.6.37 and 3.0.1; it is in later kernels to
    /// 4.9, too, against another limit, which is not modelled.
    pub throttle_vm_writeout: bool,
    /// Reclaim holds its writes back for merging (`blk_start_plug` in `shrink_zone`): from 3.1.
    pub reclaim_plug: bool,
    /// A tree's node is allocated with the page's own flags before the tree is locked
    /// (`radix_tree_preload`): to 4.19; since, under the lock without waiting, and only if that
    /// failed with those flags.
    pub tree_nodes_preloaded: bool,
    /// A slab of more than the least order may be waited and reclaimed for: to 4.3
    /// (`allocate_slab`).
    pub slab_orders_wait: bool,
    /// A page whose write ended goes to the inactive tail even if it is active
    /// (`rotate_reclaimable_page`).
    pub rotate_active: bool,
    /// Direct reclaimers wait for kswapd while reserves are half used up (3.6,
    /// `throttle_direct_reclaim`).
    pub pfmemalloc_throttle: bool,
    /// kswapd leaves zones alone that are a gap above their high mark (2.6.39); before, eight
    /// times the mark.
    pub balance_gap: bool,
    /// For orders above 0 zones with a quarter of the pages are enough for kswapd to end a run or
    /// to sleep, and a run ends with a look at single pages (`pgdat_balanced`, from 2.6.38); before,
    /// every zone of the node must be fine for the order (mm/vmscan.c, read in 2.6.37).
    pub quarter_balanced: bool,
    /// More than a quarter is needed for that (`pgdat_balanced` of 2.6.38); since, a quarter.
    pub quarter_exceeded: bool,
    /// For orders above 0 kswapd sleeps if its zones are *not* balanced (`sleeping_prematurely` of 2.6.38,
    /// a slip).
    pub sleep_test_reversed: bool,
    /// kswapd shrinks slab for a zone it leaves alone, as if 32 pages had been scanned there
    /// (`balance_pgdat`): to 2.6.38.
    pub slab_for_all_zones: bool,
    /// A zone that kswapd gives up leaves the pass at once, and no longer bounds it
    /// (`balance_pgdat`, read in 3.0.1); before, its marks still count in that pass.
    pub dead_zone_leaves_pass: bool,
    /// The search for a zone in need clears ZONE_CONGESTED of those that are fine
    /// (`balance_pgdat`): from 3.1; before, only the test after reclaim does.
    pub search_clears_congested: bool,
    /// A small step of slab scanning brings no more than half of the objects with what was carried
    /// over (`shrink_slab`): from 3.1.
    pub slab_step_capped: bool,
    /// Whether direct reclaim without success is worth another try follows from the pages scanned
    /// in vain (`all_unreclaimable`): to 2.6.38; since, from the flag kswapd sets.
    pub direct_counts_scans: bool,
    /// Whether write() marks pages accessed.
    pub write_marks: WriteMarks,
    /// Migrate types.
    pub migratetypes: Migratetypes,
    /// LRU owner.
    pub lru_owner: LruOwner,
    /// The zonelist cache.
    pub zonelist_cache: ZonelistCache,
    /// A direct reclaim that freed something clears the zonelist cache ("zlcreconsider"): from 3.1
    /// (`__alloc_pages_direct_reclaim`).
    pub zlc_reconsider: bool,
    /// zone_reclaim may write to congested devices (PF_SWAPWRITE, `__zone_reclaim`).
    pub zone_reclaim_swapwrite: bool,
    /// Zones `zone_reclaim` is called for.
    pub zone_reclaim_reach: ZoneReclaimReach,
    /// The fair zone policy (3.12 to 4.7, `ALLOC_FAIR`).
    pub fair_zone_policy: bool,
    /// Default of `zone_reclaim_mode`.
    pub zone_reclaim: ZoneReclaimDefault,
    /// Zone types built in.
    pub zone_set: ZoneSet,
    /// Automatic NUMA balancing.
    pub numa_balancing: NumaBalancing,
    /// The lock of `anon_vma` trees.
    pub anon_vma_lock: AnonVmaLock,
    /// Pages counted by the watermark rules.
    pub watermark_base: WatermarkBase,
    /// Zones counted as low memory.
    pub low_memory: LowMemory,
    /// Distance between the marks.
    pub gaps: Gaps,
    /// Largest `watermark_scale_factor`, in 1/10000; 0 where it is missing. 1000 until 5.17, but
    /// later stable releases of 5.10 take 3000 as 5.18 does (a 5.10.262 guest did).
    pub watermark_scale_max: u64,
    /// Protection rule.
    pub reserve: ReserveRule,
    /// Largest automatic `min_free_kbytes`, KiB (65536; 262144 from 5.8).
    pub min_free_cap_kib: u64,
    /// Raise of `min_free_kbytes` by huge pages.
    pub thp_raise: ThpRaise,
    /// Dirty limits.
    pub dirty: DirtyRule,
    /// What writers do when too much is dirty.
    pub dirty_throttle: DirtyThrottle,
    /// Where pages to be written to come from.
    pub dirty_spread: DirtySpread,
    /// Pages of an extent are under writeback until all of it is written: from 5.6, where ext4
    /// writes so unless told otherwise (`dioread_nolock`; seen in the 6.1 guests).
    pub writeback_by_extent: bool,
    /// `/proc/zoneinfo` in general.
    pub zoneinfo: ZoneinfoStyle,
    /// `/proc/zoneinfo` has a `managed` row (3.8; not in 3.7.2).
    pub zoneinfo_managed: bool,
    /// `/proc/zoneinfo` has a `boost` row (5.16).
    pub zoneinfo_boost: bool,
    /// `/proc/zoneinfo` has a `promo` row (6.12; not in 6.1).
    pub zoneinfo_promo: bool,
    /// `/proc/zoneinfo` has a `cma` row (5.12).
    pub zoneinfo_cma: bool,
    /// Whether a zone is given up follows from the pages scanned there since one was freed
    /// (`zone_reclaimable`), for reclaim as for `/proc/zoneinfo` (3.16); before, a flag kswapd sets.
    pub unreclaimable_computed: bool,
    /// `/proc/pagetypeinfo` cuts free counts at this number of blocks (100000, 5.5); 0 = never.
    pub pagetypeinfo_cut: u64,
    /// Counter names.
    pub vmstat: VmstatNames,
}

impl Features {
    /// kswapd walks the zones of a node, lowest first, and scans harder unless enough was scanned
    /// (`balance_pgdat` of 3.16).
    pub const fn kswapd_counts_scans(&self) -> bool {
        matches!(self.lru_owner, LruOwner::Zone)
            && matches!(self.kswapd_priority, PriorityRule::RaiseUnlessScanned)
    }

    /// A task waits in `reclaim_throttle`, whatever the reason. Without it congested queues are waited for.
    pub const fn throttles_reclaim(&self) -> bool {
        !matches!(self.writeback_wait, WritebackWait::CongestedQueue)
            || matches!(self.isolated_wait, IsolatedWait::Throttle)
            || !matches!(self.noprogress_wait, NoProgressWait::Never)
    }

    /// A task waits in `congestion_wait` or `wait_iff_congested`, whatever the reason.
    pub const fn waits_for_congestion(&self) -> bool {
        matches!(self.writeback_wait, WritebackWait::CongestedQueue)
            || matches!(self.isolated_wait, IsolatedWait::CongestedQueue)
            || matches!(self.lru_owner, LruOwner::Zone)
    }

    /// The migrate types as `/proc/pagetypeinfo` names them, by index. CMA is built in on ppc64
    /// from 3.16 on (KVM needs it) and not on the distributions' x86_64.
    pub fn migratetype_names(&self, arch: Arch) -> &'static [&'static str] {
        match (self.migratetypes, arch) {
            (Migratetypes::ReclaimableSecond, _)
            | (Migratetypes::ReclaimableSecondCma, Arch::X86_64 | Arch::Sh4) => {
                &["Unmovable", "Reclaimable", "Movable", "Reserve", "Isolate"]
            }
            (Migratetypes::ReclaimableSecondCma, Arch::Ppc64) => &[
                "Unmovable",
                "Reclaimable",
                "Movable",
                "Reserve",
                "CMA",
                "Isolate",
            ],
            (Migratetypes::MovableSecond, Arch::X86_64 | Arch::Sh4) => &[
                "Unmovable",
                "Movable",
                "Reclaimable",
                "HighAtomic",
                "Isolate",
            ],
            (Migratetypes::MovableSecond, Arch::Ppc64) => &[
                "Unmovable",
                "Movable",
                "Reclaimable",
                "HighAtomic",
                "CMA",
                "Isolate",
            ],
        }
    }
}
