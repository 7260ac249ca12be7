//! The watermark check (mm/page_alloc.c: `zone_watermark_ok`, `__zone_watermark_ok`).
//!
//! Modelled: both forms: the halving loop of 2.6.37 to 3.17 and, from 4.4, the order-0 check
//! followed by the search for one suitable block; the bug in the slack of 3.0 and 3.1.
//! Left out: the drift of per-cpu counters, free CMA pages.
//! Invariants: raising the watermark never turns a failure into a success; ALLOC_HIGH and
//! ALLOC_HARDER never turn a success into a failure.

use crate::frames::{Context, Flow, NONE, Up, room};
use crate::gfp::{AllocFlags, RESERVED};
use crate::kernel::{BlockReserve, OrderCheck};
use crate::record::decisions;
use crate::rng::Rng;
use crate::world::World;
use facts::amount::Pages;
use facts::index::{TaskIndex, ZoneIndex};
use facts::state::State;
use facts::watermark_check::{lowered, slack_pages, uses_reserves};

decisions! {
    WmReserves { zone: Zone, mark: Mark, whole: Count, counts: Count, alloc_flags: Count, boost: Count }
        "The {mark} watermark of {zone} is {whole}; this request may use reserves, so it needs only {counts}.";
    WmFail { zone: Zone, free: Count, counted: Count, mark: Mark, kept_back: Count, needs: Count } below(counted, needs, mark, kept_back)
        "{zone} has {free free page}; the watermark check counts {counted}, which is not above {needs} ({mark} plus a reserve of {kept_back}): the check fails.";
    WmFailPlain { zone: Zone, free: Count, counted: Count, mark: Mark, needs: Count } below(counted, needs, mark)
        "{zone} has {free free page}; the watermark check counts {counted}, which is not above {mark} ({needs}): the check fails.";
    WmPass { zone: Zone, free: Count, counted: Count, mark: Mark, kept_back: Count, needs: Count } above(counted, needs, mark, kept_back)
        "{zone} has {free free page}; the watermark check counts {counted}, which is above {needs} ({mark} plus a reserve of {kept_back}): the check passes.";
    WmPassPlain { zone: Zone, free: Count, counted: Count, mark: Mark, needs: Count } above(counted, needs, mark)
        "{zone} has {free free page}; the watermark check counts {counted}, which is above {mark} ({needs}): the check passes.";
    WmSmallFail { order: Order, zone: Zone, free: Count, needs: Count }
        "Without blocks below {order}, {zone} has {free free page}, not above the halved watermark {needs}: the zone is too fragmented.";
    WmSmallOk { order: Order, zone: Zone, free: Count, needs: Count }
        "Without blocks below {order}, {zone} still has {free free page}, above the halved watermark {needs}: check one order up.";
    WmSuitable { zone: Zone, found: Order, order: Order }
        "{zone} has a free block of {found}, large enough for {order}: the check passes.";
    WmNoBlock { zone: Zone, free: Count, order: Order }
        "{zone} has {free free page}, but no block of {order} or larger on a list that this request may use.";
}

room! {
    WatermarkOk: "zone_watermark_ok" in "mm/page_alloc.c" at "v6.1.176" line 4107;
    Simplified "Counters of CPUs do not drift, so the plain and the 'safe' check are the same; free CMA pages are not counted separately.";
    WmPt {
        Adjust 0 Hold "min = watermark, less for ALLOC_HIGH and ALLOC_HARDER";
        Base 0 Hold "free = NR_FREE_PAGES - slack > min + lowmem_reserve?";
        Loop 0 Hold "each smaller order: leave it out, halve min, test" if |f| f.order_check == OrderCheck::HalvingLoop;
        Suitable 0 Hold "order > 0: pass if one free block is large enough" if |f| f.order_check == OrderCheck::SuitableBlock;
    }
    locals(self, w) {
        zone: zone(self.zone);
        order: number(self.order);
        mark: mark(self.mark);
        classzone: zone_type(self.classzone);
        alloc_flags: flags(self.flags);
        min: number(self.min);
        free_pages: number(self.free);
    }
}

