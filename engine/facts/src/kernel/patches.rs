//! The published patches. Each can be switched on for any kernel to which it applies.
//!
//! Modelled: what each patch changes in a kernel's [`Features`], what it requires, and why it does not apply
//! to a kernel.
//! Left out: patches that change nothing in the engine.
//! Invariants: a patch changes its kernel or is refused. The order in which patches are named does not
//! matter: requirements are looked up in the kernel and in all named patches.

mod offers;

use serde::Serialize;

use crate::kernel::variants::{AUTONUMA_28, NUMA_3_13, NUMACORE_17, SHORT_TIMEOUTS};
use crate::kernel::{
    AutoRules, Compaction, CoreRules, Features, HighOrderReclaim, IsolatedWait, NoProgressWait,
    NoProgressWake, NumaBalancing, NumaPlacement, ReclaimCompaction, RetryWait, SlabAllocator,
    StallSite, Timeout, VmstatNames, WritebackWait, ZonelistCache,
};
use crate::read::{MOST_REFUSALS, row};
use crate::view::Refusal;

pub use offers::{Offer, offers};

/// A published patch.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Patch {
    /// Stable id: the name in the tables of the series, if they have one.
    pub id: &'static str,
    /// The patch's subject, in our words.
    pub title: &'static str,
    /// The changes that the patch makes, and their places in the kernel.
    pub about: &'static str,
    #[serde(skip)]
    requires: &'static [Requires],
    /// Whether a kernel to which the patch could apply already has it.
    #[serde(skip)]
    is_in: fn(&Features) -> bool,
    #[serde(skip)]
    apply: fn(&mut Features),
}

