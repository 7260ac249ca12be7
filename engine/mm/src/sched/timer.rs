//! Timers of sleeping tasks, and interrupts of the clock and of devices (kernel/time/hrtimer.c).
//!
//! Modelled: a CPU wakes all sleepers whose timer has expired, in one handler; a device interrupts
//! the given CPU at the given time. On machines with ticks, the tick of a CPU is a timer of the
//! pseudo task itself.
//! Left out: the kernel's other timers, and softirqs, so balancing runs in the interrupt. A jiffies
//! wheel.

use super::{Cpu, LoadBalance, Sched};
use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, TaskIndex};
use facts::state::State;

impl Cpu {
    /// Time of the next timer or device interrupt; `u64::MAX` for never.
    pub(super) fn next_interrupt(&self) -> u64 {
        let first = |list: &[(u64, TaskIndex)]| list.last().map_or(u64::MAX, |&(at, _)| at);
        first(&self.timers).min(first(&self.interrupts))
    }

    /// Begins the interrupt that is due, unless one is being handled; device interrupts come first.
    pub(super) fn interrupt(&mut self, time: u64) {
        let due = |list: &[(u64, TaskIndex)]| list.last().is_some_and(|&(at, _)| at <= time);
        if self.irq == TaskIndex::NONE && (due(&self.interrupts) || due(&self.timers)) {
            self.irq = match due(&self.interrupts) {
                true => self
                    .interrupts
                    .pop()
                    .map_or(TaskIndex::NONE, |(_, task)| task),
                false => self.irq_task,
            };
            self.irq_since = time;
        }
    }

    /// Will this device interrupt this CPU, or is its interrupt being handled?
    pub fn expects(&self, task: TaskIndex) -> bool {
        self.irq == task || self.interrupts.iter().any(|&(_, t)| t == task)
    }

    /// Tasks that sleep on a timer here, with their wake-up times. The tick of a CPU is the timer of its
    /// timer pseudo task.
    pub fn sleepers(&self) -> &[(u64, TaskIndex)] {
        &self.timers
    }
}

impl Sched {
    /// Sets the time at which a device will interrupt `cpu`, replacing an earlier one; `u64::MAX`
    /// cancels it. Returns true if this changes anything.
    pub fn interrupt_at(
        &mut self,
        cpu: CpuIndex,
        task: TaskIndex,
        at: u64,
        running_on: CpuIndex,
    ) -> bool {
        let c = &mut self.cpus[cpu];
        let interrupts = &mut c.interrupts;
        let was = interrupts.iter().position(|&(_, t)| t == task);
        match was {
            Some(i) if interrupts[i].0 == at => return false,
            Some(i) => drop(interrupts.remove(i)),
            None if at == u64::MAX => return false,
            None => {}
        }
        if at != u64::MAX {
            let place = interrupts.partition_point(|&(t, id)| (t, id) > (at, task));
            interrupts.insert(place, (at, task));
        }
        let key = c.key();
        self.note(cpu, key);
        if cpu != running_on {
            self.other = self.other.min((key, cpu));
        }
        true
    }

    /// Makes a task sleep until `at`.
    pub fn sleep_until(&mut self, task: TaskIndex, cpu: CpuIndex, at: u64) {
        let c = &mut self.cpus[cpu];
        let place = c.timers.partition_point(|&(t, id)| (t, id) > (at, task));
        c.timers.insert(place, (at, task));
        let key = c.key();
        self.note(cpu, key);
    }

    /// Cancels the timer of a task that is woken before it expires.
    pub fn cancel(&mut self, task: TaskIndex, cpu: CpuIndex) {
        let c = &mut self.cpus[cpu];
        c.timers.retain(|&(_, id)| id != task);
        let key = c.key();
        self.note(cpu, key);
    }

    /// Does a task sleep on a timer that has not expired?
    pub fn has_timer(&self, task: TaskIndex) -> bool {
        let mut timers = self.cpus.iter().flat_map(|c| &c.timers);
        timers.any(|&(_, id)| id == task)
    }
}

decisions! {
    Woken { task: Task, cpu: Cpu }
        "The timer of {task} has expired: the task is woken on {cpu}.";
}

room! {
    HrtimerInterrupt: "hrtimer_interrupt" in "kernel/time/hrtimer.c" at "v6.1.176" line 1847;
    Simplified "One pseudo task per CPU wakes the sleepers whose timers have expired.";
    HiPt {
        Expired 0 Hold "for each timer that has expired: wake its task";
        Tick 1 Hold "its own timer: scheduler_tick(): loads, turns";
        Balance 1 Hold "for each level that is due: load_balance()";
        Push 0 Hold "push requested: move the running task";
        Done 0 Yields "return from the interrupt";
    }
    locals(self, w) {
        cpu: number(self.cpu.get());
        level: number(self.level) if self.pt == HiPt::Balance;
    }
}

/// The timer pseudo task of one CPU.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct HrtimerInterrupt {
    /// Current program point.
    pub pt: HiPt,
    /// CPU of the handler.
    pub cpu: CpuIndex,
    /// The next level to be balanced.
    pub level: u8,
}

impl HrtimerInterrupt {
    /// Frame of a CPU's handler, waiting for its first timer.
    pub fn call(cpu: CpuIndex) -> Frame {
        Frame::Timer(Self {
            pt: HiPt::Expired,
            cpu,
            level: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            HiPt::Expired => {
                let c = &mut w.sched.cpus[self.cpu];
                match c.timers.last().copied() {
                    Some((at, task)) if at <= w.now => {
                        c.timers.pop();
                        if task == c.irq_task {
                            self.pt = HiPt::Tick;
                            return Flow::Next;
                        }
                        w.record(Woken {
                            task,
                            cpu: self.cpu,
                        });
                        w.wake(task);
                    }
                    _ if w.sched.is_to_push(self.cpu) => self.pt = HiPt::Push,
                    _ => self.pt = HiPt::Done,
                }
                Flow::Next
            }
            HiPt::Tick => {
                w.scheduler_tick(self.cpu);
                (self.level, self.pt) = match w.facts.balances {
                    true => (0, HiPt::Balance),
                    false => (0, HiPt::Expired),
                };
                Flow::Next
            }
            HiPt::Balance => {
                let last = (self.level > 0).then_some(cx.ret);
                match w.next_level(self.cpu, self.level, last.map(TaskIndex::new)) {
                    Some((level, idle)) => {
                        self.level = level + 1;
                        up.call(LoadBalance::call(self.cpu, level, idle), w, cx)
                    }
                    None => {
                        if let Some(look) = crate::numa::autonuma::balance::due(w, self.cpu) {
                            // No level is left when that call returns.
                            self.level = u8::MAX;
                            return up.call(look, w, cx);
                        }
                        (self.level, self.pt, cx.ret) = (0, HiPt::Expired, 0);
                        Flow::Next
                    }
                }
            }
            HiPt::Push => {
                w.push(self.cpu);
                self.pt = HiPt::Done;
                Flow::Next
            }
            HiPt::Done => {
                self.pt = HiPt::Expired;
                cx.sleep = Sleep::Wait;
                Flow::Sleep
            }
        }
    }
}
