//! Views of tasks.

use mm::index::TaskIndex;
use mm::machine::{Task, TaskKind, TaskStatus};
use mm::view::{TaskState, TaskView};
use mm::world::World;

use crate::cpus::function;
use crate::reclaim;

/// Name of a task: "touch/1", "kswapd0".
pub fn task_name(w: &World, task: &Task) -> String {
    match task.kind {
        TaskKind::User { program, instance } => {
            format!("{}/{instance}", w.facts.programs[program as usize].name)
        }
        TaskKind::Kswapd { node } => format!("kswapd{}", w.node_id(node)),
        TaskKind::Timer { cpu } => format!("timer/{cpu}"),
        TaskKind::Device { device } => {
            format!("irq/{}", w.facts.devices[device as usize].profile.id)
        }
        TaskKind::Flusher { device } => {
            format!("flush-{}", w.facts.devices[device as usize].profile.id)
        }
        TaskKind::Intervention => "intervention".to_string(),
        TaskKind::Scand => "knuma_scand".to_string(),
    }
}

/// One task.
pub fn task_view(w: &World, id: TaskIndex, t: &Task) -> TaskView {
    let cpu = &w.sched.cpus[t.cpu];
    let on_cpu = match t.kind {
        TaskKind::Timer { .. } | TaskKind::Device { .. } => w.task == id,
        _ => cpu.current == id,
    };
    let state = match t.status {
        TaskStatus::Runnable if on_cpu => TaskState::Running,
        TaskStatus::Runnable => TaskState::Runnable,
        TaskStatus::Sleeping => TaskState::Sleeping,
        TaskStatus::Waiting => TaskState::Waiting,
        TaskStatus::Exited => TaskState::Exited,
    };
    let sleeper = cpu.sleepers().iter().find(|&&(_, task)| task == id);
    let function = function(t);
    // A task that has ended leaves an empty process.
    let process = w.processes.all.get(t.cx.process as usize);
    let process = process.filter(|_| t.status != TaskStatus::Exited);
    let (waits_for, waits_since_ns) = reclaim::waits_for(w, t);
    TaskView {
        id: id.get(),
        name: task_name(w, t),
        pid: 1000 + id.get(),
        tgid: 1000 + process.map_or(id.get(), |p| p.space.owner.get()),
        cpu: t.cpu.get().into(),
        node: w.node_id(w.facts.node_of_cpu[t.cpu]).into(),
        state,
        wakes_at_ns: sleeper.map(|&(at, _)| at),
        function: function.to_string(),
        rss: process.map_or(0, |p| p.space.rss.into()),
        cpu_ns: w.sched.cpu_time(id, (w.cpu, w.now)),
        user_ns: w.sched.user_time(id),
        waits_for,
        waits_since_ns,
        kernel_thread: !matches!(t.kind, TaskKind::User { .. }),
    }
}
