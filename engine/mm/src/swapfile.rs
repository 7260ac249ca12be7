//! Swap space and the swap cache (mm/swapfile.c, mm/swap_state.c, mm/page_io.c).
//!
//! Modelled: one swap area with a use count for each slot. Slots are allocated in clusters of 256
//! in order; from 3.12 on, on non-rotating devices, each CPU has its own cluster. The swap cache,
//! the shadow entries of anonymous pages, freeing a slot at swap-in when swap is half full or the
//! page is written to, and swap-in with its read-ahead.
//! Left out: several areas and priorities; clusters that do not start at a multiple of 256; the 64
//! slots that a CPU caches from 4.11 on; reclaiming slots of cached pages when swap is nearly full;
//! forked pages that share a slot.
//! Visible difference: swap fills up slightly earlier than in a kernel; on a rotating disk the
//! slots of several reclaimers alternate.
//! Invariants: a slot's count equals the number of page table entries that refer to it; a slot is
//! free exactly if no entry and no cached page uses it; a page in the swap cache records its slot.

use facts::index::{CpuIndex, FrameIndex, IndexVec, SwapSlot};
use facts::state::{CloneFrom, State};

pub mod swapin;

pub use swapin::{DoSwapPage, DsPt, RaPt, SwapinReadahead};

use crate::block::{Bio, Drive, End, Origin, plug_bio, plug_merge};
use crate::frames::{Context, NONE};
use crate::kernel::Features;
use crate::mmzone::{Gauge, SWAP_OWNER, flag};
use crate::workingset::Shadow;
use crate::world::World;

/// Number of slots in a cluster (`SWAPFILE_CLUSTER`).
pub const CLUSTER: u32 = 256;
/// Set if the page of a slot is in the swap cache (`SWAP_HAS_CACHE`); the bits below it count the
/// entries.
const HAS_CACHE: u8 = 0x40;
/// Marks a cache slot that holds a shadow entry.
const SHADOW: u32 = 1 << 31;

/// The cluster that a CPU fills (`struct percpu_cluster`); no cluster if both fields are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct CpuCluster {
    /// Next slot of the cluster to try.
    next: SwapSlot,
    /// End of the cluster.
    end: SwapSlot,
}

/// Number of the cluster that contains a slot.
const fn cluster_of(slot: SwapSlot) -> u32 {
    slot.get() / CLUSTER
}

/// The first slot of a cluster that can hold a page.
fn first_of(cluster: u32) -> SwapSlot {
    SwapSlot::new((cluster * CLUSTER).max(1))
}

/// The swap device's slots (`struct swap_info_struct`) and the swap cache.
#[derive(Debug, PartialEq, Eq, State, CloneFrom)]
pub struct Swap {
    /// Total number of slots.
    slots: u32,
    device: u8,
    /// Start of the area on the device, in pages.
    start: u64,
    /// Number of free slots (`nr_swap_pages`).
    free: u32,
    /// Use count of each slot (`swap_map`), up to the last cluster ever used.
    map: IndexVec<SwapSlot, u8>,
    /// The page in the swap cache, or its shadow entry, by slot.
    cache: IndexVec<SwapSlot, u32>,
    /// For each slot, the entry that refers to it: its owner (packed) and the page of the region.
    place: IndexVec<SwapSlot, (u32, u32)>,
    /// Number of slots in use, by cluster.
    used: Vec<u16>,
    /// Next slot to try (`cluster_next`).
    next: SwapSlot,
    /// Slots left in the cluster being filled (`cluster_nr`).
    left: u32,
    /// No cluster below this is empty.
    lowest: u32,
    /// The cluster each CPU fills (`percpu_cluster`); empty if all CPUs share one.
    of_cpus: IndexVec<CpuIndex, CpuCluster>,
    /// Pages of the last read-ahead that were used (`swapin_readahead_hits`).
    pub ra_hits: u32,
    /// Slot of the last fault without such pages (`prev_offset`).
    pub ra_prev: SwapSlot,
    /// Pages of the last read-ahead (`last_readahead_pages`).
    pub ra_pages: u32,
}

impl Default for Swap {
    fn default() -> Self {
        Self::new(0, 0, 0)
    }
}

