//! The buddy allocator and its use of the per-cpu lists (mm/page_alloc.c).
//!
//! Modelled: `rmqueue` with per-cpu lists and their refill, `__rmqueue_smallest` with `expand`,
//! `__free_one_page` with the tail rule, `free_pcppages_bulk` round-robin. Left out: lock
//! contention (the cost of the lock is part of the cost of a page), cold pages. Visible difference:
//! these kernels print nothing that shows which task waited for zone->lock. Invariants: an order-0
//! stream from a fresh block ascends; freeing merges blocks as far as possible. A zone's counts
//! change once for each block taken or freed, however often it was split or merged.

use crate::fallback::RmqueueFallback;
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::{AllocFlags, RESERVED};
use crate::kernel::BlockReserve;
use crate::mmzone::PageKind;
use crate::page_alloc::Request;
use crate::pcp::RmqueueBulk;
use crate::record::{decisions, events};
use crate::world::World;
use facts::index::{FrameIndex, ZoneIndex};
use facts::state::State;

events! {
    /// A block was taken from a zone's buddy lists under the zone lock. percpu_refill is set if the block fills a per-cpu list.
    MmPageAllocZoneLocked "mm_page_alloc_zone_locked" from "include/trace/events/kmem.h" { pfn: Page, order: Order, migratetype: Migratetype, percpu_refill: Flag };
    /// A free block was split in halves to serve a smaller request; the page is the first one of the half that was put back.
    BlockSplit "split" from "Engine" { pfn: Page, order: Order };
    /// Two free buddies became one block.
    BlocksMerged "merge" from "Engine" { pfn: Page, order: Order };
}

decisions! {
    TakePcp { cpu: Cpu, held: Count, migratetype: Migratetype, zone: Zone }
        "{cpu} has {held page} of type {migratetype} on its per-cpu list for {zone}: take one without the zone's lock.";
    RefillPcp { cpu: Cpu, batch: Count, migratetype: Migratetype, zone: Zone }
        "The per-cpu list of {cpu} has no page of type {migratetype} for {zone}: first fetch {batch page} from the buddy lists.";
    TakeBuddy { order: Order, zone: Zone }
        "A block of {order} comes straight from the buddy lists of {zone}.";
    BlockFound { zone: Zone, blocks: Count, found: Order, migratetype: Migratetype, order: Order }
        "{zone} has {blocks free block} of {found} and type {migratetype}, the smallest size that fits {order}: take the first block.";
    BlockNone { zone: Zone, migratetype: Migratetype, order: Order }
        "{zone} has no free block of {order} or larger with type {migratetype}: try another type.";
    Split { larger: Order, order: Order, upper: Page }
        "The block of {larger} is larger than {order}: split it, keep the lower half, and put the upper half, at {upper}, on its free list.";
    SplitDone { page: Page, order: Order, zone: Zone, free: Count }
        "The block at {page} is of {order}, as requested: {zone} has {free free page} left.";
    Merge { buddy: Page, order: Order, joined: Order }
        "The buddy at {buddy} is also a free block of {order}: the two blocks become one block of {joined}.";
    MergeStop { buddy: Page, order: Order }
        "The buddy at {buddy} is not a free block of {order}: merging ends here.";
    MergeTop { order: Order }
        "A block of {order} is the largest possible: merging ends here.";
    PlaceTail { order: Order, zone: Zone, free: Count }
        "The next larger neighbour is free, so this block may merge soon: it goes to the tail of the {order} list, to be used last.";
    PlaceHead { order: Order, zone: Zone, free: Count }
        "The block goes to the head of the {order} list: {zone} now has {free free page}.";
}

room! {
    Rmqueue: "rmqueue" in "mm/page_alloc.c" at "v6.1.176" line 3880;
    Simplified "Called buffered_rmqueue up to 4.9. From 6.0 on, a request whose refill failed tries the buddy lists; here it fails. A boost wakes kswapd inside the fallback instead of at the end. HighAtomic blocks never return to their former type.";
    RqPt {
        Route 0 Hold "small order: use this CPU's list, else lock the zone";
        Refill 1 Hold "list empty: rmqueue_bulk() fetches a batch";
        TakePcp 1 Hold "take the first page of the list";
        Smallest 0 Hold "page = rmqueue_smallest(zone, order, migratetype)";
        Fallback 0 Hold "none: page = rmqueue_fallback(zone, order, migratetype)";
        Reserve 0 Hold "none: rmqueue_smallest() of the reserve, if any";
        Done 0 Yields "return the page, counted in pgalloc";
    }
    locals(self, w) {
        zone: zone(self.zone);
        order: number(self.rq.order);
        migratetype: migratetype(self.rq.migratetype);
        page: page(self.page);
    }
}

