//! Locks that several CPUs contend for: the owner and the waiters (kernel/mutex.c).
//!
//! Modelled: the mutex of an `anon_vma` tree, one per process, in kernels where that lock is a
//! mutex (3.0 to 3.7). The two walks of a migration take it. A task that finds it held spins while
//! the owner runs, and takes it when the owner releases it. Of several spinners only the first to
//! arrive gets it. The others see a new owner, stop spinning and sleep in a queue. A release wakes
//! the first task of the queue, which tries again when it runs; a later task may have been faster.
//! Left out: other walks that take the mutex (reclaim, splits of huge pages) and those that change
//! a tree (mmap, fork, exit); the spinlock of earlier kernels; the semaphore of later kernels,
//! which the two walks share. A task keeps spinning when another task waits for its CPU.
//! Visible difference: on a real machine some spinners do not notice the new owner and keep
//! spinning.
//! Invariants: a turn starts after the one before it has ended. Turns are given in the order of
//! arrival on the clocks of the CPUs, and for equal times in the order in which the CPUs run. While
//! tasks sleep for a mutex, a task has a turn or the first sleeper is awake. A mutex without an
//! owner and waiters is at rest.

use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::kernel::{AnonVmaLock, Features};
use crate::mmzone::{PageKind, flag};
use crate::record::decisions;
use crate::world::World;
use facts::index::{FrameIndex, TaskIndex};
use facts::state::State;

decisions! {
    MutexSpin { task: Task, owner: Task, ns: Count }
        "{owner} has the mutex of the pages' anon_vma: {task} spins for {ns} ns and then gets it.";
    MutexBeaten { task: Task, owner: Task, next: Task, ns: Count }
        "{owner} has the mutex of the pages' anon_vma, and {next} spins for it: {task} spins for {ns} ns, sees {next} take it, and stops spinning.";
    MutexSleep { task: Task, owner: Task, before: Count }
        "{owner} has the mutex of the pages' anon_vma: {task} sleeps in its queue behind {before task}.";
    MutexSlept { task: Task, ns: Count }
        "The mutex of the pages' anon_vma has no owner any more: {task} takes it after {ns} ns in the queue.";
    MutexWake { task: Task }
        "The mutex of the pages' anon_vma is free again: {task}, the first sleeper in its queue, is woken.";
}

/// Do migrating tasks contend for the mutex of an `anon_vma` tree in this kernel?
pub fn queues(features: &Features) -> bool {
    features.anon_vma_lock == AnonVmaLock::Mutex
}

/// The interval in which a task has a mutex, on the clock of the task's CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Turn {
    /// The task.
    pub task: TaskIndex,
    /// When the task gets the mutex, ns.
    pub from: u64,
    /// When the task releases the mutex, ns.
    pub until: u64,
}

/// A task that sleeps for a mutex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Sleeper {
    /// The task.
    pub task: TaskIndex,
    /// Since when the task has been in the queue, ns.
    pub since: u64,
    /// The task was woken, and has not tried again yet.
    pub woken: bool,
}

/// Counts of a mutex since boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LockCounts {
    /// How often the mutex was taken.
    pub taken: u64,
    /// How often a task had to spin or sleep for the mutex.
    pub waits: u64,
    /// How long the mutex was held, ns.
    pub held_ns: u64,
    /// How long tasks spun for the mutex: CPU time, ns.
    pub spun_ns: u64,
    /// How long tasks were in the queue, ns.
    pub slept_ns: u64,
}

/// A mutex (`struct mutex`).
#[derive(Debug, Clone, PartialEq, Eq, Default, State)]
pub struct Mutex {
    /// Turns of the owner and of the task that spins: at most two, in order.
    pub turns: Vec<Turn>,
    /// Tasks that sleep for the mutex, first in, first out (`wait_list`).
    pub sleepers: Vec<Sleeper>,
    /// Counts since boot.
    #[state(skip = "counts that no run depends on")]
    pub counts: LockCounts,
}

/// The outcome of a task's arrival at a mutex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The mutex is free; the task takes it.
    Free,
    /// `owner` has the mutex: the task spins and takes it at `from`.
    Spins {
        /// The owner.
        owner: TaskIndex,
        /// When the task gets the mutex, ns.
        from: u64,
    },
    /// `owner` has the mutex and `next` spins for it: the task spins until `until` without getting
    /// it.
    Beaten {
        /// The owner.
        owner: TaskIndex,
        /// The task that gets the mutex next.
        next: TaskIndex,
        /// When the owner releases the mutex, ns.
        until: u64,
    },
}

