//! The OOM killer of a cgroup (mm/memcontrol.c `mem_cgroup_oom`, mm/oom_kill.c).
//!
//! Modelled: the last check of the room, the wait for a victim that is exiting, the choice of the
//! process with the most memory, `memory.oom.group`.
//! Left out: oom_score_adj, page tables in the score, the reaper thread: the victim frees its
//! memory itself.
//! Invariants: only processes of the cgroup and its descendants are killed.

use facts::index::GroupIndex;
use facts::state::State;

use super::group::Event;
use super::score::{badness, total_pages};
use crate::frames::{Context, Flow, Frame, NONE, Sleep, Up, room};
use crate::kernel::MemcgRule;
use crate::oom::{MarkVictim, OomKill, OomWait};
use crate::record::decisions;
use crate::world::World;

decisions! {
    MemcgOom { usage: Count, max: Count }
        "The cgroup has {usage page}, its limit is {max}, and 16 retries made no room: the OOM killer must kill one of its processes.";
    MemcgNobody {}
        "Killing a process of the cgroup would free no memory.";
}

room! {
    MemCgroupOom: "mem_cgroup_out_of_memory" in "mm/memcontrol.c";
    Simplified "Includes mem_cgroup_oom() and out_of_memory(). There is no oom_score_adj and no reaper." if |f| f.memcg != MemcgRule::Absent;
    MoPt {
        Count 0 Plain "count oom, enough room now: done";
        Wait 0 Plain "a victim of this cgroup is exiting: wait for it";
        Select 0 Plain "select_bad_process(): the one with the most memory";
        Kill 0 Yields "oom_kill_process(), or all of a cgroup with memory.oom.group";
    }
    locals(self, w) {
        memcg: group(self.group);
        nr_pages: number(self.pages);
    }
}

/// `mem_cgroup_oom`. Returns 1 if a process is being killed or there is room, else 0.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct MemCgroupOom {
    /// Current program point.
    pub pt: MoPt,
    /// The cgroup whose limit was hit.
    pub group: GroupIndex,
    /// Number of pages that could not be charged.
    pub pages: u32,
    /// Process of the victim.
    pub process: u32,
}

impl MemCgroupOom {
    /// Frame of a call that has not started.
    pub fn call(group: GroupIndex, pages: u32) -> Frame {
        Frame::MemcgOom(Self {
            pt: MoPt::Count,
            group,
            pages,
            process: NONE,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            MoPt::Count => {
                w.memcg.event(self.group, Event::Oom);
                let counter = &w.memcg.memory.all[self.group];
                if self.pages > 0 && counter.margin() >= self.pages {
                    cx.ret = 1;
                    return Flow::Ret;
                }
                let (usage, max) = (counter.usage, counter.limits.max);
                w.record(MemcgOom {
                    usage: usage.into(),
                    max: max.into(),
                });
                self.pt = MoPt::Wait;
                Flow::Next
            }
            MoPt::Wait => self.wait(w, cx),
            MoPt::Select => self.select(w, cx),
            MoPt::Kill => {
                self.kill(w);
                cx.ret = 1;
                Flow::Ret
            }
        }
    }

    /// All processes of the cgroup and its descendants.
    fn members<'a>(&self, w: &'a World) -> impl Iterator<Item = u32> + use<'a> {
        let top = self.group;
        let all = (0u32..).zip(&w.processes.all);
        all.filter(move |(_, p)| w.memcg.memory.is_below(p.group, top))
            .map(|(i, _)| i)
    }

    fn wait(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        self.pt = MoPt::Select;
        let own = cx.process;
        let is_dying = |&p: &u32| p != own && w.processes.all[p as usize].dying;
        if cx.killed {
            // The task itself is the victim: it must exit, not wait for itself.
            cx.ret = 1;
            return Flow::Ret;
        }
        if !self.members(w).any(|p| is_dying(&p)) {
            return Flow::Next;
        }
        w.record(OomWait {});
        cx.ret = 1;
        cx.sleep = Sleep::Until(w.jiffy_ns(w.jiffies() + 2));
        self.pt = MoPt::Kill;
        Flow::Sleep
    }

    fn select(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let max = w.memcg.memory.all[self.group].limits.max;
        let swap_max = w.memcg.swap.all[self.group].limits.max;
        let total = total_pages(max, swap_max, w.swap.total(), w.tunables.swappiness);
        let pages = |p: u32| {
            let space = &w.processes.all[p as usize].space;
            space.rss + space.swapped
        };
        let candidates = self.members(w).filter(|&p| pages(p) > 0);
        let worst = candidates
            .filter_map(|p| badness(pages(p), 0, total).map(|score| (score, p)))
            // The first of several processes with equal scores.
            .max_by_key(|&(score, p)| (score, std::cmp::Reverse(p)));
        let Some((_, process)) = worst else {
            w.record(MemcgNobody {});
            cx.ret = 0;
            return Flow::Ret;
        };
        (self.process, self.pt) = (process, MoPt::Kill);
        Flow::Next
    }

    fn kill(&self, w: &mut World) {
        let Some(process) = w.processes.all.get(self.process as usize) else {
            return;
        };
        let of = process.group;
        let is_whole = |at: &GroupIndex| {
            let given = at.index().checked_sub(1);
            given.is_some_and(|i| w.facts.groups.all[i].oom_group)
        };
        let below = |at: &GroupIndex| w.memcg.memory.is_below(*at, self.group);
        let whole = w.memcg.memory.path(of).take_while(below).filter(is_whole);
        let whole = whole.last();
        self.kill_one(w, self.process);
        let Some(whole) = whole else {
            return;
        };
        w.memcg.event(whole, Event::OomGroupKill);
        for process in 0..w.processes.all.len() as u32 {
            let p = &w.processes.all[process as usize];
            let is_alive = p.users() > 0 && !p.dying;
            if is_alive && w.memcg.memory.is_below(p.group, whole) {
                self.kill_one(w, process);
            }
        }
    }

    fn kill_one(&self, w: &mut World, process: u32) {
        let p = &mut w.processes.all[process as usize];
        p.dying = true;
        let (task, of) = (p.space.owner, p.group);
        let (rss, swapped) = (p.space.rss, p.space.swapped);
        w.memcg.event(of, Event::OomKill);
        w.counters.oom_kill += 1;
        w.record(OomKill {
            task,
            rss: rss.into(),
            swapped: swapped.into(),
        });
        w.record(MarkVictim { task });
        w.kill(task);
    }
}