/// `rmqueue`: one block from one zone. Returns the frame, or [`NONE`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Rmqueue {
    /// Current program point.
    pub pt: RqPt,
    /// The request.
    pub rq: Request,
    /// Zone to take the block from.
    pub zone: ZoneIndex,
    /// Allocation flags.
    pub flags: AllocFlags,
    /// The page found.
    pub page: FrameIndex,
}

impl Rmqueue {
    /// Frame of a call that has not started.
    pub fn call(rq: Request, zone: ZoneIndex, flags: AllocFlags) -> Frame {
        Frame::Rmqueue(Rmqueue {
            pt: RqPt::Route,
            rq,
            zone,
            flags,
            page: FrameIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            RqPt::Route => self.route(w),
            RqPt::Refill => {
                self.pt = RqPt::TakePcp;
                up.call(RmqueueBulk::call(self.zone, &self.rq, self.flags), w, cx)
            }
            RqPt::TakePcp => self.take_pcp(w),
            RqPt::Smallest => {
                self.pt = RqPt::Fallback;
                // From 4.4 on, a request that may use the reserves tries them first.
                let reserves =
                    self.flags.has(AllocFlags::HARDER) && self.flags.has(AllocFlags::HIGH);
                let highatomic = w.facts.features.block_reserve == BlockReserve::HighAtomic;
                let t = if reserves && highatomic && self.rq.order > 0 {
                    let list = w.mem.free_list(self.zone, self.rq.order, RESERVED);
                    if w.mem.lists.is_empty(list) {
                        self.rq.migratetype
                    } else {
                        RESERVED
                    }
                } else {
                    self.rq.migratetype
                };
                up.call(RmqueueSmallest::call(self.zone, self.rq.order, t), w, cx)
            }
            RqPt::Fallback => {
                if cx.ret != NONE {
                    return self.got(FrameIndex::new(cx.ret));
                }
                self.pt = RqPt::Reserve;
                up.call(
                    RmqueueFallback::call(self.zone, &self.rq, self.flags),
                    w,
                    cx,
                )
            }
            RqPt::Reserve => {
                if cx.ret != NONE {
                    return self.got(FrameIndex::new(cx.ret));
                }
                self.pt = RqPt::Done;
                if w.facts.features.block_reserve != BlockReserve::MigrateReserve {
                    return Flow::Next;
                }
                up.call(
                    RmqueueSmallest::call(self.zone, self.rq.order, RESERVED),
                    w,
                    cx,
                )
            }
            RqPt::Done => self.done(w, cx),
        }
    }

    fn got(&mut self, page: FrameIndex) -> Flow {
        (self.page, self.pt) = (page, RqPt::Done);
        Flow::Next
    }

    fn route(&mut self, w: &mut World) -> Flow {
        let (zone, order, t) = (self.zone, self.rq.order, self.rq.migratetype);
        if !w.mem.pcp_allowed(order) {
            w.record(TakeBuddy { order, zone });
            self.pt = RqPt::Smallest;
            return Flow::Next;
        }
        let at = w.mem.pcp_at(zone, w.cpu);
        w.mem.pcp_free_factor[at] >>= 1;
        let held = w.mem.lists.len(w.mem.pcp_list(zone, w.cpu, order, t));
        let cpu = w.cpu;
        if held == 0 {
            let batch = w.mem.zones[zone].pcp_batch;
            w.record(RefillPcp {
                cpu,
                batch: batch.into(),
                migratetype: t,
                zone,
            });
            self.pt = RqPt::Refill;
        } else {
            w.record(TakePcp {
                cpu,
                held: held.into(),
                migratetype: t,
                zone,
            });
            self.pt = RqPt::TakePcp;
        }
        Flow::Next
    }

    fn take_pcp(&mut self, w: &mut World) -> Flow {
        let list = w
            .mem
            .pcp_list(self.zone, w.cpu, self.rq.order, self.rq.migratetype);
        w.spend(w.facts.cost.pcp_page);
        self.pt = RqPt::Done;
        if let Some(page) = w.mem.lists.pop_head(&mut w.mem.pages, list) {
            let at = w.mem.pcp_at(self.zone, w.cpu);
            w.mem.pcp_count[at] -= 1 << self.rq.order;
            w.mem.set_kind(page, PageKind::InFlight, self.rq.order);
            w.mem.pages[page].index = 0;
            self.page = page;
        }
        Flow::Next
    }

    fn done(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if self.page == FrameIndex::NONE {
            self.page = FrameIndex::new(cx.ret);
        }
        cx.ret = self.page.get();
        if self.page != FrameIndex::NONE {
            if !w.mem.pcp_allowed(self.rq.order) {
                w.spend(w.facts.cost.buddy_page_move);
                w.record(MmPageAllocZoneLocked {
                    pfn: self.page,
                    order: self.rq.order,
                    migratetype: self.rq.migratetype,
                    percpu_refill: false,
                });
            }
            let kind = w.mem.zones[self.zone].kind;
            w.counters.pgalloc[kind as usize] += 1 << self.rq.order;
            crate::fair_zone::spend(w, self.zone, self.rq.order);
            self.reserve_highatomic(w);
        }
        Flow::Ret
    }

    /// `reserve_highatomic_pageblock`: after a high-order atomic allocation, reserves its pageblock for
    /// the next one, up to about 1 % of the zone.
    fn reserve_highatomic(&self, w: &mut World) {
        let facts = &w.facts;
        let atomic = self.flags.has(AllocFlags::HARDER) && self.flags.has(AllocFlags::HIGH);
        if self.rq.order == 0 || !atomic || facts.features.block_reserve != BlockReserve::HighAtomic
        {
            return;
        }
        let block = 1u32 << w.mem.pageblock_order;
        let z = &w.mem.zones[self.zone];
        if z.nr_reserved_highatomic >= z.managed / 100 + block
            || w.mem.block_type(self.page) == RESERVED
        {
            return;
        }
        w.mem.zones[self.zone].nr_reserved_highatomic += block;
        w.mem.set_block_type(self.page, RESERVED);
        crate::fallback::move_freepages_block(w, self.page, RESERVED);
    }
}

room! {
    RmqueueSmallest: "rmqueue_smallest" in "mm/page_alloc.c" at "v6.1.176" line 2589;
    Mirrored "Includes expand(): each split is one line.";
    RsPt {
        Find 0 Hold "find the smallest free block that is large enough";
        Take 0 Hold "take the first block of that list";
        Expand 0 Hold "while too large: put its upper half on the list below";
        Done 0 Hold "return the lowest part";
    }
    locals(self, w) {
        zone: zone(self.zone);
        order: number(self.order);
        migratetype: migratetype(self.from);
        page: page(self.page);
        current_order: number(self.current) if self.page != FrameIndex::NONE;
    }
}

/// `__rmqueue_smallest` with `expand`. Returns the frame, or [`NONE`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct RmqueueSmallest {
    /// Current program point.
    pub pt: RsPt,
    /// Zone.
    pub zone: ZoneIndex,
    /// Order requested.
    pub order: u8,
    /// Type whose lists are searched.
    pub from: u8,
    /// Type whose lists get the halves.
    pub rest: u8,
    /// The block and its current order.
    pub page: FrameIndex,
    /// Current order of the block.
    pub current: u8,
    /// Order of the block when it was found; set once the block is off its list.
    pub found: u8,
}