/// What a patch requires.
#[derive(Debug, Clone, Copy)]
enum Requires {
    /// A kernel with a property.
    Kernel {
        /// Whether the kernel has the property.
        holds: fn(&Features) -> bool,
        /// Why the patch does not apply to a kernel without it.
        otherwise: &'static str,
    },
    /// Another patch, which the kernel already has or which must be named too.
    Patch(&'static str),
    /// That another patch is not named, because both change the same thing.
    Without(&'static str),
}

const HAS_ZONELIST_CACHE: Requires = Requires::Kernel {
    holds: |f| !matches!(f.zonelist_cache, ZonelistCache::Removed),
    otherwise: "it has no zonelist cache",
};

const WAITS_AT_NODE: Requires = Requires::Kernel {
    holds: |f| matches!(f.stall_site, StallSite::Node),
    otherwise: "the series is for kernels with per-node LRU lists, from 4.8",
};

/// The eight parts of the series of October 2021, "mm/vmscan: throttle reclaim ...", v5.
pub(super) const RECLAIMCONGEST: &[&str] = &[
    "throttle-writeback",
    "throttle-isolated",
    "throttle-noprogress",
    "throttle-writepages",
    "no-retry-wait",
    "throttle-timeouts",
    "noprogress-longer",
    "noprogress-eighth",
];

/// The parts of the series of November 2010, "Use memory compaction instead of lumpy reclaim", that change
/// what a run does or records, in the order of the series.
pub(super) const COMPACTION: &[&str] = &[
    "traceonly",
    "reclaimcompact",
    "obeysync",
    "fastscan",
    "compacthint",
];

const COMPACTS: Requires = Requires::Kernel {
    holds: |f| matches!(f.compaction, Compaction::Whole),
    otherwise: "the engine models compaction for 2.6.37 and 2.6.38 only",
};

const LUMPY: Requires = Requires::Kernel {
    holds: |f| matches!(f.high_order_reclaim, HighOrderReclaim::Lumpy),
    otherwise: "its reclaim for large orders is not lumpy",
};

/// The changes of the ten patches of numa/core v18 (30 November 2012) to v17: one switch for each item of its
/// list. v17 already has the buddies of the first item; directed convergence includes both spreading and
/// compressing.
pub(super) const NUMACORE_18: &[&str] = &[
    "nc-v17",
    "nc-groups",
    "nc-directed",
    "nc-flips",
    "nc-strength",
    "nc-veto",
    "nc-adaptive-scan",
    "nc-clustered-faults",
    "nc-many-buddies",
    "nc-nice-alloc",
];

const NUMACORE: Requires = Requires::Patch("nc-v17");

const fn core_rules(features: &Features) -> Option<CoreRules> {
    match features.numa_balancing.rules() {
        Some(rules) => rules.core,
        None => None,
    }
}

/// Whether a kernel has this rule of numa/core.
fn core_has(features: &Features, has: fn(&CoreRules) -> bool) -> bool {
    core_rules(features).is_some_and(|rules| has(&rules))
}

/// Changes a rule of numa/core.
fn core_set(features: &mut Features, set: fn(&mut CoreRules)) {
    if let NumaBalancing::Modelled(rules) = &mut features.numa_balancing
        && let Some(core) = &mut rules.core
    {
        set(core);
    }
}

const AUTONUMA: Requires = Requires::Patch("an-v28");

const fn auto_rules(features: &Features) -> Option<AutoRules> {
    match features.numa_balancing.rules() {
        Some(rules) => rules.auto,
        None => None,
    }
}

fn marks_tables(features: &Features) -> bool {
    let rules = features.numa_balancing.rules();
    rules.is_some_and(|rules| rules.whole_tables)
}

/// Changes a switch of AutoNUMA.
fn auto_set(features: &mut Features, set: fn(&mut AutoRules)) {
    if let NumaBalancing::Modelled(rules) = &mut features.numa_balancing
        && let Some(auto) = &mut rules.auto
    {
        set(auto);
    }
}

const PATCHES: &[Patch] = &[
    Patch {
        id: "nocompaction",
        title: "compaction is not built in",
        about: "CONFIG_COMPACTION is off, as in the first column of the series of November 2010: reclaim for large orders is lumpy, and no page is moved.",
        requires: &[COMPACTS],
        is_in: |f| matches!(f.compaction, Compaction::NotBuilt),
        apply: |f| {
            f.compaction = Compaction::NotBuilt;
            f.reclaim_compaction = ReclaimCompaction::Apart;
            f.high_order_reclaim = HighOrderReclaim::Lumpy;
        },
    },
    Patch {
        id: "traceonly",
        title: "compaction has tracepoints",
        about: "isolate_migratepages, isolate_freepages and migrate_pages report the pages they scanned, isolated and moved (2010, first of eight patches, in 2.6.38). Nothing else changes.",
        requires: &[COMPACTS],
        is_in: |f| f.compaction_traced,
        apply: |f| f.compaction_traced = true,
    },
    Patch {
        id: "reclaimcompact",
        title: "reclaim compacts a zone after each batch",
        about: "shrink_inactive_list reclaims as many single pages as a block of the order has, and then compacts the zone. It no longer takes whole blocks (2010, third of eight patches as posted on 17 November; another version was merged).",
        requires: &[COMPACTS],
        is_in: |f| f.reclaim_compaction != ReclaimCompaction::Apart,
        apply: |f| {
            if f.compaction == Compaction::Whole {
                f.high_order_reclaim = HighOrderReclaim::Compaction;
                f.reclaim_compaction = ReclaimCompaction::AfterBatch;
            }
            f.compaction_stops_at_low = true;
        },
    },
    Patch {
        id: "shouldcontinue",
        title: "reclaim continues until compaction could work",
        about: "shrink_zone reclaims single pages, and starts over while should_continue_reclaim() finds too few free pages for compaction. The request itself compacts afterwards (2010, third of seven patches as posted on 22 November, in 2.6.38).",
        requires: &[COMPACTS],
        is_in: |f| f.reclaim_compaction != ReclaimCompaction::Apart,
        apply: |f| {
            if f.compaction == Compaction::Whole && f.reclaim_compaction == ReclaimCompaction::Apart
            {
                f.high_order_reclaim = HighOrderReclaim::Compaction;
                f.reclaim_compaction = ReclaimCompaction::Continues;
            }
            f.compaction_stops_at_low = true;
        },
    },
    Patch {
        id: "obeysync",
        title: "compaction before reclaim does not wait",
        about: "migrate_pages takes a sync argument: a request that compacts before it reclaims waits neither for locks nor for writes (2010, fourth of eight patches, in 2.6.38).",
        requires: &[COMPACTS],
        is_in: |f| f.compaction_async,
        apply: |f| f.compaction_async = true,
    },
    Patch {
        id: "fastscan",
        title: "compaction that does not wait scans movable blocks only",
        about: "isolate_migratepages skips pageblocks that are not movable, unless the compaction may wait (2010, sixth of eight patches, in 2.6.38).",
        requires: &[COMPACTS, Requires::Patch("obeysync")],
        is_in: |f| f.compaction_fast_scan,
        apply: |f| f.compaction_fast_scan = true,
    },
    Patch {
        id: "compacthint",
        title: "compaction starts at the oldest pages",
        about: "When reclaim compacts a zone, compaction starts at the block after the oldest inactive page. Then it compacts from the zone's beginning up to there (2010, seventh of eight patches, dropped before the merge).",
        requires: &[COMPACTS, Requires::Patch("reclaimcompact")],
        is_in: |f| f.compaction_hint,
        apply: |f| f.compaction_hint = true,
    },
    Patch {
        id: "lumpyrefs",
        title: "lumpy reclaim spares pages that were used",
        about: "shrink_page_list calls page_check_references() for the pages of a target block as for any other page. A page that was used is not reclaimed and ends the block. We made this patch up: it shows how much lumpy reclaim gains by ignoring use.",
        requires: &[LUMPY],
        is_in: |f| !f.lumpy_ignores_references,
        apply: |f| f.lumpy_ignores_references = false,
    },
    Patch {
        id: "nolumpy",
        title: "reclaim for large orders takes single pages",
        about: "set_lumpy_reclaim_mode() never sets a mode, isolate_lru_pages() gets order 0, and no second pass waits: only compaction makes large blocks. We made this patch up: it shows what lumpy reclaim adds to compaction.",
        requires: &[LUMPY],
        is_in: |f| f.high_order_reclaim == HighOrderReclaim::Plain,
        apply: |f| {
            if f.high_order_reclaim == HighOrderReclaim::Lumpy {
                f.high_order_reclaim = HighOrderReclaim::Plain;
            }
            f.isolation_by_blocks = false;
        },
    },
    Patch {
        id: "zlcfirst",
        title: "the zonelist cache covers the first zone too",
        about: "get_page_from_freelist sets up the cache before the first zone_reclaim instead of after the first zone. It no longer marks a zone as full if zone_reclaim found too few pages to scan there (2011, in 3.1).",
        requires: &[HAS_ZONELIST_CACHE],
        is_in: |f| !matches!(f.zonelist_cache, ZonelistCache::FirstZoneIgnored),
        apply: |f| f.zonelist_cache = ZonelistCache::FirstZoneChecked,
    },
    Patch {
        id: "zlcreconsider",
        title: "after direct reclaim every zone is tried again",
        about: "__alloc_pages_direct_reclaim clears the zonelist cache when it has freed pages (2011, in 3.1).",
        requires: &[HAS_ZONELIST_CACHE],
        is_in: |f| f.zlc_reconsider,
        apply: |f| f.zlc_reconsider = true,
    },
    Patch {
        id: "slub",
        title: "built with CONFIG_SLUB",
        about: "mm/slub.c allocates kernel objects instead of mm/slab.c, which first requests pages only on the CPU's own node. This is a build option, not a patch; a distribution's kernels of July 2011 had SLAB.",
        requires: &[],
        is_in: |f| f.slab_allocator == SlabAllocator::Slub,
        apply: |f| f.slab_allocator = SlabAllocator::Slub,
    },
    Patch {
        id: "noswapwrite",
        title: "zone_reclaim leaves congested devices alone",
        about: "__zone_reclaim no longer sets PF_SWAPWRITE (2011, first of three patches of the series' first version, dropped from the second). It matters only if zone_reclaim_mode allows writing: 2 or 4.",
        requires: &[Requires::Kernel {
            holds: |f| !f.reclaim_writes.counts_tail(),
            otherwise: "the engine models congested queues for 2.6.37 to 3.8 only",
        }],
        is_in: |f| !f.zone_reclaim_swapwrite,
        apply: |f| f.zone_reclaim_swapwrite = false,
    },
    Patch {
        id: "checklow",
        title: "kswapd skips lower zones that are balanced",
        about: "balance_pgdat skips a zone that is above its high watermark, whatever reserve the zone keeps from the highest zone in need (2014, third of five patches).",
        requires: &[Requires::Kernel {
            holds: Features::kswapd_counts_scans,
            otherwise: "the patch is for the kswapd of 3.16",
        }],
        is_in: |f| f.skip_balanced_lower_zones,
        apply: |f| f.skip_balanced_lower_zones = true,
    },
    Patch {
        id: "throttle-writeback",
        title: "reclaimers wait for writes to end, not for queues to clear",
        about: "shrink_node calls reclaim_throttle for WRITEBACK instead of congestion_wait and wait_iff_congested. The wait ends once 32 pages of the node were written for each waiting task (2021, part 1 of 8).",
        requires: &[WAITS_AT_NODE],
        is_in: |f| f.writeback_wait != WritebackWait::CongestedQueue,
        apply: |f| f.writeback_wait = WritebackWait::Written,
    },
    Patch {
        id: "throttle-isolated",
        title: "a passed check ends the wait for isolated pages",
        about: "shrink_inactive_list calls reclaim_throttle for ISOLATED instead of sleeping 100 ms. A task that finds the isolated pages within their limit ends the wait (2021, part 2 of 8).",
        requires: &[WAITS_AT_NODE, Requires::Patch("throttle-writeback")],
        is_in: |f| f.isolated_wait == IsolatedWait::Throttle,
        apply: |f| f.isolated_wait = IsolatedWait::Throttle,
    },
    Patch {
        id: "throttle-noprogress",
        title: "direct reclaim without progress waits",
        about: "shrink_zones considers reclaim_throttle for NOPROGRESS after each node, below priority 10. A task that has reclaimed anything ends the wait (2021, part 3 of 8).",
        requires: &[WAITS_AT_NODE, Requires::Patch("throttle-isolated")],
        is_in: |f| f.noprogress_wait != NoProgressWait::Never,
        apply: |f| f.noprogress_wait = NoProgressWait::EachNode,
    },
    Patch {
        id: "throttle-writepages",
        title: "writeback that lacks memory waits for writes to end",
        about: "do_writepages calls reclaim_throttle for WRITEBACK after an ENOMEM instead of congestion_wait (2021, part 4 of 8). Writeback allocates no memory in the engine, so no run differs.",
        requires: &[WAITS_AT_NODE, Requires::Patch("throttle-writeback")],
        is_in: |f| f.writepages_throttled,
        apply: |f| f.writepages_throttled = true,
    },
    Patch {
        id: "no-retry-wait",
        title: "the allocator no longer waits before it tries again",
        about: "should_reclaim_retry no longer calls congestion_wait when more than half of a zone's reclaimable pages await I/O (2021, part 5 of 8).",
        requires: &[Requires::Kernel {
            holds: |f| !matches!(f.retry_wait, RetryWait::CongestedQueue),
            otherwise: "its allocator has no such wait, which came with 4.7",
        }],
        is_in: |f| f.retry_wait == RetryWait::Nothing,
        apply: |f| f.retry_wait = RetryWait::Nothing,
    },
    Patch {
        id: "throttle-timeouts",
        title: "one place sets all timeouts",
        about: "reclaim_throttle chooses its timeout by reason; the timeout of ISOLATED becomes HZ/50 (2021, part 6 of 8).",
        requires: &[
            WAITS_AT_NODE,
            Requires::Patch("throttle-noprogress"),
            Requires::Patch("throttle-writepages"),
        ],
        is_in: |f| f.throttle_timeouts.isolated == Timeout::PerSecond(50),
        apply: |f| f.throttle_timeouts.isolated = Timeout::PerSecond(50),
    },
    Patch {
        id: "noprogress-longer",
        title: "reclaim without progress waits longer",
        about: "The timeout of NOPROGRESS becomes HZ/2 (2021, part 7 of 8).",
        requires: &[WAITS_AT_NODE, Requires::Patch("throttle-timeouts")],
        is_in: |f| f.throttle_timeouts.noprogress != SHORT_TIMEOUTS.noprogress,
        apply: |f| f.throttle_timeouts.noprogress = Timeout::PerSecond(2),
    },
    Patch {
        id: "noprogress-eighth",
        title: "only reclaim of more than an eighth ends the wait for progress",
        about: "consider_reclaim_throttle wakes the tasks that wait for progress only if more than an eighth of the scanned pages were reclaimed. Otherwise the reclaimer may wait itself (2021, part 8 of 8).",
        requires: &[WAITS_AT_NODE, Requires::Patch("throttle-noprogress")],
        is_in: |f| f.noprogress_wake == NoProgressWake::AboveEighth,
        apply: |f| f.noprogress_wake = NoProgressWake::AboveEighth,
    },
    Patch {
        id: "noprogress-once",
        title: "waits without progress are rare and last one tick",
        about: "NOPROGRESS is considered once per priority, for the first node. It waits one tick at priority 1 if nothing was reclaimed and many pages await I/O. Direct reclaimers of a congested node wait one tick as well (1b4e3f26f9f7, December 2021, in 5.16).",
        requires: &[
            WAITS_AT_NODE,
            Requires::Patch("noprogress-longer"),
            Requires::Patch("noprogress-eighth"),
        ],
        is_in: |f| f.noprogress_wait == NoProgressWait::FirstNode,
        apply: |f| {
            f.noprogress_wait = NoProgressWait::FirstNode;
            f.writeback_wait = WritebackWait::WrittenOrTick;
            f.throttle_timeouts.noprogress = Timeout::Tick;
        },
    },
    Patch {
        id: "numa-3.13",
        title: "NUMA placement of 3.13",
        about: "Tasks prefer the node with most of their hinting faults, form groups with tasks that share their pages, and move or change places. The kinds of faults set the scan period (series of October 2013, in 3.13).",
        requires: &[Requires::Kernel {
            holds: |f| matches!(f.vmstat, VmstatNames::V3_8),
            otherwise: "the series is modelled for 3.8 only",
        }],
        is_in: |f| {
            let rules = f.numa_balancing.rules();
            rules.is_some_and(|rules| rules.placement == NumaPlacement::V3_13)
        },
        apply: |f| f.numa_balancing = NumaBalancing::Modelled(NUMA_3_13),
    },
    Patch {
        id: "nc-v17",
        title: "numa/core v17",
        about: "Page table entries are marked so that their next access faults. Tasks are classified by whether they share their memory, and look for the node of their process. Shared memory is interleaved over the nodes with buddies (numa/core v17, 22 November 2012).",
        requires: &[Requires::Kernel {
            holds: |f| matches!(f.vmstat, VmstatNames::V3_7) && auto_rules(f).is_none(),
            otherwise: "the series is for 3.7 without AutoNUMA",
        }],
        is_in: |f| core_rules(f).is_some(),
        apply: |f| {
            if core_rules(f).is_none() {
                f.numa_balancing = NumaBalancing::Modelled(NUMACORE_17);
            }
        },
    },
    Patch {
        id: "nc-nobuddies",
        title: "tasks remember no buddies",
        about: "numa/core without its task buddies (bullet 1, in v17 already): only tasks of one process are related. We made this patch up: it shows what buddies add.",
        requires: &[NUMACORE],
        is_in: |f| core_has(f, |rules| !rules.buddies),
        apply: |f| core_set(f, |rules| rules.buddies = false),
    },
    Patch {
        id: "nc-groups",
        title: "buddies relate tasks",
        about: "Tasks that share memory form one group, also across processes. The buddies they remember define the group (numa/core v18, 'related task groups').",
        requires: &[NUMACORE, Requires::Patch("nc-directed")],
        is_in: |f| core_has(f, |rules| rules.groups),
        apply: |f| core_set(f, |rules| rules.groups = true),
    },
    Patch {
        id: "nc-directed",
        title: "tasks spread and compress",
        about: "Once a second and after each pass, a task of the smallest group of its node moves to a node with idle CPUs, or else to the node with most of its group. v17's rules for the load balancer are removed, averages of faults change more slowly, and scans end after twice their size (numa/core v18, 'directed NUMA scheduling convergence').",
        requires: &[NUMACORE],
        is_in: |f| core_has(f, |rules| rules.directed),
        apply: |f| core_set(f, |rules| rules.directed = true),
    },
    Patch {
        id: "nc-flips",
        title: "tasks change places",
        about: "A task that compresses changes places with a task that runs there. Without this, two tasks share that CPU until one is moved (numa/core v18, 'task flipping').",
        requires: &[NUMACORE, Requires::Patch("nc-directed")],
        is_in: |f| core_has(f, |rules| rules.flips),
        apply: |f| core_set(f, |rules| rules.flips = true),
    },
    Patch {
        id: "nc-strength",
        title: "convergence is measured",
        about: "A task's convergence strength is the part of its faults on its best node, of 1024. This patch only measures it; two other patches use it (numa/core v18, 'quality and strength of convergence').",
        requires: &[NUMACORE],
        is_in: |f| core_has(f, |rules| rules.strength),
        apply: |f| core_set(f, |rules| rules.strength = true),
    },
    Patch {
        id: "nc-veto",
        title: "converged tasks stay",
        about: "Neither a wake-up nor the load balancer moves a task that has converged to a CPU of any node but the one it converged on (numa/core v18, 'converged tasks stay put').",
        requires: &[NUMACORE, Requires::Patch("nc-strength")],
        is_in: |f| core_has(f, |rules| rules.veto),
        apply: |f| core_set(f, |rules| rules.veto = true),
    },
    Patch {
        id: "nc-adaptive-scan",
        title: "converged tasks scan less",
        about: "A scan marks 32 to 512 MiB, and less the more its task has converged; before, 256 MiB. A change of node restarts the scan period, and kernel.numa_balancing_scan_size_mb has no effect (numa/core v18, 'adaptive fault rate').",
        requires: &[NUMACORE, Requires::Patch("nc-strength")],
        is_in: |f| core_has(f, |rules| rules.adaptive_scan),
        apply: |f| core_set(f, |rules| rules.adaptive_scan = true),
    },
    Patch {
        id: "nc-clustered-faults",
        title: "one fault serves a page table",
        about: "The fault of a small page serves all marked entries of its page table (numa/core v18, '4K faults become effective hugepage faults').",
        requires: &[NUMACORE],
        is_in: |f| core_has(f, |rules| rules.clustered_faults),
        apply: |f| core_set(f, |rules| rules.clustered_faults = true),
    },
    Patch {
        id: "nc-many-buddies",
        title: "memory is interleaved over nodes with many buddies",
        about: "Shared memory is interleaved over nodes with three buddies or more; before, one was enough. If no node has three, each page stays where it is used (numa/core v18, 'refined shared memory interleaving').",
        requires: &[NUMACORE],
        is_in: |f| core_has(f, |rules| rules.many_buddies),
        apply: |f| core_set(f, |rules| rules.many_buddies = true),
    },
    Patch {
        id: "nc-nice-alloc",
        title: "policies do not force reclaim",
        about: "An allocation for NUMA placement tries other nodes with room before it reclaims, and no huge page moves to a node without room (numa/core v18, 'friendlier out-of-memory behaviour').",
        requires: &[NUMACORE],
        is_in: |f| core_has(f, |rules| rules.nice_alloc),
        apply: |f| core_set(f, |rules| rules.nice_alloc = true),
    },
    Patch {
        id: "an-v28",
        title: "AutoNUMA 28",
        about: "A kernel thread, knuma_scand, marks the private memory of all processes. Faults show where tasks and processes have their memory. Pages move to where they are used, and tasks of busy CPUs change places so that they run where their memory is (AutoNUMA 28 with the fix for huge pages, October and November 2012).",
        requires: &[
            Requires::Kernel {
                holds: |f| matches!(f.vmstat, VmstatNames::V3_7) && core_rules(f).is_none(),
                otherwise: "the series is for 3.7",
            },
            Requires::Without("nc-v17"),
        ],
        is_in: |f| auto_rules(f).is_some(),
        apply: |f| {
            if auto_rules(f).is_none() {
                f.numa_balancing = NumaBalancing::Modelled(AUTONUMA_28);
            }
        },
    },
    Patch {
        id: "an-scan-ptes",
        title: "AutoNUMA marks small pages one by one",
        about: "Each small page takes a fault of its own, as with 0 in /sys/kernel/mm/autonuma/scan_pmd; otherwise one fault serves a page table.",
        requires: &[AUTONUMA],
        is_in: |f| auto_rules(f).is_some() && !marks_tables(f),
        apply: |f| {
            if let NumaBalancing::Modelled(rules) = &mut f.numa_balancing {
                rules.whole_tables = false;
            }
        },
    },
    Patch {
        id: "an-second-fault",
        title: "AutoNUMA moves no page at its first fault",
        about: "A page without an earlier fault stays until a second fault from the same node, as with 0 in /sys/kernel/mm/autonuma/migrate_allow_first_fault.",
        requires: &[AUTONUMA],
        is_in: |f| auto_rules(f).is_some_and(|rules| !rules.first_fault),
        apply: |f| auto_set(f, |rules| rules.first_fault = false),
    },
    Patch {
        id: "an-strict",
        title: "AutoNUMA takes precedence over fair shares",
        about: "A busy CPU takes no task away from the node where AutoNUMA placed it, as with 1 in /sys/kernel/mm/autonuma/sched_load_balance_strict; idle CPUs still do.",
        requires: &[AUTONUMA],
        is_in: |f| auto_rules(f).is_some_and(|rules| rules.strict),
        apply: |f| auto_set(f, |rules| rules.strict = true),
    },
];

/// The patch that turns 3.7 into AutoNUMA.
pub(super) const AUTONUMA_PATCHES: &[&str] = &["an-v28"];

/// Every patch, in the order of their series.
pub fn patches() -> &'static [Patch] {
    PATCHES
}

/// The features of a kernel with these patches.
///
/// # Errors Each refused patch with the reason. The path is its index in `ids`: "[1]".
pub fn patched<S: AsRef<str>>(features: &Features, ids: &[S]) -> Result<Features, Vec<Refusal>> {
    let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
    patched_from(PATCHES, features, &ids)
}

fn patched_from(
    known: &[Patch],
    features: &Features,
    ids: &[&str],
) -> Result<Features, Vec<Refusal>> {
    let mut refusals = Vec::new();
    for (i, id) in ids.iter().enumerate() {
        if refusals.len() > MOST_REFUSALS {
            break;
        }
        let found = known.iter().find(|patch| patch.id == *id);
        let reason = match found {
            _ if ids[..i].contains(id) => Some(format!("'{id}' is named twice")),
            None => {
                let known = row(known.iter().map(|patch| patch.id));
                Some(format!("no patch is called '{id}'; there are {known}"))
            }
            Some(patch) => patch.refused(known, features, ids),
        };
        let path = format!("[{i}]");
        refusals.extend(reason.map(|reason| Refusal { path, reason }));
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let mut out = *features;
    for patch in known.iter().filter(|patch| ids.contains(&patch.id)) {
        (patch.apply)(&mut out);
    }
    Ok(out)
}

impl Patch {
    /// Why this patch does not apply to a kernel together with the others named in `ids`; none if it does.
    fn refused(&self, known: &[Patch], kernel: &Features, ids: &[&str]) -> Option<String> {
        for required in self.requires {
            match *required {
                Requires::Kernel { holds, otherwise } if !holds(kernel) => {
                    return Some(format!(
                        "this patch does not apply to this kernel: {otherwise}"
                    ));
                }
                Requires::Patch(other) if !ids.contains(&other) => {
                    let mut other_patch = known.iter().filter(|patch| patch.id == other);
                    if !other_patch.any(|patch| (patch.is_in)(kernel)) {
                        return Some(format!("it builds on '{other}': name that patch as well"));
                    }
                }
                Requires::Without(other) if ids.contains(&other) => {
                    return Some(format!("it cannot be combined with '{other}'"));
                }
                _ => {}
            }
        }
        let again = (self.is_in)(kernel);
        again.then(|| "this kernel already has this patch".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;

    fn of(kernel: &str) -> &'static Features {
        &find(kernel).expect("a kernel").features
    }

    #[test]
    fn a_patch_changes_its_kernel_or_is_refused() {
        for kernel in crate::kernel::kernels() {
            for patch in patches() {
                match patched(&kernel.features, &[patch.id]) {
                    Ok(features) => {
                        assert_ne!(features, kernel.features, "{}", patch.id);
                        assert!((patch.is_in)(&features), "{}", patch.id);
                    }
                    Err(refusals) => {
                        assert_eq!(refusals.len(), 1);
                        assert_eq!(refusals[0].path, "[0]");
                        let why = &refusals[0].reason;
                        let said = [
                            "does not apply",
                            "already has this patch",
                            "name that patch as well",
                        ];
                        assert!(said.iter().any(|said| why.contains(said)), "{why}");
                    }
                }
            }
        }
    }

    #[test]
    fn names_each_refused_patch_by_its_position() {
        let ids = ["zlcfirst", "moon", "checklow", "zlcfirst"];
        let refusals = patched(of("3.0"), &ids).expect_err("refused");
        let told: Vec<(&str, &str)> = refusals
            .iter()
            .map(|r| (r.path.as_str(), r.reason.as_str()))
            .collect();
        let known = row(patches().iter().map(|patch| patch.id));
        let known = format!("no patch is called 'moon'; there are {known}");
        assert_eq!(
            told,
            [
                ("[1]", known.as_str()),
                (
                    "[2]",
                    "this patch does not apply to this kernel: the patch is for the kswapd of 3.16"
                ),
                ("[3]", "'zlcfirst' is named twice"),
            ]
        );
    }

    /// Part 3 builds on part 2.
    #[test]
    fn refuses_a_patch_without_the_patches_it_builds_on() {
        let without = ["throttle-writeback", "throttle-noprogress"];
        let refusals = patched(of("5.15"), &without).expect_err("refused");
        assert_eq!(refusals.len(), 1);
        assert_eq!(refusals[0].path, "[1]");
        assert_eq!(
            refusals[0].reason,
            "it builds on 'throttle-isolated': name that patch as well"
        );
        // Only two parts apply without the others: they change what 5.15 has.
        let alone = RECLAIMCONGEST
            .iter()
            .filter(|part| patched(of("5.15"), &[part]).is_ok());
        let alone: Vec<_> = alone.copied().collect();
        assert_eq!(alone, ["throttle-writeback", "no-retry-wait"]);
        let reason = |kernel, part| {
            patched(of(kernel), &[part])
                .expect_err("refused")
                .remove(0)
                .reason
        };
        assert!(reason("3.16", "throttle-writeback").ends_with("from 4.8"));
        assert!(reason("6.1", "noprogress-eighth").ends_with("already has this patch"));
    }

    #[test]
    fn kernel_5_15_with_the_series_and_its_correction_throttles_like_6_1() {
        let mut ids = RECLAIMCONGEST.to_vec();
        ids.insert(0, "noprogress-once");
        let made = patched(of("5.15"), &ids).expect("all of them");
        let rules = |f: &Features| {
            (
                (f.retry_wait, f.writeback_wait, f.writepages_throttled),
                (f.isolated_wait, f.noprogress_wait, f.noprogress_wake),
                f.throttle_timeouts,
            )
        };
        assert_eq!(rules(&made), rules(of("6.1")));
    }

    #[test]
    fn patches_of_lumpy_reclaim_can_be_applied_with_or_without_compaction() {
        let with = |ids: &[&str]| patched(of("2.6.37"), ids).expect("the kernel can take it");
        let lumpy = with(&["nocompaction", "lumpyrefs"]);
        assert!(!lumpy.lumpy_ignores_references);
        assert_eq!(lumpy.high_order_reclaim, HighOrderReclaim::Lumpy);
        assert_eq!(lumpy.compaction, Compaction::NotBuilt);
        let compacts = with(&["nolumpy"]);
        assert_eq!(compacts.high_order_reclaim, HighOrderReclaim::Plain);
        assert_eq!(compacts.compaction, Compaction::Whole);
        assert!(!compacts.isolation_by_blocks);
        for alone in ["obeysync", "reclaimcompact", "shouldcontinue"] {
            assert_ne!(with(&[alone]), with(&["traceonly"]), "{alone}");
        }
        for kernel in ["blindcompact", "2.6.38", "6.1"] {
            for switch in ["lumpyrefs", "nolumpy"] {
                let refusals = patched(of(kernel), &[switch]).expect_err("refused");
                assert!(refusals[0].reason.ends_with("is not lumpy"));
            }
        }
    }

    #[test]
    fn a_required_patch_may_be_part_of_the_kernel_or_be_listed() {
        let of_id = |id| *PATCHES.iter().find(|p| p.id == id).expect("a patch");
        let (first, mut second) = (of_id("zlcfirst"), of_id("zlcreconsider"));
        second.requires = &[HAS_ZONELIST_CACHE, Requires::Patch("zlcfirst")];
        let known = [first, second];
        let with = |kernel: &str, ids: &[&str]| {
            let made = patched_from(&known, of(kernel), ids);
            made.map_err(|refusals| refusals[0].reason.clone())
        };
        let both = Ok(*of("zlcreconsider"));
        assert_eq!(with("3.0", &["zlcreconsider", "zlcfirst"]), both);
        // The kernel already has the other patch.
        assert_eq!(with("zlcfirst", &["zlcreconsider"]), both);
        assert_eq!(
            with("3.0", &["zlcreconsider"]),
            Err("it builds on 'zlcfirst': name that patch as well".to_string())
        );
        assert_eq!(
            with("6.1", &["zlcreconsider"]),
            Err("this patch does not apply to this kernel: it has no zonelist cache".to_string())
        );
    }
}
