//! Threads of a process: starting, meeting at a barrier, joining, ending; and the CPUs a task may run on.
//!
//! Modelled: threads that start at one point; a barrier at which the last thread to arrive wakes
//! the others one by one, in the order of their numbers; `exit` of a thread, and `exit_group`,
//! which is the main task's exit.
//! Left out: the time for which a barrier spins before it sleeps. Starting several threads costs
//! one fork.
//! Visible difference: the times of threads that arrive at a barrier within a microsecond of each
//! other.
//! Invariants: a thread at a barrier waits for at least one other thread; the last task of a
//! process frees what the process holds.

use super::*;
use crate::record::decisions;
use crate::workload::Policy;
use crate::world::NewThread;
use facts::index::{NodeIndex, TaskIndex};

decisions! {
    BarrierWait { task: Task }
        "{task} sleeps at the barrier until the other threads arrive.";
    BarrierOpen { task: Task }
        "{task} is the last to arrive at the barrier: it wakes the others one by one.";
    ThreadEnd { task: Task }
        "{task} ends and frees no memory: other tasks of its process still use it.";
    CpuMask { task: Task, cpu: Cpu }
        "{task} may no longer run on this CPU: it moves to {cpu}.";
}

impl User {
    /// Starts threads, which inherit the task's CPU mask and memory policy.
    pub(super) fn start_threads(
        &mut self,
        w: &mut World,
        cx: &Context,
        program: u32,
        count: u32,
    ) -> Flow {
        w.spend(w.facts.cost.fork);
        // If the threads' program has its own node, that node overrides the task's policy.
        let node = w.facts.programs[program as usize].node;
        let own = !node.is_none();
        for i in 0..count {
            w.spawn(Birth {
                program,
                node: if own { node.zonelist() } else { cx.bound_node },
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

    /// The thread's part of a region: its first page and its number of pages.
    pub(super) fn part(cx: &Context, pages: u32) -> (u32, u32) {
        order::part(cx.part, pages)
    }

    pub(super) fn barrier(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let process = &mut w.processes.all[cx.process as usize];
        if self.i > 0 {
            // The last thread to arrive has woken this one.
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

    /// Wakes the next task at the barrier; `i` is one more than the number of the task that was
    /// woken last.
    pub(super) fn wake_next(&mut self, w: &mut World, cx: &Context) -> Flow {
        let process = &mut w.processes.all[cx.process as usize];
        let Some(task) =
            process.next_at_barrier(self.program, self.i.checked_sub(1).map(TaskIndex::new))
        else {
            return self.next();
        };
        self.i = task.get() + 1;
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

    /// Begins the exit of a task. The last task of a process frees what the process holds; any
    /// other task just leaves. The main task ends all others as well (`do_group_exit`).
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
        // A barrier does not wait for a thread that ends.
        if process.all_but(TaskIndex::NONE, self.program) {
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

    /// Sets the memory policy of the task (`set_mempolicy`).
    pub(super) fn set_policy(&mut self, w: &World, cx: &mut Context, policy: Policy) -> Flow {
        let sets = &w.facts.programs[self.program as usize].node_sets;
        w.facts.set_policy(cx, policy, sets);
        self.next()
    }

    /// Moves the task to the CPUs of a node. Its memory comes from that node first, or only from
    /// there.
    pub(super) fn bind(
        &mut self,
        w: &World,
        cx: &mut Context,
        node: NodeIndex,
        strict: bool,
    ) -> Flow {
        cx.bound_node = if strict {
            w.only(node)
        } else {
            node.zonelist()
        };
        (cx.allowed, cx.interleave) = (u16::MAX, u16::MAX);
        let cpus = w.facts.layout.nodes[node.index()].cpus.iter().copied();
        cx.move_to = w.sched.place(cpus);
        cx.sleep = Sleep::Until(w.now);
        self.next();
        Flow::Sleep
    }

    /// Moves the task to an allowed CPU if it may not run on its current one. Returns true if it
    /// moves.
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

/// A short description of a memory policy.
pub(super) fn policy_words(policy: Policy) -> &'static str {
    match policy {
        Policy::Default => "the node it runs on",
        Policy::Preferred { .. } => "one node first",
        Policy::Bind { .. } => "some nodes only",
        Policy::Interleave { .. } => "nodes one after the other",
    }
}