impl RmqueueSmallest {
    /// Frame of a search that has not started; the halves go to the lists of `from`.
    pub fn call(zone: ZoneIndex, order: u8, from: u8) -> Frame {
        Frame::RmqueueSmallest(Self {
            pt: RsPt::Find,
            zone,
            order,
            from,
            rest: from,
            page: FrameIndex::NONE,
            current: order,
            found: 0,
        })
    }

    /// Frame of the second half of a fallback: takes `page`, which is still on its list, and
    /// expands it to `order`. The halves go to the lists of `rest`.
    pub fn expand(zone: ZoneIndex, order: u8, page: FrameIndex, current: u8, rest: u8) -> Frame {
        Frame::RmqueueSmallest(Self {
            pt: RsPt::Take,
            zone,
            order,
            from: rest,
            rest,
            page,
            current,
            found: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            RsPt::Find => self.find(w, cx),
            RsPt::Take => {
                self.found = w.mem.unlist_free(self.page);
                self.pt = if self.current > self.order {
                    RsPt::Expand
                } else {
                    RsPt::Done
                };
                Flow::Next
            }
            RsPt::Expand => {
                let larger = self.current;
                let upper = w.mem.halve(self.page, self.current);
                self.current -= 1;
                w.mem.list_free(upper, self.current, self.rest, false);
                w.record(Split {
                    larger,
                    order: self.order,
                    upper,
                });
                w.record(BlockSplit {
                    pfn: upper,
                    order: self.current,
                });
                if self.current == self.order {
                    self.pt = RsPt::Done;
                }
                Flow::Next
            }
            RsPt::Done => {
                cx.ret = self.page.get();
                w.mem.count_taken(self.page, self.found, self.order);
                let free = w.mem.zones[self.zone].nr_free_pages;
                w.record(SplitDone {
                    page: self.page,
                    order: self.order,
                    zone: self.zone,
                    free: free.into(),
                });
                Flow::Ret
            }
        }
    }

    fn find(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let mem = &w.mem;
        let found = (self.order..mem.orders).find_map(|o| {
            mem.lists
                .head(mem.free_list(self.zone, o, self.from))
                .map(|page| (o, page))
        });
        let (zone, order, from) = (self.zone, self.order, self.from);
        let Some((o, page)) = found else {
            w.record(BlockNone {
                zone,
                migratetype: from,
                order,
            });
            cx.ret = NONE;
            return Flow::Ret;
        };
        let blocks = mem.lists.len(mem.free_list(self.zone, o, self.from));
        w.record(BlockFound {
            zone,
            blocks: blocks.into(),
            found: o,
            migratetype: from,
            order,
        });
        (self.page, self.current, self.pt) = (page, o, RsPt::Take);
        Flow::Next
    }
}

room! {
    FreeOnePage: "free_one_page" in "mm/page_alloc.c" at "v6.1.176" line 1645;
    Simplified "6.12 also sets the pageblock type of a buddy it merges across types.";
    FoPt {
        Merge 0 Hold "while its buddy is free: join them, one order up";
        Place 0 Yields "put it on its free list: head, or tail if likely to merge";
    }
    locals(self, w) {
        order: number(self.order);
        page: page(self.page);
        migratetype: migratetype(self.migratetype) if self.migratetype != u8::MAX;
    }
}

/// `__free_one_page`: merges a block that is in flight and puts it on a free list.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct FreeOnePage {
    /// Current program point.
    pub pt: FoPt,
    /// First frame of the block after the merges so far.
    pub page: FrameIndex,
    /// Order of the block after the merges so far.
    pub order: u8,
    /// Order of the block that was freed.
    pub freed: u8,
    /// Type whose list gets the block: the type of its pageblock, or the type it had when it joined its
    /// per-cpu list.
    pub migratetype: u8,
}