impl Swap {
    /// A swap area with this many slots, from a page of a device on; 0 slots for no area. The first
    /// slot holds the header of the area.
    pub fn new(device: u8, start: u64, slots: u32) -> Self {
        Self {
            slots,
            device,
            start,
            free: slots.saturating_sub(1),
            map: IndexVec::default(),
            cache: IndexVec::default(),
            place: IndexVec::default(),
            used: Vec::new(),
            next: SwapSlot::new(1),
            left: 0,
            lowest: 0,
            of_cpus: IndexVec::default(),
            ra_hits: 4,
            ra_prev: SwapSlot::new(0),
            ra_pages: 0,
        }
    }

    /// The first swap space of a device, if there is one, on a machine with this many CPUs.
    pub fn of(devices: &[Drive], features: &Features, cpus: u16) -> Self {
        let found = devices.iter().position(|d| d.swap_pages > 0);
        found.map_or_else(Self::default, |i| {
            let drive = &devices[i];
            let mut swap = Self::new(i as u8, drive.swap_start, drive.swap_pages);
            if features.swap_cpu_clusters && drive.profile.model.is_nonrot() {
                swap.fill_by_cpu(cpus);
            }
            swap
        })
    }

    /// Makes each of this many CPUs fill its own cluster from now on.
    pub(crate) fn fill_by_cpu(&mut self, cpus: u16) {
        self.of_cpus = vec![CpuCluster::default(); cpus.into()].into();
    }

    /// Does the machine have swap (`total_swap_pages > 0`)?
    pub fn exists(&self) -> bool {
        self.slots > 1
    }
    /// Number of slots that can hold a page (`total_swap_pages`).
    pub fn total(&self) -> u32 {
        self.slots.saturating_sub(1)
    }
    /// Number of free slots (`get_nr_swap_pages`).
    pub fn free_slots(&self) -> u32 {
        self.free
    }
    /// Device that holds the area.
    pub fn device(&self) -> u8 {
        self.device
    }
    /// Position of a slot on the device, in pages.
    pub fn block(&self, slot: SwapSlot) -> u64 {
        self.start + u64::from(slot.get())
    }
    /// Is swap more than half full? Then a slot is freed as soon as its page is read back
    /// (`vm_swap_full`).
    pub fn is_half_full(&self) -> bool {
        u64::from(self.free) * 2 < u64::from(self.total())
    }
    /// The one entry that refers to a slot: its owner (packed) and the page of the region.
    pub fn place_of(&self, slot: SwapSlot) -> (u32, u32) {
        self.place[slot]
    }
    /// Number of entries that refer to a slot (`page_swapcount`).
    pub fn count(&self, slot: SwapSlot) -> u8 {
        self.map[slot] & !HAS_CACHE
    }
    /// Is a slot in use?
    pub fn in_use(&self, slot: SwapSlot) -> bool {
        self.map.at(slot).is_some_and(|&n| n != 0)
    }
    /// The page in the swap cache of a slot (`lookup_swap_cache`).
    pub fn cached(&self, slot: SwapSlot) -> Option<FrameIndex> {
        let found = self.cache.at(slot).copied();
        found.filter(|&f| f & SHADOW == 0).map(FrameIndex::new)
    }
    /// Replaces the page in the swap cache of a slot (`migrate_page_move_mapping`).
    pub fn replace(&mut self, slot: SwapSlot, frame: FrameIndex) {
        debug_assert!(self.cached(slot).is_some());
        self.cache[slot] = frame.get();
    }

    /// Counts one more page table entry that refers to a slot (`swap_duplicate`).
    pub fn duplicate(&mut self, slot: SwapSlot) {
        self.map[slot] += 1;
    }

    /// Extends the tables to include this cluster.
    fn grow(&mut self, cluster: u32) {
        let slots = (cluster + 1) * CLUSTER;
        if self.map.len() < slots as usize {
            self.map.resize(slots as usize, 0);
            self.cache.resize(slots as usize, NONE);
            self.place.resize(slots as usize, (NONE, 0));
            self.used.resize(cluster as usize + 1, 0);
        }
    }

    fn cluster_used(&self, cluster: u32) -> u16 {
        self.used.get(cluster as usize).copied().unwrap_or(0)
    }

    /// The first empty cluster; the cluster in which the area ends does not count.
    fn empty_cluster(&mut self) -> Option<u32> {
        let clusters = self.slots / CLUSTER;
        while self.lowest < clusters && self.cluster_used(self.lowest) > 0 {
            self.lowest += 1;
        }
        (self.lowest < clusters).then_some(self.lowest)
    }

