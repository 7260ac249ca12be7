//! The captured machine and workload as an experiment of mmscope.
//!
//! The machine comes from the dump by the usual import; devices, CPUs and cost table come from
//! `shape.json`. A prologue fills memory as it was in the guest before its workload: kernel pages,
//! slab, and the root file system's pages on the lists. All assumptions are listed in words.

use mm::experiment::Experiment;
use mm::procfs::import::{ImportOptions, import_zoneinfo};
use mm::procfs::parse::{RawZone, parse};
use mm::tunables;
use serde_json::{Map, Value, json};

use crate::capture::Capture;
use crate::fault::{Outcome, in_file, refused};
use crate::workload::workload;

/// When memory is as in `before.txt`, ms.
pub const BEFORE_MS: u64 = 1000;
/// When the workload begins, ms: the sampler starts a second earlier.
pub const START_MS: u64 = 2000;
/// The processes that represent the guest at rest.
pub const BACKDROP: [&str; 3] = ["guest", "sampler", "shells"];
/// Pages of the sampler that were in memory before it locked itself (`samples.csv`: 138 to 175 pages
/// leave the anonymous lists when it does).
const SAMPLER_THERE: u64 = 170;
/// Page faults of the guest's shells and programs while they start. Up to the first sample they are 607
/// more than the sampler's own pages, and 239 until the workload runs (`hog`, the same script for all).
const SHELL_FAULTS: u64 = 607 + 239;
/// The number of short-lived programs that these faults are divided among.
const SHELLS: u64 = 9;
/// Pages of a region that is too small for a huge page on any architecture.
const SMALL: u64 = 200;

/// An experiment that repeats a captured run.
#[derive(Debug)]
pub struct Twin {
    /// The experiment as JSON.
    pub raw: Value,
    /// What was assumed because the capture does not say it, or is different on purpose.
    pub assumed: Vec<String>,
    /// Free pages wanted before the workload, with per-cpu lists, by node.
    pub free: Vec<u64>,
}

/// Memory of a node before the workload, pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Rest {
    /// Free, with per-cpu lists.
    free: u64,
    /// Allocated.
    used: u64,
    /// Allocated pages on the anonymous lists: inactive and active.
    anon: [u64; 2],
    /// Allocated pages of reclaimable slab.
    slab: u64,
    /// Allocated pages in the zones DMA and DMA32, if a higher zone exists.
    low: [u64; 2],
    /// Free pages of the highest zone on unmovable and on reclaimable lists.
    lists: [u64; 2],
    /// Pages of the highest zone on per-cpu lists.
    on_cpus: u64,
}

/// Builds the twin of a capture. `more` is kernel memory to add by node, pages: the difference between
/// the free pages of a first try and those of the dump.
///
/// # Errors
/// A workload that cannot be repeated, a dump that does not describe a machine.
pub fn build(capture: &Capture, more: &[i64]) -> Outcome<Twin> {
    let mut assumed = Vec::new();
    if capture.lru_gen {
        assumed.push(
            "the guest ran the multi-generational LRU, the twin runs the classic one".to_string(),
        );
    }
    let machine = machine(capture)?;
    let rest = at_rest(capture)?;
    let work = workload(capture, &mut assumed)?;
    let mut processes: Vec<Value> = Vec::new();
    let largest = 1 << (capture.orders().max(1) - 1);
    for (node, rest) in rest.iter().enumerate() {
        let more = more.get(node).copied().unwrap_or(0);
        processes.push(guest(node, rest, more, largest));
    }
    processes.push(sampler(capture));
    processes.push(shells());
    processes.extend(work.processes);
    assumed.push(
        "pages of the root file system and shared memory from before the run are anonymous here"
            .into(),
    );
    let name = &capture.workload.name;
    let mut workload = json!({"id": name, "title": "", "about": "", "processes": processes});
    if !work.files.is_empty() {
        workload["files"] = json!(work.files);
    }
    let mut raw = json!({
        "id": "",
        "title": format!("twin of {}", capture.name),
        "machine": machine,
        "kernel": capture.kernel.id,
        "workload": workload,
        "tunables": settings(capture),
        "seed": 1,
        "length": "1000s",
    });
    if !work.interventions.is_empty() {
        raw["interventions"] = json!(work.interventions);
    }
    let free = rest.iter().map(|rest| rest.free).collect();
    Ok(Twin { raw, assumed, free })
}

impl Twin {
    /// The experiment.
    ///
    /// # Errors
    /// It is refused.
    pub fn experiment(&self) -> Outcome<Experiment> {
        Experiment::from_json(&self.raw.to_string()).map_err(|found| refused("the twin", &found))
    }
}