impl Mutex {
    /// Removes turns that have ended by `now`, although their owners have yet to release the mutex.
    fn expire(&mut self, now: u64) {
        self.turns.retain(|turn| turn.until > now);
    }

    /// Grants the mutex to `task` from time `from` on, for `hold`.
    fn grant(&mut self, task: TaskIndex, from: u64, hold: u64) {
        let until = from + hold;
        self.turns.push(Turn { task, from, until });
        self.counts.taken += 1;
        self.counts.held_ns += hold;
    }

    /// A task arrives at `now` and requests the mutex for `hold`; passing it to the next owner
    /// takes `handover` (`mutex_lock`, up to where it would sleep). All times are in ns.
    pub fn arrive(&mut self, task: TaskIndex, now: u64, hold: u64, handover: u64) -> Arrival {
        self.expire(now);
        let arrival = match *self.turns.as_slice() {
            [] => {
                self.grant(task, now, hold);
                return Arrival::Free;
            }
            [owner] => {
                let from = owner.until + handover;
                self.grant(task, from, hold);
                self.counts.spun_ns += from - now;
                let owner = owner.task;
                Arrival::Spins { owner, from }
            }
            [owner, next, ..] => {
                self.counts.spun_ns += owner.until - now;
                Arrival::Beaten {
                    owner: owner.task,
                    next: next.task,
                    until: owner.until,
                }
            }
        };
        self.counts.waits += 1;
        arrival
    }

    /// A task in the queue, or about to join it, tries again at `now`. If the mutex is free, the
    /// task gets it for `hold`; returns its time in the queue, ns. Otherwise the task sleeps.
    pub fn look(&mut self, task: TaskIndex, now: u64, hold: u64) -> Option<u64> {
        self.expire(now);
        let place = self.sleepers.iter().position(|s| s.task == task);
        if self.turns.is_empty() {
            let since = place.map_or(now, |at| self.sleepers.remove(at).since);
            let waited = now.saturating_sub(since);
            self.counts.slept_ns += waited;
            self.grant(task, now, hold);
            return Some(waited);
        }
        match place {
            Some(at) => self.sleepers[at].woken = false,
            None => self.sleepers.push(Sleeper {
                task,
                since: now,
                woken: false,
            }),
        }
        None
    }

    /// The owner releases the mutex. Returns the task to wake: the first of the queue, unless it is
    /// awake (`mutex_unlock`).
    pub fn release(&mut self, task: TaskIndex) -> Option<TaskIndex> {
        self.turns.retain(|turn| turn.task != task);
        let first = self.sleepers.first_mut().filter(|first| !first.woken)?;
        first.woken = true;
        Some(first.task)
    }

    /// Does a task sleep for the mutex, and will another task wake it?
    pub fn has_waker(&self, task: TaskIndex) -> bool {
        let goes_on = !self.turns.is_empty() || self.sleepers.first().is_some_and(|s| s.woken);
        goes_on && self.sleepers.iter().any(|sleeper| sleeper.task == task)
    }

    /// Do the turns follow one another, and will a sleeper be woken if there are any?
    pub fn is_sound(&self) -> bool {
        let in_order = |pair: &[Turn]| pair[0].until <= pair[1].from;
        let goes_on = !self.turns.is_empty() || self.sleepers.first().is_none_or(|s| s.woken);
        self.turns.len() <= 2 && self.turns.windows(2).all(in_order) && goes_on
    }
}

/// The process whose mutex is taken by a walk from a page to the entry that maps it. This is the
/// process of a mapped anonymous page, if the kernel has these mutexes; otherwise `None`.
pub fn anon_vma_of(w: &World, frame: FrameIndex) -> Option<u32> {
    let page = w.mem.pages[frame];
    let is_mapped = || match page.kind() {
        PageKind::HugeAnon => crate::numa::fault::is_mapped_huge(w, frame),
        _ => page.is_anon() && page.has(flag::MAPPED),
    };
    let is_walked = queues(&w.facts.features) && is_mapped();
    is_walked.then(|| crate::rmap::anon_place(w, frame).0)
}

