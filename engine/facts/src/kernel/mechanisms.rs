//! Which mechanisms of a kernel variant the engine has, and how faithfully.
//!
//! Modelled: the list a person reads beside a kernel's name.
//! Left out: mechanisms no lesson or table touches.
//! Who could tell: whoever compares a run with a real one.
//! Invariants: whatever is not mirrored says in one sentence what is different.

use crate::kernel::{
    AnonVmaLock, Compaction, Features, HighOrderReclaim, NumaBalancing, NumaPlacement, ScanPeriod,
    SlabAllocator, WritebackWait, ZonelistCache,
};
use crate::view::{Fidelity, Mechanism};

impl Features {
    /// Which of the kernel's mechanisms the engine has today and how faithfully, with what a
    /// person would notice where one is missing.
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
        let slow_path_note = if self.compaction == Compaction::NotModelled {
            SLOW_PATH_NOTE
        } else {
            SLOW_PATH_WHOLE_NOTE
        };
        let balance_note = if self.compaction != Compaction::NotModelled {
            BALANCE_WHOLE_NOTE
        } else if self.kswapd_counts_scans() {
            BALANCE_3_16_NOTE
        } else {
            BALANCE_NOTE
        };
        add("watermarks and lowmem reserve", Simplified, MARKS_NOTE);
        add("zonelist order", Mirrored, "");
        add("buddy allocator", Simplified, BUDDY_NOTE);
        add("migrate types and fallback", Simplified, FALLBACK_NOTE);
        add("per-cpu lists", Simplified, PCP_NOTE);
        add("allocator fast and slow path", Simplified, slow_path_note);
        add("page tables", Simplified, PAGE_TABLE_NOTE);
        add("per-cpu counter drift", Absent, DRIFT_NOTE);
        add("LRU lists and ageing", Simplified, LRU_NOTE);
        add("kswapd balancing", Simplified, balance_note);
        let reclaim_note = if self.compaction == Compaction::NotModelled {
            RECLAIM_NOTE
        } else {
            RECLAIM_WHOLE_NOTE
        };
        add("direct reclaim and OOM", Simplified, reclaim_note);
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
                let note = match rules.period {
                    ScanPeriod::Fixed => NUMA_3_8_NOTE,
                    ScanPeriod::Core => NUMA_CORE_NOTE,
                    ScanPeriod::Daemon => AUTONUMA_NOTE,
                    ScanPeriod::ByResidentSize => match rules.placement {
                        NumaPlacement::V3_13 => NUMA_3_13_NOTE,
                        NumaPlacement::Later => NUMA_NOTE,
                    },
                };
                add("NUMA balancing", Simplified, note);
            }
        }
        match self.anon_vma_lock {
            AnonVmaLock::Mutex => add("anon_vma lock", Simplified, ANON_VMA_NOTE),
            AnonVmaLock::Spinlock => add("anon_vma lock", Absent, ANON_VMA_SPINLOCK_NOTE),
            AnonVmaLock::ReadSemaphore => add("anon_vma lock", Absent, ANON_VMA_READ_NOTE),
        }
        if self.multi_gen_lru {
            add("multi-generational LRU", Absent, GENERATIONS_NOTE);
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
            add("kswapd passes over balanced lower zones", Mirrored, "");
        }
        if self.boost {
            add("watermark boost", Simplified, BOOST_NOTE);
        }
        list
    }
}

const GENERATIONS_NOTE: &str = "distributions have it on; here pages age on the active and inactive lists, as on this kernel with it off";
const SLOW_PATH_NOTE: &str =
    "the same attempts in the same order, but nothing is compacted between them";
const SLOW_PATH_WHOLE_NOTE: &str = "the same attempts in the same order";
const BALANCE_WHOLE_NOTE: &str = "the same passes in the same order; whom it wakes runs at the next point where the CPU may be left";
const RECLAIM_WHOLE_NOTE: &str =
    "the victim of an OOM kill is the task with the most memory; a dying task goes on reclaiming";
const COMPACTION_WHOLE_NOTE: &str = "scanners, deferral and ten passes as the kernel's; a page is moved in one step, so that nobody waits for it on its way, and the free scanner never leaves its zone";
const PAGE_TABLE_NOTE: &str =
    "leaf tables only: one page for each span a full leaf maps; upper levels take no memory";
const DRIFT_NOTE: &str = "counters are exact, so a watermark test never misjudges a zone by up to 125 pages a CPU and threshold";
const LRU_NOTE: &str = "pages join the lists at once, not in batches of 15 a CPU; huge pages are on no list, and are split for swap once no other anonymous pages are left";
const MARKS_NOTE: &str = "as the kernel computes them; free CMA pages are not told apart";
const BUDDY_NOTE: &str =
    "no cold pages; where two migrate types merge, 6.12 also gives the block a type of its own";
const FALLBACK_NOTE: &str = "blocks kept back for HighAtomic requests are never given back; grouping stays on in machines too small for it";
const PCP_NOTE: &str = "no cold pages; a kernel from 6.7 on tunes the limits itself, here they stay as they are at boot";
const REFAULT_NOTE: &str =
    "the age of a page has 26 bits: after 67 million evictions in between it is misjudged";