fn machine(capture: &Capture) -> Outcome<Value> {
    let number = |name: &str| capture.sysctls.get(name).and_then(|n| n.parse().ok());
    let ratios = capture.sysctls.get("lowmem_reserve_ratio");
    let ratios: Option<Vec<u64>> =
        ratios.and_then(|text| text.split(' ').map(|word| word.parse().ok()).collect());
    let options = ImportOptions {
        listing: None,
        arch: None,
        kernel: Some(capture.kernel.id.to_string()),
        page_size_kib: Some(capture.page_kib),
        min_free_kbytes: number("min_free_kbytes"),
        watermark_scale_factor: number("watermark_scale_factor"),
        lowmem_reserve_ratio: ratios,
    };
    let report = import_zoneinfo(capture.before.section("zoneinfo"), &options)
        .map_err(|found| refused("before.txt", &found))?;
    let to_json = |error: serde_json::Error| in_file("before.txt", error.to_string());
    let mut machine = serde_json::to_value(&report.machine).map_err(to_json)?;
    machine["hz"] = json!(250);
    machine["thp"] = json!(capture.thp);
    machine["costs"] = json!(match capture.arch.as_str() {
        "x86_64" => "q-x86",
        _ => "q-ppc",
    });
    for (node, cpus) in capture.cpus.iter().enumerate() {
        machine["nodes"][node]["cpus"] = json!(cpus);
    }
    let devices = devices(capture);
    if !devices.is_empty() {
        machine["devices"] = json!(devices);
    }
    Ok(machine)
}

/// The guest's disks: each is limited to a byte rate and has no seeks.
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

/// The guest's sysctls that the kernel variant knows, without those the import has set.
fn settings(capture: &Capture) -> Map<String, Value> {
    let known = tunables::list(&capture.kernel.features);
    let imported = [
        "min_free_kbytes",
        "watermark_scale_factor",
        "lowmem_reserve_ratio",
    ];
    let set = capture.sysctls.iter();
    let mut all: Map<String, Value> = set
        .map(|(name, value)| (full_name(name), name, value))
        .filter(|(full, name, _)| {
            !imported.contains(&name.as_str()) && known.iter().any(|info| info.name == full)
        })
        .map(|(full, _, value)| (full, json!(value)))
        .collect();
    if capture.thp == "always" {
        // The guest's programs opt out of huge pages: with "always" 51,200 pages were faulted in one by
        // one, and thp_fault_alloc is 2.
        all.insert("transparent_hugepage".into(), json!("madvise"));
    }
    all
}

/// The full name of a sysctl, of which the guest's line leaves out the directory.
fn full_name(name: &str) -> String {
    let directory = match name {
        name if name.starts_with("numa_balancing") => "kernel",
        _ => "vm",
    };
    format!("{directory}.{name}")
}

/// Memory of each node before the workload.
fn at_rest(capture: &Capture) -> Outcome<Vec<Rest>> {
    let zones = parse(capture.before.section("zoneinfo"));
    let zones = zones.map_err(|found| refused("before.txt", &found))?;
    let mut nodes: Vec<(u16, Rest)> = Vec::new();
    for zone in &zones {
        if nodes.last().is_none_or(|(id, _)| *id != zone.node) {
            nodes.push((zone.node, Rest::default()));
        }
        if let Some((_, rest)) = nodes.last_mut() {
            add_zone(rest, zone);
            if zone.is_populated() {
                rest.on_cpus = on_cpus(zone);
                rest.lists = ["Unmovable", "Reclaimable"]
                    .map(|kind| capture.free_of_type(zone.node, &zone.name, kind));
            }
        }
    }
    for (id, rest) in &mut nodes {
        let here = zones.iter().filter(|z| z.node == *id && z.is_populated());
        let mut lower: Vec<&RawZone> = here.collect();
        lower.pop();
        for zone in lower {
            let low = ["DMA", "DMA32"].iter().position(|&name| name == zone.name);
            if let Some(low) = low {
                rest.low[low] += used(zone);
            }
        }
    }
    Ok(nodes.into_iter().map(|(_, rest)| rest).collect())
}

/// Free pages of a zone, with per-cpu lists.
fn free(zone: &RawZone) -> u64 {
    zone.row("free").unwrap_or(0) + on_cpus(zone)
}

/// Pages of a zone on per-cpu lists.
fn on_cpus(zone: &RawZone) -> u64 {
    zone.pagesets.iter().filter_map(|set| set.count).sum()
}

/// Allocated pages of a zone.
fn used(zone: &RawZone) -> u64 {
    zone.row("managed").unwrap_or(0).saturating_sub(free(zone))
}

fn add_zone(rest: &mut Rest, zone: &RawZone) {
    rest.free += free(zone);
    rest.used += used(zone);
    let of = |name: &str| zone.node_counters.get(name).copied().unwrap_or(0);
    rest.anon[0] += of("nr_inactive_anon");
    rest.anon[1] += of("nr_active_anon");
    rest.slab += of("nr_slab_reclaimable");
}

