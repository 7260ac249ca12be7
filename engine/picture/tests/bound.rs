//! The zonelist of a strictly bound task has only the zones of its node. In every kernel, each of its steps
//! must have a view.

use mm::experiment::Experiment;
use mm::kernel::kernels;
use mm::machine::Machine;

/// The task maps more memory than its node has, and touches all of it.
fn bound(kernel: &str) -> Option<Experiment> {
    let json = format!(
        r#"{{ "id": "bound", "machine": "x86_64-2node-teach", "kernel": "{kernel}", "seed": 1,
        "length": "1s", "workload": {{ "id": "bound", "processes": [{{ "name": "p", "program": [
        {{ "op": "bind", "node": 1, "strict": true }},
        {{ "op": "map", "region": "h", "size": "120% of node" }},
        {{ "op": "touch", "region": "h" }}, {{ "op": "stop" }} ] }}] }} }}"#
    );
    Experiment::from_json(&json).ok()
}

#[test]
fn every_step_of_a_machine_with_a_strictly_bound_task_has_a_view() {
    let mut kernels_seen = 0;
    for kernel in kernels() {
        let Some(experiment) = bound(kernel.id) else {
            continue;
        };
        kernels_seen += 1;
        let mut m = Machine::boot(&experiment);
        // Every step of the first faults, then a sample of the later ones.
        while m.w.run.steps() < 20_000 && !m.w.sched.ended {
            let steps = m.w.run.steps();
            m.run(steps + if steps < 300 { 1 } else { 211 }, u64::MAX);
            let view = picture::view(&m, None);
            assert_eq!(view.nodes.len(), 2, "{} at {steps}", kernel.id);
        }
    }
    assert!(kernels_seen > 5, "only {kernels_seen} kernels");
}
