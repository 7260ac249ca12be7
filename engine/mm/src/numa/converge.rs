//! How numa/core finds the node of a task's memory (kernel/sched/fair.c: `task_numa_placement`,
//! `sched_rebalance_to`, as posted in November 2012).
//!
//! Modelled: v17 places a task once per pass; v18 once per second and after each pass, one CPU at a
//! time. Placement computes averages, the task's buddy, its convergence, whether it shares its
//! memory, the CPU it should run on by the rules of [`core`](super::core), and the mask over which
//! its shared memory is interleaved. The task moves to that CPU, or exchanges CPUs with the task
//! that runs there. The move is a push, as in load balancing.
//! Left out: moves on machines whose workload has no threads; in v17, a task restarts its count of
//! passes on each CPU it reaches; v17's pulls of random tasks ("statistical" balancing). v17 places
//! inside the fault; here it happens when the task returns to user mode.
//! Visible difference: tasks of v17 that are well placed by luck.
//! Invariants: a flip leaves the length of both queues unchanged, unless one of the two tasks
//! sleeps before its push.

mod verdicts;

pub use verdicts::*;

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::kernel::CoreRules;
use crate::numa::core::Verdict;
use crate::numa::core::layout::{Layout, Member, Mover, Runs, Seat};
use crate::numa::core::placement::{Placement, Totals};
use crate::numa::core::rules::{Average, MaskRule, Rules};
use crate::numa::core::when;
use crate::numa::tick::{core_rules, periods_ms};
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, TaskIndex};
use facts::state::State;

decisions! {
    NumaStrength { task: Task, best: Node, faults: Count, all: Count, strength: Count }
        "On average over passes, {task} had {faults} of its {all fault} on {best}: its convergence strength is {strength} of 1,024.";
    NumaSettling { task: Task, passes: Count }
        "{task} is not placed yet. Its status or node changed {passes pass} ago, and 2 passes are required.";
    NumaKind { task: Task, was: Flag, shared: Flag, shared_faults: Count, private_faults: Count }
        "On average over passes, {task} had {shared_faults shared fault} and {private_faults private fault}. It shared its memory before: {was}. It shares it now: {shared}.";
    NumaProposed { task: Task, cpu: Cpu }
        "{cpu} is a new proposal for {task}: the task moves there only if it is proposed twice in a row.";
    NumaFollowed { task: Task, node: Node, faults: Count }
        "{task} now belongs on {node}: the kernel moves its {faults private fault} on other nodes to the count of that node.";
    NumaGoes { task: Task, cpu: Cpu, node: Node }
        "{task} will move to {cpu} of {node}.";
    NumaFlips { task: Task, other: Task, cpu: Cpu, node: Node }
        "{task} will move to {cpu} of {node}, and {other}, which runs there, will take its CPU in exchange.";
    NumaCannotGo { task: Task, cpu: Cpu }
        "{task} cannot move to {cpu}: it is not allowed to run there, or it is about to leave its CPU.";
}

/// The rules of a kernel, in the form used for placement.
fn rules_of(core: CoreRules) -> Rules {
    Rules {
        directed: core.directed,
        flips: core.flips,
        across_processes: core.groups,
        average: if core.directed {
            Average::Sixteenth
        } else {
            Average::Eighth
        },
        faults_follow: !core.directed,
        by_second: core.directed,
        measures: core.strength,
        vetoes: core.veto,
        adapts_scan: core.adaptive_scan,
        mask: if core.many_buddies {
            MaskRule::ManyBuddies
        } else {
            MaskRule::AnyBuddy
        },
        nice: core.nice_alloc,
        ends_overscan: core.directed,
    }
}

/// Number of pages that a scan may mark, depending on the convergence of its task.
pub(super) fn scan_pages(w: &World, task: TaskIndex) -> u32 {
    let of_4_kib = w.numa.tasks[task].core.convergence.scan_pages();
    (of_4_kib * 4 / w.facts.layout.geometry.page_kib() as u32).max(1)
}

