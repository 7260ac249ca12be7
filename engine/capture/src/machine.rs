//! The machine and the settings of a twin: the guest's dump by the usual import; its devices, CPUs and
//! distances from `shape.json`; its sysctls.

use mm::kernel::Kernel;
use mm::procfs::import::{ImportOptions, import_zoneinfo};
use mm::tunables;
use mm::view::Refusal;
use serde_json::{Map, Value, json};

use crate::capture::Capture;
use crate::fault::{Fault, Outcome, in_file};
use crate::moment::Moment;

/// The switch of the multi-generational LRU.
const LRU_GEN: &str = "lru_gen.enabled";

/// The guest's machine.
///
/// # Errors
/// The dump does not describe a machine that can be run.
pub fn machine(capture: &Capture) -> Outcome<Value> {
    let settings = &capture.settings;
    let ratios = settings.values.get("lowmem_reserve_ratio");
    let ratios: Option<Vec<u64>> =
        ratios.and_then(|text| text.split(' ').map(|word| word.parse().ok()).collect());
    let options = ImportOptions {
        listing: None,
        arch: None,
        kernel: Some(capture.kernel()?.id.to_string()),
        page_size_kib: Some(capture.page_kib),
        min_free_kbytes: settings.number("min_free_kbytes"),
        watermark_scale_factor: settings.number("watermark_scale_factor"),
        lowmem_reserve_ratio: ratios,
    };
    let report = import_zoneinfo(capture.before.section("zoneinfo"), &options)
        .map_err(|found| of_zoneinfo(&capture.before, &found))?;
    if let Some(reason) = report.cannot_run {
        return Err(in_file(&capture.before.file, reason));
    }
    let to_json = |error: serde_json::Error| in_file(&capture.before.file, error.to_string());
    let mut machine = serde_json::to_value(&report.machine).map_err(to_json)?;
    machine["hz"] = json!(250);
    machine["thp"] = json!(capture.thp);
    machine["costs"] = json!(match capture.arch.as_str() {
        "x86_64" => "q-x86",
        _ => "q-ppc",
    });
    let nodes = report.machine.nodes.len();
    if capture.cpus.len() == nodes {
        for (node, cpus) in capture.cpus.iter().enumerate() {
            machine["nodes"][node]["cpus"] = json!(cpus);
        }
    }
    let is_square = capture.distances.iter().all(|row| row.len() == nodes);
    if capture.distances.len() == nodes && is_square {
        machine["distances"] = json!(capture.distances);
    }
    let devices = devices(capture);
    if !devices.is_empty() {
        machine["devices"] = json!(devices);
    }
    Ok(machine)
}

/// Errors in a zoneinfo; a line of the section is a later line of the file.
pub fn of_zoneinfo(moment: &Moment, refusals: &[Refusal]) -> Vec<Fault> {
    let head = moment.line("zoneinfo");
    let fault = |refusal: &Refusal| {
        let line = refusal.path.strip_prefix("line ");
        let line = line.and_then(|number| number.parse::<usize>().ok());
        Fault {
            file: moment.file.clone(),
            line: Some(line.map_or(head, |line| head + line)),
            reason: match line {
                Some(_) => refusal.reason.clone(),
                None => format!("{}: {}", refusal.path, refusal.reason),
            },
        }
    };
    refusals.iter().map(fault).collect()
}

/// The guest's disks: each has a limited byte rate and no seek time.
fn devices(capture: &Capture) -> Vec<Value> {
    let mut devices = Vec::new();
    if let Some(rate) = capture.data_rate {
        devices.push(json!({
            "id": "data", "model": "throttled", "bytes_per_s": rate, "files": true,
        }));
    }
    if let (Some(rate), true) = (capture.swap_rate, capture.swap_kib > 0) {
        devices.push(json!({
            "id": "swap", "model": "throttled", "bytes_per_s": rate, "files": false,
            "swap": capture.swap_kib,
        }));
    }
    devices
}

/// The guest's sysctls that the kernel variant has, without those that the import has set.
pub fn settings(capture: &Capture, kernel: &Kernel) -> Map<String, Value> {
    let known = tunables::list(&kernel.features);
    let imported = [
        "min_free_kbytes",
        "watermark_scale_factor",
        "lowmem_reserve_ratio",
    ];
    let set = capture.settings.values.iter();
    let mut all: Map<String, Value> = set
        .map(|(name, value)| (full_name(name), name, value))
        .filter(|(full, name, _)| {
            !imported.contains(&name.as_str()) && known.iter().any(|info| info.name == full)
        })
        .map(|(full, _, value)| (full, json!(value)))
        .collect();
    if known.iter().any(|info| info.name == LRU_GEN) {
        all.insert(LRU_GEN.into(), json!(capture.lru_gen.to_string()));
    }
    let huge = match (capture.thp.as_str(), &capture.given) {
        // The programs of the first guests opt out of huge pages: with "always", 51,200 pages were
        // faulted in one by one, and thp_fault_alloc is 2.
        ("always", None) => Some("madvise"),
        // The setting read from the running guest also applies below 512 MiB, where the kernel
        // switches huge pages off at boot.
        ("always" | "madvise", _) => Some(capture.thp.as_str()),
        _ => None,
    };
    let name = "transparent_hugepage";
    if let Some(huge) = huge.filter(|_| known.iter().any(|info| info.name == name)) {
        all.insert(name.into(), json!(huge));
    }
    all
}

/// The full name of a sysctl; the guest's line leaves out the directory.
pub fn full_name(name: &str) -> String {
    let directory = match name {
        name if name.starts_with("numa_balancing") => "kernel",
        "lru_gen_min_ttl_ms" => return "lru_gen.min_ttl_ms".to_string(),
        _ => "vm",
    };
    format!("{directory}.{name}")
}
