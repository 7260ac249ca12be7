//! The OOM killer (mm/oom_kill.c).
//!
//! Modelled: one more attempt at the high watermark, the choice of the task with the most memory,
//! the reserves that its victim may use while it exits, the panic when no task has memory to free.
//! Left out: oom_score_adj, page tables in the score, cgroups, the reaper thread: the victim frees
//! its memory itself. A process without memory of its own is never chosen. If such a process has a
//! file open, it still counts as a program, and the request starts over. Any other stands for a
//! part of the kernel.
//! Visible difference: before it panics, a kernel kills processes that hold almost no memory, one
//! after the other.
//! Invariants: no task is killed while a victim is still exiting; after the panic nothing runs.

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::kernel::Features;
use crate::process::Process;
use crate::record::{decisions, events};
use crate::space::Space;
use crate::world::World;
use facts::state::State;

events! {
    /// The OOM killer chose a task.
    MarkVictim "mark_victim" from "include/trace/events/oom.h" { task: Task };
    /// The OOM killer found no process to kill: the kernel panics, and the run ends.
    Panic "kernel_panic" from "Engine" { task: Task };
}

decisions! {
    OomWait {}
        "The previous victim has not freed its memory yet: the request waits for it.";
    OomNobody { task: Task }
        "{task} gets no page, and killing a process would free no memory.";
    OomKill { task: Task, rss: Count, swapped: Count }
        "{task} holds more memory than any other process, {rss page} and {swapped} in swap: the OOM killer kills it.";
}

room! {
    OutOfMemory: "out_of_memory" in "mm/oom_kill.c" at "v6.1.176" line 1116;
    Simplified "The task with the most memory is chosen; there is no oom_score_adj and no reaper. Processes without memory are never chosen: the request starts over while one of them has a file open, else the kernel panics.";
    OoPt {
        Veto 0 Plain "a victim is exiting: wait for it";
        Select 0 Plain "select_bad_process(): the task with the most memory";
        Kill 0 Yields "oom_kill_process()";
        Panic 0 Yields "no task to kill: panic()";
    }
    locals(self, w) {}
}

/// `out_of_memory`. Returns 1 if a task is being killed.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct OutOfMemory {
    /// Current program point.
    pub pt: OoPt,
    /// Process of the victim.
    #[state(name = "space")]
    pub process: u32,
}

impl OutOfMemory {
    /// Frame of a call that has not started.
    pub fn call() -> Frame {
        Frame::Oom(Self {
            pt: OoPt::Veto,
            process: u32::MAX,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            OoPt::Veto => {
                let dying = w.processes.all.iter().any(|p| p.dying);
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
                let points = |p: &Process| p.space.rss + p.space.swapped;
                let worst = (0u32..).zip(&w.processes.all).max_by_key(|(i, p)| {
                    // The first of several tasks with equal scores.
                    (points(p), std::cmp::Reverse(*i))
                });
                self.pt = OoPt::Kill;
                match worst {
                    Some((i, p)) if points(p) > 0 => self.process = i,
                    _ if w.processes.all.iter().any(|p| !p.fds.is_empty()) => {
                        w.record(OomNobody { task: cx.task });
                        cx.ret = 0;
                        return Flow::Ret;
                    }
                    _ => self.pt = OoPt::Panic,
                }
                Flow::Next
            }
            OoPt::Kill => {
                if let Some(process) = w.processes.all.get_mut(self.process as usize) {
                    process.dying = true;
                    let Space {
                        owner: task,
                        rss,
                        swapped,
                        ..
                    } = process.space;
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
            OoPt::Panic => {
                w.record(OomNobody { task: cx.task });
                w.record(Panic { task: cx.task });
                w.panicked = true;
                w.stop();
                Flow::Next
            }
        }
    }
}

/// The kernel's message when it panics because the OOM killer found no victim.
pub fn panic_message(features: &Features) -> &'static str {
    if features.oom_panics_deadlocked {
        "System is deadlocked on memory"
    } else {
        "Out of memory and no killable processes..."
    }
}
