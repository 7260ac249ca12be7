//! Finds, before a run, the operations that a program in user space cannot do, and the reasons.

use facts::experiment::Experiment;
use facts::gfp::Gfp;
use facts::intervention::CompiledAct;
use facts::view::Refusal;
use facts::workload::{Op, Program};

use crate::cgroup_names::refused_names;

/// Order of a huge page of x86-64.
const HUGE_ORDER: u8 = 9;

/// Lists the operations and interventions that a program in user space cannot make the kernel do, each once.
/// The guest program leaves them out and says so in the capture. A list that has [`refused_names`] of cgroups
/// begins with them; with these the guest program refuses the run.
pub fn refusals(experiment: &Experiment) -> Vec<Refusal> {
    let of_workload = experiment.workload.processes.len();
    let mut out = refused_names(&experiment.groups);
    for (i, program) in experiment.programs.iter().enumerate() {
        let (path, cgroup_path) = match i < of_workload {
            true => {
                let path = format!("workload.processes[{i}]");
                (path.clone(), format!("{path}.cgroup"))
            }
            false => {
                let path = format!("interventions, process '{}'", program.name);
                (path.clone(), path)
            }
        };
        if experiment
            .groups
            .all
            .iter()
            .any(|group| group.parent == program.group)
            && !program.group.is_root()
        {
            add(&mut out, &cgroup_path, INNER_CGROUP);
        }
        for op in &program.ops {
            if let Some(reason) = refused(program, op) {
                add(&mut out, &path, &reason);
            }
        }
    }
    for (_, act) in &experiment.interventions {
        if let Some(reason) = refused_act(act) {
            add(&mut out, "interventions", &reason);
        }
    }
    out
}

fn add(out: &mut Vec<Refusal>, path: &str, reason: &str) {
    if !out.iter().any(|r| r.path == path && r.reason == reason) {
        out.push(Refusal {
            path: path.to_string(),
            reason: reason.to_string(),
        });
    }
}

/// Why the guest program cannot do this operation.
pub(crate) fn refused(program: &Program, op: &Op) -> Option<String> {
    match op {
        Op::Alloc { gfp, .. } if !gfp.has(Gfp::REPEAT) => Some(
            "a program in user space cannot allocate blocks of kernel memory: only blocks of type hugetlb can be allocated, through nr_hugepages"
                .to_string(),
        ),
        Op::Alloc { order, .. } if *order != HUGE_ORDER => Some(format!(
            "a huge page has order {HUGE_ORDER}, not {order}: only huge pages can be allocated, through nr_hugepages"
        )),
        Op::Set { which } => {
            let (name, value) = &program.sets[*which as usize];
            refused_value(name, value)
        }
        _ => None,
    }
}

/// Why a process cannot run in a cgroup that has children.
const INNER_CGROUP: &str = "a cgroup that distributes memory to its children cannot contain processes: the process runs in the cgroup of its parent process";

/// Why the guest program cannot make this intervention.
pub(crate) fn refused_act(act: &CompiledAct) -> Option<String> {
    match act {
        CompiledAct::Slow { .. } => Some(
            "a program in the guest cannot slow a device: the device keeps its speed".to_string(),
        ),
        CompiledAct::Set { values } => values
            .iter()
            .find_map(|(name, value)| refused_value(name, value)),
        _ => None,
    }
}

