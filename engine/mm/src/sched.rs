//! CPUs, their clocks, run queues and timers (kernel/sched/fair.c).
//!
//! Modelled: time is kept per CPU; the machine runs the CPU with the least (time, cpu) and keeps
//! running its task until a yield point. Tasks of one CPU share it by virtual runtime: the one
//! that ran least is next, a waking one preempts, turns shrink as more wait and end with a tick.
//! Interrupts go first.
//! User, system, idle and I/O-wait time are counted per CPU.
//! Left out: priorities, groups, and balancing but for a waking task that takes an idle CPU of its
//! node.
//! Who could tell: a runnable task is never pulled off a busy CPU.
//! Invariants: the scheduler acts only at yield points and at sleeps, never because someone
//! stopped to look; a waiting task is on no queue, a runnable one on exactly one.

use crate::frames::{Context, Flow, Frame, Kind, NONE, Sleep, Up, room};
use crate::record::decisions;
use crate::world::World;
use facts::state::State;

/// A task leaves its CPU to an earlier one at the latest after this much virtual time.
pub const SLICE_NS: u64 = 10_000;
/// `sysctl_sched_latency` on one CPU: every task of a queue gets a turn within it.
const LATENCY_NS: u64 = 6_000_000;
/// `sysctl_sched_min_granularity` on one CPU: no turn is shorter.
const MIN_GRANULARITY_NS: u64 = 750_000;
/// `sysctl_sched_wakeup_granularity` on one CPU: how far behind a waking task must be to preempt.
const WAKEUP_GRANULARITY_NS: u64 = 1_000_000;

/// How a CPU's time was used, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, State)]
pub struct Usage {
    /// In user mode.
    pub user: u64,
    /// Idle, with no task waiting for I/O.
    pub idle: u64,
    /// Idle while a task that ran here waits for I/O.
    pub iowait: u64,
}

/// One CPU.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Cpu {
    /// Its clock, ns.
    pub now: u64,
    /// Task it runs, [`NONE`] when idle.
    pub current: u32,
    /// When `current` got the CPU, interrupts taken off.
    since: u64,
    /// Pseudo task whose interrupt is being handled, [`NONE`] for none.
    irq: u32,
    /// When that began.
    irq_since: u64,
    /// Interrupts of devices to come, with the pseudo task that handles each, latest first.
    interrupts: Vec<(u64, u32)>,
    /// Its timer pseudo task.
    pub irq_task: u32,
    /// Runnable tasks that wait for their turn.
    queue: Vec<u32>,
    /// Sleepers by wake-up time, latest first.
    timers: Vec<(u64, u32)>,
    /// Tasks placed here.
    pub placed: u32,
    /// Least virtual runtime a task of this queue may have; only grows.
    min_vruntime: u64,
    /// Somebody who ran less was woken.
    resched: bool,
    /// Tasks that ran here and wait for I/O.
    pub nr_iowait: u32,
    /// How its time was used.
    pub usage: Usage,
}

impl Cpu {
    fn new() -> Self {
        Self {
            now: 0,
            current: NONE,
            since: 0,
            irq: NONE,
            irq_since: 0,
            interrupts: Vec::new(),
            irq_task: NONE,
            queue: Vec::new(),
            timers: Vec::new(),
            placed: 0,
            min_vruntime: 0,
            resched: false,
            nr_iowait: 0,
            usage: Usage::default(),
        }
    }

    fn is_busy(&self) -> bool {
        self.irq != NONE || self.current != NONE || !self.queue.is_empty()
    }

    /// When the next timer expires or device interrupts; `u64::MAX` for never.
    fn next_interrupt(&self) -> u64 {
        let first = |list: &[(u64, u32)]| list.last().map_or(u64::MAX, |&(at, _)| at);
        first(&self.timers).min(first(&self.interrupts))
    }

    /// When it has something to do next; `u64::MAX` for never.
    #[inline(always)]
    fn key(&self) -> u64 {
        if self.is_busy() {
            return self.now;
        }
        self.next_interrupt().max(self.now)
    }

    /// True when nothing runs or waits to run here.
    #[inline]
    pub fn is_idle(&self) -> bool {
        !self.is_busy()
    }

    /// Its clock moves to `at` with nothing to do.
    fn idle_until(&mut self, at: u64) {
        let gap = at.saturating_sub(self.now);
        if self.nr_iowait > 0 {
            self.usage.iowait += gap;
        } else {
            self.usage.idle += gap;
        }
        self.now += gap;
    }

