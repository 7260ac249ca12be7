//! Views of CPUs: each runnable task is on one CPU, waiting tasks are listed in the order in which they will
//! run, and times add up.

use std::collections::BTreeMap;

use mm::experiment::Experiment;
use mm::machine::{Machine, TaskKind, TaskStatus};
use mm::view::{CpuState, CpuView, View};

/// Six tasks on the four CPUs of two nodes: they compute, touch memory and sleep in turn.
fn crowd() -> Machine {
    let experiment = r#"{ "id": "crowd", "machine": "x86_64-2node-teach", "kernel": "6.1", "seed": 1,
        "length": "1s", "workload": { "id": "crowd", "processes": [{ "name": "p", "count": 6,
        "program": [
        { "op": "map", "region": "h", "size": "64 KiB" },
        { "op": "repeat", "times": 1000000, "do": [
            { "op": "touch", "region": "h", "write": true },
            { "op": "compute", "time": "3ms" },
            { "op": "think", "time": "2ms" }
        ] } ] }] } }"#;
    Machine::boot(&Experiment::from_json(experiment).expect("a valid experiment"))
}

/// Continues the run and checks the view at regular intervals of steps.
fn watch(m: &mut Machine, most: u64, mut look: impl FnMut(&Machine, &View)) {
    while m.w.run.steps() < most && !m.w.sched.ended {
        m.run(m.w.run.steps() + 1, u64::MAX);
        look(m, &picture::view(m, None));
    }
}

fn is_scheduled(kind: TaskKind) -> bool {
    !matches!(kind, TaskKind::Timer { .. } | TaskKind::Device { .. })
}

#[test]
fn every_runnable_task_is_shown_exactly_once_on_its_cpu() {
    watch(&mut crowd(), 6_000, |m, view| {
        let mut seen = BTreeMap::new();
        for cpu in &view.cpus {
            for &task in cpu.running.iter().chain(&cpu.waiting) {
                assert_eq!(
                    seen.insert(task, cpu.id),
                    None,
                    "task {task} is shown twice"
                );
            }
        }
        let all = (0u32..).zip(&m.tasks);
        let runnable =
            all.filter(|(_, t)| is_scheduled(t.kind) && t.status == TaskStatus::Runnable);
        let runnable: BTreeMap<u32, u32> =
            runnable.map(|(id, t)| (id, t.cpu.get().into())).collect();
        assert_eq!(seen, runnable);
    });
}

#[test]
fn the_activity_of_a_cpu_is_that_of_its_task() {
    let mut states = Vec::new();
    let mut longest = 0;
    watch(&mut crowd(), 6_000, |m, view| {
        let cpu = &view.cpus[m.w.cpu.index()];
        assert!(cpu.handler.or(cpu.running) == view.next || view.next.is_none());
        for cpu in &view.cpus {
            let function = cpu.handler.or(cpu.running);
            let function = function.map_or("", |t| &view.tasks[t as usize].function);
            assert_eq!(cpu.function, function, "CPU {}", cpu.id);
            let is_busy = cpu.running.is_some() || cpu.handler.is_some();
            assert_eq!(
                is_busy,
                matches!(
                    cpu.state,
                    CpuState::User | CpuState::Kernel | CpuState::Interrupt
                )
            );
            longest = longest.max(cpu.waiting.len());
            if !states.contains(&cpu.state) {
                states.push(cpu.state);
            }
        }
    });
    for state in [
        CpuState::User,
        CpuState::Kernel,
        CpuState::Interrupt,
        CpuState::Idle,
    ] {
        assert!(
            states.contains(&state),
            "{state:?} was never seen: {states:?}"
        );
    }
    assert!(longest > 0, "nobody waited");
}

/// The task that is shown first in a queue is the next one of that queue to run.
#[test]
fn the_first_task_shown_in_a_queue_runs_next() {
    let mut before: Vec<CpuView> = Vec::new();
    let mut turns = 0;
    watch(&mut crowd(), 6_000, |_, view| {
        for (was, is) in before.iter().zip(&view.cpus) {
            let has_come = is
                .running
                .filter(|t| was.running != Some(*t) && was.waiting.contains(t));
            // A task that woke meanwhile may have run less than all waiting tasks.
            if let Some(task) = has_come.filter(|_| was.waiting.len() > 1) {
                assert_eq!(task, was.waiting[0], "CPU {}", is.id);
                turns += 1;
            }
        }
        before.clone_from(&view.cpus);
    });
    assert!(turns > 0, "nobody's turn came while others waited");
}

#[test]
fn the_times_of_a_cpu_add_up_and_its_busy_time_never_shrinks() {
    let mut before: Vec<CpuView> = Vec::new();
    watch(&mut crowd(), 6_000, |m, view| {
        for (was, is) in before.iter().zip(&view.cpus) {
            // The idle time of a CPU reaches the clock of the running CPU, which may be behind the last one.
            assert!(is.user_ns >= was.user_ns, "CPU {}: {was:?} {is:?}", is.id);
            assert!(
                is.kernel_ns >= was.kernel_ns,
                "CPU {}: {was:?} {is:?}",
                is.id
            );
        }
        for cpu in &view.cpus {
            let all = cpu.user_ns + cpu.kernel_ns + cpu.idle_ns + cpu.iowait_ns;
            let now = m.w.sched.cpus[mm::index::CpuIndex::new(cpu.id as u16)].now;
            assert!(
                all >= now && all <= now.max(m.w.now),
                "CPU {}: {all} of {now}",
                cpu.id
            );
        }
        before.clone_from(&view.cpus);
    });
    assert!(before.iter().any(|cpu| cpu.user_ns > 0));
}

/// Node numbers of a machine may have gaps; each CPU has the number of its own node.
#[test]
fn each_cpu_is_shown_with_its_own_node() {
    let m = crowd();
    let info_nodes = m.w.facts.layout.nodes.iter();
    let of: BTreeMap<u32, u32> = info_nodes
        .flat_map(|node| {
            node.cpus
                .iter()
                .map(|&cpu| (cpu.get().into(), node.id.into()))
        })
        .collect();
    let shown = picture::view(&m, None).cpus;
    assert_eq!(shown.len(), of.len());
    for cpu in shown {
        assert_eq!(of[&cpu.id], cpu.node);
    }
}
