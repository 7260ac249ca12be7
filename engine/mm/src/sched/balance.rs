//! Load balancing: moves tasks that wait for a busy CPU to another CPU (kernel/sched/fair.c, `load_balance`;
//! the rules and constants of 3.7).
//!
//! Modelled: a CPU that runs out of tasks searches immediately, level by level, if it is idle for
//! long enough on average (`idle_balance`). Every CPU also searches at its ticks, each level at its
//! own interval, busy CPUs less often. After too many failures the running task is pushed. `group`
//! finds the queue to take from, `take` moves tasks.
//! Left out: the balancer for CPUs whose tick has stopped (here no tick stops), asymmetric packing,
//! SMT, bandwidth, real-time tasks, shares of groups, `next_balance` of a queue: each tick checks
//! whether a level is due. The search takes no time beyond that of the tick.
//! Visible difference: wake-up bursts on a nearly idle machine; rates of moves below a tick.
//! Invariants: nothing here runs on a machine without threads; a task that is bound to a node stays
//! there; balancing does not change the number of tasks.

mod autonuma;
pub mod group;
mod idle;
mod numa_core;
mod push;
pub mod take;

use crate::frames::{Context, Flow, Frame, Up, room};
use crate::numa::core::balance::Round;
use crate::numa::tick::core_rules;
use crate::record::{Declared, decisions, events};
use crate::sched::domains::{Domain, PREFER_SIBLING};
use crate::world::World;
use facts::index::{CpuIndex, TaskIndex};
use facts::state::State;
use group::{Found, Search};
use take::{Verdict, chosen};

pub use autonuma::BalancePlaced;
pub use idle::IdleTooShort;
pub use numa_core::{BalanceBuddy, BalanceConverged, BalanceShared};
pub use push::{PushAsked, Pushed};

/// A level whose tasks may not run elsewhere is balanced at least this often, ms (`MAX_PINNED_INTERVAL`).
const MAX_PINNED_MS: u32 = 512;

/// Why a CPU searches for tasks (`enum cpu_idle_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub enum Idle {
    /// The CPU searches at a tick, while it has a task.
    #[state(rest)]
    Busy,
    /// The CPU searches at a tick, while it has no task.
    Idle,
    /// The CPU has just run out of tasks.
    Newly,
}

/// Result of `load_balance`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Balanced {
    /// Another CPU of the group balances this level and the levels above it.
    NotOurs,
    /// Nothing was moved.
    Nothing,
    /// Tasks were moved.
    Moved,
}

events! {
    /// A waiting task was moved to another CPU.
    SchedMigrateTask "sched_migrate_task" from "include/trace/events/sched.h" { task: Task, orig_cpu: Cpu, dest_cpu: Cpu };
}

decisions! {
    BalanceNobody { cpu: Cpu, level: Count, tasks: Count, cpus: Count }
        "{cpu} balances level {level}. Its group has {tasks task} on {cpus CPU}, and no other group is overloaded or has queues that differ by more than one task.";
    BalanceHere { cpu: Cpu, level: Count, ours: Count, theirs: Count, average: Count }
        "{cpu} takes no task at level {level}: load {ours} here is not below both load {theirs} there and the average {average}.";
    BalanceIdle { cpu: Cpu, level: Count, ours: Count, theirs: Count, tasks: Count, cpus: Count }
        "{cpu} takes no task at level {level}: its group is not two idle CPUs ahead ({ours} to {theirs}), and the other has no more tasks than CPUs ({tasks} to {cpus}).";
    BalanceWithin { cpu: Cpu, level: Count, ours: Count, theirs: Count, percent: Count }
        "{cpu} takes no task at level {level}: load {theirs} there is not above {percent} percent of load {ours} here.";
    BalanceNoQueue { cpu: Cpu, level: Count, imbalance: Count }
        "{cpu} takes no task at level {level}: every queue there has one task, which is heavier than the imbalance of {imbalance}.";
    BalancePinned { cpu: Cpu, level: Count, busiest: Cpu }
        "{cpu} takes no task at level {level}: none that waits on {busiest} or on another busy CPU may run here.";
    BalanceTake { cpu: Cpu, level: Count, busiest: Cpu, ours: Count, theirs: Count, average: Count, imbalance: Count }
        "{cpu} balances level {level}: load {ours} here compares with {theirs} there and {average} on average, so it may take {imbalance} from {busiest}.";
    BalanceHot { task: Task, cpu: Cpu, ran: Count, least: Count }
        "{task} ran {ran} ns ago, less than {least}: it is cache-hot and does not move to {cpu}.";
    BalanceBound { task: Task, cpu: Cpu }
        "{task} may not run on {cpu}: it stays.";
    BalanceFailed { cpu: Cpu, level: Count, failed: Count, most: Count }
        "{cpu} balances level {level}, but could move no task {failed time} in a row. Once the count exceeds {most}, the running task is pushed.";
}

