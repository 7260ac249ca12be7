//! Per-cpu lists: free pages that a CPU holds in front of the buddy lists (mm/page_alloc.c).
//!
//! Modelled: `rmqueue_bulk` (refill), `free_unref_page` (pages join a list), `free_pcppages_bulk`
//! (pages return to the buddy lists, round-robin over the lists).
//! Left out: cold pages; lists that tune their own size (6.7).
//! Invariants: `pcp_count` of a zone and CPU equals the number of pages on its lists.

use crate::buddy::MmPageAllocZoneLocked;
use crate::buddy::{FreeOnePage, RmqueueSmallest};
use crate::fallback::RmqueueFallback;
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::{AllocFlags, MOVABLE, PCP_TYPES, RECLAIMABLE, RESERVED, UNMOVABLE};
use crate::kernel::{BlockReserve, FallbackRule, Migratetypes};
use crate::mmzone::{PageKind, Zone};
use crate::page_alloc::Request;
use crate::record::{decisions, events};
use crate::world::World;
use facts::index::{CpuIndex, FrameIndex, ListIndex, ZoneIndex};
use facts::state::State;

events! {
    /// A page or block was freed by its owner.
    MmPageFree "mm_page_free" from "include/trace/events/kmem.h (mm_page_free_direct in 3.0)" { pfn: Page, order: Order };
    /// A page was freed as part of a list of pages.
    MmPageFreeBatched "mm_page_free_batched" from "include/trace/events/kmem.h (mm_pagevec_free in 3.0)" { pfn: Page };
    /// A page returned from a per-cpu list to the buddy lists.
    MmPagePcpuDrain "mm_page_pcpu_drain" from "include/trace/events/kmem.h" { pfn: Page, order: Order, migratetype: Migratetype };
}

decisions! {
    PcpPut { cpu: Cpu, held: Count, high: Count, batch: Count }
        "The per-cpu list of {cpu} now has {held page}, below its limit of {high}: nothing goes back to the buddy lists.";
    PcpFull { cpu: Cpu, held: Count, high: Count, batch: Count }
        "The per-cpu list of {cpu} has {held page}, and its limit is {high}: return {batch page} to the buddy lists.";
}

room! {
    RmqueueBulk: "rmqueue_bulk" in "mm/page_alloc.c" at "v6.1.176" line 3152;
    Mirrored "";
    RbPt {
        Next 0 Hold "until the batch is full: page = rmqueue_smallest()";
        Fallback 1 Hold "none: page = rmqueue_fallback()";
        Reserve 1 Hold "none: rmqueue_smallest(reserve), if any";
        Add 1 Hold "add it to the end of this CPU's list";
        Done 0 Hold "unlock the zone";
    }
    locals(self, w) {
        zone: zone(self.zone);
        order: number(self.rq.order);
        migratetype: migratetype(self.rq.migratetype);
        count: number(self.left) if self.left != NONE;
    }
}

/// `rmqueue_bulk`: refills one per-cpu list.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct RmqueueBulk {
    /// Current program point.
    pub pt: RbPt,
    /// The request.
    pub rq: Request,
    /// Zone.
    pub zone: ZoneIndex,
    /// Allocation flags.
    pub flags: AllocFlags,
    /// Number of blocks still to fetch.
    pub left: u32,
}