/// One check of one zone. Returns 1 if it passes, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct WatermarkOk {
    /// Current program point.
    pub pt: WmPt,
    /// Zone to check.
    pub zone: ZoneIndex,
    /// Order requested.
    pub order: u8,
    /// The watermark to check (0 min, 1 low, 2 high).
    pub mark: u8,
    /// Class zone: the zone type whose reserve applies.
    pub classzone: u8,
    /// Allocation flags.
    pub flags: AllocFlags,
    /// True if the boost is not counted (an atomic order-0 request at the min watermark, from 5.8
    /// on).
    pub without_boost: bool,
    /// Number of pages that must be exceeded; before the check, the pages added to the watermark
    /// (kswapd's balance gap).
    pub min: Pages,
    /// Number of pages that count as free; may become negative. Before the check, additional pages
    /// that count as free (`should_reclaim_retry`).
    pub free: i32,
    /// Current order of the loop.
    pub o: u8,
}

/// The numbers of the comparison, as decisions record them.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    /// The zone.
    pub zone: ZoneIndex,
    /// NR_FREE_PAGES.
    pub free: i64,
    /// Number of these pages that the check counts; may be negative.
    pub counted: i64,
    /// The watermark with which the number was compared.
    pub mark: u8,
    /// The reserve on top of the watermark.
    pub kept_back: i64,
    /// Sum of the watermark and the reserve.
    pub needs: i64,
}

impl WatermarkOk {
    /// Frame of a check that has not started.
    pub fn new(zone: ZoneIndex, order: u8, mark: u8, classzone: u8, flags: AllocFlags) -> Self {
        Self {
            pt: WmPt::Adjust,
            zone,
            order,
            mark,
            classzone,
            flags,
            without_boost: false,
            min: Pages::ZERO,
            free: 0,
            o: 0,
        }
    }

