//! Threads of a process: starting, meeting at a barrier, joining, ending; and where a task may run.
//!
//! Modelled: threads started at one point; a barrier at which the last to come wakes the others one by one,
//! in the order of their numbers; `exit` of a thread, and `exit_group`, which the main task's exit is.
//! Left out: a barrier spins for no time before it sleeps. Starting several threads costs one fork.
//! Who could tell: a program whose threads come to a barrier within a microsecond of each other.
//! Invariants: a thread at a barrier has another to wait for; the last task of a process frees what it
//! holds.

use super::*;
use crate::record::decisions;
use crate::workload::Policy;
use crate::world::NewThread;

decisions! {
    BarrierWait { task: Task }
        "Other threads have still to come: {task} sleeps at the barrier.";
    BarrierOpen { task: Task }
        "{task} is the last to come to the barrier: it wakes the others, one by one.";
    ThreadEnd { task: Task }
        "Other tasks of its process go on: {task} leaves them the memory.";
    CpuMask { task: Task, cpu: Cpu }
        "{task} may not run on this CPU any more: it moves to {cpu}.";
}

impl User {
    /// Starts threads, which have what the task has of CPUs and memory policy.
    pub(super) fn start_threads(
        &mut self,
        w: &mut World,
        cx: &Context,
        program: u32,
        count: u32,
    ) -> Flow {
        w.spend(w.facts.cost.fork);
        // The threads' own node, where their program has one, goes before the policy of the task.
        let node = w.facts.programs[program as usize].node;
        let own = node != u8::MAX;
        for i in 0..count {
            w.spawn(Birth {
                program,
                node: if own { node } else { cx.bound_node },
                parent: cx.process,
                thread: Some(NewThread {
                    part: (i, count),
                    allowed: if own { u16::MAX } else { cx.allowed },
                    interleave: if own { u16::MAX } else { cx.interleave },
                }),
            });
        }
        self.next()
    }

    /// The thread's part of a region: its first page, and how many.
    pub(super) fn part(cx: &Context, pages: u32) -> (u32, u32) {
        let (i, count) = (u64::from(cx.part.0), u64::from(cx.part.1).max(1));
        let border = |i: u64| (u64::from(pages) * i / count) as u32;
        (border(i), border(i + 1) - border(i))
    }

    pub(super) fn barrier(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let process = &mut w.processes.all[cx.process as usize];
        if self.i > 0 {
            // The last to come has woken it.
            return self.next();
        }
        self.i = 1;
        if process.all_but(cx.task, self.program) {
            w.record(BarrierOpen { task: cx.task });
            self.i = 0;
            self.pt = UsPt::WakeNext;
            return Flow::Next;
        }
        process.wait_at_barrier(cx.task);
        w.record(BarrierWait { task: cx.task });
        cx.sleep = Sleep::Wait;
        Flow::Sleep
    }

    /// `i` is one more than the number of the task woken before.
    pub(super) fn wake_next(&mut self, w: &mut World, cx: &Context) -> Flow {
        let process = &mut w.processes.all[cx.process as usize];
        let Some(task) = process.next_at_barrier(self.program, self.i.checked_sub(1)) else {
            return self.next();
        };
        self.i = task + 1;
        w.spend(w.facts.cost.wake);
        w.wake(task);
        Flow::Next
    }

    pub(super) fn join(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let process = &mut w.processes.all[cx.process as usize];
        process.joins = !process.threads.is_empty();
        if !process.joins {
            return self.next();
        }
        cx.sleep = Sleep::Wait;
        Flow::Sleep
    }

    /// The task begins to exit: the last of its process frees what that holds. Any other only leaves; the
    /// main one takes all others with it (`do_group_exit`).
    pub(super) fn exit(&mut self, w: &mut World, cx: &Context) {
        self.i = 0;
        let process = &mut w.processes.all[cx.process as usize];
        if process.is_last(cx.task) {
            self.pt = UsPt::ExitRegion;
            return;
        }
        self.pt = UsPt::Left;
        let joiner = process.leave(cx.task);
        let is_main = process.space.owner == cx.task;
        // One that ends is not waited for at a barrier.
        if process.all_but(NONE, self.program) {
            while let Some(task) =
                w.processes.all[cx.process as usize].next_at_barrier(self.program, None)
            {
                w.wake(task);
            }
        }
        if let Some(joiner) = joiner {
            w.wake(joiner);
        }
        if is_main {
            w.exit_group(cx.process);
        }
        w.record(ThreadEnd { task: cx.task });
    }

    pub(super) fn affinity(&mut self, w: &mut World, cx: &mut Context, which: u32) -> Flow {
        let cpus = &w.facts.programs[self.program as usize].cpu_sets[which as usize];
        w.facts.allow(cx, w.facts.mask_of(cpus));
        w.note_mask(cx);
        self.next();
        match Self::move_to_allowed(w, cx) {
            true => Flow::Sleep,
            false => Flow::Next,
        }
    }

    /// Gives the task a memory policy (`set_mempolicy`).
    pub(super) fn set_policy(&mut self, w: &World, cx: &mut Context, policy: Policy) -> Flow {
        let sets = &w.facts.programs[self.program as usize].node_sets;
        w.facts.set_policy(cx, policy, sets);
        self.next()
    }

    /// Moves the task to a node's CPUs; its memory comes from there first, or from there only.
    pub(super) fn bind(&mut self, w: &World, cx: &mut Context, node: u8, strict: bool) -> Flow {
        cx.bound_node = if strict { w.only(node) } else { node };
        (cx.allowed, cx.interleave) = (u16::MAX, u16::MAX);
        let cpus = w.facts.layout.nodes[node as usize].cpus.iter().copied();
        cx.move_to = w.sched.place(cpus);
        cx.sleep = Sleep::Until(w.now);
        self.next();
        Flow::Sleep
    }

    /// The task leaves a CPU it may not run on for one it may. Does it?
    pub(super) fn move_to_allowed(w: &mut World, cx: &mut Context) -> bool {
        if w.facts.may_run(cx, w.cpu) {
            return false;
        }
        cx.move_to = w.sched.place(w.facts.cpus_of(cx).iter().copied());
        cx.sleep = Sleep::Until(w.now);
        w.record(CpuMask {
            task: cx.task,
            cpu: cx.move_to,
        });
        true
    }
}

/// A memory policy in a few words.
pub(super) fn policy_words(policy: Policy) -> &'static str {
    match policy {
        Policy::Default => "the node it runs on",
        Policy::Preferred { .. } => "one node first",
        Policy::Bind { .. } => "some nodes only",
        Policy::Interleave { .. } => "nodes one after the other",
    }
}