fn refused_value(name: &str, value: &str) -> Option<String> {
    let computed = ["auto", "as booted"].contains(&value);
    computed.then(|| {
        format!(
            "'{value}' cannot be written to {name}: the kernel computes it at boot; give a value"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(program: &str, interventions: &str) -> Experiment {
        let text = format!(
            r#"{{"machine": "x86_64-3g", "kernel": "2.6.37", "seed": 1, "length": "1s",
                "workload": {{"id": "w", "processes": [{{"name": "p", "program": {program}}}]}},
                "interventions": {interventions}}}"#
        );
        Experiment::from_json(&text).expect("valid")
    }

    #[test]
    fn names_operations_that_user_space_cannot_do() {
        let program = r#"[
            {"op": "alloc", "pool": "a", "order": 2, "count": 3},
            {"op": "alloc", "pool": "b", "order": 1, "count": 3},
            {"op": "alloc", "pool": "h", "order": 3, "count": 3, "type": "hugetlb"},
            {"op": "set", "name": "vm.min_free_kbytes", "value": "auto"}
        ]"#;
        let acts = r#"[{"at": "1ms", "slow": {"device": "sda", "percent": 50}}]"#;
        let found = refusals(&experiment(program, acts));
        let reasons: Vec<String> = found.iter().map(|r| r.reason.clone()).collect();
        assert_eq!(found.len(), 4, "{reasons:?}");
        assert!(reasons[0].contains("hugetlb"), "{reasons:?}");
        assert!(reasons[1].contains("order 9, not 3"), "{reasons:?}");
        assert!(
            reasons[2].contains("'auto' cannot be written"),
            "{reasons:?}"
        );
        assert!(reasons[3].contains("slow a device"), "{reasons:?}");
        assert_eq!(found[0].path, "workload.processes[0]");
    }

    #[test]
    fn refuses_a_process_in_a_cgroup_that_has_children() {
        let text = r#"{"machine": "x86_64-3g", "kernel": "6.1", "seed": 1, "length": "1s",
            "tunables": {"transparent_hugepage": "never"},
            "workload": {"id": "w", "cgroups": [{"name": "top"}, {"name": "box", "parent": "top"}],
                "processes": [
                    {"name": "a", "cgroup": "top", "program": []},
                    {"name": "b", "cgroup": "box", "program": []}]},
            "interventions": [
                {"at": "1ms", "cgroup": {"name": "box", "file": "memory.max", "value": 9}}]}"#;
        let found = refusals(&Experiment::from_json(text).expect("valid"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].path, "workload.processes[0].cgroup");
    }

    #[test]
    fn names_a_process_of_an_intervention_without_a_field() {
        let text = r#"{"machine": "x86_64-3g", "kernel": "6.1", "seed": 1, "length": "1s",
            "tunables": {"transparent_hugepage": "never"},
            "workload": {"id": "w", "cgroups": [{"name": "top"}, {"name": "box", "parent": "top"}],
                "processes": [{"name": "a", "cgroup": "box", "program": []}]},
            "interventions": [
                {"at": "1ms", "start": {"name": "late", "cgroup": "top", "program": []}}]}"#;
        let found = refusals(&Experiment::from_json(text).expect("valid"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].path, "interventions, process 'late'");
    }

    #[test]
    fn names_a_cgroup_that_cannot_be_a_folder() {
        let text = r#"{"machine": "x86_64-3g", "kernel": "6.1", "seed": 1, "length": "1s",
            "tunables": {"transparent_hugepage": "never"},
            "workload": {"id": "w", "cgroups": [{"name": "memory.max"}],
                "processes": [{"name": "a", "cgroup": "memory.max", "program": []}]}}"#;
        let found = refusals(&Experiment::from_json(text).expect("valid"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].path, "workload.cgroups[0].name");
    }

    #[test]
    fn accepts_operations_that_user_space_can_do() {
        let program = r#"[
            {"op": "map", "region": "heap", "size": "1 MiB"},
            {"op": "touch", "region": "heap"},
            {"op": "alloc", "pool": "h", "order": 9, "count": 3, "type": "hugetlb"},
            {"op": "release", "pool": "h"},
            {"op": "set", "name": "vm.swappiness", "value": "10"}
        ]"#;
        let acts = r#"[{"at": "1ms", "kill": "p"}, {"at": "2ms", "drop_caches": 1}]"#;
        assert_eq!(refusals(&experiment(program, acts)), []);
    }
}
