//! Load balancing between groups, and its thresholds in percent, on four nodes of eight CPUs.

use super::*;
use crate::experiment::Experiment;
use crate::layout::{Layout, NodeLayout};
use crate::sched::domains::Domains;
use crate::sched::load::Balancing;
use facts::index::{CpuIndex, NodeIndex, TaskIndex};

const NODES: u16 = 4;
const EACH: u16 = 8;

fn domains() -> Domains {
    let experiment = Experiment::preset("first-touch.teach").expect("a preset");
    let features = experiment.kernel.features;
    let mut layout = Layout::new(&experiment.machine, &features);
    let node = |id: u16| NodeLayout {
        id,
        cpus: (id * EACH..(id + 1) * EACH).map(CpuIndex::new).collect(),
        zones: Vec::new(),
    };
    layout.nodes = (0..NODES).map(node).collect();
    let distance = |a, b| if a == b { 10 } else { 20 };
    let row = |a| (0..NODES).map(|b| distance(a, b)).collect();
    layout.distances = (0..NODES).map(row).collect();
    Domains::of(&layout)
}

/// A scheduler whose CPUs have these numbers of tasks; the first task of each runs.
fn machine(queues: &[u64]) -> Sched {
    let mut sched = Sched::new(queues.len(), 250);
    let nodes: Vec<NodeIndex> = (0..queues.len())
        .map(|cpu| NodeIndex::new((cpu / 8) as u8))
        .collect();
    sched.balance = Balancing::new(&domains(), &nodes);
    let mut next = 0;
    for (c, &tasks) in sched.cpus.iter_mut().zip(queues) {
        for nth in 0..tasks {
            match nth {
                0 => c.current = TaskIndex::new(next),
                _ => c.queue.push(TaskIndex::new(next)),
            }
            next += 1;
        }
    }
    for cpu in CpuIndex::all(queues.len()) {
        let load = sched.load(cpu);
        sched.balance.cpus[cpu].slow_load = load;
    }
    sched
}

/// Queue lengths for nodes with these numbers of tasks: one task per CPU first, then a second.
fn nodes(tasks: [u64; 4]) -> Vec<u64> {
    let cpus = |n: u64| (0..8).map(move |cpu| n / 8 + u64::from(cpu < n % 8));
    tasks.into_iter().flat_map(cpus).collect()
}

const NODE: usize = 0;
const NUMA: usize = 1;

fn look(queues: &[u64], cpu: CpuIndex, level: usize, idle: Idle) -> Found {
    look_where(queues, cpu, level, idle, &|_, _| true)
}

fn look_where(
    queues: &[u64],
    cpu: CpuIndex,
    level: usize,
    idle: Idle,
    allowed: &dyn Fn(TaskIndex, CpuIndex) -> bool,
) -> Found {
    let (sched, domains) = (machine(queues), domains());
    Search {
        sched: &sched,
        allowed,
        domain: &domains.of_node(NodeIndex::new((cpu.get() / EACH) as u8))[level],
        spreads: level == NUMA,
        only_overfull: false,
        passes_over: &|_, _| false,
        cpu,
        idle,
    }
    .run()
}

fn busiest(found: Found) -> (CpuIndex, u64) {
    match found {
        Found::Busiest(b) => (b.cpu, b.imbalance),
        other => panic!("{other:?}"),
    }
}

/// One node has nine tasks on eight CPUs, another has seven. The idle CPU takes the waiting task, both
/// immediately and at a tick.
#[test]
fn an_idle_cpu_takes_the_waiting_task_of_another_node() {
    for idle in [Idle::Newly, Idle::Idle] {
        let found = look(&nodes([9, 7, 8, 8]), CpuIndex::new(15), NUMA, idle);
        assert_eq!(busiest(found), (CpuIndex::new(0), 1024), "{idle:?}");
    }
}

/// Two tasks are on one CPU next to an idle one. The idle CPU of the same node takes one of
/// them.
#[test]
fn an_idle_cpu_takes_a_waiting_task_of_its_own_node() {
    let mut queues = nodes([8, 8, 8, 8]);
    (queues[0], queues[7]) = (2, 0);
    let found = look(&queues, CpuIndex::new(7), NODE, Idle::Idle);
    assert_eq!(busiest(found), (CpuIndex::new(0), 1024));
    assert_eq!(
        busiest(look(&queues, CpuIndex::new(7), NODE, Idle::Newly)),
        (CpuIndex::new(0), 1024)
    );
}

/// Of 33 tasks on 32 CPUs, the node with nine keeps nine. The CPUs of that node take turns at running
/// the extra task.
#[test]
fn with_33_tasks_on_32_cpus_no_task_leaves_its_node() {
    let queues = nodes([9, 8, 8, 8]);
    for cpu in 8..32 {
        let found = look(&queues, CpuIndex::new(cpu), NUMA, Idle::Busy);
        match (found, cpu % 8) {
            (Found::Within { ours, theirs }, 0) => {
                assert_eq!((ours.load, theirs.load), (1024, 1152));
            }
            (Found::NotOurs, 1..) => {}
            (other, _) => panic!("CPU {cpu}: {other:?}"),
        }
        let found = look(&queues, CpuIndex::new(cpu), NODE, Idle::Busy);
        assert!(matches!(found, Found::Nobody { .. }), "{found:?}");
    }
    for cpu in 1..8 {
        assert_eq!(
            busiest(look(&queues, CpuIndex::new(cpu), NODE, Idle::Busy)),
            (CpuIndex::new(0), 1024)
        );
    }
}