impl RmqueueBulk {
    /// Frame of a refill that has not started: a batch; for orders above 0, as many blocks as make
    /// up a batch, at least 2 unless the batch is 1 (`rmqueue_pcplist`).
    pub fn call(zone: ZoneIndex, rq: &Request, flags: AllocFlags) -> Frame {
        Frame::RmqueueBulk(Self {
            pt: RbPt::Next,
            rq: *rq,
            zone,
            flags,
            left: NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            RbPt::Next => {
                if self.left == NONE {
                    let batch = w.mem.zones[self.zone].pcp_batch;
                    self.left = if batch > 1 {
                        (batch >> self.rq.order).max(2)
                    } else {
                        batch
                    };
                }
                if self.left == 0 {
                    self.pt = RbPt::Done;
                    return Flow::Next;
                }
                self.pt = RbPt::Fallback;
                let t = self.rq.migratetype;
                up.call(RmqueueSmallest::call(self.zone, self.rq.order, t), w, cx)
            }
            RbPt::Fallback => {
                if cx.ret != NONE {
                    self.pt = RbPt::Add;
                    return Flow::Next;
                }
                self.pt = RbPt::Reserve;
                up.call(
                    RmqueueFallback::call(self.zone, &self.rq, self.flags),
                    w,
                    cx,
                )
            }
            RbPt::Reserve => {
                self.pt = RbPt::Add;
                let reserve = w.facts.features.block_reserve == BlockReserve::MigrateReserve;
                if cx.ret != NONE || !reserve {
                    return Flow::Next;
                }
                up.call(
                    RmqueueSmallest::call(self.zone, self.rq.order, RESERVED),
                    w,
                    cx,
                )
            }
            RbPt::Add => self.add(w, FrameIndex::new(cx.ret)),
            RbPt::Done => Flow::Ret,
        }
    }

    fn add(&mut self, w: &mut World, page: FrameIndex) -> Flow {
        if page == FrameIndex::NONE {
            self.pt = RbPt::Done;
            return Flow::Next;
        }
        let (order, t) = (self.rq.order, self.rq.migratetype);
        w.spend(w.facts.cost.buddy_page_move);
        w.record(MmPageAllocZoneLocked {
            pfn: page,
            order,
            migratetype: t,
            percpu_refill: true,
        });
        let list = w.mem.pcp_list(self.zone, w.cpu, order, t);
        w.mem.set_kind(page, PageKind::Pcp, order);
        // The type to whose list the page returns if it is drained unused: the requested type, but
        // from 3.16 on a page of the reserve keeps its own type.
        let old = w.facts.features.fallback == FallbackRule::LargestAlwaysStart;
        let old_type = match w.mem.block_type(page) {
            RESERVED if !old => RESERVED,
            _ => t,
        };
        w.mem.pages[page].index = old_type.into();
        w.mem.lists.push_tail(&mut w.mem.pages[page], list, page);
        let at = w.mem.pcp_at(self.zone, w.cpu);
        w.mem.pcp_count[at] += 1 << order;
        self.left -= 1;
        self.pt = RbPt::Next;
        Flow::Next
    }
}

room! {
    FreePages: "free_pages" in "mm/page_alloc.c" at "v6.1.176" line 5754;
    Simplified "6.12 keeps movable and other huge pages on two per-cpu lists and tunes their limit; here they share one, and the limit is its lower bound.";
    FpPt {
        Route 0 Hold "small order: this CPU's list, else free_one_page()";
        PutPcp 1 Hold "put it at the head of its type's list";
        Drain 1 Hold "lists full: free_pcppages_bulk()";
        Done 0 Yields "done";
    }
    locals(self, w) {
        order: number(self.order);
        page: page(self.page);
    }
}

/// `free_hot_cold_page`, `free_unref_page`: frees one block that is in flight.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct FreePages {
    /// Current program point.
    pub pt: FpPt,
    /// First frame of the block.
    pub page: FrameIndex,
    /// Order of the block.
    pub order: u8,
    /// Migrate type of the list the block went to.
    pub list_type: u8,
}

