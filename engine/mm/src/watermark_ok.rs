//! The watermark test (mm/page_alloc.c: `zone_watermark_ok`, `__zone_watermark_ok`).
//!
//! Modelled: both shapes: the halving loop of 2.6.37 to 3.17 and, from 4.4, the order-0 test
//! followed by the search for one suitable block; the slip of 3.0 and 3.1 in the slack.
//! Left out: drift of per-cpu counters, free CMA pages.
//! Invariants: raising the mark never turns a failure into a success; ALLOC_HIGH and ALLOC_HARDER
//! never turn a success into a failure.

use crate::frames::{Context, Flow, NONE, Up, room};
use crate::gfp::{AllocFlags, RESERVED};
use crate::kernel::{BlockReserve, OrderCheck, Slack};
use crate::rng::Rng;
use crate::why::Why;
use crate::world::World;
use facts::state::State;

room! {
    WatermarkOk: "zone_watermark_ok" in "mm/page_alloc.c" at "v6.1.176" line 4107;
    Simplified "Counters of CPUs do not drift, so that the plain and the 'safe' test are one; free CMA pages are not told apart.";
    WmPt {
        Adjust 0 Hold "min = mark, halved for ALLOC_HIGH, less a quarter for ALLOC_HARDER";
        Base 0 Hold "free = NR_FREE_PAGES - slack of the order; fail unless free > min + lowmem_reserve";
        Loop 0 Hold "for each smaller order: leave its blocks out, halve min, fail unless free > min";
        Suitable 0 Hold "order > 0: pass only if one free block is large enough";
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

/// One test of one zone. Returns 1 when the mark holds, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct WatermarkOk {
    /// Where it stands.
    pub pt: WmPt,
    /// Zone.
    pub zone: u8,
    /// Order asked for.
    pub order: u8,
    /// Which mark (0 min, 1 low, 2 high).
    pub mark: u8,
    /// Class zone: the zone type whose reserve applies.
    pub classzone: u8,
    /// Allocation flags.
    pub flags: AllocFlags,
    /// Boost is not counted (an atomic order-0 request at the min mark, 5.8 on).
    pub without_boost: bool,
    /// What must be exceeded, pages; before the test, what is added to the mark (kswapd's balance
    /// gap).
    pub min: u32,
    /// What counts as free, pages; may go negative. Before the test, what counts as free as well
    /// (`should_reclaim_retry`).
    pub free: i32,
    /// Order the loop stands at.
    pub o: u8,
}

impl WatermarkOk {
    /// A test about to begin.
    pub fn new(zone: u8, order: u8, mark: u8, classzone: u8, flags: AllocFlags) -> Self {
        Self {
            pt: WmPt::Adjust,
            zone,
            order,
            mark,
            classzone,
            flags,
            without_boost: false,
            min: 0,
            free: 0,
            o: 0,
        }
    }

    /// Runs to the end at once, for callers that look at many zones and say themselves why.
    pub fn holds(mut self, w: &mut World) -> bool {
        let mut cx = Context::new(NONE, NONE, Rng::UNUSED);
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
        let z = &w.mem.zones[self.zone as usize];
        let boost = if self.without_boost { z.boost } else { 0 };
        let whole = self.min + z.mark(self.mark);
        self.min = whole - boost;
        if self.flags.has(AllocFlags::HIGH) {
            self.min -= self.min / 2;
        }
        if self.flags.has(AllocFlags::HARDER) {
            self.min -= self.min / 4;
        }
        if self.min != whole {
            let (zone, mark) = (self.zone.into(), self.mark.into());
            let n = [zone, whole, self.min, mark, self.flags.0.into(), boost];
            w.why(Why::WmReserves, n);
        }
    }

    #[inline(always)]
    fn base(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.free += self.counted(w);
        let reserve = w.mem.zones[self.zone as usize].protection[self.classzone as usize];
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

    /// Says how the first comparison went.
    #[cold]
    fn say(&self, w: &mut World, passed: bool, needs: u32, reserve: u32) {
        let why = match (passed, reserve > 0) {
            (true, true) => Why::WmPass,
            (true, false) => Why::WmPassPlain,
            (false, true) => Why::WmFail,
            (false, false) => Why::WmFailPlain,
        };
        w.why(why, self.numbers(w, self.free, needs));
    }

    /// Free pages that count, before what a caller adds; may be negative.
    #[inline(always)]
    fn counted(&self, w: &World) -> i32 {
        let facts = &w.facts;
        let z = &w.mem.zones[self.zone as usize];
        let slack = match facts.features.slack {
            Slack::OrderMinusOne => (1i32 << self.order) - 1,
            Slack::OrderPlusOne => (1i32 << self.order) + 1,
        };
        let is_plain = !self.flags.has(AllocFlags::HIGH) && !self.flags.has(AllocFlags::HARDER);
        let kept = if facts.features.block_reserve == BlockReserve::HighAtomic && is_plain {
            z.nr_reserved_highatomic as i32
        } else {
            0
        };
        z.nr_free_pages as i32 - slack - kept
    }

    /// The numbers of a decision about what was counted and what had to be exceeded.
    fn numbers(&self, w: &World, free: i32, needs: u32) -> [u32; 6] {
        let z = &w.mem.zones[self.zone as usize];
        let reserve = z.protection[self.classzone as usize];
        let mark = u32::from(self.mark);
        [
            self.zone.into(),
            bias(free),
            needs,
            mark,
            reserve,
            z.nr_free_pages,
        ]
    }

    /// What a test without flags, not begun yet, will compare first: the numbers of its decision,
    /// and whether it passes.
    pub fn compared(&self, w: &World) -> ([u32; 6], bool) {
        let z = &w.mem.zones[self.zone as usize];
        let needs = z.mark(self.mark) + z.protection[self.classzone as usize];
        let free = self.counted(w);
        (
            self.numbers(w, free, needs),
            i64::from(free) > i64::from(needs),
        )
    }

    fn one_order(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let z = &w.mem.zones[self.zone as usize];
        self.free -= (z.nr_free[self.o as usize] << self.o) as i32;
        self.min >>= 1;
        self.o += 1;
        let passed = i64::from(self.free) > i64::from(self.min);
        let biased = bias(self.free);
        let n = [
            u32::from(self.zone),
            biased,
            self.min,
            u32::from(self.o),
            0,
            0,
        ];
        w.why(
            if passed {
                Why::WmSmallOk
            } else {
                Why::WmSmallFail
            },
            n,
        );
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
        let reserves = self.flags.has(AllocFlags::HIGH) || self.flags.has(AllocFlags::HARDER);
        let types = if reserves { RESERVED + 1 } else { RESERVED };
        let found = (self.order..mem.orders)
            .find(|&o| (0..types).any(|t| !mem.lists.is_empty(mem.free_list(self.zone, o, t))));
        let (zone, order) = (u32::from(self.zone), u32::from(self.order));
        match found {
            Some(o) => w.why(Why::WmSuitable, [zone, u32::from(o), order, 0, 0, 0]),
            None => {
                let free = mem.zones[self.zone as usize].nr_free_pages;
                w.why(Why::WmNoBlock, [zone, free, order, 0, 0, 0]);
            }
        }
        ret(cx, found.is_some())
    }
}

/// A signed number as the records carry it: biased by 2^31.
fn bias(free: i32) -> u32 {
    (free as u32) ^ 1 << 31
}

fn ret(cx: &mut Context, holds: bool) -> Flow {
    cx.ret = u32::from(holds);
    Flow::Ret
}
