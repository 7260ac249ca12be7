//! Taking blocks from other migrate types (mm/page_alloc.c: `__rmqueue_fallback`).
//!
//! Modelled: the rules of 2.6.37 to 3.8, 3.10 and 3.16, 4.4 and 4.9, 4.14 to 6.9, and 6.10 on:
//! which block is taken, whether the free pages of its pageblock move, whether the pageblock
//! changes its type, the boost.
//! Left out: CMA as a donor. Kernels turn grouping off on machines with fewer than five pageblocks;
//! here it stays on, because teaching machines are meant to show it.
//! Visible difference: a real machine of a few MiB never changes the type of half a pageblock.
//! Invariants: NR_FREE_PAGES changes only by the block allocated.

use crate::buddy::RmqueueSmallest;
use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::gfp::{AllocFlags, MOVABLE, RECLAIMABLE, RESERVED, TYPES, UNMOVABLE};
use crate::kernel::FallbackRule;
use crate::mmzone::{PageKind, flag};
use crate::page_alloc::Request;
use crate::record::{decisions, events};
use crate::slowpath::wake::MmVmscanWakeupKswapd;
use crate::world::World;
use facts::amount::Pages;
use facts::index::{FrameIndex, ZoneIndex};
use facts::state::State;

events! {
    /// A request was served from a block of another migrate type, which mixes types.
    MmPageAllocExtfrag "mm_page_alloc_extfrag" from "include/trace/events/kmem.h" { pfn: Page, alloc_order: Order, fallback_order: Order, alloc_migratetype: Migratetype, fallback_migratetype: Migratetype, change_ownership: Flag };
}

decisions! {
    FallbackFound { start: Migratetype, order: Order, donor: Migratetype, page: Page }
        "Type {start} has no block left. The largest block of another type is at {page}; it is of {order} and type {donor}.";
    FallbackNone { order: Order, zone: Zone }
        "No other migrate type has a block of {order} or larger: {zone} cannot serve this request.";
    StealAll { order: Order, moved: Count, start: Migratetype }
        "A block of {order} is at least half a pageblock, or the request's type may always claim one: move the {moved free page} of this pageblock to {start}.";
    StealOne { order: Order, start: Migratetype, donor: Migratetype }
        "A block of {order} is too small to claim the pageblock: only this block goes to {start}, and the rest stays {donor}.";
    Claim { alike: Count, block: Count, start: Migratetype }
        "At least half of the pageblock suits type {start} ({alike} of {block page}): the whole pageblock becomes {start}.";
    NoClaim { alike: Count, block: Count, start: Migratetype }
        "Less than half of the pageblock suits type {start} ({alike} of {block page}): the pageblock keeps its type.";
    Boost { zone: Zone, block: Count, boost: Count }
        "This fallback mixes types in one pageblock: the watermark boost of {zone} rises by {block page} to {boost}.";
}

room! {
    RmqueueFallback: "rmqueue_fallback" in "mm/page_alloc.c" at "v6.1.176" line 3033;
    Simplified "Grouping by mobility stays on below five pageblocks of memory, where the kernel switches it off.";
    FbPt {
        Scan 0 Hold "from the largest order down: find another type's block";
        Steal 0 Hold "may steal: move the pageblock's free pages to our type";
        Own 0 Hold "enough is ours now: change the pageblock's type";
        Split 0 Hold "take the block, and expand() the rest";
        Done 0 Hold "return the page";
    }
    locals(self, w) {
        zone: zone(self.zone);
        order: number(self.order);
        start_migratetype: migratetype(self.start);
        page: page(self.page);
        current_order: number(self.current) if self.page != FrameIndex::NONE;
        fallback_type: migratetype(self.donor) if self.page != FrameIndex::NONE;
        moved: number(self.moved) if self.page != FrameIndex::NONE;
    }
}

/// `__rmqueue_fallback`. Returns the frame, or [`NONE`].
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct RmqueueFallback {
    /// Current program point.
    pub pt: FbPt,
    /// Zone.
    pub zone: ZoneIndex,
    /// Order requested.
    pub order: u8,
    /// Migrate type of the request.
    pub start: u8,
    /// Allocation flags.
    pub flags: AllocFlags,
    /// True if the request may wake kswapd for the boost.
    pub may_wake: bool,
    /// Migrate type of the donor.
    pub donor: u8,
    /// The block found.
    pub page: FrameIndex,
    /// Order of the block.
    pub current: u8,
    /// Free pages that moved to the lists of the request's type.
    pub moved: u32,
    /// True if the free pages of the pageblock moved.
    pub stole: bool,
    /// Type whose lists get the rest of the block.
    pub rest: u8,
    /// Type of the pageblock before the fallback.
    pub was: u8,
    /// True if the pageblock changed to the request's type.
    pub claimed: bool,
}