impl FreePages {
    /// Frame of a call that has not started. The block must be in flight.
    pub fn call(page: FrameIndex, order: u8) -> Frame {
        Frame::FreePages(Self {
            pt: FpPt::Route,
            page,
            order,
            list_type: MOVABLE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            FpPt::Route => {
                w.counters.pgfree += 1 << self.order;
                w.record(MmPageFree {
                    pfn: self.page,
                    order: self.order,
                });
                if w.mem.pcp_allowed(self.order) {
                    self.pt = FpPt::PutPcp;
                    return Flow::Next;
                }
                self.pt = FpPt::Done;
                w.spend(w.facts.cost.buddy_page_move);
                up.call(FreeOnePage::call(self.page, self.order, u8::MAX), w, cx)
            }
            FpPt::PutPcp => self.put_pcp(w),
            FpPt::Drain => {
                self.pt = FpPt::Done;
                up.call(drain_after(w, self.page, self.order, self.list_type), w, cx)
            }
            FpPt::Done => Flow::Ret,
        }
    }

    fn put_pcp(&mut self, w: &mut World) -> Flow {
        let put = put_pcp(w, self.page, self.order);
        self.list_type = put.list_type;
        self.pt = if put.full { FpPt::Drain } else { FpPt::Done };
        Flow::Next
    }
}

/// The list to which a block was added.
struct Put {
    /// Migrate type of the list.
    list_type: u8,
    /// True if the CPU's lists are full.
    full: bool,
}

/// Puts a block in flight at the head of this CPU's list for the type of the block's pageblock
/// (`free_unref_page_commit`).
fn put_pcp(w: &mut World, page: FrameIndex, order: u8) -> Put {
    w.spend(w.facts.cost.pcp_page);
    let zone = w.mem.pages[page].zone();
    let old_type = w.mem.block_type(page);
    // Pages of reserve blocks count as movable while they are on these lists.
    let t = if old_type < PCP_TYPES {
        old_type
    } else {
        MOVABLE
    };
    w.mem.pages[page].index = old_type.into();
    let list = w.mem.pcp_list(zone, w.cpu, order, t);
    w.mem.set_kind(page, PageKind::Pcp, order);
    w.mem.lists.push_head(&mut w.mem.pages[page], list, page);
    let at = w.mem.pcp_at(zone, w.cpu);
    w.mem.pcp_count[at] += 1 << order;
    let count = w.mem.pcp_count[at];
    let z = &w.mem.zones[zone];
    let (high, batch) = (nr_pcp_high(w, z), z.pcp_batch);
    let full = count >= high;
    let (cpu, held) = (w.cpu, count.into());
    let (high, batch) = (high.into(), batch.into());
    if full {
        w.record(PcpFull {
            cpu,
            held,
            high,
            batch,
        });
    } else {
        w.record(PcpPut {
            cpu,
            held,
            high,
            batch,
        });
    }
    Put { list_type: t, full }
}

/// `free_pcppages_bulk()` after this CPU's lists of `page`'s zone became full because the page
/// joined the list of this order and type. Another CPU may have emptied them since.
fn drain_after(w: &mut World, page: FrameIndex, order: u8, list_type: u8) -> Frame {
    let zone = w.mem.pages[page].zone();
    let to_free = nr_pcp_free(w, zone);
    let joined = w.mem.pcp_list(zone, w.cpu, order, list_type);
    FreePcppagesBulk::call(w, zone, joined, to_free)
}

room! {
    FreeUnrefPageList: "free_unref_page_list" in "mm/page_alloc.c" at "v6.1.176" line 3543;
    Simplified "Pages are freed one by one, and the CPU's lists are locked for each. Called __pagevec_free up to 3.2, free_hot_cold_page_list up to 4.14.";
    FlPt {
        Next 0 Plain "for each page: put it at the head of its type's list";
        Drain 1 Plain "lists full: free_pcppages_bulk()";
        Done 0 Yields "done";
    }
    locals(self, w) {
        page: page(self.page);
    }
}

/// `free_unref_page_list`: frees the pages that a reclaimer has collected in
/// [`crate::vmscan::ScanControl::free`], in the order in which they were collected.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct FreeUnrefPageList {
    /// Current program point.
    pub pt: FlPt,
    /// Frame of the page just put on a list.
    pub page: FrameIndex,
    /// Migrate type of that list.
    pub list_type: u8,
}

