//! Charging a cgroup for pages (mm/memcontrol.c, `try_charge_memcg`).
//!
//! Modelled: the stock, the batch, reclaim at the limit, draining the stocks once, sixteen retries,
//! the OOM killer, charges beyond the limit, and the request to pause above `memory.high`.
//! Left out: charges in an interrupt.
//! Invariants: a charge that fails changes no counter; the OOM killer is called only after sixteen
//! retries without progress of reclaim.

use facts::index::GroupIndex;
use facts::state::State;

use super::BATCH;
use super::group::Event;
use super::oom::MemCgroupOom;
use super::over_high::HandleOverHigh;
use super::reclaim::TryToFreeMemCgroupPages;
use crate::frames::{Context, Flow, Frame, Up, room};
use crate::gfp::Gfp;
use crate::kernel::MemcgRule;
use crate::record::decisions;
use crate::world::World;

/// Number of retries without progress before the OOM killer is called (`MAX_RECLAIM_RETRIES`).
const RETRIES: u8 = 16;
/// Up to this number of pages, progress of reclaim allows another try (`PAGE_ALLOC_COSTLY_ORDER`).
const FEW_PAGES: u16 = 8;

decisions! {
    ChargeOver { usage: Count, max: Count, pages: Count, reclaims: Count }
        "The cgroup has {usage page}, and {pages} more would exceed its limit of {max}: reclaim at least {reclaims} from it.";
    ChargeRoom { usage: Count, max: Count, reclaimed: Count }
        "Reclaim freed {reclaimed page}: the cgroup now has {usage page}, and its limit is {max}.";
    ChargeFails { usage: Count, max: Count }
        "The cgroup has {usage page}, its limit is {max}, and nothing more can be reclaimed: the charge fails.";
}

room! {
    TryCharge: "try_charge_memcg" in "mm/memcontrol.c";
    Simplified "Charges in an interrupt are left out." if |f| f.memcg != MemcgRule::Absent;
    TcPt {
        Stock 0 Plain "consume_stock(): enough prepaid pages of this CPU: done";
        Charge 0 Plain "page_counter_try_charge() for 64 pages, or for these alone";
        Event 0 Plain "limit hit: count max, try_to_free_mem_cgroup_pages()";
        Margin 0 Plain "enough room now: retry";
        Drain 0 Plain "first time: drain_all_stock(), then retry";
        Retry 0 Plain "some progress, or fewer than 16 retries: retry";
        Oom 0 Plain "mem_cgroup_oom()";
        Killed 0 Plain "a task is being killed: retry";
        NoMemory 0 Plain "return ENOMEM, unless the charge must not fail";
        Force 0 Plain "page_counter_charge() beyond the limit";
        Done 0 Plain "refill_stock(), above memory.high: pause before user mode";
        Return 0 Plain "return 0";
    }
    locals(self, w) {
        memcg: group(self.group);
        nr_pages: number(self.pages);
        batch: number(self.batch);
        nr_retries: number(self.retries);
    }
}

/// `try_charge_memcg`. Returns 1 if the pages were charged, 0 for ENOMEM.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TryCharge {
    /// Current program point.
    pub pt: TcPt,
    /// The cgroup to charge.
    pub group: GroupIndex,
    /// The cgroup whose limit was hit.
    pub over: GroupIndex,
    /// Number of retries left.
    pub retries: u8,
    /// Number of pages to charge.
    pub pages: u16,
    /// Number of pages charged in one batch.
    pub batch: u16,
    /// Flags of the request.
    pub gfp: Gfp,
    /// Number of pages that the last reclaim freed.
    pub reclaimed: u32,
    /// True if the stocks were drained.
    pub drained: bool,
    /// True if an event was counted.
    pub counted: bool,
    /// True if the OOM killer was called.
    pub passed_oom: bool,
}