    /// Tasks that are runnable or running here.
    pub fn runnable(&self) -> impl Iterator<Item = u32> + '_ {
        self.queue
            .iter()
            .copied()
            .chain((self.current != NONE).then_some(self.current))
    }

    /// Will this device interrupt here, or is its interrupt being handled?
    pub fn expects(&self, task: u32) -> bool {
        self.irq == task || self.interrupts.iter().any(|&(_, t)| t == task)
    }

    /// Tasks that sleep on a timer here, with their wake-up times.
    pub fn sleepers(&self) -> &[(u64, u32)] {
        &self.timers
    }

    /// At its last tick, had `current` run for longer than its turn, or got further than that ahead
    /// of the task that ran least (`check_preempt_tick`)? Nobody looks between ticks.
    fn turn_is_over(&self, vruntime: &[u64], tick_ns: u64, factor: u64) -> bool {
        let tick = self.now - self.now % tick_ns;
        let ran = tick.saturating_sub(self.since);
        if ran < MIN_GRANULARITY_NS * factor {
            return false;
        }
        let least = vruntime[self.queue[self.least(vruntime)] as usize];
        let ahead = (vruntime[self.current as usize] + ran).saturating_sub(least);
        ran.max(ahead) > self.turn(factor)
    }

    /// Place in the queue of the task that ran least.
    fn least(&self, vruntime: &[u64]) -> usize {
        let least = (0..self.queue.len())
            .min_by_key(|&i| (vruntime[self.queue[i] as usize], self.queue[i]));
        least.unwrap_or(0)
    }

    /// How long `current` may run while others wait (`sched_slice`).
    fn turn(&self, factor: u64) -> u64 {
        let tasks = self.queue.len() as u64 + 1;
        (LATENCY_NS / tasks).max(MIN_GRANULARITY_NS) * factor
    }
}

/// The scheduler.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Sched {
    /// CPUs by id.
    pub cpus: Vec<Cpu>,
    /// Wakes or births wait to be granted.
    pub attention: bool,
    /// Tasks to wake at the end of this point.
    pub wakes: Vec<u32>,
    /// Nothing will ever run again, or the experiment's length is reached.
    pub ended: bool,
    /// Virtual runtime of each task, ns.
    vruntime: Vec<u64>,
    /// Time each task has had a CPU, ns (`sum_exec_runtime`).
    ran: Vec<u64>,
    /// When each CPU has something to do next, ns; of the running one as it was when it was
    /// chosen.
    keys: Vec<u64>,
    slice_end: u64,
    /// The CPU that is next after the running one, and when.
    other: (u64, u16),
    /// No CPU but those two has anything to do before this.
    rest: u64,
    /// From one tick to the next.
    tick_ns: u64,
}

impl Sched {
    /// Idle CPUs, with so many ticks a second.
    pub fn new(cpus: usize, hz: u32) -> Self {
        Self {
            cpus: (0..cpus).map(|_| Cpu::new()).collect(),
            attention: false,
            wakes: Vec::new(),
            ended: false,
            vruntime: Vec::new(),
            ran: Vec::new(),
            keys: vec![u64::MAX; cpus],
            slice_end: 0,
            other: (u64::MAX, 0),
            rest: 0,
            tick_ns: (1_000_000_000 / hz).into(),
        }
    }

    /// By how much the scheduler's times grow with the CPUs (`get_update_sysctl_factor`): one and
    /// the logarithm of at most eight.
    fn factor(&self) -> u64 {
        factor(self.cpus.len())
    }

    /// Time a task has had a CPU before it last got one, interrupts taken off, ns.
    pub fn ran(&self, task: u32) -> u64 {
        self.ran.get(task as usize).copied().unwrap_or(0)
    }

    /// CPU time of a task up to now (`task_sched_runtime`), ns; `running` is the CPU that runs and its
    /// time. Interrupts are taken off.
    pub fn cpu_time(&self, task: u32, running: (u16, u64)) -> u64 {
        let stretch = |(cpu, c): (u16, &Cpu)| {
            let now = if cpu == running.0 {
                running.1.max(c.now)
            } else {
                c.now
            };
            let until = if c.irq == NONE { now } else { c.irq_since };
            until.saturating_sub(c.since)
        };
        let mut cpus = (0u16..).zip(&self.cpus);
        let current = cpus.find(|(_, c)| c.current == task);
        self.ran(task) + current.map_or(0, stretch)
    }