impl FreeUnrefPageList {
    /// Frame for a list of pages to be freed. The pages must be in flight, with the first one last.
    pub fn call() -> Frame {
        Frame::FreeUnrefList(Self {
            pt: FlPt::Next,
            page: FrameIndex::NONE,
            list_type: MOVABLE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            FlPt::Next => {
                let Some(page) = cx.sc.free.pop() else {
                    self.pt = FlPt::Done;
                    return Flow::Next;
                };
                self.page = page;
                w.counters.pgfree += 1;
                w.record(MmPageFree {
                    pfn: page,
                    order: 0,
                });
                w.record(MmPageFreeBatched { pfn: page });
                if !w.mem.pcp_allowed(0) {
                    w.spend(w.facts.cost.buddy_page_move);
                    return up.call(FreeOnePage::call(page, 0, u8::MAX), w, cx);
                }
                let put = put_pcp(w, page, 0);
                self.list_type = put.list_type;
                if put.full {
                    self.pt = FlPt::Drain;
                }
                Flow::Next
            }
            FlPt::Drain => {
                self.pt = FlPt::Next;
                up.call(drain_after(w, self.page, 0, self.list_type), w, cx)
            }
            FlPt::Done => Flow::Ret,
        }
    }
}

/// Number of pages a CPU may hold. While kswapd balances the zone this is at most four batches, so
/// that the pages kswapd frees are visible (`nr_pcp_high`).
fn nr_pcp_high(w: &World, zone: &Zone) -> u32 {
    if w.facts.features.pcp_gives_way && zone.reclaim_active {
        zone.pcp_high.min(zone.pcp_batch << 2)
    } else {
        zone.pcp_high
    }
}

/// Number of pages that a full list returns: a batch, and from 5.14 on twice as many each time the
/// CPU keeps freeing without allocating, but never the last batch (`nr_pcp_free`).
fn nr_pcp_free(w: &mut World, zone: ZoneIndex) -> u32 {
    let z = &w.mem.zones[zone];
    let (high, batch) = (nr_pcp_high(w, z), z.pcp_batch);
    let at = w.mem.pcp_at(zone, w.cpu);
    let held = w.mem.pcp_count[at];
    if !w.facts.features.pcp_gives_way {
        return batch.min(held);
    }
    if high < batch {
        return 1;
    }
    let most = (high - batch).max(batch);
    let factor = &mut w.mem.pcp_free_factor[at];
    let target = batch << *factor;
    if target < high - batch {
        *factor += 1;
    }
    target.min(most).min(held)
}

room! {
    FreePcppagesBulk: "free_pcppages_bulk" in "mm/page_alloc.c" at "v6.1.176" line 1574;
    Simplified "zone->lock is dropped after each block, not after the batch.";
    PbPt {
        Pick 0 Hold "until a batch is returned: go to the next list";
        Take 1 Hold "free_one_page() of the list's last page";
        Done 0 Yields "unlock the zone";
    }
    locals(self, w) {
        zone: zone(self.zone);
        to_free: number(self.to_free);
        batch_free: number(self.batch_free);
    }
}

/// `free_pcppages_bulk`: returns a batch to the buddy lists, round-robin over the lists. The more
/// empty lists were skipped, the more it takes from one. From 5.18 on it empties each list before
/// the next, starting with the one to which a page was just added.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct FreePcppagesBulk {
    /// Current program point.
    pub pt: PbPt,
    /// Zone.
    pub zone: ZoneIndex,
    /// Number of pages still to return.
    pub to_free: u32,
    /// Blocks to take before the next list has its turn.
    pub batch_free: u32,
    /// The current list: order times PCP_TYPES plus type, as the kernel numbers them.
    pub list: u8,
    /// CPU that owns the lists.
    pub cpu: CpuIndex,
}

impl FreePcppagesBulk {
    /// Frame of a drain that has not started, after a page of this zone joined the list `joined`.
    fn call(w: &World, zone: ZoneIndex, joined: ListIndex, to_free: u32) -> Frame {
        let mut drain = Self {
            pt: PbPt::Pick,
            zone,
            to_free,
            batch_free: 0,
            list: 0,
            cpu: w.cpu,
        };
        if w.facts.features.pcp_drains_own_list {
            let lists = Self::lists(w);
            while drain.list_id(w) != joined && drain.list + 1 < lists {
                drain.list += 1;
            }
            drain.list = (drain.list + lists - 1) % lists;
        }
        Frame::PcpBulk(drain)
    }

