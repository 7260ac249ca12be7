//! The machine as a value: booted from an experiment (`boot`), then stepped or run from state to
//! state.
//!
//! Modelled: the dispatcher, which runs one point of one task after another in the order the
//! scheduler chooses; births, wake-ups, sleeps, exits.
//! Left out: any difference between stepping and running: a step is `run` with a nearer stop.
//! Invariants: a machine has a next state until it has ended; then its state stays the same.

use facts::index::{CpuIndex, IndexVec, NodeIndex, TaskIndex};
use facts::state::{CloneFrom, State, state_hash};

mod balance;
mod boot;
#[cfg(test)]
mod slices;

use std::sync::Arc;

use crate::frames::{Context, Frame, Kind, Left, NONE, Sleep};
use crate::process::{Fd, Process, Thread};
use crate::record::events;
use crate::rng::Rng;
use crate::space::Space;
use crate::stack::Stack;
use crate::user::User;
use crate::view::Position;
use crate::workload::{MAX_TASKS, order};
use crate::world::{Birth, World};

events! {
    /// A task was started.
    Fork "sched_process_fork" from "include/trace/events/sched.h" { task: Task };
    /// A task is woken by the running task, and will continue on the target CPU.
    SchedWaking "sched_waking" from "include/trace/events/sched.h" { task: Task, waker: Task, target_cpu: Cpu };
}

/// Kind of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum TaskKind {
    /// A process of the workload.
    User {
        /// Index of the program.
        program: u32,
        /// Number of the instance, from 1.
        instance: u32,
    },
    /// kswapd of a node.
    Kswapd {
        /// Node.
        node: NodeIndex,
    },
    /// Timer pseudo task of a CPU.
    Timer {
        /// CPU.
        cpu: CpuIndex,
    },
    /// Interrupts of a block device.
    Device {
        /// Device.
        device: u8,
    },
    /// Flusher thread of a block device.
    Flusher {
        /// Device.
        device: u8,
    },
    /// Interventions.
    Intervention,
    /// knuma_scand, where the kernel is AutoNUMA.
    Scand,
}

/// The state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum TaskStatus {
    /// The task is on a CPU or a run queue.
    #[state(rest)]
    Runnable,
    /// The task sleeps until a timer expires.
    Sleeping,
    /// The task sleeps until it is woken.
    Waiting,
    /// The task has exited.
    Exited,
}

/// A task: a stack of frames of kernel functions.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Task {
    /// Its kind.
    pub kind: TaskKind,
    /// Its CPU.
    pub cpu: CpuIndex,
    /// Its state.
    pub status: TaskStatus,
    /// True if the task sleeps for I/O (`in_iowait`).
    pub in_iowait: bool,
    /// The part of the task that its frames may change.
    pub cx: Context,
    /// Frames, outermost first.
    pub stack: Stack,
}

/// A simulated machine.
#[derive(Debug, PartialEq, Eq, State, CloneFrom)]
pub struct Machine {
    /// Everything except the tasks.
    pub w: World,
    /// Tasks by id.
    pub tasks: IndexVec<TaskIndex, Task>,
}

impl Machine {
    /// Adds a kernel task or a task of the engine.
    fn add_kernel(&mut self, kind: TaskKind, cpu: CpuIndex, frame: Frame) -> TaskIndex {
        let cx = Context::new(self.tasks.next_index(), NONE, Rng::UNUSED);
        self.add(kind, cpu, frame, cx)
    }

    fn add(&mut self, kind: TaskKind, cpu: CpuIndex, frame: Frame, cx: Context) -> TaskIndex {
        let id = self.tasks.next_index();
        self.w.visits.add(frame.function());
        self.tasks.push(Task {
            kind,
            cpu,
            status: TaskStatus::Runnable,
            in_iowait: false,
            cx,
            stack: Stack::new(frame),
        });
        id
    }

