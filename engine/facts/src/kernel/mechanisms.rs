//! Which mechanisms of a kernel variant the engine models, and how faithfully.
//!
//! Modelled: the list next to a kernel's name on the page.
//! Left out: mechanisms that no lesson or table uses.
//! Visible difference: a run of the engine differs from a real run.
//! Invariants: the note of a mechanism that is not mirrored says what is different.

use crate::kernel::{
    AnonVmaLock, Compaction, FaultAround, Features, HighOrderReclaim, LruGenRule, MemcgRule,
    NumaBalancing, NumaPlacement, NumaRules, ReclaimCompaction, ScanPeriod, SlabAllocator,
    WritebackWait, ZonelistCache,
};
use crate::view::{Fidelity, Mechanism};

impl Features {
    /// The kernel's mechanisms, how faithfully the engine models them, and what is different in a mechanism
    /// that is simplified or missing.
    pub fn mechanisms(&self) -> Vec<Mechanism> {
        let mut list = Vec::new();
        let mut add = |name: &str, fidelity, note: &str| {
            list.push(Mechanism {
                name: name.to_string(),
                fidelity,
                note: note.to_string(),
            });
        };
        use Fidelity::{Absent, Mirrored, Simplified};
        add("watermarks and lowmem reserve", Simplified, MARKS_NOTE);
        add("zonelist order", Mirrored, "");
        add("buddy allocator", Simplified, BUDDY_NOTE);
        add("migrate types and fallback", Simplified, FALLBACK_NOTE);
        add("per-cpu lists", Simplified, PCP_NOTE);
        add(
            "allocator fast and slow path",
            Simplified,
            self.slow_path_note(),
        );
        add("page tables", Simplified, PAGE_TABLE_NOTE);
        add("per-cpu counter drift", Absent, DRIFT_NOTE);
        add("LRU lists and ageing", Simplified, LRU_NOTE);
        add("kswapd balancing", Simplified, self.balance_note());
        add("direct reclaim and OOM", Simplified, self.reclaim_note());
        if self.high_order_reclaim == HighOrderReclaim::Lumpy {
            add("lumpy reclaim", Mirrored, "");
        }
        if self.workingset {
            add("refault distance", Simplified, REFAULT_NOTE);
        }
        match self.writeback_wait {
            WritebackWait::CongestedQueue => add("congestion waits", Simplified, CONGESTION_NOTE),
            _ => add("reclaim throttling", Simplified, THROTTLE_NOTE),
        }
        if self.writepages_throttled {
            add("throttled writepages", Absent, WRITEPAGES_NOTE);
        }
        add("page cache and read-ahead", Simplified, CACHE_NOTE);
        if self.fault_around != FaultAround::Never {
            add("faults that map around", Simplified, AROUND_NOTE);
        }
        add("swap", Simplified, SWAP_NOTE);
        add("dirty limits and flushers", Simplified, DIRTY_NOTE);
        add("block devices", Simplified, BLOCK_NOTE);
        if self.blk_mq {
            add("writeback throttling", Simplified, WBT_NOTE);
        }
        let slab_note = match self.slab_allocator {
            SlabAllocator::Slab => SLAB_NOTE_SLAB,
            SlabAllocator::Slub => SLAB_NOTE,
        };
        add("slab caches", Simplified, slab_note);
        add("CPU scheduler", Simplified, SCHED_NOTE);
        add("load balancing", Simplified, BALANCING_NOTE);
        add("processes and threads", Simplified, THREADS_NOTE);
        add("memory policies", Simplified, POLICY_NOTE);
        match self.numa_balancing {
            NumaBalancing::Absent => {}
            NumaBalancing::NotModelled => add("NUMA balancing", Absent, NUMA_ABSENT_NOTE),
            NumaBalancing::Modelled(rules) => {
                add("NUMA balancing", Simplified, numa_note(rules));
            }
        }
        match self.anon_vma_lock {
            AnonVmaLock::Mutex => add("anon_vma lock", Simplified, ANON_VMA_NOTE),
            AnonVmaLock::Spinlock => add("anon_vma lock", Absent, ANON_VMA_SPINLOCK_NOTE),
            AnonVmaLock::ReadSemaphore => add("anon_vma lock", Absent, ANON_VMA_READ_NOTE),
        }
        if self.balanced_by_rotation {
            add(
                "balance of anonymous and file pages",
                Simplified,
                ROTATION_NOTE,
            );
        }
        match self.lru_gen {
            LruGenRule::NotBuilt => {}
            LruGenRule::NotModelled => {
                add("multi-generational LRU", Absent, GENERATIONS_ABSENT_NOTE);
            }
            LruGenRule::AgesBefore | LruGenRule::AgesWithin => {
                add("multi-generational LRU", Simplified, GENERATIONS_NOTE);
            }
        }
        match self.memcg {
            MemcgRule::Absent => add("memory cgroups", Absent, MEMCG_ABSENT_NOTE),
            MemcgRule::WholeTree | MemcgRule::SharedWalk => {
                add("memory cgroups", Simplified, MEMCG_NOTE);
            }
        }
        match self.compaction {
            Compaction::Whole => add("compaction", Simplified, COMPACTION_WHOLE_NOTE),
            Compaction::NotBuilt => {}
            Compaction::NotModelled => add("compaction", Absent, COMPACTION_NOTE),
        }
        add("zone_reclaim", Simplified, ZONE_RECLAIM_NOTE);
        if self.zonelist_cache != ZonelistCache::Removed {
            add("zonelist cache", Mirrored, "");
        }
        if self.fair_zone_policy {
            add("fair zone policy", Simplified, FAIR_NOTE);
        }
        if self.skip_balanced_lower_zones {
            add("kswapd skips balanced lower zones", Mirrored, "");
        }
        if self.boost {
            add("watermark boost", Simplified, BOOST_NOTE);
        }
        list
    }

