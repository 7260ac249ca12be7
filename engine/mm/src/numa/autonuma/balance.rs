//! Where the running task of a CPU should run, in AutoNUMA (kernel/sched/numa.c:
//! `sched_autonuma_balance`).
//!
//! Modelled: ten times per second each CPU that runs a task with faults compares this task's memory
//! with that of the tasks running on other nodes. If it helps both, two tasks exchange CPUs. The
//! task remembers its node, which load balancing and wake-ups prefer.
//! Left out: the stopper threads that move the tasks: here the interrupts of the two CPUs do it.
//! Also left out: random times; each CPU makes its first check one jiffy after the CPU before it.
//! Visible difference: which of two CPUs checks first, if both tasks want to move to the same
//! place.
//! Invariants: an exchange leaves the length of both queues unchanged, unless one of the two tasks
//! sleeps before its push.

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::numa::autonuma::{Choice, Compared, Runner, place, rules};
use crate::record::decisions;
use crate::world::World;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};
use facts::state::State;

/// Time between two checks of a CPU, ms (`sched_autonuma_balance_interval_millisecs`).
const INTERVAL_MS: u64 = 100;

decisions! {
    AutoNotReady { task: Task, node: Node, faults: Count, process: Count }
        "{task} has {faults fault}, and its process has {process}. Unless both have faults, there is nothing to compare: the task stays on {node}.";
    AutoPending { task: Task, cpu: Cpu }
        "{task} is about to leave {cpu}: AutoNUMA checks it later.";
    AutoHome { task: Task, node: Node, weight: Count, process: Count }
        "{task} stays on {node}: the node has the most memory of the task ({weight} of 1,000) and of its process ({process} of 1,000).";
    AutoNobody { task: Task, node: Node }
        "{task} stays on {node}: no task with faults on another node could exchange CPUs with it.";
    AutoStay { task: Task, other: Task, there: Count, theirs: Count, here: Count, threads: Flag }
        "{task} stays. Of 1,000 faults, it has {here} on its own node and {there} on the node of {other}, which has {theirs} there. Compared as threads of one process: {threads}.";
    AutoExchange { task: Task, other: Task, node: Node, there: Count, theirs: Count, here: Count, threads: Flag }
        "{task} and {other} exchange CPUs. Of 1,000 faults, {task} has {here} on its own node and {there} on {node}, where {other} has {theirs}. Compared as threads of one process: {threads}.";
    AutoAlone { task: Task, other: Task, cpu: Cpu }
        "{task} moves to {cpu} without an exchange: {other} no longer runs there or is about to leave.";
}

room! {
    SchedAutonumaBalance: "sched_autonuma_balance" in "kernel/sched/numa.c";
    Simplified "The interrupts of both CPUs move the tasks, not their stopper threads." if |f| f.numa_balancing.rules().is_some_and(|rules| rules.auto.is_some());
    SaPt {
        Ready 0 Hold "no faults yet, or about to move: nothing to compare";
        Weights 0 Hold "most memory of task and process is here: stay";
        Compare 0 Hold "for each task that runs on another node: who gains most?";
        Move 0 Hold "autonuma_balance_cpu_stop(): both change CPUs";
    }
    locals(self, w) {
        this_cpu: number(self.cpu.get());
        selected_cpu: number(self.to.get()) if self.pt == SaPt::Move;
    }
}

/// `sched_autonuma_balance` of a CPU.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct SchedAutonumaBalance {
    /// Current program point.
    pub pt: SaPt,
    /// CPU whose task is checked.
    pub cpu: CpuIndex,
    /// The target CPU of the task.
    pub to: CpuIndex,
    /// The task that runs on the target CPU.
    pub other: TaskIndex,
}