    /// Allocates a slot for a CPU (`scan_swap_map_slots`): the next slot of the cluster being
    /// filled, or of a new cluster if that one is full. If no cluster is empty, the next free slot,
    /// wrapping around.
    fn allocate(&mut self, cpu: CpuIndex) -> Option<SwapSlot> {
        if self.free == 0 {
            return None;
        }
        let slot = match self.try_ssd_cluster(cpu) {
            Some(slot) => slot,
            None => self.next_of_all(),
        };
        let cluster = cluster_of(slot);
        self.grow(cluster);
        self.map[slot] = HAS_CACHE;
        self.used[cluster as usize] += 1;
        self.free -= 1;
        Some(slot)
    }

    /// The next free slot of this CPU's cluster, or of a new cluster if that one is full. `None` if
    /// all CPUs share one cluster, or no cluster is empty (`scan_swap_map_try_ssd_cluster`).
    fn try_ssd_cluster(&mut self, cpu: CpuIndex) -> Option<SwapSlot> {
        let mut own = *self.of_cpus.at(cpu)?;
        let mut found = own.next.until(own.end).find(|&slot| !self.in_use(slot));
        if found.is_none()
            && let Some(cluster) = self.empty_cluster()
        {
            own.end = SwapSlot::new((cluster + 1) * CLUSTER);
            found = Some(first_of(cluster));
        }
        own.next = found.map_or(own.end, SwapSlot::next);
        self.of_cpus[cpu] = own;
        found
    }

    /// The next free slot of the cluster that all CPUs share; there must be one.
    fn next_of_all(&mut self) -> SwapSlot {
        if self.left == 0
            && let Some(cluster) = self.empty_cluster()
        {
            (self.next, self.left) = (first_of(cluster), CLUSTER);
        }
        let slot = self.next_free();
        self.left = self.left.saturating_sub(1);
        self.next = slot.next();
        if self.next.get().is_multiple_of(CLUSTER) {
            self.left = 0;
        }
        slot
    }

    /// The first free slot from `next` on, wrapping around; there must be one.
    fn next_free(&self) -> SwapSlot {
        let (first, end) = (SwapSlot::new(1), SwapSlot::new(self.slots));
        let mut slot = self.next;
        loop {
            if slot >= end {
                slot = first;
            }
            let (starts, used) = (
                slot.get().is_multiple_of(CLUSTER),
                self.cluster_used(cluster_of(slot)),
            );
            if starts && u32::from(used) == CLUSTER {
                slot = slot.plus(CLUSTER);
            } else if slot >= first && !self.in_use(slot) {
                return slot;
            } else {
                slot = slot.next();
            }
        }
    }

    /// Frees a slot without users.
    fn release(&mut self, slot: SwapSlot) {
        if self.map[slot] != 0 {
            return;
        }
        self.cache[slot] = NONE;
        self.place[slot] = (NONE, 0);
        let cluster = cluster_of(slot);
        self.used[cluster as usize] -= 1;
        if self.used[cluster as usize] == 0 {
            self.lowest = self.lowest.min(cluster);
        }
        self.free += 1;
    }

    /// Adds a newly allocated page to the swap cache of a slot in use; returns the shadow entry it
    /// replaces.
    fn insert(&mut self, slot: SwapSlot, frame: FrameIndex) -> Option<Shadow> {
        self.map[slot] |= HAS_CACHE;
        let was = std::mem::replace(&mut self.cache[slot], frame.get());
        (was != NONE).then_some(Shadow(was & !SHADOW))
    }

    /// Miscounts the free slots, for the tests of `check`.
    #[doc(hidden)]
    pub fn miscount(&mut self) {
        self.free += 1;
    }