const THROTTLE_NOTE: &str =
    "as the kernel's, but no tasks of loop devices and file servers, which do not wait";
const WRITEPAGES_NOTE: &str = "writing takes no memory here, so do_writepages() never has to wait for some before it tries again";
const BALANCE_NOTE: &str = "nothing is compacted during or after a run, and kcompactd is not woken";
const BALANCE_3_16_NOTE: &str = "nothing is compacted during a run for a high order, and no zone is left alone because compaction could serve it";
const RECLAIM_NOTE: &str =
    "no compaction between attempts; the victim of an OOM kill is the task with the most memory";
const CONGESTION_NOTE: &str = "waits and their timers as the kernel's; before 4.x queues are marked by one rule for all devices";
const CACHE_NOTE: &str =
    "one page a step, windows as the kernel's; blocks of a file lie in a row on the device";
const SWAP_NOTE: &str =
    "one swap device; clusters are filled in order; read-ahead by slot, never by address";
const DIRTY_NOTE: &str = "one flusher a device; no journal, so nobody waits for its commits; no cgroups; inodes are written in the order they were dirtied";
const BLOCK_NOTE: &str = "one queue a device; an elevator that lets reads go first for a while, before blk-mq in turns of the tasks that read; no barriers; only reclaim holds writes back for merging";
const WBT_NOTE: &str = "on for every device; a long request that is cut counts as begun at once";
const SLAB_NOTE: &str = "dentries, inodes, tree nodes and buffer heads; the first two are shrunk; one file system, without directories; the CPUs of a node fill one slab together";
const SLAB_NOTE_SLAB: &str = "CONFIG_SLAB: dentries, inodes, tree nodes and buffer heads; the first two are shrunk; one file system, without directories; no objects at hand for each CPU, no thinning in the background";
const SCHED_NOTE: &str = "fair shares and preemption by waking tasks and at ticks; no priorities";
const BALANCING_NOTE: &str = "the rules of 3.7 for every kernel, and only where the workload has threads; elsewhere no task is pulled off a busy CPU";
const THREADS_NOTE: &str = "a thread's stack takes no memory; barriers sleep at once and never spin; a mask given from outside moves a running task when it is next in user mode";
const POLICY_NOTE: &str = "of tasks, not of regions or files; interleaved, a page table lies where its page does, and one call reads or writes on one node";
const NUMA_ABSENT_NOTE: &str =
    "entries are not marked, and no page moves to the node it is used from";
const NUMA_NOTE: &str = "scans, hinting faults, filter, migration, NUMA groups and moves to the preferred node as the kernel's, where kernel.numa_balancing is set; no groups across processes, and no move on machines whose workload has no threads; of 6.12, scans do not pass over mappings a task does not use";
const NUMA_3_8_NOTE: &str = "scans, hinting faults of pages and of whole tables, filter, rate window and migration as the kernel's, where kernel.numa_balancing is set (there a scheduler feature); a fork's child that executes nothing is gated as if it had, and a huge page that need not move always lengthens the scan period";
const NUMA_3_13_NOTE: &str = "scans, hinting faults, filter, rate window, migration, NUMA groups, scan periods and moves by the posted rules of 3.13, where kernel.numa_balancing is set; everything else is 3.8's; a group prefers the node with most of its faults, whatever its task's own is; no groups across processes, and no move on machines whose workload has no threads";
const NUMA_CORE_NOTE: &str = "scans, hinting faults, buddies, placement, flips, the veto and interleaved shared memory by the rules of the posted patches; nobody waits for the lock of a page table that another task's fault holds; an allocation that looks for a node with room may fall back on others; no task moves where the workload has no threads; v17's pulls of random tasks are left out";
const AUTONUMA_NOTE: &str = "knuma_scand, faults, the filter, the rate window and exchanges of tasks by the rules of the posted patches; huge pages move whole; kernel.numa_balancing is its switch 'enabled', and the other numa_balancing tunables have no effect; knuma_scand sleeps while there is no process; no task moves where the workload has no threads";
const ANON_VMA_NOTE: &str = "one mutex a process; only the two walks of a migration take it; of several tasks that spin for it, the first to come gets it and the others sleep";
const ANON_VMA_SPINLOCK_NOTE: &str =
    "walks from pages to the entries that map them never spin for each other";
const ANON_VMA_READ_NOTE: &str = "the walks of migrations share it, so that none waits; mmap and exec, which have it alone, make nobody wait";
const COMPACTION_NOTE: &str =
    "no page is moved to make room: huge pages fail earlier than on a real machine";
const ZONE_RECLAIM_NOTE: &str =
    "gate, answers and passes as the kernel's; of slab, dentries and inodes are shrunk";
const FAIR_NOTE: &str = "batches are exact; on a real machine counters of each CPU drift by more than the batch of a small zone";
const BOOST_NOTE: &str = "kswapd takes boosts back, but wakes no kcompactd for them";