impl SchedAutonumaBalance {
    /// Frame of a check of a CPU.
    pub fn call(cpu: CpuIndex) -> Frame {
        Frame::AutonumaBalance(Self {
            pt: SaPt::Ready,
            cpu,
            to: CpuIndex::NONE,
            other: TaskIndex::NONE,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, _cx: &mut Context, _up: Up<'_>) -> Flow {
        let task = w.sched.cpus[self.cpu].current;
        match self.pt {
            SaPt::Ready => self.ready(w, task),
            SaPt::Weights => self.weights(w, task),
            SaPt::Compare => self.compare(w, task),
            SaPt::Move => {
                self.exchange(w, task);
                Flow::Ret
            }
        }
    }

    fn here(&self, w: &World) -> NodeIndex {
        w.facts.node_of_cpu[self.cpu]
    }

    fn ready(&mut self, w: &mut World, task: TaskIndex) -> Flow {
        let node = self.here(w);
        let known = &w.numa.tasks[task];
        let faults = known.auto.faults.total as i64;
        let process = w.processes.all[known.process as usize].auto.faults.total as i64;
        if faults == 0 || process == 0 {
            w.numa.tasks[task].auto.node = Some(node);
            w.record(AutoNotReady {
                task,
                node,
                faults,
                process,
            });
            return Flow::Ret;
        }
        if w.sched.is_to_push(self.cpu) {
            w.record(AutoPending {
                task,
                cpu: self.cpu,
            });
            return Flow::Ret;
        }
        self.pt = SaPt::Weights;
        Flow::Next
    }

    fn weights(&mut self, w: &mut World, task: TaskIndex) -> Flow {
        let node = self.here(w);
        let me = runner(w, task, self.cpu);
        if me.is_home() {
            w.numa.tasks[task].auto.node = Some(node);
            let at = |weights: &[u64]| weights[node.index()] as i64;
            w.record(AutoHome {
                task,
                node,
                weight: at(&me.task_weights),
                process: at(&me.mm_weights),
            });
            return Flow::Ret;
        }
        self.pt = SaPt::Compare;
        Flow::Next
    }

    fn compare(&mut self, w: &mut World, task: TaskIndex) -> Flow {
        let node = self.here(w);
        let me = runner(w, task, self.cpu);
        let others = self.others(w, task);
        w.spend(w.facts.cost.zone_walk.saturating_mul(others.len() as u32));
        match place(&me, &others) {
            Choice::Go {
                cpu,
                node,
                compared,
                ..
            } => {
                (self.to, self.other) = (cpu, w.sched.cpus[cpu].current);
                w.numa.tasks[task].auto.node = Some(node);
                let Compared { there, other, here } = compared;
                w.record(AutoExchange {
                    task,
                    other: self.other,
                    node,
                    there: there as i64,
                    theirs: other as i64,
                    here: here as i64,
                    threads: is_one_process(w, task, self.other),
                });
                self.pt = SaPt::Move;
                return Flow::Next;
            }
            Choice::Stay(Some((cpu, compared))) => {
                let other = w.sched.cpus[cpu].current;
                w.record(AutoStay {
                    task,
                    other,
                    there: compared.there as i64,
                    theirs: compared.other as i64,
                    here: compared.here as i64,
                    threads: is_one_process(w, task, other),
                });
            }
            Choice::Home | Choice::Stay(None) => w.record(AutoNobody { task, node }),
        }
        w.numa.tasks[task].auto.node = Some(node);
        Flow::Ret
    }

    /// The tasks with which this CPU's task may exchange CPUs.
    fn others(&self, w: &World, task: TaskIndex) -> Vec<Runner> {
        let process = w.numa.tasks[task].process;
        let cpus = w.sched.cpus.entries();
        let there = cpus.filter(|&(cpu, _)| w.facts.node_of_cpu[cpu] != self.here(w));
        let fit = there.filter_map(|(cpu, c)| {
            let other = w.numa.tasks.at(c.current)?;
            let mm = w.processes.all.get(other.process as usize)?;
            let faults = if other.process == process {
                other.auto.faults.total
            } else {
                mm.auto.faults.total
            };
            let may = w.may_run(task, cpu) && w.may_run(c.current, self.cpu);
            let is_free = may && faults > 0 && !w.sched.is_to_push(cpu);
            is_free.then(|| runner(w, c.current, cpu))
        });
        fit.collect()
    }

    fn exchange(&self, w: &mut World, task: TaskIndex) {
        w.ask_to_push(self.cpu, task, self.to);
        let current = w.sched.cpus[self.to].current;
        if current == self.other && !w.sched.is_to_push(self.to) {
            w.ask_to_push(self.to, self.other, self.cpu);
        } else {
            w.record(AutoAlone {
                task,
                other: self.other,
                cpu: self.to,
            });
        }
    }
}

/// The data of a running task that the rules use.
fn runner(w: &World, task: TaskIndex, cpu: CpuIndex) -> Runner {
    let nodes = w.facts.layout.nodes.len();
    let known = &w.numa.tasks[task];
    let mm = &w.processes.all[known.process as usize];
    Runner {
        cpu,
        node: w.facts.node_of_cpu[cpu],
        mm: known.process,
        task_weights: known.auto.faults.weights(nodes),
        mm_weights: mm.auto.faults.weights(nodes),
    }
}

fn is_one_process(w: &World, one: TaskIndex, other: TaskIndex) -> bool {
    let process = |task: TaskIndex| w.numa.tasks[task].process;
    process(one) == process(other)
}

/// The check that is due at a tick of a CPU, if its task belongs to a process.
pub(crate) fn due(w: &mut World, cpu: CpuIndex) -> Option<Frame> {
    if !w.numa.on || rules(&w.facts.features).is_none() {
        return None;
    }
    let current = w.sched.cpus[cpu].current;
    w.numa
        .tasks
        .get(current.index())
        .filter(|t| t.process != NONE)?;
    let (jiffies, hz) = (w.jiffies(), u64::from(w.facts.hz));
    let cpus = w.sched.cpus.len();
    if w.numa.looks.is_empty() {
        w.numa.looks = (0..cpus as u64).collect();
    }
    let next = &mut w.numa.looks[cpu];
    if jiffies < *next {
        return None;
    }
    *next = jiffies + (INTERVAL_MS * hz).div_ceil(1000);
    Some(SchedAutonumaBalance::call(cpu))
}