    /// Slots in use and their users, for `check`: (slot, entries, page in the cache).
    pub(crate) fn used_slots(
        &self,
    ) -> impl Iterator<Item = (SwapSlot, u8, Option<FrameIndex>)> + '_ {
        let used = self.map.entries().filter(|&(_, &n)| n != 0);
        used.map(|(slot, &n)| {
            let cached = self.cached(slot).filter(|_| n & HAS_CACHE != 0);
            (slot, n & !HAS_CACHE, cached)
        })
    }

    /// Does each slot's cache bit match its cache entry, and are the counts right? For `check`.
    pub(crate) fn is_sound(&self) -> bool {
        let used = self.map.iter().filter(|&&n| n != 0).count();
        let mut bits = self.map.iter().zip(self.cache.iter());
        let mut clusters = self.map.chunks(CLUSTER as usize).zip(&self.used);
        used as u32 + self.free == self.total()
            && bits.all(|(&n, &f)| (n & HAS_CACHE != 0) == (f & SHADOW == 0))
            && clusters.all(|(map, &n)| map.iter().filter(|&&n| n != 0).count() == usize::from(n))
    }

    /// Size of one copy in bytes.
    pub fn bytes(&self) -> usize {
        self.map.len() * 13 + self.used.len() * 2
    }
}

/// Gives an anonymous page a slot and adds it to the swap cache, which makes the page dirty.
/// Returns false if swap is full (`add_to_swap`).
pub fn add_to_swap(w: &mut World, frame: FrameIndex) -> bool {
    let Some(slot) = w.swap.allocate(w.cpu) else {
        return false;
    };
    if !crate::memcg::try_charge_swap(w, frame, slot) {
        w.swap.map[slot] = 0;
        w.swap.release(slot);
        return false;
    }
    w.swap.insert(slot, frame);
    let page = &mut w.mem.pages[frame];
    w.swap.place[slot] = (page.owner, page.index);
    (page.owner, page.index) = (SWAP_OWNER, slot.get());
    page.set(flag::SWAPCACHE | flag::DIRTY);
    w.mem.count(frame, Gauge::SwapCache, 1);
    true
}

/// Starts writing a page of the swap cache to its slot (`swap_writepage`). A page to which no entry
/// refers needs no write: it becomes clean.
pub fn swap_writepage(w: &mut World, cx: &mut Context, frame: FrameIndex, origin: Origin) {
    let page = &mut w.mem.pages[frame];
    page.clear(flag::DIRTY);
    let slot = page.swap_slot();
    if w.swap.count(slot) == 0 && !page.has(flag::MAPPED) {
        return;
    }
    crate::page_writeback::set_page_writeback(w, frame);
    w.counters.pswpout += 1;
    let (device, start) = (w.swap.device, w.swap.block(slot));
    if plug_merge(w, cx, device, start, frame) {
        return;
    }
    let bio = Bio {
        device,
        write: true,
        sync: false,
        origin,
        start,
        pages: vec![frame],
        end: End::Write,
        io_end: crate::frames::NONE,
    };
    plug_bio(w, cx, bio);
}

/// Removes a clean, unmapped page from the swap cache; its slot stays with the entry that refers to
/// it (`__delete_from_swap_cache`).
pub fn delete_from_swap_cache(w: &mut World, frame: FrameIndex, shadow: Option<Shadow>) {
    let page = w.mem.pages[frame];
    if page.owner == SWAP_OWNER {
        leave_cache(w, frame, shadow);
    }
}

/// Removes a page from the swap cache and restores in its record the address that was stored for
/// its slot.
fn leave_cache(w: &mut World, frame: FrameIndex, shadow: Option<Shadow>) {
    let page = &mut w.mem.pages[frame];
    let slot = page.swap_slot();
    (page.owner, page.index) = w.swap.place[slot];
    page.clear(flag::SWAPCACHE);
    w.swap.map[slot] &= !HAS_CACHE;
    w.swap.cache[slot] = shadow.map_or(NONE, |s| s.0 | SHADOW);
    w.swap.release(slot);
    crate::memcg::uncharge_swap(w, slot);
    w.mem.count(frame, Gauge::SwapCache, -1);
}

/// Does another task hold the page? If so, it must not be freed here.
fn is_busy(w: &World, frame: FrameIndex) -> bool {
    let busy = flag::WRITEBACK | flag::LOCKED | flag::ISOLATED;
    w.mem.pages[frame].meta & busy != 0
}