    /// Creates a task of the workload, which starts at `at`. Beyond the limit on tasks, fork fails and
    /// nothing happens.
    fn birth(&mut self, birth: &Birth, at: u64) {
        let w = &mut self.w;
        let born: u32 = w.born.iter().sum();
        if born >= 4 * MAX_TASKS {
            return;
        }
        let facts = Arc::clone(&w.facts);
        let mut cx = Context::new(self.tasks.next_index(), NONE, Rng::UNUSED);
        cx.bound_node = birth.node;
        if let Some(thread) = birth.thread {
            (cx.allowed, cx.interleave) = (thread.allowed, thread.interleave);
            cx.part = thread.part;
        }
        let cpu = w.sched.place(facts.cpus_of(&cx).iter().copied());
        w.note_mask(&cx);
        let cpu = self.begin_on(cpu, at);
        let w = &mut self.w;
        w.sched.settle(cpu);
        cx.process = match birth.thread {
            Some(_) => birth.parent,
            None => self.new_process(birth),
        };
        let w = &mut self.w;
        w.born[birth.program as usize] += 1;
        let instance = w.born[birth.program as usize];
        cx.rng = order::stream(facts.seed, birth.program, instance);
        if birth.thread.is_some() {
            w.processes.all[cx.process as usize].threads.push(Thread {
                task: cx.task,
                program: birth.program,
                at_barrier: false,
            });
        }
        let kind = TaskKind::User {
            program: birth.program,
            instance,
        };
        let process = cx.process;
        crate::memcg::count_tasks(&mut self.w, process, 1);
        let id = self.add(kind, cpu, User::call(birth.program), cx);
        crate::numa::born(&mut self.w, (id, process), birth, at);
        if let Some(scand) = crate::numa::autonuma::scand::to_wake(&self.w) {
            self.wake(scand);
        }
        self.start_ticks();
        self.w.record(Fork { task: id });
        if at > self.w.now {
            self.tasks[id].status = TaskStatus::Sleeping;
            self.w.sched.sleep_until(id, cpu, at);
        } else {
            self.w.sched.enqueue(id, cpu, self.w.now, self.w.cpu);
        }
    }

    /// The process of a task about to be created, which will be its main task.
    fn new_process(&mut self, birth: &Birth) -> u32 {
        let w = &mut self.w;
        let program = &w.facts.programs[birth.program as usize];
        let process = w.processes.all.len() as u32;
        let pools = vec![Vec::new(); program.pools as usize];
        let before = w.born[birth.program as usize];
        let mut fds = Vec::with_capacity(program.files.len());
        for (&(first, n), &own) in program.files.iter().zip(&program.own) {
            let (first, n) = order::own_files((first, n), own, before);
            fds.push(Fd::new(first, n));
        }
        let parent_group = w.processes.all.get(birth.parent as usize).map(|p| p.group);
        let group = match program.group.is_root() {
            true => parent_group.unwrap_or(program.group),
            false => program.group,
        };
        w.processes.all.push(Process {
            group,
            space: Space {
                owner: TaskIndex::new(self.tasks.len() as u32),
                ..Space::default()
            },
            pools,
            fds,
            parent: birth.parent,
            ..Process::default()
        });
        if let Some(parent) = w.processes.all.get_mut(birth.parent as usize) {
            parent.children += 1;
        }
        process
    }

    /// Runs until `stop_steps` points have been executed since boot, the earliest clock reaches
    /// `stop_ns`, or the experiment ends.
    pub fn run(&mut self, stop_steps: u64, stop_ns: u64) {
        let run = &mut self.w.run;
        run.stop_at(stop_steps);
        run.stop_ns = stop_ns;
        while self.w.run.steps() < stop_steps && !self.w.sched.ended && !self.reached(stop_ns) {
            self.dispatch();
        }
    }

    /// Has the CPU just chosen reached this time? Checked only directly after the scheduler has
    /// chosen, so that the step at which a run stops does not depend on how it was run.
    pub(crate) fn reached(&self, stop_ns: u64) -> bool {
        self.w.run.fresh && self.w.now >= stop_ns
    }

    /// May an outside reader read the machine now? Not in the middle of a locked section, that is,
    /// after a point at which a lock is held.
    pub fn is_open(&self) -> bool {
        let run = &self.w.run;
        run.fresh || run.kind != Kind::Hold || run.steps() == 0
    }

    /// Runs the running task until it reaches the stop or leaves its CPU.
    fn dispatch(&mut self) {
        let left = self.run_task();
        match left {
            Left::Asleep => self.put_to_sleep(),
            Left::Exited => self.bury(),
            Left::Due | Left::Returned => {}
        }
        if self.w.sched.attention {
            self.grant();
        }
        let gone = matches!(left, Left::Asleep | Left::Exited);
        if gone && self.w.facts.balances {
            self.newly_idle();
        }
        let w = &self.w;
        if gone || w.now >= w.run.deadline[w.run.kind as usize] {
            self.schedule();
        }
    }

    /// Executes points of the running task, frame by frame, until the CPU is due.
    fn run_task(&mut self) -> Left {
        let Machine { w, tasks } = self;
        w.run.fresh = false;
        let task = &mut tasks[w.task];
        // A living task always has a frame: the outermost frame exits and never returns.
        while let Some((top, above)) = task.stack.top() {
            let left = top.go(above, w, &mut task.cx);
            if left == Left::Returned {
                task.stack.pop();
                if !w.is_due(w.run.kind) {
                    continue;
                }
            }
            if w.run.deeper > 0 {
                task.stack
                    .push_spares(std::mem::take(&mut w.run.deeper) as usize);
            }
            return left;
        }
        Left::Exited
    }

