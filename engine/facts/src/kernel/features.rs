//! The features of a kernel: one choice for each rule.

use serde::Serialize;

use crate::arch::{Arch, ZoneSet};
use crate::kernel::numa::NumaBalancing;
use crate::kernel::rules::*;

/// Everything in which the modelled kernels differ. A combination that no release has describes a kernel that
/// never existed, and it works like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Features {
    /// What the watermark check subtracts for the request itself.
    pub slack: Slack,
    /// The watermark check for orders above 0.
    pub order_check: OrderCheck,
    /// Pageblocks reserved for high-order atomic requests.
    pub block_reserve: BlockReserve,
    /// Stealing between migrate types.
    pub fallback: FallbackRule,
    /// Whether an allocation tries again after reclaim freed too little.
    pub alloc_retry: AllocRetry,
    /// What an allocation waits for before it tries again.
    pub retry_wait: RetryWait,
    /// The slow path checks the min watermark again before each reclaim (`rebalance`): from 3.0. Before, it
    /// did so only when it started over (read in 2.6.37).
    pub min_tried_again: bool,
    /// If the OOM killer finds no process to kill, the panic says that the system is deadlocked on
    /// memory: from 4.19 (`out_of_memory`). Before, it says that there are no killable processes.
    pub oom_panics_deadlocked: bool,
    /// Transparent huge pages exist (2.6.38).
    pub thp: bool,
    /// Huge pages that are split count in thp_split_page: from 4.5; before, in thp_split.
    pub thp_counts_split_pages: bool,
    /// Swap may store a huge page without splitting it, and thp_swpout_fallback counts the huge pages that
    /// had to be split: from 4.13 (`CONFIG_THP_SWAP`).
    pub thp_swap: bool,
    /// Watermark boost when a fallback fragments a pageblock (5.0, `boost_watermark`).
    pub boost: bool,
    /// First attempts avoid mixing migrate types in a pageblock (5.0, `ALLOC_NOFRAGMENT`).
    pub nofragment: bool,
    /// Size of the per-cpu lists.
    pub pcp: PcpRule,
    /// Orders that per-cpu lists hold.
    pub pcp_orders: PcpOrders,
    /// `numa_zonelist_order`.
    pub zonelist_order: ZonelistOrder,
    /// Tie-breaking between equally near nodes.
    pub node_load: NodeLoad,
    /// For which zones the slow path wakes kswapd.
    pub kswapd_wake: KswapdWake,
    /// Memory freed at boot joins its free lists at the tail, so low addresses are used first: from
    /// 5.10 (`FPI_TO_TAIL`, seen in the 6.1 guests); before, at the head.
    pub boot_frees_to_tail: bool,
    /// Free blocks that change migrate type go to the tail of their new list: from 5.10
    /// (`move_to_free_list`); before, to the head.
    pub moved_blocks_to_tail: bool,
    /// HighAtomic blocks of a pageblock or more merge only with HighAtomic blocks: from 5.18
    /// (`migratetype_is_mergeable`).
    pub highatomic_stays_apart: bool,
    /// A zone's reserve against a request is that for the highest zone type the request may use: from
    /// 5.8 (`highest_zoneidx`); before, that for the first zone it may use (`classzone_idx`).
    pub classzone_is_highest: bool,
    /// A page drained from a per-cpu list goes to the free list of the migrate type that it had when it
    /// joined the per-cpu list: to 6.9. Since, it goes to the free list of its pageblock's type.
    pub pcp_keeps_type: bool,
    /// `free_pcppages_bulk` first empties the list to which a page was just added: from 5.18. Before, it
    /// takes pages from the lists in turn, from the second on.
    pub pcp_drains_own_list: bool,
    /// While kswapd runs, a CPU holds at most four batches, and consecutive frees return twice as many pages
    /// each time (5.14, `nr_pcp_high`, `nr_pcp_free`, mm/page_alloc.c).
    pub pcp_gives_way: bool,
    /// A page just faulted in joins the active anonymous list: to 5.8; since, the inactive list.
    pub new_anon_is_active: bool,
    /// A fault may reclaim for a huge page (`defrag` "always"): to 4.5. Since, only if `madvise` requested
    /// huge pages (mm/huge_memory.c).
    pub thp_defrag_always: bool,
    /// A fault for a huge page may start I/O and call into file systems when it reclaims (`GFP_TRANSHUGE`):
    /// all kernels. Before 5.10 the engine does not model this, because the full-size results of those
    /// kernels were made without it.
    pub thp_starts_io: bool,
    /// Which reclaimers write dirty pages.
    pub reclaim_writes: ReclaimWrites,
    /// When a page that was used is activated.
    pub referenced: ReferencedRule,
    /// How many pages of a small list are scanned.
    pub scan_minimum: ScanMinimum,
    /// The block layer marks queues as congested: to 3.16 (read). No queue is marked from 5.0 on, which has
    /// only blk-mq.
    pub queues_marked: bool,
    /// Where reclaimers wait for writeback.
    pub stall_site: StallSite,
    /// The event for which these reclaimers wait.
    pub writeback_wait: WritebackWait,
    /// `do_writepages` waits for the node's writes before it tries again after an ENOMEM (from 5.16);
    /// before, for a congested queue. Writeback allocates no memory in the engine, so no task waits there.
    pub writepages_throttled: bool,
    /// How a reclaimer waits when too many pages are isolated.
    pub isolated_wait: IsolatedWait,
    /// When a reclaimer that makes no progress waits.
    pub noprogress_wait: NoProgressWait,
    /// What ends that wait.
    pub noprogress_wake: NoProgressWake,
    /// The timeouts of `reclaim_throttle`.
    pub throttle_timeouts: ThrottleTimeouts,
    /// When reclaim wakes the flushers.
    pub flusher_kick: FlusherKick,
    /// kswapd's main loop.
    pub kswapd_loop: KswapdLoop,
    /// When kswapd scans harder.
    pub kswapd_priority: PriorityRule,
    /// kswapd skips zones that are above their high watermark, whatever their reserve against requests for
    /// higher zones: a patch of June 2014 that no release includes.
    pub skip_balanced_lower_zones: bool,
    /// Once its goal is met, reclaim of a zone reduces the scan targets of anonymous and file pages in
    /// proportion, and stops when one type is done (3.11, `shrink_lruvec`). Before, it stops immediately.
    pub scan_in_proportion: bool,
    /// With per-node lists, recently rotated pages decide how much of anonymous and file memory is scanned
    /// (`get_scan_count`): 4.8 to 5.7, read in 4.9 and 5.4. Later kernels use the cost of reclaiming each
    /// type.
    pub balanced_by_rotation: bool,
    /// While the inactive file list is not short, a zone's anonymous pages are not scanned
    /// (3.8 to 4.7, `get_scan_count`; also in the distribution's 3.10).
    pub cache_first: bool,
    /// A reclaimer that may use file systems and I/O waits when the isolated pages exceed an eighth of those
    /// left on a list (3.8, `too_many_isolated`; not in 3.7.2). Before, it waits when they exceed all of
    /// those left.
    pub isolated_eighth: bool,
    /// For a request of a higher order, the neighbours of an isolated page are isolated too
    /// (`isolate_lru_pages`): read in 2.6.37 to 3.1, gone by 3.5.
    pub isolation_by_blocks: bool,
    /// How reclaim for larger orders processes its batches.
    pub high_order_reclaim: HighOrderReclaim,
    /// Lumpy reclaim frees a page of the target block even if the page was used (`page_check_references`,
    /// mm/vmscan.c, as long as there is lumpy reclaim; read in 2.6.37).
    pub lumpy_ignores_references: bool,
    /// The multi-generational LRU (`CONFIG_LRU_GEN`).
    pub lru_gen: LruGenRule,
    /// Distributions build the kernel with the multi-generational LRU switched on (mm/vmscan.c,
    /// `lru_gen_init_lruvec`; `CONFIG_LRU_GEN_ENABLED`): Debian's 6.12, not yet its 6.1.
    pub multi_gen_lru: bool,
    /// Pages are moved to make large free blocks.
    pub compaction: Compaction,
    /// How compaction and reclaim work together.
    pub reclaim_compaction: ReclaimCompaction,
    /// Compaction has tracepoints (include/trace/events/compaction.h): from 2.6.38.
    pub compaction_traced: bool,
    /// A request of any order above 0 may compact: from 2.6.38. Before, only orders above 3
    /// (`try_to_compact_pages`).
    pub compaction_for_small_orders: bool,
    /// A request compacts without waiting for locks and writes (`sync` is false in
    /// `__alloc_pages_direct_compact`): from 2.6.38. Before, every compaction waits.
    pub compaction_async: bool,
    /// A compaction that does not wait takes only pages of movable pageblocks (`isolate_migratepages`): from
    /// 2.6.38.
    pub compaction_fast_scan: bool,
    /// A compaction that reclaim starts begins at the oldest pages: the seventh patch of November 2010, which
    /// no release includes.
    pub compaction_hint: bool,
    /// Compaction for a request ends when the zone passes the low watermark check for the order: from 2.6.38.
    /// Before, twice the pages of the request must be free in addition (`try_to_compact_pages`).
    pub compaction_stops_at_low: bool,
    /// A task that compacts counts as a reclaimer (PF_MEMALLOC), so it never waits for a page lock
    /// (`unmap_and_move`): from 2.6.38.
    pub compaction_is_reclaim: bool,
    /// After reclaim, a request compacts once more, this time with waiting (`__alloc_pages_slowpath`): from
    /// 2.6.38.
    pub compaction_after_reclaim: bool,
    /// kswapd compacts a zone that has enough free pages but only in small blocks (`balance_pgdat`): 2.6.38,
    /// reverted in its stable releases.
    pub kswapd_compacts: bool,
    /// If isolation finds nothing in its range, a migration of zero pages follows. Before, isolation
    /// continues with the next range. It gives up if too many pages are isolated and it must not wait
    /// (`isolate_migrate_t`): from 2.6.38.
    pub isolation_has_status: bool,
    /// A page that was freed before it could be moved counts as moved (`unmap_and_move`): from 2.6.38;
    /// before, as failed.
    pub migration_counts_freed: bool,
    /// Dirty pages that reclaim does not write join the active list: from 4.11. Before, they join the head of
    /// the inactive list (`shrink_page_list`).
    pub unwritten_activated: bool,
    /// Evicted pages leave shadow entries (`workingset_eviction`): files from 3.15, anonymous
    /// memory from 5.9.
    pub workingset: bool,
    /// Anonymous pages leave shadow entries as well: from 5.9.
    pub workingset_anon: bool,
    /// A file page that is read back because it is about to be overwritten counts as a refault: to 4.6, but
    /// not from 4.7 on (`add_to_page_cache_lru`, `__GFP_WRITE`).
    pub rewritten_refaults: bool,
    /// Which cached pages a read fault on a mapped file maps besides its own.
    pub fault_around: FaultAround,
    /// When a fault on a mapped file is retried.
    pub fault_retry: FaultRetry,
    /// A retried fault counts in pgfault again (`handle_mm_fault`): read in 6.1. In 6.12 only a completed
    /// fault counts (`mm_account_fault`).
    pub retries_are_faults: bool,
    /// How read-ahead advances its window.
    pub readahead: ReadaheadRule,
    /// Pages read ahead are allocated without calling into file systems: from 5.8
    /// (`page_cache_readahead_unbounded`; seen in the 6.1 guests).
    pub readahead_nofs: bool,
    /// A read larger than the read-ahead limit raises the limit, up to the size of a request of the device:
    /// from 4.10 (`ondemand_readahead`).
    pub readahead_whole_reads: bool,
    /// The success of the last read-ahead decides how many slots swap-in reads (3.14, `swapin_nr_pages`).
    /// Before, swap-in read the contiguous used slots around the slot.
    pub swap_ra_adaptive: bool,
    /// On devices that do not rotate, each CPU fills its own cluster of swap slots: from 3.12
    /// (`scan_swap_map_try_ssd_cluster`).
    pub swap_cpu_clusters: bool,
    /// The shrinker does not see unused inodes with cached pages: from 5.16 (`mapping_shrinkable`);
    /// before, scanning such an inode dropped its clean pages.
    pub inodes_with_pages_stay: bool,
    /// Which allocator places kernel objects on pages.
    pub slab_allocator: SlabAllocator,
    /// A request for exactly one node that may fail (`GFP_THISNODE`) fails before it wakes kswapd or reclaims
    /// (`__alloc_pages_slowpath`): read in 3.0.1, gone in 4.0.
    pub thisnode_gives_up: bool,
    /// Which shrinkers shrink the caches of dentries and inodes.
    pub slab_shrinkers: SlabShrinkers,
    /// A pass over a cache scans less than a batch too, if nothing else is left to free: from 3.14
    /// (`shrink_slab_node`).
    pub slab_remainders: bool,
    /// An object counts as used again when its last user releases it, so the first scan spares it
    /// (`iput_final`, `dput`): to 4.12. Since, this is true only for an object that was used more than once.
    pub last_put_references: bool,
    /// Cached pages that are freed with their inodes count as reclaimed: from 3.4 (`inode_lru_isolate`).
    pub inode_steals_count: bool,
    /// A limited set of tags restricts requests, and `blk-wbt` prevents buffered writes from slowing down
    /// reads: from 5.0, which has only blk-mq.
    pub blk_mq: bool,
    /// Every pass over a zone's lists ends with a check of the pages under writeback (`throttle_vm_writeout`
    /// in `shrink_zone`): read in 2.6.37 and 3.0.1. Later kernels to 4.9 have this check with another limit,
    /// which is not modelled.
    pub throttle_vm_writeout: bool,
    /// Reclaim collects its writes so that they can be merged (`blk_start_plug` in `shrink_zone`): from 3.1.
    pub reclaim_plug: bool,
    /// A tree's node is allocated with the page's own flags before the tree is locked (`radix_tree_preload`):
    /// to 4.19. Since, it is allocated under the lock without waiting, and with those flags only if that
    /// failed.
    pub tree_nodes_preloaded: bool,
    /// A request for a slab larger than the minimum may wait and reclaim: to 4.3 (`allocate_slab`).
    pub slab_orders_wait: bool,
    /// After writeback an active page also goes to the inactive tail (`rotate_reclaimable_page`): read in
    /// 4.14, but not in 4.4 and 4.9.
    pub rotate_active: bool,
    /// Direct reclaimers wait for kswapd while more than half of the reserves is used (3.6,
    /// `throttle_direct_reclaim`).
    pub pfmemalloc_throttle: bool,
    /// kswapd skips zones that are a gap above their high watermark (2.6.39). Before, it skips zones above
    /// eight times the high watermark.
    pub balance_gap: bool,
    /// For orders above 0, kswapd may end a run or sleep when the balanced zones have a quarter of the pages,
    /// and a run ends with a check for order 0 (`pgdat_balanced`, from 2.6.38). Before, every zone of the
    /// node must be balanced for the order (mm/vmscan.c, read in 2.6.37).
    pub quarter_balanced: bool,
    /// The balanced zones must have more than a quarter of the pages (`pgdat_balanced` of 2.6.38). Since, a
    /// quarter is enough.
    pub quarter_exceeded: bool,
    /// For orders above 0, kswapd sleeps if its zones are *not* balanced (`sleeping_prematurely` of 2.6.38, a
    /// bug).
    pub sleep_test_reversed: bool,
    /// kswapd also shrinks slab for a zone that it skips, as if 32 pages had been scanned there
    /// (`balance_pgdat`): to 2.6.38.
    pub slab_for_all_zones: bool,
    /// A zone that kswapd gives up leaves the pass immediately and no longer limits it (`balance_pgdat`, read
    /// in 3.0.1). Before, its watermarks still count in that pass.
    pub dead_zone_leaves_pass: bool,
    /// The search for a zone in need clears ZONE_CONGESTED of balanced zones (`balance_pgdat`): from 3.1.
    /// Before, only the check after reclaim clears it.
    pub search_clears_congested: bool,
    /// A small increment of slab scanning, plus the remainder of earlier calls, scans at most half of the
    /// objects (`shrink_slab`): from 3.1.
    pub slab_step_capped: bool,
    /// The number of pages scanned without success decides whether direct reclaim tries again
    /// (`all_unreclaimable`): to 2.6.38. Since, the flag that kswapd sets decides.
    pub direct_counts_scans: bool,
    /// Whether write() marks pages accessed.
    pub write_marks: WriteMarks,
    /// Migrate types.
    pub migratetypes: Migratetypes,
    /// LRU owner.
    pub lru_owner: LruOwner,
    /// The zonelist cache.
    pub zonelist_cache: ZonelistCache,
    /// Direct reclaim that freed pages clears the zonelist cache ("zlcreconsider"): from 3.1
    /// (`__alloc_pages_direct_reclaim`).
    pub zlc_reconsider: bool,
    /// zone_reclaim may write to congested devices (PF_SWAPWRITE, `__zone_reclaim`).
    pub zone_reclaim_swapwrite: bool,
    /// Zones for which `zone_reclaim` is called.
    pub zone_reclaim_reach: ZoneReclaimReach,
    /// The fair zone policy (3.12 to 4.7, `ALLOC_FAIR`).
    pub fair_zone_policy: bool,
    /// Default of `zone_reclaim_mode`.
    pub zone_reclaim: ZoneReclaimDefault,
    /// Zone types with which the kernel was built.
    pub zone_set: ZoneSet,
    /// Automatic NUMA balancing.
    pub numa_balancing: NumaBalancing,
    /// The lock of `anon_vma` trees.
    pub anon_vma_lock: AnonVmaLock,
    /// Which pages of a zone the watermark rules count.
    pub watermark_base: WatermarkBase,
    /// Which zones count as low memory.
    pub low_memory: LowMemory,
    /// Distance between the watermarks.
    pub gaps: Gaps,
    /// Largest `watermark_scale_factor`, in 1/10000; 0 if the kernel has none. It is 1000 until 5.17, but
    /// 3000 in later stable releases of 5.10 as in 5.18 (a 5.10.262 guest had it).
    pub watermark_scale_max: u64,
    /// How protection follows from the ratios.
    pub reserve: ReserveRule,
    /// Largest automatic `min_free_kbytes`, KiB (65536; 262144 from 5.8, and in the distribution's 3.10).
    pub min_free_cap_kib: u64,
    /// How huge pages raise `min_free_kbytes`.
    pub thp_raise: ThpRaise,
    /// Dirty limits.
    pub dirty: DirtyRule,
    /// What writers do when too many pages are dirty.
    pub dirty_throttle: DirtyThrottle,
    /// Where pages that will be written to may come from.
    pub dirty_spread: DirtySpread,
    /// All pages of an extent are under writeback until the whole extent is written: from 5.6, where
    /// ext4 does so by default (`dioread_nolock`; seen in the 6.1 guests).
    pub writeback_by_extent: bool,
    /// General form of `/proc/zoneinfo`.
    pub zoneinfo: ZoneinfoStyle,
    /// `/proc/zoneinfo` has a `managed` row (3.8; not in 3.7.2).
    pub zoneinfo_managed: bool,
    /// `/proc/zoneinfo` has a `node_scanned` row (read in 4.9; gone by 4.14).
    pub zoneinfo_node_scanned: bool,
    /// `/proc/zoneinfo` has a `node_inactive_ratio` row, which is always 0 (read in 4.9 and 4.14; gone by
    /// 4.19).
    pub zoneinfo_node_ratio: bool,
    /// `/proc/zoneinfo` has a `boost` row (5.16).
    pub zoneinfo_boost: bool,
    /// `/proc/zoneinfo` has a `promo` row (6.12; not in 6.1).
    pub zoneinfo_promo: bool,
    /// `/proc/zoneinfo` has a `cma` row (5.12).
    pub zoneinfo_cma: bool,
    /// The number of pages scanned since the last page was freed decides whether a zone is given up
    /// (`zone_reclaimable`), in reclaim and in `/proc/zoneinfo` (3.16). Before, a flag that kswapd sets
    /// decides.
    pub unreclaimable_computed: bool,
    /// `/proc/pagetypeinfo` stops counting free blocks at this number (100000, 5.5); 0 means never.
    pub pagetypeinfo_cut: u64,
    /// Memory cgroups.
    pub memcg: MemcgRule,
    /// Counter names.
    pub vmstat: VmstatNames,
}