fn pages(n: u64) -> Value {
    json!(n)
}

/// Regions of `count` pages in all, each too small for a huge page.
fn small_regions(name: &str, count: u64) -> Vec<(String, u64)> {
    let starts = (0..count).step_by(SMALL as usize).enumerate();
    starts
        .map(|(i, start)| (format!("{name}{i}"), SMALL.min(count - start)))
        .collect()
}

/// A process that holds the memory a node had in use before the workload. The active anonymous pages
/// are those of the program and the shell: they stay in use. The number of kernel pages of each type
/// leaves as many pages on the type's free lists as the dump has there. The rest of the kernel pages
/// are movable.
fn guest(node: usize, rest: &Rest, more: i64, largest: u64) -> Value {
    let here = if node == 0 { SAMPLER_THERE } else { 0 };
    let idle = rest.anon[0].saturating_sub(here);
    let busy = rest.anon[1];
    let low: u64 = rest.low.iter().sum();
    let kernel = rest.used.saturating_sub(low + idle + busy + here);
    let kernel = kernel.saturating_add_signed(more);
    let [free_unmovable, free_reclaimable] = rest.lists;
    // The next larger number (slab) or smaller number (the rest) that leaves this many pages of whole
    // blocks.
    let slab = (rest.slab + free_reclaimable).next_multiple_of(largest) - free_reclaimable;
    let slab = slab.min(kernel);
    let rest_of = kernel - slab;
    let unmovable = (rest_of + free_unmovable) / largest * largest;
    let unmovable = unmovable.saturating_sub(free_unmovable).min(rest_of);
    let mut program = Vec::new();
    for (pool, kind, count) in [
        ("dma", "dma", rest.low[0]),
        ("dma32", "dma32", rest.low[1]),
        ("kernel", "unmovable", unmovable),
        ("slab", "reclaimable", slab),
        ("other", "movable", rest_of - unmovable),
    ] {
        if count > 0 {
            program.push(json!({
                "op": "alloc", "pool": pool, "order": 0, "count": pages(count), "type": kind,
            }));
        }
    }
    let idle = small_regions("idle", idle);
    let busy = small_regions("busy", busy);
    for (name, size) in idle.iter().chain(&busy) {
        program.extend([
            json!({"op": "map", "region": name, "size": pages(*size)}),
            json!({"op": "touch", "region": name}),
        ]);
    }
    // The pages freed last are on the per-cpu lists.
    if rest.on_cpus > 0 {
        program.extend([
            json!({"op": "alloc", "pool": "freed", "order": 0, "count": pages(rest.on_cpus),
                "type": "movable"}),
            json!({"op": "release", "pool": "freed", "every": 1}),
        ]);
    }
    let mut body = vec![json!({"op": "think", "time": "200ms"})];
    body.extend(
        busy.iter()
            .map(|(name, _)| json!({"op": "touch", "region": name})),
    );
    program.push(json!({"op": "repeat", "times": 10_000, "do": body}));
    json!({"name": BACKDROP[0], "count": 1, "node": node, "program": program})
}

/// The guest's sampler: it locks itself into memory, then wakes every 200 ms.
fn sampler(capture: &Capture) -> Value {
    let locked = capture.counted().get("unevictable_pgs_munlocked").copied();
    let locked = u64::try_from(locked.unwrap_or(0)).unwrap_or(0);
    let mut program = vec![];
    let regions = small_regions("self", locked);
    let mapped = regions
        .iter()
        .map(|(name, size)| json!({"op": "map", "region": name, "size": pages(*size)}));
    program.extend(mapped);
    if locked > SAMPLER_THERE {
        let (first, _) = &regions[0];
        program.extend([
            json!({"op": "touch", "region": first, "pages": pages(SAMPLER_THERE)}),
            json!({"op": "think", "time": format!("{}ms", BEFORE_MS + 10)}),
        ]);
    }
    let locks = regions
        .iter()
        .map(|(name, _)| json!({"op": "lock", "region": name}));
    program.extend(locks);
    let nap = json!({"op": "think", "time": "200ms"});
    program.push(json!({"op": "repeat", "times": 10_000, "do": [nap]}));
    json!({"name": BACKDROP[1], "count": 1, "node": 0, "program": program})
}

/// The programs that the guest's script starts and waits for before the workload.
fn shells() -> Value {
    let size = pages(SHELL_FAULTS / SHELLS);
    let body = json!([
        {"op": "map", "region": "program", "size": size},
        {"op": "touch", "region": "program"},
        {"op": "free", "region": "program"},
    ]);
    let program = json!([{"op": "repeat", "times": SHELLS, "do": body}]);
    let start = format!("{}ms", BEFORE_MS + 500);
    json!({"name": BACKDROP[2], "count": 1, "node": 0, "start": start, "program": program})
}
