//! Timers of sleeping tasks, and interrupts: of the clock and of devices (kernel/time/hrtimer.c).
//!
//! Modelled: a CPU wakes the sleepers whose time has come, in one handler; a device interrupts the CPU
//! and the time it is told.
//! Left out: timers of the kernel's own, softirqs, a jiffies wheel.

use super::{Cpu, Sched};
use crate::frames::{Context, Flow, Frame, NONE, Sleep, Up, room};
use crate::record::decisions;
use crate::world::World;
use facts::state::State;

impl Cpu {
    /// When the next timer expires or device interrupts; `u64::MAX` for never.
    pub(super) fn next_interrupt(&self) -> u64 {
        let first = |list: &[(u64, u32)]| list.last().map_or(u64::MAX, |&(at, _)| at);
        first(&self.timers)
            .min(first(&self.interrupts))
            .min(self.tick)
    }

    /// Handles the interrupt that is due, if one is and none is being handled; devices go first.
    pub(super) fn interrupt(&mut self, time: u64) {
        let due = |list: &[(u64, u32)]| list.last().is_some_and(|&(at, _)| at <= time);
        let ticks = self.tick <= time;
        if self.irq == NONE && (due(&self.interrupts) || due(&self.timers) || ticks) {
            self.irq = match due(&self.interrupts) {
                true => self.interrupts.pop().map_or(NONE, |(_, task)| task),
                false => self.irq_task,
            };
            self.irq_since = time;
        }
    }

    /// Will this device interrupt here, or is its interrupt being handled?
    pub fn expects(&self, task: u32) -> bool {
        self.irq == task || self.interrupts.iter().any(|&(_, t)| t == task)
    }

    /// Tasks that sleep on a timer here, with their wake-up times.
    pub fn sleepers(&self) -> &[(u64, u32)] {
        &self.timers
    }
}

impl Sched {
    /// The next tick of a CPU will be handled (`tick_setup_sched_timer`).
    pub(super) fn arm_tick(&mut self, cpu: u16, running_on: u16) {
        let (tick_ns, c) = (self.tick_ns, &mut self.cpus[cpu as usize]);
        c.tick = (c.now / tick_ns + 1) * tick_ns;
        let key = c.key();
        self.note(cpu, key);
        if cpu != running_on {
            self.other = self.other.min((key, cpu));
        }
    }

    /// A device will interrupt `cpu` at `at`, and not when it would have; `u64::MAX` for not at
    /// all. Returns whether that changes anything.
    pub fn interrupt_at(&mut self, cpu: u16, task: u32, at: u64, running_on: u16) -> bool {
        let c = &mut self.cpus[cpu as usize];
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

    /// Lets a task sleep until `at`.
    pub fn sleep_until(&mut self, task: u32, cpu: u16, at: u64) {
        let c = &mut self.cpus[cpu as usize];
        let place = c.timers.partition_point(|&(t, id)| (t, id) > (at, task));
        c.timers.insert(place, (at, task));
        let key = c.key();
        self.note(cpu, key);
    }

    /// A task that sleeps on a timer is woken before it expires.
    pub fn cancel(&mut self, task: u32, cpu: u16) {
        let c = &mut self.cpus[cpu as usize];
        c.timers.retain(|&(_, id)| id != task);
        let key = c.key();
        self.note(cpu, key);
    }

    /// Does a task sleep on a timer that has not expired?
    pub fn has_timer(&self, task: u32) -> bool {
        let mut timers = self.cpus.iter().flat_map(|c| &c.timers);
        timers.any(|&(_, id)| id == task)
    }
}

decisions! {
    Woken { task: Task, cpu: Cpu }
        "The timer of {task} has expired: it may run on {cpu} again.";
}

room! {
    HrtimerInterrupt: "hrtimer_interrupt" in "kernel/time/hrtimer.c" at "v6.1.176" line 1847;
    Simplified "One pseudo task a CPU wakes the sleepers whose time has come.";
    HiPt {
        Expired 0 Hold "for each timer that has expired: wake its task";
        Tick 0 Plain "a tick is due: scheduler_tick()";
        Done 0 Yields "return from the interrupt";
    }
    locals(self, w) {
        cpu: number(self.cpu);
    }
}

/// The timer pseudo task of one CPU.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct HrtimerInterrupt {
    /// Where it stands.
    pub pt: HiPt,
    /// Its CPU.
    pub cpu: u16,
}

impl HrtimerInterrupt {
    /// The handler of a CPU, waiting for its first timer.
    pub fn call(cpu: u16) -> Frame {
        Frame::Timer(Self {
            pt: HiPt::Expired,
            cpu,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        match self.pt {
            HiPt::Expired => {
                let timers = &mut w.sched.cpus[self.cpu as usize].timers;
                match timers.last().copied() {
                    Some((at, task)) if at <= w.now => {
                        timers.pop();
                        w.record(Woken {
                            task,
                            cpu: self.cpu,
                        });
                        w.wake(task);
                    }
                    _ if w.sched.cpus[self.cpu as usize].tick <= w.now => self.pt = HiPt::Tick,
                    _ => self.pt = HiPt::Done,
                }
                Flow::Next
            }
            HiPt::Tick => {
                self.pt = HiPt::Done;
                w.spend(w.facts.cost.timer_tick);
                scheduler_tick(w, self.cpu);
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

/// What a tick does on a CPU. The next follows as long as a process lives.
fn scheduler_tick(w: &mut World, cpu: u16) {
    let current = w.sched.cpus[cpu as usize].current;
    if current != NONE {
        crate::numa::scan::task_tick_numa(w, current);
    }
    let lives = w.sched.cpus.iter().any(|c| c.placed > 0);
    w.sched.cpus[cpu as usize].tick = u64::MAX;
    if lives {
        w.sched.arm_tick(cpu, cpu);
    }
}