impl Features {
    /// kswapd walks the zones of a node, lowest first, and raises the priority unless it scanned enough
    /// (`balance_pgdat` of 3.16).
    pub const fn kswapd_counts_scans(&self) -> bool {
        matches!(self.lru_owner, LruOwner::Zone)
            && matches!(self.kswapd_priority, PriorityRule::RaiseUnlessScanned)
    }

    /// Whether a task can wait in `reclaim_throttle`; otherwise it waits for congested queues.
    pub const fn throttles_reclaim(&self) -> bool {
        !matches!(self.writeback_wait, WritebackWait::CongestedQueue)
            || matches!(self.isolated_wait, IsolatedWait::Throttle)
            || !matches!(self.noprogress_wait, NoProgressWait::Never)
    }

    /// Whether a task can wait in `congestion_wait` or `wait_iff_congested`.
    pub const fn waits_for_congestion(&self) -> bool {
        matches!(self.writeback_wait, WritebackWait::CongestedQueue)
            || matches!(self.isolated_wait, IsolatedWait::CongestedQueue)
            || matches!(
                self.retry_wait,
                RetryWait::CongestedQueue | RetryWait::WritePending
            )
            || matches!(self.lru_owner, LruOwner::Zone)
            || self.throttle_vm_writeout
    }

    /// The migrate types as `/proc/pagetypeinfo` names them, by index. ppc64 has CMA from 3.16 on (KVM needs
    /// it); the distributions' x86_64 kernels do not have it.
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
