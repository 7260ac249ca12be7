//! CPUs, their clocks, run queues and timers.
//!
//! Modelled: time is kept per CPU; the machine runs the CPU with the least (time, cpu) and keeps
//! running its task until a yield point. Tasks of one CPU take turns of 4 ms.
//! Left out: priorities and load balancing: they join with the scheduler's own issue.
//! Who could tell: a task is never moved off a busy CPU.
//! Invariants: the scheduler acts only at yield points and at sleeps, never because someone
//! stopped to look; a waiting task is on no queue, a runnable one on exactly one.

use std::collections::VecDeque;

use crate::frames::{Context, Flow, Frame, Kind, NONE, Sleep, points};
use crate::view::Local;
use crate::why::Why;
use crate::world::World;

/// A task leaves its CPU to an earlier one at the latest after this much virtual time.
pub const SLICE_NS: u64 = 10_000;
/// Turn of a task while others wait for its CPU: one jiffy of the assumed 250 Hz.
const TURN_NS: u64 = 4_000_000;

/// One CPU.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cpu {
    /// Its clock, ns.
    pub now: u64,
    /// Task it runs, [`NONE`] when idle.
    pub current: u32,
    /// When `current` got the CPU.
    since: u64,
    /// The timer interrupt is being handled.
    in_irq: bool,
    /// Its timer pseudo task.
    pub irq_task: u32,
    /// Runnable tasks in turn.
    queue: VecDeque<u32>,
    /// Sleepers by wake-up time, latest first.
    timers: Vec<(u64, u32)>,
    /// Tasks placed here.
    pub placed: u32,
}

impl Cpu {
    fn new() -> Self {
        Self {
            now: 0,
            current: NONE,
            since: 0,
            in_irq: false,
            irq_task: NONE,
            queue: VecDeque::new(),
            timers: Vec::new(),
            placed: 0,
        }
    }

    fn is_busy(&self) -> bool {
        self.in_irq || self.current != NONE || !self.queue.is_empty()
    }

    /// When it has something to do next; `u64::MAX` for never.
    fn key(&self) -> u64 {
        match self.timers.last() {
            _ if self.is_busy() => self.now,
            Some(&(at, _)) => at.max(self.now),
            None => u64::MAX,
        }
    }

    /// True when nothing runs or waits to run here.
    pub fn is_idle(&self) -> bool {
        !self.is_busy()
    }

    /// Tasks that are runnable or running here.
    pub fn runnable(&self) -> impl Iterator<Item = u32> + '_ {
        self.queue
            .iter()
            .copied()
            .chain((self.current != NONE).then_some(self.current))
    }

    /// Tasks that sleep on a timer here, with their wake-up times.
    pub fn sleepers(&self) -> &[(u64, u32)] {
        &self.timers
    }
}

/// The scheduler.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sched {
    /// CPUs by id.
    pub cpus: Vec<Cpu>,
    /// Wakes or births wait to be granted.
    pub attention: bool,
    /// Tasks to wake at the end of this point.
    pub wakes: Vec<u32>,
    /// Nothing will ever run again, or the experiment's length is reached.
    pub ended: bool,
    slice_end: u64,
    other: (u64, u16),
}

impl Sched {
    /// Idle CPUs.
    pub fn new(cpus: usize) -> Self {
        Self {
            cpus: (0..cpus).map(|_| Cpu::new()).collect(),
            attention: false,
            wakes: Vec::new(),
            ended: false,
            slice_end: 0,
            other: (u64::MAX, 0),
        }
    }

    /// When the running task leaves its CPU, by [`Kind`] of the point it is behind, ns.
    pub fn deadlines(&self) -> [u64; 3] {
        let mut at = [u64::MAX; 3];
        at[Kind::Plain as usize] = self.slice_end;
        at[Kind::Yields as usize] = self.slice_end.min(self.other.0.saturating_add(1));
        at
    }

    /// The CPU with the fewest tasks among `cpus` (the first of equals).
    pub fn place(&self, cpus: impl Iterator<Item = u16>) -> u16 {
        cpus.min_by_key(|&c| (self.cpus[c as usize].placed, c))
            .unwrap_or(0)
    }

