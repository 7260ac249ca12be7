//! Faults on swapped pages, and swap-in with its read-ahead (mm/memory.c `do_swap_page`,
//! mm/swap_state.c).
//!
//! Modelled: the swap cache, read-ahead of an aligned cluster of slots (fixed up to 3.13, since
//! then depending on its success), waiting for the page, mapping it, and when its slot is freed.
//! Left out: read-ahead by address on non-rotating devices (from 4.14); devices read without the
//! swap cache; the write fault that frees the slot of a page first mapped for reading; the end of
//! the wait for a page on a fatal signal (from 3.0, `lock_page_or_retry`).
//! Visible difference: on an SSD under a late kernel, neighbours in memory are not read ahead. A
//! killed task exits only after the read for which it waits.
//! Invariants: a page is mapped only while it is unlocked and in the swap cache of the slot in its
//! entry.

use crate::block::{Bio, BlkGetRequest, End, Origin, has_room, one_request, submit_bio, was_taken};
use crate::filemap::wait_on_page;
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::MemcgRule;
use crate::memcg::{self, charge::TryCharge};
use crate::memory::HandleMmFault;
use crate::mmzone::{Gauge, PageKind, SWAP_OWNER, flag};
use crate::page_alloc::{AllocPages, Request};
use crate::pcp::FreePages;
use crate::record::decisions;
use crate::space::{Mapping, PTE_DIRTY, PTE_YOUNG};
use crate::world::World;
use facts::index::{FrameIndex, SwapSlot, ZonelistIndex};
use facts::state::State;

/// `vm.page-cluster`: binary logarithm of the maximum number of slots read together.
const PAGE_CLUSTER: u32 = 3;

decisions! {
    SwapCached { index: Count, slot: Count, frame: Page }
        "Page {index} is in swap slot {slot} and still in the swap cache at {frame}: no read is needed.";
    SwapIn { index: Count, slot: Count }
        "Page {index} is in swap slot {slot} and not in memory: this is a major fault.";
    SwapAhead { slot: Count, first: Count, last: Count, slots: Count }
        "Slot {slot} is needed: read-ahead checks {slots slot}, from {first} to {last}.";
    SwapMapped { frame: Page, slot: Count, freed: Flag, rss: Count }
        "Page frame {frame}, with the content of slot {slot}, is mapped (slot freed: {freed}). The task now has {rss page}.";
}

room! {
    DoSwapPage: "do_swap_page" in "mm/memory.c" at "v6.1.176" line 3774;
    Simplified "A page mapped for reading keeps its slot when it is written to later.";
    DsPt {
        Lookup 0 Plain "page = lookup_swap_cache(entry)";
        Read 1 Plain "not there: page = swapin_readahead()";
        Again 1 Plain "still not there: return VM_FAULT_OOM";
        Lock 0 Plain "lock_page(), which waits while the page is read";
        Map 0 Yields "map it, swap_free(entry)";
    }
    locals(self, w) {
        region: number(self.region);
        address: number(self.page);
        page: page(self.frame);
    }
}

/// `do_swap_page`. Returns 1 when the page is mapped, 0 for VM_FAULT_OOM.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct DoSwapPage {
    /// Current program point.
    pub pt: DsPt,
    /// Index of the region.
    pub region: u32,
    /// Page of the region.
    pub page: u32,
    /// Zonelist of the fault's allocations.
    pub node: ZonelistIndex,
    /// True if the access was a write.
    pub write: bool,
    /// Frame of the page.
    pub frame: FrameIndex,
}

impl DoSwapPage {
    pub(crate) fn call(fault: &HandleMmFault) -> Frame {
        Frame::SwapPage(Self {
            pt: DsPt::Lookup,
            region: fault.region,
            page: fault.page,
            node: fault.node,
            write: fault.write,
            frame: FrameIndex::NONE,
        })
    }