room! {
    LoadBalance: "load_balance" in "kernel/sched/fair.c";
    Simplified "The rules of 3.7 for every kernel; all tasks have the same weight; no power, groups of tasks or real-time tasks.";
    LbPt {
        Find 0 Hold "find_busiest_group(): whom to take from";
        Take 0 Hold "move_tasks(): waiting tasks, up to the imbalance";
        Push 0 Hold "none moved: count it, perhaps push the running task";
        Moved 0 Hold "tasks moved: search again soon";
    }
    locals(self, w) {
        cpu: number(self.cpu.get());
        level: number(self.level);
        busiest: number(self.busiest.get()) if self.pt != LbPt::Find;
        imbalance: number(self.imbalance) if self.pt != LbPt::Find;
    }
}

/// Balances one level of one CPU at a tick.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct LoadBalance {
    /// Current program point.
    pub pt: LbPt,
    /// CPU that searches.
    pub cpu: CpuIndex,
    /// The level; 0 is the innermost.
    pub level: u8,
    /// Why the CPU searches.
    pub idle: Idle,
    /// The CPU from which tasks are taken.
    pub busiest: CpuIndex,
    /// Load to move.
    pub imbalance: u32,
}

impl LoadBalance {
    /// Frame of a call that balances a level of a CPU.
    pub fn call(cpu: CpuIndex, level: u8, idle: Idle) -> Frame {
        Frame::LoadBalance(Self {
            pt: LbPt::Find,
            cpu,
            level,
            idle,
            busiest: CpuIndex::new(0),
            imbalance: 0,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        let look = Look {
            cpu: self.cpu,
            level: self.level,
            idle: self.idle,
        };
        let answer = match self.pt {
            LbPt::Find => match w.find_busiest(look) {
                Ok((busiest, imbalance)) => {
                    (self.busiest, self.imbalance) = (busiest, imbalance as u32);
                    self.pt = LbPt::Take;
                    return Flow::Next;
                }
                Err(balanced) => balanced,
            },
            LbPt::Take => {
                let moved = w.move_tasks(look, self.busiest, self.imbalance.into());
                self.pt = if moved > 0 { LbPt::Moved } else { LbPt::Push };
                return Flow::Next;
            }
            LbPt::Push => {
                w.could_not_move(look, self.busiest);
                Balanced::Nothing
            }
            LbPt::Moved => {
                w.have_moved(look);
                Balanced::Moved
            }
        };
        cx.ret = answer as u32;
        Flow::Ret
    }
}

/// A search for tasks at one level of a CPU.
#[derive(Debug, Clone, Copy)]
struct Look {
    cpu: CpuIndex,
    level: u8,
    idle: Idle,
}

impl World {
    /// May a task run on a CPU? kswapd may run on the CPUs of its node, others on the CPUs of their
    /// mask.
    pub fn may_run(&self, task: TaskIndex, cpu: CpuIndex) -> bool {
        if let Some(mask) = self.sched.balance.mask_of(task) {
            return self.facts.cpu_masks[usize::from(mask)].contains(&cpu);
        }
        let node = self.facts.node_of_cpu[cpu];
        let kswapd = self.kswapd.entries().find(|(_, k)| k.task == task);
        kswapd.is_none_or(|(home, _)| home == node)
    }

    /// Tells load balancing that a task's CPU mask has changed.
    pub fn note_mask(&mut self, cx: &Context) {
        if self.facts.balances {
            let mask = self.facts.mask_in_force(cx);
            self.sched.balance.allow(cx.task, mask);
        }
    }

    /// The levels of a CPU, the innermost first.
    pub(crate) fn domains(&self, cpu: CpuIndex) -> &[Domain] {
        let node = self.facts.node_of_cpu[cpu];
        self.facts.domains.of_node(node)
    }

    /// Records the result of a search. A CPU that ran out of tasks searches after the point, so its
    /// record follows the point.
    fn tell<R: Declared>(&mut self, idle: Idle, declared: R) {
        match idle {
            Idle::Newly => self.record_behind(declared),
            Idle::Busy | Idle::Idle => self.record(declared),
        }
    }

    /// The CPU from which to take tasks, and how much load. If there is none, the level is balanced
    /// and will be searched half as often.
    fn find_busiest(&mut self, look: Look) -> Result<(CpuIndex, u64), Balanced> {
        let found = {
            let domains = self.domains(look.cpu);
            let level = usize::from(look.level);
            let below = level.checked_sub(1).map(|below| &domains[below]);
            let spreads = below.is_some_and(|below| below.has(PREFER_SIBLING));
            let has_rounds = self.has_rounds(look);
            let is_core = self.numa.on && core_rules(&self.facts.features).is_some();
            Search {
                sched: &self.sched,
                allowed: &|task, cpu| self.may_run(task, cpu),
                domain: &domains[level],
                spreads: spreads && !is_core,
                only_overfull: is_core && domains[level].is_numa(),
                passes_over: &|group, cpu| has_rounds && self.is_passed_over(group, cpu),
                cpu: look.cpu,
                idle: look.idle,
            }
            .run()
        };
        self.tell_found(look, &found);
        if let Found::Busiest(busiest) = found {
            return Ok((busiest.cpu, busiest.imbalance));
        }
        self.level(look).failed = 0;
        self.look_less_often(look, matches!(found, Found::Pinned { .. }));
        Err(match found {
            Found::NotOurs => Balanced::NotOurs,
            _ => Balanced::Nothing,
        })
    }

    fn tell_found(&mut self, look: Look, found: &Found) {
        let (cpu, level, idle) = (look.cpu, i64::from(look.level), look.idle);
        match *found {
            Found::NotOurs => {}
            Found::Nobody { ours } => {
                let (tasks, cpus) = (ours.tasks as i64, ours.cpus as i64);
                self.tell(
                    idle,
                    BalanceNobody {
                        cpu,
                        level,
                        tasks,
                        cpus,
                    },
                );
            }
            Found::LoadHere {
                ours,
                theirs,
                average,
            } => self.tell(
                idle,
                BalanceHere {
                    cpu,
                    level,
                    ours: ours.load as i64,
                    theirs: theirs.load as i64,
                    average: average as i64,
                },
            ),
            Found::IdleThere { ours, theirs } => self.tell(
                idle,
                BalanceIdle {
                    cpu,
                    level,
                    ours: ours.idle_cpus as i64,
                    theirs: theirs.idle_cpus as i64,
                    tasks: theirs.tasks as i64,
                    cpus: theirs.cpus as i64,
                },
            ),
            Found::Within { ours, theirs } => {
                let percent = self.domains(cpu)[usize::from(look.level)].imbalance_pct;
                self.tell(
                    idle,
                    BalanceWithin {
                        cpu,
                        level,
                        ours: ours.load as i64,
                        theirs: theirs.load as i64,
                        percent: percent.into(),
                    },
                );
            }
            Found::NoQueue { imbalance } => {
                let imbalance = imbalance as i64;
                self.tell(
                    idle,
                    BalanceNoQueue {
                        cpu,
                        level,
                        imbalance,
                    },
                );
            }
            Found::Pinned { busiest } => self.tell(
                idle,
                BalancePinned {
                    cpu,
                    level,
                    busiest,
                },
            ),
            Found::Busiest(b) => self.tell(
                idle,
                BalanceTake {
                    cpu,
                    level,
                    busiest: b.cpu,
                    ours: b.ours.load as i64,
                    theirs: b.theirs.load as i64,
                    average: b.average as i64,
                    imbalance: b.imbalance as i64,
                },
            ),
        }
    }

    /// Moves waiting tasks of another queue to this one. Returns their number.
    fn move_tasks(&mut self, look: Look, busiest: CpuIndex, imbalance: u64) -> u32 {
        let tries = self.domains(look.cpu)[usize::from(look.level)].cache_nice_tries;
        let hot_too = self.level(look).failed > tries;
        let unmovable = self.kept_tasks(look, busiest);
        let choose = |is_looked_at: &dyn Fn(TaskIndex) -> bool| {
            let looked_at = |task: TaskIndex| !unmovable.contains(&task) && is_looked_at(task);
            // v17 checks cache-hotness only for tasks of unknown status.
            let is_known = |task| self.has_rounds(look) && self.shared_of(task).is_some();
            let hot_too =
                |task: TaskIndex| hot_too || self.goes_to_buddy(look, task) || is_known(task);
            let allowed = |task| self.may_run(task, look.cpu);
            let queue = (busiest, imbalance);
            chosen(&self.sched, looked_at, allowed, queue, (self.now, &hot_too))
        };
        let moves = |verdicts: &Vec<(TaskIndex, Verdict)>| {
            verdicts
                .iter()
                .any(|(_, verdict)| matches!(verdict, Verdict::Moves))
        };
        let all = |_| true;
        let verdicts = if self.has_rounds(look) {
            let of_round = |&round: &Round| choose(&|task| self.is_of_round(task, busiest, round));
            let mut rounds = Round::ALL.iter().map(of_round);
            rounds.find(moves).unwrap_or_else(|| choose(&all))
        } else if let Some(auto) = self.autonuma() {
            let placed_here = choose(&|task| self.placed_elsewhere(task, look.cpu).is_none());
            if moves(&placed_here) || auto.strict && look.idle == Idle::Busy {
                self.tell_placed(look, busiest);
                placed_here
            } else {
                choose(&all)
            }
        } else {
            choose(&all)
        };
        let mut moved = 0;
        for (task, verdict) in verdicts {
            match verdict {
                Verdict::Moves => {
                    self.move_task(look.idle, task, busiest, look.cpu, self.now);
                    moved += 1;
                }
                Verdict::Hot(ran) => self.tell(
                    look.idle,
                    BalanceHot {
                        task,
                        cpu: look.cpu,
                        ran: ran as i64,
                        least: super::load::MIGRATION_COST_NS as i64,
                    },
                ),
                Verdict::Pinned => self.tell(
                    look.idle,
                    BalanceBound {
                        task,
                        cpu: look.cpu,
                    },
                ),
            }
        }
        moved
    }

    /// Waiting tasks of a queue that numa/core does not allow to leave.
    fn kept_tasks(&mut self, look: Look, busiest: CpuIndex) -> Vec<TaskIndex> {
        if !self.numa.on || core_rules(&self.facts.features).is_none() {
            return Vec::new();
        }
        let waiting = self.sched.cpus[busiest].queue.clone();
        let unmovable = waiting
            .into_iter()
            .filter(|&task| self.is_kept(look, task, busiest));
        unmovable.collect()
    }

    /// Moves a waiting task from one queue to another. The task's new CPU is recorded after the
    /// point.
    fn move_task(&mut self, idle: Idle, task: TaskIndex, from: CpuIndex, to: CpuIndex, at: u64) {
        self.sched.migrate(task, from, to, at, self.cpu);
        self.tell(
            idle,
            SchedMigrateTask {
                task,
                orig_cpu: from,
                dest_cpu: to,
            },
        );
        self.need_attention();
    }

    /// Resets the interval of the level to the minimum, because tasks were moved.
    fn have_moved(&mut self, look: Look) {
        let least = self.domains(look.cpu)[usize::from(look.level)].min_ms;
        let level = self.level(look);
        (level.failed, level.interval_ms) = (0, least);
    }

    fn level(&mut self, look: Look) -> &mut super::load::LevelState {
        let cpu = &mut self.sched.balance.cpus[look.cpu];
        &mut cpu.levels[usize::from(look.level)]
    }

    /// Doubles the interval until a level is searched again.
    fn look_less_often(&mut self, look: Look, pinned: bool) {
        let most = self.domains(look.cpu)[usize::from(look.level)].max_ms;
        let level = self.level(look);
        if level.interval_ms < most || pinned && level.interval_ms < MAX_PINNED_MS {
            level.interval_ms *= 2;
        }
    }
}