    /// Runs the check to its end, for callers that check many zones and record the reasons
    /// themselves.
    pub fn holds(mut self, w: &mut World) -> bool {
        let mut cx = Context::new(TaskIndex::NONE, NONE, Rng::UNUSED);
        let recording = std::mem::take(&mut w.rec.on);
        while !matches!(self.point(w, &mut cx, Up::nobody()), Flow::Ret) {}
        w.rec.on = recording;
        cx.ret == 1
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            WmPt::Adjust => {
                self.adjust(w);
                self.pt = WmPt::Base;
                Flow::Next
            }
            WmPt::Base => self.base(w, cx),
            WmPt::Loop => self.one_order(w, cx),
            WmPt::Suitable => self.suitable(w, cx),
        }
    }

    #[inline(always)]
    fn adjust(&mut self, w: &mut World) {
        let z = &w.mem.zones[self.zone];
        let boost = if self.without_boost {
            z.boost
        } else {
            Pages::ZERO
        };
        let whole = self.min + z.mark(self.mark);
        self.min = whole - boost;
        self.min = lowered::<Pages, u32>(self.min, self.flags);
        if self.min != whole {
            let (zone, mark) = (self.zone, self.mark);
            w.record(WmReserves {
                zone,
                mark,
                whole: whole.into(),
                counts: self.min.into(),
                alloc_flags: self.flags.0.into(),
                boost: boost.into(),
            });
        }
    }

    #[inline(always)]
    fn base(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.free += self.counted(w);
        let reserve = w.mem.zones[self.zone].protection[self.classzone as usize];
        let needs = self.min + reserve;
        let passed = i64::from(self.free) > i64::from(needs);
        let check = w.facts.features.order_check;
        if w.rec.on {
            self.say(w, passed, needs, reserve);
        }
        if !passed {
            return ret(cx, false);
        }
        if self.order == 0 {
            return ret(cx, true);
        }
        self.pt = match check {
            OrderCheck::HalvingLoop => WmPt::Loop,
            OrderCheck::SuitableBlock => WmPt::Suitable,
        };
        Flow::Next
    }

    /// Records the result of the first comparison.
    #[cold]
    fn say(&self, w: &mut World, passed: bool, needs: Pages, reserve: Pages) {
        let Compared {
            zone,
            free,
            counted,
            mark,
            kept_back,
            needs,
        } = self.numbers(w, self.free, needs);
        match (passed, reserve > Pages::ZERO) {
            (true, true) => w.record(WmPass {
                zone,
                free,
                counted,
                mark,
                kept_back,
                needs,
            }),
            (true, false) => w.record(WmPassPlain {
                zone,
                free,
                counted,
                mark,
                needs,
            }),
            (false, true) => w.record(WmFail {
                zone,
                free,
                counted,
                mark,
                kept_back,
                needs,
            }),
            (false, false) => w.record(WmFailPlain {
                zone,
                free,
                counted,
                mark,
                needs,
            }),
        }
    }

    /// Number of free pages that count, without those a caller adds; may be negative.
    #[inline(always)]
    fn counted(&self, w: &World) -> i32 {
        let facts = &w.facts;
        let z = &w.mem.zones[self.zone];
        let slack = slack_pages(facts.features.slack, self.order);
        let keeps = facts.features.block_reserve == BlockReserve::HighAtomic;
        let reserved = if keeps && !uses_reserves(self.flags) {
            z.nr_reserved_highatomic as i32
        } else {
            0
        };
        z.nr_free_pages as i32 - slack - reserved
    }

    /// The numbers of a decision: the pages counted and the number that had to be exceeded.
    fn numbers(&self, w: &World, counted: i32, needs: Pages) -> Compared {
        let z = &w.mem.zones[self.zone];
        Compared {
            zone: self.zone,
            free: z.nr_free_pages.into(),
            counted: counted.into(),
            mark: self.mark,
            kept_back: z.protection[self.classzone as usize].into(),
            needs: needs.into(),
        }
    }

    /// The first comparison of a check without flags that has not started, and whether the check
    /// will pass.
    pub fn compared(&self, w: &World) -> (Compared, bool) {
        let z = &w.mem.zones[self.zone];
        let needs = z.mark(self.mark) + z.protection[self.classzone as usize];
        let free = self.counted(w);
        (
            self.numbers(w, free, needs),
            i64::from(free) > i64::from(needs),
        )
    }

    fn one_order(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let z = &w.mem.zones[self.zone];
        self.free -= (z.nr_free[self.o as usize] << self.o) as i32;
        self.min = self.min / 2;
        self.o += 1;
        let passed = i64::from(self.free) > i64::from(self.min);
        let (order, zone) = (self.o, self.zone);
        let (free, needs) = (self.free.into(), self.min.into());
        if passed {
            w.record(WmSmallOk {
                order,
                zone,
                free,
                needs,
            });
        } else {
            w.record(WmSmallFail {
                order,
                zone,
                free,
                needs,
            });
        }
        if !passed {
            return ret(cx, false);
        }
        if self.o == self.order {
            return ret(cx, true);
        }
        Flow::Next
    }

    fn suitable(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let mem = &w.mem;
        let types = if uses_reserves(self.flags) {
            RESERVED + 1
        } else {
            RESERVED
        };
        let found = (self.order..mem.orders)
            .find(|&o| (0..types).any(|t| !mem.lists.is_empty(mem.free_list(self.zone, o, t))));
        let (zone, order) = (self.zone, self.order);
        match found {
            Some(o) => w.record(WmSuitable {
                zone,
                found: o,
                order,
            }),
            None => {
                let free = mem.zones[self.zone].nr_free_pages;
                w.record(WmNoBlock {
                    zone,
                    free: free.into(),
                    order,
                });
            }
        }
        ret(cx, found.is_some())
    }
}

fn ret(cx: &mut Context, holds: bool) -> Flow {
    cx.ret = u32::from(holds);
    Flow::Ret
}