    fn slot(&self, w: &World, cx: &Context) -> Option<SwapSlot> {
        match w.processes.lookup(cx.process, self.region, self.page) {
            Mapping::Swap(slot) => Some(slot),
            _ => None,
        }
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Some(slot) = self.slot(w, cx) else {
            cx.ret = 1;
            return Flow::Ret;
        };
        match self.pt {
            DsPt::Lookup => {
                w.spend(w.facts.cost.cache_lookup);
                self.pt = DsPt::Read;
                if let Some(frame) = w.swap.cached(slot) {
                    if w.mem.pages[frame].test_clear(flag::READAHEAD) {
                        w.counters.swap_ra_hit += 1;
                        w.swap.ra_hits += 1;
                    }
                    w.record(SwapCached {
                        index: self.page.into(),
                        slot: slot.get().into(),
                        frame,
                    });
                    self.pt = DsPt::Lock;
                }
                Flow::Next
            }
            DsPt::Read => {
                w.counters.pgmajfault += 1;
                memcg::count_task(w, cx, memcg::group::Stat::MajorFault);
                w.spend(w.facts.cost.major_fault);
                w.record(SwapIn {
                    index: self.page.into(),
                    slot: slot.get().into(),
                });
                self.pt = DsPt::Again;
                up.call(SwapinReadahead::call(w, slot, self.node), w, cx)
            }
            DsPt::Again => {
                if w.swap.cached(slot).is_none() {
                    cx.ret = 0;
                    return Flow::Ret;
                }
                self.pt = DsPt::Lock;
                Flow::Next
            }
            DsPt::Lock => {
                let Some(frame) = w.swap.cached(slot) else {
                    // The page was reclaimed again before it could be locked.
                    self.pt = DsPt::Lookup;
                    return Flow::Next;
                };
                self.frame = frame;
                if w.mem.pages[frame].has(flag::LOCKED) {
                    return wait_on_page(w, cx, frame);
                }
                self.pt = DsPt::Map;
                Flow::Next
            }
            DsPt::Map => {
                let page = w.mem.pages[self.frame];
                if w.swap.cached(slot) != Some(self.frame) || page.has(flag::LOCKED) {
                    self.pt = DsPt::Lookup;
                    return Flow::Next;
                }
                self.map(w, cx, slot);
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    fn map(&self, w: &mut World, cx: &Context, slot: SwapSlot) {
        let mut bits = PTE_YOUNG;
        if self.write {
            bits |= PTE_DIRTY;
        }
        w.processes
            .set_page(cx.process, self.region, self.page, self.frame, bits);
        w.swap.map[slot] -= 1;
        w.mem.pages[self.frame].set(flag::MAPPED);
        let locked = w.processes.region(cx.process, self.region).locked;
        let free = self.write || locked || memcg::swap_full(w, self.frame);
        let freed = free && super::try_to_free_swap(w, self.frame);
        let rss = w.processes.all[cx.process as usize].space.rss;
        w.record(SwapMapped {
            frame: self.frame,
            slot: slot.get().into(),
            freed,
            rss: rss.into(),
        });
    }
}

/// Number of slots to read around a fault, from the success of the last read-ahead
/// (`__swapin_nr_pages`, from 3.14).
pub fn swapin_nr_pages(prev: SwapSlot, slot: SwapSlot, hits: u32, max: u32, last: u32) -> u32 {
    let pages = if hits > 0 {
        (hits + 2).next_power_of_two().max(4)
    } else if slot == prev.next() || slot.next() == prev {
        2
    } else {
        1
    };
    pages.min(max).max(last / 2)
}

room! {
    SwapinReadahead: "swapin_readahead" in "mm/swap_state.c" at "v6.1.176" line 850;
    Simplified "Reads by slot on every device; from 4.14 on a kernel reads by address on non-rotating devices.";
    RaPt {
        Next 0 Plain "for each neighbouring slot that is used and not cached:";
        Alloc 1 Plain "page = alloc_page(GFP_HIGHUSER_MOVABLE)";
        Add 1 Plain "got one: add it to the swap cache and its list";
        Charged 1 Plain "mem_cgroup_swapin_charge_folio() failed: free it" if |f| f.memcg != MemcgRule::Absent;
        Room 0 Plain "queue full: wait for a slot";
        Submit 0 Yields "read the collected slots";
    }
    locals(self, w) {
        entry: number(self.slot.get());
        offset: number(self.at.get());
        left: number(self.left);
    }
}

/// `swapin_readahead` (`swap_cluster_readahead` from 4.14). Returns nothing: the caller looks up the
/// slot.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct SwapinReadahead {
    /// Current program point.
    pub pt: RaPt,
    /// Zonelist of the allocations.
    pub node: ZonelistIndex,
    /// Number of slots left.
    pub left: u8,
    /// The slot that the fault needs.
    pub slot: SwapSlot,
    /// First slot collected.
    pub first: SwapSlot,
    /// Next slot to check.
    pub at: SwapSlot,
    /// The page that is being charged, [`FrameIndex::NONE`] for none.
    #[state(rest = FrameIndex::NONE)]
    pub frame: FrameIndex,
}

impl SwapinReadahead {
    fn call(w: &mut World, slot: SwapSlot, node: ZonelistIndex) -> Frame {
        let (first, end) = if w.facts.features.swap_ra_adaptive {
            Self::adaptive(w, slot)
        } else {
            Self::fixed(w, slot)
        };
        w.record(SwapAhead {
            slot: slot.get().into(),
            first: first.get().into(),
            last: i64::from(end.get() - 1),
            slots: i64::from(end.get() - first.get()),
        });
        Frame::SwapReadahead(Self {
            pt: RaPt::Next,
            node,
            left: (end.get() - first.get()) as u8,
            slot,
            first,
            at: first,
            frame: FrameIndex::NONE,
        })
    }

    /// The consecutive slots in use around a slot, within its aligned cluster (`valid_swaphandles`).
    fn fixed(w: &World, slot: SwapSlot) -> (SwapSlot, SwapSlot) {
        let mask = (1 << PAGE_CLUSTER) - 1;
        let low = SwapSlot::new((slot.get() & !mask).max(1));
        let high = SwapSlot::new(slot.get() | mask).next();
        let below = low.until(slot).rev().take_while(|&s| w.swap.in_use(s));
        let above = slot
            .until(high)
            .take_while(|&s| s == slot || w.swap.in_use(s));
        let first = SwapSlot::new(slot.get() - below.count() as u32);
        (first, slot.plus(above.count() as u32))
    }

    /// The aligned range around a slot whose size follows from the success of the last read-ahead.
    fn adaptive(w: &mut World, slot: SwapSlot) -> (SwapSlot, SwapSlot) {
        let hits = std::mem::take(&mut w.swap.ra_hits);
        let s = &mut w.swap;
        let pages = swapin_nr_pages(s.ra_prev, slot, hits, 1 << PAGE_CLUSTER, s.ra_pages);
        if hits == 0 {
            s.ra_prev = slot;
        }
        s.ra_pages = pages;
        let mask = pages - 1;
        let (first, end) = ((slot.get() & !mask).max(1), (slot.get() | mask) + 1);
        (SwapSlot::new(first), SwapSlot::new(end.min(s.slots)))
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            RaPt::Next => {
                w.spend(w.facts.cost.cache_lookup);
                let is_needed = self.left > 0 && self.is_wanted(w);
                if is_needed {
                    self.pt = RaPt::Alloc;
                } else if self.left == 0 || self.first < self.at {
                    self.pt = RaPt::Room;
                } else {
                    self.skip();
                }
                Flow::Next
            }
            RaPt::Alloc => {
                self.pt = RaPt::Add;
                let gfp = Gfp::GFP_HIGHUSER_MOVABLE;
                up.call(AllocPages::call(Request::new(w, gfp, 0, self.node)), w, cx)
            }
            RaPt::Add => self.add(w, cx, up),
            RaPt::Charged => self.charged(w, cx, up),
            RaPt::Room => {
                self.pt = RaPt::Submit;
                let device = w.swap.device();
                if has_room(w, device, true) {
                    return Flow::Next;
                }
                up.call(BlkGetRequest::read(device, true), w, cx)
            }
            RaPt::Submit => {
                self.submit(w);
                if self.first < self.at {
                    self.pt = RaPt::Room;
                    return Flow::Next;
                }
                self.pt = RaPt::Next;
                if self.left == 0 {
                    Flow::Ret
                } else {
                    Flow::Next
                }
            }
        }
    }

    fn is_wanted(&self, w: &World) -> bool {
        w.swap.in_use(self.at) && w.swap.cached(self.at).is_none()
    }

    fn skip(&mut self) {
        self.left -= 1;
        self.at = self.at.next();
        self.first = self.at;
    }

    fn add(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let frame = FrameIndex::new(cx.ret);
        self.pt = RaPt::Next;
        if frame.is_none() {
            self.left = 0;
            self.pt = RaPt::Room;
            return Flow::Next;
        }
        if !self.is_wanted(w) {
            return up.call(FreePages::call(frame, 0), w, cx);
        }
        let group = w.memcg.of_slot(self.at);
        if memcg::is_charged(w, group) {
            (self.frame, self.pt) = (frame, RaPt::Charged);
            return up.call(TryCharge::call(group, 1, Gfp::GFP_KERNEL), w, cx);
        }
        self.join(w, cx, frame);
        Flow::Next
    }

    /// The page was charged to the cgroup of the slot, or could not be charged.
    fn charged(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let frame = std::mem::replace(&mut self.frame, FrameIndex::NONE);
        let group = w.memcg.of_slot(self.at);
        self.pt = RaPt::Next;
        if cx.ret == 0 {
            self.left = 0;
            self.pt = RaPt::Room;
            return up.call(FreePages::call(frame, 0), w, cx);
        }
        memcg::commit(w, frame, group);
        if !self.is_wanted(w) {
            memcg::uncharge(w, frame);
            return up.call(FreePages::call(frame, 0), w, cx);
        }
        self.join(w, cx, frame);
        Flow::Next
    }

    /// A page joins the swap cache and its list; it will be read.
    fn join(&mut self, w: &mut World, cx: &Context, frame: FrameIndex) {
        w.mem.set_kind(frame, PageKind::Anon, 0);
        let page = &mut w.mem.pages[frame];
        (page.owner, page.index) = (SWAP_OWNER, self.at.get());
        page.set(flag::SWAPCACHE | flag::LOCKED);
        if self.at != self.slot {
            page.set(flag::READAHEAD);
            w.counters.swap_ra += 1;
        }
        w.counters.pswpin += 1;
        w.mem.count(frame, Gauge::SwapCache, 1);
        let shadow = w.swap.insert(self.at, frame);
        if let Some(shadow) = shadow {
            crate::workingset::workingset_refault(w, frame, shadow, cx.in_lru_fault);
        }
        // The page goes to the inactive list in every kernel, unless the refault activates it.
        if cx.in_lru_fault && w.mem.lru_gen_on {
            w.mem.pages[frame].set(flag::ACTIVE);
        }
        w.mem.lru_add(frame);
        w.spend(w.facts.cost.cache_add);
        self.left -= 1;
        self.at = self.at.next();
    }

    fn submit(&mut self, w: &mut World) {
        if was_taken(w, w.swap.device(), true) {
            return;
        }
        let pages = one_request(w, w.swap.device(), self.first.until(self.at).len());
        let first = self.first;
        self.first = first.plus(pages as u32);
        let slots = first.until(self.first);
        let pages: Vec<FrameIndex> = slots.filter_map(|s| w.swap.cached(s)).collect();
        if pages.is_empty() {
            return;
        }
        let bio = Bio {
            device: w.swap.device(),
            write: false,
            sync: true,
            origin: Origin::Sync,
            start: w.swap.block(first),
            pages,
            end: End::Read,
            io_end: crate::frames::NONE,
        };
        submit_bio(w, bio);
    }
}

#[cfg(test)]
mod tests {
    use super::{SwapSlot, swapin_nr_pages};

    fn nr_pages(prev: u32, slot: u32, hits: u32, max: u32, last: u32) -> u32 {
        swapin_nr_pages(SwapSlot::new(prev), SwapSlot::new(slot), hits, max, last)
    }

    #[test]
    fn read_ahead_grows_with_its_hits_and_shrinks_by_half_at_most() {
        // The very first fault starts with 4 hits.
        assert_eq!(nr_pages(0, 700, 4, 8, 0), 8);
        assert_eq!(nr_pages(0, 700, 0, 8, 8), 4);
        assert_eq!(nr_pages(700, 900, 0, 8, 4), 2);
        assert_eq!(nr_pages(900, 17, 0, 8, 2), 1);
        assert_eq!(nr_pages(17, 18, 0, 8, 1), 2);
        assert_eq!(nr_pages(17, 500, 1, 8, 1), 4);
        assert_eq!(nr_pages(17, 500, 3, 8, 1), 8);
    }
}