impl TryCharge {
    /// Frame of a charge that has not started.
    pub fn call(group: GroupIndex, pages: u16, gfp: Gfp) -> Frame {
        Frame::TryCharge(Self {
            pt: TcPt::Stock,
            group,
            over: GroupIndex::NONE,
            retries: RETRIES,
            pages,
            batch: pages.max(BATCH as u16),
            gfp,
            reclaimed: 0,
            drained: false,
            counted: false,
            passed_oom: false,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            TcPt::Stock => {
                let cpu = w.cpu;
                if w.memcg.stocks[cpu].consume(self.group, self.pages.into()) {
                    cx.ret = 1;
                    return Flow::Ret;
                }
                self.pt = TcPt::Charge;
                Flow::Next
            }
            TcPt::Charge => self.charge(w, cx),
            TcPt::Event => self.event(w, cx, up),
            TcPt::Margin => self.margin(w, cx),
            TcPt::Drain => {
                w.memcg.drain(self.over);
                self.drained = true;
                self.again()
            }
            TcPt::Retry => self.retry(cx),
            TcPt::Oom => {
                self.pt = TcPt::Killed;
                up.call(MemCgroupOom::call(self.over, self.pages.into()), w, cx)
            }
            TcPt::Killed => {
                if cx.ret == 0 {
                    self.pt = TcPt::NoMemory;
                    return Flow::Next;
                }
                (self.passed_oom, self.retries) = (true, RETRIES);
                self.again()
            }
            TcPt::NoMemory => self.no_memory(w, cx),
            TcPt::Force => {
                w.memcg.memory.charge(self.group, self.pages.into());
                cx.ret = 1;
                Flow::Ret
            }
            TcPt::Done => self.done(w, cx, up),
            TcPt::Return => {
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    fn again(&mut self) -> Flow {
        self.pt = TcPt::Stock;
        Flow::Next
    }

    fn charge(&mut self, w: &mut World, cx: &Context) -> Flow {
        let Err(over) = w.memcg.memory.try_charge(self.group, self.batch.into()) else {
            self.pt = TcPt::Done;
            return Flow::Next;
        };
        self.over = over;
        if self.batch > self.pages {
            self.batch = self.pages;
            return self.again();
        }
        self.pt = if cx.memalloc {
            TcPt::Force
        } else if self.gfp.has(Gfp::DIRECT_RECLAIM) {
            TcPt::Event
        } else {
            TcPt::NoMemory
        };
        Flow::Next
    }

    fn event(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        w.memcg.event(self.over, Event::Max);
        self.counted = true;
        super::stall(w, cx, 1);
        let counter = &w.memcg.memory.all[self.over];
        let (usage, max) = (counter.usage, counter.limits.max);
        let goal = u32::from(self.pages).max(crate::vmscan::SWAP_CLUSTER_MAX);
        w.record(ChargeOver {
            usage: usage.into(),
            max: max.into(),
            pages: self.pages.into(),
            reclaims: goal.into(),
        });
        self.pt = TcPt::Margin;
        let call = TryToFreeMemCgroupPages::call(self.over, self.pages.into(), self.gfp, w);
        up.call(call, w, cx)
    }

    fn margin(&mut self, w: &mut World, cx: &Context) -> Flow {
        super::stall(w, cx, -1);
        self.reclaimed = cx.ret;
        let counter = &w.memcg.memory.all[self.over];
        let (usage, max) = (counter.usage, counter.limits.max);
        if counter.margin() >= self.pages.into() {
            w.record(ChargeRoom {
                usage: usage.into(),
                max: max.into(),
                reclaimed: self.reclaimed.into(),
            });
            return self.again();
        }
        self.pt = if !self.drained {
            TcPt::Drain
        } else if self.gfp.has(Gfp::NORETRY) {
            TcPt::NoMemory
        } else {
            TcPt::Retry
        };
        Flow::Next
    }

    fn retry(&mut self, cx: &Context) -> Flow {
        if self.reclaimed > 0 && self.pages <= FEW_PAGES {
            return self.again();
        }
        if self.retries > 0 {
            self.retries -= 1;
            return self.again();
        }
        let gives_up = self.gfp.has(Gfp::REPEAT) || (self.passed_oom && cx.killed);
        self.pt = if gives_up { TcPt::NoMemory } else { TcPt::Oom };
        Flow::Next
    }

    fn no_memory(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        if self.gfp.has(Gfp::HIGH) {
            if !self.counted {
                w.memcg.event(self.over, Event::Max);
            }
            self.pt = TcPt::Force;
            return Flow::Next;
        }
        let counter = &w.memcg.memory.all[self.over];
        let (usage, max) = (counter.usage, counter.limits.max);
        w.record(ChargeFails {
            usage: usage.into(),
            max: max.into(),
        });
        cx.ret = 0;
        Flow::Ret
    }

    fn done(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let rest = u32::from(self.batch - self.pages);
        if rest > 0 {
            let super::Memcg { stocks, memory, .. } = &mut w.memcg;
            stocks[w.cpu].refill(memory, self.group, rest);
        }
        self.pt = TcPt::Return;
        if w.memcg.memory.over_high(self.group).is_none() {
            return Flow::Next;
        }
        cx.over_high += u32::from(self.batch);
        let at_once = cx.over_high > BATCH && !cx.memalloc && self.gfp.has(Gfp::DIRECT_RECLAIM);
        match at_once {
            true => up.call(HandleOverHigh::call(), w, cx),
            false => Flow::Next,
        }
    }
}