    fn slow_path_note(&self) -> &'static str {
        match self.compaction {
            Compaction::NotModelled => SLOW_PATH_NOTE,
            _ => SLOW_PATH_WHOLE_NOTE,
        }
    }

    fn balance_note(&self) -> &'static str {
        if self.compaction != Compaction::NotModelled {
            BALANCE_WHOLE_NOTE
        } else if self.kswapd_counts_scans() {
            BALANCE_3_16_NOTE
        } else {
            BALANCE_NOTE
        }
    }

    fn reclaim_note(&self) -> &'static str {
        if self.compaction != Compaction::NotModelled {
            RECLAIM_WHOLE_NOTE
        } else if self.reclaim_compaction == ReclaimCompaction::Yields {
            RECLAIM_YIELDS_NOTE
        } else {
            RECLAIM_NOTE
        }
    }
}

/// What is different in NUMA balancing by these rules.
fn numa_note(rules: NumaRules) -> &'static str {
    match (rules.period, rules.placement) {
        (ScanPeriod::Fixed, _) => NUMA_3_8_NOTE,
        (ScanPeriod::Core, _) => NUMA_CORE_NOTE,
        (ScanPeriod::Daemon, _) => AUTONUMA_NOTE,
        (ScanPeriod::ByResidentSize, NumaPlacement::V3_13) => NUMA_3_13_NOTE,
        (ScanPeriod::ByResidentSize, NumaPlacement::Later) => NUMA_NOTE,
    }
}