    #[inline(never)]
    fn bury(&mut self) {
        let w = &mut self.w;
        let task = &mut self.tasks[w.task];
        task.stack.clear();
        task.status = TaskStatus::Exited;
        if matches!(task.kind, TaskKind::User { .. }) {
            w.sched.unsettle(task.cpu);
        }
        w.sched.leave(w.cpu, w.now);
    }

    #[inline(never)]
    fn put_to_sleep(&mut self) {
        let w = &mut self.w;
        let task = &mut self.tasks[w.task];
        if !task.cx.plug.is_empty() {
            crate::block::flush_plug(w, &mut task.cx);
        }
        w.sched.leave(w.cpu, w.now);
        if task.cx.move_to != CpuIndex::NONE {
            w.sched.unsettle(task.cpu);
            w.sched.settle(task.cx.move_to);
            let to = std::mem::replace(&mut task.cx.move_to, CpuIndex::NONE);
            let from = std::mem::replace(&mut task.cpu, to);
            w.note_mask(&task.cx);
            crate::numa::preferred::changed_cpu(w, w.task, from, to);
        }
        let sleep = std::mem::replace(&mut task.cx.sleep, Sleep::No);
        task.in_iowait = matches!(sleep, Sleep::Io(_));
        w.sched.cpus[task.cpu].nr_iowait += u32::from(task.in_iowait);
        match sleep {
            Sleep::Until(at) | Sleep::Io(at) if at != u64::MAX => {
                task.status = TaskStatus::Sleeping;
                w.sched.sleep_until(w.task, task.cpu, at);
            }
            Sleep::No | Sleep::Wait | Sleep::Until(_) | Sleep::Io(_) => {
                task.status = TaskStatus::Waiting;
            }
        }
    }

    /// Grants the wake-ups and births requested in the point just executed.
    #[inline(never)]
    fn grant(&mut self) {
        self.w.sched.attention = false;
        if self.w.facts.balances {
            self.note_moves();
        }
        for id in std::mem::take(&mut self.w.sched.wakes) {
            self.wake(id);
        }
        for birth in std::mem::take(&mut self.w.births) {
            self.birth(&birth, self.w.now);
        }
        for id in std::mem::take(&mut self.w.kills) {
            for id in self.group_of(id) {
                self.tasks[id].cx.oom_victim = true;
                self.kill(id);
            }
        }
        for id in std::mem::take(&mut self.w.task_works) {
            self.tasks[id].cx.task_work = true;
        }
        for (program, instance) in std::mem::take(&mut self.w.signals) {
            self.signal(program, instance);
        }
        for process in std::mem::take(&mut self.w.exits) {
            let threads = self.w.processes.all[process as usize].threads.clone();
            for thread in threads {
                self.kill(thread.task);
            }
        }
        for (named, mask) in std::mem::take(&mut self.w.affinities) {
            self.allow(named, mask);
        }
        let w = &mut self.w;
        w.run.deadline = w.sched.deadlines(w.cpu);
    }

    /// The tasks of a program, or only the one with this instance number (0 for all).
    fn named(&self, program: u32, instance: u32) -> Vec<TaskIndex> {
        let is_named = |task: &Task| match task.kind {
            TaskKind::User {
                program: of,
                instance: nth,
            } => of == program && (instance == 0 || instance == nth),
            _ => false,
        };
        let each = self.tasks.entries();
        each.filter(|(_, task)| is_named(task))
            .map(|(id, _)| id)
            .collect()
    }

    /// A task and the other living tasks of its process.
    fn group_of(&self, id: TaskIndex) -> Vec<TaskIndex> {
        let task = &self.tasks[id];
        let process = self.w.processes.all.get(task.cx.process as usize);
        match process {
            Some(process) if !process.threads.is_empty() && process.tasks().any(|t| t == id) => {
                process.tasks().collect()
            }
            _ => vec![id],
        }
    }

    /// Sends SIGKILL to the process of one task of a program, or of all its tasks (instance 0).
    #[inline(never)]
    fn signal(&mut self, program: u32, instance: u32) {
        for id in self.named(program, instance) {
            for id in self.group_of(id) {
                self.kill(id);
            }
        }
    }

    /// Sets the CPU mask of one task of a program, or of all its tasks (instance 0). A waiting task
    /// takes a CPU of the mask when it is woken, any other task when it is next in user mode.
    #[inline(never)]
    fn allow(&mut self, (program, instance): (u32, u32), mask: u16) {
        for id in self.named(program, instance) {
            let task = &mut self.tasks[id];
            if task.status != TaskStatus::Exited {
                self.w.facts.allow(&mut task.cx, mask);
                self.w.note_mask(&task.cx);
                task.cx.looks_at_cpu = true;
            }
        }
    }

