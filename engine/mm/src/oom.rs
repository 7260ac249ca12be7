//! The OOM killer (mm/oom_kill.c).
//!
//! Modelled: one more attempt at the high mark, the choice of the task with the most memory, the
//! reserves its victim may use on the way out.
//! Left out: oom_score_adj, cgroups, the reaper thread: the victim frees its memory itself.
//! Invariants: nobody is killed while a victim is still on its way out.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::record::{decisions, events};
use crate::world::World;
use facts::state::State;

events! {
    /// The OOM killer chose a task.
    MarkVictim "mark_victim" from "include/trace/events/oom.h" { task: Task };
}

decisions! {
    OomWait {}
        "A task chosen before is still freeing its memory: wait for it.";
    OomNobody {}
        "No task has memory to give back.";
    OomKill { task: Task, rss: Count, swapped: Count }
        "{task} has the most memory, {rss page} and {swapped} in swap: it is killed.";
}

room! {
    OutOfMemory: "out_of_memory" in "mm/oom_kill.c" at "v6.1.176" line 1116;
    Simplified "The task with the most memory is chosen; there is no oom_score_adj and no reaper.";
    OoPt {
        Veto 0 Plain "a victim is on its way out: wait for it";
        Select 0 Plain "select_bad_process(): the task with most memory";
        Kill 0 Yields "oom_kill_process()";
    }
    locals(self, w) {}
}

/// `out_of_memory`. Returns 1 when somebody is dying.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct OutOfMemory {
    /// Where it stands.
    pub pt: OoPt,
    /// The victim's space.
    pub space: u32,
}

impl OutOfMemory {
    /// The killer about to look around.
    pub fn call() -> Frame {
        Frame::Oom(Self {
            pt: OoPt::Veto,
            space: u32::MAX,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            OoPt::Veto => {
                let dying = w.spaces.all.iter().any(|s| s.dying);
                self.pt = OoPt::Select;
                if dying {
                    w.record(OomWait {});
                    cx.ret = 1;
                    cx.sleep = crate::frames::Sleep::Until(w.jiffy_ns(w.jiffies() + 2));
                    self.pt = OoPt::Kill;
                    return Flow::Sleep;
                }
                Flow::Next
            }
            OoPt::Select => {
                let points = |s: &crate::space::Space| s.rss + s.swapped;
                let worst = (0u32..).zip(&w.spaces.all).max_by_key(|(i, s)| {
                    // The first of equals.
                    (points(s), std::cmp::Reverse(*i))
                });
                self.pt = OoPt::Kill;
                match worst {
                    Some((i, s)) if points(s) > 0 => self.space = i,
                    _ => {
                        w.record(OomNobody {});
                        cx.ret = 0;
                        return Flow::Ret;
                    }
                }
                Flow::Next
            }
            OoPt::Kill => {
                if let Some(space) = w.spaces.all.get_mut(self.space as usize) {
                    space.dying = true;
                    let (task, rss, swapped) = (space.task, space.rss, space.swapped);
                    w.counters.oom_kill += 1;
                    w.record(OomKill {
                        task,
                        rss: rss.into(),
                        swapped: swapped.into(),
                    });
                    w.record(MarkVictim { task });
                    w.kill(task);
                }
                cx.ret = 1;
                Flow::Ret
            }
        }
    }
}