/// Runs at a tick that finds this task on a CPU (v18). Requests a placement if it is this CPU's turn and,
/// since the last placement, a pass has ended or a second has begun.
pub(crate) fn tick(w: &mut World, task: TaskIndex, cpu: CpuIndex) {
    let Some(rules) = core_rules(&w.facts.features) else {
        return;
    };
    let Some(t) = w.numa.tasks.at(task) else {
        return;
    };
    if !w.numa.on || !rules.directed || t.process == NONE || t.placing {
        return;
    }
    let (jiffies, hz) = (w.jiffies(), u64::from(w.facts.hz));
    let seq = w.processes.all[t.process as usize].scan.seq;
    let is_turn = when::placing_cpu(jiffies, w.sched.cpus.len() as u16) == cpu;
    let pass_ended = seq != t.faults.scan_seq;
    if is_turn && when::is_due(pass_ended, t.core.placed_second, jiffies, hz) {
        w.numa.tasks[task].placing = true;
        w.add_task_work(task);
    }
}

/// Runs after a fault (v17). Requests a placement if a pass has ended since the last one.
pub(super) fn after_a_pass(w: &mut World, cx: &Context) {
    let seq = w.processes.all[cx.process as usize].scan.seq;
    let t = &mut w.numa.tasks[cx.task];
    if t.faults.scan_seq != seq && !t.placing {
        t.placing = true;
        w.add_task_work(cx.task);
    }
}

room! {
    TaskNumaPlacement: "task_numa_placement" in "kernel/sched/fair.c";
    Simplified "v17's pulls of random tasks are left out." if |f| crate::numa::tick::core_rules(f).is_some();
    NcPt {
        Average 0 Plain "average the faults by node, private and shared";
        Place 0 Plain "sched_update_ideal_cpu(): where should it run?";
        Go 0 Yields "sched_rebalance_to(): move there, perhaps flip";
    }
    locals(self, w) {
        shared_faults: number(self.shared);
        private_faults: number(self.private);
        ideal_cpu: number(self.cpu.get()) if !self.cpu.is_none();
    }
}

/// `task_numa_placement`.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct TaskNumaPlacement {
    /// Current program point.
    pub pt: NcPt,
    /// True if the task exchanges CPUs with the task on its target CPU.
    pub flips: bool,
    /// The CPU to which the task moves, `CpuIndex::NONE` for none.
    pub cpu: CpuIndex,
    /// Average of the task's shared faults, in pages.
    pub shared: u32,
    /// Average of the task's private faults, in pages.
    pub private: u32,
}