const ROTATION_NOTE: &str = "recently rotated pages decide, as in the kernel; after refaults of file pages, active file pages are deactivated as in 5.10, while 4.9 ignores refaults there";
const GENERATIONS_NOTE: &str = "in use if the tunable lru_gen.enabled has bit 1, which 6.12 sets by default. Walks remember used page tables exactly, not in a Bloom filter; mmap_lock is never contended; a directory counts as accessed if its table has an accessed bit; no large pages, no lazily freed memory. Batches of 64 and 4096 pages are not scaled on small machines";
const GENERATIONS_ABSENT_NOTE: &str = "this release's version is not modelled; here pages age on the active and inactive lists, as on this kernel when it is switched off";
const MEMCG_NOTE: &str = "limits, protection, reclaim at a limit and the OOM killer of a cgroup are modelled; of kernel memory, page tables and the nodes of file trees are charged; there is no memory.swap.high and no dirty limit of a cgroup; pressure leaves out stalls in global reclaim and swap-in. Not with huge pages";
const MEMCG_ABSENT_NOTE: &str = "a workload with cgroups is refused on this kernel";
const SLOW_PATH_NOTE: &str =
    "attempts are the same and in the same order, but no compaction happens between them";
const SLOW_PATH_WHOLE_NOTE: &str = "attempts are the same and in the same order";
const BALANCE_WHOLE_NOTE: &str = "passes are the same and in the same order; a task that it wakes runs at the next point where the CPU may switch tasks";
const RECLAIM_WHOLE_NOTE: &str =
    "the victim of an OOM kill is the task with the most memory; a dying task continues to reclaim";
const COMPACTION_WHOLE_NOTE: &str = "scanners, deferral and the ten passes as in the kernel; a page moves in one step, so no task waits for a page that is being moved; the free scanner never leaves its zone";
const PAGE_TABLE_NOTE: &str =
    "leaf tables only: one page for each range that a full leaf maps; upper levels take no memory";
const DRIFT_NOTE: &str = "counters are exact; in the kernel each CPU can hold back up to 125 pages, so a watermark check can misjudge a zone";
const LRU_NOTE: &str = "pages join the lists immediately, not in batches of 15 per CPU; huge pages are on no list, and are split for swap only when no other anonymous pages are left";
const MARKS_NOTE: &str = "computed as in the kernel; free CMA pages are not treated separately";
const BUDDY_NOTE: &str = "there are no cold pages; when blocks of two migrate types merge, 6.12 also sets the type of the merged block";
const FALLBACK_NOTE: &str = "blocks reserved for HighAtomic requests are never released; grouping by mobility stays on even on machines that are too small for it";
const PCP_NOTE: &str = "there are no cold pages; kernels from 6.7 on tune the limits themselves, here the limits keep their values from boot";
const REFAULT_NOTE: &str =
    "the age of a page has 26 bits, so it is misjudged after 67 million evictions";
const THROTTLE_NOTE: &str =
    "as in the kernel, but there are no loop devices and file servers, whose tasks do not wait";
const WRITEPAGES_NOTE: &str = "writeback allocates no memory here, so do_writepages() never waits for memory before it tries again";
const BALANCE_NOTE: &str =
    "kswapd compacts nothing during or after a run, and does not wake kcompactd";
const BALANCE_3_16_NOTE: &str = "kswapd compacts nothing during a run for a high order, and does not skip a zone because compaction could serve the request";
const RECLAIM_NOTE: &str = "there is no compaction between attempts; the victim of an OOM kill is the task with the most memory";
const RECLAIM_YIELDS_NOTE: &str = "for large requests, zones are left to compaction as in the kernel, but no compaction follows; the victim of an OOM kill is the task with the most memory";
const CONGESTION_NOTE: &str = "waits and timers as in the kernel; before 4.x, one rule marks the queues of all devices as congested";
const CACHE_NOTE: &str = "one page per step; read-ahead windows as in the kernel; the blocks of a file are contiguous on the device";
const AROUND_NOTE: &str = "as in the kernel, with 64 KiB around a fault; each region begins at a multiple of that; pages of files are never parts of larger folios";
const SWAP_NOTE: &str =
    "one swap device; clusters are filled in order; read-ahead by slot, never by address";
