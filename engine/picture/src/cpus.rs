//! Views of the CPUs: the task that each CPU runs, the state of the CPU, and the tasks that wait
//! for it.
//!
//! Modelled: nothing; this module only reads the machine. Invariants: every runnable task of a
//! process or a kernel thread is on exactly one CPU, running or waiting; a sleeping task is on no
//! CPU.

use mm::frames::{FunctionId, NAMES};
use mm::index::{CpuIndex, TaskIndex};
use mm::machine::{Machine, Task};
use mm::view::{CpuState, CpuView};

/// All CPUs, by number.
pub fn cpus(m: &Machine) -> Vec<CpuView> {
    m.w.sched
        .cpus
        .indices()
        .map(|cpu| cpu_view(m, cpu))
        .collect()
}

fn cpu_view(m: &Machine, cpu: CpuIndex) -> CpuView {
    let w = &m.w;
    let c = &w.sched.cpus[cpu];
    let running = (c.current != TaskIndex::NONE).then_some(c.current);
    let handler = c.handler();
    let waiting = w.sched.waiting(cpu);
    let executes = handler.or(running).and_then(|t| m.tasks.at(t));
    let function = executes.map_or("", function);
    let state = match (handler, running) {
        (Some(_), _) => CpuState::Interrupt,
        (None, Some(_)) if function.is_empty() => CpuState::User,
        (None, Some(_)) => CpuState::Kernel,
        (None, None) if !waiting.is_empty() => CpuState::Choosing,
        (None, None) if c.nr_iowait > 0 => CpuState::IoWait,
        (None, None) => CpuState::Idle,
    };
    let used = w.sched.used(cpu, (w.cpu, w.now));
    CpuView {
        id: cpu.get().into(),
        node: w.node_id(w.facts.node_of_cpu[cpu]).into(),
        state,
        running: running.map(TaskIndex::get),
        handler: handler.map(TaskIndex::get),
        function: function.to_string(),
        waiting: waiting.into_iter().map(TaskIndex::get).collect(),
        user_ns: used.user,
        kernel_ns: used.kernel,
        idle_ns: used.idle,
        iowait_ns: used.iowait,
    }
}

/// The innermost kernel function of a task; empty in user mode.
pub fn function(task: &Task) -> &'static str {
    task.stack.last().map_or("", |f| match f.function() {
        FunctionId::User => "",
        function => NAMES[function as usize],
    })
}
