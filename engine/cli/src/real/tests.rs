//! Tests which parts map to a virtual machine, and the messages about the others. No test here needs QEMU.

use std::path::PathBuf;

use mm::experiment::Experiment;
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::real::fit::{Choices, Fitted, fit};
use crate::real::kernel::RealKernel;
use crate::real::settings::settings;
use crate::real::vm::Node;

/// The size of a kernel's code and data in these tests, bytes.
const LOADED: u64 = 40 << 20;

fn kernel(variant: &'static str) -> RealKernel {
    RealKernel {
        release: format!("{variant}.0-50-amd64"),
        variant,
        image: PathBuf::new(),
        modules: PathBuf::new(),
    }
}

fn fitted(experiment: &Experiment, mib: Option<u64>) -> Outcome<Fitted> {
    let choices = Choices {
        mib,
        ..Choices::default()
    };
    fit(experiment, &kernel("6.1"), LOADED, choices)
}

fn preset(id: &str) -> Experiment {
    Experiment::preset(id).expect("a preset")
}

/// An experiment on one node of 128 MiB with these parts.
fn small(machine: &Value, workload: &Value) -> Experiment {
    let mut raw = json!({
        "id": "small", "kernel": "6.1", "seed": 3, "length": "2s",
        "machine": {
            "id": "m", "title": "", "arch": "x86_64", "page_size_kib": 4,
            "nodes": [{"ranges": [{"start_pfn": 1, "pages": 158}, {"start_pfn": 256, "pages": 32512}], "cpus": 2}],
            "distances": [[10]], "hz": 250, "thp": "madvise", "costs": "q-x86", "pcp": true,
            "zonelist_order": "default",
        },
        "workload": workload,
    });
    for (name, value) in machine.as_object().expect("fields") {
        raw["machine"][name] = value.clone();
    }
    Experiment::from_json(&raw.to_string()).expect("valid")
}

fn anonymous() -> Value {
    json!({"id": "w", "processes": [{"name": "p", "program": [
        {"op": "map", "region": "a", "size": "50%"}, {"op": "touch", "region": "a"}]}]})
}