const DIRTY_NOTE: &str = "one flusher per device; there is no journal, so no task waits for commits; no dirty limits of cgroups; inodes are written in the order in which they were dirtied";
const BLOCK_NOTE: &str = "one queue per device; the elevator serves reads first for a while, and before blk-mq it serves the reading tasks in turn; no barriers; only reclaim delays its writes so that they merge";
const WBT_NOTE: &str =
    "on for every device; a long request that is split counts as started at once";
const SLAB_NOTE: &str = "dentries, inodes, tree nodes and buffer heads; the first two are shrunk; one file system, without directories; all CPUs of a node fill the same slab";
const SLAB_NOTE_SLAB: &str = "CONFIG_SLAB: dentries, inodes, tree nodes and buffer heads; the first two are shrunk; one file system, without directories; no per-CPU object arrays, no freeing of empty slabs in the background";
const SCHED_NOTE: &str = "CPU time is shared fairly; a task that wakes, or a tick, can preempt the running task; no priorities";
const BALANCING_NOTE: &str = "every kernel uses the rules of 3.7, and only if the workload has threads; otherwise no task is pulled from a busy CPU";
const THREADS_NOTE: &str = "a thread's stack takes no memory; tasks sleep at a barrier immediately and never spin; a CPU mask set from outside moves a running task when it is next in user mode";
const POLICY_NOTE: &str = "for tasks, not for regions or files; with interleaving, a page table is on the node of its page, and one read or write call uses one node";
const NUMA_ABSENT_NOTE: &str =
    "page table entries are not marked, and no page moves to the node that uses it";
const NUMA_NOTE: &str = "scans, hinting faults, filter, migration, NUMA groups and moves to the preferred node as in the kernel, if kernel.numa_balancing is set; no groups across processes; no task moves if the workload has no threads; scans do not skip mappings that a task does not use, although 6.12 does";
const NUMA_3_8_NOTE: &str = "scans, hinting faults of pages and of whole tables, filter, rate window and migration as in the kernel, if kernel.numa_balancing is set (in 3.8 a scheduler feature); a forked child that never calls exec is gated as if it had; a huge page that need not move always lengthens the scan period";
const NUMA_3_13_NOTE: &str = "scans, hinting faults, filter, rate window, migration, NUMA groups, scan periods and moves follow the posted rules of 3.13, if kernel.numa_balancing is set; everything else is as in 3.8; a group prefers the node with most of its faults, whatever its task prefers; no groups across processes; no task moves if the workload has no threads";
const NUMA_CORE_NOTE: &str = "scans, hinting faults, buddies, placement, flips, the veto and interleaved shared memory follow the posted patches; no task waits for a page table lock that another task's fault holds; an allocation that tries nodes with free memory may fall back to others; no task moves if the workload has no threads; v17's pulls of random tasks are left out";
const AUTONUMA_NOTE: &str = "knuma_scand, faults, the filter, the rate window and exchanges of tasks follow the posted patches; huge pages move whole; kernel.numa_balancing stands for its switch 'enabled', and the other numa_balancing tunables have no effect; knuma_scand sleeps while there is no process; no task moves if the workload has no threads";
const ANON_VMA_NOTE: &str = "one mutex per process; only the two walks of a migration take it; when several tasks spin for it, the first to arrive gets it and the others sleep";
const ANON_VMA_SPINLOCK_NOTE: &str =
    "walks from a page to the entries that map it never spin for each other";
const ANON_VMA_READ_NOTE: &str = "the walks of migrations share it, so none waits; mmap and exec, which hold it exclusively, make no task wait here";
const COMPACTION_NOTE: &str =
    "no page is moved to make room: huge pages fail earlier than on a real machine";
const ZONE_RECLAIM_NOTE: &str = "entry checks, results and passes as in the kernel; of slab, only dentries and inodes are shrunk";
const FAIR_NOTE: &str = "batches are exact; on a real machine per-CPU counters drift by more than the batch of a small zone";
const BOOST_NOTE: &str = "kswapd removes boosts, but does not wake kcompactd for them";