    /// Frame of a drain of all of a CPU's pages of a zone (`drain_pages_zone`).
    pub fn drain(zone: ZoneIndex, cpu: CpuIndex, w: &World) -> Frame {
        Frame::PcpBulk(Self {
            pt: PbPt::Pick,
            zone,
            to_free: w.mem.pcp_count[w.mem.pcp_at(zone, cpu)],
            batch_free: 0,
            list: 0,
            cpu,
        })
    }

    /// The migrate type of a list: kernels up to 3.16 number reclaimable before movable.
    fn list_type(&self, w: &World) -> u8 {
        let second = match w.facts.features.migratetypes {
            Migratetypes::MovableSecond => MOVABLE,
            Migratetypes::ReclaimableSecond | Migratetypes::ReclaimableSecondCma => RECLAIMABLE,
        };
        match self.list % PCP_TYPES {
            0 => UNMOVABLE,
            1 => second,
            _ => MOVABLE + RECLAIMABLE - second,
        }
    }

    fn lists(w: &World) -> u8 {
        w.mem.pcp_orders * PCP_TYPES + u8::from(w.mem.pcp_huge)
    }

    fn order(&self, w: &World) -> u8 {
        let order = self.list / PCP_TYPES;
        if order < w.mem.pcp_orders {
            order
        } else {
            w.mem.pageblock_order
        }
    }

    fn list_id(&self, w: &World) -> ListIndex {
        w.mem
            .pcp_list(self.zone, self.cpu, self.order(w), self.list_type(w))
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            PbPt::Pick => {
                let lists = Self::lists(w);
                self.pt = PbPt::Done;
                if self.to_free > 0 && w.mem.pcp_count[w.mem.pcp_at(self.zone, self.cpu)] > 0 {
                    loop {
                        self.batch_free += 1;
                        self.list = (self.list + 1) % lists;
                        if !w.mem.lists.is_empty(self.list_id(w)) {
                            break;
                        }
                    }
                    // If only one list has pages, it returns all of them.
                    let own = w.facts.features.pcp_drains_own_list;
                    if own || self.batch_free == u32::from(lists) {
                        self.batch_free = self.to_free;
                    }
                    let most = self.batch_free.min(self.to_free);
                    crate::gather::before_merging(&w.mem, self.list_id(w), most as usize);
                    self.pt = PbPt::Take;
                }
                Flow::Next
            }
            PbPt::Take => self.take(w, cx, up),
            PbPt::Done => Flow::Ret,
        }
    }

    fn take(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let list = self.list_id(w);
        let order = self.order(w);
        let Some(page) = w.mem.lists.pop_tail(&mut w.mem.pages, list) else {
            self.pt = PbPt::Pick;
            return Flow::Next;
        };
        w.spend(w.facts.cost.buddy_page_move);
        let at = w.mem.pcp_at(self.zone, self.cpu);
        w.mem.pcp_count[at] -= 1 << order;
        w.mem.set_kind(page, PageKind::InFlight, order);
        let old_type = std::mem::take(&mut w.mem.pages[page].index) as u8;
        let t = if w.facts.features.pcp_keeps_type {
            old_type
        } else {
            w.mem.block_type(page)
        };
        w.record(MmPagePcpuDrain {
            pfn: page,
            order,
            migratetype: t,
        });
        self.to_free = self.to_free.saturating_sub(1 << order);
        self.batch_free -= 1;
        if self.to_free == 0 || self.batch_free == 0 || w.mem.lists.is_empty(list) {
            self.pt = PbPt::Pick;
        }
        up.call(FreeOnePage::call(page, order, t), w, cx)
    }
}
