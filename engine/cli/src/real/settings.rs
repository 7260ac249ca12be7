//! The settings of the guest program: the files written before the run, and the traced events.

use guest::Settings;
use mm::experiment::Experiment;
use serde_json::{Map, Value, json};

use crate::real::fit::Fitted;
use crate::real::kernel::RealKernel;
use crate::real::modules::Module;
use crate::real::vm::OUT;

/// Tracepoints of all kernels that can be compared.
const EVENTS: [&str; 22] = [
    "vmscan:mm_vmscan_kswapd_wake",
    "vmscan:mm_vmscan_kswapd_sleep",
    "vmscan:mm_vmscan_wakeup_kswapd",
    "vmscan:mm_vmscan_direct_reclaim_begin",
    "vmscan:mm_vmscan_direct_reclaim_end",
    "vmscan:mm_vmscan_lru_isolate",
    "vmscan:mm_vmscan_lru_shrink_inactive",
    "vmscan:mm_vmscan_node_reclaim_begin",
    "vmscan:mm_vmscan_node_reclaim_end",
    "writeback:balance_dirty_pages",
    "oom:reclaim_retry_zone",
    "oom:mark_victim",
    "kmem:mm_page_alloc_extfrag",
    "compaction:mm_compaction_begin",
    "compaction:mm_compaction_end",
    "compaction:mm_compaction_isolate_migratepages",
    "compaction:mm_compaction_isolate_freepages",
    "compaction:mm_compaction_migratepages",
    "compaction:mm_compaction_finished",
    "compaction:mm_compaction_suitable",
    "compaction:mm_compaction_kcompactd_wake",
    "migrate:mm_migrate_pages",
];
/// Tracepoints of kernels to 5.15, and of later ones.
const OLDER: [&str; 2] = [
    "writeback:writeback_congestion_wait",
    "writeback:writeback_wait_iff_congested",
];
const NEWER: [&str; 1] = ["vmscan:mm_vmscan_throttled"];
/// The switch of the multi-generational LRU.
const LRU_GEN: &str = "lru_gen.enabled";
/// Values that mean the kernel's own computed value.
const COMPUTED: [&str; 2] = ["auto", "as booted"];
/// A write makes the kernel recompute all protections, watermarks and per-cpu lists. At boot it
/// computed them before it freed the memory of its own start.
const RECOMPUTES: [&str; 2] = ["vm.lowmem_reserve_ratio", "vm.watermark_scale_factor"];
/// The folder of modules in the initramfs.
pub const MODULES: &str = "mmscope/modules";

/// The settings for a fitted experiment.
pub fn settings(fitted: &Fitted, kernel: &RealKernel, name: &str, modules: &[Module]) -> Settings {
    let modules = modules.iter().map(|(file, _)| format!("/{MODULES}/{file}"));
    Settings {
        events: events(kernel.variant),
        sysctls: sysctls(&fitted.experiment, kernel.variant),
        modules: modules.collect(),
        data: fitted.vm.device("data"),
        swap: fitted.vm.device("swap"),
        out: fitted.vm.device(OUT),
        shape: shape(fitted, name),
        power_off: true,
        ..Settings::default()
    }
}

fn events(variant: &str) -> Vec<String> {
    let own: &[&str] = if variant == "5.10" { &OLDER } else { &NEWER };
    EVENTS
        .iter()
        .chain(own)
        .map(|name| (*name).to_string())
        .collect()
}

/// The files that are written: each tunable that the experiment or its machine sets, and the switch of the
/// multi-generational LRU, whose default a distribution chooses.
fn sysctls(experiment: &Experiment, variant: &str) -> Vec<(String, String)> {
    let mut names: Vec<&String> = experiment.machine.tunables.keys().collect();
    names.extend(experiment.raw.tunables.keys());
    let names_written = RECOMPUTES.map(str::to_string);
    names.extend(&names_written);
    let balancing = "kernel.numa_balancing".to_string();
    if experiment.machine.nodes.len() > 1 {
        // Distributions boot with it switched on.
        names.push(&balancing);
    }
    let lru_gen = LRU_GEN.to_string();
    if experiment.kernel.features.lru_gen.is_modelled() {
        names.push(&lru_gen);
    }
    names.sort();
    names.dedup();
    // Mapping memory never fails in the engine.
    let mut out = vec![(
        "/proc/sys/vm/overcommit_memory".to_string(),
        "1".to_string(),
    )];
    for name in names {
        // Set by a boot option: at run time the kernel would also start khugepaged and raise its reserve.
        if name == "transparent_hugepage" || name == "vm.numa_zonelist_order" {
            continue;
        }
        let value = experiment.tunables.get(name);
        let value = value.filter(|value| !COMPUTED.contains(&value.as_str()));
        let paths = guest::tunable_path(name);
        // The files of debugfs come second, from 5.13 on.
        let path = if variant == "5.10" {
            paths.first()
        } else {
            paths.last()
        };
        if let (Some(value), Some(path)) = (value, path) {
            out.push((path.clone(), value));
        }
    }
    out
}

/// Facts about the machine that the guest cannot determine.
fn shape(fitted: &Fitted, name: &str) -> Map<String, Value> {
    let vm = &fitted.vm;
    let mut cpus = Map::new();
    let mut first = 0;
    for (i, node) in vm
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.cpus > 0)
    {
        let last = first + node.cpus - 1;
        let range = if first == last {
            format!("{first}")
        } else {
            format!("{first}-{last}")
        };
        cpus.insert(i.to_string(), json!(range));
        first = last + 1;
    }
    let nodes = vm.nodes.iter().enumerate();
    let nodes: Map<String, Value> = nodes
        .map(|(i, node)| (i.to_string(), json!(format!("{}M", node.mib))))
        .collect();
    let rate = |disk: &Option<crate::real::vm::Disk>| disk.as_ref().map(|disk| disk.bytes_per_s);
    let one = vm.nodes.len() == 1;
    let all = json!({
        "name": name,
        "emulation": "TCG one thread, machine q35",
        "data_disk_bytes_per_s": rate(&vm.data),
        "swap_disk_bytes_per_s": rate(&vm.swap),
        "memory": format!("{}M", vm.mib()),
        "nodes": nodes,
        "node_cpus": if one { Map::new() } else { cpus },
        "distances": if one { json!([]) } else { json!(vm.distances) },
    });
    match all {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