/// A busy node takes from a node with eleven tasks, but not from one with nine or ten.
#[test]
fn a_busy_node_takes_tasks_only_above_125_percent() {
    for (tasks, takes) in [(9, false), (10, false), (11, true)] {
        let found = look(&nodes([tasks, 8, 8, 8]), CpuIndex::new(8), NUMA, Idle::Busy);
        assert_eq!(matches!(found, Found::Busiest(_)), takes, "{tasks}");
        assert_eq!(matches!(found, Found::Within { .. }), !takes, "{tasks}");
    }
}

/// A busy node uses the lower load estimate of other nodes, and the higher one of its own.
#[test]
fn a_busy_node_compares_slowly_updated_loads() {
    let domains = domains();
    let search = |sched: &Sched| {
        Search {
            sched,
            allowed: &|_, _| true,
            domain: &domains.of_node(NodeIndex::new(1))[NUMA],
            spreads: true,
            only_overfull: false,
            passes_over: &|_, _| false,
            cpu: CpuIndex::new(8),
            idle: Idle::Busy,
        }
        .run()
    };
    let mut sched = machine(&nodes([16, 8, 8, 8]));
    assert!(matches!(search(&sched), Found::Busiest(_)));
    for cpu in &mut sched.balance.cpus.as_mut_slice()[..8] {
        cpu.slow_load = 1024;
    }
    assert!(matches!(search(&sched), Found::LoadHere { .. }));
}

/// There are as many tasks as CPUs, and all run: no CPU takes a task.
#[test]
fn takes_no_task_if_there_are_as_many_tasks_as_cpus() {
    let queues = nodes([8, 8, 8, 8]);
    for cpu in 0..32 {
        for level in [NODE, NUMA] {
            let found = look(&queues, CpuIndex::new(cpu), level, Idle::Busy);
            let is_nothing = matches!(
                found,
                Found::Nobody { .. } | Found::NotOurs | Found::LoadHere { .. }
            );
            assert!(is_nothing, "CPU {cpu}, level {level}: {found:?}");
        }
    }
}

/// One idle CPU is at most one more than no idle CPU.
#[test]
fn a_node_with_one_idle_cpu_is_balanced() {
    let found = look(&nodes([8, 8, 8, 7]), CpuIndex::new(31), NUMA, Idle::Idle);
    let Found::IdleThere { ours, theirs } = found else {
        panic!("{found:?}")
    };
    assert_eq!((ours.idle_cpus, theirs.idle_cpus, theirs.tasks), (1, 0, 8));
}

/// With two idle CPUs here, a node with one task per CPU is the busiest. One task should move, but all of
/// them run.
#[test]
fn a_node_with_two_idle_cpus_pulls_a_running_task() {
    let found = look(&nodes([8, 8, 8, 6]), CpuIndex::new(30), NUMA, Idle::Idle);
    let Found::Busiest(b) = found else {
        panic!("{found:?}")
    };
    assert_eq!((b.cpu, b.imbalance), (CpuIndex::new(0), 1024));
    assert_eq!((b.ours.load, b.theirs.load, b.average), (768, 1024, 960));
    assert_eq!(b.theirs.capacity, 1, "there is room here");
    // The second idle CPU leaves balancing to the first.
    assert_eq!(
        look(&nodes([8, 8, 8, 6]), CpuIndex::new(31), NUMA, Idle::Idle),
        Found::NotOurs
    );
    // Without the sibling rule, no group has too many tasks.
    let (sched, domains) = (machine(&nodes([8, 8, 8, 6])), domains());
    let found = Search {
        sched: &sched,
        allowed: &|_, _| true,
        domain: &domains.of_node(NodeIndex::new(3))[NUMA],
        spreads: false,
        only_overfull: false,
        passes_over: &|_, _| false,
        cpu: CpuIndex::new(30),
        idle: Idle::Idle,
    }
    .run();
    assert!(matches!(found, Found::Nobody { .. }), "{found:?}");
}

#[test]
fn skips_run_queues_whose_tasks_may_not_run_on_this_cpu() {
    let queues = nodes([16, 0, 0, 0]);
    let found = look_where(&queues, CpuIndex::new(8), NUMA, Idle::Idle, &|_, _| false);
    assert_eq!(
        found,
        Found::Pinned {
            busiest: CpuIndex::new(7)
        }
    );
    // The two tasks of CPU 1 may run here.
    let found = look_where(&queues, CpuIndex::new(8), NUMA, Idle::Idle, &|task, _| {
        (2..4).contains(&task.get())
    });
    assert_eq!(busiest(found).0, CpuIndex::new(1));
}