impl TaskNumaPlacement {
    /// Frame of a placement that has not started.
    pub fn call() -> Frame {
        Frame::NumaPlacement(Self {
            pt: NcPt::Average,
            flips: false,
            cpu: CpuIndex::NONE,
            shared: 0,
            private: 0,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, _up: Up<'_>) -> Flow {
        let Some(core) = core_rules(&w.facts.features) else {
            return Flow::Ret;
        };
        let rules = rules_of(core);
        match self.pt {
            NcPt::Average => self.average(w, cx, &rules),
            NcPt::Place => self.place(w, cx, &rules),
            NcPt::Go => {
                go(w, cx.task, self.cpu, self.flips);
                Flow::Ret
            }
        }
    }

    fn average(&mut self, w: &mut World, cx: &Context, rules: &Rules) -> Flow {
        let seq = w.processes.all[cx.process as usize].scan.seq;
        let second = when::second_of(w.jiffies(), w.facts.hz.into());
        let t = &mut w.numa.tasks[cx.task];
        t.faults.scan_seq = seq;
        t.core.placed_second = second;
        let totals = t.core.average(rules);
        t.core.converge(&totals, rules);
        t.core.buddy.end_pass();
        let strength = t.core.convergence.strength;
        let settles = t.core.settles(rules);
        let passes = t.core.settled.into();
        let limited = |pages: u64| u32::try_from(pages).unwrap_or(u32::MAX);
        (self.shared, self.private) = (limited(totals.shared), limited(totals.private));
        if let (true, Some((best, faults))) = (rules.measures, totals.best) {
            w.record(NumaStrength {
                task: cx.task,
                best,
                faults: faults as i64,
                all: (totals.shared + totals.private) as i64,
                strength: strength.into(),
            });
        }
        if !settles {
            w.record(NumaSettling {
                task: cx.task,
                passes,
            });
            return Flow::Ret;
        }
        self.pt = NcPt::Place;
        Flow::Next
    }

    fn place(&mut self, w: &mut World, cx: &Context, rules: &Rules) -> Flow {
        let task = cx.task;
        let totals = Totals {
            shared: self.shared.into(),
            private: self.private.into(),
            best: None,
        };
        let shared = w.numa.tasks[task].core.status(&totals);
        let layout = layout(w);
        let me = member(w, task);
        let (here, here_node) = (w.cpu, w.local_node());
        let mover = Mover {
            task: &me,
            cpu: here,
            node: here_node,
        };
        let verdict = super::core::ideal_cpu(&layout, mover, shared, rules);
        w.record(NumaKind {
            task,
            was: w.numa.tasks[task].core.shared == Some(true),
            shared,
            shared_faults: self.shared.into(),
            private_faults: self.private.into(),
        });
        verdicts::record(w, task, &verdict);
        let target = verdict.target(here);
        let node = w.facts.node_of_cpu[target.cpu];
        let (least, longest) = periods_ms(w, cx.process);
        let t = &mut w.numa.tasks[task];
        if let Verdict::Directed(_) | Verdict::MostBuddies(_) = verdict {
            t.core.mask = mask_of(&verdict);
        }
        let commit = t
            .core
            .commit(shared, (target.cpu, node), (here, here_node), rules);
        t.scan_period = commit.period.next(t.scan_period, (least, longest));
        if commit.waits {
            let cpu = target.cpu;
            w.record(NumaProposed { task, cpu });
        }
        if commit.followed > 0 {
            w.record(NumaFollowed {
                task,
                node,
                faults: commit.followed as i64,
            });
        }
        // A machine whose workload has no threads does not balance and moves no task.
        if !commit.goes || !w.facts.balances {
            return Flow::Ret;
        }
        (self.cpu, self.flips, self.pt) = (target.cpu, target.flips, NcPt::Go);
        Flow::Next
    }
}

/// The nodes over which a shared task's memory is interleaved, according to a verdict.
fn mask_of(verdict: &Verdict) -> u64 {
    match verdict {
        Verdict::Directed(directed) => directed.mask,
        Verdict::MostBuddies(most) => most.mask,
        Verdict::Private(_) | Verdict::MostIdle(_) => u64::MAX,
    }
}

/// The data of a task that the rules use.
pub(crate) fn member(w: &World, task: TaskIndex) -> Member {
    let t = &w.numa.tasks[task];
    let Placement {
        shared,
        ideal_cpu,
        ref buddy,
        ..
    } = t.core;
    Member {
        task,
        mm: t.process,
        shared,
        ideal_cpu,
        buddy: buddy.task,
        buddy_faults: buddy.faults,
    }
}

/// The current task of each CPU, with its load.
fn layout(w: &World) -> Layout {
    let seats = w.sched.cpus.entries().map(|(cpu, c)| {
        let is_known = |task: TaskIndex| {
            let t = w.numa.tasks.at(task);
            t.is_some_and(|t| t.process != NONE)
        };
        let runs = match c.current {
            TaskIndex::NONE => Runs::Idle,
            task if is_known(task) => Runs::Member(member(w, task)),
            _ => Runs::Other,
        };
        let now = w.sched.load(cpu);
        Seat {
            node: w.facts.node_of_cpu[cpu],
            runs,
            load: [now, w.sched.slow_load(cpu), now],
            claimed: w.sched.balance.cpus.iter().any(|c| c.push_to == cpu),
        }
    });
    Layout {
        nodes: w.facts.layout.nodes.len(),
        seats: seats.collect(),
    }
}

/// Moves the task to a CPU. In a flip, the task on that CPU moves to this one.
fn go(w: &mut World, task: TaskIndex, cpu: CpuIndex, flips: bool) {
    let here = w.cpu;
    let node = w.facts.node_of_cpu[cpu];
    let may = w.may_run(task, cpu) && !w.sched.is_to_push(here);
    if !may {
        w.record(NumaCannotGo { task, cpu });
        return;
    }
    let other = w.sched.cpus[cpu].current;
    let is_known = w
        .numa
        .tasks
        .get(other.index())
        .is_some_and(|t| t.process != NONE);
    if flips && is_known && w.may_run(other, here) && !w.sched.is_to_push(cpu) {
        w.record(NumaFlips {
            task,
            other,
            cpu,
            node,
        });
        w.ask_to_push(cpu, other, here);
    } else {
        w.record(NumaGoes { task, cpu, node });
    }
    w.ask_to_push(here, task, cpu);
}