    /// Puts a task on its CPU's queue; an idle CPU starts it no earlier than `at`.
    pub fn enqueue(&mut self, task: u32, cpu: u16, at: u64, running_on: u16) {
        let c = &mut self.cpus[cpu as usize];
        if c.is_idle() {
            c.now = c.now.max(at);
        }
        c.queue.push_back(task);
        if cpu != running_on {
            self.other = self.other.min((self.cpus[cpu as usize].now, cpu));
        }
    }

    /// Lets a task sleep until `at`.
    pub fn sleep_until(&mut self, task: u32, cpu: u16, at: u64) {
        let timers = &mut self.cpus[cpu as usize].timers;
        let place = timers.partition_point(|&(t, id)| (t, id) > (at, task));
        timers.insert(place, (at, task));
    }

    /// The running task of `cpu` leaves it.
    pub fn leave(&mut self, cpu: u16, is_irq: bool) {
        let c = &mut self.cpus[cpu as usize];
        if is_irq {
            c.in_irq = false;
        } else {
            c.current = NONE;
        }
    }

    /// Chooses who runs next: returns (cpu, task, time), or none when nothing will.
    pub fn pick(&mut self, switch_ns: u32) -> Option<(u16, u32, u64)> {
        let (mut best, mut second) = ((u64::MAX, 0), (u64::MAX, 0));
        for (i, c) in (0u16..).zip(&self.cpus) {
            let key = (c.key(), i);
            if key.0 < best.0 {
                second = best;
                best = key;
            } else if key.0 < second.0 {
                second = key;
            }
        }
        let (time, cpu) = best;
        if time == u64::MAX {
            return None;
        }
        self.other = second;
        let c = &mut self.cpus[cpu as usize];
        c.now = time;
        let timer_due = c.timers.last().is_some_and(|&(at, _)| at <= time);
        if c.in_irq || timer_due {
            c.in_irq = true;
        } else {
            let turn_over = c.current != NONE && time - c.since >= TURN_NS;
            if turn_over && !c.queue.is_empty() {
                c.queue.push_back(c.current);
                c.current = NONE;
            }
            if c.current == NONE {
                c.current = c.queue.pop_front().unwrap_or(NONE);
                c.now += u64::from(switch_ns);
                c.since = c.now;
            }
        }
        self.slice_end = c.now + SLICE_NS;
        let task = if c.in_irq { c.irq_task } else { c.current };
        Some((cpu, task, c.now))
    }
}

points! {
    /// Program points of `hrtimer_interrupt`.
    HiPt {
        Expired 0 Hold "for each timer that has expired: wake its task";
        Done 0 Yields "return from the interrupt";
    }
}

/// The timer pseudo task of one CPU.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    pub fn point(&mut self, w: &mut World, cx: &mut Context) -> Flow {
        match self.pt {
            HiPt::Expired => {
                let timers = &mut w.sched.cpus[self.cpu as usize].timers;
                match timers.last().copied() {
                    Some((at, task)) if at <= w.now => {
                        timers.pop();
                        w.why(Why::Woken, [task, self.cpu.into(), 0, 0, 0, 0]);
                        w.wake(task);
                    }
                    _ => self.pt = HiPt::Done,
                }
                Flow::Next
            }
            HiPt::Done => {
                self.pt = HiPt::Expired;
                cx.sleep = Sleep::Wait;
                Flow::Sleep
            }
        }
    }

    /// Arguments and locals.
    pub fn locals(&self, _w: &World) -> Vec<Local> {
        vec![crate::show::number("cpu", self.cpu)]
    }
}

#[cfg(test)]
mod flip {
    use super::*;
    use crate::flip::flips;
    flips!(Cpu {
        now,
        current,
        since,
        in_irq,
        irq_task,
        queue,
        timers,
        placed
    });
    flips!(Sched {
        cpus,
        attention,
        wakes,
        ended,
        slice_end,
        other
    });
}