    /// Is it known when this CPU has something to do next? Of the running one that is not kept.
    pub fn knows(&self, cpu: usize) -> bool {
        self.keys[cpu] == self.cpus[cpu].key()
    }

    /// Has no CPU but the running one and the next anything to do before it is said to?
    pub fn bounds(&self, running: u16) -> bool {
        let spared = [running, self.other.1];
        (0u16..)
            .zip(&self.keys)
            .all(|(cpu, &key)| spared.contains(&cpu) || key >= self.rest)
    }

    /// A CPU has something to do next at `key`: who is first has to be looked for.
    fn note(&mut self, cpu: u16, key: u64) {
        self.keys[cpu as usize] = key;
        self.rest = 0;
    }

    /// Forgets when a CPU has something to do next: a bug to plant in tests.
    #[doc(hidden)]
    pub fn forget(&mut self, cpu: usize) {
        self.keys[cpu] = 0;
    }

    /// Takes all CPUs but two for idle for ever: a bug to plant in tests.
    #[doc(hidden)]
    pub fn ignore_rest(&mut self) {
        self.rest = u64::MAX;
    }

    /// When the running task of `cpu` leaves it, by [`Kind`] of the point it is behind, ns.
    #[inline(always)]
    pub fn deadlines(&self, cpu: u16) -> [u64; 3] {
        let mut at = [u64::MAX; 3];
        at[Kind::Plain as usize] = self.slice_end;
        at[Kind::Yields as usize] = self.slice_end.min(self.other.0.saturating_add(1));
        let c = &self.cpus[cpu as usize];
        if c.irq == NONE && c.resched {
            at[Kind::Yields as usize] = 0;
        }
        at
    }

    /// The CPU with the fewest tasks among `cpus` (the first of equals).
    pub fn place(&self, cpus: impl Iterator<Item = u16>) -> u16 {
        cpus.min_by_key(|&c| (self.cpus[c as usize].placed, c))
            .unwrap_or(0)
    }