impl FreeOnePage {
    /// Frame of a call that has not started. The block goes to the lists of this type; `u8::MAX`
    /// stands for the type of its pageblock. The block must be in flight.
    pub fn call(page: FrameIndex, order: u8, migratetype: u8) -> Frame {
        Frame::FreeOne(Self {
            pt: FoPt::Merge,
            page,
            order,
            freed: order,
            migratetype,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, _cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            FoPt::Merge => self.merge(w),
            FoPt::Place => {
                let zone = w.mem.pages[self.page].zone();
                let to_tail = self.may_merge_soon(w, zone);
                w.mem.forgive(zone);
                w.mem
                    .list_free(self.page, self.order, self.migratetype, to_tail);
                w.mem.count_freed(self.page, self.freed, self.order);
                let free = w.mem.zones[zone].nr_free_pages;
                let (order, free) = (self.order, free.into());
                if to_tail {
                    w.record(PlaceTail { order, zone, free });
                } else {
                    w.record(PlaceHead { order, zone, free });
                }
                Flow::Ret
            }
        }
    }

    fn merge(&mut self, w: &mut World) -> Flow {
        if self.migratetype == u8::MAX {
            self.migratetype = w.mem.block_type(self.page);
        }
        let order = self.order;
        let zone = w.mem.pages[self.page].zone();
        let buddy = self.page.buddy(order);
        let top = order + 1 >= w.mem.orders;
        let joins = !top && w.mem.is_free_block(buddy, order, zone) && self.types_agree(w, buddy);
        if !joins {
            if top {
                w.record(MergeTop { order });
            } else {
                w.record(MergeStop { buddy, order });
            }
            self.pt = FoPt::Place;
            return Flow::Next;
        }
        w.mem.unlist_free(buddy);
        self.page = w.mem.join(self.page, order);
        self.order += 1;
        w.record(Merge {
            buddy,
            order,
            joined: self.order,
        });
        w.record(BlocksMerged {
            pfn: self.page,
            order: self.order,
        });
        Flow::Next
    }

    /// From the order of a pageblock up, HighAtomic blocks merge only with each other (from 5.18).
    fn types_agree(&self, w: &World, buddy: FrameIndex) -> bool {
        if self.order < w.mem.pageblock_order || !w.facts.features.highatomic_stays_apart {
            return true;
        }
        let (a, b) = (self.migratetype, w.mem.block_type(buddy));
        a == b || (a != RESERVED && b != RESERVED)
    }

    /// The tail rule: is the block's next larger neighbour free?
    fn may_merge_soon(&self, w: &World, zone: ZoneIndex) -> bool {
        if self.order + 2 >= w.mem.orders {
            return false;
        }
        let parent = self.page.head(self.order + 1);
        let uncle = parent.buddy(self.order + 1);
        w.mem.is_free_block(uncle, self.order + 1, zone)
    }
}