fn reason(outcome: Outcome<Fitted>) -> String {
    match outcome {
        Err(Failure::Bad(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn scales_a_machine_of_two_nodes_and_the_shares_of_its_workload() {
    let found = fitted(&preset("anon-hog"), Some(256)).expect("fits");
    let node = Node { mib: 128, cpus: 1 };
    assert_eq!(found.vm.nodes, [node.clone(), node]);
    assert_eq!(found.vm.append, ["transparent_hugepage=never"]);
    assert!(found.vm.data.is_none());
    let swap = found.vm.swap.as_ref().expect("swap");
    assert_eq!(swap.bytes_per_s, 110_000_000);
    let canonical: Value = serde_json::from_str(&found.experiment.canonical()).expect("JSON");
    let size = &canonical["workload"]["processes"][0]["program"][0]["size"];
    // 125 % of what the kernel manages: 256 MiB without its own 40 and the records of pages.
    let pages = size.as_u64().expect("a number of pages");
    assert!((66_000..69_120).contains(&pages), "{pages}");
    assert_eq!(found.experiment.length_ns, 30_000_000_000);
    for says in [
        "scaled from",
        "CPUs instead of 24",
        "ends after 30.0 s",
        "seek",
    ] {
        let has = found.notes.iter().any(|note| note.contains(says));
        assert!(has, "{says}: {:?}", found.notes);
    }
}

#[test]
fn lists_what_the_real_kernel_does_not_have() {
    let found = fitted(&preset("streaming-reader"), Some(256)).expect("fits");
    assert_eq!(found.experiment.raw.kernel, "6.1");
    let note =
        "the experiment is made for 3.0; here it runs on 6.1.0-50-amd64, and in the engine on 6.1";
    assert!(found.notes.contains(&note.to_string()), "{:?}", found.notes);
    let pages: u64 = found
        .experiment
        .files
        .iter()
        .map(|(n, _)| u64::from(*n))
        .sum();
    let data = found.vm.data.expect("a disk of files");
    assert!(data.bytes > pages * 4096);
}

#[test]
fn gives_a_reason_for_each_machine_that_no_virtual_machine_can_reproduce() {
    let tiny = reason(fitted(&preset("anon-hog.teach"), None));
    assert!(
        tiny.contains("needs 56 for") && tiny.contains("--memory"),
        "{tiny}"
    );
    let other = reason(fitted(&preset("first-touch.ppc64.teach"), Some(256)));
    assert!(other.contains("the machine is ppc64"), "{other}");
    assert!(other.contains("pages of 64 KiB"), "{other}");
    let gaps = small(&json!({}), &anonymous());
    let mut gaps = Experiment::new(gaps.raw).expect("valid");
    gaps.machine.nodes[0].id = Some(3);
    let gaps = reason(fitted(&gaps, None));
    assert!(gaps.contains("node numbers with gaps"), "{gaps}");
}

#[test]
fn lists_operations_that_user_space_cannot_do() {
    let workload = json!({"id": "w", "processes": [{"name": "p", "program": [
        {"op": "alloc", "pool": "a", "order": 2, "count": 3}]}]});
    let found = fitted(&small(&json!({}), &workload), None).expect("fits");
    let has = found
        .notes
        .iter()
        .any(|note| note.starts_with("left out: workload.processes[0]"));
    assert!(has, "{:?}", found.notes);
}

#[test]
fn maps_rates_swap_and_the_movable_zone() {
    let machine = json!({
        "nodes": [{
            "ranges": [{"start_pfn": 1, "pages": 158}, {"start_pfn": 256, "pages": 32512}],
            "cpus": 2, "movable_from_pfn": 16384,
        }],
        "devices": [
            {"id": "d", "model": "throttled", "bytes_per_s": 6_291_456, "files": true},
            {"id": "s", "model": "throttled", "bytes_per_s": 4_194_304, "files": false, "swap": 65536}],
    });
    let workload = json!({
        "id": "w", "files": [{"name": "f", "size": "10%"}],
        "processes": [{"name": "p", "program": [{"op": "read", "file": "f"}]}]});
    let found = fitted(&small(&machine, &workload), None).expect("fits");
    assert_eq!(
        found.vm.data.as_ref().map(|disk| disk.bytes_per_s),
        Some(6_291_456)
    );
    let swap = found.vm.swap.as_ref().expect("swap");
    assert_eq!((swap.bytes, swap.bytes_per_s), (64 << 20, 4_194_304));
    assert_eq!(found.vm.append[0], "transparent_hugepage=madvise");
    assert!(
        found.vm.append[1].starts_with("kernelcore=6"),
        "{:?}",
        found.vm.append
    );
    let own = &found.experiment.machine.devices_in_force();
    assert_eq!(own.len(), 2);
}

#[test]
fn writes_the_settings_of_the_guest() {
    let mut raw = preset("first-touch.follow.teach").raw;
    raw.tunables
        .insert("vm.swappiness".to_string(), "10".to_string());
    let experiment = Experiment::new(raw).expect("valid");
    let found = fitted(&experiment, Some(256)).expect("fits");
    let modules = [("virtio_blk.ko".to_string(), Vec::new())];
    let written = |variant| settings(&found, &kernel(variant), "name", &modules);
    let new = written("6.1");
    let has = |path: &str, value: &str| {
        let pair = (path.to_string(), value.to_string());
        new.sysctls.contains(&pair)
    };
    assert!(has("/proc/sys/vm/swappiness", "10"), "{:?}", new.sysctls);
    assert!(
        has("/proc/sys/kernel/numa_balancing", "1"),
        "{:?}",
        new.sysctls
    );
    assert!(has(
        "/sys/kernel/debug/sched/numa_balancing/scan_delay_ms",
        "5"
    ));
    assert!(
        !new.sysctls
            .iter()
            .any(|(path, _)| path.contains("hugepage"))
    );
    assert_eq!(new.modules, ["/mmscope/modules/virtio_blk.ko"]);
    assert_eq!(new.out.as_deref(), Some("/dev/vdb"));
    assert_eq!(new.shape["nodes"], json!({"0": "154M", "1": "102M"}));
    let old = written("5.10").sysctls;
    let has_old = old
        .iter()
        .any(|(path, _)| path == "/proc/sys/kernel/numa_balancing_scan_delay_ms");
    assert!(has_old, "{old:?}");
    let lists = |variant: &'static str| {
        let choices = Choices {
            mib: Some(256),
            ..Choices::default()
        };
        let found = fit(&experiment, &kernel(variant), LOADED, choices).expect("fits");
        let all = settings(&found, &kernel(variant), "name", &modules).sysctls;
        let mut switches = all
            .into_iter()
            .filter(|(path, _)| path == "/sys/kernel/mm/lru_gen/enabled");
        switches.next().map(|(_, value)| value)
    };
    assert_eq!(lists("5.10"), None);
    assert_eq!(lists("6.1").as_deref(), Some("0"));
    assert_eq!(lists("6.12").as_deref(), Some("7"));
}
