//! What a task does when it returns to user mode while its cgroup is above `memory.high`
//! (mm/memcontrol.c, `mem_cgroup_handle_over_high`).
//!
//! Modelled: reclaim from each cgroup of the path that is above its limit, then a pause.
//! Left out: `memory.swap.high`.
//! Invariants: no task is killed; a pause is longer than a hundredth of a second and at most two seconds.

use facts::index::GroupIndex;
use facts::state::State;

use super::group::Event;
use super::high::{delay_jiffies, overage, smallest_delay};
use super::reclaim::TryToFreeMemCgroupPages;
use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::gfp::Gfp;
use crate::kernel::MemcgRule;
use crate::record::decisions;
use crate::vmscan::SWAP_CLUSTER_MAX;
use crate::world::World;

/// Number of reclaims without success before the task pauses (`MAX_RECLAIM_RETRIES`).
const RETRIES: u8 = 16;

decisions! {
    HighReclaim { usage: Count, high: Count, goal: Count }
        "The cgroup has {usage page}, more than its memory.high of {high}: the task reclaims {goal page} from it.";
    HighPause { jiffies: Count, pages: Count }
        "The cgroup is still above memory.high: the task charged {pages page} and pauses for {jiffies jiffy}.";
    HighNoPause { jiffies: Count, least: Count }
        "A pause of {jiffies jiffy} is not longer than {least}: the task continues.";
}

room! {
    HandleOverHigh: "mem_cgroup_handle_over_high" in "mm/memcontrol.c";
    Simplified "memory.swap.high is left out." if |f| f.memcg != MemcgRule::Absent;
    HoPt {
        Begin 0 Plain "nr_pages = charged above memory.high";
        Reclaim 0 Plain "each cgroup above memory.high: reclaim_high()";
        Reclaimed 1 Plain "continue with its parent";
        Delay 0 Plain "calculate_high_delay(): small: done, progress: retry";
        Sleep 0 Plain "schedule_timeout_killable()";
        Woken 0 Yields "return";
    }
    locals(self, w) {
        memcg: group(self.group);
        nr_pages: number(self.pages);
        nr_retries: number(self.retries);
    }
}

/// `mem_cgroup_handle_over_high`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct HandleOverHigh {
    /// Current program point.
    pub pt: HoPt,
    /// The next cgroup of the path.
    pub group: GroupIndex,
    /// Number of retries left.
    pub retries: u8,
    /// True if the task reclaims again.
    pub again: bool,
    /// Number of pages charged above the limit.
    pub pages: u32,
    /// Number of pages reclaimed in this round.
    pub reclaimed: u32,
}

impl HandleOverHigh {
    /// Frame of a call that has not started.
    pub fn call() -> Frame {
        Frame::OverHigh(Self {
            pt: HoPt::Begin,
            group: GroupIndex::ROOT,
            retries: RETRIES,
            again: false,
            pages: 0,
            reclaimed: 0,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            HoPt::Begin => {
                self.pages = std::mem::take(&mut cx.over_high);
                let leaves = w.facts.features.memcg == MemcgRule::SharedWalk && cx.killed;
                if self.pages == 0 || leaves {
                    return Flow::Ret;
                }
                self.round(w, cx)
            }
            HoPt::Reclaim => self.reclaim(w, cx, up),
            HoPt::Reclaimed => {
                super::stall(w, cx, -1);
                self.reclaimed += cx.ret;
                self.group = w.memcg.memory.all[self.group].parent;
                self.pt = HoPt::Reclaim;
                Flow::Next
            }
            HoPt::Delay => self.delay(w, cx),
            HoPt::Sleep => {
                super::stall(w, cx, 1);
                self.pt = HoPt::Woken;
                let delay = self.jiffies(w, cx);
                cx.sleep = Sleep::Until(w.jiffy_ns(w.jiffies() + delay));
                Flow::Sleep
            }
            HoPt::Woken => {
                super::stall(w, cx, -1);
                Flow::Ret
            }
        }
    }

    /// Starts with the cgroup of the task.
    fn round(&mut self, w: &World, cx: &Context) -> Flow {
        self.group = super::of_task(w, cx);
        self.reclaimed = 0;
        self.pt = HoPt::Reclaim;
        Flow::Next
    }

    fn reclaim(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let memory = &w.memcg.memory;
        let is_over = |at: &GroupIndex| {
            let counter = &memory.all[*at];
            !at.is_root() && counter.usage > counter.limits.high
        };
        let found = memory.path(self.group).find(is_over);
        let Some(group) = found else {
            self.pt = HoPt::Delay;
            return Flow::Next;
        };
        self.group = group;
        self.pt = HoPt::Reclaimed;
        let counter = &w.memcg.memory.all[group];
        let (usage, high) = (counter.usage, counter.limits.high);
        let goal = if self.again {
            SWAP_CLUSTER_MAX
        } else {
            self.pages
        };
        w.memcg.event(group, Event::High);
        w.record(HighReclaim {
            usage: usage.into(),
            high: high.into(),
            goal: goal.into(),
        });
        super::stall(w, cx, 1);
        let call = TryToFreeMemCgroupPages::call(group, goal, Gfp::GFP_KERNEL, w);
        up.call(call, w, cx)
    }

    /// The pause, in jiffies.
    fn jiffies(&self, w: &World, cx: &Context) -> u64 {
        let memory = &w.memcg.memory;
        let path = memory.path(super::of_task(w, cx));
        let overages = path.filter(|at| !at.is_root()).map(|at| {
            let counter = &memory.all[at];
            overage(counter.usage, counter.limits.high)
        });
        delay_jiffies(overages.max().unwrap_or(0), self.pages, w.facts.hz)
    }

    fn delay(&mut self, w: &mut World, cx: &Context) -> Flow {
        let jiffies = self.jiffies(w, cx);
        let least = smallest_delay(w.facts.hz);
        if jiffies <= least {
            w.record(HighNoPause {
                jiffies: jiffies as i64,
                least: least as i64,
            });
            return Flow::Ret;
        }
        if self.reclaimed > 0 || self.retries > 0 {
            self.retries -= u8::from(self.reclaimed == 0);
            self.again = true;
            return self.round(w, cx);
        }
        w.record(HighPause {
            jiffies: jiffies as i64,
            pages: self.pages.into(),
        });
        self.pt = HoPt::Sleep;
        Flow::Next
    }
}
