//! The cost of work in virtual time, per class of machine.
//!
//! Modelled: CPU time of the operations the engine performs, as integers in nanoseconds, fixed before any
//! published table was run.
//! Left out: caches. Memory bandwidth, unless the machine describes the rates of its memory
//! ([`crate::profile::MemoryRates`]). Without rates, these costs are averages of cold accesses. With rates,
//! those and not this table give the cost of touching, zeroing and copying pages.
//! Visible difference: times are accurate to a factor of 2; compare counts and orders instead.
//! Invariants: a commit that changes a value names new evidence. Each value is *measured* on emulated guests
//! or a present-day virtual machine, taken from a public text (*source*), or else *assumed*; only sums
//! matter.

use crate::profile::CostEra;

/// Declares the costs, with the known facts about each.
macro_rules! costs {
    ($(#[$of:meta])+ { $($(#[doc = $doc:literal])+ $name:ident;)+ }) => {
        $(#[$of])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct Costs { $($(#[doc = $doc])+ pub $name: u32,)+ }

        /// The name of each cost, its meaning, and the origin of its value. Not part of the page's module.
        pub const ABOUT: &[(&str, &str)] = &[$((stringify!($name), concat!($($doc),+)),)+];

        impl Costs {
            /// All costs, ns, in the order of [`ABOUT`].
            pub fn all(&self) -> [u32; ABOUT.len()] {
                [$(self.$name),+]
            }

            /// The same costs after changing one of them, given by its index in [`ABOUT`].
            pub fn with(mut self, place: usize, ns: u32) -> Costs {
                if let Some(cost) = [$(&mut self.$name),+].into_iter().nth(place) {
                    *cost = ns;
                }
                self
            }
        }
    };
}

costs! {
    /// Cost of each operation in nanoseconds. A value without another label is *assumed*, and accurate to a
    /// factor of 2 in both directions; the emulated columns come from measured sums.
    {
        /// Isolating one page from an LRU list. Emulated: measured together with the page checks of
        /// `shrink_page_list`.
        lru_isolate_page;
        /// Page checks of `shrink_page_list` for a clean unmapped file page, removal and freeing included.
        /// Emulated: measured, 46 to 75 us a batch of 32 with isolation.
        page_ladder_free;
        /// Page checks of `shrink_page_list` for a page that is not reclaimed, putting it back included.
        /// Emulated: measured, 38 to 39 us a batch of 32 with isolation.
        page_ladder_keep;
        /// Checking one mapping of a page for references. Range factor 2.5.
        rmap_check;
        /// Unmapping one mapping, without the TLB flush.
        unmap;
        /// Additional cost of swapping one page out: slot, cache, submit.
        swap_out;
        /// Activating, deactivating or rotating one page.
        lru_move;
        /// Work between two batches of 32 pages. Emulated: measured, 3 to 5 us.
        batch_overhead;
        /// Visiting one zone or node at one priority.
        reclaim_visit;
        /// Taking an order-0 page from a per-cpu list, or putting it back.
        pcp_page;
        /// Moving one page between the buddy allocator and a per-cpu list.
        buddy_page_move;
        /// Checking one zone in the allocator's walk over the zonelist.
        zone_walk;
        /// Entering the slow path: waking kswapd, recomputing flags.
        slowpath_entry;
        /// Touching a mapped page: one cache miss. Emulated: measured, 90 to 98 ns a page in a sweep over
        /// 200 MiB; 55 to 100 ns are usual on real machines.
        touch;
        /// A minor fault without zeroing: entry, lookup, map. Source: 0.6 to 1.0 us, minimum and median;
        /// measured 1.6 us in total on a virtual machine and 20 us emulated.
        minor_fault;
        /// Additional CPU time of a major fault, without I/O.
        major_fault;
        /// Zeroing 4 KiB. Measured 170 ns on a virtual machine. Range factor 1.7.
        zero_4k;
        /// Zeroing 64 KiB. Range factor 1.7.
        zero_64k;
        /// Zeroing 2 MiB. Measured 340 us, fault included, on a virtual machine.
        zero_2m;
        /// Copying 4 KiB, cold. Measured 270 to 290 ns on a virtual machine. Range factor 1.7.
        copy_4k;
        /// Copying 64 KiB. Range factor 1.7.
        copy_64k;
        /// Copying 2 MiB. Range factor 1.7.
        copy_2m;
        /// Copying page cache to or from user memory, per KiB. Measured 54 to 60 ns, system call included, on
        /// a virtual machine. Range factor 1.7.
        cache_copy_kib;
        /// Looking a page up in the page cache and marking it accessed.
        cache_lookup;
        /// Adding a page to the page cache and an LRU list.
        cache_add;
        /// The work of a file system with blocks and a journal for the first write to a page, by a system
        /// call or through a mapping (`page_mkwrite`): `write_begin`, `write_end`, block allocation. Source:
        /// published bonnie++ results (84 MB/s in blocks at 17 % of a CPU of about 2010 is 8 us a page of 4
        /// KiB, of which 2.2 us are other costs in this table). Later columns shrink like their other costs;
        /// btrfs took 2.7 us in total on a machine of 2022. Emulated: part of the measured sums. Range factor
        /// 2.
        fs_write_page;
        /// An empty system call. Measured 160 ns on a virtual machine.
        syscall;
        /// A context switch, direct cost. Measured 2.9 us a pipe switch with two calls on a virtual
        /// machine. Range factor 1.7.
        context_switch;
        /// Flushing one page from the local TLB.
        tlb_flush_page;
        /// Flushing the whole local TLB.
        tlb_flush_all;
        /// Flushing the TLB of the first other CPU; POWER7 does so by hardware broadcast. Source:
        /// microseconds. Range factor 2.5.
        tlb_remote_first;
        /// Each further CPU of a remote flush. Range factor 2.5.
        tlb_remote_more;
        /// Waking a sleeping task, on the waker's CPU.
        wake;
        /// From the wakeup until the task runs on another, idle CPU. Emulated: measured 15, 121 and 208 us at
        /// 10, 50 and 90 percent. Range factor 3.
        wake_to_run;
        /// One timer tick, per CPU and jiffy.
        timer_tick;
        /// Scanning one slab object.
        slab_scan;
        /// Freeing one dentry.
        dentry_free;
        /// Freeing one inode without pages.
        inode_free;
        /// Compaction skipping one page that is free or cannot be moved. Emulated: measured below 0.1 us.
        compact_skip;
        /// Compaction isolating one LRU page.
        compact_isolate;
        /// Compaction taking one free page.
        compact_take_free;
        /// Migrating one page with one mapping, without the copy. Emulated: measured 7 to 21 us with the copy
        /// of 4 KiB, 56 to 178 us with the copy of 64 KiB.
        migrate_page;
        /// How long each of the two walks of a migration holds the `anon_vma` lock of a page with one
        /// mapping; both are part of `migrate_page`. Chosen: 600 ns, and 250 for the mapping, on a server of
        /// 2011; on other machines in proportion to `migrate_page`. No published hold time was found. Range
        /// factor 2.
        anon_vma_walk;
        /// From the release of a lock until a spinning task acquires it: two cache lines move between cores.
        /// Source: 25 to 42 ns a line within a socket of Nehalem and Broadwell; emulated: chosen.
        lock_handover;
        /// Checking one page table entry and marking it for a hinting fault. Emulated: measured, 0.26 to 0.38
        /// us for each mark, with the work around it.
        numa_mark;
        /// Additional cost of a NUMA hinting fault compared with a minor fault.
        numa_fault;
        /// Fork and exec of a compiler-like child. Range factor 3.
        fork;
    }
}

impl Costs {
    /// The costs of a machine class.
    pub const fn of(era: CostEra) -> &'static Costs {
        match era {
            CostEra::D2010 => &D2010,
            CostEra::S2011 => &S2011,
            CostEra::P7 => &P7,
            CostEra::D2014 => &D2014,
            CostEra::S2021 => &S2021,
            CostEra::QX86 => &Q_X86,
            CostEra::QPpc => &Q_PPC,
        }
    }

    /// Zeroing one base page of this size. Only 4 and 64 KiB pages exist.
    pub const fn zero_page(&self, page_kib: u64) -> u32 {
        if page_kib >= 64 {
            self.zero_64k
        } else {
            self.zero_4k
        }
    }

    /// Copying one base page of this size.
    pub const fn copy_page(&self, page_kib: u64) -> u32 {
        if page_kib >= 64 {
            self.copy_64k
        } else {
            self.copy_4k
        }
    }

    /// Zeroing a huge page of `kib` KiB, in proportion to 2 MiB.
    pub const fn zero_huge(&self, kib: u64) -> u64 {
        self.zero_2m as u64 * kib / 2048
    }

    /// Copying a huge page of `kib` KiB, in proportion to 2 MiB.
    pub const fn copy_huge(&self, kib: u64) -> u64 {
        self.copy_2m as u64 * kib / 2048
    }
}

/// Desktop of 2010: one node, 4 CPUs.
const D2010: Costs = Costs {
    lru_isolate_page: 120,
    page_ladder_free: 450,
    page_ladder_keep: 250,
    rmap_check: 250,
    unmap: 350,
    swap_out: 1500,
    lru_move: 90,
    batch_overhead: 500,
    reclaim_visit: 800,
    pcp_page: 80,
    buddy_page_move: 50,
    zone_walk: 40,
    slowpath_entry: 600,
    touch: 90,
    minor_fault: 800,
    major_fault: 6000,
    zero_4k: 350,
    zero_64k: 6000,
    zero_2m: 210_000,
    copy_4k: 700,
    copy_64k: 11_000,
    copy_2m: 360_000,
    cache_copy_kib: 180,
    cache_lookup: 150,
    cache_add: 250,
    fs_write_page: 6500,
    syscall: 80,
    context_switch: 2000,
    tlb_flush_page: 150,
    tlb_flush_all: 600,
    tlb_remote_first: 2500,
    tlb_remote_more: 300,
    wake: 1200,
    wake_to_run: 5000,
    timer_tick: 2000,
    slab_scan: 60,
    dentry_free: 350,
    inode_free: 1000,
    compact_skip: 15,
    compact_isolate: 120,
    compact_take_free: 80,
    migrate_page: 2000,
    anon_vma_walk: 850,
    lock_handover: 100,
    numa_mark: 25,
    numa_fault: 600,
    fork: 800_000,
};

/// Server of 2011: 2 nodes, 24 threads.
const S2011: Costs = Costs {
    lru_isolate_page: 110,
    page_ladder_free: 400,
    page_ladder_keep: 220,
    rmap_check: 220,
    unmap: 300,
    swap_out: 1300,
    lru_move: 80,
    batch_overhead: 500,
    reclaim_visit: 1000,
    pcp_page: 80,
    buddy_page_move: 50,
    zone_walk: 50,
    slowpath_entry: 600,
    touch: 90,
    minor_fault: 700,
    major_fault: 5500,
    zero_4k: 320,
    zero_64k: 5500,
    zero_2m: 190_000,
    copy_4k: 600,
    copy_64k: 10_000,
    copy_2m: 310_000,
    cache_copy_kib: 160,
    cache_lookup: 140,
    cache_add: 250,
    fs_write_page: 6000,
    syscall: 70,
    context_switch: 1800,
    tlb_flush_page: 150,
    tlb_flush_all: 600,
    tlb_remote_first: 2500,
    tlb_remote_more: 300,
    wake: 1500,
    wake_to_run: 8000,
    timer_tick: 2000,
    slab_scan: 60,
    dentry_free: 320,
    inode_free: 900,
    compact_skip: 15,
    compact_isolate: 110,
    compact_take_free: 80,
    migrate_page: 1800,
    anon_vma_walk: 850,
    lock_handover: 100,
    numa_mark: 25,
    numa_fault: 600,
    fork: 700_000,
};

/// POWER7 with 64 KiB pages.
const P7: Costs = Costs {
    lru_isolate_page: 130,
    page_ladder_free: 500,
    page_ladder_keep: 280,
    rmap_check: 280,
    unmap: 400,
    swap_out: 1700,
    lru_move: 100,
    batch_overhead: 600,
    reclaim_visit: 1000,
    pcp_page: 100,
    buddy_page_move: 60,
    zone_walk: 50,
    slowpath_entry: 700,
    touch: 90,
    minor_fault: 900,
    major_fault: 7000,
    zero_4k: 350,
    zero_64k: 5000,
    zero_2m: 170_000,
    copy_4k: 650,
    copy_64k: 9000,
    copy_2m: 300_000,
    cache_copy_kib: 170,
    cache_lookup: 160,
    cache_add: 300,
    fs_write_page: 7000,
    syscall: 150,
    context_switch: 2500,
    tlb_flush_page: 300,
    tlb_flush_all: 2000,
    tlb_remote_first: 500,
    tlb_remote_more: 0,
    wake: 1500,
    wake_to_run: 8000,
    timer_tick: 2000,
    slab_scan: 70,
    dentry_free: 400,
    inode_free: 1100,
    compact_skip: 20,
    compact_isolate: 130,
    compact_take_free: 90,
    migrate_page: 2200,
    anon_vma_walk: 1000,
    lock_handover: 100,
    numa_mark: 30,
    numa_fault: 700,
    fork: 900_000,
};

/// Desktop of 2014: 4 cores.
const D2014: Costs = Costs {
    lru_isolate_page: 80,
    page_ladder_free: 300,
    page_ladder_keep: 160,
    rmap_check: 160,
    unmap: 220,
    swap_out: 900,
    lru_move: 60,
    batch_overhead: 300,
    reclaim_visit: 500,
    pcp_page: 50,
    buddy_page_move: 35,
    zone_walk: 25,
    slowpath_entry: 400,
    touch: 90,
    minor_fault: 500,
    major_fault: 4000,
    zero_4k: 220,
    zero_64k: 3500,
    zero_2m: 120_000,
    copy_4k: 420,
    copy_64k: 6500,
    copy_2m: 215_000,
    cache_copy_kib: 110,
    cache_lookup: 90,
    cache_add: 160,
    fs_write_page: 3500,
    syscall: 60,
    context_switch: 1400,
    tlb_flush_page: 120,
    tlb_flush_all: 500,
    tlb_remote_first: 2000,
    tlb_remote_more: 250,
    wake: 900,
    wake_to_run: 10_000,
    timer_tick: 1500,
    slab_scan: 40,
    dentry_free: 220,
    inode_free: 650,
    compact_skip: 10,
    compact_isolate: 80,
    compact_take_free: 50,
    migrate_page: 1300,
    anon_vma_walk: 600,
    lock_handover: 100,
    numa_mark: 15,
    numa_fault: 400,
    fork: 500_000,
};

/// Server of 2021 with CPU mitigations.
const S2021: Costs = Costs {
    lru_isolate_page: 90,
    page_ladder_free: 350,
    page_ladder_keep: 180,
    rmap_check: 180,
    unmap: 260,
    swap_out: 1000,
    lru_move: 60,
    batch_overhead: 400,
    reclaim_visit: 700,
    pcp_page: 50,
    buddy_page_move: 35,
    zone_walk: 25,
    slowpath_entry: 400,
    touch: 90,
    minor_fault: 700,
    major_fault: 4500,
    zero_4k: 180,
    zero_64k: 2800,
    zero_2m: 95_000,
    copy_4k: 300,
    copy_64k: 4700,
    copy_2m: 150_000,
    cache_copy_kib: 65,
    cache_lookup: 90,
    cache_add: 160,
    fs_write_page: 2500,
    syscall: 170,
    context_switch: 1700,
    tlb_flush_page: 200,
    tlb_flush_all: 600,
    tlb_remote_first: 2000,
    tlb_remote_more: 250,
    wake: 1000,
    wake_to_run: 15_000,
    timer_tick: 1500,
    slab_scan: 40,
    dentry_free: 220,
    inode_free: 700,
    compact_skip: 10,
    compact_isolate: 90,
    compact_take_free: 50,
    migrate_page: 1500,
    anon_vma_walk: 700,
    lock_handover: 100,
    numa_mark: 20,
    numa_fault: 500,
    fork: 500_000,
};

/// Emulated x86_64 guests: 10 to 30 times slower than real machines.
const Q_X86: Costs = Costs {
    lru_isolate_page: 250,
    page_ladder_free: 1300,
    page_ladder_keep: 950,
    rmap_check: 800,
    unmap: 900,
    swap_out: 6000,
    lru_move: 250,
    batch_overhead: 4000,
    reclaim_visit: 5000,
    pcp_page: 400,
    buddy_page_move: 250,
    zone_walk: 200,
    slowpath_entry: 4000,
    touch: 90,
    minor_fault: 20_000,
    major_fault: 60_000,
    zero_4k: 1500,
    zero_64k: 20_000,
    zero_2m: 700_000,
    copy_4k: 2500,
    copy_64k: 35_000,
    copy_2m: 1_200_000,
    cache_copy_kib: 600,
    cache_lookup: 1500,
    cache_add: 2500,
    fs_write_page: 0,
    syscall: 3000,
    context_switch: 20_000,
    tlb_flush_page: 500,
    tlb_flush_all: 3000,
    tlb_remote_first: 15_000,
    tlb_remote_more: 3000,
    wake: 15_000,
    wake_to_run: 120_000,
    timer_tick: 20_000,
    slab_scan: 300,
    dentry_free: 2500,
    inode_free: 8000,
    compact_skip: 60,
    compact_isolate: 400,
    compact_take_free: 300,
    migrate_page: 9000,
    anon_vma_walk: 4200,
    lock_handover: 500,
    numa_mark: 150,
    numa_fault: 5000,
    fork: 15_000_000,
};

/// Emulated ppc64le guests with 64 KiB pages. They differ from the x86_64 guests only in costs that depend on
/// the page size; a migration with its copy measured 56 to 178 us.
const Q_PPC: Costs = Costs {
    zero_64k: 20_000,
    copy_64k: 35_000,
    migrate_page: 30_000,
    anon_vma_walk: 14_000,
    ..Q_X86
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of a migration includes the two hold times, so a task that never waits takes as long as
    /// without the lock.
    #[test]
    fn a_migration_costs_at_least_its_two_rmap_walks() {
        for costs in [&D2010, &S2011, &P7, &D2014, &S2021, &Q_X86, &Q_PPC] {
            assert!(2 * costs.anon_vma_walk <= costs.migrate_page, "{costs:?}");
        }
    }
}