/// Donor types in order, for each type of request.
const DONORS: [[u8; 2]; 3] = {
    let mut donors = [[0; 2]; 3];
    donors[UNMOVABLE as usize] = [RECLAIMABLE, MOVABLE];
    donors[RECLAIMABLE as usize] = [UNMOVABLE, MOVABLE];
    donors[MOVABLE as usize] = [RECLAIMABLE, UNMOVABLE];
    donors
};

impl RmqueueFallback {
    /// Frame of a search that has not started.
    pub fn call(zone: ZoneIndex, rq: &Request, flags: AllocFlags) -> Frame {
        Frame::Fallback(Self {
            pt: FbPt::Scan,
            zone,
            order: rq.order,
            start: rq.migratetype,
            flags,
            may_wake: rq.gfp.has(crate::gfp::Gfp::KSWAPD_RECLAIM),
            donor: 0,
            page: FrameIndex::NONE,
            current: 0,
            moved: 0,
            stole: false,
            rest: 0,
            was: 0,
            claimed: false,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            FbPt::Scan => self.scan(w, cx),
            FbPt::Steal => self.steal(w),
            FbPt::Own => self.own(w),
            FbPt::Split => {
                self.pt = FbPt::Done;
                self.trace(w);
                let (zone, order) = (self.zone, self.order);
                // All moved pages are now on the lists of the request's type, so the kernel
                // searches there again.
                let again = match w.facts.features.fallback {
                    FallbackRule::AlikePages => true,
                    FallbackRule::ClaimOrSplit => self.stole,
                    _ => false,
                };
                if again {
                    return up.call(RmqueueSmallest::call(zone, order, self.start), w, cx);
                }
                up.call(
                    RmqueueSmallest::expand(zone, order, self.page, self.current, self.rest),
                    w,
                    cx,
                )
            }
            FbPt::Done => Flow::Ret,
        }
    }

    fn head(&self, w: &World, order: u8) -> Option<(u8, FrameIndex)> {
        DONORS[self.start as usize].into_iter().find_map(|donor| {
            w.mem
                .lists
                .head(w.mem.free_list(self.zone, order, donor))
                .map(|page| (donor, page))
        })
    }

    /// May this type or order take all free pages of the pageblock (`can_steal_fallback`, and the same
    /// test inline before 3.11)?
    fn can_steal(&self, w: &World, order: u8) -> bool {
        let half = w.mem.pageblock_order / 2;
        let greedy = match w.facts.features.fallback {
            FallbackRule::LargestAlwaysStart
            | FallbackRule::LargestClaimed
            | FallbackRule::LargestRestMoves => self.start == RECLAIMABLE,
            FallbackRule::LargestUnmovableToo
            | FallbackRule::AlikePages
            | FallbackRule::ClaimOrSplit => self.start == RECLAIMABLE || self.start == UNMOVABLE,
        };
        order >= half || greedy
    }

    fn scan(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if self.start >= crate::gfp::RESERVED {
            cx.ret = NONE;
            return Flow::Ret;
        }
        let alike = is_modern(w);
        let apart = self.flags.has(AllocFlags::NOFRAGMENT);
        let least = if alike && apart {
            w.mem.pageblock_order.max(self.order)
        } else {
            self.order
        };
        let largest = (least..w.mem.orders)
            .rev()
            .find_map(|o| self.head(w, o).map(|(donor, page)| (o, donor, page)));
        let Some((mut o, mut donor, mut page)) = largest else {
            w.record(FallbackNone {
                order: self.order,
                zone: self.zone,
            });
            cx.ret = NONE;
            return Flow::Ret;
        };
        // A movable request that cannot claim a pageblock does the least harm with the smallest block.
        if alike && !self.can_steal(w, o) && self.start == MOVABLE && o > self.order {
            let smallest = (self.order..w.mem.orders)
                .find_map(|o| self.head(w, o).map(|(donor, page)| (o, donor, page)));
            (o, donor, page) = smallest.unwrap_or((o, donor, page));
        }
        (self.current, self.donor, self.page, self.rest) = (o, donor, page, donor);
        w.record(FallbackFound {
            start: self.start,
            order: o,
            donor,
            page,
        });
        self.pt = FbPt::Steal;
        Flow::Next
    }

    fn steal(&mut self, w: &mut World) -> Flow {
        let (order, start) = (self.current, self.start);
        let whole = order >= w.mem.pageblock_order;
        self.was = w.mem.block_type(self.page);
        self.pt = FbPt::Own;
        if is_modern(w) {
            if self.was == RESERVED {
                return self.single(w);
            }
            if whole {
                // The block is the whole pageblock: nothing in it needs moving.
                return Flow::Next;
            }
            if w.facts.features.boost {
                self.boost(w);
            }
        }
        if !self.can_steal(w, order) {
            return self.single(w);
        }
        if w.facts.features.fallback == FallbackRule::ClaimOrSplit {
            // These pages are only counted here; they move with the whole pageblock or not at all.
            self.moved = free_pages(w, self.page);
        } else {
            self.moved = move_freepages_block(w, self.page, start);
            self.stole = true;
        }
        if is_modern(w) && self.moved == 0 {
            return self.single(w);
        }
        w.record(StealAll {
            order,
            moved: self.moved.into(),
            start,
        });
        Flow::Next
    }

    /// Only this block goes to the request's type; its pageblock keeps its type. (`single_page`
    /// from 4.x on, where the block changes lists first.)
    fn single(&mut self, w: &mut World) -> Flow {
        w.record(StealOne {
            order: self.current,
            start: self.start,
            donor: self.donor,
        });
        match w.facts.features.fallback {
            FallbackRule::AlikePages => {
                relist(w, self.page, self.start);
                self.rest = self.start;
            }
            FallbackRule::LargestRestMoves | FallbackRule::LargestUnmovableToo => {
                self.rest = self.start;
            }
            _ => {}
        }
        self.pt = FbPt::Split;
        Flow::Next
    }

    fn own(&mut self, w: &mut World) -> Flow {
        let block = 1u32 << w.mem.pageblock_order;
        let (start, order) = (self.start, self.current);
        let rule = w.facts.features.fallback;
        if order >= w.mem.pageblock_order {
            for i in 0..1 << (order - w.mem.pageblock_order) {
                w.mem.set_block_type(self.page.plus(i * block), start);
            }
            if rule == FallbackRule::AlikePages {
                relist(w, self.page, start);
            }
            self.claimed = true;
        } else {
            let ours = self.moved + self.alike_pages(w);
            self.claimed = ours >= block / 2;
            if self.claimed {
                if rule == FallbackRule::ClaimOrSplit {
                    move_freepages_block(w, self.page, start);
                    self.stole = true;
                }
                w.mem.set_block_type(self.page, start);
            }
            let (alike, block) = (ours.into(), block.into());
            if self.claimed {
                w.record(Claim {
                    alike,
                    block,
                    start,
                });
            } else {
                w.record(NoClaim {
                    alike,
                    block,
                    start,
                });
            }
        }
        self.rest = match rule {
            FallbackRule::LargestAlwaysStart
            | FallbackRule::LargestRestMoves
            | FallbackRule::LargestUnmovableToo
            | FallbackRule::AlikePages => start,
            _ if self.claimed => start,
            _ => self.donor,
        };
        self.pt = FbPt::Split;
        Flow::Next
    }

    /// Pages in the pageblock that suit the request's type, without the free ones (5.x, 6.x).
    fn alike_pages(&self, w: &World) -> u32 {
        if !is_modern(w) {
            return 0;
        }
        let movable = movable_pages(w, self.page);
        let block = 1u32 << w.mem.pageblock_order;
        if self.start == MOVABLE {
            movable
        } else if self.was == MOVABLE {
            block.saturating_sub(self.moved + movable)
        } else {
            0
        }
    }

    /// `boost_watermark`: each fallback that mixes types raises the watermarks by a pageblock, up to
    /// `watermark_boost_factor` of the high watermark. Zones with fewer than four pageblocks are not
    /// boosted.
    fn boost(&self, w: &mut World) {
        let block = 1u32 << w.mem.pageblock_order;
        let factor = w.tunables.watermark_boost_factor;
        let z = &mut w.mem.zones[self.zone];
        if factor == 0 || block * 4 > z.managed {
            return;
        }
        let max = Pages::of(crate::watermark::mul_div(z.wmark[2].into(), factor, 10_000));
        if max == Pages::ZERO {
            return;
        }
        let step = Pages::new(block);
        z.boost = (z.boost + step).min(max.max(step));
        let (boost, kind, node) = (z.boost, z.kind, z.node);
        w.record(Boost {
            zone: self.zone,
            block: block.into(),
            boost: boost.into(),
        });
        // rmqueue() wakes kswapd before it returns: without the boost, the node may be balanced.
        if self.may_wake {
            let now = w.now;
            let k = &mut w.kswapd[node];
            if k.classzone == u8::MAX || k.classzone < kind {
                k.classzone = kind;
            }
            if !k.awake {
                (k.awake, k.wakes, k.since_ns) = (true, k.wakes + 1, now);
                let task = k.task;
                w.record(MmVmscanWakeupKswapd {
                    nid: node,
                    zid: self.zone,
                    order: 0,
                    gfp_flags: Gfp(0),
                });
                w.wake(task);
            }
        }
    }

    fn trace(&self, w: &mut World) {
        let changed = match w.facts.features.fallback {
            FallbackRule::LargestAlwaysStart => self.rest == self.start,
            FallbackRule::LargestClaimed => self.claimed,
            _ => w.mem.block_type(self.page) == self.start,
        };
        w.record(MmPageAllocExtfrag {
            pfn: self.page,
            alloc_order: self.order,
            fallback_order: self.current,
            alloc_migratetype: self.start,
            fallback_migratetype: self.donor,
            change_ownership: changed,
        });
    }
}

/// Does the kernel follow the rules from 4.14 on (`steal_suitable_fallback`)?
fn is_modern(w: &World) -> bool {
    matches!(
        w.facts.features.fallback,
        FallbackRule::AlikePages | FallbackRule::ClaimOrSplit
    )
}

/// Frames of the pageblock around `page`; `None` if it reaches beyond the end of its zone. If the
/// zone starts inside the pageblock, they start at `page`; from 6.10 on the result is `None` then.
fn block_range(w: &World, page: FrameIndex) -> Option<(FrameIndex, FrameIndex)> {
    let len = 1u32 << w.mem.pageblock_order;
    let zone = &w.mem.zones[w.mem.pages[page].zone()];
    let span = &w.facts.layout.nodes[zone.node.index()].zones[zone.kind as usize];
    let first = page.head(w.mem.pageblock_order);
    let pfn = w.mem.pfn(page) - u64::from(page.since(first));
    if pfn + u64::from(len) > span.end_pfn() {
        return None;
    }
    let partly = pfn < span.start_pfn;
    if partly && w.facts.features.fallback == FallbackRule::ClaimOrSplit {
        return None;
    }
    Some((if partly { page } else { first }, first.plus(len)))
}

/// Moves a free block to another type's list of its order.
fn relist(w: &mut World, page: FrameIndex, to: u8) {
    let order = w.mem.del_free(page);
    let to_tail = w.facts.features.moved_blocks_to_tail;
    w.mem.add_free(page, order, to, to_tail);
}

/// Number of free pages that `move_freepages_block` would move.
fn free_pages(w: &World, page: FrameIndex) -> u32 {
    let Some((first, end)) = block_range(w, page) else {
        return 0;
    };
    let pages = w.mem.pages.slice(first, end).iter();
    pages
        .filter(|p| p.is(PageKind::Free))
        .map(|p| 1 << p.order())
        .sum()
}

/// `move_freepages_block`: moves every free block of the pageblock to a type's lists, in ascending
/// order. Returns the number of pages moved.
pub fn move_freepages_block(w: &mut World, page: FrameIndex, to: u8) -> u32 {
    debug_assert!(to < TYPES);
    let Some((mut frame, end)) = block_range(w, page) else {
        return 0;
    };
    let mut moved = 0;
    while frame < end {
        let p = w.mem.pages[frame];
        if p.is(PageKind::Free) {
            relist(w, frame, to);
            moved += 1 << p.order();
            frame = frame.plus(1 << p.order());
        } else {
            frame = frame.plus(1);
        }
    }
    moved
}

/// Pages of the pageblock in movable use: those on LRU lists, and huge pages.
fn movable_pages(w: &World, page: FrameIndex) -> u32 {
    let Some((first, end)) = block_range(w, page) else {
        return 0;
    };
    (w.mem.pages.slice(first, end).iter())
        .map(|p| match p.kind() {
            PageKind::HugeAnon => 1 << p.order(),
            _ => u32::from(p.has(flag::LRU)),
        })
        .sum()
}