/// Frees a slot after an entry that referred to it was removed (`free_swap_and_cache`). Returns the
/// page of the swap cache that has no user left and must be freed, if there is one. A page being read,
/// written or reclaimed is freed by the next task that finds it.
pub fn free_swap_and_cache(w: &mut World, slot: SwapSlot) -> Option<FrameIndex> {
    w.swap.map[slot] -= 1;
    let cached = w.swap.cached(slot);
    w.swap.release(slot);
    crate::memcg::uncharge_swap(w, slot);
    let frame = cached.filter(|&frame| !is_busy(w, frame))?;
    leave_cache(w, frame, None);
    Some(frame)
}

/// Frees the slot of a page of the swap cache to which no entry refers, unless the page is being
/// read or written (`try_to_free_swap`). Returns true if the page has left the swap cache; the page
/// is then dirty, because its content exists nowhere else.
pub fn try_to_free_swap(w: &mut World, frame: FrameIndex) -> bool {
    let page = w.mem.pages[frame];
    if page.owner != SWAP_OWNER
        || page.meta & (flag::WRITEBACK | flag::LOCKED) != 0
        || w.swap.count(page.swap_slot()) > 0
    {
        return false;
    }
    leave_cache(w, frame, None);
    w.mem.pages[frame].set(flag::DIRTY);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocate(swap: &mut Swap, cpu: CpuIndex) -> Option<u32> {
        swap.allocate(cpu).map(SwapSlot::get)
    }

    fn release(swap: &mut Swap, slot: u32) {
        swap.map[SwapSlot::new(slot)] = 0;
        swap.release(SwapSlot::new(slot));
    }

    #[test]
    fn allocates_slots_in_order_one_cluster_at_a_time() {
        let mut swap = Swap::new(0, 0, 1024);
        let got: Vec<u32> = (0..300)
            .filter_map(|_| allocate(&mut swap, CpuIndex::new(0)))
            .collect();
        assert_eq!(got, (1..=300).collect::<Vec<u32>>());
        // The first cluster becomes free: it is filled again only when the second one is full.
        for slot in 1..=255 {
            release(&mut swap, slot);
        }
        let got: Vec<u32> = (0..213)
            .filter_map(|_| allocate(&mut swap, CpuIndex::new(0)))
            .collect();
        assert_eq!((got[0], got[210], got[211], got[212]), (301, 511, 1, 2));
    }

    #[test]
    fn each_cpu_fills_its_own_cluster_on_non_rotating_devices() {
        let mut swap = Swap::new(0, 0, 1024);
        swap.fill_by_cpu(2);
        let got: Vec<u32> = (0..6)
            .filter_map(|i| allocate(&mut swap, CpuIndex::new(i % 2)))
            .collect();
        assert_eq!(got, [1, 256, 2, 257, 3, 258]);
        // When its cluster is full, a CPU continues in the next empty one; freed clusters come
        // first.
        for slot in [256, 257, 258] {
            release(&mut swap, slot);
        }
        let got: Vec<u32> = (0..254)
            .filter_map(|_| allocate(&mut swap, CpuIndex::new(0)))
            .collect();
        assert_eq!((got[0], got[251], got[252], got[253]), (4, 255, 256, 257));
        assert_eq!(allocate(&mut swap, CpuIndex::new(1)), Some(259));
        // No cluster is empty: any free slot is taken.
        while swap.allocate(CpuIndex::new(1)).is_some() {}
        assert_eq!(swap.free_slots(), 0);
        assert!(swap.used_slots().count() == 1023 && swap.allocate(CpuIndex::new(0)).is_none());
    }

    #[test]
    fn takes_the_next_free_slot_when_no_cluster_is_empty() {
        let mut swap = Swap::new(0, 0, 600);
        while swap.allocate(CpuIndex::new(0)).is_some() {}
        assert_eq!((swap.free_slots(), swap.total()), (0, 599));
        for slot in [40, 300, 599] {
            release(&mut swap, slot);
        }
        let got: Vec<u32> = std::iter::from_fn(|| allocate(&mut swap, CpuIndex::new(0))).collect();
        assert_eq!(got, [40, 300, 599]);
    }

    #[test]
    fn swap_counts_as_half_full_only_above_half_of_the_slots() {
        let none = Swap::default();
        assert!(!none.exists() && none.free_slots() == 0);
        let mut swap = Swap::new(0, 0, 5);
        swap.allocate(CpuIndex::new(0));
        swap.allocate(CpuIndex::new(0));
        assert!(!swap.is_half_full());
        swap.allocate(CpuIndex::new(0));
        assert!(swap.is_half_full());
    }
}