    /// Kills a task. SIGKILL wakes a task that sleeps in user mode; an uninterruptible wait in the
    /// kernel finishes first (`TASK_UNINTERRUPTIBLE`).
    fn kill(&mut self, id: TaskIndex) {
        let task = &mut self.tasks[id];
        task.cx.killed = true;
        if matches!(task.stack.last(), Some(Frame::User(_))) {
            self.wake(id);
        }
    }

    fn wake(&mut self, id: TaskIndex) {
        let w = &mut self.w;
        let task = &mut self.tasks[id];
        match task.status {
            TaskStatus::Waiting => {}
            TaskStatus::Sleeping => w.sched.cancel(id, task.cpu),
            TaskStatus::Runnable | TaskStatus::Exited => return,
        }
        task.status = TaskStatus::Runnable;
        let was = &mut w.sched.cpus[task.cpu];
        was.nr_iowait -= u32::from(std::mem::take(&mut task.in_iowait));
        let mut at = w.now;
        if w.facts.balances {
            return self.wake_balanced(id);
        }
        let node = w.facts.node_of_cpu[task.cpu];
        let cx = &task.cx;
        let of_node = |node: NodeIndex| {
            let cpus = w.facts.layout.nodes[node.index()].cpus.iter().copied();
            cpus.filter(|&cpu| w.facts.may_run(cx, cpu))
        };
        let woken_to = if w.facts.may_run(cx, task.cpu) {
            w.sched.place_woken(task.kind, task.cpu, node, of_node)
        } else {
            Some(w.sched.place(w.facts.cpus_of(cx).iter().copied()))
        };
        if let Some(cpu) = woken_to {
            if matches!(task.kind, TaskKind::User { .. }) {
                w.sched.unsettle(task.cpu);
                w.sched.settle(cpu);
            }
            task.cpu = cpu;
            at += u64::from(w.facts.cost.wake_to_run);
        }
        let cpu = task.cpu;
        self.run_woken(id, cpu, at);
    }

    /// Adds a woken task to the queue of its CPU.
    fn run_woken(&mut self, id: TaskIndex, cpu: CpuIndex, at: u64) {
        let w = &mut self.w;
        w.sched.enqueue(id, cpu, at, w.cpu);
        let (waker, target_cpu) = (w.task, cpu);
        // Wake-ups are granted after the point that requested them.
        w.record_behind(SchedWaking {
            task: id,
            waker,
            target_cpu,
        });
    }

    /// Gives the CPU with the earliest clock its turn. Ends the run when no CPU has anything to do,
    /// or all have reached the experiment's length.
    #[inline(never)]
    fn schedule(&mut self) {
        let w = &mut self.w;
        debug_assert!(!w.bandwidth.is_open(), "accesses end with the slice");
        w.run.fresh = true;
        w.run.left_ns = w.now;
        let switch_ns = w.facts.cost.context_switch;
        match w.sched.pick(w.cpu, w.now, w.facts.length_ns, switch_ns) {
            Some((cpu, task, now)) => (w.cpu, w.task, w.now) = (cpu, task, now),
            None => w.sched.ended = true,
        }
        if w.mem.lru_gen_on {
            let process = self.tasks[w.task].cx.process;
            crate::lru_gen::use_mm(w, process);
        }
        w.bandwidth.pass(w.now);
        w.run.deadline = w.sched.deadlines(w.cpu);
    }

    /// Time of the last change, ns: between then and now nothing was executed, for example because
    /// all tasks slept.
    pub fn since(&self) -> u64 {
        let run = &self.w.run;
        if run.fresh {
            run.left_ns.min(self.w.now)
        } else {
            self.w.now
        }
    }

    /// The machine's position in the run.
    pub fn position(&self) -> Position {
        let w = &self.w;
        Position {
            step: w.run.steps(),
            time_ns: w.now,
            ended: w.sched.ended,
        }
    }

    /// The 64-bit hash over all of the machine's state.
    pub fn hash(&self) -> u64 {
        state_hash(self)
    }

    /// True if nothing was written since [`Machine::rebase`]. Copying this machine into one that
    /// has it as its base then costs only as much as that machine has written, independent of its
    /// size.
    pub fn is_base(&self) -> bool {
        self.w.mem.pages.is_base()
    }

    /// Makes the current state the base of all copies made from it from now on.
    pub fn rebase(&mut self) {
        self.w.mem.rebase();
        self.w.processes.rebase();
        self.w.files.rebase();
        self.w.evicted.rebase();
        self.w.numa.rebase();
    }

    /// Approximate size of one copy in bytes.
    pub fn bytes(&self) -> usize {
        self.w.mem.bytes()
            + self.w.processes.bytes()
            + self.w.files.bytes()
            + self.w.evicted.bytes()
            + self.w.numa.bytes()
            + self.w.swap.bytes()
            + self.w.slab.bytes()
            + self.tasks.len() * (size_of::<Task>() + 4 * size_of::<Frame>())
    }
}