    /// Puts a task on its CPU's queue; an idle CPU starts it no earlier than `at`. A task that
    /// ran much less than the current one will preempt it (`enqueue_entity`, `place_entity`,
    /// `check_preempt_wakeup`).
    pub fn enqueue(&mut self, task: u32, cpu: u16, at: u64, running_on: u16) {
        let factor = self.factor();
        let id = task as usize;
        if self.vruntime.len() <= id {
            self.vruntime.resize(id + 1, 0);
            self.ran.resize(id + 1, 0);
        }
        let c = &mut self.cpus[cpu as usize];
        if c.is_idle() {
            c.idle_until(at);
        }
        // A sleeper gets half a latency's bonus, not all the time it slept.
        let floor = c.min_vruntime.saturating_sub(LATENCY_NS * factor / 2);
        self.vruntime[id] = self.vruntime[id].max(floor);
        c.queue.push(task);
        if c.current != NONE {
            let ran = c.now.max(at).saturating_sub(c.since);
            let current = self.vruntime[c.current as usize] + ran;
            let gran = WAKEUP_GRANULARITY_NS * factor;
            c.resched |= current > self.vruntime[id] + gran;
        }
        let key = c.key();
        self.note(cpu, key);
        if cpu != running_on {
            self.other = self.other.min((self.cpus[cpu as usize].now, cpu));
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

    /// The running task of `cpu` leaves it at `now`.
    pub fn leave(&mut self, cpu: u16, now: u64) {
        let c = &mut self.cpus[cpu as usize];
        if c.irq != NONE {
            // The interrupted task did not run meanwhile.
            c.since += now - c.irq_since;
            c.irq = NONE;
            return;
        }
        if c.current != NONE {
            let ran = now.saturating_sub(c.since);
            self.vruntime[c.current as usize] += ran;
            self.ran[c.current as usize] += ran;
        }
        c.current = NONE;
    }

    /// `cpu`, which ran until `now`, makes room: chooses who runs next. Returns (cpu, task,
    /// time), or none, and nothing is chosen, when nobody has anything to do before `end`.
    pub fn pick(
        &mut self,
        cpu: u16,
        now: u64,
        end: u64,
        switch_ns: u32,
    ) -> Option<(u16, u32, u64)> {
        let ran = &mut self.cpus[cpu as usize];
        ran.now = ran.now.max(now);
        let key = ran.key();
        self.keys[cpu as usize] = key;
        let (time, cpu) = self.first((key, cpu));
        if time >= end {
            return None;
        }
        let cpus = self.cpus.len();
        let c = &mut self.cpus[cpu as usize];
        if time > c.now {
            c.idle_until(time);
        }
        let due = |list: &[(u64, u32)]| list.last().is_some_and(|&(at, _)| at <= time);
        if c.irq == NONE && (due(&c.interrupts) || due(&c.timers)) {
            c.irq = match due(&c.interrupts) {
                true => c.interrupts.pop().map_or(NONE, |(_, task)| task),
                false => c.irq_task,
            };
            c.irq_since = time;
        }
        if c.irq == NONE {
            let of = (self.vruntime.as_mut_slice(), self.ran.as_mut_slice());
            choose(c, of, self.tick_ns, cpus, switch_ns);
        }
        self.slice_end = c.now + SLICE_NS;
        let task = if c.irq != NONE { c.irq } else { c.current };
        Some((cpu, task, c.now))
    }

    /// The first CPU to have something to do, and when, with the one after it in `other`; `ran` is
    /// the one that makes room. Most often two CPUs take turns, and no other need be asked.
    #[inline(always)]
    fn first(&mut self, ran: (u64, u16)) -> (u64, u16) {
        let other = self.other;
        if ran.0 >= self.rest || (other.0 >= self.rest && other.0 != u64::MAX) {
            return self.search();
        }
        self.other = ran.max(other);
        ran.min(other)
    }

    #[inline(never)]
    fn search(&mut self) -> (u64, u16) {
        let (mut best, mut second, mut rest) = ((u64::MAX, 0), (u64::MAX, 0), u64::MAX);
        for (i, &key) in (0u16..).zip(&self.keys) {
            if key < best.0 {
                (rest, second, best) = (second.0, best, (key, i));
            } else if key < second.0 {
                (rest, second) = (second.0, (key, i));
            } else if key < rest {
                rest = key;
            }
        }
        (self.other, self.rest) = (second, rest);
        best
    }
}

/// [`Sched::factor`] with so many CPUs.
fn factor(cpus: usize) -> u64 {
    1 + u64::from(cpus.clamp(1, 8).ilog2())
}

/// Gives a CPU to the task that ran least, if its turn has come (`pick_next_entity`,
/// `check_preempt_tick`).
fn choose(
    c: &mut Cpu,
    (vruntime, ran): (&mut [u64], &mut [u64]),
    tick_ns: u64,
    cpus: usize,
    switch_ns: u32,
) {
    if c.queue.is_empty() {
        c.resched = false;
        return;
    }
    let factor = factor(cpus);
    if c.current != NONE {
        if !c.resched && !c.turn_is_over(vruntime, tick_ns, factor) {
            return;
        }
        let since = c.now.saturating_sub(c.since);
        vruntime[c.current as usize] += since;
        ran[c.current as usize] += since;
        c.queue.push(c.current);
    }
    c.resched = false;
    let next = c.queue.swap_remove(c.least(vruntime));
    c.min_vruntime = c.min_vruntime.max(vruntime[next as usize]);
    if next != c.current {
        c.now += u64::from(switch_ns);
    }
    (c.current, c.since) = (next, c.now);
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
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Two tasks of one CPU at 250 ticks a second, one of which began to run at `since`.
    fn shared(since: u64) -> Cpu {
        let mut c = Cpu::new();
        (c.current, c.since) = (0, since);
        c.queue.push(1);
        c
    }

    /// With two tasks a turn is 3 ms, and the tick that finds it over comes every 4.
    #[test]
    fn a_turn_ends_with_the_tick_that_finds_it_over() {
        let is_over = |since: u64, now: u64, vruntime: [u64; 2]| {
            let mut c = shared(since);
            c.now = now;
            c.turn_is_over(&vruntime, 4 * MS, 1)
        };
        assert!(!is_over(0, 4 * MS - 1, [0, 0]));
        assert!(is_over(0, 4 * MS, [0, 0]));
        // 2 ms at the first tick after 10 ms, 6 at the next.
        assert!(!is_over(10 * MS, 12 * MS, [0, 0]));
        assert!(!is_over(10 * MS, 15 * MS, [0, 0]));
        assert!(is_over(10 * MS, 16 * MS, [0, 0]));
        // Or when it is further ahead than a turn, but not in its first 0.75 ms.
        assert!(is_over(10 * MS, 12 * MS, [2 * MS, 0]));
        assert!(!is_over(11_500_000, 12 * MS, [9 * MS, 0]));
    }
}