/// The running task releases the mutex of a process and wakes its first sleeper. The wake-up is granted
/// at the end of the point, which must not spend any more time.
pub fn unlock(w: &mut World, cx: &Context, process: u32) {
    let mutex = &mut w.processes.all[process as usize].anon_vma;
    if let Some(task) = mutex.release(cx.task) {
        w.record(MutexWake { task });
        w.spend(w.facts.cost.wake);
        w.wake(task);
    }
}

room! {
    MutexLock: "mutex_lock" in "kernel/mutex.c" at "v3.7.2" line 83;
    Simplified "Of several spinning tasks, the first to arrive gets the mutex. A task keeps spinning when another task waits for its CPU." if |f| f.anon_vma_lock == facts::kernel::AnonVmaLock::Mutex;
    MlPt {
        Enter 0 Yields "might_sleep()" if |f| queues(f);
        Spin 0 Hold "free, or released while this task spins: take it, return" if |f| queues(f);
        Beaten 0 Yields "the owner has changed: stop spinning" if |f| queues(f);
        Wait 0 Hold "join wait_list, take it if it is free, else schedule()" if |f| queues(f);
    }
    locals(self, w) {
        hold_ns: number(self.hold);
        waiting: number(w.processes.all[self.process as usize].anon_vma.sleepers.len() as u32);
    }
}

/// `mutex_lock` of the mutex of a process's `anon_vma`. When it returns, the task has the mutex for
/// the time it requested. The task must spend that time without leaving its CPU, and then release
/// the mutex.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct MutexLock {
    /// Current program point.
    pub pt: MlPt,
    /// The process.
    pub process: u32,
    /// Time for which the mutex will be held, ns.
    pub hold: u32,
}

impl MutexLock {
    /// Frame of a task that will take the mutex of a process, for `hold` ns.
    pub fn call(process: u32, hold: u32) -> Frame {
        Frame::MutexLock(Self {
            pt: MlPt::Enter,
            process,
            hold,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _: Up<'_>) -> Flow {
        match self.pt {
            // CPUs whose clocks are behind this one's go first.
            MlPt::Enter => self.pt = MlPt::Spin,
            MlPt::Spin => return self.spin(w, cx),
            MlPt::Beaten => self.pt = MlPt::Wait,
            MlPt::Wait => return self.wait(w, cx),
        }
        Flow::Next
    }

    fn spin(&mut self, w: &mut World, cx: &Context) -> Flow {
        let (task, now) = (cx.task, w.now);
        let handover = u64::from(w.facts.cost.lock_handover);
        let mutex = &mut w.processes.all[self.process as usize].anon_vma;
        match mutex.arrive(task, now, self.hold.into(), handover) {
            Arrival::Free => Flow::Ret,
            Arrival::Spins { owner, from } => {
                let ns = (from - now) as i64;
                w.record(MutexSpin { task, owner, ns });
                w.now = from;
                Flow::Ret
            }
            Arrival::Beaten { owner, next, until } => {
                let ns = (until - now) as i64;
                w.record(MutexBeaten {
                    task,
                    owner,
                    next,
                    ns,
                });
                (w.now, self.pt) = (until, MlPt::Beaten);
                Flow::Next
            }
        }
    }

    fn wait(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        let (task, now) = (cx.task, w.now);
        let mutex = &mut w.processes.all[self.process as usize].anon_vma;
        if let Some(ns) = mutex.look(task, now, self.hold.into()) {
            let ns = ns as i64;
            w.record(MutexSlept { task, ns });
            return Flow::Ret;
        }
        let place = mutex.sleepers.iter().position(|s| s.task == task);
        let (before, owner) = (place.unwrap_or(0) as i64, mutex.turns[0].task);
        w.record(MutexSleep {
            task,
            owner,
            before,
        });
        cx.sleep = Sleep::Wait;
        Flow::Sleep
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
impl Mutex {
    /// Puts entries into every field, so that tests have something to change.
    pub(crate) fn fill(&mut self) {
        self.grant(TaskIndex::new(0), 1, 1);
        self.sleepers.push(Sleeper {
            task: TaskIndex::new(0),
            since: 1,
            woken: false,
        });
    }
}
